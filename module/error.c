// SPDX-License-Identifier: GPL-2.0
/* The last error.  See error.h. */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "error.h"
#include "state.h"

/* The last error.  Protected by kma_lock. */
static char kma_error[512] = "none";

int kma_refuse(const char *fmt, ...)
{
	va_list args;
	char *c;

	lockdep_assert_held(&kma_lock);
	va_start(args, fmt);
	vscnprintf(kma_error, sizeof(kma_error), fmt, args);
	va_end(args);
	/* The text may quote a command, which may contain arbitrary bytes. */
	for (c = kma_error; *c; c++)
		if (!isascii(*c) || !isprint(*c))
			*c = '?';
	return -EINVAL;
}

void kma_error_clear(void)
{
	lockdep_assert_held(&kma_lock);
	strscpy(kma_error, "none", sizeof(kma_error));
}

const char *kma_error_last(void)
{
	lockdep_assert_held(&kma_lock);
	return kma_error;
}

bool kma_printable(const char *text, size_t size, bool blanks)
{
	const char *c;

	for (c = text; *c; c++)
		if (iscntrl(*c) || *c == ';' || (*c == ' ' && !blanks))
			return false;
	return c > text && c < text + size;
}

static bool kma_blank(char c)
{
	return isascii(c) && isspace(c);
}

char *kma_strim(char *text)
{
	size_t len = strlen(text);

	while (len && kma_blank(text[len - 1]))
		len--;
	text[len] = '\0';
	while (kma_blank(*text))
		text++;
	return text;
}
