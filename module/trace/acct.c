// SPDX-License-Identifier: GPL-2.0
/* Count an event for the current process, cgroup and command.  See acct.h. */
#include <asm/syscall.h>
#include <linux/cgroup.h>
#include <linux/compat.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>

#include "../compat.h"
#include "../core/comm.h"
#include "../core/env.h"
#include "../core/stat.h"
#include "../resolve/task.h"
#include "../state.h"
#include "acct.h"

/* ---- keys --------------------------------------------------------------------- */

static_assert(TASK_COMM_LEN == KMA_COMM_BYTES);
static_assert(TASK_COMM_LEN <= KMA_COUNTMAP_TEXT);

/* The rows of `tasks` and `cgroups` that do not stand for a process or a cgroup. */
static const struct kma_countmap_info kma_acct_interrupt = {
	.key = { { KMA_ACCT_INTERRUPT } }, .text = "[interrupt]",
};

static const struct kma_countmap_info kma_acct_ended = {
	.key = { { KMA_ACCT_ENDED } }, .text = "[ended tasks]",
};

static const struct kma_countmap_info kma_acct_removed = {
	.key = { { KMA_ACCT_REMOVED } }, .text = "[removed]",
};

/* Test whether a new key would get no row.  If so, count the event as countmap_other. */
static bool kma_acct_is_full(const struct kma_countmap *t)
{
	if (kma_countmap_has_room(t))
		return false;
	kma_stat_inc(countmap_other);
	return true;
}

static u32 kma_acct_task(struct kma_countmap *t, const struct kma_acct_event *event)
{
	const struct task_struct *leader = kma_task_leader();
	struct kma_countmap_info info = {};
	u64 comm[2];
	u32 id;

	if (!in_task())
		return kma_countmap_get_reserved(t, &kma_acct_interrupt);
	if (unlikely(!leader))
		return kma_countmap_get_reserved(t, &kma_acct_ended);
	info.key.word[0] = current->tgid;
	/* A new process may get the tgid of an earlier one. */
	info.key.word[1] = leader->start_boottime;
	id = kma_countmap_find(t, &info.key);
	kma_comm_copy(comm, leader->comm, false);
	if (likely(id != KMA_COUNTMAP_OTHER)) {
		/* A process may change its name: the row keeps the latest one. */
		kma_countmap_rename(t, id, comm);
		return id;
	}
	if (kma_acct_is_full(t))
		return KMA_COUNTMAP_OTHER;
	memcpy(info.text, comm, sizeof(comm));
	/* The real_parent of a reaped leader may be stale. */
	if (pid_alive(leader))
		info.more = rcu_dereference(leader->real_parent)->tgid;
	return kma_countmap_get(t, &info);
}

static u32 kma_acct_cgroup(struct kma_countmap *t, const struct kma_acct_event *event)
{
	struct kma_countmap_info info = {};
	struct cgroup *cgroup = task_dfl_cgroup(current);
	u32 id;

	if (!in_task())
		return kma_countmap_get_reserved(t, &kma_acct_interrupt);
	info.key.word[0] = cgroup_id(cgroup);
	id = kma_countmap_find(t, &info.key);
	if (id != KMA_COUNTMAP_OTHER)
		return id;
	if (kma_acct_is_full(t))
		return KMA_COUNTMAP_OTHER;
	kma_task_cgroup_path(info.text, sizeof(info.text), cgroup);
	return kma_countmap_get(t, &info);
}

void kma_acct_cgroup_removed(struct cgroup *cgroup)
{
	const struct kma_countmap_key key = { { cgroup_id(cgroup) } };
	struct kma_countmap *t;

	/* Each hierarchy has numbers of its own, and only the default one is counted. */
	if (cgroup->root != &cgrp_dfl_root)
		return;
	rcu_read_lock();
	t = rcu_dereference(kma_countmaps[KMA_COUNTMAP_CGROUPS]);
	if (t)
		kma_countmap_gone(t, &key);
	rcu_read_unlock();
}

static u32 kma_acct_comm_and(struct kma_countmap *t, u64 word)
{
	struct kma_countmap_info info = { .key = { { 0, 0, word } } };

	kma_task_comm(info.key.word);
	return kma_countmap_get(t, &info);
}

static unsigned long kma_acct_site(const struct kma_acct_event *event)
{
	if (!event->site)
		return kma_env_page_site();
	return kma_env_object_site(event->site) ?: event->site;
}

static u32 kma_acct_comm_site(struct kma_countmap *t, const struct kma_acct_event *event)
{
	return kma_acct_comm_and(t, kma_acct_site(event));
}

static u64 kma_acct_syscall_nr(void)
{
	int nr;

	if (!in_task())
		return KMA_SYSCALL_NONE;
	if (kma_task_is_kernel())
		return KMA_SYSCALL_KERNEL;
	nr = syscall_get_nr(current, task_pt_regs(current));
	if (nr < 0)
		return KMA_SYSCALL_FAULT;
	return in_compat_syscall() ? nr | KMA_SYSCALL_COMPAT : nr;
}

static u32 kma_acct_syscall(struct kma_countmap *t, const struct kma_acct_event *event)
{
	return kma_acct_comm_and(t, kma_acct_syscall_nr());
}

/* ---- chosen cgroups --------------------------------------------------------------- */

/* The IDs of the chosen cgroups, or 0.  Written under kma_lock; probes read them. */
static u64 kma_acct_chosen[KMA_ACCT_CGROUPS];

static int kma_acct_place(u64 id)
{
	int i = 0;

	while (i < KMA_ACCT_CGROUPS && kma_acct_chosen[i] != id)
		i++;
	return i;
}

int kma_acct_choose(u64 id)
{
	int i;

	lockdep_assert_held(&kma_lock);
	if (kma_acct_place(id) < KMA_ACCT_CGROUPS)
		return -EEXIST;
	i = kma_acct_place(0);
	if (i == KMA_ACCT_CGROUPS)
		return -ENOSPC;
	WRITE_ONCE(kma_acct_chosen[i], id);
	return 0;
}

int kma_acct_drop(u64 id)
{
	int i, nr = 0;

	lockdep_assert_held(&kma_lock);
	for (i = 0; i < KMA_ACCT_CGROUPS; i++) {
		if (!kma_acct_chosen[i] || (id && kma_acct_chosen[i] != id))
			continue;
		WRITE_ONCE(kma_acct_chosen[i], 0);
		nr++;
	}
	return nr;
}

int kma_acct_nr_chosen(void)
{
	int i, nr = 0;

	for (i = 0; i < KMA_ACCT_CGROUPS; i++)
		nr += !!READ_ONCE(kma_acct_chosen[i]);
	return nr;
}

static bool kma_acct_is_chosen(u64 id)
{
	int i;

	for (i = 0; i < KMA_ACCT_CGROUPS; i++)
		if (READ_ONCE(kma_acct_chosen[i]) == id)
			return true;
	return false;
}

/* ---- what becomes of rows -------------------------------------------------------- */

/* Whether the leader of a process still exists, even if it has exited. */
static bool kma_acct_has_task(const struct kma_countmap_key *key)
{
	const struct task_struct *task;
	bool has;

	rcu_read_lock();
	task = pid_task(find_pid_ns(key->word[0], &init_pid_ns), PIDTYPE_TGID);
	has = task && task->start_boottime == key->word[1];
	rcu_read_unlock();
	return has;
}

static enum kma_countmap_fate kma_acct_fate_task(const struct kma_countmap_info *info)
{
	if (!kma_acct_is_object(info))
		return KMA_COUNTMAP_KEPT;
	/* The thread group ID of the idle tasks is 0. */
	return !info->key.word[0] || kma_acct_has_task(&info->key) ? KMA_COUNTMAP_IN_USE :
	       KMA_COUNTMAP_GONE;
}

/* The probe of cgroup_rmdir notes which cgroups are gone: kma_acct_cgroup_removed(). */
static enum kma_countmap_fate kma_acct_fate_cgroup(const struct kma_countmap_info *info)
{
	return kma_acct_is_object(info) ? KMA_COUNTMAP_IN_USE : KMA_COUNTMAP_KEPT;
}

static u32 kma_acct_heir_task(struct kma_countmap *t, const struct kma_countmap_info *info,
			      bool gone)
{
	return gone ? kma_countmap_get_reserved(t, &kma_acct_ended) : KMA_COUNTMAP_OTHER;
}

static u32 kma_acct_heir_cgroup(struct kma_countmap *t, const struct kma_countmap_info *info,
				bool gone)
{
	return gone ? kma_countmap_get_reserved(t, &kma_acct_removed) : KMA_COUNTMAP_OTHER;
}

/* Rows of a cgroup are kept while the cgroup is chosen. */
static enum kma_countmap_fate kma_acct_fate_cgroup_site(const struct kma_countmap_info *info)
{
	return kma_acct_is_chosen(info->key.word[0]) ? KMA_COUNTMAP_KEPT : KMA_COUNTMAP_GONE;
}

const struct kma_countmap_policy kma_acct_policy_cgroup_sites = {
	.fate = kma_acct_fate_cgroup_site,
};

const struct kma_countmap_policy kma_acct_policy_tasks = {
	.fate = kma_acct_fate_task, .heir = kma_acct_heir_task,
};

const struct kma_countmap_policy kma_acct_policy_cgroups = {
	.fate = kma_acct_fate_cgroup, .heir = kma_acct_heir_cgroup,
};

/* ---- counting ------------------------------------------------------------------- */

/*
 * For each countmap of accounting: its name, the function that returns the row of an event,
 * and whether only events with @source set are counted.
 */
static const struct {
	const char *name;
	u32 (*row)(struct kma_countmap *t, const struct kma_acct_event *event);
	bool sources;
} kma_acct_keys[KMA_COUNTMAP_NR] = {
	[KMA_COUNTMAP_TASKS] = { "tasks", kma_acct_task },
	[KMA_COUNTMAP_CGROUPS] = { "cgroups", kma_acct_cgroup },
	[KMA_COUNTMAP_COMM_SITES] = { "comm_sites", kma_acct_comm_site, true },
	[KMA_COUNTMAP_COMM_SYSCALLS] = { "comm_syscalls", kma_acct_syscall, true },
};

static void kma_acct_add(struct kma_countmap *t, u32 row, const struct kma_acct_event *event)
{
	int i;

	for (i = 0; i < event->nr; i++)
		kma_countmap_count(t, row, event->what[i].counter, event->what[i].n);
}

/* Count an event for each chosen cgroup that the task is in, or is below. */
static void kma_acct_count_chosen(const struct kma_acct_event *event)
{
	struct kma_countmap *t = rcu_dereference(kma_countmaps[KMA_COUNTMAP_CGROUP_SITES]);
	struct kma_countmap_info info = {};
	struct cgroup *cgroup;

	if (!t || !event->source || !in_task())
		return;
	for (cgroup = task_dfl_cgroup(current); cgroup; cgroup = cgroup_parent(cgroup)) {
		if (!kma_acct_is_chosen(cgroup_id(cgroup)))
			continue;
		info.key.word[0] = cgroup_id(cgroup);
		info.key.word[KMA_ACCT_SITE] = info.key.word[KMA_ACCT_SITE] ?:
					       kma_acct_site(event);
		kma_acct_add(t, kma_countmap_get(t, &info), event);
	}
}

void kma_acct_count(const struct kma_acct_event *event)
{
	struct kma_countmap *t;
	int i;

	for (i = KMA_COUNTMAP_TASKS; i < KMA_COUNTMAP_CGROUP_SITES; i++) {
		t = rcu_dereference(kma_countmaps[i]);
		if (t && (event->source || !kma_acct_keys[i].sources))
			kma_acct_add(t, kma_acct_keys[i].row(t, event), event);
	}
	kma_acct_count_chosen(event);
}

const char *kma_acct_name(enum kma_countmap_of of)
{
	return kma_acct_keys[of].name;
}
