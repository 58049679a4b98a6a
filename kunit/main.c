// SPDX-License-Identifier: GPL-2.0
/*
 * The list of suites.
 *
 * The suites are not registered by kunit_test_suites(), because KUnit would run them from
 * its module notifier.  The lock of the notifier chain is held then, and
 * kma_symbol_start() takes it to register a notifier.  In module_init() it is not held.
 * Later, a write to the file `run` of a suite in debugfs runs the suite again.
 */
#include <linux/module.h>

#include "util.h"

static char *only;
module_param(only, charp, 0400);
MODULE_PARM_DESC(only, "name of the suite to run; all suites if not set");

static struct kunit_suite *kma_suites[] = {
	&kma_record_suite,
	&kma_memhotplug_suite,
	&kma_report_open_suite,
	&kma_report_text_suite,
	&kma_report_rows_suite,
	&kma_report_samples_suite,
	&kma_control_suite,
	&kma_control_refuse_suite,
	&kma_control_reset_suite,
	&kma_countmap_suite,
	&kma_marks_suite,
	&kma_recycling_suite,
	&kma_cacheinfo_suite,
	&kma_probe_suite,
	&kma_sampling_suite,
	&kma_helper_suite,
	&kma_storm_suite,
	&kma_engine_suite,
	&kma_selftest_suite,
};

static int kma_nr_suites = ARRAY_SIZE(kma_suites);

static void kma_pick_suite(const char *name)
{
	int i, nr = 0;

	for (i = 0; i < kma_nr_suites; i++)
		if (!strcmp(kma_suites[i]->name, name))
			kma_suites[nr++] = kma_suites[i];
	kma_nr_suites = nr;
}

static int __init kma_kunit_init(void)
{
	if (only)
		kma_pick_suite(only);
	if (!kma_nr_suites)
		return -ENOENT;
	pr_info("KTAP version 1\n");
	pr_info("1..%d\n", kma_nr_suites);
	return __kunit_test_suites_init(kma_suites, kma_nr_suites);
}

static void __exit kma_kunit_exit(void)
{
	__kunit_test_suites_exit(kma_suites, kma_nr_suites);
}

module_init(kma_kunit_init);
module_exit(kma_kunit_exit);

MODULE_DESCRIPTION("KUnit suites of kmemacct");
MODULE_AUTHOR("The kmemacct authors");
MODULE_LICENSE("GPL");
