// SPDX-License-Identifier: GPL-2.0
/* Names and short codes of gfp flags.  See gfp.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "gfp.h"

enum {
#define X(name, ...) FLAG_##name,
	KMA_GFP_FLAGS_COLUMNS(X)
#undef X
};

/* Size of a code with its NUL; a name for which no code fits is printed in full. */
#define CODE_LEN	16

/**
 * struct gfp - names and codes of gfp flags
 * @flags: the table gfp_flags
 * @code: the code of each row of @flags; "" if it has none
 * @used: for each row of @flags, whether gfp_shorten() has used it
 * @text: for each row of the table given to gfp_shorten(), the codes of its flags
 * @legend: see gfp_legend()
 */
struct gfp {
	struct table *flags;
	char (*code)[CODE_LEN];
	bool *used;
	char (*text)[GFP_TEXT_LEN];
	char *legend;
};

/* ---- codes ---------------------------------------------------------------- */

/* Test for NO and another word written together, as in NOFS. */
static bool is_no(const char *word)
{
	return !strncmp(word, "NO", 2) && isalpha(word[2]);
}

static bool begins_word(const char *name, const char *c)
{
	return c == name || c[-1] == '_' || (c - name >= 2 && is_no(c - 2) &&
					     begins_word(name, c - 2)) ||
	       (isdigit(*c) && !isdigit(c[-1]));
}

/*
 * Make a code from the initials of all words of a name.
 * @last: set to the start of the last word
 * Return: number of initials.
 */
static size_t take_initials(const char *name, char code[CODE_LEN], const char **last)
{
	size_t nr = 0;
	const char *c;

	for (c = name; *c && nr < CODE_LEN - 1; c++) {
		if (*c == '_' || !begins_word(name, c))
			continue;
		code[nr++] = *c;
		*last = c;
	}
	code[nr] = '\0';
	return nr;
}

static bool is_taken(const struct gfp *gfp, size_t before, const char *code)
{
	size_t i;

	for (i = 0; i < before; i++)
		if (!strcmp(gfp->code[i], code))
			return true;
	return false;
}

static bool skip(const char **name, const char *with)
{
	size_t len = strlen(with);

	if (strncmp(*name, with, len))
		return false;
	*name += len;
	return true;
}

static void lower(char *text)
{
	for (; *text; text++)
		*text = tolower(*text);
}

/* Make a code of initials, and add letters of the last word until no earlier name has it. */
static void make_code(struct gfp *gfp, size_t row)
{
	const char *name = gfp->flags->rows[row]->label, *last = "";
	bool single = skip(&name, "__GFP_");
	char *code = gfp->code[row];
	size_t nr;

	if (!single)
		skip(&name, "GFP_");
	nr = take_initials(name, code, &last);
	for (;;) {
		if (single)
			lower(code);
		if (nr && !is_taken(gfp, row, code))
			return;
		if (!*last || !*++last || nr == CODE_LEN - 1)
			break;
		code[nr++] = *last;
		code[nr] = '\0';
	}
	/* No code is left for this name. */
	*code = '\0';
}

static const char *code_of(const struct gfp *gfp, int nr)
{
	return *gfp->code[nr] ? gfp->code[nr] : gfp_name(gfp, nr);
}

struct gfp *gfp_new(struct table *flags)
{
	struct gfp *gfp = alloc(1, sizeof(*gfp));
	size_t i;

	gfp->flags = flags;
	gfp->code = alloc(flags->nr_rows, sizeof(gfp->code[0]));
	gfp->used = alloc(flags->nr_rows, sizeof(gfp->used[0]));
	for (i = 0; i < flags->nr_rows; i++)
		make_code(gfp, i);
	return gfp;
}

void gfp_free(struct gfp *gfp)
{
	if (!gfp)
		return;
	table_free(gfp->flags);
	free(gfp->code);
	free(gfp->used);
	free(gfp->text);
	free(gfp->legend);
	free(gfp);
}

/* ---- flags ---------------------------------------------------------------- */

int gfp_next(const struct gfp *gfp, struct gfp_walk *walk)
{
	u64 mask;

	while (walk->next < gfp->flags->nr_rows) {
		mask = gfp->flags->rows[walk->next++]->v[FLAG_mask];
		if (!mask || (walk->rest & mask) != mask)
			continue;
		walk->rest &= ~mask;
		return walk->next - 1;
	}
	return -1;
}

const char *gfp_name(const struct gfp *gfp, int nr)
{
	return gfp->flags->rows[nr]->label;
}

/* Return: 0, or -1 if the codes do not fit into @text. */
static int print_codes(const struct gfp *gfp, char text[GFP_TEXT_LEN], u64 flags)
{
	struct gfp_walk walk = { .rest = flags };
	int nr, len = 0;

	while (len < GFP_TEXT_LEN && (nr = gfp_next(gfp, &walk)) >= 0)
		len += snprintf(text + len, GFP_TEXT_LEN - len, "%s%s", len ? "|" : "",
				code_of(gfp, nr));
	if (len < GFP_TEXT_LEN && (walk.rest || !flags))
		len += snprintf(text + len, GFP_TEXT_LEN - len, "%s%#llx", len ? "|" : "",
				walk.rest);
	return len < GFP_TEXT_LEN ? 0 : -1;
}

void gfp_print(const struct gfp *gfp, char text[GFP_TEXT_LEN], u64 flags)
{
	if (print_codes(gfp, text, flags))
		snprintf(text, GFP_TEXT_LEN, "%#llx", flags);
}

static void mark_used(struct gfp *gfp, u64 flags)
{
	struct gfp_walk walk = { .rest = flags };
	int nr;

	while ((nr = gfp_next(gfp, &walk)) >= 0)
		gfp->used[nr] = true;
}

void gfp_use(struct gfp *gfp, char text[GFP_TEXT_LEN], u64 flags)
{
	if (print_codes(gfp, text, flags))
		snprintf(text, GFP_TEXT_LEN, "%#llx", flags);
	else
		mark_used(gfp, flags);
}

void gfp_end(struct gfp *gfp)
{
	size_t i, len;
	FILE *out = open_memstream(&gfp->legend, &len);
	bool any = false;

	for (i = 0; out && i < gfp->flags->nr_rows; i++) {
		if (!gfp->used[i] || !*gfp->code[i])
			continue;
		fprintf(out, "%s%s=%s", any ? " " : "gfp: ", gfp->code[i],
			gfp_name(gfp, i));
		any = true;
	}
	if (out)
		fclose(out);
}

void gfp_shorten(struct table *t)
{
	int column = table_column(t, "gfp");
	struct gfp *gfp = t->gfp;
	size_t i;
	u64 *v;

	gfp->text = alloc(t->nr_rows, sizeof(gfp->text[0]));
	for (i = 0; i < t->nr_rows; i++) {
		v = &t->rows[i]->v[column];
		gfp_use(gfp, gfp->text[i], *v);
		*v = (uintptr_t)gfp->text[i];
	}
	t->columns[column].format = FORMAT_NAME;
	gfp_end(gfp);
}

const char *gfp_legend(const struct gfp *gfp)
{
	return gfp->legend ? gfp->legend : "";
}

/* ---- the table ------------------------------------------------------------ */

struct table *gfp_codes(struct table *flags)
{
	static const struct column columns[] = {
		{ "mask", COLUMN_HEX }, { "code", COLUMN_TYPE }, { "flag", COLUMN_LABEL },
	};
	struct table *t = table_new(flags->name, columns, false, flags->nr_rows);
	struct row *row;
	size_t i;

	t->gfp = gfp_new(flags);
	table_inherit(t, flags);
	for (i = 0; i < flags->nr_rows; i++) {
		row = table_add(t);
		row->v[0] = flags->rows[i]->v[FLAG_mask];
		row->v[1] = (uintptr_t)code_of(t->gfp, i);
		row->label = flags->rows[i]->label;
	}
	return t;
}
