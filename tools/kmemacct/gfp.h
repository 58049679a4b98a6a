/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names and short codes of gfp flags.
 *
 * The names are those of the running kernel, from the table gfp_flags.  A code consists of
 * initials of the name's words: in lower case for __GFP names, as z for __GFP_ZERO, and in
 * upper case for GFP names, most of which combine several flags, as K for GFP_KERNEL.
 */
#ifndef GFP_H
#define GFP_H

#include "table.h"

/* Position of gfp_next().  Before the first call, @rest is the flags to decode, and @next is 0. */
struct gfp_walk {
	u64 rest;
	size_t next;
};

/* Make the names and codes from the table gfp_flags, and take ownership of it. */
struct gfp *gfp_new(struct table *flags);

/* Free the names; @gfp may be NULL. */
void gfp_free(struct gfp *gfp);

/**
 * gfp_next() - find the next name when decoding flags
 * @gfp: the names
 * @walk: the position; after the last name, its @rest has the flags that have no name
 *
 * Return: number of the name, or -1 after the last one.
 */
int gfp_next(const struct gfp *gfp, struct gfp_walk *walk);

/* Return: the name of that number. */
const char *gfp_name(const struct gfp *gfp, int nr);

/* Size of the codes of one number with their NUL. */
#define GFP_TEXT_LEN	64

/* Print the codes of flags, with bars between them; the number, if the codes do not fit. */
void gfp_print(const struct gfp *gfp, char text[GFP_TEXT_LEN], u64 flags);

/*
 * Replace the numbers in the column gfp by codes.  The table has to have that column, whose
 * format becomes FORMAT_NAME, and its @gfp.
 */
void gfp_shorten(struct table *t);

/*
 * Do the same with one number: print its codes, or the number if they do not fit, and remember that
 * they are used.
 */
void gfp_use(struct gfp *gfp, char text[GFP_TEXT_LEN], u64 flags);

/* Make the legend of the codes that gfp_use() has used, when all rows have been printed. */
void gfp_end(struct gfp *gfp);

/* Return: the meaning of all codes that gfp_shorten() has used; "" if there are none. */
const char *gfp_legend(const struct gfp *gfp);

/* Copy the table gfp_flags and add a column of codes.  The copy takes ownership of @flags. */
struct table *gfp_codes(struct table *flags);

#endif /* GFP_H */
