/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts that all others use: types, errors and memory, numbers, texts, maps, files, JSON.
 *
 * A function that fails calls fail(), which keeps the message, and returns -1 or NULL; main()
 * prints the message.  Running out of memory ends the program at once.
 */
#ifndef BASE_H
#define BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

typedef unsigned long long u64;
typedef long long s64;

#define U64_MAX		(~0ULL)

#define BIT_ULL(nr)	(1ULL << (nr))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* The C library may define a macro of this name. */
#undef __printf
#define __printf(a, b)	__attribute__((__format__(printf, a, b)))

/* ---- errors and memory (error.c) ------------------------------------------ */

/* The message of the last error: one line, which says what is wrong and then what to do. */
extern char error_text[1024];

/* Set the message.  Return: -1, for the caller to return. */
__printf(1, 2) int fail(const char *fmt, ...);

/* From now on, error_print() prints a JSON object with the members `error` and `status`. */
void error_as_json(void);

/*
 * Print the last error on standard error.  Output that was printed before is written out first.
 * With JSON, the part of it that is still in memory is dropped, because the document is incomplete.
 * Return: @status, the exit status of the program.
 */
int error_print(int status);

/* End the program with an error unless a library got the memory that it needs. */
void alloc_check(bool done);

/* Allocate @nr times @size zeroed bytes, or a copy of a text; free() frees both. */
void *alloc(size_t nr, size_t size);
char *alloc_copy(const char *text);

/*
 * Make room for one more element in an array of @nr elements, which is NULL at first.  @room is the
 * number of elements that it has room for.  Return: the array, which may have moved.
 */
void *alloc_more(void *array, size_t nr, size_t *room, size_t size);

/* Print into a new text, which free() frees. */
__printf(1, 2) char *alloc_print(const char *fmt, ...);

/* Begin and end a text that is written piece by piece; free() frees *@text. */
FILE *text_open(char **text, size_t *len);
void text_close(FILE *out);

/* ---- numbers (number.c) --------------------------------------------------- */

/* Size of the text of any number, with its NUL. */
#define NUMBER_LEN	32

/*
 * Parse a number.  @text has to be the number and nothing else: no blanks, and no sign except a
 * minus for number_parse_signed().  A milli number has a point and three digits.
 * Return: 0, or -1 if it is not such a number, or does not fit.
 */
int number_parse(const char *text, u64 *value);
int number_parse_signed(const char *text, s64 *value);
int number_parse_milli(const char *text, u64 *value);
int number_parse_hex(const char *text, u64 *value);

/*
 * Parse a duration: a number of seconds, or numbers with units, the largest unit first, as in
 * 500ms, 30s, 5m or 5min, 1.5h, 2h30m, 1d and 1w; a size in bytes, such as 4096, 64K, 1M or 2G; or
 * a percentage with up to three digits after the point, in thousandths.  A delay is a duration from
 * 0.1 s to an hour.
 * In number_parse_us(), a number alone is in microseconds, and 1.5ms or 100us are durations, too.
 * Return: 0, or -1 if it is none, or does not fit.
 */
int number_parse_us(const char *text, u64 *us);
int number_parse_duration(const char *text, u64 *ms);
int number_parse_delay(const char *text, u64 *ms);
#define NUMBER_DELAY	"a number of seconds from 0.1 to 3600"
int number_parse_size(const char *text, u64 *bytes);
int number_parse_percent(const char *text, u64 *milli);

/* How to round a number that has too many digits. */
enum rounding {
	ROUND_NEAREST,
	ROUND_DOWN,
	ROUND_UP,
};

/*
 * Print thousandths; a size in bytes or (@kb) in KiB with three digits; with the word bytes if it
 * has no other unit; an age; a time in us or (@milli) in thousandths of these; thousandths of a
 * percent with one digit after the point.
 */
void number_print_milli(char buf[NUMBER_LEN], u64 milli);
void number_print_rounded(char buf[NUMBER_LEN], u64 value, bool kb, enum rounding rounding);
void number_print_size(char buf[NUMBER_LEN], u64 value, bool kb);
void number_print_bytes(char buf[NUMBER_LEN], u64 bytes, bool exact);
void number_print_age(char buf[NUMBER_LEN], u64 ms);
void number_print_us(char buf[NUMBER_LEN], u64 us, bool milli);
void number_print_share(char buf[NUMBER_LEN], u64 milli);

/*
 * Compute internal fragmentation as the module does: 100 - 100 * bytes_req / bytes_alloc.
 * Return: thousandths of a percent, rounded to the nearest.
 */
u64 number_frag_milli(u64 bytes_req, u64 bytes_alloc);

/* Return: @part of @whole in units of 1 / @scale, rounded to the nearest; 0 if @whole is 0. */
u64 number_ratio(u64 part, u64 whole, u64 scale);

/* ---- UTF-8 (utf8.c) ------------------------------------------------------- */

/* Return: length of the character at the start of a text; 0 if it is not UTF-8. */
int utf8_length(const char *text);

/* Return: number of columns of a text: one for each character, and for each byte that is none. */
int utf8_columns(const char *text);

/* ---- texts (text.c) ------------------------------------------------------- */

/* Test for a word in a list with commas between its words; @list may be NULL. */
bool text_lists(const char *list, const char *word);

/* Test whether a text begins or ends with another one. */
bool text_begins(const char *text, const char *with);
bool text_ends(const char *text, const char *with);

/* Replace control characters, and bytes that are not UTF-8, by `?`.  Return: @text. */
char *text_clean(char *text);

/* Widen @width to the columns of a text. */
void text_widen(int *width, const char *text);

/*
 * Print words, with a line break before each that does not fit into @screen columns (0: the width
 * is unlimited).  The first line begins after @used columns, and each further one with @margin.
 */
void text_wrap(FILE *out, const char *text, int used, const char *margin, int screen);

/* Print a comment, or one for each line of a text. */
void text_comment(FILE *out, const char *text, int screen);
void text_comments(FILE *out, const char *text, int screen);

/* Longest word that gets a suggestion, with its NUL. */
#define SUGGEST_LEN	64

/**
 * struct suggestion - the known word that is nearest to a wrong one
 * @word: the wrong word
 * @best: the nearest known word, or NULL if none is near
 * @rank: how far it is
 */
struct suggestion {
	char word[SUGGEST_LEN];
	const char *best;
	int rank;
};

/* Test for a name of a table or a command, which may be typed with dashes for underscores. */
bool suggest_is(const char *name, const char *typed);

/* Begin with the first @len characters of a wrong word. */
void suggest_begin(struct suggestion *s, const char *word, size_t len);

/* Compare the wrong word with a known one, which has to stay in memory; NULL is none. */
void suggest_try(struct suggestion *s, const char *known);

/* Call fail() with a message, a colon, and the suggestion, or @otherwise.  Return: -1. */
__printf(3, 4) int suggest_fail(const struct suggestion *s, const char *otherwise,
				const char *fmt, ...);

/* ---- maps (map.c) --------------------------------------------------------- */

/**
 * struct map - a map from keys to values; zeroed, with only @compare set, it is empty
 * @compare: the order of the keys, which point to texts or to u64: one of the two functions below
 * @root: the tree
 */
struct map {
	int (*compare)(const void *a, const void *b);
	void *root;
};

int map_compare_texts(const void *a, const void *b);
int map_compare_numbers(const void *a, const void *b);

/* Return: where the value of a key is stored, or NULL if the map does not have the key. */
uintptr_t *map_find(const struct map *m, const void *key);

/* Put a key, which is not copied and which the map must not have yet. */
void map_put(struct map *m, const void *key, uintptr_t value);

/* Free the tree, but no keys. */
void map_clear(struct map *m);

/* ---- files (file.c) ------------------------------------------------------- */

#define FILE_PATH	4096

/* Open a file.  Return: the descriptor, or -1 with errno set. */
int file_open(const char *path, int flags);

/*
 * Read a whole file, whose size need not be known in advance.
 * Return: its text, ending with a NUL, which the caller frees; NULL with errno set.
 */
char *file_read_all(int fd, size_t *len);
char *file_read(const char *path, size_t *len);

/* Write all of @data.  Return: 0, or -1 with errno set. */
int file_write_all(int fd, const char *data, size_t len);

/**
 * file_replace() - write a file that appears under its name only when it is complete
 * @path: its name
 * @mode: its permissions
 * @what: its kind, for errors
 * @write: writes @data to @fd; returns 0, or -1 after calling fail()
 * @data: the data to write
 *
 * A signal that ends the program meanwhile removes the temporary file.
 *
 * Return: 0, or -1 after calling fail().
 */
int file_replace(const char *path, mode_t mode, const char *what,
		 int (*write)(int fd, const char *path, const void *data), const void *data);

/* Return: the time since boot, including time in suspend, in ms. */
u64 clock_uptime_ms(void);

/* ---- JSON (json.c) -------------------------------------------------------- */

/**
 * struct json - position in a JSON text; nothing that was written is kept in memory
 * @out: output file
 * @depth: number of objects and lists that are open
 * @filled: the innermost one has a member already
 * @line: the next member, or the closing bracket, begins a line
 *
 * Each function writes one member of the innermost object or list that is open.  Members of a list
 * have no key, and @key is NULL.  All members are on one line, except that json_line() puts the
 * next one, or the bracket that closes, on a line of its own.
 */
struct json {
	FILE *out;
	int depth;
	bool filled;
	bool line;
};

/* Begin and end an object or a list, by its bracket.  The end of the last one ends the text. */
void json_open(struct json *w, const char *key, char bracket);
void json_close(struct json *w, char bracket);
void json_line(struct json *w);

/* Write a string, NULL as null.  Bytes that are not UTF-8 are replaced by U+FFFD. */
void json_string(struct json *w, const char *key, const char *text);
void json_bool(struct json *w, const char *key, bool value);
void json_u64(struct json *w, const char *key, u64 value);
void json_s64(struct json *w, const char *key, s64 value);
void json_milli(struct json *w, const char *key, u64 value);
void json_null(struct json *w, const char *key);

/* Write a text as a number if it looks like one, as a string, or as null. */
void json_value(struct json *w, const char *key, const char *text);

#endif /* BASE_H */
