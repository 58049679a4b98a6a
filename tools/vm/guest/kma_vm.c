// SPDX-License-Identifier: GPL-2.0
/*
 * What a guest needs for being emulated: breakpoints that are gone.
 *
 * A kernel changes code that runs, of tracepoints and static keys, by putting
 * a breakpoint there for a moment.  QEMU drops its translation of code that is
 * written to before it does the write, and another CPU may translate the code
 * anew in between.  If the write was the one that takes the breakpoint away,
 * there is a translation with a breakpoint for which the kernel has no use any
 * more, and the next CPU to get there ends in an oops.  It happens about once
 * in some hundred loads of a module that attaches to busy tracepoints.
 *
 * So whenever nobody wants a breakpoint that has been hit, look for it: where
 * memory has other code by now, make QEMU translate that, and go on there.  A
 * breakpoint that is in memory stays what it is, an oops.
 *
 * Up to 6.2 the kernel does that itself, but for QEMU: kprobe_int3_handler() goes
 * back to an instruction that is no breakpoint any more, and asks nobody.  All
 * CPUs soon are there and stay, with interrupts off.  So look before it does.
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
 * A write makes QEMU forget what it translated.  This one changes nothing, and
 * may not undo what another CPU writes.  Interrupts are off; the kernel's own
 * helpers refuse to lift write protection.
 */
static __always_inline void kma_vm_rewrite(unsigned long addr)
{
	unsigned long cr0;

	asm volatile("mov %%cr0, %0" : "=r" (cr0));
	asm volatile("mov %0, %%cr0" : : "r" (cr0 & ~X86_CR0_WP) : "memory");
	asm volatile("lock orb $0, (%0)" : : "r" (addr) : "memory");
	asm volatile("mov %0, %%cr0" : : "r" (cr0) : "memory");
}

static bool kma_vm_gone(const struct pt_regs *regs)
{
	const unsigned long addr = regs->ip - 1;

	return !user_mode((struct pt_regs *)regs) &&
	       READ_ONCE(*(const u8 *)addr) != KMA_VM_INT3;
}

/* Registers come first in what ftrace calls them by, whatever its name. */
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
	pr_info("QEMU ran a breakpoint that was gone, at %pS\n", (void *)addr);
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
MODULE_DESCRIPTION("Keeps an emulated guest from breakpoints that are gone");
