// SPDX-License-Identifier: GPL-2.0
/* Sources of tables: the files of the module that is loaded, or a snapshot. */
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "snapshot.h"
#include "table.h"

const struct source module_source;

/* ---- paths ---------------------------------------------------------------- */

/*
 * Only the tests set the variables KMEMACCT_PROC, KMEMACCT_SYS, KMEMACCT_MODULES and
 * KMEMACCT_DEBUGFS, to make the program read their own files.
 */
static void make_path(char path[FILE_PATH], const char *variable, const char *usual,
		      const char *name)
{
	const char *dir = secure_getenv(variable);

	snprintf(path, FILE_PATH, "%s/%s", dir ?: usual, name);
}

void source_proc_path(char path[FILE_PATH], const char *name)
{
	make_path(path, "KMEMACCT_PROC", "/proc", name);
}

void source_sys_path(char path[FILE_PATH], const char *name)
{
	make_path(path, "KMEMACCT_SYS", "/sys", name);
}

#define DEBUGFS	"/sys/kernel/debug"

bool source_is_loaded(void)
{
	char path[FILE_PATH];

	source_proc_path(path, KMA_NAME);
	return !access(path, F_OK);
}

/* Find the first mount of a file system of a type, or the first that has a file, if not NULL. */
static bool find_mount(const char *type, const char *file, char dir[FILE_PATH])
{
	char path[FILE_PATH];
	struct mntent *m;
	FILE *mounts;

	source_proc_path(path, "mounts");
	mounts = setmntent(path, "re");
	if (!mounts)
		return false;
	while ((m = getmntent(mounts))) {
		snprintf(path, sizeof(path), "%s/%s", m->mnt_dir, file ?: "");
		if (!strcmp(m->mnt_type, type) && (!file || !access(path, F_OK)))
			break;
	}
	if (m)
		snprintf(dir, FILE_PATH, "%s", m->mnt_dir);
	endmntent(mounts);
	return m;
}

bool source_mount(const char *type, char dir[FILE_PATH])
{
	return find_mount(type, NULL, dir);
}

/* The summary is also in /proc, which works without debugfs. */
static void module_path(char path[FILE_PATH], const char *name)
{
	char file[256], dir[FILE_PATH];

	if (!strcmp(name, "summary")) {
		source_proc_path(path, KMA_NAME);
		return;
	}
	/* debugfs may be mounted elsewhere, or a container may hide its usual place. */
	snprintf(file, sizeof(file), KMA_NAME "/%s", name);
	make_path(path, "KMEMACCT_DEBUGFS", DEBUGFS, KMA_NAME);
	if (!access(path, F_OK) || !find_mount("debugfs", KMA_NAME, dir) ||
	    snprintf(path, FILE_PATH, "%s/%s", dir, file) >= FILE_PATH)
		make_path(path, "KMEMACCT_DEBUGFS", DEBUGFS, file);
}

/* ---- errors --------------------------------------------------------------- */

/* Test whether another file system was mounted at the same place later. */
static bool is_hidden(const char *dir)
{
	char path[FILE_PATH];
	struct mntent *m;
	bool hidden = false;
	FILE *mounts;

	source_proc_path(path, "mounts");
	mounts = setmntent(path, "re");
	while (mounts && (m = getmntent(mounts)))
		if (!strcmp(m->mnt_dir, dir))
			hidden = strcmp(m->mnt_type, "debugfs");
	if (mounts)
		endmntent(mounts);
	return hidden;
}

/* Test for the two values with which debugfs cannot be mounted. */
static bool is_debugfs_off(void)
{
	char path[FILE_PATH], *text;
	size_t len;
	bool off;

	source_proc_path(path, "cmdline");
	text = file_read(path, &len);
	off = text && (strstr(text, "debugfs=off") || strstr(text, "debugfs=no-mount"));
	free(text);
	return off;
}

static int fail_missing(const char *path)
{
	char dir[FILE_PATH];

	if (!source_is_loaded())
		return fail("the module is not loaded: modprobe kmemacct, or insmod kmemacct.ko");
	if (is_debugfs_off())
		return fail("the kernel's command line disables debugfs: boot without debugfs=...");
	if (!source_mount("debugfs", dir))
		return fail("debugfs is not mounted: mount -t debugfs none " DEBUGFS);
	if (is_hidden(dir))
		return fail("another file system is over %s: mount debugfs on an empty directory",
			    dir);
	return fail("%s: missing, although the module is loaded: see its messages in dmesg", path);
}

/* Explain errno about a file of the module.  Lockdown closes control, and no table. */
#define LOCKED "%s: closed by kernel lockdown, or CAP_SYS_ADMIN is missing: use the files in /sys/module/kmemacct/parameters, or sudo"

static int fail_file(const char *path)
{
	switch (errno) {
	case EACCES:
		return fail("%s: only root has access: use sudo", path);
	case EPERM:
		if (text_ends(path, "/control"))
			return fail(LOCKED, path);
		return fail("%s: CAP_PERFMON or CAP_SYS_ADMIN is missing: use sudo", path);
	case ENOENT:
		return fail_missing(path);
	case ENOMEM:
		return fail("%s: not enough memory for a snapshot: free some and try again", path);
	default:
		return fail("%s: %s", path, strerror(errno));
	}
}

/* ---- files of the module -------------------------------------------------- */

struct table *source_table_open(const char *name, int *fd)
{
	char path[FILE_PATH], *text = NULL;
	struct table *t = NULL;
	size_t len;

	module_path(path, name);
	*fd = file_open(path, O_RDONLY);
	if (*fd >= 0)
		text = file_read_all(*fd, &len);
	if (text)
		t = table_parse(name, path, text, len);
	else
		fail_file(path);
	if (!t && *fd >= 0)
		close(*fd);
	if (t)
		t->source = &module_source;
	return t;
}

struct source *source_incident(const struct source *s, const char *nr, char path[FILE_PATH])
{
	char name[32];
	u64 number;

	if (number_parse(nr, &number) || !number || number > 99) {
		fail("'%.64s' is not the number of an incident: see kmemacct incidents", nr);
		return NULL;
	}
	snprintf(name, sizeof(name), "incident%llu", number);
	if (source_is_snapshot(s))
		return snapshot_incident(s, name, path);
	module_path(path, name);
	if (!access(path, F_OK) || errno != ENOENT || !source_has("incidents"))
		return snapshot_open(path);
	fail("the module keeps no incident %llu: see kmemacct incidents", number);
	return NULL;
}

struct reader *source_reader(const char *name)
{
	struct reader *r;
	char path[FILE_PATH];
	int fd;

	module_path(path, name);
	fd = file_open(path, O_RDONLY);
	if (fd < 0) {
		fail_file(path);
		return NULL;
	}
	r = reader_open(name, path, fd, READER_BUFFER);
	if (r)
		reader_table(r)->source = &module_source;
	return r;
}

bool source_has(const char *name)
{
	char path[FILE_PATH];

	module_path(path, name);
	return !access(path, F_OK);
}

static char *module_text(const char *name, size_t *len)
{
	char path[FILE_PATH], *text;

	module_path(path, name);
	text = file_read(path, len);
	if (!text)
		fail_file(path);
	return text;
}

/* The module rejected a command: report its reason, which `control` shows as last_error. */
static int fail_refused(const char *path, const char *command)
{
	const char *why = NULL;
	size_t len;
	char *text = file_read(path, &len);

	if (text)
		why = strstr(text, "last_error ");
	why = why ? why + strlen("last_error ") : "see dmesg";
	fail("the module rejected '%s': %.*s", command, (int)strcspn(why, "\n"), why);
	free(text);
	return -1;
}

/* The command has to be a single write(). */
int control_write(const char *command)
{
	char path[FILE_PATH];
	int saved, fd;
	ssize_t ret;

	module_path(path, "control");
	fd = file_open(path, O_WRONLY);
	if (fd < 0)
		return fail_file(path);
	ret = TEMP_FAILURE_RETRY(write(fd, command, strlen(command)));
	saved = errno;
	close(fd);
	errno = saved;
	if (ret >= 0)
		return 0;
	return errno == EINVAL || errno == ENOMEM ? fail_refused(path, command) : fail_file(path);
}

/* ---- files of this machine ------------------------------------------------ */

char *source_sys(const struct source *s, const char *name, size_t *len)
{
	char path[FILE_PATH];

	if (source_is_snapshot(s))
		return NULL;
	source_sys_path(path, name);
	return file_read(path, len);
}

char *source_modules(const char *name, size_t *len)
{
	char path[FILE_PATH], dir[sizeof("/lib/modules/") + sizeof(struct utsname)];
	struct utsname u;

	uname(&u);
	snprintf(dir, sizeof(dir), "/lib/modules/%s", u.release);
	make_path(path, "KMEMACCT_MODULES", dir, name);
	return file_read(path, len);
}

char *source_proc(const struct source *s, const char *name, char path[FILE_PATH], size_t *len)
{
	char *text;

	source_proc_path(path, name);
	if (source_is_snapshot(s)) {
		fail("a snapshot has no /proc/%s, which this needs: omit -i", name);
		return NULL;
	}
	text = file_read(path, len);
	if (!text)
		fail("%s: %s: check that /proc is mounted", path, strerror(errno));
	return text;
}

/* /proc/version without blanks, as the manifest has it. */
static char *build_of_machine(void)
{
	char path[FILE_PATH], *text, *c;
	size_t len;

	text = source_proc(&module_source, "version", path, &len);
	for (c = text; c && *c; c++)
		*c = *c == '\n' ? '\0' : *c > ' ' && *c <= '~' ? *c : '_';
	return text ?: alloc_copy("");
}

/* ---- both ----------------------------------------------------------------- */

struct table *source_table(const struct source *s, const char *name)
{
	struct table *t;
	int fd;

	if (source_is_snapshot(s))
		return snapshot_table(s, name);
	t = source_table_open(name, &fd);
	if (t)
		close(fd);
	return t;
}

char *source_text(const struct source *s, const char *name, size_t *len)
{
	return source_is_snapshot(s) ? snapshot_text(s, name, len) : module_text(name, len);
}

u64 source_uptime_ms(const struct source *s)
{
	return source_is_snapshot(s) ? snapshot_number(s, "uptime_ms") : clock_uptime_ms();
}

u64 source_time_s(const struct source *s)
{
	return source_is_snapshot(s) ? snapshot_number(s, "taken_s") : (u64)time(NULL);
}

char *source_build(const struct source *s)
{
	return source_is_snapshot(s) ? alloc_copy(snapshot_field(s, "build")) :
				       build_of_machine();
}
