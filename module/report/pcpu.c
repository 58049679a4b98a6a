// SPDX-License-Identifier: GPL-2.0
/* `pcpu`: pages that moved to and from the free lists of each CPU, by node. */
#include <linux/cpumask.h>

#include "../countmaps.h"
#include "../trace/pcp.h"
#include "rows_map.h"

enum {
#define X(name, ...) KMA_PCPU_##name,
	KMA_PCPU_COLUMNS(X)
#undef X
};

static u64 kma_pcpu_value(const struct kma_snapshot *snap, const void *row, int column)
{
	static const u8 counter[] = {
		[KMA_PCPU_refill_pages] = KMA_LIST_REFILL_PAGES,
		[KMA_PCPU_refills] = KMA_LIST_REFILLS,
		[KMA_PCPU_drain_pages] = KMA_LIST_DRAIN_PAGES,
		[KMA_PCPU_drains] = KMA_LIST_DRAINS,
		[KMA_PCPU_direct_pages] = KMA_LIST_DIRECT_PAGES,
		[KMA_PCPU_directs] = KMA_LIST_DIRECTS,
		[KMA_PCPU_batched] = KMA_LIST_BATCHED,
	};
	const struct kma_map_row *map_row = row;

	if (column < KMA_PCPU_refill_pages)
		return map_row->id[column];
	if (column == KMA_PCPU_imbalance_pages)
		return map_row->v[KMA_LIST_REFILL_PAGES] - map_row->v[KMA_LIST_DRAIN_PAGES];
	return map_row->v[counter[column]];
}

/*
 * Add the row of a CPU and a node, unless all its counters are 0.  The countmap has one row for
 * each node, with counters for each CPU: see countmaps.c.
 */
static void kma_pcpu_add(struct kma_snapshot *snap, const struct kma_countmap *t, int cpu,
			 u64 node)
{
	struct kma_map_row new = { .id = { cpu, node } };
	const struct kma_countmap_info *info;
	const struct kma_countmap_row *row;
	struct kma_map_row *to;
	u32 id;
	int i;

	for (id = 1; id < t->rows; id++) {
		info = kma_countmap_info(t, id);
		if (!info || info->key.word[0] != node)
			continue;
		row = per_cpu_ptr(t->row[id], cpu);
		for (i = 0; i < KMA_COUNTMAP_COUNTERS; i++)
			new.v[i] += READ_ONCE(row->v[i]);
	}
	if (!memchr_inv(new.v, 0, sizeof(new.v)))
		return;
	to = kma_snapshot_add(snap);
	*to = new;
}

static int kma_pcpu_fill(struct kma_snapshot *snap)
{
	const struct kma_countmap *t = kma_countmap_locked(KMA_COUNTMAP_PCPU);
	int cpu, node, ret;

	if (!t)
		return kma_snapshot_room(snap, 0);
	if (kma_snapshot_room(snap, num_possible_cpus() * nr_node_ids))
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		for_each_node(node) {
			kma_pcpu_add(snap, t, cpu, node);
			ret = kma_snapshot_pause(snap);
			if (ret)
				return ret;
		}
	}
	return 0;
}

const struct kma_table_ops kma_pcpu_ops = {
	.row_size = sizeof(struct kma_map_row),
	.pages = true,
	.countmap = KMA_COUNTMAP_PCPU,
	.fill = kma_pcpu_fill,
	.value = kma_pcpu_value,
};
