// SPDX-License-Identifier: GPL-2.0
/* The setting `latency`.  See latency_track.h. */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include "../countmaps.h"
#include "../state.h"
#include "latency_track.h"
#include "phase.h"
#include "reclaim.h"
#include "reclaim_functions.h"
#include "wakers.h"

static const char *const kma_latency_names[] = {
	[KMA_LATENCY_OFF] = "off",
	[KMA_LATENCY_ON] = "on",
	[KMA_LATENCY_FUNCTIONS] = "functions",
};

#define KMA_LATENCY_MAPS						\
	(BIT(KMA_COUNTMAP_LATENCY) | BIT(KMA_COUNTMAP_SHRINKERS) |	\
	 BIT(KMA_COUNTMAP_STALLS) | BIT(KMA_COUNTMAP_WAITS) |	\
	 BIT(KMA_COUNTMAP_WAKERS))

/* Written under kma_lock. */
static enum kma_latency_mode kma_latency;

int kma_latency_parse(const char *text)
{
	return match_string(kma_latency_names, ARRAY_SIZE(kma_latency_names), text);
}

const char *kma_latency_name(void)
{
	return kma_latency_names[READ_ONCE(kma_latency)];
}

/* The memory that a change of the setting takes. */
static u64 kma_latency_memory(enum kma_latency_mode before, enum kma_latency_mode mode)
{
	u64 bytes = 0;

	if (!before && mode)
		bytes += kma_countmap_memory(KMA_COUNTMAP_LATENCY) +
			 kma_countmap_memory(KMA_COUNTMAP_SHRINKERS) +
			 kma_countmap_memory(KMA_COUNTMAP_STALLS) +
			 kma_countmap_memory(KMA_COUNTMAP_WAITS) +
			 kma_countmap_memory(KMA_COUNTMAP_WAKERS) +
			 kma_phase_bytes() + kma_wakers_bytes();
	if (mode == KMA_LATENCY_FUNCTIONS)
		bytes += kma_reclaim_functions_forecast();
	return bytes;
}

static bool kma_latency_fits(enum kma_latency_mode mode)
{
	const u64 more = kma_latency_memory(kma_latency, mode);

	return !more || kma_state_bytes() + more <= kma_state_bytes_max();
}

static int kma_latency_start(void)
{
	int ret = kma_phase_start();

	if (ret)
		return ret;
	ret = kma_wakers_start();
	if (ret)
		goto phase;
	ret = kma_countmaps_begin(KMA_LATENCY_MAPS);
	if (ret)
		goto wakers;
	ret = kma_reclaim_attach();
	if (!ret)
		return 0;
	kma_countmaps_end(KMA_LATENCY_MAPS);
wakers:
	kma_wakers_stop();
phase:
	kma_phase_stop();
	return ret;
}

static void kma_latency_stop(void)
{
	kma_reclaim_detach();
	kma_countmaps_end(KMA_LATENCY_MAPS);
	kma_wakers_stop();
	kma_phase_stop();
}

int kma_latency_set(enum kma_latency_mode mode)
{
	const enum kma_latency_mode before = kma_latency;
	int ret = 0;

	lockdep_assert_held(&kma_lock);
	if (mode == before)
		return 0;
	if (!kma_latency_fits(mode))
		return -ENOMEM;
	if (!before)
		ret = kma_latency_start();
	else
		kma_phase_record(false);
	if (ret)
		return ret;
	if (before == KMA_LATENCY_FUNCTIONS)
		kma_reclaim_functions_detach();
	if (mode == KMA_LATENCY_FUNCTIONS)
		kma_reclaim_functions_attach();
	if (mode)
		kma_phase_record(true);
	else
		kma_latency_stop();
	WRITE_ONCE(kma_latency, mode);
	return 0;
}
