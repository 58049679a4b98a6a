// SPDX-License-Identifier: GPL-2.0
/*
 * `charges`: live objects by the cgroup that is charged for them, and by call site.
 *
 *	live table --> number of objects of each pair of charged cgroup and row --> rows
 *
 * In a pair, the number of an owner represents the charged cgroup: that of the first owner found
 * with this cgroup.  Objects that are not charged, or whose charged cgroup is not known, are left
 * out.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "../core/owner.h"
#include "../state.h"
#include "../trace/owner.h"
#include "seqtab.h"

enum {
#define X(name, ...) KMA_CHARGES_COL_##name,
	KMA_CHARGES_COLUMNS(X)
#undef X
};

/* The fewest and the most places of a hash table of pairs. */
#define KMA_CHARGES_MIN	4096U
#define KMA_CHARGES_MAX	16777216U

/**
 * struct kma_charge_pairs - how many objects each pair has, while they are counted
 * @owner: for each number of an owner, the number that represents its charged cgroup;
 *	KMA_OWNER_OTHER if none is charged; 0 if that was not looked up yet
 * @cgroup: for each number of a cgroup, the number of an owner that represents it, or 0
 * @pair: a hash table: the number that represents a cgroup in the upper half, the row in the
 *	lower one; 0 if the place is free
 * @count: for each place, the number of objects
 * @nr: number of places, a power of two
 * @used: number of places that are in use
 */
struct kma_charge_pairs {
	u16 *owner;
	u16 *cgroup;
	u32 *pair;
	u32 *count;
	u32 nr;
	u32 used;
};

/**
 * struct kma_charge_row - a row of the table
 * @charged: ID of the cgroup
 * @now: ID of the cgroup that is charged now; 0 if none is
 * @estimate: bytes and objects: sums of kma_weigh()
 * @variance: the variances of these: sums of kma_weigh_variance()
 * @samples: number of objects that were sampled
 * @id: number of a row in the table of call sites
 * @label: the path of the cgroup, a semicolon, and the call site
 */
struct kma_charge_row {
	u64 charged;
	u64 now;
	kma_u128 estimate[2];
	kma_u128 variance[2];
	u64 samples;
	u32 id;
	const char *label;
};

/* ---- counting --------------------------------------------------------------- */

static void kma_charges_free(struct kma_charge_pairs *p)
{
	kma_copy_free(p->owner);
	kma_copy_free(p->cgroup);
	kma_copy_free(p->pair);
	kma_copy_free(p->count);
}

static bool kma_charges_alloc(struct kma_charge_pairs *p, u32 nr)
{
	p->pair = kma_copy_alloc(nr, sizeof(p->pair[0]));
	p->count = kma_copy_alloc(nr, sizeof(p->count[0]));
	p->nr = nr;
	return p->pair && p->count;
}

static u32 kma_charges_place(const struct kma_charge_pairs *p, u32 pair)
{
	u32 i = pair * 0x9e3779b1U >> 8;

	for (; p->pair[i & (p->nr - 1)] && p->pair[i & (p->nr - 1)] != pair; i++)
		;
	return i & (p->nr - 1);
}

/* Double the hash table.  Return: false if there is no memory, or if it is too large. */
static bool kma_charges_grow(struct kma_charge_pairs *p)
{
	struct kma_charge_pairs old = *p;
	u32 i, at;

	if (old.nr >= KMA_CHARGES_MAX)
		return false;
	if (!kma_charges_alloc(p, 2 * old.nr)) {
		kma_copy_free(p->pair);
		kma_copy_free(p->count);
		*p = old;
		return false;
	}
	for (i = 0; i < old.nr; i++) {
		if (!old.pair[i])
			continue;
		at = kma_charges_place(p, old.pair[i]);
		p->pair[at] = old.pair[i];
		p->count[at] = old.count[i];
	}
	kma_copy_free(old.pair);
	kma_copy_free(old.count);
	return true;
}

/* The number that represents the charged cgroup of an owner. */
static u16 kma_charges_key(struct kma_charge_pairs *p, u32 nr)
{
	const struct kma_owner *owner = kma_idtab_record(&kma_owners, nr);
	u32 cgroup;

	if (!owner || owner->charged == KMA_CHARGED_NONE || owner->charged == KMA_CHARGED_UNKNOWN)
		return KMA_OWNER_OTHER;
	cgroup = kma_idtab_find(&kma_cgroups, &owner->charged);
	if (cgroup == KMA_ID_NONE)
		return nr;
	if (!p->cgroup[cgroup])
		p->cgroup[cgroup] = nr;
	return p->cgroup[cgroup];
}

static bool kma_charges_count(struct kma_charge_pairs *p, const struct kma_entry *entry)
{
	const u32 nr = kma_entry_owner(entry);
	u32 at;

	if (!p->owner[nr])
		p->owner[nr] = kma_charges_key(p, nr);
	if (p->owner[nr] == KMA_OWNER_OTHER)
		return true;
	if (p->used > p->nr / 2 && !kma_charges_grow(p))
		return false;
	at = kma_charges_place(p, p->owner[nr] << 16 | entry->row);
	p->used += !p->pair[at];
	p->pair[at] = p->owner[nr] << 16 | entry->row;
	p->count[at]++;
	return true;
}

static void kma_charges_bucket(struct kma_snapshot *snap, struct kma_charge_pairs *p,
			       const struct kma_bucket *b)
{
	struct kma_entry entry;
	int i;

	for (i = 0; i < KMA_SLOTS; i++)
		if (kma_objtab_read(b, i, &entry) && !kma_charges_count(p, &entry))
			snap->cut++;
}

static int kma_charges_walk(struct kma_snapshot *snap, struct kma_charge_pairs *p)
{
	const struct kma_objtab *t = &kma_core.obj;
	int ret = 0;
	u64 i;

	p->owner = kma_copy_alloc(KMA_ID_MAX, sizeof(p->owner[0]));
	p->cgroup = kma_copy_alloc(kma_cgroups.nr, sizeof(p->cgroup[0]));
	if (!p->owner || !p->cgroup || !kma_charges_alloc(p, KMA_CHARGES_MIN))
		return -ENOMEM;
	for (i = 0; !ret && i < kma_objtab_buckets(t); i++) {
		kma_charges_bucket(snap, p, kma_objtab_bucket(t, i));
		ret = kma_snapshot_pause(snap);
	}
	return ret;
}

/* ---- rows -------------------------------------------------------------------- */

static const struct kma_cgroup *kma_charges_cgroup(u64 id)
{
	const u32 nr = kma_idtab_find(&kma_cgroups, &id);

	return nr == KMA_ID_NONE ? NULL : kma_idtab_record(&kma_cgroups, nr);
}

/* After the removal of a cgroup, the kernel charges the one above it.  The root is not charged. */
static u64 kma_charges_now(u64 id)
{
	const struct kma_cgroup *cgroup = kma_charges_cgroup(id);

	while (cgroup && READ_ONCE(cgroup->removed)) {
		id = cgroup->parent;
		cgroup = kma_charges_cgroup(id);
	}
	return !cgroup || cgroup->parent ? id : 0;
}

static void kma_charges_add(struct kma_snapshot *snap, u32 pair, u32 n)
{
	const u32 id = (u16)pair;
	const struct kma_owner *owner = kma_idtab_record(&kma_owners, pair >> 16);
	const struct kma_site_info *info = &kma_core.sites.info[id];
	const u64 size = kma_core.sites.caches.info[info->cache].size;
	const int shift = READ_ONCE(info->shift);
	const u64 weight = kma_sample_weight(size, shift);
	struct kma_charge_row *row = kma_snapshot_add(snap);

	kma_names_need(snap->names, id);
	row->id = id;
	row->charged = owner->charged;
	row->now = kma_charges_now(owner->charged);
	row->estimate[0] = kma_weigh(n * size, weight);
	row->estimate[1] = kma_weigh(n, weight);
	if (shift == KMA_SHIFT_EXACT)
		return;
	row->samples = n;
	row->variance[0] = kma_weigh_variance((kma_u128)n * size * size, weight);
	row->variance[1] = kma_weigh_variance(n, weight);
}

/* The label begins with the path, in which each semicolon is replaced. */
static const char *kma_charges_name(struct kma_names *names, const struct kma_charge_row *row)
{
	/* Protected by kma_lock. */
	static char buf[KMA_CGROUP_PATH + KMA_SYMBOL_LEN + 16];
	const struct kma_cgroup *cgroup = kma_charges_cgroup(row->charged);
	size_t len;

	lockdep_assert_held(&kma_lock);
	if (cgroup)
		len = scnprintf(buf, sizeof(buf), "%s%s", cgroup->path,
				row->now == row->charged ? "" : " (removed)");
	else
		len = scnprintf(buf, sizeof(buf), "#%llu", row->charged);
	strreplace(buf, ';', '?');
	scnprintf(buf + len, sizeof(buf) - len, ";%s", kma_names_known(names, row->id));
	return kma_names_add(names, buf);
}

static int kma_charges_name_all(struct kma_snapshot *snap)
{
	struct kma_charge_row *row = snap->rows;
	int ret = kma_snapshot_name_sites(snap);
	size_t i;

	for (i = 0; !ret && i < snap->nr_rows; i++) {
		row[i].label = kma_charges_name(snap->names, &row[i]);
		ret = row[i].label ? kma_snapshot_pause(snap) : -ENOMEM;
	}
	return ret;
}

static int kma_charges_rows(struct kma_snapshot *snap, const struct kma_charge_pairs *p)
{
	u32 i;

	snap->names = kma_names_new(&kma_core.sites);
	if (!snap->names || kma_snapshot_room(snap, p->used))
		return -ENOMEM;
	for (i = 0; i < p->nr; i++)
		if (p->pair[i])
			kma_charges_add(snap, p->pair[i], p->count[i]);
	return kma_charges_name_all(snap);
}

static int kma_charges_fill(struct kma_snapshot *snap)
{
	struct kma_charge_pairs p = {};
	int ret = kma_charges_walk(snap, &p);

	if (!ret)
		ret = kma_charges_rows(snap, &p);
	kma_charges_free(&p);
	return ret;
}

/* Add up rows of the same call site and cgroup: of several caches, or of several sampling rates. */
static void kma_charges_merge(struct kma_snapshot *snap)
{
	const struct kma_sort by_label = {
		.key = { KMA_CHARGES_COL_charged_site, KMA_CHARGES_COL_charged_id }, .nr = 2,
	};
	struct kma_charge_row *row = snap->rows, *sum;
	size_t i, nr = 0;
	int k;

	kma_snapshot_sort(snap, &by_label);
	for (i = 0; i < snap->nr_rows; i++) {
		sum = nr ? &row[nr - 1] : NULL;
		if (!sum || sum->charged != row[i].charged || strcmp(sum->label, row[i].label)) {
			row[nr++] = row[i];
			continue;
		}
		sum->samples += row[i].samples;
		for (k = 0; k < 2; k++) {
			sum->estimate[k] += row[i].estimate[k];
			sum->variance[k] += row[i].variance[k];
		}
		cond_resched();
	}
	snap->nr_rows = nr;
}

static u64 kma_charges_value(const struct kma_snapshot *snap, const void *row, int column)
{
	const struct kma_charge_row *r = row;

	switch (column) {
	case KMA_CHARGES_COL_live_bytes:
		return kma_estimate_round(r->estimate[0]);
	case KMA_CHARGES_COL_live_objs:
		return kma_estimate_round(r->estimate[1]);
	case KMA_CHARGES_COL_charged_id:
		return r->charged;
	case KMA_CHARGES_COL_now_id:
		return r->now;
	case KMA_CHARGES_COL_live_samples:
		return r->samples;
	case KMA_CHARGES_COL_live_bytes_se:
		return kma_standard_error(r->variance[0]);
	}
	return kma_standard_error(r->variance[1]);
}

static const char *kma_charges_label(const struct kma_snapshot *snap, const void *row)
{
	return ((const struct kma_charge_row *)row)->label;
}

const struct kma_table_ops kma_charges_ops = {
	.row_size = sizeof(struct kma_charge_row),
	.sort = { .key = { KMA_CHARGES_COL_live_bytes }, .nr = 1 },
	.fill = kma_charges_fill,
	.merge = kma_charges_merge,
	.value = kma_charges_value,
	.label = kma_charges_label,
};
