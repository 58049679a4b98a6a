// SPDX-License-Identifier: GPL-2.0
/*
 * What processes, cgroups and commands do: each event counts for whoever runs.
 *
 *	event --> event: which counters --> by process, cgroup, command and call site,
 *	          command and system call: what of these is asked for
 *
 * These are probes of their own beside those of probe.c and page.c: what nobody asks
 * for costs nothing.  Nothing is remembered of the objects and pages themselves; a page
 * that one process takes and another one frees counts for each of them.
 *
 * In an interrupt it is not the process that does it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <asm/syscall.h>
#include <linux/bitops.h>
#include <linux/cgroup.h>
#include <linux/compat.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <trace/events/kmem.h>

#include "kmemacct.h"

/* Protected by kma_lock; others read it for a table. */
static unsigned long kma_account;

/* ---- who ---------------------------------------------------------------------- */

static_assert(TASK_COMM_LEN == 2 * sizeof(u64));
static_assert(TASK_COMM_LEN <= KMA_COUNTMAP_TEXT);

/* A name, and zeroes behind it. */
static void kma_acct_comm(u64 comm[2], const struct task_struct *task)
{
	char text[TASK_COMM_LEN] = {};
	int i;

	/* It may change meanwhile. */
	for (i = 0; i < TASK_COMM_LEN - 1; i++) {
		text[i] = READ_ONCE(task->comm[i]);
		if (!text[i])
			break;
	}
	memcpy(comm, text, sizeof(text));
}

static const char kma_interrupt[TASK_COMM_LEN] = "[interrupt]";

static void kma_acct_current(u64 comm[2])
{
	if (in_task())
		kma_acct_comm(comm, current);
	else
		memcpy(comm, kma_interrupt, sizeof(kma_interrupt));
}

static u32 kma_acct_task(struct kma_countmap *t, const struct kma_acct_event *event)
{
	const struct task_struct *leader = READ_ONCE(current->group_leader);
	struct kma_countmap_info info = { .key = { { KMA_ACCT_INTERRUPT } } };
	u64 comm[2];
	u32 id;

	if (!in_task()) {
		memcpy(info.text, kma_interrupt, sizeof(kma_interrupt));
		return kma_countmap_get(t, &info);
	}
	/* Numbers are used again, so is memory, but hardly both. */
	info.key.word[0] = current->tgid;
	info.key.word[1] = (unsigned long)current->signal;
	id = kma_countmap_find(t, &info.key);
	/* The last thread that ends may outlive the first one. */
	if (unlikely(READ_ONCE(current->exit_state)) && leader != current)
		return id != KMA_COUNTMAP_OTHER ? id : kma_countmap_get(t, &info);
	kma_acct_comm(comm, leader);
	if (id == KMA_COUNTMAP_OTHER) {
		memcpy(info.text, comm, sizeof(comm));
		/* Who has been waited for may outlive his parent, and nobody tells him. */
		if (pid_alive(leader))
			info.more = rcu_dereference(leader->real_parent)->tgid;
		return kma_countmap_get(t, &info);
	}
	/* A process may call itself otherwise later: the last name counts. */
	kma_countmap_rename(t, id, comm);
	return id;
}

/* The end of a path that is too long says more than its beginning. */
static void kma_acct_path(char text[KMA_COUNTMAP_TEXT], struct cgroup *cgroup)
{
	char path[KMA_COUNTMAP_TEXT];
	char *at = path + sizeof(path) - 1;
	const char *name;
	size_t len;

	*at = '\0';
	for (; cgroup_parent(cgroup); cgroup = cgroup_parent(cgroup)) {
		/* In the default hierarchy nothing is ever renamed. */
		name = (__force const char *)READ_ONCE(cgroup->kn->name);
		len = min_t(size_t, strlen(name), at - path);
		at -= len;
		memcpy(at, name + strlen(name) - len, len);
		if (at == path)
			break;
		*--at = '/';
	}
	kma_env_strcpy(text, *at ? at : "/", KMA_COUNTMAP_TEXT);
}

static u32 kma_acct_cgroup(struct kma_countmap *t, const struct kma_acct_event *event)
{
	struct kma_countmap_info info = { .key = { { KMA_ACCT_INTERRUPT } } };
	struct cgroup *cgroup = task_dfl_cgroup(current);
	u32 id;

	if (!in_task()) {
		memcpy(info.text, kma_interrupt, sizeof(kma_interrupt));
		return kma_countmap_get(t, &info);
	}
	info.key.word[0] = cgroup_id(cgroup);
	id = kma_countmap_find(t, &info.key);
	if (id != KMA_COUNTMAP_OTHER)
		return id;
	kma_acct_path(info.text, cgroup);
	return kma_countmap_get(t, &info);
}

static u32 kma_acct_comm_and(struct kma_countmap *t, u64 word)
{
	struct kma_countmap_info info = { .key = { { 0, 0, word } } };

	kma_acct_current(info.key.word);
	return kma_countmap_get(t, &info);
}

static u32 kma_acct_site(struct kma_countmap *t, const struct kma_acct_event *event)
{
	return kma_acct_comm_and(t, event->site ?: kma_env_page_site());
}

#ifdef PF_USER_WORKER
#define KMA_PF_KERNEL	(PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)
#else
#define KMA_PF_KERNEL	(PF_KTHREAD | PF_IO_WORKER)
#endif

static u64 kma_acct_syscall_nr(void)
{
	struct pt_regs *regs = task_pt_regs(current);
	int nr;

	if (!in_task())
		return KMA_SYSCALL_NONE;
	/* A process that the kernel begins has not come from user space before its exec. */
	if (current->flags & KMA_PF_KERNEL || !user_mode(regs))
		return KMA_SYSCALL_KERNEL;
	nr = syscall_get_nr(current, regs);
	if (nr < 0)
		return KMA_SYSCALL_FAULT;
	return in_compat_syscall() ? nr | KMA_SYSCALL_COMPAT : nr;
}

static u32 kma_acct_syscall(struct kma_countmap *t, const struct kma_acct_event *event)
{
	return kma_acct_comm_and(t, kma_acct_syscall_nr());
}

/* ---- what ---------------------------------------------------------------------- */

static const struct {
	const char *name;
	u32 (*row)(struct kma_countmap *t, const struct kma_acct_event *event);
	bool sources;
} kma_acct_keys[KMA_COUNTMAP_NR] = {
	[KMA_COUNTMAP_TASKS] = { "tasks", kma_acct_task },
	[KMA_COUNTMAP_CGROUPS] = { "cgroups", kma_acct_cgroup },
	[KMA_COUNTMAP_COMM_SITES] = { "comm_sites", kma_acct_site, true },
	[KMA_COUNTMAP_COMM_SYSCALLS] = { "comm_syscalls", kma_acct_syscall, true },
};

void kma_acct_count(const struct kma_acct_event *event)
{
	struct kma_countmap *t;
	int i, k;
	u32 id;

	for (i = KMA_COUNTMAP_TASKS; i < KMA_COUNTMAP_NR; i++) {
		t = rcu_dereference(kma_countmaps[i]);
		if (!t || (kma_acct_keys[i].sources && !event->source))
			continue;
		id = kma_acct_keys[i].row(t, event);
		for (k = 0; k < event->nr; k++)
			kma_countmap_count(t, id, event->what[k].counter, event->what[k].n);
	}
}

static void kma_acct_count_rcu(const struct kma_acct_event *event)
{
	rcu_read_lock();
	kma_acct_count(event);
	rcu_read_unlock();
}

/* ---- the probes ----------------------------------------------------------------- */

static notrace void kma_probe_mm_page_alloc(void *data, struct page *page,
					    unsigned int order, gfp_t gfp, int type)
{
	const struct kma_acct_event event = {
		.nr = 2,
		.what = { { KMA_ACCT_ALLOC_PAGES, 1UL << order }, { KMA_ACCT_ALLOCS, 1 } },
		.source = true,
	};

	kma_zone_event();
	if (!kma_countmaps_recording())
		return;
	if (!page)
		kma_stat_inc(countmap_failed);
	else if (kma_countmaps_matching(!kma_filter_on() ||
				      kma_filter_pagealloc(page, order, gfp, 0)))
		kma_acct_count_rcu(&event);
}

static notrace void kma_probe_mm_page_free(void *data, struct page *page,
					   unsigned int order)
{
	const struct kma_acct_event event = {
		.nr = 2,
		.what = { { KMA_ACCT_FREE_PAGES, 1UL << order }, { KMA_ACCT_FREES, 1 } },
	};

	kma_zone_event();
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

	/* In probe.c these are counted: failed, of no bytes, the first of two. */
	if (ZERO_OR_NULL_PTR((void *)ev->ptr) ||
	    kma_sitetab_is_inner(&kma_core.sites, ev->site))
		return;
	if (kma_countmaps_recording() &&
	    kma_countmaps_matching(!kma_filter_on() || kma_filter_object(ev)))
		kma_acct_count_rcu(&event);
}

#ifdef KMA_HAVE_EVENT_CACHE
#define KMA_KMALLOC_SAYS	size_t bytes_alloc, gfp_t gfp, int node
#else
#define KMA_KMALLOC_SAYS	size_t bytes_alloc, gfp_t gfp
#endif

static notrace void kma_probe_kmalloc(void *data, unsigned long site, const void *ptr,
				      size_t bytes_req, KMA_KMALLOC_SAYS)
{
	const struct kma_event ev = {
		.site = site, .ptr = (unsigned long)ptr, .cache = bytes_alloc,
		.kmalloc = true, .gfp = (__force u32)gfp,
	};

	kma_acct_slab(&ev);
}

#ifdef KMA_HAVE_EVENT_CACHE
static notrace void kma_probe_kmem_cache_alloc(void *data, unsigned long site,
					       const void *ptr, struct kmem_cache *s,
					       gfp_t gfp, int node)
{
	/* Where a kmem_cache is not understood, it is as large as it was asked for. */
	const bool known = kma_cacheinfo_has_bytes();
	const struct kma_event ev = {
		.site = site, .ptr = (unsigned long)ptr,
		.cache = known ? (unsigned long)s : kmem_cache_size(s),
		.kmalloc = !known, .gfp = (__force u32)gfp,
	};

	kma_acct_slab(&ev);
}
#else
static notrace void kma_probe_kmalloc_node(void *data, unsigned long site, const void *ptr,
					   size_t bytes_req, size_t bytes_alloc, gfp_t gfp,
					   int node)
{
	kma_probe_kmalloc(data, site, ptr, bytes_req, bytes_alloc, gfp);
}

/* There the events say what an object of a cache takes. */
#define kma_probe_kmem_cache_alloc	kma_probe_kmalloc
#define kma_probe_kmem_cache_alloc_node	kma_probe_kmalloc_node

KMA_PROBE_BY_NAME(kmalloc_node)
KMA_PROBE_BY_NAME(kmem_cache_alloc_node)
#endif

KMA_PROBE_BY_NAME(mm_page_alloc)
KMA_PROBE_BY_NAME(mm_page_free)
KMA_PROBE_BY_NAME(kmalloc)
KMA_PROBE_BY_NAME(kmem_cache_alloc)

static const struct kma_probe kma_acct_probes[] = {
	KMA_PROBE_ROW(mm_page_free),
	KMA_PROBE_ROW(mm_page_alloc),
	KMA_PROBE_ROW(kmalloc),
	KMA_PROBE_ROW(kmem_cache_alloc),
#ifndef KMA_HAVE_EVENT_CACHE
	KMA_PROBE_ROW(kmalloc_node),
	KMA_PROBE_ROW(kmem_cache_alloc_node),
#endif
};

/* ---- begin and end --------------------------------------------------------------- */

static int kma_acct_attach(void)
{
	int ret = kma_callsite_start();

	if (ret)
		return ret;
	ret = kma_zone_start();
	if (ret)
		goto callsite;
	ret = kma_probes_attach(kma_acct_probes, ARRAY_SIZE(kma_acct_probes));
	if (!ret)
		return 0;
	kma_zone_stop();
callsite:
	kma_callsite_stop();
	return ret;
}

static void kma_acct_detach(void)
{
	kma_probes_detach(kma_acct_probes, ARRAY_SIZE(kma_acct_probes));
	kma_zone_stop();
	kma_callsite_stop();
}

/* ---- settings -------------------------------------------------------------------- */

int kma_acct_parse(char *text, unsigned long *by)
{
	char *name;
	int i;

	*by = 0;
	if (!strcmp(text, "off"))
		return 0;
	while ((name = strsep(&text, ","))) {
		for (i = KMA_COUNTMAP_TASKS; i < KMA_COUNTMAP_NR; i++)
			if (!strcmp(name, kma_acct_keys[i].name))
				break;
		if (i == KMA_COUNTMAP_NR)
			return -EINVAL;
		*by |= BIT(i);
	}
	return 0;
}

void kma_acct_print(char buf[KMA_ACCT_LEN])
{
	const unsigned long by = READ_ONCE(kma_account);
	size_t len = 0;
	int i;

	strscpy(buf, "off", KMA_ACCT_LEN);
	for_each_set_bit(i, &by, KMA_COUNTMAP_NR)
		len += scnprintf(buf + len, KMA_ACCT_LEN - len, "%s%s", len ? "," : "",
				 kma_acct_keys[i].name);
}

static bool kma_acct_fit(unsigned long by)
{
	u64 bytes = kma_engine_bytes() + kma_countmaps_bytes() + kma_pages_memory();
	int i;

	for_each_set_bit(i, &by, KMA_COUNTMAP_NR)
		bytes += kma_countmap_memory(i);
	return !by || bytes <= kma_engine_bytes_max();
}

int kma_acct_set(unsigned long by)
{
	const unsigned long before = kma_account;
	int ret;

	lockdep_assert_held(&kma_lock);
	if (!kma_acct_fit(by & ~before))
		return -ENOMEM;
	if (by && !before) {
		ret = kma_acct_attach();
		if (ret)
			return ret;
	}
	ret = kma_countmaps_begin(by & ~before);
	if (!ret) {
		WRITE_ONCE(kma_account, by);
		kma_countmaps_end(before & ~by);
	}
	if (!kma_account && (by || before))
		kma_acct_detach();
	return ret;
}
