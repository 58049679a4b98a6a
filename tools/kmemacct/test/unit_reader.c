// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the reader: files read row by row, the first rows of an order, and JSON. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include "unit.h"

#define HEAD	"# kmemacct orders 8 sampled=0\n# kernel=6.1\n" \
		"# order migratetype live_kb live_allocs hits kb frees bulk_allocs failed\n"
#define ROW(order, type, hits) order " " type " 1 2 " hits " 4 5 6 7\n"

static struct reader *read_text(const char *text, size_t size)
{
	int fd = memfd_create("table", 0);

	*error_text = '\0';
	EXPECT(pwrite(fd, text, strlen(text), 0) == (ssize_t)strlen(text));
	return reader_open("orders", "FILE", fd, size);
}

/* ---- rows ----------------------------------------------------------------- */

/* Whatever the size of the buffer, the rows are the same, or a line is too long. */
TEST(reads_with_any_buffer)
{
	static const char text[] = HEAD ROW("0", "Movable", "3") ROW("10", "CMA", "77");
	struct reader *r;
	struct row *row;
	size_t size;

	/* The longest line has 73 bytes, and the whole head 118. */
	for (size = 1; size < sizeof(text) + 2; size++) {
		r = read_text(text, size);
		if (!r) {
			EXPECT(size < 119);
			EXPECT(strstr(error_text, "longer than") || strstr(error_text, "too long"));
			continue;
		}
		EXPECT(reader_next(r, &row) == 1 && row->v[0] == 0 && row->v[4] == 3);
		EXPECT_TEXT(row_name(row, 1), "Movable");
		EXPECT(reader_next(r, &row) == 1 && row->v[0] == 10 && row->v[4] == 77);
		EXPECT_TEXT(row_name(row, 1), "CMA");
		EXPECT(reader_next(r, &row) == 0);
		EXPECT_TEXT(table_field(reader_table(r), "kernel"), "6.1");
		reader_close(r);
	}
}

static void expect_row_error(int line, const char *rows, const char *error)
{
	char text[1024];
	struct reader *r;
	struct row *row;

	snprintf(text, sizeof(text), HEAD ROW("0", "Movable", "3") "%s", rows);
	r = read_text(text, 256);
	if (!r || reader_next(r, &row) != 1 || reader_next(r, &row) != -1)
		fail_at(line, "no error in the second row");
	expect_text(line, error_text, error);
	reader_close(r);
}

#define EXPECT_ROW_ERROR(rows, error) expect_row_error(__LINE__, rows, error)

TEST(refuses_a_row)
{
	char text[400];

	EXPECT_ROW_ERROR("1", "FILE is truncated: its last line has no newline");
	EXPECT_ROW_ERROR("1 2\n", "FILE: line 5: the line is too short");
	EXPECT_ROW_ERROR("\n", "FILE: line 5: the line is too short");
	EXPECT_ROW_ERROR(ROW("x", "CMA", "77"), "FILE: line 5: invalid order 'x'");
	memset(text, '1', sizeof(text) - 2);
	text[sizeof(text) - 2] = '\n';
	text[sizeof(text) - 1] = '\0';
	EXPECT_ROW_ERROR(text,
			 "FILE: line 5 is longer than 256 bytes: it is not a line of a table");
}

/* A file that fails after some rows: the master of a terminal whose other side is closed. */
TEST(says_where_reading_failed)
{
	static const char text[] = HEAD ROW("0", "Movable", "3");
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), other;
	struct termios raw;
	struct reader *r;
	struct row *row;

	EXPECT(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
	other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	EXPECT(!tcgetattr(other, &raw));
	cfmakeraw(&raw);
	EXPECT(!tcsetattr(other, TCSANOW, &raw));
	EXPECT(write(other, text, strlen(text)) == (ssize_t)strlen(text));
	close(other);
	r = reader_open("orders", "FILE", terminal, READER_BUFFER);
	EXPECT(r && reader_next(r, &row) == 1 && row->v[4] == 3);
	EXPECT(r && reader_next(r, &row) == -1);
	EXPECT_TEXT(error_text,
		    "FILE: cannot read on after line 4: Input/output error: see whether the module is still loaded");
	reader_close(r);
}

/* ---- the first rows ------------------------------------------------------- */

#define ROWS	300

/* A heap of any size has to have the first rows of the sorted table, in the same order. */
static void compare_with_sort(struct table *t, const struct sort *sort, size_t max)
{
	struct heap *h = heap_new(t, sort, max);
	struct table *first;
	struct row **sorted = alloc(t->nr_rows, sizeof(*sorted)), **rows = t->rows;
	size_t i, not_kept;

	for (i = 0; i < t->nr_rows; i++)
		heap_add(h, t->rows[i]);
	first = heap_table(h, &not_kept);
	memcpy(sorted, t->rows, t->nr_rows * sizeof(*sorted));
	t->rows = sorted;
	view_sort(t, sort);
	EXPECT(first->nr_rows == (max < t->nr_rows ? max : t->nr_rows));
	EXPECT(first->nr_rows + not_kept == t->nr_rows);
	/* The column 3 is different in each row. */
	for (i = 0; i < first->nr_rows; i++) {
		EXPECT(first->rows[i]->v[3] == sorted[i]->v[3]);
		EXPECT_TEXT(row_name(first->rows[i], 1), row_name(sorted[i], 1));
	}
	table_free(first);
	t->rows = rows;
	free(sorted);
}

TEST(keeps_the_first_rows)
{
	static const size_t sizes[] = { 1, 2, 3, 10, ROWS - 1, ROWS, ROWS + 1 };
	static const struct sort sorts[] = {
		{ .nr = 0 }, { .key = { 0 }, .nr = 1 }, { .key = { 1, 0 }, .nr = 2 },
		{ .key = { 3 }, .nr = 1 },
	};
	char *text = alloc(1, 64 * (ROWS + 5)), *end = stpcpy(text, HEAD);
	struct table *t;
	size_t i, j;

	for (i = 0; i < ROWS; i++)
		end += sprintf(end, "%zu type%zu 1 %zu 3 4 5 6 7\n", i * 7919 % 11, i * 31 % 5, i);
	t = table_parse("orders", "FILE", text, end - text);
	EXPECT(t && t->nr_rows == ROWS);
	for (i = 0; t && i < ARRAY_SIZE(sizes); i++)
		for (j = 0; j < ARRAY_SIZE(sorts); j++)
			compare_with_sort(t, &sorts[j], sizes[i]);
	table_free(t);
}

/* ---- JSON ----------------------------------------------------------------- */

TEST(writes_members)
{
	struct json w = { .out = output() };

	json_open(&w, NULL, '{');
	json_u64(&w, "zero", 0);
	json_u64(&w, "most", U64_MAX);
	json_s64(&w, "least", 1ULL << 63);
	json_line(&w);
	json_open(&w, "list", '[');
	json_open(&w, NULL, '[');
	json_close(&w, ']');
	json_line(&w);
	json_open(&w, NULL, '{');
	json_milli(&w, "a\"b", 1500);
	json_close(&w, '}');
	json_null(&w, NULL);
	json_line(&w);
	json_close(&w, ']');
	json_close(&w, '}');
	expect_output(__LINE__,
		      "{\"zero\": 0, \"most\": 18446744073709551615, \"least\": -9223372036854775808,\n"
		      " \"list\": [[],\n"
		      "  {\"a\\\"b\": 1.500}, null\n"
		      " ]}\n");
}

static void expect_string(int line, const char *string, const char *expected)
{
	json_string(&(struct json) { .out = output() }, NULL, string);
	expect_output(line, expected);
}

#define EXPECT_STRING(string, expected) expect_string(__LINE__, string, "\"" expected "\"")
#define BAD	"\xef\xbf\xbd"

TEST(escapes_strings)
{
	EXPECT_STRING("", "");
	EXPECT_STRING("a/b+0x1 [c]", "a/b+0x1 [c]");
	EXPECT_STRING("\"\\\"", "\\\"\\\\\\\"");
	EXPECT_STRING("\1\n\x1f\x7f", "\\u0001\\u000a\\u001f\\u007f");
	EXPECT_STRING("\xc2\x80 \xdf\xbf \xe0\xa0\x80", "\xc2\x80 \xdf\xbf \xe0\xa0\x80");
	EXPECT_STRING("\xef\xbf\xbf \xf0\x90\x80\x80 \xf4\x8f\xbf\xbf",
		      "\xef\xbf\xbf \xf0\x90\x80\x80 \xf4\x8f\xbf\xbf");
	/* Alone, too short, too long, surrogates, and beyond the last code point */
	EXPECT_STRING("\x80 \xff \xfe", BAD " " BAD " " BAD);
	EXPECT_STRING("\xc3 \xe2\x82 \xf0\x9f\x90", BAD " " BAD BAD " " BAD BAD BAD);
	EXPECT_STRING("\xc0\xaf \xe0\x80\xaf", BAD BAD " " BAD BAD BAD);
	EXPECT_STRING("\xed\xa0\x80 \xed\x9f\xbf", BAD BAD BAD " \xed\x9f\xbf");
	EXPECT_STRING("\xf4\x90\x80\x80", BAD BAD BAD BAD);
	EXPECT_STRING("\xc3", BAD);
}

/* ---- incidents ------------------------------------------------------------ */

static void expect_incident(int line, const char *label, const char *trigger, const char *comm,
			    const char *site, const char *stack)
{
	struct incident in;

	incident_parse(&in, label);
	expect_text(line, in.trigger, trigger);
	expect_text(line, in.comm, comm);
	expect_text(line, in.site, site);
	expect_text(line, in.stack, stack);
	free(in.text);
}

TEST(takes_incidents_apart)
{
	expect_incident(__LINE__, "stall;my;sh;x+0x1 [mod];a,b", "stall", "my;sh", "x+0x1 [mod]",
			"a,b");
	expect_incident(__LINE__, "oom;-;-;-", "oom", "-", "-", "-");
	expect_incident(__LINE__, "oom;sh", "oom", "-", "-", "sh");
	expect_incident(__LINE__, "oom", "oom", "-", "-", "-");
	expect_incident(__LINE__, "", "", "-", "-", "-");
}

#define INCIDENT(length) \
	"# kmemacct incidents 8 since=load\n# " KMA_INCIDENTS_COLUMNS(TITLE) "\n" \
	"2 30.500 " length " 1 - - - - - - - 0x0 command;sh;-;-\n"
#define TABLES \
	"# kmemacct skip 8 sample_bytes=0\n# pages objects pattern\n1 0 alloc_page*\n" \
	"# kmemacct skip 8 sample_bytes=0\n# pages objects pattern\n" \
	"# kmemacct unknown\n"

TEST(reads_an_incident)
{
	static const char text[] = INCIDENT("149") TABLES;
	struct source *s = snapshot_parse(text, strlen(text), "FILE");
	struct table *t;

	EXPECT(s && source_is_snapshot(s) && source_is_incident(s));
	EXPECT(source_uptime_ms(s) == 30500 && !source_time_s(s));
	t = source_table(s, "skip");
	EXPECT(t && t->nr_rows == 1);
	table_free(t);
	EXPECT(!source_table(s, "callers"));
	EXPECT_TEXT(error_text, "FILE: an incident has no callers, only skip, unknown");
	snapshot_free(s);
	EXPECT(!snapshot_parse(text, strlen(text) - 1, "FILE"));
	EXPECT_TEXT(error_text,
		    "FILE: the incident is truncated or damaged (it has another length): copy it again");
	EXPECT(!snapshot_parse("", 0, "FILE"));
	EXPECT_TEXT(error_text,
		    "FILE is empty: there is no such incident, or it is not a snapshot");
}
