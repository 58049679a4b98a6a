/* SPDX-License-Identifier: GPL-2.0 */
/* Types of the core in user space. */
#ifndef KMA_TEST_LINUX_TYPES_H
#define KMA_TEST_LINUX_TYPES_H

/* The C library's headers need the system's header of this name. */
#include_next <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;

#endif /* KMA_TEST_LINUX_TYPES_H */
