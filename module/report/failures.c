// SPDX-License-Identifier: GPL-2.0
/* `failures`: failed allocations by call site, order or size, gfp flags and task. */
#include <linux/string.h>

#include "../core/failure.h"
#include "failures.h"
#include "rows_map.h"

enum {
#define X(name, ...) KMA_FAILURES_COL_##name,
	KMA_FAILURES_COLUMNS(X)
#undef X
};

static u64 kma_failures_size(u64 what)
{
	const unsigned int shift = kma_failure_shift(what);

	if (kma_failure_is_object(what))
		return kma_failure_gfp(what) == KMA_CLASS_GFP_OTHER ? 0 : 1ULL << shift;
	return (u64)PAGE_SIZE << shift;
}

/* The @id of a row is the word what of its key. */
static u64 kma_failures_value(const struct kma_snapshot *snap, const void *row, int column)
{
	const struct kma_map_row *map_row = row;
	const u64 what = map_row->id[0];

	switch (column) {
	case KMA_FAILURES_COL_failed:
		return map_row->v[KMA_FAILURE_FAILED];
	case KMA_FAILURES_COL_nowarn:
		return map_row->v[KMA_FAILURE_NOWARN];
	case KMA_FAILURES_COL_order:
		return kma_failure_is_object(what) ? KMA_NO_ID : kma_failure_shift(what);
	case KMA_FAILURES_COL_size_class:
		return kma_failures_size(what);
	case KMA_FAILURES_COL_bytes:
		return map_row->v[KMA_FAILURE_MAX_BYTES];
	}
	return kma_failure_gfp(what);
}

void kma_failure_site_print(const struct kma_countmap_info *info, char buf[KMA_SYMBOL_LEN])
{
	if (!info->key.word[KMA_FAILURE_SITE])
		strscpy(buf, "[other]", KMA_SYMBOL_LEN);
	else if (info->retired)
		strscpy(buf, strchr(info->text, ';') + 1, KMA_SYMBOL_LEN);
	else
		kma_symbol_print(info->key.word[KMA_FAILURE_SITE], buf);
}

static const char *kma_failures_describe(struct kma_map_row *row,
					 const struct kma_countmap_info *info,
					 char buf[KMA_SYMBOL_LEN])
{
	size_t task;

	/* As the row that counts objects without a row of their own. */
	row->id[0] = kma_failure_rest(KMA_FAILURE_OBJECT);
	if (!info)
		return "[other]";
	/* The gfp flags of a row imply the migrate type, which is no column. */
	row->id[0] = info->key.word[KMA_FAILURE_WHAT] & ~KMA_FAILURE_TYPE;
	if (!info->key.word[KMA_FAILURE_SITE])
		return "[other]";
	task = strcspn(info->text, ";") + 1;
	kma_failure_site_print(info, buf);
	memmove(buf + task, buf, min_t(size_t, strlen(buf) + 1, KMA_SYMBOL_LEN - task));
	memcpy(buf, info->text, task);
	buf[KMA_SYMBOL_LEN - 1] = '\0';
	return buf;
}

const struct kma_table_ops kma_failures_ops = {
	.row_size = sizeof(struct kma_map_row),
	.sort = { .key = { KMA_FAILURES_COL_failed, KMA_FAILURES_COL_task_site }, .nr = 2 },
	.countmap = KMA_COUNTMAP_FAILURES,
	.fill = kma_rows_map_fill,
	.describe = kma_failures_describe,
	/* After a module is reloaded, two addresses may have the same name. */
	.merge = kma_rows_map_merge,
	.value = kma_failures_value,
	.label = kma_rows_map_label,
};
