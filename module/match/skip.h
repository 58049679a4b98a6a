/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Patterns of the names of functions that only hand pages on.
 *
 * A list of patterns is never modified: a modified copy takes its place, under RCU.  Once
 * no probe uses the old list any more, the call sites that were found with it are
 * forgotten (page_caller.h).
 */
#ifndef KMA_MATCH_SKIP_H
#define KMA_MATCH_SKIP_H

#include <linux/types.h>

/* Room for a pattern, its NUL included. */
#define KMA_SKIP_LEN	64

/**
 * kma_pattern_ends() - whether a pattern is safe for glob_match()
 * @pattern: the pattern
 *
 * A negated class, [!x] or [^x], also matches the NUL at the end of a name, and
 * glob_match() then reads past the end.
 *
 * Context: any.
 * Return: true if @pattern has no negated class.
 */
bool kma_pattern_ends(const char *pattern);

/**
 * kma_skip_name() - whether a function only hands pages on
 * @name: its name
 *
 * Context: any, NMI included.
 * Return: true if one of the patterns matches.
 */
bool kma_skip_name(const char *name);

/**
 * kma_skip_run() - run the command `skip`
 * @args: its arguments, `add PATTERN` or `del PATTERN`; modified
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0, or an error explained by kma_refuse(); then nothing has changed.
 */
int kma_skip_run(char *args);

/**
 * kma_skip_set() - apply changes to the built-in list
 * @text: changes as for kma_skip_run(), with `;` between them; modified
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0, or an error explained by kma_refuse(); then nothing has changed.
 */
int kma_skip_set(char *text);

/**
 * kma_skip_text() - print the changes to the built-in list
 * @page: a page of memory for the result, in a form that kma_skip_set() accepts
 *
 * Context: process; kma_lock is held.
 * Return: bytes printed.
 */
int kma_skip_text(char *page);

/**
 * kma_skip_pattern() - a pattern of the list
 * @i: number of the pattern, from 0, in the order in which patterns are tried
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
