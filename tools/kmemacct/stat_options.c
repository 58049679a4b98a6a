// SPDX-License-Identifier: GPL-2.0
/* The options of `kmemacct stat`.  See the overview in stat_options.h. */
#include "error.h"
#include "options.h"
#include "stat_options.h"

void stat_options_flag(struct stat_options *o, u64 option)
{
	switch (option) {
	case OPTION_CALLER:
		o->caller = o->alloc + 1;
		break;
	case OPTION_ALLOC:
		o->alloc = o->caller + 1;
		break;
	case OPTION_SLAB:
		o->slab = o->page + 1;
		break;
	case OPTION_PAGE:
		o->page = o->slab + 1;
		break;
	case OPTION_LIVE:
		o->live = true;
		break;
	}
}

/* Without --caller and --alloc, options apply to --alloc, as in perf kmem. */
static bool last_is_caller(const struct stat_options *o)
{
	return o->caller > o->alloc;
}

void stat_options_lines(struct stat_options *o, u64 lines)
{
	if (last_is_caller(o))
		o->caller_lines = lines;
	else
		o->alloc_lines = lines;
}

static enum stat_table last_table(const struct stat_options *o)
{
	if (o->page > o->slab)
		return last_is_caller(o) ? STAT_PAGE_CALLER : STAT_PAGE_ALLOC;
	return last_is_caller(o) ? STAT_SLAB_CALLER : STAT_SLAB_ALLOC;
}

int stat_options_sort(struct stat_options *o, const char *keys)
{
	const char **to = o->keys[last_table(o)];
	int i = 0;

	while (to[i])
		i++;
	if (i == STAT_SORTS - 1)
		return fail("-s is given too often: separate the keys by commas");
	to[i] = keys;
	return 0;
}

bool stat_options_page(const struct stat_options *o)
{
	return o->page;
}

bool stat_options_slab(const struct stat_options *o)
{
	return o->slab || !o->page;
}

u64 stat_options_limit(const struct stat_options *o, enum stat_table which)
{
	return which == STAT_SLAB_CALLER || which == STAT_PAGE_CALLER ? o->caller_lines :
									 o->alloc_lines;
}
