// SPDX-License-Identifier: GPL-2.0
/* The text of what a task waited for.  See causes.h. */
#include <linux/kernel.h>
#include <linux/string.h>

#include "../countmaps.h"
#include "../resolve/shrinker.h"
#include "../resolve/symbol.h"
#include "../state.h"
#include "causes.h"

/* The reasons of the kernel's enum vmscan_throttle_state, counted from 1. */
static const char *kma_throttled_by(u64 detail)
{
	static const char *const text[] = {
		"unknown", "writeback", "isolated pages", "no progress", "congested",
	};

	return text[detail < ARRAY_SIZE(text) ? detail : 0];
}

int kma_cause_print(enum kma_phase phase, u64 detail, char *buf, size_t size)
{
	const struct kma_countmap *t = kma_countmap_locked(KMA_COUNTMAP_SHRINKERS);
	/* Protected by kma_lock. */
	static char name[KMA_SYMBOL_LEN];

	switch (phase) {
	case KMA_PHASE_NONE:
		return scnprintf(buf, size, "other");
	case KMA_PHASE_THROTTLED:
		return scnprintf(buf, size, "throttled: %s", kma_throttled_by(detail));
	case KMA_PHASE_SHRINKER:
	case KMA_PHASE_COUNT:
		if (!t)
			break;
		kma_shrinker_name(t, kma_countmap_deref(t, detail), name, sizeof(name));
		return scnprintf(buf, size, "%s: %s", kma_phase_cause(phase), name);
	default:
		break;
	}
	return scnprintf(buf, size, "%s", kma_phase_cause(phase));
}
