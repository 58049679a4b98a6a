// SPDX-License-Identifier: GPL-2.0
/*
 * kmemacct: live kernel memory by call site.
 *
 *	tracepoint              trace/        probes decode the arguments
 *	   |                       |            match/    selects events, finds call sites
 *	   |                       |            resolve/  symbols, caches, stacks
 *	   |                       v
 *	   |                    core/         counts and records:
 *	   |                       |            sitetab   call site, cache --> counters
 *	   |                       |            objtab    address --> live object
 *	   |                       |            pagealloc page frame --> its allocation
 *	   |                       |
 *	   |  - - - - - - - - - -  |  - - - - - any context above, process context below
 *	   |                       v
 *	   |                    report/       snapshot, sort, print
 *	   |                       |
 *	   |                       v
 *	control.c <------------ /sys/kernel/debug/kmemacct/, /proc/kmemacct
 *
 * state.h has the state that all parts share.  engine.c starts and stops all parts.  This file has
 * the module parameters; setting.c parses and applies their values.  sampling.c switches between
 * recording every object and sampling.  overhead.c measures the CPU time that the module costs, and
 * limits it.  marks.c notes what is live every 10 s, so that tables show how much has changed
 * since.  baseline.c stores the sums that tables subtract after a `reset`.  countmaps.c has the
 * countmaps, which count events by a key.  memhotplug.c handles memory that is added at run time.
 * selftest.c tests at load whether the kernel's events are what the module expects.
 */
#include <linux/capability.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "../include/kmemacct_abi.h"
#include "engine.h"
#include "setting.h"
#include "state.h"

/* True while the module runs, with all settings in effect.  Protected by kernel_param_lock(). */
static bool kma_started;

/*
 * Values of the parameters at load, for kma_engine_start(); NULL for a parameter that was not
 * given.  Protected by kernel_param_lock().
 */
static char *kma_param_text[KMA_SETTING_NR];

static enum kma_setting_nr kma_param_nr(const struct kernel_param *kp)
{
	return (const struct kma_setting *)kp->arg - kma_settings;
}

/* Like other boolean parameters, a flag may be Y or N, and without a value it is 1. */
static const char *kma_param_value(enum kma_setting_nr nr, const char *val)
{
	bool on;

	if (strcmp(kma_settings[nr].unit, "flag"))
		return val ?: "";
	if (val && kstrtobool(val, &on))
		return val;
	return !val || on ? "1" : "0";
}

static int kma_param_set(const char *text, const struct kernel_param *kp)
{
	const enum kma_setting_nr nr = kma_param_nr(kp);
	const char *val = kma_param_value(nr, text);
	char *copy;
	int ret;

	if (kma_started)
		return capable(CAP_SYS_ADMIN) ? kma_setting_write(nr, val) : -EPERM;
	ret = kma_setting_check(nr, val);
	if (ret)
		return ret;
	/* Make a copy, because the kernel may free its own before the module starts. */
	copy = kma_small_text(val);
	if (!copy)
		return -ENOMEM;
	kma_small_free(kma_param_text[nr]);
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

	kma_small_free(kma_param_text[nr]);
	kma_param_text[nr] = NULL;
}

static const struct kernel_param_ops kma_param_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = kma_param_set,
	.get = kma_param_get,
	.free = kma_param_free,
};

/*
 * For each row of KMA_SETTINGS: a parameter with the name of the row, and a line in modinfo.
 *
 * If the module is built in, the kernel would set other kinds of parameters before it can
 * allocate memory.  It sets these just before the core initcalls.
 */
#define X(name, mode, unit, range, init, help)				\
core_param_cb(name, &kma_param_ops, (void *)&kma_settings[KMA_SETTING_##name], mode); \
MODULE_PARM_DESC(name, help " (" unit ": " range "; default '" init "')");
KMA_SETTINGS(X)
#undef X

/*
 * The files of the parameters exist from before the module starts until after it has stopped.
 * While the module starts, kernel_param_lock() makes writers wait.
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

/*
 * If the module is built in, this is the earliest time at which it can start: debugfs and
 * kprobes are initialized by earlier initcalls.
 */
core_initcall_sync(kma_main_init);
module_exit(kma_main_exit);

MODULE_DESCRIPTION("Kernel memory accounting: live objects and call sites, from the kmem tracepoints");
MODULE_AUTHOR("The kmemacct authors");
MODULE_VERSION(KMA_VERSION);
MODULE_LICENSE("GPL");
