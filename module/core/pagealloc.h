/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Page allocations: the hot path of the page allocator's events.
 *
 *	allocation: class, site --> row: count --> record of each page
 *	free:       record of each page --> row: count
 *
 * The class of a page allocation is what the tracepoint reports about it: order, migrate type
 * and gfp flags, in one word (event.h).  Page allocations have classes as objects have caches,
 * so their rows are kept in a table of the same kind (sitetab.h).  The tracepoint does not
 * report the call site.  To find it, the probe has to unwind the stack, which costs more
 * than everything else here.  So there are three modes:
 *
 *	classes		a row for each class, and no call sites
 *	sites		a row for each call site and class
 *	sampled		a row for each class and, for sampled page allocations (sample.h),
 *			also a row for each call site, class and N
 *
 * Numbers by order, migrate type and gfp flags are exact in all three modes.  The record
 * of a page has the number of one row.  If the page allocation is sampled, this is the row of
 * the sample, and the row of the class is looked up when the page is freed.
 *
 * If the gfp flags ask to charge a page allocation to a cgroup, and the record stores a row with a
 * call site, the record stores the owner (owner.h), too.
 *
 * A page allocation counts as freed when its first page is freed, because its pages may be
 * freed separately.  Bytes are counted page by page.
 *
 * Context, unless a function says otherwise: a probe, any context, NMI included; for functions
 * that allocate or free the tables: process, may sleep.
 */
#ifndef KMA_CORE_PAGEALLOC_H
#define KMA_CORE_PAGEALLOC_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

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
 * @KMA_PAGES_SAMPLED: like KMA_PAGES_SITES, but with call sites of sampled page allocations
 *	only.  The setting `pages` does not have this value: this mode is in effect while
 *	`pages` is KMA_PAGES_SITES and page_sample_bytes is not 0.
 */
enum kma_pages_mode {
	KMA_PAGES_OFF,
	KMA_PAGES_CLASSES,
	KMA_PAGES_SITES,
	KMA_PAGES_SAMPLED,
};

/*
 * Stands for a call site that cannot be found.  There is no code at this address.
 *
 * A row that counts all call sites has the kind of its class in place of a call site.  The kind
 * is KMA_CLASS_SAMPLED if samples of the class have rows of their own; otherwise it is
 * KMA_CLASS_WHOLE.
 */
#define KMA_SITE_UNKNOWN	4UL

/**
 * struct kma_pagealloc - the tables that page events change
 * @pfns: the records of pages
 * @sites: the rows
 */
struct kma_pagealloc {
	struct kma_pfntab pfns;
	struct kma_sitetab sites;
};

/**
 * struct kma_page_event - a page allocation that succeeded
 * @order: binary logarithm of the number of pages
 * @class: result of kma_class() for order, migrate type and gfp flags
 * @bulk: true if the page is from the bulk page allocator, which has no tracepoint
 */
struct kma_page_event {
	unsigned int order;
	unsigned long class;
	bool bulk;
};

/*
 * Bytes that the tables take, with room for @nr_chunks chunks (pfntab.h), of which @chunks have
 * RAM.  Context: any.
 */
u64 kma_pagealloc_bytes(u64 nr_chunks, u64 chunks, u32 sites_max, unsigned int nr_cpus);

/*
 * Allocate empty tables, with room for @nr_chunks chunks, which kma_pfntab_add() adds, and with
 * @sites_max rows.  Returns 0 or -ENOMEM.
 */
int kma_pagealloc_init(struct kma_pagealloc *b, u64 nr_chunks, u32 sites_max);

/* Free @b, which may be zeroed memory, and which no probe uses any more. */
void kma_pagealloc_destroy(struct kma_pagealloc *b);

/* The class of row @id.  Context: any. */
static inline unsigned long kma_pagealloc_class_of(const struct kma_pagealloc *b, u32 id)
{
	return b->sites.caches.info[b->sites.info[id].cache].class;
}

/*
 * Whether row @id counts all page allocations of its class, while samples of the class have rows
 * of their own: the kind of the class is KMA_CLASS_SAMPLED.  Context: any.
 */
static inline bool kma_pagealloc_is_sampled(const struct kma_pagealloc *b, u32 id)
{
	return b->sites.caches.info[b->sites.info[id].cache].sampled;
}

/*
 * Whether only the class of a page is recorded: the page was allocated while page allocations
 * were sampled, and is not part of a sample.  @f has a row.  Context: any.
 */
static inline bool kma_pagealloc_is_bare(const struct kma_pagealloc *b, const struct kma_pfn *f)
{
	return kma_pagealloc_is_sampled(b, kma_pfn_row(f->what));
}

/**
 * enum kma_one - result of kma_pagealloc_one()
 * @KMA_ONE_DONE: the page allocation is recorded
 * @KMA_ONE_OTHER: nothing was done: the caller has to check for the rare cases, and to call
 *	kma_pagealloc_class() or kma_pagealloc_sampled()
 * @KMA_ONE_AT_POINT: only the bytes were counted: the caller has to call
 *	kma_pagealloc_sampled_hit()
 */
enum kma_one {
	KMA_ONE_DONE,
	KMA_ONE_OTHER,
	KMA_ONE_AT_POINT,
};

/**
 * kma_pagealloc_one() - record the allocation of one page, in the common case
 * @b: the tables
 * @pfn: the page frame number; if the page allocation failed, page_to_pfn(NULL), for which
 *	there is no record
 * @class: the class, of order 0
 * @sampled: true in the mode "sampled", false in the mode "classes"; see above
 * @point: if KMA_ONE_AT_POINT is returned, as set by kma_sample_count()
 *
 * Return: see enum kma_one.
 */
static __always_inline enum kma_one kma_pagealloc_one(struct kma_pagealloc *b, unsigned long pfn,
						      unsigned long class, bool sampled,
						      u8 *point)
{
	const unsigned long kind = sampled ? KMA_CLASS_SAMPLED : KMA_CLASS_WHOLE;
	const struct kma_site_slot *slot;
	struct kma_pfn *f;

	if (unlikely(!kma_pfntab_has(&b->pfns, pfn)))
		return KMA_ONE_OTHER;
	f = kma_pfntab_at(&b->pfns, pfn);
	/* A plain load, so that the compiler may compare the word in memory. */
	if (unlikely(data_race(f->what)))
		return KMA_ONE_OTHER;
	/* Only the row of the whole class has a class of this kind, so compare only the class. */
	class = kma_class_kind(class, kind);
	slot = kma_sitetab_first(&b->sites, kind, class);
	/* Both acquires pair with the release in kma_site_slot_set(). */
	if (unlikely(!kma_acquire_is(&slot->cache, class))) {
		slot = kma_sitetab_second(slot);
		if (unlikely(!kma_acquire_is(&slot->cache, class)))
			return KMA_ONE_OTHER;
	}
	if (sampled) {
		if (unlikely(kma_sample_count(KMA_SAMPLE_PAGES, KMA_PAGE_SIZE, point)))
			return KMA_ONE_AT_POINT;
	} else {
		kma_pfn_describe(f, KMA_OWNER_NONE);
	}
	/* The row of a whole class is never retired, so the slot remains valid. */
	this_cpu_inc(slot->row->hits);
	kma_pfn_set(f, slot->what);
	return KMA_ONE_DONE;
}

/* Record a page allocation in the mode "classes". @f are the records of its pages. */
void kma_pagealloc_class(struct kma_pagealloc *b, struct kma_pfn *f,
			 const struct kma_page_event *ev);

/* Record a page allocation in the mode "sites". @site may be KMA_SITE_UNKNOWN. */
void kma_pagealloc_site(struct kma_pagealloc *b, struct kma_pfn *f, unsigned long site,
			const struct kma_page_event *ev);

/* Record a page allocation in the mode "sampled". */
void kma_pagealloc_sampled(struct kma_pagealloc *b, struct kma_pfn *f,
			   const struct kma_page_event *ev);

/* Record a page allocation after kma_sample_count() has returned true and set @point. */
void kma_pagealloc_sampled_hit(struct kma_pagealloc *b, struct kma_pfn *f,
			       const struct kma_page_event *ev, u8 point);

/* Count a page allocation in memory for which no chunk was added. */
void kma_pagealloc_no_pfn(struct kma_pagealloc *b, const struct kma_page_event *ev);

/*
 * Record that 2^@order pages, from the page frame @pfn on, are about to be freed, in the general
 * case: several pages, a page without a record, or a page whose record has flags.
 */
void kma_pagealloc_free_slow(struct kma_pagealloc *b, unsigned long pfn, unsigned int order);

/*
 * Free one page whose record is empty or has flags.  While recording is off, and for a while
 * after it was turned on, nearly all pages that are freed have empty records, so that case is
 * handled without a function call.
 */
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

/* Record that 2^@order pages, from the page frame @pfn on, are about to be freed. */
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
	/* A single comparison catches empty records, which give U32_MAX, and records with flags. */
	row = READ_ONCE(f->what) - 1;
	if (unlikely(row >= KMA_PFN_ROW)) {
		kma_pagealloc_free_other(b, pfn, row + 1);
		return;
	}
	kma_pfn_clear(f);
	this_cpu_inc(b->sites.row[row]->frees);
}

#endif /* KMA_CORE_PAGEALLOC_H */
