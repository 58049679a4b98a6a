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
#include <linux/string.h>

#include "control.h"
#include "engine.h"
#include "overhead.h"
#include "sampling.h"
#include "trace/acct_track.h"
#include "trace/page_track.h"

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

/* Protected by kernel_param_lock(), as what is below. */
static bool kma_started;
static bool kma_param_enabled = true;

static int kma_enabled_set(const char *val, const struct kernel_param *kp)
{
	int ret = param_set_bool(val, kp);

	/* Before the start it is only noted: kma_main_start() looks at it. */
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

static u64 kma_param_sample_bytes;

static int kma_sample_set_param(const char *val, const struct kernel_param *kp)
{
	u64 bytes;
	int ret = kma_sampling_parse(val, &bytes);

	if (ret)
		return ret;
	if (kma_started)
		return kma_control_sample(bytes);
	kma_param_sample_bytes = bytes;
	return 0;
}

static int kma_sample_get_param(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%llu\n", kma_sampling_bytes());
}

static const struct kernel_param_ops kma_sample_ops = {
	.set = kma_sample_set_param,
	.get = kma_sample_get_param,
};

module_param_cb(sample_bytes, &kma_sample_ops, NULL, 0600);
MODULE_PARM_DESC(sample_bytes,
		 "record one object for so many bytes on average, a power of two from 4K to 64M; 0: record all; can be changed at any time (default 0)");

/* At first as a number, later by the engine. */
static unsigned int kma_param_budget_pct = KMA_BUDGET_DEFAULT;

static int kma_budget_set(const char *val, const struct kernel_param *kp)
{
	int ret = param_set_uint_minmax(val, kp, 0, KMA_BUDGET_MAX);

	if (!ret && kma_started)
		kma_control_budget(kma_param_budget_pct);
	return ret;
}

static int kma_budget_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%u\n", kma_overhead_budget_pct());
}

static const struct kernel_param_ops kma_budget_ops = {
	.set = kma_budget_set,
	.get = kma_budget_get,
};

module_param_cb(budget_pct, &kma_budget_ops, &kma_param_budget_pct, 0600);
MODULE_PARM_DESC(budget_pct,
		 "while objects are sampled, take at most so many per cent of the CPUs by sampling fewer, 0 to 100, 0: whatever it takes; can be changed at any time (default 1)");

static enum kma_pages_mode kma_param_pages;

static int kma_pages_set_param(const char *val, const struct kernel_param *kp)
{
	char text[16];
	int mode;

	strscpy(text, val, sizeof(text));
	mode = kma_pages_parse(strim(text));
	if (mode < 0)
		return mode;
	if (kma_started)
		return kma_control_pages(mode);
	kma_param_pages = mode;
	return 0;
}

static int kma_pages_get_param(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", kma_pages_name());
}

static const struct kernel_param_ops kma_pages_ops = {
	.set = kma_pages_set_param,
	.get = kma_pages_get_param,
};

module_param_cb(pages, &kma_pages_ops, NULL, 0600);
MODULE_PARM_DESC(pages,
		 "track pages: off, classes (by order, migrate type and gfp flags) or sites (and by call site), for 16 bytes for each page of RAM; can be changed at any time (default off)");

static u64 kma_param_page_sample_bytes;

static int kma_page_sample_set_param(const char *val, const struct kernel_param *kp)
{
	u64 bytes;
	int ret = kma_sampling_parse(val, &bytes);

	if (ret)
		return ret;
	if (kma_started)
		kma_control_page_sample(bytes);
	else
		kma_param_page_sample_bytes = bytes;
	return 0;
}

static int kma_page_sample_get_param(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%llu\n", kma_pages_bytes());
}

static const struct kernel_param_ops kma_page_sample_ops = {
	.set = kma_page_sample_set_param,
	.get = kma_page_sample_get_param,
};

module_param_cb(page_sample_bytes, &kma_page_sample_ops, NULL, 0600);
MODULE_PARM_DESC(page_sample_bytes,
		 "look for the call sites of one block of pages for so many bytes on average, as sample_bytes; 0: of all; can be changed at any time (default 0)");

static unsigned long kma_param_account;

static int kma_account_set_param(const char *val, const struct kernel_param *kp)
{
	char text[KMA_ACCT_LEN];
	unsigned long which;

	if (strscpy(text, val, sizeof(text)) < 0 || kma_acct_parse(strim(text), &which))
		return -EINVAL;
	if (kma_started)
		return kma_control_account(which);
	kma_param_account = which;
	return 0;
}

static int kma_account_get_param(char *buf, const struct kernel_param *kp)
{
	char account[KMA_ACCT_LEN];

	kma_acct_print(account);
	return sysfs_emit(buf, "%s\n", account);
}

static const struct kernel_param_ops kma_account_ops = {
	.set = kma_account_set_param,
	.get = kma_account_get_param,
};

module_param_cb(account, &kma_account_ops, NULL, 0600);
MODULE_PARM_DESC(account,
		 "count what is done by tasks, cgroups, comm_sites or comm_syscalls, several with commas between them, or off; can be changed at any time (default off)");

/* Values until the module starts. */
#define KMA_PARAM_LEN	1024

static char kma_param_filter[KMA_PARAM_LEN];

/* As it is when the module is loaded; a copy, for the kernel's is gone by the start. */
static int kma_param_keep(char kept[KMA_PARAM_LEN], const char *val)
{
	return strscpy(kept, val, KMA_PARAM_LEN) < 0 ? -ENOSPC : 0;
}

static int kma_filter_set_param(const char *val, const struct kernel_param *kp)
{
	return kma_started ? kma_control_filter(val) : kma_param_keep(kma_param_filter, val);
}

static int kma_filter_get_param(char *buf, const struct kernel_param *kp)
{
	return kma_control_filter_text(buf);
}

static const struct kernel_param_ops kma_filter_ops = {
	.set = kma_filter_set_param,
	.get = kma_filter_get_param,
};

module_param_cb(filter, &kma_filter_ops, NULL, 0600);
MODULE_PARM_DESC(filter,
		 "record only allocations that match: criteria and values as of control's command filter, with ; between several; empty or off: all; can be changed at any time (default off)");

static char kma_param_skip[KMA_PARAM_LEN];

static int kma_skip_set_param(const char *val, const struct kernel_param *kp)
{
	return kma_started ? kma_control_skip(val) : kma_param_keep(kma_param_skip, val);
}

static int kma_skip_get_param(char *buf, const struct kernel_param *kp)
{
	return kma_control_skip_text(buf);
}

static const struct kernel_param_ops kma_skip_ops = {
	.set = kma_skip_set_param,
	.get = kma_skip_get_param,
};

module_param_cb(skip, &kma_skip_ops, NULL, 0600);
MODULE_PARM_DESC(skip,
		 "changes to the list of functions that are no call sites of pages: add PATTERN or del PATTERN, with ; between several; empty: none; can be changed at any time (default empty)");

module_param_cb(enabled, &kma_enabled_ops, &kma_param_enabled, 0600);
MODULE_PARM_DESC(enabled, "record allocations, 0 or 1; can be changed at any time (default 1)");

static int __init kma_main_start(void)
{
	const struct kma_config config = {
		.live_max = live_max,
		.sites_max = sites_max,
		.enabled = kma_param_enabled,
		.bulk = bulk,
		.sample_bytes = kma_param_sample_bytes,
		.budget_pct = kma_param_budget_pct,
		.pages = kma_param_pages,
		.page_sample_bytes = kma_param_page_sample_bytes,
		.account = kma_param_account,
		.filter = kma_param_filter,
		.skip = kma_param_skip,
	};
	int ret = kma_engine_start(&config);

	if (ret)
		return ret;
	live_max = kma_config.live_max;
	kma_started = true;
	return 0;
}

/*
 * The files of the parameters are there before the module starts, and until after
 * it has stopped.  Who writes to `enabled` meanwhile waits, and is then heard.
 */
static int __init kma_main_init(void)
{
	int ret;

	kernel_param_lock(THIS_MODULE);
	ret = kma_main_start();
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
