// SPDX-License-Identifier: GPL-2.0
/* Tables of pairs.  See keyval.h. */
#include <linux/seq_file.h>

#include "keyval.h"

void kma_keyval_add(struct kma_snapshot *snap, const char *name,
		    enum kma_format format, u64 value)
{
	struct kma_keyval *keyval = kma_snapshot_add(snap);

	if (WARN_ON_ONCE(!keyval))
		return;
	keyval->name = name;
	keyval->format = format;
	keyval->value = value;
}

void kma_keyval_show(struct seq_file *seq, const struct kma_snapshot *snap,
		     const void *row)
{
	const struct kma_keyval *keyval = row;

	seq_printf(seq, "%-28s ", keyval->name);
	if (keyval->format == KMA_FORMAT_MILLI)
		kma_show_milli(seq, 0, keyval->value);
	else if (keyval->format == KMA_FORMAT_S64)
		seq_printf(seq, "%lld", (s64)keyval->value);
	else
		seq_printf(seq, "%llu", keyval->value);
	seq_putc(seq, '\n');
}
