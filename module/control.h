/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The settings at run time, and the file `control`.
 *
 * Reading the file shows each setting and its value; each line written to it is one
 * command.  An invalid command changes nothing, and `last_error` shows what is wrong
 * with it until a command is accepted again.
 */
#ifndef KMA_CONTROL_H
#define KMA_CONTROL_H

#include <linux/fs.h>
#include <linux/types.h>

#include "core/pagealloc.h"

/**
 * kma_control_start() - apply the settings of load, and record
 *
 * Context: process, may sleep; probes are attached, nothing is recorded yet.
 * Return: 0, or an error that has been explained in the kernel log.
 */
int kma_control_start(void);

/**
 * kma_control_stop() - stop recording, and switch everything off
 *
 * Context: process, may sleep.
 */
void kma_control_stop(void);

/**
 * kma_control_enable() - start or stop recording allocations
 * @on: start
 *
 * Context: process, may sleep.
 */
void kma_control_enable(bool on);

/**
 * kma_control_enabled() - whether allocations are recorded
 *
 * Context: any.
 * Return: true if so.
 */
bool kma_control_enabled(void);

/**
 * kma_control_budget() - as kma_overhead_set_budget()
 * @pct: percent
 *
 * Context: process, may sleep.
 */
void kma_control_budget(unsigned int pct);

/**
 * kma_control_sample() - as kma_sampling_set()
 * @bytes: bytes between samples; 0: record everything
 *
 * Context: process, may sleep.
 * Return: 0, or -EOPNOTSUPP if the size of objects is not known.
 */
int kma_control_sample(u64 bytes);

/**
 * kma_control_pages() - as kma_pages_set()
 * @mode: the mode
 *
 * Context: process, may sleep.
 * Return: 0, or an error, and then nothing has changed.
 */
int kma_control_pages(enum kma_pages_mode mode);

/**
 * kma_control_page_sample() - as kma_pages_sample()
 * @bytes: bytes between samples; 0: all call sites
 *
 * Context: process, may sleep.
 */
void kma_control_page_sample(u64 bytes);

/**
 * kma_control_account() - as kma_acct_set()
 * @which: bits with the numbers of countmaps
 *
 * Context: process, may sleep.
 * Return: 0, or an error, and then nothing has changed.
 */
int kma_control_account(unsigned long which);

/**
 * kma_control_filter() - as kma_filter_set()
 * @text: the criteria; NULL: none
 *
 * Context: process, may sleep.
 * Return: 0, or an error that has been explained in the kernel log, and then nothing
 * has changed.
 */
int kma_control_filter(const char *text);

/**
 * kma_control_skip() - as kma_skip_set()
 * @text: the changes; NULL: none
 *
 * Context: process, may sleep.
 * Return: as for kma_control_filter().
 */
int kma_control_skip(const char *text);

/**
 * kma_control_filter_text() - as kma_filter_text()
 * @page: a page of memory for the result
 *
 * Context: process, may sleep.
 * Return: bytes printed.
 */
int kma_control_filter_text(char *page);

/**
 * kma_control_skip_text() - as kma_skip_text()
 * @page: a page of memory for the result
 *
 * Context: process, may sleep.
 * Return: bytes printed.
 */
int kma_control_skip_text(char *page);

/**
 * kma_control_run() - run a command
 * @line: the command, as it is written to `control`; modified
 *
 * Context: process, may sleep.
 * Return: 0 or an error, -EINVAL if the command is invalid; then nothing has changed,
 * and `last_error` has the reason.
 */
int kma_control_run(char *line);

/* Of the file `control`. */
extern const struct file_operations kma_control_fops;

#endif /* KMA_CONTROL_H */
