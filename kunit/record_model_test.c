// SPDX-License-Identifier: GPL-2.0
/* The record path: many events, compared with a model, and from several CPUs at once. */
#include <linux/mm.h>
#include <linux/slab.h>

#include "record_util.h"

/* ---- random events, compared with a model --------------------------------- */

#define KMA_MODEL_PTRS	1500
#define KMA_MODEL_ROWS	40
#define KMA_MODEL_STEPS	60000

/**
 * struct kma_model - the expected state of the tables
 * @row: counters of each row
 * @owner: for each object, its row, or -1 if it is not live
 * @stat: counters of the module
 */
struct kma_model {
	struct kma_row row[KMA_MODEL_ROWS];
	int owner[KMA_MODEL_PTRS];
	u64 stat[KMA_STAT_NR];
};

static unsigned long kma_model_site(int row)
{
	return KMA_TEST_SITE + 16 * (row / 4);
}

static u32 kma_model_size(int row)
{
	return 64 * (1 + row % 4);
}

static void kma_model_alloc(struct kma_model *m, int i, int row, bool bulk)
{
	unsigned long ptr = KMA_TEST_PTR + 256 * i;
	struct kma_row *r = &m->row[row];

	if (m->owner[i] >= 0) {
		m->row[m->owner[i]].repaired++;
		m->stat[KMA_STAT_replaced]++;
	}
	m->owner[i] = row;
	if (bulk) {
		r->bulk++;
		kma_bulk(kma_model_site(row), ptr, kma_model_size(row));
	} else {
		r->hits++;
		r->bytes_req += kma_model_size(row) - 4;
		kma_alloc(kma_model_site(row), ptr, kma_model_size(row));
	}
}

static void kma_model_free(struct kma_model *m, int i)
{
	if (m->owner[i] >= 0)
		m->row[m->owner[i]].frees++;
	else
		m->stat[KMA_STAT_free_unmatched]++;
	m->owner[i] = -1;
	kma_free(KMA_TEST_PTR + 256 * i);
}

/* Free a page.  There are sixteen objects on it. */
static void kma_model_free_page(struct kma_model *m, int page)
{
	int i;

	for (i = 16 * page; i < 16 * (page + 1) && i < KMA_MODEL_PTRS; i++) {
		if (m->owner[i] < 0)
			continue;
		m->row[m->owner[i]].repaired++;
		m->stat[KMA_STAT_page_freed]++;
		m->owner[i] = -1;
	}
	kma_free_pages(KMA_TEST_PTR + PAGE_SIZE * page, 0);
}

/* Random allocations and frees, some of them unseen or unmatched.  No object is dropped. */
static void kma_record_agrees_with_a_model(struct kunit *test)
{
	struct kma_model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	u64 random = 1;
	int i, step;

	KUNIT_ASSERT_NOT_NULL(test, m);
	for (i = 0; i < KMA_MODEL_PTRS; i++)
		m->owner[i] = -1;
	migrate_disable();
	for (step = 0; step < KMA_MODEL_STEPS; step++) {
		i = kma_random_below(&random, KMA_MODEL_PTRS);
		if (kma_random_below(&random, 1000) == 0)
			kma_model_free_page(m, i / 16);
		else if (kma_random_below(&random, 2))
			kma_model_alloc(m, i, kma_random_below(&random, KMA_MODEL_ROWS),
					kma_random_below(&random, 4) == 0);
		else
			kma_model_free(m, i);
	}
	migrate_enable();

	for (i = 0; i < KMA_MODEL_ROWS; i++)
		kma_expect_row_sum(test, &m->row[i], &kma_c->sites,
				   kma_row_id(kma_model_site(i), kma_model_size(i)));
	kma_expect_stats(test, m->stat);
	kma_expect_invariant(test);
}

/* ---- several CPUs --------------------------------------------------------- */

#define KMA_CREW_PTRS	2000
#define KMA_CREW_STEPS	20000

static_assert(KMA_CREW_PTRS <= KMA_TEST_LIVE);

struct kma_crowd {
	atomic64_t allocs;
	atomic64_t frees;
	unsigned long *ptr;
};

/* Allocate and free objects; another CPU may free what this one has allocated. */
static void kma_crowd_main(void *arg, int nr)
{
	struct kma_crowd *crowd = arg;
	u64 random = nr, allocs = 0, frees = 0;
	unsigned long ptr;
	int i, step;

	for (step = 0; step < KMA_CREW_STEPS; step++) {
		i = kma_random_below(&random, KMA_CREW_PTRS);
		/* The thread that gets the address owns the object until it puts it back. */
		ptr = xchg(&crowd->ptr[i], 0);
		if (ptr & 1) {
			kma_free(ptr & ~1UL);
			frees++;
			WRITE_ONCE(crowd->ptr[i], ptr & ~1UL);
		} else if (ptr) {
			kma_alloc(KMA_TEST_SITE + 16 * nr, ptr, 64);
			allocs++;
			WRITE_ONCE(crowd->ptr[i], ptr | 1);
		}
		cond_resched();
	}
	atomic64_add(allocs, &crowd->allocs);
	atomic64_add(frees, &crowd->frees);
}

static void kma_record_stands_a_crowd(struct kunit *test)
{
	static const u64 expect_stat[KMA_STAT_NR] = {};
	struct kma_row row, sum = {}, expect = {};
	struct kma_crowd crowd = {
		.ptr = kunit_kcalloc(test, KMA_CREW_PTRS, sizeof(long), GFP_KERNEL),
	};
	int i, nr = kma_crew_size();

	KUNIT_ASSERT_NOT_NULL(test, crowd.ptr);
	for (i = 0; i < KMA_CREW_PTRS; i++)
		crowd.ptr[i] = KMA_TEST_PTR + 64 * i;
	KUNIT_ASSERT_EQ(test, kma_crew_run(kma_crowd_main, &crowd, nr), 0);

	for (i = 0; i < nr; i++) {
		kma_sitetab_sum(&kma_c->sites, kma_row_id(KMA_TEST_SITE + 16 * i, 64), &row);
		kma_row_add(&sum, &row);
	}
	expect.hits = atomic64_read(&crowd.allocs);
	expect.bytes_req = 60 * expect.hits;
	expect.frees = atomic64_read(&crowd.frees);
	/* It is not known how many objects were freed on another CPU. */
	expect.pingpong = sum.pingpong;
	kma_expect_row(test, &expect, &sum);
	kma_expect_stats(test, expect_stat);
	kma_expect_invariant(test);
}

static struct kunit_case kma_record_model_cases[] = {
	KUNIT_CASE(kma_record_agrees_with_a_model),
	KUNIT_CASE(kma_record_stands_a_crowd),
	{}
};

struct kunit_suite kma_record_model_suite = {
	.name = "kmemacct_record_model",
	.init = kma_record_init_test,
	.exit = kma_record_exit_test,
	.test_cases = kma_record_model_cases,
};
