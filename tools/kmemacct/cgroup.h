/* SPDX-License-Identifier: GPL-2.0 */
/* A cgroup for one command, which is all that the module counts meanwhile. */
#ifndef CGROUP_H
#define CGROUP_H

#include "base.h"
#include "files.h"

/**
 * struct cgroup - a cgroup
 * @dir: where it is in the file system
 * @before: what the module's filter was, as `control` has it
 */
struct cgroup {
	char dir[FILES_PATH];
	char before[FILES_PATH];
};

/* Make a cgroup2 and filter by it.  Return: 0, or -1 and fail() was called. */
int cgroup_begin(struct cgroup *g);

/* Put this process into it.  Return: 0, or an error number. */
int cgroup_enter(const struct cgroup *g);

/**
 * cgroup_end() - filter as before, and remove the cgroup
 * @g: the cgroup
 * @busy: it could not be removed: there are processes in it
 *
 * Return: 0, or -1 and fail() was called.
 */
int cgroup_end(const struct cgroup *g, bool *busy);

#endif /* CGROUP_H */
