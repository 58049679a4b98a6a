// SPDX-License-Identifier: GPL-2.0
/* Addresses of call sites, from /proc/kallsyms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

struct symbol {
	const char *name;
	const char *module;	/* "" for the kernel itself */
	u64 addr;
};

struct kallsyms {
	struct symbol *symbols;
	size_t nr;
	size_t room;
	char *text;
};

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

static int parse_lines(struct kallsyms *syms, const char *path, char *rest)
{
	struct symbol symbol;
	u64 any = 0;
	char *line;

	while ((line = strsep(&rest, "\n")) && rest) {
		if (parse_line(line, &symbol))
			return fail("%s: line %zu is not a symbol", path, syms->nr + 1);
		syms->symbols = alloc_more(syms->symbols, syms->nr, &syms->room, sizeof(symbol));
		syms->symbols[syms->nr++] = symbol;
		any |= symbol.addr;
	}
	if (!any)
		return fail("%s shows no addresses: use sudo, and sysctl kernel.kptr_restrict=1",
			    path);
	qsort(syms->symbols, syms->nr, sizeof(syms->symbols[0]), compare);
	return 0;
}

struct kallsyms *kallsyms_parse(const char *path, char *text)
{
	struct kallsyms *syms = alloc(1, sizeof(*syms));

	syms->text = text;
	if (!parse_lines(syms, path, text))
		return syms;
	kallsyms_free(syms);
	return NULL;
}

struct kallsyms *kallsyms_read(const struct source *s)
{
	char path[FILE_PATH], *text;
	size_t len;

	text = source_proc(s, "kallsyms", path, &len);
	return text ? kallsyms_parse(path, text) : NULL;
}

void kallsyms_free(struct kallsyms *syms)
{
	if (!syms)
		return;
	free(syms->symbols);
	free(syms->text);
	free(syms);
}

/* Return: the address, or 0 if several have this name: static functions may share one. */
static u64 find_symbol(const struct kallsyms *syms, const struct symbol *key)
{
	const struct symbol *end = syms->symbols + syms->nr, *found, *other;

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

int kallsyms_replace(struct table *t, size_t nr)
{
	struct kallsyms *syms = kallsyms_read(t->source);
	size_t i;
	u64 addr;

	if (!syms)
		return -1;
	for (i = 0; i < nr; i++) {
		addr = kallsyms_find(syms, t->rows[i]->label);
		if (addr)
			t->rows[i]->label = table_own(t, alloc_print("0x%016llx", addr));
	}
	kallsyms_free(syms);
	return 0;
}
