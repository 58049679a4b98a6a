/* SPDX-License-Identifier: GPL-2.0 */
/* Starting and stopping all parts of the module. */
#ifndef KMA_ENGINE_H
#define KMA_ENGINE_H

#include "setting.h"

/**
 * kma_engine_start() - allocate tables, attach probes, start recording, create files
 * @text: the value of each setting; NULL for its default
 *
 * Context: process, may sleep.
 * Return: 0, or an error that has been explained in the kernel log; then everything has been
 * undone.
 */
int kma_engine_start(const char *const text[KMA_SETTING_NR]);

/**
 * kma_engine_stop() - undo kma_engine_start()
 *
 * Context: process, may sleep.
 */
void kma_engine_stop(void);

#endif /* KMA_ENGINE_H */
