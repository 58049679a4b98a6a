/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The golden tables of the module's report tests, whole: what those check line
 * by line is what the reader has to understand.
 */
#ifndef READER_TEST_GOLDEN_H
#define READER_TEST_GOLDEN_H

#include "../../../kunit/golden.h"

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
};

#endif /* READER_TEST_GOLDEN_H */
