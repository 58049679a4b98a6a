/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Starting and stopping all parts of the module.
 *
 * Context of all functions: process, may sleep.
 */
#ifndef KMA_ENGINE_H
#define KMA_ENGINE_H

#include "setting.h"

/*
 * Allocate tables, attach probes, start recording, create files.  @text has the value of each
 * setting; NULL for its default.  Returns 0, or an error that has been explained in the kernel
 * log; then everything has been undone.
 */
int kma_engine_start(const char *const text[KMA_SETTING_NR]);
void kma_engine_stop(void);

#endif /* KMA_ENGINE_H */
