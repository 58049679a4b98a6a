// SPDX-License-Identifier: GPL-2.0
/* Call sites in the kernel log.  See kernel_log.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/nmi.h>
#include <linux/notifier.h>
#include <linux/oom.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "../compat.h"
#include "../core/env.h"
#include "../core/history.h"
#include "../marks.h"
#include "../resolve/symbol.h"
#include "../state.h"
#include "kernel_log.h"
#include "names.h"

/* The lines of a list: with a title each, two of them have at most 20 lines in a panic. */
#define KMA_LOG_PANIC_ROWS	9
#define KMA_LOG_OOM_ROWS	10

/* The time in which call sites have grown, in seconds; shorter if the history is */
#define KMA_LOG_WINDOW		60
#define KMA_LOG_WINDOW_MIN	15

/**
 * struct kma_log_sum - the sums of the rows of a call site and cache
 * @kib: what is live, in KiB
 * @change: how much more that is than at the mark, in KiB
 */
struct kma_log_sum {
	u32 kib;
	s32 change;
};

/**
 * struct kma_log_list - the call sites and caches that rank highest, in order
 * @nr: their number
 * @row: for each, its first row
 */
struct kma_log_list {
	u32 nr;
	u32 row[KMA_LOG_OOM_ROWS];
};

/**
 * struct kma_log - what is printed
 * @in_panic: whether the kernel panics
 * @mark: the mark since which call sites have grown; without an index if it is not known
 * @bytes: what is live in all rows
 * @place: a hash table: the first row of a call site and cache, plus 1; 0 if the place is free
 * @nr_places: number of places, a power of two, more than there are rows
 * @sum: the sums, by the number of the first row
 * @largest: those with the most live bytes
 * @fastest: those that have grown most
 * @cache: room for the name of a cache
 * @site: room for the name of a call site
 *
 * Protected by kma_lock, except in a panic.
 */
static struct kma_log {
	bool in_panic;
	struct kma_history_mark mark;
	kma_u128 bytes;
	u32 *place;
	u32 nr_places;
	struct kma_log_sum *sum;
	struct kma_log_list largest;
	struct kma_log_list fastest;
	char cache[KMA_CACHE_NAME_LEN];
	char site[KMA_SYMBOL_LEN];
} kma_log;

/* ---- adding up rows ---------------------------------------------------------- */

/* After a module was unloaded, other code may be at its addresses. */
static bool kma_log_is_same(const struct kma_site_info *a, const struct kma_site_info *b)
{
	return a == b || (a->site == b->site && a->cache == b->cache &&
			  a->state != KMA_SITE_NO_MODULE && b->state != KMA_SITE_NO_MODULE);
}

/* Find the first row of the call site and cache of a row. */
static u32 kma_log_first(u32 id)
{
	const struct kma_site_info *info = kma_core.sites.info;
	const u64 key = (info[id].site + info[id].cache) * 0x9e3779b97f4a7c15ULL;
	u32 i = key >> 32 & (kma_log.nr_places - 1);

	while (kma_log.place[i] && !kma_log_is_same(&info[kma_log.place[i] - 1], &info[id]))
		i = (i + 1) & (kma_log.nr_places - 1);
	if (!kma_log.place[i])
		kma_log.place[i] = id + 1;
	return kma_log.place[i] - 1;
}

static void kma_log_read(u32 id)
{
	const struct kma_sitetab *t = &kma_core.sites;
	const struct kma_site_info *info = kma_sitetab_info(t, id);
	struct kma_history_change change = {};
	struct kma_log_sum *sum;
	struct kma_row row;
	kma_u128 bytes;
	u32 size;

	if (!info)
		return;
	kma_sitetab_sum(t, id, &row);
	size = t->caches.info[info->cache].size;
	bytes = kma_weigh(kma_row_live(&row) * size,
			  kma_sample_weight(size, READ_ONCE(info->shift)));
	kma_log.bytes += bytes;
	if (kma_log.mark.index >= 0)
		kma_history_changed(&kma_history, t, id, false, &kma_log.mark, 1, &change);
	sum = &kma_log.sum[kma_log_first(id)];
	sum->kib = min_t(u64, sum->kib + ((kma_estimate_round(bytes) + 512) >> 10), U32_MAX);
	sum->change = clamp_t(s64, sum->change + change.kib, S32_MIN, S32_MAX);
}

/* A panic must not look like a CPU that hangs. */
static void kma_log_pause(void)
{
	if (kma_log.in_panic)
		touch_nmi_watchdog();
	else
		cond_resched();
}

/* Rows that are read before kma_log_pause() */
#define KMA_LOG_STEPS	256

static void kma_log_read_all(void)
{
	const u32 nr = kma_sitetab_rows(&kma_core.sites);
	u32 id;

	memset(kma_log.place, 0, kma_log.nr_places * sizeof(kma_log.place[0]));
	memset(kma_log.sum, 0, nr * sizeof(kma_log.sum[0]));
	kma_log.bytes = 0;
	for (id = 0; id < nr; id++) {
		kma_log_read(id);
		if (!(id % KMA_LOG_STEPS))
			kma_log_pause();
	}
}

/* ---- choosing ---------------------------------------------------------------- */

static s64 kma_log_rank(const struct kma_log_list *list, u32 id)
{
	return list == &kma_log.largest ? kma_log.sum[id].kib : kma_log.sum[id].change;
}

/* Put a row into a list, in order, if there is room or if another row ranks lower. */
static void kma_log_choose(struct kma_log_list *list, u32 id)
{
	const u32 most = kma_log.in_panic ? KMA_LOG_PANIC_ROWS : KMA_LOG_OOM_ROWS;
	const s64 rank = kma_log_rank(list, id);
	u32 at = list->nr;

	if (rank <= 0)
		return;
	while (at && kma_log_rank(list, list->row[at - 1]) < rank)
		at--;
	if (at >= most)
		return;
	list->nr = min(list->nr + 1, most);
	memmove(&list->row[at + 1], &list->row[at], (list->nr - at - 1) * sizeof(list->row[0]));
	list->row[at] = id;
}

static void kma_log_choose_all(void)
{
	const u32 nr = kma_sitetab_rows(&kma_core.sites);
	u32 id;

	kma_log.largest.nr = 0;
	kma_log.fastest.nr = 0;
	for (id = 0; id < nr; id++) {
		kma_log_choose(&kma_log.largest, id);
		kma_log_choose(&kma_log.fastest, id);
	}
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

/* ---- printing ---------------------------------------------------------------- */

static void kma_log_print_row(u32 id)
{
	const struct kma_log_sum *sum = &kma_log.sum[id];

	kma_names_print_cache(&kma_core.sites, id, kma_log.cache, sizeof(kma_log.cache));
	kma_symbol_look(&kma_core.sites, id, kma_log.site);
	if (kma_log.mark.index < 0)
		pr_warn("%9u KiB  %s  %s\n", sum->kib, kma_log.cache, kma_log.site);
	else
		pr_warn("%9u KiB %+9d KiB  %s  %s\n", sum->kib, sum->change, kma_log.cache,
			kma_log.site);
}

static void kma_log_print_list(const struct kma_log_list *list)
{
	u32 i;

	for (i = 0; i < list->nr; i++)
		kma_log_print_row(list->row[i]);
}

/* Print what is live, and what has grown if @history can be read. */
static void kma_log_print(bool in_panic, bool history)
{
	kma_log.in_panic = in_panic;
	kma_log.mark.index = -1;
	if (history)
		kma_log.mark = kma_log_mark();
	kma_log_read_all();
	kma_log_choose_all();
	pr_warn("%llu KiB of objects are live%s; call sites with the most:\n",
		kma_estimate_round(kma_log.bytes) >> 10,
		kma_core.sites.sampled ? " (estimate)" : "");
	kma_log_print_list(&kma_log.largest);
	if (kma_log.mark.index < 0)
		return;
	pr_warn("call sites that grew most in %u s:\n", kma_log.mark.age);
	kma_log_print_list(&kma_log.fastest);
}

/* ---- no memory is left ------------------------------------------------------- */

static bool kma_log_oom_on;

/* When to print again, in jiffies; 0: now.  The kernel's oom_lock protects this. */
static unsigned long kma_log_oom_next;

/*
 * How often to try to take kma_lock, every 20 ms.  Its holder may itself wait for memory, and the
 * OOM killer has to wait for this notifier.
 */
#define KMA_LOG_OOM_TRIES	5

static bool kma_log_oom_lock(void)
{
	int tries = KMA_LOG_OOM_TRIES;

	while (!kma_lock_try(KMA_LOCK_TABLE)) {
		if (!--tries)
			return false;
		msleep(20);
	}
	return true;
}

static int kma_log_oom_notify(struct notifier_block *nb, unsigned long unused, void *freed)
{
	if (!READ_ONCE(kma_log_oom_on) ||
	    (kma_log_oom_next && time_before(jiffies, kma_log_oom_next)))
		return NOTIFY_DONE;
	kma_log_oom_next = (jiffies + 60 * HZ) ?: 1;
	if (!kma_log_oom_lock()) {
		pr_warn("out of memory, but the tables are in use: see the file incidents\n");
		return NOTIFY_DONE;
	}
	kma_log_print(false, true);
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
	kma_log_print(true, !kma_lock_is_taken());
	return NOTIFY_DONE;
}

static struct notifier_block kma_log_panic_notifier = {
	.notifier_call = kma_log_panic_notify,
};

/* ---- start and stop ---------------------------------------------------------- */

static u32 kma_log_rows_most(void)
{
	return kma_config.sites_max + kma_caches_nr(false);
}

static u32 kma_log_places(void)
{
	/* One third and more of the places stay free. */
	return roundup_pow_of_two(kma_log_rows_most() / 2 * 3);
}

static size_t kma_log_sums_bytes(void)
{
	return kma_log_rows_most() * sizeof(struct kma_log_sum);
}

u64 kma_log_forecast(void)
{
	return PAGE_ALIGN(kma_log_places() * sizeof(kma_log.place[0])) +
	       PAGE_ALIGN(kma_log_sums_bytes());
}

static void kma_log_free(void)
{
	kma_env_free(kma_log.place);
	kma_env_free(kma_log.sum);
	kma_log.place = NULL;
	kma_log.sum = NULL;
}

int kma_log_start(void)
{
	int ret;

	kma_log.nr_places = kma_log_places();
	kma_log.place = kma_env_zalloc(kma_log.nr_places * sizeof(kma_log.place[0]));
	kma_log.sum = kma_env_zalloc(kma_log_sums_bytes());
	ret = kma_log.place && kma_log.sum ? register_oom_notifier(&kma_log_oom_notifier) : -ENOMEM;
	if (ret) {
		pr_err("cannot register the OOM notifier: error %d\n", ret);
		kma_log_free();
		return ret;
	}
	kma_log_oom_next = 0;
	atomic_notifier_chain_register(&panic_notifier_list, &kma_log_panic_notifier);
	return 0;
}

void kma_log_stop(void)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &kma_log_panic_notifier);
	unregister_oom_notifier(&kma_log_oom_notifier);
	kma_log_free();
}
