/* SPDX-License-Identifier: GPL-2.0 */
/* The list of tables, and their files. */
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

/**
 * kma_report_start() - create the files
 * @control: operations of the file `control`; an argument, because control.c depends on the
 *	tables, and so the tables must not depend on control.c
 * @query: operations of the file `query`, which is in control.c, too
 *
 * Without debugfs there is only /proc/kmemacct.  The kernel log says which files are
 * missing.
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOMEM, which has been explained in the kernel log; then there are no
 * files.
 */
int kma_report_start(const struct file_operations *control,
		     const struct file_operations *query);

/**
 * kma_report_stop() - remove the files
 *
 * On return, no operation of a file still runs.
 *
 * Context: process, may sleep.
 */
void kma_report_stop(void);

#endif /* KMA_REPORT_TABLES_H */
