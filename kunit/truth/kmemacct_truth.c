// SPDX-License-Identifier: GPL-2.0
/*
 * The truth: allocations and frees that are known exactly.
 *
 * Each call site is a function of its own that does nothing else.  What kmemacct
 * has to say of it is counted here, where the allocation is made, from nothing
 * but what the allocator itself tells: the pointer, ksize(), and where we are.
 * tools/test/guest/run compares the two.
 *
 * In /sys/kernel/debug/<module>/:
 *
 *	run	write the name of a scenario; the write returns when it is done
 *	slab	write an address; the write fails unless it lies on a slab page
 *	sites	what is true of each function, one a line
 *	live	the objects that are live, one a line
 *	values	`name value` lines: the clock, and what a scenario found out
 *
 * All of it is single-threaded, except between storm_start and storm_stop:
 * then all CPUs allocate, hand to each other and free, in tasks and in hard
 * interrupts.  Counters are per CPU and exact as soon as the storm has ended.
 *
 * What is handed to RCU counts as freed at once, and in `handed` too: as many of
 * the frees come later, on a CPU that nobody here knows.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "../../module/compat.h"

#ifdef KMA_HAVE_KFENCE
#include <linux/kfence.h>
#else
static bool is_kfence_address(const void *ptr)
{
	return false;
}
#endif

/* Right in every context, and while preemption is off to know the CPU. */
#define TRUTH_GFP	(GFP_ATOMIC | __GFP_NOWARN)
/* On the account of a cgroup, which does not wait for room in it. */
#define TRUTH_CHARGED	(GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN)

/*
 * With PREEMPT_RT nobody may allocate in a hard interrupt or with preemption
 * off.  There a task knows its CPU while it cannot migrate, and the storm's
 * interrupts are soft ones.
 */
#ifdef CONFIG_PREEMPT_RT
#define TRUTH_IRQ_TIMER	HRTIMER_MODE_REL_PINNED_SOFT

static int truth_get_cpu(void)
{
	migrate_disable();
	return smp_processor_id();
}

static void truth_put_cpu(void)
{
	migrate_enable();
}
#else
#define TRUTH_IRQ_TIMER	HRTIMER_MODE_REL_PINNED_HARD
#define truth_get_cpu()	get_cpu()
#define truth_put_cpu()	put_cpu()
#endif

#ifndef KMA_HAVE_HRTIMER_SETUP
static void hrtimer_setup(struct hrtimer *timer,
			  enum hrtimer_restart (*function)(struct hrtimer *timer),
			  clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* ---- the caches ----------------------------------------------------------- */

enum truth_cache_id {
	TRUTH_CACHE_ODD,
	TRUTH_CACHE_CTOR,
	TRUTH_CACHE_ALIGN,
	TRUTH_CACHE_NODE,
	TRUTH_CACHE_KFREE,
	TRUTH_CACHE_RCU,
	TRUTH_CACHE_MERGE_A,
	TRUTH_CACHE_MERGE_B,
	TRUTH_CACHE_TYPESAFE,
	TRUTH_CACHE_STORM,
	/* made and destroyed by a scenario */
	TRUTH_CACHE_CYCLE,
	TRUTH_CACHE_SMALLER,
	TRUTH_CACHE_LARGER,
	TRUTH_CACHE_DOOMED,
	TRUTH_KMALLOC,		/* none */
	TRUTH_CACHES
};

static void truth_ctor(void *object)
{
	*(char *)object = 1;
}

static struct truth_cache {
	const char *name;
	unsigned int size;
	slab_flags_t flags;
	void (*ctor)(void *object);
	bool merge;		/* with any other cache of its kind */
	struct kmem_cache *cache;
} truth_caches[TRUTH_CACHES] = {
	[TRUTH_CACHE_ODD]     = { KBUILD_MODNAME "_odd", 75 },
	[TRUTH_CACHE_CTOR]    = { KBUILD_MODNAME "_ctor", 131, 0, truth_ctor },
	[TRUTH_CACHE_ALIGN]   = { KBUILD_MODNAME "_align", 200, SLAB_HWCACHE_ALIGN },
	[TRUTH_CACHE_NODE]    = { KBUILD_MODNAME "_node", 1234 },
	[TRUTH_CACHE_KFREE]   = { KBUILD_MODNAME "_kfree", 311 },
	[TRUTH_CACHE_RCU]     = { KBUILD_MODNAME "_rcu", 411 },
	[TRUTH_CACHE_MERGE_A] = { KBUILD_MODNAME "_merge_a", 5000, .merge = true },
	[TRUTH_CACHE_MERGE_B] = { KBUILD_MODNAME "_merge_b", 5000, .merge = true },
	[TRUTH_CACHE_TYPESAFE] = { KBUILD_MODNAME "_typesafe", 423, SLAB_TYPESAFE_BY_RCU },
	[TRUTH_CACHE_STORM]   = { KBUILD_MODNAME "_storm", 91 },
};

static struct kmem_cache *truth_cache_create(const char *name, unsigned int size,
					     slab_flags_t flags,
					     void (*ctor)(void *object))
{
	/* A cache that may be copied to user space has its slabs to itself. */
	return kmem_cache_create_usercopy(name, size, 0, flags, 0, size, ctor);
}

/* ---- the call sites ------------------------------------------------------- */

static void *truth_realloc_from;
static const char truth_text[] = "what is said thrice is true";
static const char truth_data[4096];
static const char truth_large_data[20000];

/* What is allocated or freed together. */
#define TRUTH_BATCH_MAX	500

static void *truth_batch[TRUTH_BATCH_MAX];

/* Whether there was memory is all that the pointer tells. */
#define TRUTH_BULK(cache, gfp, nr)					\
	(kmem_cache_alloc_bulk(cache, gfp, nr, truth_batch) ? truth_batch[0] : NULL)

/*
 * One noinline function each.  Neither the call in it nor a call of it may
 * become a jump, or the call site is another one: the barrier after the
 * allocation sees to the first, the table of pointers to the second.
 */
#define TRUTH_SITE(name, _cache, allocation)				\
static noinline void *truth_##name(size_t size, int node)		\
{									\
	struct kmem_cache **cache __maybe_unused =			\
		&truth_caches[TRUTH_##_cache].cache;			\
	void *ptr = allocation;						\
									\
	barrier();							\
	return ptr;							\
}

#include "truth_sites.h"
#undef TRUTH_SITE

/* Gone when the module has been loaded. */
static noinline __init void *truth_init(size_t size, int node)
{
	void *ptr = kmalloc(size, TRUTH_GFP);

	barrier();
	return ptr;
}

/*
 * On most kernels the call site is inside of the allocator, for sizes of more than
 * a page; for others kvmalloc() ends with a jump to kmalloc, and the site is its caller.
 */
static noinline void *truth_kvmalloc_page(size_t size, int node)
{
	void *ptr = kvmalloc(size, TRUTH_GFP);

	barrier();
	return ptr;
}

enum truth_site_id {
#define TRUTH_SITE(name, ...) TRUTH_##name,
#include "truth_sites.h"
#undef TRUTH_SITE
	TRUTH_init,
	TRUTH_kvmalloc_page,
	TRUTH_NR
};

static struct truth_site {
	const char *name;
	enum truth_cache_id cache;
	void *(*alloc)(size_t size, int node);
} truth_sites[TRUTH_NR] = {
#define TRUTH_SITE(_name, _cache, ...) \
	{ "truth_" #_name, TRUTH_##_cache, truth_##_name },
#include "truth_sites.h"
#undef TRUTH_SITE
	[TRUTH_init] = { "truth_init", TRUTH_KMALLOC },
#ifdef KMA_HAVE_KVMALLOC_CALLER
	[TRUTH_kvmalloc_page] = { "truth_kvmalloc_page", TRUTH_KMALLOC,
				  truth_kvmalloc_page },
#else
	[TRUTH_kvmalloc_page] = { "-", TRUTH_KMALLOC, truth_kvmalloc_page },
#endif
};

/* ---- counting ------------------------------------------------------------- */

struct truth_counts {
	u64 hits;
	u64 bytes_req;
	u64 bytes_alloc;
	u64 frees;
	u64 bytes_freed;
	u64 pingpong;
	u64 cross_node;
	u64 bulk_objs;
	u64 bulk_bytes;
	u64 handed;
};

/* Of each site.  A module's own per-CPU data would have to fit into a few KiB. */
static struct truth_counts __percpu *truth_counts;

#define truth_add(id, counter, by) this_cpu_add(truth_counts[id].counter, by)

struct truth_object {
	void *ptr;
	u16 site;
	u16 cpu;
	u32 bytes_req;
	u32 bytes_alloc;
	u32 pid;
	int node;
	unsigned long before;	/* jiffies */
	unsigned long after;
};

#define TRUTH_LIVE_MAX	16384

/* Protects everything below, and lets one scenario run at a time. */
static DEFINE_MUTEX(truth_lock);
static struct truth_object truth_live[TRUTH_LIVE_MAX];
static unsigned int truth_nr_live;

/* What the object takes, of which ksize() is not always all. */
static u32 truth_slot(enum truth_site_id id, const void *ptr, size_t size)
{
	/* Each has a page of its own; a slot is what its cache's others take. */
	if (is_kfence_address(ptr))
		return ALIGN(size, sizeof(void *));
	/* What links free slots comes after the object here. */
	if (truth_sites[id].cache == TRUTH_CACHE_TYPESAFE)
		return ksize(ptr) + sizeof(void *);
	return ksize(ptr);
}

/* Make an object and describe it in @o; false if there was no memory. */
static bool truth_make_at(struct truth_object *o, enum truth_site_id id,
			  size_t size, int node)
{
	int cpu = truth_get_cpu();

	o->before = jiffies;
	o->ptr = truth_sites[id].alloc(size, node);
	o->after = jiffies;
	if (o->ptr) {
		o->site = id;
		o->cpu = cpu;
		o->bytes_req = size;
		o->bytes_alloc = truth_slot(id, o->ptr, size);
		o->pid = in_task() ? current->tgid : 0;
		o->node = page_to_nid(virt_to_page(o->ptr));
		truth_add(id, hits, 1);
		truth_add(id, bytes_req, o->bytes_req);
		truth_add(id, bytes_alloc, o->bytes_alloc);
		if (node != NUMA_NO_NODE && node != cpu_to_node(cpu))
			truth_add(id, cross_node, 1);
	}
	truth_put_cpu();
	return o->ptr;
}

/* Of a bulk allocation, which makes no hits. */
static void truth_count_bulk(enum truth_site_id id, struct truth_object *o,
			     void *ptr, int cpu)
{
	*o = (struct truth_object) {
		.ptr = ptr,
		.site = id,
		.cpu = cpu,
		.bytes_req = truth_caches[truth_sites[id].cache].size,
		.bytes_alloc = ksize(ptr),
		.pid = current->tgid,
		.node = page_to_nid(virt_to_page(ptr)),
	};
	truth_add(id, bulk_objs, 1);
	truth_add(id, bulk_bytes, o->bytes_alloc);
}

static void truth_count_free(const struct truth_object *o, int cpu)
{
	truth_add(o->site, frees, 1);
	truth_add(o->site, bytes_freed, o->bytes_alloc);
	if (o->cpu != cpu)
		truth_add(o->site, pingpong, 1);
}

/* Free the object that @o describes; it may lie in the object. */
static void truth_free(const struct truth_object *o, bool with_kfree)
{
	enum truth_cache_id cache = truth_sites[o->site].cache;
	int cpu = truth_get_cpu();

	truth_count_free(o, cpu);
	if (cache == TRUTH_KMALLOC || with_kfree)
		kfree(o->ptr);
	else
		kmem_cache_free(truth_caches[cache].cache, o->ptr);
	truth_put_cpu();
}

/*
 * Free what the @nr of @o describe, at once; of @cache, or of any if NULL.
 * @with_kfree: by the function that knows of no caches.
 */
static void truth_free_bulk(const struct truth_object *o, int nr,
			    struct kmem_cache *cache, bool with_kfree)
{
	int i, cpu = truth_get_cpu();

	for (i = 0; i < nr; i++) {
		truth_count_free(&o[i], cpu);
		truth_batch[i] = o[i].ptr;
	}
	if (with_kfree)
		kfree_bulk(nr, truth_batch);
	else
		kmem_cache_free_bulk(cache, nr, truth_batch);
	truth_put_cpu();
}

/* Make @nr objects that stay live. */
static int truth_make(enum truth_site_id id, size_t size, int node, int nr)
{
	while (nr--) {
		if (truth_nr_live == TRUTH_LIVE_MAX)
			return -ENOSPC;
		if (!truth_make_at(&truth_live[truth_nr_live], id, size, node))
			return -ENOMEM;
		truth_nr_live++;
	}
	return 0;
}

/* The same by one call. */
static int truth_make_bulk(enum truth_site_id id, int nr)
{
	struct truth_object *o = &truth_live[truth_nr_live];
	unsigned long before, after;
	int i, cpu;
	void *made;

	if (nr > TRUTH_LIVE_MAX - truth_nr_live)
		return -ENOSPC;
	cpu = truth_get_cpu();
	before = jiffies;
	made = truth_sites[id].alloc(nr, NUMA_NO_NODE);
	after = jiffies;
	for (i = 0; made && i < nr; i++) {
		truth_count_bulk(id, &o[i], truth_batch[i], cpu);
		o[i].before = before;
		o[i].after = after;
		truth_nr_live++;
	}
	truth_put_cpu();
	return made ? 0 : -ENOMEM;
}

/* Free the youngest @nr that stayed live. */
static void truth_drop(int nr)
{
	while (nr-- && truth_nr_live)
		truth_free(&truth_live[--truth_nr_live], false);
}

/* Of five objects two stay live. */
static int truth_some(enum truth_site_id id, size_t size, int node)
{
	int ret = truth_make(id, size, node, 5);

	truth_drop(3);
	return ret;
}

/* ---- in another place ----------------------------------------------------- */

enum truth_place {
	TRUTH_IN_SOFTIRQ,
	TRUTH_IN_TIMER,
	TRUTH_IN_HARDIRQ,
	TRUTH_IN_HRTIMER,
	TRUTH_IN_IPI,
	TRUTH_IN_WORKER,
};

/* What to do there, and how it went. */
static struct {
	enum truth_site_id site;
	enum truth_place place;
	int ret;
	struct completion done;
} truth_job;

/* Whether this really is where the job was sent to. */
static bool truth_job_arrived(void)
{
	switch (truth_job.place) {
	case TRUTH_IN_SOFTIRQ:
	case TRUTH_IN_TIMER:
		return in_serving_softirq() && !in_hardirq();
	case TRUTH_IN_HARDIRQ:
	case TRUTH_IN_HRTIMER:
		return in_hardirq();
	case TRUTH_IN_IPI:
		/* In an interrupt, or for an idle CPU in its idle task. */
		return in_hardirq() || !current->tgid;
	default:
		return in_task();
	}
}

/* Four made here, of which one is freed here, and one freed of the caller's. */
static void truth_job_run(void)
{
	truth_job.ret = -EPROTO;
	if (truth_job_arrived()) {
		truth_drop(1);
		truth_job.ret = truth_make(truth_job.site, 200, NUMA_NO_NODE, 4);
		truth_drop(1);
	}
	complete(&truth_job.done);
}

static void truth_in_tasklet(struct tasklet_struct *unused)
{
	truth_job_run();
}

static void truth_in_timer(struct timer_list *unused)
{
	truth_job_run();
}

static void truth_in_irq_work(struct irq_work *unused)
{
	truth_job_run();
}

static enum hrtimer_restart truth_in_hrtimer(struct hrtimer *unused)
{
	truth_job_run();
	return HRTIMER_NORESTART;
}

static void truth_in_ipi(void *unused)
{
	truth_job_run();
}

static long truth_in_worker(void *unused)
{
	truth_job_run();
	return 0;
}

static DECLARE_TASKLET(truth_tasklet, truth_in_tasklet);
static DEFINE_TIMER(truth_timer_list, truth_in_timer);
static DEFINE_IRQ_WORK(truth_irq_work, truth_in_irq_work);
static struct hrtimer truth_hrtimer_job;

static void truth_job_start(enum truth_place place, int cpu)
{
	switch (place) {
	case TRUTH_IN_SOFTIRQ:
		tasklet_schedule(&truth_tasklet);
		break;
	case TRUTH_IN_TIMER:
		mod_timer(&truth_timer_list, jiffies + 1);
		break;
	case TRUTH_IN_HARDIRQ:
		irq_work_queue(&truth_irq_work);
		break;
	case TRUTH_IN_HRTIMER:
		hrtimer_setup(&truth_hrtimer_job, truth_in_hrtimer,
			      CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
		hrtimer_start(&truth_hrtimer_job, ns_to_ktime(100000),
			      HRTIMER_MODE_REL_HARD);
		break;
	case TRUTH_IN_IPI:
		smp_call_function_single(cpu, truth_in_ipi, NULL, 1);
		break;
	case TRUTH_IN_WORKER:
		work_on_cpu(cpu, truth_in_worker, NULL);
		break;
	}
}

static int truth_elsewhere(enum truth_site_id id, enum truth_place place, int cpu)
{
	int ret = truth_make(TRUTH_kmalloc, 150, NUMA_NO_NODE, 1);

	if (ret)
		return ret;
	truth_job.site = id;
	truth_job.place = place;
	init_completion(&truth_job.done);
	truth_job_start(place, cpu);
	wait_for_completion(&truth_job.done);
	/* One of theirs is freed here. */
	truth_drop(1);
	return truth_job.ret;
}

/* ---- scenarios: single-threaded ------------------------------------------- */

static int truth_run_constant(void)
{
	return truth_some(TRUTH_const_8, 8, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_const_33, 33, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_const_96, 96, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_const_1024, 1024, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_const_8192, 8192, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_const_8193, 8193, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_const_20000, 20000, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_const_kzalloc_100, 100, NUMA_NO_NODE);
}

static int truth_run_runtime(void)
{
	static const u16 sizes[] = {
		1, 7, 8, 9, 16, 17, 32, 33, 64, 65, 96, 97, 128, 129, 192, 193,
		256, 257, 512, 513, 1024, 1025, 2048, 2049, 4096, 4097, 8192,
	};
	int i, ret = 0;

	for (i = 0; !ret && i < ARRAY_SIZE(sizes); i++)
		ret = truth_some(TRUTH_kmalloc, sizes[i], NUMA_NO_NODE) ?:
		      truth_some(TRUTH_kzalloc, sizes[i], NUMA_NO_NODE) ?:
		      truth_some(TRUTH_kcalloc, sizes[i], NUMA_NO_NODE);
	return ret;
}

/* Through each entry point that takes a size at run time. */
static int truth_run_large(void)
{
	static const u16 sizes[] = { 8193, 12288, 16384, 16385, 20000 };
	int i, ret = 0;

	truth_realloc_from = NULL;
	for (i = 0; !ret && i < ARRAY_SIZE(sizes); i++)
		ret = truth_some(TRUTH_large, sizes[i], NUMA_NO_NODE) ?:
		      truth_some(TRUTH_large_zeroed, sizes[i], NUMA_NO_NODE) ?:
		      truth_some(TRUTH_large_node, sizes[i], first_online_node) ?:
		      truth_some(TRUTH_large_kmemdup, sizes[i], NUMA_NO_NODE) ?:
		      truth_some(TRUTH_large_krealloc, sizes[i], NUMA_NO_NODE);
	return ret;
}

static int truth_run_nodes(void)
{
	int node, ret;

	ret = truth_some(TRUTH_kmalloc_node, 300, NUMA_NO_NODE) ?:
	      truth_some(TRUTH_cache_node, 1234, NUMA_NO_NODE);
	for_each_online_node(node) {
		ret = ret ?: truth_some(TRUTH_kmalloc_node, 300, node) ?:
		      truth_some(TRUTH_const_node_512, 512, node) ?:
		      truth_some(TRUTH_large_node, 9000, node) ?:
		      truth_some(TRUTH_cache_node, 1234, node);
	}
	return ret;
}

static int truth_run_caches(void)
{
	int i, ret;

	ret = truth_some(TRUTH_cache_odd, 75, NUMA_NO_NODE) ?:
	      truth_some(TRUTH_cache_ctor, 131, NUMA_NO_NODE) ?:
	      truth_some(TRUTH_cache_align, 200, NUMA_NO_NODE) ?:
	      truth_some(TRUTH_merge_a, 5000, NUMA_NO_NODE) ?:
	      truth_some(TRUTH_merge_b, 5000, NUMA_NO_NODE) ?:
	      truth_make(TRUTH_cache_kfree, 311, NUMA_NO_NODE, 7);
	if (ret)
		return ret;
	for (i = 0; i < 4; i++)
		truth_free(&truth_live[--truth_nr_live], true);
	return 0;
}

static int truth_run_copies(void)
{
	return truth_some(TRUTH_kmemdup, 1, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_kmemdup, 777, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_kmemdup, 4096, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_kstrdup, sizeof(truth_text), NUMA_NO_NODE);
}

/* The youngest object grows: a new one, and a free of the old. */
static int truth_realloc_moving(size_t size)
{
	struct truth_object old = truth_live[--truth_nr_live];
	int ret;

	truth_realloc_from = old.ptr;
	truth_get_cpu();
	ret = truth_make(size > KMALLOC_MAX_CACHE_SIZE ? TRUTH_large_krealloc :
							 TRUTH_krealloc,
			 size, NUMA_NO_NODE, 1);
	if (!ret)
		truth_count_free(&old, smp_processor_id());
	truth_put_cpu();
	truth_realloc_from = NULL;
	if (ret)
		truth_live[truth_nr_live++] = old;
	return ret;
}

/* It stays where it is: nothing happened, as far as anybody can tell. */
static int truth_realloc_in_place(size_t size)
{
	struct truth_object *o = &truth_live[truth_nr_live - 1];

	return krealloc(o->ptr, size, TRUTH_GFP) == o->ptr ? 0 : -EPROTO;
}

/* To nothing: a free. */
static int truth_realloc_to_zero(void)
{
	struct truth_object *o = &truth_live[--truth_nr_live];
	void *ptr;

	truth_count_free(o, truth_get_cpu());
	ptr = krealloc(o->ptr, 0, TRUTH_GFP);
	truth_put_cpu();
	return ptr == ZERO_SIZE_PTR ? 0 : -EPROTO;
}

static int truth_run_krealloc(void)
{
	int ret = truth_some(TRUTH_krealloc, 60, NUMA_NO_NODE);

	return ret ?: truth_realloc_in_place(64) ?:
	       truth_realloc_in_place(20) ?:
	       truth_realloc_moving(65) ?:
	       truth_realloc_in_place(96) ?:
	       truth_realloc_moving(3000) ?:
	       truth_realloc_moving(30000) ?:
	       truth_make(TRUTH_kmalloc, 50, NUMA_NO_NODE, 2) ?:
	       truth_realloc_moving(500) ?:
	       truth_realloc_to_zero();
}

#define TRUTH_NOTHINGS	500

/* Pointers to nothing: what each of them is, `summary` counts. */
static int truth_run_nothing(void)
{
	size_t size = 0;
	void *ptr = NULL;
	int i;

	for (i = 0; i < TRUTH_NOTHINGS; i++) {
		OPTIMIZER_HIDE_VAR(size);
		OPTIMIZER_HIDE_VAR(ptr);
		kfree(ptr);
		kfree(kmalloc(size, TRUTH_GFP));
	}
	return 0;
}

/* No kernel gives that much. */
static int truth_run_failed(void)
{
	struct truth_object o;
	int i;

	for (i = 0; i < TRUTH_NOTHINGS; i++)
		if (truth_make_at(&o, TRUTH_failed, 2 * KMALLOC_MAX_SIZE,
				  NUMA_NO_NODE))
			return -EPROTO;
	return 0;
}

/* Made on one CPU and freed on each other, by tasks and by interrupts. */
static int truth_run_cpus(void)
{
	int cpu, ret = 0;

	for_each_online_cpu(cpu) {
		ret = ret ?: truth_elsewhere(TRUTH_worker, TRUTH_IN_WORKER, cpu);
		migrate_disable();
		if (!IS_ENABLED(CONFIG_PREEMPT_RT) && cpu != smp_processor_id())
			ret = ret ?: truth_elsewhere(TRUTH_ipi, TRUTH_IN_IPI, cpu);
		migrate_enable();
	}
	return ret;
}

static int truth_run_contexts(void)
{
	int ret = truth_elsewhere(TRUTH_softirq, TRUTH_IN_SOFTIRQ, 0) ?:
		  truth_elsewhere(TRUTH_timer, TRUTH_IN_TIMER, 0);

	if (ret || IS_ENABLED(CONFIG_PREEMPT_RT))
		return ret;
	return truth_elsewhere(TRUTH_hardirq, TRUTH_IN_HARDIRQ, 0) ?:
	       truth_elsewhere(TRUTH_hrtimer, TRUTH_IN_HRTIMER, 0);
}

static int truth_run_kvmalloc(void)
{
	return truth_some(TRUTH_kvmalloc, 40, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_kvmalloc, 4096, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_kvmalloc_page, 5000, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_kvmalloc_page, 20000, NUMA_NO_NODE);
}

/* More than a small live table holds; some are the smallest there are. */
static int truth_run_many(void)
{
	return truth_make(TRUTH_many, 8, NUMA_NO_NODE, 4000) ?:
	       truth_make(TRUTH_many, 700, NUMA_NO_NODE, 1000);
}

/* So large that each is a sample, if one in 4 KiB is. */
#define TRUTH_WAY_BYTES	300000
/* How often to each depth, by either way half of them. */
#define TRUTH_WAYS	20
#define TRUTH_DEPTHS	3

static noinline __noclone int truth_way_on(int depth)
{
	int ret = depth ? truth_way_on(depth - 1) :
			  truth_make(TRUTH_way, TRUTH_WAY_BYTES, NUMA_NO_NODE, 1);

	/* Or it would be the last act. */
	OPTIMIZER_HIDE_VAR(ret);
	return ret;
}

static noinline __noclone int truth_one_way(int depth)
{
	int ret = truth_way_on(depth);

	asm volatile("# one" : "+r" (ret));
	return ret;
}

static noinline __noclone int truth_other_way(int depth)
{
	int ret = truth_way_on(depth);

	asm volatile("# other" : "+r" (ret));
	return ret;
}

/* By turns, each twice, and each is in the same place on the stack as the other. */
static int truth_run_ways(void)
{
	int i, depth, ret = 0;

	for (i = 0; !ret && i < TRUTH_WAYS * TRUTH_DEPTHS; i++) {
		depth = i % TRUTH_DEPTHS;
		ret = i / TRUTH_DEPTHS % 4 < 2 ? truth_one_way(depth) :
						 truth_other_way(depth);
		truth_drop(1);
	}
	return ret;
}

/* Enough for hundreds of samples of each size, if one in 4 KiB is sampled. */
static int truth_run_sampled(void)
{
	return truth_make(TRUTH_many, 128, NUMA_NO_NODE, 9000) ?:
	       truth_make(TRUTH_many, 700, NUMA_NO_NODE, 1000);
}

/*
 * One object that is still there, and to which nothing leads: not its page's
 * address, which is found in many places, and not the object before it, which
 * has had its address since both were free.
 */
static int truth_run_leak(void)
{
	struct truth_object *o = &truth_live[truth_nr_live];
	int ret = truth_make(TRUTH_leak, 64, NUMA_NO_NODE, 2);

	if (ret)
		return ret;
	if (offset_in_page(o[0].ptr))
		swap(o[0], o[1]);
	memset(o[1].ptr, 0, 64);
	truth_nr_live--;
	truth_drop(1);
	memset(o, 0, 2 * sizeof(*o));
	return 0;
}

/* Something to find in another record of the same events. */
static int truth_run_mark(void)
{
	return truth_make(TRUTH_mark, 40, NUMA_NO_NODE, 1);
}

static unsigned long truth_cycle_reused;

static int truth_cycle_once(const char *name, unsigned int size)
{
	static struct kmem_cache *last;
	struct kmem_cache **cache = &truth_caches[TRUTH_CACHE_CYCLE].cache;
	int ret;

	*cache = truth_cache_create(name, size, 0, NULL);
	if (!*cache)
		return -ENOMEM;
	truth_cycle_reused += *cache == last;
	last = *cache;
	ret = truth_make(TRUTH_cycle, size, NUMA_NO_NODE, 3);
	truth_drop(3);
	kmem_cache_destroy(*cache);
	*cache = NULL;
	return ret;
}

/* Caches that come and go, many at the address of the one before. */
static int truth_run_cycle(void)
{
	int i, ret = 0;

	for (i = 0; !ret && i < 40; i++)
		ret = truth_cycle_once(KBUILD_MODNAME "_cycle_a", 120) ?:
		      truth_cycle_once(KBUILD_MODNAME "_cycle_b", 250) ?:
		      truth_cycle_once(KBUILD_MODNAME "_cycle_b", 1250);
	return ret;
}

/* ---- scenarios: many at once ---------------------------------------------- */

/* Objects that each of these makes */
#define TRUTH_BULK_OBJS	10000

static u32 truth_random(u32 *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static u32 truth_bulk_seed = 1;

/* From 1 to @max. */
static int truth_random_nr(int max)
{
	return 1 + truth_random(&truth_bulk_seed) % max;
}

/* Free the youngest @nr, in batches of varied length. */
static void truth_drop_bulk(int nr, struct kmem_cache *cache, bool with_kfree)
{
	int some;

	for (; nr > 0; nr -= some) {
		some = truth_random_nr(min(nr, TRUTH_BATCH_MAX));
		truth_nr_live -= some;
		truth_free_bulk(&truth_live[truth_nr_live], some, cache,
				with_kfree);
	}
}

/* Of each batch a third is freed as one, a third one by one, and a third stays. */
static int truth_bulk_batch(enum truth_site_id id, int nr)
{
	int ret = truth_make_bulk(id, nr);

	if (ret)
		return ret;
	truth_drop_bulk(nr / 3, truth_caches[truth_sites[id].cache].cache, false);
	truth_drop(nr / 3);
	return 0;
}

static int truth_run_bulk_alloc(void)
{
	static const u16 lengths[] = { 1, 2, 3, 15, 16, 17, 32, 64, 100, 499, 500 };
	int made = 0, i, nr, ret = 0;

	for (i = 0; !ret && made < TRUTH_BULK_OBJS; i++, made += nr) {
		nr = i / 2 < ARRAY_SIZE(lengths) ? lengths[i / 2] :
						   truth_random_nr(TRUTH_BATCH_MAX);
		ret = truth_bulk_batch(i & 1 ? TRUTH_bulk_odd : TRUTH_bulk_ctor, nr);
	}
	return ret;
}

/* One object of any size. */
static int truth_make_mixed(void)
{
	u32 random = truth_random(&truth_bulk_seed);

	switch (random % 64) {
	case 0:
		return truth_make(TRUTH_mixed_large, 8193 + random % 20000,
				  NUMA_NO_NODE, 1);
	case 1 ... 15:
		return truth_make(TRUTH_mixed_align, 200, NUMA_NO_NODE, 1);
	case 16 ... 20:
		return truth_make(TRUTH_mixed_node, 1234, NUMA_NO_NODE, 1);
	case 21:
		return truth_make(TRUTH_mixed_kmalloc, 1 + random % 8192,
				  NUMA_NO_NODE, 1);
	default:
		return truth_make(TRUTH_mixed_kmalloc, 1 + random % 500,
				  NUMA_NO_NODE, 1);
	}
}

static long truth_make_many_mixed(void *nr)
{
	int ret = 0, left = *(int *)nr;

	while (!ret && left--)
		ret = truth_make_mixed();
	return ret;
}

/* From ordinary sites on each CPU, and freed together. */
static int truth_run_bulk_free(void)
{
	int nr = TRUTH_BULK_OBJS / 5 * 2 / num_online_cpus();
	struct kmem_cache *align = truth_caches[TRUTH_CACHE_ALIGN].cache;
	int cpu, way, had = truth_nr_live, ret = 0;

	/* Of any cache, which can be said in two ways */
	for (way = 0; way < 2; way++) {
		for_each_online_cpu(cpu)
			ret = ret ?: work_on_cpu(cpu, truth_make_many_mixed, &nr);
		if (ret)
			return ret;
		truth_drop_bulk(truth_nr_live - had, NULL, way);
	}
	/* Of one */
	ret = truth_make(TRUTH_mixed_align, 200, NUMA_NO_NODE,
			 TRUTH_BULK_OBJS / 5);
	if (ret)
		return ret;
	truth_drop_bulk(truth_nr_live - had, align, false);
	return 0;
}

/* Frees that come after a grace period. */
struct truth_rcu {
	u64 other;
	struct rcu_head rcu;
};

/* Handed over means that anybody may free it from now on. */
static void *truth_hand_over(void)
{
	const struct truth_object *o = &truth_live[--truth_nr_live];

	preempt_disable();
	truth_count_free(o, o->cpu);
	truth_add(o->site, handed, 1);
	preempt_enable();
	return o->ptr;
}

static size_t truth_rcu_size(void)
{
	u32 random = truth_random(&truth_bulk_seed);

	return sizeof(struct truth_rcu) + random % (random % 32 ? 500 : 4000);
}

static int truth_run_kfree_rcu(void)
{
	int i, ret = 0, had = truth_nr_live;
	struct truth_rcu *object;
	size_t size;

	for (i = 0; !ret && i < TRUTH_BULK_OBJS; i++) {
		size = truth_rcu_size();
		if (i % 100 == 0)
			ret = truth_make(TRUTH_rcu_large, 8193 + size,
					 NUMA_NO_NODE, 1);
		else if (i % 3 == 0)
			ret = truth_make(TRUTH_rcu_cache, 411, NUMA_NO_NODE, 1);
		else
			ret = truth_make(TRUTH_rcu_kmalloc, size, NUMA_NO_NODE, 1);
	}
	while (truth_nr_live > had) {
		object = truth_hand_over();
		kfree_rcu(object, rcu);
	}
	return ret;
}

/* With a head in the object and without one. */
static int truth_run_kvfree_rcu(void)
{
	int i, ret = 0, had = truth_nr_live;
	struct truth_rcu *object;
	bool headless;
	size_t size;

	for (i = 0; !ret && i < TRUTH_BULK_OBJS; i++) {
		size = truth_rcu_size();
		if (i & 1)
			ret = truth_make(TRUTH_rcu_headless, size, NUMA_NO_NODE, 1);
		else if (i & 2)
			ret = truth_make(TRUTH_rcu_kvmalloc, min(size, PAGE_SIZE),
					 NUMA_NO_NODE, 1);
		else
			ret = truth_make(TRUTH_rcu_zeroed, size, NUMA_NO_NODE, 1);
	}
	while (truth_nr_live > had) {
		headless = truth_live[truth_nr_live - 1].site == TRUTH_rcu_headless;
		object = truth_hand_over();
		if (headless)
			kvfree_rcu_mightsleep(object);
		else
			kvfree_rcu(object, rcu);
	}
	return ret;
}

/* All of it is freed where the kernel can wait for that, or else soon will be. */
static int truth_run_settle(void)
{
	static const char name[] = "kvfree_rcu_barrier";
	typeof(rcu_barrier) *wait = __symbol_get(name);

	rcu_barrier();
	if (wait) {
		wait();
		__symbol_put(name);
	}
	return 0;
}

/* ---- scenarios: what is seen only in part --------------------------------- */

/* It grows and shrinks, and stays where it is: there is no event. */
static int truth_run_resize(void)
{
	int ret = truth_make(TRUTH_resized, 60, NUMA_NO_NODE, 3);

	return ret ?: truth_realloc_in_place(64) ?: truth_realloc_in_place(20);
}

/* By the function for the other kind of memory, which is legal. */
static int truth_run_crossed(void)
{
	struct kmem_cache *cache =
		kmalloc_caches[KMALLOC_NORMAL][kmalloc_index(64)];
	struct truth_object *o;
	int ret;

	ret = truth_make(TRUTH_cache_kfree, 311, NUMA_NO_NODE, 5) ?:
	      truth_make(TRUTH_crossed, 64, NUMA_NO_NODE, 5);
	if (ret)
		return ret;
	while (truth_live[truth_nr_live - 1].site == TRUTH_crossed) {
		o = &truth_live[--truth_nr_live];
		truth_count_free(o, truth_get_cpu());
		kmem_cache_free(cache, o->ptr);
		truth_put_cpu();
	}
	for (ret = 0; ret < 5; ret++)
		truth_free(&truth_live[--truth_nr_live], true);
	return 0;
}

#define TRUTH_TYPESAFE_OBJS	1000

static unsigned long truth_typesafe_kept;

/* Whoever still looks at them under RCU finds them, free or not. */
static int truth_run_typesafe(void)
{
	int i, had = truth_nr_live;
	int ret = truth_make(TRUTH_typesafe, 423, NUMA_NO_NODE,
			     TRUTH_TYPESAFE_OBJS);

	truth_typesafe_kept = 0;
	rcu_read_lock();
	truth_drop(truth_nr_live - had);
	/* Descriptions stay until something else is made */
	for (i = had; !ret && i < had + TRUTH_TYPESAFE_OBJS; i++)
		truth_typesafe_kept +=
			PageSlab(virt_to_head_page(truth_live[i].ptr));
	rcu_read_unlock();
	return ret ?: truth_some(TRUTH_typesafe, 423, NUMA_NO_NODE);
}

#define TRUTH_KFENCE_OBJS	20
#define TRUTH_KFENCE_S		60

/* Make objects until some are of the pool that looks for overruns. */
static int truth_make_guarded(enum truth_site_id id, size_t size)
{
	unsigned long end = jiffies + TRUTH_KFENCE_S * HZ;
	int ret, nr = 0;

	while (nr < TRUTH_KFENCE_OBJS) {
		if (!IS_ENABLED(CONFIG_KFENCE) || time_after(jiffies, end))
			return -ETIME;
		ret = truth_make(id, size, NUMA_NO_NODE, 1);
		if (ret)
			return ret;
		if (is_kfence_address(truth_live[truth_nr_live - 1].ptr))
			nr++;
		else
			truth_drop(1);
		cond_resched();
	}
	/* They are given back to the pool in two ways */
	truth_drop(TRUTH_KFENCE_OBJS / 4);
	truth_free_bulk(&truth_live[truth_nr_live -= 3], 3, NULL, false);
	return 0;
}

/* Their sizes are those of slots. */
static int truth_run_kfence(void)
{
	return truth_make_guarded(TRUTH_guarded, 64) ?:
	       truth_make_guarded(TRUTH_guarded_cache, 1234);
}

static int truth_count_guarded(void)
{
	int i, nr = 0;

	for (i = 0; i < truth_nr_live; i++)
		nr += is_kfence_address(truth_live[i].ptr);
	return nr;
}

/* Two sizes whose objects take the same. */
#define TRUTH_SMALLER	6001
#define TRUTH_LARGER	6008

static int truth_merge_create(enum truth_cache_id id, const char *name,
			      unsigned int size)
{
	truth_caches[id].cache = kmem_cache_create(name, size, 0, 0, NULL);
	return truth_caches[id].cache ? 0 : -ENOMEM;
}

static void truth_cache_destroy(enum truth_cache_id id)
{
	kmem_cache_destroy(truth_caches[id].cache);
	truth_caches[id].cache = NULL;
}

static int truth_run_merge_one(void)
{
	return truth_merge_create(TRUTH_CACHE_SMALLER, KBUILD_MODNAME "_smaller",
				  TRUTH_SMALLER) ?:
	       truth_some(TRUTH_smaller, TRUTH_SMALLER, NUMA_NO_NODE);
}

static int truth_run_merge_two(void)
{
	return truth_merge_create(TRUTH_CACHE_LARGER, KBUILD_MODNAME "_larger",
				  TRUTH_LARGER) ?:
	       truth_some(TRUTH_smaller, TRUTH_SMALLER, NUMA_NO_NODE) ?:
	       truth_some(TRUTH_larger, TRUTH_LARGER, NUMA_NO_NODE);
}

/* One of two names goes, and if they are one cache, that stays. */
static int truth_run_unmerge(void)
{
	truth_drop(truth_nr_live);
	truth_cache_destroy(TRUTH_CACHE_SMALLER);
	return truth_some(TRUTH_larger, TRUTH_LARGER, NUMA_NO_NODE);
}

static int truth_run_merge_end(void)
{
	truth_drop(truth_nr_live);
	truth_cache_destroy(TRUTH_CACHE_LARGER);
	return 0;
}

#define TRUTH_CHARGE_FAILURES	100

static struct {
	unsigned long failed;
	unsigned long failed_large;
	unsigned long failed_bulk;	/* objects */
	unsigned long made_large;
} truth_charge;

static int truth_charge_one(enum truth_site_id id, size_t size,
			    unsigned long *failed)
{
	int ret = truth_make(id, size, NUMA_NO_NODE, 1);

	*failed += ret == -ENOMEM;
	return ret == -ENOMEM ? 0 : ret;
}

/* Ask until there is no room in our cgroup, and a hundred times more. */
static int truth_run_charge(void)
{
	static const int bulk = 16;
	int i, left = TRUTH_CHARGE_FAILURES, ret = 0, had = truth_nr_live;
	unsigned long failed;

	for (i = 0; !ret && left > 0; i++) {
		failed = truth_charge.failed;
		truth_charge.made_large++;
		ret = truth_charge_one(TRUTH_charged_large, 8193 + i % 8000,
				       &truth_charge.failed_large) ?:
		      truth_charge_one(TRUTH_charged_const, 20000,
				       &truth_charge.failed) ?:
		      truth_charge_one(TRUTH_charged_kmalloc, 1 + i % 8192,
				       &truth_charge.failed) ?:
		      truth_charge_one(TRUTH_charged_cache, 75,
				       &truth_charge.failed);
		if (!ret && truth_make_bulk(TRUTH_charged_bulk, bulk))
			truth_charge.failed_bulk += bulk;
		/* All but one are of the second kind when there is no room */
		left -= truth_charge.failed - failed == 3;
	}
	/* Room for whoever is in it; some stay. */
	while (truth_nr_live > had + 2 * bulk)
		truth_drop(1);
	return ret;
}

#define TRUTH_DOOMED_OBJS	10000

/* A cache whose objects are all freed together, and then the cache. */
static int truth_run_doom(void)
{
	struct kmem_cache **cache = &truth_caches[TRUTH_CACHE_DOOMED].cache;
	int ret, had = truth_nr_live;

	*cache = truth_cache_create(KBUILD_MODNAME "_doomed", 296, 0, NULL);
	if (!*cache)
		return -ENOMEM;
	ret = truth_make(TRUTH_doomed, 296, NUMA_NO_NODE, TRUTH_DOOMED_OBJS);
	truth_drop_bulk(truth_nr_live - had, *cache, false);
	truth_cache_destroy(TRUTH_CACHE_DOOMED);
	return ret;
}

/* ---- the storm ------------------------------------------------------------ */

/*
 * Objects wait in boxes.  Each step takes a box anywhere, puts a new object or
 * nothing into it, and frees what was in it, whoever had made that.  What is
 * to be known of an object is written into the object.
 */
#define TRUTH_BOXES		1024
#define TRUTH_STORM_STEPS	64
#define TRUTH_STORM_JIFFIES	2
#define TRUTH_STORM_IRQ_NS	500000
#define TRUTH_STORM_BATCH	32

static struct truth_object *truth_box[TRUTH_BOXES];

struct truth_stormer {
	struct task_struct *task;
	struct hrtimer timer;
	struct hrtimer soft_timer;
	u32 task_seed;
	u32 irq_seed;
	u64 irqs;
};

static DEFINE_PER_CPU(struct truth_stormer, truth_stormers);
static bool truth_storming;
static u64 truth_storm_irqs;

static struct truth_object *truth_storm_make(u32 random)
{
	struct truth_object o;
	bool made;

	BUILD_BUG_ON(sizeof(o) > 64);
	switch (random % 16) {
	case 0:
		made = truth_make_at(&o, TRUTH_storm_large, 8193 + random % 8000,
				     NUMA_NO_NODE);
		break;
	case 1 ... 6:
		made = truth_make_at(&o, TRUTH_storm_kmalloc, 64 + random % 2000,
				     NUMA_NO_NODE);
		break;
	case 7 ... 11:
		made = truth_make_at(&o, TRUTH_storm_const, 96, NUMA_NO_NODE);
		break;
	default:
		made = truth_make_at(&o, TRUTH_storm_cache,
				     truth_caches[TRUTH_CACHE_STORM].size,
				     NUMA_NO_NODE);
	}
	return made ? memcpy(o.ptr, &o, sizeof(o)) : NULL;
}

static void truth_storm_step(u32 *seed)
{
	u32 random = truth_random(seed);
	struct truth_object *o = NULL;

	if (random & (1 << 20))
		o = truth_storm_make(truth_random(seed));
	o = xchg(&truth_box[random % TRUTH_BOXES], o);
	if (o)
		truth_free(o, random & (1 << 21));
}

/* Freed in bulk, by tasks and by softirqs over them; neither migrates. */
static void truth_storm_bulk(void)
{
	void *ptr[TRUTH_STORM_BATCH];
	struct truth_object o;
	int nr;

	for (nr = 0; nr < TRUTH_STORM_BATCH; nr++) {
		if (!truth_make_at(&o, TRUTH_storm_batch, 100, NUMA_NO_NODE))
			break;
		truth_count_free(&o, o.cpu);
		ptr[nr] = o.ptr;
	}
	kfree_bulk(nr, ptr);
}

/* With checkers it takes longer than that: tasks have half of the time at least. */
static enum hrtimer_restart truth_storm_again(struct hrtimer *timer, ktime_t start)
{
	ktime_t now = ktime_get();
	u64 took = ktime_to_ns(ktime_sub(now, start));

	hrtimer_set_expires(timer, ktime_add_ns(now, max_t(u64, TRUTH_STORM_IRQ_NS,
							   4 * took)));
	return HRTIMER_RESTART;
}

static enum hrtimer_restart truth_storm_softirq(struct hrtimer *timer)
{
	ktime_t start = ktime_get();

	truth_storm_bulk();
	return truth_storm_again(timer, start);
}

static enum hrtimer_restart truth_storm_irq(struct hrtimer *timer)
{
	struct truth_stormer *s = container_of(timer, struct truth_stormer, timer);
	ktime_t start = ktime_get();

	truth_storm_step(&s->irq_seed);
	s->irqs++;
	return truth_storm_again(timer, start);
}

/* Emulated CPUs that are never idle make RCU, and insmod, crawl. */
static void truth_storm_while(u32 *seed, unsigned long end)
{
	int i;

	do {
		for (i = 0; i < TRUTH_STORM_STEPS; i++)
			truth_storm_step(seed);
		truth_storm_bulk();
	} while (time_before(jiffies, end));
	usleep_range(50, 100);
}

static int truth_storm_task(void *arg)
{
	struct truth_stormer *s = arg;

	hrtimer_setup(&s->timer, truth_storm_irq, CLOCK_MONOTONIC,
		      TRUTH_IRQ_TIMER);
	hrtimer_start(&s->timer, ns_to_ktime(TRUTH_STORM_IRQ_NS),
		      TRUTH_IRQ_TIMER);
	hrtimer_setup(&s->soft_timer, truth_storm_softirq, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_SOFT);
	hrtimer_start(&s->soft_timer, ns_to_ktime(TRUTH_STORM_IRQ_NS),
		      HRTIMER_MODE_REL_PINNED_SOFT);
	/* All the time that is left, and not that of those who look on. */
	set_user_nice(current, 10);
	while (!kthread_should_stop())
		truth_storm_while(&s->task_seed, jiffies + TRUTH_STORM_JIFFIES);
	hrtimer_cancel(&s->soft_timer);
	hrtimer_cancel(&s->timer);
	return 0;
}

static int truth_run_storm_stop(void)
{
	struct truth_stormer *s;
	int cpu;

	for_each_possible_cpu(cpu) {
		s = &per_cpu(truth_stormers, cpu);
		if (!s->task)
			continue;
		kthread_stop(s->task);
		put_task_struct(s->task);
		s->task = NULL;
		truth_storm_irqs += s->irqs;
		s->irqs = 0;
	}
	truth_storming = false;
	return 0;
}

static int truth_run_storm_start(void)
{
	struct task_struct *task;
	struct truth_stormer *s;
	int cpu;

	if (truth_storming)
		return -EBUSY;
	truth_storming = true;
	for_each_online_cpu(cpu) {
		s = &per_cpu(truth_stormers, cpu);
		s->task_seed = 3 * cpu + 1;
		s->irq_seed = 7 * cpu + 2;
		task = kthread_create_on_node(truth_storm_task, s, cpu_to_node(cpu),
					      "truth_storm/%d", cpu);
		if (IS_ERR(task)) {
			truth_run_storm_stop();
			return PTR_ERR(task);
		}
		s->task = get_task_struct(task);
		kthread_bind(task, cpu);
		wake_up_process(task);
	}
	return 0;
}

static int truth_run_drop(void)
{
	struct truth_object *o;
	int i;

	truth_drop(truth_nr_live);
	for (i = 0; i < TRUTH_BOXES; i++) {
		o = xchg(&truth_box[i], NULL);
		if (o)
			truth_free(o, false);
	}
	return 0;
}

/* ---- the files ------------------------------------------------------------ */

static const struct {
	const char *name;
	int (*run)(void);
} truth_scenarios[] = {
	{ "constant", truth_run_constant },
	{ "runtime", truth_run_runtime },
	{ "large", truth_run_large },
	{ "nodes", truth_run_nodes },
	{ "caches", truth_run_caches },
	{ "copies", truth_run_copies },
	{ "krealloc", truth_run_krealloc },
	{ "nothing", truth_run_nothing },
	{ "failed", truth_run_failed },
	{ "cpus", truth_run_cpus },
	{ "contexts", truth_run_contexts },
	{ "kvmalloc", truth_run_kvmalloc },
	{ "many", truth_run_many },
	{ "sampled", truth_run_sampled },
	{ "ways", truth_run_ways },
	{ "leak", truth_run_leak },
	{ "mark", truth_run_mark },
	{ "cycle", truth_run_cycle },
	{ "resize", truth_run_resize },
	{ "crossed", truth_run_crossed },
	{ "typesafe", truth_run_typesafe },
	{ "kfence", truth_run_kfence },
	{ "merge_one", truth_run_merge_one },
	{ "merge_two", truth_run_merge_two },
	{ "unmerge", truth_run_unmerge },
	{ "merge_end", truth_run_merge_end },
	{ "charge", truth_run_charge },
	{ "doom", truth_run_doom },
	{ "bulk_alloc", truth_run_bulk_alloc },
	{ "bulk_free", truth_run_bulk_free },
	{ "kfree_rcu", truth_run_kfree_rcu },
	{ "kvfree_rcu", truth_run_kvfree_rcu },
	{ "settle", truth_run_settle },
	{ "storm_start", truth_run_storm_start },
	{ "storm_stop", truth_run_storm_stop },
	{ "drop", truth_run_drop },
};

static ssize_t truth_run_write(struct file *file, const char __user *user,
			       size_t len, loff_t *pos)
{
	int i, ret = -EINVAL;
	char name[16] = "";

	if (len >= sizeof(name) || copy_from_user(name, user, len))
		return -EINVAL;
	mutex_lock(&truth_lock);
	for (i = 0; i < ARRAY_SIZE(truth_scenarios); i++)
		if (!strcmp(strim(name), truth_scenarios[i].name))
			ret = truth_scenarios[i].run();
	mutex_unlock(&truth_lock);
	return ret ?: len;
}

static const struct file_operations truth_run_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = truth_run_write,
};

/* Whether an object at this address would be on a slab page. */
static ssize_t truth_slab_write(struct file *file, const char __user *user,
				size_t len, loff_t *pos)
{
	unsigned long long address;
	int ret = kstrtoull_from_user(user, len, 16, &address);
	void *ptr = (void *)(unsigned long)address;

	if (ret)
		return ret;
	if (!virt_addr_valid(ptr))
		return -EFAULT;
	return PageSlab(virt_to_head_page(ptr)) ? len : -ENOENT;
}

static const struct file_operations truth_slab_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = truth_slab_write,
};

static const char *truth_cache_name(enum truth_cache_id cache)
{
	/* The scenarios' caches have several names and none that stays. */
	return truth_caches[cache].name ?: "-";
}

static int truth_sites_show(struct seq_file *seq, void *unused)
{
	struct truth_counts *c, sum;
	int cpu, id;

	seq_puts(seq, "live_bytes live_objs hits bytes_req bytes_alloc frees bytes_freed pingpong cross_node bulk_objs bulk_bytes handed cache site\n");
	for (id = 0; id < TRUTH_NR; id++) {
		memset(&sum, 0, sizeof(sum));
		for_each_possible_cpu(cpu) {
			c = per_cpu_ptr(&truth_counts[id], cpu);
			sum.hits += READ_ONCE(c->hits);
			sum.bytes_req += READ_ONCE(c->bytes_req);
			sum.bytes_alloc += READ_ONCE(c->bytes_alloc);
			sum.frees += READ_ONCE(c->frees);
			sum.bytes_freed += READ_ONCE(c->bytes_freed);
			sum.pingpong += READ_ONCE(c->pingpong);
			sum.cross_node += READ_ONCE(c->cross_node);
			sum.bulk_objs += READ_ONCE(c->bulk_objs);
			sum.bulk_bytes += READ_ONCE(c->bulk_bytes);
			sum.handed += READ_ONCE(c->handed);
		}
		seq_printf(seq, "%llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %s %s\n",
			   sum.bytes_alloc + sum.bulk_bytes - sum.bytes_freed,
			   sum.hits + sum.bulk_objs - sum.frees,
			   sum.hits, sum.bytes_req, sum.bytes_alloc, sum.frees,
			   sum.bytes_freed, sum.pingpong, sum.cross_node,
			   sum.bulk_objs, sum.bulk_bytes, sum.handed,
			   truth_cache_name(truth_sites[id].cache),
			   truth_sites[id].name);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth_sites);

static void truth_live_line(struct seq_file *seq, const struct truth_object *o)
{
	seq_printf(seq, "%pK %u %u %u %d %u %lu %lu %s\n", o->ptr, o->bytes_req,
		   o->bytes_alloc, o->cpu, o->node, o->pid, o->before, o->after,
		   truth_sites[o->site].name);
}

static int truth_live_show(struct seq_file *seq, void *unused)
{
	int i;

	mutex_lock(&truth_lock);
	seq_puts(seq, "ptr bytes_req bytes_alloc cpu node pid before after site\n");
	for (i = 0; i < truth_nr_live; i++)
		truth_live_line(seq, &truth_live[i]);
	for (i = 0; !truth_storming && i < TRUTH_BOXES; i++)
		if (truth_box[i])
			truth_live_line(seq, truth_box[i]);
	mutex_unlock(&truth_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth_live);

static int truth_values_show(struct seq_file *seq, void *unused)
{
	seq_printf(seq, "jiffies %lu\n", jiffies);
	seq_printf(seq, "hz %u\n", HZ);
	seq_printf(seq, "nothings %u\n", TRUTH_NOTHINGS);
	seq_printf(seq, "cycle_reused %lu\n", truth_cycle_reused);
	seq_printf(seq, "storm_irqs %llu\n", truth_storm_irqs);
	seq_printf(seq, "typesafe_kept %lu\n", truth_typesafe_kept);
	seq_printf(seq, "guarded %d\n", truth_count_guarded());
	seq_printf(seq, "charge_failed %lu\n", truth_charge.failed);
	seq_printf(seq, "charge_failed_large %lu\n", truth_charge.failed_large);
	seq_printf(seq, "charge_failed_bulk %lu\n", truth_charge.failed_bulk);
	seq_printf(seq, "charge_large %lu\n", truth_charge.made_large);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth_values);

static struct dentry *truth_dir;

/* ---- coming and going ----------------------------------------------------- */

static void truth_caches_destroy(void)
{
	int i;

	for (i = 0; i < TRUTH_CACHES; i++)
		kmem_cache_destroy(truth_caches[i].cache);
}

static int __init truth_caches_create(void)
{
	struct truth_cache *c;

	for (c = truth_caches; c < truth_caches + TRUTH_CACHES; c++) {
		if (!c->name)
			continue;
		c->cache = c->merge ?
			kmem_cache_create(c->name, c->size, 0, c->flags, c->ctor) :
			truth_cache_create(c->name, c->size, c->flags, c->ctor);
		if (!c->cache)
			return -ENOMEM;
	}
	return 0;
}

static int __init truth_module_init(void)
{
	int ret;

	truth_counts = __alloc_percpu(TRUTH_NR * sizeof(*truth_counts),
				      __alignof__(*truth_counts));
	if (!truth_counts)
		return -ENOMEM;
	ret = truth_caches_create();
	if (ret) {
		truth_caches_destroy();
		free_percpu(truth_counts);
		return ret;
	}
#ifndef KMA_HAVE_LARGE_CALLER
	/* The call site is inside of the functions that they call. */
	truth_sites[TRUTH_large_kmemdup].name = "-";
	truth_sites[TRUTH_large_krealloc].name = "-";
#endif
	truth_sites[TRUTH_init].alloc = truth_init;
	truth_some(TRUTH_init, 222, NUMA_NO_NODE);
	truth_sites[TRUTH_init].alloc = NULL;

	truth_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("run", 0200, truth_dir, NULL, &truth_run_fops);
	debugfs_create_file("slab", 0200, truth_dir, NULL, &truth_slab_fops);
	debugfs_create_file("sites", 0400, truth_dir, NULL, &truth_sites_fops);
	debugfs_create_file("live", 0400, truth_dir, NULL, &truth_live_fops);
	debugfs_create_file("values", 0400, truth_dir, NULL, &truth_values_fops);
	return 0;
}

static void __exit truth_module_exit(void)
{
	debugfs_remove(truth_dir);
	truth_run_storm_stop();
	truth_run_drop();
	truth_caches_destroy();
	free_percpu(truth_counts);
}

module_init(truth_module_init);
module_exit(truth_module_exit);

MODULE_DESCRIPTION("Allocations that are known exactly, to test kmemacct against");
MODULE_AUTHOR("The kmemacct authors");
MODULE_LICENSE("GPL");
