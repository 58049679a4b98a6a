/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The settings: KMA_SETTINGS (kmemacct_settings.h) has one row for each.
 *
 * A row defines the module parameter and its line in modinfo, the command of the same
 * name in `control`, and the line that `control` shows.
 *
 * For each row, setting.c has three functions.  kma_parse_NAME() converts the text to a value,
 * kma_set_NAME() applies the value under kma_lock, and kma_show_NAME() prints the current value.
 * They call functions of the file that stores the value.
 *
 * At load, the rows of mode 0400 are applied before the tables are allocated, and the
 * rows of mode 0600 after the probes are attached.  Rows are applied from the last to the
 * first.  `enabled` is the first row, so recording starts when all other settings are in effect.
 */
#ifndef KMA_SETTING_H
#define KMA_SETTING_H

#include <linux/types.h>

#include "../include/kmemacct_settings.h"

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
 * @text: the value of `filter` and of `skip`; @set may modify the text
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
