/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Failed allocations: the keys and counters of a countmap of them.
 *
 *	call site | kind, migrate type, order or size, gfp flags | task --> failed, nowarn, ...
 *
 * A failed allocation is either of an object or of pages.  The size of an object is rounded up to a
 * power of two, so that code which asks for many sizes does not use up the rows.
 *
 * The second word of a key, called what here, has these fields, shown with the number of their
 * lowest bit.  @shift is the order of pages, or the binary logarithm of the rounded size of an
 * object:
 *
 *	kind	type	shift	gfp
 *	 44	40	32	0
 *
 * Some rows count all call sites and tasks of a kind, migrate type and order, or all objects: their
 * other words are 0, and they have KMA_CLASS_GFP_OTHER in place of gfp flags.  They get the counts
 * of keys that have no row.  So the number of failures at each order is always exact.
 *
 * Context of all functions: any, NMI included.
 */
#ifndef KMA_CORE_FAILURE_H
#define KMA_CORE_FAILURE_H

#include <linux/bits.h>
#include <linux/types.h>

#include "event.h"

/* Index of the words of a key. */
#define KMA_FAILURE_SITE	0
#define KMA_FAILURE_WHAT	1
#define KMA_FAILURE_TASK	2

/**
 * enum kma_failure_counter - the counters of a row
 * @KMA_FAILURE_FAILED: allocations that failed
 * @KMA_FAILURE_NOWARN: those of them with __GFP_NOWARN
 * @KMA_FAILURE_MAX_BYTES: the most bytes that one of them asked for
 * @KMA_FAILURE_TRACKED: those that failed since page tracking began
 * @KMA_FAILURE_NR: number of counters
 */
enum kma_failure_counter {
	KMA_FAILURE_FAILED,
	KMA_FAILURE_NOWARN,
	KMA_FAILURE_MAX_BYTES,
	KMA_FAILURE_TRACKED,
	KMA_FAILURE_NR
};

#define KMA_FAILURE_OBJECT		BIT_ULL(44)
#define KMA_FAILURE_TYPE_SHIFT		40
#define KMA_FAILURE_TYPE		(7ULL << KMA_FAILURE_TYPE_SHIFT)
#define KMA_FAILURE_SHIFT_SHIFT		32

/* The word what of a page allocation, of a migrate type below 8. */
static inline u64 kma_failure_pages(unsigned int order, unsigned int type, u32 gfp)
{
	return (u64)type << KMA_FAILURE_TYPE_SHIFT |
	       (u64)(u8)order << KMA_FAILURE_SHIFT_SHIFT | gfp;
}

/* The word what of an object of @bytes. */
static inline u64 kma_failure_object(u64 bytes, u32 gfp)
{
	const unsigned int shift = bytes > 1 ? 64 - __builtin_clzll(bytes - 1) : 0;

	return KMA_FAILURE_OBJECT | (u64)shift << KMA_FAILURE_SHIFT_SHIFT | gfp;
}

/* The word what of the row that takes the counts of keys without a row of their own. */
static inline u64 kma_failure_rest(u64 what)
{
	return what & KMA_FAILURE_OBJECT ? KMA_FAILURE_OBJECT | KMA_CLASS_GFP_OTHER :
					   what | KMA_CLASS_GFP_OTHER;
}

static inline bool kma_failure_is_object(u64 what)
{
	return what & KMA_FAILURE_OBJECT;
}

static inline unsigned int kma_failure_shift(u64 what)
{
	return (u8)(what >> KMA_FAILURE_SHIFT_SHIFT);
}

static inline unsigned int kma_failure_type(u64 what)
{
	return what >> KMA_FAILURE_TYPE_SHIFT & 7;
}

static inline u32 kma_failure_gfp(u64 what)
{
	return what;
}

#endif /* KMA_CORE_FAILURE_H */
