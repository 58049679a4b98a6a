// SPDX-License-Identifier: GPL-2.0
/* `kmemacct stat` as JSON.  See stat_json.h. */
#include <json-c/json.h>

#include "gfp.h"
#include "json.h"
#include "stat_json.h"

static void add_number(struct json_object *object, const char *key, s64 value)
{
	json_object_object_add(object, key, json_object_new_int64(value));
}

static struct json_object *slab_summary(const struct table *t)
{
	struct json_object *object = json_object_new_object();
	const u64 *v = t->sum->v;
	char frag[NUMBER_LEN];

	add_number(object, "bytes_requested", v[COUNT_bytes_req]);
	add_number(object, "bytes_allocated", v[COUNT_bytes_alloc]);
	add_number(object, "bytes_freed", v[COUNT_bytes_freed]);
	add_number(object, "bytes_net", v[COUNT_bytes_alloc] + v[COUNT_bulk_bytes] -
		   v[COUNT_bytes_freed]);
	add_number(object, "bytes_wasted", v[COUNT_bytes_alloc] - v[COUNT_bytes_req]);
	number_print_milli(frag, v[COUNT_frag_pct]);
	json_object_object_add(object, "frag_pct",
			       json_object_new_double_s(v[COUNT_frag_pct] / 1000.0, frag));
	add_number(object, "cross_node_allocs", v[COUNT_cross_node]);
	add_number(object, "allocs", v[COUNT_hits]);
	add_number(object, "bulk_bytes", v[COUNT_bulk_bytes]);
	return object;
}

static struct json_object *slab_object(const struct stat_tables *s, const struct stat_options *o)
{
	struct json_object *object = json_object_new_object();

	if (o->caller)
		json_object_object_add(object, "callers",
				       json_of_table(s->table[STAT_SLAB_CALLER]));
	if (o->alloc)
		json_object_object_add(object, "allocs", json_of_table(s->table[STAT_SLAB_ALLOC]));
	json_object_object_add(object, "summary", slab_summary(s->table[STAT_SLAB_CALLER]));
	return object;
}

static struct json_object *page_summary(const struct stat_tables *s)
{
	static const char * const names[] = {
		"alloc_requests_kb", "free_requests", "free_requests_kb",
		"alloc_freed", "alloc_freed_kb", "free_only", "free_only_kb",
		"failures", "failures_kb", "bulk_kb",
	};
	struct json_object *object = json_object_new_object();
	size_t i;

	add_number(object, "alloc_requests", stat_tables_pages(s, "alloc_requests") -
		   stat_tables_uncounted(s));
	for (i = 0; i < ARRAY_SIZE(names); i++)
		add_number(object, names[i], stat_tables_pages(s, names[i]));
	return object;
}

/* Names of flags belong to one table: lend them to each in turn. */
static void add_pages(struct json_object *object, const char *key, struct table *t,
		      struct gfp *flags)
{
	t->gfp = flags;
	json_object_object_add(object, key, json_of_table(t));
	t->gfp = NULL;
}

static struct json_object *page_object(const struct stat_tables *s, const struct stat_options *o)
{
	struct json_object *object = json_object_new_object();

	if (o->caller)
		add_pages(object, "callers", s->table[STAT_PAGE_CALLER], s->flags);
	if (o->alloc)
		add_pages(object, "pages", s->table[STAT_PAGE_ALLOC], s->flags);
	json_object_object_add(object, "summary", page_summary(s));
	json_object_object_add(object, "orders", json_of_table(s->orders));
	return object;
}

int stat_json(FILE *out, struct stat_tables *s, const struct stat_options *o)
{
	struct json_object *object = json_object_new_object();

	if (stat_options_slab(o))
		json_object_object_add(object, "slab", slab_object(s, o));
	if (stat_options_page(o))
		json_object_object_add(object, "page", page_object(s, o));
	return json_print(out, object);
}
