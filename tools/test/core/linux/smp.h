/* SPDX-License-Identifier: GPL-2.0 */
/* The CPU of a thread, in user space. */
#ifndef KMA_TEST_LINUX_SMP_H
#define KMA_TEST_LINUX_SMP_H

#include "../env.h"

#define raw_smp_processor_id()	kma_env.cpu

#endif /* KMA_TEST_LINUX_SMP_H */
