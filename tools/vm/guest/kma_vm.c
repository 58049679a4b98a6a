// SPDX-License-Identifier: GPL-2.0
/*
 * Works around a bug of QEMU: guests run into breakpoints that were removed.
 *
 * To change running code, of a tracepoint or a static key, the kernel replaces it by a
 * breakpoint for a moment.  When code is written to, QEMU drops its translation before it
 * performs the write, and in between another CPU may translate the old code again.  If
 * this write removes a breakpoint, a translation with a stale breakpoint remains.  The
 * kernel no longer has a handler for it, and the next CPU that gets there ends in an oops.
 * This happens about once in a hundred loads of a module that attaches to busy tracepoints.
 *
 * This module handles a breakpoint that no other handler wants.  If memory no longer has
 * a breakpoint at this address, the module makes QEMU translate the code again and
 * continues there.  If memory still has the breakpoint, the oops is correct.
 *
 * On kernels up to 6.2, kprobe_int3_handler() returns to an instruction that is no longer
 * a breakpoint, before other handlers are called.  This does not make QEMU translate the
 * code again, so all CPUs soon loop there with interrupts off.  On these kernels the
 * module looks at the breakpoint before kprobe_int3_handler() does.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>
#include <asm/processor-flags.h>

#define KMA_VM_INT3 0xcc

/*
 * A write to code makes QEMU drop its translation.  This write changes nothing, and it is
 * atomic so that it cannot undo a write of another CPU.  Interrupts are off.  It writes
 * CR0 directly, because the kernel's helpers refuse to clear the write-protect bit.
 */
static __always_inline void kma_vm_rewrite(unsigned long addr)
{
	unsigned long cr0;

	asm volatile("mov %%cr0, %0" : "=r" (cr0));
	asm volatile("mov %0, %%cr0" : : "r" (cr0 & ~X86_CR0_WP) : "memory");
	asm volatile("lock orb $0, (%0)" : : "r" (addr) : "memory");
	asm volatile("mov %0, %%cr0" : : "r" (cr0) : "memory");
}

/* Whether memory no longer has the breakpoint that a CPU has hit. */
static bool kma_vm_gone(const struct pt_regs *regs)
{
	const unsigned long addr = regs->ip - 1;

	return !user_mode((struct pt_regs *)regs) &&
	       READ_ONCE(*(const u8 *)addr) != KMA_VM_INT3;
}

/*
 * The last parameter is a struct pt_regs or a struct ftrace_regs, depending on the kernel;
 * a struct ftrace_regs begins with a struct pt_regs.
 */
static void notrace kma_vm_entered(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *ops, struct pt_regs *entered)
{
	const struct pt_regs *regs = (void *)regs_get_kernel_argument(entered, 0);

	if (kma_vm_gone(regs))
		kma_vm_rewrite(regs->ip - 1);
}

static struct ftrace_ops kma_vm_ops = {
	.func = (void *)kma_vm_entered,
	.flags = FTRACE_OPS_FL_SAVE_REGS,
};

static int kma_vm_die(struct notifier_block *nb, unsigned long what, void *data)
{
	struct pt_regs *regs = ((struct die_args *)data)->regs;
	unsigned long addr = regs->ip - 1;

	if (what != DIE_INT3 || !kma_vm_gone(regs))
		return NOTIFY_DONE;
	kma_vm_rewrite(addr);
	regs->ip = addr;
	pr_info("QEMU ran a removed breakpoint at %pS\n", (void *)addr);
	return NOTIFY_STOP;
}

static struct notifier_block kma_vm_nb = { .notifier_call = kma_vm_die };

static int kma_vm_follow(void)
{
	u8 name[] = "kprobe_int3_handler";

	if (!KMA_VM_BACKS_UP)
		return 0;
	return ftrace_set_filter(&kma_vm_ops, name, sizeof(name) - 1, 1) ?:
	       register_ftrace_function(&kma_vm_ops);
}

static void kma_vm_unfollow(void)
{
	if (KMA_VM_BACKS_UP)
		unregister_ftrace_function(&kma_vm_ops);
}

static int __init kma_vm_init(void)
{
	int ret = kma_vm_follow();

	if (ret)
		return ret;
	ret = register_die_notifier(&kma_vm_nb);
	if (ret)
		kma_vm_unfollow();
	return ret;
}

static void __exit kma_vm_exit(void)
{
	unregister_die_notifier(&kma_vm_nb);
	kma_vm_unfollow();
}

module_init(kma_vm_init);
module_exit(kma_vm_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Keeps an emulated guest from running removed breakpoints");
