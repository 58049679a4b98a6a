// SPDX-License-Identifier: GPL-2.0
/* The rows of tables, made from samples: estimates and their standard errors. */
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "../module/resolve/namecache.h"
#include "golden.h"
#include "table_util.h"

/* ---- samples -------------------------------------------------------------- */

/*
 * Rows with known estimates.  With N = 2^shift, a sample of Z bytes stands for
 * w = 1 / (1 - exp(-Z / N)) objects:
 *
 *	Z		N		w
 *	64		4096		64.501302
 *	4096		4096		1.581977
 *	64		524288		8192.500010
 *	64		exact		1
 *	1048576		4096		1 + 10^-111, about
 *
 * If a row has n samples that count x each, the estimate of the counter is n x w.  Its
 * variance is n x^2 w (w - 1), and for bytes_req n x Z w (w - 1).  A table adds up both
 * over rows.  Then the estimate is rounded to the nearest integer; the standard error is
 * the square root of the sum, rounded down.  The numbers below were computed in this way,
 * with 60 digits.
 */
struct kma_puts {
	unsigned long frame[3];
	u32 nr_frames;
	int shift;
	u32 size;
	u32 bytes_req;
	int hits;
	int bulk;
	int frees;
};

static u32 kma_put(const struct kma_puts *p, unsigned long ptr)
{
	struct kma_stack stack = {
		.nr_frames = p->nr_frames,
		.frame = { p->frame[0], p->frame[1], p->frame[2] },
	};
	const struct kma_origin o = {
		.site = p->frame[0],
		.shift = p->shift,
		.stack = &stack,
	};
	const struct kma_site_slot *slot;
	struct kma_event ev = {
		.site = o.site,
		.cache = p->size,
		.bytes_req = p->bytes_req,
		.node = NUMA_NO_NODE,
	};
	int i;

	kma_stack_seal(&stack);
	slot = p->shift ? kma_sitetab_sample(&kma_core.sites, &o, p->size) :
			  kma_sitetab_get(&kma_core.sites, o.site, p->size);
	for (i = 0; i < p->hits + p->bulk; i++) {
		ev.ptr = ptr + 64 * i;
		ev.kmalloc = i < p->hits;
		kma_record_object(&kma_core, slot, &ev, !ev.kmalloc);
	}
	for (i = 0; i < p->frees; i++)
		kma_record_free(&kma_core, ptr + 64 * i, true);
	return slot->id;
}

/* Count one more sample, and also count it as no_entry, cross_node and pingpong. */
static void kma_put_rare(u32 id, u32 bytes_req)
{
	struct kma_row __percpu *row = kma_core.sites.row[id];

	this_cpu_inc(row->hits);
	this_cpu_add(row->bytes_req, bytes_req);
	this_cpu_inc(row->no_entry);
	this_cpu_inc(row->cross_node);
	this_cpu_inc(row->pingpong);
}

static void kma_put_samples(void)
{
	const unsigned long site = KMA_TEST_SITE;
	const unsigned long caller = (unsigned long)vfree + 2;
	const unsigned long outermost = (unsigned long)schedule + 3;
	const struct kma_puts puts[] = {
		{ { site, caller, outermost }, 3, 12, 64, 60, 6, 2, 3 },
		{ { site, outermost }, 2, 12, 4096, 4000, 4, 0, 1 },
		{ { site }, 0, 19, 64, 60, 2, 0, 0 },
		{ { site }, 0, KMA_SHIFT_EXACT, 64, 60, 2, 0, 1 },
		{ { (unsigned long)vfree + 1 }, 0, 12, SZ_1M, 1000000, 1, 0, 0 },
	};
	u32 id;
	int i;

	preempt_disable();
	for (i = 0; i < ARRAY_SIZE(puts); i++) {
		id = kma_put(&puts[i], KMA_TEST_PTR + 1024 * i);
		if (!i)
			kma_put_rare(id, puts[i].bytes_req);
	}
	preempt_enable();
}

static void kma_report_prints_samples(struct kunit *test)
{
	struct kma_snapshot *snap;

	kma_put_samples();
	snap = kma_table_open(test, &kma_table_callers);
	snap->window_ns = 12345 * NSEC_PER_MSEC;
	snap->identity = kma_test_identity;
	snap->sample_bytes = 4096;
	KUNIT_EXPECT_STREQ(test, kma_table_head(test, snap),
			   KMA_GOLDEN_SAMPLED_HEAD("callers", KMA_GOLDEN_QUIET_UNKNOWN)
			   KMA_GOLDEN_CALLERS_COLUMNS);
	KUNIT_EXPECT_STREQ(test, kma_table_body(test, snap), KMA_GOLDEN_SAMPLED_ROWS);
}

/* Columns stay in place when sampling begins: the head says that numbers may be estimates. */
static void kma_report_tells_samples_where_there_are(struct kunit *test)
{
	const struct kma_table *const known[] = {
		&kma_table_callers, &kma_table_caches, &kma_table_stacks, &kma_table_allocs,
		&kma_table_summary,
	};
	const char *columns[ARRAY_SIZE(known)];
	int i;

	kma_alloc(KMA_TEST_SITE, KMA_TEST_PTR + SZ_64K, 64, 60);
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		columns[i] = kma_table_text(test, known[i]);
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(columns[i], " sampled=0 "), "%s",
					  known[i]->name);
		columns[i] = strstr(columns[i], "\n# load_id=") + 1;
	}
	kma_put_samples();
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		const char *now = kma_table_text(test, known[i]);

		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(now, " sampled=1 "), "%s", known[i]->name);
		now = strchr(strstr(now, "\n# load_id=") + 1, '\n');
		columns[i] = strchr(columns[i], '\n');
		KUNIT_EXPECT_EQ_MSG(test, strncmp(now, columns[i], strchr(now + 1, '\n') - now), 0,
				    "%s", known[i]->name);
	}
}

/*
 * Rows with the same name are added up, whether they are exact or sampled.  The columns of
 * a known row are written as three groups: estimates; frag_pct, samples, live_samples;
 * standard errors.  Changes are unknown.
 */
static void kma_report_estimates(struct kunit *test)
{
	static const struct kma_known_row callers[] = {
		{
			"kfree+0x1", {
				1088784, 16713, 16845, 1035622, 16974, 1103584, 196, 18928,
				65, 65, 65, 129, 8256, 1088784,
				6158, 15, 10,
				[KMA_COUNT_ERRORS] =
				741543, 11586, 11586, 718029, 11586, 741576, 110, 8110, 63,
				63, 63, 90, 5792, 741543,
			},
		}, {
			"vfree+0x1", {
				1048576, 1, 1, 1000000, 1, 1048576, 0, 0, 0, 0, 0, 0, 0,
				1048576,
				4633, 1, 1,
			},
		},
	};
	static const struct kma_known_row cache = {
		"kmalloc-64", {
			1069344, 16709, 16839, 1010311, 16968, 1077665, 195, 12448,
			65, 65, 65, 129, 8256, 1069344,
			6250, 11, 7,
			[KMA_COUNT_ERRORS] =
			741511, 11586, 11586, 717987, 11586, 741534, 110, 7094, 63,
			63, 63, 90, 5792, 741511,
		},
	};

	/* Without hooks of bulk functions, no byte would be confirmed. */
	kma_bulk_start();
	kma_put_samples();
	kma_expect_table(test, callers, ARRAY_SIZE(callers), &kma_table_callers);
	kma_expect_table_row(test, &cache, &kma_table_caches);
}

/* The label is the stack, outermost frame first; or the call site, if there is no stack. */
static void kma_report_estimates_by_stack(struct kunit *test)
{
	static const struct kma_known_row known[] = {
		{
			"schedule+0x3;vfree+0x2;kfree+0x1", {
				20640, 323, 452, 27091, 581, 28897, 194, 12384, 65, 65, 65,
				129, 8256, 20640,
				6250, 9, 5,
				[KMA_COUNT_ERRORS] =
				9158, 143, 169, 10492, 191, 10836, 110, 7094, 63, 63, 63,
				90, 5792, 9158,
			},
		}, {
			"schedule+0x3;kfree+0x1", {
				19439, 5, 6, 25312, 6, 25919, 2, 6480, 0, 0, 0, 0, 0, 19439,
				2342, 4, 3,
				[KMA_COUNT_ERRORS] =
				6807, 1, 1, 7767, 1, 7860, 0, 3930, 0, 0, 0, 0, 0, 6807,
			},
		}, {
			"kfree+0x1", {
				1048640, 16385, 16385, 983100, 16385, 1048640, 0, 0, 0, 0,
				0, 0, 0, 1048640,
				6250, 2, 2,
				[KMA_COUNT_ERRORS] =
				741455, 11585, 11585, 717910, 11585, 741455, 0, 0, 0, 0,
				0, 0, 0, 741455,
			},
		}, {
			/* w is 1, so there is no error. */
			"vfree+0x1", {
				1048576, 1, 1, 1000000, 1, 1048576, 0, 0, 0, 0, 0, 0, 0,
				1048576,
				4633, 1, 1,
			},
		},
	};

	kma_bulk_start();
	kma_put_samples();
	/* Objects that were recorded exactly have no row. */
	kma_expect_table(test, known, ARRAY_SIZE(known), &kma_table_stacks);
}

/*
 * Each sample has a stack, and so a row, of its own.  The rows must not be rounded before
 * they are added up: that would make 200 objects of 4 KiB, without an error.
 */
static void kma_report_adds_before_it_rounds(struct kunit *test)
{
	static const struct kma_known_row known = {
		"kfree+0x1", {
			647978, 158, 158, 632791, 158, 647978, 0, 0, 0, 0, 0, 0, 0, 647978,
			2344, 100, 100,
			[KMA_COUNT_ERRORS] =
			39301, 9, 9, 38838, 9, 39301, 0, 0, 0, 0, 0, 0, 0, 39301,
		},
	};
	struct kma_puts put = {
		{ KMA_TEST_SITE }, 2, 12, 4096, 4000, 1, 0, 0,
	};
	int i;

	kma_bulk_start();
	preempt_disable();
	for (i = 0; i < 100; i++) {
		put.frame[1] = (unsigned long)vfree + i;
		kma_put(&put, KMA_TEST_PTR + 4096 * i);
	}
	preempt_enable();
	kma_expect_table(test, &known, 1, &kma_table_callers);
}

/* The weight of a live object is 1000 w, rounded to the nearest integer. */
static void kma_report_weighs_objects(struct kunit *test)
{
	static const struct {
		u64 weight;
		int nr;
	} known[] = {
		{ 8192500, 2 }, { 64501, 5 }, { 1582, 3 }, { 1000, 2 },
	};
	int column = kma_table_column(&kma_table_allocs, "weight");
	struct kma_snapshot *snap;
	u64 weight;
	size_t k;
	int i, nr;

	kma_put_samples();
	snap = kma_table_open(test, &kma_table_allocs);
	KUNIT_EXPECT_EQ(test, snap->nr_rows, 12);
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		for (k = 0, nr = 0; k < snap->nr_rows; k++) {
			weight = snap->table->ops->value(snap, snap->rows +
						    k * snap->table->ops->row_size, column);
			nr += weight == known[i].weight;
		}
		KUNIT_EXPECT_EQ_MSG(test, nr, known[i].nr, "%llu", known[i].weight);
	}
}

/*
 * `summary` adds up all rows.  The variance of bytes_net is the sum of the variances of
 * bytes_allocated, bulk_bytes and bytes_freed.  The variance of bytes_wasted is the
 * variance of bytes_allocated minus the variance of bytes_requested.
 */
static void kma_report_sums_up_estimates(struct kunit *test)
{
	static const struct kma_keyval known[] = {
		{ "bytes_requested", KMA_FORMAT_U64, 2035622 },
		{ "bytes_requested_se", KMA_FORMAT_U64, 718029 },
		{ "bytes_allocated", KMA_FORMAT_U64, 2152160 },
		{ "bytes_allocated_se", KMA_FORMAT_U64, 741576 },
		{ "bytes_freed", KMA_FORMAT_U64, 18928 },
		{ "bytes_freed_se", KMA_FORMAT_U64, 8110 },
		{ "bytes_net", KMA_FORMAT_S64, 2141488 },
		{ "bytes_net_se", KMA_FORMAT_U64, 741643 },
		{ "bytes_wasted", KMA_FORMAT_U64, 116538 },
		{ "bytes_wasted_se", KMA_FORMAT_U64, 185387 },
		{ "frag_pct", KMA_FORMAT_MILLI, 5415 },
		{ "cross_node_allocs", KMA_FORMAT_U64, 65 },
		{ "cross_node_allocs_se", KMA_FORMAT_U64, 63 },
		{ "objs_alloc", KMA_FORMAT_U64, 16975 },
		{ "objs_alloc_se", KMA_FORMAT_U64, 11586 },
		{ "allocs", KMA_FORMAT_U64, 16846 },
		{ "allocs_se", KMA_FORMAT_U64, 11586 },
		{ "bulk_objs", KMA_FORMAT_U64, 129 },
		{ "bulk_objs_se", KMA_FORMAT_U64, 90 },
		{ "bulk_bytes", KMA_FORMAT_U64, 8256 },
		{ "bulk_bytes_se", KMA_FORMAT_U64, 5792 },
		{ "live_bytes", KMA_FORMAT_U64, 2137360 },
		{ "live_bytes_se", KMA_FORMAT_U64, 741543 },
		{ "confirmed_bytes", KMA_FORMAT_U64, 2137360 },
		{ "confirmed_bytes_se", KMA_FORMAT_U64, 741543 },
		{ "live_objs", KMA_FORMAT_U64, 16714 },
		{ "live_objs_se", KMA_FORMAT_U64, 11586 },
		{ "frees", KMA_FORMAT_U64, 196 },
		{ "frees_se", KMA_FORMAT_U64, 110 },
		{ "pingpong", KMA_FORMAT_U64, 65 },
		{ "pingpong_se", KMA_FORMAT_U64, 63 },
		{ "samples", KMA_FORMAT_U64, 16 },
		{ "live_samples", KMA_FORMAT_U64, 11 },
	};
	const struct kma_keyval *pair;
	int i;

	kma_bulk_start();
	kma_put_samples();
	pair = kma_table_open(test, &kma_table_summary)->rows;
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		KUNIT_EXPECT_STREQ(test, pair[i].name, known[i].name);
		KUNIT_EXPECT_EQ_MSG(test, pair[i].format, known[i].format, "%s",
				    known[i].name);
		KUNIT_EXPECT_EQ_MSG(test, pair[i].value, known[i].value, "%s",
				    known[i].name);
	}
}

/* ---- modules that go ---------------------------------------------------------- */

/* Pretend that this module is unloaded.  Return: the memory that keeping its names takes. */
static u64 kma_report_let_go(void)
{
	const u64 before = kma_state_bytes();

	kma_symbol_change(THIS_MODULE, MODULE_STATE_GOING);
	return kma_state_bytes() - before;
}

/* When a module is unloaded, each name is looked up once, even if no table was opened before. */
static void kma_report_names_callers_of_a_module_once(struct kunit *test)
{
	const unsigned long here = (unsigned long)kma_report_names_callers_of_a_module_once;
	const unsigned long outermost = (unsigned long)schedule + 3;
	const struct kma_puts puts = {
		{ KMA_TEST_SITE, here, outermost }, 3, 12, 64, 60, 1, 0, 0,
	};

	preempt_disable();
	kma_put(&puts, KMA_TEST_PTR);
	preempt_enable();
	kma_lock_take(KMA_LOCK_COMMAND);
	KUNIT_EXPECT_NULL(test, kma_namecache_find(KMA_TEST_SITE));
	kma_report_let_go();
	KUNIT_EXPECT_STREQ(test, kma_namecache_find(KMA_TEST_SITE) ?: "none", "kfree+0x1");
	KUNIT_EXPECT_STREQ(test, kma_namecache_find(outermost) ?: "none", "schedule+0x3");
	/* Its own names are not cached: other code may get the addresses. */
	KUNIT_EXPECT_NULL(test, kma_namecache_find(here));
	kma_lock_release();
}

/* The names that are kept count as memory, until their rows are recycled. */
static void kma_report_counts_kept_names(struct kunit *test)
{
	const unsigned long here = (unsigned long)kma_report_counts_kept_names;
	const struct kma_puts puts[] = {
		{ { KMA_TEST_SITE, here }, 2, 12, 64, 60, 1, 0, 0 },
		{ { here }, 0, KMA_SHIFT_EXACT, 64, 60, 1, 0, 0 },
	};
	static char stack[KMA_STACK_LEN];
	u64 before, kept;
	char expect[80];
	u32 id[2];

	snprintf(expect, sizeof(expect), "%s+0x0 [kmemacct_kunit];kfree+0x1", __func__);
	preempt_disable();
	id[0] = kma_put(&puts[0], KMA_TEST_PTR);
	id[1] = kma_put(&puts[1], KMA_TEST_PTR + 64);
	preempt_enable();
	kma_lock_take(KMA_LOCK_COMMAND);
	kma_namecache_start();
	before = kma_state_bytes();
	kept = kma_report_let_go();
	kma_symbol_stack(&kma_core.sites, id[0], stack);
	KUNIT_EXPECT_STREQ(test, stack, expect);
	KUNIT_EXPECT_EQ(test, kept, kma_kmalloc_bytes(strlen(stack) + 1) +
			ksize(kma_symbol_known(&kma_core.sites, id[1])));
	kma_symbol_forget(&kma_core.sites, id[0]);
	kma_symbol_forget(&kma_core.sites, id[1]);
	KUNIT_EXPECT_EQ(test, kma_state_bytes(), before);
	kma_lock_release();
}

static struct kunit_case kma_report_samples_cases[] = {
	KUNIT_CASE(kma_report_prints_samples),
	KUNIT_CASE(kma_report_tells_samples_where_there_are),
	KUNIT_CASE(kma_report_estimates),
	KUNIT_CASE(kma_report_estimates_by_stack),
	KUNIT_CASE(kma_report_adds_before_it_rounds),
	KUNIT_CASE(kma_report_weighs_objects),
	KUNIT_CASE(kma_report_sums_up_estimates),
	KUNIT_CASE(kma_report_names_callers_of_a_module_once),
	KUNIT_CASE(kma_report_counts_kept_names),
	{}
};

struct kunit_suite kma_report_samples_suite = {
	.name = "kmemacct_report_samples",
	.suite_init = kma_table_init_suite,
	.init = kma_table_init_test,
	.exit = kma_table_exit_test,
	.test_cases = kma_report_samples_cases,
};
