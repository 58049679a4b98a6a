// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints: one row each in a table, and one trampoline that only
 * decodes the arguments.
 *
 * A probe runs wherever the kernel allocates: with any lock held, in any
 * context but NMI.  It does not allocate, sleep, lock, print or wake anybody.
 *
 * Free probes are attached first and detached last, and allocations are
 * recorded only once everything is attached: an object that is recorded is one
 * whose free will be seen.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <trace/events/kmem.h>

#include "kmemacct.h"

/*
 * A word rather than a static key: that would save two instructions of an
 * allocation, and interrupt all CPUs to have them see new code at each switch.
 */
static bool kma_recording __read_mostly;

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

static noinline void kma_probe_learn(unsigned long site, const void *ptr)
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
	kfree(__ptr);							\
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
	      KMA_LEARN(t, krealloc(NULL, size, gfp));
	WRITE_ONCE(kma_learn.task, NULL);
	return ret;
}

/* ---- the trampolines ------------------------------------------------------ */

/* An allocation event without memory. */
static noinline void kma_probe_no_memory(unsigned long site, const void *ptr)
{
	if (kma_sitetab_is_inner(&kma_core.sites, site))
		kma_stat_inc(double_fired);
	else if (ptr)
		kma_stat_inc(alloc_zero_size);
	else
		kma_stat_inc(alloc_failed);
}

static __always_inline void kma_probe_alloc(unsigned long site, const void *ptr,
					    unsigned long cache, bool kmalloc,
					    size_t bytes_req, int node)
{
	const struct kma_event ev = {
		.site = site,
		.ptr = (unsigned long)ptr,
		.cache = cache,
		.kmalloc = kmalloc,
		.bytes_req = bytes_req,
		.node = node,
	};

	if (unlikely(!READ_ONCE(kma_recording)))
		kma_probe_learn(site, ptr);
	else if (unlikely(ZERO_OR_NULL_PTR(ptr)))
		kma_probe_no_memory(site, ptr);
	else
		kma_record_alloc(&kma_core, &ev);
}

static __always_inline void kma_probe_free(const void *ptr)
{
	if (likely(!ZERO_OR_NULL_PTR(ptr)))
		kma_record_free(&kma_core, (unsigned long)ptr);
	else if (ptr)
		kma_stat_inc(free_zero_size);
	else
		kma_stat_inc(free_null);
}

static notrace void kma_probe_kmalloc(void *data, unsigned long call_site,
				      const void *ptr, size_t bytes_req,
				      size_t bytes_alloc, gfp_t gfp_flags,
				      int node)
{
	kma_stat_inc(events_kmalloc);
	kma_probe_alloc(call_site, ptr, bytes_alloc, true, bytes_req, node);
}

static notrace void kma_probe_kmem_cache_alloc(void *data,
					       unsigned long call_site,
					       const void *ptr,
					       struct kmem_cache *s,
					       gfp_t gfp_flags, int node)
{
	kma_stat_inc(events_kmem_cache_alloc);
	kma_probe_alloc(call_site, ptr, (unsigned long)s, false, 0, node);
}

static notrace void kma_probe_kfree(void *data, unsigned long call_site,
				    const void *ptr)
{
	kma_stat_inc(events_kfree);
	kma_probe_free(ptr);
}

static notrace void kma_probe_kmem_cache_free(void *data,
					      unsigned long call_site,
					      const void *ptr,
					      const struct kmem_cache *s)
{
	kma_stat_inc(events_kmem_cache_free);
	kma_probe_free(ptr);
}

/* ---- events of hooks ------------------------------------------------------ */

void kma_probes_free(const void *ptr)
{
	kma_probe_free(ptr);
}

void kma_probes_bulk(unsigned long site, const void *ptr, unsigned long cache)
{
	const struct kma_event ev = {
		.site = site,
		.ptr = (unsigned long)ptr,
		.cache = cache,
		.node = NUMA_NO_NODE,
	};

	if (READ_ONCE(kma_recording))
		kma_record_bulk(&kma_core, &ev);
	else
		kma_stat_inc(alloc_off);
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

KMA_PROBE(kfree)
KMA_PROBE(kmem_cache_free)
KMA_PROBE(kmalloc)
KMA_PROBE(kmem_cache_alloc)

#define KMA_PROBE_ROW(tp) { #tp, kma_attach_##tp, kma_detach_##tp }

static const struct kma_probe kma_probes[] = {
	KMA_PROBE_ROW(kfree),
	KMA_PROBE_ROW(kmem_cache_free),
	KMA_PROBE_ROW(kmalloc),
	KMA_PROBE_ROW(kmem_cache_alloc),
};

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
	}
	return 0;
}

void kma_probes_detach(const struct kma_probe *probes, int nr)
{
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

void kma_probes_record(bool on)
{
	WRITE_ONCE(kma_recording, on);
}

int kma_probes_attached(void)
{
	return ARRAY_SIZE(kma_probes);
}
