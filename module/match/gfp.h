/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of gfp flags, as this kernel's own trace events print them, in the same order.
 * Flags of several bits come first.  To decode a mask, go through the list in order, and remove
 * the bits of each flag that is found.
 *
 * Context of all functions: any.
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

/* Flag @i of the list, from 0; its @name is NULL if there is no such flag. */
struct kma_gfp_flag kma_gfp_flag(unsigned int i);

/*
 * Parse gfp flags: their names separated by `|`, or a hexadecimal number with the prefix 0x.
 * Returns 0, or -EINVAL for any other text and for a mask of 0.
 */
int kma_gfp_parse(const char *text, u32 *mask);

#endif /* KMA_MATCH_GFP_H */
