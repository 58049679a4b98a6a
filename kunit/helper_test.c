// SPDX-License-Identifier: GPL-2.0
/*
 * Helpers of the kernel that only allocate for their callers (match/skip.c).  Each function below
 * calls one of them.  The test checks that the objects count at this function.
 */
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/kobject.h>
#include <linux/mempool.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/seq_file.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#include "probe_util.h"

static const char kma_helper_text[] = "a text";
static struct device *kma_helper_device;
static struct file kma_helper_file;
static mempool_t *kma_helper_pool;
static struct socket *kma_helper_socket;
static struct napi_struct kma_helper_napi;
/* Nothing is mapped there: each copy from this address fails. */
static const void __user * const kma_helper_user = (const void __user *)PAGE_SIZE;

/* ---- calls of helpers ------------------------------------------------------- */

/* Defines kma_helper_kasprintf() and so on: it calls a helper, and frees what that allocates. */
#define KMA_HELPER(name, make, free)					\
static noinline __noclone bool kma_helper_##name(void)			\
{									\
	void *ptr = make;						\
									\
	OPTIMIZER_HIDE_VAR(ptr);					\
	if (ptr)							\
		free(ptr);						\
	return ptr;							\
}

/*
 * Defines kma_helper_memdup_user() and so on: it calls a helper that copies from user memory.  The
 * copy fails, and the helper frees its object.
 */
#define KMA_HELPER_USER(name, size)					\
static noinline __noclone bool kma_helper_##name(void)			\
{									\
	void *ptr = name(kma_helper_user, size);			\
									\
	OPTIMIZER_HIDE_VAR(ptr);					\
	return PTR_ERR(ptr) == -EFAULT;					\
}

static void kma_helper_devm_kfree(void *ptr)
{
	devm_kfree(kma_helper_device, ptr);
}

static void kma_helper_pool_free(void *ptr)
{
	mempool_free(ptr, kma_helper_pool);
}

static void kma_helper_release(struct device *dev, void *ptr)
{
}

KMA_HELPER(kasprintf, kasprintf(GFP_KERNEL, "%s", kma_helper_text), kfree)
KMA_HELPER(kstrdup, kstrdup(kma_helper_text, GFP_KERNEL), kfree)
KMA_HELPER(kstrndup, kstrndup(kma_helper_text, 3, GFP_KERNEL), kfree)
KMA_HELPER(kmemdup, kmemdup(kma_helper_text, sizeof(kma_helper_text), GFP_KERNEL), kfree)
KMA_HELPER(kmemdup_nul, kmemdup_nul(kma_helper_text, 3, GFP_KERNEL), kfree)
KMA_HELPER(kvmalloc, kvmalloc(3 * PAGE_SIZE, GFP_KERNEL), kvfree)
KMA_HELPER(krealloc, krealloc(NULL, 100, GFP_KERNEL), kfree)
KMA_HELPER(devm_kmalloc, devm_kmalloc(kma_helper_device, 100, GFP_KERNEL), kma_helper_devm_kfree)
KMA_HELPER(devm_kasprintf, devm_kasprintf(kma_helper_device, GFP_KERNEL, "%s", kma_helper_text),
	   kma_helper_devm_kfree)
KMA_HELPER(devm_kmemdup, devm_kmemdup(kma_helper_device, kma_helper_text,
				      sizeof(kma_helper_text), GFP_KERNEL), kma_helper_devm_kfree)
/* This allocates two objects: the sk_buff and its data. */
KMA_HELPER(alloc_skb, alloc_skb(100, GFP_KERNEL), kfree_skb)
KMA_HELPER(netdev_alloc_skb, netdev_alloc_skb(NULL, 100), kfree_skb)
KMA_HELPER(sock_wmalloc, sock_wmalloc(kma_helper_socket->sk, 100, 1, GFP_KERNEL), kfree_skb)
KMA_HELPER(devres_alloc, devres_alloc(kma_helper_release, 100, GFP_KERNEL), devres_free)
KMA_HELPER(mempool_alloc, mempool_alloc(kma_helper_pool, GFP_KERNEL), kma_helper_pool_free)
KMA_HELPER_USER(memdup_user, 100)
KMA_HELPER_USER(memdup_user_nul, 100)
KMA_HELPER_USER(vmemdup_user, 100)
/* This allocates four objects: the pool, an array and two elements. */
KMA_HELPER(mempool, mempool_create_kmalloc_pool(2, 64), mempool_destroy)

static noinline __noclone bool kma_helper_sock_alloc_send_skb(void)
{
	int err;
	struct sk_buff *skb = sock_alloc_send_skb(kma_helper_socket->sk, 100, 1, &err);

	kfree_skb(skb);
	return skb;
}

/* The data is a page, so the only object is the sk_buff. */
static noinline __noclone bool kma_helper_build_skb(void)
{
	void *data = (void *)__get_free_page(GFP_KERNEL);
	struct sk_buff *skb = data ? build_skb(data, PAGE_SIZE) : NULL;

	if (!skb)
		free_page((unsigned long)data);
	kfree_skb(skb);
	return skb;
}

/* The data is too large for a page fragment.  The sk_buff may come from a cache of NAPI. */
static noinline __noclone bool kma_helper_napi_alloc_skb(void)
{
	struct sk_buff *skb;

	local_bh_disable();
	skb = napi_alloc_skb(&kma_helper_napi, 2 * PAGE_SIZE);
	local_bh_enable();
	kfree_skb(skb);
	return skb;
}

static noinline __noclone __printf(1, 2) bool kma_helper_kvasprintf(const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = kvasprintf(GFP_KERNEL, fmt, args);
	va_end(args);
	kfree(text);
	return text;
}

static noinline __noclone bool kma_helper_kobject_set_name(void)
{
	static struct kobject kobj;
	const bool made = !kobject_set_name(&kobj, "kma%d", 1);

	kfree_const(kobj.name);
	kobj.name = NULL;
	return made;
}

static noinline __noclone bool kma_helper_seq_open_private(void)
{
	static const struct seq_operations ops;
	void *private = __seq_open_private(&kma_helper_file, &ops, 100);

	if (private)
		seq_release_private(NULL, &kma_helper_file);
	kma_helper_file.private_data = NULL;
	return private;
}

static int kma_helper_show(struct seq_file *seq, void *v)
{
	return 0;
}

static noinline __noclone bool kma_helper_single_open(void)
{
	const int ret = single_open(&kma_helper_file, kma_helper_show, NULL);

	if (!ret)
		single_release(NULL, &kma_helper_file);
	kma_helper_file.private_data = NULL;
	return !ret;
}

static noinline __noclone bool kma_helper_set_name(void)
{
	struct device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	bool made = dev && !dev_set_name(dev, "kma%d", 1);

	if (dev)
		kfree_const(dev->kobj.name);
	kfree(dev);
	return made;
}

static noinline __noclone bool kma_helper_workqueue(void)
{
	struct workqueue_struct *wq = alloc_workqueue("kma_helper", WQ_UNBOUND, 1);

	if (wq)
		destroy_workqueue(wq);
	return wq;
}

/*
 * For each function, the number of objects that it allocates, or -1 if that depends on the kernel,
 * and its arguments, if it has any.
 */
#define KMA_HELPERS(X)							\
	X(kasprintf, 1)							\
	X(kstrdup, 1)							\
	X(kstrndup, 1)							\
	X(kmemdup, 1)							\
	X(kmemdup_nul, 1)						\
	X(kvmalloc, 1)							\
	X(krealloc, 1)							\
	X(devm_kmalloc, 1)						\
	X(devm_kasprintf, 1)						\
	X(devm_kmemdup, 1)						\
	X(alloc_skb, 2)							\
	X(netdev_alloc_skb, -1)						\
	X(build_skb, 1)							\
	X(napi_alloc_skb, -1)						\
	X(sock_wmalloc, 2)						\
	X(sock_alloc_send_skb, 2)					\
	X(memdup_user, 1)						\
	X(memdup_user_nul, 1)						\
	X(vmemdup_user, 1)						\
	X(kvasprintf, 1, "%s", kma_helper_text)				\
	X(kobject_set_name, 1)						\
	X(devres_alloc, 1)						\
	X(mempool, 4)							\
	X(mempool_alloc, 1)						\
	X(seq_open_private, 2)						\
	X(single_open, 2)						\
	X(set_name, 2)							\
	X(workqueue, -1)

/* ---- the test ---------------------------------------------------------------- */

static void kma_helper_expect(struct kunit *test, const char *name, bool made, s64 nr)
{
	const s64 hits = kma_count_of(name, KMA_COUNT_hits);

	KUNIT_EXPECT_TRUE_MSG(test, made, "%s", name);
	if (nr < 0)
		KUNIT_EXPECT_GT_MSG(test, hits, 0, "%s", name);
	else
		KUNIT_EXPECT_EQ_MSG(test, hits, nr, "%s", name);
}

/* Check that no row of objects has a helper as its call site. */
static void kma_helper_expect_none(struct kunit *test)
{
	static char name[KMA_SYMBOL_LEN];
	u32 id;

	kma_lock_take(KMA_LOCK_COMMAND);
	for (id = 0; id < kma_core.sites.sites_max; id++) {
		if (!kma_sitetab_info(&kma_core.sites, id))
			continue;
		kma_symbol_name(&kma_core.sites, id, name);
		name[strcspn(name, "+ ")] = '\0';
		KUNIT_EXPECT_FALSE_MSG(test, kma_skip_name(name, KMA_SKIP_OBJECTS), "%s", name);
	}
	kma_lock_release();
}

static void kma_helpers_are_not_call_sites(struct kunit *test)
{
	kma_helper_device = root_device_register("kma_helper");
	KUNIT_ASSERT_FALSE(test, IS_ERR(kma_helper_device));
	kma_helper_pool = mempool_create_kmalloc_pool(1, 64);
	KUNIT_ASSERT_NOT_NULL(test, kma_helper_pool);
	KUNIT_ASSERT_EQ(test, 0, sock_create_kern(&init_net, PF_UNIX, SOCK_DGRAM, 0,
						  &kma_helper_socket));
#define X(name, nr, ...)							\
	kma_helper_expect(test, "kma_helper_" #name, kma_helper_##name(__VA_ARGS__), nr);
	KMA_HELPERS(X)
#undef X
	sock_release(kma_helper_socket);
	mempool_destroy(kma_helper_pool);
	root_device_unregister(kma_helper_device);
	kma_helper_expect_none(test);
}

static struct kunit_case kma_helper_cases[] = {
	KUNIT_CASE(kma_helpers_are_not_call_sites),
	{}
};

struct kunit_suite kma_helper_suite = {
	.name = "kmemacct_helper",
	.init = kma_probe_init_test,
	.exit = kma_probe_exit_test,
	.test_cases = kma_helper_cases,
};
