/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The witness of the self-test (selftest.h): it notes and checks what probes and tables record of
 * the objects that the self-test allocates and frees.
 *
 *	allocation --> probe, recording is off --> witness: note the event --> live table: put
 *	free       --> probe or hook, as always --> live table: take --> row: count
 *
 * While recording is off, probes pass the allocations of the self-test's task to the witness
 * (kma_slab_listen()), and those of no other task.  So other tasks change neither what is noted nor
 * what is counted.  All objects of the self-test count in one row, the first of the rows [other].
 * No probe uses that row before recording begins, and no table shows it before it is in use.
 * kma_witness_clear() sets its counters to 0.  So the self-test uses up neither a row nor a number
 * of a cache, and leaves nothing behind.
 *
 * After each step, the self-test calls a function that compares what was recorded with what it
 * expects.  These functions return NULL if everything is right, and otherwise a text for the kernel
 * log that says what is wrong.
 *
 * Context, unless a function says otherwise: process, may sleep.
 */
#ifndef KMA_WITNESS_H
#define KMA_WITNESS_H

#include <linux/gfp.h>
#include <linux/slab.h>
#include <linux/types.h>

#include "core/event.h"

/*
 * The gfp flags of the self-test.  It allocates without reclaim, because reclaim would allocate and
 * free in this task, too.  Then two events of one address might both be right.
 */
#define KMA_WITNESS_GFP	(GFP_NOWAIT | __GFP_NOWARN)

/*
 * The result of a path that could not be tested, because there is no memory, or because the path is
 * not followed anyway.  Compare the address, not the text.
 */
extern const char kma_witness_untested[];

/* Begin to note allocations of this task.  Probes are attached, and recording is off. */
void kma_witness_start(void);
void kma_witness_stop(void);

/* Forget all that was noted, and remove it from the tables. */
void kma_witness_clear(void);

/*
 * Note an allocation event.  @bulk is true if the object has no event of its own.  An event with a
 * call site in this module is recorded.  Context: a probe, in the task that has called
 * kma_witness_start().
 */
void kma_witness_heard(const struct kma_event *ev, bool bulk);

/*
 * Put an object into the live table, without an event, between kma_witness_pause() and the next
 * kma_witness_clear().  With this, the self-test can test a free even if the allocation was not
 * seen.
 */
void kma_witness_put(const void *ptr);

/*
 * Remove an object from the live table, without an event.  The free of the object has not been
 * recorded, and no other task can free it meanwhile.  Context: any.
 */
void kma_witness_take(const void *ptr);

/* Record no events until the next kma_witness_clear(). */
void kma_witness_pause(void);

/*
 * Check that an object had exactly one event, that of its call site.  If an object has two events
 * because of an inner call site (trace/double.h), the first one does not count here.
 */
const char *kma_witness_once(const void *ptr);

/**
 * kma_witness_allocated() - check that the allocation of an object was recorded as it should be
 * @ptr: the object, which was allocated by a function of this module, and is not freed yet
 * @bytes_req: bytes that were requested; ignored for an object of a kmem_cache
 * @cache: the kmem_cache; NULL for an object of kmalloc
 * @bulk: the object has no event of its own
 *
 * Return: NULL, or what is wrong.
 */
const char *kma_witness_allocated(const void *ptr, size_t bytes_req,
				  const struct kmem_cache *cache, bool bulk);

/* Check that the frees of @nr recorded objects since kma_witness_clear() were recorded. */
const char *kma_witness_freed(unsigned int nr);

/* Check that the free of the page was recorded that has the object from kma_witness_put(). */
const char *kma_witness_stale(const void *ptr);

#endif /* KMA_WITNESS_H */
