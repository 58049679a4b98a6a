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
 * uptime_ms	the time since boot, including time in suspend
 * program	the version of kmemacct that made the snapshot
 * build	the kernel's /proc/version, with its blanks replaced: two kernels of the same
 *		release may be different builds
 *
 * Each row has the length of a file and its checksum, CRC-32.  The last row is about the text of
 * the manifest up to this row.  So truncated and damaged files are noticed, whatever they were
 * packed with.
 *
 * The file `reclaimable` is not a file of the module: it has the names of the slab caches that the
 * kernel could shrink.  Snapshots of machines without /sys/kernel/slab do not have it, nor do
 * those of earlier versions of kmemacct.
 *
 * The manifest has a version of its own, which changes only if a name in the manifest gets another
 * meaning.
 *
 * An incident, which is one of the module's files incident1 to incident8 or a copy of it, is read
 * as a snapshot, too.  Its text has several tables one after the other.  The first one
 * is `incidents` with the row of this incident, which has the length of the text that follows.
 * The manifest of an incident is made while the incident is read.  Snapshots have the files of
 * incidents, too.
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "table.h"

#define SNAPSHOT_VERSION	1
#define SNAPSHOT_MANIFEST	"manifest"
#define SNAPSHOT_RECLAIMABLE	"reclaimable"
/* Before the number of an incident */
#define SNAPSHOT_INCIDENT	"incident"

/* The columns of the manifest, in the form of the lists of columns in kmemacct_abi.h. */
#define SNAPSHOT_COLUMNS(X)	\
	X(bytes, U64, GAUGE, BYTES)	\
	X(crc32, HEX, GAUGE, NONE)	\
	X(file, LABEL, KEY, NONE)

/**
 * struct source - where tables come from
 * @path: name of a snapshot's file; NULL: the module
 * @incident: the snapshot is an incident
 * @files: its files
 * @manifest: its manifest
 * @taken: when it was taken, as the heads of its tables show it
 */
struct source {
	const char *path;
	bool incident;
	struct files files;
	struct table *manifest;
	char taken[64];
};

/* Return: the checksum of a file. */
u64 snapshot_checksum(const char *text, size_t len);

/* For a snapshot, the functions source_table() and source_text() of table.h. */
struct table *snapshot_table(const struct source *s, const char *name);
char *snapshot_text(const struct source *s, const char *name, size_t *len);

/* Return: a field of the manifest, or ""; a number of it, or 0. */
const char *snapshot_field(const struct source *s, const char *key);
u64 snapshot_number(const struct source *s, const char *key);

/* Like source_incident(), for the file @name of a snapshot. */
struct source *snapshot_incident(const struct source *s, const char *name, char path[FILE_PATH]);

#endif /* SNAPSHOT_H */
