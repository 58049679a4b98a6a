// SPDX-License-Identifier: GPL-2.0
/* The model that the tables are compared with.  See model.h. */
#include <linux/cpumask.h>
#include <linux/numa.h>
#include <linux/topology.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

void (*kma_model_enter)(void);
void (*kma_model_leave)(void);

static int kma_object_cmp(const void *a, const void *b)
{
	unsigned long x = ((const struct kma_object *)a)->ptr;
	unsigned long y = ((const struct kma_object *)b)->ptr;

	return (x > y) - (x < y);
}

static size_t kma_model_rows_bytes(const struct kma_model *m)
{
	return (m->nr_sites + 1) * KMA_MODEL_CACHES * sizeof(struct kma_row);
}

void kma_model_init(struct kma_model *m, struct kma_core *core, u32 nr_sites,
		    struct kma_object *objects, u32 nr_objects)
{
	u32 i;

	memset(m, 0, sizeof(*m));
	m->core = core;
	m->object = objects;
	m->nr_objects = nr_objects;
	m->nr_sites = nr_sites;
	m->row = calloc(1, kma_model_rows_bytes(m));
	m->gone = calloc(1, kma_model_rows_bytes(m));
	m->got = calloc(1, kma_model_rows_bytes(m));
	m->cache = calloc(KMA_MODEL_CACHES, sizeof(m->cache[0]));
	if (!m->row || !m->gone || !m->got || !m->cache)
		abort();
	for (i = 0; i < KMA_MODEL_CACHES; i++) {
		/* From 64 bytes, in steps for which no two caches share a number (cachetab.h) */
		m->cache[i].size = ((i + 3) % 4 + 5) << (3 + (i + 3) / 4);
		m->cache[i].object_size = m->cache[i].size - 8;
		m->cache[i].charged = i >= KMA_MODEL_KMALLOCS && i % 2;
		snprintf(m->cache[i].name, KMA_CACHE_NAME_LEN, "cache-%u", i);
	}
	qsort(objects, nr_objects, sizeof(objects[0]), kma_object_cmp);
}

void kma_model_destroy(struct kma_model *m)
{
	free(m->row);
	free(m->gone);
	free(m->got);
	free(m->cache);
}

void kma_model_owners(void)
{
	if (kma_owners_init(0))
		abort();
	kma_env_owners = true;
}

void kma_model_reset(struct kma_model *m)
{
	u32 i;
	int cpu;

	memset(m->row, 0, kma_model_rows_bytes(m));
	memset(m->gone, 0, kma_model_rows_bytes(m));
	memset(m->left, 0, sizeof(m->left));
	memset(m->stat, 0, sizeof(m->stat));
	m->allocs = 0;
	m->frees = 0;
	for (i = 0; i < m->nr_objects; i++) {
		m->object[i].live = false;
		m->object[i].left = false;
	}
	for_each_possible_cpu(cpu)
		memset(per_cpu(kma_stats, cpu).v, 0, sizeof(kma_stats.v));
}

unsigned long kma_model_cache(const struct kma_model *m, u32 cache)
{
	return cache < KMA_MODEL_KMALLOCS ? m->cache[cache].size :
					    (unsigned long)&m->cache[cache];
}

static struct kma_row *kma_model_row(const struct kma_model *m, u32 site, u32 cache)
{
	return &m->row[site * KMA_MODEL_CACHES + cache];
}

/* ---- events ---------------------------------------------------------------- */

/* Counts of @stat on this CPU that are not in the model yet. */
static u64 kma_model_ahead(const struct kma_model *m, enum kma_stat stat)
{
	return per_cpu(kma_stats, kma_env.cpu).v[stat] - m->stat[stat];
}

/* The paths under test.  They are not inlined, just as probes are functions of their own. */
static noinline void kma_model_do_alloc(struct kma_core *core,
					const struct kma_event *ev)
{
	kma_record_alloc(core, ev);
}

static noinline void kma_model_do_bulk(struct kma_core *core,
				       const struct kma_event *ev)
{
	kma_record_bulk(core, ev);
}

static noinline void kma_model_do_free(struct kma_core *core, unsigned long ptr)
{
	kma_record_free(core, ptr, true);
}

static void kma_model_hit(struct kma_model *m, struct kma_object *o,
			  const struct kma_event *ev, bool bulk, bool no_entry)
{
	struct kma_row *row = kma_model_row(m, o->site, o->cache);

	row->hits += !bulk;
	row->bulk += bulk;
	/* bytes_req of a bulk object is only in its entry. */
	row->bytes_req += bulk ? 0 : ev->bytes_req;
	row->cross_node += ev->node != NUMA_NO_NODE && ev->node != numa_node_id();
	row->no_entry += no_entry;
	o->live = !no_entry;
	o->left = false;
}

/*
 * The task that allocates.  Nearly all events are those of a few tasks that take turns, so that
 * their owners are in the memos.
 */
static void kma_model_set_task(u32 tgid)
{
	kma_env.tgid = tgid;
	kma_env.groups = (void *)(8UL + tgid / 4 % 3 * 8);
	kma_env.interrupt = !kma_model_tgid(tgid);
	kma_env.remote = !(tgid % 7);
}

static void kma_model_object(struct kma_model *m, struct kma_object *o, u32 site,
			     u32 cache, bool bulk)
{
	u64 full = kma_model_ahead(m, KMA_STAT_dropped_live_full);
	u64 other = kma_model_ahead(m, KMA_STAT_other_sites);
	u64 caches = kma_model_ahead(m, KMA_STAT_other_caches);
	u64 inner = kma_model_ahead(m, KMA_STAT_double_fired);
	struct kma_entry e = kma_model_entry(o->ptr, cache, kma_env.now + 1);
	const struct kma_event ev = {
		.site = KMA_MODEL_SITE + 16 * site,
		.ptr = o->ptr,
		.cache = kma_model_cache(m, cache),
		.kmalloc = cache < KMA_MODEL_KMALLOCS,
		.bytes_req = e.bytes_req,
		.node = bulk ? NUMA_NO_NODE : (int)(e.tgid_depth % 3) - 1,
		.charge = e.tgid_depth % 4 ? KMA_CHARGE_NONE : KMA_CHARGE,
	};
	struct kma_env before = kma_env;
	struct kma_owner owner;

	kma_env.now++;
	kma_model_set_task(e.tgid_depth);
	owner = kma_env_owner_key(ev.charge | m->cache[cache].charged * KMA_CHARGE);
	e.tgid_depth = kma_env_tgid();
	if (kma_model_enter)
		kma_model_enter();
	if (bulk)
		kma_model_do_bulk(m->core, &ev);
	else
		kma_model_do_alloc(m->core, &ev);
	if (kma_model_leave)
		kma_model_leave();
	before.now = kma_env.now;
	kma_env = before;

	m->allocs++;
	m->stat[KMA_STAT_other_caches] += kma_model_ahead(m, KMA_STAT_other_caches) - caches;
	inner = kma_model_ahead(m, KMA_STAT_double_fired) - inner;
	m->stat[KMA_STAT_double_fired] += inner;
	if (inner)
		return;
	if (o->live) {
		kma_model_row(m, o->site, o->cache)->repaired++;
		m->stat[KMA_STAT_replaced]++;
	}
	full = kma_model_ahead(m, KMA_STAT_dropped_live_full) - full;
	other = kma_model_ahead(m, KMA_STAT_other_sites) - other;
	m->stat[KMA_STAT_dropped_live_full] += full;
	m->stat[KMA_STAT_other_sites] += other;
	o->site = other ? m->nr_sites : site;
	o->cache = cache;
	o->owner = owner;
	o->entry = e;
	o->entry.bytes_req = ev.bytes_req;
	o->entry.cpu = kma_env.cpu;
	kma_model_hit(m, o, &ev, bulk, full);
}

void kma_model_alloc(struct kma_model *m, struct kma_object *o, u32 site, u32 cache)
{
	kma_model_object(m, o, site, cache, false);
}

void kma_model_bulk(struct kma_model *m, struct kma_object *o, u32 site, u32 cache)
{
	kma_model_object(m, o, site, cache, true);
}

/* The core has found the stale entry of an object, and has counted it as freed. */
static void kma_model_freed_left(struct kma_model *m, struct kma_row *row, bool pingpong)
{
	row->repaired--;
	m->stat[KMA_STAT_page_freed]--;
	row->frees++;
	row->pingpong += pingpong;
}

void kma_model_free(struct kma_model *m, struct kma_object *o)
{
	struct kma_row *row = kma_model_row(m, o->site, o->cache);
	u64 unmatched = kma_model_ahead(m, KMA_STAT_free_unmatched);
	/* Update the model before the free: afterwards another thread may get the address. */
	const bool live = o->live, left = o->left, pingpong = o->entry.cpu != kma_env.cpu;

	o->live = false;
	o->left = false;
	m->frees++;
	if (live) {
		row->frees++;
		row->pingpong += pingpong;
	}
	if (kma_model_enter)
		kma_model_enter();
	kma_model_do_free(m->core, o->ptr);
	if (kma_model_leave)
		kma_model_leave();
	unmatched = kma_model_ahead(m, KMA_STAT_free_unmatched) - unmatched;
	if (left && !unmatched)
		kma_model_freed_left(m, row, pingpong);
	else if (!live)
		m->stat[KMA_STAT_free_unmatched]++;
}

static noinline void kma_model_do_pages_free(struct kma_core *core,
					     unsigned long page, u32 order)
{
	kma_record_pages_free(core, page, order);
}

/* The first object at or above an address. */
static struct kma_object *kma_model_from(const struct kma_model *m, unsigned long ptr)
{
	u32 low = 0, high = m->nr_objects, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (m->object[mid].ptr < ptr)
			low = mid + 1;
		else
			high = mid;
	}
	return &m->object[low];
}

void kma_model_pages_free(struct kma_model *m, unsigned long page, u32 order)
{
	unsigned long end = page + (KMA_PAGE_SIZE << order);
	struct kma_object *o = kma_model_from(m, page);

	for (; o != m->object + m->nr_objects && o->ptr < end; o++) {
		if (!o->live)
			continue;
		o->live = false;
		o->left = true;
		kma_model_row(m, o->site, o->cache)->repaired++;
		m->stat[KMA_STAT_page_freed]++;
	}
	if (kma_model_enter)
		kma_model_enter();
	kma_model_do_pages_free(m->core, page, order);
	if (kma_model_leave)
		kma_model_leave();
}

void kma_model_fork(struct kma_model *m, const struct kma_model *of)
{
	*m = *of;
	m->row = calloc(1, kma_model_rows_bytes(m));
	if (!m->row)
		abort();
}

void kma_model_join(struct kma_model *sum, struct kma_model *m)
{
	u64 *to = (u64 *)sum->row;
	const u64 *from = (const u64 *)m->row;
	size_t i;

	for (i = 0; i < kma_model_rows_bytes(m) / sizeof(u64); i++)
		to[i] += from[i];
	for (i = 0; i < KMA_STAT_NR; i++)
		sum->stat[i] += m->stat[i];
	sum->allocs += m->allocs;
	sum->frees += m->frees;
	free(m->row);
}

/* ---- comparing ------------------------------------------------------------- */

static char kma_difference[200];

#define kma_differ(...)							\
	(snprintf(kma_difference, sizeof(kma_difference), __VA_ARGS__), \
	 (const char *)kma_difference)

/* The model's number for a cache of the core, or KMA_MODEL_CACHES if it is unknown. */
static u32 kma_check_cache(const struct kma_model *m, int id)
{
	const struct kma_cache_info *info = &m->core->sites.caches.info[id];
	u32 i;

	for (i = 0; i < KMA_MODEL_CACHES; i++) {
		const struct kma_env_cache *c = &m->cache[i];

		if (kma_cachetab_state(&m->core->sites.caches, id) != KMA_CACHE_UNUSED &&
		    info->size == c->size &&
		    info->object_size == (i < KMA_MODEL_KMALLOCS ? 0 : c->object_size) &&
		    !strcmp(info->name, i < KMA_MODEL_KMALLOCS ? "" : c->name))
			return i;
	}
	return KMA_MODEL_CACHES;
}

/* Whether a row of a number that caches share is that of this cache. */
static bool kma_check_row_is_of(const struct kma_model *m, const struct kma_site_info *info,
				u32 cache)
{
	const unsigned long word = kma_model_cache(m, cache);
	struct kma_sitetab *t = &m->core->sites;

	/* A row [other] has no slot.  The caches of the model share no number with each other. */
	if (!info->site)
		return kma_cachetab_has(&t->caches, word) &&
		       kma_cachetab_get(&t->caches, word) == info->cache;
	return t->map[info->slot].cache == word;
}

static u32 kma_check_row_cache(const struct kma_model *m, const struct kma_site_info *info)
{
	u32 i;

	if (!kma_cache_is_other(info->cache))
		return kma_check_cache(m, info->cache);
	for (i = 0; i < KMA_MODEL_CACHES && !kma_check_row_is_of(m, info, i); i++)
		;
	return i;
}

long kma_model_row_of(const struct kma_model *m, u32 id)
{
	const struct kma_site_info *info = kma_sitetab_info(&m->core->sites, id);
	u32 site, cache;

	if (!info)
		return -1;
	cache = kma_check_row_cache(m, info);
	site = info->site ? (info->site - KMA_MODEL_SITE) / 16 : m->nr_sites;
	return cache < KMA_MODEL_CACHES && site <= m->nr_sites ?
	       (long)(site * KMA_MODEL_CACHES + cache) : -1;
}

static bool kma_model_wants(void *arg, u32 id, const struct kma_row *sum)
{
	(void)arg;
	(void)id;
	(void)sum;
	return true;
}

static void kma_model_leaves(void *arg, u32 id, struct kma_row *sum)
{
	static const struct kma_row zero;
	struct kma_model *m = arg;
	const long at = kma_model_row_of(m, id);

	/* A row that is not in the model has counted nothing. */
	if (at >= 0)
		kma_row_add(&m->gone[at], sum);
	else if (memcmp(sum, &zero, sizeof(zero)))
		abort();
}

static void kma_model_cache_leaves(void *arg, int id)
{
	static const struct kma_row zero;
	struct kma_model *m = arg;
	const u32 cache = kma_check_cache(m, id);
	const struct kma_row *past = kma_recycle_past(&m->core->sites, id, KMA_SHIFT_EXACT);

	if (cache < KMA_MODEL_CACHES)
		kma_row_add(&m->left[cache], past);
	else if (memcmp(past, &zero, sizeof(zero)))
		abort();
}

static struct kma_recycle kma_model_rows_wanted(struct kma_model *m)
{
	return (struct kma_recycle) {
		.caches = m->caches,
		.cache_leaves = kma_model_cache_leaves,
		.wanted = kma_model_wants,
		.leaves = kma_model_leaves,
		.arg = m,
	};
}

bool kma_model_recycle_begin(struct kma_model *m)
{
	const struct kma_recycle recycle = kma_model_rows_wanted(m);

	return kma_recycle_begin(&m->core->sites, &recycle);
}

u32 kma_model_recycle_finish(struct kma_model *m)
{
	const struct kma_recycle recycle = kma_model_rows_wanted(m);

	return kma_recycle_finish(&m->core->sites, &recycle).rows;
}

u32 kma_model_recycle(struct kma_model *m)
{
	return kma_model_recycle_begin(m) ? kma_model_recycle_finish(m) : 0;
}

/* The counts of recycled rows are in the past of their caches. */
static const char *kma_check_past(const struct kma_model *m)
{
	struct kma_row past[KMA_MODEL_CACHES], gone[KMA_MODEL_CACHES] = {};
	const struct kma_sitetab *t = &m->core->sites;
	u32 i, cache;

	memcpy(past, m->left, sizeof(past));
	for (i = 0; i < (m->nr_sites + 1) * KMA_MODEL_CACHES; i++)
		kma_row_add(&gone[i % KMA_MODEL_CACHES], &m->gone[i]);
	for (i = 0; i < t->caches.nr; i++) {
		cache = kma_check_cache(m, i);
		if (cache < KMA_MODEL_CACHES)
			kma_row_add(&past[cache], kma_recycle_past(t, i, KMA_SHIFT_EXACT));
	}
	return memcmp(past, gone, sizeof(gone)) ?
	       "the past of a cache is not the sum of its recycled rows" : NULL;
}

/* Copy what differs.  A child (step.c) shares the memory that it does not write to. */
static void kma_model_update(struct kma_row *to, const struct kma_row *from, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (memcmp(&to[i], &from[i], sizeof(to[i])))
			to[i] = from[i];
}

static const char *kma_check_rows(const struct kma_model *m)
{
	static const struct kma_row zero;
	const u32 nr = kma_model_rows_bytes(m) / sizeof(m->got[0]);
	struct kma_row *got = m->got, sum;
	long at;
	u32 id, i;

	kma_model_update(got, m->gone, nr);
	for (id = 0; id < kma_sitetab_rows(&m->core->sites); id++) {
		kma_sitetab_sum(&m->core->sites, id, &sum);
		if (!memcmp(&sum, &zero, sizeof(sum)))
			continue;
		at = kma_model_row_of(m, id);
		if (at < 0)
			return kma_differ("row %u has counts, but an unknown site or cache", id);
		kma_row_add(&got[at], &sum);
	}
	for (i = 0; i < nr; i++) {
		if (!memcmp(&got[i], &m->row[i], sizeof(got[i])))
			continue;
		return kma_differ("site %u, cache %u: hits %llu, not %llu; frees %llu, not %llu",
				  i / KMA_MODEL_CACHES, i % KMA_MODEL_CACHES,
				  got[i].hits, m->row[i].hits,
				  got[i].frees, m->row[i].frees);
	}
	return NULL;
}

static const char *kma_check_owner(const struct kma_object *o, u32 owner)
{
	const struct kma_owner *record;

	if (!kma_env_owners)
		return owner ? kma_differ("%#lx has an owner", o->ptr) : NULL;
	if (owner == KMA_OWNER_INTERRUPT)
		return o->owner.comm[0] == 1000 && !o->owner.charged ? NULL :
		       kma_differ("%#lx has an interrupt for an owner", o->ptr);
	record = kma_idtab_record(&kma_owners, owner);
	if (!record || memcmp(record, &o->owner, sizeof(*record)))
		return kma_differ("%#lx has a wrong owner", o->ptr);
	return NULL;
}

static const char *kma_check_entry(const struct kma_model *m, unsigned long ptr,
				   const struct kma_entry *e, bool *seen)
{
	const struct kma_object key = { .ptr = ptr };
	const struct kma_object *o = bsearch(&key, m->object, m->nr_objects,
					     sizeof(key), kma_object_cmp);

	if (!o || !o->live)
		return kma_differ("%#lx is recorded, but not live", ptr);
	if (seen[o - m->object])
		return kma_differ("%#lx is recorded twice", ptr);
	seen[o - m->object] = true;
	if (e->bytes_req != o->entry.bytes_req || e->time != o->entry.time ||
	    kma_entry_tgid(e) != o->entry.tgid_depth || e->cpu != o->entry.cpu ||
	    kma_model_row_of(m, e->row) != (long)(o->site * KMA_MODEL_CACHES + o->cache))
		return kma_differ("%#lx has a wrong entry", ptr);
	return kma_check_owner(o, kma_entry_owner(e));
}

static const char *kma_check_bucket(const struct kma_model *m, u64 nr, u64 *spilled,
				    bool *seen)
{
	const struct kma_objtab *t = &m->core->obj;
	const struct kma_bucket *home, *b = kma_objtab_bucket(t, nr);
	struct kma_entry e;
	unsigned long ptr;
	const char *why;
	u32 i, depth;

	for (i = 0; i < KMA_SLOTS; i++) {
		ptr = kma_objtab_read(b, i, &e);
		if (!ptr && b->key[i])
			return kma_differ("bucket %llu has a busy slot", nr);
		if (!ptr)
			continue;
		why = kma_check_entry(m, ptr, &e, seen);
		if (why)
			return why;
		home = kma_objtab_home(t, ptr);
		depth = kma_entry_depth(&e);
		if (home != b ? depth <= KMA_DEPTH_HOME :
		    i != kma_objtab_slot(ptr) ? depth != KMA_DEPTH_HOME : depth)
			return kma_differ("%#lx has a wrong depth", ptr);
		if (depth)
			spilled[home - t->bucket] += 1ULL << 4 * (depth - 1);
	}
	return NULL;
}

/* Each live object is recorded once, and the words `spilled` count the spilled objects. */
static const char *kma_check_content(const struct kma_model *m, u64 *spilled,
				     bool *seen)
{
	const struct kma_objtab *t = &m->core->obj;
	const char *why = NULL;
	u64 i;

	for (i = 0; !why && i < kma_objtab_buckets(t); i++)
		why = kma_check_bucket(m, i, spilled, seen);
	for (i = 0; !why && i < kma_objtab_buckets(t); i++)
		if ((u64)atomic64_read(&kma_objtab_bucket(t, i)->spilled) != spilled[i])
			why = kma_differ("bucket %llu: spilled %#llx, not %#llx", i,
					 (u64)atomic64_read(&kma_objtab_bucket(t, i)->spilled),
					 spilled[i]);
	for (i = 0; !why && i < m->nr_objects; i++)
		if (m->object[i].live && !seen[i])
			why = kma_differ("%#lx is live, but not recorded",
					 m->object[i].ptr);
	return why;
}

static const char *kma_check_objects(const struct kma_model *m)
{
	u64 *spilled = calloc(kma_objtab_buckets(&m->core->obj), sizeof(*spilled));
	bool *seen = calloc(m->nr_objects, sizeof(*seen));
	const char *why;

	if (!spilled || !seen)
		abort();
	why = kma_check_content(m, spilled, seen);
	free(spilled);
	free(seen);
	return why;
}

/* Check the sums of stat.h that the core has to satisfy, and the core's counters. */
static const char *kma_check_stats(const struct kma_model *m)
{
	struct kma_stats stat;
	struct kma_row all = {};
	u64 spilled, depth, out = 0;
	u32 i;

	kma_stats_sum(&stat);
	for (i = 0; i < (m->nr_sites + 1) * KMA_MODEL_CACHES; i++)
		kma_row_add(&all, &m->row[i]);
	if (m->allocs != all.hits + all.bulk + stat.v[KMA_STAT_double_fired])
		return "allocations: the sums do not add up";
	if (m->frees != all.frees + stat.v[KMA_STAT_free_unmatched])
		return "frees: the sums do not add up";
	for (i = 0; i < KMA_STAT_NR; i++)
		if (i != KMA_STAT_spill_in && i != KMA_STAT_spill_out &&
		    stat.v[i] != m->stat[i])
			return kma_differ("%s: %llu, not %llu", kma_stat_name(i),
					  stat.v[i], m->stat[i]);
	for (i = 0; i < kma_objtab_buckets(&m->core->obj); i++) {
		spilled = atomic64_read(&kma_objtab_bucket(&m->core->obj, i)->spilled);
		for (depth = KMA_DEPTH_HOME; depth < KMA_DEPTHS; depth++)
			out += (spilled >> 4 * depth) & 15;
	}
	if (stat.v[KMA_STAT_spill_in] - stat.v[KMA_STAT_spill_out] != out)
		return "spill_in - spill_out is not the number of objects in other buckets";
	return NULL;
}

/* Remove stale entries: until then, they count as live. */
static void kma_check_sweep(struct kma_model *m)
{
	u64 i;

	for (i = 0; i < kma_objtab_buckets(&m->core->obj); i++)
		kma_record_sweep(m->core, kma_objtab_bucket(&m->core->obj, i));
	for (i = 0; i < m->nr_objects; i++)
		if (m->object[i].left)
			m->object[i].left = false;
}

const char *kma_model_check(struct kma_model *m)
{
	const char *why;

	kma_check_sweep(m);
	why = kma_check_rows(m);
	if (!why)
		why = kma_check_past(m);
	if (!why)
		why = kma_check_objects(m);
	return why ? why : kma_check_stats(m);
}

u64 kma_model_livefilter(const struct kma_core *core)
{
	const struct kma_livefilter *f = &core->livefilter;
	unsigned long i;
	u64 sum = 0;

	for (i = 0; i <= f->mask; i++)
		sum += f->cell[i] & KMA_LIVEFILTER_NUMBER;
	return sum;
}
