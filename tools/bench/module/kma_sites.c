// SPDX-License-Identifier: GPL-2.0
/*
 * Five thousand call sites, each in a function of its own, which fill the module's tables.
 *
 * Write a number to /sys/kernel/debug/kma_sites: objects are allocated, by each function in
 * turn, or freed, until this many objects are live.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "kma_thousand.h"

struct kma_sites_object {
	struct kma_sites_object *next;
	unsigned int site;
	char rest[48];
};

#define KMA_SITES(x)							\
	KMA_THOUSAND(x, 1) KMA_THOUSAND(x, 2) KMA_THOUSAND(x, 3)	\
	KMA_THOUSAND(x, 4) KMA_THOUSAND(x, 5)

/* Each function differs in a constant, so that the compiler does not merge them. */
#define KMA_SITES_FUNCTION(n)						\
static noinline struct kma_sites_object *kma_site_##n(void)		\
{									\
	struct kma_sites_object *o = kmalloc(sizeof(*o), GFP_KERNEL);	\
									\
	if (o)								\
		o->site = n;						\
	return o;							\
}

KMA_SITES(KMA_SITES_FUNCTION)

#define KMA_SITES_POINTER(n) kma_site_##n,
static struct kma_sites_object *(*const kma_sites_alloc[])(void) = {
	KMA_SITES(KMA_SITES_POINTER)
};

/* Protects kma_sites_objects and kma_sites_nr. */
static DEFINE_MUTEX(kma_sites_lock);
static struct kma_sites_object *kma_sites_objects;
static u64 kma_sites_nr;

static int kma_sites_add(void)
{
	struct kma_sites_object *o;

	o = kma_sites_alloc[kma_sites_nr % ARRAY_SIZE(kma_sites_alloc)]();
	if (!o)
		return -ENOMEM;
	o->next = kma_sites_objects;
	kma_sites_objects = o;
	kma_sites_nr++;
	return 0;
}

static void kma_sites_remove(void)
{
	struct kma_sites_object *o = kma_sites_objects;

	kma_sites_objects = o->next;
	kfree(o);
	kma_sites_nr--;
}

static int kma_sites_set(void *data, u64 nr)
{
	int ret = 0;

	mutex_lock(&kma_sites_lock);
	while (!ret && kma_sites_nr < nr) {
		ret = kma_sites_add();
		cond_resched();
	}
	while (kma_sites_nr > nr) {
		kma_sites_remove();
		cond_resched();
	}
	mutex_unlock(&kma_sites_lock);
	return ret;
}

DEFINE_DEBUGFS_ATTRIBUTE(kma_sites_fops, NULL, kma_sites_set, "%llu\n");

static struct dentry *kma_sites_file;

static int __init kma_sites_init(void)
{
	kma_sites_file = debugfs_create_file_unsafe(KBUILD_MODNAME, 0200, NULL, NULL,
						    &kma_sites_fops);
	return 0;
}

static void __exit kma_sites_exit(void)
{
	debugfs_remove(kma_sites_file);
	kma_sites_set(NULL, 0);
}

module_init(kma_sites_init);
module_exit(kma_sites_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Five thousand call sites");
