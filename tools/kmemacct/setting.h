/* SPDX-License-Identifier: GPL-2.0 */
/* What is known about the settings of the module: the lists of kmemacct_settings.h. */
#ifndef SETTING_H
#define SETTING_H

#include "base.h"

/**
 * struct setting - a setting
 * @name: its name in `control`
 * @at_load: it can only be set when the module is loaded
 * @range: its values, in words; NULL if they are not listed
 * @help: what it does
 */
struct setting {
	const char *name;
	bool at_load;
	const char *range;
	const char *help;
};

/*
 * Find a setting, whose name may have dashes for underscores.
 * Return: the setting, or NULL if it is not known, as those of a newer module are not.
 */
const struct setting *setting_find(const char *name);

/* Return: the name of setting number @nr of those that are known; NULL: no more. */
const char *setting_name(int nr);

#endif /* SETTING_H */
