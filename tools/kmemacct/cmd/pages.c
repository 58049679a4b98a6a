// SPDX-License-Identifier: GPL-2.0
/*
 * Tables and texts made from the tables of pages: matrices, a summary, imbalance and advice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

/* ---- orders --------------------------------------------------------------- */

/* Most columns of a matrix: the order, and the migrate types as they first occur in the table. */
#define MATRIX_MAX	40

/* Find the column of a migrate type, or add one.  Return: its index; NONE if there is no room. */
static int column_of(struct column columns[MATRIX_MAX + 1], int *nr, const char *type)
{
	int i = 1;

	while (i < *nr && strcmp(columns[i].name, type))
		i++;
	if (i == MATRIX_MAX)
		return NONE;
	if (i == *nr)
		columns[(*nr)++] = (struct column) { .name = type, .format = FORMAT_SPARSE };
	return i;
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

struct table *pages_matrix(const struct table *orders, const char *column, const char *name)
{
	struct column columns[MATRIX_MAX + 1] = {
		{ .name = "order", .format = FORMAT_U64 },
	};
	const int from = table_column(orders, column);
	struct row * const *row = orders->rows, * const *end = row + orders->nr_rows;
	struct table *t;
	int nr = 1, to;

	for (; row < end; row++)
		if (column_of(columns, &nr, row_name(*row, ORDERS_migratetype)) == NONE) {
			fail("too many migrate types for a matrix: use -s order for rows");
			return NULL;
		}
	columns[nr] = (struct column)COLUMN_END;
	t = table_new(name, columns, false, orders->nr_rows);
	for (row = orders->rows; row < end; row++) {
		to = column_of(columns, &nr, row_name(*row, ORDERS_migratetype));
		row_of(t, (*row)->v[ORDERS_order])->v[to] += (*row)->v[from];
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

/* Take a value out of the pairs, and move the columns after it up.  Return: the value, or NO_ID. */
static u64 take_pair(struct table *pairs, const char *name)
{
	const int column = name ? table_column(pairs, name) : NONE;
	u64 *v = pairs->rows[0]->v, value;
	int i;

	if (column == NONE)
		return NO_ID;
	value = v[column];
	for (i = column; i < pairs->nr_values - 1; i++) {
		pairs->columns[i] = pairs->columns[i + 1];
		v[i] = v[i + 1];
	}
	pairs->columns[i] = pairs->columns[i + 1];
	pairs->nr_values--;
	table_link(pairs);
	return value;
}

struct table *pages_summary(struct table *pairs)
{
	static const struct column columns[] = {
		{ .name = "requests", .format = FORMAT_ID },
		{ .name = "kb", .format = FORMAT_S64, .unit = UNIT_KIB },
		{ .name = "what", .format = FORMAT_LABEL },
	};
	struct table *t = table_new(pairs->name, columns, false, ARRAY_SIZE(summary_lines));
	struct row *row;
	size_t i;

	table_inherit(t, pairs);
	for (i = 0; i < ARRAY_SIZE(summary_lines); i++) {
		row = table_add(t);
		row->v[0] = take_pair(pairs, summary_lines[i].requests);
		row->v[1] = take_pair(pairs, summary_lines[i].kb);
		row->label = summary_lines[i].what;
		t->nr_rows -= row->v[1] == NO_ID;
	}
	pairs->name = "counters";
	pairs->nr_fields = 0;
	return t;
}

/* ---- pcpu ----------------------------------------------------------------- */

/* Test whether @one is at least twice @other, and exceeds it by a tenth of its sum of the node. */
static bool is_much(const struct table *t, const struct row *row, int one, int other)
{
	u64 sum = 0;
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		if (t->rows[i]->v[PCPU_node] == row->v[PCPU_node])
			sum += t->rows[i]->v[one];
	return row->v[one] && row->v[one] / 2 >= row->v[other] &&
	       row->v[one] - row->v[other] >= sum / 10;
}

/*
 * Test whether a CPU of the same node does the opposite.  Otherwise there is no imbalance
 * between CPUs: memory use just grows or shrinks.
 */
static bool is_unequal(const struct table *t, const struct row *row, int one, int other)
{
	size_t i;

	if (!is_much(t, row, one, other))
		return false;
	for (i = 0; i < t->nr_rows; i++)
		if (t->rows[i]->v[PCPU_node] == row->v[PCPU_node] &&
		    is_much(t, t->rows[i], other, one))
			return true;
	return false;
}

void pages_imbalance(struct view *v)
{
	static const char note[] =
		"takes: mostly refills its lists; gives: mostly drains them, freeing for others";
	struct table *t = v->t;
	struct row *row;
	size_t i;

	/* The sum belongs to no CPU and no node, so these columns have to allow NO_ID. */
	t->columns[PCPU_cpu].format = FORMAT_ID;
	t->columns[PCPU_node].format = FORMAT_ID;
	t->columns[PCPU_NR].name = "mark";
	for (i = 0; i < t->nr_rows; i++) {
		row = t->rows[i];
		row->label = is_unequal(t, row, PCPU_refill_pages, PCPU_drain_pages) ? "takes" :
			     is_unequal(t, row, PCPU_drain_pages, PCPU_refill_pages) ? "gives" :
			     "-";
		if (*row->label != '-')
			v->note = note;
	}
	v->aside = true;
	v->total = table_own(t, table_row(t));
	view_add_up(t, t->rows, t->nr_rows, v->total);
	v->total->v[PCPU_cpu] = NO_ID;
	v->total->v[PCPU_node] = NO_ID;
	v->total->label = "sum";
}

/* ---- extfrag -------------------------------------------------------------- */

/* Read the number that follows @before in a file of /proc. */
static int read_number(const struct source *s, const char *name, const char *before, u64 *value)
{
	char path[FILE_PATH], *text, *at;
	int ret = -1;
	size_t len;

	text = source_proc(s, name, path, &len);
	at = text ? strstr(text, before) : NULL;
	if (at) {
		at += strlen(before);
		at += strspn(at, " \t");
		at[strspn(at, "0123456789")] = '\0';
		ret = number_parse(at, value);
	}
	free(text);
	return ret;
}

/* Return: size of a pageblock in KiB; 0 if it is unknown. */
static u64 pageblock_kb(const struct source *s)
{
	u64 value;

	if (!read_number(s, "pagetypeinfo", "Page block order:", &value) && value < 32)
		return (u64)sysconf(_SC_PAGESIZE) / 1024 << value;
	return read_number(s, "meminfo", "Hugepagesize:", &value) ? 0 : value;
}

/* Count the nodes in a list such as 0-3,5.  Without this file, the kernel has only one node. */
static u64 online_nodes(const struct source *s)
{
	size_t len;
	char *text = source_sys(s, "devices/system/node/online", &len), *list = text, *range, *to;
	u64 first, last, nr = 0;

	while ((range = strsep(&list, ",\n"))) {
		to = strchr(range, '-');
		if (to)
			*to++ = '\0';
		if (!number_parse(range, &first) && !number_parse(to ?: range, &last))
			nr += last - first + 1;
	}
	free(text);
	return nr ?: 1;
}

#define ADVICE "%llu fallback%s fragmented memory. Keeping more pages free makes them rarer: raise vm.min_free_kbytes, now %llu, in steps of 3 x pageblock x nodes = 3 x %llu KiB x %llu = %llu KiB until they are rare enough:\nsysctl -w vm.min_free_kbytes=%llu"

void pages_advise(struct view *v)
{
	const struct source *s = v->t->source;
	const int column = table_column(v->t, "fragmenting");
	u64 fragmenting = 0, now, block = pageblock_kb(s), nodes, step;
	size_t i;

	for (i = 0; i < v->t->nr_rows; i++)
		fragmenting += v->t->rows[i]->v[column];
	if (!fragmenting || !block || read_number(s, "sys/vm/min_free_kbytes", "", &now))
		return;
	nodes = online_nodes(s);
	step = 3 * block * nodes;
	v->advice = view_own(v, alloc_print(ADVICE, fragmenting, fragmenting == 1 ? "" : "s", now,
					    block, nodes, step, now + step));
}
