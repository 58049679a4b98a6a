// SPDX-License-Identifier: GPL-2.0
/* Tables as text for people.  See print.h. */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "error.h"
#include "estimate.h"
#include "gfp.h"
#include "print.h"

/* Labels are cut to this width before columns of numbers are left out. */
#define LABEL_MIN	32
/* The same for the frames of a stack, which matter more. */
#define FRAME_MIN	48

/* Titles of the additional columns of estimates. */
static const char interval_title[] = "low..high";
static const char few_title[] = "few";

/* Size of the text of a cell, with its NUL.  Longer names are cut off. */
#define CELL_LEN	80
/* Size of the text of an interval, with its NUL. */
#define INTERVAL_LEN	(2 * NUMBER_LEN)

static_assert(INTERVAL_LEN <= CELL_LEN, "an interval has to fit into a cell");

/**
 * struct layout - how a table is printed
 * @t: the table
 * @sort: the order of its rows
 * @screen: width of the terminal; 0: lines may be of any length
 * @exact: print sizes and times without rounding
 * @main: the column that `few` is about; -1: the table has no estimates
 * @stacks: the labels are stacks
 * @shown: for each column, whether it is printed
 * @width: for each column, its width
 * @mark: for each column, the column of its standard errors, where a value other than 0
 *	means that the number is an estimate; -1: its numbers are never estimates
 * @interval: for each column, the width of the interval after it; 0: none is printed
 */
struct layout {
	const struct table *t;
	const struct sort *sort;
	int screen;
	bool exact;
	int main;
	bool stacks;
	bool shown[COLUMNS_MAX];
	int width[COLUMNS_MAX];
	int mark[COLUMNS_MAX];
	int interval[COLUMNS_MAX];
};

int print_screen(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	u64 nr;

	if (columns && !number_parse(columns, &nr) && nr > 0 && nr < INT_MAX)
		return nr;
	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return 0;
	return size.ws_col;
}

/* ---- cells ---------------------------------------------------------------- */

static void print_unsigned(char buf[NUMBER_LEN], enum unit unit, u64 value)
{
	if (unit == UNIT_BYTES || unit == UNIT_KB)
		number_print_size(buf, value, unit == UNIT_KB);
	else if (unit == UNIT_MS)
		number_print_age(buf, value);
	else
		snprintf(buf, NUMBER_LEN, "%llu", value);
}

static void print_signed(char buf[NUMBER_LEN], enum unit unit, s64 value)
{
	char absolute[NUMBER_LEN];

	print_unsigned(absolute, unit, value < 0 ? -(u64)value : (u64)value);
	snprintf(buf, NUMBER_LEN, "%s%.30s", value < 0 ? "-" : "", absolute);
}

static void print_value(char buf[NUMBER_LEN], enum format format, enum unit unit,
			u64 value)
{
	if (format == FORMAT_MILLI)
		number_print_milli(buf, value);
	else if (format == FORMAT_PTR)
		snprintf(buf, NUMBER_LEN, "%016llx", value);
	else if (format == FORMAT_ID && value == NO_ID)
		snprintf(buf, NUMBER_LEN, "-");
	else if (format == FORMAT_S64)
		print_signed(buf, unit, value);
	else if (format == FORMAT_HEX)
		snprintf(buf, NUMBER_LEN, "%#llx", value);
	else if (format == FORMAT_SPARSE && !value)
		snprintf(buf, NUMBER_LEN, ".");
	else
		print_unsigned(buf, unit, value);
}

/* The name of a column or pair shows whether its number is a size or a time. */
static enum unit unit_of(const struct layout *l, const char *name)
{
	return l->exact ? UNIT_NONE : table_unit(name);
}

static void print_cell(const struct layout *l, const struct row *row, int column,
		       char buf[CELL_LEN])
{
	const struct column *c = &l->t->columns[column];
	bool mark = l->mark[column] >= 0 && row->v[l->mark[column]];
	char number[NUMBER_LEN];

	if (c->format == FORMAT_NAME) {
		snprintf(buf, CELL_LEN, "%s", row_name(row, column));
		return;
	}
	print_value(number, c->format, unit_of(l, c->name), row->v[column]);
	snprintf(buf, CELL_LEN, "%s%s", mark ? "~" : "", number);
}

static void print_interval(const struct layout *l, const char *name,
			   const struct interval *i, char buf[INTERVAL_LEN])
{
	char low[NUMBER_LEN], high[NUMBER_LEN];

	print_value(low, i->format, unit_of(l, name), i->low);
	print_value(high, i->format, unit_of(l, name), i->high);
	snprintf(buf, INTERVAL_LEN, "%.30s..%.30s", low, high);
}

/* Print the interval of a value, or `-` if the value is exact. */
static void print_interval_cell(const struct layout *l, const struct row *row,
				int column, char buf[INTERVAL_LEN])
{
	struct interval i = estimate_interval(l->t, row, column);

	snprintf(buf, INTERVAL_LEN, "-");
	if (row->v[l->mark[column]])
		print_interval(l, l->t->columns[column].name, &i, buf);
}

/* Print a title without the unit in its name, if the values are printed with units. */
static void print_title(const struct layout *l, const char *name, char buf[CELL_LEN])
{
	enum unit unit = unit_of(l, name);
	const char *kb = table_kb(name);

	if (unit == UNIT_MS)
		snprintf(buf, CELL_LEN, "%.*s", (int)strlen(name) - 3, name);
	else if (unit == UNIT_KB)
		snprintf(buf, CELL_LEN, "%.*ssize%s", (int)(kb - name), name, kb + 2);
	else
		snprintf(buf, CELL_LEN, "%s", name);
}

void print_cut(char *label, int width)
{
	static const char dots[] = "...";
	int len = strlen(label);
	int head, tail;

	if (len <= width || width <= 3)
		return;
	head = (width - 3) / 2;
	tail = width - 3 - head;
	memcpy(label + head, dots, 3);
	memmove(label + head + 3, label + len - tail, tail + 1);
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

/* Standard errors are shown only as a sort key: intervals have the same information. */
static bool is_wanted(const struct layout *l, int column)
{
	return !estimate_is_se(l->t, column) || is_key(l, column);
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

	return se >= 0 && (column == l->main || is_key(l, column) || is_key(l, se));
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
		l->shown[i] = is_wanted(l, i);
		print_title(l, t->columns[i].name, title);
		l->width[i] = strlen(title);
		if (has_interval(l, i))
			l->interval[i] = strlen(interval_title);
	}
}

static void widen(int *width, const char *text)
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
			print_cell(l, l->t->sum, column, buf);
			widen(&l->width[column], buf);
		}
		for (i = 0; i < l->t->nr_rows; i++) {
			print_cell(l, l->t->rows[i], column, buf);
			widen(&l->width[column], buf);
			if (!l->interval[column])
				continue;
			print_interval_cell(l, l->t->rows[i], column, buf);
			widen(&l->interval[column], buf);
		}
	}
}

/* Return: width of a label.  A stack has a line for each frame, and is as wide as the longest. */
static int label_len(const struct layout *l, const char *label)
{
	int len, longest = 0;

	if (!l->stacks)
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

/* Return: width of everything before the label. */
static int numbers_width(const struct layout *l)
{
	int column, width = 0;

	for (column = 0; column < l->t->nr_values; column++) {
		if (l->shown[column])
			width += l->width[column] + 1;
		if (l->interval[column])
			width += l->interval[column] + 1;
	}
	if (l->main >= 0)
		width += strlen(few_title) + 1;
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
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(c->name, names[i]))
			return true;
	return c->format == FORMAT_NAME || c->format == FORMAT_HEX;
}

/* Test for a column that only adds details to another one. */
static bool is_detail(const struct layout *l, int column)
{
	static const char * const names[] = {
		"batched", "zone_locked", "refills", "drained", "drains",
		"fallbacks", "fragmenting", "severe", "moderate", "changed", "fallback_order",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(l->t->columns[column].name, names[i]))
			return true;
	return false;
}

/* Return: value of a column to the user: lowest for all zeroes, then details, numbers, names. */
static int worth(const struct layout *l, int column)
{
	if (is_zero(l, column) && !is_name(l, column))
		return 0;
	if (is_detail(l, column))
		return 1;
	return is_name(l, column) ? 3 : 2;
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
	return l->stacks ? FRAME_MIN : LABEL_MIN;
}

static void fit(struct layout *l)
{
	int label = longest_label(l);
	int column;

	if (label > label_min(l))
		label = label_min(l);
	while (l->screen && numbers_width(l) + label > l->screen) {
		column = least_column(l);
		if (column < 0)
			return;
		l->shown[column] = false;
	}
}

/* ---- lines ---------------------------------------------------------------- */

/* Print a word of a comment, on a new line if it does not fit after the @used columns. */
static void print_word(FILE *out, const struct layout *l, int *used,
		       const char *word)
{
	int len = strlen(word);

	if (l->screen && *used + 1 + len > l->screen && *used > 1)
		*used = fprintf(out, "\n#") - 1;
	*used += fprintf(out, " %s", word);
}

static void print_comment(FILE *out, const struct layout *l, const char *text)
{
	char *copy = alloc_copy(text), *rest = copy, *word;
	int used = fprintf(out, "#");

	while ((word = strsep(&rest, " ")))
		print_word(out, l, &used, word);
	fputc('\n', out);
	free(copy);
}

/* Explain the codes of gfp flags, if that column is printed. */
static void print_legend(FILE *out, const struct layout *l)
{
	int column = table_column(l->t, "gfp");

	if (l->t->gfp && column >= 0 && l->shown[column] &&
	    *gfp_legend(l->t->gfp))
		print_comment(out, l, gfp_legend(l->t->gfp));
}

/*
 * Warn that a filter keeps allocations out of the numbers.  The filter may have been removed
 * since then.
 */
static void print_filter(FILE *out, const struct layout *l)
{
	const char *filter = table_field(l->t, "filter");
	char text[512];

	if (!filter || !strcmp(filter, "none"))
		return;
	snprintf(text, sizeof(text),
		 "filter: %.400s: set now or since counting began; other allocations are not counted",
		 filter);
	print_comment(out, l, text);
}

static void print_head(FILE *out, const struct layout *l)
{
	const struct table *t = l->t;
	char field[512];
	int i, used;

	used = fprintf(out, "# %s:", t->name);
	for (i = 0; i < t->nr_fields; i++) {
		snprintf(field, sizeof(field), "%s=%s", t->fields[i].key,
			 t->fields[i].value);
		print_word(out, l, &used, field);
	}
	fputc('\n', out);
	print_filter(out, l);
	if (t->note)
		print_comment(out, l, t->note);
	print_legend(out, l);
	if (l->main >= 0)
		print_comment(out, l,
			      "~ estimate, low..high its 95 % interval; few: fewer than 30 samples, so the interval is rough");
	if (table_field(t, "cut"))
		print_comment(out, l,
			      "rows are missing (cut=): the table grew while it was copied; read it again");
	if (table_field(t, "full"))
		print_comment(out, l,
			      "a table of the module is full (full=): the kernel log says what to set");
}

/* List the columns left out.  Some names come from a file, as migrate types do, and may be long. */
static void print_hidden(FILE *out, const struct layout *l)
{
	char *text = NULL;
	size_t len;
	FILE *names = open_memstream(&text, &len);
	bool any = false;
	int i;

	if (!names)
		return;
	fputs("not shown:", names);
	for (i = 0; i < l->t->nr_values; i++) {
		if (l->shown[i] || !is_wanted(l, i))
			continue;
		fprintf(names, " %s", l->t->columns[i].name);
		any = true;
	}
	fputs(" (make the terminal wider)", names);
	fclose(names);
	if (any)
		print_comment(out, l, text);
	free(text);
}

/* Print a cell, and a blank before it unless it is the first.  @at: number of cells before it. */
static void print_field(FILE *out, int *at, int width, const char *text)
{
	fprintf(out, "%s%*s", (*at)++ ? " " : "", width, text);
}

static void print_titles(FILE *out, const struct layout *l)
{
	const struct table *t = l->t;
	char title[CELL_LEN];
	int i, at = 0;

	for (i = 0; i < t->nr_values; i++) {
		print_title(l, t->columns[i].name, title);
		if (l->shown[i])
			print_field(out, &at, l->width[i], title);
		if (l->interval[i])
			print_field(out, &at, l->interval[i], interval_title);
	}
	if (l->main >= 0)
		print_field(out, &at, 0, few_title);
	if (t->columns[i].name)
		print_field(out, &at, 0, t->columns[i].name);
	fputc('\n', out);
}

/* Print a label, cut to @width.  This changes @label. */
static void print_line(FILE *out, char *label, int width)
{
	if (width)
		print_cut(label, width);
	fprintf(out, "%s\n", label);
}

/* Print a label.  Of a stack, the call site follows the numbers, with its callers below it. */
static void print_label(FILE *out, const struct layout *l, const char *label,
			int width)
{
	char *copy = alloc_copy(label), *frame;

	while (l->stacks && (frame = strrchr(copy, ';'))) {
		*frame = '\0';
		print_line(out, frame + 1, width);
		fprintf(out, "%*s", numbers_width(l), "");
	}
	print_line(out, copy, width);
	free(copy);
}

/* Return: width that is left for labels; 0 if they may be of any length. */
static int label_width(const struct layout *l)
{
	int width = l->screen - numbers_width(l);

	if (!l->screen)
		return 0;
	return width < label_min(l) ? label_min(l) : width;
}

/* Return: number of cells printed. */
static int print_numbers(FILE *out, const struct layout *l, const struct row *row)
{
	char buf[CELL_LEN];
	int i, at = 0;

	for (i = 0; i < l->t->nr_values; i++) {
		print_cell(l, row, i, buf);
		if (l->shown[i])
			print_field(out, &at, l->width[i], buf);
		if (!l->interval[i])
			continue;
		print_interval_cell(l, row, i, buf);
		print_field(out, &at, l->interval[i], buf);
	}
	if (l->main >= 0)
		print_field(out, &at, strlen(few_title),
			    estimate_few(l->t, row, l->main) ? few_title : "-");
	return at;
}

static void print_row(FILE *out, const struct layout *l, const struct row *row, int width)
{
	int at = print_numbers(out, l, row);

	if (at && *row->label)
		fputc(' ', out);
	print_label(out, l, row->label, width);
}

/* Print advice line by line, so that a command in it starts on a line of its own. */
static void print_advice(FILE *out, const struct layout *l, const char *advice)
{
	char *copy = alloc_copy(advice), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		print_comment(out, l, line);
	free(copy);
}

static void print_rows(FILE *out, const struct layout *l)
{
	const struct table *t = l->t;
	int width = label_width(l);
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		print_row(out, l, t->rows[i], width);
	if (t->left_out)
		fputs("...\n", out);
	if (t->sum)
		print_row(out, l, t->sum, width);
	if (t->advice)
		print_advice(out, l, t->advice);
}

/* ---- pairs ---------------------------------------------------------------- */

static bool is_pair_estimate(const struct table *t, size_t i)
{
	const struct row *se = estimate_pair_se(t, i);

	return se && se->v[0];
}

/* No standard error follows frag_pct, but it is an estimate if bytes_allocated is one. */
static bool is_estimated_ratio(const struct table *t, size_t i)
{
	size_t other;

	if (strcmp(t->rows[i]->label, "frag_pct"))
		return false;
	for (other = 0; other < t->nr_rows; other++)
		if (!strcmp(t->rows[other]->label, "bytes_allocated"))
			return is_pair_estimate(t, other);
	return false;
}

static void print_pair_value(const struct layout *l, size_t i, char buf[NUMBER_LEN])
{
	const struct row *row = l->t->rows[i];
	bool mark = is_pair_estimate(l->t, i) || is_estimated_ratio(l->t, i);
	char number[NUMBER_LEN];

	print_value(number, row->format, unit_of(l, row->label), row->v[0]);
	snprintf(buf, NUMBER_LEN, "%s%.30s", mark ? "~" : "", number);
}

/* Print the interval of a pair, or "" if its value is exact. */
static void print_pair_interval(const struct layout *l, size_t i,
				char buf[INTERVAL_LEN])
{
	struct interval interval;

	*buf = '\0';
	if (!is_pair_estimate(l->t, i))
		return;
	interval = estimate_pair_interval(l->t, i);
	print_interval(l, l->t->rows[i]->label, &interval, buf);
}

/* Test for the line of a standard error, which is not printed: there is an interval instead. */
static bool is_pair_se(const struct table *t, size_t i)
{
	return i && estimate_pair_se(t, i - 1);
}

static void print_pair(FILE *out, const struct layout *l, size_t i,
		       const int width[3])
{
	char value[NUMBER_LEN], interval[INTERVAL_LEN];

	print_pair_value(l, i, value);
	print_pair_interval(l, i, interval);
	fprintf(out, "%-*s %*s", width[0], l->t->rows[i]->label, width[1], value);
	if (*interval)
		fprintf(out, " %*s", width[2], interval);
	fputc('\n', out);
}

static void print_pairs(FILE *out, const struct layout *l)
{
	char buf[INTERVAL_LEN];
	int width[3] = {};
	size_t i;

	for (i = 0; i < l->t->nr_rows; i++) {
		if (is_pair_se(l->t, i))
			continue;
		widen(&width[0], l->t->rows[i]->label);
		print_pair_value(l, i, buf);
		widen(&width[1], buf);
		print_pair_interval(l, i, buf);
		widen(&width[2], buf);
	}
	if (width[2])
		print_comment(out, l, "~ estimate, and its 95 % interval");
	for (i = 0; i < l->t->nr_rows; i++)
		if (!is_pair_se(l->t, i))
			print_pair(out, l, i, width);
}

void print_table(FILE *out, const struct table *t, const struct sort *sort,
		 int screen, bool exact)
{
	struct layout l = {
		.t = t, .sort = sort, .screen = screen, .exact = exact, .main = -1,
	};

	if (!t->columns) {
		print_head(out, &l);
		print_pairs(out, &l);
		return;
	}
	set_columns(&l);
	set_widths(&l);
	fit(&l);
	print_head(out, &l);
	print_hidden(out, &l);
	print_titles(out, &l);
	print_rows(out, &l);
}
