// SPDX-License-Identifier: GPL-2.0
/* What the texts of objects and of pages have in common.  See the overview in stat_text.h. */
#include <string.h>

#include "comment.h"
#include "estimate.h"
#include "stat_text.h"

/* Length of the lines of dashes. */
#define LINE	105

void stat_text_line(const struct stat_text *text, int more)
{
	int i, len = LINE + more;

	if (text->screen && len > text->screen)
		len = text->screen;
	for (i = 0; i < len; i++)
		fputc('-', text->out);
	fputc('\n', text->out);
}

void stat_text_site(char buf[STAT_SITE_LEN], const char *label)
{
	const char *offset = strstr(label, "+0x");

	if (offset)
		snprintf(buf, STAT_SITE_LEN, "%.*s+%s", (int)(offset - label), label,
			 offset + strlen("+0x"));
	else
		snprintf(buf, STAT_SITE_LEN, "%s", label);
}

const char *stat_text_mark(const struct table *t, const struct row *row, int column)
{
	return estimate_is_rough(t, row, column) ? "~" : "";
}

bool stat_text_estimated(const struct table *t, int column)
{
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		if (*stat_text_mark(t, t->rows[i], column))
			return true;
	return false;
}

void stat_text_interval(const struct stat_text *text, const struct table *t,
			const struct row *row, int column)
{
	struct interval i;

	if (!*stat_text_mark(t, row, column)) {
		fputs(" | -", text->out);
		return;
	}
	i = estimate_interval(t, row, column);
	fprintf(text->out, " | %lld..%lld", (s64)i.low, (s64)i.high);
}

void stat_text_star(const struct stat_text *text, const char * const *items, size_t nr)
{
	char buf[384] = "* includes what perf kmem does not count: ";
	const size_t empty = strlen(buf);
	size_t i, len;

	for (i = 0; i < nr; i++) {
		len = strlen(buf);
		if (*items[i])
			snprintf(buf + len, sizeof(buf) - len, "%s%s", len > empty ? "; " : "",
				 items[i]);
	}
	if (buf[empty])
		comment_print(text->out, buf, text->screen);
}

void stat_text_legend(const struct stat_text *text)
{
	comment_print(text->out,
		      "~ estimate, low..high the 95 % interval of the allocated memory",
		      text->screen);
}
