// SPDX-License-Identifier: GPL-2.0
/* Follow the functions of reclaim and compaction.  See reclaim_functions.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/kprobes.h>

#include "../compat.h"
#include "kretprobe.h"
#include "phase.h"
#include "reclaim_functions.h"

/* Index of an argument that a function does not have. */
#define KMA_NO_ARG	U8_MAX

/**
 * struct kma_reclaim_function - a function that is followed
 * @rp: its kretprobe
 * @stat: name of the row of `stats` that says whether it is followed
 * @phase: its phase
 * @order: index of the argument that is the order of the allocation
 * @gfp: index of the argument that is the gfp flags
 * @shrinker: index of the argument that is the shrinker
 * @followed: the kretprobe is registered
 */
struct kma_reclaim_function {
	struct kretprobe rp;
	const char *stat;
	enum kma_phase phase;
	u8 order;
	u8 gfp;
	u8 shrinker;
	bool followed;
};

static int kma_function_entered(struct kretprobe_instance *ri, struct pt_regs *regs);
static int kma_function_returned(struct kretprobe_instance *ri, struct pt_regs *regs);

#define KMA_FUNCTION(_phase, name, _stat, _order, _gfp, _shrinker) {	\
	.rp = {								\
		.kp.symbol_name = name,					\
		.entry_handler = kma_function_entered,			\
		.handler = kma_function_returned,			\
	},								\
	.stat = _stat,							\
	.phase = _phase,						\
	.order = _order, .gfp = _gfp, .shrinker = _shrinker,		\
}

#define KMA_FUNCTION_PLAIN(phase, name, stat)				\
	KMA_FUNCTION(phase, name, stat, KMA_NO_ARG, KMA_NO_ARG, KMA_NO_ARG)

/* The functions, with the indices of their arguments; the same on all kernels. */
static struct kma_reclaim_function kma_functions[] = {
	KMA_FUNCTION(KMA_PHASE_ALLOC, KMA_ALLOC_PAGES, "followed_alloc_pages",
		     1, 0, KMA_NO_ARG),
	KMA_FUNCTION(KMA_PHASE_FREE_PAGES, "try_to_free_pages", "followed_try_to_free_pages",
		     1, 2, KMA_NO_ARG),
	KMA_FUNCTION_PLAIN(KMA_PHASE_SOFT_LIMIT, "mem_cgroup_soft_limit_reclaim",
			   "followed_mem_cgroup_soft_limit_reclaim"),
	KMA_FUNCTION_PLAIN(KMA_PHASE_SHRINK_NODE, "shrink_node",
			   "followed_shrink_node"),
	KMA_FUNCTION_PLAIN(KMA_PHASE_LRU, "shrink_lruvec",
			   "followed_shrink_lruvec"),
#ifdef KMA_HAVE_MGLRU
	KMA_FUNCTION_PLAIN(KMA_PHASE_EVICT, "evict_folios",
			   "followed_evict_folios"),
#endif
	KMA_FUNCTION_PLAIN(KMA_PHASE_LRU_ACTIVE, "shrink_active_list",
			   "followed_shrink_active_list"),
	KMA_FUNCTION_PLAIN(KMA_PHASE_LRU_INACTIVE, "shrink_inactive_list",
			   "followed_shrink_inactive_list"),
	KMA_FUNCTION_PLAIN(KMA_PHASE_SLAB, "shrink_slab",
			   "followed_shrink_slab"),
	KMA_FUNCTION(KMA_PHASE_COUNT, "do_shrink_slab", "followed_do_shrink_slab",
		     KMA_NO_ARG, KMA_NO_ARG, 1),
	KMA_FUNCTION(KMA_PHASE_TRY_COMPACT, "try_to_compact_pages", "followed_try_to_compact_pages",
		     1, 0, KMA_NO_ARG),
	KMA_FUNCTION_PLAIN(KMA_PHASE_COMPACT_ZONE, "compact_zone",
			   "followed_compact_zone"),
#ifndef KMA_HAVE_BALANCE_EVENT
	KMA_FUNCTION_PLAIN(KMA_PHASE_BALANCE, "balance_pgdat",
			   "followed_balance_pgdat"),
#endif
};

static struct kma_reclaim_function *kma_function_of(struct kretprobe_instance *ri)
{
	return container_of(get_kretprobe(ri), struct kma_reclaim_function, rp);
}

static int kma_function_entered(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct kma_reclaim_function *f = kma_function_of(ri);
	struct kma_phase_args args = { .order = KMA_ORDER_NONE, .entry = true };

	if (f->order != KMA_NO_ARG)
		args.order = regs_get_kernel_argument(regs, f->order);
	if (f->gfp != KMA_NO_ARG)
		args.gfp = regs_get_kernel_argument(regs, f->gfp);
	if (f->shrinker != KMA_NO_ARG)
		args.shrinker = (void *)regs_get_kernel_argument(regs, f->shrinker);
	/* If the end does not matter, skip the handler of the return. */
	return !kma_phase_begin(f->phase, &args, kernel_stack_pointer(regs));
}

static int kma_function_returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	kma_phase_end(kma_function_of(ri)->phase, NULL);
	return 0;
}

u64 kma_reclaim_functions_forecast(void)
{
	return ARRAY_SIZE(kma_functions) *
	       kma_kretprobe_forecast(&kma_functions[0].rp, KMA_KRETPROBE_FEW);
}

static bool kma_function_replaces_event(enum kma_phase phase)
{
	return phase == KMA_PHASE_LRU_ACTIVE || phase == KMA_PHASE_LRU_INACTIVE;
}

void kma_reclaim_functions_attach(void)
{
	struct kma_reclaim_function *f;
	bool any = false;

	kma_phase_follows(true);
	for (f = kma_functions; f < kma_functions + ARRAY_SIZE(kma_functions); f++) {
		f->followed = kma_kretprobe_register(&f->rp, KMA_KRETPROBE_FEW);
		any |= f->followed;
		if (kma_function_replaces_event(f->phase))
			kma_phase_has_function(f->phase, f->followed);
	}
	if (!any)
		pr_warn("latency: no function can be followed (is kernel.ftrace_enabled 0?)\n");
}

void kma_reclaim_functions_detach(void)
{
	struct kma_reclaim_function *f;

	kma_phase_follows(false);
	for (f = kma_functions; f < kma_functions + ARRAY_SIZE(kma_functions); f++) {
		if (!f->followed)
			continue;
		kma_kretprobe_unregister(&f->rp);
		f->followed = false;
		if (kma_function_replaces_event(f->phase))
			kma_phase_has_function(f->phase, false);
	}
}

const char *kma_reclaim_function(int i, bool *followed, u64 *missed)
{
	const struct kma_reclaim_function *f = &kma_functions[i];

	if (i >= ARRAY_SIZE(kma_functions))
		return NULL;
	*followed = f->followed;
	*missed = f->followed ? kma_kretprobe_missed(&f->rp) : 0;
	return f->stat;
}
