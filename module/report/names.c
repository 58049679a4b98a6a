// SPDX-License-Identifier: GPL-2.0
/*
 * Names for one snapshot, which are kept in chunks of memory until the snapshot is freed.
 * See names.h.
 */
#include <linux/list.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "../resolve/namecache.h"
#include "../resolve/symbol.h"
#include "../state.h"
#include "names.h"

struct kma_names_chunk {
	struct list_head list;
	char text[SZ_32K - sizeof(struct list_head)];
};

struct kma_names {
	const struct kma_sitetab *sites;
	u32 rows;
	struct list_head chunks;
	size_t used;		/* bytes of the first chunk's text */
	const char **site;
	const char **cache;
	char buf[KMA_STACK_LEN];
};

static_assert(sizeof_field(struct kma_names_chunk, text) >= KMA_STACK_LEN);

int kma_names_switch(struct kma_names *names, const struct kma_sitetab *t)
{
	kma_copy_free(names->site);
	kma_copy_free(names->cache);
	names->sites = t;
	names->rows = t ? kma_sitetab_rows(t) : 0;
	names->site = kma_copy_alloc(names->rows, sizeof(names->site[0]));
	names->cache = kma_copy_alloc(t ? t->caches.nr : 0, sizeof(names->cache[0]));
	return names->site && names->cache ? 0 : -ENOMEM;
}

struct kma_names *kma_names_new(const struct kma_sitetab *t)
{
	struct kma_names *names = kma_copy_alloc(1, sizeof(*names));

	if (!names)
		return NULL;
	INIT_LIST_HEAD(&names->chunks);
	/* Names are looked up only for a collection. */
	kma_namecache_start();
	if (!kma_names_switch(names, t))
		return names;
	kma_names_free(names);
	return NULL;
}

void kma_names_free(struct kma_names *names)
{
	struct kma_names_chunk *chunk, *next;

	if (!names)
		return;
	list_for_each_entry_safe(chunk, next, &names->chunks, list)
		kma_copy_free(chunk);
	kma_copy_free(names->site);
	kma_copy_free(names->cache);
	kma_copy_free(names);
}

static bool kma_names_grow(struct kma_names *names)
{
	struct kma_names_chunk *chunk = kma_copy_alloc(1, sizeof(*chunk));

	if (!chunk)
		return false;
	list_add(&chunk->list, &names->chunks);
	names->used = 0;
	return true;
}

/* Copy a text into the first chunk.  Return: the copy, or NULL if there is no room. */
static const char *kma_names_put(struct kma_names *names, const char *text)
{
	struct kma_names_chunk *chunk;
	ssize_t len;
	char *copy;

	if (list_empty(&names->chunks))
		return NULL;
	chunk = list_first_entry(&names->chunks, struct kma_names_chunk, list);
	copy = chunk->text + names->used;
	len = strscpy(copy, text, sizeof(chunk->text) - names->used);
	if (len < 0)
		return NULL;
	names->used += len + 1;
	return copy;
}

const char *kma_names_add(struct kma_names *names, const char *text)
{
	const char *copy = kma_names_put(names, text);

	return copy || !kma_names_grow(names) ? copy : kma_names_put(names, text);
}

/* Marks a name that kma_names_need() has asked for, and that has not been looked up yet. */
static const char kma_name_needed[] = "";

void kma_names_need(struct kma_names *names, u32 id)
{
	if (!names->site[id])
		names->site[id] = kma_name_needed;
}

bool kma_names_needs(const struct kma_names *names, u32 id)
{
	return names->site[id] == kma_name_needed;
}

u32 kma_names_rows(const struct kma_names *names)
{
	return names->rows;
}

const char *kma_names_site(struct kma_names *names, u32 id)
{
	const char *known;

	if (!names->site[id] || kma_names_needs(names, id)) {
		known = kma_symbol_known(names->sites, id);
		if (!known) {
			kma_symbol_name(names->sites, id, names->buf);
			known = names->buf;
		}
		names->site[id] = kma_names_add(names, known);
	}
	return names->site[id];
}

/* Only one row needs each stack, so the result is not remembered. */
const char *kma_names_stack(struct kma_names *names, u32 id)
{
	kma_symbol_stack(names->sites, id, names->buf);
	return kma_names_add(names, names->buf);
}

const char *kma_names_known(const struct kma_names *names, u32 id)
{
	return names->site[id];
}

/* kmalloc events do not contain the name of the cache: make it from the size. */
static void kma_kmalloc_name(char *buf, size_t len, u32 size)
{
	const char *large = size > KMALLOC_MAX_CACHE_SIZE ? "large-" : "";

	if (size < SZ_1K || size % SZ_1K)
		snprintf(buf, len, "kmalloc-%s%u", large, size);
	else
		snprintf(buf, len, "kmalloc-%s%uk", large, size / SZ_1K);
}

void kma_names_print_cache(const struct kma_sitetab *t, u32 id, char *buf, size_t size)
{
	const struct kma_cache_info *info = &t->caches.info[t->info[id].cache];

	if (info->name[0])
		strscpy(buf, info->name, size);
	else
		kma_kmalloc_name(buf, size, info->size);
}

const char *kma_names_cache(struct kma_names *names, u32 id)
{
	int cache = names->sites->info[id].cache;

	if (!names->cache[cache]) {
		kma_names_print_cache(names->sites, id, names->buf, sizeof(names->buf));
		names->cache[cache] = kma_names_add(names, names->buf);
	}
	return names->cache[cache];
}

const char *kma_names_cache_site(struct kma_names *names, u32 id)
{
	const char *cache = kma_names_cache(names, id), *site = kma_names_site(names, id);

	if (!cache || !site)
		return NULL;
	snprintf(names->buf, sizeof(names->buf), "%s;%s", cache, site);
	return kma_names_add(names, names->buf);
}
