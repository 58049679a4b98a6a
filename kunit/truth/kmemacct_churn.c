// SPDX-License-Identifier: GPL-2.0
/*
 * Churn: kmem_caches that come and go, each with a name that no cache had before.
 *
 * In /sys/kernel/debug/kmemacct_churn/:
 *
 *	caches	write a number: this many caches are created, each with three objects, which are
 *		freed, and destroyed again.  One cache in ten stays, with one object, while 500
 *		others come and go
 *	drop	write anything: the caches that have stayed are destroyed
 *	held	the names of the caches that have an object
 *	values	`name value` lines: the exact sums over all caches
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#define CHURN_OBJECTS	3
#define CHURN_HELD	50
#define CHURN_NAME_LEN	32

/* A cache that stays for a while, with one object. */
struct churn_held {
	struct kmem_cache *cache;
	void *object;
	char name[CHURN_NAME_LEN];
	unsigned int size;
};

static struct churn_held churn_held[CHURN_HELD];
/* Protects churn_held and the variables below. */
static DEFINE_MUTEX(churn_lock);
static unsigned int churn_nr;
static u64 churn_allocs, churn_frees, churn_bytes_alloc, churn_bytes_freed;

static noinline void *churn_make(struct kmem_cache *cache, unsigned int size)
{
	void *object = kmem_cache_alloc(cache, GFP_KERNEL);

	barrier();
	if (object) {
		churn_allocs++;
		churn_bytes_alloc += size;
	}
	return object;
}

static void churn_free(struct kmem_cache *cache, void *object, unsigned int size)
{
	if (!object)
		return;
	kmem_cache_free(cache, object);
	churn_frees++;
	churn_bytes_freed += size;
}

static void churn_release(struct churn_held *held)
{
	if (!held->cache)
		return;
	churn_free(held->cache, held->object, held->size);
	kmem_cache_destroy(held->cache);
	held->cache = NULL;
}

/* Sizes from 64 to 1,016 bytes, in steps of 8: SLUB adds no bytes to such an object. */
static unsigned int churn_size(unsigned int nr)
{
	return 64 + 8 * (nr % 120);
}

static int churn_once(void)
{
	struct churn_held *held = &churn_held[churn_nr / 10 % CHURN_HELD];
	void *object[CHURN_OBJECTS];
	struct churn_held one;
	int i;

	one.size = churn_size(churn_nr);
	snprintf(one.name, sizeof(one.name), KBUILD_MODNAME "-%u", churn_nr);
	/* SLUB does not merge a cache whose objects may be copied to user space. */
	one.cache = kmem_cache_create_usercopy(one.name, one.size, 0, 0, 0, one.size, NULL);
	if (!one.cache)
		return -ENOMEM;
	for (i = 0; i < CHURN_OBJECTS; i++)
		object[i] = churn_make(one.cache, one.size);
	for (i = 1; i < CHURN_OBJECTS; i++)
		churn_free(one.cache, object[i], one.size);
	one.object = object[0];
	if (churn_nr++ % 10) {
		churn_release(&one);
	} else {
		churn_release(held);
		*held = one;
	}
	return object[0] && object[1] && object[2] ? 0 : -ENOMEM;
}

static ssize_t churn_caches_write(struct file *file, const char __user *buf, size_t len,
				  loff_t *pos)
{
	unsigned int nr;
	int ret = kstrtouint_from_user(buf, len, 0, &nr);

	if (ret)
		return ret;
	mutex_lock(&churn_lock);
	while (!ret && nr--) {
		ret = churn_once();
		cond_resched();
	}
	mutex_unlock(&churn_lock);
	return ret ?: len;
}

static const struct file_operations churn_caches_fops = {
	.owner = THIS_MODULE,
	.write = churn_caches_write,
};

static void churn_release_all(void)
{
	int i;

	mutex_lock(&churn_lock);
	for (i = 0; i < CHURN_HELD; i++)
		churn_release(&churn_held[i]);
	mutex_unlock(&churn_lock);
}

static ssize_t churn_drop_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	churn_release_all();
	return len;
}

static const struct file_operations churn_drop_fops = {
	.owner = THIS_MODULE,
	.write = churn_drop_write,
};

static int churn_held_show(struct seq_file *seq, void *unused)
{
	int i;

	mutex_lock(&churn_lock);
	for (i = 0; i < CHURN_HELD; i++)
		if (churn_held[i].cache)
			seq_printf(seq, "%s\n", churn_held[i].name);
	mutex_unlock(&churn_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(churn_held);

static int churn_values_show(struct seq_file *seq, void *unused)
{
	mutex_lock(&churn_lock);
	seq_printf(seq, "caches %u\nhits %llu\nfrees %llu\nbytes_alloc %llu\nbytes_freed %llu\n",
		   churn_nr, churn_allocs, churn_frees, churn_bytes_alloc, churn_bytes_freed);
	mutex_unlock(&churn_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(churn_values);

static struct dentry *churn_dir;

static int __init churn_init(void)
{
	churn_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("caches", 0200, churn_dir, NULL, &churn_caches_fops);
	debugfs_create_file("drop", 0200, churn_dir, NULL, &churn_drop_fops);
	debugfs_create_file("held", 0400, churn_dir, NULL, &churn_held_fops);
	debugfs_create_file("values", 0400, churn_dir, NULL, &churn_values_fops);
	return 0;
}

static void __exit churn_exit(void)
{
	debugfs_remove_recursive(churn_dir);
	churn_release_all();
}

module_init(churn_init);
module_exit(churn_exit);

MODULE_DESCRIPTION("Test module for kmemacct: caches that come and go");
MODULE_AUTHOR("The kmemacct authors");
MODULE_LICENSE("GPL");
