// SPDX-License-Identifier: GPL-2.0
/* Records of slow phases of reclaim and compaction: their labels, and as text. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "out.h"

/* ---- labels --------------------------------------------------------------- */

/* Parse `CAUSE=US xN`, or `CAUSE=US`.  Return: 0, or -1 if the text is something else. */
static int parse_cause(struct slow_cause *cause, char *text)
{
	char *number = strrchr(text, '='), *nr;

	if (!number)
		return -1;
	nr = strstr(number, " x");
	if (nr)
		*nr = '\0';
	cause->nr = 1;
	if (number_parse(number + 1, &cause->us) || (nr && number_parse(nr + 2, &cause->nr))) {
		if (nr)
			*nr = ' ';
		return -1;
	}
	*number = '\0';
	cause->name = text;
	return 0;
}

/* A cause may itself contain commas: then the text up to the first of them is no cause. */
static void parse_causes(struct slow *s, char *text)
{
	char *end = text;
	bool last = false;

	for (; !last && s->nr_causes < SLOW_CAUSES; end++) {
		end = strchrnul(end, ',');
		last = !*end;
		*end = '\0';
		if (!parse_cause(&s->cause[s->nr_causes], text)) {
			s->nr_causes++;
			text = end + 1;
		} else if (!last) {
			*end = ',';
		}
	}
}

static void parse_frames(struct slow *s, char *text)
{
	char *frame;

	while (s->nr_frames < SLOW_FRAMES && (frame = strsep(&text, ",")))
		if (strcmp(frame, "-"))
			s->frame[s->nr_frames++] = frame;
}

/* Cut the last part off a label.  Return: the part, or NULL if there is only one. */
static char *last_part(char *text)
{
	char *end = strrchr(text, ';');

	if (!end)
		return NULL;
	*end = '\0';
	return end + 1;
}

void slow_parse(struct slow *s, const char *label)
{
	char *part[4];
	int i;

	*s = (struct slow) { .phase = "-", .site = "-" };
	s->text = alloc_copy(label);
	s->comm = s->text;
	/* Parse from the end, because the name of the thread may contain semicolons. */
	for (i = 3; i >= 0; i--) {
		part[i] = last_part(s->text);
		if (!part[i]) {
			memcpy(s->text, label, strlen(label));
			return;
		}
	}
	s->phase = part[0];
	s->site = part[1];
	parse_causes(s, part[2]);
	parse_frames(s, part[3]);
}

/* ---- records -------------------------------------------------------------- */

/**
 * struct printer - lines of a record that is printed
 * @out: output file
 * @screen: width of the terminal; 0: lines may be of any length
 * @exact: print times without rounding
 * @used: columns of the current line that are used
 */
struct printer {
	FILE *out;
	int screen;
	bool exact;
	int used;
};

/* Print an item of a list, on a new line if it does not fit. */
__printf(2, 3) static void print_item(struct printer *p, const char *fmt, ...)
{
	char *item = NULL;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&item, fmt, args);
	va_end(args);
	if (len < 0)
		return;
	/* Two more columns for a comma and the blank or comma around the item. */
	if (p->used && p->screen && p->used + len + 2 > p->screen) {
		fputs(",\n", p->out);
		p->used = 0;
	}
	p->used += fprintf(p->out, "%s%s", p->used ? ", " : "    ", item);
	free(item);
}

static void print_time(const struct printer *p, char buf[NUMBER_LEN], u64 us)
{
	if (p->exact)
		snprintf(buf, NUMBER_LEN, "%lluus", us);
	else
		number_print_us(buf, us, false);
}

static void print_flags(struct printer *p, const struct gfp *gfp, u64 flags)
{
	char *text;
	size_t len;
	FILE *out = text_open(&text, &len);

	gfp_print_names(out, gfp, flags);
	text_close(out);
	print_item(p, "%s", text);
	free(text);
}

/*
 * Return: the time of day at which CLOCK_MONOTONIC was 0, in ms since 1970, if the machine was not
 * suspended since the phase.  A snapshot has no CLOCK_MONOTONIC: there, the machine must not have
 * been suspended before the phase.
 */
static u64 start_ms(const struct source *s)
{
	struct timespec real = {}, mono = {};

	if (source_is_snapshot(s))
		return source_time_s(s) * 1000 - source_uptime_ms(s);
	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	return (real.tv_sec - mono.tv_sec) * 1000 + (real.tv_nsec - mono.tv_nsec) / 1000000;
}

void slow_wall(char text[SLOW_WALL], const struct source *s, u64 ms)
{
	const bool known = s && (!source_is_snapshot(s) || source_time_s(s));
	time_t wall = known ? (start_ms(s) + ms) / 1000 : 0;
	struct tm tm;

	*text = '\0';
	if (known && localtime_r(&wall, &tm))
		strftime(text, SLOW_WALL, "%F %T", &tm);
}

/* Print when the phase ended, also since boot, as dmesg does; the phase, and the thread. */
static void print_headline(struct printer *p, const struct source *source, const struct row *row,
			   const struct slow *s)
{
	char end[NUMBER_LEN], time[NUMBER_LEN], wall[SLOW_WALL];

	number_print_milli(end, row->v[SLOW_end_s]);
	print_time(p, time, row->v[SLOW_us]);
	slow_wall(wall, source, row->v[SLOW_end_s]);
	fprintf(p->out, "%s%s[%9s] %s %s, %s", wall, *wall ? " " : "", end, s->phase,
		time, s->comm);
	if (row->v[SLOW_pid] != NO_ID)
		fprintf(p->out, "[%llu]", row->v[SLOW_pid]);
	fprintf(p->out, ", nr %llu\n", row->v[SLOW_nr]);
}

/* Without paths, a cgroup has only its ID. */
static void print_cgroup(struct printer *p, const struct view *v, u64 id)
{
	const char *path = cgroups_path(v->cgroups, id);

	if (path)
		print_item(p, "cgroup %s", path);
	else
		print_item(p, "cgroup #%llu%s", id,
			   v->cgroups ? " (removed)" : "");
}

static void print_allocation(struct printer *p, const struct view *v, const struct row *row,
			     const struct slow *s)
{
	p->used = 0;
	if (strcmp(s->site, "-"))
		print_item(p, "%s", s->site);
	if (row->v[SLOW_order] != NO_ID) {
		print_item(p, "order %llu", row->v[SLOW_order]);
		print_flags(p, v->gfp, row->v[SLOW_gfp]);
	}
	if (row->v[SLOW_tgid] != NO_ID)
		print_item(p, "tgid %llu", row->v[SLOW_tgid]);
	if (row->v[SLOW_cgroup_id] != NO_ID)
		print_cgroup(p, v, row->v[SLOW_cgroup_id]);
	if (p->used)
		fputc('\n', p->out);
}

static void print_cause(struct printer *p, const struct slow_cause *cause, u64 whole)
{
	char time[NUMBER_LEN], share[NUMBER_LEN], nr[NUMBER_LEN];

	print_time(p, time, cause->us);
	number_print_share(share, whole ? 100000.0 * cause->us / whole : 0);
	snprintf(nr, sizeof(nr), "x%llu", cause->nr);
	fprintf(p->out, "    %8s %6s %5s %s\n", time, share, nr, cause->name);
}

void slow_print(FILE *out, const struct view *v, const struct row *row, const struct style *style)
{
	struct printer p = { .out = out, .screen = style->screen, .exact = style->exact };
	struct slow s;
	int i;

	slow_parse(&s, row->label);
	print_headline(&p, v->t->source, row, &s);
	print_allocation(&p, v, row, &s);
	for (i = 0; i < s.nr_causes; i++)
		print_cause(&p, &s.cause[i], row->v[SLOW_us]);
	for (i = 0; i < s.nr_frames; i++)
		fprintf(out, "        %s\n", s.frame[i]);
	fputc('\n', out);
	free(s.text);
}
