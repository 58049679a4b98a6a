// SPDX-License-Identifier: GPL-2.0
/* Lines of a text or of a file.  See lines.h. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "lines.h"

void lines_of_text(struct lines *l, const char *file, char *text, size_t len)
{
	*l = (struct lines) {
		.file = file, .fd = -1, .buf = text, .size = len, .at = text, .end = text + len,
	};
}

void lines_of_file(struct lines *l, const char *file, int fd, char *buf, size_t size)
{
	*l = (struct lines) {
		.file = file, .fd = fd, .buf = buf, .size = size, .at = buf, .end = buf,
	};
}

static int fail_read(const struct lines *l)
{
	return fail("%s: cannot read on after line %zu: %s: see whether the module is still loaded",
		    l->file, l->nr, strerror(errno));
}

/* Read more behind the rest of the buffer.  Return: 1, 0 at the end, or -1 after calling fail(). */
static int read_more(struct lines *l)
{
	const size_t rest = l->end - l->at;
	ssize_t ret;

	if (l->fd < 0)
		return 0;
	if (rest == l->size)
		return fail("%s: line %zu is longer than %zu bytes: it is not a line of a table",
			    l->file, l->nr + 1, l->size);
	memmove(l->buf, l->at, rest);
	l->at = l->buf;
	l->end = l->buf + rest;
	do {
		ret = read(l->fd, l->end, l->size - rest);
	} while (ret < 0 && errno == EINTR);
	if (ret < 0)
		return fail_read(l);
	l->end += ret;
	return ret > 0;
}

/* There is no more text.  Return: 0, or -1 after calling fail(). */
static int finish(const struct lines *l)
{
	if (l->at != l->end)
		return fail("%s is truncated: its last line has no newline", l->file);
	return l->nr ? 0 : fail("%s is empty", l->file);
}

/* Cut the line up to @end off the text. */
static int take_line(struct lines *l, char *end, char **line)
{
	*line = l->at;
	*end = '\0';
	l->at = end + 1;
	l->nr++;
	if (strlen(*line) != (size_t)(end - *line))
		return fail("%s is not text: it contains a NUL byte", l->file);
	return 1;
}

int lines_next(struct lines *l, char **line)
{
	size_t searched = 0;
	char *end;
	int ret;

	for (;;) {
		end = memchr(l->at + searched, '\n', l->end - l->at - searched);
		if (end)
			return take_line(l, end, line);
		searched = l->end - l->at;
		ret = read_more(l);
		if (ret <= 0)
			return ret ? ret : finish(l);
	}
}
