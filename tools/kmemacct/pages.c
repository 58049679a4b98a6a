// SPDX-License-Identifier: GPL-2.0
/* Views of the tables of pages.  See pages.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "files.h"
#include "pages.h"

/* ---- orders --------------------------------------------------------------- */

enum {
#define X(name, ...) ORDER_##name,
	KMA_ORDERS_COLUMNS(X)
#undef X
};

/* Columns of a matrix: the order, and the migrate types as they first occur in the table. */
struct heading {
	struct column columns[COLUMNS_MAX + 1];
	int nr;
};

/*
 * Find the column of a migrate type, or add one.
 * Return: its index, or -1 if there are too many.
 */
static int column_of(struct heading *h, const char *type)
{
	int i;

	for (i = 1; i < h->nr; i++)
		if (!strcmp(h->columns[i].name, type))
			return i;
	if (h->nr == COLUMNS_MAX)
		return -1;
	h->columns[h->nr] = (struct column) { type, .format = FORMAT_SPARSE };
	return h->nr++;
}

static int make_heading(struct heading *h, const struct table *orders)
{
	size_t i;

	*h = (struct heading) { .columns = { { "order", COLUMN_U64 } }, .nr = 1 };
	for (i = 0; i < orders->nr_rows; i++)
		if (column_of(h, row_name(orders->rows[i], ORDER_migratetype)) < 0)
			return fail("too many migrate types for a matrix: use -s order for rows");
	h->columns[h->nr] = (struct column)COLUMN_END;
	return 0;
}

static struct row *row_of(struct table *t, u64 order)
{
	struct row *row;
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		if (t->rows[i]->v[0] == order)
			return t->rows[i];
	row = table_add(t);
	row->v[0] = order;
	row->label = "";
	return row;
}

struct table *pages_matrix(const struct table *orders, const char *column)
{
	int to, from = table_column(orders, column);
	struct heading h;
	struct table *t;
	size_t i;
	u64 *v;

	if (make_heading(&h, orders))
		return NULL;
	t = table_new(column, h.columns, false, orders->nr_rows);
	for (i = 0; i < orders->nr_rows; i++) {
		v = orders->rows[i]->v;
		to = column_of(&h, row_name(orders->rows[i], ORDER_migratetype));
		row_of(t, v[ORDER_order])->v[to] += v[from];
	}
	return t;
}

/* ---- page_summary --------------------------------------------------------- */

/* Each line of the summary combines two values: a number of requests and their KiB. */
static const struct {
	const char *requests;
	const char *kb;
	const char *what;
} summary_lines[] = {
	{ "alloc_requests", "alloc_requests_kb", "allocation requests, including failures" },
	{ "free_requests", "free_requests_kb", "free requests" },
	{ "alloc_freed", "alloc_freed_kb", "allocated and freed" },
	{ NULL, "alloc_only_kb", "allocated and not freed" },
	{ "free_only", "free_only_kb", "freed, but not seen when allocated" },
	{ "failures", "failures_kb", "failed allocations" },
	{ NULL, "bulk_kb", "bulk allocations, which are not requests" },
	{ NULL, "live_kb", "live now" },
};

/*
 * Remove a line from @pairs.
 * Return: its value, or NO_ID if there is no such line.
 */
static u64 take_pair(struct table *pairs, const char *name)
{
	size_t i;
	u64 value;

	for (i = 0; name && i < pairs->nr_rows; i++) {
		if (strcmp(pairs->rows[i]->label, name))
			continue;
		value = pairs->rows[i]->v[0];
		pairs->nr_rows--;
		memmove(&pairs->rows[i], &pairs->rows[i + 1],
			(pairs->nr_rows - i) * sizeof(pairs->rows[0]));
		return value;
	}
	return NO_ID;
}

struct table *pages_summary(struct table *pairs)
{
	static const struct column columns[] = {
		{ "requests", COLUMN_ID }, { "kb", COLUMN_S64 }, { "what", COLUMN_LABEL },
	};
	struct table *t = table_new(pairs->name, columns, false,
				    ARRAY_SIZE(summary_lines));
	struct row *row;
	size_t i;

	table_inherit(t, pairs);
	for (i = 0; i < ARRAY_SIZE(summary_lines); i++) {
		row = table_add(t);
		row->v[0] = take_pair(pairs, summary_lines[i].requests);
		row->v[1] = take_pair(pairs, summary_lines[i].kb);
		row->label = summary_lines[i].what;
		if (row->v[1] == NO_ID)
			t->nr_rows--;
	}
	pairs->name = "counters";
	pairs->nr_fields = 0;
	return t;
}

/* ---- pcpu ----------------------------------------------------------------- */

/* Test whether @one is at least twice @other, and exceeds it by at least a tenth of @sum. */
static bool is_much(u64 one, u64 other, u64 sum)
{
	return one / 2 >= other && one - other >= sum / 10 && one;
}

static u64 sum_of_node(const struct table *t, u64 node, int column)
{
	u64 sum = 0;
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		if (t->rows[i]->v[PCPU_node] == node)
			sum += t->rows[i]->v[column];
	return sum;
}

static bool is_unequal(const struct table *t, const struct row *row, int one, int other)
{
	return is_much(row->v[one], row->v[other],
		       sum_of_node(t, row->v[PCPU_node], one));
}

static bool takes(const struct table *t, const struct row *row)
{
	return is_unequal(t, row, PCPU_refill_pages, PCPU_drain_pages);
}

static bool gives(const struct table *t, const struct row *row)
{
	return is_unequal(t, row, PCPU_drain_pages, PCPU_refill_pages);
}

/*
 * Test whether a CPU of the same node does the opposite.  Otherwise there is no imbalance
 * between CPUs: memory use just grows or shrinks.
 */
static bool has_other(const struct table *t, const struct row *row,
		      bool (*other)(const struct table *, const struct row *))
{
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		if (t->rows[i]->v[PCPU_node] == row->v[PCPU_node] &&
		    other(t, t->rows[i]))
			return true;
	return false;
}

static const char *mark_of(const struct table *t, const struct row *row)
{
	if (takes(t, row) && has_other(t, row, gives))
		return "takes";
	if (gives(t, row) && has_other(t, row, takes))
		return "gives";
	return "-";
}

static struct row *make_sum(const struct table *t)
{
	struct row *sum = alloc(1, sizeof(*sum) + PCPU_NR * sizeof(u64));
	size_t i;
	int c;

	for (i = 0; i < t->nr_rows; i++)
		for (c = 0; c < PCPU_NR; c++)
			sum->v[c] += t->rows[i]->v[c];
	sum->v[PCPU_cpu] = NO_ID;
	sum->v[PCPU_node] = NO_ID;
	sum->label = "sum";
	return sum;
}

void pages_mark(struct table *pcpu)
{
	static const char unequal[] =
		"takes: mostly refills its lists; gives: mostly drains them, freeing for others";
	size_t i;

	/* The sum belongs to no CPU and no node, so these have to allow NO_ID. */
	pcpu->columns[PCPU_cpu].format = FORMAT_ID;
	pcpu->columns[PCPU_node].format = FORMAT_ID;
	pcpu->columns[PCPU_NR].name = "mark";
	for (i = 0; i < pcpu->nr_rows; i++) {
		pcpu->rows[i]->label = mark_of(pcpu, pcpu->rows[i]);
		if (*pcpu->rows[i]->label != '-')
			pcpu->note = unequal;
	}
	pcpu->sum = make_sum(pcpu);
}

/* ---- extfrag -------------------------------------------------------------- */

enum {
#define X(name, ...) EXTFRAG_##name,
	KMA_EXTFRAG_COLUMNS(X)
#undef X
};

/* Read the number that follows @before in a file of /proc. */
static int read_number(const char *name, const char *before, u64 *value)
{
	char path[FILES_PATH], *text, *at, *end;
	int ret = -1;
	size_t len;

	text = files_proc(name, path, &len);
	at = text ? strstr(text, before) : NULL;
	if (at) {
		at += strlen(before);
		at += strspn(at, " \t");
		end = at + strspn(at, "0123456789");
		*end = '\0';
		ret = number_parse(at, value);
	}
	free(text);
	return ret;
}

/* Return: size of a pageblock in KiB; 0 if it is unknown. */
static u64 pageblock_kb(void)
{
	u64 value;

	if (!read_number("pagetypeinfo", "Page block order:", &value) && value < 32)
		return (u64)sysconf(_SC_PAGESIZE) / 1024 << value;
	if (!read_number("meminfo", "Hugepagesize:", &value))
		return value;
	return 0;
}

/* Count the nodes in a list such as 0-3,5.  Without this file, the kernel has only one node. */
static u64 online_nodes(void)
{
	size_t len;
	char *text = files_sys("devices/system/node/online", &len), *list = text, *range;
	u64 first, last, nr = 0;
	char *to;

	while ((range = strsep(&list, ",\n"))) {
		to = strchr(range, '-');
		if (to)
			*to++ = '\0';
		if (number_parse(range, &first) || number_parse(to ? to : range, &last))
			continue;
		nr += last - first + 1;
	}
	free(text);
	return nr ? nr : 1;
}

void pages_advise(struct table *extfrag)
{
	u64 fragmenting = 0, now, block = pageblock_kb(), nodes, step;
	size_t i;

	for (i = 0; i < extfrag->nr_rows; i++)
		fragmenting += extfrag->rows[i]->v[EXTFRAG_fragmenting];
	if (!fragmenting || !block || read_number("sys/vm/min_free_kbytes", "", &now))
		return;
	nodes = online_nodes();
	step = 3 * block * nodes;
	if (asprintf(&extfrag->advice,
		     "%llu fallback%s fragmented memory. Keeping more pages free makes them rarer: raise vm.min_free_kbytes, now %llu, in steps of 3 x pageblock x nodes = 3 x %llu KiB x %llu = %llu KiB until they are rare enough:\nsysctl -w vm.min_free_kbytes=%llu",
		     fragmenting, fragmenting == 1 ? "" : "s", now, block, nodes, step,
		     now + step) < 0)
		extfrag->advice = NULL;
}
