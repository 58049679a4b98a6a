/* SPDX-License-Identifier: GPL-2.0 */
/* KMA_THOUSAND(x, 1) expands to x(1000) x(1001) ... x(1999). */
#ifndef KMA_THOUSAND_H
#define KMA_THOUSAND_H

#define KMA_TEN(x, n)							\
	x(n##0) x(n##1) x(n##2) x(n##3) x(n##4)				\
	x(n##5) x(n##6) x(n##7) x(n##8) x(n##9)
#define KMA_HUNDRED(x, n)						\
	KMA_TEN(x, n##0) KMA_TEN(x, n##1)				\
	KMA_TEN(x, n##2) KMA_TEN(x, n##3)				\
	KMA_TEN(x, n##4) KMA_TEN(x, n##5)				\
	KMA_TEN(x, n##6) KMA_TEN(x, n##7)				\
	KMA_TEN(x, n##8) KMA_TEN(x, n##9)
#define KMA_THOUSAND(x, n)						\
	KMA_HUNDRED(x, n##0) KMA_HUNDRED(x, n##1)			\
	KMA_HUNDRED(x, n##2) KMA_HUNDRED(x, n##3)			\
	KMA_HUNDRED(x, n##4) KMA_HUNDRED(x, n##5)			\
	KMA_HUNDRED(x, n##6) KMA_HUNDRED(x, n##7)			\
	KMA_HUNDRED(x, n##8) KMA_HUNDRED(x, n##9)

#endif /* KMA_THOUSAND_H */
