// SPDX-License-Identifier: GPL-2.0
/* What is known about the settings of the module.  See setting.h. */
#include <string.h>

#include "../../include/kmemacct_settings.h"
#include "setting.h"
#include "suggest.h"

/* The file's mode of a setting that can only be set at load. */
#define AT_LOAD		0400

/*
 * `control` has a line for each criterion of the filter, and no line for `skip`: that is a table.
 * So these two are commands.
 */
static const struct setting settings[] = {
#define X(name, mode, unit, range, init, help) \
	{ #name, (mode) == AT_LOAD, range, help },
	KMA_SETTINGS(X)
#undef X
#define X(name, range, help) { "filter_" #name, false, range ", or off", help },
	KMA_CRITERIA(X)
#undef X
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
