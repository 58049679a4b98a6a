// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the reader: the text of metrics. */
#include "unit.h"

static void write_metrics(struct metrics *m)
{
	const struct metric_label labels[] = { { "a", "b\\c\"d\ne" }, { "f", "" }, {} };

	metrics_family(m, "x_bytes", true, "bytes", "Bytes.");
	metrics_u64(m, NULL, U64_MAX);
	metrics_created(m, 1700000000);
	metrics_family(m, "y_ratio", false, "ratio", "A ratio.");
	metrics_double(m, labels, 0.00012);
	metrics_double(m, NULL, 1e30);
	metrics_end(m);
}

static void expect_metrics(int line, bool prometheus, const char *expected)
{
	struct metrics m = { .prometheus = prometheus, .out = output() };

	write_metrics(&m);
	expect_output(line, expected);
}

TEST(formats_differ_in_counters)
{
	expect_metrics(__LINE__, false,
		       "# HELP kmemacct_x_bytes Bytes.\n"
		       "# TYPE kmemacct_x_bytes counter\n"
		       "# UNIT kmemacct_x_bytes bytes\n"
		       "kmemacct_x_bytes_total 18446744073709551615\n"
		       "kmemacct_x_bytes_created 1700000000\n"
		       "# HELP kmemacct_y_ratio A ratio.\n"
		       "# TYPE kmemacct_y_ratio gauge\n"
		       "# UNIT kmemacct_y_ratio ratio\n"
		       "kmemacct_y_ratio{a=\"b\\\\c\\\"d\\ne\",f=\"\"} 0.00012\n"
		       "kmemacct_y_ratio 1e+30\n"
		       "# EOF\n");
	expect_metrics(__LINE__, true,
		       "# HELP kmemacct_x_bytes_total Bytes.\n"
		       "# TYPE kmemacct_x_bytes_total counter\n"
		       "kmemacct_x_bytes_total 18446744073709551615\n"
		       "# HELP kmemacct_y_ratio A ratio.\n"
		       "# TYPE kmemacct_y_ratio gauge\n"
		       "kmemacct_y_ratio{a=\"b\\\\c\\\"d\\ne\",f=\"\"} 0.00012\n"
		       "kmemacct_y_ratio 1e+30\n");
}
