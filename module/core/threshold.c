// SPDX-License-Identifier: GPL-2.0
/* Thresholds of slow phases.  See threshold.h. */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "threshold.h"

/* The phases of a bit mask. */
static_assert(KMA_PHASE_NR <= 8 * sizeof(unsigned long));

/* The text of an enum kma_phase that stands for no phase. */
#define KMA_NO_PHASE	"-"

/* The phase of this text that comes first in the list; KMA_PHASE_NR if there is none. */
static enum kma_phase kma_threshold_phase(const char *text)
{
	enum kma_phase phase = 0;

	if (!strcmp(text, KMA_NO_PHASE))
		return KMA_PHASE_NR;
	while (phase < KMA_PHASE_NR && strcmp(text, kma_phase_text(phase)))
		phase++;
	return phase;
}

/* Whether a phase is the first one in the list that has its text. */
static bool kma_threshold_is_first(enum kma_phase phase)
{
	return kma_threshold_phase(kma_phase_text(phase)) == phase;
}

/* ---- parsing --------------------------------------------------------------- */

static int kma_threshold_number(const char *text, u64 *us)
{
	const char *c;

	*us = 0;
	for (c = text; *c >= '0' && *c <= '9' && *us <= KMA_THRESHOLD_US_MAX; c++)
		*us = *us * 10 + *c - '0';
	return *c || c == text || *us > KMA_THRESHOLD_US_MAX ? -EINVAL : 0;
}

static int kma_threshold_unknown(const char *name, char why[KMA_THRESHOLD_WHY])
{
	int len = scnprintf(why, KMA_THRESHOLD_WHY, "no phase '%.24s': use one of", name);
	enum kma_phase phase;

	for (phase = 0; phase < KMA_PHASE_NR; phase++)
		if (kma_threshold_is_first(phase))
			len += scnprintf(why + len, KMA_THRESHOLD_WHY - len, " %s",
					 kma_phase_text(phase));
	return -EINVAL;
}

static void kma_threshold_set(struct kma_thresholds *t, const char *name, u64 us)
{
	enum kma_phase phase;

	for (phase = 0; phase < KMA_PHASE_NR; phase++) {
		if (strcmp(name, kma_phase_text(phase)))
			continue;
		t->own |= BIT(phase);
		t->own_us[phase] = us;
	}
}

/* Parse PHASE=US. */
static int kma_threshold_own(struct kma_thresholds *t, char *text, char why[KMA_THRESHOLD_WHY])
{
	const char *name = strsep(&text, "=");
	const enum kma_phase phase = kma_threshold_phase(name);
	u64 us;

	if (phase == KMA_PHASE_NR)
		return kma_threshold_unknown(name, why);
	if (t->own & BIT(phase)) {
		scnprintf(why, KMA_THRESHOLD_WHY, "%s is given twice: use it once", name);
		return -EINVAL;
	}
	if (!text || kma_threshold_number(text, &us)) {
		scnprintf(why, KMA_THRESHOLD_WHY, "use %s=US, with US from 0 to %llu, not '%.24s'",
			  name, KMA_THRESHOLD_US_MAX, text ?: "");
		return -EINVAL;
	}
	kma_threshold_set(t, name, us);
	return 0;
}

int kma_thresholds_parse(struct kma_thresholds *t, char *text, char why[KMA_THRESHOLD_WHY])
{
	const char *first = strsep(&text, ",");
	int ret = 0;

	*t = (struct kma_thresholds) {};
	if (kma_threshold_number(first, &t->us)) {
		scnprintf(why, KMA_THRESHOLD_WHY,
			  "use US or US,PHASE=US,..., with US from 0 to %llu, not '%.24s'",
			  KMA_THRESHOLD_US_MAX, first);
		return -EINVAL;
	}
	while (!ret && text)
		ret = kma_threshold_own(t, strsep(&text, ","), why);
	return ret;
}

/* ---- printing -------------------------------------------------------------- */

int kma_thresholds_print(const struct kma_thresholds *t, char *buf, size_t size)
{
	int len = scnprintf(buf, size, "%llu", t->us);
	enum kma_phase phase;

	for (phase = 0; phase < KMA_PHASE_NR; phase++)
		if (t->own & BIT(phase) && kma_threshold_is_first(phase))
			len += scnprintf(buf + len, size - len, ",%s=%llu", kma_phase_text(phase),
					 t->own_us[phase]);
	return len;
}

/* ---- thresholds ------------------------------------------------------------ */

/* Whether a phase is never an outermost one in the log. */
static bool kma_threshold_needs_own(enum kma_phase phase)
{
	return kma_phase_is_background(phase) || phase == KMA_PHASE_THROTTLED;
}

u64 kma_threshold_ns(const struct kma_thresholds *t, enum kma_phase phase)
{
	if (t->own & BIT(phase))
		return t->own_us[phase] * 1000;
	return kma_threshold_needs_own(phase) ? 0 : t->us * 1000;
}
