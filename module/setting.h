/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The settings: KMA_SETTINGS has one row for each.
 *
 * A row defines the module parameter and its line in modinfo, the command of the same
 * name in `control`, and the line that `control` shows.  tools/test/abi compares the rows with
 * the ABI document.
 *
 *	X(name, mode, unit, range, default, parse, set, show, help)
 *
 * @mode is the mode of the parameter's file: 0400 for a setting that can only be set at load,
 * 0600 for a setting that can be changed at any time.  @range completes the sentence
 * "NAME takes ...", and modinfo shows it with @unit, @default and @help.  @parse converts the
 * text to a value, @set applies the value under kma_lock, and @show prints the current
 * value.  These three functions are in setting.c, and call functions of the file that stores
 * the value.
 *
 * At load, the rows of mode 0400 are applied before the tables are allocated, and the
 * rows of mode 0600 after the probes are attached.  Rows are applied from the last to the
 * first.  `enabled` is the first row, so recording starts when all other settings are in effect.
 */
#ifndef KMA_SETTING_H
#define KMA_SETTING_H

#include <linux/types.h>

#define KMA_SETTINGS(X)							\
	X(enabled, 0600, "flag", "0 or 1", "1",				\
	  kma_parse_flag, kma_set_enabled, kma_show_enabled,		\
	  "record allocations")						\
	X(live_max, 0400, "objects", "0 to 1073741824", "0",		\
	  kma_parse_live_max, kma_set_live_max, kma_show_live_max,	\
	  "live objects that the table has room for in any case; "	\
	  "0: as many as fit into 1/128 of the RAM, at least 65536")	\
	X(sites_max, 0400, "rows", "0, or 64 to 64000", "0",		\
	  kma_parse_sites_max, kma_set_sites_max, kma_show_sites_max,	\
	  "pairs of call site and cache that are counted separately, each in a row of its own; " \
	  "0: 8192, or as many as fit into 1/64 of the RAM, at least 512") \
	X(bulk, 0400, "mode", "auto or off", "auto",			\
	  kma_parse_bulk, kma_set_bulk, kma_show_bulk,			\
	  "follow the functions that allocate or free without a tracepoint") \
	X(sample_bytes, 0600, "bytes", "0 or a power of two from 4K to 64M", "0", \
	  kma_parse_sample_bytes, kma_set_sample_bytes, kma_show_sample_bytes, \
	  "sample objects, on average one per this many bytes; 0: record every object") \
	X(budget_pct, 0600, "percent of all CPUs", "0 to 100", "1",	\
	  kma_parse_budget_pct, kma_set_budget_pct, kma_show_budget_pct, \
	  "limit the module's CPU time, while objects are sampled, "	\
	  "by sampling fewer of them; 0: no limit")			\
	X(pages, 0600, "mode", "off, classes or sites", "off",		\
	  kma_parse_pages, kma_set_pages, kma_show_pages,		\
	  "track pages by order, migrate type and gfp flags (classes), "	\
	  "or by call site as well (sites); takes 16 bytes for each page of RAM") \
	X(page_sample_bytes, 0600, "bytes", "0 or a power of two from 4K to 64M", "0", \
	  kma_parse_sample_bytes, kma_set_page_sample_bytes, kma_show_page_sample_bytes, \
	  "find the call sites of sampled page allocations only, "	\
	  "on average one per this many bytes; 0: of every page allocation") \
	X(account, 0600, "list",					\
	  "off, or a comma-separated list of tasks, cgroups, comm_sites, comm_syscalls", \
	  "off", kma_parse_account, kma_set_account, kma_show_account,	\
	  "count events by process (tasks), by cgroup (cgroups), "	\
	  "by command and call site (comm_sites), "			\
	  "by command and system call (comm_syscalls)")			\
	X(threshold_us, 0600, "microseconds", "0 to 3600000000", "10000", \
	  kma_parse_threshold_us, kma_set_threshold_us, kma_show_threshold_us, \
	  "put phases of reclaim and compaction that take at least this long into table slow; " \
	  "0: none")							\
	X(latency, 0600, "mode", "off, on or functions", "on",		\
	  kma_parse_latency, kma_set_latency, kma_show_latency,		\
	  "time reclaim and compaction by their tracepoints (on), "	\
	  "or by following their functions as well (functions)")	\
	X(filter, 0600, "list",						\
	  "off, or CRITERION VALUE pairs with ; between them, as for the command filter", \
	  "off", kma_parse_text, kma_set_filter, kma_show_filter,	\
	  "record only allocations that match all criteria")		\
	X(skip, 0600, "list",						\
	  "add PATTERN or del PATTERN, or several with ; between them", "", \
	  kma_parse_text, kma_set_skip, kma_show_skip,			\
	  "change the list of functions that are not taken for call sites of page allocations")

/* The number of each row: KMA_SETTING_enabled, KMA_SETTING_live_max and so on. */
enum kma_setting_nr {
#define X(name, ...) KMA_SETTING_##name,
	KMA_SETTINGS(X)
#undef X
	KMA_SETTING_NR
};

/**
 * union kma_setting_value - a parsed value
 * @number: the value of a row whose @parse converts the text to a number
 * @text: the value of a row whose @parse is kma_parse_text(); @set may modify the text
 */
union kma_setting_value {
	u64 number;
	char *text;
};

/**
 * struct kma_setting - a row of KMA_SETTINGS
 * @name: name of the setting
 * @mode: 0400 or 0600
 * @unit: the unit of the value; "flag" if the value is 0 or 1
 * @range: the valid values, in words
 * @init: the default
 * @parse: converts a text, which it may modify, to a value; returns 0 or an error
 * @set: applies a value; called with kma_lock held; returns 0, or an error that
 *	kma_refuse() has explained
 * @show: prints the current value and a newline into a page; called with kma_lock held;
 *	returns the number of bytes printed
 */
struct kma_setting {
	const char *name;
	umode_t mode;
	const char *unit;
	const char *range;
	const char *init;
	int (*parse)(char *text, union kma_setting_value *value);
	int (*set)(const union kma_setting_value *value);
	int (*show)(char *page);
};

/* The rows, by their numbers. */
extern const struct kma_setting kma_settings[KMA_SETTING_NR];

/**
 * kma_settings_load() - apply the rows of mode 0400
 * @text: the value of each row; NULL for its default
 *
 * Context: process, may sleep; no table is allocated yet.
 * Return: 0, or an error that has been explained in the kernel log.
 */
int kma_settings_load(const char *const text[KMA_SETTING_NR]);

/**
 * kma_settings_start() - apply the rows of mode 0600, and start recording
 * @text: the value of each row; NULL for its default
 *
 * The caller has to call kma_settings_stop() even if this fails.
 *
 * Context: process, may sleep; probes are attached, nothing is recorded yet.
 * Return: 0, or an error that has been explained in the kernel log.
 */
int kma_settings_start(const char *const text[KMA_SETTING_NR]);

/**
 * kma_settings_stop() - stop recording, and undo the settings of mode 0600
 *
 * This ends recording, sampling, accounting and page tracking, and frees the filter and the
 * modified list of patterns (match/skip.h).
 *
 * Context: process, may sleep.
 */
void kma_settings_stop(void);

/**
 * kma_setting_check() - parse a value, but do not apply it
 * @nr: number of the row
 * @text: the value
 *
 * A value that passes this check may still be refused when it is applied.
 *
 * Context: process, may sleep.
 * Return: 0, or an error that has been explained in the kernel log.
 */
int kma_setting_check(enum kma_setting_nr nr, const char *text);

/**
 * kma_setting_write() - apply a value that was written to a module parameter
 * @nr: number of the row, of mode 0600
 * @text: the value
 *
 * Context: process, may sleep; takes kma_lock.
 * Return: 0, or an error that has been explained in the kernel log; then nothing has
 * changed.
 */
int kma_setting_write(enum kma_setting_nr nr, const char *text);

/**
 * kma_setting_run() - apply a value that was written to `control`
 * @nr: number of the row, of mode 0600
 * @text: the value; modified
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0, or an error that kma_refuse() has explained; then nothing has changed.
 */
int kma_setting_run(enum kma_setting_nr nr, char *text);

/**
 * kma_setting_read() - print the current value of a setting
 * @nr: number of the row
 * @page: a page of memory for the value and a newline
 *
 * Context: process, may sleep; takes kma_lock.
 * Return: the number of bytes printed.
 */
int kma_setting_read(enum kma_setting_nr nr, char *page);

#endif /* KMA_SETTING_H */
