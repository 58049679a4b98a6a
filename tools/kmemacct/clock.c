// SPDX-License-Identifier: GPL-2.0
/* The time since boot.  See clock.h. */
#include <time.h>

#include "clock.h"

u64 clock_uptime_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}
