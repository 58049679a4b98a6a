// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the reader: latency, shrinkers, stalls and the log of slow phases. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "golden.h"
#include "unit.h"

/* All columns of two tables */
#define ALL_LATENCY	"count,total,mean,p50,p95,p99,max,scanned,reclaimed,histogram,phase"
#define ALL_SHRINKERS	"calls,total_us,share_pct,mean_us,max_us,waited_us,scanned,freed,counts," \
			"count_us,shrinker"

static void times_are_human(void)
{
	static const struct {
		u64 us;
		const char *text;
	} known[] = {
		{ 0, "0" }, { 1, "1us" }, { 999, "999us" }, { 1000, "1.00ms" },
		{ 1234, "1.23ms" }, { 9994, "9.99ms" }, { 9996, "10.0ms" },
		{ 99949, "99.9ms" }, { 99951, "100ms" }, { 999499, "999ms" },
		{ 999500, "1.00s" }, { 59949999, "59.9s" }, { 59950000, "59.9s" },
		{ 60000000, "1m00s" }, { 3600000000, "1h00m" },
		{ U64_MAX, "213503982d08h" },
	}, thousandths[] = {
		{ 0, "0" }, { 1, "0.00us" }, { 5, "0.01us" }, { 1500, "1.50us" },
		{ 365520, "366us" }, { 2510287, "2.51ms" }, { 999500, "1.00ms" },
		{ U64_MAX, "213503d23h" },
	};
	char buf[NUMBER_LEN];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		number_print_us(buf, known[i].us, false);
		EXPECT_TEXT(buf, known[i].text);
	}
	for (i = 0; i < ARRAY_SIZE(thousandths); i++) {
		number_print_us(buf, thousandths[i].us, true);
		EXPECT_TEXT(buf, thousandths[i].text);
	}
	EXPECT(unit_of_pair("stall_us") == UNIT_US && unit_of_pair("p50_le_us") == UNIT_US);
	EXPECT(unit_of_pair("us_1024") == UNIT_NONE && unit_of_pair("_us") == UNIT_NONE);
	number_print_share(buf, 45250);
	EXPECT_TEXT(buf, "45.2%");
}

/* ---- percentiles and bars ------------------------------------------------- */

#define LATENCY_HEAD LATENCY_TABLE("latency", KMA_LATENCY_COLUMNS)

/* Parse a row whose maximum and buckets are given; the others of the 24 buckets are 0. */
static struct view parse_buckets(u64 max, const u64 *buckets, int nr)
{
	struct view v;
	char *text;
	size_t len;
	FILE *out = text_open(&text, &len);
	int i;

	fprintf(out, LATENCY_HEAD "0 0 0.000 %llu 0 0", max);
	for (i = 0; i < 24; i++)
		fprintf(out, " %llu", i < nr ? buckets[i] : 0);
	fputs(" direct:shrinker\n", out);
	text_close(out);
	v = view_of(parse("latency", text));
	latency_percentiles(&v, true);
	free(text);
	return v;
}

static void expect_percentiles(int line, struct view v, u64 p50, u64 p95, u64 p99)
{
	const u64 *at = &v.t->rows[0]->v[table_column(v.t, "p50_le_us")];
	char what[128];

	snprintf(what, sizeof(what), "%llu %llu %llu", at[0], at[1], at[2]);
	if (at[0] != p50 || at[1] != p95 || at[2] != p99)
		fail_at(line, what);
	view_end(&v);
}

#define EXPECT_PERCENTILES(max, p50, p95, p99, ...) \
	expect_percentiles(__LINE__, \
			   parse_buckets(max, (u64[]) { __VA_ARGS__ }, \
					 ARRAY_SIZE(((u64[]) { __VA_ARGS__ }))), \
			   p50, p95, p99)

static void percentiles_are_bounds(void)
{
	EXPECT_PERCENTILES(0, NO_ID, NO_ID, NO_ID, 0);
	EXPECT_PERCENTILES(10, 2, 2, 2, 99, 0, 0, 1);
	EXPECT_PERCENTILES(10, 2, 4, 8, 50, 45, 4, 1);
	/* The hundredth of 100 is not needed for 99 %. */
	EXPECT_PERCENTILES(10, 2, 4, 10, 50, 45, 3, 2);
	EXPECT_PERCENTILES(10, 4, 8, 10, 49, 45, 4, 2);
	/* The maximum is a bound, too, unless it is older than the bucket. */
	EXPECT_PERCENTILES(9, 9, 9, 9, 0, 0, 0, 1);
	EXPECT_PERCENTILES(7, 16, 16, 16, 0, 0, 0, 1);
	EXPECT_PERCENTILES(0, 0, 0, 0, 1);
	/* The last bucket has no end. */
	EXPECT_PERCENTILES(99000000, 99000000, 99000000, 99000000, 0, 0, 0, 0, 0, 0, 0, 0,
			   0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
	EXPECT_PERCENTILES(3, 3, 3, 3, 0, U64_MAX);
}

static void expect_bars(int line, struct view v, const char *scale, const char *bars)
{
	int column = table_column(v.t, "histogram");

	expect_text(line, v.t->columns[column].title, scale);
	expect_text(line, row_name(v.t->rows[0], column), bars);
	view_end(&v);
}

#define EXPECT_BARS(scale, bars, ...) \
	expect_bars(__LINE__, \
		    parse_buckets(1, (u64[]) { __VA_ARGS__ }, \
				  ARRAY_SIZE(((u64[]) { __VA_ARGS__ }))), scale, bars)

static void bars_have_a_scale(void)
{
	EXPECT_BARS("1us-------1ms-------1s--", "@......................:",
		    99, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
	EXPECT_BARS("1us-----", "@.......", 7);
	/* Any number but 0 is seen. */
	EXPECT_BARS("2us-----", ":-=+*#%@", 0, 1, 2, 3, 4, 5, 6, 7, 8);
	EXPECT_BARS("1us------", ":.:::-=%@", 1, 0, 2, 3, 100, 101, 202, 700, 800);
	/* A mark needs a gap before it, and has to fit. */
	EXPECT_BARS("64us----", ":......@", 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1000);
	EXPECT_BARS("32us-1ms", ":......@", 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1000);
	EXPECT_BARS("4us------", ":.......@", 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1000);
	EXPECT_BARS("64ms----", ".......@", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		    0, 0, 0, 0, 0, 0, 0, 9);
}

/* Print a table, and compare the lines after the comments. */
static void expect_lines(int line, struct view v, int screen, bool exact,
			 const char *output, const char *expected)
{
	const struct style style = { .screen = screen, .exact = exact, .output = output };
	char *text = table_text(&v, &style), *begin;

	for (begin = text; *begin == '#';)
		begin = strchr(begin, '\n') + 1;
	expect_text(line, begin, expected);
	free(text);
	gfp_free(v.gfp);
	view_end(&v);
}

#define EXPECT_LINES(v, screen, exact, expected) \
	expect_lines(__LINE__, v, screen, exact, NULL, expected)

/* The same with more columns than the default. */
#define EXPECT_OUTPUT(v, output, screen, exact, expected) \
	expect_lines(__LINE__, v, screen, exact, output, expected)

/* The golden table of latency, with percentiles. */
static struct view phases(bool bars)
{
	struct view v = view_of(parse_golden("latency"));

	latency_percentiles(&v, bars);
	return v;
}

static void phases_are_printed(void)
{
	EXPECT_LINES(phases(true), 80, false,
		     "count  total   mean     p50     p95     p99   max phase\n"
		     "  100  9.00s 90.0ms   <=2us   <=8us   <=8us 9.00s direct:shrinker\n"
		     "    2 1.10ms  550us <=600us <=600us <=600us 600us kswapd:kswapd\n"
		     "# no room for: histogram\n");
	EXPECT_OUTPUT(phases(true), ALL_LATENCY, 120, false,
		      "count  total   mean     p50     p95     p99   max scanned reclaimed 1us-------1ms-------1s-- phase\n"
		      "  100  9.00s 90.0ms   <=2us   <=8us   <=8us 9.00s     640       320 @.:....................: direct:shrinker\n"
		      "    2 1.10ms  550us <=600us <=600us <=600us 600us       0         0 .........@.............. kswapd:kswapd\n");
	EXPECT_OUTPUT(phases(true), "+scanned,reclaimed", 0, true,
		      "count total_us   mean_us p50_le_us p95_le_us p99_le_us  max_us 1us-------1ms-------1s-- scanned reclaimed phase\n"
		      "  100  9000099 90000.990       <=2       <=8       <=8 9000000 @.:....................:     640       320 direct:shrinker\n"
		      "    2     1100   550.000     <=600     <=600     <=600     600 .........@..............       0         0 kswapd:kswapd\n");
}

static void expect_histograms(int line, int screen, bool exact, const char *expected)
{
	static const u64 buckets[] = { 3, 0, 1000, 500 };
	struct view v = parse_buckets(15, buckets, ARRAY_SIZE(buckets));
	u64 *first = v.t->rows[0]->v;
	char *text;
	size_t len;
	FILE *out = text_open(&text, &len);

	first[LATENCY_count] = 1503;
	first[LATENCY_total_us] = 9100;
	first[LATENCY_mean_us] = 6055;
	latency_histograms(out, &v, &(struct style) { .screen = screen, .exact = exact });
	text_close(out);
	expect_text(line, text, expected);
	free(text);
	view_end(&v);
}

static void histograms_are_printed(void)
{
	struct view v = phases(false);

	EXPECT(table_column(v.t, "histogram") == NONE);
	view_end(&v);
	expect_histograms(__LINE__, 50, false,
			  "direct:shrinker: count 1503, total 9.10ms, mean 6.05us, max 15us\n"
			  "  p50 <=8us, p95 <=15us, p99 <=15us\n"
			  "        0..2us               3 |#\n"
			  "      2us..4us               0 |\n"
			  "      4us..8us            1000 |##################\n"
			  "      8us..16us            500 |#########\n");
	expect_histograms(__LINE__, 30, true,
			  "direct:shrinker: count 1503, total 9100, mean 6.055, max 15\n"
			  "  p50 <=8, p95 <=15, p99 <=15\n"
			  "        0..2                 3 |#\n"
			  "        2..4                 0 |\n"
			  "        4..8              1000 |##########\n"
			  "        8..16              500 |#####\n");
}

/* ---- shares --------------------------------------------------------------- */

static struct view shares(struct table *t)
{
	struct view v = view_of(t);

	latency_shares(&v);
	return v;
}

static void shares_add_up(void)
{
	EXPECT_OUTPUT(shares(parse_golden("shrinkers")), ALL_SHRINKERS, 0, false,
		      "calls  total  share  mean    max waited scanned freed counts count_time shrinker\n"
		      "   30 7.50ms  75.0% 250us 4.50ms 6.00ms     900   300      0          0 super_cache_scan ext4:vda1\n"
		      "   10 2.50ms  25.0% 250us  700us      0      10     1     40       80us mb_cache_scan #12\n"
		      "   40 10.0ms 100.0% 250us 4.50ms 6.00ms     910   301     40       80us sum\n");
	EXPECT_OUTPUT(shares(parse_golden("shrinkers")), ALL_SHRINKERS, 0, true,
		      "calls total_us share_pct mean_us max_us waited_us scanned freed counts count_us shrinker\n"
		      "   30     7500    75.000 250.000   4500      6000     900   300      0        0 super_cache_scan ext4:vda1\n"
		      "   10     2500    25.000 250.000    700         0      10     1     40       80 mb_cache_scan #12\n"
		      "   40    10000   100.000 250.000   4500      6000     910   301     40       80 sum\n");
	EXPECT_LINES(shares(parse_golden("shrinkers")), 80, false,
		     " total  share calls  mean    max waited freed shrinker\n"
		     "7.50ms  75.0%    30 250us 4.50ms 6.00ms   300 super_cache_scan ext4:vda1\n"
		     "2.50ms  25.0%    10 250us  700us      0     1 mb_cache_scan #12\n"
		     "10.0ms 100.0%    40 250us 4.50ms 6.00ms   301 sum\n");
	EXPECT_LINES(shares(parse("shrinkers",
				  LATENCY_TABLE("shrinkers", KMA_SHRINKERS_COLUMNS))),
		     0, false,
		     "total share calls mean max waited freed shrinker\n"
		     "# no rows\n");
}

static struct view stalls(void)
{
	struct view v = shares(parse_golden("stalls"));

	v.gfp = gfp_new(parse_golden("gfp_flags"));
	v.codes = true;
	return v;
}

static void causes_get_a_line_each(void)
{
	EXPECT_LINES(stalls(), 0, false,
		     " total  share count   mean    max order  gfp site_cause\n"
		     "7.50ms  75.0%     3 2.50ms 4.50ms     0 KA|z do_anonymous_page+0x1b2;shrinker: super_cache_scan ext4:vda1\n"
		     "2.50ms  25.0%     2 1.25ms 2.00ms     -    0 x+0x1 [mod];throttled: writeback\n"
		     "10.0ms 100.0%     5 2.00ms 4.50ms     -    - sum\n"
		     "# gfp: KA=GFP_KERNEL_ACCOUNT z=__GFP_ZERO\n");
	EXPECT_LINES(stalls(), 120, false,
		     " total  share count   mean    max order  gfp site_cause\n"
		     "7.50ms  75.0%     3 2.50ms 4.50ms     0 KA|z do_anonymous_page+0x1b2;shrinker: super_cache_scan ext4:vda1\n"
		     "2.50ms  25.0%     2 1.25ms 2.00ms     -    0 x+0x1 [mod];throttled: writeback\n"
		     "10.0ms 100.0%     5 2.00ms 4.50ms     -    - sum\n"
		     "# gfp: KA=GFP_KERNEL_ACCOUNT z=__GFP_ZERO\n");
	EXPECT_LINES(stalls(), 80, false,
		     " total  share count   mean    max order site_cause\n"
		     "7.50ms  75.0%     3 2.50ms 4.50ms     0 do_anonymous_page+0x1b2\n"
		     "                                        shrinker: super_cache_scan ext4:vda1\n"
		     "2.50ms  25.0%     2 1.25ms 2.00ms     - x+0x1 [mod]\n"
		     "                                        throttled: writeback\n"
		     "10.0ms 100.0%     5 2.00ms 4.50ms     - sum\n"
		     "# no room for: gfp\n");
	EXPECT_LINES(shares(parse_golden("stalls")), 0, true,
		     "total_us share_pct count  mean_us max_us order      gfp site_cause\n"
		     "    7500    75.000     3 2500.000   4500     0 0x400dc0 do_anonymous_page+0x1b2;shrinker: super_cache_scan ext4:vda1\n"
		     "    2500    25.000     2 1250.000   2000     -        0 x+0x1 [mod];throttled: writeback\n"
		     "   10000   100.000     5 2000.000   4500     -        - sum\n");
}

/* Narrow terminals keep the times that tasks waited. */
static void stalls_of_tasks_are_kept(void)
{
	EXPECT_LINES(view_of(parse_golden("cgroups")), 72, false,
		     "net_pages alloc_pages slab_bytes stall cgroup\n"
		     "     -120           2         17  18us /system.slice/a b.service\n"
		     "# no room for: free_pages\n");
}

/* ---- the log -------------------------------------------------------------- */

static void labels_are_taken_apart(void)
{
	struct table *t = parse_golden("slow");
	struct slow s;

	slow_parse(&s, t->rows[0]->label);
	EXPECT_TEXT(s.comm, "Web;Content");
	EXPECT_TEXT(s.phase, "direct:direct_reclaim");
	EXPECT_TEXT(s.site, "do_anonymous_page+0x1b2");
	EXPECT(s.nr_causes == 2 && s.nr_frames == 2);
	EXPECT_TEXT(s.cause[0].name, "shrinker: a_scan x,y=z #1");
	EXPECT(s.cause[0].us == 8100 && s.cause[0].nr == 12);
	EXPECT_TEXT(s.cause[1].name, "lru inactive");
	EXPECT(s.cause[1].us == 4245 && s.cause[1].nr == 1);
	EXPECT_TEXT(s.frame[0], "shrink_node+0x1");
	EXPECT_TEXT(s.frame[1], "helper+0x2 [mod]");
	free(s.text);
	slow_parse(&s, t->rows[1]->label);
	EXPECT_TEXT(s.comm, "kswapd0");
	EXPECT(!s.nr_causes && !s.nr_frames);
	EXPECT_TEXT(s.site, "-");
	free(s.text);
	table_free(t);
}

static void expect_causes(int line, const char *causes, const char *expected)
{
	char label[1024], got[1024] = "";
	struct slow s;
	int i, len = 0;

	snprintf(label, sizeof(label), "a;b:c;d;%s;e", causes);
	slow_parse(&s, label);
	for (i = 0; i < s.nr_causes; i++)
		len += snprintf(got + len, sizeof(got) - len, "%s|%llu|%llu;",
				s.cause[i].name, s.cause[i].us, s.cause[i].nr);
	expect_text(line, got, expected);
	free(s.text);
}

static void odd_labels_are_taken_apart(void)
{
	struct slow s;

	expect_causes(__LINE__, "-", "");
	expect_causes(__LINE__, "", "");
	expect_causes(__LINE__, "a=1", "a|1|1;");
	expect_causes(__LINE__, "a=1,b=2 x3", "a|1|1;b|2|3;");
	expect_causes(__LINE__, "a,b=2 x3,c", "a,b|2|3;");
	expect_causes(__LINE__, "a=1 xy,b=2 x3", "a=1 xy,b|2|3;");
	expect_causes(__LINE__, ",,=,a x2=5 x1", ",,=,a x2|5|1;");
	expect_causes(__LINE__, "=1,=2,=3,=4,=5,=6,=7,=8,=9,=0,=1,=2,=3,=4,=5,=6,=7",
		      "|1|1;|2|1;|3|1;|4|1;|5|1;|6|1;|7|1;|8|1;|9|1;|0|1;|1|1;|2|1;|3|1;|4|1;|5|1;|6|1;");
	slow_parse(&s, "comm;phase;site;causes");
	EXPECT_TEXT(s.comm, "comm;phase;site;causes");
	EXPECT_TEXT(s.phase, "-");
	EXPECT(!s.nr_causes && !s.nr_frames);
	free(s.text);
}

static void expect_record(int line, int screen, bool exact, bool raw, const char *expected)
{
	const struct style style = { .screen = screen, .exact = exact };
	struct view v = view_of(parse_golden("slow"));
	char *text;
	size_t i, len;
	FILE *out = text_open(&text, &len);

	if (!raw)
		v.gfp = gfp_new(parse_golden("gfp_flags"));
	for (i = 0; i < v.nr; i++)
		slow_print(out, &v, v.t->rows[i], &style);
	text_close(out);
	expect_text(line, text, expected);
	free(text);
	gfp_free(v.gfp);
	view_end(&v);
}

static void records_are_printed(void)
{
	expect_record(__LINE__, 0, false, false,
		      "[ 1234.567] direct:direct_reclaim 12.3ms, Web;Content[4711], nr 7\n"
		      "    do_anonymous_page+0x1b2, order 0, GFP_KERNEL_ACCOUNT|__GFP_ZERO, tgid 4700, cgroup 17\n"
		      "      8.10ms  65.6%   x12 shrinker: a_scan x,y=z #1\n"
		      "      4.25ms  34.4%    x1 lru inactive\n"
		      "        shrink_node+0x1\n"
		      "        helper+0x2 [mod]\n"
		      "\n"
		      "[ 1230.001] kswapd:kswapd 1.50ms, kswapd0[31], nr 5\n"
		      "\n");
	expect_record(__LINE__, 44, true, true,
		      "[ 1234.567] direct:direct_reclaim 12345us, Web;Content[4711], nr 7\n"
		      "    do_anonymous_page+0x1b2, order 0,\n"
		      "    0x400dc0, tgid 4700, cgroup 17\n"
		      "      8100us  65.6%   x12 shrinker: a_scan x,y=z #1\n"
		      "      4245us  34.4%    x1 lru inactive\n"
		      "        shrink_node+0x1\n"
		      "        helper+0x2 [mod]\n"
		      "\n"
		      "[ 1230.001] kswapd:kswapd 1500us, kswapd0[31], nr 5\n"
		      "\n");
}

#define SHRINKERS_HEAD LATENCY_TABLE("shrinkers", KMA_SHRINKERS_COLUMNS)
#define SHRINKER(calls, total, max, name) \
	#calls " " #total " 1.000 " #max " 0 0 0 0 0 " name "\n"

static void expect_meanwhile(int line, const char *before, const char *after, bool exact,
			     const char *expected)
{
	struct table *old = parse("shrinkers", before), *new = parse("shrinkers", after);
	char *text;
	size_t len;
	FILE *out = text_open(&text, &len);

	slow_shrinkers(out, old, new, exact);
	text_close(out);
	expect_text(line, text, expected);
	free(text);
	table_free(old);
	table_free(new);
}

static void shrinkers_are_subtracted(void)
{
	static const char before[] = SHRINKERS_HEAD
		SHRINKER(10, 5000, 900, "a fs:x") SHRINKER(10, 5000, 900, "b")
		SHRINKER(10, 5000, 900, "idle") SHRINKER(10, 5000, 900, "reset");
	static const char after[] = SHRINKERS_HEAD
		SHRINKER(11, 5400, 900, "a fs:x") SHRINKER(20, 17300, 4500, "b")
		SHRINKER(10, 5000, 900, "idle") SHRINKER(1, 7, 7, "reset")
		SHRINKER(1, 61000000, 50000000, "new");

	expect_meanwhile(__LINE__, before, after, false, "# shrinkers meanwhile:\n"
			 "new: total time = 1m01s, max latency = 50.0 s\n"
			 "b: total time = 12.3 ms, max latency = 4.50 ms\n"
			 "a fs:x: total time = 400 us, max latency = 900 us (since load; at most that meanwhile)\n"
			 "reset: total time = 7 us, max latency = 7 us\n");
	expect_meanwhile(__LINE__, SHRINKERS_HEAD, SHRINKERS_HEAD SHRINKER(1, 12345, 5, "a"),
			 true, "# shrinkers meanwhile:\n"
			 "a: total time = 12345 us, max latency = 5 us\n");
	expect_meanwhile(__LINE__, before, before, false,
			 "# shrinkers meanwhile:\n# none was called\n");
}

const struct test latency_tests[] = {
	TEST(times_are_human),
	TEST(percentiles_are_bounds),
	TEST(bars_have_a_scale),
	TEST(phases_are_printed),
	TEST(histograms_are_printed),
	TEST(shares_add_up),
	TEST(causes_get_a_line_each),
	TEST(stalls_of_tasks_are_kept),
	TEST(labels_are_taken_apart),
	TEST(odd_labels_are_taken_apart),
	TEST(records_are_printed),
	TEST(shrinkers_are_subtracted),
};

const size_t nr_latency_tests = ARRAY_SIZE(latency_tests);
