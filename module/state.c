// SPDX-License-Identifier: GPL-2.0
/* The shared state.  See the overview in state.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "core/history.h"
#include "state.h"

struct kma_core kma_core;
struct kma_pagealloc kma_pagealloc;
struct kma_config kma_config;
/* Protects settings, and more: see state.h. */
DEFINE_MUTEX(kma_lock);

/*
 * The purpose for which kma_lock is held, the time at which it was taken, and the longest time that
 * each purpose has held it, in ns.  Protected by kma_lock itself.
 */
static enum kma_lock_holder kma_lock_holder;
static u64 kma_lock_since;
static u64 kma_lock_max[KMA_LOCK_NR];

/* Protected by kma_lock. */
static u64 kma_nr_changes;

/* ---- the lock -------------------------------------------------------------- */

static void kma_lock_begin(enum kma_lock_holder holder)
{
	kma_lock_holder = holder;
	kma_lock_since = ktime_get_ns();
}

void kma_lock_take(enum kma_lock_holder holder)
{
	mutex_lock(&kma_lock);
	kma_lock_begin(holder);
}

bool kma_lock_try(enum kma_lock_holder holder)
{
	if (!mutex_trylock(&kma_lock))
		return false;
	kma_lock_begin(holder);
	return true;
}

bool kma_lock_is_taken(void)
{
	return mutex_is_locked(&kma_lock);
}

void kma_lock_release(void)
{
	u64 *longest = &kma_lock_max[kma_lock_holder];

	lockdep_assert_held(&kma_lock);
	*longest = max(*longest, ktime_get_ns() - kma_lock_since);
	mutex_unlock(&kma_lock);
}

void kma_lock_pause(void)
{
	const enum kma_lock_holder holder = kma_lock_holder;

	kma_lock_release();
	cond_resched();
	kma_lock_take(holder);
}

u64 kma_lock_max_us(enum kma_lock_holder holder)
{
	u64 ns = 0;
	int i;

	lockdep_assert_held(&kma_lock);
	for (i = 0; i < KMA_LOCK_NR; i++)
		if (holder == KMA_LOCK_NR || holder == i)
			ns = max(ns, kma_lock_max[i]);
	return div_u64(ns, NSEC_PER_USEC);
}

void kma_lock_forget(void)
{
	lockdep_assert_held(&kma_lock);
	memset(kma_lock_max, 0, sizeof(kma_lock_max));
}

void kma_state_changed(void)
{
	lockdep_assert_held(&kma_lock);
	kma_nr_changes++;
}

u64 kma_state_changes(void)
{
	lockdep_assert_held(&kma_lock);
	return kma_nr_changes;
}

/* ---- memory ---------------------------------------------------------------- */

static u64 kma_total_bytes(void)
{
	return (u64)totalram_pages() << PAGE_SHIFT;
}

static atomic64_t kma_state_more;

void kma_state_add_bytes(s64 bytes)
{
	atomic64_add(bytes, &kma_state_more);
}

u64 kma_state_bytes(void)
{
	return kma_env_memory() + atomic64_read(&kma_state_more);
}

void *kma_small_alloc(size_t bytes)
{
	void *mem = kzalloc(bytes, GFP_KERNEL);

	if (mem)
		kma_state_add_bytes(ksize(mem));
	return mem;
}

char *kma_small_text(const char *text)
{
	const size_t len = strlen(text) + 1;
	char *copy = kma_small_alloc(len);

	return copy ? memcpy(copy, text, len) : NULL;
}

void kma_small_free(const void *mem)
{
	if (mem)
		kma_state_add_bytes(-(s64)ksize(mem));
	kfree(mem);
}

u64 kma_state_bytes_max(void)
{
	return kma_total_bytes() / 16;
}

/* The arena that is in use, and the task that uses it.  Only this task changes both. */
static struct kma_arena *kma_arena;
static struct task_struct *kma_arena_task;

void kma_arena_use(struct kma_arena *arena)
{
	if (arena)
		arena->used = 0;
	kma_arena = arena;
	WRITE_ONCE(kma_arena_task, arena ? current : NULL);
}

void kma_arena_empty(void)
{
	kma_arena->used = 0;
}

bool kma_arena_used(void)
{
	return READ_ONCE(kma_arena_task) == current;
}

static void *kma_arena_alloc(struct kma_arena *arena, size_t size)
{
	void *mem = arena->mem + arena->used;

	size = ALIGN(size, sizeof(u64) * 2);
	if (size > arena->size - arena->used)
		return NULL;
	arena->used += size;
	return memset(mem, 0, size);
}

void *kma_copy_alloc(size_t nr, size_t bytes)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NORETRY | __GFP_NOWARN;
	size_t size;

	if (check_mul_overflow(max_t(size_t, nr, 1), bytes, &size))
		return NULL;
	if (kma_arena_used())
		return kma_arena_alloc(kma_arena, size);
	/*
	 * kvmalloc() would first try to find megabytes of contiguous memory, which others may need.
	 * Also, kvmalloc() refuses more than INT_MAX bytes, which the rows of 40 million live pages
	 * exceed.
	 */
	if (size > PAGE_SIZE << PAGE_ALLOC_COSTLY_ORDER)
		return __vmalloc(size, gfp);
	return kvmalloc(size, gfp);
}

void kma_copy_free(void *mem)
{
	if (!kma_arena_used())
		kvfree(mem);
}

/* ---- the tables ------------------------------------------------------------ */

u64 kma_state_live_default(u64 ram)
{
	const u64 many = 1ULL << 20;

	return clamp(mul_u64_u64_div_u64(ram / 128, many, kma_objtab_bytes(many, 0)),
		     KMA_LIVE_DEFAULT_MIN, KMA_LIVE_MAX);
}

u32 kma_state_sites_default(u64 ram, unsigned int nr_cpus)
{
	u32 sites = KMA_SITES_DEFAULT_MAX;

	static_assert(KMA_SITES_DEFAULT_MIN % KMA_ROWS_PER_CHUNK == 0);
	static_assert(KMA_SITES_DEFAULT_MAX % KMA_ROWS_PER_CHUNK == 0);
	while (sites > KMA_SITES_DEFAULT_MIN &&
	       kma_sitetab_bytes(sites, nr_cpus) + kma_history_bytes(sites) > ram / 64)
		sites -= KMA_ROWS_PER_CHUNK;
	return sites;
}

void kma_state_set_defaults(void)
{
	struct kma_config *c = &kma_config;

	if (!c->live_max)
		c->live_max = kma_state_live_default(kma_total_bytes());
	if (!c->sites_max)
		c->sites_max = kma_state_sites_default(kma_total_bytes(), num_possible_cpus());
}

int kma_state_init(u64 pfns, u64 more)
{
	const struct kma_config *c = &kma_config;
	u64 bytes;
	int ret;

	bytes = kma_core_bytes(c->live_max, c->sites_max, num_possible_cpus(), pfns) + more;
	if (bytes > kma_state_bytes_max()) {
		pr_err("tables for live_max=%llu and sites_max=%u would take %llu KiB, more than 1/16 of the RAM (%llu KiB): use smaller values\n",
		       c->live_max, c->sites_max, bytes >> 10, kma_state_bytes_max() >> 10);
		return -ENOMEM;
	}
	ret = kma_core_init(&kma_core, c->live_max, c->sites_max, pfns);
	if (ret) {
		pr_err("not enough memory for tables of %llu KiB: use a smaller live_max or sites_max\n",
		       bytes >> 10);
		return ret;
	}
	pr_info("up to %llu live objects and %u call sites, tables take %llu KiB\n",
		c->live_max, c->sites_max, bytes >> 10);
	return 0;
}

void kma_state_destroy(void)
{
	kma_core_destroy(&kma_core);
}

/* ---- sweeping -------------------------------------------------------------- */

/*
 * Held while a process sweeps.  Without it, another process could find nothing to sweep, and read
 * the counters of a row, while the first process has taken an entry of that row but has not yet
 * counted it as repaired.
 */
static DEFINE_MUTEX(kma_sweep_lock);

/*
 * While a bucket is being swept, new objects that belong into it have to spill.  To keep this
 * short, preemption is off, for a few buckets at a time.
 */
static void kma_sweep_some(struct kma_bucket *b, u32 nr)
{
	preempt_disable();
	while (nr--)
		kma_record_sweep(&kma_core, b++);
	preempt_enable();
}

static void kma_sweep_all(void)
{
	const struct kma_objtab *t = &kma_core.obj;
	u32 i;

	for (i = 0; i < t->nr_buckets; i += KMA_SWEEP_BUCKETS) {
		kma_sweep_some(&t->bucket[i], min_t(u32, t->nr_buckets - i,
						    KMA_SWEEP_BUCKETS));
		cond_resched();
	}
}

void kma_state_sweep(void)
{
	mutex_lock(&kma_sweep_lock);
	kma_sweep_all();
	mutex_unlock(&kma_sweep_lock);
}
