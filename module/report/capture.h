/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables as text in memory, for incidents.
 *
 * The text is that of the files of some tables, one after the other, each with its head.  Long
 * tables have only their first rows.  `callers` and `history` have the largest call sites, and
 * those that grow most.  Rows that do not fit are left out, and counted in the head.
 *
 * Context: process, may sleep; takes kma_lock.
 */
#ifndef KMA_REPORT_CAPTURE_H
#define KMA_REPORT_CAPTURE_H

#include "../incidents.h"

/* The operations on tables that incidents use. */
extern const struct kma_incident_ops kma_capture_ops;

#endif /* KMA_REPORT_CAPTURE_H */
