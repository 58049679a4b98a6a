// SPDX-License-Identifier: GPL-2.0
/*
 * `charges`: live objects and pages by the cgroup that is charged for them, and by call site.
 *
 *	live table ----------+--> counts of pairs of charged cgroup and row --> rows
 *	records of pages ----+
 *
 * A page is counted if its record has an owner.  Pages of slabs have none: there, objects are
 * charged.  A large kmalloc is both an object and pages.  It is counted as pages if these were
 * allocated with `pages=sites`, and otherwise as an object.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../core/owner.h"
#include "../state.h"
#include "../trace/owner.h"
#include "../trace/page_track.h"
#include "charge_pairs.h"
#include "charges.h"
#include "seqtab.h"

enum {
#define X(name, ...) KMA_CHARGES_COL_##name,
	KMA_CHARGES_COLUMNS(X)
#undef X
};

/* The counts of a row: indices of @estimate and @variance of struct kma_charge_row. */
enum {
	KMA_CHARGE_OBJ_BYTES,
	KMA_CHARGE_OBJS,
	KMA_CHARGE_PAGE_BYTES,
	KMA_CHARGE_COUNTS
};

/**
 * struct kma_charge_row - a row of the table
 * @charged: ID of the cgroup
 * @now: ID of the cgroup that is charged now; 0 if none is
 * @estimate: sums of kma_weigh()
 * @variance: the variances of these: sums of kma_weigh_variance()
 * @samples: number of objects and page allocations that were sampled
 * @id: number of a row in the table of call sites, of objects or of pages
 * @label: the path of the cgroup, a semicolon, and the call site
 */
struct kma_charge_row {
	u64 charged;
	u64 now;
	kma_u128 estimate[KMA_CHARGE_COUNTS];
	kma_u128 variance[KMA_CHARGE_COUNTS];
	u64 samples;
	u32 id;
	const char *label;
};

/* ---- counting --------------------------------------------------------------- */

struct kma_charge;

/**
 * struct kma_charges_walk - a walk over what cgroups are charged for
 * @owners: the numbers that represent the cgroups
 * @found: called for each object or page
 * @pause: called now and then; ends the walk if it returns an error
 * @snap: the snapshot that is filled, if there is one
 */
struct kma_charges_walk {
	struct kma_charge_owners owners;
	void (*found)(struct kma_charges_walk *w, const struct kma_charge *charge);
	int (*pause)(struct kma_charges_walk *w);
	struct kma_snapshot *snap;
};

/**
 * struct kma_charge - an object or a page that is charged
 * @nr: the number that represents its cgroup
 * @row: the number of its row
 * @page: whether it is a page
 * @whole: whether it is an object, or the first page of a page allocation
 */
struct kma_charge {
	u32 nr;
	u32 row;
	bool page;
	bool whole;
};

/* Whether an object of a row is a large kmalloc. */
static bool kma_charges_is_large(u32 row)
{
	const struct kma_sitetab *t = &kma_core.sites;
	const struct kma_cache_info *cache = &t->caches.info[t->info[row].cache];

	return !cache->name[0] && cache->size > KMALLOC_MAX_CACHE_SIZE;
}

/*
 * Whether the page of an object that is charged is charged by itself, and is recorded in a mode
 * that has call sites: the object is a large kmalloc.  Pages of slabs are not charged, only the
 * objects in them.
 */
static bool kma_charges_is_page(unsigned long ptr, u32 row)
{
	const struct kma_pfn *f = kma_pfntab_find(&kma_pagealloc.pfns, PHYS_PFN(__pa(ptr)));
	struct kma_pfn record;
	u32 gfp;

	if (!f || !kma_pfn_read(f, &record))
		return false;
	if (!kma_pagealloc_is_bare(&kma_pagealloc, &record))
		return kma_pfn_owner(&record) != KMA_OWNER_NONE;
	gfp = kma_class_gfp(kma_pagealloc_class_of(&kma_pagealloc, kma_pfn_row(record.what)));
	return gfp == KMA_CLASS_GFP_OTHER ? kma_charges_is_large(row) : gfp & KMA_GFP_ACCOUNT;
}

static void kma_charges_bucket(struct kma_charges_walk *w, const struct kma_bucket *b)
{
	struct kma_charge charge = { .whole = true };
	struct kma_entry entry;
	unsigned long ptr;
	int i;

	for (i = 0; i < KMA_SLOTS; i++) {
		ptr = kma_objtab_read(b, i, &entry);
		if (!ptr)
			continue;
		charge.nr = kma_charge_owner(&w->owners, kma_entry_owner(&entry));
		charge.row = entry.row;
		if (charge.nr && !kma_charges_is_page(ptr, entry.row))
			w->found(w, &charge);
	}
}

static void kma_charges_chunk(struct kma_charges_walk *w, const struct kma_pfn *f)
{
	const struct kma_pfn *end = f + KMA_CHUNK_PFNS;
	struct kma_charge charge = { .page = true };
	struct kma_pfn record;

	for (; f < end; f++) {
		if (!kma_pfn_read(f, &record) || kma_pagealloc_is_bare(&kma_pagealloc, &record))
			continue;
		charge.nr = kma_charge_owner(&w->owners, kma_pfn_owner(&record));
		charge.row = kma_pfn_row(record.what);
		charge.whole = !(record.what & KMA_PFN_REST);
		if (charge.nr)
			w->found(w, &charge);
	}
}

/* Find all objects, and then all pages. */
static int kma_charges_walk(struct kma_charges_walk *w)
{
	const struct kma_pfn *f;
	int ret = 0;
	u64 i;

	for (i = 0; !ret && i < kma_objtab_buckets(&kma_core.obj); i++) {
		kma_charges_bucket(w, kma_objtab_bucket(&kma_core.obj, i));
		ret = w->pause(w);
	}
	for (i = 0; !ret && i < kma_pagealloc.pfns.nr_chunks; i++) {
		f = kma_pfntab_find(&kma_pagealloc.pfns, i << KMA_CHUNK_SHIFT);
		if (f)
			kma_charges_chunk(w, f);
		ret = w->pause(w);
	}
	return ret;
}

/* ---- sums of cgroups ----------------------------------------------------------- */

/**
 * struct kma_charges_sums - the bytes that cgroups are charged for
 * @walk: the walk
 * @bytes: the sums, by the number that represents a cgroup
 * @steps: number of pauses
 * @changes: kma_charges_changes() when the walk began
 */
struct kma_charges_sums {
	struct kma_charges_walk walk;
	u64 *bytes;
	u32 steps;
	u64 changes;
};

/* Changes while kma_lock is released, after which numbers may have another meaning. */
static u64 kma_charges_changes(void)
{
	return kma_state_changes() + kma_owner_recycled();
}

/* Add the estimate of the bytes of an object or a page. */
static void kma_charges_sum_found(struct kma_charges_walk *w, const struct kma_charge *charge)
{
	struct kma_charges_sums *s = container_of(w, struct kma_charges_sums, walk);
	const struct kma_sitetab *t = charge->page ? &kma_pagealloc.sites : &kma_core.sites;
	const struct kma_site_info *info = &t->info[charge->row];
	const u32 size = t->caches.info[info->cache].size;
	const u64 weight = kma_sample_weight(size, READ_ONCE(info->shift));

	s->bytes[charge->nr] += kma_estimate_round(kma_weigh(charge->page ? PAGE_SIZE : size,
							     weight));
}

#define KMA_CHARGES_STEPS	1024

static int kma_charges_sum_pause(struct kma_charges_walk *w)
{
	struct kma_charges_sums *s = container_of(w, struct kma_charges_sums, walk);

	if (++s->steps % KMA_CHARGES_STEPS)
		return 0;
	kma_lock_pause();
	return s->changes == kma_charges_changes() ? 0 : -EAGAIN;
}

static void kma_charges_give_sums(const struct kma_charges_sums *s, void (*begin)(void),
				  void (*add)(u64 cgroup, u64 bytes))
{
	const struct kma_owner *owner;
	u32 nr;

	begin();
	for (nr = 0; nr < kma_owners.nr; nr++) {
		owner = s->bytes[nr] ? kma_idtab_record(&kma_owners, nr) : NULL;
		if (owner)
			add(owner->charged, s->bytes[nr]);
	}
}

int kma_charges_sum(void (*begin)(void), void (*add)(u64 cgroup, u64 bytes))
{
	struct kma_charges_sums s = {
		.walk = { .found = kma_charges_sum_found, .pause = kma_charges_sum_pause },
		.changes = kma_charges_changes(),
	};
	int ret = kma_charge_owners_init(&s.walk.owners);

	s.bytes = kma_copy_alloc(kma_owners.nr, sizeof(*s.bytes));
	if (!s.bytes)
		ret = -ENOMEM;
	ret = ret ?: kma_charges_walk(&s.walk);
	if (!ret)
		kma_charges_give_sums(&s, begin, add);
	kma_charge_owners_free(&s.walk.owners);
	kma_copy_free(s.bytes);
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

static struct kma_charge_row *kma_charges_add(struct kma_snapshot *snap,
					      const struct kma_charge_pair *p)
{
	const struct kma_owner *owner = kma_idtab_record(&kma_owners, kma_charge_pair_owner(p));
	struct kma_charge_row *row = kma_snapshot_add(snap);

	row->id = kma_charge_pair_row(p);
	row->charged = owner->charged;
	row->now = kma_charges_now(owner->charged);
	kma_names_need(snap->names, row->id);
	return row;
}

/* Set an estimate from @n, a number of samples or their bytes, and the sum of their squares. */
static void kma_charges_estimate(struct kma_charge_row *row, int count, u64 n, kma_u128 squares,
				 u64 weight)
{
	row->estimate[count] = kma_weigh(n, weight);
	row->variance[count] = kma_weigh_variance(squares, weight);
}

static void kma_charges_add_objs(struct kma_snapshot *snap, const struct kma_charge_pair *p)
{
	struct kma_charge_row *row = kma_charges_add(snap, p);
	const struct kma_site_info *info = &kma_core.sites.info[row->id];
	const u64 size = kma_core.sites.caches.info[info->cache].size;
	const int shift = READ_ONCE(info->shift);
	const u64 weight = kma_sample_weight(size, shift);

	kma_charges_estimate(row, KMA_CHARGE_OBJ_BYTES, p->n * size,
			     (kma_u128)p->n * size * size, weight);
	kma_charges_estimate(row, KMA_CHARGE_OBJS, p->n, p->n, weight);
	row->samples = shift == KMA_SHIFT_EXACT ? 0 : p->n;
}

/*
 * Some pages of an allocation may have been freed.  As in page_callers, the variance is an upper
 * bound.
 */
static void kma_charges_add_pages(struct kma_snapshot *snap, const struct kma_charge_pair *p)
{
	struct kma_charge_row *row = kma_charges_add(snap, p);
	const struct kma_site_info *info = &kma_pagealloc.sites.info[row->id];
	const u64 most = kma_pagealloc.sites.caches.info[info->cache].size;
	const int shift = READ_ONCE(info->shift);
	const u64 bytes = (u64)p->n * PAGE_SIZE;

	kma_charges_estimate(row, KMA_CHARGE_PAGE_BYTES, bytes, (kma_u128)bytes * most,
			     kma_sample_weight(most, shift));
	row->samples = shift == KMA_SHIFT_EXACT ? 0 : p->wholes;
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
	kma_label_clean(buf);
	strreplace(buf, ';', '?');
	scnprintf(buf + len, sizeof(buf) - len, ";%s", kma_names_known(names, row->id));
	return kma_names_add(names, buf);
}

/* Name the rows from @i on. */
static int kma_charges_name_all(struct kma_snapshot *snap, size_t i)
{
	struct kma_charge_row *row = snap->rows;
	int ret = kma_snapshot_name_sites(snap);

	for (; !ret && i < snap->nr_rows; i++) {
		row[i].label = kma_charges_name(snap->names, &row[i]);
		ret = row[i].label ? kma_snapshot_pause(snap) : -ENOMEM;
	}
	return ret;
}

static int kma_charges_rows(struct kma_snapshot *snap, const struct kma_charge_pairs *pairs,
			    void (*add)(struct kma_snapshot *snap,
					const struct kma_charge_pair *p))
{
	const size_t first = snap->nr_rows;
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < pairs->nr; i++) {
		if (pairs->pair[i].key)
			add(snap, &pairs->pair[i]);
		if (!(i % 1024))
			ret = kma_snapshot_pause(snap);
	}
	return ret ?: kma_charges_name_all(snap, first);
}

/* The pairs, while they are counted. */
struct kma_charges {
	struct kma_charges_walk walk;
	struct kma_charge_pairs objs;
	struct kma_charge_pairs pages;
};

static void kma_charges_count(struct kma_charges_walk *w, const struct kma_charge *charge)
{
	struct kma_charges *c = container_of(w, struct kma_charges, walk);

	w->snap->cut += !kma_charge_pairs_add(charge->page ? &c->pages : &c->objs, charge->nr,
					      charge->row, charge->whole);
}

static int kma_charges_pause(struct kma_charges_walk *w)
{
	return kma_snapshot_pause(w->snap);
}

static int kma_charges_make(struct kma_snapshot *snap, struct kma_charges *c)
{
	int ret;

	if (kma_charge_owners_init(&c->walk.owners) || kma_charge_pairs_init(&c->objs) ||
	    kma_charge_pairs_init(&c->pages))
		return -ENOMEM;
	ret = kma_charges_walk(&c->walk);
	if (ret)
		return ret;
	snap->names = kma_names_new(&kma_core.sites);
	if (!snap->names || kma_snapshot_room(snap, c->objs.used + c->pages.used))
		return -ENOMEM;
	ret = kma_charges_rows(snap, &c->objs, kma_charges_add_objs);
	if (ret || !c->pages.used)
		return ret;
	if (kma_names_switch(snap->names, &kma_pagealloc.sites))
		return -ENOMEM;
	return kma_charges_rows(snap, &c->pages, kma_charges_add_pages);
}

static int kma_charges_fill(struct kma_snapshot *snap)
{
	struct kma_charges c = {
		.walk = { .found = kma_charges_count, .pause = kma_charges_pause, .snap = snap },
	};
	int ret = kma_charges_make(snap, &c);

	snap->sampled = snap->sampled || READ_ONCE(kma_pagealloc.sites.sampled);
	kma_charge_owners_free(&c.walk.owners);
	kma_charge_pairs_free(&c.objs);
	kma_charge_pairs_free(&c.pages);
	return ret;
}

/*
 * Add up rows of the same call site and cgroup: of several caches, of several sampling rates, or of
 * objects and pages.
 */
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
		for (k = 0; k < KMA_CHARGE_COUNTS; k++) {
			sum->estimate[k] += row[i].estimate[k];
			sum->variance[k] += row[i].variance[k];
		}
		cond_resched();
	}
	snap->nr_rows = nr;
}

static void kma_charges_head(struct seq_file *seq, const struct kma_snapshot *snap)
{
	seq_printf(seq, " pages=%s pages_dropped=%llu", snap->pages,
		   kma_snapshot_pages_dropped(snap));
}

static u64 kma_charges_value(const struct kma_snapshot *snap, const void *row, int column)
{
	const struct kma_charge_row *r = row;

	switch (column) {
	case KMA_CHARGES_COL_live_bytes:
		return kma_estimate_round(r->estimate[KMA_CHARGE_OBJ_BYTES] +
					  r->estimate[KMA_CHARGE_PAGE_BYTES]);
	case KMA_CHARGES_COL_live_objs:
		return kma_estimate_round(r->estimate[KMA_CHARGE_OBJS]);
	case KMA_CHARGES_COL_page_bytes:
		return kma_estimate_round(r->estimate[KMA_CHARGE_PAGE_BYTES]);
	case KMA_CHARGES_COL_charged_id:
		return r->charged;
	case KMA_CHARGES_COL_now_id:
		return r->now;
	case KMA_CHARGES_COL_live_samples:
		return r->samples;
	case KMA_CHARGES_COL_live_bytes_se:
		return kma_standard_error(r->variance[KMA_CHARGE_OBJ_BYTES] +
					  r->variance[KMA_CHARGE_PAGE_BYTES]);
	case KMA_CHARGES_COL_live_objs_se:
		return kma_standard_error(r->variance[KMA_CHARGE_OBJS]);
	}
	return kma_standard_error(r->variance[KMA_CHARGE_PAGE_BYTES]);
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
	.head = kma_charges_head,
	.value = kma_charges_value,
	.label = kma_charges_label,
};
