// SPDX-License-Identifier: GPL-2.0
/* Snapshots.  See the overview in snapshot.h. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <zlib.h>

#include "clock.h"
#include "error.h"
#include "files.h"
#include "reader.h"
#include "replace.h"
#include "snapshot.h"
#include "suggest.h"
#include "tarball.h"
#include "words.h"

#define MANIFEST	"manifest"
#define CONTROL		"control"

/* ---- reading the module --------------------------------------------------- */

/* The files of a snapshot.  The first one is that most people look at: it is read first. */
static const char * const names[] = {
#define X(name, columns) #name,
	KMA_TABLES(X)
#undef X
	CONTROL,
};

/* The keys that all tables of a snapshot have in common, and the manifest as well. */
static const char * const identity[] = {
	"load_id", "loaded_s", "kernel", "version", "resets", "module_changes",
};

#define NR_IDENTITY	ARRAY_SIZE(identity)
#define VALUE_LEN	128

/**
 * struct taking - a snapshot that is being taken
 * @files: what has been read
 * @identity: the identity of the tables; empty before the first one
 * @taken_s: time of day, in seconds since 1970
 * @uptime_ms: time since boot
 */
struct taking {
	struct tarball files;
	char identity[NR_IDENTITY][VALUE_LEN];
	u64 taken_s;
	u64 uptime_ms;
};

/* Return: length of the word at the start of a text. */
static size_t word_len(const char *text)
{
	size_t len = 0;

	while (text[len] && text[len] != ' ' && text[len] != '\n')
		len++;
	return len;
}

/* Copy the value of a key of a table's head, up to its end. */
static void head_value(const char *text, const char *key, char value[VALUE_LEN])
{
	const size_t len = strlen(key);
	const char *at = text;

	*value = '\0';
	while (*at == '#') {
		at += word_len(at);
		while (*at == ' ') {
			at++;
			if (!strncmp(at, key, len) && at[len] == '=') {
				at += len + 1;
				snprintf(value, VALUE_LEN, "%.*s", (int)word_len(at), at);
				return;
			}
			at += word_len(at);
		}
		at += *at == '\n';
	}
}

static int fail_changed(const char *key)
{
	const char *what = "the module was loaded again";

	if (!strcmp(key, "resets"))
		what = "the counts were reset";
	else if (!strcmp(key, "module_changes"))
		what = "another module was loaded or unloaded";
	return fail("%s while the snapshot was taken: take it again", what);
}

/* All tables have to be of the same load, without a reset in between. */
static int check_identity(struct taking *s, const char *text)
{
	char value[VALUE_LEN];
	size_t i;

	for (i = 0; i < NR_IDENTITY; i++) {
		head_value(text, identity[i], value);
		if (!*value)
			continue;
		if (*s->identity[i] && strcmp(s->identity[i], value))
			return fail_changed(identity[i]);
		memcpy(s->identity[i], value, VALUE_LEN);
	}
	return 0;
}

/* Read a file that the module has.  An older module may not have all of them. */
static int take_file(struct taking *s, const char *name)
{
	size_t len;
	char *text;

	if (s->files.nr && !files_has(name))
		return 0;
	text = files_text(name, &len);
	if (!text)
		return -1;
	tarball_add(&s->files, name, text, len);
	return strcmp(name, CONTROL) ? check_identity(s, text) : 0;
}

static int check_table(const char *name, size_t len)
{
	struct suggestion s;
	size_t i;

	suggest_begin(&s, name, len);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (strlen(names[i]) == len && !strncmp(names[i], name, len))
			return 0;
		suggest_try(&s, names[i]);
	}
	return suggest_fail(&s, "use names such as callers,page_callers",
			    "--tables: there is no table '%.*s'", (int)(len < 64 ? len : 64), name);
}

/* Check a list of names of tables. */
static int check_list(const char *list)
{
	size_t len;

	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (check_table(list, len))
			return -1;
	}
	return 0;
}

/* The table gfp_flags decodes columns of others. */
static bool is_wanted(const char *tables, const char *name)
{
	return !tables || !strcmp(name, "gfp_flags") || !strcmp(name, CONTROL) ||
	       words_has(tables, name);
}

static int take_files(struct taking *s, const char *tables)
{
	size_t i;

	s->taken_s = time(NULL);
	s->uptime_ms = clock_uptime_ms();
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (is_wanted(tables, names[i]) && take_file(s, names[i]))
			return -1;
	return 0;
}

char *snapshot_build(void)
{
	char path[FILES_PATH], *text, *c;
	size_t len;

	text = files_proc("version", path, &len);
	for (c = text; c && *c; c++)
		*c = *c == '\n' ? '\0' : *c > ' ' && *c <= '~' ? *c : '_';
	if (text && *text)
		return text;
	free(text);
	return NULL;
}

static u64 checksum(const char *text, size_t len)
{
	return crc32_z(0, (const unsigned char *)text, len);
}

static void print_row(FILE *out, const char *name, const char *text, size_t len)
{
	fprintf(out, "%zu 0x%08llx %s\n", len, checksum(text, len), name);
}

static char *make_manifest(const struct taking *s, size_t *len)
{
	char *text = NULL, *build = snapshot_build();
	FILE *out = open_memstream(&text, len);
	const struct member *m;
	size_t i;

	if (out) {
		fprintf(out, "# " KMA_NAME " " MANIFEST " %d taken_s=%llu uptime_ms=%llu program="
			KMA_VERSION, SNAPSHOT_VERSION, s->taken_s, s->uptime_ms);
		if (build)
			fprintf(out, " build=%s", build);
		fputs("\n#", out);
		for (i = 0; i < NR_IDENTITY; i++)
			if (*s->identity[i])
				fprintf(out, " %s=%s", identity[i], s->identity[i]);
		fputs("\n# bytes crc32 file\n", out);
		for (i = 0, m = s->files.member; i < s->files.nr; i++, m++)
			print_row(out, m->name, m->text, m->len);
		fflush(out);
		print_row(out, MANIFEST, text, *len);
		if (fclose(out)) {
			free(text);
			text = NULL;
		}
	}
	free(build);
	return text;
}

/* Put the manifest before the other files. */
static int add_manifest(struct taking *s)
{
	struct tarball all = {};
	size_t i, len;
	char *text = make_manifest(s, &len);

	if (!text)
		return fail("not enough memory for the snapshot: free some and try again");
	tarball_add(&all, MANIFEST, text, len);
	for (i = 0; i < s->files.nr; i++) {
		tarball_add(&all, s->files.member[i].name, s->files.member[i].text,
			    s->files.member[i].len);
		s->files.member[i].text = NULL;
	}
	tarball_clear(&s->files);
	s->files = all;
	return 0;
}

/* ---- writing the file ----------------------------------------------------- */

static int put_file(int fd, const char *path, const void *files)
{
	return tarball_write(files, fd, path);
}

static int write_file(const struct tarball *files, const char *path)
{
	return replace_file(path, 0600, "snapshot", put_file, files);
}

static int write_output(const struct tarball *files)
{
	if (isatty(STDOUT_FILENO))
		return fail("a snapshot is no text for a terminal: redirect it, or give a file");
	/* Then write() fails at the limit of `ulimit -f`, instead of ending the program. */
	signal(SIGXFSZ, SIG_IGN);
	return tarball_write(files, STDOUT_FILENO, "standard output");
}

/* Say what was saved: all files but the manifest and `control` are tables. */
static void report(const struct tarball *files, const char *path)
{
	const size_t nr = files->nr - 1 - !!tarball_find(files, CONTROL);
	char size[NUMBER_LEN];
	struct stat st = {};

	stat(path, &st);
	number_print_size(size, st.st_size, false);
	printf("%s: %zu table%s, %s\n", path, nr, nr == 1 ? "" : "s", size);
}

int snapshot_take(const char *path, const char *tables)
{
	struct taking s = {};
	int ret = tables ? check_list(tables) : 0;

	if (!ret)
		ret = take_files(&s, tables);
	if (!ret)
		ret = add_manifest(&s);
	if (!ret)
		ret = strcmp(path, "-") ? write_file(&s.files, path) : write_output(&s.files);
	if (!ret && strcmp(path, "-"))
		report(&s.files, path);
	tarball_clear(&s.files);
	return ret;
}

/* ---- reading snapshots ---------------------------------------------------- */

enum {
#define X(name, ...) MANIFEST_##name,
	SNAPSHOT_COLUMNS(X)
#undef X
};

/**
 * struct snapshot - a snapshot that was read
 * @path: name of its file
 * @files: its files
 * @manifest: its manifest
 * @taken: when it was taken, as the heads of its tables show it
 */
struct snapshot {
	const char *path;
	struct tarball files;
	struct table *manifest;
	char taken[64];
};

const char *snapshot_path(const struct snapshot *s)
{
	return s->path;
}

const char *snapshot_field(const struct snapshot *s, const char *key)
{
	return table_field(s->manifest, key) ?: "";
}

u64 snapshot_number(const struct snapshot *s, const char *key)
{
	u64 value;

	return number_parse(snapshot_field(s, key), &value) ? 0 : value;
}

static int fail_file(const struct snapshot *s, const char *name, const char *why)
{
	return fail("%s: the snapshot is truncated or damaged (%s %s): take or copy it again",
		    s->path, name, why);
}

/* The manifest has a row for itself, at its end, about what is above. */
static int check_file(const struct snapshot *s, const struct row *row, bool last)
{
	const struct member *m = tarball_find(&s->files, row->label);

	if (!m || last != !strcmp(row->label, MANIFEST))
		return fail_file(s, row->label, "is missing");
	if (last ? row->v[MANIFEST_bytes] > m->len : row->v[MANIFEST_bytes] != m->len)
		return fail_file(s, row->label, "has another length");
	if (checksum(m->text, row->v[MANIFEST_bytes]) != row->v[MANIFEST_crc32])
		return fail_file(s, row->label, "has another checksum");
	return 0;
}

/* Each file in the manifest has to be there as it was, and no other. */
static int check_files(const struct snapshot *s)
{
	const size_t nr = s->manifest->nr_rows;
	size_t i;

	for (i = 0; i < nr; i++)
		if (check_file(s, s->manifest->rows[i], i + 1 == nr))
			return -1;
	if (s->files.nr != nr)
		return fail_file(s, MANIFEST, "does not list all files");
	return 0;
}

static char *copy_text(const struct member *m)
{
	return memcpy(alloc(1, m->len + 1), m->text, m->len);
}

static void format_taken(struct snapshot *s)
{
	time_t taken = snapshot_number(s, "taken_s");
	struct tm tm;

	if (gmtime_r(&taken, &tm))
		strftime(s->taken, sizeof(s->taken), "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static int parse_files(struct snapshot *s)
{
	s->manifest = table_parse(MANIFEST, s->path, copy_text(&s->files.member[0]),
				  s->files.member[0].len);
	if (!s->manifest)
		return -1;
	format_taken(s);
	return check_files(s);
}

/* @ret: what reading the archive returned. */
static struct snapshot *finish(struct snapshot *s, int ret)
{
	if (!ret && !parse_files(s))
		return s;
	snapshot_free(s);
	return NULL;
}

static struct snapshot *new_snapshot(const char *path)
{
	struct snapshot *s = alloc(1, sizeof(*s));

	s->path = path;
	return s;
}

struct snapshot *snapshot_open(const char *path)
{
	struct snapshot *s = new_snapshot(path);

	return finish(s, tarball_read(&s->files, path, MANIFEST));
}

struct snapshot *snapshot_parse(const void *data, size_t size, const char *path)
{
	struct snapshot *s = new_snapshot(path);

	return finish(s, tarball_parse(&s->files, data, size, path, MANIFEST));
}

void snapshot_free(struct snapshot *s)
{
	if (!s)
		return;
	tarball_clear(&s->files);
	table_free(s->manifest);
	free(s);
}

static const struct member *find_file(const struct snapshot *s, const char *name)
{
	const struct member *m = tarball_find(&s->files, name);

	if (!m)
		fail("%s has no table %s: the module did not have it, or --tables left it out",
		     s->path, name);
	return m;
}

const char *snapshot_text(const struct snapshot *s, const char *name)
{
	const struct member *m = find_file(s, name);

	return m ? m->text : NULL;
}

/* Show in the head when it was taken. */
static void add_taken(struct table *t, const struct snapshot *s)
{
	if (t->nr_fields < FIELDS_MAX && *s->taken)
		t->fields[t->nr_fields++] = (struct field) { "taken", s->taken };
}

struct table *snapshot_table(const struct snapshot *s, const char *name)
{
	const struct member *m = find_file(s, name);
	char path[FILES_PATH + 64];
	struct table *t;

	if (!m)
		return NULL;
	snprintf(path, sizeof(path), "%s: %s", s->path, name);
	t = table_parse(name, path, copy_text(m), m->len);
	if (t)
		add_taken(t, s);
	return t;
}
