// SPDX-License-Identifier: GPL-2.0
/* What is known about the settings of the module.  See setting.h. */
#include <string.h>

#include "setting.h"
#include "suggest.h"

/* module/setting.h has the list KMA_SETTINGS, and declarations that only need this type. */
typedef unsigned short umode_t;
#include "../../module/setting.h"

/* The file's mode of a setting that can only be set at load. */
#define AT_LOAD		0400

/*
 * `control` has a line for each criterion of the filter, and no line for `skip`: that is a table.
 * So these two are commands.
 */
static const struct setting settings[] = {
#define X(name, mode, unit, range, init, parse, set, show, help) \
	{ #name, (mode) == AT_LOAD, range, help },
	KMA_SETTINGS(X)
#undef X
	{ "filter_tgid", false, "a PID or off", "record only allocations of this process" },
	{ "filter_comm", false, "a pattern or off", "record only those of threads of this name" },
	{ "filter_cgroup", false, "a path or off",
	  "record only those of this cgroup and those below it" },
	{ "filter_order", false, "N, N-M or off", "record only page allocations of these orders" },
	{ "filter_node", false, "a number or off", "record only memory of this NUMA node" },
	{ "filter_gfp", false, "a number, names or off",
	  "record only allocations with all of these gfp flags" },
	{ "filter_size", false, "N, N-M or off", "record only allocations of this size in bytes" },
	{ "filter_module", false, "a name, kernel or off",
	  "record only allocations by this module's code" },
};

const struct setting *setting_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(settings); i++)
		if (suggest_is(settings[i].name, name))
			return &settings[i];
	return NULL;
}

const char *setting_name(int nr)
{
	return nr < (int)ARRAY_SIZE(settings) ? settings[nr].name : NULL;
}
