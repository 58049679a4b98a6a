// SPDX-License-Identifier: GPL-2.0
/*
 * kmemacct: who holds the kernel's memory, live.
 *
 *	tracepoint              probe.c         decodes
 *	   |                       |
 *	   |                       v
 *	   |                    core/record.h   counts and records:
 *	   |                       |  core/sitetab  call site, cache --> counters
 *	   |                       |  core/objtab   address --> live object
 *	   |                       |
 *	   |  - - - - - - - - - -  |  - - - - - any context above, process below
 *	   |                       v
 *	   |                    report/         snapshot, sort, print
 *	   |                       |
 *	   |                       v
 *	control.c <------------ /sys/kernel/debug/kmemacct/, /proc/kmemacct
 *
 * To the side: cacheinfo.c and symbol.c put names to caches and call sites,
 * engine.c starts and stops it all.  This file is parameters and nothing else.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "kmemacct.h"

static unsigned long long live_max;
module_param(live_max, ullong, 0400);
MODULE_PARM_DESC(live_max,
		 "live objects there is always room for, 1 to 16777216; 0: as many as fit into 1/128 of the RAM, at least 65536 (default 0)");

static unsigned int sites_max = KMA_SITES_DEFAULT;
module_param(sites_max, uint, 0400);
MODULE_PARM_DESC(sites_max,
		 "pairs of call site and cache that are counted apart, 64 to 64512 (default 8192)");

static char *bulk = "auto";
module_param(bulk, charp, 0400);
MODULE_PARM_DESC(bulk,
		 "follow kmem_cache_alloc_bulk() and kmem_cache_free_bulk(), which have no tracepoints: auto or off (default auto)");

static bool kma_started;
static bool kma_param_enabled = true;

static int kma_enabled_set(const char *val, const struct kernel_param *kp)
{
	int ret = param_set_bool(val, kp);

	/* Before the start it is only noted: kma_main_init() looks at it. */
	if (!ret && kma_started)
		kma_control_enable(kma_param_enabled);
	return ret;
}

static int kma_enabled_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", kma_control_enabled());
}

static const struct kernel_param_ops kma_enabled_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = kma_enabled_set,
	.get = kma_enabled_get,
};

module_param_cb(enabled, &kma_enabled_ops, &kma_param_enabled, 0600);
MODULE_PARM_DESC(enabled, "record allocations, 0 or 1; can be changed at any time (default 1)");

static int __init kma_main_init(void)
{
	const struct kma_config config = {
		.live_max = live_max,
		.sites_max = sites_max,
		.enabled = kma_param_enabled,
		.bulk = bulk,
	};
	int ret = kma_engine_start(&config);

	if (ret)
		return ret;
	live_max = kma_config.live_max;
	kma_started = true;
	return 0;
}

static void __exit kma_main_exit(void)
{
	kma_started = false;
	kma_engine_stop();
}

module_init(kma_main_init);
module_exit(kma_main_exit);

MODULE_DESCRIPTION("Kernel memory accounting: live objects and call sites, from the kmem tracepoints");
MODULE_AUTHOR("The kmemacct authors");
MODULE_LICENSE("GPL");
