// SPDX-License-Identifier: GPL-2.0
/* `history`: what was live at earlier times, by cache and call site. */
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "../core/history.h"
#include "../marks.h"
#include "../state.h"
#include "seqtab.h"

enum {
#define X(name, ...) KMA_HISTORY_COL_##name,
	KMA_HISTORY_COLUMNS(X)
#undef X
};

/*
 * A slot of the history.  Several slots may have the same label: samples have one for each stack.
 * They are printed as one line, so each has the sum of their live sizes.
 */
struct kma_history_row {
	u32 id;
	u16 recent;
	u32 word[KMA_HISTORY_MARKS];
	u64 live_kb;
	const char *label;
};

/* What @marks of a snapshot points to; both members are freed together. */
struct kma_history_copy {
	struct kma_history_marks marks;
	struct kma_recent recent;
};

static_assert(!offsetof(struct kma_history_copy, marks));

static const struct kma_recent *kma_history_recent(const struct kma_snapshot *snap)
{
	return &container_of(snap->marks, struct kma_history_copy, marks)->recent;
}

static u32 kma_history_newest(const struct kma_snapshot *snap)
{
	const struct kma_history_marks *marks = snap->marks;

	return marks->mark[0][marks->nr[0] - 1].index;
}

static u64 kma_history_table_value(const struct kma_snapshot *snap, const void *row, int column)
{
	return ((const struct kma_history_row *)row)->live_kb;
}

static const char *kma_history_table_label(const struct kma_snapshot *snap, const void *row)
{
	return ((const struct kma_history_row *)row)->label;
}

static int kma_history_name(struct kma_snapshot *snap)
{
	struct kma_history_row *row = snap->rows;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < snap->nr_rows; i++) {
		row[i].label = kma_names_cache_site(snap->names, row[i].id);
		ret = row[i].label ? kma_snapshot_pause(snap) : -ENOMEM;
	}
	return ret;
}

/* Between two pauses, an entry may be given to another slot. */
static u16 kma_history_entry(const struct kma_snapshot *snap, u32 s)
{
	const u16 nr = kma_history.slot[s].recent;

	if (nr == KMA_RECENT_NONE || kma_history_recent(snap)->entry[nr - 1].slot != s)
		return KMA_RECENT_NONE;
	return nr;
}

static void kma_history_add_row(struct kma_snapshot *snap, u32 s)
{
	u32 id;
	const struct kma_history_slot *slot = kma_history_past(&kma_history, &kma_core.sites, s,
							       &id);
	struct kma_history_row *row = slot ? kma_snapshot_add(snap) : NULL;

	if (!row)
		return;
	row->id = id;
	row->recent = kma_history_entry(snap, s);
	memcpy(row->word, slot->word, sizeof(row->word));
}

/* ---- the largest and the fastest ------------------------------------------------------------ */

/**
 * struct kma_history_group - the slots of a call site and a cache
 * @site: the call site
 * @cache: the cache
 * @slot: one of the slots
 * @kib: how much of the group is live, and how much it has grown, in KiB
 */
struct kma_history_group {
	unsigned long site;
	u16 cache;
	u16 slot;
	s64 kib[2];
};

static int kma_history_compare(const void *a, const void *b)
{
	const struct kma_history_group *x = a, *y = b;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return x->cache - y->cache;
}

/* Slots of one group stay together. */
static int kma_history_compare_kib(const struct kma_history_group *x,
				   const struct kma_history_group *y, int by)
{
	if (x->kib[by] != y->kib[by])
		return x->kib[by] > y->kib[by] ? -1 : 1;
	return kma_history_compare(x, y);
}

static int kma_history_compare_live(const void *a, const void *b)
{
	return kma_history_compare_kib(a, b, 0);
}

static int kma_history_compare_growth(const void *a, const void *b)
{
	return kma_history_compare_kib(a, b, 1);
}

/* The time over which growth counts, in seconds; less if there is no mark that is as old. */
#define KMA_HISTORY_GROWTH_S	600

/* The index of the mark from which on growth counts. */
static u32 kma_history_oldest(const struct kma_snapshot *snap)
{
	const struct kma_history_marks *marks = snap->marks;
	u32 m = marks->nr[1];

	while (m > 1 && marks->mark[1][m - 1].age < KMA_HISTORY_GROWTH_S)
		m--;
	return m ? marks->mark[1][m - 1].index : kma_history_newest(snap);
}

/* Get all slots that have a history.  Returns their number. */
static u32 kma_history_groups(const struct kma_snapshot *snap, struct kma_history_group *group)
{
	const u32 newest = kma_history_newest(snap), oldest = kma_history_oldest(snap);
	const struct kma_sitetab *t = &kma_core.sites;
	const struct kma_history_slot *slot;
	u32 s, id, nr = 0;
	s64 kib;

	for (s = 0; s < kma_history.nr_slots && nr < kma_history.used; s++) {
		slot = kma_history_past(&kma_history, t, s, &id);
		if (!slot)
			continue;
		kib = kma_history_unpack(slot->word[newest]).kib;
		group[nr++] = (struct kma_history_group) {
			.site = t->info[id].site, .cache = slot->cache, .slot = s,
			.kib = { kib, kib - (s64)kma_history_unpack(slot->word[oldest]).kib },
		};
	}
	return nr;
}

/* The number of slots, from this one on, that are of its group. */
static u32 kma_history_group_slots(const struct kma_history_group *group, u32 nr)
{
	u32 i = 1;

	while (i < nr && !kma_history_compare(&group[0], &group[i]))
		i++;
	return i;
}

/* Give each slot the sums of its group.  Returns the number of groups. */
static u32 kma_history_add_up(struct kma_history_group *group, u32 nr)
{
	u32 i, k, slots, groups = 0;
	s64 live, growth;

	sort(group, nr, sizeof(*group), kma_history_compare, NULL);
	for (i = 0; i < nr; i += slots, groups++) {
		slots = kma_history_group_slots(&group[i], nr - i);
		live = 0;
		growth = 0;
		for (k = i; k < i + slots; k++) {
			live += group[k].kib[0];
			growth += group[k].kib[1];
		}
		for (k = i; k < i + slots; k++) {
			group[k].kib[0] = live;
			group[k].kib[1] = growth;
		}
	}
	return groups;
}

/* Samples have several slots for a call site and a cache.  Of a group, all slots have rows. */
#define KMA_HISTORY_SLOTS_OF_ROW	4

/* Make the rows of the first groups, up to half of the limit, and do not choose these again. */
static void kma_history_choose(struct kma_snapshot *snap, struct kma_history_group *group, u32 nr,
			       int by)
{
	u32 i, chosen, slots;

	for (i = chosen = 0; i < nr && chosen < snap->limit / 2 && group[i].kib[by] > 0; chosen++) {
		slots = kma_history_group_slots(&group[i], nr - i);
		if (snap->nr_rows + slots > snap->max_rows)
			return;
		snap->cut--;
		for (; slots; slots--, i++) {
			kma_history_add_row(snap, group[i].slot);
			group[i].kib[0] = 0;
			group[i].kib[1] = 0;
		}
	}
}

/* Make the rows of the groups that are the largest, and of those that grow most. */
static int kma_history_fill_limited(struct kma_snapshot *snap)
{
	struct kma_history_group *group = kma_copy_alloc(kma_history.used, sizeof(*group));
	u32 nr;

	if (!group || kma_snapshot_room(snap, snap->limit * KMA_HISTORY_SLOTS_OF_ROW))
		return -ENOMEM;
	nr = snap->marks->nr[0] ? kma_history_groups(snap, group) : 0;
	snap->cut = kma_history_add_up(group, nr);
	sort(group, nr, sizeof(*group), kma_history_compare_growth, NULL);
	kma_history_choose(snap, group, nr, 1);
	sort(group, nr, sizeof(*group), kma_history_compare_live, NULL);
	kma_history_choose(snap, group, nr, 0);
	kma_copy_free(group);
	return 0;
}

static int kma_history_fill(struct kma_snapshot *snap)
{
	const u64 marks = kma_history.marks;
	struct kma_history_copy *copy = kma_copy_alloc(1, sizeof(*copy));
	int ret = 0;
	u32 s;

	snap->names = kma_names_new(&kma_core.sites);
	if (!copy)
		return -ENOMEM;
	snap->marks = &copy->marks;
	if (!snap->names)
		return -ENOMEM;
	kma_history_list(&kma_history, kma_marks_now(), snap->marks);
	if (kma_history.recent)
		copy->recent = *kma_history.recent;
	if (snap->limit)
		return kma_history_fill_limited(snap) ?: kma_history_name(snap);
	if (kma_snapshot_room(snap, kma_history.used))
		return -ENOMEM;
	for (s = 0; !ret && s < kma_history.nr_slots; s++) {
		kma_history_add_row(snap, s);
		ret = kma_snapshot_pause(snap);
		/* Since then, new marks may have been set. */
		if (!ret && marks != kma_history.marks)
			ret = -EAGAIN;
	}
	return ret ?: kma_history_name(snap);
}

/* The number of rows, from this one on, that have its label. */
static size_t kma_history_same(const struct kma_snapshot *snap, size_t i)
{
	const struct kma_history_row *row = snap->rows;
	size_t nr = 1;

	while (i + nr < snap->nr_rows && !strcmp(row[i].label, row[i + nr].label))
		nr++;
	return nr;
}

/* Get the word of a slot at a mark.  Returns false if it is not known. */
static bool kma_history_word(const struct kma_snapshot *snap, const struct kma_history_row *row,
			     u32 index, u32 *word)
{
	if (index >= KMA_HISTORY_MARKS)
		return kma_recent_word(kma_history_recent(snap), row->recent,
				       index - KMA_HISTORY_MARKS, word);
	*word = row->word[index];
	return true;
}

/* Add up what was live in some slots at a mark.  Returns false if it is not known of all. */
static bool kma_history_sum(const struct kma_snapshot *snap, const struct kma_history_row *row,
			    size_t nr, u32 index, struct kma_history_value *sum)
{
	struct kma_history_value more;
	size_t i;
	u32 word;

	*sum = (struct kma_history_value) {};
	for (i = 0; i < nr; i++) {
		if (!kma_history_word(snap, &row[i], index, &word))
			return false;
		more = kma_history_unpack(word);
		sum->kib += more.kib;
		sum->variance += more.variance + kma_history_rounding(word);
	}
	return true;
}

static void kma_history_table_merge(struct kma_snapshot *snap)
{
	const struct kma_sort by_label = { .key = { KMA_HISTORY_COL_cache_site }, .nr = 1 };
	struct kma_history_row *row = snap->rows;
	struct kma_history_value sum;
	size_t i, k, nr;

	kma_snapshot_sort(snap, &by_label);
	for (i = 0; i < snap->nr_rows; i += nr) {
		nr = kma_history_same(snap, i);
		kma_history_sum(snap, &row[i], nr, kma_history_newest(snap), &sum);
		for (k = i; k < i + nr; k++)
			row[k].live_kb = sum.kib;
		cond_resched();
	}
}

/* The standard error in KiB of a variance, whose unit is the square of 64 bytes, rounded up. */
static u64 kma_history_error(u64 variance)
{
	/* The root is rounded down. */
	return DIV_ROUND_UP(kma_sqrt(variance) + !!variance, 16);
}

/* Print a list of what was live, or of its standard errors, at the marks at which it is known. */
static void kma_history_show_list(struct seq_file *seq, const struct kma_snapshot *snap,
				  const struct kma_history_row *row, size_t nr, int series,
				  bool errors)
{
	const struct kma_history_mark *mark = snap->marks->mark[series];
	struct kma_history_value sum;
	bool any = false;
	u32 i;

	for (i = 0; i < snap->marks->nr[series]; i++) {
		if (!kma_history_sum(snap, row, nr, mark[i].index, &sum))
			continue;
		seq_printf(seq, "%c%llu", any ? ',' : ' ',
			   errors ? kma_history_error(sum.variance) : sum.kib);
		any = true;
	}
	if (!any)
		seq_puts(seq, " -");
}

static void kma_history_show(struct seq_file *seq, const struct kma_snapshot *snap,
			     const void *at)
{
	const struct kma_history_row *row = at, *rows = snap->rows;
	struct kma_history_value sum;
	size_t nr;
	int i;

	/* The row before this one has printed both. */
	if (row > rows && !strcmp(row[-1].label, row->label))
		return;
	nr = kma_history_same(snap, row - rows);
	seq_printf(seq, "%llu", row->live_kb);
	for (i = 0; i < KMA_HISTORY_SERIES; i++)
		kma_history_show_list(seq, snap, row, nr, i, false);
	kma_history_sum(snap, row, nr, kma_history_newest(snap), &sum);
	seq_printf(seq, " %llu", kma_history_error(sum.variance));
	for (i = 0; i < KMA_HISTORY_SERIES; i++)
		kma_history_show_list(seq, snap, row, nr, i, true);
	seq_printf(seq, " %s\n", row->label);
}

static void kma_history_table_head(struct seq_file *seq, const struct kma_snapshot *snap)
{
	static const char *const names[KMA_HISTORY_SERIES] = { "10s", "1m", "1h" };
	u32 i, m;

	for (i = 0; i < KMA_HISTORY_SERIES; i++) {
		seq_printf(seq, " ages_%s_s%s", names[i], snap->marks->nr[i] ? "" : "=-");
		for (m = 0; m < snap->marks->nr[i]; m++)
			seq_printf(seq, "%c%u", m ? ',' : '=', snap->marks->mark[i][m].age);
	}
}

const struct kma_table_ops kma_history_ops = {
	.row_size = sizeof(struct kma_history_row),
	.sort = { .key = { KMA_HISTORY_COL_live_kb, KMA_HISTORY_COL_cache_site }, .nr = 2 },
	.past = true,
	.chooses = true,
	.fill = kma_history_fill,
	.merge = kma_history_table_merge,
	.head = kma_history_table_head,
	.value = kma_history_table_value,
	.label = kma_history_table_label,
	.show = kma_history_show,
};
