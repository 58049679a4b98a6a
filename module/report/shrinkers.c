// SPDX-License-Identifier: GPL-2.0
/* `shrinkers`: how often each shrinker was called, how long it took, and what it freed. */
#include <linux/math64.h>
#include <linux/time64.h>

#include "../core/stall.h"
#include "../resolve/shrinker.h"
#include "rows_map.h"

enum {
#define X(name, ...) KMA_SHRINKERS_COL_##name,
	KMA_SHRINKERS_COLUMNS(X)
#undef X
};

static u64 kma_shrinkers_value(const struct kma_snapshot *snap, const void *row, int column)
{
	const u64 *v = ((const struct kma_map_row *)row)->v;

	switch (column) {
	case KMA_SHRINKERS_COL_calls:
		return v[KMA_SHRINKER_CALLS];
	case KMA_SHRINKERS_COL_total_us:
		return div_u64(v[KMA_SHRINKER_TOTAL_NS], NSEC_PER_USEC);
	case KMA_SHRINKERS_COL_mean_us:
		return kma_mean(v[KMA_SHRINKER_TOTAL_NS], v[KMA_SHRINKER_CALLS]);
	case KMA_SHRINKERS_COL_max_us:
		return div_u64(v[KMA_SHRINKER_MAX_NS], NSEC_PER_USEC);
	case KMA_SHRINKERS_COL_waited_us:
		return div_u64(v[KMA_SHRINKER_WAITED_NS], NSEC_PER_USEC);
	case KMA_SHRINKERS_COL_scanned:
		return v[KMA_SHRINKER_SCANNED];
	case KMA_SHRINKERS_COL_freed:
		return v[KMA_SHRINKER_FREED];
	case KMA_SHRINKERS_COL_counts:
		return v[KMA_SHRINKER_COUNTS];
	}
	return div_u64(v[KMA_SHRINKER_COUNT_NS], NSEC_PER_USEC);
}

static const char *kma_shrinkers_describe(struct kma_map_row *row,
					  const struct kma_countmap_info *info,
					  char buf[KMA_SYMBOL_LEN])
{
	const struct kma_countmap *t = kma_countmap_locked(KMA_COUNTMAP_SHRINKERS);

	kma_shrinker_name(t, info ? info - t->info : KMA_COUNTMAP_OTHER, buf, KMA_SYMBOL_LEN);
	return buf;
}

const struct kma_table_ops kma_shrinkers_ops = {
	.row_size = sizeof(struct kma_map_row),
	.sort = { .key = { KMA_SHRINKERS_COL_total_us, KMA_SHRINKERS_COL_calls }, .nr = 2 },
	.countmap = KMA_COUNTMAP_SHRINKERS,
	.fill = kma_rows_map_fill,
	.describe = kma_shrinkers_describe,
	.merge = kma_rows_map_merge,
	.value = kma_shrinkers_value,
	.label = kma_rows_map_label,
};
