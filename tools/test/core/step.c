// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupts the record path after each instruction.
 *
 * While the trap flag is set, the processor traps after every instruction.  The trap handler
 * does what an interrupt could do there: it allocates and frees objects in the same core.
 * Each path runs once for each of its instructions, with one interrupt after this instruction,
 * and once more with an interrupt after every instruction.  After each run, the core is
 * compared with the model.
 *
 *   step [--all] [TEXT]	only the paths whose names contain TEXT
 *
 * The run with one interrupt after instruction k is a child process, which is forked there
 * and runs to the end.  If each run began at the start and was stepped to instruction k, the
 * number of traps would be quadratic in the length of the path.
 *
 * Most instructions of a long path are those of a few loops, which clear or copy memory.  Without
 * --all, a child is forked only for the first KMA_VISITS executions of each instruction, and then
 * for every sixteenth.  With --all, a child is forked for each execution, and all interrupts also
 * come in the path that takes longer than all others together.
 */
#include <linux/kernel.h>
#include <linux/numa.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "case.h"
#include "model.h"
#include "../../../module/core/countmap_recycle.h"

#define KMA_TRAP_FLAG	0x100
#define KMA_OBJECTS	5000
#define KMA_PFNS	16
#define KMA_SITES	256
#define KMA_SITE	1	/* the call site in most paths */

static struct kma_core kma_core;
static struct kma_model kma_model;
static struct kma_object kma_object[KMA_OBJECTS];

/* Objects with the same home bucket.  Most paths allocate or free the first one. */
#define KMA_MINE	32
static struct kma_object *kma_mine[KMA_MINE];
/* Index of an object in kma_mine whose own slot is that of the first object. */
static u32 kma_rival;

/* A reader has accepted a copy with members of two entries. */
static bool kma_torn;

/* ---- stepping -------------------------------------------------------------- */

static struct {
	bool armed;		/* the path is to be stepped */
	bool inside;		/* an interrupt is running */
	bool forks;		/* fork a child for each interrupt */
	bool child;		/* this process is such a child */
	bool failed;		/* a child has failed */
	bool died;		/* a child was killed by a signal */
	u32 steps;		/* instructions of this run so far */
	u32 interrupts;		/* number of interrupts in this run and its children */
	void (*interrupt)(u32 nr);
} kma_step;

static u64 kma_total;

/* Set by --all. */
static bool kma_all;

/* ---- how often each instruction was executed ------------------------------- */

#define KMA_VISITS	6

/* Open addressing; the test aborts if there is no room. */
static struct {
	unsigned long address;
	u32 nr;
} kma_visits[8192];

static bool kma_visit_often(unsigned long address)
{
	u32 i = address % ARRAY_SIZE(kma_visits), tries = 0;

	while (kma_visits[i].address && kma_visits[i].address != address) {
		if (++tries == ARRAY_SIZE(kma_visits))
			abort();
		i = (i + 1) % ARRAY_SIZE(kma_visits);
	}
	kma_visits[i].address = address;
	return kma_visits[i].nr++ >= KMA_VISITS && kma_visits[i].nr % 16;
}

/* ---- the trap -------------------------------------------------------------- */

static void kma_step_interrupt(u32 nr)
{
	struct kma_env interrupted = kma_env;

	kma_step.inside = true;
	kma_env.now = 0x40000000 + nr;
	kma_step.interrupt(nr);
	kma_env = interrupted;
	kma_step.inside = false;
}

static void kma_step_fork(ucontext_t *uc)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		kma_step.child = true;
		kma_step_interrupt(0);
		uc->uc_mcontext.gregs[REG_EFL] &= ~KMA_TRAP_FLAG;
	} else if (waitpid(pid, &status, 0) != pid || status) {
		kma_step.failed = true;
		kma_step.died = !WIFEXITED(status);
	}
}

static void kma_step_trap(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	(void)sig;
	(void)info;
	kma_step.steps++;
	if (kma_step.failed)
		return;
	if (kma_step.forks && !kma_all && kma_visit_often(uc->uc_mcontext.gregs[REG_RIP]))
		return;
	if (kma_step.forks)
		kma_step_fork(context);
	else
		kma_step_interrupt(kma_step.interrupts);
	kma_step.interrupts++;
}

/* Functions that are called before and after each event, of the path and of interrupts. */
static void kma_step_enter(void)
{
	/* A child has had its interrupt, and runs to the end without further traps. */
	if (kma_step.armed && !kma_step.inside && !kma_step.child)
		__asm__ __volatile__("pushfq; orq %0, (%%rsp); popfq"
				     : : "i" (KMA_TRAP_FLAG) : "memory", "cc");
}

static void kma_step_leave(void)
{
	if (kma_step.armed && !kma_step.inside)
		__asm__ __volatile__("pushfq; andq %0, (%%rsp); popfq"
				     : : "i" (~KMA_TRAP_FLAG) : "memory", "cc");
}

/* ---- interrupts ------------------------------------------------------------ */

static void kma_alloc_free(struct kma_object *o, u32 site, u32 cache)
{
	kma_model_alloc(&kma_model, o, site, cache);
	kma_model_free(&kma_model, o);
}

static void kma_nest_same_bucket(u32 nr)
{
	(void)nr;
	kma_alloc_free(kma_mine[8], 40, 1);
}

static void kma_nest_same_site(u32 nr)
{
	(void)nr;
	kma_alloc_free(kma_mine[9], KMA_SITE, 0);
	kma_alloc_free(&kma_object[KMA_OBJECTS - 1], KMA_SITE, 5);
}

static void kma_nest_new_site(u32 nr)
{
	kma_alloc_free(kma_mine[8], 50 + nr % 200, nr % KMA_MODEL_CACHES);
}

static void kma_nest_stays(u32 nr)
{
	if (nr < KMA_MINE - 10)
		kma_model_alloc(&kma_model, kma_mine[10 + nr], KMA_SITE, 0);
	else if (nr < KMA_OBJECTS / 2 && !kma_object[2 * nr].live)
		kma_model_alloc(&kma_model, &kma_object[2 * nr], KMA_SITE, 5);
}

/* Make room in the bucket, for a moment or for good. */
static void kma_nest_makes_room(u32 nr)
{
	kma_model_free(&kma_model, kma_mine[1 + nr % 7]);
	if (nr % 2)
		kma_model_alloc(&kma_model, kma_mine[10 + nr % 8], 40, 1);
}

/*
 * A cache without objects.  Its row is in slot 0 of the map, because a row whose slot number
 * is not set yet also refers to slot 0.
 */
static struct kma_env_cache kma_dying[4096];
static unsigned long kma_dying_word;

static void kma_setup_dying(void)
{
	struct kma_sitetab *t = &kma_core.sites;
	const unsigned long site = KMA_MODEL_SITE + 0x100000;
	u32 i = 0;

	while (kma_sitetab_hash(t, site, (unsigned long)&kma_dying[i]))
		i++;
	kma_dying_word = (unsigned long)&kma_dying[i];
	kma_sitetab_get(t, site, kma_dying_word);
}

/* Another CPU may retire a cache between any two instructions of the path. */
static void kma_nest_cache_dies(u32 nr)
{
	(void)nr;
	kma_sitetab_retire_cache(&kma_core.sites, kma_dying_word);
}

/* Add this many pairs that have the same first slot in the map as the path's pair. */
static void kma_add_others(u32 nr)
{
	const unsigned long site = KMA_MODEL_SITE + 16 * KMA_SITE;
	const unsigned long cache = kma_model_cache(&kma_model, 0);
	u32 i;

	for (i = 1; i <= nr; i++)
		kma_sitetab_get(&kma_core.sites, site - 8 * i, cache + 8 * i);
}

/* Another CPU may begin to recycle rows between any two instructions of the path. */
static void kma_nest_recycles(u32 nr)
{
	(void)nr;
	kma_model_recycle_begin(&kma_model);
}

/* Another CPU adds a pair whose first slot is that of the path's pair, when rows begin to leave. */
static void kma_nest_recycles_and_adds(u32 nr)
{
	u64 *stat = per_cpu(kma_stats, kma_env.cpu).v;
	u64 before[KMA_STAT_NR];

	kma_nest_recycles(nr);
	memcpy(before, stat, sizeof(before));
	kma_add_others(1);
	/* The model has no event of this pair, which may count in other_sites. */
	memcpy(stat, before, sizeof(before));
}

static void kma_nest_counts(u32 nr);
static void kma_nest_counts_same(u32 nr);
static void kma_nest_rows_leave(u32 nr);
static void kma_nest_sample(u32 nr);
static void kma_nest_sample_stays(u32 nr);
static void kma_nest_sample_changes(u32 nr);
static void kma_nest_sweep(u32 nr);
static void kma_nest_uses_again(u32 nr);
static void kma_nest_replaces(u32 nr);
static void kma_nest_reuses(u32 nr);

/*
 * Kinds of paths, as bits.  Only some interrupts can come in paths of a kind.  KMA_LONG are paths
 * that search all caches or buckets, and paths for which all objects are @left (model.h).
 */
enum kma_kind {
	KMA_SHORT = 1,
	KMA_LONG = 2,
	KMA_SAMPLES = 4,
	KMA_STALE_FREED = 8,	/* the free of an object whose entry is stale */
	KMA_STALE_SWEPT = 16,	/* the sweep of a stale entry */
	KMA_READ = 32,		/* a reader */
	KMA_LATE = 64,		/* a free that is traced after the allocator has the object */
	KMA_SLOW = 128,		/* KMA_SHORT with --all, else KMA_LONG */
	KMA_COUNTS = 256,	/* an event that is counted in a countmap */
};

/* An interrupt, and the kinds of paths that it can come in. */
static const struct {
	const char *name;
	void (*interrupt)(u32 nr);
	u32 kinds;
} kma_nests[] = {
	{ "another object in the bucket", kma_nest_same_bucket, KMA_SHORT },
	{ "the same site", kma_nest_same_site, KMA_SHORT },
	{ "a new site", kma_nest_new_site, KMA_SHORT | KMA_LONG },
	{ "an object that stays live", kma_nest_stays, KMA_SHORT },
	{ "a free in the bucket", kma_nest_makes_room, KMA_SHORT },
	{ "the end of another cache", kma_nest_cache_dies, KMA_SHORT },
	{ "the beginning of recycling", kma_nest_recycles, KMA_SHORT },
	{ "recycling and a new pair", kma_nest_recycles_and_adds, KMA_SHORT },
	{ "another sample in the bucket", kma_nest_sample, KMA_SAMPLES },
	{ "a sample that stays live", kma_nest_sample_stays, KMA_SAMPLES },
	{ "a sample with another N", kma_nest_sample_changes, KMA_SAMPLES },
	{ "a sweep", kma_nest_sweep, KMA_STALE_FREED | KMA_STALE_SWEPT },
	{ "an allocation at the stale address", kma_nest_uses_again, KMA_STALE_SWEPT },
	{ "an allocation at the same address", kma_nest_replaces, KMA_READ },
	{ "an allocation at the address", kma_nest_reuses, KMA_LATE },
	{ "an event of another key", kma_nest_counts, KMA_COUNTS },
	{ "an event of the same key", kma_nest_counts_same, KMA_COUNTS },
	{ "the beginning of recycling of all rows", kma_nest_rows_leave, KMA_COUNTS },
};

/* ---- paths ----------------------------------------------------------------- */

static void kma_alloc(u32 object, u32 site, u32 cache)
{
	kma_model_alloc(&kma_model, kma_mine[object], site, cache);
}

static void kma_free(u32 object)
{
	kma_model_free(&kma_model, kma_mine[object]);
}

static void kma_setup_row(void)
{
	kma_alloc(1, KMA_SITE, 0);
	kma_free(1);
}

/* Before the path's pair, add this many others that have the same first slot in the map. */
static void kma_setup_met(u32 others)
{
	const struct kma_site_slot *slot;

	kma_add_others(others);
	kma_setup_row();
	if (kma_sitetab_near(&kma_core.sites, KMA_MODEL_SITE + 16 * KMA_SITE,
			     kma_model_cache(&kma_model, 0), &slot) == others - 1)
		abort();
}

static void kma_setup_met_one(void)
{
	kma_setup_met(1);
}

static void kma_setup_met_two(void)
{
	kma_setup_met(2);
}

static void kma_setup_live_first(void)
{
	kma_alloc(0, KMA_SITE, 0);
}

static void kma_setup_live(void)
{
	kma_alloc(0, KMA_SITE + 1, 0);
	kma_setup_row();
}

static void kma_setup_home_full(void)
{
	u32 i;

	for (i = 1; i <= KMA_SLOTS; i++)
		kma_alloc(i, KMA_SITE, 0);
}

static void kma_setup_spilled(void)
{
	kma_setup_home_full();
	kma_alloc(0, KMA_SITE + 1, 0);
}

/* Another object is in the first object's own slot. */
static void kma_setup_slot_taken(void)
{
	kma_alloc(kma_rival, KMA_SITE, 0);
}

static void kma_setup_beside(void)
{
	kma_setup_slot_taken();
	kma_alloc(0, KMA_SITE + 1, 0);
	kma_model_free(&kma_model, kma_mine[kma_rival]);
}

static void kma_setup_others_spilled(void)
{
	kma_setup_home_full();
	kma_alloc(8, KMA_SITE, 0);
	kma_alloc(9, KMA_SITE, 0);
}

static void kma_setup_cache_row(void)
{
	kma_alloc(1, KMA_SITE + 1, 5);
}

static void kma_setup_retired(void)
{
	kma_alloc(1, KMA_SITE, 5);
	kma_free(1);
	kma_sitetab_retire_cache(&kma_core.sites, kma_model_cache(&kma_model, 5));
}

static void kma_setup_sites(u32 rows)
{
	u32 site = 2;

	while (kma_sitetab_used(&kma_core.sites) < rows) {
		kma_alloc(1, site++, 0);
		kma_free(1);
	}
}

static void kma_setup_one_row_left(void)
{
	kma_setup_sites(KMA_PAIRS_MIN - 1);
}

static void kma_setup_sites_full(void)
{
	kma_setup_sites(KMA_PAIRS_MIN);
}

/* Allocate more objects than there are slots, but not the object of the path. */
static void kma_setup_live_full(void)
{
	u32 i;

	for (i = 0; i < KMA_OBJECTS - 1; i++)
		if (&kma_object[i] != kma_mine[0])
			kma_model_alloc(&kma_model, &kma_object[i], KMA_SITE, 0);
	/*
	 * In the step of the clock in which the path runs, the table has been looked at, and was
	 * not crowded.  Another look has too many instructions.
	 */
	kma_core.obj.crowded = (kma_env.now + 1) & ~1U;
}

static void kma_setup_live_full_with(void)
{
	kma_alloc(0, KMA_SITE + 1, 0);
	kma_setup_live_full();
}

static void kma_setup_caches_full(void)
{
	u32 i;

	kma_setup_row();
	for (i = 0; kma_cachetab_used(&kma_core.sites.caches) < KMA_CACHES_MAX; i++)
		kma_cachetab_get(&kma_core.sites.caches, 100000 + i);
}

static void kma_setup_inner(void)
{
	kma_setup_cache_row();
	kma_core.sites.internal[0] = KMA_MODEL_SITE + 16 * KMA_SITE;
	kma_core.sites.nr_internal = 1;
}

static void kma_setup_nothing(void)
{
}

static void kma_path_alloc(void)
{
	kma_alloc(0, KMA_SITE, 0);
}

static void kma_path_alloc_kmem_cache(void)
{
	kma_alloc(0, KMA_SITE, 5);
}

static void kma_path_bulk(void)
{
	kma_model_bulk(&kma_model, kma_mine[0], KMA_SITE, 0);
}

static void kma_path_free(void)
{
	kma_free(0);
}

/*
 * The last whole page of the objects.  Interrupts do not use it, because no object is
 * allocated or freed on a page that is being freed.
 */
#define KMA_FREED_PAGE	(KMA_MODEL_PTR + 8 * KMA_PAGE_SIZE)
#define KMA_FREED(i)	(&kma_object[8 * KMA_PAGE_SIZE / 8 + (i)])

static void kma_setup_left(void)
{
	kma_model_alloc(&kma_model, KMA_FREED(0), KMA_SITE, 0);
	kma_model_alloc(&kma_model, KMA_FREED(KMA_PAGE_SIZE / 16), KMA_SITE + 1, 5);
}

static void kma_setup_last_gen(void)
{
	*kma_pagegen_at(&kma_core.obj.pages, KMA_FREED_PAGE) = KMA_GEN_LAST;
}

static void kma_setup_last_left(void)
{
	kma_setup_last_gen();
	kma_setup_left();
}

static void kma_setup_last_left_spilled(void)
{
	kma_setup_home_full();
	kma_setup_last_left();
}

static void kma_path_page_free(void)
{
	kma_model_pages_free(&kma_model, KMA_FREED_PAGE, 0);
}

static void kma_setup_stale(void)
{
	kma_setup_left();
	kma_path_page_free();
}

static void kma_setup_stale_spilled(void)
{
	kma_setup_home_full();
	kma_setup_stale();
}

/* Fill the live table, and then make all entries stale, except for a few. */
static void kma_setup_stale_full(void)
{
	u32 i;

	kma_setup_live_full();
	for (i = 0; i < KMA_PFNS; i++)
		kma_model_pages_free(&kma_model, KMA_MODEL_PTR + i * KMA_PAGE_SIZE, 0);
	/* The table was found full: it is swept again when the clock has advanced. */
	kma_env.now += 2;
}

static void kma_path_alloc_freed(void)
{
	kma_model_alloc(&kma_model, KMA_FREED(0), KMA_SITE, 0);
}

static void kma_sweep(u64 bucket)
{
	kma_step_enter();
	kma_record_sweep(&kma_core, kma_objtab_bucket(&kma_core.obj, bucket));
	kma_step_leave();
}

static void kma_path_sweep(void)
{
	const struct kma_bucket *home = kma_objtab_home(&kma_core.obj, KMA_FREED(0)->ptr);

	kma_sweep(home - kma_objtab_bucket(&kma_core.obj, 0));
}

/* Sweep the buckets that hold objects of the page, but are not their home buckets. */
static void kma_path_sweep_spilled(void)
{
	struct kma_bucket *b;
	u64 i;
	int slot;

	for (i = 0; i < kma_objtab_buckets(&kma_core.obj); i++) {
		b = kma_objtab_bucket(&kma_core.obj, i);
		for (slot = 0; slot < KMA_SLOTS; slot++)
			if (b->key[slot] - KMA_FREED_PAGE < KMA_PAGE_SIZE &&
			    kma_entry_depth(&b->entry[slot]) > KMA_DEPTH_HOME)
				kma_sweep(i);
	}
}

/* Two CPUs may sweep a bucket at the same time, or sweep it during a free. */
static void kma_nest_sweep(u32 nr)
{
	u64 i;

	(void)nr;
	for (i = 0; i < kma_objtab_buckets(&kma_core.obj); i++)
		kma_record_sweep(&kma_core, kma_objtab_bucket(&kma_core.obj, i));
}

/* Allocate an object at the address of a stale entry, from now on or for a moment. */
static void kma_nest_uses_again(u32 nr)
{
	kma_model_alloc(&kma_model, KMA_FREED(0), 40, 1);
	if (nr % 2)
		kma_model_free(&kma_model, KMA_FREED(0));
}

/*
 * The object at the address of a stale entry was allocated without being recorded.  If it is
 * not found, the entry has been removed by a sweep.
 */
static void kma_path_free_stale(void)
{
	kma_model_free(&kma_model, KMA_FREED(0));
}

/* ---- late frees -------------------------------------------------------------- */

/*
 * An allocation that is not in the model: the model cannot tell which of two objects at one address
 * a late free removes.
 */
static void kma_late_alloc(u32 site)
{
	const struct kma_event ev = {
		.site = KMA_MODEL_SITE + 16 * site,
		.ptr = kma_mine[0]->ptr,
		.cache = 64,
		.kmalloc = true,
		.node = NUMA_NO_NODE,
	};

	kma_record_alloc(&kma_core, &ev);
}

static void kma_setup_late(void)
{
	kma_late_alloc(KMA_SITE);
}

static noinline void kma_late_free(struct kma_core *core, unsigned long ptr)
{
	kma_record_free(core, ptr, false);
}

static void kma_path_late_free(void)
{
	kma_step_enter();
	kma_late_free(&kma_core, kma_mine[0]->ptr);
	kma_step_leave();
}

static void kma_nest_reuses(u32 nr)
{
	kma_late_alloc(50 + nr % 40);
}

/* For each row, the number of live objects is the number of its entries in the live table. */
static const char *kma_check_live(void)
{
	const u32 rows = kma_sitetab_rows(&kma_core.sites);
	u64 *live = calloc(rows, sizeof(*live));
	const char *why = NULL;
	struct kma_entry e;
	struct kma_row sum;
	u64 i;

	if (!live)
		abort();
	for (i = 0; i < kma_objtab_buckets(&kma_core.obj) * KMA_SLOTS; i++)
		if (kma_objtab_read(kma_objtab_bucket(&kma_core.obj, i / KMA_SLOTS),
				    i % KMA_SLOTS, &e))
			live[e.row]++;
	for (i = 0; i < rows; i++) {
		kma_sitetab_sum(&kma_core.sites, i, &sum);
		if (kma_row_live(&sum) != live[i])
			why = "the live objects of a row differ from its entries";
	}
	free(live);
	return why;
}

/* ---- readers ---------------------------------------------------------------- */

/* Copy the entry of the first object, which is in its own slot. */
static void kma_path_read(void)
{
	const unsigned long ptr = kma_mine[0]->ptr;
	const struct kma_bucket *home = kma_objtab_home(&kma_core.obj, ptr);
	struct kma_entry e, want;
	unsigned long key;

	kma_step_enter();
	key = kma_objtab_read(home, kma_objtab_slot(ptr), &e);
	kma_step_leave();
	if (!key)
		return;
	want = kma_model_entry(ptr, 0, e.time);
	kma_torn = key != ptr || e.bytes_req != want.bytes_req ||
		   kma_entry_tgid(&e) != want.tgid_depth;
}

static void kma_nest_replaces(u32 nr)
{
	(void)nr;
	kma_model_alloc(&kma_model, kma_mine[0], KMA_SITE, 0);
}

/* ---- samples ---------------------------------------------------------------- */

/* Sizes of objects.  With an N of 4 KiB, they are always sampled, and nearly never. */
#define KMA_CERTAIN	0x100000
#define KMA_UNLIKELY	8

/* Number of objects allocated that are certain to be sampled */
static u64 kma_samples;

static void kma_sample(struct kma_object *o, u32 site, u32 bytes)
{
	const struct kma_event ev = {
		.site = KMA_MODEL_SITE + 16 * site,
		.ptr = o->ptr,
		.cache = bytes,
		.kmalloc = true,
		.node = NUMA_NO_NODE,
	};

	kma_step_enter();
	kma_stat_inc(alloc_unsampled);
	kma_record_sampled(&kma_core, &ev, bytes, false);
	kma_step_leave();
	o->live = o->live || bytes == KMA_CERTAIN;
	kma_samples += bytes == KMA_CERTAIN;
}

static void kma_unsample(struct kma_object *o)
{
	o->live = false;
	kma_step_enter();
	kma_stat_inc(free_unmatched);
	kma_record_free_sampled(&kma_core, o->ptr);
	kma_step_leave();
}

static void kma_setup_samples(void)
{
	kma_env.stack = 7;
	kma_samples = 0;
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MIN);
	kma_sample_seed(1);
	kma_record_livefilter_start(&kma_core);
}

static void kma_setup_sample(void)
{
	kma_setup_samples();
	kma_sample(kma_mine[0], KMA_SITE, KMA_CERTAIN);
}

/* Sample another object near the first one, so that their cell of the livefilter is used. */
static void kma_setup_sample_near(void)
{
	kma_setup_samples();
	kma_sample(&kma_object[1], KMA_SITE, KMA_CERTAIN);
	if (kma_livefilter_has(&kma_core.livefilter, kma_mine[0]->ptr))
		abort();
}

/* Sample more objects, until one has the same tag as the first one. */
static void kma_setup_sample_alike(void)
{
	u32 i;

	kma_setup_sample_near();
	for (i = 2; !kma_livefilter_has(&kma_core.livefilter, kma_mine[0]->ptr); i++)
		kma_sample(&kma_object[i], KMA_SITE, KMA_CERTAIN);
}

/* No row is left, and the row [other] counts objects that are not sampled. */
static void kma_setup_samples_sites_full(void)
{
	kma_setup_sites_full();
	kma_alloc(1, KMA_SITE, 0);
	kma_free(1);
	kma_setup_samples();
}

static void kma_path_sample(void)
{
	kma_sample(kma_mine[0], KMA_SITE, KMA_CERTAIN);
}

static void kma_path_unlikely(void)
{
	kma_sample(kma_mine[0], KMA_SITE, KMA_UNLIKELY);
}

static void kma_path_unsample(void)
{
	kma_unsample(kma_mine[0]);
}

static void kma_nest_sample(u32 nr)
{
	(void)nr;
	kma_sample(kma_mine[8], 40, KMA_CERTAIN);
	kma_unsample(kma_mine[8]);
}

static void kma_nest_sample_stays(u32 nr)
{
	if (nr < KMA_MINE - 10)
		kma_sample(kma_mine[10 + nr], KMA_SITE, KMA_CERTAIN);
}

static void kma_nest_sample_changes(u32 nr)
{
	kma_sample_set(KMA_SAMPLE_OBJECTS, KMA_SHIFT_MIN + nr % 3);
	kma_sample(kma_mine[9], KMA_SITE, KMA_CERTAIN);
	kma_unsample(kma_mine[9]);
}

/*
 * Check that objects of KMA_CERTAIN bytes were sampled exactly once, and no others.  With the
 * random numbers of a run, no sample point is on an object of KMA_UNLIKELY bytes.
 */
static const char *kma_check_samples(void)
{
	u64 hits = 0, gone = 0, live = 0, known = 0;
	struct kma_entry e;
	struct kma_row sum;
	u32 id, i;
	int slot;

	for (id = 0; id < kma_sitetab_rows(&kma_core.sites); id++) {
		if (!kma_sitetab_is_sampled(&kma_core.sites, id))
			continue;
		kma_sitetab_sum(&kma_core.sites, id, &sum);
		hits += sum.hits;
		gone += sum.frees + sum.repaired + sum.no_entry;
	}
	for (i = 0; i < kma_objtab_buckets(&kma_core.obj); i++)
		for (slot = 0; slot < KMA_SLOTS; slot++)
			live += !!kma_objtab_read(kma_objtab_bucket(&kma_core.obj, i),
						  slot, &e);
	for (i = 0; i < KMA_OBJECTS; i++)
		known += kma_object[i].live;
	if (kma_env_stack_is_held())
		return "the cache of stacks is still in use";
	if (hits != kma_samples)
		return "hits differ from the number of samples";
	if (hits - gone != live || live != known)
		return "live entries differ from the samples that were not freed";
	if (kma_model_livefilter(&kma_core) != live)
		return "the livefilter differs from the live entries";
	return NULL;
}

/* ---- a countmap ------------------------------------------------------------ */

#define KMA_ROWS	20

static struct kma_countmap kma_countmap;
static u64 kma_counted;
static bool kma_leaving;

static enum kma_countmap_fate kma_fate(const struct kma_countmap_info *info)
{
	(void)info;
	return KMA_COUNTMAP_GONE;
}

static const struct kma_countmap_policy kma_all_gone = { .fate = kma_fate };

static void kma_count_key(u32 key)
{
	const struct kma_countmap_info info = { .key = { { key } }, .text = "a row" };

	kma_step_enter();
	kma_countmap_count(&kma_countmap, kma_countmap_get(&kma_countmap, &info), 0, 1);
	kma_step_leave();
	kma_counted++;
}

static void kma_nest_counts(u32 nr)
{
	kma_count_key(100 + nr);
}

static void kma_nest_counts_same(u32 nr)
{
	(void)nr;
	kma_count_key(1);
}

/* Another CPU removes all rows from the map.  They are given back when the path has ended. */
static void kma_nest_rows_leave(u32 nr)
{
	(void)nr;
	kma_leaving |= kma_countmap_recycle_begin(&kma_countmap, &kma_all_gone, true);
}

static void kma_setup_countmap(void)
{
	if (kma_countmap_init(&kma_countmap, KMA_ROWS))
		abort();
	kma_counted = 0;
	kma_leaving = false;
	kma_count_key(2);
}

static void kma_setup_countmap_key(void)
{
	kma_setup_countmap();
	kma_count_key(1);
}

static void kma_setup_countmap_full(void)
{
	u32 key;

	kma_setup_countmap();
	for (key = 10; kma_countmap_used(&kma_countmap) < KMA_ROWS; key++)
		kma_count_key(key);
}

static void kma_path_count(void)
{
	kma_count_key(1);
}

/* No event is lost, whatever has left the map meanwhile.  Destroys the countmap. */
static const char *kma_check_countmap(void)
{
	struct kma_countmap_sum sum = {};
	u32 id, free = 0;

	if (kma_leaving)
		kma_countmap_recycle_finish(&kma_countmap, &kma_all_gone);
	for (id = 0; id < KMA_ROWS; id++) {
		kma_countmap_sum(&kma_countmap, id, &sum);
		free += id && !kma_countmap_info(&kma_countmap, id);
	}
	free += kma_countmap_used(&kma_countmap);
	kma_countmap_destroy(&kma_countmap);
	if (free != KMA_ROWS)
		return "a row is neither in use nor free";
	return sum.v[0] == kma_counted ? NULL : "events were lost, or were counted twice";
}

#define KMA_NO_STAT KMA_STAT_NR

/*
 * @stat is a counter that the path increments; if it does not, the intended path was not
 * taken.
 */
static const struct kma_path {
	const char *name;
	void (*setup)(void);
	void (*run)(void);
	enum kma_stat stat;
	enum kma_kind kind;
} kma_paths[] = {
	{ "allocation", kma_setup_row, kma_path_alloc, KMA_NO_STAT, KMA_SHORT },
	{ "allocation, site in its second slot", kma_setup_met_one, kma_path_alloc,
	  KMA_NO_STAT, KMA_SHORT },
	{ "allocation, site in a later slot", kma_setup_met_two, kma_path_alloc,
	  KMA_NO_STAT, KMA_SHORT },
	{ "bulk allocation", kma_setup_row, kma_path_bulk, KMA_NO_STAT, KMA_SHORT },
	{ "bulk allocation, replaced", kma_setup_live, kma_path_bulk, KMA_STAT_replaced,
	  KMA_SHORT },
	{ "free", kma_setup_live, kma_path_free, KMA_NO_STAT, KMA_SHORT },
	{ "allocation, own slot taken", kma_setup_slot_taken, kma_path_alloc,
	  KMA_NO_STAT, KMA_SHORT },
	{ "free, object not in its own slot", kma_setup_beside, kma_path_free,
	  KMA_NO_STAT, KMA_SHORT },
	{ "allocation, replaced, object not in its own slot", kma_setup_beside,
	  kma_path_alloc, KMA_STAT_replaced, KMA_SHORT },
	{ "allocation, home full", kma_setup_home_full, kma_path_alloc,
	  KMA_STAT_spill_in, KMA_SHORT },
	{ "free, object spilled", kma_setup_spilled, kma_path_free,
	  KMA_STAT_spill_out, KMA_SHORT },
	{ "allocation, replaced", kma_setup_live, kma_path_alloc, KMA_STAT_replaced, KMA_SHORT },
	{ "allocation, replaced, object spilled", kma_setup_spilled, kma_path_alloc,
	  KMA_STAT_spill_out, KMA_SHORT },
	{ "allocation, new site", kma_setup_cache_row, kma_path_alloc_kmem_cache,
	  KMA_NO_STAT, KMA_SHORT },
	{ "allocation, new site and cache", kma_setup_nothing,
	  kma_path_alloc_kmem_cache, KMA_NO_STAT, KMA_SHORT },
	{ "allocation, cache created again", kma_setup_retired,
	  kma_path_alloc_kmem_cache, KMA_NO_STAT, KMA_SHORT },
	{ "allocation, new site, one row left", kma_setup_one_row_left, kma_path_alloc,
	  KMA_NO_STAT, KMA_SHORT },
	{ "allocation, site table full", kma_setup_sites_full, kma_path_alloc,
	  KMA_STAT_other_sites, KMA_SHORT },
	{ "allocation, live table full", kma_setup_live_full, kma_path_alloc,
	  KMA_STAT_dropped_live_full, KMA_SLOW },
	{ "allocation, replaced, live table full", kma_setup_live_full_with,
	  kma_path_alloc, KMA_STAT_replaced, KMA_SHORT },
	{ "allocation, cache table full", kma_setup_caches_full,
	  kma_path_alloc_kmem_cache, KMA_STAT_other_caches, KMA_LONG },
	{ "allocation, double-fired", kma_setup_inner, kma_path_alloc,
	  KMA_STAT_double_fired, KMA_SHORT },
	{ "page free", kma_setup_nothing, kma_path_page_free, KMA_NO_STAT, KMA_SHORT },
	{ "page free, objects left", kma_setup_left, kma_path_page_free,
	  KMA_NO_STAT, KMA_SHORT },
	{ "page free, last generation", kma_setup_last_left, kma_path_page_free,
	  KMA_STAT_page_freed, KMA_LONG },
	{ "page free, last generation, objects spilled", kma_setup_last_left_spilled,
	  kma_path_page_free, KMA_STAT_spill_out, KMA_LONG },
	{ "allocation, stale entry replaced", kma_setup_stale, kma_path_alloc_freed,
	  KMA_STAT_page_freed, KMA_SHORT },
	{ "sweep", kma_setup_stale, kma_path_sweep, KMA_STAT_page_freed, KMA_SHORT },
	{ "sweep, objects spilled", kma_setup_stale_spilled, kma_path_sweep_spilled,
	  KMA_STAT_spill_out, KMA_SHORT },
	{ "allocation, live table full of stale entries", kma_setup_stale_full,
	  kma_path_alloc, KMA_STAT_page_freed, KMA_LONG },
	{ "free, unmatched", kma_setup_row, kma_path_free, KMA_STAT_free_unmatched, KMA_SHORT },
	{ "free, unmatched, home full", kma_setup_home_full, kma_path_free,
	  KMA_STAT_free_unmatched, KMA_SHORT },
	{ "free, unmatched, other objects spilled", kma_setup_others_spilled, kma_path_free,
	  KMA_STAT_free_unmatched, KMA_SHORT },
	{ "free, stale entry", kma_setup_stale, kma_path_free_stale, KMA_NO_STAT,
	  KMA_STALE_FREED },
	{ "free, stale entry spilled", kma_setup_stale_spilled, kma_path_free_stale,
	  KMA_STAT_spill_out, KMA_STALE_FREED },
	{ "sweep of an address in use again", kma_setup_stale, kma_path_sweep,
	  KMA_STAT_page_freed, KMA_STALE_SWEPT },
	{ "sweep of an address in use again, objects spilled", kma_setup_stale_spilled,
	  kma_path_sweep_spilled, KMA_STAT_spill_out, KMA_STALE_SWEPT },
	{ "free, traced late", kma_setup_late, kma_path_late_free, KMA_NO_STAT, KMA_LATE },
	{ "reading an entry", kma_setup_live_first, kma_path_read, KMA_NO_STAT, KMA_READ },
	{ "sample", kma_setup_sample_near, kma_path_sample, KMA_NO_STAT, KMA_SAMPLES },
	{ "sample, new site", kma_setup_samples, kma_path_sample, KMA_NO_STAT,
	  KMA_SAMPLES },
	{ "sample, site table full", kma_setup_samples_sites_full, kma_path_sample,
	  KMA_STAT_other_sites, KMA_SAMPLES },
	{ "sample, replaced", kma_setup_sample, kma_path_sample, KMA_STAT_replaced,
	  KMA_SAMPLES },
	{ "allocation without a sample point", kma_setup_sample_near, kma_path_unlikely,
	  KMA_STAT_alloc_unsampled, KMA_SAMPLES },
	{ "free of a sample", kma_setup_sample, kma_path_unsample, KMA_NO_STAT,
	  KMA_SAMPLES },
	{ "free, not sampled", kma_setup_samples, kma_path_unsample,
	  KMA_STAT_free_unmatched, KMA_SAMPLES },
	{ "free, not sampled, near a sample", kma_setup_sample_near, kma_path_unsample,
	  KMA_STAT_free_unmatched, KMA_SAMPLES },
	{ "free, not sampled, cell and tag of a sample", kma_setup_sample_alike,
	  kma_path_unsample, KMA_STAT_free_unmatched, KMA_SAMPLES },
	{ "counting a new key", kma_setup_countmap, kma_path_count, KMA_NO_STAT, KMA_COUNTS },
	{ "counting a key that has a row", kma_setup_countmap_key, kma_path_count, KMA_NO_STAT,
	  KMA_COUNTS },
	{ "counting a key that has no row", kma_setup_countmap_full, kma_path_count,
	  KMA_STAT_countmap_other, KMA_COUNTS },
};

/* ---- runs ------------------------------------------------------------------ */

static void kma_find_mine(void)
{
	const struct kma_bucket *home = kma_objtab_home(&kma_core.obj, kma_object[0].ptr);
	u32 i, nr = 0;

	for (i = 0; i < KMA_OBJECTS && nr < KMA_MINE; i++)
		if (kma_objtab_home(&kma_core.obj, kma_object[i].ptr) == home)
			kma_mine[nr++] = &kma_object[i];
	if (nr < KMA_MINE)
		abort();
	for (i = 1; i < KMA_MINE; i++)
		if (kma_objtab_slot(kma_mine[i]->ptr) == kma_objtab_slot(kma_mine[0]->ptr))
			kma_rival = i;
	if (!kma_rival)
		abort();
}

static void kma_run_start(const struct kma_path *path)
{
	if (kma_core_init(&kma_core, 1, KMA_SITES_MIN, KMA_PFNS))
		abort();
	kma_model_reset(&kma_model);
	/* This allocates the table of the past, so that not each child has to zero it. */
	kma_model_recycle(&kma_model);
	kma_find_mine();
	kma_setup_dying();
	path->setup();
	memset(&kma_step, 0, sizeof(kma_step));
	memset(kma_visits, 0, sizeof(kma_visits));
	kma_torn = false;
}

static const char *kma_run_check(const struct kma_path *path)
{
	if (path->kind == KMA_COUNTS)
		return kma_check_countmap();
	if (kma_torn)
		return "a copy has members of two entries";
	if (path->kind == KMA_SAMPLES)
		return kma_check_samples();
	return path->kind == KMA_LATE ? kma_check_live() : kma_model_check(&kma_model);
}

static void kma_run_end(void)
{
	kma_record_livefilter_stop();
	kma_env.stack = 0;
	kma_core_destroy(&kma_core);
}

/* Run the path without interrupts.  Return: NULL, or what is wrong. */
static const char *kma_run_plain(const struct kma_path *path)
{
	struct kma_stats before, after;
	const char *why;

	kma_run_start(path);
	kma_stats_sum(&before);
	path->run();
	kma_stats_sum(&after);
	why = kma_run_check(path);
	if (!why && path->stat != KMA_NO_STAT &&
	    before.v[path->stat] == after.v[path->stat])
		why = "the intended path was not taken";
	kma_run_end();
	return why;
}

/* Whether a slot leads to a row that is being recycled. */
static bool kma_slot_leads_to_leaving(void)
{
	const struct kma_sitetab *t = &kma_core.sites;
	const struct kma_site_slot *slot;
	u32 i;

	for (i = 0; i <= t->map_mask / sizeof(t->map[0]); i++) {
		slot = &t->map[i];
		if (slot->site != KMA_SITE_FREE && slot->site != KMA_SITE_LEFT &&
		    t->info[slot->id].state == KMA_SITE_LEAVING)
			return true;
	}
	return false;
}

/*
 * Each row with counts is live: its cache was not retired, or was created again.  Or it could not
 * be recycled.  No row [other] has become the row of a call site.
 */
static const char *kma_check_states(void)
{
	const struct kma_site_info *info;
	struct kma_row sum;
	u32 id;

	for (id = 0; id < kma_sitetab_rows(&kma_core.sites); id++) {
		info = kma_sitetab_info(&kma_core.sites, id);
		kma_sitetab_sum(&kma_core.sites, id, &sum);
		if (sum.hits + sum.bulk && info->state != KMA_SITE_LIVE &&
		    (info->state != KMA_SITE_LEAVING || !kma_row_live(&sum)))
			return "a row with counts is retired";
		if (id >= kma_core.sites.sites_max && kma_core.sites.info[id].site)
			return "a row [other] has a call site";
	}
	return kma_slot_leads_to_leaving() ? "a slot leads to a row that is being recycled" :
					     NULL;
}

static bool kma_run_stepped(const struct kma_path *path, u32 nest, bool forks)
{
	const char *why;

	kma_run_start(path);
	kma_step.interrupt = kma_nests[nest].interrupt;
	kma_step.forks = forks;
	kma_step.armed = true;
	path->run();
	kma_step.armed = false;
	if (kma_step.interrupt == kma_nest_recycles ||
	    kma_step.interrupt == kma_nest_recycles_and_adds)
		kma_model_recycle_finish(&kma_model);
	why = kma_step.died ? "a child was killed by a signal" : kma_run_check(path);
	if (!why)
		why = kma_check_states();
	if (!why && !kma_step.child && kma_step.steps < 15)
		why = "fewer than 15 instructions";
	if (why)
		printf("FAIL %s: interrupted by %s after %s%u: %s\n", path->name,
		       kma_nests[nest].name, kma_step.child ? "" : "each of ",
		       kma_step.steps, why);
	fflush(stdout);
	if (kma_step.child)
		_exit(!!why);
	kma_run_end();
	kma_total += kma_step.interrupts;
	return !why && !kma_step.failed;
}

static bool kma_comes_in(u32 nest, const struct kma_path *path)
{
	const u32 kind = path->kind != KMA_SLOW ? path->kind : kma_all ? KMA_SHORT : KMA_LONG;

	return kma_nests[nest].kinds & kind;
}

static bool kma_run_path(const struct kma_path *path)
{
	const char *why = kma_run_plain(path);
	double start = kma_seconds();
	u64 before = kma_total;
	u32 nest, steps = 0;

	if (why) {
		printf("FAIL %s: %s\n", path->name, why);
		return false;
	}
	for (nest = 0; nest < ARRAY_SIZE(kma_nests); nest++) {
		if (!kma_comes_in(nest, path))
			continue;
		if (!kma_run_stepped(path, nest, true))
			return false;
		steps = kma_step.steps;
		if (!kma_run_stepped(path, nest, false))
			return false;
	}
	printf("ok %s: %u instructions, %llu interrupts (%.1f s)\n", path->name,
	       steps, kma_total - before, kma_seconds() - start);
	fflush(stdout);
	return true;
}

int main(int argc, char **argv)
{
	const struct sigaction trap = {
		.sa_sigaction = kma_step_trap,
		.sa_flags = SA_SIGINFO,
	};
	u32 i, failed = 0;

	kma_all = argc > 1 && !strcmp(argv[1], "--all");
	argc -= kma_all;
	argv += kma_all;
	for (i = 0; i < KMA_OBJECTS; i++)
		kma_object[i].ptr = KMA_MODEL_PTR + 8 * i;
	kma_model_init(&kma_model, &kma_core, KMA_SITES, kma_object, KMA_OBJECTS);
	kma_model_enter = kma_step_enter;
	kma_model_leave = kma_step_leave;
	sigaction(SIGTRAP, &trap, NULL);
	for (i = 0; i < ARRAY_SIZE(kma_paths); i++)
		if (argc < 2 || strstr(kma_paths[i].name, argv[1]))
			failed += !kma_run_path(&kma_paths[i]);
	printf("%llu interrupts, after each %s instruction of each path\n", kma_total,
	       kma_all ? "executed" : "distinct");
	kma_model_destroy(&kma_model);
	return !!failed;
}
