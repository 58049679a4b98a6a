/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract between the module and the programs that read its tables: file names, format
 * version and columns.  Documentation/ABI/testing/debugfs-kmemacct describes what each table and
 * column means; a test checks that both files list the same names.
 *
 * A table begins with lines that start with `#`.  The first one is `# kmemacct <table> <format
 * version>`, followed by key=value pairs.  More lines of pairs may come.  The last line is `# `,
 * followed by the names of the columns.  Each further line of the table is one record; its
 * columns are separated by blanks, and the last column may contain blanks.
 *
 * A format can grow: pairs, columns and lines of pairs may be added, in any place but after a
 * column of text.  So a program finds columns and keys by their names, and ignores what it does
 * not know.  The version changes only if the meaning of a name changes.
 *
 * A column X is an estimate if there is a column X_se, with its standard error.  If that is 0 the
 * number is exact.
 */
#ifndef KMEMACCT_ABI_H
#define KMEMACCT_ABI_H

#define KMA_NAME		"kmemacct"
#define KMA_FORMAT_VERSION	8
/* Version of the module and of the program that reads its tables. */
#define KMA_VERSION		"0.9.0"

/*
 * X(name, columns): the tables, and the list of columns of each, which is one of those below.  Each
 * table is a file in debugfs.
 */
#define KMA_TABLES(X)				\
	X(callers, KMA_CALLERS_COLUMNS)		\
	X(allocs, KMA_ALLOCS_COLUMNS)		\
	X(caches, KMA_CACHES_COLUMNS)		\
	X(cache_sites, KMA_CACHE_SITES_COLUMNS)	\
	X(owners, KMA_OWNERS_COLUMNS)		\
	X(owner_cgroups, KMA_OWNER_CGROUPS_COLUMNS)	\
	X(charges, KMA_CHARGES_COLUMNS)		\
	X(stacks, KMA_STACKS_COLUMNS)		\
	X(history, KMA_HISTORY_COLUMNS)		\
	X(marks, KMA_MARKS_COLUMNS)		\
	X(summary, KMA_PAIRS)			\
	X(stats, KMA_PAIRS)			\
	X(page_callers, KMA_PAGE_CALLERS_COLUMNS)	\
	X(pages, KMA_PAGES_COLUMNS)		\
	X(orders, KMA_ORDERS_COLUMNS)		\
	X(page_summary, KMA_PAIRS)		\
	X(pcpu, KMA_PCPU_COLUMNS)		\
	X(extfrag, KMA_EXTFRAG_COLUMNS)		\
	X(failures, KMA_FAILURES_COLUMNS)	\
	X(latency, KMA_LATENCY_COLUMNS)		\
	X(shrinkers, KMA_SHRINKERS_COLUMNS)	\
	X(stalls, KMA_STALLS_COLUMNS)		\
	X(waits, KMA_WAITS_COLUMNS)		\
	X(wakers, KMA_WAKERS_COLUMNS)		\
	X(slow, KMA_SLOW_COLUMNS)		\
	X(incidents, KMA_INCIDENTS_COLUMNS)	\
	X(tasks, KMA_TASKS_COLUMNS)		\
	X(cgroups, KMA_CGROUPS_COLUMNS)		\
	X(comm_sites, KMA_COMM_SITES_COLUMNS)	\
	X(comm_syscalls, KMA_COMM_SYSCALLS_COLUMNS)	\
	X(cgroup_sites, KMA_CGROUP_SITES_COLUMNS)	\
	X(skip, KMA_SKIP_COLUMNS)		\
	X(gfp_flags, KMA_GFP_FLAGS_COLUMNS)

/* Longest command that `control` accepts, in bytes. */
#define KMA_CONTROL_MAX		255

/*
 * X(name, format, kind, unit): the columns of a table, in the order in which a line has them.
 *
 * The formats:
 *   U64	decimal
 *   S64	decimal, with a minus sign if it is negative, or `-` if it is not known
 *   MILLI	decimal with three digits after the point
 *   PTR	an address, printed with %pK: kernel.kptr_restrict may hide it
 *   ID		decimal, or `-` if there is no such ID
 *   TYPE	the name of a migrate type, as in /proc/pagetypeinfo
 *   HEX	hexadecimal, with 0x before it
 *   LIST	numbers with commas in between, and no blanks; `-` if there is none
 *   LABEL	text up to the end of the line
 *
 * The kinds:
 *   KEY	tells what the row is about
 *   GAUGE	the state at the time of the snapshot
 *   PAST	the state at earlier times
 *   CHANGE	how much live_bytes has changed in a window of time; for change_1m, the key
 *		change_1m_s of the head has the length of the window in seconds, or `-` if it is
 *		not known
 *   COUNTER	what has added up since the event that the key `since` of the head names
 *   MAX	the largest value since that event
 *   RATIO	a quotient of other columns
 *   ERROR	the standard error of the column without _se
 *
 * The units: BYTES, KIB (1,024 bytes), PAGES, OBJS (objects of the slab allocator), ALLOCS (page
 * allocations), SAMPLES, EVENTS, PHASES (of reclaim or compaction), CALLS, PCT (percent), NS, US,
 * MS, S (seconds), NONE.
 */

/*
 * Tables of pairs: each line has the name of a value, and the value.  Its format depends on the
 * line.  No other table has text before the last column.
 */
#define KMA_PAIRS(X)	\
	X(name, LABEL, KEY, NONE)				\
	X(value, U64, GAUGE, NONE)

/* The counters of objects that `callers`, `caches` and `stacks` have in common. */
#define KMA_COUNTS_COLUMNS(X)	\
	X(live_bytes, U64, GAUGE, BYTES)			\
	X(live_objs, U64, GAUGE, OBJS)				\
	X(hits, U64, COUNTER, OBJS)				\
	X(bytes_req, U64, COUNTER, BYTES)			\
	X(objs_alloc, U64, COUNTER, OBJS)			\
	X(bytes_alloc, U64, COUNTER, BYTES)			\
	X(frees, U64, COUNTER, OBJS)				\
	X(bytes_freed, U64, COUNTER, BYTES)			\
	X(no_entry, U64, COUNTER, OBJS)				\
	X(pingpong, U64, COUNTER, OBJS)				\
	X(cross_node, U64, COUNTER, OBJS)			\
	X(bulk_objs, U64, COUNTER, OBJS)			\
	X(bulk_bytes, U64, COUNTER, BYTES)			\
	X(confirmed_bytes, U64, GAUGE, BYTES)			\
	X(frag_pct, MILLI, RATIO, PCT)				\
	X(samples, U64, COUNTER, SAMPLES)			\
	X(live_samples, U64, GAUGE, SAMPLES)			\
	X(change_1m, S64, CHANGE, BYTES)			\
	X(change_10m, S64, CHANGE, BYTES)			\
	X(change_1h, S64, CHANGE, BYTES)			\
	X(live_bytes_se, U64, ERROR, BYTES)			\
	X(live_objs_se, U64, ERROR, OBJS)			\
	X(hits_se, U64, ERROR, OBJS)				\
	X(bytes_req_se, U64, ERROR, BYTES)			\
	X(objs_alloc_se, U64, ERROR, OBJS)			\
	X(bytes_alloc_se, U64, ERROR, BYTES)			\
	X(frees_se, U64, ERROR, OBJS)				\
	X(bytes_freed_se, U64, ERROR, BYTES)			\
	X(no_entry_se, U64, ERROR, OBJS)			\
	X(pingpong_se, U64, ERROR, OBJS)			\
	X(cross_node_se, U64, ERROR, OBJS)			\
	X(bulk_objs_se, U64, ERROR, OBJS)			\
	X(bulk_bytes_se, U64, ERROR, BYTES)			\
	X(confirmed_bytes_se, U64, ERROR, BYTES)		\
	X(change_1m_se, S64, ERROR, BYTES)			\
	X(change_10m_se, S64, ERROR, BYTES)			\
	X(change_1h_se, S64, ERROR, BYTES)

/* Objects by call site. */
#define KMA_CALLERS_COLUMNS(X)	\
	KMA_COUNTS_COLUMNS(X)	\
	X(site, LABEL, KEY, NONE)

/* Objects by cache. */
#define KMA_CACHES_COLUMNS(X)	\
	KMA_COUNTS_COLUMNS(X)	\
	X(cache, LABEL, KEY, NONE)

/*
 * Objects by cache and call site.  The label is the name of the cache, a semicolon, and the call
 * site, which has no semicolon.
 */
#define KMA_CACHE_SITES_COLUMNS(X)	\
	KMA_COUNTS_COLUMNS(X)	\
	X(cache_site, LABEL, KEY, NONE)

/* The live objects. */
#define KMA_ALLOCS_COLUMNS(X)	\
	X(ptr, PTR, KEY, NONE)					\
	X(bytes_req, U64, GAUGE, BYTES)				\
	X(bytes_alloc, U64, GAUGE, BYTES)			\
	X(age_ms, U64, GAUGE, MS)				\
	X(cpu, U64, KEY, NONE)					\
	X(node, ID, KEY, NONE)					\
	X(pid, ID, KEY, NONE)					\
	X(owner, ID, KEY, NONE)					\
	X(weight, MILLI, GAUGE, OBJS)				\
	X(site, LABEL, KEY, NONE)

/*
 * Owners, to which the column `owner` of the live objects refers: the name of the process, its
 * cgroup, and the cgroup that is charged.  charged_id is 0 if none is charged, and `-` if it is not
 * known.
 */
#define KMA_OWNERS_COLUMNS(X)	\
	X(owner, U64, KEY, NONE)				\
	X(cgroup_id, ID, KEY, NONE)				\
	X(charged_id, ID, KEY, NONE)				\
	X(comm, LABEL, KEY, NONE)

/*
 * The cgroups that owners refer to, and those above them; removed is 1 for those that were removed.
 * An ID has the number of the cgroup's hierarchy above bit 47; the default one has the number 0.
 */
#define KMA_OWNER_CGROUPS_COLUMNS(X)	\
	X(cgroup_id, U64, KEY, NONE)				\
	X(parent_id, ID, KEY, NONE)				\
	X(removed, U64, GAUGE, NONE)				\
	X(cgroup, LABEL, KEY, NONE)

/*
 * Live objects and pages by charged cgroup and call site.  now_id is the cgroup that is charged
 * now: charged_id or, if that cgroup was removed, its nearest ancestor that exists; 0 for the root,
 * which is not charged.  The label is the path of the cgroup, followed by ` (removed)` if it was
 * removed, a semicolon, and the call site.
 */
#define KMA_CHARGES_COLUMNS(X)	\
	X(live_bytes, U64, GAUGE, BYTES)			\
	X(live_objs, U64, GAUGE, OBJS)				\
	X(page_bytes, U64, GAUGE, BYTES)			\
	X(charged_id, U64, KEY, NONE)				\
	X(now_id, U64, KEY, NONE)				\
	X(live_samples, U64, GAUGE, SAMPLES)			\
	X(live_bytes_se, U64, ERROR, BYTES)			\
	X(live_objs_se, U64, ERROR, OBJS)			\
	X(page_bytes_se, U64, ERROR, BYTES)			\
	X(charged_site, LABEL, KEY, NONE)

/* Sampled objects by stack. */
#define KMA_STACKS_COLUMNS(X)	\
	KMA_COUNTS_COLUMNS(X)	\
	X(stack, LABEL, KEY, NONE)

/*
 * What was live at earlier times, by cache and call site.  live_kb is of the last mark.  There are
 * three series of marks: about every 10 s, every minute, and every hour.  The keys ages_10s_s,
 * ages_1m_s and ages_1h_s of the head list the ages of marks in seconds, the oldest first.  A list
 * of a row has what was live at these marks.  A list of the first series may have only the last
 * marks.
 */
#define KMA_HISTORY_COLUMNS(X)	\
	X(live_kb, U64, GAUGE, KIB)				\
	X(kb_10s, LIST, PAST, KIB)				\
	X(kb_1m, LIST, PAST, KIB)				\
	X(kb_1h, LIST, PAST, KIB)				\
	X(live_kb_se, U64, ERROR, KIB)				\
	X(kb_10s_se, LIST, PAST, KIB)				\
	X(kb_1m_se, LIST, PAST, KIB)				\
	X(kb_1h_se, LIST, PAST, KIB)				\
	X(cache_site, LABEL, KEY, NONE)

/*
 * The whole machine at the same marks: free memory and slabs as in /proc/meminfo, live pages by
 * migrate type while pages are tracked, the time that tasks have spent in what the kernel calls
 * memory stalls while `latency` is on, and failed allocations.  The last two begin anew at a reset.
 */
#define KMA_MARKS_COLUMNS(X)	\
	X(series_s, U64, KEY, S)				\
	X(age_ms, U64, KEY, MS)					\
	X(free_kb, U64, GAUGE, KIB)				\
	X(slab_reclaimable_kb, U64, GAUGE, KIB)			\
	X(slab_unreclaimable_kb, U64, GAUGE, KIB)		\
	X(unmovable_kb, ID, GAUGE, KIB)				\
	X(movable_kb, ID, GAUGE, KIB)				\
	X(reclaimable_kb, ID, GAUGE, KIB)			\
	X(stalled_us, ID, COUNTER, US)				\
	X(failed, U64, COUNTER, EVENTS)

/* Page allocations by call site, order, migrate type and gfp flags. */
#define KMA_PAGE_CALLERS_COLUMNS(X)	\
	X(live_kb, U64, GAUGE, KIB)				\
	X(live_allocs, U64, GAUGE, ALLOCS)			\
	X(hits, U64, COUNTER, ALLOCS)				\
	X(kb, U64, COUNTER, KIB)				\
	X(frees, U64, COUNTER, ALLOCS)				\
	X(bulk_allocs, U64, COUNTER, ALLOCS)			\
	X(failed, U64, COUNTER, ALLOCS)				\
	X(order, U64, KEY, NONE)				\
	X(migratetype, TYPE, KEY, NONE)				\
	X(gfp, HEX, KEY, NONE)					\
	X(samples, U64, COUNTER, SAMPLES)			\
	X(live_samples, U64, GAUGE, SAMPLES)			\
	X(live_kb_se, U64, ERROR, KIB)				\
	X(live_allocs_se, U64, ERROR, ALLOCS)			\
	X(hits_se, U64, ERROR, ALLOCS)				\
	X(kb_se, U64, ERROR, KIB)				\
	X(frees_se, U64, ERROR, ALLOCS)				\
	X(bulk_allocs_se, U64, ERROR, ALLOCS)			\
	X(site, LABEL, KEY, NONE)

/* Page allocations by order and migrate type.  These numbers are never estimates. */
#define KMA_ORDERS_COLUMNS(X)	\
	X(order, U64, KEY, NONE)				\
	X(migratetype, TYPE, KEY, NONE)				\
	X(live_kb, U64, GAUGE, KIB)				\
	X(live_allocs, U64, GAUGE, ALLOCS)			\
	X(hits, U64, COUNTER, ALLOCS)				\
	X(kb, U64, COUNTER, KIB)				\
	X(frees, U64, COUNTER, ALLOCS)				\
	X(bulk_allocs, U64, COUNTER, ALLOCS)			\
	X(failed, U64, COUNTER, ALLOCS)

/* Live pages: each line is a run of consecutive live pages of one page allocation. */
#define KMA_PAGES_COLUMNS(X)	\
	X(pfn, U64, KEY, NONE)					\
	X(pages, U64, GAUGE, PAGES)				\
	X(order, U64, KEY, NONE)				\
	X(migratetype, TYPE, KEY, NONE)				\
	X(gfp, HEX, KEY, NONE)					\
	X(age_ms, U64, GAUGE, MS)				\
	X(cpu, U64, KEY, NONE)					\
	X(node, ID, KEY, NONE)					\
	X(pid, ID, KEY, NONE)					\
	X(weight, MILLI, GAUGE, ALLOCS)				\
	X(site, LABEL, KEY, NONE)

/* The per-CPU lists of free pages, by CPU and by the node of the pages. */
#define KMA_PCPU_COLUMNS(X)	\
	X(cpu, U64, KEY, NONE)					\
	X(node, U64, KEY, NONE)					\
	X(refill_pages, U64, COUNTER, PAGES)			\
	X(refills, U64, COUNTER, EVENTS)			\
	X(drain_pages, U64, COUNTER, PAGES)			\
	X(drains, U64, COUNTER, EVENTS)				\
	X(imbalance_pages, S64, GAUGE, PAGES)			\
	X(direct_pages, U64, COUNTER, PAGES)			\
	X(directs, U64, COUNTER, EVENTS)			\
	X(batched, U64, COUNTER, EVENTS)

/* Allocations that took pages of another migrate type (fallbacks). */
#define KMA_EXTFRAG_COLUMNS(X)	\
	X(fallbacks, U64, COUNTER, EVENTS)			\
	X(fragmenting, U64, COUNTER, EVENTS)			\
	X(severe, U64, COUNTER, EVENTS)				\
	X(moderate, U64, COUNTER, EVENTS)			\
	X(changed, U64, COUNTER, EVENTS)			\
	X(alloc_order, U64, KEY, NONE)				\
	X(fallback_order, U64, KEY, NONE)			\
	X(alloc_type, TYPE, KEY, NONE)				\
	X(fallback_type, TYPE, KEY, NONE)			\
	X(site, LABEL, KEY, NONE)

/* Events, counted for the running process or for its cgroup. */
#define KMA_ACCT_COLUMNS(X)	\
	X(net_pages, S64, GAUGE, PAGES)				\
	X(alloc_pages, U64, COUNTER, PAGES)			\
	X(allocs, U64, COUNTER, ALLOCS)				\
	X(free_pages, U64, COUNTER, PAGES)			\
	X(frees, U64, COUNTER, ALLOCS)				\
	X(batched, U64, COUNTER, ALLOCS)			\
	X(zone_locked, U64, COUNTER, ALLOCS)			\
	X(refills, U64, COUNTER, PAGES)				\
	X(drained, U64, COUNTER, PAGES)				\
	X(drains, U64, COUNTER, EVENTS)				\
	X(fallbacks, U64, COUNTER, EVENTS)			\
	X(fragmenting, U64, COUNTER, EVENTS)			\
	X(severe, U64, COUNTER, EVENTS)				\
	X(moderate, U64, COUNTER, EVENTS)			\
	X(changed, U64, COUNTER, EVENTS)			\
	X(slab_hits, U64, COUNTER, OBJS)			\
	X(slab_bytes, U64, COUNTER, BYTES)			\
	X(stall_us, U64, COUNTER, US)

/* Events by process. */
#define KMA_TASKS_COLUMNS(X)	\
	KMA_ACCT_COLUMNS(X)	\
	X(tgid, ID, KEY, NONE)					\
	X(parent, ID, KEY, NONE)				\
	X(comm, LABEL, KEY, NONE)

/* Events by cgroup. */
#define KMA_CGROUPS_COLUMNS(X)	\
	KMA_ACCT_COLUMNS(X)	\
	X(cgroup_id, ID, KEY, NONE)				\
	X(cgroup, LABEL, KEY, NONE)

/*
 * Allocations by command and call site, and by command and system call.  The label is the
 * command, a semicolon, and the call site or the system call.
 */
#define KMA_COMM_COLUMNS(X)	\
	X(alloc_pages, U64, COUNTER, PAGES)			\
	X(allocs, U64, COUNTER, ALLOCS)				\
	X(slab_hits, U64, COUNTER, OBJS)			\
	X(slab_bytes, U64, COUNTER, BYTES)			\
	X(stall_us, U64, COUNTER, US)

#define KMA_COMM_SITES_COLUMNS(X)	\
	KMA_COMM_COLUMNS(X)	\
	X(comm_site, LABEL, KEY, NONE)

#define KMA_COMM_SYSCALLS_COLUMNS(X)	\
	KMA_COMM_COLUMNS(X)	\
	X(comm_syscall, LABEL, KEY, NONE)

/* Allocations by cgroup and call site, for chosen cgroups. */
#define KMA_CGROUP_SITES_COLUMNS(X)	\
	KMA_COMM_COLUMNS(X)	\
	X(cgroup_id, ID, KEY, NONE)				\
	X(site, LABEL, KEY, NONE)

/*
 * Failed allocations of objects and of pages.  The order is that of pages, and `-` for an object.
 * A row of objects has requests of more than half of size_class, and of at most size_class.  The
 * label is the command, a semicolon, and the call site; or [other], with the gfp flags 0xffffffff.
 */
#define KMA_FAILURES_COLUMNS(X)	\
	X(failed, U64, COUNTER, EVENTS)				\
	X(nowarn, U64, COUNTER, EVENTS)				\
	X(order, ID, KEY, NONE)					\
	X(size_class, U64, KEY, BYTES)				\
	X(bytes, U64, MAX, BYTES)				\
	X(gfp, HEX, KEY, NONE)					\
	X(task_site, LABEL, KEY, NONE)

/* How long phases took, in `latency` and `waits`. */
#define KMA_TIMES_COLUMNS(X)	\
	X(count, U64, COUNTER, PHASES)				\
	X(total_us, U64, COUNTER, US)				\
	X(mean_us, MILLI, RATIO, US)				\
	X(max_us, U64, MAX, US)

/*
 * A histogram of these times.  The column us_N counts those of at least N us and less than 2 N;
 * us_1 also has the shorter ones, and the last column the longer ones.
 */
#define KMA_BUCKETS_COLUMNS(X)	\
	X(us_1, U64, COUNTER, PHASES)				\
	X(us_2, U64, COUNTER, PHASES)				\
	X(us_4, U64, COUNTER, PHASES)				\
	X(us_8, U64, COUNTER, PHASES)				\
	X(us_16, U64, COUNTER, PHASES)				\
	X(us_32, U64, COUNTER, PHASES)				\
	X(us_64, U64, COUNTER, PHASES)				\
	X(us_128, U64, COUNTER, PHASES)				\
	X(us_256, U64, COUNTER, PHASES)				\
	X(us_512, U64, COUNTER, PHASES)				\
	X(us_1024, U64, COUNTER, PHASES)			\
	X(us_2048, U64, COUNTER, PHASES)			\
	X(us_4096, U64, COUNTER, PHASES)			\
	X(us_8192, U64, COUNTER, PHASES)			\
	X(us_16384, U64, COUNTER, PHASES)			\
	X(us_32768, U64, COUNTER, PHASES)			\
	X(us_65536, U64, COUNTER, PHASES)			\
	X(us_131072, U64, COUNTER, PHASES)			\
	X(us_262144, U64, COUNTER, PHASES)			\
	X(us_524288, U64, COUNTER, PHASES)			\
	X(us_1048576, U64, COUNTER, PHASES)			\
	X(us_2097152, U64, COUNTER, PHASES)			\
	X(us_4194304, U64, COUNTER, PHASES)			\
	X(us_8388608, U64, COUNTER, PHASES)

/* Phases of reclaim and compaction.  The label is who waited, a colon, and the phase. */
#define KMA_LATENCY_COLUMNS(X)	\
	KMA_TIMES_COLUMNS(X)	\
	X(scanned, U64, COUNTER, PAGES)				\
	X(reclaimed, U64, COUNTER, PAGES)			\
	KMA_BUCKETS_COLUMNS(X)	\
	X(phase, LABEL, KEY, NONE)

/*
 * Shrinkers.  The label is the function that scans, and the file system and device, or the number
 * of the row.
 */
#define KMA_SHRINKERS_COLUMNS(X)	\
	X(calls, U64, COUNTER, CALLS)				\
	X(total_us, U64, COUNTER, US)				\
	X(mean_us, MILLI, RATIO, US)				\
	X(max_us, U64, MAX, US)					\
	X(waited_us, U64, COUNTER, US)				\
	X(scanned, U64, COUNTER, OBJS)				\
	X(freed, U64, COUNTER, OBJS)				\
	X(counts, U64, COUNTER, CALLS)				\
	X(count_us, U64, COUNTER, US)				\
	X(shrinker, LABEL, KEY, NONE)

/*
 * Causes that allocations waited for.  The label is the call site, a semicolon, and the cause;
 * after a colon, the shrinker, or the reason for throttling.
 */
#define KMA_STALLS_COLUMNS(X)	\
	X(total_us, U64, COUNTER, US)				\
	X(count, U64, COUNTER, PHASES)				\
	X(mean_us, MILLI, RATIO, US)				\
	X(max_us, U64, MAX, US)					\
	X(order, ID, KEY, NONE)					\
	X(gfp, HEX, KEY, NONE)					\
	X(site_cause, LABEL, KEY, NONE)

/*
 * Waits: each is counted once, with the time of its outermost phase.  The label is the origin, as
 * in `latency`, a semicolon, and the call site.
 */
#define KMA_WAITS_COLUMNS(X)	\
	KMA_TIMES_COLUMNS(X)	\
	KMA_BUCKETS_COLUMNS(X)	\
	X(order, ID, KEY, NONE)					\
	X(origin_site, LABEL, KEY, NONE)

/*
 * Call sites that wake kswapd or kcompactd, and the time that the daemon then runs.  The label is
 * the daemon, the highest zone that the allocation may use, and the call site, with semicolons
 * between them.
 */
#define KMA_WAKERS_COLUMNS(X)	\
	X(wakeups, U64, COUNTER, EVENTS)			\
	X(runs, U64, COUNTER, PHASES)				\
	X(ran_us, U64, COUNTER, US)				\
	X(max_us, U64, MAX, US)					\
	X(order, ID, KEY, NONE)					\
	X(node, ID, KEY, NONE)					\
	X(daemon_zone_site, LABEL, KEY, NONE)

/*
 * The last phases that took as long as threshold_us says, or longer.  The label is the command, who
 * waited and the phase, the call site, the causes with their times, and the stack, with semicolons
 * between them.
 */
#define KMA_SLOW_COLUMNS(X)	\
	X(nr, U64, KEY, NONE)					\
	X(end_s, MILLI, GAUGE, S)				\
	X(us, U64, GAUGE, US)					\
	X(tgid, ID, KEY, NONE)					\
	X(pid, ID, KEY, NONE)					\
	X(cgroup_id, ID, KEY, NONE)				\
	X(order, ID, KEY, NONE)					\
	X(gfp, HEX, KEY, NONE)					\
	X(slow, LABEL, KEY, NONE)

/*
 * The cause of each incident: the time, the task, and its allocation if there was one.
 * stalled_us is set for the trigger stall, growth_bytes for growth and cgroup, victim for oom.  The
 * label has four parts: the trigger; the name of the task; the call site, the path of the cgroup
 * or the name of the victim; and the stack, whose functions have commas in between.
 */
#define KMA_INCIDENTS_COLUMNS(X)	\
	X(nr, U64, KEY, NONE)					\
	X(at_s, MILLI, GAUGE, S)				\
	X(bytes, U64, GAUGE, BYTES)				\
	X(complete, U64, KEY, NONE)				\
	X(stalled_us, ID, GAUGE, US)				\
	X(growth_bytes, ID, GAUGE, BYTES)			\
	X(victim, ID, KEY, NONE)				\
	X(tgid, ID, KEY, NONE)					\
	X(pid, ID, KEY, NONE)					\
	X(cgroup_id, ID, KEY, NONE)				\
	X(order, ID, KEY, NONE)					\
	X(gfp, HEX, KEY, NONE)					\
	X(incident, LABEL, KEY, NONE)

/* Patterns for the names of helpers: see match/skip.h. */
#define KMA_SKIP_COLUMNS(X)	\
	X(pages, U64, KEY, NONE)				\
	X(objects, U64, KEY, NONE)				\
	X(pattern, LABEL, KEY, NONE)

/* The gfp flags of this kernel: the meaning of the bits in the columns named gfp. */
#define KMA_GFP_FLAGS_COLUMNS(X)	\
	X(mask, HEX, KEY, NONE)					\
	X(flag, LABEL, KEY, NONE)

#endif /* KMEMACCT_ABI_H */
