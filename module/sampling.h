/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Switching between recording every object and sampling, while probes run.
 */
#ifndef KMA_SAMPLING_H
#define KMA_SAMPLING_H

#include <linux/types.h>

/**
 * kma_sampling_parse() - parse the value of sample_bytes or page_sample_bytes
 * @text: 0 or a power of two, with an optional suffix K or M
 * @bytes: the result
 *
 * Context: any.
 * Return: 0, -EINVAL if @text is not a number, or -ERANGE if the number is neither 0
 * nor a power of two from 4K to 64M.
 */
int kma_sampling_parse(const char *text, u64 *bytes);

/**
 * kma_sampling_start() - seed the random number generators of sampling
 *
 * Context: process; nothing is recorded yet.
 */
void kma_sampling_start(void);

/**
 * kma_sampling_set() - sample objects, or record every object
 * @bytes: average number of bytes between samples; 0 to record every object
 *
 * Context: process, may sleep; kma_lock is held; probes are attached, or @bytes is 0.
 * Return: true if this has changed the value.
 */
bool kma_sampling_set(u64 bytes);

/**
 * kma_sampling_bytes() - get the value that kma_sampling_set() has set
 *
 * Context: any.
 * Return: average number of bytes between samples; 0 if every object is recorded.
 */
u64 kma_sampling_bytes(void);

/**
 * kma_sampling_now() - get the value in use, which the budget may have raised
 *
 * Context: any.
 * Return: average number of bytes between samples; 0 if every object is recorded.
 */
u64 kma_sampling_now(void);

#endif /* KMA_SAMPLING_H */
