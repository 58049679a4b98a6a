// SPDX-License-Identifier: GPL-2.0
/*
 * Commands that are refused.  A refused command changes nothing except last_error, which
 * says why.
 */
#include <linux/slab.h>

#include "control_util.h"

struct kma_refusal {
	const char *command;
	const char *why;
};

static void kma_expect_all_refused(struct kunit *test, const struct kma_refusal *expect,
				   int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		kma_expect_refused(test, expect[i].command, expect[i].why);
}

static void kma_control_refuses_unknown_commands(struct kunit *test)
{
	static const char use[] =
		": use filter, reset, skip, enabled, sample_bytes, budget_pct, pages,";
	static const char more[] = "page_sample_bytes, account, threshold_us, latency";
	static const struct {
		const char *command, *shown;
	} known[] = {
		{ "", "" }, { "\n", "" }, { "   ", "" }, { "nonsense", "nonsense" },
		{ "Enabled 1", "Enabled" }, { "enable 1", "enable" },
		{ "reset\nenabled 1", "reset?enabled" }, { "enabled\t1", "enabled?1" },
		{ "resets", "resets" }, { "%s%s%n 1", "%s%s%n" },
		{ "\x01\xff\x7f", "???" },
	};
	char why[200];
	int i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		snprintf(why, sizeof(why), "unknown command '%s'%s %s", known[i].shown, use,
			 more);
		kma_expect_refused(test, known[i].command, why);
	}
}

static void kma_control_refuses_bad_switches(struct kunit *test)
{
	static const char * const args[] = {
		"", "2", "-1", "01", "1 1", "10", "on", "off", "yes", "y", "n", "Y",
		"N", "t", "f", "1,", "enabled 1",
	};
	char command[40], why[80];
	int i;

	for (i = 0; i < ARRAY_SIZE(args); i++) {
		snprintf(command, sizeof(command), "enabled %s", args[i]);
		snprintf(why, sizeof(why), "enabled takes 0 or 1, not '%s'", args[i]);
		kma_expect_refused(test, command, why);
	}
	kma_expect_refused(test, "enabled", "enabled takes 0 or 1, not ''");
	kma_expect_refused(test, "enabled 1\nreset",
			   "enabled takes 0 or 1, not '1?reset'");
}

static void kma_control_refuses_bad_samplings(struct kunit *test)
{
	static const char * const args[] = {
		"", "3000", "1K", "2048", "4097", "12K", "128M", "1G", "x", "-1", "-4096",
		"4096x", "4K 8K", "4 K", "on", "16E", "16777216T",
		"18446744073709551615", "18446744073709551616", "18014398509481984K",
	};
	char command[40], why[100];
	int i;

	for (i = 0; i < ARRAY_SIZE(args); i++) {
		snprintf(command, sizeof(command), "sample_bytes %s", args[i]);
		snprintf(why, sizeof(why),
			 "sample_bytes takes 0 or a power of two from 4K to 64M, not '%s'",
			 args[i]);
		kma_expect_refused(test, command, why);
		KUNIT_EXPECT_EQ(test, kma_sampling_bytes(), 0);
	}
}

static void kma_control_refuses_bad_budgets(struct kunit *test)
{
	static const char * const args[] = {
		"", "101", "-1", "1.5", "1%", "x", "1 2", "0x10", "4294967297",
	};
	char command[40], why[80];
	int i;

	for (i = 0; i < ARRAY_SIZE(args); i++) {
		snprintf(command, sizeof(command), "budget_pct %s", args[i]);
		snprintf(why, sizeof(why), "budget_pct takes 0 to 100, not '%s'", args[i]);
		kma_expect_refused(test, command, why);
		KUNIT_EXPECT_EQ(test, kma_overhead_budget_pct(), 0);
	}
}

static void kma_control_refuses_a_reset_of_something(struct kunit *test)
{
	static const struct kma_refusal known[] = {
		{ "reset 1", "reset takes no arguments: omit '1'" },
		{ "reset callers\n", "reset takes no arguments: omit 'callers'" },
	};

	kma_expect_all_refused(test, known, ARRAY_SIZE(known));
}

static void kma_control_refuses_to_sort(struct kunit *test)
{
	static const char why[] = "sort is gone: files have one order; use kmemacct TABLE -s KEY";
	static const struct kma_refusal known[] = {
		{ "sort", why }, { "sort callers hits", why }, { " sort  callers frees\n", why },
	};

	kma_expect_all_refused(test, known, ARRAY_SIZE(known));
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

static void kma_control_refuses_bad_filters(struct kunit *test)
{
	static const struct kma_refusal known[] = {
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
		{ "skip", "skip takes add PATTERN or del PATTERN, not ''" },
	};

	kma_expect_all_refused(test, known, ARRAY_SIZE(known));
	KUNIT_EXPECT_FALSE(test, kma_filter_on());
}

static struct kunit_case kma_control_refuse_cases[] = {
	KUNIT_CASE(kma_control_refuses_bad_filters),
	KUNIT_CASE(kma_control_refuses_unknown_commands),
	KUNIT_CASE(kma_control_refuses_bad_switches),
	KUNIT_CASE(kma_control_refuses_bad_samplings),
	KUNIT_CASE(kma_control_refuses_bad_budgets),
	KUNIT_CASE(kma_control_refuses_a_reset_of_something),
	KUNIT_CASE(kma_control_refuses_to_sort),
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
