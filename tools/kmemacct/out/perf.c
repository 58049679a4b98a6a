// SPDX-License-Identifier: GPL-2.0
/* The common part of the texts of objects and of pages, and both as JSON.  See perf.h. */
#include <stdlib.h>
#include <string.h>

#include "perf.h"

/* Length of the lines of dashes. */
#define LINE	105

void perf_line(FILE *out, const struct perf *p, int more)
{
	int i, len = LINE + more;

	if (p->style.screen && len > p->style.screen)
		len = p->style.screen;
	for (i = 0; i < len; i++)
		fputc('-', out);
	fputc('\n', out);
}

void perf_site(char buf[PERF_SITE_LEN], const char *label)
{
	const char *offset = strstr(label, "+0x");

	if (offset)
		snprintf(buf, PERF_SITE_LEN, "%.*s+%s", (int)(offset - label), label,
			 offset + strlen("+0x"));
	else
		snprintf(buf, PERF_SITE_LEN, "%s", label);
}

const char *perf_tilde(const struct table *t, const struct row *row, int column)
{
	return estimate_is_rough(t, row, column) ? "~" : "";
}

bool perf_estimated(const struct view *v, int column)
{
	size_t i;

	for (i = 0; i < v->nr; i++)
		if (*perf_tilde(v->t, v->t->rows[i], column))
			return true;
	return false;
}

void perf_interval(FILE *out, const struct table *t, const struct row *row, int column)
{
	struct interval i;

	if (!*perf_tilde(t, row, column)) {
		fputs(" | -", out);
		return;
	}
	i = estimate_interval(t, row, column);
	fprintf(out, " | %lld..%lld", (s64)i.low, (s64)i.high);
}

void perf_star(FILE *out, const struct perf *p, const char * const *items, size_t nr)
{
	static const char begin[] = "* includes what perf kmem does not count: ";
	char *text;
	size_t i, len;
	FILE *list = text_open(&text, &len);
	bool any = false;

	fputs(begin, list);
	for (i = 0; i < nr; i++) {
		if (!*items[i])
			continue;
		fprintf(list, "%s%s", any ? "; " : "", items[i]);
		any = true;
	}
	text_close(list);
	if (any)
		text_comment(out, text, p->style.screen);
	free(text);
}

void perf_legend(FILE *out, const struct perf *p)
{
	text_comment(out, "~ estimate, low..high the 95 % interval of the allocated memory",
		     p->style.screen);
}

double perf_frag(u64 bytes_req, u64 bytes_alloc)
{
	return bytes_alloc ? 100.0 - 100.0 * bytes_req / bytes_alloc : 0;
}

u64 perf_uncounted(const struct perf *p)
{
	return table_pair(p->pages, "page_off") + table_pair(p->pages, "page_filtered");
}

/* Each order has a row for each type, in the order of their numbers. */
int perf_migratetype(const struct perf *p, const char *name)
{
	const struct table *t = p->orders.t;
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		if (t->rows[i]->v[ORDERS_order] != t->rows[0]->v[ORDERS_order] ||
		    !strcmp(row_name(t->rows[i], ORDERS_migratetype), name))
			break;
	return i;
}

/* ---- JSON ----------------------------------------------------------------- */

static void write_slab(struct json *w, const struct perf *p)
{
	const struct view *v = &p->v[PERF_SLAB_CALLER];
	const u64 *sum = v->total->v;
	struct view plain = *v;

	json_line(w);
	json_open(w, "slab", '{');
	if (p->o->caller)
		json_table(w, "callers", &plain);
	if (p->o->alloc)
		json_table(w, "allocs", &p->v[PERF_SLAB_ALLOC]);
	json_line(w);
	json_open(w, "summary", '{');
	json_s64(w, "bytes_requested", sum[COUNT_bytes_req]);
	json_s64(w, "bytes_allocated", sum[COUNT_bytes_alloc]);
	json_s64(w, "bytes_freed", sum[COUNT_bytes_freed]);
	json_s64(w, "bytes_net", sum[COUNT_bytes_alloc] + sum[COUNT_bulk_bytes] -
		 sum[COUNT_bytes_freed]);
	json_s64(w, "bytes_wasted", sum[COUNT_bytes_alloc] - sum[COUNT_bytes_req]);
	json_milli(w, "frag_pct", sum[COUNT_frag_pct]);
	json_s64(w, "cross_node_allocs", sum[COUNT_cross_node]);
	json_s64(w, "allocs", sum[COUNT_hits]);
	json_s64(w, "bulk_bytes", sum[COUNT_bulk_bytes]);
	json_close(w, '}');
	json_close(w, '}');
}

static void write_page(struct json *w, struct perf *p)
{
	static const char * const names[] = {
		"alloc_requests_kb", "free_requests", "free_requests_kb",
		"alloc_freed", "alloc_freed_kb", "free_only", "free_only_kb",
		"failures", "failures_kb", "bulk_kb",
	};
	size_t i;

	p->v[PERF_PAGE_CALLER].gfp = p->gfp;
	p->v[PERF_PAGE_ALLOC].gfp = p->gfp;
	json_line(w);
	json_open(w, "page", '{');
	if (p->o->caller)
		json_table(w, "callers", &p->v[PERF_PAGE_CALLER]);
	if (p->o->alloc)
		json_table(w, "pages", &p->v[PERF_PAGE_ALLOC]);
	json_line(w);
	json_open(w, "summary", '{');
	json_s64(w, "alloc_requests", table_pair(p->pages, "alloc_requests") - perf_uncounted(p));
	for (i = 0; i < ARRAY_SIZE(names); i++)
		json_s64(w, names[i], table_pair(p->pages, names[i]));
	json_close(w, '}');
	json_table(w, "orders", &p->orders);
	json_close(w, '}');
}

void perf_print_json(FILE *out, struct perf *p)
{
	struct json w = { .out = out };

	json_open(&w, NULL, '{');
	if (perf_has_slab(p->o))
		write_slab(&w, p);
	if (p->o->page)
		write_page(&w, p);
	json_close(&w, '}');
}
