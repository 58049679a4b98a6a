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
 * Frees are not filtered.  All tests may run in any context, NMI included.
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

/**
 * kma_filter_on() - whether a filter is set
 *
 * Context: any.
 * Return: true if a filter is set.
 */
static __always_inline bool kma_filter_on(void)
{
	return rcu_access_pointer(kma_filter);
}

/**
 * kma_filter_object() - whether the allocation of an object passes the filter
 * @ev: the allocation
 *
 * An allocation in an interrupt does not match the criteria tgid, comm and cgroup.
 *
 * Context: a probe, any context, NMI included.
 * Return: true if the allocation passes, or if no filter is set.
 */
bool kma_filter_object(const struct kma_event *ev);

/**
 * kma_filter_pagealloc() - whether a page allocation passes the filter
 * @page: the first page
 * @order: binary logarithm of the number of pages
 * @gfp: gfp flags
 * @site: the call site.  If it is 0 and the filter needs the call site, this function calls
 *	kma_env_page_site(), which requires kma_page_caller_start().
 *
 * Context: a probe, any context, NMI included.
 * Return: true if the page allocation passes, or if no filter is set.
 */
bool kma_filter_pagealloc(const struct page *page, unsigned int order, gfp_t gfp,
			  unsigned long site);

/**
 * kma_filter_pages() - whether an event without gfp flags and call site passes the filter
 * @page: the first page
 * @order: binary logarithm of the number of pages; -1 if the event does not have the order
 *
 * This is for events of pages other than page allocations.  The criteria gfp and module are
 * ignored, and if @order is -1, so are order and size.
 *
 * Context: a probe, any context, NMI included.
 * Return: true if the event passes, or if no filter is set.
 */
bool kma_filter_pages(const struct page *page, int order);

/**
 * kma_filter_start() - set the function that is called when the filter changes
 * @changed: switches the mode of the probes; called under kma_lock after the filter was set,
 *	replaced or removed, and before the old filter is freed
 *
 * This is a function pointer so that match/ does not depend on trace/, which depends on match/.
 *
 * Context: process; nothing is recorded yet.
 */
void kma_filter_start(void (*changed)(void));

/**
 * kma_filter_stop() - remove the filter, and reset kma_filter_since()
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_filter_stop(void);

/**
 * kma_filter_run() - run the command `filter`
 * @args: the arguments: a criterion and a value, or `off`; modified
 *
 * On return, no probe still uses the old filter.
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0, or an error explained by kma_refuse(); then nothing has changed.
 */
int kma_filter_run(char *args);

/**
 * kma_filter_set() - replace all criteria at once
 * @text: arguments as for kma_filter_run(), separated by `;`; modified
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0, or an error explained by kma_refuse(); then nothing has changed.
 */
int kma_filter_set(char *text);

/**
 * kma_filter_text() - print all criteria that are set
 * @page: a page of memory for the result, in a form that kma_filter_set() accepts
 *
 * Context: process; kma_lock is held.
 * Return: bytes printed.
 */
int kma_filter_text(char *page);

/**
 * kma_filter_show() - print a line for each criterion
 * @seq: the file to print to
 *
 * Context: process; kma_lock is held.
 */
void kma_filter_show(struct seq_file *seq);

/**
 * kma_filter_show_names() - print the names of criteria
 * @seq: the file to print to
 * @set: bit mask of the criteria to print
 *
 * Context: process.
 */
void kma_filter_show_names(struct seq_file *seq, u32 set);

/**
 * kma_filter_criteria() - get the criteria that are set now
 *
 * Context: process; kma_lock is held.
 * Return: a bit mask with the bits of these criteria set.
 */
u32 kma_filter_criteria(void);

/**
 * kma_filter_since() - get the criteria that have been set at any time
 * @ever: true for any time since load, false for any time since the last reset
 *
 * Context: process; kma_lock is held.
 * Return: a bit mask with the bits of these criteria set.
 */
u32 kma_filter_since(bool ever);

/**
 * kma_filter_reset() - begin a new period for kma_filter_since(), for the command `reset`
 *
 * Context: process; kma_lock is held.
 */
void kma_filter_reset(void);

/**
 * kma_filter_forget() - forget which call sites are in the module that the filter names
 *
 * Call this when code is loaded or unloaded, because another function may then be at an address.
 *
 * Context: process; kma_lock is held.
 */
void kma_filter_forget(void);

#endif /* KMA_MATCH_FILTER_H */
