// SPDX-License-Identifier: GPL-2.0
/*
 * The bulk functions, which have no tracepoints.
 *
 * kmem_cache_free_bulk() frees the objects of kfree_rcu(), kvfree_rcu() and
 * kfree_bulk(), and many of the network's; kmem_cache_alloc_bulk() is where many
 * of those come from.  Who only listens to tracepoints takes the first kind for
 * leaks and knows nothing of the second.  A kprobe on the one and a kretprobe on
 * the other see every pointer, in an array that is an argument.
 *
 * A kprobe that is hit while another one is being handled on the same CPU is
 * counted as missed, so interrupts are off while an array is gone through.  What
 * could not be attached or has missed is no error, but then nothing that is
 * live is certain any more: kma_bulk_complete().
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "kmemacct.h"

/* ---- frees ---------------------------------------------------------------- */

/*
 * void kmem_cache_free_bulk(struct kmem_cache *s, size_t size, void **p)
 *
 * By ftrace and not by a kprobe: no kprobe is seen while another is handled on
 * the same CPU, and that includes all interrupts that come meanwhile.
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

static struct ftrace_ops kma_free_bulk = {
	.func = kma_free_bulk_entered,
	.flags = FTRACE_OPS_FL_SAVE_REGS,
};

static bool kma_free_bulk_register(void)
{
	static char name[] = "kmem_cache_free_bulk";

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
	unsigned long flags;
	size_t i;

	if (!(int)regs_return_value(regs))
		return 0;
	local_irq_save(flags);
	for (i = 0; i < args->nr; i++) {
		kma_stat_inc(bulk_allocs);
		kma_probes_bulk(site, args->ptr[i], args->cache);
	}
	local_irq_restore(flags);
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

/* register_kprobe() keeps its own notes in there. */
static void kma_kprobe_clean(struct kprobe *p)
{
	p->addr = NULL;
	p->flags = 0;
	p->nmissed = 0;
}

void kma_bulk_start(void)
{
	if (!strcmp(kma_config.bulk, "off"))
		return;
	kma_kprobe_clean(&kma_alloc_bulk.kp);
	kma_alloc_bulk.nmissed = 0;
	kma_alloc_bulk.maxactive = KMA_BULK_WAITING * num_possible_cpus();
	kma_free_bulk_attached = kma_free_bulk_register();
	kma_alloc_bulk_attached = !register_kretprobe(&kma_alloc_bulk);
	if (!kma_bulk_complete())
		pr_warn("bulk frees or allocations cannot be followed: see hooks in stats\n");
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

void kma_bulk_hooks(struct kma_hook hooks[KMA_BULK_HOOKS])
{
	hooks[0] = (struct kma_hook) {
		.attached = kma_free_bulk_attached,
		.missed = 0,
	};
	hooks[1] = (struct kma_hook) {
		.attached = kma_alloc_bulk_attached,
		.missed = kma_alloc_bulk.nmissed + kma_alloc_bulk.kp.nmissed,
	};
}

bool kma_bulk_complete(void)
{
	struct kma_hook hooks[KMA_BULK_HOOKS];
	int i;

	kma_bulk_hooks(hooks);
	for (i = 0; i < KMA_BULK_HOOKS; i++)
		if (!hooks[i].attached || hooks[i].missed)
			return false;
	return true;
}
