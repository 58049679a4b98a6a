/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The golden tables of the module's report tests, whole: what those check line
 * by line is what the reader has to understand.
 */
#ifndef READER_TEST_GOLDEN_H
#define READER_TEST_GOLDEN_H

#include "../../../kunit/golden.h"

#define EXACT_COLUMNS \
	"live_bytes live_objs hits bytes_req bytes_alloc frees bytes_freed" \
	" no_entry pingpong cross_node bulk_objs bulk_bytes confirmed_bytes frag_pct"

static const struct golden {
	const char *table;
	const char *text;
} golden[] = {
	{ "callers", KMA_GOLDEN_HEAD("callers", KMA_GOLDEN_QUIET)
		     KMA_GOLDEN_CALLERS_COLUMNS KMA_GOLDEN_CALLERS_ROWS },
	{ "caches", KMA_GOLDEN_HEAD("caches", KMA_GOLDEN_QUIET)
		    KMA_GOLDEN_CACHES_COLUMNS KMA_GOLDEN_CACHES_ROWS },
	{ "allocs", KMA_GOLDEN_HEAD("allocs", KMA_GOLDEN_LOSSES)
		    KMA_GOLDEN_ALLOCS_COLUMNS
		    "ffff888001234040 " KMA_GOLDEN_ALLOCS_ROW_1
		    "ffff888001234000 " KMA_GOLDEN_ALLOCS_ROW_2 },
	{ "summary", KMA_GOLDEN_HEAD("summary", KMA_GOLDEN_QUIET)
		     KMA_GOLDEN_PAIR_COLUMNS KMA_GOLDEN_PAIR_ROWS },
	{ "stats", KMA_GOLDEN_HEAD("stats", KMA_GOLDEN_LOSSES)
		   KMA_GOLDEN_PAIR_COLUMNS },
	/* Before anything was sampled. */
	{ "stacks", KMA_GOLDEN_HEAD("stacks", KMA_GOLDEN_QUIET)
		    "# " EXACT_COLUMNS " stack\n" },
};

/* Tables of what was sampled, written by hand. */
#define SAMPLED_HEAD(table) \
	"# kmemacct " table " 3 sample_bytes=524288 " KMA_GOLDEN_QUIET "\n"

#define SAMPLED_COLUMNS(label) \
	"# " EXACT_COLUMNS " samples live_samples live_bytes_se live_objs_se hits_se bytes_req_se" \
	" bytes_alloc_se frees_se bytes_freed_se no_entry_se pingpong_se" \
	" cross_node_se bulk_objs_se bulk_bytes_se confirmed_bytes_se " label "\n"

/* A column is its number, and 100 more for each row. */
#define SAMPLED_ROW_1 \
	"1 2 3 4 5 6 7 8 9 10 11 12 13 0.014 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 "
#define SAMPLED_ROW_2 \
	"101 102 103 104 105 106 107 108 109 110 111 112 113 0.114 115 116 117 118 119" \
	" 120 121 122 123 124 125 126 127 128 129 "

/* Sampled live objects: of 1 in 100 of 64 bytes, of 1 in 2, and an exact one. */
#define SAMPLED_ALLOCS \
	SAMPLED_HEAD("allocs") \
	"# ptr bytes_req bytes_alloc age_ms cpu node pid weight site\n" \
	"ffff888000001000 60 64 5000 0 0 1 100.000 a+0x1\n" \
	"ffff888000002000 60 64 7000 0 0 1 100.000 a+0x1\n" \
	"ffff888000003000 4000 4096 6000 1 - - 2.000 a+0x1\n" \
	"ffff888000004000 30 32 5000 0 0 1 1.000 b+0x1\n" \
	"ffff888000005000 60 64 10 0 0 1 99.999 c+0x1\n"

static const struct golden sampled[] = {
	{ "callers", SAMPLED_HEAD("callers") SAMPLED_COLUMNS("site")
		     SAMPLED_ROW_1 "a+0x1\n" SAMPLED_ROW_2 "b+0x2 [mod]\n" },
	{ "allocs", SAMPLED_ALLOCS },
	{ "summary", SAMPLED_HEAD("summary") KMA_GOLDEN_PAIR_COLUMNS
		     "bytes_allocated 1000\nbytes_allocated_se 100\n"
		     "bytes_net -50\nbytes_net_se 100\n"
		     "frag_pct 37.500\n"
		     "live_objs 10\nlive_objs_se 0\n"
		     "events_kfree 7\n" },
	{ "stacks", SAMPLED_HEAD("stacks") SAMPLED_COLUMNS("stack")
		    SAMPLED_ROW_1 "do_one+0x1;mid+0x2 [mod];a+0x1\n"
		    SAMPLED_ROW_2 "b+0x2 [mod]\n" },
};

#endif /* READER_TEST_GOLDEN_H */
