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
 *
 * Context, unless a function says otherwise: process, may sleep.
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
 * @text: the value of `threshold_us`, `trigger`, `filter` and `skip`; @set may modify the text
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

/*
 * Apply the rows of mode 0400.  @text has the value of each row; NULL for its default.  No table
 * is allocated yet.  Returns 0, or an error that has been explained in the kernel log.
 */
int kma_settings_load(const char *const text[KMA_SETTING_NR]);

/*
 * Apply the rows of mode 0600, and start recording.  @text and the result are as for
 * kma_settings_load().  Probes are attached, and nothing is recorded yet.  The caller has to call
 * kma_settings_stop() even if this fails.
 */
int kma_settings_start(const char *const text[KMA_SETTING_NR]);

/*
 * Undo the settings of mode 0600: end recording, sampling, accounting and page tracking, and free
 * the filter and the modified list of patterns (match/skip.h).
 */
void kma_settings_stop(void);

/*
 * Parse a value, but do not apply it.  A value that passes this check may still be refused when it
 * is applied.  Returns 0, or an error that has been explained in the kernel log.
 */
int kma_setting_check(enum kma_setting_nr nr, const char *text);

/*
 * Apply a value of a row of mode 0600 that was written to a module parameter.  Returns 0, or an
 * error that has been explained in the kernel log; then nothing has changed.  Takes kma_lock.
 */
int kma_setting_write(enum kma_setting_nr nr, const char *text);

/*
 * Apply a value of a row of mode 0600 that was written to `control`; modifies @text.  Returns 0,
 * or an error that kma_refuse() has explained; then nothing has changed.  kma_lock is held.
 */
int kma_setting_run(enum kma_setting_nr nr, char *text);

/* Print a value and a newline into a page.  Returns the number of bytes.  Takes kma_lock. */
int kma_setting_read(enum kma_setting_nr nr, char *page);

#endif /* KMA_SETTING_H */
