/* SPDX-License-Identifier: GPL-2.0 */
/* The state of a table in words: how exact it is, what was lost, and since when it counts. */
#ifndef TOP_STATE_H
#define TOP_STATE_H

#include "top_rows.h"

/* Size of the text of a state, with its NUL. */
#define TOP_STATE_LEN	1024

/**
 * top_state_print() - describe the state of the last table of a view
 * @r: the rows
 * @estimates: some numbers of the table are estimates
 * @text: set to the text: parts with semicolons between them, what was lost before what was not
 *
 * Return: true if something was lost or left out.
 */
bool top_state_print(const struct top_rows *r, bool estimates, char text[TOP_STATE_LEN]);

#endif /* TOP_STATE_H */
