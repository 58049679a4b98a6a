// SPDX-License-Identifier: GPL-2.0
/* The sampler of the module's core.  See sampler.h. */
#include "sample.h"

#include "sampler.h"

__thread struct kma_env kma_env;

void sampler_begin(int shift, unsigned long long seed)
{
	kma_sample_set(KMA_SAMPLE_OBJECTS, shift);
	kma_sample_seed(seed);
}

void sampler_change(int shift)
{
	kma_sample_set(KMA_SAMPLE_OBJECTS, shift);
	kma_sample_forget(KMA_SAMPLE_OBJECTS);
}

static void sampler_weigh(struct sampler_sum *sum, u32 bytes, int shift)
{
	const u64 weight = kma_sample_weight(bytes, shift);

	sum->samples++;
	sum->objs += kma_weigh(1, weight);
	sum->bytes += kma_weigh(bytes, weight);
	sum->objs_variance += kma_weigh_variance(1, weight);
	sum->bytes_variance += kma_weigh_variance((kma_u128)bytes * bytes, weight);
}

void sampler_allocate(struct sampler_sum *sum, unsigned int bytes, unsigned int nr)
{
	int shift;
	u8 point;

	while (nr--) {
		if (!kma_sample_count(KMA_SAMPLE_OBJECTS, bytes, &point))
			continue;
		shift = kma_sample_take(KMA_SAMPLE_OBJECTS, bytes, point);
		if (shift)
			sampler_weigh(sum, bytes, shift);
	}
}

void sampler_add(struct sampler_sum *sum, const struct sampler_sum *more)
{
	sum->samples += more->samples;
	sum->objs += more->objs;
	sum->bytes += more->bytes;
	sum->objs_variance += more->objs_variance;
	sum->bytes_variance += more->bytes_variance;
}

struct sampler_values sampler_read(const struct sampler_sum *sum)
{
	return (struct sampler_values) {
		.objs = kma_estimate_round(sum->objs),
		.bytes = kma_estimate_round(sum->bytes),
		.objs_se = kma_standard_error(sum->objs_variance),
		.bytes_se = kma_standard_error(sum->bytes_variance),
	};
}
