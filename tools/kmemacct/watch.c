// SPDX-License-Identifier: GPL-2.0
/*
 * kmemacct watch.  See watch.h.
 *
 * Each look reads a table and compares it with the one before.  If that cannot be compared, because
 * the module was loaded again or the counts were reset, a line says so and the comparison begins
 * anew.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "comment.h"
#include "diff.h"
#include "error.h"
#include "files.h"
#include "live.h"
#include "print.h"
#include "show.h"
#include "state.h"
#include "top_ui.h"
#include "watch.h"

#define DELAY_MS	2000
/* Rows of a look, unless -l says otherwise. */
#define LINES		20

/**
 * struct watch - a watch
 * @o: the options, with the rows of a look
 * @table: name of the table
 * @delay_ms: time between two looks
 * @last: the table at the last look
 * @last_ms: when that was, in milliseconds since boot
 */
struct watch {
	struct options o;
	const char *table;
	u64 delay_ms;
	struct table *last;
	u64 last_ms;
};

/* ---- waiting -------------------------------------------------------------- */

/*
 * The signals that end the watch are blocked all the time, and taken while it waits.  So no look is
 * cut off.  One that is ignored, as by nohup, stays so.
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

/* ---- looks ---------------------------------------------------------------- */

static void format_time(char *buf, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;

	strftime(buf, size, "%Y-%m-%d %H:%M:%S", localtime_r(&now, &tm));
}

static void say(const struct watch *w, const char *text)
{
	char now[64], line[256];

	format_time(now, sizeof(now));
	snprintf(line, sizeof(line), "%s %s: %s", now, w->table, text);
	comment_print(stdout, line, print_screen());
}

/* In a file that does not name its load, nothing shows that it is another one. */
static bool is_other_load(const struct table *before, const struct table *after)
{
	const char *b = table_field(before, "load_id"), *a = table_field(after, "load_id");

	return strcmp(b ? b : "", a ? a : "") != 0;
}

/* Say why the two tables cannot be compared; NULL: they can. */
static const char *why_anew(const struct table *before, const struct table *after)
{
	const struct relation r = diff_relate(before, after);

	if (is_other_load(before, after))
		return "the module was loaded again: the comparison begins anew";
	if (r.same_load && !r.same_resets)
		return "the counts were reset: the comparison begins anew";
	return NULL;
}

static void add_note(struct growth *g, u64 elapsed_ms, bool exact)
{
	const bool less = g->after < g->before;
	char now[64], live[NUMBER_LEN], size[NUMBER_LEN], age[NUMBER_LEN];

	format_time(now, sizeof(now));
	number_print_bytes(live, g->after, exact);
	number_print_bytes(size, less ? g->before - g->after : g->after - g->before, exact);
	number_print_age(age, elapsed_ms);
	if (asprintf(&g->table->text, "%s: %s%s in %s, now %s live%s", now,
		     less ? "-" : g->after > g->before ? "+" : "", size, age, live,
		     g->table->nr_rows ? "" : "; nothing has changed") < 0)
		g->table->text = NULL;
	g->table->note = g->table->text;
}

/* Print what has changed from the last look to @t. */
static int print_change(struct watch *w, const struct table *t, u64 now_ms)
{
	const struct relation r = diff_relate(w->last, t);
	const struct growth_options o = {
		.counted = r.same_modules,
		.churn = true,
		.elapsed_ms = now_ms - w->last_ms ?: 1,
		.fdr = GROWTH_FDR,
	};
	struct growth g = growth_make("watch", w->last, t, &o);
	const bool json = w->o.given & OPTION_JSON;

	add_note(&g, o.elapsed_ms, w->o.given & OPTION_EXACT);
	table_inherit(g.table, t);
	if (json || g.table->nr_rows)
		return show(g.table, &w->o, NULL);
	comment_print(stdout, g.table->note, print_screen());
	state_print_losses(stdout, t, print_screen());
	table_free(g.table);
	return 0;
}

static struct table *read_table(const struct watch *w)
{
	struct table *t = diff_read(NULL, w->table);

	if (!t && w->last && !files_is_loaded())
		fail("the module was removed while it was watched: load it again");
	return t;
}

/* Return: 1 if something was compared, 0 if not, or -1 after calling fail(). */
static int look(struct watch *w)
{
	const u64 now_ms = clock_uptime_ms();
	struct table *t = read_table(w);
	const char *why = t && w->last ? why_anew(w->last, t) : NULL;
	int ret = t && w->last && !why;

	if (!t)
		return -1;
	/* In JSON, a gap in the time between two objects shows this. */
	if (why && !(w->o.given & OPTION_JSON))
		say(w, why);
	if (ret && print_change(w, t, now_ms))
		ret = -1;
	table_free(w->last);
	w->last = t;
	w->last_ms = now_ms;
	return show_finish() ? -1 : ret;
}

static int watch(struct watch *w, const sigset_t *set)
{
	const u64 count = w->o.given & OPTION_COUNT ? w->o.count : U64_MAX;
	u64 next = clock_uptime_ms(), nr = 0;
	int ret;

	while (nr < count) {
		ret = look(w);
		if (ret < 0)
			return -1;
		nr += ret;
		/* Looks that take longer than the delay do not pile up. */
		next = next + w->delay_ms > clock_uptime_ms() ? next + w->delay_ms :
								  clock_uptime_ms();
		if (nr < count && wait_until(next, set))
			break;
	}
	return 0;
}

static int parse_arg(struct watch *w, const char *arg, int at)
{
	if (*arg >= '0' && *arg <= '9') {
		if (top_ui_parse_delay(arg, &w->delay_ms))
			return fail("watch takes a number of seconds, such as 0.5, not '%s'", arg);
		return 0;
	}
	if (at)
		return fail("watch takes one table: kmemacct watch [TABLE] [SECONDS]");
	w->table = arg;
	return 0;
}

int watch_run(const struct options *o, char **args)
{
	struct watch w = {
		.o = *o,
		.table = "callers",
		.delay_ms = o->given & OPTION_DELAY ? o->delay_ms : DELAY_MS,
	};
	sigset_t set;
	int i, ret;

	for (i = 0; args[i]; i++)
		if (parse_arg(&w, args[i], i))
			return -1;
	if (!(o->given & (OPTION_LINES | OPTION_JSON))) {
		w.o.given |= OPTION_LINES;
		w.o.lines = LINES;
	}
	if (o->module && live_check_module(w.table))
		return -1;
	block_signals(&set);
	ret = watch(&w, &set);
	table_free(w.last);
	return ret;
}
