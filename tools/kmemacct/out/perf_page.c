// SPDX-License-Identifier: GPL-2.0
/* The text of `kmemacct stat --page`.  See perf.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf.h"

#define GFP_TITLE	"GFP flags"
/* The column at which a line begins that continues a row. */
#define INDENT		4

/* ---- gfp flags ------------------------------------------------------------ */

static int compare_flags(const void *a, const void *b)
{
	const u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* List the flags of the rows that are printed, in ascending order. */
static u64 *list_flags(const struct perf *p, size_t *nr)
{
	const struct view *views[] = { &p->v[PERF_PAGE_CALLER], &p->v[PERF_PAGE_ALLOC] };
	size_t i, j, all = 0, room = 0;
	u64 *flags = NULL;

	for (i = 0; i < ARRAY_SIZE(views); i++)
		for (j = 0; views[i]->t && j < views[i]->nr; j++) {
			flags = alloc_more(flags, all, &room, sizeof(*flags));
			flags[all++] = table_at(views[i]->t, views[i]->t->rows[j], AT_gfp);
		}
	if (all)
		qsort(flags, all, sizeof(*flags), compare_flags);
	*nr = 0;
	for (i = 0; i < all; i++)
		if (!i || flags[i] != flags[i - 1])
			flags[(*nr)++] = flags[i];
	return flags;
}

/* Return: width of the longest codes. */
static int codes_width(const struct perf *p)
{
	char codes[GFP_LEN];
	int width = 0;
	size_t i, nr;
	u64 *flags = list_flags(p, &nr);

	for (i = 0; i < nr; i++) {
		gfp_print(p->gfp, codes, flags[i]);
		text_widen(&width, codes);
	}
	free(flags);
	return width;
}

static void print_flags(FILE *out, const struct perf *p)
{
	const int width = codes_width(p);
	char codes[GFP_LEN];
	size_t i, nr;
	u64 *flags = list_flags(p, &nr);

	fputs("#\n# GFP flags\n# ---------\n", out);
	for (i = 0; i < nr; i++) {
		gfp_print(p->gfp, codes, flags[i]);
		fprintf(out, "# %08llx: %*s: ", flags[i], width, codes);
		gfp_print_names(out, p->gfp, flags[i]);
		fputc('\n', out);
	}
	free(flags);
}

/* ---- tables --------------------------------------------------------------- */

/**
 * struct form - how a table is printed
 * @out: output file
 * @p: what to print
 * @v: the table
 * @pages: page by page, and not by call site
 * @kb: the column of sizes
 * @hits: the column of numbers
 * @gfp_width: width of the codes of flags
 * @intervals: there are estimates, and a column with their intervals
 */
struct form {
	FILE *out;
	const struct perf *p;
	const struct view *v;
	bool pages;
	int kb;
	int hits;
	int gfp_width;
	bool intervals;
};

/* Return: true if live pages are not those that perf kmem calls live. */
static bool live_differs(const struct perf *p)
{
	return p->window == PERF_SINCE_RESET || table_pair(p->pages, "bulk_kb");
}

/* Return: the name of a migrate type as perf kmem has it, which calls some of them wrongly. */
static const char *type_of(const struct form *f, const struct row *row)
{
	static const char * const types[][2] = {
		{ "Unmovable", "UNMOVABL" }, { "Movable", "MOVABLE" },
		{ "Reclaimable", "RECLAIM" }, { "HighAtomic", "HIGHATOM" },
		{ "Isolate", "ISOLATE" },
	};
	const char *name = row_name(row, f->v->t->at[AT_migratetype]);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(name, types[i][0]))
			return types[i][1];
	return name;
}

/*
 * Print the flags and the call site, or their titles or dots.  If both do not fit after the
 * @used columns, the call site is on the next line, and the flags too if they do not.
 */
static void print_rest(const struct form *f, int used, const char *codes, const char *site)
{
	const int screen = f->p->style.screen;
	const int wide = used + strlen(" ") + f->gfp_width + strlen(" |");

	if (screen && wide > screen)
		fprintf(f->out, "\n%*s%s | %s", INDENT, "", codes, site);
	else if (screen && wide + 1 + (int)strlen(site) > screen)
		fprintf(f->out, " %-*s |\n%*s%s", f->gfp_width, codes, INDENT, "", site);
	else
		fprintf(f->out, " %-*s | %s", f->gfp_width, codes, site);
}

static void print_titles(const struct form *f)
{
	const char *title = "Total alloc (KB)";
	int used = 0;

	if (f->pages || f->p->o->live)
		title = live_differs(f->p) ? "Live alloc (KB)*" : " Live alloc (KB)";
	if (f->pages)
		used += fprintf(f->out, " %-16s |", "PFN");
	used += fprintf(f->out, " %s | Hits      | Order | Mig.type |", title);
	print_rest(f, used, GFP_TITLE, "Callsite");
	fputs(f->intervals ? " | low..high\n" : "\n", f->out);
}

/* `pages` counts pages, and all other tables KiB. */
static void print_row(const struct form *f, const struct row *row)
{
	const struct table *t = f->v->t;
	char kb[NUMBER_LEN], hits[NUMBER_LEN], codes[GFP_LEN], site[PERF_SITE_LEN];
	int used = 0;

	snprintf(kb, sizeof(kb), "%s%'lld", f->pages ? "" : perf_tilde(t, row, f->kb),
		 (s64)row->v[f->kb] * (f->pages ? sysconf(_SC_PAGESIZE) / 1024 : 1));
	snprintf(hits, sizeof(hits), "%s%'lld", f->pages ? "" : perf_tilde(t, row, f->hits),
		 f->pages ? 1 : (s64)row->v[f->hits]);
	if (f->pages)
		used += fprintf(f->out, " %16llu |", row->v[PAGE_pfn]);
	used += fprintf(f->out, " %16s | %9s | %5llu | %8s |", kb, hits,
			table_at(t, row, AT_order), type_of(f, row));
	gfp_print(f->p->gfp, codes, table_at(t, row, AT_gfp));
	perf_site(site, row->label);
	print_rest(f, used, codes, site);
	if (f->intervals)
		perf_interval(f->out, t, row, f->kb);
	fputc('\n', f->out);
}

/* Print the row that stands for those that -l left out. */
static void print_dots(const struct form *f)
{
	int used = 0;

	if (!view_left_out(f->v))
		return;
	if (f->pages)
		used += fprintf(f->out, " %-16s |", "...");
	used += fprintf(f->out, " %-16s | %-9s | %-5s | %-8s |", "...", "...", "...", "...");
	print_rest(f, used, "...", "...");
	fputc('\n', f->out);
}

static void print_table(FILE *out, const struct perf *p, bool pages)
{
	struct form f = {
		.out = out, .p = p, .pages = pages, .gfp_width = codes_width(p),
		.v = &p->v[pages ? PERF_PAGE_ALLOC : PERF_PAGE_CALLER],
		.kb = pages ? PAGE_pages : p->o->live ? PAGE_CALLER_live_kb : PAGE_CALLER_kb,
		.hits = p->o->live ? PAGE_CALLER_live_allocs : PAGE_CALLER_hits,
	};
	size_t i;

	f.intervals = !pages && perf_estimated(f.v, f.kb);
	text_widen(&f.gfp_width, GFP_TITLE);
	fputc('\n', out);
	perf_line(out, p, 0);
	print_titles(&f);
	perf_line(out, p, 0);
	for (i = 0; i < f.v->nr; i++)
		print_row(&f, f.v->t->rows[i]);
	print_dots(&f);
	perf_line(out, p, 0);
	if (f.intervals)
		perf_legend(out, p);
}

/* ---- summary -------------------------------------------------------------- */

static void print_requests(FILE *out, const char *title, bool differs, s64 requests, s64 kb)
{
	char buf[64];

	snprintf(buf, sizeof(buf), "%s%s", title, differs ? "*" : "");
	fprintf(out, "%-30s: %'16lld   [ %'16lld KB ]\n", buf, requests, kb);
}

/* perf kmem counts failures as requests, and so as allocations that were never freed. */
static void print_lines(FILE *out, const struct perf *p)
{
	const struct table *t = p->pages;
	const u64 uncounted = perf_uncounted(p);
	const u64 allocs = table_pair(t, "alloc_requests") - uncounted;
	const u64 allocs_kb = table_pair(t, "alloc_requests_kb");
	const u64 freed = table_pair(t, "alloc_freed"), freed_kb = table_pair(t, "alloc_freed_kb");
	/*
	 * The freed page may be from a bulk allocation, which perf kmem does not count as a
	 * request.
	 */
	const u64 bulk_kb = table_pair(t, "bulk_kb");
	const u64 bulk = bulk_kb * 1024 / sysconf(_SC_PAGESIZE);
	const bool differs = p->window != PERF_SINCE_START || bulk_kb || uncounted;

	print_requests(out, "Total allocation requests", false, allocs, allocs_kb);
	print_requests(out, "Total free requests", uncounted, table_pair(t, "free_requests"),
		       table_pair(t, "free_requests_kb"));
	fputc('\n', out);
	print_requests(out, "Total alloc+freed requests", differs, freed, freed_kb);
	print_requests(out, "Total alloc-only requests", differs, allocs + bulk - freed,
		       allocs_kb + bulk_kb - freed_kb);
	print_requests(out, "Total free-only requests", differs, table_pair(t, "free_only"),
		       table_pair(t, "free_only_kb"));
	fputc('\n', out);
	print_requests(out, "Total allocation failures", false, table_pair(t, "failures"),
		       table_pair(t, "failures_kb"));
	fputc('\n', out);
}

/* The table has a row for each order and type; a type is a column here. */
static void print_orders(FILE *out, const struct perf *p)
{
	const struct table *t = p->orders.t;
	const int column = p->o->live ? ORDERS_live_allocs : ORDERS_hits;
	const size_t types = perf_migratetype(p, "");
	s64 count;
	size_t i;

	fprintf(out, "Order");
	for (i = 0; i < types; i++)
		fprintf(out, "  %12s", row_name(t->rows[i], ORDERS_migratetype));
	fputs("\n-----", out);
	for (i = 0; i < types; i++)
		fputs("  ------------", out);
	for (i = 0; i < t->nr_rows; i++) {
		if (!(i % types))
			fprintf(out, "\n%5llu", t->rows[i]->v[ORDERS_order]);
		count = t->rows[i]->v[column];
		if (count)
			fprintf(out, "  %'12lld", count);
		else
			fprintf(out, "  %12c", '.');
	}
	fputc('\n', out);
}

static void explain_star(FILE *out, const struct perf *p)
{
	static const char * const older[] = {
		[PERF_SINCE_START] = "",
		[PERF_SINCE_RESET] = "pages allocated before the reset",
		[PERF_COMMAND] = "frees of pages allocated before the command",
	};
	const s64 kb = table_pair(p->pages, "bulk_kb");
	char bulk[64] = "";
	const char * const items[] = {
		bulk, older[p->window], perf_uncounted(p) ?
		"frees of pages that were not counted (module off, or filter)" : "",
	};

	if (kb)
		snprintf(bulk, sizeof(bulk), "bulk allocations (%'lld KB)", kb);
	perf_star(out, p, items, ARRAY_SIZE(items));
}

void perf_print_page(FILE *out, const struct perf *p)
{
	text_head(out, &p->v[PERF_PAGE_CALLER], &p->style);
	if (p->o->caller || p->o->alloc)
		print_flags(out, p);
	if (p->o->caller)
		print_table(out, p, false);
	if (p->o->alloc) {
		print_table(out, p, true);
		text_comment(out, p->window != PERF_COMMAND ?
			     "live pages; freed ones are not known" :
			     "live pages allocated while the command ran; freed ones are not known",
			     p->style.screen);
	}
	fputs("\nSUMMARY (page allocator)\n========================\n", out);
	print_lines(out, p);
	print_orders(out, p);
	explain_star(out, p);
}
