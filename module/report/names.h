/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names for one snapshot.  Each name is made once, and is kept until the snapshot is freed.
 */
#ifndef KMA_REPORT_NAMES_H
#define KMA_REPORT_NAMES_H

#include <linux/types.h>

#include "../core/sitetab.h"

struct kma_names;

/**
 * kma_names_new() - allocate an empty collection of names
 * @t: the table whose rows are named; NULL if only kma_names_add() is used
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: the collection, for kma_names_free(), or NULL if there is no memory.
 */
struct kma_names *kma_names_new(const struct kma_sitetab *t);

/**
 * kma_names_free() - free a collection and its names
 * @names: the collection, or NULL
 *
 * Context: process, may sleep.
 */
void kma_names_free(struct kma_names *names);

/**
 * kma_names_site() - the name of a row's call site, as from kma_symbol_name()
 * @names: the collection
 * @id: number of the row
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: the name, or NULL if there is no memory.
 */
const char *kma_names_site(struct kma_names *names, u32 id);

/**
 * kma_names_need() - ask for the name of a row's call site
 * @names: the collection
 * @id: number of the row
 *
 * A look-up takes long, so a table that is copied row by row only notes which names it needs.
 *
 * Context: any.
 */
void kma_names_need(struct kma_names *names, u32 id);

/**
 * kma_names_needs() - whether a name that was asked for has not been made yet
 * @names: the collection
 * @id: number of the row
 *
 * Context: any.
 * Return: true if so.
 */
bool kma_names_needs(const struct kma_names *names, u32 id);

/**
 * kma_names_rows() - number of rows of the table whose rows are named
 * @names: the collection
 *
 * Context: any.
 * Return: the number.
 */
u32 kma_names_rows(const struct kma_names *names);

/**
 * kma_names_known() - the name that kma_names_site() returned earlier
 * @names: the collection
 * @id: number of the row
 *
 * Context: any.
 * Return: the name.
 */
const char *kma_names_known(const struct kma_names *names, u32 id);

/**
 * kma_names_stack() - the names of a row's stack, as from kma_symbol_stack()
 * @names: the collection
 * @id: number of the row
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: the names, or NULL if there is no memory.
 */
const char *kma_names_stack(struct kma_names *names, u32 id);

/**
 * kma_names_cache() - the name of a row's cache
 * @names: the collection
 * @id: number of the row
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: the name, or NULL if there is no memory.
 */
const char *kma_names_cache(struct kma_names *names, u32 id);

/**
 * kma_names_add() - copy a text into a collection
 * @names: the collection
 * @text: the text, shorter than KMA_STACK_LEN
 *
 * Context: process, may sleep.
 * Return: the copy, or NULL if there is no memory.
 */
const char *kma_names_add(struct kma_names *names, const char *text);

#endif /* KMA_REPORT_NAMES_H */
