/* SPDX-License-Identifier: GPL-2.0 */
/* For programs of test cases with random events that depend on a seed. */
#ifndef KMA_TEST_SEEDED_H
#define KMA_TEST_SEEDED_H

#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "model.h"

static u64 kma_seed = 1;
static u64 kma_random_state;

static inline u32 kma_below(u32 n)
{
	return kma_random_below(&kma_random_state, n);
}

/* The main() of "PROGRAM [SEED]".  Return: the exit status. */
static inline int kma_seeded_run(int argc, char **argv, const struct kma_case *cases, int nr)
{
	if (argc > 1)
		kma_seed = strtoull(argv[1], NULL, 0);
	kma_random_state = kma_seed;
	printf("seed %llu\n", kma_seed);
	return !!kma_cases_run(cases, nr);
}

#endif /* KMA_TEST_SEEDED_H */
