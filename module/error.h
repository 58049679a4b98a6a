/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why a setting or a command was refused.  The reason is one line that says what
 * is wrong and what to do; it stays in `last_error` of the file `control` until the
 * next command that is accepted.
 */
#ifndef KMA_ERROR_H
#define KMA_ERROR_H

#include <linux/compiler.h>
#include <linux/types.h>

/**
 * kma_refuse() - say why a value or a command is refused
 * @fmt: as for printk(), one line
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
 * Context: process; kma_lock is held, for as long as the text is used.
 * Return: the text; `none` if there was none.
 */
const char *kma_error_last(void);

/**
 * kma_printable() - whether a value can be shown within a line
 * @text: the value
 * @size: room for it, its NUL included
 * @blanks: blanks are allowed
 *
 * Values are shown in lists with `;` between them, so they must not contain one.
 *
 * Context: any.
 * Return: true for printable ASCII without `;` that fits and is not empty.
 */
bool kma_printable(const char *text, size_t size, bool blanks);

#endif /* KMA_ERROR_H */
