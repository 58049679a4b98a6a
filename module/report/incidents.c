// SPDX-License-Identifier: GPL-2.0
/* `incidents`: the incidents that are kept, the newest first. */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/poll.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "../core/stall.h"
#include "../incidents.h"
#include "../state.h"
#include "incidents.h"
#include "seqtab.h"

enum {
#define X(name, ...) KMA_INCIDENTS_COL_##name,
	KMA_INCIDENTS_COLUMNS(X)
#undef X
};

static u64 kma_incidents_value(const struct kma_snapshot *snap, const void *at, int column)
{
	const struct kma_incident_row *row = at;
	const struct kma_cause *cause = &row->cause;

	switch (column) {
	case KMA_INCIDENTS_COL_nr:
		return row->nr;
	case KMA_INCIDENTS_COL_at_s:
		return div_u64(cause->ns, NSEC_PER_MSEC);
	case KMA_INCIDENTS_COL_bytes:
		return row->bytes;
	case KMA_INCIDENTS_COL_complete:
		return row->complete;
	case KMA_INCIDENTS_COL_stalled_us:
		return cause->trigger == KMA_TRIGGER_STALL ?
		       div_u64(cause->value, NSEC_PER_USEC) : KMA_NO_ID;
	case KMA_INCIDENTS_COL_growth_bytes:
		return cause->trigger == KMA_TRIGGER_GROWTH ||
		       cause->trigger == KMA_TRIGGER_CGROUP ? cause->value : KMA_NO_ID;
	case KMA_INCIDENTS_COL_victim:
		return cause->trigger == KMA_TRIGGER_OOM ? cause->value : KMA_NO_ID;
	case KMA_INCIDENTS_COL_tgid:
		return cause->tgid ?: KMA_NO_ID;
	case KMA_INCIDENTS_COL_pid:
		return cause->tgid ? cause->pid : KMA_NO_ID;
	case KMA_INCIDENTS_COL_cgroup_id:
		return cause->cgroup ?: KMA_NO_ID;
	case KMA_INCIDENTS_COL_order:
		return cause->order == KMA_ORDER_NONE ? KMA_NO_ID : cause->order;
	}
	return cause->gfp;
}

static const char *kma_incidents_label(const struct kma_snapshot *snap, const void *row)
{
	return ((const struct kma_incident_row *)row)->label;
}

static int kma_incidents_fill(struct kma_snapshot *snap)
{
	const struct kma_incident *incident;
	struct kma_incident_row *row;
	int i;

	snap->last = kma_incidents_changes;
	snap->names = kma_names_new(NULL);
	if (!snap->names || kma_snapshot_room(snap, KMA_INCIDENTS))
		return -ENOMEM;
	for (i = 0; i < KMA_INCIDENTS; i++) {
		incident = &kma_incidents[i];
		if (!incident->nr)
			continue;
		row = kma_snapshot_add(snap);
		*row = (struct kma_incident_row) {
			.nr = incident->nr, .bytes = incident->bytes,
			.complete = incident->complete, .cause = incident->cause,
			.label = kma_names_add(snap->names, incident->label),
		};
		if (!row->label)
			return -ENOMEM;
	}
	return 0;
}

/* How often each trigger was counted, and the number of causes for which no room was left. */
static void kma_incidents_head(struct seq_file *seq, const struct kma_snapshot *snap)
{
	int i;

	for (i = 0; i < KMA_TRIGGER_NR; i++)
		seq_printf(seq, " %s=%llu", kma_trigger_text(i), kma_trigger_count(i));
	seq_printf(seq, " not_kept=%llu", READ_ONCE(kma_incidents_lost));
}

/* Whether an incident was added or completed after the snapshot was made. */
static __poll_t kma_incidents_poll(const struct kma_snapshot *snap, struct file *file,
				   struct poll_table_struct *wait)
{
	poll_wait(file, &kma_incidents_wait, wait);
	return READ_ONCE(kma_incidents_changes) != snap->last ? EPOLLIN | EPOLLRDNORM : 0;
}

const struct kma_table_ops kma_incidents_ops = {
	.row_size = sizeof(struct kma_incident_row),
	.sort = { .key = { KMA_INCIDENTS_COL_nr }, .nr = 1 },
	.past = true,
	.fill = kma_incidents_fill,
	.head = kma_incidents_head,
	.value = kma_incidents_value,
	.label = kma_incidents_label,
	.poll = kma_incidents_poll,
};
