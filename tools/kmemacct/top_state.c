// SPDX-License-Identifier: GPL-2.0
/* The state of a table in words.  See top_state.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "top_state.h"

__printf(2, 3) static void add(char text[TOP_STATE_LEN], const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list args;

	if (len && len + 2 < TOP_STATE_LEN) {
		memcpy(text + len, "; ", 3);
		len += 2;
	}
	va_start(args, fmt);
	vsnprintf(text + len, TOP_STATE_LEN - len, fmt, args);
	va_end(args);
}

/* Test for a table of objects or pages, which can be sampled. */
static bool may_be_sampled(const struct table *t)
{
	return table_field(t, "coverage_pct") || table_field(t, "pages");
}

static void add_mode(char text[TOP_STATE_LEN], const struct table *t, bool estimates)
{
	u64 bytes = table_number(t, "sample_bytes");
	char size[NUMBER_LEN];

	number_print_size(size, bytes, false);
	if (!may_be_sampled(t))
		add(text, "counted");
	else if (bytes)
		add(text, "sampled, one for every %s (~ is an estimate)", size);
	else if (estimates)
		add(text, "exact, except what was sampled before (~ is an estimate)");
	else
		add(text, "exact");
}

/* Return: true if something was lost. */
static bool add_losses(char text[TOP_STATE_LEN], const struct table *t)
{
	static const struct {
		const char *key;
		const char *fmt;
	} losses[] = {
		{ "dropped", "LOST: %llu allocations are not recorded (dropped=)" },
		{ "lost", "LOST: %llu events are not recorded (lost=)" },
		{ "other", "%llu events are in the row [other], because the table is full" },
		{ "cut", "%llu rows are missing, because the table grew meanwhile (cut=)" },
	};
	const char *full = table_field(t, "full");
	bool any = full;
	size_t i;
	u64 nr;

	if (full)
		add(text, "FULL: %s (the kernel log says what to set)", full);
	for (i = 0; i < ARRAY_SIZE(losses); i++) {
		nr = table_number(t, losses[i].key);
		if (nr)
			add(text, losses[i].fmt, nr);
		any |= nr;
	}
	return any;
}

/* Return: true if some allocations are not counted. */
static bool add_filter(char text[TOP_STATE_LEN], const struct table *t)
{
	const char *filter = table_field(t, "filter");
	const char *live = table_field(t, "live_filter"), *now = table_field(t, "filter_now");

	if (now && strcmp(now, "none"))
		filter = now;
	if (filter && strcmp(filter, "none"))
		add(text, "FILTER: %s: other allocations %s not counted", filter,
		    filter == now || !now ? "are" : "were");
	else if (live)
		add(text, "FILTER: %s was set: other allocations are missing in what is live",
		    live);
	else
		return false;
	return true;
}

static void add_coverage(char text[TOP_STATE_LEN], const struct table *t)
{
	u64 missed = table_number(t, "replaced") + table_number(t, "page_freed");
	const char *coverage = table_field(t, "coverage_pct");

	if (!coverage)
		return;
	if (missed)
		add(text, "coverage %s %%, missed frees: %llu", coverage, missed);
	else
		add(text, "every known free was seen");
}

static void add_since(char text[TOP_STATE_LEN], const struct table *t)
{
	const char *since = table_field(t, "since"), *window = table_field(t, "window_s");
	char age[NUMBER_LEN];
	u64 ms;

	size_t len = strlen(text);

	if (!since || !window || number_parse_milli(window, &ms))
		return;
	number_print_age(age, ms);
	snprintf(text + len, TOP_STATE_LEN - len, " since %s, %s",
		 !strcmp(since, "on") ? "it was switched on" : since, age);
}

bool top_state_print(const struct top_rows *r, bool estimates, char text[TOP_STATE_LEN])
{
	bool lost;

	*text = '\0';
	lost = add_losses(text, r->now);
	lost |= add_filter(text, r->now);
	add_mode(text, r->now, estimates);
	add_since(text, r->now);
	add_coverage(text, r->now);
	return lost;
}
