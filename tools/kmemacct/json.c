// SPDX-License-Identifier: GPL-2.0
/* Tables as JSON.  See json.h. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "estimate.h"
#include "gfp.h"
#include "json.h"
#include "slow.h"
#include "source.h"

/* ---- values --------------------------------------------------------------- */

void json_milli(struct json_writer *w, const char *key, u64 value)
{
	char digits[NUMBER_LEN];

	number_print_milli(digits, value);
	json_digits(w, key, digits);
}

static void write_ptr(struct json_writer *w, const char *key, u64 value)
{
	char text[NUMBER_LEN];

	snprintf(text, sizeof(text), "%016llx", value);
	json_string(w, key, text);
}

static void write_value(struct json_writer *w, const char *key, enum format format, u64 value)
{
	switch (format) {
	case FORMAT_MILLI:
		json_milli(w, key, value);
		break;
	case FORMAT_S64:
		json_s64(w, key, value);
		break;
	case FORMAT_PTR:
		write_ptr(w, key, value);
		break;
	case FORMAT_ID:
	case FORMAT_BOUND:
		if (value == NO_ID)
			json_null(w, key);
		else
			json_u64(w, key, value);
		break;
	case FORMAT_NAME:
		json_string(w, key, (const char *)(uintptr_t)value);
		break;
	default:
		json_u64(w, key, value);
	}
}

/* Write `low` and `high` of an interval, each with @name before it: "" or a column and `_`. */
static void write_interval(struct json_writer *w, const char *name, const struct interval *i)
{
	char key[64];

	snprintf(key, sizeof(key), "%slow", name);
	write_value(w, key, i->format, i->low);
	snprintf(key, sizeof(key), "%shigh", name);
	write_value(w, key, i->format, i->high);
}

/* ---- rows ----------------------------------------------------------------- */

static void write_pair(struct json_writer *w, const struct table *t, size_t i)
{
	const struct row *row = t->rows[i];
	struct interval interval;

	json_open(w, NULL, '{');
	json_string(w, "name", row->label);
	write_value(w, "value", row->format, row->v[0]);
	if (estimate_pair_se(t, i)) {
		interval = estimate_pair_interval(t, i);
		write_interval(w, "", &interval);
	}
	json_close(w, '}');
}

/* Write all intervals of a row. */
static void write_intervals(struct json_writer *w, const struct table *t,
			    const struct row *row)
{
	struct interval interval;
	char name[64];
	int i;

	if (!t->sampled)
		return;
	for (i = 0; i < t->nr_values; i++) {
		if (estimate_se(t, i) < 0)
			continue;
		interval = estimate_interval(t, row, i);
		snprintf(name, sizeof(name), "%s_", t->columns[i].name);
		write_interval(w, name, &interval);
	}
}

/* List the names of flags, and last the number of those that have no name. */
static void write_flags(struct json_writer *w, const struct gfp *gfp, u64 flags)
{
	struct gfp_walk walk = { .rest = flags };
	char buf[NUMBER_LEN];
	int nr;

	json_open(w, "gfp_flags", '[');
	while ((nr = gfp_next(gfp, &walk)) >= 0)
		json_string(w, NULL, gfp_name(gfp, nr));
	snprintf(buf, sizeof(buf), "%#llx", walk.rest);
	if (walk.rest)
		json_string(w, NULL, buf);
	json_close(w, ']');
}

static void write_causes(struct json_writer *w, const struct slow *s)
{
	int i;

	json_open(w, "causes", '[');
	for (i = 0; i < s->nr_causes; i++) {
		json_open(w, NULL, '{');
		json_string(w, "cause", s->cause[i].name);
		json_u64(w, "us", s->cause[i].us);
		json_u64(w, "count", s->cause[i].nr);
		json_close(w, '}');
	}
	json_close(w, ']');
}

/* Write a text, or null if it is a dash. */
static void write_text(struct json_writer *w, const char *key, const char *text)
{
	json_text(w, key, strcmp(text, "-") ? text : NULL);
}

/* Write the parts of the label of a slow phase. */
static void write_slow(struct json_writer *w, const char *label)
{
	struct slow s;
	int i;

	slow_parse(&s, label);
	write_text(w, "comm", s.comm);
	write_text(w, "phase", s.phase);
	write_text(w, "site", s.site);
	write_causes(w, &s);
	json_open(w, "stack", '[');
	for (i = 0; i < s.nr_frames; i++)
		json_string(w, NULL, s.frame[i]);
	json_close(w, ']');
	free(s.text);
}

/* Write the line of a call site, or the list of those of a stack. */
static void write_lines(struct json_writer *w, const struct sources *s, const char *label)
{
	char *copy = alloc_copy(label), *rest = copy, *site;
	const bool list = sources_has_list(s);

	if (list)
		json_open(w, "lines", '[');
	while ((site = sources_next(s, &rest)))
		json_text(w, list ? NULL : "line", sources_line(s, site));
	if (list)
		json_close(w, ']');
	free(copy);
}

static void write_label(struct json_writer *w, const struct table *t, const struct row *row)
{
	const char *name = t->columns[t->nr_values].name;

	if (!strcmp(t->name, "slow"))
		write_slow(w, row->label);
	else if (name)
		json_string(w, name, row->label);
	if (t->sources && row != t->sum)
		write_lines(w, t->sources, row->label);
}

/* A row of sums has no masks and names, which identify rows. */
static void write_cell(struct json_writer *w, const struct table *t, const struct row *row,
		       int column)
{
	const struct column *c = &t->columns[column];

	if (row == t->sum && (c->format == FORMAT_HEX || c->format == FORMAT_NAME))
		json_null(w, c->name);
	else
		write_value(w, c->name, c->format, row->v[column]);
}

/* Write a row, with its flags if their names are known. */
static void write_row(struct json_writer *w, const char *key, const struct table *t,
		      const struct row *row)
{
	int i, gfp = t->gfp && row != t->sum ? table_column(t, "gfp") : -1;

	json_open(w, key, '{');
	for (i = 0; i < t->nr_values; i++)
		if (!t->columns[i].computed)
			write_cell(w, t, row, i);
	if (gfp >= 0)
		write_flags(w, t->gfp, row->v[gfp]);
	write_intervals(w, t, row);
	write_label(w, t, row);
	json_close(w, '}');
}

void json_row(struct json_writer *w, const struct table *t, const struct row *row)
{
	json_line(w);
	write_row(w, NULL, t, row);
}

/* ---- the table ------------------------------------------------------------ */

/* A field of the head is a number if it looks like one. */
static void write_field(struct json_writer *w, const struct field *field)
{
	u64 number;

	if (!number_parse(field->value, &number))
		json_u64(w, field->key, number);
	else if (!number_parse_milli(field->value, &number))
		json_milli(w, field->key, number);
	else
		json_string(w, field->key, field->value);
}

static void write_head(struct json_writer *w, const struct table *t)
{
	int i;

	json_open(w, "head", '{');
	/* Keys of a JSON object are unique: of several, the first one counts here as elsewhere. */
	for (i = 0; i < t->nr_fields; i++)
		if (table_field(t, t->fields[i].key) == t->fields[i].value)
			write_field(w, &t->fields[i]);
	json_close(w, '}');
}

void json_begin_table(struct json_writer *w, const char *key, const struct table *t)
{
	if (key)
		json_line(w);
	json_open(w, key, '{');
	json_string(w, "table", t->name);
	json_u64(w, "version", KMA_FORMAT_VERSION);
	json_line(w);
	write_head(w, t);
	if (t->note)
		json_string(w, "note", t->note);
	json_line(w);
	json_open(w, "rows", '[');
}

static void write_remarks(struct json_writer *w, const struct sources *s)
{
	if (sources_remark(s)) {
		json_line(w);
		json_string(w, "no_lines", sources_remark(s));
	}
	if (sources_caution(s)) {
		json_line(w);
		json_string(w, "unchecked_lines", sources_caution(s));
	}
}

void json_end_table(struct json_writer *w, const struct table *t)
{
	json_line(w);
	json_close(w, ']');
	json_line(w);
	json_u64(w, "rows_left_out", table_left_out(t));
	if (estimate_any(t))
		json_u64(w, "unsampled_bytes_high", estimate_unsampled(t));
	if (t->sources)
		write_remarks(w, t->sources);
	if (t->sum) {
		json_line(w);
		write_row(w, "sum", t, t->sum);
	}
	if (t->advice) {
		json_line(w);
		json_string(w, "advice", t->advice);
	}
	json_close(w, '}');
}

void json_table(struct json_writer *w, const char *key, const struct table *t)
{
	size_t i;

	json_begin_table(w, key, t);
	for (i = 0; i < t->nr_rows; i++) {
		if (t->columns) {
			json_row(w, t, t->rows[i]);
		} else {
			json_line(w);
			write_pair(w, t, i);
		}
	}
	json_end_table(w, t);
}
