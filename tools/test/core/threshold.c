// SPDX-License-Identifier: GPL-2.0
/*
 * Tests module/core/threshold.h: texts of thresholds, what is refused and why, and the thresholds
 * of phases.
 *
 *   threshold
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <string.h>

#include "case.h"
#include "../../../module/core/threshold.h"

static char kma_why[KMA_THRESHOLD_WHY];

static int kma_parse(struct kma_thresholds *t, const char *text)
{
	static char copy[1024];

	memset(kma_why, 'x', sizeof(kma_why));
	snprintf(copy, sizeof(copy), "%s", text);
	return kma_thresholds_parse(t, copy, kma_why);
}

/* The text has to be taken, and its canonical form has to be @shown, which is taken as well. */
static void kma_expect_text(const char *text, const char *shown)
{
	struct kma_thresholds t, again;
	char buf[1024];

	kma_expect(!kma_parse(&t, text));
	kma_expect(kma_thresholds_print(&t, buf, sizeof(buf)) == strlen(shown));
	kma_expect(!strcmp(buf, shown));
	kma_expect(!kma_parse(&again, shown) && !memcmp(&t, &again, sizeof(t)));
}

static void kma_takes_texts(void)
{
	kma_expect_text("0", "0");
	kma_expect_text("10000", "10000");
	kma_expect_text("0010", "10");
	kma_expect_text("3600000000", "3600000000");
	kma_expect_text("10000,compaction=1000,shrinker=500", "10000,shrinker=500,compaction=1000");
	kma_expect_text("0,kcompactd=0,alloc_slow_path=3600000000",
			"0,alloc_slow_path=3600000000,kcompactd=0");
	/* The name of one phase is the beginning of another one's. */
	kma_expect_text("1,kswapd=2,shrink_slab=4,do_shrink_slab=3",
			"1,kswapd=2,shrink_slab=4,do_shrink_slab=3");
}

static void kma_expect_refused(const char *text, const char *why)
{
	struct kma_thresholds t;

	kma_expect(kma_parse(&t, text) == -EINVAL);
	kma_expect_ok(!strcmp(kma_why, why) ? NULL : kma_why);
}

static void kma_refuses_texts(void)
{
	static const char *const first[][2] = {
		{ "", "" }, { "x", "x" }, { "-1", "-1" }, { "+1", "+1" }, { "1 ", "1 " },
		{ "0x10", "0x10" }, { "1.5", "1.5" }, { "10ms,shrinker=1", "10ms" }, { ",1", "" },
		{ "shrinker=500", "shrinker=500" }, { "3600000001", "3600000001" },
		{ "18446744073709551617", "18446744073709551617" },
		{ "123456789012345678901234567890", "123456789012345678901234" },
	};
	static const char use[] = "use US or US,PHASE=US,..., with US from 0 to 3600000000";
	char why[256];
	int i;

	for (i = 0; i < ARRAY_SIZE(first); i++) {
		snprintf(why, sizeof(why), "%s, not '%s'", use, first[i][1]);
		kma_expect_refused(first[i][0], why);
	}
	kma_expect_refused("1,shrinker=2,shrinker=2", "shrinker is given twice: use it once");
	kma_expect_refused("1,shrinker=2,compaction=1,shrinker=x",
			   "shrinker is given twice: use it once");
	kma_expect_refused("1,shrinker=3600000001",
			   "use shrinker=US, with US from 0 to 3600000000, not '3600000001'");
	kma_expect_refused("1,shrinker", "use shrinker=US, with US from 0 to 3600000000, not ''");
	kma_expect_refused("1,shrinker=1=2",
			   "use shrinker=US, with US from 0 to 3600000000, not '1=2'");
}

/* The message lists each phase once, and takes no more room than there is. */
static void kma_lists_phases(void)
{
	static const char *const unknown[] = {
		"1,shrink=2", "1, shrinker=2", "1,-=2", "1,", "1,=2",
	};
	char list[KMA_THRESHOLD_WHY + 1];
	const char *at;
	struct kma_thresholds t;
	char name[64];
	int i;

	for (i = 0; i < ARRAY_SIZE(unknown); i++)
		kma_expect(kma_parse(&t, unknown[i]) == -EINVAL);
	kma_expect(kma_parse(&t, "1,12345678901234567890123456789=2") == -EINVAL);
	kma_expect(!strncmp(kma_why, "no phase '123456789012345678901234': use one of ", 48));
	kma_expect(strlen(kma_why) + 32 < sizeof(kma_why));
	snprintf(list, sizeof(list), "%s ", kma_why + 47);
	kma_expect(!strstr(list, " - "));
	for (i = KMA_PHASE_NONE + 1; i < KMA_PHASE_CPU; i++) {
		if (!strcmp(kma_phase_text(i), "-"))
			continue;
		snprintf(name, sizeof(name), " %s ", kma_phase_text(i));
		at = strstr(list, name);
		kma_expect(at && !strstr(at + 1, name));
	}
}

static void kma_thresholds_of_phases(void)
{
	struct kma_thresholds t;

	kma_parse(&t, "10000,compaction=1000,shrinker=0,kswapd=7");
	kma_expect(kma_threshold_ns(&t, KMA_PHASE_DIRECT) == 10000000);
	kma_expect(kma_threshold_ns(&t, KMA_PHASE_COMPACTION) == 1000000);
	kma_expect(kma_threshold_ns(&t, KMA_PHASE_SHRINKER) == 0);
	kma_expect(kma_threshold_ns(&t, KMA_PHASE_KSWAPD) == 7000);
	kma_expect(t.own == (BIT(KMA_PHASE_COMPACTION) | BIT(KMA_PHASE_SHRINKER) |
			     BIT(KMA_PHASE_KSWAPD)));
	/* These are no outermost phases. */
	kma_expect(kma_threshold_ns(&t, KMA_PHASE_KCOMPACTD) == 0);
	kma_expect(kma_threshold_ns(&t, KMA_PHASE_THROTTLED) == 0);
	kma_parse(&t, "0,throttled=3600000000");
	kma_expect(kma_threshold_ns(&t, KMA_PHASE_DIRECT) == 0);
	kma_expect(kma_threshold_ns(&t, KMA_PHASE_THROTTLED) == 3600000000000ULL);
}

/* A text that has no room is cut, and ends with a NUL. */
static void kma_prints_into_little_room(void)
{
	struct kma_thresholds t;
	char buf[8];

	kma_parse(&t, "10000,shrinker=500");
	memset(buf, 'x', sizeof(buf));
	kma_expect(kma_thresholds_print(&t, buf, sizeof(buf)) == 7 && !strcmp(buf, "10000,s"));
}

int main(void)
{
	static const struct kma_case cases[] = {
		{ "texts of thresholds, and their canonical form", kma_takes_texts },
		{ "texts that are refused, and why", kma_refuses_texts },
		{ "the list of phases in a message", kma_lists_phases },
		{ "thresholds of phases", kma_thresholds_of_phases },
		{ "thresholds in little room", kma_prints_into_little_room },
	};

	return !!kma_cases_run(cases, ARRAY_SIZE(cases));
}
