/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of the machine's memory, which is noted at each mark of the history (marks.h).
 *
 * Context of all functions: process, may sleep; kma_lock is held.
 */
#ifndef KMA_MACHINE_H
#define KMA_MACHINE_H

#include <linux/types.h>

/* A value that is not known. */
#define KMA_MACHINE_UNKNOWN	U64_MAX

/* The migrate types whose pages are counted: unmovable, movable and reclaimable ones. */
#define KMA_MACHINE_TYPES	3

/**
 * struct kma_machine - the machine at one time
 * @free_kb: free memory in KiB, as MemFree of /proc/meminfo
 * @slab_reclaimable_kb: slabs that the kernel can shrink in KiB, as SReclaimable
 * @slab_unreclaimable_kb: other slabs in KiB, as SUnreclaim
 * @type_kb: for each migrate type, KiB of live pages that were recorded; not known unless pages are
 *	tracked
 * @stalled_us: the time in us that tasks, but not kswapd and kcompactd, have spent between
 *	psi_memstall_enter() and psi_memstall_leave(), since `latency` was switched on or since a
 *	later reset; not known while `latency` is off, or if these functions cannot be followed
 * @failed: failed allocations, since load or reset
 */
struct kma_machine {
	u64 free_kb;
	u64 slab_reclaimable_kb;
	u64 slab_unreclaimable_kb;
	u64 type_kb[KMA_MACHINE_TYPES];
	u64 stalled_us;
	u64 failed;
};

/* Read the machine's state now.  kma_lock is released and taken again now and then. */
void kma_machine_read(struct kma_machine *machine);

#endif /* KMA_MACHINE_H */
