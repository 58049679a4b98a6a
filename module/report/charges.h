/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums of the charges of cgroups: see charges.c.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held, and is released
 * and taken again now and then.
 */
#ifndef KMA_REPORT_CHARGES_H
#define KMA_REPORT_CHARGES_H

#include <linux/types.h>

/*
 * Add up the estimated bytes of the live objects and pages that each cgroup is charged for.  Then
 * call @begin, and @add for each cgroup, without releasing kma_lock in between.  Returns 0 or
 * -ENOMEM, or -EAGAIN if a setting or the numbers of owners have changed meanwhile; then neither is
 * called.
 */
int kma_charges_sum(void (*begin)(void), void (*add)(u64 cgroup, u64 bytes));

#endif /* KMA_REPORT_CHARGES_H */
