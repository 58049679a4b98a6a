// SPDX-License-Identifier: GPL-2.0
/*
 * The tables: exact text of rows made by hand, and the rows that are made of
 * the live tables' contents.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "golden.h"
#include "util.h"
#include "../module/report/rows_site.h"

#define KMA_TEST_PTR	0xdead000001234000UL	/* virt_addr_valid() of nothing */

/* ---- helpers -------------------------------------------------------------- */

/* Rows as a table of counts has them. */
static struct kma_site_counts kma_rows[] = {
	{
		.v = { 192, 3, 5, 200, 320, 6, 384, 0, 1, 0, 4, 256, 192 },
		.label = "kma_caller+0x1a [kma_module]",
	}, {
		.v = { 0, 0, 1, 96, 96, 1, 96, 0, 0, 1, 0, 0, 0 },
		.label = "kernel_clone+0x2b0",
	}, {
		.v = {
			U64_MAX, U64_MAX, U64_MAX, 1ULL << 63, U64_MAX, U64_MAX,
			U64_MAX, U64_MAX, U64_MAX, U64_MAX, U64_MAX, U64_MAX,
			U64_MAX,
		},
		.label = "[other]",
	},
};

static struct kma_snapshot kma_snapshot_of(struct kma_table *table, void *rows,
					   size_t nr_rows)
{
	struct kma_snapshot snap = {
		.table = table,
		.rows = rows,
		.nr_rows = nr_rows,
		.max_rows = nr_rows,
		.since = "load",
		.window_ns = 12345 * NSEC_PER_MSEC + NSEC_PER_MSEC - 1,
	};

	return snap;
}

static const char *kma_head(struct kunit *test, const struct kma_snapshot *snap)
{
	struct seq_file *seq = kma_seq_new(test);

	kma_show_head(seq, snap);
	return kma_seq_text(seq);
}

static const char *kma_body(struct kunit *test, const struct kma_snapshot *snap)
{
	struct seq_file *seq = kma_seq_new(test);
	size_t i;

	for (i = 0; i < snap->nr_rows; i++)
		snap->table->show(seq, snap, snap->rows + i * snap->table->row_size);
	return kma_seq_text(seq);
}

static void kma_close(void *snap)
{
	kma_snapshot_close(snap);
}

static struct kma_snapshot *kma_open(struct kunit *test, struct kma_table *table)
{
	struct kma_snapshot *snap = kma_snapshot_open(table);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, snap);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, kma_close, snap), 0);
	return snap;
}

static const struct kma_site_counts *kma_row_labelled(const struct kma_snapshot *snap,
						 const char *label)
{
	const struct kma_site_counts *row = snap->rows;
	size_t i;

	for (i = 0; i < snap->nr_rows; i++)
		if (!strcmp(row[i].label, label))
			return &row[i];
	return NULL;
}

static void kma_alloc(unsigned long site, unsigned long ptr, u32 size, u32 bytes_req)
{
	const struct kma_event ev = {
		.site = site,
		.ptr = ptr,
		.cache = size,
		.kmalloc = true,
		.bytes_req = bytes_req,
		.node = NUMA_NO_NODE,
	};

	preempt_disable();
	kma_record_alloc(&kma_core, &ev);
	preempt_enable();
}

/* An object of a bulk allocation. */
static void kma_bulk(unsigned long site, unsigned long ptr, u32 size)
{
	const struct kma_event ev = {
		.site = site,
		.ptr = ptr,
		.cache = size,
		.node = NUMA_NO_NODE,
	};

	preempt_disable();
	kma_record_bulk(&kma_core, &ev);
	preempt_enable();
}

static void kma_free(unsigned long ptr)
{
	preempt_disable();
	kma_record_free(&kma_core, ptr, true);
	preempt_enable();
}

/* ---- golden lines --------------------------------------------------------- */

static void kma_report_prints_callers(struct kunit *test)
{
	const struct kma_snapshot snap =
		kma_snapshot_of(&kma_table_callers, kma_rows, ARRAY_SIZE(kma_rows));

	KUNIT_EXPECT_STREQ(test, kma_head(test, &snap),
			   KMA_GOLDEN_HEAD("callers", KMA_GOLDEN_QUIET)
			   KMA_GOLDEN_CALLERS_COLUMNS);
	KUNIT_EXPECT_STREQ(test, kma_body(test, &snap), KMA_GOLDEN_CALLERS_ROWS);
}

static void kma_report_prints_caches(struct kunit *test)
{
	struct kma_site_counts row = kma_rows[0];
	const struct kma_snapshot snap = kma_snapshot_of(&kma_table_caches, &row, 1);

	row.label = "kmalloc-64";
	KUNIT_EXPECT_STREQ(test, kma_head(test, &snap),
			   KMA_GOLDEN_HEAD("caches", KMA_GOLDEN_QUIET)
			   KMA_GOLDEN_CACHES_COLUMNS);
	KUNIT_EXPECT_STREQ(test, kma_body(test, &snap), KMA_GOLDEN_CACHES_ROWS);
}

static void kma_report_prints_keyvals(struct kunit *test)
{
	struct kma_keyval pairs[3];
	struct kma_snapshot snap = kma_snapshot_of(&kma_table_summary, pairs, 3);

	snap.nr_rows = 0;
	kma_keyval_add(&snap, "bytes_requested", KMA_FORMAT_U64, U64_MAX);
	kma_keyval_add(&snap, "bytes_net", KMA_FORMAT_S64, -128);
	kma_keyval_add(&snap, "frag_pct", KMA_FORMAT_MILLI, 37500);

	KUNIT_EXPECT_STREQ(test, kma_head(test, &snap),
			   KMA_GOLDEN_HEAD("summary", KMA_GOLDEN_QUIET)
			   KMA_GOLDEN_KEYVAL_COLUMNS);
	KUNIT_EXPECT_STREQ(test, kma_body(test, &snap), KMA_GOLDEN_KEYVAL_ROWS);
}

static void kma_report_says_what_was_lost(struct kunit *test)
{
	struct kma_snapshot snap = kma_snapshot_of(&kma_table_stats, NULL, 0);

	/* Of 1500 objects that went, 1496 were seen to. */
	snap.stats.v[KMA_STAT_events_kfree] = 1000;
	snap.stats.v[KMA_STAT_events_kmem_cache_free] = 400;
	snap.stats.v[KMA_STAT_bulk_frees] = 200;
	snap.stats.v[KMA_STAT_free_null] = 79;
	snap.stats.v[KMA_STAT_free_zero_size] = 20;
	snap.stats.v[KMA_STAT_dropped_live_full] = 10;
	snap.stats.v[KMA_STAT_dropped_caches_full] = 15;
	snap.stats.v[KMA_STAT_dropped_sites_full] = 5;
	snap.stats.v[KMA_STAT_replaced] = 3;
	snap.stats.v[KMA_STAT_page_freed] = 1;
	snap.stats.v[KMA_STAT_free_unmatched] = 5;
	snap.window_ns = 86400 * NSEC_PER_SEC;
	snap.since = "reset";
	snap.cut = 7;
	/* The second and fourth criterion of a filter, and before that the first. */
	snap.filter = BIT(1) | BIT(3);
	snap.filter_ever = BIT(0) | BIT(1) | BIT(3);
	KUNIT_EXPECT_STREQ(test, kma_head(test, &snap),
			   KMA_GOLDEN_HEAD("stats", KMA_GOLDEN_LOSSES)
			   KMA_GOLDEN_KEYVAL_COLUMNS);
}

/* Rounded down: 100 means that no free is known to have gone unseen. */
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
		/* counted in passing, or before a reset */
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
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(kma_head(test, &snap),
						       known[i].shown),
					  "%s", known[i].shown);
	}
}

/* Real rows at made-up addresses, oldest first. */
static void kma_report_prints_allocs(struct kunit *test)
{
	u32 kfree_row = kma_sitetab_get(&kma_core.sites, (unsigned long)kfree + 1, 64)->id;
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
		.tgid = 4711,
		.row = kfree_row,
		.cpu = 3,
	};
	struct seq_file *seq = kma_seq_new(test);
	struct kma_snapshot *snap;
	struct kma_entry unused;
	const char *text;

	kma_core.sites.info[other_row].state = KMA_SITE_LIVE;
	kma_core.sites.info[other_row].shift = KMA_SHIFT_EXACT;
	kma_objtab_put(&kma_core.obj, KMA_TEST_PTR, &young, &unused);
	kma_objtab_put(&kma_core.obj, KMA_TEST_PTR + 64, &old, &unused);
	snap = kma_open(test, &kma_table_allocs);
	/* As if it were 1600 and 160 ms later. */
	snap->now = 1000 + 1600 * HZ / MSEC_PER_SEC / (1 << KMA_TIME_SHIFT);
	snap->window_ns = 12345 * NSEC_PER_MSEC;

	seq_printf(seq, "%pK %s%pK %s", (void *)KMA_TEST_PTR + 64, KMA_GOLDEN_ALLOCS_ROW_1,
		   (void *)KMA_TEST_PTR, KMA_GOLDEN_ALLOCS_ROW_2);
	text = kma_seq_text(seq);
	KUNIT_EXPECT_STREQ(test, kma_body(test, snap), text);
	KUNIT_EXPECT_STREQ(test, kma_head(test, snap),
			   KMA_GOLDEN_HEAD("allocs", KMA_GOLDEN_QUIET)
			   KMA_GOLDEN_ALLOCS_COLUMNS);
}

static void kma_report_shows_no_address(struct kunit *test)
{
	char raw[2 * sizeof(long) + 1];
	char *text;

	snprintf(raw, sizeof(raw), "%lx", KMA_TEST_PTR);
	kma_alloc(KMA_TEST_PTR + 1, KMA_TEST_PTR, 64, 60);

	text = kma_file_text(test, kma_file_open(test, &kma_table_fops,
						 &kma_table_allocs), PAGE_SIZE);
	KUNIT_EXPECT_NULL(test, strstr(text, raw + 4));
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, " [unknown]\n"));
	text = kma_file_text(test, kma_file_open(test, &kma_table_fops,
						 &kma_table_callers), PAGE_SIZE);
	KUNIT_EXPECT_NULL(test, strstr(text, raw + 4));
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, " [unknown]\n"));
}

static void kma_report_tells_the_node_of_an_object(struct kunit *test)
{
	void *object = kunit_kzalloc(test, 64, GFP_KERNEL);
	struct kma_snapshot *snap;
	int column = kma_table_column(&kma_table_allocs, "node");

	kma_alloc((unsigned long)kfree + 1, (unsigned long)object, 64, 60);
	snap = kma_open(test, &kma_table_allocs);
	KUNIT_ASSERT_EQ(test, snap->nr_rows, 1);
	KUNIT_EXPECT_EQ(test, snap->table->value(snap, snap->rows, column),
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
		/* half a thousandth and a little less, rounded to the nearest */
		{ 199999, 200000, 1 },
		{ 200000, 200001, 0 },
		/* no sense, but no division by it either */
		{ 5, 0, 0 },
		{ 5, 4, 0 },
		/* what overflows when multiplied by 100,000 */
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

/* Not further from the truth than half a unit, whatever the numbers. */
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

/* ---- order ---------------------------------------------------------------- */

static void kma_expect_order(struct kunit *test, const struct kma_sort *sort,
			     const char *labels)
{
	static const struct kma_site_counts unsorted[] = {
		/* live_bytes, live_objs, hits, req, alloc */
		{ .v = { 10, 2, 7, 8, 10 }, .label = "c" },
		{ .v = { 10, 1, U64_MAX, 10, 10 }, .label = "a" },
		{ .v = { 30, 1, 0, 1, 10 }, .label = "e" },
		{ .v = { 10, 2, 9, 5, 10 }, .label = "b" },
		{ .v = { 1ULL << 40, 1, 3, 9, 10 }, .label = "d" },
	};
	/* Too many for a stack. */
	static struct kma_site_counts rows[ARRAY_SIZE(unsorted)];
	struct kma_snapshot snap = kma_snapshot_of(&kma_table_callers, rows, 5);
	char got[6] = "";
	int i;

	memcpy(rows, unsorted, sizeof(rows));
	kma_snapshot_sort(&snap, sort);
	for (i = 0; i < 5; i++)
		got[i] = rows[i].label[0];
	KUNIT_EXPECT_STREQ(test, got, labels);
}

static void kma_report_sorts_numbers_descending(struct kunit *test)
{
	const struct kma_sort sort = { .key = { KMA_COUNT_hits }, .nr = 1 };

	kma_expect_order(test, &sort, "abcde");
}

static void kma_report_sorts_labels_ascending(struct kunit *test)
{
	const struct kma_sort sort = { .key = { KMA_COUNT_NR }, .nr = 1 };

	kma_expect_order(test, &sort, "abcde");
}

static void kma_report_sorts_by_a_computed_column(struct kunit *test)
{
	const struct kma_sort sort = { .key = { KMA_COUNT_frag_pct }, .nr = 1 };

	kma_expect_order(test, &sort, "ebcda");
}

static void kma_report_sorts_by_several_keys(struct kunit *test)
{
	const struct kma_sort sort = {
		.key = { KMA_COUNT_live_bytes, KMA_COUNT_live_objs, KMA_COUNT_NR },
		.nr = 3,
	};

	kma_expect_order(test, &sort, "debca");
}

static void kma_report_keeps_order_without_a_key(struct kunit *test)
{
	const struct kma_sort sort = {};

	kma_expect_order(test, &sort, "caebd");
}

static void kma_report_sorts_allocs_oldest_first(struct kunit *test)
{
	const struct kma_entry entries[] = {
		{ .time = kma_env_now() - 2 },
		{ .time = kma_env_now() - 9 },
		{ .time = kma_env_now() },
		{ .time = kma_env_now() - 5 },
	};
	int column = kma_table_column(&kma_table_allocs, "age_ms");
	struct kma_snapshot *snap;
	struct kma_entry unused;
	u64 age, before = U64_MAX;
	int i;

	kma_alloc((unsigned long)kfree + 1, KMA_TEST_PTR, 64, 60);
	kma_free(KMA_TEST_PTR);
	for (i = 0; i < ARRAY_SIZE(entries); i++)
		kma_objtab_put(&kma_core.obj, KMA_TEST_PTR + 64 * i, &entries[i], &unused);
	snap = kma_open(test, &kma_table_allocs);
	KUNIT_EXPECT_EQ(test, snap->nr_rows, ARRAY_SIZE(entries));
	for (i = 0; i < snap->nr_rows; i++, before = age) {
		age = snap->table->value(snap, snap->rows + i * snap->table->row_size,
					 column);
		KUNIT_EXPECT_LT(test, age, before);
	}
}

/* ---- from the live tables ------------------------------------------------- */

/* A site that allocates from two caches is one caller and two caches. */
static void kma_report_merges_rows_of_one_name(struct kunit *test)
{
	const unsigned long site = (unsigned long)kfree + 1;
	static const struct kma_site_counts sum = {
		.v = { 64 + 96, 2, 3, 60 + 60 + 90, 64 + 64 + 96, 1, 64, 0, 0, 0 },
	};
	const struct kma_site_counts *row;

	migrate_disable();
	kma_alloc(site, KMA_TEST_PTR, 64, 60);
	kma_alloc(site, KMA_TEST_PTR + 64, 64, 60);
	kma_alloc(site, KMA_TEST_PTR + 128, 96, 90);
	kma_free(KMA_TEST_PTR);
	migrate_enable();

	row = kma_row_labelled(kma_open(test, &kma_table_callers), "kfree+0x1");
	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_EXPECT_MEMEQ(test, row->v, sum.v, sizeof(sum.v));

	row = kma_row_labelled(kma_open(test, &kma_table_caches), "kmalloc-64");
	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_EXPECT_EQ(test, row->v[KMA_COUNT_live_bytes], 64);
	row = kma_row_labelled(kma_open(test, &kma_table_caches), "kmalloc-96");
	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_EXPECT_EQ(test, row->v[KMA_COUNT_live_bytes], 96);
}

static void kma_report_counts_bulk_objects(struct kunit *test)
{
	const unsigned long site = (unsigned long)kfree + 1;
	static const struct kma_site_counts expected = {
		.v = { 2 * 64, 2, 1, 60, 64, 2, 2 * 64, 0, 0, 0, 3, 3 * 64 },
	};
	const struct kma_site_counts *row;

	migrate_disable();
	kma_bulk(site, KMA_TEST_PTR, 64);
	kma_bulk(site, KMA_TEST_PTR + 64, 64);
	kma_bulk(site, KMA_TEST_PTR + 128, 64);
	kma_alloc(site, KMA_TEST_PTR + 192, 64, 60);
	kma_free(KMA_TEST_PTR);
	kma_free(KMA_TEST_PTR + 64);
	migrate_enable();

	row = kma_row_labelled(kma_open(test, &kma_table_callers), "kfree+0x1");
	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_EXPECT_MEMEQ(test, row->v, expected.v, sizeof(expected.v));
	/* A site that does nothing else is there, too. */
	kma_bulk(site + 1, KMA_TEST_PTR, 64);
	KUNIT_EXPECT_NOT_NULL(test, kma_row_labelled(kma_open(test, &kma_table_callers),
						     "kfree+0x2"));
}

static void kma_expect_confirmed(struct kunit *test, const char *label, u64 bytes)
{
	const struct kma_site_counts *row =
		kma_row_labelled(kma_open(test, &kma_table_callers), label);

	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_EXPECT_EQ_MSG(test, row->v[KMA_COUNT_confirmed_bytes], bytes, "%s", label);
}

/* Of a row that lost an object nothing is, and of none without all hooks. */
static void kma_report_tells_what_is_confirmed(struct kunit *test)
{
	const unsigned long site = (unsigned long)kfree + 1;

	kma_alloc(site, KMA_TEST_PTR, 64, 60);
	kma_alloc(site, KMA_TEST_PTR + 64, 64, 60);
	kma_alloc(site, KMA_TEST_PTR + 128, 96, 90);
	kma_bulk(site + 1, KMA_TEST_PTR + 192, 64);
	kma_expect_confirmed(test, "kfree+0x1", 0);

	kma_ftrace_hooks_start(true);
	kma_expect_confirmed(test, "kfree+0x1", 64 + 64 + 96);
	kma_expect_confirmed(test, "kfree+0x2", 64);
	/* The address comes again, at a site that is not to blame. */
	kma_alloc(site + 1, KMA_TEST_PTR, 64, 60);
	kma_expect_confirmed(test, "kfree+0x1", 96);
	kma_expect_confirmed(test, "kfree+0x2", 64 + 64);
	kma_ftrace_hooks_stop();
	kma_expect_confirmed(test, "kfree+0x2", 0);
}

/* Two modules, one after the other, with functions of one name. */
static void kma_report_merges_rows_of_retired_sites(struct kunit *test)
{
	const unsigned long site = (unsigned long)kfree + 1;
	const struct kma_site_counts *row;
	struct kma_snapshot *snap;

	kma_alloc(site, KMA_TEST_PTR, 64, 60);
	kma_sitetab_retire(&kma_core.sites, 0);
	kma_alloc(site, KMA_TEST_PTR + 64, 64, 60);

	snap = kma_open(test, &kma_table_callers);
	KUNIT_EXPECT_EQ(test, snap->nr_rows, 1);
	row = kma_row_labelled(snap, "kfree+0x1");
	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_EXPECT_EQ(test, row->v[KMA_COUNT_hits], 2);
}

static void kma_report_names_sizes_of_kmalloc(struct kunit *test)
{
	static const struct {
		u32 size;
		const char *name;
	} known[] = {
		{ 8, "kmalloc-8" },
		{ 96, "kmalloc-96" },
		{ 1024, "kmalloc-1k" },
		{ 1025, "kmalloc-1025" },
		{ 8192, "kmalloc-8k" },
		{ 16384, "kmalloc-large-16k" },
		{ 4 << 20, "kmalloc-large-4096k" },
	};
	struct kma_snapshot *snap;
	int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		kma_alloc((unsigned long)kfree + 1, KMA_TEST_PTR + 64 * i,
			  known[i].size, known[i].size);
	snap = kma_open(test, &kma_table_caches);
	KUNIT_EXPECT_EQ(test, snap->nr_rows, ARRAY_SIZE(known));
	for (i = 0; i < ARRAY_SIZE(known); i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, kma_row_labelled(snap, known[i].name),
					  "%s", known[i].name);
}

/* Objects of a kmem_cache ask for what the cache was made for. */
static void kma_report_takes_sizes_from_a_kmem_cache(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("kma-test-report", 1234, 0,
						     SLAB_NO_MERGE, NULL);
	struct kma_event ev = {
		.site = (unsigned long)kfree + 1,
		.ptr = KMA_TEST_PTR,
		.cache = (unsigned long)cache,
		.node = NUMA_NO_NODE,
	};
	const struct kma_site_counts *row;
	struct kma_snapshot *snap;
	u64 size;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	preempt_disable();
	kma_record_alloc(&kma_core, &ev);
	preempt_enable();
	kma_sitetab_retire_cache(&kma_core.sites, ev.cache);
	kmem_cache_destroy(cache);

	size = kma_core.sites.caches.info[0].size;
	row = kma_row_labelled(kma_open(test, &kma_table_caches), "kma-test-report");
	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_EXPECT_GE(test, size, 1234);
	KUNIT_EXPECT_EQ(test, row->v[KMA_COUNT_bytes_req], 1234);
	KUNIT_EXPECT_EQ(test, row->v[KMA_COUNT_bytes_alloc], size);
	KUNIT_EXPECT_EQ(test, row->v[KMA_COUNT_live_bytes], size);
	snap = kma_open(test, &kma_table_allocs);
	KUNIT_ASSERT_EQ(test, snap->nr_rows, 1);
	KUNIT_EXPECT_EQ(test, snap->table->value(snap, snap->rows, 1), 1234);
	KUNIT_EXPECT_EQ(test, snap->table->value(snap, snap->rows, 2), size);
}

static void kma_report_of_nothing_is_a_head(struct kunit *test)
{
	char *text = kma_file_text(test, kma_file_open(test, &kma_table_fops,
						       &kma_table_callers), PAGE_SIZE);

	KUNIT_EXPECT_TRUE(test, strstarts(text, "# kmemacct callers 4 "));
	KUNIT_EXPECT_TRUE(test, str_has_prefix(strchr(text, '\n') + 1,
					       KMA_GOLDEN_CALLERS_COLUMNS) ==
				strlen(strchr(text, '\n') + 1));
}

/* ---- samples -------------------------------------------------------------- */

/*
 * Rows of which everything is known.  With N = 2^shift a sample of Z bytes stands
 * for w = 1 / (1 - exp(-Z / N)) objects:
 *
 *	Z		N		w
 *	64		4096		64.501302
 *	4096		4096		1.581977
 *	64		524288		8192.500010
 *	64		exact		1
 *	1048576		4096		1, but for 10^-111
 *
 * Of a row, n samples of x each are estimated as n x w, with a variance of
 * n x^2 w (w - 1), for bytes_req n x Z w (w - 1).  In a table both are added up over
 * rows; then the estimate is rounded to the nearest integer, and a standard error is
 * the root of the sum, rounded down.  The numbers below were computed that way, with 60
 * digits.
 */
struct kma_puts {
	unsigned long frame[3];
	u32 nr_frames;
	int shift;
	u32 size;
	u32 bytes_req;
	int hits;
	int bulk;
	int frees;
};

static u32 kma_put(const struct kma_puts *p, unsigned long ptr)
{
	struct kma_stack stack = {
		.nr_frames = p->nr_frames,
		.frame = { p->frame[0], p->frame[1], p->frame[2] },
	};
	const struct kma_origin o = {
		.site = p->frame[0],
		.shift = p->shift,
		.stack = &stack,
	};
	const struct kma_site_slot *slot;
	struct kma_event ev = {
		.site = o.site,
		.cache = p->size,
		.bytes_req = p->bytes_req,
		.node = NUMA_NO_NODE,
	};
	int i;

	kma_stack_seal(&stack);
	slot = p->shift ? kma_sitetab_sample(&kma_core.sites, &o, p->size) :
			  kma_sitetab_get(&kma_core.sites, o.site, p->size);
	for (i = 0; i < p->hits + p->bulk; i++) {
		ev.ptr = ptr + 64 * i;
		ev.kmalloc = i < p->hits;
		kma_record_object(&kma_core, slot, &ev, !ev.kmalloc);
	}
	for (i = 0; i < p->frees; i++)
		kma_record_free(&kma_core, ptr + 64 * i, true);
	return slot->id;
}

/* One more that asked for another node, found no room and pretends a free elsewhere. */
static void kma_put_rare(u32 id, u32 bytes_req)
{
	struct kma_row __percpu *row = kma_core.sites.row[id];

	this_cpu_inc(row->hits);
	this_cpu_add(row->bytes_req, bytes_req);
	this_cpu_inc(row->no_entry);
	this_cpu_inc(row->cross_node);
	this_cpu_inc(row->pingpong);
}

static void kma_put_samples(void)
{
	const unsigned long site = (unsigned long)kfree + 1;
	const unsigned long caller = (unsigned long)vfree + 2;
	const unsigned long outermost = (unsigned long)schedule + 3;
	const struct kma_puts puts[] = {
		{ { site, caller, outermost }, 3, 12, 64, 60, 6, 2, 3 },
		{ { site, outermost }, 2, 12, 4096, 4000, 4, 0, 1 },
		{ { site }, 0, 19, 64, 60, 2, 0, 0 },
		{ { site }, 0, KMA_SHIFT_EXACT, 64, 60, 2, 0, 1 },
		{ { (unsigned long)vfree + 1 }, 0, 12, SZ_1M, 1000000, 1, 0, 0 },
	};
	u32 id;
	int i;

	preempt_disable();
	for (i = 0; i < ARRAY_SIZE(puts); i++) {
		id = kma_put(&puts[i], KMA_TEST_PTR + 1024 * i);
		if (!i)
			kma_put_rare(id, puts[i].bytes_req);
	}
	preempt_enable();
}

static void kma_report_prints_samples(struct kunit *test)
{
	struct kma_snapshot *snap;

	kma_put_samples();
	snap = kma_open(test, &kma_table_callers);
	snap->window_ns = 12345 * NSEC_PER_MSEC;
	snap->sample_bytes = 4096;
	KUNIT_EXPECT_STREQ(test, kma_head(test, snap),
			   KMA_GOLDEN_SAMPLED_HEAD("callers", KMA_GOLDEN_QUIET)
			   KMA_GOLDEN_SAMPLED_COLUMNS);
	KUNIT_EXPECT_STREQ(test, kma_body(test, snap), KMA_GOLDEN_SAMPLED_ROWS);
}

static char *kma_text_of(struct kunit *test, struct kma_table *table)
{
	return kma_file_text(test, kma_file_open(test, &kma_table_fops, table), PAGE_SIZE);
}

/* Columns and lines of samples are there for all rows, or for none. */
static void kma_report_tells_samples_where_there_are(struct kunit *test)
{
	static const struct {
		struct kma_table *table;
		const char *shown;
	} known[] = {
		{ &kma_table_callers, " live_bytes_se " },
		{ &kma_table_caches, " samples " },
		{ &kma_table_stacks, " live_samples " },
		{ &kma_table_allocs, " weight " },
		{ &kma_table_summary, "\nallocs_se " },
	};
	int i;

	kma_alloc((unsigned long)kfree + 1, KMA_TEST_PTR + SZ_64K, 64, 60);
	for (i = 0; i < ARRAY_SIZE(known); i++)
		KUNIT_EXPECT_NULL_MSG(test, strstr(kma_text_of(test, known[i].table),
						   known[i].shown), "%s", known[i].shown);
	kma_put_samples();
	for (i = 0; i < ARRAY_SIZE(known); i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(kma_text_of(test, known[i].table),
						       known[i].shown), "%s",
					  known[i].shown);
}

/* In three lines: estimates; frag_pct, samples, live_samples; standard errors. */
struct kma_known_row {
	struct kma_table *table;
	const char *label;
	u64 v[KMA_COUNT_NR];
};

static void kma_expect_known_row(struct kunit *test, const struct kma_known_row *known)
{
	struct kma_snapshot *snap = kma_open(test, known->table);
	const struct kma_site_counts *row = kma_row_labelled(snap, known->label);
	int i;

	KUNIT_ASSERT_NOT_NULL_MSG(test, row, "%s", known->label);
	for (i = 0; i < KMA_COUNT_NR; i++)
		KUNIT_EXPECT_EQ_MSG(test, kma_rows_site_value(snap, row, i), known->v[i],
				    "%s %s", known->label, known->table->columns[i].name);
}

static void kma_expect_known_rows(struct kunit *test, const struct kma_known_row *known,
				  int nr)
{
	int i;

	/* Or nothing would be confirmed. */
	kma_ftrace_hooks_start(true);
	kma_put_samples();
	for (i = 0; i < nr; i++)
		kma_expect_known_row(test, &known[i]);
}

/* Rows of one name are added up, exact ones among them. */
static void kma_report_estimates(struct kunit *test)
{
	static const struct kma_known_row known[] = {
		{
			&kma_table_callers, "kfree+0x1", {
				1088784, 16713, 16845, 1035622, 1103584, 196, 18928, 65,
				65, 65, 129, 8256, 1088784,
				6158, 15, 10,
				741543, 11586, 11586, 718029, 741576, 110, 8110, 63, 63,
				63, 90, 5792, 741543,
			},
		}, {
			&kma_table_callers, "vfree+0x1", {
				1048576, 1, 1, 1000000, 1048576, 0, 0, 0, 0, 0, 0, 0,
				1048576,
				4633, 1, 1,
			},
		}, {
			&kma_table_caches, "kmalloc-64", {
				1069344, 16709, 16839, 1010311, 1077665, 195, 12448, 65,
				65, 65, 129, 8256, 1069344,
				6250, 11, 7,
				741511, 11586, 11586, 717987, 741534, 110, 7094, 63, 63,
				63, 90, 5792, 741511,
			},
		},
	};

	kma_expect_known_rows(test, known, ARRAY_SIZE(known));
}

/* The outermost frame first; without a stack, the call site. */
static void kma_report_estimates_by_stack(struct kunit *test)
{
	static const struct kma_known_row known[] = {
		{
			&kma_table_stacks, "schedule+0x3;vfree+0x2;kfree+0x1", {
				20640, 323, 452, 27091, 28897, 194, 12384, 65, 65, 65,
				129, 8256, 20640,
				6250, 9, 5,
				9158, 143, 169, 10492, 10836, 110, 7094, 63, 63, 63, 90,
				5792, 9158,
			},
		}, {
			&kma_table_stacks, "schedule+0x3;kfree+0x1", {
				19439, 5, 6, 25312, 25919, 2, 6480, 0, 0, 0, 0, 0, 19439,
				2342, 4, 3,
				6807, 1, 1, 7767, 7860, 0, 3930, 0, 0, 0, 0, 0, 6807,
			},
		}, {
			&kma_table_stacks, "kfree+0x1", {
				1048640, 16385, 16385, 983100, 1048640, 0, 0, 0, 0, 0, 0,
				0, 1048640,
				6250, 2, 2,
				741455, 11585, 11585, 717910, 741455, 0, 0, 0, 0, 0, 0,
				0, 741455,
			},
		},
	};

	kma_expect_known_rows(test, known, ARRAY_SIZE(known));
	/* And the one that is certain; not what was recorded exactly. */
	KUNIT_EXPECT_EQ(test, kma_open(test, &kma_table_stacks)->nr_rows, 4);
}

/*
 * Each sample with a stack of its own: no row is rounded before they are added up, or
 * there would be 200 objects of 4 KiB, and no error.
 */
static void kma_report_adds_before_it_rounds(struct kunit *test)
{
	static const struct kma_known_row known = {
		&kma_table_callers, "kfree+0x1", {
			647978, 158, 158, 632791, 647978, 0, 0, 0, 0, 0, 0, 0, 647978,
			2344, 100, 100,
			39301, 9, 9, 38838, 39301, 0, 0, 0, 0, 0, 0, 0, 39301,
		},
	};
	struct kma_puts put = {
		{ (unsigned long)kfree + 1 }, 2, 12, 4096, 4000, 1, 0, 0,
	};
	int i;

	kma_ftrace_hooks_start(true);
	preempt_disable();
	for (i = 0; i < 100; i++) {
		put.frame[1] = (unsigned long)vfree + i;
		kma_put(&put, KMA_TEST_PTR + 4096 * i);
	}
	preempt_enable();
	kma_expect_known_row(test, &known);
}

/* 1000 w of each live object, to the nearest integer. */
static void kma_report_weighs_objects(struct kunit *test)
{
	static const struct {
		u64 weight;
		int nr;
	} known[] = {
		{ 8192500, 2 }, { 64501, 5 }, { 1582, 3 }, { 1000, 2 },
	};
	int column = kma_table_column(&kma_table_allocs, "weight");
	struct kma_snapshot *snap;
	u64 weight;
	size_t k;
	int i, nr;

	kma_put_samples();
	snap = kma_open(test, &kma_table_allocs);
	KUNIT_EXPECT_EQ(test, snap->nr_rows, 12);
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		for (k = 0, nr = 0; k < snap->nr_rows; k++) {
			weight = snap->table->value(snap, snap->rows +
						    k * snap->table->row_size, column);
			nr += weight == known[i].weight;
		}
		KUNIT_EXPECT_EQ_MSG(test, nr, known[i].nr, "%llu", known[i].weight);
	}
}

/*
 * Of all rows.  The variance of bytes_net is the sum of those of bytes_allocated,
 * bulk_bytes and bytes_freed; that of bytes_wasted is that of bytes_allocated less
 * that of bytes_requested.
 */
static void kma_report_sums_up_estimates(struct kunit *test)
{
	static const struct kma_keyval known[] = {
		{ "bytes_requested", KMA_FORMAT_U64, 2035622 },
		{ "bytes_requested_se", KMA_FORMAT_U64, 718029 },
		{ "bytes_allocated", KMA_FORMAT_U64, 2152160 },
		{ "bytes_allocated_se", KMA_FORMAT_U64, 741576 },
		{ "bytes_freed", KMA_FORMAT_U64, 18928 },
		{ "bytes_freed_se", KMA_FORMAT_U64, 8110 },
		{ "bytes_net", KMA_FORMAT_S64, 2141488 },
		{ "bytes_net_se", KMA_FORMAT_U64, 741643 },
		{ "bytes_wasted", KMA_FORMAT_U64, 116538 },
		{ "bytes_wasted_se", KMA_FORMAT_U64, 185387 },
		{ "frag_pct", KMA_FORMAT_MILLI, 5415 },
		{ "cross_node_allocs", KMA_FORMAT_U64, 65 },
		{ "cross_node_allocs_se", KMA_FORMAT_U64, 63 },
		{ "allocs", KMA_FORMAT_U64, 16846 },
		{ "allocs_se", KMA_FORMAT_U64, 11586 },
		{ "bulk_objs", KMA_FORMAT_U64, 129 },
		{ "bulk_objs_se", KMA_FORMAT_U64, 90 },
		{ "bulk_bytes", KMA_FORMAT_U64, 8256 },
		{ "bulk_bytes_se", KMA_FORMAT_U64, 5792 },
		{ "live_bytes", KMA_FORMAT_U64, 2137360 },
		{ "live_bytes_se", KMA_FORMAT_U64, 741543 },
		{ "confirmed_bytes", KMA_FORMAT_U64, 2137360 },
		{ "confirmed_bytes_se", KMA_FORMAT_U64, 741543 },
		{ "live_objs", KMA_FORMAT_U64, 16714 },
		{ "live_objs_se", KMA_FORMAT_U64, 11586 },
		{ "frees", KMA_FORMAT_U64, 196 },
		{ "frees_se", KMA_FORMAT_U64, 110 },
		{ "pingpong", KMA_FORMAT_U64, 65 },
		{ "pingpong_se", KMA_FORMAT_U64, 63 },
		{ "samples", KMA_FORMAT_U64, 16 },
		{ "live_samples", KMA_FORMAT_U64, 11 },
	};
	const struct kma_keyval *pair;
	int i;

	kma_ftrace_hooks_start(true);
	kma_put_samples();
	pair = kma_open(test, &kma_table_summary)->rows;
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		KUNIT_EXPECT_STREQ(test, pair[i].name, known[i].name);
		KUNIT_EXPECT_EQ_MSG(test, pair[i].format, known[i].format, "%s",
				    known[i].name);
		KUNIT_EXPECT_EQ_MSG(test, pair[i].value, known[i].value, "%s",
				    known[i].name);
	}
}

/* ---- reading -------------------------------------------------------------- */

/* Enough rows that no buffer has room for all. */
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
	const struct kma_event ev = {
		.site = (unsigned long)kfree + 1,
		.ptr = KMA_TEST_PTR + SZ_64K,
		.cache = SZ_1M,
		.kmalloc = true,
		.bytes_req = SZ_1M,
		.node = NUMA_NO_NODE,
	};
	struct file *file;
	char *whole;
	int table, i;

	kma_many_callers();
	/* So many times N that it is sampled: or `stacks` would have no row. */
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MIN);
	preempt_disable();
	kma_sample_forget(KMA_SAMPLE_OBJECTS);
	kma_stat_inc(alloc_unsampled);
	kma_record_sampled(&kma_core, &ev, ev.cache, false);
	preempt_enable();
	for (table = 0; table < kma_nr_tables; table++) {
		file = kma_file_open(test, &kma_table_fops, kma_tables[table]);
		whole = kma_file_text(test, file, 60000);
		/* What is not switched on has but its head. */
		KUNIT_EXPECT_GT(test, strlen(whole), kma_tables[table]->blocks ||
				kma_tables[table]->countmap ? 100 : 500);
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

/* What is read is what was when the file was opened. */
static void kma_report_does_not_change_while_it_is_read(struct kunit *test)
{
	struct file *file;
	char *before, *after;

	kma_many_callers();
	file = kma_file_open(test, &kma_table_fops, &kma_table_callers);
	before = kma_file_text(test, file, 100);
	kma_alloc((unsigned long)kfree + 1, KMA_TEST_PTR + SZ_64K, 64, 60);
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
	KUNIT_EXPECT_EQ(test, lines, 2 + 60);
}

static int kma_report_init_suite(struct kunit_suite *suite)
{
	return kma_cacheinfo_init();
}

/* As kma_engine_start(), but without events. */
static int kma_report_init_test(struct kunit *test)
{
	int ret;

	kma_stats_clear();
	kma_config = (struct kma_config){
		.live_max = 1000,
		.sites_max = KMA_SITES_MIN,
		.bulk = "auto",
	};
	ret = kma_core_init(&kma_core, kma_config.live_max, kma_config.sites_max,
			    kma_memhotplug_pfns());
	if (ret)
		return ret;
	ret = kma_symbol_start();
	if (ret)
		kma_core_destroy(&kma_core);
	return ret;
}

static void kma_report_exit_test(struct kunit *test)
{
	/* If the test did not come to that. */
	kma_ftrace_hooks_stop();
	/* Files and snapshots are closed after this: they need no table. */
	kma_symbol_stop();
	kma_core_destroy(&kma_core);
}

static struct kunit_case kma_report_cases[] = {
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
	KUNIT_CASE(kma_report_sorts_numbers_descending),
	KUNIT_CASE(kma_report_sorts_labels_ascending),
	KUNIT_CASE(kma_report_sorts_by_a_computed_column),
	KUNIT_CASE(kma_report_sorts_by_several_keys),
	KUNIT_CASE(kma_report_keeps_order_without_a_key),
	KUNIT_CASE(kma_report_sorts_allocs_oldest_first),
	KUNIT_CASE(kma_report_merges_rows_of_one_name),
	KUNIT_CASE(kma_report_counts_bulk_objects),
	KUNIT_CASE(kma_report_tells_what_is_confirmed),
	KUNIT_CASE(kma_report_merges_rows_of_retired_sites),
	KUNIT_CASE(kma_report_names_sizes_of_kmalloc),
	KUNIT_CASE(kma_report_takes_sizes_from_a_kmem_cache),
	KUNIT_CASE(kma_report_of_nothing_is_a_head),
	KUNIT_CASE(kma_report_prints_samples),
	KUNIT_CASE(kma_report_tells_samples_where_there_are),
	KUNIT_CASE(kma_report_estimates),
	KUNIT_CASE(kma_report_estimates_by_stack),
	KUNIT_CASE(kma_report_adds_before_it_rounds),
	KUNIT_CASE(kma_report_weighs_objects),
	KUNIT_CASE(kma_report_sums_up_estimates),
	KUNIT_CASE(kma_report_reads_the_same_in_any_step),
	KUNIT_CASE(kma_report_reads_from_any_position),
	KUNIT_CASE(kma_report_does_not_change_while_it_is_read),
	KUNIT_CASE(kma_report_has_one_line_a_record),
	{}
};

struct kunit_suite kma_report_suite = {
	.name = "kmemacct_report",
	.suite_init = kma_report_init_suite,
	.init = kma_report_init_test,
	.exit = kma_report_exit_test,
	.test_cases = kma_report_cases,
};
