// SPDX-License-Identifier: GPL-2.0
/*
 * Patterns for the names of helpers, which only allocate for their callers.  See skip.h.
 *
 * tools/test/guest/wrappers lists the functions that may belong in the built-in list.
 */
#include <linux/ctype.h>
#include <linux/glob.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "../error.h"
#include "../state.h"
#include "skip.h"

#define PAGES(p)	{ p, KMA_SKIP_PAGES }
#define OBJECTS(p)	{ p, KMA_SKIP_OBJECTS }
#define BOTH(p)		{ p, KMA_SKIP_BOTH }

static const struct kma_skip kma_skip_built_in[] = {
	/* functions that perf kmem skips */
	PAGES("alloc_page*"), PAGES("_alloc_page*"), PAGES("__alloc_page*"),
	PAGES("get_free_page*"), PAGES("_get_free_page*"), PAGES("__get_free_page*"),
	PAGES("get_zeroed_page*"), PAGES("_get_zeroed_page*"), PAGES("__get_zeroed_page*"),
	/* the page allocator, its tracepoints, and kretprobes and ftrace on it */
	PAGES("__traceiter_*"), BOTH("*_noprof"), BOTH("*_noprof.*"), PAGES("alloc_frozen_pages*"),
	PAGES("__alloc_frozen_pages*"), PAGES("*rethook*"), PAGES("*kretprobe*"),
	PAGES("kprobe_*"), PAGES("ftrace_*"),
	/* reclaim and compaction, for an allocation or a charge of a memory cgroup */
	PAGES("try_to_free_pages*"), PAGES("try_to_free_mem_cgroup_pages*"),
	PAGES("try_to_compact_pages*"), PAGES("compact_zone*"), PAGES("*node_reclaim*"),
	PAGES("wake_all_kswapds*"), PAGES("wakeup_kswapd*"), PAGES("wakeup_kcompactd*"),
	PAGES("try_charge*"), PAGES("charge_memcg*"), PAGES("*mem_cgroup_charge*"),
	PAGES("mem_cgroup_swapin_charge*"), PAGES("obj_cgroup_charge*"),
	PAGES("*memcg_kmem_charge*"), PAGES("__memcg_slab_*"), PAGES("reclaim_high*"),
	/* waits for pages that are read */
	PAGES("folio_wait_*"), PAGES("__folio_lock*"), PAGES("wait_on_page_*"),
	PAGES("__lock_page*"), PAGES("read_pages"), PAGES("swap_read*"),
	PAGES("swap*_readahead*"),
	/* folios */
	PAGES("folio_alloc*"), PAGES("__folio_alloc*"), PAGES("vma_alloc_folio*"),
	PAGES("filemap_alloc_folio*"),
	/* slabs, and kmalloc() of sizes that are too large for a slab */
	PAGES("new_slab*"), PAGES("allocate_slab*"), PAGES("alloc_slab_page*"),
	PAGES("___slab_alloc*"), PAGES("__slab_alloc*"), BOTH("kmem_cache_alloc*"),
	PAGES("__kmem_cache_alloc*"), BOTH("__kmalloc*"), PAGES("___kmalloc*"), BOTH("kmalloc_*"),
	BOTH("kvmalloc*"), BOTH("krealloc*"), PAGES("refill_objects*"),
	PAGES("__pcs_replace_empty_main*"), PAGES("slab_alloc*"),
	/* free lists, and fallbacks */
	PAGES("rmqueue*"), PAGES("__rmqueue*"), PAGES("get_page_from_freelist*"),
	PAGES("try_to_steal_block*"), PAGES("try_to_claim_block*"),
	PAGES("steal_suitable_fallback*"),
	/* vmalloc, page tables, fragments of pages */
	BOTH("vmalloc*"), BOTH("__vmalloc*"), BOTH("vzalloc*"), BOTH("alloc_vmap_area*"),
	BOTH("*get_vm_area*"), PAGES("vmap_*"), PAGES("map_kernel_range*"),
	BOTH("kma_env_zalloc*"), BOTH("pte_alloc_one*"), BOTH("__pte_alloc*"),
	BOTH("__p?d_alloc*"), BOTH("ptlock_alloc"), PAGES("page_frag_*"), PAGES("__page_frag_*"),
	PAGES("*_page_frag_refill*"),
	/* per-CPU memory */
	BOTH("pcpu_alloc*"), BOTH("pcpu_mem_zalloc*"), BOTH("pcpu_create_chunk*"),
	PAGES("pcpu_populate_*"), BOTH("__alloc_percpu*"),
	/* copies of memory, and strings */
	BOTH("kvrealloc*"), BOTH("kmemdup*"), BOTH("kvmemdup*"), BOTH("kstrdup*"),
	BOTH("kstrndup*"), BOTH("memdup_user*"), BOTH("vmemdup_user*"), BOTH("strndup_user*"),
	BOTH("kasprintf*"), BOTH("kvasprintf*"), OBJECTS("kobject_set_name*"),
	OBJECTS("dev_set_name*"),
	/* network buffers */
	BOTH("__alloc_skb*"), BOTH("__netdev_alloc_skb*"), BOTH("__napi_alloc_skb*"),
	BOTH("napi_alloc_skb*"), OBJECTS("alloc_skb_*"), OBJECTS("__build_skb*"),
	OBJECTS("build_skb*"), OBJECTS("napi_build_skb*"), OBJECTS("slab_build_skb*"),
	OBJECTS("napi_skb_cache_get*"), OBJECTS("sock_alloc_send_*"), OBJECTS("sock_wmalloc*"),
	BOTH("*_stream_alloc_skb*"),
	/* sockets */
	BOTH("sk_prot_alloc*"), BOTH("sk_alloc"),
	/* memory that a device or an open file owns */
	OBJECTS("devm_k*"), OBJECTS("devres_alloc*"), OBJECTS("__devres_alloc*"),
	OBJECTS("alloc_dr*"), OBJECTS("seq_open*"), OBJECTS("__seq_open*"),
	OBJECTS("single_open*"),
	/* work queues, memory pools */
	OBJECTS("alloc_workqueue*"), OBJECTS("__alloc_workqueue*"), BOTH("mempool_*"),
};

#undef PAGES
#undef OBJECTS
#undef BOTH

/* The most patterns that can be added: the output of kma_skip_text() must fit into a page. */
#define KMA_SKIP_MORE	26
static_assert(KMA_SKIP_LEN == 63 + 1);
#define KMA_SKIP_MAX	(ARRAY_SIZE(kma_skip_built_in) + KMA_SKIP_MORE)

/**
 * struct kma_skips - the patterns, in the order in which they are tried
 * @nr: number of patterns
 * @skip: the patterns
 */
struct kma_skips {
	int nr;
	struct kma_skip skip[KMA_SKIP_MAX];
};

/* The list in use; NULL for the built-in list.  Writers hold kma_lock. */
static struct kma_skips __rcu *kma_skips;

bool kma_pattern_ends(const char *pattern)
{
	return !strstr(pattern, "[!") && !strstr(pattern, "[^");
}

static int kma_skip_find(const struct kma_skip *skip, int nr, const char *text)
{
	while (nr--)
		if (!strcmp(skip[nr].pattern, text))
			return nr;
	return -ENOENT;
}

/* The built-in pattern with this text; NULL if there is none. */
static const struct kma_skip *kma_skip_built_in_of(const char *text)
{
	const int i = kma_skip_find(kma_skip_built_in, ARRAY_SIZE(kma_skip_built_in), text);

	return i < 0 ? NULL : &kma_skip_built_in[i];
}

static bool kma_skip_matches(const struct kma_skip *skip, int nr, const char *name,
			     enum kma_skip_what what)
{
	int i;

	for (i = 0; i < nr; i++)
		if (skip[i].what & what && glob_match(skip[i].pattern, name))
			return true;
	return false;
}

bool kma_skip_name(const char *name, enum kma_skip_what what)
{
	const struct kma_skips *s;
	bool ret;

	rcu_read_lock();
	s = rcu_dereference(kma_skips);
	if (s)
		ret = kma_skip_matches(s->skip, s->nr, name, what);
	else
		ret = kma_skip_matches(kma_skip_built_in, ARRAY_SIZE(kma_skip_built_in),
				       name, what);
	rcu_read_unlock();
	return ret;
}

static const struct kma_skips *kma_skips_now(void)
{
	return rcu_dereference_protected(kma_skips, lockdep_is_held(&kma_lock));
}

const struct kma_skip *kma_skip_pattern(int i)
{
	const struct kma_skips *s = kma_skips_now();

	if (s)
		return i < s->nr ? &s->skip[i] : NULL;
	return i < ARRAY_SIZE(kma_skip_built_in) ? &kma_skip_built_in[i] : NULL;
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
	memcpy(s->skip, kma_skip_built_in, sizeof(kma_skip_built_in));
	return s;
}

/* Return: whether the list may have changed. */
static bool kma_skips_publish(struct kma_skips *s)
{
	const struct kma_skips *before = kma_skips_now();

	if (!s && !before)
		return false;
	rcu_assign_pointer(kma_skips, s);
	/* Wait until no probe uses the old list any more. */
	tracepoint_synchronize_unregister();
	synchronize_rcu();
	kma_small_free(before);
	return true;
}

static bool kma_skips_full(const struct kma_skips *s)
{
	int i, more = 0;

	for (i = 0; i < s->nr; i++)
		more += !kma_skip_built_in_of(s->skip[i].pattern);
	return more == KMA_SKIP_MORE;
}

static int kma_skips_add(struct kma_skips *s, const char *text)
{
	const struct kma_skip *built_in = kma_skip_built_in_of(text);

	if (kma_skip_find(s->skip, s->nr, text) >= 0)
		return kma_refuse("skip add: '%s' is already in the list", text);
	if (!built_in && kma_skips_full(s))
		return kma_refuse("skip add: %d patterns were added, delete one first",
				  KMA_SKIP_MORE);
	s->skip[s->nr].what = built_in ? built_in->what : KMA_SKIP_BOTH;
	strscpy(s->skip[s->nr++].pattern, text, KMA_SKIP_LEN);
	return 0;
}

static int kma_skips_del(struct kma_skips *s, const char *text)
{
	const int i = kma_skip_find(s->skip, s->nr, text);

	if (i < 0)
		return kma_refuse("skip del: no '%s' in table skip", text);
	memmove(&s->skip[i], &s->skip[i + 1], (--s->nr - i) * sizeof(s->skip[0]));
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

	if (!strcmp(what, "none")) {
		if (*text)
			return kma_refuse("skip none takes no pattern, not '%s'", text);
		s->nr = 0;
		return 0;
	}
	if (!add && strcmp(what, "del"))
		return kma_refuse("skip takes add PATTERN, del PATTERN or none, not '%s'", what);
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
	return ret ?: kma_skips_publish(s);
}

int kma_skip_text(char *page)
{
	const struct kma_skips *s = kma_skips_now();
	int i, len = 0;

	for (i = 0; s && i < ARRAY_SIZE(kma_skip_built_in); i++)
		if (kma_skip_find(s->skip, s->nr, kma_skip_built_in[i].pattern) < 0)
			len += sysfs_emit_at(page, len, "%sdel %s", len ? ";" : "",
					     kma_skip_built_in[i].pattern);
	for (i = 0; s && i < s->nr; i++)
		if (!kma_skip_built_in_of(s->skip[i].pattern))
			len += sysfs_emit_at(page, len, "%sadd %s", len ? ";" : "",
					     s->skip[i].pattern);
	return len + sysfs_emit_at(page, len, "\n");
}

void kma_skip_stop(void)
{
	kma_skips_publish(NULL);
}
