/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Incidents: what memory looked like before and after something went wrong.
 *
 *	cause (trace/trigger.h) --> worker --> tables, as text (report/capture.h)
 *	                                         |  30 s later: history and marks again
 *	                                         v
 *	                                       files incidentNR
 *
 * The first incidents are kept until a `reset`, at most half of them of one trigger.  Later ones
 * only count.  Each is a text of at most KMA_INCIDENT_BYTES, in which the names of call sites are
 * those of the time when it was made.
 *
 * The memory is allocated when the first trigger is set, and kept until the module is removed, so
 * that an incident needs none while memory is short.
 *
 * Context, unless a function says otherwise: process, may sleep; kma_lock is held.
 */
#ifndef KMA_INCIDENTS_H
#define KMA_INCIDENTS_H

#include <linux/sizes.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "state.h"
#include "trace/trigger.h"

#define KMA_INCIDENTS		8
#define KMA_INCIDENT_BYTES	SZ_64K
/* How many of these are left for the time before and after. */
#define KMA_INCIDENT_PAST	(24 * SZ_1K)
/* The most bytes of the names of a cause: task, call site, cgroup or victim, and stack. */
#define KMA_INCIDENT_LABEL	2048
/* How long an incident goes on after its cause, in seconds: three marks of the history. */
#define KMA_INCIDENT_AFTER_S	30

/**
 * struct kma_incident - an incident
 * @nr: its number, from 1 on; 0: not in use
 * @cause: what has set it off
 * @label: the names of @cause
 * @text: KMA_INCIDENT_BYTES; only the worker writes them
 * @bytes: how many of these are valid
 * @before: how many of these stay when the incident is completed
 * @complete: the time after the cause is included
 */
struct kma_incident {
	u64 nr;
	struct kma_cause cause;
	char label[KMA_INCIDENT_LABEL];
	char *text;
	size_t bytes;
	size_t before;
	bool complete;
};

extern struct kma_incident kma_incidents[KMA_INCIDENTS];

/**
 * enum kma_capture - which tables are captured
 * @KMA_CAPTURE_NOW: those that show what is at this moment, and what was counted so far
 * @KMA_CAPTURE_PAST: those that show what was at earlier times
 */
enum kma_capture {
	KMA_CAPTURE_NOW,
	KMA_CAPTURE_PAST,
};

/* The number of causes for which no incident was free, since load. */
extern u64 kma_incidents_lost;

/* How often an incident was added or completed, and the queue of tasks that wait for that. */
extern u64 kma_incidents_changes;
extern wait_queue_head_t kma_incidents_wait;

/*
 * Set the triggers to those in a text, which this modifies.  Without memory for incidents, the
 * first call sets none, and says so in the kernel log.  Returns 0, or an error that kma_refuse()
 * has explained; then nothing has changed.
 */
int kma_incidents_set(char *text);

/* Print the triggers into a page, as a text. */
int kma_incidents_print(char *page);

/* The command `incident`.  Returns 0, or an error that kma_refuse() has explained. */
int kma_incidents_run(char *args);

/* Make incidents of the causes that triggers have kept, and look up their names. */
void kma_incidents_accept(void);

/* Forget all incidents, because of a `reset`. */
void kma_incidents_forget(void);

/**
 * struct kma_incident_ops - what the worker needs of the tables
 * @capture: prints tables into @buf; takes kma_lock; returns the number of bytes, without a NUL
 * @growth: kma_rows_site_growth(); called with kma_lock held
 * @charges: kma_charges_sum(); called with kma_lock held
 * @coverage: coverage_pct since the last reset, in thousandths; called with kma_lock held
 *
 * They make copies by kma_copy_alloc(), for which there is an arena.
 */
struct kma_incident_ops {
	size_t (*capture)(enum kma_capture what, char *buf, size_t size);
	u64 (*growth)(u32 seconds, unsigned long *site);
	int (*charges)(void (*begin)(void), void (*add)(u64 cgroup, u64 bytes));
	u64 (*coverage)(void);
};

/* Prepare the worker.  Context: process; no trigger is set.  Returns 0 or -ENOMEM. */
int kma_incidents_start(const struct kma_incident_ops *ops);

/* Stop all triggers and the worker, and free the memory.  Context: kma_lock is not held. */
void kma_incidents_stop(void);

#endif /* KMA_INCIDENTS_H */
