// SPDX-License-Identifier: GPL-2.0
/* Giving numbers to keys.  See the overview in idtab.h. */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "idtab.h"
#include "stack.h"

/*
 * Tags: a slot is free, claimed by a probe that is writing the record, or not used because its
 * number is reserved.  All other tags are bits of the key's hash.  Bit 31 is set in the tags of
 * numbers in use, in which bit 30 is a bit of the hash.  In the tags of numbers that leave, bit 30
 * is set, and bit 31 is clear, so that look-ups do not find them.
 */
#define KMA_TAG_FREE		0U
#define KMA_TAG_BUSY		1U
#define KMA_TAG_RESERVED	2U
#define KMA_TAG_IN_USE		BIT(31)
#define KMA_TAG_LEAVING		BIT(30)
#define KMA_TAG_FLAGS		(KMA_TAG_IN_USE | KMA_TAG_LEAVING)

u64 kma_idtab_bytes(u32 nr, u32 bytes)
{
	return (u64)nr * (sizeof(u32) + sizeof(u8) + bytes);
}

int kma_idtab_init(struct kma_idtab *t, u32 nr, u32 reserved, u32 words, u32 bytes)
{
	u32 i;

	*t = (struct kma_idtab) {
		.nr = nr, .reserved = reserved, .words = words, .bytes = bytes,
	};
	t->tag = kma_env_zalloc(nr * sizeof(t->tag[0]));
	t->mark = kma_env_zalloc(nr * sizeof(t->mark[0]));
	t->record = kma_env_zalloc((size_t)nr * bytes);
	if (!t->tag || !t->mark || !t->record) {
		kma_idtab_destroy(t);
		return -ENOMEM;
	}
	for (i = 0; i < reserved; i++)
		t->tag[i] = KMA_TAG_RESERVED;
	return 0;
}

void kma_idtab_destroy(struct kma_idtab *t)
{
	kma_env_free(t->tag);
	kma_env_free(t->mark);
	kma_env_free(t->record);
	memset(t, 0, sizeof(*t));
}

static void *kma_id_at(const struct kma_idtab *t, u32 id)
{
	return t->record + (size_t)id * t->bytes;
}

static u64 kma_id_hash(const struct kma_idtab *t, const u64 *key)
{
	u64 hash = 0;
	u32 i;

	for (i = 0; i < t->words; i++)
		hash = kma_stack_mix(hash, key[i]);
	return hash;
}

/* The tag of a key in use.  For place 0, kma_id_group() uses other bits of the hash. */
static u32 kma_id_tag(u64 hash)
{
	return (u32)(hash >> 32) | KMA_TAG_IN_USE;
}

/* The first slot of the group that is place number @place of a key. */
static u32 kma_id_group(const struct kma_idtab *t, u64 hash, int place)
{
	return ((u32)(hash >> 13 * place) * KMA_ID_GROUP) & (t->nr - 1);
}

static u32 kma_tag_leaving(u32 tag)
{
	return (tag & ~KMA_TAG_IN_USE) | KMA_TAG_LEAVING;
}

static u32 kma_id_find(const struct kma_idtab *t, const u64 *key, u64 hash, u32 tag)
{
	u32 first, i;
	int place;

	for (place = 0; place < KMA_ID_PLACES; place++) {
		first = kma_id_group(t, hash, place);
		for (i = first; i < first + KMA_ID_GROUP; i++)
			/* Pairs with the release in kma_idtab_add(). */
			if (smp_load_acquire(&t->tag[i]) == tag &&
			    !memcmp(kma_id_at(t, i), key, t->words * sizeof(*key)))
				return i;
	}
	return KMA_ID_NONE;
}

u32 kma_idtab_find(const struct kma_idtab *t, const u64 *key)
{
	const u64 hash = kma_id_hash(t, key);

	return kma_id_find(t, key, hash, kma_id_tag(hash));
}

u32 kma_idtab_find_leaving(const struct kma_idtab *t, const u64 *key)
{
	const u64 hash = kma_id_hash(t, key);

	return kma_id_find(t, key, hash, kma_id_tag(hash)) ?:
	       kma_id_find(t, key, hash, kma_tag_leaving(kma_id_tag(hash)));
}

/* Claim a free slot for a key; return its index, or KMA_ID_NONE. */
static u32 kma_id_claim(struct kma_idtab *t, u64 hash)
{
	u32 first, i;
	int place;

	for (place = 0; place < KMA_ID_PLACES; place++) {
		first = kma_id_group(t, hash, place);
		for (i = first; i < first + KMA_ID_GROUP; i++)
			/* The cmpxchg pairs with the release in kma_idtab_finish(). */
			if (READ_ONCE(t->tag[i]) == KMA_TAG_FREE &&
			    cmpxchg(&t->tag[i], KMA_TAG_FREE, KMA_TAG_BUSY) == KMA_TAG_FREE)
				return i;
	}
	return KMA_ID_NONE;
}

u32 kma_idtab_add(struct kma_idtab *t, const void *record)
{
	const u64 hash = kma_id_hash(t, record);
	const u32 id = kma_id_claim(t, hash);

	if (id == KMA_ID_NONE)
		return id;
	memcpy(kma_id_at(t, id), record, t->bytes);
	/* Pairs with the acquires in kma_idtab_find() and kma_idtab_record(). */
	smp_store_release(&t->tag[id], kma_id_tag(hash));
	atomic_inc(&t->used);
	return id;
}

void *kma_idtab_record(const struct kma_idtab *t, u32 id)
{
	if (id >= t->nr)
		return NULL;
	/* Pairs with the release in kma_idtab_add(). */
	return smp_load_acquire(&t->tag[id]) & KMA_TAG_FLAGS ? kma_id_at(t, id) : NULL;
}

/* ---- the search for numbers that nothing refers to -------------------------------- */

void kma_idtab_unmark(struct kma_idtab *t)
{
	memset(t->mark, 0, t->nr * sizeof(t->mark[0]));
}

bool kma_idtab_mark(struct kma_idtab *t, u32 id)
{
	const bool new = !t->mark[id];

	t->mark[id] = 1;
	return new;
}

u32 kma_idtab_leave(struct kma_idtab *t)
{
	u32 id, tag, nr = 0;

	for (id = 0; id < t->nr; id++) {
		tag = READ_ONCE(t->tag[id]);
		if (!(tag & KMA_TAG_IN_USE) || t->mark[id])
			continue;
		WRITE_ONCE(t->tag[id], kma_tag_leaving(tag));
		nr++;
	}
	return nr;
}

u32 kma_idtab_finish(struct kma_idtab *t)
{
	u32 id, nr = 0;

	for (id = 0; id < t->nr; id++) {
		if ((READ_ONCE(t->tag[id]) & KMA_TAG_FLAGS) != KMA_TAG_LEAVING)
			continue;
		if (t->mark[id]) {
			WRITE_ONCE(t->tag[id], kma_id_tag(kma_id_hash(t, kma_id_at(t, id))));
			continue;
		}
		/* Pairs with the cmpxchg in kma_id_claim(). */
		smp_store_release(&t->tag[id], KMA_TAG_FREE);
		atomic_dec(&t->used);
		nr++;
	}
	return nr;
}
