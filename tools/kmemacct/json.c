// SPDX-License-Identifier: GPL-2.0
/* Tables as programs read them.  See json.h. */
#include <json-c/json.h>

#include <stdlib.h>

#include "error.h"
#include "json.h"

/* Thousandths keep the digits that the module printed. */
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
		/* null, where there is none */
		return value == NO_ID ? NULL : json_object_new_uint64(value);
	default:
		return json_object_new_uint64(value);
	}
}

/* What looks like a number in the head is one. */
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

static struct json_object *row_object(const struct table *t, const struct row *row)
{
	struct json_object *object = json_object_new_object();
	struct json_object *label = json_object_new_string(row->label);
	int i;

	if (!t->columns) {
		json_object_object_add(object, "name", label);
		json_object_object_add(object, "value",
				       value_object(row->format, row->v[0]));
		return object;
	}
	for (i = 0; i < t->nr_values; i++)
		json_object_object_add(object, t->columns[i].name,
				       value_object(t->columns[i].format, row->v[i]));
	json_object_object_add(object, t->columns[i].name, label);
	return object;
}

static struct json_object *rows_object(const struct table *t)
{
	struct json_object *rows = json_object_new_array();
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		json_object_array_add(rows, row_object(t, t->rows[i]));
	return rows;
}

int json_table(FILE *out, const struct table *t)
{
	struct json_object *object = json_object_new_object();
	const char *text;

	json_object_object_add(object, "table", json_object_new_string(t->name));
	json_object_object_add(object, "version",
			       json_object_new_int(KMA_FORMAT_VERSION));
	json_object_object_add(object, "head", head_object(t));
	if (t->note)
		json_object_object_add(object, "note",
				       json_object_new_string(t->note));
	json_object_object_add(object, "rows", rows_object(t));
	json_object_object_add(object, "rows_left_out",
			       json_object_new_uint64(t->left_out));
	text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
						      JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text)
		fprintf(out, "%s\n", text);
	json_object_put(object);
	return text ? 0 : fail("not enough memory for JSON: ask for less rows by -l");
}
