/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a sample was allocated from: its stack, and a hash that stands for it.
 *
 * Who takes a stack also makes the hash, and a stack that is remembered has it already
 * (module/stack.c).  So nobody compares frames with those of a row: two stacks are taken to
 * be the same if their hashes are.
 */
#ifndef KMA_CORE_STACK_H
#define KMA_CORE_STACK_H

#include "env.h"

/**
 * struct kma_stack - a stack
 * @hash: of its frames
 * @nr_frames: how many are known; 0: none
 * @frame: return addresses, that of the allocation first, then who called that
 */
struct kma_stack {
	u64 hash;
	u32 nr_frames;
	unsigned long frame[KMA_FRAMES_MAX];
};

/* One step, in which no two values of @hash become one. Context: any. */
static inline u64 kma_stack_mix(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

/**
 * kma_stack_seal() - the frames are known
 * @s: the stack, whose hash is made
 *
 * Context: any.
 */
static inline void kma_stack_seal(struct kma_stack *s)
{
	u32 i;

	s->hash = 0;
	for (i = 0; i < s->nr_frames; i++)
		s->hash = kma_stack_mix(s->hash, s->frame[i]);
}

#endif /* KMA_CORE_STACK_H */
