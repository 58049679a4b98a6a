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
 *
 * Context, unless a function says otherwise: process, may sleep.
 */
#ifndef KMA_TRACE_DOUBLE_H
#define KMA_TRACE_DOUBLE_H

#include "../core/sitetab.h"

/*
 * Note an allocation event for kma_double_learn(); @bulk is not used.  Context: a probe, in the
 * task that runs kma_double_learn().
 */
void kma_double_heard(const struct kma_event *ev, bool bulk);

/*
 * Learn the inner call sites, and add them to @inner of @t.  Returns 0 or -ENOMEM.  Probes are
 * attached, allocations are not recorded yet, and kma_slab_listen() passes those of this task to
 * kma_double_heard().
 */
int kma_double_learn(struct kma_sitetab *t);

#endif /* KMA_TRACE_DOUBLE_H */
