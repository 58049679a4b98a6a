// SPDX-License-Identifier: GPL-2.0
/* Tables on standard output, as the options say. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* Lines of a screen, if the output goes elsewhere. */
#define USUAL_LINES	24

struct style show_style(const struct options *o)
{
	return (struct style) {
		.screen = screen_columns(),
		.exact = o->given & OPTION_EXACT,
		.raw = o->given & OPTION_RAW,
		.no_header = o->given & OPTION_NO_HEADER,
		.verbose = o->given & OPTION_VERBOSE,
		.output = o->output,
	};
}

/* ---- reading -------------------------------------------------------------- */

/*
 * Fail because something was off.  @now: a sentence about it, for the module; @then: the same for a
 * snapshot, for which @command, which switches it on, comes too late.
 */
static int fail_off(const struct table *t, const char *now, const char *then, const char *command)
{
	if (source_is_snapshot(t->source))
		return fail("%s when %s was taken", then, source_path(t->source));
	return fail("%s: %s", now, command);
}

static int fail_account(const struct table *t, const char *account)
{
	char *command = control_enable_command(account, t->name);
	char *now = alloc_print("the table %s is not enabled", t->name);
	char *then = alloc_print("the table %s was not enabled", t->name);

	fail_off(t, now, then, command);
	free(command);
	free(now);
	free(then);
	return -1;
}

static int check_counted(const struct table *t)
{
	const char *account = table_field(t, "account");

	if (account && !text_lists(account, t->name))
		return fail_account(t, account);
	if (!account && table_is(t, "pages", "off"))
		return fail_off(t, "pages are not tracked", "pages were not tracked",
				"kmemacct set pages sites");
	return 0;
}

/* Heads and `control` have the setting. */
static int check_latency(const struct table *t)
{
	const char *latency = table_field(t, "latency");

	if (latency ? strcmp(latency, "off") : !control_is(t->source, "latency", "off"))
		return 0;
	return fail_off(t, "latency is not recorded", "latency was not recorded",
			"kmemacct set latency on");
}

int show_check_enabled(const struct table *t)
{
	const enum schema_need need = schema_need(t);

	if (need == NEED_SAMPLING && !t->sampled)
		return fail_off(t, "no stacks are recorded without sampling",
				"stacks need sampling, which was off",
				"kmemacct set sample_bytes 512K");
	if (t->nr_rows && !t->pairs)
		return 0;
	if (need == NEED_LATENCY)
		return check_latency(t);
	return need == NEED_COUNTED ? check_counted(t) : 0;
}

int show_read(struct view *v, const struct options *o, const char *name)
{
	struct table *t = source_table(o->source, name);

	if (!t)
		return -1;
	view_begin(v, t);
	if (!show_check_enabled(t))
		return 0;
	view_end(v);
	return -1;
}

/* ---- preparing ------------------------------------------------------------ */

/*
 * Read the names of gfp flags, unless --raw-gfp is given: text output has codes instead of the
 * numbers in the column gfp, JSON has the numbers and a list of names.
 */
static int name_flags(struct view *v, const struct options *o)
{
	if (v->gfp || o->given & OPTION_RAW_GFP || v->t->at[AT_gfp] == NONE ||
	    !source_names_flags(v->t->source))
		return 0;
	v->gfp = gfp_read(v->t->source);
	v->codes = !(o->given & OPTION_JSON);
	return v->gfp ? 0 : -1;
}

/* Test whether any row matches. */
static bool has_row(const struct table *t, const struct match *match)
{
	size_t i = 0;

	while (i < t->nr_rows && !view_matches(t, t->rows[i], match))
		i++;
	return i < t->nr_rows;
}

int show_check_names(const struct table *t, const struct match *match)
{
	const struct match module = { .module = match->module }, site = { .site = match->site };

	if (module.module && !has_row(t, &module)) {
		if (source_is_snapshot(t->source))
			return fail("%s: no row of %s is of module '%.64s'", source_path(t->source),
				    t->name, module.module);
		if (exist_module(module.module))
			return -1;
	}
	return site.site && !has_row(t, &site) ? exist_site(t, site.site) : 0;
}

int show_check_cache(const struct table *t, const char *cache)
{
	if (!cache || t->nr_rows)
		return 0;
	if (source_is_snapshot(t->source))
		return fail("%s: no object of the cache '%.64s' was recorded",
			    source_path(t->source), cache);
	return exist_cache(cache);
}

/* Check a table whose rows are read one by one, and none of which was wanted. */
static int check_none(const struct stream *s)
{
	return s->v.filtered ? show_check_names(s->v.t, &s->match) : show_check_enabled(s->v.t);
}

int show_prepare(struct view *v, const struct options *o, const char *keys)
{
	view_complete(v);
	keys = o->sort ?: keys;
	if ((keys && view_sort_by(v, keys)) || show_check_names(v->t, &o->match) ||
	    view_select(v, &o->match))
		return -1;
	view_sort(v->t, &v->sort);
	/* The total is about all rows, also those that -l leaves out.  JSON has no total. */
	if (!(o->given & OPTION_JSON) && schema_has_total(v->t))
		view_total(v);
	if (o->given & OPTION_LINES)
		view_cut(v, o->lines);
	return 0;
}

/* Replace addresses, flags and source lines in the rows that are shown. */
static int name_rows(struct view *v, const struct options *o)
{
	if (o->given & OPTION_RAW_IP && kallsyms_replace(v->t, v->nr))
		return -1;
	if (name_flags(v, o))
		return -1;
	if (o->given & OPTION_SOURCES)
		v->sites = sites_find(v, o->debug_dir);
	return o->given & OPTION_SOURCES && !v->sites ? -1 : 0;
}

static int print_text(FILE *out, const struct view *v, const struct options *o,
		      struct sequence *sequence)
{
	struct style style = show_style(o);

	style.sequence = sequence;
	style.lines = screen_lines() ?: USUAL_LINES;
	/* Without control, nothing is known. */
	style.off = table_field(v->t, "since") && control_is(v->t->source, "enabled", "0");
	return text_table(out, v, &style);
}

static void end(struct view *v)
{
	gfp_free(v->gfp);
	sites_free(v->sites);
	cgroups_free(v->cgroups);
	view_end(v);
}

int show(struct view *v, const struct options *o, const char *keys)
{
	int ret = show_prepare(v, o, keys) || name_rows(v, o) ? -1 : 0;

	if (!ret && o->given & OPTION_JSON)
		json_table(&(struct json) { .out = stdout }, NULL, v);
	else if (!ret)
		ret = print_text(stdout, v, o, NULL);
	end(v);
	return ret;
}

int show_next(FILE *out, struct view *v, const struct options *o, struct sequence *sequence)
{
	int ret = show_prepare(v, o, NULL) || name_rows(v, o) ? -1 : 0;

	v->followed = true;
	if (!ret)
		ret = print_text(out, v, o, sequence);
	end(v);
	return ret;
}

/* ---- row by row ----------------------------------------------------------- */

int show_stream(const struct options *o, const char *name)
{
	struct reader *r = source_reader(name);
	struct stream s = {
		.out = stdout, .style = show_style(o), .lines = U64_MAX, .keep = STREAM_KEEP,
		.json = o->given & OPTION_JSON, .raw_ip = o->given & OPTION_RAW_IP,
		.all = o->given & OPTION_SOURCES,
		.match = o->match, .check_none = check_none,
	};
	struct view kept = {};
	int ret;

	if (!r)
		return -1;
	view_begin(&s.v, reader_table(r));
	/* This sets titles.  A table that is printed row by row has no computed columns. */
	view_complete(&s.v);
	if (o->given & OPTION_LINES)
		s.lines = o->lines;
	s.style.off = table_field(s.v.t, "since") && control_is(s.v.t->source, "enabled", "0");
	ret = (o->sort && view_sort_by(&s.v, o->sort)) || name_flags(&s.v, o) ||
	      view_check(s.v.t, &o->match) || stream_rows(&s, r, &kept) ? -1 : 0;
	if (kept.t) {
		kept.gfp = s.v.gfp;
		kept.codes = s.v.codes;
		ret = show(&kept, o, NULL);
	} else {
		gfp_free(s.v.gfp);
	}
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
static char *text_of(const struct view *v, const struct options *o)
{
	char *text;
	size_t len;
	FILE *out = text_open(&text, &len);
	int ret = print_text(out, v, o, NULL);

	text_close(out);
	if (!ret)
		return text;
	free(text);
	return NULL;
}

/*
 * Leave out rows until the text fits @lines, with one for the prompt.  Shorter names may make room
 * for more columns, whose titles take no more lines.
 */
static char *fit(struct view *v, const struct options *o, size_t lines, size_t screen)
{
	char *text = text_of(v, o);
	size_t nr, more;

	while (text && (nr = count_lines(text, screen)) > lines - 1 && v->nr > 1) {
		more = nr - lines + 1;
		view_cut(v, v->nr > more ? v->nr - more : 1);
		free(text);
		text = text_of(v, o);
	}
	return text;
}

int show_screenful(struct view *v, const struct options *o)
{
	int lines = screen_lines(), screen = screen_columns();
	struct options rows = *o;
	char *text = NULL;

	if (!lines || !screen || o->given & (OPTION_JSON | OPTION_LINES | OPTION_RAW))
		return show(v, o, NULL);
	/* A row takes a line or more. */
	rows.given |= OPTION_LINES;
	rows.lines = lines;
	if (!show_prepare(v, &rows, NULL) && !name_rows(v, &rows))
		text = fit(v, o, lines, screen);
	end(v);
	if (!text)
		return -1;
	fputs(text, stdout);
	free(text);
	return 0;
}

/* ---- others --------------------------------------------------------------- */

int show_check(struct view *v, const struct options *o)
{
	struct columns columns;
	int ret;

	ret = (o->sort && view_sort_by(v, o->sort)) ? -1 : schema_choose(&columns, v, o->output);
	view_end(v);
	return ret;
}

int show_finish(void)
{
	if (!ferror(stdout) && !fflush(stdout))
		return 0;
	return fail("cannot write the output: %s", strerror(errno));
}
