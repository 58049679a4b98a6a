// SPDX-License-Identifier: GPL-2.0
/*
 * Counts the cache lines of the module that a kmalloc and kfree pair touches.
 *
 * The core and the probes are compiled for the thread sanitizer, so the compiler inserts a
 * call at each memory access, except to local variables on the stack.  This file defines the
 * functions that are called; the sanitizer's library is not linked.  struct kma_env stands
 * for the kernel's own variables, such as jiffies, and is not counted.
 */
#include <stdio.h>
#include <stdlib.h>

#include "probes.h"

#define KMA_LINES_MAX	16384

/* The cache lines of the current pair.  There are many: the first pair reads whole tables. */
static struct {
	unsigned long line;
	bool written;
} kma_lines[KMA_LINES_MAX];
static u32 kma_lines_nr;

/* An access this close to the current frame, in bytes, is to the stack, and is not counted. */
#define KMA_LINES_STACK	65536UL

static bool kma_line_counts(unsigned long at)
{
	unsigned long stack = (unsigned long)__builtin_frame_address(0);

	return at - (unsigned long)&kma_env >= sizeof(kma_env) &&
	       at - stack + KMA_LINES_STACK >= 2 * KMA_LINES_STACK;
}

static void kma_line(const void *at, bool written)
{
	unsigned long line = (unsigned long)at / 64;
	u32 i;

	if (!kma_line_counts((unsigned long)at))
		return;
	for (i = 0; i < kma_lines_nr && kma_lines[i].line != line; i++)
		;
	if (i == KMA_LINES_MAX)
		abort();
	if (i == kma_lines_nr) {
		kma_lines[i].written = false;
		kma_lines[kma_lines_nr++].line = line;
	}
	kma_lines[i].written |= written;
}

/* An access that is not aligned may touch two lines. */
static void kma_line_both(const void *at, size_t bytes, bool written)
{
	kma_line(at, written);
	kma_line((const char *)at + bytes - 1, written);
}

void kma_line_write(void *at)
{
	kma_line(at, true);
}

/* ---- functions of the thread sanitizer --------------------------------------- */

/* No header declares these functions: the compiler has their prototypes built in. */
#define KMA_TSAN_PLAIN(bytes)						\
void __tsan_read##bytes(void *at)					\
{									\
	kma_line_both(at, bytes, false);				\
}									\
									\
void __tsan_write##bytes(void *at)					\
{									\
	kma_line_both(at, bytes, true);					\
}

#define KMA_TSAN_ATOMIC(bits, type)					\
type __tsan_atomic##bits##_load(const type *at, int order)		\
{									\
	(void)order;							\
	kma_line(at, false);						\
	return *at;							\
}									\
									\
void __tsan_atomic##bits##_store(type *at, type v, int order)		\
{									\
	(void)order;							\
	kma_line(at, true);						\
	*at = v;							\
}									\
									\
type __tsan_atomic##bits##_fetch_add(type *at, type v, int order)	\
{									\
	(void)order;							\
	kma_line(at, true);						\
	*at += v;							\
	return *at - v;							\
}									\
									\
type __tsan_atomic##bits##_fetch_sub(type *at, type v, int order)	\
{									\
	return __tsan_atomic##bits##_fetch_add(at, -v, order);		\
}									\
									\
int __tsan_atomic##bits##_compare_exchange_strong(type *at, type *was,	\
						  type v, int order, int fail) \
{									\
	(void)order;							\
	(void)fail;							\
	kma_line(at, true);						\
	if (*at == *was) {						\
		*at = v;						\
		return 1;						\
	}								\
	*was = *at;							\
	return 0;							\
}

KMA_TSAN_PLAIN(1)
KMA_TSAN_PLAIN(2)
KMA_TSAN_PLAIN(4)
KMA_TSAN_PLAIN(8)
KMA_TSAN_PLAIN(16)
KMA_TSAN_ATOMIC(8, u8)
KMA_TSAN_ATOMIC(16, u16)
KMA_TSAN_ATOMIC(32, u32)
KMA_TSAN_ATOMIC(64, u64)

/* No range in the core is longer than a cache line. */
void __tsan_read_range(void *at, unsigned long bytes)
{
	kma_line_both(at, bytes, false);
}

void __tsan_write_range(void *at, unsigned long bytes)
{
	kma_line_both(at, bytes, true);
}

void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
	(void)caller;
}

void __tsan_func_exit(void)
{
}

/* The core marks intended data races with these.  Their accesses are counted, too. */
void AnnotateIgnoreReadsBegin(const char *file, int line)
{
	(void)file;
	(void)line;
}

void AnnotateIgnoreReadsEnd(const char *file, int line)
{
	(void)file;
	(void)line;
}

/* ---- counting --------------------------------------------------------------- */

#define KMA_LINES_PAIRS	4096U
#define KMA_LINES_SITE	0xffffffff81234567UL

static unsigned long kma_lines_ptr(u32 i)
{
	return 0xffff888004000000UL + 256UL * (i % KMA_LINES_PAIRS);
}

/* Sums over events: cache lines touched, and how many of these were written. */
struct kma_lines_sum {
	u64 touched;
	u64 written;
	u64 shared;		/* written, and neither of one CPU nor of the object */
};

static bool kma_lines_within(unsigned long at, const void *mem, size_t bytes)
{
	return at - ((unsigned long)mem & -64UL) < bytes + 64;
}

/* Whether a line is of per-CPU memory, or of the object's own: its bucket and generation. */
static bool kma_lines_own(unsigned long at)
{
	const struct kma_sitetab *t = &kma_core.sites;
	const struct kma_objtab *obj = &kma_core.obj;
	const u32 chunks = DIV_ROUND_UP(kma_sitetab_rows(t), KMA_ROWS_PER_CHUNK);
	u32 i;

	if (kma_lines_within(at, &kma_stats, sizeof(kma_stats)) ||
	    kma_lines_within(at, &kma_sampler, sizeof(kma_sampler)) ||
	    kma_lines_within(at, obj->bucket, obj->nr_buckets * sizeof(obj->bucket[0])) ||
	    kma_lines_within(at, obj->pages.gen, (obj->pages.mask + 1) * sizeof(kma_gen)))
		return true;
	for (i = 0; i < chunks; i++)
		if (kma_lines_within(at, t->chunk[i], KMA_ENV_CPUS * KMA_ENV_STRIDE))
			return true;
	return false;
}

static void kma_lines_add(struct kma_lines_sum *sum)
{
	u32 i;

	sum->touched += kma_lines_nr;
	for (i = 0; i < kma_lines_nr; i++) {
		sum->written += kma_lines[i].written;
		sum->shared += kma_lines[i].written && !kma_lines_own(kma_lines[i].line * 64);
	}
	kma_lines_nr = 0;
}

static void kma_lines_print(const char *name, const struct kma_lines_sum *sum)
{
	printf("bench core_lines%s %.1f lines\n", name,
	       (double)sum->touched / KMA_LINES_PAIRS);
	printf("bench core_lines%s_written %.1f lines\n", name,
	       (double)sum->written / KMA_LINES_PAIRS);
	printf("bench core_lines%s_shared %.1f lines\n", name,
	       (double)sum->shared / KMA_LINES_PAIRS);
}

/*
 * Averages over many objects, because some entries lie across two lines.  In the first half
 * of the loop the call site and all pages are new, so only the second half is counted.
 */
static void kma_lines_exact(void)
{
	struct kma_lines_sum sum;
	u32 i;

	for (i = 0; i < 2 * KMA_LINES_PAIRS; i++) {
		if (i == KMA_LINES_PAIRS)
			sum = (struct kma_lines_sum) { 0 };
		kma_bench_kmalloc(KMA_LINES_SITE, kma_lines_ptr(i), 240, 256, NUMA_NO_NODE);
		kma_bench_kfree(kma_lines_ptr(i));
		kma_lines_add(&sum);
	}
	kma_lines_print("", &sum);
}

/* No object becomes a sample, and the livefilter is empty. */
static void kma_lines_unsampled(void)
{
	struct kma_lines_sum alloc = { 0 }, free = { 0 };
	u32 i;

	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MAX);
	kma_sample_seed(1);
	kma_lines_nr = 0;
	for (i = 0; i < KMA_LINES_PAIRS; i++) {
		kma_bench_kmalloc_sampled(KMA_LINES_SITE, kma_lines_ptr(i), 240, 256,
					  NUMA_NO_NODE);
		kma_lines_add(&alloc);
		kma_bench_kfree_filtered(kma_lines_ptr(i));
		kma_lines_add(&free);
	}
	kma_lines_print("_unsampled_alloc", &alloc);
	kma_lines_print("_unsampled_free", &free);
}

/* Count the lines of a pair at a call site without a row, while the table of call sites is full. */
static void kma_lines_other(void)
{
	struct kma_lines_sum sum = { 0 };
	u32 i;

	for (i = 0; i < kma_core.sites.sites_max; i++)
		kma_sitetab_get(&kma_core.sites, KMA_LINES_SITE + 16 * i, 256);
	/* The first event begins to use the row [other]. */
	kma_bench_kmalloc(KMA_LINES_SITE + 8, kma_lines_ptr(0), 240, 256, NUMA_NO_NODE);
	kma_bench_kfree(kma_lines_ptr(0));
	kma_lines_nr = 0;
	for (i = 0; i < KMA_LINES_PAIRS; i++) {
		kma_bench_kmalloc(KMA_LINES_SITE + 8, kma_lines_ptr(i), 240, 256, NUMA_NO_NODE);
		kma_bench_kfree(kma_lines_ptr(i));
		kma_lines_add(&sum);
	}
	kma_lines_print("_other", &sum);
}

int main(void)
{
	kma_bench_start();
	kma_lines_exact();
	kma_lines_other();
	kma_lines_unsampled();
	return 0;
}
