// SPDX-License-Identifier: GPL-2.0
/*
 * Allocates objects with kmalloc_nolock(), and keeps an exact record of them.
 *
 * The objects are allocated in tasks, in interrupts, in NMI and on all CPUs at once,
 * and freed by every function that may free them.  The call sites (nolock_sites.h), their
 * counters and the files (truth_files.h) are like those of kmemacct_truth.  They are exact
 * while no scenario runs and no NMI arrives.
 */
#include <linux/debugfs.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/nmi.h>
#include <linux/nodemask.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "nolock_objects.h"
#include "nolock_runs.h"
#include "truth_run.h"
/* An object file cannot be a part of two modules. */
#include "truth_files.c"

/* ---- in NMI --------------------------------------------------------------- */

static atomic_t truth_nmis, truth_inside;

/* Whether the NMI interrupted code of kmemacct. */
static bool truth_nmi_inside(const struct pt_regs *regs)
{
	char name[KSYM_SYMBOL_LEN];

	sprint_symbol(name, regs->ip);
	return strstr(name, "[kmemacct]");
}

/* Index of the next object that an NMI frees. */
static atomic_t truth_nmi_next;

/* Called for each NMI that no other handler claims. */
static int truth_nmi_handler(unsigned int cmd, struct pt_regs *regs)
{
	static const size_t sizes[] = { 32, 96, 200, 2048 };
	int i, at;

	atomic_inc(&truth_nmis);
	if (truth_nmi_inside(regs))
		atomic_inc(&truth_inside);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		nolock_make_one(TRUTH_nmi, sizes[i]);
	for (i = 0; i < 2; i++) {
		at = atomic_inc_return(&truth_nmi_next) - 1;
		if (at < nolock_used())
			nolock_free(at, i ? NOLOCK_KFREE_RCU_NOLOCK : NOLOCK_KFREE_NOLOCK);
	}
	return NMI_HANDLED;
}

/* ---- the files ------------------------------------------------------------ */

/* Frees all objects.  The caller makes sure that no NMI arrives. */
static int truth_run_drop(void)
{
	int i, nr = nolock_used();

	for (i = 0; i < nr; i++)
		nolock_free(i, i % 2 ? NOLOCK_KFREE : NOLOCK_KFREE_NOLOCK);
	atomic_set(&nolock_nr, 0);
	atomic_set(&truth_nmi_next, 0);
	return 0;
}

static const struct truth_scenario truth_scenarios[] = {
	{ "sizes", truth_run_sizes },
	{ "contexts", truth_run_contexts },
	{ "frees", truth_run_frees },
	{ "crossed", truth_run_crossed },
	{ "nothing", truth_run_nothing },
	{ "each_cpu", truth_run_each_cpu },
	{ "churn", truth_run_churn },
	{ "fallen", truth_run_fallen },
	{ "drop", truth_run_drop },
	{}
};

void truth_live_lines(struct seq_file *seq)
{
	int i;

	for (i = 0; i < nolock_used(); i++)
		truth_live_line(seq, &nolock_object[i]);
}

void truth_values_lines(struct seq_file *seq)
{
	seq_printf(seq, "nothings %u\n", TRUTH_NOTHINGS);
	seq_printf(seq, "fallen %d\n", truth_nr_fallen);
	seq_printf(seq, "failed %d\n", atomic_read(&nolock_failed));
	seq_printf(seq, "nmis %d\n", atomic_read(&truth_nmis));
	seq_printf(seq, "inside %d\n", atomic_read(&truth_inside));
	seq_printf(seq, "room %d\n", NOLOCK_OBJECTS - nolock_used());
}

static struct dentry *truth_dir;

static int __init truth_module_init(void)
{
	int node, ret;

	ret = truth_counts_create();
	if (ret)
		return ret;
	ret = register_nmi_handler(NMI_UNKNOWN, truth_nmi_handler, 0, KBUILD_MODNAME);
	if (ret) {
		truth_counts_destroy();
		return ret;
	}
	truth_contexts_start();
	for_each_online_node(node)
		truth_node = node;
	truth_dir = truth_files_create(truth_scenarios);
	return 0;
}

static void __exit truth_module_exit(void)
{
	debugfs_remove(truth_dir);
	unregister_nmi_handler(NMI_UNKNOWN, KBUILD_MODNAME);
	truth_run_drop();
	truth_contexts_stop();
	truth_counts_destroy();
}

module_init(truth_module_init);
module_exit(truth_module_exit);

MODULE_DESCRIPTION("Test module for kmemacct: an exact record of its kmalloc_nolock() objects");
MODULE_AUTHOR("The kmemacct authors");
MODULE_LICENSE("GPL");
