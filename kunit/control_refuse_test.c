// SPDX-License-Identifier: GPL-2.0
/*
 * Commands that are refused.  A refused command changes nothing except last_error, which
 * says why.
 */
#include <linux/slab.h>

#include "table_util.h"

static void kma_control_refuses_unknown_commands(struct kunit *test)
{
	static const char use[] =
		": use cgroup_sites, filter, incident, reset, skip, enabled, sample_bytes,";
	static const char more[] =
		"budget_pct, pages, page_sample_bytes, account, owners, threshold_us, trigger,";
	static const char last[] = "oom_report, latency";
	static const struct {
		const char *command, *shown;
	} known[] = {
		{ "", "" }, { "\n", "" }, { "   ", "" }, { "nonsense", "nonsense" },
		{ "Enabled 1", "Enabled" }, { "enable 1", "enable" },
		{ "reset\nenabled 1", "reset?enabled" }, { "enabled\t1", "enabled?1" },
		{ "resets", "resets" }, { "%s%s%n 1", "%s%s%n" },
		{ "\x01\xff\x7f", "???" },
	};
	char why[240];
	int i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		snprintf(why, sizeof(why), "unknown command '%s'%s %s %s", known[i].shown, use,
			 more, last);
		kma_expect_refused(test, known[i].command, why);
	}
}

static void kma_control_refuses_bad_values(struct kunit *test)
{
	static const struct {
		const char *setting, *takes, *args[24];
	} known[] = {
		{ "enabled", "0 or 1", {
			"", "2", "-1", "01", "1 1", "10", "on", "off", "yes", "y", "n", "Y",
			"N", "t", "f", "1,", "enabled 1",
		} },
		{ "sample_bytes", "0 or a power of two from 4K to 64M", {
			"", "3000", "1K", "2048", "4097", "12K", "128M", "1G", "x", "-1",
			"-4096", "4096x", "4K 8K", "4 K", "on", "16E", "16777216T",
			"18446744073709551615", "18446744073709551616", "18014398509481984K",
		} },
		{ "budget_pct", "0 to 100", {
			"", "101", "-1", "1.5", "1%", "x", "1 2", "0x10", "4294967297",
		} },
	}, *k;
	char command[40], why[100];
	int i;

	for (k = known; k < known + ARRAY_SIZE(known); k++) {
		for (i = 0; k->args[i]; i++) {
			snprintf(command, sizeof(command), "%s %s", k->setting, k->args[i]);
			snprintf(why, sizeof(why), "%s takes %s, not '%s'", k->setting, k->takes,
				 k->args[i]);
			kma_expect_refused(test, command, why);
			KUNIT_EXPECT_EQ(test, kma_sampling_bytes(), 0);
			KUNIT_EXPECT_EQ(test, kma_overhead_budget_pct(), 0);
		}
	}
}

static void kma_control_refuses_bad_arguments(struct kunit *test)
{
	static const char sort[] = "sort is gone: files have one order; use kmemacct TABLE -s KEY";
	static const struct {
		const char *command, *why;
	} known[] = {
		{ "enabled", "enabled takes 0 or 1, not ''" },
		{ "enabled 1\nreset", "enabled takes 0 or 1, not '1?reset'" },
		{ "reset 1", "reset takes no arguments: omit '1'" },
		{ "reset callers\n", "reset takes no arguments: omit 'callers'" },
		{ "sort", sort }, { "sort callers hits", sort }, { " sort  callers frees\n", sort },
		{
			"filter node x",
			"filter node takes the number of a NUMA node, or off, not 'x'",
		}, {
			"filter tgid 0",
			"filter tgid takes the number of a process, or off, not '0'",
		}, {
			"filter order 3-2",
			"filter order takes N or N-M, orders of the page allocator, or off, not '3-2'",
		}, {
			"filter order 99999999999999999999",
			"filter order takes N or N-M, orders of the page allocator, or off, not '99999999999999999999'",
		}, {
			"filter comm a\nb",
			"filter comm takes a thread's name of up to 15 characters, or a pattern without [! and [^, or off, not 'a?b'",
		}, {
			"filter comm a[!b]",
			"filter comm takes a thread's name of up to 15 characters, or a pattern without [! and [^, or off, not 'a[!b]'",
		}, {
			"skip add a[^b]",
			"skip add takes up to 63 characters without blanks, ';', '[!' and '[^', not 'a[^b]'",
		},
		{ "skip", "skip takes add PATTERN, del PATTERN or none, not ''" },
		{
			"threshold_us shrinker=500",
			"threshold_us: use US or US,PHASE=US,..., with US from 0 to 3600000000, not 'shrinker=500'",
		}, {
			"threshold_us 1,shrinker=2,shrinker=3",
			"threshold_us: shrinker is given twice: use it once",
		}, {
			"threshold_us 1,shrinker=2,compaction=x",
			"threshold_us: use compaction=US, with US from 0 to 3600000000, not 'x'",
		},
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		kma_expect_refused(test, known[i].command, known[i].why);
	KUNIT_EXPECT_FALSE(test, kma_filter_on());
}

static void kma_control_survives_garbage(struct kunit *test)
{
	char *line = kunit_kzalloc(test, KMA_CONTROL_MAX + 1, GFP_KERNEL);
	u64 random = 1;
	int i, k, len;

	KUNIT_ASSERT_NOT_NULL(test, line);
	for (i = 0; i < 2000; i++) {
		len = kma_random_below(&random, KMA_CONTROL_MAX + 1);
		for (k = 0; k < len; k++)
			line[k] = kma_random(&random);
		line[len] = '\0';
		KUNIT_EXPECT_EQ(test, kma_control_run(line), -EINVAL);
	}
	KUNIT_EXPECT_TRUE(test, strstarts(kma_control_text(test), "enabled 0\n"));
}

static struct kunit_case kma_control_refuse_cases[] = {
	KUNIT_CASE(kma_control_refuses_unknown_commands),
	KUNIT_CASE(kma_control_refuses_bad_values),
	KUNIT_CASE(kma_control_refuses_bad_arguments),
	KUNIT_CASE(kma_control_survives_garbage),
	{}
};

struct kunit_suite kma_control_refuse_suite = {
	.name = "kmemacct_control_refuse",
	.suite_init = kma_table_init_suite,
	.init = kma_control_init_test,
	.exit = kma_control_exit_test,
	.test_cases = kma_control_refuse_cases,
};
