// SPDX-License-Identifier: GPL-2.0
/*
 * The look of tables: which columns are printed, under which titles, and which are left out
 * first if a line is too long.
 *
 * The module's tables have more columns than fit a line, so each has a list of those that tell
 * most, and -o prints others.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view.h"

/**
 * struct shown - how a table is printed as text
 * @table: its name
 * @columns: its columns but the label; one with `?` before it is printed if it has values, one with
 *	`!`, or with `?!`, is never left out; NULL: all of them
 * @drop: the columns that are left out if a line is too long, the first of them first; or NULL
 * @total: there is a line of totals
 * @need: the setting that it needs to have rows
 * @nothing: a sentence in place of rows if there are none; or NULL
 */
struct shown {
	const char *table;
	const char *columns;
	const char *drop;
	bool total;
	enum schema_need need;
	const char *nothing;
};

#define CHANGES	"?change_1m ?change_10m ?change_1h"
#define LIVE	"live_bytes ?!reclaimable " CHANGES
#define OBJECTS	LIVE " share_pct live_objs objs_alloc frees ?no_entry"
#define DROP_OBJECTS \
	"frees no_entry objs_alloc live_objs share_pct change_1m change_10m change_1h"
#define SLABS	"age_ms free_kb slab_reclaimable_kb slab_unreclaimable_kb"
#define ACCT	"net_pages alloc_pages free_pages slab_bytes stall_us"
#define DROP_ACCT	"free_pages slab_bytes alloc_pages stall_us"
#define COMM	"alloc_pages allocs slab_bytes slab_hits stall_us"
#define DROP_COMM	"slab_hits allocs stall_us"
#define INCIDENT	"nr at_s bytes complete stalled_us growth_bytes victim tgid pid cgroup_id order gfp"
#define NO_ALLOCATION	"no allocation was recorded"
#define NO_EVENT	"no event was recorded"
#define NO_PAGES	"no allocation of pages was recorded"

static const struct shown shown[] = {
	{ "callers", OBJECTS, DROP_OBJECTS, true, .nothing = NO_ALLOCATION },
	{ "modules", OBJECTS, DROP_OBJECTS, true, .nothing = NO_ALLOCATION },
	{ "stacks", OBJECTS, DROP_OBJECTS, true, NEED_SAMPLING, "no sample was taken" },
	{ "history", "live_kb kb_10s kb_1m kb_1h !change_kb !blocks", NULL, true,
	  .nothing = "nothing was live at any mark" },
	{ "marks", SLABS " unmovable_kb movable_kb reclaimable_kb stalled_us failed",
	  "reclaimable_kb movable_kb unmovable_kb failed stalled_us" },
	{ "cache_sites", OBJECTS, DROP_OBJECTS, true, .nothing = NO_ALLOCATION },
	{ "charges", "live_bytes share_pct ?page_bytes live_objs",
	  "share_pct live_objs page_bytes", true,
	  .nothing = "no live memory is charged to a cgroup" },
	{ "caches", OBJECTS " frag_pct", "frag_pct " DROP_OBJECTS, true, .nothing = NO_ALLOCATION },
	{ "run", "live_bytes live_objs objs_alloc bytes_alloc frees bytes_freed ?no_entry",
	  "bytes_freed frees bytes_alloc objs_alloc live_objs", true, .nothing = NO_EVENT },
	{ "diff",
	  "change_bytes before_bytes after_bytes growth_bytes_s allocs frees ?significant ?state",
	  "before_bytes frees allocs state after_bytes growth_bytes_s", true },
	{ "leaks", "live_bytes share_pct live_objs oldest_ms old_pct pid node processes",
	  "share_pct live_objs processes old_pct oldest_ms", true },
	{ "allocs", "age_ms bytes_alloc pid ?weight ptr", "weight pid",
	  .nothing = "no recorded object is live" },
	{ "page_callers",
	  "live_kb !share_pct live_allocs hits ?bulk_allocs frees ?failed order migratetype gfp",
	  "bulk_allocs frees failed hits live_allocs", true, NEED_COUNTED, NO_PAGES },
	{ "page_modules", "live_kb !share_pct live_allocs hits ?bulk_allocs frees ?failed",
	  "bulk_allocs frees failed hits live_allocs", true, NEED_COUNTED, NO_PAGES },
	{ "pages", "age_ms pages order migratetype gfp pid ?weight pfn", "weight pid",
	  .need = NEED_COUNTED, .nothing = "no recorded page is live" },
	{ "orders",
	  "order migratetype live_kb share_pct live_allocs hits bulk_allocs frees ?failed",
	  "bulk_allocs frees failed hits share_pct live_allocs", true, NEED_COUNTED, NO_PAGES },
	{ "page_summary", .need = NEED_COUNTED },
	{ "pcpu", "cpu node refill_pages drain_pages imbalance_pages direct_pages",
	  "direct_pages", .need = NEED_COUNTED, .nothing = NO_EVENT },
	{ "extfrag",
	  "fallbacks !fragmenting severe alloc_order fallback_order alloc_type fallback_type",
	  "severe fallback_order alloc_order fallback_type alloc_type", true, NEED_COUNTED,
	  "no fallback to another migrate type was recorded" },
	{ "failures", "failed nowarn !order bytes gfp", "nowarn bytes", true,
	  .nothing = "no allocation has failed" },
	{ "latency", "count total_us mean_us p50_le_us p95_le_us p99_le_us max_us histogram",
	  "histogram p50_le_us p95_le_us mean_us", .need = NEED_LATENCY,
	  .nothing = "no reclaim and no compaction was recorded" },
	{ "shrinkers", "total_us share_pct calls mean_us max_us waited_us freed",
	  "freed mean_us calls waited_us share_pct", .need = NEED_LATENCY,
	  .nothing = "no call of a shrinker was recorded" },
	{ "stalls", "total_us share_pct count mean_us max_us order !gfp",
	  "order mean_us count share_pct", .need = NEED_LATENCY,
	  .nothing = "no allocation that waited was recorded" },
	{ "waits",
	  "count total_us mean_us p50_le_us p95_le_us p99_le_us max_us histogram !order !origin",
	  "histogram mean_us count p50_le_us p95_le_us", .need = NEED_LATENCY,
	  .nothing = "no allocation that waited was recorded" },
	{ "wakers", "ran_us share_pct wakeups runs max_us !order node",
	  "node share_pct runs max_us", .need = NEED_LATENCY,
	  .nothing = "no wake-up of kswapd or kcompactd was recorded" },
	{ "slow", .need = NEED_LATENCY },
	/* Those of the file, and those of the command. */
	{ "incidents",
	  INCIDENT " ?time age_ms !trigger what task ?state",
	  "time state age_ms task what" },
	{ "tasks", ACCT " tgid", DROP_ACCT, true, NEED_COUNTED, NO_EVENT },
	{ "cgroups", ACCT, DROP_ACCT, true, NEED_COUNTED, NO_EVENT },
	{ "comm_sites", COMM, DROP_COMM, true, NEED_COUNTED, NO_EVENT },
	{ "comm_syscalls", COMM, DROP_COMM, true, NEED_COUNTED, NO_EVENT },
	{ "cgroup_sites", "slab_bytes slab_hits alloc_pages allocs stall_us cgroup_id",
	  DROP_COMM, true,
	  .nothing = "nothing was counted: choose a cgroup: kmemacct set cgroup_sites add /PATH" },
};

/*
 * Titles of columns, which text has in place of names: sizes have suffixes, so that titles have no
 * units, and one thing has one title in all tables.  The first row that matches counts.
 */
static const struct {
	const char *table;
	const char *column;
	const char *title;
} titles[] = {
	{ "allocs", "bytes_alloc", "size" }, { "pages", "pages", "size" },
	{ "page_summary", "kb", "size" }, { "failures", "bytes", "size" },
	{ "page_callers", "hits", "allocs" }, { "page_modules", "hits", "allocs" },
	{ "orders", "hits", "allocs" }, { "history", "change_kb", "change" },
	{ "marks", "slab_reclaimable_kb", "slab_reclaimable" },
	{ "marks", "slab_unreclaimable_kb", "slab_other" },
	{ "marks", "free_kb", "free" }, { "marks", "unmovable_kb", "unmovable" },
	{ "marks", "movable_kb", "movable" }, { "marks", "reclaimable_kb", "reclaimable" },
	{ NULL, "live_bytes", "live" }, { NULL, "live_kb", "live" },
	{ NULL, "change_1m", "1min" }, { NULL, "change_10m", "10min" },
	{ NULL, "change_1h", "1h" },
	{ NULL, "live_objs", "objects" }, { NULL, "objs_alloc", "allocs" },
	{ NULL, "bytes_alloc", "allocated" }, { NULL, "kb", "allocated" },
	{ NULL, "page_bytes", "pages" },
	{ NULL, "alloc_pages", "allocated" }, { NULL, "bytes_req", "requested" },
	{ NULL, "bytes_freed", "freed" }, { NULL, "free_pages", "freed" },
	{ NULL, "net_pages", "net" }, { NULL, "drained_pages", "drained" },
	{ NULL, "slab_bytes", "slab" }, { NULL, "slab_hits", "slab_allocs" },
	{ NULL, "bulk_bytes", "bulk" }, { NULL, "bulk_kb", "bulk" },
	{ NULL, "confirmed_bytes", "confirmed" },
	{ NULL, "refill_pages", "refilled" }, { NULL, "drain_pages", "drained" },
	{ NULL, "imbalance_pages", "imbalance" }, { NULL, "direct_pages", "direct" },
	{ NULL, "alloc_order", "order" }, { NULL, "alloc_type", "migratetype" },
	{ NULL, "fallback_order", "from_order" }, { NULL, "fallback_type", "from" },
};

/* Short names of columns, for the most part those of perf kmem; NULL stands for the label. */
static const char * const aliases[][2] = {
	{ "share", "share_pct" }, { "growth", "growth_bytes_s" }, { "callsite", NULL },
	{ "hit", "hits" }, { "bytes", "bytes_alloc" }, { "bytes", "kb" }, { "bytes", "pages" },
	{ "frag", "frag_pct" }, { "page", "pfn" }, { "migtype", "migratetype" },
};

static const struct shown *find_shown(const struct table *t)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shown); i++)
		if (!strcmp(shown[i].table, t->name))
			return &shown[i];
	return NULL;
}

/*
 * Without a label, no line can be told apart from the others as that of totals.  But `leaks --by
 * node` has the text of the line of totals in place of a node.
 */
bool schema_has_total(const struct table *t)
{
	const struct shown *s = find_shown(t);

	return s && s->total && (table_label(t) || !strcmp(t->name, "leaks"));
}

const char *schema_nothing(const struct table *t)
{
	const struct shown *s = find_shown(t);

	return s && s->nothing ? s->nothing : "no rows";
}

enum schema_need schema_need(const struct table *t)
{
	const struct shown *s = find_shown(t);

	return s ? s->need : NEED_NOTHING;
}

/* Return: place of a word in a list with blanks between the words; NONE if it is not there. */
static int place_in(const char *list, const char *word)
{
	size_t len, wanted = strlen(word);
	int i;

	for (i = 0; *list; i++, list += len + !!list[len]) {
		len = strcspn(list, " ");
		if (len == wanted && !strncmp(list, word, len))
			return i;
	}
	return NONE;
}

/* A column that is in no list is left out after all that are, the last one first. */
int schema_rank(const struct table *t, int column)
{
	const struct shown *s = find_shown(t);
	int place = s && s->drop ? place_in(s->drop, t->columns[column].name) : NONE;

	return place == NONE ? column : 2 * SHOWN_MAX - place;
}

/* ---- computed columns ----------------------------------------------------- */

/* A difference may be negative, and has no share. */
static bool has_share(const struct table *t)
{
	const int live = table_live(t);

	return live != NONE && t->columns[live].format == FORMAT_U64;
}

/* Growth is computed from the bytes that are followed: see schema_complete(). */
static s64 growth_of(const struct table *t, const struct row *row)
{
	long double bytes = (long double)row->v[COUNT_bytes_alloc] + row->v[COUNT_bulk_bytes];
	long double objs = row->v[COUNT_objs_alloc], lost = row->v[COUNT_no_entry];

	if (lost > 0 && objs >= lost)
		bytes -= bytes * lost / objs;
	bytes = (bytes - row->v[COUNT_bytes_freed]) * 1000 / table_window_ms(t);
	if (fabsl(bytes) >= 0x1p63L)
		return bytes < 0 ? INT64_MIN : INT64_MAX;
	return llrintl(bytes);
}

void schema_compute(const struct table *t, struct row *row, double whole)
{
	const int share = t->at[AT_share_pct], growth = t->at[AT_growth_bytes_s];

	if (share != NONE && t->columns[share].computed)
		row->v[share] = whole > 0 ? row->v[table_live(t)] * 100000.0L / whole + 0.5L : 0;
	if (growth != NONE && t->columns[growth].computed)
		row->v[growth] = growth_of(t, row);
}

double schema_whole(const struct table *t)
{
	const int live = table_live(t);
	double whole = 0;
	size_t i;

	for (i = 0; live != NONE && i < t->nr_rows; i++)
		whole += t->rows[i]->v[live];
	return whole;
}

static struct table *add_computed(struct table *t)
{
	const double whole = schema_whole(t);
	struct column columns[2];
	int nr = 0;
	size_t i;

	if (!has_share(t))
		return t;
	columns[nr++] = (struct column) {
		.name = "share_pct", .format = FORMAT_MILLI, .kind = KIND_RATIO,
		.unit = UNIT_SHARE, .title = "share", .computed = true,
	};
	if (table_column(t, "bulk_bytes") != NONE && table_window_ms(t))
		columns[nr++] = (struct column) {
			.name = "growth_bytes_s", .format = FORMAT_S64, .kind = KIND_RATIO,
			.unit = UNIT_BYTES, .title = "growth/s", .computed = true, .change = true,
		};
	t = table_extend(t, t->nr_values, columns, nr);
	for (i = 0; i < t->nr_rows; i++)
		schema_compute(t, t->rows[i], whole);
	return t;
}

void schema_titles(struct table *t)
{
	size_t i;
	int column;

	for (i = 0; i < ARRAY_SIZE(titles); i++) {
		if (titles[i].table && strcmp(titles[i].table, t->name))
			continue;
		column = table_column(t, titles[i].column);
		if (column != NONE && column < t->nr_values && !t->columns[column].title)
			t->columns[column].title = titles[i].title;
	}
}

struct table *schema_complete(struct table *t)
{
	if (t->pairs)
		return t;
	t = add_computed(t);
	schema_titles(t);
	return t;
}

/* ---- finding -------------------------------------------------------------- */

static bool is_word(const char *known, const char *key, size_t len)
{
	return known && len && strlen(known) == len && !strncmp(known, key, len);
}

/* Test for one of the two titles of a label such as comm_site. */
static bool is_part(const char *name, const char *key, size_t len)
{
	const char *second = name ? strchr(name, '_') : NULL;

	return second && ((len == (size_t)(second - name) && !strncmp(name, key, len)) ||
			  is_word(second + 1, key, len));
}

static int find_alias(const struct table *t, const char *key, size_t len)
{
	int column = NONE;
	size_t i;

	for (i = 0; column == NONE && i < ARRAY_SIZE(aliases); i++) {
		if (!is_word(aliases[i][0], key, len))
			continue;
		if (aliases[i][1])
			column = table_column(t, aliases[i][1]);
		else if (table_label(t))
			column = t->nr_values;
	}
	return column == NONE && is_part(table_label(t), key, len) ? t->nr_values : column;
}

/* Test for the title of a column, which is its name without the unit if it has no other. */
static bool is_title(const struct column *c, const char *key, size_t len)
{
	if (c->title)
		return is_word(c->title, key, len);
	if (c->unit != UNIT_US && c->unit != UNIT_MS)
		return false;
	return len == strlen(c->name) - 3 && !strncmp(c->name, key, len);
}

int schema_find(const struct table *t, const char *key, size_t len)
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

int schema_fail(const struct table *t, const char *what, const char *key, size_t len)
{
	struct suggestion s;
	char names[1024] = "";
	size_t used = 0, a;
	int i;

	suggest_begin(&s, key, len);
	for (i = 0; i < table_nr_columns(t); i++) {
		suggest_try(&s, t->columns[i].name);
		suggest_try(&s, t->columns[i].title);
	}
	for (a = 0; a < ARRAY_SIZE(aliases); a++)
		if (find_alias(t, aliases[a][0], strlen(aliases[a][0])) != NONE)
			suggest_try(&s, aliases[a][0]);
	/* Names may come from a file and be long, so the list is cut off. */
	for (i = 0; i < table_nr_columns(t) && used < 900; i++)
		if (t->columns[i].of == NONE)
			used += snprintf(names + used, sizeof(names) - used, "%s%.64s",
					 used ? ", " : "use ", t->columns[i].name);
	return suggest_fail(&s, names, "%s has no %s '%.*s'", t->name, what,
			    (int)(len < 64 ? len : 64), key);
}

/* ---- choosing ------------------------------------------------------------- */

/* Put a column at the end; if it is there already, only note whether it is fixed. */
static void put_column(struct columns *cs, int column, bool fixed)
{
	int i = 0;

	while (i < cs->nr && cs->column[i] != column)
		i++;
	if (i == cs->nr) {
		cs->column[cs->nr++] = column;
		cs->fixed[i] = false;
	}
	cs->fixed[i] |= fixed;
}

/* Test for more than nothing: of a weight, more than 1, and of a name, more than a dash. */
static bool has_value(const struct table *t, const struct row *row, int column)
{
	const struct column *c = &t->columns[column];
	const u64 value = row->v[column];

	if (c->format == FORMAT_NAME)
		return strcmp(row_name(row, column), "-");
	if (c->format == FORMAT_FLAG)
		return value == 1;
	/* A change of 0 is a change that is known. */
	if (c->kind == KIND_CHANGE)
		return value != UNKNOWN;
	return value != (column == t->at[AT_weight] ? 1000 : 0);
}

/* Test for a column in which some row has a value. */
static bool has_values(const struct view *v, int column)
{
	size_t i;

	if (v->streamed)
		return v->t->sampled;
	for (i = 0; !v->followed && i < v->nr; i++)
		if (has_value(v->t, v->t->rows[i], column))
			return true;
	return v->followed;
}

static void put_listed(struct columns *cs, const struct view *v, const char *list)
{
	bool maybe, fixed;
	size_t len;
	int column;

	for (; *list; list += len + !!list[len]) {
		maybe = *list == '?';
		list += maybe;
		fixed = *list == '!';
		list += fixed;
		len = strcspn(list, " ");
		column = schema_find(v->t, list, len);
		if (column != NONE && !v->t->columns[column].hidden &&
		    (!maybe || has_values(v, column)))
			put_column(cs, column, fixed || !cs->nr);
	}
}

/*
 * Put the columns of a table that has no list.  Standard errors are left out: intervals show them.
 */
static void put_all(struct columns *cs, const struct table *t)
{
	const struct column *c;
	int i;

	for (i = 0; i < t->nr_values; i++) {
		c = &t->columns[i];
		if (!c->hidden && !c->computed && c->of == NONE &&
		    (t->sampled || place_in("samples live_samples weight", c->name) == NONE))
			put_column(cs, i, !i);
	}
}

static int put_output(struct columns *cs, const struct table *t, const char *output)
{
	size_t len;
	int column;

	for (;; output += len + 1) {
		len = strcspn(output, ",");
		column = schema_find(t, output, len);
		if (column == NONE)
			return schema_fail(t, "column", output, len);
		put_column(cs, column, true);
		if (!output[len])
			return 0;
	}
}

int schema_choose(struct columns *cs, const struct view *v, const char *output)
{
	const struct shown *s = find_shown(v->t);
	int i, k;

	cs->nr = 0;
	if (output && *output != '+')
		return put_output(cs, v->t, output);
	if (s && s->columns)
		put_listed(cs, v, s->columns);
	else
		put_all(cs, v->t);
	for (i = 0; i < v->t->nr_values; i++)
		for (k = 0; k < v->sort.nr; k++)
			if (v->sort.key[k] == i)
				put_column(cs, i, true);
	if (output && put_output(cs, v->t, output + 1))
		return -1;
	if (table_label(v->t))
		put_column(cs, v->t->nr_values, true);
	return 0;
}
