/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stalls: what a task waits for while it allocates memory, or reclaims it.
 *
 * A phase is a part of the kernel's work that takes time, such as direct reclaim, compaction, or
 * one call of a shrinker.  Phases nest: a shrinker runs in direct reclaim, which runs in an
 * allocation.  For each task that is in a phase, a slot has its stack of phases:
 *
 *	task --hash--> slot: phase, phase inside it, phase inside that one ...
 *
 *	begin:	push a phase, and the time
 *	end:	pop it: its time, and its own time, without the phases inside it
 *
 * In a phase, a task may be ready to run and wait for a CPU.  That wait is not own time of the
 * phase; it is a separate part of the stall.  So the own times of all phases of a stall, and the
 * time for which the task has waited for a CPU, add up to the time of the outermost phase.
 *
 * Only the task itself uses its slot, and not in interrupts, so there is no lock.  The slot is
 * claimed at the beginning of the outermost phase, and released at its end.
 *
 * Slots are in sets of seven.  The address of a task selects its home set, where it claims a slot.
 * If no slot of this set is free, the task tries up to 31 other sets, which its address selects,
 * too, and its home set counts it as spilled.  The owners of a set and this counter fill one cache
 * line.  So a task without a slot, as most tasks are, reads one cache line to find that out:
 *
 *	home set:	7 owners | spilled: how many tasks, and the most tries of one of them
 *	other sets:	7 owners | ...
 *
 * A task finds no slot only if all 32 sets are full.  While a tenth of all slots is free, that
 * happens about twice in 10^9 searches, and while half of them are free, never in practice.  A
 * phase whose task finds no slot counts as stall_no_slot, and so does each phase inside it.
 *
 * The end of a phase may not be seen, for example because kprobes are switched off meanwhile.  The
 * stack pointer at the beginning of each phase shows this: that of a phase inside another one is
 * lower.  Phases that cannot be going on any more are dropped, and counted as stall_ends_lost.  The
 * slot of a task that has exited meanwhile is released by kma_stalls_sweep().  An end without a
 * beginning, as after the module was loaded, is counted as stall_begins_lost.
 *
 * Context, unless a function says otherwise: a probe, in a task; for functions that allocate or
 * free the slots: process, may sleep.
 */
#ifndef KMA_CORE_STALL_H
#define KMA_CORE_STALL_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "env.h"
#include "stat.h"

/*
 * X(name, text, cause): the phases.  @text is shown for the phase, and @cause for its own time.
 * Most are named after the function of the kernel.
 */
#define KMA_PHASES(X)							\
	X(NONE,		"-",			"-")			\
	/* the slow path of the page allocator, and throttling before direct reclaim */ \
	X(SLOW_PATH,	"alloc_slow_path",	"page allocator")	\
	X(DIRECT_THROTTLED, "throttle_direct_reclaim", "throttle_direct_reclaim") \
	/* what the kernel marks as a stall, see trace/memstall.h */	\
	X(MEMSTALL,	"memstall",		"other")		\
	/* reclaim, by the reason for it */				\
	X(DIRECT,	"direct_reclaim",	"direct reclaim")	\
	X(MEMCG,	"memcg_reclaim",	"memcg limit")		\
	X(SOFT_LIMIT,	"soft_limit_reclaim",	"memcg soft limit")	\
	X(NODE,		"node_reclaim",		"node reclaim")		\
	X(KSWAPD,	"kswapd",		"kswapd")		\
	X(BALANCE,	"balance_pgdat",	"kswapd")		\
	/* parts of reclaim */						\
	X(SHRINK_NODE,	"shrink_node",		"shrink_node")		\
	X(LRU,		"shrink_lruvec",	"lru")			\
	X(EVICT,	"evict_folios",		"lru")			\
	X(LRU_INACTIVE,	"shrink_inactive_list",	"lru inactive")		\
	X(LRU_ACTIVE,	"shrink_active_list",	"lru active")		\
	X(SLAB,		"shrink_slab",		"shrink_slab")		\
	X(COUNT,	"do_shrink_slab",	"counting")		\
	X(SHRINKER,	"shrinker",		"shrinker")		\
	X(THROTTLED,	"throttled",		"throttled")		\
	/* compaction */						\
	X(KCOMPACTD,	"kcompactd",		"kcompactd")		\
	X(TRY_COMPACT,	"try_to_compact_pages",	"compaction")		\
	X(COMPACT_ZONE,	"compact_zone",		"compaction")		\
	X(COMPACTION,	"compaction",		"compaction")		\
	/* not phases: causes of the own time of MEMSTALL */		\
	X(HIGH,		"-",			"memory.high")		\
	X(REFAULT,	"-",			"refault")		\
	X(SWAP_IN,	"-",			"swap-in")		\
	/* not a phase: time for which tasks in a phase waited for a CPU */	\
	X(CPU,		"-",			"waiting for a CPU")

enum kma_phase {
#define X(name, text, cause) KMA_PHASE_##name,
	KMA_PHASES(X)
#undef X
	KMA_PHASE_NR
};

/* X(name, text): kinds of tasks that wait for a phase.  The outermost phase determines the kind. */
#define KMA_ORIGINS(X)		\
	X(OTHER,	"other")	\
	X(DIRECT,	"direct")	\
	X(MEMCG,	"memcg")	\
	X(REFAULT,	"refault")	\
	X(MEMSTALL,	"memstall")	\
	X(KSWAPD,	"kswapd")	\
	X(KCOMPACTD,	"kcompactd")

enum kma_origin_of_stall {
#define X(name, text) KMA_STALL_##name,
	KMA_ORIGINS(X)
#undef X
	KMA_STALL_NR
};

/* Durations are counted in buckets: bucket i has those of at least 2^i us, bucket 0 all below 2. */
#define KMA_LATENCY_BUCKETS	24

/*
 * The counters of a phase and origin.  Those before KMA_LATENCY_TIMES_NR are also the counters of a
 * call site, order and origin, which count whole waits.
 */
enum kma_latency_counter {
	KMA_LATENCY_COUNT,
	KMA_LATENCY_TOTAL_NS,
	KMA_LATENCY_MAX_NS,
	KMA_LATENCY_BUCKET,
	KMA_LATENCY_TIMES_NR = KMA_LATENCY_BUCKET + KMA_LATENCY_BUCKETS,
	KMA_LATENCY_SCANNED = KMA_LATENCY_TIMES_NR,
	KMA_LATENCY_RECLAIMED,
	KMA_LATENCY_NR
};

/* The counters of a shrinker. */
enum kma_shrinker_counter {
	KMA_SHRINKER_CALLS,
	KMA_SHRINKER_TOTAL_NS,
	KMA_SHRINKER_MAX_NS,
	KMA_SHRINKER_WAITED_NS,
	KMA_SHRINKER_SCANNED,
	KMA_SHRINKER_FREED,
	KMA_SHRINKER_COUNTS,
	KMA_SHRINKER_COUNT_NS,
	KMA_SHRINKER_NR
};

/* The counters of a call site, order, gfp flags and cause. */
enum kma_stalled_counter {
	KMA_STALLED_COUNT,
	KMA_STALLED_TOTAL_NS,
	KMA_STALLED_MAX_NS,
	KMA_STALLED_NR
};

/* The counters of a call site that wakes a daemon. */
enum kma_waker_counter {
	KMA_WAKER_WAKEUPS,
	KMA_WAKER_RUNS,
	KMA_WAKER_RAN_NS,
	KMA_WAKER_MAX_NS,
	KMA_WAKER_NR
};

/*
 * The number of phases of one task that may be inside each other.  A deeper phase counts in the
 * phase around it.
 */
#define KMA_STALL_DEPTH		10
/*
 * The number of separate parts of a stall.  The last part takes everything that has no part of its
 * own.
 */
#define KMA_STALL_PARTS		8
/* The order of an allocation that is not known. */
#define KMA_ORDER_NONE		(-1)

/**
 * struct kma_stall_time - a time, or a duration
 * @ns: by the clock, in ns
 * @cpu_ns: for how long the task has waited for a CPU since it was created, in ns; for a duration,
 *	during it
 */
struct kma_stall_time {
	u64 ns;
	u64 cpu_ns;
};

/**
 * struct kma_stall_task - the current task
 * @task: address of its task_struct
 * @stack: address of its stack
 * @pid: its thread ID
 * @sp: its stack pointer, in the function whose phase begins
 */
struct kma_stall_task {
	unsigned long task;
	unsigned long stack;
	u32 pid;
	unsigned long sp;
};

/**
 * struct kma_stall_part - own time of phases of one kind, in one stall
 * @phase: the phase
 * @detail: which shrinker, or the reason for throttling; 0 if there is none
 * @ns: own time, in ns
 * @nr: number of phases
 */
struct kma_stall_part {
	enum kma_phase phase;
	u32 nr;
	u64 detail;
	u64 ns;
};

/**
 * struct kma_stall_frame - a phase that has begun
 * @phase: the enum kma_phase
 * @cause: the phase whose cause its own time has; @phase if the caller does not change it
 * @nr: how often it counts for its cause: 1; or 0 if a phase inside it or around it counts instead.
 *	KMA_PHASE_MEMSTALL without a phase inside it always counts once
 * @sp: the stack pointer at its beginning, as an offset from the address of the stack
 * @detail: as in struct kma_stall_part
 * @arg: for the caller, from the beginning to the end of the phase
 * @start: when it began
 * @nested: time of the phases directly inside it
 * @scanned: pages of the LRU lists that were scanned in it, and in the phases inside it
 * @reclaimed: pages that were reclaimed
 */
struct kma_stall_frame {
	u8 phase;
	u8 cause;
	u16 nr;
	u32 sp;
	u64 detail;
	u64 arg;
	struct kma_stall_time start;
	struct kma_stall_time nested;
	u64 scanned;
	u64 reclaimed;
};

/**
 * struct kma_stall - the slot of a task
 * @stack: address of the task's stack
 * @pid: thread ID of the task
 * @origin: who waits
 * @order: order of the allocation; KMA_ORDER_NONE if it is not known
 * @gfp: gfp flags of the allocation
 * @site: call site of the allocation; 0 if it has not been looked for
 * @from: where the function of the outermost phase returns to: the search for the call site begins
 *	there.  @ip is 0 if this is not known
 * @depth: number of phases
 * @deeper: number of phases inside these that are not recorded
 * @nr_parts: number of parts
 * @spilled: the slot is not in the home set of its task
 * @owner: the owner of the slot, in its set; constant
 * @frame: the phases, the outermost first
 * @part: the parts
 */
struct kma_stall {
	unsigned long stack;
	u32 pid;
	enum kma_origin_of_stall origin;
	int order;
	u32 gfp;
	unsigned long site;
	struct kma_return from;
	u32 depth;
	u32 deeper;
	u32 nr_parts;
	bool spilled;
	unsigned long *owner;
	struct kma_stall_frame frame[KMA_STALL_DEPTH];
	struct kma_stall_part part[KMA_STALL_PARTS];
};

/* The slots of a set: their owners and the counter fill one cache line. */
#define KMA_STALLS_SET		7
/* The least number of sets, and the number of sets for each possible CPU. */
#define KMA_STALLS_SETS		160
#define KMA_STALLS_SETS_PER_CPU	4
/* The number of sets in which a task searches for a slot. */
#define KMA_STALLS_TRIES	32

/**
 * struct kma_stall_set - the owners of some slots
 * @owner: for each slot, the address of the task_struct that it belongs to, and its state in the
 *	lowest bits (stall.c); 0 if it is free
 * @spilled: about tasks whose home is this set and whose slot is in another one: bits 0 to 31 are
 *	their number; bits 32 to 63 are the largest number of a try at which one of them claimed
 *	its slot, since there were none
 */
struct kma_stall_set {
	unsigned long owner[KMA_STALLS_SET];
	atomic64_t spilled;
};

/**
 * struct kma_stalls - the slots of all tasks
 * @sets: number of sets
 * @set: the sets
 * @slot: the slots, set by set
 */
struct kma_stalls {
	u32 sets;
	struct kma_stall_set *set;
	struct kma_stall *slot;
};

/**
 * struct kma_stall_end - a phase that has ended
 * @frame: a copy of its frame
 * @ns: its time, in ns
 * @own: its own time
 * @cpu: for how long it has waited for a CPU, apart from the phases inside it
 * @outermost: no phase is around it
 */
struct kma_stall_end {
	struct kma_stall_frame frame;
	u64 ns;
	u64 own;
	u64 cpu;
	bool outermost;
};

/* The name of a phase.  Context: any. */
const char *kma_phase_text(enum kma_phase phase);

/* The cause: for what a task waits in the own time of a phase.  Context: any. */
const char *kma_phase_cause(enum kma_phase phase);

/* The name of an origin.  Context: any. */
const char *kma_stall_origin_text(enum kma_origin_of_stall origin);

/* The bucket, below KMA_LATENCY_BUCKETS, of a duration in ns.  Context: any. */
u32 kma_latency_bucket(u64 ns);

/* Bytes that the slots take.  Context: any. */
u64 kma_stalls_bytes(u32 cpus);

/* Allocate the slots.  Returns 0 or -ENOMEM. */
int kma_stalls_init(struct kma_stalls *t, u32 cpus);

/* Free @t, which may be zeroed memory, and which no probe uses any more. */
void kma_stalls_destroy(struct kma_stalls *t);

/* Release all slots; phases count as stall_ends_lost.  Context: process; no probe uses slots. */
void kma_stalls_clear(struct kma_stalls *t);

/**
 * kma_stalls_sweep() - release the slots of tasks that have exited
 * @t: the slots
 * @has_exited: says whether the task of a slot has exited; it gets the address of the task_struct,
 *	which may have been freed, and the thread ID
 *
 * The phases that these tasks were in count as stall_ends_lost.  If @has_exited is wrong, the
 * phases of that task are lost, and count as such; nothing else happens.
 *
 * Context: process, may sleep; probes may use the slots; calls do not run concurrently, nor with
 * kma_stalls_clear().
 */
void kma_stalls_sweep(struct kma_stalls *t, bool (*has_exited)(unsigned long task, u32 pid));

/* Number of tasks that have a slot.  Context: any; probes may use the slots. */
u32 kma_stalls_used(const struct kma_stalls *t);

/* The slot of the current task, by the address of its task_struct; NULL if it is in no phase. */
struct kma_stall *kma_stall_of(const struct kma_stalls *t, unsigned long task);

/*
 * Whether a phase is that of a thread that works in the background, from one sleep of the thread
 * to the next.  Such a thread may begin again without having slept, and may sleep again without
 * having begun.
 */
static inline bool kma_phase_is_background(enum kma_phase phase)
{
	return phase == KMA_PHASE_KSWAPD || phase == KMA_PHASE_KCOMPACTD;
}

/*
 * Whether the end of a phase is seen.  Throttling ends before direct reclaim, or with the phase
 * around it.
 */
static inline bool kma_phase_has_end(enum kma_phase phase)
{
	return phase != KMA_PHASE_DIRECT_THROTTLED;
}

/* Whether a stall is in this phase. */
bool kma_stall_has(const struct kma_stall *s, enum kma_phase phase);

/*
 * Begin a phase of the current task at the time @now.  Returns the slot, whose last frame is that
 * of the phase; NULL if the phase is not recorded.  If the phase is the outermost one, the caller
 * sets the @origin of the slot, and may set @order and @gfp.
 */
struct kma_stall *kma_stall_begin(struct kma_stalls *t, const struct kma_stall_task *who,
				  enum kma_phase phase, const struct kma_stall_time *now);

/*
 * End a phase of the current task, whose task_struct is at @task, and describe the phase in @end.
 * Returns the slot, for kma_stall_leave(); NULL if the beginning of the phase was not recorded.
 */
struct kma_stall *kma_stall_end(struct kma_stalls *t, unsigned long task, enum kma_phase phase,
				const struct kma_stall_time *now, struct kma_stall_end *end);

/* Release a slot, if its outermost phase has ended. */
void kma_stall_leave(struct kma_stalls *t, struct kma_stall *s);

/* Do not count the time from @from to @to, which recording has taken since the last phase began. */
void kma_stall_skip(struct kma_stall *s, const struct kma_stall_time *from,
		    const struct kma_stall_time *to);

/* Add @ns of own time, of @nr phases, to the parts of a stall; see struct kma_stall_part. */
void kma_stall_add(struct kma_stall *s, enum kma_phase cause, u64 detail, u64 ns, u32 nr);

/**
 * kma_stall_spend() - take time off the current phase, because that time is a phase of its own
 * @s: the slot
 * @end: the phase, which had no beginning of its own and has just ended; its @frame has @phase and
 *	@detail, and this sets the times
 * @ns: its time as the kernel says, in ns
 * @now: the time
 *
 * The kernel measures some phases in ticks.  A phase did not take longer than the one that is going
 * on has taken so far, apart from those inside it.
 */
void kma_stall_spend(struct kma_stall *s, struct kma_stall_end *end, u64 ns,
		     const struct kma_stall_time *now);

#endif /* KMA_CORE_STALL_H */
