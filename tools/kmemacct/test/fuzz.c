// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz tests, for libFuzzer, of all code that parses input.  The first byte selects what the
 * rest is parsed as.  A table that is valid is also derived from and printed.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "golden.h"
#include "table/snapshot.h"
#include "top/top.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The output, which is discarded. */
static struct {
	char *text;
	size_t len;
} printed;

static FILE *begin(void)
{
	return text_open(&printed.text, &printed.len);
}

static void end(FILE *out)
{
	text_close(out);
	free(printed.text);
}

static char *copy_text(const uint8_t *data, size_t size)
{
	char *text = alloc(1, size + 1);

	memcpy(text, data, size);
	return text;
}

static struct table *parse(const char *name, const uint8_t *data, size_t size)
{
	return table_parse(name, name, copy_text(data, size), size);
}

/* ---- the reader of rows --------------------------------------------------- */

/* The size of a buffer that is small, so that inputs of the fuzzer are longer. */
#define BUFFER	1024

static struct reader *open_reader(const char *name, const uint8_t *data, size_t size)
{
	int fd = memfd_create("table", 0);

	if (fd < 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	return reader_open(name, name, fd, BUFFER);
}

static bool is_equal(const struct table *t, const struct row *a, const struct row *b)
{
	int i;

	for (i = 0; i < t->nr_values; i++)
		if (t->columns[i].format == FORMAT_NAME ?
		    strcmp(row_name(a, i), row_name(b, i)) != 0 : a->v[i] != b->v[i])
			return false;
	return !strcmp(a->label, b->label);
}

/*
 * Read row by row.  The rows have to be those of @whole: the same table read as a whole, or NULL if
 * the table is not valid.  The only error that @whole does not have is a line longer than the
 * buffer.
 */
static void check_reader(const char *name, const struct table *whole, const uint8_t *data,
			 size_t size)
{
	struct reader *r = open_reader(name, data, size);
	struct row *row;
	int ret = -1;
	size_t i = 0;

	while (r && (ret = reader_next(r, &row)) > 0) {
		if (whole && (i >= whole->nr_rows || !is_equal(whole, row, whole->rows[i])))
			abort();
		i++;
	}
	if (ret < 0 && whole && !strstr(error_text, "longer than") &&
	    !strstr(error_text, "too long"))
		abort();
	if (!ret && (!whole || i != whole->nr_rows))
		abort();
	reader_close(r);
}

static void stream(const char *name, const uint8_t *data, size_t size, struct stream *s,
		   const struct sort *sort)
{
	struct reader *r = open_reader(name, data, size);
	struct view kept = {};

	s->out = begin();
	if (r) {
		view_begin(&s->v, reader_table(r));
		s->v.sort = *sort;
		stream_rows(s, r, &kept);
	}
	view_end(&kept);
	reader_close(r);
	end(s->out);
}

/* Read the rows of a table in all ways in which they can be printed. */
static void fuzz_reader(const char *name, const uint8_t *data, size_t size)
{
	struct table *whole = parse(name, data, size);
	const struct sort none = {}, first = { .key = { 0 }, .nr = 1 };
	struct stream s = { .lines = 3, .keep = 2 };

	check_reader(name, whole, data, size);
	table_free(whole);
	stream(name, data, size, &s, &none);
	s.style = (struct style) { .raw = true, .output = "+age_ms" };
	stream(name, data, size, &s, &none);
	s.match.site = "[a-m]*";
	stream(name, data, size, &s, &first);
	s.json = true;
	stream(name, data, size, &s, &none);
}

/* ---- whole tables --------------------------------------------------------- */

/* Print a table, and free it; a narrow terminal reaches all code of the layout. */
static void print_view(struct view *v)
{
	static const struct match some = { .module = "a", .site = "*+*" };
	FILE *out = begin();
	struct table *t;

	view_complete(v);
	t = v->t;
	if (!t->pairs) {
		v->sort = (struct sort) { .key = { table_nr_columns(t) - 1 }, .nr = 2 };
		view_sort(t, &v->sort);
	}
	if (!t->pairs && schema_has_total(t))
		view_total(v);
	text_table(out, v, &(struct style) { .raw = true, .output = t->pairs ? NULL : "+hits" });
	text_table(out, v, &(struct style) { .screen = 40 });
	text_table(out, v, &(struct style) { .exact = true });
	json_table(&(struct json) { .out = out }, NULL, v);
	v->codes = v->gfp;
	text_table(out, v, &(struct style) { .screen = 40 });
	if (!strcmp(t->name, "stacks"))
		folded_print(out, t, "live_bytes");
	if (!t->pairs && !view_select(v, &some)) {
		view_cut(v, 1);
		text_table(out, v, &(struct style) { .screen = 20, .verbose = true });
	}
	end(out);
	gfp_free(v->gfp);
	view_end(v);
}

static void print_table(struct table *t)
{
	struct view v;

	if (!t)
		return;
	view_begin(&v, t);
	print_view(&v);
}

static void print_latency(struct view *v)
{
	FILE *out = begin();

	latency_percentiles(v, true);
	latency_histograms(out, v, &(struct style) { .screen = 40 });
	end(out);
	print_view(v);
}

/* Add up waits by all keys, from one table for each. */
static void fuzz_waits(struct view *v, const char *name, const uint8_t *data, size_t size)
{
	static const char * const by[] = { "site", "order", "origin", "site,order" };
	FILE *out;
	size_t i;

	view_end(v);
	for (i = 0; i < ARRAY_SIZE(by); i++) {
		view_begin(v, parse(name, data, size));
		latency_split(v);
		latency_waits(v, by[i], i & 1);
		out = begin();
		latency_histograms(out, v, &(struct style) { .screen = 40 });
		end(out);
		print_view(v);
	}
}

static void print_slow(struct view *v)
{
	FILE *out = begin();
	size_t i;

	for (i = 0; i < v->nr; i++)
		slow_print(out, v, v->t->rows[i], &(struct style) { .screen = 40, .exact = i & 1 });
	end(out);
	print_view(v);
}

static void print_shrinkers(struct view *v, struct table *before, struct table *after)
{
	FILE *out = begin();

	if (before)
		slow_shrinkers(out, before, after, false);
	end(out);
	table_free(before);
	table_free(after);
	latency_shares(v);
	print_view(v);
}

/* Group objects by all that needs no files. */
static void fuzz_leaks(const char *name, const uint8_t *data, size_t size)
{
	enum leaks_by by;
	struct view v;

	for (by = LEAKS_BY_SITE; by <= LEAKS_BY_NODE; by++) {
		view_begin(&v, parse(name, data, size));
		leaks_make(&v, 1000, by, NULL);
		print_view(&v);
	}
}

/* Compare the table of half of the input with that of all of it. */
static void fuzz_growth(const char *name, const uint8_t *data, size_t size)
{
	const struct growth_options o = {
		.counted = size & 1, .plain = size & 2, .churn = size & 4, .elapsed_ms = size & 8,
		.fdr = GROWTH_FDR,
	};
	struct table *before = parse(name, data, size / 2), *after = parse(name, data, size);

	if (before && after) {
		delta_relate(before, after);
		print_table(growth_make("diff", after, before, &o).table);
		print_table(growth_make("diff", before, after, &o).table);
	}
	table_free(before);
	table_free(after);
}

/*
 * Compare the table of half of the input with that of all of it by subtracting one from the other.
 */
static void fuzz_delta(const char *name, const uint8_t *data, size_t size)
{
	static const struct options none;
	struct table *before = parse(name, data, size / 2), *after = parse(name, data, size);
	struct view v;

	if (before && after && after->pairs) {
		if (after->nr_rows && before->nr_rows)
			delta_pairs(after, before);
		table_free(before);
		print_table(after);
	} else if (before && after && growth_is_timed(name)) {
		diff_subtract(&v, &none, before, after);
		print_view(&v);
	} else if (before && after) {
		print_table(delta_make("run", before, after));
	} else {
		table_free(before);
		table_free(after);
	}
}

static bool has_columns(const char *name)
{
	return strcmp(name, "stats") && !strstr(name, "summary");
}

/* Read two tables in turn, as kmemacct top does, draw each in all ways, and mark the first one. */
static void fuzz_top(const char *name, const uint8_t *data, size_t size)
{
	struct top_ui *ui = alloc(1, sizeof(*ui));
	struct table *t[] = { parse(name, data, size / 2), parse(name, data, size) };
	struct top_page *p = ui->page;
	struct top_canvas c = {};
	size_t i;

	while (strcmp(top_views[ui->view].name, name))
		ui->view++;
	p += ui->view;
	p->view = &top_views[ui->view];
	p->rows = alloc(1, sizeof(*p->rows));
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		if (!t[i] || !top_rows_update(p->rows, t[i], i * 1000, i * 1000))
			continue;
		top_rates_make(p);
		top_rates_arrange(p);
		top_canvas_clear(&c, 24, 60);
		ui->mode = TOP_LIST;
		top_screen_draw(&c, ui);
		ui->mode = TOP_DETAILS;
		ui->hash = p->rows->all.nr ? p->rows->all.row->hash : 0;
		top_canvas_clear(&c, 24, 60);
		top_screen_draw(&c, ui);
		ui->mode = TOP_LIST;
		top_ui_key(ui, 'm');
	}
	if (p->rows->now)
		top_ui_key(ui, 'w');
	free(c.cells);
	top_page_free(p);
	free(ui);
}

static bool has_view(const char *name)
{
	const char *view;
	int i;

	for (i = 0; (view = top_view_name(i)); i++)
		if (suggest_is(name, view))
			return true;
	return false;
}

/* Print a table, after doing what its command does. */
static void fuzz_view(struct view *v, const char *name, const uint8_t *data, size_t size)
{
	if (!strcmp(name, "latency"))
		return print_latency(v);
	if (!strcmp(name, "waits"))
		return fuzz_waits(v, name, data, size);
	if (!strcmp(name, "slow"))
		return print_slow(v);
	if (!strcmp(name, "shrinkers"))
		return print_shrinkers(v, parse(name, data, size / 2), parse(name, data, size));
	if (!strcmp(name, "callers"))
		group_modules(v->t);
	else if (!strcmp(name, "allocs"))
		fuzz_leaks(name, data, size);
	else if (!strcmp(name, "orders"))
		print_table(pages_matrix(v->t, "hits", "hits"));
	else if (!strcmp(name, "page_summary"))
		print_table(pages_summary(v->t));
	else if (!strcmp(name, "pcpu"))
		pages_imbalance(v);
	else if (!strcmp(name, "stalls"))
		latency_shares(v);
	else if (!strcmp(name, "incidents"))
		incidents_make(v, &(struct options) {});
	else if (!strcmp(name, "failures"))
		group_failures(v->t, size & 1, size & 2);
	else if (!strcmp(name, "gfp_flags"))
		view_begin(v, gfp_add_codes(v->t));
	if (v->t->at[AT_gfp] != NONE)
		v->gfp = gfp_new(parse("gfp_flags", (const uint8_t *)GFP_FLAGS_TABLE,
				       strlen(GFP_FLAGS_TABLE)));
	print_view(v);
}

static void fuzz_table(const char *name, const uint8_t *data, size_t size)
{
	struct table *t;
	struct view v;

	if (has_columns(name))
		fuzz_reader(name, data, size);
	if (growth_find(name) && !growth_is_timed(name))
		fuzz_growth(name, data, size);
	if (has_view(name))
		fuzz_top(name, data, size);
	fuzz_delta(name, data, size);
	t = parse(name, data, size);
	if (!t)
		return;
	view_begin(&v, t);
	fuzz_view(&v, name, data, size);
}

static void fuzz_kallsyms(const uint8_t *data, size_t size)
{
	struct kallsyms *syms = kallsyms_parse("kallsyms", copy_text(data, size));
	char *site = copy_text(data, size);

	if (syms) {
		kallsyms_find(syms, site);
		kallsyms_find(syms, "kfree+0x1");
		kallsyms_free(syms);
	}
	free(site);
}

/* Read all tables of a snapshot, which need not be compressed, or of an incident. */
static void fuzz_snapshot(const uint8_t *data, size_t size)
{
	struct source *s = snapshot_parse(data, size, "snapshot");
	size_t i;

	for (i = 0; s && table_name(i); i++)
		print_table(snapshot_table(s, table_name(i)));
	snapshot_free(s);
}

static void fuzz_manifest(const uint8_t *data, size_t size)
{
	print_table(parse("manifest", data, size));
}

/* Parse words as on the command line. */
static void fuzz_words(const uint8_t *data, size_t size)
{
	char *word = copy_text(data, size);
	static const char * const known[] = { "callers", "page_callers", "on", NULL };
	struct suggestion s;
	struct view v;
	u64 value;
	int i;

	suggest_begin(&s, word, strlen(word));
	for (i = 0; known[i]; i++)
		suggest_try(&s, known[i]);
	number_parse_duration(word, &value);
	number_parse_milli(word, &value);
	number_parse_size(word, &value);
	number_parse_percent(word, &value);
	view_begin(&v, schema_complete(table_known("callers")));
	view_sort_by(&v, word);
	view_end(&v);
	free(word);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (*data == FUZZ_SYMBOLS)
		fuzz_kallsyms(data + 1, size - 1);
	else if (*data == FUZZ_SNAPSHOT)
		fuzz_snapshot(data + 1, size - 1);
	else if (*data == FUZZ_MANIFEST)
		fuzz_manifest(data + 1, size - 1);
	else if (table_name(*data))
		fuzz_table(table_name(*data), data + 1, size - 1);
	else
		fuzz_words(data + 1, size - 1);
	return 0;
}
