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
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
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

/* Bytes that kma_symbol_start() takes.  Context: process; kma_config is complete. */
u64 kma_symbol_forecast(void);

/* Bytes that kma_symbol_pages_start() takes.  Context: process. */
u64 kma_symbol_pages_forecast(void);

/*
 * Allocate room to keep names of call sites of objects.  Returns 0, or -ENOMEM, which has been
 * explained in the kernel log.  Context: process, may sleep; the tables are allocated.
 */
int kma_symbol_start(void);

/* Undo kma_symbol_start().  Context: process, may sleep; no module notifier runs. */
void kma_symbol_stop(void);

/*
 * Allocate room to keep names of call sites of pages, once their tables are allocated.  Returns 0
 * or -ENOMEM.
 */
int kma_symbol_pages_start(void);
void kma_symbol_pages_stop(void);

/**
 * kma_symbol_print() - print the name of a return address
 * @site: the address, or a value that stands in place of one (see core/pagealloc.h)
 * @buf: the result, `symbol+0xoff [module]`, never an address; for a BPF program, which may be
 *	another one than that of the row, `symbol+0xoff [bpf?]`
 *
 * The name is looked up only if it is not in the cache (namecache.h).
 */
void kma_symbol_print(unsigned long site, char buf[KMA_SYMBOL_LEN]);

/* The name of a call site, valid until kma_lock is released; NULL if a look-up is needed. */
const char *kma_symbol_known(const struct kma_sitetab *t, u32 id);

/*
 * The name that a row's call site has kept, because the module at its address was unloaded; NULL if
 * it has none.  Valid while kma_lock is held.
 */
const char *kma_symbol_kept(const struct kma_sitetab *t, u32 id);

/*
 * Print the name of a row's call site: [other], a kept name, or the name from kma_symbol_print().
 * The row is in use, or is a row [other] of @t: &kma_core.sites or &kma_pagealloc.sites.
 */
void kma_symbol_name(const struct kma_sitetab *t, u32 id, char buf[KMA_SYMBOL_LEN]);

/*
 * Like kma_symbol_name(), but without the cache of names.  Context: any; @t is &kma_core.sites.
 * kma_lock is held, or the kernel panics and the other CPUs are stopped.
 */
void kma_symbol_look(const struct kma_sitetab *t, u32 id, char buf[KMA_SYMBOL_LEN]);

/*
 * Print the names of all call sites of a row's stack, the outermost caller first, with `;` between
 * them; the name of the call site alone if the row has no stack.  @t and @id are as in
 * kma_symbol_name().
 */
void kma_symbol_stack(const struct kma_sitetab *t, u32 id, char buf[KMA_STACK_LEN]);

/* Forget the names that are kept for a row, which is recycled. */
void kma_symbol_forget(const struct kma_sitetab *t, u32 id);

/*
 * Handle a change of the state of a module, which enters or has just entered @state, an enum
 * module_state: keep the names of rows whose code is about to be freed, and retire these rows.
 * Then remove all names of the module from the cache, so call kma_symbol_change_map() before this.
 */
void kma_symbol_change(const struct module *mod, unsigned long state);

/*
 * Like kma_symbol_change(), for a countmap, which may not exist, and for call sites in word @word
 * of its keys.  The name becomes the text of the row; of a row of failures, it follows the text.
 */
void kma_symbol_change_map(enum kma_countmap_of of, int word, const struct module *mod,
			   unsigned long state);

#endif /* KMA_RESOLVE_SYMBOL_H */
