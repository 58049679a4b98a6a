/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Switching between recording everything and sampling, while events come.
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
 * kma_sampling_start() - seed the random numbers
 *
 * Context: process; nothing is recorded yet.
 */
void kma_sampling_start(void);

/**
 * kma_sampling_set() - sample, or record everything
 * @bytes: bytes between samples, on average; 0: record everything
 *
 * Context: process, may sleep; kma_lock is held; probes are attached, or @bytes is 0.
 * Return: true if @bytes is another value than before.
 */
bool kma_sampling_set(u64 bytes);

/**
 * kma_sampling_bytes() - the value that was set
 *
 * Context: any.
 * Return: bytes between samples; 0 if everything is recorded.
 */
u64 kma_sampling_bytes(void);

/**
 * kma_sampling_now() - the value in use, which the budget may have raised
 *
 * Context: any.
 * Return: bytes between samples; 0 if everything is recorded.
 */
u64 kma_sampling_now(void);

#endif /* KMA_SAMPLING_H */
