// SPDX-License-Identifier: GPL-2.0
/* The text of tables: heads and rows byte for byte, numbers, and reading the files. */
#include <linux/math.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "golden.h"
#include "table_util.h"

/* ---- helpers -------------------------------------------------------------- */

/* Rows of `callers`. */
static struct kma_site_counts kma_rows[] = {
	{
		.v = { 192, 3, 5, 200, 9, 320, 6, 384, 0, 1, 0, 4, 256, 192 },
		.change = { { .kib = 5, .variance = 4096 } },
		.label = "kma_caller+0x1a [kma_module]",
	}, {
		.v = { 0, 0, 1, 96, 1, 96, 1, 96, 0, 0, 1, 0, 0, 0 },
		.label = "kernel_clone+0x2b0",
	}, {
		.v = {
			U64_MAX, U64_MAX, U64_MAX, 1ULL << 63, U64_MAX, U64_MAX,
			U64_MAX, U64_MAX, U64_MAX, U64_MAX, U64_MAX, U64_MAX,
			U64_MAX, U64_MAX,
		},
		.change = { { .kib = -7 } },
		.label = "[other]",
	},
};

/* The only window that is known. */
static const struct kma_history_mark kma_last_minute = { .index = 1, .age = 58 };

/* ---- golden lines --------------------------------------------------------- */

static void kma_report_prints_callers(struct kunit *test)
{
	struct kma_snapshot snap =
		kma_snapshot_of(&kma_table_callers, kma_rows, ARRAY_SIZE(kma_rows));

	snap.windows[0] = kma_last_minute;
	KUNIT_EXPECT_STREQ(test, kma_table_head(test, &snap),
			   KMA_GOLDEN_HEAD("callers", KMA_GOLDEN_QUIET_CHANGES)
			   KMA_GOLDEN_CALLERS_COLUMNS);
	KUNIT_EXPECT_STREQ(test, kma_table_body(test, &snap), KMA_GOLDEN_CALLERS_ROWS);
}

static void kma_report_prints_caches(struct kunit *test)
{
	struct kma_site_counts row = kma_rows[0];
	struct kma_snapshot snap = kma_snapshot_of(&kma_table_caches, &row, 1);

	snap.windows[0] = kma_last_minute;
	row.label = "kmalloc-64";
	KUNIT_EXPECT_STREQ(test, kma_table_head(test, &snap),
			   KMA_GOLDEN_HEAD("caches", KMA_GOLDEN_QUIET_CHANGES)
			   KMA_GOLDEN_CACHES_COLUMNS);
	KUNIT_EXPECT_STREQ(test, kma_table_body(test, &snap), KMA_GOLDEN_CACHES_ROWS);
}

static void kma_report_prints_keyvals(struct kunit *test)
{
	struct kma_keyval pairs[3];
	struct kma_snapshot snap = kma_snapshot_of(&kma_table_summary, pairs, 3);

	snap.nr_rows = 0;
	kma_keyval_add(&snap, "bytes_requested", KMA_FORMAT_U64, U64_MAX);
	kma_keyval_add(&snap, "bytes_net", KMA_FORMAT_S64, -128);
	kma_keyval_add(&snap, "frag_pct", KMA_FORMAT_MILLI, 37500);

	KUNIT_EXPECT_STREQ(test, kma_table_head(test, &snap),
			   KMA_GOLDEN_HEAD("summary", KMA_GOLDEN_QUIET)
			   KMA_GOLDEN_KEYVAL_COLUMNS);
	KUNIT_EXPECT_STREQ(test, kma_table_body(test, &snap), KMA_GOLDEN_KEYVAL_ROWS);
}

static void kma_report_says_what_was_lost(struct kunit *test)
{
	/* 1500 objects were freed, and the frees of 1496 of them were seen. */
	static const struct kma_stats stats = {
		.v = {
			[KMA_STAT_events_kfree] = 1000,
			[KMA_STAT_events_kmem_cache_free] = 400,
			[KMA_STAT_bulk_frees] = 200,
			[KMA_STAT_free_null] = 79,
			[KMA_STAT_free_zero_size] = 20,
			[KMA_STAT_dropped_live_full] = 10,
			[KMA_STAT_dropped_sites_full] = 20,
			[KMA_STAT_other_caches] = 15,
			[KMA_STAT_replaced] = 3,
			[KMA_STAT_page_freed] = 1,
			[KMA_STAT_free_unmatched] = 5,
		},
	};
	struct kma_snapshot snap = kma_snapshot_of(&kma_table_stats, NULL, 0);

	snap.stats = stats;
	snap.window_ns = 86400 * NSEC_PER_SEC;
	snap.since = "reset";
	snap.cut = 7;
	snap.off = 9;
	/*
	 * The second and the fourth criterion were set since the reset, and the fourth is still
	 * set.  The first was set before the reset.
	 */
	snap.filter_now = BIT(3);
	snap.filter = BIT(1) | BIT(3);
	snap.filter_ever = BIT(0) | BIT(1) | BIT(3);
	KUNIT_EXPECT_STREQ(test, kma_table_head(test, &snap),
			   KMA_GOLDEN_HEAD("stats", KMA_GOLDEN_LOSSES)
			   KMA_GOLDEN_KEYVAL_COLUMNS);
}

/* The percentage is rounded down, so that 100 means that no free is known to be missing. */
static void kma_report_says_how_many_frees_were_seen(struct kunit *test)
{
	static const struct {
		u64 frees, bulk_frees, unmatched, replaced, page_freed;
		const char *shown;
	} known[] = {
		{ 0, 0, 0, 0, 0, " coverage_pct=100.000 " },
		{ 5, 5, 10, 0, 0, " coverage_pct=100.000 " },
		{ 5, 5, 10, 1, 0, " coverage_pct=0.000 " },
		{ 5, 5, 10, 0, 1, " coverage_pct=0.000 " },
		{ 60, 30, 0, 7, 3, " coverage_pct=90.000 " },
		{ 999999, 0, 0, 1, 0, " coverage_pct=99.999 " },
		{ 9999999, 0, 0, 0, 1, " coverage_pct=99.999 " },
		/* more unmatched frees than frees: read while counting, or after a reset */
		{ 5, 5, 11, 1, 0, " coverage_pct=100.000 " },
		{ 1ULL << 62, 0, 0, 1ULL << 62, 0, " coverage_pct=50.000 " },
	};
	struct kma_snapshot snap = kma_snapshot_of(&kma_table_callers, NULL, 0);
	u64 *v = snap.stats.v;
	int i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		v[KMA_STAT_events_kmem_cache_free] = known[i].frees;
		v[KMA_STAT_bulk_frees] = known[i].bulk_frees;
		v[KMA_STAT_free_unmatched] = known[i].unmatched;
		v[KMA_STAT_replaced] = known[i].replaced;
		v[KMA_STAT_page_freed] = known[i].page_freed;
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(kma_table_head(test, &snap),
						       known[i].shown),
					  "%s", known[i].shown);
	}
}

/* Rows of real call sites, with objects at made-up addresses; the oldest object is first. */
static void kma_report_prints_allocs(struct kunit *test)
{
	u32 kfree_row = kma_sitetab_get(&kma_core.sites, KMA_TEST_SITE, 64)->id;
	u32 other_row = kma_core.sites.sites_max +
			kma_cachetab_get(&kma_core.sites.caches, 96);
	const struct kma_entry young = {
		.bytes_req = 90,
		.time = 1090,
		.row = other_row,
	};
	const struct kma_entry old = {
		.bytes_req = 60,
		.time = 1000,
		.tgid_depth = 4711,
		.row = kfree_row,
		.cpu = 3,
		.gen_owner = 9 << KMA_OWNER_SHIFT,
	};
	struct seq_file *seq = kma_seq_new(test);
	struct kma_snapshot *snap;
	struct kma_entry unused;
	const char *text;

	kma_core.sites.info[other_row].state = KMA_SITE_LIVE;
	kma_core.sites.info[other_row].shift = KMA_SHIFT_EXACT;
	kma_objtab_put(&kma_core.obj, KMA_TEST_PTR, &young, &unused);
	kma_objtab_put(&kma_core.obj, KMA_TEST_PTR + 64, &old, &unused);
	snap = kma_table_open(test, &kma_table_allocs);
	/* Set the time, so that the objects are 1600 ms and 160 ms old. */
	snap->now = 1000 + 1600 * HZ / MSEC_PER_SEC / (1 << KMA_TIME_SHIFT);
	snap->window_ns = 12345 * NSEC_PER_MSEC;
	snap->identity = kma_test_identity;

	seq_printf(seq, "%pK %s%pK %s", (void *)KMA_TEST_PTR + 64, KMA_GOLDEN_ALLOCS_ROW_1,
		   (void *)KMA_TEST_PTR, KMA_GOLDEN_ALLOCS_ROW_2);
	text = kma_seq_text(seq);
	KUNIT_EXPECT_STREQ(test, kma_table_body(test, snap), text);
	KUNIT_EXPECT_STREQ(test, kma_table_head(test, snap),
			   KMA_GOLDEN_HEAD("allocs", KMA_GOLDEN_QUIET)
			   KMA_GOLDEN_ALLOCS_COLUMNS);
}

static void kma_report_shows_no_address(struct kunit *test)
{
	char raw[2 * sizeof(long) + 1];
	char *text;

	snprintf(raw, sizeof(raw), "%lx", KMA_TEST_PTR);
	kma_alloc(KMA_TEST_PTR + 1, KMA_TEST_PTR, 64, 60);

	text = kma_table_text(test, &kma_table_allocs);
	KUNIT_EXPECT_NULL(test, strstr(text, raw + 4));
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, " [unknown]\n"));
	text = kma_table_text(test, &kma_table_callers);
	KUNIT_EXPECT_NULL(test, strstr(text, raw + 4));
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, " [unknown]\n"));
}

static void kma_report_tells_the_node_of_an_object(struct kunit *test)
{
	void *object = kunit_kzalloc(test, 64, GFP_KERNEL);
	struct kma_snapshot *snap;
	int column = kma_table_column(&kma_table_allocs, "node");

	kma_alloc(KMA_TEST_SITE, (unsigned long)object, 64, 60);
	snap = kma_table_open(test, &kma_table_allocs);
	KUNIT_ASSERT_EQ(test, snap->nr_rows, 1);
	KUNIT_EXPECT_EQ(test, snap->table->ops->value(snap, snap->rows, column),
			page_to_nid(virt_to_page(object)));
	kma_free((unsigned long)object);
}

/* ---- numbers -------------------------------------------------------------- */

static void kma_report_prints_milli(struct kunit *test)
{
	struct seq_file *seq = kma_seq_new(test);

	kma_show_milli(seq, 0, 0);
	seq_putc(seq, '|');
	kma_show_milli(seq, 0, 5);
	seq_putc(seq, '|');
	kma_show_milli(seq, 12, 123456);
	seq_putc(seq, '|');
	kma_show_milli(seq, 12, U64_MAX);
	KUNIT_EXPECT_STREQ(test, kma_seq_text(seq),
			   "0.000|0.005|     123.456|18446744073709551.615");
}

static void kma_frag_is_as_perf_kmem_has_it(struct kunit *test)
{
	static const struct {
		u64 req, alloc, milli;
	} known[] = {
		{ 0, 0, 0 },
		{ 0, 1, 100000 },
		{ 64, 64, 0 },
		{ 1, 2, 50000 },
		{ 1, 3, 66667 },
		{ 2, 3, 33333 },
		/* half a thousandth, and a little less: rounded to the nearest */
		{ 199999, 200000, 1 },
		{ 200000, 200001, 0 },
		/* makes no sense, but must not divide by zero or overflow */
		{ 5, 0, 0 },
		{ 5, 4, 0 },
		/* values that overflow when multiplied by 100,000 */
		{ 1ULL << 47, 1ULL << 48, 50000 },
		{ 1ULL << 62, 1ULL << 63, 50000 },
		{ 1ULL << 63, U64_MAX, 50000 },
		{ 0, U64_MAX, 100000 },
		{ 1, U64_MAX, 100000 },
		{ U64_MAX, U64_MAX, 0 },
		{ U64_MAX - 1, U64_MAX, 0 },
		{ U64_MAX / 3, U64_MAX, 66667 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		KUNIT_EXPECT_EQ_MSG(test, kma_frag_milli(known[i].req, known[i].alloc),
				    known[i].milli, "%llu of %llu", known[i].req,
				    known[i].alloc);
}

/* For any numbers, the result differs from the exact one by half a unit or less. */
static void kma_frag_is_the_nearest(struct kunit *test)
{
	u64 random = 1, req, alloc, milli;
	int i, wrong = 0;

	for (i = 0; i < 10000; i++) {
		alloc = (kma_random(&random) >> (18 + i % 46)) + 1;
		div64_u64_rem(kma_random(&random), alloc + 1, &req);
		milli = kma_frag_milli(req, alloc);
		wrong += abs_diff(100000 * (alloc - req), milli * alloc) > alloc / 2 + alloc % 2;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

/* ---- reading -------------------------------------------------------------- */

/* Make so many rows that no buffer has room for all. */
static void kma_many_callers(void)
{
	unsigned long i;

	for (i = 0; i < 60; i++)
		kma_alloc((unsigned long)kfree + i, KMA_TEST_PTR + 64 * i, 64 + 8 * (i % 5),
			  60);
}

static void kma_report_reads_the_same_in_any_step(struct kunit *test)
{
	static const size_t steps[] = { 1, 7, 100, 4096, 65535 };
	const struct kma_event ev =
		kma_test_event(KMA_TEST_SITE, KMA_TEST_PTR + SZ_64K, SZ_1M, SZ_1M);
	struct file *file;
	char *whole;
	int table, i;

	kma_many_callers();
	/* This object is much larger than N, so it is sampled, and `stacks` has a row. */
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MIN);
	migrate_disable();
	kma_sample_forget(KMA_SAMPLE_OBJECTS);
	kma_sample(&ev);
	migrate_enable();
	for (table = 0; table < kma_nr_tables; table++) {
		file = kma_file_open(test, &kma_table_fops, kma_tables[table]);
		whole = kma_file_text(test, file, 60000);
		/* Some tables have only a head: no object is charged, and there is no history. */
		KUNIT_EXPECT_GT(test, strlen(whole), kma_tables[table]->ops->pages ||
				kma_tables[table]->ops->countmap ||
				kma_tables[table] == &kma_table_charges ||
				kma_tables[table] == &kma_table_history ||
				kma_tables[table] == &kma_table_marks ? 100 : 500);
		for (i = 0; i < ARRAY_SIZE(steps); i++)
			KUNIT_EXPECT_STREQ(test, kma_file_text(test, file, steps[i]),
					   whole);
	}
}

static void kma_report_reads_from_any_position(struct kunit *test)
{
	struct file *file;
	u64 random = 1;
	char *whole, some[50];
	size_t len, pos;
	int i;

	kma_many_callers();
	file = kma_file_open(test, &kma_table_fops, &kma_table_callers);
	whole = kma_file_text(test, file, 60000);
	len = strlen(whole);
	for (i = 0; i < 300; i++) {
		pos = kma_random_below(&random, len - sizeof(some));
		KUNIT_EXPECT_EQ(test, kma_file_read(file, some, sizeof(some), pos),
				sizeof(some));
		KUNIT_EXPECT_MEMEQ(test, some, whole + pos, sizeof(some));
	}
	KUNIT_EXPECT_EQ(test, kma_file_read(file, some, sizeof(some), len), 0);
	KUNIT_EXPECT_EQ(test, kma_file_read(file, some, sizeof(some), len + 100), 0);
}

/* All reads of an open file return the state at the time of the open. */
static void kma_report_does_not_change_while_it_is_read(struct kunit *test)
{
	struct file *file;
	char *before, *after;

	kma_many_callers();
	file = kma_file_open(test, &kma_table_fops, &kma_table_callers);
	before = kma_file_text(test, file, 100);
	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + SZ_64K, 64, 60);
	after = kma_file_text(test, file, 100);
	KUNIT_EXPECT_STREQ(test, after, before);

	file = kma_file_open(test, &kma_table_fops, &kma_table_callers);
	after = kma_file_text(test, file, 100);
	KUNIT_EXPECT_STRNEQ(test, after, before);
}

static void kma_report_has_one_line_a_record(struct kunit *test)
{
	struct file *file;
	size_t lines = 0;
	char *c;

	kma_many_callers();
	file = kma_file_open(test, &kma_table_fops, &kma_table_allocs);
	for (c = kma_file_text(test, file, 4096); *c; c++)
		lines += *c == '\n';
	KUNIT_EXPECT_EQ(test, lines, 3 + 60);
}

static void kma_report_of_nothing_is_a_head(struct kunit *test)
{
	char *text = kma_table_text(test, &kma_table_callers);

	KUNIT_EXPECT_TRUE(test, strstarts(text, "# kmemacct callers 8 "));
	text = strstr(text, "\n# load_id=");
	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_EXPECT_STREQ(test, strchr(text + 1, '\n') + 1, KMA_GOLDEN_CALLERS_COLUMNS);
}

static struct kunit_case kma_report_text_cases[] = {
	KUNIT_CASE(kma_report_prints_callers),
	KUNIT_CASE(kma_report_prints_caches),
	KUNIT_CASE(kma_report_prints_keyvals),
	KUNIT_CASE(kma_report_says_what_was_lost),
	KUNIT_CASE(kma_report_says_how_many_frees_were_seen),
	KUNIT_CASE(kma_report_prints_allocs),
	KUNIT_CASE(kma_report_shows_no_address),
	KUNIT_CASE(kma_report_tells_the_node_of_an_object),
	KUNIT_CASE(kma_report_prints_milli),
	KUNIT_CASE(kma_frag_is_as_perf_kmem_has_it),
	KUNIT_CASE(kma_frag_is_the_nearest),
	KUNIT_CASE(kma_report_of_nothing_is_a_head),
	KUNIT_CASE(kma_report_reads_the_same_in_any_step),
	KUNIT_CASE(kma_report_reads_from_any_position),
	KUNIT_CASE(kma_report_does_not_change_while_it_is_read),
	KUNIT_CASE(kma_report_has_one_line_a_record),
	{}
};

struct kunit_suite kma_report_text_suite = {
	.name = "kmemacct_report_text",
	.suite_init = kma_table_init_suite,
	.init = kma_table_init_test,
	.exit = kma_table_exit_test,
	.test_cases = kma_report_text_cases,
};
