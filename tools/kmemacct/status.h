/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `kmemacct status`: the state of the module on one screen.
 *
 *	stats, control --status.c--> struct status --status.c--> text
 *	                                           --status_json.c--> JSON
 *
 * The text has at most STATUS_LINES lines, so that it fits a terminal of 24 lines.  What is lost
 * comes last, and the worst first; if the lines do not suffice, the last one says how many kinds of
 * loss are left out.
 */
#ifndef STATUS_H
#define STATUS_H

#include <stdio.h>

#include "control.h"
#include "table.h"

#define STATUS_LINES	24

/**
 * struct fill - how full a table of the module is
 * @name: what it holds
 * @key: its name in JSON
 * @used: how much it holds
 * @room: how much it has room for
 */
struct fill {
	const char *name;
	const char *key;
	u64 used;
	u64 room;
};

/**
 * struct loss - something that was lost
 * @nr: how often; 0 for a loss that is not counted
 * @key: its name in JSON
 * @what: what was lost, and why; follows the number, if there is one
 * @remedy: what can be done
 */
struct loss {
	u64 nr;
	const char *key;
	const char *what;
	const char *remedy;
};

#define STATUS_FILLS	4
#define STATUS_LOSSES	17

/**
 * struct status - what `kmemacct status` shows
 * @stats: the table stats
 * @control: the settings
 * @fill: how full the tables are
 * @nr_fills: number of @fill
 * @loss: what was lost, the worst first
 * @nr_losses: number of @loss
 */
struct status {
	struct table *stats;
	struct control control;
	struct fill fill[STATUS_FILLS];
	int nr_fills;
	struct loss loss[STATUS_LOSSES];
	int nr_losses;
};

/*
 * Read the status.  status_free() frees it, also after an error.
 * Return: 0, or -1 after calling fail().
 */
int status_read(struct status *s);

void status_free(struct status *s);

/*
 * Find a kind of loss, in the order of status; @value is set to its number, which may be 0.
 * Return: its key, or NULL if there are only @i kinds.
 */
const char *status_loss(const struct status *s, size_t i, u64 *value);

/* Find what is lost and how full tables are; @s has the table and the settings. */
void status_judge(struct status *s);

void status_print(FILE *out, const struct status *s);

/* Print it as JSON. */
void status_json(FILE *out, const struct status *s);

/* Return: a row of stats, or NULL if the module has none of that name. */
const struct row *status_row(const struct status *s, const char *name);

/* Return: a number of stats; 0 if there is none of that name. */
u64 status_number(const struct status *s, const char *name);

/* Return: a setting, or @other if the module has none of that name. */
const char *status_setting(const struct status *s, const char *name, const char *other);

#endif /* STATUS_H */
