// SPDX-License-Identifier: GPL-2.0
/* Maps, in the balanced trees of tsearch(3). */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

struct pair {
	const void *key;
	uintptr_t value;
};

int map_compare_texts(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return strcmp(x->key, y->key);
}

int map_compare_numbers(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	const u64 m = *(const u64 *)x->key, n = *(const u64 *)y->key;

	return m < n ? -1 : m > n;
}

uintptr_t *map_find(const struct map *m, const void *key)
{
	const struct pair wanted = { .key = key };
	struct pair **found = tfind(&wanted, &m->root, m->compare);

	return found ? &(*found)->value : NULL;
}

void map_put(struct map *m, const void *key, uintptr_t value)
{
	struct pair *entry = alloc(1, sizeof(*entry));

	*entry = (struct pair) { key, value };
	alloc_check(tsearch(entry, &m->root, m->compare));
}

void map_clear(struct map *m)
{
	tdestroy(m->root, free);
	m->root = NULL;
}
