// SPDX-License-Identifier: GPL-2.0
/*
 * Several threads claim, use and release slots of stalls at the same time, each for tasks of its
 * own, under the thread sanitizer.  Another thread releases the slots of tasks that have exited,
 * and sometimes those of tasks that have not.
 *
 *   slots [SEED]
 */
#include <linux/kernel.h>
#include <pthread.h>
#include <sched.h>

#include "seeded.h"
#include "../../../module/core/stall.h"

/* The least number of events of a thread, and of sweeps. */
#define KMA_EVENTS	20000
#define KMA_SWEEPS	20
#define KMA_STACK	0xffffc90000100000UL

static struct kma_stalls kma_stalls;
static int kma_running;
static u64 kma_sweeps;

/**
 * struct kma_task - a task
 * @who: identifies the task; its thread ID is its number
 * @began: a mark that was left in the slot, if the task is in a phase that got one; otherwise 0
 */
struct kma_task {
	struct kma_stall_task who;
	u64 began;
};

struct kma_worker {
	pthread_t thread;
	struct kma_task *task;
	u32 nr;
	int cpu;
	u64 random;
	u64 passed;		/* events that have ended; at the end, more than any number */
	u64 began;		/* phases that had a slot */
	u64 ended;		/* of these, the ones whose slot was still there at their ends */
	bool wrong;		/* a slot had the data of another task */
};

static struct kma_worker kma_workers[KMA_ENV_CPUS];

static void kma_worker_begin(struct kma_worker *w, struct kma_task *task)
{
	const struct kma_stall_time now = { .ns = w->passed };
	struct kma_stall *s;

	s = kma_stall_begin(&kma_stalls, &task->who, KMA_PHASE_COMPACTION, &now);
	if (!s)
		return;
	w->wrong |= s->depth != 1 || s->pid != task->who.pid;
	w->wrong |= s->order != KMA_ORDER_NONE;
	s->order = task->who.pid % 11;
	w->began++;
	task->began = task->who.pid + ((u64)w->began << 32);
	s->frame[0].arg = task->began;
}

static void kma_worker_end(struct kma_worker *w, struct kma_task *task)
{
	const struct kma_stall_time now = { .ns = w->passed };
	struct kma_stall_end end;
	struct kma_stall *s = kma_stall_end(&kma_stalls, task->who.task, KMA_PHASE_COMPACTION, &now,
					    &end);

	if (s) {
		w->wrong |= end.frame.arg != task->began || !end.outermost;
		w->ended++;
		kma_stall_leave(&kma_stalls, s);
	}
	task->began = 0;
}

static void *kma_worker_main(void *arg)
{
	struct kma_worker *w = arg;
	struct kma_task *task;
	u32 i;

	kma_env.cpu = w->cpu;
	for (i = 0; i < KMA_EVENTS || READ_ONCE(kma_sweeps) < KMA_SWEEPS; i++) {
		task = &w->task[kma_random_below(&w->random, w->nr)];
		if (task->began)
			kma_worker_end(w, task);
		else
			kma_worker_begin(w, task);
		__atomic_store_n(&w->passed, w->passed + 1, __ATOMIC_RELEASE);
	}
	for (i = 0; i < w->nr; i++)
		if (w->task[i].began)
			kma_worker_end(w, &w->task[i]);
	__atomic_store_n(&w->passed, U64_MAX, __ATOMIC_RELEASE);
	return NULL;
}

/* Wait until each worker has ended the event that it is in now: see stress.c. */
static void kma_wait_for_workers(void)
{
	u64 before;
	int i;

	for (i = 0; i < KMA_ENV_CPUS; i++) {
		before = __atomic_load_n(&kma_workers[i].passed, __ATOMIC_ACQUIRE);
		while (before != U64_MAX &&
		       __atomic_load_n(&kma_workers[i].passed, __ATOMIC_ACQUIRE) < before + 2)
			sched_yield();
	}
}

static u64 kma_sweep_random = 1;

static bool kma_may_have_exited(unsigned long task, u32 pid)
{
	return task && pid && !kma_random_below(&kma_sweep_random, 20);
}

static bool kma_has_exited(unsigned long task, u32 pid)
{
	return task && pid;
}

static void *kma_sweeper_main(void *unused)
{
	(void)unused;
	kma_env_wait = kma_wait_for_workers;
	while (__atomic_load_n(&kma_running, __ATOMIC_RELAXED)) {
		kma_stalls_sweep(&kma_stalls, kma_may_have_exited);
		WRITE_ONCE(kma_sweeps, kma_sweeps + 1);
		sched_yield();
	}
	return NULL;
}

static void kma_run(struct kma_task *tasks, u32 nr)
{
	pthread_t sweeper;
	u32 i;

	for (i = 0; i < KMA_ENV_CPUS * nr; i++)
		tasks[i] = (struct kma_task) { .who = {
			.task = 0xffff888001230000UL + 0x2540UL / 64 * 64 * (i * 7919UL % 100003),
			.stack = KMA_STACK, .pid = i + 1, .sp = KMA_STACK + 0x3000,
		} };
	for (i = 0; i < KMA_ENV_CPUS; i++)
		kma_workers[i] = (struct kma_worker) {
			.task = &tasks[i * nr], .nr = nr, .cpu = i, .random = kma_mix(kma_seed++),
		};
	kma_running = 1;
	kma_sweeps = 0;
	pthread_create(&sweeper, NULL, kma_sweeper_main, NULL);
	for (i = 0; i < KMA_ENV_CPUS; i++)
		pthread_create(&kma_workers[i].thread, NULL, kma_worker_main, &kma_workers[i]);
	for (i = 0; i < KMA_ENV_CPUS; i++)
		pthread_join(kma_workers[i].thread, NULL);
	__atomic_store_n(&kma_running, 0, __ATOMIC_RELAXED);
	pthread_join(sweeper, NULL);
}

/* Nothing is left, and each phase that had a slot has ended, or counts as lost. */
static void kma_expect_all(u64 lost_before)
{
	u64 began = 0, ended = 0;
	struct kma_stats sum;
	u32 i;

	for (i = 0; i < KMA_ENV_CPUS; i++) {
		kma_expect(!kma_workers[i].wrong);
		began += kma_workers[i].began;
		ended += kma_workers[i].ended;
	}
	kma_stats_sum(&sum);
	kma_expect(began - ended == sum.v[KMA_STAT_stall_ends_lost] - lost_before);
	kma_expect(began > ended);
	kma_expect(!kma_stalls_used(&kma_stalls));
	kma_stalls_sweep(&kma_stalls, kma_has_exited);
	for (i = 0; i < kma_stalls.sets * KMA_STALLS_SET; i++)
		kma_expect(!kma_stalls.set[i / KMA_STALLS_SET].owner[i % KMA_STALLS_SET]);
	for (i = 0; i < kma_stalls.sets; i++)
		kma_expect(!atomic64_read(&kma_stalls.set[i].spilled));
}

static void kma_slots_of(u32 nr)
{
	static struct kma_task tasks[KMA_ENV_CPUS * 700];
	struct kma_stats before;

	kma_stats_sum(&before);
	kma_expect(!kma_stalls_init(&kma_stalls, 4));
	kma_run(tasks, nr);
	kma_expect_all(before.v[KMA_STAT_stall_ends_lost]);
	kma_stalls_destroy(&kma_stalls);
}

static void kma_few_tasks(void)
{
	kma_slots_of(20);
}

static void kma_many_tasks(void)
{
	kma_slots_of(400);
}

/* About half of these tasks are in a phase at a time: not all of them find a slot. */
static void kma_too_many_tasks(void)
{
	struct kma_stats sum;

	kma_slots_of(700);
	kma_stats_sum(&sum);
	kma_expect(sum.v[KMA_STAT_stall_no_slot] > 0);
}

static const struct kma_case kma_cases[] = {
	{ "few tasks", kma_few_tasks },
	{ "many tasks", kma_many_tasks },
	{ "more tasks than slots", kma_too_many_tasks },
};

int main(int argc, char **argv)
{
	return kma_seeded_run(argc, argv, kma_cases, ARRAY_SIZE(kma_cases));
}
