/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables that are full.
 *
 * A full table is a normal state: what finds no room in it is counted, and costs no more than
 * other events.  But the tables then show less, so the kernel log says once what to set, and the
 * heads of the tables say which table is full.
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

/**
 * kma_full_start() - forget which tables the log has said are full
 *
 * Context: process; kma_full_turn() is not called at the same time.
 */
void kma_full_start(void);

/**
 * kma_full_turn() - warn about tables that have become full, once for each since load
 *
 * Call this about once a second.
 *
 * Context: process; kma_lock is held.
 */
void kma_full_turn(void);

/**
 * kma_full_show() - print which tables were full since the last reset, as ` full=NAME,NAME`
 * @seq: where to print; nothing is printed if none was full
 * @of: only tables of this kind
 * @stats: the module's own counters since the last reset
 *
 * Context: process.
 */
void kma_full_show(struct seq_file *seq, enum kma_full_of of, const struct kma_stats *stats);

#endif /* KMA_FULL_H */
