/* SPDX-License-Identifier: GPL-2.0 */
/* Names as they are typed, and suggestions for wrong ones: "did you mean 'callers'?" */
#ifndef SUGGEST_H
#define SUGGEST_H

#include "base.h"

/* Longest word that gets a suggestion, with its NUL. */
#define SUGGEST_LEN	64

/**
 * struct suggestion - the known word that is nearest to a wrong one
 * @word: the wrong word
 * @best: the nearest known word, or NULL if none is near
 * @rank: how far it is
 */
struct suggestion {
	char word[SUGGEST_LEN];
	const char *best;
	int rank;
};

/* Test for the name of a table or a command, which may be typed with dashes for underscores. */
bool suggest_is(const char *name, const char *typed);

/* Begin with the first @len characters of a wrong word. */
void suggest_begin(struct suggestion *s, const char *word, size_t len);

/* Compare the wrong word with a known one, which has to stay in memory; NULL is none. */
void suggest_try(struct suggestion *s, const char *known);

/*
 * Call fail() with a message, a colon, and the suggestion; or @otherwise if there is none.
 * Return: -1.
 */
__printf(3, 4) int suggest_fail(const struct suggestion *s, const char *otherwise,
				const char *fmt, ...);

#endif /* SUGGEST_H */
