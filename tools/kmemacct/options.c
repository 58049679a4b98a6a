// SPDX-License-Identifier: GPL-2.0
/* The command line.  See options.h. */
#include <getopt.h>
#include <string.h>

#include "error.h"
#include "number.h"
#include "options.h"
#include "top_ui.h"

#define SHORT	":s:l:t:d:n:jbhHf"

static const struct option long_options[] = {
	{ "sort", required_argument, NULL, 's' },
	{ "line", required_argument, NULL, 'l' },
	{ "raw-ip", no_argument, NULL, 'r' },
	{ "raw-gfp", no_argument, NULL, 'g' },
	{ "cgroup", no_argument, NULL, 'c' },
	{ "json", no_argument, NULL, 'j' },
	{ "bytes", no_argument, NULL, 'b' },
	{ "by", required_argument, NULL, 'y' },
	{ "older-than", required_argument, NULL, 'o' },
	{ "histogram", no_argument, NULL, 'H' },
	{ "follow", no_argument, NULL, 'f' },
	{ "at-least", required_argument, NULL, 't' },
	{ "caller", no_argument, NULL, 'C' },
	{ "alloc", no_argument, NULL, 'A' },
	{ "slab", no_argument, NULL, 'S' },
	{ "page", no_argument, NULL, 'P' },
	{ "live", no_argument, NULL, 'L' },
	{ "delay", required_argument, NULL, 'd' },
	{ "count", required_argument, NULL, 'n' },
	{ "help", no_argument, NULL, 'h' },
	{}
};

/* Options as error messages print them. */
static const struct {
	unsigned int option;
	const char *name;
} names[] = {
	{ OPTION_SORT, "-s" },
	{ OPTION_LINES, "-l" },
	{ OPTION_RAW_IP, "--raw-ip" },
	{ OPTION_RAW_GFP, "--raw-gfp" },
	{ OPTION_CGROUP, "--cgroup" },
	{ OPTION_JSON, "-j" },
	{ OPTION_EXACT, "-b" },
	{ OPTION_BY, "--by" },
	{ OPTION_OLDER, "--older-than" },
	{ OPTION_HISTOGRAM, "-H" },
	{ OPTION_FOLLOW, "-f" },
	{ OPTION_AT_LEAST, "-t" },
	{ OPTION_CALLER, "--caller" },
	{ OPTION_ALLOC, "--alloc" },
	{ OPTION_SLAB, "--slab" },
	{ OPTION_PAGE, "--page" },
	{ OPTION_LIVE, "--live" },
	{ OPTION_DELAY, "-d" },
	{ OPTION_COUNT, "-n" },
};

static int set_lines(struct options *o, const char *text)
{
	o->given |= OPTION_LINES;
	if (number_parse(text, &o->lines) || !o->lines)
		return fail("-l takes a number of rows, 1 or more, not '%s'", text);
	stat_options_lines(&o->stat, o->lines);
	return 0;
}

static int set_sort(struct options *o, const char *keys)
{
	o->given |= OPTION_SORT;
	o->sort = keys;
	return stat_options_sort(&o->stat, keys);
}

static int set_by(struct options *o, const char *text)
{
	o->given |= OPTION_BY;
	o->by = text;
	if (strcmp(text, "module") && strcmp(text, "cache"))
		return fail("--by takes module or cache, not '%s'", text);
	return 0;
}

static int set_older(struct options *o, const char *text)
{
	o->given |= OPTION_OLDER;
	if (number_parse_duration(text, &o->older_ms))
		return fail("--older-than takes an age such as 30s, 5m, 2h or 1d, not '%s'",
			    text);
	return 0;
}

static int set_at_least(struct options *o, const char *text)
{
	o->given |= OPTION_AT_LEAST;
	if (number_parse(text, &o->at_least_us))
		return fail("-t takes a number of microseconds, not '%s'", text);
	return 0;
}

static int set_count(struct options *o, const char *text)
{
	o->given |= OPTION_COUNT;
	if (number_parse(text, &o->count) || !o->count)
		return fail("-n takes a number of refreshes, 1 or more, not '%s'", text);
	return 0;
}

static int fail_unknown(char **argv)
{
	if (optopt)
		return fail("unknown option -%c: see kmemacct --help", optopt);
	return fail("unknown option %s: see kmemacct --help", argv[optind - 1]);
}

/* Return: the bit of an option that has no value, or 0 if it is another option. */
static unsigned int flag_of(int option)
{
	switch (option) {
	case 'r':
		return OPTION_RAW_IP;
	case 'g':
		return OPTION_RAW_GFP;
	case 'c':
		return OPTION_CGROUP;
	case 'j':
		return OPTION_JSON;
	case 'b':
		return OPTION_EXACT;
	case 'H':
		return OPTION_HISTOGRAM;
	case 'f':
		return OPTION_FOLLOW;
	case 'C':
		return OPTION_CALLER;
	case 'A':
		return OPTION_ALLOC;
	case 'S':
		return OPTION_SLAB;
	case 'P':
		return OPTION_PAGE;
	case 'L':
		return OPTION_LIVE;
	default:
		return 0;
	}
}

static int set_option(struct options *o, int option, char **argv)
{
	if (flag_of(option)) {
		o->given |= flag_of(option);
		stat_options_flag(&o->stat, flag_of(option));
		return 0;
	}
	switch (option) {
	case 's':
		return set_sort(o, optarg);
	case 'l':
		return set_lines(o, optarg);
	case 'y':
		return set_by(o, optarg);
	case 'o':
		return set_older(o, optarg);
	case 't':
		return set_at_least(o, optarg);
	case 'd':
		o->given |= OPTION_DELAY;
		return top_ui_parse_delay(optarg, &o->delay_ms);
	case 'n':
		return set_count(o, optarg);
	case 'h':
		o->help = true;
		return 0;
	case ':':
		return fail("%s needs a value: see kmemacct --help", argv[optind - 1]);
	default:
		return fail_unknown(argv);
	}
}

int options_parse(struct options *o, int argc, char **argv, bool mixed)
{
	int option;

	/* 0 reinitializes getopt, and a leading `+` makes it stop at the first operand. */
	optind = 0;
	while ((option = getopt_long(argc, argv, mixed ? SHORT : "+" SHORT,
				     long_options, NULL)) != -1)
		if (set_option(o, option, argv))
			return -1;
	return optind;
}

int options_check(const struct options *o, const char *command,
		  unsigned int takes)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (o->given & ~takes & names[i].option)
			return fail("%s does not take %s: see kmemacct --help", command,
				    names[i].name);
	return 0;
}
