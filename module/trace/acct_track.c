// SPDX-License-Identifier: GPL-2.0
/* The probes of accounting, and its setting.  See acct_track.h. */
#include <linux/bitops.h>
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <trace/events/cgroup.h>
#include <trace/events/kmem.h>

#include "../compat.h"
#include "../countmaps.h"
#include "../error.h"
#include "../match/filter.h"
#include "../resolve/cacheinfo.h"
#include "../state.h"
#include "acct.h"
#include "acct_track.h"
#include "pcp.h"
#include "tracepoint.h"

/*
 * A bit for each countmap that is on: those of the setting `account`, and cgroup_sites.  Written
 * under kma_lock.
 */
static unsigned long kma_account;

/* ---- the probes ----------------------------------------------------------------- */

static void kma_acct_count_rcu(const struct kma_acct_event *event)
{
	rcu_read_lock();
	kma_acct_count(event);
	rcu_read_unlock();
}

static notrace void kma_acct_probe_mm_page_alloc(void *data, struct page *page,
						 unsigned int order, gfp_t gfp, int type)
{
	const struct kma_acct_event event = {
		.nr = 2,
		.what = { { KMA_ACCT_ALLOC_PAGES, 1UL << order }, { KMA_ACCT_ALLOCS, 1 } },
		.source = true,
	};

	kma_pcp_event();
	if (!kma_countmaps_recording())
		return;
	if (!page)
		kma_stat_inc(countmap_failed);
	else if (kma_countmaps_matching(!kma_filter_on() ||
					kma_filter_pagealloc(page, order, gfp, 0)))
		kma_acct_count_rcu(&event);
}

static notrace void kma_acct_probe_mm_page_free(void *data, struct page *page,
						unsigned int order)
{
	const struct kma_acct_event event = {
		.nr = 2,
		.what = { { KMA_ACCT_FREE_PAGES, 1UL << order }, { KMA_ACCT_FREES, 1 } },
	};

	kma_pcp_event();
	if (kma_countmaps_recording() &&
	    kma_countmaps_matching(!kma_filter_on() || kma_filter_pages(page, order)))
		kma_acct_count_rcu(&event);
}

static void kma_acct_slab(const struct kma_event *ev)
{
	const struct kma_acct_event event = {
		.nr = 2,
		.what = { { KMA_ACCT_SLAB_HITS, 1 },
			  { KMA_ACCT_SLAB_BYTES, kma_event_bytes(ev) } },
		.site = ev->site,
		.source = true,
	};

	/*
	 * Do not count failed allocations, allocations of zero bytes, and the first of two
	 * events for one object: slab.c has counters for these.
	 */
	if (ZERO_OR_NULL_PTR((void *)ev->ptr) ||
	    kma_sitetab_is_inner(&kma_core.sites, ev->site))
		return;
	if (kma_countmaps_recording() &&
	    kma_countmaps_matching(!kma_filter_on() || kma_filter_object(ev)))
		kma_acct_count_rcu(&event);
}

static notrace void kma_acct_probe_cgroup_rmdir(void *data, struct cgroup *cgroup,
						const char *path)
{
	kma_acct_cgroup_removed(cgroup);
}

/* The parameters of a kmalloc event after bytes_req. */
#ifdef KMA_HAVE_EVENT_CACHE
#define KMA_KMALLOC_SAYS	size_t bytes_alloc, gfp_t gfp, int node
#else
#define KMA_KMALLOC_SAYS	size_t bytes_alloc, gfp_t gfp
#endif

static notrace void kma_acct_probe_kmalloc(void *data, unsigned long site, const void *ptr,
					   size_t bytes_req, KMA_KMALLOC_SAYS)
{
	const struct kma_event ev = {
		.site = site, .ptr = (unsigned long)ptr, .cache = bytes_alloc,
		.kmalloc = true, .gfp = (__force u32)gfp,
	};

	kma_acct_slab(&ev);
}

#ifdef KMA_HAVE_EVENT_CACHE
static notrace void kma_acct_probe_kmem_cache_alloc(void *data, unsigned long site,
						    const void *ptr, struct kmem_cache *s,
					       gfp_t gfp, int node)
{
	/* If the offset of the slot size is unknown, count the size that was asked for. */
	const bool known = kma_cacheinfo_has_bytes();
	const struct kma_event ev = {
		.site = site, .ptr = (unsigned long)ptr,
		.cache = known ? (unsigned long)s : kmem_cache_size(s),
		.kmalloc = !known, .gfp = (__force u32)gfp,
	};

	kma_acct_slab(&ev);
}
#else
static notrace void kma_acct_probe_kmalloc_node(void *data, unsigned long site, const void *ptr,
						size_t bytes_req, size_t bytes_alloc, gfp_t gfp,
					   int node)
{
	kma_acct_probe_kmalloc(data, site, ptr, bytes_req, bytes_alloc, gfp);
}

/* On these kernels, kmem_cache_alloc events have bytes_alloc, like kmalloc events. */
#define kma_acct_probe_kmem_cache_alloc	kma_acct_probe_kmalloc
#define kma_acct_probe_kmem_cache_alloc_node	kma_acct_probe_kmalloc_node

/* Defines kma_acct_attach_kmalloc_node() and kma_acct_detach_kmalloc_node(). */
KMA_TRACEPOINT_BY_NAME(acct, kmalloc_node)
/* Defines kma_acct_attach_kmem_cache_alloc_node() and kma_acct_detach_kmem_cache_alloc_node(). */
KMA_TRACEPOINT_BY_NAME(acct, kmem_cache_alloc_node)
#endif

/* Defines kma_acct_attach_cgroup_rmdir() and kma_acct_detach_cgroup_rmdir(). */
KMA_TRACEPOINT_BY_NAME(acct, cgroup_rmdir)
/* Defines kma_acct_attach_mm_page_alloc() and kma_acct_detach_mm_page_alloc(). */
KMA_TRACEPOINT_BY_NAME(acct, mm_page_alloc)
/* Defines kma_acct_attach_mm_page_free() and kma_acct_detach_mm_page_free(). */
KMA_TRACEPOINT_BY_NAME(acct, mm_page_free)
/* Defines kma_acct_attach_kmalloc() and kma_acct_detach_kmalloc(). */
KMA_TRACEPOINT_BY_NAME(acct, kmalloc)
/* Defines kma_acct_attach_kmem_cache_alloc() and kma_acct_detach_kmem_cache_alloc(). */
KMA_TRACEPOINT_BY_NAME(acct, kmem_cache_alloc)

static const struct kma_tracepoint kma_acct_tracepoints[] = {
	KMA_TRACEPOINT_ROW(acct, cgroup_rmdir),
	KMA_TRACEPOINT_ROW(acct, mm_page_free),
	KMA_TRACEPOINT_ROW(acct, mm_page_alloc),
	KMA_TRACEPOINT_ROW(acct, kmalloc),
	KMA_TRACEPOINT_ROW(acct, kmem_cache_alloc),
#ifndef KMA_HAVE_EVENT_CACHE
	KMA_TRACEPOINT_ROW(acct, kmalloc_node),
	KMA_TRACEPOINT_ROW(acct, kmem_cache_alloc_node),
#endif
};

/* ---- start and stop -------------------------------------------------------------- */

static int kma_acct_attach(void)
{
	int ret = kma_pcp_start();

	if (ret)
		return ret;
	ret = kma_tracepoints_attach(kma_acct_tracepoints, ARRAY_SIZE(kma_acct_tracepoints));
	if (ret)
		kma_pcp_stop();
	return ret;
}

static void kma_acct_detach(void)
{
	kma_tracepoints_detach(kma_acct_tracepoints, ARRAY_SIZE(kma_acct_tracepoints));
	tracepoint_synchronize_unregister();
	kma_pcp_stop();
}

/* ---- settings -------------------------------------------------------------------- */

int kma_acct_parse(char *text, unsigned long *which)
{
	char *name;
	int i;

	*which = 0;
	if (!strcmp(text, "off"))
		return 0;
	while ((name = strsep(&text, ","))) {
		for (i = KMA_COUNTMAP_TASKS; i < KMA_COUNTMAP_CGROUP_SITES; i++)
			if (!strcmp(name, kma_acct_name(i)))
				break;
		if (i == KMA_COUNTMAP_CGROUP_SITES)
			return -EINVAL;
		*which |= BIT(i);
	}
	return 0;
}

void kma_acct_print(char buf[KMA_ACCT_LEN])
{
	const unsigned long which = READ_ONCE(kma_account) & ~BIT(KMA_COUNTMAP_CGROUP_SITES);
	size_t len = 0;
	int i;

	strscpy(buf, "off", KMA_ACCT_LEN);
	for_each_set_bit(i, &which, KMA_COUNTMAP_NR)
		len += scnprintf(buf + len, KMA_ACCT_LEN - len, "%s%s", len ? "," : "",
				 kma_acct_name(i));
}

static bool kma_acct_fit(unsigned long which)
{
	u64 bytes = kma_state_bytes();
	int i;

	for_each_set_bit(i, &which, KMA_COUNTMAP_NR)
		bytes += kma_countmap_memory(i);
	return !which || bytes <= kma_state_bytes_max();
}

/* Switch on the countmaps in the bit mask @which, and the others off. */
static int kma_acct_switch(unsigned long which)
{
	const unsigned long before = kma_account;
	int ret;

	lockdep_assert_held(&kma_lock);
	if (!kma_acct_fit(which & ~before))
		return -ENOMEM;
	if (which && !before) {
		ret = kma_acct_attach();
		if (ret)
			return ret;
	}
	ret = kma_countmaps_begin(which & ~before);
	if (!ret) {
		WRITE_ONCE(kma_account, which);
		kma_countmaps_end(before & ~which);
	}
	if (!kma_account && (which || before))
		kma_acct_detach();
	return ret;
}

int kma_acct_set(unsigned long which)
{
	return kma_acct_switch(which | (kma_account & BIT(KMA_COUNTMAP_CGROUP_SITES)));
}

/* ---- chosen cgroups -------------------------------------------------------------- */

static int kma_acct_add_cgroup(u64 id, const char *path)
{
	int ret = kma_acct_choose(id);

	if (ret == -EEXIST)
		return kma_refuse("cgroup_sites: %.100s is counted already", path);
	if (ret)
		return kma_refuse("cgroup_sites: %d cgroups are counted: use del /PATH, or none",
				  KMA_ACCT_CGROUPS);
	ret = kma_acct_switch(kma_account | BIT(KMA_COUNTMAP_CGROUP_SITES));
	if (!ret)
		return 0;
	kma_acct_drop(id);
	kma_refuse("cgroup_sites: %s", ret == -ENOMEM ? "not enough memory" :
		   "a tracepoint is missing: see the kernel log");
	return ret;
}

/* Stop counting a cgroup, or all cgroups if @id is 0. */
static int kma_acct_del_cgroup(u64 id, const char *path)
{
	if (!kma_acct_drop(id) && id)
		return kma_refuse("cgroup_sites: %.100s is not counted", path);
	if (kma_acct_nr_chosen())
		return 0;
	return kma_acct_switch(kma_account & ~BIT(KMA_COUNTMAP_CGROUP_SITES));
}

int kma_acct_run_cgroups(char *args)
{
	const char *what = strsep(&args, " ");
	const char *path = args ? skip_spaces(args) : "";
	const bool add = !strcmp(what, "add");
	struct cgroup *cgroup;
	u64 id;

	if (!strcmp(what, "none") && !*path)
		return kma_acct_del_cgroup(0, path);
	if ((!add && strcmp(what, "del")) || *path != '/')
		return kma_refuse("cgroup_sites takes add /PATH, del /PATH or none");
	cgroup = cgroup_get_from_path(path);
	if (IS_ERR(cgroup))
		return kma_refuse("cgroup_sites: no cgroup %.100s: see 0:: in /proc/PID/cgroup",
				  path);
	id = cgroup_id(cgroup);
	cgroup_put(cgroup);
	return add ? kma_acct_add_cgroup(id, path) : kma_acct_del_cgroup(id, path);
}

void kma_acct_stop(void)
{
	kma_acct_drop(0);
	kma_acct_switch(0);
}
