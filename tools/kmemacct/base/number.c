// SPDX-License-Identifier: GPL-2.0
/* Parsing and printing of numbers. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

#define HEX_DIGITS	"0123456789abcdefABCDEF"

/* Most of the time to read a table is spent here. */
int number_parse(const char *text, u64 *value)
{
	u64 number = 0;

	if (!*text)
		return -1;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || __builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, *text - '0', &number))
			return -1;
	}
	*value = number;
	return 0;
}

int number_parse_hex(const char *text, u64 *value)
{
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	/* strtoull() alone would accept leading blanks and signs. */
	if (!*text || text[strspn(text, HEX_DIGITS)])
		return -1;
	errno = 0;
	*value = strtoull(text, NULL, 16);
	return errno ? -1 : 0;
}

int number_parse_signed(const char *text, s64 *value)
{
	int negative = *text == '-';
	u64 absolute;

	if (number_parse(text + negative, &absolute))
		return -1;
	if (absolute > (U64_MAX >> 1) + negative)
		return -1;
	*value = negative ? -absolute : absolute;
	return 0;
}

/* The format is a whole number, a point and three digits. */
int number_parse_milli(const char *text, u64 *value)
{
	const char *point = strchr(text, '.');
	char whole[NUMBER_LEN];
	size_t len;
	u64 rest;

	if (!point || strlen(point) != 4 || number_parse(point + 1, &rest))
		return -1;
	len = point - text;
	if (len >= sizeof(whole))
		return -1;
	memcpy(whole, text, len);
	whole[len] = '\0';
	if (number_parse(whole, value) ||
	    __builtin_mul_overflow(*value, 1000, value) ||
	    __builtin_add_overflow(*value, rest, value))
		return -1;
	return 0;
}

/* The characters of numbers in durations. */
#define NUMERIC		"0123456789."

/* Units of durations. */
static const struct {
	const char *name;
	u64 ms;
} duration_units[] = {
	{ "w", 604800000 }, { "d", 86400000 }, { "h", 3600000 }, { "min", 60000 }, { "m", 60000 },
	{ "s", 1000 }, { "ms", 1 },
};

/* Return: the milliseconds of the unit that the @len letters at @text name, or 0. */
static u64 find_unit(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(duration_units); i++)
		if (strlen(duration_units[i].name) == len &&
		    !strncmp(text, duration_units[i].name, len))
			return duration_units[i].ms;
	return 0;
}

/*
 * Parse digits, and digits after a point if there is one, and multiply the number by @unit.
 * A rest below 1 is dropped.
 * Return: 0, or -1.
 */
static int parse_scaled(const char *text, size_t len, u64 unit, u64 *value)
{
	const char *point = memchr(text, '.', len);
	size_t i, whole = point ? (size_t)(point - text) : len;
	char digits[NUMBER_LEN];
	u64 rest = 0;

	if (whole >= sizeof(digits) || (point && whole + 1 == len))
		return -1;
	snprintf(digits, sizeof(digits), "%.*s", (int)whole, text);
	if (number_parse(digits, value) || __builtin_mul_overflow(*value, unit, value))
		return -1;
	for (i = whole + 1; i < len; i++) {
		if (text[i] == '.' || i - whole > 9)
			return -1;
		rest = rest * 10 + text[i] - '0';
	}
	if (__builtin_mul_overflow(rest, unit, &rest))
		return -1;
	for (i = whole + 1; i < len; i++)
		rest /= 10;
	return __builtin_add_overflow(*value, rest, value) ? -1 : 0;
}

int number_parse_duration(const char *text, u64 *ms)
{
	size_t number, letters;
	u64 unit, last = U64_MAX, part;

	if (!*text)
		return -1;
	/* A number alone is in seconds. */
	if (!text[strspn(text, NUMERIC)])
		return parse_scaled(text, strlen(text), 1000, ms);
	for (*ms = 0; *text; text += number + letters, last = unit) {
		number = strspn(text, NUMERIC);
		letters = strcspn(text + number, NUMERIC);
		unit = find_unit(text + number, letters);
		if (!unit || unit >= last || parse_scaled(text, number, unit, &part) ||
		    __builtin_add_overflow(*ms, part, ms))
			return -1;
	}
	return 0;
}

int number_parse_us(const char *text, u64 *us)
{
	const size_t len = strspn(text, NUMERIC);
	u64 ms;

	if (!text[len])
		return number_parse(text, us);
	if (!strcmp(text + len, "us"))
		return parse_scaled(text, len, 1, us);
	if (!strcmp(text + len, "ms"))
		return parse_scaled(text, len, 1000, us);
	return number_parse_duration(text, &ms) || __builtin_mul_overflow(ms, 1000, us) ? -1 : 0;
}

int number_parse_delay(const char *text, u64 *ms)
{
	char padded[NUMBER_LEN + 1];
	u64 delay;

	/* A delay may begin with its point. */
	snprintf(padded, sizeof(padded), "%s%.*s", *text == '.' ? "0" : "", NUMBER_LEN - 1, text);
	if (number_parse_duration(padded, &delay) || delay < 100 || delay > 3600000)
		return -1;
	*ms = delay;
	return 0;
}

/* The format is 4096, 64K, 1.5M or 2GiB. */
int number_parse_size(const char *text, u64 *bytes)
{
	static const char units[] = "KMGT";
	const size_t len = strspn(text, NUMERIC);
	const char *unit = strchr(units, text[len]);

	if (!text[len])
		return number_parse(text, bytes);
	if (!unit || (text[len + 1] && strcmp(text + len + 1, "iB")))
		return -1;
	return parse_scaled(text, len, 1024ULL << 10 * (unit - units), bytes);
}

int number_parse_percent(const char *text, u64 *milli)
{
	const char *point = strchr(text, '.');
	char padded[2 * NUMBER_LEN];

	if (strlen(text) >= NUMBER_LEN || (point && (!point[1] || strlen(point) > 4)))
		return -1;
	snprintf(padded, sizeof(padded), "%s%.*s", text, point ? 4 - (int)strlen(point) : 4,
		 point ? "000" : ".000");
	return number_parse_milli(padded, milli);
}

void number_print_milli(char buf[NUMBER_LEN], u64 milli)
{
	snprintf(buf, NUMBER_LEN, "%llu.%03llu", milli / 1000, milli % 1000);
}

static int decimals(double size)
{
	return size < 9.995 ? 2 : size < 99.95;
}

/* Round to a multiple of 1 / @parts. */
static double rounded(double size, int parts, enum rounding rounding)
{
	switch (rounding) {
	case ROUND_DOWN:
		return floor(size * parts) / parts;
	case ROUND_UP:
		return ceil(size * parts) / parts;
	default:
		return round(size * parts) / parts;
	}
}

/* Print a size with three digits, or four from 1000 on: 1.50K, 48.8M, 1023G. */
void number_print_rounded(char buf[NUMBER_LEN], u64 value, bool kb, enum rounding rounding)
{
	static const char units[] = "KMGTPEZ";
	double size = kb ? value : (double)value / 1024;
	int i = 0;

	if (value < 1024 && (!kb || !value)) {
		snprintf(buf, NUMBER_LEN, "%llu", value);
		return;
	}
	/* 1023.5 would be rounded to 1024. */
	for (; rounded(size, 1, rounding) >= 1024; size /= 1024)
		i++;
	if (rounding != ROUND_NEAREST)
		size = rounded(size, size < 10 ? 100 : size < 100 ? 10 : 1, rounding);
	snprintf(buf, NUMBER_LEN, "%.*f%c", decimals(size), size, units[i]);
}

void number_print_size(char buf[NUMBER_LEN], u64 value, bool kb)
{
	number_print_rounded(buf, value, kb, ROUND_NEAREST);
}

void number_print_bytes(char buf[NUMBER_LEN], u64 bytes, bool exact)
{
	if (exact || bytes < 1024)
		snprintf(buf, NUMBER_LEN, "%llu bytes", bytes);
	else
		number_print_size(buf, bytes, false);
}

/* Print an age in its two largest units, or as 1.5s or 160ms if it is below a minute. */
void number_print_age(char buf[NUMBER_LEN], u64 ms)
{
	u64 s = ms / 1000;

	if (s < 1)
		snprintf(buf, NUMBER_LEN, "%llums", ms);
	else if (s < 60)
		snprintf(buf, NUMBER_LEN, "%llu.%llus", s, ms % 1000 / 100);
	else if (s < 3600)
		snprintf(buf, NUMBER_LEN, "%llum%02llus", s / 60, s % 60);
	else if (s < 86400)
		snprintf(buf, NUMBER_LEN, "%lluh%02llum", s / 3600, s / 60 % 60);
	else
		snprintf(buf, NUMBER_LEN, "%llud%02lluh", s / 86400, s / 3600 % 24);
}

/* Print a time with three digits, as 12.3ms; from a minute on, as number_print_age() does. */
void number_print_us(char buf[NUMBER_LEN], u64 us, bool milli)
{
	static const char * const units[] = { "us", "ms", "s" };
	double time = milli ? us / 1000.0 : us;
	size_t i = 0;

	if (time >= 59950000) {
		number_print_age(buf, time / 1000);
		return;
	}
	if (!us || (!milli && us < 1000)) {
		snprintf(buf, NUMBER_LEN, us ? "%lluus" : "%llu", us);
		return;
	}
	/* 999.5 would be rounded to 1000. */
	for (; time >= 999.5 && i < ARRAY_SIZE(units) - 1; time /= 1000)
		i++;
	snprintf(buf, NUMBER_LEN, "%.*f%s",
		 time < 9.995 ? 2 : time < 99.95, time, units[i]);
}

void number_print_share(char buf[NUMBER_LEN], u64 milli)
{
	snprintf(buf, NUMBER_LEN, "%.1f%%", milli / 1000.0);
}

u64 number_frag_milli(u64 bytes_req, u64 bytes_alloc)
{
	unsigned __int128 waste = bytes_alloc - bytes_req;

	if (bytes_req >= bytes_alloc)
		return 0;
	return (100000 * waste + bytes_alloc / 2) / bytes_alloc;
}

u64 number_ratio(u64 part, u64 whole, u64 scale)
{
	return whole ? ((unsigned __int128)part * scale + whole / 2) / whole : 0;
}
