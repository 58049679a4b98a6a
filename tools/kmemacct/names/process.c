// SPDX-License-Identifier: GPL-2.0
/* Processes by their PID.  See the overview in names.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "names.h"

/* The resolution of the age of an object, and of the start of a process. */
#define AGE_MS		16
#define START_MS	10

/* ---- time ----------------------------------------------------------------- */

void process_clock(struct moment *m)
{
	struct timespec t = {};
	u64 monotonic, boot;

	clock_gettime(CLOCK_MONOTONIC, &t);
	monotonic = t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
	boot = clock_uptime_ms();
	if (!m->before)
		m->before = boot;
	m->after = boot;
	/* A difference below the resolution of an age is between the two readings. */
	m->suspended = boot > monotonic + AGE_MS ? boot - monotonic : 0;
}

/* All comparisons are with the latest or the earliest moment at which something can happen. */
enum process_match process_match(const struct process *p, const struct moment *m, u64 age_ms)
{
	u64 least = age_ms > AGE_MS ? age_ms - AGE_MS : 0, most = age_ms + AGE_MS;

	if (p->start_ms + least > m->after)
		return PROCESS_YOUNGER;
	if (p->start_ms + START_MS + most + m->suspended <= m->before)
		return PROCESS_OLDER;
	return PROCESS_UNCLEAR;
}

/* ---- /proc ---------------------------------------------------------------- */

/* Index of the start among the fields that follow the name. */
#define START_FIELD	19

int process_parse_stat(char *text, u64 ticks_per_s, u64 *start_ms, const char **comm)
{
	char *open = strchr(text, '('), *close = strrchr(text, ')'), *field, *rest;
	u64 ticks;
	int i;

	/* The name is in parentheses, and may contain parentheses. */
	if (!open || !close || close < open || close[1] != ' ')
		return -1;
	*close = '\0';
	*comm = open + 1;
	rest = close + 2;
	for (i = 0; i <= START_FIELD; i++)
		field = strsep(&rest, "\n ");
	if (!field || number_parse(field, &ticks) || ticks > U64_MAX / 1000)
		return -1;
	*start_ms = ticks * 1000 / ticks_per_s;
	return 0;
}

static char *read_proc(u64 pid, const char *name)
{
	char path[FILE_PATH], file[64];
	size_t len;

	snprintf(file, sizeof(file), "%llu/%s", pid, name);
	return source_proc(&module_source, file, path, &len);
}

/*
 * The kernel adds to the name of a worker thread what it works on now, or has worked on last, after
 * a plus or a minus.  This text says nothing about the earlier work of the thread.
 */
static char *copy_comm(const char *comm)
{
	char *copy = alloc_copy(comm);

	if (text_begins(copy, "kworker/"))
		copy[strcspn(copy, "+-")] = '\0';
	return text_clean(copy);
}

static char *read_cgroup(u64 pid)
{
	char *text = read_proc(pid, "cgroup"), *line, *rest = text, *path = NULL;

	while (!path && (line = strsep(&rest, "\n")))
		if (text_begins(line, "0::") && line[3])
			path = text_clean(alloc_copy(line + 3));
	free(text);
	return path;
}

/*
 * The cgroup is read first.  If the start in `stat`, which is read later, is before an allocation,
 * the cgroup is that of the same process.
 */
bool process_read(struct process *p, u64 pid, bool cgroup)
{
	const char *comm;
	char *text;

	*p = (struct process) {};
	if (cgroup)
		p->cgroup = read_cgroup(pid);
	text = read_proc(pid, "stat");
	if (text && !process_parse_stat(text, sysconf(_SC_CLK_TCK), &p->start_ms, &comm))
		p->comm = copy_comm(comm);
	free(text);
	if (p->comm)
		return true;
	free(p->cgroup);
	p->cgroup = NULL;
	return false;
}

/* The kernel gives this inode number to the first PID namespace (include/linux/proc_ns.h). */
#define INITIAL_PID_NS	"pid:[4026531836]"

bool process_is_initial(void)
{
	char path[FILE_PATH], name[sizeof(INITIAL_PID_NS)] = "";
	ssize_t len;

	source_proc_path(path, "self/ns/pid");
	len = readlink(path, name, sizeof(name));
	/* Without such a link, the kernel has no PID namespaces. */
	return len < 0 || (len == sizeof(name) - 1 && !memcmp(name, INITIAL_PID_NS, len));
}
