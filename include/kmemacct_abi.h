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
 */
#ifndef KMEMACCT_ABI_H
#define KMEMACCT_ABI_H

#define KMA_NAME		"kmemacct"
#define KMA_FORMAT_VERSION	2

/* Longest command that `control` takes, in bytes. */
#define KMA_CONTROL_MAX		255

/*
 * X(name, format): the columns of a table in the order of a line.  Formats:
 *   U64	decimal
 *   MILLI	decimal with three digits after the point
 *   PTR	an address, as kernel.kptr_restrict lets it be seen
 *   ID		decimal, or `-` where there is none
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
	X(frag_pct, MILLI)

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
	X(site, LABEL)

#endif /* KMEMACCT_ABI_H */
