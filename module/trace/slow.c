// SPDX-License-Identifier: GPL-2.0
/* Record slow phases, and wake readers.  See slow.h. */
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "../resolve/task.h"
#include "../state.h"
#include "slow.h"

struct kma_slowlog kma_slowlog;
atomic64_t kma_slow_published;
DECLARE_WAIT_QUEUE_HEAD(kma_slow_wait);
u64 kma_slow_ns[KMA_PHASE_NR];
/* The thresholds as they were set.  Protected by kma_lock; probes read @own without a lock. */
static struct kma_thresholds kma_slow_thresholds;
/* The number of the first record since the last `reset`.  Protected by kma_lock. */
static u64 kma_slow_first;

static void kma_slow_wake(struct irq_work *work)
{
	wake_up_all(&kma_slow_wait);
}

/* A probe must not wake a task, because it may run with any lock held. */
static struct irq_work kma_slow_work;

static_assert(KMA_SLOW_FRAMES == KMA_TASK_FRAMES);

/*
 * Whether the parts of a stall are those of a phase that has ended.  In the background, the phases
 * directly inside the outermost one count as outermost ones.
 */
static bool kma_slow_is_outermost(const struct kma_stall *s, const struct kma_stall_end *end)
{
	const enum kma_phase phase = end->frame.phase;

	if (kma_phase_is_background(phase) || phase == KMA_PHASE_THROTTLED)
		return false;
	return end->outermost ||
	       (s->depth == 1 && kma_phase_is_background(s->frame[0].phase));
}

static void kma_slow_add_part(struct kma_slow *r, enum kma_phase phase, u64 detail, u64 ns)
{
	r->part[r->nr_parts++] = (struct kma_stall_part) {
		.phase = phase, .nr = 1, .detail = detail, .ns = ns,
	};
}

/* The parts of a phase that is no outermost one. */
static void kma_slow_split(struct kma_slow *r, const struct kma_stall_end *end)
{
	const u64 inside = end->ns - end->own - end->cpu;

	r->nr_parts = 0;
	kma_slow_add_part(r, end->frame.cause, end->frame.detail, end->own);
	if (end->cpu)
		kma_slow_add_part(r, KMA_PHASE_CPU, 0, end->cpu);
	if (inside)
		kma_slow_add_part(r, KMA_PHASE_NONE, 0, inside);
}

static void kma_slow_copy_parts(struct kma_slow *r, const struct kma_stall *s)
{
	r->nr_parts = s->nr_parts;
	memcpy(r->part, s->part, sizeof(r->part));
}

bool kma_slow_has_record(const struct kma_stall *s, const struct kma_stall_end *end)
{
	return kma_slow_is_outermost(s, end) ||
	       test_bit(end->frame.phase, &kma_slow_thresholds.own);
}

noinline void kma_slow_add(const struct kma_stall *s, const struct kma_stall_end *end)
{
	struct kma_slow *r;
	u64 nr;

	r = kma_slowlog_begin(&kma_slowlog, &nr);
	if (!r)
		return;
	r->end_ns = end->frame.start.ns + end->ns;
	r->ns = end->ns;
	r->phase = end->frame.phase;
	r->origin = s->origin;
	r->tgid = current->tgid;
	r->pid = current->pid;
	memcpy(r->comm, current->comm, sizeof(r->comm));
	r->cgroup = kma_task_cgroup();
	r->order = s->order;
	r->gfp = s->gfp;
	r->site = s->site;
	if (kma_slow_is_outermost(s, end))
		kma_slow_copy_parts(r, s);
	else
		kma_slow_split(r, end);
	r->nr_frames = kma_task_stack(r->frame);
	kma_slowlog_publish(r, nr);
	/* A reader that sees this number sees the record.  Pairs with kma_slow_fill(). */
	smp_mb__before_atomic();
	atomic64_inc(&kma_slow_published);
	irq_work_queue(&kma_slow_work);
}

void kma_slow_set_thresholds(const struct kma_thresholds *t)
{
	enum kma_phase phase;

	lockdep_assert_held(&kma_lock);
	for (phase = 0; phase < KMA_PHASE_NR; phase++)
		WRITE_ONCE(kma_slow_ns[phase], kma_threshold_ns(t, phase));
	kma_slow_thresholds.us = t->us;
	memcpy(kma_slow_thresholds.own_us, t->own_us, sizeof(t->own_us));
	WRITE_ONCE(kma_slow_thresholds.own, t->own);
}

int kma_slow_print_thresholds(char *buf, size_t size)
{
	lockdep_assert_held(&kma_lock);
	return kma_thresholds_print(&kma_slow_thresholds, buf, size);
}

static bool kma_slow_was_init(const void *mod, unsigned long address)
{
	return within_module_init(address, mod);
}

static bool kma_slow_was_module(const void *mod, unsigned long address)
{
	return within_module(address, mod);
}

void kma_slow_module_changes(const struct module *mod, unsigned long state)
{
	lockdep_assert_held(&kma_lock);
	kma_slowlog_forget(&kma_slowlog, state == MODULE_STATE_LIVE ? kma_slow_was_init :
			   kma_slow_was_module, mod);
}

void kma_slow_forget(void)
{
	lockdep_assert_held(&kma_lock);
	kma_slow_first = kma_slowlog_head(&kma_slowlog) + 1;
}

u64 kma_slow_since(void)
{
	return kma_slow_first;
}

int kma_slow_start(void)
{
	init_irq_work(&kma_slow_work, kma_slow_wake);
	kma_slow_first = 1;
	return kma_slowlog_init(&kma_slowlog);
}

void kma_slow_stop(void)
{
	irq_work_sync(&kma_slow_work);
	kma_slowlog_destroy(&kma_slowlog);
}
