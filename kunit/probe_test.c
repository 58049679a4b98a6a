// SPDX-License-Identifier: GPL-2.0
/*
 * The whole module but its parameters, on real allocations: functions that do
 * nothing else make a known number of them, and their rows are looked at.
 */
#include <linux/debugfs.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "util.h"
#include "../module/report/rows_site.h"

static const struct kma_config kma_small = {
	.live_max = 20000,
	.sites_max = 1024,
	.enabled = true,
	.bulk = "auto",
};

/* ---- the sites ------------------------------------------------------------ */

/*
 * An allocation that is not the last act of its function: the call would become
 * a jump, and the call site that of the caller.  The line's number stands in the
 * code, too, or the compiler would make one function of those that are alike.
 */
#define KMA_HERE(alloc) ({				\
	void *__object = (alloc);			\
							\
	asm volatile("# " __stringify(__LINE__));	\
	OPTIMIZER_HIDE_VAR(__object);			\
	__object;					\
})

static struct kmem_cache *kma_cache;

static noinline __noclone void *kma_site_const(void)
{
	return KMA_HERE(kmalloc(100, GFP_KERNEL));
}

static noinline __noclone void *kma_site_size(size_t size)
{
	return KMA_HERE(kmalloc(size, GFP_KERNEL));
}

static noinline __noclone void *kma_site_node(size_t size)
{
	return KMA_HERE(kmalloc_node(size, GFP_KERNEL, numa_node_id()));
}

static noinline __noclone void *kma_site_zalloc(size_t size)
{
	return KMA_HERE(kzalloc(size, GFP_KERNEL));
}

static noinline __noclone void *kma_site_array(size_t size)
{
	return KMA_HERE(kmalloc_array(size / 4, 4, GFP_KERNEL));
}

/* Counts for whoever calls it. */
static noinline __noclone void *kma_track(size_t size)
{
	return KMA_HERE(kmalloc_track_caller(size, GFP_KERNEL));
}

static noinline __noclone void *kma_site_track(size_t size)
{
	return KMA_HERE(kma_track(size));
}

static noinline __noclone void *kma_site_memdup(size_t size)
{
	return KMA_HERE(kmemdup(empty_zero_page, size, GFP_KERNEL));
}

static noinline __noclone void *kma_site_kv(size_t size)
{
	return KMA_HERE(kvmalloc(size, GFP_KERNEL));
}

static noinline __noclone void *kma_site_realloc(void *ptr, size_t size)
{
	return KMA_HERE(krealloc(ptr, size, GFP_KERNEL));
}

static noinline __noclone void *kma_site_large_const(void)
{
	return KMA_HERE(kmalloc(16384, GFP_KERNEL));
}

static noinline __noclone void *kma_site_cache(void)
{
	return KMA_HERE(kmem_cache_alloc(kma_cache, GFP_KERNEL));
}

static noinline __noclone int kma_site_bulk(int nr, void **object)
{
	int got = kmem_cache_alloc_bulk(kma_cache, GFP_KERNEL, nr, object);

	OPTIMIZER_HIDE_VAR(got);
	return got;
}

static noinline __noclone void *kma_site_atomic(void)
{
	return KMA_HERE(kmalloc(100, GFP_ATOMIC));
}

static noinline __noclone void *kma_site_fails(size_t size)
{
	return KMA_HERE(kmalloc(size, GFP_KERNEL | __GFP_NOWARN));
}

static noinline __noclone void *kma_site_storm(size_t size)
{
	return KMA_HERE(kmalloc(size, GFP_KERNEL));
}

/* ---- helpers -------------------------------------------------------------- */

/*
 * The counters of all rows whose call site is in a function.  Nobody else
 * calls these functions, so they are quiet whatever the machine does.
 */
static struct kma_site_counts kma_counts_of(const char *function)
{
	static char name[KMA_SYMBOL_LEN];
	struct kma_site_counts sum = {}, row;
	size_t len = strlen(function);
	u32 id;

	mutex_lock(&kma_lock);
	kma_control_sweep();
	for (id = 0; id < kma_sitetab_rows(&kma_core.sites); id++) {
		if (!kma_sitetab_info(&kma_core.sites, id))
			continue;
		kma_symbol_name(&kma_core.sites, id, name);
		if (strncmp(name, function, len) || name[len] != '+')
			continue;
		kma_rows_site_read(id, &row);
		kma_rows_site_add(&sum, &row);
	}
	mutex_unlock(&kma_lock);
	return sum;
}

/* One of them: a whole row takes much of a stack. */
static noinline u64 kma_count_of(const char *function, enum kma_site_column column)
{
	return kma_counts_of(function).v[column];
}

/* What a site has done, for comparison; bytes_alloc is looked at elsewhere. */
struct kma_acct_events {
	u64 hits;
	u64 bytes_req;
	u64 frees;
	u64 live_objs;
	u64 pingpong;
	u64 cross_node;
};

static void kma_expect_acct(struct kunit *test, const char *function,
			     const struct kma_acct_events *expected)
{
	const struct kma_site_counts counts = kma_counts_of(function);
	const u64 *v = counts.v;

	KUNIT_EXPECT_EQ_MSG(test, v[KMA_COUNT_hits], expected->hits, "%s", function);
	KUNIT_EXPECT_EQ_MSG(test, v[KMA_COUNT_bytes_req], expected->bytes_req,
			    "%s", function);
	KUNIT_EXPECT_EQ_MSG(test, v[KMA_COUNT_frees], expected->frees, "%s", function);
	KUNIT_EXPECT_EQ_MSG(test, v[KMA_COUNT_live_objs], expected->live_objs,
			    "%s", function);
	KUNIT_EXPECT_EQ_MSG(test, v[KMA_COUNT_pingpong], expected->pingpong,
			    "%s", function);
	KUNIT_EXPECT_EQ_MSG(test, v[KMA_COUNT_cross_node], expected->cross_node,
			    "%s", function);
	KUNIT_EXPECT_EQ_MSG(test, v[KMA_COUNT_no_entry], 0, "%s", function);
}

/* How many call sites are inside the kernel's own allocation functions. */
static int kma_sites_in_allocator(void)
{
	static const char * const names[] = {
		"__kmalloc_noprof", "__kmalloc_node_noprof",
		"__kmalloc_node_track_caller_noprof", "__do_kmalloc_node",
		"__kmalloc_large_noprof", "__kmalloc_large_node_noprof",
	};
	int i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		nr += kma_count_of(names[i], KMA_COUNT_hits) != 0;
	return nr;
}

/* ---- exact counts --------------------------------------------------------- */

static void kma_probe_counts_kmalloc(struct kunit *test)
{
	const struct kma_acct_events expected = {
		.hits = 10,
		.bytes_req = 1000,
		.frees = 9,
		.live_objs = 1,
	};
	void *last = NULL;
	int i;

	migrate_disable();
	for (i = 0; i < 10; i++) {
		kfree(last);
		last = kma_site_const();
	}
	kma_expect_acct(test, "kma_site_const", &expected);
	kfree(last);
	migrate_enable();
}

/* Every size, through each way in; the large ones fire twice on some kernels. */
static void kma_probe_counts_every_way_in(struct kunit *test)
{
	static const struct {
		const char *name;
		void *(*alloc)(size_t size);
	} sites[] = {
		{ "kma_site_size", kma_site_size },
		{ "kma_site_node", kma_site_node },
		{ "kma_site_zalloc", kma_site_zalloc },
		{ "kma_site_array", kma_site_array },
		{ "kma_site_track", kma_site_track },
	};
	static const size_t sizes[] = {
		8, 24, 64, 100, 192, 1000, 4096, 8192, 8196, 16384, 100000, 1 << 20,
	};
	int i, k;

	migrate_disable();
	for (i = 0; i < ARRAY_SIZE(sites); i++) {
		struct kma_acct_events expected = {};

		for (k = 0; k < ARRAY_SIZE(sizes); k++) {
			void *ptr = sites[i].alloc(sizes[k]);

			KUNIT_EXPECT_NOT_NULL(test, ptr);
			expected.hits++;
			expected.frees++;
			expected.bytes_req += sizes[k];
			kfree(ptr);
		}
		kma_expect_acct(test, sites[i].name, &expected);
	}
	migrate_enable();
	KUNIT_EXPECT_EQ(test, kma_sites_in_allocator(), 0);
}

/* These allocate inside of a function of the kernel: no hit is their own. */
static void kma_probe_counts_no_large_object_twice(struct kunit *test)
{
	u64 replaced = kma_stat_now(replaced);
	u64 before, after;
	void *ptr[3];
	int i;

	ptr[0] = kma_site_memdup(64);
	ptr[1] = kma_site_kv(64);
	for (i = 0; i < 2; i++)
		kvfree(ptr[i]);
	before = kma_count_of("__kvmalloc_node_noprof", KMA_COUNT_hits);
	ptr[0] = kma_site_memdup(PAGE_SIZE);
	ptr[1] = kma_site_kv(3 * PAGE_SIZE);
	ptr[2] = kma_site_realloc(NULL, 3 * PAGE_SIZE);
	after = kma_count_of("__kvmalloc_node_noprof", KMA_COUNT_hits);
	for (i = 0; i < 3; i++)
		kvfree(ptr[i]);

	KUNIT_EXPECT_EQ(test, after - before, 1);
	KUNIT_EXPECT_EQ(test, kma_sites_in_allocator(), 0);
	/* A second event that is taken for a new object looks like a lost free. */
	KUNIT_EXPECT_EQ(test, kma_stat_now(replaced), replaced);
}

static void kma_probe_counts_large_constant_sizes(struct kunit *test)
{
	const struct kma_acct_events expected = {
		.hits = 2,
		.bytes_req = 2 * 16384,
		.frees = 1,
		.live_objs = 1,
	};
	void *first, *second;

	migrate_disable();
	first = kma_site_large_const();
	second = kma_site_large_const();
	kfree(first);
	kma_expect_acct(test, "kma_site_large_const", &expected);
	KUNIT_EXPECT_EQ(test,
			kma_count_of("kma_site_large_const", KMA_COUNT_bytes_alloc),
			2 * 16384);
	kfree(second);
	migrate_enable();
}

static void kma_probe_counts_a_kmem_cache(struct kunit *test)
{
	const struct kma_acct_events expected = {
		.hits = 20,
		.bytes_req = 20 * 1234,
		.frees = 15,
		.live_objs = 5,
	};
	u32 size, object_size;
	char name[KMA_CACHE_NAME_LEN];
	struct kma_site_counts counts;
	void *object[20];
	int i;

	kma_cache = kmem_cache_create("kma-test-probe", 1234, 0, SLAB_NO_MERGE, NULL);
	KUNIT_ASSERT_NOT_NULL(test, kma_cache);
	kma_env_cache_info((unsigned long)kma_cache, &size, &object_size, name);
	migrate_disable();
	for (i = 0; i < 20; i++)
		object[i] = kma_site_cache();
	for (i = 0; i < 15; i++)
		kmem_cache_free(kma_cache, object[i]);
	kma_expect_acct(test, "kma_site_cache", &expected);
	counts = kma_counts_of("kma_site_cache");
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_bytes_alloc], 20 * size);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_bytes_freed], 15 * size);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_live_bytes], 5 * size);
	/* Legal, and seen as another event. */
	for (; i < 20; i++)
		kfree(object[i]);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_cache", KMA_COUNT_frees), 20);
	kmem_cache_destroy(kma_cache);
}

/* Functions without a tracepoint; with other ways to free the same objects. */
static void kma_probe_follows_bulk_functions(struct kunit *test)
{
	const int nr = 20;
	u32 size, object_size;
	char name[KMA_CACHE_NAME_LEN];
	struct kma_site_counts counts;
	void *object[20];

	kma_cache = kmem_cache_create("kma-test-bulk", 1234, 0, SLAB_NO_MERGE, NULL);
	KUNIT_ASSERT_NOT_NULL(test, kma_cache);
	kma_env_cache_info((unsigned long)kma_cache, &size, &object_size, name);
	migrate_disable();
	KUNIT_EXPECT_EQ(test, kma_site_bulk(nr, object), nr);
	kmem_cache_free_bulk(kma_cache, 10, object);
	kfree_bulk(5, object + 10);
	kmem_cache_free(kma_cache, object[15]);
	counts = kma_counts_of("kma_site_bulk");
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_hits], 0);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_bytes_req], 0);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_bulk_objs], nr);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_bulk_bytes], nr * size);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_frees], 16);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_pingpong], 0);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_live_objs], nr - 16);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_live_bytes], (nr - 16) * size);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_confirmed_bytes], (nr - 16) * size);
	kmem_cache_free_bulk(kma_cache, nr - 16, object + 16);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_bulk", KMA_COUNT_frees), nr);
	kmem_cache_destroy(kma_cache);
}

/* What kmalloc() gave, from several caches and from none. */
static void kma_probe_follows_kfree_bulk(struct kunit *test)
{
	const struct kma_acct_events expected = {
		.hits = 3,
		.bytes_req = 100 + 20000 + 1000,
		.frees = 3,
	};
	void *object[3];

	migrate_disable();
	object[0] = kma_site_size(100);
	object[1] = kma_site_size(20000);
	object[2] = kma_site_size(1000);
	kfree_bulk(ARRAY_SIZE(object), object);
	migrate_enable();
	kma_expect_acct(test, "kma_site_size", &expected);
}

/* The kprobe on kmem_cache_destroy() sees that the address may be another's. */
static void kma_probe_notices_a_cache_destroyed(struct kunit *test)
{
	static const char * const names[] = {
		"kma-test-first", "kma-test-second", "kma-test-first",
	};
	const struct kma_site_info *info;
	u32 id, rows = 0, hits = 0;
	struct kma_row sum;
	int i;

	for (i = 0; i < 3; i++) {
		kma_cache = kmem_cache_create(names[i], 500, 0, SLAB_NO_MERGE, NULL);
		KUNIT_ASSERT_NOT_NULL(test, kma_cache);
		kmem_cache_free(kma_cache, kma_site_cache());
		kmem_cache_destroy(kma_cache);
	}
	for (id = 0; id < kma_core.sites.sites_max; id++) {
		info = kma_sitetab_info(&kma_core.sites, id);
		if (!info || strcmp(kma_core.sites.caches.info[info->cache].name,
				    "kma-test-first"))
			continue;
		kma_sitetab_sum(&kma_core.sites, id, &sum);
		hits += sum.hits;
		rows++;
		KUNIT_EXPECT_EQ(test, info->state, KMA_SITE_NO_CACHE);
	}
	KUNIT_EXPECT_EQ(test, rows, 1);
	KUNIT_EXPECT_EQ(test, hits, 2);
}

static void kma_probe_counts_what_is_nothing(struct kunit *test)
{
	const struct kma_acct_events expected = {};
	u64 null = kma_stat_now(free_null);
	u64 zero = kma_stat_now(free_zero_size);
	u64 failed = kma_stat_now(alloc_failed);
	void *ptr = NULL;
	int i;

	OPTIMIZER_HIDE_VAR(ptr);
	for (i = 0; i < 100; i++) {
		kfree(ptr);
		kfree(kma_site_size(0));
	}
	KUNIT_EXPECT_GE(test, kma_stat_now(free_null) - null, 100);
	KUNIT_EXPECT_EQ(test, kma_stat_now(free_zero_size) - zero, 100);
	kma_expect_acct(test, "kma_site_size", &expected);

	KUNIT_EXPECT_NULL(test, kma_site_fails(2 * KMALLOC_MAX_SIZE));
	KUNIT_EXPECT_GE(test, kma_stat_now(alloc_failed) - failed, 1);
	kma_expect_acct(test, "kma_site_fails", &expected);
}

/* Of one call site those of some sizes, a red zone included; exact and sampled. */
static void kma_probe_filters(struct kunit *test)
{
	const struct kma_acct_events expected = {
		.hits = 1,
		.bytes_req = 96,
		.frees = 1,
	};
	u64 filtered;

	KUNIT_EXPECT_EQ(test, kma_control_filter("module kmemacct_kunit;size 64-256"), 0);
	filtered = kma_stat_now(alloc_filtered);
	migrate_disable();
	kfree(kma_site_size(96));
	kfree(kma_site_size(8));
	kfree(kma_site_size(1000));
	kma_expect_acct(test, "kma_site_size", &expected);
	migrate_enable();
	KUNIT_EXPECT_GE(test, kma_stat_now(alloc_filtered), filtered + 2);
	KUNIT_EXPECT_EQ(test, kma_control_sample(4096), 0);
	kfree(kma_site_size(1 << 20));
	KUNIT_EXPECT_EQ(test, kma_control_filter("size 1M"), 0);
	/* So many times N that it is sampled. */
	kfree(kma_site_size(1 << 20));
	KUNIT_EXPECT_EQ(test, kma_control_sample(0), 0);
	KUNIT_EXPECT_EQ(test, kma_control_filter(NULL), 0);
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_size", KMA_COUNT_hits), 2);
}

static void kma_probe_follows_krealloc(struct kunit *test)
{
	/* 50 bytes, grown in place to 60, moved to 1000, freed by size 0. */
	const struct kma_acct_events expected = {
		.hits = 2,
		.bytes_req = 1050,
		.frees = 2,
	};
	void *ptr;

	migrate_disable();
	ptr = kma_site_realloc(NULL, 50);
	ptr = kma_site_realloc(ptr, 60);
	ptr = kma_site_realloc(ptr, 1000);
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_realloc", KMA_COUNT_live_objs), 1);
	kma_site_realloc(ptr, 0);
	migrate_enable();
	kma_expect_acct(test, "kma_site_realloc", &expected);
}

static void kma_kfree(void *ptr)
{
	kfree(ptr);
}

static void kma_probe_counts_pingpong(struct kunit *test)
{
	const struct kma_acct_events expected = {
		.hits = 2,
		.bytes_req = 200,
		.frees = 2,
		.pingpong = 1,
	};
	int other;

	migrate_disable();
	other = kma_other_cpu(test);
	smp_call_function_single(other, kma_kfree, kma_site_const(), 1);
	kfree(kma_site_const());
	migrate_enable();
	kma_expect_acct(test, "kma_site_const", &expected);
}

static void *kma_atomic_object;

static void kma_alloc_in_irq(struct irq_work *work)
{
	kma_atomic_object = kma_site_atomic();
}

static void kma_probe_counts_in_interrupts(struct kunit *test)
{
	const struct kma_acct_events expected = {
		.hits = 5,
		.bytes_req = 500,
		.frees = 5,
	};
	struct irq_work work = IRQ_WORK_INIT_HARD(kma_alloc_in_irq);
	int i;

	migrate_disable();
	for (i = 0; i < 5; i++) {
		irq_work_queue(&work);
		irq_work_sync(&work);
		kfree(kma_atomic_object);
	}
	migrate_enable();
	kma_expect_acct(test, "kma_site_atomic", &expected);
}

/* What kmalloc says it takes is what lies between neighbours. */
static void kma_probe_knows_what_kmalloc_takes(struct kunit *test)
{
	static const size_t sizes[] = { 8, 33, 100, 200, 500, 1025, 3000, 8192 };
	const int nr = 200;
	void **object = kunit_kcalloc(test, nr, sizeof(*object), GFP_KERNEL);
	u64 before, after;
	unsigned long smallest;
	int i, k, size;

	KUNIT_ASSERT_NOT_NULL(test, object);
	for (size = 0; size < ARRAY_SIZE(sizes); size++) {
		before = kma_count_of("kma_site_size", KMA_COUNT_bytes_alloc);
		smallest = ULONG_MAX;
		for (i = 0; i < nr; i++) {
			object[i] = kma_site_size(sizes[size]);
			for (k = 0; k < i; k++)
				smallest = min_t(unsigned long, smallest,
						 abs(object[i] - object[k]));
		}
		for (i = 0; i < nr; i++)
			kfree(object[i]);
		after = kma_count_of("kma_site_size", KMA_COUNT_bytes_alloc);
		KUNIT_EXPECT_EQ_MSG(test, after - before, nr * smallest,
				    "kmalloc(%zu)", sizes[size]);
	}
}

/* ---- switching off -------------------------------------------------------- */

/* Allocations are not recorded then; frees are still followed. */
static void kma_probe_follows_frees_while_disabled(struct kunit *test)
{
	const struct kma_acct_events before = { .hits = 1, .bytes_req = 100, .live_objs = 1 };
	const struct kma_acct_events after = { .hits = 1, .bytes_req = 100, .frees = 1 };
	u64 off = kma_stat_now(alloc_off);
	void *seen, *unseen;

	migrate_disable();
	seen = kma_site_const();
	kma_control_enable(false);
	unseen = kma_site_const();
	KUNIT_EXPECT_GE(test, kma_stat_now(alloc_off) - off, 1);
	kma_expect_acct(test, "kma_site_const", &before);
	kfree(seen);
	kfree(unseen);
	kma_expect_acct(test, "kma_site_const", &after);
	migrate_enable();
}

/* ---- sampling ------------------------------------------------------------- */

/* So many times the smallest N that it is sampled, whatever the random numbers. */
#define KMA_CERTAIN_BYTES	SZ_1M
#define KMA_SOME		40

/* What was allocated in one of the times: exactly, sampled, exactly again. */
struct kma_times {
	void *before[KMA_SOME];
	void *large[KMA_SOME / 10];
	void *small[10 * KMA_SOME];
	void *after[KMA_SOME];
};

static void kma_free_some(void **object, int from, int to)
{
	while (from < to)
		kfree(object[from++]);
}

/* Half of what was recorded before is freed while objects are sampled. */
static void kma_allocate_in_times(struct kma_times *t)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(t->before); i++)
		t->before[i] = kma_site_const();
	kma_control_sample(1 << KMA_SHIFT_MIN);
	for (i = 0; i < ARRAY_SIZE(t->large); i++)
		t->large[i] = kma_site_size(KMA_CERTAIN_BYTES);
	for (i = 0; i < ARRAY_SIZE(t->small); i++)
		t->small[i] = kma_site_node(1000);
	kma_free_some(t->before, 0, KMA_SOME / 2);
	kma_free_some(t->small, 0, 5 * KMA_SOME);
	kma_free_some(t->large, 0, 2);
	kma_control_sample(0);
	for (i = 0; i < ARRAY_SIZE(t->after); i++)
		t->after[i] = kma_site_zalloc(100);
}

/* The rest; what was allocated exactly at last, while objects are sampled again. */
static void kma_free_in_times(struct kma_times *t)
{
	kma_free_some(t->before, KMA_SOME / 2, KMA_SOME);
	kma_free_some(t->small, 5 * KMA_SOME, 7 * KMA_SOME);
	kma_control_sample(1 << KMA_SHIFT_MAX);
	kma_free_some(t->small, 7 * KMA_SOME, ARRAY_SIZE(t->small));
	kma_free_some(t->large, 2, ARRAY_SIZE(t->large));
	kma_free_some(t->after, 0, ARRAY_SIZE(t->after));
	kma_control_sample(0);
}

/* Whatever way it was recorded and whatever way it is freed, nothing is left. */
static void kma_probe_follows_frees_from_time_to_time(struct kunit *test)
{
	const struct kma_acct_events before = {
		.hits = KMA_SOME,
		.bytes_req = 100 * KMA_SOME,
		.frees = KMA_SOME,
	};
	const struct kma_acct_events large = {
		.hits = KMA_SOME / 10,
		.bytes_req = (u64)KMA_CERTAIN_BYTES * (KMA_SOME / 10),
		.frees = KMA_SOME / 10,
	};
	struct kma_times *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	u64 replaced = kma_stat_now(replaced);

	KUNIT_ASSERT_NOT_NULL(test, t);
	migrate_disable();
	kma_allocate_in_times(t);
	KUNIT_EXPECT_GT(test, kma_count_of("kma_site_node", KMA_COUNT_samples), 0);
	KUNIT_EXPECT_LT(test, kma_count_of("kma_site_node", KMA_COUNT_samples),
			10 * KMA_SOME);
	kma_free_in_times(t);
	migrate_enable();

	kma_expect_acct(test, "kma_site_const", &before);
	kma_expect_acct(test, "kma_site_zalloc", &before);
	kma_expect_acct(test, "kma_site_size", &large);
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_size", KMA_COUNT_samples),
			KMA_SOME / 10);
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_node", KMA_COUNT_live_samples), 0);
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_node", KMA_COUNT_frees),
			kma_count_of("kma_site_node", KMA_COUNT_hits));
	KUNIT_EXPECT_EQ(test, kma_stat_now(replaced), replaced);
}

/* An object without a tracepoint, and one of a kmem_cache, by the size of their slots. */
static void kma_probe_samples_kmem_caches(struct kunit *test)
{
	const int nr = 20;
	void *object[20], *single;

	kma_cache = kmem_cache_create("kma-test-sampled", 200000, 0, SLAB_NO_MERGE, NULL);
	KUNIT_ASSERT_NOT_NULL(test, kma_cache);
	KUNIT_EXPECT_EQ(test, kma_control_sample(1 << KMA_SHIFT_MIN), 0);
	KUNIT_EXPECT_EQ(test, kma_site_bulk(nr, object), nr);
	single = kma_site_cache();
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_bulk", KMA_COUNT_bulk_objs), nr);
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_bulk", KMA_COUNT_live_samples), nr);
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_cache", KMA_COUNT_live_samples), 1);
	kmem_cache_free_bulk(kma_cache, nr, object);
	kmem_cache_free(kma_cache, single);
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_bulk", KMA_COUNT_live_samples), 0);
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_cache", KMA_COUNT_live_samples), 0);
	KUNIT_EXPECT_EQ(test, kma_control_sample(0), 0);
	kmem_cache_destroy(kma_cache);
}

static bool kma_pfn_is_in(unsigned long frame, const char *function)
{
	static char name[KSYM_SYMBOL_LEN];
	size_t len = strlen(function);

	sprint_symbol(name, frame);
	return !strncmp(name, function, len) && name[len] == '+';
}

/* The stack of the first sample of a site in a function. */
static const struct kma_site_info *kma_sampled_info(const char *function)
{
	const struct kma_site_info *info;
	u32 id;

	for (id = 0; id < kma_core.sites.sites_max; id++) {
		info = kma_sitetab_info(&kma_core.sites, id);
		if (info && kma_sitetab_is_sampled(&kma_core.sites, id) &&
		    kma_pfn_is_in(info->site, function))
			return info;
	}
	return NULL;
}

static void kma_probe_takes_stacks(struct kunit *test)
{
	const struct kma_site_info *info;
	const unsigned long *frame;

	kma_control_sample(1 << KMA_SHIFT_MIN);
	kfree(kma_site_size(KMA_CERTAIN_BYTES));
	kma_control_sample(0);

	info = kma_sampled_info("kma_site_size");
	KUNIT_ASSERT_NOT_NULL(test, info);
	KUNIT_ASSERT_GE(test, info->nr_frames, 2);
	frame = kma_sitetab_frames(&kma_core.sites, info - kma_core.sites.info);
	KUNIT_EXPECT_EQ(test, frame[0], info->site);
	KUNIT_EXPECT_TRUE(test, kma_pfn_is_in(frame[1], __func__));
}

static void kma_engine_starts_with_sampling(struct kunit *test)
{
	struct kma_config config = kma_small;

	config.sample_bytes = 1 << KMA_SHIFT_MIN;
	kma_engine_stop();
	kma_stats_clear();
	KUNIT_ASSERT_EQ(test, kma_engine_start(&config), 0);
	KUNIT_EXPECT_EQ(test, kma_sampling_bytes(), 1 << KMA_SHIFT_MIN);
	kfree(kma_site_size(KMA_CERTAIN_BYTES));
	KUNIT_EXPECT_EQ(test, kma_count_of("kma_site_size", KMA_COUNT_samples), 1);
	/* And not with what it was the last time. */
	kma_engine_stop();
	KUNIT_ASSERT_EQ(test, kma_engine_start(&kma_small), 0);
	KUNIT_EXPECT_EQ(test, kma_sampling_bytes(), 0);
}

/* ---- what it takes -------------------------------------------------------- */

/* How often a word of events has been counted down since it counted none. */
static u64 kma_turns_of(u64 word)
{
	return ((s64)word >> 16) - ((s64)KMA_EVENTS_NONE >> 16);
}

/* Each time it was an event was timed, and none is more than KMA_TIMED away. */
static bool kma_timed_add_up(u64 *timed)
{
	struct kma_stats sum;
	u64 word, turns = 0;
	int cpu, i;

	for_each_possible_cpu(cpu) {
		for (i = 0; i < KMA_STAT_WORDS; i++) {
			if (!kma_stat_is_events(i))
				continue;
			word = READ_ONCE(per_cpu(kma_stats, cpu).v[i]);
			turns += kma_turns_of(word);
			if ((u16)word < 0x8000 || (u16)word > 0x8000 + KMA_TIMED)
				return false;
		}
	}
	kma_stats_sum(&sum);
	*timed = sum.v[KMA_STAT_timed_events] + sum.v[KMA_STAT_timed_long];
	return turns == *timed;
}

static void kma_times_some(struct kunit *test, const struct kma_config *config)
{
	u64 timed = 0;
	int i;

	/* Words that count from the start */
	kma_engine_stop();
	kma_stats_clear();
	KUNIT_ASSERT_EQ(test, kma_engine_start(config), 0);
	for (i = 0; i < 8 * KMA_TIMED; i++)
		kfree(kma_site_size(64));
	/* Others have events as well: a moment in which nobody has. */
	for (i = 0; i < 1000 && !kma_timed_add_up(&timed); i++)
		cond_resched();
	KUNIT_EXPECT_LT(test, i, 1000);
	/* Two for each pair, less what each CPU has not come to. */
	KUNIT_EXPECT_GE(test, timed, 2 * 8 - 2 * num_possible_cpus());
}

static void kma_engine_times_some(struct kunit *test)
{
	struct kma_config sampled = kma_small;

	kma_times_some(test, &kma_small);
	/* Hardly any, each of which might take so long that it counts in timed_long. */
	sampled.sample_bytes = 1 << KMA_SHIFT_MAX;
	kma_times_some(test, &sampled);
}

/* ---- sums ----------------------------------------------------------------- */

#define KMA_STORM_ROUNDS	500

static void kma_storm(void *arg, int nr)
{
	void *object[16] = {};
	u64 random = nr;
	int i, k;

	for (i = 0; i < KMA_STORM_ROUNDS; i++) {
		k = kma_random_below(&random, ARRAY_SIZE(object));
		kfree(object[k]);
		object[k] = kma_site_storm(8 << kma_random_below(&random, 12));
		cond_resched();
	}
	for (i = 0; i < ARRAY_SIZE(object); i++)
		kfree(object[i]);
}

/* With neither probe nor hook attached nothing changes any more: now all must agree. */
static void kma_expect_sums(struct kunit *test)
{
	struct kma_row row, sum = {};
	struct kma_stats stats;
	const u64 *v = stats.v;
	u32 id;

	kma_stats_sum(&stats);
	for (id = 0; id < kma_sitetab_rows(&kma_core.sites); id++) {
		if (!kma_sitetab_info(&kma_core.sites, id))
			continue;
		kma_sitetab_sum(&kma_core.sites, id, &row);
		KUNIT_EXPECT_EQ(test, kma_row_live(&row),
				kma_objtab_count_row(&kma_core.obj, id));
		sum.hits += row.hits;
		sum.bulk += row.bulk;
		sum.frees += row.frees;
		sum.repaired += row.repaired;
		sum.no_entry += row.no_entry;
	}
	KUNIT_EXPECT_EQ(test, v[KMA_STAT_events_kmalloc] +
			v[KMA_STAT_events_kmem_cache_alloc] + v[KMA_STAT_bulk_allocs],
			sum.hits + sum.bulk + v[KMA_STAT_alloc_failed] +
			v[KMA_STAT_alloc_zero_size] + v[KMA_STAT_alloc_off] +
			v[KMA_STAT_alloc_filtered] + v[KMA_STAT_alloc_unsampled] +
			v[KMA_STAT_double_fired] +
			v[KMA_STAT_dropped_caches_full] +
			v[KMA_STAT_dropped_sites_full]);
	KUNIT_EXPECT_EQ(test, v[KMA_STAT_events_kfree] +
			v[KMA_STAT_events_kmem_cache_free] + v[KMA_STAT_bulk_frees] +
			v[KMA_STAT_rcu_pending],
			sum.frees + v[KMA_STAT_free_null] +
			v[KMA_STAT_free_zero_size] + v[KMA_STAT_free_unmatched]);
	KUNIT_EXPECT_EQ(test, v[KMA_STAT_replaced] + v[KMA_STAT_page_freed],
			sum.repaired);
	KUNIT_EXPECT_EQ(test, v[KMA_STAT_dropped_live_full], sum.no_entry);
}

static void kma_storm_and_check_as(struct kunit *test, void (*storm)(void *arg, int nr),
				   void *arg)
{
	/* One more than there are CPUs, in case one of them is different. */
	int nr = kma_crew_size() + (storm != kma_storm);

	KUNIT_ASSERT_EQ(test, kma_crew_run(storm, arg, nr), 0);
	kma_control_enable(false);
	kma_probes_stop();
	kma_bulk_stop();
	kma_ftrace_hooks_stop();
	kma_expect_sums(test);
	kma_ftrace_hooks_start(true);
	kma_bulk_start();
	KUNIT_ASSERT_EQ(test, kma_probes_start(), 0);
}

static void kma_storm_and_check(struct kunit *test)
{
	kma_storm_and_check_as(test, kma_storm, NULL);
}

static void kma_probe_loses_nothing_in_a_storm(struct kunit *test)
{
	const struct kma_site_counts *counts;
	struct kma_site_counts sum;

	kma_storm_and_check(test);
	sum = kma_counts_of("kma_site_storm");
	counts = &sum;
	KUNIT_EXPECT_EQ(test, counts->v[KMA_COUNT_hits],
			kma_crew_size() * KMA_STORM_ROUNDS);
	KUNIT_EXPECT_EQ(test, counts->v[KMA_COUNT_frees], counts->v[KMA_COUNT_hits]);
	KUNIT_EXPECT_EQ(test, counts->v[KMA_COUNT_no_entry], 0);
}

#define KMA_SWITCHES	24

/* One thread switches, and all others allocate and free until it has done. */
static void kma_switched_storm(void *arg, int nr)
{
	static const u64 bytes[] = { 1 << 12, 0, 1 << 20, 1 << 14, 0, 1 << 26 };
	bool *done = arg;
	int i;

	if (nr) {
		do {
			kma_storm(NULL, nr);
		} while (!READ_ONCE(*done));
		return;
	}
	for (i = 0; i < KMA_SWITCHES; i++) {
		kma_control_sample(bytes[i % ARRAY_SIZE(bytes)]);
		schedule_timeout_uninterruptible(1);
	}
	WRITE_ONCE(*done, true);
}

/* At last it samples: what was recorded in whichever way is found by the filter. */
static void kma_probe_loses_nothing_while_sampling_is_switched(struct kunit *test)
{
	struct kma_site_counts counts;
	bool done = false;

	kma_storm_and_check_as(test, kma_switched_storm, &done);
	counts = kma_counts_of("kma_site_storm");
	KUNIT_EXPECT_GT(test, counts.v[KMA_COUNT_samples], 0);
	KUNIT_EXPECT_GT(test, kma_stat_now(alloc_unsampled), 0);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_live_objs], 0);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_live_samples], 0);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_no_entry], 0);
}

/* More pairs of site and size, and more objects at a time, than there is room for. */
static void kma_flood(struct kunit *test)
{
	static void *(*const sites[])(size_t size) = {
		kma_site_size, kma_site_node, kma_site_zalloc, kma_site_array,
		kma_site_storm, kma_site_kv,
	};
	const u32 slots = kma_objtab_buckets(&kma_core.obj) * KMA_SLOTS;
	void **object = kvcalloc(slots, sizeof(*object), GFP_KERNEL);
	u32 i, k;

	KUNIT_ASSERT_NOT_NULL(test, object);
	for (i = 0; i < ARRAY_SIZE(sites); i++)
		for (k = 0; k < 12; k++)
			kvfree(sites[i](8 << k));
	for (i = 0; i < slots; i++)
		object[i] = kma_site_storm(8);
	for (i = 0; i < slots; i++)
		kfree(object[i]);
	kvfree(object);
}

/* Tables that are much too small: what is lost is counted. */
static void kma_probe_adds_up_when_tables_are_full(struct kunit *test)
{
	const struct kma_config tiny = {
		.live_max = 1,
		.sites_max = KMA_SITES_MIN,
		.enabled = true,
		.bulk = "auto",
	};
	struct kma_row sum;
	u64 hits = 0;
	u32 id;

	kma_engine_stop();
	kma_stats_clear();
	KUNIT_ASSERT_EQ(test, kma_engine_start(&tiny), 0);
	kma_flood(test);
	kma_storm_and_check(test);
	for (id = KMA_SITES_MIN; id < kma_sitetab_rows(&kma_core.sites); id++) {
		kma_sitetab_sum(&kma_core.sites, id, &sum);
		hits += sum.hits + sum.bulk;
	}
	KUNIT_EXPECT_GT(test, hits, 0);
	KUNIT_EXPECT_EQ(test, kma_stat_now(other_sites), hits);
	KUNIT_EXPECT_GT(test, kma_stat_now(dropped_live_full), 0);
}

/* ---- attaching ------------------------------------------------------------ */

static char kma_attach_log[32];

#define KMA_FAKE_PROBE(letter, ret)					\
static int kma_attach_##letter(void)					\
{									\
	strlcat(kma_attach_log, "+" #letter, sizeof(kma_attach_log));	\
	return ret;							\
}									\
									\
static void kma_detach_##letter(void)					\
{									\
	strlcat(kma_attach_log, "-" #letter, sizeof(kma_attach_log));	\
}

KMA_FAKE_PROBE(a, 0)
KMA_FAKE_PROBE(b, 0)
KMA_FAKE_PROBE(c, -ENODEV)
KMA_FAKE_PROBE(d, 0)

#define KMA_FAKE_ROW(letter) { #letter, kma_attach_##letter, kma_detach_##letter }

static void kma_probe_attaches_all_or_none(struct kunit *test)
{
	static const struct kma_probe probes[] = {
		KMA_FAKE_ROW(a), KMA_FAKE_ROW(b), KMA_FAKE_ROW(c), KMA_FAKE_ROW(d),
	};

	kma_attach_log[0] = '\0';
	KUNIT_EXPECT_EQ(test, kma_probes_attach(probes, 4), -ENODEV);
	KUNIT_EXPECT_STREQ(test, kma_attach_log, "+a+b+c-b-a");
}

static void kma_probe_detaches_in_reverse(struct kunit *test)
{
	static const struct kma_probe probes[] = {
		KMA_FAKE_ROW(a), KMA_FAKE_ROW(b), KMA_FAKE_ROW(d),
	};

	kma_attach_log[0] = '\0';
	KUNIT_EXPECT_EQ(test, kma_probes_attach(probes, 3), 0);
	kma_probes_detach(probes, 3);
	KUNIT_EXPECT_STREQ(test, kma_attach_log, "+a+b+d-d-b-a");
}

static void kma_probe_listens_to_five_tracepoints(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kma_probes_attached(), 5);
}

/* ---- starting and stopping ------------------------------------------------ */

static bool kma_files_exist(void)
{
	struct dentry *dir = debugfs_lookup(KMA_NAME, NULL);

	dput(dir);
	return dir;
}

static void kma_engine_refuses_bad_sizes(struct kunit *test)
{
	static const struct {
		u64 live_max;
		u32 sites_max;
		int error;
	} bad[] = {
		{ KMA_LIVE_MAX + 1, 1024, -EINVAL },
		{ U64_MAX, 1024, -EINVAL },
		{ 1000, 0, -EINVAL },
		{ 1000, KMA_SITES_MIN - 1, -EINVAL },
		{ 1000, KMA_SITES_MAX + 1, -EINVAL },
		{ 1000, U32_MAX, -EINVAL },
		/* valid, but more than 1/16 of the RAM of this machine */
		{ KMA_LIVE_MAX, 1024, -ENOMEM },
	};
	int i;

	kma_engine_stop();
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct kma_config config = {
			.live_max = bad[i].live_max,
			.sites_max = bad[i].sites_max,
			.bulk = "auto",
		};

		KUNIT_EXPECT_EQ_MSG(test, kma_engine_start(&config), bad[i].error,
				    "live_max=%llu sites_max=%u", config.live_max,
				    config.sites_max);
		KUNIT_EXPECT_FALSE(test, kma_files_exist());
		KUNIT_EXPECT_NULL(test, kma_core.obj.bucket);
		KUNIT_EXPECT_NULL(test, kma_core.sites.map);
	}
	/* Nothing is left that would be in the way. */
	KUNIT_ASSERT_EQ(test, kma_engine_start(&kma_small), 0);
	KUNIT_EXPECT_TRUE(test, kma_files_exist());
}

static void kma_engine_refuses_a_bad_bulk(struct kunit *test)
{
	static const char * const bad[] = { "", "on", "1", "Auto", "autos", "auto ", "of" };
	struct kma_config config = kma_small;
	int i;

	kma_engine_stop();
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		config.bulk = bad[i];
		KUNIT_EXPECT_EQ_MSG(test, kma_engine_start(&config), -EINVAL,
				    "bulk=%s", bad[i]);
		KUNIT_EXPECT_FALSE(test, kma_files_exist());
		KUNIT_EXPECT_NULL(test, kma_core.obj.bucket);
	}
}

/* Then nothing that is live is certain. */
static void kma_engine_leaves_bulk_functions_alone(struct kunit *test)
{
	struct kma_config config = kma_small;
	struct kma_site_counts counts;
	void *object[2], *ptr;

	config.bulk = "off";
	kma_engine_stop();
	kma_stats_clear();
	KUNIT_ASSERT_EQ(test, kma_engine_start(&config), 0);
	KUNIT_EXPECT_FALSE(test, kma_bulk_frees_followed());

	kma_cache = kmem_cache_create("kma-test-off", 1234, 0, SLAB_NO_MERGE, NULL);
	KUNIT_ASSERT_NOT_NULL(test, kma_cache);
	KUNIT_EXPECT_EQ(test, kma_site_bulk(2, object), 2);
	kmem_cache_free_bulk(kma_cache, 2, object);
	kmem_cache_destroy(kma_cache);
	KUNIT_EXPECT_EQ(test, kma_stat_now(bulk_allocs), 0);
	KUNIT_EXPECT_EQ(test, kma_stat_now(bulk_frees), 0);

	ptr = kma_site_const();
	counts = kma_counts_of("kma_site_const");
	kfree(ptr);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_live_objs], 1);
	KUNIT_EXPECT_GT(test, counts.v[KMA_COUNT_live_bytes], 0);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_confirmed_bytes], 0);
}

/* What nobody saw freed is gone with its pages, and its site is suspect. */
static void kma_engine_finds_what_is_left_on_pages(struct kunit *test)
{
	struct kma_config config = kma_small;
	struct kma_site_counts counts;
	void *object[20];
	int i;

	config.bulk = "off";
	kma_engine_stop();
	kma_stats_clear();
	KUNIT_ASSERT_EQ(test, kma_engine_start(&config), 0);

	kma_cache = kmem_cache_create("kma-test-left", 1234, 0, SLAB_NO_MERGE, NULL);
	KUNIT_ASSERT_NOT_NULL(test, kma_cache);
	for (i = 0; i < ARRAY_SIZE(object); i++)
		object[i] = kma_site_cache();
	kmem_cache_free(kma_cache, object[0]);
	kmem_cache_free_bulk(kma_cache, ARRAY_SIZE(object) - 1, object + 1);
	counts = kma_counts_of("kma_site_cache");
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_frees], 1);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_live_objs], ARRAY_SIZE(object) - 1);

	kmem_cache_destroy(kma_cache);
	counts = kma_counts_of("kma_site_cache");
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_hits], ARRAY_SIZE(object));
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_frees], 1);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_live_objs], 0);
	KUNIT_EXPECT_EQ(test, counts.v[KMA_COUNT_confirmed_bytes], 0);
	KUNIT_EXPECT_GE(test, kma_stat_now(page_freed), ARRAY_SIZE(object) - 1);
}

static void kma_engine_takes_the_limits(struct kunit *test)
{
	static const struct kma_config good[] = {
		{
			.live_max = KMA_LIVE_MIN,
			.sites_max = KMA_SITES_MIN,
			.bulk = "auto",
		}, {
			.live_max = 0,
			.sites_max = KMA_SITES_DEFAULT,
			.enabled = true,
			.bulk = "off",
		},
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		kma_engine_stop();
		KUNIT_ASSERT_EQ(test, kma_engine_start(&good[i]), 0);
		KUNIT_EXPECT_EQ(test, kma_control_enabled(), good[i].enabled);
		KUNIT_EXPECT_GE(test, kma_config.live_max, good[i].live_max);
	}
	/* The default is by the RAM, but not less than this. */
	KUNIT_EXPECT_GE(test, kma_config.live_max, KMA_LIVE_DEFAULT_MIN);
	KUNIT_EXPECT_LE(test, kma_config.live_max, KMA_LIVE_MAX);
}

static void kma_engine_forgets_between_runs(struct kunit *test)
{
	const struct kma_acct_events none = {};
	char reset[] = "reset";
	void *ptr = kma_site_const();

	KUNIT_EXPECT_EQ(test, kma_control_run(reset), 0);
	kma_engine_stop();
	KUNIT_EXPECT_FALSE(test, kma_files_exist());
	KUNIT_ASSERT_EQ(test, kma_engine_start(&kma_small), 0);
	KUNIT_EXPECT_NULL(test, kma_base.row);
	kma_expect_acct(test, "kma_site_const", &none);
	/* Allocated before: its free is one of the unknown ones. */
	kfree(ptr);
	kma_expect_acct(test, "kma_site_const", &none);
}

static void kma_engine_starts_and_stops_again(struct kunit *test)
{
	const struct kma_acct_events expected = { .hits = 1, .bytes_req = 100, .frees = 1 };
	int i;

	for (i = 0; i < 20; i++) {
		kma_engine_stop();
		KUNIT_ASSERT_EQ(test, kma_engine_start(&kma_small), 0);
		migrate_disable();
		kfree(kma_site_const());
		migrate_enable();
		kma_expect_acct(test, "kma_site_const", &expected);
	}
}

/* ---- the suite ------------------------------------------------------------ */

static int kma_probe_init_test(struct kunit *test)
{
	kma_stats_clear();
	return kma_engine_start(&kma_small);
}

static void kma_probe_exit_test(struct kunit *test)
{
	/* A test whose start failed has nothing to stop. */
	if (kma_core.obj.bucket)
		kma_engine_stop();
}

static struct kunit_case kma_probe_cases[] = {
	KUNIT_CASE(kma_probe_counts_kmalloc),
	KUNIT_CASE(kma_probe_counts_every_way_in),
	KUNIT_CASE(kma_probe_counts_no_large_object_twice),
	KUNIT_CASE(kma_probe_counts_large_constant_sizes),
	KUNIT_CASE(kma_probe_counts_a_kmem_cache),
	KUNIT_CASE(kma_probe_follows_bulk_functions),
	KUNIT_CASE(kma_probe_follows_kfree_bulk),
	KUNIT_CASE(kma_probe_notices_a_cache_destroyed),
	KUNIT_CASE(kma_probe_counts_what_is_nothing),
	KUNIT_CASE(kma_probe_filters),
	KUNIT_CASE(kma_probe_follows_krealloc),
	KUNIT_CASE(kma_probe_counts_pingpong),
	KUNIT_CASE(kma_probe_counts_in_interrupts),
	KUNIT_CASE(kma_probe_knows_what_kmalloc_takes),
	KUNIT_CASE(kma_probe_follows_frees_while_disabled),
	KUNIT_CASE(kma_probe_follows_frees_from_time_to_time),
	KUNIT_CASE(kma_probe_samples_kmem_caches),
	KUNIT_CASE(kma_probe_takes_stacks),
	KUNIT_CASE(kma_probe_loses_nothing_in_a_storm),
	KUNIT_CASE(kma_probe_loses_nothing_while_sampling_is_switched),
	KUNIT_CASE(kma_probe_adds_up_when_tables_are_full),
	KUNIT_CASE(kma_probe_attaches_all_or_none),
	KUNIT_CASE(kma_probe_detaches_in_reverse),
	KUNIT_CASE(kma_probe_listens_to_five_tracepoints),
	KUNIT_CASE(kma_engine_refuses_bad_sizes),
	KUNIT_CASE(kma_engine_refuses_a_bad_bulk),
	KUNIT_CASE(kma_engine_leaves_bulk_functions_alone),
	KUNIT_CASE(kma_engine_finds_what_is_left_on_pages),
	KUNIT_CASE(kma_engine_takes_the_limits),
	KUNIT_CASE(kma_engine_forgets_between_runs),
	KUNIT_CASE(kma_engine_starts_and_stops_again),
	KUNIT_CASE(kma_engine_starts_with_sampling),
	KUNIT_CASE(kma_engine_times_some),
	{}
};

struct kunit_suite kma_probe_suite = {
	.name = "kmemacct_probe",
	.init = kma_probe_init_test,
	.exit = kma_probe_exit_test,
	.test_cases = kma_probe_cases,
};
