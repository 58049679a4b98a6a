/* SPDX-License-Identifier: GPL-2.0 */
/* Names in tables, and their meaning: gfp flags, addresses, processes, lines of source code. */
#ifndef NAMES_H
#define NAMES_H

#include "../view/view.h"

/* ---- gfp flags (gfp.c) ---------------------------------------------------- */

/*
 * The names are those of the running kernel, from the table gfp_flags.  A code consists of
 * initials of the name's words: in lower case for __GFP names, as z for __GFP_ZERO, and in
 * upper case for GFP names, most of which combine several flags, as K for GFP_KERNEL.
 */
struct gfp;

/* Size of the codes of one number with their NUL. */
#define GFP_LEN		64

/* Position of gfp_next().  Before the first call, @rest is the flags to decode, and @next is 0. */
struct gfp_walk {
	u64 rest;
	size_t next;
};

/* Make names from the table gfp_flags, which they take ownership of. */
struct gfp *gfp_new(struct table *flags);

/* Read the names from a source.  Return: NULL after calling fail(). */
struct gfp *gfp_read(const struct source *s);

/* Free the names; @gfp may be NULL. */
void gfp_free(struct gfp *gfp);

/*
 * Find the next name when decoding flags.  Return: the name, or NULL after the last one, when @rest
 * of the position has the flags without a name.
 */
const char *gfp_next(const struct gfp *gfp, struct gfp_walk *walk);

/* Print all names, with bars between them; @gfp may be NULL. */
void gfp_print_names(FILE *out, const struct gfp *gfp, u64 flags);

/* Print the codes of flags, with bars between them; the number, if the codes do not fit. */
void gfp_print(struct gfp *gfp, char text[GFP_LEN], u64 flags);

/* Return: the meaning of all codes that gfp_print() has printed; "" if there are none. */
const char *gfp_legend(struct gfp *gfp);

/* Add a column of codes to the table gfp_flags. */
struct table *gfp_add_codes(struct table *flags);

/* ---- names that select rows (exist.c) ------------------------------------- */

/*
 * A name that selects no row may be right, and nothing was recorded under it; or it names nothing
 * on this machine, and the user should know.
 */

/*
 * Return: the name of a module as the kernel has it, with underscores for dashes, as in modprobe.
 * The caller frees it.
 */
char *exist_module_name(const char *typed);

/* A list of names, in any order, for name_list_free(). */
struct name_list {
	char **name;
	size_t nr;
	size_t room;
};

void name_list_free(struct name_list *names);

/* Return: the names of the modules that are loaded, without those built into the kernel. */
struct name_list exist_modules(void);

/*
 * Check whether this machine has a module, loaded or installed; or a slab cache with a row of its
 * own; or what the labels of a table are, unless it is a pattern, or the table is from a snapshot.
 * Return: 0, or -1 after calling fail().
 */
int exist_module(const char *module);
int exist_cache(const char *name);
int exist_site(const struct table *t, const char *pattern);
int exist_cgroup(const char *path);

/* ---- caches that the kernel can shrink (reclaim.c) ------------------------ */

/*
 * Add a column `reclaimable` to a table callers, caches or cache_sites: 1 for a row whose objects
 * all come from caches that the kernel can shrink when memory is short.
 * Return: the new table, which owns @t.
 */
struct table *reclaim_flag(struct table *t);

/*
 * Check whether the source says which caches the kernel can shrink.  Return: 0, or -1 after calling
 * fail().
 */
int reclaim_check(const struct source *s);

/* ---- addresses of call sites, for --raw-ip (kallsyms.c) ------------------- */

/* The symbols of the kernel and its modules.  The module itself never prints addresses. */
struct kallsyms;

/*
 * Parse the text of /proc/kallsyms, and take ownership of it.  It is an error if all addresses are
 * 0, which means that the kernel hides them.
 * @path: the file, for errors
 * Return: the symbols, or NULL after calling fail().
 */
struct kallsyms *kallsyms_parse(const char *path, char *text);

/* Read /proc/kallsyms of the machine that @s is about. */
struct kallsyms *kallsyms_read(const struct source *s);

/* Free the symbols; @syms may be NULL. */
void kallsyms_free(struct kallsyms *syms);

/*
 * Find the address of a call site `symbol+0xoff [module]`.
 * Return: 0 if there is no such symbol, or if several addresses have this name.
 */
u64 kallsyms_find(const struct kallsyms *syms, const char *site);

/*
 * Replace the call sites of the first @nr rows by their addresses, where they are known.
 * Return: 0, or -1 after calling fail().
 */
int kallsyms_replace(struct table *t, size_t nr);

/* ---- owners of objects (owner.c) ------------------------------------------ */

/*
 * The module records who allocated each object, and which cgroup is charged.  An object in the
 * table allocs has the number of its owner.  A number may be given to another owner once no object
 * has it any more: so the owners are read before and after the objects, and owners_are_same()
 * compares the two.
 */
struct owners;

enum owner_kind {
	OWNER_PROCESS,
	OWNER_INTERRUPT,
	OWNER_NOT_RECORDED,
};

/**
 * struct owner - who allocated objects, and which cgroup is charged
 * @kind: OWNER_NOT_RECORDED also if there was no number for the owner
 * @comm: the name of the process
 * @cgroup: the path of its cgroup
 * @charged: the path of the cgroup that was charged
 *
 * A text in brackets is not a name or a path, and `#ID` is a cgroup whose path is not known.  The
 * path of a cgroup that was removed is followed by ` (removed)`.
 */
struct owner {
	enum owner_kind kind;
	const char *comm;
	const char *cgroup;
	const char *charged;
};

/* Read the owners.  Return: NULL after calling fail(). */
struct owners *owners_read(const struct source *s);

/* Free them; @o may be NULL. */
void owners_free(struct owners *o);

/*
 * Test whether an owner's cgroup is this one or below it, removed or not.  Every cgroup is below
 * the root, and an interrupt has no cgroup.
 */
bool owner_is_in(const struct owner *owner, const char *cgroup);

/*
 * Check that a cgroup exists: in the table owner_cgroups or, without a snapshot, on this machine.
 * Return: 0, or -1 after calling fail().
 */
int owners_check_cgroup(const struct owners *o, const char *cgroup);

/* Return: the owner with a number from a table, NO_ID included. */
const struct owner *owners_find(const struct owners *o, u64 number);

/*
 * Return: the path of the charged cgroup with this ID, a text in brackets, or `#ID`.  @id must stay
 * valid as long as the owners.
 */
const char *owners_charged(struct owners *o, const u64 *id);

/* Test whether each number means the same owner in two readings, and in between. */
bool owners_are_same(const struct owners *before, const struct owners *after);

/* ---- paths of cgroups by their ID (cgroup.c) ------------------------------ */

/* The cgroups that there are now, by the IDs that the module records. */
struct cgroups;

/* Read all cgroups.  Return: NULL for a snapshot, or if cgroup2 is not mounted. */
struct cgroups *cgroups_read(const struct source *s);

/* Free them; @c may be NULL. */
void cgroups_free(struct cgroups *c);

/* Return: the path of a cgroup; NULL if it was removed, or if @c is NULL. */
const char *cgroups_path(const struct cgroups *c, u64 id);

/* ---- lines of source code (lines.c) --------------------------------------- */

/*
 * The lines that call sites are on, for --lines.
 *
 *   labels of the rows --> call sites `symbol+0xoff [module]`
 *   ELF files of the kernel and of the modules that these name --libdwfl--> symbols and lines
 *
 * No address of a running kernel is needed, so this also works for a snapshot of another machine.
 * The files are those of the release that the head of the table names: below /lib/modules, /boot
 * and /usr/lib/debug, from debuginfod if DEBUGINFOD_URLS is set, or those in the directory of
 * --debug-dir, which come first.
 *
 * A line that may be wrong is not given: if several functions of a file have the name of a site and
 * differ in their lines, if the offset is not within the function, or if the build ID says that the
 * file is not the one that is running.  For a snapshot, which has no build IDs, this cannot be
 * checked: sites_caution() says so.
 *
 * A call site is a return address, which is behind the call.  The line is that of the call.  Within
 * functions of headers that the compiler has inlined, as kmalloc() is, it is the line in the source
 * file that calls the outermost of them.
 */
struct sites;

/*
 * Find the lines of the call sites in the rows that are shown.  It is no error if there is no debug
 * information: sites_remark() says so.
 * @dir: the directory to search first, or NULL
 * Return: the lines, or NULL after calling fail().
 */
struct sites *sites_find(const struct view *v, const char *dir);

/* Free the lines; @s may be NULL. */
void sites_free(struct sites *s);

/* Return: the line `file:line` of a call site, or NULL if it is not known; other text has none. */
const char *sites_line(const struct sites *s, const char *site);

/*
 * Cut the next call site off a copy of a label, whose first call has it in *@rest.
 * Return: the call site, or NULL if there are no more.
 */
char *sites_next(const struct sites *s, char **rest);

/* Test whether a label is a stack, which has a list of call sites. */
bool sites_has_list(const struct sites *s);

/*
 * Return: the lines of all call sites of a label, which the caller frees.  They have `;` between
 * them, as the label has, and `-` for a line that is not known.
 */
char *sites_text(const struct sites *s, const char *label);

/*
 * Return: which debug information is missing, and how to get it; that the build of the files was
 * not compared; or NULL.
 */
const char *sites_remark(const struct sites *s);
const char *sites_caution(const struct sites *s);

#endif /* NAMES_H */
