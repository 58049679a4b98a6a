/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables, and where they come from.
 *
 *   file of the module, or of a snapshot --source.c--> text or descriptor
 *        --parse.c--> head, columns and rows: struct table
 *
 * A table holds rows and says what their columns are; view/view.h has how they are printed.
 */
#ifndef TABLE_H
#define TABLE_H

#include <unistd.h>

#include "../../../include/kmemacct_abi.h"
#include "../base/base.h"

struct source;

/* ---- columns -------------------------------------------------------------- */

/*
 * The formats of kmemacct_abi.h, but TYPE and LIST are read as NAME: text without blanks.  In
 * addition, SPARSE is a number whose zero prints as a dot, a BOUND is an upper bound of a number,
 * or NO_ID, and a RATE is the bits of a double, NAN if it is not known.  A FLAG is 1, 0, or NO_ID
 * if it is not known; for 1, text has the first letter of the column's name, and otherwise nothing.
 */
enum format {
	FORMAT_U64,
	FORMAT_S64,
	FORMAT_MILLI,
	FORMAT_PTR,
	FORMAT_ID,
	FORMAT_HEX,
	FORMAT_SPARSE,
	FORMAT_BOUND,
	FORMAT_RATE,
	FORMAT_FLAG,
	FORMAT_NAME,
	FORMAT_TYPE = FORMAT_NAME,
	FORMAT_LIST = FORMAT_NAME,
	FORMAT_LABEL,
};

/* The kinds of kmemacct_abi.h. */
enum kind {
	KIND_KEY,
	KIND_GAUGE,
	KIND_PAST,
	KIND_CHANGE,
	KIND_COUNTER,
	KIND_MAX,
	KIND_RATIO,
	KIND_ERROR,
};

/* The units of kmemacct_abi.h, and SHARE: a percentage that prints with its sign. */
enum unit {
	UNIT_NONE,
	UNIT_BYTES,
	UNIT_KIB,
	UNIT_PAGES,
	UNIT_OBJS,
	UNIT_ALLOCS,
	UNIT_SAMPLES,
	UNIT_EVENTS,
	UNIT_PHASES,
	UNIT_CALLS,
	UNIT_PCT,
	UNIT_NS,
	UNIT_US,
	UNIT_MS,
	UNIT_S,
	UNIT_SHARE,
};

/* Value in a column of FORMAT_ID, FORMAT_BOUND or FORMAT_FLAG that prints as `-`. */
#define NO_ID	U64_MAX
/* Value in a column of FORMAT_S64 that prints as `-`. */
#define UNKNOWN	((u64)INT64_MIN)

/* Column indices: there is no such column. */
#define NONE	(-1)

/* Test for a unit of memory.  Such values are printed as sizes, with a suffix. */
static inline bool unit_is_size(enum unit unit)
{
	return unit == UNIT_BYTES || unit == UNIT_KIB || unit == UNIT_PAGES;
}

/* Return: the number of bytes of a unit of memory; 1 for other units. */
static inline u64 unit_bytes(enum unit unit)
{
	return unit == UNIT_KIB ? 1024 : unit == UNIT_PAGES ? (u64)sysconf(_SC_PAGESIZE) : 1;
}

/**
 * struct column - a column of a table
 * @name: its name
 * @format: format of its values
 * @kind: the kind of its values
 * @unit: their unit
 * @title: its title in text; NULL: its name, without the unit if values have units
 * @hidden: text has the column only if it is a sort key, or if -o asks for it
 * @computed: it is made from other columns, and JSON lacks it
 * @change: its values are changes, and text has their signs
 * @limits: the next two columns are the limits of its 95 % intervals, if anything was sampled
 * @se: index of the column of its standard errors, or NONE
 * @of: of standard errors, index of the column that they belong to, or NONE
 * @bytes: of a number of objects, index of the column of the bytes that these take, or NONE
 */
struct column {
	const char *name;
	enum format format;
	enum kind kind;
	enum unit unit;
	const char *title;
	bool hidden;
	bool computed;
	bool change;
	bool limits;
	int se;
	int of;
	int bytes;
};

/* Makes the struct column of each entry of a list in kmemacct_abi.h. */
#define COLUMN(_name, _format, _kind, _unit, ...) \
	{ .name = #_name, .format = FORMAT_##_format, .kind = KIND_##_kind, .unit = UNIT_##_unit, \
	  __VA_ARGS__ },

/* Ends an array of columns, for a table that may have no label. */
#define COLUMN_END { .format = FORMAT_LABEL }

/* Index of each column in a row, whatever its place in the file. */
#define X(name, ...) COUNT_##name,
enum { KMA_COUNTS_COLUMNS(X) COUNT_NR };
#undef X
#define X(name, ...) ALLOC_##name,
enum { KMA_ALLOCS_COLUMNS(X) };
#undef X
#define X(name, ...) OWNER_##name,
enum { KMA_OWNERS_COLUMNS(X) };
#undef X
#define X(name, ...) CGROUP_SITE_##name,
enum { KMA_CGROUP_SITES_COLUMNS(X) };
#undef X
#define X(name, ...) OWNER_CGROUP_##name,
enum { KMA_OWNER_CGROUPS_COLUMNS(X) };
#undef X
#define X(name, ...) CHARGE_##name,
enum { KMA_CHARGES_COLUMNS(X) };
#undef X
#define X(name, ...) PAGE_CALLER_##name,
enum { KMA_PAGE_CALLERS_COLUMNS(X) };
#undef X
#define X(name, ...) PAGE_##name,
enum { KMA_PAGES_COLUMNS(X) };
#undef X
#define X(name, ...) ORDERS_##name,
enum { KMA_ORDERS_COLUMNS(X) };
#undef X
#define X(name, ...) FAILURE_##name,
enum { KMA_FAILURES_COLUMNS(X) };
#undef X
#define X(name, ...) PCPU_##name,
enum { KMA_PCPU_COLUMNS(X) PCPU_NR };
#undef X
#define X(name, ...) LATENCY_##name,
enum { KMA_LATENCY_COLUMNS(X) };
#undef X
#define X(name, ...) BUCKET_##name,
enum { KMA_BUCKETS_COLUMNS(X) BUCKET_NR };
#undef X
#define X(name, ...) HISTORY_##name,
enum { KMA_HISTORY_COLUMNS(X) };
#undef X
#define X(name, ...) MARK_##name,
enum { KMA_MARKS_COLUMNS(X) };
#undef X
#define X(name, ...) SHRINKER_##name,
enum { KMA_SHRINKERS_COLUMNS(X) };
#undef X
#define X(name, ...) SLOW_##name,
enum { KMA_SLOW_COLUMNS(X) };
#undef X
#define X(name, ...) INCIDENT_##name,
enum { KMA_INCIDENTS_COLUMNS(X) };
#undef X

/*
 * X(name): columns with a meaning of their own.  Each table has their indices, found once, when it
 * is made: @at of struct table.
 */
#define TABLE_PLACES(X)							\
	X(live_bytes) X(live_kb) X(live_objs) X(live_samples) X(samples)	\
	X(hits) X(allocs) X(frees) X(bulk_objs) X(bulk_allocs)		\
	X(bytes_req) X(bytes_alloc) X(bytes_allocated) X(bytes_freed)	\
	X(kb) X(bulk_bytes) X(all_bytes) X(confirmed_bytes)		\
	X(frag_pct) X(old_pct) X(share_pct) X(growth_bytes_s)		\
	X(order) X(migratetype) X(gfp) X(weight) X(pfn) X(pages) X(change_bytes)	\
	X(reclaimable)							\
	X(origin) X(count) X(calls) X(total_us) X(mean_us) X(max_us) X(us_1)	\
	X(site) X(stack) X(site_cause) X(comm_site) X(cache_site) X(charged_site)	\
	X(task_site) X(daemon_zone_site)

enum place {
#define X(name) AT_##name,
	TABLE_PLACES(X)
#undef X
	AT_NR
};

/* ---- tables (table.c) ----------------------------------------------------- */

/**
 * struct row - a row of a table
 * @label: text of its label column, or "" if the table has none
 * @v: values of the other columns; signed ones are in two's complement, and names are pointers
 */
struct row {
	const char *label;
	u64 v[];
};

static inline const char *row_name(const struct row *row, int column)
{
	return (const char *)(uintptr_t)row->v[column];
}

/* The number of FORMAT_RATE that bits stand for, and the bits of a number. */
static inline double rate_of(u64 bits)
{
	const union {
		u64 bits;
		double value;
	} rate = { bits };

	return rate.value;
}

static inline u64 rate_bits(double value)
{
	const union {
		double value;
		u64 bits;
	} rate = { value };

	return rate.bits;
}

/* A key=value of the head of a table. */
struct field {
	const char *key;
	const char *value;
};

#define FIELDS_MAX	32

/**
 * struct table - a table
 * @name: its name
 * @columns: its columns: the values, and then the label, whose name is NULL if there is none
 * @nr_values: number of columns without the label
 * @at: for each enum place, the index of the column, or NONE
 * @pairs: the file has a line `name value` for each column; the table has one row
 * @fields: fields of the head
 * @nr_fields: number of @fields
 * @sampled: something was sampled, so that values may be estimates
 * @source: where it comes from, or NULL
 * @rows: the rows in their order.  Their memory is in the order in which they were added, so that
 *	addresses tell which of two equal rows came first
 * @nr_rows: number of @rows
 * @block: memory of the rows
 * @from: tables whose texts rows point into; freed with this one
 * @owned: other memory that is freed with it
 * @nr_owned: number of @owned
 * @owned_room: number of pointers that @owned has room for
 */
struct table {
	const char *name;
	struct column *columns;
	int nr_values;
	int at[AT_NR];
	bool pairs;
	struct field fields[FIELDS_MAX];
	int nr_fields;
	bool sampled;
	const struct source *source;
	struct row **rows;
	size_t nr_rows;
	void *block;
	struct table *from[2];
	void **owned;
	size_t nr_owned;
	size_t owned_room;
};

/*
 * Make an empty table.  @columns ends with a label or COLUMN_END, and is copied; @name is not.
 * @max_rows: number of rows to allocate memory for
 */
struct table *table_new(const char *name, const struct column *columns, bool sampled,
			size_t max_rows);

/*
 * Make a table with @nr more columns before column @at, and copies of the rows of @t, in which the
 * new values are 0.  The new table takes ownership of @t.
 */
struct table *table_extend(struct table *t, int at, const struct column *more, int nr);

/* Find the columns that belong to each other, after columns have changed. */
void table_link(struct table *t);

/* Free a table and the tables in its @from; @t may be NULL. */
void table_free(struct table *t);

/* Free @mem with the table.  Return: @mem. */
void *table_own(struct table *t, void *mem);

/* Copy the head of another table. */
void table_inherit(struct table *t, const struct table *from);

/* Add a zeroed row, at most max_rows of them, or make one that is in no table. */
struct row *table_add(struct table *t);
struct row *table_row(const struct table *t);

/* Return: size of a row in bytes. */
static inline size_t table_row_size(const struct table *t)
{
	return sizeof(struct row) + t->nr_values * sizeof(u64);
}

/* Return: name of the label column, or NULL. */
static inline const char *table_label(const struct table *t)
{
	return t->columns[t->nr_values].name;
}

/* Return: number of columns, including the label if there is one. */
static inline int table_nr_columns(const struct table *t)
{
	return t->nr_values + !!table_label(t);
}

/* Return: index of the column of that name, or NONE. */
int table_column(const struct table *t, const char *name);

/* Return: index of the column of live sizes, live_bytes or live_kb, or NONE. */
static inline int table_live(const struct table *t)
{
	return t->at[AT_live_bytes] == NONE ? t->at[AT_live_kb] : t->at[AT_live_bytes];
}

/* Return: the value of a row in a column; 0 if the table does not have the column. */
static inline u64 table_at(const struct table *t, const struct row *row, enum place place)
{
	return t->at[place] == NONE ? 0 : row->v[t->at[place]];
}

/* Return: a value of a table of pairs; 0 if there is none of that name. */
u64 table_pair(const struct table *t, const char *name);

/*
 * table_field() returns a field of the head, or NULL; the other functions return the number in a
 * field, or 0, and whether a field has a value.
 */
const char *table_field(const struct table *t, const char *key);
u64 table_number(const struct table *t, const char *key);
bool table_is(const struct table *t, const char *key, const char *value);

/* Return: for how long the table has counted, in milliseconds; 0 if its head does not say. */
u64 table_window_ms(const struct table *t);

/* ---- parsing (parse.c) ---------------------------------------------------- */

/* A table that is read row by row, with a buffer of bounded size. */
struct reader;

/* Size of the buffer to read files with, and so of the longest line with its newline. */
#define READER_BUFFER	(256 * 1024)

/*
 * Read the head of a table from a file, whose descriptor this function takes ownership of.
 * @path: the file, for errors; @size: size of the buffer, usually READER_BUFFER
 * Return: the reader, or NULL after calling fail().
 */
struct reader *reader_open(const char *name, const char *path, int fd, size_t size);

/* Return: the table that is read, with its head and columns, but without rows. */
struct table *reader_table(const struct reader *r);

/*
 * Read a row, which is valid up to the next call.
 * Return: 1, 0 after the last row, or -1 after calling fail().
 */
int reader_next(struct reader *r, struct row **row);

/* Close the file, and free the reader and its table; @r may be NULL. */
void reader_close(struct reader *r);

/*
 * Parse the text of a table, in place.  This function takes ownership of the text.
 * Return: the table, or NULL after calling fail().
 */
struct table *table_parse(const char *name, const char *path, char *text, size_t len);

/* Make one of the module's tables without rows.  Return: NULL if there is no such table of rows. */
struct table *table_known(const char *name);

/* Return: name of table number @nr of the module, or NULL. */
const char *table_name(size_t nr);

/* ---- where tables come from (source.c, snapshot.c, slabs.c) --------------- */

/* The module that is loaded now. */
extern const struct source module_source;

/*
 * Read a snapshot and check that it is complete.  `-` is standard input.
 * Return: the source, which the caller frees, or NULL after calling fail().
 */
struct source *snapshot_open(const char *path);
void snapshot_free(struct source *s);

/* Read a snapshot in memory, as the fuzzer has it. */
struct source *snapshot_parse(const void *data, size_t size, const char *path);

/*
 * Make a snapshot of the module: all tables, or those that @tables lists with commas.
 * @path: the file, which appears under its name when it is complete; `-` is standard output
 * Return: 0, or -1 after calling fail().
 */
int snapshot_take(const char *path, const char *tables);

/* Test whether a source is a snapshot, which may be from another machine. */
bool source_is_snapshot(const struct source *s);

/* Test whether a source is an incident, which is a snapshot with only a part of the tables. */
bool source_is_incident(const struct source *s);

/* Test whether a source has the names of gfp flags, which an incident may lack. */
bool source_names_flags(const struct source *s);

/* Return: the name of a snapshot's file. */
const char *source_path(const struct source *s);

/*
 * Read a table.  With @fd, its file stays open there, for poll(), and the caller closes it.
 * Return: the table, or NULL after calling fail(), with no file open.
 */
struct table *source_table(const struct source *s, const char *name);
struct table *source_table_open(const char *name, int *fd);

/* Begin to read a table of the module row by row.  Return: NULL after calling fail(). */
struct reader *source_reader(const char *name);

/*
 * Read a file of the module: a table or `control`.
 * Return: its text, which the caller frees, or NULL after calling fail().
 */
char *source_text(const struct source *s, const char *name, size_t *len);

/*
 * Open an incident of the module or of a snapshot, whose number is a text.  @path is set to its
 * path or, in a snapshot, to what stands for it in messages; it has to live as long as the source.
 * Return: the incident, to be freed by snapshot_free(), or NULL after calling fail().
 */
struct source *source_incident(const struct source *s, const char *nr, char path[FILE_PATH]);

/*
 * Return: when a source was read, in ms since boot, and in seconds since 1970; the build of its
 * kernel, or "".
 */
u64 source_uptime_ms(const struct source *s);
u64 source_time_s(const struct source *s);
char *source_build(const struct source *s);

/*
 * Read a file of /proc or of /sys, whose path begins there.  @path is set to the full path.
 * Return: its text, which the caller frees; otherwise NULL, after calling fail() if the file is in
 * /proc.
 */
char *source_proc(const struct source *s, const char *name, char path[FILE_PATH], size_t *len);
char *source_sys(const struct source *s, const char *name, size_t *len);

/*
 * Find the slab caches that the kernel can shrink when memory is short (slabs.c).
 * Return: a line with the name of each, which the caller frees; NULL if they are not known.
 */
char *slabs_reclaimable(const struct source *s, size_t *len);

/*
 * Read a file below /lib/modules of the kernel that runs.
 * Return: its text, which the caller frees, or NULL.
 */
char *source_modules(const char *name, size_t *len);

/* Test whether the module has a file of that name: a table, or `control`. */
bool source_has(const char *name);

/* Set the path of a file of /proc or of /sys. */
void source_proc_path(char path[FILE_PATH], const char *name);
void source_sys_path(char path[FILE_PATH], const char *name);

/* Test whether the module is loaded.  This does not change the message of fail(). */
bool source_is_loaded(void);

/* Find where the first file system of a type is mounted.  Return: false if there is none. */
bool source_mount(const char *type, char dir[FILE_PATH]);

/* ---- settings (control.c) ------------------------------------------------- */

/**
 * struct control - the lines `name value` of the file control; a value may have blanks
 * @text: their text
 * @lines: names and values
 * @nr: number of lines
 */
struct control {
	char *text;
	struct field *lines;
	size_t nr;
};

/* Read the settings of a source.  Return: 0, or -1 after calling fail(). */
int control_read(struct control *c, const struct source *s);

/* Split a text, which malloc() has allocated; control_free() frees it. */
void control_parse(struct control *c, char *text);
void control_free(struct control *c);

/* Return: a value, or NULL if there is no line of that name. */
const char *control_value(const struct control *c, const char *name);

/* Test whether a setting of a source has a value; false if it cannot be read. */
bool control_is(const struct source *s, const char *name, const char *value);

/* Copy the value that the module has now.  Return: 0, or -1 after calling fail(). */
int control_copy(const char *name, char *value, size_t size);

/* Write one command to the module.  Return: 0, or -1 after calling fail(). */
int control_write(const char *command);

/*
 * Return: the command that adds a table to those that @account, the value of the setting, has
 * enabled; the caller frees it.  The module discards the counts of a table that is not in the list.
 */
char *control_enable_command(const char *account, const char *table);

/* ---- archives (archive.c) ------------------------------------------------- */

/* Name of the directory that all members of an archive are in. */
#define ARCHIVE_DIR	"kmemacct/"

/* A file in an archive: its name without the directory, and its text, ending with a NUL. */
struct member {
	char *name;
	char *text;
	size_t len;
};

/* The files of an archive that tar can list and unpack, in their order. */
struct files {
	struct member *member;
	size_t nr;
	size_t room;
};

/* Add a file, and take ownership of @text.  The name is copied. */
void archive_add(struct files *f, const char *name, char *text, size_t len);

/* Return: the file of that name, or NULL if there is none. */
const struct member *archive_find(const struct files *f, const char *name);

void archive_clear(struct files *f);

/* Write an archive.  @path is its name, for errors.  Return: 0, or -1 after calling fail(). */
int archive_write(const struct files *f, int fd, const char *path);

/*
 * Read an archive in memory.  One that does not begin with the file @first is no snapshot.
 * @path: its name, for errors
 * Return: 0, or -1 after calling fail().  The caller calls archive_clear() in both cases.
 */
int archive_read(struct files *f, const char *path, const void *data, size_t size,
		 const char *first);

#endif /* TABLE_H */
