// SPDX-License-Identifier: GPL-2.0
/*
 * Starting and stopping all parts of the module.
 *
 * Each step of kma_engine_start() needs the steps before it.  If a step fails, the steps
 * before it are undone in reverse order.  kma_engine_stop() undoes all steps in reverse
 * order.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/printk.h>

#include "baseline.h"
#include "compat.h"
#include "control.h"
#include "core/stat.h"
#include "countmap_recycling.h"
#include "engine.h"
#include "full.h"
#include "identity.h"
#include "incidents.h"
#include "marks.h"
#include "match/caller.h"
#include "match/filter.h"
#include "memhotplug.h"
#include "overhead.h"
#include "recycling.h"
#include "report/capture.h"
#include "report/incident_file.h"
#include "report/kernel_log.h"
#include "report/tables.h"
#include "resolve/cacheinfo.h"
#include "resolve/shrinker.h"
#include "resolve/stack.h"
#include "resolve/symbol.h"
#include "sampling.h"
#include "selftest.h"
#include "setting.h"
#include "state.h"
#include "trace/acct.h"
#include "trace/bulk.h"
#include "trace/failures.h"
#include "trace/memstall.h"
#include "trace/nolock.h"
#include "trace/oom.h"
#include "trace/owner.h"
#include "trace/page.h"
#include "trace/pcp.h"
#include "trace/phase.h"
#include "trace/slab.h"
#include "trace/slow.h"
#include "trace/slow_path.h"
#include "trace/timing.h"
#include "trace/wakers.h"

/* ---- modules that are loaded and unloaded ---------------------------------- */

/*
 * A module is loaded or unloaded, so other code may be at an address from now on.  Forget what
 * is cached about call sites, and keep the names of call sites whose module is unloaded.
 */
static int kma_module_notify(struct notifier_block *nb, unsigned long state, void *mod)
{
	kma_lock_take(KMA_LOCK_MODULE);
	kma_incidents_accept();
	kma_caller_forget();
	kma_memstall_forget();
	kma_filter_forget();
	kma_symbol_change_map(KMA_COUNTMAP_EXTFRAG, KMA_FALLBACK_SITE, mod, state);
	kma_symbol_change_map(KMA_COUNTMAP_COMM_SITES, KMA_ACCT_SITE, mod, state);
	kma_symbol_change_map(KMA_COUNTMAP_CGROUP_SITES, KMA_ACCT_SITE, mod, state);
	kma_symbol_change_map(KMA_COUNTMAP_FAILURES, KMA_FAILURE_SITE, mod, state);
	kma_symbol_change_map(KMA_COUNTMAP_SHRINKERS, KMA_SHRINKER_SCAN, mod, state);
	kma_symbol_change_map(KMA_COUNTMAP_STALLS, KMA_STALL_SITE, mod, state);
	kma_symbol_change_map(KMA_COUNTMAP_WAITS, KMA_WAIT_SITE, mod, state);
	kma_symbol_change_map(KMA_COUNTMAP_WAKERS, KMA_WAKER_SITE, mod, state);
	kma_symbol_change(mod, state);
	kma_slow_module_changes(mod, state);
	kma_identity.module_changes++;
	kma_state_changed();
	kma_lock_release();
	return NOTIFY_DONE;
}

static struct notifier_block kma_module_notifier = {
	.notifier_call = kma_module_notify,
};

static int kma_names_start(void)
{
	int ret = kma_symbol_start();

	if (ret)
		return ret;
	ret = register_module_notifier(&kma_module_notifier);
	if (!ret)
		return 0;
	pr_err("cannot register the module notifier: error %d\n", ret);
	kma_symbol_stop();
	return ret;
}

static void kma_names_stop(void)
{
	unregister_module_notifier(&kma_module_notifier);
	kma_symbol_stop();
}

/* ---- probes ---------------------------------------------------------------- */

/* Probes of frees are attached before probes of allocations: see trace/slab.h. */
static int kma_probes_start(void)
{
	int ret;

	kma_bulk_start();
	kma_nolock_start(kma_bulk_hooks_attached());
	kma_slow_path_start();
	kma_memstall_start();
	ret = kma_page_start();
	if (ret)
		goto bulk;
	ret = kma_slab_start();
	if (ret)
		goto page;
	kma_oom_start();
	return 0;
page:
	kma_page_stop();
bulk:
	kma_memstall_stop();
	kma_slow_path_stop();
	kma_nolock_stop();
	kma_bulk_stop();
	return ret;
}

static void kma_probes_stop(void)
{
	kma_oom_stop();
	kma_slab_stop();
	/* This waits until no probe of a tracepoint is running. */
	kma_page_stop();
	kma_memstall_stop();
	kma_slow_path_stop();
	kma_nolock_stop();
	/* This waits until no function is followed.  After that, nothing writes to the tables. */
	kma_bulk_stop();
}

/* ---- start and stop -------------------------------------------------------- */

/* The memory that the parts that start after the tables are going to allocate, in bytes. */
static u64 kma_parts_forecast(void)
{
	return kma_stack_forecast() + kma_caller_forecast() + kma_symbol_forecast() +
	       kma_bulk_forecast() + kma_nolock_forecast() + kma_owner_forecast() +
	       kma_slow_path_forecast() + kma_countmap_memory(KMA_COUNTMAP_FAILURES) +
	       kma_marks_forecast() + kma_log_forecast();
}

int kma_engine_start(const char *const text[KMA_SETTING_NR])
{
	int ret = kma_cacheinfo_init();

	if (ret)
		return ret;
	ret = kma_settings_load(text);
	if (ret)
		return ret;
	/* The forecast depends on these defaults. */
	kma_state_set_defaults();
	ret = kma_state_init(kma_memhotplug_pfns(), kma_parts_forecast());
	if (ret)
		return ret;
	kma_stats_start();
	kma_sampling_start();
	kma_timing_start();
	ret = kma_stack_start();
	if (ret)
		goto state;
	ret = kma_caller_start();
	if (ret)
		goto stack;
	ret = kma_owner_start();
	if (ret)
		goto caller;
	ret = kma_memhotplug_start();
	if (ret)
		goto owner;
	ret = kma_failures_start();
	if (ret)
		goto memhotplug;
	ret = kma_names_start();
	if (ret)
		goto failures;
	kma_recycling_start();
	ret = kma_marks_start();
	if (ret)
		goto names;
	ret = kma_probes_start();
	if (ret)
		goto marks;
	/* All probes are attached, and nothing is recorded yet. */
	kma_selftest_objects();
	kma_identity_start();
	kma_full_start();
	kma_countmap_recycling_start();
	kma_overhead_start();
	kma_baseline_start();
	ret = kma_log_start();
	if (ret)
		goto baseline;
	ret = kma_incidents_start(&kma_capture_ops);
	if (ret)
		goto log;
	ret = kma_settings_start(text);
	if (ret)
		goto settings;
	/*
	 * The files are created last.  Once they exist, a process may keep a file open for a
	 * long time, and everything that the file uses has to stay.
	 */
	ret = kma_report_start(&kma_control_fops, &kma_query_fops, &kma_incident_fops);
	if (ret)
		goto settings;
	if (!KMA_KERNEL_TESTED)
		pr_warn("not tested on this kernel version\n");
	return 0;

settings:
	kma_incidents_stop();
	kma_settings_stop();
log:
	kma_log_stop();
baseline:
	kma_overhead_stop();
	kma_baseline_stop();
	kma_probes_stop();
marks:
	kma_marks_stop();
names:
	kma_names_stop();
failures:
	kma_failures_stop();
memhotplug:
	kma_memhotplug_stop();
owner:
	kma_owner_stop();
caller:
	kma_caller_stop();
stack:
	kma_stack_stop();
state:
	kma_state_destroy();
	return ret;
}

void kma_engine_stop(void)
{
	/*
	 * This waits until no process is reading or writing a file.  After that, no setting
	 * changes any more.
	 */
	kma_report_stop();
	/* The worker uses tables that settings switch off. */
	kma_incidents_stop();
	/* From here on, nothing is recorded. */
	kma_settings_stop();
	kma_log_stop();
	kma_overhead_stop();
	kma_baseline_stop();
	kma_probes_stop();
	kma_marks_stop();
	/* The notifiers are the last to use the tables. */
	kma_names_stop();
	kma_failures_stop();
	kma_memhotplug_stop();
	kma_owner_stop();
	kma_caller_stop();
	kma_stack_stop();
	kma_state_destroy();
}
