// SPDX-License-Identifier: GPL-2.0
/* Suggestions for words that do not exist.  See suggest.h. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "suggest.h"

/* A beginning of this length suggests the word, whatever follows. */
#define BEGINNING	3

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* Dashes and underscores, and lower and upper case, do not differ. */
static bool differs(char a, char b)
{
	return a != b && !(a == '-' && b == '_') &&
	       tolower((unsigned char)a) != tolower((unsigned char)b);
}

/*
 * Compute a row of the table of distances: @row[j] is how far the first @i characters of @a are
 * from the first j of @b.  To exchange two neighbors counts as one difference.
 */
static void next_row(const char *a, int i, const char *b, const int *before2, const int *before,
		     int *row)
{
	int j;

	row[0] = i;
	for (j = 1; b[j - 1]; j++) {
		row[j] = least(before[j], row[j - 1]) + 1;
		row[j] = least(row[j], before[j - 1] + differs(a[i - 1], b[j - 1]));
		if (i > 1 && j > 1 && !differs(a[i - 1], b[j - 2]) && !differs(a[i - 2], b[j - 1]))
			row[j] = least(row[j], before2[j - 2] + 1);
	}
}

static int distance(const char *a, const char *b)
{
	int rows[3][SUGGEST_LEN], i, j;

	for (j = 0; j < SUGGEST_LEN; j++)
		rows[0][j] = j;
	for (i = 1; a[i - 1]; i++)
		next_row(a, i, b, rows[(i + 1) % 3], rows[(i + 2) % 3], rows[i % 3]);
	return rows[(i - 1) % 3][strlen(b)];
}

bool suggest_is(const char *name, const char *typed)
{
	for (; *name && (*name == *typed || (*name == '_' && *typed == '-')); name++)
		typed++;
	return !*name && !*typed;
}

void suggest_begin(struct suggestion *s, const char *word, size_t len)
{
	*s = (struct suggestion) { .rank = 2 * SUGGEST_LEN };
	snprintf(s->word, sizeof(s->word), "%.*s", (int)(len < SUGGEST_LEN ? len : 0), word);
}

static bool begins(const char *word, const char *known)
{
	return !strncmp(word, known, strlen(word));
}

/* A third of the characters may be wrong. */
static bool is_near(const char *word, const char *known, int differ)
{
	int len = strlen(word);

	if (len >= BEGINNING && begins(word, known))
		return true;
	return differ <= (len < 2 ? 0 : (len + 1) / 3);
}

void suggest_try(struct suggestion *s, const char *known)
{
	int differ, rank;

	if (!*s->word || !known || strlen(known) >= SUGGEST_LEN)
		return;
	differ = distance(s->word, known);
	/* Of two words that are equally near, one that begins with the wrong one is better. */
	rank = 2 * differ - begins(s->word, known);
	if (rank >= s->rank || !is_near(s->word, known, differ))
		return;
	s->best = known;
	s->rank = rank;
}

int suggest_fail(const struct suggestion *s, const char *otherwise, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (s->best)
		return fail("%s: did you mean '%s'?", text, s->best);
	return fail("%s: %s", text, otherwise);
}
