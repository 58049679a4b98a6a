// SPDX-License-Identifier: GPL-2.0
/* The largest rows of a table of counters of objects.  See rows_top.h. */
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/stringhash.h>
#include <linux/string.h>

#include "../state.h"
#include "rows_site.h"
#include "rows_top.h"

/* Numbers of labels and of rows are indexes plus one, so that 0 stands for none. */

/**
 * struct kma_top_label - the rows of one label
 * @label: the label
 * @sum: the sum of the column over its rows, in the unit of kma_weigh()
 * @row: number of its first row; kma_top.next has the others
 * @next: number of the next label with the same hash
 */
struct kma_top_label {
	const char *label;
	kma_u128 sum;
	u32 row;
	u32 next;
};

/**
 * struct kma_top - the labels
 * @label: the labels
 * @nr: number of labels
 * @next: for each row, the number of the next row of its label
 * @head: for each hash, the number of its first label
 * @mask: number of hashes, a power of two, minus one
 * @chosen: indexes of the chosen labels: a heap, whose first one has the smallest sum
 * @nr_chosen: number of @chosen
 */
struct kma_top {
	struct kma_top_label *label;
	u32 nr;
	u32 *next;
	u32 *head;
	u32 mask;
	u32 *chosen;
	u32 nr_chosen;
};

/* ---- labels --------------------------------------------------------------- */

static void kma_top_free(struct kma_top *top)
{
	kma_copy_free(top->label);
	kma_copy_free(top->next);
	kma_copy_free(top->head);
	kma_copy_free(top->chosen);
}

static int kma_top_alloc(struct kma_top *top, u32 rows, u64 most)
{
	const u32 hashes = roundup_pow_of_two(rows + 1);

	*top = (struct kma_top) { .mask = hashes - 1 };
	top->label = kma_copy_alloc(rows, sizeof(top->label[0]));
	top->next = kma_copy_alloc(rows, sizeof(top->next[0]));
	top->head = kma_copy_alloc(hashes, sizeof(top->head[0]));
	top->chosen = kma_copy_alloc(min_t(u64, rows, most), sizeof(top->chosen[0]));
	if (top->label && top->next && top->head && top->chosen)
		return 0;
	kma_top_free(top);
	return -ENOMEM;
}

static struct kma_top_label *kma_top_label(struct kma_top *top, const char *label)
{
	u32 *head = &top->head[hashlen_hash(hashlen_string(NULL, label)) & top->mask];
	struct kma_top_label *l;
	u32 nr;

	for (nr = *head; nr; nr = l->next) {
		l = &top->label[nr - 1];
		if (l->label == label || !strcmp(l->label, label))
			return l;
	}
	l = &top->label[top->nr++];
	l->label = label;
	l->next = *head;
	*head = top->nr;
	return l;
}

/* Add a row to its label. */
static void kma_top_add(struct kma_top *top, const char *label, u32 row, kma_u128 value)
{
	struct kma_top_label *l = kma_top_label(top, label);

	l->sum += value;
	top->next[row] = l->row;
	l->row = row + 1;
}

static int kma_top_read(struct kma_snapshot *snap, struct kma_top *top, u32 rows,
			const char *(*name)(struct kma_names *, u32), bool samples)
{
	const int column = snap->query->sort.key[0];
	const char *label;
	kma_u128 weighed;
	int ret = 0;
	u32 i, id;

	for (i = 0; !ret && i < rows; i++) {
		if (kma_rows_site_read_column(i, samples, column, &id, &weighed)) {
			label = name(snap->names, id);
			if (!label)
				return -ENOMEM;
			kma_top_add(top, label, i, weighed);
		}
		ret = kma_snapshot_pause(snap);
	}
	return ret;
}

/* ---- choosing ------------------------------------------------------------- */

static kma_u128 kma_top_sum(const struct kma_top *top, u32 at)
{
	return top->label[top->chosen[at]].sum;
}

/* Let the label at @at sink below those with smaller sums. */
static void kma_top_sink(struct kma_top *top, u32 at)
{
	u32 child;

	while ((child = 2 * at + 1) < top->nr_chosen) {
		if (child + 1 < top->nr_chosen &&
		    kma_top_sum(top, child + 1) < kma_top_sum(top, child))
			child++;
		if (kma_top_sum(top, at) <= kma_top_sum(top, child))
			return;
		swap(top->chosen[at], top->chosen[child]);
		at = child;
	}
}

/* Let the last label rise above those with larger sums. */
static void kma_top_rise(struct kma_top *top)
{
	u32 at = top->nr_chosen - 1, above;

	while (at) {
		above = (at - 1) / 2;
		if (kma_top_sum(top, above) <= kma_top_sum(top, at))
			return;
		swap(top->chosen[at], top->chosen[above]);
		at = above;
	}
}

static void kma_top_offer(struct kma_top *top, u32 i, u64 most)
{
	if (top->nr_chosen < most) {
		top->chosen[top->nr_chosen++] = i;
		kma_top_rise(top);
	} else if (top->label[i].sum > kma_top_sum(top, 0)) {
		top->chosen[0] = i;
		kma_top_sink(top, 0);
	}
}

static void kma_top_choose(struct kma_snapshot *snap, struct kma_top *top)
{
	const struct kma_query *query = snap->query;
	u32 i;

	snap->matched = 0;
	for (i = 0; i < top->nr; i++) {
		if (kma_weighed(top->label[i].sum) < query->min ||
		    !kma_query_label(query, top->label[i].label))
			continue;
		snap->matched++;
		kma_top_offer(top, i, query->top);
		cond_resched();
	}
}

/* ---- rows ----------------------------------------------------------------- */

/* Make the row of a label, which may be the sum of thousands of rows. */
static int kma_top_row(struct kma_snapshot *snap, const struct kma_top *top,
		       const struct kma_top_label *l, bool samples)
{
	struct kma_site_counts *sum = kma_snapshot_add(snap), counts;
	int ret = 0;
	u32 row;

	sum->label = l->label;
	for (row = l->row; !ret && row; row = top->next[row - 1]) {
		if (kma_rows_site_read(row - 1, samples, &counts)) {
			kma_sitecount_add(sum, &counts);
			sum->id = counts.id;
		}
		ret = kma_snapshot_pause(snap);
	}
	return ret;
}

static int kma_top_rows(struct kma_snapshot *snap, const struct kma_top *top, bool samples)
{
	int ret = 0;
	u32 i;

	if (kma_snapshot_room(snap, top->nr_chosen))
		return -ENOMEM;
	for (i = 0; !ret && i < top->nr_chosen; i++)
		ret = kma_top_row(snap, top, &top->label[top->chosen[i]], samples);
	return ret;
}

static int kma_top_fill(struct kma_snapshot *snap, const char *(*name)(struct kma_names *, u32),
			bool samples)
{
	const u32 rows = kma_rows_site_nr();
	struct kma_top top;
	int ret;

	snap->names = kma_names_new(&kma_core.sites);
	if (!snap->names || kma_top_alloc(&top, rows, snap->query->top))
		return -ENOMEM;
	ret = kma_top_read(snap, &top, rows, name, samples);
	if (!ret) {
		kma_top_choose(snap, &top);
		ret = kma_top_rows(snap, &top, samples);
	}
	kma_top_free(&top);
	snap->top_only = !ret;
	return ret;
}

int kma_rows_top_fill(struct kma_snapshot *snap,
		      const char *(*name)(struct kma_names *, u32), bool samples)
{
	const struct kma_query *query = snap->query;

	if (query && query->top && query->sort.nr == 1 &&
	    query->sort.key[0] < KMA_COUNT_ESTIMATES)
		return kma_top_fill(snap, name, samples);
	return kma_rows_site_fill(snap, name, samples);
}
