// SPDX-License-Identifier: GPL-2.0
/* Reading and writing the files of the module and of the kernel.  See files.h. */
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "files.h"
#include "reader.h"
#include "snapshot.h"

#define PROC	"/proc"
#define SYS	"/sys"
#define DEBUGFS	"/sys/kernel/debug"

/* ---- paths ---------------------------------------------------------------- */

/*
 * Only the tests set the variables KMEMACCT_PROC, KMEMACCT_SYS and KMEMACCT_DEBUGFS, to make
 * the program read their own files.
 */
static const char *top_dir(const char *variable, const char *usual)
{
	const char *dir = secure_getenv(variable);

	return dir ? dir : usual;
}

static void proc_path(char path[FILES_PATH], const char *name)
{
	snprintf(path, FILES_PATH, "%s/%s", top_dir("KMEMACCT_PROC", PROC), name);
}

/* The summary is also in /proc, which works without debugfs. */
static void table_path(char path[FILES_PATH], const char *name)
{
	if (!strcmp(name, "summary"))
		proc_path(path, KMA_NAME);
	else
		snprintf(path, FILES_PATH, "%s/" KMA_NAME "/%s",
			 top_dir("KMEMACCT_DEBUGFS", DEBUGFS), name);
}

/* ---- reading -------------------------------------------------------------- */

static int open_file(const char *path, int flags)
{
	int fd;

	do {
		fd = open(path, flags | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return fd;
}

/*
 * Read up to the end of the file, but at most @size bytes.
 * Return: number of bytes, or -1.
 */
static ssize_t read_full(int fd, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t ret;

	while (len < size) {
		ret = read(fd, buf + len, size - len);
		if (ret < 0 && errno == EINTR)
			continue;
		if (ret < 0)
			return -1;
		if (!ret)
			break;
		len += ret;
	}
	return len;
}

/*
 * Read a whole file.  These files do not have a size that is known in advance.
 * Return: its text, or NULL with errno set.
 */
static char *read_all(int fd, size_t *len)
{
	size_t size = 1 << 16;
	char *text = NULL, *more;
	ssize_t ret;

	for (*len = 0;; size *= 2) {
		more = realloc(text, size);
		if (!more)
			break;
		text = more;
		ret = read_full(fd, text + *len, size - *len - 1);
		if (ret < 0)
			break;
		*len += ret;
		if (*len < size - 1) {
			text[*len] = '\0';
			return text;
		}
	}
	free(text);
	return NULL;
}

static char *read_file(const char *path, size_t *len)
{
	int saved, fd = open_file(path, O_RDONLY);
	char *text;

	if (fd < 0)
		return NULL;
	text = read_all(fd, len);
	saved = errno;
	close(fd);
	errno = saved;
	return text;
}

/* ---- where tables come from ----------------------------------------------- */

/* The snapshot that takes the place of the module, or NULL. */
static const struct snapshot *source;

void files_use(const struct snapshot *s)
{
	source = s;
}

bool files_is_snapshot(void)
{
	return source;
}

/* ---- errors --------------------------------------------------------------- */

bool files_is_loaded(void)
{
	char path[FILES_PATH];

	proc_path(path, KMA_NAME);
	return !access(path, F_OK);
}

bool files_mount(const char *type, char dir[FILES_PATH])
{
	char path[FILES_PATH];
	struct mntent *m = NULL;
	FILE *mounts;

	proc_path(path, "mounts");
	mounts = setmntent(path, "re");
	if (!mounts)
		return false;
	while ((m = getmntent(mounts)) && strcmp(m->mnt_type, type))
		;
	if (m)
		snprintf(dir, FILES_PATH, "%s", m->mnt_dir);
	endmntent(mounts);
	return m;
}

static bool has_debugfs(void)
{
	char dir[FILES_PATH];

	return files_mount("debugfs", dir);
}

static int fail_path(const char *path, const char *why)
{
	return fail("%s: %s", path, why);
}

static int fail_missing(const char *path)
{
	if (!files_is_loaded())
		return fail("the module is not loaded: modprobe kmemacct, or insmod kmemacct.ko");
	if (!has_debugfs())
		return fail("debugfs is not mounted: mount -t debugfs none " DEBUGFS);
	return fail_path(path, "missing, although the module is loaded: see its messages in dmesg");
}

/* A table can be read under lockdown, but not without a capability. */
static int fail_permission(const char *path)
{
	const char *name = strrchr(path, '/');

	if (name && !strcmp(name, "/control"))
		return fail_path(path,
				 "closed by kernel lockdown, or CAP_SYS_ADMIN is missing: use the files in /sys/module/kmemacct/parameters, or sudo");
	return fail_path(path, "CAP_PERFMON or CAP_SYS_ADMIN is missing: use sudo");
}

static int fail_file(const char *path)
{
	switch (errno) {
	case EACCES:
		return fail_path(path, "only root has access: use sudo");
	case EPERM:
		return fail_permission(path);
	case ENOENT:
		return fail_missing(path);
	case ENOMEM:
		return fail_path(path,
				 "not enough memory for a snapshot: free some and try again");
	default:
		return fail_path(path, strerror(errno));
	}
}

/* ---- the module's files --------------------------------------------------- */

bool files_has(const char *name)
{
	char path[FILES_PATH];

	table_path(path, name);
	return !access(path, F_OK);
}

char *files_text(const char *name, size_t *len)
{
	char path[FILES_PATH], *text;

	table_path(path, name);
	text = read_file(path, len);
	if (!text)
		fail_file(path);
	return text;
}

struct table *files_table_open(const char *name, int *fd)
{
	char path[FILES_PATH], *text = NULL;
	struct table *t = NULL;
	size_t len;

	table_path(path, name);
	*fd = open_file(path, O_RDONLY);
	if (*fd >= 0)
		text = read_all(*fd, &len);
	if (text)
		t = table_parse(name, path, text, len);
	else
		fail_file(path);
	if (!t && *fd >= 0)
		close(*fd);
	return t;
}

struct table *files_table(const char *name)
{
	struct table *t;
	int fd;

	if (source)
		return snapshot_table(source, name);
	t = files_table_open(name, &fd);
	if (t)
		close(fd);
	return t;
}

struct reader *files_reader(const char *name)
{
	char path[FILES_PATH];
	int fd;

	table_path(path, name);
	fd = open_file(path, O_RDONLY);
	if (fd >= 0)
		return reader_open(name, path, fd, READER_BUFFER);
	fail_file(path);
	return NULL;
}

/* The module rejected a command: report its reason, which `control` shows as last_error. */
static int fail_refused(const char *path, const char *command)
{
	const char *why = NULL;
	size_t len;
	char *text;

	text = read_file(path, &len);
	if (text)
		why = strstr(text, "last_error ");
	if (why)
		why += strlen("last_error ");
	else
		why = "see dmesg";
	fail("the module rejected '%s': %.*s", command, (int)strcspn(why, "\n"), why);
	free(text);
	return -1;
}

/* The command has to be a single write(). */
static int write_command(int fd, const char *command)
{
	ssize_t ret;

	do {
		ret = write(fd, command, strlen(command));
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -1 : 0;
}

int files_control(const char *command)
{
	char path[FILES_PATH];
	int saved, fd, ret;

	if (source)
		return fail("a snapshot takes no commands: omit -i");
	table_path(path, "control");
	fd = open_file(path, O_WRONLY);
	if (fd < 0)
		return fail_file(path);
	ret = write_command(fd, command);
	saved = errno;
	close(fd);
	errno = saved;
	if (ret && (errno == EINVAL || errno == ENOMEM))
		return fail_refused(path, command);
	return ret ? fail_file(path) : 0;
}

char *files_settings(void)
{
	const char *text;
	size_t len;

	if (!source)
		return files_text("control", &len);
	text = snapshot_text(source, "control");
	return text ? alloc_copy(text) : NULL;
}

char *files_sys(const char *name, size_t *len)
{
	char path[FILES_PATH];

	if (source)
		return NULL;
	snprintf(path, FILES_PATH, "%s/%s", top_dir("KMEMACCT_SYS", SYS), name);
	return read_file(path, len);
}

char *files_proc(const char *name, char *path, size_t *len)
{
	char *text;

	proc_path(path, name);
	if (source) {
		fail("a snapshot has no /proc/%s, which this needs: omit -i", name);
		return NULL;
	}
	text = read_file(path, len);
	if (!text)
		fail("%s: %s: check that /proc is mounted", path, strerror(errno));
	return text;
}

ssize_t files_proc_link(const char *name, char *text, size_t size)
{
	char path[FILES_PATH];

	proc_path(path, name);
	return readlink(path, text, size);
}
