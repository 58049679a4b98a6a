/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of call sites.
 *
 * A row has the address of its call site.  Normally the name is looked up when a table first
 * shows it.  But code may be freed before that: the init text of a module once its init is done,
 * and all text of a module that is unloaded.  Just before code is freed, the names of the call
 * sites in it are looked up and kept, and their rows are retired, because other code may soon
 * have the same addresses.  If a stack goes through such code, the names of the stack are
 * kept and its row is retired in the same way.
 */
#ifndef KMA_RESOLVE_SYMBOL_H
#define KMA_RESOLVE_SYMBOL_H

#include <linux/types.h>

#include "../core/sitetab.h"
#include "../countmaps.h"

struct module;

/* Room for the name of any call site, in bytes. */
#define KMA_SYMBOL_LEN	768
/* Room for the names of all call sites of a stack, in bytes. */
#define KMA_STACK_LEN	(KMA_FRAMES_MAX * (KMA_SYMBOL_LEN + 1))

/**
 * kma_symbol_forecast() - memory that kma_symbol_start() takes
 *
 * Context: process; kma_config is complete.
 * Return: bytes.
 */
u64 kma_symbol_forecast(void);

/**
 * kma_symbol_pages_forecast() - memory that kma_symbol_pages_start() takes
 *
 * Context: process.
 * Return: bytes.
 */
u64 kma_symbol_pages_forecast(void);

/**
 * kma_symbol_start() - allocate room to keep names of call sites of objects
 *
 * Context: process, may sleep; the tables are allocated.
 * Return: 0, or -ENOMEM, which has been explained in the kernel log.
 */
int kma_symbol_start(void);

/**
 * kma_symbol_stop() - undo kma_symbol_start()
 *
 * Context: process, may sleep; no module notifier runs.
 */
void kma_symbol_stop(void);

/**
 * kma_symbol_pages_start() - allocate room to keep names of call sites of pages
 *
 * Context: process, may sleep; kma_lock is held; the tables of pages are allocated.
 * Return: 0 or -ENOMEM.
 */
int kma_symbol_pages_start(void);

/**
 * kma_symbol_pages_stop() - undo kma_symbol_pages_start()
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_symbol_pages_stop(void);

/**
 * kma_symbol_print() - print the name of a return address
 * @site: the address, or a value that stands in place of one (see core/pagealloc.h)
 * @buf: the result, `symbol+0xoff [module]`, never an address; for a BPF program, which may be
 *	another one than that of the row, `symbol+0xoff [bpf?]`
 *
 * The name is looked up only if it is not in the cache (namecache.h).
 *
 * Context: process; kma_lock is held.
 */
void kma_symbol_print(unsigned long site, char buf[KMA_SYMBOL_LEN]);

/**
 * kma_symbol_known() - the name of a row's call site, if it need not be looked up
 * @t: the table
 * @id: number of the row
 *
 * Context: process; kma_lock is held.
 * Return: the name, valid until kma_lock is released; or NULL.
 */
const char *kma_symbol_known(const struct kma_sitetab *t, u32 id);

/**
 * kma_symbol_name() - print the name of a row's call site
 * @t: the table that the row is in: &kma_core.sites or &kma_pagealloc.sites
 * @id: number of the row, which is in use or is a row [other]
 * @buf: the result: [other], a kept name, or the name from kma_symbol_print()
 *
 * Context: process; kma_lock is held.
 */
void kma_symbol_name(const struct kma_sitetab *t, u32 id, char buf[KMA_SYMBOL_LEN]);

/**
 * kma_symbol_stack() - print the names of all call sites of a row's stack
 * @t: the table that the row is in
 * @id: number of the row, which is in use or is a row [other]
 * @buf: the result: the outermost caller first, `;` between the names; the name of the
 *	call site alone if the row has no stack
 *
 * Context: process; kma_lock is held.
 */
void kma_symbol_stack(const struct kma_sitetab *t, u32 id, char buf[KMA_STACK_LEN]);

/**
 * kma_symbol_forget() - forget the names that are kept for a row, which is recycled
 * @t: the table that the row is in
 * @id: number of the row
 *
 * Context: process; kma_lock is held.
 */
void kma_symbol_forget(const struct kma_sitetab *t, u32 id);

/**
 * kma_symbol_change() - handle a change of the state of a module
 * @mod: the module
 * @state: the state that it is entering or has just entered: enum module_state
 *
 * Keeps the names of rows whose code is about to be freed, and retires these rows.  Then removes
 * all names of the module from the cache, so call kma_symbol_change_map() before this.
 *
 * Context: module notifier; kma_lock is held.
 */
void kma_symbol_change(const struct module *mod, unsigned long state);

/**
 * kma_symbol_change_map() - handle a change of the state of a module in a countmap
 * @of: the countmap, which may not exist
 * @word: index of the word of its keys that holds a call site
 * @mod: the module
 * @state: the state, as for kma_symbol_change()
 *
 * Keeps the names of rows whose code is about to be freed, and retires these rows.
 *
 * Context: module notifier; kma_lock is held.
 */
void kma_symbol_change_map(enum kma_countmap_of of, int word, const struct module *mod,
			   unsigned long state);

#endif /* KMA_RESOLVE_SYMBOL_H */
