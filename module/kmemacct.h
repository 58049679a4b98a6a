/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the module share; each block is one file's interface. */
#ifndef KMA_KMEMACCT_H
#define KMA_KMEMACCT_H

#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "compat.h"
#include "core/record.h"

#include "../include/kmemacct_abi.h"

/* ---- engine.c: everything between insmod and rmmod ---------------------- */

/**
 * struct kma_config - how to set the module up
 * @live_max: objects that the live table has room for; 0: by the RAM
 * @sites_max: rows for call sites
 * @enabled: record allocations from the start
 * @bulk: follow the bulk functions, `auto` or `off`
 */
struct kma_config {
	u64 live_max;
	u32 sites_max;
	bool enabled;
	const char *bulk;
};

#define KMA_LIVE_MIN		1ULL
#define KMA_LIVE_MAX		(16ULL << 20)
#define KMA_LIVE_DEFAULT_MIN	(64ULL << 10)
#define KMA_SITES_DEFAULT	8192

/* What the probes write to. */
extern struct kma_core kma_core;
/* What the module runs with; constant after kma_engine_start(). */
extern struct kma_config kma_config;

/**
 * kma_engine_start() - build tables, attach probes, show files, record
 * @config: how
 *
 * Context: process, may sleep. Return: 0, or an error that has been explained
 * in the kernel log, and then nothing is left behind.
 */
int kma_engine_start(const struct kma_config *config);

/**
 * kma_engine_stop() - undo kma_engine_start()
 *
 * Context: process, may sleep.
 */
void kma_engine_stop(void);

/* ---- probe.c: the tracepoints ------------------------------------------- */

/**
 * struct kma_probe - a tracepoint and how to get at it
 * @name: its name
 * @attach: 0 or an error
 * @detach: probes that run go on until tracepoint_synchronize_unregister()
 */
struct kma_probe {
	const char *name;
	int (*attach)(void);
	void (*detach)(void);
};

/**
 * kma_probes_attach() - attach to tracepoints, to all or to none
 * @probes: in the order of attaching
 * @nr: how many
 *
 * Context: process, may sleep. Return: 0, or an error that has been explained
 * in the kernel log, and then no probe runs any more.
 */
int kma_probes_attach(const struct kma_probe *probes, int nr);

/**
 * kma_probes_detach() - detach in reverse and wait until no probe runs
 * @probes: the same as for kma_probes_attach()
 * @nr: the same
 *
 * Context: process, may sleep.
 */
void kma_probes_detach(const struct kma_probe *probes, int nr);

/**
 * kma_probes_start() - attach all probes and learn the kernel's habits
 *
 * Frees are followed from here on, allocations from kma_probes_record().
 * Context: process, may sleep. Return: as kma_probes_attach().
 */
int kma_probes_start(void);

/**
 * kma_probes_stop() - undo kma_probes_start()
 *
 * Context: process, may sleep.
 */
void kma_probes_stop(void);

/**
 * kma_probes_record() - whether allocations are recorded
 * @on: they are
 *
 * Context: process, may sleep.
 */
void kma_probes_record(bool on);

/**
 * kma_probes_attached() - how many tracepoints the module listens to
 *
 * Context: any. Return: their number.
 */
int kma_probes_attached(void);

/**
 * kma_probes_free() - an object is about to be freed, without a tracepoint
 * @ptr: the object
 *
 * Context: a hook, any context that does not migrate.
 */
void kma_probes_free(const void *ptr);

/**
 * kma_probes_bulk() - an object was allocated, without a tracepoint
 * @site: return address of the call that allocated
 * @ptr: the object
 * @cache: address of its kmem_cache
 *
 * Context: a hook, any context that does not migrate.
 */
void kma_probes_bulk(unsigned long site, const void *ptr, unsigned long cache);

/* ---- bulk.c: allocations and frees without a tracepoint ------------------- */

/**
 * kma_bulk_start() - follow the bulk functions, as far as that can be done
 *
 * Context: process, may sleep.
 */
void kma_bulk_start(void);

/* Undo kma_bulk_start(). Context: process, may sleep. */
void kma_bulk_stop(void);

/* Context: any. Return: whether objects that are freed in bulk are seen. */
bool kma_bulk_frees_followed(void);

/* Context: any. Return: whether objects of bulk allocations are seen. */
bool kma_bulk_allocs_followed(void);

/* Context: any. Return: bulk allocations that were not. */
unsigned long kma_bulk_allocs_missed(void);

/* ---- cacheinfo.c: name and slot size of a struct kmem_cache ------------- */

/**
 * kma_cacheinfo_init() - find out where a kmem_cache keeps name and size
 *
 * Makes two caches of known names and sizes for the purpose.  Where it cannot
 * be sure it settles for the object size, which every kernel tells.
 * Context: process, may sleep. Return: 0 or -ENOMEM.
 */
int kma_cacheinfo_init(void);

/* Context: any. Return: whether sizes and names are the caches' own. */
bool kma_cacheinfo_exact(void);

/**
 * kma_cacheinfo_watch() - retire caches when they are destroyed
 *
 * Context: process, may sleep. Return: 0, or an error explained in the log.
 */
int kma_cacheinfo_watch(void);

/* Context: any. Return: destroyed caches that were missed. */
unsigned long kma_cacheinfo_missed(void);

/* Undo kma_cacheinfo_watch(). Context: process, may sleep. */
void kma_cacheinfo_unwatch(void);

/* ---- symbol.c: names of call sites -------------------------------------- */

/* Room for any name that kma_symbol_name() makes. */
#define KMA_SYMBOL_LEN	768

/**
 * kma_symbol_start() - keep the names of modules that go away
 * @rows: row numbers are below this
 *
 * Context: process, may sleep. Return: 0, or an error explained in the log.
 */
int kma_symbol_start(u32 rows);

/* Undo kma_symbol_start(). Context: process, may sleep. */
void kma_symbol_stop(void);

/**
 * kma_symbol_name() - the name of a row's call site
 * @id: the row, in use
 * @buf: room for the result, `symbol+0xoff [module]`, never an address
 *
 * Context: process; kma_lock is held.
 */
void kma_symbol_name(u32 id, char buf[KMA_SYMBOL_LEN]);

/* ---- control.c: the settings -------------------------------------------- */

/*
 * kma_lock protects everything that is set at run time: whether allocations
 * are recorded, the base that `reset` makes, sort orders, the last error, and
 * the names of retired call sites.  Probes know nothing of it.
 */
extern struct mutex kma_lock;

/**
 * struct kma_base - what sums are counted from
 * @row: sums of each row at the last reset; NULL if there was none
 * @stats: the module's counters then
 * @ns: boot time then, or at load, in nanoseconds
 */
struct kma_base {
	struct kma_row *row;
	struct kma_stats stats;
	u64 ns;
};

extern struct kma_base kma_base;

/**
 * kma_control_start() - settings as configured
 *
 * Context: process, may sleep; kma_config is set, nothing is recorded yet.
 */
void kma_control_start(void);

/* Stop recording. Context: process, may sleep. */
void kma_control_stop(void);

/* Free what `reset` keeps; nobody reads tables any more. Context: process. */
void kma_control_forget(void);

/**
 * kma_control_enable() - start or stop recording allocations
 * @on: start
 *
 * Context: process, may sleep.
 */
void kma_control_enable(bool on);

/* Context: any. Return: whether allocations are recorded. */
bool kma_control_enabled(void);

/**
 * kma_control_run() - do what a line written to `control` says
 * @line: the command; is changed
 *
 * Context: process, may sleep. Return: 0 or an error, -EINVAL where the line
 * was not understood; then nothing was changed and the reason is kept.
 */
int kma_control_run(char *line);

extern const struct file_operations kma_control_fops;

/* ---- report/: the tables ------------------------------------------------- */

/* Make the files. Context: process. Return: 0 or -ENOMEM, and then none. */
int kma_report_start(void);

/* Undo kma_report_start(); nobody reads them after. Context: process. */
void kma_report_stop(void);

#endif /* KMA_KMEMACCT_H */
