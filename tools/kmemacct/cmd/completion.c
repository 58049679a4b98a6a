// SPDX-License-Identifier: GPL-2.0
/*
 * Completion for bash.
 *
 * The shell has a function that asks this program, with --complete and the words typed so far, for
 * what the last word may be: one candidate a line.
 */
#include <stdio.h>
#include <string.h>

#include "cmd.h"

/* Printed in place of candidates, to complete the name of a file. */
#define FILES	"/files"

void completion_print(void)
{
	puts("# Completion of kmemacct for bash; kmemacct --completion prints it.\n"
	     "# License: GPL-2.0\n\n"
	     "_kmemacct()\n"
	     "{\n"
	     "\tlocal words\n\n"
	     "\tmapfile -t words < <(\"${COMP_WORDS[0]}\" --complete \\\n"
	     "\t\t\"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
	     "\t[[ ${words[0]-} != " FILES " ]] || compopt -o default 2>/dev/null\n"
	     "\tCOMPREPLY=()\n"
	     "\tmapfile -t COMPREPLY < <(compgen -W \"${words[*]#" FILES "}\" \\\n"
	     "\t\t-- \"${COMP_WORDS[COMP_CWORD]#=}\")\n"
	     "\t[[ ${COMPREPLY-} != *= ]] || compopt -o nospace 2>/dev/null\n"
	     "}\n"
	     "complete -F _kmemacct kmemacct");
}

/* ---- candidates ----------------------------------------------------------- */

static void put_options(u64 takes)
{
	const struct option_info *i;

	for (i = option_infos; i->name; i++)
		if (i->what && takes & i->bit)
			printf("--%s\n", i->name);
}

/*
 * Print the columns of a command's table as candidates.  The columns before the last comma of @list
 * are part of each candidate.
 */
static void put_columns(const struct command *c, const char *list)
{
	static const struct options none;
	const char *comma = strrchr(list, ',');
	const int len = comma ? comma + 1 - list : *list == '+';
	struct view v;
	int i;

	if (!commands_view(&v, c, &none))
		return;
	for (i = 0; i < table_nr_columns(v.t); i++)
		if (v.t->columns[i].of == NONE && !v.t->columns[i].hidden)
			printf("%.*s%s\n", len, list, v.t->columns[i].name);
	view_end(&v);
}

static void put_names(const char *(*name)(int nr))
{
	int i;

	for (i = 0; name && name(i); i++)
		puts(name(i));
}

/* Print the values that an option may have. */
static void put_value(const struct command *c, const struct option_info *i, const char *word)
{
	int by;

	if (i->bit == OPTION_SORT || i->bit == OPTION_OUTPUT)
		put_columns(c, word);
	else if (i->bit == OPTION_TABLE)
		put_names(growth_table);
	else if (i->bit == OPTION_INPUT || i->bit == OPTION_DEBUG_DIR)
		puts(FILES);
	for (by = 0; i->bit == OPTION_BY && c->by && c->by[by]; by++)
		puts(c->by[by]);
}

/* @args: the arguments before the word, @nr of them */
static void put_words(const struct command *c, char **args, int nr, const char *word)
{
	if (c->files)
		puts(FILES);
	if (c->args && !strcmp(c->args, "[COLUMN]"))
		put_columns(c, "");
	if (c->complete)
		c->complete(args, nr, word);
	else
		put_names(c->words);
}

static void put_commands(void)
{
	const struct command *c;

	for (c = commands; c->name; c++)
		puts(c->name);
	puts("help\nversion");
}

static const struct command *find_command(const char *name)
{
	const struct command *c = commands;

	while (c->name && !suggest_is(c->name, name))
		c++;
	return c->name ? c : NULL;
}

/* ---- the command line ----------------------------------------------------- */

/* The words before the last one. */
struct typed {
	const struct option_info *option;	/* that the last one is the value of, or NULL */
	const struct command *command;		/* NULL: none yet */
	bool program;				/* `--` comes before the last one */
	char **args;				/* the arguments of the command */
	int nr_args;
};

static void take_word(struct typed *t, char *word)
{
	const bool is_value = t->option;

	t->option = !is_value && *word == '-' ? options_find(t->command, word) : NULL;
	if (t->option && !t->option->value)
		t->option = NULL;
	if (is_value || *word == '-')
		return;
	if (t->command)
		t->args[t->nr_args++] = word;
	else
		t->command = find_command(word);
}

void completion_find(char **words)
{
	struct typed t = { .args = words };

	/* The arguments move to the beginning of @words. */
	for (; *words && words[1] && !t.program; words++) {
		t.program = !strcmp(*words, "--");
		/* Bash splits --by=module at its `=`. */
		if (strcmp(*words, "=") && !t.program)
			take_word(&t, *words);
	}
	if (!*words)
		return;
	if (t.program)
		puts(FILES);
	else if (t.option)
		put_value(t.command ?: commands, t.option, **words == '=' ? *words + 1 : *words);
	else if (**words == '-')
		put_options((t.command ?: commands)->takes | OPTION_HELP |
			    (t.command ? 0 : OPTION_VERSION | OPTION_SCHEMA));
	else if (t.command)
		put_words(t.command, t.args, t.nr_args, *words);
	else
		put_commands();
}
