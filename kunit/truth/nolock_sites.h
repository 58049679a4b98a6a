/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call sites of kmemacct_nolock, in place of those of kmemacct_truth: this file has the
 * include guard of truth_sites.h, and is included first.
 *
 * As there, nolock_objects.c defines a function truth_NAME() for each row, which only makes
 * the allocation:
 *
 * truth_plain() truth_constant() truth_zeroed() truth_charged() truth_on_node() truth_locked()
 * truth_softirq() truth_hardirq() truth_nmi() truth_each_cpu() truth_to_nolock()
 * truth_to_kfree() truth_to_rcu() truth_to_rcu_nolock() truth_to_other_cpu() truth_kmalloc()
 * truth_fallen() truth_churn()
 */
#ifndef KMA_TRUTH_SITES_H
#define KMA_TRUTH_SITES_H

#define TRUTH_SITES(X)								\
	X(plain, NOLOCK, kmalloc_nolock(size, 0, NUMA_NO_NODE))			\
	X(constant, NOLOCK, kmalloc_nolock(96, 0, NUMA_NO_NODE))		\
	X(zeroed, NOLOCK, kmalloc_nolock(size, __GFP_ZERO, NUMA_NO_NODE))	\
	X(charged, NOLOCK, kmalloc_nolock(size, __GFP_ACCOUNT, NUMA_NO_NODE))	\
	X(on_node, NOLOCK, kmalloc_nolock(size, 0, truth_node))			\
	X(locked, NOLOCK, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(softirq, NOLOCK, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(hardirq, NOLOCK, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(nmi, NOLOCK, kmalloc_nolock(size, 0, NUMA_NO_NODE))			\
	X(each_cpu, NOLOCK, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(to_nolock, NOLOCK, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(to_kfree, NOLOCK, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(to_rcu, NOLOCK, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(to_rcu_nolock, NOLOCK, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(to_other_cpu, NOLOCK, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(kmalloc, KMALLOC, kmalloc(size, GFP_ATOMIC))				\
	X(fallen, NOLOCK, kmalloc_nolock(size, 0, NUMA_NO_NODE))		\
	X(churn, NOLOCK, kmalloc_nolock(size, 0, NUMA_NO_NODE))

#include "truth_site.h"

/* The online node with the highest number; it may have no CPUs. */
extern int truth_node;

#endif /* KMA_TRUTH_SITES_H */
