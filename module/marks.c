// SPDX-License-Identifier: GPL-2.0
/* When the marks of the history are set.  See marks.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "marks.h"
#include "state.h"

/* These variables are protected by kma_lock. */
struct kma_history kma_history;
u64 kma_marks_began;
/* The time that the last sweep took, and that the last marks have taken with their sweep. */
static u64 kma_marks_sweep_ns;
static u64 kma_marks_last_ns;

u64 kma_marks_forecast(void)
{
	return kma_history_bytes(kma_config.sites_max);
}

int kma_marks_start(void)
{
	int ret = kma_history_init(&kma_history, &kma_core.sites, 0);

	if (ret)
		pr_err("not enough memory for the history: use a smaller sites_max\n");
	kma_marks_began = ktime_get_boottime_seconds();
	kma_marks_sweep_ns = 0;
	kma_marks_last_ns = 0;
	return ret;
}

void kma_marks_stop(void)
{
	kma_history_destroy(&kma_history);
}

u64 kma_marks_now(void)
{
	return ktime_get_boottime_seconds() - kma_marks_began;
}

unsigned long kma_marks_wait(void)
{
	u32 second;

	div_u64_rem(kma_marks_now(), 60, &second);
	return (60 - second) * HZ;
}

void kma_marks_sweep(void)
{
	const u64 start = ktime_get_ns();

	/* Only the worker sets marks, so it need not hold kma_lock to read when they are due. */
	if (!kma_history_due(&kma_history, kma_marks_now()))
		return;
	kma_state_sweep();
	kma_marks_sweep_ns = ktime_get_ns() - start;
}

void kma_marks_turn(void)
{
	const u64 start = ktime_get_ns(), now = kma_marks_now();

	lockdep_assert_held(&kma_lock);
	if (!kma_marks_sweep_ns || !kma_history_due(&kma_history, now))
		return;
	kma_history_begin(&kma_history, &kma_core.sites, now);
	while (kma_history_some(&kma_history, &kma_core.sites))
		cond_resched();
	kma_marks_last_ns = kma_marks_sweep_ns + ktime_get_ns() - start;
	kma_marks_sweep_ns = 0;
	kma_history_pace(&kma_history, kma_marks_last_ns);
}

u64 kma_marks_last_us(void)
{
	return div_u64(kma_marks_last_ns, NSEC_PER_USEC);
}

u64 kma_marks_cost(u64 ns)
{
	return kma_history.step ? mul_u64_u64_div_u64(kma_marks_last_ns, ns, kma_history.step *
						      (u64)NSEC_PER_SEC) : 0;
}
