// SPDX-License-Identifier: GPL-2.0
/* `waits`: how long allocations waited, by who waited, call site and order. */
#include <linux/kernel.h>
#include <linux/string.h>

#include "../trace/phase.h"
#include "rows_map.h"
#include "times.h"

enum {
#define X(name, ...) KMA_WAITS_COL_##name,
	KMA_WAITS_COLUMNS(X)
#undef X
};

static u64 kma_waits_value(const struct kma_snapshot *snap, const void *row, int column)
{
	const struct kma_map_row *map_row = row;

	if (column == KMA_WAITS_COL_order)
		return map_row->id[0];
	if (column < KMA_WAITS_COL_us_1)
		return kma_times_value(map_row->v, column);
	return map_row->v[KMA_LATENCY_BUCKET + column - KMA_WAITS_COL_us_1];
}

static const char *kma_waits_describe(struct kma_map_row *row, const struct kma_countmap_info *info,
				      char buf[KMA_SYMBOL_LEN])
{
	/* Protected by kma_lock. */
	static char site[KMA_SYMBOL_LEN];
	u64 what;

	row->id[0] = KMA_NO_ID;
	if (!info)
		return "[other]";
	what = info->key.word[KMA_WAIT_WHAT];
	if ((s8)what != KMA_ORDER_NONE)
		row->id[0] = (u8)what;
	if (!info->retired)
		kma_symbol_print(info->key.word[KMA_WAIT_SITE], site);
	scnprintf(buf, KMA_SYMBOL_LEN, "%s;%s", kma_stall_origin_text(what >> 8),
		  info->retired ? info->text : site);
	return buf;
}

const struct kma_table_ops kma_waits_ops = {
	.row_size = sizeof(struct kma_map_row),
	.sort = { .key = { KMA_WAITS_COL_total_us, KMA_WAITS_COL_count }, .nr = 2 },
	.countmap = KMA_COUNTMAP_WAITS,
	.fill = kma_rows_map_fill,
	.describe = kma_waits_describe,
	.merge = kma_rows_map_merge,
	.value = kma_waits_value,
	.label = kma_rows_map_label,
};
