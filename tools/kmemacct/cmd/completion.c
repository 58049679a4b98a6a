// SPDX-License-Identifier: GPL-2.0
/*
 * Completion for bash: a function that knows the commands, options and columns of this program.  It
 * is printed when the program is built, and installed with it.
 */
#include <stdio.h>
#include <string.h>

#include "cmd.h"

static void print_options(u64 takes)
{
	const struct option_info *i;

	for (i = option_infos; i->name; i++)
		if (i->what && takes & i->bit)
			printf(" --%s", i->name);
}

/* Print the options with a value, which is no command. */
static void print_values(void)
{
	const struct option_info *i;
	const char *bar = "";

	for (i = option_infos; i->name; i++) {
		if (!i->value)
			continue;
		printf("%s--%s", bar, i->name);
		bar = "|";
		if (i->letter)
			printf("|-%c", i->letter);
	}
}

static void print_columns(const struct command *c)
{
	static const struct options none;
	struct view v;
	int i;

	if (!commands_view(&v, c, &none))
		return;
	for (i = 0; i < table_nr_columns(v.t); i++)
		if (v.t->columns[i].of == NONE && !v.t->columns[i].hidden)
			printf(" %s", v.t->columns[i].name);
	view_end(&v);
}

/* Print what the argument of a command may be. */
static void print_words(const struct command *c)
{
	const char *word;
	int i;

	if (c->args && !strcmp(c->args, "[COLUMN]"))
		print_columns(c);
	for (i = 0; c->words && (word = c->words(i)); i++)
		printf(" %s", word);
}

static void print_by(const struct command *c)
{
	int i;

	for (i = 0; c->by && c->by[i]; i++)
		printf(" %s", c->by[i]);
}

static void print_command(const struct command *c)
{
	printf("\t%s)\n", c->name);
	if (c->files)
		puts("\t\tcompopt -o default 2>/dev/null");
	printf("\t\toptions='");
	print_options(c->takes | OPTION_HELP);
	printf("'\n\t\tcolumns='");
	print_columns(c);
	printf("'\n\t\twords='");
	print_words(c);
	printf("'\n\t\tkeys='");
	print_by(c);
	printf("'\n\t\t;;\n");
}

static void print_names(void)
{
	const struct command *c;

	for (c = commands; c->name; c++)
		printf(" %s", c->name);
}

static void print_tables(void)
{
	const char *name;
	int i;

	for (i = 0; (name = growth_table(i)); i++)
		printf(" %s", name);
}

static void print_head(void)
{
	puts("_kmemacct()\n"
	     "{\n"
	     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	     "\tlocal command='' options columns words keys='' rest='' i\n\n"
	     "\tCOMPREPLY=()\n"
	     "\t# Bash splits --by=module at its `=`.\n"
	     "\t[[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
	     "\t[[ $cur == = ]] && cur=''\n"
	     "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	     "\t\tcase ${COMP_WORDS[i]} in\n"
	     "\t\t--)\n"
	     "\t\t\tcompopt -o default 2>/dev/null\n"
	     "\t\t\treturn\n"
	     "\t\t\t;;");
	printf("\t\t");
	print_values();
	puts(")\n"
	     "\t\t\t((i++))\n"
	     "\t\t\t;;\n"
	     "\t\t-*)\n"
	     "\t\t\t;;\n"
	     "\t\t*)\n"
	     "\t\t\tcommand=${command:-${COMP_WORDS[i]//-/_}}\n"
	     "\t\t\t;;\n"
	     "\t\tesac\n"
	     "\tdone\n"
	     "\tcase ${command:-callers} in");
}

static void print_tail(void)
{
	puts("\tesac\n"
	     "\tif [[ -z $command ]]; then");
	printf("\t\twords='");
	print_names();
	printf("'\n\t\toptions+='");
	print_options(OPTION_VERSION);
	puts("'\n"
	     "\tfi\n"
	     "\tcase $prev in");
	printf("\t");
	print_values();
	puts(")\n"
	     "\t\t_kmemacct_value\n"
	     "\t\treturn\n"
	     "\t\t;;\n"
	     "\tesac\n"
	     "\t[[ $cur == -* ]] && words=$options\n"
	     "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	     "}\n"
	     "complete -F _kmemacct kmemacct");
}

/* Print the function that completes the value of an option. */
static void print_value(void)
{
	puts("# Completion of kmemacct for bash; kmemacct --completion prints it.\n"
	     "# License: GPL-2.0\n\n"
	     "# Complete the value of the option $prev.\n"
	     "_kmemacct_value()\n"
	     "{\n"
	     "\tcase $prev in\n"
	     "\t-s|--sort|-o|--output)\n"
	     "\t\t[[ $cur == +* ]] && rest=+\n"
	     "\t\t[[ $cur == *,* ]] && rest=${cur%,*},\n"
	     "\t\twords=$columns\n"
	     "\t\t;;\n"
	     "\t--by)\n"
	     "\t\twords=$keys\n"
	     "\t\t;;\n"
	     "\t--table)");
	printf("\t\twords='");
	print_tables();
	puts("'\n\t\t;;\n"
	     "\t-i|--input|--debug-dir)\n"
	     "\t\tcompopt -o default 2>/dev/null\n"
	     "\t\treturn\n"
	     "\t\t;;\n"
	     "\t*)\n"
	     "\t\treturn\n"
	     "\t\t;;\n"
	     "\tesac\n"
	     "\tmapfile -t COMPREPLY < <(compgen -P \"$rest\" -W \"$words\" -- \"${cur#\"$rest\"}\")\n"
	     "}\n");
}

void completion_print(void)
{
	const struct command *c;

	print_value();
	print_head();
	for (c = commands; c->name; c++)
		print_command(c);
	print_tail();
}
