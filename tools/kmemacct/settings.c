// SPDX-License-Identifier: GPL-2.0
/* Tables that depend on settings of the module.  See settings.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "files.h"
#include "settings.h"

/* The control file, as it is printed in messages. */
#define CONTROL		"/sys/kernel/debug/kmemacct/control"

struct table *settings_table(const char *command)
{
	char name[32], *dash;

	snprintf(name, sizeof(name), "%s", command);
	while ((dash = strchr(name, '-')))
		*dash = '_';
	return files_table(name);
}

/* Test whether @word is in @list, a comma-separated list. */
static bool lists(const char *list, const char *word)
{
	size_t len;

	for (; *list; list += len + !!list[len]) {
		len = strcspn(list, ",");
		if (len == strlen(word) && !strncmp(list, word, len))
			return true;
	}
	return false;
}

struct table *settings_counted(const char *command)
{
	struct table *t = settings_table(command);
	const char *pages, *account;

	if (!t || (t->columns && t->nr_rows))
		return t;
	pages = table_field(t, "pages");
	account = table_field(t, "account");
	if (account && !lists(account, t->name))
		/*
		 * The command lists the tables that are enabled already, because the
		 * module discards the counts of a table that is not in the list.
		 */
		fail("the table %s is not enabled: echo account %s%s%s > " CONTROL, t->name,
		     strcmp(account, "off") ? account : "", strcmp(account, "off") ? "," : "",
		     t->name);
	else if (!account && pages && !strcmp(pages, "off"))
		fail("pages are not tracked: echo pages sites > " CONTROL);
	else
		return t;
	table_free(t);
	return NULL;
}

struct table *settings_stacks(void)
{
	struct table *t = files_table("stacks");

	if (!t || t->sampled)
		return t;
	fail("no stacks are recorded without sampling: echo sample_bytes 512K > " CONTROL);
	table_free(t);
	return NULL;
}

/* Test whether latency is not recorded.  Heads and `control` have the setting. */
static bool latency_is_off(const struct table *t)
{
	const char *latency = table_field(t, "latency");
	char *settings;
	bool off;

	if (latency)
		return !strcmp(latency, "off");
	settings = files_settings();
	off = settings && strstr(settings, "\nlatency off\n");
	free(settings);
	return off;
}

struct table *settings_latency(const char *command)
{
	struct table *t = settings_table(command);

	if (!t || t->nr_rows || !latency_is_off(t))
		return t;
	fail("latency is not recorded: echo latency on > " CONTROL);
	table_free(t);
	return NULL;
}
