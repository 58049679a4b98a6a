/* SPDX-License-Identifier: GPL-2.0 */
/* The probes of module/trace/slab.c, as user-space functions. */
#ifndef KMA_BENCH_PROBES_H
#define KMA_BENCH_PROBES_H

#include "../../../module/core/record.h"

#define KMA_BENCH_BATCH_MAX	4096

extern struct kma_core kma_core;

/* A shape: the slot size of the objects, and how many are allocated before the first free. */
struct kma_bench_shape {
	const char *name;
	u32 bytes;
	u32 batch;
};

/* The shapes of tools/bench/pairs-guest; objects of 240 bytes are in slots of 256 bytes. */
extern const struct kma_bench_shape kma_bench_shapes[];
extern const u32 kma_bench_nr_shapes;

/* Create tables of the same size as in a guest with 1 GiB; exits if that fails. */
void kma_bench_start(void);

void kma_bench_kmalloc(unsigned long site, unsigned long ptr, size_t bytes_req,
		       size_t bytes_alloc, int node);
void kma_bench_kfree(unsigned long ptr);

/* Like the functions above, while objects are sampled.  The objects are not samples. */
void kma_bench_kmalloc_sampled(unsigned long site, unsigned long ptr, size_t bytes_req,
			       size_t bytes_alloc, int node);
void kma_bench_kfree_filtered(unsigned long ptr);

/* Record @pairs pairs, with object addresses of this thread only. */
void kma_bench_pairs(const struct kma_bench_shape *s, u32 pairs);

#endif /* KMA_BENCH_PROBES_H */
