// SPDX-License-Identifier: GPL-2.0
/*
 * Switching between recording every object and sampling, while probes run.
 *
 * Two things are switched: whether allocations are sampled, and whether frees are tested
 * against the livefilter (core/livefilter.h).  While frees are tested, each object has to
 * be in the livefilter from before it is recorded until it is freed.  So sampling begins
 * in these steps:
 *
 *	1. clear the livefilter
 *	2. switch allocations to sampling: from now on, probes add each sample to the livefilter
 *	3. wait until no probe still records every object
 *	4. add all objects that are in the live table to the livefilter
 *	5. switch on the test of frees
 *
 * When sampling ends, the test of frees is switched off first.
 */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/random.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "sampling.h"
#include "state.h"
#include "trace/slab.h"

/* The value that was set.  Written under kma_lock; tables read it without the lock. */
static u64 kma_bytes;

/* A number of this many characters fits into 64 bits, even with a suffix. */
#define KMA_SAMPLING_DIGITS	12

int kma_sampling_parse(const char *text, u64 *bytes)
{
	char *end;
	u64 value = memparse(text, &end);

	if (end == text || *skip_spaces(end) || !strchr("0123456789KkMm", end[-1]))
		return -EINVAL;
	/* Valid values are shorter.  Longer values may wrap around in memparse(). */
	if (end - text > KMA_SAMPLING_DIGITS)
		return -ERANGE;
	if (value && (!is_power_of_2(value) || value < 1ULL << KMA_SHIFT_MIN ||
		      value > 1ULL << KMA_SHIFT_MAX))
		return -ERANGE;
	*bytes = value;
	return 0;
}

u64 kma_sampling_bytes(void)
{
	return READ_ONCE(kma_bytes);
}

u64 kma_sampling_now(void)
{
	return kma_sampling_bytes() ? 1ULL << kma_sample_shift(KMA_SAMPLE_OBJECTS) : 0;
}

static void kma_sampling_forget(void *unused)
{
	kma_sample_forget(KMA_SAMPLE_OBJECTS);
}

static void kma_sampling_begin(void)
{
	kma_livefilter_clear(&kma_core.livefilter);
	kma_slab_sample(true);
	kma_record_livefilter_start(&kma_core);
	kma_slab_livefilter(true);
}

static void kma_sampling_end(void)
{
	kma_slab_livefilter(false);
	kma_record_livefilter_stop();
	kma_slab_sample(false);
}

bool kma_sampling_set(u64 bytes)
{
	const u64 before = kma_bytes;

	lockdep_assert_held(&kma_lock);
	if (bytes == before)
		return false;
	WRITE_ONCE(kma_bytes, bytes);
	if (bytes) {
		kma_sample_set(KMA_SAMPLE_OBJECTS, ilog2(bytes));
		/*
		 * An offline CPU keeps the sample point that it has drawn.  This does not
		 * bias its samples: see sample.h.
		 */
		on_each_cpu(kma_sampling_forget, NULL, 1);
	}
	if (bytes && !before)
		kma_sampling_begin();
	else if (!bytes)
		kma_sampling_end();
	return true;
}

void kma_sampling_start(void)
{
	kma_sample_seed(get_random_u64());
}
