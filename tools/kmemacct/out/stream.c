// SPDX-License-Identifier: GPL-2.0
/* Tables whose rows are printed as they are read.  See the overview in out.h. */
#include <stdlib.h>
#include <string.h>

#include "out.h"

/* Put the address of a call site in place of its name, if it is known. */
static void replace_site(struct stream *s, const struct kallsyms *syms, struct row *row)
{
	u64 addr = syms ? kallsyms_find(syms, row->label) : 0;

	if (!addr)
		return;
	snprintf(s->site, sizeof(s->site), "0x%016llx", addr);
	row->label = s->site;
}

/* Read the next row that matches.  Return: as reader_next(). */
static int next_row(struct stream *s, struct reader *r, struct row **row)
{
	int ret;

	while ((ret = reader_next(r, row)) > 0 && !view_matches(s->v.t, *row, &s->match))
		s->v.filtered++;
	return ret;
}

/* Check whether it is an error that no row was found. */
static int check_none(const struct stream *s)
{
	return s->check_none ? s->check_none(s) : 0;
}

static int read_symbols(const struct stream *s, struct kallsyms **syms)
{
	*syms = s->raw_ip ? kallsyms_read(s->v.t->source) : NULL;
	return s->raw_ip && !*syms ? -1 : 0;
}

/* ---- JSON ----------------------------------------------------------------- */

static int write_json(struct stream *s, struct reader *r)
{
	struct json w = { .out = s->out };
	struct kallsyms *syms;
	struct row *row;
	int ret = next_row(s, r, &row);
	u64 nr = 0;

	if (ret < 0 || (!ret && check_none(s)) || read_symbols(s, &syms))
		return -1;
	json_table_begin(&w, NULL, &s->v);
	for (; ret > 0; ret = next_row(s, r, &row)) {
		if (nr++ >= s->lines) {
			s->v.not_kept++;
			continue;
		}
		replace_site(s, syms, row);
		json_table_row(&w, &s->v, row);
	}
	if (!ret)
		json_table_end(&w, &s->v);
	kallsyms_free(syms);
	return ret;
}

/* ---- text ----------------------------------------------------------------- */

/* Widths of numbers that are names.  A longer one moves the rest of its row. */
static int number_width(const char *name)
{
	static const struct {
		const char *name;
		int width;
	} widths[] = {
		{ "cpu", 4 }, { "node", 4 }, { "pid", 7 }, { "pfn", 9 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(widths); i++)
		if (!strcmp(name, widths[i].name))
			return widths[i].width;
	return 0;
}

/* Return: width of the values of a column, by their format and unit. */
static int value_width(const struct stream *s, const struct column *c)
{
	const bool exact = s->style.exact || s->style.raw;

	switch (c->format) {
	case FORMAT_PTR:
		return 16;
	case FORMAT_NAME:
		return strlen("Reclaimable");
	case FORMAT_HEX:
		return s->v.codes ? 20 : strlen("0x12345678");
	case FORMAT_MILLI:
		return strlen("65536.000");
	default:
		break;
	}
	switch (c->unit) {
	case UNIT_PAGES:
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

/* Nothing is known of the rows: the widths are those of most values. */
static void set_widths(const struct stream *s, struct layout *l)
{
	const struct table *t = s->v.t;
	char title[CELL_LEN];
	int i;

	for (i = 0; i < t->nr_values; i++) {
		layout_title(l, i, title);
		l->c[i].width = value_width(s, &t->columns[i]);
		text_widen(&l->c[i].width, title);
	}
	l->c[i].width = LABEL_WIDTH;
}

/* Print a word as libsmartcols does. */
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
static void put_cell(const struct stream *s, const struct layout *l, int i, const char *cell)
{
	const int column = l->columns.column[i];
	const bool last = i == l->columns.nr - 1, left = column == s->v.t->nr_values;
	const int blanks = l->c[column].width - (int)strlen(cell);

	if (s->style.raw) {
		put_word(s->out, cell);
	} else {
		put_blanks(s->out, left ? 0 : blanks);
		fputs_unlocked(cell, s->out);
		put_blanks(s->out, left && !last ? blanks : 0);
	}
	putc_unlocked(last ? '\n' : ' ', s->out);
}

static void put_row(struct stream *s, const struct layout *l, const struct kallsyms *syms,
		    struct row *row)
{
	char buf[CELL_LEN];
	int i;

	replace_site(s, syms, row);
	for (i = 0; i < l->columns.nr; i++)
		put_cell(s, l, i, layout_text(l, row, l->columns.column[i], buf));
}

/* Print the rows that were kept, @row, and all that follow, up to @lines. */
static int put_rows(struct stream *s, const struct layout *l, struct reader *r,
		    const struct kallsyms *syms, const struct table *kept, struct row *row)
{
	char title[CELL_LEN];
	size_t i;
	int ret;

	for (i = 0; !s->style.no_header && (int)i < l->columns.nr; i++) {
		layout_title(l, l->columns.column[i], title);
		put_cell(s, l, i, title);
	}
	for (i = 0; i < kept->nr_rows; i++)
		put_row(s, l, syms, kept->rows[i]);
	do {
		if (i++ < s->lines)
			put_row(s, l, syms, row);
		else
			s->v.not_kept++;
		ret = next_row(s, r, &row);
	} while (ret > 0);
	return ret;
}

static int put_text(struct stream *s, struct reader *r, const struct table *kept,
		    struct row *row)
{
	struct kallsyms *syms = NULL;
	struct layout l;
	int ret;

	s->v.streamed = true;
	ret = layout_begin(&l, &s->v, &s->style) || read_symbols(s, &syms) ? -1 : 0;
	if (!ret) {
		set_widths(s, &l);
		text_head(s->out, &s->v, &s->style);
		ret = put_rows(s, &l, r, syms, kept, row);
	}
	/* The codes of gfp flags that are used are known only now. */
	if (!ret)
		text_remarks(s->out, &l);
	layout_end(&l);
	kallsyms_free(syms);
	return ret;
}

/* ---- rows that are kept --------------------------------------------------- */

/*
 * Whether to print rows as they are read from now on: more rows are wanted than are kept, and they
 * are neither sorted nor needed all together.
 */
static bool is_long(const struct stream *s, const struct heap *h)
{
	return !s->v.sort.nr && !s->all && s->lines > s->keep && heap_nr_rows(h) == s->keep;
}

static int keep_rows(struct stream *s, struct reader *r, struct view *kept)
{
	struct heap *h = heap_new(s->v.t, &s->v.sort, s->lines);
	struct table *first;
	struct row *row;
	size_t not_kept;
	int ret;

	while ((ret = next_row(s, r, &row)) > 0) {
		if (is_long(s, h)) {
			first = heap_table(h, &not_kept);
			ret = put_text(s, r, first, row);
			table_free(first);
			return ret;
		}
		heap_add(h, row);
	}
	if (ret < 0) {
		heap_free(h);
		return -1;
	}
	view_begin(kept, heap_table(h, &not_kept));
	kept->not_kept = not_kept;
	kept->filtered = s->v.filtered;
	return 0;
}

int stream_rows(struct stream *s, struct reader *r, struct view *kept)
{
	*kept = (struct view) {};
	if (s->json && !s->v.sort.nr && !s->all)
		return write_json(s, r);
	if (keep_rows(s, r, kept))
		return -1;
	if (!kept->t || kept->t->nr_rows || !check_none(s))
		return 0;
	view_end(kept);
	return -1;
}
