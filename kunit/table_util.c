// SPDX-License-Identifier: GPL-2.0
/* Functions that the suites of the tables and of the commands share: see table_util.h. */
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uio.h>

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
	ret = kma_caller_start();
	if (ret)
		goto core;
	ret = kma_symbol_start();
	if (!ret)
		return 0;
	kma_caller_stop();
core:
	kma_core_destroy(&kma_core);
	return ret;
}

void kma_table_exit_test(struct kunit *test)
{
	/* A test that has failed may not have stopped the hooks of bulk functions. */
	kma_bulk_stop();
	/* Files and snapshots are closed later, but that needs no table. */
	kma_symbol_stop();
	kma_caller_stop();
	kma_core_destroy(&kma_core);
}

/* ---- made-up events ------------------------------------------------------- */

void kma_record(const struct kma_event *ev)
{
	preempt_disable();
	kma_record_alloc(&kma_core, ev);
	preempt_enable();
}

void kma_sample(const struct kma_event *ev)
{
	preempt_disable();
	kma_stat_inc(alloc_unsampled);
	kma_record_sampled(&kma_core, ev, ev->cache, false);
	preempt_enable();
}

void kma_alloc(unsigned long site, unsigned long ptr, u32 size, u32 bytes_req)
{
	const struct kma_event ev = kma_test_event(site, ptr, size, bytes_req);

	kma_record(&ev);
}

void kma_bulk(unsigned long site, unsigned long ptr, u32 size)
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

void kma_free(unsigned long ptr)
{
	preempt_disable();
	kma_record_free(&kma_core, ptr, true);
	preempt_enable();
}

void kma_leave_stale(unsigned long ptr)
{
	kma_alloc(KMA_TEST_SITE, ptr, 64, 60);
	kma_record_pages_free(&kma_core, ptr, 0);
}

/* ---- files ---------------------------------------------------------------- */

#define KMA_TEXT_MAX	(64 << 10)

struct kma_file {
	struct inode inode;
	struct file file;
};

static void kma_file_close(void *data)
{
	struct kma_file *f = data;

	if (f->file.f_op->release)
		f->file.f_op->release(&f->inode, &f->file);
}

struct file *kma_file_open(struct kunit *test, const struct file_operations *fops,
			   const void *private)
{
	struct kma_file *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->inode.i_private = (void *)private;
	f->file.f_op = fops;
	KUNIT_ASSERT_EQ(test, fops->open(&f->inode, &f->file), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, kma_file_close, f), 0);
	return &f->file;
}

ssize_t kma_file_read(struct file *file, char *buf, size_t len, loff_t pos)
{
	struct kvec vec = { .iov_base = buf, .iov_len = len };
	struct iov_iter iter;
	struct kiocb kiocb;

	init_sync_kiocb(&kiocb, file);
	kiocb.ki_pos = pos;
	iov_iter_kvec(&iter, ITER_DEST, &vec, 1, len);
	return seq_read_iter(&kiocb, &iter);
}

char *kma_file_text(struct kunit *test, struct file *file, size_t step)
{
	char *text = kunit_kzalloc(test, KMA_TEXT_MAX, GFP_KERNEL);
	ssize_t len = 0, got;

	KUNIT_ASSERT_NOT_NULL(test, text);
	do {
		got = kma_file_read(file, text + len,
				    min_t(size_t, step, KMA_TEXT_MAX - 1 - len), len);
		len += max_t(ssize_t, got, 0);
	} while (got > 0);
	KUNIT_ASSERT_EQ(test, got, 0);
	KUNIT_ASSERT_LT(test, len, KMA_TEXT_MAX - 1);
	return text;
}

struct seq_file *kma_seq_new(struct kunit *test)
{
	struct seq_file *seq = kunit_kzalloc(test, sizeof(*seq), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, seq);
	seq->size = KMA_TEXT_MAX;
	seq->buf = kunit_kzalloc(test, seq->size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, seq->buf);
	return seq;
}

const char *kma_seq_text(struct seq_file *seq)
{
	seq->buf[seq->count] = '\0';
	seq->count = 0;
	return seq->buf;
}

/* ---- tables --------------------------------------------------------------- */

static void kma_table_close(void *snap)
{
	kma_snapshot_close(snap);
}

struct kma_snapshot *kma_table_open(struct kunit *test, const struct kma_table *table)
{
	struct kma_snapshot *snap = kma_snapshot_open(table, 0);

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
	int i;

	for (i = 0; i < KMA_WINDOWS; i++)
		snap.windows[i].index = -1;
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

struct kma_known_row kma_known(const char *label, u64 size, u64 live, u64 hits, u64 frees)
{
	return (struct kma_known_row) {
		.label = label,
		.v = {
			[KMA_COUNT_live_bytes] = size * live,
			[KMA_COUNT_live_objs] = live,
			[KMA_COUNT_hits] = hits,
			[KMA_COUNT_bytes_req] = size / 16 * 15 * hits,
			[KMA_COUNT_bytes_alloc] = size * hits,
			[KMA_COUNT_frees] = frees,
			[KMA_COUNT_bytes_freed] = size * frees,
			[KMA_COUNT_frag_pct] = hits ? 6250 : 0,
		},
	};
}

void kma_known_add(struct kma_known_row *sum, const struct kma_known_row *more)
{
	int i;

	for (i = 0; i < KMA_COUNT_NR; i++)
		if (i != KMA_COUNT_frag_pct)
			sum->v[i] += more->v[i];
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

/*
 * If @expect omits objs_alloc, compute it: without samples, it is the sum of two other columns.
 * Changes are unknown, because tests of counters take less than a minute.
 */
static u64 kma_known_value(const struct kma_known_row *expect, int column)
{
	if ((column >= KMA_COUNT_CHANGES && column < KMA_COUNT_ERRORS) ||
	    column >= KMA_COUNT_CHANGES_ERRORS)
		return KMA_UNKNOWN;
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

/* ---- commands ------------------------------------------------------------- */

/* No probe is attached, so recording is off and there is no budget. */
static int kma_control_begin(void)
{
	static const char *const text[KMA_SETTING_NR] = {
		[KMA_SETTING_enabled] = "0",
		[KMA_SETTING_budget_pct] = "0",
	};

	kma_baseline_start();
	return kma_settings_start(text);
}

int kma_control_init_test(struct kunit *test)
{
	return kma_table_init_test(test) ?: kma_control_begin();
}

void kma_control_exit_test(struct kunit *test)
{
	kma_settings_stop();
	kma_baseline_stop();
	kma_table_exit_test(test);
}

int kma_control_command(struct kunit *test, const char *command)
{
	char *line = kunit_kzalloc(test, KMA_CONTROL_MAX + 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, line);
	KUNIT_ASSERT_LE(test, strlen(command), KMA_CONTROL_MAX);
	strscpy(line, command, KMA_CONTROL_MAX + 1);
	return kma_control_run(line);
}

char *kma_control_text(struct kunit *test)
{
	return kma_file_text(test, kma_file_open(test, &kma_control_fops, NULL),
			     PAGE_SIZE);
}

const char *kma_control_last_error(struct kunit *test)
{
	char *error = strstr(kma_control_text(test), "last_error ");

	KUNIT_ASSERT_NOT_NULL(test, error);
	*strchr(error, '\n') = '\0';
	return error + strlen("last_error ");
}

void kma_expect_refused(struct kunit *test, const char *command, const char *why)
{
	char *before, *after;

	KUNIT_EXPECT_EQ(test, kma_control_command(test, "enabled 0"), 0);
	before = kma_control_text(test);
	KUNIT_EXPECT_EQ_MSG(test, kma_control_command(test, command), -EINVAL, "'%s'", command);
	after = kma_control_text(test);
	KUNIT_EXPECT_STREQ(test, kma_control_last_error(test), why);

	/* Only the line last_error differs, and it is still one line. */
	*strstr(before, "last_error") = '\0';
	KUNIT_EXPECT_TRUE(test, strstarts(after, before));
	KUNIT_EXPECT_PTR_EQ(test, strchr(after + strlen(before), '\n'),
			    after + strlen(after) - 1);
	KUNIT_EXPECT_NULL(test, kma_baseline.row);
}
