// SPDX-License-Identifier: GPL-2.0
/* Rows of tables of counters of objects.  See rows_site.h. */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "../baseline.h"
#include "../core/recycle.h"
#include "../marks.h"
#include "../recycling.h"
#include "../selftest.h"
#include "../state.h"
#include "../trace/bulk.h"
#include "rows_site.h"

u64 kma_frag_milli(u64 bytes_req, u64 bytes_alloc)
{
	u64 waste = bytes_alloc - bytes_req;

	if (!bytes_alloc || bytes_req >= bytes_alloc)
		return 0;
	/* Keep 100,000 * waste below 2^64.  This changes the quotient by less than 2^-45. */
	while (bytes_alloc >> 46) {
		bytes_alloc >>= 1;
		waste >>= 1;
	}
	return div64_u64(100000 * waste + bytes_alloc / 2, bytes_alloc);
}

/*
 * Whether the free of an object of this row was missed, or may have been missed.  If so, fewer
 * objects may be live than are counted.
 */
static bool kma_rows_site_suspect(const struct kma_row *sum)
{
	return sum->repaired || !kma_bulk_frees_followed() || kma_selftest_doubts();
}

/* Get the counts of a row since the last reset. */
static struct kma_row kma_rows_site_since(u32 id, const struct kma_row *sum)
{
	struct kma_row since = *sum;

	if (kma_baseline.row)
		kma_row_subtract(&since, &kma_baseline.row[id]);
	return since;
}

static bool kma_rows_site_read_row(u32 id, struct kma_sitecount_raw *raw)
{
	const struct kma_site_info *info = kma_sitetab_info(&kma_core.sites, id);
	struct kma_row sum;

	if (!info)
		return false;
	kma_sitetab_sum(&kma_core.sites, id, &sum);
	raw->id = id;
	raw->since = kma_rows_site_since(id, &sum);
	raw->live = kma_row_live(&sum);
	raw->confirmed = kma_rows_site_suspect(&sum) ? 0 : raw->live;
	kma_sitecount_raw_set(raw, info->cache, READ_ONCE(info->shift));
	return true;
}

static bool kma_rows_site_read_past(u32 i, struct kma_sitecount_raw *raw)
{
	const struct kma_sitetab *t = &kma_core.sites;
	const int cache = i / KMA_PAST_SHIFTS;
	const int shift = kma_past_shift(i % KMA_PAST_SHIFTS);
	const struct kma_row *past = kma_recycle_past(t, cache, shift);

	/* Without recycled rows, the description of the cache may not be complete yet: skip it. */
	if (!memchr_inv(past, 0, sizeof(*past)))
		return false;
	*raw = (struct kma_sitecount_raw) { .id = t->sites_max + cache, .since = *past };
	kma_sitecount_raw_set(raw, cache, shift);
	return true;
}

static bool kma_rows_site_empty(const struct kma_sitecount_raw *raw)
{
	return !raw->since.hits && !raw->since.bulk && !raw->since.frees && !raw->live;
}

/* Read a row, or recycled rows of a cache.  Return false if the tables leave it out. */
static bool kma_rows_site_read_raw(u32 i, bool samples, struct kma_sitecount_raw *raw)
{
	const u32 rows = kma_sitetab_rows(&kma_core.sites);

	lockdep_assert_held(&kma_lock);
	if (!(i < rows ? kma_rows_site_read_row(i, raw) :
			 kma_rows_site_read_past(i - rows - KMA_RECYCLING_GONE, raw)))
		return false;
	return !kma_rows_site_empty(raw) && (!samples || raw->sampled);
}

/*
 * Indexes of kma_rows_site_read() are those of rows, then of sums of caches that are gone, and then
 * of pairs of cache and shift, which exist once rows have been recycled.
 */
static u32 kma_rows_site_pasts(void)
{
	const struct kma_sitetab *t = &kma_core.sites;

	return t->past ? t->caches.nr * KMA_PAST_SHIFTS : 0;
}

u32 kma_rows_site_nr(void)
{
	return kma_sitetab_rows(&kma_core.sites) + KMA_RECYCLING_GONE + kma_rows_site_pasts();
}

/*
 * Get the sums of caches that are gone.  Return: NULL if the index is that of a row, or of a cache
 * and shift.
 */
static const struct kma_recycling_gone *kma_rows_site_gone(u32 i)
{
	i -= kma_sitetab_rows(&kma_core.sites);
	return i < KMA_RECYCLING_GONE ? kma_recycling_gone(i) : NULL;
}

bool kma_rows_site_recorded(u32 i, struct kma_row *since, u64 *live)
{
	const struct kma_recycling_gone *gone = kma_rows_site_gone(i);
	const struct kma_sitetab *t = &kma_core.sites;
	const u32 rows = kma_sitetab_rows(t);
	struct kma_row sum;

	lockdep_assert_held(&kma_lock);
	*live = 0;
	if (gone) {
		*since = gone->row;
		return true;
	}
	if (i >= rows) {
		i -= rows + KMA_RECYCLING_GONE;
		*since = *kma_recycle_past(t, i / KMA_PAST_SHIFTS,
					   kma_past_shift(i % KMA_PAST_SHIFTS));
		return true;
	}
	if (!kma_sitetab_info(t, i))
		return false;
	kma_sitetab_sum(t, i, &sum);
	*since = kma_rows_site_since(i, &sum);
	*live = kma_row_live(&sum);
	return true;
}

static bool kma_rows_site_shows(const struct kma_recycling_gone *gone, bool samples)
{
	return (gone->row.hits || gone->row.bulk || gone->row.frees) &&
	       (!samples || gone->sampled);
}

bool kma_rows_site_read(u32 i, bool samples, struct kma_site_counts *counts)
{
	const struct kma_recycling_gone *gone = kma_rows_site_gone(i);
	struct kma_sitecount_raw raw;

	if (gone) {
		*counts = gone->counts;
		return kma_rows_site_shows(gone, samples);
	}
	if (!kma_rows_site_read_raw(i, samples, &raw))
		return false;
	kma_sitecount_read(counts, &raw);
	return true;
}

/* ---- changes ------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	u32 seconds;
} kma_windows[KMA_WINDOWS] = {
	{ "1m", 60 }, { "10m", 600 }, { "1h", 3600 },
};

static void kma_rows_site_set_windows(struct kma_snapshot *snap)
{
	const u64 now = kma_marks_now();
	int i;

	for (i = 0; i < KMA_WINDOWS; i++)
		snap->windows[i] = kma_history_at(&kma_history, now, kma_windows[i].seconds);
}

/* Set the changes of a row of the site table.  Return false if all of them are 0. */
static bool kma_rows_site_changes(const struct kma_snapshot *snap, u32 id, bool samples,
				  struct kma_site_counts *counts)
{
	bool any = false;
	int i;

	if (!kma_history_changed(&kma_history, &kma_core.sites, id, samples, snap->windows,
				 KMA_WINDOWS, counts->change))
		return false;
	for (i = 0; i < KMA_WINDOWS; i++)
		any |= snap->windows[i].index >= 0 &&
		       (counts->change[i].kib || counts->change[i].variance);
	return any;
}

static s64 kma_rows_site_change(const struct kma_snapshot *snap,
				const struct kma_site_counts *counts, int window, bool error)
{
	const struct kma_history_change *change = &counts->change[window];

	if (snap->windows[window].index < 0)
		return KMA_UNKNOWN;
	/* The unit of the variance is the square of 64 bytes. */
	return error ? 64 * kma_sqrt(change->variance) : 1024 * change->kib;
}

void kma_rows_site_head(struct seq_file *seq, const struct kma_snapshot *snap)
{
	int i;

	for (i = 0; i < KMA_WINDOWS; i++) {
		if (snap->windows[i].index < 0)
			seq_printf(seq, " change_%s_s=-", kma_windows[i].name);
		else
			seq_printf(seq, " change_%s_s=%u", kma_windows[i].name,
				   snap->windows[i].age);
	}
}

/* ---- rows ---------------------------------------------------------------------------------- */

u64 kma_rows_site_value(const struct kma_snapshot *snap, const void *row, int column)
{
	const struct kma_site_counts *counts = row;

	if (column >= KMA_COUNT_CHANGES_ERRORS)
		return kma_rows_site_change(snap, counts, column - KMA_COUNT_CHANGES_ERRORS, true);
	if (column >= KMA_COUNT_CHANGES && column < KMA_COUNT_ERRORS)
		return kma_rows_site_change(snap, counts, column - KMA_COUNT_CHANGES, false);
	if (column >= KMA_COUNT_ERRORS)
		return kma_standard_error(counts->variance[column - KMA_COUNT_ERRORS]);
	if (column == KMA_COUNT_frag_pct)
		return kma_frag_milli(counts->v[KMA_COUNT_bytes_req],
				      counts->v[KMA_COUNT_bytes_alloc]);
	return counts->v[column];
}

const char *kma_rows_site_label(const struct kma_snapshot *snap, const void *row)
{
	const struct kma_site_counts *counts = row;

	return counts->label;
}

void kma_rows_site_merge(struct kma_snapshot *snap)
{
	const struct kma_sort by_label = { .key = { KMA_COUNT_NR }, .nr = 1 };
	struct kma_site_counts *row = snap->rows;
	size_t i, nr = 0;

	/* The rows were chosen by address.  Others of the same name may be missing. */
	if (snap->limit)
		return;
	kma_snapshot_sort(snap, &by_label);
	for (i = 0; i < snap->nr_rows; i++) {
		if (nr && !strcmp(row[nr - 1].label, row[i].label))
			kma_sitecount_add(&row[nr - 1], &row[i]);
		else
			row[nr++] = row[i];
		cond_resched();
	}
	snap->nr_rows = nr;
}

/* A look-up takes long, so the counters of all rows have been copied before. */
static int kma_rows_site_name(struct kma_snapshot *snap,
			      const char *(*name)(struct kma_names *, u32))
{
	struct kma_site_counts *row = snap->rows;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < snap->nr_rows; i++) {
		row[i].label = name(snap->names, row[i].id);
		ret = row[i].label ? kma_snapshot_pause(snap) : -ENOMEM;
	}
	return ret;
}

/* The most rows that a snapshot can have.  Most pairs of cache and shift have no recycled rows. */
static u32 kma_rows_site_most(void)
{
	const u32 rows = kma_sitetab_rows(&kma_core.sites);
	u32 most = rows + KMA_RECYCLING_GONE, i;
	struct kma_sitecount_raw raw;

	for (i = 0; i < kma_rows_site_pasts(); i++) {
		most += kma_rows_site_read_past(i, &raw);
		cond_resched();
	}
	return most;
}

/* Whether a row may have changes, although it has counted nothing since the last reset. */
static bool kma_rows_site_may_change(u32 id, bool samples)
{
	const struct kma_sitetab *t = &kma_core.sites;

	/* The history of what has left is that of a row [other], which need not be in use. */
	if (id >= t->sites_max)
		return true;
	return kma_sitetab_info(t, id) && (!samples || kma_sitetab_is_sampled(t, id));
}

/* Read a row with its changes. */
static bool kma_rows_site_read_changes(struct kma_snapshot *snap, u32 i, bool samples,
				       struct kma_site_counts *counts)
{
	const bool shown = kma_rows_site_read(i, samples, counts);

	if (i >= kma_sitetab_rows(&kma_core.sites))
		return shown;
	if (!shown && !kma_rows_site_may_change(i, samples))
		return false;
	if (!shown)
		*counts = (struct kma_site_counts) { .id = i };
	return kma_rows_site_changes(snap, i, samples, counts) || shown;
}

/* ---- call sites ------------------------------------------------------------------------------ */

/**
 * struct kma_rows_site_at - where the events of a row come from
 * @site: the call site; 0 for a row [other]
 * @kept: its name, if its module was unloaded: other code may be at the same address
 * @i: the index of the row
 */
struct kma_rows_site_at {
	unsigned long site;
	const char *kept;
	u32 i;
};

static struct kma_rows_site_at kma_rows_site_of(u32 i)
{
	const struct kma_site_info *info = i < kma_core.sites.sites_max ?
					   kma_sitetab_info(&kma_core.sites, i) : NULL;

	if (!info)
		return (struct kma_rows_site_at) { .i = i };
	return (struct kma_rows_site_at) { info->site, kma_symbol_kept(&kma_core.sites, i), i };
}

static int kma_rows_site_compare(const void *a, const void *b)
{
	const struct kma_rows_site_at *x = a, *y = b;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	if (!x->kept || !y->kept)
		return !!x->kept - !!y->kept;
	return strcmp(x->kept, y->kept);
}

/* Get all rows, those of a call site one after the other.  Returns NULL if there is no memory. */
static struct kma_rows_site_at *kma_rows_site_sort(u32 rows)
{
	struct kma_rows_site_at *at = kma_copy_alloc(rows, sizeof(*at));
	u32 i;

	for (i = 0; at && i < rows; i++)
		at[i] = kma_rows_site_of(i);
	if (at)
		sort(at, rows, sizeof(*at), kma_rows_site_compare, NULL);
	return at;
}

/* One half of the rows is chosen by live bytes, and the other by their change in ten minutes. */
static s64 kma_rows_site_rank(const struct kma_snapshot *snap, const struct kma_site_counts *row,
			      bool fastest)
{
	return !fastest ? row->v[KMA_COUNT_live_bytes] :
	       snap->windows[KMA_WINDOW_10M].index < 0 ? row->change[KMA_WINDOW_1M].kib :
	       row->change[KMA_WINDOW_10M].kib;
}

/* Put a row into one half of the rows, in order, if there is room or if another row ranks lower. */
static void kma_rows_site_choose(const struct kma_snapshot *snap, struct kma_site_counts *half,
				 u32 *nr, const struct kma_site_counts *row, bool fastest)
{
	const s64 rank = kma_rows_site_rank(snap, row, fastest);
	u32 at = *nr;

	if (rank <= 0)
		return;
	while (at && kma_rows_site_rank(snap, &half[at - 1], fastest) < rank)
		at--;
	if (at == snap->limit / 2)
		return;
	*nr = min(*nr + 1, snap->limit / 2);
	memmove(&half[at + 1], &half[at], (*nr - at - 1) * sizeof(*half));
	half[at] = *row;
}

/* Read the rows of one call site, from @at[0] on, and add them up.  Returns their number. */
static noinline_for_stack u32 kma_rows_site_read_site(struct kma_snapshot *snap,
						      const struct kma_rows_site_at *at, u32 nr,
						      struct kma_site_counts *sum)
{
	struct kma_site_counts counts;
	u32 k;

	*sum = (struct kma_site_counts) { .id = U32_MAX };
	for (k = 0; k < nr && !kma_rows_site_compare(&at[k], &at[0]); k++) {
		if (!kma_rows_site_read_changes(snap, at[k].i, false, &counts))
			continue;
		if (sum->id == U32_MAX)
			*sum = counts;
		else
			kma_sitecount_add(sum, &counts);
	}
	return k;
}

/* Whether the first half has a row. */
static bool kma_rows_site_is_chosen(const struct kma_site_counts *half, u32 nr, u32 id)
{
	while (nr && half[nr - 1].id != id)
		nr--;
	return nr;
}

/* Make the rows of the call sites with the most live bytes, and of those that grow most. */
static noinline_for_stack int kma_rows_site_fill_limited(struct kma_snapshot *snap)
{
	const u32 rows = kma_rows_site_nr(), half = snap->limit / 2;
	struct kma_rows_site_at *at = kma_rows_site_sort(rows);
	struct kma_site_counts *row, sum;
	u32 nr[2] = {}, i;
	int ret = 0;

	if (!at || kma_snapshot_room(snap, 2 * half))
		return -ENOMEM;
	row = snap->rows;
	for (i = 0; !ret && i < rows;) {
		i += kma_rows_site_read_site(snap, &at[i], rows - i, &sum);
		if (sum.id != U32_MAX) {
			snap->cut++;
			kma_rows_site_choose(snap, row, &nr[0], &sum, false);
			kma_rows_site_choose(snap, row + half, &nr[1], &sum, true);
		}
		ret = kma_snapshot_pause(snap);
	}
	snap->nr_rows = nr[0];
	for (i = 0; i < nr[1]; i++)
		if (!kma_rows_site_is_chosen(row, nr[0], row[half + i].id))
			row[snap->nr_rows++] = row[half + i];
	snap->cut -= snap->nr_rows;
	kma_copy_free(at);
	return ret;
}

u64 kma_rows_site_growth(u32 seconds, unsigned long *site)
{
	const struct kma_history_mark mark = kma_history_at(&kma_history, kma_marks_now(), seconds);
	const u32 rows = kma_sitetab_rows(&kma_core.sites);
	struct kma_rows_site_at *at = mark.index < 0 ? NULL : kma_rows_site_sort(rows);
	struct kma_history_change change;
	s64 most = 0, sum = 0;
	u64 variance = 0;
	u32 i;

	for (i = 0; at && i < rows; i++) {
		if (i && kma_rows_site_compare(&at[i], &at[i - 1])) {
			sum = 0;
			variance = 0;
		}
		cond_resched();
		if (kma_rows_site_may_change(at[i].i, false) &&
		    kma_history_changed(&kma_history, &kma_core.sites, at[i].i, false, &mark, 1,
					&change)) {
			sum += change.kib;
			variance += change.variance;
		}
		/* The unit of the variance is the square of 64 bytes: two standard errors. */
		if ((i + 1 == rows || kma_rows_site_compare(&at[i + 1], &at[i])) && at[i].site &&
		    sum - (s64)(kma_sqrt(variance) / 8) > most) {
			most = sum - (s64)(kma_sqrt(variance) / 8);
			*site = at[i].site;
		}
	}
	kma_copy_free(at);
	return 1024 * (u64)most;
}

int kma_rows_site_fill(struct kma_snapshot *snap,
		       const char *(*name)(struct kma_names *, u32), bool samples)
{
	const struct kma_sitetab *t = &kma_core.sites;
	const u64 marks = kma_history.marks;
	struct kma_site_counts counts, *row;
	const u32 nr = kma_rows_site_nr();
	int ret = 0;
	u32 i;

	snap->names = kma_names_new(t);
	if (!snap->names)
		return -ENOMEM;
	kma_rows_site_set_windows(snap);
	if (snap->limit)
		return kma_rows_site_fill_limited(snap) ?: kma_rows_site_name(snap, name);
	if (kma_snapshot_room(snap, kma_rows_site_most()))
		return -ENOMEM;
	for (i = 0; !ret && i < nr; i++) {
		if (kma_rows_site_read_changes(snap, i, samples, &counts)) {
			row = kma_snapshot_add(snap);
			*row = counts;
		}
		ret = kma_snapshot_pause(snap);
	}
	/* New marks may have linked rows to other slots meanwhile. */
	if (!ret && marks != kma_history.marks)
		ret = -EAGAIN;
	return ret ?: kma_rows_site_name(snap, name);
}
