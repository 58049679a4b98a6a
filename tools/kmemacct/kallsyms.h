/* SPDX-License-Identifier: GPL-2.0 */
/* Addresses of call sites, for --raw-ip.  The module itself never prints them. */
#ifndef KALLSYMS_H
#define KALLSYMS_H

#include "table.h"

/* The symbols of the kernel and its modules, with their addresses. */
struct kallsyms;

/**
 * kallsyms_parse() - parse the text of /proc/kallsyms
 * @file: path of the file, for errors
 * @text: the text, which ends with a NUL; this function takes ownership of it, and frees it
 *	after an error
 *
 * It is an error if all addresses are 0, which means that the kernel hides them.
 *
 * Return: the symbols, or NULL after calling fail().
 */
struct kallsyms *kallsyms_parse(const char *file, char *text);

/*
 * Read /proc/kallsyms.
 * Return: the symbols, or NULL after calling fail().
 */
struct kallsyms *kallsyms_read(void);

/* Free the symbols; @syms may be NULL. */
void kallsyms_free(struct kallsyms *syms);

/**
 * kallsyms_find() - find the address of a call site
 * @syms: the symbols
 * @site: `symbol+0xoff [module]`
 *
 * Return: the address; 0 if there is no such symbol, or if several addresses have this name.
 */
u64 kallsyms_find(const struct kallsyms *syms, const char *site);

/*
 * Replace the call sites of a table by their addresses.  A site for which kallsyms_find()
 * returns 0 keeps its name.
 * Return: 0, or -1 after calling fail().
 */
int kallsyms_replace(struct table *t);

#endif /* KALLSYMS_H */
