/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that the suites of the commands share. */
#ifndef KMA_KUNIT_CONTROL_UTIL_H
#define KMA_KUNIT_CONTROL_UTIL_H

#include "table_util.h"

/* For struct kunit_suite: make the tables and the settings; destroy them. */
int kma_control_init_test(struct kunit *test);
void kma_control_exit_test(struct kunit *test);

/* Run a command; the module gets a copy that it may change. Return: 0 or an error. */
int kma_control_command(struct kunit *test, const char *command);

/* The whole text of the file `control`.  It is freed when the test ends. */
char *kma_control_text(struct kunit *test);

/* The value of last_error: why the last command was refused, or "none". */
const char *kma_control_last_error(struct kunit *test);

/* Check that a command is refused for the reason @why, and changes only last_error. */
void kma_expect_refused(struct kunit *test, const char *command, const char *why);

#endif /* KMA_KUNIT_CONTROL_UTIL_H */
