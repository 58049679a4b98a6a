// SPDX-License-Identifier: GPL-2.0
/* Functions that the suites of the commands share: see control_util.h. */
#include <linux/slab.h>
#include <linux/string.h>

#include "control_util.h"

/* No probe is attached, so recording is off and there is no budget. */
static int kma_control_begin(void)
{
	static const char *const text[KMA_SETTING_NR] = {
		[KMA_SETTING_enabled] = "0",
		[KMA_SETTING_budget_pct] = "0",
	};

	kma_baseline_start();
	return kma_settings_start(text);
}

int kma_control_init_test(struct kunit *test)
{
	return kma_table_init_test(test) ?: kma_control_begin();
}

void kma_control_exit_test(struct kunit *test)
{
	kma_settings_stop();
	kma_baseline_stop();
	kma_table_exit_test(test);
}

int kma_control_command(struct kunit *test, const char *command)
{
	char *line = kunit_kzalloc(test, KMA_CONTROL_MAX + 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, line);
	KUNIT_ASSERT_LE(test, strlen(command), KMA_CONTROL_MAX);
	strscpy(line, command, KMA_CONTROL_MAX + 1);
	return kma_control_run(line);
}

char *kma_control_text(struct kunit *test)
{
	return kma_file_text(test, kma_file_open(test, &kma_control_fops, NULL),
			     PAGE_SIZE);
}

const char *kma_control_last_error(struct kunit *test)
{
	char *error = strstr(kma_control_text(test), "last_error ");

	KUNIT_ASSERT_NOT_NULL(test, error);
	*strchr(error, '\n') = '\0';
	return error + strlen("last_error ");
}

void kma_expect_refused(struct kunit *test, const char *command, const char *why)
{
	char *before, *after;

	KUNIT_EXPECT_EQ(test, kma_control_command(test, "enabled 0"), 0);
	before = kma_control_text(test);
	KUNIT_EXPECT_EQ_MSG(test, kma_control_command(test, command), -EINVAL, "'%s'", command);
	after = kma_control_text(test);
	KUNIT_EXPECT_STREQ(test, kma_control_last_error(test), why);

	/* Only the line last_error differs, and it is still one line. */
	*strstr(before, "last_error") = '\0';
	KUNIT_EXPECT_TRUE(test, strstarts(after, before));
	KUNIT_EXPECT_PTR_EQ(test, strchr(after + strlen(before), '\n'),
			    after + strlen(after) - 1);
	KUNIT_EXPECT_NULL(test, kma_baseline.row);
}
