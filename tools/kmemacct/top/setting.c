// SPDX-License-Identifier: GPL-2.0
/* Settings that are changed while a view is open. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top.h"

/* ---- lists ---------------------------------------------------------------- */

/* Return: the place of a word in a comma-separated list, or NULL. */
static const char *find_word(const char *list, const char *word)
{
	size_t len, wanted = strlen(word);

	for (;; list += len + 1) {
		len = strcspn(list, ",");
		if (len == wanted && !strncmp(list, word, len))
			return list;
		if (!list[len])
			return NULL;
	}
}

/* Return: 0, or -1 after calling fail() if the list gets too long for a command. */
static int add_word(char to[TOP_SETTING_LEN], const char *list, const char *word)
{
	const char *comma = ",";

	if (!strcmp(list, "off")) {
		list = "";
		comma = "";
	}
	if (snprintf(to, TOP_SETTING_LEN, "%s%s%s", list, comma, word) < TOP_SETTING_LEN)
		return 0;
	return fail("the setting has too many names to add %s: remove some of them", word);
}

/* Remove a word that is in the list. */
static void remove_word(char to[TOP_SETTING_LEN], const char *list, const char *word)
{
	const char *at = find_word(list, word), *end = at + strlen(word);

	if (*end)
		end++;
	else if (at > list)
		at--;
	snprintf(to, TOP_SETTING_LEN, "%.*s%s", (int)(at - list), list, end);
	if (!*to)
		snprintf(to, TOP_SETTING_LEN, "off");
}

/* ---- the file control ----------------------------------------------------- */

static int write_setting(const char *name, const char *value)
{
	char command[64 + TOP_SETTING_LEN];

	snprintf(command, sizeof(command), "%s %s", name, value);
	return control_write(command);
}

/* ---- on and off ----------------------------------------------------------- */

bool top_setting_is_off(const struct top_view *view, const struct table *t)
{
	const struct top_need *need = &view->need;
	const char *value = need->name ? table_field(t, need->name) : NULL;

	if (!value)
		return false;
	if (need->list)
		return !find_word(value, need->value);
	/* Any other value of sample_bytes and latency means that the setting is on. */
	if (strcmp(need->name, "pages"))
		return !strcmp(value, "0") || !strcmp(value, "off");
	return strcmp(value, need->value);
}

int top_setting_on(struct top_setting *s, const struct top_need *need)
{
	char value[TOP_SETTING_LEN];

	if (control_copy(need->name, s->before, TOP_SETTING_LEN))
		return -1;
	snprintf(value, sizeof(value), "%s", need->value);
	if (need->list && find_word(s->before, need->value))
		return 0;
	if (need->list && add_word(value, s->before, need->value))
		return -1;
	if (write_setting(need->name, value))
		return -1;
	s->need = need;
	if (!control_copy(need->name, s->set, TOP_SETTING_LEN))
		return 0;
	/* Without its new value, it could not be switched back later. */
	s->need = NULL;
	write_setting(need->name, s->before);
	return -1;
}

int top_setting_off(struct top_setting *s)
{
	const struct top_need *need = s->need;
	char now[TOP_SETTING_LEN], value[TOP_SETTING_LEN];

	s->need = NULL;
	if (!need)
		return 0;
	if (control_copy(need->name, now, TOP_SETTING_LEN))
		return -1;
	if (!need->list)
		return strcmp(now, s->set) ? 0 : write_setting(need->name, s->before);
	if (!find_word(now, need->value))
		return 0;
	remove_word(value, now, need->value);
	return write_setting(need->name, value);
}

bool top_setting_is_same(const struct top_need *a, const struct top_need *b)
{
	return a->name && b->name && !strcmp(a->name, b->name) && !strcmp(a->value, b->value);
}
