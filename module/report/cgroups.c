// SPDX-License-Identifier: GPL-2.0
/* `cgroups`: counters of events, by cgroup of the default hierarchy. */
#include "../trace/acct.h"
#include "rows_acct.h"

static const struct kma_column kma_cgroups_columns[] = {
	KMA_CGROUPS_COLUMNS(KMA_COLUMN)
};

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

static int kma_cgroups_fill(struct kma_snapshot *snap)
{
	return kma_rows_map_fill(snap, kma_cgroup_describe);
}

const struct kma_table kma_table_cgroups = {
	.name = "cgroups",
	.columns = kma_cgroups_columns,
	.nr_columns = ARRAY_SIZE(kma_cgroups_columns),
	.row_size = sizeof(struct kma_map_row),
	.sort = { .key = { KMA_ACCT_COL_net_pages, KMA_ACCT_COL_allocs }, .nr = 2 },
	.countmap = KMA_COUNTMAP_CGROUPS,
	.fill = kma_cgroups_fill,
	.value = kma_acct_value,
	.label = kma_rows_map_label,
	.show = kma_show_row,
};
