// SPDX-License-Identifier: GPL-2.0
/* Comments in text output.  See comment.h. */
#include <stdlib.h>
#include <string.h>

#include "comment.h"
#include "error.h"

/* Print a word, on a new line if it does not fit after the @used columns. */
static void print_word(FILE *out, int screen, int *used, const char *word)
{
	int len = strlen(word);

	if (screen && *used + 1 + len > screen && *used > 1)
		*used = fprintf(out, "\n#") - 1;
	*used += fprintf(out, " %s", word);
}

void comment_print(FILE *out, const char *text, int screen)
{
	char *copy = alloc_copy(text), *rest = copy, *word;
	int used = fprintf(out, "#");

	while ((word = strsep(&rest, " ")))
		print_word(out, screen, &used, word);
	fputc('\n', out);
	free(copy);
}
