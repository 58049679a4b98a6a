/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reason why a setting or a command was refused.  It is one line, and says what is
 * wrong and what to do.  The file `control` shows it as `last_error` until a command is
 * accepted.
 */
#ifndef KMA_ERROR_H
#define KMA_ERROR_H

#include <linux/compiler.h>
#include <linux/types.h>

/**
 * kma_refuse() - refuse a value or a command: set the last error
 * @fmt: the reason, as for printk(), without a newline
 *
 * Characters that cannot be printed become `?`.
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
 * kma_error_last() - the last error
 *
 * Context: process; kma_lock is held for as long as the text is used.
 * Return: the text; `none` if there is no error.
 */
const char *kma_error_last(void);

/**
 * kma_printable() - whether a value can be shown in a line of text
 * @text: the value
 * @size: room for the value, in bytes, with its NUL
 * @blanks: whether blanks are allowed
 *
 * Values are shown in lists with `;` between them, so a value must not contain `;`.
 *
 * Context: any.
 * Return: true for printable ASCII without `;` that fits and is not empty.
 */
bool kma_printable(const char *text, size_t size, bool blanks);

#endif /* KMA_ERROR_H */
