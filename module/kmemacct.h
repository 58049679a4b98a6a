/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the module share; each block is one file's interface. */
#ifndef KMA_KMEMACCT_H
#define KMA_KMEMACCT_H

#include <linux/ftrace.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include "compat.h"
#include "core/pagealloc.h"
#include "core/budget.h"
#include "core/record.h"
#include "core/countmap.h"

#include "../include/kmemacct_abi.h"

/* ---- engine.c: everything between insmod and rmmod ---------------------- */

/* How pages are tracked: see page.c. */
enum kma_pages_mode {
	KMA_PAGES_OFF,		/* not at all */
	KMA_PAGES_CLASSES,	/* by order, migrate type and gfp flags */
	KMA_PAGES_SITES,	/* and by call site, of all blocks or of some */
	KMA_PAGES_SAMPLED,	/* of some: nothing that can be set */
};

/**
 * struct kma_config - how to set the module up
 * @live_max: objects that the live table has room for; 0: by the RAM
 * @sites_max: rows for call sites
 * @enabled: record allocations from the start
 * @bulk: follow the bulk functions, `auto` or `off`
 * @sample_bytes: as kma_sampling_set(); what it is later is in `control`
 * @budget_pct: as kma_overhead_set_budget(); likewise
 * @pages: as kma_pages_set(); likewise
 * @page_sample_bytes: as kma_pages_sample(); likewise
 * @by: as kma_acct_set(); likewise
 * @filter: as kma_filter_set(); likewise
 * @skip: as kma_skip_set(); likewise
 */
struct kma_config {
	u64 live_max;
	u32 sites_max;
	bool enabled;
	const char *bulk;
	u64 sample_bytes;
	unsigned int budget_pct;
	enum kma_pages_mode pages;
	u64 page_sample_bytes;
	unsigned long by;
	const char *filter;
	const char *skip;
};

#define KMA_LIVE_MIN		1ULL
#define KMA_LIVE_MAX		(16ULL << 20)
#define KMA_LIVE_DEFAULT_MIN	(64ULL << 10)
#define KMA_SITES_DEFAULT	8192

/* What the probes write to. */
extern struct kma_core kma_core;
/* What the module runs with; constant after kma_engine_start(). */
extern struct kma_config kma_config;

/**
 * kma_engine_start() - build tables, attach probes, show files, record
 * @config: how
 *
 * Context: process, may sleep. Return: 0, or an error that has been explained
 * in the kernel log, and then nothing is left behind.
 */
int kma_engine_start(const struct kma_config *config);

/**
 * kma_engine_stop() - undo kma_engine_start()
 *
 * Context: process, may sleep.
 */
void kma_engine_stop(void);

/* Context: process. Return: bytes that all tables but those of pages take. */
u64 kma_engine_bytes(void);

/* Context: process. Return: bytes that all tables may take: 1/16 of the RAM. */
u64 kma_engine_bytes_max(void);

/* ---- probe.c: the tracepoints ------------------------------------------- */

/**
 * struct kma_probe - a tracepoint and how to get at it
 * @name: its name
 * @attach: 0 or an error
 * @detach: probes that run go on until tracepoint_synchronize_unregister()
 */
struct kma_probe {
	const char *name;
	int (*attach)(void);
	void (*detach)(void);
};

/**
 * kma_probes_attach() - attach to tracepoints, to all or to none
 * @probes: in the order of attaching
 * @nr: how many
 *
 * Context: process, may sleep. Return: 0, or an error that has been explained
 * in the kernel log, and then no probe runs any more.
 */
int kma_probes_attach(const struct kma_probe *probes, int nr);

/**
 * kma_probes_detach() - detach in reverse and wait until no probe runs
 * @probes: the same as for kma_probes_attach()
 * @nr: the same
 *
 * Context: process, may sleep.
 */
void kma_probes_detach(const struct kma_probe *probes, int nr);

/*
 * The two functions of a row for a tracepoint that is not exported: it is found by
 * its name.  The function that checks the prototype exists for these as well.
 */
#define KMA_PROBE_BY_NAME(tp)						\
static int kma_attach_##tp(void)					\
{									\
	check_trace_callback_type_##tp(kma_probe_##tp);			\
	return kma_attach_name(#tp, kma_probe_##tp);			\
}									\
									\
static void kma_detach_##tp(void)					\
{									\
	kma_detach_name(#tp, kma_probe_##tp);				\
}

#define KMA_PROBE_ROW(tp) { #tp, kma_attach_##tp, kma_detach_##tp }

/* Context: process, may sleep. Return: 0 or an error. */
int kma_attach_name(const char *name, void *probe);
void kma_detach_name(const char *name, void *probe);

/**
 * kma_probes_start() - attach all probes and learn the kernel's habits
 *
 * Frees are followed from here on, allocations from kma_probes_record().
 * Context: process, may sleep. Return: as kma_probes_attach().
 */
int kma_probes_start(void);

/**
 * kma_probes_stop() - undo kma_probes_start()
 *
 * Context: process, may sleep.
 */
void kma_probes_stop(void);

/**
 * kma_probes_record() - whether allocations are recorded
 * @on: they are, those that match the filter
 *
 * To be called again when a filter is set or taken away.
 * Context: process, may sleep; kma_lock is held.
 */
void kma_probes_record(bool on);

/**
 * kma_probes_sample() - whether allocations are sampled, or all recorded
 * @on: they are sampled
 *
 * When it returns, nobody records any more who does not know.
 * Context: process, may sleep; kma_lock is held.
 */
void kma_probes_sample(bool on);

/**
 * kma_probes_livefilter() - whether frees go by the filter
 * @on: they do, as soon as they know; some that run may not
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_probes_livefilter(bool on);

/**
 * kma_probes_attached() - how many probes of tracepoints the module has
 *
 * Context: any. Return: their number.
 */
int kma_probes_attached(void);

/* Context: any. Return: whether frees may be told after others got the address. */
bool kma_probes_late(void);

/**
 * kma_probes_free() - an object is about to be freed, without a tracepoint
 * @ptr: the object
 *
 * Context: a hook, any context that does not migrate.
 */
void kma_probes_free(const void *ptr);

/**
 * kma_probes_bulk() - an object was allocated, without a tracepoint
 * @site: return address of the call that allocated
 * @ptr: the object
 * @cache: address of its kmem_cache
 * @gfp: gfp flags
 *
 * Context: a hook, any context that does not migrate.
 */
void kma_probes_bulk(unsigned long site, const void *ptr, unsigned long cache,
		     gfp_t gfp);

/**
 * kma_probes_page_free() - what the probe of mm_page_free does
 * @tracked: kma_page_free_tracked()
 *
 * Those that run may go on with what it did before, until
 * tracepoint_synchronize_unregister().
 * Context: process, may sleep.
 */
void kma_probes_page_free(bool tracked);

/* ---- sampling.c: from recording everything to sampling, and back ------------ */

/**
 * kma_sampling_parse() - a value for kma_sampling_set()
 * @text: 0 or a power of two, with K or M behind it if that is meant
 * @bytes: its value, if it is one
 *
 * Context: any. Return: 0, -EINVAL for what is no number, -ERANGE for any other
 * one than 0 and the powers of two from 4K to 64M.
 */
int kma_sampling_parse(const char *text, u64 *bytes);

/**
 * kma_sampling_start() - begin another sequence of random numbers
 *
 * Context: process; nothing is recorded yet.
 */
void kma_sampling_start(void);

/**
 * kma_sampling_set() - sample, or record everything
 * @bytes: one sample for so many bytes on average; 0: record everything
 *
 * Context: process, may sleep; kma_lock is held; the probes are attached, or
 * @bytes is 0.
 */
void kma_sampling_set(u64 bytes);

/* Context: any. Return: what was set last. */
u64 kma_sampling_bytes(void);

/* Context: any. Return: what one sample is taken for now: the budget may have raised it. */
u64 kma_sampling_now(void);

/* ---- overhead.c: what the module itself takes --------------------------------- */

/**
 * struct kma_lap - a probe that is timed
 * @start: when it began
 * @samples: what had been spent on samples by then
 * @events: the CPU's events, if no more come
 */
struct kma_lap {
	u64 start;
	u64 samples;
	u64 events;
};

/* All of kma_overhead_begin() but the clock, and all of kma_overhead_end(). */
struct kma_lap kma_overhead_stay(void);
void kma_overhead_leave(struct kma_lap lap, u64 end);

/**
 * kma_overhead_begin() - begin to take the time
 *
 * Context: a probe, any context, after kma_stat_event_again(); preemption is off from
 * here to kma_overhead_end(). Return: what that needs.
 */
static __always_inline struct kma_lap kma_overhead_begin(void)
{
	struct kma_lap lap = kma_overhead_stay();

	lap.start = kma_env_clock();
	return lap;
}

/* Count what has passed since kma_overhead_begin(). Context: a probe, any context. */
static __always_inline void kma_overhead_end(struct kma_lap lap)
{
	kma_overhead_leave(lap, kma_env_clock());
}

/**
 * kma_overhead_start() - look at what is spent once a second
 *
 * Context: process, may sleep.
 */
void kma_overhead_start(void);

/* Undo kma_overhead_start(). Context: process, may sleep; kma_lock is not held. */
void kma_overhead_stop(void);

/**
 * kma_overhead_sampling() - sampling begins, or goes on with another N
 * @shift: binary logarithm of N
 *
 * Context: process; kma_lock is held.
 */
void kma_overhead_sampling(int shift);

#define KMA_BUDGET_MAX		100
#define KMA_BUDGET_DEFAULT	1

/**
 * kma_overhead_set_budget() - how much the module may take while objects are sampled
 * @pct: per cent of the time of all CPUs, up to KMA_BUDGET_MAX; 0: do not govern
 *
 * Context: process; kma_lock is held.
 */
void kma_overhead_set_budget(unsigned int pct);

/* Context: any. Return: what was set last. */
unsigned int kma_overhead_budget_pct(void);

/**
 * struct kma_overhead - what was found
 * @event_ps: picoseconds that an event takes; 0 if none has been timed
 * @event_ps_se: the standard error of that
 * @share: thousandths of a percent of all CPUs' time that the module took lately
 * @share_se: the standard error of that
 * @raised: how often the budget raised N, since load
 * @lowered: and lowered
 */
struct kma_overhead {
	u64 event_ps;
	u64 event_ps_se;
	u32 share;
	u32 share_se;
	u64 raised;
	u64 lowered;
};

/* Context: process; kma_lock is held. Return: as it was found at the last look. */
struct kma_overhead kma_overhead_read(void);

/* ---- stack.c: where allocations are called from ------------------------------ */

/**
 * kma_stack_start() - get ready for kma_env_stack()
 *
 * Context: process, may sleep. Return: 0, or -ENOMEM, explained in the log.
 */
int kma_stack_start(void);

/* Undo kma_stack_start(); nobody samples any more. Context: process, may sleep. */
void kma_stack_stop(void);

/* ---- ftrace_hook.c: functions that are followed where they are entered ----------- */

/* Whether a function of the kernel takes and returns what is expected of it. */
#define kma_ftrace_hook_fits(function, type, ...)				\
	__builtin_types_compatible_p(typeof(function), type(__VA_ARGS__))

/**
 * struct kma_ftrace_hook - a function of the kernel, and what is called before it
 * @function: its address
 * @entered: called in whatever context it is called in, preemptible or not, with
 *	the address it returns to; notrace; kma_ftrace_hook_arg() gives the arguments
 * @bulk: only wanted if bulk functions are followed
 * @loss: for the log, what is lost without it
 * @attached: it is followed
 */
struct kma_ftrace_hook {
	void *function;
	void (*entered)(unsigned long parent_ip, struct ftrace_regs *regs);
	bool bulk;
	const char *loss;
	bool attached;
};

/* All there are; ftrace_hook.c has the list. */
#ifndef KMA_HAVE_FREE_EVENT_EARLY
extern struct kma_ftrace_hook kma_ftrace_hook_free;		/* probe.c */
#endif
extern struct kma_ftrace_hook kma_ftrace_hook_free_bulk;	/* bulk.c */
#ifdef KMA_HAVE_SHEAVES
extern struct kma_ftrace_hook kma_ftrace_hook_free_rcu;	/* bulk.c */
#endif
extern struct kma_ftrace_hook kma_ftrace_hook_cache_destroy;	/* cacheinfo.c */

/**
 * kma_ftrace_hook_arg() - an argument of the function that is entered
 * @regs: what @entered got
 * @nr: which, from 0
 *
 * Context: inside @entered. Return: the argument.
 */
static __always_inline unsigned long kma_ftrace_hook_arg(struct ftrace_regs *regs, int nr)
{
	return regs_get_kernel_argument(ftrace_get_regs(regs), nr);
}

/**
 * kma_ftrace_hooks_start() - follow functions from now on, as far as that can be done
 * @bulk: also those that are only wanted if bulk functions are followed
 *
 * What cannot be followed is explained in the log.
 * Context: process, may sleep; the tables are made.
 */
void kma_ftrace_hooks_start(bool bulk);

/**
 * kma_ftrace_hooks_stop() - undo kma_ftrace_hooks_start() and wait until no hook runs
 *
 * Context: process, may sleep.
 */
void kma_ftrace_hooks_stop(void);

/* ---- bulk.c: allocations and frees without a tracepoint ------------------- */

/**
 * kma_bulk_start() - follow bulk allocations, if that can be done
 *
 * Context: process, may sleep; after kma_ftrace_hooks_start().
 */
void kma_bulk_start(void);

/* Undo kma_bulk_start(). Context: process, may sleep. */
void kma_bulk_stop(void);

/* Context: any. Return: whether objects that are freed in bulk are seen. */
bool kma_bulk_frees_followed(void);

/* Context: any. Return: whether objects of bulk allocations are seen. */
bool kma_bulk_allocs_followed(void);

/* Context: any. Return: bulk allocations that were not. */
unsigned long kma_bulk_allocs_missed(void);

/* ---- page.c: the page allocator's tracepoints ------------------------------ */

/* What the probes of pages write to, while these are tracked. */
extern struct kma_pagealloc kma_pagealloc;

/**
 * kma_pages_parse() - a value for kma_pages_set()
 * @text: off, classes or sites
 *
 * Context: any. Return: its number, or -EINVAL.
 */
int kma_pages_parse(const char *text);

/* Context: any. Return: the text for what was set last. */
const char *kma_pages_name(void);

/* Context: any; it stays so while kma_lock is held. Return: whether pages are tracked. */
bool kma_pages_tracked(void);

/* Context: process; kma_lock is held. Return: boot time when that began last, in ns. */
u64 kma_pages_since(void);

/* Context: any. Return: whether it is known who wants blocks of pages. */
bool kma_pages_sited(void);

/**
 * kma_pages_set() - track pages in another way
 * @mode: how
 *
 * What was recorded is lost when it is KMA_PAGES_OFF.
 * Context: process, may sleep; kma_lock is held. Return: 0, or an error, and then
 * nothing has changed.
 */
int kma_pages_set(enum kma_pages_mode mode);

/**
 * kma_pages_sample() - of which blocks call sites are looked for
 * @bytes: of one for so many bytes on average, a power of two from 4 KiB to 64 MiB;
 *	0: of all
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_pages_sample(u64 bytes);

/* Context: any. Return: what was set last. */
u64 kma_pages_bytes(void);

/* Context: process; kma_lock is held. Return: bytes that tracking takes; 0 without. */
u64 kma_pages_memory(void);

/* Whether pages of bulk allocations are recorded. Context: any. */
bool kma_pages_bulk_followed(void);

/* Context: any. Return: calls of the bulk allocator missed since pages are tracked. */
u64 kma_pages_bulk_missed(void);

/* Whether blocks are recorded. Context: process; kma_lock is held. */
void kma_pages_record(bool on);

/* What the probe of mm_page_free does while pages are tracked. Context: any. */
KMA_DIRECT void kma_page_free_tracked(void *data, struct page *page,
				      unsigned int order);

/* ---- countmaps.c: what is counted by a key ------------------------------------- */

enum kma_countmap_of {
	KMA_COUNTMAP_NONE,		/* never there */
	KMA_COUNTMAP_PCPU,		/* by node; CPUs are not added up */
	KMA_COUNTMAP_EXTFRAG,	/* by call site, orders and migrate types */
	KMA_COUNTMAP_TASKS,
	KMA_COUNTMAP_CGROUPS,
	KMA_COUNTMAP_COMM_SITES,
	KMA_COUNTMAP_COMM_SYSCALLS,
	KMA_COUNTMAP_NR
};

/* NULL where nothing is counted. */
extern struct kma_countmap __rcu *kma_countmaps[KMA_COUNTMAP_NR];

/* Whether anything is counted now; protected by kma_lock, and probes read it. */
extern bool kma_countmaps_on;

/* Otherwise the event has been counted. Context: a probe, any context. */
static inline bool kma_countmaps_recording(void)
{
	if (likely(READ_ONCE(kma_countmaps_on)))
		return true;
	kma_stat_inc(countmap_off);
	return false;
}

/* Return: @matches, and if not, the event has been counted. Context: as above. */
static inline bool kma_countmaps_matching(bool matches)
{
	if (likely(matches))
		return true;
	kma_stat_inc(countmap_filtered);
	return false;
}

/**
 * kma_countmaps_begin() - begin to count
 * @which: bits with the numbers of countmaps that are not there
 *
 * Context: process, may sleep; kma_lock is held. Return: 0, or -ENOMEM, and then none is.
 */
int kma_countmaps_begin(unsigned long which);

/* Stop, and forget. Context: as above. */
void kma_countmaps_end(unsigned long which);

/* Context: process; kma_lock is held. Return: the countmap, or NULL. */
struct kma_countmap *kma_countmap_locked(enum kma_countmap_of of);

/* Context: process; kma_lock is held. Return: boot time when it began, nanoseconds. */
u64 kma_countmap_since(enum kma_countmap_of of);

/* Context: process. Return: bytes that it takes, or would. */
u64 kma_countmap_memory(enum kma_countmap_of of);

/* Context: process. Return: bytes that all of them take. */
u64 kma_countmaps_bytes(void);

/**
 * kma_countmaps_pause() - nothing is counted any more, and what was is forgotten
 * @t: the result: the countmaps there are, empty, for kma_countmaps_resume()
 *
 * Context: process, may sleep; kma_lock is held until kma_countmaps_resume().
 */
void kma_countmaps_pause(struct kma_countmap *t[KMA_COUNTMAP_NR]);

/* Go on. Context: as above. @t: from kma_countmaps_pause(). */
void kma_countmaps_resume(struct kma_countmap *t[KMA_COUNTMAP_NR]);

/* ---- zone.c: the free lists of zones and of CPUs ----------------------------- */

enum kma_list_counter {
	KMA_LIST_REFILL_PAGES,
	KMA_LIST_REFILLS,
	KMA_LIST_DRAIN_PAGES,
	KMA_LIST_DRAINS,
	KMA_LIST_DIRECT_PAGES,
	KMA_LIST_DIRECTS,
	KMA_LIST_BATCHED,
};

enum kma_fallback_counter {
	KMA_FALLBACK_ALL,
	KMA_FALLBACK_FRAGMENTING,
	KMA_FALLBACK_SEVERE,
	KMA_FALLBACK_CHANGED,
};

/* The words of its key. */
#define KMA_FALLBACK_SITE	0
#define KMA_FALLBACK_KEY	1

/* What a fallback is counted by, but for the call site: four bytes of a word. */
static inline u64 kma_fallback_key(u8 alloc_order, u8 order, u8 alloc_type, u8 type)
{
	return alloc_order | order << 8 | alloc_type << 16 | (u64)type << 24;
}

/**
 * kma_zone_start() - follow the events of free lists
 *
 * It is counted how often it was called; the last kma_zone_stop() ends it.
 * Context: process, may sleep; kma_lock is held. Return: as kma_probes_attach().
 */
int kma_zone_start(void);
void kma_zone_stop(void);

/* An event that ends a burst came on this CPU. Context: a probe, any context. */
void kma_zone_event(void);

/* ---- acct.c: what processes and cgroups do --------------------------------- */

enum kma_acct_counter {
	KMA_ACCT_ALLOC_PAGES,
	KMA_ACCT_ALLOCS,
	KMA_ACCT_FREE_PAGES,
	KMA_ACCT_FREES,
	KMA_ACCT_BATCHED,
	KMA_ACCT_ZONE_LOCKED,
	KMA_ACCT_REFILLS,
	KMA_ACCT_DRAINED,
	KMA_ACCT_DRAINS,
	KMA_ACCT_FALLBACKS,
	KMA_ACCT_FRAGMENTING,
	KMA_ACCT_SEVERE,
	KMA_ACCT_CHANGED,
	KMA_ACCT_SLAB_HITS,
	KMA_ACCT_SLAB_BYTES,
	KMA_ACCT_NR
};

static_assert(KMA_ACCT_NR <= KMA_COUNTMAP_COUNTERS);

/* After the two words of a command, the one that is a call site or system call. */
#define KMA_ACCT_SITE		2

/* A process that is not one: what is done in interrupts. */
#define KMA_ACCT_INTERRUPT	U64_MAX
/* In place of the number of a system call. */
#define KMA_SYSCALL_KERNEL	(U64_MAX - 1)	/* a kernel thread */
#define KMA_SYSCALL_FAULT	(U64_MAX - 2)	/* a page fault, or another exception */
#define KMA_SYSCALL_NONE	(U64_MAX - 3)	/* in an interrupt */
#define KMA_SYSCALL_COMPAT	BIT_ULL(32)	/* of the 32-bit ones */

/**
 * kma_acct_parse() - a value for kma_acct_set()
 * @text: off, or some of tasks, cgroups, comm_sites, comm_syscalls with commas between
 *	them; is changed
 * @by: the result
 *
 * Context: any. Return: 0 or -EINVAL.
 */
int kma_acct_parse(char *text, unsigned long *by);

/* As kma_acct_parse() reads it. Context: process. @buf: room for the result. */
#define KMA_ACCT_LEN	48
void kma_acct_print(char buf[KMA_ACCT_LEN]);

/**
 * kma_acct_set() - by what to count what is done
 * @by: bits with the numbers of countmaps, as from kma_acct_parse()
 *
 * Those that are counted already go on.
 * Context: process, may sleep; kma_lock is held. Return: 0, or an error, and then
 * nothing has changed.
 */
int kma_acct_set(unsigned long by);

/**
 * struct kma_acct_event - what was done
 * @nr: how many counters it adds to
 * @what: which, and how much to each
 * @site: the call site, 0: of a block of pages, and to be found
 * @source: only what it allocates is counted by call site and system call
 */
struct kma_acct_event {
	int nr;
	struct {
		enum kma_acct_counter counter;
		u64 n;
	} what[4];
	unsigned long site;
	bool source;
};

/* Count it where it is counted. Context: a probe, any context, NMI included. */
void kma_acct_count(const struct kma_acct_event *event);

/* ---- addrcache.c: what has been found out about return addresses ---------------- */

/**
 * struct kma_addrcache - yes or no for each address, looked up once
 * @classify: by the name of what is at an address, `symbol [module]`, which it may change;
 *	any context, NMI included
 * @word: see addrcache.c; NULL if there is no table
 */
struct kma_addrcache {
	bool (*classify)(const struct kma_addrcache *v, char *name);
	unsigned long *word;
};

/* Context: process, may sleep. Return: 0, with @v->word set, or -ENOMEM. */
int kma_addrcache_init(struct kma_addrcache *v);

/* Nobody asks any more. Context: process, may sleep. */
void kma_addrcache_destroy(struct kma_addrcache *v);

/* Code may have gone, or come to where other code was. Context: any. */
void kma_addrcache_clear(const struct kma_addrcache *v);

/**
 * kma_addrcache_get() - yes or no
 * @v: the table, which is there
 * @addr: an address of the kernel
 *
 * Context: any, NMI included. Return: what @v->classify() says or said of it.
 */
bool kma_addrcache_get(const struct kma_addrcache *v, unsigned long addr);

/* ---- skip.c: functions that only hand pages on ---------------------------------- */

/* Room for a pattern, its NUL included. */
#define KMA_SKIP_LEN	64

/**
 * kma_pattern_ends() - whether a pattern may be used
 * @pattern: for glob_match()
 *
 * There a class of all characters but some has the end of a name, too, and goes on behind it.
 * Context: any. Return: whether there is none.
 */
bool kma_pattern_ends(const char *pattern);

/* Context: any, NMI included. Return: whether one of the patterns is of this name. */
bool kma_skip_name(const char *name);

/**
 * kma_skip_run() - the command `skip`
 * @args: what stands behind it; is changed
 *
 * Context: process, may sleep; kma_lock is held. Return: 0 or an error, explained by
 * kma_refuse(), and then nothing has changed.
 */
int kma_skip_run(char *args);

/**
 * kma_skip_set() - all changes at once, from what is built in
 * @text: what kma_skip_run() takes, with `;` between several; is changed
 *
 * Context, return: as kma_skip_run().
 */
int kma_skip_set(char *text);

/* The text for kma_skip_set(), into a page. Context: process; kma_lock is held. */
int kma_skip_text(char *page);

/* Context: process; kma_lock is held. Return: the pattern that is tried @i-th, or NULL. */
const char *kma_skip_pattern(int i);

/* Back to what is built in. Context: process, may sleep; kma_lock is held. */
void kma_skip_stop(void);

/* ---- filter.c: what is recorded, if not all --------------------------------------- */

struct kma_filter;
extern struct kma_filter __rcu *kma_filter;

/* Context: any. Return: whether a filter is set. */
static __always_inline bool kma_filter_on(void)
{
	return rcu_access_pointer(kma_filter);
}

/**
 * kma_filter_object() - whether an allocation of an object matches
 * @ev: it
 *
 * An interrupt does not match where tgid, comm or cgroup are set.
 * Context: a probe, any context, NMI included. Return: whether it matches; true
 * without a filter.
 */
bool kma_filter_object(const struct kma_event *ev);

/**
 * kma_filter_pagealloc() - whether an allocation of pages matches
 * @page: the first of them
 * @order: binary logarithm of how many
 * @gfp: gfp flags
 * @site: the call site; 0: to be looked for, if it matters, by kma_env_page_site();
 *	pages are tracked then
 *
 * Context, return: as kma_filter_object().
 */
bool kma_filter_pagealloc(const struct page *page, unsigned int order, gfp_t gfp,
		      unsigned long site);

/**
 * kma_filter_pages() - whether another event of pages matches
 * @page: the first of them
 * @order: binary logarithm of how many; -1: the event does not tell
 *
 * By the criteria that it can be asked about: tgid, comm, cgroup, order, size, node.
 * Context, return: as kma_filter_object().
 */
bool kma_filter_pages(const struct page *page, int order);

/**
 * kma_filter_run() - the command `filter`
 * @args: what stands behind it; is changed
 *
 * Context: process, may sleep; kma_lock is held. Return: 0 or an error, explained by
 * kma_refuse(), and then nothing has changed.
 */
int kma_filter_run(char *args);

/**
 * kma_filter_set() - all criteria at once
 * @text: what kma_filter_run() takes, with `;` between several; is changed
 *
 * Context, return: as kma_filter_run().
 */
int kma_filter_set(char *text);

/* The text for kma_filter_set(), into a page. Context: process; kma_lock is held. */
int kma_filter_text(char *page);

struct seq_file;

/* A line for each criterion. Context: process; kma_lock is held. */
void kma_filter_show(struct seq_file *seq);

/* Count anew which criteria have been set. Context: process; kma_lock is held. */
void kma_filter_reset(void);

/**
 * kma_filter_since() - which criteria were set at any time since the last reset
 * @ever: since load
 *
 * Context: process; kma_lock is held. Return: a bit for each.
 */
u32 kma_filter_since(bool ever);

/* Print the names of criteria. Context: process. */
void kma_filter_show_names(struct seq_file *seq, u32 set);

/* Code may have gone, or come. Context: process; kma_lock is held. */
void kma_filter_forget(void);

/* Forget all about it. Context: process, may sleep; kma_lock is held. */
void kma_filter_stop(void);

/* ---- callsite.c: who wants a block of pages --------------------------------- */

/**
 * kma_callsite_start() - get ready for kma_env_page_site()
 *
 * It is counted how often it was called; the last kma_callsite_stop() ends it.
 * Context: process, may sleep; kma_lock is held. Return: 0 or -ENOMEM.
 */
int kma_callsite_start(void);

/* Undo kma_callsite_start(); nobody asks any more. Context: process, may sleep. */
void kma_callsite_stop(void);

/* Code may have gone, or come to where other code was; or patterns. Context: any. */
void kma_callsite_forget(void);

/* ---- memhotplug.c: the page frames there are ------------------------------------- */

/* Context: process. Return: one more than the highest page frame number. */
u64 kma_memhotplug_end(void);

/**
 * kma_memhotplug_pfns() - how many page frames the map should have
 *
 * Context: process. Return: as there are, rounded up to a power of two.
 */
u64 kma_memhotplug_pfns(void);

/**
 * kma_memhotplug_start() - follow memory that is added or removed
 *
 * Context: process, may sleep; the tables are made, nothing is recorded yet.
 * Return: 0, or an error explained in the log.
 */
int kma_memhotplug_start(void);

/* Undo kma_memhotplug_start(). Context: process, may sleep. */
void kma_memhotplug_stop(void);

/* ---- cacheinfo.c: name and slot size of a struct kmem_cache ------------- */

/**
 * kma_cacheinfo_init() - find out where a kmem_cache keeps name and size
 *
 * Makes two caches of known names and sizes for the purpose.  Where it cannot
 * be sure it settles for the object size, which every kernel tells.
 * Context: process, may sleep. Return: 0 or -ENOMEM.
 */
int kma_cacheinfo_init(void);

/* Context: any. Return: whether sizes and names are the caches' own. */
bool kma_cacheinfo_exact(void);

/* Where in a struct kmem_cache the bytes are that an object takes. */
extern int kma_cacheinfo_bytes_offset;

/* Context: any. Return: whether there is such a place. */
bool kma_cacheinfo_has_bytes(void);

/* Context: any; the cache is in use, there is such a place. Return: these bytes. */
static __always_inline u32 kma_cacheinfo_bytes(unsigned long cache)
{
	return *(u32 *)(cache + kma_cacheinfo_bytes_offset);
}

/* Likewise, of an object that was allocated. */
static __always_inline unsigned long kma_event_bytes(const struct kma_event *ev)
{
	return ev->kmalloc ? ev->cache : kma_cacheinfo_bytes(ev->cache);
}

/* Context: any. Return: whether the ends of caches are seen. */
bool kma_cacheinfo_watched(void);

/* ---- symbol.c: names of call sites -------------------------------------- */

/* Room for any name that kma_symbol_name() makes. */
#define KMA_SYMBOL_LEN	768

/**
 * kma_symbol_start() - keep the names of modules that go away
 *
 * Context: process, may sleep; the tables are made. Return: 0, or an error explained
 * in the log.
 */
int kma_symbol_start(void);

/* Undo kma_symbol_start(). Context: process, may sleep. */
void kma_symbol_stop(void);

/**
 * kma_symbol_print() - the name of a return address
 * @site: the address, or a mark in place of one
 * @buf: room for the result, `symbol+0xoff [module]`, never an address
 *
 * Context: any that may look up symbols.
 */
void kma_symbol_print(unsigned long site, char buf[KMA_SYMBOL_LEN]);

/* The same for blocks, while pages are tracked. Context: as above; kma_lock is held. */
int kma_symbol_pages_start(void);
void kma_symbol_pages_stop(void);

/**
 * kma_symbol_name() - the name of a row's call site
 * @t: the table that has it, of kma_core or kma_pagealloc
 * @id: the row, in use
 * @buf: room for the result, `symbol+0xoff [module]`, never an address
 *
 * Context: process; kma_lock is held.
 */
void kma_symbol_name(const struct kma_sitetab *t, u32 id, char buf[KMA_SYMBOL_LEN]);

/* Room for any stack that kma_symbol_stack() makes. */
#define KMA_STACK_LEN	(KMA_FRAMES_MAX * (KMA_SYMBOL_LEN + 1))

/**
 * kma_symbol_stack() - the names of all frames of a row's stack
 * @t: as above
 * @id: the row, in use
 * @buf: room for the result: the outermost first, `;` between them; if there is no
 *	stack, the call site
 *
 * Context: process; kma_lock is held.
 */
void kma_symbol_stack(const struct kma_sitetab *t, u32 id, char buf[KMA_STACK_LEN]);

/* ---- control.c: the settings -------------------------------------------- */

/*
 * kma_lock protects everything that is set at run time: whether allocations
 * are recorded, the base that `reset` makes, sort orders, the last error, and
 * the names of retired call sites.  Probes know nothing of it.
 */
extern struct mutex kma_lock;

/**
 * struct kma_base - what sums are counted from
 * @row: sums of each row at the last reset; NULL if there was none
 * @block: those of rows of blocks; NULL if pages were not tracked then
 * @stats: the module's counters then
 * @ns: boot time then, or at load, in nanoseconds
 */
struct kma_base {
	struct kma_row *row;
	struct kma_row *block;
	struct kma_stats stats;
	u64 ns;
};

extern struct kma_base kma_base;

/**
 * kma_refuse() - say why something cannot be set
 * @fmt: as for printk(), of one line that says what to do
 *
 * Context: process; kma_lock is held. Return: -EINVAL.
 */
__printf(1, 2) int kma_refuse(const char *fmt, ...);

/**
 * kma_control_shows() - whether a value can be shown in a line, and between others
 * @text: the value
 * @size: room for it, its NUL included
 * @blanks: it may have some
 *
 * Context: any. Return: true for printable ASCII without `;` that fits and is not empty.
 */
bool kma_control_shows(const char *text, size_t size, bool blanks);

/**
 * kma_control_start() - settings as configured
 *
 * Context: process, may sleep; kma_config is set, nothing is recorded yet.
 * Return: 0, or an error that has been explained in the log.
 */
int kma_control_start(void);

/* Stop recording. Context: process, may sleep. */
void kma_control_stop(void);

/**
 * kma_control_sweep() - remove what is left on pages that were freed
 *
 * To be called before counters are read: what is stale counts as live.
 * Context: process, may sleep; kma_lock is held.
 */
void kma_control_sweep(void);

/* Free what `reset` keeps of blocks of pages. Context: process; kma_lock is held. */
void kma_control_forget_pages(void);

/* Free what `reset` keeps; nobody reads tables any more. Context: process. */
void kma_control_forget(void);

/**
 * kma_control_enable() - start or stop recording allocations
 * @on: start
 *
 * Context: process, may sleep.
 */
void kma_control_enable(bool on);

/* Context: any. Return: whether allocations are recorded. */
bool kma_control_enabled(void);

/**
 * kma_control_budget() - how much the module may take while objects are sampled
 * @pct: see kma_overhead_set_budget()
 *
 * Context: process, may sleep.
 */
void kma_control_budget(unsigned int pct);

/**
 * kma_control_sample() - sample, or record everything
 * @bytes: see kma_sampling_set()
 *
 * Context: process, may sleep. Return: 0 or -EOPNOTSUPP.
 */
int kma_control_sample(u64 bytes);

/**
 * kma_control_pages() - as kma_pages_set()
 * @mode: how
 *
 * Context: process, may sleep. Return: 0, or an error, and then nothing has changed.
 */
int kma_control_pages(enum kma_pages_mode mode);

/* As kma_acct_set(). Context: process, may sleep. */
int kma_control_account(unsigned long by);

/* As kma_pages_sample(). Context: process, may sleep. */
void kma_control_page_sample(u64 bytes);

/**
 * kma_control_filter() - as kma_filter_set()
 * @text: NULL: none
 *
 * Context: process, may sleep. Return: 0, or an error that has been explained in the
 * log, and then nothing has changed.
 */
int kma_control_filter(const char *text);

/* Likewise, as kma_skip_set(). */
int kma_control_skip(const char *text);

/* As kma_filter_text() and kma_skip_text(). Context: process, may sleep. */
int kma_control_filter_text(char *page);
int kma_control_skip_text(char *page);

/**
 * kma_control_run() - do what a line written to `control` says
 * @line: the command; is changed
 *
 * Context: process, may sleep. Return: 0 or an error, -EINVAL where the line
 * was not understood; then nothing was changed and the reason is kept.
 */
int kma_control_run(char *line);

extern const struct file_operations kma_control_fops;

/* ---- report/: the tables ------------------------------------------------- */

/* Make the files. Context: process. Return: 0 or -ENOMEM, and then none. */
int kma_report_start(void);

/* Undo kma_report_start(); nobody reads them after. Context: process. */
void kma_report_stop(void);

#endif /* KMA_KMEMACCT_H */
