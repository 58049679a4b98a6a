// SPDX-License-Identifier: GPL-2.0
/* The file `query`.  See query.h. */
#include <linux/capability.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../error.h"
#include "../match/skip.h"
#include "../state.h"
#include "query.h"
#include "tables.h"

/* ---- requests ------------------------------------------------------------- */

int kma_sort_parse(const struct kma_table *table, char *keys, struct kma_sort *sort)
{
	char *key;
	int column;

	while ((key = strsep(&keys, ","))) {
		column = kma_table_column(table, key);
		/* Rows sorted by address would reveal something about addresses that %pK hides. */
		if (column < 0 || table->columns[column].format == KMA_FORMAT_PTR)
			return kma_refuse("%s has no sort key '%s'", table->name, key);
		if (sort->nr == KMA_SORT_KEYS)
			return kma_refuse("sort takes at most %d keys", KMA_SORT_KEYS);
		sort->key[sort->nr++] = column;
	}
	return 0;
}

static int kma_query_sort(struct kma_query *query, char *value)
{
	query->sort.nr = 0;
	return kma_sort_parse(query->table, value, &query->sort);
}

static int kma_query_number(const char *key, const char *value, u64 *number)
{
	char *end;

	*number = memparse(value, &end);
	if (!isdigit(*value) || *end)
		return kma_refuse("%s takes a number, not '%s'", key, value);
	return 0;
}

static int kma_query_top(struct kma_query *query, char *value)
{
	int ret = kma_query_number("top", value, &query->top);

	if (!ret && !query->top)
		return kma_refuse("top takes a number of rows, 1 or more, not '%s'", value);
	return ret;
}

static int kma_query_min(struct kma_query *query, char *value)
{
	return kma_query_number("min", value, &query->min);
}

static int kma_query_match(struct kma_query *query, char *value)
{
	if (!*value || !kma_pattern_ends(value))
		return kma_refuse("match takes a pattern without [!...], not '%s'", value);
	if (strscpy(query->match, value, sizeof(query->match)) < 0)
		return kma_refuse("the pattern is too long: it has at most %d bytes",
				  KMA_QUERY_MATCH - 1);
	return 0;
}

static const struct {
	const char *key;
	int (*set)(struct kma_query *query, char *value);
} kma_query_keys[] = {
	{ "sort=", kma_query_sort },
	{ "top=", kma_query_top },
	{ "min=", kma_query_min },
	{ "match=", kma_query_match },
};

static int kma_query_set(struct kma_query *query, char *word)
{
	size_t len;
	int i;

	for (i = 0; i < ARRAY_SIZE(kma_query_keys); i++) {
		len = str_has_prefix(word, kma_query_keys[i].key);
		if (len)
			return kma_query_keys[i].set(query, word + len);
	}
	return kma_refuse("unknown word '%.20s': use sort=, top=, min= or match=", word);
}

static struct kma_table *kma_query_table(const char *name)
{
	int i;

	for (i = 0; i < kma_nr_tables; i++)
		if (!strcmp(kma_tables[i]->name, name))
			return kma_tables[i];
	return NULL;
}

/* `min` compares numbers that grow: it makes no sense for a label, or for a name. */
static int kma_query_check(const struct kma_query *query)
{
	const struct kma_table *table = query->table;
	enum kma_format format;

	if (!query->sort.nr && (query->min || query->top))
		return kma_refuse("%s has no order: omit top and min", table->name);
	format = table->columns[query->sort.key[0]].format;
	if (query->min && format != KMA_FORMAT_U64 && format != KMA_FORMAT_S64 &&
	    format != KMA_FORMAT_MILLI)
		return kma_refuse("min needs a first sort key that is a number");
	if (*query->match && !table->label)
		return kma_refuse("%s has no label: omit match", table->name);
	return 0;
}

int kma_query_parse(char *line, struct kma_query *query)
{
	char *word;
	int ret = 0;

	lockdep_assert_held(&kma_lock);
	line = strim(line);
	word = strsep(&line, " ");
	*query = (struct kma_query) { .table = kma_query_table(word) };
	if (!query->table)
		return kma_refuse("no table '%.20s'", word);
	query->sort = query->table->sort;
	while (!ret && line) {
		line = skip_spaces(line);
		/* The pattern may contain blanks. */
		word = strstarts(line, "match=") ? line : strsep(&line, " ");
		if (word == line)
			line = NULL;
		ret = kma_query_set(query, word);
	}
	return ret ?: kma_query_check(query);
}

/* ---- the file ------------------------------------------------------------- */

static int kma_query_open(struct inode *inode, struct file *file)
{
	if (!perfmon_capable())
		return -EPERM;
	/* Until the first request, there is nothing to read. */
	return seq_open(file, &kma_seq_ops);
}

/* Take the snapshot that a line asks for. */
static struct kma_snapshot *kma_query_run(char *line)
{
	struct kma_snapshot *snap;
	struct kma_query *query = kzalloc(sizeof(*query), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!query)
		return ERR_PTR(-ENOMEM);
	kma_lock_take(KMA_LOCK_TABLE);
	ret = kma_query_parse(line, query);
	kma_lock_release();
	snap = ret ? ERR_PTR(ret) : kma_snapshot_query(query);
	if (IS_ERR(snap))
		kfree(query);
	return snap;
}

static ssize_t kma_query_write(struct file *file, const char __user *user, size_t len,
			       loff_t *pos)
{
	struct seq_file *seq = file->private_data;
	struct kma_snapshot *snap, *old;
	char *line;

	if (len > KMA_CONTROL_MAX)
		return -EINVAL;
	line = memdup_user_nul(user, len);
	if (IS_ERR(line))
		return PTR_ERR(line);
	snap = kma_query_run(line);
	kfree(line);
	if (IS_ERR(snap))
		return PTR_ERR(snap);
	mutex_lock(&seq->lock);
	old = seq->private;
	seq->private = snap;
	/* A read at position 0 begins the answer. */
	*pos = 0;
	mutex_unlock(&seq->lock);
	kma_snapshot_close(old);
	return len;
}

const struct file_operations kma_query_fops = {
	.owner = THIS_MODULE,
	.open = kma_query_open,
	.read = seq_read,
	.write = kma_query_write,
	.llseek = seq_lseek,
	.release = kma_seq_release,
};
