/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Renderers: text for people and words for scripts, JSON, perf kmem's layout, OpenMetrics, and
 * folded stacks.  None of them knows whether a table is from the module or from a snapshot.
 */
#ifndef OUT_H
#define OUT_H

#include "../names/names.h"

/* ---- text (layout.c, text.c, pairs.c) ------------------------------------- */

/*
 *   # the state of the table
 *   titles
 *   rows
 *   sum of all rows
 *   # remarks
 *
 * libsmartcols aligns the columns.  These files decide what is printed: names are never cut.
 */

/**
 * struct style - what a table looks like
 * @screen: width of the terminal, as screen_columns() returns it
 * @exact: print sizes and times without rounding
 * @raw: print words with one blank between them, and no comments
 * @no_header: omit the titles
 * @verbose: print all fields of the head, and all lines of a summary
 * @off: the module does not record now
 * @named: the state of a table begins with its name
 * @output: value of -o, or NULL
 * @sequence: the tables that were printed before it; NULL: it is printed alone
 * @lines: in a sequence, number of lines of a screen
 */
struct style {
	int screen;
	bool exact;
	bool raw;
	bool no_header;
	bool verbose;
	bool off;
	bool named;
	const char *output;
	struct sequence *sequence;
	int lines;
};

/* Return: width of the terminal; 0 if lines may be of any length. */
int screen_columns(void);

/* Return: number of lines of the terminal; 0 if the output goes elsewhere. */
int screen_lines(void);

/* Print a table as text.  Return: 0, or -1 after calling fail(), with nothing printed. */
int text_table(FILE *out, const struct view *v, const struct style *style);

/* Print the lines above the rows of a table. */
void text_head(FILE *out, const struct view *v, const struct style *style);

/* Size of the text of a number, a title or an interval in a cell, with its NUL. */
#define CELL_LEN	80

/**
 * struct layout_column - how a column is printed
 * @shown: it is printed
 * @width: its width
 * @interval: the width of the interval after it; 0: none is printed
 */
struct layout_column {
	bool shown;
	int width;
	int interval;
};

/* The most columns that a label has. */
#define LABEL_PARTS	3

/**
 * struct label_part - a part of a label, which has a column of its own
 * @text: where it begins
 * @len: its length
 */
struct label_part {
	const char *text;
	int len;
};

/**
 * struct layout - how a table is printed
 * @v: the view
 * @style: what it looks like
 * @columns: the columns that are printed, if they fit
 * @main: the column whose interval is always shown; NONE: the table has no estimates
 * @limits: the column that the limits of its intervals follow; NONE: there is none
 * @stacks: the labels are stacks
 * @parts: number of parts of the labels, such as a command and a call site, each of which has a
 *	column; 0: the labels have one column
 * @split: the labels are a call site and a cause, and have a line for each
 * @lines: width of the source lines, in a column before the labels; 0: there is none
 * @below: there is no room for this column: a source line is below its call site or, in a stack,
 *	behind it
 * @part: widths of the parts but the last one
 * @label: width of the labels, or of their last parts; 0: they are not printed
 * @hidden: number of columns that were left out, because a line was too long
 * @repeated: the titles are those of the table before, and still on the screen
 * @c: for each column of the table, and last the label, how it is printed
 */
struct layout {
	const struct view *v;
	const struct style *style;
	struct columns columns;
	int main;
	int limits;
	bool stacks;
	int parts;
	bool split;
	int lines;
	bool below;
	int part[LABEL_PARTS];
	int label;
	int hidden;
	bool repeated;
	struct layout_column *c;
};

/* Titles of the columns of source lines and of intervals. */
#define LINES_TITLE	"line"
#define INTERVAL_TITLE	"low..high"
/* Between a frame of a stack and the source line behind it. */
#define LINES_GAP	"  "

/*
 * Find the columns to print; layout_end() frees memory in both cases.
 * Return: 0, or -1 after calling fail().
 */
int layout_begin(struct layout *l, const struct view *v, const struct style *style);
void layout_end(struct layout *l);

/* Find the columns that fit the screen, and their widths. */
void layout_fit(struct layout *l);

/* Print a value of a column; @exact: without a unit. */
void layout_value(char buf[NUMBER_LEN], const struct column *c, bool exact, u64 value);

/* Return: the text of a value or of the label of a row; in @buf, if it is not in the row. */
const char *layout_text(const struct layout *l, const struct row *row, int column,
			char buf[CELL_LEN]);

/* Print the interval of a value, or `-` if the value is exact.  Sizes are rounded outwards. */
void layout_interval(const struct layout *l, const struct row *row, int column,
		     char buf[CELL_LEN]);

/* Print an interval. */
void layout_limits(const struct layout *l, const struct column *c, const struct interval *i,
		   char buf[CELL_LEN]);

/* Print a title without the unit in its name, if the values are printed with units. */
void layout_title(const struct layout *l, int column, char buf[CELL_LEN]);

/*
 * Find the parts of a text that has semicolons or, as a name, underscores between them.
 * Return: 0, or -1 if there are fewer than the columns that labels have.
 */
int layout_split(const struct layout *l, const char *text, char between,
		 struct label_part part[LABEL_PARTS]);

/* Print a table of pairs, without its head. */
void text_pairs(FILE *out, const struct view *v, const struct style *style);

/* Print the lines below the rows. */
void text_remarks(FILE *out, const struct layout *l);

/* ---- tables one after another (sequence.c) -------------------------------- */

/**
 * struct sequence_column - a column of the tables of a sequence
 * @name: its name
 * @width: its width
 * @interval: the width of the interval after it
 * @shown: it was printed
 */
struct sequence_column {
	char name[32];
	int width;
	int interval;
	bool shown;
};

/**
 * struct sequence - tables of one form that are printed one after another
 * @column: the columns of the tables
 * @nr: number of @column
 * @label: width of the labels
 * @screen: width of the terminal
 * @titles: the titles that were printed last, with their widths
 * @lines: number of lines since then, and with these titles
 *
 * Numbers stay where they are: columns only get wider, and a column that was left out does not come
 * back, unless the terminal gets another width.  So titles are printed only if they have changed,
 * and once for each screen.  A sequence of zeroes has no tables yet.
 */
struct sequence {
	struct sequence_column column[SHOWN_MAX];
	int nr;
	int label;
	int screen;
	char *titles;
	int lines;
};

/* Give columns the widths that they had before, and leave out those that were left out. */
void sequence_widen(struct sequence *s, struct layout *l);

/* Keep the layout of a table.  Return: true if it is printed without titles. */
bool sequence_keep(struct sequence *s, const struct layout *l);

/* Return: false if the last table had no such column, or no room for it. */
bool sequence_shows(const struct sequence *s, const char *name);

/* The last table was not printed: the next one needs titles. */
void sequence_discard(struct sequence *s);

void sequence_end(struct sequence *s);

/* ---- grids (grid.c) ------------------------------------------------------- */

/*
 * GRID_COLUMNS is greater than the number of columns of any grid.  A grid has at most GRID_PARTS.
 */
#define GRID_COLUMNS	(2 * SHOWN_MAX)
#define GRID_PARTS	8

/**
 * struct grid - columns that libsmartcols aligns, and never cuts
 * @table: the table of libsmartcols
 * @column: its last column
 * @line: its last line
 * @titles: the titles, for a grid without lines, which libsmartcols does not print
 * @nr_columns: number of @titles
 * @at: number of cells of the last line
 * @parts: the first line of each part; there is an empty line between parts
 * @nr_parts: number of @parts
 * @header: the titles are printed
 */
struct grid {
	struct libscols_table *table;
	struct libscols_column *column;
	struct libscols_line *line;
	char *titles[GRID_COLUMNS];
	int nr_columns;
	int at;
	struct libscols_line *parts[GRID_PARTS];
	int nr_parts;
	bool header;
};

/* @raw: print words with one blank between them; a blank in a cell becomes \x20. */
void grid_begin(struct grid *g, bool raw, bool header);

/* Add a column, whose cells are aligned to the right or to the left; a line; and its cells. */
void grid_column(struct grid *g, const char *title, bool right);
void grid_line(struct grid *g);
void grid_cell(struct grid *g, const char *text);

/* Make the last column at least this wide. */
void grid_widen(struct grid *g, int width);

/* Begin a new part of the grid, whose first line is the last line that was added. */
void grid_part(struct grid *g);

/* Print the grid, and free it. */
void grid_end(struct grid *g, FILE *out);

/* ---- tables that are printed as they are read (stream.c) ------------------ */

/*
 *   reader --JSON--> each row as it is read
 *          --text--> the first STREAM_KEEP rows are kept; if there are more, they and then
 *                    each row as it is read, in columns of fixed widths
 *          --a table that is small, or cut by -l--> a table, to be shown as any other
 *
 * So memory does not depend on the number of rows.  Estimates have no place here: the tables that
 * have a row for each object or page have no columns of standard errors.
 */

/* Number of rows to keep, usually.  Text of more rows is printed as they are read. */
#define STREAM_KEEP	1000

/**
 * struct stream - what to print of a table, and how
 * @out: output file
 * @v: the table that is read, without rows
 * @json: print JSON and not text
 * @raw_ip: print addresses in place of call sites
 * @all: keep all rows that -l leaves, however many there are
 * @style: what text looks like
 * @match: the conditions that rows have to match
 * @lines: number of rows to print
 * @keep: number of rows to keep in text that is not sorted, before they are printed
 * @check_none: returns -1 after calling fail() if it is an error that no row is wanted; or NULL
 * @site: the address that is printed in place of a call site
 */
struct stream {
	FILE *out;
	struct view v;
	bool json;
	bool raw_ip;
	bool all;
	struct style style;
	struct match match;
	u64 lines;
	u64 keep;
	int (*check_none)(const struct stream *s);
	char site[NUMBER_LEN];
};

/**
 * stream_rows() - read all rows, and print them or keep those that -l leaves
 * @s: what to print
 * @r: the reader
 * @kept: set to a view of the rows if they are still to be shown, which has to be freed before the
 *	reader; otherwise it has no table
 *
 * A row that cannot be read ends the output where it is.  JSON is then incomplete, so that no
 * program takes it for the whole table.
 *
 * Return: 0, or -1 after calling fail().
 */
int stream_rows(struct stream *s, struct reader *r, struct view *kept);

/* ---- JSON (json.c) -------------------------------------------------------- */

/*
 * An object with the table's name, the format version, its head, its rows, each on a line of its
 * own, and what is known only after them.  Numbers are not rounded, and estimates have their
 * intervals.
 */

/* Write a whole table.  @key is that of the table in an enclosing object, or NULL. */
void json_table(struct json *w, const char *key, const struct view *v);

/* Write the text before the rows, a row, and the text after the rows. */
void json_table_begin(struct json *w, const char *key, const struct view *v);
void json_table_row(struct json *w, const struct view *v, const struct row *row);
void json_table_end(struct json *w, const struct view *v);

/* ---- records of slow phases (slow.c) -------------------------------------- */

/**
 * struct slow_cause - what a part of a phase was spent on
 * @name: the cause
 * @us: its time in microseconds
 * @nr: number of times
 */
struct slow_cause {
	const char *name;
	u64 us;
	u64 nr;
};

#define SLOW_CAUSES	16
#define SLOW_FRAMES	32

/**
 * struct slow - the label of a record, taken apart
 * @comm: name of the thread
 * @phase: who waited, a colon, and the phase
 * @site: call site of the allocation, or `-`
 * @cause: the causes, and the time that each took
 * @nr_causes: number of causes
 * @frame: the stack, beginning with the innermost frame
 * @nr_frames: number of frames
 * @text: memory of the strings
 */
struct slow {
	const char *comm;
	const char *phase;
	const char *site;
	struct slow_cause cause[SLOW_CAUSES];
	int nr_causes;
	const char *frame[SLOW_FRAMES];
	int nr_frames;
	char *text;
};

/*
 * Take a label apart; the caller frees @text.  A label in another form is all in @comm, and
 * the other strings are `-`.
 */
void slow_parse(struct slow *s, const char *label);

/*
 * Print the local time of day at which CLOCK_MONOTONIC had a value in ms; "" if the source does not
 * know it.  The machine must not have been suspended since then.
 */
#define SLOW_WALL	64
void slow_wall(char text[SLOW_WALL], const struct source *s, u64 ms);

/* Print a record in several lines, and an empty line after it. */
void slow_print(FILE *out, const struct view *v, const struct row *row, const struct style *style);

/* ---- incidents (incident.c) ----------------------------------------------- */

/**
 * struct incident - the label of an incident, taken apart; a part that it lacks is `-`
 * @trigger: the trigger
 * @comm: name of the thread that ran
 * @site: call site of the allocation, call site or cgroup that has grown, or name of the victim
 * @stack: the functions that the thread was in, the innermost first, with commas in between
 * @text: memory of the strings
 */
struct incident {
	const char *trigger;
	const char *comm;
	const char *site;
	char *stack;
	char *text;
};

/* Take a label apart; the caller frees @text. */
void incident_parse(struct incident *in, const char *label);

/* ---- metrics as text (openmetrics.c) -------------------------------------- */

/*
 * One of two formats:
 *
 *   OpenMetrics 1.0		what Prometheus scrapes
 *   Prometheus text format	what the textfile collector of node_exporter reads
 *
 * They differ in counters.  In OpenMetrics, a family has the name without `_total`, has a unit, and
 * may have a line with the time at which counting began.  The parsers of the Prometheus format take
 * such a counter for a metric without a type or a description.
 */

/* A label of a sample; one without a name ends them. */
struct metric_label {
	const char *name;
	const char *value;
};

/**
 * struct metrics - a text that is being written
 * @out: where to
 * @prometheus: it has the Prometheus text format
 * @name: the name of the family that samples are of, without `_total`
 * @counter: it is a counter, and not a gauge
 */
struct metrics {
	FILE *out;
	bool prometheus;
	char name[128];
	bool counter;
};

/*
 * Begin a family.  All its samples have to follow before the next family.
 * @name: its name, without `kmemacct_` and `_total`, which must end in the unit, if there is one
 * @unit: its unit, or NULL
 */
void metrics_family(struct metrics *m, const char *name, bool counter, const char *unit,
		    const char *help);

/* Write a sample; @labels may be NULL. */
void metrics_u64(const struct metrics *m, const struct metric_label *labels, u64 value);
void metrics_double(const struct metrics *m, const struct metric_label *labels, double value);

/* Say when a counter without labels has begun, in seconds since 1970. */
void metrics_created(const struct metrics *m, u64 seconds);

/* End the text.  Without its end, a text is incomplete. */
void metrics_end(const struct metrics *m);

/* ---- others --------------------------------------------------------------- */

/* Print stacks and a column of counts in the folded format.  Return: 0, or -1 after fail(). */
int folded_print(FILE *out, const struct table *t, const char *column);

#endif /* OUT_H */
