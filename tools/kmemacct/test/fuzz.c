// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz tests, for libFuzzer, of all code that parses input.  The first byte selects what the
 * rest is parsed as.  A table that is valid is also derived from and printed.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "derive.h"
#include "error.h"
#include "folded.h"
#include "follow.h"
#include "gfp.h"
#include "golden.h"
#include "json.h"
#include "kallsyms.h"
#include "latency.h"
#include "pages.h"
#include "print.h"
#include "slow.h"

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

/* Print a table; a narrow terminal reaches all code of the layout. */
static void print(struct table *t)
{
	struct sort sort = {};
	char *text = NULL;
	size_t len = 0;
	FILE *out;

	if (!t)
		return;
	if (t->columns) {
		sort.key[0] = table_nr_columns(t) - 1;
		sort.nr = 2;
	}
	sort_rows(t, &sort);
	out = open_memstream(&text, &len);
	print_table(out, t, &sort, 40, false);
	print_table(out, t, &sort, 0, true);
	json_table(out, t);
	if (t->gfp && table_column(t, "gfp") >= 0) {
		gfp_shorten(t);
		print_table(out, t, &sort, 40, false);
	}
	if (!strcmp(t->name, "stacks"))
		folded_print(out, t, "live_bytes");
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

static void fuzz_table(const char *name, const uint8_t *data, size_t size)
{
	struct table *t = parse(name, data, size), *other;

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
		print(derive_leaks(t, 1000));
		t = parse(name, data, size);
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

/* Parse words as on the command line. */
static void fuzz_words(const uint8_t *data, size_t size)
{
	char *word = copy_text(data, size);
	struct table *t = NULL;
	struct sort sort;
	u64 value;

	number_parse_duration(word, &value);
	number_parse_milli(word, &value);
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
	else
		fuzz_words(data + 1, size - 1);
	return 0;
}
