// SPDX-License-Identifier: GPL-2.0
/* Parts of tables: requests, and the rows of the answers. */
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../module/report/query.h"
#include "table_util.h"

/* Parse a request.  The result is freed when the test ends, unless a snapshot takes it. */
static int kma_query_of(const char *text, struct kma_query *query)
{
	char line[KMA_CONTROL_MAX + 1];
	int ret;

	strscpy(line, text, sizeof(line));
	kma_lock_take(KMA_LOCK_COMMAND);
	ret = kma_query_parse(line, query);
	kma_lock_release();
	return ret;
}

static void kma_query_snap_close(void *snap)
{
	kma_snapshot_close(snap);
}

static struct kma_snapshot *kma_answer(struct kunit *test, const char *text)
{
	struct kma_query *query = kzalloc(sizeof(*query), GFP_KERNEL);
	struct kma_snapshot *snap;

	KUNIT_ASSERT_NOT_NULL(test, query);
	KUNIT_ASSERT_EQ_MSG(test, kma_query_of(text, query), 0, "%s", text);
	snap = kma_snapshot_query(query);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, snap);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, kma_query_snap_close, snap), 0);
	return snap;
}

/* ---- requests ------------------------------------------------------------- */

static void kma_query_takes_requests(struct kunit *test)
{
	struct kma_query q;

	KUNIT_EXPECT_EQ(test, kma_query_of("callers", &q), 0);
	KUNIT_EXPECT_PTR_EQ(test, q.table, &kma_table_callers);
	KUNIT_EXPECT_EQ(test, q.sort.nr, 1);
	KUNIT_EXPECT_EQ(test, q.sort.key[0], KMA_COUNT_live_bytes);
	KUNIT_EXPECT_EQ(test, q.top, 0);

	KUNIT_EXPECT_EQ(test, kma_query_of(" caches  top=7 sort=hits,cache min=4K\n", &q), 0);
	KUNIT_EXPECT_PTR_EQ(test, q.table, &kma_table_caches);
	KUNIT_EXPECT_EQ(test, q.top, 7);
	KUNIT_EXPECT_EQ(test, q.min, 4096);
	KUNIT_EXPECT_EQ(test, q.sort.nr, 2);
	KUNIT_EXPECT_EQ(test, q.sort.key[0], KMA_COUNT_hits);
	KUNIT_EXPECT_STREQ(test, q.match, "");

	/* The pattern is the rest of the line. */
	KUNIT_EXPECT_EQ(test, kma_query_of("callers top=1 match=*+0x? [ext4] top=2", &q), 0);
	KUNIT_EXPECT_STREQ(test, q.match, "*+0x? [ext4] top=2");
	KUNIT_EXPECT_EQ(test, q.top, 1);
}

static void kma_query_refuses_requests(struct kunit *test)
{
	static const struct {
		const char *text;
		const char *why;
	} known[] = {
		{ "", "no table ''" },
		{ "nothing", "no table 'nothing'" },
		{ "control", "no table 'control'" },
		{ "callers 5", "unknown word '5': use sort=, top=, min= or match=" },
		{ "callers top", "unknown word 'top': use sort=, top=, min= or match=" },
		{ "callers top=0", "top takes a number of rows, 1 or more, not '0'" },
		{ "callers top=-1", "top takes a number, not '-1'" },
		{ "callers top=", "top takes a number, not ''" },
		{ "callers min=1x", "min takes a number, not '1x'" },
		{ "callers sort=nokey", "callers has no sort key 'nokey'" },
		{ "callers sort=", "callers has no sort key ''" },
		{ "allocs sort=ptr", "allocs has no sort key 'ptr'" },
		{ "callers sort=hits,hits,hits,hits,hits", "sort takes at most 4 keys" },
		{ "callers sort=site min=1", "min needs a first sort key that is a number" },
		{ "callers match=", "match takes a pattern without [!...], not ''" },
		{ "callers match=[!a]*", "match takes a pattern without [!...], not '[!a]*'" },
		{ "stats top=1", "stats has no order: omit top and min" },
		{ "pcpu match=*", "pcpu has no label: omit match" },
	};
	struct kma_query q;
	int i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		KUNIT_EXPECT_EQ_MSG(test, kma_query_of(known[i].text, &q), -EINVAL, "'%s'",
				    known[i].text);
		kma_lock_take(KMA_LOCK_COMMAND);
		KUNIT_EXPECT_STREQ(test, kma_error_last(), known[i].why);
		kma_lock_release();
	}
}

/* ---- answers -------------------------------------------------------------- */

/* Two rows for each of these fit into the smallest table. */
#define KMA_MANY	25

/* Objects of KMA_MANY call sites: each number from 1 to KMA_MANY once, of two caches. */
static void kma_many_sites(void)
{
	unsigned long ptr = KMA_TEST_PTR;
	int site, i;

	for (site = 0; site < KMA_MANY; site++)
		for (i = 0; i <= site * 7 % KMA_MANY; i++, ptr += 128)
			kma_alloc((unsigned long)kfree + 1 + site, ptr, i % 2 ? 64 : 128, 60);
}

/* The answer to `top` is the beginning of the whole table, whatever the number of rows. */
static void kma_query_top_is_the_beginning(struct kunit *test)
{
	static const char *const orders[] = { "live_bytes", "hits", "bytes_req", "frag_pct,site" };
	struct kma_snapshot *whole, *some;
	const struct kma_site_counts *a, *b;
	char text[64];
	int k, top, i;

	kma_many_sites();
	for (k = 0; k < ARRAY_SIZE(orders); k++) {
		snprintf(text, sizeof(text), "callers sort=%s", orders[k]);
		whole = kma_answer(test, text);
		KUNIT_ASSERT_EQ(test, whole->nr_rows, KMA_MANY);
		for (top = 1; top < KMA_MANY + 5; top += 4) {
			snprintf(text, sizeof(text), "callers sort=%s top=%d", orders[k], top);
			some = kma_answer(test, text);
			KUNIT_EXPECT_EQ(test, some->matched, KMA_MANY);
			KUNIT_EXPECT_EQ(test, some->nr_rows, min(top, KMA_MANY));
			KUNIT_EXPECT_EQ(test, some->top_only, !strchr(orders[k], ','));
			a = whole->rows;
			b = some->rows;
			for (i = 0; i < some->nr_rows; i++) {
				KUNIT_EXPECT_STREQ(test, a[i].label, b[i].label);
				KUNIT_EXPECT_MEMEQ(test, a[i].v, b[i].v, sizeof(a[i].v));
			}
		}
	}
}

static void kma_query_leaves_out_small_rows(struct kunit *test)
{
	struct kma_snapshot *whole, *top;
	const struct kma_site_counts *row;
	size_t i;

	kma_many_sites();
	whole = kma_answer(test, "callers sort=hits min=16");
	KUNIT_EXPECT_EQ(test, whole->matched, 10);
	KUNIT_EXPECT_EQ(test, whole->nr_rows, 10);
	row = whole->rows;
	for (i = 0; i < whole->nr_rows; i++)
		KUNIT_EXPECT_EQ(test, row[i].v[KMA_COUNT_hits], KMA_MANY - i);
	top = kma_answer(test, "callers sort=hits min=16 top=3");
	KUNIT_EXPECT_TRUE(test, top->top_only);
	KUNIT_EXPECT_EQ(test, top->matched, 10);
	KUNIT_EXPECT_EQ(test, top->nr_rows, 3);
	/* Thousandths are compared in whole units. */
	KUNIT_EXPECT_GT(test, kma_answer(test, "callers sort=frag_pct min=1")->matched, 0);
	KUNIT_EXPECT_EQ(test, kma_answer(test, "callers sort=frag_pct min=101")->matched, 0);
}

static void kma_query_matches_labels(struct kunit *test)
{
	const struct kma_site_counts *row;
	struct kma_snapshot *snap;
	size_t i;

	kma_many_sites();
	snap = kma_answer(test, "callers top=5 match=kfree+0x1?");
	/* From kfree+0x10 to kfree+0x19 */
	KUNIT_EXPECT_EQ(test, snap->matched, 10);
	KUNIT_EXPECT_EQ(test, snap->nr_rows, 5);
	row = snap->rows;
	for (i = 0; i < snap->nr_rows; i++)
		KUNIT_EXPECT_TRUE(test, strstarts(row[i].label, "kfree+0x1"));
	KUNIT_EXPECT_EQ(test, kma_answer(test, "callers match=kfree+0x1?")->nr_rows, 10);
	KUNIT_EXPECT_EQ(test, kma_answer(test, "callers match=absent")->nr_rows, 0);
	KUNIT_EXPECT_EQ(test, kma_answer(test, "caches match=kmalloc-64")->nr_rows, 1);
}

/* All tables can be asked for, and the head says what was asked. */
static void kma_query_answers_for_all_tables(struct kunit *test)
{
	struct kma_snapshot *snap;
	int i;

	kma_many_sites();
	for (i = 0; i < kma_nr_tables; i++) {
		snap = kma_answer(test, kma_tables[i]->name);
		KUNIT_EXPECT_EQ(test, snap->matched, snap->nr_rows);
		KUNIT_EXPECT_NOT_NULL(test, strstr(kma_table_head(test, snap), " matched="));
	}
	snap = kma_table_open(test, &kma_table_callers);
	KUNIT_EXPECT_NULL(test, strstr(kma_table_head(test, snap), " matched="));
}

/* Before the first request, the file is empty. */
static void kma_query_is_empty_at_first(struct kunit *test)
{
	struct file *file = kma_file_open(test, &kma_query_fops, NULL);

	KUNIT_EXPECT_STREQ(test, kma_file_text(test, file, 100), "");
}

static struct kunit_case kma_report_query_cases[] = {
	KUNIT_CASE(kma_query_takes_requests),
	KUNIT_CASE(kma_query_refuses_requests),
	KUNIT_CASE(kma_query_top_is_the_beginning),
	KUNIT_CASE(kma_query_leaves_out_small_rows),
	KUNIT_CASE(kma_query_matches_labels),
	KUNIT_CASE(kma_query_answers_for_all_tables),
	KUNIT_CASE(kma_query_is_empty_at_first),
	{}
};

struct kunit_suite kma_report_query_suite = {
	.name = "kmemacct_report_query",
	.suite_init = kma_table_init_suite,
	.init = kma_table_init_test,
	.exit = kma_table_exit_test,
	.test_cases = kma_report_query_cases,
};
