/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of gfp flags, as this kernel's own trace events print them, in the same order.
 * Flags of several bits come first.  To decode a mask, go through the list in order, and remove
 * the bits of each flag that is found.
 */
#ifndef KMA_MATCH_GFP_H
#define KMA_MATCH_GFP_H

#include <linux/types.h>

/**
 * struct kma_gfp_flag - a gfp flag
 * @mask: the bits of the flag
 * @name: the name of the flag
 */
struct kma_gfp_flag {
	unsigned long mask;
	const char *name;
};

/**
 * kma_gfp_flag() - get a flag from the list
 * @i: index of the flag, from 0
 *
 * Context: any.
 * Return: the flag; its @name is NULL if there is no such flag.
 */
struct kma_gfp_flag kma_gfp_flag(unsigned int i);

/**
 * kma_gfp_parse() - parse gfp flags
 * @text: names of flags separated by `|`, or a hexadecimal number with the prefix 0x
 * @mask: the result
 *
 * Context: any.
 * Return: 0, or -EINVAL for any other text and for a mask of 0.
 */
int kma_gfp_parse(const char *text, u32 *mask);

#endif /* KMA_MATCH_GFP_H */
