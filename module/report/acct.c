// SPDX-License-Identifier: GPL-2.0
/*
 * `tasks` and `cgroups`: counters of events, by process and by cgroup of the default hierarchy.
 * `tasks` includes processes that have ended.
 */
#include <linux/math64.h>
#include <linux/time64.h>

#include "../trace/acct.h"
#include "rows_map.h"

/* The columns that both tables have; the two after them are in the @id of a row. */
enum {
#define X(name, ...) KMA_ACCT_COL_##name,
	KMA_ACCT_COLUMNS(X)
#undef X
	KMA_ACCT_COL_NR
};

static u64 kma_acct_value(const struct kma_snapshot *snap, const void *row, int column)
{
	static const u8 counter[KMA_ACCT_COL_NR] = {
		[KMA_ACCT_COL_alloc_pages] = KMA_ACCT_ALLOC_PAGES,
		[KMA_ACCT_COL_allocs] = KMA_ACCT_ALLOCS,
		[KMA_ACCT_COL_free_pages] = KMA_ACCT_FREE_PAGES,
		[KMA_ACCT_COL_frees] = KMA_ACCT_FREES,
		[KMA_ACCT_COL_batched] = KMA_ACCT_BATCHED,
		[KMA_ACCT_COL_zone_locked] = KMA_ACCT_ZONE_LOCKED,
		[KMA_ACCT_COL_refills] = KMA_ACCT_REFILLS,
		[KMA_ACCT_COL_drained] = KMA_ACCT_DRAINED,
		[KMA_ACCT_COL_drains] = KMA_ACCT_DRAINS,
		[KMA_ACCT_COL_fallbacks] = KMA_ACCT_FALLBACKS,
		[KMA_ACCT_COL_fragmenting] = KMA_ACCT_FRAGMENTING,
		[KMA_ACCT_COL_severe] = KMA_ACCT_SEVERE,
		[KMA_ACCT_COL_changed] = KMA_ACCT_CHANGED,
		[KMA_ACCT_COL_slab_hits] = KMA_ACCT_SLAB_HITS,
		[KMA_ACCT_COL_slab_bytes] = KMA_ACCT_SLAB_BYTES,
	};
	const struct kma_map_row *map_row = row;

	if (column >= KMA_ACCT_COL_NR)
		return map_row->id[column - KMA_ACCT_COL_NR];
	if (column == KMA_ACCT_COL_net_pages)
		return map_row->v[KMA_ACCT_ALLOC_PAGES] - map_row->v[KMA_ACCT_FREE_PAGES];
	if (column == KMA_ACCT_COL_stall_us)
		return div_u64(map_row->v[KMA_ACCT_STALL_NS], NSEC_PER_USEC);
	if (column == KMA_ACCT_COL_moderate)
		return map_row->v[KMA_ACCT_FRAGMENTING] - map_row->v[KMA_ACCT_SEVERE];
	return map_row->v[counter[column]];
}

static const char *kma_task_describe(struct kma_map_row *row,
				     const struct kma_countmap_info *info,
				     char buf[KMA_SYMBOL_LEN])
{
	row->id[0] = KMA_NO_ID;
	row->id[1] = KMA_NO_ID;
	if (!info)
		return "[other]";
	if (kma_acct_is_object(info)) {
		row->id[0] = info->key.word[0];
		row->id[1] = info->more;
	}
	kma_countmap_comm(info, buf);
	return buf[0] ? buf : "-";
}

static const char *kma_cgroup_describe(struct kma_map_row *row,
				       const struct kma_countmap_info *info,
				       char buf[KMA_SYMBOL_LEN])
{
	row->id[0] = KMA_NO_ID;
	if (!info)
		return "[other]";
	if (kma_acct_is_object(info))
		row->id[0] = info->key.word[0];
	return info->text;
}

const struct kma_table_ops kma_tasks_ops = {
	.row_size = sizeof(struct kma_map_row),
	.sort = { .key = { KMA_ACCT_COL_net_pages, KMA_ACCT_COL_allocs }, .nr = 2 },
	.countmap = KMA_COUNTMAP_TASKS,
	.fill = kma_rows_map_fill,
	.describe = kma_task_describe,
	.value = kma_acct_value,
	.label = kma_rows_map_label,
};

const struct kma_table_ops kma_cgroups_ops = {
	.row_size = sizeof(struct kma_map_row),
	.sort = { .key = { KMA_ACCT_COL_net_pages, KMA_ACCT_COL_allocs }, .nr = 2 },
	.countmap = KMA_COUNTMAP_CGROUPS,
	.fill = kma_rows_map_fill,
	.describe = kma_cgroup_describe,
	.value = kma_acct_value,
	.label = kma_rows_map_label,
};
