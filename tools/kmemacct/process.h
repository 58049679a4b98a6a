/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes by their PID: what /proc has about those that are alive, and the names that the
 * module has kept of those that have ended.
 *
 * The module records the PID of the process that allocated an object.  Such a process may have
 * ended since, and another one may have its PID now.  So an object belongs to the process that
 * /proc has only if that process was there when the object was allocated:
 *
 *	start of the process        allocation                  snapshot
 *	         |                      |<------ age of the object ->|
 *	         |<------------------------- age of the process ---->|
 *
 * Neither age is exact.  An age of an object has a resolution of 16 ms.  /proc rounds the start of
 * a process down to a clock tick.  The module takes a snapshot at some moment between two readings
 * of the clock.  And ages of objects do not include the time that the machine was suspended, but
 * those of processes do.  So there are three cases: the process is surely older than the object,
 * surely younger, or it cannot be told.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include "table.h"

/**
 * struct moment - when a snapshot of objects was taken, in milliseconds since boot
 * @before: time before it, with the time in suspend
 * @after: time after it, with the time in suspend
 * @suspended: how long the machine was suspended since boot
 */
struct moment {
	u64 before;
	u64 after;
	u64 suspended;
};

/**
 * struct process - a process that /proc has
 * @start_ms: when it started, in milliseconds since boot, with the time in suspend
 * @comm: its name
 * @cgroup: its path in the hierarchy of cgroup2, if it was asked for; or NULL
 */
struct process {
	u64 start_ms;
	char *comm;
	char *cgroup;
};

enum process_match {
	PROCESS_OLDER,
	PROCESS_YOUNGER,
	PROCESS_UNCLEAR,
};

/* Read the clock into @before or @after, and @suspended.  A new moment is all zeroes. */
void process_clock(struct moment *m);

/*
 * Read about a process.  process_clear() frees what it finds.
 * Return: true if it exists.
 */
bool process_read(struct process *p, u64 pid, bool cgroup);

void process_clear(struct process *p);

/* Compare the age of an object, in a snapshot taken at @m, with that of a process. */
enum process_match process_match(const struct process *p, const struct moment *m, u64 age_ms);

/*
 * Parse the text of /proc/PID/stat.  This changes the text.
 * Return: 0, or -1 if it is malformed.
 */
int process_parse_stat(char *text, u64 ticks_per_s, u64 *start_ms, const char **comm);

/*
 * Test whether /proc has the PIDs of the machine, as the module has.  In a container it may have
 * those of the container.
 */
bool process_is_initial(void);

#endif /* PROCESS_H */
