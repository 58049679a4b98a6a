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

/* ---- processes by their PID (process.c) ----------------------------------- */

/*
 * The module records the PID of the process that allocated an object.  Such a process may have
 * ended since, and another one may have its PID now.  So an object belongs to the process that
 * /proc has only if that process was there when the object was allocated:
 *
 *	start of the process        allocation                  snapshot
 *	         |                      |<------ age of the object ->|
 *	         |<------------------------- age of the process ---->|
 *
 * Neither age is exact.  An age of an object has a resolution of 16 ms.  /proc rounds the start of
 * a process down to a clock tick.  The module takes a snapshot at some moment between two readings
 * of the clock.  And ages of objects do not include the time that the machine was suspended, but
 * those of processes do.  So there are three cases: the process is surely older than the object,
 * surely younger, or it cannot be told.
 */

/**
 * struct moment - when a snapshot of objects was taken, in milliseconds since boot
 * @before: time before it, with the time in suspend
 * @after: time after it, with the time in suspend
 * @suspended: how long the machine was suspended since boot
 */
struct moment {
	u64 before;
	u64 after;
	u64 suspended;
};

/**
 * struct process - a process that /proc has
 * @start_ms: when it started, in milliseconds since boot, with the time in suspend
 * @comm: its name
 * @cgroup: its path in the hierarchy of cgroup2, if it was asked for; or NULL
 */
struct process {
	u64 start_ms;
	char *comm;
	char *cgroup;
};

enum process_match {
	PROCESS_OLDER,
	PROCESS_YOUNGER,
	PROCESS_UNCLEAR,
};

/* Read the clock into @before or @after, and @suspended.  A new moment is all zeroes. */
void process_clock(struct moment *m);

/* Read about a process, whose texts the caller frees.  Return: true if it exists. */
bool process_read(struct process *p, u64 pid, bool cgroup);

/* Compare the age of an object, in a snapshot taken at @m, with that of a process. */
enum process_match process_match(const struct process *p, const struct moment *m, u64 age_ms);

/* Parse the text of /proc/PID/stat, in place.  Return: 0, or -1 if it is malformed. */
int process_parse_stat(char *text, u64 ticks_per_s, u64 *start_ms, const char **comm);

/*
 * Test whether /proc has the PIDs of the machine, which the module records.  In a container, /proc
 * may have the PIDs of the container.
 */
bool process_is_initial(void);

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
