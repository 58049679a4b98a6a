// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the history of call sites, under the address sanitizer and the undefined behaviour
 * sanitizer.  The times of marks are numbers that the tests choose, so that days take no time.
 *
 *	history [SEED]
 */
#include <linux/kernel.h>
#include <linux/numa.h>
#include <math.h>

#include "seeded.h"
#include "../../../module/core/history.h"
#include "../../../module/core/recycle.h"

/* ---- words ------------------------------------------------------------------- */

static struct kma_history_value kma_packed(u64 kib, u64 variance, u64 churn, u32 random)
{
	const struct kma_history_value v = { kib, variance, churn };

	return kma_history_unpack(kma_history_pack(&v, random));
}

static void kma_exact_words(void)
{
	u64 kib;

	for (kib = 0; kib <= KMA_HISTORY_EXACT_MAX; kib = kib * 9 / 8 + 1)
		kma_expect(kma_packed(kib, 0, 0, KMA_HISTORY_ROUND_UP).kib == kib);
	kma_expect(kma_packed(1ULL << 40, 0, 0, 0).kib == KMA_HISTORY_EXACT_MAX);
	kma_expect(!kma_packed(1ULL << 40, 0, 0, 0).variance);
	kma_expect(!kma_history_rounding(KMA_HISTORY_EXACT_MAX));
}

/* An estimate is off by less than one part in 32,768, which is what its rounding says. */
static void kma_estimates(void)
{
	struct kma_history_value v;
	u64 kib, off, most = 0;
	u32 word;

	for (kib = 0; kib < 1ULL << 42; kib += kib / 777 + 1) {
		v = (struct kma_history_value) { kib, 1, 0 };
		word = kma_history_pack(&v, KMA_HISTORY_ROUND_UP);
		v = kma_history_unpack(word);
		off = v.kib > kib ? v.kib - kib : kib - v.kib;
		kma_expect(off * 32768 <= kib && (kib >= 32768 || !off));
		/* The rounding is that of a distance of at least twice as much. */
		kma_expect((off * off * 4 << KMA_HISTORY_SHIFT) / 12 <= kma_history_rounding(word));
		kma_expect(kma_history_pack(&v, KMA_HISTORY_ROUND_UP) == word);
		most = max_t(u64, most, v.kib);
	}
	kma_expect(most > 1ULL << 41);
	v = kma_packed(U64_MAX >> 1, 1, 1, KMA_HISTORY_ROUND_UP);
	kma_expect(v.kib > (1ULL << 42) - (1ULL << 28) && v.kib < 1ULL << 42);
}

/* A variance gets a bound that is never too small, and at most 2^(3/4) times as large. */
static void kma_variances(void)
{
	struct kma_history_value v, again;
	u64 x;

	for (x = 1; x < 1ULL << 52; x += x / 333 + 1) {
		v = kma_packed(5, x, 3 * x, KMA_HISTORY_ROUND_UP);
		kma_expect(v.kib == 5 && v.variance >= x && v.churn >= 3 * x);
		kma_expect(x < 256 || v.variance <= x * 1.70);
		kma_expect(x < 256 || v.churn <= 3 * x * 1.70);
		again = kma_packed(5, v.variance, v.churn, 12345);
		kma_expect(again.variance == v.variance && again.churn == v.churn);
	}
	v = kma_packed(5, U64_MAX, 0, KMA_HISTORY_ROUND_UP);
	kma_expect(v.kib == 5 && sqrt(v.variance / 256.0) > 9.5 * (1 << 20) && !v.churn);
}

/* With random numbers, the expected value of the bound is the variance. */
static void kma_random_rounding(void)
{
	const u64 x = 123456789;
	double sum = 0;
	u32 i;

	for (i = 0; i < 100000; i++)
		sum += kma_packed(5, x, 0, kma_mix(i) >> 32).variance;
	kma_expect(fabs(sum / 100000 / x - 1) < 0.005);
}

/* Many small numbers that are added to a large one are not lost, although each is below its ulp. */
static void kma_random_sums(void)
{
	struct kma_history_value v = { 1 << 30, 1 << 20, 0 };
	u32 i, word = kma_history_pack(&v, KMA_HISTORY_ROUND_UP);

	for (i = 0; i < 100000; i++) {
		v = kma_history_unpack(word);
		v.kib += 500;
		word = kma_history_pack(&v, kma_mix(i) >> 32);
	}
	v = kma_history_unpack(word);
	kma_expect(fabs((v.kib - (double)(1 << 30)) / 50e6 - 1) < 0.1);
}

/* ---- a world ----------------------------------------------------------------- */

#define KMA_OBJECTS	2000
#define KMA_NR_SITES	24	/* call sites */
#define KMA_SIZES	3

/* Bytes of the objects of each size */
static const u32 kma_bytes[KMA_SIZES] = { 256, 4096, 65536 };

static struct kma_core kma_core;
static struct kma_history kma_history;
static u64 kma_now;

static struct kma_thing {
	bool live;
	bool sampled;
	u32 place;
	u32 size;
} kma_thing[KMA_OBJECTS];

/* Live bytes of each call site and size: now, and at each mark. */
typedef u64 kma_truth[KMA_NR_SITES][KMA_SIZES];

static kma_truth kma_true, kma_true_at[KMA_HISTORY_INDEXES];

/* When the row of a call site and size was last recycled, plus one. */
static kma_truth kma_left;

static unsigned long kma_address(u32 place)
{
	return KMA_MODEL_SITE + 16 * place;
}

static int kma_place_of(unsigned long site)
{
	return site ? (int)((site - KMA_MODEL_SITE) / 16) : -1;
}

/* The size of the objects of a row, as an index; KMA_SIZES for a reserved number. */
static u32 kma_size_of(const struct kma_site_info *info)
{
	u32 i;

	for (i = 0; i < KMA_SIZES; i++)
		if (kma_core.sites.caches.info[info->cache].size == kma_bytes[i] &&
		    info->cache < KMA_CACHES_MAX)
			return i;
	return KMA_SIZES;
}

static struct kma_event kma_event(u32 object, u32 place, u32 size)
{
	return (struct kma_event) {
		.site = kma_address(place),
		.ptr = KMA_MODEL_PTR + 8 * object,
		.cache = kma_bytes[size],
		.kmalloc = true,
		.bytes_req = kma_bytes[size],
		.node = NUMA_NO_NODE,
	};
}

static void kma_alloc(u32 object, u32 place, u32 size)
{
	const struct kma_event ev = kma_event(object, place, size);

	kma_record_alloc(&kma_core, &ev);
	kma_thing[object] = (struct kma_thing) { true, false, place, size };
	kma_true[place][size] += kma_bytes[size];
}

static void kma_free(u32 object)
{
	struct kma_thing *o = &kma_thing[object];

	kma_record_free(&kma_core, KMA_MODEL_PTR + 8 * object, true);
	o->live = false;
	kma_true[o->place][o->size] -= kma_bytes[o->size];
}

/* How often more marks were known than each slot has. */
static u64 kma_more;

static void kma_world(u32 sites_max)
{
	kma_now = 0;
	kma_more = 0;
	memset(kma_thing, 0, sizeof(kma_thing));
	memset(kma_true, 0, sizeof(kma_true));
	memset(kma_true_at, 0, sizeof(kma_true_at));
	memset(kma_left, 0, sizeof(kma_left));
	kma_env.stack = 0;
	if (kma_core_init(&kma_core, KMA_OBJECTS, sites_max, 64) ||
	    kma_history_init(&kma_history, &kma_core.sites, kma_now))
		abort();
}

static void kma_world_ends(void)
{
	kma_history_destroy(&kma_history);
	kma_core_destroy(&kma_core);
}

/* Set the marks that are due. */
static void kma_mark(void)
{
	int i;

	if (!kma_history_due(&kma_history, kma_now))
		return;
	kma_history_begin(&kma_history, &kma_core.sites, kma_now);
	while (kma_history_some(&kma_history, &kma_core.sites))
		;
	for (i = 0; i < KMA_HISTORY_INDEXES; i++)
		if (kma_history_time(&kma_history, i) == kma_now)
			memcpy(kma_true_at[i], kma_true, sizeof(kma_true));
}

/* Let time pass, with a mark whenever one is due. */
static void kma_pass(u32 seconds)
{
	for (; seconds; seconds--) {
		kma_now++;
		kma_mark();
	}
}

static s64 kma_kib(u64 bytes)
{
	return (bytes + 512) / 1024;
}

/* ---- recycling --------------------------------------------------------------- */

static bool kma_wants(void *unused, u32 id, const struct kma_row *sum)
{
	(void)unused;
	(void)id;
	(void)sum;
	return true;
}

static void kma_leaves(void *unused, u32 id, struct kma_row *sum)
{
	const struct kma_site_info *info = &kma_core.sites.info[id];

	(void)unused;
	if (info->site && kma_size_of(info) < KMA_SIZES)
		kma_left[kma_place_of(info->site)][kma_size_of(info)] = kma_now + 1;
	kma_history_row_leaves(&kma_history, &kma_core.sites, id, sum);
}

static void kma_cache_leaves(void *unused, int cache)
{
	(void)unused;
	kma_history_cache_leaves(&kma_history, cache);
}

/* Recycle all rows without live objects.  Return their number. */
static u32 kma_recycle_all(void)
{
	const struct kma_recycle recycle = {
		.caches = true,
		.wanted = kma_wants,
		.leaves = kma_leaves,
		.cache_leaves = kma_cache_leaves,
	};

	if (!kma_recycle_begin(&kma_core.sites, &recycle))
		return 0;
	return kma_recycle_finish(&kma_core.sites, &recycle).rows;
}

/* ---- comparing --------------------------------------------------------------- */

/* The change of a call site, or of [other] for -1, over all sizes, in KiB. */
static struct kma_history_change kma_change_in(int place, const struct kma_history_mark *mark,
					       bool samples)
{
	const struct kma_sitetab *t = &kma_core.sites;
	struct kma_history_change change, sum = {};
	u32 id;

	for (id = 0; id < kma_sitetab_rows(t); id++) {
		if (samples && id < t->sites_max && !kma_sitetab_is_sampled(t, id))
			continue;
		if (!kma_history_changed(&kma_history, t, id, samples, mark, 1, &change))
			continue;
		if ((id < t->sites_max ? kma_place_of(t->info[id].site) : -1) != place)
			continue;
		sum.kib += change.kib;
		sum.variance += change.variance;
	}
	return sum;
}

static struct kma_history_change kma_change_of(int place, const struct kma_history_mark *mark)
{
	return kma_change_in(place, mark, false);
}

static s64 kma_since(int place, u32 seconds)
{
	const struct kma_history_mark mark = kma_history_at(&kma_history, kma_now, seconds);

	if (mark.index < 0)
		abort();
	return kma_change_of(place, &mark).kib;
}

/* Return the KiB that were live at a mark, or 0 if the row was recycled since. */
static s64 kma_then(u32 place, u32 size, int index)
{
	if (kma_left[place][size] > kma_history_time(&kma_history, index))
		return 0;
	return kma_kib(kma_true_at[index][place][size]);
}

/* Each call site has its change, and [other] that of all that has left. */
static void kma_compare_at(const struct kma_history_mark *mark)
{
	s64 want, then, other = 0;
	u32 place, size;

	for (place = 0; place < KMA_NR_SITES; place++) {
		want = 0;
		for (size = 0; size < KMA_SIZES; size++) {
			then = kma_then(place, size, mark->index);
			want += kma_kib(kma_true[place][size]) - then;
			other += then - kma_kib(kma_true_at[mark->index][place][size]);
		}
		kma_expect(kma_change_of(place, mark).kib == want);
	}
	kma_expect(kma_change_of(-1, mark).kib == other);
	kma_expect(!kma_change_of(-1, mark).variance);
}

/* Return the KiB that were live in a slot at a mark; -1 if it is not known. */
static s64 kma_past(const struct kma_history_slot *slot, u32 index)
{
	u32 word;

	if (index < KMA_HISTORY_MARKS)
		word = slot->word[index];
	else if (!kma_recent_word(kma_history.recent, slot->recent, index - KMA_HISTORY_MARKS,
				  &word))
		return -1;
	return kma_history_unpack(word).kib;
}

/* Marks are in their order, and those of each series are about as far apart as they should be. */
static void kma_compare_ages(const struct kma_history_marks *marks)
{
	u64 time;
	u32 i, m;

	for (i = 0; i < KMA_HISTORY_SERIES; i++) {
		kma_expect(marks->nr[i] && marks->nr[i] <= (i < 2 ? 60 : 48));
		for (m = 1; m < marks->nr[i]; m++)
			kma_expect(marks->mark[i][m].age < marks->mark[i][m - 1].age);
		for (m = 0; m < marks->nr[i]; m++) {
			time = kma_history_time(&kma_history, marks->mark[i][m].index);
			kma_expect(kma_now - time == marks->mark[i][m].age);
		}
	}
}

/* Compare the lists of a slot.  Return how many marks are known beyond those of each slot. */
static u32 kma_compare_slot(const struct kma_history_slot *slot, u32 place, u32 size,
			    const struct kma_history_marks *marks)
{
	s64 past, want;
	u32 i, m, index, more = 0;

	for (i = 0; i < KMA_HISTORY_SERIES; i++) {
		for (m = 0; m < marks->nr[i]; m++) {
			index = marks->mark[i][m].index;
			past = kma_past(slot, index);
			want = kma_then(place, size, index);
			kma_expect(past == want || (past == -1 && index >= KMA_HISTORY_MARKS));
			more += past >= 0 && index >= KMA_HISTORY_MARKS;
		}
	}
	return more;
}

/* Each slot that has an entry for more marks is the only one that has it. */
static void kma_compare_entries(void)
{
	const struct kma_recent *r = kma_history.recent;
	u32 s, recent, with = 0, entries = 0;

	for (s = 0; s < kma_history.nr_slots; s++) {
		recent = kma_history.slot[s].recent;
		if (!kma_history.slot[s].used || recent == KMA_RECENT_NONE)
			continue;
		kma_expect(r->entry[recent - 1].slot == s && r->entry[recent - 1].nr);
		with++;
	}
	for (s = 0; s < KMA_RECENT_ENTRIES; s++)
		entries += r->entry[s].nr > 0;
	kma_expect(with == entries);
}

static u32 kma_compare_lists(void)
{
	const struct kma_sitetab *t = &kma_core.sites;
	const struct kma_history_slot *slot;
	struct kma_history_marks marks;
	u32 s, id, size, more = 0;

	kma_history_list(&kma_history, kma_now, &marks);
	kma_compare_ages(&marks);
	kma_compare_entries();
	for (s = 0; s < kma_history.nr_slots; s++) {
		slot = kma_history_past(&kma_history, t, s, &id);
		if (!slot)
			continue;
		size = kma_size_of(&t->info[id]);
		if (id < t->sites_max)
			more += kma_compare_slot(slot, kma_place_of(t->info[id].site), size,
						 &marks);
	}
	return more;
}

static void kma_compare(void)
{
	static const u32 windows[] = { 60, 600, 3600, 36000, 160000 };
	struct kma_history_mark mark;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		mark = kma_history_at(&kma_history, kma_now, windows[i]);
		if (mark.index >= 0)
			kma_compare_at(&mark);
	}
	kma_more += kma_compare_lists();
}

/* ---- exact ------------------------------------------------------------------- */

static void kma_event_at_random(void)
{
	const u32 object = kma_below(KMA_OBJECTS);

	if (kma_thing[object].live)
		kma_free(object);
	else
		kma_alloc(object, kma_below(KMA_NR_SITES), kma_below(KMA_SIZES));
}

/*
 * Random events for @hours, with pauses in which no mark is set, as when the machine sleeps, and
 * with marks that take too long.
 */
static void kma_live_on(u32 hours, bool recycles)
{
	const u64 end = kma_now + hours * 3600;
	u32 i, turns = 0;

	while (kma_now < end) {
		for (i = kma_below(20); i; i--)
			kma_event_at_random();
		if (!kma_below(300))
			kma_now += kma_below(7200);
		kma_now += 1 + kma_below(40);
		kma_mark();
		if (!kma_below(20))
			kma_history_pace(&kma_history, kma_below(2) ? 1 : 1000000000);
		if (recycles && !kma_below(20))
			kma_recycle_all();
		if (!(turns++ % 16))
			kma_compare();
	}
}

/* Number of earlier times that are known. */
static u32 kma_marks(void)
{
	u32 i, nr = 0;

	for (i = 0; i < KMA_HISTORY_MARKS; i++)
		nr += kma_history.time[i] != KMA_HISTORY_NEVER;
	return nr;
}

static void kma_two_days(void)
{
	kma_world(256);
	kma_live_on(60, false);
	kma_expect(kma_marks() > 40);
	kma_expect(kma_history.used == KMA_NR_SITES * KMA_SIZES + 2 && !kma_history.full);
	kma_expect(kma_more);
	kma_world_ends();
}

/* Few objects, so that many rows have none. */
static void kma_two_days_of_recycling(void)
{
	u32 i;

	kma_world(256);
	for (i = 0; i < 60; i++) {
		kma_live_on(1, true);
		for (u32 object = 0; object < KMA_OBJECTS; object++)
			if (kma_thing[object].live && kma_below(30))
				kma_free(object);
		kma_expect(kma_recycle_all());
		kma_compare();
	}
	kma_world_ends();
}

/* Let time pass, in which call sites allocate another object of 4 KiB at each mark. */
static void kma_sites_grow(u32 marks, u32 first, u32 nr, u32 objects, u32 *object)
{
	struct kma_event ev;
	u32 i, k;

	for (; marks; marks--) {
		for (i = first; i < first + nr; i++) {
			for (k = 0; k < objects; k++) {
				ev = kma_event((*object)++, i, 1);
				kma_record_alloc(&kma_core, &ev);
			}
		}
		kma_pass(10);
	}
}

static const struct kma_history_slot *kma_slot_of(u32 place)
{
	const struct kma_sitetab *t = &kma_core.sites;
	u32 id;

	for (id = 0; id < t->sites_max; id++)
		if (kma_sitetab_info(t, id) && t->info[id].site == kma_address(place))
			return &kma_history.slot[kma_history.slot_of[id]];
	abort();
}

/* The marks of the series of 10 s that are known of a call site. */
static u32 kma_known(u32 place)
{
	const struct kma_history_slot *slot = kma_slot_of(place);
	struct kma_history_marks marks;
	u32 m, nr = 0;

	kma_history_list(&kma_history, kma_now, &marks);
	for (m = 0; m < marks.nr[0]; m++)
		nr += kma_past(slot, marks.mark[0][m].index) >= 0;
	return nr;
}

/* The KiB of a call site that were live some marks ago; -1 if that is not known. */
static s64 kma_mark_of(u32 place, u32 ago)
{
	struct kma_history_marks marks;

	kma_history_list(&kma_history, kma_now, &marks);
	return kma_past(kma_slot_of(place), marks.mark[0][marks.nr[0] - 1 - ago].index);
}

#define KMA_MANY	300

/* If many call sites change, more marks are kept of those that change most. */
static void kma_those_that_change_most(void)
{
	u32 object = 0, place, nr = 0;

	kma_now = 0;
	kma_env.stack = 0;
	if (kma_core_init(&kma_core, 40000, 1024, 64) ||
	    kma_history_init(&kma_history, &kma_core.sites, kma_now))
		abort();
	kma_sites_grow(20, 0, 10, 4, &object);
	kma_sites_grow(20, 10, KMA_MANY - 10, 1, &object);
	for (place = 0; place < 10; place++)
		kma_expect(kma_known(place) == 41);
	for (place = 0; place < KMA_MANY; place++)
		nr += kma_known(place) > KMA_HISTORY_MARKS_10S;
	kma_expect(nr == KMA_RECENT_ENTRIES);
	/* A slot that takes an entry begins with the marks that each slot has. */
	kma_sites_grow(1, KMA_MANY - 1, 1, 100, &object);
	kma_expect(kma_known(KMA_MANY - 1) == KMA_HISTORY_MARKS_10S);
	kma_expect(kma_mark_of(KMA_MANY - 1, 0) == 4 * (20 + 100));
	kma_expect(kma_mark_of(KMA_MANY - 1, 3) == 4 * 18);
	kma_sites_grow(70, 11, KMA_MANY - 11, 1, &object);
	for (place = 0; place < 10; place++)
		kma_expect(kma_known(place) == KMA_HISTORY_MARKS_10S);
	kma_expect(kma_known(KMA_MANY - 1) == KMA_RECENT_MARKS);
	kma_compare_entries();
	kma_world_ends();
}

/* Whether the slot of a call site is listed. */
static bool kma_is_listed(u32 place)
{
	u32 id;

	return kma_history_past(&kma_history, &kma_core.sites,
				kma_slot_of(place) - kma_history.slot, &id);
}

/* No entry is taken from a slot while others are unused, and a short burst is not forgotten. */
static void kma_few_that_change(void)
{
	u32 object = 0;

	kma_world(256);
	kma_pass(61);
	kma_sites_grow(1, 0, 1, 1, &object);
	kma_record_free(&kma_core, KMA_MODEL_PTR, true);
	kma_pass(300);
	kma_expect(kma_known(0) > KMA_HISTORY_MARKS_10S && kma_is_listed(0));
	kma_sites_grow(1, 1, 1, 1, &object);
	kma_pass(100);
	kma_expect(kma_known(0) > KMA_HISTORY_MARKS_10S);
	kma_expect(kma_known(1) > KMA_HISTORY_MARKS_10S);
	kma_expect(kma_mark_of(0, 41) == 4 && kma_mark_of(0, 40) == 0);
	kma_pass(300);
	kma_expect(!kma_is_listed(0) && kma_is_listed(1));
	kma_world_ends();
}

/* While a mark is being set, it is not listed: slots that were not read have nothing yet. */
static void kma_marks_being_set(void)
{
	struct kma_history_marks marks;
	u32 object = 0;

	kma_world(256);
	kma_sites_grow(7, 0, 3, 1, &object);
	kma_now = 130;
	kma_history_begin(&kma_history, &kma_core.sites, kma_now);
	kma_expect(kma_mark_of(0, 0) == 28);
	kma_history_list(&kma_history, kma_now, &marks);
	kma_expect(marks.nr[0] == 8 && marks.mark[0][7].age == 60 && marks.nr[1] == 2);
	while (kma_history_some(&kma_history, &kma_core.sites))
		kma_expect(kma_mark_of(0, 0) == 28);
	kma_history_list(&kma_history, kma_now, &marks);
	kma_expect(marks.nr[0] == 9 && !marks.mark[0][8].age && marks.nr[1] == 3);
	kma_expect(kma_mark_of(0, 0) == 28 && kma_mark_of(0, 1) == 28);
	kma_world_ends();
}

/* A window has a mark only if there was one about as long ago. */
static void kma_windows(void)
{
	struct kma_history_mark mark;

	kma_world(256);
	kma_now = 39;
	kma_expect(kma_history_at(&kma_history, kma_now, 60).index < 0);
	kma_now = 40;
	mark = kma_history_at(&kma_history, kma_now, 60);
	kma_expect(mark.index >= 0 && mark.age == 40);
	kma_now = 121;
	kma_expect(kma_history_at(&kma_history, kma_now, 60).index < 0);
	kma_now = 0;
	kma_pass(599);
	kma_expect(kma_history_at(&kma_history, kma_now, 60).age >= 55);
	kma_expect(kma_history_at(&kma_history, kma_now, 60).age <= 65);
	kma_expect(kma_history_at(&kma_history, kma_now, 600).age == 599);
	kma_expect(kma_history_at(&kma_history, kma_now, 3600).index < 0);
	kma_pass(8 * 3600);
	mark = kma_history_at(&kma_history, kma_now, 3600);
	kma_expect(mark.age >= 3570 && mark.age <= 3630);
	/* After a night of sleep, the last hour and the last minute have no mark. */
	kma_now += 8 * 3600;
	kma_mark();
	kma_expect(kma_history_at(&kma_history, kma_now, 60).index < 0);
	kma_expect(kma_history_at(&kma_history, kma_now, 3600).index < 0);
	kma_expect(kma_history_at(&kma_history, kma_now, 8 * 3600).age >= 8 * 3600);
	kma_world_ends();
}

/* ---- modules, and slots ------------------------------------------------------ */

static u32 kma_row_of_place(u32 place)
{
	const struct kma_sitetab *t = &kma_core.sites;
	u32 id;

	for (id = 0; id < t->sites_max; id++)
		if (kma_sitetab_info(t, id) && t->info[id].site == kma_address(place) &&
		    t->info[id].state == KMA_SITE_LIVE)
			return id;
	abort();
}

/* Another module at the same address has a history of its own. */
static void kma_modules(void)
{
	struct kma_history_change change;
	struct kma_history_mark mark;
	u32 row, late, next;

	kma_world(256);
	kma_alloc(0, 1, 1);
	kma_pass(100);
	row = kma_row_of_place(1);
	kma_sitetab_retire(&kma_core.sites, row);
	kma_alloc(1, 1, 1);
	late = kma_row_of_place(1);
	/* This row was never seen while its module was loaded. */
	kma_sitetab_retire(&kma_core.sites, late);
	kma_alloc(2, 1, 1);
	next = kma_row_of_place(1);
	kma_pass(100);
	kma_expect(kma_history.slot_of[row] != kma_history.slot_of[next]);
	kma_expect(kma_history.slot_of[late] != kma_history.slot_of[next]);
	mark = kma_history_at(&kma_history, kma_now, 140);
	kma_expect(kma_history_changed(&kma_history, &kma_core.sites, row, false, &mark, 1,
				       &change));
	kma_expect(!change.kib);
	kma_expect(kma_history_changed(&kma_history, &kma_core.sites, next, false, &mark, 1,
				       &change));
	kma_expect(change.kib == 4);
	kma_expect(kma_history_changed(&kma_history, &kma_core.sites, late, false, &mark, 1,
				       &change));
	kma_expect(change.kib == 4);
	kma_world_ends();
}

/* As many caches as there are, with an object each, at one call site. */
#define KMA_CACHES	300

static struct kma_env_cache kma_cache[KMA_CACHES];

static void kma_alloc_in(u32 cache)
{
	const struct kma_event ev = {
		.site = kma_address(cache % KMA_NR_SITES),
		.ptr = KMA_MODEL_PTR + 8 * cache,
		.cache = (unsigned long)&kma_cache[cache],
		.node = NUMA_NO_NODE,
	};

	kma_record_alloc(&kma_core, &ev);
}

/* The change of all call sites together, in KiB. */
static s64 kma_change_of_all(u32 seconds)
{
	s64 sum = 0;
	int place;

	for (place = -1; place < KMA_NR_SITES; place++)
		sum += kma_since(place, seconds);
	return sum;
}

/*
 * The history of rows that are recycled moves to [other] of their cache.  When the cache is
 * destroyed, it moves to the cache [other].
 */
static void kma_other_caches(void)
{
	u32 i;

	for (i = 0; i < KMA_CACHES; i++) {
		kma_cache[i] = (struct kma_env_cache) { .size = 4096, .object_size = 4096 };
		snprintf(kma_cache[i].name, sizeof(kma_cache[i].name), "cache-%u", i);
	}
	kma_world(512);
	for (i = 0; i < KMA_CACHES; i++)
		kma_alloc_in(i);
	kma_pass(100);
	kma_expect(kma_history.used == KMA_CACHES + 2);
	for (i = 0; i < KMA_CACHES; i++)
		kma_record_free(&kma_core, KMA_MODEL_PTR + 8 * i, true);
	kma_expect(kma_recycle_all() == KMA_CACHES);
	/* One of these slots is shared by all further caches. */
	kma_expect(kma_history.used == KMA_HISTORY_OTHERS + 1);
	kma_expect(kma_history.full == KMA_CACHES - KMA_HISTORY_OTHERS + 1);
	kma_expect(kma_since(-1, 60) == -4 * KMA_CACHES);
	kma_expect(kma_change_of_all(60) == -4 * KMA_CACHES);
	/* The caches are destroyed, and their numbers are recycled. */
	for (i = 0; i < KMA_CACHES; i++)
		kma_sitetab_retire_cache(&kma_core.sites, (unsigned long)&kma_cache[i]);
	kma_recycle_all();
	kma_expect(kma_cachetab_used(&kma_core.sites.caches) == 0 && kma_history.used == 2);
	kma_expect(kma_since(-1, 60) == -4 * KMA_CACHES);
	kma_expect(kma_change_of_all(60) == -4 * KMA_CACHES);
	kma_world_ends();
}

static void kma_others_are_given_back(void)
{
	kma_world(256);
	kma_alloc(0, 1, 1);
	kma_pass(20);
	kma_free(0);
	kma_recycle_all();
	kma_expect(kma_history.used == 3);
	kma_pass(3600);
	/* A mark of an hour that was set while the object lived is forgotten after two days. */
	kma_alloc(0, 1, 1);
	kma_pass(3600);
	kma_free(0);
	kma_recycle_all();
	kma_pass(47 * 3600);
	kma_expect(kma_history.used == 3);
	kma_pass(2 * 3600);
	kma_expect(kma_history.used == 2);
	kma_world_ends();
}

/* A cache that is destroyed and created again has one history. */
static void kma_cache_comes_again(void)
{
	kma_world(256);
	kma_cache[0] = (struct kma_env_cache) {
		.size = 4096, .object_size = 4096, .name = "again",
	};
	kma_alloc_in(0);
	kma_pass(100);
	kma_record_free(&kma_core, KMA_MODEL_PTR, true);
	kma_sitetab_retire_cache(&kma_core.sites, (unsigned long)&kma_cache[0]);
	kma_pass(10);
	kma_alloc_in(0);
	kma_pass(10);
	kma_expect(kma_history.used == 3 && kma_since(0, 60) == 0);
	kma_world_ends();
}

/* ---- how long marks take ----------------------------------------------------- */

static void kma_pace(void)
{
	kma_world(256);
	kma_history_pace(&kma_history, 100000000);
	kma_expect(kma_history.step == 10);
	kma_history_pace(&kma_history, 100000000 + 1);
	kma_expect(kma_history.step == 20);
	/* The step is doubled until marks take 1 % of a CPU. */
	for (u32 i = 0; i < 20; i++)
		kma_history_pace(&kma_history, 1000000000);
	kma_expect(kma_history.step == 160);
	kma_pass(1000);
	kma_expect(kma_history.marks == 6);
	for (u32 i = 0; i < 20; i++)
		kma_history_pace(&kma_history, 1000000);
	kma_expect(kma_history.step == 10);
	kma_pass(1000);
	kma_expect(kma_history.marks >= 105 && kma_history.marks <= 107);
	kma_world_ends();
}

/* ---- samples ----------------------------------------------------------------- */

#define KMA_SHIFT	16

static void kma_sample(u32 object, u32 place, u32 size)
{
	const struct kma_event ev = kma_event(object, place, size);

	kma_stat_inc(alloc_unsampled);
	kma_record_sampled(&kma_core, &ev, kma_bytes[size], false);
	kma_thing[object] = (struct kma_thing) { true, true, place, size };
	kma_true[place][size] += kma_bytes[size];
}

static void kma_unsample(u32 object)
{
	struct kma_thing *o = &kma_thing[object];

	kma_stat_inc(free_unmatched);
	kma_record_free_sampled(&kma_core, KMA_MODEL_PTR + 8 * object);
	o->live = false;
	kma_true[o->place][o->size] -= kma_bytes[o->size];
}

static void kma_sampling_begins(u64 seed)
{
	kma_env.stack = KMA_MODEL_SITE + 5;
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT);
	kma_sample_seed(seed);
	kma_record_livefilter_start(&kma_core);
}

static void kma_world_of_samples(u64 seed)
{
	kma_world(256);
	kma_sampling_begins(seed);
}

static void kma_world_of_samples_ends(void)
{
	kma_record_livefilter_stop();
	kma_env.stack = 0;
	kma_world_ends();
}

/* N changes twice.  What stays live has not changed, although its rows count for another N. */
static void kma_rates(void)
{
	struct kma_history_mark mark;
	u32 i, turn;

	kma_world_of_samples(1);
	for (i = 0; i < KMA_OBJECTS / 2; i++)
		kma_sample(i, 3, 1);
	kma_pass(200);
	for (turn = 0; turn < 2; turn++) {
		kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT + 1 - 3 * turn);
		for (i = 0; i < KMA_OBJECTS / 4; i++)
			kma_sample(KMA_OBJECTS / 2 + i, 3, 1);
		for (i = 0; i < KMA_OBJECTS / 4; i++)
			kma_unsample(KMA_OBJECTS / 2 + i);
		kma_pass(60);
		mark = kma_history_at(&kma_history, kma_now, 60 * (turn + 2));
		kma_expect(kma_change_of(3, &mark).kib == 0);
		kma_expect(kma_change_of(3, &mark).variance > 0);
	}
	kma_expect(kma_history.used == 3);
	/* Rows of another N without live objects leave.  The history stays. */
	kma_expect(kma_recycle_all() >= 2);
	kma_pass(60);
	mark = kma_history_at(&kma_history, kma_now, 200);
	kma_expect(kma_change_of(3, &mark).kib == 0 && kma_since(-1, 200) == 0);
	/* Since then, nothing was allocated or freed. */
	mark = kma_history_at(&kma_history, kma_now, 60);
	kma_expect(!kma_change_of(3, &mark).kib && kma_change_of(3, &mark).variance / 256 < 64);
	kma_world_of_samples_ends();
}

/* `stacks` shows what samples have left, and not what exact objects have left. */
static void kma_samples_that_left(void)
{
	struct kma_history_mark mark;
	s64 samples = 0, all;
	u64 variance = 0;
	u32 i;

	kma_world(256);
	kma_alloc(0, 5, 2);
	kma_sampling_begins(3);
	for (i = 1; i < KMA_OBJECTS; i++)
		kma_sample(i, i % 4, 1);
	kma_pass(100);
	mark = kma_history_at(&kma_history, kma_now, 100);
	for (i = 0; i < 4; i++) {
		samples += kma_change_in(i, &mark, true).kib;
		variance += kma_change_in(i, &mark, true).variance;
	}
	kma_expect(samples > 2000 && kma_change_in(5, &mark, false).kib == 64);
	for (i = 1; i < KMA_OBJECTS; i++)
		kma_unsample(i);
	kma_unsample(0);
	kma_recycle_all();
	mark = kma_history_at(&kma_history, kma_now, 60);
	all = kma_change_in(-1, &mark, false).kib;
	kma_expect(kma_change_in(-1, &mark, true).kib == -samples && all == -samples - 64);
	kma_expect(kma_change_in(-1, &mark, true).variance > variance / 2);
	kma_world_of_samples_ends();
}

/**
 * struct kma_trials - how often an interval contains the true change
 * @nr: number of intervals
 * @inside: number of those that contain it
 * @error: sum of the estimate's errors, in KiB
 * @width: sum of the standard errors, in KiB
 */
struct kma_trials {
	u32 nr;
	u32 inside;
	double error;
	double width;
};

/* In a trial, @stays objects stay live; then @more are allocated, and @fewer are freed. */
static void kma_trial(struct kma_trials *trials, u32 size, u32 stays, u32 more, u32 fewer)
{
	struct kma_history_change change;
	struct kma_history_mark mark;
	double se, error;
	u32 i;

	kma_world_of_samples(++kma_random_state);
	for (i = 0; i < stays; i++)
		kma_sample(i, 3, size);
	kma_pass(60);
	for (i = 0; i < more; i++)
		kma_sample(stays + i, 3, size);
	kma_pass(25);
	for (i = 0; i < fewer; i++)
		kma_unsample(i * 7 % stays);
	mark = kma_history_at(&kma_history, kma_now, 25);
	change = kma_change_of(3, &mark);
	error = change.kib - ((double)more - fewer) * kma_bytes[size] / 1024;
	se = sqrt(change.variance / 256.0);
	trials->nr++;
	trials->inside += fabs(error) <= 1.96 * se;
	trials->error += error;
	trials->width += se;
	kma_world_of_samples_ends();
}

static void kma_intervals(void)
{
	static const struct {
		u32 size, stays, more, fewer;
	} cases[] = {
		{ 1, 800, 600, 200 }, { 1, 1500, 100, 100 }, { 2, 500, 300, 299 },
		{ 2, 1000, 40, 900 }, { 1, 1000, 300, 1 },
	};
	struct kma_trials trials;
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		trials = (struct kma_trials) {};
		for (n = 0; n < 400; n++)
			kma_trial(&trials, cases[i].size, cases[i].stays, cases[i].more,
				  cases[i].fewer);
		printf("# %u of %u bytes live, +%u -%u: %.1f %% inside, error %.1f, se %.1f KiB\n",
		       cases[i].stays, kma_bytes[cases[i].size], cases[i].more, cases[i].fewer,
		       100.0 * trials.inside / trials.nr, trials.error / trials.nr,
		       trials.width / trials.nr);
		/* With 95 % inside, fewer than 92 % of 400 come once in 300 runs. */
		kma_expect(trials.inside >= trials.nr * 0.92);
		/* The estimate is unbiased: its mean error is within four standard errors. */
		kma_expect(fabs(trials.error / trials.nr) <=
			   4 * trials.width / trials.nr / sqrt(trials.nr) + 1);
	}
}

/* A site that hardly changes has a narrow interval, however much of it is live. */
static void kma_flat_sites(void)
{
	struct kma_history_change change;
	struct kma_history_mark mark;
	u32 i;

	kma_world_of_samples(7);
	for (i = 0; i < KMA_OBJECTS; i++)
		kma_sample(i, 3, 2);
	kma_pass(600);
	mark = kma_history_at(&kma_history, kma_now, 60);
	change = kma_change_of(3, &mark);
	/* Only the rounding of 128 MiB is left. */
	kma_expect(!change.kib && change.variance / 256 < 64);
	kma_world_of_samples_ends();
}

static const struct kma_case kma_cases[] = {
	{ "exact words", kma_exact_words },
	{ "estimates", kma_estimates },
	{ "variances", kma_variances },
	{ "variances that are rounded at random", kma_random_rounding },
	{ "sums that are rounded at random", kma_random_sums },
	{ "two days", kma_two_days },
	{ "two days of recycling", kma_two_days_of_recycling },
	{ "those that change most", kma_those_that_change_most },
	{ "few that change", kma_few_that_change },
	{ "marks that are being set", kma_marks_being_set },
	{ "windows", kma_windows },
	{ "modules", kma_modules },
	{ "many caches", kma_other_caches },
	{ "slots of [other] that are empty", kma_others_are_given_back },
	{ "a cache that comes again", kma_cache_comes_again },
	{ "how long marks take", kma_pace },
	{ "other rates", kma_rates },
	{ "samples that have left", kma_samples_that_left },
	{ "intervals of changes", kma_intervals },
	{ "sites that do not change", kma_flat_sites },
};

int main(int argc, char **argv)
{
	return kma_seeded_run(argc, argv, kma_cases, ARRAY_SIZE(kma_cases));
}
