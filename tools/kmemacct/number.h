/* SPDX-License-Identifier: GPL-2.0 */
/* Parsing and printing of numbers. */
#ifndef NUMBER_H
#define NUMBER_H

#include "base.h"

/* Size of the text of any number, with its NUL. */
#define NUMBER_LEN	32

/*
 * Parse a number.  @text has to be the number and nothing else: no blanks, and no sign except
 * a minus for number_parse_signed().
 * Return: 0, or -1 if it is not such a number, or does not fit.
 */
int number_parse(const char *text, u64 *value);
int number_parse_signed(const char *text, s64 *value);
int number_parse_milli(const char *text, u64 *value);
int number_parse_hex(const char *text, u64 *value);

/*
 * Parse a duration: a number of seconds, or numbers with units, the largest unit first, as in
 * 500ms, 30s, 5m or 5min, 1.5h, 2h30m, 1d and 1w.
 * Return: 0, or -1 if it is no duration, or does not fit.
 */
int number_parse_duration(const char *text, u64 *ms);

/*
 * Parse a size in bytes, such as 4096, 64K, 1M or 2G; or a percentage with up to three digits after
 * the point, in thousandths.
 * Return: 0, or -1 if it is none, or does not fit.
 */
int number_parse_size(const char *text, u64 *bytes);
int number_parse_percent(const char *text, u64 *milli);

/*
 * Print a number of thousandths, a size in bytes or (@kb) in KiB, an age in milliseconds, or
 * a time in microseconds or (@milli) in thousandths of these.
 */
void number_print_milli(char buf[NUMBER_LEN], u64 milli);
void number_print_size(char buf[NUMBER_LEN], u64 value, bool kb);
void number_print_age(char buf[NUMBER_LEN], u64 ms);
void number_print_us(char buf[NUMBER_LEN], u64 us, bool milli);

/* Print a size with the word bytes if it has no other unit; with @exact always. */
void number_print_bytes(char buf[NUMBER_LEN], u64 bytes, bool exact);

/* Which neighbor a number is rounded to if it does not have few enough digits. */
enum rounding {
	ROUND_NEAREST,
	ROUND_DOWN,
	ROUND_UP,
};

/* Print a size like number_print_size(), which rounds to the nearest. */
void number_print_rounded(char buf[NUMBER_LEN], u64 value, bool kb, enum rounding rounding);

/* Print thousandths of a percent as a number of percent with one digit after the point. */
void number_print_share(char buf[NUMBER_LEN], u64 milli);

/*
 * Compute internal fragmentation as the module does: 100 - 100 * bytes_req / bytes_alloc.
 * Return: thousandths of a percent, rounded to the nearest.
 */
u64 number_frag_milli(u64 bytes_req, u64 bytes_alloc);

#endif /* NUMBER_H */
