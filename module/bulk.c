// SPDX-License-Identifier: GPL-2.0
/*
 * The bulk functions, which have no tracepoints.
 *
 * kmem_cache_free_bulk() frees the objects of kfree_rcu(), kvfree_rcu() and
 * kfree_bulk(), and many of the network's; kmem_cache_alloc_bulk() is where many
 * of those come from.  Who only listens to tracepoints takes the first kind for
 * leaks and knows nothing of the second.  The first is followed by ftrace, which
 * misses no call.  The second has to be looked at when it returns, by a
 * kretprobe, which misses calls from interrupts over another one: these are
 * counted, and their objects are as if they had been there before the module.
 *
 * What cannot be attached is no error; without the first, nothing that is live
 * is certain.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "kmemacct.h"

/* ---- frees ---------------------------------------------------------------- */

/*
 * void kmem_cache_free_bulk(struct kmem_cache *s, size_t size, void **p)
 *
 * By ftrace and not by a kprobe: no kprobe is seen while another is handled on
 * the same CPU, and that includes all interrupts that come meanwhile, with their
 * softirqs.  Of 92,800 bulk frees from soft timers over such of tasks, kprobes
 * missed some 32,000.
 */
static void notrace kma_free_bulk_entered(unsigned long ip,
					  unsigned long parent_ip,
					  struct ftrace_ops *op,
					  struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
	size_t i, nr = regs_get_kernel_argument(regs, 1);
	void **ptr = (void **)regs_get_kernel_argument(regs, 2);

	preempt_disable_notrace();
	for (i = 0; i < nr; i++) {
		kma_stat_inc(bulk_frees);
		kma_probes_free(ptr[i]);
	}
	preempt_enable_notrace();
}

static struct ftrace_ops kma_free_bulk;

static bool kma_free_bulk_register(void)
{
	char name[] = "kmem_cache_free_bulk";

	/* All of it: a filter that was freed is not forgotten. */
	kma_free_bulk = (struct ftrace_ops) {
		.func = kma_free_bulk_entered,
		/* It is not for a sysctl to make the module blind. */
		.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_PERMANENT,
	};
	if (!ftrace_set_filter(&kma_free_bulk, name, strlen(name), 1) &&
	    !register_ftrace_function(&kma_free_bulk))
		return true;
	ftrace_free_filter(&kma_free_bulk);
	return false;
}

static void kma_free_bulk_unregister(void)
{
	unregister_ftrace_function(&kma_free_bulk);
	ftrace_free_filter(&kma_free_bulk);
}

/* ---- allocations ---------------------------------------------------------- */

struct kma_alloc_bulk_args {
	unsigned long cache;
	size_t nr;
	void **ptr;
};

/* int kmem_cache_alloc_bulk(struct kmem_cache *s, gfp_t f, size_t nr, void **p) */
static int kma_alloc_bulk_entered(struct kretprobe_instance *ri,
				  struct pt_regs *regs)
{
	struct kma_alloc_bulk_args *args = (void *)ri->data;

	args->cache = regs_get_kernel_argument(regs, 0);
	args->nr = regs_get_kernel_argument(regs, 2);
	args->ptr = (void **)regs_get_kernel_argument(regs, 3);
	return 0;
}

/* All or none; nobody but the caller's caller knows of these objects yet. */
static int kma_alloc_bulk_returned(struct kretprobe_instance *ri,
				   struct pt_regs *regs)
{
	const struct kma_alloc_bulk_args *args = (void *)ri->data;
	unsigned long site = get_kretprobe_retaddr(ri);
	size_t i;

	if (!(int)regs_return_value(regs))
		return 0;
	preempt_disable_notrace();
	for (i = 0; i < args->nr; i++) {
		kma_stat_inc(bulk_allocs);
		kma_probes_bulk(site, args->ptr[i], args->cache);
	}
	preempt_enable_notrace();
	return 0;
}

static struct kretprobe kma_alloc_bulk = {
	.kp.symbol_name = KMA_ALLOC_BULK_SYMBOL,
	.entry_handler = kma_alloc_bulk_entered,
	.handler = kma_alloc_bulk_returned,
	.data_size = sizeof(struct kma_alloc_bulk_args),
};

/* ---- attaching ------------------------------------------------------------ */

/* Calls that may wait for memory at a time, so many on each CPU. */
#define KMA_BULK_WAITING 64

static bool kma_free_bulk_attached, kma_alloc_bulk_attached;

static bool kma_alloc_bulk_register(void)
{
	/* register_kretprobe() keeps its own notes in there. */
	kma_alloc_bulk.kp.addr = NULL;
	kma_alloc_bulk.kp.flags = 0;
	kma_alloc_bulk.kp.nmissed = 0;
	kma_alloc_bulk.nmissed = 0;
	kma_alloc_bulk.maxactive = KMA_BULK_WAITING * num_possible_cpus();
	return !register_kretprobe(&kma_alloc_bulk);
}

void kma_bulk_start(void)
{
	if (!strcmp(kma_config.bulk, "off"))
		return;
	kma_free_bulk_attached = kma_free_bulk_register();
	kma_alloc_bulk_attached = kma_alloc_bulk_register();
	if (!kma_free_bulk_attached || !kma_alloc_bulk_attached)
		pr_warn("bulk %s cannot be followed: see hooks in stats\n",
			kma_free_bulk_attached ? "allocations" : "frees");
}

void kma_bulk_stop(void)
{
	if (kma_alloc_bulk_attached)
		unregister_kretprobe(&kma_alloc_bulk);
	if (kma_free_bulk_attached)
		kma_free_bulk_unregister();
	kma_alloc_bulk_attached = false;
	kma_free_bulk_attached = false;
}

bool kma_bulk_frees_followed(void)
{
	return kma_free_bulk_attached;
}

bool kma_bulk_allocs_followed(void)
{
	return kma_alloc_bulk_attached;
}

unsigned long kma_bulk_allocs_missed(void)
{
	return kma_alloc_bulk.nmissed + kma_alloc_bulk.kp.nmissed;
}
