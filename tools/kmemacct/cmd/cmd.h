/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line: options, commands, and what each of them does.
 *
 *   options.c --> struct options --commands.c--> a command --show.c--> a renderer
 */
#ifndef CMD_H
#define CMD_H

#include "../out/out.h"
#include "../out/perf.h"

struct command;

/* ---- options (options.c) -------------------------------------------------- */

/* Bits of the options, to say which are given and which a command takes. */
#define OPTION_SORT		BIT_ULL(0)
#define OPTION_LINES		BIT_ULL(1)
#define OPTION_RAW_IP		BIT_ULL(2)
#define OPTION_JSON		BIT_ULL(3)
#define OPTION_EXACT		BIT_ULL(4)
#define OPTION_BY		BIT_ULL(5)
#define OPTION_OLDER		BIT_ULL(6)
#define OPTION_RAW_GFP		BIT_ULL(7)
#define OPTION_CGROUP		BIT_ULL(8)
#define OPTION_HISTOGRAM	BIT_ULL(9)
#define OPTION_FOLLOW		BIT_ULL(10)
#define OPTION_AT_LEAST		BIT_ULL(11)
#define OPTION_CALLER		BIT_ULL(12)
#define OPTION_ALLOC		BIT_ULL(13)
#define OPTION_SLAB		BIT_ULL(14)
#define OPTION_PAGE		BIT_ULL(15)
#define OPTION_LIVE		BIT_ULL(16)
#define OPTION_DELAY		BIT_ULL(17)
#define OPTION_COUNT		BIT_ULL(18)
#define OPTION_RAW		BIT_ULL(19)
#define OPTION_NO_HEADER	BIT_ULL(20)
#define OPTION_OUTPUT		BIT_ULL(21)
#define OPTION_MIN		BIT_ULL(22)
#define OPTION_MODULE		BIT_ULL(23)
#define OPTION_SITE		BIT_ULL(24)
#define OPTION_VERBOSE		BIT_ULL(25)
#define OPTION_INPUT		BIT_ULL(26)
#define OPTION_TABLES		BIT_ULL(27)
#define OPTION_TABLE		BIT_ULL(28)
#define OPTION_FDR		BIT_ULL(29)
#define OPTION_SOURCES		BIT_ULL(30)
#define OPTION_DEBUG_DIR	BIT_ULL(31)
#define OPTION_SERIES		BIT_ULL(32)
#define OPTION_INCLUDE		BIT_ULL(33)
#define OPTION_EXCLUDE		BIT_ULL(34)
#define OPTION_EVERY		BIT_ULL(35)
#define OPTION_CACHE		BIT_ULL(36)
#define OPTION_PFN		BIT_ULL(37)
#define OPTION_OWNER		BIT_ULL(38)
#define OPTION_REMOVED		BIT_ULL(39)
#define OPTION_UNRECLAIMABLE	BIT_ULL(40)
#define OPTION_MAN		BIT_ULL(59)
#define OPTION_SCHEMA		BIT_ULL(60)
#define OPTION_HELP		BIT_ULL(61)
#define OPTION_VERSION		BIT_ULL(62)
#define OPTION_COMPLETION	BIT_ULL(63)

/* The options that need no command. */
#define OPTIONS_ANY	(OPTION_HELP | OPTION_VERSION | OPTION_COMPLETION | OPTION_SCHEMA | \
			 OPTION_MAN)
/*
 * OPTIONS_LIST: how a list is printed, and where it comes from.  OPTIONS_FORM: the same for a table
 * of numbers.
 */
#define OPTIONS_LIST	(OPTION_JSON | OPTION_RAW | OPTION_NO_HEADER | OPTION_INPUT)
#define OPTIONS_FORM	(OPTIONS_LIST | OPTION_EXACT | OPTION_VERBOSE)
/* The options for rows and columns, and for their order. */
#define OPTIONS_ROWS	(OPTIONS_FORM | OPTION_SORT | OPTION_LINES | OPTION_OUTPUT | OPTION_SITE)
/* The options for source lines; and all options of tables with call sites. */
#define OPTIONS_SOURCES	(OPTION_SOURCES | OPTION_DEBUG_DIR)
#define OPTIONS_SITES	(OPTIONS_ROWS | OPTION_MODULE | OPTIONS_SOURCES)
/* The options without a value that only stat has. */
#define OPTIONS_STAT	(OPTION_CALLER | OPTION_ALLOC | OPTION_SLAB | OPTION_PAGE | OPTION_LIVE)

#define PATTERNS_MAX	64

/* Patterns that are given by --site, --include or --exclude. */
struct patterns {
	const char *pattern[PATTERNS_MAX];
	int nr;
};

/**
 * struct options - the parsed command line
 * @given: bits of the options that were given
 * @sort: sort keys, or NULL
 * @by: the key to add up by, or NULL
 * @output: columns to print, or NULL
 * @match: which rows to print
 * @module: the module of @match, with underscores for dashes
 * @pfn: the page frames of @match
 * @cache: only objects of this cache, or NULL
 * @cgroup: only objects whose owner is in this cgroup or below it, or NULL
 * @lines: number of rows to print
 * @older_ms: minimum age in milliseconds
 * @at_least_us: minimum duration in microseconds
 * @stat: the options as stat reads them; their order matters
 * @delay_ms: time between two refreshes or looks, in milliseconds
 * @count: their number
 * @input: the snapshot to read tables from, or NULL
 * @source: the source that tables are read from
 * @tables: names of the tables that a snapshot has, or NULL for all
 * @table: name of the table to compare, or NULL
 * @debug_dir: the directory to search for debug information first, or NULL
 * @series: at most as many call sites are exported: those with the most live bytes
 * @include: patterns: only call sites that match one of these are exported; if there are none, all
 * @exclude: patterns: no call site that matches one of these is exported
 * @fdr_milli: rate of false discoveries, in thousandths of a percent
 * @command: the command, or NULL if none is given
 * @args: its arguments, then NULL
 * @nr_args: number of @args
 * @dashes: `--` stands before @args
 */
struct options {
	u64 given;
	const char *sort;
	const char *by;
	const char *output;
	struct match match;
	char *module;
	struct pfns pfn;
	const char *cache;
	const char *cgroup;
	u64 lines;
	u64 older_ms;
	u64 at_least_us;
	struct perf_options stat;
	u64 delay_ms;
	u64 count;
	const char *input;
	const struct source *source;
	const char *tables;
	const char *table;
	const char *debug_dir;
	u64 series;
	struct patterns include;
	struct patterns exclude;
	u64 fdr_milli;
	const struct command *command;
	char **args;
	int nr_args;
	bool dashes;
};

/**
 * struct option_info - an option
 * @bit: its bit
 * @letter: its short name, or 0
 * @name: its long name
 * @value: the name of its value, as the help prints it; NULL: it has none
 * @what: its description in the help; NULL: the help does not mention it
 * @at: offset of its value in struct options: of a text, or with @parse, of a number
 * @parse: parses the number
 * @least: the least number
 * @takes: completes "--NAME takes ... "
 * @set: a function that does the rest with the value; returns 0, or -1 after calling fail()
 */
struct option_info {
	u64 bit;
	char letter;
	const char *name;
	const char *value;
	const char *what;
	size_t at;
	int (*parse)(const char *text, u64 *value);
	u64 least;
	const char *takes;
	int (*set)(struct options *o, const char *text);
};

/* All options; one without a name ends them. */
extern const struct option_info option_infos[];

/* Find an option as it is typed: `-l`, `--line` or the beginning of a long name; or NULL. */
const struct option_info *options_find(const struct command *c, const char *word);

/* List the values of --by, with @last before the last one; NULL ends them.  Return: @text. */
#define WORDS_LEN	64
const char *options_by(char text[WORDS_LEN], const char * const words[], const char *last);

/*
 * Parse a command line.  Options may stand before the command and behind it.  Behind the first
 * operand of a command that starts another program, everything belongs to that program.
 * The caller frees @o->args, also after an error.
 * Return: 0, or -1 after calling fail(), with @command set if it was found.
 */
int options_parse(struct options *o, int argc, char **argv);

/*
 * Reject options that the command does not take, and those that exclude each other.
 * Return: 0, or -1 after calling fail().
 */
int options_check(const struct options *o, const struct command *c);

/* ---- commands (commands.c) ------------------------------------------------ */

enum command_group {
	GROUP_LOOK,
	GROUP_FIND,
	GROUP_ACT,
	GROUP_EXPORT,
	GROUP_NR
};

/**
 * struct command - a command of this program
 * @name: its name, the first word of the command line that is no option
 * @group: where it is in the help
 * @args: its argument, as the help prints it, in brackets if it is optional; NULL if the
 *	command takes none
 * @what: its description in the help, in one line
 * @example: a command line, without the name of the program
 * @takes: the options that it takes
 * @run: run it; returns the exit status, or -1 after calling fail()
 * @table: name of the module's table that it prints; NULL: none
 * @derive: change the view that is printed; NULL: it is printed as it is
 * @keys: sort keys without -s; NULL: the rows keep the order that they have
 * @by: values of its option --by; NULL ends them
 * @words: for completion, the words that its argument may be, without a limit; NULL: unknown
 * @complete: in place of @words: print what the argument after @nr others may be, of which @word is
 *	typed so far
 * @status: the meaning of its exit status, as the help prints it; NULL: 0, or 1 if it fails
 * @failure: exit status if it fails; 0: that is 1
 * @files: its arguments are names of files
 * @starts: all that follows its first operand belongs to it, as to another program: also options
 */
struct command {
	const char *name;
	enum command_group group;
	const char *args;
	const char *what;
	const char *example;
	u64 takes;
	int (*run)(const struct command *c, const struct options *o);
	const char *table;
	void (*derive)(struct view *v, const struct options *o);
	const char *keys;
	const char * const *by;
	const char *(*words)(int nr);
	void (*complete)(char **args, int nr, const char *word);
	const char *status;
	int failure;
	bool files;
	bool starts;
};

/* All commands; one without a name ends them.  The first one is run if none is named. */
extern const struct command commands[];

/* Find a command; dashes may stand for underscores.  Return: NULL after calling fail(). */
const struct command *commands_find(const char *name);

/*
 * Make the table that a command prints, without rows.  Of @o, only --by, --table and -j matter.
 * Return: false if it prints none with columns.
 */
bool commands_view(struct view *v, const struct command *c, const struct options *o);

/* ---- tables on standard output (show.c) ----------------------------------- */

/*
 * Read a table.
 * Return: 0; -1 after calling fail(), if it cannot be read, or if it is empty because the setting
 * that enables it is off.
 */
int show_read(struct view *v, const struct options *o, const char *name);

/* Check whether a table is enabled, if it is empty.  Return: 0, or -1 after calling fail(). */
int show_check_enabled(const struct table *t);

/*
 * Print a table and free it.
 * @keys: sort keys if -s is not given; NULL: keep the order of the rows
 * Return: 0, or -1 after calling fail().
 */
int show(struct view *v, const struct options *o, const char *keys);

/* Print a table of a sequence as text, and free it.  Return: 0, or -1 after calling fail(). */
int show_next(FILE *out, struct view *v, const struct options *o, struct sequence *sequence);

/* Like show(), but on a terminal print only as many rows as fit the screen. */
int show_screenful(struct view *v, const struct options *o);

/* Print a table row by row, as it is read; with -s, only those that -l leaves are kept. */
int show_stream(const struct options *o, const char *name);

/*
 * Check whether names that select no row of a table exist: a module, call site, cache or cgroup.
 * A snapshot knows only the modules that it has rows of.
 * Return: 0, or -1 after calling fail().
 */
int show_check_names(const struct table *t, const struct match *match);

/*
 * Check whether a cache exists of which a table has no rows; NULL: any cache.
 * Return: 0, or -1 after calling fail().
 */
int show_check_cache(const struct table *t, const char *cache);

/*
 * Sort and select rows as the options say, and compute the total.  Return: 0, or -1 after fail().
 */
int show_prepare(struct view *v, const struct options *o, const char *keys);

/*
 * Check sort keys and columns against a table, before a command that may run for an hour.  Frees
 * the table.
 */
int show_check(struct view *v, const struct options *o);

/* Return: what a table looks like by the options. */
struct style show_style(const struct options *o);

/* Flush the output, which is buffered: a write error may appear only now.  Return: 0 or -1. */
int show_finish(void);

/* ---- what commands make of tables ----------------------------------------- */

/* Add percentiles, and text that shows the histogram (latency.c). */
void latency_percentiles(struct view *v, bool bars);

/* Print the whole histogram of each phase. */
void latency_histograms(FILE *out, const struct view *v, const struct style *style);

/*
 * The table waits: latency_split() takes the origin out of the labels, which become call sites.
 * latency_waits() adds up the rows that have the same columns in @by, a list with commas of site,
 * order and origin, and adds percentiles and a row of sums.
 */
void latency_split(struct view *v);
void latency_waits(struct view *v, const char *by, bool bars);

/*
 * Make the table that the command latency or waits prints.  Options choose the rows of waits before
 * these are added up; --min, which needs sizes, is not among them.
 */
void latency_make(struct view *v, const struct options *o);

/* Add each row's share of the total time, and a row of sums. */
void latency_shares(struct view *v);

/*
 * Make a matrix of a column of `orders`, called @name, with a row for each order and a column for
 * each migrate type (pages.c).  Return: NULL after calling fail().
 */
struct table *pages_matrix(const struct table *orders, const char *column, const char *name);

/* Move the lines of perf kmem's page summary from @pairs to a table of their own. */
struct table *pages_summary(struct table *pairs);

/* Add to `pcpu` a column `mark`, which shows imbalance between CPUs, and a row of sums. */
void pages_imbalance(struct view *v);

/* Add advice to `extfrag`, if any allocation has fragmented memory. */
void pages_advise(struct view *v);

/* ---- leaks (leaks.c) ------------------------------------------------------ */

enum leaks_by {
	LEAKS_BY_SITE,
	LEAKS_BY_MODULE,
	LEAKS_BY_NODE,
	LEAKS_BY_PID,
	LEAKS_BY_COMM,
	LEAKS_BY_CGROUP,
	LEAKS_BY_CHARGED,
	LEAKS_BY_NR
};

/* The names of these values, for the option --by; NULL ends them. */
extern const char * const leaks_names[LEAKS_BY_NR + 1];

/**
 * leaks_make() - add up old objects
 * @v: the live objects; set to a table with a row for each group that has old objects
 * @older_ms: the age from which an object is old, in milliseconds
 * @by: the key to group them by
 * @owners: the owners of the objects, which have to exist as long as the new table; NULL if @by
 *	needs no owners
 */
void leaks_make(struct view *v, u64 older_ms, enum leaks_by by, const struct owners *owners);

/* Return: what the option --by asks for. */
enum leaks_by leaks_by(const struct options *o);

int leaks_run(const struct command *c, const struct options *o);

/* Print the call sites of the live objects of a cgroup: `callers --cgroup`. */
int leaks_callers(const struct command *c, const struct options *o);

/* ---- history (history.c) -------------------------------------------------- */

/* The values of the option --by: the time from one mark to the next; NULL ends them. */
extern const char * const history_by[];

/*
 * Make a row for each call site of the table history, with its change and a line of blocks.  With
 * -j or -r, only keep the rows of --cache.
 */
void history_make(struct view *v, const struct options *o);

/* Keep the marks of one series, unless -j is given without --by. */
void history_marks(struct view *v, const struct options *o);

int history_run(const struct command *c, const struct options *o);

/* ---- stalls (stalls.c) ---------------------------------------------------- */

/*
 * Add lines below the table stalls: what the module cannot time on this kernel, with the kernel's
 * own counters, and the time that /proc/pressure/memory has.
 */
void stalls_remark(struct view *v);

/* ---- charges (charges.c) -------------------------------------------------- */

int charges_run(const struct command *c, const struct options *o);

/* ---- other programs (run.c) ----------------------------------------------- */

/* Return: exit status if a command could not be executed, as that of env(1); 0: none has failed. */
int run_failure(void);

/* The table of `run --cgroup`, and of `run` without it. */
#define RUN_CGROUP	"cgroup_sites"
#define RUN_MACHINE	"callers"

/* Leave out the rows of other cgroups, and the column that tells them apart. */
void run_keep_own(struct view *v, u64 cgroup_id);

/* Run a command, and print what its cgroup, or the whole machine, has allocated meanwhile. */
int run_run(const struct command *c, const struct options *o);

/*
 * Run a command, and do nothing else.
 * @elapsed_ms: set to the time that it took; @status: to the exit status that a shell would report
 * Return: 0, or -1 after calling fail().
 */
int run_alone(char **command, u64 *elapsed_ms, int *status);

/**
 * struct cgroup - a cgroup for one command, whose allocations the module counts (cgroup.c)
 * @dir: its directory
 * @path: its path below the mount point, as the module takes it
 * @id: its ID
 */
struct cgroup {
	char dir[FILE_PATH];
	char path[KMA_CONTROL_MAX];
	u64 id;
};

/* Create a cgroup, and make the module count it.  Return: 0, or -1 after calling fail(). */
int cgroup_begin(struct cgroup *g);

/* Move this process to the cgroup.  Return: 0, or an error number. */
int cgroup_enter(const struct cgroup *g);

/*
 * Stop counting the cgroup, and remove it; @busy: processes are still in it.
 * Return: 0, or -1 after calling fail().
 */
int cgroup_end(const struct cgroup *g, bool *busy);

/* The output of perf kmem stat (stat.c), and the meaning of its options, whose order matters. */
int stat_run(const struct command *c, const struct options *o);
void stat_flag(struct perf_options *o, u64 option);
void stat_lines(struct perf_options *o, u64 lines);
int stat_sort(struct perf_options *o, const char *keys);

/* ---- changes (diff.c) ----------------------------------------------------- */

/*
 * Compare two snapshots, or a snapshot with the module, or, with --every, the module with itself.
 * Return: 1 if something has grown, without --every; else 0, or -1 after calling fail().
 */
int diff_run(const struct command *c, const struct options *o);

/*
 * Read a table that can be compared, or the table `modules`.  A table of a snapshot has no rows if
 * the module did not keep them when the snapshot was taken.
 * Return: NULL after calling fail().
 */
struct table *diff_read(const struct source *s, const char *table);

/* Make a view of the difference of two readings, which it takes ownership of. */
void diff_subtract(struct view *v, const struct options *o, struct table *before,
		   struct table *after);

/* ---- the log of slow phases (slow.c) -------------------------------------- */

int slow_run(const struct command *c, const struct options *o);

/*
 * Print what shrinkers did between two readings of the table shrinkers, the one that took
 * longest first.  This changes @after.
 */
void slow_shrinkers(FILE *out, const struct table *before, struct table *after, bool exact);

/* ---- incidents (incidents.c) ---------------------------------------------- */

/* Make a table with readable columns of the table incidents, unless -j or -r is given. */
void incidents_make(struct view *v, const struct options *o);

int incidents_run(const struct command *c, const struct options *o);

/* ---- settings (set.c) ----------------------------------------------------- */

int set_run(const struct command *c, const struct options *o);

/* Print what the argument after @nr others may be. */
void set_complete(char **args, int nr, const char *word);

/* ---- the state of the module (status.c) ----------------------------------- */

/*
 * Find a kind of loss, in the order of status; @value is set to its number, which may be 0.
 * Return: its key, or NULL if there are only @i kinds.
 */
const char *status_loss(const struct table *stats, size_t i, u64 *value);

int status_run(const struct command *c, const struct options *o);

/* ---- export (export.c) ---------------------------------------------------- */

/* Return: the name of format number @nr; NULL: no more. */
const char *export_format(int nr);

int export_run(const struct command *c, const struct options *o);

/* ---- help, man page, completion, schema ----------------------------------- */

/* Print the help of the program, or of a command. */
void help_print(const struct command *c);

/* Return: the title of a group of commands. */
const char *help_group(enum command_group group);

/* Print the sections COMMANDS and OPTIONS of the man page (man.c). */
void man_print(void);

/* Print the completion for bash; print the candidates for the last of the words typed so far. */
void completion_print(void);
void completion_find(char **words);

/*
 * Print the JSON schema of what a command prints with -j; @c is NULL: of what any command prints.
 * Return: 0, or -1 after calling fail().
 */
int json_schema_print(const struct command *c);

#endif /* CMD_H */
