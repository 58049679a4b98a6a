// SPDX-License-Identifier: GPL-2.0
/* Rows of tables that are made from countmaps.  See rows_map.h. */
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "../state.h"
#include "rows_map.h"

static bool kma_map_row_empty(const struct kma_map_row *row)
{
	return !memchr_inv(row->v, 0, sizeof(row->v));
}

/*
 * Add up the counters of each row over all CPUs.  Rows with the same key are all added to the
 * first of them.
 */
static int kma_rows_map_sum(struct kma_snapshot *snap, const struct kma_countmap *t,
			    struct kma_countmap_sum *sum)
{
	int ret = 0;
	u32 id;

	for (id = 0; !ret && id < t->rows; id++) {
		if (id == KMA_COUNTMAP_OTHER || kma_countmap_info(t, id))
			kma_countmap_sum(t, id, &sum[id ? kma_countmap_first(t, id) : 0]);
		ret = kma_snapshot_pause(snap);
	}
	return ret;
}

int kma_rows_map_fill(struct kma_snapshot *snap)
{
	/* Protected by kma_lock, which is not dropped while a row is described. */
	static char buf[KMA_SYMBOL_LEN];
	const struct kma_table_ops *ops = snap->table->ops;
	struct kma_countmap *t = kma_countmap_locked(ops->countmap);
	struct kma_countmap_sum *sum;
	struct kma_map_row new, *row;
	const char *text;
	int ret;
	u32 id;

	if (!t)
		return kma_snapshot_room(snap, 0);
	snap->names = kma_names_new(NULL);
	if (!snap->names || kma_snapshot_room(snap, t->rows))
		return -ENOMEM;
	sum = kma_copy_alloc(t->rows, sizeof(*sum));
	if (!sum)
		return -ENOMEM;
	ret = kma_rows_map_sum(snap, t, sum);
	for (id = 0; !ret && id < t->rows; id++) {
		new = (struct kma_map_row) {};
		memcpy(new.v, sum[id].v, sizeof(new.v));
		if (kma_map_row_empty(&new))
			continue;
		text = ops->describe(&new, kma_countmap_info(t, id), buf);
		if (text != buf)
			strscpy(buf, text, sizeof(buf));
		kma_label_clean(buf);
		new.label = kma_names_add(snap->names, buf);
		row = kma_snapshot_add(snap);
		*row = new;
		ret = new.label ? kma_snapshot_pause(snap) : -ENOMEM;
	}
	kma_copy_free(sum);
	return ret;
}

static int kma_rows_map_compare(const void *a, const void *b, const void *unused)
{
	const struct kma_map_row *x = a, *y = b;

	cond_resched();
	return strcmp(x->label, y->label) ?: memcmp(x->id, y->id, sizeof(x->id));
}

void kma_rows_map_merge(struct kma_snapshot *snap)
{
	const u32 maxima = kma_countmap_maxima(snap->table->ops->countmap);
	struct kma_map_row *row = snap->rows;
	size_t i, nr = 0;

	sort_r(row, snap->nr_rows, sizeof(*row), kma_rows_map_compare, NULL, NULL);
	for (i = 0; i < snap->nr_rows; i++) {
		if (!nr || kma_rows_map_compare(&row[nr - 1], &row[i], NULL))
			row[nr++] = row[i];
		else
			kma_countmap_merge(maxima, &row[nr - 1].sum, &row[i].sum);
	}
	snap->nr_rows = nr;
}

const char *kma_rows_map_label(const struct kma_snapshot *snap, const void *row)
{
	return ((const struct kma_map_row *)row)->label;
}
