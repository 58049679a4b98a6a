// SPDX-License-Identifier: GPL-2.0
/* The files of the modules that record their objects: see truth_files.h. */
#include <linux/debugfs.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "truth_counts.h"
#include "truth_files.h"
#include "truth_run.h"

/* Serializes scenarios, and protects the objects that `live` shows. */
DEFINE_MUTEX(truth_lock);

static const char *truth_cache_name(enum truth_cache_id cache)
{
	/* Scenarios create caches of several names, which do not last. */
	return truth_caches[cache].name ?: "-";
}

static int truth_sites_show(struct seq_file *seq, void *unused)
{
	struct truth_counts sum;
	int id;

	seq_puts(seq, "live_bytes live_objs hits bytes_req bytes_alloc frees bytes_freed pingpong cross_node bulk_objs bulk_bytes handed cache site\n");
	for (id = 0; id < TRUTH_NR; id++) {
		if (!truth_sites[id].name)
			continue;
		truth_counts_sum(id, &sum);
		seq_printf(seq, "%llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %s %s\n",
			   sum.bytes_alloc + sum.bulk_bytes - sum.bytes_freed,
			   sum.hits + sum.bulk_objs - sum.frees,
			   sum.hits, sum.bytes_req, sum.bytes_alloc, sum.frees,
			   sum.bytes_freed, sum.pingpong, sum.cross_node,
			   sum.bulk_objs, sum.bulk_bytes, sum.handed,
			   truth_cache_name(truth_sites[id].cache),
			   truth_sites[id].name);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth_sites);

void truth_live_line(struct seq_file *seq, const struct truth_object *o)
{
	if (!o->ptr)
		return;
	seq_printf(seq, "%pK %u %u %u %d %u %lu %lu %s\n", o->ptr, o->bytes_req,
		   o->bytes_alloc, o->cpu, o->node, o->pid, o->before, o->after,
		   truth_sites[o->site].name);
}

static int truth_live_show(struct seq_file *seq, void *unused)
{
	mutex_lock(&truth_lock);
	seq_puts(seq, "ptr bytes_req bytes_alloc cpu node pid before after site\n");
	truth_live_lines(seq);
	mutex_unlock(&truth_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth_live);

static int truth_values_show(struct seq_file *seq, void *unused)
{
	seq_printf(seq, "jiffies %lu\n", jiffies);
	seq_printf(seq, "hz %u\n", HZ);
	truth_values_lines(seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth_values);

struct dentry *truth_files_create(const struct truth_scenario *scenarios)
{
	struct dentry *dir = debugfs_create_dir(KBUILD_MODNAME, NULL);

	debugfs_create_file("run", 0200, dir, (void *)scenarios, &truth_run_fops);
	debugfs_create_file("sites", 0400, dir, NULL, &truth_sites_fops);
	debugfs_create_file("live", 0400, dir, NULL, &truth_live_fops);
	debugfs_create_file("values", 0400, dir, NULL, &truth_values_fops);
	return dir;
}
