// SPDX-License-Identifier: GPL-2.0
/* Kretprobes with memory that the module accounts for.  See kretprobe.h. */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>

#include "../compat.h"
#include "../state.h"
#include "ftrace_hook.h"
#include "kretprobe.h"

/* Instances for each CPU, and the most for all CPUs together, unless the caller needs more. */
#define KMA_KRETPROBE_MANY	64
#define KMA_KRETPROBE_TOTAL	1024

static unsigned int kma_kretprobe_instances(unsigned int per_cpu)
{
	const unsigned int cpus = num_possible_cpus();

	return max(per_cpu * cpus, min_t(unsigned int, KMA_KRETPROBE_MANY * cpus,
					 KMA_KRETPROBE_TOTAL));
}

#ifdef KMA_HAVE_OBJPOOL
/*
 * Each possible CPU has an area of vmalloc() with its ring and its instances.  The first CPUs have
 * one instance more if the number of instances is not a multiple of the number of CPUs.
 */
static u64 kma_kretprobe_bytes(unsigned int instances, size_t size)
{
	const unsigned int cpus = num_possible_cpus(), more = instances % cpus;
	const size_t ring = sizeof(struct objpool_slot) +
			    roundup_pow_of_two(instances) * sizeof(void *);
	const size_t few = ring + instances / cpus * ALIGN(size, sizeof(long));

	return (u64)more * PAGE_ALIGN(few + ALIGN(size, sizeof(long))) +
	       (u64)(cpus - more) * PAGE_ALIGN(few);
}
#else
/* Each instance is an object of kmalloc(). */
static u64 kma_kretprobe_bytes(unsigned int instances, size_t size)
{
	return (u64)instances * kma_kmalloc_bytes(size);
}
#endif

static u64 kma_kretprobe_memory(const struct kretprobe *rp, unsigned int instances)
{
	return kma_kretprobe_bytes(instances,
				   sizeof(struct kretprobe_instance) + rp->data_size);
}

u64 kma_kretprobe_forecast(const struct kretprobe *rp, unsigned int per_cpu)
{
	return kma_kretprobe_memory(rp, kma_kretprobe_instances(per_cpu));
}

/*
 * A kprobe on the first instruction of a function uses ftrace.  While ftrace is disabled, the
 * kprobe is never called, and if it is unregistered, ftrace warns at its next change and stops for
 * good.  An attached hook keeps ftrace enabled.
 */
static int kma_kretprobe_try(struct kretprobe *rp, unsigned int per_cpu)
{
	int ret;

	if (!kma_ftrace_hooks_any_attached())
		return -ENODEV;
	/* A previous register_kretprobe() has left its state in these members. */
	rp->kp.addr = NULL;
	rp->kp.flags = 0;
	rp->kp.nmissed = 0;
	rp->nmissed = 0;
	rp->maxactive = kma_kretprobe_instances(per_cpu);
	ret = register_kretprobe(rp);
	if (!ret)
		kma_state_add_bytes(kma_kretprobe_memory(rp, rp->maxactive));
	return ret;
}

bool kma_kretprobe_register(struct kretprobe *rp, unsigned int per_cpu)
{
	return !kma_kretprobe_try(rp, per_cpu);
}

bool kma_kretprobe_register_first(struct kretprobe *rp, const char *const *names,
				  unsigned int per_cpu)
{
	int ret;

	do {
		rp->kp.symbol_name = *names++;
		ret = kma_kretprobe_try(rp, per_cpu);
	} while (ret == -ENOENT && *names);
	return !ret;
}

void kma_kretprobe_unregister(struct kretprobe *rp)
{
	unregister_kretprobe(rp);
	kma_state_add_bytes(-kma_kretprobe_memory(rp, rp->maxactive));
}

unsigned long kma_kretprobe_missed(const struct kretprobe *rp)
{
	/* kp.nmissed counts calls from inside another kprobe's handler. */
	return READ_ONCE(rp->nmissed) + READ_ONCE(rp->kp.nmissed);
}
