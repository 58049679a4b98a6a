// SPDX-License-Identifier: GPL-2.0
/* A cgroup for one command, whose allocations the module counts: run --cgroup. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"

#define COUNT	"cgroup_sites "

/* ---- paths ---------------------------------------------------------------- */

static int find_mount(char mount[FILE_PATH])
{
	if (source_mount("cgroup2", mount))
		return 0;
	return fail("--cgroup needs cgroup2 mounted: mount -t cgroup2 none /sys/fs/cgroup");
}

/* Find this process's cgroup, below the mount point: "" for the root, or if unknown. */
static void find_own(char own[FILE_PATH])
{
	char path[FILE_PATH], *text, *rest, *line;
	size_t len;

	*own = '\0';
	text = source_proc(&module_source, "self/cgroup", path, &len);
	rest = text;
	while ((line = strsep(&rest, "\n")))
		if (!strncmp(line, "0::/", 4) && line[4])
			snprintf(own, FILE_PATH, "%s", line + 3);
	free(text);
}

/* ---- begin and end -------------------------------------------------------- */

static int count_cgroup(const char *what, const struct cgroup *g)
{
	char command[sizeof(g->path) + sizeof(COUNT "add ")];

	snprintf(command, sizeof(command), COUNT "%s %s", what, g->path);
	return control_write(command);
}

/* Create the cgroup below @parent, unless its path is too long for a command of the module. */
static int make_below(struct cgroup *g, const char *mount, const char *parent)
{
	struct stat stat;

	if (snprintf(g->path, sizeof(g->path), "%s/" KMA_NAME "-%d", parent, getpid()) >
	    KMA_CONTROL_MAX - (int)strlen(COUNT "add ") ||
	    snprintf(g->dir, FILE_PATH, "%s%s", mount, g->path) >= FILE_PATH) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (mkdir(g->dir, 0755))
		return -1;
	/* The ID of a cgroup is the inode number of its directory. */
	g->id = lstat(g->dir, &stat) ? 0 : stat.st_ino;
	return 0;
}

int cgroup_begin(struct cgroup *g)
{
	char mount[FILE_PATH], own[FILE_PATH];

	if (geteuid())
		return fail("run --cgroup needs root: use sudo");
	if (find_mount(mount))
		return -1;
	find_own(own);
	if (make_below(g, mount, own) && make_below(g, mount, ""))
		return fail("cannot create the cgroup %s: %s: try without --cgroup", g->dir,
			    strerror(errno));
	if (!count_cgroup("add", g))
		return 0;
	rmdir(g->dir);
	return -1;
}

int cgroup_enter(const struct cgroup *g)
{
	char path[FILE_PATH + 16];
	int fd, ret = 0;

	snprintf(path, sizeof(path), "%s/cgroup.procs", g->dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	if (write(fd, "0", 1) < 0)
		ret = errno;
	close(fd);
	return ret;
}

/* A process that has just ended may take a moment to leave its cgroup. */
#define TRIES		20
#define TRY_US		10000

int cgroup_end(const struct cgroup *g, bool *busy)
{
	int i, ret = count_cgroup("del", g);

	for (i = 0; i < TRIES && rmdir(g->dir) && errno == EBUSY; i++)
		usleep(TRY_US);
	*busy = !access(g->dir, F_OK);
	return ret;
}
