// SPDX-License-Identifier: GPL-2.0
/* Which load of the module tables are from.  See identity.h. */
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/utsname.h>

#include "identity.h"

struct kma_identity kma_identity;

void kma_identity_start(void)
{
	kma_identity = (struct kma_identity) {
		/*
		 * Addresses of the kernel are above 2^63.  This number must not look like one of
		 * them.
		 */
		.load_id = get_random_u64() >> 1,
		.loaded_s = ktime_get_real_seconds(),
		.release = init_utsname()->release,
	};
}
