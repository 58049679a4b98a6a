/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites of the tables and of the commands share: the module's own tables,
 * as kma_engine_start() makes them, but without probes.
 */
#ifndef KMA_KUNIT_TABLE_UTIL_H
#define KMA_KUNIT_TABLE_UTIL_H

#include <linux/mm.h>

#include "util.h"
#include "module.h"

#define KMA_TEST_PTR	0xdead000001234000UL	/* virt_addr_valid() of nothing */
/* A call site with a name: kfree+0x1. */
#define KMA_TEST_SITE	((unsigned long)kfree + 1)

/* Make the tables, and let all counters start at 0. For struct kunit_suite. */
int kma_table_init_suite(struct kunit_suite *suite);
int kma_table_init_test(struct kunit *test);
void kma_table_exit_test(struct kunit *test);

/* An allocation of @size bytes that asks for @bytes_req. */
static inline void kma_alloc(unsigned long site, unsigned long ptr, u32 size,
			     u32 bytes_req)
{
	const struct kma_event ev = {
		.site = site,
		.ptr = ptr,
		.cache = size,
		.kmalloc = true,
		.bytes_req = bytes_req,
		.node = NUMA_NO_NODE,
	};

	kma_fake_alloc(&kma_core, &ev);
}

/* An object of a bulk allocation. */
static inline void kma_bulk(unsigned long site, unsigned long ptr, u32 size)
{
	kma_fake_bulk(&kma_core, site, ptr, size);
}

static inline void kma_free(unsigned long ptr)
{
	kma_fake_free(&kma_core, ptr);
}

/* A table as it is now; it is closed at the end of the test. */
struct kma_snapshot *kma_table_open(struct kunit *test, struct kma_table *table);

/* A table with rows that were made by hand, 12.345 seconds after it began. */
struct kma_snapshot kma_snapshot_of(struct kma_table *table, void *rows, size_t nr_rows);

/* The text of a table's head, and of its rows; both live as long as the test. */
const char *kma_table_head(struct kunit *test, const struct kma_snapshot *snap);
const char *kma_table_body(struct kunit *test, const struct kma_snapshot *snap);

/* All text of a table's file; lives as long as the test. */
char *kma_table_text(struct kunit *test, struct kma_table *table);

/* A row of counters by its label, or NULL. */
const struct kma_site_counts *kma_row_labelled(const struct kma_snapshot *snap,
					       const char *label);

/**
 * struct kma_known_row - what a case expects of a row of counters
 * @label: its label
 * @v: all its columns
 */
struct kma_known_row {
	const char *label;
	u64 v[KMA_COUNT_NR];
};

/* Check all columns of the row that has the label. */
void kma_expect_known_row(struct kunit *test, const struct kma_known_row *expect,
			  const struct kma_snapshot *snap);

/* The same, of a table as it is now. */
static inline void kma_expect_table_row(struct kunit *test,
					const struct kma_known_row *expect,
					struct kma_table *table)
{
	kma_expect_known_row(test, expect, kma_table_open(test, table));
}

/* Check all of a table: its rows, of which there are no others, in any order. */
void kma_expect_table(struct kunit *test, const struct kma_known_row *expect, size_t nr,
		      struct kma_table *table);

#endif /* KMA_KUNIT_TABLE_UTIL_H */
