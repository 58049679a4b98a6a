/* SPDX-License-Identifier: GPL-2.0 */
/* Addresses of call sites, which the module never prints: --raw-ip. */
#ifndef KALLSYMS_H
#define KALLSYMS_H

#include "table.h"

/* Any symbol has an address; all are zeroes where they are not to be seen. */
struct kallsyms;

/**
 * kallsyms_parse() - understand a list of symbols
 * @file: where it comes from, for errors
 * @text: its text, ends with a NUL; belongs to the list from now on, also after
 *	an error
 *
 * Return: the list, or NULL and fail() was called.
 */
struct kallsyms *kallsyms_parse(const char *file, char *text);

void kallsyms_free(struct kallsyms *syms);

/**
 * kallsyms_find() - the address of a call site
 * @syms: the symbols
 * @site: `symbol+0xoff [module]`
 *
 * Return: 0 if there is no such symbol, or several of one name.
 */
u64 kallsyms_find(const struct kallsyms *syms, const char *site);

/*
 * Put addresses in the place of call sites.  A site without one keeps its name.
 * Return: 0, or -1 and fail() was called.
 */
int kallsyms_replace(struct table *t);

#endif /* KALLSYMS_H */
