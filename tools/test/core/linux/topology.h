/* SPDX-License-Identifier: GPL-2.0 */
/* The node of a thread, in user space. */
#ifndef KMA_TEST_LINUX_TOPOLOGY_H
#define KMA_TEST_LINUX_TOPOLOGY_H

#include "../env.h"

/* CPUs 0 and 1 are on node 0, the others on node 1. */
#define numa_node_id()	(kma_env.cpu / 2)

#endif /* KMA_TEST_LINUX_TOPOLOGY_H */
