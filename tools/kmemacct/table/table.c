// SPDX-License-Identifier: GPL-2.0
/* Tables: columns and rows in memory. */
#include <stdlib.h>
#include <string.h>

#include "table.h"

/* ---- columns -------------------------------------------------------------- */

/*
 * Each number of objects, and the bytes of these objects.  If a table has several of the pairs with
 * a name, the first one counts.
 */
static const char * const bytes_of[][2] = {
	{ "live_objs", "live_bytes" }, { "live_allocs", "live_kb" }, { "hits", "kb" },
	{ "hits", "bytes_alloc" }, { "allocs", "bytes_allocated" },
	{ "objs_alloc", "bytes_alloc" }, { "frees", "bytes_freed" }, { "bulk_objs", "bulk_bytes" },
};

static bool is_se_of(const char *se, const char *name)
{
	const size_t len = strlen(name);

	return !strncmp(se, name, len) && !strcmp(se + len, "_se");
}

void table_link(struct table *t)
{
	static const char * const places[] = {
#define X(name) #name,
		TABLE_PLACES(X)
#undef X
	};
	struct column *c;
	size_t k;
	int i, j;

	for (k = 0; k < AT_NR; k++)
		t->at[k] = table_column(t, places[k]);

	for (i = 0; i <= t->nr_values; i++) {
		c = &t->columns[i];
		c->change |= c->kind == KIND_CHANGE;
		c->se = NONE;
		c->of = NONE;
		c->bytes = NONE;
	}
	for (i = 0; i < t->nr_values; i++) {
		c = &t->columns[i];
		for (j = 0; text_ends(c->name, "_se") && j < t->nr_values; j++) {
			if (!is_se_of(c->name, t->columns[j].name) || c->kind == KIND_PAST)
				continue;
			c->of = j;
			t->columns[j].se = i;
		}
		for (k = 0; c->bytes == NONE && k < ARRAY_SIZE(bytes_of); k++)
			if (!strcmp(bytes_of[k][0], c->name))
				c->bytes = table_column(t, bytes_of[k][1]);
	}
}

int table_column(const struct table *t, const char *name)
{
	int i;

	for (i = 0; i < table_nr_columns(t); i++)
		if (!strcmp(t->columns[i].name, name))
			return i;
	return NONE;
}

u64 table_pair(const struct table *t, const char *name)
{
	const int column = t && t->nr_rows ? table_column(t, name) : NONE;

	return column == NONE ? 0 : t->rows[0]->v[column];
}

/* ---- memory --------------------------------------------------------------- */

struct table *table_new(const char *name, const struct column *columns, bool sampled,
			size_t max_rows)
{
	struct table *t = alloc(1, sizeof(*t));

	t->name = name;
	t->sampled = sampled;
	while (columns[t->nr_values].format != FORMAT_LABEL)
		t->nr_values++;
	t->columns = alloc(t->nr_values + 1, sizeof(*columns));
	memcpy(t->columns, columns, (t->nr_values + 1) * sizeof(*columns));
	table_link(t);
	t->rows = alloc(max_rows, sizeof(t->rows[0]));
	t->block = alloc(max_rows, table_row_size(t));
	return t;
}

struct table *table_extend(struct table *t, int at, const struct column *more, int nr)
{
	struct column *columns = alloc(t->nr_values + nr + 1, sizeof(*columns));
	const int rest = t->nr_values - at;
	struct table *view;
	struct row *row;
	size_t i;

	memcpy(columns, t->columns, at * sizeof(*columns));
	memcpy(columns + at, more, nr * sizeof(*columns));
	memcpy(columns + at + nr, t->columns + at, (rest + 1) * sizeof(*columns));
	view = table_new(t->name, columns, t->sampled, t->nr_rows);
	free(columns);
	view->from[0] = t;
	table_inherit(view, t);
	for (i = 0; i < t->nr_rows; i++) {
		row = table_add(view);
		row->label = t->rows[i]->label;
		memcpy(row->v, t->rows[i]->v, at * sizeof(row->v[0]));
		memcpy(row->v + at + nr, t->rows[i]->v + at, rest * sizeof(row->v[0]));
	}
	return view;
}

void table_free(struct table *t)
{
	size_t i;

	if (!t)
		return;
	table_free(t->from[0]);
	table_free(t->from[1]);
	for (i = 0; i < t->nr_owned; i++)
		free(t->owned[i]);
	free(t->owned);
	free(t->columns);
	free(t->rows);
	free(t->block);
	free(t);
}

void *table_own(struct table *t, void *mem)
{
	t->owned = alloc_more(t->owned, t->nr_owned, &t->owned_room, sizeof(*t->owned));
	t->owned[t->nr_owned++] = mem;
	return mem;
}

void table_inherit(struct table *t, const struct table *from)
{
	memcpy(t->fields, from->fields, sizeof(t->fields));
	t->nr_fields = from->nr_fields;
	t->source = from->source;
}

struct row *table_add(struct table *t)
{
	const size_t i = t->nr_rows++;

	t->rows[i] = (struct row *)((char *)t->block + i * table_row_size(t));
	return t->rows[i];
}

struct row *table_row(const struct table *t)
{
	return alloc(1, table_row_size(t));
}

/* ---- the head ------------------------------------------------------------- */

const char *table_field(const struct table *t, const char *key)
{
	int i;

	for (i = 0; i < t->nr_fields; i++)
		if (!strcmp(t->fields[i].key, key))
			return t->fields[i].value;
	return NULL;
}

u64 table_number(const struct table *t, const char *key)
{
	const char *text = table_field(t, key);
	u64 number;

	return text && !number_parse(text, &number) ? number : 0;
}

bool table_is(const struct table *t, const char *key, const char *value)
{
	const char *text = table_field(t, key);

	return text && !strcmp(text, value);
}

u64 table_window_ms(const struct table *t)
{
	const char *window = table_field(t, "window_s");
	u64 ms = 0;

	return window && !number_parse_milli(window, &ms) ? ms : 0;
}
