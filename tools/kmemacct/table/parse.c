// SPDX-License-Identifier: GPL-2.0
/*
 * The parser of tables: of whole texts, which it splits in place, and of files, row by row.
 *
 *   text or file --> lines --> head and columns, then rows
 *
 * Columns are found by their names.  A file may have columns that this program does not know, which
 * are ignored.  It must have all those that it knows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "snapshot.h"
#include "table.h"

static const struct known {
	const char *name;
	const struct column *columns;
	u64 version;
} known[] = {
#define X(name, columns) \
	{ #name, (const struct column[]) { columns(COLUMN) COLUMN_END }, KMA_FORMAT_VERSION },
	KMA_TABLES(X)
#undef X
	{ "manifest", (const struct column[]) { SNAPSHOT_COLUMNS(COLUMN) COLUMN_END },
	  SNAPSHOT_VERSION },
};

/* The last table is not one of the module. */
const char *table_name(size_t nr)
{
	return nr < ARRAY_SIZE(known) - 1 ? known[nr].name : NULL;
}

/* A table of pairs has a list of two columns, the first of which is text. */
static bool is_pairs(const struct known *k)
{
	return k->columns[0].format == FORMAT_LABEL && k->columns[1].name;
}

/* Most columns that a file may have, with those that this program does not know. */
#define WORDS_MAX	256

/**
 * struct reader - position in a table
 * @path: the file, for errors
 * @nr: number of the current line; the first line is 1
 * @fd: the file, or -1 if the text is in memory
 * @buf: the text, or the buffer
 * @size: size of the buffer
 * @at: start of the next line
 * @end: end of what is in @buf
 * @t: head and columns, and, if the text is in memory, the rows
 * @version: the format version that this program reads
 * @row: room for a row that is read alone
 * @head: copies of the lines of the head, for fields to point to; NULL if the text stays
 * @head_len: length of @head
 * @column: for each column of the file, the index of its name in the table, or NONE
 * @nr_columns: number of @column
 */
struct reader {
	char *path;
	size_t nr;
	int fd;
	char *buf;
	size_t size;
	char *at;
	char *end;
	struct table *t;
	const struct known *known;
	struct row *row;
	char *head;
	size_t head_len;
	int column[WORDS_MAX];
	int nr_columns;
};

static int fail_line(const struct reader *r, const char *why)
{
	return fail("%s: line %zu: %s", r->path, r->nr, why);
}

/* ---- lines ---------------------------------------------------------------- */

/* Read more behind the rest of the buffer.  Return: 1, 0 at the end, or -1 after calling fail(). */
static int read_more(struct reader *r)
{
	const size_t rest = r->end - r->at;
	ssize_t ret;

	if (r->fd < 0)
		return 0;
	if (rest == r->size)
		return fail("%s: line %zu is longer than %zu bytes: it is not a line of a table",
			    r->path, r->nr + 1, r->size);
	memmove(r->buf, r->at, rest);
	r->at = r->buf;
	r->end = r->buf + rest;
	ret = TEMP_FAILURE_RETRY(read(r->fd, r->end, r->size - rest));
	if (ret < 0)
		return fail("%s: cannot read on after line %zu: %s: %s", r->path, r->nr,
			    strerror(errno), "see whether the module is still loaded");
	r->end += ret;
	return ret > 0;
}

/* Cut the next line off.  Return: 1, 0 after the last line, or -1 after calling fail(). */
static int next_line(struct reader *r, char **line)
{
	size_t searched = 0;
	char *end;
	int ret;

	while (!(end = memchr(r->at + searched, '\n', r->end - r->at - searched))) {
		searched = r->end - r->at;
		ret = read_more(r);
		if (ret < 0)
			return -1;
		if (!ret && searched)
			return fail("%s is truncated: its last line has no newline", r->path);
		if (!ret)
			return r->nr ? 0 : fail("%s is empty", r->path);
	}
	*line = r->at;
	*end = '\0';
	r->at = end + 1;
	r->nr++;
	if (strlen(*line) != (size_t)(end - *line))
		return fail("%s is not text: it contains a NUL byte", r->path);
	return 1;
}

/*
 * Return: the next word of a line, or NULL if there is none.  Most blanks only align the columns,
 * and strsep() would be called for each of them.
 */
static char *next_word(char **line)
{
	char *word = *line, *end;

	if (!word)
		return NULL;
	while (*word == ' ')
		word++;
	for (end = word; *end && *end != ' '; end++)
		;
	*line = *end ? end + 1 : NULL;
	*end = '\0';
	return *word ? word : NULL;
}

static bool is_word(const char *word, const char *expected)
{
	return word && !strcmp(word, expected);
}

/* ---- the head ------------------------------------------------------------- */

/* Find the next line, and keep it as long as the table, whose fields point into it. */
static int next_head_line(struct reader *r, char **line)
{
	int ret = next_line(r, line);
	size_t size;

	if (ret <= 0 || !r->head)
		return ret;
	size = strlen(*line) + 1;
	if (size > r->size - r->head_len)
		return fail_line(r, "the head is too long");
	*line = memcpy(r->head + r->head_len, *line, size);
	r->head_len += size;
	return 1;
}

static int parse_fields(const struct reader *r, char *line)
{
	struct table *t = r->t;
	struct field *field;
	char *word;

	while ((word = next_word(&line))) {
		if (t->nr_fields == FIELDS_MAX)
			return fail_line(r, "too many key=value fields");
		field = &t->fields[t->nr_fields++];
		field->key = strsep(&word, "=");
		field->value = word;
		if (!word || !*field->key || !*word)
			return fail_line(r, "a field of the head is not key=value");
	}
	return 0;
}

static int parse_first(struct reader *r)
{
	char *line = NULL, *word;
	u64 version;

	if (next_head_line(r, &line) < 0)
		return -1;
	if (!is_word(next_word(&line), "#") || !is_word(next_word(&line), KMA_NAME))
		return fail("%s is not a kmemacct table", r->path);
	if (!is_word(next_word(&line), r->t->name))
		return fail("%s is not the table %s", r->path, r->t->name);
	word = next_word(&line);
	if (!word || number_parse(word, &version))
		return fail_line(r, "no format version");
	if (version != r->known->version)
		return fail("%s has format version %llu, not %llu: use kmemacct of that version",
			    r->path, version, r->known->version);
	return parse_fields(r, line);
}

/* Check that the line of names has each column once, and the label last. */
static int check_columns(const struct reader *r)
{
	const struct table *t = r->t;
	bool *has = table_own(r->t, alloc(t->nr_values + 1, sizeof(*has)));
	int i;

	for (i = 0; i < r->nr_columns; i++) {
		if (r->column[i] == NONE)
			continue;
		if (has[r->column[i]])
			return fail_line(r, "two columns have the same name");
		has[r->column[i]] = true;
	}
	for (i = 0; i < table_nr_columns(t); i++)
		if (!has[i])
			return fail("%s has no column %s: %s", r->path, t->columns[i].name,
				    "use the kmemacct that belongs to the module");
	if (table_label(t) && r->column[r->nr_columns - 1] != t->nr_values)
		return fail_line(r, "the last column is not the label");
	return 0;
}

/* The line of names: a table of pairs has a name and a value, and more is ignored. */
static int parse_columns(struct reader *r, char *line)
{
	char *word;

	if (is_pairs(r->known)) {
		if (is_word(next_word(&line), "name") && is_word(next_word(&line), "value"))
			return 0;
		return fail_line(r, "the columns are not name and value");
	}
	while ((word = next_word(&line))) {
		if (r->nr_columns == WORDS_MAX)
			return fail_line(r, "too many columns");
		r->column[r->nr_columns++] = table_column(r->t, word);
	}
	return check_columns(r);
}

/* Read all before the rows: the first line, more lines of fields, and the line of names. */
static int parse_head(struct reader *r)
{
	char *line, *word;
	int ret;

	if (parse_first(r))
		return -1;
	for (;;) {
		ret = next_head_line(r, &line);
		if (ret < 0)
			return -1;
		r->nr += !ret;
		if (!ret || !is_word(next_word(&line), "#"))
			return fail_line(r, "no column names");
		word = line ? line + strspn(line, " ") : NULL;
		if (!word)
			return fail_line(r, "no column names");
		if (!memchr(word, '=', strcspn(word, " ")))
			break;
		if (parse_fields(r, line))
			return -1;
	}
	r->t->sampled = table_field(r->t, "sampled") && !table_is(r->t, "sampled", "0");
	return parse_columns(r, line);
}

/* ---- rows ----------------------------------------------------------------- */

static int parse_value(char *word, enum format format, u64 *value)
{
	switch (format) {
	case FORMAT_U64:
		return number_parse(word, value);
	case FORMAT_S64:
		*value = UNKNOWN;
		return strcmp(word, "-") ? number_parse_signed(word, (s64 *)value) : 0;
	case FORMAT_MILLI:
		return number_parse_milli(word, value);
	case FORMAT_PTR:
		/* The kernel prints `(____ptrval____)` until it has a key to hash addresses. */
		*value = 0;
		return *word == '(' ? 0 : number_parse_hex(word, value);
	case FORMAT_ID:
		*value = NO_ID;
		if (!strcmp(word, "-"))
			return 0;
		return number_parse(word, value) || *value == NO_ID ? -1 : 0;
	case FORMAT_HEX:
		return number_parse_hex(word, value);
	case FORMAT_NAME:
		*value = (uintptr_t)text_clean(word);
		return 0;
	default:
		return -1;
	}
}

static int parse_row(const struct reader *r, char *line, struct row *row)
{
	const struct column *columns = r->t->columns;
	const bool labelled = table_label(r->t);
	char *word;
	int i, at;

	for (at = 0; at < r->nr_columns - labelled; at++) {
		i = r->column[at];
		word = next_word(&line);
		if (!word)
			return fail_line(r, "the line is too short");
		if (i != NONE && parse_value(word, columns[i].format, &row->v[i]))
			return fail("%s: line %zu: invalid %s '%s'", r->path, r->nr,
				    columns[i].name, word);
	}
	row->label = "";
	if (!labelled)
		return next_word(&line) ? fail_line(r, "more values than columns") : 0;
	if (line)
		line += strspn(line, " ");
	if (!line || !*line)
		return fail_line(r, "the line is too short");
	row->label = text_clean(line);
	return 0;
}

/* Read the next row.  Return: 1, 0 after the last row, or -1 after calling fail(). */
static int read_row(struct reader *r, struct row *row)
{
	char *line;
	int ret = next_line(r, &line);

	return ret > 0 && parse_row(r, line, row) ? -1 : ret;
}

/* Test for a name that ends in a unit after an underscore, or in this and `_se`. */
static bool has_unit(const char *name, const char *unit)
{
	const char *at = strstr(name, unit);

	return at && at > name && (!at[strlen(unit)] || !strcmp(at + strlen(unit), "_se"));
}

/* Return: the unit that the name of a pair contains. */
static enum unit unit_of(const char *name)
{
	if (strstr(name, "bytes"))
		return UNIT_BYTES;
	if (!strcmp(name, "kb") || !strcmp(name, "kb_se") || has_unit(name, "_kb"))
		return UNIT_KIB;
	if (has_unit(name, "_us"))
		return UNIT_US;
	return has_unit(name, "_ms") ? UNIT_MS : UNIT_NONE;
}

/* In a table of pairs, the text of a value shows its format. */
static enum format format_of(const char *word)
{
	if (*word == '-')
		return FORMAT_S64;
	return strchr(word, '.') ? FORMAT_MILLI : FORMAT_U64;
}

/* Read all pairs, which become columns of a table with one row. */
static int read_pairs(struct reader *r)
{
	struct column *columns = NULL, *c;
	size_t nr = 0, room = 0, values_room = 0, i;
	char *line, *word;
	struct table *t;
	u64 *v = NULL;
	int ret;

	while ((ret = next_line(r, &line)) > 0) {
		columns = alloc_more(columns, nr, &room, sizeof(*columns));
		v = alloc_more(v, nr, &values_room, sizeof(*v));
		c = &columns[nr];
		*c = (struct column) { .name = next_word(&line), .kind = KIND_GAUGE };
		word = next_word(&line);
		if (!word) {
			ret = fail_line(r, "the line is too short");
			break;
		}
		c->format = format_of(word);
		if (parse_value(word, c->format, &v[nr++])) {
			ret = fail("%s: line %zu: invalid %s '%s'", r->path, r->nr, c->name, word);
			break;
		}
		c->name = text_clean((char *)c->name);
		c->unit = unit_of(c->name);
	}
	if (!ret) {
		columns = alloc_more(columns, nr, &room, sizeof(*columns));
		columns[nr] = (struct column)COLUMN_END;
		t = table_new(r->t->name, columns, r->t->sampled, 1);
		t->from[0] = r->t;
		t->pairs = true;
		table_inherit(t, r->t);
		table_add(t)->label = "";
		for (i = 0; i < nr; i++)
			t->rows[0]->v[i] = v[i];
		r->t = t;
	}
	free(columns);
	free(v);
	return ret;
}

/* ---- files and texts ------------------------------------------------------ */

static const struct known *find_known(const char *name)
{
	const struct known *k;

	for (k = known; k < known + ARRAY_SIZE(known); k++)
		if (!strcmp(k->name, name))
			return k;
	return NULL;
}

static struct table *new_table(const struct known *k, size_t max_rows)
{
	static const struct column none[] = { COLUMN_END };

	return table_new(k->name, is_pairs(k) ? none : k->columns, false, max_rows);
}

struct reader *reader_open(const char *name, const char *path, int fd, size_t size)
{
	struct reader *r = alloc(1, sizeof(*r));

	*r = (struct reader) {
		.path = alloc_copy(path), .fd = fd, .size = size, .known = find_known(name),
		.buf = alloc(size, 1), .head = alloc(size, 1),
	};
	r->at = r->buf;
	r->end = r->buf;
	r->t = new_table(r->known, 0);
	table_own(r->t, r->head);
	r->row = table_own(r->t, table_row(r->t));
	if (!parse_head(r))
		return r;
	reader_close(r);
	return NULL;
}

struct table *reader_table(const struct reader *r)
{
	return r->t;
}

int reader_next(struct reader *r, struct row **row)
{
	*row = r->row;
	return read_row(r, r->row);
}

void reader_close(struct reader *r)
{
	if (!r)
		return;
	table_free(r->t);
	close(r->fd);
	free(r->path);
	free(r->buf);
	free(r);
}

static size_t count_lines(const char *text, size_t len)
{
	const char *end = text + len;
	size_t nr = 0;

	while ((text = memchr(text, '\n', end - text))) {
		text++;
		nr++;
	}
	return nr;
}

static int parse_all(struct reader *r)
{
	struct table *t = r->t;
	int ret;

	if (parse_head(r))
		return -1;
	if (is_pairs(r->known))
		return read_pairs(r);
	while ((ret = read_row(r, table_add(t))) > 0)
		;
	/* No line was left for the last row that was added. */
	t->nr_rows--;
	return ret;
}

struct table *table_parse(const char *name, const char *path, char *text, size_t len)
{
	struct reader r = {
		.path = (char *)path, .fd = -1, .buf = text, .size = len, .at = text,
		.end = text + len, .known = find_known(name),
	};

	/* There are fewer rows than lines, so there is room for one more row. */
	r.t = new_table(r.known, count_lines(text, len) + 1);
	table_own(r.t, text);
	if (!parse_all(&r))
		return r.t;
	table_free(r.t);
	return NULL;
}

struct table *table_known(const char *name)
{
	const struct known *k = find_known(name);

	return k && !is_pairs(k) ? new_table(k, 0) : NULL;
}
