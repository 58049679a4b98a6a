// SPDX-License-Identifier: GPL-2.0
/* Call sites in the kernel log.  See kernel_log.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/notifier.h>
#include <linux/oom.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "../compat.h"
#include "../core/history.h"
#include "../marks.h"
#include "../resolve/symbol.h"
#include "../state.h"
#include "kernel_log.h"
#include "names.h"

/* The lines of a list: with a title each, two of them have at most 20 lines in a panic. */
#define KMA_LOG_PANIC_ROWS	9
#define KMA_LOG_OOM_ROWS	10

/* The time in which rows have grown, in seconds; shorter if the history is */
#define KMA_LOG_WINDOW		60
#define KMA_LOG_WINDOW_MIN	15

/**
 * struct kma_log_row - a row that is printed
 * @id: its number
 * @kib: what is live, in KiB
 * @change: how much more that is than at the mark, in KiB
 */
struct kma_log_row {
	u32 id;
	u64 kib;
	s64 change;
};

/**
 * struct kma_log_list - the rows that rank highest, in order
 * @nr: their number
 * @row: the rows
 */
struct kma_log_list {
	u32 nr;
	struct kma_log_row row[KMA_LOG_OOM_ROWS];
};

/**
 * struct kma_log - what is printed
 * @rows: the most rows of a list
 * @mark: the mark since which rows have grown; without an index if it is not known
 * @kib: what is live in all rows, in KiB
 * @largest: those with the most live bytes
 * @fastest: those that have grown most
 * @cache: room for the name of a cache
 * @site: room for the name of a call site
 *
 * This is too large for the stack of a task whose allocation has failed.  Protected by kma_lock,
 * except in a panic.
 */
static struct kma_log {
	u32 rows;
	struct kma_history_mark mark;
	u64 kib;
	struct kma_log_list largest;
	struct kma_log_list fastest;
	char cache[KMA_CACHE_NAME_LEN];
	char site[KMA_SYMBOL_LEN];
} kma_log;

/* ---- choosing rows --------------------------------------------------------- */

static s64 kma_log_rank(const struct kma_log_list *list, const struct kma_log_row *row)
{
	return list == &kma_log.largest ? row->kib : row->change;
}

/* Put a row into a list, in order, if there is room or if another row ranks lower. */
static void kma_log_choose(struct kma_log_list *list, const struct kma_log_row *row)
{
	const s64 rank = kma_log_rank(list, row);
	u32 at = list->nr;

	if (rank <= 0)
		return;
	while (at && kma_log_rank(list, &list->row[at - 1]) < rank)
		at--;
	if (at == kma_log.rows)
		return;
	list->nr = min(list->nr + 1, kma_log.rows);
	memmove(&list->row[at + 1], &list->row[at], (list->nr - at - 1) * sizeof(*row));
	list->row[at] = *row;
}

static void kma_log_read(u32 id)
{
	const struct kma_sitetab *t = &kma_core.sites;
	const struct kma_site_info *info = kma_sitetab_info(t, id);
	struct kma_history_change change = {};
	struct kma_log_row row = { .id = id };
	struct kma_row sum;
	u64 weight;
	u32 size;

	if (!info)
		return;
	kma_sitetab_sum(t, id, &sum);
	size = t->caches.info[info->cache].size;
	weight = kma_sample_weight(size, READ_ONCE(info->shift));
	row.kib = kma_estimate_round(kma_weigh(kma_row_live(&sum) * size, weight)) >> 10;
	if (kma_history_changed(&kma_history, t, id, false, &kma_log.mark, 1, &change))
		row.change = change.kib;
	kma_log.kib += row.kib;
	kma_log_choose(&kma_log.largest, &row);
	kma_log_choose(&kma_log.fastest, &row);
}

/*
 * The clock is one that an NMI may read: others wait while the kernel updates them, which in a
 * panic may never end.
 */
static struct kma_history_mark kma_log_mark(void)
{
	const u64 now = div_u64(ktime_get_boot_fast_ns(), NSEC_PER_SEC) - kma_marks_began;
	struct kma_history_mark mark;
	u32 seconds;

	for (seconds = KMA_LOG_WINDOW; seconds >= KMA_LOG_WINDOW_MIN; seconds /= 2) {
		mark = kma_history_at(&kma_history, now, seconds);
		if (mark.index >= 0)
			break;
	}
	return mark;
}

/* ---- printing -------------------------------------------------------------- */

static void kma_log_print_row(const struct kma_log_row *row)
{
	const struct kma_sitetab *t = &kma_core.sites;

	kma_names_print_cache(t, row->id, kma_log.cache, sizeof(kma_log.cache));
	kma_symbol_look(t, row->id, kma_log.site);
	if (kma_log.mark.index < 0)
		pr_warn("%9llu KiB  %s  %s\n", row->kib, kma_log.cache, kma_log.site);
	else
		pr_warn("%9llu KiB %+9lld KiB  %s  %s\n", row->kib, row->change, kma_log.cache,
			kma_log.site);
}

static void kma_log_print_list(const struct kma_log_list *list)
{
	u32 i;

	for (i = 0; i < list->nr; i++)
		kma_log_print_row(&list->row[i]);
}

/* Print what is live, and what has grown if @history can be read. */
static void kma_log_print(u32 rows, bool history)
{
	const u32 nr = kma_sitetab_rows(&kma_core.sites);
	u32 id;

	kma_log.rows = rows;
	kma_log.kib = 0;
	kma_log.largest.nr = 0;
	kma_log.fastest.nr = 0;
	kma_log.mark.index = -1;
	if (history)
		kma_log.mark = kma_log_mark();
	for (id = 0; id < nr; id++)
		kma_log_read(id);
	pr_warn("%llu KiB of objects are live%s; call sites with the most:\n", kma_log.kib,
		kma_core.sites.sampled ? " (estimate)" : "");
	kma_log_print_list(&kma_log.largest);
	if (kma_log.mark.index < 0)
		return;
	pr_warn("call sites that grew most in %u s:\n", kma_log.mark.age);
	kma_log_print_list(&kma_log.fastest);
}

/* ---- no memory is left ------------------------------------------------------- */

static bool kma_log_oom_on;

/* The time of the last lines.  Protected by kma_lock. */
static unsigned long kma_log_oom_last;
static bool kma_log_oom_any;

/* How often to try to take kma_lock, every 20 ms: its holder may itself wait for memory. */
#define KMA_LOG_OOM_TRIES	5

static bool kma_log_oom_lock(void)
{
	int i;

	for (i = 0; i < KMA_LOG_OOM_TRIES; i++) {
		if (kma_lock_try(KMA_LOCK_TABLE))
			return true;
		msleep(20);
	}
	return false;
}

static int kma_log_oom_notify(struct notifier_block *nb, unsigned long unused, void *freed)
{
	if (!READ_ONCE(kma_log_oom_on))
		return NOTIFY_DONE;
	if (!kma_log_oom_lock()) {
		pr_warn_ratelimited("out of memory, but the tables are in use: see incidents\n");
		return NOTIFY_DONE;
	}
	if (!kma_log_oom_any || time_after(jiffies, kma_log_oom_last + 60 * HZ)) {
		kma_log_print(KMA_LOG_OOM_ROWS, true);
		kma_log_oom_last = jiffies;
		kma_log_oom_any = true;
	}
	kma_lock_release();
	return NOTIFY_DONE;
}

static struct notifier_block kma_log_oom_notifier = {
	.notifier_call = kma_log_oom_notify,
};

void kma_log_set_oom(bool on)
{
	WRITE_ONCE(kma_log_oom_on, on);
}

bool kma_log_has_oom(void)
{
	return READ_ONCE(kma_log_oom_on);
}

/* ---- panic ------------------------------------------------------------------- */

static int kma_log_panic_notify(struct notifier_block *nb, unsigned long unused, void *message)
{
	kma_log_print(KMA_LOG_PANIC_ROWS, !kma_lock_is_taken());
	return NOTIFY_DONE;
}

static struct notifier_block kma_log_panic_notifier = {
	.notifier_call = kma_log_panic_notify,
};

/* ---- start and stop ---------------------------------------------------------- */

int kma_log_start(void)
{
	int ret = register_oom_notifier(&kma_log_oom_notifier);

	if (ret) {
		pr_err("cannot register the OOM notifier: error %d\n", ret);
		return ret;
	}
	kma_log_oom_any = false;
	atomic_notifier_chain_register(&panic_notifier_list, &kma_log_panic_notifier);
	return 0;
}

void kma_log_stop(void)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &kma_log_panic_notifier);
	unregister_oom_notifier(&kma_log_oom_notifier);
}
