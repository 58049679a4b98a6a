// SPDX-License-Identifier: GPL-2.0
/* The parser of tables.  See the overview in table.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "gfp.h"
#include "table.h"

/* X(name, list): the tables with columns, in the format version that this program reads. */
#define TABLES(X)				\
	X(callers, CALLERS)			\
	X(caches, CACHES)			\
	X(allocs, ALLOCS)			\
	X(stacks, STACKS)			\
	X(page_callers, PAGE_CALLERS)		\
	X(pages, PAGES)				\
	X(orders, ORDERS)			\
	X(pcpu, PCPU)				\
	X(extfrag, EXTFRAG)			\
	X(latency, LATENCY)			\
	X(shrinkers, SHRINKERS)			\
	X(stalls, STALLS)			\
	X(slow, SLOW)				\
	X(tasks, TASKS)				\
	X(cgroups, CGROUPS)			\
	X(comm_sites, COMM_SITES)		\
	X(comm_syscalls, COMM_SYSCALLS)		\
	X(skip, SKIP)				\
	X(gfp_flags, GFP_FLAGS)

static const struct {
	const char *name;
	const struct column *columns;
} known[] = {
#define X(name, list) \
	{ #name, (const struct column[]) { KMA_##list##_COLUMNS(COLUMN) COLUMN_END } },
	TABLES(X)
#undef X
	{ "summary", NULL },
	{ "stats", NULL },
	{ "page_summary", NULL },
};

/* ---- tables --------------------------------------------------------------- */

static_assert(COUNT_NR < COLUMNS_MAX, "COLUMNS_MAX is too small");
/* latency.c adds four columns. */
static_assert(LATENCY_phase + 4 < COLUMNS_MAX, "COLUMNS_MAX is too small");

static int count_values(const struct column *columns)
{
	int nr = 0;

	while (columns[nr].format != FORMAT_LABEL)
		nr++;
	return nr;
}

static void set_columns(struct table *t, const struct column *columns)
{
	size_t nr = count_values(columns) + 1;

	t->columns = alloc(nr, sizeof(*columns));
	memcpy(t->columns, columns, nr * sizeof(*columns));
	t->nr_values = nr - 1;
}

static size_t row_size(const struct table *t)
{
	return sizeof(struct row) + t->nr_values * sizeof(u64);
}

struct table *table_new(const char *name, const struct column *columns,
			bool sampled, size_t max_rows)
{
	struct table *t = alloc(1, sizeof(*t));

	t->name = name;
	t->nr_values = 1;
	if (columns)
		set_columns(t, columns);
	t->sampled = sampled;
	t->rows = alloc(max_rows, sizeof(t->rows[0]));
	t->block = alloc(max_rows, row_size(t));
	return t;
}

void table_free(struct table *t)
{
	if (!t)
		return;
	table_free(t->from[0]);
	table_free(t->from[1]);
	free(t->columns);
	free(t->rows);
	free(t->block);
	free(t->text);
	free(t->addresses);
	free(t->cells);
	free(t->sum);
	free(t->advice);
	gfp_free(t->gfp);
	free(t);
}

void table_inherit(struct table *t, const struct table *from)
{
	memcpy(t->fields, from->fields, sizeof(t->fields));
	t->nr_fields = from->nr_fields;
}

struct row *table_add(struct table *t)
{
	size_t i = t->nr_rows++;

	t->rows[i] = (struct row *)((char *)t->block + i * row_size(t));
	return t->rows[i];
}

int table_nr_columns(const struct table *t)
{
	return t->nr_values + !!t->columns[t->nr_values].name;
}

int table_column(const struct table *t, const char *name)
{
	int i;

	for (i = 0; t->columns && i < table_nr_columns(t); i++)
		if (!strcmp(t->columns[i].name, name))
			return i;
	return -1;
}

const char *table_field(const struct table *t, const char *key)
{
	int i;

	for (i = 0; i < t->nr_fields; i++)
		if (!strcmp(t->fields[i].key, key))
			return t->fields[i].value;
	return NULL;
}

u64 table_window_ms(const struct table *t)
{
	const char *window = table_field(t, "window_s");
	u64 ms = 0;

	if (window)
		number_parse_milli(window, &ms);
	return ms;
}

const char *table_kb(const char *name)
{
	const char *at = strstr(name, "kb");

	if (at && (at == name || at[-1] == '_') && (!at[2] || at[2] == '_'))
		return at;
	return NULL;
}

static bool ends_in(const char *name, const char *end)
{
	size_t len = strlen(name);

	return len > strlen(end) && !strcmp(name + len - strlen(end), end);
}

enum unit table_unit(const char *name)
{
	if (strstr(name, "bytes"))
		return UNIT_BYTES;
	if (table_kb(name))
		return UNIT_KB;
	if (!strcmp(name, "share_pct"))
		return UNIT_SHARE;
	if (ends_in(name, "_us"))
		return UNIT_US;
	return ends_in(name, "_ms") ? UNIT_MS : UNIT_NONE;
}

/* ---- lines ---------------------------------------------------------------- */

/* Most columns that a file may have, with those that this program does not know. */
#define WORDS_MAX	256
/* In place of the index of a column: this program does not know it, and ignores it. */
#define UNKNOWN		-1

/**
 * struct input - position of the parser
 * @file: path of the file, for errors
 * @line: number of the current line; the first line is 1
 * @rest: the text after the current line
 * @column: for each column of the file, its index in the table; or UNKNOWN
 * @nr_columns: number of columns of the file
 */
struct input {
	const char *file;
	size_t line;
	char *rest;
	int column[WORDS_MAX];
	int nr_columns;
};

static int fail_line(const struct input *in, const char *what)
{
	return fail("%s: line %zu: %s", in->file, in->line, what);
}

static char *next_line(struct input *in)
{
	in->line++;
	return strsep(&in->rest, "\n");
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

static int parse_version(const struct input *in, const char *word)
{
	u64 version;

	if (!word || number_parse(word, &version))
		return fail_line(in, "no format version");
	if (version != KMA_FORMAT_VERSION)
		return fail("%s has format version %llu, not %d: use the kmemacct of that version",
			    in->file, version, KMA_FORMAT_VERSION);
	return 0;
}

static int parse_fields(const struct input *in, char *line, struct table *t)
{
	struct field *field;
	char *word;

	while ((word = next_word(&line))) {
		if (t->nr_fields == FIELDS_MAX)
			return fail_line(in, "too many key=value fields");
		field = &t->fields[t->nr_fields++];
		field->key = strsep(&word, "=");
		field->value = word;
		if (!word || !*field->key || !*word)
			return fail_line(in, "a field of the head is not key=value");
	}
	return 0;
}

static int parse_head(struct input *in, struct table *t)
{
	char *line = next_line(in);

	if (!is_word(next_word(&line), "#") || !is_word(next_word(&line), KMA_NAME))
		return fail("%s is not a kmemacct table", in->file);
	if (!is_word(next_word(&line), t->name))
		return fail("%s is not the table %s", in->file, t->name);
	if (parse_version(in, next_word(&line)))
		return -1;
	return parse_fields(in, line, t);
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

static int fail_missing(const struct input *in, const char *name)
{
	return fail("%s has no column %s: use the kmemacct that belongs to the module", in->file,
		    name);
}

/* Check that the line of names has each column once, and the label last. */
static int check_columns(const struct input *in, const struct column *columns)
{
	bool has[COLUMNS_MAX] = {};
	int i, nr = count_values(columns);

	for (i = 0; i < in->nr_columns; i++) {
		if (in->column[i] == UNKNOWN)
			continue;
		if (has[in->column[i]])
			return fail_line(in, "two columns have the same name");
		has[in->column[i]] = true;
	}
	for (i = 0; i < nr + !!columns[nr].name; i++)
		if (!has[i])
			return fail_missing(in, columns[i].name);
	if (columns[nr].name && in->column[in->nr_columns - 1] != nr)
		return fail_line(in, "the last column is not the label");
	return 0;
}

/* Find the place of each column by its name, because its name gives it its meaning. */
static int parse_columns(struct input *in, const struct table *t, char *line)
{
	char *word;

	while ((word = next_word(&line))) {
		if (in->nr_columns == WORDS_MAX)
			return fail_line(in, "too many columns");
		in->column[in->nr_columns++] = find_column(t->columns, word);
	}
	return check_columns(in, t->columns);
}

/* A table of pairs has a name and a value in each line.  More columns are ignored. */
static int check_pair_columns(const struct input *in, char *line)
{
	if (!is_word(next_word(&line), "name") || !is_word(next_word(&line), "value"))
		return fail_line(in, "the columns are not name and value");
	return 0;
}

/* Parse the line of names and the lines of fields before it. */
static int parse_lines(struct input *in, struct table *t)
{
	char *line, *word;

	for (;;) {
		line = next_line(in);
		if (!line || !is_word(next_word(&line), "#"))
			return fail_line(in, "no column names");
		word = line ? line + strspn(line, " ") : NULL;
		if (!word || !memchr(word, '=', strcspn(word, " ")))
			break;
		if (parse_fields(in, line, t))
			return -1;
	}
	if (!word)
		return fail_line(in, "no column names");
	return t->columns ? parse_columns(in, t, line) : check_pair_columns(in, line);
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

static int parse_label(const struct input *in, char *text, struct row *row)
{
	if (text)
		text += strspn(text, " ");
	if (!text || !*text)
		return fail_line(in, "the line is too short");
	row->label = clean(text);
	return 0;
}

/* Parse the word in column @at of the file.  Return: 0, or -1 after calling fail(). */
static int parse_word(const struct input *in, int at, char *word, const struct table *t,
		      struct row *row)
{
	const int i = in->column[at];

	if (!word)
		return fail_line(in, "the line is too short");
	if (i != UNKNOWN && parse_value(word, t->columns[i].format, &row->v[i]))
		return fail("%s: line %zu: invalid %s '%s'", in->file, in->line,
			    t->columns[i].name, word);
	return 0;
}

static int parse_row(const struct input *in, char *line, struct table *t)
{
	const bool labelled = t->columns[t->nr_values].name;
	struct row *row = table_add(t);
	int at;

	for (at = 0; at < in->nr_columns - labelled; at++)
		if (parse_word(in, at, next_word(&line), t, row))
			return -1;
	if (labelled)
		return parse_label(in, line, row);
	row->label = "";
	return next_word(&line) ? fail_line(in, "more values than columns") : 0;
}

/* In a table of pairs, the text of a value shows its format. */
static enum format pair_format(const char *word)
{
	if (*word == '-')
		return FORMAT_S64;
	return strchr(word, '.') ? FORMAT_MILLI : FORMAT_U64;
}

static int parse_pair(const struct input *in, char *line, struct table *t)
{
	struct row *row = table_add(t);
	char *name = next_word(&line);
	char *word = next_word(&line);

	if (!word)
		return fail_line(in, "the line is too short");
	row->format = pair_format(word);
	if (parse_value(word, row->format, &row->v[0]))
		return fail("%s: line %zu: invalid %s '%s'", in->file, in->line,
			    name, word);
	return parse_label(in, name, row);
}

static int parse_rows(struct input *in, struct table *t)
{
	char *line;
	int ret = 0;

	/* After the last newline, there is an empty string that is no line. */
	while (!ret && (line = next_line(in)) && in->rest)
		ret = t->columns ? parse_row(in, line, t) : parse_pair(in, line, t);
	return ret;
}

/* ---- the whole text ------------------------------------------------------- */

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

static bool is_sampled(const struct table *t)
{
	const char *sampled = table_field(t, "sampled");

	return sampled && strcmp(sampled, "0");
}

static int parse_text(struct input *in, struct table *t, size_t len)
{
	if (!len)
		return fail("%s is empty", in->file);
	if (strlen(t->text) != len)
		return fail("%s is not text: it contains a NUL byte", in->file);
	if (t->text[len - 1] != '\n')
		return fail("%s is truncated: its last line has no newline", in->file);
	if (parse_head(in, t) || parse_lines(in, t))
		return -1;
	t->sampled = is_sampled(t);
	return parse_rows(in, t);
}

struct table *table_parse(const char *name, const char *file, char *text,
			  size_t len)
{
	struct input in = { .file = file, .rest = text };
	struct table *t;
	size_t i = 0;

	while (strcmp(known[i].name, name))
		i++;
	t = table_new(known[i].name, known[i].columns, false, count_lines(text, len));
	t->text = text;
	if (!parse_text(&in, t, len))
		return t;
	table_free(t);
	return NULL;
}
