/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kmemacct_pages can be told to do.  pages_main.c has the table of names.
 *
 * Context: process, may sleep; truth_lock is held.
 * Return: 0, or an error if the truth could not be made.
 */
#ifndef KMA_PAGES_RUNS_H
#define KMA_PAGES_RUNS_H

#include <linux/mm.h>
#include <linux/types.h>

/* pages_runs.c */
int truth_run_blocks(void);
int truth_run_split(void);
int truth_run_exact(void);
int truth_run_larger(void);
int truth_run_bulk(void);
int truth_run_list(void);
int truth_run_fail(void);
int truth_run_vmalloc(void);
int truth_run_drop(void);

/* pages_stale.c */
int truth_run_stale(void);

/* Pages that the bulk allocator is asked for. */
#define TRUTH_BULK	32

/* What truth_run_vmalloc() allocated, or NULL. */
extern void *truth_area;
#define TRUTH_AREA	(40 * PAGE_SIZE)

/* Pages of which a record was left when the bulk allocator gave them. */
extern u64 truth_stales;

/* Find the tracepoints that truth_run_stale() needs. */
void truth_stale_start(void);

#endif /* KMA_PAGES_RUNS_H */
