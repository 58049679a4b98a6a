/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Patterns for the names of functions that only allocate pages for their callers, and so are
 * not call sites of page allocations.
 *
 * A list of patterns is never modified: a modified copy replaces it, under RCU.  Once no probe
 * uses the old list any more, the call sites that were found with it are forgotten
 * (page_caller.h).
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_MATCH_SKIP_H
#define KMA_MATCH_SKIP_H

#include <linux/types.h>

/* Size of the buffer for a pattern, NUL included. */
#define KMA_SKIP_LEN	64

/*
 * Whether a pattern is safe for glob_match(): it has no negated character class, [!x] or [^x].
 * Such a class also matches the NUL at the end of a name, and glob_match() then reads past the
 * end.  Context: any.
 */
bool kma_pattern_ends(const char *pattern);

/* Whether one of the patterns matches the name of a function.  Context: any, NMI included. */
bool kma_skip_name(const char *name);

/*
 * Run the command `skip` with the arguments @args, `add PATTERN` or `del PATTERN`; modifies @args.
 * Returns 0, or an error explained by kma_refuse(); then nothing has changed.
 */
int kma_skip_run(char *args);

/*
 * Replace the list by the built-in list with some changes.  @text has arguments as for
 * kma_skip_run(), separated by `;`, and is modified.  Returns 0, or an error explained by
 * kma_refuse(); then nothing has changed.
 */
int kma_skip_set(char *text);

/* Print the changes to the built-in list into a page, for kma_skip_set().  Returns the length. */
int kma_skip_text(char *page);

/* Pattern @i, from 0, in the order of trying them; NULL if there is no such pattern. */
const char *kma_skip_pattern(int i);

/* Return to the built-in list. */
void kma_skip_stop(void);

#endif /* KMA_MATCH_SKIP_H */
