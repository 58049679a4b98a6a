// SPDX-License-Identifier: GPL-2.0
/* Characters of UTF-8. */
#include "base.h"

/* Return: number of bytes of the character that begins with @c; 0 if no character does. */
static int length_of(unsigned char c)
{
	if (c < 0x80)
		return 1;
	if (c >= 0xc2 && c < 0xe0)
		return 2;
	if (c >= 0xe0 && c < 0xf0)
		return 3;
	return c >= 0xf0 && c < 0xf5 ? 4 : 0;
}

int utf8_length(const char *text)
{
	/* Lowest code point that needs each number of bytes: longer encodings of it are wrong. */
	static const unsigned int lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const int len = length_of(*text);
	unsigned int code;
	int i;

	if (len < 2)
		return len;
	code = *text & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < lowest[len] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	return len;
}

int utf8_columns(const char *text)
{
	int nr;

	for (nr = 0; *text; nr++)
		text += utf8_length(text) ?: 1;
	return nr;
}
