// SPDX-License-Identifier: GPL-2.0
/*
 * Compares sampling weights with the exponential function of the C library, and the estimates
 * of many runs with the true values.
 *
 *	sample [RUNS]
 *
 * A run allocates objects of 8 bytes to 4 MiB, with one call site for each size, and frees
 * every other object.  The mean of an estimate over all runs has to be within four of its
 * own standard errors of the true value.  The standard errors have to be right as well: in 95
 * of 100 runs, the true value is within 1.96 standard errors of the estimate.
 *
 * There are three plans.  In the first, N is constant, and nearly every sample has a
 * different stack and so a row of its own.  In the second, N changes in the middle, at once
 * on one CPU and on the others at their next sample point.  In the third, an allocation that
 * has crossed a sample point is interrupted by other allocations, or migrates to another CPU,
 * before it draws the next sample point.
 */
#include <linux/kernel.h>
#include <linux/numa.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "model.h"

#define KMA_SIZES	20
#define KMA_SHIFT	KMA_SHIFT_MIN
#define KMA_N		((u32)1 << KMA_SHIFT)
/* Number of samples expected of each size below N, which determines the number of objects */
#define KMA_EXPECTED	1200
/* Number of objects of each larger size */
#define KMA_LARGE	4
#define KMA_LIVE_ROOM	40000
#define KMA_STACKS	16384
#define KMA_STACK_SITES	(2 * KMA_STACKS)
#define KMA_PFNS	1024
/* The intervals of sites with fewer samples are not checked. */
#define KMA_FEW		30

static int kma_runs = 1000;
static struct kma_core kma_core;

/* ---- weights --------------------------------------------------------------- */

static double kma_weight_error(u32 bytes, int shift)
{
	const long double x = (long double)bytes / (1ULL << shift);
	const long double truth = -1 / expm1l(-x);
	const long double weight = (long double)kma_sample_weight(bytes, shift) /
				   KMA_WEIGHT_ONE;

	return fabsl(weight / truth - 1);
}

static void kma_weighs_right(void)
{
	double worst = 0;
	u32 bytes;
	int shift;

	for (shift = KMA_SHIFT_MIN; shift <= KMA_SHIFT_MAX; shift++)
		for (bytes = 1; bytes <= 1U << 30; bytes += 1 + bytes / 37)
			worst = fmax(worst, kma_weight_error(bytes, shift));
	printf("weights are off by at most 2^%.1f\n", log2(worst));
	kma_expect(worst < ldexp(1, -31));
	for (bytes = 1; bytes < 100; bytes++)
		kma_expect(kma_sample_weight(bytes, KMA_SHIFT_EXACT) == KMA_WEIGHT_ONE);
}

static void kma_weighs_sums_right(void)
{
	const u64 w = 3 * KMA_WEIGHT_ONE / 2;

	kma_expect(kma_estimate_round(kma_weigh(0, w)) == 0);
	kma_expect(kma_estimate_round(kma_weigh(3, w)) == 5);
	kma_expect(kma_estimate_round(kma_weigh(3, w) + kma_weigh(3, w)) == 9);
	kma_expect(kma_estimate_round(kma_weigh(1ULL << 60, w)) == 3ULL << 59);
	kma_expect(kma_estimate_round(kma_weigh(12345, KMA_WEIGHT_ONE)) == 12345);
	kma_expect(kma_weigh_variance(12345, KMA_WEIGHT_ONE) == 0);
	/* w (w - 1) */
	kma_expect(kma_weigh_variance(4, w) == 3 << KMA_VARIANCE_SHIFT);
	kma_expect(kma_weigh_variance(1, 1ULL << 55) ==
		   (((kma_u128)1 << 46) - (1 << 23)) << KMA_VARIANCE_SHIFT);
	/* Variances below 1 are added up before the root is taken. */
	kma_expect(kma_standard_error(kma_weigh_variance(1, w)) == 0);
	kma_expect(kma_standard_error(12 * kma_weigh_variance(1, w)) == 3);
}

static void kma_takes_roots(void)
{
	kma_u128 x;
	u64 root;
	int i;

	for (i = 0; i < 200; i++) {
		kma_expect(kma_sqrt(i) == (u64)sqrt(i));
		root = kma_mix(i) >> i % 63;
		x = (kma_u128)root * root;
		kma_expect(kma_sqrt(x) == root);
		kma_expect(kma_sqrt(x + 2 * (kma_u128)root) == root);
		kma_expect(!root || kma_sqrt(x - 1) == root - 1);
	}
	kma_expect(kma_sqrt(~(kma_u128)0) == U64_MAX);
}

/* ---- distances -------------------------------------------------------------- */

#define KMA_DISTANCES	20000

/* The finalizer of splitmix64, by which the sampler turns its state into an odd number. */
static u64 kma_mixed(u64 x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return (x ^ (x >> 31)) | 1;
}

/* Draw a distance to the next sample point.  Return: its difference from -N ln(u), in bytes. */
static double kma_distance_error(int shift)
{
	long double u;
	u32 distance;

	kma_sample_take(KMA_SAMPLE_OBJECTS, 0, shift);
	u = ldexpl(kma_mixed(this_cpu_read(kma_sampler.random[KMA_SAMPLE_OBJECTS])), -64);
	distance = ~(u32)this_cpu_read(kma_sampler.past[KMA_SAMPLE_OBJECTS]);
	return fabsl(floorl(ldexpl(-logl(u), shift)) - distance);
}

/*
 * The sampler computes about as many digits as the C library.  A difference of one byte is
 * possible if -N ln(u) is very near to an integer.
 */
static void kma_draws_distances(void)
{
	double error;
	int shift, i, off = 0;

	for (shift = KMA_SHIFT_MIN; shift <= KMA_SHIFT_MAX; shift++) {
		kma_sample_set(KMA_SAMPLE_OBJECTS, shift);
		kma_sample_seed(shift);
		for (i = 0; i < KMA_DISTANCES; i++) {
			error = kma_distance_error(shift);
			kma_expect(error <= 1);
			off += error != 0;
		}
	}
	printf("%d distances of %d are off by a byte\n", off,
	       KMA_DISTANCES * (KMA_SHIFT_MAX - KMA_SHIFT_MIN + 1));
	kma_expect(off <= 1);
}

/* ---- runs ------------------------------------------------------------------- */

enum { KMA_LIVE_BYTES, KMA_LIVE_OBJS, KMA_BYTES, KMA_OBJS, KMA_QUANTITIES };

static const char * const kma_quantity_name[] = {
	"live bytes", "live objects", "bytes", "objects",
};

/**
 * struct kma_estimates - the estimates that a table would show
 * @weighed: the estimate of each quantity, see kma_weigh()
 * @variance: variance of each estimate, see kma_weigh_variance()
 * @samples: number of samples of each quantity
 */
struct kma_estimates {
	kma_u128 weighed[KMA_QUANTITIES];
	kma_u128 variance[KMA_QUANTITIES];
	u64 samples[KMA_QUANTITIES];
};

/**
 * struct kma_plan - a way to sample
 * @name: a description
 * @again: the shift in the second half of a run
 * @disturbed: interrupts and migrations happen at sample points
 * @stacks: number of different stacks; 0: no stacks
 */
struct kma_plan {
	const char *name;
	int again;
	bool disturbed;
	u32 stacks;
};

static u64 kma_random;

static u32 kma_objects(int size)
{
	u32 bytes = 8U << size;

	return bytes < KMA_N ? 2 * (KMA_EXPECTED * (KMA_N / bytes) / 2) : KMA_LARGE;
}

static void kma_truth(int size, double truth[KMA_QUANTITIES])
{
	truth[KMA_OBJS] = kma_objects(size);
	truth[KMA_LIVE_OBJS] = truth[KMA_OBJS] / 2;
	truth[KMA_BYTES] = truth[KMA_OBJS] * (8U << size);
	truth[KMA_LIVE_BYTES] = truth[KMA_BYTES] / 2;
}

/* The address of an object in the n-th pair of a size.  The first of the two is not freed. */
static unsigned long kma_place(int size, u32 n, bool stays)
{
	return KMA_MODEL_PTR + ((u64)size << 36) + (u64)n * (8U << size) * 2 +
	       (stays ? 0 : 8U << size);
}

static struct kma_event kma_event_of(int size, u32 n, bool stays)
{
	return (struct kma_event) {
		.site = KMA_MODEL_SITE + size * 16,
		.ptr = kma_place(size, n, stays),
		.cache = 8U << size,
		.kmalloc = true,
		.bytes_req = 8U << size,
		.node = NUMA_NO_NODE,
	};
}

static void kma_alloc(int size, u32 n, bool stays)
{
	const struct kma_event ev = kma_event_of(size, n, stays);

	kma_stat_inc(alloc_unsampled);
	kma_record_sampled(&kma_core, &ev, ev.cache, false);
}

static void kma_free(int size, u32 n)
{
	kma_stat_inc(free_unmatched);
	kma_record_free_sampled(&kma_core, kma_place(size, n, false));
}

/* For each size, the number of the next object.  Interrupts allocate objects, too. */
static u32 kma_next[KMA_SIZES];

static bool kma_next_alloc(int size)
{
	u32 n = kma_next[size];

	if (n == kma_objects(size))
		return false;
	kma_next[size]++;
	kma_alloc(size, n / 2, n % 2);
	return true;
}

/*
 * Like kma_record_sampled(), but an allocation that has crossed a sample point may be
 * interrupted, or migrate to another CPU, before it draws the next sample point.
 */
static void kma_alloc_disturbed(int size, u32 n, bool stays)
{
	const struct kma_event ev = kma_event_of(size, n, stays);
	const u32 what = kma_random_below(&kma_random, 4);
	u8 point;

	if (!kma_sample_count(KMA_SAMPLE_OBJECTS, ev.cache, &point))
		return;
	if (what & 1)
		kma_next_alloc(kma_random_below(&kma_random, KMA_SIZES));
	if (what & 2)
		kma_env.cpu = kma_random_below(&kma_random, KMA_ENV_CPUS);
	kma_record_sampled_hit(&kma_core, ev.site, ev.ptr, ev.bytes_req, ev.cache,
			       (struct kma_sampled_hit) {
				.bytes = ev.cache,
				.node = ev.node,
				.point = point,
			  });
}

static void kma_run_sizes(const struct kma_plan *plan, u32 from, u32 to)
{
	int size;
	u32 n;

	for (size = 0; size < KMA_SIZES; size++) {
		const u64 all = kma_objects(size);

		while (kma_next[size] < all * to / 2 && kma_next[size] >= all * from / 2) {
			n = kma_next[size]++;
			if (!(n % 16))
				kma_env.cpu = n / 16 % KMA_ENV_CPUS;
			if (plan->stacks)
				kma_env.stack = KMA_MODEL_SITE + n % plan->stacks;
			if (plan->disturbed)
				kma_alloc_disturbed(size, n / 2, n % 2);
			else
				kma_alloc(size, n / 2, n % 2);
		}
	}
}

static void kma_run(const struct kma_plan *plan, u64 seed)
{
	struct kma_stats stats;
	int size;
	u32 n;

	if (kma_core_init(&kma_core, KMA_LIVE_ROOM,
			  plan->stacks ? KMA_STACK_SITES : KMA_SITES_MIN, KMA_PFNS))
		abort();
	kma_record_livefilter_start(&kma_core);
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT);
	kma_sample_seed(seed);
	kma_random = seed;
	memset(kma_next, 0, sizeof(kma_next));
	kma_run_sizes(plan, 0, 1);
	if (plan->again != KMA_SHIFT) {
		kma_sample_set(KMA_SAMPLE_OBJECTS, plan->again);
		kma_env.cpu = 1;
		kma_sample_forget(KMA_SAMPLE_OBJECTS);
	}
	kma_run_sizes(plan, 0, 2);
	for (size = 0; size < KMA_SIZES; size++)
		for (n = 0; n < kma_objects(size) / 2; n++)
			kma_free(size, n);
	kma_env.stack = 0;
	kma_stats_sum(&stats);
	kma_expect(!stats.v[KMA_STAT_stacks_full] && !stats.v[KMA_STAT_other_sites]);
}

/* ---- results of a run -------------------------------------------------------- */

static void kma_estimate(struct kma_estimates *e, int quantity, u64 n, u64 each, u64 weight)
{
	e->weighed[quantity] += kma_weigh(n * each, weight);
	e->variance[quantity] += kma_weigh_variance((kma_u128)n * each * each, weight);
	e->samples[quantity] += n;
}

static void kma_read(struct kma_estimates site[KMA_SIZES])
{
	const struct kma_sitetab *t = &kma_core.sites;
	const struct kma_site_info *info;
	struct kma_estimates *e;
	struct kma_row sum;
	u64 weight, bytes;
	u32 id;

	memset(site, 0, KMA_SIZES * sizeof(site[0]));
	for (id = 0; id < kma_sitetab_rows(t); id++) {
		info = kma_sitetab_info(t, id);
		if (!info)
			continue;
		kma_sitetab_sum(t, id, &sum);
		bytes = t->caches.info[info->cache].size;
		weight = kma_sample_weight(bytes, info->shift);
		e = &site[(info->site - KMA_MODEL_SITE) / 16];
		kma_estimate(e, KMA_OBJS, sum.hits, 1, weight);
		kma_estimate(e, KMA_BYTES, sum.hits, bytes, weight);
		kma_estimate(e, KMA_LIVE_OBJS, kma_row_live(&sum), 1, weight);
		kma_estimate(e, KMA_LIVE_BYTES, kma_row_live(&sum), bytes, weight);
		if (sum.no_entry)
			abort();
	}
}

/**
 * struct kma_accuracy - the errors of the estimates of a quantity over all runs
 * @sum: sum of the relative errors
 * @squares: sum of their squares
 * @runs: number of estimates
 * @covered: number of estimates whose 95 % interval contains the true value
 */
struct kma_accuracy {
	double sum;
	double squares;
	u64 runs;
	u64 covered;
};

static void kma_accuracy_add(struct kma_accuracy *t, const struct kma_estimates *e, int quantity,
			     double truth)
{
	const double estimate = kma_estimate_round(e->weighed[quantity]);
	const double x = estimate / truth - 1;

	t->sum += x;
	t->squares += x * x;
	t->runs++;
	t->covered += fabs(estimate - truth) <=
		      1.96 * kma_standard_error(e->variance[quantity]);
}

static bool kma_covers(const struct kma_accuracy *t)
{
	const double pct = 100.0 * t->covered / t->runs;

	return pct >= 93 && pct <= 97;
}

static void kma_report(const char *name, const struct kma_accuracy *t)
{
	const double mean = t->sum / t->runs;
	const double se = sqrt((t->squares / t->runs - mean * mean) / (t->runs - 1));

	printf("%-12s mean %+.4f %%, its standard error %.4f %%, within 95 %%: %.1f %%\n",
	       name, 100 * mean, 100 * se, 100.0 * t->covered / t->runs);
	kma_expect(fabs(mean) < 4 * se);
	kma_expect(kma_runs < 1000 || se < 0.001);
	kma_expect(kma_runs < 1000 || kma_covers(t));
}

static void kma_add_run(struct kma_accuracy total[KMA_QUANTITIES],
			struct kma_accuracy sites[KMA_QUANTITIES], u64 *samples)
{
	struct kma_estimates site[KMA_SIZES], sum = {};
	double truth[KMA_QUANTITIES], all[KMA_QUANTITIES] = {};
	int size, q;

	kma_read(site);
	for (size = 0; size < KMA_SIZES; size++) {
		kma_truth(size, truth);
		for (q = 0; q < KMA_QUANTITIES; q++) {
			all[q] += truth[q];
			sum.weighed[q] += site[size].weighed[q];
			sum.variance[q] += site[size].variance[q];
			sum.samples[q] += site[size].samples[q];
			/* Larger objects are nearly always sampled: no error to check. */
			if (site[size].samples[q] >= KMA_FEW && 8U << size <= KMA_N)
				kma_accuracy_add(&sites[q], &site[size], q, truth[q]);
		}
	}
	for (q = 0; q < KMA_QUANTITIES; q++)
		kma_accuracy_add(&total[q], &sum, q, all[q]);
	*samples += sum.samples[KMA_OBJS];
}

static void kma_try(const struct kma_plan *plan)
{
	struct kma_accuracy total[KMA_QUANTITIES] = {}, sites[KMA_QUANTITIES] = {};
	u64 samples = 0;
	int i, q;

	for (i = 0; i < kma_runs; i++) {
		kma_run(plan, 1 + i);
		kma_add_run(total, sites, &samples);
		kma_core_destroy(&kma_core);
	}
	printf("%s: %d runs of %llu samples\n", plan->name, kma_runs, samples / kma_runs);
	kma_expect(samples / kma_runs >= 2000);
	for (q = 0; q < KMA_QUANTITIES; q++)
		kma_report(kma_quantity_name[q], &total[q]);
	for (q = 0; q < KMA_QUANTITIES; q++) {
		printf("%-12s of a site within 95 %%: %.1f %% of %llu\n",
		       kma_quantity_name[q], 100.0 * sites[q].covered / sites[q].runs,
		       sites[q].runs);
		kma_expect(kma_runs < 1000 || kma_covers(&sites[q]));
	}
}

static void kma_estimates_are_right(void)
{
	kma_try(&(struct kma_plan) { "constant N", KMA_SHIFT, false, KMA_STACKS });
}

static void kma_estimates_are_right_when_n_changes(void)
{
	kma_try(&(struct kma_plan) { "changing N", KMA_SHIFT + 1, false, 0 });
}

static void kma_estimates_are_right_when_disturbed(void)
{
	kma_try(&(struct kma_plan) { "interrupted", KMA_SHIFT, true, 0 });
}

static const struct kma_case kma_cases[] = {
	{ "weights agree with the exponential function", kma_weighs_right },
	{ "weighted sums and variances are right", kma_weighs_sums_right },
	{ "square roots are exact", kma_takes_roots },
	{ "distances agree with the logarithm", kma_draws_distances },
	{ "estimates are right", kma_estimates_are_right },
	{ "estimates are right when N changes", kma_estimates_are_right_when_n_changes },
	{ "estimates are right when sampling is interrupted",
	  kma_estimates_are_right_when_disturbed },
};

int main(int argc, char **argv)
{
	if (argc > 1)
		kma_runs = atoi(argv[1]);
	return !!kma_cases_run(kma_cases, ARRAY_SIZE(kma_cases));
}
