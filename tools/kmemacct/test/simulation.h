/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of samples and limits of counts, for coverage.c and discovery.c. */
#ifndef READER_TEST_SIMULATION_H
#define READER_TEST_SIMULATION_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampler.h"
#include "view/view.h"

#define SHIFT		12
/* 2^SHIFT */
#define N		4096
#define SAMPLE_BYTES	"4096"

/* A count may exceed its limit by this many of its standard errors. */
#define STANDARD_ERRORS	4

static bool failed;

static const struct column callers_columns[] = { KMA_CALLERS_COLUMNS(COLUMN) };

/* Make a table whose head has the N of the simulation. */
static inline struct table *new_table(const char *name, const struct column *columns, size_t nr)
{
	struct table *t = table_new(name, columns, true, nr);

	t->fields[t->nr_fields++] = (struct field) { "sample_bytes", SAMPLE_BYTES };
	return t;
}

/* Set the live and the allocated values of a row to those that the module prints. */
static inline void set_live(struct row *row, const struct sampler_values *v, u64 samples)
{
	row->v[COUNT_live_samples] = samples;
	row->v[COUNT_live_objs] = v->objs;
	row->v[COUNT_live_bytes] = v->bytes;
	row->v[COUNT_live_objs_se] = v->objs_se;
	row->v[COUNT_live_bytes_se] = v->bytes_se;
}

static inline void set_allocated(struct row *row, const struct sampler_values *v, u64 samples)
{
	row->v[COUNT_samples] = samples;
	row->v[COUNT_hits] = v->objs;
	row->v[COUNT_hits_se] = v->objs_se;
	row->v[COUNT_bytes_alloc] = v->bytes;
	row->v[COUNT_bytes_alloc_se] = v->bytes_se;
}

/* Test whether a share in this many runs exceeds a limit, and not by chance. */
static inline bool is_above(double found, double limit, u64 runs)
{
	return found > limit + STANDARD_ERRORS * sqrt(limit * (1 - limit) / runs);
}

/* Return: the number of runs on the command line. */
static inline u64 number_of_runs(int argc, char **argv, u64 usual)
{
	return argc > 1 ? strtoull(argv[1], NULL, 10) : usual;
}

#endif /* READER_TEST_SIMULATION_H */
