/* SPDX-License-Identifier: GPL-2.0 */
/* The time since boot. */
#ifndef CLOCK_H
#define CLOCK_H

#include "base.h"

/* Return: milliseconds since boot, with the time asleep. */
u64 clock_uptime_ms(void);

#endif /* CLOCK_H */
