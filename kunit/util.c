// SPDX-License-Identifier: GPL-2.0
/* Functions that the suites share: see util.h. */
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/slab.h>

#include "util.h"

/* ---- threads -------------------------------------------------------------- */

struct kma_crew {
	void (*work)(void *arg, int nr);
	void *arg;
	atomic_t missing;
};

struct kma_member {
	struct kma_crew *crew;
	struct task_struct *task;
	int nr;
};

static int kma_member_main(void *data)
{
	struct kma_member *m = data;

	atomic_dec(&m->crew->missing);
	while (atomic_read(&m->crew->missing))
		cond_resched();
	m->crew->work(m->crew->arg, m->nr);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static int kma_crew_hire(struct kma_crew *crew, struct kma_member *m, int nr)
{
	int i, cpu = -1;

	for (i = 0; i < nr; i++) {
		m[i].crew = crew;
		m[i].nr = i;
		m[i].task = kthread_create(kma_member_main, &m[i], "kma-crew/%d", i);
		if (IS_ERR(m[i].task))
			return PTR_ERR(m[i].task);
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
		kthread_bind(m[i].task, cpu);
	}
	return 0;
}

int kma_crew_run(void (*work)(void *arg, int nr), void *arg, int nr)
{
	struct kma_crew crew = {
		.work = work,
		.arg = arg,
		.missing = ATOMIC_INIT(nr),
	};
	struct kma_member *m = kcalloc(nr, sizeof(*m), GFP_KERNEL);
	int i, ret;

	if (!m)
		return -ENOMEM;
	ret = kma_crew_hire(&crew, m, nr);
	for (i = 0; !ret && i < nr; i++)
		wake_up_process(m[i].task);
	/* If a thread could not be created, kthread_stop() ends the others before they run. */
	for (i = 0; i < nr && !IS_ERR_OR_NULL(m[i].task); i++) {
		while (!ret && atomic_read(&crew.missing))
			schedule_timeout_uninterruptible(1);
		kthread_stop(m[i].task);
	}
	kfree(m);
	return ret;
}

int kma_other_cpu(struct kunit *test)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (cpu != raw_smp_processor_id())
			return cpu;
	kunit_skip(test, "needs at least two online CPUs");
}

/* ---- the module's state --------------------------------------------------- */

int kma_test_sample_bytes(u64 bytes)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", bytes);
	return kma_setting_write(KMA_SETTING_sample_bytes, text);
}

u64 kma_stat_sum(enum kma_stat stat)
{
	struct kma_stats sum;

	kma_stats_sum(&sum);
	return sum.v[stat];
}

void kma_stats_clear(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&kma_stats, cpu), 0, sizeof(kma_stats));
}

u64 kma_objtab_count_row(const struct kma_objtab *t, u32 row)
{
	struct kma_entry entry;
	u64 i, nr = 0;
	int slot;

	for (i = 0; i < kma_objtab_buckets(t); i++)
		for (slot = 0; slot < KMA_SLOTS; slot++)
			nr += kma_objtab_read(kma_objtab_bucket(t, i), slot, &entry) &&
			      (row == U32_MAX || entry.row == row);
	return nr;
}

u64 kma_objtab_count(const struct kma_objtab *t)
{
	return kma_objtab_count_row(t, U32_MAX);
}
