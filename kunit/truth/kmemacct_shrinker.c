// SPDX-License-Identifier: GPL-2.0
/*
 * Registers a shrinker that takes a known time, and keeps an exact record of its calls.
 *
 * Tasks allocate pages until the limit of their memory cgroup is reached.  Then their allocations
 * wait while the kernel reclaims memory, which calls the shrinker.  The shrinker sleeps, and counts
 * what kmemacct should report.  It has objects only for these tasks.
 *
 * kmemacct's time of a call is at least `inner`, and at most `outer`:
 *
 *	inner	the time in scan_objects()
 *	outer	from the return of count_objects() to the next call of count_objects() by the
 *		same task, or to the end of the allocation
 *	wait	the time of an allocation that called the shrinker
 *
 * In /sys/kernel/debug/kmemacct_shrinker/:
 *
 *	run	`join`: the task waits for `go`, allocates pages, and waits for `leave`;
 *		then the write returns.
 *		`stall`: the task calls the probes of the beginning of node reclaim, waits for
 *		`go`, calls those of the end, and the write returns.  If the task is killed
 *		before, it exits without that end.
 *		`sleep`: the task allocates a page of ZONE_DMA after `fill`, so that it reclaims
 *		memory directly.  The shrinker makes it sleep until `go`.  Then the allocation
 *		fails, and the write returns.
 *		`go`: all tasks that have joined allocate, at the same time.
 *		`leave`: they free their pages, and return.
 *		`fill`: use up ZONE_DMA; `drain` undoes this.
 *		`slow`: for the cgroup of the task, the shrinker has objects for all tasks, and
 *		takes its time with each of them; `fast` undoes this.
 *	values	`name value` lines: `joined` and `done` are the numbers of tasks that have
 *		joined, and that have allocated, `stalled` of those that wait after `stall`,
 *		`asleep` of those that sleep after `sleep`; names of times end in _ns
 *
 * The values are exact while no task allocates.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/list_lru.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/numa.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/swap.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "truth_compat.h"

/* The most tasks that may have joined. */
#define TRUTH_TASKS	8
/*
 * A task allocates until this many of its allocations have waited, or until it has this many pages.
 */
#define TRUTH_WAITS	8
#define TRUTH_PAGES	2048
/*
 * The return value of count_objects(), and the number of objects that a call of scan_objects()
 * should scan.
 */
#define TRUTH_OBJECTS	70
#define TRUTH_BATCH	16
/* How long each function sleeps, in us. */
#define TRUTH_COUNT_US	300
#define TRUTH_SCAN_US	1000

/**
 * struct truth_task - a task that has joined
 * @task: the task; NULL if this place is free
 * @called: when count_objects() last returned a number of objects; 0 if the call is over
 * @inner: time in scan_objects() since then
 * @counts: number of calls of count_objects() in the allocation that is going on
 * @pages: the pages that it has allocated
 * @object: its object on the list that makes the kernel call the shrinker for its cgroup
 */
struct truth_task {
	const struct task_struct *task;
	u64 called;
	u64 inner;
	u64 counts;
	struct list_head pages;
	struct list_head *object;
};

/* X(name): the values, in the order in which they are shown. */
#define TRUTH_VALUES(X)						\
	X(joined) X(done) X(stalled) X(asleep)			\
	X(allocs) X(failed)					\
	X(waits) X(wait_ns) X(wait_max_ns)			\
	X(counts) X(count_ns) X(others) X(calls)		\
	X(scans) X(scanned) X(freed)				\
	X(inner_ns) X(inner_max_ns) X(outer_ns) X(outer_max_ns)

static struct {
#define X(name) u64 name;
	TRUTH_VALUES(X)
#undef X
} truth;

/* Protects the values and the tasks. */
static DEFINE_SPINLOCK(truth_lock);
static struct truth_task truth_tasks[TRUTH_TASKS];
static bool truth_going;
/* For tasks that have not joined, the shrinker has nothing, is slow, or lets the task sleep. */
static enum { TRUTH_NOTHING, TRUTH_SLOW, TRUTH_SLEEP } truth_others;
static DECLARE_WAIT_QUEUE_HEAD(truth_queue);

static struct list_lru truth_lru;
static struct kmem_cache *truth_cache;

/* ---- the shrinker ------------------------------------------------------------------------ */

static struct truth_task *truth_task_of(const struct task_struct *task)
{
	int i;

	for (i = 0; i < TRUTH_TASKS; i++)
		if (truth_tasks[i].task == task)
			return &truth_tasks[i];
	return NULL;
}

/* Count the last call of the shrinker by a task, which was over at the latest now. */
static void truth_call_over(struct truth_task *t, u64 now)
{
	lockdep_assert_held(&truth_lock);
	if (!t->called)
		return;
	truth.inner_ns += t->inner;
	truth.inner_max_ns = max(truth.inner_max_ns, t->inner);
	truth.outer_ns += now - t->called;
	truth.outer_max_ns = max(truth.outer_max_ns, now - t->called);
	t->called = 0;
	t->inner = 0;
}

/* The number of objects for a task that has not joined. */
static unsigned long truth_others_count(void)
{
	return READ_ONCE(truth_others) == TRUTH_NOTHING || current->flags & PF_KTHREAD ?
	       0 : TRUTH_OBJECTS;
}

static void truth_asleep(int add)
{
	spin_lock(&truth_lock);
	truth.asleep += add;
	spin_unlock(&truth_lock);
}

/* Scan objects for a task that has not joined. */
static unsigned long truth_others_scan(void)
{
	if (READ_ONCE(truth_others) != TRUTH_SLEEP) {
		usleep_range(TRUTH_SCAN_US, TRUTH_SCAN_US + 50);
		return 0;
	}
	truth_asleep(1);
	wait_event_killable(truth_queue, READ_ONCE(truth_going));
	truth_asleep(-1);
	/* Pretend that this has freed enough, so that reclaim ends. */
	mm_account_reclaimed_pages(SWAP_CLUSTER_MAX);
	return SHRINK_STOP;
}

/* Every fifth time, there is no object, so that the shrinker is not called. */
static unsigned long truth_shrinker_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	const u64 begin = ktime_get_ns();
	unsigned long objects = 0;
	struct truth_task *t;
	u64 now;

	spin_lock(&truth_lock);
	t = truth_task_of(current);
	if (t)
		truth_call_over(t, begin);
	else
		truth.others++;
	spin_unlock(&truth_lock);
	if (!t)
		return truth_others_count();
	usleep_range(TRUTH_COUNT_US, TRUTH_COUNT_US + 50);
	spin_lock(&truth_lock);
	now = ktime_get_ns();
	t->counts++;
	truth.count_ns += now - begin;
	if (++truth.counts % 5) {
		objects = TRUTH_OBJECTS;
		truth.calls++;
		t->called = now;
	}
	spin_unlock(&truth_lock);
	return objects;
}

/*
 * Scan all that was asked for, and free half of it; scan less than that; stop; scan more than was
 * asked for.
 */
static unsigned long truth_shrinker_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	const u64 begin = ktime_get_ns();
	unsigned long freed = SHRINK_STOP;
	struct truth_task *t;

	spin_lock(&truth_lock);
	t = truth_task_of(current);
	spin_unlock(&truth_lock);
	if (!t)
		return truth_others_scan();
	usleep_range(TRUTH_SCAN_US, TRUTH_SCAN_US + 50);
	spin_lock(&truth_lock);
	switch (truth.scans++ % 4) {
	case 0:
		freed = sc->nr_scanned / 2;
		break;
	case 1:
		sc->nr_scanned /= 2;
		freed = 1;
		break;
	case 2:
		break;
	case 3:
		sc->nr_scanned += 2 * TRUTH_BATCH;
		freed = 3;
		break;
	}
	if (freed != SHRINK_STOP) {
		truth.scanned += sc->nr_scanned;
		truth.freed += freed;
	}
	t->inner += ktime_get_ns() - begin;
	spin_unlock(&truth_lock);
	return freed;
}

#ifdef KMA_HAVE_SHRINKER_ALLOC
static struct shrinker *truth_shrinker;

static int truth_shrinker_register(void)
{
	truth_shrinker = shrinker_alloc(SHRINKER_MEMCG_AWARE | SHRINKER_NUMA_AWARE, KBUILD_MODNAME);
	if (!truth_shrinker)
		return -ENOMEM;
	truth_shrinker->count_objects = truth_shrinker_count;
	truth_shrinker->scan_objects = truth_shrinker_scan;
	truth_shrinker->batch = TRUTH_BATCH;
	truth_shrinker->seeks = 0;
	shrinker_register(truth_shrinker);
	return 0;
}

static void truth_shrinker_unregister(void)
{
	shrinker_free(truth_shrinker);
}
#else
static struct shrinker truth_shrinker_static = {
	.count_objects = truth_shrinker_count,
	.scan_objects = truth_shrinker_scan,
	.batch = TRUTH_BATCH,
	.seeks = 0,
	.flags = SHRINKER_MEMCG_AWARE | SHRINKER_NUMA_AWARE,
}, *const truth_shrinker = &truth_shrinker_static;

static int truth_shrinker_register(void)
{
	return kma_register_shrinker(truth_shrinker);
}

static void truth_shrinker_unregister(void)
{
	unregister_shrinker(truth_shrinker);
}
#endif

/* ---- allocations ----------------------------------------------------------------------------- */

/* The call site.  If the limit is too low, the allocation fails, instead of an OOM kill. */
static noinline __noclone struct page *truth_alloc_page(void)
{
	struct page *page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);

	OPTIMIZER_HIDE_VAR(page);
	return page;
}

static bool truth_alloc_one(struct truth_task *t)
{
	const u64 begin = ktime_get_ns();
	struct page *page = truth_alloc_page();
	const u64 end = ktime_get_ns();

	spin_lock(&truth_lock);
	truth_call_over(t, end);
	if (t->counts) {
		truth.waits++;
		truth.wait_ns += end - begin;
		truth.wait_max_ns = max(truth.wait_max_ns, end - begin);
	}
	if (page) {
		truth.allocs++;
		list_add(&page->lru, &t->pages);
	} else {
		truth.failed++;
	}
	spin_unlock(&truth_lock);
	return page;
}

static void truth_alloc(struct truth_task *t)
{
	int i, waits = 0;

	for (i = 0; i < TRUTH_PAGES && waits < TRUTH_WAITS; i++) {
		t->counts = 0;
		if (!truth_alloc_one(t))
			return;
		waits += !!t->counts;
	}
}

static void truth_free(struct truth_task *t)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &t->pages, lru)
		__free_page(page);
	INIT_LIST_HEAD(&t->pages);
}

/* ---- tasks ------------------------------------------------------------------------------- */

static struct truth_task *truth_task_new(struct list_head *object)
{
	struct truth_task *t;

	spin_lock(&truth_lock);
	t = truth_task_of(NULL);
	if (t) {
		*t = (struct truth_task) { .task = current, .object = object };
		INIT_LIST_HEAD(&t->pages);
		truth.joined++;
	}
	spin_unlock(&truth_lock);
	return t;
}

static void truth_task_end(struct truth_task *t)
{
	spin_lock(&truth_lock);
	t->task = NULL;
	truth.joined--;
	spin_unlock(&truth_lock);
}

static void truth_done(int add)
{
	spin_lock(&truth_lock);
	truth.done += add;
	spin_unlock(&truth_lock);
}

/* Wait for `go`, allocate, and wait for `leave`. */
static int truth_work(struct truth_task *t)
{
	int ret = wait_event_killable(truth_queue, READ_ONCE(truth_going));

	if (ret)
		return ret;
	/* From now on, reclaim in the cgroup of the object calls the shrinker. */
	list_lru_add_obj(&truth_lru, t->object);
	truth_alloc(t);
	truth_done(1);
	ret = wait_event_killable(truth_queue, !READ_ONCE(truth_going));
	truth_done(-1);
	list_lru_del_obj(&truth_lru, t->object);
	truth_free(t);
	return ret;
}

static int truth_join(void)
{
	struct list_head *object = kmem_cache_alloc_lru(truth_cache, &truth_lru, GFP_KERNEL);
	struct truth_task *t;
	int ret = -EBUSY;

	if (!object)
		return -ENOMEM;
	INIT_LIST_HEAD(object);
	t = truth_task_new(object);
	if (t) {
		ret = truth_work(t);
		truth_task_end(t);
	}
	kmem_cache_free(truth_cache, object);
	return ret;
}

/* ---- direct reclaim, and a slow shrinker ---------------------------------------------------- */

static LIST_HEAD(truth_dma_pages);
static struct list_head *truth_slow_object;

static struct page *truth_alloc_dma(gfp_t gfp)
{
	return alloc_page(gfp | __GFP_DMA | __GFP_NORETRY | __GFP_NOWARN);
}

/* Only one task calls this and truth_drain(). */
static int truth_fill(void)
{
	struct page *page;

	/* Neither reclaim memory nor wake kswapd. */
	while ((page = truth_alloc_dma(0)))
		list_add(&page->lru, &truth_dma_pages);
	return 0;
}

static int truth_drain(void)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &truth_dma_pages, lru)
		__free_page(page);
	INIT_LIST_HEAD(&truth_dma_pages);
	WRITE_ONCE(truth_others, TRUTH_NOTHING);
	return 0;
}

static int truth_sleep(void)
{
	struct page *page;

	WRITE_ONCE(truth_others, TRUTH_SLEEP);
	/* While many tasks reclaim, the kernel may give up before it calls the shrinker. */
	do {
		page = truth_alloc_dma(__GFP_DIRECT_RECLAIM | __GFP_IO | __GFP_FS);
		if (page)
			__free_page(page);
		cond_resched();
	} while (!READ_ONCE(truth_going) && !fatal_signal_pending(current));
	return 0;
}

/* Only one task calls this and truth_fast(). */
static int truth_slow(void)
{
	if (truth_slow_object)
		return 0;
	truth_slow_object = kmem_cache_alloc_lru(truth_cache, &truth_lru, GFP_KERNEL);
	if (!truth_slow_object)
		return -ENOMEM;
	INIT_LIST_HEAD(truth_slow_object);
	list_lru_add_obj(&truth_lru, truth_slow_object);
	WRITE_ONCE(truth_others, TRUTH_SLOW);
	return 0;
}

static int truth_fast(void)
{
	WRITE_ONCE(truth_others, TRUTH_NOTHING);
	if (truth_slow_object) {
		list_lru_del_obj(&truth_lru, truth_slow_object);
		kmem_cache_free(truth_cache, truth_slow_object);
	}
	truth_slow_object = NULL;
	return 0;
}

/* ---- stalls that others cannot end --------------------------------------------------------- */

static struct tracepoint *truth_begin, *truth_end;

static void truth_find_tracepoint(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "mm_vmscan_node_reclaim_begin"))
		truth_begin = tp;
	if (!strcmp(tp->name, "mm_vmscan_node_reclaim_end"))
		truth_end = tp;
}

/* Node reclaim begins, or has ended.  The last argument of the end exists since 7.1. */
static noinline void truth_call_probes(const struct tracepoint *tp)
{
	const struct tracepoint_func *probe;

	preempt_disable_notrace();
	for (probe = rcu_dereference_sched(tp->funcs); probe && probe->func; probe++) {
		if (tp == truth_begin)
			((void (*)(void *, int, int, gfp_t))probe->func)(probe->data, 0, 0,
									 GFP_KERNEL);
		else
			((void (*)(void *, unsigned long, void *))probe->func)(probe->data, 0,
									       NULL);
	}
	preempt_enable_notrace();
}

static void truth_stalled(int add)
{
	spin_lock(&truth_lock);
	truth.stalled += add;
	spin_unlock(&truth_lock);
}

static int truth_stall(void)
{
	int ret;

	if (!truth_begin || !truth_end)
		return -ENOENT;
	truth_call_probes(truth_begin);
	truth_stalled(1);
	ret = wait_event_killable(truth_queue, READ_ONCE(truth_going));
	truth_stalled(-1);
	if (!ret)
		truth_call_probes(truth_end);
	return ret;
}

/* ---- the files ------------------------------------------------------------------------------ */

static int truth_set_going(bool going)
{
	WRITE_ONCE(truth_going, going);
	wake_up_all(&truth_queue);
	return 0;
}

static int truth_run(const char *what)
{
	if (!strcmp(what, "join"))
		return truth_join();
	if (!strcmp(what, "stall"))
		return truth_stall();
	if (!strcmp(what, "sleep"))
		return truth_sleep();
	if (!strcmp(what, "fill"))
		return truth_fill();
	if (!strcmp(what, "drain"))
		return truth_drain();
	if (!strcmp(what, "slow"))
		return truth_slow();
	if (!strcmp(what, "fast"))
		return truth_fast();
	if (!strcmp(what, "go"))
		return truth_set_going(true);
	if (!strcmp(what, "leave"))
		return truth_set_going(false);
	return -EINVAL;
}

static ssize_t truth_run_write(struct file *file, const char __user *user, size_t len,
			       loff_t *pos)
{
	char what[8] = "";

	if (len >= sizeof(what) || copy_from_user(what, user, len))
		return -EINVAL;
	return truth_run(strim(what)) ?: len;
}

static const struct file_operations truth_run_fops = {
	.owner = THIS_MODULE,
	.open = nonseekable_open,
	.write = truth_run_write,
};

static int truth_values_show(struct seq_file *seq, void *unused)
{
	spin_lock(&truth_lock);
#define X(name) seq_printf(seq, #name " %llu\n", truth.name);
	TRUTH_VALUES(X)
#undef X
	spin_unlock(&truth_lock);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(truth_values);

/* ---- load and unload ------------------------------------------------------------------------- */

static struct dentry *truth_dir;

static int __init truth_init(void)
{
	int ret = -ENOMEM;

	for_each_kernel_tracepoint(truth_find_tracepoint, NULL);
	truth_cache = kmem_cache_create(KBUILD_MODNAME, sizeof(struct list_head), 0, SLAB_ACCOUNT,
					NULL);
	if (!truth_cache)
		return ret;
	ret = truth_shrinker_register();
	if (ret)
		goto cache;
	ret = list_lru_init_memcg(&truth_lru, truth_shrinker);
	if (ret)
		goto shrinker;
	truth_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("run", 0200, truth_dir, NULL, &truth_run_fops);
	debugfs_create_file("values", 0400, truth_dir, NULL, &truth_values_fops);
	return 0;
shrinker:
	truth_shrinker_unregister();
cache:
	kmem_cache_destroy(truth_cache);
	return ret;
}

static void __exit truth_exit(void)
{
	debugfs_remove(truth_dir);
	truth_drain();
	truth_fast();
	list_lru_destroy(&truth_lru);
	truth_shrinker_unregister();
	kmem_cache_destroy(truth_cache);
}

module_init(truth_init);
module_exit(truth_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test module for kmemacct: an exact record of the calls of its shrinker");
