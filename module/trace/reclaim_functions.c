// SPDX-License-Identifier: GPL-2.0
/* Follow the functions of reclaim and compaction.  See reclaim_functions.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/shrinker.h>
#include <linux/uaccess.h>

#include "../compat.h"
#include "../core/stat.h"
#include "kretprobe.h"
#include "phase.h"
#include "reclaim_functions.h"

/* Index of an argument that a function does not have. */
#define KMA_NO_ARG	U8_MAX
/* Room for the names of a function, and for NULL. */
#define KMA_FUNCTION_NAMES	5

/**
 * struct kma_reclaim_function - a function that is followed
 * @rp: its kretprobe
 * @name: its names, see kma_kretprobe_register_first()
 * @stat: name of the row of `stats` that says whether it is followed
 * @phase: its phase
 * @order: index of the argument that is the order of the allocation
 * @gfp: index of the argument that is the gfp flags
 * @shrinker: index of the argument that is the shrinker
 * @followed: the kretprobe is registered
 */
struct kma_reclaim_function {
	struct kretprobe rp;
	const char *name[KMA_FUNCTION_NAMES];
	const char *stat;
	enum kma_phase phase;
	u8 order;
	u8 gfp;
	u8 shrinker;
	bool followed;
};

static int kma_function_entered(struct kretprobe_instance *ri, struct pt_regs *regs);
static int kma_function_returned(struct kretprobe_instance *ri, struct pt_regs *regs);

/* The last arguments are the names of the function, from the newest kernel's to the oldest's. */
#define KMA_FUNCTION(_phase, _stat, _order, _gfp, _shrinker, ...) {	\
	.rp = {								\
		.entry_handler = kma_function_entered,			\
		.handler = kma_function_returned,			\
	},								\
	.name = { __VA_ARGS__ },					\
	.stat = _stat,							\
	.phase = _phase,						\
	.order = _order, .gfp = _gfp, .shrinker = _shrinker,		\
}

#define KMA_FUNCTION_PLAIN(phase, stat, ...)				\
	KMA_FUNCTION(phase, stat, KMA_NO_ARG, KMA_NO_ARG, KMA_NO_ARG, __VA_ARGS__)

/* The functions, with the indices of their arguments; the same on all kernels. */
static struct kma_reclaim_function kma_functions[] = {
	KMA_FUNCTION_PLAIN(KMA_PHASE_SOFT_LIMIT, "followed_mem_cgroup_soft_limit_reclaim",
			   "memcg1_soft_limit_reclaim", "mem_cgroup_soft_limit_reclaim"),
	KMA_FUNCTION_PLAIN(KMA_PHASE_SHRINK_NODE, "followed_shrink_node",
			   "shrink_node"),
	KMA_FUNCTION_PLAIN(KMA_PHASE_LRU, "followed_shrink_lruvec",
			   "shrink_lruvec"),
	KMA_FUNCTION_PLAIN(KMA_PHASE_EVICT, "followed_evict_folios",
			   "evict_folios"),
	KMA_FUNCTION_PLAIN(KMA_PHASE_LRU_ACTIVE, "followed_shrink_active_list",
			   "shrink_active_list"),
	KMA_FUNCTION_PLAIN(KMA_PHASE_LRU_INACTIVE, "followed_shrink_inactive_list",
			   "shrink_inactive_list"),
	KMA_FUNCTION_PLAIN(KMA_PHASE_SLAB, "followed_shrink_slab",
			   "shrink_slab"),
	KMA_FUNCTION(KMA_PHASE_COUNT, "followed_do_shrink_slab", KMA_NO_ARG, KMA_NO_ARG, 1,
		     "do_shrink_slab"),
	KMA_FUNCTION(KMA_PHASE_TRY_COMPACT, "followed_try_to_compact_pages", 1, 0, KMA_NO_ARG,
		     "try_to_compact_pages"),
	KMA_FUNCTION_PLAIN(KMA_PHASE_COMPACT_ZONE, "followed_compact_zone",
			   "compact_zone"),
#ifndef KMA_HAVE_BALANCE_EVENT
	KMA_FUNCTION_PLAIN(KMA_PHASE_BALANCE, "followed_balance_pgdat",
			   "balance_pgdat"),
#endif
};

/* Number of calls whose kretprobe could not be found. */
static atomic64_t kma_functions_unknown;

/*
 * Find the function of a call.  Return: NULL if it cannot be found.  When a kretprobe is being
 * unregistered, its instances no longer refer to it, but its handlers may still run.
 */
static struct kma_reclaim_function *kma_function_of(struct kretprobe_instance *ri)
{
	struct kretprobe *rp = get_kretprobe(ri);

	return rp ? container_of(rp, struct kma_reclaim_function, rp) : NULL;
}

/*
 * The index of this argument is the same on all known kernels, but the compiler cannot check that.
 * So test whether the argument points to readable memory.
 */
const struct shrinker *kma_function_shrinker(unsigned long arg)
{
	const struct shrinker *shrinker = (const struct shrinker *)arg;
	struct shrinker copy;

	if (!copy_from_kernel_nofault(&copy, shrinker, sizeof(copy)))
		return shrinker;
	kma_stat_inc(shrinker_unreadable);
	return NULL;
}

static int kma_function_entered(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct kma_reclaim_function *f = kma_function_of(ri);
	struct kma_phase_args args = { .order = KMA_ORDER_NONE, .from = kma_return_at(regs) };

	if (!f) {
		atomic64_inc(&kma_functions_unknown);
		/* Skip the handler of the return. */
		return 1;
	}
	if (f->order != KMA_NO_ARG)
		args.order = regs_get_kernel_argument(regs, f->order);
	if (f->gfp != KMA_NO_ARG)
		args.gfp = regs_get_kernel_argument(regs, f->gfp);
	if (f->shrinker != KMA_NO_ARG)
		args.shrinker = kma_function_shrinker(regs_get_kernel_argument(regs, f->shrinker));
	/* If the end does not matter, skip the handler of the return. */
	return !kma_phase_begin(f->phase, &args, kernel_stack_pointer(regs));
}

static int kma_function_returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct kma_reclaim_function *f = kma_function_of(ri);

	/* If the function is unknown, the phase is dropped later, and counts as stall_ends_lost. */
	if (f)
		kma_phase_end(f->phase, NULL);
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

	atomic64_set(&kma_functions_unknown, 0);
	for (f = kma_functions; f < kma_functions + ARRAY_SIZE(kma_functions); f++) {
		f->followed = kma_kretprobe_register_first(&f->rp, f->name,
							   KMA_KRETPROBE_FEW);
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

	for (f = kma_functions; f < kma_functions + ARRAY_SIZE(kma_functions); f++) {
		if (!f->followed)
			continue;
		kma_kretprobe_unregister(&f->rp);
		f->followed = false;
		if (kma_function_replaces_event(f->phase))
			kma_phase_has_function(f->phase, false);
	}
}

const char *kma_reclaim_function(int i, bool *followed)
{
	const struct kma_reclaim_function *f = &kma_functions[i];

	if (i >= ARRAY_SIZE(kma_functions))
		return NULL;
	*followed = f->followed;
	return f->stat;
}

u64 kma_reclaim_functions_missed(void)
{
	const struct kma_reclaim_function *f;
	u64 missed = atomic64_read(&kma_functions_unknown);

	for (f = kma_functions; f < kma_functions + ARRAY_SIZE(kma_functions); f++)
		if (f->followed)
			missed += kma_kretprobe_missed(&f->rp);
	return missed;
}
