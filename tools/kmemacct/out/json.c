// SPDX-License-Identifier: GPL-2.0
/* Tables as JSON.  See the overview in out.h. */
#include <stdlib.h>
#include <string.h>

#include "out.h"

/* ---- values --------------------------------------------------------------- */

static void write_value(struct json *w, const char *key, enum format format, u64 value)
{
	char text[NUMBER_LEN];

	switch (format) {
	case FORMAT_MILLI:
		json_milli(w, key, value);
		break;
	case FORMAT_S64:
		if (value == UNKNOWN)
			json_null(w, key);
		else
			json_s64(w, key, value);
		break;
	case FORMAT_PTR:
		snprintf(text, sizeof(text), "%016llx", value);
		json_string(w, key, text);
		break;
	case FORMAT_ID:
	case FORMAT_BOUND:
		if (value == NO_ID)
			json_null(w, key);
		else
			json_u64(w, key, value);
		break;
	case FORMAT_FLAG:
		if (value == NO_ID)
			json_null(w, key);
		else
			json_bool(w, key, value);
		break;
	case FORMAT_NAME:
		json_string(w, key, (const char *)(uintptr_t)value);
		break;
	default:
		json_u64(w, key, value);
	}
}

/* Write `low` and `high` of an interval, each with @name before it. */
static void write_interval(struct json *w, const char *name, const struct table *t,
			   const struct row *row, int column)
{
	const struct interval i = estimate_interval(t, row, column);
	char key[64];

	snprintf(key, sizeof(key), "%slow", name);
	write_value(w, key, i.format, i.low);
	snprintf(key, sizeof(key), "%shigh", name);
	write_value(w, key, i.format, i.high);
}

/* ---- rows ----------------------------------------------------------------- */

/* A table of pairs has an object for each of them. */
static void write_pairs(struct json *w, const struct table *t)
{
	const struct row *row = t->rows[0];
	int i;

	for (i = 0; i < t->nr_values; i++) {
		json_line(w);
		json_open(w, NULL, '{');
		json_string(w, "name", t->columns[i].name);
		write_value(w, "value", t->columns[i].format, row->v[i]);
		if (t->columns[i].se != NONE)
			write_interval(w, "", t, row, i);
		json_close(w, '}');
	}
}

/* List the names of flags, and last the number of those that have no name. */
static void write_flags(struct json *w, const struct gfp *gfp, u64 flags)
{
	struct gfp_walk walk = { .rest = flags };
	char buf[NUMBER_LEN];
	const char *name;

	json_open(w, "gfp_flags", '[');
	while ((name = gfp_next(gfp, &walk)))
		json_string(w, NULL, name);
	snprintf(buf, sizeof(buf), "%#llx", walk.rest);
	if (walk.rest)
		json_string(w, NULL, buf);
	json_close(w, ']');
}

/* Write a text, or null if it is a dash. */
static void write_text(struct json *w, const char *key, const char *text)
{
	json_string(w, key, strcmp(text, "-") ? text : NULL);
}

/* Write the parts of the label of a slow phase. */
static void write_slow(struct json *w, const struct view *v, const struct row *row)
{
	struct slow s;
	int i;

	json_string(w, "cgroup", cgroups_path(v->cgroups, row->v[SLOW_cgroup_id]));
	slow_parse(&s, row->label);
	write_text(w, "comm", s.comm);
	write_text(w, "phase", s.phase);
	write_text(w, "site", s.site);
	json_open(w, "causes", '[');
	for (i = 0; i < s.nr_causes; i++) {
		json_open(w, NULL, '{');
		json_string(w, "cause", s.cause[i].name);
		json_u64(w, "us", s.cause[i].us);
		json_u64(w, "count", s.cause[i].nr);
		json_close(w, '}');
	}
	json_close(w, ']');
	json_open(w, "stack", '[');
	for (i = 0; i < s.nr_frames; i++)
		json_string(w, NULL, s.frame[i]);
	json_close(w, ']');
	free(s.text);
}

/* Write the parts of the label of an incident. */
static void write_incident(struct json *w, const struct row *row)
{
	struct incident in;
	char *rest, *frame;

	incident_parse(&in, row->label);
	json_string(w, "trigger", in.trigger);
	write_text(w, "comm", in.comm);
	write_text(w, "site", in.site);
	json_open(w, "stack", '[');
	for (rest = in.stack; (frame = strsep(&rest, ","));)
		if (strcmp(frame, "-"))
			json_string(w, NULL, frame);
	json_close(w, ']');
	free(in.text);
}

/* Write the line of a call site, or the list of those of a stack. */
static void write_lines(struct json *w, const struct sites *s, const char *label)
{
	char *copy = alloc_copy(label), *rest = copy, *site;
	const bool list = sites_has_list(s);

	if (list)
		json_open(w, "lines", '[');
	while ((site = sites_next(s, &rest)))
		json_string(w, list ? NULL : "line", sites_line(s, site));
	if (list)
		json_close(w, ']');
	free(copy);
}

/* Write the module of a call site, or null for a row such as [other]. */
static void write_module(struct json *w, const char *site)
{
	size_t len;
	const char *module = site_module(site, &len);
	char *name = module ? alloc_print("%.*s", (int)len, module) : NULL;

	json_string(w, "module", name);
	free(name);
}

/* Write a list of numbers, which is text with commas. */
static void write_list(struct json *w, const char *key, const char *list)
{
	size_t len;

	json_open(w, key, '[');
	if (!strcmp(list, "-"))
		list = "";
	for (; *list; list += len + !!list[len]) {
		len = strcspn(list, ",");
		json_u64(w, NULL, strtoull(list, NULL, 10));
	}
	json_close(w, ']');
}

/* A row of sums has no masks and names, which identify rows. */
static void write_cell(struct json *w, const struct view *v, const struct row *row, int column)
{
	const struct column *c = &v->t->columns[column];

	if (row == v->total && (c->format == FORMAT_HEX || c->format == FORMAT_NAME))
		json_null(w, c->name);
	else if (c->kind == KIND_PAST)
		write_list(w, c->name, row_name(row, column));
	else
		write_value(w, c->name, c->format, row->v[column]);
}

static void write_row(struct json *w, const char *key, const struct view *v,
		      const struct row *row)
{
	const struct table *t = v->t;
	char name[64];
	int i;

	json_open(w, key, '{');
	for (i = 0; i < t->nr_values; i++)
		if (!t->columns[i].computed)
			write_cell(w, v, row, i);
	if (v->gfp && row != v->total && t->at[AT_gfp] != NONE)
		write_flags(w, v->gfp, row->v[t->at[AT_gfp]]);
	for (i = 0; t->sampled && i < t->nr_values; i++) {
		if (t->columns[i].se == NONE)
			continue;
		snprintf(name, sizeof(name), "%s_", t->columns[i].name);
		write_interval(w, name, t, row, i);
	}
	if (!strcmp(t->name, "slow"))
		write_slow(w, v, row);
	else if (!strcmp(t->name, "incidents"))
		write_incident(w, row);
	else if (table_label(t))
		json_string(w, table_label(t), row->label);
	if (row != v->total && t->at[AT_site] == t->nr_values)
		write_module(w, row->label);
	if (v->sites && row != v->total)
		write_lines(w, v->sites, row->label);
	if (row != v->total && t->at[AT_reclaimable] != NONE)
		write_cell(w, v, row, t->at[AT_reclaimable]);
	json_close(w, '}');
}

void json_table_row(struct json *w, const struct view *v, const struct row *row)
{
	json_line(w);
	write_row(w, NULL, v, row);
}

/* ---- the table ------------------------------------------------------------ */

void json_table_begin(struct json *w, const char *key, const struct view *v)
{
	const struct field *f;

	if (key)
		json_line(w);
	json_open(w, key, '{');
	json_string(w, "table", v->t->name);
	json_u64(w, "version", KMA_FORMAT_VERSION);
	json_line(w);
	json_open(w, "head", '{');
	/* Keys of a JSON object are unique: of several, the first one counts here as elsewhere. */
	for (f = v->t->fields; f < v->t->fields + v->t->nr_fields; f++) {
		if (table_field(v->t, f->key) != f->value)
			continue;
		if (text_begins(f->key, "ages_"))
			write_list(w, f->key, f->value);
		else
			json_value(w, f->key, f->value);
	}
	json_close(w, '}');
	if (v->note)
		json_string(w, "note", v->note);
	json_line(w);
	json_open(w, "rows", '[');
}

static void write_remark(struct json *w, const char *key, const char *text)
{
	if (!text)
		return;
	json_line(w);
	json_string(w, key, text);
}

void json_table_end(struct json *w, const struct view *v)
{
	json_line(w);
	json_close(w, ']');
	json_line(w);
	json_u64(w, "rows_left_out", view_left_out(v));
	if (estimate_any(v->t))
		json_u64(w, "unsampled_bytes_high", estimate_unsampled(v->t));
	if (v->sites) {
		write_remark(w, "no_lines", sites_remark(v->sites));
		write_remark(w, "unchecked_lines", sites_caution(v->sites));
	}
	if (v->total) {
		json_line(w);
		write_row(w, "sum", v, v->total);
	}
	write_remark(w, "advice", v->advice);
	json_close(w, '}');
}

void json_table(struct json *w, const char *key, const struct view *v)
{
	size_t i;

	json_table_begin(w, key, v);
	if (v->t->pairs)
		write_pairs(w, v->t);
	for (i = 0; !v->t->pairs && i < v->nr; i++)
		json_table_row(w, v, v->t->rows[i]);
	json_table_end(w, v);
}
