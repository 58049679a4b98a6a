/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scenarios of kmemacct_pages.  pages_main.c has the table of their names.
 *
 * Context: process, may sleep; truth_lock is held.
 * Return: 0, or an error if the scenario could not be completed.
 */
#ifndef KMA_PAGES_RUNS_H
#define KMA_PAGES_RUNS_H

#include <linux/mm.h>
#include <linux/types.h>

struct dentry;

/* pages_runs.c */
int truth_run_blocks(void);
int truth_run_split(void);
int truth_run_exact(void);
int truth_run_larger(void);
int truth_run_bulk(void);
int truth_run_list(void);
int truth_run_fail(void);
int truth_run_fail_often(void);
int truth_run_vmalloc(void);
int truth_run_drop(void);

/* pages_frames.c */
int truth_run_frames(void);

/* pages_stale.c */
int truth_run_stale(void);

/* pages_wake.c */
int truth_run_fragment(void);
int truth_run_wake(void);

/* pages_slow.c */
int truth_run_slow(void);

/* Number of pages that one call of the bulk allocator asks for. */
#define TRUTH_BULK	32

/* The area that truth_run_vmalloc() allocated, or NULL. */
extern void *truth_area;
#define TRUTH_AREA	(40 * PAGE_SIZE)

/* Number of pages that the bulk allocator returned while there was an old record of them. */
extern u64 truth_stales;

/* Find the tracepoints that truth_run_stale() needs. */
void truth_stale_start(void);

/*
 * Make files in the folder of the module, and follow the slow path if the module has that
 * parameter.  Return: 0 or an error.
 */
int truth_slow_start(struct dentry *dir);
void truth_slow_stop(void);

#endif /* KMA_PAGES_RUNS_H */
