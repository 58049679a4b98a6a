// SPDX-License-Identifier: GPL-2.0
/* The seq_file behind all tables.  See the overview in seqtab.h. */
#include <linux/capability.h>
#include <linux/ctype.h>
#include <linux/kmemleak.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/sort.h>

#include "../baseline.h"
#include "../full.h"
#include "../match/filter.h"
#include "../resolve/cacheinfo.h"
#include "../sampling.h"
#include "../state.h"
#include "../trace/latency_track.h"
#include "../trace/memstall.h"
#include "../trace/page_track.h"
#include "../trace/slab.h"
#include "../trace/slow_path.h"
#include "seqtab.h"

/* ---- memory --------------------------------------------------------------- */

int kma_snapshot_room(struct kma_snapshot *snap, size_t max_rows)
{
	snap->rows = kma_copy_alloc(max_rows, snap->table->ops->row_size);
	if (!snap->rows)
		return -ENOMEM;
	/* Rows may hold addresses of objects: see kma_env_no_scan(). */
	if (!kma_arena_used())
		kmemleak_no_scan(snap->rows);
	snap->max_rows = max_rows;
	snap->nr_rows = 0;
	return 0;
}

static void *kma_snapshot_row(const struct kma_snapshot *snap, size_t i)
{
	return (char *)snap->rows + i * snap->table->ops->row_size;
}

void *kma_snapshot_add(struct kma_snapshot *snap)
{
	if (snap->nr_rows == snap->max_rows)
		return NULL;
	return kma_snapshot_row(snap, snap->nr_rows++);
}

void kma_snapshot_drop(struct kma_snapshot *snap)
{
	snap->nr_rows--;
}

/* ---- steps ---------------------------------------------------------------- */

/* Steps with kma_lock held. */
#define KMA_SNAPSHOT_STEPS	32

int kma_snapshot_pause(struct kma_snapshot *snap)
{
	lockdep_assert_held(&kma_lock);
	if (++snap->steps % KMA_SNAPSHOT_STEPS)
		return 0;
	if (fatal_signal_pending(current))
		return -EINTR;
	if (snap->keep_lock) {
		cond_resched();
		return 0;
	}
	kma_lock_pause();
	return snap->changes == kma_state_changes() ? 0 : -EAGAIN;
}

int kma_snapshot_name_sites(struct kma_snapshot *snap)
{
	int ret = 0;
	u32 id;

	for (id = 0; !ret && id < kma_names_rows(snap->names); id++) {
		if (!kma_names_needs(snap->names, id))
			continue;
		ret = kma_names_site(snap->names, id) ? kma_snapshot_pause(snap) : -ENOMEM;
	}
	return ret;
}

/* ---- sorting -------------------------------------------------------------- */

struct kma_sort_job {
	const struct kma_snapshot *snap;
	const struct kma_sort *sort;
	unsigned int compared;
};

static int kma_compare_column(const struct kma_snapshot *snap, int column,
			      const void *a, const void *b)
{
	const enum kma_format format = snap->table->columns[column].format;
	const struct kma_table_ops *ops = snap->table->ops;
	u64 x, y;

	if (format == KMA_FORMAT_LABEL)
		return strcmp(ops->label(snap, a), ops->label(snap, b));
	x = ops->value(snap, a, column);
	y = ops->value(snap, b, column);
	if (format == KMA_FORMAT_S64)
		return (s64)x > (s64)y ? -1 : (s64)x < (s64)y;
	return x > y ? -1 : x < y;
}

static int kma_compare_rows(const void *a, const void *b, const void *priv)
{
	struct kma_sort_job *job = (struct kma_sort_job *)priv;
	int i, ret = 0;

	if (!(++job->compared % 1024))
		cond_resched();
	for (i = 0; !ret && i < job->sort->nr; i++)
		ret = kma_compare_column(job->snap, job->sort->key[i], a, b);
	return ret;
}

void kma_label_clean(char *text)
{
	char *c;

	for (c = text; *c; c++)
		if (iscntrl(*c) || (*c == ' ' && (c == text || !c[1])))
			*c = '?';
}

void kma_snapshot_sort(struct kma_snapshot *snap, const struct kma_sort *sort)
{
	struct kma_sort_job job = { .snap = snap, .sort = sort };

	if (sort->nr)
		sort_r(snap->rows, snap->nr_rows, snap->table->ops->row_size,
		       kma_compare_rows, NULL, &job);
}

/* ---- opening and closing -------------------------------------------------- */

/* Whether a table is about objects: only the rows of these tables depend on the live table. */
static bool kma_table_of_objects(const struct kma_table_ops *ops)
{
	return !ops->pages && !ops->countmap;
}

/* When the counting for a table was switched on; 0 if it is always on, or if it is off. */
static u64 kma_table_since(const struct kma_table_ops *ops)
{
	if (ops->countmap)
		return kma_countmap_locked(ops->countmap) ? kma_countmap_since(ops->countmap) : 0;
	return ops->pages && kma_pages_tracked() ? kma_pages_since() : 0;
}

/* Return when counting for a snapshot began, and set @snap->since to the event that began it. */
static u64 kma_snapshot_since(struct kma_snapshot *snap)
{
	const u64 on = kma_table_since(snap->table->ops);

	snap->since = on > kma_baseline.ns ? "on" : kma_baseline.row ? "reset" : "load";
	return max(on, kma_baseline.ns);
}

static u64 kma_snapshot_recycled(const struct kma_table_ops *ops)
{
	const struct kma_countmap *t = kma_countmap_locked(ops->countmap);

	return t ? t->recycled : 0;
}

static int kma_snapshot_take(struct kma_snapshot *snap)
{
	const struct kma_table_ops *ops = snap->table->ops;
	const struct kma_sitetab *sites;
	u64 since;
	int ret;

	kma_lock_take(KMA_LOCK_TABLE);
	snap->changes = kma_state_changes();
	snap->identity = kma_identity;
	snap->sample_bytes = ops->pages ? kma_pages_bytes() : kma_sampling_now();
	sites = ops->pages ? &kma_pagealloc.sites : &kma_core.sites;
	snap->sampled = snap->sample_bytes || READ_ONCE(sites->sampled);
	since = kma_snapshot_since(snap);
	snap->pages = kma_pages_name();
	kma_acct_print(snap->account);
	snap->latency = kma_latency_name();
	snap->recycled = kma_snapshot_recycled(ops);
	snap->filter_now = kma_filter_criteria();
	snap->filter = kma_filter_since(false);
	snap->filter_ever = kma_filter_since(true);
	ret = ops->fill(snap);
	/* Read the time after all rows, so that no object is younger than the snapshot. */
	snap->now = kma_env_now();
	kma_stats_sum(&snap->stats);
	snap->off = kma_baseline_missed(&snap->stats, ops->pages);
	kma_stats_since(&snap->stats, &kma_baseline.stats);
	kma_lock_release();
	snap->window_ns = ktime_get_boottime_ns() - since;
	return ret;
}

/* Free the rows and names of a snapshot. */
static void kma_snapshot_clear(struct kma_snapshot *snap)
{
	kma_names_free(snap->names);
	kma_copy_free(snap->rows);
	kma_copy_free(snap->marks);
	snap->marks = NULL;
	snap->names = NULL;
	snap->rows = NULL;
	snap->nr_rows = 0;
	snap->cut = 0;
}

#define KMA_SNAPSHOT_TRIES	3

/* If changes keep coming, the last try makes them wait. */
static int kma_snapshot_retry(struct kma_snapshot *snap)
{
	int i, ret = -EAGAIN;

	for (i = 1; ret == -EAGAIN; i++) {
		kma_snapshot_clear(snap);
		/* A second try would need as much memory again. */
		snap->keep_lock = snap->limit || i == KMA_SNAPSHOT_TRIES;
		ret = kma_snapshot_take(snap);
	}
	return ret;
}

struct kma_snapshot *kma_snapshot_open(const struct kma_table *table, u32 limit)
{
	struct kma_snapshot *snap = kma_copy_alloc(1, sizeof(*snap));
	int ret;

	if (!snap)
		return ERR_PTR(-ENOMEM);
	snap->table = table;
	snap->limit = limit;
	if (kma_table_of_objects(table->ops) && !table->ops->past)
		kma_state_sweep();
	ret = kma_snapshot_retry(snap);
	if (ret) {
		kma_snapshot_close(snap);
		return ERR_PTR(ret);
	}
	if (table->ops->merge)
		table->ops->merge(snap);
	kma_snapshot_sort(snap, &table->ops->sort);
	if (limit && !table->ops->chooses && snap->nr_rows > limit) {
		snap->cut += snap->nr_rows - limit;
		snap->nr_rows = limit;
	}
	return snap;
}

void kma_snapshot_close(struct kma_snapshot *snap)
{
	if (!snap)
		return;
	kma_snapshot_clear(snap);
	kma_copy_free(snap);
}

/* ---- printing ------------------------------------------------------------- */

/* Wide enough for most numbers; a larger one shifts the rest of its line. */
#define KMA_WIDTH	12

void kma_show_milli(struct seq_file *seq, int width, u64 milli)
{
	u32 rest;
	u64 whole = div_u64_rem(milli, 1000, &rest);

	seq_printf(seq, "%*llu.%03u", width ? width - 4 : 0, whole, rest);
}

/* Copies that are kept do not line columns up. */
static int kma_width(const struct kma_snapshot *snap, const struct kma_column *column)
{
	return snap->limit ? 0 : max_t(int, strlen(column->name), KMA_WIDTH);
}

u64 kma_coverage_milli(const u64 *v)
{
	u64 seen = v[KMA_STAT_events_kfree] + v[KMA_STAT_events_kmem_cache_free] +
		   v[KMA_STAT_bulk_frees] + v[KMA_STAT_rcu_pending] +
		   v[KMA_STAT_nolock_frees] - v[KMA_STAT_free_null] -
		   v[KMA_STAT_free_zero_size] - v[KMA_STAT_free_unmatched];
	u64 all = seen + v[KMA_STAT_replaced] + v[KMA_STAT_page_freed];

	/* The counters change while they are read, so one may be ahead of another. */
	if (!all || (s64)seen < 0)
		return 100000;
	return mul_u64_u64_div_u64(seen, 100000, all);
}

static void kma_show_head_objects(struct seq_file *seq, const struct kma_snapshot *snap)
{
	const u64 *v = snap->stats.v;

	seq_printf(seq, " dropped=%llu replaced=%llu page_freed=%llu unmatched=%llu",
		   v[KMA_STAT_dropped_live_full] + v[KMA_STAT_dropped_sites_full],
		   v[KMA_STAT_replaced], v[KMA_STAT_page_freed],
		   v[KMA_STAT_free_unmatched]);
	seq_puts(seq, " coverage_pct=");
	kma_show_milli(seq, 0, kma_coverage_milli(v));
	seq_printf(seq, " cache_size=%s%s", kma_cacheinfo_exact() ? "slot" : "object",
		   kma_slab_late() ? " order=late" : "");
}

u64 kma_snapshot_pages_dropped(const struct kma_snapshot *snap)
{
	const u64 *v = snap->stats.v;

	return v[KMA_STAT_page_no_pfn] + v[KMA_STAT_page_dropped_sites] +
	       v[KMA_STAT_page_samples_lost];
}

static void kma_show_head_pages(struct seq_file *seq, const struct kma_snapshot *snap)
{
	const u64 *v = snap->stats.v;

	seq_printf(seq, " pages=%s dropped=%llu replaced=%llu free_only=%llu",
		   snap->pages, kma_snapshot_pages_dropped(snap),
		   v[KMA_STAT_pages_replaced], v[KMA_STAT_pages_free_only]);
}

static bool kma_table_of_phases(const struct kma_table_ops *ops)
{
	return ops->countmap == KMA_COUNTMAP_LATENCY ||
	       ops->countmap == KMA_COUNTMAP_SHRINKERS || ops->countmap == KMA_COUNTMAP_STALLS ||
	       ops->countmap == KMA_COUNTMAP_WAITS || ops->countmap == KMA_COUNTMAP_WAKERS;
}

/* The functions that are not followed on this kernel, so that waits in them are not timed. */
static void kma_show_untimed(struct seq_file *seq)
{
	const bool followed[] = {
		kma_memstall_followed(), kma_slow_path_followed(), kma_memstall_throttle_followed(),
	};
	static const char *const names[] = { "memstall", "slow_path", "throttle_direct_reclaim" };
	const char *separator = " untimed=";
	int i;

	static_assert(ARRAY_SIZE(names) == ARRAY_SIZE(followed));
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (followed[i])
			continue;
		seq_printf(seq, "%s%s", separator, names[i]);
		separator = ",";
	}
}

static void kma_show_head_phases(struct seq_file *seq, const struct kma_snapshot *snap)
{
	const u64 *v = snap->stats.v;

	kma_show_untimed(seq);
	seq_printf(seq, " latency=%s", snap->latency);
	/* Wake-ups and runs need no slot of a task. */
	if (snap->table->ops->countmap != KMA_COUNTMAP_WAKERS)
		seq_printf(seq, " lost=%llu", v[KMA_STAT_stall_too_deep] +
			   v[KMA_STAT_stall_begins_lost] + v[KMA_STAT_stall_ends_lost]);
	seq_printf(seq, " other=%llu", v[KMA_STAT_countmap_other]);
}

static void kma_show_head_failures(struct seq_file *seq, const struct kma_snapshot *snap)
{
	seq_printf(seq, " followed_slow_path=%d other=%llu", kma_slow_path_followed(),
		   snap->stats.v[KMA_STAT_countmap_other]);
}

static void kma_show_head_acct(struct seq_file *seq, const struct kma_snapshot *snap)
{
	seq_printf(seq, " account=%s other=%llu", snap->account,
		   snap->stats.v[KMA_STAT_countmap_other]);
}

/*
 * While a filter is set, not everything is recorded.  filter= lists the criteria that were set
 * at any time since the last `reset`, and filter_now= those that still are, if they differ.
 * But live objects and pages survive a `reset`, so earlier filters matter for them, too.  If
 * earlier filters had other criteria, live_filter= lists all criteria that were set since load.
 */
static void kma_show_head_filter(struct seq_file *seq, const struct kma_snapshot *snap)
{
	seq_puts(seq, " filter=");
	kma_filter_show_names(seq, snap->filter);
	if (snap->filter_now != snap->filter) {
		seq_puts(seq, " filter_now=");
		kma_filter_show_names(seq, snap->filter_now);
	}
	if (snap->filter_ever == snap->filter)
		return;
	seq_puts(seq, " live_filter=");
	kma_filter_show_names(seq, snap->filter_ever);
}

static void kma_show_head_identity(struct seq_file *seq, const struct kma_identity *id)
{
	seq_printf(seq, "# load_id=0x%016llx loaded_s=%lld kernel=%s version=" KMA_VERSION,
		   id->load_id, id->loaded_s, id->release);
	seq_printf(seq, " resets=%llu module_changes=%llu\n", id->resets, id->module_changes);
}

void kma_show_head(struct seq_file *seq, const struct kma_snapshot *snap)
{
	const struct kma_table *table = snap->table;
	const struct kma_table_ops *ops = table->ops;
	int i;

	seq_printf(seq, "# " KMA_NAME " %s %d sample_bytes=%llu sampled=%d", table->name,
		   KMA_FORMAT_VERSION, snap->sample_bytes, snap->sampled);
	if (ops->pages)
		kma_show_head_pages(seq, snap);
	else if (kma_table_of_objects(ops))
		kma_show_head_objects(seq, snap);
	else if (kma_table_of_phases(ops))
		kma_show_head_phases(seq, snap);
	else if (ops->countmap == KMA_COUNTMAP_FAILURES)
		kma_show_head_failures(seq, snap);
	else
		kma_show_head_acct(seq, snap);
	if (ops->countmap)
		seq_printf(seq, " recycled=%llu", snap->recycled);
	if (ops->head)
		ops->head(seq, snap);
	if (snap->off && (ops->pages || kma_table_of_objects(ops)))
		seq_printf(seq, " off=%llu", snap->off);
	seq_printf(seq, " since=%s window_s=", snap->since);
	kma_show_milli(seq, 0, div_u64(snap->window_ns, NSEC_PER_MSEC));
	if (snap->cut)
		seq_printf(seq, " cut=%llu", snap->cut);
	kma_full_show(seq, ops->countmap ? KMA_FULL_COUNTMAPS : ops->pages ?
		      KMA_FULL_PAGES : KMA_FULL_OBJECTS, &snap->stats);
	kma_show_head_filter(seq, snap);
	seq_putc(seq, '\n');
	kma_show_head_identity(seq, &snap->identity);
	seq_putc(seq, '#');
	for (i = 0; i < table->nr_columns; i++) {
		if (table->columns[i].format == KMA_FORMAT_LABEL || ops->show)
			seq_printf(seq, " %s", table->columns[i].name);
		else /* the first column's width includes the `#` */
			seq_printf(seq, " %*s", max(kma_width(snap, &table->columns[i]) -
						    (i ? 0 : 2), 0),
				   table->columns[i].name);
	}
	seq_putc(seq, '\n');
}

/* Names of migrate types, as in /proc/pagetypeinfo. */
static const char * const kma_type_names[MIGRATE_TYPES] = {
	[MIGRATE_UNMOVABLE] = "Unmovable",
	[MIGRATE_MOVABLE] = "Movable",
	[MIGRATE_RECLAIMABLE] = "Reclaimable",
	[MIGRATE_HIGHATOMIC] = "HighAtomic",
#ifdef CONFIG_CMA
	[MIGRATE_CMA] = "CMA",
#endif
#ifdef CONFIG_MEMORY_ISOLATION
	[MIGRATE_ISOLATE] = "Isolate",
#endif
};

static void kma_show_value(struct seq_file *seq, const struct kma_column *column, int width,
			   u64 value)
{
	if (column->format == KMA_FORMAT_MILLI)
		kma_show_milli(seq, width, value);
	else if (column->format == KMA_FORMAT_PTR)
		seq_printf(seq, "%pK", (void *)(unsigned long)value);
	else if (column->format == KMA_FORMAT_TYPE)
		seq_printf(seq, "%*s", width, value < MIGRATE_TYPES ?
			   kma_type_names[value] : "?");
	else if ((column->format == KMA_FORMAT_S64 && (s64)value == KMA_UNKNOWN) ||
		 (column->format == KMA_FORMAT_ID && value == KMA_NO_ID))
		seq_printf(seq, "%*s", width, "-");
	else if (column->format == KMA_FORMAT_S64)
		seq_printf(seq, "%*lld", width, (s64)value);
	else if (column->format == KMA_FORMAT_HEX)
		seq_printf(seq, "%#*llx", width, value);
	else
		seq_printf(seq, "%*llu", width, value);
}

static void kma_show_columns(struct seq_file *seq, const struct kma_snapshot *snap,
			     const void *row)
{
	const struct kma_table *table = snap->table;
	int i;

	for (i = 0; i < table->nr_columns; i++) {
		if (i)
			seq_putc(seq, ' ');
		if (table->columns[i].format == KMA_FORMAT_LABEL)
			seq_puts(seq, table->ops->label(snap, row));
		else
			kma_show_value(seq, &table->columns[i],
				       kma_width(snap, &table->columns[i]),
				       table->ops->value(snap, row, i));
	}
	seq_putc(seq, '\n');
}

void kma_show_row(struct seq_file *seq, const struct kma_snapshot *snap, const void *row)
{
	if (snap->table->ops->show)
		snap->table->ops->show(seq, snap, row);
	else
		kma_show_columns(seq, snap, row);
}

/* ---- the file ------------------------------------------------------------- */

/* Position 0 is the head; position n is row n - 1. */
static void *kma_seq_at(const struct kma_snapshot *snap, loff_t pos)
{
	if (!snap)
		return NULL;
	if (!pos)
		return SEQ_START_TOKEN;
	return pos <= snap->nr_rows ? kma_snapshot_row(snap, pos - 1) : NULL;
}

static void *kma_seq_start(struct seq_file *seq, loff_t *pos)
{
	return kma_seq_at(seq->private, *pos);
}

static void *kma_seq_next(struct seq_file *seq, void *row, loff_t *pos)
{
	return kma_seq_at(seq->private, ++*pos);
}

static void kma_seq_stop(struct seq_file *seq, void *row)
{
}

static int kma_seq_show(struct seq_file *seq, void *row)
{
	const struct kma_snapshot *snap = seq->private;

	/* To find a position in the file, seq_file prints all rows before it, without a pause. */
	cond_resched();
	if (fatal_signal_pending(current))
		return -EINTR;
	if (row == SEQ_START_TOKEN)
		kma_show_head(seq, snap);
	else
		kma_show_row(seq, snap, row);
	return 0;
}

static const struct seq_operations kma_seq_ops = {
	.start = kma_seq_start,
	.next = kma_seq_next,
	.stop = kma_seq_stop,
	.show = kma_seq_show,
};

static int kma_seq_open(struct file *file, const struct kma_table *table)
{
	struct kma_snapshot *snap;
	struct seq_file *seq;
	int ret;

	/*
	 * The mode of the file is not enough: user 0 of a container has access to /proc, but not
	 * these capabilities.
	 */
	if (!perfmon_capable())
		return -EPERM;
	snap = kma_snapshot_open(table, 0);
	if (IS_ERR(snap))
		return PTR_ERR(snap);
	ret = seq_open(file, &kma_seq_ops);
	if (ret) {
		kma_snapshot_close(snap);
		return ret;
	}
	seq = file->private_data;
	seq->private = snap;
	return 0;
}

static int kma_seq_release(struct inode *inode, struct file *file)
{
	struct seq_file *seq = file->private_data;

	kma_snapshot_close(seq->private);
	return seq_release(inode, file);
}

static __poll_t kma_table_poll(struct file *file, struct poll_table_struct *wait)
{
	const struct seq_file *seq = file->private_data;
	const struct kma_snapshot *snap = seq->private;
	const struct kma_table_ops *ops = snap->table->ops;

	return ops->poll ? ops->poll(snap, file, wait) : EPOLLIN | EPOLLRDNORM;
}

static int kma_table_open(struct inode *inode, struct file *file)
{
	return kma_seq_open(file, inode->i_private);
}

const struct file_operations kma_table_fops = {
	.owner = THIS_MODULE,
	.open = kma_table_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.poll = kma_table_poll,
	.release = kma_seq_release,
};

static int kma_table_proc_open(struct inode *inode, struct file *file)
{
	return kma_seq_open(file, pde_data(inode));
}

const struct proc_ops kma_table_proc_ops = {
	.proc_open = kma_table_proc_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = kma_seq_release,
};
