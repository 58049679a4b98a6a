/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The list of tables, and their files.
 *
 * Context of all functions: process, may sleep.
 */
#ifndef KMA_REPORT_TABLES_H
#define KMA_REPORT_TABLES_H

#include <linux/fs.h>

#include "seqtab.h"

/* kma_table_callers, kma_table_allocs and so on: one for each table of KMA_TABLES. */
#define X(name, columns) extern const struct kma_table kma_table_##name;
KMA_TABLES(X)
#undef X

/* All tables, in the order of KMA_TABLES, and their number. */
extern const struct kma_table *const kma_tables[];
extern const int kma_nr_tables;

/*
 * Create the files.  @control, @query and @incident are the operations of the files `control` and
 * `query`, and of those of incidents; they are arguments, because their source files depend on the
 * tables, and so the tables must not depend on them.  Without debugfs there is only /proc/kmemacct.
 * The kernel log says which files are missing.  Returns 0, or -ENOMEM, which has been explained in
 * the kernel log; then there are no files.
 */
int kma_report_start(const struct file_operations *control,
		     const struct file_operations *query,
		     const struct file_operations *incident);

/* Remove the files.  On return, no operation of a file still runs. */
void kma_report_stop(void);

#endif /* KMA_REPORT_TABLES_H */
