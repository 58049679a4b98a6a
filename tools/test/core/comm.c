// SPDX-License-Identifier: GPL-2.0
/*
 * Tests module/core/comm.h: names as the kernel makes them on a machine with 1,024 CPUs, in a
 * countmap.
 *
 *   comm
 */
#include <linux/kernel.h>
#include <string.h>

#include "case.h"
#include "../../../module/core/comm.h"
#include "../../../module/core/countmap.h"

/* Copy a name into memory of exactly KMA_COMM_BYTES, as in a task. */
static const char *kma_name(const char *name, bool kernel)
{
	static union {
		u64 word[2];
		char text[KMA_COMM_BYTES];
	} to;
	char comm[KMA_COMM_BYTES];

	memset(comm, 'x', sizeof(comm));
	memcpy(comm, name, min_t(size_t, strlen(name) + 1, sizeof(comm)));
	memset(&to, 'y', sizeof(to));
	kma_comm_copy(to.word, comm, kernel);
	return to.text;
}

/* The name has to be as expected, and padded with zeroes. */
static void kma_expect_name(const char *name, bool kernel, const char *expected)
{
	char padded[KMA_COMM_BYTES] = {};

	memcpy(padded, expected, strlen(expected));
	kma_expect(!memcmp(kma_name(name, kernel), padded, sizeof(padded)));
}

static void kma_kernel_names(void)
{
	static const char *const names[][2] = {
		{ "kworker/12:3", "kworker/*:*" },
		{ "kworker/0:1H", "kworker/*:*H" },
		{ "kworker/u1024:7", "kworker/u*:*" },
		{ "kworker/R-netns", "kworker/R-netns" },
		{ "ksoftirqd/3", "ksoftirqd/*" },
		{ "migration/1023", "migration/*" },
		{ "irq/45-nvme0q7", "irq/*-nvme*q*" },
		{ "irq/145-nvme0q1", "irq/*-nvme*q*" },
		{ "iou-wrk-4194303", "iou-wrk-*" },
		{ "0", "*" },
		{ "123456789012345", "*" },
		{ "1a2b3c4d5e6f7g8", "*a*b*c*d*e*f*g*" },
		{ "kthreadd", "kthreadd" },
		{ "abcdefghijklmno", "abcdefghijklmno" },
		{ "", "" },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		kma_expect_name(names[i][0], true, names[i][1]);
}

static void kma_process_names(void)
{
	static const char *const names[] = {
		"kworker/12:3", "python3.11", "0", "123456789012345", "abcdefghijklmno", "",
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		kma_expect_name(names[i], false, names[i]);
}

/* A name without a NUL is cut to the same length for all. */
static void kma_name_without_end(void)
{
	kma_expect_name("abcdefghijklmnop", true, "abcdefghijklmno");
	kma_expect_name("abcdefghijklmnop", false, "abcdefghijklmno");
	kma_expect_name("1234567890123456", true, "*");
}

/* Names that differ in one character have different hashes, and equal names have one. */
static void kma_hashes(void)
{
	static const char *const names[] = {
		"", "a", "b", "aa", "ab", "abcdefgh", "abcdefghi", "bbcdefghi", "abcdefghj",
		"abcdefghijklmno", "abcdefghijklmnp", "[interrupt]",
	};
	u64 word[2], hash[ARRAY_SIZE(names)];
	int i, k;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		memcpy(word, kma_name(names[i], false), sizeof(word));
		hash[i] = kma_comm_hash(word);
		kma_expect(kma_comm_hash(word) == hash[i]);
		for (k = 0; k < i; k++)
			kma_expect(hash[k] != hash[i]);
	}
}

/* ---- rows of a machine with many CPUs ------------------------------------------- */

#define KMA_NR_CPUS	1024
#define KMA_NR_WORKERS	8
#define KMA_NR_ROWS	8

static struct kma_countmap kma_countmap;

/* Count @n in the row of a thread's name. */
static void kma_event(const char *name, bool kernel, u64 n)
{
	struct kma_countmap_info info = {};

	memcpy(info.key.word, kma_name(name, kernel), KMA_COMM_BYTES);
	kma_countmap_count(&kma_countmap, kma_countmap_get(&kma_countmap, &info), 0, n);
}

static u64 kma_counted(const char *name)
{
	struct kma_countmap_key key = {};
	struct kma_countmap_sum row = {};

	memcpy(key.word, kma_name(name, false), KMA_COMM_BYTES);
	kma_countmap_sum(&kma_countmap, kma_countmap_find(&kma_countmap, &key), &row);
	return row.v[0];
}

/*
 * The names of 11,264 threads of four kinds take five rows, and a process has a row of its own.
 * The fifth row is for names that the kernel has cut: "irq/1000-nvme0q500" is too long.
 */
static void kma_many_cpus(void)
{
	char name[2 * KMA_COMM_BYTES];
	u64 workers = 0, irqs[2] = {};
	int cpu, i;

	kma_expect(!kma_countmap_init(&kma_countmap, KMA_NR_ROWS));
	for (cpu = 0; cpu < KMA_NR_CPUS; cpu++) {
		for (i = 0; i < KMA_NR_WORKERS; i++) {
			snprintf(name, sizeof(name), "kworker/%d:%d", cpu, i);
			kma_event(name, true, cpu + i);
			workers += cpu + i;
		}
		snprintf(name, sizeof(name), "kworker/%d:0H", cpu);
		kma_event(name, true, 1);
		snprintf(name, sizeof(name), "ksoftirqd/%d", cpu);
		kma_event(name, true, 10);
		snprintf(name, sizeof(name), "irq/%d-nvme0q%d", 2 * cpu, cpu);
		kma_event(name, true, 100 * cpu);
		irqs[2 * cpu >= 1000] += 100 * cpu;
	}
	kma_event("kworker/3:1", false, 1000);
	kma_expect(kma_countmap_used(&kma_countmap) == 1 + 5 + 1);
	kma_expect(kma_counted("kworker/*:*") == workers);
	kma_expect(kma_counted("kworker/*:*H") == KMA_NR_CPUS);
	kma_expect(kma_counted("ksoftirqd/*") == 10 * KMA_NR_CPUS);
	kma_expect(kma_counted("irq/*-nvme*q*") == irqs[0]);
	kma_expect(kma_counted("irq/*-nvme*q") == irqs[1]);
	kma_expect(kma_counted("kworker/3:1") == 1000);
	kma_countmap_destroy(&kma_countmap);
}

static const struct kma_case kma_cases[] = {
	{ "names of kernel threads", kma_kernel_names },
	{ "names of processes", kma_process_names },
	{ "hashes of names", kma_hashes },
	{ "a name without an end", kma_name_without_end },
	{ "threads of 1,024 CPUs", kma_many_cpus },
};

int main(void)
{
	return !!kma_cases_run(kma_cases, ARRAY_SIZE(kma_cases));
}
