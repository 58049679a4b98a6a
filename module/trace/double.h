/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allocations with two events.
 *
 * Since 6.10 a kmalloc() whose size is not a constant, and which is served by the page
 * allocator, emits two kmalloc events: first one whose call site is inside the
 * allocator's entry point, then one with the true call site.  The kernel does not say
 * which call sites are inside, so the module learns them before recording begins: it
 * makes such an allocation through each entry point and looks at the events that
 * carry its address.
 */
#ifndef KMA_TRACE_DOUBLE_H
#define KMA_TRACE_DOUBLE_H

#include "../core/sitetab.h"

/**
 * kma_double_note() - note an allocation event while allocations are not recorded
 * @data: not used; with it, the other arguments are in the same registers as in a probe
 * @site: the call site
 * @ptr: the object
 *
 * Counts the event in alloc_off.
 *
 * Context: a probe, any context.
 */
void kma_double_note(void *data, unsigned long site, const void *ptr);

/**
 * kma_double_learn() - learn the call sites inside the allocator
 * @t: the table of call sites, to which they are added as inner ones
 *
 * Context: process, may sleep; probes are attached, allocations are not recorded yet.
 * Return: 0 or -ENOMEM.
 */
int kma_double_learn(struct kma_sitetab *t);

#endif /* KMA_TRACE_DOUBLE_H */
