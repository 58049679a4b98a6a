/* SPDX-License-Identifier: GPL-2.0 */
/* Archives that tar can list and unpack: the container of a snapshot. */
#ifndef TARBALL_H
#define TARBALL_H

#include <stddef.h>

/* Name of the directory that all members of an archive are in. */
#define TARBALL_DIR	"kmemacct/"

/**
 * struct member - a file in an archive
 * @name: its name, without the directory
 * @text: its text, ending with a NUL; malloc() has allocated both
 * @len: length of the text, without the NUL
 */
struct member {
	char *name;
	char *text;
	size_t len;
};

/**
 * struct tarball - the files of an archive, in their order
 * @member: the files
 * @nr: number of @member
 */
struct tarball {
	struct member *member;
	size_t nr;
};

/* Add a file, and take ownership of @text.  The name is copied. */
void tarball_add(struct tarball *t, const char *name, char *text, size_t len);

/* Return: the file of that name, or NULL if there is none. */
const struct member *tarball_find(const struct tarball *t, const char *name);

/* Free all files. */
void tarball_clear(struct tarball *t);

/**
 * tarball_write() - write an archive
 * @t: the files
 * @fd: what to write to
 * @path: its name, for errors
 *
 * Return: 0, or -1 after calling fail().
 */
int tarball_write(const struct tarball *t, int fd, const char *path);

/**
 * tarball_read() - read an archive
 * @t: set to its files; the caller calls tarball_clear(), also after an error
 * @path: the file; `-` is standard input
 * @first: name of the first file; an archive that begins with another one is not a snapshot
 *
 * Return: 0, or -1 after calling fail().
 */
int tarball_read(struct tarball *t, const char *path, const char *first);

/* The same for an archive in memory, as the fuzzer has it. */
int tarball_parse(struct tarball *t, const void *data, size_t size, const char *path,
		  const char *first);

#endif /* TARBALL_H */
