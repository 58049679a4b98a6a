/* SPDX-License-Identifier: GPL-2.0 */
/* A thread of a test is preempted by the system at any time. */
#ifndef KMA_TEST_LINUX_SCHED_H
#define KMA_TEST_LINUX_SCHED_H

#define cond_resched()	do { } while (0)

#endif /* KMA_TEST_LINUX_SCHED_H */
