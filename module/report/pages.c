// SPDX-License-Identifier: GPL-2.0
/*
 * `pages`: the live pages.
 *
 * A row is a piece of a page allocation: consecutive pages, none of which has been freed.
 * A piece begins with the first page of the allocation, or after a page that was freed.
 */
#include <linux/memory_hotplug.h>
#include <linux/mm.h>

#include "../state.h"
#include "../trace/page_track.h"
#include "rows_page.h"

enum {
#define X(name, ...) KMA_PAGE_##name,
	KMA_PAGES_COLUMNS(X)
#undef X
};

/*
 * A row.  It has a copy of everything but the name: the tables may be freed before it is printed.
 */
struct kma_piece {
	unsigned long pfn;
	u64 pages;
	struct kma_pfn frame;
	unsigned long class;
	u64 weight;
};

/* The node of a piece; KMA_NO_ID if the memory has been removed meanwhile. */
static u64 kma_piece_node(const struct kma_piece *p)
{
	struct page *page = pfn_to_online_page(p->pfn);

	return page ? page_to_nid(page) : KMA_NO_ID;
}

static u64 kma_piece_value(const struct kma_snapshot *snap, const void *row, int column)
{
	const struct kma_piece *p = row;

	switch (column) {
	case KMA_PAGE_pfn:
		return p->pfn;
	case KMA_PAGE_pages:
		return p->pages;
	case KMA_PAGE_order:
		return kma_class_order(p->class);
	case KMA_PAGE_migratetype:
		return kma_class_type(p->class);
	case KMA_PAGE_gfp:
		return kma_class_gfp(p->class);
	case KMA_PAGE_age_ms:
		return kma_env_age_ms(snap->now, p->frame.time);
	case KMA_PAGE_cpu:
		return kma_pfn_cpu(&p->frame);
	case KMA_PAGE_node:
		return kma_piece_node(p);
	case KMA_PAGE_weight:
		return kma_estimate_round(kma_weigh(1000, p->weight));
	default:
		return p->frame.tgid ?: KMA_NO_ID;
	}
}

static const char *kma_piece_label(const struct kma_snapshot *snap, const void *row)
{
	const struct kma_piece *p = row;

	return kma_names_known(snap->names, kma_pfn_row(p->frame.what));
}

/* Whether a page belongs to the same piece as the page before it. */
static bool kma_piece_goes_on(const struct kma_piece *p, const struct kma_pfn *record)
{
	return p->pages && record->what == (p->frame.what | KMA_PFN_REST);
}

static void kma_piece_describe(struct kma_piece *p)
{
	const u32 id = kma_pfn_row(p->frame.what);
	const struct kma_site_info *info = &kma_pagealloc.sites.info[id];
	const struct kma_cache_info *cache = &kma_pagealloc.sites.caches.info[info->cache];

	p->class = cache->class;
	p->weight = kma_sample_weight(cache->size, READ_ONCE(info->shift));
}

static void kma_piece_add(struct kma_snapshot *snap, struct kma_piece *p)
{
	struct kma_piece *row;

	if (!p->pages)
		return;
	kma_piece_describe(p);
	row = kma_snapshot_add(snap);
	if (row) {
		kma_names_need(snap->names, kma_pfn_row(p->frame.what));
		*row = *p;
	} else {
		snap->cut++;
	}
	p->pages = 0;
}

/* Copy the pieces of one chunk.  No page allocation spans two chunks. */
static void kma_pages_copy(struct kma_snapshot *snap, unsigned long pfn)
{
	const struct kma_pfn *f = kma_pfntab_find(&kma_pagealloc.pfns, pfn);
	const unsigned long end = pfn + KMA_CHUNK_PFNS;
	struct kma_piece p = {};
	struct kma_pfn record;

	if (!f)
		return;
	for (; pfn < end; pfn++, f++) {
		if (!kma_pfn_read(f, &record) || kma_pagealloc_is_bare(&kma_pagealloc, &record))
			record.what = 0;
		if (kma_piece_goes_on(&p, &record)) {
			p.pages++;
			continue;
		}
		kma_piece_add(snap, &p);
		if (record.what)
			p = (struct kma_piece) { .pfn = pfn, .pages = 1, .frame = record };
	}
	kma_piece_add(snap, &p);
}

/* An upper bound on the number of pieces in one chunk. */
static size_t kma_pages_count(unsigned long pfn)
{
	const struct kma_pfn *f = kma_pfntab_find(&kma_pagealloc.pfns, pfn);
	size_t i, nr = 0;
	u32 before = 0, what;

	if (!f)
		return 0;
	for (i = 0; i < KMA_CHUNK_PFNS; i++, f++) {
		what = READ_ONCE(f->what);
		nr += what && what != (before | KMA_PFN_REST);
		before = what;
	}
	return nr;
}

static int kma_pages_fill(struct kma_snapshot *snap)
{
	const u64 chunks = kma_pagealloc.pfns.nr_chunks;
	size_t nr = 0;
	u64 i;
	int ret = 0;

	if (!kma_pages_tracked())
		return kma_snapshot_room(snap, 0);
	snap->names = kma_names_new(&kma_pagealloc.sites);
	if (!snap->names)
		return -ENOMEM;
	for (i = 0; !ret && i < chunks; i++) {
		nr += kma_pages_count(i * KMA_CHUNK_PFNS);
		ret = kma_snapshot_pause(snap);
	}
	if (ret)
		return ret;
	/* Leave room for pieces that are added between the two walks. */
	if (kma_snapshot_room(snap, nr + nr / 8 + 1024))
		return -ENOMEM;
	for (i = 0; !ret && i < chunks; i++) {
		kma_pages_copy(snap, i * KMA_CHUNK_PFNS);
		ret = kma_snapshot_pause(snap);
	}
	return ret ?: kma_snapshot_name_sites(snap);
}

const struct kma_table_ops kma_pages_ops = {
	.row_size = sizeof(struct kma_piece),
	.sort = { .key = { KMA_PAGE_age_ms }, .nr = 1 },
	.pages = true,
	.fill = kma_pages_fill,
	.value = kma_piece_value,
	.label = kma_piece_label,
};
