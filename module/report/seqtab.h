/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A table as a file.
 *
 * Opening the file takes a snapshot: the table's fill() makes the rows, which are then
 * merged and sorted once.  If the table is about objects, stale entries are removed from the live
 * table first (kma_state_sweep()).  This takes time in proportion to the size of the live
 * table, so other tables must not show what depends on it.
 *
 * Reading only prints the rows, so that a slow reader, or one with a tiny buffer, gets one
 * consistent table.  Closing the file frees the snapshot.
 *
 * A table is a line in KMA_TABLES, with its name and its columns, and a struct kma_table_ops in a
 * source file of its own, or in that of similar tables.
 *
 * Context, unless a function says otherwise: process, may sleep.
 */
#ifndef KMA_REPORT_SEQTAB_H
#define KMA_REPORT_SEQTAB_H

#include <linux/fs.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/types.h>

#include "../../include/kmemacct_abi.h"
#include "../core/stat.h"
#include "../countmaps.h"
#include "../identity.h"
#include "../resolve/symbol.h"
#include "../sitecount.h"
#include "../trace/acct_track.h"
#include "names.h"

/* Largest number of keys of a sort order. */
#define KMA_SORT_KEYS	4

struct kma_countmap_info;
struct kma_map_row;
struct kma_snapshot;
struct poll_table_struct;

/**
 * enum kma_format - how a column is printed; see kmemacct_abi.h
 * @KMA_FORMAT_U64: decimal
 * @KMA_FORMAT_S64: decimal, with a sign if it is negative, or `-` for KMA_UNKNOWN
 * @KMA_FORMAT_MILLI: thousandths, as decimal with three digits after the point
 * @KMA_FORMAT_PTR: an address, as kernel.kptr_restrict allows it
 * @KMA_FORMAT_ID: decimal, or `-` for KMA_NO_ID
 * @KMA_FORMAT_TYPE: the name of a migrate type
 * @KMA_FORMAT_HEX: hexadecimal, with 0x
 * @KMA_FORMAT_LIST: numbers with commas in between, which @show of the table prints
 * @KMA_FORMAT_LABEL: text up to the end of the line
 */
enum kma_format {
	KMA_FORMAT_U64,
	KMA_FORMAT_S64,
	KMA_FORMAT_MILLI,
	KMA_FORMAT_PTR,
	KMA_FORMAT_ID,
	KMA_FORMAT_TYPE,
	KMA_FORMAT_HEX,
	KMA_FORMAT_LIST,
	KMA_FORMAT_LABEL,
};

/* The value of a column of KMA_FORMAT_S64 that is printed as `-`. */
#define KMA_UNKNOWN	S64_MIN

/* The value of a column of KMA_FORMAT_ID that is printed as `-`. */
#define KMA_NO_ID	U64_MAX

/**
 * struct kma_column - a column of a table
 * @name: its name
 * @format: how it is printed
 */
struct kma_column {
	const char *name;
	enum kma_format format;
};

/**
 * struct kma_sort - the order of a table's rows
 * @key: columns that rows are compared by; the first one that differs decides
 * @nr: number of keys; 0 to keep the order in which fill() has added the rows
 *
 * Numbers are sorted from large to small, labels alphabetically.
 */
struct kma_sort {
	u8 key[KMA_SORT_KEYS];
	u8 nr;
};

/**
 * struct kma_table_ops - what a table is made from, and how its rows are made
 * @row_size: bytes of one row in a snapshot
 * @sort: the order of the rows
 * @pages: the table is about pages
 * @past: the table shows only what was noted at marks (marks.h)
 * @chooses: if the snapshot has a limit, @fill makes only the rows that are needed
 * @countmap: the countmap that the table is made from; KMA_COUNTMAP_NONE if there is none
 * @fill: makes the rows of a snapshot; called with kma_lock held; may sleep, and may drop the
 *	lock by kma_snapshot_pause(); returns 0 or an error; after an error, the caller of @fill
 *	frees the rows
 * @describe: for kma_rows_map_fill() only: sets the @id of a row and returns its label, which may
 *	be in @buf; @info is NULL for the row [other]
 * @merge: merges rows that belong together; called once, after @fill, without kma_lock; NULL if
 *	there is nothing to merge
 * @head: prints more fields of the head, each after a blank; NULL if there are none
 * @value: returns the value of a column that is not the label
 * @label: returns the label of a row
 * @poll: returns the events of poll() for an open file; NULL if the table does not tell
 * @show: prints one row; NULL for a table whose lines are columns
 *
 * Each table of KMA_TABLES has one, kma_NAME_ops, in the source file of the table.
 */
struct kma_table_ops {
	size_t row_size;
	struct kma_sort sort;
	bool pages;
	bool past;
	bool chooses;
	enum kma_countmap_of countmap;
	int (*fill)(struct kma_snapshot *snap);
	const char *(*describe)(struct kma_map_row *row, const struct kma_countmap_info *info,
				char buf[KMA_SYMBOL_LEN]);
	void (*merge)(struct kma_snapshot *snap);
	void (*head)(struct seq_file *seq, const struct kma_snapshot *snap);
	u64 (*value)(const struct kma_snapshot *snap, const void *row, int column);
	const char *(*label)(const struct kma_snapshot *snap, const void *row);
	__poll_t (*poll)(const struct kma_snapshot *snap, struct file *file,
			 struct poll_table_struct *wait);
	void (*show)(struct seq_file *seq, const struct kma_snapshot *snap,
		     const void *row);
};

/* kma_callers_ops, kma_allocs_ops and so on: one for each table of KMA_TABLES. */
#define X(name, columns) extern const struct kma_table_ops kma_##name##_ops;
KMA_TABLES(X)
#undef X

/**
 * struct kma_table - a table: tables.c makes one from each line of KMA_TABLES
 * @name: name of its file
 * @columns: the columns; if there is a label, it is the last one
 * @nr_columns: number of columns
 * @ops: how its rows are made
 */
struct kma_table {
	const char *name;
	const struct kma_column *columns;
	int nr_columns;
	const struct kma_table_ops *ops;
};

/**
 * struct kma_snapshot - a table at the moment it was opened
 * @table: the table
 * @rows: the rows
 * @nr_rows: number of rows
 * @max_rows: number of rows there is room for
 * @sample_bytes: kma_sampling_now() or, for a table about pages, kma_pages_bytes()
 * @sampled: something has been sampled, so that numbers may be estimates
 * @cut: number of rows left out because the table grew while it was copied
 * @now: time of the snapshot, kma_env_now()
 * @window_ns: time from the event @since to the snapshot, in ns
 * @since: the event at which counting began: "load", "reset", or "on" for a table whose
 *	counting was switched on later
 * @stats: the module's own counters, since load or the last reset
 * @pages: the value of the setting `pages`
 * @account: the value of the setting `account`
 * @off: kma_baseline_missed() of objects or, for a table about pages, of pages
 * @filter_now: criteria of the filter that are set
 * @filter: criteria of the filter that were set at any time since the last reset or load
 * @filter_ever: criteria of the filter that were set at any time since load
 * @names: the names that labels point to
 * @windows: for tables with the columns change_*, the mark at which each window begins
 * @marks: for `history` and `marks`, the marks that there are; NULL for other tables
 * @latency: the value of the setting `latency`
 * @identity: which load of the module this is, and what has changed since then
 * @recycled: number of rows of the table's countmap that were recycled since the last reset; for
 *	tables of owners, of numbers since load
 * @last: for @poll of struct kma_table_ops
 * @changes: kma_state_changes() when the snapshot was begun
 * @steps: number of calls of kma_snapshot_pause()
 * @keep_lock: the snapshot is made without dropping kma_lock
 * @limit: 0, or the number of rows that are needed; see @chooses of struct kma_table_ops
 */
struct kma_snapshot {
	const struct kma_table *table;
	void *rows;
	size_t nr_rows;
	size_t max_rows;
	u64 sample_bytes;
	bool sampled;
	u64 cut;
	u32 now;
	u64 window_ns;
	const char *since;
	struct kma_stats stats;
	const char *pages;
	char account[KMA_ACCT_LEN];
	u64 off;
	u32 filter_now;
	u32 filter;
	u32 filter_ever;
	struct kma_names *names;
	struct kma_history_mark windows[KMA_WINDOWS];
	struct kma_history_marks *marks;
	const char *latency;
	struct kma_identity identity;
	u64 recycled;
	u64 last;
	u64 changes;
	u32 steps;
	bool keep_lock;
	u32 limit;
};

/*
 * Allocate memory for rows of a snapshot without rows.  The allocation fails rather than add to
 * memory pressure.  Returns 0 or -ENOMEM.
 */
int kma_snapshot_room(struct kma_snapshot *snap, size_t max_rows);

/* Add a row, zeroed; return NULL if there is no room left.  Context: any. */
void *kma_snapshot_add(struct kma_snapshot *snap);

/* Remove the row that was added last.  Context: any. */
void kma_snapshot_drop(struct kma_snapshot *snap);

/*
 * After each step of a long @fill, which should take at most 0.1 ms or so, let others have
 * kma_lock, which is held: drop the lock and take it again after every few steps.  Rows have to be
 * complete, except for names; see kma_lock about what may happen meanwhile.  Returns 0; -EAGAIN if
 * the snapshot has to be begun again, which is what the caller of @fill does if @fill returns this;
 * or -EINTR if the process is being killed.
 */
int kma_snapshot_pause(struct kma_snapshot *snap);

/*
 * Make the names that kma_names_need() has asked for.  kma_lock is held, and may be dropped in
 * between.  Returns 0, -ENOMEM, -EAGAIN or -EINTR, for @fill to return.
 */
int kma_snapshot_name_sites(struct kma_snapshot *snap);

void kma_snapshot_sort(struct kma_snapshot *snap, const struct kma_sort *sort);

/*
 * Take a snapshot, for kma_snapshot_close(); or return an error pointer.  @limit is 0, or the
 * number of rows that are needed.  Takes kma_lock.
 */
struct kma_snapshot *kma_snapshot_open(const struct kma_table *table, u32 limit);

/* Free a snapshot, or NULL. */
void kma_snapshot_close(struct kma_snapshot *snap);

/* Number of page allocations that no record of a page has, since load or the last reset. */
u64 kma_snapshot_pages_dropped(const struct kma_snapshot *snap);

/*
 * The percentage, in thousandths, of freed objects whose free was seen, among all objects that are
 * known to have been freed.  A missed free is noticed only when the object's address is allocated
 * again or its page is freed.  @v are the counters of struct kma_stats.  Context: any.
 */
u64 kma_coverage_milli(const u64 *v);

/* Print the lines above the rows. */
void kma_show_head(struct seq_file *seq, const struct kma_snapshot *snap);

void kma_show_row(struct seq_file *seq, const struct kma_snapshot *snap, const void *row);

/*
 * Make a text that users choose, such as the name of a thread, fit for a label: replace control
 * characters, so that each row is one line, and a blank at either end, because programs that read
 * the table would drop it.
 */
void kma_label_clean(char *text);

/* Print @milli thousandths with three digits after the point, in at least @width characters. */
void kma_show_milli(struct seq_file *seq, int width, u64 milli);

/* The file operations of tables: in debugfs, and in procfs. */
extern const struct file_operations kma_table_fops;
extern const struct proc_ops kma_table_proc_ops;

#endif /* KMA_REPORT_SEQTAB_H */
