// SPDX-License-Identifier: GPL-2.0
/* The settings: parsing, applying and showing values.  See setting.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "baseline.h"
#include "core/threshold.h"
#include "countmaps.h"
#include "error.h"
#include "incidents.h"
#include "match/caller.h"
#include "match/filter.h"
#include "match/skip.h"
#include "overhead.h"
#include "report/kernel_log.h"
#include "resolve/cacheinfo.h"
#include "sampling.h"
#include "selftest.h"
#include "setting.h"
#include "state.h"
#include "trace/acct_track.h"
#include "trace/latency_track.h"
#include "trace/owner.h"
#include "trace/page_track.h"
#include "trace/slab.h"
#include "trace/slow.h"

/* ---- parsing --------------------------------------------------------------- */

static int kma_parse_u64(const char *text, int base, u64 min, u64 max,
			 union kma_setting_value *value)
{
	if (kstrtou64(text, base, &value->number))
		return -EINVAL;
	return value->number < min || value->number > max ? -ERANGE : 0;
}

static int kma_parse_enabled(char *text, union kma_setting_value *value)
{
	value->number = !strcmp(text, "1");
	return value->number || !strcmp(text, "0") ? 0 : -EINVAL;
}

static int kma_parse_live_max(char *text, union kma_setting_value *value)
{
	return kma_parse_u64(text, 0, 0, KMA_LIVE_MAX, value);
}

static int kma_parse_sites_max(char *text, union kma_setting_value *value)
{
	int ret = kma_parse_u64(text, 0, 0, KMA_SITES_MAX, value);

	/* 0 stands for the default on this machine. */
	if (!ret && value->number && value->number < KMA_SITES_MIN)
		return -ERANGE;
	return ret;
}

static int kma_parse_budget_pct(char *text, union kma_setting_value *value)
{
	return kma_parse_u64(text, 10, 0, KMA_BUDGET_MAX, value);
}

static int kma_parse_bulk(char *text, union kma_setting_value *value)
{
	value->number = !strcmp(text, "auto");
	return value->number || !strcmp(text, "off") ? 0 : -EINVAL;
}

static int kma_parse_sample_bytes(char *text, union kma_setting_value *value)
{
	return kma_sampling_parse(text, &value->number);
}

static int kma_parse_page_sample_bytes(char *text, union kma_setting_value *value)
{
	return kma_sampling_parse(text, &value->number);
}

static int kma_parse_pages(char *text, union kma_setting_value *value)
{
	const int mode = kma_pages_parse(text);

	value->number = mode;
	return min(mode, 0);
}

static int kma_parse_account(char *text, union kma_setting_value *value)
{
	unsigned long which = 0;
	int ret = kma_acct_parse(text, &which);

	value->number = which;
	return ret;
}

static int kma_parse_owners(char *text, union kma_setting_value *value)
{
	return kma_parse_enabled(text, value);
}

/* An invalid text is refused later, by kma_set_threshold_us(), which says why. */
static int kma_parse_threshold_us(char *text, union kma_setting_value *value)
{
	value->text = text;
	return 0;
}

/* An invalid text is refused later, by kma_incidents_set(), which says why. */
static int kma_parse_trigger(char *text, union kma_setting_value *value)
{
	value->text = text;
	return 0;
}

static int kma_parse_oom_report(char *text, union kma_setting_value *value)
{
	return kma_parse_enabled(text, value);
}

static int kma_parse_latency(char *text, union kma_setting_value *value)
{
	const int mode = kma_latency_parse(text);

	value->number = mode;
	return min(mode, 0);
}

/* An invalid text is refused later, by kma_filter_set(). */
static int kma_parse_filter(char *text, union kma_setting_value *value)
{
	value->text = text;
	return 0;
}

/* An invalid text is refused later, by kma_skip_set(). */
static int kma_parse_skip(char *text, union kma_setting_value *value)
{
	value->text = text;
	return 0;
}

/* ---- applying -------------------------------------------------------------- */

static void kma_record(bool on)
{
	kma_slab_record(on);
	kma_pages_record(on);
	WRITE_ONCE(kma_countmaps_on, on);
}

static int kma_set_enabled(const union kma_setting_value *value)
{
	if (!value->number)
		kma_baseline_pause();
	kma_record(value->number);
	return 0;
}

static int kma_set_live_max(const union kma_setting_value *value)
{
	kma_config.live_max = value->number;
	return 0;
}

static int kma_set_sites_max(const union kma_setting_value *value)
{
	kma_config.sites_max = value->number;
	return 0;
}

static int kma_set_bulk(const union kma_setting_value *value)
{
	kma_config.bulk = value->number;
	return 0;
}

static int kma_set_sample_bytes(const union kma_setting_value *value)
{
	if (value->number && !kma_cacheinfo_has_bytes()) {
		kma_refuse("sample_bytes: this kernel's struct kmem_cache is unknown: use 0");
		return -EOPNOTSUPP;
	}
	/* The cost with the old value does not predict the cost with the new value. */
	if (kma_sampling_set(value->number) && value->number)
		kma_overhead_sampling(ilog2(value->number));
	return 0;
}

static int kma_set_budget_pct(const union kma_setting_value *value)
{
	kma_overhead_set_budget(value->number);
	return 0;
}

/* Begin to track pages.  Test the paths of pages before allocations are recorded. */
static int kma_begin_pages(enum kma_pages_mode mode)
{
	int ret;

	kma_pages_record(false);
	ret = kma_pages_set(mode);
	if (!ret) {
		kma_selftest_page_paths();
		kma_baseline_begin_pages();
	}
	kma_pages_record(kma_slab_recording());
	return ret;
}

static int kma_set_pages(const union kma_setting_value *value)
{
	const bool before = kma_pages_tracked();
	int ret = before || value->number == KMA_PAGES_OFF ? kma_pages_set(value->number) :
							     kma_begin_pages(value->number);

	if (ret)
		kma_refuse("pages %s: %s", kma_pages_mode_name(value->number),
			   ret == -ENOMEM ? "not enough memory" :
			   "no tracepoint mm_page_alloc: see the kernel log");
	if (before && !kma_pages_tracked()) {
		kma_baseline_forget_pages();
		kma_selftest_forget_pages();
	}
	return ret;
}

static int kma_set_page_sample_bytes(const union kma_setting_value *value)
{
	kma_pages_sample(value->number);
	return 0;
}

static int kma_set_account(const union kma_setting_value *value)
{
	int ret = kma_acct_set(value->number);

	if (ret)
		kma_refuse("account: %s", ret == -ENOMEM ? "not enough memory" :
			   "a tracepoint is missing: see the kernel log");
	return ret;
}

static int kma_set_owners(const union kma_setting_value *value)
{
	kma_owner_set(value->number);
	return 0;
}

static int kma_set_threshold_us(const union kma_setting_value *value)
{
	/* Protected by kma_lock. */
	static struct kma_thresholds thresholds;
	static char why[KMA_THRESHOLD_WHY];

	if (kma_thresholds_parse(&thresholds, value->text, why))
		return kma_refuse("threshold_us: %s", why);
	kma_slow_set_thresholds(&thresholds);
	return 0;
}

static int kma_set_trigger(const union kma_setting_value *value)
{
	return kma_incidents_set(value->text);
}

static int kma_set_oom_report(const union kma_setting_value *value)
{
	kma_log_set_oom(value->number);
	return 0;
}

static int kma_set_latency(const union kma_setting_value *value)
{
	int ret = kma_latency_set(value->number);

	if (ret)
		kma_refuse("latency: %s", ret == -ENOMEM ? "not enough memory" :
			   "a tracepoint is missing: see the kernel log");
	return ret;
}

static int kma_set_filter(const union kma_setting_value *value)
{
	return kma_filter_set(value->text);
}

static int kma_set_skip(const union kma_setting_value *value)
{
	int ret = kma_skip_set(value->text);

	if (ret > 0)
		kma_caller_skips_changed();
	return min(ret, 0);
}

/* ---- showing --------------------------------------------------------------- */

static int kma_show_enabled(char *page)
{
	return sysfs_emit(page, "%d\n", kma_slab_recording());
}

static int kma_show_live_max(char *page)
{
	return sysfs_emit(page, "%llu\n", kma_config.live_max);
}

static int kma_show_sites_max(char *page)
{
	return sysfs_emit(page, "%u\n", kma_config.sites_max);
}

static int kma_show_bulk(char *page)
{
	return sysfs_emit(page, "%s\n", kma_config.bulk ? "auto" : "off");
}

static int kma_show_sample_bytes(char *page)
{
	return sysfs_emit(page, "%llu\n", kma_sampling_bytes());
}

static int kma_show_budget_pct(char *page)
{
	return sysfs_emit(page, "%u\n", kma_overhead_budget_pct());
}

static int kma_show_pages(char *page)
{
	return sysfs_emit(page, "%s\n", kma_pages_name());
}

static int kma_show_page_sample_bytes(char *page)
{
	return sysfs_emit(page, "%llu\n", kma_pages_bytes());
}

static int kma_show_account(char *page)
{
	char text[KMA_ACCT_LEN];

	kma_acct_print(text);
	return sysfs_emit(page, "%s\n", text);
}

static int kma_show_owners(char *page)
{
	return sysfs_emit(page, "%d\n", kma_owner_is_on());
}

static int kma_show_threshold_us(char *page)
{
	const int len = kma_slow_print_thresholds(page, PAGE_SIZE - 1);

	return len + sysfs_emit_at(page, len, "\n");
}

static int kma_show_trigger(char *page)
{
	return kma_incidents_print(page);
}

static int kma_show_oom_report(char *page)
{
	return sysfs_emit(page, "%d\n", kma_log_has_oom());
}

static int kma_show_latency(char *page)
{
	return sysfs_emit(page, "%s\n", kma_latency_name());
}

static int kma_show_filter(char *page)
{
	return kma_filter_text(page);
}

static int kma_show_skip(char *page)
{
	return kma_skip_text(page);
}

/* ---- the rows -------------------------------------------------------------- */

/* Each row has the functions kma_parse_NAME(), kma_set_NAME() and kma_show_NAME() above. */
const struct kma_setting kma_settings[KMA_SETTING_NR] = {
#define X(name, mode, unit, range, init, help)				\
	{ #name, mode, unit, range, init, kma_parse_##name, kma_set_##name, kma_show_##name },
	KMA_SETTINGS(X)
#undef X
};

int kma_setting_run(enum kma_setting_nr nr, char *text)
{
	const struct kma_setting *s = &kma_settings[nr];
	union kma_setting_value value;
	char shown[64];

	lockdep_assert_held(&kma_lock);
	/* Keep a copy for the message: parsing may modify the text. */
	strscpy(shown, text, sizeof(shown));
	if (s->parse(text, &value))
		return kma_refuse("%s takes %s, not '%s'", s->name, s->range, shown);
	return s->set(&value);
}

/*
 * Apply the value of a parameter.  An error is also printed to the kernel log, because the
 * process that sets the parameter may not be able to read `last_error`.
 */
static int kma_setting_set(enum kma_setting_nr nr, const char *text)
{
	char *copy = kstrdup(text, GFP_KERNEL);
	int ret;

	if (!copy)
		return -ENOMEM;
	ret = kma_setting_run(nr, kma_strim(copy));
	if (ret)
		pr_err("%s\n", kma_error_last());
	kfree(copy);
	return ret;
}

int kma_setting_write(enum kma_setting_nr nr, const char *text)
{
	int ret;

	kma_lock_take(KMA_LOCK_COMMAND);
	ret = kma_setting_set(nr, text);
	kma_state_changed();
	kma_lock_release();
	return ret;
}

int kma_setting_read(enum kma_setting_nr nr, char *page)
{
	int len;

	kma_lock_take(KMA_LOCK_COMMAND);
	len = kma_settings[nr].show(page);
	kma_lock_release();
	return len;
}

int kma_setting_check(enum kma_setting_nr nr, const char *text)
{
	const struct kma_setting *s = &kma_settings[nr];
	char *copy = kstrdup(text, GFP_KERNEL);
	union kma_setting_value value;
	int ret;

	if (!copy)
		return -ENOMEM;
	ret = s->parse(kma_strim(copy), &value);
	if (ret)
		pr_err("%s takes %s, not '%s'\n", s->name, s->range, text);
	kfree(copy);
	return ret;
}

/* Apply the rows of one mode, from the last to the first: `enabled` is the first row. */
static int kma_settings_apply(const char *const text[KMA_SETTING_NR], umode_t mode)
{
	int i, ret = 0;

	kma_lock_take(KMA_LOCK_START);
	for (i = KMA_SETTING_NR - 1; !ret && i >= 0; i--)
		if (kma_settings[i].mode == mode)
			ret = kma_setting_set(i, text[i] ?: kma_settings[i].init);
	if (!ret)
		kma_error_clear();
	kma_lock_release();
	return ret;
}

int kma_settings_load(const char *const text[KMA_SETTING_NR])
{
	return kma_settings_apply(text, 0400);
}

/* Switch the probes to the functions that test the filter, or back to those that do not. */
static void kma_settings_filter_changed(void)
{
	const bool on = kma_slab_recording();

	kma_slab_record(on);
	kma_pages_record(on);
}

int kma_settings_start(const char *const text[KMA_SETTING_NR])
{
	kma_filter_start(kma_settings_filter_changed);
	return kma_settings_apply(text, 0600);
}

void kma_settings_stop(void)
{
	kma_lock_take(KMA_LOCK_START);
	kma_record(false);
	kma_sampling_set(0);
	kma_latency_set(KMA_LATENCY_OFF);
	kma_acct_stop();
	kma_owner_set(false);
	kma_set_pages(&(union kma_setting_value) { .number = KMA_PAGES_OFF });
	kma_filter_stop();
	kma_skip_stop();
	kma_lock_release();
}
