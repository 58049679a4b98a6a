// SPDX-License-Identifier: GPL-2.0
/* `extfrag`: allocations of pages that took pages of another migrate type (fallbacks). */
#include "../trace/pcp.h"
#include "rows_map.h"

enum {
#define X(name, ...) KMA_EXTFRAG_##name,
	KMA_EXTFRAG_COLUMNS(X)
#undef X
};

static u64 kma_extfrag_value(const struct kma_snapshot *snap, const void *row, int column)
{
	const struct kma_map_row *map_row = row;

	switch (column) {
	case KMA_EXTFRAG_fallbacks:
		return map_row->v[KMA_FALLBACK_ALL];
	case KMA_EXTFRAG_fragmenting:
		return map_row->v[KMA_FALLBACK_FRAGMENTING];
	case KMA_EXTFRAG_severe:
		return map_row->v[KMA_FALLBACK_SEVERE];
	case KMA_EXTFRAG_moderate:
		return map_row->v[KMA_FALLBACK_FRAGMENTING] - map_row->v[KMA_FALLBACK_SEVERE];
	case KMA_EXTFRAG_changed:
		return map_row->v[KMA_FALLBACK_CHANGED];
	}
	return (u8)(map_row->id[0] >> 8 * (column - KMA_EXTFRAG_alloc_order));
}

static const char *kma_fallback_describe(struct kma_map_row *row,
					 const struct kma_countmap_info *info,
					 char buf[KMA_SYMBOL_LEN])
{
	/* [other] gets orders and types that do not exist. */
	row->id[0] = info ? info->key.word[KMA_FALLBACK_KEY] : U32_MAX;
	if (!info)
		return "[other]";
	if (info->retired)
		return info->text;
	kma_symbol_print(info->key.word[KMA_FALLBACK_SITE], buf);
	return buf;
}

const struct kma_table_ops kma_extfrag_ops = {
	.row_size = sizeof(struct kma_map_row),
	.sort = { .key = { KMA_EXTFRAG_fallbacks, KMA_EXTFRAG_site }, .nr = 2 },
	.pages = true,
	.countmap = KMA_COUNTMAP_EXTFRAG,
	.fill = kma_rows_map_fill,
	.describe = kma_fallback_describe,
	.merge = kma_rows_map_merge,
	.value = kma_extfrag_value,
	.label = kma_rows_map_label,
};
