// SPDX-License-Identifier: GPL-2.0
/* The layout of tables as text: the text of cells, and the columns that fit the terminal. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"

/* ---- values --------------------------------------------------------------- */

/* A number of pages may be beyond all numbers of 64 bits in bytes, but not in KiB. */
static void print_size(char buf[NUMBER_LEN], enum unit unit, u64 value, enum rounding rounding)
{
	if (unit == UNIT_PAGES)
		value = value > U64_MAX / unit_bytes(unit) * 1024 ? U64_MAX :
			value * (unit_bytes(unit) / 1024);
	number_print_rounded(buf, value, unit != UNIT_BYTES, rounding);
}

static void print_unsigned(char buf[NUMBER_LEN], enum unit unit, u64 value)
{
	if (unit_is_size(unit))
		print_size(buf, unit, value, ROUND_NEAREST);
	else if (unit == UNIT_MS)
		number_print_age(buf, value);
	else if (unit == UNIT_US)
		number_print_us(buf, value, false);
	else
		snprintf(buf, NUMBER_LEN, "%llu", value);
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

/* Round a number that may be beyond all numbers of 64 bits. */
static u64 round_rate(double n)
{
	return fmin(n, 0x1.fffffffffffffp63);
}

/* Print a change per second: without a unit, with a digit after the point if it is small. */
static void print_rate(char buf[NUMBER_LEN], const struct column *c, double rate)
{
	const double n = fabs(rate), bytes = n * unit_bytes(c->unit);
	char number[NUMBER_LEN];

	if (isnan(rate)) {
		snprintf(buf, NUMBER_LEN, "-");
		return;
	}
	if (c->unit == UNIT_SHARE)
		number_print_share(number, round_rate(rint(n)));
	else if (c->unit == UNIT_US && n < 0x1p53)
		number_print_us(number, llrint(n * 1000), true);
	else if (c->unit == UNIT_US)
		number_print_us(number, round_rate(n), false);
	else if (!unit_is_size(c->unit))
		snprintf(number, NUMBER_LEN, n > 0 && n < 0.05 ? "<0.1" : n > 0 && n < 9.95 ?
			 "%.1f" : "%.0f", n);
	else if (bytes > 0 && bytes < 0.5)
		snprintf(number, NUMBER_LEN, "<1");
	else if (bytes < 0x1p63)
		number_print_size(number, llrint(bytes), false);
	else
		number_print_size(number, round_rate(bytes / 1024), true);
	/* A change that is rounded to 0 is no change. */
	snprintf(buf, NUMBER_LEN, "%s%.30s", !strcmp(number, "0") ? "" : rate < 0 ? "-" :
		 rate > 0 && c->change ? "+" : "", number);
}

void layout_value(char buf[NUMBER_LEN], const struct column *c, bool exact, u64 value)
{
	const enum unit unit = exact ? UNIT_NONE : c->unit;
	const bool negative = c->format == FORMAT_S64 && (s64)value < 0;
	char number[NUMBER_LEN];

	if (c->format == FORMAT_S64 && value == UNKNOWN) {
		snprintf(buf, NUMBER_LEN, "-");
		return;
	}
	switch (c->format) {
	case FORMAT_MILLI:
		print_thousandths(buf, unit, value);
		return;
	case FORMAT_PTR:
		snprintf(buf, NUMBER_LEN, "%016llx", value);
		return;
	case FORMAT_RATE:
		print_rate(buf, c, rate_of(value));
		return;
	case FORMAT_SPARSE:
		print_unsigned(buf, unit, value);
		if (!value)
			snprintf(buf, NUMBER_LEN, ".");
		return;
	case FORMAT_ID:
	case FORMAT_BOUND:
	case FORMAT_FLAG:
		if (value == NO_ID) {
			snprintf(buf, NUMBER_LEN, "-");
			return;
		}
		break;
	default:
		break;
	}
	print_unsigned(buf, unit, negative ? -value : value);
	if (!negative && c->format != FORMAT_BOUND)
		return;
	memcpy(number, buf, NUMBER_LEN);
	snprintf(buf, NUMBER_LEN, "%s%.29s", negative ? "-" : "<=", number);
}

/* ---- cells ---------------------------------------------------------------- */

/*
 * If the change of a row is an estimate, the values that it was computed from are estimates as
 * well, unless they are 0 or not known.  The sum of estimates is an estimate, too.
 */
static bool is_part_of_change(const struct layout *l, const struct row *row, int column)
{
	const enum kind kind = l->v->t->columns[column].kind;

	if (!row->v[column] || row->v[column] == NO_ID)
		return false;
	if (kind != KIND_GAUGE && kind != KIND_COUNTER)
		return false;
	return row == l->v->total || row->v[l->limits + 1] != row->v[l->limits + 2];
}

static bool has_tilde(const struct layout *l, const struct row *row, int column)
{
	if (l->limits != NONE)
		return is_part_of_change(l, row, column);
	return estimate_has_tilde(l->v->t, row, column, l->main);
}

/* The row of sums has no lists, and none of the columns that tell what a row is about. */
static bool lacks(const struct layout *l, const struct row *row, int column)
{
	const struct column *c = &l->v->t->columns[column];

	return row == l->v->total &&
	       (c->format == FORMAT_HEX || c->kind == KIND_KEY || c->kind == KIND_PAST);
}

/* A negative number has its sign already. */
static const char *sign_of(const struct layout *l, const struct column *c, u64 value)
{
	return c->change && c->format != FORMAT_RATE && !l->style->raw && (s64)value > 0 ? "+" : "";
}

const char *layout_text(const struct layout *l, const struct row *row, int column,
			char buf[CELL_LEN])
{
	const struct column *c = &l->v->t->columns[column];
	const char *tilde, *sign;
	char number[NUMBER_LEN];
	u64 value;

	if (column == l->v->t->nr_values)
		return row->label;
	value = row->v[column];
	if (c->format == FORMAT_FLAG && !l->style->raw) {
		snprintf(buf, CELL_LEN, "%.*s", value == 1 && row != l->v->total, c->name);
		return buf;
	}
	if (lacks(l, row, column))
		return table_label(l->v->t) ? "-" : l->v->total_label;
	if (c->format == FORMAT_NAME)
		return row_name(row, column);
	if (c->format == FORMAT_HEX && l->v->codes && column == l->v->t->at[AT_gfp]) {
		gfp_print(l->v->gfp, buf, value);
	} else if (c->format == FORMAT_HEX) {
		snprintf(buf, CELL_LEN, "%#llx", value);
	} else {
		tilde = !l->style->raw && has_tilde(l, row, column) ? "~" : "";
		sign = sign_of(l, c, value);
		layout_value(number, c, l->style->exact || l->style->raw, value);
		stpcpy(stpcpy(stpcpy(buf, tilde), sign), number);
	}
	return buf;
}

/* Print an end of an interval.  To round a negative one down, its absolute value is rounded up. */
static void print_end(const struct layout *l, char buf[NUMBER_LEN], const struct column *c,
		      enum format format, u64 value, bool high)
{
	const bool negative = format == FORMAT_S64 && (s64)value < 0;
	struct column end = *c;
	char size[NUMBER_LEN];

	end.format = format;
	layout_value(buf, &end, l->style->exact || l->style->raw, value);
	if (l->style->exact || l->style->raw || !unit_is_size(c->unit))
		return;
	print_size(size, c->unit, negative ? -value : value,
		   high != negative ? ROUND_UP : ROUND_DOWN);
	snprintf(buf, NUMBER_LEN, "%s%.30s", negative ? "-" : "", size);
}

void layout_limits(const struct layout *l, const struct column *c, const struct interval *i,
		   char buf[CELL_LEN])
{
	char low[NUMBER_LEN], high[NUMBER_LEN];

	print_end(l, low, c, i->format, i->low, false);
	print_end(l, high, c, i->format, i->high, true);
	snprintf(buf, CELL_LEN, "%s%.30s..%s%.30s", sign_of(l, c, i->low), low,
		 sign_of(l, c, i->high), high);
}

void layout_interval(const struct layout *l, const struct row *row, int column,
		     char buf[CELL_LEN])
{
	const struct column *c = &l->v->t->columns[column];
	const bool limits = column == l->limits;
	struct interval i;

	snprintf(buf, CELL_LEN, "-");
	if (!has_tilde(l, row, column) || (limits && row == l->v->total))
		return;
	if (limits)
		i = (struct interval) { c->format, row->v[column + 1], row->v[column + 2] };
	else
		i = estimate_interval(l->v->t, row, column);
	layout_limits(l, c, &i, buf);
}

void layout_title(const struct layout *l, int column, char buf[CELL_LEN])
{
	const struct column *c = &l->v->t->columns[column];
	const bool exact = l->style->exact || l->style->raw;
	const bool time = c->unit == UNIT_MS || c->unit == UNIT_US;
	const bool has_unit = time || unit_is_size(c->unit) || c->unit == UNIT_SHARE;
	const char *kb = c->unit == UNIT_KIB ? strstr(c->name, "kb") : NULL;

	/* A column without a unit has the same title with -b; scripts know only the name. */
	if (!l->style->raw && c->title && (!exact || !has_unit))
		snprintf(buf, CELL_LEN, "%s", c->title);
	else if (!exact && time)
		snprintf(buf, CELL_LEN, "%.*s", (int)strlen(c->name) - 3, c->name);
	else if (!exact && kb)
		snprintf(buf, CELL_LEN, "%.*ssize%s", (int)(kb - c->name), c->name, kb + 2);
	else
		snprintf(buf, CELL_LEN, "%s", c->name);
}

/* ---- widths --------------------------------------------------------------- */

static bool is_key(const struct layout *l, int column)
{
	int i;

	for (i = 0; i < l->v->sort.nr; i++)
		if (l->v->sort.key[i] == column)
			return true;
	return false;
}

/* Only the main column and the sort keys have their intervals printed. */
static bool has_interval(const struct layout *l, int column)
{
	const int se = l->v->t->columns[column].se;

	if (column == l->limits)
		return !l->style->raw;
	if (l->main == NONE || se == NONE || l->style->raw)
		return false;
	return column == l->main || is_key(l, column) || is_key(l, se);
}

/* Return: the width that the line of a call site needs, below it or, in a stack, behind it. */
static int below_len(const struct layout *l, const char *label, int len)
{
	char *site, *line;
	int columns;

	if (!l->below)
		return len;
	site = alloc_print("%.*s", len, label);
	line = sites_text(l->v->sites, site);
	columns = utf8_columns(line);
	if (strcmp(line, "-"))
		len = l->stacks ? len + (int)strlen(LINES_GAP) + columns :
		      len > columns ? len : columns;
	free(line);
	free(site);
	return len;
}

/* Make a width at least that of a label.  If it has several lines, it is as wide as the longest. */
static void widen_label(const struct layout *l, int *width, const char *label)
{
	int len, part;

	do {
		len = l->stacks || l->split ? strcspn(label, ";") : strlen(label);
		part = below_len(l, label, len);
		*width = *width < part ? part : *width;
		label += len + !!label[len];
	} while (*label);
}

/* Count the parts of labels.  Their name, such as comm_site, has the titles of all. */
static int count_parts(const struct table *t)
{
	const char *name = table_label(t) ?: "";
	int parts = 1;

	for (; *name; name++)
		parts += *name == '_';
	return parts < 2 ? 0 : parts < LABEL_PARTS ? parts : LABEL_PARTS;
}

/*
 * The name of a command may have semicolons; call sites, causes and system calls have none.  So
 * find the last part first, but for a stall, whose cause may have semicolons.
 */
int layout_split(const struct layout *l, const char *text, char between,
		 struct label_part part[LABEL_PARTS])
{
	const bool stall = l->v->t->at[AT_site_cause] != NONE;
	const char *end = text + strlen(text), *at;
	int i;

	for (i = l->parts - 1; i > 0; i--) {
		at = stall ? strchr(text, between) : memrchr(text, between, end - text);
		if (!at)
			return -1;
		part[i] = (struct label_part) { at + 1, end - at - 1 };
		end = at;
	}
	part[0] = (struct label_part) { text, end - text };
	return l->parts ? 0 : -1;
}

/* Widen the columns of all parts of a label but the last one.  Return: the last one. */
static const char *widen_parts(struct layout *l, const char *label, char between)
{
	struct label_part part[LABEL_PARTS];
	int i;

	if (layout_split(l, label, between, part))
		return label;
	for (i = 0; i < l->parts - 1; i++)
		l->part[i] = l->part[i] < part[i].len ? part[i].len : l->part[i];
	return part[l->parts - 1].text;
}

/* Find the width of the labels, if they are printed. */
static void set_label(struct layout *l)
{
	const struct table *t = l->v->t;
	size_t i;

	l->label = 0;
	memset(l->part, 0, sizeof(l->part));
	if (!l->c[t->nr_values].shown)
		return;
	l->parts = l->style->raw || l->split ? 0 : count_parts(t);
	l->label = strlen(widen_parts(l, table_label(t) ?: "", '_'));
	for (i = 0; i < l->v->nr; i++)
		widen_label(l, &l->label, widen_parts(l, t->rows[i]->label, ';'));
	if (l->v->total)
		widen_label(l, &l->label, l->v->total->label);
}

static void widen_cells(struct layout *l, const struct row *row, int column)
{
	char buf[CELL_LEN];

	text_widen(&l->c[column].width, layout_text(l, row, column, buf));
	if (!l->c[column].interval)
		return;
	layout_interval(l, row, column, buf);
	text_widen(&l->c[column].interval, buf);
}

static void set_widths(struct layout *l)
{
	const struct table *t = l->v->t;
	char title[CELL_LEN];
	int column;
	size_t i;

	for (column = 0; column < t->nr_values; column++) {
		layout_title(l, column, title);
		l->c[column].width = strlen(title);
		if (has_interval(l, column))
			l->c[column].interval = strlen(INTERVAL_TITLE);
		if (!l->c[column].shown)
			continue;
		if (l->v->total)
			widen_cells(l, l->v->total, column);
		for (i = 0; i < l->v->nr; i++)
			widen_cells(l, t->rows[i], column);
	}
	set_label(l);
}

/* ---- what fits ------------------------------------------------------------ */

/* Test whether a line is too long, with a blank between its cells. */
static bool is_too_long(const struct layout *l)
{
	const struct layout_column *c;
	int i, width = l->lines ? l->lines + 1 : 0;

	for (c = l->c; c < l->c + l->v->t->nr_values; c++)
		if (c->shown)
			width += c->width + 1 + (c->interval ? c->interval + 1 : 0);
	for (i = 0; i < l->parts - 1; i++)
		width += l->part[i] + 1;
	width += l->label ? l->label : -1;
	return l->style->screen && !l->style->raw && width > l->style->screen;
}

static bool is_zero(const struct layout *l, int column)
{
	const struct table *t = l->v->t;
	size_t i;

	if (t->columns[column].format == FORMAT_NAME || t->columns[column].kind == KIND_KEY)
		return false;
	for (i = 0; i < l->v->nr; i++)
		if (t->rows[i]->v[column])
			return false;
	return true;
}

/*
 * Return: how soon a column is left out.  Columns of zeroes are left out first, unless further
 * tables follow, in which they may have other values.
 */
static int rank_of(const struct layout *l, int column)
{
	int rank = schema_rank(l->v->t, column);

	return !l->style->sequence && is_zero(l, column) ? rank + 4 * SHOWN_MAX : rank;
}

/*
 * Find the column to leave out next.  Columns that always stay, and columns with an interval, are
 * not candidates.  Return: its index, or NONE.
 */
static int least_column(const struct layout *l)
{
	int i, column, least = NONE;

	for (i = 0; i < l->columns.nr; i++) {
		column = l->columns.column[i];
		if (!l->c[column].shown || l->columns.fixed[i] || l->c[column].interval)
			continue;
		if (least == NONE || rank_of(l, column) > rank_of(l, least))
			least = column;
	}
	return least;
}

/* Find the width of the column of lines.  In a stack, each frame has its own. */
static void set_lines(struct layout *l)
{
	const struct view *v = l->v;
	char *text, *rest, *part;
	size_t i;

	if (!v->sites || !l->c[v->t->nr_values].shown)
		return;
	l->lines = strlen(LINES_TITLE);
	for (i = 0; i < v->nr; i++) {
		text = sites_text(v->sites, v->t->rows[i]->label);
		rest = text;
		while ((part = strsep(&rest, ";")))
			text_widen(&l->lines, part);
		free(text);
	}
}

/*
 * Names are never cut: if a line is too long, the cause of a stall and the source line get lines of
 * their own, and then columns are left out.
 */
void layout_fit(struct layout *l)
{
	struct sequence *sequence = l->v->nr ? l->style->sequence : NULL;
	int column;

	set_widths(l);
	set_lines(l);
	if (sequence)
		sequence_widen(sequence, l);
	l->split = l->v->t->at[AT_site_cause] != NONE && is_too_long(l);
	if (l->split)
		set_label(l);
	l->below = l->lines && is_too_long(l);
	if (l->below) {
		l->lines = 0;
		set_label(l);
	}
	while (is_too_long(l) && (column = least_column(l)) != NONE) {
		l->c[column].shown = false;
		l->hidden++;
	}
	l->repeated = sequence && sequence_keep(sequence, l);
}

int layout_begin(struct layout *l, const struct view *v, const struct style *style)
{
	const struct table *t = v->t;
	int i;

	*l = (struct layout) {
		.v = v, .style = style, .stacks = t->at[AT_stack] != NONE, .limits = NONE,
		.main = !v->streamed && estimate_any(t) ? estimate_main(t, &v->sort) : NONE,
		.c = alloc(t->nr_values + 1, sizeof(*l->c)),
	};
	for (i = t->nr_values - 1; i >= 0 && t->sampled; i--)
		if (t->columns[i].limits)
			l->limits = i;
	if (schema_choose(&l->columns, v, style->output))
		return -1;
	for (i = 0; i < l->columns.nr; i++)
		l->c[l->columns.column[i]].shown = true;
	return 0;
}

void layout_end(struct layout *l)
{
	free(l->c);
}
