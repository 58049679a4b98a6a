/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The filter: which allocations are recorded.
 *
 * A filter is never modified: a modified copy takes its place, under RCU.  While a filter
 * is set, the probes are in a mode that tests each event first.  Without a filter they test
 * nothing.
 *
 *	allocation --> current --> the memory --> the call site --> record it
 *	                   \            \             \
 *	                    `------------`-------------`--> count it as filtered
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
 * Return: true if so.
 */
static __always_inline bool kma_filter_on(void)
{
	return rcu_access_pointer(kma_filter);
}

/**
 * kma_filter_object() - whether the allocation of an object passes the filter
 * @ev: the allocation
 *
 * An allocation in an interrupt does not pass tgid, comm or cgroup.
 *
 * Context: a probe, any context, NMI included.
 * Return: true if it passes, or if no filter is set.
 */
bool kma_filter_object(const struct kma_event *ev);

/**
 * kma_filter_pagealloc() - whether an allocation of pages passes the filter
 * @page: the first page
 * @order: binary logarithm of the number of pages
 * @gfp: gfp flags
 * @site: the call site; 0 to call kma_env_page_site() if the call site matters, which
 *	needs kma_page_caller_start()
 *
 * Context: a probe, any context, NMI included.
 * Return: true if it passes, or if no filter is set.
 */
bool kma_filter_pagealloc(const struct page *page, unsigned int order, gfp_t gfp,
			  unsigned long site);

/**
 * kma_filter_pages() - whether another event of pages passes the filter
 * @page: the first page
 * @order: binary logarithm of the number of pages; -1 if the event does not have it
 *
 * Tests only tgid, comm, cgroup, order, size and node: such an event has no gfp flags and
 * no call site.
 *
 * Context: a probe, any context, NMI included.
 * Return: true if it passes, or if no filter is set.
 */
bool kma_filter_pages(const struct page *page, int order);

/**
 * kma_filter_start() - set the function that is called when the filter changes
 * @changed: switches the mode of the probes; called under kma_lock after a filter was set
 *	or removed, and before the old one is freed
 *
 * The probes call the filter, so the filter does not call them by name.
 *
 * Context: process; nothing is recorded yet.
 */
void kma_filter_start(void (*changed)(void));

/**
 * kma_filter_stop() - remove the filter, and forget which criteria were set
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_filter_stop(void);

/**
 * kma_filter_run() - run the command `filter`
 * @args: its arguments, a criterion and a value, or `off`; modified
 *
 * On return, no probe still uses the old filter.
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0, or an error explained by kma_refuse(); then nothing has changed.
 */
int kma_filter_run(char *args);

/**
 * kma_filter_set() - set all criteria at once
 * @text: criteria as for kma_filter_run(), with `;` between them; modified
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
 * @set: a bit for each criterion
 *
 * Context: process.
 */
void kma_filter_show_names(struct seq_file *seq, u32 set);

/**
 * kma_filter_since() - which criteria were set at any time
 * @ever: true: since load; false: since the last reset
 *
 * Context: process; kma_lock is held.
 * Return: a bit for each criterion.
 */
u32 kma_filter_since(bool ever);

/**
 * kma_filter_reset() - let kma_filter_since() start again, as `reset` does
 *
 * Context: process; kma_lock is held.
 */
void kma_filter_reset(void);

/**
 * kma_filter_forget() - forget which call sites are in the module of the filter
 *
 * To be called when code is loaded or unloaded: an address may get another function.
 *
 * Context: process; kma_lock is held.
 */
void kma_filter_forget(void);

#endif /* KMA_MATCH_FILTER_H */
