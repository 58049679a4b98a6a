// SPDX-License-Identifier: GPL-2.0
/* Names of gfp flags.  See gfp.h. */
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/mmflags.h>

#include "gfp.h"

/* On some kernels, the name of the last entry is NULL. */
static const struct trace_print_flags kma_gfp_flags[] = { __def_gfpflag_names };

struct kma_gfp_flag kma_gfp_flag(unsigned int i)
{
	if (i >= ARRAY_SIZE(kma_gfp_flags))
		return (struct kma_gfp_flag) {};
	return (struct kma_gfp_flag) { kma_gfp_flags[i].mask, kma_gfp_flags[i].name };
}

static const struct trace_print_flags *kma_gfp_find(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(kma_gfp_flags) && kma_gfp_flags[i].name; i++)
		if (!strcmp(kma_gfp_flags[i].name, name))
			return &kma_gfp_flags[i];
	return NULL;
}

int kma_gfp_parse(const char *text, u32 *mask)
{
	const struct trace_print_flags *flag;
	char name[32];
	size_t len;

	*mask = 0;
	if (!strncmp(text, "0x", 2))
		return kstrtou32(text, 16, mask) || !*mask ? -EINVAL : 0;
	do {
		len = strcspn(text, "|");
		if (len >= sizeof(name))
			return -EINVAL;
		memcpy(name, text, len);
		name[len] = '\0';
		flag = kma_gfp_find(name);
		if (!flag)
			return -EINVAL;
		*mask |= flag->mask;
		text += len;
	} while (*text++);
	return 0;
}
