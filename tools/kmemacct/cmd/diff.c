// SPDX-License-Identifier: GPL-2.0
/*
 * kmemacct diff: compares two snapshots, or a snapshot with the module; or, with --every SECONDS,
 * the module with its state at the previous look, every SECONDS seconds.
 *
 * Another build of the kernel has other offsets within functions, so only the names of functions
 * are compared.  delta.c says what else may be compared.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"

struct table *diff_read(const struct source *s, const char *table)
{
	const bool modules = !strcmp(table, "modules"), old = source_is_snapshot(s);
	const char *name = modules ? "callers" : table;
	struct table *t = source_table(s, name);

	if (t && !(old && t->nr_rows) && show_check_enabled(t)) {
		if (old)
			fail("%s has no rows of %s: they were not recorded when it was taken",
			     source_path(s), name);
		table_free(t);
		return NULL;
	}
	if (t && modules)
		group_modules(t);
	return t;
}

/* Counts of objects have the columns of the table `run`; others have those of their own table. */
void diff_subtract(struct view *v, const struct options *o, struct table *before,
		   struct table *after)
{
	const bool objects = after->at[AT_frag_pct] != NONE;

	view_begin(v, delta_make(objects ? "run" : after->name, before, after));
	if (growth_is_timed(v->t->name))
		latency_make(v, o);
	v->aside = false;
}

static void print_change(FILE *out, const struct growth *g, bool exact)
{
	const bool less = g->after < g->before;
	char size[NUMBER_LEN];

	number_print_bytes(size, less ? g->before - g->after : g->after - g->before, exact);
	fprintf(out, "%s%s", less ? "-" : "+", size);
}

/* ---- the two sides of a diff ---------------------------------------------- */

/**
 * struct side - one side of a comparison
 * @snapshot: the snapshot; NULL: the module
 * @t: the table
 * @uptime_ms: when it was read, in milliseconds since boot
 * @build: the build of the kernel; "" if it is not known
 */
struct side {
	struct source *snapshot;
	struct table *t;
	u64 uptime_ms;
	char *build;
};

static int read_side(struct side *side, const char *path, const char *table)
{
	const struct source *s = &module_source;

	if (path) {
		side->snapshot = snapshot_open(path);
		if (!side->snapshot)
			return -1;
		s = side->snapshot;
	}
	side->uptime_ms = source_uptime_ms(s);
	side->build = source_build(s);
	side->t = diff_read(s, table);
	return side->t ? 0 : -1;
}

static void free_side(struct side *side)
{
	snapshot_free(side->snapshot);
	free(side->build);
}

static bool is_same_build(const struct side *b, const struct side *a)
{
	return !*b->build || !*a->build || !strcmp(b->build, a->build);
}

/* ---- rows that an incident lacks ------------------------------------------- */

static int compare_labels(const void *label, const void *row)
{
	return strcmp(label, (*(struct row * const *)row)->label);
}

static int compare_sizes(const void *a, const void *b)
{
	const u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x > y ? -1 : x < y;
}

/*
 * Return: a size that no missing row exceeds.  Half of the rows of an incident are the largest of
 * all, and the others are those that have grown most.
 */
static u64 largest_missing(const struct table *t)
{
	u64 *sizes = alloc(t->nr_rows + 1, sizeof(*sizes)), size;
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		sizes[i] = t->rows[i]->v[table_live(t)];
	qsort(sizes, t->nr_rows, sizeof(*sizes), compare_sizes);
	size = t->nr_rows ? sizes[(t->nr_rows - 1) / 2] : 0;
	free(sizes);
	return size;
}

static bool has_label(const struct table *t, const char *label)
{
	return bsearch(label, t->rows, t->nr_rows, sizeof(t->rows[0]), compare_labels);
}

/* Leave out the rows of which it is not known whether @cut has them, too, unless they are large. */
static void leave_out_unknown(struct table *t, struct table *cut)
{
	size_t i, nr = 0;
	u64 size;

	if (!table_number(cut, "cut") || table_live(cut) == NONE)
		return;
	size = largest_missing(cut);
	view_sort_by_label(cut);
	for (i = 0; i < t->nr_rows; i++)
		if (t->rows[i]->v[table_live(t)] > size || has_label(cut, t->rows[i]->label))
			t->rows[nr++] = t->rows[i];
	t->nr_rows = nr;
}

/* ---- remarks -------------------------------------------------------------- */

#define PARTIAL		"an incident has only a part of the rows: others are not compared"
#define PARTIAL_ZERO	"an incident has only a part of the rows: others count as 0 there"
#define ONLY_LIVE	"only what is live is compared"
#define OTHER_CODE	"modules came or went, so a name may be of other code"
#define FILTERS_DIFFER	"the filters differ: what only one of them records is no growth"

/* Test whether names are compared without offsets. */
static bool is_plain(const struct side *b, const struct side *a, const struct relation *r)
{
	return !r->same_kernel || !is_same_build(b, a);
}

static bool is_cut(const struct side *b, const struct side *a)
{
	return table_number(b->t, "cut") || table_number(a->t, "cut");
}

/* Say why only a part can be compared. */
static void print_relation(FILE *out, const struct side *b, const struct side *a,
			   const struct relation *r)
{
	if (!r->same_kernel)
		fprintf(out, "; another kernel, %s and then %s",
			table_field(b->t, "kernel") ?: "", table_field(a->t, "kernel") ?: "");
	else if (!is_same_build(b, a))
		fputs("; another build of the kernel", out);
	if (is_plain(b, a, r))
		fputs(": names are compared without offsets, and only what is live", out);
	else if (!r->same_load)
		fputs("; another boot, or the module was loaded again: " ONLY_LIVE, out);
	else if (!r->same_resets)
		fputs("; the counts were reset in between: " ONLY_LIVE, out);
	else if (!r->same_modules)
		fputs("; " OTHER_CODE ": " ONLY_LIVE, out);
	if (!r->same_filter)
		fputs("; " FILTERS_DIFFER, out);
	if (is_cut(b, a))
		fputs(is_plain(b, a, r) ? "; " PARTIAL_ZERO : "; " PARTIAL, out);
}

static char *make_note(const struct growth *g, const struct growth_options *o, bool exact,
		       const struct side *b, const struct side *a, const struct relation *r)
{
	char size[NUMBER_LEN], *note;
	size_t len;
	FILE *out = text_open(&note, &len);

	number_print_bytes(size, g->before, exact);
	fprintf(out, "%s live before, ", size);
	number_print_bytes(size, g->after, exact);
	fprintf(out, "%s after, ", size);
	print_change(out, g, exact);
	number_print_age(size, o->elapsed_ms);
	if (o->elapsed_ms)
		fprintf(out, " in %s", size);
	print_relation(out, b, a, r);
	if (g->sampled) {
		number_print_bytes(size, g->unsampled, exact);
		fprintf(out,
			"; ~ estimate, low..high its 95 %% interval; at most %g %% of the significant changes are expected to be false; a row without samples changed by at most %s",
			100 * o->fdr, size);
	}
	text_close(out);
	return note;
}

/* ---- times ---------------------------------------------------------------- */

/* Counting begins anew when latency is switched on: then the later one has counted for less. */
static bool was_off(const struct side *b, const struct side *a)
{
	const u64 least = a->uptime_ms - b->uptime_ms + table_window_ms(b->t) / 2;

	return table_is(a->t, "since", "on") && table_window_ms(a->t) < least;
}

/* Nothing of a table of times is live: check that both sides count from the same moment. */
static int check_counts(const struct side *b, const struct side *a, const struct relation *r)
{
	if (!r->same_load)
		return fail("another boot, or the module was loaded again: %s cannot be compared",
			    a->t->name);
	if (!r->same_resets)
		return fail("the counts were reset in between: take both snapshots after that");
	if (was_off(b, a))
		return fail("latency was off in between: take both snapshots while it is on");
	return 0;
}

static char *times_note(const struct side *b, const struct side *a, const struct relation *r)
{
	const bool recycled = table_number(b->t, "recycled") != table_number(a->t, "recycled");
	char age[NUMBER_LEN];

	number_print_age(age, a->uptime_ms - b->uptime_ms);
	return alloc_print("%s that ended in the %s between the two%s%s%s%s",
			   strcmp(a->t->name, "waits") ? "phases" : "waits", age,
			   recycled ? "; rows were recycled, so [other] may have older ones" : "",
			   r->same_modules ? "" : "; " OTHER_CODE,
			   r->same_filter ? "" : "; " FILTERS_DIFFER,
			   is_cut(b, a) ? "; " PARTIAL_ZERO : "");
}

static void compare_times(struct view *v, const struct options *o, const struct side *b,
			  const struct side *a, const struct relation *r)
{
	char *note = times_note(b, a, r);

	diff_subtract(v, o, b->t, a->t);
	v->note = view_own(v, note);
}

/* ---- one comparison ------------------------------------------------------ */

static double fdr_of(const struct options *o)
{
	return o->given & OPTION_FDR ? o->fdr_milli / 100000.0 : GROWTH_FDR;
}

static void compare_live(struct view *v, const struct options *o, const struct side *b,
			 const struct side *a, const struct relation *r)
{
	const struct growth_options how = {
		.counted = r->same_resets && r->same_modules,
		.plain = is_plain(b, a, r),
		.elapsed_ms = r->same_load ? a->uptime_ms - b->uptime_ms : 0,
		.fdr = fdr_of(o),
	};
	struct growth g;

	if (!how.plain) {
		leave_out_unknown(a->t, b->t);
		leave_out_unknown(b->t, a->t);
	}
	g = growth_make("diff", b->t, a->t, &how);
	table_inherit(g.table, a->t);
	g.table->from[0] = b->t;
	g.table->from[1] = a->t;
	view_begin(v, g.table);
	v->note = view_own(v, make_note(&g, &how, o->given & OPTION_EXACT, b, a, r));
}

/* Compare both sides, whose tables become those of the view.  Return: 0, or -1 after fail(). */
static int compare(struct view *v, const struct options *o, struct side *b, struct side *a)
{
	const struct relation r = delta_relate(b->t, a->t);
	const bool timed = growth_is_timed(a->t->name);

	if (r.same_load && a->uptime_ms < b->uptime_ms)
		return fail("%s was taken later than the other one: give the earlier one first",
			    o->args[0]);
	if (timed && check_counts(b, a, &r))
		return -1;
	if (timed)
		compare_times(v, o, b, a, &r);
	else
		compare_live(v, o, b, a, &r);
	b->t = NULL;
	a->t = NULL;
	return 0;
}

/* A name has to exist on one of the sides. */
static int check_names(const struct options *o, const struct side *b, const struct side *a)
{
	return show_check_names(b->t, &o->match) && show_check_names(a->t, &o->match) ? -1 : 0;
}

static int compare_once(const struct options *o, const char *table)
{
	struct side b = {}, a = {};
	struct options rows = *o;
	struct view v;
	int ret = -1;

	if (!read_side(&b, o->args[0], table) && !read_side(&a, o->args[1], table) &&
	    !check_names(o, &b, &a) && !compare(&v, o, &b, &a)) {
		if (!view_select(&v, &o->match)) {
			ret = growth_count(v.t) > 0;
			rows.match = (struct match) {};
			ret = show(&v, &rows, growth_is_timed(table) ? "total_us" : NULL) ? -1 :
			      ret;
		} else {
			view_end(&v);
		}
	}
	table_free(b.t);
	table_free(a.t);
	free_side(&b);
	free_side(&a);
	return ret;
}

/* ---- again and again: waiting --------------------------------------------- */

/* Rows of a look, unless -l says otherwise. */
#define LINES		20

/**
 * struct looks - a table that is looked at again and again
 * @o: the options, with the rows of a look
 * @table: name of the table
 * @last: the table at the last look
 * @last_ms: when that was, in milliseconds since boot
 * @sequence: how tables were printed so far
 * @churn: allocs or frees is printed, and so are rows in which only these have changed
 */
struct looks {
	struct options o;
	const char *table;
	struct table *last;
	u64 last_ms;
	struct sequence sequence;
	bool churn;
};

/*
 * The signals that end the program are blocked all the time, and taken while it waits.  So no look
 * is cut off.  One that is ignored, as by nohup, stays so.
 */
static void block_signals(sigset_t *set)
{
	static const int signals[] = { SIGINT, SIGTERM };
	struct sigaction now;
	size_t i;

	sigemptyset(set);
	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaction(signals[i], NULL, &now);
		if (now.sa_handler != SIG_IGN)
			sigaddset(set, signals[i]);
	}
	sigprocmask(SIG_BLOCK, set, NULL);
}

/* Return: true if a signal came before the time @until. */
static bool wait_until(u64 until, const sigset_t *set)
{
	struct timespec rest;
	u64 now, ms;

	do {
		now = clock_uptime_ms();
		ms = until > now ? until - now : 0;
		rest = (struct timespec) { ms / 1000, ms % 1000 * 1000000 };
		if (sigtimedwait(set, NULL, &rest) > 0)
			return true;
	} while (errno == EINTR);
	return false;
}

/* ---- again and again: looks ----------------------------------------------- */

static void format_time(char *buf, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;

	strftime(buf, size, "%Y-%m-%d %H:%M:%S", localtime_r(&now, &tm));
}

/* Say why the two tables cannot be compared; NULL: they can. */
static const char *why_anew(const struct table *before, const struct table *after)
{
	const char *b = table_field(before, "load_id"), *a = table_field(after, "load_id");
	const struct relation r = delta_relate(before, after);

	/* If a file does not name the load of the module, a new load cannot be noticed. */
	if (strcmp(b ?: "", a ?: ""))
		return "the module was loaded again: the comparison begins anew";
	if (r.same_load && !r.same_resets)
		return "the counts were reset: the comparison begins anew";
	return NULL;
}

static char *make_look_note(const struct growth *g, u64 elapsed_ms, const struct looks *l)
{
	const bool exact = l->o.given & OPTION_EXACT;
	char now[64], live[NUMBER_LEN], age[NUMBER_LEN], *note;
	size_t len;
	FILE *out = text_open(&note, &len);

	format_time(now, sizeof(now));
	number_print_bytes(live, g->after, exact);
	number_print_age(age, elapsed_ms);
	fprintf(out, "%s: ", now);
	if (g->after == g->before)
		fputs("0 bytes", out);
	else
		print_change(out, g, exact);
	fprintf(out, " in %s, now %s live%s", age, live,
		g->table->nr_rows ? "" : l->churn ? "; nothing has changed" :
		"; no size has changed");
	text_close(out);
	return note;
}

/* Print the changes since the last look, whose new table is @t. */
static int print_changes(FILE *out, struct looks *l, struct table *t, u64 now_ms)
{
	const struct growth_options how = {
		.counted = delta_relate(l->last, t).same_modules,
		.churn = l->churn,
		.elapsed_ms = now_ms - l->last_ms ?: 1,
		.fdr = fdr_of(&l->o),
	};
	struct growth g = growth_make("diff", l->last, t, &how);
	struct view v;
	char *losses;

	table_inherit(g.table, t);
	view_begin(&v, g.table);
	v.note = view_own(&v, make_look_note(&g, how.elapsed_ms, l));
	if (l->o.given & OPTION_JSON)
		return show(&v, &l->o, NULL);
	if (v.nr)
		return show_next(out, &v, &l->o, &l->sequence);
	text_comment(out, v.note, screen_columns());
	l->sequence.lines++;
	losses = state_losses(&v);
	text_comments(out, losses, screen_columns());
	free(losses);
	view_end(&v);
	return 0;
}

/*
 * Whether there is room for allocs and frees is known only after the layout.  If that has changed,
 * compare again, so that each row has a change in a column that is printed.
 */
static int print_look(struct looks *l, struct table *t, u64 now_ms)
{
	char *text;
	bool churn;
	size_t len;
	FILE *out;
	int ret;

	do {
		churn = l->churn;
		out = text_open(&text, &len);
		ret = print_changes(out, l, t, now_ms);
		text_close(out);
		l->churn = sequence_shows(&l->sequence, "allocs") ||
			   sequence_shows(&l->sequence, "frees");
		if (ret || l->churn == churn)
			fputs(text, stdout);
		else
			sequence_discard(&l->sequence);
		free(text);
	} while (!ret && l->churn != churn);
	return ret;
}

/* Return: 1 if something was compared, 0 if not, or -1 after calling fail(). */
static int look(struct looks *l)
{
	const u64 now_ms = clock_uptime_ms();
	struct table *t = diff_read(&module_source, l->table);
	const char *why = t && l->last ? why_anew(l->last, t) : NULL;
	int ret = t && l->last && !why;
	char now[64], *line;

	if (!t && l->last && !source_is_loaded())
		fail("the module was removed in the meantime: load it again");
	if (!t)
		return -1;
	if (!l->last && show_check_names(t, &l->o.match)) {
		table_free(t);
		return -1;
	}
	/*
	 * In JSON, a gap between the times of two objects shows that the comparison has begun anew.
	 */
	if (why && !(l->o.given & OPTION_JSON)) {
		format_time(now, sizeof(now));
		line = alloc_print("%s %s: %s", now, l->table, why);
		text_comment(stdout, line, screen_columns());
		free(line);
	}
	if (ret && print_look(l, t, now_ms))
		ret = -1;
	table_free(l->last);
	l->last = t;
	l->last_ms = now_ms;
	return show_finish() ? -1 : ret;
}

static int compare_again(const struct options *o, const char *table)
{
	struct looks l = { .o = *o, .table = table, .churn = true };
	const u64 count = o->given & OPTION_COUNT ? o->count : U64_MAX;
	u64 next = clock_uptime_ms(), nr = 0;
	sigset_t set;
	int ret = 0;

	if (!(o->given & (OPTION_LINES | OPTION_JSON))) {
		l.o.given |= OPTION_LINES;
		l.o.lines = LINES;
	}
	block_signals(&set);
	while (nr < count) {
		ret = look(&l);
		if (ret < 0)
			break;
		nr += ret;
		/* Looks that take longer than the delay do not pile up. */
		next += o->delay_ms;
		if (next <= clock_uptime_ms())
			next = clock_uptime_ms();
		if (nr < count && wait_until(next, &set))
			break;
	}
	table_free(l.last);
	sequence_end(&l.sequence);
	return ret < 0 ? -1 : 0;
}

/* ---- the command ---------------------------------------------------------- */

static int check(const struct options *o, const char *table)
{
	if (growth_check(table, &o->match))
		return -1;
	if (!(o->given & OPTION_EVERY)) {
		if (o->given & OPTION_COUNT)
			return fail("-n is for --every: add it");
		return o->nr_args ? 0 :
		       fail("diff needs a snapshot to compare with, or --every SECONDS");
	}
	if (growth_is_timed(table))
		return fail("--every compares what is live, not %s: use snapshots", table);
	if (o->nr_args)
		return fail("--every compares the module with itself: omit '%.64s'", o->args[0]);
	if (o->given & (OPTION_RAW | OPTIONS_SOURCES))
		return fail("--every prints one table after another: omit -r and --lines");
	return 0;
}

int diff_run(const struct command *c, const struct options *o)
{
	const char *table = o->table ?: c->table;

	if (check(o, table))
		return -1;
	return o->given & OPTION_EVERY ? compare_again(o, table) : compare_once(o, table);
}
