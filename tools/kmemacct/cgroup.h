/* SPDX-License-Identifier: GPL-2.0 */
/* A cgroup for one command, with the module filtering by it: run --cgroup. */
#ifndef CGROUP_H
#define CGROUP_H

#include "base.h"
#include "files.h"

/**
 * struct cgroup - a cgroup
 * @dir: its directory
 * @before: value of filter_cgroup in `control` before cgroup_begin()
 */
struct cgroup {
	char dir[FILES_PATH];
	char before[FILES_PATH];
};

/*
 * Create a cgroup of cgroup2, and make the module filter by it.
 * Return: 0, or -1 after calling fail().
 */
int cgroup_begin(struct cgroup *g);

/*
 * Move this process to the cgroup.
 * Return: 0, or an error number.
 */
int cgroup_enter(const struct cgroup *g);

/**
 * cgroup_end() - restore the filter and remove the cgroup
 * @g: the cgroup
 * @busy: set to true if the cgroup could not be removed, because processes are still in it
 *
 * Return: 0, or -1 after calling fail().
 */
int cgroup_end(const struct cgroup *g, bool *busy);

#endif /* CGROUP_H */
