/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sampler of the module's core, for test/coverage.c.  No file can include the headers of both
 * the core and the reader.
 */
#ifndef READER_TEST_SAMPLER_H
#define READER_TEST_SAMPLER_H

/**
 * struct sampler_sum - the samples of some objects, weighed as in the module
 * @samples: number of samples
 * @objs: estimated number of objects, as the core keeps it
 * @bytes: estimated number of bytes
 * @objs_variance: variance of @objs
 * @bytes_variance: variance of @bytes
 */
struct sampler_sum {
	unsigned long long samples;
	__uint128_t objs;
	__uint128_t bytes;
	__uint128_t objs_variance;
	__uint128_t bytes_variance;
};

/* The columns of a table of the module: estimates, and standard errors. */
struct sampler_values {
	unsigned long long objs;
	unsigned long long bytes;
	unsigned long long objs_se;
	unsigned long long bytes_se;
};

/* Begin a run: set the N that objects are sampled with, and seed the random numbers. */
void sampler_begin(int shift, unsigned long long seed);

/* Change N. */
void sampler_change(int shift);

/* Allocate @nr objects of @bytes each, and add those that are sampled to @sum. */
void sampler_allocate(struct sampler_sum *sum, unsigned int bytes, unsigned int nr);

/* Add the samples of @more to @sum. */
void sampler_add(struct sampler_sum *sum, const struct sampler_sum *more);

struct sampler_values sampler_read(const struct sampler_sum *sum);

#endif /* READER_TEST_SAMPLER_H */
