// SPDX-License-Identifier: GPL-2.0
/* The state of the machine's memory.  See machine.h. */
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/string.h>
#include <linux/vmstat.h>

#include "core/failure.h"
#include "core/stall.h"
#include "countmaps.h"
#include "machine.h"
#include "state.h"
#include "trace/memstall.h"
#include "trace/page_track.h"

static u64 kma_machine_kb(u64 pages)
{
	return pages << (PAGE_SHIFT - 10);
}

/* ---- pages by migrate type ------------------------------------------------ */

static_assert(MIGRATE_UNMOVABLE < KMA_MACHINE_TYPES && MIGRATE_MOVABLE < KMA_MACHINE_TYPES &&
	      MIGRATE_RECLAIMABLE < KMA_MACHINE_TYPES);

/* Add the live pages of a row.  Each page allocation counts in one exact row. */
static void kma_machine_add_row(const struct kma_sitetab *t, u32 id, u64 *type_kb)
{
	const struct kma_site_info *info = kma_sitetab_info(t, id);
	unsigned long class;
	struct kma_row row;
	unsigned int type;

	if (!info || READ_ONCE(info->shift) > KMA_SHIFT_EXACT)
		return;
	class = t->caches.info[info->cache].class;
	type = kma_class_type(class);
	if (type >= KMA_MACHINE_TYPES)
		return;
	kma_sitetab_sum(t, id, &row);
	type_kb[type] += kma_machine_kb(kma_row_live_pages(&row, kma_class_order(class)));
}

/* Rows that are read with kma_lock held */
#define KMA_MACHINE_ROWS	64

/* When page tracking began, in ns since boot; 0 if pages are not tracked. */
static u64 kma_machine_tracked_since(void)
{
	return kma_pages_tracked() ? kma_pages_since() : 0;
}

static void kma_machine_read_types(u64 *type_kb)
{
	const struct kma_sitetab *t = &kma_pagealloc.sites;
	const u64 since = kma_machine_tracked_since();
	u64 sum[KMA_MACHINE_TYPES] = {};
	u32 id;

	for (id = 0; kma_machine_tracked_since() && id < kma_sitetab_rows(t); id++) {
		kma_machine_add_row(t, id, sum);
		if (id % KMA_MACHINE_ROWS == KMA_MACHINE_ROWS - 1)
			kma_lock_pause();
	}
	/* Meanwhile, tracking may have been switched off and on. */
	if (since && since == kma_machine_tracked_since())
		memcpy(type_kb, sum, sizeof(sum));
	else
		memset(type_kb, 0xff, sizeof(sum));
}

/* ---- waits and failures --------------------------------------------------- */

static u64 kma_machine_counter(const struct kma_countmap *t, u32 id, int counter)
{
	struct kma_countmap_sum row = {};

	kma_countmap_sum(t, id, &row);
	return row.v[counter];
}

static u64 kma_machine_stalled_us(void)
{
	const struct kma_countmap *t = kma_countmap_locked(KMA_COUNTMAP_LATENCY);
	const struct kma_countmap_info *info;
	u64 ns = 0;
	u32 id;

	if (!t || !kma_memstall_followed())
		return KMA_MACHINE_UNKNOWN;
	for (id = 0; id < t->rows; id++) {
		info = kma_countmap_info(t, id);
		if (info && info->key.word[0] == KMA_PHASE_MEMSTALL)
			ns += kma_machine_counter(t, id, KMA_LATENCY_TOTAL_NS);
	}
	return div_u64(ns, NSEC_PER_USEC);
}

/* The row [other] has no description. */
static u64 kma_machine_failed(void)
{
	const struct kma_countmap *t = kma_countmap_locked(KMA_COUNTMAP_FAILURES);
	u64 failed = 0;
	u32 id;

	for (id = 0; t && id < t->rows; id++)
		if (id == KMA_COUNTMAP_OTHER || kma_countmap_info(t, id))
			failed += kma_machine_counter(t, id, KMA_FAILURE_FAILED);
	return failed;
}

void kma_machine_read(struct kma_machine *machine)
{
	lockdep_assert_held(&kma_lock);
	machine->free_kb = kma_machine_kb(global_zone_page_state(NR_FREE_PAGES));
	machine->slab_reclaimable_kb =
		kma_machine_kb(global_node_page_state_pages(NR_SLAB_RECLAIMABLE_B));
	machine->slab_unreclaimable_kb =
		kma_machine_kb(global_node_page_state_pages(NR_SLAB_UNRECLAIMABLE_B));
	machine->stalled_us = kma_machine_stalled_us();
	machine->failed = kma_machine_failed();
	kma_machine_read_types(machine->type_kb);
}
