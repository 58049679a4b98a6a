/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The self-test: does the module record each way to allocate and to free as it should?
 *
 * The module relies on what the kernel does around its tracepoints and followed functions.  A
 * kernel that the module was not tested on may do something else.  So at load, before recording
 * begins, the module allocates and frees some objects of its own by each path, and checks what its
 * probes and tables have recorded (witness.h).  When page tracking begins, it does the same with
 * pages.
 *
 * A path that fails is treated as one that cannot be followed: what relies on it is not confirmed,
 * or is not recorded.  The kernel log says which path failed, and what is lost.  A path is not
 * tested if there is no memory, or if it is not followed anyway.  The module is loaded in any case.
 *
 * Context, unless a function says otherwise: process; kma_lock is held.
 */
#ifndef KMA_SELFTEST_H
#define KMA_SELFTEST_H

#include <linux/types.h>

/*
 * The paths, in the order in which they are tested: X(name, run, lose, loss).
 *
 * @name: name of the path in `stats` and the kernel log
 * @run: tests the path; returns NULL if it is right, kma_witness_untested, or what is wrong
 * @lose: called if the path fails
 * @loss: what is lost if the path fails, for the kernel log
 *
 * Frees come before the allocations that are only recorded if their frees are recorded, too.
 */
#define KMA_SELFTEST_OBJECTS(X)								\
	X(kmalloc, kma_selftest_kmalloc, kma_selftest_doubt, KMA_LOSS_CONFIRM)		\
	X(kmalloc_node, kma_selftest_kmalloc_node, kma_selftest_doubt, KMA_LOSS_CONFIRM) \
	X(kmalloc_large, kma_selftest_kmalloc_large, kma_selftest_doubt, KMA_LOSS_CONFIRM) \
	X(krealloc, kma_selftest_krealloc, kma_selftest_doubt, KMA_LOSS_CONFIRM)	\
	X(cache, kma_selftest_cache, kma_selftest_doubt, KMA_LOSS_CONFIRM)		\
	X(cache_node, kma_selftest_cache_node, kma_selftest_doubt, KMA_LOSS_CONFIRM)	\
	X(free_bulk, kma_selftest_free_bulk, kma_selftest_lose_frees, KMA_LOSS_CONFIRM)	\
	X(kfree_rcu, kma_selftest_kfree_rcu, kma_selftest_lose_frees, KMA_LOSS_CONFIRM)	\
	X(kfree_nolock, kma_selftest_kfree_nolock, kma_selftest_lose_frees,		\
	  KMA_LOSS_CONFIRM)								\
	X(kfree_rcu_nolock, kma_selftest_kfree_rcu_nolock, kma_selftest_lose_frees,	\
	  KMA_LOSS_CONFIRM)								\
	X(alloc_bulk, kma_selftest_alloc_bulk, kma_bulk_allocs_stop,			\
	  "bulk allocations are not recorded (are kprobes disabled?)")			\
	X(kmalloc_nolock, kma_selftest_kmalloc_nolock, kma_nolock_stop,			\
	  "these allocations are not recorded (are kprobes disabled?)")			\
	X(page_net, kma_selftest_page_net, kma_selftest_lose_net,			\
	  "an object whose free is not seen stays live when its page is freed")		\
	X(cache_destroy, kma_selftest_cache_destroy, kma_selftest_lose_nothing,		\
	  "a new cache may count as a destroyed one")

#define KMA_SELFTEST_PAGES(X)								\
	X(pages, kma_selftest_pages, kma_selftest_lose_nothing,				\
	  "do not trust the tables of pages")						\
	X(page_bulk, kma_selftest_page_bulk, kma_page_bulk_stop,			\
	  "bulk allocations of pages are not recorded (are kprobes disabled?)")

#define KMA_LOSS_CONFIRM	"objects shown as live may be gone, and others may be missing"

enum kma_path_nr {
#define X(name, run, lose, loss) KMA_PATH_##name,
	KMA_SELFTEST_OBJECTS(X)
	KMA_SELFTEST_PAGES(X)
#undef X
	KMA_PATH_NR
};

/**
 * enum kma_path_result - what the self-test has found about a path, as in `stats`
 * @KMA_PATH_FAILED: the events are not what the module expects
 * @KMA_PATH_GOOD: everything was recorded exactly once, as it should be
 * @KMA_PATH_UNTESTED: not tested
 */
enum kma_path_result {
	KMA_PATH_FAILED,
	KMA_PATH_GOOD,
	KMA_PATH_UNTESTED,
};

/**
 * struct kma_path - a path
 * @name: its name, with a prefix, as in `stats`
 * @run: see KMA_SELFTEST_OBJECTS()
 * @lose: see KMA_SELFTEST_OBJECTS()
 * @loss: see KMA_SELFTEST_OBJECTS()
 */
struct kma_path {
	const char *name;
	const char *(*run)(void);
	void (*lose)(void);
	const char *loss;
};

/*
 * Test a path.  If it fails, this explains it in the kernel log, and calls @path->lose.  Context:
 * process, may sleep; for a path of objects, between kma_witness_start() and kma_witness_stop().
 */
enum kma_path_result kma_selftest_try(const struct kma_path *path);

/*
 * Test the paths of objects.  Context: process, may sleep; probes are attached, recording is off.
 */
void kma_selftest_objects(void);

/* Test the paths of pages.  Page tracking has begun, nothing is recorded yet.  May sleep. */
void kma_selftest_page_paths(void);

/* Forget the results of kma_selftest_page_paths(), because page tracking ends. */
void kma_selftest_forget_pages(void);

/* The result of a path, and its @name, with a prefix. */
enum kma_path_result kma_selftest_result(enum kma_path_nr nr, const char **name);

/* Number of paths that failed. */
int kma_selftest_failed(void);

/* How long the test of the paths of objects took, in us.  Context: any. */
u64 kma_selftest_us(void);

/* Whether no object is confirmed as live: the path of a tracepoint failed.  Context: any. */
bool kma_selftest_doubts(void);

#endif /* KMA_SELFTEST_H */
