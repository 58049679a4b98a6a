// SPDX-License-Identifier: GPL-2.0
/*
 * `gfp_flags`: what the bits of a column gfp mean, by the names that this kernel's own
 * trace events print, and in their order: to be taken from a mask one after the other,
 * those that stand for several bits come first.
 */
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/mmflags.h>

#include "seqtab.h"

static const struct kma_column kma_gfp_columns[] = {
	KMA_GFP_FLAGS_COLUMNS(KMA_COLUMN)
};

/* On some kernels the last one has no name. */
static const struct trace_print_flags kma_gfp_flags[] = { __def_gfpflag_names };

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

static u64 kma_gfp_value(const struct kma_snapshot *snap, const void *row, int column)
{
	return ((const struct trace_print_flags *)row)->mask;
}

static const char *kma_gfp_label(const struct kma_snapshot *snap, const void *row)
{
	return ((const struct trace_print_flags *)row)->name;
}

static int kma_gfp_fill(struct kma_snapshot *snap)
{
	struct trace_print_flags *row;
	int i;

	if (kma_snapshot_room(snap, ARRAY_SIZE(kma_gfp_flags)))
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(kma_gfp_flags) && kma_gfp_flags[i].name; i++) {
		row = kma_snapshot_add(snap);
		*row = kma_gfp_flags[i];
	}
	return 0;
}

struct kma_table kma_table_gfp_flags = {
	.name = "gfp_flags",
	.columns = kma_gfp_columns,
	.nr_columns = ARRAY_SIZE(kma_gfp_columns),
	.row_size = sizeof(struct trace_print_flags),
	.blocks = true,
	.fill = kma_gfp_fill,
	.value = kma_gfp_value,
	.label = kma_gfp_label,
	.show = kma_show_row,
};
