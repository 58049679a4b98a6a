/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The settings of the module, as users see them.
 *
 * The module, the program that reads its tables, and tests use these lists, so that a setting is
 * described once.  module/setting.h has the module's side of each row.
 */
#ifndef KMEMACCT_SETTINGS_H
#define KMEMACCT_SETTINGS_H

/*
 * X(name, mode, unit, range, default, help): the settings.
 *
 * @mode is the mode of the parameter's file: 0400 for a setting that can only be set at load, 0600
 * for a setting that can be changed at any time.  @unit is "flag" if the value is 0 or 1.  @range
 * completes the sentence "NAME takes ...".  modinfo shows all but the mode.
 */
#define KMA_SETTINGS(X)							\
	X(enabled, 0600, "flag", "0 or 1", "1",				\
	  "record allocations")						\
	X(live_max, 0400, "objects", "0 to 1073741824", "0",		\
	  "live objects that the table always has room for; "	\
	  "0: as many as fit into 1/128 of the RAM, at least 65536")	\
	X(sites_max, 0400, "rows", "0, or 64 to 64000", "0",		\
	  "pairs of call site and cache that are counted separately, each in a row of its own; " \
	  "0: 8192, or as many as fit into 1/64 of the RAM, at least 512") \
	X(bulk, 0400, "mode", "auto or off", "auto",			\
	  "follow the functions that allocate or free without a tracepoint") \
	X(sample_bytes, 0600, "bytes", "0 or a power of two from 4K to 64M", "0", \
	  "sample objects, on average one per this many bytes; 0: record every object") \
	X(budget_pct, 0600, "percent of all CPUs", "0 to 100", "1",	\
	  "limit the module's CPU time, while objects are sampled, "	\
	  "by sampling fewer of them; 0: no limit")			\
	X(pages, 0600, "mode", "off, classes or sites", "off",		\
	  "track pages by order, migrate type and gfp flags (classes), "	\
	  "or by call site as well (sites); takes 16 bytes for each page of RAM") \
	X(page_sample_bytes, 0600, "bytes", "0 or a power of two from 4K to 64M", "0", \
	  "find the call sites of sampled page allocations only, "	\
	  "on average one per this many bytes; 0: of every page allocation") \
	X(account, 0600, "list",					\
	  "off, or a comma-separated list of tasks, cgroups, comm_sites, comm_syscalls", \
	  "off",							\
	  "count events by process (tasks), by cgroup (cgroups), "	\
	  "by command and call site (comm_sites), "			\
	  "by command and system call (comm_syscalls)")			\
	X(owners, 0600, "flag", "0 or 1", "1",				\
	  "record the process name, the cgroup and the charged cgroup of each object") \
	X(threshold_us, 0600, "microseconds",				\
	  "US or US,PHASE=US,..., where each US is 0 to 3600000000", "10000", \
	  "put phases of reclaim and compaction that take at least this long into table slow; " \
	  "US is for outermost phases, PHASE=US for a phase of table latency; 0: none") \
	X(trigger, 0600, "list",						\
	  "off, or a comma-separated list of oom, failure=ORDER, stall=TIME, "	\
	  "growth=SIZE/TIME, cgroup=SIZE/TIME, coverage=PERCENT", "oom,failure=10,stall=10s",	\
	  "keep what memory looks like when the OOM killer runs (oom), "	\
	  "pages of up to this order cannot be allocated (failure), "	\
	  "a task waits this long for memory (stall), a call site (growth) or what a cgroup is " \
	  "charged for (cgroup) grows by this much, "			\
	  "or fewer frees are seen (coverage)")				\
	X(oom_report, 0600, "flag", "0 or 1", "0",			\
	  "when no memory is left, print the largest and the fastest growing call sites " \
	  "to the kernel log")						\
	X(latency, 0600, "mode", "off, on or functions", "on",		\
	  "time reclaim and compaction by their tracepoints (on), "	\
	  "or by following their functions as well (functions)")	\
	X(filter, 0600, "list",						\
	  "off, or CRITERION VALUE pairs with ; between them, as for the command filter", \
	  "off",							\
	  "record only allocations that match all criteria")		\
	X(skip, 0600, "list",						\
	  "one or more of add PATTERN, del PATTERN and none, with ; between them", "", \
	  "change the list of helpers, functions that are not shown as call sites")

/*
 * X(name, range, help): the criteria of the filter, which `control` shows as filter_NAME.
 *
 * Each also takes `off`.
 */
#define KMA_CRITERIA(X)							\
	X(tgid, "the number of a process",				\
	  "record only allocations of this process")			\
	X(comm, "a thread's name of up to 15 characters, or a pattern without [! and [^", \
	  "record only allocations of threads of this name")		\
	X(cgroup, "the path of an existing cgroup, as after 0:: in /proc/PID/cgroup", \
	  "record only allocations of this cgroup and those below it")	\
	X(order, "N or N-M, orders of the page allocator",		\
	  "record only page allocations of these orders")		\
	X(node, "the number of a NUMA node",				\
	  "record only memory of this NUMA node")			\
	X(gfp, "0x and hex digits, or names in table gfp_flags joined by |", \
	  "record only allocations with all of these gfp flags")	\
	X(size, "N or N-M bytes, with K or M as unit",			\
	  "record only allocations of this size in bytes")		\
	X(module, "a module's name as in /proc/modules, or kernel",	\
	  "record only allocations by this module's code")

#endif /* KMEMACCT_SETTINGS_H */
