// SPDX-License-Identifier: GPL-2.0
/* The columns of tables as text.  See the overview in columns.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "columns.h"
#include "error.h"
#include "estimate.h"
#include "suggest.h"

/* ---- the lists ------------------------------------------------------------ */

/**
 * struct view - how a table is printed as text
 * @table: name of the table
 * @columns: its columns but the label; one with `?` before it is printed if it has values
 * @drop: the columns that are left out if a line is too long, the first of them first
 * @total: there is a line of totals
 */
struct view {
	const char *table;
	const char *columns;
	const char *drop;
	bool total;
};

#define OBJECTS	"live_bytes share_pct live_objs objs_alloc frees ?no_entry growth_bytes_s"
#define DROP_OBJECTS	"frees no_entry objs_alloc live_objs share_pct growth_bytes_s"
#define ACCT	"net_pages alloc_pages free_pages slab_bytes stall_us"

static const struct view views[] = {
	{ "callers", OBJECTS, DROP_OBJECTS, true },
	{ "modules", OBJECTS, DROP_OBJECTS, true },
	{ "stacks", OBJECTS, DROP_OBJECTS, true },
	{ "caches", OBJECTS " frag_pct", "frag_pct " DROP_OBJECTS, true },
	{ "run", "live_bytes live_objs objs_alloc bytes_alloc frees bytes_freed ?no_entry",
	  "bytes_freed frees bytes_alloc objs_alloc live_objs", true },
	{ "diff",
	  "change_bytes before_bytes after_bytes growth_bytes_s allocs frees ?significant ?state",
	  "before_bytes frees allocs state after_bytes growth_bytes_s", true },
	{ "watch", "change_bytes after_bytes growth_bytes_s allocs frees ?significant ?state",
	  "frees allocs state after_bytes growth_bytes_s", false },
	{ "leaks", "live_bytes share_pct live_objs oldest_ms old_pct pid node processes",
	  "share_pct live_objs processes old_pct oldest_ms", true },
	{ "allocs", "age_ms bytes_alloc pid ?weight ptr", "weight pid", false },
	{ "page_callers",
	  "live_kb share_pct live_allocs hits ?bulk_allocs frees order migratetype gfp",
	  "bulk_allocs frees hits live_allocs share_pct", true },
	{ "pages", "age_ms pages order migratetype gfp pid ?weight pfn", "weight pid", false },
	{ "orders", "order migratetype live_kb share_pct live_allocs hits bulk_allocs frees",
	  "bulk_allocs frees hits share_pct live_allocs", true },
	{ "pcpu", "cpu node refill_pages drain_pages imbalance_pages direct_pages",
	  "direct_pages", false },
	{ "extfrag",
	  "fallbacks fragmenting severe alloc_order fallback_order alloc_type fallback_type",
	  "severe fallback_order fragmenting", true },
	{ "latency", "count total_us mean_us p50_le_us p95_le_us p99_le_us max_us histogram",
	  "histogram p50_le_us p95_le_us mean_us", false },
	{ "shrinkers", "total_us share_pct calls mean_us max_us waited_us freed",
	  "freed mean_us calls waited_us share_pct", false },
	{ "stalls", "total_us share_pct count mean_us max_us order gfp",
	  "gfp order mean_us count share_pct", false },
	{ "tasks", ACCT " tgid", "free_pages slab_bytes alloc_pages stall_us", true },
	{ "cgroups", ACCT, "free_pages slab_bytes alloc_pages stall_us", true },
	{ "comm_sites", "alloc_pages allocs slab_bytes slab_hits stall_us",
	  "slab_hits allocs stall_us", true },
	{ "comm_syscalls", "alloc_pages allocs slab_bytes slab_hits stall_us",
	  "slab_hits allocs stall_us", true },
};

/* Titles, where the name of a column is longer than it need be below a table's own. */
static const struct {
	const char *name;
	const char *title;
} titles[] = {
	{ "live_bytes", "live" }, { "live_kb", "live" },
	{ "live_objs", "objects" }, { "live_allocs", "blocks" },
	{ "objs_alloc", "allocs" },
};

/* Short names of columns, for the most part those of perf kmem; NULL stands for the label. */
static const struct {
	const char *alias;
	const char *name;
} aliases[] = {
	{ "share", "share_pct" }, { "growth", "growth_bytes_s" },
	{ "callsite", NULL }, { "hit", "hits" }, { "bytes", "bytes_alloc" }, { "bytes", "kb" },
	{ "bytes", "pages" }, { "frag", "frag_pct" }, { "page", "pfn" },
	{ "migtype", "migratetype" },
};

static const struct view *find_view(const struct table *t)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(views); i++)
		if (!strcmp(views[i].table, t->name))
			return &views[i];
	return NULL;
}

bool columns_has_total(const struct table *t)
{
	const struct view *view = find_view(t);

	/* Without a label, no line can be told apart from the others as that of totals. */
	return view && view->total && t->columns[t->nr_values].name;
}

/* Return: place of a word in a list with blanks between the words; -1 if it is not there. */
static int place_in(const char *list, const char *word)
{
	size_t len, wanted = strlen(word);
	int i;

	for (i = 0; *list; i++, list += len + !!list[len]) {
		len = strcspn(list, " ");
		if (len == wanted && !strncmp(list, word, len))
			return i;
	}
	return -1;
}

/* A column that is in no list is left out after all that are, the last one first. */
int columns_rank(const struct table *t, int column)
{
	const struct view *view = find_view(t);
	int place = view ? place_in(view->drop, t->columns[column].name) : -1;

	return place < 0 ? column : 2 * COLUMNS_MAX - place;
}

/* ---- computed columns ----------------------------------------------------- */

static const struct column share = {
	"share_pct", COLUMN_MILLI, .kind = KIND_RATIO, .title = "share", .computed = true,
};

static const struct column growth = {
	"growth_bytes_s", COLUMN_S64, .kind = KIND_RATIO, .title = "growth/s", .computed = true,
	.change = true,
};

/* A share in thousandths of a percent. */
#define WHOLE	100000

static int live_column(const struct table *t)
{
	int column = table_column(t, "live_bytes");

	return column < 0 ? table_column(t, "live_kb") : column;
}

/* A difference may be negative, and has no share. */
static bool has_share(const struct table *t)
{
	int live = live_column(t);

	return live >= 0 && t->columns[live].format == FORMAT_U64;
}

static bool has_growth(const struct table *t)
{
	return has_share(t) && table_column(t, "bulk_bytes") >= 0 && table_window_ms(t);
}

/* Return: the bytes that @row allocated, without those that are not followed. */
static long double followed(const struct row *row)
{
	long double bytes = (long double)row->v[COUNT_bytes_alloc] + row->v[COUNT_bulk_bytes];
	long double objs = row->v[COUNT_objs_alloc], lost = row->v[COUNT_no_entry];

	return lost > 0 && objs >= lost ? bytes - bytes * lost / objs : bytes;
}

static s64 growth_of(const struct table *t, const struct row *row)
{
	long double bytes = followed(row) - row->v[COUNT_bytes_freed];

	bytes = bytes * 1000 / table_window_ms(t);
	if (fabsl(bytes) >= 0x1p63L)
		return bytes < 0 ? INT64_MIN : INT64_MAX;
	return llrintl(bytes);
}

void columns_compute(const struct table *t, struct row *row)
{
	int share_column = table_column(t, share.name);
	int growth_column = table_column(t, growth.name);
	u64 live;

	if (share_column >= 0 && t->columns[share_column].computed) {
		live = row->v[live_column(t)];
		row->v[share_column] = t->whole > 0 ?
				       live * (long double)WHOLE / t->whole + 0.5L : 0;
	}
	if (growth_column >= 0 && t->columns[growth_column].computed)
		row->v[growth_column] = growth_of(t, row);
}

static int add_columns(struct column columns[COLUMNS_MAX], const struct table *t)
{
	int nr = t->nr_values;

	memcpy(columns, t->columns, nr * sizeof(*columns));
	if (has_share(t))
		columns[nr++] = share;
	if (has_growth(t))
		columns[nr++] = growth;
	columns[nr] = t->columns[t->nr_values];
	return nr;
}

static struct table *extend(struct table *t, const struct column *columns)
{
	struct table *more = table_new(t->name, columns, t->sampled, t->nr_rows);
	int live = live_column(t);
	struct row *row;
	size_t i;

	more->from[0] = t;
	more->note = t->note;
	more->advice = t->advice;
	t->advice = NULL;
	table_inherit(more, t);
	for (i = 0; i < t->nr_rows; i++)
		more->whole += t->rows[i]->v[live];
	for (i = 0; i < t->nr_rows; i++) {
		row = table_add(more);
		row->label = t->rows[i]->label;
		memcpy(row->v, t->rows[i]->v, t->nr_values * sizeof(row->v[0]));
		columns_compute(more, row);
	}
	return more;
}

static void set_titles(struct table *t)
{
	int i, column;

	for (i = 0; i < (int)ARRAY_SIZE(titles); i++) {
		column = table_column(t, titles[i].name);
		if (column >= 0 && column < t->nr_values && !t->columns[column].title)
			t->columns[column].title = titles[i].title;
	}
}

struct table *columns_add(struct table *t)
{
	struct column columns[COLUMNS_MAX];

	if (!t->columns)
		return t;
	if (add_columns(columns, t) > t->nr_values)
		t = extend(t, columns);
	set_titles(t);
	return t;
}

/* ---- finding -------------------------------------------------------------- */

static bool is_word(const char *known, const char *key, size_t len)
{
	return known && strlen(known) == len && !strncmp(known, key, len);
}

static int find_alias(const struct table *t, const char *key, size_t len)
{
	int column = -1;
	size_t i;

	for (i = 0; column < 0 && i < ARRAY_SIZE(aliases); i++) {
		if (!is_word(aliases[i].alias, key, len))
			continue;
		if (aliases[i].name)
			column = table_column(t, aliases[i].name);
		else if (t->columns[t->nr_values].name)
			column = t->nr_values;
	}
	return column;
}

/* Test for the title of a column, which is its name without the unit if it has no other. */
static bool is_title(const struct column *c, const char *key, size_t len)
{
	enum unit unit = c->name ? table_unit(c->name) : UNIT_NONE;

	if (c->title)
		return is_word(c->title, key, len);
	if (unit != UNIT_US && unit != UNIT_MS)
		return false;
	return len == strlen(c->name) - 3 && !strncmp(c->name, key, len);
}

int columns_find(const struct table *t, const char *key, size_t len)
{
	int i;

	for (i = 0; i < table_nr_columns(t); i++)
		if (is_word(t->columns[i].name, key, len))
			return i;
	for (i = 0; i < t->nr_values; i++)
		if (is_title(&t->columns[i], key, len))
			return i;
	return find_alias(t, key, len);
}

/* List all columns.  Names may come from a file and be long, so the list is cut off. */
static void list_names(const struct table *t, char names[1024])
{
	size_t used = 0;
	int i;

	*names = '\0';
	for (i = 0; i < table_nr_columns(t) && used < 900; i++)
		if (!estimate_is_se(t, i))
			used += snprintf(names + used, 1024 - used, "%s%.64s", used ? ", " : "use ",
					 t->columns[i].name);
}

int columns_fail(const struct table *t, const char *what, const char *key, size_t len)
{
	struct suggestion s;
	char names[1024];
	size_t i;

	suggest_begin(&s, key, len);
	for (i = 0; i < (size_t)table_nr_columns(t); i++) {
		suggest_try(&s, t->columns[i].name);
		if (t->columns[i].title)
			suggest_try(&s, t->columns[i].title);
	}
	for (i = 0; i < ARRAY_SIZE(aliases); i++)
		if (find_alias(t, aliases[i].alias, strlen(aliases[i].alias)) >= 0)
			suggest_try(&s, aliases[i].alias);
	list_names(t, names);
	return suggest_fail(&s, names, "%s has no %s '%.*s'", t->name, what,
			    (int)(len < 64 ? len : 64), key);
}

/* ---- choosing ------------------------------------------------------------- */

static bool is_key(const struct sort *sort, int column)
{
	int i;

	for (i = 0; i < sort->nr; i++)
		if (sort->key[i] == column)
			return true;
	return false;
}

static int place_of(const struct columns *cs, int column)
{
	int i;

	for (i = 0; i < cs->nr; i++)
		if (cs->column[i] == column)
			return i;
	return -1;
}

/* Put a column at the end; if it is there already, only note whether it is fixed. */
static void put_column(struct columns *cs, int column, bool fixed)
{
	int place = place_of(cs, column);

	if (place < 0) {
		place = cs->nr++;
		cs->column[place] = column;
		cs->fixed[place] = false;
	}
	cs->fixed[place] |= fixed;
}

/*
 * Test for a column in which some row has more than nothing: of a weight, more than 1, and of a
 * name, more than a dash.  A table that has not been read yet may have such a row if something was
 * sampled.
 */
static bool has_values(const struct table *t, int column)
{
	u64 nothing = strcmp(t->columns[column].name, "weight") ? 0 : 1000;
	size_t i;

	if (t->streamed)
		return t->sampled;
	for (i = 0; i < t->nr_rows; i++)
		if (t->columns[column].format == FORMAT_NAME ?
		    strcmp(row_name(t->rows[i], column), "-") : t->rows[i]->v[column] != nothing)
			return true;
	return false;
}

static void put_listed(struct columns *cs, const struct table *t, const char *list)
{
	size_t len;
	int column;

	for (; *list; list += len + !!list[len]) {
		bool maybe = *list == '?';

		list += maybe;
		len = strcspn(list, " ");
		column = columns_find(t, list, len);
		if (column >= 0 && (!maybe || has_values(t, column)))
			put_column(cs, column, !cs->nr);
	}
}

/* Test for a column that tells nothing before anything was sampled. */
static bool is_of_samples(const struct table *t, int column)
{
	return !t->sampled &&
	       place_in("samples live_samples weight", t->columns[column].name) >= 0;
}

/* Put the columns of a table that has no list.  Intervals tell what standard errors do. */
static void put_all(struct columns *cs, const struct table *t)
{
	int i;

	for (i = 0; i < t->nr_values; i++)
		if (!t->columns[i].hidden && !t->columns[i].computed && !estimate_is_se(t, i) &&
		    !is_of_samples(t, i))
			put_column(cs, i, !i);
}

static void put_defaults(struct columns *cs, const struct table *t)
{
	const struct view *view = find_view(t);

	if (view)
		put_listed(cs, t, view->columns);
	else
		put_all(cs, t);
}

static int put_output(struct columns *cs, const struct table *t, const char *output)
{
	size_t len;
	int column;

	for (;; output += len + 1) {
		len = strcspn(output, ",");
		column = columns_find(t, output, len);
		if (column < 0)
			return columns_fail(t, "column", output, len);
		put_column(cs, column, true);
		if (!output[len])
			return 0;
	}
}

int columns_choose(struct columns *cs, const struct table *t, const struct sort *sort,
		   const char *output)
{
	int i;

	cs->nr = 0;
	if (output && *output != '+')
		return put_output(cs, t, output);
	put_defaults(cs, t);
	for (i = 0; i < t->nr_values; i++)
		if (is_key(sort, i))
			put_column(cs, i, true);
	if (output && put_output(cs, t, output + 1))
		return -1;
	if (t->columns[t->nr_values].name)
		put_column(cs, t->nr_values, true);
	return 0;
}
