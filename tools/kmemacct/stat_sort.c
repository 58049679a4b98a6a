// SPDX-License-Identifier: GPL-2.0
/* The order of rows.  See stat_sort.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "files.h"
#include "kallsyms.h"
#include "stat_sort.h"
#include "suggest.h"

/* ---- keys ----------------------------------------------------------------- */

enum key {
	KEY_PTR,
	KEY_CALLSITE,
	KEY_HIT,
	KEY_BYTES,
	KEY_FRAG,
	KEY_PINGPONG,
	KEY_PAGE,
	KEY_ORDER,
	KEY_MIGTYPE,
	KEY_GFP,
	KEY_NR
};

static const struct {
	const char *name;
	bool slab;
	bool page;
} keys[KEY_NR] = {
	[KEY_PTR] = { "ptr", .slab = true },
	[KEY_CALLSITE] = { "callsite", .slab = true, .page = true },
	[KEY_HIT] = { "hit", .slab = true, .page = true },
	[KEY_BYTES] = { "bytes", .slab = true, .page = true },
	[KEY_FRAG] = { "frag", .slab = true },
	[KEY_PINGPONG] = { "pingpong", .slab = true },
	[KEY_PAGE] = { "page", .page = true },
	[KEY_ORDER] = { "order", .page = true },
	[KEY_MIGTYPE] = { "migtype", .page = true },
	[KEY_GFP] = { "gfp", .page = true },
};

/* Keys of a table if -s names none. */
static const char * const default_keys[STAT_TABLES] = {
	[STAT_SLAB_CALLER] = "frag,hit,bytes",
	[STAT_SLAB_ALLOC] = "frag,hit,bytes",
	[STAT_PAGE_CALLER] = "bytes,hit",
	[STAT_PAGE_ALLOC] = "bytes,hit",
};

/* The column of a key; -1: the rows of the table do not differ in it. */
static const int columns[STAT_TABLES][KEY_NR] = {
	[STAT_SLAB_CALLER] = {
		[KEY_PTR] = -1,
		[KEY_HIT] = COUNT_hits,
		[KEY_BYTES] = COUNT_bytes_alloc,
		[KEY_PINGPONG] = COUNT_pingpong,
	},
	[STAT_SLAB_ALLOC] = {
		[KEY_PTR] = ALLOC_ptr,
		[KEY_HIT] = -1,
		[KEY_BYTES] = ALLOC_bytes_alloc,
		[KEY_PINGPONG] = -1,
	},
	[STAT_PAGE_CALLER] = {
		[KEY_HIT] = PAGE_CALLER_hits,
		[KEY_BYTES] = PAGE_CALLER_kb,
		[KEY_PAGE] = -1,
		[KEY_ORDER] = PAGE_CALLER_order,
		[KEY_MIGTYPE] = PAGE_CALLER_migratetype,
		[KEY_GFP] = PAGE_CALLER_gfp,
	},
	[STAT_PAGE_ALLOC] = {
		[KEY_HIT] = -1,
		[KEY_BYTES] = PAGE_pages,
		[KEY_PAGE] = PAGE_pfn,
		[KEY_ORDER] = PAGE_order,
		[KEY_MIGTYPE] = PAGE_migratetype,
		[KEY_GFP] = PAGE_gfp,
	},
};

/* Keys of one table, the most significant first. */
struct order {
	enum key key[STAT_SORTS * KEY_NR];
	int nr;
};

static bool is_page(enum stat_table which)
{
	return which == STAT_PAGE_CALLER || which == STAT_PAGE_ALLOC;
}

static int fail_key(enum stat_table which, const char *key, int len)
{
	char names[128] = "use ";
	struct suggestion s;
	int i;

	suggest_begin(&s, key, len);
	for (i = 0; i < KEY_NR; i++) {
		if (!(is_page(which) ? keys[i].page : keys[i].slab))
			continue;
		strcat(names, names[4] ? ", " : "");
		strcat(names, keys[i].name);
		suggest_try(&s, keys[i].name);
	}
	return suggest_fail(&s, names, "stat has no sort key '%.*s' for %s", len, key,
			    is_page(which) ? "--page" : "--slab");
}

static int find_key(enum stat_table which, const char *key, int len)
{
	int i;

	for (i = 0; i < KEY_NR; i++)
		if ((is_page(which) ? keys[i].page : keys[i].slab) &&
		    (int)strlen(keys[i].name) == len && !strncmp(keys[i].name, key, len))
			return i;
	return fail_key(which, key, len);
}

static int add_keys(struct order *order, enum stat_table which, const char *list)
{
	int len, key;

	for (;; list += len + 1) {
		len = strcspn(list, ",");
		key = find_key(which, list, len);
		if (key < 0)
			return -1;
		if (order->nr == ARRAY_SIZE(order->key))
			return fail("-s takes at most %d keys", order->nr);
		order->key[order->nr++] = key;
		if (!list[len])
			return 0;
	}
}

static int make_order(struct order *order, enum stat_table which, const struct stat_options *o)
{
	int i;

	order->nr = 0;
	if (!o->keys[which][0])
		return add_keys(order, which, default_keys[which]);
	for (i = 0; o->keys[which][i]; i++)
		if (add_keys(order, which, o->keys[which][i]))
			return -1;
	return 0;
}

int stat_sort_check(const struct stat_options *o)
{
	struct order order;
	int i;

	for (i = 0; i < STAT_TABLES; i++)
		if (make_order(&order, i, o))
			return -1;
	return 0;
}

/* ---- rows ----------------------------------------------------------------- */

/* A row, and the address of its call site if that is a key. */
struct item {
	struct row *row;
	u64 site;
};

struct job {
	const struct stat_tables *s;
	enum stat_table which;
	struct order order;
};

double stat_sort_frag(u64 bytes_req, u64 bytes_alloc)
{
	return bytes_alloc ? 100.0 - 100.0 * bytes_req / bytes_alloc : 0;
}

static double frag_of(enum stat_table which, const struct row *row)
{
	if (which == STAT_SLAB_CALLER)
		return stat_sort_frag(row->v[COUNT_bytes_req], row->v[COUNT_bytes_alloc]);
	return stat_sort_frag(row->v[ALLOC_bytes_req], row->v[ALLOC_bytes_alloc]);
}

static u64 value_of(const struct job *job, const struct row *row, enum key key)
{
	int column = columns[job->which][key];

	if (column < 0)
		return 0;
	if (key == KEY_MIGTYPE)
		return stat_tables_type(job->s, row_name(row, column));
	if (job->which == STAT_PAGE_CALLER && job->s->live && key == KEY_HIT)
		column = PAGE_CALLER_live_allocs;
	if (job->which == STAT_PAGE_CALLER && job->s->live && key == KEY_BYTES)
		column = PAGE_CALLER_live_kb;
	return row->v[column];
}

static int compare_key(const struct job *job, enum key key, const struct item *a,
		       const struct item *b)
{
	double f, g;
	u64 x, y;

	if (key == KEY_FRAG) {
		f = frag_of(job->which, a->row);
		g = frag_of(job->which, b->row);
		return f > g ? -1 : f < g;
	}
	x = key == KEY_CALLSITE ? a->site : value_of(job, a->row, key);
	y = key == KEY_CALLSITE ? b->site : value_of(job, b->row, key);
	return x > y ? -1 : x < y;
}

static int compare(const void *a, const void *b, void *priv)
{
	const struct item *x = a, *y = b;
	const struct job *job = priv;
	int i, ret = 0;

	for (i = 0; !ret && i < job->order.nr; i++)
		ret = compare_key(job, job->order.key[i], x, y);
	/* Rows that are equal keep the order of the module's table. */
	return ret ? ret : x->row < y->row ? -1 : x->row > y->row;
}

static void sort_table(struct job *job, struct table *t, const struct kallsyms *syms)
{
	struct item *items = alloc(t->nr_rows, sizeof(*items));
	size_t i;

	for (i = 0; i < t->nr_rows; i++) {
		items[i].row = t->rows[i];
		items[i].site = syms ? kallsyms_find(syms, t->rows[i]->label) : 0;
	}
	qsort_r(items, t->nr_rows, sizeof(*items), compare, job);
	for (i = 0; i < t->nr_rows; i++)
		t->rows[i] = items[i].row;
	free(items);
}

static bool has_key(const struct order *order, enum key key)
{
	int i;

	for (i = 0; i < order->nr; i++)
		if (order->key[i] == key)
			return true;
	return false;
}

static struct kallsyms *read_symbols(void)
{
	char path[FILES_PATH], *text;
	size_t len;

	text = files_proc("kallsyms", path, &len);
	return text ? kallsyms_parse(path, text) : NULL;
}

static void limit(struct table *t, u64 lines)
{
	if (!lines || t->nr_rows <= lines)
		return;
	t->left_out = t->nr_rows - lines;
	t->nr_rows = lines;
}

static int sort_one(struct stat_tables *s, enum stat_table which, const struct stat_options *o)
{
	struct job job = { .s = s, .which = which };
	struct kallsyms *syms = NULL;

	if (make_order(&job.order, which, o))
		return -1;
	if (has_key(&job.order, KEY_CALLSITE)) {
		syms = read_symbols();
		if (!syms)
			return -1;
	}
	sort_table(&job, s->table[which], syms);
	if (syms)
		kallsyms_free(syms);
	limit(s->table[which], stat_options_limit(o, which));
	return 0;
}

int stat_sort(struct stat_tables *s, const struct stat_options *o)
{
	int i;

	for (i = 0; i < STAT_TABLES; i++)
		if (s->table[i] && sort_one(s, i, o))
			return -1;
	return 0;
}
