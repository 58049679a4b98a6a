/* SPDX-License-Identifier: GPL-2.0 */
/* What the suites of the commands share. */
#ifndef KMA_KUNIT_CONTROL_UTIL_H
#define KMA_KUNIT_CONTROL_UTIL_H

#include "table_util.h"

/* Make the tables and the settings. For struct kunit_suite. */
int kma_control_init_test(struct kunit *test);
void kma_control_exit_test(struct kunit *test);

/* Give a command, of which the module may change the text. Return: 0 or an error. */
int kma_control_command(struct kunit *test, const char *command);

/* All settings, as the file `control` shows them; lives as long as the test. */
char *kma_control_text(struct kunit *test);

/* The reason why the last command was refused. */
const char *kma_control_last_error(struct kunit *test);

/* Check that a command is refused for this reason, and changes nothing else. */
void kma_expect_refused(struct kunit *test, const char *command, const char *why);

#endif /* KMA_KUNIT_CONTROL_UTIL_H */
