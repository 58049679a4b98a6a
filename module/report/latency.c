// SPDX-License-Identifier: GPL-2.0
/* `latency`: how long the phases of reclaim and compaction took, by who waited. */
#include <linux/kernel.h>

#include "../core/stall.h"
#include "rows_map.h"
#include "times.h"

enum {
#define X(name, ...) KMA_LATENCY_COL_##name,
	KMA_LATENCY_COLUMNS(X)
#undef X
};

static u64 kma_latency_value(const struct kma_snapshot *snap, const void *row, int column)
{
	const u64 *v = ((const struct kma_map_row *)row)->v;

	if (column < KMA_LATENCY_COL_scanned)
		return kma_times_value(v, column);
	if (column == KMA_LATENCY_COL_scanned)
		return v[KMA_LATENCY_SCANNED];
	if (column == KMA_LATENCY_COL_reclaimed)
		return v[KMA_LATENCY_RECLAIMED];
	return v[KMA_LATENCY_BUCKET + column - KMA_LATENCY_COL_us_1];
}

static const char *kma_latency_describe(struct kma_map_row *row,
					const struct kma_countmap_info *info,
					char buf[KMA_SYMBOL_LEN])
{
	if (!info)
		return "[other]";
	snprintf(buf, KMA_SYMBOL_LEN, "%s:%s", kma_stall_origin_text(info->key.word[1]),
		 kma_phase_text(info->key.word[0]));
	return buf;
}

const struct kma_table_ops kma_latency_ops = {
	.row_size = sizeof(struct kma_map_row),
	.sort = { .key = { KMA_LATENCY_COL_total_us, KMA_LATENCY_COL_count }, .nr = 2 },
	.countmap = KMA_COUNTMAP_LATENCY,
	.fill = kma_rows_map_fill,
	.describe = kma_latency_describe,
	.merge = kma_rows_map_merge,
	.value = kma_latency_value,
	.label = kma_rows_map_label,
};
