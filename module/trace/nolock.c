// SPDX-License-Identifier: GPL-2.0
/* Follow kmalloc_nolock() and the frees of its objects.  See nolock.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/numa.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringify.h>

#include "../compat.h"
#include "../core/stat.h"
#include "../resolve/cacheinfo.h"
#include "../state.h"
#include "ftrace_hook.h"
#include "kretprobe.h"
#include "nolock.h"
#include "slab.h"

/* ---- frees ---------------------------------------------------------------- */

#ifdef KMA_HAVE_KMALLOC_NOLOCK
static_assert(kma_ftrace_hook_fits(kfree_nolock, void, const void *object));

static void notrace kma_free_nolock_entered(unsigned long parent_ip,
					    struct ftrace_regs *regs)
{
	preempt_disable_notrace();
	kma_stat_inc(nolock_frees);
	kma_slab_free((void *)kma_ftrace_hook_arg(regs, 0));
	preempt_enable_notrace();
}

struct kma_ftrace_hook kma_ftrace_hook_free_nolock = {
	.function = kfree_nolock,
	.entered = kma_free_nolock_entered,
	.bulk = true,
	.loss = "kfree_nolock() cannot be followed: objects shown as live may have been freed",
};
#endif

#ifdef KMA_HAVE_KFREE_RCU_NOLOCK
/*
 * kfree_rcu_nolock() calls kfree_call_rcu_nolock(), which handles the object as
 * kvfree_call_rcu() does (bulk.c).  If it cannot do so at once, it queues an irq_work, which
 * passes the object to kvfree_call_rcu().  By then the object is no longer in the live table.
 */
static_assert(kma_ftrace_hook_fits(kfree_call_rcu_nolock, void, struct kvfree_rcu_head *head,
				   void *ptr));

static void notrace kma_free_rcu_nolock_entered(unsigned long parent_ip,
						struct ftrace_regs *regs)
{
	preempt_disable_notrace();
	kma_stat_inc(rcu_pending);
	kma_slab_free((void *)kma_ftrace_hook_arg(regs, 1));
	preempt_enable_notrace();
}

struct kma_ftrace_hook kma_ftrace_hook_free_rcu_nolock = {
	.function = kfree_call_rcu_nolock,
	.entered = kma_free_rcu_nolock_entered,
	.bulk = true,
	.loss = "kfree_rcu_nolock() cannot be followed: objects shown as live may have been freed",
};
#endif

/* ---- allocations ---------------------------------------------------------- */

#ifdef KMA_HAVE_KMALLOC_NOLOCK
struct kma_nolock_args {
	size_t size;
	gfp_t gfp;
};

static_assert(kma_ftrace_hook_fits(KMA_KMALLOC_NOLOCK, void *, KMA_KMALLOC_NOLOCK_ARGS));

static int kma_nolock_entered(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kma_nolock_args *args = (void *)ri->data;

	args->size = regs_get_kernel_argument(regs, 0);
	args->gfp = (__force gfp_t)regs_get_kernel_argument(regs,
							    KMA_KMALLOC_NOLOCK_GFP);
	return 0;
}

/*
 * The function has not returned to its caller yet, so no other code can free the object
 * before it is recorded.
 */
static int kma_nolock_returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct kma_nolock_args *args = (void *)ri->data;

	preempt_disable_notrace();
	kma_stat_inc(nolock_allocs);
	kma_slab_nolock_alloc(get_kretprobe_retaddr(ri), (void *)regs_return_value(regs),
			      args->size, args->gfp);
	preempt_enable_notrace();
	return 0;
}

static struct kretprobe kma_nolock = {
	.kp.symbol_name = __stringify(KMA_KMALLOC_NOLOCK),
	.entry_handler = kma_nolock_entered,
	.handler = kma_nolock_returned,
	.data_size = sizeof(struct kma_nolock_args),
};

/*
 * Instances for each possible CPU, at least.
 *
 * The kernel keeps the kretprobe instances of each CPU in a ring (lib/objpool.c).  It takes an
 * instance with a cmpxchg, but puts it back in two steps: it reserves the last place, and then
 * fills it.  An NMI between the two steps may take any instance but this one, so each CPU needs
 * more instances than the number of calls that one NMI makes.
 */
#define KMA_NOLOCK_CALLS 16

static bool kma_nolock_attached;

/*
 * Attach only if all frees of these objects are followed, and if the module can find out how many
 * bytes each object takes.  The self-test finds out whether the kretprobe fires.
 */
static bool kma_nolock_attach(bool frees_followed)
{
	return frees_followed && kma_cacheinfo_has_slab() &&
	       kma_kretprobe_register(&kma_nolock, KMA_NOLOCK_CALLS);
}

u64 kma_nolock_forecast(void)
{
	return kma_config.bulk ? kma_kretprobe_forecast(&kma_nolock, KMA_NOLOCK_CALLS) : 0;
}

void kma_nolock_start(bool frees_followed)
{
	if (!kma_config.bulk)
		return;
	kma_nolock_attached = kma_nolock_attach(frees_followed);
	if (!kma_nolock_attached)
		pr_warn("kmalloc_nolock() cannot be followed: its objects are not in the tables\n");
}

void kma_nolock_stop(void)
{
	if (kma_nolock_attached)
		kma_kretprobe_unregister(&kma_nolock);
	kma_nolock_attached = false;
}

bool kma_nolock_allocs_followed(void)
{
	return kma_nolock_attached;
}

unsigned long kma_nolock_allocs_missed(void)
{
	return kma_kretprobe_missed(&kma_nolock);
}
#else
u64 kma_nolock_forecast(void)
{
	return 0;
}

void kma_nolock_start(bool frees_followed)
{
}

void kma_nolock_stop(void)
{
}

bool kma_nolock_allocs_followed(void)
{
	return false;
}

unsigned long kma_nolock_allocs_missed(void)
{
	return 0;
}
#endif
