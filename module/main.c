// SPDX-License-Identifier: GPL-2.0
/*
 * kmemacct: live kernel memory by call site.
 *
 *	tracepoint              trace/        probes decode the arguments
 *	   |                       |            match/    which events count
 *	   |                       |            resolve/  symbols, caches, stacks
 *	   |                       v
 *	   |                    core/         counts and records:
 *	   |                       |            sitetab   call site, cache --> counters
 *	   |                       |            objtab    address --> live object
 *	   |                       |            pagealloc page frame --> its allocation
 *	   |                       |
 *	   |  - - - - - - - - - -  |  - - - - - any context above, process below
 *	   |                       v
 *	   |                    report/       snapshot, sort, print
 *	   |                       |
 *	   |                       v
 *	control.c <------------ /sys/kernel/debug/kmemacct/, /proc/kmemacct
 *
 * state.h is what all of them read, engine.c starts and stops them, and this file has
 * the module's parameters.  Beside the flow: sampling.c switches between recording
 * everything and sampling, overhead.c watches what the module costs, baseline.c is what
 * `reset` subtracts, countmaps.c has the tables that count by a key, and memhotplug.c
 * follows memory that is added.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "engine.h"
#include "setting.h"

/* Protected by kernel_param_lock(), as what is below. */
static bool kma_started;

/* Values that were given at load, until the module starts. */
static char *kma_param_text[KMA_SETTING_NR];

static enum kma_setting_nr kma_param_nr(const struct kernel_param *kp)
{
	return (const struct kma_setting *)kp->arg - kma_settings;
}

static int kma_param_set(const char *val, const struct kernel_param *kp)
{
	const enum kma_setting_nr nr = kma_param_nr(kp);
	char *copy;
	int ret;

	if (kma_started)
		return kma_setting_write(nr, val);
	ret = kma_setting_check(nr, val);
	if (ret)
		return ret;
	/* The kernel's copy is gone when the module starts. */
	copy = kstrdup(val, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	kfree(kma_param_text[nr]);
	kma_param_text[nr] = copy;
	return 0;
}

static int kma_param_get(char *buf, const struct kernel_param *kp)
{
	return kma_setting_read(kma_param_nr(kp), buf);
}

static void kma_param_free(void *arg)
{
	const enum kma_setting_nr nr = (const struct kma_setting *)arg - kma_settings;

	kfree(kma_param_text[nr]);
	kma_param_text[nr] = NULL;
}

static const struct kernel_param_ops kma_param_ops = {
	.set = kma_param_set,
	.get = kma_param_get,
	.free = kma_param_free,
};

/* A parameter for each row of KMA_SETTINGS, and its line of modinfo. */
#define X(name, mode, unit, range, init, parse, set, show, help)	\
module_param_cb(name, &kma_param_ops, (void *)&kma_settings[KMA_SETTING_##name], mode); \
MODULE_PARM_DESC(name, help " (" unit ": " range "; default '" init "')");
KMA_SETTINGS(X)
#undef X

/*
 * The files of the parameters exist before the module starts, and until after it has
 * stopped.  A writer waits for the start here.
 */
static int __init kma_main_init(void)
{
	int ret;

	kernel_param_lock(THIS_MODULE);
	ret = kma_engine_start((const char *const *)kma_param_text);
	kma_started = !ret;
	kernel_param_unlock(THIS_MODULE);
	return ret;
}

static void __exit kma_main_exit(void)
{
	kernel_param_lock(THIS_MODULE);
	kma_started = false;
	kernel_param_unlock(THIS_MODULE);
	kma_engine_stop();
}

module_init(kma_main_init);
module_exit(kma_main_exit);

MODULE_DESCRIPTION("Kernel memory accounting: live objects and call sites, from the kmem tracepoints");
MODULE_AUTHOR("The kmemacct authors");
MODULE_LICENSE("GPL");
