// SPDX-License-Identifier: GPL-2.0
/* The files of incidents.  See incident_file.h. */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>

#include "../incidents.h"
#include "../state.h"
#include "incident_file.h"
#include "incidents.h"
#include "tables.h"

/* Print the row of an incident, and its text.  Returns -EAGAIN if the row is out of date. */
static int kma_incident_print(struct seq_file *seq, const struct kma_snapshot *snap,
			      const struct kma_incident_row *row)
{
	const struct kma_incident *incident = &kma_incidents[row->nr - 1];
	int ret = -EAGAIN;

	kma_show_head(seq, snap);
	kma_show_row(seq, snap, row);
	kma_lock_take(KMA_LOCK_TABLE);
	if (incident->cause.ns == row->cause.ns && incident->bytes == row->bytes) {
		seq_write(seq, incident->text, incident->bytes);
		ret = 0;
	}
	kma_lock_release();
	return ret;
}

/* Print an incident; nothing if there is no such incident. */
static int kma_incident_try(struct seq_file *seq, const struct kma_incident *incident)
{
	struct kma_snapshot *snap = kma_snapshot_open(&kma_table_incidents, KMA_INCIDENTS);
	const struct kma_incident_row *row;
	int ret = 0;
	size_t i;

	if (IS_ERR(snap))
		return PTR_ERR(snap);
	row = snap->rows;
	for (i = 0; i < snap->nr_rows; i++)
		if (row[i].nr == incident - kma_incidents + 1)
			ret = kma_incident_print(seq, snap, &row[i]);
	kma_snapshot_close(snap);
	return ret;
}

static int kma_incident_show(struct seq_file *seq, void *unused)
{
	int ret;

	do {
		seq->count = 0;
		ret = kma_incident_try(seq, seq->private);
	} while (ret == -EAGAIN);
	return ret;
}

static int kma_incident_open(struct inode *inode, struct file *file)
{
	if (!perfmon_capable())
		return -EPERM;
	/* With its row, an incident fits into this. */
	return single_open_size(file, kma_incident_show, inode->i_private,
				KMA_INCIDENT_BYTES + SZ_8K);
}

const struct file_operations kma_incident_fops = {
	.owner = THIS_MODULE,
	.open = kma_incident_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};
