/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract between the module and the programs that read its tables: file names, format
 * version and columns.  Documentation/ABI/testing/debugfs-kmemacct describes what each table and
 * column means; a test checks that both files list the same names.
 *
 * Line 1 of a table is `# kmemacct <table> <format version>`, followed by key=value pairs.
 * Line 2 is `# `, followed by the names of the columns.  Each further line is one record; its
 * columns are separated by blanks, and the last column may contain blanks.  The version
 * changes whenever a column is added or the meaning of a column changes.
 *
 * Once anything has been sampled, the numbers are estimates, and the tables have additional
 * columns: the number of samples, and the standard error of each estimate.  The standard error
 * of the column NAME is in the column NAME_se.
 */
#ifndef KMEMACCT_ABI_H
#define KMEMACCT_ABI_H

#define KMA_NAME		"kmemacct"
#define KMA_FORMAT_VERSION	6

/* X(name): the tables.  Each is a file in debugfs. */
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
	X(latency)	\
	X(shrinkers)	\
	X(stalls)	\
	X(slow)		\
	X(tasks)	\
	X(cgroups)	\
	X(comm_sites)	\
	X(comm_syscalls)	\
	X(skip)		\
	X(gfp_flags)

/* Longest command that `control` accepts, in bytes. */
#define KMA_CONTROL_MAX		255

/*
 * X(name, format): the columns of a table, in the order in which a line has them.  The formats:
 *   U64	decimal
 *   S64	decimal, with a minus sign if it is negative
 *   MILLI	decimal with three digits after the point
 *   SAMPLED	decimal
 *   SAMPLED_MILLI	decimal with three digits after the point
 *   PTR	an address, printed with %pK: kernel.kptr_restrict may hide it
 *   ID		decimal, or `-` if there is no such ID
 *   TYPE	the name of a migrate type, as in /proc/pagetypeinfo
 *   HEX	hexadecimal, with 0x before it
 *   LABEL	text up to the end of the line
 *
 * A table has its SAMPLED and SAMPLED_MILLI columns once anything has been sampled, and none of
 * them before that.
 */

/* The counters of objects that `callers`, `caches` and `stacks` have in common. */
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

/* Page allocations by order and migrate type.  These numbers are never estimates. */
#define KMA_ORDERS_COLUMNS(X)	\
	X(order, U64)		\
	X(migratetype, TYPE)	\
	X(live_kb, U64)		\
	X(live_allocs, U64)	\
	X(hits, U64)		\
	X(kb, U64)		\
	X(frees, U64)		\
	X(bulk_allocs, U64)

/* Live pages: each line is a run of consecutive live pages of one page allocation. */
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

/* The per-CPU lists of free pages, by CPU and by the node of the pages. */
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

/* Events, counted for the running process or for its cgroup. */
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
	X(slab_bytes, U64)	\
	X(stall_us, U64)

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
 * Allocations by command and call site, and by command and system call.  The label is the
 * command, a semicolon, and the call site or the system call.
 */
#define KMA_COMM_SITES_COLUMNS(X)	\
	X(alloc_pages, U64)	\
	X(allocs, U64)		\
	X(slab_hits, U64)	\
	X(slab_bytes, U64)	\
	X(stall_us, U64)	\
	X(comm_site, LABEL)

#define KMA_COMM_SYSCALLS_COLUMNS(X)	\
	X(alloc_pages, U64)	\
	X(allocs, U64)		\
	X(slab_hits, U64)	\
	X(slab_bytes, U64)	\
	X(stall_us, U64)	\
	X(comm_syscall, LABEL)

/*
 * Phases of reclaim and compaction.  The column us_N counts those that took at least N us and
 * less than 2 N; us_1 also has the shorter ones, and the last column the longer ones.  The label is
 * who waited, a colon, and the phase.
 */
#define KMA_LATENCY_COLUMNS(X)	\
	X(count, U64)		\
	X(total_us, U64)	\
	X(mean_us, MILLI)	\
	X(max_us, U64)		\
	X(scanned, U64)		\
	X(reclaimed, U64)	\
	X(us_1, U64)		\
	X(us_2, U64)		\
	X(us_4, U64)		\
	X(us_8, U64)		\
	X(us_16, U64)		\
	X(us_32, U64)		\
	X(us_64, U64)		\
	X(us_128, U64)		\
	X(us_256, U64)		\
	X(us_512, U64)		\
	X(us_1024, U64)		\
	X(us_2048, U64)		\
	X(us_4096, U64)		\
	X(us_8192, U64)		\
	X(us_16384, U64)	\
	X(us_32768, U64)	\
	X(us_65536, U64)	\
	X(us_131072, U64)	\
	X(us_262144, U64)	\
	X(us_524288, U64)	\
	X(us_1048576, U64)	\
	X(us_2097152, U64)	\
	X(us_4194304, U64)	\
	X(us_8388608, U64)	\
	X(phase, LABEL)

/*
 * Shrinkers.  The label is the function that scans, and the file system and device, or the number
 * of the row.
 */
#define KMA_SHRINKERS_COLUMNS(X)	\
	X(calls, U64)		\
	X(total_us, U64)	\
	X(mean_us, MILLI)	\
	X(max_us, U64)		\
	X(waited_us, U64)	\
	X(scanned, U64)		\
	X(freed, U64)		\
	X(counts, U64)		\
	X(count_us, U64)	\
	X(shrinker, LABEL)

/*
 * What allocations waited for.  The label is the call site, a semicolon, and the cause; after a
 * colon, the shrinker, or the reason for throttling.
 */
#define KMA_STALLS_COLUMNS(X)	\
	X(total_us, U64)	\
	X(count, U64)		\
	X(mean_us, MILLI)	\
	X(max_us, U64)		\
	X(order, ID)		\
	X(gfp, HEX)		\
	X(site_cause, LABEL)

/*
 * The last phases that took longer than threshold_us.  The label is the command, who waited and
 * the phase, the call site, the causes with their times, and the stack, with semicolons between
 * them.
 */
#define KMA_SLOW_COLUMNS(X)	\
	X(nr, U64)		\
	X(end_s, MILLI)		\
	X(us, U64)		\
	X(tgid, ID)		\
	X(pid, ID)		\
	X(cgroup_id, ID)	\
	X(order, ID)		\
	X(gfp, HEX)		\
	X(slow, LABEL)

/* Patterns of functions that only allocate pages for their callers: see match/skip.h. */
#define KMA_SKIP_COLUMNS(X)	\
	X(pattern, LABEL)

/* The gfp flags of this kernel: the meaning of the bits in the columns named gfp. */
#define KMA_GFP_FLAGS_COLUMNS(X)	\
	X(mask, HEX)		\
	X(flag, LABEL)

#endif /* KMEMACCT_ABI_H */
