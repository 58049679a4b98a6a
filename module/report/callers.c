// SPDX-License-Identifier: GPL-2.0
/* `callers`: counters of objects, by call site. */
#include "rows_site.h"

static const struct kma_column kma_callers_columns[] = {
	KMA_CALLERS_COLUMNS(KMA_COLUMN)
};

static int kma_callers_fill(struct kma_snapshot *snap)
{
	return kma_rows_site_fill(snap, kma_names_site, false);
}

const struct kma_table kma_table_callers = {
	.name = "callers",
	.columns = kma_callers_columns,
	.nr_columns = ARRAY_SIZE(kma_callers_columns),
	.row_size = sizeof(struct kma_site_counts),
	.sort = { .key = { KMA_COUNT_live_bytes }, .nr = 1 },
	.fill = kma_callers_fill,
	.merge = kma_rows_site_merge,
	.value = kma_rows_site_value,
	.label = kma_rows_site_label,
	.show = kma_show_row,
};
