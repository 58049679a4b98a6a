/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scenarios of kmemacct_nolock; nolock_main.c has the table of their names.
 *
 * Context: process, may sleep; truth_lock is held.
 * Return: 0, or an error if the scenario failed to cause its situation.
 */
#ifndef KMA_NOLOCK_RUNS_H
#define KMA_NOLOCK_RUNS_H

int truth_run_sizes(void);
int truth_run_contexts(void);
int truth_run_frees(void);
int truth_run_crossed(void);
int truth_run_nothing(void);
int truth_run_each_cpu(void);
int truth_run_churn(void);
int truth_run_fallen(void);

/* How often truth_run_nothing() asks for a size of 0, and for one that is too large. */
#define TRUTH_NOTHINGS	10

/* Objects of the next larger size that truth_run_fallen() got. */
extern int truth_nr_fallen;

/* Prepare the softirq and the hard interrupt of truth_run_contexts(). */
void truth_contexts_start(void);

/* Wait until both have returned.  Context: process, may sleep. */
void truth_contexts_stop(void);

#endif /* KMA_NOLOCK_RUNS_H */
