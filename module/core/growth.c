// SPDX-License-Identifier: GPL-2.0
/* Growth of many values.  See growth.h. */
#include <linux/errno.h>
#include <linux/string.h>

#include "env.h"
#include "growth.h"

int kma_growth_init(struct kma_growth *g, u32 nr)
{
	g->nr = nr;
	g->slot = kma_env_zalloc((size_t)nr * sizeof(g->slot[0]));
	kma_growth_forget(g);
	return g->slot ? 0 : -ENOMEM;
}

void kma_growth_destroy(struct kma_growth *g)
{
	kma_env_free(g->slot);
	g->slot = NULL;
}

void kma_growth_forget(struct kma_growth *g)
{
	int i;

	for (i = 0; i < KMA_GROWTH_MARKS; i++)
		g->time[i] = KMA_GROWTH_NEVER;
	g->newest = 0;
	g->marking = false;
	g->base = -1;
}

/* The newest mark that is from one to two windows old, or -1. */
static int kma_growth_base(const struct kma_growth *g, u64 now, u64 window)
{
	int i, base = -1;
	u64 age;

	for (i = 0; i < KMA_GROWTH_MARKS; i++) {
		age = now - g->time[i];
		if (g->time[i] != KMA_GROWTH_NEVER && age >= window && age <= 2 * window &&
		    (base < 0 || g->time[i] > g->time[base]))
			base = i;
	}
	return base;
}

void kma_growth_begin(struct kma_growth *g, u64 now, u64 window)
{
	const u64 last = g->time[g->newest];
	u32 i;

	g->marking = last == KMA_GROWTH_NEVER || 4 * (now - last) >= window;
	if (g->marking) {
		g->newest = (g->newest + 1) % KMA_GROWTH_MARKS;
		g->time[g->newest] = now;
		for (i = 0; i < g->nr; i++)
			g->slot[i].value[g->newest] = 0;
	}
	g->base = kma_growth_base(g, now, window);
}

u32 kma_growth_add(struct kma_growth *g, u32 i, u64 key, u32 value)
{
	struct kma_growth_slot *slot = &g->slot[i];

	if (slot->key != key)
		*slot = (struct kma_growth_slot) { .key = key };
	if (g->marking)
		slot->value[g->newest] = value;
	return g->base >= 0 && value > slot->value[g->base] ? value - slot->value[g->base] : 0;
}
