// SPDX-License-Identifier: GPL-2.0
/* The settings, as the module's file `control` has them. */
#include <stdlib.h>
#include <string.h>

#include "table.h"

void control_parse(struct control *c, char *text)
{
	char *line, *rest = text;
	size_t room = 0;

	*c = (struct control) { .text = text };
	while ((line = strsep(&rest, "\n"))) {
		if (!*line)
			continue;
		c->lines = alloc_more(c->lines, c->nr, &room, sizeof(*c->lines));
		c->lines[c->nr].key = strsep(&line, " ");
		c->lines[c->nr++].value = line ?: "";
	}
}

int control_read(struct control *c, const struct source *s)
{
	size_t len;
	char *text = source_text(s, "control", &len);

	*c = (struct control) {};
	if (!text)
		return -1;
	control_parse(c, text);
	return 0;
}

void control_free(struct control *c)
{
	free(c->text);
	free(c->lines);
	*c = (struct control) {};
}

const char *control_value(const struct control *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->nr; i++)
		if (!strcmp(c->lines[i].key, name))
			return c->lines[i].value;
	return NULL;
}

bool control_is(const struct source *s, const char *name, const char *value)
{
	const char *now = NULL;
	struct control c;
	bool ret;

	if (!control_read(&c, s))
		now = control_value(&c, name);
	ret = now && !strcmp(now, value);
	control_free(&c);
	return ret;
}

int control_copy(const char *name, char *value, size_t size)
{
	const char *now;
	struct control c;

	if (control_read(&c, &module_source))
		return -1;
	now = control_value(&c, name);
	if (now)
		snprintf(value, size, "%s", now);
	control_free(&c);
	return now ? 0 : fail("the loaded module has no setting %s: use the module of this version",
			      name);
}

char *control_enable_command(const char *account, const char *table)
{
	const bool any = strcmp(account, "off");

	return alloc_print("kmemacct set account %s%s%s", any ? account : "", any ? "," : "",
			   table);
}
