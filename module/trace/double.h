/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allocations with two events.
 *
 * Since 6.10, a kmalloc() that is served by the page allocator emits two kmalloc events if
 * its size is not a constant.  The first event has a call site inside an entry point of the
 * slab allocator (an inner call site); the second has the true call site.  No event says
 * which of the two it is, so the module learns the inner call sites before recording begins:
 * it makes such an allocation through each entry point, and looks at the events that carry
 * its address.
 */
#ifndef KMA_TRACE_DOUBLE_H
#define KMA_TRACE_DOUBLE_H

#include "../core/sitetab.h"

/**
 * kma_double_note() - note an allocation event while allocations are not recorded
 * @data: not used; keeps the other arguments in the registers that a probe has them in
 * @site: the call site
 * @ptr: the object
 *
 * Counts the event in alloc_off.  If kma_double_learn() runs in this task, also keeps the
 * event for it.
 *
 * Context: a probe, any context.
 */
void kma_double_note(void *data, unsigned long site, const void *ptr);

/**
 * kma_double_learn() - learn the inner call sites
 * @t: the table of call sites; the result is added to its @inner
 *
 * Context: process, may sleep; probes are attached, allocations are not recorded yet.
 * Return: 0 or -ENOMEM.
 */
int kma_double_learn(struct kma_sitetab *t);

#endif /* KMA_TRACE_DOUBLE_H */
