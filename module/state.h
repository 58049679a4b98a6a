/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state that all parts of the module share: the tables, the configuration, the lock
 * of the settings, and the limit on memory.
 *
 * Probes write to the tables without a lock.  All other state is changed in process context,
 * under kma_lock.
 *
 * Context, unless a function says otherwise: process; kma_lock is held.
 */
#ifndef KMA_STATE_H
#define KMA_STATE_H

#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "core/pagealloc.h"
#include "core/record.h"

/* Limits of live_max, in objects.  The default reaches the upper limit with 10 TiB of RAM. */
#define KMA_LIVE_MAX		(1024ULL << 20)
#define KMA_LIVE_DEFAULT_MIN	(64ULL << 10)

/*
 * Limits of the default of sites_max, in rows.  Each is a multiple of KMA_ROWS_PER_CHUNK, and so
 * is each default between them.
 */
#define KMA_SITES_DEFAULT_MIN	512U
#define KMA_SITES_DEFAULT_MAX	8192U

/**
 * struct kma_config - settings that are fixed at load
 * @live_max: number of objects that the live table has room for.  If it is 0 at load,
 *	kma_state_set_defaults() sets it by kma_state_live_default().
 * @sites_max: number of rows for call sites.  If it is 0 at load, kma_state_set_defaults() sets it
 *	by kma_state_sites_default().
 * @bulk: follow the functions that allocate or free without a tracepoint
 */
struct kma_config {
	u64 live_max;
	u32 sites_max;
	bool bulk;
};

/* Does not change once the tables are allocated. */
extern struct kma_config kma_config;

/* The tables of slab objects: the live objects and their call sites. */
extern struct kma_core kma_core;

/* The tables of page allocations; empty while pages are not tracked. */
extern struct kma_pagealloc kma_pagealloc;

/*
 * Protects all settings that can change at run time, the baseline, the last error, and the names
 * of call sites.  Probes never take it, because it is a mutex.  Take and release it by the
 * functions below: they measure how long it is held.
 *
 * The module notifier takes it, so loading or unloading a module waits for it.  Code that walks a
 * large table or looks up many names has to drop the lock now and then.  Meanwhile, a module may
 * be loaded or unloaded, a command may free or reset tables, and a row may be used for another call
 * site.  Code that does any of this calls kma_state_changed() before it releases the lock.  A
 * reader compares kma_state_changes() when it has the lock again; if the number is the same,
 * everything that the reader knows still holds.  A module that is being unloaded is not freed
 * before the notifier has had the lock, so while the number is the same, the names at its addresses
 * can still be looked up.  See kma_snapshot_pause().
 */
extern struct mutex kma_lock;

/**
 * enum kma_lock_holder - what kma_lock is held for
 * @KMA_LOCK_START: loading or unloading this module
 * @KMA_LOCK_COMMAND: a command, a setting, or a read of `control`
 * @KMA_LOCK_RESET: the command `reset`
 * @KMA_LOCK_MODULE: loading or unloading another module
 * @KMA_LOCK_TABLE: a table
 * @KMA_LOCK_WORKER: a turn of a worker (overhead.h, incidents.h)
 * @KMA_LOCK_NR: number of these values; for kma_lock_max_us(), all of them
 */
enum kma_lock_holder {
	KMA_LOCK_START,
	KMA_LOCK_COMMAND,
	KMA_LOCK_RESET,
	KMA_LOCK_MODULE,
	KMA_LOCK_TABLE,
	KMA_LOCK_WORKER,
	KMA_LOCK_NR
};

/* Take kma_lock, which this context does not hold.  Context: process, may sleep. */
void kma_lock_take(enum kma_lock_holder holder);

/* Take kma_lock if it is free; return whether it was taken.  Context: process. */
bool kma_lock_try(enum kma_lock_holder holder);

/* Whether a task holds kma_lock.  Context: any. */
bool kma_lock_is_taken(void);

void kma_lock_release(void);

/* Release kma_lock, let other tasks run, and take it again for the same purpose.  May sleep. */
void kma_lock_pause(void);

/*
 * The longest time that kma_lock was held for a purpose, or for all (KMA_LOCK_NR), in us, rounded
 * down, since load or since kma_lock_forget().
 */
u64 kma_lock_max_us(enum kma_lock_holder holder);

/* Forget how long kma_lock was held.  The current holder's time counts when it ends. */
void kma_lock_forget(void);

/* Record a change that readers which have dropped kma_lock must notice. */
void kma_state_changed(void);

u64 kma_state_changes(void);

/*
 * Default of live_max: as many objects as fit into 1/128 of @ram bytes, within the limits above.
 * Context: any.
 */
u64 kma_state_live_default(u64 ram);

/*
 * The default of sites_max: as many rows as fit into 1/64 of @ram bytes, within the limits above.
 * Each row takes a cache line for each possible CPU.  So on a machine that has many possible CPUs
 * and little RAM, rows would take most of the memory that the module may use.  Context: any.
 */
u32 kma_state_sites_default(u64 ram, unsigned int nr_cpus);

/*
 * Set the sizes in kma_config that were left to the module.  Context: process; before
 * kma_state_init(), and before forecasts that depend on these sizes.
 */
void kma_state_set_defaults(void);

/*
 * Allocate the tables of objects, with the sizes in kma_config, and @pfns page generations, from
 * kma_memhotplug_pfns().  Fails if these tables and @more, the bytes that other parts of the
 * module are going to allocate at load, take more than kma_state_bytes_max().  Returns 0, or an
 * error that has been explained in the kernel log, with no memory left allocated.  Context:
 * process, may sleep; no probe is attached.
 */
int kma_state_init(u64 pfns, u64 more);

/* Free the tables of objects.  Context: process, may sleep; no probe is attached. */
void kma_state_destroy(void);

/*
 * Remove all stale entries from the live table, while probes run.  Call this before reading
 * counters of objects: the object of a stale entry counts as live until the entry is removed.
 * This reads the whole live table.  Context: process, may sleep; takes a lock of its own, so
 * kma_lock need not be held, and other processes can have it meanwhile.
 */
void kma_state_sweep(void);

/*
 * Bytes that the module has allocated: by kma_env_zalloc() and the like, by kma_small_alloc(), and
 * as kma_state_add_bytes() says.  The copies for open files are not included: see
 * kma_copy_alloc().  Context: any.
 */
u64 kma_state_bytes(void);

/*
 * Count @bytes in kma_state_bytes() that were allocated in another way, or by the kernel on behalf
 * of the module; negative after they were freed.  Context: any.
 */
void kma_state_add_bytes(s64 bytes);

/*
 * Allocate zeroed memory of at most a few pages from a slab, and count it in kma_state_bytes().
 * Returns the memory, to be freed by kma_small_free(), or NULL.  Context: process, may sleep.
 */
void *kma_small_alloc(size_t bytes);

/* Copy a text into memory from kma_small_alloc(), or return NULL.  Context: process, may sleep. */
char *kma_small_text(const char *text);

/* Free memory from kma_small_alloc(), or NULL.  Context: process. */
void kma_small_free(const void *mem);

/* The limit on the memory of all tables, in bytes: 1/16 of the RAM.  Context: any. */
u64 kma_state_bytes_max(void);

/*
 * Allocate zeroed memory for a copy of @nr rows of @bytes, to be freed by kma_copy_free(), or
 * return NULL.  The memory is charged to the cgroup of the current process.  So use it only for
 * what is freed when this process closes a file.  Under memory pressure the allocation fails
 * instead of retrying.  Context: process, may sleep.
 */
void *kma_copy_alloc(size_t nr, size_t bytes);

/* Free memory from kma_copy_alloc(), or NULL.  Context: process, may sleep. */
void kma_copy_free(void *mem);

/**
 * struct kma_arena - memory for copies that is allocated in advance
 * @mem: the memory; NULL if there is none
 * @size: its size in bytes
 * @used: bytes that are in use
 */
struct kma_arena {
	char *mem;
	size_t size;
	size_t used;
};

/*
 * From now on, let kma_copy_alloc() in this task take memory from an arena, which is empty; NULL:
 * allocate it again.  Only one task at a time uses an arena.  Context: process.
 */
void kma_arena_use(struct kma_arena *arena);

/* Free all memory of the arena that this task uses. */
void kma_arena_empty(void);

/* Whether this task uses an arena. */
bool kma_arena_used(void);

#endif /* KMA_STATE_H */
