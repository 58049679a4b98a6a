// SPDX-License-Identifier: GPL-2.0
/* Addresses of call sites.  See kallsyms.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "files.h"
#include "kallsyms.h"

struct symbol {
	const char *name;
	const char *module;	/* "" for the kernel itself */
	u64 addr;
};

struct kallsyms {
	struct symbol *symbols;
	size_t nr;
	char *text;
};

/* ---- parsing -------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	int ret = strcmp(x->name, y->name);

	return ret ? ret : strcmp(x->module, y->module);
}

/* A line is `address type name`, and for a module then a tab and `[module]`. */
static int parse_line(char *line, struct symbol *symbol)
{
	char *addr = strsep(&line, " "), *end;

	strsep(&line, " ");
	if (!line || number_parse_hex(addr, &symbol->addr))
		return -1;
	symbol->name = strsep(&line, "\t");
	symbol->module = "";
	if (!line)
		return 0;
	end = strchr(line, ']');
	if (*line != '[' || !end)
		return -1;
	*end = '\0';
	symbol->module = line + 1;
	return 0;
}

static int parse_lines(struct kallsyms *syms, const char *file, char *rest)
{
	u64 any = 0;
	char *line;

	while ((line = strsep(&rest, "\n")) && rest) {
		if (parse_line(line, &syms->symbols[syms->nr]))
			return fail("%s: line %zu is not a symbol", file, syms->nr + 1);
		any |= syms->symbols[syms->nr++].addr;
	}
	if (!any)
		return fail("%s shows no addresses: use sudo, and sysctl kernel.kptr_restrict=1",
			    file);
	qsort(syms->symbols, syms->nr, sizeof(syms->symbols[0]), compare);
	return 0;
}

static size_t count_lines(const char *text)
{
	size_t nr = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		nr++;
	}
	return nr;
}

struct kallsyms *kallsyms_parse(const char *file, char *text)
{
	struct kallsyms *syms = alloc(1, sizeof(*syms));

	syms->text = text;
	syms->symbols = alloc(count_lines(text), sizeof(syms->symbols[0]));
	if (!parse_lines(syms, file, text))
		return syms;
	kallsyms_free(syms);
	return NULL;
}

void kallsyms_free(struct kallsyms *syms)
{
	if (!syms)
		return;
	free(syms->symbols);
	free(syms->text);
	free(syms);
}

/* ---- finding -------------------------------------------------------------- */

/* Return: the address, or 0 if several have this name: static functions may share one. */
static u64 find_symbol(const struct kallsyms *syms, const struct symbol *key)
{
	const struct symbol *end = syms->symbols + syms->nr;
	const struct symbol *found, *other;

	found = bsearch(key, syms->symbols, syms->nr, sizeof(*key), compare);
	if (!found)
		return 0;
	for (other = found; other > syms->symbols && !compare(other - 1, key);)
		other--;
	for (; other < end && !compare(other, key); other++)
		if (other->addr != found->addr)
			return 0;
	return found->addr;
}

u64 kallsyms_find(const struct kallsyms *syms, const char *site)
{
	char copy[1024], *rest = copy, *offset;
	struct symbol key = { .module = "" };
	u64 addr, off;

	if (snprintf(copy, sizeof(copy), "%s", site) >= (int)sizeof(copy))
		return 0;
	key.name = strsep(&rest, "+");
	offset = strsep(&rest, " ");
	if (!offset || number_parse_hex(offset, &off))
		return 0;
	if (rest && *rest == '[') {
		key.module = rest + 1;
		rest[strcspn(rest, "]")] = '\0';
	}
	addr = find_symbol(syms, &key);
	return addr ? addr + off : 0;
}

/* ---- a table -------------------------------------------------------------- */

/* `0x`, 16 digits and a NUL. */
#define ADDRESS_LEN	19

static void replace(struct table *t, const struct kallsyms *syms)
{
	char *address;
	size_t i;
	u64 addr;

	t->addresses = alloc(t->nr_rows, ADDRESS_LEN);
	for (i = 0; i < t->nr_rows; i++) {
		addr = kallsyms_find(syms, t->rows[i]->label);
		if (!addr)
			continue;
		address = t->addresses + i * ADDRESS_LEN;
		snprintf(address, ADDRESS_LEN, "0x%016llx", addr);
		t->rows[i]->label = address;
	}
}

struct kallsyms *kallsyms_read(void)
{
	char path[FILES_PATH], *text;
	size_t len;

	text = files_proc("kallsyms", path, &len);
	return text ? kallsyms_parse(path, text) : NULL;
}

int kallsyms_replace(struct table *t)
{
	struct kallsyms *syms = kallsyms_read();

	if (!syms)
		return -1;
	replace(t, syms);
	kallsyms_free(syms);
	return 0;
}
