// SPDX-License-Identifier: GPL-2.0
/*
 * How often the intervals of estimates contain the true value.
 *
 *	coverage [RUNS]
 *
 * An interval is right if it contains the true value in at least 95 of 100 cases, whatever
 * the true value is.  A call site that has no sample is not in a table, but counts as a case:
 * then the interval is from 0 to what the head of the table says of such sites.
 *
 * The first part computes this probability.  All objects of a site have the same size, so the
 * number of samples has a binomial distribution, and the probability is the sum of those
 * of all numbers of samples whose interval contains the true value.  It has to be 95 % or more.
 *
 * The second part simulates sites with objects of one or of several sizes, with the module's own
 * sampler, and counts.  The results vary by chance, with a known standard error.  A result that
 * falls short of 95 % by more than four of these standard errors is a failure.
 *
 * Both compute intervals by estimate_interval() from rows such as the module prints.
 */
#include "simulation.h"

/* The smallest object of the slab allocator, in bytes */
#define OBJECT_MIN	8

#define COVERAGE	0.95

/* ---- rows ----------------------------------------------------------------- */

/* The quantities that intervals are computed for. */
enum quantity {
	BYTES,
	OBJECTS,
	OBJECTS_OF_CACHE,
	CHANGE,
	FREED,
	NR_QUANTITIES
};

static const char * const quantity_name[] = {
	[BYTES] = "bytes",
	[OBJECTS] = "objects of any size",
	[OBJECTS_OF_CACHE] = "objects of one size",
	[CHANGE] = "change of bytes",
	[FREED] = "bytes freed",
};

static const struct column caches_columns[] = { KMA_CACHES_COLUMNS(COLUMN) };

/* For each quantity, a table with one row. */
static struct table *tables[NR_QUANTITIES];

static void make_tables(void)
{
	int i;

	tables[BYTES] = new_table("callers", callers_columns, 1);
	tables[OBJECTS] = new_table("callers", callers_columns, 1);
	tables[FREED] = new_table("callers", callers_columns, 1);
	tables[OBJECTS_OF_CACHE] = new_table("caches", caches_columns, 1);
	tables[CHANGE] = delta_make("run", new_table("callers", callers_columns, 1),
				    new_table("callers", callers_columns, 1));
	for (i = 0; i < NR_QUANTITIES; i++)
		table_add(tables[i])->label = "site+0x1";
}

static int column_of(enum quantity q)
{
	if (q == FREED)
		return COUNT_bytes_freed;
	return q == OBJECTS || q == OBJECTS_OF_CACHE ? COUNT_live_objs : COUNT_live_bytes;
}

/* Return: the row of a quantity, set to what the module prints. */
static struct row *live_row(enum quantity q, const struct sampler_values *live, u64 samples)
{
	set_live(tables[q]->rows[0], live, samples);
	return tables[q]->rows[0];
}

/* Return: the row of FREED, which counts allocations and frees, with the samples of both. */
static struct row *freed_row(const struct sampler_sum *all, const struct sampler_sum *freed)
{
	const struct sampler_values a = sampler_read(all), f = sampler_read(freed);
	struct row *row = tables[FREED]->rows[0];

	set_allocated(row, &a, all->samples);
	row->v[COUNT_frees] = f.objs;
	row->v[COUNT_frees_se] = f.objs_se;
	row->v[COUNT_bytes_freed] = f.bytes;
	row->v[COUNT_bytes_freed_se] = f.bytes_se;
	return row;
}

/* Return: the row of CHANGE, the difference of two readings. */
static struct row *change_row(const struct sampler_sum *before, const struct sampler_sum *after)
{
	const struct sampler_values b = sampler_read(before), a = sampler_read(after);
	const double b_se = b.bytes_se, a_se = a.bytes_se;
	struct row *row = tables[CHANGE]->rows[0];

	row->v[COUNT_live_samples] = before->samples + after->samples;
	row->v[COUNT_live_bytes] = a.bytes - b.bytes;
	row->v[COUNT_live_bytes_se] = estimate_root(b_se * b_se + a_se * a_se);
	return row;
}

/* ---- intervals ------------------------------------------------------------ */

struct ends {
	double low;
	double high;
};

static double end_of(enum format format, u64 value)
{
	return format == FORMAT_S64 ? (double)(s64)value : (double)value;
}

/* The former rule of the reader: 1.96 standard errors, but not less than the number of samples. */
static struct ends normal_ends(enum quantity q, const struct row *row)
{
	const struct table *t = tables[q];
	const int column = column_of(q);
	const double estimate = end_of(t->columns[column].format, row->v[column]);
	const double half = ceil(1.96 * row->v[t->columns[column].se]);
	double low = estimate - half;

	if (q != CHANGE)
		low = fmax(low, fmin(estimate, q == FREED ? 0 : row->v[COUNT_live_samples]));
	return (struct ends) { low, estimate + half };
}

/*
 * Compute the interval that the reader prints.  A site without samples, and a value with an error
 * of 0, has the bound for unsampled bytes, or as many objects of the @smallest size as these bytes
 * hold.
 */
static struct ends new_ends(enum quantity q, const struct row *row, u64 smallest)
{
	const struct table *t = tables[q];
	const int column = column_of(q);
	const struct interval i = estimate_interval(t, row, column);
	const double most = (double)estimate_unsampled(t) / smallest;
	struct ends ends = { end_of(i.format, i.low), end_of(i.format, i.high) };

	if (estimate_is_rough(t, row, column))
		return ends;
	ends.high += most;
	if (q == CHANGE)
		ends.low -= most;
	return ends;
}

static bool contains(const struct ends *ends, double truth)
{
	return ends->low <= truth && truth <= ends->high;
}

/* ---- computed ------------------------------------------------------------- */

/*
 * The expected numbers of samples that are tried: from SAMPLES_FROM to SAMPLES_TO or SAMPLES_LARGE,
 * each SAMPLES_STEP times the one before.
 */
#define SAMPLES_FROM	0.25
#define SAMPLES_TO	120
#define SAMPLES_LARGE	3000
#define SAMPLES_STEP	1.1
/* If a sample is more probable than this, only a large number of objects has much variance. */
#define P_LARGE		0.9

/* Sizes of objects, in bytes. */
static const u64 sizes[] = {
	8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 1536, 2048, 2560, 3072, 3584, 4096, 5120, 6144,
	7168, 8192, 10240, 12288, 16384, 20480, 24576, 28672, 32768, 40960, 49152,
};

/* The row that the module prints for @n samples of @bytes each. */
static struct sampler_values values_of(u64 bytes, u64 n)
{
	const double p = -expm1(-(double)bytes / N);
	const double se = sqrt(n * (1 - p)) / p;

	return (struct sampler_values) {
		.objs = n / p + 0.5, .bytes = n * bytes / p + 0.5,
		.objs_se = se, .bytes_se = se * bytes,
	};
}

static double binomial(u64 of, u64 n, double p)
{
	return exp(lgamma(of + 1.0) - lgamma(n + 1.0) - lgamma(of - n + 1.0) +
		   n * log(p) + (of - n) * log1p(-p));
}

static bool is_covered(enum quantity q, u64 bytes, u64 objs, u64 n)
{
	const u64 smallest[] = { [BYTES] = 1, [OBJECTS] = OBJECT_MIN, [OBJECTS_OF_CACHE] = bytes };
	const struct sampler_values values = values_of(bytes, n);
	const struct ends ends = new_ends(q, live_row(q, &values, n), smallest[q]);

	return contains(&ends, q == BYTES ? objs * bytes : objs);
}

/* Return: the probability that the interval of a site with @objs objects contains the truth. */
static double coverage_of(enum quantity q, u64 bytes, u64 objs)
{
	const double p = -expm1(-(double)bytes / N);
	const double around = 8 * sqrt(objs * p * (1 - p)) + 12;
	const double first = fmax(objs * p - around, 0), last = fmin(objs * p + around, objs);
	double covered = 0;
	u64 n;

	for (n = first; n <= last; n++)
		if (is_covered(q, bytes, objs, n))
			covered += binomial(objs, n, p);
	return covered;
}

/* The least coverage of sites with objects of a size. */
static double least_coverage(enum quantity q, u64 bytes, u64 *at)
{
	const double p = -expm1(-(double)bytes / N);
	const double most = p > P_LARGE ? SAMPLES_LARGE : SAMPLES_TO;
	double expected, least = 1, covered;
	u64 objs, last = 0;

	for (expected = SAMPLES_FROM; expected < most; expected *= SAMPLES_STEP) {
		objs = expected / p + 0.5;
		if (objs == last)
			continue;
		last = objs;
		covered = coverage_of(q, bytes, objs);
		if (covered < least) {
			least = covered;
			*at = objs;
		}
	}
	return least;
}

static void compute(enum quantity q)
{
	double least = 1, covered;
	u64 bytes = 0, objs = 0, at = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		covered = least_coverage(q, sizes[i], &at);
		if (covered < least) {
			least = covered;
			bytes = sizes[i];
			objs = at;
		}
	}
	printf("%-22s at least %.2f %%: %llu objects of %llu bytes\n", quantity_name[q],
	       100 * least, objs, bytes);
	failed |= least < COVERAGE;
}

/* ---- simulated ------------------------------------------------------------ */

#define SIZES_MAX	4
#define EXACT_SIZE	1024

/**
 * struct mix - the objects of a call site
 * @name: description
 * @size: sizes of its objects, in bytes
 * @share: for each size, its share of the expected samples
 * @exact: number of objects of EXACT_SIZE that were recorded before sampling began
 * @doubles: N is half of the N in the head until half of the objects have been allocated
 * @frees: simulate frees, too
 */
struct mix {
	const char *name;
	u64 size[SIZES_MAX];
	double share[SIZES_MAX];
	u64 exact;
	bool doubles;
	bool frees;
};

static const struct mix mixes[] = {
	{ "64", { 64 }, { 1 }, 0, false, true },
	{ "1 K", { 1024 }, { 1 }, 0, false, false },
	{ "N", { 4096 }, { 1 }, 0, false, false },
	{ "4 N", { 16384 }, { 1 }, 0, false, true },
	{ "64, 1 K", { 64, 1024 }, { 0.5, 0.5 }, 0, false, false },
	{ "64, N", { 64, 4096 }, { 0.5, 0.5 }, 0, false, true },
	{ "few 32, N", { 32, 4096 }, { 0.1, 0.9 }, 0, false, false },
	{ "32 to 8 N", { 32, 512, 8192, 32768 }, { 0.25, 0.25, 0.25, 0.25 }, 0, false, false },
	{ "64, 1 M exact", { 64 }, { 1 }, 1024, false, false },
	{ "64, N doubles", { 64 }, { 1 }, 0, true, false },
	{ "64, 2 K, N doubles", { 64, 2048 }, { 0.5, 0.5 }, 0, true, false },
};

static const double simulated_samples[] = { 0.25, 0.5, 1, 2, 4, 8, 16, 30, 100 };

/**
 * struct result - the intervals of all runs
 * @old: number of intervals of 1.96 standard errors that contain the true value
 * @new: the same for the intervals of the reader
 * @old_width: sum of the widths of the intervals in @old
 * @new_width: sum of the widths of the intervals in @new
 */
struct result {
	u64 old;
	u64 new;
	double old_width;
	double new_width;
};

/* The ends of both kinds of intervals */
struct both {
	struct ends old;
	struct ends new;
};

static struct both ends_of(enum quantity q, const struct row *row)
{
	return (struct both) {
		normal_ends(q, row), new_ends(q, row, q == OBJECTS ? OBJECT_MIN : 1),
	};
}

/* Many runs have the same samples.  So intervals are kept here. */
#define MEMO_SIZE	4096

static const struct both *live_ends(enum quantity q, const struct sampler_values *live, u64 samples)
{
	static struct memo {
		bool used;
		u64 samples;
		struct sampler_values live;
		struct both ends;
	} memos[NR_QUANTITIES][MEMO_SIZE];
	struct memo *m = &memos[q][(live->bytes * 31 + live->objs) % MEMO_SIZE];

	if (m->used && m->samples == samples && !memcmp(&m->live, live, sizeof(*live)))
		return &m->ends;
	*m = (struct memo) { true, samples, *live, ends_of(q, live_row(q, live, samples)) };
	return &m->ends;
}

static u64 count_of(const struct mix *mix, int i, double expected)
{
	/*
	 * Half of the objects are sampled with N / 2, and half with N: 1.5 times as many samples as
	 * with N.
	 */
	const double n = mix->doubles ? N / 1.5 : N;

	if (!mix->size[i])
		return 0;
	return expected * mix->share[i] / -expm1(-(double)mix->size[i] / n) + 0.5;
}

/* Return: the bytes or, with @each, the number of the objects. */
static u64 sum_of(const struct mix *mix, double expected, bool each)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < SIZES_MAX; i++)
		sum += count_of(mix, i, expected) * (each ? 1 : mix->size[i]);
	return sum;
}

static u64 bytes_of(const struct mix *mix, double expected)
{
	return sum_of(mix, expected, false);
}

static u64 objects_of(const struct mix *mix, double expected)
{
	return sum_of(mix, expected, true);
}

/* Allocate the first or the second half of the objects. */
static void allocate(const struct mix *mix, double expected, bool second, struct sampler_sum *sum)
{
	u64 nr;
	int i;

	for (i = 0; i < SIZES_MAX; i++) {
		nr = count_of(mix, i, expected);
		sampler_allocate(sum, mix->size[i], second ? nr / 2 : nr - nr / 2);
	}
}

static void allocate_all(const struct mix *mix, double expected, struct sampler_sum *sum)
{
	allocate(mix, expected, false, sum);
	allocate(mix, expected, true, sum);
}

static void add_run(struct result *r, const struct both *ends, double truth)
{
	r->old += contains(&ends->old, truth);
	r->new += contains(&ends->new, truth);
	r->old_width += ends->old.high - ends->old.low;
	r->new_width += ends->new.high - ends->new.low;
}

/* Print results.  Widths are in parts of @whole. */
static void report(const char *name, enum quantity q, double expected, const struct result *r,
		   u64 runs, double whole)
{
	const double new = (double)r->new / runs;
	const bool bad = is_above(1 - new, 1 - COVERAGE, runs);

	printf("%-20s %-20s %6.2f %6.1f %6.1f %7.2f %7.2f%s\n", name, quantity_name[q], expected,
	       100.0 * r->old / runs, 100 * new, r->old_width / runs / whole,
	       r->new_width / runs / whole, bad ? " FAIL" : "");
	failed |= bad;
}

static void simulate(const struct mix *mix, double expected, u64 runs)
{
	const double bytes = bytes_of(mix, expected) + mix->exact * EXACT_SIZE;
	const double objs = objects_of(mix, expected) + mix->exact;
	struct result by_bytes = {}, by_objects = {};
	struct sampler_values values;
	u64 run;

	for (run = 0; run < runs; run++) {
		struct sampler_sum sum = {};

		sampler_begin(mix->doubles ? SHIFT - 1 : SHIFT, run + 1);
		allocate(mix, expected, false, &sum);
		sampler_change(SHIFT);
		allocate(mix, expected, true, &sum);
		values = sampler_read(&sum);
		values.bytes += mix->exact * EXACT_SIZE;
		values.objs += mix->exact;
		add_run(&by_bytes, live_ends(BYTES, &values, sum.samples), bytes);
		add_run(&by_objects, live_ends(OBJECTS, &values, sum.samples), objs);
	}
	report(mix->name, BYTES, expected, &by_bytes, runs, bytes);
	report(mix->name, OBJECTS, expected, &by_objects, runs, objs);
}

/* After a first reading, a few of the objects are freed, and many more are allocated. */
static void simulate_frees(const struct mix *mix, double expected, u64 runs)
{
	const double half = bytes_of(mix, expected / 2), few = bytes_of(mix, expected / 4);
	struct result change = {}, freed = {};
	struct both ends;
	u64 run;

	for (run = 0; run < runs; run++) {
		struct sampler_sum stay = {}, go = {}, come = {}, before, after, all;

		sampler_begin(SHIFT, run + 1);
		allocate_all(mix, expected / 4, &stay);
		allocate_all(mix, expected / 4, &go);
		allocate_all(mix, expected / 2, &come);
		before = stay;
		after = stay;
		sampler_add(&before, &go);
		sampler_add(&after, &come);
		all = before;
		sampler_add(&all, &come);
		ends = ends_of(CHANGE, change_row(&before, &after));
		add_run(&change, &ends, half - few);
		ends = ends_of(FREED, freed_row(&all, &go));
		add_run(&freed, &ends, few);
	}
	report(mix->name, CHANGE, expected, &change, runs, half + few);
	report(mix->name, FREED, expected, &freed, runs, few);
}

int main(int argc, char **argv)
{
	const u64 runs = number_of_runs(argc, argv, 10000);
	size_t i, j;

	make_tables();
	puts("# the least probability that an interval contains the true value, computed");
	compute(BYTES);
	compute(OBJECTS);
	compute(OBJECTS_OF_CACHE);
	printf("# %llu runs with N = " SAMPLE_BYTES ", a quarter of them with frees\n", runs);
	puts("# For sites with these objects, and this expected number n of samples:\n"
	     "# how many of 100 intervals contain the true value, and how wide they are in parts of\n"
	     "# that value.  The intervals of 1.96 standard errors, and ours.");
	printf("# %-18s %-20s %6s %6s %6s %7s %7s\n", "bytes of an object", "interval of", "n",
	       "1.96", "ours", "1.96", "ours");
	for (i = 0; i < ARRAY_SIZE(mixes); i++) {
		for (j = 0; j < ARRAY_SIZE(simulated_samples); j++) {
			if (!objects_of(&mixes[i], simulated_samples[j] / 4))
				continue;
			simulate(&mixes[i], simulated_samples[j], runs);
			/* These runs take longer, because few of them have the same samples. */
			if (mixes[i].frees)
				simulate_frees(&mixes[i], simulated_samples[j], runs / 4);
		}
	}
	printf("%s intervals contain the true value\n", failed ? "FAIL" : "ok");
	return failed;
}
