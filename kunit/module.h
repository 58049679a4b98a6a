/* SPDX-License-Identifier: GPL-2.0 */
/* The module under test: its headers, and the settings that a test loads it with. */
#ifndef KMA_KUNIT_MODULE_H
#define KMA_KUNIT_MODULE_H

#include "../module/baseline.h"
#include "../module/compat.h"
#include "../module/control.h"
#include "../module/core/countmap.h"
#include "../module/core/pagealloc.h"
#include "../module/core/record.h"
#include "../module/engine.h"
#include "../module/error.h"
#include "../module/match/addrcache.h"
#include "../module/match/caller.h"
#include "../module/match/filter.h"
#include "../module/match/gfp.h"
#include "../module/match/skip.h"
#include "../module/memhotplug.h"
#include "../module/overhead.h"
#include "../module/recycling.h"
#include "../module/report/keyval.h"
#include "../module/report/rows_site.h"
#include "../module/report/tables.h"
#include "../module/resolve/cacheinfo.h"
#include "../module/resolve/stack.h"
#include "../module/resolve/symbol.h"
#include "../module/sampling.h"
#include "../module/selftest.h"
#include "../module/setting.h"
#include "../module/state.h"
#include "../module/trace/bulk.h"
#include "../module/trace/cache.h"
#include "../module/trace/kretprobe.h"
#include "../module/trace/nolock.h"
#include "../module/trace/page.h"
#include "../module/trace/reclaim_functions.h"
#include "../module/trace/slab.h"
#include "../module/trace/slow.h"
#include "../module/trace/slow_path.h"
#include "../module/trace/tracepoint.h"
#include "../module/witness.h"

/**
 * struct kma_load - values of the module parameters
 * @text: for each setting, by its number, the value; NULL for the default
 */
struct kma_load {
	const char *text[KMA_SETTING_NR];
};

#endif /* KMA_KUNIT_MODULE_H */
