// SPDX-License-Identifier: GPL-2.0
/* The reader of tables.  See the overview in reader.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "lines.h"
#include "reader.h"
#include "snapshot.h"

struct known {
	const char *name;
	const struct column *columns;
	u64 version;
};

static const struct known known[] = {
#define X(name, columns) \
	{ #name, (const struct column[]) { columns(COLUMN) COLUMN_END }, KMA_FORMAT_VERSION },
	KMA_TABLES(X)
#undef X
	{ "manifest", (const struct column[]) { SNAPSHOT_COLUMNS(COLUMN) COLUMN_END },
	  SNAPSHOT_VERSION },
};

/* Return: the columns of a table, or NULL for one of pairs: its first column of two is text. */
static const struct column *columns_of(const struct known *k)
{
	return k->columns[0].format == FORMAT_LABEL && k->columns[1].name ? NULL : k->columns;
}

/* Most columns that a file may have, with those that this program does not know. */
#define WORDS_MAX	256
/* In place of the index of a column: this program does not know it, and ignores it. */
#define UNKNOWN		-1

/**
 * struct reader - position in a table
 * @lines: position in its lines
 * @t: its head and columns, and, if it is read as a whole, its rows
 * @version: the format version that this program reads
 * @row: room for a row that is read alone, in memory of @t
 * @file: copy of the path of the file; NULL if the lines are in a text
 * @buf: buffer of @lines; NULL if they are in a text
 * @head: length of the lines of the head that are kept in the text of @t
 * @head_size: room for these; 0 if lines need not be kept, because they are in a text
 * @nr_columns: number of columns in the file
 * @column: for each column of the file, the index of its name in the table, or UNKNOWN
 */
struct reader {
	struct lines lines;
	struct table *t;
	u64 version;
	struct row *row;
	char *file;
	char *buf;
	size_t head;
	size_t head_size;
	int nr_columns;
	int column[WORDS_MAX];
};

static int fail_line(const struct reader *r, const char *why)
{
	return fail("%s: line %zu: %s", r->lines.file, r->lines.nr, why);
}

/* ---- words ---------------------------------------------------------------- */

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

/*
 * Find the next line, and keep it as long as the table, whose fields point into it.
 * Return: 1, 0 after the last line, or -1 after calling fail().
 */
static int next_head_line(struct reader *r, char **line)
{
	int ret = lines_next(&r->lines, line);
	size_t size;

	if (ret <= 0 || !r->head_size)
		return ret;
	size = strlen(*line) + 1;
	if (size > r->head_size - r->head)
		return fail_line(r, "the head is too long");
	*line = memcpy(r->t->text + r->head, *line, size);
	r->head += size;
	return 1;
}

static int parse_version(const struct reader *r, const char *word)
{
	u64 version;

	if (!word || number_parse(word, &version))
		return fail_line(r, "no format version");
	if (version != r->version)
		return fail("%s has format version %llu, not %llu: use kmemacct of that version",
			    r->lines.file, version, r->version);
	return 0;
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

static int parse_head(struct reader *r)
{
	char *line = NULL;

	if (next_head_line(r, &line) < 0)
		return -1;
	if (!is_word(next_word(&line), "#") || !is_word(next_word(&line), KMA_NAME))
		return fail("%s is not a kmemacct table", r->lines.file);
	if (!is_word(next_word(&line), r->t->name))
		return fail("%s is not the table %s", r->lines.file, r->t->name);
	if (parse_version(r, next_word(&line)))
		return -1;
	return parse_fields(r, line);
}

/* Return: index of the column of that name in a list that ends with a label, or UNKNOWN. */
static int find_column(const struct column *columns, const char *name)
{
	int i;

	for (i = 0; columns[i].format != FORMAT_LABEL; i++)
		if (!strcmp(columns[i].name, name))
			return i;
	return columns[i].name && !strcmp(columns[i].name, name) ? i : UNKNOWN;
}

static int fail_missing(const struct reader *r, const char *name)
{
	return fail("%s has no column %s: use the kmemacct that belongs to the module",
		    r->lines.file, name);
}

/* Check that the line of names has each column once, and the label last. */
static int check_columns(const struct reader *r)
{
	const struct column *columns = r->t->columns;
	const int nr = r->t->nr_values;
	bool has[COLUMNS_MAX] = {};
	int i;

	for (i = 0; i < r->nr_columns; i++) {
		if (r->column[i] == UNKNOWN)
			continue;
		if (has[r->column[i]])
			return fail_line(r, "two columns have the same name");
		has[r->column[i]] = true;
	}
	for (i = 0; i < table_nr_columns(r->t); i++)
		if (!has[i])
			return fail_missing(r, columns[i].name);
	if (columns[nr].name && r->column[r->nr_columns - 1] != nr)
		return fail_line(r, "the last column is not the label");
	return 0;
}

/* Find the place of each column by its name, because its name gives it its meaning. */
static int parse_columns(struct reader *r, char *line)
{
	char *word;

	while ((word = next_word(&line))) {
		if (r->nr_columns == WORDS_MAX)
			return fail_line(r, "too many columns");
		r->column[r->nr_columns++] = find_column(r->t->columns, word);
	}
	return check_columns(r);
}

/* A table of pairs has a name and a value in each line.  More columns are ignored. */
static int check_pair_columns(const struct reader *r, char *line)
{
	if (!is_word(next_word(&line), "name") || !is_word(next_word(&line), "value"))
		return fail_line(r, "the columns are not name and value");
	return 0;
}

/* Parse the line of names and the lines of fields before it. */
static int parse_lines(struct reader *r)
{
	char *line, *word;
	int ret;

	for (;;) {
		ret = next_head_line(r, &line);
		if (ret < 0)
			return -1;
		r->lines.nr += !ret;
		if (!ret || !is_word(next_word(&line), "#"))
			return fail_line(r, "no column names");
		word = line ? line + strspn(line, " ") : NULL;
		if (!word || !memchr(word, '=', strcspn(word, " ")))
			break;
		if (parse_fields(r, line))
			return -1;
	}
	if (!word)
		return fail_line(r, "no column names");
	return r->t->columns ? parse_columns(r, line) : check_pair_columns(r, line);
}

/* ---- rows ----------------------------------------------------------------- */

static int parse_id(const char *word, u64 *value)
{
	if (strcmp(word, "-"))
		return number_parse(word, value) || *value == NO_ID ? -1 : 0;
	*value = NO_ID;
	return 0;
}

/* The kernel prints `(____ptrval____)` until it has a key to hash addresses with. */
static int parse_ptr(const char *word, u64 *value)
{
	*value = 0;
	return *word == '(' ? 0 : number_parse_hex(word, value);
}

/* Replace all but printable ASCII, which might confuse a terminal or be invalid JSON. */
static char *clean(char *text)
{
	char *c;

	for (c = text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return text;
}

static int parse_value(char *word, enum format format, u64 *value)
{
	switch (format) {
	case FORMAT_U64:
		return number_parse(word, value);
	case FORMAT_S64:
		return number_parse_signed(word, (s64 *)value);
	case FORMAT_MILLI:
		return number_parse_milli(word, value);
	case FORMAT_PTR:
		return parse_ptr(word, value);
	case FORMAT_ID:
		return parse_id(word, value);
	case FORMAT_HEX:
		return number_parse_hex(word, value);
	case FORMAT_NAME:
		*value = (uintptr_t)clean(word);
		return 0;
	default:
		return -1;
	}
}

static int parse_label(const struct reader *r, char *text, struct row *row)
{
	if (text)
		text += strspn(text, " ");
	if (!text || !*text)
		return fail_line(r, "the line is too short");
	row->label = clean(text);
	return 0;
}

/* Parse the word in column @at of the file.  Return: 0, or -1 after calling fail(). */
static int parse_word(const struct reader *r, int at, char *word, struct row *row)
{
	const struct column *columns = r->t->columns;
	const int i = r->column[at];

	if (!word)
		return fail_line(r, "the line is too short");
	if (i != UNKNOWN && parse_value(word, columns[i].format, &row->v[i]))
		return fail("%s: line %zu: invalid %s '%s'", r->lines.file, r->lines.nr,
			    columns[i].name, word);
	return 0;
}

static int parse_row(const struct reader *r, char *line, struct row *row)
{
	const bool labelled = r->t->columns[r->t->nr_values].name;
	int at;

	for (at = 0; at < r->nr_columns - labelled; at++)
		if (parse_word(r, at, next_word(&line), row))
			return -1;
	if (labelled)
		return parse_label(r, line, row);
	row->label = "";
	return next_word(&line) ? fail_line(r, "more values than columns") : 0;
}

/* In a table of pairs, the text of a value shows its format. */
static enum format pair_format(const char *word)
{
	if (*word == '-')
		return FORMAT_S64;
	return strchr(word, '.') ? FORMAT_MILLI : FORMAT_U64;
}

static int parse_pair(const struct reader *r, char *line, struct row *row)
{
	char *name = next_word(&line);
	char *word = next_word(&line);

	if (!word)
		return fail_line(r, "the line is too short");
	row->format = pair_format(word);
	if (parse_value(word, row->format, &row->v[0]))
		return fail("%s: line %zu: invalid %s '%s'", r->lines.file, r->lines.nr,
			    name, word);
	return parse_label(r, name, row);
}

/* Read the next row.  Return: 1, 0 after the last row, or -1 after calling fail(). */
static int read_row(struct reader *r, struct row *row)
{
	char *line;
	int ret = lines_next(&r->lines, &line);

	if (ret <= 0)
		return ret;
	ret = r->t->columns ? parse_row(r, line, row) : parse_pair(r, line, row);
	return ret ? -1 : 1;
}

/* ---- files ---------------------------------------------------------------- */

static bool is_sampled(const struct table *t)
{
	const char *sampled = table_field(t, "sampled");

	return sampled && strcmp(sampled, "0");
}

/* Read all before the rows. */
static int begin(struct reader *r)
{
	if (parse_head(r) || parse_lines(r))
		return -1;
	r->t->sampled = is_sampled(r->t);
	return 0;
}

static void new_table(struct reader *r, const char *name, size_t max_rows)
{
	const struct known *k = known;

	while (strcmp(k->name, name))
		k++;
	r->t = table_new(k->name, columns_of(k), false, max_rows);
	r->version = k->version;
}

struct reader *reader_open(const char *name, const char *file, int fd, size_t size)
{
	struct reader *r = alloc(1, sizeof(*r));

	/* The row is kept outside of the table, which stays empty. */
	new_table(r, name, 1);
	r->row = table_add(r->t);
	r->t->nr_rows = 0;
	r->t->text = alloc(1, size);
	r->head_size = size;
	r->file = alloc_copy(file);
	r->buf = alloc(1, size);
	lines_of_file(&r->lines, r->file, fd, r->buf, size);
	if (!begin(r))
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
	close(r->lines.fd);
	table_free(r->t);
	free(r->file);
	free(r->buf);
	free(r);
}

/* ---- texts ---------------------------------------------------------------- */

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

/* A table has fewer rows than its text has lines, so that there is room for one that fails. */
static int parse_rows(struct reader *r)
{
	int ret;

	do {
		ret = read_row(r, table_add(r->t));
	} while (ret > 0);
	r->t->nr_rows--;
	return ret;
}

struct table *table_parse(const char *name, const char *file, char *text, size_t len)
{
	struct reader r = {};

	new_table(&r, name, count_lines(text, len));
	r.t->text = text;
	lines_of_text(&r.lines, file, text, len);
	if (!begin(&r) && !parse_rows(&r))
		return r.t;
	table_free(r.t);
	return NULL;
}

struct table *table_known(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].name, name) && columns_of(&known[i]))
			return table_new(known[i].name, columns_of(&known[i]), false, 0);
	return NULL;
}
