/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers as text: those of the tables, and those that people read. */
#ifndef NUMBER_H
#define NUMBER_H

#include "base.h"

/* Room for any number as text. */
#define NUMBER_LEN	32

/*
 * All of @text has to be the number, without blanks or a sign in front.
 * Return: 0, or -1 if it is none, or does not fit.
 */
int number_parse(const char *text, u64 *value);
int number_parse_signed(const char *text, s64 *value);
int number_parse_milli(const char *text, u64 *value);
int number_parse_hex(const char *text, u64 *value);
int number_parse_duration(const char *text, u64 *ms);

/* Print: thousandths, a size in bytes or in KiB, and a time. */
void number_print_milli(char buf[NUMBER_LEN], u64 milli);
void number_print_size(char buf[NUMBER_LEN], u64 value, bool kb);
void number_print_age(char buf[NUMBER_LEN], u64 ms);

/*
 * Internal fragmentation as the module has it: 100 - 100 * req / alloc, in
 * thousandths of a percent, rounded to the nearest.
 */
u64 number_frag_milli(u64 bytes_req, u64 bytes_alloc);

#endif /* NUMBER_H */
