// SPDX-License-Identifier: GPL-2.0
/* The probes of slab objects, and their modes.  See slab.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
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
#include "failures.h"
#include "ftrace_hook.h"
#include "slab.h"
#include "timing.h"
#include "tracepoint.h"

/* The mode of allocation probes.  Written under kma_lock. */
static bool kma_wanted __read_mostly;	/* record allocations that pass the filter */
static bool kma_gated = true;		/* recording is off, or a filter is set */
static bool kma_sampled __read_mostly;	/* record only samples */

/* The mode of free probes: look up only objects that core/livefilter.h does not rule out. */
static bool kma_filtered __read_mostly;

/* ---- allocations while recording is off ------------------------------------ */

/* The task that listens, and the function that it passed to kma_slab_listen(). */
static struct task_struct *kma_slab_listener;
static void (*kma_slab_heard)(const struct kma_event *ev, bool bulk);

void kma_slab_listen(void (*heard)(const struct kma_event *ev, bool bulk))
{
	/* A probe reads both only in this task.  In other tasks, it only compares the task. */
	WRITE_ONCE(kma_slab_listener, NULL);
	WRITE_ONCE(kma_slab_heard, heard);
	WRITE_ONCE(kma_slab_listener, heard ? current : NULL);
}

static __always_inline bool kma_slab_is_listener(void)
{
	return unlikely(READ_ONCE(kma_slab_listener) == current) && in_task();
}

static noinline void kma_slab_hear(const struct kma_event *ev, bool bulk)
{
	READ_ONCE(kma_slab_heard)(ev, bulk);
}

/* Count the allocation of an object that has no event. */
static void kma_slab_off(const struct kma_event *ev)
{
	kma_stat_inc(alloc_off);
	if (kma_slab_is_listener())
		kma_slab_hear(ev, true);
}

/* ---- the probes ----------------------------------------------------------- */

/* Whether gfp flags ask to charge the object: KMA_CHARGE or 0. */
static __always_inline unsigned long kma_slab_charge(gfp_t gfp)
{
	return gfp & __GFP_ACCOUNT ? KMA_CHARGE : KMA_CHARGE_NONE;
}

/* @cache: the cache word; the event of an object of a kmem_cache has its size on some kernels. */
static noinline void kma_slab_failed(unsigned long site, size_t bytes, unsigned long cache,
				     u32 gfp)
{
	if (!kma_cache_is_kmalloc(cache))
		bytes = kmem_cache_size((struct kmem_cache *)cache);
	kma_stat_inc(alloc_failed);
	kma_failure_count_object(kma_env_object_site(site) ?: site, bytes, gfp);
}

/*
 * Count an allocation event that returned no memory, or that is the first of two for one object.
 * The arguments are in the order of those of kmalloc's probe, so that no register has to move.
 */
static noinline __noclone void kma_slab_no_memory(void *data, unsigned long site, const void *ptr,
						  size_t bytes, unsigned long cache, u32 gfp)
{
	if (kma_sitetab_is_inner(&kma_core.sites, site))
		kma_stat_inc(double_fired);
	else if (ptr)
		kma_stat_inc(alloc_zero_size);
	else
		kma_slab_failed(site, bytes, cache, gfp);
}

static __always_inline void kma_slab_record_alloc(const struct kma_event *ev, bool sampled)
{
	const void *ptr = (void *)ev->ptr;

	if (unlikely(ZERO_OR_NULL_PTR(ptr))) {
		/* The event was counted as not sampled (core/stat.h): undo that. */
		if (sampled)
			kma_stat_dec(alloc_unsampled);
		kma_slab_no_memory(NULL, ev->site, ptr, ev->bytes_req, ev->cache, ev->gfp);
	} else if (sampled) {
		kma_record_sampled(&kma_core, ev, kma_event_bytes(ev), false);
	} else {
		kma_record_alloc(&kma_core, ev);
	}
}

/* Record an event if it matches the filter, unless it is the first of two events for one object. */
static __always_inline void kma_slab_match(const struct kma_event *ev)
{
	if (kma_sitetab_is_inner(&kma_core.sites, ev->site)) {
		kma_stat_inc(double_fired);
	} else if (!ZERO_OR_NULL_PTR((void *)ev->ptr) && !kma_filter_object(ev)) {
		kma_stat_inc(alloc_filtered);
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
		/* The event was counted as unmatched (core/stat.h): undo that. */
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
 * The probe of a tracepoint, and the function that switches its mode.  Defines
 *
 *	kma_slab_probe_kmalloc(), kma_slab_probe_kmem_cache_alloc(),
 *	kma_slab_probe_kfree(), kma_slab_probe_kmem_cache_free(), kma_kmalloc_switch(),
 *	kma_kmem_cache_alloc_switch(), kma_kfree_switch(), kma_kmem_cache_free_switch()
 *
 * and also, without KMA_HAVE_EVENT_CACHE,
 *
 *	kma_slab_probe_kmalloc_node(), kma_slab_probe_kmem_cache_alloc_node(),
 *	kma_kmalloc_node_switch(), kma_kmem_cache_alloc_node_switch()
 *
 * The probe is one jump, a static call, to the function of the current mode, which gets
 * the arguments in the same registers.  The static calls are
 *
 *	kma_kmalloc_run, kma_kmem_cache_alloc_run, kma_kfree_run,
 *	kma_kmem_cache_free_run, kma_kmalloc_node_run, kma_kmem_cache_alloc_node_run
 *
 * @first is the mode in which the probe starts, and @other is its mode for sampling.  @now is
 * an expression for the function of the current mode: kma_TRACEPOINT_switch() makes the probe
 * jump to that function.
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

/*
 * The functions of an allocation event while recording is on and no filter is set.
 * Defines
 *
 *	kma_kmalloc_exact(), kma_kmalloc_exact_timed(), kma_kmalloc_sampled(),
 *	kma_kmalloc_sampled_timed(), kma_kmem_cache_alloc_exact(),
 *	kma_kmem_cache_alloc_exact_timed(), kma_kmem_cache_alloc_sampled(),
 *	kma_kmem_cache_alloc_sampled_timed()
 *
 * and also, without KMA_HAVE_EVENT_CACHE,
 *
 *	kma_kmalloc_node_exact(), kma_kmalloc_node_exact_timed(),
 *	kma_kmalloc_node_sampled(), kma_kmalloc_node_sampled_timed(),
 *	kma_kmem_cache_alloc_node_exact(), kma_kmem_cache_alloc_node_exact_timed(),
 *	kma_kmem_cache_alloc_node_sampled(), kma_kmem_cache_alloc_node_sampled_timed()
 *
 * One event in KMA_TIMED is passed on to the _timed() function, which times it.
 */
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

/*
 * The functions of an allocation event while recording is off or a filter is set.
 * Defines
 *
 *	kma_kmalloc_gated(), kma_kmalloc_gated_wanted(), kma_kmalloc_gated_off(),
 *	kma_kmalloc_gated_timed(), kma_kmem_cache_alloc_gated(),
 *	kma_kmem_cache_alloc_gated_wanted(), kma_kmem_cache_alloc_gated_off(),
 *	kma_kmem_cache_alloc_gated_timed()
 *
 * and also, without KMA_HAVE_EVENT_CACHE,
 *
 *	kma_kmalloc_node_gated(), kma_kmalloc_node_gated_wanted(),
 *	kma_kmalloc_node_gated_off(), kma_kmalloc_node_gated_timed(),
 *	kma_kmem_cache_alloc_node_gated(), kma_kmem_cache_alloc_node_gated_wanted(),
 *	kma_kmem_cache_alloc_node_gated_off(), kma_kmem_cache_alloc_node_gated_timed()
 *
 * While recording is off, a struct kma_event is filled only for the listening task.
 */
#define KMA_GATED_FUNCTION(name, count, proto, args, ...)		\
static noinline __noclone notrace void name##_wanted proto		\
{									\
	const struct kma_event ev = { __VA_ARGS__ };			\
									\
	kma_slab_match(&ev);						\
}									\
									\
static noinline __noclone notrace void name##_off proto			\
{									\
	kma_stat_inc(alloc_off);					\
	if (kma_slab_is_listener()) {					\
		const struct kma_event ev = { __VA_ARGS__ };		\
									\
		kma_slab_hear(&ev, false);				\
	}								\
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
		name##_off args;					\
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
		name##_off args;					\
}

/*
 * The functions of a free event.  Defines
 *
 *	kma_kfree_exact(), kma_kfree_exact_timed(), kma_kfree_filtered(),
 *	kma_kfree_filtered_timed(), kma_kmem_cache_free_exact(),
 *	kma_kmem_cache_free_exact_timed(), kma_kmem_cache_free_filtered(),
 *	kma_kmem_cache_free_filtered_timed()
 *
 * The filtered functions look up only objects that core/livefilter.h does not rule out.
 */
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

/*
 * All functions of an allocation tracepoint: those of KMA_ALLOC_FUNCTION(),
 * KMA_GATED_FUNCTION() and KMA_TRAMPOLINE(), which list the names.  The arguments are the
 * tracepoint, its counter, the prototype of a probe, its arguments, and the members of
 * struct kma_event.
 */
#define KMA_ALLOC(tp, count, proto, args, ...)				\
KMA_ALLOC_FUNCTION(kma_##tp##_exact, events_##count, false, proto, args, \
		   __VA_ARGS__)						\
KMA_ALLOC_FUNCTION(kma_##tp##_sampled, unsampled_##count, true, proto, args, \
		   __VA_ARGS__)						\
KMA_GATED_FUNCTION(kma_##tp##_gated, events_##count, proto, args, __VA_ARGS__) \
KMA_TRAMPOLINE(tp, gated, sampled, kma_gated ? kma_##tp##_gated :	\
	       kma_sampled ? kma_##tp##_sampled : kma_##tp##_exact, proto, args)

/*
 * All functions of a free tracepoint: those of KMA_FREE_FUNCTION() and KMA_TRAMPOLINE(),
 * which list the names.  The arguments are the tracepoint, the prototype of a probe, and
 * its arguments.
 */
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
	  .gfp = (__force u32)gfp_flags, .charge = kma_slab_charge(gfp_flags))

KMA_ALLOC(kmem_cache_alloc, kmem_cache_alloc,
	  (void *data, unsigned long call_site, const void *ptr,
	   struct kmem_cache *s, gfp_t gfp_flags, int node),
	  (data, call_site, ptr, s, gfp_flags, node),
	  .site = call_site, .ptr = (unsigned long)ptr, .cache = (unsigned long)s,
	  .node = node, .gfp = (__force u32)gfp_flags, .charge = kma_slab_charge(gfp_flags))

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
	  .gfp = (__force u32)gfp_flags, .charge = kma_slab_charge(gfp_flags))

KMA_ALLOC(kmalloc, kmalloc,
	  (void *data, unsigned long call_site, const void *ptr, size_t bytes_req,
	   size_t bytes_alloc, gfp_t gfp_flags),
	  (data, call_site, ptr, bytes_req, bytes_alloc, gfp_flags),
	  .site = call_site, .ptr = (unsigned long)ptr, .cache = bytes_alloc,
	  .kmalloc = true, .bytes_req = bytes_req, .node = NUMA_NO_NODE,
	  .gfp = (__force u32)gfp_flags, .charge = kma_slab_charge(gfp_flags))

/*
 * The event does not name the cache, but the page of the object does.  Reading it is safe: a
 * page is not freed while there is an object on it, and no other code can free this object,
 * because none has its address yet.
 */
static __always_inline unsigned long kma_slab_cache(const void *ptr)
{
	return ptr ? (unsigned long)virt_to_head_page(ptr)->slab_cache : 0;
}

/* An event without an object has no cache, either, but the size that was requested. */
static __always_inline size_t kma_slab_failed_bytes(const void *ptr, size_t bytes_req)
{
	return ptr ? 0 : bytes_req;
}

KMA_ALLOC(kmem_cache_alloc_node, kmem_cache_alloc,
	  (void *data, unsigned long call_site, const void *ptr, size_t bytes_req,
	   size_t bytes_alloc, gfp_t gfp_flags, int node),
	  (data, call_site, ptr, bytes_req, bytes_alloc, gfp_flags, node),
	  .site = call_site, .ptr = (unsigned long)ptr,
	  .cache = kma_slab_cache(ptr), .node = node,
	  .bytes_req = kma_slab_failed_bytes(ptr, bytes_req),
	  .gfp = (__force u32)gfp_flags, .charge = kma_slab_charge(gfp_flags))

KMA_ALLOC(kmem_cache_alloc, kmem_cache_alloc,
	  (void *data, unsigned long call_site, const void *ptr, size_t bytes_req,
	   size_t bytes_alloc, gfp_t gfp_flags),
	  (data, call_site, ptr, bytes_req, bytes_alloc, gfp_flags),
	  .site = call_site, .ptr = (unsigned long)ptr,
	  .cache = kma_slab_cache(ptr), .node = NUMA_NO_NODE,
	  .bytes_req = kma_slab_failed_bytes(ptr, bytes_req),
	  .gfp = (__force u32)gfp_flags, .charge = kma_slab_charge(gfp_flags))

KMA_FREE(kmem_cache_free,
	 (void *data, unsigned long call_site, const void *ptr),
	 (data, call_site, ptr))
#endif

KMA_FREE(kfree, (void *data, unsigned long call_site, const void *ptr),
	 (data, call_site, ptr))

/* ---- objects without an event --------------------------------------------- */

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

/* Record an allocation without an event, if it passes the filter. */
static void kma_slab_match_bulk(const struct kma_event *ev)
{
	if (kma_filter_on() && !kma_filter_object(ev))
		kma_stat_inc(alloc_filtered);
	else if (READ_ONCE(kma_sampled))
		kma_slab_bulk_sampled(ev);
	else
		kma_record_bulk(&kma_core, ev);
}

unsigned long kma_slab_bulk_site(unsigned long site)
{
	return READ_ONCE(kma_wanted) ? kma_env_object_site(site) ?: site : site;
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
		.charge = kma_slab_charge(gfp),
	};

	if (READ_ONCE(kma_wanted))
		kma_slab_match_bulk(&ev);
	else
		kma_slab_off(&ev);
}

void kma_slab_nolock_alloc(unsigned long site, const void *ptr, size_t size, gfp_t gfp)
{
	struct kma_event ev = {
		.site = site,
		.ptr = (unsigned long)ptr,
		.kmalloc = true,
		.bytes_req = size,
		.node = NUMA_NO_NODE,
		.gfp = (__force u32)gfp,
		.charge = kma_slab_charge(gfp),
	};

	if (!ZERO_OR_NULL_PTR(ptr))
		ev.cache = kma_cacheinfo_object(ptr);
	if (!READ_ONCE(kma_wanted))
		kma_slab_off(&ev);
	else if (ZERO_OR_NULL_PTR(ptr))
		kma_slab_no_memory(NULL, site, ptr, size, 0, ev.gfp);
	else
		kma_slab_match_bulk(&ev);
}

/* ---- attaching ------------------------------------------------------------ */

#ifdef KMA_HAVE_FREE_EVENT_EARLY
/* Defines kma_slab_attach_kmem_cache_free() and kma_slab_detach_kmem_cache_free(). */
KMA_TRACEPOINT_EXPORTED(slab, kmem_cache_free)

bool kma_slab_late(void)
{
	return false;
}
#else
/*
 * On these kernels, the event is emitted after the free.  By then, another CPU may have
 * allocated the same address and emitted its allocation event.  So the module follows the
 * function at its entry instead, and uses the event only if the function cannot be followed.
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
	.loss = "kmem_cache_free is traced after the object is free: see order= in the table heads",
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

/* Defines kma_slab_attach_kfree() and kma_slab_detach_kfree(). */
KMA_TRACEPOINT_EXPORTED(slab, kfree)
/* Defines kma_slab_attach_kmalloc() and kma_slab_detach_kmalloc(). */
KMA_TRACEPOINT_EXPORTED(slab, kmalloc)
/* Defines kma_slab_attach_kmem_cache_alloc() and kma_slab_detach_kmem_cache_alloc(). */
KMA_TRACEPOINT_EXPORTED(slab, kmem_cache_alloc)
#ifndef KMA_HAVE_EVENT_CACHE
/* Defines kma_slab_attach_kmalloc_node() and kma_slab_detach_kmalloc_node(). */
KMA_TRACEPOINT_EXPORTED(slab, kmalloc_node)
/*
 * Defines kma_slab_attach_kmem_cache_alloc_node() and
 * kma_slab_detach_kmem_cache_alloc_node().
 */
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
	kma_slab_listen(kma_double_heard);
	ret = kma_double_learn(&kma_core.sites);
	kma_slab_listen(NULL);
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

/* core/sample.h adds the bytes of an object to an s32. */
static_assert(KMALLOC_MAX_SIZE <= S32_MAX);

/* Switch the probes of allocations to the current mode. */
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
	kma_gated = !on || kma_filter_on();
	kma_slab_switch();
}

void kma_slab_sample(bool on)
{
	WRITE_ONCE(kma_sampled, on);
	kma_slab_switch();
	/* Wait for probes that still run in the old mode. */
	tracepoint_synchronize_unregister();
	/*
	 * Also wait for the handlers of followed functions: on some kernels, the call above
	 * waits only for probes of tracepoints.
	 */
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
