// SPDX-License-Identifier: GPL-2.0
/*
 * Tests module/core/trigger.h: texts of triggers, what is refused and why.
 *
 *   trigger
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <string.h>

#include "case.h"
#include "../../../module/core/trigger.h"

static char kma_why[KMA_TRIGGER_WHY];

static int kma_parse(struct kma_triggers *t, const char *text)
{
	static char copy[1024];

	memset(kma_why, 'x', sizeof(kma_why));
	snprintf(copy, sizeof(copy), "%s", text);
	return kma_triggers_parse(t, copy, kma_why);
}

/* The text has to be taken, and its canonical form has to be @shown, which is taken as well. */
static void kma_expect_text(const char *text, const char *shown)
{
	struct kma_triggers t, again;
	char buf[KMA_TRIGGER_TEXT];

	kma_expect(!kma_parse(&t, text));
	kma_expect(kma_triggers_print(&t, buf, sizeof(buf)) == strlen(shown));
	kma_expect(!strcmp(buf, shown));
	kma_expect(!kma_parse(&again, shown) && !memcmp(&t, &again, sizeof(t)));
}

#define KMA_MOST	"1099511627775/172799s"
#define KMA_LONGEST	"oom,failure=10,stall=3599999999us,growth=" KMA_MOST ",cgroup=" KMA_MOST \
			",coverage=100"

static void kma_takes_texts(void)
{
	kma_expect_text("off", "off");
	kma_expect_text("oom", "oom");
	kma_expect_text("coverage,cgroup,growth,stall,failure,oom",
			"oom,failure=10,stall=1s,growth=64M/10m,cgroup=64M/10m,coverage=95");
	kma_expect_text("failure=0", "failure=0");
	kma_expect_text("failure=03,oom", "oom,failure=3");
	kma_expect_text("stall=1us", "stall=1us");
	kma_expect_text("stall=1500ms", "stall=1500ms");
	kma_expect_text("stall=60000ms", "stall=60s");
	kma_expect_text("stall=3600s", "stall=3600s");
	kma_expect_text("growth=1/10s", "growth=1/10s");
	kma_expect_text("growth=1024K/90m", "growth=1M/90m");
	kma_expect_text("growth=1025K/120m", "growth=1025K/2h");
	kma_expect_text("growth=1024G/48h", "growth=1024G/48h");
	kma_expect_text("coverage=1", "coverage=1");
	kma_expect_text("coverage=100", "coverage=100");
	/* The longest text */
	kma_expect_text(KMA_LONGEST, KMA_LONGEST);
}

static void kma_sets_values(void)
{
	struct kma_triggers t;

	kma_expect(!kma_parse(&t, "failure=2,stall=20ms,growth=3K/1h,cgroup=5/1m,coverage=90"));
	kma_expect(t.set == (BIT(KMA_TRIGGER_FAILURE) | BIT(KMA_TRIGGER_STALL) |
			     BIT(KMA_TRIGGER_GROWTH) | BIT(KMA_TRIGGER_CGROUP) |
			     BIT(KMA_TRIGGER_COVERAGE)));
	kma_expect(t.value[KMA_TRIGGER_FAILURE][0] == 2);
	kma_expect(t.value[KMA_TRIGGER_STALL][0] == 20000000);
	kma_expect(t.value[KMA_TRIGGER_GROWTH][0] == 3072);
	kma_expect(t.value[KMA_TRIGGER_GROWTH][1] == 3600);
	kma_expect(t.value[KMA_TRIGGER_CGROUP][0] == 5 && t.value[KMA_TRIGGER_CGROUP][1] == 60);
	kma_expect(t.value[KMA_TRIGGER_COVERAGE][0] == 90);
	kma_expect(!kma_parse(&t, "off") && !t.set);
}

static void kma_expect_refused(const char *text, const char *why)
{
	struct kma_triggers t;

	kma_expect(kma_parse(&t, text) == -EINVAL);
	kma_expect_ok(!strcmp(kma_why, why) ? NULL : kma_why);
}

static void kma_refuses_names(void)
{
	static const char *const names[][2] = {
		{ "", "" }, { "x", "x" }, { "oom,", "" }, { ",oom", "" }, { "OOM", "OOM" },
		{ "oom,off", "off" }, { "command", "command" }, { " oom", " oom" }, { "=1", "" },
		{ "123456789012345678901234567890", "123456789012345678901234" },
	};
	char why[256];
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(why, sizeof(why), "no trigger '%s': use off, or a list of %s", names[i][1],
			 "oom failure stall growth cgroup coverage");
		kma_expect_refused(names[i][0], why);
	}
	kma_expect_refused("oom,oom", "oom is given twice: use it once");
	kma_expect_refused("stall=2s,oom,stall=x", "stall is given twice: use it once");
}

#define KMA_FAILURE	"failure=ORDER, with ORDER from 0 to 10"
#define KMA_STALL	"stall=TIME, with TIME from 1us to 3600s"
#define KMA_GROWTH	"growth=SIZE/TIME, with SIZE up to 1024G and TIME from 10s to 48h"

/* Each of these has a value that is not valid. */
static void kma_refuses_values(void)
{
	static const char *const form[] = {
		"oom", KMA_FAILURE, KMA_STALL, KMA_GROWTH,
		"cgroup=SIZE/TIME, with SIZE up to 1024G and TIME from 10s to 48h",
		"coverage=PERCENT, with PERCENT from 1 to 100",
	};
	static const char *const texts[][5] = {
		{ "oom=", "oom=1", "oom=/" },
		{ "failure=", "failure=11", "failure=-1", "failure=1K", "failure=1/2" },
		{ "stall=", "stall=1", "stall=0s", "stall=3601s", "stall=1m" },
		{ "growth=", "growth=1M", "growth=1M/9s", "growth=1M/49h", "growth=1M/10m/1" },
		{ "cgroup=", "cgroup=1M", "cgroup=0/10m", "cgroup=/kma/10m", "cgroup=1M/1s" },
		{ "coverage=0", "coverage=101", "coverage=95%", "coverage=9.5", "coverage=/" },
	};
	char why[256];
	int i, k;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		for (k = 0; k < ARRAY_SIZE(texts[i]) && texts[i][k]; k++) {
			snprintf(why, sizeof(why), "use %s, not '%s'", form[i],
				 strchr(texts[i][k], '=') + 1);
			kma_expect_refused(texts[i][k], why);
		}
	}
	kma_expect_refused("growth=0/10m",
			   "use " KMA_GROWTH ", not '0/10m'");
	kma_expect_refused("growth=1025G/10m",
			   "use " KMA_GROWTH ", not '1025G/10m'");
	/* These wrap around in 64 bits, as a number or with its unit. */
	kma_expect_refused("failure=18446744073709551617",
			   "use " KMA_FAILURE ", not '18446744073709551617'");
	kma_expect_refused("stall=18446744074s",
			   "use " KMA_STALL ", not '18446744074s'");
	kma_expect_refused("stall=123456789012345678901234567890",
			   "use " KMA_STALL ", not '123456789012345678901234'");
}

/* A text that has no room is cut, and ends with a NUL. */
static void kma_prints_into_little_room(void)
{
	struct kma_triggers t;
	char buf[8];

	kma_parse(&t, "oom,stall");
	memset(buf, 'x', sizeof(buf));
	kma_expect(kma_triggers_print(&t, buf, sizeof(buf)) == 7 && !strcmp(buf, "oom,sta"));
}

int main(void)
{
	static const struct kma_case cases[] = {
		{ "texts of triggers, and their canonical form", kma_takes_texts },
		{ "the values of triggers", kma_sets_values },
		{ "names that are refused, and why", kma_refuses_names },
		{ "values that are refused, and why", kma_refuses_values },
		{ "a text that has no room", kma_prints_into_little_room },
	};

	return !!kma_cases_run(cases, ARRAY_SIZE(cases));
}
