// SPDX-License-Identifier: GPL-2.0
/* kmemacct slow: the log of slow phases on standard output, and its new records. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"

/* ---- records -------------------------------------------------------------- */

/**
 * struct log - what has been printed of the log
 * @o: the options
 * @style: what it looks like
 * @gfp: names of gfp flags; NULL: flags are printed as numbers
 * @cgroups: paths of cgroups
 * @last: the last reading of the table; NULL before the first
 * @newest: number of the newest record up to now; 0 if there was none
 */
struct log {
	const struct options *o;
	struct style style;
	struct gfp *gfp;
	struct cgroups *cgroups;
	struct table *last;
	u64 newest;
};

static int log_begin(struct log *log, const struct options *o)
{
	*log = (struct log) {
		.o = o, .style = show_style(o), .cgroups = cgroups_read(o->source),
	};
	if (o->given & OPTION_RAW_GFP || !source_names_flags(o->source))
		return 0;
	log->gfp = gfp_read(o->source);
	return log->gfp ? 0 : -1;
}

static void log_end(struct log *log)
{
	table_free(log->last);
	gfp_free(log->gfp);
	cgroups_free(log->cgroups);
}

static bool has_record(const struct table *t, u64 nr)
{
	size_t i;

	for (i = 0; t && i < t->nr_rows; i++)
		if (t->rows[i]->v[SLOW_nr] == nr)
			return true;
	return false;
}

/* Return: number of the oldest record; 0 if there is none. */
static u64 oldest_record(const struct table *t)
{
	return t->nr_rows ? t->rows[t->nr_rows - 1]->v[SLOW_nr] : 0;
}

/*
 * The log is a ring.  All records before the oldest one were overwritten, so those that are not
 * printed by now are lost.  Some of these may be between records of the last reading, when they
 * were still being written.
 */
static void print_lost(const struct log *log, const struct table *t)
{
	u64 oldest = oldest_record(t), next = oldest_record(log->last) ?: log->newest + 1;
	size_t i;

	for (i = 0; i < log->last->nr_rows; i++)
		next += log->last->rows[i]->v[SLOW_nr] < oldest;
	if (log->newest && oldest > next)
		printf("# %llu records are lost: they were overwritten before they were read\n\n",
		       oldest - next);
}

static bool is_wanted(const struct log *log, const struct row *row)
{
	return row->v[SLOW_us] >= log->o->at_least_us &&
	       !has_record(log->last, row->v[SLOW_nr]);
}

/* Return: number of rows, the newest ones, that have at most @limit wanted records. */
static size_t count_rows(const struct log *log, const struct table *t, u64 limit)
{
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		if (is_wanted(log, t->rows[i]) && !limit--)
			break;
	return i;
}

/* Say how many wanted records are older than the first @from rows. */
static void print_older(const struct log *log, const struct table *t, size_t from)
{
	size_t nr = 0;

	for (; from < t->nr_rows; from++)
		nr += is_wanted(log, t->rows[from]);
	if (nr)
		printf("# %zu older record%s\n", nr, nr == 1 ? "" : "s");
}

/*
 * Print the records that the last reading did not have, the oldest first, and take ownership
 * of the table.  A record may be written late, after one with a higher number.
 */
static void log_add(struct log *log, struct table *t, u64 limit)
{
	const struct view v = { .t = t, .gfp = log->gfp, .cgroups = log->cgroups };
	size_t i = count_rows(log, t, limit);

	while (i--)
		if (is_wanted(log, t->rows[i]))
			slow_print(stdout, &v, t->rows[i], &log->style);
	if (t->nr_rows)
		log->newest = t->rows[0]->v[SLOW_nr];
	table_free(log->last);
	log->last = t;
}

/* Print the head and the records of the first reading. */
static void log_first(struct log *log, struct table *t)
{
	const struct options *o = log->o;
	const u64 limit = o->given & OPTION_LINES ? o->lines : U64_MAX;
	const struct view v = { .t = t, .nr = t->nr_rows };

	text_head(stdout, &v, &log->style);
	if (!t->nr_rows)
		puts("# no records");
	print_older(log, t, count_rows(log, t, limit));
	putchar('\n');
	log_add(log, t, limit);
}

/* Cgroups come and go while the log is followed: look for those that are not known. */
static void read_cgroups(struct log *log, const struct table *t)
{
	size_t i = 0;

	while (i < t->nr_rows && (t->rows[i]->v[SLOW_cgroup_id] == NO_ID ||
				  !is_wanted(log, t->rows[i]) ||
				  cgroups_path(log->cgroups, t->rows[i]->v[SLOW_cgroup_id])))
		i++;
	if (i == t->nr_rows)
		return;
	cgroups_free(log->cgroups);
	log->cgroups = cgroups_read(log->o->source);
}

static void log_next(struct log *log, struct table *t)
{
	read_cgroups(log, t);
	if (t->nr_rows) {
		/* Numbers begin again when the module is loaded again. */
		if (t->rows[0]->v[SLOW_nr] < log->newest)
			log->newest = 0;
		print_lost(log, t);
	}
	log_add(log, t, U64_MAX);
}

/* ---- shrinkers ------------------------------------------------------------ */

static const struct row *find_label(const struct table *t, const char *label)
{
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		if (!strcmp(t->rows[i]->label, label))
			return t->rows[i];
	return NULL;
}

/* Print a time with a blank before its unit, except of one with two units, as 1m05s. */
static void print_spaced(FILE *out, u64 us, bool exact)
{
	char buf[NUMBER_LEN];
	int digits;

	snprintf(buf, sizeof(buf), "%lluus", us);
	if (!exact)
		number_print_us(buf, us, false);
	digits = strspn(buf, "0123456789.");
	if (strpbrk(buf + digits, "0123456789"))
		fputs(buf, out);
	else
		fprintf(out, "%.*s %s", digits, buf, us ? buf + digits : "us");
}

/*
 * @known: the maximum at the first reading, which may also be the maximum of the time since then.
 */
static void print_shrinker(FILE *out, const struct table *t, const struct row *row, u64 known,
			   bool exact)
{
	const char *since = table_field(t, "since");

	fprintf(out, "%s: total time = ", row->label);
	print_spaced(out, row->v[SHRINKER_total_us], exact);
	fputs(", max latency = ", out);
	print_spaced(out, row->v[SHRINKER_max_us], exact);
	if (row->v[SHRINKER_max_us] <= known)
		fprintf(out, " (since %s; at most that meanwhile)", since ? since : "load");
	fputc('\n', out);
}

/* Return: the maximum at the first reading; 0 if counting has begun again since then. */
static u64 subtract(struct row *row, const struct row *before)
{
	if (!before || before->v[SHRINKER_calls] > row->v[SHRINKER_calls] ||
	    before->v[SHRINKER_total_us] > row->v[SHRINKER_total_us])
		return 0;
	row->v[SHRINKER_calls] -= before->v[SHRINKER_calls];
	row->v[SHRINKER_total_us] -= before->v[SHRINKER_total_us];
	return before->v[SHRINKER_max_us];
}

void slow_shrinkers(FILE *out, const struct table *before, struct table *after, bool exact)
{
	const struct sort sort = { .key = { SHRINKER_total_us }, .nr = 1 };
	bool any = false;
	struct row *row;
	size_t i;

	/* The maximum at the first reading takes the place of a number that is not printed. */
	for (i = 0; i < after->nr_rows; i++)
		after->rows[i]->v[SHRINKER_waited_us] =
			subtract(after->rows[i], find_label(before, after->rows[i]->label));
	view_sort(after, &sort);
	fputs("# shrinkers meanwhile:\n", out);
	for (i = 0; i < after->nr_rows; i++) {
		row = after->rows[i];
		if (!row->v[SHRINKER_calls])
			continue;
		print_shrinker(out, after, row, row->v[SHRINKER_waited_us], exact);
		any = true;
	}
	if (!any)
		fputs("# none was called\n", out);
}

/* ---- following ------------------------------------------------------------ */

/* Pause between two readings, in which records accumulate: a reading copies all of them. */
#define PAUSE_NS	100000000

/* The signal that ends following, or 0. */
static atomic_int stopped;

static void stop(int signal)
{
	stopped = signal;
}

static const int signals[] = { SIGINT, SIGTERM };

/**
 * struct caught - what is restored when following ends
 * @mask: signals that are blocked
 * @action: handling of each of the signals
 */
struct caught {
	sigset_t mask;
	struct sigaction action[ARRAY_SIZE(signals)];
};

/* Catch the signals only while waiting, so that none comes just before that. */
static void catch_signals(struct caught *c)
{
	const struct sigaction catch = { .sa_handler = stop };
	sigset_t block;
	size_t i;

	sigemptyset(&block);
	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaddset(&block, signals[i]);
		sigaction(signals[i], NULL, &c->action[i]);
		if (c->action[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &catch, NULL);
	}
	sigprocmask(SIG_BLOCK, &block, &c->mask);
}

static void release_signals(const struct caught *c)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &c->action[i], NULL);
	sigprocmask(SIG_SETMASK, &c->mask, NULL);
}

/*
 * Wait until the log has records that are newer than those in the open file, and then for the
 * pause.  If there are such records already, the first ppoll() does not take a signal that is
 * pending, but the second one does.
 */
static int wait_log(int fd, const struct caught *c)
{
	static const struct timespec pause = { .tv_nsec = PAUSE_NS };
	struct pollfd poll = { .fd = fd, .events = POLLIN };

	if (ppoll(&poll, 1, NULL, &c->mask) >= 0 && !ppoll(NULL, 0, &pause, &c->mask))
		return 0;
	return errno == EINTR ? 0 : fail("cannot wait for the log: %s", strerror(errno));
}

static int follow(struct log *log, const struct caught *c)
{
	int fd, last, ret;
	struct table *t = source_table_open("slow", &fd);

	if (!t)
		return -1;
	log_first(log, t);
	/* After a signal, read the records of the pause, too. */
	while (!(ret = show_finish()) && !stopped) {
		last = fd;
		ret = wait_log(fd, c);
		t = ret ? NULL : source_table_open("slow", &fd);
		/*
		 * Close the old file only now: while the log is open, the module cannot be
		 * unloaded.
		 */
		close(last);
		if (!t)
			return -1;
		log_next(log, t);
	}
	close(fd);
	return ret;
}

/*
 * Print the log and then each new record, until SIGINT or SIGTERM.  Then print what each
 * shrinker did meanwhile.
 */
static int follow_new(const struct options *o)
{
	struct table *before = source_table(o->source, "shrinkers"), *after = NULL;
	struct caught caught;
	struct log log;
	int ret = -1;

	if (!before)
		return -1;
	if (!log_begin(&log, o)) {
		catch_signals(&caught);
		ret = follow(&log, &caught);
		release_signals(&caught);
	}
	log_end(&log);
	if (!ret)
		after = source_table(o->source, "shrinkers");
	if (after)
		slow_shrinkers(stdout, before, after, o->given & OPTION_EXACT);
	table_free(before);
	table_free(after);
	return after ? 0 : -1;
}

static bool is_long(const struct row *record, u64 us)
{
	return record->v[SLOW_us] >= us;
}

/* Print the records in the order of the sort keys, the longest first with -s us. */
static int print_sorted(struct view *v, const struct options *o)
{
	struct log log;
	size_t i;
	int ret = log_begin(&log, o) || show_prepare(v, o, NULL) ? -1 : 0;

	if (!ret) {
		v->gfp = log.gfp;
		v->cgroups = log.cgroups;
		text_head(stdout, v, &log.style);
		putchar('\n');
		for (i = 0; i < v->nr; i++)
			slow_print(stdout, v, v->t->rows[i], &log.style);
	}
	log_end(&log);
	view_end(v);
	return ret;
}

static int check(const struct options *o)
{
	if (!(o->given & OPTION_FOLLOW))
		return 0;
	if (o->given & OPTION_JSON)
		return fail("slow -f prints text only: omit -j");
	if (o->input)
		return fail("slow -f waits for new records, and a snapshot gets none: omit -i");
	return o->sort ? fail("slow -f prints records as they come: omit -s") : 0;
}

int slow_run(const struct command *c, const struct options *o)
{
	struct log log;
	struct view v;
	int ret;

	if (check(o) || show_read(&v, o, c->table))
		return -1;
	if (o->given & OPTION_FOLLOW) {
		view_end(&v);
		return follow_new(o);
	}
	if (o->given & OPTION_JSON || o->sort)
		view_keep(&v, is_long, o->at_least_us);
	if (o->given & OPTION_JSON) {
		v.cgroups = cgroups_read(o->source);
		return show(&v, o, NULL);
	}
	if (o->sort)
		return print_sorted(&v, o);
	ret = log_begin(&log, o);
	if (ret)
		view_end(&v);
	else
		log_first(&log, v.t);
	log_end(&log);
	return ret;
}
