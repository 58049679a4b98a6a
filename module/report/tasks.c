// SPDX-License-Identifier: GPL-2.0
/* `tasks`: counters of events, by process; includes processes that have ended. */
#include "../trace/acct.h"
#include "rows_acct.h"

static const struct kma_column kma_tasks_columns[] = {
	KMA_TASKS_COLUMNS(KMA_COLUMN)
};

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

static int kma_tasks_fill(struct kma_snapshot *snap)
{
	return kma_rows_map_fill(snap, kma_task_describe);
}

const struct kma_table kma_table_tasks = {
	.name = "tasks",
	.columns = kma_tasks_columns,
	.nr_columns = ARRAY_SIZE(kma_tasks_columns),
	.row_size = sizeof(struct kma_map_row),
	.sort = { .key = { KMA_ACCT_COL_net_pages, KMA_ACCT_COL_allocs }, .nr = 2 },
	.countmap = KMA_COUNTMAP_TASKS,
	.fill = kma_tasks_fill,
	.value = kma_acct_value,
	.label = kma_rows_map_label,
	.show = kma_show_row,
};
