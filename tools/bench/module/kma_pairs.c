// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the time of kmalloc and kfree pairs, and has empty probes to compare with.
 *
 * Files in /sys/kernel/debug/kma_pairs/:
 *
 *	measure	Write "SIZE BATCH PAIRS ROUNDS" to run ROUNDS rounds.  A round allocates and
 *		frees PAIRS objects of SIZE bytes, in batches: BATCH objects are allocated
 *		before the first of them is freed.  Sizes below 32 stand for something else
 *		(kma_pairs_sizes).
 *		Then read two times in ns: that of the fastest round, and the median.
 *	sites	Write PAIRS to allocate and free this many objects of 32 bytes, one at a time,
 *		at each of a thousand call sites.  Then read one line for each call site:
 *		the time in ns of the fastest of five rounds.
 *	empty	Write 1 to attach empty probes to kmalloc and kfree, 0 to detach them.
 *	empty_pages
 *		Write 1 to attach empty probes to mm_page_alloc and mm_page_free, 0 to
 *		detach them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/psi.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <trace/events/kmem.h>

#include "kma_thousand.h"

#define KMA_PAIRS_BATCH_MAX	4096
#define KMA_PAIRS_ROUNDS_MAX	1000

/* Protects the following variables, and the registration of the empty probes. */
static DEFINE_MUTEX(kma_pairs_lock);
static void *kma_pairs_object[KMA_PAIRS_BATCH_MAX];
static u64 kma_pairs_ns[KMA_PAIRS_ROUNDS_MAX];
static u32 kma_pairs_rounds;

/* ---- a round ---------------------------------------------------------------- */

/* Inlined with a constant @size: most callers of kmalloc() have a constant size, too. */
static __always_inline void kma_pairs_round(const size_t size, u32 batch, u32 pairs)
{
	void **object = kma_pairs_object;
	u32 i;

	for (; pairs; pairs -= batch) {
		for (i = 0; i < batch; i++)
			object[i] = kmalloc(size, GFP_KERNEL);
		for (i = 0; i < batch; i++)
			kfree(object[i]);
	}
}

static noinline void kma_pairs_round_32(u32 batch, u32 pairs)
{
	kma_pairs_round(32, batch, pairs);
}

static noinline void kma_pairs_round_240(u32 batch, u32 pairs)
{
	kma_pairs_round(240, batch, pairs);
}

static noinline void kma_pairs_round_2048(u32 batch, u32 pairs)
{
	kma_pairs_round(2048, batch, pairs);
}

static noinline void kma_pairs_round_page(u32 batch, u32 pairs)
{
	void **object = kma_pairs_object;
	u32 i;

	for (; pairs; pairs -= batch) {
		for (i = 0; i < batch; i++)
			object[i] = alloc_page(GFP_KERNEL);
		for (i = 0; i < batch; i++)
			__free_page(object[i]);
	}
}

/* Objects of a helper: the call site in their events is in kasprintf(). */
static noinline void kma_pairs_round_helper(u32 batch, u32 pairs)
{
	void **object = kma_pairs_object;
	u32 i;

	for (; pairs; pairs -= batch) {
		for (i = 0; i < batch; i++)
			object[i] = kasprintf(GFP_KERNEL, "%s", "a text");
		for (i = 0; i < batch; i++)
			kfree(object[i]);
	}
}

/* Blocks below 16 MiB that are allocated while less is free there than the low watermark */
static LIST_HEAD(kma_pairs_low);

/* Allocations below 16 MiB that do not reclaim, of blocks that per-CPU free lists do not have */
#define KMA_PAIRS_GFP_LOW	(GFP_DMA | __GFP_NOWARN)
#define KMA_PAIRS_ORDER_LOW	4

static struct page *kma_pairs_alloc_low(void)
{
	return alloc_pages(KMA_PAIRS_GFP_LOW, KMA_PAIRS_ORDER_LOW);
}

static void kma_pairs_free_low(u32 nr)
{
	struct page *page;

	while (nr-- && (page = list_first_entry_or_null(&kma_pairs_low, struct page, lru))) {
		list_del(&page->lru);
		__free_pages(page, KMA_PAIRS_ORDER_LOW);
	}
}

/* Allocate down to the minimum watermark. */
static void kma_pairs_exhaust_low(void)
{
	struct page *page;

	while ((page = kma_pairs_alloc_low()))
		list_add(&page->lru, &kma_pairs_low);
}

/*
 * Leave two blocks above the minimum watermark.  With vm.min_free_kbytes=65536, the low watermark
 * is higher, so each allocation goes through the slow path.
 */
static void kma_pairs_leave_two(void)
{
	kma_pairs_exhaust_low();
	kma_pairs_free_low(2);
}

static void kma_pairs_free_all_low(void)
{
	kma_pairs_free_low(U32_MAX);
}

static noinline void kma_pairs_round_fails(u32 batch, u32 pairs)
{
	struct page *page;

	for (; pairs; pairs--) {
		page = kma_pairs_alloc_low();
		/* Memory that was freed meanwhile makes the round a bit slower. */
		if (page)
			list_add(&page->lru, &kma_pairs_low);
	}
}

static noinline void kma_pairs_round_slow_path(u32 batch, u32 pairs)
{
	struct page *page;

	for (; pairs; pairs--) {
		page = kma_pairs_alloc_low();
		if (page)
			__free_pages(page, KMA_PAIRS_ORDER_LOW);
	}
}

/* Stalls as the kernel marks them, in which the task does not wait for anything */
static noinline void kma_pairs_round_stall(u32 batch, u32 pairs)
{
	unsigned long flags;

	for (; pairs; pairs--) {
		psi_memstall_enter(&flags);
		psi_memstall_leave(&flags);
	}
}

static const struct kma_pairs_size {
	u32 size;
	void (*round)(u32 batch, u32 pairs);
	void (*before)(void);
	void (*after)(void);
} kma_pairs_sizes[] = {
	/*
	 * These are not sizes: a page, an object of a helper, an allocation that fails in the slow
	 * path, a stall, and an allocation in the slow path that does not wait.
	 */
	{ 0, kma_pairs_round_page },
	{ 1, kma_pairs_round_helper },
	{ 2, kma_pairs_round_fails, kma_pairs_exhaust_low, kma_pairs_free_all_low },
	{ 3, kma_pairs_round_stall },
	{ 4, kma_pairs_round_slow_path, kma_pairs_leave_two, kma_pairs_free_all_low },
	{ 32, kma_pairs_round_32 },
	{ 240, kma_pairs_round_240 },
	{ 2048, kma_pairs_round_2048 },
};

/* ---- measure ---------------------------------------------------------------- */

static int kma_pairs_compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static void kma_pairs_measure(const struct kma_pairs_size *s, u32 batch, u32 pairs,
			      u32 rounds)
{
	u64 start;
	u32 i;

	if (s->before)
		s->before();
	for (i = 0; i < rounds; i++) {
		start = ktime_get_ns();
		s->round(batch, pairs);
		kma_pairs_ns[i] = ktime_get_ns() - start;
		/* Lets tracers that read the events keep up. */
		cond_resched();
	}
	if (s->after)
		s->after();
	sort(kma_pairs_ns, rounds, sizeof(kma_pairs_ns[0]), kma_pairs_compare, NULL);
	kma_pairs_rounds = rounds;
}

static int kma_pairs_command(const char *line)
{
	u32 i, size, batch, pairs, rounds;

	if (sscanf(line, "%u %u %u %u", &size, &batch, &pairs, &rounds) != 4 ||
	    !batch || batch > KMA_PAIRS_BATCH_MAX || pairs % batch ||
	    !rounds || rounds > KMA_PAIRS_ROUNDS_MAX)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(kma_pairs_sizes); i++) {
		if (kma_pairs_sizes[i].size != size)
			continue;
		mutex_lock(&kma_pairs_lock);
		kma_pairs_measure(&kma_pairs_sizes[i], batch, pairs, rounds);
		mutex_unlock(&kma_pairs_lock);
		return 0;
	}
	return -EINVAL;
}

static ssize_t kma_pairs_measure_write(struct file *file, const char __user *from,
				       size_t bytes, loff_t *pos)
{
	char line[64] = "";
	int ret;

	if (bytes >= sizeof(line) || copy_from_user(line, from, bytes))
		return -EINVAL;
	ret = kma_pairs_command(line);
	return ret ?: bytes;
}

static int kma_pairs_measure_show(struct seq_file *m, void *v)
{
	mutex_lock(&kma_pairs_lock);
	if (kma_pairs_rounds)
		seq_printf(m, "%llu %llu\n", kma_pairs_ns[0],
			   kma_pairs_ns[kma_pairs_rounds / 2]);
	mutex_unlock(&kma_pairs_lock);
	return 0;
}

/* Makes kma_pairs_measure_fops and kma_pairs_sites_fops, of the functions for show and write. */
#define KMA_PAIRS_FILE(name)						\
static int kma_pairs_##name##_open(struct inode *inode, struct file *file) \
{									\
	return single_open(file, kma_pairs_##name##_show, NULL);	\
}									\
									\
static const struct file_operations kma_pairs_##name##_fops = {	\
	.owner = THIS_MODULE,						\
	.open = kma_pairs_##name##_open,				\
	.read = seq_read,						\
	.write = kma_pairs_##name##_write,				\
	.llseek = seq_lseek,						\
	.release = single_release,					\
}

KMA_PAIRS_FILE(measure);

/* ---- a thousand call sites --------------------------------------------------- */

/* Each function differs in a constant, so that the compiler does not merge them. */
#define KMA_PAIRS_SITE(n)						\
static noinline void kma_pairs_site_##n(u32 pairs)			\
{									\
	u32 *object;							\
									\
	for (; pairs; pairs--) {					\
		object = kmalloc(32, GFP_KERNEL);			\
		if (object)						\
			WRITE_ONCE(*object, n);				\
		kfree(object);						\
	}								\
}

KMA_THOUSAND(KMA_PAIRS_SITE, 1)

#define KMA_PAIRS_SITE_POINTER(n) kma_pairs_site_##n,
static void (*const kma_pairs_sites[])(u32 pairs) = {
	KMA_THOUSAND(KMA_PAIRS_SITE_POINTER, 1)
};

#define KMA_PAIRS_SITE_ROUNDS	5

/* Protected by kma_pairs_lock. */
static u64 kma_pairs_site_ns[ARRAY_SIZE(kma_pairs_sites)];

static void kma_pairs_measure_sites(u32 pairs)
{
	u64 start;
	u32 i, round;

	for (i = 0; i < ARRAY_SIZE(kma_pairs_sites); i++) {
		kma_pairs_site_ns[i] = U64_MAX;
		for (round = 0; round < KMA_PAIRS_SITE_ROUNDS; round++) {
			start = ktime_get_ns();
			kma_pairs_sites[i](pairs);
			kma_pairs_site_ns[i] = min(kma_pairs_site_ns[i],
						   ktime_get_ns() - start);
		}
		cond_resched();
	}
}

static ssize_t kma_pairs_sites_write(struct file *file, const char __user *from,
				     size_t bytes, loff_t *pos)
{
	u32 pairs;
	int ret = kstrtou32_from_user(from, bytes, 10, &pairs);

	if (ret)
		return ret;
	mutex_lock(&kma_pairs_lock);
	kma_pairs_measure_sites(pairs);
	mutex_unlock(&kma_pairs_lock);
	return bytes;
}

static int kma_pairs_sites_show(struct seq_file *m, void *v)
{
	u32 i;

	mutex_lock(&kma_pairs_lock);
	for (i = 0; i < ARRAY_SIZE(kma_pairs_sites); i++)
		seq_printf(m, "%llu\n", kma_pairs_site_ns[i]);
	mutex_unlock(&kma_pairs_lock);
	return 0;
}

KMA_PAIRS_FILE(sites);

/* ---- empty, empty_pages ------------------------------------------------------ */

static void kma_pairs_probe_kmalloc(void *data, unsigned long call_site,
				    const void *ptr, size_t bytes_req,
				    size_t bytes_alloc, gfp_t gfp_flags, int node)
{
}

static void kma_pairs_probe_kfree(void *data, unsigned long call_site,
				  const void *ptr)
{
}

static void kma_pairs_probe_alloc(void *data, struct page *page, unsigned int order,
				  gfp_t gfp, int type)
{
}

static void kma_pairs_probe_free(void *data, struct page *page, unsigned int order)
{
}

struct kma_pairs_probe {
	const char *name;
	void *probe;
	struct tracepoint *tp;
};

/* The empty probes that a file attaches.  Some tracepoints are not exported: search by name. */
static struct kma_pairs_file {
	const char *name;
	struct kma_pairs_probe probe[2];
	bool on;
} kma_pairs_files[] = {
	{ "empty", { { "kmalloc", kma_pairs_probe_kmalloc },
		     { "kfree", kma_pairs_probe_kfree } } },
	{ "empty_pages", { { "mm_page_alloc", kma_pairs_probe_alloc },
			   { "mm_page_free", kma_pairs_probe_free } } },
};

static void kma_pairs_find(struct tracepoint *tp, void *file)
{
	struct kma_pairs_file *f = file;
	int i;

	for (i = 0; i < ARRAY_SIZE(f->probe); i++)
		if (!strcmp(tp->name, f->probe[i].name))
			f->probe[i].tp = tp;
}

static int kma_pairs_empty_set(void *file, u64 value)
{
	struct kma_pairs_file *f = file;
	struct kma_pairs_probe *p;
	int ret = 0;

	mutex_lock(&kma_pairs_lock);
	for (p = f->probe; !ret && p < f->probe + ARRAY_SIZE(f->probe); p++) {
		if (value && !f->on)
			ret = tracepoint_probe_register(p->tp, p->probe, NULL);
		else if (!value && f->on)
			tracepoint_probe_unregister(p->tp, p->probe, NULL);
	}
	tracepoint_synchronize_unregister();
	f->on = value;
	mutex_unlock(&kma_pairs_lock);
	return ret;
}

DEFINE_DEBUGFS_ATTRIBUTE(kma_pairs_empty_fops, NULL, kma_pairs_empty_set, "%llu\n");

/* ----------------------------------------------------------------------------- */

static struct dentry *kma_pairs_dir;

static int __init kma_pairs_init(void)
{
	struct kma_pairs_file *f;

	kma_pairs_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("measure", 0600, kma_pairs_dir, NULL, &kma_pairs_measure_fops);
	debugfs_create_file("sites", 0600, kma_pairs_dir, NULL, &kma_pairs_sites_fops);
	for (f = kma_pairs_files; f < kma_pairs_files + ARRAY_SIZE(kma_pairs_files); f++) {
		for_each_kernel_tracepoint(kma_pairs_find, f);
		debugfs_create_file_unsafe(f->name, 0200, kma_pairs_dir, f,
					   &kma_pairs_empty_fops);
	}
	return 0;
}

static void __exit kma_pairs_exit(void)
{
	struct kma_pairs_file *f;

	debugfs_remove(kma_pairs_dir);
	for (f = kma_pairs_files; f < kma_pairs_files + ARRAY_SIZE(kma_pairs_files); f++)
		kma_pairs_empty_set(f, 0);
}

module_init(kma_pairs_init);
module_exit(kma_pairs_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Measures kmalloc and kfree pairs");
