// SPDX-License-Identifier: GPL-2.0
/* `stalls`: what allocations waited for, and how long, by call site. */
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "../trace/phase.h"
#include "causes.h"
#include "rows_map.h"

enum {
#define X(name, ...) KMA_STALLS_COL_##name,
	KMA_STALLS_COLUMNS(X)
#undef X
};

static u64 kma_stalls_value(const struct kma_snapshot *snap, const void *row, int column)
{
	const struct kma_map_row *map_row = row;
	const u64 *v = map_row->v;

	switch (column) {
	case KMA_STALLS_COL_total_us:
		return div_u64(v[KMA_STALLED_TOTAL_NS], NSEC_PER_USEC);
	case KMA_STALLS_COL_count:
		return v[KMA_STALLED_COUNT];
	case KMA_STALLS_COL_mean_us:
		return kma_mean(v[KMA_STALLED_TOTAL_NS], v[KMA_STALLED_COUNT]);
	case KMA_STALLS_COL_max_us:
		return div_u64(v[KMA_STALLED_MAX_NS], NSEC_PER_USEC);
	}
	return map_row->id[column - KMA_STALLS_COL_order];
}

static const char *kma_stalls_describe(struct kma_map_row *row,
				       const struct kma_countmap_info *info,
				       char buf[KMA_SYMBOL_LEN])
{
	u64 what;
	size_t len;

	row->id[0] = KMA_NO_ID;
	if (!info)
		return "[other]";
	what = info->key.word[KMA_STALL_WHAT];
	if ((s8)(what >> 32) != KMA_ORDER_NONE)
		row->id[0] = (u8)(what >> 32);
	row->id[1] = (u32)what;
	if (info->retired)
		strscpy(buf, info->text, KMA_SYMBOL_LEN);
	else
		kma_symbol_print(info->key.word[KMA_STALL_SITE], buf);
	len = strlen(buf);
	if (len + 1 < KMA_SYMBOL_LEN) {
		buf[len++] = ';';
		kma_cause_print(what >> 40, info->key.word[KMA_STALL_DETAIL], buf + len,
				KMA_SYMBOL_LEN - len);
	}
	return buf;
}

const struct kma_table_ops kma_stalls_ops = {
	.row_size = sizeof(struct kma_map_row),
	.sort = { .key = { KMA_STALLS_COL_total_us, KMA_STALLS_COL_count }, .nr = 2 },
	.countmap = KMA_COUNTMAP_STALLS,
	.fill = kma_rows_map_fill,
	.describe = kma_stalls_describe,
	.merge = kma_rows_map_merge,
	.value = kma_stalls_value,
	.label = kma_rows_map_label,
};
