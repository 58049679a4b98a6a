/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that the suites share. */
#ifndef KMA_KUNIT_UTIL_H
#define KMA_KUNIT_UTIL_H

#include <kunit/test.h>
#include <linux/fs.h>

#include "module.h"

/* Number of page generations of a table; no test of generations has objects on more pages. */
#define KMA_TEST_PFNS	4096

extern struct kunit_suite kma_objtab_suite;
extern struct kunit_suite kma_objtab_promise_suite;
extern struct kunit_suite kma_objtab_crowd_suite;
extern struct kunit_suite kma_order_suite;
extern struct kunit_suite kma_cachetab_suite;
extern struct kunit_suite kma_sitetab_suite;
extern struct kunit_suite kma_sitetab_retire_suite;
extern struct kunit_suite kma_record_suite;
extern struct kunit_suite kma_record_pages_suite;
extern struct kunit_suite kma_record_model_suite;
extern struct kunit_suite kma_memhotplug_suite;
extern struct kunit_suite kma_report_open_suite;
extern struct kunit_suite kma_report_text_suite;
extern struct kunit_suite kma_report_rows_suite;
extern struct kunit_suite kma_report_samples_suite;
extern struct kunit_suite kma_control_suite;
extern struct kunit_suite kma_control_refuse_suite;
extern struct kunit_suite kma_control_reset_suite;
extern struct kunit_suite kma_countmap_suite;
extern struct kunit_suite kma_recycling_suite;
extern struct kunit_suite kma_cacheinfo_suite;
extern struct kunit_suite kma_probe_suite;
extern struct kunit_suite kma_sampling_suite;
extern struct kunit_suite kma_storm_suite;
extern struct kunit_suite kma_engine_suite;
extern struct kunit_suite kma_selftest_suite;

/* ---- random numbers ------------------------------------------------------- */

/**
 * kma_random() - the next number of a sequence that is the same in every run
 * @state: state of the sequence; its first value is the seed, which may be any number
 *
 * Context: any.
 * Return: 64 evenly distributed bits.
 */
static inline u64 kma_random(u64 *state)
{
	u64 z = (*state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* A random number below @n. */
static inline u32 kma_random_below(u64 *state, u32 n)
{
	return (kma_random(state) >> 32) * n >> 32;
}

/* A hash of 64 bits, each of which depends on all bits of @x. */
static inline u64 kma_mix(u64 x)
{
	return kma_random(&x);
}

/* ---- expectations --------------------------------------------------------- */

/*
 * A test case first states the record that it expects, as an initialiser.  Then it acts,
 * and compares all fields.  The report names each field that differs.
 */

/**
 * struct kma_field - a field of a record
 * @name: its name
 * @offset: its offset in the record
 * @bytes: its size: 1, 2, 4 or 8 for a number
 * @text: it is a string, not a number
 */
struct kma_field {
	const char *name;
	size_t offset;
	size_t bytes;
	bool text;
};

#define KMA_FIELD(record, member) \
	{ #member, offsetof(record, member), sizeof_field(record, member) }
#define KMA_FIELD_TEXT(record, member) \
	{ #member, offsetof(record, member), sizeof_field(record, member), true }

/**
 * kma_expect_fields() - check that two records are equal
 * @test: the test
 * @what: what the records describe, for the report
 * @fields: an array of the fields to compare
 * @expect: the record that is expected
 * @actual: the record to check, of the same type
 *
 * Context: process.
 */
#define kma_expect_fields(test, what, fields, expect, actual) do {	\
	static_assert(__same_type(*(expect), *(actual)));		\
	kma_expect_each_field(test, what, fields, ARRAY_SIZE(fields),	\
			      expect, actual);				\
} while (0)

void kma_expect_each_field(struct kunit *test, const char *what,
			   const struct kma_field *fields, int nr, const void *expect,
			   const void *actual);

/* Check all counters of a row, or the sum of several rows. */
void kma_expect_row(struct kunit *test, const struct kma_row *expect,
		    const struct kma_row *actual);

/* Check all counters of row @id of a table, added up over all CPUs. */
void kma_expect_row_sum(struct kunit *test, const struct kma_row *expect,
			const struct kma_sitetab *sites, u32 id);

/* Check an entry, except @generation and @where, which only the live table uses. */
void kma_expect_entry(struct kunit *test, const struct kma_entry *expect,
		      const struct kma_entry *actual);

/* Check what a row stands for, except @key and @slot, which are its place in the map. */
void kma_expect_site_info(struct kunit *test, const struct kma_site_info *expect,
			  const struct kma_site_info *actual);

/* Check all fields of the description of a cache. */
void kma_expect_cache_info(struct kunit *test, const struct kma_cache_info *expect,
			   const struct kma_cache_info *actual);

/**
 * kma_expect_stats() - check all counters of the module
 * @test: the test
 * @expect: KMA_STAT_NR values, counted since kma_stats_clear()
 *
 * This does not compare the times that the module measures, nor the numbers of spilled
 * entries, which depend on the size of the live table.
 *
 * Context: process; no probe is attached.
 */
void kma_expect_stats(struct kunit *test, const u64 *expect);

/* Add the counters of @more to those of @sum. */

/* ---- entries -------------------------------------------------------------- */

/**
 * kma_payload() - make an entry for an object
 * @ptr: its address
 * @count: how often an object was allocated at this address
 *
 * Every field of the entry depends on both arguments, so that kma_payload_is() detects a
 * mixture of two entries.
 *
 * Context: any.
 * Return: the entry; its bytes_req is @count.
 */
struct kma_entry kma_payload(unsigned long ptr, u32 count);

/* Whether an entry is the one that kma_payload() returns for the same arguments. */
bool kma_payload_is(const struct kma_entry *e, unsigned long ptr, u32 count);

/* ---- threads -------------------------------------------------------------- */

/**
 * kma_crew_run() - run a function in several threads, spread over the online CPUs
 * @work: the function; all threads enter it at the same time
 * @arg: first argument of @work
 * @nr: number of threads; the second argument of @work is the number of its thread
 *
 * Context: process, may sleep.
 * Return: 0 after @work has returned in all threads; or an error if a thread could not be
 * created, and then @work has not run.
 */
int kma_crew_run(void (*work)(void *arg, int nr), void *arg, int nr);

/* Number of threads for kma_crew_run(): one for each CPU, but at least two. */
static inline int kma_crew_size(void)
{
	return max_t(int, num_online_cpus(), 2);
}

/* An online CPU other than this one.  Skips the test if there is none. */
int kma_other_cpu(struct kunit *test);

/* ---- the module's state --------------------------------------------------- */

/**
 * kma_test_sample_bytes() - set `sample_bytes`, as a write to the module parameter does
 * @bytes: the value
 *
 * Context: process, may sleep.
 * Return: 0, or the error of kma_setting_write().
 */
int kma_test_sample_bytes(u64 bytes);

/* A counter of the module, added up over all CPUs. */
u64 kma_stat_sum(enum kma_stat stat);
#define kma_stat_now(name) kma_stat_sum(KMA_STAT_##name)

/* Set all counters of the module to 0, as after insmod. */
void kma_stats_clear(void);

/* Number of objects in a live table: all of them, or those of one row. */
u64 kma_objtab_count(const struct kma_objtab *t);
u64 kma_objtab_count_row(const struct kma_objtab *t, u32 row);

/* ---- made-up events ------------------------------------------------------- */

/*
 * These record an event as a probe or an ftrace_hook does: with preemption off, so that
 * all of the event is on one CPU.  The cache is a kmalloc cache.
 */
void kma_fake_alloc(struct kma_core *c, const struct kma_event *ev);
void kma_fake_bulk(struct kma_core *c, unsigned long site, unsigned long ptr, u32 size);
void kma_fake_free(struct kma_core *c, unsigned long ptr);

/* Record an event while objects are sampled; @ev->cache is the size of the object. */
void kma_fake_sampled(struct kma_core *c, const struct kma_event *ev);

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

#endif /* KMA_KUNIT_UTIL_H */
