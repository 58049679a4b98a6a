/* SPDX-License-Identifier: GPL-2.0 */
/* What the suites share. */
#ifndef KMA_KUNIT_UTIL_H
#define KMA_KUNIT_UTIL_H

#include <kunit/test.h>
#include <linux/fs.h>

#include "module.h"

/* Page frames of a table; more than any test of generations has objects on. */
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
extern struct kunit_suite kma_report_text_suite;
extern struct kunit_suite kma_report_rows_suite;
extern struct kunit_suite kma_report_samples_suite;
extern struct kunit_suite kma_control_suite;
extern struct kunit_suite kma_control_refuse_suite;
extern struct kunit_suite kma_control_reset_suite;
extern struct kunit_suite kma_cacheinfo_suite;
extern struct kunit_suite kma_probe_suite;
extern struct kunit_suite kma_sampling_suite;
extern struct kunit_suite kma_storm_suite;
extern struct kunit_suite kma_engine_suite;

/* ---- random numbers ------------------------------------------------------- */

/**
 * kma_random() - the next number of a sequence that is the same in every run
 * @state: where the sequence is; start with any number, the seed
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

/* A number below @n. */
static inline u32 kma_random_below(u64 *state, u32 n)
{
	return (kma_random(state) >> 32) * n >> 32;
}

/* 64 bits that depend on all of those given. */
static inline u64 kma_mix(u64 x)
{
	return kma_random(&x);
}

/* ---- expectations --------------------------------------------------------- */

/*
 * A case states the record it expects first, as an initialiser, then acts, and
 * then compares all fields at once.  Each field that differs is reported by name.
 */

/**
 * struct kma_field - a field of a record
 * @name: its name
 * @offset: where it is
 * @bytes: 1, 2, 4 or 8 for a number
 * @text: it is not a number but a string
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
 * @what: what the records are of, for the report
 * @fields: an array of the fields to compare
 * @expect: the record that is expected
 * @actual: the record that is there, of the same type
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

/* All counters of a row, or of several that were added up. */
void kma_expect_row(struct kunit *test, const struct kma_row *expect,
		    const struct kma_row *actual);

/* The same, of the row with this number in a table. */
void kma_expect_row_sum(struct kunit *test, const struct kma_row *expect,
			const struct kma_sitetab *sites, u32 id);

/* What an entry says of its object; @generation and @where are the table's own. */
void kma_expect_entry(struct kunit *test, const struct kma_entry *expect,
		      const struct kma_entry *actual);

/* What a row stands for; where it is in the map, @key and @slot, is not compared. */
void kma_expect_site_info(struct kunit *test, const struct kma_site_info *expect,
			  const struct kma_site_info *actual);

/* All that is known of a cache. */
void kma_expect_cache_info(struct kunit *test, const struct kma_cache_info *expect,
			   const struct kma_cache_info *actual);

/**
 * kma_expect_stats() - check all counters of the module
 * @test: the test
 * @expect: KMA_STAT_NR values, as they are expected since kma_stats_clear()
 *
 * Not compared are the times that the module takes, and how many entries of the
 * live table have spilled, which depends on the table's size.
 *
 * Context: process; no probe is attached.
 */
void kma_expect_stats(struct kunit *test, const u64 *expect);

/* Add all counters of @more to @sum. */
void kma_row_add(struct kma_row *sum, const struct kma_row *more);

/* ---- entries -------------------------------------------------------------- */

/**
 * kma_payload() - an entry for an object
 * @ptr: its address
 * @count: how often it has lived
 *
 * Context: any.
 * Return: an entry of which each field depends on both, and
 * one of them is @count: so a mixture of two shows.
 */
struct kma_entry kma_payload(unsigned long ptr, u32 count);

/* Whether an entry is what kma_payload() made. */
bool kma_payload_is(const struct kma_entry *e, unsigned long ptr, u32 count);

/* ---- threads -------------------------------------------------------------- */

/**
 * kma_crew_run() - run a function in several threads, one after another a CPU
 * @work: the function; all threads enter it at the same time
 * @arg: handed on
 * @nr: how many threads; their numbers are handed on too
 *
 * Context: process, may sleep.
 * Return: 0 after all have returned, or an error
 * if a thread cannot be made; then none has run.
 */
int kma_crew_run(void (*work)(void *arg, int nr), void *arg, int nr);

/* One thread a CPU, but never one alone. */
static inline int kma_crew_size(void)
{
	return max_t(int, num_online_cpus(), 2);
}

/* Another online CPU than this one; skips the test if there is none. */
int kma_other_cpu(struct kunit *test);

/* ---- the module's state --------------------------------------------------- */

/**
 * kma_test_sample_bytes() - set `sample_bytes`, as a parameter
 * @bytes: the value
 *
 * Context: process, may sleep.
 * Return: as for kma_setting_write().
 */
int kma_test_sample_bytes(u64 bytes);

/* A counter of the module, over all CPUs. */
u64 kma_stat_sum(enum kma_stat stat);
#define kma_stat_now(name) kma_stat_sum(KMA_STAT_##name)

/* All counters of the module start at 0 again, as after insmod. */
void kma_stats_clear(void);

/* How many objects a live table holds, and how many of one row. */
u64 kma_objtab_count(const struct kma_objtab *t);
u64 kma_objtab_count_row(const struct kma_objtab *t, u32 row);

/* ---- made-up events ------------------------------------------------------- */

/*
 * As a probe, or a hook, records them: the rest of an event is on one CPU.  The
 * cache is a size of kmalloc.
 */
void kma_fake_alloc(struct kma_core *c, const struct kma_event *ev);
void kma_fake_bulk(struct kma_core *c, unsigned long site, unsigned long ptr, u32 size);
void kma_fake_free(struct kma_core *c, unsigned long ptr);

/* While objects are sampled; @ev->cache is the size of the object. */
void kma_fake_sampled(struct kma_core *c, const struct kma_event *ev);

/* ---- files ---------------------------------------------------------------- */

/**
 * kma_file_open() - open a file by its functions
 * @test: the test, at whose end it is closed
 * @fops: the file's functions; the file is a seq_file
 * @private: what inode->i_private is
 *
 * Context: process, may sleep.
 * Return: the file.
 */
struct file *kma_file_open(struct kunit *test, const struct file_operations *fops,
			   void *private);

/**
 * kma_file_read() - read part of a file of kma_file_open()
 * @file: the file
 * @buf: room for the text
 * @len: how much to ask for
 * @pos: from where on
 *
 * Context: process, may sleep.
 * Return: how much it was, or an error.
 */
ssize_t kma_file_read(struct file *file, char *buf, size_t len, loff_t pos);

/* All of a file, read @step bytes at a time; lives as long as the test. */
char *kma_file_text(struct kunit *test, struct file *file, size_t step);

/* Print into memory: a seq_file without a file. Freed with the test. */
struct seq_file *kma_seq_new(struct kunit *test);
/* What was printed into it since the last time. */
const char *kma_seq_text(struct seq_file *seq);

#endif /* KMA_KUNIT_UTIL_H */
