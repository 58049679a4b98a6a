// SPDX-License-Identifier: GPL-2.0
/* The live table, while several CPUs and interrupts change it at the same time. */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/slab.h>

#include "objtab_util.h"

/* ---- several CPUs --------------------------------------------------------- */

#define KMA_WORKER_PTRS	100

/* A thread that puts and takes addresses that no other thread uses. */
struct kma_worker {
	struct kma_objtab *t;
	unsigned long ptr[KMA_WORKER_PTRS];
	u32 count[KMA_WORKER_PTRS];	/* 0: not in the table */
	u32 puts;
	u32 full;
	u32 wrong;
	u64 random;
};

static void kma_worker_put(struct kma_worker *w, u32 i)
{
	struct kma_entry old;
	enum kma_put put = kma_put(w->t, w->ptr[i], w->puts + 1, &old);

	if (put == KMA_PUT_NEW)
		w->count[i] = ++w->puts;
	else if (put == KMA_PUT_FULL)
		w->full++;
	else
		w->wrong++;
}

static void kma_worker_take(struct kma_worker *w, u32 i)
{
	struct kma_entry e;

	w->wrong += w->count[i] ? !kma_take_same(w->t, w->ptr[i], w->count[i]) :
				  kma_take(w->t, w->ptr[i], &e);
	w->count[i] = 0;
}

static void kma_worker_step(struct kma_worker *w)
{
	u32 i = kma_random_below(&w->random, KMA_WORKER_PTRS);

	if (w->count[i])
		kma_worker_take(w, i);
	else
		kma_worker_put(w, i);
}

static void kma_worker_finish(struct kma_worker *w)
{
	u32 i;

	for (i = 0; i < KMA_WORKER_PTRS; i++)
		kma_worker_take(w, i);
}

/* Workers whose addresses are all different, but have one of two home buckets. */
static struct kma_worker *kma_workers(struct kunit *test, struct kma_objtab *t,
				      int nr)
{
	struct kma_worker *w = kma_test_array(test, nr, sizeof(*w));
	const struct kma_bucket *a = kma_objtab_home(t, KMA_TEST_BASE);
	unsigned long ptr = KMA_TEST_BASE;
	int i, k;

	for (i = 0; i < nr; i++) {
		w[i].t = t;
		w[i].random = i;
	}
	for (i = 0; i < KMA_WORKER_PTRS; i++)
		for (k = 0; k < nr; ptr += 8)
			if (kma_objtab_home(t, ptr) == a ||
			    kma_objtab_home(t, ptr) == a + 1)
				w[k++].ptr[i] = ptr;
	return w;
}

#define KMA_CREW_STEPS	40000

struct kma_crowd {
	struct kma_objtab *t;
	struct kma_worker *w;
	int nr_workers;
	atomic_t at_work;
	u64 reads;
	u64 mixed;
};

static void kma_crowd_read(struct kma_crowd *crowd)
{
	struct kma_entry e;
	unsigned long ptr;
	u64 i;
	int slot;

	for (i = 0; i < kma_objtab_buckets(crowd->t); i++) {
		for (slot = 0; slot < KMA_SLOTS; slot++) {
			ptr = kma_objtab_read(kma_objtab_bucket(crowd->t, i), slot, &e);
			if (!ptr)
				continue;
			crowd->reads++;
			crowd->mixed += !kma_payload_is(&e, ptr, e.bytes_req);
		}
		cond_resched();
	}
}

static void kma_crowd_main(void *arg, int nr)
{
	struct kma_crowd *crowd = arg;
	int i;

	if (nr == crowd->nr_workers) {
		do {
			kma_crowd_read(crowd);
		} while (atomic_read(&crowd->at_work));
		return;
	}
	for (i = 0; i < KMA_CREW_STEPS; i++) {
		kma_worker_step(&crowd->w[nr]);
		cond_resched();
	}
	atomic_dec(&crowd->at_work);
}

/* All CPUs put and take objects in the same few buckets, while a reader runs. */
static void kma_objtab_stands_a_crowd(struct kunit *test)
{
	int i, nr = kma_crew_size();
	struct kma_objtab *t = kma_objtab_new(test, 200);
	struct kma_crowd crowd = {
		.t = t,
		.w = kma_workers(test, t, nr),
		.nr_workers = nr,
		.at_work = ATOMIC_INIT(nr),
	};
	u64 in = kma_stat_now(spill_in), out = kma_stat_now(spill_out);
	u32 live = 0, k;

	KUNIT_ASSERT_EQ(test, kma_crew_run(kma_crowd_main, &crowd, nr + 1), 0);

	for (i = 0; i < nr; i++)
		for (k = 0; k < KMA_WORKER_PTRS; k++)
			live += crowd.w[i].count[k] != 0;
	KUNIT_EXPECT_EQ(test, kma_objtab_count(t), live);
	for (i = 0; i < nr; i++) {
		kma_worker_finish(&crowd.w[i]);
		KUNIT_EXPECT_EQ(test, crowd.w[i].wrong, 0);
		KUNIT_EXPECT_GT(test, crowd.w[i].puts, KMA_CREW_STEPS / 4);
	}
	KUNIT_EXPECT_GT(test, crowd.reads, 0);
	KUNIT_EXPECT_EQ(test, crowd.mixed, 0);
	KUNIT_EXPECT_TRUE(test, kma_objtab_clean(t));
	KUNIT_EXPECT_GT(test, kma_stat_now(spill_in) - in, 0);
	KUNIT_EXPECT_EQ(test, kma_stat_now(spill_in) - in,
			kma_stat_now(spill_out) - out);
}

/*
 * A timer that interrupts a CPU for a moment, again and again.  Even a sequence of a few
 * instructions then often takes long enough for another CPU to act in between.
 */
struct kma_jitter {
	struct hrtimer timer;
	u64 random;
};

static enum hrtimer_restart kma_jitter_fire(struct hrtimer *timer)
{
	struct kma_jitter *j = container_of(timer, struct kma_jitter, timer);

	ndelay(kma_random_below(&j->random, 10000));
	hrtimer_forward_now(timer, ns_to_ktime(10000 + kma_random_below(&j->random, 100000)));
	return HRTIMER_RESTART;
}

/* Start the timer on this CPU. */
static void kma_jitter_start(struct kma_jitter *j, u64 seed)
{
	j->random = seed;
	hrtimer_init(&j->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	j->timer.function = kma_jitter_fire;
	hrtimer_start(&j->timer, ns_to_ktime(1000), HRTIMER_MODE_REL_PINNED_HARD);
}

static void kma_jitter_stop(struct kma_jitter *j)
{
	hrtimer_cancel(&j->timer);
}

/* One slot, into which the same address is put again and again. */
struct kma_rebirth {
	struct kma_objtab *t;
	struct kma_jitter jitter[2];
	atomic_t at_work;
	u64 reads;
	u64 mixed;
	u64 wrong;
};

#define KMA_GENS	50000

static void kma_rebirth_read(struct kma_rebirth *r)
{
	struct kma_bucket *home = kma_objtab_home(r->t, KMA_TEST_BASE);
	int i, slot = kma_objtab_slot(KMA_TEST_BASE);
	struct kma_entry e;

	while (atomic_read(&r->at_work)) {
		for (i = 0; i < 100; i++) {
			if (!kma_objtab_read(home, slot, &e))
				continue;
			r->reads++;
			/* Generation and payload both count how often the slot was filled. */
			r->mixed += !kma_payload_is(&e, KMA_TEST_BASE, e.generation);
		}
		cond_resched();
	}
}

static void kma_rebirth_live(struct kma_rebirth *r)
{
	u32 gen;

	for (gen = 1; gen <= KMA_GENS; gen++) {
		r->wrong += !kma_put_new(r->t, KMA_TEST_BASE, gen);
		r->wrong += !kma_take_same(r->t, KMA_TEST_BASE, gen);
		cond_resched();
	}
	atomic_dec(&r->at_work);
}

static void kma_rebirth_main(void *arg, int nr)
{
	struct kma_rebirth *r = arg;

	kma_jitter_start(&r->jitter[nr], nr);
	if (nr)
		kma_rebirth_read(r);
	else
		kma_rebirth_live(r);
	kma_jitter_stop(&r->jitter[nr]);
}

/*
 * The hardest case for a reader: while it copies an entry, the object is freed, and another
 * object with the same address is put into the same slot.  The key is then the same, but
 * the reader must not accept a mixture of the two entries.
 */
static void kma_objtab_reader_knows_generations_apart(struct kunit *test)
{
	struct kma_rebirth *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	r->t = kma_objtab_new(test, 100);
	atomic_set(&r->at_work, 1);
	KUNIT_ASSERT_EQ(test, kma_crew_run(kma_rebirth_main, r, 2), 0);
	KUNIT_EXPECT_EQ(test, r->wrong, 0);
	KUNIT_EXPECT_GT(test, r->reads, 0);
	KUNIT_EXPECT_EQ(test, r->mixed, 0);
}

/* Several threads take the same object at the same time; exactly one must succeed. */
struct kma_race {
	struct kma_objtab *t;
	atomic_t turn;		/* advanced by each thread before and after each take */
	atomic_t won;
	int nr;
};

#define KMA_RACES	500

static void kma_race_main(void *arg, int nr)
{
	struct kma_race *r = arg;
	struct kma_entry e;
	int round;

	for (round = 0; round < KMA_RACES; round++) {
		if (!nr)
			kma_put_new(r->t, KMA_TEST_BASE, round);
		/* All threads wait for each other before and after the take. */
		atomic_inc(&r->turn);
		while (atomic_read(&r->turn) < (2 * round + 1) * r->nr)
			cond_resched();
		if (kma_take(r->t, KMA_TEST_BASE, &e))
			atomic_inc(&r->won);
		atomic_inc(&r->turn);
		while (atomic_read(&r->turn) < (2 * round + 2) * r->nr)
			cond_resched();
	}
}

static void kma_objtab_gives_an_object_to_one_taker(struct kunit *test)
{
	struct kma_race r = {
		.t = kma_objtab_new(test, 100),
		.nr = 2,
	};

	KUNIT_ASSERT_EQ(test, kma_crew_run(kma_race_main, &r, r.nr), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&r.won), KMA_RACES);
	KUNIT_EXPECT_TRUE(test, kma_objtab_clean(r.t));
}

/* ---- in interrupts -------------------------------------------------------- */

struct kma_nested {
	struct hrtimer timer;
	struct kma_worker *w;
	u32 fired;
	u32 not_hard;
};

#define KMA_NESTED_STEPS	60000
#define KMA_NESTED_NS		(100 * NSEC_PER_USEC)

static enum hrtimer_restart kma_nested_fire(struct hrtimer *timer)
{
	struct kma_nested *n = container_of(timer, struct kma_nested, timer);
	int i;

	n->fired++;
	n->not_hard += !in_hardirq();
	for (i = 0; i < 8; i++)
		kma_worker_step(n->w);
	hrtimer_forward_now(timer, ns_to_ktime(KMA_NESTED_NS));
	return HRTIMER_RESTART;
}

/* A hard interrupt puts and takes objects in the buckets that the task is working on. */
static void kma_objtab_stands_interrupts(struct kunit *test)
{
	struct kma_objtab *t = kma_objtab_new(test, 200);
	struct kma_worker *w = kma_workers(test, t, 2);
	struct kma_nested n = { .w = &w[1] };
	int i;

	hrtimer_init_on_stack(&n.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	n.timer.function = kma_nested_fire;
	migrate_disable();
	hrtimer_start(&n.timer, ns_to_ktime(KMA_NESTED_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 0; i < KMA_NESTED_STEPS; i++)
		kma_worker_step(&w[0]);
	hrtimer_cancel(&n.timer);
	migrate_enable();
	destroy_hrtimer_on_stack(&n.timer);

	for (i = 0; i < 2; i++) {
		kma_worker_finish(&w[i]);
		KUNIT_EXPECT_EQ(test, w[i].wrong, 0);
		KUNIT_EXPECT_GT(test, w[i].puts, 0);
	}
	KUNIT_EXPECT_GT(test, n.fired, 10);
	KUNIT_EXPECT_EQ(test, n.not_hard, 0);
	KUNIT_EXPECT_TRUE(test, kma_objtab_clean(t));
}

static struct kunit_case kma_objtab_crowd_cases[] = {
	KUNIT_CASE(kma_objtab_stands_a_crowd),
	KUNIT_CASE(kma_objtab_reader_knows_generations_apart),
	KUNIT_CASE(kma_objtab_gives_an_object_to_one_taker),
	KUNIT_CASE(kma_objtab_stands_interrupts),
	{}
};

struct kunit_suite kma_objtab_crowd_suite = {
	.name = "kmemacct_objtab_crowd",
	.test_cases = kma_objtab_crowd_cases,
};
