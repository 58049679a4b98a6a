// SPDX-License-Identifier: GPL-2.0
/* Tables whose rows are printed as they are read.  See stream.h. */
#include <string.h>

#include "gfp.h"
#include "heap.h"
#include "json.h"
#include "kallsyms.h"
#include "layout.h"
#include "print.h"
#include "stream.h"

/* Put the address of a call site in place of its name, if it is known. */
static void replace_site(const struct kallsyms *syms, struct row *row, char buf[NUMBER_LEN])
{
	u64 addr = syms ? kallsyms_find(syms, row->label) : 0;

	if (!addr)
		return;
	snprintf(buf, NUMBER_LEN, "0x%016llx", addr);
	row->label = buf;
}

/* Read the next row that matches.  Return: as reader_next(). */
static int next_row(const struct stream *s, struct reader *r, struct row **row)
{
	struct table *t = reader_table(r);
	int ret;

	while ((ret = reader_next(r, row)) > 0 && !rows_matches(t, *row, &s->match))
		t->filtered++;
	return ret;
}

/* Check whether it is an error that no row was found. */
static int check_empty(const struct stream *s, const struct table *t)
{
	return s->check_empty && !t->filtered ? s->check_empty(t) : 0;
}

/* ---- JSON ----------------------------------------------------------------- */

static void write_row(struct json_writer *w, const struct table *t,
		      const struct kallsyms *syms, struct row *row)
{
	char site[NUMBER_LEN];

	replace_site(syms, row, site);
	json_row(w, t, row);
}

/* Write @row and all that follow; @ret is that of next_row() for @row. */
static int write_rows(const struct stream *s, struct reader *r, const struct kallsyms *syms,
		      struct row *row, int ret)
{
	struct json_writer w = { .out = s->out };
	struct table *t = reader_table(r);
	u64 nr = 0;

	json_begin_table(&w, NULL, t);
	for (; ret > 0; ret = next_row(s, r, &row))
		if (nr++ < s->lines)
			write_row(&w, t, syms, row);
		else
			t->not_kept++;
	if (!ret)
		json_end_table(&w, t);
	return ret;
}

static int write_json(const struct stream *s, struct reader *r)
{
	struct kallsyms *syms;
	struct row *row;
	int ret = next_row(s, r, &row);

	if (ret < 0 || (!ret && check_empty(s, reader_table(r))))
		return -1;
	syms = s->raw_ip ? kallsyms_read() : NULL;
	if (s->raw_ip && !syms)
		return -1;
	ret = write_rows(s, r, syms, row, ret);
	kallsyms_free(syms);
	return ret;
}

/* ---- text ----------------------------------------------------------------- */

/**
 * struct text - text that is printed row by row
 * @s: what to print
 * @t: head and columns
 * @syms: symbols, to print addresses in place of call sites, or NULL
 * @layout: what the functions of layout.h take; its widths are not measured
 * @nr: number of rows so far
 * @site: the address that is printed in place of a call site
 */
struct text {
	const struct stream *s;
	struct table *t;
	struct kallsyms *syms;
	struct layout layout;
	u64 nr;
	char site[NUMBER_LEN];
};

/* Widths of numbers that are names, or count pages.  A longer one moves the rest of its row. */
static int number_width(const char *name)
{
	static const struct {
		const char *name;
		int width;
	} widths[] = {
		{ "cpu", 4 }, { "node", 4 }, { "pid", 7 }, { "pfn", 9 }, { "pages", 5 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(widths); i++)
		if (!strcmp(name, widths[i].name))
			return widths[i].width;
	return 0;
}

/* Return: width of the values of a column, by their format and unit. */
static int value_width(const struct text *text, const struct column *c)
{
	const bool exact = text->layout.exact;

	switch (c->format) {
	case FORMAT_PTR:
		return 16;
	case FORMAT_NAME:
		return strlen("Reclaimable");
	case FORMAT_HEX:
		return text->t->gfp ? 20 : strlen("0x12345678");
	case FORMAT_MILLI:
		return strlen("65536.000");
	default:
		break;
	}
	switch (table_unit(c->name)) {
	case UNIT_BYTES:
		return strlen(exact ? "12345678" : "1.23K");
	case UNIT_MS:
		return strlen(exact ? "1234567890" : "123d45h");
	default:
		return number_width(c->name);
	}
}

/* If the label is not the last column, most labels are no longer than this. */
#define LABEL_WIDTH	40

/* Nothing is known of the rows: they have no marks, and the widths are those of most values. */
static void set_widths(struct text *text)
{
	struct layout *l = &text->layout;
	char title[CELL_LEN];
	int i;

	for (i = 0; i < text->t->nr_values; i++) {
		l->mark[i] = -1;
		l->mark_bytes[i] = -1;
		layout_title(l, i, title);
		l->width[i] = value_width(text, &text->t->columns[i]);
		layout_widen(&l->width[i], title);
	}
	l->width[i] = LABEL_WIDTH;
	for (i = 0; i < l->columns.nr; i++)
		l->shown[l->columns.column[i]] = true;
}

/* As libsmartcols prints a word. */
static void put_word(FILE *out, const char *word)
{
	for (; *word; word++)
		if (*word == ' ' || *word == '\\')
			fprintf(out, "\\x%02x", *word);
		else
			putc_unlocked(*word, out);
}

static void put_blanks(FILE *out, int nr)
{
	while (nr-- > 0)
		putc_unlocked(' ', out);
}

/* Print the cell of column number @i.  fprintf() would take most of the time. */
static void put_cell(const struct text *text, int i, const char *cell)
{
	const struct columns *cs = &text->layout.columns;
	const bool last = i == cs->nr - 1, left = cs->column[i] == text->t->nr_values;
	const int blanks = text->layout.width[cs->column[i]] - (int)strlen(cell);
	FILE *out = text->s->out;

	if (text->layout.raw) {
		put_word(out, cell);
	} else {
		put_blanks(out, left ? 0 : blanks);
		fputs_unlocked(cell, out);
		put_blanks(out, left && !last ? blanks : 0);
	}
	putc_unlocked(last ? '\n' : ' ', out);
}

static void put_titles(const struct text *text)
{
	const struct columns *cs = &text->layout.columns;
	char title[CELL_LEN];
	int i;

	for (i = 0; i < cs->nr; i++) {
		layout_title(&text->layout, cs->column[i], title);
		put_cell(text, i, title);
	}
}

/* Return: the text of a cell, which is in @buf if it is not in the row. */
static const char *cell_of(const struct text *text, const struct row *row, int column,
			   char buf[CELL_LEN])
{
	if (!text->t->gfp || text->t->columns[column].format != FORMAT_HEX)
		return layout_text(&text->layout, row, column, buf);
	gfp_use(text->t->gfp, buf, row->v[column]);
	return buf;
}

static void put_row(struct text *text, struct row *row)
{
	const struct columns *cs = &text->layout.columns;
	char buf[CELL_LEN];
	int i;

	if (text->nr++ >= text->s->lines) {
		text->t->not_kept++;
		return;
	}
	replace_site(text->syms, row, text->site);
	for (i = 0; i < cs->nr; i++)
		put_cell(text, i, cell_of(text, row, cs->column[i], buf));
}

/* The codes of gfp flags that are used are known only now. */
static void put_end(const struct text *text)
{
	if (text->t->gfp)
		gfp_end(text->t->gfp);
	print_remarks(text->s->out, &text->layout);
}

/* Print the rows that were kept, @row, and all that follow. */
static int put_rows(struct text *text, struct reader *r, const struct table *kept,
		    struct row *row)
{
	size_t i;
	int ret;

	for (i = 0; i < kept->nr_rows; i++)
		put_row(text, kept->rows[i]);
	do {
		put_row(text, row);
		ret = next_row(text->s, r, &row);
	} while (ret > 0);
	if (!ret)
		put_end(text);
	return ret;
}

static int put_text(const struct stream *s, struct reader *r, const struct table *kept,
		    struct row *row)
{
	struct table *t = reader_table(r);
	struct text text = {
		.s = s, .t = t,
		.layout = {
			.t = t, .sort = &s->sort, .screen = s->look.screen, .raw = s->look.raw,
			.exact = s->look.exact || s->look.raw, .main = -1,
		},
	};
	int ret;

	t->streamed = true;
	if (columns_choose(&text.layout.columns, t, &s->sort, s->look.output))
		return -1;
	text.syms = s->raw_ip ? kallsyms_read() : NULL;
	if (s->raw_ip && !text.syms)
		return -1;
	set_widths(&text);
	print_table_head(s->out, t, &s->look);
	if (!s->look.no_header)
		put_titles(&text);
	ret = put_rows(&text, r, kept, row);
	kallsyms_free(text.syms);
	return ret;
}

/* ---- rows that are kept --------------------------------------------------- */

/* Test whether the rows are too many to be kept, and need not be. */
static bool is_long(const struct stream *s, const struct heap *h)
{
	return !s->sort.nr && !s->all && s->lines > s->keep && heap_nr_rows(h) == s->keep;
}

static int put_kept(const struct stream *s, struct reader *r, struct heap *h, struct row *row)
{
	struct table *first = heap_table(h);
	int ret = put_text(s, r, first, row);

	table_free(first);
	return ret;
}

static int keep_rows(const struct stream *s, struct reader *r, struct table **kept)
{
	struct heap *h = heap_new(reader_table(r), &s->sort, s->lines);
	struct row *row;
	int ret;

	while ((ret = next_row(s, r, &row)) > 0) {
		if (is_long(s, h))
			return put_kept(s, r, h, row);
		heap_add(h, row);
	}
	if (ret < 0) {
		heap_free(h);
		return -1;
	}
	*kept = heap_table(h);
	return 0;
}

int stream_rows(const struct stream *s, struct reader *r, struct table **kept)
{
	*kept = NULL;
	if (s->json && !s->sort.nr && !s->all)
		return write_json(s, r);
	if (keep_rows(s, r, kept))
		return -1;
	if (!*kept || (*kept)->nr_rows || !check_empty(s, reader_table(r)))
		return 0;
	table_free(*kept);
	*kept = NULL;
	return -1;
}
