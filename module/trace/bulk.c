// SPDX-License-Identifier: GPL-2.0
/* Functions that allocate and free without a tracepoint.  See bulk.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringify.h>

#include "../compat.h"
#include "../state.h"
#include "bulk.h"
#include "cache.h"
#include "ftrace_hook.h"
#include "slab.h"

/* ---- frees ---------------------------------------------------------------- */

/* The objects are in an array. */
static_assert(kma_ftrace_hook_fits(kmem_cache_free_bulk, void, struct kmem_cache *s,
				   size_t size, void **p));

static void notrace kma_free_bulk_entered(unsigned long parent_ip,
					  struct ftrace_regs *regs)
{
	size_t i, nr = kma_ftrace_hook_arg(regs, 1);
	void **ptr = (void **)kma_ftrace_hook_arg(regs, 2);

	preempt_disable_notrace();
	for (i = 0; i < nr; i++) {
		kma_stat_inc(bulk_frees);
		kma_slab_free(ptr[i]);
	}
	preempt_enable_notrace();
}

#define KMA_BULK_LOSS "bulk frees cannot be followed: nothing live is certain"

static struct kma_ftrace_hook kma_ftrace_hook_free_bulk = {
	.function = kmem_cache_free_bulk,
	.entered = kma_free_bulk_entered,
	.bulk = true,
	.loss = KMA_BULK_LOSS,
};

#ifdef KMA_HAVE_SHEAVES
/*
 * What kfree_rcu() ends in.  Most objects go to a sheaf of their CPU, from where
 * they are allocated again after a grace period, and nobody says that they are
 * free.  So they are freed here; what goes another way after all, and is announced
 * when it is freed, is not in the table then.
 */
static_assert(kma_ftrace_hook_fits(kvfree_call_rcu, void, struct rcu_head *head,
				   void *ptr));

static void notrace kma_free_rcu_entered(unsigned long parent_ip,
					 struct ftrace_regs *regs)
{
	preempt_disable_notrace();
	kma_stat_inc(rcu_pending);
	kma_slab_free((void *)kma_ftrace_hook_arg(regs, 1));
	preempt_enable_notrace();
}

static struct kma_ftrace_hook kma_ftrace_hook_free_rcu = {
	.function = kvfree_call_rcu,
	.entered = kma_free_rcu_entered,
	.bulk = true,
	.loss = KMA_BULK_LOSS,
};
#endif

bool kma_bulk_frees_followed(void)
{
#ifdef KMA_HAVE_SHEAVES
	return kma_ftrace_hook_free_bulk.attached && kma_ftrace_hook_free_rcu.attached;
#else
	return kma_ftrace_hook_free_bulk.attached;
#endif
}

/* ---- allocations ---------------------------------------------------------- */

struct kma_alloc_bulk_args {
	unsigned long cache;
	gfp_t gfp;
	size_t nr;
	void **ptr;
};

/* The cache of the rehearsal, and whether the kretprobe was there. */
static unsigned long kma_alloc_bulk_rehearsed;
static bool kma_alloc_bulk_heard;

#define KMA_ALLOC_BULK_ARGS						\
	struct kmem_cache *s, gfp_t flags, size_t nr, void **p
#define KMA_ALLOC_BULK_BOOL						\
	kma_ftrace_hook_fits(KMA_ALLOC_BULK, bool, KMA_ALLOC_BULK_ARGS)

static_assert(KMA_ALLOC_BULK_BOOL ||
	      kma_ftrace_hook_fits(KMA_ALLOC_BULK, int, KMA_ALLOC_BULK_ARGS));

/* Of a bool only the lowest byte of the register is valid. */
static bool kma_alloc_bulk_worked(struct pt_regs *regs)
{
	if (KMA_ALLOC_BULK_BOOL)
		return (u8)regs_return_value(regs);
	return (int)regs_return_value(regs);
}

static int kma_alloc_bulk_entered(struct kretprobe_instance *ri,
				  struct pt_regs *regs)
{
	struct kma_alloc_bulk_args *args = (void *)ri->data;

	args->cache = regs_get_kernel_argument(regs, 0);
	args->gfp = (__force gfp_t)regs_get_kernel_argument(regs, 1);
	args->nr = regs_get_kernel_argument(regs, 2);
	args->ptr = (void **)regs_get_kernel_argument(regs, 3);
	if (args->cache != READ_ONCE(kma_alloc_bulk_rehearsed))
		return 0;
	WRITE_ONCE(kma_alloc_bulk_heard, true);
	/* Not when it returns. */
	return 1;
}

/* All or none; nobody but the caller's caller knows of these objects yet. */
static int kma_alloc_bulk_returned(struct kretprobe_instance *ri,
				   struct pt_regs *regs)
{
	const struct kma_alloc_bulk_args *args = (void *)ri->data;
	unsigned long site = get_kretprobe_retaddr(ri);
	size_t i;

	if (!kma_alloc_bulk_worked(regs))
		return 0;
	preempt_disable_notrace();
	for (i = 0; i < args->nr; i++) {
		kma_stat_inc(bulk_allocs);
		kma_slab_bulk_alloc(site, args->ptr[i], args->cache, args->gfp);
	}
	preempt_enable_notrace();
	return 0;
}

static struct kretprobe kma_alloc_bulk = {
	.kp.symbol_name = __stringify(KMA_ALLOC_BULK),
	.entry_handler = kma_alloc_bulk_entered,
	.handler = kma_alloc_bulk_returned,
	.data_size = sizeof(struct kma_alloc_bulk_args),
};

/* ---- attaching ------------------------------------------------------------ */

/* Calls that may wait for memory at a time, so many on each CPU. */
#define KMA_BULK_WAITING 64

static bool kma_alloc_bulk_attached;

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

/* While root has switched kprobes off, they are registered all the same. */
static bool kma_alloc_bulk_rehearse(void)
{
	struct kmem_cache *cache;
	void *object;

	cache = kmem_cache_create(KBUILD_MODNAME "-rehearsal", 64, 0, 0, NULL);
	if (!cache)
		return false;
	WRITE_ONCE(kma_alloc_bulk_heard, false);
	WRITE_ONCE(kma_alloc_bulk_rehearsed, (unsigned long)cache);
	if (kmem_cache_alloc_bulk(cache, GFP_KERNEL, 1, &object))
		kmem_cache_free(cache, object);
	WRITE_ONCE(kma_alloc_bulk_rehearsed, 0);
	kmem_cache_destroy(cache);
	return READ_ONCE(kma_alloc_bulk_heard);
}

/*
 * A kprobe on the first instruction of a function sits on ftrace.  To take one
 * away while that is switched off makes ftrace warn later, and stop for good; a
 * hook that is attached keeps it on.
 */
static bool kma_alloc_bulk_attach(void)
{
	if (!kma_ftrace_hook_free_bulk.attached || !kma_alloc_bulk_register())
		return false;
	if (kma_alloc_bulk_rehearse())
		return true;
	unregister_kretprobe(&kma_alloc_bulk);
	return false;
}

/* What is entered most often comes first. */
static struct kma_ftrace_hook *const kma_bulk_hooks[] = {
#ifndef KMA_HAVE_FREE_EVENT_EARLY
	&kma_ftrace_hook_free,
#endif
	&kma_ftrace_hook_free_bulk,
#ifdef KMA_HAVE_SHEAVES
	&kma_ftrace_hook_free_rcu,
#endif
	&kma_ftrace_hook_cache_destroy,
};

void kma_bulk_start(void)
{
	const bool bulk = kma_config.bulk;

	kma_ftrace_hooks_start(kma_bulk_hooks, ARRAY_SIZE(kma_bulk_hooks), bulk);
	if (!bulk)
		return;
	kma_alloc_bulk_attached = kma_alloc_bulk_attach();
	if (!kma_alloc_bulk_attached)
		pr_warn("bulk allocations cannot be followed: their objects stay unknown (are kprobes off?)\n");
}

void kma_bulk_stop(void)
{
	if (kma_alloc_bulk_attached)
		unregister_kretprobe(&kma_alloc_bulk);
	kma_alloc_bulk_attached = false;
	kma_ftrace_hooks_stop();
}

bool kma_bulk_allocs_followed(void)
{
	return kma_alloc_bulk_attached;
}

unsigned long kma_bulk_allocs_missed(void)
{
	return kma_alloc_bulk.nmissed + kma_alloc_bulk.kp.nmissed;
}
