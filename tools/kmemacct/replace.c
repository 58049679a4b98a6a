// SPDX-License-Identifier: GPL-2.0
/* Writing a file as a whole.  See the overview in replace.h. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "files.h"
#include "replace.h"

/* The file that is being written, under its temporary name; "" if there is none. */
static char temporary[FILES_PATH];

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
	/* Then write() fails at the limit of `ulimit -f`, instead of ending the program. */
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
	if (errno == ENOENT)
		return fail("%s: cannot write the %s: create its directory first", path, what);
	return fail("%s: cannot write the %s: %s", path, what, strerror(errno));
}

static int make_temporary(const char *path, const char *what)
{
	int fd;

	if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path) >= (int)sizeof(temporary)) {
		*temporary = '\0';
		return fail("the name of the %s is too long: use a shorter one", what);
	}
	fd = mkstemp(temporary);
	if (fd < 0) {
		*temporary = '\0';
		return fail_write(path, what);
	}
	return fd;
}

static int finish(int fd, mode_t mode, const char *path, const char *what)
{
	return fchmod(fd, mode) || fsync(fd) ? fail_write(path, what) : 0;
}

int replace_file(const char *path, mode_t mode, const char *what,
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
	if (!ret)
		ret = finish(fd, mode, path, what);
	if (close(fd) && !ret)
		ret = fail_write(path, what);
	if (!ret && rename(temporary, path))
		ret = fail("%s: cannot rename the %s: %s", path, what, strerror(errno));
	if (ret)
		unlink(temporary);
	*temporary = '\0';
	return ret;
}
