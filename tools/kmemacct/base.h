/* SPDX-License-Identifier: GPL-2.0 */
/* Types and macros that kernel code gets from the kernel's headers. */
#ifndef BASE_H
#define BASE_H

#include <stdbool.h>
#include <stddef.h>

typedef unsigned long long u64;
typedef long long s64;

#define U64_MAX		(~0ULL)

#define BIT_ULL(nr)	(1ULL << (nr))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* The C library may define a macro of this name. */
#undef __printf
#define __printf(a, b)	__attribute__((__format__(printf, a, b)))

#endif /* BASE_H */
