/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Beginning and ending accounting, and its probes.
 *
 * These are probes of their own, beside those of slab.h and page.h: accounting that
 * is off costs nothing.
 */
#ifndef KMA_TRACE_ACCT_TRACK_H
#define KMA_TRACE_ACCT_TRACK_H

/* Room for the value of the setting `account`, its NUL included. */
#define KMA_ACCT_LEN	48

/**
 * kma_acct_parse() - parse the value of the setting `account`
 * @text: off, or some of tasks, cgroups, comm_sites, comm_syscalls with commas between
 *	them; modified
 * @which: the result, bits with the numbers of countmaps
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int kma_acct_parse(char *text, unsigned long *which);

/**
 * kma_acct_print() - print the value of the setting `account`
 * @buf: room for the result, which kma_acct_parse() accepts
 *
 * Context: process.
 */
void kma_acct_print(char buf[KMA_ACCT_LEN]);

/**
 * kma_acct_set() - say what events are counted by
 * @which: bits with the numbers of countmaps, as of kma_acct_parse()
 *
 * Countmaps that exist already go on.
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0, or an error, and then nothing has changed.
 */
int kma_acct_set(unsigned long which);

#endif /* KMA_TRACE_ACCT_TRACK_H */
