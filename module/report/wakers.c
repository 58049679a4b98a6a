// SPDX-License-Identifier: GPL-2.0
/* `wakers`: which call sites wake kswapd and kcompactd, and how long these then run. */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mmzone.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "../core/stall.h"
#include "../trace/wakers.h"
#include "rows_map.h"

enum {
#define X(name, ...) KMA_WAKERS_COL_##name,
	KMA_WAKERS_COLUMNS(X)
#undef X
};

static const char *const kma_daemon_names[KMA_DAEMON_NR] = {
	[KMA_DAEMON_KSWAPD] = "kswapd",
	[KMA_DAEMON_KCOMPACTD] = "kcompactd",
};

/* Names of zones, as in /proc/zoneinfo. */
static const char *const kma_zone_names[MAX_NR_ZONES] = {
#ifdef CONFIG_ZONE_DMA
	[ZONE_DMA] = "DMA",
#endif
#ifdef CONFIG_ZONE_DMA32
	[ZONE_DMA32] = "DMA32",
#endif
	[ZONE_NORMAL] = "Normal",
	[ZONE_MOVABLE] = "Movable",
#ifdef CONFIG_ZONE_DEVICE
	[ZONE_DEVICE] = "Device",
#endif
};

static u64 kma_wakers_value(const struct kma_snapshot *snap, const void *row, int column)
{
	const struct kma_map_row *map_row = row;
	const u64 *v = map_row->v;

	switch (column) {
	case KMA_WAKERS_COL_wakeups:
		return v[KMA_WAKER_WAKEUPS];
	case KMA_WAKERS_COL_runs:
		return v[KMA_WAKER_RUNS];
	case KMA_WAKERS_COL_ran_us:
		return div_u64(v[KMA_WAKER_RAN_NS], NSEC_PER_USEC);
	case KMA_WAKERS_COL_max_us:
		return div_u64(v[KMA_WAKER_MAX_NS], NSEC_PER_USEC);
	}
	return map_row->id[column - KMA_WAKERS_COL_order];
}

static void kma_waker_site(const struct kma_countmap_info *info, char *buf, size_t size)
{
	/* Protected by kma_lock, which is not dropped while a row is described. */
	static char site[KMA_SYMBOL_LEN];

	if (info->retired) {
		strscpy(buf, info->text, size);
	} else if (!info->key.word[KMA_WAKER_SITE]) {
		strscpy(buf, "[unknown waker]", size);
	} else {
		kma_symbol_print(info->key.word[KMA_WAKER_SITE], site);
		strscpy(buf, site, size);
	}
}

static const char *kma_wakers_describe(struct kma_map_row *row,
				       const struct kma_countmap_info *info,
				       char buf[KMA_SYMBOL_LEN])
{
	const char *zone = NULL;
	struct kma_waking w;
	int len;

	row->id[0] = KMA_NO_ID;
	row->id[1] = KMA_NO_ID;
	if (!info)
		return "[other]";
	w = kma_waking_of(info->key.word[KMA_WAKER_WHAT]);
	if (w.order != KMA_ORDER_NONE)
		row->id[0] = w.order;
	row->id[1] = w.node;
	if (w.zone < MAX_NR_ZONES)
		zone = kma_zone_names[w.zone];
	len = scnprintf(buf, KMA_SYMBOL_LEN, "%s;%s;", kma_daemon_names[w.daemon], zone ?: "-");
	kma_waker_site(info, buf + len, KMA_SYMBOL_LEN - len);
	return buf;
}

const struct kma_table_ops kma_wakers_ops = {
	.row_size = sizeof(struct kma_map_row),
	.sort = { .key = { KMA_WAKERS_COL_ran_us, KMA_WAKERS_COL_wakeups }, .nr = 2 },
	.countmap = KMA_COUNTMAP_WAKERS,
	.fill = kma_rows_map_fill,
	.describe = kma_wakers_describe,
	.merge = kma_rows_map_merge,
	.value = kma_wakers_value,
	.label = kma_rows_map_label,
};
