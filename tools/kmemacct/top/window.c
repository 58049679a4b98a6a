// SPDX-License-Identifier: GPL-2.0
/*
 * The window of time whose growth a view of kmemacct top shows: one of those that the module keeps
 * a history of, the time since the last refresh, or since a mark.
 */
#include <stdio.h>
#include <stdlib.h>

#include "top.h"

bool top_window_is_shown(const struct top_view *view)
{
	const struct top_spec *s = view->specs;

	while (s->key && s->kind != TOP_GROWTH)
		s++;
	return s->key;
}

const char *top_window_column(enum top_window window)
{
	static const char * const columns[TOP_NR_WINDOWS] = {
		[TOP_1M] = "change_1m", [TOP_10M] = "change_10m", [TOP_1H] = "change_1h",
	};

	return columns[window];
}

/* Return: the true length of a window of the module, in seconds; 0: it is not known yet. */
static u64 length_of(const struct table *t, enum top_window window)
{
	char *key = alloc_print("%s_s", top_window_column(window));
	const u64 length = table_number(t, key);

	free(key);
	return length;
}

bool top_window_has_history(const struct top_page *p)
{
	return table_column(p->rows->now, top_window_column(TOP_1M)) != NONE;
}

enum top_window top_window_of(const struct top_page *p)
{
	if (p->rows->mark)
		return TOP_MARK;
	if (!top_window_has_history(p))
		return TOP_REFRESH;
	if (p->chosen != TOP_USUAL)
		return p->chosen;
	return length_of(p->rows->now, TOP_1M) ? TOP_1M : TOP_REFRESH;
}

void top_window_print(FILE *out, const struct top_page *p, const char *growth, const char *title)
{
	char time[NUMBER_LEN];

	if (p->window == TOP_REFRESH) {
		if (p->rows->elapsed_ms)
			fprintf(out, ", %s %s", growth, title);
	} else if (p->window == TOP_MARK) {
		number_print_age(time, p->rows->marked_ms);
		fprintf(out, ", %s since the mark %s ago", growth, time);
	} else if (length_of(p->rows->now, p->window)) {
		number_print_age(time, length_of(p->rows->now, p->window) * 1000);
		fprintf(out, ", %s in %s", growth, time);
	} else {
		fprintf(out, ", no history of %s yet", title);
	}
}
