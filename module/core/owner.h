/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owners: who allocated an object or a page, and which cgroup is charged for it.
 *
 * An owner is a process name, the cgroup of the process, and the cgroup that is charged for the
 * object or page.  Few combinations of these exist at a time, so each gets a number of 16 bits,
 * which fits into the object's entry in the live table.  The thread group ID is in the entry
 * itself: otherwise each process would need a number.  The record of a page (pfntab.h) also has
 * both numbers.
 *
 *	probe: current --memo of this CPU--> number --> entry of the live table, record of a page
 *	number --idtab--> name, cgroup, charged cgroup --idtab--> path
 *
 * The memo has the owner of the process that last allocated on this CPU.  Each CPU has three memos:
 * for objects of tasks that are charged, for those that are not, and a constant one for interrupts
 * that are not charged.  A memo is valid for one thread group ID, one set of cgroups (struct
 * css_set) and one epoch.
 *
 * When a process gets another name, kma_owner_forget() begins a new epoch, after which no memo of
 * the process is valid.  There are KMA_OWNER_EPOCHS epochs, each for a part of all thread group
 * IDs, so that a process that changes its name again and again makes only few others slow.  About
 * once a second, kma_owner_turn() begins new epochs of all processes, because a new process may get
 * the ID of an old one.
 *
 * Without a valid memo, kma_env_owner() finds or makes the owner of the current context.
 *
 * The paths of cgroups have a table of their own.  A path is copied when its cgroup first gets an
 * owner, and is kept after the cgroup was removed.
 *
 * Context, unless a function says otherwise: a probe, any context, NMI included.
 */
#ifndef KMA_CORE_OWNER_H
#define KMA_CORE_OWNER_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "env.h"
#include "idtab.h"

/* Reserved numbers: not recorded; no number was free; an interrupt that is not charged. */
#define KMA_OWNER_NONE		KMA_ID_NONE
#define KMA_OWNER_OTHER		1U
#define KMA_OWNER_INTERRUPT	2U
#define KMA_OWNER_RESERVED	3U

/* Where an entry has the number of its owner: kma_entry_owner() (objtab.h). */
#define KMA_OWNER_SHIFT		16

/**
 * struct kma_owner - an owner, which is a key of kma_owners
 * @comm: name of the process, as kma_comm_copy() copies it
 * @cgroup: ID of the cgroup of the process in the default hierarchy; 0 in an interrupt
 * @charged: ID of the cgroup that is charged; KMA_CHARGED_NONE or KMA_CHARGED_UNKNOWN
 *
 * An ID has the number of the cgroup's hierarchy, 0 for the default one, in its highest 16 bits.
 */
struct kma_owner {
	u64 comm[2];
	u64 cgroup;
	u64 charged;
};

#define KMA_CHARGED_NONE	0ULL
#define KMA_CHARGED_UNKNOWN	U64_MAX

#define KMA_CGROUP_PATH		232

/**
 * struct kma_cgroup - a cgroup, which is a record of kma_cgroups
 * @id: its ID, as in struct kma_owner; this is the key
 * @parent: ID of its parent; 0 if it is the root
 * @removed: whether it was removed
 * @path: its path, as in /proc/PID/cgroup; the end of it if it is too long
 */
struct kma_cgroup {
	u64 id;
	u64 parent;
	u64 removed;
	char path[KMA_CGROUP_PATH];
};

/* The owners, and the cgroups that they refer to. */
extern struct kma_idtab kma_owners;
extern struct kma_idtab kma_cgroups;

/**
 * struct kma_owned - what an entry of the live table has about the owner
 * @tgid: thread group ID; 0 in an interrupt
 * @owner: number of the owner, shifted by KMA_OWNER_SHIFT
 */
struct kma_owned {
	u32 tgid;
	u32 owner;
};

/**
 * struct kma_owner_memo - the owner of the process that last allocated on a CPU
 * @process: thread group ID, and the epoch above it; 0 if the memo is empty
 * @groups: the process's set of cgroups
 * @owner: as in struct kma_owned
 *
 * Only the CPU itself uses its memos, with preemption off.  The first two are used in task context
 * only, and the memo of interrupts never changes.
 */
struct kma_owner_memo {
	u64 process;
	const void *groups;
	u32 owner;
} __aligned(32);

static_assert(sizeof(struct kma_owner_memo) == 32);

/*
 * The offsets of the memos of a CPU.  The first two are also the values of `charge`: whether an
 * object is to be charged to a cgroup.  The third memo is for interrupts that are not charged.
 */
#define KMA_CHARGE_NONE		0UL
#define KMA_CHARGE		sizeof(struct kma_owner_memo)
#define KMA_OWNER_MEMO_INTERRUPT	(2 * sizeof(struct kma_owner_memo))

/**
 * struct kma_owner_memos - the memos of a CPU
 * @memo: the memos, at the offsets above; the first two are in one cache line, and the last one is
 *	not used
 */
struct kma_owner_memos {
	struct kma_owner_memo memo[4];
} __aligned(64);

DECLARE_PER_CPU(struct kma_owner_memos, kma_owner_memos);

/* The epochs, in bits 32 to 63: each is for the thread group IDs with the same lowest bits. */
#define KMA_OWNER_EPOCHS	256U
#define KMA_OWNER_EPOCH		BIT_ULL(32)
extern atomic64_t kma_owner_epoch[KMA_OWNER_EPOCHS];
static_assert(KMA_OWNER_EPOCHS == 1U << 8 * sizeof(u8));

/* The epoch of a process.  A new one may begin at any time. */
static __always_inline atomic64_t *kma_owner_epoch_of(u64 tgid)
{
	return &kma_owner_epoch[(u8)tgid];
}

/* Begin a new epoch of a process, or new epochs of all.  Context: any. */
void kma_owner_forget(u32 tgid);
void kma_owners_forget(void);

/* A memo of this CPU, by its offset; only one of its members may be read at a time. */
#define kma_owner_memo(memo)						\
	(*(struct kma_owner_memo __percpu *)((char __percpu *)&kma_owner_memos + (memo)))

/*
 * The thread group ID and the owner in a memo, as in struct kma_owned.  They are read late, where
 * they are stored, so that they take no registers.
 *
 * Between two reads of a memo, the offset is hidden from the compiler: otherwise it computes the
 * address of the memo once, which takes one more instruction than an offset in each read.
 */
#define kma_owner_memo_tgid(memo)	((u32)kma_env_this_cpu(kma_owner_memo(memo).process))
static __always_inline u32 kma_owner_memo_owner(unsigned long *memo)
{
	OPTIMIZER_HIDE_VAR(*memo);
	return kma_env_this_cpu(kma_owner_memo(*memo).owner);
}

/*
 * Find the memo of this CPU that has the owner of an object that is allocated in this context.
 * @memo is KMA_CHARGE_NONE or KMA_CHARGE, or the result of an earlier call; on return, it is the
 * offset of the memo.  If this returns false, no memo is valid, and the caller has to call
 * kma_env_owner().  Context: a probe, which does not migrate while it uses the memo.
 */
static __always_inline bool kma_owner_find(unsigned long *memo)
{
	u64 process;

	if (unlikely(!kma_env_in_task(*memo))) {
		if (*memo == KMA_CHARGE)
			return false;
		*memo = KMA_OWNER_MEMO_INTERRUPT;
		return true;
	}
	if (unlikely(!kma_env_this_cpu_is(kma_owner_memo(*memo).groups, kma_env_task_groups()) ||
		     kma_env_task_remote()))
		return false;
	OPTIMIZER_HIDE_VAR(*memo);
	process = kma_env_task_tgid();
	/* A plain load, so that the compiler adds from memory. */
	process += data_race(kma_owner_epoch_of(process)->counter);	/* may change at any time */
	return likely(kma_env_this_cpu_is(kma_owner_memo(*memo).process, process));
}

/*
 * Put the owner of the current process into a memo of this CPU.  @epoch and @groups, the set of
 * cgroups, were read before the owner was found.  Context: a probe, in task context.
 */
void kma_owner_remember(unsigned long charge, u64 epoch, const void *groups,
			const struct kma_owned *o);

/*
 * Find the owner of the current context, in a memo or without one.  @memo is as for
 * kma_owner_find().  While owners are not recorded, @o only has the thread group ID.
 */
void kma_owner_now(unsigned long memo, struct kma_owned *o);

/* The number of an owner; KMA_OWNER_OTHER if no number is free. */
u32 kma_owner_get(const struct kma_owner *owner);

/* How many owners and cgroups there is room for, on a machine with @ram bytes of RAM. */
u32 kma_owners_nr(u64 ram);
u32 kma_cgroups_nr(u64 ram);

/* Bytes that both tables take.  Context: any. */
u64 kma_owners_bytes(u64 ram);

/* Allocate both tables, and make all memos invalid.  Returns 0 or -ENOMEM.  Context: process. */
int kma_owners_init(u64 ram);

/* Free both tables.  Context: process, may sleep; no probe uses them. */
void kma_owners_destroy(void);

#endif /* KMA_CORE_OWNER_H */
