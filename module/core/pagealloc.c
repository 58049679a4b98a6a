// SPDX-License-Identifier: GPL-2.0
/* Page allocations: the rare cases.  See the overview in pagealloc.h. */
#include <linux/atomic.h>
#include <linux/kernel.h>

#include "owner.h"
#include "pagealloc.h"

u64 kma_pagealloc_bytes(u64 nr_chunks, u64 chunks, u32 sites_max, unsigned int nr_cpus)
{
	return nr_chunks * sizeof(struct kma_pfn *) +
	       (chunks + 1) * kma_pfntab_chunk_bytes() +
	       kma_sitetab_pages_bytes(sites_max, nr_cpus);
}

int kma_pagealloc_init(struct kma_pagealloc *b, u64 nr_chunks, u32 sites_max)
{
	int ret = kma_pfntab_init(&b->pfns, nr_chunks);

	if (ret)
		return ret;
	ret = kma_sitetab_init_pages(&b->sites, sites_max);
	if (ret)
		kma_pfntab_destroy(&b->pfns);
	return ret;
}

void kma_pagealloc_destroy(struct kma_pagealloc *b)
{
	kma_sitetab_destroy(&b->sites);
	kma_pfntab_destroy(&b->pfns);
}

/* ---- rows of a class --------------------------------------------------------- */

/* Get the slot of the row of a whole class.  @kind: KMA_CLASS_WHOLE or KMA_CLASS_SAMPLED. */
static const struct kma_site_slot *
kma_pagealloc_slot(struct kma_pagealloc *b, unsigned long class, unsigned long kind)
{
	return kma_sitetab_get(&b->sites, kind, kma_class_kind(class, kind));
}

/*
 * Get the row of the whole class of @id, which is a row of samples.  The row of the class exists,
 * because kma_pagealloc_sample() gets it before it records a sample.
 */
static struct kma_row __percpu *kma_pagealloc_class_row(struct kma_pagealloc *b, u32 id)
{
	struct kma_sitetab *t = &b->sites;
	const unsigned long class = kma_class_kind(kma_pagealloc_class_of(b, id),
						   KMA_CLASS_SAMPLED);

	return t->row[kma_sitetab_known(t, KMA_CLASS_SAMPLED, class)];
}

/* ---- frees ------------------------------------------------------------------- */

/*
 * A run: consecutive pages whose records have the same @what, apart from KMA_PFN_REST.  They are
 * counted together.  @firsts is the number of pages that are the first page of their page
 * allocation, and @rest is the number of the other pages.
 */
struct kma_run {
	u32 what;
	u64 firsts;
	u64 rest;
};

static void kma_run_begin(struct kma_run *run, const struct kma_pfn *f)
{
	*run = (struct kma_run) { .what = f->what & ~KMA_PFN_REST };
}

static bool kma_run_goes_on(const struct kma_run *run, const struct kma_pfn *f)
{
	return (f->what & ~KMA_PFN_REST) == run->what;
}

static void kma_run_add(struct kma_run *run, struct kma_pfn *f)
{
	if (f->what & KMA_PFN_REST)
		run->rest++;
	else
		run->firsts++;
	if (f->what)
		kma_pfn_clear(f);
}

static void kma_row_freed(struct kma_row __percpu *row, const struct kma_run *run)
{
	this_cpu_add(row->frees, run->firsts);
	this_cpu_add(row->rest_freed, run->rest);
}

static void kma_run_freed(struct kma_pagealloc *b, const struct kma_run *run)
{
	const u32 row = kma_pfn_row(run->what);

	if (!run->what) {
		kma_stat_add(pages_free_only, run->firsts);
		return;
	}
	kma_row_freed(b->sites.row[row], run);
	if (run->what & KMA_PFN_SAMPLED)
		kma_row_freed(kma_pagealloc_class_row(b, row), run);
}

static void kma_pagealloc_free_pfns(struct kma_pagealloc *b, struct kma_pfn *f,
				    unsigned long nr)
{
	const struct kma_pfn *end = f + nr;
	struct kma_run run;

	while (f < end) {
		for (kma_run_begin(&run, f); f < end && kma_run_goes_on(&run, f); f++)
			kma_run_add(&run, f);
		kma_run_freed(b, &run);
	}
}

void kma_pagealloc_free_slow(struct kma_pagealloc *b, unsigned long pfn, unsigned int order)
{
	unsigned long nr, left = 1UL << order;
	struct kma_pfn *f;

	f = kma_pfntab_find(&b->pfns, pfn);
	if (!f || !READ_ONCE(f->what))
		kma_stat_inc(page_frees_only);
	/* This is one iteration for all orders of the page allocator: they fit into one chunk. */
	for (; left; left -= nr, pfn += nr) {
		nr = min(left, KMA_CHUNK_PFNS - pfn % KMA_CHUNK_PFNS);
		f = kma_pfntab_find(&b->pfns, pfn);
		if (f)
			kma_pagealloc_free_pfns(b, f, nr);
		else
			kma_stat_add(pages_free_only, nr);
	}
}

/* ---- allocations ------------------------------------------------------------- */

static void kma_row_repaired(struct kma_row __percpu *row, bool first)
{
	if (first)
		this_cpu_inc(row->repaired);
	else
		this_cpu_inc(row->rest_repaired);
}

/* A page that still has a record is allocated again: its free was not seen. */
static void kma_pagealloc_replaced(struct kma_pagealloc *b, struct kma_pfn *f)
{
	const bool first = !(f->what & KMA_PFN_REST);
	const u32 row = kma_pfn_row(f->what);

	kma_row_repaired(b->sites.row[row], first);
	if (f->what & KMA_PFN_SAMPLED)
		kma_row_repaired(kma_pagealloc_class_row(b, row), first);
	kma_stat_inc(pages_replaced);
	kma_pfn_clear(f);
	/* Clear before the next record is written; pairs with the smp_rmb() in kma_pfn_read(). */
	smp_wmb();
}

/* Not inlined, so that page allocations that are not charged need no stack for @o. */
static noinline u32 kma_pagealloc_charged(void)
{
	struct kma_owned o;

	kma_owner_now(KMA_CHARGE, &o);
	return o.owner;
}

/* The owner of a page allocation, as in struct kma_owned, if it is to be charged to a cgroup. */
static u32 kma_pagealloc_owner(const struct kma_page_event *ev)
{
	return kma_class_gfp(ev->class) & KMA_GFP_ACCOUNT ? kma_pagealloc_charged() :
							    KMA_OWNER_NONE;
}

/* In place of an owner, which has no such value: the records only get the row. */
#define KMA_PAGE_BARE	1U

/* Write the records of a page allocation. */
static void kma_rows_page_fill(struct kma_pagealloc *b, u32 row, struct kma_pfn *f,
			       unsigned int order, u32 flags, u32 owner)
{
	const struct kma_pfn *end = f + (1UL << order);

	for (; f < end; f++) {
		if (READ_ONCE(f->what))
			kma_pagealloc_replaced(b, f);
		if (owner != KMA_PAGE_BARE)
			kma_pfn_describe(f, owner);
		kma_pfn_set(f, row + 1 + flags);
		flags |= KMA_PFN_REST;
	}
}

static void kma_pagealloc_hit(struct kma_pagealloc *b, u32 id, const struct kma_page_event *ev)
{
	if (ev->bulk)
		this_cpu_inc(b->sites.row[id]->bulk);
	else
		this_cpu_inc(b->sites.row[id]->hits);
}

static void kma_pagealloc_record(struct kma_pagealloc *b, const struct kma_site_slot *slot,
				 struct kma_pfn *f, const struct kma_page_event *ev,
				 u32 flags, u32 owner)
{
	const u32 id = slot ? READ_ONCE(slot->id) : 0;

	/* Without a slot, no row counts the event; kma_sitetab_get() has counted the reason. */
	if (!slot)
		return;
	kma_pagealloc_hit(b, id, ev);
	kma_rows_page_fill(b, id, f, ev->order, flags, owner);
}

void kma_pagealloc_class(struct kma_pagealloc *b, struct kma_pfn *f,
			 const struct kma_page_event *ev)
{
	kma_pagealloc_record(b, kma_pagealloc_slot(b, ev->class, KMA_CLASS_WHOLE), f, ev,
			     0, KMA_OWNER_NONE);
}

void kma_pagealloc_site(struct kma_pagealloc *b, struct kma_pfn *f, unsigned long site,
			const struct kma_page_event *ev)
{
	kma_pagealloc_record(b, kma_sitetab_get(&b->sites, site, ev->class), f, ev,
			     0, kma_pagealloc_owner(ev));
}

void kma_pagealloc_no_pfn(struct kma_pagealloc *b, const struct kma_page_event *ev)
{
	const struct kma_site_slot *slot = kma_pagealloc_slot(b, ev->class,
							      KMA_CLASS_WHOLE);

	kma_stat_inc(page_no_pfn);
	if (!slot)
		return;
	kma_pagealloc_hit(b, READ_ONCE(slot->id), ev);
	this_cpu_inc(b->sites.row[READ_ONCE(slot->id)]->no_entry);
}

static void kma_pagealloc_count_class(struct kma_pagealloc *b, struct kma_pfn *f,
				      const struct kma_page_event *ev)
{
	kma_pagealloc_record(b, kma_pagealloc_slot(b, ev->class, KMA_CLASS_SAMPLED), f, ev,
			     0, KMA_PAGE_BARE);
}

static void kma_pagealloc_sample(struct kma_pagealloc *b, struct kma_pfn *f,
				 const struct kma_page_event *ev, int shift)
{
	const struct kma_origin o = { .site = kma_env_page_site(), .shift = shift };
	const struct kma_site_slot *class, *slot;

	class = kma_pagealloc_slot(b, ev->class, KMA_CLASS_SAMPLED);
	if (!class)
		return;
	slot = kma_sitetab_sample(&b->sites, &o, ev->class);
	if (!slot) {
		kma_pagealloc_record(b, class, f, ev, 0, KMA_PAGE_BARE);
		return;
	}
	kma_pagealloc_hit(b, READ_ONCE(class->id), ev);
	kma_pagealloc_record(b, slot, f, ev, KMA_PFN_SAMPLED, kma_pagealloc_owner(ev));
}

void kma_pagealloc_sampled_hit(struct kma_pagealloc *b, struct kma_pfn *f,
			       const struct kma_page_event *ev, u8 point)
{
	const int shift = kma_sample_take(KMA_SAMPLE_PAGES,
					  KMA_PAGE_SIZE << ev->order, point);

	if (shift)
		kma_pagealloc_sample(b, f, ev, shift);
	else
		kma_pagealloc_count_class(b, f, ev);
}

void kma_pagealloc_sampled(struct kma_pagealloc *b, struct kma_pfn *f,
			   const struct kma_page_event *ev)
{
	u8 point;

	if (kma_sample_count(KMA_SAMPLE_PAGES, KMA_PAGE_SIZE << ev->order, &point))
		kma_pagealloc_sampled_hit(b, f, ev, point);
	else
		kma_pagealloc_count_class(b, f, ev);
}
