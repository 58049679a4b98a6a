// SPDX-License-Identifier: GPL-2.0
/*
 * Allocates objects with kmalloc_nolock(), and keeps an exact record of them.
 *
 * The objects are allocated in tasks, in interrupts, in NMI and on all CPUs at once,
 * and freed by every function that may free them.  As in truth_main.c, each call site
 * is a function of its own.  This module counts what kmemacct should report for it,
 * from the pointer, ksize() and the current context.
 *
 * In /sys/kernel/debug/kmemacct_nolock/:
 *
 *	run	write the name of a scenario; the write returns when it is done
 *	sites	the true counters of each call site, one per line
 *	live	the objects that are live, one per line
 *	values	`name value` lines: the clock, and counts from scenarios and NMIs
 *
 * All of these are exact while no scenario runs and no NMI arrives.
 */
#include <linux/debugfs.h>
#include <linux/jiffies.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nmi.h>
#include <linux/nodemask.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "nolock_objects.h"
#include "nolock_runs.h"
#include "truth_run.h"

/* One scenario at a time. */
static DEFINE_MUTEX(truth_lock);

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
		truth_make_one(TRUTH_nmi, sizes[i]);
	for (i = 0; i < 2; i++) {
		at = atomic_inc_return(&truth_nmi_next) - 1;
		if (at < truth_used())
			truth_free(at, i ? TRUTH_KFREE_RCU_NOLOCK : TRUTH_KFREE_NOLOCK);
	}
	return NMI_HANDLED;
}

/* ---- the files ------------------------------------------------------------ */

/* Frees all objects.  The caller makes sure that no NMI arrives. */
static int truth_run_drop(void)
{
	int i, nr = truth_used();

	for (i = 0; i < nr; i++)
		truth_free(i, i % 2 ? TRUTH_KFREE : TRUTH_KFREE_NOLOCK);
	atomic_set(&truth_nr, 0);
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
};

static ssize_t truth_run_write(struct file *file, const char __user *user, size_t len,
			       loff_t *pos)
{
	return truth_run(truth_scenarios, ARRAY_SIZE(truth_scenarios), &truth_lock, user, len);
}

static const struct file_operations truth_run_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = truth_run_write,
};

/*
 * The columns are those of truth_main.c.  kmalloc_nolock() has no trace event, so its objects
 * are in bulk_objs; only those of kmalloc() are hits.
 */
static int truth_sites_show(struct seq_file *seq, void *unused)
{
	const struct truth_site *s;
	u64 objs, req, bytes, frees, freed;
	bool hits;

	seq_puts(seq, "live_bytes live_objs hits bytes_req bytes_alloc frees bytes_freed pingpong cross_node bulk_objs bulk_bytes handed cache site\n");
	for (s = truth_site; s < truth_site + TRUTH_NR; s++) {
		hits = s == &truth_site[TRUTH_kmalloc];
		objs = atomic64_read(&s->objs);
		req = atomic64_read(&s->bytes_req);
		bytes = atomic64_read(&s->bytes_alloc);
		frees = atomic64_read(&s->frees);
		freed = atomic64_read(&s->bytes_freed);
		seq_printf(seq, "%llu %llu %llu %llu %llu %llu %llu %llu 0 %llu %llu 0 - %s\n",
			   bytes - freed, objs - frees, hits ? objs : 0, hits ? req : 0,
			   hits ? bytes : 0, frees, freed, (u64)atomic64_read(&s->pingpong),
			   hits ? 0 : objs, hits ? 0 : bytes, s->name);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth_sites);

static int truth_live_show(struct seq_file *seq, void *unused)
{
	const struct truth_object *o;

	mutex_lock(&truth_lock);
	seq_puts(seq, "ptr bytes_req bytes_alloc cpu node pid before after site\n");
	for (o = truth_object; o < truth_object + truth_used(); o++)
		if (o->ptr)
			seq_printf(seq, "%pK %u %u %u %d %u %lu %lu %s\n", o->ptr,
				   o->bytes_req, o->bytes_alloc, o->cpu, o->node, o->pid,
				   o->before, o->after, truth_site[o->site].name);
	mutex_unlock(&truth_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth_live);

static int truth_values_show(struct seq_file *seq, void *unused)
{
	seq_printf(seq, "jiffies %lu\n", jiffies);
	seq_printf(seq, "hz %u\n", HZ);
	seq_printf(seq, "nothings %u\n", TRUTH_NOTHINGS);
	seq_printf(seq, "fallen %d\n", truth_nr_fallen);
	seq_printf(seq, "failed %d\n", atomic_read(&truth_failed));
	seq_printf(seq, "nmis %d\n", atomic_read(&truth_nmis));
	seq_printf(seq, "inside %d\n", atomic_read(&truth_inside));
	seq_printf(seq, "room %d\n", TRUTH_OBJECTS - truth_used());
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth_values);

static struct dentry *truth_dir;

static int __init truth_module_init(void)
{
	int node, ret;

	ret = register_nmi_handler(NMI_UNKNOWN, truth_nmi_handler, 0, KBUILD_MODNAME);
	if (ret)
		return ret;
	truth_contexts_start();
	for_each_online_node(node)
		truth_node = node;
	truth_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("run", 0200, truth_dir, NULL, &truth_run_fops);
	debugfs_create_file("sites", 0400, truth_dir, NULL, &truth_sites_fops);
	debugfs_create_file("live", 0400, truth_dir, NULL, &truth_live_fops);
	debugfs_create_file("values", 0400, truth_dir, NULL, &truth_values_fops);
	return 0;
}

static void __exit truth_module_exit(void)
{
	debugfs_remove(truth_dir);
	unregister_nmi_handler(NMI_UNKNOWN, KBUILD_MODNAME);
	truth_run_drop();
	truth_contexts_stop();
}

module_init(truth_module_init);
module_exit(truth_module_exit);

MODULE_DESCRIPTION("Test module for kmemacct: an exact record of its kmalloc_nolock() objects");
MODULE_AUTHOR("The kmemacct authors");
MODULE_LICENSE("GPL");
