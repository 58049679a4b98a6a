// SPDX-License-Identifier: GPL-2.0
/* Lines below the table stalls: the total of PSI, and waits that the module cannot time. */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* ---- what the module cannot time -------------------------------------------- */

/**
 * struct untimed - a function that the module cannot follow on every kernel
 * @key: its name in the head of the table
 * @text: what is not timed
 * @counters: counters of /proc/vmstat that count it: the beginnings of their names
 */
struct untimed {
	const char *key;
	const char *text;
	const char *counters[2];
};

static const struct untimed functions[] = {
	{ "memstall", "memory.high, refaults and swap-in", { "workingset_refault" } },
	{ "slow_path", "the rest of the page allocator's slow path",
	  { "allocstall", "compact_stall" } },
	{ "throttle_direct_reclaim", "throttling before direct reclaim",
	  { "pgscan_direct_throttle" } },
};

/* Add up the counters of /proc/vmstat whose names begin with @prefix. */
static u64 vmstat(const char *text, const char *prefix)
{
	const size_t len = strlen(prefix);
	const char *line = text;
	u64 sum = 0;

	while (line && *line) {
		if (!strncmp(line, prefix, len))
			sum += strtoull(strchr(line, ' ') ?: "", NULL, 10);
		line = strchr(line, '\n');
		line += !!line;
	}
	return sum;
}

/* Make a line about a function: what is not timed, and how often it has happened. */
static char *untimed_line(const struct untimed *u, const char *text)
{
	char *line = alloc_print("not timed on this kernel: %s", u->text), *longer;
	size_t i;

	for (i = 0; text && i < ARRAY_SIZE(u->counters) && u->counters[i]; i++) {
		longer = alloc_print("%s%s%s %llu", line, i ? ", " : "; since boot: ",
				     u->counters[i], vmstat(text, u->counters[i]));
		free(line);
		line = longer;
	}
	return line;
}

/* ---- pressure stall information --------------------------------------------- */

/* Return: for how long some task has waited for memory since boot, in us; 0 if it is not known. */
static u64 psi_us(void)
{
	char path[FILE_PATH], *text, *at;
	size_t len;
	u64 us = 0;

	source_proc_path(path, "pressure/memory");
	text = file_read(path, &len);
	at = text ? strstr(text, "total=") : NULL;
	if (at)
		us = strtoull(at + strlen("total="), NULL, 10);
	free(text);
	return us;
}

/* ---- the lines ---------------------------------------------------------------- */

/* Add a line to a text, which may be NULL. */
static char *add_line(char *text, char *line)
{
	char *longer;

	if (!text)
		return line;
	longer = alloc_print("%s\n%s", text, line);
	free(text);
	free(line);
	return longer;
}

static char *untimed_lines(const struct table *t)
{
	const char *untimed = table_field(t, "untimed") ?: "";
	char path[FILE_PATH], *vmstat_text, *text = NULL;
	size_t i, len;

	source_proc_path(path, "vmstat");
	vmstat_text = file_read(path, &len);
	for (i = 0; i < ARRAY_SIZE(functions); i++)
		if (text_lists(untimed, functions[i].key))
			text = add_line(text, untimed_line(&functions[i], vmstat_text));
	free(vmstat_text);
	return text;
}

void stalls_remark(struct view *v)
{
	char *text, time[NUMBER_LEN];
	u64 us;

	if (source_is_snapshot(v->t->source))
		return;
	text = untimed_lines(v->t);
	us = psi_us();
	if (us) {
		number_print_us(time, us, false);
		text = add_line(text, alloc_print("PSI: %s in which some task waited, since boot",
						  time));
	}
	if (text)
		v->advice = table_own(v->t, text);
}
