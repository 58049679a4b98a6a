// SPDX-License-Identifier: GPL-2.0
/* Functions that the suites of the site table share: see sitetab_util.h. */
#include "sitetab_util.h"
#include "module.h"

struct kma_sitetab kma_sites;

int kma_sitetab_init_suite(struct kunit_suite *suite)
{
	return kma_cacheinfo_init();
}

int kma_sitetab_init_test(struct kunit *test)
{
	kma_stats_clear();
	return kma_sitetab_init(&kma_sites, KMA_TEST_SITES_MAX);
}

void kma_sitetab_exit_test(struct kunit *test)
{
	kma_sitetab_destroy(&kma_sites);
}

static const struct kma_field kma_usage_fields[] = {
	KMA_FIELD(struct kma_usage, used),
	KMA_FIELD(struct kma_usage, retired),
	KMA_FIELD(struct kma_usage, stacks),
	KMA_FIELD(struct kma_usage, sampled),
	KMA_FIELD(struct kma_usage, no_cache),
};

void kma_expect_usage(struct kunit *test, const struct kma_usage *expect)
{
	const struct kma_usage actual = {
		.used = kma_sitetab_used(&kma_sites),
		.retired = atomic_read(&kma_sites.retired),
		.stacks = atomic_read(&kma_sites.stacks),
		.sampled = kma_sites.sampled,
		.no_cache = kma_sites.no_cache,
	};

	kma_expect_fields(test, "table", kma_usage_fields, expect, &actual);
	kma_expect_stats(test, expect->stat);
}
