// SPDX-License-Identifier: GPL-2.0
/* `orders`: page allocations by order and migrate type; exact even while they are sampled. */
#include <linux/mm.h>

#include "../compat.h"
#include "../state.h"
#include "../trace/page_track.h"
#include "rows_page.h"

enum {
#define X(name, ...) KMA_ORDER_##name,
	KMA_ORDERS_COLUMNS(X)
#undef X
};

static_assert(KMA_ORDER_bulk_allocs - KMA_ORDER_live_kb == (int)KMA_ROWS_PAGE_bulk_allocs);

#define KMA_ORDER_ROWS	(KMA_ORDER_MAX + 1)

static u64 kma_order_value(const struct kma_snapshot *snap, const void *row, int column)
{
	const struct kma_page_counts *counts = row;

	if (column == KMA_ORDER_order)
		return kma_class_order(counts->class);
	if (column == KMA_ORDER_migratetype)
		return kma_class_type(counts->class);
	if (column == KMA_ORDER_failed)
		return counts->failed;
	return counts->v[column - KMA_ORDER_live_kb];
}

static void kma_orders_add(struct kma_page_counts *all, const struct kma_page_counts *counts)
{
	const unsigned int order = kma_class_order(counts->class);
	const unsigned int type = kma_class_type(counts->class);

	if (order < KMA_ORDER_ROWS && type < MIGRATE_TYPES)
		kma_rows_page_add(&all[order * MIGRATE_TYPES + type], counts);
}

static int kma_orders_add_failed(struct kma_snapshot *snap)
{
	const struct kma_countmap *t = kma_countmap_locked(KMA_COUNTMAP_FAILURES);
	struct kma_page_counts counts;
	int ret = 0;
	u32 id;

	for (id = 0; !ret && t && id < t->rows; id++) {
		if (kma_rows_page_failed(t, id, &counts))
			kma_orders_add(snap->rows, &counts);
		ret = kma_snapshot_pause(snap);
	}
	return ret;
}

/* Each order and migrate type has a row, even if it has counted nothing. */
static int kma_orders_fill(struct kma_snapshot *snap)
{
	struct kma_page_counts counts, *row;
	struct kma_page_raw raw;
	int ret = 0;
	u32 i;

	if (!kma_pages_tracked())
		return kma_snapshot_room(snap, 0);
	if (kma_snapshot_room(snap, KMA_ORDER_ROWS * MIGRATE_TYPES))
		return -ENOMEM;
	for (i = 0; i < KMA_ORDER_ROWS * MIGRATE_TYPES; i++) {
		row = kma_snapshot_add(snap);
		row->class = kma_class(i / MIGRATE_TYPES, i % MIGRATE_TYPES, 0);
	}
	for (i = 0; !ret && i < kma_rows_page_nr(); i++) {
		if (kma_rows_page_raw(i, &raw) && kma_rows_page_exact(&raw)) {
			kma_rows_page_counts(&raw, &counts);
			kma_orders_add(snap->rows, &counts);
		}
		ret = kma_snapshot_pause(snap);
	}
	return ret ?: kma_orders_add_failed(snap);
}

const struct kma_table_ops kma_orders_ops = {
	.row_size = sizeof(struct kma_page_counts),
	.pages = true,
	.fill = kma_orders_fill,
	.value = kma_order_value,
};
