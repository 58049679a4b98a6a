// SPDX-License-Identifier: GPL-2.0
/* The list of tables, and their files.  See tables.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/proc_fs.h>

#include "../incidents.h"
#include "tables.h"

/* The struct kma_column of a column. */
#define KMA_COLUMN(_name, _format, _kind, _unit) { #_name, KMA_FORMAT_##_format },

/*
 * For each table, its columns, kma_columns_callers and so on, and its struct kma_table,
 * kma_table_callers and so on.
 */
#define X(_name, _list)							\
static const struct kma_column kma_columns_##_name[] = { _list(KMA_COLUMN) }; \
const struct kma_table kma_table_##_name = {				\
	.name = #_name,							\
	.columns = kma_columns_##_name,					\
	.nr_columns = ARRAY_SIZE(kma_columns_##_name),			\
	.ops = &kma_##_name##_ops,					\
};

KMA_TABLES(X)
#undef X

const struct kma_table *const kma_tables[] = {
#define X(name, columns) &kma_table_##name,
	KMA_TABLES(X)
#undef X
};

const int kma_nr_tables = ARRAY_SIZE(kma_tables);

static struct dentry *kma_dir;

/*
 * Create a file, and warn if that fails, unless the reason is that there is no directory: that
 * has been reported.
 */
static void kma_debugfs_file(const char *name, umode_t mode, void *data,
			     const struct file_operations *fops)
{
	struct dentry *file = debugfs_create_file(name, mode, kma_dir, data, fops);

	if (IS_ERR(file) && !IS_ERR(kma_dir))
		pr_warn("cannot create file %s in debugfs: error %ld\n", name, PTR_ERR(file));
}

/* The files of incidents: incident1, incident2 and so on. */
static void kma_debugfs_incidents(const struct file_operations *fops)
{
	char name[16];
	int i;

	for (i = 0; i < KMA_INCIDENTS; i++) {
		scnprintf(name, sizeof(name), "incident%d", i + 1);
		kma_debugfs_file(name, 0400, &kma_incidents[i], fops);
	}
}

int kma_report_start(const struct file_operations *control,
		     const struct file_operations *query,
		     const struct file_operations *incident)
{
	int i;

	if (!proc_create_data(KMA_NAME, 0400, NULL, &kma_table_proc_ops,
			      (void *)&kma_table_summary)) {
		pr_err("cannot create /proc/" KMA_NAME ": not enough memory\n");
		return -ENOMEM;
	}
	/* Without debugfs there still is the file in /proc: warn, and go on. */
	kma_dir = debugfs_create_dir(KMA_NAME, NULL);
	if (IS_ERR(kma_dir))
		pr_warn("cannot create a debugfs directory, only /proc/" KMA_NAME ": error %ld\n",
			PTR_ERR(kma_dir));
	for (i = 0; i < kma_nr_tables; i++)
		kma_debugfs_file(kma_tables[i]->name, 0400, (void *)kma_tables[i],
				 &kma_table_fops);
	kma_debugfs_incidents(incident);
	kma_debugfs_file("control", 0600, NULL, control);
	kma_debugfs_file("query", 0600, NULL, query);
	return 0;
}

void kma_report_stop(void)
{
	debugfs_remove(kma_dir);
	remove_proc_entry(KMA_NAME, NULL);
}
