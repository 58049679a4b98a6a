// SPDX-License-Identifier: GPL-2.0
/* `owners` and `owner_cgroups`: who allocated objects and is charged; the paths of cgroups. */
#include <linux/kernel.h>
#include <linux/string.h>

#include "../core/comm.h"
#include "../core/owner.h"
#include "../resolve/cacheinfo.h"
#include "../trace/owner.h"
#include "seqtab.h"

enum {
#define X(name, ...) KMA_OWNERS_COL_##name,
	KMA_OWNERS_COLUMNS(X)
#undef X
};

enum {
#define X(name, ...) KMA_OWNER_CGROUPS_COL_##name,
	KMA_OWNER_CGROUPS_COLUMNS(X)
#undef X
};

/* A row: a copy of a record, and the record's number. */
struct kma_owner_row {
	u32 nr;
	u64 cgroup;
	u64 charged;
	char comm[KMA_COMM_BYTES + 1];
};

/* Make a row for each key of @t, by @add. */
static int kma_owners_each(struct kma_snapshot *snap, const struct kma_idtab *t,
			   void (*add)(struct kma_snapshot *snap, u32 nr, const void *record))
{
	const void *record;
	int ret = 0;
	u32 nr;

	for (nr = 0; !ret && nr < t->nr; nr++) {
		record = kma_idtab_record(t, nr);
		if (record)
			add(snap, nr, record);
		if (nr % 256 == 0)
			ret = kma_snapshot_pause(snap);
	}
	return ret;
}

/* The number of rows, with some more for keys that are added meanwhile. */
static size_t kma_owners_rows(const struct kma_idtab *t)
{
	return kma_idtab_used(t) + t->reserved + 64;
}

/* ---- owners ------------------------------------------------------------------- */

static void kma_owner_add(struct kma_snapshot *snap, u32 nr, const void *record)
{
	const struct kma_owner *owner = record;
	struct kma_owner_row *row = kma_snapshot_add(snap);

	if (!row) {
		snap->cut++;
		return;
	}
	row->nr = nr;
	row->cgroup = owner->cgroup ?: KMA_NO_ID;
	row->charged = owner->charged;
	memcpy(row->comm, owner->comm, sizeof(owner->comm));
	kma_label_clean(row->comm);
	if (!row->comm[0])
		strscpy(row->comm, "-", sizeof(row->comm));
}

static void kma_owner_add_reserved(struct kma_snapshot *snap, u32 nr, const char *name)
{
	struct kma_owner_row *row = kma_snapshot_add(snap);

	row->nr = nr;
	row->cgroup = KMA_NO_ID;
	row->charged = nr == KMA_OWNER_OTHER ? KMA_NO_ID : KMA_CHARGED_NONE;
	strscpy(row->comm, name, sizeof(row->comm));
}

static int kma_owners_fill(struct kma_snapshot *snap)
{
	snap->recycled = kma_owner_recycled();
	if (kma_snapshot_room(snap, kma_owners_rows(&kma_owners)))
		return -ENOMEM;
	kma_owner_add_reserved(snap, KMA_OWNER_OTHER, "[other]");
	kma_owner_add_reserved(snap, KMA_OWNER_INTERRUPT, "[interrupt]");
	return kma_owners_each(snap, &kma_owners, kma_owner_add);
}

/*
 * @recycled: how many numbers were freed since load.  If two readings have the same value here,
 *	each number means the same owner in both, and in between.
 * @slab_account: whether the module knows which caches have SLAB_ACCOUNT; if not, only the gfp
 *	flags decide which objects are charged
 */
static void kma_owners_head(struct seq_file *seq, const struct kma_snapshot *snap)
{
	seq_printf(seq, " owners=%d recycled=%llu slab_account=%d", kma_owner_is_on(),
		   snap->recycled, kma_cacheinfo_has_flags());
}

static u64 kma_owner_value(const struct kma_snapshot *snap, const void *row, int column)
{
	const struct kma_owner_row *r = row;

	switch (column) {
	case KMA_OWNERS_COL_owner:
		return r->nr;
	case KMA_OWNERS_COL_cgroup_id:
		return r->cgroup;
	}
	return r->charged;
}

static const char *kma_owner_label(const struct kma_snapshot *snap, const void *row)
{
	return ((const struct kma_owner_row *)row)->comm;
}

const struct kma_table_ops kma_owners_ops = {
	.row_size = sizeof(struct kma_owner_row),
	.pages = true,
	.fill = kma_owners_fill,
	.head = kma_owners_head,
	.value = kma_owner_value,
	.label = kma_owner_label,
};

/* ---- owner_cgroups ------------------------------------------------------------ */

static void kma_owner_cgroup_add(struct kma_snapshot *snap, u32 nr, const void *record)
{
	const struct kma_cgroup *cgroup = record, *first;
	struct kma_cgroup *row = kma_snapshot_add(snap);

	if (!row) {
		snap->cut++;
		return;
	}
	/* Of two records of a cgroup, the probe of its removal marks the one that look-ups find. */
	first = kma_idtab_record(&kma_cgroups, kma_idtab_find_leaving(&kma_cgroups, &cgroup->id));
	row->id = cgroup->id;
	row->parent = cgroup->parent;
	row->removed = first && READ_ONCE(first->removed);
	memcpy(row->path, cgroup->path, sizeof(row->path));
	kma_label_clean(row->path);
}

static int kma_owner_cgroups_fill(struct kma_snapshot *snap)
{
	snap->recycled = kma_owner_recycled_paths();
	if (kma_snapshot_room(snap, kma_owners_rows(&kma_cgroups)))
		return -ENOMEM;
	return kma_owners_each(snap, &kma_cgroups, kma_owner_cgroup_add);
}

static void kma_owner_cgroups_head(struct seq_file *seq, const struct kma_snapshot *snap)
{
	seq_printf(seq, " recycled=%llu", snap->recycled);
}

static u64 kma_owner_cgroup_value(const struct kma_snapshot *snap, const void *row, int column)
{
	const struct kma_cgroup *cgroup = row;

	switch (column) {
	case KMA_OWNER_CGROUPS_COL_cgroup_id:
		return cgroup->id;
	case KMA_OWNER_CGROUPS_COL_parent_id:
		return cgroup->parent ?: KMA_NO_ID;
	}
	return cgroup->removed;
}

static const char *kma_owner_cgroup_label(const struct kma_snapshot *snap, const void *row)
{
	return ((const struct kma_cgroup *)row)->path;
}

const struct kma_table_ops kma_owner_cgroups_ops = {
	.row_size = sizeof(struct kma_cgroup),
	.pages = true,
	.fill = kma_owner_cgroups_fill,
	.head = kma_owner_cgroups_head,
	.value = kma_owner_cgroup_value,
	.label = kma_owner_cgroup_label,
};
