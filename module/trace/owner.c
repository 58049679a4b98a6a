// SPDX-License-Identifier: GPL-2.0
/* Find the owner of an object or a page that is being allocated.  See owner.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cgroup.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/cgroup.h>
#include <trace/events/task.h>

#include "../compat.h"
#include "../core/comm.h"
#include "../core/owner.h"
#include "../core/stat.h"
#include "../resolve/task.h"
#include "../state.h"
#include "owner.h"
#include "tracepoint.h"

/* The PID limit of the kernel: thread group IDs have to fit below the depth (core/objtab.h). */
static_assert(PID_MAX_LIMIT <= 1 << KMA_DEPTH_SHIFT);

/* ---- cgroups ----------------------------------------------------------------------- */

/* Each hierarchy has IDs of its own.  The number of the default hierarchy is 0. */
#define KMA_CGROUP_HIERARCHY_SHIFT	48

static u64 kma_owner_cgroup_id(struct cgroup *cgroup)
{
	return cgroup_id(cgroup) | (u64)cgroup->root->hierarchy_id << KMA_CGROUP_HIERARCHY_SHIFT;
}

static void kma_owner_removed(u32 nr)
{
	struct kma_cgroup *record = kma_idtab_record(&kma_cgroups, nr);

	if (record)
		WRITE_ONCE(record->removed, 1);
}

/* Keep the path of a cgroup.  Return: false if there was no room. */
static bool kma_owner_add_path(struct cgroup *cgroup, u64 id)
{
	struct cgroup *parent = cgroup_parent(cgroup);
	struct kma_cgroup record = {
		.id = id,
		.parent = parent ? kma_owner_cgroup_id(parent) : 0,
	};
	u32 nr;

	kma_task_cgroup_path(record.path, sizeof(record.path), cgroup);
	nr = kma_idtab_add(&kma_cgroups, &record);
	if (nr == KMA_ID_NONE) {
		kma_stat_inc(owner_no_path);
		return false;
	}
	/*
	 * The probe of cgroup_rmdir may have run before the record was added.  The kernel clears
	 * CSS_ONLINE before that event.  So either that probe finds the record, or this function
	 * sees that CSS_ONLINE is clear.  Pairs with kma_owner_probe_cgroup_rmdir().
	 */
	smp_mb();
	if (!(READ_ONCE(cgroup->self.flags) & CSS_ONLINE))
		kma_owner_removed(nr);
	return true;
}

/*
 * Keep the paths of a cgroup and of those above it.  In other hierarchies than the default one,
 * cgroups may be renamed at any time, so their paths are not read.  Return: the ID of the cgroup.
 */
static u64 kma_owner_cgroup(struct cgroup *cgroup)
{
	const u64 of = kma_owner_cgroup_id(cgroup);
	u64 id = of;

	if (cgroup->root != &cgrp_dfl_root)
		return of;
	while (kma_idtab_find(&kma_cgroups, &id) == KMA_ID_NONE && kma_owner_add_path(cgroup, id)) {
		cgroup = cgroup_parent(cgroup);
		if (!cgroup)
			break;
		id = kma_owner_cgroup_id(cgroup);
	}
	return of;
}

static notrace void kma_owner_probe_cgroup_rmdir(void *data, struct cgroup *cgroup,
						 const char *path)
{
	const u64 id = kma_owner_cgroup_id(cgroup);

	/* The cgroup is offline now.  Pairs with kma_owner_add_path(). */
	smp_mb();
	kma_owner_removed(kma_idtab_find(&kma_cgroups, &id));
}

/* ---- the charged cgroup -------------------------------------------------------------- */

#ifdef CONFIG_MEMCG
/* The cgroup that remote charging has set for this context. */
static struct mem_cgroup *kma_owner_remote(bool task)
{
#ifdef KMA_HAVE_INT_ACTIVE_MEMCG
	return task ? current->active_memcg : this_cpu_read(int_active_memcg);
#else
	return task ? current->active_memcg : NULL;
#endif
}

static struct cgroup_subsys_state *kma_owner_css(bool task)
{
	struct mem_cgroup *remote = kma_owner_remote(task);

	if (remote)
		return &remote->css;
	if (!task || current->flags & PF_KTHREAD || !current->mm)
		return NULL;
	return task_css_check(current, memory_cgrp_id, true);
}

static u64 kma_owner_charged(bool task)
{
	struct cgroup_subsys_state *css;

	if (mem_cgroup_disabled() || !kma_kmem_is_charged() || in_nmi())
		return KMA_CHARGED_NONE;
	css = kma_owner_css(task);
	while (css && css->parent && !(READ_ONCE(css->flags) & CSS_ONLINE))
		css = css->parent;
	return css && css->parent ? kma_owner_cgroup(css->cgroup) : KMA_CHARGED_NONE;
}
#else
static u64 kma_owner_charged(bool task)
{
	return KMA_CHARGED_NONE;
}
#endif

/* ---- names that change ------------------------------------------------------------------- */

/*
 * The event of a rename comes just before the name changes, so another thread of the process may
 * still put the old name into a memo.  This is the jiffy of the last rename for which that may have
 * happened, or 0.  After it, kma_owner_forget_again() begins new epochs of all processes.
 */
static unsigned long kma_owner_again;

/*
 * Owners have the name of the leader.  If a process with one thread renames itself, no other thread
 * can put the old name into a memo.
 */
static notrace void kma_owner_probe_task_rename(void *data, struct task_struct *task,
						const char *comm)
{
	if (task != task->group_leader)
		return;
	kma_owner_forget(task->tgid);
	if (task != current || !thread_group_empty(task))
		WRITE_ONCE(kma_owner_again, jiffies | 1);
}

static void kma_owner_forget_again(void)
{
	const unsigned long again = READ_ONCE(kma_owner_again);

	if (unlikely(again && time_after(jiffies, again + 1))) {
		WRITE_ONCE(kma_owner_again, 0);
		kma_owners_forget();
	}
}

/* ---- owners ---------------------------------------------------------------------------- */

static const char kma_owner_interrupt[KMA_COMM_BYTES] = "[interrupt]";

/*
 * Owners have the name of the leader.  A worker of io_uring is a thread of a user process that the
 * kernel has created, so only a leader can be a thread of the kernel.
 */
static void kma_owner_task(struct kma_owner *owner)
{
	const struct task_struct *leader = kma_task_leader();

	if (leader)
		kma_comm_copy(owner->comm, leader->comm, leader == current && kma_task_is_kernel());
	owner->cgroup = kma_owner_cgroup(task_dfl_cgroup(current));
}

/*
 * Whether all threads of the current process have the owner that this one has now.  A thread that
 * is exiting may have no name, and may not be charged any more.
 */
static bool kma_owner_is_common(void)
{
	return !(current->flags & PF_EXITING) && !kma_env_task_remote();
}

/*
 * Where int_active_memcg is not exported, the module cannot tell which cgroup is charged for an
 * allocation in an interrupt.
 */
static u64 kma_owner_charged_for(unsigned long charge, bool task)
{
	if (!charge)
		return KMA_CHARGED_NONE;
#ifndef KMA_HAVE_INT_ACTIVE_MEMCG
	if (!task)
		return KMA_CHARGED_UNKNOWN;
#endif
	return kma_owner_charged(task);
}

static u32 kma_owner_of(unsigned long charge, bool task)
{
	struct kma_owner owner = { .charged = kma_owner_charged_for(charge, task) };

	if (!in_task() && owner.charged == KMA_CHARGED_NONE)
		return KMA_OWNER_INTERRUPT;
	if (in_task())
		kma_owner_task(&owner);
	else
		memcpy(owner.comm, kma_owner_interrupt, sizeof(owner.comm));
	return kma_owner_get(&owner);
}

void kma_env_owner(unsigned long charge, struct kma_owned *o)
{
	const bool task = kma_env_in_task(charge);
	/* If the name changes or the number leaves after this, the memo is not valid. */
	const s64 epoch = atomic64_read_acquire(kma_owner_epoch_of(current->tgid));
	/* If the task is moved after this, the memo is not valid. */
	const void *groups = kma_env_task_groups();

	rcu_read_lock();
	kma_owner_forget_again();
	*o = (struct kma_owned) {
		.tgid = kma_env_tgid(),
		.owner = kma_owner_of(charge, task) << KMA_OWNER_SHIFT,
	};
	if (task && kma_owner_is_common())
		kma_owner_remember(charge, epoch, groups, o);
	rcu_read_unlock();
}

/* ---- tracepoints ------------------------------------------------------------------------- */

/* Defines kma_owner_attach_task_rename() and kma_owner_detach_task_rename(). */
KMA_TRACEPOINT_BY_NAME(owner, task_rename)
/* Defines kma_owner_attach_cgroup_rmdir() and kma_owner_detach_cgroup_rmdir(). */
KMA_TRACEPOINT_BY_NAME(owner, cgroup_rmdir)

static const struct kma_tracepoint kma_owner_tracepoints[] = {
	KMA_TRACEPOINT_ROW(owner, task_rename),
	KMA_TRACEPOINT_ROW(owner, cgroup_rmdir),
};

/* ---- recycling --------------------------------------------------------------------------- */

/*
 * Turns between two searches: the least, and the most, up to which the pause grows while searches
 * recycle little.
 */
#define KMA_OWNER_TURNS		8
#define KMA_OWNER_TURNS_MAX	4096

/* Only the worker uses these. */
static unsigned int kma_owner_wait;
static unsigned int kma_owner_pause;
static u64 kma_owners_recycled;
static u64 kma_paths_recycled;

static void kma_owner_mark_bucket(const struct kma_bucket *b)
{
	struct kma_entry entry;
	int i;

	for (i = 0; i < KMA_SLOTS; i++)
		if (kma_objtab_read(b, i, &entry))
			kma_idtab_mark(&kma_owners, kma_entry_owner(&entry));
}

/* Mark the owners in a chunk of the records of pages.  A record that only has a row has none. */
static void kma_owner_mark_chunk(const struct kma_pfn *f)
{
	const struct kma_pfn *end = f + KMA_CHUNK_PFNS;
	struct kma_pfn record;

	for (; f < end; f++) {
		record.what = READ_ONCE(f->what);
		if (record.what && !kma_pagealloc_is_bare(&kma_pagealloc, &record))
			kma_idtab_mark(&kma_owners, kma_pfn_owner(f));
	}
}

/*
 * Mark the owners in the first chunk from number @i on.  Return: the number after this chunk; 0 if
 * no chunk is left, or if pages are not tracked.
 */
static u64 kma_owner_mark_next(u64 i)
{
	const struct kma_pfntab *t = &kma_pagealloc.pfns;
	const struct kma_pfn *f;

	lockdep_assert_held(&kma_lock);
	for (; i < t->nr_chunks; i++) {
		f = kma_pfntab_find(t, i << KMA_CHUNK_SHIFT);
		if (f) {
			kma_owner_mark_chunk(f);
			return i + 1;
		}
	}
	return 0;
}

/* The tables of pages may be freed, or allocated anew, whenever the lock is free. */
static void kma_owner_mark_pages(void)
{
	u64 i = 0;

	do {
		kma_lock_take(KMA_LOCK_WORKER);
		i = kma_owner_mark_next(i);
		kma_lock_release();
		cond_resched();
	} while (i);
}

/* Mark the owners that objects in the live table have, and those of pages. */
static void kma_owner_mark(void)
{
	const struct kma_objtab *t = &kma_core.obj;
	u64 i;

	kma_idtab_unmark(&kma_owners);
	for (i = 0; i < kma_objtab_buckets(t); i++) {
		kma_owner_mark_bucket(kma_objtab_bucket(t, i));
		cond_resched();
	}
	kma_owner_mark_pages();
}

/* Mark a cgroup, and those above it. */
static void kma_owner_mark_cgroup(u64 id)
{
	const struct kma_cgroup *record;
	u32 nr;

	while (id && id != KMA_CHARGED_UNKNOWN) {
		nr = kma_idtab_find_leaving(&kma_cgroups, &id);
		record = nr == KMA_ID_NONE ? NULL : kma_idtab_record(&kma_cgroups, nr);
		if (!record || !kma_idtab_mark(&kma_cgroups, nr))
			return;
		id = record->parent;
	}
}

/* Mark the cgroups that owners refer to. */
static void kma_owner_mark_cgroups(void)
{
	const struct kma_owner *owner;
	u32 nr;

	kma_idtab_unmark(&kma_cgroups);
	for (nr = KMA_OWNER_RESERVED; nr < kma_owners.nr; nr++) {
		owner = kma_idtab_record(&kma_owners, nr);
		if (!owner)
			continue;
		kma_owner_mark_cgroup(owner->cgroup);
		kma_owner_mark_cgroup(owner->charged);
	}
}

/* Add the numbers that are recycled to @recycled, which tables show. */
static u32 kma_owner_recycle(struct kma_idtab *t, void (*mark)(void), u64 *recycled)
{
	u32 nr = 0;

	mark();
	if (kma_idtab_leave(t)) {
		kma_owners_forget();
		kma_env_wait_for_probes();
		mark();
		kma_lock_take(KMA_LOCK_WORKER);
		nr = kma_idtab_finish(t);
		WRITE_ONCE(*recycled, *recycled + nr);
		kma_state_changed();
		kma_lock_release();
	}
	return nr;
}

static bool kma_owner_is_short(const struct kma_idtab *t)
{
	return kma_idtab_used(t) >= t->nr / 2;
}

static void kma_owner_search(void)
{
	const u32 owners = kma_owner_recycle(&kma_owners, kma_owner_mark, &kma_owners_recycled);
	const u32 paths = kma_owner_recycle(&kma_cgroups, kma_owner_mark_cgroups,
					    &kma_paths_recycled);

	/* A search reads the live table and the records of pages: it has to be worth it. */
	if (owners >= kma_owners.nr / 16 || paths >= kma_cgroups.nr / 16)
		kma_owner_pause = KMA_OWNER_TURNS;
	else
		kma_owner_pause = min_t(unsigned int, 2 * kma_owner_pause, KMA_OWNER_TURNS_MAX);
	kma_owner_wait = kma_owner_pause;
}

void kma_owner_turn(void)
{
	kma_owners_forget();
	if (!kma_owner_is_short(&kma_owners) && !kma_owner_is_short(&kma_cgroups)) {
		kma_owner_wait = 0;
		kma_owner_pause = KMA_OWNER_TURNS;
	} else if (kma_owner_wait) {
		kma_owner_wait--;
	} else {
		kma_owner_search();
	}
}

u64 kma_owner_recycled(void)
{
	return READ_ONCE(kma_owners_recycled);
}

u64 kma_owner_recycled_paths(void)
{
	return READ_ONCE(kma_paths_recycled);
}

/* ---- start and stop ------------------------------------------------------------------------ */

static u64 kma_owner_ram(void)
{
	return (u64)totalram_pages() << PAGE_SHIFT;
}

u64 kma_owner_forecast(void)
{
	return kma_owners_bytes(kma_owner_ram());
}

/* Which of the tracepoints are attached. */
static bool kma_owner_watches[ARRAY_SIZE(kma_owner_tracepoints)];

int kma_owner_start(void)
{
	int i, ret = kma_owners_init(kma_owner_ram());

	kma_owner_wait = 0;
	kma_owner_pause = KMA_OWNER_TURNS;
	kma_owners_recycled = 0;
	kma_paths_recycled = 0;
	if (ret) {
		pr_err("not enough memory\n");
		return ret;
	}
	/* Without these events, names may be out of date, and removed cgroups are not marked. */
	for (i = 0; i < ARRAY_SIZE(kma_owner_tracepoints); i++)
		kma_owner_watches[i] = !kma_tracepoints_attach(&kma_owner_tracepoints[i], 1);
	return 0;
}

void kma_owner_stop(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(kma_owner_tracepoints); i++)
		if (kma_owner_watches[i])
			kma_tracepoints_detach(&kma_owner_tracepoints[i], 1);
	tracepoint_synchronize_unregister();
	kma_owners_destroy();
}

void kma_owner_set(bool on)
{
	lockdep_assert_held(&kma_lock);
	kma_owners_forget();
	/* Tests of other parts run without these tables. */
	if (on && kma_owners.nr)
		static_branch_enable(&kma_owners_on);
	else
		static_branch_disable(&kma_owners_on);
}

bool kma_owner_is_on(void)
{
	return static_key_enabled(&kma_owners_on);
}
