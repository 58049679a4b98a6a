// SPDX-License-Identifier: GPL-2.0
/* `stacks`: counters of sampled objects, by stack of the allocation. */
#include "rows_site.h"

static const struct kma_column kma_stacks_columns[] = {
	KMA_STACKS_COLUMNS(KMA_COLUMN)
};

static int kma_stacks_fill(struct kma_snapshot *snap)
{
	return kma_rows_site_fill(snap, kma_names_stack, true);
}

const struct kma_table kma_table_stacks = {
	.name = "stacks",
	.columns = kma_stacks_columns,
	.nr_columns = ARRAY_SIZE(kma_stacks_columns),
	.row_size = sizeof(struct kma_site_counts),
	.sort = { .key = { KMA_COUNT_live_bytes }, .nr = 1 },
	.fill = kma_stacks_fill,
	.merge = kma_rows_site_merge,
	.value = kma_rows_site_value,
	.label = kma_rows_site_label,
	.show = kma_show_row,
};
