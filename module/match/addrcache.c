// SPDX-License-Identifier: GPL-2.0
/* Cache of a per-address predicate.  See addrcache.h. */
#include <linux/bits.h>
#include <linux/kallsyms.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "../core/env.h"
#include "addrcache.h"

/* The number of words in a cache, and in a set, which is one cache line. */
#define KMA_ADDRCACHE_WORDS	(KMA_ADDRCACHE_BYTES / sizeof(unsigned long))
#define KMA_ADDRCACHE_SET	8
/* This bit is set in all kernel addresses, and in a word only if the predicate is true. */
#define KMA_ADDRCACHE_YES	BIT(63)

static unsigned long *kma_addrcache_set(const struct kma_addrcache *c, unsigned long addr)
{
	u64 hash = (u64)addr * 0x9e3779b97f4a7c15ULL >> 40;

	return &c->word[hash * KMA_ADDRCACHE_SET % KMA_ADDRCACHE_WORDS];
}

/* ---- names ---------------------------------------------------------------------- */

/*
 * Since Linux 6.12, the name of a symbol may have 512 bytes, and the stack of an NMI only has
 * 4,096.  So each CPU has a buffer for one name.  A context that has interrupted the user of the
 * buffer puts the name on the stack instead.
 */
struct kma_addrcache_name {
	int busy;
	char name[KSYM_SYMBOL_LEN];
};

static DEFINE_PER_CPU(struct kma_addrcache_name, kma_addrcache_name);

static bool kma_addrcache_classify(const struct kma_addrcache *c, unsigned long addr, char *name)
{
	/* A call that never returns may be the last instruction of its function: use addr - 1. */
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
	 * A plain flag is enough.  Only contexts on this CPU use the buffer, and a context
	 * that interrupts this one is finished before this one continues.
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

/* ---- entries --------------------------------------------------------------------- */

static noinline bool kma_addrcache_miss(const struct kma_addrcache *c, unsigned long *set,
					unsigned long addr)
{
	const bool yes = kma_addrcache_lookup(c, addr);
	const unsigned long word = yes ? addr : addr & ~KMA_ADDRCACHE_YES;
	int i;

	for (i = 0; i < KMA_ADDRCACHE_SET; i++)
		if (!READ_ONCE(set[i]))
			break;
	/*
	 * If the set is full, the address chooses the word that is replaced, so that not all new
	 * words replace the same one.
	 */
	WRITE_ONCE(set[i < KMA_ADDRCACHE_SET ? i : addr >> 4 & (KMA_ADDRCACHE_SET - 1)], word);
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
	c->word = kma_env_zalloc(KMA_ADDRCACHE_BYTES);
	return c->word ? 0 : -ENOMEM;
}

void kma_addrcache_destroy(struct kma_addrcache *c)
{
	kma_env_free(c->word);
	c->word = NULL;
}
