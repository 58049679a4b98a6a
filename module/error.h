/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last error: why a setting or a command was refused.  It is one line, which says what is
 * wrong and what to do.  The file `control` shows it as `last_error` until the next valid
 * command.
 *
 * Context, unless a function says otherwise: process; kma_lock is held.
 */
#ifndef KMA_ERROR_H
#define KMA_ERROR_H

#include <linux/compiler.h>
#include <linux/types.h>

/*
 * Set the last error, because a value or a command is refused.  The format is as for printk(),
 * without a newline.  Characters that are not printable ASCII are replaced by `?`.  Returns
 * -EINVAL.
 */
__printf(1, 2) int kma_refuse(const char *fmt, ...);

void kma_error_clear(void);

/* The last error, `none` if there is no error.  Hold kma_lock for as long as the text is used. */
const char *kma_error_last(void);

/*
 * Whether a value can be shown in a line of text: @text has no control characters, and no blanks
 * unless @blanks is true, is not empty, and fits with its NUL into @size bytes.  Values are shown
 * in lists separated by `;`, so a value must not contain `;`.  Context: any.
 */
bool kma_printable(const char *text, size_t size, bool blanks);

/*
 * Remove ASCII blanks from both ends of a text.  strim() also removes the byte 0xa0, which is the
 * last byte of some letters in UTF-8.  Context: any.
 *
 * Return: the beginning of what is left.
 */
char *kma_strim(char *text);

#endif /* KMA_ERROR_H */
