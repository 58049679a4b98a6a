// SPDX-License-Identifier: GPL-2.0
/* kmemacct stat [-- COMMAND]: what perf kmem stat prints.  out/perf.h has its layout. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* ---- options -------------------------------------------------------------- */

void stat_flag(struct perf_options *o, u64 option)
{
	switch (option) {
	case OPTION_CALLER:
		o->caller = o->alloc + 1;
		break;
	case OPTION_ALLOC:
		o->alloc = o->caller + 1;
		break;
	case OPTION_SLAB:
		o->slab = o->page + 1;
		break;
	case OPTION_PAGE:
		o->page = o->slab + 1;
		break;
	case OPTION_LIVE:
		o->live = true;
		break;
	}
}

/* Without --caller and --alloc, options apply to --alloc, as in perf kmem. */
static bool last_is_caller(const struct perf_options *o)
{
	return o->caller > o->alloc;
}

void stat_lines(struct perf_options *o, u64 lines)
{
	if (last_is_caller(o))
		o->caller_lines = lines;
	else
		o->alloc_lines = lines;
}

int stat_sort(struct perf_options *o, const char *keys)
{
	const bool caller = last_is_caller(o);
	const enum perf_table last = o->page > o->slab ?
		(caller ? PERF_PAGE_CALLER : PERF_PAGE_ALLOC) :
		(caller ? PERF_SLAB_CALLER : PERF_SLAB_ALLOC);
	int i = 0;

	while (o->keys[last][i])
		i++;
	if (i == PERF_SORTS - 1)
		return fail("-s is given too often: separate the keys by commas");
	o->keys[last][i] = keys;
	return 0;
}

/* ---- sort keys ------------------------------------------------------------ */

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

/*
 * The sort keys of perf kmem: the name, the allocators that have it, and the column in each table.
 * A table whose rows do not differ in a key takes it all the same: call sites have no ptr.
 */
static const struct {
	const char *name;
	bool slab;
	bool page;
	int column[PERF_TABLES];
} keys[KEY_NR] = {
	[KEY_PTR] = { "ptr", true, false, { NONE, ALLOC_ptr, NONE, NONE } },
	[KEY_CALLSITE] = { "callsite", true, true, { NONE, NONE, NONE, NONE } },
	[KEY_HIT] = { "hit", true, true, { COUNT_hits, NONE, PAGE_CALLER_hits, NONE } },
	[KEY_BYTES] = { "bytes", true, true,
			{ COUNT_bytes_alloc, ALLOC_bytes_alloc, PAGE_CALLER_kb, PAGE_pages } },
	[KEY_FRAG] = { "frag", true, false, { NONE, NONE, NONE, NONE } },
	[KEY_PINGPONG] = { "pingpong", true, false, { COUNT_pingpong, NONE, NONE, NONE } },
	[KEY_PAGE] = { "page", false, true, { NONE, NONE, NONE, PAGE_pfn } },
	[KEY_ORDER] = { "order", false, true, { NONE, NONE, PAGE_CALLER_order, PAGE_order } },
	[KEY_MIGTYPE] = { "migtype", false, true,
			  { NONE, NONE, PAGE_CALLER_migratetype, PAGE_migratetype } },
	[KEY_GFP] = { "gfp", false, true, { NONE, NONE, PAGE_CALLER_gfp, PAGE_gfp } },
};

/**
 * struct order - an order of a table
 * @p: the tables
 * @which: the table
 * @syms: symbols, if call sites are a key: they are sorted by their addresses; or NULL
 * @key: the keys, the most significant first
 * @nr: number of @key
 */
struct order {
	const struct perf *p;
	enum perf_table which;
	struct kallsyms *syms;
	enum key key[PERF_SORTS * KEY_NR];
	int nr;
};

static bool is_page(enum perf_table which)
{
	return which == PERF_PAGE_CALLER || which == PERF_PAGE_ALLOC;
}

/* Return: the key, or NONE after calling fail(). */
static int find_key(enum perf_table which, const char *key, int len)
{
	char names[128] = "";
	struct suggestion s;
	int i, used = 0;

	suggest_begin(&s, key, len);
	for (i = 0; i < KEY_NR; i++) {
		if (!(is_page(which) ? keys[i].page : keys[i].slab))
			continue;
		if ((int)strlen(keys[i].name) == len && !strncmp(keys[i].name, key, len))
			return i;
		used += snprintf(names + used, sizeof(names) - used, "%s%s",
				 used ? ", " : "use ", keys[i].name);
		suggest_try(&s, keys[i].name);
	}
	return suggest_fail(&s, names, "stat has no sort key '%.*s' for %s", len, key,
			    is_page(which) ? "--page" : "--slab");
}

static int add_keys(struct order *order, const char *list)
{
	int len, key;

	for (;; list += len + 1) {
		len = strcspn(list, ",");
		key = find_key(order->which, list, len);
		if (key == NONE)
			return -1;
		if (order->nr == ARRAY_SIZE(order->key))
			return fail("-s takes at most %d keys", order->nr);
		order->key[order->nr++] = key;
		if (!list[len])
			return 0;
	}
}

static int make_order(struct order *order, const struct perf_options *o)
{
	const char * const *list = o->keys[order->which];

	if (!*list)
		return add_keys(order, is_page(order->which) ? "bytes,hit" : "frag,hit,bytes");
	for (; *list; list++)
		if (add_keys(order, *list))
			return -1;
	return 0;
}

static double frag_of(enum perf_table which, const struct row *row)
{
	if (which == PERF_SLAB_CALLER)
		return perf_frag(row->v[COUNT_bytes_req], row->v[COUNT_bytes_alloc]);
	return perf_frag(row->v[ALLOC_bytes_req], row->v[ALLOC_bytes_alloc]);
}

static u64 value_of(const struct order *order, const struct row *row, enum key key)
{
	int column = keys[key].column[order->which];

	if (key == KEY_CALLSITE)
		return kallsyms_find(order->syms, row->label);
	if (column == NONE)
		return 0;
	if (key == KEY_MIGTYPE)
		return perf_migratetype(order->p, row_name(row, column));
	if (order->which == PERF_PAGE_CALLER && order->p->o->live)
		column = key == KEY_HIT ? PAGE_CALLER_live_allocs :
			 key == KEY_BYTES ? PAGE_CALLER_live_kb : column;
	return row->v[column];
}

/* All keys descend.  Rows that are equal keep the order of the module's table. */
static int compare(const void *a, const void *b, void *priv)
{
	const struct row *x = *(struct row * const *)a, *y = *(struct row * const *)b;
	const struct order *order = priv;
	int i, ret = 0;

	for (i = 0; !ret && i < order->nr; i++) {
		const enum key key = order->key[i];

		if (key == KEY_FRAG) {
			const double f = frag_of(order->which, x), g = frag_of(order->which, y);

			ret = f > g ? -1 : f < g;
		} else {
			const u64 v = value_of(order, x, key), w = value_of(order, y, key);

			ret = v > w ? -1 : v < w;
		}
	}
	return ret ? ret : x < y ? -1 : x > y;
}

/* Sort a table, and leave out the rows that -l leaves out. */
static int sort_table(struct perf *p, enum perf_table which)
{
	const u64 lines = which == PERF_SLAB_CALLER || which == PERF_PAGE_CALLER ?
			  p->o->caller_lines : p->o->alloc_lines;
	struct order order = { .p = p, .which = which };
	struct view *v = &p->v[which];
	int i;

	if (make_order(&order, p->o))
		return -1;
	for (i = 0; i < order.nr && !order.syms; i++) {
		if (order.key[i] != KEY_CALLSITE)
			continue;
		order.syms = kallsyms_read(v->t->source);
		if (!order.syms)
			return -1;
	}
	qsort_r(v->t->rows, v->t->nr_rows, sizeof(*v->t->rows), compare, &order);
	kallsyms_free(order.syms);
	if (lines && v->nr > lines)
		v->nr = lines;
	return 0;
}

/* ---- reading -------------------------------------------------------------- */

static int read_view(struct perf *p, enum perf_table which, const struct options *o,
		     const char *name)
{
	return show_read(&p->v[which], o, name);
}

/* Read the tables of sums.  The first one says what to do if pages are not tracked. */
static int read_sums(struct perf *p, const struct options *o)
{
	p->o = &o->stat;
	if (perf_has_slab(p->o) && read_view(p, PERF_SLAB_CALLER, o, "callers"))
		return -1;
	if (!p->o->page)
		return 0;
	if (read_view(p, PERF_PAGE_CALLER, o, "page_callers") || show_read(&p->orders, o, "orders"))
		return -1;
	p->pages = source_table(o->source, "page_summary");
	return p->pages ? 0 : -1;
}

static int read_all(struct perf *p, const struct options *o)
{
	enum perf_table which;

	if (read_sums(p, o))
		return -1;
	if (perf_has_slab(p->o) && p->o->alloc && read_view(p, PERF_SLAB_ALLOC, o, "allocs"))
		return -1;
	if (p->o->page && p->o->alloc && read_view(p, PERF_PAGE_ALLOC, o, "pages"))
		return -1;
	if (p->o->page && (p->o->caller || p->o->alloc)) {
		p->gfp = gfp_read(o->source);
		if (!p->gfp)
			return -1;
	}
	/* The first table of each allocator is the one of call sites. */
	for (which = 0; which < PERF_TABLES; which += 2)
		if (p->v[which].t && table_is(p->v[which].t, "since", "reset"))
			p->window = PERF_SINCE_RESET;
	return 0;
}

static void end(struct perf *p)
{
	int i;

	for (i = 0; i < PERF_TABLES; i++)
		view_end(&p->v[i]);
	view_end(&p->orders);
	table_free(p->pages);
	gfp_free(p->gfp);
}

/* ---- differences ---------------------------------------------------------- */

/* Subtract what a table counted before the command. */
static void subtract(struct view *v, struct view *before)
{
	static const char note[] = "changes on the whole machine while the command ran";
	const bool callers = v->t->at[AT_frag_pct] != NONE;

	v->t = delta_make(callers ? "run" : v->t->name, before->t, v->t);
	before->t = NULL;
	v->nr = v->t->nr_rows;
	v->note = note;
}

static bool is_younger(const struct row *object, u64 ms)
{
	return object->v[ALLOC_age_ms] < ms;
}

static bool is_younger_page(const struct row *page, u64 ms)
{
	return page->v[PAGE_age_ms] < ms;
}

/* Remove the objects and pages that were allocated before the table @before was read. */
static void remove_older(struct view *v, const struct table *before)
{
	const u64 most = v->t ? table_window_ms(v->t) - table_window_ms(before) : 0;

	if (v->t)
		view_keep(v, !strcmp(v->t->name, "pages") ? is_younger_page : is_younger, most);
}

/* Subtract from the tables what they counted before the command.  Return: 0, or -1 after fail(). */
static int subtract_all(struct perf *p, struct perf *before, u64 elapsed_ms)
{
	static const enum perf_table callers[] = { PERF_SLAB_CALLER, PERF_PAGE_CALLER };
	struct view *v, *old;
	size_t i;

	p->window = PERF_COMMAND;
	for (i = 0; i < ARRAY_SIZE(callers); i++) {
		v = &p->v[callers[i]];
		old = &before->v[callers[i]];
		if (!v->t)
			continue;
		if (delta_check_reset(old->t, v->t, elapsed_ms))
			return -1;
		/* The table of single objects or pages is the next one. */
		remove_older(&p->v[callers[i] + 1], old->t);
		subtract(v, old);
	}
	if (p->pages) {
		subtract(&p->orders, &before->orders);
		p->orders.note = NULL;
		delta_pairs(p->pages, before->pages);
	}
	return 0;
}

static int measure(struct perf *p, const struct options *o, int *status)
{
	struct perf before = {};
	u64 elapsed_ms;
	int ret = -1;

	if (!read_sums(&before, o) && !run_alone(o->args, &elapsed_ms, status) && !read_all(p, o))
		ret = subtract_all(p, &before, elapsed_ms);
	end(&before);
	return ret;
}

/* ---- the command ---------------------------------------------------------- */

static bool is_counted(const struct row *row, u64 column)
{
	return row->v[column];
}

/* Remove the rows that perf kmem would not print: those without allocations that had an event. */
static void cut(struct view *v, int column)
{
	if (v->t)
		view_keep(v, is_counted, column);
}

static void add_total(struct view *v)
{
	if (!v->t)
		return;
	v->total = table_own(v->t, table_row(v->t));
	view_add_up(v->t, v->t->rows, v->t->nr_rows, v->total);
	v->total->label = "sum";
}

static int prepare(struct perf *p, const struct options *o)
{
	int i;

	add_total(&p->v[PERF_SLAB_CALLER]);
	cut(&p->v[PERF_SLAB_CALLER], COUNT_hits);
	cut(&p->v[PERF_PAGE_CALLER], p->o->live ? PAGE_CALLER_live_allocs : PAGE_CALLER_hits);
	for (i = 0; i < PERF_TABLES; i++)
		if (p->v[i].t && sort_table(p, i))
			return -1;
	for (i = 0; i < PERF_TABLES && o->given & OPTION_RAW_IP; i++)
		if (p->v[i].t && kallsyms_replace(p->v[i].t, p->v[i].nr))
			return -1;
	return 0;
}

/* perf kmem groups digits as the locale does, and so do its numbers here. */
static void print(struct perf *p, const struct options *o)
{
	p->style = show_style(o);
	p->style.named = true;
	setlocale(LC_NUMERIC, "");
	if (perf_has_slab(p->o))
		perf_print_slab(stdout, p);
	if (perf_has_slab(p->o) && p->o->page)
		putchar('\n');
	if (p->o->page)
		perf_print_page(stdout, p);
}

static int check(const struct options *o)
{
	struct order order;
	int i;

	if (o->nr_args && !o->dashes)
		return fail("a command needs -- before it: kmemacct stat -- COMMAND");
	if (o->nr_args && o->input)
		return fail("stat -- COMMAND needs the module: omit -i or the command");
	if (o->stat.live && !o->stat.page)
		return fail("--live is about pages: add --page");
	if (o->stat.live && o->nr_args)
		return fail("--live shows all pages that are live now: omit it, or the command");
	for (i = 0; i < PERF_TABLES; i++) {
		order = (struct order) { .which = i };
		if (make_order(&order, &o->stat))
			return -1;
	}
	return 0;
}

int stat_run(const struct command *c, const struct options *o)
{
	struct perf p = {};
	int ret, status = 0;

	if (check(o))
		return -1;
	ret = o->nr_args ? measure(&p, o, &status) : read_all(&p, o);
	if (!ret)
		ret = prepare(&p, o);
	if (!ret && o->given & OPTION_JSON)
		perf_print_json(stdout, &p);
	else if (!ret)
		print(&p, o);
	end(&p);
	return ret || show_finish() ? -1 : status;
}
