// SPDX-License-Identifier: GPL-2.0
/*
 * Who wants a block of pages.
 *
 * Between the page allocator and whoever wanted the pages are functions that do
 * nothing but hand them on: alloc_pages_exact(), folio_alloc(), vmalloc().  Which
 * they are is said by patterns of their names.  The call site is the first return
 * address on the stack that is in no such function.
 *
 *	stack --> return address --> verdict: skip it, or it is the call site
 *
 * A name is looked up once for each return address, some ten thousand instructions;
 * the verdict is kept in a table of words, without a lock: who writes twice writes
 * the same, and who finds no room looks up again.  To unwind takes some 450
 * instructions a frame, so each CPU remembers paths, as in stack.c: where on
 * the stack the return addresses were that led to a call site, and which.
 *
 * Nothing here depends on what it is interrupted by, NMI included.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bits.h>
#include <linux/glob.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "unwind.h"

/* ---- the patterns -------------------------------------------------------------- */

static const char * const kma_skip_patterns[] = {
	/* what perf kmem skips */
	"alloc_page*", "_alloc_page*", "__alloc_page*",
	"get_free_page*", "_get_free_page*", "__get_free_page*",
	"get_zeroed_page*", "_get_zeroed_page*", "__get_zeroed_page*",
	/* the page allocator, its tracepoints, and what follows it */
	"__traceiter_*", "*_noprof", "*_noprof.*", "alloc_frozen_pages*",
	"__alloc_frozen_pages*", "*rethook*", "*kretprobe*", "ftrace_*",
	/* folios */
	"folio_alloc*", "__folio_alloc*", "vma_alloc_folio*", "filemap_alloc_folio*",
	/* slabs, and what is too large for one */
	"new_slab*", "allocate_slab*", "alloc_slab_page*", "___slab_alloc*",
	"__slab_alloc*", "kmem_cache_alloc*", "__kmem_cache_alloc*", "__kmalloc*",
	"___kmalloc*", "kmalloc_*", "kvmalloc*", "krealloc*", "refill_objects*",
	"__pcs_replace_empty_main*", "slab_alloc*",
	/* vmalloc, page tables, fragments of pages */
	"vmalloc*", "__vmalloc*", "vzalloc*", "pte_alloc_one*", "__pte_alloc*",
	"page_frag_alloc*", "__page_frag_*", "page_frag_*",
};

static bool kma_skip_name(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(kma_skip_patterns); i++)
		if (glob_match(kma_skip_patterns[i], name))
			return true;
	return false;
}

/* ---- verdicts ------------------------------------------------------------------- */

/*
 * A word for each return address, in sets of as many as are in a cache line: the
 * address, whose highest bit is set in all of the kernel's and here only of those
 * that are a call site.
 */
#define KMA_VERDICTS	8192
#define KMA_VERDICT_SET	8
#define KMA_VERDICT_SITE BIT(63)

static unsigned long *kma_verdicts;

static unsigned long *kma_verdict_set(unsigned long addr)
{
	u64 hash = (u64)addr * 0x9e3779b97f4a7c15ULL >> 40;

	return &kma_verdicts[hash * KMA_VERDICT_SET % KMA_VERDICTS];
}

/* In 6.12 and later, a symbol's name alone has up to 512 bytes. */
static noinline bool kma_callsite_look(unsigned long addr)
{
	char name[KSYM_SYMBOL_LEN];

	/* A call that never returns may be the last of its function. */
	sprint_symbol_no_offset(name, addr - 1);
	name[strcspn(name, " ")] = '\0';
	return !kma_skip_name(name);
}

static noinline bool kma_callsite_judge(unsigned long *set, unsigned long addr)
{
	const bool is_site = kma_callsite_look(addr);
	const unsigned long word = is_site ? addr : addr & ~KMA_VERDICT_SITE;
	int i;

	for (i = 0; i < KMA_VERDICT_SET; i++)
		if (!READ_ONCE(set[i]))
			break;
	/* Where all are taken, one of them makes room. */
	WRITE_ONCE(set[i % KMA_VERDICT_SET], word);
	return is_site;
}

static bool kma_callsite_is(unsigned long addr)
{
	unsigned long *set = kma_verdict_set(addr);
	unsigned long word;
	int i;

	for (i = 0; i < KMA_VERDICT_SET; i++) {
		word = READ_ONCE(set[i]);
		if ((word | KMA_VERDICT_SITE) == addr)
			return word & KMA_VERDICT_SITE;
		if (!word)
			break;
	}
	return kma_callsite_judge(set, addr);
}

/* ---- paths ------------------------------------------------------------------------ */

/* Return addresses from the tracepoint to a call site, at most. */
#define KMA_PATH_MAX	24
/* Of each CPU. */
#define KMA_PATHS	32

/**
 * struct kma_path - the return addresses that led to a call site
 * @busy: somebody reads or writes it
 * @since: of which kma_paths_since it is
 * @nr: how many
 * @sp: where our own frame is; 0: it cannot be known again
 * @at: words from there to each return address
 * @frame: the return addresses, the call site last
 */
struct kma_path {
	int busy;
	u32 since;
	u32 nr;
	unsigned long sp;
	u16 at[KMA_PATH_MAX];
	unsigned long frame[KMA_PATH_MAX];
};

static struct kma_path __percpu *kma_paths;
/* Paths from before the last change of code or patterns are void. */
static u32 kma_paths_since;

static bool kma_callsite_ours(unsigned long addr)
{
	return within_module(addr, THIS_MODULE);
}

#ifdef KMA_HAVE_UNWINDER
static noinline unsigned long kma_path_unwind(struct kma_path *p, unsigned long sp)
{
	struct unwind_state state;
	unsigned long addr = 0;
	bool known = true;

	p->sp = 0;
	p->nr = 0;
	p->since = READ_ONCE(kma_paths_since);
	for (unwind_start(&state, current, NULL, NULL); !unwind_done(&state);
	     unwind_next_frame(&state)) {
		addr = unwind_get_return_address(&state);
		if (!addr || p->nr == KMA_PATH_MAX)
			return KMA_SITE_NOWHERE;
		if (!p->nr && kma_callsite_ours(addr))
			continue;
		known = known && kma_unwind_place(&state, sp, &p->at[p->nr]);
		p->frame[p->nr++] = addr;
		if (!kma_callsite_is(addr))
			continue;
		p->sp = known ? sp : 0;
		return addr;
	}
	return KMA_SITE_NOWHERE;
}
#else
static noinline unsigned long kma_path_unwind(struct kma_path *p, unsigned long sp)
{
	unsigned int i = 0, nr = stack_trace_save(p->frame, KMA_PATH_MAX, 0);

	p->sp = 0;
	while (i < nr && kma_callsite_ours(p->frame[i]))
		i++;
	for (; i < nr; i++)
		if (kma_callsite_is(p->frame[i]))
			return p->frame[i];
	return KMA_SITE_NOWHERE;
}
#endif

static bool kma_path_holds(const struct kma_path *p, unsigned long sp)
{
	const unsigned long *stack = (unsigned long *)sp;
	u32 i;

	if (p->sp != sp || p->since != READ_ONCE(kma_paths_since))
		return false;
	for (i = 0; i < p->nr; i++)
		if (READ_ONCE_NOCHECK(stack[p->at[i]]) != p->frame[i])
			return false;
	return true;
}

static noinline unsigned long kma_path_find(unsigned long sp)
{
	struct kma_path p;

	return kma_path_unwind(&p, sp);
}

unsigned long kma_env_block_site(void)
{
	const unsigned long sp = (unsigned long)__builtin_frame_address(0);
	const u32 hash = (u32)(sp >> 3) * 0x9e3779b1U;
	struct kma_path *p = raw_cpu_ptr(kma_paths) + (hash >> 16) % KMA_PATHS;
	unsigned long site;

	/* Somebody below this context may be at it, or one on another CPU. */
	if (cmpxchg(&p->busy, 0, 1))
		return kma_path_find(sp);
	site = kma_path_holds(p, sp) ? p->frame[p->nr - 1] : kma_path_unwind(p, sp);
	smp_store_release(&p->busy, 0); /* pairs with the cmpxchg above */
	return site;
}

/* ---- begin and end ------------------------------------------------------------------ */

void kma_callsite_forget(void)
{
	int i;

	if (!kma_verdicts)
		return;
	for (i = 0; i < KMA_VERDICTS; i++)
		WRITE_ONCE(kma_verdicts[i], 0);
	/* Only now: a path is made of verdicts. */
	smp_wmb();
	WRITE_ONCE(kma_paths_since, kma_paths_since + 1);
}

int kma_callsite_start(void)
{
	kma_verdicts = vzalloc(KMA_VERDICTS * sizeof(kma_verdicts[0]));
	kma_paths = __alloc_percpu(KMA_PATHS * sizeof(struct kma_path),
				   __alignof__(struct kma_path));
	if (kma_verdicts && kma_paths)
		return 0;
	kma_callsite_stop();
	return -ENOMEM;
}

void kma_callsite_stop(void)
{
	vfree(kma_verdicts);
	free_percpu(kma_paths);
	kma_verdicts = NULL;
	kma_paths = NULL;
}
