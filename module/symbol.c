// SPDX-License-Identifier: GPL-2.0
/*
 * Names of call sites.
 *
 * A row knows its site by address.  The name is looked up when a table is
 * read, except for code that is about to go: the init text of a module once
 * its init is done, and all of a module that is unloaded.  Then the name is
 * looked up and kept, and the row retired, because the address may soon be
 * somebody else's.  Likewise a stack with such code in it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "kmemacct.h"

/* Names and stacks of retired rows, by number. Protected by kma_lock. */
static const char **kma_kept_name;
static const char **kma_kept_stack;

static const char kma_name_lost[] = "[unloaded]";

static_assert(KMA_SYMBOL_LEN >= KSYM_SYMBOL_LEN);

/* `symbol+0xoff/0xsize [module]` to `symbol+0xoff [module]`. */
static void kma_symbol_cut_size(char *name)
{
	char *plus = strstr(name, "+0x");
	char *slash = plus ? strchr(plus, '/') : NULL;

	if (slash)
		memmove(slash, slash + strcspn(slash, " "),
			strlen(slash + strcspn(slash, " ")) + 1);
}

static void kma_symbol_resolve(unsigned long site, char buf[KMA_SYMBOL_LEN])
{
	sprint_symbol(buf, site);
	/* Without a symbol that is the address, which is nobody's business. */
	if (!strncmp(buf, "0x", 2))
		strscpy(buf, "[unknown]", KMA_SYMBOL_LEN);
	else
		kma_symbol_cut_size(buf);
}

void kma_symbol_name(u32 id, char buf[KMA_SYMBOL_LEN])
{
	const struct kma_site_info *info = kma_sitetab_info(&kma_core.sites, id);

	lockdep_assert_held(&kma_lock);
	if (!info->site)
		strscpy(buf, "[other]", KMA_SYMBOL_LEN);
	else if (kma_kept_name[id])
		strscpy(buf, kma_kept_name[id], KMA_SYMBOL_LEN);
	else
		kma_symbol_resolve(info->site, buf);
}

void kma_symbol_stack(u32 id, char buf[KMA_STACK_LEN])
{
	const struct kma_site_info *info = kma_sitetab_info(&kma_core.sites, id);
	const unsigned long *frame;
	u32 i;

	lockdep_assert_held(&kma_lock);
	if (!info->nr_frames) {
		kma_symbol_name(id, buf);
		return;
	}
	if (kma_kept_stack[id]) {
		strscpy(buf, kma_kept_stack[id], KMA_STACK_LEN);
		return;
	}
	frame = kma_sitetab_frames(&kma_core.sites, id);
	for (i = info->nr_frames; i--; ) {
		kma_symbol_resolve(frame[i], buf);
		buf += strlen(buf);
		if (i)
			*buf++ = ';';
	}
}

/* What is to be kept of a row: its name, or its stack. */
static const char *kma_symbol_copy(u32 id, void (*print)(u32 id, char *buf))
{
	static char buf[KMA_STACK_LEN];

	print(id, buf);
	return kstrdup(buf, GFP_KERNEL) ?: kma_name_lost;
}

enum kma_fate {
	KMA_FATE_STAYS,
	KMA_FATE_GOES,
	KMA_FATE_GONE,
};

/* What a change of a module's state means for code at an address. */
static enum kma_fate kma_symbol_fate(unsigned long addr, const struct module *mod,
				     unsigned long state)
{
	switch (state) {
	case MODULE_STATE_COMING:
		/*
		 * Nothing of the module has run: this is of what was at this
		 * address before, and got past us (init code that went on
		 * asynchronously after its module was live).
		 */
		return within_module(addr, mod) ? KMA_FATE_GONE : KMA_FATE_STAYS;
	case MODULE_STATE_LIVE:
		return within_module_init(addr, mod) ? KMA_FATE_GOES : KMA_FATE_STAYS;
	case MODULE_STATE_GOING:
		return within_module(addr, mod) ? KMA_FATE_GOES : KMA_FATE_STAYS;
	default:
		return KMA_FATE_STAYS;
	}
}

/* That of a stack is that of any of its frames. */
static enum kma_fate kma_symbol_stack_fate(u32 id, u32 nr_frames,
					   const struct module *mod,
					   unsigned long state)
{
	const unsigned long *frame = kma_sitetab_frames(&kma_core.sites, id);
	enum kma_fate fate = KMA_FATE_STAYS;
	u32 i;

	for (i = 0; fate == KMA_FATE_STAYS && i < nr_frames; i++)
		fate = kma_symbol_fate(frame[i], mod, state);
	return fate;
}

/* Keep what a row is called by, if it is not kept and its code goes. */
static void kma_symbol_keep(u32 id, const char **kept, enum kma_fate fate,
			    void (*print)(u32 id, char *buf))
{
	if (*kept || fate == KMA_FATE_STAYS)
		return;
	*kept = fate == KMA_FATE_GONE ? kma_name_lost : kma_symbol_copy(id, print);
	kma_sitetab_retire(&kma_core.sites, id);
}

static int kma_symbol_notify(struct notifier_block *nb, unsigned long state,
			     void *mod)
{
	const struct kma_site_info *info;
	u32 id;

	mutex_lock(&kma_lock);
	for (id = 0; id < kma_core.sites.sites_max; id++) {
		info = kma_sitetab_info(&kma_core.sites, id);
		if (!info)
			continue;
		kma_symbol_keep(id, &kma_kept_stack[id],
				kma_symbol_stack_fate(id, info->nr_frames, mod, state),
				kma_symbol_stack);
		kma_symbol_keep(id, &kma_kept_name[id],
				kma_symbol_fate(info->site, mod, state),
				kma_symbol_name);
	}
	mutex_unlock(&kma_lock);
	return NOTIFY_DONE;
}

static struct notifier_block kma_symbol_notifier = {
	.notifier_call = kma_symbol_notify,
};

static void kma_kept_free(const char **kept)
{
	u32 id;

	for (id = 0; kept && id < kma_core.sites.sites_max; id++)
		if (kept[id] != kma_name_lost)
			kfree(kept[id]);
	vfree(kept);
}

int kma_symbol_start(u32 rows)
{
	int ret = -ENOMEM;

	kma_kept_name = vzalloc(rows * sizeof(kma_kept_name[0]));
	kma_kept_stack = vzalloc(rows * sizeof(kma_kept_stack[0]));
	if (!kma_kept_name || !kma_kept_stack) {
		pr_err("not enough memory\n");
		goto free;
	}
	ret = register_module_notifier(&kma_symbol_notifier);
	if (!ret)
		return 0;
	pr_err("cannot watch modules: error %d\n", ret);
free:
	vfree(kma_kept_name);
	vfree(kma_kept_stack);
	return ret;
}

void kma_symbol_stop(void)
{
	unregister_module_notifier(&kma_symbol_notifier);
	kma_kept_free(kma_kept_name);
	kma_kept_free(kma_kept_stack);
}
