// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the reader: latency, waits, shrinkers, stalls and the log of slow phases. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "unit.h"

/* All columns of two tables */
#define ALL_LATENCY	"count,total,mean,p50,p95,p99,max,scanned,reclaimed,histogram,phase"
#define ALL_SHRINKERS	"calls,total_us,share_pct,mean_us,max_us,waited_us,scanned,freed,counts," \
			"count_us,shrinker"

/* ---- percentiles and bars ------------------------------------------------- */

#define LATENCY_HEAD LATENCY_TABLE("latency", KMA_LATENCY_COLUMNS)

/* Parse a row whose maximum and buckets are given; the others of the 24 buckets are 0. */
static struct view parse_buckets(u64 max, const u64 *buckets, int nr)
{
	struct table *t = parse("latency", LATENCY_HEAD
				"0 0 0.000 0 0 0" ZEROS_20 " 0 0 0 0 direct:shrinker\n");
	struct view v = view_of(t);

	t->rows[0]->v[LATENCY_max_us] = max;
	memcpy(&t->rows[0]->v[LATENCY_us_1], buckets, nr * sizeof(*buckets));
	latency_percentiles(&v, true);
	return v;
}

#define EXPECT_PERCENTILES(max, expected, ...) \
	EXPECT_PRINTED(parse_buckets(max, (u64 []) { __VA_ARGS__ }, \
				     ARRAY_SIZE(((u64 []) { __VA_ARGS__ }))), \
		       expected, .raw = true, .no_header = true, \
		       .output = "p50_le_us,p95_le_us,p99_le_us")

TEST(percentiles_are_bounds)
{
	EXPECT_PERCENTILES(0, "- - -\n", 0);
	EXPECT_PERCENTILES(10, "<=2 <=2 <=2\n", 99, 0, 0, 1);
	EXPECT_PERCENTILES(10, "<=2 <=4 <=8\n", 50, 45, 4, 1);
	/* The hundredth of 100 is not needed for 99 %. */
	EXPECT_PERCENTILES(10, "<=2 <=4 <=10\n", 50, 45, 3, 2);
	EXPECT_PERCENTILES(10, "<=4 <=8 <=10\n", 49, 45, 4, 2);
	/* The maximum is a bound, too, unless it is older than the bucket. */
	EXPECT_PERCENTILES(9, "<=9 <=9 <=9\n", 0, 0, 0, 1);
	EXPECT_PERCENTILES(7, "<=16 <=16 <=16\n", 0, 0, 0, 1);
	EXPECT_PERCENTILES(0, "<=0 <=0 <=0\n", 1);
	/* The last bucket has no end. */
	EXPECT_PERCENTILES(99000000, "<=99000000 <=99000000 <=99000000\n", 0, 0, 0, 0, 0, 0, 0, 0,
			   0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
	EXPECT_PERCENTILES(3, "<=3 <=3 <=3\n", 0, U64_MAX);
}

#define EXPECT_BARS(scale, bars, ...) \
	EXPECT_PRINTED(parse_buckets(1, (u64 []) { __VA_ARGS__ }, \
				     ARRAY_SIZE(((u64 []) { __VA_ARGS__ }))), \
		       scale "\n" bars "\n", .output = "histogram")

TEST(bars_have_a_scale)
{
	EXPECT_BARS("1us-------1ms-------1s--", "@......................:",
		    99, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
	EXPECT_BARS("1us-----", "@.......", 7);
	/* Any count but 0 is visible. */
	EXPECT_BARS("2us-----", ":-=+*#%@", 0, 1, 2, 3, 4, 5, 6, 7, 8);
	EXPECT_BARS("1us------", ":.:::-=%@", 1, 0, 2, 3, 100, 101, 202, 700, 800);
	/* A mark needs a gap before it, and has to fit. */
	EXPECT_BARS("64us----", ":......@", 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1000);
	EXPECT_BARS("32us-1ms", ":......@", 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1000);
	EXPECT_BARS("4us------", ":.......@", 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1000);
	EXPECT_BARS("64ms----", ".......@", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		    0, 0, 0, 0, 0, 0, 0, 9);
}

/* The golden table of latency, with percentiles. */
static struct view phases(bool bars)
{
	struct view v = view_of(parse_golden("latency"));

	latency_percentiles(&v, bars);
	return v;
}

TEST(phases_are_printed)
{
	EXPECT_PRINTED(phases(true),
		       "count  total   mean     p50     p95     p99   max phase\n"
		       "  100  9.00s 90.0ms   <=2us   <=8us   <=8us 9.00s direct:shrinker\n"
		       "    2 1.10ms  550us <=600us <=600us <=600us 600us kswapd:kswapd\n"
		       "# no room for: histogram\n", .screen = 80);
	EXPECT_PRINTED(phases(true),
		       "count  total   mean     p50     p95     p99   max scanned reclaimed 1us-------1ms-------1s-- phase\n"
		       "  100  9.00s 90.0ms   <=2us   <=8us   <=8us 9.00s   2.50M     1.25M @.:....................: direct:shrinker\n"
		       "    2 1.10ms  550us <=600us <=600us <=600us 600us       0         0 .........@.............. kswapd:kswapd\n",
		       .screen = 120, .output = ALL_LATENCY);
	EXPECT_PRINTED(phases(true),
		       "count total_us   mean_us p50_le_us p95_le_us p99_le_us  max_us 1us-------1ms-------1s-- scanned reclaimed phase\n"
		       "  100  9000099 90000.990       <=2       <=8       <=8 9000000 @.:....................:     640       320 direct:shrinker\n"
		       "    2     1100   550.000     <=600     <=600     <=600     600 .........@..............       0         0 kswapd:kswapd\n",
		       .exact = true, .output = "+scanned,reclaimed");
}

static void expect_histograms(int line, int screen, bool exact, const char *expected)
{
	static const u64 buckets[] = { 3, 0, 1000, 500 };
	struct view v = parse_buckets(15, buckets, ARRAY_SIZE(buckets));
	u64 *first = v.t->rows[0]->v;

	first[LATENCY_count] = 1503;
	first[LATENCY_total_us] = 9100;
	first[LATENCY_mean_us] = 6055;
	latency_histograms(output(), &v, &(struct style) { .screen = screen, .exact = exact });
	expect_output(line, expected);
	view_end(&v);
}

TEST(histograms_are_printed)
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

/* ---- the table waits ------------------------------------------------------ */

static struct view waits(const char *by, bool bars)
{
	struct view v = view_of(parse_golden("waits"));

	latency_split(&v);
	latency_waits(&v, by, bars);
	return v;
}

TEST(waits_are_added_up)
{
	int screen;

	for (screen = 80; screen <= 120; screen += 40)
		EXPECT_PRINTED(waits("site", false),
			       "count  total   mean      p50      p95      p99    max site\n"
			       "    2    4us 2.00us    <=2us    <=2us    <=2us    2us [other]\n"
			       "    5  713us  143us    <=8us  <=700us  <=700us  700us alloc_skb+0x44\n"
			       "    1 1.50ms 1.50ms <=1.50ms <=1.50ms <=1.50ms 1.50ms huge+0x5 [mod]\n"
			       "    8 2.22ms  277us    <=4us <=1.50ms <=1.50ms 1.50ms sum\n",
			       .screen = screen);
	/* The order is a number, and the unknown one is the last. */
	EXPECT_PRINTED(waits("order", true),
		       "count  total   mean      p50      p95      p99    max 1us-------- order\n"
		       "    4  713us  178us    <=8us  <=700us  <=700us  700us +.@......+.     0\n"
		       "    1      0 0.90us      <=0      <=0      <=0      0 @..........     3\n"
		       "    1 1.50ms 1.50ms <=1.50ms <=1.50ms <=1.50ms 1.50ms ..........@     9\n"
		       "    2    4us 2.00us    <=2us    <=2us    <=2us    2us .@.........     -\n"
		       "    8 2.22ms  277us    <=4us <=1.50ms <=1.50ms 1.50ms @@@......++   sum\n",
		       .screen = 120);
	EXPECT_PRINTED(waits("site,order", false),
		       "count total_us mean_us max_us order site\n"
		       "2 4 2.000 2 - [other]\n"
		       "4 713 178.250 700 0 alloc_skb+0x44\n"
		       "1 0 0.900 0 3 alloc_skb+0x44\n"
		       "1 1500 1500.000 1500 9 huge+0x5\\x20[mod]\n",
		       .raw = true, .output = "count,total_us,mean_us,max_us,order,site");
	EXPECT_PRINTED(waits("site,origin", false),
		       "count total_us us_4 origin site\n"
		       "2 4 0 - [other]\n"
		       "4 712 2 direct alloc_skb+0x44\n"
		       "1 1 0 memcg alloc_skb+0x44\n"
		       "1 1500 0 direct huge+0x5\\x20[mod]\n",
		       .raw = true, .output = "count,total_us,us_4,origin,site");
}

/* Without rows, there is no name to print sums for. */
TEST(no_waits_are_printed)
{
	struct view v = view_of(parse("waits", LATENCY_TABLE("waits", KMA_WAITS_COLUMNS)));

	latency_split(&v);
	latency_waits(&v, "order", true);
	EXPECT_PRINTED(v, "# exact since load, 5.0s\n# no allocation that waited was recorded\n",
		       .screen = 0);
}

#define WAIT(count, total, max, us_1, us_2, us_4, order, label) \
	#count " " #total " 0.000 " #max " " #us_1 " " #us_2 " " #us_4 ZEROS_20 " 0 " order " " \
	label "\n"
#define WAITS_HEAD LATENCY_TABLE("waits", KMA_WAITS_COLUMNS)

static struct view waits_between(const char *before, const char *after)
{
	static const struct options none;
	struct view v;

	diff_subtract(&v, &none, parse("waits", before), parse("waits", after));
	return v;
}

/*
 * A maximum is that of the time in between only if it has grown, and the largest of those that have
 * grown only if no other wait in between can have been longer.  Recycled rows are now in [other].
 */
TEST(waits_are_subtracted)
{
	static const char before[] = WAITS_HEAD
		WAIT(2, 8, 5, 0, 0, 2, "0", "direct;a+0x1")
		WAIT(1, 3, 3, 0, 1, 0, "1", "direct;a+0x1")
		WAIT(4, 4, 1, 4, 0, 0, "0", "direct;same+0x2")
		WAIT(1, 7, 7, 0, 0, 1, "0", "direct;b+0x3")
		WAIT(1, 2, 2, 0, 1, 0, "0", "memcg;c+0x4")
		WAIT(1, 6, 6, 0, 0, 1, "1", "memcg;c+0x4")
		WAIT(3, 9, 3, 0, 3, 0, "0", "direct;gone+0x5")
		WAIT(5, 5, 1, 5, 0, 0, "0", "memcg;anew+0x6");
	static const char after[] = WAITS_HEAD
		WAIT(9, 20, 6, 5, 3, 1, "-", "[other]")
		WAIT(5, 26, 7, 0, 0, 5, "0", "direct;a+0x1")
		WAIT(2, 5, 3, 0, 2, 0, "1", "direct;a+0x1")
		WAIT(4, 4, 1, 4, 0, 0, "0", "direct;same+0x2")
		WAIT(2, 8, 7, 1, 0, 1, "0", "direct;b+0x3")
		WAIT(2, 5, 3, 0, 2, 0, "0", "memcg;c+0x4")
		WAIT(2, 11, 6, 0, 0, 2, "1", "memcg;c+0x4")
		WAIT(1, 2, 2, 0, 1, 0, "0", "memcg;anew+0x6");

	EXPECT_PRINTED(waits_between(before, after),
		       "count total_us mean_us p50_le_us p99_le_us max_us site\n"
		       "    1       +6   6.000       <=6       <=6      6 [other]\n"
		       "    4      +20   5.000       <=7       <=7      7 a+0x1\n"
		       "    1       +2   2.000       <=2       <=2      2 anew+0x6\n"
		       "    1       +1   1.000       <=2       <=2      - b+0x3\n"
		       "    2       +8   4.000       <=4       <=8      - c+0x4\n"
		       "    9      +37   4.111       <=8       <=8      - sum\n",
		       .exact = true,
		       .output = "count,total_us,mean_us,p50_le_us,p99_le_us,max_us,site");
	EXPECT_PRINTED(waits_between(after, after),
		       "# percentiles are upper bounds; exact\n"
		       "# no allocation that waited was recorded\n", .screen = 0);
	/* Without [other], nothing is known of a row that is gone. */
	EXPECT_ROWS(waits_between(before, WAITS_HEAD).t, "count,site", "");
}

static bool has_order(const struct row *row, u64 order)
{
	return row->v[BUCKET_NR + 4 + 3] == order;
}

TEST(histograms_of_waits_have_keys)
{
	struct view v = waits("site,order", false);

	view_cut(&v, 2);
	latency_histograms(output(), &v, &(struct style) { .screen = 50 });
	EXPECT_OUTPUT("[other], order -: count 2, total 4us, mean 2.00us, max 2us\n"
		      "  p50 <=2us, p95 <=2us, p99 <=2us\n"
		      "      2us..4us               2 |##################\n"
		      "\n"
		      "alloc_skb+0x44, order 0: count 4, total 713us, mean 178us, max 700us\n"
		      "  p50 <=8us, p95 <=700us, p99 <=700us\n"
		      "        0..2us               1 |#########\n"
		      "      2us..4us               0 |\n"
		      "      4us..8us               2 |##################\n"
		      "      8us..16us              0 |\n"
		      "     16us..32us              0 |\n"
		      "     32us..64us              0 |\n"
		      "     64us..128us             0 |\n"
		      "    128us..256us             0 |\n"
		      "    256us..512us             0 |\n"
		      "    512us..1.02ms            1 |#########\n"
		      "...\n");
	view_end(&v);
	v = waits("order", false);
	view_keep(&v, has_order, 3);
	latency_histograms(output(), &v, &(struct style) { .exact = true });
	EXPECT_OUTPUT("order 3: count 1, total 0, mean 0.900, max 0\n"
		      "  p50 <=0, p95 <=0, p99 <=0\n"
		      "        0..2                 1 |##################################################\n");
	view_end(&v);
}

/* ---- shares --------------------------------------------------------------- */

#define SHRINKERS_HEAD LATENCY_TABLE("shrinkers", KMA_SHRINKERS_COLUMNS)

static struct view shares(struct table *t)
{
	struct view v = view_of(t);

	latency_shares(&v);
	return v;
}

TEST(shares_add_up)
{
	EXPECT_PRINTED(shares(parse_golden("shrinkers")),
		       "calls  total  share  mean    max waited scanned freed counts count_time shrinker\n"
		       "   30 7.50ms  75.0% 250us 4.50ms 6.00ms     900   300      0          0 super_cache_scan ext4:vda1\n"
		       "   10 2.50ms  25.0% 250us  700us      0      10     1     40       80us mb_cache_scan #12\n"
		       "   40 10.0ms 100.0% 250us 4.50ms 6.00ms     910   301     40       80us sum\n",
		       .output = ALL_SHRINKERS);
	EXPECT_PRINTED(shares(parse_golden("shrinkers")),
		       "calls total_us share_pct mean_us max_us waited_us scanned freed counts count_us shrinker\n"
		       "   30     7500    75.000 250.000   4500      6000     900   300      0        0 super_cache_scan ext4:vda1\n"
		       "   10     2500    25.000 250.000    700         0      10     1     40       80 mb_cache_scan #12\n"
		       "   40    10000   100.000 250.000   4500      6000     910   301     40       80 sum\n",
		       .exact = true, .output = ALL_SHRINKERS);
	EXPECT_PRINTED(shares(parse("shrinkers",
				    LATENCY_TABLE("shrinkers", KMA_SHRINKERS_COLUMNS))),
		       "# exact since load, 5.0s\n"
		       "# no call of a shrinker was recorded\n", .screen = 0);
}

static struct view stalls(void)
{
	struct view v = shares(parse_golden("stalls"));

	v.gfp = gfp_new(parse_golden("gfp_flags"));
	v.codes = true;
	return v;
}

TEST(causes_get_a_line_each)
{
	int screen;

	for (screen = 0; screen <= 120; screen += 120)
		EXPECT_PRINTED(stalls(),
			       " total  share count   mean    max order  gfp site                    cause\n"
			       "7.50ms  75.0%     3 2.50ms 4.50ms     0 KA|z do_anonymous_page+0x1b2 shrinker: super_cache_scan ext4:vda1\n"
			       "2.50ms  25.0%     2 1.25ms 2.00ms     -    0 x+0x1 [mod]             throttled: writeback\n"
			       "10.0ms 100.0%     5 2.00ms 4.50ms     -    -                         sum\n"
			       "# gfp: KA=GFP_KERNEL_ACCOUNT z=__GFP_ZERO\n", .screen = screen);
	EXPECT_PRINTED(stalls(),
		       " total  share count   mean    max  gfp site\n"
		       "7.50ms  75.0%     3 2.50ms 4.50ms KA|z do_anonymous_page+0x1b2\n"
		       "                                       shrinker: super_cache_scan ext4:vda1\n"
		       "2.50ms  25.0%     2 1.25ms 2.00ms    0 x+0x1 [mod]\n"
		       "                                       throttled: writeback\n"
		       "10.0ms 100.0%     5 2.00ms 4.50ms    - sum\n"
		       "# gfp: KA=GFP_KERNEL_ACCOUNT z=__GFP_ZERO\n"
		       "# no room for: order\n", .screen = 80);
	EXPECT_PRINTED(shares(parse_golden("stalls")),
		       "total_us share_pct count  mean_us max_us order      gfp site                    cause\n"
		       "    7500    75.000     3 2500.000   4500     0 0x400dc0 do_anonymous_page+0x1b2 shrinker: super_cache_scan ext4:vda1\n"
		       "    2500    25.000     2 1250.000   2000     -        0 x+0x1 [mod]             throttled: writeback\n"
		       "   10000   100.000     5 2000.000   4500     -        -                         sum\n",
		       .exact = true);
}

TEST(labels_have_three_columns)
{
	EXPECT_PRINTED(shares(parse_golden("wakers")),
		       "   ran  share wakeups runs    max order node daemon    zone    site\n"
		       "9.00ms  90.0%      12    3 4.50ms     4    0 kcompactd Normal  nic_refill+0x44 [nic]\n"
		       "1.00ms  10.0%       1    1 1.00ms     0    1 kswapd    Movable do_anonymous_page+0x1b2\n"
		       "     0   0.0%       0    1      0     9    0 kcompactd DMA32   [unknown waker]\n"
		       "     0   0.0%       2    0      0     -    0 kcompactd Movable sysctl_handler+0x8f\n"
		       "10.0ms 100.0%      15    5 4.50ms     -    -                   sum\n",
		       .screen = 120);
	EXPECT_PRINTED(shares(parse_golden("wakers")),
		       "   ran wakeups order daemon    zone    site\n"
		       "9.00ms      12     4 kcompactd Normal  nic_refill+0x44 [nic]\n"
		       "1.00ms       1     0 kswapd    Movable do_anonymous_page+0x1b2\n"
		       "     0       0     9 kcompactd DMA32   [unknown waker]\n"
		       "     0       2     - kcompactd Movable sysctl_handler+0x8f\n"
		       "10.0ms      15     -                   sum\n"
		       "# no room for: share runs max node\n",
		       .screen = 64);
}

/* Narrow terminals keep the times that tasks waited. */
TEST(stalls_of_tasks_are_kept)
{
	EXPECT_PRINTED(view_of(parse_golden("cgroups")),
		       "net_pages alloc_pages slab_bytes stall cgroup\n"
		       "    -480K       8.00K         17  18us /system.slice/a b.service\n"
		       "# no room for: free_pages\n", .screen = 72);
}

/* ---- the log -------------------------------------------------------------- */

/* Compare `command|phase|site`, then `;CAUSE|us|count` of each cause and `>FRAME` of each frame. */
static void expect_parts(int line, const char *label, const char *expected)
{
	FILE *out = output();
	struct slow s;
	int i;

	slow_parse(&s, label);
	fprintf(out, "%s|%s|%s", s.comm, s.phase, s.site);
	for (i = 0; i < s.nr_causes; i++)
		fprintf(out, ";%s|%llu|%llu", s.cause[i].name, s.cause[i].us, s.cause[i].nr);
	for (i = 0; i < s.nr_frames; i++)
		fprintf(out, ">%s", s.frame[i]);
	expect_output(line, expected);
	free(s.text);
}

TEST(labels_are_taken_apart)
{
	static const struct given causes[] = {
		{ "-", "" }, { "", "" }, { "a=1", ";a|1|1" }, { "a=1,b=2 x3", ";a|1|1;b|2|3" },
		{ "a,b=2 x3,c", ";a,b|2|3" }, { "a=1 xy,b=2 x3", ";a=1 xy,b|2|3" },
		{ ",,=,a x2=5 x1", ";,,=,a x2|5|1" },
		{ "=1,=2,=3,=4,=5,=6,=7,=8,=9,=0,=1,=2,=3,=4,=5,=6,=7",
		  ";|1|1;|2|1;|3|1;|4|1;|5|1;|6|1;|7|1;|8|1;|9|1;|0|1;|1|1;|2|1;|3|1;|4|1;|5|1;|6|1",
		},
	};
	struct table *t = parse_golden("slow");
	char label[256], expected[256];
	size_t i;

	expect_parts(__LINE__, t->rows[0]->label,
		     "Web;Content|direct:direct_reclaim|do_anonymous_page+0x1b2;shrinker: a_scan x,y=z #1|8100|12;lru inactive|4245|1>shrink_node+0x1>helper+0x2 [mod]");
	expect_parts(__LINE__, t->rows[1]->label, "kswapd0|kswapd:kswapd|-");
	expect_parts(__LINE__, "comm;phase;site;causes", "comm;phase;site;causes|-|-");
	for (i = 0; i < ARRAY_SIZE(causes); i++) {
		snprintf(label, sizeof(label), "a;b:c;d;%s;-", causes[i].given);
		snprintf(expected, sizeof(expected), "a|b:c|d%s", causes[i].expected);
		expect_parts(__LINE__, label, expected);
	}
	table_free(t);
}

static void expect_record(int line, int screen, bool exact, bool raw, const char *expected)
{
	const struct style style = { .screen = screen, .exact = exact };
	struct view v = view_of(parse_golden("slow"));
	FILE *out = output();
	size_t i;

	if (!raw)
		v.gfp = gfp_new(parse_golden("gfp_flags"));
	for (i = 0; i < v.nr; i++)
		slow_print(out, &v, v.t->rows[i], &style);
	expect_output(line, expected);
	gfp_free(v.gfp);
	view_end(&v);
}

TEST(records_are_printed)
{
	expect_record(__LINE__, 0, false, false,
		      "[ 1234.567] direct:direct_reclaim 12.3ms, Web;Content[4711], nr 7\n"
		      "    do_anonymous_page+0x1b2, order 0, GFP_KERNEL_ACCOUNT|__GFP_ZERO, tgid 4700, cgroup #17\n"
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
		      "    0x400dc0, tgid 4700, cgroup #17\n"
		      "      8100us  65.6%   x12 shrinker: a_scan x,y=z #1\n"
		      "      4245us  34.4%    x1 lru inactive\n"
		      "        shrink_node+0x1\n"
		      "        helper+0x2 [mod]\n"
		      "\n"
		      "[ 1230.001] kswapd:kswapd 1500us, kswapd0[31], nr 5\n"
		      "\n");
}

#define SHRINKER(calls, total, max, name) \
	#calls " " #total " 1.000 " #max " 0 0 0 0 0 " name "\n"

static void expect_meanwhile(int line, const char *before, const char *after, bool exact,
			     const char *expected)
{
	struct table *old = parse("shrinkers", before), *new = parse("shrinkers", after);

	slow_shrinkers(output(), old, new, exact);
	expect_output(line, expected);
	table_free(old);
	table_free(new);
}

TEST(shrinkers_are_subtracted)
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
