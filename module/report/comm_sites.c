// SPDX-License-Identifier: GPL-2.0
/* `comm_sites`: counters of allocations, by command and call site. */
#include "../trace/acct.h"
#include "rows_acct.h"

static const struct kma_column kma_comm_sites_columns[] = {
	KMA_COMM_SITES_COLUMNS(KMA_COLUMN)
};

static const char *kma_comm_site_describe(struct kma_map_row *row,
					  const struct kma_countmap_info *info,
					  char buf[KMA_SYMBOL_LEN])
{
	if (!info)
		return "[other]";
	if (info->retired)
		return kma_comm_and(info, info->text, buf);
	kma_symbol_print(info->key.word[KMA_ACCT_SITE], buf);
	return kma_comm_and(info, buf, buf);
}

static int kma_comm_sites_fill(struct kma_snapshot *snap)
{
	return kma_rows_map_fill(snap, kma_comm_site_describe);
}

const struct kma_table kma_table_comm_sites = {
	.name = "comm_sites",
	.columns = kma_comm_sites_columns,
	.nr_columns = ARRAY_SIZE(kma_comm_sites_columns),
	.row_size = sizeof(struct kma_map_row),
	.sort = { .key = { 0, 3 }, .nr = 2 },
	.countmap = KMA_COUNTMAP_COMM_SITES,
	.fill = kma_comm_sites_fill,
	/* After a module is reloaded, two addresses may have the same name. */
	.merge = kma_rows_map_merge,
	.value = kma_sources_value,
	.label = kma_rows_map_label,
	.show = kma_show_row,
};
