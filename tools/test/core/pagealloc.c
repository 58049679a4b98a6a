// SPDX-License-Identifier: GPL-2.0
/*
 * Compares the tables of page allocations with a model of each page, after sequential
 * events, under the address sanitizer and the undefined behaviour sanitizer.
 *
 *   pagealloc [SEED]
 */
#include <errno.h>
#include <linux/kernel.h>
#include <linux/numa.h>
#include <stdlib.h>
#include <string.h>

#include "seeded.h"
#include "../../../module/core/pagealloc.h"

/* The first two of three chunks have RAM.  The pages of the test are around their border. */
#define KMA_CHUNKS	3
#define KMA_FIRST	(KMA_CHUNK_PFNS - 1024)
#define KMA_PAGES	2048
#define KMA_ABSENT	(2 * KMA_CHUNK_PFNS)

#define KMA_SITES	8
#define KMA_TYPES	3
#define KMA_GFPS	3
#define KMA_ORDERS	11

/*
 * The allocations that a row counts: all page allocations of a class (two kinds), or those of a
 * class and a call site (exact or sampled).
 */
enum {
	KMA_WHOLE_CLASS,
	KMA_SAMPLED_CLASS,
	KMA_EXACT,
	KMA_SAMPLED = KMA_EXACT + KMA_SITES,
	KMA_ROW_KINDS = KMA_SAMPLED + KMA_SITES,
};

struct kma_page {
	u32 row;	/* index in kma_account, plus 1; 0: the page is not allocated */
	bool rest;
	bool sampled;
	bool bare;	/* only the class is recorded */
	bool charged;
	struct kma_owner owner;
};

static struct kma_pagealloc kma_pagealloc;
static struct kma_page kma_page[KMA_PAGES];
static struct kma_row kma_account[KMA_ROW_KINDS * KMA_TYPES * KMA_GFPS * KMA_ORDERS];
static struct kma_stats kma_expected;

/* ---- the model ----------------------------------------------------------------- */

static u32 kma_number(u32 kind, unsigned long class)
{
	return ((kind * KMA_TYPES + kma_class_type(class)) * KMA_GFPS +
		kma_class_gfp(class)) * KMA_ORDERS + kma_class_order(class);
}

static struct kma_row *kma_account_of(const struct kma_page *page)
{
	return &kma_account[page->row - 1];
}

/* The row that counts all page allocations of the class of a sampled page. */
static struct kma_row *kma_account_class(const struct kma_page *page)
{
	u32 class = (page->row - 1) % (ARRAY_SIZE(kma_account) / KMA_ROW_KINDS);

	return &kma_account[KMA_SAMPLED_CLASS * (ARRAY_SIZE(kma_account) / KMA_ROW_KINDS) + class];
}

static void kma_note_replaced(struct kma_page *page)
{
	struct kma_row *rows[2] = { kma_account_of(page), kma_account_class(page) };
	int i;

	for (i = 0; i <= page->sampled; i++) {
		rows[i]->repaired += !page->rest;
		rows[i]->rest_repaired += page->rest;
	}
	kma_expected.v[KMA_STAT_pages_replaced]++;
	page->row = 0;
}

static void kma_note_freed(struct kma_page *page)
{
	struct kma_row *rows[2] = { kma_account_of(page), kma_account_class(page) };
	int i;

	for (i = 0; i <= page->sampled; i++) {
		rows[i]->frees += !page->rest;
		rows[i]->rest_freed += page->rest;
	}
	page->row = 0;
}

static void kma_note_pages(u32 kind, unsigned long class, u32 at, bool sampled, bool bulk)
{
	const u32 row = kma_number(kind, class);
	const u32 all = kma_number(KMA_SAMPLED_CLASS, class);
	u32 i;

	*(bulk ? &kma_account[row].bulk : &kma_account[row].hits) += 1;
	if (sampled)
		*(bulk ? &kma_account[all].bulk : &kma_account[all].hits) += 1;
	for (i = at; i < at + (1U << kma_class_order(class)); i++) {
		if (kma_page[i].row)
			kma_note_replaced(&kma_page[i]);
		kma_page[i] = (struct kma_page) {
			.row = row + 1,
			.rest = i != at,
			.sampled = sampled,
			.bare = kind == KMA_SAMPLED_CLASS,
			.charged = kind >= KMA_EXACT && kma_class_gfp(class) == KMA_GFP_ACCOUNT,
			.owner = kma_env_owner_key(KMA_CHARGE),
		};
	}
}

/* ---- events -------------------------------------------------------------------- */

/* A random place for a page allocation: the index of its first page. */
static u32 kma_place(u32 order)
{
	return kma_below(KMA_PAGES >> order) << order;
}

static u32 kma_order(void)
{
	return kma_below(3) ? 0 : kma_below(KMA_ORDERS);
}

static void kma_alloc_known(u32 kind, unsigned long class, u32 at, u32 site, bool bulk)
{
	const struct kma_page_event ev = { kma_class_order(class), class, bulk };
	const unsigned long pfn = KMA_FIRST + at;
	struct kma_pfn *f = kma_pfntab_find(&kma_pagealloc.pfns, pfn);
	enum kma_one one = KMA_ONE_OTHER;
	bool sampled;
	u8 point;

	kma_env.page_site = KMA_MODEL_SITE + 16 * site;
	if (kind != KMA_EXACT && !ev.order && !bulk)
		one = kma_pagealloc_one(&kma_pagealloc, pfn, class, kind == KMA_SAMPLED, &point);
	if (one == KMA_ONE_DONE)
		;
	else if (one == KMA_ONE_AT_POINT)
		kma_pagealloc_sampled_hit(&kma_pagealloc, f, &ev, point);
	else if (kind == KMA_EXACT)
		kma_pagealloc_site(&kma_pagealloc, f, kma_env.page_site, &ev);
	else if (kind == KMA_SAMPLED)
		kma_pagealloc_sampled(&kma_pagealloc, f, &ev);
	else
		kma_pagealloc_class(&kma_pagealloc, f, &ev);
	/* The model cannot predict whether the page allocation is sampled. */
	sampled = f->what & KMA_PFN_SAMPLED;
	if (kind == KMA_SAMPLED && !sampled)
		kind = KMA_SAMPLED_CLASS;
	else if (kind != KMA_WHOLE_CLASS)
		kind += site;
	kma_note_pages(kind, class, at, sampled, bulk);
}

static void kma_alloc_absent(unsigned long class, bool bulk)
{
	const struct kma_page_event ev = { kma_class_order(class), class, bulk };
	struct kma_row *row = &kma_account[kma_number(KMA_WHOLE_CLASS, class)];
	u8 point;

	if (!ev.order)
		kma_expect(kma_pagealloc_one(&kma_pagealloc, KMA_ABSENT, class, true, &point) ==
			   KMA_ONE_OTHER);
	kma_expect(!kma_pfntab_find(&kma_pagealloc.pfns, KMA_ABSENT));
	kma_pagealloc_no_pfn(&kma_pagealloc, &ev);
	row->no_entry++;
	*(bulk ? &row->bulk : &row->hits) += 1;
	kma_expected.v[KMA_STAT_page_no_pfn]++;
}

static void kma_alloc(void)
{
	static const u32 kinds[] = { KMA_WHOLE_CLASS, KMA_EXACT, KMA_SAMPLED };
	const u32 order = kma_order();
	const unsigned long class = kma_class(order, kma_below(KMA_TYPES),
					      kma_below(KMA_GFPS));
	const bool bulk = !order && !kma_below(4);

	if (kma_below(50))
		kma_alloc_known(kinds[kma_below(3)], class, kma_place(order),
				kma_below(KMA_SITES), bulk);
	else
		kma_alloc_absent(class, bulk);
}

static void kma_free(void)
{
	const u32 order = kma_order(), at = kma_place(order);
	u32 i;

	kma_expected.v[KMA_STAT_page_frees_only] += !kma_page[at].row;
	for (i = at; i < at + (1U << order); i++) {
		if (kma_page[i].row)
			kma_note_freed(&kma_page[i]);
		else
			kma_expected.v[KMA_STAT_pages_free_only]++;
	}
	kma_pagealloc_free(&kma_pagealloc, KMA_FIRST + at, order);
}

static void kma_free_absent(void)
{
	const u32 order = kma_order();

	kma_pagealloc_free(&kma_pagealloc, KMA_ABSENT, order);
	kma_expected.v[KMA_STAT_page_frees_only]++;
	kma_expected.v[KMA_STAT_pages_free_only] += 1U << order;
}

static void kma_event(void)
{
	kma_env = (struct kma_env) {
		.cpu = kma_below(KMA_ENV_CPUS),
		.tgid = 1 + kma_below(20),
		.groups = (void *)(8UL << kma_below(3)),
		.interrupt = !kma_below(5),
		.remote = !kma_below(5),
	};
	if (kma_below(2))
		kma_alloc();
	else if (kma_below(50))
		kma_free();
	else
		kma_free_absent();
}

/* ---- comparing ----------------------------------------------------------------- */

static u32 kma_row_number(u32 id)
{
	const struct kma_site_info *info = &kma_pagealloc.sites.info[id];
	const unsigned long class = kma_pagealloc.sites.caches.info[info->cache].class;
	u32 kind;

	if (info->site == KMA_CLASS_WHOLE)
		return kma_number(KMA_WHOLE_CLASS, class);
	if (info->site == KMA_CLASS_SAMPLED)
		return kma_number(KMA_SAMPLED_CLASS, class);
	kind = info->shift == KMA_SHIFT_EXACT ? KMA_EXACT : KMA_SAMPLED;
	return kma_number(kind + (info->site - KMA_MODEL_SITE) / 16, class);
}

/* Each row has the counters of the model, no two rows are alike, and no row is missing. */
static void kma_expect_rows(void)
{
	static bool seen[ARRAY_SIZE(kma_account)];
	const struct kma_row none = {};
	struct kma_row sum;
	u32 id, i;

	memset(seen, 0, sizeof(seen));
	for (id = 0; id < kma_sitetab_rows(&kma_pagealloc.sites); id++) {
		if (!kma_sitetab_info(&kma_pagealloc.sites, id))
			continue;
		i = kma_row_number(id);
		kma_expect(!seen[i]);
		seen[i] = true;
		kma_sitetab_sum(&kma_pagealloc.sites, id, &sum);
		kma_expect(!memcmp(&sum, &kma_account[i], sizeof(sum)));
	}
	for (i = 0; i < ARRAY_SIZE(kma_account); i++)
		kma_expect(seen[i] || !memcmp(&kma_account[i], &none, sizeof(none)));
}

static bool kma_has_owner(const struct kma_pfn *f, const struct kma_page *page)
{
	const u32 nr = kma_pfn_owner(f);
	const struct kma_owner *owner = kma_idtab_record(&kma_owners, nr);

	if (!page->charged)
		return nr == KMA_OWNER_NONE;
	return owner && !memcmp(owner, &page->owner, sizeof(*owner));
}

static void kma_expect_pfns(void)
{
	const struct kma_page *page;
	struct kma_pfn f;
	bool known;
	u32 i;

	for (i = 0; i < KMA_PAGES; i++) {
		page = &kma_page[i];
		known = kma_pfn_read(kma_pfntab_at(&kma_pagealloc.pfns, KMA_FIRST + i),
				     &f);
		kma_expect(known == !!page->row);
		if (!known)
			continue;
		kma_expect(kma_row_number(kma_pfn_row(f.what)) == page->row - 1);
		kma_expect(!(f.what & KMA_PFN_REST) == !page->rest);
		kma_expect(!(f.what & KMA_PFN_SAMPLED) == !page->sampled);
		kma_expect(kma_pagealloc_is_bare(&kma_pagealloc, &f) == page->bare);
		kma_expect(page->bare || kma_has_owner(&f, page));
	}
}

/* The numbers of live page allocations and live pages follow from the counters. */
static void kma_expect_live(void)
{
	static u64 allocs[ARRAY_SIZE(kma_account)], pages[ARRAY_SIZE(kma_account)];
	const struct kma_row *row;
	u64 gone;
	u32 i;

	memset(allocs, 0, sizeof(allocs));
	memset(pages, 0, sizeof(pages));
	for (i = 0; i < KMA_PAGES; i++) {
		if (!kma_page[i].row)
			continue;
		allocs[kma_page[i].row - 1] += !kma_page[i].rest;
		pages[kma_page[i].row - 1]++;
		if (!kma_page[i].sampled)
			continue;
		row = kma_account_class(&kma_page[i]);
		allocs[row - kma_account] += !kma_page[i].rest;
		pages[row - kma_account]++;
	}
	for (i = 0; i < ARRAY_SIZE(kma_account); i++) {
		row = &kma_account[i];
		gone = row->frees + row->rest_freed + row->repaired + row->rest_repaired;
		kma_expect(kma_row_live(row) == allocs[i]);
		kma_expect(((row->hits + row->bulk - row->no_entry) << i % KMA_ORDERS) -
			   gone == pages[i]);
	}
}

static void kma_expect_stats(void)
{
	struct kma_stats stats;
	int i;

	kma_stats_sum(&stats);
	for (i = KMA_STAT_PAGES; i < KMA_STAT_NR; i++)
		kma_expect(stats.v[i] == kma_expected.v[i]);
}

/* ---- cases --------------------------------------------------------------------- */

static void kma_setup(u32 sites_max)
{
	int cpu;

	kma_env = (struct kma_env) { .page_site = KMA_MODEL_SITE };
	if (kma_pagealloc_init(&kma_pagealloc, KMA_CHUNKS, sites_max) ||
	    kma_pfntab_add(&kma_pagealloc.pfns, 0, NUMA_NO_NODE) ||
	    kma_pfntab_add(&kma_pagealloc.pfns, 1, NUMA_NO_NODE))
		abort();
	memset(kma_page, 0, sizeof(kma_page));
	memset(kma_account, 0, sizeof(kma_account));
	memset(&kma_expected, 0, sizeof(kma_expected));
	for (cpu = 0; cpu < KMA_ENV_CPUS; cpu++)
		memset(&per_cpu(kma_stats, cpu), 0, sizeof(struct kma_stats));
	kma_sample_seed(kma_seed);
	kma_sample_set(KMA_SAMPLE_PAGES, 16);
}

static void kma_agrees(void)
{
	int i;

	kma_setup(8192);
	kma_expect(!kma_owners_init(0));
	kma_env_owners = true;
	for (i = 0; i < 1000000; i++) {
		kma_event();
		if (i % 100000)
			continue;
		kma_expect_rows();
		kma_expect_pfns();
		kma_expect_live();
		kma_expect_stats();
	}
	kma_expect(kma_expected.v[KMA_STAT_pages_replaced] > 1000);
	kma_env_owners = false;
	kma_owners_destroy();
	kma_pagealloc_destroy(&kma_pagealloc);
}

/* Events of failed allocations have a pfn that no page has. */
static void kma_knows_no_page(void)
{
	u8 point;

	kma_setup(KMA_SITES_MIN);
	kma_expect(kma_pagealloc_one(&kma_pagealloc, -1UL, kma_class(0, 0, 0), false, &point) ==
		   KMA_ONE_OTHER);
	kma_expect(!kma_pfntab_find(&kma_pagealloc.pfns, -1UL));
	kma_expect(!kma_pfntab_find(&kma_pagealloc.pfns, KMA_CHUNKS * KMA_CHUNK_PFNS));
	kma_pagealloc_free(&kma_pagealloc, KMA_CHUNKS * KMA_CHUNK_PFNS, 0);
	kma_expected.v[KMA_STAT_page_frees_only] = 1;
	kma_expected.v[KMA_STAT_pages_free_only] = 1;
	kma_expect_stats();
	kma_pagealloc_destroy(&kma_pagealloc);
}

/* The row of a class is in the second slot of its cache line: another pair has the first. */
static void kma_finds_second_rows(void)
{
	const unsigned long class = kma_class(0, 0, 0xcc0);
	const unsigned long kinds[] = { KMA_CLASS_WHOLE, KMA_CLASS_SAMPLED };
	const struct kma_site_slot *slot;
	struct kma_row sum;
	unsigned long word;
	u8 point;
	u32 i;

	kma_setup(KMA_SITES_MIN);
	/* No sample point is near. */
	kma_sample_point_set(KMA_SAMPLE_PAGES, 1 << KMA_SHIFT_MAX, KMA_SHIFT_MAX);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		word = kma_class_kind(class, kinds[i]);
		kma_sitetab_get(&kma_pagealloc.sites, kinds[i] + 8, word - 8);
		slot = kma_sitetab_get(&kma_pagealloc.sites, kinds[i], word);
		kma_expect(slot != kma_sitetab_first(&kma_pagealloc.sites, kinds[i], word));
		kma_expect(kma_pagealloc_one(&kma_pagealloc, KMA_FIRST + i, class, i, &point) ==
			   KMA_ONE_DONE);
		kma_sitetab_sum(&kma_pagealloc.sites, slot->id, &sum);
		kma_expect(sum.hits == 1);
		kma_pagealloc_free(&kma_pagealloc, KMA_FIRST + i, 0);
		kma_sitetab_sum(&kma_pagealloc.sites, slot->id, &sum);
		kma_expect(sum.frees == 1);
	}
	kma_pagealloc_destroy(&kma_pagealloc);
}

/* The event number @i of kma_runs_out(). */
static struct kma_page_event kma_event_of(u32 i)
{
	return (struct kma_page_event) { 0, kma_class(0, i % 3, i), false };
}

/*
 * When rows and classes run out, sums stay exact.  Only the gfp flags of a class that shares its
 * number are not known.
 */
static void kma_runs_out(void)
{
	const u32 classes = KMA_CACHES_MAX + 100;
	struct kma_row sum, all = {}, other[3] = {};
	struct kma_page_event ev;
	struct kma_stats stats;
	unsigned long class;
	u32 i;

	kma_setup(KMA_SITES_MIN);
	for (i = 0; i < classes; i++) {
		ev = kma_event_of(i);
		kma_pagealloc_class(&kma_pagealloc,
				    kma_pfntab_at(&kma_pagealloc.pfns, KMA_FIRST + i), &ev);
	}
	for (i = 0; i < classes; i++)
		kma_pagealloc_free(&kma_pagealloc, KMA_FIRST + i, 0);
	for (i = 0; i < kma_sitetab_rows(&kma_pagealloc.sites); i++) {
		kma_sitetab_sum(&kma_pagealloc.sites, i, &sum);
		all.hits += sum.hits;
		all.frees += sum.frees;
		class = kma_pagealloc.sites.caches.info[kma_pagealloc.sites.info[i].cache].class;
		if (kma_class_gfp(class) == KMA_CLASS_GFP_OTHER && sum.hits)
			other[kma_class_type(class)].hits += sum.hits;
	}
	kma_stats_sum(&stats);
	kma_expect(all.hits == classes && all.frees == classes);
	kma_expect(other[0].hits == 33 && other[1].hits == 34 && other[2].hits == 33);
	kma_expect(stats.v[KMA_STAT_page_other_classes] == 100);
	kma_expect(stats.v[KMA_STAT_page_other_sites] == classes - KMA_PAIRS_MIN);
	kma_expect(!stats.v[KMA_STAT_pages_free_only] && !stats.v[KMA_STAT_page_dropped_sites]);
	kma_expect(!stats.v[KMA_STAT_other_sites] && !stats.v[KMA_STAT_other_caches]);
	kma_pagealloc_destroy(&kma_pagealloc);
}

/* Record samples of page allocations at this shift, until one of them has made a row. */
static void kma_make_row(int shift, const struct kma_page_event *ev, u32 *nr)
{
	const u32 before = kma_sitetab_used(&kma_pagealloc.sites);

	kma_sample_set(KMA_SAMPLE_PAGES, shift);
	/* Forget the sample point that was drawn with the previous shift. */
	kma_sample_seed(kma_seed);
	while (kma_sitetab_used(&kma_pagealloc.sites) == before)
		kma_pagealloc_sampled(&kma_pagealloc,
				      kma_pfntab_at(&kma_pagealloc.pfns,
						    KMA_FIRST + 4096 + 16 * (*nr)++), ev);
}

/*
 * A sample finds no row, not even an [other] of its shift.  Then the sample counts as lost, and
 * the page allocation is counted once, in the row of its class.  Its free adds to no counter of
 * losses.
 */
static void kma_loses_samples(void)
{
	const struct kma_page_event ev = { 4, kma_class(4, 0, 0), false };
	struct kma_row sum, classes = {};
	struct kma_stats stats;
	int shift = KMA_SHIFT_MIN;
	u32 i, nr = 0;

	kma_setup(KMA_SITES_MIN);
	/* Use up the rows: exact rows of the same class, and the last event in [other]. */
	for (i = 0; i <= KMA_PAIRS_MIN; i++)
		kma_pagealloc_site(&kma_pagealloc,
				   kma_pfntab_at(&kma_pagealloc.pfns, KMA_FIRST + 16 * i),
				 KMA_MODEL_SITE + 16 * i, &ev);
	while (kma_sitetab_used(&kma_pagealloc.sites) < KMA_SITES_MIN)
		kma_make_row(++shift, &ev, &nr);
	kma_stats_sum(&stats);
	kma_expect(!stats.v[KMA_STAT_page_samples_lost]);
	kma_sample_set(KMA_SAMPLE_PAGES, KMA_SHIFT_MIN);
	kma_sample_seed(kma_seed);
	/* With this many pages, most of these allocations have a sample point. */
	for (i = 0; i < 100; i++)
		kma_pagealloc_sampled(&kma_pagealloc,
				      kma_pfntab_at(&kma_pagealloc.pfns,
						    KMA_FIRST + 4096 + 16 * nr++), &ev);
	for (i = 0; i < nr; i++)
		kma_pagealloc_free(&kma_pagealloc, KMA_FIRST + 4096 + 16 * i, 4);
	for (i = 0; i < kma_sitetab_rows(&kma_pagealloc.sites); i++) {
		if (!kma_sitetab_info(&kma_pagealloc.sites, i) ||
		    !kma_pagealloc_is_sampled(&kma_pagealloc, i))
			continue;
		kma_sitetab_sum(&kma_pagealloc.sites, i, &sum);
		classes.hits += sum.hits;
		classes.frees += sum.frees;
	}
	kma_stats_sum(&stats);
	kma_expect(classes.hits == nr && classes.frees == nr);
	kma_expect(stats.v[KMA_STAT_page_samples_lost] > 90);
	kma_expect(!stats.v[KMA_STAT_page_dropped_sites]);
	/* One exact page allocation, a sample of each shift, and all in the row of their class. */
	kma_expect(stats.v[KMA_STAT_page_other_sites] ==
		   1 + KMA_SITES_MIN - KMA_PAIRS_MIN + nr);
	kma_pagealloc_destroy(&kma_pagealloc);
}

/* Samples and their class are counted in [other].  Frees do not change page_other_sites. */
static void kma_frees_others(void)
{
	const struct kma_page_event ev = { 4, kma_class(4, 0, 0), false };
	struct kma_stats stats;
	u32 i;

	kma_setup(KMA_SITES_MIN);
	for (i = 0; i < KMA_PAIRS_MIN; i++)
		kma_pagealloc_class(&kma_pagealloc,
				    kma_pfntab_at(&kma_pagealloc.pfns, KMA_FIRST + i),
				    &(struct kma_page_event) { 0, kma_class(0, 0, i), false });
	kma_sample_set(KMA_SAMPLE_PAGES, KMA_SHIFT_MIN);
	for (i = 0; i < 100; i++)
		kma_pagealloc_sampled(&kma_pagealloc,
				      kma_pfntab_at(&kma_pagealloc.pfns,
						    KMA_FIRST + 4096 + 16 * i), &ev);
	kma_stats_sum(&stats);
	kma_expect(!stats.v[KMA_STAT_page_samples_lost]);
	kma_expect(stats.v[KMA_STAT_page_other_sites] > 190);
	i = stats.v[KMA_STAT_page_other_sites];
	/* Free each page separately. */
	for (u32 k = 0; k < 1600; k++)
		kma_pagealloc_free(&kma_pagealloc, KMA_FIRST + 4096 + k, 0);
	kma_stats_sum(&stats);
	kma_expect(stats.v[KMA_STAT_page_other_sites] == i);
	kma_expect(!stats.v[KMA_STAT_pages_free_only]);
	kma_pagealloc_destroy(&kma_pagealloc);
}

/* The class of a sample shares its number with others.  Frees find the row of the whole class. */
static void kma_frees_unnumbered_classes(void)
{
	const struct kma_page_event ev = { 4, kma_class(4, 1, 5000), false };
	struct kma_sitetab *t = &kma_pagealloc.sites;
	struct kma_row sum, classes = {}, samples = {}, *row;
	struct kma_stats stats;
	u32 i;

	kma_setup(1000);
	for (i = 0; i < KMA_CACHES_MAX; i++)
		kma_expect(kma_cachetab_get(&t->caches, kma_class(0, 0, i)) == (int)i);
	kma_sample_set(KMA_SAMPLE_PAGES, KMA_SHIFT_MIN);
	for (i = 0; i < 100; i++)
		kma_pagealloc_sampled(&kma_pagealloc,
				      kma_pfntab_at(&kma_pagealloc.pfns, KMA_FIRST + 16 * i), &ev);
	for (i = 0; i < 1600; i++)
		kma_pagealloc_free(&kma_pagealloc, KMA_FIRST + i, 0);
	for (i = 0; i < kma_sitetab_rows(t); i++) {
		if (!kma_sitetab_info(t, i))
			continue;
		kma_expect(t->caches.info[t->info[i].cache].class ==
			   kma_class(4, 1, KMA_CLASS_GFP_OTHER));
		kma_sitetab_sum(t, i, &sum);
		row = kma_pagealloc_is_sampled(&kma_pagealloc, i) ? &classes : &samples;
		row->hits += sum.hits;
		row->frees += sum.frees;
		row->rest_freed += sum.rest_freed;
	}
	kma_stats_sum(&stats);
	kma_expect(classes.hits == 100 && classes.frees == 100 && classes.rest_freed == 1500);
	kma_expect(samples.hits > 90 && samples.frees == samples.hits);
	kma_expect(stats.v[KMA_STAT_page_other_classes] == 100);
	kma_expect(!stats.v[KMA_STAT_page_other_sites] && !stats.v[KMA_STAT_pages_free_only]);
	kma_pagealloc_destroy(&kma_pagealloc);
}

static bool kma_wants_all(void *arg, u32 id, const struct kma_row *sum)
{
	(void)arg;
	(void)id;
	(void)sum;
	return true;
}

static void kma_leaves(void *arg, u32 id, struct kma_row *sum)
{
	(void)arg;
	(void)id;
	(void)sum;
}

static u32 kma_recycle_all(void)
{
	const struct kma_recycle recycle = { .wanted = kma_wants_all, .leaves = kma_leaves };

	return kma_recycle_begin(&kma_pagealloc.sites, &recycle) ?
	       kma_recycle_finish(&kma_pagealloc.sites, &recycle).rows : 0;
}

static struct kma_pfn *kma_records(u32 page)
{
	return kma_pfntab_at(&kma_pagealloc.pfns, KMA_FIRST + page);
}

/*
 * Rows of call sites are recycled once all of their pages are freed, not only the first one, and
 * rows of whole classes are not.
 */
static void kma_recycles_rows(void)
{
	const struct kma_page_event ev = { 2, kma_class(2, 1, 7), false };
	const struct kma_page_event one = { 0, kma_class(0, 0, 0), false };
	struct kma_sitetab *t = &kma_pagealloc.sites;
	struct kma_row sum, all = {};
	struct kma_stats stats;
	u32 i;

	kma_setup(KMA_SITES_MIN);
	kma_pagealloc_class(&kma_pagealloc, kma_records(4096), &ev);
	kma_pagealloc_free(&kma_pagealloc, KMA_FIRST + 4096, 2);
	for (i = 0; i < 1000; i++) {
		kma_pagealloc_site(&kma_pagealloc, kma_records(4 * i), KMA_MODEL_SITE + 16 * i,
				   &ev);
		kma_pagealloc_free(&kma_pagealloc, KMA_FIRST + 4 * i, 0);
		kma_expect(!kma_recycle_all() && kma_sitetab_used(t) == 2 + !!i);
		kma_pagealloc_free(&kma_pagealloc, KMA_FIRST + 4 * i + 2, 1);
		if (i % 2)
			kma_pagealloc_free(&kma_pagealloc, KMA_FIRST + 4 * i + 1, 0);
		else	/* The free of the last page is not seen before the page is used again. */
			kma_pagealloc_class(&kma_pagealloc, kma_records(4 * i + 1), &one);
		kma_expect(kma_recycle_all() == 1 && kma_sitetab_used(t) == 2);
	}
	kma_stats_sum(&stats);
	kma_expect(!stats.v[KMA_STAT_page_other_sites]);
	kma_expect(stats.v[KMA_STAT_pages_replaced] == 500);
	for (i = 0; i < kma_sitetab_rows(t); i++) {
		kma_sitetab_sum(t, i, &sum);
		kma_row_add(&all, &sum);
	}
	for (i = 0; i < t->caches.nr; i++)
		kma_row_add(&all, kma_recycle_past(t, i, KMA_SHIFT_EXACT));
	kma_expect(all.hits == 1501 && all.frees == 1001 && all.rest_freed == 3 + 2500 &&
		   all.rest_repaired == 500);
	kma_pagealloc_destroy(&kma_pagealloc);
}

/* Each memory allocation fails once. */
static void kma_starts_whole_or_not(void)
{
	int at, ret;

	for (at = 1; ; at++) {
		kma_env_fail_at = at;
		ret = kma_pagealloc_init(&kma_pagealloc, KMA_CHUNKS, KMA_SITES_MIN);
		if (!ret && kma_env_fail_at)
			break;
		kma_expect(ret == -ENOMEM);
	}
	kma_env_fail_at = 1;
	kma_expect(kma_pfntab_add(&kma_pagealloc.pfns, 0, NUMA_NO_NODE) == -ENOMEM);
	kma_env_fail_at = 0;
	kma_expect(kma_pagealloc.pfns.nr_there == 0);
	kma_expect(!kma_pfntab_add(&kma_pagealloc.pfns, 0, NUMA_NO_NODE));
	kma_expect(!kma_pfntab_add(&kma_pagealloc.pfns, 0, NUMA_NO_NODE));
	kma_expect(kma_pagealloc.pfns.nr_there == 1);
	kma_pagealloc_destroy(&kma_pagealloc);
	kma_expect(at > 8);
}

static const struct kma_case kma_cases[] = {
	{ "page allocations agree with the model", kma_agrees },
	{ "a pfn that no page has", kma_knows_no_page },
	{ "a class in the second slot of a cache line", kma_finds_second_rows },
	{ "too many classes and rows", kma_runs_out },
	{ "samples without a row", kma_loses_samples },
	{ "frees of samples in [other]", kma_frees_others },
	{ "frees of samples of classes without a number", kma_frees_unnumbered_classes },
	{ "rows of call sites are recycled", kma_recycles_rows },
	{ "tables without memory", kma_starts_whole_or_not },
};

int main(int argc, char **argv)
{
	return kma_seeded_run(argc, argv, kma_cases, ARRAY_SIZE(kma_cases));
}
