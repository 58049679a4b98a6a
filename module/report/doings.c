// SPDX-License-Identifier: GPL-2.0
/* Columns of tables of what somebody did.  See lines.h. */
#include <linux/string.h>

#include "lines.h"

u64 kma_doings_value(const struct kma_snapshot *snap, const void *row, int column)
{
	static const u8 counter[KMA_DOINGS_NR] = {
		[KMA_DOINGS_alloc_pages] = KMA_DOING_ALLOC_PAGES,
		[KMA_DOINGS_allocs] = KMA_DOING_ALLOCS,
		[KMA_DOINGS_free_pages] = KMA_DOING_FREE_PAGES,
		[KMA_DOINGS_frees] = KMA_DOING_FREES,
		[KMA_DOINGS_batched] = KMA_DOING_BATCHED,
		[KMA_DOINGS_zone_locked] = KMA_DOING_ZONE_LOCKED,
		[KMA_DOINGS_refills] = KMA_DOING_REFILLS,
		[KMA_DOINGS_drained] = KMA_DOING_DRAINED,
		[KMA_DOINGS_drains] = KMA_DOING_DRAINS,
		[KMA_DOINGS_fallbacks] = KMA_DOING_FALLBACKS,
		[KMA_DOINGS_fragmenting] = KMA_DOING_FRAGMENTING,
		[KMA_DOINGS_severe] = KMA_DOING_SEVERE,
		[KMA_DOINGS_changed] = KMA_DOING_CHANGED,
		[KMA_DOINGS_slab_hits] = KMA_DOING_SLAB_HITS,
		[KMA_DOINGS_slab_bytes] = KMA_DOING_SLAB_BYTES,
	};
	const struct kma_line *line = row;

	if (column >= KMA_DOINGS_NR)
		return line->id[column - KMA_DOINGS_NR];
	if (column == KMA_DOINGS_net_pages)
		return line->v[KMA_DOING_ALLOC_PAGES] - line->v[KMA_DOING_FREE_PAGES];
	if (column == KMA_DOINGS_moderate)
		return line->v[KMA_DOING_FRAGMENTING] - line->v[KMA_DOING_SEVERE];
	return line->v[counter[column]];
}

u64 kma_sources_value(const struct kma_snapshot *snap, const void *row, int column)
{
	static const u8 counter[] = {
		KMA_DOING_ALLOC_PAGES, KMA_DOING_ALLOCS,
		KMA_DOING_SLAB_HITS, KMA_DOING_SLAB_BYTES,
	};

	return ((const struct kma_line *)row)->v[counter[column]];
}

const char *kma_comm_and(const struct kma_tally_info *info, const char *what,
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
