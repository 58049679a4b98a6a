// SPDX-License-Identifier: GPL-2.0
/* `skip`: patterns for the names of functions that only hand pages on to their callers. */
#include <linux/kernel.h>
#include <linux/string.h>

#include "../match/skip.h"
#include "seqtab.h"

static const char *kma_skip_label(const struct kma_snapshot *snap, const void *row)
{
	return row;
}

static int kma_skip_fill(struct kma_snapshot *snap)
{
	const char *pattern;
	int i, nr = 0;

	while (kma_skip_pattern(nr))
		nr++;
	if (kma_snapshot_room(snap, nr))
		return -ENOMEM;
	for (i = 0; (pattern = kma_skip_pattern(i)); i++)
		strscpy(kma_snapshot_add(snap), pattern, KMA_SKIP_LEN);
	return 0;
}

const struct kma_table_ops kma_skip_ops = {
	.row_size = KMA_SKIP_LEN,
	.pages = true,
	.fill = kma_skip_fill,
	.label = kma_skip_label,
};
