// SPDX-License-Identifier: GPL-2.0
/* The history of the rows of a view.  See the overview in top_history.h. */
#include <stdlib.h>

#include "error.h"
#include "top_history.h"

u64 top_history_take(struct top_history *h)
{
	u64 slot;

	if (h->nr_unused)
		slot = h->unused[--h->nr_unused];
	else if (h->nr_slots < TOP_HISTORY_ROWS)
		slot = h->nr_slots++;
	else
		return TOP_NO_SLOT;
	h->born[slot] = h->refresh + 1;
	return slot;
}

void top_history_give(struct top_history *h, u64 slot)
{
	if (slot != TOP_NO_SLOT)
		h->unused[h->nr_unused++] = slot;
}

void top_history_begin(struct top_history *h, u64 ms)
{
	size_t at = ++h->refresh % TOP_HISTORY_DEPTH;

	h->ms[at] = ms;
	if (h->room[at] >= h->nr_slots)
		return;
	free(h->points[at]);
	h->points[at] = alloc(h->nr_slots, sizeof(*h->points[at]));
	h->room[at] = h->nr_slots;
}

void top_history_store(struct top_history *h, u64 slot, struct top_point point)
{
	if (slot != TOP_NO_SLOT)
		h->points[h->refresh % TOP_HISTORY_DEPTH][slot] = point;
}

int top_history_read(const struct top_history *h, u64 slot,
		     struct top_point points[TOP_HISTORY_DEPTH],
		     u64 ms[TOP_HISTORY_DEPTH])
{
	u64 first, refresh;
	int nr = 0;

	if (slot == TOP_NO_SLOT || !h->refresh)
		return 0;
	first = h->born[slot];
	if (h->refresh >= TOP_HISTORY_DEPTH && first <= h->refresh - TOP_HISTORY_DEPTH)
		first = h->refresh - TOP_HISTORY_DEPTH + 1;
	for (refresh = first; refresh <= h->refresh; refresh++, nr++) {
		points[nr] = h->points[refresh % TOP_HISTORY_DEPTH][slot];
		ms[nr] = h->ms[refresh % TOP_HISTORY_DEPTH];
	}
	return nr;
}

void top_history_free(struct top_history *h)
{
	size_t i;

	for (i = 0; i < TOP_HISTORY_DEPTH; i++)
		free(h->points[i]);
}
