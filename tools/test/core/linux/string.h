/* SPDX-License-Identifier: GPL-2.0 */
/* Strings of the core in user space. */
#ifndef KMA_TEST_LINUX_STRING_H
#define KMA_TEST_LINUX_STRING_H

#include <stdio.h>
#include <string.h>

#define strscpy(to, from, size)	snprintf(to, size, "%s", from)

#endif /* KMA_TEST_LINUX_STRING_H */
