/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The user interface of kmemacct top: what is shown, and what keys do.
 *
 * It reads tables and writes `control`, but knows no terminal: top_screen.c draws it on a canvas,
 * and top.c connects it to a terminal.  Each view keeps its rows, order and cursor while another
 * one is shown, and nothing is read for it meanwhile.
 */
#ifndef TOP_UI_H
#define TOP_UI_H

#include "top_list.h"
#include "top_order.h"
#include "top_setting.h"
#include "top_view.h"

/* Keys that are no characters. */
enum top_key {
	TOP_KEY_UP = 256,
	TOP_KEY_DOWN,
	TOP_KEY_LEFT,
	TOP_KEY_RIGHT,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_SCROLL_LEFT,
	TOP_KEY_SCROLL_RIGHT,
	TOP_KEY_BACK_TAB,
};

#define TOP_KEY_TAB		'\t'
#define TOP_KEY_ENTER		'\n'
#define TOP_KEY_ESCAPE		27
#define TOP_KEY_BACKSPACE	127

/* Limits of the time between two refreshes. */
#define TOP_DELAY_MIN_MS	100
#define TOP_DELAY_MAX_MS	3600000
#define TOP_DELAY_MS		1000

enum top_mode {
	TOP_LIST,
	TOP_DETAILS,
	TOP_HELP,
};

/* What the user is typing. */
enum top_prompt {
	TOP_NO_PROMPT,
	TOP_ASK_FILTER,
	TOP_ASK_DELAY,
};

/**
 * struct top_page - a view, and how it is shown
 * @rows: its rows; NULL before it is shown for the first time
 * @columns: its columns
 * @order: the order of its rows
 * @list: the list of its rows
 * @key: name of the column to sort by; "": the first one
 * @off: what the view needs is switched off
 */
struct top_page {
	struct top_rows *rows;
	struct top_columns columns;
	struct top_order order;
	struct top_list list;
	char key[TOP_KEY_LEN];
	bool off;
};

/**
 * struct top_ui - the user interface
 * @page: the views
 * @view: number of the view that is shown
 * @last_view: number of the view that was shown before it
 * @mode: what is shown of it
 * @prompt: what the user is typing
 * @input: the text that was typed so far
 * @delay_ms: time between two refreshes
 * @frozen: nothing is refreshed
 * @quit: the user wants to quit
 * @stale: the view has to be refreshed at once
 * @setting: the setting that was switched on for the view
 * @message: what to tell the user until the next key; "": nothing
 * @trouble: why the last refresh failed; "": it did not
 * @hash: the row of the details
 * @scroll: first line of the details or of the help on the screen
 * @stacks: the table stacks, while details of a call site are shown; or NULL
 * @gfp: names of gfp flags; NULL if they have not been read
 */
struct top_ui {
	struct top_page page[TOP_NR_VIEWS];
	int view;
	int last_view;
	enum top_mode mode;
	enum top_prompt prompt;
	char input[TOP_FILTER_LEN];
	u64 delay_ms;
	bool frozen;
	bool quit;
	bool stale;
	struct top_setting setting;
	char message[512];
	char trouble[512];
	u64 hash;
	int scroll;
	struct table *stacks;
	struct gfp *gfp;
};

/* Return: the page that is shown. */
static inline struct top_page *top_ui_page(struct top_ui *ui)
{
	return &ui->page[ui->view];
}

/* Return: the row of the details; NULL if it has vanished. */
const struct top_row *top_ui_row(struct top_ui *ui);

/**
 * top_ui_refresh() - read the table of the view again
 * @ui: the user interface
 * @key: name of the column to sort by at first; NULL: the first one
 *
 * A table that cannot be read this time is reported on the screen, unless it is the first one or
 * the module is not loaded.
 *
 * Return: 0, or -1 after calling fail() if the program has to end.
 */
int top_ui_refresh(struct top_ui *ui, const char *key);

/* Handle a key. */
void top_ui_key(struct top_ui *ui, int key);

/* Switch back what was switched on for the view, for a while or for good, and on again. */
void top_ui_pause(struct top_ui *ui);
void top_ui_resume(struct top_ui *ui);

/* Parse a delay in seconds. */
int top_ui_parse_delay(const char *text, u64 *ms);

/* Free the memory. */
void top_ui_free(struct top_ui *ui);

#endif /* TOP_UI_H */
