/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of a text that is in memory, or of a file that is read with a buffer of bounded size.
 *
 * Lines are split in place: each newline becomes a NUL.  A line of a text is valid as long as the
 * text is, and a line of a file up to the next call.
 */
#ifndef LINES_H
#define LINES_H

#include "base.h"

/**
 * struct lines - position in a text or a file
 * @file: path of the file, for errors
 * @nr: number of the current line; the first line is 1
 * @fd: the file, or -1 if the text is in memory
 * @buf: the text, or the buffer
 * @size: size of the buffer
 * @at: start of the next line
 * @end: end of what is in @buf
 */
struct lines {
	const char *file;
	size_t nr;
	int fd;
	char *buf;
	size_t size;
	char *at;
	char *end;
};

/* Begin with the first line of a text of @len bytes. */
void lines_of_text(struct lines *l, const char *file, char *text, size_t len);

/*
 * Begin with the first line of a file, which has to be at its start.  No line may be longer than
 * @size bytes with its newline.
 */
void lines_of_file(struct lines *l, const char *file, int fd, char *buf, size_t size);

/**
 * lines_next() - find the next line
 * @l: the position
 * @line: set to the line, without its newline
 *
 * Return: 1, 0 after the last line, or -1 after calling fail().
 */
int lines_next(struct lines *l, char **line);

#endif /* LINES_H */
