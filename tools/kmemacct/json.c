// SPDX-License-Identifier: GPL-2.0
/* Tables as JSON.  See json.h. */
#include <json-c/json.h>

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "estimate.h"
#include "gfp.h"
#include "json.h"
#include "slow.h"

/* Print a value in thousandths with the digits that the module printed. */
static struct json_object *milli(u64 value)
{
	char buf[NUMBER_LEN];

	number_print_milli(buf, value);
	return json_object_new_double_s((double)value / 1000, buf);
}

static struct json_object *value_object(enum format format, u64 value)
{
	char buf[NUMBER_LEN];

	switch (format) {
	case FORMAT_MILLI:
		return milli(value);
	case FORMAT_S64:
		return json_object_new_int64(value);
	case FORMAT_PTR:
		snprintf(buf, sizeof(buf), "%016llx", value);
		return json_object_new_string(buf);
	case FORMAT_ID:
	case FORMAT_BOUND:
		/* NULL prints as null. */
		return value == NO_ID ? NULL : json_object_new_uint64(value);
	case FORMAT_NAME:
		return json_object_new_string((const char *)(uintptr_t)value);
	default:
		return json_object_new_uint64(value);
	}
}

/* A field of the head is a number if it looks like one. */
static struct json_object *field_object(const char *value)
{
	u64 number;

	if (!number_parse(value, &number))
		return json_object_new_uint64(number);
	if (!number_parse_milli(value, &number))
		return milli(number);
	return json_object_new_string(value);
}

static struct json_object *head_object(const struct table *t)
{
	struct json_object *head = json_object_new_object();
	int i;

	for (i = 0; i < t->nr_fields; i++)
		json_object_object_add(head, t->fields[i].key,
				       field_object(t->fields[i].value));
	return head;
}

/* Add `low` and `high` of an interval, each with @name before it: "" or a column and `_`. */
static void add_interval(struct json_object *object, const char *name,
			 const struct interval *i)
{
	char key[64];

	snprintf(key, sizeof(key), "%slow", name);
	json_object_object_add(object, key, value_object(i->format, i->low));
	snprintf(key, sizeof(key), "%shigh", name);
	json_object_object_add(object, key, value_object(i->format, i->high));
}

static struct json_object *pair_object(const struct table *t, size_t i)
{
	struct json_object *object = json_object_new_object();
	const struct row *row = t->rows[i];
	struct interval interval;

	json_object_object_add(object, "name", json_object_new_string(row->label));
	json_object_object_add(object, "value",
			       value_object(row->format, row->v[0]));
	if (estimate_pair_se(t, i)) {
		interval = estimate_pair_interval(t, i);
		add_interval(object, "", &interval);
	}
	return object;
}

/* Add all intervals of a row. */
static void add_intervals(struct json_object *object, const struct table *t,
			  const struct row *row)
{
	struct interval interval;
	char name[64];
	int i;

	for (i = 0; i < t->nr_values; i++) {
		if (!t->sampled || estimate_se(t, i) < 0)
			continue;
		interval = estimate_interval(t, row, i);
		snprintf(name, sizeof(name), "%s_", t->columns[i].name);
		add_interval(object, name, &interval);
	}
}

/* List the names of flags, and last the number of those that have no name. */
static struct json_object *flags_object(const struct gfp *gfp, u64 flags)
{
	struct json_object *names = json_object_new_array();
	struct gfp_walk walk = { .rest = flags };
	char buf[NUMBER_LEN];
	int nr;

	while ((nr = gfp_next(gfp, &walk)) >= 0)
		json_object_array_add(names, json_object_new_string(gfp_name(gfp, nr)));
	snprintf(buf, sizeof(buf), "%#llx", walk.rest);
	if (walk.rest)
		json_object_array_add(names, json_object_new_string(buf));
	return names;
}

static struct json_object *causes_object(const struct slow *s)
{
	struct json_object *causes = json_object_new_array(), *cause;
	int i;

	for (i = 0; i < s->nr_causes; i++) {
		cause = json_object_new_object();
		json_object_object_add(cause, "cause",
				       json_object_new_string(s->cause[i].name));
		json_object_object_add(cause, "us", json_object_new_uint64(s->cause[i].us));
		json_object_object_add(cause, "count",
				       json_object_new_uint64(s->cause[i].nr));
		json_object_array_add(causes, cause);
	}
	return causes;
}

static struct json_object *text_object(const char *text)
{
	return strcmp(text, "-") ? json_object_new_string(text) : NULL;
}

/* Add the parts of the label of a slow phase. */
static void add_slow(struct json_object *object, const char *label)
{
	struct json_object *stack = json_object_new_array();
	struct slow s;
	int i;

	slow_parse(&s, label);
	for (i = 0; i < s.nr_frames; i++)
		json_object_array_add(stack, json_object_new_string(s.frame[i]));
	json_object_object_add(object, "comm", text_object(s.comm));
	json_object_object_add(object, "phase", text_object(s.phase));
	json_object_object_add(object, "site", text_object(s.site));
	json_object_object_add(object, "causes", causes_object(&s));
	json_object_object_add(object, "stack", stack);
	free(s.text);
}

/* A row of sums has no masks, which identify rows. */
static struct json_object *cell_object(const struct table *t, const struct row *row,
				       int column)
{
	enum format format = t->columns[column].format;

	return row == t->sum && format == FORMAT_HEX ? NULL :
	       value_object(format, row->v[column]);
}

static struct json_object *row_object(const struct table *t, const struct row *row)
{
	struct json_object *object = json_object_new_object();
	int i, gfp = table_column(t, "gfp");

	for (i = 0; i < t->nr_values; i++)
		json_object_object_add(object, t->columns[i].name, cell_object(t, row, i));
	if (t->gfp && gfp >= 0 && row != t->sum)
		json_object_object_add(object, "gfp_flags",
				       flags_object(t->gfp, row->v[gfp]));
	add_intervals(object, t, row);
	if (!strcmp(t->name, "slow"))
		add_slow(object, row->label);
	else if (t->columns[i].name)
		json_object_object_add(object, t->columns[i].name,
				       json_object_new_string(row->label));
	return object;
}

static struct json_object *rows_object(const struct table *t)
{
	struct json_object *rows = json_object_new_array();
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		json_object_array_add(rows, t->columns ?
				      row_object(t, t->rows[i]) :
				      pair_object(t, i));
	return rows;
}

struct json_object *json_of_table(const struct table *t)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "table", json_object_new_string(t->name));
	json_object_object_add(object, "version",
			       json_object_new_int(KMA_FORMAT_VERSION));
	json_object_object_add(object, "head", head_object(t));
	if (estimate_any(t))
		json_object_object_add(object, "unsampled_bytes_high",
				       json_object_new_uint64(estimate_unsampled(t)));
	if (t->note)
		json_object_object_add(object, "note",
				       json_object_new_string(t->note));
	json_object_object_add(object, "rows", rows_object(t));
	json_object_object_add(object, "rows_left_out",
			       json_object_new_uint64(t->left_out));
	if (t->sum)
		json_object_object_add(object, "sum", row_object(t, t->sum));
	if (t->advice)
		json_object_object_add(object, "advice",
				       json_object_new_string(t->advice));
	return object;
}

int json_print(FILE *out, struct json_object *object)
{
	const char *text;

	text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
						      JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text)
		fprintf(out, "%s\n", text);
	json_object_put(object);
	return text ? 0 : fail("not enough memory for JSON: limit the rows with -l");
}

int json_table(FILE *out, const struct table *t)
{
	return json_print(out, json_of_table(t));
}
