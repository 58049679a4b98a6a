// SPDX-License-Identifier: GPL-2.0
/* The help. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"

/* The most columns of a line. */
#define WIDTH	80

static const char * const groups[GROUP_NR] = {
	[GROUP_LOOK] = "Tables",
	[GROUP_FIND] = "Find out",
	[GROUP_ACT] = "Control",
	[GROUP_EXPORT] = "Export",
};

const char *help_group(enum command_group group)
{
	return groups[group];
}

static void print_group(enum command_group group)
{
	const struct command *c;
	char usage[32];

	printf("\n%s:\n", groups[group]);
	for (c = commands; c->name; c++) {
		if (c->group != group)
			continue;
		snprintf(usage, sizeof(usage), "%s%s%s", c->name, c->args ? " " : "",
			 c->args ? c->args : "");
		printf("  %-23s %s\n", usage, c->what);
	}
}

static void print_all(void)
{
	int group;

	puts("Usage: kmemacct [COMMAND] [OPTION...]\n\n"
	     "Show which code allocates and holds kernel memory, as recorded by the kmemacct\n"
	     "module.  Without a command: the call sites that hold most.");
	for (group = 0; group < GROUP_NR; group++)
		print_group(group);
	puts("\nExamples:\n"
	     "  kmemacct diff --every 2               what grows right now\n"
	     "  kmemacct run --cgroup -- find /usr    what a command allocates\n\n"
	     "See kmemacct help COMMAND, and kmemacct(8).  Also: --version, --schema.");
}

/* Print a list of words in lines, each of which begins with two blanks. */
static void print_word(const char *word, int *used)
{
	int len = strlen(word);

	if (*used && *used + 1 + len > WIDTH) {
		putchar('\n');
		*used = 0;
	}
	*used += printf("%s%s", *used ? " " : "  ", word);
}

/* Return: the description of an option, for a command that takes it. */
static const char *what_of(const struct command *c, const struct option_info *i,
			   char text[WORDS_LEN])
{
	return i->bit == OPTION_BY ? options_by(text, c->by, ", ") : i->what;
}

static void print_options(const struct command *c)
{
	const struct option_info *i;
	char usage[40], what[128];

	puts("\nOptions:");
	for (i = option_infos; i->name; i++) {
		if (!(i->bit & (c->takes | OPTION_HELP)) || !i->what)
			continue;
		snprintf(usage, sizeof(usage), "%s--%s%s%s", i->letter ? "" : "    ", i->name,
			 i->value ? " " : "", i->value ? i->value : "");
		if (i->letter)
			printf("  -%c, %-26s %s\n", i->letter, usage, what_of(c, i, what));
		else
			printf("  %-30s %s\n", usage, what_of(c, i, what));
	}
}

static void print_chosen(const struct table *t, const struct columns *cs)
{
	int i, used = 0;

	puts("\nColumns:");
	for (i = 0; i < cs->nr; i++)
		print_word(t->columns[cs->column[i]].name, &used);
	putchar('\n');
}

static bool is_chosen(const struct columns *cs, int column)
{
	int i;

	for (i = 0; i < cs->nr; i++)
		if (cs->column[i] == column)
			return true;
	return false;
}

/* Standard errors and buckets are columns, too, but too many to list. */
static bool is_listed(const struct table *t, int column)
{
	return t->columns[column].of == NONE && !t->columns[column].hidden;
}

static void print_others(const struct table *t, const struct columns *cs)
{
	int i, used = 0;

	for (i = 0; i < t->nr_values; i++) {
		if (is_chosen(cs, i) || !is_listed(t, i))
			continue;
		if (!used)
			puts("With -o or -s also:");
		print_word(t->columns[i].name, &used);
	}
	if (used)
		putchar('\n');
}

static void print_columns(const struct command *c)
{
	static const struct options none;
	struct columns cs;
	struct view v;

	if (!commands_view(&v, c, &none))
		return;
	if (c->takes & OPTION_OUTPUT && !schema_choose(&cs, &v, NULL)) {
		print_chosen(v.t, &cs);
		print_others(v.t, &cs);
	}
	view_end(&v);
}

static void print_command(const struct command *c)
{
	printf("Usage: kmemacct %s%s%s%s\n\n%c%s.\n", c->name, c->takes ? " [OPTION...]" : "",
	       c->args ? " " : "", c->args ? c->args : "", c->what[0] - 'a' + 'A', c->what + 1);
	print_options(c);
	print_columns(c);
	if (c->status)
		printf("\nExit status:\n  %s\n", c->status);
	printf("\nExample:\n  kmemacct %s\n", c->example);
}

void help_print(const struct command *c)
{
	if (c)
		print_command(c);
	else
		print_all();
}
