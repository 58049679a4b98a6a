// SPDX-License-Identifier: GPL-2.0
/*
 * The state of a table in words: how exact it is, since when it counts, and what was lost.
 *
 * If nothing was lost, this is one sentence.  For each kind of loss a line says what it is, how
 * much of it there is, and what to do.  All of this is in the head, except for the bound of objects
 * without a sample.
 */
#include <stdio.h>
#include <string.h>

#include "view.h"

static const char *plural(u64 nr)
{
	return nr == 1 ? " is" : "s are";
}

/* Test for a table of changes, which does not count since the moment in its head. */
bool state_is_change(const struct table *t)
{
	const struct column *c;
	int i;

	for (i = 0; !t->pairs && i < t->nr_values; i++) {
		c = &t->columns[i];
		if (c->change && !c->computed && c->kind != KIND_CHANGE)
			return true;
	}
	return false;
}

/* Test for a table with estimates.  What is counted by process, or timed, is never sampled. */
static bool is_sampled(const struct table *t)
{
	int i;

	for (i = 0; t->sampled && !t->pairs && i < t->nr_values; i++)
		if (t->columns[i].of != NONE || t->columns[i].limits || i == t->at[AT_weight])
			return true;
	return t->pairs && t->sampled;
}

/* Begin another part of the sentence. */
static void put_break(FILE *text)
{
	if (ftell(text) > 0)
		fputs("; ", text);
}

static void put_window(FILE *text, const struct table *t)
{
	const char *window = table_field(t, "window_s"), *taken = table_field(t, "taken");
	char age[NUMBER_LEN];
	u64 ms;

	fprintf(text, " since %s", table_is(t, "since", "reset") ? "the last reset" :
		table_is(t, "since", "on") ? "this was switched on" : "load");
	if (window && !number_parse_milli(window, &ms)) {
		number_print_age(age, ms);
		fprintf(text, ", %s", age);
	}
	/* Tables of a snapshot say when it was taken. */
	if (taken)
		fprintf(text, ", as of %s", taken);
}

static void put_exactness(FILE *text, const struct table *t, unsigned int how)
{
	const u64 every = table_number(t, "sample_bytes");
	const bool sampled = is_sampled(t);
	char size[NUMBER_LEN];

	put_break(text);
	fputs(sampled ? "sampled" : "exact", text);
	if (!state_is_change(t))
		put_window(text, t);
	if (!sampled || !table_field(t, "sample_bytes"))
		return;
	number_print_bytes(size, every, how & STATE_EXACT);
	if (!(how & STATE_EXACT))
		number_print_size(size, every, false);
	if (!every)
		fputs(", but all objects are recorded now", text);
	else if (how & STATE_DETAILS)
		fprintf(text, ", one object for every %s allocated", size);
}

/* Say how many frees were not seen.  Only tables of objects know. */
static void put_frees(FILE *text, const struct table *t, bool options)
{
	const u64 missed = table_number(t, "replaced") + table_number(t, "page_freed");
	const char *coverage = table_field(t, "coverage_pct");

	if (!coverage)
		return;
	put_break(text);
	if (!missed)
		fputs("every known free was seen", text);
	else
		fprintf(text, "%llu free%s not seen, %s %% were%s", missed,
			missed == 1 ? " was" : "s were", coverage,
			t->at[AT_confirmed_bytes] == NONE || !options ? "" :
			" (-o +confirmed_bytes: without those call sites)");
}

static void put_note(FILE *text, const struct view *v, unsigned int how)
{
	if (!v->note || (v->aside && !(how & STATE_DETAILS)))
		return;
	put_break(text);
	fputs(v->note, text);
}

/* Explain estimates, and say how large a row without samples, which is not listed, may be. */
static void put_accuracy(FILE *text, const struct table *t, bool exact)
{
	const bool change = state_is_change(t);
	const u64 bytes = estimate_unsampled(t);
	int column = t->nr_values;
	const char *row;
	char size[NUMBER_LEN];

	/* A row is identified by the label, or without one by the last column of the module's. */
	while (!t->columns[column].name || t->columns[column].computed)
		column--;
	row = t->columns[column].name;
	number_print_rounded(size, bytes, false, ROUND_UP);
	if (exact)
		number_print_bytes(size, bytes, true);
	put_break(text);
	fprintf(text,
		"~ estimate, low..high its 95 %% interval; a %s without samples %s at most %s%s",
		strcmp(row, "site") ? row : "call site", change ? "allocated" : "has",
		size, change ? "" : " live");
}

char *state_sentence(const struct view *v, unsigned int how)
{
	const bool change = state_is_change(v->t);
	char *sentence;
	size_t len;
	FILE *text = text_open(&sentence, &len);

	if (change)
		put_note(text, v, how);
	if (table_field(v->t, "since"))
		put_exactness(text, v->t, how);
	if (!change) {
		put_frees(text, v->t, how & STATE_OPTIONS && !v->t->pairs);
		put_note(text, v, how);
	}
	if (how & STATE_DETAILS && estimate_any(v->t))
		put_accuracy(text, v->t, how & STATE_EXACT);
	text_close(text);
	return sentence;
}

/* ---- losses --------------------------------------------------------------- */

/* The module's tables that can be full, what that means, and what to do. */
static const char * const full[][3] = {
	{ "live", "objects were dropped", "larger live_max, or kmemacct set sample_bytes 512K" },
	{ "sites", "call sites are counted in [other]", "load the module with a larger sites_max" },
	{ "stacks", "samples have no stack", "load the module with a larger sites_max" },
	{ "caches", "objects were dropped", "unload and load the module" },
	{ "page_sites", "sites of pages are counted in [other]", "load with a larger sites_max" },
	{ "page_classes", "pages were dropped", "the kernel log says what to do" },
	{ "keys", "rows are counted in [other]", "the kernel log says what to do" },
};

/* Print what to do, and the end of the line.  For a snapshot, it comes too late. */
static void put_remedy(FILE *out, const struct table *t, const char *remedy)
{
	if (source_is_snapshot(t->source))
		fputc('\n', out);
	else
		fprintf(out, ": %s\n", remedy);
}

static void put_dropped(FILE *out, const struct table *t)
{
	const u64 dropped = table_number(t, "dropped"), lost = table_number(t, "lost");
	const u64 other = table_number(t, "other"), off = table_number(t, "off");
	size_t i;

	if (off)
		fprintf(out,
			"%llu allocation%s made while recording was off, and %s missing in what is live\n",
			off, off == 1 ? " was" : "s were", off == 1 ? "is" : "are");
	if (dropped)
		fprintf(out,
			"%llu allocation%s not recorded, and missing in what is live: kmemacct stats says why\n",
			dropped, plural(dropped));
	if (lost)
		fprintf(out, "%llu phase%s not counted: kmemacct stats says why\n", lost,
			plural(lost));
	if (other)
		fprintf(out, "%llu event%s counted in [other]: too many different rows\n", other,
			plural(other));
	for (i = 0; i < ARRAY_SIZE(full); i++) {
		if (!text_lists(table_field(t, "full"), full[i][0]))
			continue;
		fprintf(out, "the module's table `%s` is full: %s", full[i][0], full[i][1]);
		put_remedy(out, t, full[i][2]);
	}
}

static bool has_live(const struct table *t)
{
	int i;

	for (i = 0; !t->pairs && i < t->nr_values; i++)
		if (text_begins(t->columns[i].name, "live_"))
			return true;
	return t->pairs;
}

/* Warn that a filter keeps, or kept, allocations out of the numbers. */
static void put_filter(FILE *out, const struct table *t)
{
	const char *filter = table_field(t, "filter"), *live = table_field(t, "live_filter");
	const char *now = table_field(t, "filter_now");
	const bool is_set = !now || strcmp(now, "none");

	if (filter && strcmp(filter, "none") && is_set) {
		fprintf(out, "filter: %.400s: other allocations are not counted", now ?: filter);
		put_remedy(out, t, "kmemacct set filter off, then kmemacct reset");
	} else if (filter && strcmp(filter, "none")) {
		fprintf(out,
			"filter: %.400s, for a part of the time: other allocations were not counted then",
			filter);
		put_remedy(out, t, "kmemacct reset begins anew");
	}
	if (live && has_live(t)) {
		fprintf(out,
			"filter: %.400s, earlier: live objects that did not match it are missing",
			live);
		put_remedy(out, t, "load the module again to count all");
	}
}

char *state_losses(const struct view *v)
{
	const struct table *t = v->t;
	const u64 cut = table_number(t, "cut");
	char *text;
	size_t len;
	FILE *out = text_open(&text, &len);

	put_dropped(out, t);
	put_filter(out, t);
	if (cut && source_is_incident(t->source)) {
		fprintf(out, "%llu row%s missing, also in sums: %s\n", cut, plural(cut),
			"an incident has the most important ones");
	} else if (cut) {
		fprintf(out, "%llu row%s missing: the table grew while it was copied", cut,
			plural(cut));
		put_remedy(out, t, "read it again");
	}
	if (table_is(t, "order", "late"))
		fprintf(out, "%s\n",
			"a few frees of kmem_cache objects are not seen: this kernel traces them late");
	if (table_is(t, "cache_size", "object"))
		fprintf(out, "%s\n",
			"struct kmem_cache is not known: caches have no names, and sizes are object sizes");
	if (table_is(t, "pages", "classes") && t->at[AT_site] != NONE) {
		fputs("pages are tracked without call sites", out);
		put_remedy(out, t, "kmemacct set pages sites");
	}
	text_close(out);
	return text;
}
