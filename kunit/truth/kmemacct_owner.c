// SPDX-License-Identifier: GPL-2.0
/*
 * Allocations that are charged in different ways.
 *
 * A process writes a command to /sys/kernel/debug/kmemacct_owner/run, and the module allocates
 * OWNER_OBJECTS objects in that way, or makes as many allocations of 2^OWNER_ORDER pages.  The file
 * `live` has a line for each object: its address, as %pK prints it, and the command.  `free` frees
 * all objects and pages, and `once` allocates one object and frees it.  `keep` keeps the memory
 * cgroup of the process, for the commands that charge it.
 *
 * The module does not know the rules: the test that runs the commands knows which cgroup each of
 * them has to charge.
 */
#include <linux/bottom_half.h>
#include <linux/debugfs.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "truth_compat.h"

#define OWNER_OBJECTS	20
#define OWNER_MAX	20000
#define OWNER_ORDER	1

/* The caches differ only in whether their objects are charged. */
static struct kmem_cache *owner_plain, *owner_charged;
static struct mem_cgroup *owner_kept;

struct owner_command {
	const char *name;
	void *(*alloc)(gfp_t gfp);
	gfp_t gfp;
	bool remote;
	void (*run)(const struct owner_command *c);
};

static struct {
	void *ptr;
	const struct owner_command *command;
} owner_live[OWNER_MAX];
static int owner_nr;
static DEFINE_MUTEX(owner_lock);

static noinline void *owner_kmalloc(gfp_t gfp)
{
	void *ptr = kmalloc(200, gfp);

	barrier();
	return ptr;
}

static noinline void *owner_large(gfp_t gfp)
{
	void *ptr = kmalloc(20000, gfp);

	barrier();
	return ptr;
}

static noinline void *owner_cache_plain(gfp_t gfp)
{
	void *ptr = kmem_cache_alloc(owner_plain, gfp);

	barrier();
	return ptr;
}

static noinline void *owner_cache_charged(gfp_t gfp)
{
	void *ptr = kmem_cache_alloc(owner_charged, gfp);

	barrier();
	return ptr;
}

static noinline void *owner_bulk(gfp_t gfp)
{
	void *ptr = NULL;

	if (!kmem_cache_alloc_bulk(owner_charged, gfp, 1, &ptr))
		return NULL;
	return ptr;
}

static noinline void *owner_pages(gfp_t gfp)
{
	void *ptr = (void *)__get_free_pages(gfp, OWNER_ORDER);

	barrier();
	return ptr;
}

/* Set the memory cgroup that is charged remotely.  Return: the one that was set before. */
static struct mem_cgroup *owner_remote(struct mem_cgroup *to)
{
	struct mem_cgroup *before;

#ifdef KMA_HAVE_INT_ACTIVE_MEMCG
	before = set_active_memcg(to);
#else
	/* This kernel does not export the variable for interrupts. */
	before = current->active_memcg;
	current->active_memcg = to;
#endif
	return before;
}

static void owner_do(const struct owner_command *c)
{
	struct mem_cgroup *before = c->remote ? owner_remote(owner_kept) : NULL;
	int i;

	for (i = 0; i < OWNER_OBJECTS && owner_nr < OWNER_MAX; i++) {
		owner_live[owner_nr].ptr = c->alloc(c->gfp);
		owner_live[owner_nr].command = c;
		owner_nr += !!owner_live[owner_nr].ptr;
	}
	if (c->remote)
		owner_remote(before);
}

static void owner_do_bh(const struct owner_command *c)
{
	local_bh_disable();
	owner_do(c);
	local_bh_enable();
}

static const struct owner_command *owner_job;

static void owner_in_irq_work(struct irq_work *unused)
{
	owner_do(owner_job);
}

static void owner_do_irq(const struct owner_command *c)
{
	struct irq_work work;

	owner_job = c;
	init_irq_work(&work, owner_in_irq_work);
	irq_work_queue(&work);
	irq_work_sync(&work);
}

static int owner_in_kthread(void *command)
{
	owner_do(command);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void owner_do_kthread(const struct owner_command *c)
{
	struct task_struct *task = kthread_run(owner_in_kthread, (void *)c, "kma_owner/%d", 7);

	if (!IS_ERR(task)) {
		/* The thread is stopped only after it has run. */
		while (!owner_nr || READ_ONCE(owner_live[owner_nr - 1].command) != c)
			schedule_timeout_uninterruptible(1);
		kthread_stop(task);
	}
}

static const struct owner_command owner_commands[] = {
	{ "kmalloc", owner_kmalloc, GFP_KERNEL, false, owner_do },
	{ "kmalloc_account", owner_kmalloc, GFP_KERNEL_ACCOUNT, false, owner_do },
	{ "large", owner_large, GFP_KERNEL, false, owner_do },
	{ "large_account", owner_large, GFP_KERNEL_ACCOUNT, false, owner_do },
	{ "cache", owner_cache_plain, GFP_KERNEL, false, owner_do },
	{ "cache_gfp", owner_cache_plain, GFP_KERNEL_ACCOUNT, false, owner_do },
	{ "cache_account", owner_cache_charged, GFP_KERNEL, false, owner_do },
	{ "bulk_account", owner_bulk, GFP_KERNEL, false, owner_do },
	{ "remote", owner_kmalloc, GFP_KERNEL_ACCOUNT, true, owner_do },
	{ "remote_plain", owner_kmalloc, GFP_KERNEL, true, owner_do },
	{ "bh_account", owner_kmalloc, GFP_ATOMIC | __GFP_ACCOUNT, false, owner_do_bh },
	{ "irq", owner_kmalloc, GFP_ATOMIC, false, owner_do_irq },
	{ "irq_account", owner_kmalloc, GFP_ATOMIC | __GFP_ACCOUNT, false, owner_do_irq },
#ifdef KMA_HAVE_INT_ACTIVE_MEMCG
	{ "irq_remote", owner_kmalloc, GFP_ATOMIC | __GFP_ACCOUNT, true, owner_do_irq },
#endif
	{ "kthread_account", owner_kmalloc, GFP_KERNEL_ACCOUNT, false, owner_do_kthread },
	{ "kthread_remote", owner_kmalloc, GFP_KERNEL_ACCOUNT, true, owner_do_kthread },
	{ "pages", owner_pages, GFP_KERNEL, false, owner_do },
	{ "pages_account", owner_pages, GFP_KERNEL_ACCOUNT, false, owner_do },
	{ "pages_remote", owner_pages, GFP_KERNEL_ACCOUNT, true, owner_do },
	{ "pages_irq_account", owner_pages, GFP_ATOMIC | __GFP_ACCOUNT, false, owner_do_irq },
	{ "pages_kthread_remote", owner_pages, GFP_KERNEL_ACCOUNT, true, owner_do_kthread },
};

static bool owner_is_pages(int i)
{
	return owner_live[i].command->alloc == owner_pages;
}

static void owner_free(void)
{
	while (owner_nr) {
		owner_nr--;
		if (owner_is_pages(owner_nr))
			free_pages((unsigned long)owner_live[owner_nr].ptr, OWNER_ORDER);
		else
			kfree(owner_live[owner_nr].ptr);
	}
}

static void owner_keep(void)
{
	if (owner_kept)
		css_put(&owner_kept->css);
	rcu_read_lock();
	owner_kept = mem_cgroup_from_task(current);
	css_get(&owner_kept->css);
	rcu_read_unlock();
}

static ssize_t owner_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	char text[32] = "";
	size_t i;

	if (len >= sizeof(text) || copy_from_user(text, from, len))
		return -EINVAL;
	text[strcspn(text, "\n")] = '\0';
	mutex_lock(&owner_lock);
	if (!strcmp(text, "free"))
		owner_free();
	else if (!strcmp(text, "once"))
		kfree(owner_kmalloc(GFP_KERNEL));
	else if (!strcmp(text, "keep"))
		owner_keep();
	for (i = 0; i < ARRAY_SIZE(owner_commands); i++)
		if (!strcmp(text, owner_commands[i].name))
			owner_commands[i].run(&owner_commands[i]);
	mutex_unlock(&owner_lock);
	return len;
}

static const struct file_operations owner_run_fops = {
	.owner = THIS_MODULE, .write = owner_write, .llseek = noop_llseek,
};

static int owner_live_show(struct seq_file *seq, void *unused)
{
	int i;

	mutex_lock(&owner_lock);
	for (i = 0; i < owner_nr; i++)
		if (!owner_is_pages(i))
			seq_printf(seq, "%pK %s\n", owner_live[i].ptr, owner_live[i].command->name);
	mutex_unlock(&owner_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(owner_live);

static struct dentry *owner_dir;

static int __init owner_init(void)
{
	owner_plain = kmem_cache_create("kma_owner_a", 104, 0, 0, NULL);
	owner_charged = kmem_cache_create("kma_owner_b", 104, 0, SLAB_ACCOUNT, NULL);
	if (!owner_plain || !owner_charged) {
		kmem_cache_destroy(owner_plain);
		kmem_cache_destroy(owner_charged);
		return -ENOMEM;
	}
	owner_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("run", 0200, owner_dir, NULL, &owner_run_fops);
	debugfs_create_file("live", 0400, owner_dir, NULL, &owner_live_fops);
	return 0;
}

static void __exit owner_exit(void)
{
	debugfs_remove(owner_dir);
	owner_free();
	if (owner_kept)
		css_put(&owner_kept->css);
	kmem_cache_destroy(owner_plain);
	kmem_cache_destroy(owner_charged);
}

module_init(owner_init);
module_exit(owner_exit);

MODULE_DESCRIPTION("Test module for kmemacct: allocations that are charged in different ways");
MODULE_AUTHOR("The kmemacct authors");
MODULE_LICENSE("GPL");
