/* SPDX-License-Identifier: GPL-2.0 */
/* NUMA nodes, in user space. */
#ifndef KMA_TEST_LINUX_NUMA_H
#define KMA_TEST_LINUX_NUMA_H

#define NUMA_NO_NODE	(-1)

#endif /* KMA_TEST_LINUX_NUMA_H */
