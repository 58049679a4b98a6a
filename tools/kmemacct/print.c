// SPDX-License-Identifier: GPL-2.0
/* Tables as people read them.  See print.h. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "error.h"
#include "print.h"

/* More columns than any table has. */
#define COLUMNS_MAX	16

/* What is left of labels, before columns of numbers have to go. */
#define LABEL_MIN	32

/**
 * struct layout - what goes where
 * @t: the table
 * @sort: its order
 * @screen: columns of the terminal, or 0
 * @exact: numbers as they are
 * @shown: columns that are printed
 * @width: of these
 */
struct layout {
	const struct table *t;
	const struct sort *sort;
	int screen;
	bool exact;
	bool shown[COLUMNS_MAX];
	int width[COLUMNS_MAX];
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

	print_value(buf, c->format, unit_of(l, c->name), row->v[column]);
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

static void set_widths(struct layout *l)
{
	char buf[NUMBER_LEN];
	int column, len;
	size_t i;

	for (column = 0; column < l->t->nr_values; column++) {
		l->shown[column] = true;
		l->width[column] = title_len(l, l->t->columns[column].name);
		for (i = 0; i < l->t->nr_rows; i++) {
			print_cell(l, l->t->rows[i], column, buf);
			len = strlen(buf);
			if (l->width[column] < len)
				l->width[column] = len;
		}
	}
}

static int longest_label(const struct table *t)
{
	int len, longest = strlen(t->columns[t->nr_values].name);
	size_t i;

	for (i = 0; i < t->nr_rows; i++) {
		len = strlen(t->rows[i]->label);
		if (longest < len)
			longest = len;
	}
	return longest;
}

/* Columns of the terminal that the numbers take. */
static int numbers_width(const struct layout *l)
{
	int column, width = 0;

	for (column = 0; column < l->t->nr_values; column++)
		if (l->shown[column])
			width += l->width[column] + 1;
	return width;
}

static bool is_key(const struct layout *l, int column)
{
	int i;

	for (i = 0; i < l->sort->nr; i++)
		if (l->sort->key[i] == column)
			return true;
	return false;
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
		if (!l->shown[column] || is_key(l, column))
			continue;
		if (is_zero(l, column))
			return column;
		if (last < 0)
			last = column;
	}
	return last;
}

static void fit(struct layout *l)
{
	int label = longest_label(l->t);
	int column;

	if (label > LABEL_MIN)
		label = LABEL_MIN;
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
	if (table_field(t, "cut"))
		print_comment(out, l,
			      "rows are missing (cut=): the table grew while it was copied; read it again");
}

static void print_hidden(FILE *out, const struct layout *l)
{
	char text[512] = "not shown:";
	bool any = false;
	int i;

	for (i = 0; i < l->t->nr_values; i++) {
		if (l->shown[i])
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

	for (i = 0; i < t->nr_values; i++)
		if (l->shown[i])
			fprintf(out, "%*.*s ", l->width[i],
				title_len(l, t->columns[i].name),
				t->columns[i].name);
	fprintf(out, "%s\n", t->columns[i].name);
}

static void print_label(FILE *out, const char *label, int width)
{
	char *copy = alloc_copy(label);

	if (width)
		print_cut(copy, width);
	fprintf(out, "%s\n", copy);
	free(copy);
}

/* Room for a label; 0 where it may be of any length. */
static int label_width(const struct layout *l)
{
	int width = l->screen - numbers_width(l);

	if (!l->screen)
		return 0;
	return width < LABEL_MIN ? LABEL_MIN : width;
}

static void print_rows(FILE *out, const struct layout *l)
{
	const struct table *t = l->t;
	int column, width = label_width(l);
	char buf[NUMBER_LEN];
	size_t i;

	for (i = 0; i < t->nr_rows; i++) {
		for (column = 0; column < t->nr_values; column++) {
			if (!l->shown[column])
				continue;
			print_cell(l, t->rows[i], column, buf);
			fprintf(out, "%*s ", l->width[column], buf);
		}
		print_label(out, t->rows[i]->label, width);
	}
	if (t->left_out)
		fputs("...\n", out);
}

/* ---- pairs ---------------------------------------------------------------- */

static void print_pair_value(const struct layout *l, const struct row *row,
			     char buf[NUMBER_LEN])
{
	print_value(buf, row->format, unit_of(l, row->label), row->v[0]);
}

static void print_pairs(FILE *out, const struct layout *l)
{
	const struct table *t = l->t;
	char buf[NUMBER_LEN];
	int names = 0, values = 0, len;
	size_t i;

	for (i = 0; i < t->nr_rows; i++) {
		len = strlen(t->rows[i]->label);
		names = names < len ? len : names;
		print_pair_value(l, t->rows[i], buf);
		len = strlen(buf);
		values = values < len ? len : values;
	}
	for (i = 0; i < t->nr_rows; i++) {
		print_pair_value(l, t->rows[i], buf);
		fprintf(out, "%-*s %*s\n", names, t->rows[i]->label, values, buf);
	}
}

void print_table(FILE *out, const struct table *t, const struct sort *sort,
		 int screen, bool exact)
{
	struct layout l = {
		.t = t, .sort = sort, .screen = screen, .exact = exact,
	};

	if (!t->columns) {
		print_head(out, &l);
		print_pairs(out, &l);
		return;
	}
	set_widths(&l);
	fit(&l);
	print_head(out, &l);
	print_hidden(out, &l);
	print_titles(out, &l);
	print_rows(out, &l);
}
