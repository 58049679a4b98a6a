// SPDX-License-Identifier: GPL-2.0
/* `allocs`: the live objects, with a row for each. */
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/pfn.h>
#include <linux/preempt.h>

#include "../state.h"
#include "seqtab.h"

enum {
#define X(name, ...) KMA_ALLOC_##name,
	KMA_ALLOCS_COLUMNS(X)
#undef X
};

/*
 * An object, copied from the live table.  What its row stands for is copied, too: the row may be
 * used for something else once the object has been freed.
 */
struct kma_alloc {
	unsigned long ptr;
	u32 bytes_req;
	u32 time;
	u32 tgid;
	u16 row;
	u16 cpu;
	u16 cache;
	u16 owner;
	u8 shift;
};

static const struct kma_cache_info *kma_alloc_cache(const struct kma_alloc *a)
{
	return &kma_core.sites.caches.info[a->cache];
}

/*
 * The node of the object's memory, which may differ from the node that was asked for;
 * KMA_NO_ID if the memory has been removed.  Removed memory may still have a struct page, but
 * nothing in it is valid.
 */
static u64 kma_alloc_node(const struct kma_alloc *a)
{
	struct page *page = NULL;

	if (virt_addr_valid((void *)a->ptr))
		page = pfn_to_online_page(PHYS_PFN(__pa(a->ptr)));
	return page ? page_to_nid(page) : KMA_NO_ID;
}

static u64 kma_alloc_weight(const struct kma_alloc *a)
{
	return kma_sample_weight(kma_alloc_cache(a)->size, a->shift);
}

static u64 kma_alloc_value(const struct kma_snapshot *snap, const void *row,
			   int column)
{
	const struct kma_alloc *a = row;

	switch (column) {
	case KMA_ALLOC_ptr:
		return a->ptr;
	case KMA_ALLOC_bytes_req:
		return kma_alloc_cache(a)->object_size ?: a->bytes_req;
	case KMA_ALLOC_bytes_alloc:
		return kma_alloc_cache(a)->size;
	case KMA_ALLOC_age_ms:
		return kma_env_age_ms(snap->now, a->time);
	case KMA_ALLOC_cpu:
		return a->cpu;
	case KMA_ALLOC_node:
		return kma_alloc_node(a);
	case KMA_ALLOC_owner:
		return a->owner == KMA_OWNER_NONE ? KMA_NO_ID : a->owner;
	case KMA_ALLOC_weight:
		return kma_estimate_round(kma_weigh(1000, kma_alloc_weight(a)));
	default:
		return a->tgid ?: KMA_NO_ID;
	}
}

static const char *kma_alloc_label(const struct kma_snapshot *snap,
				   const void *row)
{
	const struct kma_alloc *a = row;

	return kma_names_known(snap->names, a->row);
}

static void kma_alloc_add(struct kma_snapshot *snap, unsigned long ptr,
			  const struct kma_entry *entry)
{
	const struct kma_site_info *info = &kma_core.sites.info[entry->row];
	struct kma_alloc *a = kma_snapshot_add(snap);

	if (!a) {
		snap->cut++;
		return;
	}
	kma_names_need(snap->names, entry->row);
	*a = (struct kma_alloc) {
		.ptr = ptr,
		.bytes_req = entry->bytes_req,
		.time = entry->time,
		.tgid = kma_entry_tgid(entry),
		.row = entry->row,
		.cpu = entry->cpu,
		.cache = info->cache,
		.owner = kma_entry_owner(entry),
		.shift = READ_ONCE(info->shift),
	};
}

static bool kma_allocs_stale(unsigned long ptr, const struct kma_entry *entry)
{
	bool stale;

	/* kma_memhotplug_add() waits for this before it frees an array of page generations. */
	preempt_disable();
	stale = kma_objtab_stale(&kma_core.obj, ptr, entry);
	preempt_enable();
	return stale;
}

static void kma_allocs_copy(struct kma_snapshot *snap, const struct kma_bucket *b)
{
	struct kma_entry entry;
	unsigned long ptr;
	int i;

	for (i = 0; i < KMA_SLOTS; i++) {
		ptr = kma_objtab_read(b, i, &entry);
		if (ptr && !kma_allocs_stale(ptr, &entry))
			kma_alloc_add(snap, ptr, &entry);
	}
}

static size_t kma_allocs_count(const struct kma_bucket *b)
{
	size_t nr = 0;
	int i;

	for (i = 0; i < KMA_SLOTS; i++)
		nr += READ_ONCE(b->key[i]) > KMA_BUSY;
	return nr;
}

/* Walk the table twice: first to count the objects, then to copy them. */
static int kma_allocs_fill(struct kma_snapshot *snap)
{
	const struct kma_objtab *t = &kma_core.obj;
	u64 i, buckets = kma_objtab_buckets(t);
	size_t nr = 0;
	int ret = 0;

	snap->names = kma_names_new(&kma_core.sites);
	if (!snap->names)
		return -ENOMEM;
	for (i = 0; !ret && i < buckets; i++) {
		nr += kma_allocs_count(kma_objtab_bucket(t, i));
		ret = kma_snapshot_pause(snap);
	}
	if (ret)
		return ret;
	/* Leave room for objects that are added between the two walks. */
	if (kma_snapshot_room(snap, nr + nr / 8 + 1024))
		return -ENOMEM;
	for (i = 0; !ret && i < buckets; i++) {
		kma_allocs_copy(snap, kma_objtab_bucket(t, i));
		ret = kma_snapshot_pause(snap);
	}
	return ret ?: kma_snapshot_name_sites(snap);
}

const struct kma_table_ops kma_allocs_ops = {
	.row_size = sizeof(struct kma_alloc),
	.sort = { .key = { KMA_ALLOC_age_ms }, .nr = 1 },
	.fill = kma_allocs_fill,
	.value = kma_alloc_value,
	.label = kma_alloc_label,
};
