// SPDX-License-Identifier: GPL-2.0
/*
 * Phases of reclaim with a clock of the test's own: own times, phases whose beginning or end is
 * not seen, slots that are full; and the log of slow phases.
 *
 *   stall [SEED]
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "seeded.h"
#include "../../../module/core/countmap.h"
#include "../../../module/core/slowlog.h"
#include "../../../module/core/stall.h"

#define KMA_TASK	0xffff888001234000UL
#define KMA_STACK	0xffffc90000100000UL
#define KMA_TOP		(KMA_STACK + 0x4000)

static struct kma_stalls kma_stalls;
static struct kma_stall_time kma_now;

static void kma_reset(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu(kma_stats, cpu).v, 0, sizeof(kma_stats.v));
	kma_env_bytes = 0;
}

static void kma_setup(void)
{
	kma_reset();
	kma_expect(!kma_stalls_init(&kma_stalls, 2));
	kma_now = (struct kma_stall_time) { 1000000, 5000 };
}

static u32 kma_slots(void)
{
	return kma_stalls.sets * KMA_STALLS_SET;
}

/* The number of tasks whose slot is not in their home set, by the counters of the sets. */
static u32 kma_spilled(void)
{
	u32 i, nr = 0;

	for (i = 0; i < kma_stalls.sets; i++) {
		nr += (u32)atomic64_read(&kma_stalls.set[i].spilled);
		kma_expect(!(u32)atomic64_read(&kma_stalls.set[i].spilled) ==
			   !atomic64_read(&kma_stalls.set[i].spilled));
	}
	return nr;
}

static void kma_teardown(void)
{
	kma_expect(!kma_stalls_used(&kma_stalls) && !kma_spilled());
	kma_stalls_destroy(&kma_stalls);
}

static u64 kma_lost(enum kma_stat stat)
{
	struct kma_stats sum;

	kma_stats_sum(&sum);
	return sum.v[stat];
}

#define kma_counted(name) kma_lost(KMA_STAT_##name)

static struct kma_stall_task kma_who(u32 down)
{
	return (struct kma_stall_task) {
		.task = KMA_TASK, .stack = KMA_STACK, .pid = 42, .sp = KMA_TOP - down,
	};
}

/* Begin a phase @down bytes below the top of the stack, after @after ns. */
static struct kma_stall *kma_begin(enum kma_phase phase, u32 down, u64 after)
{
	const struct kma_stall_task who = kma_who(down);

	kma_now.ns += after;
	return kma_stall_begin(&kma_stalls, &who, phase, &kma_now);
}

static struct kma_stall_end kma_end(enum kma_phase phase, u64 after)
{
	struct kma_stall_end end = {};
	struct kma_stall *s;

	kma_now.ns += after;
	s = kma_stall_end(&kma_stalls, KMA_TASK, phase, &kma_now, &end);
	if (s)
		kma_stall_leave(&kma_stalls, s);
	return end;
}

static bool kma_is(const struct kma_stall_end *end, enum kma_phase phase, u64 ns, u64 own)
{
	return end->frame.phase == phase && end->ns == ns && end->own == own && !end->cpu;
}

/* A phase without a beginning of its own.  Return: its time. */
static u64 kma_spend(struct kma_stall *s, u64 ns)
{
	struct kma_stall_end end = {
		.frame = {
			.phase = KMA_PHASE_THROTTLED, .cause = KMA_PHASE_THROTTLED, .nr = 1,
			.detail = 2,
		},
	};

	kma_stall_spend(s, &end, ns, &kma_now);
	kma_expect(end.ns == end.own + end.cpu);
	return end.ns;
}

/* ---- own times ------------------------------------------------------------------ */

/* A shrinker in direct reclaim in an allocation: own times add up to the outermost time. */
static void kma_times_are_exclusive(void)
{
	struct kma_stall_end shrinker, direct, alloc;
	struct kma_stall *s;

	kma_setup();
	s = kma_begin(KMA_PHASE_SLOW_PATH, 100, 0);
	kma_expect(s && s->depth == 1 && s->order == KMA_ORDER_NONE && !s->site);
	kma_expect(kma_begin(KMA_PHASE_DIRECT, 900, 10) == s && s->depth == 2);
	kma_expect(kma_begin(KMA_PHASE_SHRINKER, 1700, 100) == s);
	s->frame[2].detail = 7;
	shrinker = kma_end(KMA_PHASE_SHRINKER, 1000);
	kma_expect(kma_is(&shrinker, KMA_PHASE_SHRINKER, 1000, 1000) && !shrinker.outermost);
	kma_begin(KMA_PHASE_SHRINKER, 1700, 20);
	s->frame[2].detail = 7;
	shrinker = kma_end(KMA_PHASE_SHRINKER, 3000);
	direct = kma_end(KMA_PHASE_DIRECT, 5);
	kma_expect(kma_is(&direct, KMA_PHASE_DIRECT, 4125, 125) && !direct.outermost);
	kma_now.ns += 3;
	kma_expect(kma_stall_of(&kma_stalls, KMA_TASK) == s && s->nr_parts == 2);
	kma_expect(s->part[0].phase == KMA_PHASE_SHRINKER && s->part[0].detail == 7);
	kma_expect(s->part[0].ns == 4000 && s->part[0].nr == 2 && s->part[1].ns == 125);
	alloc = kma_end(KMA_PHASE_SLOW_PATH, 0);
	kma_expect(kma_is(&alloc, KMA_PHASE_SLOW_PATH, 4138, 13) && alloc.outermost);
	kma_expect(!kma_stall_of(&kma_stalls, KMA_TASK));
	kma_expect(!kma_counted(stall_ends_lost) && !kma_counted(stall_begins_lost));
	kma_teardown();
}

/* Some time passes; for some of it, the task waits for a CPU.  Return: how long it waits. */
static u64 kma_pass(void)
{
	const u64 ns = kma_below(1000), cpu = kma_below(3) ? 0 : kma_below(ns + 1);

	kma_now.ns += ns;
	kma_now.cpu_ns += cpu;
	return cpu;
}

/* A random tree of phases, down to a depth.  The own time of KMA_PHASE_CPU is that of waiting. */
static u64 kma_tree(u32 depth, u64 own[KMA_PHASE_NR], bool top)
{
	const enum kma_phase phase = KMA_PHASE_SHRINK_NODE + kma_below(4);
	const u64 start = kma_now.ns;
	u64 inner = 0, cpu = 0, ns;
	struct kma_stall_end end;

	kma_begin(phase, 100 + 800 * depth, 0);
	do {
		cpu += kma_pass();
		if (depth < KMA_STALL_DEPTH - 1 && kma_below(3))
			inner += kma_tree(depth + 1, own, false);
	} while (kma_below(2));
	cpu += kma_pass();
	end = kma_end(phase, 0);
	ns = kma_now.ns - start;
	kma_expect(end.frame.phase == phase && end.ns == ns && end.outermost == top);
	kma_expect(end.own == ns - inner - cpu && end.cpu == cpu);
	own[phase] += end.own;
	own[KMA_PHASE_CPU] += cpu;
	return ns;
}

static void kma_times_add_up(void)
{
	u64 own[KMA_PHASE_NR], sum, ns;
	struct kma_stall s;
	u32 i, k;

	kma_setup();
	for (i = 0; i < 20000; i++) {
		memset(own, 0, sizeof(own));
		ns = kma_tree(0, own, true);
		/* Nothing has used the slot since. */
		for (k = 0; k < kma_slots() && kma_stalls.slot[k].stack != KMA_STACK; k++)
			;
		s = kma_stalls.slot[k];
		for (sum = 0, k = 0; k < s.nr_parts; k++) {
			sum += s.part[k].ns;
			kma_expect(s.part[k].ns == own[s.part[k].phase]);
		}
		kma_expect(sum == ns);
	}
	kma_expect(!kma_counted(stall_ends_lost) && !kma_counted(stall_begins_lost) &&
		   !kma_counted(stall_too_deep));
	kma_teardown();
}

/* A task that is ready to run waits for a CPU: this is not the own time of a phase. */
static void kma_times_without_a_cpu(void)
{
	struct kma_stall_end shrinker, direct;
	struct kma_stall *s;

	kma_setup();
	s = kma_begin(KMA_PHASE_DIRECT, 100, 0);
	kma_now.cpu_ns += 300;
	kma_begin(KMA_PHASE_SHRINKER, 900, 1000);
	kma_now.cpu_ns += 40;
	shrinker = kma_end(KMA_PHASE_SHRINKER, 100);
	kma_expect(shrinker.ns == 100 && shrinker.own == 60 && shrinker.cpu == 40);
	kma_now.cpu_ns += 7;
	direct = kma_end(KMA_PHASE_DIRECT, 10);
	kma_expect(direct.ns == 1110 && direct.own == 703 && direct.cpu == 307);
	kma_expect(s->nr_parts == 3 && s->part[1].phase == KMA_PHASE_CPU);
	kma_expect(s->part[1].ns == 347 && s->part[1].nr == 2);
	kma_expect(s->part[0].ns == 60 && s->part[2].ns == 703);
	/* A task that was throttled waits for a CPU when it wakes. */
	s = kma_begin(KMA_PHASE_DIRECT, 100, 0);
	kma_now.ns += 5 + 10 + 80;
	kma_now.cpu_ns += 80;
	kma_expect(kma_spend(s, 90) == 90);
	kma_now.ns += 20;
	kma_expect(kma_spend(s, 10) == 10);
	direct = kma_end(KMA_PHASE_DIRECT, 5);
	kma_expect(direct.ns == 120 && direct.own == 20 && !direct.cpu);
	kma_expect(s->part[0].phase == KMA_PHASE_THROTTLED && s->part[0].ns == 20);
	kma_expect(s->part[1].phase == KMA_PHASE_CPU && s->part[1].ns == 80);
	/* A wait for a CPU in a phase two levels down does not count for the outermost phase. */
	kma_begin(KMA_PHASE_DIRECT, 100, 0);
	kma_begin(KMA_PHASE_SLAB, 900, 0);
	kma_begin(KMA_PHASE_SHRINKER, 1700, 0);
	kma_now.cpu_ns += 30;
	kma_end(KMA_PHASE_SHRINKER, 50);
	kma_end(KMA_PHASE_SLAB, 100);
	direct = kma_end(KMA_PHASE_DIRECT, 200);
	kma_expect(direct.ns == 350 && direct.own == 200 && !direct.cpu);
	/*
	 * The scheduler's clock is another one, and may show a longer time than the clock of
	 * phases.
	 */
	kma_begin(KMA_PHASE_DIRECT, 100, 0);
	kma_now.cpu_ns += 101;
	direct = kma_end(KMA_PHASE_DIRECT, 100);
	kma_expect(direct.ns == 100 && !direct.own && direct.cpu == 100);
	kma_teardown();
}

/* A phase of which only the end is known, and time that recording took. */
static void kma_times_without_a_beginning(void)
{
	struct kma_stall_time before;
	struct kma_stall_end end;
	struct kma_stall *s;

	kma_setup();
	s = kma_begin(KMA_PHASE_DIRECT, 100, 0);
	kma_now.ns += 700;
	kma_expect(kma_spend(s, 500) == 500);
	before = kma_now;
	kma_now.ns += 50;
	kma_now.cpu_ns += 20;
	kma_stall_skip(s, &before, &kma_now);
	end = kma_end(KMA_PHASE_DIRECT, 10);
	kma_expect(kma_is(&end, KMA_PHASE_DIRECT, 710, 210));
	kma_expect(s->nr_parts == 2 && s->part[0].phase == KMA_PHASE_THROTTLED);
	kma_expect(s->part[0].ns == 500 && s->part[0].detail == 2 && s->part[1].ns == 210);
	/* A time in ticks may be longer than the time since the end of the previous phase. */
	s = kma_begin(KMA_PHASE_DIRECT, 100, 0);
	kma_begin(KMA_PHASE_SHRINKER, 900, 30);
	kma_end(KMA_PHASE_SHRINKER, 200);
	kma_now.ns += 100;
	kma_expect(kma_spend(s, 500) == 130);
	kma_expect(!kma_spend(s, 500));
	end = kma_end(KMA_PHASE_DIRECT, 7);
	kma_expect(kma_is(&end, KMA_PHASE_DIRECT, 337, 7) && s->part[1].ns == 130);
	kma_expect(!kma_spend(s, 500));
	/* The clock went back: no time is negative. */
	kma_begin(KMA_PHASE_DIRECT, 100, 0);
	kma_now.ns -= 1000;
	end = kma_end(KMA_PHASE_DIRECT, 0);
	kma_expect(kma_is(&end, KMA_PHASE_DIRECT, 0, 0));
	kma_teardown();
}

/* Pages are counted in the phase that scans them, and in those around it. */
static void kma_pages_add_up(void)
{
	struct kma_stall_end end;
	struct kma_stall *s;

	kma_setup();
	s = kma_begin(KMA_PHASE_DIRECT, 100, 0);
	kma_begin(KMA_PHASE_LRU, 900, 0);
	s->frame[1].scanned = 32;
	s->frame[1].reclaimed = 30;
	end = kma_end(KMA_PHASE_LRU, 1);
	kma_expect(end.frame.scanned == 32 && end.frame.reclaimed == 30);
	s->frame[0].scanned += 8;
	end = kma_end(KMA_PHASE_DIRECT, 1);
	kma_expect(end.frame.scanned == 40 && end.frame.reclaimed == 30);
	kma_teardown();
}

static void kma_parts_overflow(void)
{
	struct kma_stall *s;
	u64 sum = 0;
	u32 i;

	kma_setup();
	s = kma_begin(KMA_PHASE_DIRECT, 100, 0);
	for (i = 0; i < 20; i++)
		kma_stall_add(s, KMA_PHASE_SHRINKER, i, 100 + i, 1);
	kma_stall_add(s, KMA_PHASE_SHRINKER, 3, 1, 1);
	for (i = 0; i < s->nr_parts; i++)
		sum += s->part[i].ns;
	kma_expect(s->nr_parts == KMA_STALL_PARTS && sum == 20 * 100 + 190 + 1);
	kma_expect(s->part[3].ns == 104 && s->part[3].nr == 2);
	kma_expect(s->part[KMA_STALL_PARTS - 1].phase == KMA_PHASE_NONE);
	kma_expect(s->part[KMA_STALL_PARTS - 1].nr == 13);
	kma_end(KMA_PHASE_DIRECT, 0);
	kma_teardown();
}

/* ---- beginnings and ends that are not seen ---------------------------------------- */

static void kma_ends_without_beginnings(void)
{
	struct kma_stall_end end;

	kma_setup();
	kma_end(KMA_PHASE_DIRECT, 0);
	kma_expect(kma_counted(stall_begins_lost) == 1);
	/* The beginning of the phase inside was not seen: the one around it goes on. */
	kma_begin(KMA_PHASE_DIRECT, 100, 0);
	kma_end(KMA_PHASE_SHRINKER, 10);
	kma_expect(kma_counted(stall_begins_lost) == 2);
	end = kma_end(KMA_PHASE_DIRECT, 10);
	kma_expect(kma_is(&end, KMA_PHASE_DIRECT, 20, 20));
	kma_teardown();
}

static void kma_lost_ends_of_inner_phases(void)
{
	struct kma_stall_end end;
	struct kma_stall *s;

	kma_setup();
	/* The end of the phase around it shows that its own end was not seen. */
	kma_begin(KMA_PHASE_DIRECT, 100, 0);
	kma_begin(KMA_PHASE_LRU, 900, 10);
	kma_begin(KMA_PHASE_LRU_ACTIVE, 1700, 10);
	end = kma_end(KMA_PHASE_DIRECT, 10);
	kma_expect(kma_is(&end, KMA_PHASE_DIRECT, 30, 30) && kma_counted(stall_ends_lost) == 2);
	/* Pages that were counted in these phases are added to the phase around them. */
	kma_begin(KMA_PHASE_DIRECT, 100, 0);
	s = kma_begin(KMA_PHASE_LRU, 900, 10);
	kma_begin(KMA_PHASE_SLAB, 1700, 10);
	s->frame[2].scanned = 3;
	s->frame[2].reclaimed = 2;
	kma_begin(KMA_PHASE_SHRINKER, 2500, 10);
	kma_now.cpu_ns += 60;
	kma_end(KMA_PHASE_SHRINKER, 1000);
	end = kma_end(KMA_PHASE_DIRECT, 10);
	kma_expect(kma_is(&end, KMA_PHASE_DIRECT, 1040, 40) && kma_counted(stall_ends_lost) == 4);
	kma_expect(end.frame.scanned == 3 && end.frame.reclaimed == 2);
	/*
	 * A phase of the same kind at the same place of the stack shows that the end was not seen.
	 */
	kma_begin(KMA_PHASE_DIRECT, 100, 0);
	kma_begin(KMA_PHASE_LRU, 900, 10);
	s = kma_begin(KMA_PHASE_LRU, 900, 10);
	kma_expect(s->depth == 2 && kma_counted(stall_ends_lost) == 5);
	/* A phase of another kind at the same place begins inside the first one. */
	kma_begin(KMA_PHASE_LRU_ACTIVE, 900, 0);
	kma_expect(s->depth == 3);
	kma_end(KMA_PHASE_LRU_ACTIVE, 0);
	end = kma_end(KMA_PHASE_LRU, 5);
	kma_expect(kma_is(&end, KMA_PHASE_LRU, 5, 5));
	end = kma_end(KMA_PHASE_DIRECT, 0);
	kma_expect(kma_is(&end, KMA_PHASE_DIRECT, 25, 20));
	kma_teardown();
}

/* The outermost phase has no end: the stack pointer of the task's next phase shows this. */
static void kma_lost_ends_of_outermost_phases(void)
{
	struct kma_stall *s;

	kma_setup();
	s = kma_begin(KMA_PHASE_SLOW_PATH, 2000, 0);
	s->site = 1;
	/* The stack pointer is clearly above that of the outermost phase: a new stall begins. */
	s = kma_begin(KMA_PHASE_DIRECT, 1000, 0);
	kma_expect(s->depth == 1 && !s->site && !s->nr_parts);
	kma_expect(kma_counted(stall_ends_lost) == 1);
	kma_end(KMA_PHASE_DIRECT, 0);
	/*
	 * The probe's stack pointer may be a little below that of a function that is called later.
	 */
	kma_begin(KMA_PHASE_DIRECT, 1000, 0);
	s = kma_begin(KMA_PHASE_SHRINK_NODE, 900, 0);
	kma_expect(s->depth == 2 && kma_counted(stall_ends_lost) == 1);
	kma_end(KMA_PHASE_SHRINK_NODE, 0);
	kma_end(KMA_PHASE_DIRECT, 0);
	kma_teardown();
}

static void kma_tasks_die(void)
{
	struct kma_stall_task who = kma_who(100);
	struct kma_stall *s;

	kma_setup();
	kma_begin(KMA_PHASE_SLOW_PATH, 100, 0);
	/* A new task has the same task_struct, and its stack pointer is lower. */
	who.pid = 43;
	who.sp -= 4000;
	s = kma_stall_begin(&kma_stalls, &who, KMA_PHASE_DIRECT, &kma_now);
	kma_expect(s->depth == 1 && s->pid == 43 && kma_counted(stall_ends_lost) == 1);
	/* A new task with the same task_struct has another stack. */
	who.stack += 0x8000;
	s = kma_stall_begin(&kma_stalls, &who, KMA_PHASE_DIRECT, &kma_now);
	kma_expect(s->depth == 1 && s->stack == who.stack && kma_counted(stall_ends_lost) == 2);
	kma_end(KMA_PHASE_DIRECT, 0);
	kma_teardown();
}

/* kswapd may wake twice without sleeping, and kcompactd may sleep twice without waking. */
static void kma_background(void)
{
	struct kma_stall_end end;

	kma_setup();
	kma_end(KMA_PHASE_KCOMPACTD, 0);
	kma_expect(!kma_counted(stall_begins_lost));
	kma_expect(kma_begin(KMA_PHASE_KSWAPD, 100, 0));
	kma_begin(KMA_PHASE_SHRINK_NODE, 900, 100);
	kma_end(KMA_PHASE_SHRINK_NODE, 50);
	kma_expect(!kma_begin(KMA_PHASE_KSWAPD, 100, 10));
	end = kma_end(KMA_PHASE_KSWAPD, 5);
	kma_expect(kma_is(&end, KMA_PHASE_KSWAPD, 165, 115));
	kma_end(KMA_PHASE_KSWAPD, 0);
	kma_expect(!kma_counted(stall_ends_lost) && !kma_counted(stall_begins_lost));
	kma_teardown();
}

/* ---- limits ---------------------------------------------------------------------------- */

static void kma_too_deep(void)
{
	struct kma_stall_end end;
	u32 i;

	kma_setup();
	for (i = 0; i < KMA_STALL_DEPTH + 3; i++)
		kma_expect(!!kma_begin(KMA_PHASE_LRU, 100 + 800 * i, 10) == (i < KMA_STALL_DEPTH));
	/* No end will be seen of throttling. */
	kma_expect(!kma_begin(KMA_PHASE_DIRECT_THROTTLED, 100 + 800 * i, 0));
	kma_expect(kma_counted(stall_too_deep) == 4);
	for (i = 0; i < 3; i++) {
		end = kma_end(KMA_PHASE_LRU, 1);
		kma_expect(!end.ns);
	}
	end = kma_end(KMA_PHASE_LRU, 1);
	kma_expect(kma_is(&end, KMA_PHASE_LRU, 34, 34));
	for (i = 1; i < KMA_STALL_DEPTH; i++)
		end = kma_end(KMA_PHASE_LRU, 0);
	kma_expect(end.outermost && !kma_counted(stall_ends_lost));
	kma_teardown();
}

/* Tasks, as their task_structs lie in slabs: at random, but never two at the same place. */
static void kma_make_tasks(unsigned long *task, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		task[i] = KMA_TASK + 0x2540UL / 64 * 64 * (kma_below(1000) * nr + i);
}

static struct kma_stall *kma_begin_of(unsigned long task, u32 pid, enum kma_phase phase)
{
	const struct kma_stall_task who = {
		.task = task, .stack = KMA_STACK, .pid = pid, .sp = KMA_TOP - 100,
	};

	return kma_stall_begin(&kma_stalls, &who, phase, &kma_now);
}

/* Return: whether the slot of a task had the beginning of the phase. */
static bool kma_end_of(unsigned long task, enum kma_phase phase)
{
	struct kma_stall_end end;
	struct kma_stall *s = kma_stall_end(&kma_stalls, task, phase, &kma_now, &end);

	if (s)
		kma_stall_leave(&kma_stalls, s);
	return s;
}

/* @nr tasks wait at the same time, and many times one of them ends and begins again. */
static void kma_wait_at_once(u32 nr)
{
	unsigned long task[2000];
	struct kma_stall *s;
	u32 i, k;

	kma_make_tasks(task, nr);
	for (i = 0; i < nr; i++) {
		s = kma_begin_of(task[i], i, KMA_PHASE_DIRECT);
		kma_expect(s && s->depth == 1 && kma_stall_of(&kma_stalls, task[i]) == s);
	}
	kma_expect(kma_stalls_used(&kma_stalls) == nr);
	for (i = 0; i < 20000; i++) {
		k = kma_below(nr);
		kma_expect(kma_end_of(task[k], KMA_PHASE_DIRECT));
		kma_expect(!kma_stall_of(&kma_stalls, task[k]));
		kma_expect(kma_begin_of(task[k], k, KMA_PHASE_DIRECT));
	}
	for (i = 0; i < nr; i++)
		kma_expect(kma_end_of(task[i], KMA_PHASE_DIRECT));
	kma_expect(!kma_stalls_used(&kma_stalls) && !kma_spilled());
}

static void kma_many_tasks_wait(void)
{
	u32 i;

	kma_setup();
	kma_expect(kma_slots() == 1120);
	for (i = 0; i < 20; i++)
		kma_wait_at_once(512);
	for (i = 0; i < 20; i++)
		kma_wait_at_once(1000);
	kma_expect(!kma_counted(stall_no_slot) && !kma_counted(stall_begins_lost));
	kma_teardown();
	/* A machine with more CPUs has more slots. */
	kma_reset();
	kma_expect(!kma_stalls_init(&kma_stalls, 64));
	kma_expect(kma_slots() == 64 * KMA_STALLS_SETS_PER_CPU * KMA_STALLS_SET);
	kma_wait_at_once(kma_slots() / 10 * 9);
	kma_expect(!kma_counted(stall_no_slot));
	kma_teardown();
}

/* Few of many tasks lie outside their home set, so few read more than one cache line. */
static void kma_tasks_stay_at_home(void)
{
	unsigned long task[512];
	u32 i, round, all = 0;

	kma_setup();
	for (round = 0; round < 100; round++) {
		kma_make_tasks(task, ARRAY_SIZE(task));
		for (i = 0; i < ARRAY_SIZE(task); i++)
			kma_begin_of(task[i], i, KMA_PHASE_DIRECT);
		all += kma_spilled();
		for (i = 0; i < ARRAY_SIZE(task); i++)
			kma_end_of(task[i], KMA_PHASE_DIRECT);
	}
	/* With random hashes, 1.1 % of the tasks are outside their home set. */
	kma_expect(all > 300 && all < 100 * 512 * 2 / 100);
	kma_teardown();
}

/* More tasks than slots; a slot that is released is used again. */
static void kma_slots_run_out(void)
{
	unsigned long task[2000];
	u32 i, got = 0;

	kma_setup();
	kma_make_tasks(task, ARRAY_SIZE(task));
	for (i = 0; i < ARRAY_SIZE(task); i++)
		got += !!kma_begin_of(task[i], i, KMA_PHASE_DIRECT);
	kma_expect(got > kma_slots() / 100 * 98 && kma_stalls_used(&kma_stalls) == got);
	kma_expect(kma_counted(stall_no_slot) == ARRAY_SIZE(task) - got);
	/* The end of a background phase would not be counted, so the beginning is. */
	kma_expect(!kma_begin_of(task[i - 1], i, KMA_PHASE_KSWAPD));
	kma_expect(kma_counted(stall_begins_lost) == 1);
	for (i = 0; i < ARRAY_SIZE(task); i++)
		got -= kma_end_of(task[i], KMA_PHASE_DIRECT);
	/* Each phase without a slot is counted as lost once. */
	kma_expect(!got && kma_counted(stall_begins_lost) == kma_counted(stall_no_slot));
	/* Phases that tasks are in when counting ends */
	kma_begin(KMA_PHASE_DIRECT, 100, 0);
	kma_begin(KMA_PHASE_LRU, 900, 0);
	kma_stalls_clear(&kma_stalls);
	kma_expect(kma_counted(stall_ends_lost) == 2 && !kma_stall_of(&kma_stalls, KMA_TASK));
	kma_teardown();
}

/* ---- tasks that exit -------------------------------------------------------------------- */

/* Tasks whose number is a multiple of three have exited.  A task has the number of its place. */
static unsigned long *kma_exits_task;

static bool kma_has_exited(unsigned long task, u32 pid)
{
	kma_expect(kma_exits_task[pid] == task);
	return pid % 3 == 0;
}

static bool kma_all_have_exited(unsigned long task, u32 pid)
{
	return task && pid <= 2000;
}

static bool kma_none_has_exited(unsigned long task, u32 pid)
{
	return !kma_all_have_exited(task, pid);
}

static int kma_waits;

static void kma_wait_counted(void)
{
	kma_waits++;
}

static void kma_tasks_exit(void)
{
	unsigned long task[1000];
	u32 i, nr = 0;

	kma_setup();
	kma_make_tasks(task, ARRAY_SIZE(task));
	kma_exits_task = task;
	kma_waits = 0;
	kma_env_wait = kma_wait_counted;
	for (i = 0; i < ARRAY_SIZE(task); i++) {
		kma_begin_of(task[i], i, KMA_PHASE_DIRECT);
		nr += i % 3 == 0;
	}
	kma_expect(kma_spilled() > 100);
	kma_stalls_sweep(&kma_stalls, kma_none_has_exited);
	kma_expect(!kma_waits && kma_stalls_used(&kma_stalls) == ARRAY_SIZE(task));
	kma_stalls_sweep(&kma_stalls, kma_has_exited);
	kma_expect(kma_waits == 1 && kma_stalls_used(&kma_stalls) == ARRAY_SIZE(task) - nr);
	kma_expect(kma_counted(stall_ends_lost) == nr);
	/* New tasks get their slots, and the others have kept theirs. */
	for (i = 0; i < ARRAY_SIZE(task); i += 3) {
		task[i] += 64;
		kma_expect(kma_begin_of(task[i], i, KMA_PHASE_DIRECT));
	}
	for (i = 0; i < ARRAY_SIZE(task); i++)
		kma_expect(kma_end_of(task[i], KMA_PHASE_DIRECT));
	kma_expect(!kma_spilled());
	kma_stalls_clear(&kma_stalls);
	kma_expect(!kma_counted(stall_no_slot) && kma_counted(stall_ends_lost) == nr);
	kma_env_wait = NULL;
	kma_teardown();
}

/* A probe of a task that exits goes on with the slot that it had found before the sweep. */
static struct kma_stall *kma_late;

static void kma_wait_for_late_probe(void)
{
	/* The task does not find its slot any more, and gets another one. */
	kma_expect(!kma_stall_of(&kma_stalls, KMA_TASK));
	kma_expect(kma_begin(KMA_PHASE_SLOW_PATH, 100, 0) != kma_late);
	kma_end(KMA_PHASE_SLOW_PATH, 0);
	/* This probe ends the phase.  Another task claims the slot at once. */
	kma_late->depth = 0;
	kma_stall_leave(&kma_stalls, kma_late);
	kma_expect(kma_begin_of(KMA_TASK + 64, 43, KMA_PHASE_DIRECT));
	kma_expect(kma_begin_of(KMA_TASK, 42, KMA_PHASE_SLOW_PATH) == kma_late);
}

static void kma_tasks_exit_in_a_probe(void)
{
	kma_setup();
	kma_late = kma_begin(KMA_PHASE_DIRECT, 100, 0);
	kma_env_wait = kma_wait_for_late_probe;
	kma_stalls_sweep(&kma_stalls, kma_all_have_exited);
	kma_env_wait = NULL;
	kma_expect(!kma_counted(stall_ends_lost) && kma_stalls_used(&kma_stalls) == 2);
	kma_expect(kma_late->depth == 1 && kma_end_of(KMA_TASK, KMA_PHASE_SLOW_PATH));
	kma_expect(kma_end_of(KMA_TASK + 64, KMA_PHASE_DIRECT));
	kma_teardown();
}

/* ---- causes ----------------------------------------------------------------------------- */

/* The own time of a phase counts for its cause, which the caller may change. */
static void kma_causes(void)
{
	struct kma_stall_end end;
	struct kma_stall *s;

	kma_setup();
	s = kma_begin(KMA_PHASE_MEMSTALL, 100, 0);
	kma_expect(s->frame[0].cause == KMA_PHASE_MEMSTALL && !kma_stall_has(s, KMA_PHASE_MEMCG));
	s->frame[0].cause = KMA_PHASE_HIGH;
	s->frame[0].nr = 0;
	kma_begin(KMA_PHASE_MEMCG, 300, 5);
	kma_expect(kma_stall_has(s, KMA_PHASE_MEMSTALL) && kma_stall_has(s, KMA_PHASE_MEMCG));
	end = kma_end(KMA_PHASE_MEMCG, 7);
	kma_expect(kma_is(&end, KMA_PHASE_MEMCG, 7, 7) && end.frame.cause == KMA_PHASE_MEMCG);
	end = kma_end(KMA_PHASE_MEMSTALL, 3);
	kma_expect(kma_is(&end, KMA_PHASE_MEMSTALL, 15, 8) && end.frame.cause == KMA_PHASE_HIGH);
	kma_expect(s->nr_parts == 2);
	kma_expect(s->part[0].phase == KMA_PHASE_MEMCG && s->part[0].ns == 7);
	kma_expect(s->part[1].phase == KMA_PHASE_HIGH && s->part[1].ns == 8);
	kma_expect(s->part[0].nr == 1 && s->part[1].nr == 0);
	s = kma_begin(KMA_PHASE_MEMSTALL, 100, 0);
	s->frame[0].nr = 0;
	end = kma_end(KMA_PHASE_MEMSTALL, 5);
	kma_expect(end.frame.nr == 1 && s->part[0].nr == 1);
	kma_teardown();
}

static void kma_starts_whole_or_not(void)
{
	int at;

	kma_reset();
	for (at = 1; ; at++) {
		kma_env_fail_at = at;
		kma_env_bytes = 0;
		if (!kma_stalls_init(&kma_stalls, 100))
			break;
		kma_expect(!kma_stalls.set && !kma_stalls.slot);
	}
	kma_env_fail_at = 0;
	kma_expect(at == 3 && kma_stalls_bytes(100) == kma_env_bytes);
	/* The least number of slots takes little more than 1 MB. */
	kma_expect(kma_stalls_bytes(2) < 1130000);
	kma_stalls_destroy(&kma_stalls);
}

static void kma_buckets(void)
{
	u32 i;

	kma_expect(!kma_latency_bucket(0) && !kma_latency_bucket(1999));
	for (i = 1; i < KMA_LATENCY_BUCKETS; i++) {
		kma_expect(kma_latency_bucket(1000ULL << i) == i);
		kma_expect(kma_latency_bucket((1000ULL << i) - 1) == i - 1);
	}
	kma_expect(kma_latency_bucket(~0ULL) == KMA_LATENCY_BUCKETS - 1);
	for (i = 0; i < KMA_PHASE_NR; i++)
		kma_expect(kma_phase_text(i)[0] && kma_phase_cause(i)[0]);
	kma_expect(!strcmp(kma_phase_text(KMA_PHASE_SHRINKER), "shrinker"));
	kma_expect(!strcmp(kma_phase_cause(KMA_PHASE_COUNT), "counting"));
	kma_expect(!strcmp(kma_stall_origin_text(KMA_STALL_KCOMPACTD), "kcompactd"));
}

/* ---- the log of slow phases ------------------------------------------------------------ */

static void kma_log_keeps_the_last(void)
{
	struct kma_slowlog t;
	struct kma_slow *r, copy;
	u64 nr, i;

	kma_reset();
	kma_expect(!kma_slowlog_init(&t) && !kma_slowlog_head(&t));
	kma_expect(!kma_slowlog_read(&t, 1, &copy));
	for (i = 1; i <= KMA_SLOW_RECORDS + 10; i++) {
		r = kma_slowlog_begin(&t, &nr);
		kma_expect(r && nr == i && !kma_slowlog_read(&t, i, &copy));
		r->ns = 1000 + i;
		kma_slowlog_publish(r, nr);
	}
	kma_expect(kma_slowlog_head(&t) == KMA_SLOW_RECORDS + 10 && !kma_counted(slow_lost));
	for (i = 1; i <= KMA_SLOW_RECORDS + 11; i++) {
		kma_expect(kma_slowlog_read(&t, i, &copy) ==
			   (i > 10 && i <= KMA_SLOW_RECORDS + 10));
		kma_expect(i <= 10 || i > KMA_SLOW_RECORDS + 10 || copy.ns == 1000 + i);
	}
	kma_slowlog_destroy(&t);
}

/* A context is preempted while it writes a record: others do not touch it. */
static void kma_log_has_slow_writers(void)
{
	struct kma_slow *r, *other, copy;
	struct kma_slowlog t;
	u64 nr, first;
	u32 i;

	kma_reset();
	kma_expect(!kma_slowlog_init(&t));
	r = kma_slowlog_begin(&t, &first);
	for (i = 1; i < KMA_SLOW_RECORDS; i++)
		kma_slowlog_publish(kma_slowlog_begin(&t, &nr), nr);
	kma_expect(!kma_slowlog_begin(&t, &nr) && kma_counted(slow_lost) == 1);
	kma_expect(!kma_slowlog_read(&t, first, &copy) && !kma_slowlog_read(&t, nr, &copy));
	r->ns = 5;
	kma_slowlog_publish(r, first);
	kma_expect(kma_slowlog_read(&t, first, &copy) && copy.ns == 5);
	for (i = 1; i < KMA_SLOW_RECORDS; i++)
		kma_slowlog_publish(kma_slowlog_begin(&t, &nr), nr);
	other = kma_slowlog_begin(&t, &nr);
	kma_expect(other == r && !kma_slowlog_read(&t, first, &copy));
	kma_slowlog_publish(other, nr);
	kma_expect(kma_slowlog_read(&t, nr, &copy) && kma_counted(slow_lost) == 1);
	kma_slowlog_destroy(&t);
}

static bool kma_is_gone(const void *arg, unsigned long address)
{
	return address - *(const unsigned long *)arg < 0x1000;
}

/* The addresses of a module that was unloaded are replaced in all records, and no others. */
static void kma_log_forgets_modules(void)
{
	unsigned long at = 0xffffffffc0100000UL;
	struct kma_slow *r, copy;
	struct kma_slowlog t = {};
	u64 nr;
	u32 i;

	kma_reset();
	kma_slowlog_forget(&t, kma_is_gone, &at);
	kma_expect(!kma_slowlog_init(&t));
	for (i = 1; i <= KMA_SLOW_RECORDS; i++) {
		r = kma_slowlog_begin(&t, &nr);
		r->site = i % 2 ? at + i : at + 0x1000 + i;
		r->frame[0] = at - 1;
		r->frame[KMA_SLOW_FRAMES - 1] = at + 0xfff;
		kma_slowlog_publish(r, nr);
	}
	kma_slowlog_forget(&t, kma_is_gone, &at);
	for (i = 1; i <= KMA_SLOW_RECORDS; i++) {
		kma_expect(kma_slowlog_read(&t, i, &copy));
		kma_expect(copy.site == (i % 2 ? KMA_SLOW_UNLOADED : at + 0x1000 + i));
		kma_expect(copy.frame[0] == at - 1 && !copy.frame[1]);
		kma_expect(copy.frame[KMA_SLOW_FRAMES - 1] == KMA_SLOW_UNLOADED);
	}
	kma_slowlog_destroy(&t);
}

/* ---- countmaps whose counters CPUs share ------------------------------------------------- */

static void kma_shared_countmap(void)
{
	struct kma_countmap_info info = { .key = { { 1, 2, 3 } } };
	struct kma_countmap_sum sum = {}, more = { .v = { 1, 2, 3 } };
	/* More CPUs than copies; only the number of the CPU matters. */
	const u32 cpus = 2 * KMA_COUNTMAP_COPIES + 1;
	struct kma_countmap t;
	int at;
	u32 id;

	kma_reset();
	for (at = 1; ; at++) {
		kma_env_fail_at = at;
		kma_env_bytes = 0;
		if (!kma_countmap_init_shared(&t, 10, 3, 1 << 2))
			break;
		kma_expect(!t.slot && !t.info && !t.shared);
	}
	kma_env_fail_at = 0;
	kma_expect(at == 5 && kma_countmap_shared_bytes(10, 3) == kma_env_bytes);
	id = kma_countmap_get(&t, &info);
	kma_expect(id == 1);
	for (kma_env.cpu = 0; kma_env.cpu < cpus; kma_env.cpu++) {
		kma_countmap_add_to(&t, id, 0, 10);
		kma_countmap_add_to(&t, id, 1, kma_env.cpu);
		kma_countmap_raise(&t, id, 2, 100 - kma_env.cpu);
		kma_countmap_raise(&t, id, 2, 7);
		kma_countmap_add_to(&t, KMA_COUNTMAP_OTHER, 0, 1);
	}
	kma_env.cpu = 0;
	kma_countmap_sum(&t, id, &sum);
	kma_expect(sum.v[0] == 10 * cpus && sum.v[2] == 100);
	kma_expect(sum.v[1] == cpus * (cpus - 1) / 2 && !sum.v[3]);
	kma_countmap_merge(t.maxima, &sum, &more);
	kma_expect(sum.v[0] == 10 * cpus + 1 && sum.v[2] == 100);
	more.v[2] = 101;
	kma_countmap_merge(t.maxima, &sum, &more);
	kma_expect(sum.v[2] == 101);
	kma_countmap_clear(&t);
	sum = (struct kma_countmap_sum) {};
	kma_countmap_sum(&t, id, &sum);
	kma_countmap_sum(&t, KMA_COUNTMAP_OTHER, &sum);
	kma_expect(!sum.v[0] && !sum.v[2] && !kma_countmap_info(&t, id));
	kma_countmap_destroy(&t);
}

/* Like the shared countmap, with counters on each CPU. */
static void kma_local_countmap(void)
{
	struct kma_countmap_info info = { .key = { { 1, 2, 3 } } };
	struct kma_countmap_sum sum = {}, other = {};
	struct kma_countmap t;
	u32 id, counter;
	int at;

	kma_reset();
	for (at = 1; ; at++) {
		kma_env_fail_at = at;
		kma_env_bytes = 0;
		if (!kma_countmap_init_local(&t, 128, 29, 1 << 28))
			break;
		kma_expect(!t.slot && !t.info && !t.local);
	}
	kma_env_fail_at = 0;
	kma_expect(at == 5 && kma_countmap_local_bytes(128, KMA_ENV_CPUS) == kma_env_bytes);
	for (id = 1; id < 128; id++, info.key.word[0]++)
		kma_expect(kma_countmap_get(&t, &info) == id);
	for_each_possible_cpu(kma_env.cpu) {
		for (id = 0; id < 128; id++)
			for (counter = 0; counter < 28; counter++)
				kma_countmap_add_to(&t, id, counter, 100 * id + counter);
		kma_countmap_raise(&t, 127, 28, 100 - kma_env.cpu);
		kma_countmap_raise(&t, 127, 28, 7);
	}
	kma_env.cpu = 0;
	for (id = 0; id < 128; id++) {
		sum = (struct kma_countmap_sum) {};
		kma_countmap_sum(&t, id, &sum);
		for (counter = 0; counter < 28; counter++)
			kma_expect(sum.v[counter] == KMA_ENV_CPUS * (100 * id + counter));
		kma_expect(sum.v[28] == (id == 127 ? 100 : 0) && !sum.v[29]);
	}
	kma_countmap_clear(&t);
	kma_countmap_sum(&t, 127, &other);
	kma_expect(!other.v[0] && !other.v[28] && !kma_countmap_info(&t, 127));
	kma_countmap_destroy(&t);
}

static const struct kma_case kma_cases[] = {
	{ "times are exclusive", kma_times_are_exclusive },
	{ "times add up", kma_times_add_up },
	{ "times without a CPU", kma_times_without_a_cpu },
	{ "times without a beginning", kma_times_without_a_beginning },
	{ "pages add up", kma_pages_add_up },
	{ "more parts than there is room for", kma_parts_overflow },
	{ "ends without beginnings", kma_ends_without_beginnings },
	{ "lost ends of inner phases", kma_lost_ends_of_inner_phases },
	{ "lost ends of outermost phases", kma_lost_ends_of_outermost_phases },
	{ "tasks that die", kma_tasks_die },
	{ "threads in the background", kma_background },
	{ "too many phases inside each other", kma_too_deep },
	{ "many tasks wait at once", kma_many_tasks_wait },
	{ "most tasks find a slot at home", kma_tasks_stay_at_home },
	{ "too many tasks", kma_slots_run_out },
	{ "tasks that exit", kma_tasks_exit },
	{ "a task that exits in a probe", kma_tasks_exit_in_a_probe },
	{ "the causes of own times", kma_causes },
	{ "memory runs out at the start", kma_starts_whole_or_not },
	{ "buckets and names", kma_buckets },
	{ "the log keeps the last records", kma_log_keeps_the_last },
	{ "the log has slow writers", kma_log_has_slow_writers },
	{ "the log forgets modules", kma_log_forgets_modules },
	{ "a shared countmap", kma_shared_countmap },
	{ "a countmap like that, on each CPU", kma_local_countmap },
};

int main(int argc, char **argv)
{
	return kma_seeded_run(argc, argv, kma_cases, ARRAY_SIZE(kma_cases));
}
