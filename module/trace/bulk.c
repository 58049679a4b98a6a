// SPDX-License-Identifier: GPL-2.0
/* Follow functions that allocate and free without a tracepoint.  See bulk.h. */
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
#include "kretprobe.h"
#include "nolock.h"
#include "slab.h"

/* ---- frees ---------------------------------------------------------------- */

/* The handler reads the number and the array of objects from arguments 1 and 2. */
static_assert(kma_ftrace_hook_fits(kmem_cache_free_bulk, void, struct kmem_cache *s,
				   size_t size, void **p));

static void notrace kma_free_bulk_piece(void **ptr, size_t nr)
{
	size_t i;

	preempt_disable_notrace();
	for (i = 0; i < nr; i++) {
		kma_stat_inc(bulk_frees);
		kma_slab_free(ptr[i]);
	}
	preempt_enable_notrace();
}

/*
 * kfree_rcu() frees about 500 objects at once.  The task may be preempted between two pieces, and
 * may migrate: no object is freed before this returns.  If another user of ftrace follows the same
 * function, ftrace itself disables preemption around all of them.
 */
static void notrace kma_free_bulk_entered(unsigned long parent_ip,
					  struct ftrace_regs *regs)
{
	size_t i, nr = kma_ftrace_hook_arg(regs, 1);
	void **ptr = (void **)kma_ftrace_hook_arg(regs, 2);

	for (i = 0; i < nr; i += KMA_BULK_PIECE)
		kma_free_bulk_piece(ptr + i, min_t(size_t, nr - i, KMA_BULK_PIECE));
}

#define KMA_BULK_LOSS "bulk frees cannot be followed: objects shown as live may have been freed"

struct kma_ftrace_hook kma_ftrace_hook_free_bulk = {
	.function = kmem_cache_free_bulk,
	.entered = kma_free_bulk_entered,
	.bulk = true,
	.loss = KMA_BULK_LOSS,
};

#ifdef KMA_HAVE_SHEAVES
struct kvfree_rcu_head;

/*
 * kfree_rcu() calls kvfree_call_rcu(), which puts most objects into a sheaf of this CPU.
 * After a grace period, they can be allocated again from the sheaf without a free event in
 * between.  So this hook removes the object from the live table.  An object that does not go
 * into a sheaf has a free event later; by then it is no longer in the live table.
 */
static_assert(kma_ftrace_hook_fits(kvfree_call_rcu, void, struct rcu_head *head, void *ptr) ||
	      kma_ftrace_hook_fits(kvfree_call_rcu, void, struct kvfree_rcu_head *head, void *ptr));

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

/* True if the self-test has found a free that a hook did not see.  Written at load. */
static bool kma_bulk_frees_lost;

bool kma_bulk_frees_followed(void)
{
	return kma_bulk_hooks_attached() && !kma_bulk_frees_lost;
}

/* ---- allocations ---------------------------------------------------------- */

struct kma_alloc_bulk_args {
	unsigned long cache;
	gfp_t gfp;
	size_t nr;
	void **ptr;
};

#define KMA_ALLOC_BULK_ARGS						\
	struct kmem_cache *s, gfp_t flags, size_t nr, void **p
#define KMA_ALLOC_BULK_BOOL						\
	kma_ftrace_hook_fits(KMA_ALLOC_BULK, bool, KMA_ALLOC_BULK_ARGS)

static_assert(KMA_ALLOC_BULK_BOOL ||
	      kma_ftrace_hook_fits(KMA_ALLOC_BULK, int, KMA_ALLOC_BULK_ARGS));

/* For a bool, only the lowest byte of the register is valid. */
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
	return 0;
}

/*
 * The function allocates all objects or none.  It has not returned to its caller yet, so
 * no other code can free the objects before they are recorded.
 */
static int kma_alloc_bulk_returned(struct kretprobe_instance *ri,
				   struct pt_regs *regs)
{
	const struct kma_alloc_bulk_args *args = (void *)ri->data;
	unsigned long site = get_kretprobe_retaddr(ri);
	size_t i;

	if (!kma_alloc_bulk_worked(regs))
		return 0;
	/* Find the caller of a helper once, not for each object. */
	site = kma_slab_bulk_site(site);
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

static bool kma_alloc_bulk_attached;

/*
 * Objects that are allocated in bulk are recorded only if bulk frees are recorded, too.  The
 * self-test finds out whether the kretprobe fires, because registering it succeeds even while root
 * has disabled kprobes.
 */
static bool kma_alloc_bulk_attach(void)
{
	return kma_ftrace_hook_free_bulk.attached &&
	       kma_kretprobe_register(&kma_alloc_bulk, KMA_KRETPROBE_FEW);
}

/* Searched from the first to the last: the function that is called most often comes first. */
static struct kma_ftrace_hook *const kma_bulk_hook[] = {
#ifndef KMA_HAVE_FREE_EVENT_EARLY
	&kma_ftrace_hook_free,
#endif
	&kma_ftrace_hook_free_bulk,
#ifdef KMA_HAVE_SHEAVES
	&kma_ftrace_hook_free_rcu,
#endif
#ifdef KMA_HAVE_KMALLOC_NOLOCK
	&kma_ftrace_hook_free_nolock,
#endif
#ifdef KMA_HAVE_KFREE_RCU_NOLOCK
	&kma_ftrace_hook_free_rcu_nolock,
#endif
	&kma_ftrace_hook_cache_destroy,
};

static_assert(ARRAY_SIZE(kma_bulk_hook) <= KMA_FTRACE_HOOKS_MAX);

static struct kma_ftrace_hooks kma_bulk_hooks = {
	.hook = kma_bulk_hook, .nr = ARRAY_SIZE(kma_bulk_hook),
};

u64 kma_bulk_forecast(void)
{
	return kma_config.bulk ? kma_kretprobe_forecast(&kma_alloc_bulk, KMA_KRETPROBE_FEW) : 0;
}

void kma_bulk_start(void)
{
	const bool bulk = kma_config.bulk;

	kma_bulk_frees_lost = false;
	kma_ftrace_hooks_start(&kma_bulk_hooks, bulk);
	if (!bulk)
		return;
	kma_alloc_bulk_attached = kma_alloc_bulk_attach();
	if (!kma_alloc_bulk_attached)
		pr_warn("bulk allocations cannot be followed: their objects are not in the tables\n");
}

void kma_bulk_allocs_stop(void)
{
	if (kma_alloc_bulk_attached)
		kma_kretprobe_unregister(&kma_alloc_bulk);
	kma_alloc_bulk_attached = false;
}

void kma_bulk_frees_distrust(void)
{
	kma_bulk_frees_lost = true;
	kma_bulk_allocs_stop();
}

void kma_bulk_stop(void)
{
	kma_bulk_allocs_stop();
	kma_ftrace_hooks_stop(&kma_bulk_hooks);
}

bool kma_bulk_hooks_attached(void)
{
	return kma_ftrace_hooks_bulk_attached(&kma_bulk_hooks);
}

bool kma_bulk_allocs_followed(void)
{
	return kma_alloc_bulk_attached;
}

unsigned long kma_bulk_allocs_missed(void)
{
	return kma_kretprobe_missed(&kma_alloc_bulk);
}
