// SPDX-License-Identifier: GPL-2.0
/*
 * Tests what a reader of the live table sees of a slot that is emptied and filled while it reads.
 * This tries every interleaving of reader and writer, not only those that happen on a machine.
 *
 * The code of the table is compiled a second time here, with its loads and stores replaced.  First
 * a writer works on a bucket, whose state is saved after each store.  Then kma_objtab_read() runs,
 * and before each of its loads the bucket may change to a later saved state.  This tests the
 * program order of loads and stores.  It cannot test whether the barriers preserve this order.
 *
 * order
 */
#include "../../../module/core/stat.h"

static void kma_before_load(void);
static void kma_after_store(void);

#undef READ_ONCE
#undef WRITE_ONCE
#undef cmpxchg
#undef try_cmpxchg
#undef kma_inc_once
#undef kma_acquire_is
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
#define kma_acquire_is(p, value) (READ_ONCE(*(p)) == (value))

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

#include "../../../module/core/objtab.c"

#include "case.h"
#include "model.h"

#define KMA_PTR		KMA_MODEL_PTR

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

/* The payload and both generations of an entry depend on how often the slot was filled. */
static bool kma_live(unsigned long ptr, u32 count)
{
	unsigned long slot = kma_objtab_slot(ptr);
	struct kma_entry e = kma_model_entry(ptr, 0, count);

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
	ptr = kma_objtab_read(&kma_bucket, kma_objtab_slot(KMA_PTR), e);
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
	struct kma_entry e, want;
	unsigned long ptr = kma_read_moving(&e);

	f->reads++;
	if (!ptr)
		return;
	f->accepted++;
	want = kma_model_entry(ptr, 0, e.generation);
	f->mixed += e.bytes_req != want.bytes_req || e.time != want.time ||
		    e.tgid_depth != want.tgid_depth || kma_entry_gen(&e) != (kma_gen)e.generation;
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

/* ---- the tests ------------------------------------------------------------ */

/* The next address that has the same slot. */
static unsigned long kma_other_ptr(void)
{
	unsigned long ptr = KMA_PTR + 8;

	while (kma_objtab_slot(ptr) != kma_objtab_slot(KMA_PTR))
		ptr += 8;
	return ptr;
}

/*
 * Run @steps: an object at the address, or at another one, comes or goes.  The first @before of
 * them are over when the reader begins.
 */
static void kma_expect_no_mixture(const char *steps, int before)
{
	struct kma_findings f;
	u32 count = 0;
	int i;

	kma_noting = false;
	memset(&kma_bucket, 0, sizeof(kma_bucket));
	for (i = 0; steps[i]; i++) {
		if (i == before)
			kma_note_start();
		if (steps[i] == '+')
			kma_expect(kma_live(KMA_PTR, ++count));
		else if (steps[i] == '-')
			kma_expect(kma_die(KMA_PTR));
		else if (steps[i] == 'o')
			kma_expect(kma_live(kma_other_ptr(), ++count));
		else
			kma_expect(kma_die(kma_other_ptr()));
	}
	f = kma_look_in_all_orders();
	kma_expect(kma_nr_states < KMA_STATES_MAX);
	kma_expect(f.accepted > 0 && f.accepted < f.reads && !f.mixed);
}

static void kma_sees_an_object_come(void)
{
	kma_expect_no_mixture("+", 0);
}

static void kma_sees_an_object_go(void)
{
	kma_expect_no_mixture("+-", 1);
}

static void kma_sees_another_object_come(void)
{
	kma_expect_no_mixture("+-o", 1);
}

/* The key is the same for both objects. */
static void kma_sees_the_same_address_come(void)
{
	kma_expect_no_mixture("+-+", 1);
}

static void kma_sees_two_generations_end(void)
{
	kma_expect_no_mixture("+-ox+", 1);
}

static const struct kma_case kma_cases[] = {
	{ "a reader sees an object come", kma_sees_an_object_come },
	{ "a reader sees an object go", kma_sees_an_object_go },
	{ "a reader sees another object come", kma_sees_another_object_come },
	{ "a reader sees the same address come", kma_sees_the_same_address_come },
	{ "a reader sees two generations end", kma_sees_two_generations_end },
};

int main(void)
{
	return !!kma_cases_run(kma_cases, ARRAY_SIZE(kma_cases));
}
