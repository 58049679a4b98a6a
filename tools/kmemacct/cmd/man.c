// SPDX-License-Identifier: GPL-2.0
/*
 * The sections COMMANDS and OPTIONS of the man page, in man(7).
 *
 * man.awk puts them into the page.  A line `.\" @NAME` in capitals begins a section.  One with the
 * name of a command or an option is where man.awk adds what the page's source says of it.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"

/* An option that more commands take is listed without them. */
#define COMMANDS_MAX	4

static void put_char(char c)
{
	switch (c) {
	case '-':
		fputs("\\-", stdout);
		break;
	case '\\':
		fputs("\\e", stdout);
		break;
	case '\'':
		fputs("\\(aq", stdout);
		break;
	default:
		putchar(c);
	}
}

static void put_text(const char *text)
{
	while (*text)
		put_char(*text++);
}

/* Put an argument: words in capitals, which stand for others, are italic. */
static void put_args(const char *args)
{
	bool italic = false;

	for (; *args; args++) {
		if (!!isupper(*args) != italic) {
			italic = !italic;
			fputs(italic ? "\\fI" : "\\fR", stdout);
		}
		put_char(*args);
	}
	fputs("\\fR", stdout);
}

/* Put a sentence that begins with a small letter. */
static void put_sentence(const char *text)
{
	putchar(toupper(*text));
	put_text(text + 1);
	puts(".");
}

/* Put the separator before word number @i of a list of @nr words. */
static void put_separator(int i, int nr)
{
	if (i)
		fputs(i == nr - 1 ? " and " : ", ", stdout);
}

/* ---- commands ------------------------------------------------------------- */

static void put_option(const struct option_info *i)
{
	fputs("\\fB\\-", stdout);
	if (i->letter) {
		putchar(i->letter);
	} else {
		fputs("\\-", stdout);
		put_text(i->name);
	}
	fputs("\\fR", stdout);
}

static void put_options(u64 takes)
{
	const struct option_info *i;
	int nr = 0;

	for (i = option_infos; i->name; i++) {
		if (!(i->bit & takes) || !i->what)
			continue;
		fputs(nr++ ? ", " : ".IP\nOptions: ", stdout);
		put_option(i);
	}
	if (nr)
		puts(".");
}

static void put_command(const struct command *c)
{
	printf(".TP\n\\fB%s\\fR", c->name);
	if (c->args) {
		putchar(' ');
		put_args(c->args);
	}
	putchar('\n');
	put_sentence(c->what);
	if (c->keys)
		printf("Without \\fB\\-s\\fR, rows are sorted by \\fI%s\\fR.\n", c->keys);
	printf(".\\\" @%s\n", c->name);
	put_options(c->takes);
	if (c->status) {
		fputs(".IP\nExit status: ", stdout);
		put_text(c->status);
		puts(".");
	}
}

static void put_group(enum command_group group)
{
	const struct command *c;

	printf(".SS %s\n", help_group(group));
	for (c = commands; c->name; c++)
		if (c->group == group)
			put_command(c);
}

/* ---- options -------------------------------------------------------------- */

/* Put the commands that take an option, unless they are many. */
static void put_takers(const struct option_info *i)
{
	const struct command *c, *takers[COMMANDS_MAX];
	int nr = 0, n;

	for (c = commands; c->name; c++) {
		if (!(c->takes & i->bit))
			continue;
		if (nr == COMMANDS_MAX)
			return;
		takers[nr++] = c;
	}
	for (n = 0; n < nr; n++) {
		if (!n)
			fputs("Only for ", stdout);
		put_separator(n, nr);
		printf("\\fB%s\\fR", takers[n]->name);
	}
	if (nr)
		puts(".");
}

/* Print the values of --by for each command that takes it. */
static void put_by(const char *what)
{
	const struct command *c;
	char by[WORDS_LEN];

	for (c = commands; c->name; c++)
		if (c->by)
			printf("With \\fB%s\\fR, %s %s.\n", c->name, what,
			       options_by(by, c->by, " or "));
}

static void put_entry(const struct option_info *i)
{
	fputs(".TP\n", stdout);
	if (i->letter)
		printf("\\fB\\-%c\\fR, ", i->letter);
	fputs("\\fB\\-\\-", stdout);
	put_text(i->name);
	fputs("\\fR", stdout);
	if (i->value) {
		putchar(' ');
		put_args(i->value);
	}
	putchar('\n');
	if (i->bit == OPTION_BY) {
		put_by(i->what);
	} else {
		put_sentence(i->what);
		put_takers(i);
	}
	printf(".\\\" @--%s\n", i->name);
}

void man_print(void)
{
	const struct option_info *i;
	int group;

	puts(".\\\" @COMMANDS");
	for (group = 0; group < GROUP_NR; group++)
		put_group(group);
	puts(".\\\" @OPTIONS");
	for (i = option_infos; i->name; i++)
		if (i->what)
			put_entry(i);
}
