// SPDX-License-Identifier: GPL-2.0
/* Tables on standard output, as the options say.  See show.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "control.h"
#include "error.h"
#include "files.h"
#include "gfp.h"
#include "json.h"
#include "kallsyms.h"
#include "latency.h"
#include "rows.h"
#include "show.h"
#include "source.h"
#include "stream.h"

struct look show_look(const struct options *o)
{
	return (struct look) {
		.screen = print_screen(),
		.exact = o->given & OPTION_EXACT,
		.raw = o->given & OPTION_RAW,
		.no_header = o->given & OPTION_NO_HEADER,
		.verbose = o->given & OPTION_VERBOSE,
		.output = o->output,
	};
}

/* Test whether the module does not record now.  Without control, nothing is known. */
static bool is_off(const struct table *t)
{
	return table_field(t, "since") && control_is("enabled", "0");
}

/*
 * Read the names of gfp flags, unless --raw-gfp is given: text output has codes instead of the
 * numbers in the column gfp, JSON has the numbers and a list of names.
 */
static int name_flags(struct table *t, const struct options *o)
{
	struct table *flags;

	if (t->gfp || o->given & OPTION_RAW_GFP || table_column(t, "gfp") < 0)
		return 0;
	flags = files_table("gfp_flags");
	if (!flags)
		return -1;
	t->gfp = gfp_new(flags);
	return 0;
}

/* Only those rows are left now that are printed. */
static int find_lines(struct table *t, const struct options *o)
{
	if (!(o->given & OPTION_SOURCES))
		return 0;
	t->sources = sources_find(t, o->debug_dir);
	return t->sources ? 0 : -1;
}

static struct rows_match match_of(const struct options *o)
{
	return (struct rows_match) {
		.min_bytes = o->min_bytes, .module = o->module, .site = o->site,
	};
}

static int sort_and_select(struct table *t, const struct options *o, const char *keys,
			   struct sort *sort)
{
	const struct rows_match match = match_of(o);

	if (o->sort)
		keys = o->sort;
	if (keys && sort_parse(sort, t, keys))
		return -1;
	if (rows_select(t, &match))
		return -1;
	sort_rows(t, sort);
	return 0;
}

int show_select(struct table *t, const struct options *o)
{
	const struct rows_match match = match_of(o);
	int ret = rows_select(t, &match);

	if (ret)
		table_free(t);
	return ret;
}

/* The total is about all rows, also those that -l leaves out.  JSON has no total of its own. */
static void add_total(struct table *t, const struct options *o)
{
	if (!(o->given & OPTION_JSON) && columns_has_total(t))
		rows_total(t);
	if (o->given & OPTION_LINES)
		rows_cut(t, o->lines);
}

static int prepare(struct table *t, const struct options *o, const char *keys, struct sort *sort)
{
	if (sort_and_select(t, o, keys, sort))
		return -1;
	add_total(t, o);
	if (o->given & OPTION_RAW_IP && kallsyms_replace(t))
		return -1;
	if (name_flags(t, o) || find_lines(t, o))
		return -1;
	if (t->gfp && !(o->given & OPTION_JSON) && table_column(t, "gfp") >= 0)
		gfp_shorten(t);
	return 0;
}

static int print_text(FILE *out, const struct table *t, const struct options *o,
		      const struct sort *sort)
{
	struct look look = show_look(o);

	look.off = is_off(t);
	return print_table(out, t, sort, &look);
}

int show(struct table *t, const struct options *o, const char *keys)
{
	struct sort sort = {};
	int ret;

	if (!t)
		return -1;
	t = columns_add(t);
	ret = prepare(t, o, keys, &sort);
	if (!ret && o->given & OPTION_JSON)
		json_table(&(struct json_writer) { .out = stdout }, NULL, t);
	else if (!ret)
		ret = print_text(stdout, t, o, &sort);
	table_free(t);
	return ret;
}

/* ---- row by row ----------------------------------------------------------- */

static int read_and_show(struct reader *r, const struct options *o, struct stream *s)
{
	struct table *kept, *t = reader_table(r);

	if ((o->sort && sort_parse(&s->sort, t, o->sort)) || name_flags(t, o) ||
	    rows_check(t, &s->match) || stream_rows(s, r, &kept))
		return -1;
	if (!kept)
		return 0;
	kept->gfp = t->gfp;
	t->gfp = NULL;
	return show(kept, o, NULL);
}

int show_stream(struct reader *r, const struct options *o,
		int (*check_empty)(const struct table *t))
{
	struct stream s = {
		.out = stdout, .look = show_look(o), .lines = U64_MAX, .keep = STREAM_KEEP,
		.json = o->given & OPTION_JSON, .raw_ip = o->given & OPTION_RAW_IP,
		.all = o->given & OPTION_SOURCES,
		.match = match_of(o), .check_empty = check_empty,
	};
	int ret;

	if (!r)
		return -1;
	if (o->given & OPTION_LINES)
		s.lines = o->lines;
	s.look.off = is_off(reader_table(r));
	ret = read_and_show(r, o, &s);
	reader_close(r);
	return ret;
}

/* ---- the first screen ----------------------------------------------------- */

/* Return: number of lines of the screen that a text takes. */
static size_t count_lines(const char *text, size_t screen)
{
	size_t len, nr = 0;

	for (; *text; text += len + !!text[len]) {
		len = strcspn(text, "\n");
		nr += len ? (len + screen - 1) / screen : 1;
	}
	return nr;
}

/* Print into memory.  Return: the text, which the caller frees; NULL after calling fail(). */
static char *text_of(const struct table *t, const struct options *o, const struct sort *sort)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int ret;

	if (!out)
		return alloc_copy("");
	ret = print_text(out, t, o, sort);
	fclose(out);
	if (!ret)
		return text;
	free(text);
	return NULL;
}

/*
 * Leave out rows until the text fits @lines, with one for the prompt.  Shorter names may make room
 * for more columns, whose titles take no more lines.
 */
static char *fit(struct table *t, const struct options *o, const struct sort *sort, size_t lines,
		 size_t screen)
{
	char *text = text_of(t, o, sort);
	size_t nr = text ? count_lines(text, screen) : 0;

	while (nr > lines - 1 && t->nr_rows > 1) {
		rows_cut(t, t->nr_rows > nr - lines + 1 ? t->nr_rows - (nr - lines + 1) : 1);
		free(text);
		text = text_of(t, o, sort);
		nr = text ? count_lines(text, screen) : 0;
	}
	return text;
}

int show_screenful(struct table *t, const struct options *o)
{
	int lines = print_screen_lines(), screen = print_screen();
	struct options rows = *o;
	struct sort sort = {};
	char *text = NULL;

	if (!t || !lines || !screen || o->given & (OPTION_JSON | OPTION_LINES | OPTION_RAW))
		return show(t, o, NULL);
	/* A row takes a line or more. */
	rows.given |= OPTION_LINES;
	rows.lines = lines;
	t = columns_add(t);
	if (!prepare(t, &rows, NULL, &sort))
		text = fit(t, o, &sort, lines, screen);
	table_free(t);
	if (!text)
		return -1;
	fputs(text, stdout);
	free(text);
	return 0;
}

/* ---- others --------------------------------------------------------------- */

int show_histograms(struct table *t, const struct options *o, const char *keys)
{
	const struct look look = show_look(o);
	struct sort sort = {};
	int ret = sort_and_select(t, o, keys, &sort);

	if (!ret) {
		add_total(t, o);
		print_table_head(stdout, t, &look);
		latency_histograms(stdout, t, look.screen, look.exact);
	}
	table_free(t);
	return ret;
}

int show_check(const struct table *t, const struct options *o)
{
	struct sort sort = {};
	struct columns columns;

	if (o->sort && sort_parse(&sort, t, o->sort))
		return -1;
	return columns_choose(&columns, t, &sort, o->output);
}

int show_finish(void)
{
	if (!ferror(stdout) && !fflush(stdout))
		return 0;
	return fail("cannot write the output: %s", strerror(errno));
}
