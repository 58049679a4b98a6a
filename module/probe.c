// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints: one row each in a table, and one trampoline that only
 * decodes the arguments.
 *
 * A probe runs wherever the kernel allocates: with any lock held, in any
 * context; only pages are freed in NMI.  It does not allocate, sleep, lock, print
 * or wake anybody.
 *
 * Free probes are attached first and detached last, and allocations are
 * recorded only once everything is attached: an object that is recorded is one
 * whose free will be seen.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/kmem.h>

#include "kmemacct.h"

/* What is to become of allocations: written with kma_lock held. */
static bool kma_wanted __read_mostly;	/* they are recorded: those that match a filter */
static bool kma_looked = true;		/* each is looked at: they are not wanted, or filtered */
static bool kma_sampled __read_mostly;	/* and some of them stand for all */

/* And of frees: they go by the filter of core/livefilter.h. */
static bool kma_filtered __read_mostly;

/* ---- double-fired events -------------------------------------------------- */

/*
 * Since 6.10 a kmalloc of a run-time size that is served by the page allocator
 * fires twice: first with a call site inside the allocator's entry point, then
 * with the true one.  Which sites are inside is not written anywhere, so it is
 * learned before recording begins: make such an allocation through each entry
 * point, and look at the events that come with its address.
 */
#define KMA_LEARN_EVENTS	16

static struct {
	struct task_struct *task;
	int nr;
	struct {
		unsigned long site;
		const void *ptr;
	} event[KMA_LEARN_EVENTS];
} kma_learn;

static noinline __noclone void kma_probe_learn(void *data, unsigned long site,
					       const void *ptr)
{
	kma_stat_inc(alloc_off);
	if (READ_ONCE(kma_learn.task) != current || !in_task() ||
	    kma_learn.nr == KMA_LEARN_EVENTS)
		return;
	kma_learn.event[kma_learn.nr].site = site;
	kma_learn.event[kma_learn.nr].ptr = ptr;
	kma_learn.nr++;
}

/* The first of at least two events about @ptr is an inner one. */
static void kma_learn_from(struct kma_sitetab *t, const void *ptr)
{
	unsigned long first = 0;
	int i, nr = 0;

	for (i = 0; i < kma_learn.nr; i++)
		if (kma_learn.event[i].ptr == ptr && !nr++)
			first = kma_learn.event[i].site;
	if (nr < 2 || kma_sitetab_is_inner(t, first) ||
	    t->nr_inner == KMA_INNER_MAX)
		return;
	t->inner[t->nr_inner++] = first;
}

#define KMA_LEARN(t, alloc) ({						\
	void *__ptr;							\
									\
	kma_learn.nr = 0;						\
	__ptr = (alloc);						\
	if (__ptr)							\
		kma_learn_from(t, __ptr);				\
	kvfree(__ptr);							\
	__ptr ? 0 : -ENOMEM;						\
})

static int kma_learn_inner(struct kma_sitetab *t)
{
	size_t size = KMALLOC_MAX_CACHE_SIZE + 1;
	const gfp_t gfp = GFP_KERNEL;
	int ret;

	/* Hidden, or the compiler would pick another entry point. */
	OPTIMIZER_HIDE_VAR(size);
	WRITE_ONCE(kma_learn.task, current);
	ret = KMA_LEARN(t, kmalloc(size, gfp)) ?:
	      KMA_LEARN(t, kmalloc_node(size, gfp, numa_node_id())) ?:
	      KMA_LEARN(t, kmalloc_track_caller(size, gfp)) ?:
	      KMA_LEARN(t, kmalloc_node_track_caller(size, gfp, numa_node_id())) ?:
	      KMA_LEARN(t, krealloc(NULL, size, gfp)) ?:
	      KMA_LEARN(t, kvmalloc(size, gfp));
	WRITE_ONCE(kma_learn.task, NULL);
	/* Or a leak detector would find objects by them. */
	memset(kma_learn.event, 0, sizeof(kma_learn.event));
	return ret;
}

/* ---- the trampolines ------------------------------------------------------ */

/* An allocation event without memory. */
static noinline __noclone void kma_probe_no_memory(void *data, unsigned long site,
						   const void *ptr)
{
	if (kma_sitetab_is_inner(&kma_core.sites, site))
		kma_stat_inc(double_fired);
	else if (ptr)
		kma_stat_inc(alloc_zero_size);
	else
		kma_stat_inc(alloc_failed);
}

static __always_inline void kma_probe_alloc(const struct kma_event *ev, bool sampled)
{
	const void *ptr = (void *)ev->ptr;

	if (unlikely(ZERO_OR_NULL_PTR(ptr))) {
		/* Counted as not sampled: see stat.h. */
		if (sampled)
			kma_stat_dec(alloc_unsampled);
		kma_probe_no_memory(NULL, ev->site, ptr);
	} else if (sampled) {
		kma_record_sampled(&kma_core, ev, kma_event_bytes(ev), false);
	} else {
		kma_record_alloc(&kma_core, ev);
	}
}

/* What an event is if it does not match the filter. */
static void kma_probe_filtered(const struct kma_event *ev)
{
	if (kma_sitetab_is_inner(&kma_core.sites, ev->site))
		kma_stat_inc(double_fired);
	else
		kma_stat_inc(alloc_filtered);
}

/* An event that is wanted if it matches the filter. */
static __always_inline void kma_probe_match(const struct kma_event *ev)
{
	if (!ZERO_OR_NULL_PTR((void *)ev->ptr) && !kma_filter_object(ev)) {
		kma_probe_filtered(ev);
	} else if (READ_ONCE(kma_sampled)) {
		kma_stat_inc(alloc_unsampled);
		kma_probe_alloc(ev, true);
	} else {
		kma_probe_alloc(ev, false);
	}
}

static __always_inline void kma_probe_free(const void *ptr, bool filtered)
{
	if (unlikely(ZERO_OR_NULL_PTR(ptr))) {
		/* Counted as unmatched: likewise. */
		if (filtered)
			kma_stat_dec(free_unmatched);
		if (ptr)
			kma_stat_inc(free_zero_size);
		else
			kma_stat_inc(free_null);
	} else if (filtered) {
		kma_record_free_sampled(&kma_core, (unsigned long)ptr);
	} else {
		kma_record_free(&kma_core, (unsigned long)ptr, KMA_FREES_EARLY);
	}
}

/*
 * A trampoline is one jump to a function that does what is to be done now, which has
 * its arguments where they are.  kma_TRACEPOINT_switch() says to which.
 */
#define KMA_TRAMPOLINE(tp, first, other, now, proto, args)		\
KMA_IS_DIRECT(kma_##tp##_exact);					\
KMA_IS_DIRECT(kma_##tp##_##first);					\
KMA_IS_DIRECT(kma_##tp##_##other);					\
DEFINE_STATIC_CALL(kma_##tp##_run, kma_##tp##_##first);			\
									\
static notrace void kma_probe_##tp proto				\
{									\
	static_call(kma_##tp##_run) args;				\
}									\
									\
static void kma_##tp##_switch(void)					\
{									\
	static_call_update(kma_##tp##_run, now);			\
}

/* One in KMA_TIMED events goes on to a function that takes the time. */
#define KMA_ALLOC_FUNCTION(name, count, sampled, proto, args, ...)	\
static noinline __noclone notrace void name##_timed proto		\
{									\
	const struct kma_event ev = { __VA_ARGS__ };			\
	struct kma_lap lap;						\
									\
	kma_stat_event_again(count);					\
	lap = kma_overhead_begin();					\
	kma_probe_alloc(&ev, sampled);					\
	kma_overhead_end(lap);						\
}									\
									\
static noinline __noclone KMA_DIRECT notrace void name proto		\
{									\
	const struct kma_event ev = { __VA_ARGS__ };			\
									\
	data = NULL;							\
	if (unlikely(kma_stat_event(count)))				\
		name##_timed args;					\
	else								\
		kma_probe_alloc(&ev, sampled);				\
}

/* While each is looked at: what is not wanted is made no event of. */
#define KMA_LOOKED_FUNCTION(name, count, proto, args, ...)		\
static noinline __noclone notrace void name##_wanted proto		\
{									\
	const struct kma_event ev = { __VA_ARGS__ };			\
									\
	kma_probe_match(&ev);						\
}									\
									\
static noinline __noclone notrace void name##_timed proto		\
{									\
	struct kma_lap lap;						\
									\
	kma_stat_event_again(count);					\
	lap = kma_overhead_begin();					\
	if (READ_ONCE(kma_wanted))					\
		name##_wanted args;					\
	else								\
		kma_probe_learn(NULL, call_site, ptr);			\
	kma_overhead_end(lap);						\
}									\
									\
static noinline __noclone KMA_DIRECT notrace void name proto		\
{									\
	if (unlikely(kma_stat_event(count)))				\
		name##_timed args;					\
	else if (READ_ONCE(kma_wanted))					\
		name##_wanted args;					\
	else								\
		kma_probe_learn(NULL, call_site, ptr);			\
}

#define KMA_FREE_FUNCTION(name, count, filtered, proto, args)		\
static noinline __noclone notrace void name##_timed proto		\
{									\
	struct kma_lap lap;						\
									\
	kma_stat_event_again(count);					\
	lap = kma_overhead_begin();					\
	kma_probe_free(ptr, filtered);					\
	kma_overhead_end(lap);						\
}									\
									\
static noinline __noclone KMA_DIRECT notrace void name proto		\
{									\
	if (unlikely(kma_stat_event(count)))				\
		name##_timed args;					\
	else								\
		kma_probe_free(ptr, filtered);				\
}

/* Tracepoint, its counter, prototype, arguments, and members of the event. */
#define KMA_ALLOC(tp, count, proto, args, ...)				\
KMA_ALLOC_FUNCTION(kma_##tp##_exact, events_##count, false, proto, args, \
		   __VA_ARGS__)						\
KMA_ALLOC_FUNCTION(kma_##tp##_sampled, unsampled_##count, true, proto, args, \
		   __VA_ARGS__)						\
KMA_LOOKED_FUNCTION(kma_##tp##_looked, events_##count, proto, args, __VA_ARGS__) \
KMA_TRAMPOLINE(tp, looked, sampled, kma_looked ? kma_##tp##_looked :	\
	       kma_sampled ? kma_##tp##_sampled : kma_##tp##_exact, proto, args)

#define KMA_FREE(tp, proto, args)					\
KMA_FREE_FUNCTION(kma_##tp##_exact, events_##tp, false, proto, args)	\
KMA_FREE_FUNCTION(kma_##tp##_filtered, unmatched_##tp, true, proto, args) \
KMA_TRAMPOLINE(tp, exact, filtered,					\
	       kma_filtered ? kma_##tp##_filtered : kma_##tp##_exact, proto, args)

#ifdef KMA_HAVE_EVENT_CACHE
KMA_ALLOC(kmalloc, kmalloc,
	  (void *data, unsigned long call_site, const void *ptr, size_t bytes_req,
	   size_t bytes_alloc, gfp_t gfp_flags, int node),
	  (data, call_site, ptr, bytes_req, bytes_alloc, gfp_flags, node),
	  .site = call_site, .ptr = (unsigned long)ptr, .cache = bytes_alloc,
	  .kmalloc = true, .bytes_req = bytes_req, .node = node,
	  .gfp = (__force u32)gfp_flags)

KMA_ALLOC(kmem_cache_alloc, kmem_cache_alloc,
	  (void *data, unsigned long call_site, const void *ptr,
	   struct kmem_cache *s, gfp_t gfp_flags, int node),
	  (data, call_site, ptr, s, gfp_flags, node),
	  .site = call_site, .ptr = (unsigned long)ptr, .cache = (unsigned long)s,
	  .node = node, .gfp = (__force u32)gfp_flags)

KMA_FREE(kmem_cache_free,
	 (void *data, unsigned long call_site, const void *ptr,
	  const struct kmem_cache *s),
	 (data, call_site, ptr, s))
#else
KMA_ALLOC(kmalloc_node, kmalloc,
	  (void *data, unsigned long call_site, const void *ptr, size_t bytes_req,
	   size_t bytes_alloc, gfp_t gfp_flags, int node),
	  (data, call_site, ptr, bytes_req, bytes_alloc, gfp_flags, node),
	  .site = call_site, .ptr = (unsigned long)ptr, .cache = bytes_alloc,
	  .kmalloc = true, .bytes_req = bytes_req, .node = node,
	  .gfp = (__force u32)gfp_flags)

KMA_ALLOC(kmalloc, kmalloc,
	  (void *data, unsigned long call_site, const void *ptr, size_t bytes_req,
	   size_t bytes_alloc, gfp_t gfp_flags),
	  (data, call_site, ptr, bytes_req, bytes_alloc, gfp_flags),
	  .site = call_site, .ptr = (unsigned long)ptr, .cache = bytes_alloc,
	  .kmalloc = true, .bytes_req = bytes_req, .node = NUMA_NO_NODE,
	  .gfp = (__force u32)gfp_flags)

/*
 * The event does not name the cache, but the page of the object does, which the
 * object holds in place: nobody else has its address yet.
 */
static __always_inline unsigned long kma_probe_cache(const void *ptr)
{
	return ptr ? (unsigned long)virt_to_head_page(ptr)->slab_cache : 0;
}

KMA_ALLOC(kmem_cache_alloc_node, kmem_cache_alloc,
	  (void *data, unsigned long call_site, const void *ptr, size_t bytes_req,
	   size_t bytes_alloc, gfp_t gfp_flags, int node),
	  (data, call_site, ptr, bytes_req, bytes_alloc, gfp_flags, node),
	  .site = call_site, .ptr = (unsigned long)ptr,
	  .cache = kma_probe_cache(ptr), .node = node,
	  .gfp = (__force u32)gfp_flags)

KMA_ALLOC(kmem_cache_alloc, kmem_cache_alloc,
	  (void *data, unsigned long call_site, const void *ptr, size_t bytes_req,
	   size_t bytes_alloc, gfp_t gfp_flags),
	  (data, call_site, ptr, bytes_req, bytes_alloc, gfp_flags),
	  .site = call_site, .ptr = (unsigned long)ptr,
	  .cache = kma_probe_cache(ptr), .node = NUMA_NO_NODE,
	  .gfp = (__force u32)gfp_flags)

KMA_FREE(kmem_cache_free,
	 (void *data, unsigned long call_site, const void *ptr),
	 (data, call_site, ptr))
#endif

KMA_FREE(kfree, (void *data, unsigned long call_site, const void *ptr),
	 (data, call_site, ptr))

static noinline __noclone KMA_DIRECT notrace void
kma_page_free_untracked(void *data, struct page *page, unsigned int order)
{
	kma_record_pages_free(&kma_core, (unsigned long)page_to_virt(page),
			      order);
}

KMA_IS_DIRECT(kma_page_free_untracked);

DEFINE_STATIC_CALL(kma_page_free_run, kma_page_free_untracked);

static notrace void kma_probe_mm_page_free(void *data, struct page *page,
					   unsigned int order)
{
	static_call(kma_page_free_run)(data, page, order);
}

void kma_probes_page_free(bool tracked)
{
	if (tracked)
		static_call_update(kma_page_free_run, kma_page_free_tracked);
	else
		static_call_update(kma_page_free_run, kma_page_free_untracked);
}

/* ---- events of hooks ------------------------------------------------------ */

void kma_probes_free(const void *ptr)
{
	if (READ_ONCE(kma_filtered)) {
		kma_stat_inc(free_unmatched);
		kma_probe_free(ptr, true);
	} else {
		kma_probe_free(ptr, false);
	}
}

static void kma_probes_bulk_sampled(const struct kma_event *ev)
{
	kma_stat_inc(alloc_unsampled);
	kma_record_sampled(&kma_core, ev, kma_event_bytes(ev), true);
}

void kma_probes_bulk(unsigned long site, const void *ptr, unsigned long cache,
		     gfp_t gfp)
{
	const struct kma_event ev = {
		.site = site,
		.ptr = (unsigned long)ptr,
		.cache = cache,
		.node = NUMA_NO_NODE,
		.gfp = (__force u32)gfp,
	};

	if (!READ_ONCE(kma_wanted))
		kma_stat_inc(alloc_off);
	else if (kma_filter_on() && !kma_filter_object(&ev))
		kma_stat_inc(alloc_filtered);
	else if (READ_ONCE(kma_sampled))
		kma_probes_bulk_sampled(&ev);
	else
		kma_record_bulk(&kma_core, &ev);
}

/* ---- attaching ------------------------------------------------------------ */

/* register_trace_*() checks the trampoline's prototype against the kernel's. */
#define KMA_PROBE(tp)							\
static int kma_attach_##tp(void)					\
{									\
	return register_trace_##tp(kma_probe_##tp, NULL);		\
}									\
									\
static void kma_detach_##tp(void)					\
{									\
	unregister_trace_##tp(kma_probe_##tp, NULL);			\
}

/* ---- tracepoints that are not exported ------------------------------------ */

struct kma_tracepoint_search {
	const char *name;
	struct tracepoint *found;
};

static void kma_tracepoint_match(struct tracepoint *tp, void *priv)
{
	struct kma_tracepoint_search *search = priv;

	if (!strcmp(tp->name, search->name))
		search->found = tp;
}

static struct tracepoint *kma_tracepoint_find(const char *name)
{
	struct kma_tracepoint_search search = { .name = name };

	for_each_kernel_tracepoint(kma_tracepoint_match, &search);
	return search.found;
}

int kma_attach_name(const char *name, void *probe)
{
	struct tracepoint *tp = kma_tracepoint_find(name);

	return tp ? tracepoint_probe_register(tp, probe, NULL) : -ENOENT;
}

void kma_detach_name(const char *name, void *probe)
{
	tracepoint_probe_unregister(kma_tracepoint_find(name), probe, NULL);
}

/* ---- all of them --------------------------------------------------------- */

KMA_PROBE_BY_NAME(mm_page_free)

#ifdef KMA_HAVE_FREE_EVENT_EARLY
KMA_PROBE(kmem_cache_free)

bool kma_probes_late(void)
{
	return false;
}
#else
/*
 * Here the event comes after the free, when another CPU may already have been
 * given the address, and told of it.  So the function is followed instead, where
 * it is entered; only if that cannot be done, the event has to do.
 */
static_assert(kma_ftrace_hook_fits(kmem_cache_free, void, struct kmem_cache *s, void *x));

static void notrace kma_kmem_cache_free_entered(unsigned long parent_ip,
						struct ftrace_regs *regs)
{
	preempt_disable_notrace();
	kma_probe_kmem_cache_free(NULL, parent_ip,
				  (void *)kma_ftrace_hook_arg(regs, 1));
	preempt_enable_notrace();
}

struct kma_ftrace_hook kma_ftrace_hook_free = {
	.function = kmem_cache_free,
	.entered = kma_kmem_cache_free_entered,
	.loss = "frees are told late: see order in the tables",
};

static int kma_attach_kmem_cache_free(void)
{
	if (kma_ftrace_hook_free.attached)
		return 0;
	return register_trace_kmem_cache_free(kma_probe_kmem_cache_free, NULL);
}

static void kma_detach_kmem_cache_free(void)
{
	if (!kma_ftrace_hook_free.attached)
		unregister_trace_kmem_cache_free(kma_probe_kmem_cache_free, NULL);
}

bool kma_probes_late(void)
{
	return !kma_ftrace_hook_free.attached;
}
#endif

KMA_PROBE(kfree)
KMA_PROBE(kmalloc)
KMA_PROBE(kmem_cache_alloc)
#ifndef KMA_HAVE_EVENT_CACHE
KMA_PROBE(kmalloc_node)
KMA_PROBE(kmem_cache_alloc_node)
#endif

static const struct kma_probe kma_probes[] = {
	KMA_PROBE_ROW(mm_page_free),
	KMA_PROBE_ROW(kfree),
	KMA_PROBE_ROW(kmem_cache_free),
	KMA_PROBE_ROW(kmalloc),
	KMA_PROBE_ROW(kmem_cache_alloc),
#ifndef KMA_HAVE_EVENT_CACHE
	KMA_PROBE_ROW(kmalloc_node),
	KMA_PROBE_ROW(kmem_cache_alloc_node),
#endif
};

/* Protected by kma_lock, once there is a file to read it in. */
static int kma_nr_attached;

int kma_probes_attach(const struct kma_probe *probes, int nr)
{
	int i, ret;

	for (i = 0; i < nr; i++) {
		ret = probes[i].attach();
		if (ret) {
			pr_err("cannot attach to tracepoint kmem:%s: error %d\n",
			       probes[i].name, ret);
			kma_probes_detach(probes, i);
			return ret;
		}
		WRITE_ONCE(kma_nr_attached, kma_nr_attached + 1);
	}
	return 0;
}

void kma_probes_detach(const struct kma_probe *probes, int nr)
{
	WRITE_ONCE(kma_nr_attached, kma_nr_attached - nr);
	while (nr--)
		probes[nr].detach();
	tracepoint_synchronize_unregister();
}

int kma_probes_start(void)
{
	int ret = kma_probes_attach(kma_probes, ARRAY_SIZE(kma_probes));

	if (ret)
		return ret;
	ret = kma_learn_inner(&kma_core.sites);
	if (ret) {
		pr_err("not enough memory\n");
		kma_probes_detach(kma_probes, ARRAY_SIZE(kma_probes));
	}
	return ret;
}

void kma_probes_stop(void)
{
	kma_probes_detach(kma_probes, ARRAY_SIZE(kma_probes));
}

/* What one object may take, of which core/sample.h adds up the bytes. */
static_assert(KMALLOC_MAX_SIZE <= S32_MAX);

/* Where allocations go from now on. */
static void kma_allocs_switch(void)
{
	lockdep_assert_held(&kma_lock);
	kma_kmalloc_switch();
	kma_kmem_cache_alloc_switch();
#ifndef KMA_HAVE_EVENT_CACHE
	kma_kmalloc_node_switch();
	kma_kmem_cache_alloc_node_switch();
#endif
}

void kma_probes_record(bool on)
{
	WRITE_ONCE(kma_wanted, on);
	kma_looked = !on || kma_filter_on();
	kma_allocs_switch();
}

void kma_probes_sample(bool on)
{
	WRITE_ONCE(kma_sampled, on);
	kma_allocs_switch();
	/* All events that began before have ended, whatever brought them. */
	tracepoint_synchronize_unregister();
	/* Hooks; on some kernels that is another thing. */
	synchronize_rcu();
}

void kma_probes_livefilter(bool on)
{
	lockdep_assert_held(&kma_lock);
	WRITE_ONCE(kma_filtered, on);
	kma_kfree_switch();
	kma_kmem_cache_free_switch();
}

int kma_probes_attached(void)
{
	return READ_ONCE(kma_nr_attached);
}
