// SPDX-License-Identifier: GPL-2.0
/* The lines of the module's file `control`.  See control.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "error.h"
#include "files.h"
#include "words.h"

static size_t count_lines(const char *text)
{
	size_t nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr + 1;
}

void control_parse(struct control *c, char *text)
{
	size_t nr = count_lines(text);
	char *line, *rest = text;

	*c = (struct control) {
		.text = text,
		.name = alloc(nr, sizeof(*c->name)),
		.value = alloc(nr, sizeof(*c->value)),
	};
	while ((line = strsep(&rest, "\n"))) {
		if (!*line)
			continue;
		c->name[c->nr] = strsep(&line, " ");
		c->value[c->nr++] = line ? line : "";
	}
}

int control_read(struct control *c)
{
	char *text = files_settings();

	*c = (struct control) {};
	if (!text)
		return -1;
	control_parse(c, text);
	return 0;
}

const char *control_value(const struct control *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->nr; i++)
		if (!strcmp(c->name[i], name))
			return c->value[i];
	return NULL;
}

int control_copy(const char *name, char *value, size_t size)
{
	const char *now;
	struct control c;

	if (control_read(&c))
		return -1;
	now = control_value(&c, name);
	if (now)
		snprintf(value, size, "%s", now);
	control_free(&c);
	return now ? 0 : fail("the loaded module has no setting %s: load the one of this kmemacct",
			      name);
}

bool control_is(const char *name, const char *value)
{
	const char *now = NULL;
	struct control c;
	bool ret;

	if (!control_read(&c))
		now = control_value(&c, name);
	ret = now && !strcmp(now, value);
	control_free(&c);
	return ret;
}

char *control_enable_command(const char *account, const char *table)
{
	bool any = strcmp(account, "off");
	char *command = NULL;

	alloc_check(asprintf(&command, "kmemacct set account %s%s%s", any ? account : "",
			     any ? "," : "", table) >= 0);
	return command;
}

bool control_lists(const struct control *c, const char *name, const char *word)
{
	return words_has(control_value(c, name), word);
}

void control_free(struct control *c)
{
	free(c->text);
	free(c->name);
	free(c->value);
	*c = (struct control) {};
}
