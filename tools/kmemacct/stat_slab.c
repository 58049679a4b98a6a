// SPDX-License-Identifier: GPL-2.0
/* The text of `kmemacct stat --slab`.  See the overview in stat_text.h. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "comment.h"
#include "estimate.h"
#include "stat_sort.h"
#include "stat_text.h"

/* Width of perf kmem's first column, and of all that follows it. */
#define LABEL_WIDTH	34
#define NUMBERS_WIDTH	71

/* ---- tables --------------------------------------------------------------- */

/**
 * struct form - how a table is printed
 * @text: where and what to print
 * @t: the table
 * @which: which one it is
 * @width: width of the first column; 0: it is on a line of its own
 * @intervals: there are estimates, and a column with their intervals
 */
struct form {
	const struct stat_text *text;
	const struct table *t;
	enum stat_table which;
	int width;
	bool intervals;
};

static void print_address(char buf[STAT_SITE_LEN], u64 ptr)
{
	snprintf(buf, STAT_SITE_LEN, ptr ? "%#llx" : "(hidden)", ptr);
}

static void label_of(const struct form *f, const struct row *row, char buf[STAT_SITE_LEN])
{
	if (f->which == STAT_SLAB_CALLER)
		stat_text_site(buf, row->label);
	else
		print_address(buf, row->v[ALLOC_ptr]);
}

/* Find the width of the first column: that of the longest label, as far as the screen allows. */
static void set_width(struct form *f)
{
	const int screen = f->text->screen;
	char buf[STAT_SITE_LEN];
	int len;
	size_t i;

	f->width = LABEL_WIDTH;
	for (i = 0; i < f->t->nr_rows; i++) {
		label_of(f, f->t->rows[i], buf);
		len = strlen(buf);
		if (f->width < len)
			f->width = len;
	}
	if (!screen || f->width + NUMBERS_WIDTH <= screen)
		return;
	f->width = screen < LABEL_WIDTH + NUMBERS_WIDTH ? 0 : screen - NUMBERS_WIDTH;
}

static void print_label(const struct form *f, const char *label)
{
	FILE *out = f->text->out;

	if ((int)strlen(label) > f->width)
		fprintf(out, " %s\n %-*s%s", label, f->width, "", f->width ? " |" : "");
	else
		fprintf(out, " %-*s |", f->width, label);
}

static void print_titles(const struct form *f)
{
	bool callers = f->which == STAT_SLAB_CALLER;
	FILE *out = f->text->out;

	print_label(f, callers ? "Callsite" : "Alloc Ptr");
	fprintf(out, " %-15s | %-15s | %-8s | %-10s| Frag%s\n",
		callers ? "Total_alloc/Per" : "Live_alloc/Per",
		callers ? "Total_req/Per" : "Live_req/Per",
		callers ? "Hit" : "Live", callers ? "Ping-pong*" : "Ping-pong",
		f->intervals ? "    | low..high" : "");
}

/* Print a sum and the average of what it is the sum of. */
static void print_total(const struct form *f, const char *mark, s64 total, s64 hits)
{
	char buf[NUMBER_LEN];

	snprintf(buf, sizeof(buf), "%s%lld", mark, total);
	fprintf(f->text->out, " %9s/%-5lld |", buf, total / hits);
}

static void print_count(const struct form *f, int width, const struct row *row, int column)
{
	char buf[NUMBER_LEN];

	snprintf(buf, sizeof(buf), "%s%lld", stat_text_mark(f->t, row, column),
		 (s64)row->v[column]);
	fprintf(f->text->out, " %*s |", width, buf);
}

static void print_frag(const struct form *f, const char *mark, u64 req, u64 alloc)
{
	char buf[NUMBER_LEN];

	snprintf(buf, sizeof(buf), "%s%.3f", mark, stat_sort_frag(req, alloc));
	fprintf(f->text->out, " %6s%%", buf);
}

static void print_caller(const struct form *f, const struct row *row)
{
	const char *mark = stat_text_mark(f->t, row, COUNT_bytes_alloc);
	const u64 *v = row->v;

	print_total(f, mark, v[COUNT_bytes_alloc], v[COUNT_hits]);
	print_total(f, stat_text_mark(f->t, row, COUNT_bytes_req), v[COUNT_bytes_req],
		    v[COUNT_hits]);
	print_count(f, 8, row, COUNT_hits);
	print_count(f, 9, row, COUNT_pingpong);
	print_frag(f, mark, v[COUNT_bytes_req], v[COUNT_bytes_alloc]);
	if (f->intervals)
		stat_text_interval(f->text, f->t, row, COUNT_bytes_alloc);
}

/* An object is live once, and what its address did before is not known. */
static void print_alloc(const struct form *f, const struct row *row)
{
	const u64 *v = row->v;

	print_total(f, "", v[ALLOC_bytes_alloc], 1);
	print_total(f, "", v[ALLOC_bytes_req], 1);
	fprintf(f->text->out, " %8d | %9s |", 1, "-");
	print_frag(f, "", v[ALLOC_bytes_req], v[ALLOC_bytes_alloc]);
}

/* Print the row that stands for those that -l left out. */
static void print_dots(const struct form *f)
{
	if (!f->t->left_out)
		return;
	print_label(f, "...");
	fprintf(f->text->out, " %-15s | %-15s | %-8s | %-9s | %-6s\n", "...", "...", "...", "...",
		"...");
}

static void print_table_of(const struct stat_text *text, enum stat_table which)
{
	struct form f = { .text = text, .t = text->s->table[which], .which = which };
	char label[STAT_SITE_LEN];
	int more;
	size_t i;

	f.intervals = which == STAT_SLAB_CALLER && stat_text_estimated(f.t, COUNT_bytes_alloc);
	set_width(&f);
	more = f.width > LABEL_WIDTH ? f.width - LABEL_WIDTH : 0;
	stat_text_line(text, more);
	print_titles(&f);
	stat_text_line(text, more);
	for (i = 0; i < f.t->nr_rows; i++) {
		label_of(&f, f.t->rows[i], label);
		print_label(&f, label);
		if (which == STAT_SLAB_CALLER)
			print_caller(&f, f.t->rows[i]);
		else
			print_alloc(&f, f.t->rows[i]);
		fputc('\n', text->out);
	}
	print_dots(&f);
	stat_text_line(text, more);
	if (f.intervals)
		stat_text_legend(text);
}

/* ---- remarks -------------------------------------------------------------- */

/* Kernel addresses are in the upper half of the address space; hashes have only 32 bits. */
static bool has_hashes(const struct table *t)
{
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		if (!(t->rows[i]->v[ALLOC_ptr] >> 63))
			return true;
	return false;
}

/* Return: true if objects were sampled, which then stand for others. */
static bool has_weights(const struct table *t)
{
	const int weight = table_column(t, "weight");
	size_t i;

	for (i = 0; weight >= 0 && i < t->nr_rows; i++)
		if (t->rows[i]->v[weight] != 1000)
			return true;
	return false;
}

static void explain_allocs(const struct stat_text *text)
{
	const struct table *t = text->s->table[STAT_SLAB_ALLOC];

	comment_print(text->out, text->s->window == STAT_COMMAND ?
		     "live objects allocated while the command ran; freed ones are not known" :
		     "live objects; freed ones are not known",
		     text->screen);
	if (has_hashes(t))
		comment_print(text->out,
			      "addresses are hashed: sysctl kernel.kptr_restrict=1 shows them",
			      text->screen);
	if (has_weights(t))
		comment_print(text->out,
			      "objects were sampled: kmemacct allocs has their weights",
			      text->screen);
}

/* ---- summary -------------------------------------------------------------- */

/* Print a sum or a difference, with its limits. */
static void print_sum(const struct stat_text *text, const char *title, s64 value,
		      struct bounds bounds, s64 least)
{
	fprintf(text->out, "%s %s%'lld", title, bounds.above > 0 ? "~" : "", value);
	if (bounds.above > 0)
		fprintf(text->out, " (%'lld..%'lld)",
			(s64)fmax(floor(value - bounds.below), least),
			(s64)ceil(value + bounds.above));
	fputc('\n', text->out);
}

static void print_column(const struct stat_text *text, const char *title, int column)
{
	const struct table *t = text->s->table[STAT_SLAB_CALLER];
	const char *mark = stat_text_mark(t, t->sum, column);
	struct interval i;

	fprintf(text->out, "%s %s%'lld", title, mark, t->sum->v[column]);
	if (*mark) {
		i = estimate_interval(t, t->sum, column);
		fprintf(text->out, " (%'lld..%'lld)", (s64)i.low, (s64)i.high);
	}
	fputc('\n', text->out);
}

/* Objects that were allocated and freed may be the same or others: add all the variances. */
static void print_net(const struct stat_text *text)
{
	static const struct {
		int column;
		int sign;
	} parts[] = {
		{ COUNT_bytes_alloc, 1 }, { COUNT_bulk_bytes, 1 }, { COUNT_bytes_freed, -1 },
	};
	const struct table *t = text->s->table[STAT_SLAB_CALLER];
	const u64 *v = t->sum->v;
	const s64 net = v[COUNT_bytes_alloc] + v[COUNT_bulk_bytes] - v[COUNT_bytes_freed];
	struct weighed sum = {}, w;
	struct bounds bounds = {};
	size_t i;

	if (net <= 0)
		return;
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		w = estimate_weighed(t, t->sum, parts[i].column);
		estimate_add(&sum, &w, parts[i].sign);
	}
	if (sum.variance > 0)
		bounds = bounds_of_change(&sum);
	print_sum(text, "Net total bytes allocated*:", net, bounds, LLONG_MIN);
}

/*
 * An allocation wastes less than it takes.  So the variance is at most a^2 - r^2, because
 * (a - r)^2 is if r is at most a, and a sample stands for T wasted bytes at most.
 */
static void print_wasted(const struct stat_text *text)
{
	const struct table *t = text->s->table[STAT_SLAB_CALLER];
	const s64 wasted = t->sum->v[COUNT_bytes_alloc] - t->sum->v[COUNT_bytes_req];
	const struct weighed requested = estimate_weighed(t, t->sum, COUNT_bytes_req);
	struct weighed w = estimate_weighed(t, t->sum, COUNT_bytes_alloc);
	struct bounds bounds = {};

	w.estimate = wasted;
	w.variance -= estimate_least_variance(&requested);
	w.part = true;
	if (w.variance > 0)
		bounds = bounds_of_sum(&w);
	print_sum(text, "Total bytes wasted on internal fragmentation:", wasted, bounds, 0);
}

/* What the numbers of the titles with a star include. */
static void explain_star(const struct stat_text *text)
{
	static const char * const older[] = {
		[STAT_SINCE_START] = "",
		[STAT_SINCE_RESET] = "frees of objects allocated before the reset",
		[STAT_COMMAND] = "frees of objects allocated before the command",
	};
	const s64 bytes = text->s->table[STAT_SLAB_CALLER]->sum->v[COUNT_bulk_bytes];
	char bulk[64] = "";
	const char * const items[] = {
		bulk, "frees without an event", older[text->s->window],
	};

	if (bytes)
		snprintf(bulk, sizeof(bulk), "bulk allocations (%'lld bytes)", bytes);
	stat_text_star(text, items, ARRAY_SIZE(items));
}

static void print_summary(const struct stat_text *text)
{
	const struct table *t = text->s->table[STAT_SLAB_CALLER];
	FILE *out = text->out;

	fputs("\nSUMMARY (SLAB allocator)\n========================\n", out);
	print_column(text, "Total bytes requested:", COUNT_bytes_req);
	print_column(text, "Total bytes allocated:", COUNT_bytes_alloc);
	print_column(text, "Total bytes freed*:   ", COUNT_bytes_freed);
	print_net(text);
	print_wasted(text);
	fprintf(out, "Internal fragmentation: %s%f%%\n",
		stat_text_mark(t, t->sum, COUNT_bytes_alloc),
		stat_sort_frag(t->sum->v[COUNT_bytes_req], t->sum->v[COUNT_bytes_alloc]));
	fprintf(out, "Cross CPU allocations: %s%'lld/%s%'lld\n",
		stat_text_mark(t, t->sum, COUNT_cross_node), (s64)t->sum->v[COUNT_cross_node],
		stat_text_mark(t, t->sum, COUNT_hits), (s64)t->sum->v[COUNT_hits]);
	explain_star(text);
}

void stat_text_slab(const struct stat_text *text)
{
	print_table_head(text->out, text->s->table[STAT_SLAB_CALLER], &text->look);
	if (text->o->caller)
		print_table_of(text, STAT_SLAB_CALLER);
	if (text->o->alloc) {
		print_table_of(text, STAT_SLAB_ALLOC);
		explain_allocs(text);
	}
	print_summary(text);
}
