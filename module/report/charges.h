/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What cgroups are charged for, added up: see charges.c.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held, and is released
 * and taken again now and then.
 */
#ifndef KMA_REPORT_CHARGES_H
#define KMA_REPORT_CHARGES_H

#include <linux/types.h>

/*
 * Call @add for each cgroup that is charged for live objects or pages, with their estimated bytes.
 * Returns 0 or -ENOMEM.
 */
int kma_charges_sum(void (*add)(u64 cgroup, u64 bytes));

#endif /* KMA_REPORT_CHARGES_H */
