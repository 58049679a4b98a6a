/* SPDX-License-Identifier: GPL-2.0 */
/* Lists of words with commas between them, as settings and heads of tables have them. */
#ifndef WORDS_H
#define WORDS_H

#include "base.h"

/* Test whether a list has a word; @list may be NULL. */
bool words_has(const char *list, const char *word);

#endif /* WORDS_H */
