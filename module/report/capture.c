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

/* The most important tables come first.  The incident itself is the first row of `incidents`. */
static const struct kma_captured kma_captured[] = {
	{ KMA_CAPTURE_NOW, &kma_table_incidents, 1 },
	{ KMA_CAPTURE_NOW, &kma_table_callers, 100 },
	{ KMA_CAPTURE_NOW, &kma_table_stats, 400 },
	{ KMA_CAPTURE_NOW, &kma_table_stalls, 20 },
	{ KMA_CAPTURE_NOW, &kma_table_waits, 20 },
	{ KMA_CAPTURE_NOW, &kma_table_latency, 40 },
	{ KMA_CAPTURE_NOW, &kma_table_failures, 20 },
	{ KMA_CAPTURE_NOW, &kma_table_wakers, 10 },
	{ KMA_CAPTURE_NOW, &kma_table_slow, 10 },
	{ KMA_CAPTURE_PAST, &kma_table_marks, 80 },
	{ KMA_CAPTURE_PAST, &kma_table_history, 20 },
};

/* Print a table.  Returns false if it does not fit. */
static bool kma_capture_table(const struct kma_captured *c, struct seq_file *seq)
{
	struct kma_snapshot *snap = kma_snapshot_open(c->table, c->rows);
	const size_t row_size = c->table->ops->row_size;
	const size_t begin = seq->count;
	size_t i;

	if (IS_ERR(snap))
		return true;
	kma_show_head(seq, snap);
	for (i = 0; i < snap->nr_rows; i++) {
		kma_show_row(seq, snap, snap->rows + i * row_size);
		cond_resched();
	}
	kma_snapshot_close(snap);
	if (!seq_has_overflowed(seq))
		return true;
	seq->count = begin;
	return false;
}

/* Each table begins with an empty arena. */
static size_t kma_capture(enum kma_capture what, char *buf, size_t size)
{
	struct seq_file seq = { .buf = buf, .size = size };
	bool fits = true;
	int i;

	for (i = 0; fits && i < ARRAY_SIZE(kma_captured); i++) {
		if (kma_captured[i].what != what)
			continue;
		kma_arena_empty();
		fits = kma_capture_table(&kma_captured[i], &seq);
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
	.coverage = kma_capture_coverage,
};
