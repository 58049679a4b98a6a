// SPDX-License-Identifier: GPL-2.0
/* Sources of tables: the files of the module that is loaded, or a snapshot. */
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "snapshot.h"
#include "table.h"

const struct source module_source;

/* ---- paths ---------------------------------------------------------------- */

/*
 * Only the tests set the variables KMEMACCT_PROC, KMEMACCT_SYS and KMEMACCT_DEBUGFS, to make
 * the program read their own files.
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

#define DEBUGFS	"/sys/kernel/debug"

/* The summary is also in /proc, which works without debugfs. */
static void module_path(char path[FILE_PATH], const char *name)
{
	char file[256];

	snprintf(file, sizeof(file), KMA_NAME "/%s", name);
	if (!strcmp(name, "summary"))
		source_proc_path(path, KMA_NAME);
	else
		make_path(path, "KMEMACCT_DEBUGFS", DEBUGFS, file);
}

bool source_is_loaded(void)
{
	char path[FILE_PATH];

	source_proc_path(path, KMA_NAME);
	return !access(path, F_OK);
}

bool source_mount(const char *type, char dir[FILE_PATH])
{
	char path[FILE_PATH];
	struct mntent *m;
	FILE *mounts;

	source_proc_path(path, "mounts");
	mounts = setmntent(path, "re");
	if (!mounts)
		return false;
	while ((m = getmntent(mounts)) && strcmp(m->mnt_type, type))
		;
	if (m)
		snprintf(dir, FILE_PATH, "%s", m->mnt_dir);
	endmntent(mounts);
	return m;
}

/* ---- errors --------------------------------------------------------------- */

static int fail_missing(const char *path)
{
	char dir[FILE_PATH];

	if (!source_is_loaded())
		return fail("the module is not loaded: modprobe kmemacct, or insmod kmemacct.ko");
	if (!source_mount("debugfs", dir))
		return fail("debugfs is not mounted: mount -t debugfs none " DEBUGFS);
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
	make_path(path, "KMEMACCT_SYS", "/sys", name);
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
