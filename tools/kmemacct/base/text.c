// SPDX-License-Identifier: GPL-2.0
/* Texts: lists, lines, and suggestions for words that do not exist. */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

bool text_lists(const char *list, const char *word)
{
	size_t len;

	for (; list && *list; list += len + !!list[len]) {
		len = strcspn(list, ",");
		if (len == strlen(word) && !strncmp(list, word, len))
			return true;
	}
	return false;
}

bool text_begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

bool text_ends(const char *text, const char *with)
{
	size_t len = strlen(text), end = strlen(with);

	return len > end && !strcmp(text + len - end, with);
}

/* Control characters, also those from U+0080 to U+009F, could confuse a terminal. */
static bool is_control(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;

	return *c < ' ' || *c == 0x7f || (*c == 0xc2 && c[1] < 0xa0);
}

char *text_clean(char *text)
{
	char *from, *to = text;
	int len;

	for (from = text; *from; from += len ?: 1) {
		len = utf8_length(from);
		if (!len || is_control(from)) {
			*to++ = '?';
			continue;
		}
		memmove(to, from, len);
		to += len;
	}
	*to = '\0';
	return text;
}

void text_widen(int *width, const char *text)
{
	const int columns = utf8_columns(text);

	if (*width < columns)
		*width = columns;
}

void text_wrap(FILE *out, const char *text, int used, const char *margin, int screen)
{
	char *copy = alloc_copy(text), *rest = copy, *word;
	const int least = strlen(margin);
	bool first = true;
	int len;

	while ((word = strsep(&rest, " "))) {
		len = strlen(word);
		if (screen && !first && used + 1 + len > screen && used > least) {
			used = fprintf(out, "\n%s", margin) - 1;
			first = true;
		}
		used += fprintf(out, "%s%s", first ? "" : " ", word);
		first = false;
	}
	fputc('\n', out);
	free(copy);
}

void text_comment(FILE *out, const char *text, int screen)
{
	fputs("# ", out);
	text_wrap(out, text, 2, "# ", screen);
}

void text_comments(FILE *out, const char *text, int screen)
{
	char *copy = alloc_copy(text), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		if (*line)
			text_comment(out, line, screen);
	free(copy);
}

/* ---- suggestions ---------------------------------------------------------- */

/* A common beginning of this length is enough to suggest the word. */
#define BEGINNING	3

/* Dashes and underscores, and lower and upper case, do not differ. */
static bool differs(char a, char b)
{
	return a != b && !(a == '-' && b == '_') &&
	       tolower((unsigned char)a) != tolower((unsigned char)b);
}

static int least_of(int a, int b)
{
	return a < b ? a : b;
}

/* Count the differences between two words; two neighbors that are exchanged are one difference. */
static int distance(const char *a, const char *b)
{
	int rows[3][SUGGEST_LEN], *row, *before, *before2, i, j;

	for (j = 0; j < SUGGEST_LEN; j++)
		rows[0][j] = j;
	/* row[j] is how far the first i characters of a are from the first j of b. */
	for (i = 1; a[i - 1]; i++) {
		row = rows[i % 3];
		before = rows[(i + 2) % 3];
		before2 = rows[(i + 1) % 3];
		row[0] = i;
		for (j = 1; b[j - 1]; j++) {
			row[j] = least_of(before[j], row[j - 1]) + 1;
			row[j] = least_of(row[j], before[j - 1] + differs(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && !differs(a[i - 1], b[j - 2]) &&
			    !differs(a[i - 2], b[j - 1]))
				row[j] = least_of(row[j], before2[j - 2] + 1);
		}
	}
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

void suggest_try(struct suggestion *s, const char *known)
{
	const int len = strlen(s->word);
	int differ, rank;
	bool begins;

	if (!len || !known || strlen(known) >= SUGGEST_LEN)
		return;
	begins = text_begins(known, s->word);
	differ = distance(s->word, known);
	/* If two words are equally near, prefer the one that begins with the wrong word. */
	rank = 2 * differ - begins;
	/* A third of the characters may be wrong. */
	if (rank >= s->rank ||
	    (!(len >= BEGINNING && begins) && differ > (len < 2 ? 0 : (len + 1) / 3)))
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
