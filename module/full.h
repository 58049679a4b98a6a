/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables that are full.
 *
 * A full table is a normal state: an event that finds no room in it is counted, and costs no more
 * than other events.  But the tables then show less, so the kernel log says once what to set, and
 * the heads of the tables say which table is full.
 *
 * Context, unless a function says otherwise: process; kma_lock is held.
 */
#ifndef KMA_FULL_H
#define KMA_FULL_H

#include "core/stat.h"

struct seq_file;

/**
 * enum kma_full_of - what a full table counts
 * @KMA_FULL_OBJECTS: objects
 * @KMA_FULL_PAGES: pages
 * @KMA_FULL_COUNTMAPS: events, by a key
 */
enum kma_full_of {
	KMA_FULL_OBJECTS,
	KMA_FULL_PAGES,
	KMA_FULL_COUNTMAPS,
};

/* Forget which tables were full.  Context: process; kma_full_turn() is not called meanwhile. */
void kma_full_start(void);

/* Warn about tables that are full, once for each since load.  Call this about once a second. */
void kma_full_turn(void);

/*
 * Print which tables of this kind were full since the last reset, as ` full=NAME,NAME`; nothing if
 * none was.  @stats are the module's own counters since the last reset.  Context: process.
 */
void kma_full_show(struct seq_file *seq, enum kma_full_of of, const struct kma_stats *stats);

#endif /* KMA_FULL_H */
