/* SPDX-License-Identifier: GPL-2.0 */
/* Assertions of the compiler, in user space. */
#ifndef KMA_TEST_LINUX_BUILD_BUG_H
#define KMA_TEST_LINUX_BUILD_BUG_H

#define static_assert(x) _Static_assert(x, #x)

#endif /* KMA_TEST_LINUX_BUILD_BUG_H */
