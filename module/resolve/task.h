/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The name, the stack and the cgroup of the current task, and the paths of cgroups.
 *
 * Context, unless a function says otherwise: task context, in a probe, under rcu_read_lock().
 */
#ifndef KMA_RESOLVE_TASK_H
#define KMA_RESOLVE_TASK_H

#include <linux/types.h>

struct cgroup;
struct task_struct;

/*
 * Whether the kernel has created and named the current task.  A process that the kernel starts
 * counts as a thread of the kernel until its exec: it has no user space registers yet, and still
 * has the name of the thread that started it.
 */
bool kma_task_is_kernel(void);

/*
 * Copy the name of the current task by kma_comm_copy(), or `[interrupt]` outside task context.
 * Context: a probe, any context, NMI included.
 */
void kma_task_comm(u64 comm[2]);

/* The most frames of kma_task_stack(). */
#define KMA_TASK_FRAMES		16

/*
 * Get the return addresses of the current stack, from the innermost function on, without those in
 * this module.  Returns their number.  Context: a probe, any context, NMI included.
 */
u32 kma_task_stack(unsigned long frame[KMA_TASK_FRAMES]);

/* The ID of the cgroup of the current task in the default hierarchy.  Takes rcu_read_lock(). */
u64 kma_task_cgroup(void);

/* The leader of the current thread group; NULL if it may have been freed. */
const struct task_struct *kma_task_leader(void);

/*
 * Copy the path of a cgroup, as in /proc/PID/cgroup, into a buffer.  The cgroup is of the default
 * hierarchy, whose cgroups cannot be renamed.  If the path is too long, keep its end, which says
 * more than its beginning, from the first whole character on.
 */
void kma_task_cgroup_path(char *buf, size_t size, struct cgroup *cgroup);

#endif /* KMA_RESOLVE_TASK_H */
