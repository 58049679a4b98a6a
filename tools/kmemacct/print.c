// SPDX-License-Identifier: GPL-2.0
/* Tables as text for people.  See print.h. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "error.h"
#include "gfp.h"
#include "layout.h"
#include "print.h"

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

void print_remark(FILE *out, const char *text, int screen)
{
	const struct layout l = { .screen = screen };

	print_comment(out, &l, text);
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

/* Test for a field that tells programs which snapshots may be compared. */
static bool is_identity(const char *key)
{
	static const char * const keys[] = {
		"sampled", "load_id", "loaded_s", "kernel", "version", "resets",
		"module_changes",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

/* Explain estimates, and say how large a row without samples, which is not listed, may be. */
static void print_accuracy(FILE *out, const struct layout *l)
{
	const struct table *t = l->t;
	const char *label = t->columns[t->nr_values].name;
	bool is_change = t->columns[l->main].format == FORMAT_S64;
	u64 most = estimate_unsampled(t);
	char size[NUMBER_LEN], text[256];

	if (l->exact)
		snprintf(size, sizeof(size), "%llu bytes", most);
	else
		number_print_rounded(size, most, false, ROUND_UP);
	snprintf(text, sizeof(text),
		 "~ estimate, low..high its 95 %% interval; a %s without samples %s at most %s%s",
		 strcmp(label, "site") ? label : "call site",
		 is_change ? "allocated" : "has", size, is_change ? "" : " live");
	print_comment(out, l, text);
}

static void print_head(FILE *out, const struct layout *l)
{
	const struct table *t = l->t;
	char field[512];
	int i, used;

	used = fprintf(out, "# %s:", t->name);
	for (i = 0; i < t->nr_fields; i++) {
		if (is_identity(t->fields[i].key))
			continue;
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
		print_accuracy(out, l);
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
		if (l->shown[i] || !layout_wants(l, i))
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
		layout_title(l, i, title);
		if (l->shown[i])
			print_field(out, &at, l->width[i], title);
		if (l->interval[i])
			print_field(out, &at, l->interval[i], INTERVAL_TITLE);
	}
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

/*
 * Print a label.  Of a stack, the call site follows the numbers, with its callers below it.
 * Of a stall, the cause is below the call site.
 */
static void print_label(FILE *out, const struct layout *l, const char *label,
			int width)
{
	char *copy = alloc_copy(label), *frame, *rest = copy, *site;

	if (l->split && strchr(copy, ';')) {
		site = strsep(&rest, ";");
		print_line(out, site, width);
		fprintf(out, "%*s", layout_numbers_width(l), "");
	}
	while (l->stacks && (frame = strrchr(copy, ';'))) {
		*frame = '\0';
		print_line(out, frame + 1, width);
		fprintf(out, "%*s", layout_numbers_width(l), "");
	}
	print_line(out, rest, width);
	free(copy);
}

/* Return: number of cells printed. */
static int print_numbers(FILE *out, const struct layout *l, const struct row *row)
{
	char buf[CELL_LEN];
	int i, at = 0;

	for (i = 0; i < l->t->nr_values; i++) {
		layout_cell(l, row, i, buf);
		if (l->shown[i])
			print_field(out, &at, l->width[i], buf);
		if (!l->interval[i])
			continue;
		layout_interval_cell(l, row, i, buf);
		print_field(out, &at, l->interval[i], buf);
	}
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
	int width = layout_label_width(l);
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

/* No standard error follows frag_pct, but it is an estimate if bytes_allocated is one. */
static bool is_estimated_ratio(const struct table *t, size_t i)
{
	size_t other;

	if (strcmp(t->rows[i]->label, "frag_pct"))
		return false;
	for (other = 0; other < t->nr_rows; other++)
		if (!strcmp(t->rows[other]->label, "bytes_allocated"))
			return estimate_pair_is_rough(t, other);
	return false;
}

static void print_pair_value(const struct layout *l, size_t i, char buf[NUMBER_LEN])
{
	const struct row *row = l->t->rows[i];
	bool mark = estimate_pair_is_rough(l->t, i) || is_estimated_ratio(l->t, i);
	char number[NUMBER_LEN];

	layout_value(number, row->format, layout_unit(l, row->label), row->v[0]);
	snprintf(buf, NUMBER_LEN, "%s%.30s", mark ? "~" : "", number);
}

/* Print the interval of a pair, or "" if its value is exact. */
static void print_pair_interval(const struct layout *l, size_t i,
				char buf[INTERVAL_LEN])
{
	struct interval interval;

	*buf = '\0';
	if (!estimate_pair_is_rough(l->t, i))
		return;
	interval = estimate_pair_interval(l->t, i);
	layout_interval(l, l->t->rows[i]->label, &interval, buf);
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
		layout_widen(&width[0], l->t->rows[i]->label);
		print_pair_value(l, i, buf);
		layout_widen(&width[1], buf);
		print_pair_interval(l, i, buf);
		layout_widen(&width[2], buf);
	}
	if (width[2])
		print_comment(out, l, "~ estimate, and its 95 % interval");
	for (i = 0; i < l->t->nr_rows; i++)
		if (!is_pair_se(l->t, i))
			print_pair(out, l, i, width);
}

void print_table_head(FILE *out, const struct table *t, int screen)
{
	const struct layout l = { .t = t, .screen = screen, .main = -1 };

	print_head(out, &l);
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
	layout_make(&l);
	print_head(out, &l);
	print_hidden(out, &l);
	print_titles(out, &l);
	print_rows(out, &l);
}
