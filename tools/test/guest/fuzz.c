// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz the module's files: fuzz SEED OPERATIONS CONTROL FILE...
 *
 * Opens the FILEs, reads them at any offset with any size, and writes to the file CONTROL:
 * valid commands, almost valid ones, and noise.  The text of an open file must not change:
 * the file is read once from start to end, and each later read is compared with that.  The
 * only errors allowed are EINVAL for a command that is not valid, EINVAL or EOVERFLOW for
 * an offset out of range, and ENOMEM anywhere.
 *
 * The same seed makes the same operations.  Prints how many were made, and exits with 1 at
 * the first mistake.  Linked statically, with libc alone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <unistd.h>

#include "../../../include/kmemacct_abi.h"
#include "../../../include/kmemacct_settings.h"

/* The C library may define a macro of this name. */
#undef __printf
#define __printf(a, b)	__attribute__((__format__(printf, a, b)))

#define FILES_MAX	32
#define COMMAND_MAX	600
/* The most times that a file is read before it is closed and opened again. */
#define READS		500

struct file {
	const char *path;
	int fd;		/* -1: closed */
	char *text;	/* the whole file */
	size_t len;
	int reads;	/* left until it is closed */
};

static struct file files[FILES_MAX];
static int nr_files;
static char control[256];
static unsigned long opens, reads, bytes, accepted, rejected, no_memory;
static uint64_t state;

static uint32_t rnd(uint32_t below)
{
	/* xorshift64* */
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * 0x2545f4914f6cdd1dULL >> 32) % below;
}

static noreturn __printf(1, 2)
void fail(const char *fmt, ...)
{
	va_list args;

	printf("fuzz: ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	exit(1);
}

/* ---- reading -------------------------------------------------------------- */

static void file_close(struct file *f)
{
	free(f->text);
	close(f->fd);
	f->text = NULL;
	f->fd = -1;
}

/* Read the whole file in pieces of one size.  Returns false if the kernel has no memory. */
static int file_read_whole(struct file *f)
{
	size_t piece = 1 + rnd(1 << (1 + rnd(17))), room = 0;
	ssize_t got;

	if (piece < 64)
		piece += 4096;
	f->len = 0;
	do {
		if (room - f->len < piece) {
			room = 2 * room + piece;
			f->text = realloc(f->text, room);
			if (!f->text)
				fail("out of memory in user space");
		}
		got = read(f->fd, f->text + f->len, piece);
		if (got < 0 && errno == ENOMEM)
			return 0;
		if (got < 0)
			fail("read %s: %s", f->path, strerror(errno));
		f->len += got;
	} while (got);
	return 1;
}

static void file_open(struct file *f)
{
	f->fd = open(f->path, O_RDONLY);
	if (f->fd < 0 && errno != ENOMEM)
		fail("open %s: %s", f->path, strerror(errno));
	opens += f->fd >= 0;
	if (f->fd < 0 || !file_read_whole(f)) {
		no_memory++;
		if (f->fd >= 0)
			file_close(f);
		return;
	}
	if (!f->len || f->text[f->len - 1] != '\n')
		fail("%s does not end with a newline", f->path);
	f->reads = 1 + rnd(READS);
}

static off_t any_offset(const struct file *f)
{
	switch (rnd(16)) {
	case 0:
		return f->len + rnd(1000);
	case 1:
		return (off_t)1 << rnd(63);
	case 2:
		return -(off_t)rnd(1u << 31) - 1;
	case 3:
		return INT64_MAX - rnd(5000);
	case 4 ... 9:
		/* For a large offset, the kernel has to print all lines up to it. */
		return rnd(f->len < 4096 ? f->len : 4096);
	default:
		return rnd(f->len);
	}
}

static size_t any_size(void)
{
	return rnd(1u << (1 + rnd(17)));
}

/* Compare the result @got of reading @size bytes at @at with the text of the file. */
static void file_check(const struct file *f, off_t at, size_t size,
		       const char *piece, ssize_t got)
{
	if (got < 0 && errno == ENOMEM) {
		no_memory++;
		return;
	}
	if (at < 0 || size > (uint64_t)INT64_MAX - at) {
		if (got >= 0 || (errno != EINVAL && errno != EOVERFLOW))
			fail("read %s from %lld: %zd, %s", f->path,
			     (long long)at, got, strerror(errno));
		return;
	}
	if (got < 0)
		fail("read %s from %lld: %s", f->path, (long long)at,
		     strerror(errno));
	if (got > (ssize_t)size)
		fail("read %s from %lld: %zd of %zu bytes", f->path,
		     (long long)at, got, size);
	if ((size_t)at >= f->len ? got != 0 :
	    (size && !got) || (size_t)got > f->len - at)
		fail("read %s from %lld of %zu: %zd bytes of %zu", f->path,
		     (long long)at, f->len, got, size);
	if (got && memcmp(piece, f->text + at, got))
		fail("read %s from %lld: the text has changed", f->path,
		     (long long)at);
	bytes += got;
}

static void file_read(struct file *f)
{
	static char piece[1 << 18];
	size_t size = any_size();
	off_t at = any_offset(f);
	ssize_t got;

	reads++;
	if (rnd(4) || at < 0) {
		got = pread(f->fd, piece, size, at);
	} else {
		/* Set the position first.  lseek() may fail. */
		if (lseek(f->fd, at, SEEK_SET) != at)
			return;
		got = read(f->fd, piece, size);
	}
	file_check(f, at, size, piece, got);
	if (!--f->reads)
		file_close(f);
}

/* ---- writing -------------------------------------------------------------- */

#define X(name, ...) #name,
static const char * const words[] = {
	KMA_SETTINGS(X) KMA_CRITERIA(X) KMA_TABLES(X)
	"reset", "sort", "control", "hits", "site", "0", "1", "2", "-1",
	",", " ", "  ", "\t", "\n", "hits,site", "cpu,node", "%s", "%n", "x",
	"18446744073709551616", "", "4K", "64M", "sites", "classes", "off", "kernel", "0-3",
	"GFP_KERNEL", "|", "0x", "-", "/", "add", "del", "*", "[", "[!a]", ";",
};

#undef X

static const char * const good[] = {
	"reset", "budget_pct 0", "budget_pct 100\n",
};

/* These commands are sent less often: they patch the kernel's code, which interrupts all CPUs. */
static const char * const slow[] = {
	"enabled 1\n", "enabled 0", " enabled  1 ",
	"sample_bytes 0", "sample_bytes 4K\n", "sample_bytes 64M",
	"pages off", "pages classes", "pages sites", "page_sample_bytes 0",
	"page_sample_bytes 64K", "account off", "account tasks,cgroups",
	"account comm_sites,comm_syscalls", "filter off", "filter order 0-3", "filter comm p*",
	"filter cgroup /", "filter node 0", "filter gfp GFP_KERNEL|__GFP_ZERO",
	"filter size 64-1K", "filter module kernel", "cgroup_sites add /", "cgroup_sites none",
};

/* Commands of good[] for each one of slow[]. */
#define GOOD_PER_SLOW	100

#define ANY(list) ((list)[rnd(sizeof(list) / sizeof((list)[0]))])

static const char *good_command(void)
{
	return rnd(GOOD_PER_SLOW + 1) ? ANY(good) : ANY(slow);
}

/* Make a command.  Returns its length; @is_good: whether the module has to accept it. */
static size_t any_command(char *line, int *is_good)
{
	size_t len = 0;
	int nr;

	*is_good = 0;
	switch (rnd(4)) {
	case 0:
		*is_good = 1;
		return sprintf(line, "%s", good_command());
	case 1:
		/* A valid command with one byte replaced. */
		len = sprintf(line, "%s", good_command());
		line[rnd(len)] = rnd(256);
		return len;
	case 2:
		for (nr = 1 + rnd(6); nr; nr--)
			len += sprintf(line + len, "%s%s", ANY(words),
				       rnd(3) ? " " : "");
		return len;
	default:
		len = rnd(COMMAND_MAX);
		for (nr = 0; nr < (int)len; nr++)
			line[nr] = rnd(256);
		return len;
	}
}

static void write_control(void)
{
	int fd = open(control, O_WRONLY), is_good;
	char line[COMMAND_MAX];
	size_t len = any_command(line, &is_good);
	ssize_t done;

	if (fd < 0 && errno == ENOMEM) {
		no_memory++;
		return;
	}
	if (fd < 0)
		fail("open %s: %s", control, strerror(errno));
	if (rnd(2))
		lseek(fd, rnd(1000), SEEK_SET);
	done = write(fd, line, len);
	if (done == (ssize_t)len)
		accepted++;
	else if (done < 0 && errno == ENOMEM)
		no_memory++;
	else if (done < 0 && errno == EINVAL && !is_good)
		rejected++;
	else
		fail("write '%.*s': %zd, %s", (int)len, line, done,
		     strerror(errno));
	close(fd);
}

/* --------------------------------------------------------------------------- */

static void step(void)
{
	struct file *f = &files[rnd(nr_files)];

	if (!rnd(4))
		write_control();
	else if (f->fd < 0)
		file_open(f);
	else
		file_read(f);
}

static void add_file(const char *path)
{
	if (nr_files == FILES_MAX)
		fail("too many files");
	files[nr_files].path = strdup(path);
	files[nr_files++].fd = -1;
}

int main(int argc, char **argv)
{
	unsigned long i, operations;
	int nr;

	if (argc < 5)
		fail("usage: fuzz SEED OPERATIONS CONTROL FILE...");
	state = 2 * strtoul(argv[1], NULL, 0) + 1;
	operations = strtoul(argv[2], NULL, 0);
	snprintf(control, sizeof(control), "%s", argv[3]);
	for (nr = 4; nr < argc; nr++)
		add_file(argv[nr]);
	for (i = 0; i < operations; i++)
		step();
	printf("%lu operations of seed %s: %lu opens, %lu reads of %lu bytes, ",
	       operations, argv[1], opens, reads, bytes);
	printf("%lu commands accepted, %lu rejected, %lu times no memory\n",
	       accepted, rejected, no_memory);
	if (!opens || !reads || !bytes || !accepted || !rejected)
		fail("one kind of operation was never made");
	return 0;
}
