// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the reader.  Prints `ok NAME` or `FAIL NAME` for each.
 *
 *   unit              run the tests
 *   unit golden DIR   write the golden tables to files DIR/TABLE, for the tests of
 *                     the whole program
 *   unit seeds DIR    write the initial inputs of the fuzzer to files in DIR
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "unit.h"

static int failures;
static struct test *tests, **last_test = &tests;

void test_add(struct test *test)
{
	*last_test = test;
	last_test = &test->next;
}

void fail_at(int line, const char *what)
{
	printf("# line %d: %s (error: %s)\n", line, what, error_text);
	failures++;
}

void expect_text(int line, const char *got, const char *expected)
{
	char what[4096];

	if (!strcmp(got, expected))
		return;
	snprintf(what, sizeof(what), "'%s' is not '%s'", got, expected);
	fail_at(line, what);
}

/* ---- helpers -------------------------------------------------------------- */

static struct {
	FILE *out;
	char *text;
	size_t len;
} written;

FILE *output(void)
{
	written.out = text_open(&written.text, &written.len);
	return written.out;
}

void expect_output(int line, const char *expected)
{
	text_close(written.out);
	expect_text(line, written.text, expected);
	free(written.text);
}

struct table *parse(const char *name, const char *text)
{
	*error_text = '\0';
	return table_parse(name, "FILE", strdup(text), strlen(text));
}

static struct table *parse_one(const struct golden *g, const char *name)
{
	while (strcmp(g->table, name))
		g++;
	return parse(name, g->text);
}

struct table *parse_golden(const char *name)
{
	return parse_one(golden, name);
}

struct table *parse_sampled(const char *name)
{
	return parse_one(sampled, name);
}

struct view view_by(struct table *t, const char *keys)
{
	struct view v;

	view_begin(&v, t);
	EXPECT(!keys || !view_sort_by(&v, keys));
	view_sort(t, &v.sort);
	return v;
}

struct view view_of(struct table *t)
{
	return view_by(t, NULL);
}

const char *letters(const struct table *t)
{
	static char text[64];
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		text[i] = t->rows[i]->label[0];
	text[i] = '\0';
	return text;
}

void expect_rows(int line, struct table *t, const char *columns, const char *expected)
{
	expect_printed(line, view_of(t), &(struct style) {
		.raw = true, .no_header = true, .output = columns }, expected);
}

void expect_printed(int line, struct view v, const struct style *style, const char *expected)
{
	char *text, *begin;
	size_t len;
	FILE *out = text_open(&text, &len);

	if (text_table(out, &v, style))
		fail_at(line, "cannot be printed");
	text_close(out);
	for (begin = text; *begin == '#' && *expected != '#';)
		begin = strchr(begin, '\n') + 1;
	expect_text(line, begin, expected);
	free(text);
	gfp_free(v.gfp);
	view_end(&v);
}

void expect_interval(int line, const struct table *t, int row, const char *column,
		     const char *expected)
{
	const int at = t->pairs ? atoi(column) : table_column(t, column);
	struct interval i = estimate_interval(t, t->rows[row], at);
	char text[128];

	snprintf(text, sizeof(text), i.format == FORMAT_S64 ? "%lld..%lld" : "%llu..%llu", i.low,
		 i.high);
	expect_text(line, text, expected);
}

void expect_prints(int line, void (*print)(char *buf, u64 number), const struct known *k)
{
	char buf[NUMBER_LEN];

	for (; k->text; k++) {
		print(buf, k->number);
		expect_text(line, buf, k->text);
	}
}

void expect_parses(int line, int (*parse)(const char *text, u64 *number), const struct known *k)
{
	u64 number = 0;

	for (; k->text; k++)
		if (parse(k->text, &number) || number != k->number)
			fail_at(line, k->text);
}

void expect_refuses(int line, int (*parse)(const char *text, u64 *number), const char * const *text)
{
	u64 number;

	for (; *text; text++)
		if (!parse(*text, &number))
			fail_at(line, *text);
}

#define CALLERS_HEAD KMA_GOLDEN_HEAD("callers", KMA_GOLDEN_QUIET_CHANGES) \
		     KMA_GOLDEN_CALLERS_COLUMNS

/* A row of callers.  All counters without an argument are 0, and changes are unknown. */
#define CALLER(bytes, objs, hits, req, alloc, site) \
	#bytes " " #objs " " #hits " " #req " " #hits " " #alloc " 0 0 0 0 0 0 0 0 0.000" \
	" 0 0 - - -" ZEROS_14 " - - - " site "\n"

#define ALLOCS_HEAD KMA_GOLDEN_HEAD("allocs", KMA_GOLDEN_QUIET) \
		    KMA_GOLDEN_ALLOCS_COLUMNS
#define ORDERS_HEAD PAGES_TABLE("orders", KMA_ORDERS_COLUMNS)
#define SAMPLED_CALLERS SAMPLED_HEAD("callers") COLUMNS("site")

/*
 * A row of sampled callers: live bytes, live objects, hits, bulk objects; samples, live
 * samples; and the standard errors of the first four.  objs_alloc is as hits, and all other columns
 * are 0.
 */
#define SAMPLED_CALLER(bytes, objs, hits, bulk, samples, live, b_se, o_se, h_se, bulk_se, site) \
	#bytes " " #objs " " #hits " 0 " #hits " 0 0 0 0 0 0 " #bulk " 0 0 0.000 " #samples " " \
	#live " - - - " #b_se " " #o_se " " #h_se " 0 " #h_se " 0 0 0 0 0 0 " #bulk_se \
	" 0 0 - - - " site "\n"

static void expect_error(int line, const char *name, const char *text, const char *error)
{
	struct table *t = parse(name, text);

	expect_text(line, t ? "no error" : error_text, error);
	table_free(t);
}

#define EXPECT_ERROR(name, text, error) expect_error(__LINE__, name, text, error)

/* ---- the golden tables ---------------------------------------------------- */

#define COUNTED "live_bytes,hits,bytes_req,objs_alloc,bytes_alloc,frees,bytes_freed,no_entry," \
		"pingpong,cross_node,bulk_objs,bulk_bytes,confirmed_bytes,frag_pct,"
#define MOST	"18446744073709551615 "

/* Rows are as they were printed, however wide their columns are. */
TEST(golden_rows)
{
	struct table *t = parse_golden("callers");

	EXPECT(t->nr_values == COUNT_NR && !t->sampled && !estimate_any(t));
	EXPECT_TEXT(table_field(t, "window_s"), "12.345");
	EXPECT_TEXT(table_field(t, "since"), "load");
	EXPECT_TEXT(table_field(t, "coverage_pct"), "100.000");
	EXPECT(!table_field(t, "cut"));
	EXPECT_ROWS(t, COUNTED "site",
		    "192 5 200 9 320 6 384 0 1 0 4 256 192 37.500 kma_caller+0x1a\\x20[kma_module]\n"
		    "0 1 96 1 96 1 96 0 0 1 0 0 0 0.000 kernel_clone+0x2b0\n"
		    MOST MOST "9223372036854775808 " MOST MOST MOST MOST MOST MOST MOST MOST MOST
		    MOST "50.000 [other]\n");
	EXPECT_ROWS(parse_golden("caches"), COUNTED "cache",
		    "192 5 200 9 320 6 384 0 1 0 4 256 192 37.500 kmalloc-64\n");
	t = parse_golden("allocs");
	EXPECT(t->rows[0]->v[ALLOC_node] == NO_ID);
	EXPECT_TEXT(table_field(t, "cut"), "7");
	EXPECT_ROWS(t, "ptr,bytes_req,bytes_alloc,age_ms,cpu,node,pid,weight,site",
		    "ffff888001234040 60 64 1600 3 - 4711 1.000 kfree+0x1\n"
		    "ffff888001234000 90 96 160 0 - - 1.000 [other]\n");
	t = parse("callers", KMA_GOLDEN_SAMPLED_HEAD("callers", KMA_GOLDEN_QUIET)
		  KMA_GOLDEN_CALLERS_COLUMNS KMA_GOLDEN_SAMPLED_ROWS);
	EXPECT(t->sampled);
	EXPECT_ROWS(t, "live_bytes,samples,live_samples,live_bytes_se,bulk_bytes_se,site",
		    "1088784 15 10 741543 5792 kfree+0x1\n1048576 1 1 0 0 vfree+0x1\n");
}

TEST(golden_pairs)
{
	struct table *t = parse_golden("summary");

	EXPECT(t->pairs && t->nr_rows == 1 && t->nr_values == 3);
	EXPECT(t->columns[0].format == FORMAT_U64 && t->columns[1].format == FORMAT_S64);
	EXPECT(t->columns[2].format == FORMAT_MILLI);
	EXPECT_ROWS(t, NULL,
		    "bytes_requested 18446744073709551615\nbytes_net -128\nfrag_pct 37.500\n");
	t = parse_golden("stats");
	EXPECT(t->pairs && !t->nr_values);
	EXPECT_TEXT(table_field(t, "unmatched"), "5");
	table_free(t);
}

/* Parse a table cut short at every length.  Only a cut at the end of a line may be accepted. */
static void parse_prefixes(const struct golden *g)
{
	char text[4096];
	struct table *t;
	size_t len;

	for (len = 0; len < strlen(g->text); len++) {
		snprintf(text, len + 1, "%s", g->text);
		t = parse(g->table, text);
		if (t ? text[len - 1] != '\n' : !*error_text)
			fail_at(__LINE__, text);
		table_free(t);
	}
}

TEST(golden_prefixes)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(golden); i++)
		parse_prefixes(&golden[i]);
	for (i = 0; i < ARRAY_SIZE(sampled); i++)
		parse_prefixes(&sampled[i]);
}

/* ---- invalid tables ------------------------------------------------------- */

TEST(refuses_heads)
{
	static const struct given cases[] = {
		{ "", "FILE is empty" },
		{ "\n", "FILE is not a kmemacct table" },
		{ "hello\n", "FILE is not a kmemacct table" },
		{ "# kmemacct\n", "FILE is not the table callers" },
		{ "# kmemacct caches 8\n", "FILE is not the table callers" },
		{ "# kmemacct callers\n", "FILE: line 1: no format version" },
		{ "# kmemacct callers one\n", "FILE: line 1: no format version" },
		{ "# kmemacct callers 1 anything\nat all\n",
		  "FILE has format version 1, not 8: use kmemacct of that version" },
		{ "# kmemacct callers 8 dropped\n",
		  "FILE: line 1: a field of the head is not key=value" },
		{ "# kmemacct callers 8 dropped=\n",
		  "FILE: line 1: a field of the head is not key=value" },
		{ "# kmemacct callers 8 =1\n",
		  "FILE: line 1: a field of the head is not key=value" },
		{ "# kmemacct callers 8 dropped=0",
		  "FILE is truncated: its last line has no newline" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		EXPECT_ERROR("callers", cases[i].given, cases[i].expected);
}

#define HEAD(table) "# kmemacct " table " 8\n"

TEST(refuses_columns)
{
	static const struct given cases[] = {
		{ "", "FILE: line 2: no column names" },
		{ "#\n", "FILE: line 2: no column names" },
		{ "# a=1\n", "FILE: line 3: no column names" },
		{ "# a=1 b\n# site\n", "FILE: line 2: a field of the head is not key=value" },
		{ "# live_bytes site\n",
		  "FILE has no column live_objs: use the kmemacct that belongs to the module" },
		{ COLUMNS("cache"),
		  "FILE has no column site: use the kmemacct that belongs to the module" },
		{ COLUMNS("site more"), "FILE: line 2: the last column is not the label" },
		{ COLUMNS("site site"), "FILE: line 2: two columns have the same name" },
	};
	char text[1024];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), HEAD("callers") "%s", cases[i].given);
		EXPECT_ERROR("callers", text, cases[i].expected);
	}
	EXPECT_ERROR("summary", HEAD("summary") "# name\n",
		     "FILE: line 2: the columns are not name and value");
}

/* A newer module may print columns, fields and lines that this program does not know. */
TEST(ignores_what_it_does_not_know)
{
	struct table *t = parse("skip", "# kmemacct skip 8 new=1\n# newer=2 newest=3\n"
				"# pages added objects pattern\n1 x* 0 a b*\n");

	EXPECT_TEXT(table_field(t, "newest"), "3");
	EXPECT_ROWS(t, NULL, "1 0 a\\x20b*\n");
	EXPECT_ROWS(parse("summary", HEAD("summary") "# name value kind\nallocs 3 counter\n"), NULL,
		    "allocs 3\n");
}

/* A column is known by its name, wherever it is. */
TEST(finds_columns_by_name)
{
	EXPECT_ROWS(parse("gfp_flags", HEAD("gfp_flags") "# a mask b flag\n1 0x2 3 __GFP_X\n"),
		    "mask,flag", "0x2 __GFP_X\n");
	EXPECT_ROWS(parse("orders", HEAD("orders")
			  "# frees hits kb live_kb live_allocs bulk_allocs failed migratetype order\n"
			  "1 2 3 4 5 6 0 Movable 7\n"), "order,frees,migratetype", "7 1 Movable\n");
}

#define PAIRS_HEAD KMA_GOLDEN_HEAD("summary", KMA_GOLDEN_QUIET) \
		   KMA_GOLDEN_KEYVAL_COLUMNS

TEST(refuses_rows)
{
	static const struct given cases[] = {
		{ CALLERS_HEAD "\n", "FILE: line 4: the line is too short" },
		{ CALLERS_HEAD CALLER(1, 2, 3, 4, 5, "a") "1 2 3\n",
		  "FILE: line 5: the line is too short" },
		{ CALLERS_HEAD "1 2 3 4 5 6 7 8 9 10 11 12 13 14 0.000\n",
		  "FILE: line 4: the line is too short" },
		{ CALLERS_HEAD CALLER(1, x, 3, 4, 5, "a"), "FILE: line 4: invalid live_objs 'x'" },
		{ CALLERS_HEAD CALLER(1, -2, 3, 4, 5, "a"),
		  "FILE: line 4: invalid live_objs '-2'" },
		{ CALLERS_HEAD CALLER(1, 2, 18446744073709551616, 4, 5, "a"),
		  "FILE: line 4: invalid hits '18446744073709551616'" },
		{ CALLERS_HEAD "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 a\n",
		  "FILE: line 4: invalid frag_pct '15'" },
		{ CALLERS_HEAD "\x1b[2J\n", "FILE: line 4: invalid live_bytes '?[2J'" },
		{ SAMPLED_CALLERS "1 2 3 4 5 6 a\n", "FILE: line 3: invalid frees 'a'" },
		{ ALLOCS_HEAD "xyz" KMA_GOLDEN_ALLOCS_ROW_1, "FILE: line 4: invalid ptr 'xyz'" },
		{ SAMPLED_HEAD("allocs")
		  "# ptr bytes_req bytes_alloc age_ms cpu node pid owner weight site\n"
		  "ffff888000001000 60 64 5000 0 0 1 - 100 a\n",
		  "FILE: line 3: invalid weight '100'" },
		{ PAIRS_HEAD "hits\n", "FILE: line 4: the line is too short" },
		{ PAIRS_HEAD "hits 1x\n", "FILE: line 4: invalid hits '1x'" },
		{ PAIRS_HEAD "hits -9223372036854775809\n",
		  "FILE: line 4: invalid hits '-9223372036854775809'" },
		{ HEAD("gfp_flags") "# mask flag\n0xg x\n", "FILE: line 3: invalid mask '0xg'" },
		{ ORDERS_HEAD "0 Movable 1 2 3 4 5 6\n", "FILE: line 3: the line is too short" },
		{ ORDERS_HEAD "0 Movable 1 2 3 4 5 6 7 8\n",
		  "FILE: line 3: more values than columns" },
	};
	char name[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		EXPECT(sscanf(cases[i].given, "# kmemacct %31s", name) == 1);
		EXPECT_ERROR(name, cases[i].given, cases[i].expected);
	}
}

TEST(refuses_a_nul)
{
	static const char text[] = CALLERS_HEAD "\0\n";
	char *copy = alloc(1, sizeof(text));

	memcpy(copy, text, sizeof(text));
	EXPECT(!table_parse("callers", "FILE", copy, sizeof(text) - 1));
	EXPECT_TEXT(error_text, "FILE is not text: it contains a NUL byte");
}

/* Control characters, which a terminal would obey, are replaced. */
TEST(replaces_control_characters)
{
	EXPECT_ROWS(parse("callers", CALLERS_HEAD CALLER(1, 2, 3, 4, 5, "a\x1b[31m\xff\tb")),
		    "site", "a?[31m??b\n");
}

/* ---- numbers -------------------------------------------------------------- */

static int parse_signed(const char *text, u64 *number)
{
	return number_parse_signed(text, (s64 *)number);
}

TEST(numbers_are_parsed)
{
	EXPECT_PARSES(number_parse, { U64_MAX, "18446744073709551615" });
	EXPECT_REFUSES(number_parse, "", " 1", "+1", "1 ", "0x1");
	EXPECT_PARSES(parse_signed, { 1ULL << 63, "-9223372036854775808" },
		      { ~(1ULL << 63), "9223372036854775807" });
	EXPECT_REFUSES(parse_signed, "9223372036854775808", "--1", "-");
	EXPECT_PARSES(number_parse_milli, { U64_MAX, "18446744073709551.615" });
	EXPECT_REFUSES(number_parse_milli, "18446744073709551.616", "18446744073709552.000", ".500",
		       "1.5", "1.5000", "1.-50");
	EXPECT_PARSES(number_parse_hex, { U64_MAX, "0xffffffffffffffff" },
		      { 0xffff888000000000, "FFFF888000000000" });
	EXPECT_REFUSES(number_parse_hex, "0x", "0x0x1", "10000000000000000");
}

TEST(durations_are_parsed)
{
	EXPECT_PARSES(number_parse_duration, { 0, "0s" }, { 30000, "30s" }, { 300000, "5m" },
		      { 7200000, "2h" }, { 86400000, "1d" }, { 604800000, "1w" }, { 500, "500ms" },
		      { 300000, "5min" }, { 30000, "30" }, { 250, "0.25" }, { 5400000, "1.5h" },
		      { 9000000, "2h30m" }, { 91800002, "1d1.5h2ms" },
		      { 604800000, "1.000000001w" }, { 604799999, "0.999999999w" },
		      { U64_MAX, "18446744073709551615ms" });
	EXPECT_REFUSES(number_parse_duration, "", "s", "-1s", " 1s", "1.s", ".5s", "1.2.3s",
		       "1.2.3", "1.0000000000s", ".",
		       /* Units descend, and are lower case. */
		       "30m2h", "1s1s", "1min1m", "1H", "2h30", "1y", "18446744073709551615",
		       "18446744073709551615ms1ms", "18446744073709551615d");
}

TEST(sizes_and_percentages_are_parsed)
{
	EXPECT_PARSES(number_parse_size, { 0, "0" }, { 4096, "4096" }, { 65536, "64K" },
		      { 1 << 20, "1M" }, { 2ULL << 30, "2G" }, { 3ULL << 40, "3T" },
		      { 1536, "1.5K" }, { 3 << 19, "1.5M" }, { 1 << 20, "1MiB" },
		      { 1024, "1KiB" }, { 5ULL << 28, "1.25GiB" }, { 3ULL << 39, "1.5T" },
		      { U64_MAX, "18446744073709551615" }, { 16777215ULL << 40, "16777215T" });
	EXPECT_REFUSES(number_parse_size, "", "K", "1k", "1.5", "1.K", ".5K", "-1", " 1", "1KB",
		       "1B", "1iB", "1KiBs", "1.2.3K", "1.0000000000K", "1.999999999T", "KiB",
		       "18446744073709551616", "16777216T");
	EXPECT_PARSES(number_parse_percent, { 5000, "5" }, { 250, "0.25" }, { 1, "0.001" });
	EXPECT_REFUSES(number_parse_percent, "1.", "1.2345", "", "-1");
}

/* If a text is not a delay, the number stays as it is. */
TEST(delays_are_seconds)
{
	static const char * const bad[] = {
		"", ".", "-1", "1x", "0", "0.099", "3600.001", "2.", "1e3", "1.5.5", " 1",
		"99999999999999999999",
	};
	u64 ms = 7;
	size_t i;

	EXPECT_PARSES(number_parse_delay, { 100, "0.1" }, { 250, ".25" }, { 2000, "2s" },
		      { 3600000, "3600" });
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT(number_parse_delay(bad[i], &ms) == -1 && ms == 7);
}

/* Compare the suggestion for a word, from these names. */
static void expect_suggestion(int line, const char *word, const char *expected)
{
	static const char * const names[] = { "callers", "caches", "page_callers", "on", "off" };
	struct suggestion s;
	size_t i;

	suggest_begin(&s, word, strlen(word));
	for (i = 0; i < ARRAY_SIZE(names); i++)
		suggest_try(&s, names[i]);
	expect_text(line, s.best ? s.best : "", expected);
}

TEST(words_are_suggested)
{
	static const struct given cases[] = {
		{ "calers", "callers" }, { "callesr", "callers" }, { "CALERS", "callers" },
		{ "page-caller", "page_callers" }, { "caches1", "caches" }, { "cal", "callers" },
		{ "page_c", "page_callers" }, { "ca", "" }, { "of", "off" }, { "om", "on" },
		{ "x", "" }, { "", "" }, { "zones", "" },
		/* A word of any length is taken, but a long one has no suggestion. */
		{ "callerscallerscallerscallerscallerscallerscallerscallerscallerscallers", "" },
	};
	struct suggestion s;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		expect_suggestion(__LINE__, cases[i].given, cases[i].expected);
	EXPECT(suggest_is("page_callers", "page-callers") && suggest_is("on", "on"));
	EXPECT(!suggest_is("page_callers", "page_caller") && !suggest_is("on", "onn"));
	EXPECT(!suggest_is("a-b", "a_b"));
	suggest_begin(&s, "cache", 5);
	EXPECT(suggest_fail(&s, "see the list", "no word '%s'", "cache") == -1);
	EXPECT_TEXT(error_text, "no word 'cache': see the list");
	/* If two are equally near, the one that begins with the word is suggested. */
	suggest_try(&s, "caches");
	suggest_try(&s, "cachet");
	suggest_try(&s, "acache");
	suggest_fail(&s, "see the list", "no word 'cache'");
	EXPECT_TEXT(error_text, "no word 'cache': did you mean 'caches'?");
}

TEST(columns_have_short_names)
{
	static const struct {
		const char *table;
		const char *key;
		const char *expected;
	} cases[] = {
		{ "callers", "live_bytes", "live_bytes" }, { "callers", "live", "live_bytes" },
		{ "callers", "allocs", "objs_alloc" }, { "callers", "hit", "hits" },
		{ "callers", "bytes", "bytes_alloc" }, { "callers", "callsite", "site" },
		{ "callers", "share", "share_pct" }, { "callers", "frag", "frag_pct" },
		{ "callers", "growth", "growth_bytes_s" }, { "callers", "objects", "live_objs" },
		{ "callers", "migtype", "" },
		{ "callers", "liv", "" }, { "callers", "", "" }, { "page_callers", "bytes", "kb" },
		{ "page_callers", "migtype", "migratetype" }, { "page_callers", "live", "live_kb" },
		{ "pages", "bytes", "pages" }, { "pages", "page", "pfn" },
		{ "pages", "age", "age_ms" },
		/* A column of this name takes precedence over the title of another one. */
		{ "tasks", "allocs", "allocs" }, { "orders", "callsite", "" },
	};
	struct table *t;
	int column;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		t = schema_complete(parse_golden(cases[i].table));
		column = schema_find(t, cases[i].key, strlen(cases[i].key));
		EXPECT_TEXT(column < 0 ? "" : t->columns[column].name, cases[i].expected);
		table_free(t);
	}
}

static void print_size(char *buf, u64 bytes)
{
	number_print_size(buf, bytes, false);
}

static void print_kib(char *buf, u64 kb)
{
	number_print_size(buf, kb, true);
}

static void print_down(char *buf, u64 bytes)
{
	number_print_rounded(buf, bytes, false, ROUND_DOWN);
}

static void print_up(char *buf, u64 bytes)
{
	number_print_rounded(buf, bytes, false, ROUND_UP);
}

static void print_us(char *buf, u64 us)
{
	number_print_us(buf, us, false);
}

static void print_milli_us(char *buf, u64 milli)
{
	number_print_us(buf, milli, true);
}

TEST(sizes_are_human)
{
	char buf[NUMBER_LEN];

	EXPECT_PRINTS(print_size, { 0, "0" }, { 1, "1" }, { 1023, "1023" }, { 1024, "1.00K" },
		      { 1536, "1.50K" }, { 10234, "9.99K" }, { 10235, "10.0K" }, { 102399, "100K" },
		      { 1048063, "1023K" }, { 1048064, "1.00M" }, { 1048576, "1.00M" },
		      { 5121416, "4.88M" }, { 1ULL << 30, "1.00G" }, { 1ULL << 40, "1.00T" },
		      { 1ULL << 50, "1.00P" }, { 1ULL << 60, "1.00E" }, { U64_MAX, "16.0E" });
	EXPECT_PRINTS(print_kib, { 0, "0" }, { 4, "4.00K" }, { 1020, "1020K" }, { 1024, "1.00M" },
		      { 5128, "5.01M" }, { U64_MAX, "16.0Z" });
	EXPECT_PRINTS(print_down, { 0, "0" }, { 1023, "1023" }, { 1024, "1.00K" },
		      { 1025, "1.00K" },
		      { 10239, "9.99K" }, { 10240, "10.0K" }, { 102390, "99.9K" },
		      { 1048575, "1023K" }, { 1048576, "1.00M" }, { 1934036, "1.84M" },
		      { 1153433, "1.09M" }, { U64_MAX, "16.0E" });
	EXPECT_PRINTS(print_up, { 0, "0" }, { 1023, "1023" }, { 1024, "1.00K" }, { 1025, "1.01K" },
		      { 10239, "10.0K" }, { 10240, "10.0K" }, { 102390, "100K" },
		      { 1048575, "1.00M" },
		      { 1048576, "1.00M" }, { 1934036, "1.85M" }, { 1153433, "1.10M" },
		      { U64_MAX, "16.0E" });
	number_print_rounded(buf, 1889, true, ROUND_UP);
	EXPECT_TEXT(buf, "1.85M");
	EXPECT(unit_of_pair("live_kb") == UNIT_KIB && unit_of_pair("kb_se") == UNIT_KIB);
	EXPECT(unit_of_pair("kbytes_x") == UNIT_BYTES && unit_of_pair("workbench") == UNIT_NONE);
}

TEST(times_are_human)
{
	EXPECT_PRINTS(number_print_age, { 0, "0ms" }, { 999, "999ms" }, { 1000, "1.0s" },
		      { 11216, "11.2s" }, { 59999, "59.9s" }, { 60000, "1m00s" },
		      { 312000, "5m12s" },
		      { 3600000, "1h00m" }, { 7500000, "2h05m" }, { 86400000, "1d00h" },
		      { 273600000, "3d04h" }, { U64_MAX, "213503982334d14h" });
	EXPECT_PRINTS(print_us, { 0, "0" }, { 1, "1us" }, { 999, "999us" }, { 1000, "1.00ms" },
		      { 1234, "1.23ms" }, { 9994, "9.99ms" }, { 9996, "10.0ms" },
		      { 99949, "99.9ms" },
		      { 99951, "100ms" }, { 999499, "999ms" }, { 999500, "1.00s" },
		      { 59949999, "59.9s" }, { 59950000, "59.9s" }, { 60000000, "1m00s" },
		      { 3600000000, "1h00m" }, { U64_MAX, "213503982d08h" });
	EXPECT_PRINTS(print_milli_us, { 0, "0" }, { 1, "0.00us" }, { 5, "0.01us" },
		      { 1500, "1.50us" }, { 365520, "366us" }, { 2510287, "2.51ms" },
		      { 999500, "1.00ms" }, { U64_MAX, "213503d23h" });
	EXPECT(unit_of_pair("stall_us") == UNIT_US && unit_of_pair("p50_le_us") == UNIT_US);
	EXPECT(unit_of_pair("us_1024") == UNIT_NONE && unit_of_pair("_us") == UNIT_NONE);
	EXPECT_PRINTS(number_print_share, { 45250, "45.2%" });
}

/* Values as in the test of the module. */
TEST(frag_is_the_modules)
{
	static const struct {
		u64 req, alloc, milli;
	} known[] = {
		{ 0, 0, 0 }, { 0, 1, 100000 }, { 64, 64, 0 }, { 1, 2, 50000 }, { 1, 3, 66667 },
		{ 2, 3, 33333 }, { 199999, 200000, 1 }, { 200000, 200001, 0 }, { 5, 0, 0 },
		{ 5, 4, 0 }, { 1ULL << 47, 1ULL << 48, 50000 }, { 1ULL << 62, 1ULL << 63, 50000 },
		{ 1ULL << 63, U64_MAX, 50000 }, { 0, U64_MAX, 100000 }, { 1, U64_MAX, 100000 },
		{ U64_MAX, U64_MAX, 0 }, { U64_MAX - 1, U64_MAX, 0 },
		{ U64_MAX / 3, U64_MAX, 66667 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		EXPECT(number_frag_milli(known[i].req, known[i].alloc) == known[i].milli);
}

/* ---- order ---------------------------------------------------------------- */

/* Rows as in the test of the module. */
#define SORT_ROWS \
	CALLER(10, 2, 7, 8, 10, "c") \
	CALLER(10, 1, 18446744073709551615, 10, 10, "a") \
	CALLER(30, 1, 0, 1, 10, "e") \
	CALLER(10, 2, 9, 5, 10, "b") \
	CALLER(1099511627776, 1, 3, 9, 10, "d")

TEST(rows_are_sorted)
{
	static const struct given cases[] = {
		{ NULL, "caebd" }, { "hits", "abcde" }, { "site", "abcde" },
		{ "live_bytes,live_objs,site", "debca" },
		/* The sort is stable: rows that compare equal keep their order. */
		{ "pingpong", "caebd" }, { "live_objs", "cbaed" }, { "live_bytes", "decab" },
	};
	struct view v;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		v = view_by(parse("callers", CALLERS_HEAD SORT_ROWS), cases[i].given);
		EXPECT_TEXT(letters(v.t), cases[i].expected);
		view_end(&v);
	}
}

/* Subtract a table callers from a later one. */
static struct table *difference(const char *before, const char *after)
{
	return delta_make("run", parse("callers", before), parse("callers", after));
}

TEST(differences_are_sorted_by_sign)
{
	struct view v = view_by(difference(CALLERS_HEAD
					   CALLER(5, 0, 0, 0, 0, "b")
					   CALLER(1, 0, 0, 0, 0, "c"),
					   CALLERS_HEAD
					   CALLER(7, 0, 0, 0, 0, "a")
					   CALLER(0, 0, 0, 0, 0, "b")
					   CALLER(1, 0, 1, 0, 0, "c")), "live_bytes");

	EXPECT_PRINTED(v, "7 a\n0 c\n-5 b\n", .raw = true, .no_header = true,
		       .output = "live_bytes,site");
}

TEST(other_cgroups_are_left_out)
{
	struct view v = view_of(parse("cgroup_sites", ACCT_TABLE("cgroup_sites",
								  KMA_CGROUP_SITES_COLUMNS)
				      "1 1 2 64 0 17 a\n2 1 3 96 0 18 b\n4 1 0 0 0 - [other]\n"));

	run_keep_own(&v, 18);
	EXPECT_PRINTED(v, "slab_bytes slab_hits alloc_pages allocs stall_us site\n96 3 2 1 0 b\n",
		       .raw = true);
}

/* Names of the columns that are estimates if objects are sampled */
#define PLAIN_NAMES \
	"live_bytes, live_objs, hits, bytes_req, objs_alloc, bytes_alloc, frees, bytes_freed," \
	" no_entry, pingpong, cross_node, bulk_objs, bulk_bytes, confirmed_bytes"
#define EIGHT "hits,hits,hits,hits,hits,hits,hits,hits"

TEST(keys_are_refused)
{
#define USE "': use " PLAIN_NAMES ", frag_pct, samples, live_samples, " CHANGES ", site"
#define CHANGES "change_1m, change_10m, change_1h"
	static const struct given cases[] = {
		{ "", "callers has no sort key '" USE },
		{ "zone", "callers has no sort key 'zone" USE },
		{ "kb", "callers has no sort key 'kb" USE },
		{ "XYZZY", "callers has no sort key 'XYZZY" USE },
		{ "cache", "callers has no sort key 'cache" USE },
		{ "hits,", "callers has no sort key '" USE },
		{ "hitss", "callers has no sort key 'hitss': did you mean 'hits'?" },
		{ "live_obj", "callers has no sort key 'live_obj': did you mean 'live_objs'?" },
		{ EIGHT "," EIGHT "," EIGHT "," EIGHT, "-s takes at most 16 keys" },
	};
	struct view v = view_of(parse_golden("callers"));
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		EXPECT(view_sort_by(&v, cases[i].given));
		EXPECT_TEXT(error_text, cases[i].expected);
	}
	view_end(&v);
	v = view_of(parse_golden("orders"));
	EXPECT(view_sort_by(&v, "site"));
	EXPECT_TEXT(error_text,
		    "orders has no sort key 'site': use order, migratetype, live_kb, live_allocs, hits, kb, frees, bulk_allocs, failed");
	view_end(&v);
}

/* ---- derived tables ------------------------------------------------------- */

TEST(modules_are_sums)
{
	struct table *t = parse("callers", CALLERS_HEAD
				CALLER(1, 1, 1, 1, 3, "a+0x1")
				CALLER(2, 1, 1, 2, 3, "b+0x1 [ext4]")
				CALLER(4, 1, 1, 1, 3, "c+0x1")
				CALLER(8, 1, 1, 0, 0, "[other]")
				CALLER(16, 1, 1, 1, 3, "d+0x1 [ext4]")
				CALLER(32, 1, 1, 1, 3, "e+0x1 [other]"));

	group_modules(t);
	EXPECT_ROWS(t, "live_bytes,frag_pct,module",
		    "5 66.667 [kernel]\n8 0.000 [other]\n18 50.000 ext4\n32 66.667 other\n");
}

TEST(failures_are_sums)
{
	struct table *t = parse_golden("failures");

	group_failures(t, false, false);
	EXPECT_ROWS(t, NULL, "13 4 9 2097152 huge+0x5\n3 3 - 5000 alloc+0x1\\x20[mod]\n"
		    "2 1 - 90000 [other]\n");
	t = parse_golden("failures");
	group_failures(t, true, false);
	EXPECT_ROWS(t, "failed,order,task_site", "4 9 cc1;huge+0x5\n9 9 my\\x20sh;huge+0x5\n"
		    "3 - [interrupt];alloc+0x1\\x20[mod]\n2 - [other]\n");
	t = parse_golden("failures");
	group_failures(t, false, true);
	EXPECT_ROWS(t, "failed,gfp,site", "4 0x2cc0 huge+0x5\n9 0xcc0 huge+0x5\n"
		    "3 0x2820 alloc+0x1\\x20[mod]\n2 0xffffffff [other]\n");
}

/* ---- estimates ------------------------------------------------------------ */

TEST(sampled_tables_are_read)
{
	struct table *t = parse_sampled("callers");

	EXPECT(t->sampled && estimate_any(t) && t->nr_values == COUNT_NR);
	EXPECT(t->columns[COUNT_hits].se == COUNT_hits_se);
	EXPECT(t->columns[COUNT_confirmed_bytes].se == COUNT_confirmed_bytes_se);
	EXPECT(t->columns[COUNT_frag_pct].se == NONE && t->columns[COUNT_samples].se == NONE);
	EXPECT(t->columns[COUNT_hits_se].of == COUNT_hits && t->columns[COUNT_hits].of == NONE);
	EXPECT_ROWS(t, "samples,live_samples,live_bytes_se,confirmed_bytes_se,site",
		    "16 17 18 31 a+0x1\n116 117 118 131 b+0x2\\x20[mod]\n");
	t = parse_sampled("allocs");
	EXPECT(t->sampled && !estimate_any(t));
	EXPECT_ROWS(t, "weight,site",
		    "100.000 a+0x1\n100.000 a+0x1\n2.000 a+0x1\n1.000 b+0x1\n99.999 c+0x1\n");
	EXPECT_ROWS(parse_sampled("stacks"), "stack",
		    "do_one+0x1;mid+0x2\\x20[mod];a+0x1\nb+0x2\\x20[mod]\n");
}

TEST(the_order_has_a_main_column)
{
	struct view v = view_of(parse_sampled("callers"));
	static const struct {
		const char *keys;
		int column;
	} known[] = {
		{ "hits", COUNT_hits }, { "hits_se", COUNT_hits }, { "site", COUNT_live_bytes },
		{ "frag_pct", COUNT_live_bytes }, { "samples,live_objs_se,hits", COUNT_live_objs },
		{ "confirmed_bytes", COUNT_confirmed_bytes },
	};
	size_t i;

	EXPECT(estimate_main(v.t, &v.sort) == COUNT_live_bytes);
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		EXPECT(!view_sort_by(&v, known[i].keys));
		EXPECT(estimate_main(v.t, &v.sort) == known[i].column);
	}
	view_end(&v);
	v = view_by(parse_sampled("callers"), "confirmed_bytes_se");
	EXPECT_TEXT(letters(v.t), "ba");
	view_end(&v);
}

TEST(pairs_have_intervals)
{
	struct table *t = parse_sampled("summary");

	EXPECT(t->columns[0].se == 1 && t->columns[1].se == NONE);
	EXPECT(t->columns[4].se == NONE && t->columns[7].se == NONE);
	EXPECT_INTERVAL(t, 0, "0", "793..1935036");
	EXPECT_INTERVAL(t, 0, "2", "-1934086..1933986");
	EXPECT_INTERVAL(t, 0, "5", "10..10");
	table_free(t);
}

/* The errors are 3-4-5, 5-12-13 and 8-9-12-17, and sqrt(2). */
TEST(errors_of_modules_are_of_sums)
{
	struct table *t = parse("callers", SAMPLED_CALLERS
				SAMPLED_CALLER(10, 1, 1, 1, 1, 2, 3, 5, 8, 0, "a+0x1 [m]")
				SAMPLED_CALLER(7, 1, 1, 1, 5, 6, 77, 7, 7, 7, "c+0x1")
				SAMPLED_CALLER(20, 2, 2, 1, 3, 4, 4, 12, 9, 1, "b+0x1 [m]")
				SAMPLED_CALLER(30, 4, 4, 1, 1, 1, 0, 0, 12, 1, "d+0x1 [m]"));

	group_modules(t);
	EXPECT_ROWS(t,
		    "live_bytes,live_objs,samples,live_samples,live_bytes_se,live_objs_se,hits_se,bulk_objs_se,module",
		    "7 1 5 6 77 7 7 7 [kernel]\n60 7 5 7 5 13 17 1 m\n");
	t = parse("callers", SAMPLED_CALLERS
		  SAMPLED_CALLER(1, 1, 1, 1, 1, 1, 18446744073709551615, 1, 1, 1, "a")
		  SAMPLED_CALLER(1, 1, 1, 1, 1, 1, 18446744073709551615, 1, 1, 1, "b"));
	group_modules(t);
	EXPECT_ROWS(t, "live_bytes_se", "18446744073709551615\n");
}

#define LEAKS_COLUMNS \
	"all_bytes,samples,live_bytes,live_objs,oldest_ms,live_samples,live_bytes_se,live_objs_se,site"

/*
 * Site a has 100 + 100 + 2 objects with a variance of 2 * 100 * 99 + 2 * 1 = 19802, and
 * 64 * 200 + 4096 * 2 = 20992 bytes with a variance of 64^2 * 19800 + 4096^2 * 2 =
 * 114655232.  An object that was recorded exactly is not a sample.
 */
TEST(leaks_are_weighed)
{
	struct view v = view_of(parse_sampled("allocs"));

	leaks_make(&v, 1000, LEAKS_BY_SITE, NULL);
	EXPECT_ROWS(v.t, LEAKS_COLUMNS,
		    "20992 3 20992 202 7000 3 10708 141 a+0x1\n32 0 32 1 5000 0 0 0 b+0x1\n");
	/* 99.999 objects of 64 bytes; sqrt(99.999 * 98.999) = 99.4977 */
	v = view_of(parse_sampled("allocs"));
	leaks_make(&v, 0, LEAKS_BY_SITE, NULL);
	EXPECT_ROWS(v.t, LEAKS_COLUMNS,
		    "20992 3 20992 202 7000 3 10708 141 a+0x1\n32 0 32 1 5000 0 0 0 b+0x1\n"
		    "6400 1 6400 100 10 1 6368 99 c+0x1\n");
}

/*
 * Live columns have the errors of both moments: 3-4-5 and 5-12-13.  Counts that grow have the error
 * of their growth: 13^2 - 5^2 = 12^2.  The sites b and new are only in one of the snapshots.
 */
TEST(errors_of_differences)
{
	struct table *t = difference(SAMPLED_CALLERS
		SAMPLED_CALLER(100, 10, 20, 0, 40, 15, 3, 5, 5, 4, "b")
		SAMPLED_CALLER(100, 10, 20, 0, 40, 15, 3, 5, 5, 4, "a")
		SAMPLED_CALLER(100, 10, 20, 0, 40, 15, 3, 5, 5, 4, "same"), SAMPLED_CALLERS
		SAMPLED_CALLER(90, 9, 30, 0, 60, 16, 4, 12, 13, 4, "a")
		SAMPLED_CALLER(60, 6, 8, 0, 30, 20, 7, 7, 6, 1, "new")
		SAMPLED_CALLER(100, 10, 20, 0, 40, 15, 3, 5, 5, 4, "same"));

	view_sort_by_label(t);
	EXPECT_INTERVAL(t, 0, "live_bytes", "-1934046..1934026");
	EXPECT_INTERVAL(t, 0, "hits", "10..241765");
	EXPECT(t->rows[0]->v[COUNT_samples] == 20 && !t->rows[1]->v[COUNT_samples] &&
	       t->rows[2]->v[COUNT_samples] == 30);
	EXPECT_ROWS(t,
		    "live_bytes,live_bytes_se,live_objs,live_objs_se,live_samples,hits,hits_se,bulk_objs_se,site",
		    "-10 5 -1 13 31 10 12 0 a\n-100 3 -10 5 15 -20 0 0 b\n60 7 6 7 20 8 6 1 new\n");
}

TEST(sampling_may_begin_between)
{
	struct table *t = difference(CALLERS_HEAD CALLER(5, 1, 1, 8, 8, "a"), SAMPLED_CALLERS
				     SAMPLED_CALLER(25, 3, 7, 0, 2, 1, 6, 4, 5, 0, "a"));

	EXPECT(t->sampled);
	EXPECT_ROWS(t, "live_bytes,live_bytes_se,hits_se,samples,site", "20 6 5 2 a\n");
	t = difference(CALLERS_HEAD, CALLERS_HEAD);
	EXPECT(!t->sampled);
	table_free(t);
}

/* Rows of 36 and 9 samples, each of which stands for 16 bytes; and one without. */
#define PRINTED_HEAD(name, label) "# kmemacct " name " 8 sample_bytes=16 sampled=1\n" COLUMNS(label)
#define PRINTED_CALLERS PRINTED_HEAD("callers", "site") \
	SAMPLED_CALLER(576, 72, 90, 0, 41, 36, 95, 15, 18, 0, "a+0x1") \
	SAMPLED_CALLER(144, 18, 30, 0, 12, 9, 47, 7, 10, 0, "b+0x1") \
	SAMPLED_CALLER(20, 3, 4, 0, 0, 0, 0, 0, 0, 0, "exact+0x1")

TEST(estimates_are_printed)
{
	EXPECT_PRINTED(view_of(parse("callers", PRINTED_CALLERS)),
		       "live_bytes low..high live_objs objs_alloc site\n"
		       "      ~576  403..798       ~72        ~90 a+0x1\n"
		       "      ~144   65..274       ~18        ~30 b+0x1\n"
		       "        20         -         3          4 exact+0x1\n"
		       "# no room for: frees\n", .screen = 56, .exact = true);
	EXPECT_PRINTED(view_by(parse("callers", PRINTED_CALLERS), "hits,live_objs"),
		       "live_bytes live_objs low..high hits low..high site\n"
		       "      ~576       ~72   43..109  ~90   56..134 a+0x1\n"
		       "      ~144       ~18     9..40  ~30    12..59 b+0x1\n"
		       "        20         3         -    4         - exact+0x1\n"
		       "# no room for: objs_alloc frees\n", .screen = 56, .exact = true);
	EXPECT_PRINTED(view_by(parse("callers", PRINTED_CALLERS), "live_bytes_se"),
		       "live_bytes low..high live_objs live_bytes_se site\n"
		       "      ~576  403..798       ~72            95 a+0x1\n"
		       "      ~144   65..274       ~18            47 b+0x1\n"
		       "        20         -         3             0 exact+0x1\n"
		       "# no room for: objs_alloc frees\n", .screen = 56, .exact = true);
	EXPECT_PRINTED(view_of(parse_sampled("summary")),
		       "live_objs            10                   live objects, now\n\n"
		       "bytes_allocated   ~1000      793..1935036 bytes that allocations with an event took\n"
		       "bytes_net          ~-50 -1934086..1933986 bytes_allocated + bulk_bytes - bytes_freed\n\n"
		       "frag_pct        ~37.500                   bytes_wasted in percent\n"
		       "# ~ estimate, and its 95 % interval\n", .exact = true);
	EXPECT_PRINTED(view_of(parse("stacks", PRINTED_HEAD("stacks", "stack")
				     SAMPLED_CALLER(576, 72, 90, 0, 41, 36, 95, 15, 18, 0,
						    "first+0x1;second+0x2 [mod];site+0x3")
				     SAMPLED_CALLER(144, 18, 30, 0, 12, 9, 47, 7, 10, 0,
						    "alone+0x4"))),
		       "live_bytes low..high live_objs objs_alloc frees stack\n"
		       "      ~576  403..798       ~72        ~90     0 site+0x3\n"
		       "                                                second+0x2 [mod]\n"
		       "                                                first+0x1\n"
		       "      ~144   65..274       ~18        ~30     0 alone+0x4\n",
		       .screen = 64, .exact = true);
}

/* ---- pages ---------------------------------------------------------------- */

TEST(formats_of_pages_are_read)
{
	struct table *t = parse_golden("pages");

	EXPECT(!t->sampled && t->rows[1]->v[table_column(t, "node")] == NO_ID);
	EXPECT_ROWS(t, "migratetype,gfp,node,site",
		    "Movable 0x400dc0 0 huge+0x5\nUnmovable 0x40002800 - -\n");
	t = parse_golden("tasks");
	EXPECT((s64)t->rows[0]->v[0] == -120);
	EXPECT_TEXT(table_field(t, "filter"), "tgid,comm");
	EXPECT_ROWS(t, "net_pages,comm", "-120 Web\\x20Content\n5 [kernel]\n");
	t = parse_golden("skip");
	EXPECT_ROWS(t, "pages,objects,pattern", "1 0 alloc_pages*\n");
	/* Rows without a label end with a value. */
	t = parse_golden("orders");
	EXPECT(table_column(t, "failed") == t->nr_values - 1);
	EXPECT(table_nr_columns(t) == t->nr_values && t->nr_rows == 4);
	EXPECT_TEXT(t->rows[3]->label, "");
	table_free(t);
	EXPECT_PRINTED(view_by(parse_golden("orders"), "migratetype,order"),
		       "Movable 1\nMovable 0\nUnmovable 1\nUnmovable 0\n", .raw = true,
		       .no_header = true, .output = "migratetype,order");
}

enum unit unit_of_pair(const char *name)
{
	char text[128];
	struct table *t;
	enum unit unit;

	snprintf(text, sizeof(text), HEAD("stats") "# name value\n%s 1\n", name);
	t = parse("stats", text);
	unit = t->columns[0].unit;
	table_free(t);
	return unit;
}

static void expect_codes(int line, const char *flags, const char *expected)
{
	char text[4096];

	snprintf(text, sizeof(text), HEAD("gfp_flags") "# mask flag\n%s", flags);
	expect_rows(line, gfp_add_codes(parse("gfp_flags", text)), "code", expected);
}

#define EXPECT_CODES(flags, expected) expect_codes(__LINE__, flags, expected)

TEST(gfp_codes_are_told_apart)
{
	EXPECT_CODES("1 GFP_KERNEL\n2 __GFP_KERNEL\n4 GFP_KERNEL_ACCOUNT\n", "K\nk\nKA\n");
	EXPECT_CODES("1 __GFP_HIGHMEM\n2 __GFP_HIGH\n4 __GFP_HARDWALL\n", "h\nhi\nha\n");
	EXPECT_CODES("1 GFP_NOFS\n2 GFP_NOIO\n4 GFP_NOWAIT\n8 __GFP_NOWARN\n", "NF\nNI\nNW\nnw\n");
	EXPECT_CODES("1 GFP_DMA\n2 GFP_DMA32\n", "D\nD3\n");
	/* A name without words, or for which no unused code can be made, is its own code. */
	EXPECT_CODES("1 GFP_IO\n2 GFP_I\n4 GFP_\n", "I\nGFP_I\nGFP_\n");
	EXPECT_CODES("1 A_B_C_D_E_F_G_H_I_J_K_L_M_N_O_P_Q\n2 A_B_C_D_E_F_G_H_I_J_K_L_M_N_O_P_Q\n",
		     "ABCDEFGHIJKLMNO\nA_B_C_D_E_F_G_H_I_J_K_L_M_N_O_P_Q\n");
}

/* Decode flags with the golden table of names. */
static void expect_decoded(int line, u64 flags, const char *codes, const char *legend)
{
	struct gfp *gfp = gfp_new(parse_golden("gfp_flags"));
	char text[GFP_LEN];

	gfp_print(gfp, text, flags);
	expect_text(line, text, codes);
	expect_text(line, gfp_legend(gfp), legend);
	gfp_free(gfp);
}

#define EXPECT_DECODED(flags, codes, legend) expect_decoded(__LINE__, flags, codes, legend)

TEST(gfp_flags_are_decoded)
{
	EXPECT_DECODED(0xcc0, "K", "gfp: K=GFP_KERNEL");
	EXPECT_DECODED(0x400dc0, "KA|z", "gfp: KA=GFP_KERNEL_ACCOUNT z=__GFP_ZERO");
	/* A name needs all of its bits, and each bit belongs to one name only. */
	EXPECT_DECODED(0x400cc0 & ~0x80, "NF|0x400000", "gfp: NF=GFP_NOFS");
	EXPECT_DECODED(0x822, "h|hi|kr",
		       "gfp: h=__GFP_HIGHMEM hi=__GFP_HIGH kr=__GFP_KSWAPD_RECLAIM");
	EXPECT_DECODED(0x8000000000000002, "h|0x8000000000000000", "gfp: h=__GFP_HIGHMEM");
	EXPECT_DECODED(0, "0", "");
}

TEST(orders_become_a_matrix)
{
	struct table *orders = parse_golden("orders");
	char name[1500], *text;

	EXPECT_PRINTED(view_of(pages_matrix(orders, "hits", "hits")),
		       "# hits:\norder Unmovable Movable\n"
		       "    0         5       .\n    1         7       1\n", .screen = 0);
	table_free(orders);
	/* Names of columns that come from a file may be of any length. */
	memset(name, 'M', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	text = alloc_print(ORDERS_HEAD "0 %s 1 2 3 4 5 6 7\n", name);
	orders = parse("orders", text);
	free(text);
	text = alloc_print("order\n    0\n# no room for:\n# %s\n", name);
	EXPECT_PRINTED(view_of(pages_matrix(orders, "hits", "hits")), text, .screen = 40);
	free(text);
	table_free(orders);
}

TEST(a_summary_has_lines_of_two)
{
	struct table *pairs = parse_golden("page_summary");
	struct table *t = pages_summary(pairs);

	EXPECT(t->rows[1]->v[0] == NO_ID);
	EXPECT_TEXT(table_field(t, "pages"), "sites");
	EXPECT(!table_field(pairs, "pages"));
	EXPECT_ROWS(t, NULL, "10 40 allocation\\x20requests,\\x20including\\x20failures\n"
		    "- -4 allocated\\x20and\\x20not\\x20freed\n");
	EXPECT_ROWS(pairs, NULL, "page_off 2\n");
}

/* Rows of pcpu: a CPU, a node, and the pages that were refilled and drained. */
static void expect_marks(int line, const u64 (*rows)[4], const char *marks)
{
	struct table *known = table_known("pcpu");
	struct table *t = table_new("pcpu", known->columns, false, strlen(marks));
	struct view v;
	size_t i;
	u64 *value;

	for (i = 0; i < strlen(marks); i++) {
		value = table_add(t)->v;
		value[PCPU_cpu] = rows[i][0];
		value[PCPU_node] = rows[i][1];
		value[PCPU_refill_pages] = rows[i][2];
		value[PCPU_drain_pages] = rows[i][3];
	}
	v = view_of(t);
	pages_imbalance(&v);
	expect_text(line, letters(v.t), marks);
	view_end(&v);
	table_free(known);
}

#define EXPECT_MARKS(marks, ...) \
	expect_marks(__LINE__, (const u64 [][4]) { __VA_ARGS__ }, marks)

TEST(unequal_cpus_are_marked)
{
	EXPECT_MARKS("tg-", { 0, 0, 900, 100 }, { 1, 0, 100, 890 }, { 2, 0, 50, 50 });
	/* A CPU is not marked if no other CPU does the opposite. */
	EXPECT_MARKS("--", { 0, 0, 900, 100 }, { 1, 0, 900, 890 });
	EXPECT_MARKS("--", { 0, 0, 100, 900 }, { 1, 0, 900, 890 });
	/* CPUs are compared only for pages of the same node. */
	EXPECT_MARKS("--", { 0, 0, 900, 100 }, { 1, 1, 100, 890 });
	/* Small differences are not marked, nor are less than twice as many pages. */
	EXPECT_MARKS("---", { 0, 0, 9, 1 }, { 1, 0, 1, 9 }, { 2, 0, 900, 900 });
	EXPECT_MARKS("--", { 0, 0, 900, 460 }, { 1, 0, 460, 900 });
	EXPECT_MARKS("--", { 0, 0, 0, 0 }, { 1, 0, 0, 0 });
}

TEST(blocks_are_estimated)
{
	struct table *t = parse_sampled("page_callers");
	struct sort none = {};

	EXPECT(estimate_any(t) && estimate_main(t, &none) == table_column(t, "live_kb"));
	EXPECT_INTERVAL(t, 0, "live_kb", "862..4492");
	/* 16 samples are at least 16 hits and 16 KiB.  The 40 may all be of bulk allocations. */
	EXPECT_INTERVAL(t, 0, "hits", "570..1744");
	EXPECT_INTERVAL(t, 1, "hits", "5..507");
	t->rows[0]->v[table_column(t, "kb_se")] = 6000;
	EXPECT(estimate_interval(t, t->rows[0], table_column(t, "kb")).low == 16);
	t->rows[1]->v[table_column(t, "kb_se")] = 4000;
	EXPECT(estimate_interval(t, t->rows[1], table_column(t, "kb")).low == 0);
	EXPECT_INTERVAL(t, 2, "live_kb", "64..64");
	table_free(t);
}

/* ---- symbols -------------------------------------------------------------- */

#define SYMBOLS \
	"ffffffff81000000 T _text\n" \
	"ffffffff81001000 T kfree\n" \
	"ffffffff81002000 t twice\n" \
	"ffffffff81003000 t twice\n" \
	"ffffffff81004000 t alias\n" \
	"ffffffff81004000 t alias\n" \
	"ffffffffc0001000 t twice\t[ext4]\n" \
	"ffffffffc0002000 t other\t[ext4]\n"

TEST(symbols_are_found)
{
	static const struct known known[] = {
		{ 0xffffffff8100101d, "kfree+0x1d" }, { 0xffffffffc0001001, "twice+0x1 [ext4]" },
		{ 0xffffffff81004000, "alias+0x0" }, { 0, "twice+0x1" }, { 0, "other+0x1" },
		{ 0, "other+0x1 [gone]" }, { 0, "kfree" }, { 0, "[other]" }, { 0, "[unknown]" },
	};
	struct kallsyms *syms = kallsyms_parse("FILE", strdup(SYMBOLS));
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (kallsyms_find(syms, known[i].text) != known[i].number)
			fail_at(__LINE__, known[i].text);
	kallsyms_free(syms);
}

TEST(symbols_are_refused)
{
	EXPECT(!kallsyms_parse("FILE", strdup("0000000000000000 T _text\n")));
	EXPECT_TEXT(error_text,
		    "FILE shows no addresses: use sudo, and sysctl kernel.kptr_restrict=1");
	EXPECT(!kallsyms_parse("FILE", strdup("")));
	EXPECT(!kallsyms_parse("FILE", strdup("1 T a\nnonsense\n")));
	EXPECT_TEXT(error_text, "FILE: line 2 is not a symbol");
	EXPECT(!kallsyms_parse("FILE", strdup("1 T a\t[ext4\n")));
}

/* ---- the program ---------------------------------------------------------- */

static int run_tests(void)
{
	int before, failed = 0;

	for (; tests; tests = tests->next) {
		before = failures;
		tests->run();
		printf("%s %s\n", failures > before ? "FAIL" : "ok", tests->name);
		failed += failures > before;
	}
	return failed != 0;
}

static int write_file(const char *dir, const char *name, int kind, const char *text)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	out = fopen(path, "w");
	if (!out)
		return 1;
	if (kind >= 0)
		fputc(kind, out);
	fputs(text, out);
	return fclose(out) != 0;
}

/* Return: a table with a row of small values, for one that golden.h does not have. */
static char *make_golden(const char *name)
{
	static const char * const values[] = {
		[FORMAT_PTR] = "ffff888001234040", [FORMAT_HEX] = "0xcc0", [FORMAT_MILLI] = "1.000",
		[FORMAT_NAME] = "Movable", [FORMAT_LABEL] = "x+0x1",
	};
	struct table *t = table_known(name);
	char *text, *line;
	size_t len, rest;
	FILE *out = text_open(&text, &len), *row = text_open(&line, &rest);
	int i;

	fprintf(out, "# kmemacct %s %d sample_bytes=0\n#", name, KMA_FORMAT_VERSION);
	for (i = 0; t && i < table_nr_columns(t); i++) {
		fprintf(out, " %s", t->columns[i].name);
		fprintf(row, "%s%s", i ? " " : "", values[t->columns[i].format] ?: "1");
	}
	text_close(row);
	fprintf(out, t ? "\n%s\n" : " name value\n", line);
	text_close(out);
	free(line);
	table_free(t);
	return text;
}

/* Write all tables; with @kinds, as inputs of the fuzzer. */
static int write_tables(const char *dir, bool kinds)
{
	const char *name;
	int failed = 0, i;
	char *made;
	size_t j;

	for (i = 0; (name = table_name(i)); i++) {
		for (j = 0; j < ARRAY_SIZE(golden) && strcmp(golden[j].table, name); j++)
			;
		made = j < ARRAY_SIZE(golden) ? NULL : make_golden(name);
		failed |= write_file(dir, name, kinds ? i : -1, made ?: golden[j].text);
		free(made);
	}
	return failed;
}

static int number_of(const char *table)
{
	int i = 0;

	while (strcmp(table_name(i), table))
		i++;
	return i;
}

static int write_seeds(const char *dir)
{
	int failed = write_tables(dir, true);
	char name[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sampled); i++) {
		snprintf(name, sizeof(name), "sampled-%s", sampled[i].table);
		failed |= write_file(dir, name, number_of(sampled[i].table), sampled[i].text);
	}
	failed |= write_file(dir, "kallsyms", FUZZ_SYMBOLS, SYMBOLS);
	return failed | write_file(dir, "words", FUZZ_WORDS, "hits,site");
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "golden"))
		return write_tables(argv[2], false);
	if (argc == 3 && !strcmp(argv[1], "seeds"))
		return write_seeds(argv[2]);
	return run_tests();
}
