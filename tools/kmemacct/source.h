/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines of source code that call sites are on, for --lines.
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
 * file is not the one that is running.  For a snapshot (-i, or the later one of `diff A B`), this
 * cannot be checked: a snapshot has no build IDs.  Its lines are given, and sources_caution() says
 * that the file may be of another build.
 *
 * A call site is a return address, which is behind the call.  The line is that of the call.  Within
 * functions of headers that the compiler has inlined, as kmalloc() is, it is the line in the source
 * file that calls the outermost of them.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>

struct table;

/* The lines of the call sites of a table. */
struct sources;

/**
 * sources_find() - find the lines of the call sites in the rows of a table
 * @t: the table, with no other rows than those that are printed
 * @dir: the directory to search first, or NULL
 *
 * It is no error if there is no debug information: sources_remark() says so.
 *
 * Return: the lines, or NULL after calling fail().
 */
struct sources *sources_find(const struct table *t, const char *dir);

/* Free them; @s may be NULL. */
void sources_free(struct sources *s);

/*
 * Find the line of a call site; other text has none.
 * Return: `file:line`, or NULL if it is not known.
 */
const char *sources_line(const struct sources *s, const char *site);

/*
 * Cut the next call site off a copy of a label, whose first call has it in *@rest.
 * Return: the call site, or NULL if there are no more.
 */
char *sources_next(const struct sources *s, char **rest);

/* Test whether a label is a stack, which has a list of call sites. */
bool sources_has_list(const struct sources *s);

/*
 * Return: the lines of all call sites of a label, which the caller frees.  They have `;` between
 * them, as the label has, and `-` for a line that is not known.
 */
char *sources_text(const struct sources *s, const char *label);

/* Return: which debug information is missing, and how to get it; NULL: none is. */
const char *sources_remark(const struct sources *s);

/*
 * Return: that the build of the files was not compared, because the table is from a snapshot; NULL:
 * it is not, or no files were found.
 */
const char *sources_caution(const struct sources *s);

#endif /* SOURCE_H */
