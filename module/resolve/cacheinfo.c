// SPDX-License-Identifier: GPL-2.0
/* Find the name and the slot size in a struct kmem_cache.  See cacheinfo.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>

#include "cacheinfo.h"

/* Bytes of a struct kmem_cache that are searched: the struct is longer on all known kernels. */
#define KMA_SEARCH_BYTES	160
/* More objects than any slab of the two caches holds. */
#define KMA_SEARCH_OBJECTS	256
#define KMA_OFFSET_NONE		-1

static int kma_name_offset = KMA_OFFSET_NONE;
static int kma_size_offset = KMA_OFFSET_NONE;
int kma_cacheinfo_bytes_offset __read_mostly = KMA_OFFSET_NONE;
static int kma_flags_offset __read_mostly = KMA_OFFSET_NONE;
/* Offset of the pointer to the cache in the first struct page of a slab. */
static int kma_slab_offset = KMA_OFFSET_NONE;

/* A cache that the module creates, so that its name and sizes are known. */
struct kma_known {
	const char *name;
	unsigned int object_size;
	slab_flags_t flags;
	void (*ctor)(void *object);
	unsigned int slot_size;
	struct kmem_cache *cache;
	void *object;
};

static void kma_known_ctor(void *object)
{
}

/*
 * Neither cache may be merged with an existing cache: otherwise it would have the name of
 * that cache.  The first cache has a constructor, which prevents merging.  But the kobject of
 * such a cache has the same name, so the struct contains the name twice.  The kobject of the
 * second cache has another name.  This cache is not merged because no cache in use has its
 * flags.
 */
static struct kma_known kma_known[2] = {
	{
		.name = KBUILD_MODNAME "-lookup-a",
		.object_size = 824,
		.ctor = kma_known_ctor,
	}, {
		.name = KBUILD_MODNAME "-lookup-b",
		.object_size = 1500,
		.flags = SLAB_CACHE_DMA32 | SLAB_RECLAIM_ACCOUNT,
	},
};

static int kma_compare_addresses(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a;
	unsigned long y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

/*
 * Neighbours in a full slab are one slot apart, and no two objects are closer to each
 * other.  Return the slot size, or 0 if there was not enough memory.
 */
static unsigned int kma_measure_slot(struct kmem_cache *cache)
{
	unsigned long smallest = ULONG_MAX;
	unsigned long *object;
	int i, nr = 0;

	object = kcalloc(KMA_SEARCH_OBJECTS, sizeof(*object), GFP_KERNEL);
	if (!object)
		return 0;
	while (nr < KMA_SEARCH_OBJECTS) {
		object[nr] = (unsigned long)kmem_cache_alloc(cache, GFP_KERNEL);
		if (!object[nr])
			break;
		nr++;
	}
	sort(object, nr, sizeof(*object), kma_compare_addresses, NULL);
	for (i = 1; i < nr; i++)
		smallest = min(smallest, object[i] - object[i - 1]);
	for (i = 0; i < nr; i++)
		kmem_cache_free(cache, (void *)object[i]);
	kfree(object);
	return nr == KMA_SEARCH_OBJECTS ? smallest : 0;
}

static void kma_known_destroy(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(kma_known); i++) {
		if (kma_known[i].object)
			kmem_cache_free(kma_known[i].cache, kma_known[i].object);
		kmem_cache_destroy(kma_known[i].cache);
		kma_known[i].object = NULL;
		kma_known[i].cache = NULL;
		kma_known[i].slot_size = 0;
	}
}

static int kma_known_create(void)
{
	struct kma_known *k;

	for (k = kma_known; k < kma_known + ARRAY_SIZE(kma_known); k++) {
		k->cache = kmem_cache_create(k->name, k->object_size, 0,
					     k->flags, k->ctor);
		if (k->cache)
			k->slot_size = kma_measure_slot(k->cache);
		if (k->slot_size)
			k->object = kmem_cache_alloc(k->cache, GFP_KERNEL);
		if (!k->object)
			return -ENOMEM;
	}
	return 0;
}

static bool kma_name_is_at(const struct kma_known *k, int offset)
{
	char name[KMA_CACHE_NAME_LEN] = "";
	const char *at;

	/*
	 * The kernel's copy of the name is on the heap.  Do not even try to read from a word
	 * that is not an address: x86 warns about such reads.
	 */
	return !copy_from_kernel_nofault(&at, (char *)k->cache + offset, sizeof(at)) &&
	       virt_addr_valid(at) &&
	       !copy_from_kernel_nofault(name, at, strlen(k->name) + 1) &&
	       !strcmp(name, k->name);
}

static bool kma_size_is_at(const struct kma_known *k, int offset)
{
	unsigned int size;

	return !copy_from_kernel_nofault(&size, (char *)k->cache + offset,
					 sizeof(size)) &&
	       size == k->slot_size;
}

static bool kma_object_size_is_at(const struct kma_known *k, int offset)
{
	unsigned int size;

	return !copy_from_kernel_nofault(&size, (char *)k->cache + offset,
					 sizeof(size)) &&
	       size == k->object_size;
}

/* Here, @offset is in the struct page of the object's slab, not in the cache. */
static bool kma_slab_is_at(const struct kma_known *k, int offset)
{
	const struct page *page = virt_to_head_page(k->object);

	return offset < sizeof(*page) &&
	       *(unsigned long *)((char *)page + offset) == (unsigned long)k->cache;
}

/*
 * Return the offset at which @is_at is true for both caches, or KMA_OFFSET_NONE unless there is
 * exactly one.  Only the name may be at two offsets: with slab_nomerge on the command line,
 * every kobject has the name of its cache.  Then return the first.
 */
static int kma_search(bool (*is_at)(const struct kma_known *, int), int step)
{
	int offset, found = KMA_OFFSET_NONE;

	for (offset = 0; offset < KMA_SEARCH_BYTES; offset += step) {
		if (!is_at(&kma_known[0], offset) || !is_at(&kma_known[1], offset))
			continue;
		if (found == KMA_OFFSET_NONE)
			found = offset;
		else if (is_at != kma_name_is_at)
			return KMA_OFFSET_NONE;
	}
	return found;
}

static u32 kma_word_at(const struct kmem_cache *cache, int offset)
{
	return *(const u32 *)((const char *)cache + offset);
}

/*
 * Whether the flags are at an offset.  @charged differs from the first known cache only in
 * SLAB_ACCOUNT.  The flags of the second known cache are known, too.
 */
static bool kma_flags_are_at(const struct kmem_cache *charged, int offset)
{
	const u32 bit = (__force u32)SLAB_ACCOUNT, flags = (__force u32)kma_known[1].flags;
	const u32 word = kma_word_at(charged, offset), b = kma_word_at(kma_known[1].cache, offset);

	return bit && word & bit && (word ^ kma_word_at(kma_known[0].cache, offset)) == bit &&
	       (b & (flags | bit)) == flags;
}

static int kma_flags_search(const struct kmem_cache *charged)
{
	int offset, found = KMA_OFFSET_NONE;

	for (offset = 0; offset < KMA_SEARCH_BYTES; offset += sizeof(u32)) {
		if (!kma_flags_are_at(charged, offset))
			continue;
		if (found != KMA_OFFSET_NONE)
			return KMA_OFFSET_NONE;
		found = offset;
	}
	return found;
}

static int kma_flags_init(void)
{
	struct kmem_cache *charged = kmem_cache_create(KBUILD_MODNAME "-lookup-c",
						       kma_known[0].object_size, 0,
						       SLAB_ACCOUNT, kma_known_ctor);

	if (!charged)
		return -ENOMEM;
	kma_flags_offset = kma_flags_search(charged);
	kmem_cache_destroy(charged);
	return 0;
}

int kma_cacheinfo_init(void)
{
	int ret = kma_known_create();

	if (!ret) {
		kma_name_offset = kma_search(kma_name_is_at, sizeof(void *));
		kma_size_offset = kma_search(kma_size_is_at, sizeof(u32));
		kma_cacheinfo_bytes_offset = kma_cacheinfo_exact() ? kma_size_offset :
			kma_search(kma_object_size_is_at, sizeof(u32));
		kma_slab_offset = kma_search(kma_slab_is_at, sizeof(void *));
		ret = kma_flags_init();
	}
	kma_known_destroy();
	if (ret)
		pr_err("not enough memory\n");
	else if (!kma_cacheinfo_exact())
		pr_warn("cannot find the name and slot size in struct kmem_cache: tables show object sizes and no cache names\n");
	return ret;
}

bool kma_cacheinfo_exact(void)
{
	return kma_name_offset != KMA_OFFSET_NONE &&
	       kma_size_offset != KMA_OFFSET_NONE;
}

bool kma_cacheinfo_has_bytes(void)
{
	return kma_cacheinfo_bytes_offset != KMA_OFFSET_NONE;
}

bool kma_cacheinfo_has_slab(void)
{
	return kma_slab_offset != KMA_OFFSET_NONE && kma_cacheinfo_has_bytes();
}

bool kma_cacheinfo_has_flags(void)
{
	return kma_flags_offset != KMA_OFFSET_NONE;
}

bool kma_env_cache_is_charged(unsigned long cache)
{
	return kma_cacheinfo_has_flags() &&
	       kma_word_at((const struct kmem_cache *)cache, kma_flags_offset) &
		       (__force u32)SLAB_ACCOUNT;
}

/*
 * The number of bytes asked for is not enough to know what an object takes: kmalloc_nolock()
 * may return an object of the next larger size, and slab debugging makes slots larger.
 */
unsigned long kma_cacheinfo_object(const void *object)
{
	struct page *page = virt_to_head_page(object);

	if (unlikely(!PageSlab(page)))
		return page_size(page);
	return kma_cacheinfo_bytes(*(unsigned long *)((char *)page + kma_slab_offset));
}

/* Copy up to the NUL and not one byte further: the memory after it may not be readable. */
static void kma_copy_name(unsigned long cache, char name[KMA_CACHE_NAME_LEN])
{
	const char *at;
	int i;

	if (copy_from_kernel_nofault(&at, (void *)(cache + kma_name_offset),
				     sizeof(at)))
		return;
	for (i = 0; i < KMA_CACHE_NAME_LEN - 1; i++)
		if (copy_from_kernel_nofault(&name[i], at + i, 1) || !name[i])
			break;
	name[i] = '\0';
}

void kma_env_cache_info(unsigned long cache, u32 *size, u32 *object_size,
			char name[KMA_CACHE_NAME_LEN])
{
	*object_size = kmem_cache_size((struct kmem_cache *)cache);
	*size = *object_size;
	strscpy(name, "[unnamed]", KMA_CACHE_NAME_LEN);
	if (!kma_cacheinfo_exact())
		return;
	*size = *(u32 *)(cache + kma_size_offset);
	kma_copy_name(cache, name);
}
