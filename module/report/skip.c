// SPDX-License-Identifier: GPL-2.0
/* `skip`: patterns for the names of helpers, which only allocate for their callers. */
#include <linux/kernel.h>

#include "../match/skip.h"
#include "seqtab.h"

/* The first column is for pages, the second for objects; the label is the last one. */
static u64 kma_skip_value(const struct kma_snapshot *snap, const void *row, int column)
{
	const struct kma_skip *skip = row;

	return !!(skip->what & (column ? KMA_SKIP_OBJECTS : KMA_SKIP_PAGES));
}

static const char *kma_skip_label(const struct kma_snapshot *snap, const void *row)
{
	const struct kma_skip *skip = row;

	return skip->pattern;
}

static int kma_skip_fill(struct kma_snapshot *snap)
{
	const struct kma_skip *skip;
	struct kma_skip *row;
	int i, nr = 0;

	while (kma_skip_pattern(nr))
		nr++;
	if (kma_snapshot_room(snap, nr))
		return -ENOMEM;
	for (i = 0; (skip = kma_skip_pattern(i)); i++) {
		row = kma_snapshot_add(snap);
		*row = *skip;
	}
	return 0;
}

const struct kma_table_ops kma_skip_ops = {
	.row_size = sizeof(struct kma_skip),
	.pages = true,
	.fill = kma_skip_fill,
	.value = kma_skip_value,
	.label = kma_skip_label,
};
