// SPDX-License-Identifier: GPL-2.0
/* The exact record of the page allocations of kmemacct_pages. */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "pages_account.h"

/* See pages_account.h for what it protects. */
DEFINE_MUTEX(truth_lock);
struct truth_kind truth_kind[TRUTH_KINDS];
struct truth_piece truth_piece[TRUTH_PIECES];
int truth_nr_kinds, truth_nr_pieces;

struct truth_kind *truth_kind_of(const char *function, unsigned int order,
				 gfp_t gfp)
{
	struct truth_kind *kind = truth_kind;

	for (; kind < truth_kind + truth_nr_kinds; kind++)
		if (kind->order == order && kind->gfp == gfp &&
		    !strcmp(kind->function, function))
			return kind;
	if (truth_nr_kinds == TRUTH_KINDS)
		return NULL;
	truth_nr_kinds++;
	*kind = (struct truth_kind) { function, order, gfp };
	return kind;
}

void truth_note_piece(struct page *page, unsigned int order,
		      struct truth_kind *kind, bool first)
{
	kind->live_pages += 1 << order;
	truth_piece[truth_nr_pieces++] = (struct truth_piece) {
		page, order, kind, first, current->tgid
	};
}

struct truth_kind *truth_note(const char *function, unsigned int order, gfp_t gfp,
			      bool bulk)
{
	struct truth_kind *kind = truth_kind_of(function, order, gfp);

	/* An allocation has at most eight pieces. */
	if (!kind || truth_nr_pieces + 8 > TRUTH_PIECES)
		return NULL;
	if (bulk)
		kind->bulk++;
	else
		kind->hits++;
	return kind;
}

int truth_note_alloc(struct page *page, const char *function, unsigned int order,
		     gfp_t gfp, bool bulk)
{
	struct truth_kind *kind = truth_note(function, order, gfp, bulk);

	if (!kind)
		return -ENOSPC;
	truth_note_piece(page, order, kind, true);
	return 0;
}

void truth_forget(int i)
{
	const struct truth_piece *p = &truth_piece[i];

	p->kind->live_pages -= 1 << p->order;
	p->kind->frees += p->first;
	truth_piece[i] = truth_piece[--truth_nr_pieces];
}

void truth_free(int i)
{
	const struct truth_piece p = truth_piece[i];

	truth_forget(i);
	__free_pages(p.page, p.order);
}
