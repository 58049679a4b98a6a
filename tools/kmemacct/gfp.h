/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What gfp flags are called.
 *
 * Names are the kernel's own, out of the table gfp_flags.  For each there is a
 * short code made of its words: upper case for those that stand for more than
 * one flag, as K for GFP_KERNEL, and lower case for the others, as z for __GFP_ZERO.
 */
#ifndef GFP_H
#define GFP_H

#include "table.h"

/* Context of gfp_next(); zeroes but for the flags to begin with. */
struct gfp_walk {
	u64 rest;
	size_t next;
};

/* Names out of table gfp_flags, which is theirs from now on. */
struct gfp *gfp_new(struct table *flags);

/* Takes NULL, too. */
void gfp_free(struct gfp *gfp);

/**
 * gfp_next() - the next name of what some flags are made of
 * @gfp: the names
 * @walk: where it goes on; its rest is what has no name, once it has ended
 *
 * Return: the name's number, or -1.
 */
int gfp_next(const struct gfp *gfp, struct gfp_walk *walk);

/* The name of that number. */
const char *gfp_name(const struct gfp *gfp, int nr);

/*
 * Codes in the place of the numbers in column gfp, which has to be there and is
 * one of names from now on.
 */
void gfp_shorten(struct table *t);

/* What the codes mean that gfp_shorten() has used; "" if there are none. */
const char *gfp_legend(const struct gfp *gfp);

/* Table gfp_flags, and the codes.  @flags belong to the new table. */
struct table *gfp_codes(struct table *flags);

#endif /* GFP_H */
