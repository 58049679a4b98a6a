/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state that all parts of the module share: the tables, the configuration, the lock
 * of the settings, and the limit on memory.
 *
 * Probes write to the tables without a lock.  All other state is changed in process context,
 * under kma_lock.
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
 * @KMA_LOCK_WORKER: a turn of the worker (overhead.h)
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

/**
 * kma_lock_take() - take kma_lock
 * @holder: what it is taken for
 *
 * Context: process, may sleep; kma_lock is not held.
 */
void kma_lock_take(enum kma_lock_holder holder);

/**
 * kma_lock_try() - take kma_lock if it is free
 * @holder: what it is taken for
 *
 * Context: process.
 * Return: true if it was taken.
 */
bool kma_lock_try(enum kma_lock_holder holder);

/**
 * kma_lock_release() - release kma_lock
 *
 * Context: process; kma_lock is held.
 */
void kma_lock_release(void);

/**
 * kma_lock_pause() - release kma_lock, let other tasks run, and take it again for the same purpose
 *
 * Context: process, may sleep; kma_lock is held.
 */
void kma_lock_pause(void);

/**
 * kma_lock_max_us() - the longest time that kma_lock was held
 * @holder: the purpose, or KMA_LOCK_NR for all purposes
 *
 * Context: process; kma_lock is held.
 * Return: microseconds, rounded down, since load or since kma_lock_forget().
 */
u64 kma_lock_max_us(enum kma_lock_holder holder);

/**
 * kma_lock_forget() - forget how long kma_lock was held
 *
 * The current holder's time counts when it releases the lock.
 *
 * Context: process; kma_lock is held.
 */
void kma_lock_forget(void);

/**
 * kma_state_changed() - record a change that readers which have dropped kma_lock must notice
 *
 * Context: process; kma_lock is held.
 */
void kma_state_changed(void);

/**
 * kma_state_changes() - number of calls of kma_state_changed()
 *
 * Context: process; kma_lock is held.
 * Return: the number.
 */
u64 kma_state_changes(void);

/**
 * kma_state_live_default() - compute the default of live_max
 * @ram: the RAM, in bytes
 *
 * Context: any.
 * Return: the number of objects that fit into 1/128 of the RAM, within the limits above.
 */
u64 kma_state_live_default(u64 ram);

/**
 * kma_state_sites_default() - compute the default of sites_max
 * @ram: the RAM, in bytes
 * @nr_cpus: number of possible CPUs
 *
 * Each row takes a cache line for each possible CPU.  So on a machine that has many possible CPUs
 * and little RAM, rows would take most of the memory that the module may use.
 *
 * Context: any.
 * Return: the number of rows that fit into 1/64 of the RAM, within the limits above.
 */
u32 kma_state_sites_default(u64 ram, unsigned int nr_cpus);

/**
 * kma_state_set_defaults() - set the sizes in kma_config that were left to the module
 *
 * Context: process; before kma_state_init(), and before forecasts that depend on these sizes.
 */
void kma_state_set_defaults(void);

/**
 * kma_state_init() - allocate the tables of objects, with the sizes in kma_config
 * @pfns: number of page generations, a power of two, from kma_memhotplug_pfns()
 * @more: bytes that other parts of the module are going to allocate at load
 *
 * This fails if the tables and @more take more than kma_state_bytes_max().
 *
 * Context: process, may sleep; no probe is attached.
 * Return: 0, or an error that has been explained in the kernel log, with no memory left
 * allocated.
 */
int kma_state_init(u64 pfns, u64 more);

/**
 * kma_state_destroy() - free the tables of objects
 *
 * Context: process, may sleep; no probe is attached.
 */
void kma_state_destroy(void);

/**
 * kma_state_sweep() - remove all stale entries from the live table
 *
 * Call this before reading counters of objects: the object of a stale entry counts as live until
 * the entry is removed.  This reads the whole live table.
 *
 * Context: process, may sleep; probes may run on other CPUs.  This takes a lock of its own, so
 * kma_lock need not be held, and other processes can have it meanwhile.
 */
void kma_state_sweep(void);

/**
 * kma_state_bytes() - memory that the module has allocated
 *
 * The sum has what kma_env_zalloc() and the like, and kma_small_alloc(), have allocated, and what
 * kma_state_add_bytes() has added.  The copies for open files are not included: see
 * kma_copy_alloc().
 *
 * Context: any.
 * Return: bytes.
 */
u64 kma_state_bytes(void);

/**
 * kma_state_add_bytes() - count more memory in kma_state_bytes()
 * @bytes: bytes that were allocated in another way, or by the kernel on behalf of the module;
 *	negative after they were freed
 *
 * Context: any.
 */
void kma_state_add_bytes(s64 bytes);

/**
 * kma_small_alloc() - allocate zeroed memory from a slab, and count it in kma_state_bytes()
 * @bytes: size of the memory, at most a few pages
 *
 * Context: process, may sleep.
 * Return: the memory, to be freed by kma_small_free(), or NULL.
 */
void *kma_small_alloc(size_t bytes);

/**
 * kma_small_text() - copy a text into memory from kma_small_alloc()
 * @text: the text
 *
 * Context: process, may sleep.
 * Return: the copy, to be freed by kma_small_free(), or NULL.
 */
char *kma_small_text(const char *text);

/**
 * kma_small_free() - free memory from kma_small_alloc()
 * @mem: the memory, or NULL
 *
 * Context: process.
 */
void kma_small_free(const void *mem);

/**
 * kma_state_bytes_max() - get the limit on the memory of all tables
 *
 * Context: any.
 * Return: bytes, 1/16 of the RAM.
 */
u64 kma_state_bytes_max(void);

/**
 * kma_copy_alloc() - allocate zeroed memory for a copy of rows
 * @nr: number of rows
 * @bytes: size of a row
 *
 * The memory is charged to the cgroup of the current process.  So use it only for what is freed
 * when this process closes a file.  Under memory pressure the allocation fails instead of retrying.
 *
 * Context: process, may sleep.
 * Return: the memory, to be freed by kma_copy_free(), or NULL.
 */
void *kma_copy_alloc(size_t nr, size_t bytes);

/**
 * kma_copy_free() - free memory from kma_copy_alloc()
 * @mem: the memory, or NULL
 *
 * Context: process, may sleep.
 */
void kma_copy_free(void *mem);

#endif /* KMA_STATE_H */
