// SPDX-License-Identifier: GPL-2.0
/* Functions that the suites share: see util.h. */
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "util.h"

/* ---- threads -------------------------------------------------------------- */

struct kma_crew {
	void (*work)(void *arg, int nr);
	void *arg;
	atomic_t missing;
};

struct kma_member {
	struct kma_crew *crew;
	struct task_struct *task;
	int nr;
};

static int kma_member_main(void *data)
{
	struct kma_member *m = data;

	atomic_dec(&m->crew->missing);
	while (atomic_read(&m->crew->missing))
		cond_resched();
	m->crew->work(m->crew->arg, m->nr);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static int kma_crew_hire(struct kma_crew *crew, struct kma_member *m, int nr)
{
	int i, cpu = -1;

	for (i = 0; i < nr; i++) {
		m[i].crew = crew;
		m[i].nr = i;
		m[i].task = kthread_create(kma_member_main, &m[i], "kma-crew/%d", i);
		if (IS_ERR(m[i].task))
			return PTR_ERR(m[i].task);
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
		kthread_bind(m[i].task, cpu);
	}
	return 0;
}

int kma_crew_run(void (*work)(void *arg, int nr), void *arg, int nr)
{
	struct kma_crew crew = {
		.work = work,
		.arg = arg,
		.missing = ATOMIC_INIT(nr),
	};
	struct kma_member *m = kcalloc(nr, sizeof(*m), GFP_KERNEL);
	int i, ret;

	if (!m)
		return -ENOMEM;
	ret = kma_crew_hire(&crew, m, nr);
	for (i = 0; !ret && i < nr; i++)
		wake_up_process(m[i].task);
	/* If a thread could not be created, kthread_stop() ends the others before they run. */
	for (i = 0; i < nr && !IS_ERR_OR_NULL(m[i].task); i++) {
		while (!ret && atomic_read(&crew.missing))
			schedule_timeout_uninterruptible(1);
		kthread_stop(m[i].task);
	}
	kfree(m);
	return ret;
}

int kma_other_cpu(struct kunit *test)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (cpu != raw_smp_processor_id())
			return cpu;
	kunit_skip(test, "needs at least two online CPUs");
}

/* ---- expectations --------------------------------------------------------- */

static u64 kma_field_value(const struct kma_field *f, const void *record)
{
	const void *at = record + f->offset;

	switch (f->bytes) {
	case 1:
		return *(const u8 *)at;
	case 2:
		return *(const u16 *)at;
	case 4:
		return *(const u32 *)at;
	default:
		return *(const u64 *)at;
	}
}

void kma_expect_each_field(struct kunit *test, const char *what,
			   const struct kma_field *fields, int nr, const void *expect,
			   const void *actual)
{
	const struct kma_field *f;

	for (f = fields; f < fields + nr; f++) {
		if (f->text)
			KUNIT_EXPECT_STREQ_MSG(test, (const char *)actual + f->offset,
					       (const char *)expect + f->offset,
					       "%s: %s", what, f->name);
		else
			KUNIT_EXPECT_EQ_MSG(test, kma_field_value(f, actual),
					    kma_field_value(f, expect), "%s: %s", what,
					    f->name);
	}
}

static const struct kma_field kma_row_fields[] = {
	KMA_FIELD(struct kma_row, hits),
	KMA_FIELD(struct kma_row, bytes_req),
	KMA_FIELD(struct kma_row, frees),
	KMA_FIELD(struct kma_row, repaired),
	KMA_FIELD(struct kma_row, no_entry),
	KMA_FIELD(struct kma_row, pingpong),
	KMA_FIELD(struct kma_row, cross_node),
	KMA_FIELD(struct kma_row, bulk),
};

static_assert(ARRAY_SIZE(kma_row_fields) * sizeof(u64) == sizeof(struct kma_row));

void kma_expect_row(struct kunit *test, const struct kma_row *expect,
		    const struct kma_row *actual)
{
	kma_expect_fields(test, "row", kma_row_fields, expect, actual);
}

void kma_expect_row_sum(struct kunit *test, const struct kma_row *expect,
			const struct kma_sitetab *sites, u32 id)
{
	struct kma_row actual;
	char what[16];

	snprintf(what, sizeof(what), "row %u", id);
	kma_sitetab_sum(sites, id, &actual);
	kma_expect_fields(test, what, kma_row_fields, expect, &actual);
}

static const struct kma_field kma_entry_fields[] = {
	KMA_FIELD(struct kma_entry, bytes_req),
	KMA_FIELD(struct kma_entry, time),
	KMA_FIELD(struct kma_entry, tgid),
	KMA_FIELD(struct kma_entry, row),
	KMA_FIELD(struct kma_entry, cpu),
};

void kma_expect_entry(struct kunit *test, const struct kma_entry *expect,
		      const struct kma_entry *actual)
{
	kma_expect_fields(test, "entry", kma_entry_fields, expect, actual);
}

static const struct kma_field kma_site_info_fields[] = {
	KMA_FIELD(struct kma_site_info, site),
	KMA_FIELD(struct kma_site_info, cache),
	KMA_FIELD(struct kma_site_info, state),
	KMA_FIELD(struct kma_site_info, shift),
	KMA_FIELD(struct kma_site_info, nr_frames),
};

void kma_expect_site_info(struct kunit *test, const struct kma_site_info *expect,
			  const struct kma_site_info *actual)
{
	kma_expect_fields(test, "site", kma_site_info_fields, expect, actual);
}

static const struct kma_field kma_cache_info_fields[] = {
	KMA_FIELD(struct kma_cache_info, class),
	KMA_FIELD(struct kma_cache_info, size),
	KMA_FIELD(struct kma_cache_info, object_size),
	KMA_FIELD(struct kma_cache_info, sampled),
	KMA_FIELD_TEXT(struct kma_cache_info, name),
};

void kma_expect_cache_info(struct kunit *test, const struct kma_cache_info *expect,
			   const struct kma_cache_info *actual)
{
	kma_expect_fields(test, "cache", kma_cache_info_fields, expect, actual);
}

/* Whether a counter depends on the clock or on the size of the live table. */
static bool kma_stat_varies(int stat)
{
	return (stat >= KMA_STAT_timed_events && stat <= KMA_STAT_sample_ns) ||
	       stat == KMA_STAT_spill_in || stat == KMA_STAT_spill_out;
}

static_assert(KMA_STAT_sample_ns - KMA_STAT_timed_events == 4);

void kma_expect_stats(struct kunit *test, const u64 *expect)
{
	struct kma_stats sum;
	int i;

	kma_stats_sum(&sum);
	for (i = 0; i < KMA_STAT_NR; i++)
		if (!kma_stat_varies(i))
			KUNIT_EXPECT_EQ_MSG(test, sum.v[i], expect[i], "stats: %s",
					    kma_stat_name(i));
}

/* ---- entries --------------------------------------------------------------- */

struct kma_entry kma_payload(unsigned long ptr, u32 count)
{
	u64 x = kma_mix(ptr ^ (u64)count << 20);
	struct kma_entry e = {
		.bytes_req = count,
		.time = x,
		.tgid = x >> 32,
		.row = x >> 24,
		.cpu = x >> 12,
	};

	return e;
}

bool kma_payload_is(const struct kma_entry *e, unsigned long ptr, u32 count)
{
	struct kma_entry want = kma_payload(ptr, count);

	return e->bytes_req == want.bytes_req && e->time == want.time &&
	       e->tgid == want.tgid && e->row == want.row && e->cpu == want.cpu;
}

/* ---- the module's state --------------------------------------------------- */

int kma_test_sample_bytes(u64 bytes)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", bytes);
	return kma_setting_write(KMA_SETTING_sample_bytes, text);
}

u64 kma_stat_sum(enum kma_stat stat)
{
	struct kma_stats sum;

	kma_stats_sum(&sum);
	return sum.v[stat];
}

void kma_stats_clear(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&kma_stats, cpu), 0, sizeof(kma_stats));
}

u64 kma_objtab_count_row(const struct kma_objtab *t, u32 row)
{
	struct kma_entry entry;
	u64 i, nr = 0;
	int slot;

	for (i = 0; i < kma_objtab_buckets(t); i++)
		for (slot = 0; slot < KMA_SLOTS; slot++)
			nr += kma_objtab_read(kma_objtab_bucket(t, i), slot, &entry) &&
			      (row == U32_MAX || entry.row == row);
	return nr;
}

u64 kma_objtab_count(const struct kma_objtab *t)
{
	return kma_objtab_count_row(t, U32_MAX);
}

/* ---- made-up events ------------------------------------------------------- */

void kma_fake_alloc(struct kma_core *c, const struct kma_event *ev)
{
	preempt_disable();
	kma_record_alloc(c, ev);
	preempt_enable();
}

/* An object of a bulk allocation: without a requested size, and without a node. */
void kma_fake_bulk(struct kma_core *c, unsigned long site, unsigned long ptr, u32 size)
{
	const struct kma_event ev = {
		.site = site,
		.ptr = ptr,
		.cache = size,
		.node = NUMA_NO_NODE,
	};

	preempt_disable();
	kma_record_bulk(c, &ev);
	preempt_enable();
}

void kma_fake_free(struct kma_core *c, unsigned long ptr)
{
	preempt_disable();
	kma_record_free(c, ptr, true);
	preempt_enable();
}

void kma_fake_sampled(struct kma_core *c, const struct kma_event *ev)
{
	preempt_disable();
	kma_stat_inc(alloc_unsampled);
	kma_record_sampled(c, ev, ev->cache, false);
	preempt_enable();
}

/* ---- files ---------------------------------------------------------------- */

#define KMA_TEXT_MAX	(64 << 10)

struct kma_file {
	struct inode inode;
	struct file file;
};

static void kma_file_close(void *data)
{
	struct kma_file *f = data;

	if (f->file.f_op->release)
		f->file.f_op->release(&f->inode, &f->file);
}

struct file *kma_file_open(struct kunit *test, const struct file_operations *fops,
			   const void *private)
{
	struct kma_file *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->inode.i_private = (void *)private;
	f->file.f_op = fops;
	KUNIT_ASSERT_EQ(test, fops->open(&f->inode, &f->file), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, kma_file_close, f), 0);
	return &f->file;
}

ssize_t kma_file_read(struct file *file, char *buf, size_t len, loff_t pos)
{
	struct kvec vec = { .iov_base = buf, .iov_len = len };
	struct iov_iter iter;
	struct kiocb kiocb;

	init_sync_kiocb(&kiocb, file);
	kiocb.ki_pos = pos;
	iov_iter_kvec(&iter, ITER_DEST, &vec, 1, len);
	return seq_read_iter(&kiocb, &iter);
}

char *kma_file_text(struct kunit *test, struct file *file, size_t step)
{
	char *text = kunit_kzalloc(test, KMA_TEXT_MAX, GFP_KERNEL);
	ssize_t len = 0, got;

	KUNIT_ASSERT_NOT_NULL(test, text);
	do {
		got = kma_file_read(file, text + len,
				    min_t(size_t, step, KMA_TEXT_MAX - 1 - len), len);
		len += max_t(ssize_t, got, 0);
	} while (got > 0);
	KUNIT_ASSERT_EQ(test, got, 0);
	KUNIT_ASSERT_LT(test, len, KMA_TEXT_MAX - 1);
	return text;
}

struct seq_file *kma_seq_new(struct kunit *test)
{
	struct seq_file *seq = kunit_kzalloc(test, sizeof(*seq), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, seq);
	seq->size = KMA_TEXT_MAX;
	seq->buf = kunit_kzalloc(test, seq->size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, seq->buf);
	return seq;
}

const char *kma_seq_text(struct seq_file *seq)
{
	seq->buf[seq->count] = '\0';
	seq->count = 0;
	return seq->buf;
}
