/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that the suites of the tables and of the commands share.  These use the tables
 * of the module, which are made as kma_engine_start() makes them, but without probes.
 */
#ifndef KMA_KUNIT_TABLE_UTIL_H
#define KMA_KUNIT_TABLE_UTIL_H

#include <linux/mm.h>

#include "util.h"
#include "module.h"

#define KMA_TEST_PTR	0xdead000001234000UL	/* virt_addr_valid() is false for these */
/* A call site that has a name: kfree+0x1. */
#define KMA_TEST_SITE	((unsigned long)kfree + 1)

/* For struct kunit_suite: make the tables and clear all counters; destroy the tables. */
int kma_table_init_suite(struct kunit_suite *suite);
int kma_table_init_test(struct kunit *test);
void kma_table_exit_test(struct kunit *test);

/* Record an allocation of @bytes_req bytes, whose object takes @size bytes. */
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

/* Record an object of a bulk allocation. */
static inline void kma_bulk(unsigned long site, unsigned long ptr, u32 size)
{
	kma_fake_bulk(&kma_core, site, ptr, size);
}

static inline void kma_free(unsigned long ptr)
{
	kma_fake_free(&kma_core, ptr);
}

/* Record an object, and free its page without an event that the object was freed. */
static inline void kma_leave_stale(unsigned long ptr)
{
	kma_alloc(KMA_TEST_SITE, ptr, 64, 60);
	kma_record_pages_free(&kma_core, ptr, 0);
}

/* Open a snapshot of a table.  It is closed when the test ends. */
struct kma_snapshot *kma_table_open(struct kunit *test, const struct kma_table *table);

/* The identity in KMA_GOLDEN_IDENTITY. */
extern const struct kma_identity kma_test_identity;

/* Make a snapshot with this identity and the given rows, whose window is 12.345 seconds. */
struct kma_snapshot kma_snapshot_of(const struct kma_table *table, void *rows, size_t nr_rows);

/* The text of a table's head, and of its rows.  Both are freed when the test ends. */
const char *kma_table_head(struct kunit *test, const struct kma_snapshot *snap);
const char *kma_table_body(struct kunit *test, const struct kma_snapshot *snap);

/* The whole text of a table's file.  It is freed when the test ends. */
char *kma_table_text(struct kunit *test, const struct kma_table *table);

/* Find a column by its name. Return: its number, or -ENOENT. */
int kma_table_column(const struct kma_table *table, const char *name);

/* Find a row of counters by its label. Return: the row, or NULL. */
const struct kma_site_counts *kma_row_labelled(const struct kma_snapshot *snap,
					       const char *label);

/**
 * struct kma_known_row - a row of counters that a test case expects
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

/* Check all columns of the row that has the label, in a new snapshot of @table. */
static inline void kma_expect_table_row(struct kunit *test,
					const struct kma_known_row *expect,
					const struct kma_table *table)
{
	kma_expect_known_row(test, expect, kma_table_open(test, table));
}

/* Check all rows of a table, in any order, and that there are no other rows. */
void kma_expect_table(struct kunit *test, const struct kma_known_row *expect, size_t nr,
		      const struct kma_table *table);

#endif /* KMA_KUNIT_TABLE_UTIL_H */
