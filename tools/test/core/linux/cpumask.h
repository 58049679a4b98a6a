/* SPDX-License-Identifier: GPL-2.0 */
/* The CPUs of the core in user space. */
#ifndef KMA_TEST_LINUX_CPUMASK_H
#define KMA_TEST_LINUX_CPUMASK_H

#include "../env.h"

#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < KMA_ENV_CPUS; (cpu)++)

#endif /* KMA_TEST_LINUX_CPUMASK_H */
