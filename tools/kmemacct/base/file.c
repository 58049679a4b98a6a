// SPDX-License-Identifier: GPL-2.0
/* Files that are read or written as a whole, and the clock. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base.h"

int file_open(const char *path, int flags)
{
	return TEMP_FAILURE_RETRY(open(path, flags | O_CLOEXEC));
}

char *file_read_all(int fd, size_t *len)
{
	size_t size = 1 << 16;
	char *text = malloc(size), *more;
	ssize_t ret;

	for (*len = 0; text; *len += ret) {
		if (*len == size - 1) {
			size *= 2;
			more = realloc(text, size);
			if (!more)
				break;
			text = more;
		}
		ret = TEMP_FAILURE_RETRY(read(fd, text + *len, size - 1 - *len));
		if (ret < 0)
			break;
		if (!ret) {
			text[*len] = '\0';
			return text;
		}
	}
	free(text);
	return NULL;
}

char *file_read(const char *path, size_t *len)
{
	int saved, fd = file_open(path, O_RDONLY);
	char *text;

	if (fd < 0)
		return NULL;
	text = file_read_all(fd, len);
	saved = errno;
	close(fd);
	errno = saved;
	return text;
}

int file_write_all(int fd, const char *data, size_t len)
{
	ssize_t ret;

	for (; len; data += ret, len -= ret) {
		ret = TEMP_FAILURE_RETRY(write(fd, data, len));
		if (ret < 0)
			return -1;
	}
	return 0;
}

/* ---- replacing a file ----------------------------------------------------- */

/* The file that is being written, under its temporary name; "" if there is none. */
static char temporary[FILE_PATH];

/* Remove the file, and end as if this program had not caught the signal. */
static void give_up(int number)
{
	if (*temporary)
		unlink(temporary);
	signal(number, SIG_DFL);
	raise(number);
}

static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(signals); i++)
		if (signal(signals[i], give_up) == SIG_IGN)
			signal(signals[i], SIG_IGN);
	/*
	 * Ignore SIGXFSZ: beyond the limit of `ulimit -f`, write() then fails, instead of the
	 * signal ending the program.
	 */
	signal(SIGXFSZ, SIG_IGN);
}

/* A rename would replace a device, a pipe or a symbolic link by a file. */
static int check_target(const char *path)
{
	struct stat st;

	if (lstat(path, &st) || S_ISREG(st.st_mode))
		return 0;
	if (S_ISDIR(st.st_mode))
		return fail("%s is a directory: give the name of a file in it", path);
	return fail("%s is not a regular file: use - for standard output", path);
}

static int fail_write(const char *path, const char *what)
{
	const int error = errno;
	char *dir = alloc_copy(path), *slash = strrchr(dir, '/');
	bool there;

	if (slash)
		slash[slash == dir] = '\0';
	there = !access(slash ? dir : ".", F_OK);
	free(dir);
	/* In /proc and /sys, no file can be created. */
	if (error == ENOENT && there)
		return fail("%s: cannot create a file in this directory: choose another", path);
	if (error == ENOENT)
		return fail("%s: cannot write the %s: create its directory first", path, what);
	errno = error;
	return fail("%s: cannot write the %s: %s", path, what, strerror(errno));
}

static int make_temporary(const char *path, const char *what)
{
	int fd = -1;

	if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path) >= (int)sizeof(temporary)) {
		fail("the name of the %s is too long: use a shorter one", what);
	} else {
		fd = mkstemp(temporary);
		if (fd < 0)
			fail_write(path, what);
	}
	if (fd < 0)
		*temporary = '\0';
	return fd;
}

int file_replace(const char *path, mode_t mode, const char *what,
		 int (*write)(int fd, const char *path, const void *data), const void *data)
{
	int fd, ret;

	if (check_target(path))
		return -1;
	catch_signals();
	fd = make_temporary(path, what);
	if (fd < 0)
		return -1;
	ret = write(fd, path, data);
	if (!ret && (fchmod(fd, mode) || fsync(fd)))
		ret = fail_write(path, what);
	if (close(fd) && !ret)
		ret = fail_write(path, what);
	if (!ret && rename(temporary, path))
		ret = fail("%s: cannot rename the %s: %s", path, what, strerror(errno));
	if (ret)
		unlink(temporary);
	*temporary = '\0';
	return ret;
}

u64 clock_uptime_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}
