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

static int first_sampled(const struct table *t)
{
	int i = 0;

	while (i < t->nr_values && !t->columns[i].sampled)
		i++;
	return i;
}

/* Remove the columns of samples.  The table has no rows yet. */
static void drop_sampled(struct table *t)
{
	int i, nr = 0;

	for (i = 0; i <= t->nr_values; i++)
		if (!t->columns[i].sampled)
			t->columns[nr++] = t->columns[i];
	t->nr_values = nr - 1;
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
	if (columns && !sampled)
		drop_sampled(t);
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

bool table_is_sampled(const struct table *t)
{
	return t->columns && first_sampled(t) < t->nr_values;
}

const char *table_field(const struct table *t, const char *key)
{
	int i;

	for (i = 0; i < t->nr_fields; i++)
		if (!strcmp(t->fields[i].key, key))
			return t->fields[i].value;
	return NULL;
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

/**
 * struct input - position of the parser
 * @file: path of the file, for errors
 * @line: number of the current line; the first line is 1
 * @rest: the text after the current line
 */
struct input {
	const char *file;
	size_t line;
	char *rest;
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

/* Return: the next word of a line, or NULL if there is none. */
static char *next_word(char **line)
{
	char *word;

	do {
		word = strsep(line, " ");
	} while (word && !*word);
	return word;
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

/*
 * Parse the names of the columns.  These have to match the known ones, because their names
 * give the columns their meaning.  Either all columns of samples are present, or none.
 */
static int parse_columns(struct input *in, struct table *t)
{
	static const struct column pair[] = {
		{ "name", COLUMN_U64 }, { "value", COLUMN_LABEL },
	};
	const struct column *columns = t->columns ? t->columns : pair;
	int i, sampled = t->columns ? first_sampled(t) : -1;
	char *word, *line = next_line(in);

	if (!is_word(next_word(&line), "#"))
		return fail_line(in, "no column names");
	for (i = 0; i <= t->nr_values && columns[i].name; i++) {
		word = next_word(&line);
		if (i == sampled && !is_word(word, columns[i].name))
			drop_sampled(t);
		if (!is_word(word, columns[i].name))
			return fail("%s: line %zu: column %s is not where format version %d has it",
				    in->file, in->line, columns[i].name,
				    KMA_FORMAT_VERSION);
	}
	return next_word(&line) ? fail_line(in, "more columns than expected") : 0;
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

static int parse_row(const struct input *in, char *line, struct table *t)
{
	struct row *row = table_add(t);
	char *word;
	int i;

	for (i = 0; i < t->nr_values; i++) {
		word = next_word(&line);
		if (!word)
			return fail_line(in, "the line is too short");
		if (parse_value(word, t->columns[i].format, &row->v[i]))
			return fail("%s: line %zu: invalid %s '%s'", in->file,
				    in->line, t->columns[i].name, word);
	}
	if (t->columns[i].name)
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
	if (next_word(&line))
		return fail_line(in, "more than a name and a value");
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

static int parse_text(struct input *in, struct table *t, size_t len)
{
	if (!len)
		return fail("%s is empty", in->file);
	if (strlen(t->text) != len)
		return fail("%s is not text: it contains a NUL byte", in->file);
	if (t->text[len - 1] != '\n')
		return fail("%s is truncated: its last line has no newline", in->file);
	if (parse_head(in, t) || parse_columns(in, t))
		return -1;
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
	t = table_new(known[i].name, known[i].columns, true, count_lines(text, len));
	t->text = text;
	if (!parse_text(&in, t, len))
		return t;
	table_free(t);
	return NULL;
}
