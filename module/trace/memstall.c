// SPDX-License-Identifier: GPL-2.0
/* Follow the kernel's marks of stalls.  See memstall.h. */
#include <linux/compiler.h>
#include <linux/glob.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "ftrace_hook.h"
#include "memstall.h"
#include "phase.h"

/* ---- causes -------------------------------------------------------------------------- */

/* The functions that call psi_memstall_enter(). */
static const struct {
	const char *name;
	enum kma_phase cause;
} kma_memstall_callers[] = {
	/* Compilers put __alloc_pages_direct_reclaim() into the slow path. */
	{ "__alloc_pages_slowpath*", KMA_PHASE_SLOW_PATH },
	{ "__alloc_pages_direct_reclaim*", KMA_PHASE_SLOW_PATH },
	{ "__perform_reclaim*", KMA_PHASE_SLOW_PATH },
	{ "__alloc_pages_direct_compact*", KMA_PHASE_COMPACTION },
	{ "*node_reclaim*", KMA_PHASE_NODE },
	{ "try_charge*", KMA_PHASE_MEMCG },
	{ "try_to_free_mem_cgroup_pages*", KMA_PHASE_MEMCG },
	{ "reclaim_high*", KMA_PHASE_HIGH },
	{ "high_work_func*", KMA_PHASE_HIGH },
	{ "*mem_cgroup_handle_over_high*", KMA_PHASE_HIGH },
	{ "folio_wait_bit*", KMA_PHASE_REFAULT },
	{ "migration_entry_wait*", KMA_PHASE_REFAULT },
	{ "wait_on_page_bit*", KMA_PHASE_REFAULT },
	/* reads of evicted pages by readahead, and by Linux 5.10 in general */
	{ "read_pages*", KMA_PHASE_REFAULT },
	{ "readahead_expand*", KMA_PHASE_REFAULT },
	{ "add_ra_bio_pages*", KMA_PHASE_REFAULT },
	{ "submit_bio*", KMA_PHASE_REFAULT },
	{ "btrfs_*", KMA_PHASE_REFAULT },
	{ "*erofs_*", KMA_PHASE_REFAULT },
	{ "swap_read*", KMA_PHASE_SWAP_IN },
	{ "balance_pgdat*", KMA_PHASE_BALANCE },
	{ "kcompactd*", KMA_PHASE_KCOMPACTD },
};

/*
 * The causes of return addresses: a hash table.  A word has the lower bits of the address, and the
 * cause in its highest byte, where all addresses of the kernel are the same.
 */
#define KMA_MEMSTALL_WORDS	64
#define KMA_MEMSTALL_TRIES	4
#define KMA_MEMSTALL_SHIFT	56
#define KMA_MEMSTALL_ADDRESS	((1UL << KMA_MEMSTALL_SHIFT) - 1)

static unsigned long kma_memstall_words[KMA_MEMSTALL_WORDS];

static_assert(KMA_PHASE_NR <= 256);

static noinline enum kma_phase kma_memstall_find_cause(unsigned long caller)
{
	char name[KSYM_SYMBOL_LEN];
	size_t i;

	/* A call that never returns may be the last instruction of its function. */
	sprint_symbol_no_offset(name, caller - 1);
	name[strcspn(name, " ")] = '\0';
	for (i = 0; i < ARRAY_SIZE(kma_memstall_callers); i++)
		if (glob_match(kma_memstall_callers[i].name, name))
			return kma_memstall_callers[i].cause;
	return KMA_PHASE_MEMSTALL;
}

/* The cause of the stalls that the function with this return address marks. */
static enum kma_phase kma_memstall_cause(unsigned long caller)
{
	const unsigned long address = caller & KMA_MEMSTALL_ADDRESS;
	const u32 hash = caller >> 3 ^ caller >> 9;
	unsigned long *place, word;
	enum kma_phase cause;
	int try;

	for (try = 0; try < KMA_MEMSTALL_TRIES; try++) {
		place = &kma_memstall_words[(hash + try) % KMA_MEMSTALL_WORDS];
		/* Read it once: kma_memstall_forget() may clear it meanwhile. */
		word = READ_ONCE(*place);
		if ((word & KMA_MEMSTALL_ADDRESS) == address)
			return word >> KMA_MEMSTALL_SHIFT;
		if (!word)
			break;
	}
	cause = kma_memstall_find_cause(caller);
	WRITE_ONCE(*place, address | (unsigned long)cause << KMA_MEMSTALL_SHIFT);
	return cause;
}

void kma_memstall_forget(void)
{
	int i;

	for (i = 0; i < KMA_MEMSTALL_WORDS; i++)
		WRITE_ONCE(kma_memstall_words[i], 0);
}

/*
 * ---- hooks ---------------------------------------------------------------------------
 *
 * Hooks disable preemption themselves, because ftrace may not.  kma_phase_record() waits for them.
 */

/* kswapd and kcompactd have phases of their own, from one sleep to the next. */
static bool kma_memstall_is_background(enum kma_phase cause)
{
	return cause == KMA_PHASE_BALANCE || cause == KMA_PHASE_KCOMPACTD;
}

/* The tracer of function graphs may have replaced the return address on the stack. */
static void notrace kma_memstall_begin(enum kma_phase phase, struct kma_phase_args *args,
				       unsigned long parent_ip, struct ftrace_regs *regs)
{
	const struct pt_regs *r = ftrace_get_regs(regs);

	args->order = KMA_ORDER_NONE;
	args->from = kma_return_at(r);
	args->from.ip = parent_ip;
	kma_phase_begin(phase, args, kernel_stack_pointer((struct pt_regs *)r));
}

/* With only one of the two hooks, stalls would have no end, or ends would have no stall. */
static void notrace kma_memstall_entered(unsigned long parent_ip, struct ftrace_regs *regs)
{
	struct kma_phase_args args = { };

	preempt_disable_notrace();
	args.cause = kma_memstall_cause(parent_ip);
	if (kma_memstall_followed() && !kma_memstall_is_background(args.cause))
		kma_memstall_begin(KMA_PHASE_MEMSTALL, &args, parent_ip, regs);
	preempt_enable_notrace();
}

static void notrace kma_memstall_left(unsigned long parent_ip, struct ftrace_regs *regs)
{
	preempt_disable_notrace();
	if (kma_memstall_followed() &&
	    !kma_memstall_is_background(kma_memstall_cause(parent_ip)))
		kma_phase_end(KMA_PHASE_MEMSTALL, NULL);
	preempt_enable_notrace();
}

static void notrace kma_memstall_throttles(unsigned long parent_ip, struct ftrace_regs *regs)
{
	struct kma_phase_args args = { .arg = current->nvcsw };

	preempt_disable_notrace();
	kma_memstall_begin(KMA_PHASE_DIRECT_THROTTLED, &args, parent_ip, regs);
	preempt_enable_notrace();
}

static struct kma_ftrace_hook kma_ftrace_hook_memstall_enter = {
	.name = "psi_memstall_enter",
	.entered = kma_memstall_entered,
	.loss = "psi_memstall_enter() cannot be followed: stalls lack waits without a tracepoint",
};

static struct kma_ftrace_hook kma_ftrace_hook_memstall_leave = {
	.name = "psi_memstall_leave",
	.entered = kma_memstall_left,
	.loss = "psi_memstall_leave() cannot be followed: stalls lack waits without a tracepoint",
};

static struct kma_ftrace_hook kma_ftrace_hook_throttle = {
	.name = "throttle_direct_reclaim",
	.entered = kma_memstall_throttles,
	.loss = "throttle_direct_reclaim() cannot be followed: its waits count as other",
};

static struct kma_ftrace_hook *const kma_memstall_hook[] = {
	&kma_ftrace_hook_memstall_enter,
	&kma_ftrace_hook_memstall_leave,
	&kma_ftrace_hook_throttle,
};

static struct kma_ftrace_hooks kma_memstall_hooks = {
	.hook = kma_memstall_hook, .nr = ARRAY_SIZE(kma_memstall_hook),
};

void kma_memstall_start(void)
{
	kma_ftrace_hooks_start(&kma_memstall_hooks, false);
}

void kma_memstall_stop(void)
{
	kma_ftrace_hooks_stop(&kma_memstall_hooks);
}

bool kma_memstall_followed(void)
{
	return kma_ftrace_hook_memstall_enter.attached && kma_ftrace_hook_memstall_leave.attached;
}

bool kma_memstall_throttle_followed(void)
{
	return kma_ftrace_hook_throttle.attached;
}
