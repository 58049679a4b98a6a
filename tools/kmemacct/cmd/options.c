// SPDX-License-Identifier: GPL-2.0
/* The options. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"

#define DIGITS	"0123456789"
#define HEX	DIGITS "abcdefABCDEF"

/* ---- values --------------------------------------------------------------- */

static int set_sort(struct options *o, const char *keys)
{
	return stat_sort(&o->stat, keys);
}

static int set_lines(struct options *o, const char *text)
{
	stat_lines(&o->stat, o->lines);
	return 0;
}

static int set_module(struct options *o, const char *name)
{
	free(o->module);
	o->module = exist_module_name(name);
	o->match.module = o->module;
	return 0;
}

/* A number is decimal, as in the table pages, or hexadecimal after 0x, as in the kernel's log. */
static const char *parse_pfn(const char *text, u64 *pfn)
{
	const bool hex = text_begins(text, "0x");
	const size_t len = (hex ? 2 : 0) + strspn(text + (hex ? 2 : 0), hex ? HEX : DIGITS);
	char word[NUMBER_LEN];

	if (snprintf(word, sizeof(word), "%.*s", (int)len, text) >= (int)sizeof(word) ||
	    (hex ? number_parse_hex(word, pfn) : number_parse(word, pfn)))
		return NULL;
	return text + len;
}

static int set_pfn(struct options *o, const char *text)
{
	const char *end = parse_pfn(text, &o->pfn.first);

	o->pfn.last = o->pfn.first;
	if (end && *end == '-')
		end = parse_pfn(end + 1, &o->pfn.last);
	if (!end || *end || o->pfn.last < o->pfn.first)
		return fail("--pfn takes a page frame, or a range A-B of them, not '%s'", text);
	o->match.pfn = &o->pfn;
	return 0;
}

static int set_table(struct options *o, const char *name)
{
	o->table = growth_find(name);
	return o->table ? 0 : -1;
}

static int parse_fdr(const char *text, u64 *milli)
{
	return number_parse_percent(text, milli) || *milli >= 100000 ? -1 : 0;
}

static int set_debug_dir(struct options *o, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return fail("--debug-dir %s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return fail("--debug-dir %s: not a directory: give the one that it is in", path);
	return 0;
}

static int set_cgroup(struct options *o, const char *path)
{
	static const char takes[] = "--cgroup takes an absolute path such as /system.slice, not";

	return *path == '/' ? 0 : fail("%s '%.256s'", takes, path);
}

static int add_pattern(struct patterns *p, const char *pattern, const char *option)
{
	if (p->nr == PATTERNS_MAX)
		return fail("more than %d of %s: use patterns that match more names",
			    PATTERNS_MAX, option);
	p->pattern[p->nr++] = pattern;
	return 0;
}

static int set_include(struct options *o, const char *pattern)
{
	return add_pattern(&o->include, pattern, "--include");
}

static int set_exclude(struct options *o, const char *pattern)
{
	return add_pattern(&o->exclude, pattern, "--exclude");
}

/* ---- the options ---------------------------------------------------------- */

#define AT(member)	.at = offsetof(struct options, member)
#define NUMBER(member, _parse, _least, _takes) \
	AT(member), .parse = _parse, .least = _least, .takes = _takes

const struct option_info option_infos[] = {
	{ OPTION_SORT, 's', "sort", "KEY[,KEY...]", "sort rows by these columns", AT(sort),
	  .set = set_sort },
	{ OPTION_LINES, 'l', "line", "N", "print only the first N rows",
	  NUMBER(lines, number_parse, 1, "a number of rows, 1 or more"), .set = set_lines },
	{ OPTION_OUTPUT, 'o', "output", "COLUMNS", "print these columns; +COLUMN adds one",
	  AT(output) },
	{ OPTION_MIN, 0, "min", "BYTES", "only rows of at least this live size or change",
	  NUMBER(match.min_bytes, number_parse_size, 0, "a size such as 4096, 64K or 1M") },
	{ OPTION_MODULE, 0, "module", "NAME", "only call sites in this module, or in kernel",
	  .set = set_module },
	{ OPTION_SITE, 0, "site", "PATTERN", "only rows whose name matches, as in glob(7)",
	  AT(match.site) },
	{ OPTION_CACHE, 0, "cache", "NAME", "only objects of this slab cache", AT(cache) },
	{ OPTION_UNRECLAIMABLE, 0, "unreclaimable", NULL,
	  "leave out caches that the kernel can shrink (r)" },
	{ OPTION_PFN, 0, "pfn", "A[-B]", "only allocations of these page frames",
	  .set = set_pfn },
	{ OPTION_BY, 0, "by", "KEY", "by", AT(by) },
	{ OPTION_OLDER, 0, "older-than", "AGE", "minimum age, such as 30s or 2h (default 1m)",
	  NUMBER(older_ms, number_parse_duration, 0, "an age such as 30s, 1.5h, 2h30m or 1w") },
	{ OPTION_HISTOGRAM, 'H', "histogram", NULL, "print whole histograms" },
	{ OPTION_FOLLOW, 'f', "follow", NULL, "wait for new records; Ctrl-C ends it" },
	{ OPTION_AT_LEAST, 't', "at-least", "TIME", "only phases that took this time, such as 10ms",
	  NUMBER(at_least_us, number_parse_us, 0, "a time such as 500us, 10ms or 1.5s") },
	{ OPTION_CGROUP, 0, "cgroup", NULL, "count only what COMMAND allocates" },
	{ OPTION_OWNER, 0, "cgroup", "PATH", "only objects of this cgroup or those below",
	  AT(cgroup), .set = set_cgroup },
	{ OPTION_REMOVED, 0, "removed", NULL, "only removed cgroups, and what is charged now" },
	{ OPTION_CALLER, 0, "caller", NULL, "print tables by call site" },
	{ OPTION_ALLOC, 0, "alloc", NULL, "print tables of single objects and pages" },
	{ OPTION_SLAB, 0, "slab", NULL, "print objects, the default without --page" },
	{ OPTION_PAGE, 0, "page", NULL, "print pages" },
	{ OPTION_LIVE, 0, "live", NULL, "with --page: count only pages that are live" },
	{ OPTION_DELAY, 'd', "delay", "SECONDS", "time between two refreshes",
	  NUMBER(delay_ms, number_parse_delay, 0, NUMBER_DELAY) },
	{ OPTION_EVERY, 0, "every", "SECONDS", "compare the module with its previous state",
	  NUMBER(delay_ms, number_parse_delay, 0, NUMBER_DELAY) },
	{ OPTION_COUNT, 'n', "count", "COUNT", "stop after this many refreshes or comparisons",
	  NUMBER(count, number_parse, 1, "a number of times, 1 or more") },
	{ OPTION_INPUT, 'i', "input", "FILE", "read a snapshot or incident", AT(input) },
	{ OPTION_TABLES, 0, "tables", "TABLE[,TABLE...]", "save only these tables", AT(tables) },
	{ OPTION_TABLE, 0, "table", "TABLE", "compare this table in place of callers",
	  .set = set_table },
	{ OPTION_FDR, 0, "fdr", "PERCENT", "percentage of false discoveries (default 5)",
	  NUMBER(fdr_milli, parse_fdr, 1, "a percentage between 0 and 100") },
	{ OPTION_SERIES, 0, "series", "N", "list at most N call sites (default 200)",
	  NUMBER(series, number_parse, 0, "a number of call sites") },
	{ OPTION_INCLUDE, 0, "include", "PATTERN", "list only call sites that match one of these",
	  .set = set_include },
	{ OPTION_EXCLUDE, 0, "exclude", "PATTERN", "list no call sites that match",
	  .set = set_exclude },
	{ OPTION_SOURCES, 0, "lines", NULL, "print the source lines of call sites" },
	{ OPTION_DEBUG_DIR, 0, "debug-dir", "DIR", "search DIR for debug information first",
	  AT(debug_dir), .set = set_debug_dir },
	{ OPTION_RAW, 'r', "raw", NULL, "print words with one blank between them" },
	{ OPTION_NO_HEADER, 0, "no-header", NULL, "omit the titles of the columns" },
	{ OPTION_EXACT, 'b', "bytes", NULL, "print exact sizes and times" },
	{ OPTION_JSON, 'j', "json", NULL, "print JSON" },
	{ OPTION_RAW_IP, 0, "raw-ip", NULL, "print addresses instead of call sites" },
	{ OPTION_RAW_GFP, 0, "raw-gfp", NULL, "print gfp flags as numbers" },
	{ OPTION_VERBOSE, 'v', "verbose", NULL, "print all details" },
	{ OPTION_HELP, 'h', "help", NULL, "print this help" },
	{ OPTION_VERSION, 'V', "version", NULL, "print the version" },
	{ OPTION_SCHEMA, 0, "schema", NULL, "print the JSON schema of the output of -j" },
	{ OPTION_COMPLETION, 0, "completion", NULL, NULL },
	{ OPTION_MAN, 0, "man", NULL, NULL },
	{}
};

static const struct option_info *find_letter(char letter)
{
	const struct option_info *i;

	for (i = option_infos; i->name; i++)
		if (i->letter && i->letter == letter)
			return i;
	return NULL;
}

/*
 * Find an option by the beginning of its name, as getopt_long() does.  Two options may have the
 * same name: find the one that the command takes, or the first one if there is no command yet.
 */
static const struct option_info *find_long(const struct command *c, const char *name,
					   size_t len)
{
	const struct option_info *i, *found = NULL;
	bool several = false;

	for (i = option_infos; i->name; i++) {
		if (strncmp(i->name, name, len))
			continue;
		if (found && !strcmp(found->name, i->name)) {
			found = c && c->takes & i->bit ? i : found;
			continue;
		}
		if (strlen(i->name) == len) {
			found = i;
			several = false;
		} else if (!found || strlen(found->name) != len) {
			several = found;
			found = i;
		}
	}
	return several ? NULL : found;
}

const struct option_info *options_find(const struct command *c, const char *word)
{
	if (word[0] != '-' || !word[1])
		return NULL;
	return word[1] == '-' ? find_long(c, word + 2, strcspn(word + 2, "=")) :
				find_letter(word[1]);
}

static void option_text(char text[32], const struct option_info *i)
{
	if (i->letter)
		snprintf(text, 32, "-%c", i->letter);
	else
		snprintf(text, 32, "--%.28s", i->name);
}

/* Store the value of an option. */
static int store(struct options *o, const struct option_info *i, const char *text)
{
	void *to = (char *)o + i->at;
	char name[32];

	option_text(name, i);
	if (i->parse && (i->parse(text, to) || *(u64 *)to < i->least))
		return fail("%s takes %s, not '%s'", name, i->takes, text);
	if (!i->parse && i->at)
		*(const char **)to = text;
	return i->set ? i->set(o, text) : 0;
}

/* ---- parsing -------------------------------------------------------------- */

static int fail_unknown(const char *name, size_t len)
{
	const struct option_info *i;
	struct suggestion s;

	suggest_begin(&s, name, len);
	for (i = option_infos; i->name; i++)
		if (i->what)
			suggest_try(&s, i->name);
	if (s.best)
		return fail("unknown option --%.*s: did you mean '--%s'?", (int)len, name, s.best);
	return fail("unknown option --%.*s: see kmemacct COMMAND --help", (int)len, name);
}

static int take_option(struct options *o, const struct option_info *i, const char *value)
{
	o->given |= i->bit;
	if (i->bit == OPTION_JSON)
		error_as_json();
	stat_flag(&o->stat, i->bit);
	return store(o, i, value);
}

/* Take `--name`, `--name=value` or `--name value`. */
static int take_long(struct options *o, char ***word)
{
	char *name = **word + 2, *value;
	const size_t len = strcspn(name, "=");
	const struct option_info *i = find_long(o->command, name, len);

	if (!i)
		return fail_unknown(name, len);
	if (name[len] && !i->value)
		return fail("--%s takes no value: omit %s", i->name, name + len);
	value = name[len] ? name + len + 1 : i->value ? (*word)[1] : NULL;
	if (i->value && !value)
		return fail("--%s needs a value: --%s %s", i->name, i->name, i->value);
	*word += 1 + (i->value && !name[len]);
	return take_option(o, i, value);
}

/* Take letters, the last of which may have a value, in this word or the next one. */
static int take_short(struct options *o, char ***word)
{
	const struct option_info *i;
	char *letter, *value;

	for (letter = **word + 1; *letter; letter++) {
		i = find_letter(*letter);
		if (!i)
			return fail("unknown option -%c: see kmemacct COMMAND --help", *letter);
		if (i->value)
			break;
		if (take_option(o, i, NULL))
			return -1;
	}
	if (!*letter) {
		++*word;
		return 0;
	}
	value = letter[1] ? letter + 1 : (*word)[1];
	if (!value)
		return fail("-%c needs a value: -%c %s", i->letter, i->letter, i->value);
	*word += 1 + !letter[1];
	return take_option(o, i, value);
}

/* Take the words `help` and `version` as the options --help and --version. */
static bool take_as_option(struct options *o, const char *word)
{
	const u64 bit = !strcmp(word, "help") ? OPTION_HELP :
			!strcmp(word, "version") ? OPTION_VERSION : 0;

	o->given |= bit;
	return bit;
}

/* Take the command, or an argument of it. */
static int take_arg(struct options *o, char ***word, bool dashes)
{
	if (!o->command) {
		if (take_as_option(o, **word)) {
			++*word;
			return 0;
		}
		o->command = commands_find(*(*word)++);
		return o->command ? 0 : -1;
	}
	if (!o->nr_args)
		o->dashes = dashes;
	/* From here on, options belong to the program that the command starts. */
	do {
		o->args[o->nr_args++] = *(*word)++;
	} while (o->command->starts && **word);
	return 0;
}

/* Test for `--json` or its beginning, for `-j`, or for letters without values and a `j`. */
static bool is_json(const char *word)
{
	const struct option_info *i = options_find(NULL, word);

	if (!i || word[1] == '-')
		return i && i->bit == OPTION_JSON;
	for (word++; (i = find_letter(*word)) && !i->value; word++)
		if (i->bit == OPTION_JSON)
			return true;
	return false;
}

int options_parse(struct options *o, int argc, char **argv)
{
	char **word = argv + 1;
	bool dashes = false;
	int ret = 0;

	o->args = alloc(argc + 1, sizeof(*o->args));
	while (!ret && *word) {
		if (dashes || **word != '-' || !(*word)[1])
			ret = take_arg(o, &word, dashes);
		else if ((*word)[1] != '-')
			ret = take_short(o, &word);
		else if ((*word)[2])
			ret = take_long(o, &word);
		else
			dashes = *word++;
	}
	/*
	 * An error may come before the option -j.  Look for -j in the words that follow, so that
	 * the error is printed as JSON.
	 */
	for (; ret && *word && strcmp(*word, "--"); word++)
		if (is_json(*word))
			error_as_json();
	return ret;
}

/* ---- checks --------------------------------------------------------------- */

static int check_json(const struct options *o)
{
	static const u64 text = OPTION_RAW | OPTION_NO_HEADER | OPTION_OUTPUT;
	const struct option_info *i;
	char name[32];

	if (!(o->given & OPTION_JSON))
		return 0;
	for (i = option_infos; i->name; i++) {
		if (!(o->given & text & i->bit))
			continue;
		option_text(name, i);
		return fail("%s is for text, and -j has all columns: omit one", name);
	}
	return 0;
}

static int check_lines(const struct options *o)
{
	const u64 both = OPTION_SOURCES | OPTION_RAW_IP;

	if ((o->given & both) == both)
		return fail("--lines needs call sites, and --raw-ip has addresses: omit one");
	if ((o->given & OPTIONS_SOURCES) == OPTION_DEBUG_DIR)
		return fail("--debug-dir is for --lines: add it");
	return 0;
}

const char *options_by(char text[WORDS_LEN], const char * const words[], const char *last)
{
	size_t used = 0;
	int i;

	*text = '\0';
	for (i = 0; words[i] && used < WORDS_LEN; i++)
		used += snprintf(text + used, WORDS_LEN - used, "%s%s",
				 !i ? "" : words[i + 1] ? ", " : last, words[i]);
	return text;
}

static int check_by(const struct options *o, const struct command *c)
{
	char use[WORDS_LEN + 8] = "use ";
	struct suggestion s;
	int i;

	if (!o->by)
		return 0;
	suggest_begin(&s, o->by, strlen(o->by));
	for (i = 0; c->by[i]; i++) {
		if (!strcmp(o->by, c->by[i]))
			return 0;
		suggest_try(&s, c->by[i]);
	}
	options_by(use + strlen(use), c->by, " or ");
	return suggest_fail(&s, use, "%s --by has no '%.64s'", c->name, o->by);
}

int options_check(const struct options *o, const struct command *c)
{
	const struct option_info *i;
	char name[32];

	for (i = option_infos; i->name; i++) {
		if (!(o->given & ~(c->takes | OPTIONS_ANY) & i->bit))
			continue;
		option_text(name, i);
		return fail("%s does not take %s: see kmemacct %s --help", c->name, name,
			    c->name);
	}
	return check_by(o, c) || check_lines(o) ? -1 : check_json(o);
}
