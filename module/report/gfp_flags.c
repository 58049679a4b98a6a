// SPDX-License-Identifier: GPL-2.0
/* `gfp_flags`: what the bits in the columns named gfp mean on this kernel.  See match/gfp.h. */
#include "../match/gfp.h"
#include "seqtab.h"

static u64 kma_gfp_value(const struct kma_snapshot *snap, const void *row, int column)
{
	return ((const struct kma_gfp_flag *)row)->mask;
}

static const char *kma_gfp_label(const struct kma_snapshot *snap, const void *row)
{
	return ((const struct kma_gfp_flag *)row)->name;
}

static int kma_gfp_fill(struct kma_snapshot *snap)
{
	struct kma_gfp_flag *row;
	unsigned int i, nr = 0;

	while (kma_gfp_flag(nr).name)
		nr++;
	if (kma_snapshot_room(snap, nr))
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		row = kma_snapshot_add(snap);
		*row = kma_gfp_flag(i);
	}
	return 0;
}

const struct kma_table_ops kma_gfp_flags_ops = {
	.row_size = sizeof(struct kma_gfp_flag),
	.pages = true,
	.fill = kma_gfp_fill,
	.value = kma_gfp_value,
	.label = kma_gfp_label,
};
