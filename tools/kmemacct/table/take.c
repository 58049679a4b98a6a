// SPDX-License-Identifier: GPL-2.0
/* Snapshots: taking them.  See the overview in snapshot.h. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "snapshot.h"

#define CONTROL		"control"

/* The keys that all tables of a snapshot have in common, and the manifest as well. */
static const char * const identity[] = {
	"load_id", "loaded_s", "kernel", "version", "resets", "module_changes",
};

#define NR_IDENTITY	ARRAY_SIZE(identity)
#define VALUE_LEN	128

/**
 * struct taking - a snapshot that is being taken
 * @files: the files that have been read
 * @identity: the identity of the tables; empty before the first one
 * @taken_s: time of day, in seconds since 1970
 * @uptime_ms: time since boot
 */
struct taking {
	struct files files;
	char identity[NR_IDENTITY][VALUE_LEN];
	u64 taken_s;
	u64 uptime_ms;
};

#define BLANKS	"\n "

/* Copy the value of a key of a table's head, up to its end; "" if the head lacks it. */
static void head_value(const char *text, const char *key, char value[VALUE_LEN])
{
	const size_t len = strlen(key);
	size_t word;

	*value = '\0';
	for (; *text == '#'; text += *text == '\n') {
		for (; *text && *text != '\n'; text += word + (text[word] == ' ')) {
			word = strcspn(text, BLANKS);
			if (strncmp(text, key, len) || text[len] != '=')
				continue;
			text += len + 1;
			snprintf(value, VALUE_LEN, "%.*s", (int)strcspn(text, BLANKS), text);
			return;
		}
	}
}

/* All tables have to be of the same load, without a reset in between. */
static int check_identity(struct taking *s, const char *text)
{
	char value[VALUE_LEN];
	const char *what;
	size_t i;

	for (i = 0; i < NR_IDENTITY; i++) {
		head_value(text, identity[i], value);
		if (!*value)
			continue;
		if (*s->identity[i] && strcmp(s->identity[i], value)) {
			what = !strcmp(identity[i], "resets") ? "the counts were reset" :
			       !strcmp(identity[i], "module_changes") ?
			       "another module was loaded or unloaded" :
			       "the module was loaded again";
			return fail("%s while the snapshot was taken: take it again", what);
		}
		memcpy(s->identity[i], value, VALUE_LEN);
	}
	return 0;
}

/* Read a file.  An older module may not have all of them, but it has the first one. */
static int take_file(struct taking *s, const char *name)
{
	size_t len;
	char *text;

	if (s->files.nr && !source_has(name))
		return 0;
	text = source_text(&module_source, name, &len);
	if (!text)
		return -1;
	archive_add(&s->files, name, text, len);
	return strcmp(name, CONTROL) ? check_identity(s, text) : 0;
}

/* Return: the name of file number @i of a snapshot.  The table that is used most comes first. */
static const char *file_name(size_t i)
{
	const char *name = table_name(i);

	return name || (i && !table_name(i - 1)) ? name : CONTROL;
}

/* Check a list of names. */
static int check_list(const char *list)
{
	struct suggestion s;
	const char *name;
	size_t len, i;

	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		suggest_begin(&s, list, len);
		for (i = 0; (name = file_name(i)); i++) {
			if (strlen(name) == len && !strncmp(name, list, len))
				break;
			suggest_try(&s, name);
		}
		if (!name)
			return suggest_fail(&s, "use names such as callers,page_callers",
					    "--tables: there is no table '%.*s'",
					    (int)(len < 64 ? len : 64), list);
	}
	return 0;
}

/* The table gfp_flags decodes columns of others. */
static int take_files(struct taking *s, const char *tables)
{
	const char *name;
	size_t i;

	s->taken_s = time(NULL);
	s->uptime_ms = clock_uptime_ms();
	for (i = 0; (name = file_name(i)); i++)
		if ((!tables || !strcmp(name, "gfp_flags") || !strcmp(name, CONTROL) ||
		     text_lists(tables, name)) && take_file(s, name))
			return -1;
	return 0;
}

/* Read the texts of incidents, of which there may be none. */
static int take_incidents(struct taking *s)
{
	char name[32], *text;
	size_t len;
	int nr;

	for (nr = 1;; nr++) {
		snprintf(name, sizeof(name), SNAPSHOT_INCIDENT "%d", nr);
		if (!source_has(name))
			return 0;
		text = source_text(&module_source, name, &len);
		if (!text)
			return -1;
		if (len)
			archive_add(&s->files, name, text, len);
		else
			free(text);
	}
}

static void take_reclaimable(struct taking *s)
{
	size_t len;
	char *caches = slabs_reclaimable(&module_source, &len);

	if (caches)
		archive_add(&s->files, SNAPSHOT_RECLAIMABLE, caches, len);
}

static void print_row(FILE *out, const char *name, const char *text, size_t len)
{
	fprintf(out, "%zu 0x%08llx %s\n", len, snapshot_checksum(text, len), name);
}

static char *make_manifest(const struct taking *s, size_t *len)
{
	char *text = NULL, *build = source_build(&module_source);
	FILE *out = text_open(&text, len);
	const struct member *m;
	size_t i;

	fprintf(out, "# " KMA_NAME " " SNAPSHOT_MANIFEST " %d taken_s=%llu uptime_ms=%llu program="
		KMA_VERSION, SNAPSHOT_VERSION, s->taken_s, s->uptime_ms);
	if (*build)
		fprintf(out, " build=%s", build);
	fputs("\n#", out);
	for (i = 0; i < NR_IDENTITY; i++)
		if (*s->identity[i])
			fprintf(out, " %s=%s", identity[i], s->identity[i]);
	fputs("\n# bytes crc32 file\n", out);
	for (m = s->files.member; m < s->files.member + s->files.nr; m++)
		print_row(out, m->name, m->text, m->len);
	fflush(out);
	print_row(out, SNAPSHOT_MANIFEST, text, *len);
	text_close(out);
	free(build);
	return text;
}

/* Put the manifest before the other files. */
static void add_manifest(struct taking *s)
{
	size_t len;
	char *text = make_manifest(s, &len);
	struct member *m, manifest;

	archive_add(&s->files, SNAPSHOT_MANIFEST, text, len);
	m = s->files.member;
	manifest = m[s->files.nr - 1];
	memmove(m + 1, m, (s->files.nr - 1) * sizeof(*m));
	*m = manifest;
}

static int put_file(int fd, const char *path, const void *files)
{
	return archive_write(files, fd, path);
}

static int write_output(const struct files *files)
{
	if (isatty(STDOUT_FILENO))
		return fail("a snapshot is not text: redirect it, or give a file");
	/*
	 * Ignore SIGXFSZ: beyond the limit of `ulimit -f`, write() then fails, instead of the
	 * signal ending the program.
	 */
	signal(SIGXFSZ, SIG_IGN);
	return archive_write(files, STDOUT_FILENO, "standard output");
}

/* Say what was saved, tables and other files. */
static void report(const struct files *files, const char *path)
{
	size_t nr = 0, i;
	char size[NUMBER_LEN];
	struct stat st = {};

	for (i = 0; table_name(i); i++)
		nr += !!archive_find(files, table_name(i));
	stat(path, &st);
	number_print_size(size, st.st_size, false);
	printf("%s: %zu table%s, %s\n", path, nr, nr == 1 ? "" : "s", size);
}

int snapshot_take(const char *path, const char *tables)
{
	const bool is_file = strcmp(path, "-");
	struct taking s = {};
	int ret = tables ? check_list(tables) : 0;

	if (!ret)
		ret = take_files(&s, tables);
	if (!ret && (!tables || text_lists(tables, "incidents")))
		ret = take_incidents(&s);
	if (!ret) {
		take_reclaimable(&s);
		add_manifest(&s);
		ret = is_file ? file_replace(path, 0600, "snapshot", put_file, &s.files) :
				write_output(&s.files);
	}
	if (!ret && is_file)
		report(&s.files, path);
	archive_clear(&s.files);
	return ret;
}
