/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kmemacct top: tables on the whole screen, refreshed again and again.
 *
 *   table --rows.c--> rows over time --rates.c--> a view with shares and rates, sorted
 *         --screen.c, memory.c, list.c, details.c--> canvas --terminal.c--> terminal
 *
 * views.c lists the views, window.c the windows of time of their growth, ui.c has what is shown and
 * what keys do, and top.c the loop.
 */
#ifndef TOP_H
#define TOP_H

#include "../out/out.h"

/* ---- the command (top.c) -------------------------------------------------- */

/**
 * struct top_options - what to show
 * @view: name of the first view; NULL: callers
 * @sort: name of the column to sort by at first; NULL: the first one
 * @delay_ms: time between two refreshes in milliseconds; 0: the usual one
 * @count: number of refreshes; 0: any number
 */
struct top_options {
	const char *view;
	const char *sort;
	u64 delay_ms;
	u64 count;
};

/* Show a view until the user quits.  Return: the exit status, or -1 after calling fail(). */
int top_run(const struct top_options *o);

/* Return: the name of view number @nr; NULL: no more. */
const char *top_view_name(int nr);

/* ---- the views (views.c) -------------------------------------------------- */

/*
 * The kinds of columns.  A value is a column of the table.  A share is a value's part
 * of the sum of all rows.  Growth is the change of a gauge, which may be negative, in the window of
 * time that the user has chosen.
 * A rate is the change of a counter per second; a counter that decreases was reset.
 */
enum top_kind {
	TOP_VALUE,
	TOP_SHARE,
	TOP_GROWTH,
	TOP_RATE,
};

/**
 * struct top_spec - a column of a view
 * @key: its name as a sort key
 * @title: its title
 * @kind: the kind of numbers that it shows
 * @of: the column of the table, or the two columns whose sum is shown; NULL ends an array
 * @rank: columns of the highest rank are left out first; those of rank 0 always stay
 * @total: the line of totals has its sum
 */
struct top_spec {
	const char *key;
	const char *title;
	enum top_kind kind;
	const char *of[2];
	int rank;
	bool total;
};

/**
 * struct top_need - the setting of the module that a view needs
 * @name: name of the setting; NULL: the view needs none
 * @value: the value to set
 * @list: the setting is a list, which has to contain @value
 * @off: the text for the user while it is not set
 * @effect: the side effect of setting it; NULL: none
 */
struct top_need {
	const char *name;
	const char *value;
	bool list;
	const char *off;
	const char *effect;
};

/**
 * struct top_view - a view
 * @name: its name, as a command has it, which is that of the table
 * @brief: a short name for a narrow screen; NULL: it has none
 * @row: the name of its rows, in the plural
 * @specs: its columns, the first of which is the one that rows are sorted by at first
 * @rate: key of the column that the second graph of a row shows
 * @need: the setting that it needs
 * @note: a remark that is printed in place of totals, or NULL
 * @stacks: the labels are stacks
 */
struct top_view {
	const char *name;
	const char *brief;
	const char *row;
	const struct top_spec *specs;
	const char *rate;
	struct top_need need;
	const char *note;
	bool stacks;
};

#define TOP_NR_VIEWS	9

extern const struct top_view top_views[TOP_NR_VIEWS];

/* Find a view by the name of its command.  Return: its number, or -1 after calling fail(). */
int top_view_find(const char *name);

/* ---- settings that are changed while a view is open (setting.c) ----------- */

/* Size of the value of a setting, with its NUL: a command of the module has to hold it. */
#define TOP_SETTING_LEN	(KMA_CONTROL_MAX + 1)

/**
 * struct top_setting - a setting that was changed
 * @need: the need that it was changed for; NULL: the setting is not changed
 * @before: its value before that
 * @set: its value after that, as the module prints it
 *
 * A setting is switched on only if it is off, and switched back only if it still has the value that
 * it was given: a value that others have set meanwhile stays.  From a list, only the name that was
 * added is removed.
 */
struct top_setting {
	const struct top_need *need;
	char before[TOP_SETTING_LEN];
	char set[TOP_SETTING_LEN];
};

/* Test whether the table of a view lacks rows because a setting is off, by its head. */
bool top_setting_is_off(const struct top_view *view, const struct table *t);

/*
 * Set the setting that a view needs, or restore its old value.  Return: 0, or -1 after calling
 * fail().
 */
int top_setting_on(struct top_setting *s, const struct top_need *need);
int top_setting_off(struct top_setting *s);

/* Test whether two views need the same setting, so that it stays on between them. */
bool top_setting_is_same(const struct top_need *a, const struct top_need *b);

/* ---- rows over time (rows.c) ---------------------------------------------- */

/* Number of refreshes that are kept: three minutes at one each second. */
#define TOP_DEPTH	180
/* Rows beyond these have no history, so that its memory is bounded: 24 MB. */
#define TOP_HISTORY	16384
#define TOP_NO_SLOT	U64_MAX

/**
 * struct top_point - the numbers of a row at a refresh
 * @value: the value that the row is sorted by at first
 * @rate: the rate of the second graph; NAN if it is not known
 */
struct top_point {
	float value;
	float rate;
};

/**
 * struct top_row - a row
 * @now: the row in the last table
 * @before: the row in the table before it; NULL if it is new
 * @marked: the row in the marked table; NULL if it is newer
 * @hash: hash of what identifies it
 * @slot: its slot in the history, or TOP_NO_SLOT
 * @paired: the row has been found in the next table
 */
struct top_row {
	const struct row *now;
	const struct row *before;
	const struct row *marked;
	u64 hash;
	u64 slot;
	bool paired;
};

/**
 * struct top_index - the rows of a table, to find those of another one among them
 * @row: the rows, in the order of the table
 * @nr: number of @row
 * @bucket: hash table of indexes of @row plus 1; 0: empty
 * @nr_buckets: number of @bucket, a power of two
 */
struct top_index {
	struct top_row *row;
	size_t nr;
	size_t *bucket;
	size_t nr_buckets;
};

/**
 * struct top_rows - the rows of a view
 * @now: the last table; NULL before the first refresh
 * @before: the table before it, or NULL
 * @elapsed_ms: time between these; 0: not known
 * @clock_ms: time of the last refresh by the clock of the reader
 * @all: the rows of the last table
 * @mark: the table that changes are shown since; NULL: none is marked
 * @marked: its rows
 * @marked_ms: time between this table and the last one
 * @refresh: number of the last refresh; the first one is 1
 * @points: numbers of all slots at each of the last refreshes, that of refresh N at N % TOP_DEPTH
 * @room: for each of @points, its size
 * @ms: for each of @points, the time of its refresh
 * @born: for each slot, its first refresh
 * @nr_slots: number of slots that have ever been in use
 * @unused: slots that are in use no longer
 * @nr_unused: number of @unused
 *
 * Each refresh brings a table.  This table, the one before it and the marked one are kept: rates
 * and growth are the differences.  A row is the same one in all if its label is the same, and so
 * are the columns that are keys.  Two rows of one table may be alike: then they are paired in their
 * order.
 *
 * The time between two tables is the difference of window_s in their heads, which the module
 * takes together with the numbers.  If the counts were reset in between, that time is not
 * known, no rates are shown until the next refresh, and the mark is dropped.  A window that has not
 * advanced means that the table is the one that was read before.
 *
 * A row has a slot in the history from its first refresh to its last one.
 */
struct top_rows {
	struct table *now;
	struct table *before;
	u64 elapsed_ms;
	u64 clock_ms;
	struct top_index all;
	struct table *mark;
	struct top_index marked;
	u64 marked_ms;
	u64 refresh;
	struct top_point *points[TOP_DEPTH];
	size_t room[TOP_DEPTH];
	u64 ms[TOP_DEPTH];
	u64 born[TOP_HISTORY];
	size_t nr_slots;
	u64 unused[TOP_HISTORY];
	size_t nr_unused;
};

void top_rows_free(struct top_rows *r);

/**
 * top_rows_update() - take over a new table
 * @r: the rows
 * @t: the table, which this function takes ownership of
 * @began_ms: when the reading of the table began, by a clock that goes on during suspend
 * @ended_ms: when it ended
 *
 * Tables callers and caches get a column `reclaimable`.
 *
 * Return: true; false if the table is the same as the last one, and nothing has changed.
 */
bool top_rows_update(struct top_rows *r, struct table *t, u64 began_ms, u64 ended_ms);

/* Mark the last table: changes are shown since.  top_rows_unmark() drops it. */
void top_rows_mark(struct top_rows *r);
void top_rows_unmark(struct top_rows *r);

/* Find a row by the hash of its label and keys.  Return: NULL if it has vanished. */
const struct top_row *top_rows_find(const struct top_rows *r, u64 hash);

/* Store the numbers of a row at the last refresh. */
void top_rows_store(struct top_rows *r, const struct top_row *row, struct top_point point);

/* Read the numbers of a row and their times, the oldest first.  Return: how many there are. */
int top_rows_read(const struct top_rows *r, const struct top_row *row,
		  struct top_point points[TOP_DEPTH], u64 ms[TOP_DEPTH]);

/* ---- numbers and their order (rates.c) ------------------------------------ */

/*
 * The windows of time of the growth.  The usual one is the shortest that the module has a history
 * of, or the last refresh, with its own title, until it has one.
 */
enum top_window {
	TOP_USUAL,
	TOP_REFRESH,
	TOP_1M,
	TOP_10M,
	TOP_1H,
	TOP_MARK,
	TOP_NR_WINDOWS,
};

/* Size of the name of a column and of a filter, with its NUL. */
#define TOP_KEY_LEN	32
#define TOP_FILTER_LEN	64

/**
 * struct top_page - a view, and how it is shown
 * @view: the view
 * @rows: its rows; NULL before it is shown for the first time
 * @v: the view's columns, then those of the table; its rows are in the order of @rows
 * @l: the layout of @v; widths only grow, so that columns stay where they are
 * @style: what it looks like
 * @label: width of the widest label
 * @key: index of the column to sort by
 * @reverse: sort in the opposite order
 * @filter: show only rows whose label contains this text, in upper or lower case
 * @shown: the rows of @v that are shown, in their order
 * @nr: number of @shown
 * @cursor: number of the selected row, in this order
 * @first: number of the first row on the screen
 * @lines: number of rows that fit on the screen
 * @scroll: number of characters of labels to the left of the screen
 * @hidden: number of columns that are left out
 * @off: the setting that the view needs is off
 * @chosen: the window that the user has chosen
 * @window: the window that is shown
 */
struct top_page {
	const struct top_view *view;
	struct top_rows *rows;
	struct view v;
	struct layout l;
	struct style style;
	int label;
	int key;
	bool reverse;
	char filter[TOP_FILTER_LEN];
	struct row **shown;
	size_t nr;
	size_t cursor;
	size_t first;
	int lines;
	int scroll;
	int hidden;
	bool off;
	enum top_window chosen;
	enum top_window window;
};

/* Make the columns and numbers from the last tables, and store numbers in the history. */
void top_rates_make(struct top_page *p);

/*
 * Filter and sort the rows.  Numbers descend, names ascend, and unknown values come last;
 * rows that compare equal are in the order of their labels.
 */
void top_rates_arrange(struct top_page *p);

/* Return: the row that a row of @v was made from. */
const struct top_row *top_rates_row(const struct top_page *p, const struct row *row);

/* Return: the row of @v that was made from it. */
const struct row *top_rates_of(const struct top_page *p, const struct top_row *row);

/* Return: the column of the view that a column of @v shows, or NULL. */
const struct top_spec *top_rates_spec(const struct top_page *p, int column);

/* Print the 95 % interval of a number; "" if it is exact or not known. */
void top_rates_interval(const struct top_page *p, const struct row *row, int column,
			char buf[CELL_LEN]);

void top_page_free(struct top_page *p);

/* ---- the window of the growth (window.c) ---------------------------------- */

/* Test whether a view has a growth. */
bool top_window_is_shown(const struct top_view *view);

/* Test whether the module keeps a history of the rows of a page. */
bool top_window_has_history(const struct top_page *p);

/* Return: the name of the module's column of the change in a window, or NULL. */
const char *top_window_column(enum top_window window);

/* Return: the window to show, by what was chosen, and by what is known. */
enum top_window top_window_of(const struct top_page *p);

/* Print the growth of all rows for the line of totals, with its window; @title: its column's. */
void top_window_print(FILE *out, const struct top_page *p, const char *growth, const char *title);

/* ---- what is on the screen (canvas.c) ------------------------------------- */

/*
 * A canvas is an array of cells, each with a character and attributes.  Drawing on it needs no
 * terminal, so tests can look at it.  All text of the module is ASCII; the only other
 * characters are blocks of graphs, which are 1 to TOP_LEVELS: that many eighths of a block.
 */
#define TOP_LEVELS	8

/* Attributes of a cell.  None of them has a meaning that the text does not have as well. */
enum {
	TOP_REVERSE	= 1 << 0,
	TOP_BOLD	= 1 << 1,
	TOP_WARNING	= 1 << 2,
	TOP_GROWS	= 1 << 3,
	TOP_SHRINKS	= 1 << 4,
};

struct top_cell {
	char c;
	unsigned char attributes;
};

/**
 * struct top_canvas - a canvas
 * @lines: number of its lines
 * @columns: number of its columns
 * @cells: the cells, line by line
 */
struct top_canvas {
	int lines;
	int columns;
	struct top_cell *cells;
};

/* Give a canvas a size, and make it blank. */
void top_canvas_clear(struct top_canvas *c, int lines, int columns);

/* Put a text, without the part outside of the canvas.  Return: the column after it. */
int top_canvas_put(struct top_canvas *c, int line, int column, unsigned int attributes,
		   const char *text);

/* Print with a format. */
__printf(5, 6)
int top_canvas_print(struct top_canvas *c, int line, int column, unsigned int attributes,
		     const char *fmt, ...);

/* Give all cells of a line additional attributes. */
void top_canvas_highlight(struct top_canvas *c, int line, unsigned int attributes);

/* Return: a cell. */
static inline struct top_cell *top_canvas_at(const struct top_canvas *c, int line, int column)
{
	return &c->cells[(size_t)line * c->columns + column];
}

/* Copy a line as text without trailing blanks, with levels as `.`, `:` and `#`. */
char *top_canvas_line(const struct top_canvas *c, int line);

/* Return: the ASCII character for a level from 1 to TOP_LEVELS, or for any other character. */
char top_canvas_ascii(char c);

/* ---- the machine's memory (memory.c) -------------------------------------- */

/**
 * struct top_memory - what the bars show of the memory of the machine
 * @machine: what the memory of the machine is used for
 * @recorded: how much of its slabs the rows of the table caches have
 * @is_recorded: this is known
 * @sampled: this is an estimate
 * @hidden: the screen is too small for bars, so that nothing is read for them
 */
struct top_memory {
	struct machine machine;
	u64 recorded;
	bool is_recorded;
	bool sampled;
	bool hidden;
};

/* Draw the bars, unless nothing is known or the screen is small.  Return: the next line. */
int top_memory_draw(struct top_canvas *c, int line, struct top_memory *m);

/* ---- the user interface (ui.c) -------------------------------------------- */

/*
 * The state of the screen, and the effect of keys.  This part reads tables and writes `control`,
 * but knows no terminal. Each view keeps its rows, order and cursor while another one is shown, and
 * nothing is read for it meanwhile.
 */

/* Keys that are no characters.  Their numbers are above all codes of ncurses, see terminal.c. */
enum top_key {
	TOP_KEY_UP = 0x10000,
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
	TOP_KEY_HELP,
	/* A key that has no effect, but is input. */
	TOP_KEY_OTHER,
};

#define TOP_NO_KEY		(-1)
#define TOP_KEY_TAB		'\t'
#define TOP_KEY_ENTER		'\n'
#define TOP_KEY_ESCAPE		27
#define TOP_KEY_BACKSPACE	127

/* The usual time between two refreshes. */
#define TOP_DELAY_MS		1000

enum top_mode {
	TOP_LIST,
	TOP_DETAILS,
	TOP_HELP,
};

/* The text that the user is typing. */
enum top_prompt {
	TOP_NO_PROMPT,
	TOP_ASK_FILTER,
	TOP_ASK_DELAY,
};

/**
 * struct top_ui - the user interface
 * @page: the views
 * @view: number of the view that is shown
 * @last_view: number of the view that was shown before it
 * @mode: the part of it that is shown
 * @prompt: the prompt, while the user is typing
 * @input: the text that was typed so far
 * @delay_ms: time between two refreshes
 * @frozen: nothing is refreshed
 * @quit: the user wants to quit
 * @stale: the view has to be refreshed at once
 * @setting: the setting that was switched on for the view
 * @message: the text for the user until the next key; "": none
 * @trouble: why the last refresh failed; "": it did not
 * @hash: the row of the details
 * @scroll: first line of the details or of the help on the screen
 * @stacks: the table stacks, while details of a call site are shown; or NULL
 * @gfp: names of gfp flags; NULL if they have not been read
 * @window: the window of the growth in all views that have several
 * @memory: what the machine's memory is used for
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
	enum top_window window;
	struct top_memory memory;
};

/* Return: the page that is shown. */
static inline struct top_page *top_ui_page(struct top_ui *ui)
{
	return &ui->page[ui->view];
}

/*
 * Read the table of the view again; @key: name of the column to sort by at first, or NULL.  A table
 * that cannot be read this time is reported on the screen, unless it is the first one or the module
 * is not loaded.
 * Return: 0, or -1 after calling fail() if the program has to end.
 */
int top_ui_refresh(struct top_ui *ui, const char *key);

/* Handle a key. */
void top_ui_key(struct top_ui *ui, int key);

/* Restore the setting that the view has switched on, for a while, and set it again. */
void top_ui_pause(struct top_ui *ui);
void top_ui_resume(struct top_ui *ui);

void top_ui_free(struct top_ui *ui);

/* ---- drawing (screen.c, list.c, details.c) -------------------------------- */

/* On a smaller screen, only a remark that says so is shown. */
#define TOP_SCREEN_LINES	8
#define TOP_SCREEN_COLUMNS	40

/* Draw the user interface on a canvas, whose size is that of the screen. */
void top_screen_draw(struct top_canvas *c, struct top_ui *ui);

/* Forget the widths of columns. */
void top_list_reset(struct top_page *p);

/* Move the cursor, and stop it at the first and at the last row. */
void top_list_move(struct top_page *p, long by);

/* Scroll the labels, which then begin at the left end or farther right. */
void top_list_scroll(struct top_page *p, int by);

/* Draw the titles and the rows in @lines lines, beginning with line @from. */
void top_list_draw(struct top_page *p, struct top_canvas *c, int from, int lines);

/*
 * Print the label, all numbers with their intervals, the graphs of the history, and stacks.
 * @stacks: the table stacks, to show the stacks that lead to a call site, or NULL
 * @gfp: names of gfp flags, or NULL
 * Return: the text, in the characters of a canvas; the caller frees it.
 */
char *top_details_make(const struct top_page *p, const struct top_row *row,
		       const struct table *stacks, const struct gfp *gfp, int screen);

/* ---- the terminal (terminal.c) -------------------------------------------- */

/*
 * ncurses sends only what has changed since the last canvas.  A terminal whose cursor cannot be
 * moved gets each canvas as lines of text below each other.
 */

/* Open the terminal on standard input and output.  Return: 0, or -1 after calling fail(). */
int top_terminal_open(void);

/* Give the terminal back as it was, for good or for a while. */
void top_terminal_close(void);
void top_terminal_suspend(void);
void top_terminal_resume(void);

/* Give the canvas the size of the terminal, and show it. */
void top_terminal_clear(struct top_canvas *c);
void top_terminal_draw(const struct top_canvas *c);

/* Return: the next key that was pressed, or TOP_NO_KEY. */
int top_terminal_key(void);

/* Return: the key of a character or of a code of ncurses. */
int top_terminal_key_of(int code);

#endif /* TOP_H */
