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

/* These variables are protected by kma_lock, unless they say otherwise. */
struct kma_history kma_history;
u64 kma_marks_began;
struct kma_machine kma_marks_machine[KMA_HISTORY_INDEXES];
/* The CPU time that the last marks took, with their sweep. */
static u64 kma_marks_last_ns;
/* Only the worker uses these: when it began with the marks that it is setting. */
static u64 kma_marks_begun_ns, kma_marks_begun_cpu;

u64 kma_marks_forecast(void)
{
	return kma_history_bytes(kma_config.sites_max);
}

/* Store the state of the machine for each mark that is set at @now. */
static void kma_marks_store(const struct kma_machine *machine, u64 now)
{
	int i;

	for (i = 0; i < KMA_HISTORY_INDEXES; i++)
		if (kma_history_time(&kma_history, i) == now)
			kma_marks_machine[i] = *machine;
}

int kma_marks_start(void)
{
	int ret = kma_history_init(&kma_history, &kma_core.sites, 0);
	struct kma_machine machine;

	if (ret)
		pr_err("not enough memory for the history: use a smaller sites_max\n");
	kma_marks_began = ktime_get_boottime_seconds();
	kma_marks_last_ns = 0;
	if (ret)
		return ret;
	kma_lock_take(KMA_LOCK_START);
	kma_machine_read(&machine);
	kma_marks_store(&machine, 0);
	kma_lock_release();
	return 0;
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

/* The CPU time of this task in ns.  It is up to date when the task was last interrupted. */
static u64 kma_marks_cpu(void)
{
	return current->se.sum_exec_runtime;
}

bool kma_marks_sweep(void)
{
	/* Nothing else changes what is due, so kma_lock need not be held. */
	if (!kma_history_due(&kma_history, kma_marks_now()))
		return false;
	kma_marks_begun_ns = ktime_get_ns();
	kma_marks_begun_cpu = kma_marks_cpu();
	kma_state_sweep();
	return true;
}

void kma_marks_turn(void)
{
	u64 now = kma_marks_now(), cpu;
	struct kma_machine machine;

	lockdep_assert_held(&kma_lock);
	if (!kma_history_due(&kma_history, now))
		return;
	kma_machine_read(&machine);
	kma_history_begin(&kma_history, &kma_core.sites, now);
	kma_marks_store(&machine, now);
	while (kma_history_some(&kma_history, &kma_core.sites))
		kma_lock_pause();
	cpu = kma_marks_cpu() - kma_marks_begun_cpu;
	/* Other tasks may have run meanwhile.  The clock of the task lags by up to a tick. */
	kma_marks_last_ns = min(ktime_get_ns() - kma_marks_begun_ns, cpu + TICK_NSEC);
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
