/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From tables to what is shown: the model that all commands share.
 *
 *   source -> delta? -> group? -> select -> sort -> total -> render
 *
 * A source gives a table.  A delta is a table of the differences of two others, and a group one of
 * sums by a key.  struct view has a table and what else a renderer needs: which rows are left out,
 * the total, and remarks.  schema.c says what a column is called and when it is printed.
 */
#ifndef VIEW_H
#define VIEW_H

#include "../table/table.h"
#include "statistics.h"

struct gfp;
struct sites;

/* ---- rows (view.c) -------------------------------------------------------- */

/* Most sort keys. */
#define SORT_KEYS	16

/**
 * struct sort - the order of a table's rows
 * @key: indices of the columns to compare; the first column that differs decides
 * @nr: number of keys; 0: keep the order of the rows
 *
 * Numbers descend, names and labels ascend.
 */
struct sort {
	int key[SORT_KEYS];
	int nr;
};

/* A range of page frames. */
struct pfns {
	u64 first;
	u64 last;
};

/**
 * struct match - what a row has to match
 * @min_bytes: its live size is at least this; 0: any
 * @pfn: one of its pages is in this range; NULL: any
 * @module: its call site is in this module, `kernel` for code in no module; NULL: in any
 * @site: a part of its label matches this pattern; NULL: any
 */
struct match {
	u64 min_bytes;
	const struct pfns *pfn;
	const char *module;
	const char *site;
};

/**
 * struct view - a table and what else there is to show
 * @t: the table, owned by the view
 * @nr: number of rows that are shown: the first ones of @t
 * @not_kept: number of rows that are not shown, and in no memory
 * @filtered: number of rows that did not match, and were removed
 * @unmatched: the pattern that no row matches, or NULL
 * @whole: the live size of all rows, also of those that did not match
 * @sort: the order of the rows
 * @total: the total of all rows, also of those that are not shown; or NULL
 * @total_label: the label of @total says how many rows there are; or NULL
 * @streamed: the rows are not known yet
 * @followed: other tables of the same form are printed below it: it has all their columns
 * @machine: what the machine's memory is used for, which text has above all else; or NULL
 * @note: a remark that is printed above the rows, or NULL
 * @aside: text has the note only with -v
 * @advice: advice that is printed below the rows, a line for each line of it, or NULL
 * @elsewhere: what the table does not have, and where that is, printed below the rows; or NULL
 * @gfp: names of gfp flags, or NULL
 * @codes: the codes of gfp flags are printed in place of numbers
 * @sites: source lines of the call sites, or NULL
 * @cgroups: paths of cgroups by their ID, or NULL
 */
struct view {
	struct table *t;
	size_t nr;
	size_t not_kept;
	size_t filtered;
	const char *unmatched;
	double whole;
	struct sort sort;
	struct row *total;
	const char *total_label;
	bool streamed;
	bool followed;
	bool aside;
	const char *machine;
	const char *note;
	const char *advice;
	const char *elsewhere;
	struct gfp *gfp;
	bool codes;
	struct sites *sites;
	struct cgroups *cgroups;
};

/* Show all rows of a table, which the view takes ownership of. */
void view_begin(struct view *v, struct table *t);

/* Show all rows that there are now, with titles and computed columns: see schema_complete(). */
void view_complete(struct view *v);

/* Free the table. */
void view_end(struct view *v);

/* Keep a text as long as the table.  Return: @text. */
const char *view_own(struct view *v, char *text);

/* Return: number of rows that are not shown. */
static inline size_t view_left_out(const struct view *v)
{
	return v->t->nr_rows - v->nr + v->not_kept;
}

/* Parse sort keys `key[,key...]`, which are names of columns.  Return: 0, or -1 after fail(). */
int view_sort_by(struct view *v, const char *keys);

/* Compare two rows; rows that compare equal keep their order when they are sorted. */
int view_compare(const struct table *t, const struct sort *sort, const struct row *a,
		 const struct row *b);
void view_sort(struct table *t, const struct sort *sort);

/* Compare what two rows are about: their labels, and then the other keys; all of them ascend. */
int view_compare_keys(const struct table *t, const struct row *a, const struct row *b);

void view_sort_by_label(struct table *t);

/*
 * Check whether rows have the columns that are to be matched.  Return: 0, or -1 after calling
 * fail().
 */
int view_check(const struct table *t, const struct match *match);

/* Test whether a row of a table that view_check() has checked matches. */
bool view_matches(const struct table *t, const struct row *row, const struct match *match);

/* Remove the rows that do not match.  Return: 0, or -1 after calling fail(). */
int view_select(struct view *v, const struct match *match);

/* Remove the rows that a test rejects. */
void view_keep(struct view *v, bool (*keep)(const struct row *row, u64 arg), u64 arg);

/* Show no more than @nr rows. */
void view_cut(struct view *v, size_t nr);

/*
 * Make the total: counters and live values are added up, of maxima the largest is kept, and ratios
 * are computed from the sums.  The standard error of a sum is the root of the sum of the squares,
 * because rows are sampled independently of each other.
 */
void view_total(struct view *v);

/* Add up @nr rows in @sum. */
void view_add_up(const struct table *t, struct row * const *rows, size_t nr, struct row *sum);

/* Return: number of rows from row @i on that have the same label. */
size_t view_same(const struct table *t, size_t i);

/* The first rows of an order, kept while all rows of a table are read (heap.c). */
struct heap;

/* Make an empty heap for @max rows; @t and @sort have to exist as long as it does. */
struct heap *heap_new(const struct table *t, const struct sort *sort, u64 max);
size_t heap_nr_rows(const struct heap *h);

/* Add a copy of a row, unless @max other rows come before it. */
void heap_add(struct heap *h, const struct row *row);

/*
 * Make a table of the rows in their order, and free the heap.  The head of the new table points
 * into that of the heap's.  @not_kept: set to the number of other rows
 */
struct table *heap_table(struct heap *h, size_t *not_kept);
void heap_free(struct heap *h);

/* ---- what tables look like (schema.c) ------------------------------------- */

/* Greater than the number of columns that are printed. */
#define SHOWN_MAX	48

/**
 * struct columns - the columns to print
 * @nr: number of @column
 * @column: indices of the columns, in the order in which they are printed
 * @fixed: for each of these, whether it stays if the line is too long
 */
struct columns {
	int nr;
	int column[SHOWN_MAX];
	bool fixed[SHOWN_MAX];
};

/*
 * Give columns short titles, and add those that are computed from others.  share_pct is the part of
 * the live bytes of all rows.  growth_bytes_s is what was allocated, with and without an event,
 * less what was freed, for each second since counting began.  Objects that found no room in the
 * live table are subtracted, because their frees are not seen.  Only their number is known, so they
 * count with the mean size of the row.
 * Return: the new table, which owns @t; or @t, if there is nothing to compute.
 */
struct table *schema_complete(struct table *t);

/* Give columns that have no title short ones. */
void schema_titles(struct table *t);

/* Compute share_pct and growth_bytes_s of a row; @whole: what all rows have live. */
void schema_compute(const struct table *t, struct row *row, double whole);

/* Return: what all rows have live. */
double schema_whole(const struct table *t);

/*
 * Return: index of the column that a key of @len characters names: by its name, its title, or the
 * name that perf kmem has for it; or NONE.
 */
int schema_find(const struct table *t, const char *key, size_t len);

/* Report that there is no such column; @what is what it should be.  Return: -1. */
int schema_fail(const struct table *t, const char *what, const char *key, size_t len);

/*
 * Find the columns to print; sort keys are always printed, unless @output, the value of -o, lists
 * others.  Return: 0, or -1 after calling fail().
 */
int schema_choose(struct columns *cs, const struct view *v, const char *output);

/* Return: how soon a column is left out if a line is too long: the highest rank first. */
int schema_rank(const struct table *t, int column);

/* Return: true if the table has a line of totals as text. */
bool schema_has_total(const struct table *t);

/* The needs of a table to have rows: page tracking or accounting, latency, or sampling. */
enum schema_need {
	NEED_NOTHING,
	NEED_COUNTED,
	NEED_LATENCY,
	NEED_SAMPLING,
};

enum schema_need schema_need(const struct table *t);

/* Return: the sentence that a table without rows has in place of them. */
const char *schema_nothing(const struct table *t);

/* ---- estimates (estimate.c) ----------------------------------------------- */

/*
 * A column X is an estimate if there is a column X_se, which has its standard error.  A value whose
 * standard error is 0 is exact, except for what had no sample: see estimate_unsampled().
 *
 * statistics.h has the theory of the intervals.  Here, a column gets its number of samples and its
 * T, which are not in the column itself:
 *
 *   T	is sample_bytes of the head, the present one.  It may have been larger before, which
 *	shows if a sample stands for more than that on average.  It is assumed that the objects
 *	without a sample were not allocated at a still larger T.
 *
 *   n	is live_samples or samples.  Columns such as frees are about a part of the samples
 *	only.  Their n is assumed to be in proportion to their variance.
 *
 *   z	The size of objects matters for their number only.  In `caches` and `page_callers`,
 *	all objects of a row have the same size.  In all other rows, they may be as small as the
 *	smallest slab object.
 */

/**
 * struct interval - a 95 % interval: it contains the true value in at least 95 of 100 cases
 * @format: format of @low and @high, FORMAT_U64 or FORMAT_S64
 * @low: lowest value of the interval
 * @high: highest value of the interval
 */
struct interval {
	enum format format;
	u64 low;
	u64 high;
};

/* Return: true if values of a table are or may be estimates: something was or is sampled. */
bool estimate_any(const struct table *t);

/* Return: true if a value is an estimate and not exact. */
bool estimate_is_rough(const struct table *t, const struct row *row, int column);

/*
 * Test whether text has a tilde before a value: before an estimate, and before a ratio, which has
 * no standard error, if it is a part of an estimate; @main: the main column, or NONE.
 */
bool estimate_has_tilde(const struct table *t, const struct row *row, int column, int main);

/* Return: the variance of a value, at least the true one, as errors are rounded down; 0: exact. */
double estimate_variance(const struct table *t, const struct row *row, int column);

/* Compute the interval of a value in a column that has a standard error, rounded outwards. */
struct interval estimate_interval(const struct table *t, const struct row *row, int column);

/*
 * Return: what the limits of a value are computed from, for sums and differences of several values.
 * Its variance is 0 if the value is exact.
 */
struct weighed estimate_weighed(const struct table *t, const struct row *row, int column);

/* Add a value to a sum, or subtract it with @sign -1.  Samples may be common to both. */
void estimate_add(struct weighed *sum, const struct weighed *more, int sign);

/* Return: the least variance that a value may have: @variance is rounded up. */
double estimate_least_variance(const struct weighed *w);

/* Subtract an earlier value of a counter, of which @w has all samples and more. */
void estimate_since(struct weighed *w, const struct weighed *before);

/*
 * Return: the main column, whose interval is always shown: the first sort key that is an estimate
 * or the error of one; or else the column of live sizes.
 */
int estimate_main(const struct table *t, const struct sort *sort);

/* Return: the largest T that a table shows, in bytes; 0 if nothing was sampled. */
double estimate_unit(const struct table *t);

/*
 * Return: an upper bound, in bytes, of what has no sample; 0 if nothing was sampled.  It holds for
 * live bytes, and for bytes allocated since counting began, each with a probability of 97.5 %, for
 * each row that is not in the table, and for what is exact by its standard error.
 */
u64 estimate_unsampled(const struct table *t);

/* Compute a standard error from a variance. */
u64 estimate_root(double variance);

/* ---- differences (delta.c) ------------------------------------------------ */

/**
 * struct relation - how two tables are related
 * @same_load: both are of the same load of the module
 * @same_resets: the counts were not reset in between
 * @same_modules: no other module was loaded or unloaded in between
 * @same_kernel: both are of the same release of the kernel
 * @same_filter: both have the same filters
 */
struct relation {
	bool same_load;
	bool same_resets;
	bool same_modules;
	bool same_kernel;
	bool same_filter;
};

struct relation delta_relate(const struct table *before, const struct table *after);

/*
 * Compare the next names of two sorted lists; NULL: the list has ended.
 * Return: less than 0: @before is only in the first; more: @after is only in the second; 0: both.
 */
int delta_order(const char *before, const char *after);

/*
 * Check that counts were not reset: then the window has become longer by the time between the two.
 * Return: 0, or -1 after calling fail().
 */
int delta_check_reset(const struct table *before, const struct table *after, u64 elapsed_ms);

/*
 * Subtract two readings of a table.  Rows that have changed are in the order of @after; those that
 * have vanished follow.  The new table takes ownership of both.
 *
 * A maximum that has grown is that of the time in between; one that has not becomes NO_ID.  In
 * tables with histograms, no counter decreases: the earlier counts of rows that were recycled since
 * are subtracted from the row [other].
 */
struct table *delta_make(const char *name, struct table *before, struct table *after);

/* Subtract an earlier reading from a table of pairs. */
void delta_pairs(struct table *t, const struct table *before);

/* ---- call sites (site.c) -------------------------------------------------- */

/*
 * Find the module of a call site `symbol+0xoff [module]`, whose length is stored in @len.
 * Return: `kernel` if it names none; NULL if it is no call site, such as [other].
 */
const char *site_module(const char *site, size_t *len);

/*
 * Find the call site in a label `cache;site`.
 * Return: the call site; NULL if the label is of another cache than @cache, which may be NULL.
 */
const char *site_of_cache(const char *label, const char *cache);

/* ---- groups (group.c) ----------------------------------------------------- */

/*
 * Return: the module of a call site `symbol+0xoff [module]`, or [kernel] if it names none.
 * [other], [unknown] and [unloaded], which are not call sites, are returned as they are.  They
 * differ from all modules, whose brackets are removed: this changes the text of the label.
 */
const char *group_module_of(const char *site);

/* Turn a table callers or page_callers into a table of modules, by adding up the rows of each. */
void group_modules(struct table *t);

/*
 * Add up the rows that have the same keys.  @keys is a list with commas of columns, which may have
 * the label; other keys are removed.  The new rows are in the order of view_compare_keys().
 */
void group_by(struct table *t, const char *keys);

/* Turn the table cache_sites into a table callers of one cache; @cache is NULL for all of them. */
void group_cache(struct table *t, const char *cache);

/*
 * Add up the rows of the table failures by call site, order and size class, and, if asked for, also
 * by task or gfp flags.
 */
void group_failures(struct table *t, bool by_task, bool by_gfp);

/* Remove the offsets of functions from labels: another build of the kernel has others. */
void group_plain(struct table *t);

/* ---- growth (growth.c) ---------------------------------------------------- */

/* The default rate of false discoveries among significant changes. */
#define GROWTH_FDR	0.05

/**
 * struct growth_options - how two tables are compared
 * @counted: counters may be subtracted: same load, no reset in between
 * @plain: names are compared without offsets
 * @churn: also list names that have allocated and freed, with as much live as before
 * @elapsed_ms: time between the two; 0: it is not known
 * @fdr: largest share of false ones among the changes that are called significant
 */
struct growth_options {
	bool counted;
	bool plain;
	bool churn;
	u64 elapsed_ms;
	double fdr;
};

/**
 * struct growth - what has changed
 * @table: a row for each name whose live size has changed, by the absolute change; with @churn also
 *	for others
 * @before: sum of what was live
 * @after: sum of what is live
 * @sampled: something was sampled, so that changes may be estimates
 * @unsampled: the largest size of a name without a sample in a table, in bytes
 */
struct growth {
	struct table *table;
	u64 before;
	u64 after;
	bool sampled;
	u64 unsampled;
};

/* Return: the name of table number @nr of those that can be compared; NULL: no more. */
const char *growth_table(int nr);

/*
 * Find a table that can be compared by its name.  Return: the name, or NULL after calling fail().
 */
const char *growth_find(const char *table);

/*
 * Test for a table of times, where nothing is live: readings are subtracted, if they count from the
 * same moment.
 */
bool growth_is_timed(const char *table);

/*
 * Check that a table of this name has what is to be matched: call sites, or live sizes.
 * Return: 0, or -1 after fail().
 */
int growth_check(const char *table, const struct match *match);

/*
 * Compare two readings of a table.  This sorts the rows of both by label; the new table points to
 * these labels.
 */
struct growth growth_make(const char *name, struct table *before, struct table *after,
			  const struct growth_options *o);

/*
 * Compute the limits of the change of what is live, in bytes, of a row @a that was @b before, or is
 * new if that is NULL.  Counts have not been reset in between.
 */
struct bounds growth_bounds(const struct table *before, const struct row *b,
			    const struct table *after, const struct row *a);

/* Make a table with the columns of a comparison, which takes ownership of @t, one without rows. */
struct table *growth_columns(struct table *t);

/* Return: number of rows of a comparison that have grown significantly; with times, of all rows. */
size_t growth_count(const struct table *t);

/* ---- the machine (machine.c) ---------------------------------------------- */

/**
 * struct machine - what the memory of the machine is used for, in bytes; 0: not known
 * @ram: all of it
 * @free: memory that is used for nothing
 * @user: anonymous and shared memory of processes
 * @cache: page cache
 * @slab: slabs
 * @reclaimable: those slabs that the kernel can take back
 */
struct machine {
	u64 ram;
	u64 free;
	u64 user;
	u64 cache;
	u64 slab;
	u64 reclaimable;
};

/* Read what the memory is used for.  For a snapshot, all members are 0. */
struct machine machine_read(const struct source *s);

/* Return: the same in one line, which the caller frees; NULL: not known. */
char *machine_line(const struct source *s);

/* Return: how many bytes of the machine's slabs the rows of the table caches have. */
u64 machine_recorded(const struct table *caches);

/* ---- the state of a table in words (state.c) ------------------------------ */

/* Test for a table of changes. */
bool state_is_change(const struct table *t);

/**
 * enum state_how - what state_sentence() prints
 * @STATE_EXACT: sizes are not rounded
 * @STATE_OPTIONS: options of the command line may be named
 * @STATE_DETAILS: the sampling rate, what estimates mean, and notes that are asides
 */
enum state_how {
	STATE_EXACT = 1 << 0,
	STATE_OPTIONS = 1 << 1,
	STATE_DETAILS = 1 << 2,
};

/* Return: how exact a table is, since when it counts, and its note. */
char *state_sentence(const struct view *v, unsigned int how);

/* Return: what is missing in a table, a line for each reason.  The caller frees both texts. */
char *state_losses(const struct view *v);

#endif /* VIEW_H */
