// SPDX-License-Identifier: GPL-2.0
/* The probes of reclaim, shrinkers and compaction: they decode the arguments.  See phase.h. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/shrinker.h>
#include <linux/time64.h>

/* The tracepoints of compaction have an argument of this type, which is not public. */
struct compact_control;

#include <trace/events/compaction.h>
#include <trace/events/vmscan.h>

#include "../compat.h"
#include "../core/stat.h"
#include "phase.h"
#include "reclaim.h"
#include "tracepoint.h"
#include "wakers.h"

/* The stack pointer of a probe: lower than that of the function that has the tracepoint. */
#define KMA_PROBE_SP	((unsigned long)__builtin_frame_address(0))

static const struct kma_phase_args kma_no_args = { .order = KMA_ORDER_NONE };

/* ---- reclaim ----------------------------------------------------------------------- */

/* Defines the probe of mm_vmscan_NAME_begin, and the functions that attach and detach it. */
#define KMA_RECLAIM_BEGINS(name, phase)							\
static notrace void kma_reclaim_probe_mm_vmscan_##name##_begin(void *data, KMA_RECLAIM_BEGIN) \
{											\
	const struct kma_phase_args args = { .order = order, .gfp = (__force u32)gfp };	\
											\
	kma_phase_begin(phase, &args, KMA_PROBE_SP);					\
}											\
											\
KMA_TRACEPOINT_BY_NAME(reclaim, mm_vmscan_##name##_begin)

/* Defines the probe of mm_vmscan_NAME_end, and the functions that attach and detach it. */
#define KMA_RECLAIM_ENDS(name, phase)							\
static notrace void kma_reclaim_probe_mm_vmscan_##name##_end(void *data, KMA_RECLAIM_END) \
{											\
	kma_phase_end(phase, NULL);							\
}											\
											\
KMA_TRACEPOINT_BY_NAME(reclaim, mm_vmscan_##name##_end)

KMA_RECLAIM_BEGINS(direct_reclaim, KMA_PHASE_DIRECT)
KMA_RECLAIM_ENDS(direct_reclaim, KMA_PHASE_DIRECT)
KMA_RECLAIM_BEGINS(memcg_reclaim, KMA_PHASE_MEMCG)
KMA_RECLAIM_ENDS(memcg_reclaim, KMA_PHASE_MEMCG)
KMA_RECLAIM_BEGINS(memcg_softlimit_reclaim, KMA_PHASE_SOFT_LIMIT)
KMA_RECLAIM_ENDS(memcg_softlimit_reclaim, KMA_PHASE_SOFT_LIMIT)
KMA_RECLAIM_ENDS(node_reclaim, KMA_PHASE_NODE)

static notrace void kma_reclaim_probe_mm_vmscan_node_reclaim_begin(void *data, int nid, int order,
								   gfp_t gfp)
{
	const struct kma_phase_args args = { .order = order, .gfp = (__force u32)gfp };

	kma_phase_begin(KMA_PHASE_NODE, &args, KMA_PROBE_SP);
}

static notrace void kma_reclaim_probe_mm_vmscan_kswapd_wake(void *data, int nid, int zid,
							    int order)
{
	const struct kma_waking w = { KMA_DAEMON_KSWAPD, nid, order, zid };

	kma_phase_begin(KMA_PHASE_KSWAPD, &kma_no_args, KMA_PROBE_SP);
	kma_wakers_begin(&w);
}

static notrace void kma_reclaim_probe_mm_vmscan_kswapd_sleep(void *data, int nid)
{
	kma_phase_end(KMA_PHASE_KSWAPD, NULL);
	kma_wakers_end(KMA_DAEMON_KSWAPD, nid);
}

static notrace void kma_reclaim_probe_mm_vmscan_wakeup_kswapd(void *data, int nid, int zid,
							      int order, gfp_t gfp)
{
	const struct kma_waking w = { KMA_DAEMON_KSWAPD, nid, order, zid };

	kma_stat_inc(kswapd_wakeups);
	kma_wakers_wake(&w);
}

#ifdef KMA_HAVE_BALANCE_EVENT
static notrace void kma_reclaim_probe_mm_vmscan_balance_pgdat_begin(void *data, int nid, int order,
								    int highest_zoneidx)
{
	kma_phase_begin(KMA_PHASE_BALANCE, &kma_no_args, KMA_PROBE_SP);
}

static notrace void kma_reclaim_probe_mm_vmscan_balance_pgdat_end(void *data, int nid, int order,
								  int highest_zoneidx,
								  unsigned long reclaimed)
{
	kma_phase_end(KMA_PHASE_BALANCE, NULL);
}

/* Defines kma_reclaim_attach_mm_vmscan_balance_pgdat_begin() and its kma_reclaim_detach_... */
KMA_TRACEPOINT_BY_NAME(reclaim, mm_vmscan_balance_pgdat_begin)
/* Defines kma_reclaim_attach_mm_vmscan_balance_pgdat_end() and its kma_reclaim_detach_... */
KMA_TRACEPOINT_BY_NAME(reclaim, mm_vmscan_balance_pgdat_end)
#endif

static notrace void kma_reclaim_probe_mm_vmscan_lru_shrink_inactive(void *data, int nid,
								    unsigned long scanned,
								    unsigned long reclaimed,
								    struct reclaim_stat *stat,
								    int priority, int file)
{
	kma_phase_pages(KMA_PHASE_LRU_INACTIVE, scanned, reclaimed);
}

static notrace void kma_reclaim_probe_mm_vmscan_lru_shrink_active(void *data, int nid,
								  unsigned long taken,
								  unsigned long active,
								  unsigned long deactivated,
								  unsigned long referenced,
								  int priority, int file)
{
	kma_phase_pages(KMA_PHASE_LRU_ACTIVE, taken, 0);
}

#ifdef KMA_HAVE_THROTTLED
static notrace void kma_reclaim_probe_mm_vmscan_throttled(void *data, int nid, int usec_timeout,
							  int usec_delayed, int reason)
{
	kma_phase_over(KMA_PHASE_THROTTLED, reason + 1,
		       (u64)max(usec_delayed, 0) * NSEC_PER_USEC);
}

/* Defines kma_reclaim_attach_mm_vmscan_throttled() and kma_reclaim_detach_mm_vmscan_throttled(). */
KMA_TRACEPOINT_BY_NAME(reclaim, mm_vmscan_throttled)
#endif

/* ---- shrinkers ----------------------------------------------------------------------- */

static notrace void kma_reclaim_probe_mm_shrink_slab_start(void *data, KMA_SHRINK_START)
{
	const struct kma_phase_args args = {
		.order = KMA_ORDER_NONE, .arg = total_scan, .shrinker = shrinker,
	};

	kma_phase_begin(KMA_PHASE_SHRINKER, &args, KMA_PROBE_SP);
}

static notrace void kma_reclaim_probe_mm_shrink_slab_end(void *data, KMA_SHRINK_END)
{
	const struct kma_phase_shrunk shrunk = {
		.left = total_scan, .freed = max(freed, 0),
	};

	kma_phase_end(KMA_PHASE_SHRINKER, &shrunk);
}

/* ---- compaction ------------------------------------------------------------------------ */

static notrace void kma_reclaim_probe_mm_compaction_begin(void *data, KMA_COMPACTION)
{
	kma_phase_begin(KMA_PHASE_COMPACTION, &kma_no_args, KMA_PROBE_SP);
}

static notrace void kma_reclaim_probe_mm_compaction_end(void *data, KMA_COMPACTION, int status)
{
	kma_phase_end(KMA_PHASE_COMPACTION, NULL);
}

static notrace void kma_reclaim_probe_mm_compaction_try_to_compact_pages(void *data, int order,
									 gfp_t gfp, int prio)
{
	kma_phase_compacts(order, (__force u32)gfp);
}

static notrace void kma_reclaim_probe_mm_compaction_deferred(void *data, struct zone *zone,
							     int order)
{
	kma_stat_inc(compact_deferred);
}

static notrace void kma_reclaim_probe_mm_compaction_kcompactd_wake(void *data, int nid, int order,
								   enum zone_type highest_zoneidx)
{
	const struct kma_waking w = { KMA_DAEMON_KCOMPACTD, nid, order, highest_zoneidx };
	const struct kma_phase_args args = { .order = order };

	kma_phase_begin(KMA_PHASE_KCOMPACTD, &args, KMA_PROBE_SP);
	kma_wakers_begin(&w);
}

static notrace void kma_reclaim_probe_mm_compaction_kcompactd_sleep(void *data, int nid)
{
	kma_phase_end(KMA_PHASE_KCOMPACTD, NULL);
	kma_wakers_end(KMA_DAEMON_KCOMPACTD, nid);
}

static notrace void kma_reclaim_probe_mm_compaction_wakeup_kcompactd(void *data, int nid,
								     int order,
								     enum zone_type highest_zoneidx)
{
	const struct kma_waking w = { KMA_DAEMON_KCOMPACTD, nid, order, highest_zoneidx };

	kma_wakers_wake(&w);
}

/* ---- the list ----------------------------------------------------------------------------- */

/* Each line defines two functions, kma_reclaim_attach_NAME() and kma_reclaim_detach_NAME(). */
KMA_TRACEPOINT_BY_NAME(reclaim, mm_vmscan_node_reclaim_begin)
KMA_TRACEPOINT_BY_NAME(reclaim, mm_vmscan_kswapd_wake)
KMA_TRACEPOINT_BY_NAME(reclaim, mm_vmscan_kswapd_sleep)
KMA_TRACEPOINT_BY_NAME(reclaim, mm_vmscan_wakeup_kswapd)
KMA_TRACEPOINT_BY_NAME(reclaim, mm_vmscan_lru_shrink_inactive)
KMA_TRACEPOINT_BY_NAME(reclaim, mm_vmscan_lru_shrink_active)
KMA_TRACEPOINT_BY_NAME(reclaim, mm_shrink_slab_start)
KMA_TRACEPOINT_BY_NAME(reclaim, mm_shrink_slab_end)
KMA_TRACEPOINT_BY_NAME(reclaim, mm_compaction_begin)
KMA_TRACEPOINT_BY_NAME(reclaim, mm_compaction_end)
KMA_TRACEPOINT_BY_NAME(reclaim, mm_compaction_try_to_compact_pages)
KMA_TRACEPOINT_BY_NAME(reclaim, mm_compaction_deferred)
KMA_TRACEPOINT_BY_NAME(reclaim, mm_compaction_kcompactd_wake)
KMA_TRACEPOINT_BY_NAME(reclaim, mm_compaction_kcompactd_sleep)
KMA_TRACEPOINT_BY_NAME(reclaim, mm_compaction_wakeup_kcompactd)

#define KMA_RECLAIM_ROW(tp)	KMA_TRACEPOINT_ROW(reclaim, tp)

static const struct kma_tracepoint kma_reclaim_tracepoints[] = {
	KMA_RECLAIM_ROW(mm_vmscan_direct_reclaim_end),
	KMA_RECLAIM_ROW(mm_vmscan_direct_reclaim_begin),
	KMA_RECLAIM_ROW(mm_vmscan_memcg_reclaim_end),
	KMA_RECLAIM_ROW(mm_vmscan_memcg_reclaim_begin),
	KMA_RECLAIM_ROW(mm_vmscan_memcg_softlimit_reclaim_end),
	KMA_RECLAIM_ROW(mm_vmscan_memcg_softlimit_reclaim_begin),
	KMA_RECLAIM_ROW(mm_vmscan_node_reclaim_end),
	KMA_RECLAIM_ROW(mm_vmscan_node_reclaim_begin),
	KMA_RECLAIM_ROW(mm_vmscan_kswapd_sleep),
	KMA_RECLAIM_ROW(mm_vmscan_kswapd_wake),
	KMA_RECLAIM_ROW(mm_vmscan_wakeup_kswapd),
#ifdef KMA_HAVE_BALANCE_EVENT
	KMA_RECLAIM_ROW(mm_vmscan_balance_pgdat_end),
	KMA_RECLAIM_ROW(mm_vmscan_balance_pgdat_begin),
#endif
	KMA_RECLAIM_ROW(mm_vmscan_lru_shrink_inactive),
	KMA_RECLAIM_ROW(mm_vmscan_lru_shrink_active),
#ifdef KMA_HAVE_THROTTLED
	KMA_RECLAIM_ROW(mm_vmscan_throttled),
#endif
	KMA_RECLAIM_ROW(mm_shrink_slab_end),
	KMA_RECLAIM_ROW(mm_shrink_slab_start),
	KMA_RECLAIM_ROW(mm_compaction_end),
	KMA_RECLAIM_ROW(mm_compaction_begin),
	KMA_RECLAIM_ROW(mm_compaction_try_to_compact_pages),
	KMA_RECLAIM_ROW(mm_compaction_deferred),
	KMA_RECLAIM_ROW(mm_compaction_kcompactd_sleep),
	KMA_RECLAIM_ROW(mm_compaction_kcompactd_wake),
	KMA_RECLAIM_ROW(mm_compaction_wakeup_kcompactd),
};

int kma_reclaim_attach(void)
{
	return kma_tracepoints_attach(kma_reclaim_tracepoints, ARRAY_SIZE(kma_reclaim_tracepoints));
}

void kma_reclaim_detach(void)
{
	kma_tracepoints_detach(kma_reclaim_tracepoints, ARRAY_SIZE(kma_reclaim_tracepoints));
	tracepoint_synchronize_unregister();
}
