// SPDX-License-Identifier: GPL-2.0
/*
 * How often a change that is not real is called significant, and how often a real one is.
 *
 * discovery [RUNS]
 *
 * A site has objects that stay, that go and that come.  If as many bytes come as go, its live size
 * does not change, whatever the samples show.  All are sampled by the module's own sampler, put
 * into rows such as the module prints, and compared by growth_make(), as `kmemacct diff` does.
 *
 * The first part counts p-values of sites without a change.  Of these, at most 5 of 100 may be 5 %
 * or less, and so on, and 95 of 100 intervals have to contain the true change.  The second part
 * compares tables of many sites, none or some of which grow.  At most 5 of 100 changes that are
 * called significant may be false, on average.  This part also prints how many of the sites that
 * grow are found.
 *
 * The results vary by chance, with a known standard error.  A result that is above its limit by
 * more than four of these standard errors is a failure.
 */
#include "simulation.h"

#define FDR		0.05

/* ---- sites ---------------------------------------------------------------- */

/* The objects of a site: half of the bytes are of either size. */
struct sizes {
	const char *name;
	unsigned int size[2];
};

static const struct sizes all_sizes[] = {
	{ "64", { 64, 64 } },
	{ "1 K", { 1024, 1024 } },
	{ "N", { 4096, 4096 } },
	{ "4 N", { 16384, 16384 } },
	{ "64, N", { 64, 4096 } },
	{ "64, 4 N", { 64, 16384 } },
};

#define NR_SIZES	ARRAY_SIZE(all_sizes)

/**
 * struct site - a call site
 * @gone: sizes of the objects that go, and of those that stay
 * @come: sizes of the objects that come
 * @stay_bytes: bytes that stay
 * @gone_bytes: bytes that go
 * @come_bytes: bytes that come
 * @exact_bytes: bytes that were recorded exactly, and go.  Then as many more come, sampled
 */
struct site {
	const struct sizes *gone;
	const struct sizes *come;
	u64 stay_bytes;
	u64 gone_bytes;
	u64 come_bytes;
	u64 exact_bytes;
};

static void allocate(struct sampler_sum *sum, const struct sizes *s, u64 bytes)
{
	int i;

	for (i = 0; i < 2; i++)
		sampler_allocate(sum, s->size[i], bytes / 2 / s->size[i]);
}

/* Return: the bytes that allocate() allocates. */
static u64 allocated(const struct sizes *s, u64 bytes)
{
	return bytes / 2 / s->size[0] * s->size[0] + bytes / 2 / s->size[1] * s->size[1];
}

/* Set a row to a reading: what is live, some of it recorded exactly, and what was allocated. */
static void set_row(struct row *row, const struct sampler_sum *live, u64 exact,
		    const struct sampler_sum *all)
{
	struct sampler_values l = sampler_read(live), a = sampler_read(all);

	l.bytes += exact;
	set_live(row, &l, live->samples);
	set_allocated(row, &a, all->samples);
}

/* A row without samples is in no table. */
static void drop_unsampled(struct table *t)
{
	struct row *row = t->rows[t->nr_rows - 1];

	t->nr_rows -= !row->v[COUNT_live_bytes] && !row->v[COUNT_samples];
}

static void add_site(struct table *before, struct table *after, const struct site *s,
		     const char *name)
{
	struct sampler_sum stay = {}, gone = {}, come = {}, live, all;
	struct row *b = table_add(before), *a = table_add(after);

	allocate(&stay, s->gone, s->stay_bytes);
	allocate(&gone, s->gone, s->gone_bytes);
	allocate(&come, s->come, s->come_bytes);
	b->label = name;
	a->label = name;
	live = stay;
	sampler_add(&live, &gone);
	all = live;
	set_row(b, &live, s->exact_bytes, &all);
	live = stay;
	sampler_add(&live, &come);
	sampler_add(&all, &come);
	set_row(a, &live, 0, &all);
	drop_unsampled(before);
	drop_unsampled(after);
}

/* ---- one site ------------------------------------------------------------- */

static const double levels[] = { 0.05, 0.01, 0.001 };

#define NR_LEVELS	ARRAY_SIZE(levels)

/**
 * struct tally - what was found of one site
 * @small: for each level, the number of p-values that are not above it
 * @covered: number of intervals that contain the true change
 */
struct tally {
	u64 small[NR_LEVELS];
	u64 covered;
};

/* Return: the value of a row of a comparison. */
static s64 value(const struct growth *g, const struct row *row, const char *name)
{
	return row->v[table_column(g->table, name)];
}

/* If a table has a single change, its rate of false discoveries is its p-value. */
static void tally_run(struct tally *c, const struct growth *g, double truth)
{
	const struct row *row = g->table->nr_rows ? g->table->rows[0] : NULL;
	const double most = row ? 0 : bounds_unsampled(N);
	const double p = row ? value(g, row, "fdr_pct") / 100000.0 : 1;
	size_t i;

	for (i = 0; i < NR_LEVELS; i++)
		c->small[i] += p <= levels[i];
	c->covered += (row ? value(g, row, "low_bytes") : -most) <= truth &&
		      truth <= (row ? value(g, row, "high_bytes") : most);
}

static void run_site(struct tally *c, const struct site *s, bool counted, u64 seed)
{
	/* Test each p-value, however small it could have been. */
	const struct growth_options o = { .counted = counted, .fdr = 1 };
	const double truth = (double)s->come_bytes - s->gone_bytes - s->exact_bytes;
	struct table *before = new_table("callers", callers_columns, 1);
	struct table *after = new_table("callers", callers_columns, 1);
	struct growth g;

	sampler_begin(SHIFT, seed);
	add_site(before, after, s, "site+0x1");
	g = growth_make("diff", before, after, &o);
	tally_run(c, &g, truth);
	table_free(g.table);
	table_free(before);
	table_free(after);
}

static void test_site(const struct site *s, bool counted, u64 runs)
{
	struct tally c = {};
	bool bad;
	size_t i;
	u64 run;

	for (run = 0; run < runs; run++)
		run_site(&c, s, counted, run + 1);
	bad = is_above(1 - (double)c.covered / runs, 0.05, runs);
	printf("%-8s %-8s %5.0f %5.0f %5.0f %5.0f %-7s", s->gone->name, s->come->name,
	       (double)s->stay_bytes / N, (double)s->gone_bytes / N, (double)s->come_bytes / N,
	       (double)s->exact_bytes / N, counted ? "yes" : "no");
	for (i = 0; i < NR_LEVELS; i++) {
		printf(" %7.2f", 100.0 * c.small[i] / runs);
		bad |= is_above((double)c.small[i] / runs, levels[i], runs);
	}
	printf(" %7.1f%s\n", 100.0 * c.covered / runs, bad ? " FAIL" : "");
	failed |= bad;
}

/* Expected samples of small objects that go and come. */
static const u64 some_samples[] = { 1, 4, 16, 64, 256 };

static bool fits(const struct site *s)
{
	return allocated(s->gone, s->gone_bytes) == s->gone_bytes &&
	       allocated(s->come, s->come_bytes) == s->come_bytes;
}

static void test_sites(u64 runs)
{
	size_t g, c, i;
	int counted;

	for (g = 0; g < NR_SIZES; g++)
		for (c = 0; c < NR_SIZES; c++)
			for (i = 0; i < ARRAY_SIZE(some_samples); i++) {
				struct site s = {
					.gone = &all_sizes[g], .come = &all_sizes[c],
					.gone_bytes = some_samples[i] * N,
					.come_bytes = some_samples[i] * N,
				};

				if (!fits(&s))
					continue;
				/* The closest bounds, and so the smallest p-values */
				test_site(&s, true, runs);
				if (g != c || i != 2)
					continue;
				for (counted = 0; counted < 2; counted++) {
					s.stay_bytes = 16 * s.gone_bytes;
					test_site(&s, counted, runs);
				}
				s.stay_bytes = 0;
				s.exact_bytes = s.gone_bytes;
				s.come_bytes += s.exact_bytes;
				test_site(&s, true, runs);
			}
}

/* ---- many sites ----------------------------------------------------------- */

#define NR_SITES	200
#define NR_GROWTHS	5

/* Growth, in expected samples of small objects: how much more comes than goes. */
static const u64 growths[NR_GROWTHS] = { 4, 8, 16, 32, 64 };

/**
 * struct found - what was found in tables of many sites
 * @runs: number of comparisons
 * @false_share: sum of the shares of false ones among the significant changes
 * @false_square: sum of the squares of these shares
 * @grown: for each growth, the number of sites that grew
 * @seen: for each growth, the number of those that were significant
 */
struct found {
	u64 runs;
	double false_share;
	double false_square;
	u64 grown[NR_GROWTHS];
	u64 seen[NR_GROWTHS];
};

static char site_name[NR_SITES][16];

/* Random numbers for the kinds of sites.  The sampler has random numbers of its own. */
static u64 pick(u64 *state, u64 of)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % of;
}

static struct site random_site(u64 *state)
{
	struct site s;

	do {
		s = (struct site) {
			.gone = &all_sizes[pick(state, NR_SIZES)],
			.come = &all_sizes[pick(state, NR_SIZES)],
			.stay_bytes = pick(state, 4) * 8 * N,
			.gone_bytes = some_samples[pick(state, ARRAY_SIZE(some_samples) - 1)] * N,
		};
		s.come_bytes = s.gone_bytes;
	} while (!fits(&s));
	return s;
}

static void count_found(struct found *f, const struct growth *g, const int *grown)
{
	u64 all = 0, wrong = 0;
	const char *yes;
	size_t i;
	int site;

	for (i = 0; i < g->table->nr_rows; i++) {
		yes = row_name(g->table->rows[i], table_column(g->table, "significant"));
		if (strcmp(yes, "yes"))
			continue;
		site = atoi(g->table->rows[i]->label);
		all++;
		if (grown[site] < 0)
			wrong++;
		else
			f->seen[grown[site]]++;
	}
	f->runs++;
	f->false_share += all ? (double)wrong / all : 0;
	f->false_square += all ? (double)wrong / all * wrong / all : 0;
}

static void run_tables(struct found *f, bool counted, unsigned int grown_pct, u64 seed)
{
	const struct growth_options o = { .counted = counted, .fdr = FDR };
	struct table *before = new_table("callers", callers_columns, NR_SITES);
	struct table *after = new_table("callers", callers_columns, NR_SITES);
	int i, grown[NR_SITES];
	struct growth g;
	struct site s;
	u64 state = seed;

	sampler_begin(SHIFT, seed);
	for (i = 0; i < NR_SITES; i++) {
		s = random_site(&state);
		grown[i] = pick(&state, 100) < grown_pct ? (int)pick(&state, NR_GROWTHS) : -1;
		if (grown[i] >= 0) {
			s.come_bytes += growths[grown[i]] * N;
			f->grown[grown[i]]++;
		}
		add_site(before, after, &s, site_name[i]);
	}
	g = growth_make("diff", before, after, &o);
	count_found(f, &g, grown);
	table_free(g.table);
	table_free(before);
	table_free(after);
}

static void test_tables(bool counted, unsigned int grown_pct, u64 runs)
{
	struct found f = {};
	double rate, error;
	bool bad;
	u64 run;
	int i;

	for (run = 0; run < runs; run++)
		run_tables(&f, counted, grown_pct, run + 1);
	rate = f.false_share / runs;
	/* Use at least the variance of a share at the limit, because all shares may be equal. */
	error = sqrt(fmax(f.false_square / runs - rate * rate, FDR * FDR) / runs);
	bad = rate > FDR + STANDARD_ERRORS * error;
	printf("%4u %% %-7s %6.2f +- %.2f ", grown_pct, counted ? "yes" : "no", 100 * rate,
	       100 * error);
	for (i = 0; i < NR_GROWTHS && grown_pct; i++)
		printf(" %6.1f", 100.0 * f.seen[i] / f.grown[i]);
	puts(bad ? " FAIL" : "");
	failed |= bad;
}

int main(int argc, char **argv)
{
	const u64 runs = number_of_runs(argc, argv, 2000);
	int i;

	for (i = 0; i < NR_SITES; i++)
		sprintf(site_name[i], "%03d+0x1", i);
	printf("# %llu runs with N = " SAMPLE_BYTES ": sites whose live size does not change\n"
	       "# Bytes of an object that goes and that comes; in N: bytes that stay, go, come, and go\n"
	       "# but were exact; whether counters are subtracted; percent of p-values of at most 5, 1\n"
	       "# and 0.1 %%; percent of intervals that contain the true change\n",
	       runs);
	test_sites(runs);
	printf("# %llu comparisons of %d sites: those that grow; whether counters are subtracted;\n"
	       "# false ones of 100 significant changes; found of 100 that grow by 4, 8, 16, 32, 64 N\n",
	       runs / 10, NR_SITES);
	for (i = 0; i < 2; i++) {
		test_tables(i, 0, runs / 10);
		test_tables(i, 5, runs / 10);
		test_tables(i, 30, runs / 10);
	}
	printf("%s significant changes are real\n", failed ? "FAIL" : "ok");
	return failed;
}
