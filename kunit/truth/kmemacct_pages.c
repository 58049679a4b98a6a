// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks of pages that are known exactly.
 *
 * Each call site is a function of its own.  What it allocated is counted, and what is
 * live of that is in a list, in the pieces that it is freed in.
 *
 * In /sys/kernel/debug/kmemacct_pages/:
 *
 *	run	write what to do: blocks, split, exact, larger, bulk, fail, stale, list,
 *		vmalloc, or drop, which frees all that is left
 *	sites	`hits bulk failed frees live_pages order gfp function` lines
 *	pages	`pfn order gfp pid function` lines
 *	stales	pages of which a record was left when the bulk allocator gave them
 *
 * A block may be freed in pieces (split, exact), or together with its neighbour
 * (larger); a piece counts as a free of its block if it has the first page.
 *
 * Frees that nobody sees cannot be made at will.  What they leave behind is made instead
 * (stale): probes are told of an allocation, while the page is free.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "../../module/compat.h"

#define TRUTH_ORDERS	11
#define TRUTH_KINDS	256
#define TRUTH_PIECES	4096

/* What a site allocates, and what became of it. */
static struct truth_kind {
	const char *function;
	unsigned int order;
	gfp_t gfp;
	u64 hits;
	u64 bulk;
	u64 failed;
	u64 frees;
	u64 live_pages;
} truth_kind[TRUTH_KINDS];

/* Pages of one block that are freed together. */
static struct truth_piece {
	struct page *page;
	unsigned int order;
	struct truth_kind *kind;
	bool first;
	pid_t pid;
} truth_piece[TRUTH_PIECES];

static int truth_nr_kinds, truth_nr_pieces;
static void *truth_area;

/* Protects all of it. */
static DEFINE_MUTEX(truth_lock);

/* ---- the account ------------------------------------------------------------------ */

static struct truth_kind *truth_kind_of(const char *function, unsigned int order,
					gfp_t gfp)
{
	struct truth_kind *kind = truth_kind;

	for (; kind < truth_kind + truth_nr_kinds; kind++)
		if (kind->order == order && kind->gfp == gfp &&
		    !strcmp(kind->function, function))
			return kind;
	if (truth_nr_kinds == TRUTH_KINDS)
		return NULL;
	truth_nr_kinds++;
	*kind = (struct truth_kind) { function, order, gfp };
	return kind;
}

/* A piece of a block is there, to be freed as it is. */
static void truth_note_piece(struct page *page, unsigned int order,
			     struct truth_kind *kind, bool first)
{
	kind->live_pages += 1 << order;
	truth_piece[truth_nr_pieces++] = (struct truth_piece) {
		page, order, kind, first, current->tgid
	};
}

/* A block was allocated. Returns NULL if there is no room to note it. */
static struct truth_kind *truth_note(const char *function, unsigned int order, gfp_t gfp,
				     bool bulk)
{
	struct truth_kind *kind = truth_kind_of(function, order, gfp);

	/* Of one that is cut there may be as many pieces as pages, here up to eight. */
	if (!kind || truth_nr_pieces + 8 > TRUTH_PIECES)
		return NULL;
	if (bulk)
		kind->bulk++;
	else
		kind->hits++;
	return kind;
}

/* One that stays whole. */
static int truth_note_block(struct page *page, const char *function, unsigned int order,
			    gfp_t gfp, bool bulk)
{
	struct truth_kind *kind = truth_note(function, order, gfp, bulk);

	if (!kind)
		return -ENOSPC;
	truth_note_piece(page, order, kind, true);
	return 0;
}

/* It is gone, or about to be; another one takes its number. */
static void truth_forget(int i)
{
	const struct truth_piece *p = &truth_piece[i];

	p->kind->live_pages -= 1 << p->order;
	p->kind->frees += p->first;
	truth_piece[i] = truth_piece[--truth_nr_pieces];
}

static void truth_free(int i)
{
	const struct truth_piece p = truth_piece[i];

	truth_forget(i);
	__free_pages(p.page, p.order);
}

/* ---- the call sites --------------------------------------------------------------- */

static noinline __noclone struct page *truth_alloc_pages(unsigned int order, gfp_t gfp)
{
	struct page *page = alloc_pages(gfp, order);

	OPTIMIZER_HIDE_VAR(page);
	return page;
}

static noinline __noclone struct page *truth_get_free_pages(unsigned int order, gfp_t gfp)
{
	unsigned long addr = __get_free_pages(gfp, order);

	OPTIMIZER_HIDE_VAR(addr);
	return addr ? virt_to_page((void *)addr) : NULL;
}

static noinline __noclone struct page *truth_alloc_pages_node(unsigned int order, gfp_t gfp)
{
	struct page *page = alloc_pages_node(first_online_node, gfp, order);

	OPTIMIZER_HIDE_VAR(page);
	return page;
}

static noinline __noclone void *truth_alloc_pages_exact(size_t bytes, gfp_t gfp)
{
	void *mem = alloc_pages_exact(bytes, gfp);

	OPTIMIZER_HIDE_VAR(mem);
	return mem;
}

static noinline __noclone unsigned long
truth_alloc_bulk(gfp_t gfp, unsigned long nr, struct page **page)
{
#ifdef KMA_ALLOC_PAGES_BULK
	unsigned long got = kma_alloc_pages_bulk(gfp, nr, page);

	OPTIMIZER_HIDE_VAR(got);
	return got;
#else
	return 0;
#endif
}

static noinline __noclone void *truth_vmalloc(unsigned long bytes)
{
	void *mem = vmalloc(bytes);

	OPTIMIZER_HIDE_VAR(mem);
	return mem;
}

/* ---- what can be done ---------------------------------------------------------------- */

/* Of all migrate types. */
static const gfp_t truth_gfps[] = {
	GFP_KERNEL | __GFP_NOWARN,
	GFP_KERNEL | __GFP_NOWARN | __GFP_MOVABLE,
	GFP_KERNEL | __GFP_NOWARN | __GFP_RECLAIMABLE,
	GFP_NOWAIT | __GFP_NOWARN | __GFP_COMP,
};

static const struct truth_way {
	const char *function;
	struct page *(*alloc)(unsigned int order, gfp_t gfp);
} truth_ways[] = {
	{ "truth_alloc_pages", truth_alloc_pages },
	{ "truth_get_free_pages", truth_get_free_pages },
	{ "truth_alloc_pages_node", truth_alloc_pages_node },
};

static int truth_run_one(const struct truth_way *way, unsigned int order, gfp_t gfp)
{
	struct page *page = way->alloc(order, gfp);

	return page ? truth_note_block(page, way->function, order, gfp, false) : -ENOMEM;
}

/* All orders that are not hard to get, all types; of each third the last is freed. */
static int truth_run_blocks(void)
{
	unsigned int order;
	int i, way, ret = 0;

	for (order = 0; order < TRUTH_ORDERS; order++) {
		for (i = 0; !ret && i < ARRAY_SIZE(truth_gfps); i++) {
			for (way = 0; !ret && way < ARRAY_SIZE(truth_ways); way++)
				ret = truth_run_one(&truth_ways[way], order,
						    truth_gfps[i]);
			if (!ret)
				truth_free(truth_nr_pieces - 1);
		}
	}
	return ret;
}

/* Blocks are split; of each some pages are freed, the first one among them or not. */
static int truth_run_split(void)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_NOWARN;
	struct truth_kind *kind;
	struct page *page;
	int i, k;

	for (i = 0; i < 2; i++) {
		page = truth_alloc_pages(3, gfp);
		if (!page)
			return -ENOMEM;
		kind = truth_note("truth_alloc_pages", 3, gfp, false);
		if (!kind)
			return -ENOSPC;
		split_page(page, 3);
		for (k = 0; k < 8; k++)
			truth_note_piece(page + k, 0, kind, !k);
		truth_free(truth_nr_pieces - 8 + i);
		truth_free(truth_nr_pieces - 3);
	}
	return 0;
}

/* Twelve kilobytes are a block of sixteen, of which the last page goes at once. */
static int truth_run_exact(void)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_NOWARN;
	void *mem = truth_alloc_pages_exact(3 * PAGE_SIZE, gfp);
	struct truth_kind *kind;
	int k;

	if (!mem)
		return -ENOMEM;
	kind = truth_note("truth_alloc_pages_exact", 2, gfp, false);
	for (k = 0; kind && k < 3; k++)
		truth_note_piece(virt_to_page(mem) + k, 0, kind, !k);
	return kind ? 0 : -ENOSPC;
}

/* Of the last single pages two that could be one block. */
static int truth_halves(int from, int *second)
{
	int i, k;

	for (i = from; i < truth_nr_pieces; i++)
		for (k = from; k < truth_nr_pieces; k++)
			if (truth_piece[k].page == truth_piece[i].page + 1 &&
			    !(page_to_pfn(truth_piece[i].page) & 1)) {
				*second = k;
				return i;
			}
	return -EAGAIN;
}

/* Where memory is in pieces, it takes more than the CPU's lists have. */
#define TRUTH_TRIES	32

static int truth_take_halves(int *second)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_NOWARN;
	int i, tries, ret = 0, first = -EAGAIN, from = truth_nr_pieces;

	for (tries = 0; first < 0 && tries < TRUTH_TRIES; tries++) {
		for (i = 0; !ret && i < 64; i++)
			ret = truth_run_one(&truth_ways[i % 2], 0, gfp);
		if (ret)
			return ret;
		first = truth_halves(from, second);
	}
	return first;
}

/* Two single pages, of two call sites if it happens so, are freed as one block. */
static int truth_run_larger(void)
{
	int second, first = truth_take_halves(&second);
	struct page *page;

	if (first < 0)
		return first;
	page = truth_piece[first].page;
	/* The higher number first: the last one takes the place of what is forgotten. */
	truth_forget(max(first, second));
	truth_forget(min(first, second));
	set_page_count(page + 1, 0);
	__free_pages(page, 1);
	return 0;
}

#define TRUTH_BULK	32

static int truth_run_bulk(void)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_NOWARN;
	struct page *page[TRUTH_BULK] = {};
	unsigned long i, nr = truth_alloc_bulk(gfp, TRUTH_BULK, page);
	int ret = 0;

	for (i = 0; !ret && i < nr; i++)
		ret = truth_note_block(page[i], "truth_alloc_bulk", 0, gfp, true);
	return ret;
}

/* ---- frees that were not seen -------------------------------------------------------- */

static struct tracepoint *truth_tp_alloc, *truth_tp_free;

static void truth_find(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "mm_page_alloc"))
		truth_tp_alloc = tp;
	else if (!strcmp(tp->name, "mm_page_free"))
		truth_tp_free = tp;
}

static noinline __noclone void truth_tell_alloc(struct page *page, gfp_t gfp)
{
	const struct tracepoint_func *f;

	for (f = rcu_dereference_sched(truth_tp_alloc->funcs); f && f->func; f++)
		((void (*)(void *data, struct page *page, unsigned int order, gfp_t gfp,
			   int type))f->func)(f->data, page, 0, gfp, 0);
}

static void truth_tell_free(struct page *page)
{
	const struct tracepoint_func *f;

	for (f = rcu_dereference_sched(truth_tp_free->funcs); f && f->func; f++)
		((void (*)(void *data, struct page *page,
			   unsigned int order))f->func)(f->data, page, 0);
}

static bool truth_has(struct page **page, unsigned long nr, const struct page *one)
{
	while (nr--)
		if (page[nr] == one)
			return true;
	return false;
}

/* The CPU's lists give back what was put there last.  Returns how many were stale. */
static unsigned long truth_stale(gfp_t gfp, struct page **bulk, unsigned long *nr)
{
	struct page *page[TRUTH_BULK];
	unsigned long i, left, again = 0;

	for (left = 0; left < TRUTH_BULK; left++) {
		page[left] = alloc_page(gfp);
		if (!page[left])
			break;
	}
	for (i = 0; i < left; i++)
		__free_page(page[i]);
	for (i = 0; i < left; i++)
		truth_tell_alloc(page[i], gfp);
	*nr = truth_alloc_bulk(gfp, TRUTH_BULK, bulk);
	for (i = 0; i < left; i++) {
		if (truth_has(bulk, *nr, page[i]))
			again++;
		else
			truth_tell_free(page[i]);
	}
	return again;
}

static u64 truth_stales;

static int truth_run_stale(void)
{
	const gfp_t gfp = GFP_ATOMIC | __GFP_NOWARN;
	struct page *page[TRUTH_BULK] = {};
	unsigned long i, again, nr, flags;
	int ret = 0;

	/* Nobody else is to get one of these pages, which cannot be had there. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return -EOPNOTSUPP;
	local_irq_save(flags);
	again = truth_stale(gfp, page, &nr);
	local_irq_restore(flags);
	truth_stales += again;
	for (i = 0; !ret && i < nr; i++)
		ret = truth_note_block(page[i], "truth_alloc_bulk", 0, gfp, true);
	return ret ?: again ? 0 : -EAGAIN;
}

static int truth_run_list(void)
{
#ifdef KMA_HAVE_ALLOC_PAGES_LIST
	struct page *page, *next;
	LIST_HEAD(list);

	if (!alloc_pages_bulk_list(GFP_KERNEL, TRUTH_BULK, &list))
		return -ENOMEM;
	list_for_each_entry_safe(page, next, &list, lru) {
		list_del(&page->lru);
		__free_page(page);
	}
	return 0;
#else
	return -EOPNOTSUPP;
#endif
}

#define TRUTH_AREA	(40 * PAGE_SIZE)

/* Of the lowest 16 MiB, and of nothing else: soon there is no more. */
#define TRUTH_SCARCE	(__GFP_DMA | __GFP_NORETRY | __GFP_NOWARN)

/* Of that, until it fails. Blocks that are had are kept. */
static int truth_exhaust(const struct truth_way *way, unsigned int order)
{
	struct truth_kind *kind = truth_kind_of(way->function, order, TRUTH_SCARCE);
	int ret;

	do {
		ret = truth_run_one(way, order, TRUTH_SCARCE);
	} while (!ret);
	if (!kind || ret != -ENOMEM)
		return -ENOSPC;
	kind->failed++;
	return 0;
}

static int truth_run_fail(void)
{
	unsigned int order;
	int way, ret = 0;

	for (order = TRUTH_ORDERS - 1; !ret && order > TRUTH_ORDERS - 4; order--)
		for (way = 0; !ret && way < ARRAY_SIZE(truth_ways); way++)
			ret = truth_exhaust(&truth_ways[way], order);
	return ret;
}

static int truth_run_vmalloc(void)
{
	if (truth_area)
		return -EBUSY;
	truth_area = truth_vmalloc(TRUTH_AREA);
	return truth_area ? 0 : -ENOMEM;
}

static int truth_run_drop(void)
{
	while (truth_nr_pieces)
		truth_free(truth_nr_pieces - 1);
	vfree(truth_area);
	truth_area = NULL;
	return 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} truth_runs[] = {
	{ "blocks", truth_run_blocks },
	{ "split", truth_run_split },
	{ "exact", truth_run_exact },
	{ "larger", truth_run_larger },
	{ "bulk", truth_run_bulk },
	{ "fail", truth_run_fail },
	{ "stale", truth_run_stale },
	{ "list", truth_run_list },
	{ "vmalloc", truth_run_vmalloc },
	{ "drop", truth_run_drop },
};

/* ---- the files --------------------------------------------------------------------------- */

static int truth_run(const char *name)
{
	int i, ret = -EINVAL;

	mutex_lock(&truth_lock);
	for (i = 0; i < ARRAY_SIZE(truth_runs); i++)
		if (!strcmp(name, truth_runs[i].name))
			ret = truth_runs[i].run();
	mutex_unlock(&truth_lock);
	return ret;
}

static ssize_t truth_write(struct file *file, const char __user *from, size_t bytes,
			   loff_t *pos)
{
	char name[16] = "";
	int ret;

	if (bytes >= sizeof(name) || copy_from_user(name, from, bytes))
		return -EINVAL;
	ret = truth_run(name);
	return ret ?: bytes;
}

static const struct file_operations truth_run_fops = {
	.owner = THIS_MODULE,
	.open = nonseekable_open,
	.write = truth_write,
};

static int truth_sites_show(struct seq_file *seq, void *unused)
{
	const struct truth_kind *kind = truth_kind;

	mutex_lock(&truth_lock);
	seq_puts(seq, "hits bulk failed frees live_pages order gfp function\n");
	for (; kind < truth_kind + truth_nr_kinds; kind++)
		seq_printf(seq, "%llu %llu %llu %llu %llu %u %#x %s\n", kind->hits,
			   kind->bulk, kind->failed, kind->frees, kind->live_pages,
			   kind->order, (__force u32)kind->gfp, kind->function);
	mutex_unlock(&truth_lock);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(truth_sites);

static int truth_pages_show(struct seq_file *seq, void *unused)
{
	const struct truth_piece *p = truth_piece;
	unsigned int i;

	mutex_lock(&truth_lock);
	seq_puts(seq, "pfn order gfp pid function\n");
	for (; p < truth_piece + truth_nr_pieces; p++)
		for (i = 0; i < 1U << p->order; i++)
			seq_printf(seq, "%lu %u %#x %d %s\n", page_to_pfn(p->page) + i,
				   p->kind->order, (__force u32)p->kind->gfp, p->pid,
				   p->kind->function);
	for (i = 0; truth_area && i < TRUTH_AREA / PAGE_SIZE; i++)
		seq_printf(seq, "%lu - - - truth_vmalloc\n",
			   vmalloc_to_pfn(truth_area + i * PAGE_SIZE));
	mutex_unlock(&truth_lock);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(truth_pages);

static struct dentry *truth_dir;

static int __init truth_init(void)
{
	for_each_kernel_tracepoint(truth_find, NULL);
	truth_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_u64("stales", 0400, truth_dir, &truth_stales);
	debugfs_create_file("run", 0200, truth_dir, NULL, &truth_run_fops);
	debugfs_create_file("sites", 0400, truth_dir, NULL, &truth_sites_fops);
	debugfs_create_file("pages", 0400, truth_dir, NULL, &truth_pages_fops);
	return 0;
}

static void __exit truth_exit(void)
{
	debugfs_remove(truth_dir);
	truth_run_drop();
}

module_init(truth_init);
module_exit(truth_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Blocks of pages that are known exactly");
