/* SPDX-License-Identifier: GPL-2.0 */
/* The objects of the storm. */
#ifndef KMA_TRUTH_STORM_H
#define KMA_TRUTH_STORM_H

#include <linux/types.h>

struct truth_object;

#define TRUTH_BOXES	1024

/* Number of timer interrupts in all storms that have ended. */
extern u64 truth_storm_irqs;

/**
 * truth_storm_object() - the object in a box
 * @box: number of the box, below TRUTH_BOXES
 *
 * Context: process; truth_lock is held.
 * Return: the object; NULL if the box is empty, or while a storm runs.
 */
const struct truth_object *truth_storm_object(int box);

#endif /* KMA_TRUTH_STORM_H */
