// SPDX-License-Identifier: GPL-2.0
/* The OOM killer.  See oom.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include <trace/events/oom.h>

#include "../core/stall.h"
#include "oom.h"
#include "tracepoint.h"
#include "trigger.h"

/* The OOM killer runs in the task whose allocation or charge has failed. */
static notrace void kma_oom_probe_mark_victim(void *data, struct task_struct *victim, uid_t uid)
{
	if (kma_trigger_is_set(KMA_TRIGGER_OOM))
		kma_trigger_fire(KMA_TRIGGER_OOM, victim->tgid, (unsigned long)victim->comm,
				 KMA_ORDER_NONE, 0);
}

/* kma_oom_attach_mark_victim(), kma_oom_detach_mark_victim() */
KMA_TRACEPOINT_BY_NAME(oom, mark_victim)

static const struct kma_tracepoint kma_oom_tracepoints[] = {
	{ "mark_victim", kma_oom_attach_mark_victim, kma_oom_detach_mark_victim },
};

static bool kma_oom_attached;

void kma_oom_start(void)
{
	kma_oom_attached = !kma_tracepoints_attach(kma_oom_tracepoints,
						   ARRAY_SIZE(kma_oom_tracepoints));
	if (!kma_oom_attached)
		pr_warn("OOM kills cannot be followed: they set off no incident\n");
}

void kma_oom_stop(void)
{
	if (kma_oom_attached)
		kma_tracepoints_detach(kma_oom_tracepoints, ARRAY_SIZE(kma_oom_tracepoints));
	kma_oom_attached = false;
}
