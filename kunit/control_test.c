// SPDX-License-Identifier: GPL-2.0
/*
 * The commands.  A refused one leaves everything as it was, but for the
 * reason in last_error.
 */
#include <linux/hardirq.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "golden.h"
#include "util.h"
#include "../module/report/rows_site.h"

#define KMA_TEST_PTR	0xdead000001234000UL
#define KMA_TEST_SITE	((unsigned long)kfree + 1)

/* ---- helpers -------------------------------------------------------------- */

/* A command, of which the module may change the text. */
static int kma_run(struct kunit *test, const char *command)
{
	char *line = kunit_kzalloc(test, KMA_CONTROL_MAX + 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, line);
	KUNIT_ASSERT_LE(test, strlen(command), KMA_CONTROL_MAX);
	strscpy(line, command, KMA_CONTROL_MAX + 1);
	return kma_control_run(line);
}

static char *kma_settings(struct kunit *test)
{
	return kma_file_text(test, kma_file_open(test, &kma_control_fops, NULL),
			     PAGE_SIZE);
}

static const char *kma_last_error(struct kunit *test)
{
	char *error = strstr(kma_settings(test), "last_error ");

	KUNIT_ASSERT_NOT_NULL(test, error);
	*strchr(error, '\n') = '\0';
	return error + strlen("last_error ");
}

static void kma_expect_refused(struct kunit *test, const char *command,
			       const char *why)
{
	char *before, *after;

	KUNIT_EXPECT_EQ(test, kma_run(test, "enabled 0"), 0);
	before = kma_settings(test);
	KUNIT_EXPECT_EQ_MSG(test, kma_run(test, command), -EINVAL, "'%s'", command);
	after = kma_settings(test);
	KUNIT_EXPECT_STREQ(test, kma_last_error(test), why);

	/* One line is different, and it still is one. */
	*strstr(before, "last_error") = '\0';
	KUNIT_EXPECT_TRUE(test, strstarts(after, before));
	KUNIT_EXPECT_PTR_EQ(test, strchr(after + strlen(before), '\n'),
			    after + strlen(after) - 1);
	KUNIT_EXPECT_NULL(test, kma_base.row);
}

static void kma_alloc(unsigned long ptr)
{
	const struct kma_event ev = {
		.site = KMA_TEST_SITE,
		.ptr = ptr,
		.cache = 64,
		.kmalloc = true,
		.bytes_req = 60,
		.node = NUMA_NO_NODE,
	};

	preempt_disable();
	kma_record_alloc(&kma_core, &ev);
	preempt_enable();
}

static void kma_free(unsigned long ptr)
{
	preempt_disable();
	kma_record_free(&kma_core, ptr, true);
	preempt_enable();
}

static void kma_close(void *snap)
{
	kma_snapshot_close(snap);
}

static struct kma_snapshot *kma_open(struct kunit *test, struct kma_table *table)
{
	struct kma_snapshot *snap = kma_snapshot_open(table);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, snap);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, kma_close, snap), 0);
	return snap;
}

static u64 kma_keyval_value(struct kunit *test, const struct kma_snapshot *snap,
			  const char *name)
{
	const struct kma_keyval *pair = snap->rows;
	size_t i;

	for (i = 0; i < snap->nr_rows; i++)
		if (!strcmp(pair[i].name, name))
			return pair[i].value;
	KUNIT_FAIL(test, "no line %s", name);
	return 0;
}

/* ---- what is understood --------------------------------------------------- */

static void kma_control_shows_settings(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, kma_settings(test), KMA_GOLDEN_CONTROL);
}

static void kma_control_enables(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kma_run(test, "enabled 1"), 0);
	KUNIT_EXPECT_TRUE(test, kma_control_enabled());
	KUNIT_EXPECT_TRUE(test, strstarts(kma_settings(test), "enabled 1\n"));
	KUNIT_EXPECT_EQ(test, kma_run(test, "enabled 1\n"), 0);
	KUNIT_EXPECT_EQ(test, kma_run(test, "  enabled   0 \t\n"), 0);
	KUNIT_EXPECT_FALSE(test, kma_control_enabled());
}

static void kma_control_sorts(struct kunit *test)
{
	const struct kma_sort expected = {
		.key = { KMA_COUNT_hits, KMA_COUNT_frag_pct, KMA_COUNT_NR },
		.nr = 3,
	};

	KUNIT_EXPECT_EQ(test, kma_run(test, "sort callers hits,frag_pct,site"), 0);
	KUNIT_EXPECT_MEMEQ(test, &kma_table_callers.sort, &expected, sizeof(expected));
	KUNIT_EXPECT_NOT_NULL(test, strstr(kma_settings(test),
					   "\nsort_callers hits,frag_pct,site\n"));
	KUNIT_EXPECT_EQ(test, kma_run(test, "sort callers live_bytes\n"), 0);
}

static void kma_control_sorts_stacks(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kma_run(test, "sort stacks samples,stack"), 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(kma_settings(test),
					   "\nsort_stacks samples,stack\n"));
	KUNIT_EXPECT_EQ(test, kma_run(test, "sort stacks live_bytes"), 0);
}

static void kma_control_samples(struct kunit *test)
{
	static const struct {
		const char *command;
		u64 bytes;
	} known[] = {
		{ "sample_bytes 512K", 524288 },
		{ "sample_bytes 0", 0 },
		{ "sample_bytes 524288", 524288 },
		{ "sample_bytes 4096\n", 4096 },
		{ " sample_bytes  64M ", 64 << 20 },
		{ "sample_bytes 0\n", 0 },
	};
	char shown[40];
	int i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		KUNIT_EXPECT_EQ_MSG(test, kma_run(test, known[i].command), 0, "%s",
				    known[i].command);
		KUNIT_EXPECT_EQ(test, kma_sampling_bytes(), known[i].bytes);
		snprintf(shown, sizeof(shown), "\nsample_bytes %llu\n", known[i].bytes);
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(kma_settings(test), shown), "%s",
					  known[i].command);
	}
}

static void kma_control_budgets(struct kunit *test)
{
	static const struct {
		const char *command;
		unsigned int pct;
	} known[] = {
		{ "budget_pct 5", 5 }, { "budget_pct 100\n", 100 }, { "budget_pct 0", 0 },
		{ " budget_pct  007 ", 7 }, { "budget_pct 0", 0 },
	};
	char shown[40];
	int i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		KUNIT_EXPECT_EQ_MSG(test, kma_run(test, known[i].command), 0, "%s",
				    known[i].command);
		KUNIT_EXPECT_EQ(test, kma_overhead_budget_pct(), known[i].pct);
		snprintf(shown, sizeof(shown), "\nbudget_pct %u\n", known[i].pct);
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(kma_settings(test), shown), "%s",
					  known[i].command);
	}
}

/* The head is of the moment the table was opened, as all of it. */
static void kma_control_samples_from_the_next_table_on(struct kunit *test)
{
	struct kma_snapshot *before = kma_open(test, &kma_table_callers);
	struct kma_snapshot *after;

	KUNIT_EXPECT_EQ(test, kma_run(test, "sample_bytes 8K"), 0);
	after = kma_open(test, &kma_table_callers);
	KUNIT_EXPECT_EQ(test, kma_run(test, "sample_bytes 0"), 0);
	KUNIT_EXPECT_EQ(test, before->sample_bytes, 0);
	KUNIT_EXPECT_FALSE(test, before->sampled);
	KUNIT_EXPECT_EQ(test, after->sample_bytes, 8192);
	KUNIT_EXPECT_TRUE(test, after->sampled);
	/* Nothing was sampled meanwhile. */
	KUNIT_EXPECT_FALSE(test, kma_open(test, &kma_table_callers)->sampled);
}

/* The text of a setting, in a line of its own. */
static void kma_expect_setting(struct kunit *test, const char *line)
{
	char *text = kma_settings(test);

	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(text, line), "%s", text);
}

/* By who runs: any page will do. */
static bool kma_test_filtered(void)
{
	return kma_filter_pages(ZERO_PAGE(0), -1);
}

static void kma_control_filters(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, kma_filter_on());
	KUNIT_EXPECT_TRUE(test, kma_test_filtered());
	KUNIT_EXPECT_EQ(test, kma_run(test, "filter comm a  b*"), 0);
	KUNIT_EXPECT_TRUE(test, kma_filter_on());
	KUNIT_EXPECT_FALSE(test, kma_test_filtered());
	kma_expect_setting(test, "filter_comm a  b*\n");
	KUNIT_EXPECT_EQ(test, kma_run(test, "filter  comm   off"), 0);
	kma_expect_setting(test, "filter_comm off\n");
	KUNIT_EXPECT_FALSE(test, kma_filter_on());

	KUNIT_EXPECT_EQ(test, kma_run(test, "filter cgroup /"), 0);
	KUNIT_EXPECT_EQ(test, kma_run(test, "filter size 4K-1M"), 0);
	KUNIT_EXPECT_TRUE(test, kma_test_filtered());
	/* In an interrupt, as far as anybody can tell. */
	local_irq_disable();
	__irq_enter_raw();
	KUNIT_EXPECT_FALSE(test, kma_test_filtered());
	__irq_exit_raw();
	local_irq_enable();
	kma_expect_setting(test, "filter_cgroup /\n");
	kma_expect_setting(test, "filter_size 4K-1M\n");
	KUNIT_EXPECT_EQ(test, kma_run(test, "filter off"), 0);
	KUNIT_EXPECT_FALSE(test, kma_filter_on());
	/* All at once, as the parameter does. */
	KUNIT_EXPECT_EQ(test, kma_control_filter(" tgid 1 ;; order 2-3\n"), 0);
	kma_expect_setting(test, "filter_tgid 1\n");
	kma_expect_setting(test, "filter_order 2-3\n");
	KUNIT_EXPECT_EQ(test, kma_control_filter("tgid 2;order x"), -EINVAL);
	kma_expect_setting(test, "filter_tgid 1\n");
	KUNIT_EXPECT_EQ(test, kma_control_filter(""), 0);
	KUNIT_EXPECT_FALSE(test, kma_filter_on());
}

/* A block is what it is of, whoever allocates it. */
static void kma_control_filters_pages(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL, 2);
	static const struct {
		const char *filter;
		bool matches;
	} known[] = {
		{ "order 2", true }, { "order 0-1", false }, { "order 3-9", false },
		{ "size 16K", true }, { "size 16385-1M", false }, { "size 0-16383", false },
		{ "gfp GFP_KERNEL", true }, { "gfp __GFP_IO", true },
		{ "gfp GFP_KERNEL|__GFP_ZERO", false }, { "order 2;size 1", false },
		{ "module kernel", true }, { "module kmemacct_kunit", false },
	};
	int i;

	KUNIT_ASSERT_NOT_NULL(test, page);
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		KUNIT_EXPECT_EQ(test, kma_control_filter(known[i].filter), 0);
		KUNIT_EXPECT_EQ_MSG(test, known[i].matches,
				    kma_filter_pagealloc(page, 2, GFP_KERNEL, KMA_TEST_SITE),
				    "%s", known[i].filter);
	}
	KUNIT_EXPECT_EQ(test, kma_control_filter("module kmemacct_kunit"), 0);
	KUNIT_EXPECT_TRUE(test, kma_filter_pagealloc(page, 2, GFP_KERNEL,
						 (unsigned long)kma_run + 1));
	/* Nobody knows where it is. */
	KUNIT_EXPECT_FALSE(test, kma_filter_pagealloc(page, 2, GFP_KERNEL, KMA_SITE_NOWHERE));
	KUNIT_EXPECT_EQ(test, kma_control_filter("module kernel"), 0);
	KUNIT_EXPECT_FALSE(test, kma_filter_pagealloc(page, 2, GFP_KERNEL, KMA_SITE_NOWHERE));
	__free_pages(page, 2);
}

static void kma_control_skips(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, kma_skip_name("alloc_pages_exact"));
	KUNIT_EXPECT_FALSE(test, kma_skip_name("truth_alloc_pages"));
	KUNIT_EXPECT_EQ(test, kma_run(test, "skip add truth_*"), 0);
	KUNIT_EXPECT_EQ(test, kma_run(test, "skip del alloc_page*"), 0);
	KUNIT_EXPECT_TRUE(test, kma_skip_name("truth_alloc_pages"));
	KUNIT_EXPECT_FALSE(test, kma_skip_name("alloc_pages_exact"));
	kma_expect_refused(test, "skip add truth_*", "skip add: 'truth_*' is there already");
	kma_expect_refused(test, "skip del truth", "skip del: no 'truth' in table skip");
	KUNIT_EXPECT_EQ(test, kma_control_skip("add x;add x"), -EINVAL);
	KUNIT_EXPECT_TRUE(test, kma_skip_name("truth_alloc_pages"));
	KUNIT_EXPECT_EQ(test, kma_control_skip(""), 0);
	KUNIT_EXPECT_TRUE(test, kma_skip_name("alloc_pages_exact"));
	KUNIT_EXPECT_FALSE(test, kma_skip_name("truth_alloc_pages"));
}

static void kma_control_refuses_bad_filters(struct kunit *test)
{
	kma_expect_refused(test, "filter node x",
			   "filter node takes the number of a NUMA node, or off, not 'x'");
	kma_expect_refused(test, "filter tgid 0",
			   "filter tgid takes the number of a process, or off, not '0'");
	kma_expect_refused(test, "filter order 3-2",
			   "filter order takes N or N-M, orders that there are, or off, not '3-2'");
	kma_expect_refused(test, "filter order 99999999999999999999",
			   "filter order takes N or N-M, orders that there are, or off, not '99999999999999999999'");
	kma_expect_refused(test, "filter comm a\nb",
			   "filter comm takes a thread's name of up to 15 characters, or a pattern without [! and [^, or off, not 'a?b'");
	kma_expect_refused(test, "filter comm a[!b]",
			   "filter comm takes a thread's name of up to 15 characters, or a pattern without [! and [^, or off, not 'a[!b]'");
	kma_expect_refused(test, "skip add a[^b]",
			   "skip add takes up to 63 characters without blanks, ';', '[!' and '[^', not 'a[^b]'");
	kma_expect_refused(test, "skip", "skip takes add PATTERN or del PATTERN, not ''");
	KUNIT_EXPECT_FALSE(test, kma_filter_on());
}

static void kma_control_forgets_an_error_after_a_success(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kma_run(test, "nonsense"), -EINVAL);
	KUNIT_EXPECT_STRNEQ(test, kma_last_error(test), "none");
	KUNIT_EXPECT_EQ(test, kma_run(test, "enabled 0"), 0);
	KUNIT_EXPECT_STREQ(test, kma_last_error(test), "none");
}

/* ---- what is not ---------------------------------------------------------- */

static void kma_control_refuses_unknown_commands(struct kunit *test)
{
	static const char use[] =
		": use account, budget_pct, enabled, filter, page_sample_bytes, pages, reset,";
	static const char or[] = "sample_bytes, skip or sort";
	static const struct {
		const char *command, *shown;
	} known[] = {
		{ "", "" }, { "\n", "" }, { "   ", "" }, { "nonsense", "nonsense" },
		{ "Enabled 1", "Enabled" }, { "enable 1", "enable" },
		{ "reset\nenabled 1", "reset?enabled" }, { "enabled\t1", "enabled?1" },
		{ "resets", "resets" }, { "%s%s%n 1", "%s%s%n" },
		{ "\x01\xff\x7f", "???" },
	};
	char why[140];
	int i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		snprintf(why, sizeof(why), "unknown command '%s'%s %s", known[i].shown, use,
			 or);
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
	kma_expect_refused(test, "reset 1", "reset takes nothing, not '1'");
	kma_expect_refused(test, "reset callers\n", "reset takes nothing, not 'callers'");
}

static void kma_control_refuses_bad_sorts(struct kunit *test)
{
	kma_expect_refused(test, "sort", "no table '' to sort");
	kma_expect_refused(test, "sort nonsense hits", "no table 'nonsense' to sort");
	/* These have lines in an order of their own. */
	kma_expect_refused(test, "sort summary value", "no table 'summary' to sort");
	kma_expect_refused(test, "sort stats name", "no table 'stats' to sort");
	kma_expect_refused(test, "sort callers",
			   "sort callers by what? sort <table> key[,key...]");
	kma_expect_refused(test, "sort callers nonsense",
			   "callers has no sort key 'nonsense'");
	kma_expect_refused(test, "sort callers cache", "callers has no sort key 'cache'");
	kma_expect_refused(test, "sort caches site", "caches has no sort key 'site'");
	kma_expect_refused(test, "sort callers hits,", "callers has no sort key ''");
	kma_expect_refused(test, "sort callers ,hits", "callers has no sort key ''");
	kma_expect_refused(test, "sort callers hits,,site", "callers has no sort key ''");
	kma_expect_refused(test, "sort callers hits frees",
			   "callers has no sort key 'hits frees'");
	kma_expect_refused(test, "sort callers hits, frees",
			   "callers has no sort key ' frees'");
	kma_expect_refused(test, "sort callers Hits", "callers has no sort key 'Hits'");
}

static void kma_control_refuses_too_many_keys(struct kunit *test)
{
	static_assert(KMA_SORT_KEYS == 4);
	kma_expect_refused(test, "sort callers hits,frees,live_objs,pingpong,site",
			   "sort takes at most 4 keys");
	KUNIT_EXPECT_EQ(test, kma_run(test, "sort callers hits,frees,live_objs,site"), 0);
}

/* Rows in the order of their addresses would tell what %pK hides. */
static void kma_control_refuses_to_sort_by_address(struct kunit *test)
{
	kma_expect_refused(test, "sort allocs ptr", "allocs has no sort key 'ptr'");
	kma_expect_refused(test, "sort allocs age_ms,ptr", "allocs has no sort key 'ptr'");
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
	KUNIT_EXPECT_TRUE(test, strstarts(kma_settings(test), "enabled 0\n"));
}

/* ---- the file ------------------------------------------------------------- */

static ssize_t kma_write(struct kunit *test, struct file *file, const char *text,
			 size_t len)
{
	unsigned long user = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE,
					   PROT_READ | PROT_WRITE,
					   MAP_ANONYMOUS | MAP_PRIVATE, 0);
	loff_t pos = 0;

	KUNIT_ASSERT_NE(test, user, 0);
	KUNIT_ASSERT_LT(test, user, TASK_SIZE);
	KUNIT_ASSERT_EQ(test, copy_to_user((char __user *)user, text, len), 0);
	return file->f_op->write(file, (char __user *)user, len, &pos);
}

static void kma_control_takes_writes(struct kunit *test)
{
	struct file *file = kma_file_open(test, &kma_control_fops, NULL);
	char *line = kunit_kzalloc(test, KMA_CONTROL_MAX + 2, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, line);
	KUNIT_EXPECT_EQ(test, kma_write(test, file, "enabled 1\n", 10), 10);
	KUNIT_EXPECT_TRUE(test, kma_control_enabled());

	/* The longest that is taken, and one more. */
	memset(line, ' ', KMA_CONTROL_MAX + 1);
	memcpy(line, "enabled 0", 9);
	KUNIT_EXPECT_EQ(test, kma_write(test, file, line, KMA_CONTROL_MAX + 1), -EINVAL);
	KUNIT_EXPECT_STREQ(test, kma_last_error(test), "a command has at most 255 bytes");
	KUNIT_EXPECT_TRUE(test, kma_control_enabled());
	KUNIT_EXPECT_EQ(test, kma_write(test, file, line, KMA_CONTROL_MAX),
			KMA_CONTROL_MAX);
	KUNIT_EXPECT_FALSE(test, kma_control_enabled());

	KUNIT_EXPECT_EQ(test, kma_write(test, file, "", 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, kma_write(test, file, "nonsense", 8), -EINVAL);
}

/* What stands behind a NUL is part of what was written. */
static void kma_control_refuses_a_nul(struct kunit *test)
{
	struct file *file = kma_file_open(test, &kma_control_fops, NULL);

	KUNIT_EXPECT_EQ(test, kma_write(test, file, "enabled 1\0nonsense", 18), -EINVAL);
	KUNIT_EXPECT_FALSE(test, kma_control_enabled());
}

/* ---- reset ---------------------------------------------------------------- */

static void kma_control_reset_subtracts(struct kunit *test)
{
	static const struct kma_site_counts before = {
		.v = { 64, 1, 3, 180, 192, 2, 128, 0, 0, 0 },
	};
	static const struct kma_site_counts after = {
		.v = { 64, 1, 0, 0, 0, 0, 0, 0, 0, 0 },
	};
	static const struct kma_site_counts later = {
		.v = { 64, 1, 1, 60, 64, 1, 64, 0, 0, 0 },
	};
	struct kma_snapshot *snap;
	static struct kma_site_counts row;

	migrate_disable();
	kma_alloc(KMA_TEST_PTR);
	kma_alloc(KMA_TEST_PTR + 64);
	kma_alloc(KMA_TEST_PTR + 128);
	kma_free(KMA_TEST_PTR);
	kma_free(KMA_TEST_PTR + 64);
	mutex_lock(&kma_lock);
	kma_rows_site_read(0, &row);
	mutex_unlock(&kma_lock);
	KUNIT_EXPECT_MEMEQ(test, row.v, before.v, sizeof(row.v));

	KUNIT_EXPECT_EQ(test, kma_run(test, "reset"), 0);
	snap = kma_open(test, &kma_table_callers);
	KUNIT_ASSERT_EQ(test, snap->nr_rows, 1);
	KUNIT_EXPECT_MEMEQ(test, ((struct kma_site_counts *)snap->rows)->v, after.v,
			   sizeof(after.v));
	KUNIT_EXPECT_STREQ(test, snap->since, "reset");

	/* Allocated before the reset, freed after it: a free all the same. */
	kma_alloc(KMA_TEST_PTR);
	kma_free(KMA_TEST_PTR + 128);
	migrate_enable();
	snap = kma_open(test, &kma_table_callers);
	KUNIT_ASSERT_EQ(test, snap->nr_rows, 1);
	KUNIT_EXPECT_MEMEQ(test, ((struct kma_site_counts *)snap->rows)->v, later.v,
			   sizeof(later.v));

	/* And again, from there. */
	KUNIT_EXPECT_EQ(test, kma_run(test, "reset"), 0);
	snap = kma_open(test, &kma_table_callers);
	KUNIT_ASSERT_EQ(test, snap->nr_rows, 1);
	KUNIT_EXPECT_MEMEQ(test, ((struct kma_site_counts *)snap->rows)->v, after.v,
			   sizeof(after.v));
}

static void kma_control_reset_hides_what_has_ended(struct kunit *test)
{
	kma_alloc(KMA_TEST_PTR);
	kma_free(KMA_TEST_PTR);
	KUNIT_EXPECT_EQ(test, kma_open(test, &kma_table_callers)->nr_rows, 1);
	KUNIT_EXPECT_EQ(test, kma_run(test, "reset"), 0);
	KUNIT_EXPECT_EQ(test, kma_open(test, &kma_table_callers)->nr_rows, 0);
	KUNIT_EXPECT_EQ(test, kma_open(test, &kma_table_allocs)->nr_rows, 0);
}

static void kma_control_reset_leaves_live_objects(struct kunit *test)
{
	kma_alloc(KMA_TEST_PTR);
	KUNIT_EXPECT_EQ(test, kma_run(test, "reset"), 0);
	KUNIT_EXPECT_EQ(test, kma_open(test, &kma_table_allocs)->nr_rows, 1);
	KUNIT_EXPECT_EQ(test, kma_objtab_count(&kma_core.obj), 1);
}

static void kma_control_reset_is_not_for_stats(struct kunit *test)
{
	kma_free(KMA_TEST_PTR);
	kma_free(KMA_TEST_PTR);
	KUNIT_EXPECT_EQ(test, kma_run(test, "reset"), 0);
	kma_free(KMA_TEST_PTR);

	KUNIT_EXPECT_EQ(test, kma_keyval_value(test, kma_open(test, &kma_table_stats),
					     "free_unmatched"), 3);
	KUNIT_EXPECT_EQ(test, kma_keyval_value(test, kma_open(test, &kma_table_summary),
					     "free_unmatched"), 1);
}

/* As numbers of objects: those since then, and those that live. */
static void kma_control_reset_subtracts_samples(struct kunit *test)
{
	/* So many times N that it is sampled. */
	const struct kma_event ev = {
		.site = KMA_TEST_SITE,
		.ptr = KMA_TEST_PTR,
		.cache = 1 << 20,
		.kmalloc = true,
		.bytes_req = 1 << 20,
		.node = NUMA_NO_NODE,
	};
	const u64 *v;

	KUNIT_EXPECT_EQ(test, kma_run(test, "sample_bytes 4096"), 0);
	preempt_disable();
	kma_stat_inc(alloc_unsampled);
	kma_record_sampled(&kma_core, &ev, ev.cache, false);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, kma_run(test, "reset"), 0);
	KUNIT_EXPECT_EQ(test, kma_run(test, "sample_bytes 0"), 0);

	v = ((struct kma_site_counts *)kma_open(test, &kma_table_callers)->rows)->v;
	KUNIT_EXPECT_EQ(test, v[KMA_COUNT_samples], 0);
	KUNIT_EXPECT_EQ(test, v[KMA_COUNT_live_samples], 1);
}

/* Less is live than at the reset: perf kmem's net total is negative. */
static void kma_control_reset_allows_less_than_nothing(struct kunit *test)
{
	struct kma_snapshot *snap;

	kma_alloc(KMA_TEST_PTR);
	KUNIT_EXPECT_EQ(test, kma_run(test, "reset"), 0);
	kma_free(KMA_TEST_PTR);

	snap = kma_open(test, &kma_table_summary);
	KUNIT_EXPECT_EQ(test, (s64)kma_keyval_value(test, snap, "bytes_net"), -64);
	KUNIT_EXPECT_EQ(test, kma_keyval_value(test, snap, "bytes_freed"), 64);
	KUNIT_EXPECT_EQ(test, kma_keyval_value(test, snap, "live_bytes"), 0);
	KUNIT_EXPECT_EQ(test, kma_keyval_value(test, snap, "allocs"), 0);
	KUNIT_EXPECT_EQ(test, kma_keyval_value(test, snap, "frag_pct"), 0);
}

/* ---- the suite ------------------------------------------------------------ */

static struct kma_sort kma_sort_before[32];

/* Where a cache has its size: or nothing could be sampled. */
static int kma_control_init_suite(struct kunit_suite *suite)
{
	return kma_cacheinfo_init();
}

/* As kma_engine_start(), but without probes. */
static int kma_control_init_test(struct kunit *test)
{
	int i, ret;

	KUNIT_ASSERT_LE(test, kma_nr_tables, ARRAY_SIZE(kma_sort_before));
	for (i = 0; i < kma_nr_tables; i++)
		kma_sort_before[i] = kma_tables[i]->sort;
	kma_stats_clear();
	kma_config = (struct kma_config){
		.live_max = 1000,
		.sites_max = KMA_SITES_MIN,
		.bulk = "auto",
	};
	ret = kma_core_init(&kma_core, kma_config.live_max, kma_config.sites_max,
			    kma_memhotplug_pfns());
	if (ret)
		return ret;
	ret = kma_symbol_start();
	if (ret)
		kma_core_destroy(&kma_core);
	return ret ?: kma_control_start();
}

static void kma_control_exit_test(struct kunit *test)
{
	int i;

	kma_control_stop();
	kma_control_forget();
	kma_symbol_stop();
	kma_core_destroy(&kma_core);
	for (i = 0; i < kma_nr_tables; i++)
		kma_tables[i]->sort = kma_sort_before[i];
}

static struct kunit_case kma_control_cases[] = {
	KUNIT_CASE(kma_control_shows_settings),
	KUNIT_CASE(kma_control_enables),
	KUNIT_CASE(kma_control_sorts),
	KUNIT_CASE(kma_control_sorts_stacks),
	KUNIT_CASE(kma_control_samples),
	KUNIT_CASE(kma_control_budgets),
	KUNIT_CASE(kma_control_samples_from_the_next_table_on),
	KUNIT_CASE(kma_control_filters),
	KUNIT_CASE(kma_control_filters_pages),
	KUNIT_CASE(kma_control_skips),
	KUNIT_CASE(kma_control_refuses_bad_filters),
	KUNIT_CASE(kma_control_forgets_an_error_after_a_success),
	KUNIT_CASE(kma_control_refuses_unknown_commands),
	KUNIT_CASE(kma_control_refuses_bad_switches),
	KUNIT_CASE(kma_control_refuses_bad_samplings),
	KUNIT_CASE(kma_control_refuses_bad_budgets),
	KUNIT_CASE(kma_control_refuses_a_reset_of_something),
	KUNIT_CASE(kma_control_refuses_bad_sorts),
	KUNIT_CASE(kma_control_refuses_too_many_keys),
	KUNIT_CASE(kma_control_refuses_to_sort_by_address),
	KUNIT_CASE(kma_control_survives_garbage),
	KUNIT_CASE(kma_control_takes_writes),
	KUNIT_CASE(kma_control_refuses_a_nul),
	KUNIT_CASE(kma_control_reset_subtracts),
	KUNIT_CASE(kma_control_reset_hides_what_has_ended),
	KUNIT_CASE(kma_control_reset_leaves_live_objects),
	KUNIT_CASE(kma_control_reset_is_not_for_stats),
	KUNIT_CASE(kma_control_reset_subtracts_samples),
	KUNIT_CASE(kma_control_reset_allows_less_than_nothing),
	{}
};

struct kunit_suite kma_control_suite = {
	.name = "kmemacct_control",
	.suite_init = kma_control_init_suite,
	.init = kma_control_init_test,
	.exit = kma_control_exit_test,
	.test_cases = kma_control_cases,
};
