/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The settings: one row each.
 *
 * A row serves the module's parameter, modinfo, the command of the same name in
 * `control`, the line that `control` shows, and the check of the ABI document.
 *
 *	X(name, mode, unit, range, default, parse, set, show, help)
 *
 * @mode is that of the parameter's file: 0400 can only be set at load, 0600 at any
 * time.  @range completes the sentence "NAME takes ...".  @parse turns a text into a
 * value, @set applies it under kma_lock, and @show prints the current one; they are in
 * setting.c and call the file that owns the value.
 *
 * At load, rows of mode 0400 are applied before tables are allocated, and the others
 * once probes are attached, from the last to the first: recording begins last.
 */
#ifndef KMA_SETTING_H
#define KMA_SETTING_H

#include <linux/types.h>

#define KMA_SETTINGS(X)							\
	X(enabled, 0600, "flag", "0 or 1", "1",				\
	  kma_parse_flag, kma_set_enabled, kma_show_enabled,		\
	  "record allocations")						\
	X(live_max, 0400, "objects", "0 to 16777216", "0",		\
	  kma_parse_live_max, kma_set_live_max, kma_show_live_max,	\
	  "live objects that always have room; 0: as many as fit into 1/128 of the RAM, at least 65536") \
	X(sites_max, 0400, "rows", "64 to 64512", "8192",		\
	  kma_parse_sites_max, kma_set_sites_max, kma_show_sites_max,	\
	  "pairs of call site and cache that are counted separately")	\
	X(bulk, 0400, "mode", "auto or off", "auto",			\
	  kma_parse_bulk, kma_set_bulk, kma_show_bulk,			\
	  "follow functions that allocate and free without a tracepoint") \
	X(sample_bytes, 0600, "bytes", "0 or a power of two from 4K to 64M", "0", \
	  kma_parse_sample_bytes, kma_set_sample_bytes, kma_show_sample_bytes, \
	  "record one object for so many bytes on average; 0: record all objects") \
	X(budget_pct, 0600, "percent of all CPUs", "0 to 100", "1",	\
	  kma_parse_budget_pct, kma_set_budget_pct, kma_show_budget_pct, \
	  "while objects are sampled, take at most so much time by sampling fewer; 0: no limit") \
	X(pages, 0600, "mode", "off, classes or sites", "off",		\
	  kma_parse_pages, kma_set_pages, kma_show_pages,		\
	  "track pages by order, migrate type and gfp flags (classes), or by call site as well (sites), for 16 bytes for each page of RAM") \
	X(page_sample_bytes, 0600, "bytes", "0 or a power of two from 4K to 64M", "0", \
	  kma_parse_sample_bytes, kma_set_page_sample_bytes, kma_show_page_sample_bytes, \
	  "find the call site of one page allocation for so many bytes on average; 0: of all") \
	X(account, 0600, "list",					\
	  "off, or some of tasks, cgroups, comm_sites, comm_syscalls with commas between them", \
	  "off", kma_parse_account, kma_set_account, kma_show_account,	\
	  "count events by process, by cgroup, by command and call site, by command and system call") \
	X(filter, 0600, "list",						\
	  "criteria and values as of the command filter, with ; between them, or off", \
	  "off", kma_parse_text, kma_set_filter, kma_show_filter,	\
	  "record only allocations that match all criteria")		\
	X(skip, 0600, "list",						\
	  "add PATTERN and del PATTERN, with ; between them", "",	\
	  kma_parse_text, kma_set_skip, kma_show_skip,			\
	  "changes to the list of functions that are not call sites of pages")

/* KMA_SETTING_NAME for each row. */
enum kma_setting_nr {
#define X(name, ...) KMA_SETTING_##name,
	KMA_SETTINGS(X)
#undef X
	KMA_SETTING_NR
};

/**
 * union kma_setting_value - a value that has been parsed
 * @number: if it is a number
 * @text: if it is a text, which @set may modify
 */
union kma_setting_value {
	u64 number;
	char *text;
};

/**
 * struct kma_setting - a row
 * @name: the name
 * @mode: 0400 or 0600
 * @range: what is allowed
 * @init: the default
 * @parse: turns a text, which it may modify, into a value; 0 or an error
 * @set: applies a value; kma_lock is held; 0, or an error that kma_refuse() has explained
 * @show: prints the current value and a newline into a page; kma_lock is held; returns
 *	bytes
 */
struct kma_setting {
	const char *name;
	umode_t mode;
	const char *range;
	const char *init;
	int (*parse)(char *text, union kma_setting_value *value);
	int (*set)(const union kma_setting_value *value);
	int (*show)(char *page);
};

extern const struct kma_setting kma_settings[KMA_SETTING_NR];

/**
 * kma_settings_load() - apply the rows of mode 0400
 * @text: the value of each row; NULL: its default
 *
 * Context: process, may sleep; no table is allocated yet.
 * Return: 0, or an error that has been explained in the kernel log.
 */
int kma_settings_load(const char *const text[KMA_SETTING_NR]);

/**
 * kma_settings_start() - apply the rows of mode 0600, and begin recording
 * @text: the value of each row; NULL: its default
 *
 * Context: process, may sleep; probes are attached, nothing is recorded yet.
 * Return: 0, or an error that has been explained in the kernel log; then
 * kma_settings_stop() is still to be called.
 */
int kma_settings_start(const char *const text[KMA_SETTING_NR]);

/**
 * kma_settings_stop() - stop recording, and switch everything off
 *
 * Context: process, may sleep.
 */
void kma_settings_stop(void);

/**
 * kma_setting_check() - whether a value is allowed, as far as its text tells
 * @nr: the row
 * @text: the value
 *
 * Context: process, may sleep.
 * Return: 0, or an error that has been explained in the kernel log.
 */
int kma_setting_check(enum kma_setting_nr nr, const char *text);

/**
 * kma_setting_write() - set a value
 * @nr: the row, of mode 0600
 * @text: the value
 *
 * Context: process, may sleep; takes kma_lock.
 * Return: 0, or an error that has been explained in the kernel log; then nothing has
 * changed.
 */
int kma_setting_write(enum kma_setting_nr nr, const char *text);

/**
 * kma_setting_run() - set a value: a command of `control`
 * @nr: the row, of mode 0600
 * @text: the value; modified
 *
 * Context: process, may sleep; kma_lock is held.
 * Return: 0, or an error explained by kma_refuse(); then nothing has changed.
 */
int kma_setting_run(enum kma_setting_nr nr, char *text);

/**
 * kma_setting_read() - print a value
 * @nr: the row
 * @page: a page of memory for the value and a newline
 *
 * Context: process, may sleep; takes kma_lock.
 * Return: bytes printed.
 */
int kma_setting_read(enum kma_setting_nr nr, char *page);

#endif /* KMA_SETTING_H */
