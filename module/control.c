// SPDX-License-Identifier: GPL-2.0
/* The file `control`.  See control.h. */
#include <linux/capability.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringify.h>
#include <linux/uaccess.h>

#include "baseline.h"
#include "control.h"
#include "error.h"
#include "incidents.h"
#include "match/caller.h"
#include "match/filter.h"
#include "match/skip.h"
#include "recycling.h"
#include "setting.h"
#include "state.h"
#include "trace/acct_track.h"

/* ---- access ---------------------------------------------------------------- */

static bool kma_control_allowed(const struct file *file)
{
	return file->f_mode & FMODE_WRITE ? capable(CAP_SYS_ADMIN) : perfmon_capable();
}

static int kma_refuse_write(const char *why)
{
	int ret;

	kma_lock_take(KMA_LOCK_COMMAND);
	ret = kma_refuse("%s", why);
	kma_lock_release();
	return ret;
}

/* ---- what is gone ---------------------------------------------------------- */

/*
 * Up to format 7, the command `sort` set the order of a file, and the file `query` showed a part of
 * a table.  This version refuses both, and says what to use.  The next version removes this
 * section, the call of kma_refuse_sort(), and the file `query`.
 */

static int kma_refuse_sort(void)
{
	return kma_refuse("sort is gone: files have one order; use kmemacct TABLE -s KEY");
}

static int kma_query_open(struct inode *inode, struct file *file)
{
	return kma_control_allowed(file) ? 0 : -EPERM;
}

static ssize_t kma_query_read(struct file *file, char __user *user, size_t len, loff_t *pos)
{
	return 0;
}

static ssize_t kma_query_write(struct file *file, const char __user *user, size_t len,
			       loff_t *pos)
{
	return kma_refuse_write("query is gone: use kmemacct TABLE -s KEY -l ROWS");
}

const struct file_operations kma_query_fops = {
	.owner = THIS_MODULE,
	.open = kma_query_open,
	.read = kma_query_read,
	.write = kma_query_write,
};

/* ---- commands -------------------------------------------------------------- */

static int kma_run_reset(char *args)
{
	int ret;

	if (*args)
		return kma_refuse("reset takes no arguments: omit '%s'", args);
	ret = kma_baseline_reset();
	if (ret == -ENOMEM)
		kma_refuse("reset: not enough memory");
	if (!ret) {
		kma_recycling_reset();
		kma_incidents_forget();
	}
	return ret;
}

static int kma_run_skip(char *args)
{
	int ret = kma_skip_run(args);

	if (!ret)
		kma_caller_skips_changed();
	return ret;
}

/*
 * Each setting is a command, too.  The settings `filter` and `skip` have their own functions
 * here, because as commands they change only a part of the setting.
 */
static const struct {
	const char *name;
	int (*run)(char *args);
} kma_commands[] = {
	{ "cgroup_sites", kma_acct_run_cgroups },
	{ "filter", kma_filter_run },
	{ "incident", kma_incidents_run },
	{ "reset", kma_run_reset },
	{ "skip", kma_run_skip },
};

static int kma_run_unknown(const char *name)
{
	char names[256];
	int i, len = 0;

	if (!strcmp(name, "sort"))
		return kma_refuse_sort();
	for (i = 0; i < ARRAY_SIZE(kma_commands); i++)
		len += scnprintf(names + len, sizeof(names) - len, "%s, ",
				 kma_commands[i].name);
	for (i = 0; i < KMA_SETTING_NR; i++)
		if (kma_settings[i].mode & 0200 && i != KMA_SETTING_filter &&
		    i != KMA_SETTING_skip)
			len += scnprintf(names + len, sizeof(names) - len, "%s, ",
					 kma_settings[i].name);
	return kma_refuse("unknown command '%.20s': use %.*s", name, len - 2, names);
}

static int kma_run_locked(const char *name, char *args)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(kma_commands); i++)
		if (!strcmp(name, kma_commands[i].name))
			return kma_commands[i].run(args);
	for (i = 0; i < KMA_SETTING_NR; i++)
		if (!strcmp(name, kma_settings[i].name) && kma_settings[i].mode & 0200)
			return kma_setting_run(i, args);
	return kma_run_unknown(name);
}

int kma_control_run(char *line)
{
	const char *name;
	char none[] = "";
	char *args;
	bool reset;
	int ret;

	line = kma_strim(line);
	name = strsep(&line, " ");
	args = line ? skip_spaces(line) : none;
	reset = !strcmp(name, "reset");
	/* A sweep takes time in proportion to the live table, so it comes before the lock. */
	if (reset)
		kma_state_sweep();
	kma_lock_take(reset ? KMA_LOCK_RESET : KMA_LOCK_COMMAND);
	ret = kma_run_locked(name, args);
	if (!ret)
		kma_error_clear();
	kma_state_changed();
	kma_lock_release();
	return ret;
}

/* ---- the file -------------------------------------------------------------- */

static void kma_show_setting(struct seq_file *seq, enum kma_setting_nr nr, char *page)
{
	kma_settings[nr].show(page);
	seq_printf(seq, "%s %s", kma_settings[nr].name, page);
}

static int kma_control_show(struct seq_file *seq, void *unused)
{
	char *page = (char *)__get_free_page(GFP_KERNEL);
	int i;

	if (!page)
		return -ENOMEM;
	kma_lock_take(KMA_LOCK_COMMAND);
	for (i = 0; i < KMA_SETTING_NR; i++)
		/* The filter has a line for each criterion.  `skip` has no line, but a table. */
		if (i == KMA_SETTING_filter)
			kma_filter_show(seq);
		else if (i != KMA_SETTING_skip)
			kma_show_setting(seq, i, page);
	seq_printf(seq, "last_error %s\n", kma_error_last());
	kma_lock_release();
	free_page((unsigned long)page);
	return 0;
}

static int kma_control_open(struct inode *inode, struct file *file)
{
	return kma_control_allowed(file) ? single_open(file, kma_control_show, NULL) : -EPERM;
}

static ssize_t kma_control_write(struct file *file, const char __user *user,
				 size_t len, loff_t *pos)
{
	char *line;
	int ret;

	if (len > KMA_CONTROL_MAX)
		return kma_refuse_write("a command has at most "
					__stringify(KMA_CONTROL_MAX) " bytes");
	line = memdup_user_nul(user, len);
	if (IS_ERR(line))
		return PTR_ERR(line);
	if (strlen(line) == len)
		ret = kma_control_run(line);
	else
		ret = kma_refuse_write("a command must not contain a NUL");
	kfree(line);
	return ret ?: len;
}

const struct file_operations kma_control_fops = {
	.owner = THIS_MODULE,
	.open = kma_control_open,
	.read = seq_read,
	.write = kma_control_write,
	.llseek = seq_lseek,
	.release = single_release,
};
