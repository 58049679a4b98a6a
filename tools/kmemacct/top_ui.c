// SPDX-License-Identifier: GPL-2.0
/* The user interface of kmemacct top.  See the overview in top_ui.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "error.h"
#include "files.h"
#include "gfp.h"
#include "top_ui.h"

/* Characters by which labels are scrolled at a time. */
#define SCROLL_BY	8

static void tell_error(struct top_ui *ui)
{
	snprintf(ui->message, sizeof(ui->message), "%.500s", error_text);
}

/* ---- refreshing ----------------------------------------------------------- */

/* The clock that window_s in the heads of tables is measured by. */
static u64 now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

static void store_history(struct top_page *page)
{
	struct top_rows *r = page->rows;
	int rate = top_columns_find(&page->columns, r->view->rate);
	struct top_point point;
	struct top_number n;
	size_t i;

	for (i = 0; i < r->nr; i++) {
		point.value = top_column_number(&page->columns, 0, r, &r->row[i]).value;
		point.rate = __builtin_nanf("");
		if (rate >= 0) {
			n = top_column_number(&page->columns, rate, r, &r->row[i]);
			if (n.known)
				point.rate = n.value;
		}
		top_history_store(&r->history, r->row[i].slot, point);
	}
}

/* Find the column to sort by again: the table may have got or lost columns. */
static void find_key(struct top_page *page)
{
	int column = *page->key ? top_columns_find(&page->columns, page->key) : 0;

	page->order.key = column < 0 ? 0 : column;
}

static int set_key(struct top_page *page, const char *key)
{
	if (top_columns_find(&page->columns, key) < 0)
		return top_columns_fail(&page->columns, page->rows->view->name, key);
	snprintf(page->key, sizeof(page->key), "%s", key);
	return 0;
}

static void arrange(struct top_page *page)
{
	top_order_make(&page->order, &page->columns, page->rows);
}

/* A failure here only means that the details have no stacks. */
static void read_stacks(struct top_ui *ui)
{
	table_free(ui->stacks);
	ui->stacks = NULL;
	if (ui->mode == TOP_DETAILS && !strcmp(top_views[ui->view].table, "callers"))
		ui->stacks = files_table("stacks");
}

/*
 * The table could not be read.  Go on if it may work next time: memory for a snapshot may be
 * missing just when it is most needed.
 */
static int report_trouble(struct top_ui *ui)
{
	const struct top_page *last = &ui->page[ui->last_view];

	if (!files_is_loaded() || !last->rows)
		return -1;
	if (top_ui_page(ui)->rows) {
		snprintf(ui->trouble, sizeof(ui->trouble), "%.500s", error_text);
		return 0;
	}
	/* The view has nothing to show: go back to the one before. */
	tell_error(ui);
	ui->view = ui->last_view;
	return 0;
}

static int take_over(struct top_ui *ui, struct table *t, u64 began_ms, const char *key)
{
	struct top_page *page = top_ui_page(ui);

	if (!page->rows)
		page->rows = top_rows_new(&top_views[ui->view]);
	page->off = top_setting_is_off(&top_views[ui->view], t);
	if (!top_rows_update(page->rows, t, began_ms, now_ms()))
		return 0;
	top_columns_make(&page->columns, page->rows);
	if (key && set_key(page, key))
		return -1;
	find_key(page);
	store_history(page);
	arrange(page);
	return 0;
}

int top_ui_refresh(struct top_ui *ui, const char *key)
{
	u64 began_ms = now_ms();
	struct table *t;

	ui->stale = false;
	t = files_table(top_views[ui->view].table);
	if (!t)
		return report_trouble(ui);
	*ui->trouble = '\0';
	if (take_over(ui, t, began_ms, key))
		return -1;
	read_stacks(ui);
	return 0;
}

/* ---- views ---------------------------------------------------------------- */

static void select_view(struct top_ui *ui, int view)
{
	const struct top_need *need = &top_views[view].need;

	if (view == ui->view)
		return;
	if (ui->setting.need && !top_setting_is_same(ui->setting.need, need) &&
	    top_setting_off(&ui->setting))
		tell_error(ui);
	ui->last_view = ui->view;
	ui->view = view;
	ui->stale = true;
	/* What is shown has to be of this view, so a frozen screen cannot stay. */
	ui->frozen = false;
}

static void switch_on(struct top_ui *ui)
{
	const struct top_need *need = &top_views[ui->view].need;

	if (!top_ui_page(ui)->off)
		return;
	/* Another process may have switched it off since it was switched on here. */
	if (top_setting_off(&ui->setting) || top_setting_on(&ui->setting, need)) {
		tell_error(ui);
		return;
	}
	snprintf(ui->message, sizeof(ui->message), "%s %s is set until this view is left",
		 need->name, need->value);
	ui->stale = true;
	ui->frozen = false;
}

void top_ui_pause(struct top_ui *ui)
{
	if (top_setting_off(&ui->setting))
		tell_error(ui);
}

void top_ui_resume(struct top_ui *ui)
{
	const struct top_need *need = &top_views[ui->view].need;

	if (top_setting_on(&ui->setting, need))
		tell_error(ui);
	ui->stale = !ui->frozen;
}

/* ---- sorting -------------------------------------------------------------- */

static void sort_next(struct top_ui *ui, int by)
{
	struct top_page *page = top_ui_page(ui);
	int nr = page->columns.nr;

	page->order.key = (page->order.key + by + nr) % nr;
	memcpy(page->key, page->columns.c[page->order.key].key, sizeof(page->key));
	arrange(page);
}

static void sort_reversed(struct top_ui *ui)
{
	struct top_page *page = top_ui_page(ui);

	page->order.reverse = !page->order.reverse;
	arrange(page);
}

/* ---- prompts -------------------------------------------------------------- */

int top_ui_parse_delay(const char *text, u64 *ms)
{
	static const char digits[] = "0123456789";
	size_t whole = strspn(text, digits), rest = 0;
	char milli[NUMBER_LEN];

	if (text[whole] == '.')
		rest = strspn(text + whole + 1, digits);
	/* Without a digit at either side of the point, it is no number. */
	if (whole + rest > 0 && whole + rest < 16 && rest <= 3 &&
	    !text[whole + (text[whole] == '.') + rest]) {
		snprintf(milli, sizeof(milli), "%.*s.%.*s%.*s", whole ? (int)whole : 1,
			 whole ? text : "0", (int)rest, text + whole + 1, 3 - (int)rest, "000");
		if (!number_parse_milli(milli, ms) && *ms >= TOP_DELAY_MIN_MS &&
		    *ms <= TOP_DELAY_MAX_MS)
			return 0;
	}
	return fail("the delay is a number of seconds from 0.1 to 3600, not '%s'", text);
}

static void set_filter(struct top_ui *ui, const char *filter)
{
	struct top_page *page = top_ui_page(ui);

	snprintf(page->order.filter, sizeof(page->order.filter), "%s", filter);
	page->list.cursor = 0;
	top_list_reset(&page->list);
	arrange(page);
}

static void ask(struct top_ui *ui, enum top_prompt prompt, const char *text)
{
	ui->prompt = prompt;
	snprintf(ui->input, sizeof(ui->input), "%s", text);
}

static void answer(struct top_ui *ui)
{
	if (ui->prompt == TOP_ASK_DELAY && top_ui_parse_delay(ui->input, &ui->delay_ms))
		tell_error(ui);
	ui->prompt = TOP_NO_PROMPT;
}

static void give_up(struct top_ui *ui)
{
	if (ui->prompt == TOP_ASK_FILTER)
		set_filter(ui, "");
	ui->prompt = TOP_NO_PROMPT;
}

static void type(struct top_ui *ui, int key)
{
	size_t len = strlen(ui->input);

	if (key == TOP_KEY_BACKSPACE && len)
		ui->input[len - 1] = '\0';
	else if (key >= ' ' && key <= '~' && len + 1 < sizeof(ui->input))
		snprintf(ui->input + len, sizeof(ui->input) - len, "%c", key);
	if (ui->prompt == TOP_ASK_FILTER)
		set_filter(ui, ui->input);
}

static void prompt_key(struct top_ui *ui, int key)
{
	if (key == TOP_KEY_ENTER)
		answer(ui);
	else if (key == TOP_KEY_ESCAPE)
		give_up(ui);
	else
		type(ui, key);
}

/* ---- details -------------------------------------------------------------- */

const struct top_row *top_ui_row(struct top_ui *ui)
{
	const struct top_rows *r = top_ui_page(ui)->rows;
	long i = top_rows_find(r, ui->hash);

	return i < 0 ? NULL : &r->row[i];
}

/* The names of gfp flags do not change while the kernel runs. */
static void read_flags(struct top_ui *ui)
{
	struct table *flags;

	if (ui->gfp || table_column(top_ui_page(ui)->rows->now, "gfp") < 0)
		return;
	flags = files_table("gfp_flags");
	if (flags)
		ui->gfp = gfp_new(flags);
}

static void open_details(struct top_ui *ui)
{
	struct top_page *page = top_ui_page(ui);

	if (page->list.cursor >= page->order.nr)
		return;
	ui->hash = page->rows->row[page->order.shown[page->list.cursor]].hash;
	ui->mode = TOP_DETAILS;
	ui->scroll = 0;
	read_stacks(ui);
	read_flags(ui);
}

/* ---- keys ----------------------------------------------------------------- */

/* Return: by how many lines a key moves. */
static long lines_of(const struct top_list *l, int key)
{
	switch (key) {
	case TOP_KEY_UP:
	case 'k':
		return -1;
	case TOP_KEY_DOWN:
	case 'j':
		return 1;
	case TOP_KEY_PAGE_UP:
		return -l->lines;
	case TOP_KEY_PAGE_DOWN:
		return l->lines;
	case TOP_KEY_HOME:
	case 'g':
		return -(long)TOP_HISTORY_ROWS * TOP_HISTORY_ROWS;
	case TOP_KEY_END:
	case 'G':
		return (long)TOP_HISTORY_ROWS * TOP_HISTORY_ROWS;
	default:
		return 0;
	}
}

/* Keys for what is above the list.  top_screen.c stops the scrolling at the last line. */
static void text_key(struct top_ui *ui, int key)
{
	long to = ui->scroll + lines_of(&top_ui_page(ui)->list, key);

	if (key == TOP_KEY_ESCAPE || key == 'q' || key == 'd' || key == TOP_KEY_ENTER ||
	    (ui->mode == TOP_HELP && to == ui->scroll))
		ui->mode = TOP_LIST;
	ui->scroll = to < 0 ? 0 : to > 100000 ? 100000 : to;
}

static void sort_key(struct top_ui *ui, int key)
{
	switch (key) {
	case '<':
	case TOP_KEY_LEFT:
		sort_next(ui, -1);
		break;
	case '>':
	case TOP_KEY_RIGHT:
		sort_next(ui, 1);
		break;
	case 'R':
		sort_reversed(ui);
		break;
	}
}

static void list_key(struct top_ui *ui, int key)
{
	struct top_page *page = top_ui_page(ui);

	switch (key) {
	case '[':
	case TOP_KEY_SCROLL_LEFT:
		top_list_scroll(&page->list, -SCROLL_BY);
		break;
	case ']':
	case TOP_KEY_SCROLL_RIGHT:
		top_list_scroll(&page->list, SCROLL_BY);
		break;
	case '/':
		ask(ui, TOP_ASK_FILTER, page->order.filter);
		break;
	case TOP_KEY_ESCAPE:
		set_filter(ui, "");
		break;
	case 'd':
	case TOP_KEY_ENTER:
		open_details(ui);
		break;
	default:
		top_list_move(&page->list, &page->order, lines_of(&page->list, key));
		sort_key(ui, key);
	}
}

static void view_key(struct top_ui *ui, int key)
{
	if (key >= '1' && key < '1' + TOP_NR_VIEWS)
		select_view(ui, key - '1');
	else if (key == TOP_KEY_TAB)
		select_view(ui, (ui->view + 1) % TOP_NR_VIEWS);
	else if (key == TOP_KEY_BACK_TAB)
		select_view(ui, (ui->view + TOP_NR_VIEWS - 1) % TOP_NR_VIEWS);
	else
		list_key(ui, key);
}

static void any_key(struct top_ui *ui, int key)
{
	switch (key) {
	case 'p':
	case ' ':
		ui->frozen = !ui->frozen;
		ui->stale = !ui->frozen;
		break;
	case 's':
		ask(ui, TOP_ASK_DELAY, "");
		break;
	case 'o':
		switch_on(ui);
		break;
	default:
		if (ui->mode != TOP_LIST)
			text_key(ui, key);
		else
			view_key(ui, key);
	}
}

void top_ui_key(struct top_ui *ui, int key)
{
	*ui->message = '\0';
	if (ui->prompt) {
		prompt_key(ui, key);
	} else if (ui->mode == TOP_LIST && key == 'q') {
		ui->quit = true;
	} else if (ui->mode != TOP_HELP && (key == 'h' || key == '?')) {
		ui->mode = TOP_HELP;
		ui->scroll = 0;
	} else {
		any_key(ui, key);
	}
}

/* ---- end ------------------------------------------------------------------ */

void top_ui_free(struct top_ui *ui)
{
	int i;

	for (i = 0; i < TOP_NR_VIEWS; i++) {
		top_rows_free(ui->page[i].rows);
		free(ui->page[i].order.shown);
	}
	table_free(ui->stacks);
	gfp_free(ui->gfp);
}
