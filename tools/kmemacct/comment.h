/* SPDX-License-Identifier: GPL-2.0 */
/* Comments in text output: lines that begin with `#`. */
#ifndef COMMENT_H
#define COMMENT_H

#include <stdio.h>

/* Print a text as a comment, in lines that fit @screen; 0: they may be of any length. */
void comment_print(FILE *out, const char *text, int screen);

#endif /* COMMENT_H */
