// SPDX-License-Identifier: GPL-2.0
/* Find the call site of a page allocation.  See page_caller.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/percpu.h>
#include <linux/string.h>

#include "../compat.h"
#include "../core/env.h"
#include "../core/pagealloc.h"
#include "../resolve/trail.h"
#include "../state.h"
#include "addrcache.h"
#include "page_caller.h"
#include "skip.h"

/* ---- call sites ----------------------------------------------------------------- */

/* Whether a function may be a call site: it does not only allocate pages for its callers. */
static bool kma_page_caller_classify(const struct kma_addrcache *c, char *name)
{
	name[strcspn(name, " ")] = '\0';
	return !kma_skip_name(name);
}

static struct kma_addrcache kma_page_callers = { .classify = kma_page_caller_classify };

/* ---- paths ------------------------------------------------------------------------ */

/* The largest number of return addresses between the probe and a call site. */
#define KMA_PATH_MAX	24
/* The number of paths in each CPU's cache. */
#define KMA_PATHS	32

/**
 * struct kma_path - the way from the probe to a call site
 * @busy: 1 while a context reads or writes the path
 * @site: the call site
 * @trail: the trail that leads to it
 */
struct kma_path {
	int busy;
	unsigned long site;
	struct kma_trail trail;
};

static struct kma_path __percpu *kma_paths;

/* Unwind the stack up to a call site, and record the trail if it is not NULL. */
static noinline unsigned long kma_path_unwind(struct kma_trail *trail, unsigned long sp)
{
	struct kma_walk w;
	unsigned long addr;
	bool inside = true;
	int nr = 0;

	kma_walk_begin(&w, trail, sp);
	while ((addr = kma_walk_next(&w))) {
		/*
		 * Skip the probe and the functions that it has called, but not our own code as a
		 * call site: it may allocate pages, too.
		 */
		inside = inside && kma_is_own(addr);
		if (inside)
			continue;
		if (nr++ == KMA_PATH_MAX)
			break;
		if (!kma_addrcache_get(&kma_page_callers, addr))
			continue;
		kma_walk_end(&w);
		return addr;
	}
	return KMA_SITE_UNKNOWN;
}

static noinline unsigned long kma_path_record(struct kma_path *p, unsigned long sp)
{
	p->site = kma_path_unwind(&p->trail, sp);
	return p->site;
}

unsigned long kma_env_page_site(void)
{
	const unsigned long sp = (unsigned long)__builtin_frame_address(0);
	const u32 hash = (u32)(sp >> 3) * 0x9e3779b1U;
	struct kma_path *p = raw_cpu_ptr(kma_paths) + (hash >> 16) % KMA_PATHS;
	unsigned long site;

	/*
	 * The path may be in use by a context that this one has interrupted.  Because this
	 * task may migrate, it may also be in use by a context on another CPU.
	 */
	if (cmpxchg(&p->busy, 0, 1))
		return kma_path_unwind(NULL, sp);
	site = kma_trail_holds(&p->trail, sp) ? p->site : kma_path_record(p, sp);
	smp_store_release(&p->busy, 0); /* pairs with the cmpxchg above */
	return site;
}

/* ---- start and stop ----------------------------------------------------------------- */

void kma_page_caller_forget(void)
{
	kma_addrcache_clear(&kma_page_callers);
	/* Trails are recorded by the addrcache.  Pairs with the smp_rmb() in kma_trail_clear(). */
	smp_wmb();
	kma_trail_forget();
}

/* Calls of kma_page_caller_start() that are not undone yet.  Protected by kma_lock. */
static int kma_page_caller_users;

static s64 kma_paths_bytes(void)
{
	return (s64)num_possible_cpus() * KMA_PATHS * sizeof(struct kma_path);
}

u64 kma_page_caller_forecast(void)
{
	lockdep_assert_held(&kma_lock);
	return kma_page_caller_users ? 0 : KMA_ADDRCACHE_BYTES + kma_paths_bytes();
}

int kma_page_caller_start(void)
{
	int ret;

	lockdep_assert_held(&kma_lock);
	if (kma_page_caller_users++)
		return 0;
	ret = kma_addrcache_init(&kma_page_callers);
	kma_paths = __alloc_percpu(KMA_PATHS * sizeof(struct kma_path), SMP_CACHE_BYTES);
	if (kma_paths)
		kma_state_add_bytes(kma_paths_bytes());
	if (!ret && kma_paths)
		return 0;
	kma_page_caller_stop();
	return -ENOMEM;
}

void kma_page_caller_stop(void)
{
	lockdep_assert_held(&kma_lock);
	if (--kma_page_caller_users)
		return;
	if (kma_paths)
		kma_state_add_bytes(-kma_paths_bytes());
	kma_addrcache_destroy(&kma_page_callers);
	free_percpu(kma_paths);
	kma_paths = NULL;
}
