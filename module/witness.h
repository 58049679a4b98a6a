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

/**
 * kma_witness_start() - begin to note the allocations of the current task
 *
 * Context: process; allocations are not recorded, but all probes are attached.
 */
void kma_witness_start(void);

/**
 * kma_witness_stop() - undo kma_witness_start()
 *
 * Context: process, may sleep.
 */
void kma_witness_stop(void);

/**
 * kma_witness_clear() - forget all that was noted, and remove it from the tables
 *
 * Context: process, may sleep.
 */
void kma_witness_clear(void);

/**
 * kma_witness_heard() - note an allocation event
 * @ev: the event
 * @bulk: the object has no event of its own
 *
 * An event with a call site in this module is recorded.
 *
 * Context: a probe, in the task that has called kma_witness_start().
 */
void kma_witness_heard(const struct kma_event *ev, bool bulk);

/**
 * kma_witness_put() - put an object into the live table, without an event
 * @ptr: the object
 *
 * With this, the self-test can test a free even if the allocation was not seen.
 *
 * Context: process; between kma_witness_pause() and the next kma_witness_clear().
 */
void kma_witness_put(const void *ptr);

/**
 * kma_witness_take() - remove an object from the live table, without an event
 * @ptr: the object, whose free has not been recorded, and which no other task can free meanwhile
 *
 * Context: any.
 */
void kma_witness_take(const void *ptr);

/**
 * kma_witness_pause() - record no events until the next kma_witness_clear()
 *
 * Context: process.
 */
void kma_witness_pause(void);

/**
 * kma_witness_once() - whether an object had exactly one event, that of its call site
 * @ptr: the object
 *
 * If an object has two events because of an inner call site (trace/double.h), the first one does
 * not count here.
 *
 * Context: process.
 * Return: NULL, or what is wrong.
 */
const char *kma_witness_once(const void *ptr);

/**
 * kma_witness_allocated() - whether the allocation of an object was recorded as it should be
 * @ptr: the object, which was allocated by a function of this module
 * @bytes_req: bytes that were requested; ignored for an object of a kmem_cache
 * @cache: the kmem_cache; NULL for an object of kmalloc
 * @bulk: the object has no event of its own
 *
 * Call this before the object is freed.
 *
 * Context: process.
 * Return: NULL, or what is wrong.
 */
const char *kma_witness_allocated(const void *ptr, size_t bytes_req,
				  const struct kmem_cache *cache, bool bulk);

/**
 * kma_witness_freed() - whether frees of recorded objects were recorded
 * @nr: number of objects that were freed since kma_witness_clear()
 *
 * Context: process.
 * Return: NULL, or what is wrong.
 */
const char *kma_witness_freed(unsigned int nr);

/**
 * kma_witness_stale() - whether the free of an object's page was recorded
 * @ptr: the object, which kma_witness_put() has put
 *
 * Context: process.
 * Return: NULL, or what is wrong.
 */
const char *kma_witness_stale(const void *ptr);

#endif /* KMA_WITNESS_H */
