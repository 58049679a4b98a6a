// SPDX-License-Identifier: GPL-2.0
/* kmemacct stat [-- COMMAND].  See stat.h. */
#include <locale.h>
#include <stdio.h>

#include "error.h"
#include "kallsyms.h"
#include "run.h"
#include "show.h"
#include "stat.h"
#include "stat_json.h"
#include "stat_sort.h"
#include "stat_tables.h"
#include "stat_text.h"

static int check(const struct options *o, bool command)
{
	if (o->stat.live && !stat_options_page(&o->stat))
		return fail("--live is about pages: add --page");
	if (o->stat.live && command)
		return fail("--live shows all pages that are live now: omit it, or the command");
	return stat_sort_check(&o->stat);
}

static int measure(struct stat_tables *s, const struct stat_options *o, char **command,
		   int *status)
{
	struct stat_tables before = {};
	u64 elapsed_ms;
	int ret = -1;

	if (!stat_tables_begin(&before, o) && !run_alone(command, &elapsed_ms, status) &&
	    !stat_tables_read(s, o))
		ret = stat_tables_subtract(s, &before, elapsed_ms);
	stat_tables_free(&before);
	return ret;
}

static int replace_sites(struct stat_tables *s)
{
	int i;

	for (i = 0; i < STAT_TABLES; i++)
		if (s->table[i] && kallsyms_replace(s->table[i]))
			return -1;
	return 0;
}

/* perf kmem groups digits as the locale does, and so do its numbers here. */
static void print(const struct stat_tables *s, const struct options *options)
{
	const struct stat_options *o = &options->stat;
	struct stat_text text = {
		.out = stdout, .s = s, .o = o, .look = show_look(options),
		.screen = print_screen(),
	};

	text.look.named = true;
	setlocale(LC_NUMERIC, "");
	if (stat_options_slab(o))
		stat_text_slab(&text);
	if (stat_options_slab(o) && stat_options_page(o))
		putchar('\n');
	if (stat_options_page(o))
		stat_text_page(&text);
}

static int show_tables(struct stat_tables *s, const struct options *o)
{
	stat_tables_sum(s);
	stat_tables_cut(s);
	if (stat_sort(s, &o->stat))
		return -1;
	if (o->given & OPTION_RAW_IP && replace_sites(s))
		return -1;
	if (o->given & OPTION_JSON)
		stat_json(stdout, s, &o->stat);
	else
		print(s, o);
	return 0;
}

int stat_command(const struct options *o, char **command, int *status)
{
	struct stat_tables s = {};
	int ret;

	*status = 0;
	ret = check(o, *command);
	if (!ret)
		ret = *command ? measure(&s, &o->stat, command, status) :
				 stat_tables_read(&s, &o->stat);
	if (!ret)
		ret = show_tables(&s, o);
	stat_tables_free(&s);
	return ret;
}
