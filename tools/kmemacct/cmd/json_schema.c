// SPDX-License-Identifier: GPL-2.0
/*
 * The JSON schema (draft 2020-12) of what commands print with -j.
 *
 * The schema of a table is made from the columns that its command prints, as out/json.c writes
 * them.  `$defs` has a schema for each command, by its name.  Besides the keywords of JSON Schema,
 * a column has its kind and its unit, and an estimate says so.  Objects have no members but those
 * that are listed; only the head of a table may grow with the module.
 */
#include <stdio.h>
#include <string.h>

#include "cmd.h"

static const char * const kinds[] = {
	[KIND_KEY] = "key", [KIND_GAUGE] = "gauge", [KIND_PAST] = "past", [KIND_CHANGE] = "change",
	[KIND_COUNTER] = "counter", [KIND_MAX] = "max", [KIND_RATIO] = "ratio",
	[KIND_ERROR] = "error",
};

static const char * const units[] = {
	[UNIT_NONE] = "none", [UNIT_BYTES] = "bytes", [UNIT_KIB] = "kib", [UNIT_PAGES] = "pages",
	[UNIT_OBJS] = "objs", [UNIT_ALLOCS] = "allocs", [UNIT_SAMPLES] = "samples",
	[UNIT_EVENTS] = "events", [UNIT_PHASES] = "phases", [UNIT_CALLS] = "calls",
	[UNIT_PCT] = "pct", [UNIT_NS] = "ns", [UNIT_US] = "us", [UNIT_MS] = "ms", [UNIT_S] = "s",
	[UNIT_SHARE] = "pct",
};

/* ---- types ---------------------------------------------------------------- */

/*
 * Write a type by a letter: u and s for an integer without and with a sign, n for a number, b for a
 * boolean, t for a text, v for any of these.  `?` after it: or null.
 */
static void write_type(struct json *w, const char *type)
{
	static const struct {
		char letter;
		const char *name[2];
	} types[] = {
		{ 'u', { "integer" } }, { 's', { "integer" } }, { 'n', { "number" } },
		{ 'b', { "boolean" } }, { 't', { "string" } }, { 'v', { "string", "number" } },
	};
	size_t i = 0;

	while (types[i].letter != *type)
		i++;
	json_open(w, "type", '[');
	json_string(w, NULL, types[i].name[0]);
	if (types[i].name[1])
		json_string(w, NULL, types[i].name[1]);
	if (type[1] == '?')
		json_string(w, NULL, "null");
	json_close(w, ']');
	if (*type == 'u' || *type == 'n')
		json_u64(w, "minimum", 0);
}

static const char *type_of(enum format format)
{
	switch (format) {
	case FORMAT_S64:
		return "s";
	case FORMAT_MILLI:
		return "n";
	case FORMAT_ID:
	case FORMAT_BOUND:
		return "u?";
	case FORMAT_FLAG:
		return "b?";
	case FORMAT_PTR:
	case FORMAT_NAME:
	case FORMAT_LABEL:
		return "t";
	default:
		return "u";
	}
}

/* A change, or its standard error, may be unknown. */
static const char *column_type(const struct column *c)
{
	const bool change = c->kind == KIND_CHANGE || text_begins(c->name, "change_");

	return change && c->format == FORMAT_S64 ? "s?" : type_of(c->format);
}

static void write_member(struct json *w, const char *name, const char *type)
{
	json_line(w);
	json_open(w, name, '{');
	write_type(w, type);
	json_close(w, '}');
}

/* ---- objects -------------------------------------------------------------- */

/* Begin an object whose members follow. */
static void open_object(struct json *w, const char *key)
{
	json_line(w);
	json_open(w, key, '{');
	json_string(w, "type", "object");
	json_open(w, "properties", '{');
}

/* Begin the list of members that an object has to have. */
static void open_required(struct json *w)
{
	json_close(w, '}');
	json_open(w, "required", '[');
}

static void close_object(struct json *w)
{
	json_close(w, ']');
	json_bool(w, "additionalProperties", false);
	json_close(w, '}');
}

static void open_list(struct json *w, const char *key)
{
	json_line(w);
	json_open(w, key, '{');
	json_string(w, "type", "array");
}

/* Read the next `name type` of a list of members.  Return: false at its end. */
static bool next_member(const char **list, char name[32], char type[4])
{
	int len;

	if (sscanf(*list, " %31s %3s%n", name, type, &len) != 2)
		return false;
	*list += len;
	return true;
}

/* Write members, and then that they are required. */
static void write_members(struct json *w, const char *list)
{
	char name[32], type[4];

	while (next_member(&list, name, type))
		write_member(w, name, type);
}

static void require_members(struct json *w, const char *list)
{
	char name[32], type[4];

	while (next_member(&list, name, type))
		json_string(w, NULL, name);
}

static void write_object(struct json *w, const char *key, const char *list)
{
	open_object(w, key);
	write_members(w, list);
	open_required(w);
	require_members(w, list);
	close_object(w);
}

/* ---- rows ----------------------------------------------------------------- */

/* The columns that a table of changes may lack. */
static bool may_lack(const struct table *t, const char *column)
{
	return !strcmp(t->name, "diff") &&
	       text_lists("low_bytes,high_bytes,growth_bytes_s,allocs,frees,fdr_pct,significant",
			  column);
}

/* The parts of the label of a slow phase. */
#define SLOW	"cgroup t? comm t? phase t? site t?"

static void write_texts(struct json *w, const char *key, const char *type)
{
	open_list(w, key);
	json_open(w, "items", '{');
	write_type(w, type);
	json_close(w, '}');
	json_close(w, '}');
}

static void write_slow(struct json *w)
{
	write_members(w, SLOW);
	open_list(w, "causes");
	write_object(w, "items", "cause t us u count u");
	json_close(w, '}');
	write_texts(w, "stack", "t");
}

/* The parts of the label of an incident. */
#define INCIDENT	"trigger t comm t? site t?"

static void write_incident(struct json *w)
{
	write_members(w, INCIDENT);
	write_texts(w, "stack", "t");
}

static bool is_label_of_sites(const struct table *t)
{
	return t->at[AT_site] == t->nr_values || t->at[AT_site_cause] == t->nr_values ||
	       t->at[AT_comm_site] == t->nr_values || t->at[AT_cache_site] == t->nr_values ||
	       t->at[AT_charged_site] == t->nr_values || t->at[AT_task_site] == t->nr_values ||
	       t->at[AT_daemon_zone_site] == t->nr_values;
}

static void write_column(struct json *w, const struct column *c)
{
	json_line(w);
	json_open(w, c->name, '{');
	write_type(w, column_type(c));
	if (c->format == FORMAT_PTR)
		json_string(w, "pattern", "^[0-9a-f]{16}$");
	json_string(w, "kind", kinds[c->kind]);
	json_string(w, "unit", text_ends(c->name, "_bytes_s") ? "bytes_per_s" : units[c->unit]);
	if (c->se != NONE)
		json_bool(w, "estimate", true);
	json_close(w, '}');
}

/* The interval of an estimate. */
static void write_interval(struct json *w, const struct column *c)
{
	char name[64];
	int i;

	for (i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s_%s", c->name, i ? "high" : "low");
		write_member(w, name, c->format == FORMAT_S64 ? column_type(c) : "u");
	}
}

/* @sum: the row of sums, which has no masks and names. */
static void write_row(struct json *w, const char *key, const struct table *t, bool sum)
{
	const bool slow = !strcmp(t->name, "slow"), incident = !strcmp(t->name, "incidents");
	const struct column *c, *end = t->columns + t->nr_values;

	open_object(w, key);
	for (c = t->columns; c < end; c++) {
		if (sum && (c->format == FORMAT_HEX || c->format == FORMAT_NAME)) {
			json_open(w, c->name, '{');
			json_string(w, "type", "null");
			json_close(w, '}');
		} else if (c->kind == KIND_PAST) {
			write_texts(w, c->name, "u");
		} else if (!c->computed) {
			write_column(w, c);
		}
		if (c->se != NONE)
			write_interval(w, c);
	}
	if (!sum && t->at[AT_gfp] != NONE)
		write_texts(w, "gfp_flags", "t");
	if (slow)
		write_slow(w);
	else if (incident)
		write_incident(w);
	else if (table_label(t))
		write_member(w, table_label(t), "t");
	if (!sum && t->at[AT_site] == t->nr_values)
		write_member(w, "module", "t?");
	if (!sum && t->at[AT_stack] == t->nr_values)
		write_texts(w, "lines", "t?");
	else if (!sum && !slow && is_label_of_sites(t))
		write_member(w, "line", "t?");
	if (!sum && t->at[AT_reclaimable] != NONE)
		write_column(w, &t->columns[t->at[AT_reclaimable]]);
	open_required(w);
	for (c = t->columns; c < end; c++)
		if (!c->computed && !may_lack(t, c->name))
			json_string(w, NULL, c->name);
	if (slow)
		require_members(w, SLOW " causes t stack t");
	else if (incident)
		require_members(w, INCIDENT " stack t");
	else if (table_label(t))
		json_string(w, NULL, table_label(t));
	if (!sum && t->at[AT_site] == t->nr_values)
		json_string(w, NULL, "module");
	if (!sum && t->at[AT_reclaimable] != NONE)
		json_string(w, NULL, "reclaimable");
	close_object(w);
}

/* ---- tables --------------------------------------------------------------- */

static void write_head(struct json *w, const char *table)
{
	json_line(w);
	json_open(w, "table", '{');
	json_string(w, "const", table);
	json_close(w, '}');
	json_line(w);
	json_open(w, "version", '{');
	json_u64(w, "const", KMA_FORMAT_VERSION);
	json_close(w, '}');
	json_line(w);
	json_open(w, "head", '{');
	json_string(w, "type", "object");
	if (!strcmp(table, "history")) {
		json_open(w, "properties", '{');
		write_texts(w, "ages_10s_s", "u");
		write_texts(w, "ages_1m_s", "u");
		write_texts(w, "ages_1h_s", "u");
		json_close(w, '}');
	}
	json_open(w, "additionalProperties", '{');
	write_type(w, "v");
	json_close(w, '}');
	json_close(w, '}');
}

/* A table of pairs has an object for each of them. */
static void write_pair(struct json *w)
{
	open_object(w, "items");
	write_members(w, "name t value v low s high s");
	open_required(w);
	require_members(w, "name t value v");
	close_object(w);
}

/* @t: the table, or NULL for one of pairs; @sum: it has a row of sums */
static void write_table(struct json *w, const char *key, const char *name, const struct table *t,
			bool sum)
{
	open_object(w, key);
	write_head(w, name);
	open_list(w, "rows");
	if (t)
		write_row(w, "items", t, false);
	else
		write_pair(w);
	json_close(w, '}');
	write_members(w, "rows_left_out u note t unsampled_bytes_high u");
	write_members(w, "no_lines t unchecked_lines t advice t");
	if (sum)
		write_row(w, "sum", t, true);
	open_required(w);
	require_members(w, "table t version u head t rows t rows_left_out u");
	if (sum)
		json_string(w, NULL, "sum");
	close_object(w);
}

static void write_view(struct json *w, const char *key, const struct command *c,
		       const struct options *o, bool sum)
{
	struct view v = {};

	/* The tables of stat, which have sums, do not tell what is reclaimable. */
	if (commands_view(&v, c, o) && sum)
		v.t->at[AT_reclaimable] = NONE;
	if (v.t)
		write_table(w, key, v.t->name, v.t, sum || v.total);
	else
		write_table(w, key, c->table, NULL, false);
	view_end(&v);
}

static const struct options plain = { .given = OPTION_JSON };

/* Write the table of a command for each value of --by, or for each table that it takes. */
static void write_views(struct json *w, const struct command *c)
{
	struct options o = plain;
	int i;

	if (!c->by && !(c->takes & OPTION_TABLE)) {
		write_view(w, c->name, c, &o, false);
		return;
	}
	json_line(w);
	json_open(w, c->name, '{');
	json_open(w, "anyOf", '[');
	if (c->by)
		write_view(w, NULL, c, &o, false);
	for (i = 0; c->by && (o.by = c->by[i]); i++)
		write_view(w, NULL, c, &o, false);
	for (i = 0; !c->by && (o.table = growth_table(i)); i++)
		write_view(w, NULL, c, &o, false);
	/* With --cgroup, another table is printed, unless it is the command's own. */
	o.cgroup = c->takes & OPTION_OWNER && strcmp(c->table, "allocs") ? "/" : NULL;
	if (o.cgroup)
		write_view(w, NULL, c, &o, false);
	json_close(w, ']');
	json_close(w, '}');
}

/* ---- stat, set and status ------------------------------------------------- */

#define SLAB_SUMMARY	"bytes_requested s bytes_allocated s bytes_freed s bytes_net s"	\
			" bytes_wasted s frag_pct n cross_node_allocs s allocs s bulk_bytes s"
#define PAGE_SUMMARY	"alloc_requests s alloc_requests_kb s free_requests s"			\
			" free_requests_kb s alloc_freed s alloc_freed_kb s free_only s"	\
			" free_only_kb s failures s failures_kb s bulk_kb s"

static void write_stat(struct json *w, const char *key)
{
	open_object(w, key);
	open_object(w, "slab");
	json_line(w);
	json_open(w, "callers", '{');
	json_open(w, "anyOf", '[');
	write_view(w, NULL, commands_find("callers"), &plain, true);
	write_view(w, NULL, commands_find("run"), &plain, true);
	json_close(w, ']');
	json_close(w, '}');
	write_view(w, "allocs", commands_find("allocs"), &plain, false);
	write_object(w, "summary", SLAB_SUMMARY);
	open_required(w);
	json_string(w, NULL, "summary");
	close_object(w);
	open_object(w, "page");
	write_view(w, "callers", commands_find("page_callers"), &plain, false);
	write_view(w, "pages", commands_find("pages"), &plain, false);
	write_view(w, "orders", commands_find("orders"), &plain, false);
	write_object(w, "summary", PAGE_SUMMARY);
	open_required(w);
	require_members(w, "orders t summary t");
	close_object(w);
	open_required(w);
	close_object(w);
}

static void write_set(struct json *w, const char *key)
{
	open_object(w, key);
	open_list(w, "settings");
	write_object(w, "items", "name t value v at_load b range t? help t?");
	json_close(w, '}');
	open_required(w);
	json_string(w, NULL, "settings");
	close_object(w);
}

/* An object whose keys are names. */
static void write_map(struct json *w, const char *key)
{
	json_line(w);
	json_open(w, key, '{');
	json_string(w, "type", "object");
	json_close(w, '}');
}

#define STATUS	"version v? kernel v? loaded_s n? resets n?"
#define RECORDING	"enabled b exact b sample_bytes n? sample_bytes_now n? since t?"	\
			" window_s n? coverage_pct n?"
#define COST	"cpu_pct n? cpu_pct_se n? budget_pct n? event_ns n? event_ns_se n? memory_bytes n?"
#define SLAB	"slab_bytes u? live_bytes u? share_pct n?"
#define PARTS	"pages t? page_sample_bytes n? account t? latency t? threshold_us n?"

/* Null stands for what the module does not have. */
static void write_status(struct json *w, const char *key)
{
	open_object(w, key);
	write_members(w, STATUS);
	write_object(w, "recording", RECORDING);
	open_object(w, "parts");
	write_members(w, PARTS);
	write_map(w, "phase_threshold_us");
	write_map(w, "filter");
	open_required(w);
	require_members(w, PARTS " phase_threshold_us t filter t");
	close_object(w);
	open_list(w, "tables");
	write_object(w, "items", "table t used u room u");
	json_close(w, '}');
	write_object(w, "cost", COST);
	write_object(w, "slab", SLAB);
	open_list(w, "lost");
	write_object(w, "items", "name t count u? what t remedy t");
	json_close(w, '}');
	open_required(w);
	require_members(w, STATUS " recording t parts t tables t cost t slab t lost t");
	close_object(w);
}

/* ---- the whole ------------------------------------------------------------ */

static const struct {
	const char *command;
	void (*write)(struct json *w, const char *key);
} others[] = {
	{ "stat", write_stat }, { "set", write_set }, { "status", write_status },
};

static void write_command(struct json *w, const struct command *c)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (strcmp(others[i].command, c->name))
			continue;
		others[i].write(w, c->name);
		return;
	}
	write_views(w, c);
}

static void write_reference(struct json *w, const char *name)
{
	char text[64];

	snprintf(text, sizeof(text), "#/$defs/%s", name);
	json_open(w, NULL, '{');
	json_string(w, "$ref", text);
	json_close(w, '}');
}

static bool is_described(const struct command *c, const struct command *only)
{
	return c->takes & OPTION_JSON && (!only || c == only);
}

int json_schema_print(const struct command *only)
{
	struct json w = { .out = stdout };
	const struct command *c;

	if (only && !(only->takes & OPTION_JSON))
		return fail("%s has no -j, so its output has no schema", only->name);
	json_open(&w, NULL, '{');
	json_string(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
	json_string(&w, "title", "Output of kmemacct COMMAND -j");
	json_string(&w, "description",
		    "With exit status 0, one of these; otherwise standard error has an `error`.");
	json_line(&w);
	json_open(&w, "anyOf", '[');
	for (c = commands; c->name; c++)
		if (is_described(c, only))
			write_reference(&w, c->name);
	json_close(&w, ']');
	json_line(&w);
	json_open(&w, "$defs", '{');
	for (c = commands; c->name; c++)
		if (is_described(c, only))
			write_command(&w, c);
	write_object(&w, "error", "error t status u");
	json_close(&w, '}');
	json_close(&w, '}');
	return 0;
}
