// SPDX-License-Identifier: GPL-2.0
/*
 * Everything between insmod and rmmod.
 *
 * Start is a ladder: each step needs the ones above it, and on failure the
 * steps above are undone in reverse.  Stop is the same ladder read backwards.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "kmemacct.h"

struct kma_core kma_core;
struct kma_config kma_config;

static u64 kma_ram_bytes(void)
{
	return (u64)totalram_pages() << PAGE_SHIFT;
}

/* As many objects as fit into 1/128 of the RAM. */
static u64 kma_live_default(void)
{
	u64 many = 1ULL << 20;
	u64 per_object = div_u64(kma_objtab_bytes(many, 0), many);

	return clamp(div64_u64(kma_ram_bytes() / 128, per_object),
		     KMA_LIVE_DEFAULT_MIN, KMA_LIVE_MAX);
}

static int kma_config_check(void)
{
	struct kma_config *c = &kma_config;

	if (!c->live_max)
		c->live_max = kma_live_default();
	if (c->live_max < KMA_LIVE_MIN || c->live_max > KMA_LIVE_MAX) {
		pr_err("live_max=%llu: must be %llu to %llu objects, or 0 for 1/128 of the RAM\n",
		       c->live_max, KMA_LIVE_MIN, KMA_LIVE_MAX);
		return -EINVAL;
	}
	if (c->sites_max < KMA_SITES_MIN || c->sites_max > KMA_SITES_MAX) {
		pr_err("sites_max=%u: must be %u to %u rows\n", c->sites_max,
		       KMA_SITES_MIN, KMA_SITES_MAX);
		return -EINVAL;
	}
	if (strcmp(c->bulk, "auto") && strcmp(c->bulk, "off")) {
		pr_err("bulk=%s: must be auto or off\n", c->bulk);
		return -EINVAL;
	}
	return 0;
}

u64 kma_engine_bytes(void)
{
	return kma_core_bytes(kma_config.live_max, kma_config.sites_max, nr_cpu_ids,
			      kma_core.obj.pages.mask + 1);
}

u64 kma_engine_bytes_max(void)
{
	return kma_ram_bytes() / 16;
}

static int kma_tables_make(void)
{
	u64 pfns = kma_memhotplug_pfns();
	u64 bytes = kma_core_bytes(kma_config.live_max, kma_config.sites_max,
				   nr_cpu_ids, pfns);

	if (bytes > kma_engine_bytes_max()) {
		pr_err("tables for live_max=%llu and sites_max=%u take %llu KiB, more than 1/16 of the RAM (%llu KiB): use smaller ones\n",
		       kma_config.live_max, kma_config.sites_max, bytes >> 10,
		       kma_engine_bytes_max() >> 10);
		return -ENOMEM;
	}
	if (kma_core_init(&kma_core, kma_config.live_max, kma_config.sites_max,
			  pfns)) {
		pr_err("no memory for tables of %llu KiB: use smaller live_max or sites_max\n",
		       bytes >> 10);
		return -ENOMEM;
	}
	pr_info("up to %llu live objects and %u call sites, tables take %llu KiB\n",
		kma_config.live_max, kma_config.sites_max, bytes >> 10);
	return 0;
}

int kma_engine_start(const struct kma_config *config)
{
	int ret;

	kma_config = *config;
	ret = kma_config_check();
	if (ret)
		return ret;
	ret = kma_cacheinfo_init();
	if (ret)
		return ret;
	if (kma_config.sample_bytes && !kma_cacheinfo_has_bytes()) {
		pr_err("sample_bytes: struct kmem_cache not understood: only 0 can be set\n");
		return -EOPNOTSUPP;
	}
	ret = kma_tables_make();
	if (ret)
		return ret;
	kma_stats_start();
	kma_sampling_start();
	ret = kma_stack_start();
	if (ret)
		goto tables;
	ret = kma_memhotplug_start();
	if (ret)
		goto stack;
	ret = kma_symbol_start();
	if (ret)
		goto ram;
	kma_ftrace_hooks_start(!strcmp(kma_config.bulk, "auto"));
	kma_bulk_start();
	ret = kma_probes_start();
	if (ret)
		goto bulk;
	kma_overhead_start();
	ret = kma_control_start();
	if (ret)
		goto control;
	ret = kma_control_pages(kma_config.pages) ?: kma_control_account(kma_config.by);
	if (ret) {
		pr_err("cannot apply pages= or account=: error %d\n", ret);
		goto control;
	}
	/* Last: who has one of the files open may keep it, and what it leads to, for long. */
	ret = kma_report_start();
	if (!ret)
		return 0;

control:
	kma_control_stop();
	kma_overhead_stop();
	kma_control_forget();
	kma_probes_stop();
bulk:
	kma_bulk_stop();
	kma_ftrace_hooks_stop();
	kma_symbol_stop();
ram:
	kma_memhotplug_stop();
stack:
	kma_stack_stop();
tables:
	kma_core_destroy(&kma_core);
	return ret;
}

void kma_engine_stop(void)
{
	/* Waits until nobody is inside a file's functions: no setting changes any more. */
	kma_report_stop();
	/* Nothing more is recorded. */
	kma_control_stop();
	kma_overhead_stop();
	kma_control_forget();
	/* Waits until no probe runs: nobody writes to the tables any more. */
	kma_probes_stop();
	kma_bulk_stop();
	/* Likewise, and the last that look at them: hooks and two notifiers. */
	kma_ftrace_hooks_stop();
	kma_symbol_stop();
	kma_memhotplug_stop();
	kma_stack_stop();
	kma_core_destroy(&kma_core);
}
