// SPDX-License-Identifier: GPL-2.0
/*
 * Allocates pages in NMI, and keeps an exact record of them.
 *
 * Each NMI that no other handler claims makes some page allocations, as long as there is
 * room to record them.  A write to `drop` frees them.
 *
 * In /sys/kernel/debug/kmemacct_nmi/:
 *
 *	drop	write anything to free all pages
 *	values	`name value` lines: number of NMIs, and of those that interrupted
 *		kmemacct; failed allocations; hits of order 0 and of order 1; and for how
 *		many more allocations there is room
 *	pages	`pfn order` lines, one for each page allocation that is live
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nmi.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#define TRUTH_ALLOCS	8192
#define TRUTH_ORDERS	2
/* Number of allocations of each order in one NMI. */
#define TRUTH_TIMES	3

static struct truth_alloc {
	struct page *page;
	unsigned int order;
} truth_alloc[TRUTH_ALLOCS];

/* Entries taken by NMIs on any CPU; an NMI that has taken an entry fills it later. */
static atomic_t truth_nr;
static atomic_t truth_nmis, truth_inside, truth_failed, truth_hits[TRUTH_ORDERS];

/* Protects the entries from being freed while `pages` is read. */
static DEFINE_MUTEX(truth_lock);

static noinline __noclone struct page *truth_nmi_alloc(unsigned int order)
{
	struct page *page = alloc_pages_nolock(0, NUMA_NO_NODE, order);

	OPTIMIZER_HIDE_VAR(page);
	return page;
}

/* Allocates nothing if there is no room to record it. */
static void truth_nmi_one(unsigned int order)
{
	const int at = atomic_inc_return(&truth_nr) - 1;
	struct truth_alloc *a = &truth_alloc[at];

	if (at >= TRUTH_ALLOCS) {
		atomic_dec(&truth_nr);
		return;
	}
	a->order = order;
	a->page = truth_nmi_alloc(order);
	if (a->page)
		atomic_inc(&truth_hits[order]);
	else
		atomic_inc(&truth_failed);
}

/* Whether the NMI interrupted code of kmemacct. */
static bool truth_nmi_inside(const struct pt_regs *regs)
{
	char name[KSYM_SYMBOL_LEN];

	sprint_symbol(name, regs->ip);
	return strstr(name, "[kmemacct]");
}

static int truth_nmi(unsigned int cmd, struct pt_regs *regs)
{
	unsigned int i;

	atomic_inc(&truth_nmis);
	if (truth_nmi_inside(regs))
		atomic_inc(&truth_inside);
	for (i = 0; i < TRUTH_TIMES * TRUTH_ORDERS; i++)
		truth_nmi_one(i % TRUTH_ORDERS);
	return NMI_HANDLED;
}

/* ---- the files; they are exact while no NMI arrives -------------------------------- */

/* The caller makes sure that no NMI arrives. */
static void truth_drop(void)
{
	int i, nr = atomic_read(&truth_nr);

	for (i = 0; i < nr; i++)
		if (truth_alloc[i].page)
			__free_pages(truth_alloc[i].page, truth_alloc[i].order);
	atomic_set(&truth_nr, 0);
}

static ssize_t truth_drop_write(struct file *file, const char __user *from, size_t bytes,
				loff_t *pos)
{
	mutex_lock(&truth_lock);
	truth_drop();
	mutex_unlock(&truth_lock);
	return bytes;
}

static const struct file_operations truth_drop_fops = {
	.owner = THIS_MODULE,
	.open = nonseekable_open,
	.write = truth_drop_write,
};

static int truth_values_show(struct seq_file *seq, void *unused)
{
	seq_printf(seq, "nmis %d\n", atomic_read(&truth_nmis));
	seq_printf(seq, "inside %d\n", atomic_read(&truth_inside));
	seq_printf(seq, "failed %d\n", atomic_read(&truth_failed));
	seq_printf(seq, "hits_0 %d\n", atomic_read(&truth_hits[0]));
	seq_printf(seq, "hits_1 %d\n", atomic_read(&truth_hits[1]));
	seq_printf(seq, "room %d\n", TRUTH_ALLOCS - atomic_read(&truth_nr));
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(truth_values);

static int truth_pages_show(struct seq_file *seq, void *unused)
{
	int i, nr;

	mutex_lock(&truth_lock);
	nr = atomic_read(&truth_nr);
	seq_puts(seq, "pfn order\n");
	for (i = 0; i < nr; i++)
		if (truth_alloc[i].page)
			seq_printf(seq, "%lu %u\n", page_to_pfn(truth_alloc[i].page),
				   truth_alloc[i].order);
	mutex_unlock(&truth_lock);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(truth_pages);

static struct dentry *truth_dir;

static int __init truth_init(void)
{
	int ret = register_nmi_handler(NMI_UNKNOWN, truth_nmi, 0, KBUILD_MODNAME);

	if (ret)
		return ret;
	truth_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("drop", 0200, truth_dir, NULL, &truth_drop_fops);
	debugfs_create_file("values", 0400, truth_dir, NULL, &truth_values_fops);
	debugfs_create_file("pages", 0400, truth_dir, NULL, &truth_pages_fops);
	return 0;
}

static void __exit truth_exit(void)
{
	debugfs_remove(truth_dir);
	unregister_nmi_handler(NMI_UNKNOWN, KBUILD_MODNAME);
	truth_drop();
}

module_init(truth_init);
module_exit(truth_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test module for kmemacct: an exact record of pages allocated in NMI");
