// SPDX-License-Identifier: GPL-2.0
/*
 * Objects of kmalloc_nolock(), which are known exactly.
 *
 * They are allocated in tasks, in interrupts, in NMI and on all CPUs at once, and
 * freed in each way that there is.  As in kmemacct_truth.c each call site is a
 * function of its own, and what kmemacct has to say of it is counted here, from the
 * pointer, ksize() and where we are.
 *
 * In /sys/kernel/debug/kmemacct_nolock/:
 *
 *	run	write the name of a scenario; the write returns when it is done
 *	sites	what is true of each function, one a line
 *	live	the objects that are live, one a line
 *	values	`name value` lines: the clock, and what scenarios and NMIs found out
 *
 * Everything is exact when no scenario runs and no NMI comes.
 */
#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/gfp.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nmi.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "../../module/compat.h"

/* ---- the call sites ------------------------------------------------------- */

/* The last node, which may be one without CPUs. */
static int truth_node;

/* X(function, allocation) */
#define TRUTH_SITES(X)							\
	X(plain, kmalloc_nolock(size, 0, NUMA_NO_NODE))	\
	X(constant, kmalloc_nolock(96, 0, NUMA_NO_NODE))	\
	X(zeroed, kmalloc_nolock(size, __GFP_ZERO, NUMA_NO_NODE)) \
	X(charged, kmalloc_nolock(size, __GFP_ACCOUNT, NUMA_NO_NODE)) \
	X(on_node, kmalloc_nolock(size, 0, truth_node))	\
	X(locked, kmalloc_nolock(size, 0, NUMA_NO_NODE))	\
	X(softirq, kmalloc_nolock(size, 0, NUMA_NO_NODE))	\
	X(hardirq, kmalloc_nolock(size, 0, NUMA_NO_NODE))	\
	X(nmi, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(each_cpu, kmalloc_nolock(size, 0, NUMA_NO_NODE))	\
	X(to_nolock, kmalloc_nolock(size, 0, NUMA_NO_NODE))	\
	X(to_kfree, kmalloc_nolock(size, 0, NUMA_NO_NODE))	\
	X(to_rcu, kmalloc_nolock(size, 0, NUMA_NO_NODE))	\
	X(to_rcu_nolock, kmalloc_nolock(size, 0, NUMA_NO_NODE)) \
	X(to_other_cpu, kmalloc_nolock(size, 0, NUMA_NO_NODE))	\
	X(kmalloc, kmalloc(size, GFP_ATOMIC))			\
	X(fallen, kmalloc_nolock(size, 0, NUMA_NO_NODE))	\
	X(churn, kmalloc_nolock(size, 0, NUMA_NO_NODE))

/* The barrier keeps the call from becoming a jump, which has no call site here. */
#define X(name, allocation)						\
static noinline void *truth_##name(size_t size)				\
{									\
	void *ptr = allocation;						\
									\
	barrier();							\
	return ptr;							\
}

TRUTH_SITES(X)
#undef X

enum truth_site_id {
#define X(name, allocation) TRUTH_##name,
	TRUTH_SITES(X)
#undef X
	TRUTH_NR
};

static struct truth_site {
	const char *name;
	void *(*alloc)(size_t size);
	atomic64_t objs;
	atomic64_t bytes_req;
	atomic64_t bytes_alloc;
	atomic64_t frees;
	atomic64_t bytes_freed;
	atomic64_t pingpong;
} truth_site[TRUTH_NR] = {
#define X(_name, allocation) { .name = "truth_" #_name, .alloc = truth_##_name },
	TRUTH_SITES(X)
#undef X
};

/* ---- objects -------------------------------------------------------------- */

#define TRUTH_OBJECTS	16384

/**
 * struct truth_object - an object that is live, or was
 * @ptr: the object, until it is freed; who takes it away by xchg() frees it
 */
static struct truth_object {
	void *ptr;
	u16 site;
	u16 cpu;
	u32 bytes_req;
	u32 bytes_alloc;
	u32 pid;
	int node;
	unsigned long before;	/* jiffies */
	unsigned long after;
} truth_object[TRUTH_OBJECTS];

/* Of these, used since the last drop. */
static atomic_t truth_nr;

static atomic_t truth_failed, truth_nmis, truth_inside;

/* One scenario at a time. */
static DEFINE_MUTEX(truth_lock);

static int truth_used(void)
{
	return min(atomic_read(&truth_nr), TRUTH_OBJECTS);
}

static void truth_count(enum truth_site_id id, size_t size, size_t bytes)
{
	atomic64_inc(&truth_site[id].objs);
	atomic64_add(size, &truth_site[id].bytes_req);
	atomic64_add(bytes, &truth_site[id].bytes_alloc);
}

static void truth_count_free(enum truth_site_id id, size_t bytes, bool here)
{
	atomic64_inc(&truth_site[id].frees);
	atomic64_add(bytes, &truth_site[id].bytes_freed);
	if (!here)
		atomic64_inc(&truth_site[id].pingpong);
}

/* In any context, NMI included. Return: the object's number, or an error. */
static int truth_make_one(enum truth_site_id id, size_t size)
{
	const int at = atomic_inc_return(&truth_nr) - 1;
	struct truth_object *o = &truth_object[at];
	void *ptr;

	if (at >= TRUTH_OBJECTS) {
		atomic_dec(&truth_nr);
		return -ENOSPC;
	}
	o->cpu = get_cpu();
	o->before = jiffies;
	ptr = truth_site[id].alloc(size);
	o->after = jiffies;
	if (ptr) {
		o->site = id;
		o->bytes_req = size;
		o->bytes_alloc = ksize(ptr);
		o->pid = in_task() ? current->tgid : 0;
		o->node = page_to_nid(virt_to_page(ptr));
		truth_count(id, size, o->bytes_alloc);
		/* Pairs with the xchg() in truth_free(). */
		smp_store_release(&o->ptr, ptr);
	} else {
		atomic_inc(&truth_failed);
	}
	put_cpu();
	return ptr ? at : -ENOMEM;
}

static int truth_make(enum truth_site_id id, size_t size, int nr)
{
	int ret = 0;

	while (nr-- && ret >= 0)
		ret = truth_make_one(id, size);
	return ret < 0 ? ret : 0;
}

enum truth_way {
	TRUTH_BY_NOLOCK,
	TRUTH_BY_KFREE,
	TRUTH_BY_RCU,
	TRUTH_BY_RCU_NOLOCK,
};

/* What RCU needs, in the object. */
struct truth_rcu {
	union {
		struct rcu_head rcu;
#ifdef KMA_HAVE_KFREE_RCU_NOLOCK
		struct kvfree_rcu_head nolock;
#endif
	};
};

static void truth_free_by(void *ptr, enum truth_way way)
{
	struct truth_rcu *object = ptr;

	switch (way) {
	case TRUTH_BY_KFREE:
		kfree(ptr);
		break;
	case TRUTH_BY_RCU:
		kfree_rcu(object, rcu);
		break;
	case TRUTH_BY_RCU_NOLOCK:
#ifdef KMA_HAVE_KFREE_RCU_NOLOCK
		kfree_rcu_nolock(object, nolock);
		break;
#endif
	default:
		kfree_nolock(ptr);
	}
}

/* In any context that @way may be used in; nothing if it has been freed. */
static void truth_free(int at, enum truth_way way)
{
	struct truth_object *o = &truth_object[at];
	void *ptr = xchg(&o->ptr, NULL);

	if (!ptr)
		return;
	truth_count_free(o->site, o->bytes_alloc, o->cpu == get_cpu());
	truth_free_by(ptr, way);
	put_cpu();
}

/* What a scenario made since there were @from. */
static void truth_free_since(int from, int nr, enum truth_way way)
{
	const int end = min(from + nr, truth_used());

	while (from < end)
		truth_free(from++, way);
}

/* Of five objects two stay live. */
static int truth_some(enum truth_site_id id, size_t size)
{
	const int from = truth_used();
	int ret = truth_make(id, size, 5);

	truth_free_since(from, 3, TRUTH_BY_NOLOCK);
	return ret;
}

/* ---- scenarios ------------------------------------------------------------ */

static const size_t truth_sizes[] = { 1, 8, 33, 96, 200, 1000, 2048, 4000, 8192 };

static int truth_run_sizes(void)
{
	int i, ret = truth_some(TRUTH_constant, 96);

	for (i = 0; !ret && i < ARRAY_SIZE(truth_sizes); i++)
		ret = truth_some(TRUTH_plain, truth_sizes[i]) ?:
		      truth_some(TRUTH_zeroed, truth_sizes[i]) ?:
		      truth_some(TRUTH_charged, truth_sizes[i]) ?:
		      truth_some(TRUTH_on_node, truth_sizes[i]);
	return ret;
}

/* In another context: which site, and how it went. */
static struct {
	enum truth_site_id site;
	int ret;
	struct completion done;
} truth_job;

static void truth_job_run(void)
{
	const bool there = truth_job.site == TRUTH_hardirq ? in_hardirq() :
			   in_serving_softirq() && !in_hardirq();

	truth_job.ret = there ? truth_some(truth_job.site, 200) : -EPROTO;
	complete(&truth_job.done);
}

static void truth_in_irq_work(struct irq_work *unused)
{
	truth_job_run();
}

static void truth_in_timer(struct timer_list *unused)
{
	truth_job_run();
}

static struct irq_work truth_irq_work = IRQ_WORK_INIT_HARD(truth_in_irq_work);
static DEFINE_TIMER(truth_timer, truth_in_timer);

static int truth_job_wait(enum truth_site_id site)
{
	truth_job.site = site;
	reinit_completion(&truth_job.done);
	if (site == TRUTH_hardirq)
		irq_work_queue(&truth_irq_work);
	else
		mod_timer(&truth_timer, jiffies + 1);
	wait_for_completion(&truth_job.done);
	return truth_job.ret;
}

static int truth_run_contexts(void)
{
	static DEFINE_RAW_SPINLOCK(lock);
	unsigned long flags;
	int i, ret = 0;

	for (i = 0; !ret && i < 20; i++) {
		raw_spin_lock_irqsave(&lock, flags);
		ret = truth_some(TRUTH_locked, 200);
		raw_spin_unlock_irqrestore(&lock, flags);
		ret = ret ?: truth_job_wait(TRUTH_softirq) ?: truth_job_wait(TRUTH_hardirq);
	}
	return ret;
}

/* Of 400 objects 300 are freed, in a way of their own. */
static int truth_free_most(enum truth_site_id id, enum truth_way way)
{
	const int from = truth_used();
	int ret = truth_make(id, 200, 400);

	truth_free_since(from, 300, way);
	return ret;
}

static void truth_free_there(void *from)
{
	truth_free_since(*(int *)from, 300, TRUTH_BY_NOLOCK);
}

static int truth_run_frees(void)
{
	int from, cpu, ret;

	ret = truth_free_most(TRUTH_to_nolock, TRUTH_BY_NOLOCK) ?:
	      truth_free_most(TRUTH_to_kfree, TRUTH_BY_KFREE) ?:
	      truth_free_most(TRUTH_to_rcu, TRUTH_BY_RCU);
#ifdef KMA_HAVE_KFREE_RCU_NOLOCK
	/* Those of another node are left to an irq_work. */
	ret = ret ?: truth_free_most(TRUTH_to_rcu_nolock, TRUTH_BY_RCU_NOLOCK) ?:
		     truth_free_most(TRUTH_on_node, TRUTH_BY_RCU_NOLOCK);
#endif
	if (ret)
		return ret;
	from = truth_used();
	ret = truth_make(TRUTH_to_other_cpu, 200, 400);
	/* Another one, if there is one. */
	cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	if (cpu >= nr_cpu_ids)
		cpu = raw_smp_processor_id();
	smp_call_function_single(cpu, truth_free_there, &from, true);
	return ret;
}

/* Not what kfree_nolock() is for, but it does free the object. */
static int truth_run_crossed(void)
{
	return truth_free_most(TRUTH_kmalloc, TRUTH_BY_NOLOCK);
}

/* No memory: none is wanted, or too much. */
#define TRUTH_NOTHINGS	10

static int truth_run_nothing(void)
{
	size_t none = 0, much = KMALLOC_MAX_CACHE_SIZE + 1;
	int i;

	OPTIMIZER_HIDE_VAR(none);
	OPTIMIZER_HIDE_VAR(much);
	for (i = 0; i < TRUTH_NOTHINGS; i++) {
		void *ptr = truth_plain(none);

		if (ptr != ZERO_SIZE_PTR || truth_plain(much))
			return -EPROTO;
		kfree_nolock(ptr);
		kfree_nolock(NULL);
	}
	return 0;
}

/* All CPUs at once, each 500 objects, of which it frees 250 of anybody's. */
static void truth_on_cpu(struct work_struct *unused)
{
	int i;

	for (i = 0; i < 500; i++) {
		truth_make_one(TRUTH_each_cpu, 8 << i % 9);
		if (i % 2)
			truth_free(i * 131 % truth_used(), TRUTH_BY_NOLOCK);
	}
}

static int truth_run_each_cpu(void)
{
	struct work_struct __percpu *work = alloc_percpu(struct work_struct);
	int cpu;

	if (!work)
		return -ENOMEM;
	for_each_online_cpu(cpu) {
		INIT_WORK(per_cpu_ptr(work, cpu), truth_on_cpu);
		schedule_work_on(cpu, per_cpu_ptr(work, cpu));
	}
	for_each_online_cpu(cpu)
		flush_work(per_cpu_ptr(work, cpu));
	free_percpu(work);
	return 0;
}

/* For NMIs to come over. */
static int truth_run_churn(void)
{
	int i, cpu;

	for (i = 0; i < 500; i++) {
		size_t bytes;
		void *ptr;

		cpu = get_cpu();
		ptr = truth_churn(200);
		if (ptr) {
			bytes = ksize(ptr);
			truth_count(TRUTH_churn, 200, bytes);
			truth_count_free(TRUTH_churn, bytes, cpu == smp_processor_id());
			kfree_nolock(ptr);
		}
		put_cpu();
	}
	return 0;
}

/* ---- the next larger size ------------------------------------------------- */

/* Pages that nobody else can have, each begins with this. */
struct truth_hoard {
	struct truth_hoard *next;
	unsigned int order;
};

/* All that can be had without a lock. */
static struct truth_hoard *truth_hoard(void)
{
	struct truth_hoard *hoard = NULL, *more;
	struct page *page;
	int order;

	for (order = MAX_PAGE_ORDER; order >= 0; order--) {
		while ((page = alloc_pages_nolock(0, NUMA_NO_NODE, order))) {
			more = page_address(page);
			more->next = hoard;
			more->order = order;
			hoard = more;
		}
	}
	return hoard;
}

static void truth_hoard_free(struct truth_hoard *hoard)
{
	struct truth_hoard *next;

	for (; hoard; hoard = next) {
		next = hoard->next;
		__free_pages(virt_to_page(hoard), hoard->order);
	}
}

static int truth_nr_fallen;

/* kmalloc_nolock() takes an object of the next size when it can have no slab. */
static int truth_run_fallen(void)
{
	int at, nr = 0, from = truth_used();
	struct truth_hoard *hoard;

	/* There are some that are free. */
	truth_make(TRUTH_fallen, 8192, 64);
	truth_free_since(from, 64, TRUTH_BY_KFREE);
	hoard = truth_hoard();
	while (nr < 4) {
		at = truth_make_one(TRUTH_fallen, 4000);
		if (at < 0)
			break;
		if (truth_object[at].bytes_alloc > 4096)
			nr++;
	}
	truth_hoard_free(hoard);
	truth_nr_fallen += nr;
	return at == -ENOSPC ? at : 0;
}

/* ---- in NMI --------------------------------------------------------------- */

static bool truth_nmi_inside(const struct pt_regs *regs)
{
	char name[KSYM_SYMBOL_LEN];

	sprint_symbol(name, regs->ip);
	return strstr(name, "[kmemacct]");
}

/* The next object to be freed in NMI. */
static atomic_t truth_nmi_next;

/* Each NMI that nobody else wants. */
static int truth_nmi_handler(unsigned int cmd, struct pt_regs *regs)
{
	static const size_t sizes[] = { 32, 96, 200, 2048 };
	int i, at;

	atomic_inc(&truth_nmis);
	if (truth_nmi_inside(regs))
		atomic_inc(&truth_inside);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		truth_make_one(TRUTH_nmi, sizes[i]);
	for (i = 0; i < 2; i++) {
		at = atomic_inc_return(&truth_nmi_next) - 1;
		if (at < truth_used())
			truth_free(at, i ? TRUTH_BY_RCU_NOLOCK : TRUTH_BY_NOLOCK);
	}
	return NMI_HANDLED;
}

/* ---- the files ------------------------------------------------------------ */

/* No NMI comes meanwhile. */
static int truth_run_drop(void)
{
	int i, nr = truth_used();

	for (i = 0; i < nr; i++)
		truth_free(i, i % 2 ? TRUTH_BY_KFREE : TRUTH_BY_NOLOCK);
	atomic_set(&truth_nr, 0);
	atomic_set(&truth_nmi_next, 0);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} truth_scenarios[] = {
	{ "sizes", truth_run_sizes },
	{ "contexts", truth_run_contexts },
	{ "frees", truth_run_frees },
	{ "crossed", truth_run_crossed },
	{ "nothing", truth_run_nothing },
	{ "each_cpu", truth_run_each_cpu },
	{ "churn", truth_run_churn },
	{ "fallen", truth_run_fallen },
	{ "drop", truth_run_drop },
};

static ssize_t truth_run_write(struct file *file, const char __user *user, size_t len,
			       loff_t *pos)
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

/* The columns of kmemacct_truth.c; only kmalloc() has events. */
static int truth_sites_show(struct seq_file *seq, void *unused)
{
	const struct truth_site *s;
	u64 objs, req, bytes, frees, freed;
	bool hits;

	seq_puts(seq, "live_bytes live_objs hits bytes_req bytes_alloc frees bytes_freed pingpong cross_node bulk_objs bulk_bytes handed cache site\n");
	for (s = truth_site; s < truth_site + TRUTH_NR; s++) {
		hits = s == &truth_site[TRUTH_kmalloc];
		objs = atomic64_read(&s->objs);
		req = atomic64_read(&s->bytes_req);
		bytes = atomic64_read(&s->bytes_alloc);
		frees = atomic64_read(&s->frees);
		freed = atomic64_read(&s->bytes_freed);
		seq_printf(seq, "%llu %llu %llu %llu %llu %llu %llu %llu 0 %llu %llu 0 - %s\n",
			   bytes - freed, objs - frees, hits ? objs : 0, hits ? req : 0,
			   hits ? bytes : 0, frees, freed, (u64)atomic64_read(&s->pingpong),
			   hits ? 0 : objs, hits ? 0 : bytes, s->name);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth_sites);

static int truth_live_show(struct seq_file *seq, void *unused)
{
	const struct truth_object *o;

	mutex_lock(&truth_lock);
	seq_puts(seq, "ptr bytes_req bytes_alloc cpu node pid before after site\n");
	for (o = truth_object; o < truth_object + truth_used(); o++)
		if (o->ptr)
			seq_printf(seq, "%pK %u %u %u %d %u %lu %lu %s\n", o->ptr,
				   o->bytes_req, o->bytes_alloc, o->cpu, o->node, o->pid,
				   o->before, o->after, truth_site[o->site].name);
	mutex_unlock(&truth_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth_live);

static int truth_values_show(struct seq_file *seq, void *unused)
{
	seq_printf(seq, "jiffies %lu\n", jiffies);
	seq_printf(seq, "hz %u\n", HZ);
	seq_printf(seq, "nothings %u\n", TRUTH_NOTHINGS);
	seq_printf(seq, "fallen %d\n", truth_nr_fallen);
	seq_printf(seq, "failed %d\n", atomic_read(&truth_failed));
	seq_printf(seq, "nmis %d\n", atomic_read(&truth_nmis));
	seq_printf(seq, "inside %d\n", atomic_read(&truth_inside));
	seq_printf(seq, "room %d\n", TRUTH_OBJECTS - truth_used());
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth_values);

static struct dentry *truth_dir;

static int __init truth_module_init(void)
{
	int node, ret;

	ret = register_nmi_handler(NMI_UNKNOWN, truth_nmi_handler, 0, KBUILD_MODNAME);
	if (ret)
		return ret;
	init_completion(&truth_job.done);
	for_each_online_node(node)
		truth_node = node;
	truth_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("run", 0200, truth_dir, NULL, &truth_run_fops);
	debugfs_create_file("sites", 0400, truth_dir, NULL, &truth_sites_fops);
	debugfs_create_file("live", 0400, truth_dir, NULL, &truth_live_fops);
	debugfs_create_file("values", 0400, truth_dir, NULL, &truth_values_fops);
	return 0;
}

static void __exit truth_module_exit(void)
{
	debugfs_remove(truth_dir);
	unregister_nmi_handler(NMI_UNKNOWN, KBUILD_MODNAME);
	truth_run_drop();
	timer_delete_sync(&truth_timer);
	irq_work_sync(&truth_irq_work);
}

module_init(truth_module_init);
module_exit(truth_module_exit);

MODULE_DESCRIPTION("Objects of kmalloc_nolock() that are known exactly, to test kmemacct against");
MODULE_AUTHOR("The kmemacct authors");
MODULE_LICENSE("GPL");
