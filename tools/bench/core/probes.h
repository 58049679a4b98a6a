/* SPDX-License-Identifier: GPL-2.0 */
/* What module/probe.c does with an event, as functions of a program. */
#ifndef KMA_BENCH_PROBES_H
#define KMA_BENCH_PROBES_H

#include "../../../module/core/record.h"

#define KMA_BENCH_BATCH_MAX	4096

extern struct kma_core kma_core;

/* A pair's size of slot, and how many are allocated before the first is freed. */
struct kma_bench_shape {
	const char *name;
	u32 bytes;
	u32 batch;
};

/* Those of tools/bench/pairs-guest; 240 bytes take 256. */
extern const struct kma_bench_shape kma_bench_shapes[];
extern const u32 kma_bench_nr_shapes;

/* Make the tables, as large as in a guest of 1 GiB; exits if that fails. */
void kma_bench_start(void);

void kma_bench_kmalloc(unsigned long site, unsigned long ptr, size_t bytes_req,
		       size_t bytes_alloc, int node);
void kma_bench_kfree(unsigned long ptr);

/* The same while objects are sampled, of which nothing is told but what is not a sample. */
void kma_bench_kmalloc_sampled(unsigned long site, unsigned long ptr, size_t bytes_req,
			       size_t bytes_alloc, int node);
void kma_bench_kfree_filtered(unsigned long ptr);

/* @pairs of them, whose objects are this thread's. */
void kma_bench_pairs(const struct kma_bench_shape *s, u32 pairs);

#endif /* KMA_BENCH_PROBES_H */
