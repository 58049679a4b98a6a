/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables as text in memory, for incidents.
 *
 * The text is that of the files of some tables, one after the other, each with its head.  Long
 * tables have only their first rows; of call sites, these are the largest, and those that grow
 * most.  A table that does not fit is left out with those after it.
 *
 * Context: process, may sleep; takes kma_lock.
 */
#ifndef KMA_REPORT_CAPTURE_H
#define KMA_REPORT_CAPTURE_H

#include "../incidents.h"

/* What incidents need of the tables. */
extern const struct kma_incident_ops kma_capture_ops;

#endif /* KMA_REPORT_CAPTURE_H */
