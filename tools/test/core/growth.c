// SPDX-License-Identifier: GPL-2.0
/*
 * Tests module/core/growth.h: growth since a mark of about one window ago, for values that come and
 * go.
 *
 *   growth
 */
#include <linux/kernel.h>

#include "case.h"
#include "../../../module/core/growth.h"

#define KMA_WINDOW	40
#define KMA_STEP	10

static struct kma_growth kma_growth;

/* Look at one value.  Returns its growth. */
static u32 kma_look(u64 now, u32 value)
{
	kma_growth_begin(&kma_growth, now, KMA_WINDOW);
	return kma_growth_add(&kma_growth, 3, 7, value);
}

/* The first growth that is known is that since the first mark, when that is one window old. */
static void kma_knows_growth_after_a_window(void)
{
	u64 now;

	kma_expect(!kma_growth_init(&kma_growth, 8));
	for (now = 1000; now < 1000 + KMA_WINDOW; now += KMA_STEP)
		kma_expect(!kma_look(now, 100 + now));
	kma_expect(kma_look(now, 100 + now) == KMA_WINDOW);
	/* Between marks, it is since the same mark. */
	kma_expect(kma_look(now + 9, 100 + now + 9) == KMA_WINDOW + 9);
	kma_expect(kma_look(now + 10, 100 + now + 10) == KMA_WINDOW);
	kma_expect(!kma_look(now + 11, 5));
	kma_growth_forget(&kma_growth);
	kma_expect(!kma_look(now + 12, 1 << 20));
	kma_growth_destroy(&kma_growth);
}

/* With looks more often than marks, the mark is from one window to 5/4 of it old. */
static void kma_marks_are_a_quarter_apart(void)
{
	u64 now;
	u32 growth;

	kma_expect(!kma_growth_init(&kma_growth, 8));
	for (now = 1; now < 1000; now++) {
		growth = kma_look(now, now);
		if (now > KMA_WINDOW)
			kma_expect(growth >= KMA_WINDOW && growth < KMA_WINDOW + KMA_STEP);
		else
			kma_expect(!growth);
	}
	kma_growth_destroy(&kma_growth);
}

/* With looks that are rarer than marks may be, growth is that since a mark of one window ago. */
static void kma_looks_are_rare(void)
{
	kma_expect(!kma_growth_init(&kma_growth, 8));
	kma_expect(!kma_look(1000, 1));
	kma_expect(kma_look(1000 + KMA_WINDOW, 3) == 2);
	kma_expect(kma_look(1000 + 2 * KMA_WINDOW, 9) == 6);
	/* One second too early, and late */
	kma_expect(kma_look(999 + 3 * KMA_WINDOW, 10) == 7);
	kma_expect(kma_look(1119 + 2 * KMA_WINDOW, 30) == 20);
	/* More than two windows: the growth is not known. */
	kma_expect(!kma_look(1120 + 4 * KMA_WINDOW, 40));
	kma_growth_destroy(&kma_growth);
}

/* A value that is missing from a mark counts as 0: it is new, or was 0 for a while. */
static void kma_values_come_and_go(void)
{
	u64 now;
	int i;

	kma_expect(!kma_growth_init(&kma_growth, 8));
	for (i = 0; i < 6; i++)
		kma_look(1000 + i * KMA_STEP, 500);
	now = 1000 + i * KMA_STEP;
	kma_expect(!kma_look(now, 500));
	kma_expect(kma_growth_add(&kma_growth, 4, 8, 300) == 300);
	/* The same slot, but another key */
	kma_growth_begin(&kma_growth, now + 1, KMA_WINDOW);
	kma_expect(kma_growth_add(&kma_growth, 3, 9, 200) == 200);
	/* Looks without the value: all marks are without it. */
	for (i = 1; i <= 9; i++)
		kma_growth_begin(&kma_growth, now + i * KMA_STEP, KMA_WINDOW);
	kma_expect(kma_growth_add(&kma_growth, 4, 8, 300) == 300);
	kma_growth_destroy(&kma_growth);
}

int main(void)
{
	static const struct kma_case cases[] = {
		{ "growth is known after a window", kma_knows_growth_after_a_window },
		{ "marks are a quarter of the window apart", kma_marks_are_a_quarter_apart },
		{ "looks that are rare", kma_looks_are_rare },
		{ "values that come and go", kma_values_come_and_go },
	};

	return !!kma_cases_run(cases, ARRAY_SIZE(cases));
}
