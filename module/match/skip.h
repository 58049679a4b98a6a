/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Patterns for the names of functions that only allocate pages for their callers, and so are
 * not call sites of page allocations.
 *
 * A list of patterns is never modified: a modified copy replaces it, under RCU.  Once no probe
 * uses the old list any more, the call sites that were found with it are forgotten
 * (page_caller.h).
 */
#ifndef KMA_MATCH_SKIP_H
#define KMA_MATCH_SKIP_H

#include <linux/types.h>

/* Size of the buffer for a pattern, NUL included. */
#define KMA_SKIP_LEN	64

/**
 * kma_pattern_ends() - whether a pattern is safe for glob_match()
 * @pattern: the pattern
 *
 * A negated character class, [!x] or [^x], also matches the NUL at the end of a name.
 * glob_match() then reads past the end.
 *
 * Context: any.
 * Return: true if @pattern has no negated character class.
 */
bool kma_pattern_ends(const char *pattern);

/**
 * kma_skip_name() - whether a function only allocates pages for its callers
 * @name: the name of the function
 *
 * Context: any, NMI included.
 * Return: true if one of the patterns matches @name.
 */
bool kma_skip_name(const char *name);

/**
 * kma_skip_run() - run the command `skip`
 * @args: the arguments: `add PATTERN` or `del PATTERN`; modified
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0, or an error explained by kma_refuse(); then nothing has changed.
 */
int kma_skip_run(char *args);

/**
 * kma_skip_set() - replace the list by the built-in list with some changes
 * @text: arguments as for kma_skip_run(), separated by `;`; modified
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0, or an error explained by kma_refuse(); then nothing has changed.
 */
int kma_skip_set(char *text);

/**
 * kma_skip_text() - print how the list differs from the built-in list
 * @page: a page of memory for the result, in a form that kma_skip_set() accepts
 *
 * Context: process; kma_lock is held.
 * Return: bytes printed.
 */
int kma_skip_text(char *page);

/**
 * kma_skip_pattern() - get a pattern from the list
 * @i: index of the pattern, from 0, in the order in which patterns are tried
 *
 * Context: process; kma_lock is held.
 * Return: the pattern, or NULL if there is no such pattern.
 */
const char *kma_skip_pattern(int i);

/**
 * kma_skip_stop() - return to the built-in list
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_skip_stop(void);

#endif /* KMA_MATCH_SKIP_H */
