/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The filter: the user's criteria for which allocations are recorded.
 *
 * A filter is never modified: a modified copy replaces it, under RCU.  While a filter is set,
 * the probes are in a mode that tests each event first.  Without a filter, the probes do not
 * test events.
 *
 *	allocation --> test current --> test the memory --> test the call site --> record
 *	                         \                \                   \
 *	                          `----------------`-------------------`--> count as filtered
 *
 * Frees are not filtered.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_MATCH_FILTER_H
#define KMA_MATCH_FILTER_H

#include <linux/gfp.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include "../core/event.h"

struct kma_filter;
struct page;
struct seq_file;

/* NULL if no filter is set.  Written under kma_lock, read under RCU. */
extern struct kma_filter __rcu *kma_filter;

/* Whether a filter is set.  Context: any, NMI included. */
static __always_inline bool kma_filter_on(void)
{
	return rcu_access_pointer(kma_filter);
}

/*
 * Whether the allocation of an object passes the filter, or no filter is set.  An allocation in an
 * interrupt does not match the criteria tgid, comm and cgroup.  Context: a probe, any context, NMI
 * included.
 */
bool kma_filter_object(const struct kma_event *ev);

/**
 * kma_filter_pagealloc() - whether a page allocation passes the filter, or no filter is set
 * @page: the first page
 * @order: binary logarithm of the number of pages
 * @gfp: gfp flags
 * @site: the call site; 0 to look for it on the stack if the filter needs it
 *
 * Context: a probe, any context, NMI included.
 * Return: true if so.
 */
bool kma_filter_pagealloc(const struct page *page, unsigned int order, gfp_t gfp,
			  unsigned long site);

/*
 * Like kma_filter_pagealloc(), for events of pages other than page allocations.  The criteria gfp
 * and module are ignored, and so are order and size if @order is -1, because the event does not
 * have the order.  Context: a probe, any context, NMI included.
 */
bool kma_filter_pages(const struct page *page, int order);

/**
 * struct kma_filter_failure - an allocation that returned no memory
 * @order: binary logarithm of the number of pages; -1 for an object
 * @gfp: gfp flags
 * @bytes: bytes requested
 * @site: the call site
 */
struct kma_filter_failure {
	int order;
	u32 gfp;
	u64 bytes;
	unsigned long site;
};

/*
 * Whether an allocation that failed passes the filter, or no filter is set.  The criterion node is
 * ignored, and so is order for an object, because there is no memory.  Context: a probe, any
 * context, NMI included.
 */
bool kma_filter_failed(const struct kma_filter_failure *f);

/*
 * Set the function that switches the mode of the probes.  @changed is called under kma_lock after
 * the filter was set, replaced or removed, and before the old filter is freed.  With this
 * callback, match/ does not depend on trace/, which depends on match/.  Context: process; nothing
 * is recorded yet.
 */
void kma_filter_start(void (*changed)(void));

/* Remove the filter, and reset kma_filter_since(). */
void kma_filter_stop(void);

/*
 * Run the command `filter` with the arguments @args: a criterion and a value, or `off`; modifies
 * @args.  On return, no probe still uses the old filter.  Returns 0, or an error explained by
 * kma_refuse(); then nothing has changed.
 */
int kma_filter_run(char *args);

/*
 * Replace all criteria at once.  @text has arguments as for kma_filter_run(), separated by `;`,
 * and is modified.  Returns 0, or an error explained by kma_refuse(); then nothing has changed.
 */
int kma_filter_set(char *text);

/* Print all criteria into a page, for kma_filter_set().  Returns the number of bytes printed. */
int kma_filter_text(char *page);

/* Print a line for each criterion that is set. */
void kma_filter_show(struct seq_file *seq);

/* Print the names of the criteria in the bit mask @set.  Context: process. */
void kma_filter_show_names(struct seq_file *seq, u32 set);

/* Bit mask of the criteria that are set now. */
u32 kma_filter_criteria(void);

/* Bit mask of the criteria that have been set since load or, unless @ever, since the last reset. */
u32 kma_filter_since(bool ever);

/* Begin a new period for kma_filter_since(), for the command `reset`. */
void kma_filter_reset(void);

/*
 * Forget which call sites are in the module that the filter names.  Call this when code is loaded
 * or unloaded, because another function may then be at an address.
 */
void kma_filter_forget(void);

#endif /* KMA_MATCH_FILTER_H */
