// SPDX-License-Identifier: GPL-2.0
/* Page events, what is rare of them.  See the overview in blocks.h. */
#include "blocks.h"

u64 kma_blocks_bytes(u64 nr_chunks, u64 chunks, u32 sites_max, unsigned int nr_cpus)
{
	return nr_chunks * sizeof(struct kma_pfn *) +
	       (chunks + 1) * kma_pfntab_chunk_bytes() +
	       kma_sitetab_blocks_bytes(sites_max, nr_cpus);
}

int kma_blocks_init(struct kma_blocks *b, u64 nr_chunks, u32 sites_max)
{
	int ret = kma_pfntab_init(&b->pfns, nr_chunks);

	if (ret)
		return ret;
	ret = kma_sitetab_init_blocks(&b->sites, sites_max);
	if (ret)
		kma_pfntab_destroy(&b->pfns);
	return ret;
}

void kma_blocks_destroy(struct kma_blocks *b)
{
	kma_sitetab_destroy(&b->sites);
	kma_pfntab_destroy(&b->pfns);
}

/* ---- the rows that a page counts in ---------------------------------------- */

static const struct kma_site_slot *
kma_blocks_slot(struct kma_blocks *b, unsigned long class, unsigned long kind)
{
	return kma_sitetab_get(&b->sites, kind, kma_class_kind(class, kind));
}

/* The row of all blocks of a sample's class; it is there since the sample. */
static struct kma_row __percpu *kma_blocks_shadow(struct kma_blocks *b, u32 id)
{
	struct kma_sitetab *t = &b->sites;
	const unsigned long class = kma_class_kind(t->caches.info[t->info[id].cache].class,
						   KMA_CLASS_SHADOW);

	return t->row[kma_sitetab_known(t, KMA_CLASS_SHADOW, class)];
}

/* Pages in a row of which the same becomes. */
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

static void kma_run_freed(struct kma_blocks *b, const struct kma_run *run)
{
	const u32 row = kma_pfn_row(run->what);

	if (!run->what) {
		kma_stat_add(pages_free_only, run->firsts);
		return;
	}
	kma_row_freed(b->sites.row[row], run);
	if (run->what & KMA_PFN_SAMPLED)
		kma_row_freed(kma_blocks_shadow(b, row), run);
}

static void kma_blocks_free_pfns(struct kma_blocks *b, struct kma_pfn *f,
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

void kma_blocks_free_slow(struct kma_blocks *b, unsigned long pfn, unsigned int order)
{
	unsigned long nr, left = 1UL << order;
	struct kma_pfn *f;

	f = kma_pfntab_find(&b->pfns, pfn);
	if (!f || !READ_ONCE(f->what))
		kma_stat_inc(page_frees_only);
	/* A block of an order that the allocator has is in one chunk. */
	for (; left; left -= nr, pfn += nr) {
		nr = min(left, KMA_CHUNK_PFNS - pfn % KMA_CHUNK_PFNS);
		f = kma_pfntab_find(&b->pfns, pfn);
		if (f)
			kma_blocks_free_pfns(b, f, nr);
		else
			kma_stat_add(pages_free_only, nr);
	}
}

/* ---- allocations ------------------------------------------------------------ */

static void kma_row_repaired(struct kma_row __percpu *row, bool first)
{
	if (first)
		this_cpu_inc(row->repaired);
	else
		this_cpu_inc(row->rest_repaired);
}

/* A page that is recorded is allocated again: its free was not announced. */
static void kma_blocks_replaced(struct kma_blocks *b, struct kma_pfn *f)
{
	const bool first = !(f->what & KMA_PFN_REST);
	const u32 row = kma_pfn_row(f->what);

	kma_row_repaired(b->sites.row[row], first);
	if (f->what & KMA_PFN_SAMPLED)
		kma_row_repaired(kma_blocks_shadow(b, row), first);
	kma_stat_inc(pages_replaced);
	kma_pfn_clear(f);
	/* Before another record is begun: pairs with the barrier in kma_pfn_read(). */
	smp_wmb();
}

static void kma_blocks_fill(struct kma_blocks *b, u32 row, struct kma_pfn *f,
			    unsigned int order, u32 flags, bool bare)
{
	const struct kma_pfn *end = f + (1UL << order);

	for (; f < end; f++) {
		if (READ_ONCE(f->what))
			kma_blocks_replaced(b, f);
		if (!bare)
			kma_pfn_describe(f);
		kma_pfn_set(f, row + 1 + flags);
		flags |= KMA_PFN_REST;
	}
}

static void kma_blocks_hit(struct kma_blocks *b, u32 id, const struct kma_block *block)
{
	if (block->bulk)
		this_cpu_inc(b->sites.row[id]->bulk);
	else
		this_cpu_inc(b->sites.row[id]->hits);
}

static void kma_blocks_record(struct kma_blocks *b, const struct kma_site_slot *slot,
			      struct kma_pfn *f, const struct kma_block *block,
			      u32 flags, bool bare)
{
	const u32 id = slot ? READ_ONCE(slot->id) : 0;

	/* Otherwise it is counted why not. */
	if (!slot)
		return;
	kma_blocks_hit(b, id, block);
	kma_blocks_fill(b, id, f, block->order, flags, bare);
}

void kma_blocks_alone(struct kma_blocks *b, struct kma_pfn *f,
		      const struct kma_block *block)
{
	kma_blocks_record(b, kma_blocks_slot(b, block->class, KMA_CLASS_ALONE), f, block,
			  0, false);
}

void kma_blocks_alloc(struct kma_blocks *b, struct kma_pfn *f, unsigned long site,
		      const struct kma_block *block)
{
	kma_blocks_record(b, kma_sitetab_get(&b->sites, site, block->class), f, block,
			  0, false);
}

void kma_blocks_no_pfn(struct kma_blocks *b, const struct kma_block *block)
{
	const struct kma_site_slot *slot = kma_blocks_slot(b, block->class,
							   KMA_CLASS_ALONE);

	kma_stat_inc(page_no_pfn);
	if (!slot)
		return;
	kma_blocks_hit(b, READ_ONCE(slot->id), block);
	this_cpu_inc(b->sites.row[READ_ONCE(slot->id)]->no_entry);
}

static void kma_blocks_shadowed(struct kma_blocks *b, struct kma_pfn *f,
				const struct kma_block *block)
{
	kma_blocks_record(b, kma_blocks_slot(b, block->class, KMA_CLASS_SHADOW), f, block,
			  0, true);
}

static void kma_blocks_sample(struct kma_blocks *b, struct kma_pfn *f,
			      const struct kma_block *block, int shift)
{
	const struct kma_origin o = { .site = kma_env_block_site(), .shift = shift };
	const struct kma_site_slot *shadow, *slot;

	shadow = kma_blocks_slot(b, block->class, KMA_CLASS_SHADOW);
	if (!shadow)
		return;
	slot = kma_sitetab_sample(&b->sites, &o, block->class);
	if (!slot) {
		kma_blocks_record(b, shadow, f, block, 0, true);
		return;
	}
	kma_blocks_hit(b, READ_ONCE(shadow->id), block);
	kma_blocks_record(b, slot, f, block, KMA_PFN_SAMPLED, false);
}

void kma_blocks_at_point(struct kma_blocks *b, struct kma_pfn *f,
		       const struct kma_block *block, u8 point)
{
	const int shift = kma_sample_take(KMA_SAMPLE_BLOCKS,
					  KMA_PAGE_SIZE << block->order, point);

	if (shift)
		kma_blocks_sample(b, f, block, shift);
	else
		kma_blocks_shadowed(b, f, block);
}

void kma_blocks_sampled(struct kma_blocks *b, struct kma_pfn *f,
			const struct kma_block *block)
{
	u8 point;

	if (kma_sample_count(KMA_SAMPLE_BLOCKS, KMA_PAGE_SIZE << block->order, &point))
		kma_blocks_at_point(b, f, block, point);
	else
		kma_blocks_shadowed(b, f, block);
}
