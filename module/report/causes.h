/* SPDX-License-Identifier: GPL-2.0 */
/* The text of what a task waited for. */
#ifndef KMA_REPORT_CAUSES_H
#define KMA_REPORT_CAUSES_H

#include <linux/types.h>

#include "../core/stall.h"

/**
 * kma_cause_print() - print what a task waited for in the own time of a phase
 * @phase: the phase
 * @detail: the shrinker or the reason for throttling, as in struct kma_stall_part
 * @buf: the result
 * @size: its size in bytes
 *
 * Context: process; kma_lock is held.
 * Return: bytes printed.
 */
int kma_cause_print(enum kma_phase phase, u64 detail, char *buf, size_t size);

#endif /* KMA_REPORT_CAUSES_H */
