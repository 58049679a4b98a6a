/* SPDX-License-Identifier: GPL-2.0 */
/* Limits and small arithmetic of the core, in user space. */
#ifndef KMA_TEST_LINUX_KERNEL_H
#define KMA_TEST_LINUX_KERNEL_H

#include <stdarg.h>
#include <stdio.h>

#define U16_MAX		0xffffU
#define U32_MAX		0xffffffffU
#define U64_MAX		0xffffffffffffffffULL

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d) ({						\
	typeof(d) __d = (d);						\
									\
	((n) + __d - 1) / __d;						\
})
#define min_t(type, a, b) ({						\
	type __a = (a), __b = (b);					\
									\
	__a < __b ? __a : __b;						\
})
#define min(a, b)		min_t(typeof(a), a, b)
#define max_t(type, a, b) ({						\
	type __a = (a), __b = (b);					\
									\
	__a > __b ? __a : __b;						\
})
#define max(a, b)		max_t(typeof(a), a, b)
#define clamp_t(type, x, low, high)	min_t(type, max_t(type, x, low), high)

/* Like snprintf(), but return the number of bytes that were written, without the NUL. */
static inline int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(buf, size, fmt, args);
	va_end(args);
	return len < (int)size ? len : (int)size - 1;
}

#endif /* KMA_TEST_LINUX_KERNEL_H */
