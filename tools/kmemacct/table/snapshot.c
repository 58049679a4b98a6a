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

/* Fail because an incident does not have a file. */
static int incident_fail(const struct source *s, const char *name)
{
	const struct member *m = s->files.member + 1;
	char *list, *why;
	size_t len;
	FILE *text;

	if (s->files.nr == 1)
		return fail("%s: the incident is being recorded: read it again", s->path);
	text = text_open(&list, &len);
	for (; m < s->files.member + s->files.nr; m++)
		if (archive_find(&s->files, m->name) == m)
			fprintf(text, "%s %.32s", ftell(text) ? "," : "", m->name);
	text_close(text);
	why = alloc_print("%s: an incident has no %s, only%s", s->path, name, list);
	fail("%s", why);
	free(why);
	free(list);
	return -1;
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

/* ---- incidents ------------------------------------------------------------ */

#define HEAD	"# " KMA_NAME " "

/* Test for the text of an incident; it need not end with a NUL. */
static bool incident_is_text(const char *data, size_t size)
{
	static const char first[] = HEAD "incidents ";

	return size >= strlen(first) && !memcmp(data, first, strlen(first));
}

/* Add each table as a file.  If two have the same name, the first one is found. */
static void add_tables(struct files *f, const char *text, size_t len)
{
	const char *next;
	char *copy, *name;
	size_t part;

	for (; len; text += part, len -= part) {
		next = memmem(text, len, "\n" HEAD, strlen("\n" HEAD));
		part = next ? (size_t)(next + 1 - text) : len;
		copy = memcpy(alloc(1, part + 1), text, part);
		name = copy + strlen(HEAD);
		name = alloc_print("%.*s", (int)strcspn(name, "\n "), name);
		archive_add(f, name, copy, part);
		free(name);
	}
}

/* The row of the incident has the length of the text that follows the first table. */
static int check_length(const struct source *s, const struct table *incidents, size_t rest)
{
	if (incidents->nr_rows != 1)
		return fail("%s has %zu incidents: copy the file of one of them, such as incident1",
			    s->path, incidents->nr_rows);
	if (incidents->rows[0]->v[INCIDENT_bytes] == rest)
		return 0;
	return fail("%s: the incident is truncated or damaged (it has another length): %s",
		    s->path, "copy it again");
}

/* Return: the time of day at which the tables were made, in seconds since 1970; 0: not known. */
static u64 made_s(const struct source *s)
{
	struct table *t = archive_find(&s->files, "callers") ? snapshot_table(s, "callers") : NULL;
	u64 time = 0;

	if (t && table_is(t, "since", "load") && table_field(t, "loaded_s"))
		time = table_number(t, "loaded_s") + table_window_ms(t) / 1000;
	table_free(t);
	return time;
}

#define MANIFEST	HEAD SNAPSHOT_MANIFEST " %d taken_s=%llu uptime_ms=%llu\n" \
			"# bytes crc32 file\n"

/* Read the text of an incident.  Return: 0, or -1 after calling fail(). */
static int incident_read(struct source *s, const char *data, size_t size)
{
	struct table *incidents;
	char *manifest;
	int ret = -1;

	s->incident = true;
	add_tables(&s->files, data, size);
	incidents = snapshot_table(s, "incidents");
	if (incidents && !check_length(s, incidents, size - s->files.member[0].len)) {
		manifest = alloc_print(MANIFEST, SNAPSHOT_VERSION, made_s(s),
				       incidents->rows[0]->v[INCIDENT_at_s]);
		s->manifest = table_parse(SNAPSHOT_MANIFEST, s->path, manifest, strlen(manifest));
		ret = s->manifest ? 0 : -1;
	}
	table_free(incidents);
	return ret;
}

/* ---- opening -------------------------------------------------------------- */

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

struct source *snapshot_incident(const struct source *s, const char *name, char path[FILE_PATH])
{
	const struct member *m = archive_find(&s->files, name);

	if (!m) {
		fail("%s has no %.32s: see kmemacct incidents -i %s", s->path, name, s->path);
		return NULL;
	}
	snprintf(path, FILE_PATH, "%s: %s", s->path, name);
	return snapshot_parse(m->text, m->len, path);
}
