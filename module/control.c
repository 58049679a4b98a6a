// SPDX-License-Identifier: GPL-2.0
/* The settings, and the file `control`.  See control.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/log2.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringify.h>
#include <linux/uaccess.h>

#include "baseline.h"
#include "control.h"
#include "countmaps.h"
#include "error.h"
#include "match/filter.h"
#include "match/page_caller.h"
#include "match/skip.h"
#include "overhead.h"
#include "report/seqtab.h"
#include "report/tables.h"
#include "resolve/cacheinfo.h"
#include "sampling.h"
#include "state.h"
#include "trace/acct_track.h"
#include "trace/page_track.h"
#include "trace/slab.h"

/* ---- the commands --------------------------------------------------------- */

static void kma_enable_locked(bool on)
{
	lockdep_assert_held(&kma_lock);
	kma_slab_record(on);
	kma_pages_record(on);
	WRITE_ONCE(kma_countmaps_on, on);
}

static int kma_run_enabled(char *args)
{
	if (strcmp(args, "0") && strcmp(args, "1"))
		return kma_refuse("enabled takes 0 or 1, not '%s'", args);
	kma_enable_locked(*args == '1');
	return 0;
}

static int kma_sample_locked(u64 bytes)
{
	lockdep_assert_held(&kma_lock);
	if (bytes && !kma_cacheinfo_has_bytes())
		return -EOPNOTSUPP;
	/* The cost before is no evidence of the cost from now on. */
	if (kma_sampling_set(bytes) && bytes)
		kma_overhead_sampling(ilog2(bytes));
	return 0;
}

static int kma_run_sample_bytes(char *args)
{
	u64 bytes;
	int ret;

	if (kma_sampling_parse(args, &bytes))
		return kma_refuse("sample_bytes takes 0 or a power of two from 4K to 64M, not '%s'",
				  args);
	ret = kma_sample_locked(bytes);
	if (ret)
		kma_refuse("sample_bytes: struct kmem_cache not understood: only 0 can be set");
	return ret;
}

static int kma_run_budget_pct(char *args)
{
	unsigned int pct;

	if (kstrtouint(args, 10, &pct) || pct > KMA_BUDGET_MAX)
		return kma_refuse("budget_pct takes 0 to 100, not '%s'", args);
	kma_overhead_set_budget(pct);
	return 0;
}

static int kma_pages_locked(enum kma_pages_mode mode)
{
	const bool before = kma_pages_tracked();
	int ret = kma_pages_set(mode);

	if (before && !kma_pages_tracked())
		kma_baseline_forget_pages();
	return ret;
}

static int kma_run_pages(char *args)
{
	int mode = kma_pages_parse(args);
	int ret;

	if (mode < 0)
		return kma_refuse("pages takes off, classes or sites, not '%s'", args);
	ret = kma_pages_locked(mode);
	if (ret)
		kma_refuse("pages %s: %s", args, ret == -ENOMEM ?
			   "not enough memory" : "no tracepoint mm_page_alloc");
	return ret;
}

static int kma_run_page_sample_bytes(char *args)
{
	u64 bytes;

	if (kma_sampling_parse(args, &bytes))
		return kma_refuse("page_sample_bytes takes %s, not '%s'",
				  "0 or a power of two from 4K to 64M", args);
	kma_pages_sample(bytes);
	return 0;
}

static int kma_run_account(char *args)
{
	unsigned long which;
	int ret;

	if (kma_acct_parse(args, &which))
		return kma_refuse("account takes off, or some of %s with commas between them",
				  "tasks, cgroups, comm_sites, comm_syscalls");
	ret = kma_acct_set(which);
	if (ret)
		kma_refuse("account: %s", ret == -ENOMEM ? "not enough memory" :
			   "a tracepoint is missing: see the kernel log");
	return ret;
}

static int kma_run_reset(char *args)
{
	int ret;

	if (*args)
		return kma_refuse("reset takes nothing, not '%s'", args);
	ret = kma_baseline_reset();
	if (ret)
		kma_refuse("reset: not enough memory");
	return ret;
}

static struct kma_table *kma_sortable_table(const char *name)
{
	int i;

	for (i = 0; i < kma_nr_tables; i++)
		if (kma_tables[i]->sort.nr && !strcmp(kma_tables[i]->name, name))
			return kma_tables[i];
	return NULL;
}

static int kma_sort_parse(const struct kma_table *table, char *keys,
			  struct kma_sort *sort)
{
	char *key;
	int column;

	while ((key = strsep(&keys, ","))) {
		column = kma_table_column(table, key);
		/* The order of addresses would tell what %pK hides. */
		if (column < 0 || table->columns[column].format == KMA_FORMAT_PTR)
			return kma_refuse("%s has no sort key '%s'", table->name, key);
		if (sort->nr == KMA_SORT_KEYS)
			return kma_refuse("sort takes at most %d keys", KMA_SORT_KEYS);
		sort->key[sort->nr++] = column;
	}
	return 0;
}

static int kma_run_sort(char *args)
{
	const char *name = strsep(&args, " ");
	struct kma_table *table = kma_sortable_table(name);
	struct kma_sort sort = {};
	int ret;

	if (!table)
		return kma_refuse("no table '%s' to sort", name);
	if (!args)
		return kma_refuse("sort %s by what? sort <table> key[,key...]", name);
	ret = kma_sort_parse(table, args, &sort);
	if (!ret)
		table->sort = sort;
	return ret;
}

static int kma_run_skip(char *args)
{
	int ret = kma_skip_run(args);

	if (!ret)
		kma_page_caller_forget();
	return ret;
}

static const struct {
	const char *name;
	int (*run)(char *args);
} kma_commands[] = {
	{ "budget_pct", kma_run_budget_pct },
	{ "account", kma_run_account },
	{ "enabled", kma_run_enabled },
	{ "filter", kma_filter_run },
	{ "page_sample_bytes", kma_run_page_sample_bytes },
	{ "pages", kma_run_pages },
	{ "reset", kma_run_reset },
	{ "sample_bytes", kma_run_sample_bytes },
	{ "skip", kma_run_skip },
	{ "sort", kma_run_sort },
};

static int kma_run_locked(char *line)
{
	const char *name;
	char none[] = "";
	int i;

	line = strim(line);
	name = strsep(&line, " ");
	for (i = 0; i < ARRAY_SIZE(kma_commands); i++)
		if (!strcmp(name, kma_commands[i].name))
			return kma_commands[i].run(line ? skip_spaces(line) : none);
	return kma_refuse("unknown command '%s': use %s", name,
			  "account, budget_pct, enabled, filter, page_sample_bytes, pages, reset, sample_bytes, skip or sort");
}

int kma_control_run(char *line)
{
	int ret;

	mutex_lock(&kma_lock);
	ret = kma_run_locked(line);
	if (!ret)
		kma_error_clear();
	mutex_unlock(&kma_lock);
	return ret;
}

void kma_control_enable(bool on)
{
	mutex_lock(&kma_lock);
	kma_enable_locked(on);
	mutex_unlock(&kma_lock);
}

void kma_control_budget(unsigned int pct)
{
	mutex_lock(&kma_lock);
	kma_overhead_set_budget(pct);
	mutex_unlock(&kma_lock);
}

int kma_control_sample(u64 bytes)
{
	int ret;

	mutex_lock(&kma_lock);
	ret = kma_sample_locked(bytes);
	mutex_unlock(&kma_lock);
	return ret;
}

int kma_control_pages(enum kma_pages_mode mode)
{
	int ret;

	mutex_lock(&kma_lock);
	ret = kma_pages_locked(mode);
	mutex_unlock(&kma_lock);
	return ret;
}

int kma_control_account(unsigned long which)
{
	int ret;

	mutex_lock(&kma_lock);
	ret = kma_acct_set(which);
	mutex_unlock(&kma_lock);
	return ret;
}

void kma_control_page_sample(u64 bytes)
{
	mutex_lock(&kma_lock);
	kma_pages_sample(bytes);
	mutex_unlock(&kma_lock);
}

bool kma_control_enabled(void)
{
	return kma_slab_recording();
}

/* A parameter is all there is to set.  Who writes it may not be able to read why not. */
static int kma_set_locked(int (*set)(char *text), const char *text)
{
	char *copy = kstrdup(text ?: "", GFP_KERNEL);
	int ret;

	if (!copy)
		return -ENOMEM;
	ret = set(copy);
	if (ret)
		pr_err("%s\n", kma_error_last());
	kfree(copy);
	return ret;
}

static int kma_skip_locked(char *text)
{
	int ret = kma_skip_set(text);

	if (!ret)
		kma_page_caller_forget();
	return ret;
}

static int kma_control_set(int (*set)(char *text), const char *text)
{
	int ret;

	mutex_lock(&kma_lock);
	ret = kma_set_locked(set, text);
	mutex_unlock(&kma_lock);
	return ret;
}

int kma_control_filter(const char *text)
{
	return kma_control_set(kma_filter_set, text);
}

int kma_control_skip(const char *text)
{
	return kma_control_set(kma_skip_locked, text);
}

static int kma_control_text(int (*print)(char *page), char *page)
{
	int len;

	mutex_lock(&kma_lock);
	len = print(page);
	mutex_unlock(&kma_lock);
	return len;
}

int kma_control_filter_text(char *page)
{
	return kma_control_text(kma_filter_text, page);
}

int kma_control_skip_text(char *page)
{
	return kma_control_text(kma_skip_text, page);
}

/* Probes have other modes while a filter is set. */
static void kma_control_filter_changed(void)
{
	const bool on = kma_slab_recording();

	kma_slab_record(on);
	kma_pages_record(on);
}

int kma_control_start(void)
{
	int ret;

	kma_filter_start(kma_control_filter_changed);
	mutex_lock(&kma_lock);
	kma_error_clear();
	kma_baseline_start();
	ret = kma_set_locked(kma_skip_set, kma_config.skip) ?:
	      kma_set_locked(kma_filter_set, kma_config.filter);
	if (ret)
		goto out;
	kma_overhead_set_budget(kma_config.budget_pct);
	kma_sample_locked(kma_config.sample_bytes);
	kma_pages_sample(kma_config.page_sample_bytes);
	kma_enable_locked(kma_config.enabled);
out:
	mutex_unlock(&kma_lock);
	return ret;
}

void kma_control_stop(void)
{
	mutex_lock(&kma_lock);
	kma_enable_locked(false);
	kma_sampling_set(0);
	kma_acct_set(0);
	kma_pages_locked(KMA_PAGES_OFF);
	kma_filter_stop();
	kma_skip_stop();
	mutex_unlock(&kma_lock);
}

/* ---- the file ------------------------------------------------------------- */

static void kma_show_sort(struct seq_file *seq, const struct kma_table *table)
{
	int i;

	seq_printf(seq, "sort_%s", table->name);
	for (i = 0; i < table->sort.nr; i++)
		seq_printf(seq, "%c%s", i ? ',' : ' ',
			   table->columns[table->sort.key[i]].name);
	seq_putc(seq, '\n');
}

static int kma_control_show(struct seq_file *seq, void *unused)
{
	char account[KMA_ACCT_LEN];
	int i;

	mutex_lock(&kma_lock);
	seq_printf(seq, "enabled %d\n", kma_slab_recording());
	seq_printf(seq, "live_max %llu\n", kma_config.live_max);
	seq_printf(seq, "sites_max %u\n", kma_config.sites_max);
	seq_printf(seq, "bulk %s\n", kma_config.bulk);
	seq_printf(seq, "sample_bytes %llu\n", kma_sampling_bytes());
	seq_printf(seq, "budget_pct %u\n", kma_overhead_budget_pct());
	seq_printf(seq, "pages %s\n", kma_pages_name());
	seq_printf(seq, "page_sample_bytes %llu\n", kma_pages_bytes());
	kma_acct_print(account);
	seq_printf(seq, "account %s\n", account);
	kma_filter_show(seq);
	for (i = 0; i < kma_nr_tables; i++)
		if (kma_tables[i]->sort.nr)
			kma_show_sort(seq, kma_tables[i]);
	seq_printf(seq, "last_error %s\n", kma_error_last());
	mutex_unlock(&kma_lock);
	return 0;
}

static int kma_control_open(struct inode *inode, struct file *file)
{
	return single_open(file, kma_control_show, NULL);
}

static int kma_refuse_write(const char *why)
{
	int ret;

	mutex_lock(&kma_lock);
	ret = kma_refuse("%s", why);
	mutex_unlock(&kma_lock);
	return ret;
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
		ret = kma_refuse_write("a command is text without a NUL");
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
