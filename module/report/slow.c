// SPDX-License-Identifier: GPL-2.0
/* `slow`: the last phases that took as long as threshold_us says or longer, the newest first. */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/poll.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "../resolve/symbol.h"
#include "../state.h"
#include "../trace/slow.h"
#include "causes.h"
#include "seqtab.h"

enum {
#define X(name, ...) KMA_SLOW_COL_##name,
	KMA_SLOW_COLUMNS(X)
#undef X
};

/* A row: a record, and its label. */
struct kma_slow_row {
	struct kma_slow record;
	const char *label;
};

static u64 kma_slow_value(const struct kma_snapshot *snap, const void *row, int column)
{
	const struct kma_slow *r = &((const struct kma_slow_row *)row)->record;

	switch (column) {
	case KMA_SLOW_COL_nr:
		return r->nr;
	case KMA_SLOW_COL_end_s:
		return div_u64(r->end_ns, NSEC_PER_MSEC);
	case KMA_SLOW_COL_us:
		return div_u64(r->ns, NSEC_PER_USEC);
	case KMA_SLOW_COL_tgid:
		return r->tgid;
	case KMA_SLOW_COL_pid:
		return r->pid;
	case KMA_SLOW_COL_cgroup_id:
		return r->cgroup;
	case KMA_SLOW_COL_order:
		return r->order == KMA_ORDER_NONE ? KMA_NO_ID : r->order;
	}
	return r->gfp;
}

static const char *kma_slow_label(const struct kma_snapshot *snap, const void *row)
{
	return ((const struct kma_slow_row *)row)->label;
}

/* The most bytes of a label: the names of a stack, and the parts. */
#define KMA_SLOW_LABEL	(KMA_SLOW_FRAMES * 128 + 1024)

static int kma_slow_print_comm(const struct kma_slow *r, char *buf, size_t size)
{
	char comm[KMA_SLOW_COMM + 1] = {};

	memcpy(comm, r->comm, KMA_SLOW_COMM);
	kma_label_clean(comm);
	strreplace(comm, ';', '?');
	return scnprintf(buf, size, "%s;%s:%s;", comm, kma_stall_origin_text(r->origin),
			 kma_phase_text(r->phase));
}

static int kma_slow_print_site(unsigned long site, char *buf, size_t size)
{
	/* Protected by kma_lock. */
	static char name[KMA_SYMBOL_LEN];

	if (!site)
		return scnprintf(buf, size, "-");
	if (site == KMA_SLOW_UNLOADED)
		return scnprintf(buf, size, "[unloaded]");
	kma_symbol_print(site, name);
	return scnprintf(buf, size, "%s", name);
}

static int kma_slow_print_parts(const struct kma_slow *r, char *buf, size_t size)
{
	int len = 0;
	u32 i;

	for (i = 0; i < r->nr_parts; i++) {
		len += scnprintf(buf + len, size - len, "%s", i ? "," : "");
		len += kma_cause_print(r->part[i].phase, r->part[i].detail, buf + len, size - len);
		len += scnprintf(buf + len, size - len, "=%llu x%u",
				 div_u64(r->part[i].ns, NSEC_PER_USEC), r->part[i].nr);
	}
	return len ?: scnprintf(buf, size, "-");
}

/* Whether a function marks a stall.  Frames inside it are those of ftrace and of this module. */
static bool kma_slow_is_mark(const char *name)
{
	return str_has_prefix(name, "psi_memstall_");
}

/* Whether a function is part of how a kretprobe or ftrace calls the module. */
static bool kma_slow_is_probe(const char *name)
{
	return strstr(name, "rethook") || strstr(name, "kretprobe") ||
	       !strcmp(name, "[unknown]") ||
	       str_has_prefix(name, "kprobe_") || str_has_prefix(name, "__traceiter_");
}

static int kma_slow_print_stack(const struct kma_slow *r, char *buf, size_t size)
{
	int len = 0, before;
	char *name;
	u32 i;

	for (i = 0; i < r->nr_frames; i++) {
		before = len;
		len += scnprintf(buf + len, size - len, "%s", len ? "," : "");
		name = buf + len;
		len += kma_slow_print_site(r->frame[i], name, size - len);
		/* ftrace's own code, which has no name, may be shown by the name of other code. */
		if ((!before && kma_slow_is_probe(name)) || kma_slow_is_mark(name))
			len = 0;
	}
	return len ?: scnprintf(buf, size, "-");
}

static const char *kma_slow_print(struct kma_names *names, const struct kma_slow *r)
{
	/* Protected by kma_lock. */
	static char buf[KMA_SLOW_LABEL];
	int len = kma_slow_print_comm(r, buf, sizeof(buf));

	lockdep_assert_held(&kma_lock);
	len += kma_slow_print_site(r->site, buf + len, sizeof(buf) - len);
	len += scnprintf(buf + len, sizeof(buf) - len, ";");
	len += kma_slow_print_parts(r, buf + len, sizeof(buf) - len);
	len += scnprintf(buf + len, sizeof(buf) - len, ";");
	kma_slow_print_stack(r, buf + len, sizeof(buf) - len);
	return kma_names_add(names, buf);
}

static int kma_slow_fill(struct kma_snapshot *snap)
{
	struct kma_slow_row *row;
	u64 nr, first, last;
	int ret = 0;

	/*
	 * Read the number before the records.  A record that is still being written, and so is not
	 * in the snapshot, is published later.  Pairs with kma_slow_add().
	 */
	snap->last = atomic64_read(&kma_slow_published);
	smp_rmb();	/* see above */
	if (!kma_countmap_locked(KMA_COUNTMAP_STALLS))
		return kma_snapshot_room(snap, 0);
	snap->names = kma_names_new(NULL);
	if (!snap->names || kma_snapshot_room(snap, KMA_SLOW_RECORDS))
		return -ENOMEM;
	last = kma_slowlog_head(&kma_slowlog);
	first = max(kma_slow_since(), last - min_t(u64, last, KMA_SLOW_RECORDS) + 1);
	for (nr = last; !ret && nr >= first; nr--) {
		row = kma_snapshot_add(snap);
		if (!kma_slowlog_read(&kma_slowlog, nr, &row->record)) {
			kma_snapshot_drop(snap);
			continue;
		}
		row->label = kma_slow_print(snap->names, &row->record);
		ret = row->label ? kma_snapshot_pause(snap) : -ENOMEM;
	}
	return ret;
}

/* Whether records were published after the snapshot was made. */
static __poll_t kma_slow_poll(const struct kma_snapshot *snap, struct file *file,
			      struct poll_table_struct *wait)
{
	poll_wait(file, &kma_slow_wait, wait);
	return atomic64_read(&kma_slow_published) != snap->last ? EPOLLIN | EPOLLRDNORM : 0;
}

const struct kma_table_ops kma_slow_ops = {
	.row_size = sizeof(struct kma_slow_row),
	.sort = { .key = { KMA_SLOW_COL_nr }, .nr = 1 },
	.countmap = KMA_COUNTMAP_STALLS,
	.fill = kma_slow_fill,
	.value = kma_slow_value,
	.label = kma_slow_label,
	.poll = kma_slow_poll,
};
