// SPDX-License-Identifier: GPL-2.0
/* The text of `kmemacct stat --page`.  See the overview in stat_text.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comment.h"
#include "error.h"
#include "gfp.h"
#include "stat_text.h"

#define GFP_TITLE	"GFP flags"
/* Where a line begins that continues a row. */
#define INDENT		4

/* ---- what is printed ------------------------------------------------------ */

/* The columns of a table that are printed, and how wide. */
struct form {
	const struct stat_text *text;
	const struct table *t;
	bool pages;	/* page by page, and not by call site */
	int kb;
	int hits;
	int order;
	int type;
	int gfp;
	int gfp_width;
	bool intervals;
};

/* Return: true if live pages are not those that perf kmem calls live. */
static bool live_differs(const struct stat_tables *s)
{
	return s->window == STAT_SINCE_RESET || stat_tables_bulk_pages(s);
}

static struct form form_of(const struct stat_text *text, enum stat_table which)
{
	const bool live = text->s->live;

	if (which == STAT_PAGE_ALLOC)
		return (struct form) {
			.text = text, .t = text->s->table[which], .pages = true,
			.kb = PAGE_pages, .order = PAGE_order, .type = PAGE_migratetype,
			.gfp = PAGE_gfp,
		};
	return (struct form) {
		.text = text, .t = text->s->table[which],
		.kb = live ? PAGE_CALLER_live_kb : PAGE_CALLER_kb,
		.hits = live ? PAGE_CALLER_live_allocs : PAGE_CALLER_hits,
		.order = PAGE_CALLER_order, .type = PAGE_CALLER_migratetype,
		.gfp = PAGE_CALLER_gfp,
	};
}

/* ---- gfp flags ------------------------------------------------------------ */

static int compare_flags(const void *a, const void *b)
{
	const u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Add the flags of all rows, and of those that -l leaves out. */
static size_t add_flags(u64 *flags, size_t nr, const struct table *t, int column)
{
	size_t i;

	for (i = 0; t && i < t->nr_rows + t->left_out; i++)
		flags[nr++] = t->rows[i]->v[column];
	return nr;
}

static size_t nr_rows(const struct table *t)
{
	return t ? t->nr_rows + t->left_out : 0;
}

/* List all flags that occur, in ascending order. */
static u64 *list_flags(const struct stat_tables *s, size_t *nr)
{
	const struct table *callers = s->table[STAT_PAGE_CALLER];
	const struct table *pages = s->table[STAT_PAGE_ALLOC];
	u64 *flags = alloc(nr_rows(callers) + nr_rows(pages), sizeof(*flags));
	size_t i, all;

	all = add_flags(flags, 0, callers, PAGE_CALLER_gfp);
	all = add_flags(flags, all, pages, PAGE_gfp);
	qsort(flags, all, sizeof(*flags), compare_flags);
	*nr = 0;
	for (i = 0; i < all; i++)
		if (!i || flags[i] != flags[i - 1])
			flags[(*nr)++] = flags[i];
	return flags;
}

/* Return: width of the longest codes. */
static int codes_width(const struct stat_tables *s)
{
	char codes[GFP_TEXT_LEN];
	int len, width = 0;
	u64 *flags;
	size_t i, nr;

	flags = list_flags(s, &nr);
	for (i = 0; i < nr; i++) {
		gfp_print(s->flags, codes, flags[i]);
		len = strlen(codes);
		if (width < len)
			width = len;
	}
	free(flags);
	return width;
}

static void print_names(FILE *out, const struct gfp *gfp, u64 flags)
{
	struct gfp_walk walk = { .rest = flags };
	const char *bar = "";
	int nr;

	while ((nr = gfp_next(gfp, &walk)) >= 0) {
		fprintf(out, "%s%s", bar, gfp_name(gfp, nr));
		bar = "|";
	}
	if (walk.rest || !flags)
		fprintf(out, "%s%#llx", bar, walk.rest);
	fputc('\n', out);
}

static void print_flags(const struct stat_text *text)
{
	const struct gfp *gfp = text->s->flags;
	const int width = codes_width(text->s);
	char codes[GFP_TEXT_LEN];
	u64 *flags;
	size_t i, nr;

	fputs("#\n# GFP flags\n# ---------\n", text->out);
	flags = list_flags(text->s, &nr);
	for (i = 0; i < nr; i++) {
		gfp_print(gfp, codes, flags[i]);
		fprintf(text->out, "# %08llx: %*s: ", flags[i], width, codes);
		print_names(text->out, gfp, flags[i]);
	}
	free(flags);
}

/* ---- tables --------------------------------------------------------------- */

/* Print the name of a migrate type as perf kmem does, which calls some of them wrongly. */
static const char *type_of(const struct form *f, const struct row *row)
{
	static const struct {
		const char *name;
		const char *brief;
	} types[] = {
		{ "Unmovable", "UNMOVABL" }, { "Movable", "MOVABLE" },
		{ "Reclaimable", "RECLAIM" }, { "HighAtomic", "HIGHATOM" },
		{ "Isolate", "ISOLATE" },
	};
	const char *name = row_name(row, f->type);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(name, types[i].name))
			return types[i].brief;
	return name;
}

/* `pages` counts pages, and all other tables KiB. */
static s64 kb_of(const struct form *f, const struct row *row)
{
	return f->pages ? row->v[f->kb] * (sysconf(_SC_PAGESIZE) / 1024) : row->v[f->kb];
}

/* Return: number of columns before the flags. */
static int print_numbers(const struct form *f, const struct row *row)
{
	const char *mark = f->pages ? "" : stat_text_mark(f->t, row, f->kb);
	char kb[NUMBER_LEN], hits[NUMBER_LEN];
	FILE *out = f->text->out;
	int width = 0;

	snprintf(kb, sizeof(kb), "%s%'lld", mark, kb_of(f, row));
	snprintf(hits, sizeof(hits), "%s%'lld",
		 f->pages ? "" : stat_text_mark(f->t, row, f->hits),
		 f->pages ? 1 : (s64)row->v[f->hits]);
	if (f->pages)
		width += fprintf(out, " %16llu |", row->v[PAGE_pfn]);
	return width + fprintf(out, " %16s | %9s | %5llu | %8s |", kb, hits, row->v[f->order],
			       type_of(f, row));
}

/*
 * Print the flags and the call site, or their titles or dots.  If both do not fit after the
 * @used columns, the call site is on the next line, and the flags too if they do not.
 */
static void print_rest(const struct form *f, int used, const char *codes, const char *site)
{
	const int screen = f->text->screen;
	const int wide = used + strlen(" ") + f->gfp_width + strlen(" |");
	FILE *out = f->text->out;

	if (screen && wide > screen)
		fprintf(out, "\n%*s%s | %s", INDENT, "", codes, site);
	else if (screen && wide + 1 + (int)strlen(site) > screen)
		fprintf(out, " %-*s |\n%*s%s", f->gfp_width, codes, INDENT, "", site);
	else
		fprintf(out, " %-*s | %s", f->gfp_width, codes, site);
}

static void print_titles(const struct form *f)
{
	const struct stat_tables *s = f->text->s;
	FILE *out = f->text->out;
	const char *title = "Total alloc (KB)";
	int used = 0;

	if (f->pages || s->live)
		title = live_differs(s) ? "Live alloc (KB)*" : " Live alloc (KB)";
	if (f->pages)
		used += fprintf(out, " %-16s |", "PFN");
	used += fprintf(out, " %s | Hits      | Order | Mig.type |", title);
	print_rest(f, used, GFP_TITLE, "Callsite");
	fputs(f->intervals ? " | low..high\n" : "\n", out);
}

static void print_dots(const struct form *f)
{
	FILE *out = f->text->out;
	int used = 0;

	if (!f->t->left_out)
		return;
	if (f->pages)
		used += fprintf(out, " %-16s |", "...");
	used += fprintf(out, " %-16s | %-9s | %-5s | %-8s |", "...", "...", "...", "...");
	print_rest(f, used, "...", "...");
	fputc('\n', out);
}

static void print_row(const struct form *f, const struct row *row)
{
	char codes[GFP_TEXT_LEN], site[STAT_SITE_LEN];
	int used = print_numbers(f, row);

	gfp_print(f->text->s->flags, codes, row->v[f->gfp]);
	stat_text_site(site, row->label);
	print_rest(f, used, codes, site);
	if (f->intervals)
		stat_text_interval(f->text, f->t, row, f->kb);
	fputc('\n', f->text->out);
}

static void print_table_of(const struct stat_text *text, enum stat_table which)
{
	struct form f = form_of(text, which);
	size_t i;

	f.intervals = !f.pages && stat_text_estimated(f.t, f.kb);
	f.gfp_width = codes_width(text->s);
	if (f.gfp_width < (int)strlen(GFP_TITLE))
		f.gfp_width = strlen(GFP_TITLE);
	fputc('\n', text->out);
	stat_text_line(text, 0);
	print_titles(&f);
	stat_text_line(text, 0);
	for (i = 0; i < f.t->nr_rows; i++)
		print_row(&f, f.t->rows[i]);
	print_dots(&f);
	stat_text_line(text, 0);
	if (f.intervals)
		stat_text_legend(text);
}

static void explain_pages(const struct stat_text *text)
{
	comment_print(text->out, text->s->window == STAT_COMMAND ?
		     "live pages allocated while the command ran; freed ones are not known" :
		     "live pages; freed ones are not known",
		     text->screen);
}

/* ---- summary -------------------------------------------------------------- */

static void print_requests(const struct stat_text *text, const char *title, bool differs,
			   s64 requests, s64 kb)
{
	char buf[64];

	snprintf(buf, sizeof(buf), "%s%s", title, differs ? "*" : "");
	fprintf(text->out, "%-30s: %'16lld   [ %'16lld KB ]\n", buf, requests, kb);
}

/* perf kmem counts failures as requests, and so as allocations that were never freed. */
static void print_lines(const struct stat_text *text)
{
	const struct stat_tables *s = text->s;
	const u64 uncounted = stat_tables_uncounted(s);
	const bool differs = s->window != STAT_SINCE_START || stat_tables_bulk_pages(s) ||
			     uncounted;
	const u64 allocs = stat_tables_pages(s, "alloc_requests") - uncounted;
	const u64 allocs_kb = stat_tables_pages(s, "alloc_requests_kb");
	const u64 freed = stat_tables_pages(s, "alloc_freed");
	const u64 freed_kb = stat_tables_pages(s, "alloc_freed_kb");
	/* What was freed may have been a bulk allocation, which is no request for perf kmem. */
	const u64 bulk_kb = stat_tables_pages(s, "bulk_kb");
	const u64 bulk = bulk_kb * 1024 / sysconf(_SC_PAGESIZE);

	print_requests(text, "Total allocation requests", false, allocs, allocs_kb);
	print_requests(text, "Total free requests", uncounted,
		       stat_tables_pages(s, "free_requests"),
		       stat_tables_pages(s, "free_requests_kb"));
	fputc('\n', text->out);
	print_requests(text, "Total alloc+freed requests", differs, freed, freed_kb);
	print_requests(text, "Total alloc-only requests", differs, allocs + bulk - freed,
		       allocs_kb + bulk_kb - freed_kb);
	print_requests(text, "Total free-only requests", differs,
		       stat_tables_pages(s, "free_only"),
		       stat_tables_pages(s, "free_only_kb"));
	fputc('\n', text->out);
	print_requests(text, "Total allocation failures", false,
		       stat_tables_pages(s, "failures"), stat_tables_pages(s, "failures_kb"));
	fputc('\n', text->out);
}

static void print_count(FILE *out, s64 count)
{
	if (count)
		fprintf(out, "  %'12lld", count);
	else
		fprintf(out, "  %12c", '.');
}

/* The table has a row for each order and type; a type is a column here. */
static void print_orders(const struct stat_text *text)
{
	const struct table *t = text->s->orders;
	const int column = text->s->live ? ORDERS_live_allocs : ORDERS_hits;
	const int types = stat_tables_type(text->s, "");
	FILE *out = text->out;
	size_t i;

	fprintf(out, "Order");
	for (i = 0; (int)i < types; i++)
		fprintf(out, "  %12s", row_name(t->rows[i], ORDERS_migratetype));
	fputs("\n-----", out);
	for (i = 0; (int)i < types; i++)
		fputs("  ------------", out);
	for (i = 0; i < t->nr_rows; i++) {
		if (!(i % types))
			fprintf(out, "\n%5llu", t->rows[i]->v[ORDERS_order]);
		print_count(out, t->rows[i]->v[column]);
	}
	fputc('\n', out);
}

static void explain_star(const struct stat_text *text)
{
	static const char * const older[] = {
		[STAT_SINCE_START] = "",
		[STAT_SINCE_RESET] = "pages allocated before the reset",
		[STAT_COMMAND] = "frees of pages allocated before the command",
	};
	const struct stat_tables *s = text->s;
	const s64 kb = stat_tables_pages(s, "bulk_kb");
	char bulk[64] = "";
	const char * const items[] = {
		bulk, older[s->window], stat_tables_uncounted(s) ?
		"frees of pages that were not counted (module off, or filter)" : "",
	};

	if (kb)
		snprintf(bulk, sizeof(bulk), "bulk allocations (%'lld KB)", kb);
	stat_text_star(text, items, ARRAY_SIZE(items));
}

void stat_text_page(const struct stat_text *text)
{
	const struct stat_options *o = text->o;

	print_table_head(text->out, text->s->table[STAT_PAGE_CALLER], &text->look);
	if (o->caller || o->alloc)
		print_flags(text);
	if (o->caller)
		print_table_of(text, STAT_PAGE_CALLER);
	if (o->alloc) {
		print_table_of(text, STAT_PAGE_ALLOC);
		explain_pages(text);
	}
	fputs("\nSUMMARY (page allocator)\n========================\n", text->out);
	print_lines(text);
	print_orders(text);
	explain_star(text);
}
