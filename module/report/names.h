/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names for one snapshot.  Each name is made once, and is kept until the snapshot is freed.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 *
 * Functions that return a name return NULL if there is no memory.
 */
#ifndef KMA_REPORT_NAMES_H
#define KMA_REPORT_NAMES_H

#include <linux/types.h>

#include "../core/sitetab.h"

struct kma_names;

/*
 * Allocate an empty collection of names, for kma_names_free(), or return NULL.  @t is the table
 * whose rows are named; NULL if only kma_names_add() is used.
 */
struct kma_names *kma_names_new(const struct kma_sitetab *t);

/* Name rows of another table from now on.  Earlier names stay valid.  Returns 0 or -ENOMEM. */
int kma_names_switch(struct kma_names *names, const struct kma_sitetab *t);

/* Free a collection, or NULL, and its names.  kma_lock need not be held. */
void kma_names_free(struct kma_names *names);

/* The name of a row's call site, as from kma_symbol_name(). */
const char *kma_names_site(struct kma_names *names, u32 id);

/*
 * Ask for the name of a row's call site.  A look-up takes long, so a table that is copied row by
 * row only notes which names it needs.  Context: any.
 */
void kma_names_need(struct kma_names *names, u32 id);

/* Whether a name that was asked for has not been made yet.  Context: any. */
bool kma_names_needs(const struct kma_names *names, u32 id);

/* Number of rows of the table whose rows are named.  Context: any. */
u32 kma_names_rows(const struct kma_names *names);

/* The name that kma_names_site() returned earlier.  Context: any. */
const char *kma_names_known(const struct kma_names *names, u32 id);

/* The names of a row's stack, as from kma_symbol_stack(). */
const char *kma_names_stack(struct kma_names *names, u32 id);

/* Print the name of the cache of a row, which is in use, into a buffer.  Context: any. */
void kma_names_print_cache(const struct kma_sitetab *t, u32 id, char *buf, size_t size);

/* The name of a row's cache. */
const char *kma_names_cache(struct kma_names *names, u32 id);

/* The name of a row's cache, a semicolon, and that of its call site. */
const char *kma_names_cache_site(struct kma_names *names, u32 id);

/* Copy a text, shorter than KMA_STACK_LEN, into a collection.  kma_lock need not be held. */
const char *kma_names_add(struct kma_names *names, const char *text);

#endif /* KMA_REPORT_NAMES_H */
