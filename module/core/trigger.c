// SPDX-License-Identifier: GPL-2.0
/* Triggers of incidents.  See trigger.h. */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "trigger.h"

const char *kma_trigger_text(enum kma_trigger trigger)
{
	static const char *const text[] = {
#define X(name, text) text,
		KMA_TRIGGERS(X)
#undef X
	};

	return text[trigger];
}

/* ---- units ----------------------------------------------------------------- */

/**
 * struct kma_trigger_unit - a unit of values
 * @text: what follows the number
 * @factor: the value of 1 in this unit
 */
struct kma_trigger_unit {
	const char *text;
	u64 factor;
};

/* The units of each kind of value, the largest first. */
static const struct kma_trigger_unit kma_trigger_plain[] = { { "", 1 }, {} };

static const struct kma_trigger_unit kma_trigger_ns[] = {
	{ "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, {}
};

static const struct kma_trigger_unit kma_trigger_seconds[] = {
	{ "h", 3600 }, { "m", 60 }, { "s", 1 }, {}
};

static const struct kma_trigger_unit kma_trigger_bytes[] = {
	{ "G", 1 << 30 }, { "M", 1 << 20 }, { "K", 1 << 10 }, { "", 1 }, {}
};

/* No number with more digits is in any range. */
#define KMA_TRIGGER_DIGITS	16

/* Parse a number with a unit, which ends the text.  Returns false if it is not valid. */
static bool kma_trigger_number(const char *text, const struct kma_trigger_unit *unit, u64 *value)
{
	const char *c;

	*value = 0;
	for (c = text; *c >= '0' && *c <= '9'; c++)
		*value = *value * 10 + *c - '0';
	if (c == text || c - text > KMA_TRIGGER_DIGITS)
		return false;
	while (unit->text && strcmp(unit->text, c))
		unit++;
	/* The largest factor is that of an hour in s, or of a second in ns. */
	if (!unit->text || *value > div64_u64(U64_MAX, unit->factor))
		return false;
	*value *= unit->factor;
	return true;
}

static int kma_trigger_print_number(char *buf, size_t size, u64 value,
				    const struct kma_trigger_unit *unit)
{
	u64 rest, number;

	for (; unit->text; unit++) {
		number = div64_u64_rem(value, unit->factor, &rest);
		if (!rest)
			return scnprintf(buf, size, "%llu%s", number, unit->text);
	}
	return 0;
}

/* ---- values ---------------------------------------------------------------- */

/**
 * struct kma_trigger_value - a value of a trigger
 * @unit: its units
 * @least: the smallest valid value
 * @most: the largest valid value
 * @init: its default
 */
struct kma_trigger_value {
	const struct kma_trigger_unit *unit;
	u64 least;
	u64 most;
	u64 init;
};

#define KMA_TRIGGER_GROWTH_VALUES {						\
	{ kma_trigger_bytes, 1, KMA_TRIGGER_GROWTH_MAX, KMA_TRIGGER_GROWTH_DEFAULT },	\
	{ kma_trigger_seconds, KMA_TRIGGER_GROWTH_S_MIN, KMA_TRIGGER_GROWTH_S_MAX,	\
	  KMA_TRIGGER_GROWTH_S_DEFAULT } }

/* The values of each trigger, and the form of the text. */
static const struct {
	const char *form;
	struct kma_trigger_value value[KMA_TRIGGER_VALUES];
} kma_trigger_rows[KMA_TRIGGER_NR] = {
	[KMA_TRIGGER_OOM] = { "oom" },
	[KMA_TRIGGER_FAILURE] = { "failure=ORDER, with ORDER from 0 to 10", {
		{ kma_trigger_plain, 0, KMA_TRIGGER_ORDER_MAX, KMA_TRIGGER_ORDER_MAX } } },
	[KMA_TRIGGER_STALL] = { "stall=TIME, with TIME from 1us to 3600s", {
		{ kma_trigger_ns, 1000, KMA_TRIGGER_STALL_NS_MAX,
		  KMA_TRIGGER_STALL_NS_DEFAULT } } },
	[KMA_TRIGGER_GROWTH] = {
		"growth=SIZE/TIME, with SIZE up to 1024G and TIME from 10s to 48h",
		KMA_TRIGGER_GROWTH_VALUES },
	[KMA_TRIGGER_CGROUP] = {
		"cgroup=SIZE/TIME, with SIZE up to 1024G and TIME from 10s to 48h",
		KMA_TRIGGER_GROWTH_VALUES },
	[KMA_TRIGGER_COVERAGE] = { "coverage=PERCENT, with PERCENT from 1 to 100", {
		{ kma_trigger_plain, 1, KMA_TRIGGER_COVERAGE_MAX,
		  KMA_TRIGGER_COVERAGE_DEFAULT } } },
};

/* ---- parsing --------------------------------------------------------------- */

/* The trigger of this text, if it may be set; otherwise KMA_TRIGGER_NR. */
static enum kma_trigger kma_trigger_find(const char *text)
{
	enum kma_trigger trigger = 0;

	while (trigger < KMA_TRIGGER_NR && (!kma_trigger_rows[trigger].form ||
					    strcmp(text, kma_trigger_text(trigger))))
		trigger++;
	return trigger;
}

static int kma_trigger_unknown(const char *name, char why[KMA_TRIGGER_WHY])
{
	int len = scnprintf(why, KMA_TRIGGER_WHY, "no trigger '%.24s': use off, or a list of",
			    name);
	enum kma_trigger trigger;

	for (trigger = 0; trigger < KMA_TRIGGER_NR; trigger++)
		if (kma_trigger_rows[trigger].form)
			len += scnprintf(why + len, KMA_TRIGGER_WHY - len, " %s",
					 kma_trigger_text(trigger));
	return -EINVAL;
}

/* Parse the values of a trigger: all of them, or NULL for the defaults. */
static bool kma_trigger_values(enum kma_trigger trigger, char *text, u64 *v)
{
	const struct kma_trigger_value *value = kma_trigger_rows[trigger].value;
	const bool defaults = !text;
	const char *one;
	int i;

	for (i = 0; i < KMA_TRIGGER_VALUES && value[i].unit; i++) {
		v[i] = value[i].init;
		if (defaults)
			continue;
		one = strsep(&text, "/");
		if (!one || !kma_trigger_number(one, value[i].unit, &v[i]) ||
		    v[i] < value[i].least || v[i] > value[i].most)
			return false;
	}
	/* Nothing may be left. */
	return !text;
}

/* Parse NAME or NAME=VALUE. */
static int kma_trigger_parse(struct kma_triggers *t, char *text, char why[KMA_TRIGGER_WHY])
{
	const char *name = strsep(&text, "=");
	const enum kma_trigger trigger = kma_trigger_find(name);
	char given[25];

	if (trigger == KMA_TRIGGER_NR)
		return kma_trigger_unknown(name, why);
	if (t->set & BIT(trigger)) {
		scnprintf(why, KMA_TRIGGER_WHY, "%s is given twice: use it once", name);
		return -EINVAL;
	}
	scnprintf(given, sizeof(given), "%s", text ?: "");
	if (!kma_trigger_values(trigger, text, t->value[trigger])) {
		scnprintf(why, KMA_TRIGGER_WHY, "use %s, not '%s'", kma_trigger_rows[trigger].form,
			  given);
		return -EINVAL;
	}
	t->set |= BIT(trigger);
	return 0;
}

int kma_triggers_parse(struct kma_triggers *t, char *text, char why[KMA_TRIGGER_WHY])
{
	int ret = 0;

	*t = (struct kma_triggers) {};
	if (!strcmp(text, "off"))
		return 0;
	while (!ret && text)
		ret = kma_trigger_parse(t, strsep(&text, ","), why);
	return ret;
}

/* ---- printing -------------------------------------------------------------- */

int kma_triggers_print(const struct kma_triggers *t, char *buf, size_t size)
{
	const struct kma_trigger_value *value;
	enum kma_trigger trigger;
	int len = 0, i;

	for (trigger = 0; trigger < KMA_TRIGGER_NR; trigger++) {
		if (!(t->set & BIT(trigger)))
			continue;
		len += scnprintf(buf + len, size - len, "%s%s", len ? "," : "",
				 kma_trigger_text(trigger));
		value = kma_trigger_rows[trigger].value;
		for (i = 0; i < KMA_TRIGGER_VALUES && value[i].unit; i++) {
			len += scnprintf(buf + len, size - len, "%c", i ? '/' : '=');
			len += kma_trigger_print_number(buf + len, size - len,
							t->value[trigger][i], value[i].unit);
		}
	}
	return len ?: scnprintf(buf, size, "off");
}
