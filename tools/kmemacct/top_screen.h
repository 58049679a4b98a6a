/* SPDX-License-Identifier: GPL-2.0 */
/* What kmemacct top shows, drawn on a canvas. */
#ifndef TOP_SCREEN_H
#define TOP_SCREEN_H

#include "top_canvas.h"
#include "top_ui.h"

/* On a smaller screen, only a remark that says so is shown. */
#define TOP_SCREEN_LINES	8
#define TOP_SCREEN_COLUMNS	40

/* Draw the user interface on a canvas, whose size is that of the screen. */
void top_screen_draw(struct top_canvas *c, struct top_ui *ui);

#endif /* TOP_SCREEN_H */
