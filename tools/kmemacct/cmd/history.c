// SPDX-License-Identifier: GPL-2.0
/* The command `history`: live memory at earlier times, as a line of blocks for each call site. */
#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* The series of marks, by the values of --by, and the most blocks of a narrow screen for each. */
static const struct series {
	const char *name;
	u64 seconds;
	const char *ages;
	const char *kb;
	const char *se;
	size_t narrow;
	const char *each;
} series[] = {
	{ "10s", 10, "ages_10s_s", "kb_10s", "kb_10s_se", 24, "10 s" },
	{ "1min", 60, "ages_1m_s", "kb_1m", "kb_1m_se", 20, "minute" },
	{ "1h", 3600, "ages_1h_s", "kb_1h", "kb_1h_se", 24, "hour" },
};

const char * const history_by[] = { "10s", "1min", "1h", NULL };

/* Options with which the lists of the file are printed. */
#define LISTS	(OPTION_JSON | OPTION_RAW)

/* More marks than a series has. */
#define MARKS_MAX	256

/* Parse a list of numbers.  Return: how many there are, at most MARKS_MAX. */
static size_t parse_list(const char *list, u64 number[MARKS_MAX])
{
	size_t nr = 0;
	char *end;

	while (list && nr < MARKS_MAX) {
		number[nr] = strtoull(list, &end, 10);
		nr += end > list;
		list = *end == ',' ? end + 1 : NULL;
	}
	return nr;
}

/* Without --by, choose the marks of each minute, or those of each 10 s until there are four. */
static const struct series *choose(const struct table *t, const char *by)
{
	u64 ages[MARKS_MAX];
	size_t i;

	for (i = 0; by && i < ARRAY_SIZE(series); i++)
		if (!strcmp(series[i].name, by))
			return &series[i];
	return &series[parse_list(table_field(t, series[1].ages), ages) > 3];
}

/* ---- lists ---------------------------------------------------------------- */

/*
 * The live sizes of one or more rows at the marks of a series, the newest first.  The newest one is
 * that of the last mark of all, even if that is of another series.
 */
struct past {
	size_t rows;
	size_t marks;
	u64 kb[MARKS_MAX];
	double variance[MARKS_MAX];
};

/* Test whether the last mark of a series is also that of the series of 10 s, the newest of all. */
static bool ends_now(const struct table *t, const struct series *s)
{
	u64 ages[MARKS_MAX], last[MARKS_MAX];
	const size_t nr = parse_list(table_field(t, s->ages), ages);
	const size_t all = parse_list(table_field(t, series[0].ages), last);

	return !nr || !all || ages[nr - 1] == last[all - 1];
}

/* Add a row.  If lists differ in length, only the marks that all of them have are used. */
static void add_row(struct past *past, const struct table *t, const struct row *row,
		    const struct series *s)
{
	u64 kb[MARKS_MAX], se[MARKS_MAX];
	size_t i, nr = parse_list(row_name(row, table_column(t, s->kb)), kb);

	if (parse_list(row_name(row, table_column(t, s->se)), se) != nr)
		return;
	if (nr < MARKS_MAX && !ends_now(t, s)) {
		kb[nr] = row->v[HISTORY_live_kb];
		se[nr++] = row->v[HISTORY_live_kb_se];
	}
	past->marks = past->rows++ && past->marks < nr ? past->marks : nr;
	for (i = 0; i < nr; i++) {
		past->kb[i] += kb[nr - 1 - i];
		past->variance[i] += (double)se[nr - 1 - i] * se[nr - 1 - i];
	}
}

/* ---- blocks --------------------------------------------------------------- */

/* Levels of a block, the first of which is for no memory at all. */
#define LEVELS	9

static const char * const ascii[LEVELS] = { ".", ":", "-", "=", "+", "*", "#", "%", "@" };
static const char * const utf8[LEVELS] = {
	".", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588",
};

/* A screen that is less wide than this has fewer blocks than there are marks. */
#define WIDE	120

static size_t count_blocks(const struct series *s, size_t marks)
{
	const int screen = screen_columns();

	return screen && screen < WIDE && marks > s->narrow ? s->narrow : marks;
}

/* Scale a size between the row's minimum, the lowest block, and its maximum, the highest one. */
static int level_of(u64 kb, u64 least, u64 most)
{
	if (!kb)
		return 0;
	return most == least ? 1 : 1 + llround(7.0 * (kb - least) / (most - least));
}

/*
 * Make the blocks of a row, the newest last.  If there are fewer blocks than marks, each block is
 * the newest of several marks.  A mark with an unknown size is blank.
 */
static char *make_blocks(const struct past *past, size_t marks, size_t blocks)
{
	const bool unicode = !strcmp(nl_langinfo(CODESET), "UTF-8");
	u64 least = U64_MAX, most = 0;
	char *text;
	size_t len, i, at;
	FILE *out = text_open(&text, &len);

	for (i = 0; i < past->marks; i++) {
		least = past->kb[i] < least ? past->kb[i] : least;
		most = past->kb[i] > most ? past->kb[i] : most;
	}
	for (i = 1; i <= blocks; i++) {
		at = marks - i * marks / blocks;
		fputs(at >= past->marks ? " " :
		      (unicode ? utf8 : ascii)[level_of(past->kb[at], least, most)], out);
	}
	text_close(out);
	return text;
}

/* Make the title of the blocks: the age of the oldest mark, and dashes up to now. */
static char *make_scale(u64 age_s, size_t blocks)
{
	char age[NUMBER_LEN];
	int dashes;

	number_print_age(age, age_s * 1000);
	dashes = (int)blocks - (int)strlen(age) - (int)strlen("now");
	if (dashes < 1)
		return alloc_copy("history");
	return alloc_print("%s%.*s%s", age, dashes,
			   "------------------------------------------------------------", "now");
}

/* ---- rows ----------------------------------------------------------------- */

enum {
	COL_live,
	COL_change,
	COL_blocks,
	COL_live_se,
	COL_change_se,
};

static const struct column columns[] = {
	{ .name = "live_kb", .kind = KIND_GAUGE, .unit = UNIT_KIB },
	{ .name = "change_kb", .format = FORMAT_S64, .kind = KIND_CHANGE, .unit = UNIT_KIB },
	{ .name = "blocks", .format = FORMAT_NAME, .kind = KIND_KEY },
	{ .name = "live_kb_se", .kind = KIND_ERROR, .unit = UNIT_KIB },
	{ .name = "change_kb_se", .kind = KIND_ERROR, .unit = UNIT_KIB },
	{ .name = "site", .format = FORMAT_LABEL },
};

static void set_row(struct table *t, struct row *row, const struct past *past, size_t marks,
		    size_t blocks)
{
	const size_t first = past->marks - 1;

	row->v[COL_blocks] = (uintptr_t)"";
	if (!past->marks)
		return;
	row->v[COL_live] = past->kb[0];
	row->v[COL_change] = past->kb[0] - past->kb[first];
	row->v[COL_live_se] = estimate_root(past->variance[0]);
	/* An upper bound: what is live at both marks adds to both errors. */
	row->v[COL_change_se] = estimate_root(past->variance[0] + past->variance[first]);
	row->v[COL_blocks] = (uintptr_t)table_own(t, make_blocks(past, marks, blocks));
}

#define NOTE "marks every %s, the oldest %s ago; change is since a row's first block, and blocks range from its minimum to its maximum"

static void set_texts(struct view *v, const struct series *s, u64 age_s, size_t blocks)
{
	char age[NUMBER_LEN];

	v->t->columns[COL_blocks].title = table_own(v->t, make_scale(age_s, blocks));
	number_print_age(age, age_s * 1000);
	v->note = view_own(v, alloc_print(NOTE, s->each, age));
}

/* Keep the rows of a cache, or of any cache if @cache is NULL. */
static void keep_cache(struct table *t, const char *cache)
{
	size_t i, nr = 0;

	for (i = 0; i < t->nr_rows; i++)
		if (site_of_cache(t->rows[i]->label, cache))
			t->rows[nr++] = t->rows[i];
	t->nr_rows = nr;
}

static struct table *add_up_sites(struct table *from, const struct series *s, size_t marks,
				  size_t blocks)
{
	struct table *t = table_new("history", columns, from->sampled, from->nr_rows);
	struct past past;
	struct row *row;
	size_t i, k, same;

	for (i = 0; i < from->nr_rows; i++)
		from->rows[i]->label = site_of_cache(from->rows[i]->label, NULL);
	view_sort_by_label(from);
	for (i = 0; i < from->nr_rows; i += same) {
		same = view_same(from, i);
		memset(&past, 0, sizeof(past));
		for (k = i; k < i + same; k++)
			add_row(&past, from, from->rows[k], s);
		row = table_add(t);
		row->label = from->rows[i]->label;
		set_row(t, row, &past, marks, blocks);
	}
	table_inherit(t, from);
	t->from[0] = from;
	return t;
}

void history_make(struct view *v, const struct options *o)
{
	const struct series *s = choose(v->t, o->by);
	u64 ages[MARKS_MAX];
	const size_t nr = parse_list(table_field(v->t, s->ages), ages);
	const size_t marks = nr + !ends_now(v->t, s), blocks = count_blocks(s, marks);

	keep_cache(v->t, o->cache);
	if (o->given & LISTS)
		return;
	view_begin(v, add_up_sites(v->t, s, marks, blocks));
	if (nr)
		set_texts(v, s, ages[0], blocks);
}

static bool is_of_series(const struct row *row, u64 seconds)
{
	return row->v[MARK_series_s] == seconds;
}

void history_marks(struct view *v, const struct options *o)
{
	if (o->by || !(o->given & OPTION_JSON))
		view_keep(v, is_of_series, choose(v->t, o->by ?: "1min")->seconds);
}

int history_run(const struct command *c, const struct options *o)
{
	struct options site = *o;
	struct view v;

	if (o->nr_args && o->match.site)
		return fail("two call sites: omit --site");
	if (o->by && o->given & LISTS)
		return fail("--json and --raw print all marks: omit --by");
	if (o->nr_args)
		site.match.site = o->args[0];
	if (show_read(&v, o, c->table))
		return -1;
	history_make(&v, o);
	if (show_check_cache(v.t, o->cache)) {
		view_end(&v);
		return -1;
	}
	return show(&v, &site, o->given & LISTS ? NULL : c->keys);
}
