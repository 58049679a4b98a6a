/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes of slab objects, for the tracepoints kmalloc, kmem_cache_alloc, kfree and
 * kmem_cache_free.
 *
 *	tracepoint --> kma_slab_probe_TRACEPOINT() --> one jump --> the function of
 *	the current mode, which decodes the arguments and updates the tables
 *
 * A probe runs wherever the kernel allocates: in any context but NMI, with any lock
 * held.  It does not allocate, sleep, take a lock, print or wake anything.
 *
 * Probes of frees are attached first and detached last, and allocations are recorded only
 * after all probes have been attached.  So no free of a recorded object is missed.
 *
 * Context, unless a function says otherwise: process, may sleep.
 */
#ifndef KMA_TRACE_SLAB_H
#define KMA_TRACE_SLAB_H

#include <linux/gfp.h>
#include <linux/types.h>

#include "../compat.h"
#include "../core/event.h"
#include "ftrace_hook.h"

/*
 * Attach the probes, and learn the inner call sites.  Afterwards frees are followed, and
 * allocations are recorded after kma_slab_record(true).  Call this after kma_bulk_start(); the
 * tables are allocated.  Returns 0, or an error that has been explained in the kernel log; then
 * none of the probes is attached.
 */
int kma_slab_start(void);

/*
 * Detach the probes.  On return, probes may still be running.  The caller has to wait for them
 * with tracepoint_synchronize_unregister().
 */
void kma_slab_stop(void);

/*
 * Record allocations or, if a filter is set, those that pass it; or stop recording them.  Call
 * this again when a filter is set or removed.  kma_lock is held.
 */
void kma_slab_record(bool on);

/*
 * Pass the allocations of the current task to a function; only one task may listen at a time.
 * While recording is off, @heard is called from probes, with any lock held, for each allocation of
 * this task in task context, also if it returned NULL or ZERO_SIZE_PTR; @bulk is true if it has no
 * event of its own.  These allocations count in alloc_off, as all others do while recording is
 * off.  If @heard itself is NULL, no allocation is passed on any more.
 */
void kma_slab_listen(void (*heard)(const struct kma_event *ev, bool bulk));

/* Whether allocations are recorded.  Context: any. */
bool kma_slab_recording(void);

/*
 * Sample allocations, or record all.  On return, no probe still runs in the old mode.  kma_lock is
 * held.
 */
void kma_slab_sample(bool on);

/*
 * Test frees against the livefilter, or look up all of them.  On return, a probe may still be
 * running in the old mode.  kma_lock is held.
 */
void kma_slab_livefilter(bool on);

/*
 * Whether kmem_cache_free() is traced after the object is free.  If so, another CPU may allocate
 * the same address before the event of the free is emitted, and the event of that allocation may
 * come first.  This is the case only on 5.10, and only if kmem_cache_free() cannot be followed.
 * Context: any.
 */
bool kma_slab_late(void);

/*
 * Record the free of an object, which is about to be freed, by a function without a tracepoint.
 * Context: any that does not migrate, NMI included.
 */
void kma_slab_free(const void *ptr);

/*
 * Find the call site for kma_slab_bulk_alloc().  @site is the return address of the call of the
 * function without a tracepoint.  Returns @site itself if it is not in a helper, if no caller is
 * found, or if allocations are not recorded.  Context: any.
 */
unsigned long kma_slab_bulk_site(unsigned long site);

/*
 * Record an object allocated by a function without a tracepoint, at the call site @site, from the
 * kmem_cache at @cache.  Context: any that does not migrate.
 */
void kma_slab_bulk_alloc(unsigned long site, const void *ptr, unsigned long cache,
			 gfp_t gfp);

/*
 * Record an allocation of @size bytes by kmalloc_nolock(), called at the return address @site.
 * @ptr may be NULL or ZERO_SIZE_PTR.  Context: any that does not migrate, NMI included;
 * kma_cacheinfo_has_slab() is true.
 */
void kma_slab_nolock_alloc(unsigned long site, const void *ptr, size_t size, gfp_t gfp);

#ifndef KMA_HAVE_FREE_EVENT_EARLY
/* Follows kmem_cache_free() at its entry. */
extern struct kma_ftrace_hook kma_ftrace_hook_free;
#endif

#endif /* KMA_TRACE_SLAB_H */
