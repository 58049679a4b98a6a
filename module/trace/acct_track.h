/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Starting and stopping accounting.
 *
 * Accounting has probes of its own, separate from those of slab.h and page.h, so that
 * it costs nothing while it is off.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_TRACE_ACCT_TRACK_H
#define KMA_TRACE_ACCT_TRACK_H

/* Room for the value of the setting `account`, its NUL included. */
#define KMA_ACCT_LEN	48

/*
 * Parse the value of the setting `account`, and modify @text: off, or one or more of tasks,
 * cgroups, comm_sites, comm_syscalls, separated by commas.  For each of these countmaps, @which
 * gets the bit with its number in enum kma_countmap_of.  Returns 0 or -EINVAL.  Context: any.
 */
int kma_acct_parse(char *text, unsigned long *which);

/* Print the value of `account`, in a form that kma_acct_parse() accepts.  Context: process. */
void kma_acct_print(char buf[KMA_ACCT_LEN]);

/*
 * Choose the countmaps that events are counted in, by @which from kma_acct_parse().  A countmap
 * that exists already keeps its counts.  Returns 0, or an error; then nothing has changed.
 */
int kma_acct_set(unsigned long which);

/*
 * Run the command `cgroup_sites`.  @args is `add PATH` or `del PATH` of a cgroup, or `none`; it is
 * modified.  The first cgroup switches the table cgroup_sites on; without one, it is off.
 * Returns 0, or an error explained by kma_refuse(); then nothing has changed.
 */
int kma_acct_run_cgroups(char *args);

/* Switch all countmaps of accounting off. */
void kma_acct_stop(void);

#endif /* KMA_TRACE_ACCT_TRACK_H */
