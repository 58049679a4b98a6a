// SPDX-License-Identifier: GPL-2.0
/* The command `incidents`: what has set off a trigger, when, and in which task. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"

/* Options with which the columns of the file are printed. */
#define FILE_COLUMNS	(OPTION_JSON | OPTION_RAW)

enum {
	COL_nr,
	COL_time,
	COL_age,
	COL_trigger,
	COL_what,
	COL_task,
	COL_state,
};

static const struct column columns[] = {
	{ .name = "nr" },
	{ .name = "time", .format = FORMAT_NAME },
	{ .name = "age_ms", .kind = KIND_GAUGE, .unit = UNIT_MS },
	{ .name = "trigger", .format = FORMAT_NAME },
	{ .name = "what", .format = FORMAT_NAME },
	{ .name = "task", .format = FORMAT_NAME },
	{ .name = "state", .format = FORMAT_NAME },
	{ .name = "site", .format = FORMAT_LABEL },
};

/* Return: CLOCK_MONOTONIC in ms, now or when a snapshot was taken. */
static u64 now_ms(const struct source *s)
{
	struct timespec now = {};

	if (source_is_snapshot(s))
		return source_uptime_ms(s);
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

/* Say in a word or two what has happened. */
static char *what_of(const struct row *row, const struct incident *in, bool exact)
{
	char number[NUMBER_LEN] = "-";

	if (row->v[INCIDENT_growth_bytes] != NO_ID) {
		number_print_bytes(number, row->v[INCIDENT_growth_bytes], exact);
		return alloc_print("+%s", number);
	}
	if (row->v[INCIDENT_victim] != NO_ID)
		return alloc_print("killed %s[%llu]", in->site, row->v[INCIDENT_victim]);
	if (row->v[INCIDENT_stalled_us] != NO_ID && exact)
		return alloc_print("%lluus", row->v[INCIDENT_stalled_us]);
	if (row->v[INCIDENT_stalled_us] != NO_ID)
		number_print_us(number, row->v[INCIDENT_stalled_us], false);
	else if (row->v[INCIDENT_order] != NO_ID)
		return alloc_print("order %llu", row->v[INCIDENT_order]);
	return alloc_copy(number);
}

static char *task_of(const struct row *row, const char *comm)
{
	return row->v[INCIDENT_pid] == NO_ID ? alloc_copy(comm) :
	       alloc_print("%s[%llu]", comm, row->v[INCIDENT_pid]);
}

static u64 own(struct table *t, char *text)
{
	return (uintptr_t)table_own(t, text);
}

static void add_row(struct table *t, const struct row *from, const struct source *s, bool exact)
{
	const u64 now = now_ms(s), at = from->v[INCIDENT_at_s];
	struct row *row = table_add(t);
	struct incident in;
	char wall[SLOW_WALL];

	incident_parse(&in, from->label);
	slow_wall(wall, s, at);
	row->v[COL_nr] = from->v[INCIDENT_nr];
	row->v[COL_time] = own(t, alloc_copy(*wall ? wall : "-"));
	row->v[COL_age] = now > at ? now - at : 0;
	row->v[COL_trigger] = own(t, alloc_copy(in.trigger));
	row->v[COL_what] = own(t, what_of(from, &in, exact));
	row->v[COL_task] = own(t, task_of(from, in.comm));
	row->v[COL_state] = (uintptr_t)(from->v[INCIDENT_complete] ? "-" : "recording");
	row->label = table_own(t, alloc_copy(from->v[INCIDENT_victim] == NO_ID ? in.site : "-"));
	free(in.text);
}

/* The head is about counts, which incidents do not have, so text has it only with -v. */
void incidents_make(struct view *v, const struct options *o)
{
	struct table *from = v->t, *t;
	size_t i;

	if (o->given & FILE_COLUMNS)
		return;
	t = table_new(from->name, columns, false, from->nr_rows);
	for (i = 0; i < from->nr_rows; i++)
		add_row(t, from->rows[i], from->source, o->given & OPTION_EXACT);
	if (o->given & OPTION_VERBOSE)
		table_inherit(t, from);
	t->source = from->source;
	t->from[0] = from;
	view_begin(v, t);
}

/* The default of the setting, for users who have changed it. */
#define DEFAULTS	"oom,failure=10,stall=10s"

/* Say in place of rows what would be an incident. */
static char *armed(const struct source *s)
{
	const bool old = source_is_snapshot(s);
	const char *trigger = NULL;
	struct control c = {};
	char *text;

	if (!control_read(&c, s))
		trigger = control_value(&c, "trigger");
	if (!trigger)
		text = alloc_copy("no incidents");
	else if (strcmp(trigger, "off"))
		text = alloc_print("no incidents; %s: %s", old ? "the triggers were" :
				   "these triggers are set", trigger);
	else
		text = alloc_print("no incidents, and trigger %s off%s", old ? "was" : "is",
				   old ? "" : ": kmemacct set trigger " DEFAULTS);
	control_free(&c);
	return text;
}

/* ---- one incident --------------------------------------------------------- */

static void shares_of(struct view *v, const struct options *o)
{
	latency_shares(v);
}

static void failures_of(struct view *v, const struct options *o)
{
	group_failures(v->t, false, false);
}

static bool is_at_10s(const struct row *row, u64 seconds)
{
	return row->v[MARK_series_s] == seconds;
}

/* Return: how long after the incident its marks were copied, in milliseconds. */
static u64 copied_after_ms(const struct view *v)
{
	struct table *then = source_table(v->t->source, "callers");
	u64 ms = table_window_ms(v->t);

	ms = then && table_window_ms(then) < ms ? ms - table_window_ms(then) : 0;
	table_free(then);
	return ms;
}

static bool is_before(const struct row *row, u64 after_ms)
{
	return row->v[MARK_age_ms] >= after_ms;
}

/* The number of marks in five minutes. */
#define MARKS	30

/* Keep the last mark before the incident, and the one five minutes before that, or the oldest. */
static void marks_of(struct view *v, const struct options *o)
{
	const u64 after_ms = copied_after_ms(v);
	struct row **rows = v->t->rows;
	size_t i;

	view_keep(v, is_at_10s, 10);
	view_keep(v, is_before, after_ms);
	for (i = 0; i < v->t->nr_rows; i++)
		rows[i]->v[MARK_age_ms] -= after_ms;
	if (v->t->nr_rows < 2)
		return;
	rows[1] = rows[v->t->nr_rows > MARKS ? MARKS : v->t->nr_rows - 1];
	v->t->nr_rows = 2;
	v->nr = 2;
}

/* The tables of which a part is printed. */
static const struct part {
	const char *table;
	const char *title;
	void (*derive)(struct view *v, const struct options *o);
	const char *keys;
	u64 lines;
} parts[] = {
	{ "history", "what has grown", history_make, "change_kb", 5 },
	{ "stalls", "what waited so far", shares_of, "total_us", 3 },
	{ "failures", "what failed so far", failures_of, "failed", 3 },
	{ "marks", "memory before it, and up to 5 minutes earlier", marks_of, NULL, 2 },
};

/* Say why a table is not there, or print its rows: the row of the incident says when it was. */
static int show_part(const struct part *p, const struct options *o)
{
	const struct options rows = {
		.given = OPTION_LINES | OPTION_RAW_GFP | (o->given & OPTION_EXACT),
		.lines = p->lines, .source = o->source,
	};
	struct view v;

	printf("\n# %s: kmemacct %s\n", p->title, p->table);
	if (show_read(&v, &rows, p->table)) {
		text_comment(stdout, error_text, screen_columns());
		return 0;
	}
	p->derive(&v, &rows);
	v.t->nr_fields = 0;
	v.note = NULL;
	return show(&v, &rows, p->keys);
}

/* Say what the trigger means, and which functions the task was in. */
static void print_cause(const struct table *t)
{
	static const char * const words[][2] = {
		{ "command", "the command incident was given" },
		{ "oom", "the OOM killer chose a process" },
		{ "failure", "pages could not be allocated" },
		{ "stall", "a task waited long for memory" },
		{ "growth", "a call site has grown" },
		{ "cgroup", "what a cgroup is charged for has grown" },
		{ "coverage", "too many frees were not seen" },
	};
	struct incident in;
	char *line;
	size_t i = 0;

	incident_parse(&in, t->rows[0]->label);
	while (i < ARRAY_SIZE(words) && strcmp(words[i][0], in.trigger))
		i++;
	line = alloc_print("%s%s%s", i < ARRAY_SIZE(words) ? words[i][1] : in.trigger,
			   strcmp(in.stack, "-") ? "; stack: " : "",
			   strcmp(in.stack, "-") ? in.stack : "");
	/* With blanks in place of commas, the line can be broken. */
	for (i = 0; line[i]; i++)
		line[i] = line[i] == ',' ? ' ' : line[i];
	text_comment(stdout, line, screen_columns());
	free(line);
	free(in.text);
}

#define MORE	"more: these commands, and callers, waits, slow, latency, stats, with -i %s"

/* Print the row of an incident, and the parts of its tables. */
static int show_incident(const struct options *o)
{
	const struct options row = { .given = o->given & OPTION_EXACT, .source = o->source };
	char *more = alloc_print(MORE, source_path(o->source));
	struct view v;
	size_t i;
	int ret = show_read(&v, &row, "incidents");

	if (!ret) {
		print_cause(v.t);
		incidents_make(&v, &row);
		ret = show(&v, &row, NULL);
	}
	for (i = 0; !ret && i < ARRAY_SIZE(parts); i++)
		ret = show_part(&parts[i], o);
	/* Only a file of its own can be given to other commands. */
	if (!ret && !access(source_path(o->source), F_OK)) {
		putchar('\n');
		text_comment(stdout, more, screen_columns());
	}
	free(more);
	return ret;
}

/* Print the incident of a number. */
static int run_one(const struct options *o)
{
	struct options one = *o;
	struct source *s;
	char path[FILE_PATH];
	int ret;

	if (o->given & ~(OPTION_EXACT | OPTION_INPUT))
		return fail("incidents NR prints parts of tables, and takes only -b and -i");
	s = source_incident(o->source, o->args[0], path);
	if (!s)
		return -1;
	one.source = s;
	ret = show_incident(&one);
	snapshot_free(s);
	return ret;
}

/* ---- the command ---------------------------------------------------------- */

static char *not_kept(const struct source *s, u64 lost)
{
	return alloc_print("%llu later incident%s not kept%s", lost, lost == 1 ? " was" : "s were",
			   source_is_snapshot(s) ? "" : ": kmemacct reset makes room");
}

int incidents_run(const struct command *c, const struct options *o)
{
	struct view v;
	u64 lost;

	if (o->nr_args)
		return run_one(o);
	if (source_is_incident(o->source) && !(o->given & ~(OPTION_EXACT | OPTION_INPUT)))
		return show_incident(o);
	if (show_read(&v, o, c->table))
		return -1;
	lost = table_number(v.t, "not_kept");
	incidents_make(&v, o);
	if (!(o->given & FILE_COLUMNS) && !v.nr)
		v.advice = view_own(&v, armed(o->source));
	else if (!(o->given & FILE_COLUMNS) && lost)
		v.elsewhere = view_own(&v, not_kept(o->source, lost));
	return show(&v, o, NULL);
}
