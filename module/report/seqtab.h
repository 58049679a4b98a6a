/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A table as a file.
 *
 * Opening takes a snapshot: the table's fill() makes the rows, they are sorted
 * once, and reading only prints them.  So a reader with a tiny buffer, or a
 * slow one, gets one consistent table.  Closing frees it.
 *
 * A table is one file with a struct kma_table, and one line in tables.c.
 */
#ifndef KMA_REPORT_SEQTAB_H
#define KMA_REPORT_SEQTAB_H

#include <linux/fs.h>
#include <linux/proc_fs.h>
#include <linux/types.h>

#include "../../include/kmemacct_abi.h"
#include "../core/stat.h"
#include "../countmaps.h"
#include "../trace/acct_track.h"
#include "names.h"

/* Keys of one sort order. */
#define KMA_SORT_KEYS	4

struct seq_file;
struct kma_snapshot;

enum kma_format {
	KMA_FORMAT_U64,
	KMA_FORMAT_S64,
	KMA_FORMAT_MILLI,
	KMA_FORMAT_PTR,
	KMA_FORMAT_ID,
	KMA_FORMAT_TYPE,
	KMA_FORMAT_HEX,
	/* Columns of these are only there once something has been sampled. */
	KMA_FORMAT_SAMPLED,
	KMA_FORMAT_SAMPLED_MILLI,
	KMA_FORMAT_LABEL,
};

/* Value of a column of KMA_FORMAT_ID that prints as `-`. */
#define KMA_NO_ID	U64_MAX

struct kma_column {
	const char *name;
	enum kma_format format;
};

/* For an array of columns out of a list in kmemacct_abi.h. */
#define KMA_COLUMN(_name, _format) { #_name, KMA_FORMAT_##_format },

/**
 * struct kma_sort - the order of a table's rows
 * @key: columns that rows are compared by, the first that differs decides
 * @nr: how many; 0: as they were filled in
 *
 * Numbers descend, labels ascend.
 */
struct kma_sort {
	u8 key[KMA_SORT_KEYS];
	u8 nr;
};

/**
 * struct kma_table - a table
 * @name: its file
 * @columns: of a line; a label comes last
 * @nr_columns: how many
 * @row_size: bytes of one row
 * @sort: current order; protected by kma_lock
 * @pages: it is about pages
 * @countmap: what it is made of, if that is a countmap
 * @fill: make the rows of a snapshot; kma_lock is held; may sleep; 0 or an
 *	error, and then the snapshot is destroyed
 * @value: what a row has in a column that is not a label
 * @label: what it has in the one that is
 * @show: print one row; kma_show_row() for lines of columns
 */
struct kma_table {
	const char *name;
	const struct kma_column *columns;
	int nr_columns;
	size_t row_size;
	struct kma_sort sort;
	bool pages;
	enum kma_countmap_of countmap;
	int (*fill)(struct kma_snapshot *snap);
	u64 (*value)(const struct kma_snapshot *snap, const void *row, int column);
	const char *(*label)(const struct kma_snapshot *snap, const void *row);
	void (*show)(struct seq_file *seq, const struct kma_snapshot *snap,
		     const void *row);
};

/**
 * struct kma_snapshot - a table at the moment it was opened
 * @table: which
 * @sort: the order then
 * @rows: the rows
 * @nr_rows: how many
 * @max_rows: how many there is room for
 * @sample_bytes: kma_sampling_now() or, of blocks, kma_pages_bytes() then
 * @sampled: something has been sampled: there are more columns
 * @cut: rows left out because the table grew while it was copied
 * @now: time of the snapshot, kma_env_now()
 * @window_ns: since the last reset or load
 * @since: what it is since: load, reset, or when it began to be counted
 * @stats: the module's counters since then
 * @pages: how pages were tracked then
 * @account: the value of the setting `account` then
 * @filter: criteria of a filter that were set at any time since then
 * @filter_ever: since load
 * @names: what labels point to
 */
struct kma_snapshot {
	struct kma_table *table;
	struct kma_sort sort;
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
	u32 filter;
	u32 filter_ever;
	struct kma_names *names;
};

/**
 * kma_snapshot_room() - get memory for rows
 * @snap: the snapshot, without rows
 * @max_rows: how many
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM; ordinary memory pressure
 * is not made worse for the sake of a table.
 */
int kma_snapshot_room(struct kma_snapshot *snap, size_t max_rows);

/**
 * kma_snapshot_add() - one more row
 * @snap: the snapshot
 *
 * Context: any. Return: the row, zeroed, or NULL if there is no room left.
 */
void *kma_snapshot_add(struct kma_snapshot *snap);

/**
 * kma_snapshot_sort() - put rows into an order
 * @snap: the snapshot
 * @sort: the order
 *
 * Context: process, may sleep.
 */
void kma_snapshot_sort(struct kma_snapshot *snap, const struct kma_sort *sort);

/**
 * kma_snapshot_open() - a table as it is now
 * @table: which
 *
 * Context: process, may sleep; takes kma_lock. Return: the snapshot or an
 * error pointer.
 */
struct kma_snapshot *kma_snapshot_open(struct kma_table *table);

/* Give a snapshot back. Context: process, may sleep. */
void kma_snapshot_close(struct kma_snapshot *snap);

/* Print what stands above the rows. */
void kma_show_head(struct seq_file *seq, const struct kma_snapshot *snap);

/* Print a row column by column. */
void kma_show_row(struct seq_file *seq, const struct kma_snapshot *snap,
		  const void *row);

/* Print a number with three digits after the point. */
void kma_show_milli(struct seq_file *seq, int width, u64 milli);

/**
 * kma_table_column() - find a column by name
 * @table: the table
 * @name: the name
 *
 * Context: any. Return: its number or -ENOENT.
 */
int kma_table_column(const struct kma_table *table, const char *name);

extern const struct file_operations kma_table_fops;
extern const struct proc_ops kma_table_proc_ops;

/* kma_table_NAME for each NAME of KMA_TABLES, defined in NAME.c. */
#define X(name) extern struct kma_table kma_table_##name;
KMA_TABLES(X)
#undef X

#endif /* KMA_REPORT_SEQTAB_H */
