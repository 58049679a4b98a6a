// SPDX-License-Identifier: GPL-2.0
/* Tables on standard output, as the options say.  See show.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "files.h"
#include "gfp.h"
#include "json.h"
#include "kallsyms.h"
#include "latency.h"
#include "print.h"
#include "show.h"
#include "sort.h"

void show_cut(struct table *t, const struct options *o)
{
	if (!(o->given & OPTION_LINES) || t->nr_rows <= o->lines)
		return;
	t->left_out = t->nr_rows - o->lines;
	t->nr_rows = o->lines;
}

/*
 * Decode the column gfp, unless --raw-gfp is given: text output has codes instead of the
 * numbers, JSON has the numbers and a list of names.
 */
static int name_flags(struct table *t, const struct options *o)
{
	struct table *flags;

	if (o->given & OPTION_RAW_GFP || table_column(t, "gfp") < 0)
		return 0;
	flags = files_table("gfp_flags");
	if (!flags)
		return -1;
	t->gfp = gfp_new(flags);
	if (!(o->given & OPTION_JSON))
		gfp_shorten(t);
	return 0;
}

static int sort_and_cut(struct table *t, const struct options *o, const char *keys,
			struct sort *sort)
{
	if (o->sort)
		keys = o->sort;
	if (keys && sort_parse(sort, t, keys))
		return -1;
	sort_rows(t, sort);
	show_cut(t, o);
	return 0;
}

int show(struct table *t, const struct options *o, const char *keys)
{
	struct sort sort = {};
	int ret = -1;

	if (!t)
		return -1;
	if (sort_and_cut(t, o, keys, &sort))
		goto out;
	if (o->given & OPTION_RAW_IP && kallsyms_replace(t))
		goto out;
	if (name_flags(t, o))
		goto out;
	ret = 0;
	if (o->given & OPTION_JSON)
		ret = json_table(stdout, t);
	else
		print_table(stdout, t, &sort, print_screen(),
			    o->given & OPTION_EXACT);
out:
	table_free(t);
	return ret;
}

int show_histograms(struct table *t, const struct options *o, const char *keys)
{
	struct sort sort = {};
	int ret = sort_and_cut(t, o, keys, &sort);

	if (!ret) {
		print_table_head(stdout, t, print_screen());
		latency_histograms(stdout, t, print_screen(), o->given & OPTION_EXACT);
	}
	table_free(t);
	return ret;
}

int show_finish(void)
{
	if (!ferror(stdout) && !fflush(stdout))
		return 0;
	return fail("cannot write the output: %s", strerror(errno));
}
