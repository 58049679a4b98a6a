// SPDX-License-Identifier: GPL-2.0
/* Probes of slab objects, and the modes they can be in.  See slab.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/kmem.h>

#include "../compat.h"
#include "../match/filter.h"
#include "../resolve/cacheinfo.h"
#include "../state.h"
#include "double.h"
#include "ftrace_hook.h"
#include "slab.h"
#include "timing.h"
#include "tracepoint.h"

/* The mode of allocation probes.  Written under kma_lock. */
static bool kma_wanted __read_mostly;	/* record allocations, if they pass the filter */
static bool kma_looked = true;		/* test each: recording is off, or a filter is set */
static bool kma_sampled __read_mostly;	/* record samples only */

/* The mode of free probes: look up only what core/livefilter.h lets through. */
static bool kma_filtered __read_mostly;

/* ---- the trampolines ------------------------------------------------------ */

/* An allocation event without memory. */
static noinline __noclone void kma_slab_no_memory(void *data, unsigned long site,
						  const void *ptr)
{
	if (kma_sitetab_is_inner(&kma_core.sites, site))
		kma_stat_inc(double_fired);
	else if (ptr)
		kma_stat_inc(alloc_zero_size);
	else
		kma_stat_inc(alloc_failed);
}

static __always_inline void kma_slab_record_alloc(const struct kma_event *ev, bool sampled)
{
	const void *ptr = (void *)ev->ptr;

	if (unlikely(ZERO_OR_NULL_PTR(ptr))) {
		/* Counted as not sampled: see stat.h. */
		if (sampled)
			kma_stat_dec(alloc_unsampled);
		kma_slab_no_memory(NULL, ev->site, ptr);
	} else if (sampled) {
		kma_record_sampled(&kma_core, ev, kma_event_bytes(ev), false);
	} else {
		kma_record_alloc(&kma_core, ev);
	}
}

/* What an event is if it does not match the filter. */
static void kma_slab_filtered(const struct kma_event *ev)
{
	if (kma_sitetab_is_inner(&kma_core.sites, ev->site))
		kma_stat_inc(double_fired);
	else
		kma_stat_inc(alloc_filtered);
}

/* An event that is wanted if it matches the filter. */
static __always_inline void kma_slab_match(const struct kma_event *ev)
{
	if (!ZERO_OR_NULL_PTR((void *)ev->ptr) && !kma_filter_object(ev)) {
		kma_slab_filtered(ev);
	} else if (READ_ONCE(kma_sampled)) {
		kma_stat_inc(alloc_unsampled);
		kma_slab_record_alloc(ev, true);
	} else {
		kma_slab_record_alloc(ev, false);
	}
}

static __always_inline void kma_slab_record_free(const void *ptr, bool filtered)
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
static notrace void kma_slab_probe_##tp proto				\
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
	struct kma_timing timing;						\
									\
	kma_stat_event_again(count);					\
	timing = kma_timing_begin();					\
	kma_slab_record_alloc(&ev, sampled);					\
	kma_timing_end(timing);						\
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
		kma_slab_record_alloc(&ev, sampled);				\
}

/* While each is looked at: what is not wanted is made no event of. */
#define KMA_LOOKED_FUNCTION(name, count, proto, args, ...)		\
static noinline __noclone notrace void name##_wanted proto		\
{									\
	const struct kma_event ev = { __VA_ARGS__ };			\
									\
	kma_slab_match(&ev);						\
}									\
									\
static noinline __noclone notrace void name##_timed proto		\
{									\
	struct kma_timing timing;						\
									\
	kma_stat_event_again(count);					\
	timing = kma_timing_begin();					\
	if (READ_ONCE(kma_wanted))					\
		name##_wanted args;					\
	else								\
		kma_double_note(NULL, call_site, ptr);			\
	kma_timing_end(timing);						\
}									\
									\
static noinline __noclone KMA_DIRECT notrace void name proto		\
{									\
	if (unlikely(kma_stat_event(count)))				\
		name##_timed args;					\
	else if (READ_ONCE(kma_wanted))					\
		name##_wanted args;					\
	else								\
		kma_double_note(NULL, call_site, ptr);			\
}

#define KMA_FREE_FUNCTION(name, count, filtered, proto, args)		\
static noinline __noclone notrace void name##_timed proto		\
{									\
	struct kma_timing timing;						\
									\
	kma_stat_event_again(count);					\
	timing = kma_timing_begin();					\
	kma_slab_record_free(ptr, filtered);					\
	kma_timing_end(timing);						\
}									\
									\
static noinline __noclone KMA_DIRECT notrace void name proto		\
{									\
	if (unlikely(kma_stat_event(count)))				\
		name##_timed args;					\
	else								\
		kma_slab_record_free(ptr, filtered);				\
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
static __always_inline unsigned long kma_slab_cache(const void *ptr)
{
	return ptr ? (unsigned long)virt_to_head_page(ptr)->slab_cache : 0;
}

KMA_ALLOC(kmem_cache_alloc_node, kmem_cache_alloc,
	  (void *data, unsigned long call_site, const void *ptr, size_t bytes_req,
	   size_t bytes_alloc, gfp_t gfp_flags, int node),
	  (data, call_site, ptr, bytes_req, bytes_alloc, gfp_flags, node),
	  .site = call_site, .ptr = (unsigned long)ptr,
	  .cache = kma_slab_cache(ptr), .node = node,
	  .gfp = (__force u32)gfp_flags)

KMA_ALLOC(kmem_cache_alloc, kmem_cache_alloc,
	  (void *data, unsigned long call_site, const void *ptr, size_t bytes_req,
	   size_t bytes_alloc, gfp_t gfp_flags),
	  (data, call_site, ptr, bytes_req, bytes_alloc, gfp_flags),
	  .site = call_site, .ptr = (unsigned long)ptr,
	  .cache = kma_slab_cache(ptr), .node = NUMA_NO_NODE,
	  .gfp = (__force u32)gfp_flags)

KMA_FREE(kmem_cache_free,
	 (void *data, unsigned long call_site, const void *ptr),
	 (data, call_site, ptr))
#endif

KMA_FREE(kfree, (void *data, unsigned long call_site, const void *ptr),
	 (data, call_site, ptr))

/* ---- events of hooks ------------------------------------------------------ */

void kma_slab_free(const void *ptr)
{
	if (READ_ONCE(kma_filtered)) {
		kma_stat_inc(free_unmatched);
		kma_slab_record_free(ptr, true);
	} else {
		kma_slab_record_free(ptr, false);
	}
}

static void kma_slab_bulk_sampled(const struct kma_event *ev)
{
	kma_stat_inc(alloc_unsampled);
	kma_record_sampled(&kma_core, ev, kma_event_bytes(ev), true);
}

void kma_slab_bulk_alloc(unsigned long site, const void *ptr, unsigned long cache,
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
		kma_slab_bulk_sampled(&ev);
	else
		kma_record_bulk(&kma_core, &ev);
}

/* ---- attaching ------------------------------------------------------------ */

#ifdef KMA_HAVE_FREE_EVENT_EARLY
KMA_TRACEPOINT_EXPORTED(slab, kmem_cache_free)

bool kma_slab_late(void)
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
	kma_slab_probe_kmem_cache_free(NULL, parent_ip,
				       (void *)kma_ftrace_hook_arg(regs, 1));
	preempt_enable_notrace();
}

struct kma_ftrace_hook kma_ftrace_hook_free = {
	.function = kmem_cache_free,
	.entered = kma_kmem_cache_free_entered,
	.loss = "frees are told late: see order in the tables",
};

static int kma_slab_attach_kmem_cache_free(void)
{
	if (kma_ftrace_hook_free.attached)
		return 0;
	return register_trace_kmem_cache_free(kma_slab_probe_kmem_cache_free, NULL);
}

static void kma_slab_detach_kmem_cache_free(void)
{
	if (!kma_ftrace_hook_free.attached)
		unregister_trace_kmem_cache_free(kma_slab_probe_kmem_cache_free, NULL);
}

bool kma_slab_late(void)
{
	return !kma_ftrace_hook_free.attached;
}
#endif

KMA_TRACEPOINT_EXPORTED(slab, kfree)
KMA_TRACEPOINT_EXPORTED(slab, kmalloc)
KMA_TRACEPOINT_EXPORTED(slab, kmem_cache_alloc)
#ifndef KMA_HAVE_EVENT_CACHE
KMA_TRACEPOINT_EXPORTED(slab, kmalloc_node)
KMA_TRACEPOINT_EXPORTED(slab, kmem_cache_alloc_node)
#endif

static const struct kma_tracepoint kma_slab_tracepoints[] = {
	KMA_TRACEPOINT_ROW(slab, kfree),
	KMA_TRACEPOINT_ROW(slab, kmem_cache_free),
	KMA_TRACEPOINT_ROW(slab, kmalloc),
	KMA_TRACEPOINT_ROW(slab, kmem_cache_alloc),
#ifndef KMA_HAVE_EVENT_CACHE
	KMA_TRACEPOINT_ROW(slab, kmalloc_node),
	KMA_TRACEPOINT_ROW(slab, kmem_cache_alloc_node),
#endif
};

int kma_slab_start(void)
{
	int ret = kma_tracepoints_attach(kma_slab_tracepoints,
					 ARRAY_SIZE(kma_slab_tracepoints));

	if (ret)
		return ret;
	ret = kma_double_learn(&kma_core.sites);
	if (ret) {
		pr_err("not enough memory\n");
		kma_slab_stop();
		tracepoint_synchronize_unregister();
	}
	return ret;
}

void kma_slab_stop(void)
{
	kma_tracepoints_detach(kma_slab_tracepoints, ARRAY_SIZE(kma_slab_tracepoints));
}

/* What one object may take, of which core/sample.h adds up the bytes. */
static_assert(KMALLOC_MAX_SIZE <= S32_MAX);

/* Where allocations go from now on. */
static void kma_slab_switch(void)
{
	lockdep_assert_held(&kma_lock);
	kma_kmalloc_switch();
	kma_kmem_cache_alloc_switch();
#ifndef KMA_HAVE_EVENT_CACHE
	kma_kmalloc_node_switch();
	kma_kmem_cache_alloc_node_switch();
#endif
}

void kma_slab_record(bool on)
{
	WRITE_ONCE(kma_wanted, on);
	kma_looked = !on || kma_filter_on();
	kma_slab_switch();
}

void kma_slab_sample(bool on)
{
	WRITE_ONCE(kma_sampled, on);
	kma_slab_switch();
	/* All events that began before have ended, whatever brought them. */
	tracepoint_synchronize_unregister();
	/* Hooks; on some kernels that is another thing. */
	synchronize_rcu();
}

void kma_slab_livefilter(bool on)
{
	lockdep_assert_held(&kma_lock);
	WRITE_ONCE(kma_filtered, on);
	kma_kfree_switch();
	kma_kmem_cache_free_switch();
}

bool kma_slab_recording(void)
{
	return READ_ONCE(kma_wanted);
}
