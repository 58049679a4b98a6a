/* SPDX-License-Identifier: GPL-2.0 */
/* What the unit tests of the reader have in common. */
#ifndef READER_TEST_UNIT_H
#define READER_TEST_UNIT_H

#include "out/out.h"

/* Report that something is not as expected. */
void fail_at(int line, const char *what);

#define EXPECT(condition) \
	do { \
		if (!(condition)) \
			fail_at(__LINE__, #condition); \
	} while (0)

void expect_text(int line, const char *got, const char *expected);

#define EXPECT_TEXT(got, expected) expect_text(__LINE__, got, expected)

/* Parse a table, or one of the golden tables. */
struct table *parse(const char *name, const char *text);
struct table *parse_golden(const char *name);

/* Make a view of all rows of a table, which it takes ownership of. */
struct view view_of(struct table *t);

/* Return: what a table looks like as text, which the caller frees. */
char *table_text(const struct view *v, const struct style *style);

/* Return: the unit of a value in a table of pairs, by its name. */
enum unit unit_of_pair(const char *name);

/**
 * struct test - a unit test
 * @name: its name
 * @run: the test, which calls fail_at()
 */
struct test {
	const char *name;
	void (*run)(void);
};

#define TEST(name) { #name, name }

/* The tests of test/unit_estimate.c. */
extern const struct test estimate_tests[];
extern const size_t nr_estimate_tests;

/* The tests of test/unit_change.c. */
extern const struct test change_tests[];
extern const size_t nr_change_tests;

/* The tests of test/unit_latency.c. */
extern const struct test latency_tests[];
extern const size_t nr_latency_tests;

/* The tests of test/unit_reader.c. */
extern const struct test reader_tests[];
extern const size_t nr_reader_tests;

/* The tests of test/unit_top.c. */
extern const struct test top_tests[];
extern const size_t nr_top_tests;

/* The tests of test/unit_leaks.c. */
extern const struct test leaks_tests[];
extern const size_t nr_leaks_tests;

/* The tests of test/unit_export.c. */
extern const struct test export_tests[];
extern const size_t nr_export_tests;

#endif /* READER_TEST_UNIT_H */
