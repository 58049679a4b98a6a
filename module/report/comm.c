// SPDX-License-Identifier: GPL-2.0
/*
 * `comm_sites` and `comm_syscalls`: allocations by command, and by call site or system call.
 * `cgroup_sites`: allocations by chosen cgroup, and by call site.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "../trace/acct.h"
#include "rows_map.h"

/* The columns that all three tables have; the one after them in cgroup_sites is the cgroup's ID. */
enum {
#define X(name, ...) KMA_COMM_COL_##name,
	KMA_COMM_COLUMNS(X)
#undef X
	KMA_COMM_COL_NR
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

static u64 kma_comm_value(const struct kma_snapshot *snap, const void *row, int column)
{
	static const u8 counter[] = {
		[KMA_COMM_COL_alloc_pages] = KMA_ACCT_ALLOC_PAGES,
		[KMA_COMM_COL_allocs] = KMA_ACCT_ALLOCS,
		[KMA_COMM_COL_slab_hits] = KMA_ACCT_SLAB_HITS,
		[KMA_COMM_COL_slab_bytes] = KMA_ACCT_SLAB_BYTES,
	};
	const struct kma_map_row *map_row = row;

	if (column == KMA_COMM_COL_NR)
		return map_row->id[0];
	if (column == KMA_COMM_COL_stall_us)
		return div_u64(map_row->v[KMA_ACCT_STALL_NS], NSEC_PER_USEC);
	return map_row->v[counter[column]];
}

/*
 * Make a label, `command;text`, in @buf.  The key of a row begins with the command.  @what may
 * point into @buf.
 */
static const char *kma_comm_and(const struct kma_countmap_info *info, const char *what,
				char buf[KMA_SYMBOL_LEN])
{
	char comm[sizeof(u64[2]) + 1];
	size_t len;

	memcpy(comm, info->key.word, sizeof(u64[2]));
	comm[sizeof(u64[2])] = '\0';
	strreplace(comm, ';', '?');
	len = strlen(comm);
	memmove(buf + len + 1, what, min_t(size_t, strlen(what) + 1,
					   KMA_SYMBOL_LEN - len - 1));
	buf[KMA_SYMBOL_LEN - 1] = '\0';
	memcpy(buf, comm, len);
	buf[len] = ';';
	return buf;
}

static const char *kma_comm_site_describe(struct kma_map_row *row,
					  const struct kma_countmap_info *info,
					  char buf[KMA_SYMBOL_LEN])
{
	if (!info)
		return "[other]";
	if (info->retired)
		return kma_comm_and(info, info->text, buf);
	kma_symbol_print(info->key.word[KMA_ACCT_SITE], buf);
	return kma_comm_and(info, buf, buf);
}

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

static const char *kma_cgroup_site_describe(struct kma_map_row *row,
					    const struct kma_countmap_info *info,
					    char buf[KMA_SYMBOL_LEN])
{
	row->id[0] = info ? info->key.word[0] : KMA_NO_ID;
	if (!info)
		return "[other]";
	if (info->retired)
		return info->text;
	kma_symbol_print(info->key.word[KMA_ACCT_SITE], buf);
	return buf;
}

const struct kma_table_ops kma_comm_sites_ops = {
	.row_size = sizeof(struct kma_map_row),
	.sort = { .key = { KMA_COMM_COL_alloc_pages, KMA_COMM_COL_slab_bytes }, .nr = 2 },
	.countmap = KMA_COUNTMAP_COMM_SITES,
	.fill = kma_rows_map_fill,
	.describe = kma_comm_site_describe,
	/* After a module is reloaded, two addresses may have the same name. */
	.merge = kma_rows_map_merge,
	.value = kma_comm_value,
	.label = kma_rows_map_label,
};

const struct kma_table_ops kma_comm_syscalls_ops = {
	.row_size = sizeof(struct kma_map_row),
	.sort = { .key = { KMA_COMM_COL_alloc_pages, KMA_COMM_COL_slab_bytes }, .nr = 2 },
	.countmap = KMA_COUNTMAP_COMM_SYSCALLS,
	.fill = kma_rows_map_fill,
	.describe = kma_comm_syscall_describe,
	.value = kma_comm_value,
	.label = kma_rows_map_label,
};

const struct kma_table_ops kma_cgroup_sites_ops = {
	.row_size = sizeof(struct kma_map_row),
	.sort = { .key = { KMA_COMM_COL_alloc_pages, KMA_COMM_COL_slab_bytes }, .nr = 2 },
	.countmap = KMA_COUNTMAP_CGROUP_SITES,
	.fill = kma_rows_map_fill,
	.describe = kma_cgroup_site_describe,
	/* After a module is reloaded, two addresses may have the same name. */
	.merge = kma_rows_map_merge,
	.value = kma_comm_value,
	.label = kma_rows_map_label,
};
