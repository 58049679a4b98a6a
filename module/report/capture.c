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
	{ KMA_CAPTURE_PAST, &kma_table_marks, 80 },
	{ KMA_CAPTURE_PAST, &kma_table_history, 20 },
};

/* The most bytes of the line that says how many rows had no room. */
#define KMA_CAPTURE_NOTE	48

/*
 * Print a table, up to the last row that fits, and how many do not.  A table whose head does not
 * fit is left out.
 */
static void kma_capture_print(struct seq_file *seq, struct kma_snapshot *snap)
{
	const size_t row_size = snap->table->ops->row_size, size = seq->size;
	size_t end = seq->count, i = 0;
	bool fits;

	seq->size = size - min_t(size_t, KMA_CAPTURE_NOTE, size - end);
	kma_show_head(seq, snap);
	while (!seq_has_overflowed(seq)) {
		end = seq->count;
		if (i == snap->nr_rows)
			break;
		kma_show_row(seq, snap, snap->rows + i++ * row_size);
		cond_resched();
	}
	fits = !seq_has_overflowed(seq);
	seq->count = end;
	seq->size = size;
	/* The row that did not fit is one of these. */
	if (!fits)
		seq_printf(seq, "# no room for %zu rows\n", snap->nr_rows - i + !!i);
}

static void kma_capture_table(const struct kma_captured *c, struct seq_file *seq)
{
	struct kma_snapshot *snap = kma_snapshot_open(c->table, c->rows);

	if (IS_ERR(snap)) {
		seq_printf(seq, "# no memory for %s\n", c->table->name);
		return;
	}
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
	return min(seq.count, size);
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
