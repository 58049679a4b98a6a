// SPDX-License-Identifier: GPL-2.0
/* Incidents as sources of tables.  See the overview in snapshot.h. */
#include <stdlib.h>
#include <string.h>

#include "snapshot.h"

#define HEAD	"# " KMA_NAME " "

bool incident_is_text(const char *data, size_t size)
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
		name = alloc_print("%.*s", (int)strcspn(name, " \n"), name);
		archive_add(f, name, copy, part);
		free(name);
	}
}

/* The row of the incident has the length of the text that follows the first table. */
static int check(const struct source *s, const struct table *incidents, size_t rest)
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

#define MANIFEST	HEAD SNAPSHOT_MANIFEST " %d taken_s=%llu uptime_ms=%llu\n# bytes crc32 file\n"

int incident_read(struct source *s, const char *data, size_t size)
{
	struct table *incidents;
	char *manifest;
	int ret = -1;

	s->incident = true;
	add_tables(&s->files, data, size);
	incidents = snapshot_table(s, "incidents");
	if (incidents && !check(s, incidents, size - s->files.member[0].len)) {
		manifest = alloc_print(MANIFEST, SNAPSHOT_VERSION, made_s(s),
				       incidents->rows[0]->v[INCIDENT_at_s]);
		s->manifest = table_parse(SNAPSHOT_MANIFEST, s->path, manifest, strlen(manifest));
		ret = s->manifest ? 0 : -1;
	}
	table_free(incidents);
	return ret;
}

int incident_fail(const struct source *s, const char *name)
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
