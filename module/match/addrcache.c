// SPDX-License-Identifier: GPL-2.0
/* Cache of a per-address predicate.  See addrcache.h. */
#include <linux/bits.h>
#include <linux/kallsyms.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/vmalloc.h>

#include "addrcache.h"

/* Words of a cache, and words of a set, which is one cache line. */
#define KMA_ADDRCACHE_WORDS	8192
#define KMA_ADDRCACHE_SET	8
/* Set in all kernel addresses, and in a word only if the answer is yes. */
#define KMA_ADDRCACHE_YES	BIT(63)

static unsigned long *kma_addrcache_set(const struct kma_addrcache *c, unsigned long addr)
{
	u64 hash = (u64)addr * 0x9e3779b97f4a7c15ULL >> 40;

	return &c->word[hash * KMA_ADDRCACHE_SET % KMA_ADDRCACHE_WORDS];
}

/* ---- names ---------------------------------------------------------------------- */

/*
 * Since 6.12 the name of a symbol has up to 512 bytes, and the stack of an NMI has only
 * 4,096.  So each CPU has a buffer for one name.  A name is on the stack only in a context
 * that has interrupted the user of the buffer.
 */
struct kma_addrcache_name {
	int busy;
	char name[KSYM_SYMBOL_LEN];
};

static DEFINE_PER_CPU(struct kma_addrcache_name, kma_addrcache_name);

static bool kma_addrcache_classify(const struct kma_addrcache *c, unsigned long addr, char *name)
{
	/* Look before the return address: a call that never returns may end its function. */
	sprint_symbol_no_offset(name, addr - 1);
	return c->classify(c, name);
}

static noinline bool kma_addrcache_nested(const struct kma_addrcache *c, unsigned long addr)
{
	char name[KSYM_SYMBOL_LEN];

	return kma_addrcache_classify(c, addr, name);
}

static bool kma_addrcache_lookup(const struct kma_addrcache *c, unsigned long addr)
{
	struct kma_addrcache_name *mine;
	bool yes;

	preempt_disable_notrace();
	mine = this_cpu_ptr(&kma_addrcache_name);
	/*
	 * Only contexts of this CPU use the buffer, and one that interrupts this one ends
	 * before this one goes on: a plain flag is enough.
	 */
	if (READ_ONCE(mine->busy)) {
		yes = kma_addrcache_nested(c, addr);
	} else {
		WRITE_ONCE(mine->busy, 1);
		barrier();
		yes = kma_addrcache_classify(c, addr, mine->name);
		barrier();
		WRITE_ONCE(mine->busy, 0);
	}
	preempt_enable_notrace();
	return yes;
}

/* ---- answers --------------------------------------------------------------------- */

static noinline bool kma_addrcache_miss(const struct kma_addrcache *c, unsigned long *set,
					unsigned long addr)
{
	const bool yes = kma_addrcache_lookup(c, addr);
	const unsigned long word = yes ? addr : addr & ~KMA_ADDRCACHE_YES;
	int i;

	for (i = 0; i < KMA_ADDRCACHE_SET; i++)
		if (!READ_ONCE(set[i]))
			break;
	/* If the set is full, the new word replaces the first one. */
	WRITE_ONCE(set[i % KMA_ADDRCACHE_SET], word);
	return yes;
}

bool kma_addrcache_get(const struct kma_addrcache *c, unsigned long addr)
{
	unsigned long *set = kma_addrcache_set(c, addr);
	unsigned long word;
	int i;

	for (i = 0; i < KMA_ADDRCACHE_SET; i++) {
		word = READ_ONCE(set[i]);
		if ((word | KMA_ADDRCACHE_YES) == addr)
			return word & KMA_ADDRCACHE_YES;
		if (!word)
			break;
	}
	return kma_addrcache_miss(c, set, addr);
}

void kma_addrcache_clear(const struct kma_addrcache *c)
{
	int i;

	for (i = 0; c->word && i < KMA_ADDRCACHE_WORDS; i++)
		WRITE_ONCE(c->word[i], 0);
}

int kma_addrcache_init(struct kma_addrcache *c)
{
	c->word = vzalloc(KMA_ADDRCACHE_WORDS * sizeof(c->word[0]));
	return c->word ? 0 : -ENOMEM;
}

void kma_addrcache_destroy(struct kma_addrcache *c)
{
	vfree(c->word);
	c->word = NULL;
}
