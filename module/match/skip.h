/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Patterns for the names of helpers: functions that only allocate for their callers, and so are
 * not call sites.  A pattern is for allocations of pages, of objects, or of both.
 *
 * A list of patterns is never modified: a modified copy replaces it, under RCU.  Once no probe
 * uses the old list any more, the call sites that were found with it are forgotten
 * (caller.h).
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

/**
 * enum kma_skip_what - which allocations a pattern is for
 * @KMA_SKIP_PAGES: page allocations
 * @KMA_SKIP_OBJECTS: objects
 * @KMA_SKIP_BOTH: both
 */
enum kma_skip_what {
	KMA_SKIP_PAGES = 1,
	KMA_SKIP_OBJECTS = 2,
	KMA_SKIP_BOTH = KMA_SKIP_PAGES | KMA_SKIP_OBJECTS,
};

/**
 * struct kma_skip - a pattern
 * @pattern: the pattern
 * @what: an enum kma_skip_what
 */
struct kma_skip {
	char pattern[KMA_SKIP_LEN];
	u8 what;
};

/*
 * Whether one of the patterns for @what, pages or objects, matches the name of a function.
 * Context: any, NMI included.
 */
bool kma_skip_name(const char *name, enum kma_skip_what what);

/*
 * Run the command `skip`.  @args is `add PATTERN`, `del PATTERN`, or `none` to delete all; it is
 * modified.
 * Returns 0, or an error explained by kma_refuse(); then nothing has changed.
 */
int kma_skip_run(char *args);

/*
 * Replace the list by the built-in list with some changes.  @text has arguments as for
 * kma_skip_run(), separated by `;`, and is modified.  Returns 1 if the list may have changed; 0 if
 * it was the built-in one, and still is; or an error explained by kma_refuse(), after which nothing
 * has changed.
 */
int kma_skip_set(char *text);

/* Print the changes to the built-in list into a page, for kma_skip_set().  Returns the length. */
int kma_skip_text(char *page);

/* Pattern @i, from 0, in the order of trying them; NULL if there is no such pattern. */
const struct kma_skip *kma_skip_pattern(int i);

/* Return to the built-in list. */
void kma_skip_stop(void);

#endif /* KMA_MATCH_SKIP_H */
