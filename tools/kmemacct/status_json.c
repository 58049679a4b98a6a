// SPDX-License-Identifier: GPL-2.0
/* `kmemacct status` as JSON.  See status.h. */
#include <string.h>

#include "json.h"
#include "status.h"

/* A text that looks like a number becomes one. */
static void write_text(struct json_writer *w, const char *key, const char *text)
{
	u64 number;

	if (text && !number_parse(text, &number))
		json_u64(w, key, number);
	else if (text && !number_parse_milli(text, &number))
		json_milli(w, key, number);
	else
		json_text(w, key, text);
}

/* A number of stats, or null. */
static void write_number(struct json_writer *w, const struct status *s, const char *name)
{
	const struct row *row = status_row(s, name);

	if (!row)
		json_null(w, name);
	else if (row->format == FORMAT_MILLI)
		json_milli(w, name, row->v[0]);
	else
		json_u64(w, name, row->v[0]);
}

static void write_field(struct json_writer *w, const struct status *s, const char *key)
{
	write_text(w, key, table_field(s->stats, key));
}

static void write_recording(struct json_writer *w, const struct status *s)
{
	json_line(w);
	json_open(w, "recording", '{');
	json_bool(w, "enabled", strcmp(status_setting(s, "enabled", "1"), "0"));
	json_bool(w, "exact", !s->stats->sampled);
	write_number(w, s, "sample_bytes");
	write_number(w, s, "sample_bytes_now");
	write_field(w, s, "since");
	write_field(w, s, "window_s");
	write_field(w, s, "coverage_pct");
	json_close(w, '}');
}

static void write_filter(struct json_writer *w, const struct control *c)
{
	size_t i;

	json_open(w, "filter", '{');
	for (i = 0; i < c->nr; i++)
		if (!strncmp(c->name[i], "filter_", 7) && strcmp(c->value[i], "off"))
			json_string(w, c->name[i] + 7, c->value[i]);
	json_close(w, '}');
}

static void write_parts(struct json_writer *w, const struct status *s)
{
	static const char * const names[] = {
		"pages", "page_sample_bytes", "account", "latency", "threshold_us",
	};
	size_t i;

	json_line(w);
	json_open(w, "parts", '{');
	for (i = 0; i < ARRAY_SIZE(names); i++)
		write_text(w, names[i], control_value(&s->control, names[i]));
	write_filter(w, &s->control);
	json_close(w, '}');
}

static void write_tables(struct json_writer *w, const struct status *s)
{
	int i;

	json_line(w);
	json_open(w, "tables", '[');
	for (i = 0; i < s->nr_fills; i++) {
		json_line(w);
		json_open(w, NULL, '{');
		json_string(w, "table", s->fill[i].key);
		json_u64(w, "used", s->fill[i].used);
		json_u64(w, "room", s->fill[i].room);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void write_cost(struct json_writer *w, const struct status *s)
{
	static const char * const names[] = {
		"cpu_pct", "cpu_pct_se", "budget_pct", "event_ns", "event_ns_se", "memory_bytes",
	};
	size_t i;

	json_line(w);
	json_open(w, "cost", '{');
	for (i = 0; i < ARRAY_SIZE(names); i++)
		write_number(w, s, names[i]);
	json_close(w, '}');
}

static void write_losses(struct json_writer *w, const struct status *s)
{
	const struct loss *loss;

	json_line(w);
	json_open(w, "lost", '[');
	for (loss = s->loss; loss < s->loss + s->nr_losses; loss++) {
		json_line(w);
		json_open(w, NULL, '{');
		json_string(w, "name", loss->key);
		if (loss->nr)
			json_u64(w, "count", loss->nr);
		else
			json_null(w, "count");
		json_string(w, "what", loss->what);
		json_string(w, "remedy", loss->remedy);
		json_close(w, '}');
	}
	json_close(w, ']');
}

void status_json(FILE *out, const struct status *s)
{
	struct json_writer w = { .out = out };

	json_open(&w, NULL, '{');
	write_field(&w, s, "version");
	write_field(&w, s, "kernel");
	write_field(&w, s, "loaded_s");
	write_field(&w, s, "resets");
	write_recording(&w, s);
	write_parts(&w, s);
	write_tables(&w, s);
	write_cost(&w, s);
	write_losses(&w, s);
	json_close(&w, '}');
}
