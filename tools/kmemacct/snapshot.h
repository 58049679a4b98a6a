/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snapshots: all tables of the module in one file, to be looked at later or on another machine.
 *
 * A snapshot is a compressed tar archive of the module's files, as they were read.  Its first
 * member is the manifest, which has the form of a table.  A second line of its head is the identity
 * of the tables, and each of its rows is about one file:
 *
 *	# kmemacct manifest 1 taken_s=1764136440 uptime_ms=8640123 program=0.9.0 build=...
 *	# load_id=0x... loaded_s=... kernel=6.1.0-42-amd64 version=0.9.0 resets=0 module_changes=0
 *	# bytes crc32 file
 *	51234 0x7a9f10c4 callers
 *	...
 *	1021 0x00b4de12 manifest
 *
 * taken_s	the time of day, in seconds since 1970
 * uptime_ms	the time since boot, with the time asleep
 * program	the version of kmemacct that made the snapshot
 * build	the kernel's /proc/version, with its blanks replaced: two kernels of the same
 *		release may be different builds
 *
 * Each row has the length of a file and its checksum, CRC-32.  The last row is about the text
 * of the manifest up to this row.  So it is noticed if the file is truncated or damaged, whatever
 * it was packed with.
 *
 * Its version counts by itself.  It changes only if a name in it gets another meaning.
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "base.h"

#define SNAPSHOT_VERSION	1

/* The columns of the manifest, as kmemacct_abi.h has those of tables. */
#define SNAPSHOT_COLUMNS(X)	\
	X(bytes, U64, GAUGE, BYTES)	\
	X(crc32, HEX, GAUGE, NONE)	\
	X(file, LABEL, KEY, NONE)

struct snapshot;
struct table;

/**
 * snapshot_take() - make a snapshot
 * @path: the file; `-` is standard output
 * @tables: the tables, with commas between their names; NULL: all
 *
 * The file appears under its name only when it is complete.
 *
 * Return: 0, or -1 after calling fail().
 */
int snapshot_take(const char *path, const char *tables);

/*
 * Read a snapshot and check that it is complete.  `-` is standard input.
 * Return: the snapshot, or NULL after calling fail().
 */
struct snapshot *snapshot_open(const char *path);

/* The same for a snapshot in memory, as the fuzzer has it. */
struct snapshot *snapshot_parse(const void *data, size_t size, const char *path);

/* Free a snapshot, after its tables; @s may be NULL. */
void snapshot_free(struct snapshot *s);

/*
 * Get a table of a snapshot.
 * Return: a new table, or NULL after calling fail().
 */
struct table *snapshot_table(const struct snapshot *s, const char *name);

/*
 * Get the text of a file of a snapshot.
 * Return: the text, or NULL after calling fail().
 */
const char *snapshot_text(const struct snapshot *s, const char *name);

/* Return: a field of the manifest, or "" if it has no such field. */
const char *snapshot_field(const struct snapshot *s, const char *key);

/* Return: a number of the manifest, or 0. */
u64 snapshot_number(const struct snapshot *s, const char *key);

/*
 * Return: /proc/version without blanks, as the manifest has it, which the caller frees; NULL if
 * it cannot be read.
 */
char *snapshot_build(void);

/* Return: the name of the file. */
const char *snapshot_path(const struct snapshot *s);

#endif /* SNAPSHOT_H */
