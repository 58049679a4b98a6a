/* SPDX-License-Identifier: GPL-2.0 */
/* The list of tables, and their files. */
#ifndef KMA_REPORT_TABLES_H
#define KMA_REPORT_TABLES_H

#include <linux/fs.h>

#include "seqtab.h"

/* All tables, in the order of the ABI document. */
extern struct kma_table *const kma_tables[];
extern const int kma_nr_tables;

/**
 * kma_report_start() - create the files
 * @control: functions of the file `control`, which is above the tables and below them
 *	has only its file
 *
 * Without debugfs there still is /proc/kmemacct; the kernel log says what is missing.
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOMEM, and then there are none.
 */
int kma_report_start(const struct file_operations *control);

/**
 * kma_report_stop() - remove the files
 *
 * On return, no function of a file runs.
 *
 * Context: process, may sleep.
 */
void kma_report_stop(void);

#endif /* KMA_REPORT_TABLES_H */
