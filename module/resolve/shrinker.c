// SPDX-License-Identifier: GPL-2.0
/* Shrinkers, told apart by instance.  See shrinker.h. */
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kdev_t.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <linux/shrinker.h>
#include <linux/string.h>

#include "../compat.h"
#include "../countmaps.h"
#include "../state.h"
#include "shrinker.h"
#include "symbol.h"

/* The function that scans the shrinker of each file system.  It is not exported. */
static unsigned long kma_shrinker_super;

#ifdef KMA_HAVE_SHRINKER_ALLOC
static const struct shrinker *kma_shrinker_of(struct super_block *sb)
{
	return sb->s_shrink;
}

static const struct super_block *kma_shrinker_sb(const struct shrinker *s)
{
	return s->private_data;
}
#else
static const struct shrinker *kma_shrinker_of(struct super_block *sb)
{
	return &sb->s_shrink;
}

static const struct super_block *kma_shrinker_sb(const struct shrinker *s)
{
	return container_of(s, struct super_block, s_shrink);
}
#endif

void kma_shrinker_start(void)
{
	struct path root;

	get_fs_root(current->fs, &root);
	kma_shrinker_super = (unsigned long)kma_shrinker_of(root.mnt->mnt_sb)->scan_objects;
	path_put(&root);
}

/* For most file systems without a device, s_id is the type.  The device number tells them apart. */
static void kma_shrinker_describe(struct kma_countmap_info *info, const struct super_block *sb)
{
	const char *type = sb ? sb->s_type->name : "";

	if (sb && strcmp(sb->s_id, type))
		snprintf(info->text, sizeof(info->text), "%s:%s", type, sb->s_id);
	else if (sb)
		snprintf(info->text, sizeof(info->text), "%s:%u:%u", type, MAJOR(sb->s_dev),
			 MINOR(sb->s_dev));
}

/* A word that differs between file systems whose super blocks had the same address. */
static u64 kma_shrinker_identity(const struct super_block *sb)
{
	u64 word = (unsigned long)sb->s_type ^ sb->s_dev;
	size_t i;

	for (i = 0; i < sizeof(sb->s_id) && sb->s_id[i]; i++)
		word = (word ^ (u8)sb->s_id[i]) * 0x9e3779b97f4a7c15ULL;
	return word;
}

/* Find or make the row of all shrinkers of a function that have no row of their own. */
static u32 kma_shrinker_other(struct kma_countmap *t, u64 function)
{
	const struct kma_countmap_info info = {
		.key = { { [KMA_SHRINKER_SCAN] = function } },
	};

	return kma_countmap_get_reserved(t, &info);
}

u64 kma_shrinker_get(const struct shrinker *shrinker)
{
	struct kma_countmap *t = rcu_dereference(kma_countmaps[KMA_COUNTMAP_SHRINKERS]);
	const unsigned long scan = (unsigned long)shrinker->scan_objects;
	const struct super_block *sb = scan != kma_shrinker_super ? NULL :
				       kma_shrinker_sb(shrinker);
	/* A shrinker that cannot scan is named after the function that counts. */
	const unsigned long function = scan ?: (unsigned long)shrinker->count_objects;
	struct kma_countmap_info info = {
		.key = { { (unsigned long)shrinker, function + 1,
			   sb ? kma_shrinker_identity(sb) : 0 } },
	};
	u32 id;

	if (!t)
		return 0;
	id = kma_countmap_find(t, &info.key);
	if (id == KMA_COUNTMAP_OTHER && kma_countmap_has_room(t)) {
		kma_shrinker_describe(&info, sb);
		id = kma_countmap_get(t, &info);
	} else if (id == KMA_COUNTMAP_OTHER) {
		kma_stat_inc(countmap_other);
		id = kma_shrinker_other(t, function + 1);
	}
	return kma_countmap_ref(t, id);
}

/* Whether a row was made by kma_shrinker_other(). */
static bool kma_shrinker_is_other(const struct kma_countmap_info *info)
{
	return !info->key.word[0];
}

static enum kma_countmap_fate kma_shrinker_fate(const struct kma_countmap_info *info)
{
	return kma_shrinker_is_other(info) ? KMA_COUNTMAP_KEPT : KMA_COUNTMAP_IN_USE;
}

static u32 kma_shrinker_heir(struct kma_countmap *t, const struct kma_countmap_info *info,
			     bool gone)
{
	return kma_shrinker_other(t, info->key.word[KMA_SHRINKER_SCAN]);
}

const struct kma_countmap_policy kma_shrinker_policy = {
	.fate = kma_shrinker_fate, .heir = kma_shrinker_heir,
};

/* Remove the offset from a symbol: `symbol+0xoffset [module]`. */
static void kma_shrinker_function(char *name)
{
	char *offset = strchr(name, '+');

	if (offset)
		memmove(offset, offset + strcspn(offset, " "),
			strlen(offset + strcspn(offset, " ")) + 1);
}

/* Make a number from the id and the generation of a row, so that no later row has the same one. */
static u64 kma_shrinker_nr(const struct kma_countmap *t, u32 id)
{
	/* CPUs that saw the shrinker at the same time may have made several rows. */
	const u32 first = kma_countmap_first(t, id);

	return first + (u64)(t->info[first].gen / 2) * t->rows;
}

void kma_shrinker_name(const struct kma_countmap *t, u32 id, char *buf, size_t size)
{
	const struct kma_countmap_info *info = kma_countmap_info(t, id);
	/* Protected by kma_lock. */
	static char name[KMA_SYMBOL_LEN];

	lockdep_assert_held(&kma_lock);
	if (!info) {
		strscpy(buf, "[other]", size);
		return;
	}
	if (info->retired)
		strscpy(name, info->text, sizeof(name));
	else
		kma_symbol_print(info->key.word[KMA_SHRINKER_SCAN], name);
	kma_shrinker_function(name);
	if (kma_shrinker_is_other(info))
		snprintf(buf, size, "%s [other]", name);
	else if (!info->retired && info->text[0])
		snprintf(buf, size, "%s %s", name, info->text);
	else
		snprintf(buf, size, "%s #%llu", name, kma_shrinker_nr(t, id));
}
