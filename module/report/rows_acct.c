// SPDX-License-Identifier: GPL-2.0
/* Columns of the accounting tables.  See rows_acct.h. */
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "../trace/acct.h"
#include "rows_acct.h"

u64 kma_acct_value(const struct kma_snapshot *snap, const void *row, int column)
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

u64 kma_sources_value(const struct kma_snapshot *snap, const void *row, int column)
{
	static const u8 counter[] = {
		KMA_ACCT_ALLOC_PAGES, KMA_ACCT_ALLOCS,
		KMA_ACCT_SLAB_HITS, KMA_ACCT_SLAB_BYTES, KMA_ACCT_STALL_NS,
	};
	const u64 v = ((const struct kma_map_row *)row)->v[counter[column]];

	return counter[column] == KMA_ACCT_STALL_NS ? div_u64(v, NSEC_PER_USEC) : v;
}

const char *kma_comm_and(const struct kma_countmap_info *info, const char *what,
			 char buf[KMA_SYMBOL_LEN])
{
	char comm[sizeof(u64[2]) + 1];
	size_t len;

	memcpy(comm, info->key.word, sizeof(u64[2]));
	comm[sizeof(u64[2])] = '\0';
	strreplace(comm, ';', '?');
	len = strlen(comm);
	memmove(buf + len + 1, what, min_t(size_t, strlen(what) + 1,
					   KMA_SYMBOL_LEN - len - 1));
	buf[KMA_SYMBOL_LEN - 1] = '\0';
	memcpy(buf, comm, len);
	buf[len] = ';';
	return buf;
}
