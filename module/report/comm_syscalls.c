// SPDX-License-Identifier: GPL-2.0
/* `comm_syscalls`: counters of allocations, by command and system call. */
#include <linux/kernel.h>
#include <linux/string.h>

#include "../trace/acct.h"
#include "rows_acct.h"

static const struct kma_column kma_comm_syscalls_columns[] = {
	KMA_COMM_SYSCALLS_COLUMNS(KMA_COLUMN)
};

#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
/* Names of system calls, by number, from the kernel's own list. */
static const char * const kma_syscall_names[] = {
#define __SYSCALL(nr, name)[nr] = #name,
#define __SYSCALL_NORETURN	__SYSCALL
#define __SYSCALL_COMMON	__SYSCALL
#define __SYSCALL_64		__SYSCALL
#define __SYSCALL_X32(nr, name)
#include <asm/syscalls_64.h>
#undef __SYSCALL
#undef __SYSCALL_NORETURN
#undef __SYSCALL_COMMON
#undef __SYSCALL_64
#undef __SYSCALL_X32
};
#else
static const char * const kma_syscall_names[] = { NULL };
#endif

static const char *kma_syscall_name(u64 nr, char buf[KMA_SYMBOL_LEN])
{
	const char *name;

	if (nr == KMA_SYSCALL_KERNEL)
		return "[kernel]";
	if (nr == KMA_SYSCALL_FAULT)
		return "[fault]";
	if (nr == KMA_SYSCALL_NONE)
		return "-";
	name = nr < ARRAY_SIZE(kma_syscall_names) ? kma_syscall_names[nr] : NULL;
	if (name)
		return name + (strstarts(name, "sys_") ? strlen("sys_") : 0);
	snprintf(buf, KMA_SYMBOL_LEN, "%s%llu", nr & KMA_SYSCALL_COMPAT ? "compat_" : "",
		 nr & ~KMA_SYSCALL_COMPAT);
	return buf;
}

static const char *kma_comm_syscall_describe(struct kma_map_row *row,
					     const struct kma_countmap_info *info,
					     char buf[KMA_SYMBOL_LEN])
{
	if (!info)
		return "[other]";
	return kma_comm_and(info, kma_syscall_name(info->key.word[KMA_ACCT_SITE], buf), buf);
}

static int kma_comm_syscalls_fill(struct kma_snapshot *snap)
{
	return kma_rows_map_fill(snap, kma_comm_syscall_describe);
}

const struct kma_table kma_table_comm_syscalls = {
	.name = "comm_syscalls",
	.columns = kma_comm_syscalls_columns,
	.nr_columns = ARRAY_SIZE(kma_comm_syscalls_columns),
	.row_size = sizeof(struct kma_map_row),
	.sort = { .key = { 0, 3 }, .nr = 2 },
	.countmap = KMA_COUNTMAP_COMM_SYSCALLS,
	.fill = kma_comm_syscalls_fill,
	.value = kma_sources_value,
	.label = kma_rows_map_label,
	.show = kma_show_row,
};
