// SPDX-License-Identifier: GPL-2.0
/* Snapshots: reading them.  See the overview in snapshot.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <zlib.h>

#include "snapshot.h"

u64 snapshot_checksum(const char *text, size_t len)
{
	return crc32_z(0, (const unsigned char *)text, len);
}

enum {
#define X(name, ...) MANIFEST_##name,
	SNAPSHOT_COLUMNS(X)
#undef X
};

bool source_is_snapshot(const struct source *s)
{
	return s && s->path;
}

bool source_is_incident(const struct source *s)
{
	return s && s->incident;
}

bool source_names_flags(const struct source *s)
{
	return !source_is_incident(s) || archive_find(&s->files, "gfp_flags");
}

const char *source_path(const struct source *s)
{
	return s->path;
}

const char *snapshot_field(const struct source *s, const char *key)
{
	return table_field(s->manifest, key) ?: "";
}

u64 snapshot_number(const struct source *s, const char *key)
{
	return table_number(s->manifest, key);
}

static int fail_file(const struct source *s, const char *name, const char *why)
{
	return fail("%s: the snapshot is truncated or damaged (%s %s): take or copy it again",
		    s->path, name, why);
}

/* The last row of the manifest is about the text above it. */
static int check_file(const struct source *s, const struct row *row, bool last)
{
	const struct member *m = archive_find(&s->files, row->label);

	if (!m || last != !strcmp(row->label, SNAPSHOT_MANIFEST))
		return fail_file(s, row->label, "is missing");
	if (last ? row->v[MANIFEST_bytes] > m->len : row->v[MANIFEST_bytes] != m->len)
		return fail_file(s, row->label, "has another length");
	if (snapshot_checksum(m->text, row->v[MANIFEST_bytes]) != row->v[MANIFEST_crc32])
		return fail_file(s, row->label, "has another checksum");
	return 0;
}

static char *copy_text(const struct member *m)
{
	return memcpy(alloc(1, m->len + 1), m->text, m->len);
}

/* The archive has to have each file of the manifest unchanged, and no other file. */
static int parse_files(struct source *s)
{
	const struct member *first = &s->files.member[0];
	size_t i;

	s->manifest = table_parse(SNAPSHOT_MANIFEST, s->path, copy_text(first), first->len);
	if (!s->manifest)
		return -1;
	for (i = 0; i < s->manifest->nr_rows; i++)
		if (check_file(s, s->manifest->rows[i], i + 1 == s->manifest->nr_rows))
			return -1;
	if (s->files.nr != s->manifest->nr_rows)
		return fail_file(s, SNAPSHOT_MANIFEST, "does not list all files");
	return 0;
}

static void set_taken(struct source *s)
{
	time_t taken = snapshot_number(s, "taken_s");
	struct tm tm;

	if (taken && gmtime_r(&taken, &tm))
		strftime(s->taken, sizeof(s->taken), "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static int read_archive(struct source *s, const void *data, size_t size)
{
	return archive_read(&s->files, s->path, data, size, SNAPSHOT_MANIFEST) || parse_files(s) ?
	       -1 : 0;
}

struct source *snapshot_parse(const void *data, size_t size, const char *path)
{
	struct source *s = alloc(1, sizeof(*s));
	int ret;

	s->path = path;
	if (!size)
		ret = fail("%s is empty: there is no such incident, or it is not a snapshot", path);
	else if (incident_is_text(data, size))
		ret = incident_read(s, data, size);
	else
		ret = read_archive(s, data, size);
	if (!ret) {
		set_taken(s);
		return s;
	}
	snapshot_free(s);
	return NULL;
}

struct source *snapshot_open(const char *path)
{
	struct source *s;
	size_t size;
	char *data = strcmp(path, "-") ? file_read(path, &size) :
					 file_read_all(STDIN_FILENO, &size);

	if (!data) {
		fail("%s: %s", path, strerror(errno));
		return NULL;
	}
	s = snapshot_parse(data, size, path);
	free(data);
	return s;
}

void snapshot_free(struct source *s)
{
	if (!s)
		return;
	archive_clear(&s->files);
	table_free(s->manifest);
	free(s);
}

char *snapshot_text(const struct source *s, const char *name, size_t *len)
{
	const struct member *m = archive_find(&s->files, name);

	if (!m && s->incident)
		incident_fail(s, name);
	else if (!m)
		fail("%s has no table %s: the module did not have it, or --tables left it out",
		     s->path, name);
	if (!m)
		return NULL;
	*len = m->len;
	return copy_text(m);
}

/* The head of a table shows when it was taken. */
struct table *snapshot_table(const struct source *s, const char *name)
{
	char *path = alloc_print("%s: %s", s->path, name), *text;
	struct table *t = NULL;
	size_t len;

	text = snapshot_text(s, name, &len);
	if (text)
		t = table_parse(name, path, text, len);
	if (t)
		t->source = s;
	if (t && t->nr_fields < FIELDS_MAX && *s->taken)
		t->fields[t->nr_fields++] = (struct field) { "taken", s->taken };
	free(path);
	return t;
}
