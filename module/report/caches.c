// SPDX-License-Identifier: GPL-2.0
/* `caches`: counters of objects, by cache. */
#include "rows_site.h"

static const struct kma_column kma_caches_columns[] = {
	KMA_CACHES_COLUMNS(KMA_COLUMN)
};

static int kma_caches_fill(struct kma_snapshot *snap)
{
	return kma_rows_site_fill(snap, kma_names_cache, false);
}

const struct kma_table kma_table_caches = {
	.name = "caches",
	.columns = kma_caches_columns,
	.nr_columns = ARRAY_SIZE(kma_caches_columns),
	.row_size = sizeof(struct kma_site_counts),
	.sort = { .key = { KMA_COUNT_live_bytes }, .nr = 1 },
	.fill = kma_caches_fill,
	.merge = kma_rows_site_merge,
	.value = kma_rows_site_value,
	.label = kma_rows_site_label,
	.show = kma_show_row,
};
