/* SPDX-License-Identifier: GPL-2.0 */
/* The file `run` of a test module: a write names a scenario, and returns when that is done. */
#ifndef KMA_TRUTH_RUN_H
#define KMA_TRUTH_RUN_H

#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/uaccess.h>

/**
 * struct truth_scenario - a row of the module's table of scenarios
 * @name: what is written to `run`, at most 15 characters
 * @run: runs the scenario; returns 0 or an error
 */
struct truth_scenario {
	const char *name;
	int (*run)(void);
};

/**
 * truth_run() - run the scenario that a write to `run` names
 * @scenarios: the table
 * @nr: number of its rows
 * @lock: held while the scenario runs
 * @user: the name, as written
 * @len: its length in bytes
 *
 * Context: process, may sleep.
 * Return: @len, -EINVAL if there is no such scenario, or the scenario's error.
 */
static inline ssize_t truth_run(const struct truth_scenario *scenarios, unsigned int nr,
				struct mutex *lock, const char __user *user, size_t len)
{
	const struct truth_scenario *s;
	char name[16] = "";
	int ret = -EINVAL;

	if (len >= sizeof(name) || copy_from_user(name, user, len))
		return -EINVAL;
	mutex_lock(lock);
	for (s = scenarios; s < scenarios + nr; s++)
		if (!strcmp(strim(name), s->name))
			ret = s->run();
	mutex_unlock(lock);
	return ret ?: len;
}

#endif /* KMA_TRUTH_RUN_H */
