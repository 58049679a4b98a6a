/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of rows of failures.
 *
 * Context of all functions: process, may sleep; kma_lock is held.
 */
#ifndef KMA_REPORT_FAILURES_H
#define KMA_REPORT_FAILURES_H

#include "../core/countmap.h"
#include "../resolve/symbol.h"

/* Print the call site of a row of failures; [other] if it counts several. */
void kma_failure_site_print(const struct kma_countmap_info *info, char buf[KMA_SYMBOL_LEN]);

#endif /* KMA_REPORT_FAILURES_H */
