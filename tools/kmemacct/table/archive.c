// SPDX-License-Identifier: GPL-2.0
/*
 * Archives that tar can list and unpack: the container of a snapshot.
 *
 * They are compressed by gzip, which every machine with tar has.  Other compressions are accepted
 * for reading if libarchive has them built in.  Those for which it would run another program are
 * not: the file may come from anywhere.  libarchive does not compare the checksum of gzip, so the
 * manifest has checksums: see snapshot.h.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

#include "table.h"

/* ---- files ---------------------------------------------------------------- */

void archive_add(struct files *f, const char *name, char *text, size_t len)
{
	f->member = alloc_more(f->member, f->nr, &f->room, sizeof(*f->member));
	f->member[f->nr++] = (struct member) { alloc_copy(name), text, len };
}

const struct member *archive_find(const struct files *f, const char *name)
{
	size_t i;

	for (i = 0; i < f->nr; i++)
		if (!strcmp(f->member[i].name, name))
			return &f->member[i];
	return NULL;
}

void archive_clear(struct files *f)
{
	size_t i;

	for (i = 0; i < f->nr; i++) {
		free(f->member[i].name);
		free(f->member[i].text);
	}
	free(f->member);
	*f = (struct files) {};
}

/* ---- writing -------------------------------------------------------------- */

/* Higher levels take twice as long or longer, for a tenth less. */
#define LEVEL		"3"

/* Return: the reason of an error of libarchive. */
static const char *reason(struct archive *a)
{
	const char *text = archive_error_string(a);

	return archive_errno(a) > 0 ? strerror(archive_errno(a)) : text ? text : "unknown error";
}

static int write_member(struct archive *a, const struct member *m)
{
	struct archive_entry *entry = archive_entry_new();
	char name[256];
	int ret;

	snprintf(name, sizeof(name), ARCHIVE_DIR "%s", m->name);
	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0600);
	archive_entry_set_size(entry, m->len);
	archive_entry_set_mtime(entry, time(NULL), 0);
	ret = archive_write_header(a, entry);
	archive_entry_free(entry);
	if (ret != ARCHIVE_OK || archive_write_data(a, m->text, m->len) != (la_ssize_t)m->len)
		return -1;
	return 0;
}

static int write_members(const struct files *f, struct archive *a, int fd)
{
	size_t i;

	if (archive_write_set_format_pax_restricted(a) != ARCHIVE_OK ||
	    archive_write_add_filter_gzip(a) != ARCHIVE_OK ||
	    archive_write_set_filter_option(a, "gzip", "compression-level", LEVEL) != ARCHIVE_OK ||
	    archive_write_open_fd(a, fd) != ARCHIVE_OK)
		return -1;
	for (i = 0; i < f->nr; i++)
		if (write_member(a, &f->member[i]))
			return -1;
	return archive_write_close(a) == ARCHIVE_OK ? 0 : -1;
}

int archive_write(const struct files *f, int fd, const char *path)
{
	struct archive *a = archive_write_new();
	int ret;

	if (!a)
		return fail("%s: not enough memory: free some and try again", path);
	ret = write_members(f, a, fd);
	if (ret)
		fail("%s: cannot write the snapshot: %s", path, reason(a));
	archive_write_free(a);
	return ret;
}

/* ---- reading -------------------------------------------------------------- */

#define BLOCK	65536
/* A snapshot has fewer members than this. */
#define MEMBERS_MAX	64
/* The message of libarchive depends on the byte where the file is cut. */
#define BROKEN		"it cannot be unpacked to its end"

static int fail_damaged(const char *path, const char *why)
{
	return fail("%s: the snapshot is truncated or damaged (%s): take or copy it again", path,
		    why);
}

static int fail_foreign(const char *path)
{
	return fail("%s is not a snapshot: kmemacct snapshot FILE makes one", path);
}

/* The size in the header of a member may be wrong, so memory grows with the data that is read. */
static char *read_text(struct archive *a, size_t *len)
{
	size_t size = BLOCK;
	char *text = malloc(size), *more;
	la_ssize_t ret;

	for (*len = 0; text; *len += ret) {
		if (*len == size - 1) {
			size *= 2;
			more = realloc(text, size);
			if (!more)
				break;
			text = more;
		}
		ret = archive_read_data(a, text + *len, size - 1 - *len);
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

/* Return: the name of a member without its directory, or NULL if it is no file of a snapshot. */
static const char *name_of(struct archive_entry *entry)
{
	const char *name = archive_entry_pathname(entry);

	if (!name || strncmp(name, ARCHIVE_DIR, strlen(ARCHIVE_DIR)))
		return NULL;
	name += strlen(ARCHIVE_DIR);
	return *name && archive_entry_filetype(entry) == AE_IFREG ? name : NULL;
}

/*
 * Fail because the first member is not that of a snapshot, although it may come from one: tar lists
 * directories, too, and names may begin with "./".
 */
static int fail_first(struct archive_entry *entry, const char *path)
{
	const char *name = archive_entry_pathname(entry);

	if (name && text_begins(name, "./"))
		name += 2;
	if (!name || !text_begins(name, ARCHIVE_DIR))
		return fail_foreign(path);
	return fail("%s: the snapshot is damaged, as it was packed again: use the original",
		    path);
}

/*
 * Fail because there is no first member.  A snapshot that was cut may end before it: then the file
 * still begins with the name of the directory.
 */
static int fail_header(const char *path)
{
	char name[sizeof(ARCHIVE_DIR)] = "";
	struct stat st;
	const bool again = !stat(path, &st) && S_ISREG(st.st_mode);
	__auto_type file = again ? gzopen(path, "rbe") : NULL;
	const int len = file ? gzread(file, name, strlen(ARCHIVE_DIR)) : 0;

	if (file)
		gzclose(file);
	return len == (int)strlen(ARCHIVE_DIR) && !strcmp(name, ARCHIVE_DIR) ?
	       fail_damaged(path, BROKEN) : fail_foreign(path);
}

/* Return: 1 if a member was read, 0 at the end, or -1 after calling fail(). */
static int read_member(struct files *f, struct archive *a, const char *path,
		       const char *first)
{
	struct archive_entry *entry;
	const char *name;
	size_t len;
	char *text;
	int ret = archive_read_next_header(a, &entry);

	if (ret == ARCHIVE_EOF)
		return f->nr ? 0 : fail_header(path);
	if (ret != ARCHIVE_OK)
		return f->nr ? fail_damaged(path, BROKEN) : fail_header(path);
	name = name_of(entry);
	if (!name || f->nr == MEMBERS_MAX || (!f->nr && strcmp(name, first)))
		return f->nr ? fail_damaged(path, "it has other files") : fail_first(entry, path);
	text = read_text(a, &len);
	if (!text)
		return fail_damaged(path, BROKEN);
	archive_add(f, name, text, len);
	return 1;
}

static struct archive *new_reader(void)
{
	struct archive *a = archive_read_new();

	if (!a)
		return NULL;
	archive_read_support_filter_xz(a);
	archive_read_support_filter_gzip(a);
	archive_read_support_filter_zstd(a);
	archive_read_support_format_tar(a);
	return a;
}

static int read_members(struct files *f, struct archive *a, const char *path, const char *first)
{
	int ret;

	do {
		ret = read_member(f, a, path, first);
	} while (ret > 0);
	if (!ret && archive_read_close(a) != ARCHIVE_OK)
		ret = fail_damaged(path, BROKEN);
	return ret;
}

int archive_read(struct files *f, const char *path, const void *data, size_t size,
		 const char *first)
{
	struct archive *a = new_reader();
	int ret;

	if (!a)
		return fail("%s: not enough memory: free some and try again", path);
	ret = archive_read_open_memory(a, data, size) == ARCHIVE_OK ? 0 : fail_header(path);
	if (!ret)
		ret = read_members(f, a, path, first);
	archive_read_free(a);
	return ret;
}
