/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Starting and stopping accounting.
 *
 * Accounting has probes of its own, separate from those of slab.h and page.h, so that
 * it costs nothing while it is off.
 */
#ifndef KMA_TRACE_ACCT_TRACK_H
#define KMA_TRACE_ACCT_TRACK_H

/* Room for the value of the setting `account`, its NUL included. */
#define KMA_ACCT_LEN	48

/**
 * kma_acct_parse() - parse the value of the setting `account`
 * @text: off, or one or more of tasks, cgroups, comm_sites, comm_syscalls, separated
 *	by commas; modified
 * @which: the result: for each countmap in @text, the bit with its number in
 *	enum kma_countmap_of
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int kma_acct_parse(char *text, unsigned long *which);

/**
 * kma_acct_print() - print the value of the setting `account`
 * @buf: the result, in a form that kma_acct_parse() accepts
 *
 * Context: process.
 */
void kma_acct_print(char buf[KMA_ACCT_LEN]);

/**
 * kma_acct_set() - choose the countmaps that events are counted in
 * @which: a bit for each countmap, as from kma_acct_parse()
 *
 * A countmap in @which that exists already keeps its counts.
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0, or an error; then nothing has changed.
 */
int kma_acct_set(unsigned long which);

#endif /* KMA_TRACE_ACCT_TRACK_H */
