/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last error: why a setting or a command was refused.  It is one line, which says what is
 * wrong and what to do.  The file `control` shows it as `last_error` until the next valid
 * command.
 */
#ifndef KMA_ERROR_H
#define KMA_ERROR_H

#include <linux/compiler.h>
#include <linux/types.h>

/**
 * kma_refuse() - set the last error, because a value or a command is refused
 * @fmt: format of the reason, as for printk(), without a newline
 *
 * Characters that are not printable ASCII are replaced by `?`.
 *
 * Context: process; kma_lock is held.
 * Return: -EINVAL.
 */
__printf(1, 2) int kma_refuse(const char *fmt, ...);

/**
 * kma_error_clear() - forget the last error
 *
 * Context: process; kma_lock is held.
 */
void kma_error_clear(void);

/**
 * kma_error_last() - get the last error
 *
 * Context: process; kma_lock is held for as long as the text is used.
 * Return: the text, which is `none` if there is no error.
 */
const char *kma_error_last(void);

/**
 * kma_printable() - whether a value can be shown in a line of text
 * @text: the value
 * @size: size of the buffer for the value, in bytes, NUL included
 * @blanks: true if blanks are allowed
 *
 * Values are shown in lists separated by `;`, so a value must not contain `;`.
 *
 * Context: any.
 * Return: true if @text is printable ASCII without `;`, is not empty, and fits into @size.
 */
bool kma_printable(const char *text, size_t size, bool blanks);

#endif /* KMA_ERROR_H */
