/* SPDX-License-Identifier: GPL-2.0 */
/* The exact record of the page allocations of kmemacct_pages. */
#ifndef KMA_PAGES_ACCOUNT_H
#define KMA_PAGES_ACCOUNT_H

#include <linux/gfp.h>
#include <linux/mutex.h>
#include <linux/types.h>

#define TRUTH_KINDS	256
#define TRUTH_PIECES	4096

/**
 * struct truth_kind - the true counters of a call site, order and gfp flags
 * @function: the call site
 * @order: order of the page allocations
 * @gfp: their gfp flags
 * @hits: allocations that returned memory, without those of the bulk allocator
 * @bulk: page allocations that the bulk allocator returned
 * @failed: allocations that returned no memory
 * @frees: allocations whose first page has been freed
 * @live_pages: pages that have not been freed
 */
struct truth_kind {
	const char *function;
	unsigned int order;
	gfp_t gfp;
	u64 hits;
	u64 bulk;
	u64 failed;
	u64 frees;
	u64 live_pages;
};

/**
 * struct truth_piece - pages of one allocation that are freed together
 * @page: the first of these pages
 * @order: order of the piece
 * @kind: the counters that the allocation belongs to
 * @first: @page is also the first page of the allocation
 * @pid: process that allocated it
 */
struct truth_piece {
	struct page *page;
	unsigned int order;
	struct truth_kind *kind;
	bool first;
	pid_t pid;
};

/* Protects the kinds and the pieces, and serializes scenarios. */
extern struct mutex truth_lock;

extern struct truth_kind truth_kind[TRUTH_KINDS];
extern struct truth_piece truth_piece[TRUTH_PIECES];
extern int truth_nr_kinds, truth_nr_pieces;

/* Find or make a kind. Return: the kind, or NULL if there is no room for a new one. */
struct truth_kind *truth_kind_of(const char *function, unsigned int order, gfp_t gfp);

/**
 * truth_note() - count a page allocation
 * @function: the call site
 * @order: its order
 * @gfp: its gfp flags
 * @bulk: the bulk allocator returned it
 *
 * Return: its kind, and then there is room for eight pieces; NULL if there is no room.
 */
struct truth_kind *truth_note(const char *function, unsigned int order, gfp_t gfp,
			      bool bulk);

/* Record a live piece of an allocation, which will be freed as a whole. */
void truth_note_piece(struct page *page, unsigned int order, struct truth_kind *kind,
		      bool first);

/* Count a page allocation, and record it as one piece. Return: 0 or -ENOSPC. */
int truth_note_alloc(struct page *page, const char *function, unsigned int order,
		     gfp_t gfp, bool bulk);

/* Count the free of piece @i, and delete its record; the last piece takes its number. */
void truth_forget(int i);

/* Free piece @i. */
void truth_free(int i);

#endif /* KMA_PAGES_ACCOUNT_H */
