/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table `incidents`, whose rows are also in the files of incidents.
 *
 * Context of all functions: process, may sleep.
 */
#ifndef KMA_REPORT_INCIDENTS_H
#define KMA_REPORT_INCIDENTS_H

#include <linux/types.h>

#include "../trace/trigger.h"

/* A row: an incident without its text, and its label. */
struct kma_incident_row {
	u64 nr;
	u64 bytes;
	bool complete;
	struct kma_cause cause;
	const char *label;
};

#endif /* KMA_REPORT_INCIDENTS_H */
