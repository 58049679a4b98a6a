// SPDX-License-Identifier: GPL-2.0
/* Names and short codes of gfp flags. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

#define X(name, ...) FLAG_##name,
enum { KMA_GFP_FLAGS_COLUMNS(X) };
#undef X

/* Size of a code with its NUL; a name for which no code fits is printed in full. */
#define CODE_LEN	16

/**
 * struct gfp - names and codes of gfp flags
 * @flags: the table gfp_flags
 * @code: the code of each row of @flags; "" if it has none
 * @used: for each row of @flags, whether gfp_print() has used its code
 * @legend: see gfp_legend()
 */
struct gfp {
	struct table *flags;
	char (*code)[CODE_LEN];
	bool *used;
	char *legend;
};

/* ---- codes ---------------------------------------------------------------- */

/* Test for NO and another word written together, as in NOFS. */
static bool is_no(const char *word)
{
	return text_begins(word, "NO") && isalpha(word[2]);
}

static bool begins_word(const char *name, const char *c)
{
	return c == name || c[-1] == '_' ||
	       (c - name >= 2 && is_no(c - 2) && begins_word(name, c - 2)) ||
	       (isdigit(*c) && !isdigit(c[-1]));
}

static bool is_taken(const struct gfp *gfp, size_t before, const char *code)
{
	size_t i;

	for (i = 0; i < before; i++)
		if (!strcmp(gfp->code[i], code))
			return true;
	return false;
}

/*
 * Make a code from the initials of all words of a name, and add letters of the last word until no
 * earlier name has it.  No code may be left.
 */
static void make_code(struct gfp *gfp, size_t row)
{
	const char *name = gfp->flags->rows[row]->label, *last = "", *c;
	const bool single = text_begins(name, "__GFP_");
	char *code = gfp->code[row];
	size_t nr = 0;

	name += single ? strlen("__GFP_") : text_begins(name, "GFP_") ? strlen("GFP_") : 0;
	for (c = name; *c && nr < CODE_LEN - 1; c++) {
		if (*c == '_' || !begins_word(name, c))
			continue;
		code[nr++] = single ? tolower(*c) : *c;
		last = c;
	}
	while (!nr || is_taken(gfp, row, code)) {
		if (!*last || !*++last || nr == CODE_LEN - 1) {
			memset(code, 0, CODE_LEN);
			return;
		}
		code[nr++] = single ? tolower(*last) : *last;
	}
}

static const char *code_of(const struct gfp *gfp, size_t nr)
{
	return *gfp->code[nr] ? gfp->code[nr] : gfp->flags->rows[nr]->label;
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

struct gfp *gfp_read(const struct source *s)
{
	struct table *flags = source_table(s, "gfp_flags");

	return flags ? gfp_new(flags) : NULL;
}

void gfp_free(struct gfp *gfp)
{
	if (!gfp)
		return;
	table_free(gfp->flags);
	free(gfp->code);
	free(gfp->used);
	free(gfp->legend);
	free(gfp);
}

/* ---- flags ---------------------------------------------------------------- */

const char *gfp_next(const struct gfp *gfp, struct gfp_walk *walk)
{
	const struct row *row;
	u64 mask;

	while (walk->next < gfp->flags->nr_rows) {
		row = gfp->flags->rows[walk->next++];
		mask = row->v[FLAG_mask];
		if (!mask || (walk->rest & mask) != mask)
			continue;
		walk->rest &= ~mask;
		return row->label;
	}
	return NULL;
}

void gfp_print_names(FILE *out, const struct gfp *gfp, u64 flags)
{
	struct gfp_walk walk = { .rest = flags };
	const char *name, *bar = "";

	while (gfp && (name = gfp_next(gfp, &walk))) {
		fprintf(out, "%s%s", bar, name);
		bar = "|";
	}
	if (walk.rest || !*bar)
		fprintf(out, "%s%#llx", bar, walk.rest);
}

void gfp_print(struct gfp *gfp, char text[GFP_LEN], u64 flags)
{
	struct gfp_walk walk = { .rest = flags };
	int len = 0;

	while (len < GFP_LEN && gfp_next(gfp, &walk))
		len += snprintf(text + len, GFP_LEN - len, "%s%s", len ? "|" : "",
				code_of(gfp, walk.next - 1));
	if (len < GFP_LEN && (walk.rest || !flags))
		len += snprintf(text + len, GFP_LEN - len, "%s%#llx", len ? "|" : "", walk.rest);
	if (len >= GFP_LEN) {
		snprintf(text, GFP_LEN, "%#llx", flags);
		return;
	}
	for (walk = (struct gfp_walk) { .rest = flags }; gfp_next(gfp, &walk);)
		gfp->used[walk.next - 1] = true;
}

const char *gfp_legend(struct gfp *gfp)
{
	FILE *out;
	size_t i, len;

	free(gfp->legend);
	out = text_open(&gfp->legend, &len);
	for (i = 0; i < gfp->flags->nr_rows; i++)
		if (gfp->used[i] && *gfp->code[i])
			fprintf(out, "%s%s=%s", ftell(out) ? " " : "gfp: ", gfp->code[i],
				gfp->flags->rows[i]->label);
	text_close(out);
	return gfp->legend;
}

struct table *gfp_add_codes(struct table *flags)
{
	static const struct column code = {
		.name = "code", .format = FORMAT_NAME, .kind = KIND_KEY,
	};
	struct gfp *gfp = gfp_new(flags);
	struct table *t = table_extend(flags, 1, &code, 1);
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		t->rows[i]->v[1] = (uintptr_t)table_own(t, alloc_copy(code_of(gfp, i)));
	gfp->flags = NULL;
	gfp_free(gfp);
	return t;
}
