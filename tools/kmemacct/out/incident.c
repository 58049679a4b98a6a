// SPDX-License-Identifier: GPL-2.0
/* Labels of incidents. */
#include <stdlib.h>
#include <string.h>

#include "out.h"

/* Cut the last part off a label.  Return: the part, or @none if there is none. */
static char *last_part(char *text, char *none)
{
	char *end = strrchr(text, ';');

	if (!end)
		return none;
	*end = '\0';
	return end + 1;
}

/* The name of the task, which is the second of four parts, may contain semicolons. */
void incident_parse(struct incident *in, const char *label)
{
	char *none, *end;

	*in = (struct incident) { .text = alloc_print("%s\n-", label) };
	none = strrchr(in->text, '\n');
	*none++ = '\0';
	in->stack = last_part(in->text, none);
	in->site = last_part(in->text, none);
	in->trigger = in->text;
	end = strchrnul(in->text, ';');
	in->comm = *end ? end + 1 : none;
	*end = '\0';
}
