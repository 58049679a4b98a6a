/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records of pages: a record stores which row counts the allocation of a page.
 *
 * A page allocation has a record for each of its pages.  One record for the whole page
 * allocation would not be enough, because its pages may be freed in pieces, or together with
 * pages of other allocations.  The record of a page is found from the page frame number (PFN)
 * alone: records need no hash, are not claimed, and never run out.
 *
 *	chunk[PFN / KMA_CHUNK_PFNS]	a chunk for each range of PFNs that has RAM
 *	     [PFN % KMA_CHUNK_PFNS]	the record of one page, sixteen bytes
 *
 * Chunks are added when memory is added, and stay when it is removed.  A page allocation
 * is aligned to its size, and a chunk is larger, so a page allocation lies in one chunk.
 *
 * The probe of an allocation writes the records when the pages have just been allocated, and
 * the probe of a free clears them when the pages are about to be freed.  There is no other
 * writer, and the page allocator orders the two.  A reader reads @what and @time before
 * and after the other members.  If both are unchanged, there are two cases.  Either the copy
 * is of one record, or another record with the same row and the same time was written in
 * between; then the members of either record are correct.
 *
 * Context, unless a function says otherwise: any, NMI included; for functions that allocate or
 * free the table: process, may sleep.
 */
#ifndef KMA_CORE_PFNTAB_H
#define KMA_CORE_PFNTAB_H

#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/smp.h>
#include <linux/types.h>

#include "env.h"
#include "owner.h"

/* A chunk is for 64 MiB of memory.  Memory is added and removed in multiples of 64 MiB. */
#define KMA_CHUNK_SHIFT		14
#define KMA_CHUNK_PFNS		16384UL		/* 1 << KMA_CHUNK_SHIFT */

/**
 * struct kma_pfn - the record of a page
 * @what: in the bits of KMA_PFN_ROW, the number of the row plus 1; in the bits above these,
 *	the flags KMA_PFN_REST, KMA_PFN_SAMPLED and KMA_PFN_ABSENT; 0 if nothing is recorded
 * @time: when the page was allocated, as read by kma_env_now()
 * @tgid: thread group ID of the process that allocated the page; 0 outside task context
 * @cpu_owner: the CPU that allocated the page, and the number of the page's owner (owner.h):
 *	kma_pfn_cpu(), kma_pfn_owner()
 *
 * In the mode "sampled" (see pagealloc.h), the record of a page that is not sampled only has
 * @what.
 */
struct kma_pfn {
	u32 what;
	u32 time;
	u32 tgid;
	u32 cpu_owner;
};

static inline u32 kma_pfn_cpu(const struct kma_pfn *f)
{
	return (u16)f->cpu_owner;
}

/*
 * The number of the owner; KMA_OWNER_NONE if the page is not charged to a cgroup, or if its owner
 * was not recorded.  A record that only has @what may have the owner of an earlier page.
 */
static inline u32 kma_pfn_owner(const struct kma_pfn *f)
{
	return READ_ONCE(f->cpu_owner) >> KMA_OWNER_SHIFT;
}

#define KMA_PFN_ROW		0x00ffffffU
/* The page is not the first page of its page allocation. */
#define KMA_PFN_REST		0x01000000U
/* The row counts samples.  The row of the class counts the page, too. */
#define KMA_PFN_SAMPLED		0x02000000U
/*
 * No chunk was added for the page's memory.  All records of the chunk @absent have this value,
 * which never changes.
 */
#define KMA_PFN_ABSENT		0x04000000U

/* The number of the row, from @what of a record; not 0. */
static __always_inline u32 kma_pfn_row(u32 what)
{
	return (what & KMA_PFN_ROW) - 1;
}

/*
 * Whether @f, a record with a time, was made since an earlier moment.  @since and @now are times
 * of kma_env_now().  The clock has 32 bits.  Comparing both times with @now instead of with each
 * other keeps this right for records of any age up to a whole period of the clock, not only up to
 * half of it.
 */
static inline bool kma_pfn_is_since(const struct kma_pfn *f, u32 since, u32 now)
{
	return now - READ_ONCE(f->time) <= now - since;
}

static_assert(KMA_CHUNK_PFNS >> KMA_CHUNK_SHIFT == 1);
/* With pages of 4 KiB, this is 0.4 % of the RAM. */
static_assert(sizeof(struct kma_pfn) == 16);

/**
 * struct kma_pfntab - the records of all pages
 * @chunk: array of pointers to @nr_chunks chunks; @absent for a chunk that was not added
 * @nr_chunks: number of chunks that the table has room for
 * @absent: a chunk that stands for all chunks that were not added
 * @nr_there: number of chunks that were added; never decreases
 */
struct kma_pfntab {
	struct kma_pfn **chunk;
	u64 nr_chunks;
	struct kma_pfn *absent;
	u64 nr_there;
};

/* Allocate a table with room for @nr_chunks chunks, but no chunk.  Returns 0 or -ENOMEM. */
int kma_pfntab_init(struct kma_pfntab *t, u64 nr_chunks);

/*
 * Add chunk @i, below @t->nr_chunks, if it has not been added yet.  Records lie on the node of
 * their pages; @node, or NUMA_NO_NODE, is that of pages that are not online yet.  Returns 0 or
 * -ENOMEM.  Context: process, may sleep; the caller prevents concurrent calls.
 */
int kma_pfntab_add(struct kma_pfntab *t, u64 i, int node);

/* Free @t, which may be zeroed memory, and which no probe and no reader uses any more. */
void kma_pfntab_destroy(struct kma_pfntab *t);

static inline u64 kma_pfntab_chunk_bytes(void)
{
	return KMA_CHUNK_PFNS * sizeof(struct kma_pfn);
}

/* Whether @t has room for a page, so that kma_pfntab_at() may be called for it. */
static __always_inline bool kma_pfntab_has(const struct kma_pfntab *t,
					   unsigned long pfn)
{
	return pfn >> KMA_CHUNK_SHIFT < t->nr_chunks;
}

/*
 * The record of a page for which kma_pfntab_has() is true.  It is followed by the records of the
 * next pages, up to the end of the chunk.
 */
static __always_inline struct kma_pfn *
kma_pfntab_at(const struct kma_pfntab *t, unsigned long pfn)
{
	/*
	 * The pointer changes at most once, when the chunk is added.  The address
	 * dependency pairs with the release in kma_pfntab_add().
	 */
	return data_race(t->chunk[pfn >> KMA_CHUNK_SHIFT]) + pfn % KMA_CHUNK_PFNS;
}

/* The record of any page, like kma_pfntab_at(); NULL if no chunk was added for the page. */
static inline struct kma_pfn *kma_pfntab_find(const struct kma_pfntab *t,
					      unsigned long pfn)
{
	struct kma_pfn *f;

	if (!kma_pfntab_has(t, pfn))
		return NULL;
	f = kma_pfntab_at(t, pfn);
	return READ_ONCE(f->what) == KMA_PFN_ABSENT ? NULL : f;
}

/*
 * Record the time, process and CPU of an allocation, and its owner, as in struct kma_owned.  The
 * caller calls kma_pfn_set() next.
 */
static __always_inline void kma_pfn_describe(struct kma_pfn *f, u32 owner)
{
	WRITE_ONCE(f->time, kma_env_now());
	/* Pairs with the smp_rmb() in kma_pfn_read(). */
	smp_wmb();
	WRITE_ONCE(f->tgid, kma_env_tgid());
	WRITE_ONCE(f->cpu_owner, raw_smp_processor_id() + owner);
}

/* Record the row of a page that was allocated, in a record whose @what is 0. */
static __always_inline void kma_pfn_set(struct kma_pfn *f, u32 what)
{
	/* Pairs with the acquire in kma_pfn_read(). */
	smp_store_release(&f->what, what);
}

/* Clear the record of a page that is about to be freed, or was freed without an event. */
static __always_inline void kma_pfn_clear(struct kma_pfn *f)
{
	WRITE_ONCE(f->what, 0);
}

/*
 * Copy a record while probes may write to it.  Returns true if @copy is consistent; false if
 * nothing is recorded, or if the record changed during the copy.
 */
bool kma_pfn_read(const struct kma_pfn *f, struct kma_pfn *copy);

#endif /* KMA_CORE_PFNTAB_H */
