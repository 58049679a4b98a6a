// SPDX-License-Identifier: GPL-2.0
/* The terminal of kmemacct top. */
#include <assert.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include <curses.h>

#include "top.h"

/* Time to wait for the rest of a key's code after ESC.  A byte takes 1 ms at 9600 baud. */
#define ESCAPE_DELAY_MS	50

/* The first of the blocks of one eighth to eight eighths in Unicode. */
#define BLOCK_EIGHTH	0x2581

/* Size of a terminal that does not tell it. */
#define USUAL_LINES	24
#define USUAL_COLUMNS	80

enum { PAIR_WARNING = 1, PAIR_GROWS, PAIR_SHRINKS };

/**
 * struct terminal - the terminal
 * @screen: the screen of ncurses; NULL: the cursor cannot be moved
 * @plain: settings of the terminal to restore, if @screen is NULL
 * @has_plain: @plain is set
 * @colour: colours are used
 * @blocks: it can show blocks
 * @lines: number of its lines
 * @columns: number of its columns
 */
static struct {
	SCREEN *screen;
	struct termios plain;
	bool has_plain;
	bool colour;
	bool blocks;
	int lines;
	int columns;
} terminal;

/* ---- open and close ------------------------------------------------------- */

/* See no-color.org: colours are off if the variable is set and not empty. */
static bool wants_colour(void)
{
	const char *no = getenv("NO_COLOR");

	return !no || !*no;
}

static void set_colours(void)
{
	terminal.colour = wants_colour() && has_colors() && start_color() == OK;
	if (!terminal.colour)
		return;
	use_default_colors();
	init_pair(PAIR_WARNING, COLOR_YELLOW, -1);
	init_pair(PAIR_GROWS, COLOR_RED, -1);
	init_pair(PAIR_SHRINKS, COLOR_GREEN, -1);
}

static void set_screen(void)
{
	set_escdelay(ESCAPE_DELAY_MS);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	set_colours();
}

/* Make keys arrive one by one, without an echo. */
static void set_plain(void)
{
	struct termios raw = terminal.plain;

	raw.c_lflag &= ~(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

static int open_plain(void)
{
	if (tcgetattr(STDIN_FILENO, &terminal.plain))
		return fail("the terminal cannot be set up: run top on a terminal");
	terminal.has_plain = true;
	set_plain();
	return 0;
}

static bool moves_cursor(void)
{
	const char *how = tigetstr("cup");

	return how && how != (const char *)-1;
}

static int open_screen(void)
{
	/* The size is what the system says, or else LINES and COLUMNS, as on a serial line. */
	use_tioctl(TRUE);
	use_env(TRUE);
	terminal.screen = newterm(NULL, stdout, stdin);
	if (!terminal.screen)
		return fail("TERM=%s is not a known terminal: try TERM=vt100", getenv("TERM"));
	set_term(terminal.screen);
	if (moves_cursor()) {
		set_screen();
		return 0;
	}
	top_terminal_close();
	return open_plain();
}

int top_terminal_open(void)
{
	const char *name = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return fail("top needs a terminal: use the other commands for files and pipes");
	if (!name || !*name)
		return fail("TERM is not set: set it to the type of the terminal, such as vt100");
	setlocale(LC_CTYPE, "");
	terminal.blocks = !strcmp(nl_langinfo(CODESET), "UTF-8");
	return open_screen();
}

void top_terminal_suspend(void)
{
	if (terminal.screen)
		endwin();
	if (terminal.has_plain)
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal.plain);
}

void top_terminal_resume(void)
{
	if (terminal.has_plain)
		set_plain();
	if (!terminal.screen)
		return;
	reset_prog_mode();
	clearok(curscr, TRUE);
	curs_set(0);
}

void top_terminal_close(void)
{
	top_terminal_suspend();
	if (terminal.screen)
		delscreen(terminal.screen);
	terminal.screen = NULL;
	terminal.has_plain = false;
}

/* ---- drawing -------------------------------------------------------------- */

static void find_size(void)
{
	struct winsize size;

	terminal.lines = terminal.screen ? LINES : USUAL_LINES;
	terminal.columns = terminal.screen ? COLS : USUAL_COLUMNS;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col) {
		terminal.lines = size.ws_row;
		terminal.columns = size.ws_col;
	}
	if (terminal.screen && (terminal.lines != LINES || terminal.columns != COLS))
		resizeterm(terminal.lines, terminal.columns);
}

void top_terminal_clear(struct top_canvas *c)
{
	find_size();
	top_canvas_clear(c, terminal.lines, terminal.columns);
}

static attr_t attributes_of(const struct top_cell *cell, short *pair)
{
	unsigned int a = cell->attributes;

	*pair = 0;
	if (terminal.colour && a & TOP_WARNING)
		*pair = PAIR_WARNING;
	/* A selected row is easier to read in one colour. */
	else if (terminal.colour && !(a & TOP_REVERSE) && a & TOP_GROWS)
		*pair = PAIR_GROWS;
	else if (terminal.colour && !(a & TOP_REVERSE) && a & TOP_SHRINKS)
		*pair = PAIR_SHRINKS;
	return (a & TOP_REVERSE ? A_REVERSE : 0) | (a & TOP_BOLD ? A_BOLD : 0);
}

static void draw_cell(int line, int column, const struct top_cell *cell)
{
	wchar_t text[2] = { (unsigned char)cell->c };
	attr_t attributes;
	cchar_t c;
	short pair;

	if (cell->c > 0 && cell->c <= TOP_LEVELS)
		text[0] = terminal.blocks ? BLOCK_EIGHTH + cell->c - 1 : top_canvas_ascii(cell->c);
	attributes = attributes_of(cell, &pair);
	setcchar(&c, text, attributes, pair, NULL);
	mvadd_wch(line, column, &c);
}

static void draw_screen(const struct top_canvas *c)
{
	int line, column;

	for (line = 0; line < c->lines; line++)
		for (column = 0; column < c->columns; column++)
			draw_cell(line, column, top_canvas_at(c, line, column));
	refresh();
}

/* Print all lines but the empty ones at the end, so that they do not scroll off a small screen. */
static void draw_plain(const struct top_canvas *c)
{
	char *text;
	int line, nr = 0;

	for (line = 0; line < c->lines; line++) {
		text = top_canvas_line(c, line);
		if (*text)
			nr = line + 1;
		free(text);
	}
	for (line = 0; line < nr; line++) {
		text = top_canvas_line(c, line);
		puts(text);
		free(text);
	}
	fflush(stdout);
}

void top_terminal_draw(const struct top_canvas *c)
{
	if (terminal.screen)
		draw_screen(c);
	else
		draw_plain(c);
}

/* ---- keys ----------------------------------------------------------------- */

/*
 * ncurses has codes up to KEY_MAX, and adds codes above it for the keys that only some terminals
 * have.  All of these are less than the program's own keys.
 */
static_assert(TOP_KEY_UP >= 2 * (KEY_MAX + 1), "keys of top must differ from codes of ncurses");

int top_terminal_key_of(int code)
{
	switch (code) {
	case KEY_UP:
		return TOP_KEY_UP;
	case KEY_DOWN:
		return TOP_KEY_DOWN;
	case KEY_LEFT:
		return TOP_KEY_LEFT;
	case KEY_RIGHT:
		return TOP_KEY_RIGHT;
	case KEY_PPAGE:
		return TOP_KEY_PAGE_UP;
	case KEY_NPAGE:
		return TOP_KEY_PAGE_DOWN;
	case KEY_HOME:
		return TOP_KEY_HOME;
	case KEY_END:
		return TOP_KEY_END;
	case KEY_SLEFT:
		return TOP_KEY_SCROLL_LEFT;
	case KEY_SRIGHT:
		return TOP_KEY_SCROLL_RIGHT;
	case KEY_BTAB:
		return TOP_KEY_BACK_TAB;
	case KEY_ENTER:
	case '\r':
		return TOP_KEY_ENTER;
	case KEY_BACKSPACE:
	case '\b':
		return TOP_KEY_BACKSPACE;
	case KEY_F(1):
	case KEY_HELP:
		return TOP_KEY_HELP;
	default:
		return code < KEY_MIN ? code : TOP_KEY_OTHER;
	}
}

static int plain_key(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	unsigned char c;

	if (poll(&in, 1, 0) <= 0 || read(STDIN_FILENO, &c, 1) != 1)
		return TOP_NO_KEY;
	return top_terminal_key_of(c);
}

int top_terminal_key(void)
{
	int code;

	if (!terminal.screen)
		return plain_key();
	code = getch();
	return code == ERR ? TOP_NO_KEY : top_terminal_key_of(code);
}
