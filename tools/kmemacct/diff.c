// SPDX-License-Identifier: GPL-2.0
/*
 * kmemacct diff.  See diff.h.
 *
 * What may be compared depends on the identity in the heads of the tables.  What is live may be
 * compared in any case, by name.  Counters may be subtracted only if they count from the same
 * moment, and if the names mean the same.  In another build of the kernel, the offset in a function
 * is another one, so only the names of functions are compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "derive.h"
#include "diff.h"
#include "error.h"
#include "files.h"
#include "live.h"
#include "settings.h"
#include "snapshot.h"

/* ---- the two sides -------------------------------------------------------- */

/**
 * struct side - one of the two that are compared
 * @snapshot: the snapshot; NULL: the module
 * @t: the table
 * @uptime_ms: when it was read, in milliseconds since boot
 * @build: the build of the kernel; "" if it is not known
 */
struct side {
	struct snapshot *snapshot;
	struct table *t;
	u64 uptime_ms;
	char *build;
};

/* Read a table of a snapshot.  It has no rows if the module did not keep it at that time. */
static struct table *read_kept(const struct snapshot *s, const char *name)
{
	struct table *t = snapshot_table(s, name);

	if (!t || t->nr_rows)
		return t;
	if (strcmp(name, "stacks") ? !settings_check_counted(t) : t->sampled)
		return t;
	fail("%s has no %s: they were not recorded when it was taken", snapshot_path(s), name);
	table_free(t);
	return NULL;
}

static struct table *read_live(const struct snapshot *s, const char *name)
{
	if (s)
		return read_kept(s, name);
	return strcmp(name, "stacks") ? settings_counted(name) : settings_stacks(name);
}

static struct table *read_modules(const struct snapshot *s)
{
	struct table *t = read_live(s, "callers");

	if (t)
		derive_modules(t);
	return t;
}

struct table *diff_read(const struct snapshot *s, const char *table)
{
	const char *name = live_find(table);

	if (!name)
		return NULL;
	return strcmp(name, "modules") ? read_live(s, name) : read_modules(s);
}

static int read_side(struct side *side, const char *path, const char *table, bool is_first)
{
	if (path) {
		side->snapshot = snapshot_open(path);
		if (!side->snapshot)
			return -1;
		side->uptime_ms = snapshot_number(side->snapshot, "uptime_ms");
		side->build = alloc_copy(snapshot_field(side->snapshot, "build"));
		/* What the text says of settings is about the later side, which is read last. */
		if (!is_first)
			files_use(side->snapshot);
	} else {
		side->uptime_ms = clock_uptime_ms();
		side->build = snapshot_build() ?: alloc_copy("");
	}
	side->t = diff_read(side->snapshot, table);
	return side->t ? 0 : -1;
}

/* ---- how they are related ------------------------------------------------- */

static const char *field(const struct table *t, const char *key)
{
	return table_field(t, key) ?: "";
}

static bool is_same(const struct table *before, const struct table *after, const char *key)
{
	return !strcmp(field(before, key), field(after, key));
}

struct relation diff_relate(const struct table *before, const struct table *after)
{
	struct relation r = {
		.same_load = *field(after, "load_id") && is_same(before, after, "load_id"),
		.same_kernel = is_same(before, after, "kernel"),
	};

	r.same_resets = r.same_load && is_same(before, after, "resets");
	r.same_modules = r.same_load && is_same(before, after, "module_changes");
	return r;
}

static bool is_same_build(const struct side *b, const struct side *a)
{
	return !*b->build || !*a->build || !strcmp(b->build, a->build);
}

/* ---- remarks -------------------------------------------------------------- */

static void print_size(FILE *out, const char *sign, u64 bytes, bool exact)
{
	char size[NUMBER_LEN];

	number_print_bytes(size, bytes, exact);
	fprintf(out, "%s%s", sign, size);
}

static void print_sum(FILE *out, const struct growth *g, u64 elapsed_ms, bool exact)
{
	const bool less = g->after < g->before;
	char age[NUMBER_LEN];

	print_size(out, "", g->before, exact);
	fputs(" live before, ", out);
	print_size(out, "", g->after, exact);
	fputs(" after, ", out);
	print_size(out, less ? "-" : "+", less ? g->before - g->after : g->after - g->before,
		   exact);
	number_print_age(age, elapsed_ms);
	if (elapsed_ms)
		fprintf(out, " in %s", age);
}

static void print_kernel(FILE *out, const struct side *b, const struct side *a,
			 const struct relation *r)
{
	if (r->same_kernel)
		fputs("; another build of the kernel", out);
	else
		fprintf(out, "; another kernel, %s and then %s", field(b->t, "kernel"),
			field(a->t, "kernel"));
	fputs(": names are compared without offsets, and only what is live", out);
}

#define ONLY_LIVE	"only what is live is compared"

/* Say why only a part can be compared. */
static void print_relation(FILE *out, const struct side *b, const struct side *a,
			   const struct relation *r)
{
	if (!r->same_kernel || !is_same_build(b, a))
		print_kernel(out, b, a, r);
	else if (!r->same_load)
		fputs("; another boot, or the module was loaded again: " ONLY_LIVE, out);
	else if (!r->same_resets)
		fputs("; the counts were reset in between: " ONLY_LIVE, out);
	else if (!r->same_modules)
		fputs("; modules came or went, so a name may be of other code: " ONLY_LIVE, out);
	if (!is_same(b->t, a->t, "filter") || !is_same(b->t, a->t, "live_filter"))
		fputs("; the filters differ: what only one of them records is no growth", out);
}

static void print_accuracy(FILE *out, const struct growth *g, const struct diff *d)
{
	fputs("; ~ estimate, low..high its 95 % interval; at most ", out);
	fprintf(out, "%g %% of the significant changes are expected to be false; ", 100 * d->fdr);
	fputs("a row without samples changed by at most ", out);
	print_size(out, "", g->unsampled, d->exact);
}

static void add_note(struct growth *g, const struct diff *d, const struct side *b,
		     const struct side *a, const struct relation *r, u64 elapsed_ms)
{
	size_t len;
	FILE *out = open_memstream(&g->table->text, &len);

	if (!out)
		return;
	print_sum(out, g, elapsed_ms, d->exact);
	print_relation(out, b, a, r);
	if (g->sampled)
		print_accuracy(out, g, d);
	fclose(out);
	g->table->note = g->table->text;
}

/* ---- the comparison ------------------------------------------------------- */

static struct growth compare(const struct diff *d, const struct side *b, const struct side *a)
{
	const struct relation r = diff_relate(b->t, a->t);
	const struct growth_options o = {
		.counted = r.same_resets && r.same_modules,
		.plain = !r.same_kernel || !is_same_build(b, a),
		.elapsed_ms = r.same_load ? a->uptime_ms - b->uptime_ms : 0,
		.fdr = d->fdr,
	};
	struct growth g = {};

	if (r.same_load && a->uptime_ms < b->uptime_ms) {
		fail("%s was taken later than the other one: give the earlier one first",
		     d->before);
		return g;
	}
	g = growth_make("diff", b->t, a->t, &o);
	table_inherit(g.table, a->t);
	add_note(&g, d, b, a, &r, o.elapsed_ms);
	return g;
}

struct growth diff_make(const struct diff *d)
{
	/* The head of the table stays in the snapshots, up to the end of the program. */
	static struct side b, a;
	struct growth g = {};

	if (!read_side(&b, d->before, d->table, true) && !read_side(&a, d->after, d->table, false))
		g = compare(d, &b, &a);
	free(b.build);
	free(a.build);
	if (g.table) {
		g.table->from[0] = b.t;
		g.table->from[1] = a.t;
	} else {
		table_free(b.t);
		table_free(a.t);
	}
	return g;
}
