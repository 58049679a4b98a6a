// SPDX-License-Identifier: GPL-2.0
/* Lists of words.  See words.h. */
#include <string.h>

#include "words.h"

bool words_has(const char *list, const char *word)
{
	size_t len;

	for (; list && *list; list += len + !!list[len]) {
		len = strcspn(list, ",");
		if (len == strlen(word) && !strncmp(list, word, len))
			return true;
	}
	return false;
}
