// SPDX-License-Identifier: GPL-2.0
/* `marks`: the memory of the whole machine at the marks of the history, the newest first. */
#include <linux/mmzone.h>
#include <linux/time64.h>

#include "../marks.h"
#include "../state.h"
#include "seqtab.h"

enum {
#define X(name, ...) KMA_MARKS_COL_##name,
	KMA_MARKS_COLUMNS(X)
#undef X
};

struct kma_marks_row {
	u32 series_s;
	u32 age_s;
	struct kma_machine machine;
};

static_assert(KMA_MACHINE_UNKNOWN == KMA_NO_ID);

static u64 kma_marks_value(const struct kma_snapshot *snap, const void *at, int column)
{
	const struct kma_marks_row *row = at;
	const struct kma_machine *machine = &row->machine;

	switch (column) {
	case KMA_MARKS_COL_series_s:
		return row->series_s;
	case KMA_MARKS_COL_age_ms:
		return (u64)row->age_s * MSEC_PER_SEC;
	case KMA_MARKS_COL_free_kb:
		return machine->free_kb;
	case KMA_MARKS_COL_slab_reclaimable_kb:
		return machine->slab_reclaimable_kb;
	case KMA_MARKS_COL_slab_unreclaimable_kb:
		return machine->slab_unreclaimable_kb;
	case KMA_MARKS_COL_unmovable_kb:
		return machine->type_kb[MIGRATE_UNMOVABLE];
	case KMA_MARKS_COL_movable_kb:
		return machine->type_kb[MIGRATE_MOVABLE];
	case KMA_MARKS_COL_reclaimable_kb:
		return machine->type_kb[MIGRATE_RECLAIMABLE];
	case KMA_MARKS_COL_stalled_us:
		return machine->stalled_us;
	}
	return machine->failed;
}

static void kma_marks_add(struct kma_snapshot *snap, const struct kma_history_marks *marks)
{
	const struct kma_history_mark *mark;
	struct kma_marks_row *row;
	u32 i, m;

	for (i = 0; i < KMA_HISTORY_SERIES; i++) {
		for (m = marks->nr[i]; m; m--) {
			mark = &marks->mark[i][m - 1];
			row = kma_snapshot_add(snap);
			row->series_s = kma_history_seconds(i);
			row->age_s = mark->age;
			row->machine = kma_marks_machine[mark->index];
		}
	}
}

static int kma_marks_fill(struct kma_snapshot *snap)
{
	if (kma_snapshot_room(snap, KMA_HISTORY_INDEXES))
		return -ENOMEM;
	snap->marks = kma_copy_alloc(1, sizeof(*snap->marks));
	if (!snap->marks)
		return -ENOMEM;
	kma_history_list(&kma_history, kma_marks_now(), snap->marks);
	kma_marks_add(snap, snap->marks);
	return 0;
}

const struct kma_table_ops kma_marks_ops = {
	.row_size = sizeof(struct kma_marks_row),
	.past = true,
	.fill = kma_marks_fill,
	.value = kma_marks_value,
};
