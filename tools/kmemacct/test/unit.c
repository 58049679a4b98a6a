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
#include "golden.h"
#include "unit.h"

#define NR_GOLDEN	ARRAY_SIZE(golden)

static int failures;

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

struct table *parse(const char *name, const char *text)
{
	*error_text = '\0';
	return table_parse(name, "FILE", strdup(text), strlen(text));
}

struct table *parse_golden(const char *name)
{
	size_t i = 0;

	while (strcmp(golden[i].table, name))
		i++;
	return parse(name, golden[i].text);
}

struct view view_of(struct table *t)
{
	struct view v;

	view_begin(&v, t);
	return v;
}

char *table_text(const struct view *v, const struct style *style)
{
	char *text;
	size_t len;
	FILE *out = text_open(&text, &len);

	EXPECT(!text_table(out, v, style));
	text_close(out);
	return text;
}

#define CALLERS_HEAD KMA_GOLDEN_HEAD("callers", KMA_GOLDEN_QUIET) \
		     KMA_GOLDEN_CALLERS_COLUMNS

/* A row of callers.  All counters without an argument are 0. */
#define CALLER(bytes, objs, hits, req, alloc, site) \
	#bytes " " #objs " " #hits " " #req " " #hits " " #alloc " 0 0 0 0 0 0 0 0 0.000" \
	ZEROS_14 " 0 0 " site "\n"

static void expect_error(int line, const char *name, const char *text,
			 const char *error)
{
	struct table *t = parse(name, text);

	expect_text(line, t ? "no error" : error_text, error);
	table_free(t);
}

#define EXPECT_ERROR(name, text, error) expect_error(__LINE__, name, text, error)

/* Return: the first letter of each label. */
static const char *letters(const struct table *t)
{
	static char text[64];
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		text[i] = t->rows[i]->label[0];
	text[i] = '\0';
	return text;
}

/* ---- the golden tables ---------------------------------------------------- */

static void golden_callers(void)
{
	struct table *t = parse_golden("callers");

	EXPECT(t->nr_rows == 3 && t->nr_values == COUNT_NR);
	EXPECT(!t->sampled && !estimate_any(t));
	EXPECT(t->rows[0]->v[COUNT_live_bytes] == 192);
	EXPECT(t->rows[0]->v[COUNT_bytes_alloc] == 320);
	EXPECT(t->rows[0]->v[COUNT_pingpong] == 1);
	EXPECT(t->rows[0]->v[COUNT_bulk_objs] == 4);
	EXPECT(t->rows[0]->v[COUNT_bulk_bytes] == 256);
	EXPECT(t->rows[0]->v[COUNT_confirmed_bytes] == 192);
	EXPECT(t->rows[0]->v[COUNT_frag_pct] == 37500);
	EXPECT_TEXT(t->rows[0]->label, "kma_caller+0x1a [kma_module]");
	EXPECT(t->rows[1]->v[COUNT_cross_node] == 1);
	EXPECT_TEXT(t->rows[1]->label, "kernel_clone+0x2b0");
	EXPECT(t->rows[2]->v[COUNT_live_bytes] == U64_MAX);
	EXPECT(t->rows[2]->v[COUNT_bytes_req] == 1ULL << 63);
	EXPECT_TEXT(t->rows[2]->label, "[other]");
	EXPECT_TEXT(table_field(t, "window_s"), "12.345");
	EXPECT_TEXT(table_field(t, "since"), "load");
	EXPECT_TEXT(table_field(t, "coverage_pct"), "100.000");
	EXPECT(!table_field(t, "cut"));
	table_free(t);
}

static void golden_samples(void)
{
	struct table *t = parse("callers", KMA_GOLDEN_SAMPLED_HEAD("callers", KMA_GOLDEN_QUIET)
				KMA_GOLDEN_CALLERS_COLUMNS KMA_GOLDEN_SAMPLED_ROWS);

	EXPECT(t->nr_rows == 2 && t->sampled);
	EXPECT(t->rows[0]->v[COUNT_live_bytes] == 1088784);
	EXPECT(t->rows[0]->v[COUNT_samples] == 15);
	EXPECT(t->rows[0]->v[COUNT_live_bytes_se] == 741543);
	EXPECT(t->rows[0]->v[COUNT_bulk_bytes_se] == 5792);
	EXPECT_TEXT(t->rows[0]->label, "kfree+0x1");
	EXPECT(t->rows[1]->v[COUNT_live_samples] == 1);
	EXPECT_TEXT(t->rows[1]->label, "vfree+0x1");
	table_free(t);
}

static void golden_caches(void)
{
	struct table *t = parse_golden("caches");

	EXPECT(t->nr_rows == 1);
	EXPECT(t->rows[0]->v[COUNT_hits] == 5);
	EXPECT_TEXT(t->rows[0]->label, "kmalloc-64");
	table_free(t);
}

static void golden_allocs(void)
{
	struct table *t = parse_golden("allocs");

	EXPECT(t->nr_rows == 2);
	EXPECT(t->rows[0]->v[ALLOC_ptr] == 0xffff888001234040);
	EXPECT(t->rows[0]->v[ALLOC_node] == NO_ID);
	EXPECT(t->rows[0]->v[ALLOC_pid] == 4711);
	EXPECT(t->rows[1]->v[ALLOC_age_ms] == 160);
	EXPECT(t->rows[1]->v[ALLOC_pid] == NO_ID);
	EXPECT_TEXT(t->rows[1]->label, "[other]");
	EXPECT_TEXT(table_field(t, "cut"), "7");
	table_free(t);
}

static void golden_pairs(void)
{
	struct table *t = parse_golden("summary");
	const u64 *v = t->rows[0]->v;

	EXPECT(t->pairs && t->nr_rows == 1 && t->nr_values == 3);
	EXPECT_TEXT(t->columns[0].name, "bytes_requested");
	EXPECT(t->columns[0].format == FORMAT_U64 && v[0] == U64_MAX);
	EXPECT(t->columns[1].format == FORMAT_S64 && (s64)v[1] == -128);
	EXPECT(t->columns[2].format == FORMAT_MILLI && v[2] == 37500);
	table_free(t);
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

static void golden_prefixes(void)
{
	size_t i;

	for (i = 0; i < NR_GOLDEN; i++)
		parse_prefixes(&golden[i]);
	for (i = 0; i < ARRAY_SIZE(sampled); i++)
		parse_prefixes(&sampled[i]);
}

/* ---- invalid tables ------------------------------------------------------- */

static void refuses_heads(void)
{
	EXPECT_ERROR("callers", "", "FILE is empty");
	EXPECT_ERROR("callers", "\n", "FILE is not a kmemacct table");
	EXPECT_ERROR("callers", "hello\n", "FILE is not a kmemacct table");
	EXPECT_ERROR("callers", "# kmemacct\n", "FILE is not the table callers");
	EXPECT_ERROR("caches", CALLERS_HEAD, "FILE is not the table caches");
	EXPECT_ERROR("callers", "# kmemacct callers\n",
		     "FILE: line 1: no format version");
	EXPECT_ERROR("callers", "# kmemacct callers one\n",
		     "FILE: line 1: no format version");
	EXPECT_ERROR("callers", "# kmemacct callers 1 anything\nat all\n",
		     "FILE has format version 1, not 8: use kmemacct of that version");
	EXPECT_ERROR("callers", "# kmemacct callers 8 dropped\n",
		     "FILE: line 1: a field of the head is not key=value");
	EXPECT_ERROR("callers", "# kmemacct callers 8 dropped=\n",
		     "FILE: line 1: a field of the head is not key=value");
	EXPECT_ERROR("callers", "# kmemacct callers 8 =1\n",
		     "FILE: line 1: a field of the head is not key=value");
	EXPECT_ERROR("callers", "# kmemacct callers 8 dropped=0",
		     "FILE is truncated: its last line has no newline");
}

#define HEAD(table) "# kmemacct " table " 8\n"

static void refuses_columns(void)
{
	static const char older[] =
		"FILE has no column live_objs: use the kmemacct that belongs to the module";

	EXPECT_ERROR("callers", HEAD("callers"), "FILE: line 2: no column names");
	EXPECT_ERROR("callers", HEAD("callers") "#\n", "FILE: line 2: no column names");
	EXPECT_ERROR("callers", HEAD("callers") "# a=1\n", "FILE: line 3: no column names");
	EXPECT_ERROR("callers", HEAD("callers") "# a=1 b\n# site\n",
		     "FILE: line 2: a field of the head is not key=value");
	EXPECT_ERROR("callers", HEAD("callers") "# live_bytes site\n", older);
	EXPECT_ERROR("callers", HEAD("callers") COLUMNS("cache"),
		     "FILE has no column site: use the kmemacct that belongs to the module");
	EXPECT_ERROR("callers", HEAD("callers") COLUMNS("site more"),
		     "FILE: line 2: the last column is not the label");
	EXPECT_ERROR("callers", HEAD("callers") COLUMNS("site site"),
		     "FILE: line 2: two columns have the same name");
	EXPECT_ERROR("summary", HEAD("summary") "# name\n",
		     "FILE: line 2: the columns are not name and value");
}

/* A newer module may print columns, fields and lines that this program does not know. */
static void ignores_what_it_does_not_know(void)
{
	struct table *t = parse("skip", "# kmemacct skip 8 new=1\n# newer=2 newest=3\n"
				"# added pattern\nx* a b*\n");

	EXPECT(t && t->nr_rows == 1);
	if (!t)
		return;
	EXPECT_TEXT(t->rows[0]->label, "a b*");
	EXPECT_TEXT(table_field(t, "newest"), "3");
	table_free(t);
	t = parse("summary", "# kmemacct summary 8\n# name value kind\nallocs 3 counter\n");
	EXPECT(t && t->rows[0]->v[0] == 3);
	table_free(t);
}

/* A column is known by its name, wherever it is. */
static void finds_columns_by_name(void)
{
	struct table *t = parse("gfp_flags", "# kmemacct gfp_flags 8\n# a mask b flag\n"
				"1 0x2 3 __GFP_X\n");

	EXPECT(t && t->rows[0]->v[0] == 2);
	table_free(t);
	t = parse("orders", "# kmemacct orders 8\n"
		  "# frees hits kb live_kb live_allocs bulk_allocs migratetype order\n"
		  "1 2 3 4 5 6 Movable 7\n");
	EXPECT(t && t->nr_rows == 1);
	if (!t)
		return;
	EXPECT(t->rows[0]->v[table_column(t, "order")] == 7);
	EXPECT(t->rows[0]->v[table_column(t, "frees")] == 1);
	EXPECT_TEXT(row_name(t->rows[0], table_column(t, "migratetype")), "Movable");
	table_free(t);
}

#define PAIRS_HEAD KMA_GOLDEN_HEAD("summary", KMA_GOLDEN_QUIET) \
		   KMA_GOLDEN_KEYVAL_COLUMNS

static void refuses_rows(void)
{
	EXPECT_ERROR("callers", CALLERS_HEAD "\n", "FILE: line 4: the line is too short");
	EXPECT_ERROR("callers", CALLERS_HEAD CALLER(1, 2, 3, 4, 5, "a") "1 2 3\n",
		     "FILE: line 5: the line is too short");
	EXPECT_ERROR("callers", CALLERS_HEAD "1 2 3 4 5 6 7 8 9 10 11 12 13 14 0.000\n",
		     "FILE: line 4: the line is too short");
	EXPECT_ERROR("callers", CALLERS_HEAD CALLER(1, x, 3, 4, 5, "a"),
		     "FILE: line 4: invalid live_objs 'x'");
	EXPECT_ERROR("callers", CALLERS_HEAD CALLER(1, -2, 3, 4, 5, "a"),
		     "FILE: line 4: invalid live_objs '-2'");
	EXPECT_ERROR("callers", CALLERS_HEAD CALLER(1, 2, 18446744073709551616, 4, 5, "a"),
		     "FILE: line 4: invalid hits '18446744073709551616'");
	EXPECT_ERROR("callers", CALLERS_HEAD "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 a\n",
		     "FILE: line 4: invalid frag_pct '15'");
	EXPECT_ERROR("allocs", KMA_GOLDEN_HEAD("allocs", KMA_GOLDEN_QUIET)
		     KMA_GOLDEN_ALLOCS_COLUMNS "xyz" KMA_GOLDEN_ALLOCS_ROW_1,
		     "FILE: line 4: invalid ptr 'xyz'");
	EXPECT_ERROR("summary", PAIRS_HEAD "hits\n", "FILE: line 4: the line is too short");
	EXPECT_ERROR("summary", PAIRS_HEAD "hits 1x\n",
		     "FILE: line 4: invalid hits '1x'");
	EXPECT_ERROR("summary", PAIRS_HEAD "hits -9223372036854775809\n",
		     "FILE: line 4: invalid hits '-9223372036854775809'");
}

static void refuses_a_nul(void)
{
	static const char text[] = CALLERS_HEAD "\0\n";
	char *copy = alloc(1, sizeof(text));

	memcpy(copy, text, sizeof(text));
	EXPECT(!table_parse("callers", "FILE", copy, sizeof(text) - 1));
	EXPECT_TEXT(error_text, "FILE is not text: it contains a NUL byte");
}

/* Control characters, which a terminal would obey, are replaced. */
static void replaces_control_characters(void)
{
	struct table *t = parse("callers", CALLERS_HEAD
				CALLER(1, 2, 3, 4, 5, "a\x1b[31m\xff\tb"));

	EXPECT_TEXT(t->rows[0]->label, "a?[31m??b");
	table_free(t);
	EXPECT_ERROR("callers", CALLERS_HEAD "\x1b[2J\n",
		     "FILE: line 4: invalid live_bytes '?[2J'");
}

/* ---- numbers -------------------------------------------------------------- */

static void numbers_are_parsed(void)
{
	s64 number;
	u64 value;

	EXPECT(!number_parse("18446744073709551615", &value) && value == U64_MAX);
	EXPECT(number_parse("", &value) && number_parse(" 1", &value));
	EXPECT(number_parse("+1", &value) && number_parse("1 ", &value));
	EXPECT(number_parse("0x1", &value));
	EXPECT(!number_parse_signed("-9223372036854775808", &number) &&
	       (u64)number == 1ULL << 63);
	EXPECT(!number_parse_signed("9223372036854775807", &number));
	EXPECT(number_parse_signed("9223372036854775808", &number));
	EXPECT(number_parse_signed("--1", &number) && number_parse_signed("-", &number));
	EXPECT(!number_parse_milli("18446744073709551.615", &value) && value == U64_MAX);
	EXPECT(number_parse_milli("18446744073709551.616", &value));
	EXPECT(number_parse_milli("18446744073709552.000", &value));
	EXPECT(number_parse_milli(".500", &value) && number_parse_milli("1.5", &value));
	EXPECT(number_parse_milli("1.5000", &value) && number_parse_milli("1.-50", &value));
	EXPECT(!number_parse_hex("0xffffffffffffffff", &value) && value == U64_MAX);
	EXPECT(!number_parse_hex("FFFF888000000000", &value) && value >> 63);
	EXPECT(number_parse_hex("0x", &value) && number_parse_hex("0x0x1", &value));
	EXPECT(number_parse_hex("10000000000000000", &value));
}

static void durations_are_parsed(void)
{
	u64 ms;

	EXPECT(!number_parse_duration("0s", &ms) && !ms);
	EXPECT(!number_parse_duration("30s", &ms) && ms == 30000);
	EXPECT(!number_parse_duration("5m", &ms) && ms == 300000);
	EXPECT(!number_parse_duration("2h", &ms) && ms == 7200000);
	EXPECT(!number_parse_duration("1d", &ms) && ms == 86400000);
	EXPECT(!number_parse_duration("1w", &ms) && ms == 604800000);
	EXPECT(!number_parse_duration("500ms", &ms) && ms == 500);
	EXPECT(!number_parse_duration("5min", &ms) && ms == 300000);
	EXPECT(!number_parse_duration("30", &ms) && ms == 30000);
	EXPECT(!number_parse_duration("0.25", &ms) && ms == 250);
	EXPECT(!number_parse_duration("1.5h", &ms) && ms == 5400000);
	EXPECT(!number_parse_duration("2h30m", &ms) && ms == 9000000);
	EXPECT(!number_parse_duration("1d1.5h2ms", &ms) && ms == 91800002);
	EXPECT(!number_parse_duration("1.000000001w", &ms) && ms == 604800000);
	EXPECT(!number_parse_duration("0.999999999w", &ms) && ms == 604799999);
	EXPECT(number_parse_duration("", &ms) && number_parse_duration("s", &ms));
	EXPECT(number_parse_duration("-1s", &ms) && number_parse_duration(" 1s", &ms));
	EXPECT(number_parse_duration("1.s", &ms) && number_parse_duration(".5s", &ms));
	EXPECT(number_parse_duration("1.2.3s", &ms) && number_parse_duration("1.2.3", &ms));
	EXPECT(number_parse_duration("1.0000000000s", &ms) && number_parse_duration(".", &ms));
	/* Units descend, and are lower case. */
	EXPECT(number_parse_duration("30m2h", &ms) && number_parse_duration("1s1s", &ms));
	EXPECT(number_parse_duration("1min1m", &ms) && number_parse_duration("1H", &ms));
	EXPECT(number_parse_duration("2h30", &ms) && number_parse_duration("1y", &ms));
	EXPECT(number_parse_duration("18446744073709551615", &ms));
	EXPECT(number_parse_duration("18446744073709551615ms1ms", &ms));
	EXPECT(!number_parse_duration("18446744073709551615ms", &ms) && ms == U64_MAX);
	EXPECT(number_parse_duration("18446744073709551615d", &ms));
}

static void sizes_are_parsed(void)
{
	static const struct {
		const char *text;
		u64 bytes;
	} known[] = {
		{ "0", 0 }, { "4096", 4096 }, { "64K", 65536 }, { "1M", 1 << 20 },
		{ "2G", 2ULL << 30 }, { "3T", 3ULL << 40 },
		{ "18446744073709551615", U64_MAX }, { "16777215T", 16777215ULL << 40 },
	};
	static const char * const wrong[] = {
		"", "K", "1k", "1.5K", "-1", " 1", "1KB", "18446744073709551616", "16777216T",
	};
	u64 bytes;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		EXPECT(!number_parse_size(known[i].text, &bytes));
		EXPECT(bytes == known[i].bytes);
	}
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		EXPECT(number_parse_size(wrong[i], &bytes));
}

/* Compare what is suggested for a word, of these names. */
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

#define EXPECT_SUGGESTION(word, expected) expect_suggestion(__LINE__, word, expected)

static void says_what_is_suggested(void)
{
	struct suggestion s;

	suggest_begin(&s, "cache", 5);
	EXPECT(suggest_fail(&s, "see the list", "no word '%s'", "cache") == -1);
	EXPECT_TEXT(error_text, "no word 'cache': see the list");
	/* Of two that are equally near, the one that begins with it. */
	suggest_try(&s, "caches");
	suggest_try(&s, "cachet");
	suggest_try(&s, "acache");
	suggest_fail(&s, "see the list", "no word 'cache'");
	EXPECT_TEXT(error_text, "no word 'cache': did you mean 'caches'?");
}

static void words_are_suggested(void)
{
	EXPECT_SUGGESTION("calers", "callers");
	EXPECT_SUGGESTION("callesr", "callers");
	EXPECT_SUGGESTION("CALERS", "callers");
	EXPECT_SUGGESTION("page-caller", "page_callers");
	EXPECT_SUGGESTION("caches1", "caches");
	EXPECT_SUGGESTION("cal", "callers");
	EXPECT_SUGGESTION("page_c", "page_callers");
	EXPECT_SUGGESTION("ca", "");
	EXPECT_SUGGESTION("of", "off");
	EXPECT_SUGGESTION("om", "on");
	EXPECT_SUGGESTION("x", "");
	EXPECT_SUGGESTION("", "");
	EXPECT_SUGGESTION("zones", "");
	/* A word of any length is taken, but a long one has no suggestion. */
	EXPECT_SUGGESTION("callerscallerscallerscallerscallerscallerscallerscallerscallerscallers",
			  "");
	EXPECT(suggest_is("page_callers", "page-callers") && suggest_is("on", "on"));
	EXPECT(!suggest_is("page_callers", "page_caller") && !suggest_is("on", "onn"));
	EXPECT(!suggest_is("a-b", "a_b"));
	says_what_is_suggested();
}

static void expect_column(int line, const char *table, const char *key, const char *expected)
{
	struct table *t = schema_complete(parse_golden(table));
	int column = schema_find(t, key, strlen(key));

	expect_text(line, column < 0 ? "" : t->columns[column].name, expected);
	table_free(t);
}

#define EXPECT_COLUMN(table, key, expected) expect_column(__LINE__, table, key, expected)

static void columns_have_short_names(void)
{
	EXPECT_COLUMN("callers", "live_bytes", "live_bytes");
	EXPECT_COLUMN("callers", "live", "live_bytes");
	EXPECT_COLUMN("callers", "allocs", "objs_alloc");
	EXPECT_COLUMN("callers", "hit", "hits");
	EXPECT_COLUMN("callers", "bytes", "bytes_alloc");
	EXPECT_COLUMN("callers", "callsite", "site");
	EXPECT_COLUMN("callers", "share", "share_pct");
	EXPECT_COLUMN("callers", "migtype", "");
	EXPECT_COLUMN("callers", "liv", "");
	EXPECT_COLUMN("callers", "", "");
	EXPECT_COLUMN("page_callers", "bytes", "kb");
	EXPECT_COLUMN("page_callers", "migtype", "migratetype");
	EXPECT_COLUMN("page_callers", "live", "live_kb");
	EXPECT_COLUMN("pages", "bytes", "pages");
	EXPECT_COLUMN("pages", "page", "pfn");
	EXPECT_COLUMN("pages", "age", "age_ms");
	/* A column of this name takes precedence over the title of another one. */
	EXPECT_COLUMN("tasks", "allocs", "allocs");
	EXPECT_COLUMN("orders", "callsite", "");
}

static void sizes_are_human(void)
{
	static const struct {
		u64 bytes;
		const char *text;
	} known[] = {
		{ 0, "0" }, { 1, "1" }, { 1023, "1023" }, { 1024, "1.00K" },
		{ 1536, "1.50K" }, { 10234, "9.99K" }, { 10235, "10.0K" },
		{ 102399, "100K" }, { 1048063, "1023K" }, { 1048064, "1.00M" },
		{ 1048576, "1.00M" }, { 5121416, "4.88M" }, { 1ULL << 30, "1.00G" },
		{ 1ULL << 40, "1.00T" }, { 1ULL << 50, "1.00P" },
		{ 1ULL << 60, "1.00E" }, { U64_MAX, "16.0E" },
	};
	char buf[NUMBER_LEN];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		number_print_size(buf, known[i].bytes, false);
		EXPECT_TEXT(buf, known[i].text);
	}
}

static void sizes_are_rounded(void)
{
	static const struct {
		u64 bytes;
		const char *down;
		const char *up;
	} known[] = {
		{ 0, "0", "0" }, { 1023, "1023", "1023" }, { 1024, "1.00K", "1.00K" },
		{ 1025, "1.00K", "1.01K" }, { 10239, "9.99K", "10.0K" },
		{ 10240, "10.0K", "10.0K" }, { 102390, "99.9K", "100K" },
		{ 1048575, "1023K", "1.00M" }, { 1048576, "1.00M", "1.00M" },
		{ 1934036, "1.84M", "1.85M" }, { 1153433, "1.09M", "1.10M" },
		{ U64_MAX, "16.0E", "16.0E" },
	};
	char buf[NUMBER_LEN];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		number_print_rounded(buf, known[i].bytes, false, ROUND_DOWN);
		EXPECT_TEXT(buf, known[i].down);
		number_print_rounded(buf, known[i].bytes, false, ROUND_UP);
		EXPECT_TEXT(buf, known[i].up);
	}
	number_print_rounded(buf, 1889, true, ROUND_UP);
	EXPECT_TEXT(buf, "1.85M");
}

static void ages_are_human(void)
{
	static const struct {
		u64 ms;
		const char *text;
	} known[] = {
		{ 0, "0ms" }, { 999, "999ms" }, { 1000, "1.0s" }, { 11216, "11.2s" },
		{ 59999, "59.9s" }, { 60000, "1m00s" }, { 312000, "5m12s" },
		{ 3600000, "1h00m" }, { 7500000, "2h05m" }, { 86400000, "1d00h" },
		{ 273600000, "3d04h" }, { U64_MAX, "213503982334d14h" },
	};
	char buf[NUMBER_LEN];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		number_print_age(buf, known[i].ms);
		EXPECT_TEXT(buf, known[i].text);
	}
}

/* The same values as in the test of the module. */
static void frag_is_the_modules(void)
{
	static const struct {
		u64 req, alloc, milli;
	} known[] = {
		{ 0, 0, 0 }, { 0, 1, 100000 }, { 64, 64, 0 }, { 1, 2, 50000 },
		{ 1, 3, 66667 }, { 2, 3, 33333 }, { 199999, 200000, 1 },
		{ 200000, 200001, 0 }, { 5, 0, 0 }, { 5, 4, 0 },
		{ 1ULL << 47, 1ULL << 48, 50000 }, { 1ULL << 62, 1ULL << 63, 50000 },
		{ 1ULL << 63, U64_MAX, 50000 }, { 0, U64_MAX, 100000 },
		{ 1, U64_MAX, 100000 }, { U64_MAX, U64_MAX, 0 },
		{ U64_MAX - 1, U64_MAX, 0 }, { U64_MAX / 3, U64_MAX, 66667 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		EXPECT(number_frag_milli(known[i].req, known[i].alloc) ==
		       known[i].milli);
}

/* ---- order ---------------------------------------------------------------- */

/* The same rows as in the test of the module. */
#define SORT_ROWS \
	CALLER(10, 2, 7, 8, 10, "c") \
	CALLER(10, 1, 18446744073709551615, 10, 10, "a") \
	CALLER(30, 1, 0, 1, 10, "e") \
	CALLER(10, 2, 9, 5, 10, "b") \
	CALLER(1099511627776, 1, 3, 9, 10, "d")

static void expect_order(int line, const char *keys, const char *order)
{
	struct view v = view_of(parse("callers", CALLERS_HEAD SORT_ROWS));

	if (keys && view_sort_by(&v, keys))
		fail_at(line, keys);
	view_sort(v.t, &v.sort);
	expect_text(line, letters(v.t), order);
	view_end(&v);
}

static void rows_are_sorted(void)
{
	expect_order(__LINE__, NULL, "caebd");
	expect_order(__LINE__, "hits", "abcde");
	expect_order(__LINE__, "site", "abcde");
	expect_order(__LINE__, "live_bytes,live_objs,site", "debca");
	/* The sort is stable: rows that compare equal keep their order. */
	expect_order(__LINE__, "pingpong", "caebd");
	expect_order(__LINE__, "live_objs", "cbaed");
	expect_order(__LINE__, "live_bytes", "decab");
}

/* Subtract a table callers from a later one. */
static struct table *difference(const char *before, const char *after)
{
	return delta_make("run", parse("callers", before), parse("callers", after));
}

static void differences_are_sorted_by_sign(void)
{
	struct table *t = difference(CALLERS_HEAD
				     CALLER(5, 0, 0, 0, 0, "b")
				     CALLER(1, 0, 0, 0, 0, "c"),
				     CALLERS_HEAD
				     CALLER(7, 0, 0, 0, 0, "a")
				     CALLER(0, 0, 0, 0, 0, "b")
				     CALLER(1, 0, 1, 0, 0, "c"));
	const struct sort sort = { .key = { COUNT_live_bytes }, .nr = 1 };

	view_sort(t, &sort);
	EXPECT_TEXT(letters(t), "acb");
	EXPECT((s64)t->rows[2]->v[COUNT_live_bytes] == -5);
	table_free(t);
}

/* Names of the columns that are estimates if objects are sampled */
#define PLAIN_NAMES \
	"live_bytes, live_objs, hits, bytes_req, objs_alloc, bytes_alloc, frees, bytes_freed," \
	" no_entry, pingpong, cross_node, bulk_objs, bulk_bytes, confirmed_bytes"

static void keys_are_refused(void)
{
	static const char known[] = PLAIN_NAMES ", frag_pct, samples, live_samples, site";
	static const char * const keys[] = { "", "zone", "kb", "XYZZY", "cache", "hits," };
	static const char * const named[] = { "", "zone", "kb", "XYZZY", "cache", "" };
	static const char eight[] = "hits,hits,hits,hits,hits,hits,hits,hits";
	struct view v = view_of(parse_golden("callers"));
	char error[512];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		EXPECT(view_sort_by(&v, keys[i]));
		snprintf(error, sizeof(error), "callers has no sort key '%s': use %s",
			 named[i], known);
		EXPECT_TEXT(error_text, error);
	}
	EXPECT(view_sort_by(&v, "hitss"));
	EXPECT_TEXT(error_text, "callers has no sort key 'hitss': did you mean 'hits'?");
	EXPECT(view_sort_by(&v, "live_obj"));
	EXPECT_TEXT(error_text, "callers has no sort key 'live_obj': did you mean 'live_objs'?");
	snprintf(error, sizeof(error), "%s,%s,%s,%s", eight, eight, eight, eight);
	EXPECT(view_sort_by(&v, error));
	EXPECT_TEXT(error_text, "-s takes at most 16 keys");
	view_end(&v);
}

/* ---- derived tables ------------------------------------------------------- */

static void modules_are_sums(void)
{
	struct table *t = parse("callers", CALLERS_HEAD
				CALLER(1, 1, 1, 1, 3, "a+0x1")
				CALLER(2, 1, 1, 2, 3, "b+0x1 [ext4]")
				CALLER(4, 1, 1, 1, 3, "c+0x1")
				CALLER(8, 1, 1, 0, 0, "[other]")
				CALLER(16, 1, 1, 1, 3, "d+0x1 [ext4]")
				CALLER(32, 1, 1, 1, 3, "e+0x1 [other]"));

	group_modules(t);
	EXPECT(t->nr_rows == 4);
	EXPECT_TEXT(t->rows[0]->label, "[kernel]");
	EXPECT(t->rows[0]->v[COUNT_live_bytes] == 5);
	EXPECT(t->rows[0]->v[COUNT_frag_pct] == 66667);
	EXPECT_TEXT(t->rows[1]->label, "[other]");
	EXPECT(t->rows[1]->v[COUNT_live_bytes] == 8);
	EXPECT_TEXT(t->rows[2]->label, "ext4");
	EXPECT(t->rows[2]->v[COUNT_live_bytes] == 18);
	EXPECT(t->rows[2]->v[COUNT_frag_pct] == 50000);
	EXPECT_TEXT(t->rows[3]->label, "other");
	table_free(t);
}

#define ALLOCS_HEAD KMA_GOLDEN_HEAD("allocs", KMA_GOLDEN_QUIET) \
		    KMA_GOLDEN_ALLOCS_COLUMNS
#define ALLOC(ptr, alloc, age, site) \
	#ptr " 1 " #alloc " " #age " 0 0 - 1.000 " site "\n"

static void leaks_are_old(void)
{
	struct view v = view_of(parse("allocs", ALLOCS_HEAD
				      ALLOC(1, 64, 3000, "b")
				      ALLOC(2, 32, 2000, "a")
				      ALLOC(3, 64, 1000, "b")
				      ALLOC(4, 64, 999, "b")
				      ALLOC(5, 64, 10, "c")));
	struct row **rows;

	leaks_make(&v, 1000, LEAKS_BY_SITE, NULL, NULL);
	rows = v.t->rows;
	EXPECT_TEXT(letters(v.t), "ab");
	EXPECT(rows[1]->v[0] == 128 && rows[1]->v[1] == 2 && rows[1]->v[2] == 3000);
	/* 128 of 192 bytes; all of 32 */
	EXPECT(rows[1]->v[3] == 66667 && rows[0]->v[3] == 100000);
	EXPECT_TEXT(table_field(v.t, "dropped"), "0");
	view_end(&v);
}

/* ---- estimates ------------------------------------------------------------ */

static struct table *parse_sampled(const char *name)
{
	size_t i = 0;

	while (strcmp(sampled[i].table, name))
		i++;
	return parse(name, sampled[i].text);
}

#define SAMPLED_CALLERS SAMPLED_HEAD("callers") COLUMNS("site")

/*
 * A row of sampled callers: live bytes, live objects, hits, bulk objects; samples, live
 * samples; and the standard errors of the first four.  objs_alloc is as hits, and all other columns
 * are 0.
 */
#define SAMPLED_CALLER(bytes, objs, hits, bulk, samples, live, b_se, o_se, h_se, bulk_se, site) \
	#bytes " " #objs " " #hits " 0 " #hits " 0 0 0 0 0 0 " #bulk " 0 0 0.000 " #samples " " \
	#live " " #b_se " " #o_se " " #h_se " 0 " #h_se " 0 0 0 0 0 0 " #bulk_se " 0 0 " site "\n"

static void sampled_tables_are_checked(void)
{
	EXPECT_ERROR("callers", SAMPLED_CALLERS "1 2 3 4 5 6 a\n",
		     "FILE: line 3: invalid frees 'a'");
	EXPECT_ERROR("allocs", SAMPLED_HEAD("allocs")
		     "# ptr bytes_req bytes_alloc age_ms cpu node pid weight site\n"
		     "ffff888000001000 60 64 5000 0 0 1 100 a\n",
		     "FILE: line 3: invalid weight '100'");
}

static void sampled_tables_are_read(void)
{
	struct table *t = parse_sampled("callers");

	EXPECT(t->sampled && estimate_any(t));
	EXPECT(t->nr_values == COUNT_NR && t->nr_rows == 2);
	EXPECT(t->rows[0]->v[COUNT_samples] == 16 && t->rows[0]->v[COUNT_live_samples] == 17);
	EXPECT(t->rows[1]->v[COUNT_live_bytes_se] == 118);
	EXPECT(t->rows[1]->v[COUNT_confirmed_bytes_se] == 131);
	EXPECT_TEXT(t->rows[1]->label, "b+0x2 [mod]");
	EXPECT(t->columns[COUNT_hits].se == COUNT_hits_se);
	EXPECT(t->columns[COUNT_confirmed_bytes].se == COUNT_confirmed_bytes_se);
	EXPECT(t->columns[COUNT_frag_pct].se == NONE && t->columns[COUNT_samples].se == NONE);
	EXPECT(t->columns[COUNT_hits_se].of == COUNT_hits && t->columns[COUNT_hits].of == NONE);
	table_free(t);
	t = parse_sampled("allocs");
	EXPECT(t->sampled && !estimate_any(t));
	EXPECT(t->rows[0]->v[ALLOC_weight] == 100000);
	EXPECT(t->rows[4]->v[ALLOC_weight] == 99999);
	EXPECT_TEXT(t->rows[4]->label, "c+0x1");
	table_free(t);
	t = parse_sampled("stacks");
	EXPECT_TEXT(t->rows[0]->label, "do_one+0x1;mid+0x2 [mod];a+0x1");
	table_free(t);
}

static void the_order_has_a_main_column(void)
{
	struct view v = view_of(parse_sampled("callers"));
	static const struct {
		const char *keys;
		int column;
	} known[] = {
		{ "hits", COUNT_hits }, { "hits_se", COUNT_hits },
		{ "site", COUNT_live_bytes }, { "frag_pct", COUNT_live_bytes },
		{ "samples,live_objs_se,hits", COUNT_live_objs },
		{ "confirmed_bytes", COUNT_confirmed_bytes },
	};
	size_t i;

	EXPECT(estimate_main(v.t, &v.sort) == COUNT_live_bytes);
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		EXPECT(!view_sort_by(&v, known[i].keys));
		EXPECT(estimate_main(v.t, &v.sort) == known[i].column);
	}
	EXPECT(!view_sort_by(&v, "confirmed_bytes_se"));
	view_sort(v.t, &v.sort);
	EXPECT_TEXT(letters(v.t), "ba");
	view_end(&v);
}

static void pairs_have_intervals(void)
{
	struct table *t = parse_sampled("summary");
	struct interval i;

	EXPECT(t->columns[0].se == 1 && t->columns[1].se == NONE);
	EXPECT(t->columns[4].se == NONE && t->columns[7].se == NONE);
	i = estimate_interval(t, t->rows[0], 0);
	EXPECT(i.low == 793 && i.high == 1935036);
	i = estimate_interval(t, t->rows[0], 2);
	EXPECT(i.format == FORMAT_S64 && (s64)i.low == -1934086 && i.high == 1933986);
	i = estimate_interval(t, t->rows[0], 5);
	EXPECT(i.low == 10 && i.high == 10);
	table_free(t);
}

/* The errors are 3-4-5, 5-12-13 and 8-9-12-17. */
static void errors_of_modules_are_of_sums(void)
{
	struct table *t = parse("callers", SAMPLED_CALLERS
				SAMPLED_CALLER(10, 1, 1, 1, 1, 2, 3, 5, 8, 0, "a+0x1 [m]")
				SAMPLED_CALLER(7, 1, 1, 1, 5, 6, 77, 7, 7, 7, "c+0x1")
				SAMPLED_CALLER(20, 2, 2, 1, 3, 4, 4, 12, 9, 1, "b+0x1 [m]")
				SAMPLED_CALLER(30, 4, 4, 1, 1, 1, 0, 0, 12, 1, "d+0x1 [m]"));
	const u64 *v;

	group_modules(t);
	EXPECT(t->nr_rows == 2);
	EXPECT_TEXT(t->columns[t->nr_values].name, "module");
	EXPECT_TEXT(t->rows[0]->label, "[kernel]");
	EXPECT(t->rows[0]->v[COUNT_live_bytes_se] == 77);
	v = t->rows[1]->v;
	EXPECT(v[COUNT_live_bytes] == 60 && v[COUNT_live_objs] == 7);
	EXPECT(v[COUNT_samples] == 5 && v[COUNT_live_samples] == 7);
	EXPECT(v[COUNT_live_bytes_se] == 5 && v[COUNT_live_objs_se] == 13);
	EXPECT(v[COUNT_hits_se] == 17);
	/* sqrt(2) */
	EXPECT(v[COUNT_bulk_objs_se] == 1);
	table_free(t);
	t = parse("callers", SAMPLED_CALLERS
		  SAMPLED_CALLER(1, 1, 1, 1, 1, 1, 18446744073709551615, 1, 1, 1, "a")
		  SAMPLED_CALLER(1, 1, 1, 1, 1, 1, 18446744073709551615, 1, 1, 1, "b"));
	group_modules(t);
	EXPECT(t->rows[0]->v[COUNT_live_bytes_se] == U64_MAX);
	table_free(t);
}

/*
 * Site a has 100 + 100 + 2 objects with a variance of 2 * 100 * 99 + 2 * 1 = 19802, and
 * 64 * 200 + 4096 * 2 = 20992 bytes with a variance of 64^2 * 19800 + 4096^2 * 2 =
 * 114655232.
 */
static void leaks_are_weighed(void)
{
	enum { BYTES, OBJS, OLDEST, OLD_PCT, SAMPLES, BYTES_SE, OBJS_SE, ALL, ALL_SAMPLES, ALL_SE };
	struct view v = view_of(parse_sampled("allocs"));
	struct row **rows;

	leaks_make(&v, 1000, LEAKS_BY_SITE, NULL, NULL);
	rows = v.t->rows;
	EXPECT(v.t->nr_values == ALL_SE + 1);
	EXPECT(rows[0]->v[ALL] == 20992 && rows[0]->v[ALL_SAMPLES] == 3);
	EXPECT_TEXT(letters(v.t), "ab");
	EXPECT(rows[0]->v[BYTES] == 20992 && rows[0]->v[OBJS] == 202);
	EXPECT(rows[0]->v[OLDEST] == 7000 && rows[0]->v[SAMPLES] == 3);
	EXPECT(rows[0]->v[BYTES_SE] == 10708 && rows[0]->v[OBJS_SE] == 141);
	/* An object that was recorded exactly is not a sample. */
	EXPECT(rows[1]->v[BYTES] == 32 && rows[1]->v[OBJS] == 1);
	EXPECT(!rows[1]->v[SAMPLES] && !rows[1]->v[BYTES_SE] && !rows[1]->v[OBJS_SE]);
	view_end(&v);
	/* 99.999 objects of 64 bytes; sqrt(99.999 * 98.999) = 99.4977 */
	v = view_of(parse_sampled("allocs"));
	leaks_make(&v, 0, LEAKS_BY_SITE, NULL, NULL);
	rows = v.t->rows;
	EXPECT(v.t->nr_rows == 3 && rows[2]->v[OBJS] == 100);
	EXPECT(rows[2]->v[BYTES] == 6400 && rows[2]->v[OBJS_SE] == 99);
	EXPECT(rows[2]->v[BYTES_SE] == 6368);
	view_end(&v);
}

static void errors_of_differences(void)
{
	static const char before[] = SAMPLED_CALLERS
		SAMPLED_CALLER(100, 10, 20, 0, 40, 15, 3, 5, 5, 4, "a")
		SAMPLED_CALLER(100, 10, 20, 0, 40, 15, 3, 5, 5, 4, "b")
		SAMPLED_CALLER(100, 10, 20, 0, 40, 15, 3, 5, 5, 4, "same");
	static const char after[] = SAMPLED_CALLERS
		SAMPLED_CALLER(90, 9, 30, 0, 60, 16, 4, 12, 13, 4, "a")
		SAMPLED_CALLER(60, 6, 8, 0, 30, 20, 7, 7, 6, 1, "new")
		SAMPLED_CALLER(100, 10, 20, 0, 40, 15, 3, 5, 5, 4, "same");
	struct table *t = difference(before, after);
	const u64 *v = t->rows[0]->v;
	struct interval i;

	view_sort_by_label(t);
	EXPECT_TEXT(letters(t), "abn");
	/* Live columns have the errors of both moments: 3-4-5 and 5-12-13. */
	EXPECT((s64)v[COUNT_live_bytes] == -10 && v[COUNT_live_bytes_se] == 5);
	EXPECT((s64)v[COUNT_live_objs] == -1 && v[COUNT_live_objs_se] == 13);
	EXPECT(v[COUNT_live_samples] == 31 && v[COUNT_samples] == 20);
	/* Counts that grow have the error of their growth: 13^2 - 5^2 = 12^2. */
	EXPECT(v[COUNT_hits] == 10 && v[COUNT_hits_se] == 12);
	EXPECT(!v[COUNT_bulk_objs_se]);
	i = estimate_interval(t, t->rows[0], COUNT_live_bytes);
	EXPECT((s64)i.low == -1934046 && (s64)i.high == 1934026);
	i = estimate_interval(t, t->rows[0], COUNT_hits);
	EXPECT((s64)i.low == 10 && (s64)i.high == 241765);
	/* Sites that are only in the earlier or only in the later snapshot */
	v = t->rows[1]->v;
	EXPECT((s64)v[COUNT_live_bytes] == -100 && v[COUNT_live_bytes_se] == 3);
	EXPECT(!v[COUNT_hits_se] && v[COUNT_live_samples] == 15);
	v = t->rows[2]->v;
	EXPECT(v[COUNT_live_bytes] == 60 && v[COUNT_live_bytes_se] == 7);
	EXPECT(v[COUNT_hits_se] == 6 && v[COUNT_samples] == 30);
	table_free(t);
}

static void sampling_may_begin_between(void)
{
	struct table *t = difference(CALLERS_HEAD CALLER(5, 1, 1, 8, 8, "a"), SAMPLED_CALLERS
				     SAMPLED_CALLER(25, 3, 7, 0, 2, 1, 6, 4, 5, 0, "a"));

	EXPECT(t->sampled && t->nr_rows == 1);
	EXPECT(t->rows[0]->v[COUNT_live_bytes] == 20);
	EXPECT(t->rows[0]->v[COUNT_live_bytes_se] == 6);
	EXPECT(t->rows[0]->v[COUNT_hits_se] == 5 && t->rows[0]->v[COUNT_samples] == 2);
	table_free(t);
	t = difference(CALLERS_HEAD, CALLERS_HEAD);
	EXPECT(!t->sampled);
	table_free(t);
}

/* Compare what is printed after the comments. */
static void expect_printed(int line, struct table *t, const char *keys, int screen,
			   const char *expected)
{
	struct view v = view_of(t);
	char *text, *begin;

	if (keys && view_sort_by(&v, keys))
		fail_at(line, keys);
	view_sort(v.t, &v.sort);
	text = table_text(&v, &(struct style) { .screen = screen, .exact = true });
	for (begin = text; *begin == '#';)
		begin = strchr(begin, '\n') + 1;
	expect_text(line, begin, expected);
	free(text);
	view_end(&v);
}

#define EXPECT_PRINTED(t, keys, screen, expected) \
	expect_printed(__LINE__, t, keys, screen, expected)

/* Rows of 36 and 9 samples, each of which stands for 16 bytes; and one without. */
#define PRINTED_HEAD(name, label) "# kmemacct " name " 8 sample_bytes=16 sampled=1\n" COLUMNS(label)
#define PRINTED_CALLERS PRINTED_HEAD("callers", "site") \
	SAMPLED_CALLER(576, 72, 90, 0, 41, 36, 95, 15, 18, 0, "a+0x1") \
	SAMPLED_CALLER(144, 18, 30, 0, 12, 9, 47, 7, 10, 0, "b+0x1") \
	SAMPLED_CALLER(20, 3, 4, 0, 0, 0, 0, 0, 0, 0, "exact+0x1")

static void estimates_are_printed(void)
{
	EXPECT_PRINTED(parse("callers", PRINTED_CALLERS), NULL, 56,
		       "live_bytes low..high live_objs objs_alloc site\n"
		       "      ~576  403..798       ~72        ~90 a+0x1\n"
		       "      ~144   65..274       ~18        ~30 b+0x1\n"
		       "        20         -         3          4 exact+0x1\n"
		       "# no room for: frees\n");
	EXPECT_PRINTED(parse("callers", PRINTED_CALLERS), "hits,live_objs", 56,
		       "live_bytes live_objs low..high hits low..high site\n"
		       "      ~576       ~72   43..109  ~90   56..134 a+0x1\n"
		       "      ~144       ~18     9..40  ~30    12..59 b+0x1\n"
		       "        20         3         -    4         - exact+0x1\n"
		       "# no room for: objs_alloc frees\n");
	EXPECT_PRINTED(parse("callers", PRINTED_CALLERS), "live_bytes_se", 56,
		       "live_bytes low..high live_objs live_bytes_se site\n"
		       "      ~576  403..798       ~72            95 a+0x1\n"
		       "      ~144   65..274       ~18            47 b+0x1\n"
		       "        20         -         3             0 exact+0x1\n"
		       "# no room for: objs_alloc frees\n");
	EXPECT_PRINTED(parse_sampled("summary"), NULL, 0,
		       "live_objs            10                   live objects, now\n\n"
		       "bytes_allocated   ~1000      793..1935036 bytes that allocations with an event took\n"
		       "bytes_net          ~-50 -1934086..1933986 bytes_allocated + bulk_bytes - bytes_freed\n\n"
		       "frag_pct        ~37.500                   the same in percent\n"
		       "# ~ estimate, and its 95 % interval\n");
}

static void stacks_are_printed(void)
{
	EXPECT_PRINTED(parse("stacks", PRINTED_HEAD("stacks", "stack")
			     SAMPLED_CALLER(576, 72, 90, 0, 41, 36, 95, 15, 18, 0,
					    "first+0x1;second+0x2 [mod];site+0x3")
			     SAMPLED_CALLER(144, 18, 30, 0, 12, 9, 47, 7, 10, 0,
					    "alone+0x4")), NULL, 64,
		       "live_bytes low..high live_objs objs_alloc frees stack\n"
		       "      ~576  403..798       ~72        ~90     0 site+0x3\n"
		       "                                                second+0x2 [mod]\n"
		       "                                                first+0x1\n"
		       "      ~144   65..274       ~18        ~30     0 alone+0x4\n");
}

/* What has no sample is said in the head, in the words of the table. */
static void expect_head(int line, struct table *t, bool exact, const char *expected)
{
	struct view v = view_of(t);
	char *text = table_text(&v, &(struct style) { .exact = exact }), *begin;

	begin = strstr(text, "~ estimate");
	if (begin)
		*strchr(begin, '\n') = '\0';
	expect_text(line, begin ? begin : "", expected);
	free(text);
	view_end(&v);
}

#define EXPECT_HEAD(t, exact, expected) expect_head(__LINE__, t, exact, expected)
#define ACCURACY "~ estimate, low..high its 95 % interval; "

static void what_has_no_sample_is_told(void)
{
	struct table *modules = parse_sampled("callers");

	EXPECT_HEAD(parse_sampled("callers"), false,
		    ACCURACY "a call site without samples has at most 1.85M live");
	EXPECT_HEAD(parse_sampled("stacks"), true,
		    ACCURACY "a stack without samples has at most 1934036 bytes live");
	EXPECT_HEAD(parse_sampled("page_callers"), false,
		    ACCURACY "a call site without samples has at most 1.85M live");
	group_modules(modules);
	EXPECT_HEAD(modules, false, ACCURACY "a module without samples has at most 1.85M live");
	EXPECT_HEAD(delta_make("run", parse_sampled("callers"), parse_sampled("callers")), false,
		    ACCURACY "a call site without samples allocated at most 1.85M");
	EXPECT_HEAD(parse_golden("callers"), false, "");
}

static void expect_folded(int line, const char *column, const char *expected)
{
	struct table *t = parse_sampled("stacks");
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	t->rows[0]->v[COUNT_pingpong] = 0;
	t->rows[0]->v[COUNT_no_entry] = 0;
	t->rows[1]->v[COUNT_no_entry] = 0;
	folded_print(out, t, column);
	fclose(out);
	expect_text(line, *text ? text : error_text, expected);
	free(text);
	table_free(t);
}

#define COUNTS_OF_STACKS PLAIN_NAMES ", samples, live_samples"

static void stacks_are_folded(void)
{
	expect_folded(__LINE__, "live_bytes",
		      "do_one+0x1;mid+0x2 [mod];a+0x1 1\nb+0x2 [mod] 101\n");
	expect_folded(__LINE__, "live_samples",
		      "do_one+0x1;mid+0x2 [mod];a+0x1 17\nb+0x2 [mod] 117\n");
	expect_folded(__LINE__, "pingpong", "b+0x2 [mod] 110\n");
	expect_folded(__LINE__, "no_entry",
		      "no_entry is 0 for all stacks: try again later, or use another column");
	expect_folded(__LINE__, "frag_pct",
		      "folded needs a column of counts, not 'frag_pct': use " COUNTS_OF_STACKS);
	expect_folded(__LINE__, "hits_se",
		      "folded needs a column of counts, not 'hits_se': use " COUNTS_OF_STACKS);
	expect_folded(__LINE__, "stack",
		      "folded needs a column of counts, not 'stack': use " COUNTS_OF_STACKS);
	expect_folded(__LINE__, "",
		      "folded needs a column of counts, not '': use " COUNTS_OF_STACKS);
}

/* ---- pages ---------------------------------------------------------------- */

static void formats_of_pages_are_read(void)
{
	struct table *t = parse_golden("pages");

	EXPECT(t->nr_rows == 2 && !t->sampled);
	EXPECT_TEXT(row_name(t->rows[0], table_column(t, "migratetype")), "Movable");
	EXPECT(t->rows[1]->v[table_column(t, "gfp")] == 0x40002800);
	EXPECT(t->rows[1]->v[table_column(t, "node")] == NO_ID);
	table_free(t);
	t = parse_golden("tasks");
	EXPECT((s64)t->rows[0]->v[0] == -120);
	EXPECT_TEXT(t->rows[0]->label, "Web Content");
	EXPECT_TEXT(table_field(t, "filter"), "tgid,comm");
	table_free(t);
	t = parse_golden("skip");
	EXPECT(t->nr_values == 0 && t->nr_rows == 1);
	EXPECT_TEXT(t->rows[0]->label, "alloc_pages*");
	table_free(t);
	EXPECT_ERROR("gfp_flags", "# kmemacct gfp_flags 8\n# mask flag\n0xg x\n",
		     "FILE: line 3: invalid mask '0xg'");
}

#define ORDERS_HEAD PAGES_TABLE("orders", KMA_ORDERS_COLUMNS)

static void rows_without_label_end(void)
{
	struct table *t = parse_golden("orders");

	EXPECT(table_column(t, "bulk_allocs") == t->nr_values - 1);
	EXPECT(table_nr_columns(t) == t->nr_values && t->nr_rows == 4);
	EXPECT_TEXT(t->rows[3]->label, "");
	table_free(t);
	EXPECT_ERROR("orders", ORDERS_HEAD "0 Movable 1 2 3 4 5\n",
		     "FILE: line 3: the line is too short");
	EXPECT_ERROR("orders", ORDERS_HEAD "0 Movable 1 2 3 4 5 6 7\n",
		     "FILE: line 3: more values than columns");
}

static void names_are_sorted(void)
{
	struct view v = view_of(parse_golden("orders"));
	struct row **rows = v.t->rows;

	EXPECT(!view_sort_by(&v, "migratetype,order"));
	view_sort(v.t, &v.sort);
	EXPECT_TEXT(row_name(rows[0], 1), "Movable");
	EXPECT(rows[0]->v[0] == 1 && rows[1]->v[0] == 0);
	EXPECT_TEXT(row_name(rows[2], 1), "Unmovable");
	EXPECT(view_sort_by(&v, "site"));
	EXPECT_TEXT(error_text,
		    "orders has no sort key 'site': use order, migratetype, live_kb, live_allocs, hits, kb, frees, bulk_allocs");
	view_end(&v);
}

enum unit unit_of_pair(const char *name)
{
	char text[128];
	struct table *t;
	enum unit unit;

	snprintf(text, sizeof(text), "# kmemacct stats 8\n# name value\n%s 1\n", name);
	t = parse("stats", text);
	unit = t->columns[0].unit;
	table_free(t);
	return unit;
}

static void kib_are_human(void)
{
	static const struct {
		u64 kb;
		const char *text;
	} known[] = {
		{ 0, "0" }, { 4, "4.00K" }, { 1020, "1020K" }, { 1024, "1.00M" },
		{ 5128, "5.01M" }, { U64_MAX, "16.0Z" },
	};
	char buf[NUMBER_LEN];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		number_print_size(buf, known[i].kb, true);
		EXPECT_TEXT(buf, known[i].text);
	}
	EXPECT(unit_of_pair("live_kb") == UNIT_KIB && unit_of_pair("kb_se") == UNIT_KIB);
	EXPECT(unit_of_pair("kbytes_x") == UNIT_BYTES && unit_of_pair("workbench") == UNIT_NONE);
}

static void expect_codes(int line, const char *flags, const char *expected)
{
	char text[4096], got[1024] = "";
	struct table *t;
	size_t i;

	snprintf(text, sizeof(text), "# kmemacct gfp_flags 8\n# mask flag\n%s", flags);
	t = gfp_add_codes(parse("gfp_flags", text));
	for (i = 0; i < t->nr_rows; i++) {
		strcat(got, i ? " " : "");
		strcat(got, row_name(t->rows[i], 1));
	}
	expect_text(line, got, expected);
	table_free(t);
}

#define EXPECT_CODES(flags, expected) expect_codes(__LINE__, flags, expected)

static void gfp_codes_are_told_apart(void)
{
	EXPECT_CODES("1 GFP_KERNEL\n2 __GFP_KERNEL\n4 GFP_KERNEL_ACCOUNT\n", "K k KA");
	EXPECT_CODES("1 __GFP_HIGHMEM\n2 __GFP_HIGH\n4 __GFP_HARDWALL\n", "h hi ha");
	EXPECT_CODES("1 GFP_NOFS\n2 GFP_NOIO\n4 GFP_NOWAIT\n8 __GFP_NOWARN\n",
		     "NF NI NW nw");
	EXPECT_CODES("1 GFP_DMA\n2 GFP_DMA32\n", "D D3");
	/* A name without words, or for which no unused code can be made, is its own code. */
	EXPECT_CODES("1 GFP_IO\n2 GFP_I\n4 GFP_\n", "I GFP_I GFP_");
	EXPECT_CODES("1 A_B_C_D_E_F_G_H_I_J_K_L_M_N_O_P_Q\n2 A_B_C_D_E_F_G_H_I_J_K_L_M_N_O_P_Q\n",
		     "ABCDEFGHIJKLMNO A_B_C_D_E_F_G_H_I_J_K_L_M_N_O_P_Q");
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

static void gfp_flags_are_decoded(void)
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

static void orders_become_a_matrix(void)
{
	struct table *orders = parse_golden("orders");
	struct view v = view_of(pages_matrix(orders, "hits"));
	char *text = table_text(&v, &(struct style) {});

	EXPECT_TEXT(text, "# hits:\norder Unmovable Movable\n"
		    "    0         5       .\n    1         7       1\n");
	free(text);
	view_end(&v);
	table_free(orders);
}

/* Names of columns that come from a file may be of any length. */
static void a_matrix_takes_long_names(void)
{
	char name[1500], *text;
	struct table *orders;
	struct view v;

	memset(name, 'M', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	text = alloc_print(ORDERS_HEAD "0 %s 1 2 3 4 5 6\n", name);
	orders = parse("orders", text);
	free(text);
	v = view_of(pages_matrix(orders, "hits"));
	text = table_text(&v, &(struct style) { .screen = 40 });
	EXPECT(strstr(text, "order\n    0\n# no room for:\n# MMM"));
	EXPECT(strlen(text) > sizeof(name));
	free(text);
	view_end(&v);
	table_free(orders);
}

static void a_summary_has_lines_of_two(void)
{
	struct table *pairs = parse_golden("page_summary");
	struct table *t = pages_summary(pairs);

	EXPECT(t->nr_rows == 2 && pairs->nr_values == 1);
	EXPECT(t->rows[0]->v[0] == 10 && t->rows[0]->v[1] == 40);
	EXPECT(t->rows[1]->v[0] == NO_ID && (s64)t->rows[1]->v[1] == -4);
	EXPECT_TEXT(t->rows[1]->label, "allocated and not freed");
	EXPECT_TEXT(pairs->columns[0].name, "page_off");
	EXPECT(pairs->rows[0]->v[0] == 2);
	EXPECT_TEXT(table_field(t, "pages"), "sites");
	EXPECT(!table_field(pairs, "pages"));
	table_free(t);
	table_free(pairs);
}

/* Rows of pcpu: a CPU, a node, and the pages that were refilled and drained. */
static void expect_marks(int line, const u64 rows[][4], size_t nr, const char *marks)
{
	struct table *known = table_known("pcpu");
	struct table *t = table_new("pcpu", known->columns, false, nr);
	struct view v;

	for (; nr; nr--, rows++) {
		u64 *value = table_add(t)->v;

		value[PCPU_cpu] = (*rows)[0];
		value[PCPU_node] = (*rows)[1];
		value[PCPU_refill_pages] = (*rows)[2];
		value[PCPU_drain_pages] = (*rows)[3];
	}
	v = view_of(t);
	pages_mark(&v);
	expect_text(line, letters(v.t), marks);
	view_end(&v);
	table_free(known);
}

#define EXPECT_MARKS(marks, ...) do {					\
	static const u64 rows[][4] = { __VA_ARGS__ };			\
	expect_marks(__LINE__, rows, ARRAY_SIZE(rows), marks);		\
} while (0)

static void unequal_cpus_are_marked(void)
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

static void blocks_are_estimated(void)
{
	struct table *t = parse("page_callers", SAMPLED_PAGE_CALLERS);
	int live = table_column(t, "live_kb"), hits = table_column(t, "hits");
	struct sort none = {};
	struct interval i;

	EXPECT(estimate_any(t) && estimate_main(t, &none) == live);
	i = estimate_interval(t, t->rows[0], live);
	EXPECT(i.low == 862 && i.high == 4492);
	/* 16 samples are at least 16 hits and 16 KiB.  The 40 may all be of bulk allocations. */
	i = estimate_interval(t, t->rows[0], hits);
	EXPECT(i.low == 570 && i.high == 1744);
	i = estimate_interval(t, t->rows[1], hits);
	EXPECT(i.low == 5 && i.high == 507);
	t->rows[0]->v[table_column(t, "kb_se")] = 6000;
	EXPECT(estimate_interval(t, t->rows[0], table_column(t, "kb")).low == 16);
	t->rows[1]->v[table_column(t, "kb_se")] = 4000;
	EXPECT(estimate_interval(t, t->rows[1], table_column(t, "kb")).low == 0);
	i = estimate_interval(t, t->rows[2], live);
	EXPECT(i.low == 64 && i.high == 64);
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

static void symbols_are_found(void)
{
	struct kallsyms *syms = kallsyms_parse("FILE", strdup(SYMBOLS));

	EXPECT(kallsyms_find(syms, "kfree+0x1d") == 0xffffffff8100101d);
	EXPECT(kallsyms_find(syms, "twice+0x1 [ext4]") == 0xffffffffc0001001);
	EXPECT(kallsyms_find(syms, "alias+0x0") == 0xffffffff81004000);
	EXPECT(!kallsyms_find(syms, "twice+0x1"));
	EXPECT(!kallsyms_find(syms, "other+0x1"));
	EXPECT(!kallsyms_find(syms, "other+0x1 [gone]"));
	EXPECT(!kallsyms_find(syms, "kfree"));
	EXPECT(!kallsyms_find(syms, "[other]") && !kallsyms_find(syms, "[unknown]"));
	kallsyms_free(syms);
}

static void symbols_are_refused(void)
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

static const struct test tests[] = {
	TEST(golden_callers),
	TEST(golden_samples),
	TEST(golden_caches),
	TEST(golden_allocs),
	TEST(golden_pairs),
	TEST(golden_prefixes),
	TEST(refuses_heads),
	TEST(refuses_columns),
	TEST(ignores_what_it_does_not_know),
	TEST(finds_columns_by_name),
	TEST(refuses_rows),
	TEST(refuses_a_nul),
	TEST(replaces_control_characters),
	TEST(numbers_are_parsed),
	TEST(durations_are_parsed),
	TEST(sizes_are_parsed),
	TEST(words_are_suggested),
	TEST(columns_have_short_names),
	TEST(sizes_are_human),
	TEST(sizes_are_rounded),
	TEST(ages_are_human),
	TEST(frag_is_the_modules),
	TEST(rows_are_sorted),
	TEST(differences_are_sorted_by_sign),
	TEST(keys_are_refused),
	TEST(modules_are_sums),
	TEST(leaks_are_old),
	TEST(sampled_tables_are_checked),
	TEST(sampled_tables_are_read),
	TEST(the_order_has_a_main_column),
	TEST(pairs_have_intervals),
	TEST(errors_of_modules_are_of_sums),
	TEST(leaks_are_weighed),
	TEST(errors_of_differences),
	TEST(sampling_may_begin_between),
	TEST(estimates_are_printed),
	TEST(stacks_are_printed),
	TEST(what_has_no_sample_is_told),
	TEST(stacks_are_folded),
	TEST(formats_of_pages_are_read),
	TEST(rows_without_label_end),
	TEST(names_are_sorted),
	TEST(kib_are_human),
	TEST(gfp_codes_are_told_apart),
	TEST(gfp_flags_are_decoded),
	TEST(orders_become_a_matrix),
	TEST(a_matrix_takes_long_names),
	TEST(a_summary_has_lines_of_two),
	TEST(unequal_cpus_are_marked),
	TEST(blocks_are_estimated),
	TEST(symbols_are_found),
	TEST(symbols_are_refused),
};

static int run_tests(const struct test *test, size_t nr)
{
	int before, failed = 0;

	for (; nr--; test++) {
		before = failures;
		test->run();
		printf("%s %s\n", failures > before ? "FAIL" : "ok", test->name);
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
		for (j = 0; j < NR_GOLDEN && strcmp(golden[j].table, name); j++)
			;
		made = j < NR_GOLDEN ? NULL : make_golden(name);
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
	return run_tests(tests, ARRAY_SIZE(tests)) |
	       run_tests(estimate_tests, nr_estimate_tests) |
	       run_tests(reader_tests, nr_reader_tests) |
	       run_tests(change_tests, nr_change_tests) |
	       run_tests(leaks_tests, nr_leaks_tests) |
	       run_tests(export_tests, nr_export_tests) |
	       run_tests(latency_tests, nr_latency_tests) | run_tests(top_tests, nr_top_tests);
}
