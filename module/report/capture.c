// SPDX-License-Identifier: GPL-2.0
/* Tables as text in memory.  See capture.h. */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

#include "../baseline.h"
#include "../core/stat.h"
#include "../state.h"
#include "capture.h"
#include "charges.h"
#include "rows_site.h"
#include "tables.h"

/**
 * struct kma_captured - a table that is captured
 * @what: with which others
 * @table: the table
 * @rows: the most rows of it
 */
struct kma_captured {
	enum kma_capture what;
	const struct kma_table *table;
	u32 rows;
};

/* The most important tables come first. */
static const struct kma_captured kma_captured[] = {
	{ KMA_CAPTURE_NOW, &kma_table_callers, 100 },
	{ KMA_CAPTURE_NOW, &kma_table_stats, 400 },
	{ KMA_CAPTURE_NOW, &kma_table_stalls, 20 },
	{ KMA_CAPTURE_NOW, &kma_table_waits, 20 },
	{ KMA_CAPTURE_NOW, &kma_table_latency, 40 },
	{ KMA_CAPTURE_NOW, &kma_table_failures, 20 },
	{ KMA_CAPTURE_NOW, &kma_table_wakers, 10 },
	{ KMA_CAPTURE_NOW, &kma_table_slow, 10 },
	{ KMA_CAPTURE_NOW, &kma_table_gfp_flags, 64 },
	{ KMA_CAPTURE_PAST, &kma_table_marks, 80 },
	{ KMA_CAPTURE_PAST, &kma_table_history, 20 },
};

/* The most bytes by which the head is longer if it says that rows are missing. */
#define KMA_CAPTURE_CUT		24

/* Print the head and the rows.  Returns the number of rows that fit; -1 if the head does not. */
static int kma_capture_try(struct seq_file *seq, const struct kma_snapshot *snap)
{
	const size_t row_size = snap->table->ops->row_size;
	int i;

	kma_show_head(seq, snap);
	for (i = 0; !seq_has_overflowed(seq); i++) {
		if (i == snap->nr_rows)
			return i;
		kma_show_row(seq, snap, snap->rows + i * row_size);
		cond_resched();
	}
	return i - 1;
}

/* Print a table without the rows that do not fit. */
static void kma_capture_print(struct seq_file *seq, struct kma_snapshot *snap)
{
	const size_t begin = seq->count, size = seq->size;
	int rows;

	seq->size = size - min_t(size_t, KMA_CAPTURE_CUT, size - begin);
	rows = kma_capture_try(seq, snap);
	seq->size = size;
	if (rows == snap->nr_rows)
		return;
	seq->count = begin;
	if (rows < 0)
		return;
	snap->cut += snap->nr_rows - rows;
	snap->nr_rows = rows;
	kma_capture_try(seq, snap);
}

static void kma_capture_table(const struct kma_captured *c, struct seq_file *seq)
{
	struct kma_snapshot *snap = kma_snapshot_open(c->table, c->rows);

	if (IS_ERR(snap))
		return;
	kma_capture_print(seq, snap);
	kma_snapshot_close(snap);
}

/* Each table begins with an empty arena. */
static size_t kma_capture(enum kma_capture what, char *buf, size_t size)
{
	struct seq_file seq = { .buf = buf, .size = size };
	int i;

	for (i = 0; i < ARRAY_SIZE(kma_captured); i++) {
		if (kma_captured[i].what != what)
			continue;
		kma_arena_empty();
		kma_capture_table(&kma_captured[i], &seq);
	}
	return seq.count;
}

static u64 kma_capture_coverage(void)
{
	struct kma_stats stats;

	kma_stats_sum(&stats);
	kma_stats_since(&stats, &kma_baseline.stats);
	return kma_coverage_milli(stats.v);
}

const struct kma_incident_ops kma_capture_ops = {
	.capture = kma_capture,
	.growth = kma_rows_site_growth,
	.charges = kma_charges_sum,
	.coverage = kma_capture_coverage,
};
