// SPDX-License-Identifier: GPL-2.0
/* Tables as people read them.  See print.h. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "error.h"
#include "estimate.h"
#include "print.h"

/* What is left of labels, before columns of numbers have to go. */
#define LABEL_MIN	32
/* And of a frame: a stack is what its table is looked at for. */
#define FRAME_MIN	48

/* Titles of what estimates have more. */
static const char interval_title[] = "low..high";
static const char few_title[] = "few";

/* Room for an interval. */
#define INTERVAL_LEN	(2 * NUMBER_LEN)

/**
 * struct layout - what goes where
 * @t: the table
 * @sort: its order
 * @screen: columns of the terminal, or 0
 * @exact: numbers as they are
 * @main: the column that it is about; -1: the table has no estimates
 * @stacks: labels are stacks
 * @shown: columns that are printed
 * @width: of these
 * @mark: a value is an estimate if it has not 0 in this column; -1: it is none
 * @interval: width of the interval behind a column; 0: it has none
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
	if (unit == UNIT_BYTES)
		number_print_size(buf, value);
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
	else
		print_unsigned(buf, unit, value);
}

/* By its name it is known whether a number is a size or a time. */
static enum unit unit_of(const struct layout *l, const char *name)
{
	return l->exact ? UNIT_NONE : table_unit(name);
}

static void print_cell(const struct layout *l, const struct row *row, int column,
		       char buf[NUMBER_LEN])
{
	const struct column *c = &l->t->columns[column];
	bool mark = l->mark[column] >= 0 && row->v[l->mark[column]];
	char number[NUMBER_LEN];

	print_value(number, c->format, unit_of(l, c->name), row->v[column]);
	snprintf(buf, NUMBER_LEN, "%s%.30s", mark ? "~" : "", number);
}

static void print_interval(const struct layout *l, const char *name,
			   const struct interval *i, char buf[INTERVAL_LEN])
{
	char low[NUMBER_LEN], high[NUMBER_LEN];

	print_value(low, i->format, unit_of(l, name), i->low);
	print_value(high, i->format, unit_of(l, name), i->high);
	snprintf(buf, INTERVAL_LEN, "%.30s..%.30s", low, high);
}

/* What is exact has none. */
static void print_interval_cell(const struct layout *l, const struct row *row,
				int column, char buf[INTERVAL_LEN])
{
	struct interval i = estimate_interval(l->t, row, column);

	snprintf(buf, INTERVAL_LEN, "-");
	if (row->v[l->mark[column]])
		print_interval(l, l->t->columns[column].name, &i, buf);
}

/* Times that say their unit themselves need none in the column's name. */
static int title_len(const struct layout *l, const char *name)
{
	int len = strlen(name);

	return unit_of(l, name) == UNIT_MS ? len - 3 : len;
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

/* Intervals say the same, and can be read. */
static bool is_wanted(const struct layout *l, int column)
{
	return !estimate_is_se(l->t, column) || is_key(l, column);
}

/* A ratio is an estimate if what it is made of is one. */
static int mark_of(const struct layout *l, int column)
{
	if (l->main >= 0 && !strcmp(l->t->columns[column].name, "frag_pct"))
		column = table_column(l->t, "bytes_alloc");
	return estimate_se(l->t, column);
}

/* Intervals of all columns would be too much to look at. */
static bool has_interval(const struct layout *l, int column)
{
	int se = estimate_se(l->t, column);

	return se >= 0 && (column == l->main || is_key(l, column) || is_key(l, se));
}

static void set_columns(struct layout *l)
{
	const struct table *t = l->t;
	int i;

	l->main = estimate_any(t) ? estimate_main(t, l->sort) : -1;
	l->stacks = !strcmp(t->columns[t->nr_values].name, "stack");
	for (i = 0; i < t->nr_values; i++) {
		l->mark[i] = mark_of(l, i);
		l->shown[i] = is_wanted(l, i);
		l->width[i] = title_len(l, t->columns[i].name);
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
	char buf[INTERVAL_LEN];
	int column;
	size_t i;

	for (column = 0; column < l->t->nr_values; column++) {
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

/* Columns that a label takes; a stack has a line for each frame. */
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
	int len, longest = strlen(l->t->columns[l->t->nr_values].name);
	size_t i;

	for (i = 0; i < l->t->nr_rows; i++) {
		len = label_len(l, l->t->rows[i]->label);
		if (longest < len)
			longest = len;
	}
	return longest;
}

/* Columns of the terminal that the numbers take. */
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

/* The column that is missed least: one of zeroes, or else the last. */
static int least_column(const struct layout *l)
{
	int column, last = -1;

	for (column = l->t->nr_values - 1; column > 0; column--) {
		if (!l->shown[column] || is_key(l, column) || l->interval[column])
			continue;
		if (is_zero(l, column))
			return column;
		if (last < 0)
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

/* Words of a comment, in lines that fit; @used columns are taken. */
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
	if (t->note)
		print_comment(out, l, t->note);
	if (l->main >= 0)
		print_comment(out, l,
			      "~ estimate, low..high its 95 % interval; few: less than 30 samples, which makes it rough");
	if (table_field(t, "cut"))
		print_comment(out, l,
			      "rows are missing (cut=): the table grew while it was copied; read it again");
}

static void print_hidden(FILE *out, const struct layout *l)
{
	char text[1024] = "not shown:";
	bool any = false;
	int i;

	for (i = 0; i < l->t->nr_values; i++) {
		if (l->shown[i] || !is_wanted(l, i))
			continue;
		strcat(text, " ");
		strcat(text, l->t->columns[i].name);
		any = true;
	}
	strcat(text, " (make the terminal wider)");
	if (any)
		print_comment(out, l, text);
}

static void print_titles(FILE *out, const struct layout *l)
{
	const struct table *t = l->t;
	int i;

	for (i = 0; i < t->nr_values; i++) {
		if (l->shown[i])
			fprintf(out, "%*.*s ", l->width[i],
				title_len(l, t->columns[i].name),
				t->columns[i].name);
		if (l->interval[i])
			fprintf(out, "%*s ", l->interval[i], interval_title);
	}
	if (l->main >= 0)
		fprintf(out, "%s ", few_title);
	fprintf(out, "%s\n", t->columns[i].name);
}

/* @label may be written to. */
static void print_line(FILE *out, char *label, int width)
{
	if (width)
		print_cut(label, width);
	fprintf(out, "%s\n", label);
}

/* The call site stands with the numbers, and below it who called. */
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

/* Room for a label; 0 where it may be of any length. */
static int label_width(const struct layout *l)
{
	int width = l->screen - numbers_width(l);

	if (!l->screen)
		return 0;
	return width < label_min(l) ? label_min(l) : width;
}

static void print_numbers(FILE *out, const struct layout *l, const struct row *row)
{
	char buf[INTERVAL_LEN];
	int i;

	for (i = 0; i < l->t->nr_values; i++) {
		print_cell(l, row, i, buf);
		if (l->shown[i])
			fprintf(out, "%*s ", l->width[i], buf);
		if (!l->interval[i])
			continue;
		print_interval_cell(l, row, i, buf);
		fprintf(out, "%*s ", l->interval[i], buf);
	}
	if (l->main >= 0)
		fprintf(out, "%*s ", (int)strlen(few_title),
			estimate_few(l->t, row, l->main) ? few_title : "-");
}

static void print_rows(FILE *out, const struct layout *l)
{
	const struct table *t = l->t;
	int width = label_width(l);
	size_t i;

	for (i = 0; i < t->nr_rows; i++) {
		print_numbers(out, l, t->rows[i]);
		print_label(out, l, t->rows[i]->label, width);
	}
	if (t->left_out)
		fputs("...\n", out);
}

/* ---- pairs ---------------------------------------------------------------- */

static bool is_pair_estimate(const struct table *t, size_t i)
{
	const struct row *se = estimate_pair_se(t, i);

	return se && se->v[0];
}

/* The line of a ratio has none of a standard error behind it. */
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

/* "", if there is none. */
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

/* Intervals say the same as the line of a standard error. */
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
