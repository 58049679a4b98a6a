// SPDX-License-Identifier: GPL-2.0
/*
 * Counts, by cache, the frees of objects that were allocated before counting began.
 *
 * kmemacct has no record of objects that are older than itself, and counts all their
 * frees in one number, `free_unmatched`.  /proc/slabinfo counts every object.  To compare
 * the two, a test needs the number of these frees by cache, from a source other than
 * kmemacct.
 *
 * A bitmap has one bit for every eight bytes of memory, which no two objects share.  An
 * allocation sets the bit at its address, and a free clears it.  If a free finds the bit
 * clear, the object is an older one.  This shares no code with kmemacct's tables, but it
 * has to attach to the same events.
 *
 * In /sys/kernel/debug/kmemacct_older/:
 *
 *	start	write anything to begin counting
 *	settle	write anything; the write returns after rcu_barrier()
 *	frees	`frees cache` lines: older objects that have been freed since; the line
 *		`missed` counts bulk allocations that were not seen, whose objects are
 *		taken for older ones
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/stringify.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include <trace/events/kmem.h>

#include "../../module/compat.h"

#define OLDER_CACHES	512
#define OLDER_NAME_LEN	48
#define OLDER_SHIFT	3
/* Offset of the name in a struct kmem_cache, from 6.1 to 6.12; checked at load. */
#define OLDER_NAME_AT	96

static struct older_cache {
	char name[OLDER_NAME_LEN];
	unsigned long frees;
} older_caches[OLDER_CACHES];
static int older_nr;
static DEFINE_RAW_SPINLOCK(older_lock);

static unsigned long *older_young;
static unsigned long older_bits;
static bool older_started;

/* ---- finding older objects ------------------------------------------------ */

static const char *older_name_of(const struct kmem_cache *s)
{
	return *(const char **)((const char *)s + OLDER_NAME_AT);
}

/* The name in /proc/slabinfo, except that all variants of a kmalloc size have one name. */
static void older_name(const struct kmem_cache *s, const void *ptr,
		       char name[OLDER_NAME_LEN])
{
	size_t size;

	if (s) {
		strscpy(name, older_name_of(s), OLDER_NAME_LEN);
		return;
	}
	size = ksize(ptr);
	if (size < SZ_1K)
		snprintf(name, OLDER_NAME_LEN, "kmalloc-%zu", size);
	else
		snprintf(name, OLDER_NAME_LEN, "kmalloc-%zuk", size / SZ_1K);
}

static noinline void older_count(const struct kmem_cache *s, const void *ptr)
{
	char name[OLDER_NAME_LEN];
	unsigned long flags;
	int i;

	older_name(s, ptr, name);
	raw_spin_lock_irqsave(&older_lock, flags);
	for (i = 0; i < older_nr && strcmp(older_caches[i].name, name); i++)
		;
	if (i == older_nr && i < OLDER_CACHES - 1) {
		strscpy(older_caches[i].name, name, OLDER_NAME_LEN);
		older_nr++;
	}
	older_caches[i].frees++;
	raw_spin_unlock_irqrestore(&older_lock, flags);
}

/* Return: false before `start`, and if @ptr is not an object on a slab. */
static bool older_bit(const void *ptr, unsigned long *bit)
{
	if (!READ_ONCE(older_started) || ZERO_OR_NULL_PTR(ptr) ||
	    !virt_addr_valid(ptr) || !PageSlab(virt_to_head_page(ptr)))
		return false;
	*bit = __pa(ptr) >> OLDER_SHIFT;
	return *bit < older_bits;
}

static void older_alloc(const void *ptr)
{
	unsigned long bit;

	if (older_bit(ptr, &bit))
		set_bit(bit, older_young);
}

static void older_free(const struct kmem_cache *s, const void *ptr)
{
	unsigned long bit;

	if (older_bit(ptr, &bit) && !test_and_clear_bit(bit, older_young))
		older_count(s, ptr);
}

/* ---- the events ----------------------------------------------------------- */

static notrace void older_kmalloc(void *data, unsigned long call_site,
				  const void *ptr, size_t bytes_req,
				  size_t bytes_alloc, gfp_t gfp_flags, int node)
{
	older_alloc(ptr);
}

static notrace void older_kmem_cache_alloc(void *data, unsigned long call_site,
					   const void *ptr, struct kmem_cache *s,
					   gfp_t gfp_flags, int node)
{
	older_alloc(ptr);
}

static notrace void older_kfree(void *data, unsigned long call_site,
				const void *ptr)
{
	older_free(NULL, ptr);
}

static notrace void older_kmem_cache_free(void *data, unsigned long call_site,
					  const void *ptr,
					  const struct kmem_cache *s)
{
	older_free(s, ptr);
}

/* void kmem_cache_free_bulk(struct kmem_cache *s, size_t size, void **p) */
static void notrace older_free_bulk(unsigned long ip, unsigned long parent_ip,
				    struct ftrace_ops *op,
				    struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
	const struct kmem_cache *s = (void *)regs_get_kernel_argument(regs, 0);
	size_t i, nr = regs_get_kernel_argument(regs, 1);
	void **ptr = (void **)regs_get_kernel_argument(regs, 2);

	for (i = 0; i < nr; i++)
		older_free(s, ptr[i]);
}

static struct ftrace_ops older_free_bulk_ops = {
	.func = older_free_bulk,
	.flags = FTRACE_OPS_FL_SAVE_REGS,
};

struct older_bulk {
	size_t nr;
	void **ptr;
};

/* int kmem_cache_alloc_bulk(struct kmem_cache *s, gfp_t f, size_t nr, void **p) */
static int older_alloc_bulk_entered(struct kretprobe_instance *ri,
				    struct pt_regs *regs)
{
	struct older_bulk *bulk = (void *)ri->data;

	bulk->nr = regs_get_kernel_argument(regs, 2);
	bulk->ptr = (void **)regs_get_kernel_argument(regs, 3);
	return 0;
}

static int older_alloc_bulk_returned(struct kretprobe_instance *ri,
				     struct pt_regs *regs)
{
	const struct older_bulk *bulk = (void *)ri->data;
	size_t i;

	for (i = 0; (int)regs_return_value(regs) && i < bulk->nr; i++)
		older_alloc(bulk->ptr[i]);
	return 0;
}

static struct kretprobe older_alloc_bulk = {
	.kp.symbol_name = __stringify(KMA_ALLOC_BULK),
	.entry_handler = older_alloc_bulk_entered,
	.handler = older_alloc_bulk_returned,
	.data_size = sizeof(struct older_bulk),
	.maxactive = 256,
};

/* ---- the files ------------------------------------------------------------ */

static ssize_t older_start_write(struct file *file, const char __user *buf,
				 size_t count, loff_t *pos)
{
	WRITE_ONCE(older_started, true);
	return count;
}

static const struct file_operations older_start_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = older_start_write,
};

/*
 * kfree_rcu() keeps an object for some time before it waits for a grace period, so a test
 * has to write more than once.
 */
static ssize_t older_settle_write(struct file *file, const char __user *buf,
				  size_t count, loff_t *pos)
{
	rcu_barrier();
	return count;
}

static const struct file_operations older_settle_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = older_settle_write,
};

static int older_frees_show(struct seq_file *m, void *v)
{
	int i;

	seq_printf(m, "%lu missed\n",
		   older_alloc_bulk.nmissed + older_alloc_bulk.kp.nmissed);
	for (i = 0; i < READ_ONCE(older_nr); i++)
		seq_printf(m, "%lu %s\n", READ_ONCE(older_caches[i].frees),
			   older_caches[i].name);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(older_frees);

/* ---- load and unload ------------------------------------------------------ */

static struct dentry *older_dir;

static void older_ctor(void *object)
{
}

/* Create a cache, and check that its name is found at OLDER_NAME_AT. */
static bool older_name_offset_ok(void)
{
	struct kmem_cache *s = kmem_cache_create(KBUILD_MODNAME "-name", 824, 0, 0,
						 older_ctor);
	char name[OLDER_NAME_LEN] = "";
	bool ok;

	if (!s)
		return false;
	ok = !copy_from_kernel_nofault(name, older_name_of(s),
				       sizeof(KBUILD_MODNAME "-name")) &&
	     !strcmp(name, KBUILD_MODNAME "-name");
	kmem_cache_destroy(s);
	return ok;
}

static int older_attach(void)
{
	char name[] = "kmem_cache_free_bulk";
	int ret;

	ret = register_trace_kfree(older_kfree, NULL) ?:
	      register_trace_kmem_cache_free(older_kmem_cache_free, NULL) ?:
	      register_trace_kmalloc(older_kmalloc, NULL) ?:
	      register_trace_kmem_cache_alloc(older_kmem_cache_alloc, NULL);
	if (ret)
		return ret;
	ret = ftrace_set_filter(&older_free_bulk_ops, name, strlen(name), 1) ?:
	      register_ftrace_function(&older_free_bulk_ops);
	return ret ?: register_kretprobe(&older_alloc_bulk);
}

static void older_detach(void)
{
	unregister_kretprobe(&older_alloc_bulk);
	unregister_ftrace_function(&older_free_bulk_ops);
	ftrace_free_filter(&older_free_bulk_ops);
	unregister_trace_kmem_cache_alloc(older_kmem_cache_alloc, NULL);
	unregister_trace_kmalloc(older_kmalloc, NULL);
	unregister_trace_kmem_cache_free(older_kmem_cache_free, NULL);
	unregister_trace_kfree(older_kfree, NULL);
	tracepoint_synchronize_unregister();
}

static unsigned long older_memory_end(void)
{
	unsigned long end = 0;
	int node;

	for_each_online_node(node)
		end = max(end, node_end_pfn(node));
	return end << PAGE_SHIFT;
}

static int __init older_init(void)
{
	int ret;

	if (!older_name_offset_ok()) {
		pr_err("struct kmem_cache has its name at another offset: adapt OLDER_NAME_AT\n");
		return -EINVAL;
	}
	older_bits = older_memory_end() >> OLDER_SHIFT;
	older_young = vzalloc(BITS_TO_LONGS(older_bits) * sizeof(long));
	if (!older_young)
		return -ENOMEM;
	ret = older_attach();
	if (ret) {
		pr_err("cannot attach to the allocator's events: error %d\n", ret);
		older_detach();
		vfree(older_young);
		return ret;
	}
	older_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("start", 0200, older_dir, NULL, &older_start_fops);
	debugfs_create_file("settle", 0200, older_dir, NULL, &older_settle_fops);
	debugfs_create_file("frees", 0400, older_dir, NULL, &older_frees_fops);
	return 0;
}

static void __exit older_exit(void)
{
	debugfs_remove(older_dir);
	older_detach();
	vfree(older_young);
}

module_init(older_init);
module_exit(older_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test module for kmemacct: counts frees of objects older than itself");
