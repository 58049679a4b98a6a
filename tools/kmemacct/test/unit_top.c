// SPDX-License-Identifier: GPL-2.0
/* Unit tests of kmemacct top: rows over time, numbers, order, history, and what is drawn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "top/top.h"
#include "unit.h"

/* ---- made-up tables ------------------------------------------------------- */

/* A row of callers.  Counters that are not listed are 0, and changes are not known. */
struct caller {
	const char *site;
	u64 live_bytes;
	u64 hits;
	u64 bulk_objs;
	u64 samples;
	u64 live_bytes_se;
	u64 hits_se;
	u64 bytes_alloc_se;
	const char *changes;
	const char *changes_se;
};

#define ROW(name, bytes, nr) .site = name, .live_bytes = bytes, .hits = nr

#define CALLER_ROW \
	"%llu 0 %llu 0 %llu 0 0 0 0 0 0 %llu 0 0 0.000 %llu %llu %s %llu 0 %llu 0 %llu %llu" \
	" 0 0 0 0 0 0 0 0 %s %s\n"

/* Make a table callers from rows that end with one without a site. */
static struct table *make_callers(const char *head, const struct caller *c)
{
	struct table *t;
	char *text;
	size_t len;
	FILE *out = text_open(&text, &len);

	fprintf(out, "# kmemacct callers %d %s\n" COLUMNS("site"), KMA_FORMAT_VERSION, head);
	for (; c->site; c++)
		fprintf(out, CALLER_ROW, c->live_bytes, c->hits, c->hits + c->bulk_objs,
			c->bulk_objs, c->samples, c->samples, c->changes ?: "- - -",
			c->live_bytes_se, c->hits_se, c->hits_se, c->bytes_alloc_se,
			c->changes_se ?: "- - -", c->site);
	text_close(out);
	t = parse("callers", text);
	free(text);
	return t;
}

#define CALLERS(window, ...) \
	make_callers("sample_bytes=0 since=load window_s=" window, \
		     (const struct caller[]) { __VA_ARGS__, {} })

#define SAMPLED(window, ...) \
	make_callers("sampled=1 sample_bytes=0 since=load window_s=" window, \
		     (const struct caller[]) { __VA_ARGS__, {} })

static void begin_page(struct top_page *p, const char *name)
{
	p->view = &top_views[top_view_find(name)];
	p->rows = alloc(1, sizeof(*p->rows));
}

static struct top_page *new_page(const char *name)
{
	struct top_page *p = alloc(1, sizeof(*p));

	begin_page(p, name);
	return p;
}

/* Show a table that was read @waited_ms after the one before it. */
static bool show_table(struct top_page *p, struct table *t, u64 waited_ms)
{
	const u64 ms = p->rows->clock_ms + waited_ms;

	if (!top_rows_update(p->rows, t, ms, ms))
		return false;
	top_rates_make(p);
	top_rates_arrange(p);
	return true;
}

static void free_page(struct top_page *p)
{
	top_page_free(p);
	free(p);
}

static const struct top_row *find_row(const struct top_page *p, const char *label)
{
	size_t i;

	for (i = 0; i < p->rows->all.nr; i++)
		if (!strcmp(p->rows->all.row[i].now->label, label))
			return &p->rows->all.row[i];
	return NULL;
}

/* Compare the cells of a row, in the columns `key[ key...]`, with blanks between them. */
static void expect_cells(int line, const struct top_page *p, const char *label, const char *keys,
			 const char *expected)
{
	const struct row *row = top_rates_of(p, find_row(p, label));
	char *copy = alloc_copy(keys), *rest = copy, *key, got[512] = "", cell[CELL_LEN];

	while ((key = strsep(&rest, " "))) {
		strcat(got, *got ? " " : "");
		strcat(got, layout_text(&p->l, row, table_column(p->v.t, key), cell));
	}
	expect_text(line, got, expected);
	free(copy);
}

#define EXPECT_CELLS(p, label, keys, expected) \
	expect_cells(__LINE__, p, label, keys, expected)

/* ---- rates ---------------------------------------------------------------- */

TEST(top_rates_follow_from_windows)
{
	struct top_page *p = new_page("callers");

	EXPECT(show_table(p, CALLERS("10.000", { ROW("a", 1000, 10) }, { ROW("b", 3000, 5) }), 0));
	EXPECT_CELLS(p, "a", "live_bytes share growth allocs_per_s", "1000 25.0% - -");
	EXPECT(!p->rows->elapsed_ms);
	EXPECT(show_table(p, CALLERS("12.000", { ROW("a", 5096, 30), .bulk_objs = 10 },
				     { ROW("b", 1000, 5) }, { ROW("new", 0, 2) }), 1999));
	EXPECT(p->rows->elapsed_ms == 2000);
	EXPECT_CELLS(p, "a", "growth allocs_per_s frees_per_s", "+2.00K 15 0");
	EXPECT_CELLS(p, "b", "growth allocs_per_s", "-1000 0");
	EXPECT_CELLS(p, "new", "live_bytes growth allocs_per_s", "0 0 1.0");
	EXPECT(rate_of(p->v.total->v[table_column(p->v.t, "growth")]) == 1048);
	/* A row that has vanished and comes back is new. */
	show_table(p, CALLERS("13.000", { ROW("b", 1000, 5) }), 1000);
	EXPECT(!find_row(p, "a"));
	show_table(p, CALLERS("14.000", { ROW("a", 100, 1) }, { ROW("b", 1000, 5) }), 1000);
	EXPECT_CELLS(p, "a", "growth allocs_per_s", "+100 1.0");
	free_page(p);
}

TEST(top_same_table_changes_nothing)
{
	struct top_page *p = new_page("callers");

	show_table(p, CALLERS("10.000", { ROW("a", 1000, 10) }), 0);
	show_table(p, CALLERS("11.000", { ROW("a", 2000, 20) }), 1000);
	EXPECT(!show_table(p, CALLERS("11.000", { ROW("a", 2000, 20) }), 1000));
	EXPECT_CELLS(p, "a", "growth allocs_per_s", "+1000 10");
	EXPECT(p->rows->refresh == 2);
	free_page(p);
}

TEST(top_resets_are_noticed)
{
	static const char * const heads[] = {
		/* The window got shorter. */
		"since=load window_s=9.999",
		/* The window is longer by less than the time that has passed. */
		"since=load window_s=10.400", "since=load window_s=10.997",
		/* The window begins with another event. */
		"since=reset window_s=11.000",
		/* The head has no window. */
		"since=load",
	};
	const struct caller after[] = { { ROW("a", 2000, 20) }, {} };
	struct top_page *p;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		p = new_page("callers");
		show_table(p, CALLERS("10.000", { ROW("a", 1000, 10) }), 0);
		show_table(p, make_callers(heads[i], after), 1000);
		EXPECT_CELLS(p, "a", "live_bytes growth allocs_per_s", "1.95K - -");
		free_page(p);
	}
}

TEST(top_rounding_is_no_reset)
{
	struct top_page *p = new_page("callers");

	show_table(p, CALLERS("10.000", { ROW("a", 1000, 10) }), 0);
	show_table(p, CALLERS("10.998", { ROW("a", 1000, 10) }), 1000);
	EXPECT(p->rows->elapsed_ms == 998);
	free_page(p);
}

TEST(top_decreased_counter_has_no_rate)
{
	struct top_page *p = new_page("callers");

	show_table(p, CALLERS("10.000", { ROW("a", 1000, 10) }, { ROW("b", 10, 1) }), 0);
	show_table(p, CALLERS("11.000", { ROW("a", 500, 9) }, { ROW("b", 10, 2) }), 1000);
	EXPECT_CELLS(p, "a", "growth allocs_per_s", "-500 -");
	EXPECT_CELLS(p, "b", "growth allocs_per_s", "0 1.0");
	free_page(p);
}

TEST(top_cut_tables_have_no_new_rows)
{
	const struct caller before[] = { { ROW("a", 1000, 10) }, {} };
	struct top_page *p = new_page("callers");

	show_table(p, make_callers("since=load window_s=10.000 cut=3", before), 0);
	show_table(p, CALLERS("11.000", { ROW("a", 1100, 10) }, { ROW("b", 10, 2) }), 1000);
	EXPECT_CELLS(p, "a", "growth allocs_per_s", "+100 0");
	EXPECT_CELLS(p, "b", "growth allocs_per_s", "- -");
	free_page(p);
}

TEST(top_equal_rows_are_paired_in_order)
{
	struct top_page *p = new_page("callers");

	show_table(p, CALLERS("10.000", { ROW("[unknown]", 1000, 1) },
			      { ROW("[unknown]", 50, 1) }), 0);
	show_table(p, CALLERS("11.000", { ROW("[unknown]", 1200, 1) },
			      { ROW("[unknown]", 60, 1) }), 1000);
	EXPECT(p->rows->all.row[0].before->v[COUNT_live_bytes] == 1000);
	EXPECT(p->rows->all.row[1].before->v[COUNT_live_bytes] == 50);
	EXPECT(p->rows->all.row[0].slot != p->rows->all.row[1].slot);
	free_page(p);
}

#define PAGES(window) \
	"# kmemacct page_callers 8 pages=sites since=on window_s=" window "\n" \
	"# " KMA_PAGE_CALLERS_COLUMNS(TITLE) "\n"
#define PAGE(kb, order, type, gfp) \
	#kb " 1 1 0 0 0 0 " #order " " type " " gfp " 0 0 0 0 0 0 0 0 site\n"

TEST(top_identity_is_more_than_a_label)
{
	struct top_page *p = new_page("page-callers");

	show_table(p, parse("page_callers", PAGES("1.000")
			    PAGE(4, 0, "Movable", "0x1") PAGE(8, 1, "Movable", "0x1")
			    PAGE(16, 0, "Unmovable", "0x1") PAGE(32, 0, "Movable", "0x2")), 0);
	show_table(p, parse("page_callers", PAGES("2.000")
			    PAGE(33, 0, "Movable", "0x2") PAGE(18, 0, "Unmovable", "0x1")
			    PAGE(11, 1, "Movable", "0x1") PAGE(8, 0, "Movable", "0x1")), 1000);
	EXPECT(p->rows->all.row[0].before->v[0] == 32 && p->rows->all.row[1].before->v[0] == 16);
	EXPECT(p->rows->all.row[2].before->v[0] == 8 && p->rows->all.row[3].before->v[0] == 4);
	free_page(p);
}

/* ---- numbers -------------------------------------------------------------- */

TEST(top_estimates_have_intervals)
{
	char text[CELL_LEN];
	struct top_page *p = new_page("callers");
	const struct row *row;

	show_table(p, SAMPLED("10.000",
			      { ROW("a", 10000, 1000), .samples = 40, .live_bytes_se = 300,
				.hits_se = 30, .bytes_alloc_se = 300 },
			      { ROW("exact", 10000, 10) }), 0);
	show_table(p, SAMPLED("12.000",
			      { ROW("a", 14000, 2000), .samples = 80, .live_bytes_se = 400,
				.hits_se = 50, .bytes_alloc_se = 400 },
			      { ROW("exact", 14000, 20) }), 2000);
	EXPECT_CELLS(p, "a", "live_bytes growth allocs_per_s", "~13.7K ~+1.95K ~500");
	EXPECT_CELLS(p, "exact", "live_bytes growth allocs_per_s", "13.7K +1.95K 5.0");
	row = top_rates_of(p, find_row(p, "a"));
	/* 14000 +- 784 */
	top_rates_interval(p, row, 0, text);
	EXPECT_TEXT(text, "12.9K..14.6K");
	/*
	 * The counters show that nothing was freed: only what came makes the change uncertain.  By
	 * 1.96 standard errors, (4000 +- 1.96 * sqrt(400^2 - 300^2)) / 2 is 1.70K..2.21K.  As these
	 * are only 40 samples, it is more.
	 */
	top_rates_interval(p, row, table_column(p->v.t, "growth"), text);
	EXPECT_TEXT(text, "+1.62K..+2.28K");
	/* (1000 +- 1.96 * sqrt(50^2 - 30^2)) / 2 is 461..539 */
	top_rates_interval(p, row, table_column(p->v.t, "allocs_per_s"), text);
	EXPECT_TEXT(text, "463..547");
	top_rates_interval(p, top_rates_of(p, find_row(p, "exact")), 0, text);
	EXPECT_TEXT(text, "");
	free_page(p);
}

TEST(top_numbers_are_human)
{
	const struct column count = { .format = FORMAT_RATE },
		growth = { .format = FORMAT_RATE, .change = true },
		size = { .format = FORMAT_RATE, .unit = UNIT_BYTES, .change = true },
		kb = { .format = FORMAT_RATE, .unit = UNIT_KIB },
		us = { .format = FORMAT_RATE, .unit = UNIT_US };
	const struct {
		const struct column *c;
		double number;
		const char *text;
	} known[] = {
		{ &count, 0, "0" }, { &count, 0.001, "<0.1" }, { &count, 0.05, "0.1" },
		{ &count, 9.94, "9.9" }, { &count, 9.96, "10" }, { &count, 12345.4, "12345" },
		{ &growth, 0, "0" }, { &growth, -0.01, "-<0.1" }, { &growth, 3, "+3.0" },
		{ &size, 0.4, "+<1" }, { &size, 1023.4, "+1023" }, { &size, -1536, "-1.50K" },
		{ &kb, 0.5, "512" }, { &kb, 1, "1.00K" }, { &us, 1500.5, "1.50ms" },
		{ &size, 0x1p70, "+1.00Z" }, { &us, 0x1p70, "213503982d08h" },
		{ &kb, 0x1p80, "16.0Z" }, { &kb, NAN, "-" }, { &us, NAN, "-" }, { &size, NAN, "-" },
	};
	char text[NUMBER_LEN];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		layout_value(text, known[i].c, false, rate_bits(known[i].number));
		EXPECT_TEXT(text, known[i].text);
	}
}

/* ---- order ---------------------------------------------------------------- */

static void expect_order(int line, struct top_page *p, const char *key, bool reverse,
			 const char *filter, const char *expected)
{
	char got[64] = "";
	size_t i;

	p->key = table_column(p->v.t, key);
	p->reverse = reverse;
	snprintf(p->filter, sizeof(p->filter), "%s", filter);
	top_rates_arrange(p);
	for (i = 0; i < p->nr; i++)
		strncat(got, p->shown[i]->label, 1);
	expect_text(line, got, expected);
}

TEST(top_rows_are_sorted_and_filtered)
{
	struct top_page *p = new_page("callers");

	show_table(p, CALLERS("10.000", { ROW("d Ext4", 5, 9) }, { ROW("b", 7, 9) },
			      { ROW("c ext4", 5, 9) }), 0);
	expect_order(__LINE__, p, "live_bytes", false, "", "bcd");
	expect_order(__LINE__, p, "live_bytes", true, "", "dcb");
	expect_order(__LINE__, p, "site", false, "", "bcd");
	expect_order(__LINE__, p, "site", true, "", "dcb");
	expect_order(__LINE__, p, "live_bytes", false, "eXT4", "cd");
	expect_order(__LINE__, p, "live_bytes", false, "none", "");
	show_table(p, CALLERS("11.000", { ROW("d", 6, 9) }, { ROW("b", 7, 1) },
			      { ROW("c ext4", 1, 10) },
			      { ROW("a", U64_MAX, 0) }), 1000);
	expect_order(__LINE__, p, "growth", false, "", "adbc");
	/* Unknown values come last in both orders. */
	expect_order(__LINE__, p, "allocs_per_s", false, "", "dcab");
	expect_order(__LINE__, p, "allocs_per_s", true, "", "acdb");
	free_page(p);
}

/* ---- history -------------------------------------------------------------- */

/* A table of one row, whose label is @site, at @seconds. */
static struct table *at_second(u64 seconds, const char *site)
{
	const struct caller one[] = { { ROW(site, 1000, 1) }, {} };
	char head[64];

	snprintf(head, sizeof(head), "since=load window_s=%llu.000", seconds);
	return make_callers(head, one);
}

TEST(top_history_is_a_ring)
{
	struct top_page *p = new_page("callers");
	struct top_point points[TOP_DEPTH];
	u64 i, slot, ms[TOP_DEPTH];

	for (i = 1; i <= 200; i++) {
		show_table(p, at_second(i, "a"), 1000);
		top_rows_store(p->rows, p->rows->all.row, (struct top_point) { i, i * 2 });
	}
	EXPECT(top_rows_read(p->rows, p->rows->all.row, points, ms) == TOP_DEPTH);
	EXPECT(points[0].value == 21 && points[TOP_DEPTH - 1].rate == 400);
	EXPECT(ms[0] == 21000 && ms[TOP_DEPTH - 1] == 200000);
	/* A row that takes over a slot does not take over its history. */
	slot = p->rows->all.row->slot;
	show_table(p, at_second(201, "b"), 1000);
	EXPECT(p->rows->all.row->slot == slot);
	top_rows_store(p->rows, p->rows->all.row, (struct top_point) { 7, NAN });
	EXPECT(top_rows_read(p->rows, p->rows->all.row, points, ms) == 1 && points[0].value == 7);
	free_page(p);
}

/* Make a table of more rows than have a history, of which the last one is called @last. */
static struct table *too_many_rows(const char *head, const char *last)
{
	struct caller *c = alloc(TOP_HISTORY + 2, sizeof(*c));
	struct table *t;
	size_t i;

	for (i = 0; i < TOP_HISTORY; i++)
		c[i].site = alloc_print("site_%zu", i);
	c[i].site = last;
	t = make_callers(head, c);
	for (i = 0; i < TOP_HISTORY; i++)
		free((char *)c[i].site);
	free(c);
	return t;
}

TEST(top_history_is_bounded)
{
	struct top_page *p = new_page("callers");
	struct top_point points[TOP_DEPTH];
	u64 i, ms[TOP_DEPTH];

	show_table(p, too_many_rows("since=load window_s=1.000", "last"), 1000);
	for (i = 0; i < TOP_HISTORY; i++)
		EXPECT(p->rows->all.row[i].slot == i);
	EXPECT(p->rows->all.row[i].slot == TOP_NO_SLOT);
	EXPECT(top_rows_read(p->rows, &p->rows->all.row[i], points, ms) == 0);
	/* A row without a slot has none to leave to another one. */
	show_table(p, too_many_rows("since=load window_s=2.000", "other"), 1000);
	EXPECT(p->rows->all.row[i].slot == TOP_NO_SLOT);
	EXPECT(top_rows_read(p->rows, p->rows->all.row, points, ms) == 2);
	free_page(p);
}

/* ---- graphs --------------------------------------------------------------- */

/*
 * Compare the graph of the values of a row, which is the first in its details, with the levels as
 * the digits 1 to 8, and what is empty as dots.
 */
static void expect_graph(int line, const float *values, int nr, int screen, const char *expected)
{
	struct top_page *p = new_page("callers");
	bool in_graph = false;
	char *text, *begin, *at;
	int i;

	for (i = 0; i < nr; i++) {
		show_table(p, at_second(5 + i, "a"), 1000);
		top_rows_store(p->rows, p->rows->all.row, (struct top_point) { values[i], NAN });
	}
	text = top_details_make(p, p->rows->all.row, NULL, NULL, screen);
	begin = strstr(text, "\n\nlive ") ?: strstr(text, "\n\nlive:");
	begin += 2;
	strstr(begin, "\n\n")[1] = '\0';
	for (at = strchr(begin, '\n'); at && *at; at++) {
		in_graph = *at == '|' || (in_graph && *at != '\n');
		if (in_graph && *at == ' ')
			*at = '.';
		else if (*at > 0 && *at <= TOP_LEVELS)
			*at += '0';
	}
	expect_text(line, begin, expected);
	free(text);
	free_page(p);
}

TEST(top_graphs_show_the_range)
{
	static const float ramp[] = { 0, NAN, 31, 15, 16 }, flat[] = { 5, 5 }, one[] = { NAN, 5 };

	expect_graph(__LINE__, ramp, 5, 80,
		     "live in the last 5 refreshes, 4.0s:\n"
		     "  31 |..8..\n"
		     "     |..8.1\n"
		     "     |..888\n"
		     "   0 |1.888\n");
	/* Only the last values fit, and the range is theirs. */
	expect_graph(__LINE__, ramp, 5, 8,
		     "live in the last 2 refreshes, 1.0s:\n"
		     "  16 |.8\n"
		     "     |.8\n"
		     "     |.8\n"
		     "  15 |18\n");
	expect_graph(__LINE__, flat, 2, 80,
		     "live in the last 2 refreshes, 1.0s:\n"
		     "  5 |..\n"
		     "    |..\n"
		     "    |..\n"
		     "  5 |11\n");
	expect_graph(__LINE__, one, 2, 80, "live: no graph yet\n");
}

/* ---- lists ---------------------------------------------------------------- */

/* Draw the list, and compare its first lines. */
static void draw(struct top_page *p, struct top_canvas *c, int lines, int width)
{
	top_canvas_clear(c, lines, width);
	top_list_draw(p, c, 0, lines);
}

static void expect_list(int line, struct top_page *p, int width, const char *expected)
{
	FILE *out = output();
	struct top_canvas c = {};
	char *text;
	int i;

	draw(p, &c, 4, width);
	for (i = 0; i < 4; i++) {
		text = top_canvas_line(&c, i);
		fprintf(out, "%s\n", text);
		free(text);
	}
	expect_output(line, expected);
	free(c.cells);
}

#define EXPECT_LIST(p, width, expected) expect_list(__LINE__, p, width, expected)

/* Return: number of columns that the list may have, with the names. */
static int nr_columns(const struct top_page *p)
{
	int i, nr = 1;

	for (i = 0; i < p->v.t->nr_values; i++)
		nr += !p->v.t->columns[i].hidden;
	return nr;
}

TEST(top_columns_go_before_names)
{
	struct top_page *p = new_page("callers");

	show_table(p, CALLERS("10.000", { ROW("short+0x1", 1000, 10) },
			      { ROW("quite_a_long_name+0x1 [module]", 3000, 5) }), 0);
	show_table(p, CALLERS("11.000", { ROW("short+0x1", 1000, 20) },
			      { ROW("quite_a_long_name+0x1 [module]", 3500, 5) }), 1000);
	EXPECT_LIST(p, 62, " live objects growth/s allocs/s site\n"
		    "3.42K       0     +500        0 quite_a_long_name+0x1 [module]\n"
		    " 1000       0        0       10 short+0x1\n\n");
	EXPECT_LIST(p, 61, " live growth/s allocs/s site\n"
		    "3.42K     +500        0 quite_a_long_name+0x1 [module]\n"
		    " 1000        0       10 short+0x1\n\n");
	top_list_reset(p);
	EXPECT_LIST(p, 46, " live growth/s site\n"
		    "3.42K     +500 quite_a_long_name+0x1 [module]\n"
		    " 1000        0 short+0x1\n\n");
	EXPECT(p->hidden == nr_columns(p) - 3);
	/* The column to sort by stays. */
	p->key = table_column(p->v.t, "hits");
	EXPECT_LIST(p, 46, " live growth/s hits site\n"
		    "3.42K     +500    5 quite_a_long_name+0x1 [mo>\n"
		    " 1000        0   20 short+0x1\n\n");
	top_list_scroll(p, 8);
	EXPECT_LIST(p, 46, " live growth/s hits site\n"
		    "3.42K     +500    5 <ong_name+0x1 [module]\n"
		    " 1000        0   20 <\n\n");
	free_page(p);
}

TEST(top_cursor_stays_on_the_screen)
{
	struct top_page *p = new_page("callers");
	struct top_canvas c = {};

	show_table(p, CALLERS("10.000", { ROW("a", 9, 0) }, { ROW("b", 8, 0) },
			      { ROW("c", 7, 0) }, { ROW("d", 6, 0) }), 0);
	draw(p, &c, 3, 40);
	EXPECT(top_canvas_at(&c, 1, 0)->attributes & TOP_REVERSE);
	top_list_move(p, 100);
	EXPECT(p->cursor == 3);
	draw(p, &c, 3, 40);
	EXPECT(p->first == 2 && top_canvas_at(&c, 2, 0)->attributes & TOP_REVERSE);
	top_list_move(p, -1);
	draw(p, &c, 3, 40);
	EXPECT(p->first == 2 && p->cursor == 2);
	/* There are fewer rows now, and more room. */
	show_table(p, CALLERS("11.000", { ROW("a", 9, 0) }), 1000);
	draw(p, &c, 30, 40);
	EXPECT(p->first == 0 && p->cursor == 0);
	top_list_move(p, -100);
	EXPECT(p->cursor == 0);
	free(c.cells);
	free_page(p);
}

static void expect_label(int line, const char *view, struct table *t, const char *expected)
{
	struct top_page *p = new_page(view);
	struct top_canvas c = {};
	char *text;

	show_table(p, t, 0);
	draw(p, &c, 2, 200);
	text = top_canvas_line(&c, 1);
	if (!text_ends(text, expected))
		expect_text(line, text, expected);
	free(text);
	free(c.cells);
	free_page(p);
}

TEST(top_stacks_begin_at_the_call_site)
{
	struct table *t = CALLERS("10.000", { ROW("outer;middle;site", 1000, 1) });

	t->columns[t->nr_values].name = "stack";
	table_link(t);
	expect_label(__LINE__, "stacks", t, " site < middle < outer");
	expect_label(__LINE__, "stalls", parse_golden("stalls"),
		     " do_anonymous_page+0x1b2;shrinker: super_cache_scan ext4:vda1");
}

/* ---- states --------------------------------------------------------------- */

/*
 * Compare the lines of the state, of which the first @lost tell what was lost.  The fields of the
 * head have semicolons between them.
 */
static void expect_state(int line, const char *fields, int lost, const char * const *expected)
{
	struct top_ui *ui = alloc(1, sizeof(*ui));
	char *head = alloc_copy(fields), *semicolon, *text;
	const struct caller none[] = { {} };
	struct top_canvas c = {};
	bool warning;
	int i;

	while ((semicolon = strchr(head, ';')))
		*semicolon = ' ';
	begin_page(ui->page, "callers");
	show_table(ui->page, make_callers(head, none), 0);
	top_canvas_clear(&c, 20, 300);
	top_screen_draw(&c, ui);
	for (i = 0; expected[i]; i++) {
		text = top_canvas_line(&c, 1 + i);
		expect_text(line, text, expected[i]);
		free(text);
		warning = top_canvas_at(&c, 1 + i, 0)->attributes & TOP_WARNING;
		if (warning ? i >= lost : i < lost)
			fail_at(line, "lost or not");
	}
	text = top_canvas_line(&c, 1 + i);
	expect_text(line, text, "0 call sites, 0 live, 0 objects");
	free(text);
	free(c.cells);
	free(head);
	top_page_free(ui->page);
	free(ui);
}

#define EXPECT_STATE(fields, lost, ...) \
	expect_state(__LINE__, fields, lost, (const char * const []) { __VA_ARGS__, NULL })

TEST(top_states_are_sentences)
{
	EXPECT_STATE("sample_bytes=0;dropped=0;replaced=0;page_freed=0;"
		     "coverage_pct=100.000;since=load;window_s=10.700;filter=none", 0,
		     "exact since load, 10.7s; every known free was seen");
	EXPECT_STATE("sampled=1;sample_bytes=524288;dropped=0;replaced=2;page_freed=1;"
		     "coverage_pct=99.900;since=reset;window_s=65.000;filter=none", 0,
		     "sampled since the last reset, 1m05s, one object for every 512K allocated; "
		     "3 frees were not seen, 99.900 % were; "
		     "~ estimate, low..high its 95 % interval; "
		     "a call site without samples has at most 1.85M live");
	EXPECT_STATE("sampled=1;sample_bytes=0;dropped=30;coverage_pct=100.000;since=load;"
		     "window_s=1.000;cut=7;full=live,sites;filter=comm", 5,
		     "30 allocations are not recorded, and missing in what is live: kmemacct stats says why",
		     "the module's table `live` is full: objects were dropped: larger live_max, or kmemacct set sample_bytes 512K",
		     "the module's table `sites` is full: call sites are counted in [other]: load the module with a larger sites_max",
		     "filter: comm: other allocations are not counted: kmemacct set filter off, then kmemacct reset",
		     "7 rows are missing: the table grew while it was copied: read it again",
		     "sampled since load, 1.0s, but all objects are recorded now; every known free was seen");
	EXPECT_STATE("latency=on;lost=2;other=0;since=on;window_s=1.000;filter=none;"
		     "live_filter=comm", 2,
		     "2 phases are not counted: kmemacct stats says why",
		     "filter: comm, earlier: live objects that did not match it are missing: load the module again to count all",
		     "exact since this was switched on, 1.0s");
}

#define LOSSES "dropped=30 off=2 lost=3 other=4 since=load window_s=1.000 cut=7 full=live,sites,stacks,caches filter=comm live_filter=comm"

/* Return: the first line that contains a text, or -1. */
static int line_with(const struct top_canvas *c, const char *what)
{
	bool found = false;
	char *text;
	int line;

	for (line = 0; line < c->lines; line++) {
		text = top_canvas_line(c, line);
		found = strstr(text, what);
		free(text);
		if (found)
			return line;
	}
	return -1;
}

/*
 * On the smallest screen, losses may take all lines; nothing is drawn outside of it.  On others,
 * they leave room for rows.
 */
TEST(top_states_fit_any_screen)
{
	struct top_ui *ui = alloc(1, sizeof(*ui));
	const struct caller one[] = { { ROW("a", 1000, 1) }, {} };
	struct top_canvas c = {};

	begin_page(ui->page, "callers");
	show_table(ui->page, make_callers(LOSSES, one), 0);
	top_canvas_clear(&c, TOP_SCREEN_LINES, TOP_SCREEN_COLUMNS);
	top_screen_draw(&c, ui);
	EXPECT(top_canvas_at(&c, 1, 0)->attributes & TOP_WARNING);
	top_canvas_clear(&c, 24, 80);
	top_screen_draw(&c, ui);
	EXPECT(line_with(&c, "and 6 more: kmemacct status") == 7);
	EXPECT(line_with(&c, "1 call sites") > 0 && line_with(&c, "1000") > 0);
	free(c.cells);
	top_page_free(ui->page);
	free(ui);
}

/* ---- lines that have to fit ----------------------------------------------- */

static struct top_ui *new_ui(const char *head, const struct caller *rows)
{
	struct top_ui *ui = alloc(1, sizeof(*ui));

	begin_page(ui->page, "callers");
	show_table(ui->page, make_callers(head, rows), 0);
	return ui;
}

static void free_ui(struct top_ui *ui)
{
	top_page_free(ui->page);
	free(ui);
}

/* Draw a screen, and compare one of its lines. */
static void expect_line(int line, struct top_ui *ui, int lines, int columns, int nr,
			const char *expected)
{
	struct top_canvas c = {};
	char *text;

	top_canvas_clear(&c, lines, columns);
	top_screen_draw(&c, ui);
	text = top_canvas_line(&c, nr);
	expect_text(line, text, expected);
	free(text);
	free(c.cells);
}

#define EXPECT_LINE(ui, lines, columns, nr, expected) \
	expect_line(__LINE__, ui, lines, columns, nr, expected)

TEST(top_views_always_have_their_keys)
{
	const struct caller none[] = { {} };
	struct top_ui *ui = new_ui("since=load window_s=1.000", none);

	EXPECT_LINE(ui, 24, 82, 0,
		    "1callers 2caches 3stacks 4page_callers 5tasks 6cgroups 7latency 8shrinkers 9stalls");
	EXPECT_LINE(ui, 24, 81, 0,
		    "1callers 2caches 3stacks 4pages 5tasks 6cgroups 7latency 8shrinkers 9stalls");
	EXPECT_LINE(ui, 24, 75, 0,
		    "1callers 2caches 3stacks 4pages 5tasks 6cgroups 7latency 8shrinkers 9stalls");
	EXPECT_LINE(ui, 24, 74, 0, "1callers 2 3 4 5 6 7 8 9");
	EXPECT_LINE(ui, 8, 40, 0, "1callers 2 3 4 5 6 7 8 9");
	free_ui(ui);
}

TEST(top_totals_are_wrapped_between_numbers)
{
	const struct caller one[] = { { ROW("a", 1 << 30, 1) }, {} };
	struct top_ui *ui = new_ui("since=load window_s=10.000", one);

	show_table(ui->page, make_callers("since=load window_s=11.000", one), 1000);
	EXPECT_LINE(ui, 24, 80, 2,
		    "1 call sites, 1.00G live, 0 objects, 0 growth/s, 0 allocs/s; last 1.0s");
	EXPECT_LINE(ui, 24, 69, 2, "1 call sites, 1.00G live, 0 objects, 0 growth/s, 0 allocs/s;");
	EXPECT_LINE(ui, 24, 69, 3, "last 1.0s");
	EXPECT_LINE(ui, 24, 58, 2, "1 call sites, 1.00G live, 0 objects, 0 growth/s,");
	EXPECT_LINE(ui, 24, 58, 3, "0 allocs/s; last 1.0s");
	free_ui(ui);
}

/* A text that does not fit ends in dots. */
TEST(top_shortened_lines_say_so)
{
	const struct caller one[] = { { ROW("a", 1, 1) }, {} };
	struct top_ui *ui = new_ui("since=load window_s=10.000", one);

	snprintf(ui->trouble, sizeof(ui->trouble), "%0*d %0*d %0*d %0*d %0*d", 75, 1, 75, 2, 75, 3,
		 73, 4, 10, 5);
	EXPECT_LINE(ui, 24, 80, 4,
		    "0000000000000000000000000000000000000000000000000000000000000000000000004 ...");
	snprintf(ui->trouble, sizeof(ui->trouble), "%0*d %0*d %0*d %0*d %0*d", 75, 1, 75, 2, 75, 3,
		 80, 4, 10, 5);
	EXPECT_LINE(ui, 24, 80, 4,
		    "00000000000000000000000000000000000000000000000000000000000000000000000000000...");
	*ui->trouble = '\0';
	snprintf(ui->page->filter, TOP_FILTER_LEN, "sixteen letters, and more");
	EXPECT_LINE(ui, 24, 80, 23,
		    "filter: sixteen letters,...  sort: live  h help  q quit  15 more columns: < >");
	/* A message takes as many lines as it needs. */
	snprintf(ui->message, sizeof(ui->message), "%0*d %0*d %0*d", 75, 1, 75, 2, 10, 3);
	EXPECT_LINE(ui, 24, 80, 23, "0000000003");
	free_ui(ui);
}

TEST(top_empty_tables_say_so)
{
	const struct caller none[] = { {} }, one[] = { { ROW("a", 1, 1) }, {} };
	struct top_ui *ui = new_ui("since=load window_s=10.000", none);

	EXPECT_LINE(ui, 24, 80, 4, "no allocation was recorded");
	free_ui(ui);
	ui = new_ui("since=load window_s=10.000", one);
	snprintf(ui->page->filter, TOP_FILTER_LEN, "b");
	top_rates_arrange(ui->page);
	EXPECT_LINE(ui, 24, 80, 4, "no row matches");
	free_ui(ui);
}

/* ---- the window of the growth --------------------------------------------- */

static void expect_shown(int line, struct top_ui *ui, const char *letters)
{
	const struct top_page *p = top_ui_page(ui);
	char got[64] = "";
	size_t i;

	for (i = 0; i < p->nr; i++)
		strncat(got, p->shown[i]->label, 1);
	expect_text(line, got, letters);
}

#define EXPECT_SHOWN(ui, letters) expect_shown(__LINE__, ui, letters)

#define WINDOWS(ten) "change_1m_s=64 change_10m_s=" ten " change_1h_s=- since=load window_s="
#define CHANGED(name, bytes, changed) .site = name, .live_bytes = bytes, .changes = changed

/* Read the next table, a second later. */
static void next_table(struct top_ui *ui, const char *head, const struct caller *rows)
{
	show_table(top_ui_page(ui), make_callers(head, rows), 1000);
}

/* Compare the titles, the first row and the totals. */
static void expect_window(int line, struct top_ui *ui, const char *totals, const char *titles,
			  const char *row)
{
	expect_line(line, ui, 24, 60, 2, totals);
	expect_line(line, ui, 24, 60, 3, titles);
	expect_line(line, ui, 24, 60, 4, row);
}

#define EXPECT_WINDOW(ui, totals, titles, row) expect_window(__LINE__, ui, totals, titles, row)

TEST(top_windows_are_cycled)
{
	const struct caller before[] = {
		{ CHANGED("a", 8192, "1024 5120 -") }, { CHANGED("b", 4096, "-2048 0 -") },
		{ CHANGED("c", 1024, "1024 -1024 -") }, {} };
	const struct caller after[] = {
		{ CHANGED("a", 7168, "0 4096 -") }, { CHANGED("b", 4096, "-2048 0 -") },
		{ CHANGED("c", 2048, "2048 0 -") }, {} };
	struct top_ui *ui = new_ui(WINDOWS("620") "700.000", before);

	/* The default is the last minute, which needs no second refresh. */
	EXPECT_WINDOW(ui, "3 call sites, 13.0K live, 0 objects, 0 in 1m04s",
		      " live share objects   1min allocs/s frees/s bytes/s site",
		      "8.00K 61.5%       0 +1.00K        -       -       - a");
	next_table(ui, WINDOWS("621") "701.000", after);
	/* The order follows the window, and values that are not known come last. */
	top_ui_key(ui, '>');
	top_ui_key(ui, '>');
	top_ui_key(ui, '>');
	EXPECT_WINDOW(ui, "3 call sites, 13.0K live, 0 objects, 0 in 1m04s, 0 allocs/s;",
		      "last 1.0s", " live share objects   1min allocs/s frees/s bytes/s site");
	EXPECT_SHOWN(ui, "cab");
	top_ui_key(ui, 'w');
	EXPECT_WINDOW(ui, "3 call sites, 13.0K live, 0 objects, +4.00K in 10m21s,",
		      "0 allocs/s; last 1.0s",
		      " live share objects  10min allocs/s frees/s bytes/s site");
	EXPECT_SHOWN(ui, "abc");
	top_ui_key(ui, 'w');
	EXPECT_WINDOW(ui, "3 call sites, 13.0K live, 0 objects, no history of 1h yet,",
		      "0 allocs/s; last 1.0s",
		      " live share objects 1h allocs/s frees/s bytes/s   1min site");
	EXPECT_LINE(ui, 24, 60, 5, "7.00K 53.8%       0  -        0       0       0      0 a");
	top_ui_key(ui, 'w');
	EXPECT_WINDOW(ui, "3 call sites, 13.0K live, 0 objects, 0 growth/s, 0 allocs/s;",
		      "last 1.0s", " live share objects growth/s allocs/s frees/s bytes/s site");
	EXPECT_SHOWN(ui, "cba");
	/* The smallest screens keep the window, too. */
	EXPECT_LINE(ui, 8, 40, 4, " live objects growth/s allocs/s site");
	top_ui_key(ui, 'w');
	EXPECT_LINE(ui, 8, 40, 4, " live share objects   1min allocs/s site");
	EXPECT_SHOWN(ui, "cab");
	free_ui(ui);
}

/* A column of the module to sort by stays the same one when another window takes its place. */
TEST(top_order_stays_in_other_windows)
{
	const struct caller rows[] = {
		{ CHANGED("a", 3, "1 5 7") }, { CHANGED("b", 2, "2 4 9") },
		{ CHANGED("c", 1, "3 6 8") }, {} };
	struct top_ui *ui = new_ui(WINDOWS("620") "700.000", rows);
	struct top_page *p = ui->page;

	p->key = table_column(p->v.t, "change_10m");
	top_rates_arrange(p);
	EXPECT_SHOWN(ui, "cab");
	EXPECT(!top_rates_spec(p, p->key));
	top_ui_key(ui, 'w');
	EXPECT_SHOWN(ui, "cab");
	EXPECT(top_rates_spec(p, p->key)->kind == TOP_GROWTH);
	top_ui_key(ui, 'w');
	EXPECT_SHOWN(ui, "bca");
	p->key = p->v.t->nr_values;
	top_ui_key(ui, 'w');
	EXPECT_SHOWN(ui, "abc");
	free_ui(ui);
}

/* Until the module has a history, the column has the title of the last refresh. */
TEST(top_growth_is_never_a_guess)
{
	const struct caller before[] = { { ROW("a", 1024, 1) }, {} };
	const struct caller after[] = { { CHANGED("a", 3072, "2048 - -") }, {} };
	struct top_ui *ui = new_ui("change_1m_s=- since=load window_s=39.000", before);
	struct top_page *p = ui->page;

	p->key = table_column(p->v.t, "growth");
	next_table(ui, "change_1m_s=- since=load window_s=40.000", before);
	EXPECT_CELLS(p, "a", "growth change_1m", "0 -");
	next_table(ui, "change_1m_s=41 since=load window_s=41.000", after);
	EXPECT_TEXT(p->v.t->columns[p->key].title, "1min");
	EXPECT_CELLS(p, "a", "change_1m", "+2.00K");
	EXPECT(table_column(p->v.t, "growth") == NONE);
	/* A window that the user has chosen stays. */
	ui->window = TOP_1M;
	p->chosen = TOP_1M;
	next_table(ui, "change_1m_s=- since=load window_s=42.000", before);
	EXPECT_TEXT(p->v.t->columns[p->key].title, "1min");
	EXPECT_CELLS(p, "a", "change_1m", "-");
	free_ui(ui);
}

TEST(top_windows_have_intervals)
{
	const struct caller one[] = {
		{ CHANGED("a", 65536, "8192 - -"), .samples = 16, .live_bytes_se = 16384,
		  .changes_se = "4096 - -" }, {} };
	struct top_ui *ui = new_ui("sampled=1 sample_bytes=4096 " WINDOWS("-") "70.000", one);
	const struct row *row = ui->page->shown[0];
	char text[CELL_LEN];

	EXPECT_CELLS(ui->page, "a", "change_1m", "~+8.00K");
	top_rates_interval(ui->page, row, table_column(ui->page->v.t, "change_1m"), text);
	EXPECT_TEXT(text, "-10.3K..+26.3K");
	free_ui(ui);
}

/* ---- the mark ------------------------------------------------------------- */

TEST(top_mark_shows_what_has_changed_since)
{
	const struct caller at_mark[] = {
		{ ROW("a", 1024, 1) }, { ROW("b", 4096, 1) }, { ROW("gone", 512, 1) }, {} };
	const struct caller later[] = { { ROW("a", 3072, 2) }, { ROW("b", 4096, 1) }, {} };
	const struct caller last[] = {
		{ ROW("a", 5120, 3) }, { ROW("b", 2048, 1) }, { ROW("new", 8192, 1) }, {} };
	struct top_ui *ui = new_ui(WINDOWS("620") "700.000", at_mark);
	struct top_page *p = ui->page;

	p->key = table_column(p->v.t, "change_1m");
	top_ui_key(ui, 'm');
	EXPECT_CELLS(p, "a", "since_mark", "0");
	next_table(ui, WINDOWS("620") "701.000", later);
	next_table(ui, WINDOWS("620") "765.000", last);
	EXPECT_CELLS(p, "a", "since_mark", "+4.00K");
	EXPECT_CELLS(p, "b", "since_mark", "-2.00K");
	/* A row that is new since then counts whole, and one that has vanished in the totals. */
	EXPECT_CELLS(p, "new", "since_mark", "+8.00K");
	EXPECT_SHOWN(ui, "nab");
	EXPECT_WINDOW(ui, "3 call sites, 15.0K live, 0 objects,",
		      "+9.50K since the mark 1m05s ago, <0.1 allocs/s; last 1m04s",
		      " live share objects  +mark allocs/s frees/s bytes/s site");
	/* A row that comes back is the one that was marked. */
	next_table(ui, WINDOWS("620") "766.000", at_mark);
	EXPECT_CELLS(p, "gone", "since_mark", "0");
	/* The key marks anew. */
	top_ui_key(ui, 'm');
	next_table(ui, WINDOWS("620") "767.000", later);
	EXPECT_CELLS(p, "a", "since_mark", "+2.00K");
	EXPECT(p->rows->marked_ms == 1000);
	/* The window that was shown before comes back. */
	top_ui_key(ui, 'w');
	EXPECT_TEXT(p->v.t->columns[table_column(p->v.t, "change_1m")].title, "1min");
	EXPECT(!p->rows->mark);
	top_ui_key(ui, 'm');
	free_ui(ui);
}

/* After a reset, the time since the mark is not known, and counters have begun anew. */
TEST(top_mark_ends_with_a_reset)
{
	const struct caller one[] = { { ROW("a", 1024, 1) }, {} };
	struct top_ui *ui = new_ui("since=load window_s=10.000", one);

	top_ui_key(ui, 'm');
	next_table(ui, "since=load window_s=11.000", one);
	EXPECT(ui->page->window == TOP_MARK);
	next_table(ui, "since=reset window_s=0.500", one);
	EXPECT(ui->page->window == TOP_REFRESH && !ui->page->rows->mark);
	EXPECT_CELLS(ui->page, "a", "growth", "-");
	free_ui(ui);
}

TEST(top_mark_has_intervals)
{
	const struct caller before[] = {
		{ ROW("a", 10000, 1000), .samples = 40, .live_bytes_se = 300, .hits_se = 30,
		  .bytes_alloc_se = 300 }, {} };
	const struct caller after[] = {
		{ ROW("a", 14000, 2000), .samples = 80, .live_bytes_se = 400, .hits_se = 50,
		  .bytes_alloc_se = 400 }, {} };
	struct top_ui *ui = new_ui("sampled=1 sample_bytes=0 since=load window_s=10.000", before);
	char text[CELL_LEN];

	top_ui_key(ui, 'm');
	next_table(ui, "sampled=1 sample_bytes=0 since=load window_s=12.000", after);
	EXPECT_CELLS(ui->page, "a", "since_mark", "~+3.91K");
	/* Twice the interval of the change per second in top_estimates_have_intervals */
	top_rates_interval(ui->page, ui->page->shown[0],
			   table_column(ui->page->v.t, "since_mark"), text);
	EXPECT_TEXT(text, "+3.25K..+4.56K");
	free_ui(ui);
}

/* Other views have the growth of the last refresh and a mark, or none of both. */
TEST(top_views_without_history_say_so)
{
	struct top_ui *ui = alloc(1, sizeof(*ui));

	ui->view = top_view_find("page_callers");
	begin_page(top_ui_page(ui), "page_callers");
	show_table(top_ui_page(ui), parse("page_callers", PAGES("1.000")
					  PAGE(4, 0, "Movable", "0x1")), 0);
	top_ui_key(ui, 'w');
	EXPECT_TEXT(ui->message,
		    "this table has no history: press m to see what changes from now on");
	EXPECT(ui->window == TOP_USUAL);
	top_ui_key(ui, 'm');
	show_table(top_ui_page(ui), parse("page_callers", PAGES("2.000")
					  PAGE(12, 0, "Movable", "0x1")), 1000);
	EXPECT_CELLS(top_ui_page(ui), "site", "since_mark", "+8.00K");
	top_page_free(top_ui_page(ui));
	ui->view = top_view_find("latency");
	begin_page(top_ui_page(ui), "latency");
	show_table(top_ui_page(ui), parse_golden("latency"), 0);
	top_ui_key(ui, 'm');
	EXPECT_TEXT(ui->message, "this view shows no live memory: w and m have no effect");
	EXPECT(!top_ui_page(ui)->rows->mark);
	top_page_free(top_ui_page(ui));
	free(ui);
}

/* ---- the machine's memory ------------------------------------------------- */

#define GIB	(1024ULL * 1024 * 1024)

static struct top_ui *new_machine(void)
{
	const struct caller one[] = { { ROW("a", 1 << 30, 1) }, {} };
	struct top_ui *ui = new_ui("since=load window_s=10.000", one);

	ui->memory = (struct top_memory) {
		.machine = { .ram = 64 * GIB, .free = 8 * GIB, .user = 16 * GIB, .cache = 24 * GIB,
			     .slab = 12 * GIB, .reclaimable = 8 * GIB },
		.recorded = 9 * GIB, .is_recorded = true,
	};
	return ui;
}

TEST(top_bars_show_the_machine)
{
	struct top_ui *ui = new_machine();

	EXPECT_LINE(ui, 24, 80, 1,
		    "RAM  64.0G [uuuuuuuucccccccccccssrrrroo    ] user 16.0G, cache 24.0G, free 8.00G");
	EXPECT_LINE(ui, 24, 80, 2,
		    "Slab 12.0G [#######################        ] 8.00G reclaimable, 75.0% recorded");
	EXPECT_LINE(ui, 24, 80, 3, "exact since load, 10.0s");
	EXPECT_LINE(ui, 24, 64, 1,
		    "RAM  64.0G [uuuucccccsrro  ] user 16.0G, cache 24.0G, free 8.00G");
	EXPECT_LINE(ui, 24, 58, 1, "exact since load, 10.0s");
	ui->memory.sampled = true;
	EXPECT_LINE(ui, 40, 84, 2,
		    "Slab 12.0G [##########################         ] 8.00G reclaimable, ~75.0% recorded");
	ui->memory.is_recorded = false;
	EXPECT_LINE(ui, 24, 80, 2,
		    "Slab 12.0G [#######################        ] 8.00G reclaimable");
	ui->memory.machine.slab = 0;
	EXPECT_LINE(ui, 24, 80, 2, "exact since load, 10.0s");
	free_ui(ui);
}

/* The rows need the lines of a smaller screen. */
TEST(top_bars_need_room)
{
	struct top_ui *ui = new_machine();

	EXPECT_LINE(ui, 23, 80, 1, "exact since load, 10.0s");
	EXPECT_LINE(ui, 20, 60, 1, "exact since load, 10.0s");
	EXPECT_LINE(ui, 24, 56, 1, "exact since load, 10.0s");
	ui->memory = (struct top_memory) {};
	EXPECT_LINE(ui, 24, 80, 1, "exact since load, 10.0s");
	free_ui(ui);
}

/* ---- keys ----------------------------------------------------------------- */

TEST(top_help_has_all_keys_and_fits)
{
	static const char * const keys[] = {
		"q, Ctrl-C", "h, ?, F1", "1 to 9", "Tab", "Shift-Tab", "Left, Right, <, >", "R",
		"Up, Down, k, j", "PgUp, PgDn", "Home, End, g, G", "[, ]",
		"Shift-Left and Shift-Right", "d, Enter", "/", "p, Space", "s  ", "o  ",
		"w  ", "m  ",
		"Esc, q, d and Enter", "~ is an estimate",
	};
	const struct caller none[] = { {} };
	struct top_ui *ui = new_ui("since=load window_s=10.000", none);
	struct top_canvas c = {};
	size_t i;
	int line;

	top_ui_key(ui, '?');
	top_canvas_clear(&c, 24, 80);
	top_screen_draw(&c, ui);
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (line_with(&c, keys[i]) < 0)
			fail_at(__LINE__, keys[i]);
	for (line = 0; line < 24; line++)
		EXPECT(top_canvas_at(&c, line, 79)->c == ' ');
	free(c.cells);
	free_ui(ui);
}

TEST(top_keys_show_the_help)
{
	static const int keys[] = { 'h', '?', TOP_KEY_HELP };
	const struct caller one[] = { { ROW("a", 1, 1) }, {} };
	struct top_ui *ui = new_ui("since=load window_s=10.000", one);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		top_ui_key(ui, keys[i]);
		EXPECT(ui->mode == TOP_HELP);
		/* A key without an effect closes nothing, and is no text of a prompt. */
		top_ui_key(ui, TOP_KEY_OTHER);
		EXPECT(ui->mode == TOP_HELP);
		top_ui_key(ui, TOP_KEY_ESCAPE);
		EXPECT(ui->mode == TOP_LIST);
	}
	top_ui_key(ui, '/');
	top_ui_key(ui, 'a');
	top_ui_key(ui, TOP_KEY_HELP);
	top_ui_key(ui, TOP_KEY_OTHER);
	EXPECT(ui->mode == TOP_LIST && ui->prompt == TOP_ASK_FILTER);
	EXPECT_TEXT(ui->page->filter, "a");
	free_ui(ui);
}
