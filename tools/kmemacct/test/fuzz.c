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

#include "columns.h"
#include "derive.h"
#include "diff.h"
#include "error.h"
#include "folded.h"
#include "follow.h"
#include "gfp.h"
#include "golden.h"
#include "json.h"
#include "kallsyms.h"
#include "latency.h"
#include "leaks.h"
#include "live.h"
#include "pages.h"
#include "print.h"
#include "reader.h"
#include "rows.h"
#include "slow.h"
#include "snapshot.h"
#include "stream.h"
#include "suggest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In the order of the golden tables in test/golden.h. */
static const char * const tables[] = {
	"callers", "caches", "allocs", "summary", "stats", "stacks", "page_callers", "pages",
	"orders", "pcpu", "extfrag", "latency", "shrinkers", "stalls", "slow", "tasks",
	"cgroups", "comm_sites", "comm_syscalls", "skip", "gfp_flags", "page_summary",
};

#define NR_TABLES	ARRAY_SIZE(tables)

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

/* A small one, so that inputs of the fuzzer are longer than it. */
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
 * Read row by row.  It has to give the rows of @whole, the same table that was read as a whole and
 * is NULL if it is not valid.  Only a line that is longer than the buffer is an error here alone.
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

static void stream(const char *name, const uint8_t *data, size_t size, struct stream *s)
{
	struct reader *r = open_reader(name, data, size);
	struct table *kept = NULL;
	char *text = NULL;
	size_t len = 0;

	s->out = open_memstream(&text, &len);
	if (r)
		stream_rows(s, r, &kept);
	table_free(kept);
	reader_close(r);
	fclose(s->out);
	free(text);
}

/* Read the rows of a table in all ways in which they can be printed. */
static void fuzz_reader(const char *name, const uint8_t *data, size_t size)
{
	struct table *whole = parse(name, data, size);
	struct stream s = { .lines = 3, .keep = 2 };

	check_reader(name, whole, data, size);
	table_free(whole);
	stream(name, data, size, &s);
	s.look = (struct look) { .raw = true, .output = "+age_ms" };
	stream(name, data, size, &s);
	s.match.site = "[a-m]*";
	s.sort = (struct sort) { .key = { 0 }, .nr = 1 };
	stream(name, data, size, &s);
	s.sort.nr = 0;
	s.json = true;
	stream(name, data, size, &s);
}

/* ---- whole tables --------------------------------------------------------- */

/* Print a table; a narrow terminal reaches all code of the layout. */
static void print(struct table *t)
{
	static const struct rows_match some = { .module = "a", .site = "*+*" };
	struct sort sort = {};
	char *text = NULL;
	size_t len = 0;
	FILE *out;

	if (!t)
		return;
	t = columns_add(t);
	if (t->columns) {
		sort.key[0] = table_nr_columns(t) - 1;
		sort.nr = 2;
	}
	sort_rows(t, &sort);
	if (t->columns && columns_has_total(t))
		rows_total(t);
	out = open_memstream(&text, &len);
	print_table(out, t, &sort, &(struct look) { .raw = true, .output = "+hits" });
	print_table(out, t, &sort, &(struct look) { .screen = 40 });
	print_table(out, t, &sort, &(struct look) { .exact = true });
	json_table(&(struct json_writer) { .out = out }, NULL, t);
	if (t->gfp && table_column(t, "gfp") >= 0) {
		gfp_shorten(t);
		print_table(out, t, &sort, &(struct look) { .screen = 40 });
	}
	if (!strcmp(t->name, "stacks"))
		folded_print(out, t, "live_bytes");
	if (t->columns && !rows_select(t, &some))
		print_table(out, t, &sort, &(struct look) { .screen = 20, .verbose = true });
	fclose(out);
	free(text);
	table_free(t);
}

static void print_latency(struct table *t)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	t = latency_view(t, true);
	latency_histograms(out, t, 40, false);
	fclose(out);
	free(text);
	print(t);
}

static void print_slow(struct table *t)
{
	char *text = NULL;
	size_t i, len = 0;
	FILE *out = open_memstream(&text, &len);

	for (i = 0; i < t->nr_rows; i++)
		slow_print(out, t, t->rows[i], 40, i & 1);
	fclose(out);
	free(text);
	slow_cut(t, 1000);
	print(t);
}

static void print_shrinkers(struct table *t, struct table *before, struct table *after)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (before)
		follow_shrinkers(out, before, after, false);
	fclose(out);
	free(text);
	table_free(before);
	table_free(after);
	print(latency_shares(t));
}

/* Print a table of latency.  Return: false if it is another table. */
static bool fuzz_latency(struct table *t, const char *name, const uint8_t *data, size_t size)
{
	if (!strcmp(name, "latency"))
		print_latency(t);
	else if (!strcmp(name, "shrinkers"))
		print_shrinkers(t, parse(name, data, size / 2), parse(name, data, size));
	else if (!strcmp(name, "slow"))
		print_slow(t);
	else
		return false;
	return true;
}

/* Group objects by all that needs no files. */
static void fuzz_leaks(const char *name, const uint8_t *data, size_t size)
{
	enum leaks_by by;

	for (by = LEAKS_BY_SITE; by <= LEAKS_BY_NODE; by++)
		print(leaks_table(parse(name, data, size), 1000, by, NULL, NULL));
}

/* Compare the table of half of the input with that of all of it. */
static void fuzz_growth(const char *name, const uint8_t *data, size_t size)
{
	const struct growth_options o = {
		.counted = size & 1, .plain = size & 2, .churn = size & 4, .elapsed_ms = size & 8,
		.fdr = 0.05,
	};
	struct table *before = parse(name, data, size / 2), *after = parse(name, data, size);

	if (before && after) {
		diff_relate(before, after);
		print(growth_make("diff", after, before, &o).table);
		print(growth_make("diff", before, after, &o).table);
	}
	table_free(before);
	table_free(after);
}

static bool has_columns(const char *name)
{
	return strcmp(name, "stats") && !strstr(name, "summary");
}

static void fuzz_table(const char *name, const uint8_t *data, size_t size)
{
	struct table *t, *other;

	if (has_columns(name))
		fuzz_reader(name, data, size);
	if (live_find(name))
		fuzz_growth(name, data, size);
	t = parse(name, data, size);
	if (t && fuzz_latency(t, name, data, size))
		return;
	if (t && !strcmp(name, "callers")) {
		other = parse(name, data, size / 2);
		if (other)
			print(derive_difference(t, other));
		else
			print(t);
		t = parse(name, data, size);
		derive_modules(t);
	} else if (t && !strcmp(name, "allocs")) {
		fuzz_leaks(name, data, size);
		derive_object(t, 0xffff888001234048);
	} else if (t && !strcmp(name, "orders")) {
		print(pages_matrix(t, "hits"));
	} else if (t && !strcmp(name, "page_summary")) {
		print(pages_summary(t));
	} else if (t && !strcmp(name, "pcpu")) {
		pages_mark(t);
	} else if (t && !strcmp(name, "gfp_flags")) {
		t = gfp_codes(t);
	} else if (t && table_column(t, "gfp") >= 0) {
		if (!strcmp(name, "stalls"))
			t = latency_shares(t);
		t->gfp = gfp_new(parse("gfp_flags", (const uint8_t *)GFP_FLAGS_TABLE,
				       strlen(GFP_FLAGS_TABLE)));
	}
	print(t);
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

/* Read all tables of a snapshot, which need not be compressed. */
static void fuzz_snapshot(const uint8_t *data, size_t size)
{
	struct snapshot *s = snapshot_parse(data, size, "snapshot");
	size_t i;

	for (i = 0; s && i < NR_TABLES; i++)
		print(snapshot_table(s, tables[i]));
	snapshot_free(s);
}

static void fuzz_manifest(const uint8_t *data, size_t size)
{
	print(parse("manifest", data, size));
}

/* Parse words as on the command line. */
static void fuzz_words(const uint8_t *data, size_t size)
{
	char *word = copy_text(data, size);
	static const char * const known[] = { "callers", "page_callers", "on", NULL };
	struct table *t = NULL;
	struct sort sort;
	struct suggestion s;
	const char *comm;
	char *stat;
	u64 value;
	int i;

	suggest_begin(&s, word, strlen(word));
	for (i = 0; known[i]; i++)
		suggest_try(&s, known[i]);
	stat = alloc_copy(word);
	process_parse_stat(stat, 100, &value, &comm);
	free(stat);
	number_parse_duration(word, &value);
	number_parse_milli(word, &value);
	number_parse_size(word, &value);
	number_parse_percent(word, &value);
	t = table_new("callers", (const struct column[]) { KMA_CALLERS_COLUMNS(COLUMN) },
		      true, 0);
	sort_parse(&sort, t, word);
	table_free(t);
	free(word);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (*data < NR_TABLES)
		fuzz_table(tables[*data], data + 1, size - 1);
	else if (*data == NR_TABLES)
		fuzz_kallsyms(data + 1, size - 1);
	else if (*data == NR_TABLES + 2)
		fuzz_snapshot(data + 1, size - 1);
	else if (*data == NR_TABLES + 3)
		fuzz_manifest(data + 1, size - 1);
	else
		fuzz_words(data + 1, size - 1);
	return 0;
}
