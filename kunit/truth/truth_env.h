/* SPDX-License-Identifier: GPL-2.0 */
/* Differences between kernels and configurations that matter to kmemacct_truth. */
#ifndef KMA_TRUTH_ENV_H
#define KMA_TRUTH_ENV_H

#include <linux/hrtimer.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/types.h>

#include "truth_compat.h"

#ifdef KMA_HAVE_KFENCE
#include <linux/kfence.h>
#else
static inline bool is_kfence_address(const void *ptr)
{
	return false;
}
#endif

/*
 * PREEMPT_RT forbids allocations in hard interrupts and with preemption off.  With
 * PREEMPT_RT, a task disables migration to know its CPU, and the storm uses soft
 * interrupts.
 */
#ifdef CONFIG_PREEMPT_RT
#define TRUTH_IRQ_TIMER	HRTIMER_MODE_REL_PINNED_SOFT

static inline int truth_get_cpu(void)
{
	migrate_disable();
	return smp_processor_id();
}

static inline void truth_put_cpu(void)
{
	migrate_enable();
}
#else
#define TRUTH_IRQ_TIMER	HRTIMER_MODE_REL_PINNED_HARD
#define truth_get_cpu()	get_cpu()
#define truth_put_cpu()	put_cpu()
#endif

#ifndef KMA_HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *timer),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif /* KMA_TRUTH_ENV_H */
