/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Settings of the module that kmemacct top changes while a view is open.
 *
 * A setting is switched on only if it is off, and switched back only if it still has the value
 * that it was given: what others have set meanwhile stays.  Of a list, only the name that was
 * added is removed.
 */
#ifndef TOP_SETTING_H
#define TOP_SETTING_H

#include "table.h"
#include "top_view.h"

/* Size of the value of a setting, with its NUL: a command of the module has to hold it. */
#define TOP_SETTING_LEN	(KMA_CONTROL_MAX + 1)

/**
 * struct top_setting - a setting that was changed
 * @need: what it was changed for; NULL: nothing is changed
 * @before: its value before that
 * @set: its value after that, as the module prints it
 */
struct top_setting {
	const struct top_need *need;
	char before[TOP_SETTING_LEN];
	char set[TOP_SETTING_LEN];
};

/* Test whether the table of a view lacks rows because a setting is off.  Heads have settings. */
bool top_setting_is_off(const struct top_view *view, const struct table *t);

/*
 * Switch on what a view needs.
 * Return: 0, or -1 after calling fail().
 */
int top_setting_on(struct top_setting *s, const struct top_need *need);

/*
 * Switch back what was switched on, if anything was.
 * Return: 0, or -1 after calling fail().
 */
int top_setting_off(struct top_setting *s);

/* Test whether two views need the same setting, so that it stays on between them. */
bool top_setting_is_same(const struct top_need *a, const struct top_need *b);

#endif /* TOP_SETTING_H */
