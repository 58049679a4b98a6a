/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes of slab objects: of the tracepoints kmalloc, kmem_cache_alloc, kfree and
 * kmem_cache_free.
 *
 *	tracepoint --> kma_slab_probe_TRACEPOINT() --> one jump --> the function of
 *	the current mode, which decodes the arguments and updates the tables
 *
 * A probe runs wherever the kernel allocates: in any context but NMI, with any lock
 * held.  It does not allocate, sleep, take a lock, print or wake anything.
 *
 * Probes of frees are attached first and detached last, and allocations are recorded
 * only once everything is attached, so that the free of a recorded object is seen.
 */
#ifndef KMA_TRACE_SLAB_H
#define KMA_TRACE_SLAB_H

#include <linux/gfp.h>
#include <linux/types.h>

#include "../compat.h"
#include "ftrace_hook.h"

/**
 * kma_slab_start() - attach the probes, and learn the inner call sites
 *
 * From then on frees are followed.  Allocations are recorded from kma_slab_record() on.
 *
 * Context: process, may sleep; the tables are allocated, and kma_bulk_start() was called.
 * Return: 0, or an error that has been explained in the kernel log; then none of the
 * probes is attached.
 */
int kma_slab_start(void);

/**
 * kma_slab_stop() - detach the probes
 *
 * The caller then waits for probes that are running: tracepoint_synchronize_unregister().
 *
 * Context: process, may sleep.
 */
void kma_slab_stop(void);

/**
 * kma_slab_record() - record allocations, or stop recording them
 * @on: record them; if a filter is set, those that pass it
 *
 * To be called again when a filter is set or removed.
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_slab_record(bool on);

/**
 * kma_slab_recording() - whether allocations are recorded
 *
 * Context: any.
 * Return: true if so.
 */
bool kma_slab_recording(void);

/**
 * kma_slab_sample() - sample allocations, or record all of them
 * @on: sample them
 *
 * On return, no probe still runs in the old mode.
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_slab_sample(bool on);

/**
 * kma_slab_livefilter() - test frees against the livefilter, or look up all of them
 * @on: test them
 *
 * A probe that is running may still be in the old mode.
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_slab_livefilter(bool on);

/**
 * kma_slab_late() - whether kmem_cache_free() is traced after the object is free
 *
 * If so, another CPU may be given the address before the event of the free, and have its
 * allocation event first.  This is so only on 5.10, and only if the function cannot be
 * followed.
 *
 * Context: any.
 * Return: true if so.
 */
bool kma_slab_late(void);

/**
 * kma_slab_free() - record the free of an object by a function without a tracepoint
 * @ptr: the object, which is about to be freed
 *
 * Context: any context that does not migrate.
 */
void kma_slab_free(const void *ptr);

/**
 * kma_slab_bulk_alloc() - record an object allocated by a function without a tracepoint
 * @site: return address of the call that allocated it
 * @ptr: the object
 * @cache: address of its kmem_cache
 * @gfp: gfp flags
 *
 * Context: any context that does not migrate.
 */
void kma_slab_bulk_alloc(unsigned long site, const void *ptr, unsigned long cache,
			 gfp_t gfp);

/**
 * kma_slab_nolock_alloc() - kmalloc_nolock() returns
 * @site: return address of the call that allocated
 * @ptr: what it returns
 * @size: bytes asked for
 * @gfp: gfp flags
 *
 * Context: any context that does not migrate, NMI included; kma_cacheinfo_has_slab() is
 * true.
 */
void kma_slab_nolock_alloc(unsigned long site, const void *ptr, size_t size, gfp_t gfp);

#ifndef KMA_HAVE_FREE_EVENT_EARLY
/* Follows kmem_cache_free() at its entry. */
extern struct kma_ftrace_hook kma_ftrace_hook_free;
#endif

#endif /* KMA_TRACE_SLAB_H */
