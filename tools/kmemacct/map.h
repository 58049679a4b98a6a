/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Maps from keys, texts or numbers, to values.  They are balanced trees of tsearch(3): the time to
 * find a key grows only with the logarithm of their number.
 */
#ifndef MAP_H
#define MAP_H

#include <stdint.h>

#include "base.h"

/**
 * struct map - a map; one that is all zeroes but for @compare is empty
 * @compare: the order of the keys: map_compare_texts() or map_compare_numbers()
 * @root: the tree
 */
struct map {
	int (*compare)(const void *a, const void *b);
	void *root;
};

/* Compare entries of a map whose keys point to texts, and of one whose keys point to a u64. */
int map_compare_texts(const void *a, const void *b);
int map_compare_numbers(const void *a, const void *b);

/*
 * Find the value of a key.
 * Return: where it is stored, or NULL if the map does not have the key.
 */
uintptr_t *map_find(const struct map *m, const void *key);

/* Put a key, which is not copied, with its value.  The map must not have it. */
void map_put(struct map *m, const void *key, uintptr_t value);

/* Free the tree, but no keys. */
void map_clear(struct map *m);

#endif /* MAP_H */
