/* SPDX-License-Identifier: GPL-2.0 */
/* The objects of kmemacct_nolock, which any CPU may allocate and free in any context. */
#ifndef KMA_NOLOCK_OBJECTS_H
#define KMA_NOLOCK_OBJECTS_H

#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/numa.h>

#include "nolock_sites.h"
#include "truth_counts.h"

#define NOLOCK_OBJECTS	16384

/*
 * Objects that are live, or have been freed: then their pointer is NULL.  The caller of
 * nolock_free() whose xchg() returns the pointer frees the object.
 */
extern struct truth_object nolock_object[NOLOCK_OBJECTS];

/* Number of entries used since the last drop; briefly too high while the table is full. */
extern atomic_t nolock_nr;

/* Allocations that returned NULL. */
extern atomic_t nolock_failed;

static inline int nolock_used(void)
{
	return min(atomic_read(&nolock_nr), NOLOCK_OBJECTS);
}

/* Context: any, NMI included.  Return: index of the object, or an error. */
int nolock_make_one(enum truth_site_id id, size_t size);

/* Allocate @nr objects that stay live.  Return: 0, -ENOMEM, or -ENOSPC if the table is full. */
int nolock_make(enum truth_site_id id, size_t size, int nr);

/* The function that frees an object. */
enum nolock_freefn {
	NOLOCK_KFREE_NOLOCK,
	NOLOCK_KFREE,
	NOLOCK_KFREE_RCU,
	NOLOCK_KFREE_RCU_NOLOCK,
};

/* Does nothing if the object is already freed.  Context: any that @freefn allows. */
void nolock_free(int at, enum nolock_freefn freefn);

/* Free up to @nr objects, from index @from on. */
void nolock_free_since(int from, int nr, enum nolock_freefn freefn);

/* Allocate five objects and free three of them; two stay live.  Return: as nolock_make(). */
int nolock_some(enum truth_site_id id, size_t size);

#endif /* KMA_NOLOCK_OBJECTS_H */
