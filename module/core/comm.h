/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of tasks, as words of a countmap's key.
 *
 * Many kernel threads have a number in their name: that of a CPU, an interrupt, a worker or a
 * process.  With one row for each of these names, a machine with many CPUs soon has no row left
 * for anything else.  So each run of digits in the name of a kernel thread becomes one `*`:
 *
 *	kworker/u8:1	-->	kworker/u*:*
 *	iou-wrk-1234	-->	iou-wrk-*
 *
 * The result is also the pattern that selects these threads with `filter comm`.
 * All threads of a kind then share the rows of one name.  A process chooses its own name, so that
 * name is kept as it is.
 *
 * Context of all functions: any, NMI included.
 */
#ifndef KMA_CORE_COMM_H
#define KMA_CORE_COMM_H

#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>

#include "env.h"

/* The size of a name, NUL included: TASK_COMM_LEN, and two words of a key. */
#define KMA_COMM_BYTES	16

/*
 * Copy the name of a task, padded with zeroes, so that equal names are equal words of a key.
 * Another CPU may change @comm meanwhile.  For a thread of the kernel, replace each run of digits
 * by one `*`.
 */
static inline void kma_comm_copy(u64 to[2], const char comm[KMA_COMM_BYTES], bool kernel)
{
	char text[KMA_COMM_BYTES] = {};
	bool digit, after_digit = false;
	int i, len = 0;
	char c;

	for (i = 0; i < KMA_COMM_BYTES - 1; i++) {
		c = READ_ONCE(comm[i]);
		if (!c)
			break;
		digit = kernel && c >= '0' && c <= '9';
		if (!digit)
			text[len++] = c;
		else if (!after_digit)
			text[len++] = '*';
		after_digit = digit;
	}
	memcpy(to, text, sizeof(text));
}

/* Make one word of a key from a name, for keys that have no room for two. */
static inline u64 kma_comm_hash(const u64 comm[2])
{
	u64 hash = 0;
	int i;

	for (i = 0; i < 2; i++) {
		hash = (hash ^ comm[i]) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	return hash;
}

#endif /* KMA_CORE_COMM_H */
