/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The terminal of kmemacct top.
 *
 * ncurses sends only what has changed since the last canvas.  A terminal whose cursor cannot be
 * moved gets each canvas as lines of text below each other.
 */
#ifndef TOP_TERMINAL_H
#define TOP_TERMINAL_H

#include "top_canvas.h"

#define TOP_NO_KEY	(-1)

/*
 * Open the terminal on standard input and output.
 * Return: 0, or -1 after calling fail().
 */
int top_terminal_open(void);

/* Give the terminal back as it was. */
void top_terminal_close(void);

/* The same for a while: before the program stops, and after it goes on. */
void top_terminal_suspend(void);
void top_terminal_resume(void);

/* Read the size of the terminal, and give the canvas this size. */
void top_terminal_clear(struct top_canvas *c);

/* Show a canvas. */
void top_terminal_draw(const struct top_canvas *c);

/* Return: the next key that was pressed, as in top_ui.h; or TOP_NO_KEY. */
int top_terminal_key(void);

#endif /* TOP_TERMINAL_H */
