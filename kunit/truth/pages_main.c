// SPDX-License-Identifier: GPL-2.0
/*
 * Allocates and frees pages, and keeps an exact record of them.
 *
 * Each call site is a function of its own (pages_sites.c).  This module counts the page
 * allocations of each site, and records those that are live, split into the pieces in
 * which they will be freed (pages_account.c).
 *
 * In /sys/kernel/debug/kmemacct_pages/:
 *
 *	run	write the name of a scenario: blocks, split, exact, larger, bulk, fail,
 *		fail_often, frames, stale, list, vmalloc, fragment, wake, slow, or drop, which
 *		frees everything
 *	sites	`hits bulk failed frees live_pages order gfp function` lines
 *	pages	`pfn order gfp pid function` lines
 *	stales	number of pages that the bulk allocator returned while kmemacct still had
 *		an old record of them
 *	calls	`begin_ns end_ns` lines: when each allocation of the last `slow` began and ended
 *	slow_path	`pid begin_ns end_ns` lines: calls of the function that the parameter
 *		`slow_path` names, by tasks, in the order in which they ended
 *	hits	the numbers of its calls that have begun, that have ended, that tasks have ended,
 *		and that were missed, and the time of those that tasks have ended, in ns
 *
 * A page allocation may be freed in pieces (split, exact), or together with its neighbour
 * (larger).  The piece with the first page of an allocation counts as its free.  `stale`
 * makes kmemacct record pages that are free (pages_stale.c).  `fragment` and `wake` make
 * kswapd and kcompactd run (pages_wake.c); allocations of `wake` are not in the record.
 * `slow` times its allocations (pages_slow.c).
 */
#include <linux/debugfs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

#include "pages_account.h"
#include "pages_runs.h"
#include "truth_run.h"

/* ---- the scenarios ------------------------------------------------------------------- */

static const struct truth_scenario truth_runs[] = {
	{ "blocks", truth_run_blocks },
	{ "split", truth_run_split },
	{ "exact", truth_run_exact },
	{ "larger", truth_run_larger },
	{ "bulk", truth_run_bulk },
	{ "fail", truth_run_fail },
	{ "fail_often", truth_run_fail_often },
	{ "frames", truth_run_frames },
	{ "stale", truth_run_stale },
	{ "list", truth_run_list },
	{ "vmalloc", truth_run_vmalloc },
	{ "fragment", truth_run_fragment },
	{ "wake", truth_run_wake },
	{ "slow", truth_run_slow },
	{ "drop", truth_run_drop },
	{}
};

/* ---- the files --------------------------------------------------------------------------- */

static int truth_sites_show(struct seq_file *seq, void *unused)
{
	const struct truth_kind *kind = truth_kind;

	mutex_lock(&truth_lock);
	seq_puts(seq, "hits bulk failed frees live_pages order gfp function\n");
	for (; kind < truth_kind + truth_nr_kinds; kind++)
		seq_printf(seq, "%llu %llu %llu %llu %llu %u %#x %s\n", kind->hits,
			   kind->bulk, kind->failed, kind->frees, kind->live_pages,
			   kind->order, (__force u32)kind->gfp, kind->function);
	mutex_unlock(&truth_lock);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(truth_sites);

static int truth_pages_show(struct seq_file *seq, void *unused)
{
	const struct truth_piece *p = truth_piece;
	unsigned int i;

	mutex_lock(&truth_lock);
	seq_puts(seq, "pfn order gfp pid function\n");
	for (; p < truth_piece + truth_nr_pieces; p++)
		for (i = 0; i < 1U << p->order; i++)
			seq_printf(seq, "%lu %u %#x %d %s\n", page_to_pfn(p->page) + i,
				   p->kind->order, (__force u32)p->kind->gfp, p->pid,
				   p->kind->function);
	for (i = 0; truth_area && i < TRUTH_AREA / PAGE_SIZE; i++)
		seq_printf(seq, "%lu - - - truth_vmalloc\n",
			   vmalloc_to_pfn(truth_area + i * PAGE_SIZE));
	mutex_unlock(&truth_lock);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(truth_pages);

static struct dentry *truth_dir;

static int __init truth_init(void)
{
	int ret;

	truth_stale_start();
	truth_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_u64("stales", 0400, truth_dir, &truth_stales);
	debugfs_create_file("run", 0200, truth_dir, (void *)truth_runs, &truth_run_fops);
	debugfs_create_file("sites", 0400, truth_dir, NULL, &truth_sites_fops);
	debugfs_create_file("pages", 0400, truth_dir, NULL, &truth_pages_fops);
	ret = truth_slow_start(truth_dir);
	if (ret)
		debugfs_remove(truth_dir);
	return ret;
}

static void __exit truth_exit(void)
{
	truth_slow_stop();
	debugfs_remove(truth_dir);
	truth_run_drop();
}

module_init(truth_init);
module_exit(truth_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test module for kmemacct: an exact record of its page allocations");
