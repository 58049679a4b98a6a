// SPDX-License-Identifier: GPL-2.0
/* The layout of tables as text.  See layout.h. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "layout.h"
#include "source.h"

static_assert(INTERVAL_LEN <= CELL_LEN, "an interval has to fit into a cell");

/* ---- cells ---------------------------------------------------------------- */

static void print_unsigned(char buf[NUMBER_LEN], enum unit unit, u64 value)
{
	if (unit == UNIT_BYTES || unit == UNIT_KB)
		number_print_size(buf, value, unit == UNIT_KB);
	else if (unit == UNIT_MS)
		number_print_age(buf, value);
	else if (unit == UNIT_US)
		number_print_us(buf, value, false);
	else
		snprintf(buf, NUMBER_LEN, "%llu", value);
}

static void print_signed(char buf[NUMBER_LEN], enum unit unit, s64 value)
{
	char absolute[NUMBER_LEN];

	print_unsigned(absolute, unit, value < 0 ? -(u64)value : (u64)value);
	snprintf(buf, NUMBER_LEN, "%s%.30s", value < 0 ? "-" : "", absolute);
}

static void print_bound(char buf[NUMBER_LEN], enum unit unit, u64 value)
{
	char number[NUMBER_LEN];

	print_unsigned(number, unit, value);
	snprintf(buf, NUMBER_LEN, "<=%.29s", number);
}

static void print_thousandths(char buf[NUMBER_LEN], enum unit unit, u64 value)
{
	if (unit == UNIT_US)
		number_print_us(buf, value, true);
	else if (unit == UNIT_SHARE)
		number_print_share(buf, value);
	else
		number_print_milli(buf, value);
}

/* Test for a format of which NO_ID is no value. */
static bool may_lack(enum format format)
{
	return format == FORMAT_ID || format == FORMAT_BOUND;
}

void layout_value(char buf[NUMBER_LEN], enum format format, enum unit unit, u64 value)
{
	if (format == FORMAT_MILLI)
		print_thousandths(buf, unit, value);
	else if (format == FORMAT_PTR)
		snprintf(buf, NUMBER_LEN, "%016llx", value);
	else if (may_lack(format) && value == NO_ID)
		snprintf(buf, NUMBER_LEN, "-");
	else if (format == FORMAT_BOUND)
		print_bound(buf, unit, value);
	else if (format == FORMAT_S64)
		print_signed(buf, unit, value);
	else if (format == FORMAT_SPARSE && !value)
		snprintf(buf, NUMBER_LEN, ".");
	else
		print_unsigned(buf, unit, value);
}

enum unit layout_unit(const struct layout *l, const char *name)
{
	return l->exact ? UNIT_NONE : table_unit(name);
}

/* Print a name or a mask. */
static void print_name(const struct layout *l, const struct row *row, int column,
		       char buf[CELL_LEN])
{
	if (l->t->columns[column].format == FORMAT_HEX)
		snprintf(buf, CELL_LEN, "%#llx", row->v[column]);
	else
		snprintf(buf, CELL_LEN, "%s", row_name(row, column));
}

static bool has_limits(const struct layout *l, int column)
{
	return l->limits && column == l->limits;
}

/* Return: the column that the limits of its intervals follow; 0 if there is none. */
static int find_limits(const struct table *t)
{
	int i;

	for (i = 1; i < t->nr_values; i++)
		if (t->columns[i].limits && t->sampled)
			return i;
	return 0;
}

/*
 * If the change of a row is an estimate, what it was computed from is one as well, but for nothing
 * and for what is not known.  The sum of estimates is one, too.
 */
static bool is_part_of_change(const struct layout *l, const struct row *row, int column)
{
	const enum kind kind = l->t->columns[column].kind;

	if (!row->v[column] || row->v[column] == NO_ID)
		return false;
	if (kind != KIND_GAUGE && kind != KIND_COUNTER)
		return false;
	return row == l->t->sum || row->v[l->limits + 1] != row->v[l->limits + 2];
}

static bool is_marked(const struct layout *l, const struct row *row, int column)
{
	const int mark = l->mark[column], bytes = l->mark_bytes[column];

	if (l->limits)
		return is_part_of_change(l, row, column);
	return (mark >= 0 && row->v[mark]) || (bytes >= 0 && row->v[bytes]);
}

/* The row of sums has none of the columns that tell what a row is about. */
static bool lacks(const struct layout *l, const struct row *row, int column)
{
	const struct column *c = &l->t->columns[column];

	if (row != l->t->sum)
		return false;
	return c->format == FORMAT_NAME || c->format == FORMAT_HEX || c->kind == KIND_KEY;
}

/* A negative number has its sign already. */
static const char *sign_of(const struct layout *l, const struct column *c, u64 value)
{
	return c->change && !l->raw && (s64)value > 0 ? "+" : "";
}

void layout_cell(const struct layout *l, const struct row *row, int column,
		 char buf[CELL_LEN])
{
	const struct column *c = &l->t->columns[column];
	bool mark = is_marked(l, row, column) && !l->raw;
	char number[NUMBER_LEN];

	if (lacks(l, row, column)) {
		snprintf(buf, CELL_LEN, "-");
		return;
	}
	if (c->format == FORMAT_NAME || c->format == FORMAT_HEX) {
		print_name(l, row, column, buf);
		return;
	}
	layout_value(number, c->format, layout_unit(l, c->name), row->v[column]);
	snprintf(buf, CELL_LEN, "%s%s%s", mark ? "~" : "", sign_of(l, c, row->v[column]), number);
}

const char *layout_text(const struct layout *l, const struct row *row, int column,
			char buf[CELL_LEN])
{
	if (column == l->t->nr_values)
		return row->label;
	if (l->t->columns[column].format == FORMAT_NAME && !lacks(l, row, column))
		return row_name(row, column);
	layout_cell(l, row, column, buf);
	return buf;
}

/* Print an end of an interval.  To round a negative one down, its absolute value is rounded up. */
static void print_end(char buf[NUMBER_LEN], enum format format, enum unit unit, u64 value,
		      enum rounding rounding)
{
	bool negative = format == FORMAT_S64 && (s64)value < 0;
	char size[NUMBER_LEN];

	if (unit != UNIT_BYTES && unit != UNIT_KB) {
		layout_value(buf, format, unit, value);
		return;
	}
	if (negative)
		rounding = rounding == ROUND_UP ? ROUND_DOWN : ROUND_UP;
	number_print_rounded(size, negative ? -value : value, unit == UNIT_KB, rounding);
	snprintf(buf, NUMBER_LEN, "%s%.30s", negative ? "-" : "", size);
}

void layout_interval(const struct layout *l, const char *name, const struct interval *i,
		     char buf[INTERVAL_LEN])
{
	char low[NUMBER_LEN], high[NUMBER_LEN];

	print_end(low, i->format, layout_unit(l, name), i->low, ROUND_DOWN);
	print_end(high, i->format, layout_unit(l, name), i->high, ROUND_UP);
	snprintf(buf, INTERVAL_LEN, "%.30s..%.30s", low, high);
}

static struct interval interval_of(const struct layout *l, const struct row *row, int column)
{
	if (!has_limits(l, column))
		return estimate_interval(l->t, row, column);
	return (struct interval) {
		.format = l->t->columns[column].format,
		.low = row->v[column + 1], .high = row->v[column + 2],
	};
}

void layout_interval_cell(const struct layout *l, const struct row *row, int column,
			  char buf[INTERVAL_LEN])
{
	const struct column *c = &l->t->columns[column];
	char low[NUMBER_LEN], high[NUMBER_LEN];
	struct interval i;

	snprintf(buf, INTERVAL_LEN, "-");
	if (!is_marked(l, row, column) || (has_limits(l, column) && row == l->t->sum))
		return;
	i = interval_of(l, row, column);
	print_end(low, i.format, layout_unit(l, c->name), i.low, ROUND_DOWN);
	print_end(high, i.format, layout_unit(l, c->name), i.high, ROUND_UP);
	snprintf(buf, INTERVAL_LEN, "%s%.28s..%s%.28s", sign_of(l, c, i.low), low,
		 sign_of(l, c, i.high), high);
}

void layout_title(const struct layout *l, int column, char buf[CELL_LEN])
{
	const struct column *c = &l->t->columns[column];
	enum unit unit = layout_unit(l, c->name);
	const char *name = c->name, *kb = table_kb(name);

	/* A column without a unit has the same title with -b; scripts know only the name. */
	if (l->raw)
		snprintf(buf, CELL_LEN, "%s", name);
	else if (c->title && (unit != UNIT_NONE || table_unit(name) == UNIT_NONE))
		snprintf(buf, CELL_LEN, "%s", c->title);
	else if (unit == UNIT_MS || unit == UNIT_US)
		snprintf(buf, CELL_LEN, "%.*s", (int)strlen(name) - 3, name);
	else if (unit == UNIT_KB)
		snprintf(buf, CELL_LEN, "%.*ssize%s", (int)(kb - name), name, kb + 2);
	else
		snprintf(buf, CELL_LEN, "%s", name);
}

/* ---- layout --------------------------------------------------------------- */

static bool is_key(const struct layout *l, int column)
{
	int i;

	for (i = 0; i < l->sort->nr; i++)
		if (l->sort->key[i] == column)
			return true;
	return false;
}

/* A ratio has no standard error, but it is an estimate if what it is a part of is one. */
static int mark_of(const struct layout *l, int column)
{
	const char *name = l->t->columns[column].name;

	if (l->main >= 0 && (!strcmp(name, "frag_pct") || !strcmp(name, "growth_bytes_s")))
		column = table_column(l->t, "bytes_alloc");
	if (l->main >= 0 && !strcmp(name, "share_pct") && l->t->columns[column].computed)
		column = l->main;
	if (!strcmp(name, "old_pct"))
		column = table_column(l->t, "all_bytes");
	return estimate_se(l->t, column);
}

/* The growth is also an estimate if what was freed is one. */
static int mark_bytes_of(const struct layout *l, int column)
{
	int freed = table_column(l->t, "bytes_freed");

	if (freed >= 0 && !strcmp(l->t->columns[column].name, "growth_bytes_s"))
		return estimate_se(l->t, freed);
	return estimate_bytes_se(l->t, column);
}

/* Only the main column and the sort keys have their intervals printed. */
static bool has_interval(const struct layout *l, int column)
{
	int se = estimate_se(l->t, column);

	if (has_limits(l, column))
		return !l->raw;
	if (l->main < 0 || se < 0 || l->raw)
		return false;
	return column == l->main || is_key(l, column) || is_key(l, se);
}

static void set_columns(struct layout *l)
{
	const struct table *t = l->t;
	char title[CELL_LEN];
	int i;

	l->main = estimate_any(t) ? estimate_main(t, l->sort) : -1;
	l->limits = find_limits(t);
	l->stacks = table_column(t, "stack") >= 0;
	for (i = 0; i < t->nr_values; i++) {
		l->mark[i] = mark_of(l, i);
		l->mark_bytes[i] = mark_bytes_of(l, i);
		layout_title(l, i, title);
		l->width[i] = strlen(title);
		if (has_interval(l, i))
			l->interval[i] = strlen(INTERVAL_TITLE);
	}
	for (i = 0; i < l->columns.nr; i++)
		l->shown[l->columns.column[i]] = true;
}

void layout_widen(int *width, const char *text)
{
	int len = strlen(text);

	if (*width < len)
		*width = len;
}

/* Make a width at least that of each part of a text. */
static void widen_part(int *width, const char *text)
{
	int len;

	for (; *text; text += len + (text[len] == ';')) {
		len = strcspn(text, ";");
		if (*width < len)
			*width = len;
	}
}

/* Return: the width that the line of a call site needs, below it or, in a stack, behind it. */
static int below_len(const struct layout *l, const char *label, int len)
{
	char *site, *line;

	if (!l->below)
		return len;
	site = alloc_copy(label);
	site[len] = '\0';
	line = sources_text(l->t->sources, site);
	if (strcmp(line, "-"))
		len = l->stacks ? len + (int)(strlen(LINES_GAP) + strlen(line)) :
		      len > (int)strlen(line) ? len : (int)strlen(line);
	free(line);
	free(site);
	return len;
}

/* Return: width of a label.  If it has several lines, it is as wide as the longest. */
static int label_len(const struct layout *l, const char *label)
{
	int len, part, longest = 0;

	if (!l->stacks && !l->split)
		return below_len(l, label, strlen(label));
	for (; *label; label += len + (label[len] == ';')) {
		len = strcspn(label, ";");
		part = below_len(l, label, len);
		if (longest < part)
			longest = part;
	}
	return longest;
}

static void widen_label(struct layout *l, const struct row *row)
{
	int len = label_len(l, row->label);

	if (l->label < len)
		l->label = len;
}

/* Find the width of the labels, if they are printed. */
static void set_label(struct layout *l)
{
	const char *title = l->t->columns[l->t->nr_values].name;
	size_t i;

	l->label = 0;
	if (!l->shown[l->t->nr_values])
		return;
	l->label = title ? strlen(title) : 0;
	for (i = 0; i < l->t->nr_rows; i++)
		widen_label(l, l->t->rows[i]);
	if (l->t->sum)
		widen_label(l, l->t->sum);
}

static void widen_cells(struct layout *l, const struct row *row, int column)
{
	char buf[CELL_LEN];

	layout_widen(&l->width[column], layout_text(l, row, column, buf));
	if (!l->interval[column])
		return;
	layout_interval_cell(l, row, column, buf);
	layout_widen(&l->interval[column], buf);
}

static void set_widths(struct layout *l)
{
	int column;
	size_t i;

	for (column = 0; column < l->t->nr_values; column++) {
		if (!l->shown[column])
			continue;
		if (l->t->sum)
			widen_cells(l, l->t->sum, column);
		for (i = 0; i < l->t->nr_rows; i++)
			widen_cells(l, l->t->rows[i], column);
	}
	set_label(l);
}

/* Return: width of a line, with a blank between its cells. */
static int line_width(const struct layout *l)
{
	int column, width = 0;

	for (column = 0; column < l->t->nr_values; column++) {
		if (!l->shown[column])
			continue;
		width += l->width[column] + 1;
		if (l->interval[column])
			width += l->interval[column] + 1;
	}
	if (l->lines)
		width += l->lines + 1;
	return l->label ? width + l->label : width - 1;
}

static bool is_zero(const struct layout *l, int column)
{
	enum format format = l->t->columns[column].format;
	size_t i;

	if (format == FORMAT_NAME || l->t->columns[column].kind == KIND_KEY)
		return false;
	for (i = 0; i < l->t->nr_rows; i++)
		if (l->t->rows[i]->v[column])
			return false;
	return true;
}

/* Return: how soon a column is left out; those of zeroes are the first. */
static int rank_of(const struct layout *l, int column)
{
	int rank = columns_rank(l->t, column);

	return is_zero(l, column) ? rank + 4 * COLUMNS_MAX : rank;
}

/*
 * Find the column to leave out next.  Those that stay if the line is too long are fixed, and
 * those with an interval.
 * Return: its index, or -1 if there is none.
 */
static int least_column(const struct layout *l)
{
	int i, column, least = -1;

	for (i = 0; i < l->columns.nr; i++) {
		column = l->columns.column[i];
		if (!l->shown[column] || l->columns.fixed[i] || l->interval[column])
			continue;
		if (least < 0 || rank_of(l, column) > rank_of(l, least))
			least = column;
	}
	return least;
}

/* On a terminal, the call site and the cause of a stall are rarely both short enough for a line. */
static void split(struct layout *l)
{
	l->split = l->screen && table_column(l->t, "site_cause") >= 0 &&
		   line_width(l) > l->screen;
	if (l->split)
		set_label(l);
}

/* Find the width of the column of lines.  In a stack, each frame has its own. */
static void set_lines(struct layout *l)
{
	const struct table *t = l->t;
	char *text;
	size_t i;

	if (!t->sources || !l->shown[t->nr_values])
		return;
	l->lines = strlen(LINES_TITLE);
	for (i = 0; i < t->nr_rows; i++) {
		text = sources_text(t->sources, t->rows[i]->label);
		widen_part(&l->lines, text);
		free(text);
	}
}

/* If the column of lines needs more room than there is, the lines are with the labels. */
static void move_lines(struct layout *l)
{
	l->below = l->lines && l->screen && line_width(l) > l->screen;
	if (!l->below)
		return;
	l->lines = 0;
	set_label(l);
}

/* Names are never cut: if a line is too long, columns are left out. */
static void fit(struct layout *l)
{
	int column;

	while (l->screen && line_width(l) > l->screen) {
		column = least_column(l);
		if (column < 0)
			return;
		l->shown[column] = false;
		l->hidden++;
	}
}

void layout_make(struct layout *l)
{
	set_columns(l);
	set_widths(l);
	set_lines(l);
	split(l);
	move_lines(l);
	fit(l);
}
