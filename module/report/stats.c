// SPDX-License-Identifier: GPL-2.0
/* `stats`: the state of the module itself, and its counters since the last reset. */
#include <linux/cpumask.h>

#include "../baseline.h"
#include "../countmap_recycling.h"
#include "../overhead.h"
#include "../resolve/cacheinfo.h"
#include "../sampling.h"
#include "../selftest.h"
#include "../state.h"
#include "../trace/bulk.h"
#include "../trace/cache.h"
#include "../trace/memstall.h"
#include "../trace/nolock.h"
#include "../marks.h"
#include "../recycling.h"
#include "../trace/latency_track.h"
#include "../trace/owner.h"
#include "../trace/page_bulk.h"
#include "../trace/page_track.h"
#include "../trace/phase.h"
#include "../trace/reclaim_functions.h"
#include "../trace/slow_path.h"
#include "../trace/acct.h"
#include "../trace/slab.h"
#include "../trace/tracepoint.h"
#include "keyval.h"
#include "rows_site.h"

/* Sums over all rows: what they have counted since the last reset, and live records. */
struct kma_stats_sums {
	struct kma_row since;
	u64 live;
};

static int kma_stats_rows(struct kma_snapshot *snap, struct kma_stats_sums *all)
{
	u32 i, nr = kma_rows_site_nr();
	struct kma_row since;
	int ret = 0;
	u64 live;

	*all = (struct kma_stats_sums) {};
	for (i = 0; !ret && i < nr; i++) {
		if (kma_rows_site_recorded(i, &since, &live)) {
			all->since.hits += since.hits;
			all->since.bulk += since.bulk;
			all->since.frees += since.frees;
			all->live += live;
		}
		ret = kma_snapshot_pause(snap);
	}
	return ret;
}

static void kma_stats_add_live(struct kma_snapshot *snap, const struct kma_stats_sums *all,
			       const struct kma_stats *stats)
{
	u64 slots = kma_objtab_buckets(&kma_core.obj) * KMA_SLOTS;

	kma_keyval_add(snap, "live_max", KMA_FORMAT_U64, kma_config.live_max);
	kma_keyval_add(snap, "live_objs", KMA_FORMAT_U64, all->live);
	kma_keyval_add(snap, "live_slots", KMA_FORMAT_U64, slots);
	kma_keyval_add(snap, "live_fill_pct", KMA_FORMAT_MILLI,
		       div64_u64(all->live * 100000, slots));
	kma_keyval_add(snap, "recorded_allocs", KMA_FORMAT_U64, all->since.hits);
	kma_keyval_add(snap, "recorded_bulk", KMA_FORMAT_U64, all->since.bulk);
	kma_keyval_add(snap, "recorded_frees", KMA_FORMAT_U64, all->since.frees);
	kma_keyval_add(snap, "live_spilled", KMA_FORMAT_U64,
		       stats->v[KMA_STAT_spill_in] - stats->v[KMA_STAT_spill_out]);
}

static void kma_stats_add_sites(struct kma_snapshot *snap)
{
	const struct kma_sitetab *t = &kma_core.sites;

	kma_keyval_add(snap, "sites_max", KMA_FORMAT_U64, t->sites_max);
	kma_keyval_add(snap, "sites_used", KMA_FORMAT_U64, kma_sitetab_used(t));
	kma_keyval_add(snap, "sites_retired", KMA_FORMAT_U64,
		       atomic_read(&t->retired));
	kma_keyval_add(snap, "sites_recycled", KMA_FORMAT_U64, kma_recycling_rows());
	kma_keyval_add(snap, "countmap_recycled", KMA_FORMAT_U64, kma_countmap_recycling_rows());
	kma_keyval_add(snap, "cgroups_counted", KMA_FORMAT_U64, kma_acct_nr_chosen());
	kma_keyval_add(snap, "stacks_used", KMA_FORMAT_U64, atomic_read(&t->stacks));
	kma_keyval_add(snap, "sites_inner", KMA_FORMAT_U64, t->nr_internal);
	kma_keyval_add(snap, "caches_max", KMA_FORMAT_U64, KMA_CACHES_MAX);
	kma_keyval_add(snap, "caches_used", KMA_FORMAT_U64,
		       kma_cachetab_used(&t->caches));
	kma_keyval_add(snap, "caches_recycled", KMA_FORMAT_U64, kma_recycling_caches());
	kma_keyval_add(snap, "cache_lookup_exact", KMA_FORMAT_U64,
		       kma_cacheinfo_exact());
}

static void kma_stats_add_history(struct kma_snapshot *snap)
{
	const struct kma_history *h = &kma_history;

	kma_keyval_add(snap, "history_max", KMA_FORMAT_U64, h->nr_slots);
	kma_keyval_add(snap, "history_used", KMA_FORMAT_U64, h->used);
	kma_keyval_add(snap, "history_full", KMA_FORMAT_U64, h->full);
	kma_keyval_add(snap, "history_marks", KMA_FORMAT_U64, h->marks);
	kma_keyval_add(snap, "history_step_s", KMA_FORMAT_U64, h->step);
	kma_keyval_add(snap, "history_us", KMA_FORMAT_U64, kma_marks_last_us());
}

static void kma_stats_add_owners(struct kma_snapshot *snap)
{
	kma_keyval_add(snap, "owners_max", KMA_FORMAT_U64, kma_owners.nr - kma_owners.reserved);
	kma_keyval_add(snap, "owners_used", KMA_FORMAT_U64, kma_idtab_used(&kma_owners));
	kma_keyval_add(snap, "owners_recycled", KMA_FORMAT_U64, kma_owner_recycled());
	kma_keyval_add(snap, "owner_cgroups_max", KMA_FORMAT_U64,
		       kma_cgroups.nr - kma_cgroups.reserved);
	kma_keyval_add(snap, "owner_cgroups_used", KMA_FORMAT_U64, kma_idtab_used(&kma_cgroups));
	kma_keyval_add(snap, "owner_cgroups_recycled", KMA_FORMAT_U64, kma_owner_recycled_paths());
}

/*
 * Add which functions are followed, and whether mm_page_free finds objects whose free was
 * missed.
 */
static void kma_stats_add_followed(struct kma_snapshot *snap)
{
	const char *name;

	kma_keyval_add(snap, "free_bulk_followed", KMA_FORMAT_U64,
		       kma_bulk_frees_followed());
	kma_keyval_add(snap, "alloc_bulk_followed", KMA_FORMAT_U64,
		       kma_bulk_allocs_followed());
	kma_keyval_add(snap, "alloc_bulk_missed", KMA_FORMAT_U64,
		       kma_bulk_allocs_missed());
	kma_keyval_add(snap, "alloc_nolock_followed", KMA_FORMAT_U64,
		       kma_nolock_allocs_followed());
	kma_keyval_add(snap, "alloc_nolock_missed", KMA_FORMAT_U64,
		       kma_nolock_allocs_missed());
	kma_keyval_add(snap, "net_page_free", KMA_FORMAT_U64,
		       !READ_ONCE(kma_core.obj.pages.fixed));
	kma_keyval_add(snap, "page_bulk_followed", KMA_FORMAT_U64,
		       kma_page_bulk_followed());
	kma_keyval_add(snap, "page_bulk_missed", KMA_FORMAT_U64,
		       kma_page_bulk_missed());
	kma_keyval_add(snap, "cache_destroy_followed", KMA_FORMAT_U64,
		       kma_cache_destroy_followed() &&
		       kma_selftest_result(KMA_PATH_cache_destroy, &name) != KMA_PATH_FAILED);
}

/* Add the results of the self-test. */
static void kma_stats_add_selftest(struct kma_snapshot *snap)
{
	enum kma_path_result result;
	const char *name;
	int nr;

	kma_keyval_add(snap, "selftest_us", KMA_FORMAT_U64, kma_selftest_us());
	kma_keyval_add(snap, "selftest_failed", KMA_FORMAT_U64, kma_selftest_failed());
	for (nr = 0; nr < KMA_PATH_NR; nr++) {
		result = kma_selftest_result(nr, &name);
		kma_keyval_add(snap, name, KMA_FORMAT_U64, result);
	}
}

static void kma_stats_add_overhead(struct kma_snapshot *snap)
{
	struct kma_overhead m = kma_overhead_read();

	kma_keyval_add(snap, "sample_bytes", KMA_FORMAT_U64, kma_sampling_bytes());
	kma_keyval_add(snap, "sample_bytes_now", KMA_FORMAT_U64, kma_sampling_now());
	kma_keyval_add(snap, "budget_raised", KMA_FORMAT_U64, m.raised);
	kma_keyval_add(snap, "budget_lowered", KMA_FORMAT_U64, m.lowered);
	kma_keyval_add(snap, "budget_pct", KMA_FORMAT_U64, kma_overhead_budget_pct());
	kma_keyval_add(snap, "cpu_pct", KMA_FORMAT_MILLI, m.share);
	kma_keyval_add(snap, "cpu_pct_se", KMA_FORMAT_MILLI, m.share_se);
	kma_keyval_add(snap, "event_ns", KMA_FORMAT_MILLI, m.event_ps);
	kma_keyval_add(snap, "event_ns_se", KMA_FORMAT_MILLI, m.event_ps_se);
}

static void kma_stats_add_slots(struct kma_snapshot *snap)
{
	u32 used, slots = kma_phase_slots(&used);

	kma_keyval_add(snap, "stall_slots", KMA_FORMAT_U64, slots);
	kma_keyval_add(snap, "stall_slots_used", KMA_FORMAT_U64, used);
}

/* For how long kma_lock was held, and for what. */
static void kma_stats_add_lock(struct kma_snapshot *snap)
{
	static const char *const names[] = {
		[KMA_LOCK_START] = "lock_max_us_start",
		[KMA_LOCK_COMMAND] = "lock_max_us_command",
		[KMA_LOCK_RESET] = "lock_max_us_reset",
		[KMA_LOCK_MODULE] = "lock_max_us_module",
		[KMA_LOCK_TABLE] = "lock_max_us_table",
		[KMA_LOCK_WORKER] = "lock_max_us_worker",
	};
	int i;

	static_assert(ARRAY_SIZE(names) == KMA_LOCK_NR);
	kma_keyval_add(snap, "lock_max_us", KMA_FORMAT_U64, kma_lock_max_us(KMA_LOCK_NR));
	for (i = 0; i < KMA_LOCK_NR; i++)
		kma_keyval_add(snap, names[i], KMA_FORMAT_U64, kma_lock_max_us(i));
}

/* Each function that may be followed, and the calls that were missed. */
static void kma_stats_add_functions(struct kma_snapshot *snap)
{
	bool followed;
	const char *name;
	int i;

	kma_keyval_add(snap, "followed_memstall", KMA_FORMAT_U64, kma_memstall_followed());
	kma_keyval_add(snap, "followed_throttle_direct_reclaim", KMA_FORMAT_U64,
		       kma_memstall_throttle_followed());
	kma_keyval_add(snap, "followed_slow_path", KMA_FORMAT_U64, kma_slow_path_followed());
	kma_keyval_add(snap, "slow_path_missed", KMA_FORMAT_U64, kma_slow_path_missed());
	for (i = 0; (name = kma_reclaim_function(i, &followed)); i++)
		kma_keyval_add(snap, name, KMA_FORMAT_U64, followed);
	kma_keyval_add(snap, "functions_missed", KMA_FORMAT_U64,
		       kma_reclaim_functions_missed());
}

static int kma_stats_fill(struct kma_snapshot *snap)
{
	struct kma_stats_sums all;
	struct kma_stats stats;
	int i, ret;

	if (kma_snapshot_room(snap, KMA_KEYVALS_MAX))
		return -ENOMEM;
	kma_stats_sum(&stats);
	ret = kma_stats_rows(snap, &all);
	if (ret)
		return ret;
	kma_keyval_add(snap, "enabled", KMA_FORMAT_U64, kma_slab_recording());
	kma_keyval_add(snap, "tracepoints_attached", KMA_FORMAT_U64,
		       kma_tracepoints_attached());
	kma_stats_add_followed(snap);
	kma_stats_add_selftest(snap);
	kma_stats_add_overhead(snap);
	kma_keyval_add(snap, "memory_bytes", KMA_FORMAT_U64, kma_state_bytes());
	kma_keyval_add(snap, "memory_vmalloc_bytes", KMA_FORMAT_U64, kma_env_memory_areas());
	kma_stats_add_live(snap, &all, &stats);
	kma_stats_add_sites(snap);
	kma_stats_add_history(snap);
	kma_stats_add_owners(snap);
	kma_stats_add_lock(snap);
	kma_stats_add_functions(snap);
	kma_stats_add_slots(snap);
	kma_stats_since(&stats, &kma_baseline.stats);
	for (i = 0; i < KMA_STAT_NR; i++)
		kma_keyval_add(snap, kma_stat_name(i), KMA_FORMAT_U64, stats.v[i]);
	return 0;
}

const struct kma_table_ops kma_stats_ops = {
	.row_size = sizeof(struct kma_keyval),
	.fill = kma_stats_fill,
	.show = kma_keyval_show,
};
