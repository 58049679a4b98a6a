// SPDX-License-Identifier: GPL-2.0
/* The commands, and the file `control`. */
#include <linux/hardirq.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "table_util.h"
#include "golden.h"

/* ---- valid commands ------------------------------------------------------- */

static void kma_control_shows_settings(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, kma_control_text(test), KMA_GOLDEN_CONTROL);
}

static u64 kma_enabled(void)
{
	return kma_slab_recording();
}

static u64 kma_budget_pct(void)
{
	return kma_overhead_budget_pct();
}

/* Valid commands, the setting that each changes, and what `control` shows afterwards. */
static void kma_control_sets(struct kunit *test)
{
	static const struct {
		const char *command;
		u64 (*setting)(void);
		u64 value;
		const char *shown;
	} known[] = {
		{ "enabled 1", kma_enabled, 1, "enabled 1\n" },
		{ "enabled 0", kma_enabled, 0, "enabled 0\n" },
		{ "enabled 1\n", kma_enabled, 1, "enabled 1\n" },
		{ "  enabled   0 \t\n", kma_enabled, 0, "enabled 0\n" },
		{ "sample_bytes 512K", kma_sampling_bytes, 524288, "\nsample_bytes 524288\n" },
		{ "sample_bytes 0", kma_sampling_bytes, 0, "\nsample_bytes 0\n" },
		{ "sample_bytes 524288", kma_sampling_bytes, 524288, "\nsample_bytes 524288\n" },
		{ "sample_bytes 4096\n", kma_sampling_bytes, 4096, "\nsample_bytes 4096\n" },
		{ " sample_bytes  64M ", kma_sampling_bytes, SZ_64M, "\nsample_bytes 67108864\n" },
		{ "sample_bytes 0\n", kma_sampling_bytes, 0, "\nsample_bytes 0\n" },
		{ "budget_pct 5", kma_budget_pct, 5, "\nbudget_pct 5\n" },
		{ "budget_pct 100\n", kma_budget_pct, 100, "\nbudget_pct 100\n" },
		{ "budget_pct 0", kma_budget_pct, 0, "\nbudget_pct 0\n" },
		{ " budget_pct  007 ", kma_budget_pct, 7, "\nbudget_pct 7\n" },
		{ "budget_pct 0", kma_budget_pct, 0, "\nbudget_pct 0\n" },
	}, *k;

	for (k = known; k < known + ARRAY_SIZE(known); k++) {
		KUNIT_EXPECT_EQ_MSG(test, kma_control_command(test, k->command), 0, "%s",
				    k->command);
		KUNIT_EXPECT_EQ_MSG(test, k->setting(), k->value, "%s", k->command);
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(kma_control_text(test), k->shown), "%s",
					  k->command);
	}
	/* The first line is that of `enabled`. */
	KUNIT_EXPECT_TRUE(test, strstarts(kma_control_text(test), "enabled 0\n"));
}

/* All of a table, its head included, is from the time at which it was opened. */
static void kma_control_samples_from_the_next_table_on(struct kunit *test)
{
	struct kma_snapshot *before = kma_table_open(test, &kma_table_callers);
	struct kma_snapshot *after;

	KUNIT_EXPECT_EQ(test, kma_control_command(test, "sample_bytes 8K"), 0);
	after = kma_table_open(test, &kma_table_callers);
	KUNIT_EXPECT_EQ(test, kma_control_command(test, "sample_bytes 0"), 0);
	KUNIT_EXPECT_EQ(test, before->sample_bytes, 0);
	KUNIT_EXPECT_FALSE(test, before->sampled);
	KUNIT_EXPECT_EQ(test, after->sample_bytes, 8192);
	KUNIT_EXPECT_TRUE(test, after->sampled);
	/* Nothing was sampled meanwhile. */
	KUNIT_EXPECT_FALSE(test, kma_table_open(test, &kma_table_callers)->sampled);
}

/* Check that `control` has this line. */
static void kma_expect_setting(struct kunit *test, const char *line)
{
	char *text = kma_control_text(test);

	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(text, line), "%s", text);
}

/* Whether the filter matches the current task; the page does not matter. */
static bool kma_test_filtered(void)
{
	return kma_filter_pages(ZERO_PAGE(0), -1);
}

static void kma_control_filters(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, kma_filter_on());
	KUNIT_EXPECT_TRUE(test, kma_test_filtered());
	KUNIT_EXPECT_EQ(test, kma_control_command(test, "filter comm a  b*"), 0);
	KUNIT_EXPECT_TRUE(test, kma_filter_on());
	KUNIT_EXPECT_FALSE(test, kma_test_filtered());
	kma_expect_setting(test, "filter_comm a  b*\n");
	KUNIT_EXPECT_EQ(test, kma_control_command(test, "filter  comm   off"), 0);
	kma_expect_setting(test, "filter_comm off\n");
	KUNIT_EXPECT_FALSE(test, kma_filter_on());

	KUNIT_EXPECT_EQ(test, kma_control_command(test, "filter cgroup /"), 0);
	KUNIT_EXPECT_EQ(test, kma_control_command(test, "filter size 4K-1M"), 0);
	KUNIT_EXPECT_TRUE(test, kma_test_filtered());
	/* Pretend to be in an interrupt. */
	local_irq_disable();
	__irq_enter_raw();
	KUNIT_EXPECT_FALSE(test, kma_test_filtered());
	__irq_exit_raw();
	local_irq_enable();
	kma_expect_setting(test, "filter_cgroup /\n");
	kma_expect_setting(test, "filter_size 4K-1M\n");
	KUNIT_EXPECT_EQ(test, kma_control_command(test, "filter off"), 0);
	KUNIT_EXPECT_FALSE(test, kma_filter_on());
	/* Set all criteria at once, as a write to the module parameter does. */
	KUNIT_EXPECT_EQ(test, kma_setting_write(KMA_SETTING_filter, " tgid 1 ;; order 2-3\n"), 0);
	kma_expect_setting(test, "filter_tgid 1\n");
	kma_expect_setting(test, "filter_order 2-3\n");
	KUNIT_EXPECT_EQ(test, kma_setting_write(KMA_SETTING_filter, "tgid 2;order x"), -EINVAL);
	kma_expect_setting(test, "filter_tgid 1\n");
	KUNIT_EXPECT_EQ(test, kma_setting_write(KMA_SETTING_filter, ""), 0);
	KUNIT_EXPECT_FALSE(test, kma_filter_on());
}

/* Criteria of the page allocation itself, which do not depend on the task. */
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
		KUNIT_EXPECT_EQ(test, kma_setting_write(KMA_SETTING_filter, known[i].filter), 0);
		KUNIT_EXPECT_EQ_MSG(test, known[i].matches,
				    kma_filter_pagealloc(page, 2, GFP_KERNEL, KMA_TEST_SITE),
				    "%s", known[i].filter);
	}
	KUNIT_EXPECT_EQ(test, kma_setting_write(KMA_SETTING_filter, "module kmemacct_kunit"), 0);
	KUNIT_EXPECT_TRUE(test, kma_filter_pagealloc(page, 2, GFP_KERNEL,
						     (unsigned long)kma_control_command + 1));
	/* An unknown call site is in no module, and not in the kernel. */
	KUNIT_EXPECT_FALSE(test, kma_filter_pagealloc(page, 2, GFP_KERNEL, KMA_SITE_UNKNOWN));
	KUNIT_EXPECT_EQ(test, kma_setting_write(KMA_SETTING_filter, "module kernel"), 0);
	KUNIT_EXPECT_FALSE(test, kma_filter_pagealloc(page, 2, GFP_KERNEL, KMA_SITE_UNKNOWN));
	__free_pages(page, 2);
}

static void kma_control_sets_thresholds(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kma_control_command(test, "threshold_us 5,compaction=2,shrinker=0"),
			0);
	kma_expect_setting(test, "threshold_us 5,shrinker=0,compaction=2\n");
	KUNIT_EXPECT_TRUE(test, kma_slow_exceeds(KMA_PHASE_DIRECT, 5000));
	KUNIT_EXPECT_FALSE(test, kma_slow_exceeds(KMA_PHASE_DIRECT, 4999));
	KUNIT_EXPECT_TRUE(test, kma_slow_exceeds(KMA_PHASE_COMPACTION, 2000));
	KUNIT_EXPECT_FALSE(test, kma_slow_exceeds(KMA_PHASE_SHRINKER, U64_MAX));
	KUNIT_EXPECT_FALSE(test, kma_slow_exceeds(KMA_PHASE_KSWAPD, U64_MAX));
	KUNIT_EXPECT_EQ(test, kma_control_command(test, "threshold_us 10000"), 0);
	kma_expect_setting(test, "threshold_us 10000\n");
}

static void kma_control_skips(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, kma_skip_name("alloc_pages_exact", KMA_SKIP_PAGES));
	KUNIT_EXPECT_FALSE(test, kma_skip_name("alloc_pages_exact", KMA_SKIP_OBJECTS));
	KUNIT_EXPECT_TRUE(test, kma_skip_name("kasprintf", KMA_SKIP_OBJECTS));
	KUNIT_EXPECT_FALSE(test, kma_skip_name("truth_alloc_pages", KMA_SKIP_PAGES));
	KUNIT_EXPECT_EQ(test, kma_control_command(test, "skip add truth_*"), 0);
	KUNIT_EXPECT_EQ(test, kma_control_command(test, "skip del alloc_page*"), 0);
	KUNIT_EXPECT_TRUE(test, kma_skip_name("truth_alloc_pages", KMA_SKIP_BOTH));
	KUNIT_EXPECT_FALSE(test, kma_skip_name("alloc_pages_exact", KMA_SKIP_PAGES));
	kma_expect_refused(test, "skip add truth_*", "skip add: 'truth_*' is already in the list");
	kma_expect_refused(test, "skip del truth", "skip del: no 'truth' in table skip");
	KUNIT_EXPECT_EQ(test, kma_setting_write(KMA_SETTING_skip, "add x;add x"), -EINVAL);
	KUNIT_EXPECT_TRUE(test, kma_skip_name("truth_alloc_pages", KMA_SKIP_BOTH));
	KUNIT_EXPECT_EQ(test, kma_setting_write(KMA_SETTING_skip, ""), 0);
	KUNIT_EXPECT_TRUE(test, kma_skip_name("alloc_pages_exact", KMA_SKIP_PAGES));
	KUNIT_EXPECT_FALSE(test, kma_skip_name("truth_alloc_pages", KMA_SKIP_BOTH));
}

static void kma_control_forgets_an_error_after_a_success(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kma_control_command(test, "nonsense"), -EINVAL);
	KUNIT_EXPECT_STRNEQ(test, kma_control_last_error(test), "none");
	KUNIT_EXPECT_EQ(test, kma_control_command(test, "enabled 0"), 0);
	KUNIT_EXPECT_STREQ(test, kma_control_last_error(test), "none");
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
	KUNIT_EXPECT_TRUE(test, kma_slab_recording());

	/* The longest command that is accepted, and one byte more. */
	memset(line, ' ', KMA_CONTROL_MAX + 1);
	memcpy(line, "enabled 0", 9);
	KUNIT_EXPECT_EQ(test, kma_write(test, file, line, KMA_CONTROL_MAX + 1), -EINVAL);
	KUNIT_EXPECT_STREQ(test, kma_control_last_error(test), "a command has at most 255 bytes");
	KUNIT_EXPECT_TRUE(test, kma_slab_recording());
	KUNIT_EXPECT_EQ(test, kma_write(test, file, line, KMA_CONTROL_MAX),
			KMA_CONTROL_MAX);
	KUNIT_EXPECT_FALSE(test, kma_slab_recording());

	KUNIT_EXPECT_EQ(test, kma_write(test, file, "", 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, kma_write(test, file, "nonsense", 8), -EINVAL);
	/* The text after a NUL is part of the command, which makes it invalid. */
	KUNIT_EXPECT_EQ(test, kma_write(test, file, "enabled 1\0nonsense", 18), -EINVAL);
	KUNIT_EXPECT_FALSE(test, kma_slab_recording());
}

/* ---- what is gone ---------------------------------------------------------- */

/* The file `query` is empty, and refuses each write. */
static void kma_query_is_gone(struct kunit *test)
{
	struct file *file = kma_file_open(test, &kma_query_fops, NULL);

	KUNIT_EXPECT_EQ(test, file->f_op->read(file, NULL, 100, NULL), 0);
	KUNIT_EXPECT_EQ(test, kma_write(test, file, "callers", 7), -EINVAL);
	KUNIT_EXPECT_STREQ(test, kma_control_last_error(test),
			   "query is gone: use kmemacct TABLE -s KEY -l ROWS");
}

static struct kunit_case kma_control_cases[] = {
	KUNIT_CASE(kma_control_shows_settings),
	KUNIT_CASE(kma_control_sets),
	KUNIT_CASE(kma_control_samples_from_the_next_table_on),
	KUNIT_CASE(kma_control_filters),
	KUNIT_CASE(kma_control_filters_pages),
	KUNIT_CASE(kma_control_sets_thresholds),
	KUNIT_CASE(kma_control_skips),
	KUNIT_CASE(kma_control_forgets_an_error_after_a_success),
	KUNIT_CASE(kma_control_takes_writes),
	KUNIT_CASE(kma_query_is_gone),
	{}
};

struct kunit_suite kma_control_suite = {
	.name = "kmemacct_control",
	.suite_init = kma_table_init_suite,
	.init = kma_control_init_test,
	.exit = kma_control_exit_test,
	.test_cases = kma_control_cases,
};
