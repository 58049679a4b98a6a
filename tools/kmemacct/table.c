// SPDX-License-Identifier: GPL-2.0
/* Tables.  See the overview in table.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "gfp.h"
#include "snapshot.h"
#include "source.h"
#include "table.h"

static_assert(COUNT_NR < COLUMNS_MAX, "COLUMNS_MAX is too small");
/* latency.c adds four columns. */
static_assert(LATENCY_phase + 4 < COLUMNS_MAX, "COLUMNS_MAX is too small");

static int count_values(const struct column *columns)
{
	int nr = 0;

	while (columns[nr].format != FORMAT_LABEL)
		nr++;
	return nr;
}

static void set_columns(struct table *t, const struct column *columns)
{
	size_t nr = count_values(columns) + 1;

	t->columns = alloc(nr, sizeof(*columns));
	memcpy(t->columns, columns, nr * sizeof(*columns));
	t->nr_values = nr - 1;
}

static size_t row_size(const struct table *t)
{
	return sizeof(struct row) + t->nr_values * sizeof(u64);
}

struct table *table_new(const char *name, const struct column *columns,
			bool sampled, size_t max_rows)
{
	struct table *t = alloc(1, sizeof(*t));

	t->name = name;
	t->nr_values = 1;
	if (columns)
		set_columns(t, columns);
	t->sampled = sampled;
	t->rows = alloc(max_rows, sizeof(t->rows[0]));
	t->block = alloc(max_rows, row_size(t));
	return t;
}

static void free_strings(char **strings)
{
	size_t i;

	for (i = 0; strings && strings[i]; i++)
		free(strings[i]);
	free(strings);
}

void table_free(struct table *t)
{
	if (!t)
		return;
	table_free(t->from[0]);
	table_free(t->from[1]);
	free(t->columns);
	free(t->rows);
	free(t->block);
	free(t->text);
	free(t->addresses);
	free(t->cells);
	free_strings(t->strings);
	free(t->sum);
	free(t->sum_label);
	free(t->advice);
	gfp_free(t->gfp);
	sources_free(t->sources);
	free(t);
}

void table_inherit(struct table *t, const struct table *from)
{
	memcpy(t->fields, from->fields, sizeof(t->fields));
	t->nr_fields = from->nr_fields;
}

struct row *table_add(struct table *t)
{
	size_t i = t->nr_rows++;

	t->rows[i] = (struct row *)((char *)t->block + i * row_size(t));
	return t->rows[i];
}

int table_nr_columns(const struct table *t)
{
	return t->nr_values + !!t->columns[t->nr_values].name;
}

int table_column(const struct table *t, const char *name)
{
	int i;

	for (i = 0; t->columns && i < table_nr_columns(t); i++)
		if (!strcmp(t->columns[i].name, name))
			return i;
	return -1;
}

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

u64 table_window_ms(const struct table *t)
{
	const char *window = table_field(t, "window_s");
	u64 ms = 0;

	if (window)
		number_parse_milli(window, &ms);
	return ms;
}

const char *table_kb(const char *name)
{
	const char *at = strstr(name, "kb");

	if (at && (at == name || at[-1] == '_') && (!at[2] || at[2] == '_'))
		return at;
	return NULL;
}

static bool ends_in(const char *name, const char *end)
{
	size_t len = strlen(name);

	return len > strlen(end) && !strcmp(name + len - strlen(end), end);
}

enum unit table_unit(const char *name)
{
	if (strstr(name, "bytes"))
		return UNIT_BYTES;
	if (table_kb(name))
		return UNIT_KB;
	if (!strcmp(name, "share_pct") || !strcmp(name, "old_pct"))
		return UNIT_SHARE;
	if (ends_in(name, "_us"))
		return UNIT_US;
	return ends_in(name, "_ms") ? UNIT_MS : UNIT_NONE;
}
