// SPDX-License-Identifier: GPL-2.0
/* The scenarios of kmemacct_nolock. */
#include <linux/completion.h>
#include <linux/gfp.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "../../module/compat.h"
#include "nolock_objects.h"
#include "nolock_runs.h"

/* ---- scenarios ------------------------------------------------------------ */

static const size_t truth_sizes[] = { 1, 8, 33, 96, 200, 1000, 2048, 4000, 8192 };

int truth_run_sizes(void)
{
	int i, ret = nolock_some(TRUTH_constant, 96);

	for (i = 0; !ret && i < ARRAY_SIZE(truth_sizes); i++)
		ret = nolock_some(TRUTH_plain, truth_sizes[i]) ?:
		      nolock_some(TRUTH_zeroed, truth_sizes[i]) ?:
		      nolock_some(TRUTH_charged, truth_sizes[i]) ?:
		      nolock_some(TRUTH_on_node, truth_sizes[i]);
	return ret;
}

/* A call of nolock_some() in a softirq or hard interrupt: the call site and the result. */
static struct {
	enum truth_site_id site;
	int ret;
	struct completion done;
} truth_job;

static void truth_job_run(void)
{
	const bool there = truth_job.site == TRUTH_hardirq ? in_hardirq() :
			   in_serving_softirq() && !in_hardirq();

	truth_job.ret = there ? nolock_some(truth_job.site, 200) : -EPROTO;
	complete(&truth_job.done);
}

static void truth_in_irq_work(struct irq_work *unused)
{
	truth_job_run();
}

static void truth_in_timer(struct timer_list *unused)
{
	truth_job_run();
}

static struct irq_work truth_irq_work = IRQ_WORK_INIT_HARD(truth_in_irq_work);
static DEFINE_TIMER(truth_timer, truth_in_timer);

static int truth_job_wait(enum truth_site_id site)
{
	truth_job.site = site;
	reinit_completion(&truth_job.done);
	if (site == TRUTH_hardirq)
		irq_work_queue(&truth_irq_work);
	else
		mod_timer(&truth_timer, jiffies + 1);
	wait_for_completion(&truth_job.done);
	return truth_job.ret;
}

int truth_run_contexts(void)
{
	static DEFINE_RAW_SPINLOCK(lock);
	unsigned long flags;
	int i, ret = 0;

	for (i = 0; !ret && i < 20; i++) {
		raw_spin_lock_irqsave(&lock, flags);
		ret = nolock_some(TRUTH_locked, 200);
		raw_spin_unlock_irqrestore(&lock, flags);
		ret = ret ?: truth_job_wait(TRUTH_softirq) ?: truth_job_wait(TRUTH_hardirq);
	}
	return ret;
}

void truth_contexts_start(void)
{
	init_completion(&truth_job.done);
}

void truth_contexts_stop(void)
{
	timer_delete_sync(&truth_timer);
	irq_work_sync(&truth_irq_work);
}

/* Allocate 400 objects and free 300 of them with @freefn. */
static int truth_free_most(enum truth_site_id id, enum nolock_freefn freefn)
{
	const int from = nolock_used();
	int ret = nolock_make(id, 200, 400);

	nolock_free_since(from, 300, freefn);
	return ret;
}

static void truth_free_there(void *from)
{
	nolock_free_since(*(int *)from, 300, NOLOCK_KFREE_NOLOCK);
}

int truth_run_frees(void)
{
	int from, cpu, ret;

	ret = truth_free_most(TRUTH_to_nolock, NOLOCK_KFREE_NOLOCK) ?:
	      truth_free_most(TRUTH_to_kfree, NOLOCK_KFREE) ?:
	      truth_free_most(TRUTH_to_rcu, NOLOCK_KFREE_RCU);
#ifdef KMA_HAVE_KFREE_RCU_NOLOCK
	/* For objects of another node, kfree_rcu_nolock() defers to an irq_work. */
	ret = ret ?: truth_free_most(TRUTH_to_rcu_nolock, NOLOCK_KFREE_RCU_NOLOCK) ?:
		     truth_free_most(TRUTH_on_node, NOLOCK_KFREE_RCU_NOLOCK);
#endif
	if (ret)
		return ret;
	from = nolock_used();
	ret = nolock_make(TRUTH_to_other_cpu, 200, 400);
	/* Free on another CPU if there is one. */
	cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	if (cpu >= nr_cpu_ids)
		cpu = raw_smp_processor_id();
	smp_call_function_single(cpu, truth_free_there, &from, true);
	return ret;
}

/* kfree_nolock() is not meant for objects of kmalloc(), but it does free them. */
int truth_run_crossed(void)
{
	return truth_free_most(TRUTH_kmalloc, NOLOCK_KFREE_NOLOCK);
}

/*
 * Calls that return no memory: for a size of 0, and for a size above the largest kmalloc
 * cache; and frees of what they return.
 */
int truth_run_nothing(void)
{
	void *(*const plain)(size_t size, int node) = truth_sites[TRUTH_plain].alloc;
	size_t none = 0, much = KMALLOC_MAX_CACHE_SIZE + 1;
	int i;

	OPTIMIZER_HIDE_VAR(none);
	OPTIMIZER_HIDE_VAR(much);
	for (i = 0; i < TRUTH_NOTHINGS; i++) {
		void *ptr = plain(none, 0);

		if (ptr != ZERO_SIZE_PTR || plain(much, 0))
			return -EPROTO;
		kfree_nolock(ptr);
		kfree_nolock(NULL);
	}
	return 0;
}

/*
 * Runs on all CPUs at once.  Each allocates 500 objects, and 250 times frees an object of
 * any CPU and call site, if that is still live.
 */
static void truth_on_cpu(struct work_struct *unused)
{
	int i;

	for (i = 0; i < 500; i++) {
		nolock_make_one(TRUTH_each_cpu, 8 << i % 9);
		if (i % 2)
			nolock_free(i * 131 % nolock_used(), NOLOCK_KFREE_NOLOCK);
	}
}

int truth_run_each_cpu(void)
{
	struct work_struct __percpu *work = alloc_percpu(struct work_struct);
	int cpu;

	if (!work)
		return -ENOMEM;
	for_each_online_cpu(cpu) {
		INIT_WORK(per_cpu_ptr(work, cpu), truth_on_cpu);
		schedule_work_on(cpu, per_cpu_ptr(work, cpu));
	}
	for_each_online_cpu(cpu)
		flush_work(per_cpu_ptr(work, cpu));
	free_percpu(work);
	return 0;
}

/* Allocates and frees in a loop, so that NMIs arrive while a probe runs. */
int truth_run_churn(void)
{
	struct truth_object o;
	int i;

	for (i = 0; i < 500; i++) {
		get_cpu();
		if (truth_make_at(&o, TRUTH_churn, 200, NUMA_NO_NODE)) {
			truth_count_free(&o, smp_processor_id());
			kfree_nolock(o.ptr);
		}
		put_cpu();
	}
	return 0;
}

/* ---- the next larger size ------------------------------------------------- */

/*
 * The pages that are kept from the slab allocator.  This struct is at the start of each page
 * allocation.
 */
struct truth_hoard {
	struct truth_hoard *next;
	unsigned int order;
};

/* Take all pages that can be allocated without a lock. */
static struct truth_hoard *truth_hoard(void)
{
	struct truth_hoard *hoard = NULL, *more;
	struct page *page;
	int order;

	for (order = MAX_PAGE_ORDER; order >= 0; order--) {
		while ((page = alloc_pages_nolock(0, NUMA_NO_NODE, order))) {
			more = page_address(page);
			more->next = hoard;
			more->order = order;
			hoard = more;
		}
	}
	return hoard;
}

static void truth_hoard_free(struct truth_hoard *hoard)
{
	struct truth_hoard *next;

	for (; hoard; hoard = next) {
		next = hoard->next;
		__free_pages(virt_to_page(hoard), hoard->order);
	}
}

int truth_nr_fallen;

/*
 * kmalloc_nolock() takes an object of the next larger size if it cannot get a slab for the
 * size that was asked for.
 */
int truth_run_fallen(void)
{
	int at, nr = 0, from = nolock_used();
	struct truth_hoard *hoard;

	/* Leave free objects of 8 KiB, for which no new slab is needed. */
	nolock_make(TRUTH_fallen, 8192, 64);
	nolock_free_since(from, 64, NOLOCK_KFREE);
	hoard = truth_hoard();
	while (nr < 4) {
		at = nolock_make_one(TRUTH_fallen, 4000);
		if (at < 0)
			break;
		if (nolock_object[at].bytes_alloc > 4096)
			nr++;
	}
	truth_hoard_free(hoard);
	truth_nr_fallen += nr;
	return at == -ENOSPC ? at : 0;
}
