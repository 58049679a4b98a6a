// SPDX-License-Identifier: GPL-2.0
/* The columns that `latency` and `waits` have in common.  See times.h. */
#include <linux/build_bug.h>
#include <linux/math64.h>
#include <linux/time64.h>

#include "../core/stall.h"
#include "rows_map.h"
#include "times.h"

enum {
#define X(name, ...) KMA_TIMES_COL_##name,
	KMA_TIMES_COLUMNS(X)
#undef X
};

enum {
#define X(name, ...) KMA_BUCKETS_COL_##name,
	KMA_BUCKETS_COLUMNS(X)
#undef X
	KMA_BUCKETS_COL_NR
};

static_assert(KMA_BUCKETS_COL_NR == KMA_LATENCY_BUCKETS);

u64 kma_times_value(const u64 *v, int column)
{
	switch (column) {
	case KMA_TIMES_COL_total_us:
		return div_u64(v[KMA_LATENCY_TOTAL_NS], NSEC_PER_USEC);
	case KMA_TIMES_COL_mean_us:
		return kma_mean(v[KMA_LATENCY_TOTAL_NS], v[KMA_LATENCY_COUNT]);
	case KMA_TIMES_COL_max_us:
		return div_u64(v[KMA_LATENCY_MAX_NS], NSEC_PER_USEC);
	}
	return v[KMA_LATENCY_COUNT];
}
