// SPDX-License-Identifier: GPL-2.0
/* Find tracepoints, and attach probes to them.  See tracepoint.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "tracepoint.h"

/*
 * Number of probes that are attached.  Load and unload write it without a lock, because
 * nothing else attaches or detaches then; all other writers hold kma_lock.
 */
static int kma_nr_attached;

struct kma_tracepoint_search {
	const char *name;
	struct tracepoint *found;
};

static void kma_tracepoint_match(struct tracepoint *tp, void *priv)
{
	struct kma_tracepoint_search *search = priv;

	if (!strcmp(tp->name, search->name))
		search->found = tp;
}

static struct tracepoint *kma_tracepoint_find(const char *name)
{
	struct kma_tracepoint_search search = { .name = name };

	for_each_kernel_tracepoint(kma_tracepoint_match, &search);
	return search.found;
}

int kma_tracepoint_register(const char *name, void *probe)
{
	struct tracepoint *tp = kma_tracepoint_find(name);

	return tp ? tracepoint_probe_register(tp, probe, NULL) : -ENOENT;
}

void kma_tracepoint_unregister(const char *name, void *probe)
{
	tracepoint_probe_unregister(kma_tracepoint_find(name), probe, NULL);
}

int kma_tracepoints_attach(const struct kma_tracepoint *tp, int nr)
{
	int i, ret;

	for (i = 0; i < nr; i++) {
		ret = tp[i].attach();
		if (ret) {
			pr_err("cannot attach to tracepoint %s: error %d\n",
			       tp[i].name, ret);
			kma_tracepoints_detach(tp, i);
			tracepoint_synchronize_unregister();
			return ret;
		}
		WRITE_ONCE(kma_nr_attached, kma_nr_attached + 1);
	}
	return 0;
}

void kma_tracepoints_detach(const struct kma_tracepoint *tp, int nr)
{
	WRITE_ONCE(kma_nr_attached, kma_nr_attached - nr);
	while (nr--)
		tp[nr].detach();
}

int kma_tracepoints_attached(void)
{
	return READ_ONCE(kma_nr_attached);
}
