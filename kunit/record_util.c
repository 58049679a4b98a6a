// SPDX-License-Identifier: GPL-2.0
/* Functions that the suites of the record path share: see record_util.h. */
#include "record_util.h"

struct kma_core kma_record_core;

int kma_record_init_test(struct kunit *test)
{
	kma_stats_clear();
	return kma_core_init(kma_c, KMA_TEST_LIVE, KMA_SITES_MIN, KMA_TEST_PFNS);
}

void kma_record_exit_test(struct kunit *test)
{
	kma_record_livefilter_stop();
	kma_core_destroy(kma_c);
}

void kma_record_sweep_all(void)
{
	u64 i;

	for (i = 0; i < kma_objtab_buckets(&kma_c->obj); i++)
		kma_record_sweep(kma_c, kma_objtab_bucket(&kma_c->obj, i));
}

void kma_expect_invariant(struct kunit *test)
{
	struct kma_row sum;
	u64 live = 0;
	u32 id;

	for (id = 0; id < kma_sitetab_rows(&kma_c->sites); id++) {
		if (!kma_sitetab_info(&kma_c->sites, id))
			continue;
		kma_sitetab_sum(&kma_c->sites, id, &sum);
		live += kma_row_live(&sum);
		KUNIT_EXPECT_EQ_MSG(test, kma_row_live(&sum),
				    kma_objtab_count_row(&kma_c->obj, id), "row %u", id);
	}
	KUNIT_EXPECT_EQ(test, live, kma_objtab_count(&kma_c->obj));
}

void kma_expect_outcome(struct kunit *test, const struct kma_outcome *expect)
{
	int i, nr = 0;

	while (nr < KMA_OUTCOME_ROWS && expect->rows[nr].size)
		nr++;
	/* This comes first, because kma_row_id() makes a row that does not exist. */
	KUNIT_EXPECT_EQ_MSG(test, kma_sitetab_used(&kma_c->sites), nr, "rows in use");
	kma_expect_stats(test, expect->stat);
	for (i = 0; i < nr; i++)
		kma_expect_row_sum(test, &expect->rows[i].row, &kma_c->sites,
				   kma_row_id(expect->rows[i].site, expect->rows[i].size));
	KUNIT_EXPECT_EQ_MSG(test, kma_objtab_count(&kma_c->obj), expect->live,
			    "live objects");
	kma_expect_invariant(test);
}
