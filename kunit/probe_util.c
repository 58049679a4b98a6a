// SPDX-License-Identifier: GPL-2.0
/* Functions that the suites that run the whole module share: see probe_util.h. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "probe_util.h"

const struct kma_load kma_small = {
	.text = {
		[KMA_SETTING_live_max] = "20000",
		[KMA_SETTING_sites_max] = "1024",
		[KMA_SETTING_budget_pct] = "0",
	},
};

int kma_probe_init_test(struct kunit *test)
{
	kma_stats_clear();
	return kma_engine_start(kma_small.text);
}

void kma_probe_exit_test(struct kunit *test)
{
	/* A test whose start failed has nothing to stop. */
	if (kma_core.obj.bucket)
		kma_engine_stop();
}

void kma_probe_restart(struct kunit *test, const struct kma_load *load)
{
	kma_engine_stop();
	kma_stats_clear();
	KUNIT_ASSERT_EQ(test, kma_engine_start(load->text), 0);
}

/* ---- the call sites ------------------------------------------------------- */

/*
 * An allocation that is not a tail call, which would have its call site in the caller.  The
 * asm statement contains the line number, so that the compiler does not merge functions
 * with the same code.
 */
#define KMA_HERE(alloc) ({				\
	void *__object = (alloc);			\
							\
	asm volatile("# " __stringify(__LINE__));	\
	OPTIMIZER_HIDE_VAR(__object);			\
	__object;					\
})

struct kmem_cache *kma_probe_cache;

noinline __noclone void *kma_site_const(void)
{
	return KMA_HERE(kmalloc(100, GFP_KERNEL));
}

noinline __noclone void *kma_site_size(size_t size)
{
	return KMA_HERE(kmalloc(size, GFP_KERNEL));
}

noinline __noclone void *kma_site_node(size_t size)
{
	return KMA_HERE(kmalloc_node(size, GFP_KERNEL, numa_node_id()));
}

noinline __noclone void *kma_site_zalloc(size_t size)
{
	return KMA_HERE(kzalloc(size, GFP_KERNEL));
}

noinline __noclone void *kma_site_array(size_t size)
{
	return KMA_HERE(kmalloc_array(size / 4, 4, GFP_KERNEL));
}

/* The event of kmalloc_track_caller() names the caller of this function as its call site. */
static noinline __noclone void *kma_track(size_t size)
{
	return KMA_HERE(kmalloc_track_caller(size, GFP_KERNEL));
}

noinline __noclone void *kma_site_track(size_t size)
{
	return KMA_HERE(kma_track(size));
}

noinline __noclone void *kma_site_memdup(size_t size)
{
	return KMA_HERE(kmemdup(empty_zero_page, size, GFP_KERNEL));
}

noinline __noclone void *kma_site_kv(size_t size)
{
	return KMA_HERE(kvmalloc(size, GFP_KERNEL));
}

noinline __noclone void *kma_site_realloc(void *ptr, size_t size)
{
	return KMA_HERE(krealloc(ptr, size, GFP_KERNEL));
}

noinline __noclone void *kma_site_large_const(void)
{
	return KMA_HERE(kmalloc(16384, GFP_KERNEL));
}

noinline __noclone void *kma_site_cache(void)
{
	return KMA_HERE(kmem_cache_alloc(kma_probe_cache, GFP_KERNEL));
}

noinline __noclone int kma_site_bulk(int nr, void **object)
{
	int got = kmem_cache_alloc_bulk(kma_probe_cache, GFP_KERNEL, nr, object);

	OPTIMIZER_HIDE_VAR(got);
	return got;
}

noinline __noclone void *kma_site_atomic(void)
{
	return KMA_HERE(kmalloc(100, GFP_ATOMIC));
}

noinline __noclone void *kma_site_fails(size_t size)
{
	return KMA_HERE(kmalloc(size, GFP_KERNEL | __GFP_NOWARN));
}

noinline __noclone void *kma_site_storm(size_t size)
{
	return KMA_HERE(kmalloc(size, GFP_KERNEL));
}

u32 kma_probe_cache_create(struct kunit *test, const char *name, unsigned int size)
{
	char known_name[KMA_CACHE_NAME_LEN];
	u32 slot, object_size;

	kma_probe_cache = kmem_cache_create(name, size, 0, SLAB_NO_MERGE, NULL);
	KUNIT_ASSERT_NOT_NULL(test, kma_probe_cache);
	kma_env_cache_info((unsigned long)kma_probe_cache, &slot, &object_size, known_name);
	return slot;
}

/* ---- their counters ------------------------------------------------------- */

struct kma_site_counts kma_site_counts_of(const char *function)
{
	static char name[KMA_SYMBOL_LEN];
	struct kma_site_counts sum = {}, row;
	size_t len = strlen(function);
	u32 id;

	kma_state_sweep();
	kma_lock_take(KMA_LOCK_COMMAND);
	for (id = 0; id < kma_sitetab_rows(&kma_core.sites); id++) {
		if (!kma_sitetab_info(&kma_core.sites, id))
			continue;
		kma_symbol_name(&kma_core.sites, id, name);
		if (strncmp(name, function, len) || name[len] != '+')
			continue;
		if (kma_rows_site_read(id, false, &row))
			kma_sitecount_add(&sum, &row);
	}
	kma_lock_release();
	return sum;
}

noinline u64 kma_count_of(const char *function, enum kma_site_column column)
{
	return kma_site_counts_of(function).v[column];
}

/* Fill in the columns that @expect stands for; those in bytes are computed. */
static void kma_expect_columns(u64 *v, const struct kma_site_expect *expect)
{
	v[KMA_COUNT_hits] = expect->hits;
	v[KMA_COUNT_bytes_req] = expect->bytes_req;
	v[KMA_COUNT_frees] = expect->frees;
	v[KMA_COUNT_live_objs] = expect->live_objs;
	v[KMA_COUNT_no_entry] = expect->no_entry;
	v[KMA_COUNT_pingpong] = expect->pingpong;
	v[KMA_COUNT_cross_node] = expect->cross_node;
	v[KMA_COUNT_bulk_objs] = expect->bulk_objs;
	v[KMA_COUNT_objs_alloc] = expect->hits + expect->bulk_objs;
	v[KMA_COUNT_samples] = expect->samples;
	v[KMA_COUNT_live_samples] = expect->live_samples;
	v[KMA_COUNT_bytes_alloc] = expect->hits * expect->slot;
	v[KMA_COUNT_bytes_freed] = expect->frees * expect->slot;
	v[KMA_COUNT_bulk_bytes] = expect->bulk_objs * expect->slot;
	v[KMA_COUNT_live_bytes] = expect->live_objs * expect->slot;
	v[KMA_COUNT_confirmed_bytes] = expect->confirmed_objs * expect->slot;
}

/* Whether a column is computed from the slot size. */
static bool kma_expect_in_slots(int column)
{
	return column == KMA_COUNT_bytes_alloc || column == KMA_COUNT_bytes_freed ||
	       column == KMA_COUNT_bulk_bytes || column == KMA_COUNT_live_bytes ||
	       column == KMA_COUNT_confirmed_bytes;
}

void kma_expect_site(struct kunit *test, const char *function,
		     const struct kma_site_expect *expect)
{
	const struct kma_site_counts actual = kma_site_counts_of(function);
	u64 v[KMA_COUNT_ERRORS] = {};
	int i;

	kma_expect_columns(v, expect);
	/* frag_pct is 0 here: it is computed when a table is read. */
	for (i = 0; i < KMA_COUNT_ERRORS; i++)
		if (expect->slot || !kma_expect_in_slots(i))
			KUNIT_EXPECT_EQ_MSG(test, actual.v[i], v[i], "%s of %s",
					    kma_table_callers.columns[i].name, function);
}
