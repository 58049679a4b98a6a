// SPDX-License-Identifier: GPL-2.0
/* The memory of the machine in kmemacct top: what RAM and slabs are used for, as bars. */
#include <string.h>

#include "top.h"

/* On a smaller screen, the rows need the lines. */
#define SCREEN_LINES	24

/* Width of the name and the size before a bar, and the minimum width of the bar in its brackets. */
#define NAME_WIDTH	11
#define BAR_MIN		10

/* A part of a bar: the letter that fills it, and its size. */
struct part {
	char letter;
	u64 bytes;
};

/**
 * struct bar - a line with a bar
 * @name: its name
 * @bytes: the size of all
 * @part: its parts, of which the last one has no letter
 * @text: the text after the bar
 */
struct bar {
	const char *name;
	u64 bytes;
	struct part part[6];
	char text[4 * CELL_LEN];
};

/* Parts may overlap a little, as their sizes are read one after the other. */
static u64 rest_of(u64 all, u64 parts)
{
	return all > parts ? all - parts : 0;
}

static struct bar ram_bar(const struct machine *m)
{
	char user[NUMBER_LEN], cache[NUMBER_LEN], unused[NUMBER_LEN];
	struct bar b = {
		"RAM", m->ram, {
			{ 'u', m->user }, { 'c', m->cache },
			{ 's', rest_of(m->slab, m->reclaimable) }, { 'r', m->reclaimable },
			{ 'o', rest_of(m->ram, m->user + m->cache + m->slab + m->free) },
		},
	};

	number_print_bytes(user, m->user, false);
	number_print_bytes(cache, m->cache, false);
	number_print_bytes(unused, m->free, false);
	snprintf(b.text, sizeof(b.text), "user %s, cache %s, free %s", user, cache, unused);
	return b;
}

static struct bar slab_bar(const struct top_memory *m)
{
	char reclaimable[NUMBER_LEN], share[NUMBER_LEN];
	struct bar b = { "Slab", m->machine.slab, { { '#', m->recorded } } };
	int len;

	number_print_bytes(reclaimable, m->machine.reclaimable, false);
	len = snprintf(b.text, sizeof(b.text), "%s reclaimable", reclaimable);
	if (!m->is_recorded)
		return b;
	number_print_share(share, number_ratio(m->recorded, m->machine.slab, 100000));
	snprintf(b.text + len, sizeof(b.text) - len, ", %s%s recorded", m->sampled ? "~" : "",
		 share);
	return b;
}

/* Fill @width cells; each part ends where the sum of the parts up to it does. */
static void fill(struct top_canvas *c, int line, int from, int width, const struct bar *b)
{
	const struct part *part;
	int at = 0, end;
	u64 sum = 0;

	for (part = b->part; part->letter; part++) {
		sum += part->bytes;
		end = sum < b->bytes ? (double)sum / b->bytes * width + 0.5 : width;
		for (; at < end; at++)
			top_canvas_print(c, line, from + at, 0, "%c", part->letter);
	}
}

/* @text: width of the texts after the bars.  Return: the line after it. */
static int draw_bar(struct top_canvas *c, int line, const struct bar *b, int text)
{
	const int width = c->columns - NAME_WIDTH - text - 3;
	char size[NUMBER_LEN];

	number_print_bytes(size, b->bytes, false);
	top_canvas_print(c, line, 0, 0, "%-4s %5s", b->name, size);
	top_canvas_put(c, line, NAME_WIDTH, TOP_BOLD, "[");
	fill(c, line, NAME_WIDTH + 1, width, b);
	top_canvas_put(c, line, NAME_WIDTH + 1 + width, TOP_BOLD, "]");
	top_canvas_put(c, line, NAME_WIDTH + 3 + width, 0, b->text);
	return line + 1;
}

int top_memory_draw(struct top_canvas *c, int line, struct top_memory *m)
{
	const struct bar ram = ram_bar(&m->machine), slab = slab_bar(m);
	int text = 0;

	text_widen(&text, ram.text);
	text_widen(&text, slab.text);
	m->hidden = c->lines < SCREEN_LINES;
	if (!m->machine.ram || m->hidden ||
	    c->columns < NAME_WIDTH + BAR_MIN + 3 + text)
		return line;
	line = draw_bar(c, line, &ram, text);
	return m->machine.slab ? draw_bar(c, line, &slab, text) : line;
}
