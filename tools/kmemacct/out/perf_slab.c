// SPDX-License-Identifier: GPL-2.0
/* The text of `kmemacct stat --slab`.  See perf.h. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "perf.h"

/* Width of perf kmem's first column, and of all that follows it. */
#define LABEL_WIDTH	34
#define NUMBERS_WIDTH	71

/* ---- tables --------------------------------------------------------------- */

/**
 * struct form - how a table is printed
 * @out: output file
 * @p: what to print
 * @v: the table
 * @callers: the table is that of call sites
 * @width: width of the first column; 0: it is on a line of its own
 * @intervals: there are estimates, and a column with their intervals
 */
struct form {
	FILE *out;
	const struct perf *p;
	const struct view *v;
	bool callers;
	int width;
	bool intervals;
};

static void label_of(const struct form *f, const struct row *row, char buf[PERF_SITE_LEN])
{
	const u64 ptr = row->v[ALLOC_ptr];

	if (f->callers)
		perf_site(buf, row->label);
	else
		snprintf(buf, PERF_SITE_LEN, ptr ? "%#llx" : "(hidden)", ptr);
}

/* Find the width of the first column: that of the longest label, as far as the screen allows. */
static void set_width(struct form *f)
{
	const int screen = f->p->style.screen;
	char buf[PERF_SITE_LEN];
	size_t i;

	f->width = LABEL_WIDTH;
	for (i = 0; i < f->v->nr; i++) {
		label_of(f, f->v->t->rows[i], buf);
		text_widen(&f->width, buf);
	}
	if (screen && f->width + NUMBERS_WIDTH > screen)
		f->width = screen < LABEL_WIDTH + NUMBERS_WIDTH ? 0 : screen - NUMBERS_WIDTH;
}

static void print_label(const struct form *f, const char *label)
{
	if ((int)strlen(label) > f->width)
		fprintf(f->out, " %s\n %-*s%s", label, f->width, "", f->width ? " |" : "");
	else
		fprintf(f->out, " %-*s |", f->width, label);
}

static void print_titles(const struct form *f)
{
	print_label(f, f->callers ? "Callsite" : "Alloc Ptr");
	fprintf(f->out, " %-15s | %-15s | %-8s | %-10s| Frag%s\n",
		f->callers ? "Total_alloc/Per" : "Live_alloc/Per",
		f->callers ? "Total_req/Per" : "Live_req/Per",
		f->callers ? "Hit" : "Live", f->callers ? "Ping-pong*" : "Ping-pong",
		f->intervals ? "    | low..high" : "");
}

/* Print a sum and the average of the values that were added up. */
static void print_total(const struct form *f, const char *tilde, s64 total, s64 hits)
{
	char buf[NUMBER_LEN];

	snprintf(buf, sizeof(buf), "%s%lld", tilde, total);
	fprintf(f->out, " %9s/%-5lld |", buf, total / hits);
}

static void print_count(const struct form *f, int width, const struct row *row, int column)
{
	char buf[NUMBER_LEN];

	snprintf(buf, sizeof(buf), "%s%lld", perf_tilde(f->v->t, row, column),
		 (s64)row->v[column]);
	fprintf(f->out, " %*s |", width, buf);
}

static void print_frag(const struct form *f, const char *tilde, u64 req, u64 alloc)
{
	char buf[NUMBER_LEN];

	snprintf(buf, sizeof(buf), "%s%.3f", tilde, perf_frag(req, alloc));
	fprintf(f->out, " %6s%%", buf);
}

static void print_caller(const struct form *f, const struct row *row)
{
	const char *tilde = perf_tilde(f->v->t, row, COUNT_bytes_alloc);
	const u64 *v = row->v;

	print_total(f, tilde, v[COUNT_bytes_alloc], v[COUNT_hits]);
	print_total(f, perf_tilde(f->v->t, row, COUNT_bytes_req), v[COUNT_bytes_req],
		    v[COUNT_hits]);
	print_count(f, 8, row, COUNT_hits);
	print_count(f, 9, row, COUNT_pingpong);
	print_frag(f, tilde, v[COUNT_bytes_req], v[COUNT_bytes_alloc]);
	if (f->intervals)
		perf_interval(f->out, f->v->t, row, COUNT_bytes_alloc);
}

/* An object was allocated once.  What was allocated at its address before is not known. */
static void print_alloc(const struct form *f, const struct row *row)
{
	const u64 *v = row->v;

	print_total(f, "", v[ALLOC_bytes_alloc], 1);
	print_total(f, "", v[ALLOC_bytes_req], 1);
	fprintf(f->out, " %8d | %9s |", 1, "-");
	print_frag(f, "", v[ALLOC_bytes_req], v[ALLOC_bytes_alloc]);
}

static void print_table(FILE *out, const struct perf *p, bool callers)
{
	struct form f = {
		.out = out, .p = p, .callers = callers,
		.v = &p->v[callers ? PERF_SLAB_CALLER : PERF_SLAB_ALLOC],
	};
	char label[PERF_SITE_LEN];
	int more;
	size_t i;

	f.intervals = callers && perf_estimated(f.v, COUNT_bytes_alloc);
	set_width(&f);
	more = f.width > LABEL_WIDTH ? f.width - LABEL_WIDTH : 0;
	perf_line(out, p, more);
	print_titles(&f);
	perf_line(out, p, more);
	for (i = 0; i < f.v->nr; i++) {
		label_of(&f, f.v->t->rows[i], label);
		print_label(&f, label);
		if (callers)
			print_caller(&f, f.v->t->rows[i]);
		else
			print_alloc(&f, f.v->t->rows[i]);
		fputc('\n', out);
	}
	/* This row stands for those that -l left out. */
	if (view_left_out(f.v)) {
		print_label(&f, "...");
		fprintf(out, " %-15s | %-15s | %-8s | %-9s | %-6s\n", "...", "...", "...", "...",
			"...");
	}
	perf_line(out, p, more);
	if (f.intervals)
		perf_legend(out, p);
}

/* ---- remarks -------------------------------------------------------------- */

/* Test whether some row is hashed: kernel addresses are in the upper half of the address space. */
static bool has_hashes(const struct view *v)
{
	size_t i;

	for (i = 0; i < v->nr; i++)
		if (!(v->t->rows[i]->v[ALLOC_ptr] >> 63))
			return true;
	return false;
}

/* Return: true if objects were sampled, which then stand for others. */
static bool has_weights(const struct view *v)
{
	size_t i;

	for (i = 0; i < v->nr; i++)
		if (v->t->rows[i]->v[ALLOC_weight] != 1000)
			return true;
	return false;
}

static void explain_allocs(FILE *out, const struct perf *p)
{
	const struct view *v = &p->v[PERF_SLAB_ALLOC];
	const int screen = p->style.screen;

	text_comment(out, p->window == PERF_COMMAND ?
		     "live objects allocated while the command ran; freed ones are not known" :
		     "live objects; freed ones are not known", screen);
	if (has_hashes(v))
		text_comment(out, "addresses are hashed: sysctl kernel.kptr_restrict=1 shows them",
			     screen);
	if (has_weights(v))
		text_comment(out, "objects were sampled: kmemacct allocs has their weights",
			     screen);
}

/* ---- summary -------------------------------------------------------------- */

/* Print a sum or a difference, with its limits. */
static void print_sum(FILE *out, const char *title, s64 value, struct bounds bounds, s64 least)
{
	fprintf(out, "%s %s%'lld", title, bounds.above > 0 ? "~" : "", value);
	if (bounds.above > 0)
		fprintf(out, " (%'lld..%'lld)", (s64)fmax(floor(value - bounds.below), least),
			(s64)ceil(value + bounds.above));
	fputc('\n', out);
}

static void print_column(FILE *out, const struct view *v, const char *title, int column)
{
	const char *tilde = perf_tilde(v->t, v->total, column);
	struct interval i;

	fprintf(out, "%s %s%'lld", title, tilde, v->total->v[column]);
	if (*tilde) {
		i = estimate_interval(v->t, v->total, column);
		fprintf(out, " (%'lld..%'lld)", (s64)i.low, (s64)i.high);
	}
	fputc('\n', out);
}

/* Objects that were allocated and freed may be the same or others: add all the variances. */
static void print_net(FILE *out, const struct view *v)
{
	static const struct {
		int column;
		int sign;
	} parts[] = {
		{ COUNT_bytes_alloc, 1 }, { COUNT_bulk_bytes, 1 }, { COUNT_bytes_freed, -1 },
	};
	const u64 *sums = v->total->v;
	const s64 net = sums[COUNT_bytes_alloc] + sums[COUNT_bulk_bytes] -
			sums[COUNT_bytes_freed];
	struct weighed sum = {}, w;
	struct bounds bounds = {};
	size_t i;

	if (net <= 0)
		return;
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		w = estimate_weighed(v->t, v->total, parts[i].column);
		estimate_add(&sum, &w, parts[i].sign);
	}
	if (sum.variance > 0)
		bounds = bounds_of_change(&sum);
	print_sum(out, "Net total bytes allocated*:", net, bounds, LLONG_MIN);
}

/*
 * An allocation wastes at most the bytes that it takes, so the variance is at most a^2 - r^2: if r
 * is at most a, (a - r)^2 is at most a^2 - r^2, and a sample stands for at most T wasted bytes.
 */
static void print_wasted(FILE *out, const struct view *v)
{
	const s64 wasted = v->total->v[COUNT_bytes_alloc] - v->total->v[COUNT_bytes_req];
	const struct weighed requested = estimate_weighed(v->t, v->total, COUNT_bytes_req);
	struct weighed w = estimate_weighed(v->t, v->total, COUNT_bytes_alloc);
	struct bounds bounds = {};

	w.estimate = wasted;
	w.variance -= estimate_least_variance(&requested);
	w.part = true;
	if (w.variance > 0)
		bounds = bounds_of_sum(&w);
	print_sum(out, "Total bytes wasted on internal fragmentation:", wasted, bounds, 0);
}

static void print_summary(FILE *out, const struct perf *p)
{
	static const char * const older[] = {
		[PERF_SINCE_START] = "",
		[PERF_SINCE_RESET] = "frees of objects allocated before the reset",
		[PERF_COMMAND] = "frees of objects allocated before the command",
	};
	const struct view *v = &p->v[PERF_SLAB_CALLER];
	const u64 *sums = v->total->v;
	char bulk[64] = "";
	/* The items that the numbers of titles with a star include. */
	const char * const items[] = { bulk, "frees without an event", older[p->window] };

	fputs("\nSUMMARY (SLAB allocator)\n========================\n", out);
	print_column(out, v, "Total bytes requested:", COUNT_bytes_req);
	print_column(out, v, "Total bytes allocated:", COUNT_bytes_alloc);
	print_column(out, v, "Total bytes freed*:   ", COUNT_bytes_freed);
	print_net(out, v);
	print_wasted(out, v);
	fprintf(out, "Internal fragmentation: %s%f%%\n",
		perf_tilde(v->t, v->total, COUNT_bytes_alloc),
		perf_frag(sums[COUNT_bytes_req], sums[COUNT_bytes_alloc]));
	fprintf(out, "Cross CPU allocations: %s%'lld/%s%'lld\n",
		perf_tilde(v->t, v->total, COUNT_cross_node), (s64)sums[COUNT_cross_node],
		perf_tilde(v->t, v->total, COUNT_hits), (s64)sums[COUNT_hits]);
	if (sums[COUNT_bulk_bytes])
		snprintf(bulk, sizeof(bulk), "bulk allocations (%'lld bytes)",
			 (s64)sums[COUNT_bulk_bytes]);
	perf_star(out, p, items, ARRAY_SIZE(items));
}

void perf_print_slab(FILE *out, const struct perf *p)
{
	text_head(out, &p->v[PERF_SLAB_CALLER], &p->style);
	if (p->o->caller)
		print_table(out, p, true);
	if (p->o->alloc) {
		print_table(out, p, false);
		explain_allocs(out, p);
	}
	print_summary(out, p);
}
