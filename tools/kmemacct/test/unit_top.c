// SPDX-License-Identifier: GPL-2.0
/* Unit tests of kmemacct top: rows over time, numbers, order, history, and what is drawn. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "top_details.h"
#include "top_graph.h"
#include "top_list.h"
#include "top_state.h"
#include "top_ui.h"
#include "unit.h"

/* ---- made-up tables ------------------------------------------------------- */

/* A row of callers.  Counters that are not listed are 0. */
struct caller {
	const char *site;
	u64 live_bytes;
	u64 hits;
	u64 bulk_objs;
	u64 samples;
	u64 live_bytes_se;
	u64 hits_se;
};

#define ROW(name, bytes, nr) .site = name, .live_bytes = bytes, .hits = nr

static u64 value_of(const struct caller *c, const char *column)
{
	if (!strcmp(column, "live_bytes"))
		return c->live_bytes;
	if (!strcmp(column, "hits"))
		return c->hits;
	if (!strcmp(column, "bulk_objs"))
		return c->bulk_objs;
	if (!strcmp(column, "objs_alloc"))
		return c->hits + c->bulk_objs;
	if (!strcmp(column, "samples") || !strcmp(column, "live_samples"))
		return c->samples;
	if (!strcmp(column, "live_bytes_se"))
		return c->live_bytes_se;
	if (!strcmp(column, "hits_se") || !strcmp(column, "objs_alloc_se"))
		return c->hits_se;
	return 0;
}

static const char * const columns[] = {
#define X(name, ...) #name,
	KMA_COUNTS_COLUMNS(X)
#undef X
};

/* Make a table callers from rows that end with one without a site. */
static struct table *make_callers(const char *head, const struct caller *c)
{
	struct table *t;
	char *text;
	size_t i, len;
	FILE *out = open_memstream(&text, &len);

	fprintf(out, "# kmemacct callers %d %s\n#", KMA_FORMAT_VERSION, head);
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		fprintf(out, " %s", columns[i]);
	fputs(" site\n", out);
	for (; c->site; c++) {
		for (i = 0; i < ARRAY_SIZE(columns); i++)
			fprintf(out, "%llu%s ", value_of(c, columns[i]),
				strcmp(columns[i], "frag_pct") ? "" : ".000");
		fprintf(out, "%s\n", c->site);
	}
	fclose(out);
	t = parse("callers", text);
	free(text);
	return t;
}

#define CALLERS(window, ...) \
	make_callers("sample_bytes=0 since=load window_s=" window, \
		     (const struct caller[]) { __VA_ARGS__, {} })

/**
 * struct view - a view with its columns and its order
 * @rows: the rows
 * @columns: the columns
 * @order: the order
 * @clock_ms: the clock of the reader
 */
struct view {
	struct top_rows *rows;
	struct top_columns columns;
	struct top_order order;
	u64 clock_ms;
};

static struct view *new_view(const char *name)
{
	struct view *v = alloc(1, sizeof(*v));

	v->rows = top_rows_new(&top_views[top_view_find(name)]);
	return v;
}

/* Show a table that was read @waited_ms after the one before it. */
static bool show_table(struct view *v, struct table *t, u64 waited_ms)
{
	bool changed;

	v->clock_ms += waited_ms;
	changed = top_rows_update(v->rows, t, v->clock_ms, v->clock_ms);
	top_columns_make(&v->columns, v->rows);
	top_order_make(&v->order, &v->columns, v->rows);
	return changed;
}

static void free_view(struct view *v)
{
	top_rows_free(v->rows);
	free(v->order.shown);
	free(v);
}

static const struct top_row *find_row(const struct view *v, const char *label)
{
	size_t i;

	for (i = 0; i < v->rows->nr; i++)
		if (!strcmp(v->rows->row[i].now->label, label))
			return &v->rows->row[i];
	return NULL;
}

/* Compare the cells of a row, in the columns `key[ key...]`, with blanks between them. */
static void expect_cells(int line, const struct view *v, const char *label, const char *keys,
			 const char *expected)
{
	char *copy = alloc_copy(keys), *rest = copy, *key, got[512] = "", cell[CELL_LEN];

	while ((key = strsep(&rest, " "))) {
		top_column_cell(&v->columns, top_columns_find(&v->columns, key), v->rows,
				find_row(v, label), cell);
		strcat(got, *got ? " " : "");
		strcat(got, cell);
	}
	expect_text(line, got, expected);
	free(copy);
}

#define EXPECT_CELLS(v, label, keys, expected) \
	expect_cells(__LINE__, v, label, keys, expected)

/* ---- rates ---------------------------------------------------------------- */

static void top_rates_follow_from_windows(void)
{
	struct view *v = new_view("callers");

	EXPECT(show_table(v, CALLERS("10.000", { ROW("a", 1000, 10) }, { ROW("b", 3000, 5) }), 0));
	EXPECT_CELLS(v, "a", "live_bytes share growth allocs_per_s", "1000 25.0% - -");
	EXPECT(!v->columns.sum_known[top_columns_find(&v->columns, "growth")]);
	EXPECT(show_table(v, CALLERS("12.000", { ROW("a", 5096, 30), .bulk_objs = 10 },
				     { ROW("b", 1000, 5) }, { ROW("new", 0, 2) }), 1999));
	EXPECT(v->rows->elapsed_ms == 2000);
	EXPECT_CELLS(v, "a", "growth allocs_per_s frees_per_s", "+2.00K 15 0");
	EXPECT_CELLS(v, "b", "growth allocs_per_s", "-1000 0");
	EXPECT_CELLS(v, "new", "live_bytes growth allocs_per_s", "0 0 1.0");
	EXPECT(v->columns.sum[top_columns_find(&v->columns, "growth")] == 1048);
	/* A row that has vanished and comes back is new. */
	show_table(v, CALLERS("13.000", { ROW("b", 1000, 5) }), 1000);
	EXPECT(!find_row(v, "a"));
	show_table(v, CALLERS("14.000", { ROW("a", 100, 1) }, { ROW("b", 1000, 5) }), 1000);
	EXPECT_CELLS(v, "a", "growth allocs_per_s", "+100 1.0");
	free_view(v);
}

static void top_same_table_changes_nothing(void)
{
	struct view *v = new_view("callers");

	show_table(v, CALLERS("10.000", { ROW("a", 1000, 10) }), 0);
	show_table(v, CALLERS("11.000", { ROW("a", 2000, 20) }), 1000);
	EXPECT(!show_table(v, CALLERS("11.000", { ROW("a", 2000, 20) }), 1000));
	EXPECT_CELLS(v, "a", "growth allocs_per_s", "+1000 10");
	EXPECT(v->rows->history.refresh == 2);
	free_view(v);
}

static void expect_no_rates(int line, const char *head, u64 waited_ms)
{
	struct view *v = new_view("callers");
	const struct caller after[] = { { ROW("a", 2000, 20) }, {} };

	show_table(v, CALLERS("10.000", { ROW("a", 1000, 10) }), 0);
	show_table(v, make_callers(head, after), waited_ms);
	expect_cells(line, v, "a", "live_bytes growth allocs_per_s", "1.95K - -");
	free_view(v);
}

static void top_resets_are_noticed(void)
{
	/* The window got shorter. */
	expect_no_rates(__LINE__, "since=load window_s=9.999", 1000);
	/* It is longer by less than the time that has passed. */
	expect_no_rates(__LINE__, "since=load window_s=10.400", 1000);
	expect_no_rates(__LINE__, "since=load window_s=10.997", 1000);
	/* It begins with another event. */
	expect_no_rates(__LINE__, "since=reset window_s=11.000", 1000);
	/* The head does not have it. */
	expect_no_rates(__LINE__, "since=load", 1000);
}

static void top_rounding_is_no_reset(void)
{
	struct view *v = new_view("callers");

	show_table(v, CALLERS("10.000", { ROW("a", 1000, 10) }), 0);
	show_table(v, CALLERS("10.998", { ROW("a", 1000, 10) }), 1000);
	EXPECT(v->rows->elapsed_ms == 998);
	free_view(v);
}

static void top_decreased_counter_has_no_rate(void)
{
	struct view *v = new_view("callers");

	show_table(v, CALLERS("10.000", { ROW("a", 1000, 10) }, { ROW("b", 10, 1) }), 0);
	show_table(v, CALLERS("11.000", { ROW("a", 500, 9) }, { ROW("b", 10, 2) }), 1000);
	EXPECT_CELLS(v, "a", "growth allocs_per_s", "-500 -");
	EXPECT_CELLS(v, "b", "growth allocs_per_s", "0 1.0");
	free_view(v);
}

static void top_cut_tables_have_no_new_rows(void)
{
	const struct caller before[] = { { ROW("a", 1000, 10) }, {} };
	struct view *v = new_view("callers");

	show_table(v, make_callers("since=load window_s=10.000 cut=3", before), 0);
	show_table(v, CALLERS("11.000", { ROW("a", 1100, 10) }, { ROW("b", 10, 2) }), 1000);
	EXPECT_CELLS(v, "a", "growth allocs_per_s", "+100 0");
	EXPECT_CELLS(v, "b", "growth allocs_per_s", "- -");
	free_view(v);
}

static void top_equal_rows_are_paired_in_order(void)
{
	struct view *v = new_view("callers");

	show_table(v, CALLERS("10.000", { ROW("[unknown]", 1000, 1) },
			      { ROW("[unknown]", 50, 1) }), 0);
	show_table(v, CALLERS("11.000", { ROW("[unknown]", 1200, 1) },
			      { ROW("[unknown]", 60, 1) }), 1000);
	EXPECT(v->rows->row[0].before->v[COUNT_live_bytes] == 1000);
	EXPECT(v->rows->row[1].before->v[COUNT_live_bytes] == 50);
	EXPECT(v->rows->row[0].slot != v->rows->row[1].slot);
	free_view(v);
}

/* The format version as text. */
#define TEXT(x)		#x
#define TEXT_OF(x)	TEXT(x)
#define VERSION		TEXT_OF(KMA_FORMAT_VERSION)

#define PAGES(window) \
	"# kmemacct page_callers " VERSION " pages=sites since=on window_s=" window "\n" \
	"# live_kb live_allocs hits kb frees bulk_allocs order migratetype gfp samples" \
	" live_samples live_kb_se live_allocs_se hits_se kb_se frees_se bulk_allocs_se site\n"
#define PAGE(kb, order, type, gfp) \
	#kb " 1 1 0 0 0 " #order " " type " " gfp " 0 0 0 0 0 0 0 0 site\n"

static void top_identity_is_more_than_a_label(void)
{
	struct view *v = new_view("page-callers");

	show_table(v, parse("page_callers", PAGES("1.000")
			    PAGE(4, 0, "Movable", "0x1") PAGE(8, 1, "Movable", "0x1")
			    PAGE(16, 0, "Unmovable", "0x1") PAGE(32, 0, "Movable", "0x2")), 0);
	show_table(v, parse("page_callers", PAGES("2.000")
			    PAGE(33, 0, "Movable", "0x2") PAGE(18, 0, "Unmovable", "0x1")
			    PAGE(11, 1, "Movable", "0x1") PAGE(8, 0, "Movable", "0x1")), 1000);
	EXPECT(v->rows->row[0].before->v[0] == 32 && v->rows->row[1].before->v[0] == 16);
	EXPECT(v->rows->row[2].before->v[0] == 8 && v->rows->row[3].before->v[0] == 4);
	free_view(v);
}

/* ---- numbers -------------------------------------------------------------- */

static void top_estimates_have_intervals(void)
{
	char text[CELL_LEN];
	struct view *v = new_view("callers");
	const struct top_row *row;

	show_table(v, CALLERS("10.000",
			      { ROW("a", 10000, 1000), .samples = 40, .live_bytes_se = 300,
				.hits_se = 30 },
			      { ROW("exact", 10000, 10) }), 0);
	show_table(v, CALLERS("12.000",
			      { ROW("a", 14000, 2000), .samples = 80, .live_bytes_se = 400,
				.hits_se = 50 },
			      { ROW("exact", 14000, 20) }), 2000);
	EXPECT_CELLS(v, "a", "live_bytes growth allocs_per_s", "~13.7K ~+1.95K ~500");
	EXPECT_CELLS(v, "exact", "live_bytes growth allocs_per_s", "13.7K +1.95K 5.0");
	row = find_row(v, "a");
	/* 14000 +- 784 */
	top_column_interval(&v->columns, 0, v->rows, row, text);
	EXPECT_TEXT(text, "12.9K..14.6K");
	/* By 1.96 standard errors, (4000 +- 1.96 * sqrt(300^2 + 400^2)) / 2 is 1.47K..2.43K */
	top_column_interval(&v->columns, top_columns_find(&v->columns, "growth"), v->rows, row,
			    text);
	EXPECT_TEXT(text, "+1.41K..+2.49K");
	/* (1000 +- 1.96 * sqrt(50^2 - 30^2)) / 2 is 461..539 */
	top_column_interval(&v->columns, top_columns_find(&v->columns, "allocs_per_s"), v->rows,
			    row, text);
	EXPECT_TEXT(text, "463..547");
	top_column_interval(&v->columns, 0, v->rows, find_row(v, "exact"), text);
	EXPECT_TEXT(text, "");
	free_view(v);
}

static void top_numbers_are_human(void)
{
	const struct top_column count = { .kind = TOP_RATE }, growth = { .kind = TOP_GROWTH },
		size = { .kind = TOP_GROWTH, .unit = UNIT_BYTES },
		kb = { .kind = TOP_RATE, .unit = UNIT_KB },
		us = { .kind = TOP_RATE, .unit = UNIT_US };
	const struct {
		const struct top_column *c;
		double number;
		const char *text;
	} known[] = {
		{ &count, 0, "0" }, { &count, 0.001, "<0.1" }, { &count, 0.05, "0.1" },
		{ &count, 9.94, "9.9" }, { &count, 9.96, "10" }, { &count, 12345.4, "12345" },
		{ &growth, 0, "0" }, { &growth, -0.01, "-<0.1" }, { &growth, 3, "+3.0" },
		{ &size, 0.4, "+<1" }, { &size, 1023.4, "+1023" }, { &size, -1536, "-1.50K" },
		{ &kb, 0.5, "512" }, { &kb, 1, "1.00K" }, { &us, 1500.5, "1.50ms" },
		{ &size, 0x1p70, "+1.00Z" },
	};
	char text[NUMBER_LEN];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		top_column_print(known[i].c, known[i].number, text);
		EXPECT_TEXT(text, known[i].text);
	}
}

static void top_delays_are_seconds(void)
{
	static const char * const bad[] = {
		"", ".", "-1", "1s", "0", "0.099", "3600.001", "1.0001", "1e3", "1.5.5", " 1",
		"99999999999999999999",
	};
	u64 ms = 0;
	size_t i;

	EXPECT(!top_ui_parse_delay("0.1", &ms) && ms == 100);
	EXPECT(!top_ui_parse_delay(".25", &ms) && ms == 250);
	EXPECT(!top_ui_parse_delay("2.", &ms) && ms == 2000);
	EXPECT(!top_ui_parse_delay("3600", &ms) && ms == 3600000);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT(top_ui_parse_delay(bad[i], &ms) == -1);
}

/* ---- order ---------------------------------------------------------------- */

static void expect_order(int line, struct view *v, const char *key, bool reverse,
			 const char *filter, const char *expected)
{
	char got[64] = "";
	size_t i;

	v->order.key = top_columns_find(&v->columns, key);
	v->order.reverse = reverse;
	snprintf(v->order.filter, sizeof(v->order.filter), "%s", filter);
	top_order_make(&v->order, &v->columns, v->rows);
	for (i = 0; i < v->order.nr; i++)
		strncat(got, v->rows->row[v->order.shown[i]].now->label, 1);
	expect_text(line, got, expected);
}

static void top_rows_are_sorted_and_filtered(void)
{
	struct view *v = new_view("callers");

	show_table(v, CALLERS("10.000", { ROW("d Ext4", 5, 9) }, { ROW("b", 7, 9) },
			      { ROW("c ext4", 5, 9) }), 0);
	expect_order(__LINE__, v, "live_bytes", false, "", "bcd");
	expect_order(__LINE__, v, "live_bytes", true, "", "dcb");
	expect_order(__LINE__, v, "site", false, "", "bcd");
	expect_order(__LINE__, v, "site", true, "", "dcb");
	expect_order(__LINE__, v, "live_bytes", false, "eXT4", "cd");
	expect_order(__LINE__, v, "live_bytes", false, "none", "");
	show_table(v, CALLERS("11.000", { ROW("d", 6, 9) }, { ROW("b", 7, 1) },
			      { ROW("c ext4", 1, 10) },
			      { ROW("a", U64_MAX, 0) }), 1000);
	expect_order(__LINE__, v, "growth", false, "", "adbc");
	/* What is not known comes last in both orders. */
	expect_order(__LINE__, v, "allocs_per_s", false, "", "dcab");
	expect_order(__LINE__, v, "allocs_per_s", true, "", "acdb");
	free_view(v);
}

/* ---- history -------------------------------------------------------------- */

static void top_history_is_a_ring(void)
{
	struct top_point points[TOP_HISTORY_DEPTH];
	struct top_history *h = alloc(1, sizeof(*h));
	u64 a = top_history_take(h), b, i, ms[TOP_HISTORY_DEPTH];

	EXPECT(top_history_read(h, a, points, ms) == 0);
	for (i = 1; i <= 200; i++) {
		top_history_begin(h, i * 1000);
		top_history_store(h, a, (struct top_point) { i, i * 2 });
	}
	EXPECT(top_history_read(h, a, points, ms) == TOP_HISTORY_DEPTH);
	EXPECT(points[0].value == 21 && points[TOP_HISTORY_DEPTH - 1].rate == 400);
	EXPECT(ms[0] == 21000 && ms[TOP_HISTORY_DEPTH - 1] == 200000);
	/* A row that takes over a slot does not take over its history. */
	top_history_give(h, a);
	b = top_history_take(h);
	EXPECT(b == a && top_history_read(h, b, points, ms) == 0);
	top_history_begin(h, 201000);
	top_history_store(h, b, (struct top_point) { 7, NAN });
	EXPECT(top_history_read(h, b, points, ms) == 1 && points[0].value == 7);
	top_history_free(h);
	free(h);
}

static void top_history_is_bounded(void)
{
	struct top_point points[TOP_HISTORY_DEPTH];
	struct top_history *h = alloc(1, sizeof(*h));
	u64 i, ms[TOP_HISTORY_DEPTH];

	for (i = 0; i < TOP_HISTORY_ROWS; i++)
		EXPECT(top_history_take(h) == i);
	EXPECT(top_history_take(h) == TOP_NO_SLOT);
	top_history_begin(h, 1000);
	top_history_store(h, TOP_NO_SLOT, (struct top_point) {});
	EXPECT(top_history_read(h, TOP_NO_SLOT, points, ms) == 0);
	top_history_give(h, TOP_NO_SLOT);
	EXPECT(top_history_take(h) == TOP_NO_SLOT);
	top_history_free(h);
	free(h);
}

/* ---- graphs --------------------------------------------------------------- */

/* Print the levels of a graph as the digits 1 to 8, and what is empty as dots. */
static void expect_graph(int line, const float *values, int nr, int screen, const char *expected)
{
	const struct top_column c = { .title = "live", .unit = UNIT_BYTES };
	u64 ms[TOP_HISTORY_DEPTH];
	char *text, *at;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	bool in_graph = false;
	int i;

	for (i = 0; i < nr; i++)
		ms[i] = 5000 + i * 1000;
	top_graph_print(out, &c, values, nr, ms, screen);
	fclose(out);
	for (at = strchr(text, '\n'); at && *at; at++) {
		in_graph = *at == '|' || (in_graph && *at != '\n');
		if (in_graph && *at == ' ')
			*at = '.';
		else if (*at > 0 && *at <= TOP_LEVELS)
			*at += '0';
	}
	expect_text(line, text, expected);
	free(text);
}

static void top_graphs_show_the_range(void)
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

static void expect_line(int line, const struct top_canvas *c, int number, const char *expected)
{
	char *text = top_canvas_line(c, number);

	expect_text(line, text, expected);
	free(text);
}

static void draw(struct top_list *l, struct top_canvas *c, struct view *v, int lines, int width)
{
	top_canvas_clear(c, lines, width);
	top_list_draw(l, c, 0, lines, &v->columns, v->rows, &v->order);
}

static void top_columns_go_before_names(void)
{
	struct view *v = new_view("callers");
	struct top_canvas c = {};
	struct top_list l = {};

	show_table(v, CALLERS("10.000", { ROW("short+0x1", 1000, 10) },
			      { ROW("quite_a_long_name+0x1 [module]", 3000, 5) }), 0);
	show_table(v, CALLERS("11.000", { ROW("short+0x1", 1000, 20) },
			      { ROW("quite_a_long_name+0x1 [module]", 3500, 5) }), 1000);
	draw(&l, &c, v, 4, 62);
	expect_line(__LINE__, &c, 0, " live objects growth/s allocs/s site");
	expect_line(__LINE__, &c, 1,
		    "3.42K       0     +500        0 quite_a_long_name+0x1 [module]");
	expect_line(__LINE__, &c, 2, " 1000       0        0       10 short+0x1");
	expect_line(__LINE__, &c, 3, "");
	draw(&l, &c, v, 4, 61);
	expect_line(__LINE__, &c, 0, " live growth/s allocs/s site");
	top_list_reset(&l);
	draw(&l, &c, v, 4, 46);
	expect_line(__LINE__, &c, 1, "3.42K     +500 quite_a_long_name+0x1 [module]");
	EXPECT(l.hidden == v->columns.nr - 3);
	/* The column to sort by stays. */
	v->order.key = top_columns_find(&v->columns, "hits");
	draw(&l, &c, v, 4, 46);
	expect_line(__LINE__, &c, 0, " live growth/s hits site");
	expect_line(__LINE__, &c, 1, "3.42K     +500    5 quite_a_long_name+0x1 [mo>");
	top_list_scroll(&l, 8);
	draw(&l, &c, v, 4, 46);
	expect_line(__LINE__, &c, 1, "3.42K     +500    5 <ong_name+0x1 [module]");
	expect_line(__LINE__, &c, 2, " 1000        0   20 <");
	top_canvas_free(&c);
	free_view(v);
}

static void top_cursor_stays_on_the_screen(void)
{
	struct view *v = new_view("callers");
	struct top_canvas c = {};
	struct top_list l = {};

	show_table(v, CALLERS("10.000", { ROW("a", 9, 0) }, { ROW("b", 8, 0) },
			      { ROW("c", 7, 0) }, { ROW("d", 6, 0) }), 0);
	draw(&l, &c, v, 3, 40);
	EXPECT(top_canvas_at(&c, 1, 0)->attributes & TOP_REVERSE);
	top_list_move(&l, &v->order, 100);
	EXPECT(l.cursor == 3);
	draw(&l, &c, v, 3, 40);
	EXPECT(l.first == 2 && top_canvas_at(&c, 2, 0)->attributes & TOP_REVERSE);
	top_list_move(&l, &v->order, -1);
	draw(&l, &c, v, 3, 40);
	EXPECT(l.first == 2 && l.cursor == 2);
	/* There are fewer rows now, and more room. */
	show_table(v, CALLERS("11.000", { ROW("a", 9, 0) }), 1000);
	draw(&l, &c, v, 30, 40);
	EXPECT(l.first == 0 && l.cursor == 0);
	top_list_move(&l, &v->order, -100);
	EXPECT(l.cursor == 0);
	top_canvas_free(&c);
	free_view(v);
}

static void top_stacks_begin_at_the_call_site(void)
{
	char *text = top_list_label(&top_views[top_view_find("stacks")], "outer;middle;site");

	EXPECT_TEXT(text, "site < middle < outer");
	free(text);
	text = top_list_label(&top_views[top_view_find("stalls")], "site;cause");
	EXPECT_TEXT(text, "site;cause");
	free(text);
}

/* ---- states --------------------------------------------------------------- */

/* The fields of the head have semicolons between them. */
static void expect_state(int line, const char *fields, bool estimates, bool lost,
			 const char *expected)
{
	char *head = alloc_copy(fields), *semicolon, text[TOP_STATE_LEN];
	const struct caller none[] = { {} };
	struct view *v = new_view("callers");

	while ((semicolon = strchr(head, ';')))
		*semicolon = ' ';
	show_table(v, make_callers(head, none), 0);
	free(head);
	if (top_state_print(v->rows, estimates, text) != lost)
		fail_at(line, "lost or not");
	expect_text(line, text, expected);
	free_view(v);
}

static void top_states_are_sentences(void)
{
	expect_state(__LINE__, "sample_bytes=0;dropped=0;replaced=0;page_freed=0;"
		     "coverage_pct=100.000;since=load;window_s=10.700;filter=none", false, false,
		     "exact since load, 10.7s; every known free was seen");
	expect_state(__LINE__, "sample_bytes=524288;dropped=0;replaced=2;page_freed=1;"
		     "coverage_pct=99.900;since=reset;window_s=65.000;filter=none", true, false,
		     "sampled, one for every 512K (~ is an estimate) since reset, 1m05s; "
		     "coverage 99.900 %, missed frees: 3");
	expect_state(__LINE__, "sample_bytes=0;dropped=30;coverage_pct=100.000;since=load;"
		     "window_s=1.000;cut=7;full=live,sites;filter=comm", true, true,
		     "FULL: live,sites (the kernel log says what to set); "
		     "LOST: 30 allocations are not recorded (dropped=); "
		     "7 rows are missing, because the table grew meanwhile (cut=); "
		     "FILTER: comm: other allocations are not counted; "
		     "exact, except what was sampled before (~ is an estimate) since load, 1.0s; "
		     "every known free was seen");
	expect_state(__LINE__, "latency=on;lost=2;other=0;since=on;window_s=1.000;filter=none;"
		     "live_filter=comm", false, true,
		     "LOST: 2 events are not recorded (lost=); "
		     "FILTER: comm was set: other allocations are missing in what is live; "
		     "counted since it was switched on, 1.0s");
}

const struct test top_tests[] = {
	TEST(top_rates_follow_from_windows),
	TEST(top_same_table_changes_nothing),
	TEST(top_resets_are_noticed),
	TEST(top_rounding_is_no_reset),
	TEST(top_decreased_counter_has_no_rate),
	TEST(top_cut_tables_have_no_new_rows),
	TEST(top_equal_rows_are_paired_in_order),
	TEST(top_identity_is_more_than_a_label),
	TEST(top_estimates_have_intervals),
	TEST(top_numbers_are_human),
	TEST(top_delays_are_seconds),
	TEST(top_rows_are_sorted_and_filtered),
	TEST(top_history_is_a_ring),
	TEST(top_history_is_bounded),
	TEST(top_graphs_show_the_range),
	TEST(top_columns_go_before_names),
	TEST(top_cursor_stays_on_the_screen),
	TEST(top_stacks_begin_at_the_call_site),
	TEST(top_states_are_sentences),
};

const size_t nr_top_tests = ARRAY_SIZE(top_tests);
