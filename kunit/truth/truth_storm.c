// SPDX-License-Identifier: GPL-2.0
/* Scenario: all CPUs allocate and free at once, in tasks and in interrupts. */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "truth_objects.h"
#include "truth_scenarios.h"
#include "truth_storm.h"

/*
 * Objects wait in boxes.  Each step picks a box at random, puts a new object or
 * nothing into it, and frees the object that was in it, which any CPU may have
 * allocated.  The description of an object is written into the object itself.
 */
#define TRUTH_STORM_STEPS	64
#define TRUTH_STORM_JIFFIES	2
#define TRUTH_STORM_IRQ_NS	500000
#define TRUTH_STORM_BATCH	32

static struct truth_object *truth_box[TRUTH_BOXES];

struct truth_stormer {
	struct task_struct *task;
	struct hrtimer timer;
	struct hrtimer soft_timer;
	u32 task_seed;
	u32 irq_seed;
	u64 irqs;
};

static DEFINE_PER_CPU(struct truth_stormer, truth_stormers);
static bool truth_storming;
u64 truth_storm_irqs;

static struct truth_object *truth_storm_make(u32 random)
{
	struct truth_object o;
	bool made;

	BUILD_BUG_ON(sizeof(o) > 64);
	switch (random % 16) {
	case 0:
		made = truth_make_at(&o, TRUTH_storm_large, 8193 + random % 8000,
				     NUMA_NO_NODE);
		break;
	case 1 ... 6:
		made = truth_make_at(&o, TRUTH_storm_kmalloc, 64 + random % 2000,
				     NUMA_NO_NODE);
		break;
	case 7 ... 11:
		made = truth_make_at(&o, TRUTH_storm_const, 96, NUMA_NO_NODE);
		break;
	default:
		made = truth_make_at(&o, TRUTH_storm_cache,
				     truth_caches[TRUTH_CACHE_STORM].size,
				     NUMA_NO_NODE);
	}
	return made ? memcpy(o.ptr, &o, sizeof(o)) : NULL;
}

static void truth_storm_step(u32 *seed)
{
	u32 random = truth_random(seed);
	struct truth_object *o = NULL;

	if (random & (1 << 20))
		o = truth_storm_make(truth_random(seed));
	o = xchg(&truth_box[random % TRUTH_BOXES], o);
	if (o)
		truth_free(o, random & (1 << 21));
}

/* Allocate and free a batch.  Called in tasks and softirqs that do not migrate. */
static void truth_storm_bulk(void)
{
	void *ptr[TRUTH_STORM_BATCH];
	struct truth_object o;
	int nr;

	for (nr = 0; nr < TRUTH_STORM_BATCH; nr++) {
		if (!truth_make_at(&o, TRUTH_storm_batch, 100, NUMA_NO_NODE))
			break;
		truth_count_free(&o, o.cpu);
		ptr[nr] = o.ptr;
	}
	kfree_bulk(nr, ptr);
}

/* Start the timer again, late enough that tasks have most of the time on a slow kernel, too. */
static enum hrtimer_restart truth_storm_again(struct hrtimer *timer, ktime_t start)
{
	ktime_t now = ktime_get();
	u64 took = ktime_to_ns(ktime_sub(now, start));

	hrtimer_set_expires(timer, ktime_add_ns(now, max_t(u64, TRUTH_STORM_IRQ_NS,
							   4 * took)));
	return HRTIMER_RESTART;
}

static enum hrtimer_restart truth_storm_softirq(struct hrtimer *timer)
{
	ktime_t start = ktime_get();

	truth_storm_bulk();
	return truth_storm_again(timer, start);
}

static enum hrtimer_restart truth_storm_irq(struct hrtimer *timer)
{
	struct truth_stormer *s = container_of(timer, struct truth_stormer, timer);
	ktime_t start = ktime_get();

	truth_storm_step(&s->irq_seed);
	s->irqs++;
	return truth_storm_again(timer, start);
}

/* Sleeps at the end: if emulated CPUs were never idle, RCU and insmod would hardly progress. */
static void truth_storm_while(u32 *seed, unsigned long end)
{
	int i;

	do {
		for (i = 0; i < TRUTH_STORM_STEPS; i++)
			truth_storm_step(seed);
		truth_storm_bulk();
	} while (time_before(jiffies, end));
	usleep_range(50, 100);
}

static int truth_storm_task(void *arg)
{
	struct truth_stormer *s = arg;

	hrtimer_setup(&s->timer, truth_storm_irq, CLOCK_MONOTONIC,
		      TRUTH_IRQ_TIMER);
	hrtimer_start(&s->timer, ns_to_ktime(TRUTH_STORM_IRQ_NS),
		      TRUTH_IRQ_TIMER);
	hrtimer_setup(&s->soft_timer, truth_storm_softirq, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_SOFT);
	hrtimer_start(&s->soft_timer, ns_to_ktime(TRUTH_STORM_IRQ_NS),
		      HRTIMER_MODE_REL_PINNED_SOFT);
	/* Tests that read the tables have priority. */
	set_user_nice(current, 10);
	while (!kthread_should_stop())
		truth_storm_while(&s->task_seed, jiffies + TRUTH_STORM_JIFFIES);
	hrtimer_cancel(&s->soft_timer);
	hrtimer_cancel(&s->timer);
	return 0;
}

int truth_run_storm_stop(void)
{
	struct truth_stormer *s;
	int cpu;

	for_each_possible_cpu(cpu) {
		s = &per_cpu(truth_stormers, cpu);
		if (!s->task)
			continue;
		kthread_stop(s->task);
		put_task_struct(s->task);
		s->task = NULL;
		truth_storm_irqs += s->irqs;
		s->irqs = 0;
	}
	truth_storming = false;
	return 0;
}

int truth_run_storm_start(void)
{
	struct task_struct *task;
	struct truth_stormer *s;
	int cpu;

	if (truth_storming)
		return -EBUSY;
	truth_storming = true;
	for_each_online_cpu(cpu) {
		s = &per_cpu(truth_stormers, cpu);
		s->task_seed = 3 * cpu + 1;
		s->irq_seed = 7 * cpu + 2;
		task = kthread_create_on_node(truth_storm_task, s, cpu_to_node(cpu),
					      "truth_storm/%d", cpu);
		if (IS_ERR(task)) {
			truth_run_storm_stop();
			return PTR_ERR(task);
		}
		s->task = get_task_struct(task);
		kthread_bind(task, cpu);
		wake_up_process(task);
	}
	return 0;
}

const struct truth_object *truth_storm_object(int box)
{
	return truth_storming ? NULL : truth_box[box];
}

/* Free all objects that are live, including those in boxes. */
int truth_run_drop(void)
{
	struct truth_object *o;
	int i;

	truth_drop(truth_nr_live);
	for (i = 0; i < TRUTH_BOXES; i++) {
		o = xchg(&truth_box[i], NULL);
		if (o)
			truth_free(o, false);
	}
	return 0;
}
