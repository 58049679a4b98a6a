/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Growth of many values: how much more each one is than some time ago.
 *
 *	look --> kma_growth_begin() --> kma_growth_add() for each value --> its growth
 *
 * At most four times in a window, a look becomes a mark, which keeps the values.  Growth is since
 * the newest mark that is at least one window old: with frequent looks, at most 5/4 of a window.
 * If no mark is between one and two windows old, growth is not known.  A value that is missing from
 * a mark counts as 0.
 *
 * Context of all functions: process; the caller prevents concurrent calls.
 */
#ifndef KMA_CORE_GROWTH_H
#define KMA_CORE_GROWTH_H

#include <linux/kernel.h>
#include <linux/types.h>

#define KMA_GROWTH_MARKS	5

/**
 * struct kma_growth_slot - a value at each mark
 * @key: whose value it is; the slot may have had another one before
 * @value: the values
 */
struct kma_growth_slot {
	u64 key;
	u32 value[KMA_GROWTH_MARKS];
};

/**
 * struct kma_growth - values at earlier times
 * @nr: number of slots
 * @slot: the slots
 * @time: when each mark was set; KMA_GROWTH_NEVER if it was not
 * @newest: index of the newest mark
 * @marking: whether this look is a mark
 * @base: index of the mark since which values have grown, or -1
 */
struct kma_growth {
	u32 nr;
	struct kma_growth_slot *slot;
	u64 time[KMA_GROWTH_MARKS];
	u32 newest;
	bool marking;
	int base;
};

#define KMA_GROWTH_NEVER	U64_MAX

/* Allocate @nr slots.  Returns 0 or -ENOMEM. */
int kma_growth_init(struct kma_growth *g, u32 nr);

/* Free the slots.  @g may be zeroed memory. */
void kma_growth_destroy(struct kma_growth *g);

/* Forget all marks. */
void kma_growth_forget(struct kma_growth *g);

/* Begin a look at @now.  @window has the same unit of time, and is the same in all looks. */
void kma_growth_begin(struct kma_growth *g, u64 now, u64 window);

/*
 * The value of @key is @value now; it is that of slot @i, below @nr.  Call this once for each value
 * that is not 0.  Returns its growth; 0 if it has not grown, or if that is not known.
 */
u32 kma_growth_add(struct kma_growth *g, u32 i, u64 key, u32 value);

#endif /* KMA_CORE_GROWTH_H */
