/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel's own headers would have. */
#ifndef BASE_H
#define BASE_H

#include <stdbool.h>
#include <stddef.h>

typedef unsigned long long u64;
typedef long long s64;

#define U64_MAX		(~0ULL)

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* The C library may have one of its own. */
#undef __printf
#define __printf(a, b)	__attribute__((__format__(printf, a, b)))

#endif /* BASE_H */
