/* SPDX-License-Identifier: GPL-2.0 */
/* Everything between insmod and rmmod. */
#ifndef KMA_ENGINE_H
#define KMA_ENGINE_H

#include "state.h"

/**
 * kma_engine_start() - allocate tables, attach probes, create files, record
 * @config: the configuration
 *
 * Context: process, may sleep.
 * Return: 0, or an error that has been explained in the kernel log; then nothing is
 * left behind.
 */
int kma_engine_start(const struct kma_config *config);

/**
 * kma_engine_stop() - undo kma_engine_start()
 *
 * Context: process, may sleep.
 */
void kma_engine_stop(void);

#endif /* KMA_ENGINE_H */
