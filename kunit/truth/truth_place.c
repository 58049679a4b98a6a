// SPDX-License-Identifier: GPL-2.0
/* Scenarios: objects allocated and freed on other CPUs, by other tasks and in interrupts. */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "truth_objects.h"
#include "truth_scenarios.h"

enum truth_place {
	TRUTH_IN_SOFTIRQ,
	TRUTH_IN_TIMER,
	TRUTH_IN_HARDIRQ,
	TRUTH_IN_HRTIMER,
	TRUTH_IN_IPI,
	TRUTH_IN_WORKER,
};

/* A job for another context: its call site, the context, and the result. */
static struct {
	enum truth_site_id site;
	enum truth_place place;
	int ret;
	struct completion done;
} truth_job;

/* Whether the job runs in the context that it was meant for. */
static bool truth_job_arrived(void)
{
	switch (truth_job.place) {
	case TRUTH_IN_SOFTIRQ:
	case TRUTH_IN_TIMER:
		return in_serving_softirq() && !in_hardirq();
	case TRUTH_IN_HARDIRQ:
	case TRUTH_IN_HRTIMER:
		return in_hardirq();
	case TRUTH_IN_IPI:
		/* An idle CPU may run the function in its idle task. */
		return in_hardirq() || !current->tgid;
	default:
		return in_task();
	}
}

/* Free the object that the caller allocated; allocate four objects, and free one of them. */
static void truth_job_run(void)
{
	truth_job.ret = -EPROTO;
	if (truth_job_arrived()) {
		truth_drop(1);
		truth_job.ret = truth_make(truth_job.site, 200, NUMA_NO_NODE, 4);
		truth_drop(1);
	}
	complete(&truth_job.done);
}

static void truth_in_tasklet(struct tasklet_struct *unused)
{
	truth_job_run();
}

static void truth_in_timer(struct timer_list *unused)
{
	truth_job_run();
}

static void truth_in_irq_work(struct irq_work *unused)
{
	truth_job_run();
}

static enum hrtimer_restart truth_in_hrtimer(struct hrtimer *unused)
{
	truth_job_run();
	return HRTIMER_NORESTART;
}

static void truth_in_ipi(void *unused)
{
	truth_job_run();
}

static long truth_in_worker(void *unused)
{
	truth_job_run();
	return 0;
}

static DECLARE_TASKLET(truth_tasklet, truth_in_tasklet);
static DEFINE_TIMER(truth_timer_list, truth_in_timer);
static DEFINE_IRQ_WORK(truth_irq_work, truth_in_irq_work);
static struct hrtimer truth_hrtimer_job;

static void truth_job_start(enum truth_place place, int cpu)
{
	switch (place) {
	case TRUTH_IN_SOFTIRQ:
		tasklet_schedule(&truth_tasklet);
		break;
	case TRUTH_IN_TIMER:
		mod_timer(&truth_timer_list, jiffies + 1);
		break;
	case TRUTH_IN_HARDIRQ:
		irq_work_queue(&truth_irq_work);
		break;
	case TRUTH_IN_HRTIMER:
		hrtimer_setup(&truth_hrtimer_job, truth_in_hrtimer,
			      CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
		hrtimer_start(&truth_hrtimer_job, ns_to_ktime(100000),
			      HRTIMER_MODE_REL_HARD);
		break;
	case TRUTH_IN_IPI:
		smp_call_function_single(cpu, truth_in_ipi, NULL, 1);
		break;
	case TRUTH_IN_WORKER:
		work_on_cpu(cpu, truth_in_worker, NULL);
		break;
	}
}

/* Allocate an object, let @place free it, and free an object that @place allocated. */
static int truth_elsewhere(enum truth_site_id id, enum truth_place place, int cpu)
{
	int ret = truth_make(TRUTH_kmalloc, 150, NUMA_NO_NODE, 1);

	if (ret)
		return ret;
	truth_job.site = id;
	truth_job.place = place;
	init_completion(&truth_job.done);
	truth_job_start(place, cpu);
	wait_for_completion(&truth_job.done);
	truth_drop(1);
	return truth_job.ret;
}

/* Exchange objects between this CPU and all CPUs, in tasks and in interrupts. */
int truth_run_cpus(void)
{
	int cpu, ret = 0;

	for_each_online_cpu(cpu) {
		ret = ret ?: truth_elsewhere(TRUTH_worker, TRUTH_IN_WORKER, cpu);
		migrate_disable();
		if (!IS_ENABLED(CONFIG_PREEMPT_RT) && cpu != smp_processor_id())
			ret = ret ?: truth_elsewhere(TRUTH_ipi, TRUTH_IN_IPI, cpu);
		migrate_enable();
	}
	return ret;
}

/* Exchange objects between a task and each kind of interrupt. */
int truth_run_contexts(void)
{
	int ret = truth_elsewhere(TRUTH_softirq, TRUTH_IN_SOFTIRQ, 0) ?:
		  truth_elsewhere(TRUTH_timer, TRUTH_IN_TIMER, 0);

	if (ret || IS_ENABLED(CONFIG_PREEMPT_RT))
		return ret;
	return truth_elsewhere(TRUTH_hardirq, TRUTH_IN_HARDIRQ, 0) ?:
	       truth_elsewhere(TRUTH_hrtimer, TRUTH_IN_HRTIMER, 0);
}
