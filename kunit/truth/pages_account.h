/* SPDX-License-Identifier: GPL-2.0 */
/* What is true of the blocks of kmemacct_pages. */
#ifndef KMA_PAGES_ACCOUNT_H
#define KMA_PAGES_ACCOUNT_H

#include <linux/gfp.h>
#include <linux/mutex.h>
#include <linux/types.h>

#define TRUTH_KINDS	256
#define TRUTH_PIECES	4096

/**
 * struct truth_kind - what a site allocates, and what became of it
 * @function: the call site
 * @order: of the blocks
 * @gfp: gfp flags they were asked for with
 * @hits: blocks that it got, but for those of the bulk allocator
 * @bulk: blocks that the bulk allocator returned
 * @failed: allocations that returned no memory
 * @frees: blocks whose first page was freed
 * @live_pages: pages that were not
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
 * struct truth_piece - pages of one block that are freed together
 * @page: the first of them
 * @order: how many they are
 * @kind: what the block is
 * @first: the first page of the block is one of them
 * @pid: process that allocated the block
 */
struct truth_piece {
	struct page *page;
	unsigned int order;
	struct truth_kind *kind;
	bool first;
	pid_t pid;
};

/* Protects all of it, and lets one thing be done at a time. */
extern struct mutex truth_lock;

extern struct truth_kind truth_kind[TRUTH_KINDS];
extern struct truth_piece truth_piece[TRUTH_PIECES];
extern int truth_nr_kinds, truth_nr_pieces;

/* The kind of a block, a new one if need be; NULL if there is no room for it. */
struct truth_kind *truth_kind_of(const char *function, unsigned int order, gfp_t gfp);

/**
 * truth_note() - a block was allocated
 * @function: the call site
 * @order: its order
 * @gfp: its gfp flags
 * @bulk: the bulk allocator returned it
 *
 * Return: its kind, and there is room for eight pieces; NULL if there is none.
 */
struct truth_kind *truth_note(const char *function, unsigned int order, gfp_t gfp,
			      bool bulk);

/* A piece of a block is live, and will be freed as it is. */
void truth_note_piece(struct page *page, unsigned int order, struct truth_kind *kind,
		      bool first);

/* A block was allocated that stays in one piece. Return: 0 or -ENOSPC. */
int truth_note_block(struct page *page, const char *function, unsigned int order,
		     gfp_t gfp, bool bulk);

/* Piece @i is gone, or about to be; the last piece takes its number. */
void truth_forget(int i);

/* Free piece @i. */
void truth_free(int i);

#endif /* KMA_PAGES_ACCOUNT_H */
