/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract between the module and the programs that read its tables: file names, format
 * version and columns.  Documentation/ABI/testing/debugfs-kmemacct describes the meaning of
 * each; a test checks that it has the same names.
 *
 * Line 1 of a table is `# kmemacct <table> <format version>`, followed by key=value pairs.
 * Line 2 is `# `, followed by the names of the columns.  Each further line is one record; its
 * columns are separated by blanks, and the last column may contain blanks.  The version
 * changes with each new column, and with each change of the meaning of a column.
 *
 * Once something has been sampled, numbers are estimates, and tables have more columns: the
 * number of samples, and the standard error of each estimate.  The column of a standard
 * error has the name of the column it belongs to, with `_se` appended.
 */
#ifndef KMEMACCT_ABI_H
#define KMEMACCT_ABI_H

#define KMA_NAME		"kmemacct"
#define KMA_FORMAT_VERSION	5

/* X(name): the tables; each is a file in debugfs. */
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

/* Longest command that `control` accepts, in bytes. */
#define KMA_CONTROL_MAX		255

/*
 * X(name, format): the columns of a table, in their order on a line.  The formats:
 *   U64	decimal
 *   S64	decimal, with a minus sign if it is negative
 *   MILLI	decimal with three digits after the point
 *   SAMPLED	decimal; the columns of this format and the next exist only once
 *		something has been sampled, and then all of them do
 *   SAMPLED_MILLI	decimal with three digits after the point
 *   PTR	an address, as far as kernel.kptr_restrict allows
 *   ID		decimal, or `-` if there is none
 *   TYPE	the name of a migrate type, as in /proc/pagetypeinfo
 *   HEX	hexadecimal, with 0x before it
 *   LABEL	text up to the end of the line
 */

/* The counters of objects, which `callers`, `caches` and `stacks` have in common. */
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

/* Objects by call site. */
#define KMA_CALLERS_COLUMNS(X)	\
	KMA_COUNTS_COLUMNS(X)	\
	X(site, LABEL)

/* Objects by cache. */
#define KMA_CACHES_COLUMNS(X)	\
	KMA_COUNTS_COLUMNS(X)	\
	X(cache, LABEL)

/* The live objects. */
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

/* Sampled objects by stack. */
#define KMA_STACKS_COLUMNS(X)	\
	KMA_COUNTS_COLUMNS(X)	\
	X(stack, LABEL)

/* Page allocations by call site, order, migrate type and gfp flags. */
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

/* Page allocations by order and migrate type, exact. */
#define KMA_ORDERS_COLUMNS(X)	\
	X(order, U64)		\
	X(migratetype, TYPE)	\
	X(live_kb, U64)		\
	X(live_allocs, U64)	\
	X(hits, U64)		\
	X(kb, U64)		\
	X(frees, U64)		\
	X(bulk_allocs, U64)

/* Live pages: each line is a piece of a page allocation of which no page has been freed. */
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

/* The lists of free pages of each CPU, by the node of the pages. */
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

/* Allocations that took pages of another migrate type (fallbacks). */
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

/* Events that came while a process, or a process of a cgroup, ran. */
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

/* Events by process. */
#define KMA_TASKS_COLUMNS(X)	\
	KMA_ACCT_COLUMNS(X)	\
	X(tgid, ID)		\
	X(parent, ID)		\
	X(comm, LABEL)

/* Events by cgroup. */
#define KMA_CGROUPS_COLUMNS(X)	\
	KMA_ACCT_COLUMNS(X)	\
	X(cgroup_id, ID)	\
	X(cgroup, LABEL)

/*
 * Allocations by command and call site, or by command and system call.  The label is the
 * command, a semicolon, and the call site or system call.
 */
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

/* Patterns of functions that only hand pages on: see match/skip.h. */
#define KMA_SKIP_COLUMNS(X)	\
	X(pattern, LABEL)

/* The bits of the columns named gfp, on this kernel. */
#define KMA_GFP_FLAGS_COLUMNS(X)	\
	X(mask, HEX)		\
	X(flag, LABEL)

#endif /* KMEMACCT_ABI_H */
