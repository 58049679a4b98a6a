/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing a file as a whole: under a temporary name in the same directory, which becomes the
 * file's name only when all of it is on disk.  A reader sees the old file or the new one, and
 * the old one stays if anything fails.
 */
#ifndef REPLACE_H
#define REPLACE_H

#include <sys/types.h>

/**
 * replace_file() - write a file
 * @path: its name; it must be that of a regular file, or not exist
 * @mode: its permissions
 * @what: what it is, for errors
 * @write: write the contents to a file descriptor; returns 0, or -1 after calling fail()
 * @data: passed to @write
 *
 * If a signal such as that of Ctrl-C ends the program meanwhile, the temporary file is removed.
 *
 * Return: 0, or -1 after calling fail().
 */
int replace_file(const char *path, mode_t mode, const char *what,
		 int (*write)(int fd, const char *path, const void *data), const void *data);

#endif /* REPLACE_H */
