/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Metrics as text, in one of two formats:
 *
 *   OpenMetrics 1.0		what Prometheus scrapes
 *   Prometheus text format	what the textfile collector of node_exporter reads
 *
 * They differ in counters.  In OpenMetrics, a family has the name without `_total`, has a unit, and
 * may have a line with the time at which counting began.  The parsers of the Prometheus format take
 * such a counter for a metric without a type or a description.
 */
#ifndef OPENMETRICS_H
#define OPENMETRICS_H

#include <stdio.h>

#include "base.h"

enum openmetrics_type {
	OPENMETRICS_GAUGE,
	OPENMETRICS_COUNTER,
};

/* A label of a sample; one without a name ends them. */
struct openmetrics_label {
	const char *name;
	const char *value;
};

/**
 * struct openmetrics - a text that is being written
 * @out: where to
 * @prometheus: it has the Prometheus text format
 * @name: the name of the family that samples are of, without `_total`
 * @type: its type
 */
struct openmetrics {
	FILE *out;
	bool prometheus;
	const char *name;
	enum openmetrics_type type;
};

/*
 * Begin a family.  All its samples have to follow before the next family.
 * @name: its name, without `_total`, which must end in the unit, if there is one
 * @unit: its unit, or NULL
 */
void openmetrics_family(struct openmetrics *m, const char *name, enum openmetrics_type type,
			const char *unit, const char *help);

/* Write a sample; @labels may be NULL. */
void openmetrics_u64(const struct openmetrics *m, const struct openmetrics_label *labels,
		     u64 value);
void openmetrics_double(const struct openmetrics *m, const struct openmetrics_label *labels,
			double value);

/* Say when a counter without labels has begun, in seconds since 1970. */
void openmetrics_created(const struct openmetrics *m, u64 seconds);

/* End the text: one without this is not complete. */
void openmetrics_end(const struct openmetrics *m);

#endif /* OPENMETRICS_H */
