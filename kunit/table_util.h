/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that the suites of the tables and of the commands share.  These use the tables
 * of the module, which are made as kma_engine_start() makes them, but without probes.
 */
#ifndef KMA_KUNIT_TABLE_UTIL_H
#define KMA_KUNIT_TABLE_UTIL_H

#include <linux/fs.h>
#include <linux/mm.h>

#include "util.h"

#define KMA_TEST_PTR	0xdead000001234000UL	/* virt_addr_valid() is false for these */
/* A call site that has a name: kfree+0x1. */
#define KMA_TEST_SITE	((unsigned long)kfree + 1)

/* For struct kunit_suite: make the tables and clear all counters; destroy the tables. */
int kma_table_init_suite(struct kunit_suite *suite);
int kma_table_init_test(struct kunit *test);
void kma_table_exit_test(struct kunit *test);

/* An allocation of @bytes_req bytes, whose object takes @size bytes, by kmalloc(). */
static inline struct kma_event kma_test_event(unsigned long site, unsigned long ptr, u32 size,
					      u32 bytes_req)
{
	return (struct kma_event) {
		.site = site,
		.ptr = ptr,
		.cache = size,
		.kmalloc = true,
		.bytes_req = bytes_req,
		.node = NUMA_NO_NODE,
	};
}

/*
 * Record an event as a probe does: with preemption off, so that all of the event is on one CPU.
 * kma_sample() is for allocations while objects are sampled; @ev->cache is the object's size.
 */
void kma_record(const struct kma_event *ev);
void kma_sample(const struct kma_event *ev);
void kma_alloc(unsigned long site, unsigned long ptr, u32 size, u32 bytes_req);
void kma_free(unsigned long ptr);

/* Record an object of a bulk allocation, without a requested size. */
void kma_bulk(unsigned long site, unsigned long ptr, u32 size);

/* Record an object, and free its page without an event that the object was freed. */
void kma_leave_stale(unsigned long ptr);

/* ---- files ---------------------------------------------------------------- */

/**
 * kma_file_open() - open a file that is defined by its file_operations
 * @test: the test; the file is closed when it ends
 * @fops: the operations; kma_file_read() is for those of a seq_file only
 * @private: value of inode->i_private
 *
 * Context: process, may sleep.
 * Return: the file.
 */
struct file *kma_file_open(struct kunit *test, const struct file_operations *fops,
			   const void *private);

/**
 * kma_file_read() - read part of a file of kma_file_open()
 * @file: the file
 * @buf: buffer for the text
 * @len: number of bytes to read
 * @pos: offset in the file
 *
 * Context: process, may sleep.
 * Return: number of bytes that were read, or an error.
 */
ssize_t kma_file_read(struct file *file, char *buf, size_t len, loff_t pos);

/* Read a whole file, @step bytes at a time.  The text is freed when the test ends. */
char *kma_file_text(struct kunit *test, struct file *file, size_t step);

/* Make a seq_file without a file, which prints into memory.  Freed when the test ends. */
struct seq_file *kma_seq_new(struct kunit *test);
/* The text that was printed since the last call of this function. */
const char *kma_seq_text(struct seq_file *seq);

/* ---- tables --------------------------------------------------------------- */

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

/*
 * The row of objects that take @size bytes, of which 15/16 were requested: @live of them are
 * live, @hits were allocated, and @frees were freed.
 */
struct kma_known_row kma_known(const char *label, u64 size, u64 live, u64 hits, u64 frees);

/* Add the counters of another such row. */
void kma_known_add(struct kma_known_row *sum, const struct kma_known_row *more);

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

/* ---- commands ------------------------------------------------------------- */

/* For struct kunit_suite: make the tables and the settings; destroy them. */
int kma_control_init_test(struct kunit *test);
void kma_control_exit_test(struct kunit *test);

/* Run a command; the module gets a copy that it may change. Return: 0 or an error. */
int kma_control_command(struct kunit *test, const char *command);

/* The whole text of the file `control`.  It is freed when the test ends. */
char *kma_control_text(struct kunit *test);

/* The value of last_error: why the last command was refused, or "none". */
const char *kma_control_last_error(struct kunit *test);

/* Check that a command is refused for the reason @why, and changes only last_error. */
void kma_expect_refused(struct kunit *test, const char *command, const char *why);

#endif /* KMA_KUNIT_TABLE_UTIL_H */
