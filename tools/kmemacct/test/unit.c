// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the reader's parts.  Prints `ok NAME` or `FAIL NAME` for each.
 *
 *   unit              run them
 *   unit golden DIR   write the golden tables to files DIR/TABLE, for tests of
 *                     the whole program
 *   unit seeds DIR    and what the fuzzer begins with
 */
#include <stdlib.h>
#include <string.h>

#include "derive.h"
#include "error.h"
#include "golden.h"
#include "kallsyms.h"
#include "print.h"
#include "sort.h"

#define NR_GOLDEN	ARRAY_SIZE(golden)

static int failures;

static void fail_at(int line, const char *what)
{
	printf("# line %d: %s (error: %s)\n", line, what, error_text);
	failures++;
}

#define EXPECT(condition) \
	do { \
		if (!(condition)) \
			fail_at(__LINE__, #condition); \
	} while (0)

static void expect_text(int line, const char *got, const char *expected)
{
	char what[1024];

	if (!strcmp(got, expected))
		return;
	snprintf(what, sizeof(what), "'%s' is not '%s'", got, expected);
	fail_at(line, what);
}

#define EXPECT_TEXT(got, expected) expect_text(__LINE__, got, expected)

/* ---- helpers -------------------------------------------------------------- */

static struct table *parse(const char *name, const char *text)
{
	*error_text = '\0';
	return table_parse(name, "FILE", strdup(text), strlen(text));
}

static struct table *parse_golden(const char *name)
{
	size_t i = 0;

	while (strcmp(golden[i].table, name))
		i++;
	return parse(name, golden[i].text);
}

#define CALLERS_HEAD KMA_GOLDEN_HEAD("callers", KMA_GOLDEN_QUIET) \
		     KMA_GOLDEN_CALLERS_COLUMNS

/* Live bytes, live objects, hits, requested, allocated; the rest is zero. */
#define CALLER(bytes, objs, hits, req, alloc, site) \
	#bytes " " #objs " " #hits " " #req " " #alloc " 0 0 0 0 0 0 0 0 0.000 " site "\n"

static void expect_error(int line, const char *name, const char *text,
			 const char *error)
{
	struct table *t = parse(name, text);

	expect_text(line, t ? "no error" : error_text, error);
	table_free(t);
}

#define EXPECT_ERROR(name, text, error) expect_error(__LINE__, name, text, error)

/* First letters of the labels. */
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

	EXPECT(t->nr_rows == 3);
	EXPECT_TEXT(t->rows[0]->label, "bytes_requested");
	EXPECT(t->rows[0]->format == FORMAT_U64 && t->rows[0]->v[0] == U64_MAX);
	EXPECT(t->rows[1]->format == FORMAT_S64 && (s64)t->rows[1]->v[0] == -128);
	EXPECT(t->rows[2]->format == FORMAT_MILLI && t->rows[2]->v[0] == 37500);
	table_free(t);
	t = parse_golden("stats");
	EXPECT(!t->nr_rows);
	EXPECT_TEXT(table_field(t, "unmatched"), "5");
	table_free(t);
}

/* Every way to cut a table short: what has all its lines whole is understood. */
static void golden_prefixes(void)
{
	char text[2048];
	struct table *t;
	size_t i, len;

	for (i = 0; i < NR_GOLDEN; i++) {
		for (len = 0; len < strlen(golden[i].text); len++) {
			snprintf(text, len + 1, "%s", golden[i].text);
			t = parse(golden[i].table, text);
			if (t ? text[len - 1] != '\n' : !*error_text)
				fail_at(__LINE__, text);
			table_free(t);
		}
	}
}

/* ---- what is refused ------------------------------------------------------ */

static void refuses_heads(void)
{
	EXPECT_ERROR("callers", "", "FILE is empty");
	EXPECT_ERROR("callers", "\n", "FILE is not a table of kmemacct");
	EXPECT_ERROR("callers", "hello\n", "FILE is not a table of kmemacct");
	EXPECT_ERROR("callers", "# kmemacct\n", "FILE is not the table callers");
	EXPECT_ERROR("caches", CALLERS_HEAD, "FILE is not the table caches");
	EXPECT_ERROR("callers", "# kmemacct callers\n",
		     "FILE: line 1: has no format version");
	EXPECT_ERROR("callers", "# kmemacct callers one\n",
		     "FILE: line 1: has no format version");
	EXPECT_ERROR("callers", "# kmemacct callers 1 anything\nat all\n",
		     "FILE has format version 1, not 2: use the kmemacct of that version");
	EXPECT_ERROR("callers", "# kmemacct callers 2 dropped\n",
		     "FILE: line 1: a field is not key=value");
	EXPECT_ERROR("callers", "# kmemacct callers 2 dropped=\n",
		     "FILE: line 1: a field is not key=value");
	EXPECT_ERROR("callers", "# kmemacct callers 2 =1\n",
		     "FILE: line 1: a field is not key=value");
	EXPECT_ERROR("callers", "# kmemacct callers 2 dropped=0",
		     "FILE is cut short: its last line has no end");
}

static void refuses_columns(void)
{
	EXPECT_ERROR("callers", "# kmemacct callers 2\n",
		     "FILE: line 2: should have the names of the columns");
	EXPECT_ERROR("callers", "# kmemacct callers 2\n# hits\n",
		     "FILE: line 2: live_bytes is not where format version 2 has it");
	EXPECT_ERROR("summary", "# kmemacct summary 2\n# name\n",
		     "FILE: line 2: value is not where format version 2 has it");
	EXPECT_ERROR("summary", "# kmemacct summary 2\n# name value more\n",
		     "FILE: line 2: has more columns than are known");
}

#define PAIRS_HEAD KMA_GOLDEN_HEAD("summary", KMA_GOLDEN_QUIET) \
		   KMA_GOLDEN_PAIR_COLUMNS

static void refuses_rows(void)
{
	EXPECT_ERROR("callers", CALLERS_HEAD "\n", "FILE: line 3: ends too soon");
	EXPECT_ERROR("callers", CALLERS_HEAD CALLER(1, 2, 3, 4, 5, "a") "1 2 3\n",
		     "FILE: line 4: ends too soon");
	EXPECT_ERROR("callers", CALLERS_HEAD "1 2 3 4 5 6 7 8 9 10 11 12 13 0.000\n",
		     "FILE: line 3: ends too soon");
	EXPECT_ERROR("callers", CALLERS_HEAD CALLER(1, x, 3, 4, 5, "a"),
		     "FILE: line 3: live_objs cannot be 'x'");
	EXPECT_ERROR("callers", CALLERS_HEAD CALLER(1, -2, 3, 4, 5, "a"),
		     "FILE: line 3: live_objs cannot be '-2'");
	EXPECT_ERROR("callers", CALLERS_HEAD CALLER(1, 2, 18446744073709551616, 4, 5, "a"),
		     "FILE: line 3: hits cannot be '18446744073709551616'");
	EXPECT_ERROR("callers", CALLERS_HEAD "1 2 3 4 5 6 7 8 9 10 11 12 13 14 a\n",
		     "FILE: line 3: frag_pct cannot be '14'");
	EXPECT_ERROR("allocs", KMA_GOLDEN_HEAD("allocs", KMA_GOLDEN_QUIET)
		     KMA_GOLDEN_ALLOCS_COLUMNS "xyz" KMA_GOLDEN_ALLOCS_ROW_1,
		     "FILE: line 3: ptr cannot be 'xyz'");
	EXPECT_ERROR("summary", PAIRS_HEAD "hits\n", "FILE: line 3: ends too soon");
	EXPECT_ERROR("summary", PAIRS_HEAD "hits 1x\n",
		     "FILE: line 3: hits cannot be '1x'");
	EXPECT_ERROR("summary", PAIRS_HEAD "hits -9223372036854775809\n",
		     "FILE: line 3: hits cannot be '-9223372036854775809'");
	EXPECT_ERROR("summary", PAIRS_HEAD "hits 1 2\n",
		     "FILE: line 3: has more than a name and a value");
}

static void refuses_a_nul(void)
{
	static const char text[] = CALLERS_HEAD "\0\n";
	char *copy = alloc(1, sizeof(text));

	memcpy(copy, text, sizeof(text));
	EXPECT(!table_parse("callers", "FILE", copy, sizeof(text) - 1));
	EXPECT_TEXT(error_text, "FILE is not text: it has a NUL");
}

/* Nothing that a terminal would obey. */
static void replaces_control_characters(void)
{
	struct table *t = parse("callers", CALLERS_HEAD
				CALLER(1, 2, 3, 4, 5, "a\x1b[31m\xff\tb"));

	EXPECT_TEXT(t->rows[0]->label, "a?[31m??b");
	table_free(t);
	EXPECT_ERROR("callers", CALLERS_HEAD "\x1b[2J\n",
		     "FILE: line 3: live_bytes cannot be '?[2J'");
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
	EXPECT(number_parse_duration("", &ms) && number_parse_duration("s", &ms));
	EXPECT(number_parse_duration("30", &ms) && number_parse_duration("-1s", &ms));
	EXPECT(number_parse_duration("1.5h", &ms) && number_parse_duration("1w", &ms));
	EXPECT(number_parse_duration("18446744073709551615d", &ms));
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
		number_print_size(buf, known[i].bytes);
		EXPECT_TEXT(buf, known[i].text);
	}
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

/* The module's own test has these. */
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

static void labels_are_cut_in_the_middle(void)
{
	static const char label[] = "proc_alloc_inode+0x1d [module]";
	static const struct {
		int width;
		const char *text;
	} known[] = {
		{ 40, label },
		{ 30, label },
		{ 29, "proc_alloc_in...0x1d [module]" },
		{ 13, "proc_...dule]" },
		{ 12, "proc...dule]" },
		{ 4, "...]" },
	};
	char copy[sizeof(label)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		memcpy(copy, label, sizeof(copy));
		print_cut(copy, known[i].width);
		EXPECT_TEXT(copy, known[i].text);
	}
}

/* ---- order ---------------------------------------------------------------- */

/* As in the module's own test. */
#define SORT_ROWS \
	CALLER(10, 2, 7, 8, 10, "c") \
	CALLER(10, 1, 18446744073709551615, 10, 10, "a") \
	CALLER(30, 1, 0, 1, 10, "e") \
	CALLER(10, 2, 9, 5, 10, "b") \
	CALLER(1099511627776, 1, 3, 9, 10, "d")

static void expect_order(int line, const char *keys, const char *order)
{
	struct table *t = parse("callers", CALLERS_HEAD SORT_ROWS);
	struct sort sort = {};

	if (keys && sort_parse(&sort, t, keys))
		fail_at(line, keys);
	sort_rows(t, &sort);
	expect_text(line, letters(t), order);
	table_free(t);
}

static void rows_are_sorted(void)
{
	expect_order(__LINE__, NULL, "caebd");
	expect_order(__LINE__, "hits", "abcde");
	expect_order(__LINE__, "site", "abcde");
	expect_order(__LINE__, "live_bytes,live_objs,site", "debca");
	/* Stable: what compares equal stays in order. */
	expect_order(__LINE__, "pingpong", "caebd");
	expect_order(__LINE__, "live_objs", "cbaed");
	expect_order(__LINE__, "live_bytes", "decab");
}

static void differences_are_sorted_by_sign(void)
{
	struct table *t = derive_difference(parse("callers", CALLERS_HEAD
						  CALLER(5, 0, 0, 0, 0, "b")
						  CALLER(1, 0, 0, 0, 0, "c")),
					    parse("callers", CALLERS_HEAD
						  CALLER(7, 0, 0, 0, 0, "a")
						  CALLER(0, 0, 0, 0, 0, "b")
						  CALLER(1, 0, 1, 0, 0, "c")));
	const struct sort sort = { .key = { COUNT_live_bytes }, .nr = 1 };

	sort_rows(t, &sort);
	EXPECT_TEXT(letters(t), "acb");
	EXPECT((s64)t->rows[2]->v[COUNT_live_bytes] == -5);
	table_free(t);
}

static void keys_are_refused(void)
{
#define X(name, format) ", " #name
	static const char known[] = KMA_CALLERS_COLUMNS(X);
#undef X
	static const char * const keys[] = { "", "hit", "hitss", "Hits", "cache", "hits," };
	static const char * const named[] = { "", "hit", "hitss", "Hits", "cache", "" };
	static const char eight[] = "hits,hits,hits,hits,hits,hits,hits,hits";
	struct table *t = parse_golden("callers");
	struct sort sort;
	char error[512];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		EXPECT(sort_parse(&sort, t, keys[i]));
		snprintf(error, sizeof(error), "callers has no sort key '%s': use %s",
			 named[i], known + 2);
		EXPECT_TEXT(error_text, error);
	}
	snprintf(error, sizeof(error), "%s,%s,%s,%s", eight, eight, eight, eight);
	EXPECT(sort_parse(&sort, t, error));
	EXPECT_TEXT(error_text, "-s takes at most 16 keys");
	table_free(t);
}

/* ---- tables of tables ----------------------------------------------------- */

static void modules_are_sums(void)
{
	struct table *t = parse("callers", CALLERS_HEAD
				CALLER(1, 1, 1, 1, 3, "a+0x1")
				CALLER(2, 1, 1, 2, 3, "b+0x1 [ext4]")
				CALLER(4, 1, 1, 1, 3, "c+0x1")
				CALLER(8, 1, 1, 0, 0, "[other]")
				CALLER(16, 1, 1, 1, 3, "d+0x1 [ext4]")
				CALLER(32, 1, 1, 1, 3, "e+0x1 [other]"));

	derive_modules(t);
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
	#ptr " 1 " #alloc " " #age " 0 0 - " site "\n"

static void leaks_are_old(void)
{
	struct table *t = derive_leaks(parse("allocs", ALLOCS_HEAD
					     ALLOC(1, 64, 3000, "b")
					     ALLOC(2, 32, 2000, "a")
					     ALLOC(3, 64, 1000, "b")
					     ALLOC(4, 64, 999, "b")
					     ALLOC(5, 64, 10, "c")), 1000);

	EXPECT_TEXT(letters(t), "ab");
	EXPECT(t->rows[1]->v[0] == 128 && t->rows[1]->v[1] == 2 &&
	       t->rows[1]->v[2] == 3000);
	EXPECT_TEXT(table_field(t, "dropped"), "0");
	table_free(t);
}

static void expect_object(int line, const char *text, u64 addr, const char *found)
{
	struct table *t = parse("allocs", text);

	if (derive_object(t, addr))
		expect_text(line, error_text, found);
	else
		expect_text(line, letters(t), found);
	table_free(t);
}

static void objects_are_found(void)
{
	static const char text[] = ALLOCS_HEAD
		ALLOC(ffff888000001000, 64, 10, "a")
		ALLOC(ffff888000001040, 32, 10, "b")
		ALLOC(ffffffffffffffc0, 64, 10, "c");

	expect_object(__LINE__, text, 0xffff888000001000, "a");
	expect_object(__LINE__, text, 0xffff88800000103f, "a");
	expect_object(__LINE__, text, 0xffff888000001040, "b");
	expect_object(__LINE__, text, U64_MAX, "c");
	expect_object(__LINE__, text, 0xffff888000000fff,
		      "no live object at 0xffff888000000fff: it was freed, or is older than the module");
	expect_object(__LINE__, text, 0xffff888000001060,
		      "no live object at 0xffff888000001060: it was freed, or is older than the module");
	/* Of a hash it is only the same that means something. */
	expect_object(__LINE__, ALLOCS_HEAD ALLOC(00000000caf9042c, 64, 10, "h"),
		      0xcaf9042c, "h");
	expect_object(__LINE__, ALLOCS_HEAD ALLOC(00000000caf9042c, 64, 10, "h"),
		      0xcaf9042d,
		      "no object is shown as 00000000caf9042d: try sysctl kernel.kptr_restrict=1");
	expect_object(__LINE__, ALLOCS_HEAD ALLOC(0000000000000000, 64, 10, "h"), 0,
		      "addresses are hidden: sysctl kernel.kptr_restrict=1 shows them");
	expect_object(__LINE__, ALLOCS_HEAD ALLOC((____ptrval____), 64, 10, "h"), 0,
		      "addresses are hidden: sysctl kernel.kptr_restrict=1 shows them");
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

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
#define TEST(name) { #name, name }
	TEST(golden_callers),
	TEST(golden_caches),
	TEST(golden_allocs),
	TEST(golden_pairs),
	TEST(golden_prefixes),
	TEST(refuses_heads),
	TEST(refuses_columns),
	TEST(refuses_rows),
	TEST(refuses_a_nul),
	TEST(replaces_control_characters),
	TEST(numbers_are_parsed),
	TEST(durations_are_parsed),
	TEST(sizes_are_human),
	TEST(ages_are_human),
	TEST(frag_is_the_modules),
	TEST(labels_are_cut_in_the_middle),
	TEST(rows_are_sorted),
	TEST(differences_are_sorted_by_sign),
	TEST(keys_are_refused),
	TEST(modules_are_sums),
	TEST(leaks_are_old),
	TEST(objects_are_found),
	TEST(symbols_are_found),
	TEST(symbols_are_refused),
};

static int run_tests(void)
{
	int before, failed = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		before = failures;
		tests[i].run();
		printf("%s %s\n", failures > before ? "FAIL" : "ok", tests[i].name);
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

static int write_golden(const char *dir)
{
	int failed = 0;
	size_t i;

	for (i = 0; i < NR_GOLDEN; i++)
		failed |= write_file(dir, golden[i].table, -1, golden[i].text);
	return failed;
}

/* The first byte says what it is: see fuzz.c. */
static int write_seeds(const char *dir)
{
	int failed = 0;
	size_t i;

	for (i = 0; i < NR_GOLDEN; i++)
		failed |= write_file(dir, golden[i].table, i, golden[i].text);
	failed |= write_file(dir, "kallsyms", NR_GOLDEN, SYMBOLS);
	return failed | write_file(dir, "words", NR_GOLDEN + 1, "hits,site");
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "golden"))
		return write_golden(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "seeds"))
		return write_seeds(argv[2]);
	return run_tests();
}
