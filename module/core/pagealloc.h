/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Blocks of pages: the hot path of the page allocator's events.
 *
 *	allocation: class, site --> row: count --> frame of each page
 *	free:       frame of each page --> row: count
 *
 * What the allocator itself says of a block is its class: order, migrate type and gfp
 * flags, in one word.  A class is to a block what a cache is to an object, so rows
 * are kept in a table of the same kind (sitetab.h).  Who wanted the block it does not
 * say; that takes a look at the stack, which costs more than everything else here.
 * So there are three ways:
 *
 *	classes		a row for each class, and no call sites
 *	exact		a row for each call site and class
 *	sampled		a row for each class, and for some blocks (sample.h) one
 *			for call site, class and N as well
 *
 * Numbers by order, migrate type and gfp flags are exact in all three.  A page's
 * frame has one row: of a sampled block it is that of the sample, and the row of the
 * class is found when the page is freed.
 *
 * Whole blocks are counted by their first pages: a block is freed when that is.
 * Bytes are counted page by page.
 */
#ifndef KMA_CORE_PAGEALLOC_H
#define KMA_CORE_PAGEALLOC_H

#include "env.h"
#include "event.h"
#include "pfntab.h"
#include "sample.h"
#include "sitetab.h"
#include "stat.h"

/**
 * enum kma_pages_mode - how pages are tracked
 * @KMA_PAGES_OFF: not at all
 * @KMA_PAGES_CLASSES: by order, migrate type and gfp flags
 * @KMA_PAGES_SITES: by call site as well
 * @KMA_PAGES_SAMPLED: by call site, of sampled allocations only; not a setting:
 *	KMA_PAGES_SITES with a page_sample_bytes
 */
enum kma_pages_mode {
	KMA_PAGES_OFF,
	KMA_PAGES_CLASSES,
	KMA_PAGES_SITES,
	KMA_PAGES_SAMPLED,
};

/*
 * In place of a call site, where it cannot be found; no code is at such an address.
 * Rows of all call sites have the kind of their class there.
 */
#define KMA_SITE_NOWHERE	4UL

/**
 * struct kma_pagealloc - all that page events change
 * @pfns: the page frames
 * @sites: the rows
 */
struct kma_pagealloc {
	struct kma_pfntab pfns;
	struct kma_sitetab sites;
};

/**
 * struct kma_page_event - an allocation of pages that succeeded
 * @order: binary logarithm of how many pages there are
 * @class: kma_class() of order, migrate type and gfp flags
 * @bulk: by the bulk allocator, without an event
 */
struct kma_page_event {
	unsigned int order;
	unsigned long class;
	bool bulk;
};

/**
 * kma_pagealloc_bytes() - memory that the tables take
 * @nr_chunks: stretches there may be
 * @chunks: those with RAM in them
 * @sites_max: rows
 * @nr_cpus: possible CPUs
 *
 * Context: any. Return: bytes.
 */
u64 kma_pagealloc_bytes(u64 nr_chunks, u64 chunks, u32 sites_max, unsigned int nr_cpus);

/**
 * kma_pagealloc_init() - make empty tables
 * @b: the tables
 * @nr_chunks: stretches there may be, of which none is added yet
 * @sites_max: rows, see kma_sitetab_init()
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM, and then nothing is left.
 */
int kma_pagealloc_init(struct kma_pagealloc *b, u64 nr_chunks, u32 sites_max);

/**
 * kma_pagealloc_destroy() - free the tables
 * @b: the tables; zeroed memory will do
 *
 * Context: process, may sleep; no event comes any more.
 */
void kma_pagealloc_destroy(struct kma_pagealloc *b);

/* Context: any. Return: whether a row is of all blocks of a class, beside samples. */
static inline bool kma_pagealloc_is_shadow(const struct kma_pagealloc *b, u32 id)
{
	return b->sites.caches.info[b->sites.info[id].cache].shadow;
}

enum kma_one {
	KMA_ONE_DONE,		/* that was all */
	KMA_ONE_OTHER,		/* nothing was done: to kma_pagealloc_class() or _sampled() */
	KMA_ONE_AT_POINT,		/* to kma_pagealloc_at_point() */
};

/**
 * kma_pagealloc_one() - one page was allocated, as most are
 * @b: the tables
 * @pfn: the number of its frame; without a page, whatever it is then
 * @class: the class of its block, of order 0
 * @sampled: while call sites are looked for of some blocks; otherwise of none
 * @point: of kma_sample_count(), where KMA_ONE_AT_POINT is returned
 *
 * Context: a probe, any context, NMI included. Return: see enum kma_one.
 */
static __always_inline enum kma_one kma_pagealloc_one(struct kma_pagealloc *b, unsigned long pfn,
						      unsigned long class, bool sampled,
						   u8 *point)
{
	const unsigned long kind = sampled ? KMA_CLASS_SHADOW : KMA_CLASS_ALONE;
	const struct kma_site_slot *slot;
	struct kma_pfn *f;

	if (unlikely(!kma_pfntab_has(&b->pfns, pfn)))
		return KMA_ONE_OTHER;
	f = kma_pfntab_at(&b->pfns, pfn);
	/* Plain, for the compiler to compare it in memory. */
	if (unlikely(data_race(f->what)))
		return KMA_ONE_OTHER;
	/* By a word that no row of a call site has: there is nothing else to compare. */
	class = kma_class_kind(class, kind);
	slot = kma_sitetab_first(&b->sites, kind, class);
	/* Both pair with the release in kma_site_fill(). */
	if (unlikely(!kma_acquire_is(&slot->cache, class))) {
		slot = kma_sitetab_second(slot);
		if (unlikely(!kma_acquire_is(&slot->cache, class)))
			return KMA_ONE_OTHER;
	}
	if (sampled) {
		if (unlikely(kma_sample_count(KMA_SAMPLE_PAGES, KMA_PAGE_SIZE, point)))
			return KMA_ONE_AT_POINT;
	} else {
		kma_pfn_describe(f);
	}
	/* Rows of whole classes never go. */
	this_cpu_inc(slot->row->hits);
	kma_pfn_set(f, slot->what);
	return KMA_ONE_DONE;
}

/**
 * kma_pagealloc_class() - a block was allocated, and no call sites are looked for
 * @b: the tables
 * @f: the records of its pages
 * @ev: the block
 *
 * Context: a probe, any context, NMI included.
 */
void kma_pagealloc_class(struct kma_pagealloc *b, struct kma_pfn *f,
			 const struct kma_page_event *ev);

/* Context: as above. Likewise, with its call site, or KMA_SITE_NOWHERE. */
void kma_pagealloc_site(struct kma_pagealloc *b, struct kma_pfn *f, unsigned long site,
			const struct kma_page_event *ev);

/* Context: as above. Likewise, while call sites are looked for of some blocks. */
void kma_pagealloc_sampled(struct kma_pagealloc *b, struct kma_pfn *f,
			   const struct kma_page_event *ev);

/* Context: as above. Likewise, after kma_sample_count(), with its sample point. */
void kma_pagealloc_at_point(struct kma_pagealloc *b, struct kma_pfn *f,
			    const struct kma_page_event *ev, u8 point);

/**
 * kma_pagealloc_no_pfn() - a block was allocated in memory that is not known
 * @b: the tables
 * @ev: the block
 *
 * Context: a probe, any context, NMI included.
 */
void kma_pagealloc_no_pfn(struct kma_pagealloc *b, const struct kma_page_event *ev);

/* Several pages, or one that is not recorded or sampled. */
void kma_pagealloc_free_slow(struct kma_pagealloc *b, unsigned long pfn, unsigned int order);

/* One page: while nothing is recorded, and just after, all are like the first. */
static __always_inline void kma_pagealloc_free_other(struct kma_pagealloc *b, unsigned long pfn,
						     u32 what)
{
	if (what) {
		kma_pagealloc_free_slow(b, pfn, 0);
	} else {
		kma_stat_inc(page_frees_only);
		kma_stat_inc(pages_free_only);
	}
}

/**
 * kma_pagealloc_free() - pages are about to be freed
 * @b: the tables
 * @pfn: number of the first page frame
 * @order: binary logarithm of how many
 *
 * Context: a probe, any context, NMI included.
 */
static __always_inline void kma_pagealloc_free(struct kma_pagealloc *b, unsigned long pfn,
					       unsigned int order)
{
	struct kma_pfn *f;
	u32 row;

	if (unlikely(order) || unlikely(!kma_pfntab_has(&b->pfns, pfn))) {
		kma_pagealloc_free_slow(b, pfn, order);
		return;
	}
	f = kma_pfntab_at(&b->pfns, pfn);
	/* Nothing is recorded, or there are flags: in one comparison. */
	row = READ_ONCE(f->what) - 1;
	if (unlikely(row >= KMA_PFN_ROW)) {
		kma_pagealloc_free_other(b, pfn, row + 1);
		return;
	}
	kma_pfn_clear(f);
	this_cpu_inc(b->sites.row[row]->frees);
}

#endif /* KMA_CORE_PAGEALLOC_H */
