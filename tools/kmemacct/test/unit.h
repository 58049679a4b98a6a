/* SPDX-License-Identifier: GPL-2.0 */
/* Functions and macros that the unit tests of the reader share. */
#ifndef READER_TEST_UNIT_H
#define READER_TEST_UNIT_H

#include "golden.h"
#include "out/out.h"

/**
 * struct test - a unit test
 * @name: its name
 * @run: the test, which calls fail_at()
 * @next: the test that runs after it
 */
struct test {
	const char *name;
	void (*run)(void);
	struct test *next;
};

/* Run a test after all that were added before it. */
void test_add(struct test *test);

/* Begin a test, the function test_NAME(); add_NAME() adds it before main(). */
#define TEST(name) \
	static void test_##name(void); \
	static void __attribute__((__constructor__)) add_##name(void) \
	{ \
		static struct test test = { #name, test_##name }; \
		test_add(&test); \
	} \
	static void test_##name(void)

/* Report that something is not as expected. */
void fail_at(int line, const char *what);

#define EXPECT(condition) \
	do { \
		if (!(condition)) \
			fail_at(__LINE__, #condition); \
	} while (0)

void expect_text(int line, const char *got, const char *expected);

#define EXPECT_TEXT(got, expected) expect_text(__LINE__, got, expected)

/* Begin a text, and compare what has been written. */
FILE *output(void);
void expect_output(int line, const char *expected);

#define EXPECT_OUTPUT(expected) expect_output(__LINE__, expected)

/* Parse a table, or one of the tables in golden.h. */
struct table *parse(const char *name, const char *text);
struct table *parse_golden(const char *name);
struct table *parse_sampled(const char *name);

/* Make a view of all rows of a table, which it takes ownership of; with rows in an order. */
struct view view_of(struct table *t);
struct view view_by(struct table *t, const char *keys);

/* Return: the first letter of each label. */
const char *letters(const struct table *t);

/* Compare rows as `-r -o COLUMNS` prints them; NULL: the usual columns.  Frees the table. */
void expect_rows(int line, struct table *t, const char *columns, const char *expected);

#define EXPECT_ROWS(t, columns, expected) expect_rows(__LINE__, t, columns, expected)

/*
 * Compare what is printed: without the comments at its beginning, unless the text that is expected
 * begins with one.  Members of struct style follow.  Frees the view.
 */
void expect_printed(int line, struct view v, const struct style *style, const char *expected);

#define EXPECT_PRINTED(v, expected, ...) \
	expect_printed(__LINE__, v, &(struct style) { __VA_ARGS__ }, expected)

/* Compare the interval of a value: `LOW..HIGH`. */
void expect_interval(int line, const struct table *t, int row, const char *column,
		     const char *expected);

#define EXPECT_INTERVAL(t, row, column, expected) \
	expect_interval(__LINE__, t, row, column, expected)

/* The argument of a function, and the expected result. */
struct given {
	const char *given;
	const char *expected;
};

/* A number and its text. */
struct known {
	u64 number;
	const char *text;
};

/* Print numbers, or parse texts; the list ends with one without a text. */
void expect_prints(int line, void (*print)(char *buf, u64 number), const struct known *k);
void expect_parses(int line, int (*parse)(const char *text, u64 *number), const struct known *k);
void expect_refuses(int line, int (*parse)(const char *text, u64 *number),
		    const char * const *text);

#define EXPECT_PRINTS(print, ...) \
	expect_prints(__LINE__, print, (const struct known []) { __VA_ARGS__, {} })
#define EXPECT_PARSES(parse, ...) \
	expect_parses(__LINE__, parse, (const struct known []) { __VA_ARGS__, {} })
#define EXPECT_REFUSES(parse, ...) \
	expect_refuses(__LINE__, parse, (const char * const []) { __VA_ARGS__, NULL })

/* Return: the unit of a value in a table of pairs, by its name. */
enum unit unit_of_pair(const char *name);

#endif /* READER_TEST_UNIT_H */
