// SPDX-License-Identifier: GPL-2.0
/* The triggers of incidents.  See trigger.h. */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/gfp.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include "../compat.h"
#include "../resolve/task.h"
#include "../state.h"
#include "trigger.h"

struct kma_triggers kma_triggers;

/* After a cause, the trigger keeps none for this long. */
#define KMA_TRIGGER_PAUSE_NS	(60ULL * NSEC_PER_SEC)

/* States of a kept cause.  A probe goes from FREE to READY, and the worker back. */
#define KMA_CAUSE_FREE		0
#define KMA_CAUSE_FILLING	1
#define KMA_CAUSE_READY		2

/**
 * struct kma_kept - the cause that is kept for a trigger
 * @state: KMA_CAUSE_FREE, KMA_CAUSE_FILLING or KMA_CAUSE_READY, which publishes @cause
 * @next_ns: when the next cause may be kept
 * @cause: the cause
 */
struct kma_kept {
	atomic_t state;
	u64 next_ns;
	struct kma_cause cause;
};

static struct kma_kept kma_kept[KMA_TRIGGER_NR];

/* How often each trigger was counted.  Storms on many CPUs must not share a cache line. */
static DEFINE_PER_CPU(u64 [KMA_TRIGGER_NR], kma_trigger_counts);

static void (*kma_trigger_wake)(void);

static void kma_trigger_wake_up(struct irq_work *work)
{
	kma_trigger_wake();
}

static struct irq_work kma_trigger_work;

/* ---- the cause ------------------------------------------------------------- */

static bool kma_trigger_is_growth(enum kma_trigger trigger)
{
	return trigger == KMA_TRIGGER_GROWTH || trigger == KMA_TRIGGER_CGROUP;
}

static void kma_cause_set_task(struct kma_cause *cause)
{
	cause->tgid = current->tgid;
	cause->pid = current->pid;
	memcpy(cause->comm, current->comm, sizeof(cause->comm));
	cause->cgroup = kma_task_cgroup();
}

static void kma_cause_set_what(struct kma_cause *cause, unsigned long what)
{
	if (cause->trigger == KMA_TRIGGER_CGROUP)
		cause->cgroup = what;
	else if (cause->trigger == KMA_TRIGGER_OOM)
		memcpy(cause->victim, (const char *)what, sizeof(cause->victim));
	else
		cause->site = what;
}

/* The worker polls growth, cgroups and coverage, long after the task that is to blame. */
static void kma_cause_set_context(struct kma_cause *cause)
{
	if (kma_trigger_is_growth(cause->trigger) || cause->trigger == KMA_TRIGGER_COVERAGE)
		return;
	if (in_task())
		kma_cause_set_task(cause);
	cause->nr_frames = kma_task_stack(cause->frame);
}

/* ---- triggers -------------------------------------------------------------- */

/* A call site or cgroup that has grown is a cause again only if it grows by as much once more. */
static u64 kma_trigger_pause(enum kma_trigger trigger)
{
	return !kma_trigger_is_growth(trigger) ? KMA_TRIGGER_PAUSE_NS :
	       max_t(u64, KMA_TRIGGER_PAUSE_NS, kma_triggers.value[trigger][1] * NSEC_PER_SEC);
}

void kma_trigger_fire(enum kma_trigger trigger, u64 value, unsigned long what, int order, u32 gfp)
{
	struct kma_kept *kept = &kma_kept[trigger];
	/* The kernel updates this clock without a lock, and reads it again if it has changed. */
	const u64 now = data_race(ktime_get_mono_fast_ns());

	this_cpu_inc(kma_trigger_counts[trigger]);
	if (now < READ_ONCE(kept->next_ns) ||
	    atomic_cmpxchg(&kept->state, KMA_CAUSE_FREE, KMA_CAUSE_FILLING) != KMA_CAUSE_FREE)
		return;
	/* Another probe may have filled it since the first look, and the worker have taken it. */
	if (now < READ_ONCE(kept->next_ns)) {
		atomic_set_release(&kept->state, KMA_CAUSE_FREE);
		return;
	}
	kept->cause = (struct kma_cause) {
		.trigger = trigger, .ns = now, .value = value, .order = order, .gfp = gfp,
	};
	kma_cause_set_what(&kept->cause, what);
	kma_cause_set_context(&kept->cause);
	WRITE_ONCE(kept->next_ns, now + kma_trigger_pause(trigger));
	/* Publishes the cause.  Pairs with kma_trigger_take(). */
	atomic_set_release(&kept->state, KMA_CAUSE_READY);
	irq_work_queue(&kma_trigger_work);
}

void kma_trigger_failed(unsigned long site, int order, u32 gfp)
{
	if (kma_trigger_is_set(KMA_TRIGGER_FAILURE) && !(gfp & (__force u32)__GFP_NOWARN) &&
	    order <= (int)READ_ONCE(kma_triggers.value[KMA_TRIGGER_FAILURE][0]))
		kma_trigger_fire(KMA_TRIGGER_FAILURE, 0, site, order, gfp);
}

void kma_trigger_stalled(unsigned long site, int order, u32 gfp, u64 ns)
{
	if (kma_trigger_is_set(KMA_TRIGGER_STALL) &&
	    ns >= READ_ONCE(kma_triggers.value[KMA_TRIGGER_STALL][0]))
		kma_trigger_fire(KMA_TRIGGER_STALL, ns, site, order, gfp);
}

/* ---- the worker's side ----------------------------------------------------- */

bool kma_trigger_take(enum kma_trigger trigger, struct kma_cause *cause)
{
	struct kma_kept *kept = &kma_kept[trigger];

	/* Pairs with kma_trigger_fire(). */
	if (atomic_read_acquire(&kept->state) != KMA_CAUSE_READY)
		return false;
	*cause = kept->cause;
	/* The cause was read before a probe may replace it.  Pairs with kma_trigger_fire(). */
	atomic_set_release(&kept->state, KMA_CAUSE_FREE);
	return true;
}

u64 kma_trigger_count(enum kma_trigger trigger)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(kma_trigger_counts, cpu)[trigger]);
	return sum;
}

void kma_triggers_set(const struct kma_triggers *t)
{
	int i, k;

	lockdep_assert_held(&kma_lock);
	WRITE_ONCE(kma_triggers.set, 0);
	for (i = 0; i < KMA_TRIGGER_NR; i++)
		for (k = 0; k < KMA_TRIGGER_VALUES; k++)
			WRITE_ONCE(kma_triggers.value[i][k], t->value[i][k]);
	/* Pairs with kma_trigger_is_set(). */
	smp_store_release(&kma_triggers.set, t->set);
}

void kma_triggers_forget(void)
{
	struct kma_cause cause;
	int i;

	lockdep_assert_held(&kma_lock);
	for (i = 0; i < KMA_TRIGGER_NR; i++) {
		kma_trigger_take(i, &cause);
		WRITE_ONCE(kma_kept[i].next_ns, 0);
	}
}

/* ---- start and stop -------------------------------------------------------- */

void kma_triggers_start(void (*wake)(void))
{
	kma_trigger_wake = wake;
	init_irq_work(&kma_trigger_work, kma_trigger_wake_up);
}

void kma_triggers_stop(void)
{
	irq_work_sync(&kma_trigger_work);
}
