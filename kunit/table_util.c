// SPDX-License-Identifier: GPL-2.0
/* Functions that the suites of the tables and of the commands share: see table_util.h. */
#include <linux/seq_file.h>
#include <linux/string.h>

#include "table_util.h"

/* Without kma_cacheinfo_init(), names and slot sizes of kmem_caches are not known. */
int kma_table_init_suite(struct kunit_suite *suite)
{
	return kma_cacheinfo_init();
}

int kma_table_init_test(struct kunit *test)
{
	int ret;

	kma_stats_clear();
	kma_config = (struct kma_config){
		.live_max = 1000,
		.sites_max = KMA_SITES_MIN,
		.bulk = true,
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

void kma_table_exit_test(struct kunit *test)
{
	/* In case the test failed before it stopped them. */
	kma_bulk_stop();
	/* Files and snapshots are closed later, but that needs no table. */
	kma_symbol_stop();
	kma_core_destroy(&kma_core);
}

static void kma_table_close(void *snap)
{
	kma_snapshot_close(snap);
}

struct kma_snapshot *kma_table_open(struct kunit *test, const struct kma_table *table)
{
	struct kma_snapshot *snap = kma_snapshot_open(table);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, snap);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, kma_table_close, snap), 0);
	return snap;
}

const struct kma_identity kma_test_identity = {
	.load_id = 0x00c0ffee12345678,
	.loaded_s = 1700000000,
	.release = "6.1.0-42-amd64",
	.resets = 2,
	.module_changes = 3,
};

struct kma_snapshot kma_snapshot_of(const struct kma_table *table, void *rows, size_t nr_rows)
{
	struct kma_snapshot snap = {
		.table = table,
		.rows = rows,
		.nr_rows = nr_rows,
		.max_rows = nr_rows,
		.since = "load",
		.identity = kma_test_identity,
		.window_ns = 12345 * NSEC_PER_MSEC + NSEC_PER_MSEC - 1,
	};

	return snap;
}

const char *kma_table_head(struct kunit *test, const struct kma_snapshot *snap)
{
	struct seq_file *seq = kma_seq_new(test);

	kma_show_head(seq, snap);
	return kma_seq_text(seq);
}

const char *kma_table_body(struct kunit *test, const struct kma_snapshot *snap)
{
	struct seq_file *seq = kma_seq_new(test);
	size_t i;

	for (i = 0; i < snap->nr_rows; i++)
		kma_show_row(seq, snap, snap->rows + i * snap->table->ops->row_size);
	return kma_seq_text(seq);
}

char *kma_table_text(struct kunit *test, const struct kma_table *table)
{
	return kma_file_text(test, kma_file_open(test, &kma_table_fops, table), PAGE_SIZE);
}

const struct kma_site_counts *kma_row_labelled(const struct kma_snapshot *snap,
					       const char *label)
{
	const struct kma_site_counts *row = snap->rows;
	size_t i;

	for (i = 0; i < snap->nr_rows; i++)
		if (!strcmp(row[i].label, label))
			return &row[i];
	return NULL;
}

/* The rows of a suite without samples do not write out the sum. */
static u64 kma_known_value(const struct kma_known_row *expect, int column)
{
	if (column != KMA_COUNT_objs_alloc || expect->v[column])
		return expect->v[column];
	return expect->v[KMA_COUNT_hits] + expect->v[KMA_COUNT_bulk_objs];
}

void kma_expect_known_row(struct kunit *test, const struct kma_known_row *expect,
			  const struct kma_snapshot *snap)
{
	const struct kma_site_counts *row = kma_row_labelled(snap, expect->label);
	int i;

	KUNIT_ASSERT_NOT_NULL_MSG(test, row, "%s: no row %s", snap->table->name,
				  expect->label);
	for (i = 0; i < KMA_COUNT_NR; i++)
		KUNIT_EXPECT_EQ_MSG(test, kma_rows_site_value(snap, row, i),
				    kma_known_value(expect, i),
				    "%s: %s of %s", snap->table->name,
				    snap->table->columns[i].name, expect->label);
}

void kma_expect_table(struct kunit *test, const struct kma_known_row *expect, size_t nr,
		      const struct kma_table *table)
{
	const struct kma_snapshot *snap = kma_table_open(test, table);
	size_t i;

	KUNIT_EXPECT_EQ_MSG(test, snap->nr_rows, nr, "rows of %s", table->name);
	for (i = 0; i < nr; i++)
		kma_expect_known_row(test, &expect[i], snap);
}

int kma_table_column(const struct kma_table *table, const char *name)
{
	int i;

	for (i = 0; i < table->nr_columns; i++)
		if (!strcmp(table->columns[i].name, name))
			return i;
	return -ENOENT;
}
