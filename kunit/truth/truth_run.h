/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file `run` of a test module: a write names a scenario, and returns when that is done.
 * The module creates it with truth_run_fops, and its table of scenarios as the data.
 */
#ifndef KMA_TRUTH_RUN_H
#define KMA_TRUTH_RUN_H

#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/uaccess.h>

/**
 * struct truth_scenario - a row of the module's table of scenarios, which an empty row ends
 * @name: what is written to `run`, at most 15 characters
 * @run: runs the scenario, with truth_lock held; returns 0 or an error
 */
struct truth_scenario {
	const char *name;
	int (*run)(void);
};

/* The module defines this lock: it serializes scenarios, and protects the data that they change. */
extern struct mutex truth_lock;

/* Run the scenario.  Return: @len, -EINVAL if there is no such scenario, or its error. */
static ssize_t truth_run_write(struct file *file, const char __user *user, size_t len, loff_t *pos)
{
	const struct truth_scenario *s = file_inode(file)->i_private;
	char name[16] = "";
	int ret = -EINVAL;

	if (len >= sizeof(name) || copy_from_user(name, user, len))
		return -EINVAL;
	mutex_lock(&truth_lock);
	for (; s->name; s++)
		if (!strcmp(strim(name), s->name))
			ret = s->run();
	mutex_unlock(&truth_lock);
	return ret ?: len;
}

static const struct file_operations __maybe_unused truth_run_fops = {
	.owner = THIS_MODULE,
	.open = nonseekable_open,
	.write = truth_run_write,
};

#endif /* KMA_TRUTH_RUN_H */
