/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Switching between recording every object and sampling, while probes run.
 *
 * Context, unless a function says otherwise: any.
 */
#ifndef KMA_SAMPLING_H
#define KMA_SAMPLING_H

#include <linux/types.h>

/*
 * Parse the value of sample_bytes or page_sample_bytes, with an optional suffix K or M.  Returns
 * 0, -EINVAL if @text is not a number, or -ERANGE if the number is neither 0 nor a power of two
 * from 4K to 64M.
 */
int kma_sampling_parse(const char *text, u64 *bytes);

/* Seed the random number generators of sampling.  Context: process; nothing is recorded yet. */
void kma_sampling_start(void);

/*
 * Sample objects, on average one per @bytes, or record every object if @bytes is 0.  Returns true
 * if this has changed the value.  Context: process, may sleep; kma_lock is held; probes are
 * attached, or @bytes is 0.
 */
bool kma_sampling_set(u64 bytes);

/* The value that kma_sampling_set() has set. */
u64 kma_sampling_bytes(void);

/* The value in use, which the budget may have raised. */
u64 kma_sampling_now(void);

#endif /* KMA_SAMPLING_H */
