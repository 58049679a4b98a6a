// SPDX-License-Identifier: GPL-2.0
/*
 * Names of call sites.
 *
 * A row knows its site by address.  The name is looked up when a table is
 * read, except for code that is about to go: the init text of a module once
 * its init is done, and all of a module that is unloaded.  Then the name is
 * looked up and kept, and the row retired, because the address may soon be
 * somebody else's.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "kmemacct.h"

/* Names of retired rows, by number. Protected by kma_lock. */
static const char **kma_kept_name;

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

static void kma_symbol_keep(u32 id, const char *name)
{
	kma_kept_name[id] = name;
	kma_sitetab_retire(&kma_core.sites, id);
}

/* The name of a row, to be kept. */
static const char *kma_symbol_copy(u32 id)
{
	static char buf[KMA_SYMBOL_LEN];

	kma_symbol_name(id, buf);
	return kstrdup(buf, GFP_KERNEL) ?: kma_name_lost;
}

/*
 * What a change of a module's state means for a site: the name to keep, or NULL
 * if the site stays.
 */
static const char *kma_symbol_fate(u32 id, unsigned long site,
				   const struct module *mod,
				   unsigned long state)
{
	switch (state) {
	case MODULE_STATE_COMING:
		/*
		 * Nothing of the module has run: this is a site of what was at
		 * this address before, and got past us (init code that went on
		 * asynchronously after its module was live).
		 */
		return within_module(site, mod) ? kma_name_lost : NULL;
	case MODULE_STATE_LIVE:
		return within_module_init(site, mod) ? kma_symbol_copy(id) : NULL;
	case MODULE_STATE_GOING:
		return within_module(site, mod) ? kma_symbol_copy(id) : NULL;
	default:
		return NULL;
	}
}

static int kma_symbol_notify(struct notifier_block *nb, unsigned long state,
			     void *mod)
{
	const struct kma_site_info *info;
	const char *name;
	u32 id;

	mutex_lock(&kma_lock);
	for (id = 0; id < kma_core.sites.sites_max; id++) {
		info = kma_sitetab_info(&kma_core.sites, id);
		if (!info || kma_kept_name[id])
			continue;
		name = kma_symbol_fate(id, info->site, mod, state);
		if (name)
			kma_symbol_keep(id, name);
	}
	mutex_unlock(&kma_lock);
	return NOTIFY_DONE;
}

static struct notifier_block kma_symbol_notifier = {
	.notifier_call = kma_symbol_notify,
};

int kma_symbol_start(u32 rows)
{
	int ret;

	kma_kept_name = vzalloc(rows * sizeof(kma_kept_name[0]));
	if (!kma_kept_name) {
		pr_err("not enough memory\n");
		return -ENOMEM;
	}
	ret = register_module_notifier(&kma_symbol_notifier);
	if (ret) {
		pr_err("cannot watch modules: error %d\n", ret);
		vfree(kma_kept_name);
	}
	return ret;
}

void kma_symbol_stop(void)
{
	u32 id;

	unregister_module_notifier(&kma_symbol_notifier);
	for (id = 0; id < kma_core.sites.sites_max; id++)
		if (kma_kept_name[id] != kma_name_lost)
			kfree(kma_kept_name[id]);
	vfree(kma_kept_name);
	kma_kept_name = NULL;
}
