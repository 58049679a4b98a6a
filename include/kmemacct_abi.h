/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract between the module and whoever reads its tables: file names,
 * format version and columns.  Documentation/ABI/testing/debugfs-kmemacct says
 * what each of them means; a test checks that it names the same ones.
 *
 * Line 1 of a table is `# kmemacct <table> <format version>` and key=value
 * pairs, line 2 `# ` and the names of the columns; each line after that is one
 * record, its columns separated by blanks.  The last column may contain
 * blanks.  A new column, or a change of what one means, changes the version.
 *
 * Once something has been sampled, numbers are estimates, and tables have columns
 * more: how many samples there are, and the standard error of each estimate,
 * which is called as the column it belongs to with `_se` behind it.
 */
#ifndef KMEMACCT_ABI_H
#define KMEMACCT_ABI_H

#define KMA_NAME		"kmemacct"
#define KMA_FORMAT_VERSION	4

/* X(name): the tables, each a file in debugfs. */
#define KMA_TABLES(X)		\
	X(callers)	\
	X(allocs)	\
	X(caches)	\
	X(stacks)	\
	X(summary)	\
	X(stats)	\
	X(page_callers)	\
	X(pages)	\
	X(orders)	\
	X(page_summary)	\
	X(pcpu)		\
	X(extfrag)	\
	X(tasks)	\
	X(cgroups)	\
	X(comm_sites)	\
	X(comm_syscalls)	\
	X(skip)		\
	X(gfp_flags)

/* Longest command that `control` takes, in bytes. */
#define KMA_CONTROL_MAX		255

/*
 * X(name, format): the columns of a table in the order of a line.  Formats:
 *   U64	decimal
 *   S64	decimal, with a minus sign before it if it is below zero
 *   MILLI	decimal with three digits after the point
 *   SAMPLED	decimal; all columns of these two are there or none: there once
 *		something has been sampled
 *   SAMPLED_MILLI	likewise, with three digits after the point
 *   PTR	an address, as kernel.kptr_restrict lets it be seen
 *   ID		decimal, or `-` where there is none
 *   TYPE	a migrate type, by its name in /proc/pagetypeinfo
 *   HEX	hexadecimal, with 0x before it
 *   LABEL	text up to the end of the line
 */
#define KMA_COUNTS_COLUMNS(X)	\
	X(live_bytes, U64)	\
	X(live_objs, U64)	\
	X(hits, U64)		\
	X(bytes_req, U64)	\
	X(bytes_alloc, U64)	\
	X(frees, U64)		\
	X(bytes_freed, U64)	\
	X(no_entry, U64)	\
	X(pingpong, U64)	\
	X(cross_node, U64)	\
	X(bulk_objs, U64)	\
	X(bulk_bytes, U64)	\
	X(confirmed_bytes, U64)	\
	X(frag_pct, MILLI)	\
	X(samples, SAMPLED)	\
	X(live_samples, SAMPLED)	\
	X(live_bytes_se, SAMPLED)	\
	X(live_objs_se, SAMPLED)	\
	X(hits_se, SAMPLED)	\
	X(bytes_req_se, SAMPLED)	\
	X(bytes_alloc_se, SAMPLED)	\
	X(frees_se, SAMPLED)	\
	X(bytes_freed_se, SAMPLED)	\
	X(no_entry_se, SAMPLED)	\
	X(pingpong_se, SAMPLED)	\
	X(cross_node_se, SAMPLED)	\
	X(bulk_objs_se, SAMPLED)	\
	X(bulk_bytes_se, SAMPLED)	\
	X(confirmed_bytes_se, SAMPLED)

#define KMA_CALLERS_COLUMNS(X)	\
	KMA_COUNTS_COLUMNS(X)	\
	X(site, LABEL)

#define KMA_CACHES_COLUMNS(X)	\
	KMA_COUNTS_COLUMNS(X)	\
	X(cache, LABEL)

#define KMA_ALLOCS_COLUMNS(X)	\
	X(ptr, PTR)		\
	X(bytes_req, U64)	\
	X(bytes_alloc, U64)	\
	X(age_ms, U64)		\
	X(cpu, U64)		\
	X(node, ID)		\
	X(pid, ID)		\
	X(weight, SAMPLED_MILLI)	\
	X(site, LABEL)

/* The same counters by stack: what was sampled, and nothing else. */
#define KMA_STACKS_COLUMNS(X)	\
	KMA_COUNTS_COLUMNS(X)	\
	X(stack, LABEL)

/* Blocks of pages, by what the page allocator says of them and who wanted them. */
#define KMA_PAGE_CALLERS_COLUMNS(X)	\
	X(live_kb, U64)		\
	X(live_allocs, U64)	\
	X(hits, U64)		\
	X(kb, U64)		\
	X(frees, U64)		\
	X(bulk_allocs, U64)	\
	X(order, U64)		\
	X(migratetype, TYPE)	\
	X(gfp, HEX)		\
	X(samples, SAMPLED)	\
	X(live_samples, SAMPLED)	\
	X(live_kb_se, SAMPLED)	\
	X(live_allocs_se, SAMPLED)	\
	X(hits_se, SAMPLED)	\
	X(kb_se, SAMPLED)	\
	X(frees_se, SAMPLED)	\
	X(bulk_allocs_se, SAMPLED)	\
	X(site, LABEL)

/* The same, exact, by order and migrate type. */
#define KMA_ORDERS_COLUMNS(X)	\
	X(order, U64)		\
	X(migratetype, TYPE)	\
	X(live_kb, U64)		\
	X(live_allocs, U64)	\
	X(hits, U64)		\
	X(kb, U64)		\
	X(frees, U64)		\
	X(bulk_allocs, U64)

/* Live pages, each line what is left of one block in one piece. */
#define KMA_PAGES_COLUMNS(X)	\
	X(pfn, U64)		\
	X(pages, U64)		\
	X(order, U64)		\
	X(migratetype, TYPE)	\
	X(gfp, HEX)		\
	X(age_ms, U64)		\
	X(cpu, U64)		\
	X(node, ID)		\
	X(pid, ID)		\
	X(weight, SAMPLED_MILLI)	\
	X(site, LABEL)

/* Each CPU's lists of free pages, by the node that these are of. */
#define KMA_PCPU_COLUMNS(X)	\
	X(cpu, U64)		\
	X(node, U64)		\
	X(refill_pages, U64)	\
	X(refills, U64)		\
	X(drain_pages, U64)	\
	X(drains, U64)		\
	X(imbalance_pages, S64)	\
	X(direct_pages, U64)	\
	X(directs, U64)		\
	X(batched, U64)

/* Allocations for which pages of another migrate type had to do. */
#define KMA_EXTFRAG_COLUMNS(X)	\
	X(fallbacks, U64)	\
	X(fragmenting, U64)	\
	X(severe, U64)		\
	X(moderate, U64)	\
	X(changed, U64)		\
	X(alloc_order, U64)	\
	X(fallback_order, U64)	\
	X(alloc_type, TYPE)	\
	X(fallback_type, TYPE)	\
	X(site, LABEL)

/* What somebody did, by the events that came while it ran. */
#define KMA_ACCT_COLUMNS(X)	\
	X(net_pages, S64)	\
	X(alloc_pages, U64)	\
	X(allocs, U64)		\
	X(free_pages, U64)	\
	X(frees, U64)		\
	X(batched, U64)		\
	X(zone_locked, U64)	\
	X(refills, U64)		\
	X(drained, U64)		\
	X(drains, U64)		\
	X(fallbacks, U64)	\
	X(fragmenting, U64)	\
	X(severe, U64)		\
	X(moderate, U64)	\
	X(changed, U64)		\
	X(slab_hits, U64)	\
	X(slab_bytes, U64)

#define KMA_TASKS_COLUMNS(X)	\
	KMA_ACCT_COLUMNS(X)	\
	X(tgid, ID)		\
	X(parent, ID)		\
	X(comm, LABEL)

#define KMA_CGROUPS_COLUMNS(X)	\
	KMA_ACCT_COLUMNS(X)	\
	X(cgroup_id, ID)	\
	X(cgroup, LABEL)

/* The label is a command, a semicolon, and the call site or system call. */
#define KMA_COMM_SITES_COLUMNS(X)	\
	X(alloc_pages, U64)	\
	X(allocs, U64)		\
	X(slab_hits, U64)	\
	X(slab_bytes, U64)	\
	X(comm_site, LABEL)

#define KMA_COMM_SYSCALLS_COLUMNS(X)	\
	X(alloc_pages, U64)	\
	X(allocs, U64)		\
	X(slab_hits, U64)	\
	X(slab_bytes, U64)	\
	X(comm_syscall, LABEL)

/* Functions that only hand pages on: see skip.c. */
#define KMA_SKIP_COLUMNS(X)	\
	X(pattern, LABEL)

/* What the bits of a column gfp mean on this kernel. */
#define KMA_GFP_FLAGS_COLUMNS(X)	\
	X(mask, HEX)		\
	X(flag, LABEL)

#endif /* KMEMACCT_ABI_H */
