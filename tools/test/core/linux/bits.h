/* SPDX-License-Identifier: GPL-2.0 */
/* Bits of a word, in user space. */
#ifndef KMA_TEST_LINUX_BITS_H
#define KMA_TEST_LINUX_BITS_H

#define BIT(n)		(1UL << (n))
#define BIT_ULL(n)	(1ULL << (n))

#endif /* KMA_TEST_LINUX_BITS_H */
