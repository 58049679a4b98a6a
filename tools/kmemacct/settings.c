// SPDX-License-Identifier: GPL-2.0
/* Tables that depend on settings of the module.  See settings.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "error.h"
#include "files.h"
#include "settings.h"
#include "words.h"

int settings_check_counted(const struct table *t)
{
	const char *pages = table_field(t, "pages"), *account = table_field(t, "account");
	char *command;

	if (account && !words_has(account, t->name)) {
		command = control_enable_command(account, t->name);
		fail("the table %s is not enabled: %s", t->name, command);
		free(command);
		return -1;
	}
	if (!account && pages && !strcmp(pages, "off"))
		return fail("pages are not tracked: kmemacct set pages sites");
	return 0;
}

struct table *settings_counted(const char *name)
{
	struct table *t = files_table(name);

	if (!t || (t->columns && t->nr_rows) || !settings_check_counted(t))
		return t;
	table_free(t);
	return NULL;
}

struct table *settings_stacks(const char *name)
{
	struct table *t = files_table(name);

	if (!t || t->sampled)
		return t;
	fail("no stacks are recorded without sampling: kmemacct set sample_bytes 512K");
	table_free(t);
	return NULL;
}

/* Test whether latency is not recorded.  Heads and `control` have the setting. */
static bool latency_is_off(const struct table *t)
{
	const char *latency = table_field(t, "latency");

	return latency ? !strcmp(latency, "off") : control_is("latency", "off");
}

struct table *settings_latency(const char *name)
{
	struct table *t = files_table(name);

	if (!t || t->nr_rows || !latency_is_off(t))
		return t;
	fail("latency is not recorded: kmemacct set latency on");
	table_free(t);
	return NULL;
}
