// SPDX-License-Identifier: GPL-2.0
/* `callers`, `caches`, `cache_sites` and `stacks`: counters of objects. */
#include "rows_site.h"

static int kma_callers_fill(struct kma_snapshot *snap)
{
	return kma_rows_site_fill(snap, kma_names_site, false);
}

static int kma_caches_fill(struct kma_snapshot *snap)
{
	return kma_rows_site_fill(snap, kma_names_cache, false);
}

static int kma_cache_sites_fill(struct kma_snapshot *snap)
{
	return kma_rows_site_fill(snap, kma_names_cache_site, false);
}

/* Only objects that are sampled have a stack. */
static int kma_stacks_fill(struct kma_snapshot *snap)
{
	return kma_rows_site_fill(snap, kma_names_stack, true);
}

/* The tables differ only in how they fill and name their rows. */
#define KMA_OBJECTS_OPS(_fill) {					\
	.row_size = sizeof(struct kma_site_counts),			\
	.sort = { .key = { KMA_COUNT_live_bytes }, .nr = 1 },		\
	.fill = (_fill),						\
	.merge = kma_rows_site_merge,					\
	.head = kma_rows_site_head,					\
	.value = kma_rows_site_value,					\
	.label = kma_rows_site_label,					\
}

const struct kma_table_ops kma_callers_ops = KMA_OBJECTS_OPS(kma_callers_fill);
const struct kma_table_ops kma_caches_ops = KMA_OBJECTS_OPS(kma_caches_fill);
const struct kma_table_ops kma_cache_sites_ops = KMA_OBJECTS_OPS(kma_cache_sites_fill);
const struct kma_table_ops kma_stacks_ops = KMA_OBJECTS_OPS(kma_stacks_fill);
