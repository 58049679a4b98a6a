// SPDX-License-Identifier: GPL-2.0
/* Patterns for the names of functions that only allocate pages for their callers.  See skip.h. */
#include <linux/ctype.h>
#include <linux/glob.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "../error.h"
#include "../state.h"
#include "skip.h"

static const char kma_skip_built_in[][KMA_SKIP_LEN] = {
	/* functions that perf kmem skips */
	"alloc_page*", "_alloc_page*", "__alloc_page*",
	"get_free_page*", "_get_free_page*", "__get_free_page*",
	"get_zeroed_page*", "_get_zeroed_page*", "__get_zeroed_page*",
	/* the page allocator, its tracepoints, and kretprobes and ftrace on it */
	"__traceiter_*", "*_noprof", "*_noprof.*", "alloc_frozen_pages*",
	"__alloc_frozen_pages*", "*rethook*", "*kretprobe*", "kprobe_*", "ftrace_*",
	/* reclaim and compaction, for an allocation or a charge of a memory cgroup */
	"try_to_free_pages*", "try_to_free_mem_cgroup_pages*", "try_to_compact_pages*",
	"compact_zone*", "*node_reclaim*", "try_charge*", "charge_memcg*", "*mem_cgroup_charge*",
	"mem_cgroup_swapin_charge*", "obj_cgroup_charge*", "*memcg_kmem_charge*", "__memcg_slab_*",
	/* folios */
	"folio_alloc*", "__folio_alloc*", "vma_alloc_folio*", "filemap_alloc_folio*",
	/* slabs, and kmalloc() of sizes that are too large for a slab */
	"new_slab*", "allocate_slab*", "alloc_slab_page*", "___slab_alloc*",
	"__slab_alloc*", "kmem_cache_alloc*", "__kmem_cache_alloc*", "__kmalloc*",
	"___kmalloc*", "kmalloc_*", "kvmalloc*", "krealloc*", "refill_objects*",
	"__pcs_replace_empty_main*", "slab_alloc*",
	/* free lists, and fallbacks */
	"rmqueue*", "__rmqueue*", "get_page_from_freelist*", "try_to_steal_block*",
	"try_to_claim_block*", "steal_suitable_fallback*",
	/* vmalloc, page tables, fragments of pages */
	"vmalloc*", "__vmalloc*", "vzalloc*", "pte_alloc_one*", "__pte_alloc*",
	"page_frag_alloc*", "__page_frag_*", "page_frag_*",
};

/* How many patterns can be added: the output of kma_skip_text() must fit into a page. */
#define KMA_SKIP_MORE	32
static_assert(KMA_SKIP_LEN == 63 + 1);
#define KMA_SKIP_MAX	(ARRAY_SIZE(kma_skip_built_in) + KMA_SKIP_MORE)

/**
 * struct kma_skips - the patterns, in the order in which they are tried
 * @nr: number of patterns
 * @pattern: the patterns
 */
struct kma_skips {
	int nr;
	char pattern[KMA_SKIP_MAX][KMA_SKIP_LEN];
};

/* The list in use; NULL for the built-in list.  Writers hold kma_lock. */
static struct kma_skips __rcu *kma_skips;

bool kma_pattern_ends(const char *pattern)
{
	return !strstr(pattern, "[!") && !strstr(pattern, "[^");
}

static int kma_skip_find(const char (*pattern)[KMA_SKIP_LEN], int nr, const char *text)
{
	while (nr--)
		if (!strcmp(pattern[nr], text))
			return nr;
	return -ENOENT;
}

static bool kma_skip_is_built_in(const char *text)
{
	return kma_skip_find(kma_skip_built_in, ARRAY_SIZE(kma_skip_built_in), text) >= 0;
}

static bool kma_skip_matches(const char (*pattern)[KMA_SKIP_LEN], int nr,
			     const char *name)
{
	int i;

	for (i = 0; i < nr; i++)
		if (glob_match(pattern[i], name))
			return true;
	return false;
}

bool kma_skip_name(const char *name)
{
	const struct kma_skips *s;
	bool ret;

	rcu_read_lock();
	s = rcu_dereference(kma_skips);
	if (s)
		ret = kma_skip_matches(s->pattern, s->nr, name);
	else
		ret = kma_skip_matches(kma_skip_built_in, ARRAY_SIZE(kma_skip_built_in),
				       name);
	rcu_read_unlock();
	return ret;
}

static const struct kma_skips *kma_skips_now(void)
{
	return rcu_dereference_protected(kma_skips, lockdep_is_held(&kma_lock));
}

const char *kma_skip_pattern(int i)
{
	const struct kma_skips *s = kma_skips_now();

	if (s)
		return i < s->nr ? s->pattern[i] : NULL;
	return i < ARRAY_SIZE(kma_skip_built_in) ? kma_skip_built_in[i] : NULL;
}

/* ---- changes ---------------------------------------------------------------------- */

/* Copy a list, in order to modify the copy.  If @from is NULL, copy the built-in list. */
static struct kma_skips *kma_skips_copy(const struct kma_skips *from)
{
	struct kma_skips *s = kma_small_alloc(sizeof(*s));

	if (!s) {
		kma_refuse("skip: not enough memory");
		return NULL;
	}
	if (from) {
		*s = *from;
		return s;
	}
	s->nr = ARRAY_SIZE(kma_skip_built_in);
	memcpy(s->pattern, kma_skip_built_in, sizeof(kma_skip_built_in));
	return s;
}

static void kma_skips_publish(struct kma_skips *s)
{
	const struct kma_skips *before = kma_skips_now();

	if (!s && !before)
		return;
	rcu_assign_pointer(kma_skips, s);
	/* Wait until no probe uses the old list any more. */
	tracepoint_synchronize_unregister();
	synchronize_rcu();
	kma_small_free(before);
}

static bool kma_skips_full(const struct kma_skips *s)
{
	int i, more = 0;

	for (i = 0; i < s->nr; i++)
		more += !kma_skip_is_built_in(s->pattern[i]);
	return more == KMA_SKIP_MORE;
}

static int kma_skips_add(struct kma_skips *s, const char *text)
{
	if (kma_skip_find(s->pattern, s->nr, text) >= 0)
		return kma_refuse("skip add: '%s' is already in the list", text);
	if (!kma_skip_is_built_in(text) && kma_skips_full(s))
		return kma_refuse("skip add: %d patterns were added, delete one first",
				  KMA_SKIP_MORE);
	strscpy(s->pattern[s->nr++], text, KMA_SKIP_LEN);
	return 0;
}

static int kma_skips_del(struct kma_skips *s, const char *text)
{
	const int i = kma_skip_find(s->pattern, s->nr, text);

	if (i < 0)
		return kma_refuse("skip del: no '%s' in table skip", text);
	memmove(s->pattern[i], s->pattern[i + 1], (--s->nr - i) * KMA_SKIP_LEN);
	return 0;
}

/* Names of functions are ASCII. */
static bool kma_skip_ascii(const char *text)
{
	while (*text && isascii(*text))
		text++;
	return !*text;
}

static int kma_skips_change(struct kma_skips *s, char *args)
{
	const char *what = strsep(&args, " ");
	const char *text = args ? skip_spaces(args) : "";
	const bool add = !strcmp(what, "add");

	if (!add && strcmp(what, "del"))
		return kma_refuse("skip takes add PATTERN or del PATTERN, not '%s'", what);
	if (!kma_printable(text, KMA_SKIP_LEN, false) || !kma_skip_ascii(text) ||
	    !kma_pattern_ends(text))
		return kma_refuse("skip %s takes %s, not '%s'", what,
				  "up to 63 characters without blanks, ';', '[!' and '[^'", text);
	return add ? kma_skips_add(s, text) : kma_skips_del(s, text);
}

int kma_skip_run(char *args)
{
	struct kma_skips *s = kma_skips_copy(kma_skips_now());
	int ret;

	if (!s)
		return -ENOMEM;
	ret = kma_skips_change(s, args);
	if (ret)
		kma_small_free(s);
	else
		kma_skips_publish(s);
	return ret;
}

int kma_skip_set(char *text)
{
	struct kma_skips *s = kma_skips_copy(NULL);
	bool changed = false;
	char *change;
	int ret = 0;

	if (!s)
		return -ENOMEM;
	while (!ret && (change = strsep(&text, ";"))) {
		change = kma_strim(change);
		if (!*change)
			continue;
		ret = kma_skips_change(s, change);
		changed = true;
	}
	if (ret || !changed) {
		kma_small_free(s);
		s = NULL;
	}
	if (!ret)
		kma_skips_publish(s);
	return ret;
}

int kma_skip_text(char *page)
{
	const struct kma_skips *s = kma_skips_now();
	int i, len = 0;

	for (i = 0; s && i < ARRAY_SIZE(kma_skip_built_in); i++)
		if (kma_skip_find(s->pattern, s->nr, kma_skip_built_in[i]) < 0)
			len += sysfs_emit_at(page, len, "%sdel %s", len ? ";" : "",
					     kma_skip_built_in[i]);
	for (i = 0; s && i < s->nr; i++)
		if (!kma_skip_is_built_in(s->pattern[i]))
			len += sysfs_emit_at(page, len, "%sadd %s", len ? ";" : "",
					     s->pattern[i]);
	return len + sysfs_emit_at(page, len, "\n");
}

void kma_skip_stop(void)
{
	kma_skips_publish(NULL);
}
