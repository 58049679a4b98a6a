// SPDX-License-Identifier: GPL-2.0
/* Find the callers of helpers.  See caller.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "../compat.h"
#include "../core/env.h"
#include "../core/pagealloc.h"
#include "../core/sitetab.h"
#include "../resolve/trail.h"
#include "../state.h"
#include "addrcache.h"
#include "caller.h"
#include "skip.h"

/* ---- call sites ----------------------------------------------------------------- */

/* Whether a function may be a call site: it is not a helper for allocations of @what. */
static bool kma_caller_is_site(char *name, enum kma_skip_what what)
{
	name[strcspn(name, " ")] = '\0';
	return !kma_skip_name(name, what);
}

static bool kma_caller_is_page_site(const struct kma_addrcache *c, char *name)
{
	return kma_caller_is_site(name, KMA_SKIP_PAGES);
}

static bool kma_caller_is_object_site(const struct kma_addrcache *c, char *name)
{
	return kma_caller_is_site(name, KMA_SKIP_OBJECTS);
}

static struct kma_addrcache kma_page_sites = { .classify = kma_caller_is_page_site };
static struct kma_addrcache kma_object_sites = { .classify = kma_caller_is_object_site };

/* ---- paths ------------------------------------------------------------------------ */

/*
 * The largest number of return addresses on the way to a call site.  For pages, those of the probe
 * do not count.
 */
#define KMA_PATH_MAX	24
/* The number of paths in each CPU's cache. */
#define KMA_PATHS	32

/**
 * struct kma_path - a call site that was found on the stack
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

/*
 * Unwind the stack up to a call site, and record the trail if it is not NULL.  For an object,
 * @helper is the return address that its event has; for pages, it is 0.
 */
static noinline unsigned long kma_path_unwind(struct kma_trail *trail, unsigned long sp,
					      unsigned long helper)
{
	const struct kma_addrcache *sites = helper ? &kma_object_sites :
					    &kma_page_sites;
	struct kma_walk w;
	unsigned long addr, site = KMA_SITE_UNKNOWN;
	bool inside = true;
	int nr = 0;

	kma_walk_begin(&w, trail, sp);
	while (site == KMA_SITE_UNKNOWN && (addr = kma_walk_next(&w))) {
		/*
		 * For an object, skip all return addresses before @helper.  For pages, skip those
		 * of the probe.  A caller may be in the module again: it allocates pages, too.
		 */
		inside = inside && (helper ? addr != helper : kma_is_own(addr));
		if (inside && !helper)
			continue;
		if (nr++ == KMA_PATH_MAX)
			break;
		if (!inside && kma_addrcache_get(sites, addr))
			site = addr;
	}
	kma_walk_end(&w);
	return site;
}

static noinline unsigned long kma_path_record(struct kma_path *p, unsigned long sp,
					      unsigned long helper)
{
	p->site = kma_path_unwind(&p->trail, sp, helper);
	return p->site;
}

/* The place in this CPU's cache for a path that begins at @sp, and at the return address @ip. */
static __always_inline struct kma_path *kma_path_of(unsigned long sp, unsigned long ip)
{
	const u32 hash = (u32)(ip ^ sp >> 3) * 0x9e3779b1U;

	return raw_cpu_ptr(kma_paths) + (hash >> 16) % KMA_PATHS;
}

/* Find the call site, from the cache of paths.  The arguments are as in kma_path_unwind(). */
static __always_inline unsigned long kma_path_site(unsigned long sp, unsigned long helper)
{
	struct kma_path *p = kma_path_of(sp, helper);
	unsigned long site;

	/*
	 * The path may be in use by a context that this one has interrupted.  Because this
	 * task may migrate, it may also be in use by a context on another CPU.
	 */
	if (cmpxchg(&p->busy, 0, 1))
		return kma_path_unwind(NULL, sp, helper);
	site = kma_trail_holds(&p->trail, sp) ? p->site : kma_path_record(p, sp, helper);
	smp_store_release(&p->busy, 0); /* pairs with the cmpxchg above */
	return site;
}

unsigned long kma_env_page_site(void)
{
	return kma_path_site((unsigned long)__builtin_frame_address(0), 0);
}

static noinline unsigned long kma_path_unwind_from(struct kma_trail *trail,
						   const struct kma_return *from)
{
	unsigned long addr, site = KMA_SITE_UNKNOWN;
	struct kma_walk w;
	int nr = 0;

	kma_walk_begin_from(&w, trail, from);
	while (site == KMA_SITE_UNKNOWN && nr++ < KMA_PATH_MAX && (addr = kma_walk_next(&w)))
		if (kma_addrcache_get(&kma_page_sites, addr))
			site = addr;
	kma_walk_end(&w);
	return site;
}

unsigned long kma_env_page_site_from(const struct kma_return *from)
{
	struct kma_path *p = kma_path_of(from->sp, from->ip);
	unsigned long site;

	if (!from->ip)
		return kma_env_page_site();
	if (kma_addrcache_get(&kma_page_sites, from->ip))
		return from->ip;
	/* See kma_path_site(). */
	if (cmpxchg(&p->busy, 0, 1))
		return kma_path_unwind_from(NULL, from);
	if (!kma_trail_holds_from(&p->trail, from))
		p->site = kma_path_unwind_from(&p->trail, from);
	site = p->site;
	smp_store_release(&p->busy, 0); /* pairs with the cmpxchg above */
	return site;
}

static noinline unsigned long kma_caller_of_helper(unsigned long helper)
{
	const unsigned long site = kma_path_site((unsigned long)__builtin_frame_address(0), helper);

	return site == KMA_SITE_UNKNOWN ? 0 : site;
}

unsigned long kma_env_object_site(unsigned long site)
{
	/* An addrcache has only kernel addresses, whose highest bit is set. */
	if (likely((long)site >= 0 || kma_addrcache_get(&kma_object_sites, site)))
		return site;
	return kma_caller_of_helper(site);
}

/* ---- changes ------------------------------------------------------------------------ */

void kma_caller_forget(void)
{
	kma_addrcache_clear(&kma_page_sites);
	kma_addrcache_clear(&kma_object_sites);
	/*
	 * A path is found with the answers of the addrcaches, so forget these first.  Pairs with
	 * the smp_rmb() in kma_trail_clear().
	 */
	smp_wmb();
	kma_trail_forget();
}

void kma_caller_skips_changed(void)
{
	struct kma_sitetab *t = &kma_core.sites;
	const struct kma_site_info *info;
	u32 id;

	lockdep_assert_held(&kma_lock);
	kma_caller_forget();
	/* After this, no probe makes a row for a call site found with the old patterns. */
	kma_env_wait_for_probes();
	for (id = 0; id < t->sites_max; id++) {
		info = kma_sitetab_info(t, id);
		/*
		 * Leave rows with other keys alone: those of samples, and those of helpers for
		 * which no caller was found.
		 */
		if (info && READ_ONCE(info->state) == KMA_SITE_LIVE &&
		    info->key == info->site && (long)info->site < 0 &&
		    !kma_addrcache_get(&kma_object_sites, info->site))
			kma_sitetab_skip(t, id);
		cond_resched();
	}
}

/* ---- start and stop ----------------------------------------------------------------- */

static u64 kma_paths_bytes(void)
{
	return (u64)num_possible_cpus() * KMA_PATHS * sizeof(struct kma_path);
}

u64 kma_caller_forecast(void)
{
	return 2 * KMA_ADDRCACHE_BYTES + kma_paths_bytes();
}

int kma_caller_start(void)
{
	kma_paths = __alloc_percpu(KMA_PATHS * sizeof(struct kma_path), SMP_CACHE_BYTES);
	if (kma_paths)
		kma_state_add_bytes(kma_paths_bytes());
	if (kma_paths && !kma_addrcache_init(&kma_page_sites) &&
	    !kma_addrcache_init(&kma_object_sites))
		return 0;
	kma_caller_stop();
	pr_err("not enough memory\n");
	return -ENOMEM;
}

void kma_caller_stop(void)
{
	if (kma_paths)
		kma_state_add_bytes(-(s64)kma_paths_bytes());
	kma_addrcache_destroy(&kma_page_sites);
	kma_addrcache_destroy(&kma_object_sites);
	free_percpu(kma_paths);
	kma_paths = NULL;
}
