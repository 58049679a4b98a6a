// SPDX-License-Identifier: GPL-2.0
/* `kmemacct stat` as JSON.  See stat_json.h. */
#include "gfp.h"
#include "json.h"
#include "stat_json.h"

static void write_slab_summary(struct json_writer *w, const struct table *t)
{
	const u64 *v = t->sum->v;

	json_open(w, "summary", '{');
	json_s64(w, "bytes_requested", v[COUNT_bytes_req]);
	json_s64(w, "bytes_allocated", v[COUNT_bytes_alloc]);
	json_s64(w, "bytes_freed", v[COUNT_bytes_freed]);
	json_s64(w, "bytes_net", v[COUNT_bytes_alloc] + v[COUNT_bulk_bytes] -
		 v[COUNT_bytes_freed]);
	json_s64(w, "bytes_wasted", v[COUNT_bytes_alloc] - v[COUNT_bytes_req]);
	json_milli(w, "frag_pct", v[COUNT_frag_pct]);
	json_s64(w, "cross_node_allocs", v[COUNT_cross_node]);
	json_s64(w, "allocs", v[COUNT_hits]);
	json_s64(w, "bulk_bytes", v[COUNT_bulk_bytes]);
	json_close(w, '}');
}

static void write_slab(struct json_writer *w, const struct stat_tables *s,
		       const struct stat_options *o)
{
	json_line(w);
	json_open(w, "slab", '{');
	if (o->caller)
		json_table(w, "callers", s->table[STAT_SLAB_CALLER]);
	if (o->alloc)
		json_table(w, "allocs", s->table[STAT_SLAB_ALLOC]);
	json_line(w);
	write_slab_summary(w, s->table[STAT_SLAB_CALLER]);
	json_close(w, '}');
}

static void write_page_summary(struct json_writer *w, const struct stat_tables *s)
{
	static const char * const names[] = {
		"alloc_requests_kb", "free_requests", "free_requests_kb",
		"alloc_freed", "alloc_freed_kb", "free_only", "free_only_kb",
		"failures", "failures_kb", "bulk_kb",
	};
	size_t i;

	json_open(w, "summary", '{');
	json_s64(w, "alloc_requests", stat_tables_pages(s, "alloc_requests") -
		 stat_tables_uncounted(s));
	for (i = 0; i < ARRAY_SIZE(names); i++)
		json_s64(w, names[i], stat_tables_pages(s, names[i]));
	json_close(w, '}');
}

/* Names of flags belong to one table: lend them to each in turn. */
static void write_pages(struct json_writer *w, const char *key, struct table *t,
			struct gfp *flags)
{
	t->gfp = flags;
	json_table(w, key, t);
	t->gfp = NULL;
}

static void write_page(struct json_writer *w, const struct stat_tables *s,
		       const struct stat_options *o)
{
	json_line(w);
	json_open(w, "page", '{');
	if (o->caller)
		write_pages(w, "callers", s->table[STAT_PAGE_CALLER], s->flags);
	if (o->alloc)
		write_pages(w, "pages", s->table[STAT_PAGE_ALLOC], s->flags);
	json_line(w);
	write_page_summary(w, s);
	json_table(w, "orders", s->orders);
	json_close(w, '}');
}

void stat_json(FILE *out, struct stat_tables *s, const struct stat_options *o)
{
	struct json_writer w = { .out = out };

	json_open(&w, NULL, '{');
	if (stat_options_slab(o))
		write_slab(&w, s, o);
	if (stat_options_page(o))
		write_page(&w, s, o);
	json_close(&w, '}');
}
