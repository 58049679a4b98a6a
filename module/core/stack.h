/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call stack of a sampled allocation, and a hash of it.
 *
 * The code that unwinds a stack also computes its hash; a stack in the cache of
 * module/resolve/stack.c already has one.  When the row of a sample is looked up, only hashes
 * are compared, never frames: two stacks with the same hash are taken to be the same.
 *
 * Context of all functions: any, NMI included.
 */
#ifndef KMA_CORE_STACK_H
#define KMA_CORE_STACK_H

#include <linux/types.h>

#include "env.h"

/**
 * struct kma_stack - a stack
 * @hash: hash of the frames
 * @nr_frames: number of frames that were found; may be 0
 * @frame: return addresses: the call site of the allocation first, then its callers
 */
struct kma_stack {
	u64 hash;
	u32 nr_frames;
	unsigned long frame[KMA_FRAMES_MAX];
};

/* Add @word to @hash.  For a given @word, different values of @hash give different results. */
static inline u64 kma_stack_mix(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

/* Set the hash of a stack that has all its frames. */
static inline void kma_stack_seal(struct kma_stack *s)
{
	u32 i;

	s->hash = 0;
	for (i = 0; i < s->nr_frames; i++)
		s->hash = kma_stack_mix(s->hash, s->frame[i]);
}

#endif /* KMA_CORE_STACK_H */
