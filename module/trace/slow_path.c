// SPDX-License-Identifier: GPL-2.0
/* Follow the slow path of the page allocator.  See slow_path.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/printk.h>

#include "../compat.h"
#include "failures.h"
#include "kretprobe.h"
#include "phase.h"
#include "slow_path.h"

/* At least as many tasks can be in the slow path at a time, on any number of CPUs. */
#define KMA_SLOW_PATH_TASKS	1024

static bool kma_slow_path_attached;

/*
 * A breakpoint in the kernel counts as an NMI.  Return: whether a task has run into it, and not an
 * interrupt.
 */
static bool kma_slow_path_in_task(void)
{
	const unsigned long count = preempt_count();

	if (!in_nmi())
		return in_task();
	/* With PREEMPT_RT, preempt_count() does not count soft interrupts. */
	return !((count - NMI_OFFSET - HARDIRQ_OFFSET) & (NMI_MASK | HARDIRQ_MASK)) &&
	       !in_serving_softirq();
}

/**
 * struct kma_slow_path_args - what is kept of a call until it returns
 * @from: where it returns to
 * @order: order of the allocation
 * @gfp: its gfp flags
 * @in_interrupt: an interrupt has made the call, and returns before any other task runs
 * @outer: if so, the call that an interrupt was in on this CPU before; NULL if there was none
 */
struct kma_slow_path_args {
	struct kma_return from;
	int order;
	u32 gfp;
	bool in_interrupt;
	const struct kma_slow_path_args *outer;
};

/* The call that an interrupt on this CPU is in.  Only interrupts use it, which do not migrate. */
static DEFINE_PER_CPU(const struct kma_slow_path_args *, kma_slow_path_interrupt);

unsigned long kma_slow_path_site(void)
{
	const struct kma_slow_path_args *call;

	if (in_task())
		return kma_phase_site();
	call = this_cpu_read(kma_slow_path_interrupt);
	return call ? kma_env_page_site_from(&call->from) : kma_env_page_site();
}

/* A call instruction: the opcode, and the distance of the function from the end. */
#define KMA_CALL_OPCODE		0xe8
#define KMA_CALL_BYTES		5
/* The kprobe may be behind an instruction of this size at the beginning of the function. */
#define KMA_ENDBR_BYTES		4

static struct kretprobe kma_slow_path;

/* Where the latest call returned to whose return address was the kernel's own. */
static unsigned long kma_slow_path_return;

/* Whether the function was called right before this address. */
static bool kma_slow_path_returns_to(unsigned long ip)
{
	const u8 *call = (u8 *)ip - KMA_CALL_BYTES;
	const unsigned long function = ip + *(s32 *)(call + 1);

	return *call == KMA_CALL_OPCODE &&
	       (unsigned long)kma_slow_path.kp.addr - function <= KMA_ENDBR_BYTES;
}

/*
 * Where the call returns to.  A kretprobe of another tool has replaced the return address if it was
 * registered later, because it is called earlier.  Kernels have one call of the function, so the
 * address is that of other calls.  If none was seen, it is 0, and the call site is found by
 * unwinding the stack, for which 5.10 needs the address.
 */
static struct kma_return kma_slow_path_return_at(const struct pt_regs *regs)
{
	struct kma_return from = kma_return_at(regs);

	if (!kma_slow_path_returns_to(from.ip))
		from.ip = READ_ONCE(kma_slow_path_return);
	else if (READ_ONCE(kma_slow_path_return) != from.ip)
		WRITE_ONCE(kma_slow_path_return, from.ip);
	return from;
}

static int kma_slow_path_entered(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct kma_phase_args args = {
		.gfp = regs_get_kernel_argument(regs, 0),
		.order = regs_get_kernel_argument(regs, 1),
		.from = kma_slow_path_return_at(regs),
		.in_task = kma_slow_path_in_task(),
	};
	struct kma_slow_path_args *kept = (void *)ri->data;

	kept->from = args.from;
	kept->order = args.order;
	kept->gfp = args.gfp;
	/* With PREEMPT_RT, soft interrupts of two tasks may take turns on a CPU. */
	kept->in_interrupt = !args.in_task && !IS_ENABLED(CONFIG_PREEMPT_RT);
	if (kept->in_interrupt) {
		kept->outer = this_cpu_read(kma_slow_path_interrupt);
		this_cpu_write(kma_slow_path_interrupt, kept);
	}
	kma_phase_begin(KMA_PHASE_SLOW_PATH, &args, kernel_stack_pointer(regs));
	return 0;
}

static int kma_slow_path_returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct kma_slow_path_args *kept = (void *)ri->data;

	if (kept->in_interrupt)
		this_cpu_write(kma_slow_path_interrupt, kept->outer);
	kma_phase_end(KMA_PHASE_SLOW_PATH, NULL);
	if (!regs_return_value(regs))
		kma_failure_count_pages(kma_env_page_site_from(&kept->from), kept->order,
					kept->gfp);
	return 0;
}

static struct kretprobe kma_slow_path = {
	.data_size = sizeof(struct kma_slow_path_args),
	.entry_handler = kma_slow_path_entered,
	.handler = kma_slow_path_returned,
};

static const char *const kma_slow_path_names[] = {
	"__alloc_pages_slowpath.constprop.0", "__alloc_pages_slowpath",
	"__alloc_pages_slowpath.isra.0", "__alloc_pages_slowpath.constprop.0.isra.0",
	"__alloc_pages_slowpath.isra.0.constprop.0", NULL
};

static unsigned int kma_slow_path_per_cpu(void)
{
	return DIV_ROUND_UP(KMA_SLOW_PATH_TASKS, num_possible_cpus());
}

u64 kma_slow_path_forecast(void)
{
	return kma_kretprobe_forecast(&kma_slow_path, kma_slow_path_per_cpu());
}

void kma_slow_path_start(void)
{
	kma_slow_path_attached = kma_kretprobe_register_first(&kma_slow_path, kma_slow_path_names,
							      kma_slow_path_per_cpu());
	if (!kma_slow_path_attached)
		pr_warn("the slow path of the page allocator cannot be followed: stalls lack it\n");
}

void kma_slow_path_stop(void)
{
	if (kma_slow_path_attached)
		kma_kretprobe_unregister(&kma_slow_path);
	kma_slow_path_attached = false;
}

bool kma_slow_path_followed(void)
{
	return kma_slow_path_attached;
}

u64 kma_slow_path_missed(void)
{
	return kma_slow_path_attached ? kma_kretprobe_missed(&kma_slow_path) : 0;
}
