// SPDX-License-Identifier: GPL-2.0
/* The livefilter: setup and updates.  See the overview in livefilter.h. */
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "livefilter.h"

/* The two tags of a cell follow its number of objects. */
#define KMA_TAG_BITS	5
#define KMA_TAG_MAX	((1U << KMA_TAG_BITS) - 1)
#define KMA_TAG_SHIFT	6

static_assert(KMA_LIVEFILTER_NUMBER + 1 == 1 << KMA_TAG_SHIFT);
static_assert(KMA_TAG_SHIFT + 2 * KMA_TAG_BITS == 16);

u64 kma_livefilter_bytes(u64 pfns)
{
	if (pfns <= KMA_LIVEFILTER_SMALL)
		return KMA_LIVEFILTER_BYTES_MIN;
	return min_t(u64, pfns / KMA_LIVEFILTER_PAGES, KMA_LIVEFILTER_BYTES_MAX);
}

int kma_livefilter_init(struct kma_livefilter *f, u64 pfns)
{
	const u64 bytes = kma_livefilter_bytes(pfns);

	f->cell = kma_env_zalloc_spread(bytes);
	if (!f->cell)
		return -ENOMEM;
	f->mask = bytes / sizeof(f->cell[0]) - 1;
	return 0;
}

void kma_livefilter_destroy(struct kma_livefilter *f)
{
	kma_env_free(f->cell);
	memset(f, 0, sizeof(*f));
}

/*
 * A hash of the address, from 1 to KMA_TAG_MAX.  Objects in one cell differ in the lowest eight
 * bits of their address, or in the bits above those that pick the cell.  Two multiplications are
 * needed: with one, neighbours at some distances would nearly always have the same tag.
 */
static u32 kma_livefilter_tag(unsigned long ptr)
{
	u64 hash = ptr * 0xd6e8feb86659fd93ULL;

	hash ^= hash >> 32;
	hash *= 0xd6e8feb86659fd93ULL;
	return 1 + ((hash >> 32) * KMA_TAG_MAX >> 32);
}

/* The first and the second tag of a cell. */
static u32 kma_cell_first(u32 cell)
{
	return cell >> KMA_TAG_SHIFT & KMA_TAG_MAX;
}

static u32 kma_cell_second(u32 cell)
{
	return cell >> (KMA_TAG_SHIFT + KMA_TAG_BITS);
}

static u16 kma_cell_make(u32 number, u32 first, u32 second)
{
	return second << (KMA_TAG_SHIFT + KMA_TAG_BITS) | first << KMA_TAG_SHIFT | number;
}

/* Whether the tags of the objects in a cell, which is used, are known. */
static bool kma_cell_known(u32 cell)
{
	return kma_cell_first(cell);
}

/* This compares the tags without branches, because the processor could not predict them. */
static bool kma_cell_has(u32 cell, u32 tag)
{
	const u32 first = kma_cell_first(cell), second = kma_cell_second(cell);

	return cell && ((first == 0) | (first == tag) | (second == tag));
}

static u16 kma_cell_add(u32 cell, u32 tag)
{
	const u32 number = cell & KMA_LIVEFILTER_NUMBER;

	if (!number)
		return kma_cell_make(1, tag, 0);
	if (number == 1 && kma_cell_known(cell))
		return kma_cell_make(2, kma_cell_first(cell), tag);
	return kma_cell_make(min(number + 1, KMA_LIVEFILTER_NUMBER), 0, 0);
}

static u16 kma_cell_remove(u32 cell, u32 tag)
{
	const u32 number = cell & KMA_LIVEFILTER_NUMBER;

	/*
	 * If the cell does not have the tag, the object was never added: leave the cell as it is.
	 */
	if (!kma_cell_has(cell, tag))
		return cell;
	if (number == 1)
		return 0;
	if (!kma_cell_known(cell))
		return kma_cell_make(number - 1, 0, 0);
	return kma_cell_make(1, kma_cell_first(cell) == tag ? kma_cell_second(cell) :
				kma_cell_first(cell), 0);
}

bool kma_livefilter_has(const struct kma_livefilter *f, unsigned long ptr)
{
	/* Pairs with the cmpxchg of kma_livefilter_add(): see kma_livefilter_used(). */
	return kma_cell_has(READ_ONCE(*kma_livefilter_at(f, ptr)), kma_livefilter_tag(ptr));
}

void kma_livefilter_add(struct kma_livefilter *f, unsigned long ptr)
{
	const u32 tag = kma_livefilter_tag(ptr);
	u16 *at = kma_livefilter_at(f, ptr);
	u16 old;

	/*
	 * The cmpxchg is a full barrier: the cell changes before the key of the object is
	 * published.  Pairs with the loads in kma_livefilter_used() and kma_livefilter_has().
	 * A cell that is KMA_LIVEFILTER_KEPT never changes again, so it needs no barrier.
	 */
	do {
		old = READ_ONCE(*at);
	} while (old != KMA_LIVEFILTER_KEPT && cmpxchg(at, old, kma_cell_add(old, tag)) != old);
}

void kma_livefilter_remove(struct kma_livefilter *f, unsigned long ptr)
{
	const u32 tag = kma_livefilter_tag(ptr);
	u16 *at = kma_livefilter_at(f, ptr);
	u16 old;

	do {
		old = READ_ONCE(*at);
	} while (old != KMA_LIVEFILTER_KEPT &&
		 cmpxchg(at, old, kma_cell_remove(old, tag)) != old);
}

void kma_livefilter_keep(struct kma_livefilter *f, unsigned long ptr)
{
	WRITE_ONCE(*kma_livefilter_at(f, ptr), KMA_LIVEFILTER_KEPT);
}

/* Number of cells to clear between two calls of cond_resched(). */
#define KMA_LIVEFILTER_PIECE	(KMA_LIVEFILTER_BYTES_MIN / sizeof(u16))

void kma_livefilter_clear(struct kma_livefilter *f)
{
	unsigned long i;

	for (i = 0; i <= f->mask; i += KMA_LIVEFILTER_PIECE) {
		memset(&f->cell[i], 0, KMA_LIVEFILTER_BYTES_MIN);
		cond_resched();
	}
}
