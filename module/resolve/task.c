// SPDX-License-Identifier: GPL-2.0
/* The current task, and the paths of cgroups.  See task.h. */
#include <linux/cgroup.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "../compat.h"
#include "../core/comm.h"
#include "task.h"

#ifdef PF_USER_WORKER
#define KMA_PF_KERNEL	(PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)
#else
#define KMA_PF_KERNEL	(PF_KTHREAD | PF_IO_WORKER)
#endif

bool kma_task_is_kernel(void)
{
	return current->flags & KMA_PF_KERNEL || !user_mode(task_pt_regs(current));
}

u32 kma_task_stack(unsigned long frame[KMA_TASK_FRAMES])
{
	unsigned long all[KMA_TASK_FRAMES + 8];
	u32 i = 0, nr = stack_trace_save(all, ARRAY_SIZE(all), 0);

	while (i < nr && kma_is_own(all[i]))
		i++;
	nr = min_t(u32, nr - i, KMA_TASK_FRAMES);
	memcpy(frame, &all[i], nr * sizeof(frame[0]));
	return nr;
}

u64 kma_task_cgroup(void)
{
	u64 id;

	rcu_read_lock();
	id = cgroup_id(task_dfl_cgroup(current));
	rcu_read_unlock();
	return id;
}

void kma_task_comm(u64 comm[2])
{
	static const char interrupt[KMA_COMM_BYTES] = "[interrupt]";

	if (in_task())
		kma_comm_copy(comm, current->comm, kma_task_is_kernel());
	else
		memcpy(comm, interrupt, sizeof(interrupt));
}

/*
 * A thread that was released may still run, and its leader may have been freed.  As long as the
 * thread was not released, the leader exists: it is released after all of its threads, and freed a
 * grace period later.
 */
const struct task_struct *kma_task_leader(void)
{
	const struct task_struct *leader = READ_ONCE(current->group_leader);

	return likely(leader == current || pid_alive(current)) ? leader : NULL;
}

/* Skip the rest of a character of UTF-8 that was cut: up to three bytes, each of them 10xxxxxx. */
static char *kma_task_whole_character(char *at)
{
	int i;

	for (i = 0; i < 3 && (*at & 0xc0) == 0x80; i++)
		at++;
	return at;
}

void kma_task_cgroup_path(char *buf, size_t size, struct cgroup *cgroup)
{
	char *at = buf + size - 1;
	const char *name;
	size_t whole, len;

	*at = '\0';
	for (; cgroup_parent(cgroup) && at != buf; cgroup = cgroup_parent(cgroup)) {
		/* A cgroup of the default hierarchy cannot be renamed. */
		name = (__force const char *)READ_ONCE(cgroup->kn->name);
		whole = strlen(name);
		len = min_t(size_t, whole, at - buf);
		at -= len;
		memcpy(at, name + whole - len, len);
		if (at != buf)
			*--at = '/';
	}
	at = kma_task_whole_character(at);
	if (!*at)
		*--at = '/';
	memmove(buf, at, buf + size - at);
}
