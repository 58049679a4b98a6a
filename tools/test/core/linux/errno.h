/* SPDX-License-Identifier: GPL-2.0 */
/* Error numbers: those of the system. */
#ifndef KMA_TEST_LINUX_ERRNO_H
#define KMA_TEST_LINUX_ERRNO_H

#include_next <linux/errno.h>

#endif /* KMA_TEST_LINUX_ERRNO_H */
