/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find the owner of an object that is being allocated (core/owner.h).
 *
 * Which cgroup is charged is decided as the kernel decides it (current_obj_cgroup() in
 * mm/memcontrol.c):
 *
 *	the allocation is not accounted		none
 *	remote charging: active_memcg is set	that cgroup
 *	in an interrupt, without that		none
 *	a kernel thread, or a task without mm	none
 *	a process				its cgroup in the memory controller's hierarchy
 *
 * If that cgroup is offline, its nearest ancestor that is online is charged.  The root is never
 * charged, nor is anything with cgroup.memory=nokmem, or in NMI.  Before 6.1, int_active_memcg is
 * not exported, so the module cannot tell which cgroup is charged for an accounted allocation in an
 * interrupt, or in a task with bottom halves off.
 *
 * When half of all numbers of owners are in use, those that no live object has are recycled.  The
 * paths of cgroups that no owner refers to are recycled in the same way.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_TRACE_OWNER_H
#define KMA_TRACE_OWNER_H

#include <linux/types.h>

/* Allocate the tables of owners, and watch names and cgroups.  Returns 0 or -ENOMEM. */
int kma_owner_start(void);

/* Undo kma_owner_start().  No probe uses the tables any more. */
void kma_owner_stop(void);

/* Bytes that kma_owner_start() allocates.  Context: any. */
u64 kma_owner_forecast(void);

/* The setting `owners`: whether owners are recorded. */
void kma_owner_set(bool on);
bool kma_owner_is_on(void);

/*
 * Make all memos invalid, and recycle numbers if they run short.  Call this about once a second.
 * Context: process, may sleep; kma_lock is not held.
 */
void kma_owner_turn(void);

/* Number of owners, and of paths of cgroups, that were recycled since load.  Context: any. */
u64 kma_owner_recycled(void);
u64 kma_owner_recycled_paths(void);

#endif /* KMA_TRACE_OWNER_H */
