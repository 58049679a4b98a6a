// SPDX-License-Identifier: GPL-2.0
/*
 * From recording everything to sampling, and back, while events come.
 *
 * Two switches: whether allocations are sampled, and whether frees go by the
 * filter.  An object must be in the filter from before it is recorded until it is
 * freed, for as long as frees go by it.  So, on the way to sampling:
 *
 *	the filter is empty
 *	allocations are sampled, and added to the filter
 *	wait: nobody records any more who has not seen that
 *	what is recorded is kept in the filter
 *	frees go by it
 *
 * and on the way back, frees stop going by it first.
 */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/random.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "sampling.h"
#include "state.h"
#include "trace/slab.h"

/* Protected by kma_lock; others read it for a table. */
static u64 kma_bytes;

/* Of a number that certainly fits, with what may stand behind it. */
#define KMA_SAMPLING_DIGITS	12

int kma_sampling_parse(const char *text, u64 *bytes)
{
	char *end;
	u64 value = memparse(text, &end);

	if (end == text || *skip_spaces(end) || !strchr("0123456789KkMm", end[-1]))
		return -EINVAL;
	/* No number that is valid is that long, and memparse() lets them wrap. */
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
	kma_livefilter_clear();
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
		/* What a CPU that is offline had drawn is as good as ever. */
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
