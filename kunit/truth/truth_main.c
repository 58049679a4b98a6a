// SPDX-License-Identifier: GPL-2.0
/*
 * The truth: allocates and frees objects, and keeps an exact record of them.
 *
 * Each call site is a function of its own that only allocates (truth_sites.c).  The
 * caller of that function (truth_counts.c) counts what kmemacct must report.  It uses
 * only the pointer that the allocator returned, ksize(), and the CPU.  Scenarios call
 * the sites; tools/test/guest/run runs the scenarios and compares kmemacct's tables
 * with the record.
 *
 * Besides the files of truth_files.h, there is:
 *
 *	slab	write an address; the write fails unless it lies on a slab page
 *
 * Only one thread allocates at a time, except between storm_start and storm_stop.
 * Then all CPUs allocate objects, pass them to each other and free them, in tasks and in
 * interrupts.  The counters are per CPU, and exact as soon as the storm has ended.
 *
 * An object that is handed to RCU counts as freed at once, and also in `handed`: that
 * many of the frees happen later, on a CPU that this module does not know.
 */
#include <linux/debugfs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "truth_files.h"
#include "truth_objects.h"
#include "truth_run.h"
#include "truth_scenarios.h"
#include "truth_storm.h"

/* ---- the scenarios -------------------------------------------------------- */

static const struct truth_scenario truth_scenarios[] = {
	{ "constant", truth_run_constant },
	{ "runtime", truth_run_runtime },
	{ "large", truth_run_large },
	{ "nodes", truth_run_nodes },
	{ "caches", truth_run_caches },
	{ "copies", truth_run_copies },
	{ "krealloc", truth_run_krealloc },
	{ "nothing", truth_run_nothing },
	{ "failed", truth_run_failed },
	{ "failed_once", truth_run_failed_once },
	{ "cpus", truth_run_cpus },
	{ "contexts", truth_run_contexts },
	{ "kvmalloc", truth_run_kvmalloc },
	{ "texts", truth_run_texts },
	{ "wrapped", truth_run_wrapped },
	{ "many", truth_run_many },
	{ "sampled", truth_run_sampled },
	{ "ways", truth_run_ways },
	{ "leak", truth_run_leak },
	{ "mark", truth_run_mark },
	{ "cycle", truth_run_cycle },
	{ "resize", truth_run_resize },
	{ "crossed", truth_run_crossed },
	{ "typesafe", truth_run_typesafe },
	{ "kfence", truth_run_kfence },
	{ "merge_one", truth_run_merge_one },
	{ "merge_two", truth_run_merge_two },
	{ "unmerge", truth_run_unmerge },
	{ "merge_end", truth_run_merge_end },
	{ "charge", truth_run_charge },
	{ "doom", truth_run_doom },
	{ "bulk_alloc", truth_run_bulk_alloc },
	{ "bulk_free", truth_run_bulk_free },
	{ "kfree_rcu", truth_run_kfree_rcu },
	{ "kvfree_rcu", truth_run_kvfree_rcu },
	{ "settle", truth_run_settle },
	{ "storm_start", truth_run_storm_start },
	{ "storm_stop", truth_run_storm_stop },
	{ "drop", truth_run_drop },
	{}
};

/* ---- the files ------------------------------------------------------------ */

/* Whether an object at this address would be on a slab page. */
static ssize_t truth_slab_write(struct file *file, const char __user *user,
				size_t len, loff_t *pos)
{
	unsigned long long address;
	int ret = kstrtoull_from_user(user, len, 16, &address);
	void *ptr = (void *)(unsigned long)address;

	if (ret)
		return ret;
	if (!virt_addr_valid(ptr))
		return -EFAULT;
	return PageSlab(virt_to_head_page(ptr)) ? len : -ENOENT;
}

static const struct file_operations truth_slab_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = truth_slab_write,
};

void truth_live_lines(struct seq_file *seq)
{
	const struct truth_object *o;
	int i;

	for (i = 0; i < truth_nr_live; i++)
		truth_live_line(seq, &truth_live[i]);
	for (i = 0; i < TRUTH_BOXES; i++) {
		o = truth_storm_object(i);
		if (o)
			truth_live_line(seq, o);
	}
}

void truth_values_lines(struct seq_file *seq)
{
	seq_printf(seq, "nothings %u\n", TRUTH_NOTHINGS);
	seq_printf(seq, "cycle_reused %lu\n", truth_cycle_reused);
	seq_printf(seq, "storm_irqs %llu\n", truth_storm_irqs);
	seq_printf(seq, "typesafe_kept %lu\n", truth_typesafe_kept);
	seq_printf(seq, "guarded %d\n", truth_count_guarded());
	seq_printf(seq, "charge_failed %lu\n", truth_charge.failed);
	seq_printf(seq, "charge_failed_large %lu\n", truth_charge.failed_large);
	seq_printf(seq, "charge_failed_bulk %lu\n", truth_charge.failed_bulk);
	seq_printf(seq, "charge_large %lu\n", truth_charge.made_large);
}

/* ---- loading and unloading ------------------------------------------------ */

static struct dentry *truth_dir;

static int __init truth_module_init(void)
{
	int ret = truth_counts_create();

	if (ret)
		return ret;
	ret = truth_caches_create();
	if (ret) {
		truth_counts_destroy();
		return ret;
	}
	truth_sites_start();
	truth_some(TRUTH_init, 222, NUMA_NO_NODE);
	truth_sites_loaded();

	truth_dir = truth_files_create(truth_scenarios);
	debugfs_create_file("slab", 0200, truth_dir, NULL, &truth_slab_fops);
	return 0;
}

static void __exit truth_module_exit(void)
{
	debugfs_remove(truth_dir);
	truth_run_storm_stop();
	truth_run_drop();
	truth_caches_destroy();
	truth_counts_destroy();
}

module_init(truth_module_init);
module_exit(truth_module_exit);

MODULE_DESCRIPTION("Test module for kmemacct: an exact record of its own allocations");
MODULE_AUTHOR("The kmemacct authors");
MODULE_LICENSE("GPL");
