// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the reader: what is exported, and the text of metrics. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "golden.h"
#include "openmetrics.h"
#include "series.h"
#include "unit.h"

/* A table callers in which all counters without an argument are 0. */
#define HEAD "# kmemacct callers 8 sampled=1 sample_bytes=65536\n# " COUNTS_COLUMNS "site\n"
#define ROW(bytes, objs, alloc, bulk, se, site) \
	#bytes " " #objs " 0 0 " #objs " " #alloc " 0 0 0 0 0 0 " #bulk " 0 0.000 0 0 " \
	#se " 0 0 0 0 " #se " 0 0 0 0 0 0 " #se " 0 " site "\n"

static const char callers[] = HEAD
	ROW(100, 1, 100, 1, 9, "twice+0x1 [b]")
	ROW(400, 4, 400, 0, 0, "large+0x2")
	ROW(300, 3, 300, 0, 19, "twice+0x1 [b]")
	ROW(500, 5, 500, 0, 0, "[other]")
	ROW(10, 1, 20, 0, 0, "small+0x3 [a]")
	ROW(10, 1, 30, 0, 0, "tiny+0x4 [unloaded]")
	ROW(0, 0, 0, 0, 0, "[unknown]");

/* Return: the names of the listed sites, and how many are not listed. */
static const char *listed(const struct series_list *list)
{
	static char text[512];
	size_t i, used = 0;

	for (i = 0; i < list->nr; i++)
		used += snprintf(text + used, sizeof(text) - used, "%s %s,",
				 list->listed[i].site, list->listed[i].module);
	snprintf(text + used, sizeof(text) - used, "%zu", list->nr_other);
	return text;
}

static void expect_listed(int line, const struct series_choice *choice, const char *expected)
{
	struct table *t = parse("callers", callers);
	const struct series *one;
	struct series_list list;
	u64 sum[SERIES_VALUES];
	size_t i;
	int at;

	series_make(&list, t, choice);
	expect_text(line, listed(&list), expected);
	memcpy(sum, list.other.value, sizeof(sum));
	for (i = 0; i < list.nr; i++)
		for (at = 0, one = &list.listed[i]; at < SERIES_VALUES; at++)
			sum[at] += one->value[at];
	if (memcmp(sum, list.total.value, sizeof(sum)) || sum[SERIES_LIVE_BYTES] != 1320)
		fail_at(line, "the sum is not the total");
	series_free(&list);
	table_free(t);
}

/* Both of the first two have 400 bytes live, and one of them has allocated one byte more. */
static void series_are_capped(void)
{
	expect_listed(__LINE__, &(struct series_choice) { .sites = 10 },
		      "twice+0x1 b,large+0x2 kernel,tiny+0x4 unloaded,small+0x3 a,[unknown] [unknown],1");
	expect_listed(__LINE__, &(struct series_choice) { .sites = 2 },
		      "twice+0x1 b,large+0x2 kernel,4");
	expect_listed(__LINE__, &(struct series_choice) {}, "6");
}

static void series_match_patterns(void)
{
	struct series_choice choice = { .sites = 2 };
	int i;

	series_add_pattern(&choice.include, "tiny");
	series_add_pattern(&choice.include, "*\\[[ab]\\]");
	expect_listed(__LINE__, &choice, "twice+0x1 b,tiny+0x4 unloaded,4");
	series_add_pattern(&choice.exclude, "t*");
	expect_listed(__LINE__, &choice, "small+0x3 a,5");
	for (i = choice.include.nr; i < SERIES_PATTERNS; i++)
		EXPECT(!series_add_pattern(&choice.include, "x"));
	EXPECT(series_add_pattern(&choice.include, "x"));
}

/* The standard errors of the table are rounded down: 9 and 19 are less than 10 and 20. */
static void variances_add_up(void)
{
	const struct series_choice choice = { .sites = 2 };
	struct table *t = parse("callers", callers);
	struct series_list list;

	series_make(&list, t, &choice);
	EXPECT(list.listed[0].value[SERIES_LIVE_BYTES] == 400);
	EXPECT(list.listed[0].value[SERIES_ALLOCATIONS] == 4);
	EXPECT(list.listed[0].value[SERIES_ALLOCATED_BYTES] == 401);
	EXPECT(list.listed[0].variance[SERIES_LIVE_BYTES] == 100 + 400);
	EXPECT(list.listed[0].variance[SERIES_ALLOCATED_BYTES] == 2 * (100 + 400));
	EXPECT(list.listed[1].variance[SERIES_LIVE_BYTES] == 0);
	EXPECT(list.other.variance[SERIES_LIVE_BYTES] == 0);
	EXPECT(list.total.variance[SERIES_LIVE_BYTES] == 100 + 400);
	EXPECT(list.total.value[SERIES_ALLOCATED_BYTES] == 1351);
	series_free(&list);
	table_free(t);
}

static void no_rows_make_no_series(void)
{
	const struct series_choice choice = { .sites = 2 };
	struct table *t = parse("callers", HEAD);
	struct series_list list;

	series_make(&list, t, &choice);
	EXPECT(!list.nr && !list.nr_other && !list.total.value[SERIES_LIVE_BYTES]);
	series_free(&list);
	table_free(t);
}

/* ---- the text ------------------------------------------------------------- */

static void write_metrics(struct openmetrics *m)
{
	const struct openmetrics_label labels[] = { { "a", "b\\c\"d\ne" }, { "f", "" }, {} };

	openmetrics_family(m, "x_bytes", OPENMETRICS_COUNTER, "bytes", "Bytes.");
	openmetrics_u64(m, NULL, U64_MAX);
	openmetrics_created(m, 1700000000);
	openmetrics_family(m, "y_ratio", OPENMETRICS_GAUGE, "ratio", "A ratio.");
	openmetrics_double(m, labels, 0.00012);
	openmetrics_double(m, NULL, 1e30);
	openmetrics_end(m);
}

static void expect_metrics(int line, bool prometheus, const char *expected)
{
	struct openmetrics m = { .prometheus = prometheus };
	char *text = NULL;
	size_t len;

	m.out = open_memstream(&text, &len);
	alloc_check(m.out);
	write_metrics(&m);
	fclose(m.out);
	expect_text(line, text, expected);
	free(text);
}

static void formats_differ_in_counters(void)
{
	expect_metrics(__LINE__, false,
		       "# HELP x_bytes Bytes.\n"
		       "# TYPE x_bytes counter\n"
		       "# UNIT x_bytes bytes\n"
		       "x_bytes_total 18446744073709551615\n"
		       "x_bytes_created 1700000000\n"
		       "# HELP y_ratio A ratio.\n"
		       "# TYPE y_ratio gauge\n"
		       "# UNIT y_ratio ratio\n"
		       "y_ratio{a=\"b\\\\c\\\"d\\ne\",f=\"\"} 0.00012\n"
		       "y_ratio 1e+30\n"
		       "# EOF\n");
	expect_metrics(__LINE__, true,
		       "# HELP x_bytes_total Bytes.\n"
		       "# TYPE x_bytes_total counter\n"
		       "x_bytes_total 18446744073709551615\n"
		       "# HELP y_ratio A ratio.\n"
		       "# TYPE y_ratio gauge\n"
		       "y_ratio{a=\"b\\\\c\\\"d\\ne\",f=\"\"} 0.00012\n"
		       "y_ratio 1e+30\n");
}

const struct test export_tests[] = {
	TEST(series_are_capped),
	TEST(series_match_patterns),
	TEST(variances_add_up),
	TEST(no_rows_make_no_series),
	TEST(formats_differ_in_counters),
};

const size_t nr_export_tests = ARRAY_SIZE(export_tests);
