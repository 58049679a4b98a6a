// SPDX-License-Identifier: GPL-2.0
/* The state of a table in words.  See state.h. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "comment.h"
#include "error.h"
#include "estimate.h"
#include "state.h"
#include "words.h"

/* ---- fields of the head --------------------------------------------------- */

static bool is_field(const struct table *t, const char *key, const char *value)
{
	const char *text = table_field(t, key);

	return text && !strcmp(text, value);
}

static void print_bytes(char buf[NUMBER_LEN], u64 bytes, bool exact)
{
	if (exact)
		snprintf(buf, NUMBER_LEN, "%llu bytes", bytes);
	else
		number_print_rounded(buf, bytes, false, ROUND_UP);
}

/* ---- the sentence --------------------------------------------------------- */

/* Begin another part of the sentence. */
static void put_break(FILE *text)
{
	if (ftell(text) > 0)
		fputs("; ", text);
}

static const char *since(const struct table *t)
{
	if (is_field(t, "since", "reset"))
		return "the last reset";
	return is_field(t, "since", "on") ? "this was switched on" : "load";
}

static void put_window(FILE *text, const struct table *t)
{
	const char *window = table_field(t, "window_s");
	char age[NUMBER_LEN];
	u64 ms;

	fprintf(text, " since %s", since(t));
	if (!window || number_parse_milli(window, &ms))
		return;
	number_print_age(age, ms);
	fprintf(text, ", %s", age);
}

/* Tables of a snapshot say when it was taken. */
static void put_taken(FILE *text, const struct table *t)
{
	const char *taken = table_field(t, "taken");

	if (taken)
		fprintf(text, ", as of %s", taken);
}

/* Test for a table of changes, which does not count since the moment in its head. */
static bool is_change(const struct table *t)
{
	int i;

	for (i = 0; t->columns && i < t->nr_values; i++)
		if (t->columns[i].change && !t->columns[i].computed)
			return true;
	return false;
}

/* Test for a table with estimates.  What is counted by process, or timed, is never sampled. */
static bool is_sampled(const struct table *t)
{
	int i;

	for (i = 0; t->columns && t->sampled && i < t->nr_values; i++)
		if (estimate_is_se(t, i) || t->columns[i].limits ||
		    !strcmp(t->columns[i].name, "weight"))
			return true;
	return !t->columns && t->sampled;
}

static void put_exactness(FILE *text, const struct table *t, bool exact)
{
	u64 every = table_number(t, "sample_bytes");
	const bool sampled = is_sampled(t);
	char size[NUMBER_LEN];

	put_break(text);
	fputs(sampled ? "sampled" : "exact", text);
	if (!is_change(t)) {
		put_window(text, t);
		put_taken(text, t);
	}
	if (!sampled || !table_field(t, "sample_bytes"))
		return;
	number_print_size(size, every, false);
	if (exact)
		snprintf(size, sizeof(size), "%llu bytes", every);
	if (every)
		fprintf(text, ", one object for every %s allocated", size);
	else
		fputs(", but all objects are recorded now", text);
}

/* Say how many frees were not seen.  Only tables of objects know. */
static void put_frees(FILE *text, const struct table *t)
{
	u64 missed = table_number(t, "replaced") + table_number(t, "page_freed");
	const char *coverage = table_field(t, "coverage_pct");

	if (!coverage)
		return;
	put_break(text);
	if (!missed)
		fputs("every known free was seen", text);
	else
		fprintf(text, "%llu free%s not seen, %s %% were%s", missed,
			missed == 1 ? " was" : "s were", coverage,
			table_column(t, "confirmed_bytes") < 0 ? "" :
			" (-o +confirmed_bytes: without those call sites)");
}

static void put_note(FILE *text, const struct table *t)
{
	if (!t->note)
		return;
	put_break(text);
	fputs(t->note, text);
}

/* Return: what identifies a row: the label, or without one the last column of the module's. */
static const char *name_of_rows(const struct table *t)
{
	int column = t->nr_values;

	while (!t->columns[column].name || t->columns[column].computed)
		column--;
	return t->columns[column].name;
}

/* Explain estimates, and say how large a row without samples, which is not listed, may be. */
static void put_accuracy(FILE *text, const struct table *t, bool exact)
{
	const char *label = name_of_rows(t);
	char size[NUMBER_LEN];

	put_break(text);
	print_bytes(size, estimate_unsampled(t), exact);
	fprintf(text,
		"~ estimate, low..high its 95 %% interval; a %s without samples %s at most %s%s",
		strcmp(label, "site") ? label : "call site", is_change(t) ? "allocated" : "has",
		size, is_change(t) ? "" : " live");
}

/* Return: the sentence, which the caller frees; "" if the head has no counts. */
static char *make_sentence(const struct table *t, bool estimates, bool exact)
{
	char *sentence = NULL;
	size_t len;
	FILE *text = open_memstream(&sentence, &len);

	if (!text)
		return alloc_copy("");
	if (is_change(t))
		put_note(text, t);
	if (table_field(t, "since"))
		put_exactness(text, t, exact);
	if (!is_change(t)) {
		put_frees(text, t);
		put_note(text, t);
	}
	if (estimates)
		put_accuracy(text, t, exact);
	fclose(text);
	return sentence;
}

/* ---- losses --------------------------------------------------------------- */

__printf(3, 4) static void line(FILE *out, int screen, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	comment_print(out, text, screen);
}

/* What to do about each of the module's tables that can be full. */
static const struct {
	const char *name;
	const char *advice;
} full[] = {
	{ "live", "objects were dropped: larger live_max, or kmemacct set sample_bytes 512K" },
	{ "sites", "call sites are counted in [other]: load the module with a larger sites_max" },
	{ "stacks", "samples have no stack: load the module with a larger sites_max" },
	{ "caches", "objects were dropped: unload and load the module" },
	{ "page_sites", "sites of pages are counted in [other]: load with a larger sites_max" },
	{ "page_classes", "pages were dropped: the kernel log says what to do" },
	{ "keys", "rows are counted in [other]: the kernel log says what to do" },
};

static void print_full(FILE *out, const struct table *t, int screen)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(full); i++)
		if (words_has(table_field(t, "full"), full[i].name))
			line(out, screen, "the module's table `%s` is full: %s", full[i].name,
			     full[i].advice);
}

static void print_dropped(FILE *out, const struct table *t, int screen)
{
	u64 dropped = table_number(t, "dropped"), lost = table_number(t, "lost");
	u64 other = table_number(t, "other"), off = table_number(t, "off");

	if (off)
		line(out, screen,
		     "%llu allocation%s made while recording was off, and %s missing in what is live",
		     off, off == 1 ? " was" : "s were", off == 1 ? "is" : "are");
	if (dropped)
		line(out, screen,
		     "%llu allocation%s not recorded, and missing in what is live: kmemacct stats says why",
		     dropped, dropped == 1 ? " is" : "s are");
	if (lost)
		line(out, screen, "%llu phase%s not counted: kmemacct stats says why", lost,
		     lost == 1 ? " is" : "s are");
	if (other)
		line(out, screen, "%llu event%s counted in [other]: too many different rows",
		     other, other == 1 ? " is" : "s are");
}

static bool has_live(const struct table *t)
{
	int i;

	for (i = 0; t->columns && i < t->nr_values; i++)
		if (!strncmp(t->columns[i].name, "live_", 5))
			return true;
	return !t->columns;
}

/* Warn that a filter keeps, or kept, allocations out of the numbers. */
static void print_filter(FILE *out, const struct table *t, int screen)
{
	const char *filter = table_field(t, "filter"), *live = table_field(t, "live_filter");
	const char *now = table_field(t, "filter_now");
	const bool is_set = !now || strcmp(now, "none");

	if (t->own_filter)
		return;
	if (filter && strcmp(filter, "none") && is_set)
		line(out, screen,
		     "filter: %.400s: other allocations are not counted: kmemacct set filter off, then kmemacct reset",
		     now ? now : filter);
	else if (filter && strcmp(filter, "none"))
		line(out, screen,
		     "filter: %.400s, for a part of the time: other allocations were not counted then: kmemacct reset begins anew",
		     filter);
	if (live && has_live(t))
		line(out, screen,
		     "filter: %.400s, earlier: what did not match then is missing in what is live: load the module again to count all",
		     live);
}

static void print_module(FILE *out, const struct table *t, int screen)
{
	u64 cut = table_number(t, "cut");

	if (cut)
		line(out, screen,
		     "%llu row%s missing: the table grew while it was copied: read it again", cut,
		     cut == 1 ? " is" : "s are");
	if (is_field(t, "order", "late"))
		line(out, screen,
		     "a few frees of kmem_cache objects are not seen: this kernel traces them late");
	if (is_field(t, "cache_size", "object"))
		line(out, screen,
		     "struct kmem_cache is not known: no names of caches, and sizes as asked for");
	if (is_field(t, "pages", "classes") && table_column(t, "site") >= 0)
		line(out, screen, "pages are tracked without call sites: kmemacct set pages sites");
}

void state_print_losses(FILE *out, const struct table *t, int screen)
{
	print_dropped(out, t, screen);
	print_full(out, t, screen);
	print_filter(out, t, screen);
	print_module(out, t, screen);
}

void state_print(FILE *out, const struct table *t, const struct state_look *look)
{
	char *sentence = make_sentence(t, look->estimates, look->exact);
	const int screen = look->screen;

	if (look->name && !is_change(t))
		line(out, screen, "%s: %s", look->name, sentence);
	else if (*sentence)
		comment_print(out, sentence, screen);
	free(sentence);
	if (look->off)
		line(out, screen, "recording is off, only frees are followed: kmemacct on");
	state_print_losses(out, t, screen);
}

void state_print_fields(FILE *out, const struct table *t, int screen)
{
	char *fields = NULL;
	size_t len;
	FILE *text = open_memstream(&fields, &len);
	int i;

	if (!text)
		return;
	fprintf(text, "%s:", t->name);
	for (i = 0; i < t->nr_fields; i++)
		fprintf(text, " %s=%s", t->fields[i].key, t->fields[i].value);
	fclose(text);
	comment_print(out, fields, screen);
	free(fields);
}
