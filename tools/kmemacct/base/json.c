// SPDX-License-Identifier: GPL-2.0
/* A writer of JSON. */
#include <string.h>

#include "base.h"

/* ---- strings -------------------------------------------------------------- */

/* Encoding of U+FFFD, which stands for bytes that are not UTF-8. */
#define REPLACEMENT	"\xef\xbf\xbd"

/* Write the character at the start of a text.  Return: its length. */
static int put_special(FILE *out, const char *text)
{
	const int len = utf8_length(text);

	if (*text == '"' || *text == '\\')
		fprintf(out, "\\%c", *text);
	else if (!len)
		fputs(REPLACEMENT, out);
	else if (len == 1)
		fprintf(out, "\\u%04x", *text);
	else
		fwrite(text, 1, len, out);
	return len ? len : 1;
}

static void put_string(FILE *out, const char *text)
{
	const char *c;

	putc_unlocked('"', out);
	while (*text) {
		for (c = text; *c >= ' ' && *c < 0x7f && *c != '"' && *c != '\\'; c++)
			;
		fwrite_unlocked(text, 1, c - text, out);
		text = *c ? c + put_special(out, c) : c;
	}
	putc_unlocked('"', out);
}

/* ---- members -------------------------------------------------------------- */

static void put_line(struct json *w)
{
	int i;

	putc_unlocked('\n', w->out);
	for (i = 0; i < w->depth; i++)
		putc_unlocked(' ', w->out);
	w->line = false;
}

/* Write the separator of two members, and the key of the next one. */
static void put_key(struct json *w, const char *key)
{
	if (w->filled)
		putc_unlocked(',', w->out);
	if (w->line)
		put_line(w);
	else if (w->filled)
		putc_unlocked(' ', w->out);
	w->filled = true;
	if (!key)
		return;
	put_string(w->out, key);
	fputs_unlocked(": ", w->out);
}

static void put_word(struct json *w, const char *key, const char *word)
{
	put_key(w, key);
	fputs_unlocked(word, w->out);
}

void json_open(struct json *w, const char *key, char bracket)
{
	put_key(w, key);
	putc_unlocked(bracket, w->out);
	w->depth++;
	w->filled = false;
}

void json_close(struct json *w, char bracket)
{
	w->depth--;
	if (w->line)
		put_line(w);
	putc_unlocked(bracket, w->out);
	w->filled = true;
	if (!w->depth)
		putc_unlocked('\n', w->out);
}

void json_line(struct json *w)
{
	w->line = true;
}

void json_string(struct json *w, const char *key, const char *text)
{
	if (!text) {
		json_null(w, key);
		return;
	}
	put_key(w, key);
	put_string(w->out, text);
}

/* With snprintf(), most of the time to write a table would be spent here. */
void json_u64(struct json *w, const char *key, u64 value)
{
	char digits[NUMBER_LEN], *first = digits + sizeof(digits) - 1;

	*first = '\0';
	do {
		*--first = '0' + value % 10;
		value /= 10;
	} while (value);
	put_word(w, key, first);
}

void json_s64(struct json *w, const char *key, s64 value)
{
	char digits[NUMBER_LEN];

	snprintf(digits, sizeof(digits), "%lld", value);
	put_word(w, key, digits);
}

void json_milli(struct json *w, const char *key, u64 value)
{
	char digits[NUMBER_LEN];

	number_print_milli(digits, value);
	put_word(w, key, digits);
}

void json_null(struct json *w, const char *key)
{
	put_word(w, key, "null");
}

void json_bool(struct json *w, const char *key, bool value)
{
	put_word(w, key, value ? "true" : "false");
}

void json_value(struct json *w, const char *key, const char *text)
{
	u64 number;

	if (text && !number_parse(text, &number))
		json_u64(w, key, number);
	else if (text && !number_parse_milli(text, &number))
		json_milli(w, key, number);
	else
		json_string(w, key, text);
}
