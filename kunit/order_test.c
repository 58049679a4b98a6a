// SPDX-License-Identifier: GPL-2.0
/*
 * What a reader of the live table sees of a slot that is emptied and filled while it
 * reads.  This tries every interleaving of reader and writer, not only those that happen
 * on a machine.
 *
 * The code of the table is compiled a second time here, with its loads and stores
 * replaced.  First a writer works on a bucket, whose state is saved after each store.
 * Then kma_objtab_read() runs, and before each of its loads the bucket may change to a
 * later saved state.  This tests the program order of loads and stores.  It cannot test
 * whether the barriers preserve this order.
 */
#include <kunit/test.h>
#include <linux/slab.h>

#include "../module/core/env.h"
#include "../module/core/stat.h"

static void kma_before_load(void);
static void kma_after_store(void);

#undef READ_ONCE
#undef WRITE_ONCE
#undef cmpxchg
#undef try_cmpxchg
#undef kma_inc_once
#undef smp_load_acquire
#undef smp_store_release

/* All of this runs in one thread, so only the compiler has to keep the order. */
#define READ_ONCE(x) ({							\
	kma_before_load();						\
	barrier();							\
	(x);								\
})

#define WRITE_ONCE(x, value) do {					\
	typeof(x) *__x = &(x);						\
									\
	*__x = (value);							\
	barrier();							\
	kma_after_store();						\
} while (0)

#define kma_inc_once(x) do {						\
	typeof(x) *__inc = &(x);					\
									\
	WRITE_ONCE(*__inc, *__inc + 1);					\
} while (0)

#define cmpxchg(p, old, new) ({						\
	typeof(p) __p = (p);						\
	typeof(*__p) __was = *__p;					\
									\
	if (__was == (old))						\
		WRITE_ONCE(*__p, new);					\
	__was;								\
})

#define try_cmpxchg(p, old, new) ({					\
	typeof(p) __try = (p);						\
	typeof(*__try) *__old = (old), __seen = cmpxchg(__try, *__old, new); \
	bool __done = __seen == *__old;					\
									\
	*__old = __seen;						\
	__done;								\
})

#define smp_load_acquire(p) READ_ONCE(*(p))	/* one thread: needs no barrier */
#define smp_store_release(p, value) WRITE_ONCE(*(p), value)	/* one thread: needs no barrier */

#define kma_objtab_bytes kma_order_bytes
#define kma_objtab_init kma_order_init
#define kma_objtab_destroy kma_order_destroy
#define kma_objtab_put kma_order_put
#define kma_objtab_put_again kma_order_put_again
#define kma_objtab_take kma_order_take
#define kma_objtab_read kma_order_read
#define kma_objtab_sweep kma_order_sweep
#define kma_objtab_make_room kma_order_make_room
#define kma_objtab_sweep_page kma_order_sweep_page
#define kma_objtab_estimate kma_order_estimate

#include "../module/core/objtab.c"

#include "util.h"

#define KMA_TEST_PTR	0xffff888000000000UL

/* ---- the writer ----------------------------------------------------------- */

#define KMA_STATES_MAX	64

/* The bucket, and copies of it, made after each store to it. */
static struct kma_bucket kma_bucket;
static struct kma_bucket kma_state[KMA_STATES_MAX];
static int kma_nr_states;
static bool kma_noting;

static void kma_after_store(void)
{
	if (kma_noting && kma_nr_states < KMA_STATES_MAX)
		kma_state[kma_nr_states++] = kma_bucket;
}

static void kma_note_start(void)
{
	kma_nr_states = 0;
	kma_noting = true;
	kma_after_store();
}

static bool kma_live(unsigned long ptr, u32 count)
{
	unsigned long slot = kma_objtab_slot(ptr);
	struct kma_entry e = kma_payload(ptr, count);

	if (!kma_objtab_claim_home(&kma_bucket, slot))
		return false;
	kma_bucket_fill(&kma_bucket, slot, ptr, &e, count, 0);
	return true;
}

static bool kma_die(unsigned long ptr)
{
	struct kma_entry e;

	return kma_objtab_take_home(&kma_bucket, ptr, &e);
}

/* ---- the reader ----------------------------------------------------------- */

/* How often, at most, the bucket changes while the reader reads it. */
#define KMA_MOVES	3

static struct {
	bool reading;
	int loads;			/* number of loads so far */
	int move;			/* index of the next change */
	int at[KMA_MOVES];		/* for each change: the load that it precedes */
	int to[KMA_MOVES];		/* for each change: the new state */
} kma_reader;

static void kma_before_load(void)
{
	int load = kma_reader.loads++;

	while (kma_reader.reading && kma_reader.move < KMA_MOVES &&
	       kma_reader.at[kma_reader.move] == load)
		kma_bucket = kma_state[kma_reader.to[kma_reader.move++]];
}

static unsigned long kma_read_moving(struct kma_entry *e)
{
	unsigned long ptr;

	kma_bucket = kma_state[0];
	kma_reader.loads = 0;
	kma_reader.move = 0;
	kma_reader.reading = true;
	ptr = kma_objtab_read(&kma_bucket, kma_objtab_slot(KMA_TEST_PTR), e);
	kma_reader.reading = false;
	return ptr;
}

/* The next sequence of @n numbers below @end in which no number is less than the previous. */
static bool kma_next_choice(int *v, int n, int end)
{
	int i = n - 1, k;

	while (i >= 0 && v[i] == end - 1)
		i--;
	if (i < 0)
		return false;
	v[i]++;
	for (k = i + 1; k < n; k++)
		v[k] = v[i];
	return true;
}

struct kma_findings {
	u32 reads;
	u32 accepted;
	u32 mixed;
};

static void kma_look(struct kma_findings *f)
{
	struct kma_entry e;
	unsigned long ptr = kma_read_moving(&e);

	f->reads++;
	if (!ptr)
		return;
	f->accepted++;
	/* Payload, slot generation and page generation all count how often the slot was filled. */
	f->mixed += !kma_payload_is(&e, ptr, e.generation) ||
		    kma_entry_gen(&e) != (kma_gen)e.generation;
}

/* Try all interleavings of the reader with the saved states. */
static struct kma_findings kma_look_in_all_orders(void)
{
	struct kma_findings f = {};
	struct kma_entry e;
	int loads;

	kma_noting = false;
	memset(kma_reader.at, -1, sizeof(kma_reader.at));
	kma_read_moving(&e);
	loads = kma_reader.loads;
	memset(kma_reader.at, 0, sizeof(kma_reader.at));
	do {
		memset(kma_reader.to, 0, sizeof(kma_reader.to));
		do {
			kma_look(&f);
		} while (kma_next_choice(kma_reader.to, KMA_MOVES, kma_nr_states));
	} while (kma_next_choice(kma_reader.at, KMA_MOVES, loads));
	return f;
}

static void kma_expect_no_mixture(struct kunit *test)
{
	struct kma_findings f = kma_look_in_all_orders();

	KUNIT_EXPECT_LT(test, kma_nr_states, KMA_STATES_MAX);
	KUNIT_EXPECT_GT(test, f.accepted, 0);
	KUNIT_EXPECT_LT(test, f.accepted, f.reads);
	KUNIT_EXPECT_EQ_MSG(test, f.mixed, 0,
			    "of %u accepted copies; %u orders tried", f.accepted, f.reads);
}

/* ---- the tests ------------------------------------------------------------ */

static void kma_order_reader_sees_an_object_come(struct kunit *test)
{
	kma_note_start();
	KUNIT_EXPECT_TRUE(test, kma_live(KMA_TEST_PTR, 1));
	kma_expect_no_mixture(test);
}

static void kma_order_reader_sees_an_object_go(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, kma_live(KMA_TEST_PTR, 1));
	kma_note_start();
	KUNIT_EXPECT_TRUE(test, kma_die(KMA_TEST_PTR));
	kma_expect_no_mixture(test);
}

/* The next address that has the same slot. */
static unsigned long kma_other_ptr(void)
{
	unsigned long ptr = KMA_TEST_PTR + 8;

	while (kma_objtab_slot(ptr) != kma_objtab_slot(KMA_TEST_PTR))
		ptr += 8;
	return ptr;
}

static void kma_order_reader_sees_another_object_come(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, kma_live(KMA_TEST_PTR, 1));
	kma_note_start();
	KUNIT_EXPECT_TRUE(test, kma_die(KMA_TEST_PTR));
	KUNIT_EXPECT_TRUE(test, kma_live(kma_other_ptr(), 2));
	kma_expect_no_mixture(test);
}

/* The key is the same for both objects. */
static void kma_order_reader_sees_the_same_address_come(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, kma_live(KMA_TEST_PTR, 1));
	kma_note_start();
	KUNIT_EXPECT_TRUE(test, kma_die(KMA_TEST_PTR));
	KUNIT_EXPECT_TRUE(test, kma_live(KMA_TEST_PTR, 2));
	kma_expect_no_mixture(test);
}

static void kma_order_reader_sees_two_generations_end(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, kma_live(KMA_TEST_PTR, 1));
	kma_note_start();
	KUNIT_EXPECT_TRUE(test, kma_die(KMA_TEST_PTR));
	KUNIT_EXPECT_TRUE(test, kma_live(kma_other_ptr(), 2));
	KUNIT_EXPECT_TRUE(test, kma_die(kma_other_ptr()));
	KUNIT_EXPECT_TRUE(test, kma_live(KMA_TEST_PTR, 3));
	kma_expect_no_mixture(test);
}

static int kma_order_init_test(struct kunit *test)
{
	kma_noting = false;
	memset(&kma_bucket, 0, sizeof(kma_bucket));
	return 0;
}

static struct kunit_case kma_order_cases[] = {
	KUNIT_CASE(kma_order_reader_sees_an_object_come),
	KUNIT_CASE(kma_order_reader_sees_an_object_go),
	KUNIT_CASE(kma_order_reader_sees_another_object_come),
	KUNIT_CASE(kma_order_reader_sees_the_same_address_come),
	KUNIT_CASE(kma_order_reader_sees_two_generations_end),
	{}
};

struct kunit_suite kma_order_suite = {
	.name = "kmemacct_order",
	.init = kma_order_init_test,
	.test_cases = kma_order_cases,
};
