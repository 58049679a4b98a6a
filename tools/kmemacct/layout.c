// SPDX-License-Identifier: GPL-2.0
/* The layout of tables as text.  See layout.h. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "layout.h"

/* Labels are cut to this width before columns of numbers are left out. */
#define LABEL_MIN	32
/* The same for the frames of a stack, which matter more. */
#define FRAME_MIN	48
/* The same for the causes of stalls. */
#define CAUSE_MIN	40

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

/* Print a name or a mask.  The row of sums has none. */
static void print_name(const struct layout *l, const struct row *row, int column,
		       char buf[CELL_LEN])
{
	if (row == l->t->sum)
		snprintf(buf, CELL_LEN, "-");
	else if (l->t->columns[column].format == FORMAT_HEX)
		snprintf(buf, CELL_LEN, "%#llx", row->v[column]);
	else
		snprintf(buf, CELL_LEN, "%s", row_name(row, column));
}

static bool is_marked(const struct layout *l, const struct row *row, int column)
{
	const int mark = l->mark[column], bytes = l->mark_bytes[column];

	return (mark >= 0 && row->v[mark]) || (bytes >= 0 && row->v[bytes]);
}

void layout_cell(const struct layout *l, const struct row *row, int column,
		 char buf[CELL_LEN])
{
	const struct column *c = &l->t->columns[column];
	bool mark = is_marked(l, row, column);
	char number[NUMBER_LEN];

	if (c->format == FORMAT_NAME || c->format == FORMAT_HEX) {
		print_name(l, row, column, buf);
		return;
	}
	layout_value(number, c->format, layout_unit(l, c->name), row->v[column]);
	snprintf(buf, CELL_LEN, "%s%s", mark ? "~" : "", number);
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

void layout_interval_cell(const struct layout *l, const struct row *row, int column,
			  char buf[INTERVAL_LEN])
{
	struct interval i;

	snprintf(buf, INTERVAL_LEN, "-");
	if (!is_marked(l, row, column))
		return;
	i = estimate_interval(l->t, row, column);
	layout_interval(l, l->t->columns[column].name, &i, buf);
}

void layout_title(const struct layout *l, int column, char buf[CELL_LEN])
{
	const struct column *c = &l->t->columns[column];
	enum unit unit = layout_unit(l, c->name);
	const char *name = c->name, *kb = table_kb(name);

	/* A column without a unit has the same title with -b. */
	if (c->title && (unit != UNIT_NONE || table_unit(name) == UNIT_NONE))
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

static bool is_listed(const char *name, const char * const list[], size_t nr)
{
	while (nr--)
		if (!strcmp(name, list[nr]))
			return true;
	return false;
}

/* Test for a column that tells nothing before anything was sampled. */
static bool is_of_samples(const struct layout *l, int column)
{
	static const char * const names[] = { "samples", "live_samples", "weight" };

	return !l->t->sampled &&
	       is_listed(l->t->columns[column].name, names, ARRAY_SIZE(names));
}

/* Standard errors are shown only as a sort key: intervals have the same information. */
bool layout_wants(const struct layout *l, int column)
{
	bool hidden = estimate_is_se(l->t, column) || is_of_samples(l, column) ||
		      l->t->columns[column].hidden;

	return !hidden || is_key(l, column);
}

/* frag_pct has no standard error, but it is an estimate if bytes_alloc is one. */
static int mark_of(const struct layout *l, int column)
{
	if (l->main >= 0 && !strcmp(l->t->columns[column].name, "frag_pct"))
		column = table_column(l->t, "bytes_alloc");
	return estimate_se(l->t, column);
}

/* Only the main column and the sort keys have their intervals printed. */
static bool has_interval(const struct layout *l, int column)
{
	int se = estimate_se(l->t, column);

	if (l->main < 0 || se < 0)
		return false;
	return column == l->main || is_key(l, column) || is_key(l, se);
}

static void set_columns(struct layout *l)
{
	const struct table *t = l->t;
	char title[CELL_LEN];
	int i;

	l->main = estimate_any(t) ? estimate_main(t, l->sort) : -1;
	l->stacks = table_column(t, "stack") >= 0;
	for (i = 0; i < t->nr_values; i++) {
		l->mark[i] = mark_of(l, i);
		l->mark_bytes[i] = estimate_bytes_se(t, i);
		l->shown[i] = layout_wants(l, i);
		layout_title(l, i, title);
		l->width[i] = strlen(title);
		if (has_interval(l, i))
			l->interval[i] = strlen(INTERVAL_TITLE);
	}
}

void layout_widen(int *width, const char *text)
{
	int len = strlen(text);

	if (*width < len)
		*width = len;
}

static void set_widths(struct layout *l)
{
	char buf[CELL_LEN];
	int column;
	size_t i;

	for (column = 0; column < l->t->nr_values; column++) {
		if (l->t->sum) {
			layout_cell(l, l->t->sum, column, buf);
			layout_widen(&l->width[column], buf);
		}
		for (i = 0; i < l->t->nr_rows; i++) {
			layout_cell(l, l->t->rows[i], column, buf);
			layout_widen(&l->width[column], buf);
			if (!l->interval[column])
				continue;
			layout_interval_cell(l, l->t->rows[i], column, buf);
			layout_widen(&l->interval[column], buf);
		}
	}
}

/* Return: width of a label.  If it has several lines, it is as wide as the longest. */
static int label_len(const struct layout *l, const char *label)
{
	int len, longest = 0;

	if (!l->stacks && !l->split)
		return strlen(label);
	for (; *label; label += len + (label[len] == ';')) {
		len = strcspn(label, ";");
		if (longest < len)
			longest = len;
	}
	return longest;
}

static int longest_label(const struct layout *l)
{
	const char *title = l->t->columns[l->t->nr_values].name;
	int len, longest = title ? strlen(title) : 0;
	size_t i;

	for (i = 0; i < l->t->nr_rows; i++) {
		len = label_len(l, l->t->rows[i]->label);
		if (longest < len)
			longest = len;
	}
	return longest;
}

int layout_numbers_width(const struct layout *l)
{
	int column, width = 0;

	for (column = 0; column < l->t->nr_values; column++) {
		if (l->shown[column])
			width += l->width[column] + 1;
		if (l->interval[column])
			width += l->interval[column] + 1;
	}
	return width;
}

static bool is_zero(const struct layout *l, int column)
{
	size_t i;

	for (i = 0; i < l->t->nr_rows; i++)
		if (l->t->rows[i]->v[column])
			return false;
	return true;
}

/* Test for a column that identifies the row, rather than counting something. */
static bool is_name(const struct layout *l, int column)
{
	static const char * const names[] = {
		"order", "alloc_order", "tgid", "cgroup_id",
	};
	const struct column *c = &l->t->columns[column];

	if (is_listed(c->name, names, ARRAY_SIZE(names)))
		return true;
	if (!strcmp(c->name, "histogram"))
		return false;
	return c->format == FORMAT_NAME || c->format == FORMAT_HEX;
}

/* Test for a column that only adds details to another one. */
static bool is_detail(const struct layout *l, int column)
{
	static const char * const names[] = {
		"batched", "zone_locked", "refills", "drained", "drains",
		"fallbacks", "fragmenting", "severe", "moderate", "changed", "fallback_order",
		"scanned", "reclaimed", "counts", "count_us",
		"hits", "bytes_req", "no_entry", "pingpong", "cross_node", "bulk_objs",
		"bulk_bytes", "confirmed_bytes",
	};
	const char *name = l->t->columns[column].name;

	return is_listed(name, names, ARRAY_SIZE(names)) || (l->split && !strcmp(name, "gfp"));
}

/* Test for a column of times that a user looks for first. */
static bool is_wait(const struct layout *l, int column)
{
	static const char * const names[] = { "stall_us", "max_us" };

	return is_listed(l->t->columns[column].name, names, ARRAY_SIZE(names));
}

/*
 * Return: value of a column to the user: lowest for all zeroes, then details, numbers, and
 * highest for names and for the longest waits.
 */
static int worth(const struct layout *l, int column)
{
	if (is_zero(l, column) && !is_name(l, column))
		return 0;
	if (is_detail(l, column))
		return 1;
	return is_name(l, column) || is_wait(l, column) ? 3 : 2;
}

/*
 * Find the column to leave out next: the one that worth() rates lowest, and of several the
 * last.  The first column, sort keys, and columns with an interval stay.
 * Return: its index, or -1 if there is none.
 */
static int least_column(const struct layout *l)
{
	int column, last = -1;

	for (column = l->t->nr_values - 1; column > 0; column--) {
		if (!l->shown[column] || is_key(l, column) || l->interval[column])
			continue;
		if (last < 0 || worth(l, column) < worth(l, last))
			last = column;
	}
	return last;
}

static int label_min(const struct layout *l)
{
	if (l->split)
		return CAUSE_MIN;
	return l->stacks ? FRAME_MIN : LABEL_MIN;
}

/* On a terminal, the call site and the cause of a stall are rarely both short enough for a line. */
static void split(struct layout *l)
{
	l->split = l->screen && table_column(l->t, "site_cause") >= 0 &&
		   layout_numbers_width(l) + longest_label(l) > l->screen;
}

static void fit(struct layout *l)
{
	int label = longest_label(l);
	int column;

	if (label > label_min(l))
		label = label_min(l);
	while (l->screen && layout_numbers_width(l) + label > l->screen) {
		column = least_column(l);
		if (column < 0)
			return;
		l->shown[column] = false;
	}
}

void layout_make(struct layout *l)
{
	set_columns(l);
	set_widths(l);
	split(l);
	fit(l);
}

int layout_label_width(const struct layout *l)
{
	int width = l->screen - layout_numbers_width(l);

	if (!l->screen)
		return 0;
	return width < label_min(l) ? label_min(l) : width;
}
