// SPDX-License-Identifier: GPL-2.0
/* The user interface of kmemacct top: what is shown, and what keys do. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top.h"

/* Characters by which labels are scrolled at a time. */
#define SCROLL_BY	8

static void tell(struct top_ui *ui, const char *message)
{
	snprintf(ui->message, sizeof(ui->message), "%.500s", message);
}

static void tell_error(struct top_ui *ui)
{
	tell(ui, error_text);
}

/* ---- refreshing ----------------------------------------------------------- */

/* Test for the name or the title of a column, or the key of a spec. */
static bool is_key(const struct top_page *p, int column, const char *key)
{
	const struct top_spec *s = top_rates_spec(p, column);
	const struct column *c = &p->v.t->columns[column];

	return !c->hidden && (!strcmp(c->name, key) || (c->title && !strcmp(c->title, key)) ||
			      (s && !strcmp(s->key, key)));
}

/* Find the column to sort by: a table may be another one at the next refresh. */
static int set_key(struct top_page *p, const char *key)
{
	const struct table *t = p->v.t;
	size_t len;
	char *names;
	FILE *out;
	int i;

	for (i = 0; i < table_nr_columns(t); i++)
		if (is_key(p, i, key)) {
			p->key = i;
			return 0;
		}
	out = text_open(&names, &len);
	for (i = 0; i < table_nr_columns(t); i++)
		if (!t->columns[i].hidden)
			fprintf(out, "%s%s", i ? ", " : "", t->columns[i].name);
	text_close(out);
	fail("the view %s has no sort key '%.64s': use %s", p->view->name, key, names);
	free(names);
	return -1;
}

/* A failure here only means that the details have no stacks. */
static void read_stacks(struct top_ui *ui)
{
	table_free(ui->stacks);
	ui->stacks = NULL;
	if (ui->mode == TOP_DETAILS && !strcmp(top_views[ui->view].name, "callers"))
		ui->stacks = source_table(&module_source, "stacks");
}

/*
 * The table could not be read.  Go on if it may work next time: memory for a snapshot may be
 * missing just when it is most needed.
 */
static int report_trouble(struct top_ui *ui)
{
	const struct top_page *last = &ui->page[ui->last_view];

	if (!source_is_loaded() || !last->rows)
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
	struct top_page *p = top_ui_page(ui);
	bool marked;

	if (!p->rows) {
		p->view = &top_views[ui->view];
		p->rows = alloc(1, sizeof(*p->rows));
	}
	p->off = top_setting_is_off(p->view, t);
	marked = p->rows->mark;
	if (!top_rows_update(p->rows, t, began_ms, clock_uptime_ms()) && p->chosen == ui->window)
		return 0;
	if (marked && !p->rows->mark)
		tell(ui, "the counts were reset, so the mark was removed: press m to set it again");
	p->chosen = ui->window;
	top_rates_make(p);
	if (key && set_key(p, key))
		return -1;
	top_rates_arrange(p);
	return 0;
}

/* A failure here only means that the bars are missing. */
static void read_memory(struct top_ui *ui)
{
	const struct table *shown = top_ui_page(ui)->rows->now, *caches = shown;
	struct table *other = NULL;

	ui->memory = (struct top_memory) { .hidden = ui->memory.hidden };
	if (ui->memory.hidden)
		return;
	ui->memory.machine = machine_read(&module_source);
	if (!ui->memory.machine.slab)
		return;
	if (strcmp(shown->name, "caches")) {
		other = source_table(&module_source, "caches");
		caches = other;
	}
	if (!caches)
		return;
	ui->memory.is_recorded = true;
	ui->memory.recorded = machine_recorded(caches);
	ui->memory.sampled = caches->sampled;
	table_free(other);
}

int top_ui_refresh(struct top_ui *ui, const char *key)
{
	u64 began_ms = clock_uptime_ms();
	struct table *t;

	ui->stale = false;
	t = source_table(&module_source, top_views[ui->view].name);
	if (!t)
		return report_trouble(ui);
	*ui->trouble = '\0';
	if (take_over(ui, t, began_ms, key))
		return -1;
	read_memory(ui);
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
	/* The screen has to show this view, so it cannot stay frozen. */
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

/* ---- the window of the growth --------------------------------------------- */

static void remake(struct top_page *p)
{
	top_rates_make(p);
	top_rates_arrange(p);
}

/* Show the next window of all views, or the one that was shown before the mark. */
static void next_window(struct top_ui *ui)
{
	struct top_page *p = top_ui_page(ui);

	if (p->rows->mark)
		top_rows_unmark(p->rows);
	else if (top_window_has_history(p))
		ui->window = p->window == TOP_1H ? TOP_REFRESH : p->window + 1;
	else
		tell(ui, "this table has no history: press m to see what changes from now on");
	p->chosen = ui->window;
	remake(p);
}

static void mark(struct top_ui *ui)
{
	top_rows_mark(top_ui_page(ui)->rows);
	remake(top_ui_page(ui));
}

static void window_key(struct top_ui *ui, int key)
{
	if (!top_window_is_shown(top_ui_page(ui)->view))
		tell(ui, "this view shows no live memory: w and m have no effect");
	else if (key == 'w')
		next_window(ui);
	else
		mark(ui);
}

/* ---- sorting -------------------------------------------------------------- */

static void sort_next(struct top_ui *ui, int by)
{
	struct top_page *p = top_ui_page(ui);
	const int nr = table_nr_columns(p->v.t);

	do {
		p->key = (p->key + by + nr) % nr;
	} while (p->v.t->columns[p->key].hidden);
	top_rates_arrange(p);
}

static void sort_reversed(struct top_ui *ui)
{
	struct top_page *p = top_ui_page(ui);

	p->reverse = !p->reverse;
	top_rates_arrange(p);
}

/* ---- prompts -------------------------------------------------------------- */

static void set_filter(struct top_ui *ui, const char *filter)
{
	struct top_page *p = top_ui_page(ui);

	snprintf(p->filter, sizeof(p->filter), "%s", filter);
	p->cursor = 0;
	top_list_reset(p);
	top_rates_arrange(p);
}

static void ask(struct top_ui *ui, enum top_prompt prompt, const char *text)
{
	ui->prompt = prompt;
	snprintf(ui->input, sizeof(ui->input), "%s", text);
}

static void answer(struct top_ui *ui)
{
	if (ui->prompt == TOP_ASK_DELAY && number_parse_delay(ui->input, &ui->delay_ms)) {
		fail("the delay is " NUMBER_DELAY ", not '%s'", ui->input);
		tell_error(ui);
	}
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

static void open_details(struct top_ui *ui)
{
	const struct top_page *p = top_ui_page(ui);

	if (p->cursor >= p->nr)
		return;
	ui->hash = top_rates_row(p, p->shown[p->cursor])->hash;
	ui->mode = TOP_DETAILS;
	ui->scroll = 0;
	read_stacks(ui);
	/* The names of gfp flags do not change while the kernel runs. */
	if (!ui->gfp && p->rows->now->at[AT_gfp] != NONE)
		ui->gfp = gfp_read(&module_source);
}

/* ---- keys ----------------------------------------------------------------- */

/* Return: by how many lines a key moves. */
static long lines_of(const struct top_page *p, int key)
{
	switch (key) {
	case TOP_KEY_UP:
	case 'k':
		return -1;
	case TOP_KEY_DOWN:
	case 'j':
		return 1;
	case TOP_KEY_PAGE_UP:
		return -p->lines;
	case TOP_KEY_PAGE_DOWN:
		return p->lines;
	case TOP_KEY_HOME:
	case 'g':
		return -(LONG_MAX / 2);
	case TOP_KEY_END:
	case 'G':
		return LONG_MAX / 2;
	default:
		return 0;
	}
}

/*
 * Handle keys while the details or the help cover the list. screen.c stops the scrolling at the
 * last line.
 */
static void text_key(struct top_ui *ui, int key)
{
	long to = ui->scroll + lines_of(top_ui_page(ui), key);

	if (key == TOP_KEY_ESCAPE || key == 'q' || key == 'd' || key == TOP_KEY_ENTER ||
	    (ui->mode == TOP_HELP && to == ui->scroll))
		ui->mode = TOP_LIST;
	ui->scroll = to < 0 ? 0 : to > 100000 ? 100000 : to;
}

static void column_key(struct top_ui *ui, int key)
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
	case 'w':
	case 'm':
		window_key(ui, key);
		break;
	}
}

static void list_key(struct top_ui *ui, int key)
{
	struct top_page *page = top_ui_page(ui);

	switch (key) {
	case '[':
	case TOP_KEY_SCROLL_LEFT:
		top_list_scroll(page, -SCROLL_BY);
		break;
	case ']':
	case TOP_KEY_SCROLL_RIGHT:
		top_list_scroll(page, SCROLL_BY);
		break;
	case '/':
		ask(ui, TOP_ASK_FILTER, page->filter);
		break;
	case TOP_KEY_ESCAPE:
		set_filter(ui, "");
		break;
	case 'd':
	case TOP_KEY_ENTER:
		open_details(ui);
		break;
	default:
		top_list_move(page, lines_of(page, key));
		column_key(ui, key);
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

static bool is_help(int key)
{
	return key == 'h' || key == '?' || key == TOP_KEY_HELP;
}

void top_ui_key(struct top_ui *ui, int key)
{
	if (key == TOP_KEY_OTHER)
		return;
	*ui->message = '\0';
	if (ui->prompt) {
		prompt_key(ui, key);
	} else if (ui->mode == TOP_LIST && key == 'q') {
		ui->quit = true;
	} else if (ui->mode != TOP_HELP && is_help(key)) {
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

	for (i = 0; i < TOP_NR_VIEWS; i++)
		top_page_free(&ui->page[i]);
	table_free(ui->stacks);
	gfp_free(ui->gfp);
}
