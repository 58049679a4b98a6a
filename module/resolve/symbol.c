// SPDX-License-Identifier: GPL-2.0
/* Names of call sites.  See symbol.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "../compat.h"
#include "../core/env.h"
#include "../core/pagealloc.h"
#include "../state.h"
#include "namecache.h"
#include "symbol.h"

/**
 * struct kma_kept - names and stacks that are kept for the retired rows of a table
 * @sites: the table
 * @name: names, by number of the row; NULL while the table does not exist
 * @stack: stacks, by number of the row; NULL if rows of this table have no stacks
 *
 * Protected by kma_lock.
 */
struct kma_kept {
	struct kma_sitetab *sites;
	const char **name;
	const char **stack;
};

static struct kma_kept kma_kept_objects = { .sites = &kma_core.sites };
static struct kma_kept kma_kept_pages = { .sites = &kma_pagealloc.sites };

static const struct kma_kept *kma_kept(const struct kma_sitetab *t)
{
	return t == kma_kept_objects.sites ? &kma_kept_objects : &kma_kept_pages;
}

static const char kma_name_lost[] = "[unloaded]";

static_assert(KMA_SYMBOL_LEN >= KSYM_SYMBOL_LEN);

/* Change `symbol+0xoff/0xsize [module]` to `symbol+0xoff [module]`. */
static void kma_symbol_cut_size(char *name)
{
	char *plus = strstr(name, "+0x");
	char *slash = plus ? strchr(plus, '/') : NULL;

	if (slash)
		memmove(slash, slash + strcspn(slash, " "),
			strlen(slash + strcspn(slash, " ")) + 1);
}

/*
 * A symbol in the area of modules that belongs to no module is a BPF program, or code that was
 * generated for one.  The name is that of the code at this address now.  Modules are not notified
 * when a BPF program is unloaded, so another program may have been here when the row was made.
 */
static bool kma_symbol_is_bpf(unsigned long site, const char *name)
{
	return kma_is_module_area(site) && !strchr(name, '[');
}

/* Look up a name in kallsyms.  Return: whether to keep it until the module notifier is called. */
static bool kma_symbol_lookup(unsigned long site, char buf[KMA_SYMBOL_LEN])
{
	size_t len;

	sprint_symbol(buf, site);
	/* Without a symbol the result is an address, which must not be shown. */
	if (!strncmp(buf, "0x", 2)) {
		strscpy(buf, "[unknown]", KMA_SYMBOL_LEN);
		return false;
	}
	kma_symbol_cut_size(buf);
	if (kma_symbol_is_bpf(site, buf)) {
		len = strlen(buf);
		strscpy(buf + len, " [bpf?]", KMA_SYMBOL_LEN - len);
		return false;
	}
	/* Trampolines of BPF, ftrace and kprobes come and go without notice, too. */
	return !strstarts(buf, "bpf_") && !strstarts(buf, "ftrace_") &&
	       !strstarts(buf, "kprobe_");
}

void kma_symbol_print(unsigned long site, char buf[KMA_SYMBOL_LEN])
{
	const char *known = kma_namecache_find(site);

	if (site == KMA_CLASS_WHOLE || site == KMA_CLASS_SAMPLED) {
		/* A row of a whole class has this in place of a call site: see core/pagealloc.h. */
		strscpy(buf, "-", KMA_SYMBOL_LEN);
	} else if (known) {
		strscpy(buf, known, KMA_SYMBOL_LEN);
	} else if (kma_symbol_lookup(site, buf)) {
		kma_namecache_add(site, buf);
	}
}

const char *kma_symbol_kept(const struct kma_sitetab *t, u32 id)
{
	lockdep_assert_held(&kma_lock);
	return kma_kept(t)->name[id];
}

const char *kma_symbol_known(const struct kma_sitetab *t, u32 id)
{
	const struct kma_site_info *info = &t->info[id];

	lockdep_assert_held(&kma_lock);
	if (!info->site)
		return "[other]";
	return kma_kept(t)->name[id] ?: kma_namecache_find(info->site);
}

void kma_symbol_name(const struct kma_sitetab *t, u32 id, char buf[KMA_SYMBOL_LEN])
{
	const char *known = kma_symbol_known(t, id);

	if (known)
		strscpy(buf, known, KMA_SYMBOL_LEN);
	else
		kma_symbol_print(t->info[id].site, buf);
}

void kma_symbol_look(const struct kma_sitetab *t, u32 id, char buf[KMA_SYMBOL_LEN])
{
	const unsigned long site = t->info[id].site;
	const char *kept;

	/* Rows [other] have no names that are kept. */
	if (!site) {
		strscpy(buf, "[other]", KMA_SYMBOL_LEN);
		return;
	}
	kept = READ_ONCE(kma_kept(t)->name[id]);
	if (kept)
		strscpy(buf, kept, KMA_SYMBOL_LEN);
	else
		kma_symbol_lookup(site, buf);
}

void kma_symbol_stack(const struct kma_sitetab *t, u32 id, char buf[KMA_STACK_LEN])
{
	const struct kma_site_info *info = &t->info[id];
	const struct kma_kept *kept = kma_kept(t);
	const unsigned long *frame;
	u32 i;

	lockdep_assert_held(&kma_lock);
	if (!info->nr_frames) {
		kma_symbol_name(t, id, buf);
		return;
	}
	if (kept->stack[id]) {
		strscpy(buf, kept->stack[id], KMA_STACK_LEN);
		return;
	}
	frame = kma_sitetab_frames(t, id);
	for (i = info->nr_frames; i--; ) {
		kma_symbol_print(frame[i], buf);
		buf += strlen(buf);
		if (i)
			*buf++ = ';';
	}
}

typedef void (*kma_symbol_row)(const struct kma_sitetab *t, u32 id, char *buf);

/* Return a copy of what @print prints for a row: its name or its stack. */
static const char *kma_symbol_copy(const struct kma_sitetab *t, u32 id,
				   kma_symbol_row print)
{
	static char buf[KMA_STACK_LEN];

	/* Thousands of stacks may have the same callers, so look up each name only once. */
	kma_namecache_start();
	print(t, id, buf);
	return kma_small_text(buf) ?: kma_name_lost;
}

/**
 * enum kma_fate - what happens to the code at an address
 * @KMA_FATE_STAYS: it stays
 * @KMA_FATE_GOES: it is about to be freed; its symbol can still be looked up
 * @KMA_FATE_GONE: it was freed; its symbol is lost
 */
enum kma_fate {
	KMA_FATE_STAYS,
	KMA_FATE_GOES,
	KMA_FATE_GONE,
};

/* Decide what a change of the state of a module means for the code at an address. */
static enum kma_fate kma_symbol_fate(unsigned long addr, const struct module *mod,
				     unsigned long state)
{
	switch (state) {
	case MODULE_STATE_COMING:
		/*
		 * No code of this module has run yet.  So the address belongs
		 * to earlier code whose end was missed: init code that was
		 * still running, asynchronously, after its module went live.
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

/* The fate of a stack is the fate of its first stack frame whose code does not stay. */
static enum kma_fate kma_symbol_stack_fate(const struct kma_sitetab *t, u32 id,
					   u32 nr_frames, const struct module *mod,
					   unsigned long state)
{
	enum kma_fate fate = KMA_FATE_STAYS;
	u32 i;

	for (i = 0; fate == KMA_FATE_STAYS && i < nr_frames; i++)
		fate = kma_symbol_fate(kma_sitetab_frames(t, id)[i], mod, state);
	return fate;
}

/* If the code of a row does not stay, keep the row's name or stack, and retire the row. */
static void kma_symbol_keep(struct kma_sitetab *t, u32 id, const char **kept,
			    enum kma_fate fate, kma_symbol_row print)
{
	if (*kept || fate == KMA_FATE_STAYS)
		return;
	*kept = fate == KMA_FATE_GONE ? kma_name_lost : kma_symbol_copy(t, id, print);
	kma_sitetab_retire(t, id);
}

static void kma_kept_change(const struct kma_kept *kept, const struct module *mod,
			    unsigned long state)
{
	struct kma_sitetab *t = kept->sites;
	const struct kma_site_info *info;
	u32 id;

	for (id = 0; kept->name && id < t->sites_max; id++) {
		cond_resched();
		info = kma_sitetab_info(t, id);
		if (!info)
			continue;
		if (kept->stack)
			kma_symbol_keep(t, id, &kept->stack[id],
					kma_symbol_stack_fate(t, id, info->nr_frames,
							      mod, state),
					kma_symbol_stack);
		kma_symbol_keep(t, id, &kept->name[id],
				kma_symbol_fate(info->site, mod, state),
				kma_symbol_name);
	}
}

void kma_symbol_change(const struct module *mod, unsigned long state)
{
	lockdep_assert_held(&kma_lock);
	kma_kept_change(&kma_kept_objects, mod, state);
	kma_kept_change(&kma_kept_pages, mod, state);
	/* Last, because kma_kept_change() uses the names. */
	kma_namecache_forget(mod);
}

void kma_symbol_change_map(enum kma_countmap_of of, int word, const struct module *mod,
			   unsigned long state)
{
	struct kma_countmap *t = kma_countmap_locked(of);
	static char buf[KMA_COUNTMAP_TEXT + KMA_SYMBOL_LEN];
	enum kma_fate fate;
	size_t len;
	u32 id;

	for (id = 1; t && id < t->rows; id++) {
		cond_resched();
		if (!kma_countmap_info(t, id) || t->info[id].retired)
			continue;
		fate = kma_symbol_fate(t->info[id].key.word[word], mod, state);
		if (fate == KMA_FATE_STAYS)
			continue;
		/* The text of a row of failures is the task, which stays in front of the name. */
		len = of == KMA_COUNTMAP_FAILURES ? strlen(t->info[id].text) : 0;
		memcpy(buf, t->info[id].text, len);
		strscpy(buf + len, kma_name_lost, sizeof(buf) - len);
		if (fate == KMA_FATE_GOES) {
			kma_namecache_start();
			kma_symbol_print(t->info[id].key.word[word], buf + len);
		}
		kma_countmap_retire(t, id, buf);
	}
}

static void kma_kept_free_one(const char **text)
{
	if (*text != kma_name_lost)
		kma_small_free(*text);
	*text = NULL;
}

void kma_symbol_forget(const struct kma_sitetab *t, u32 id)
{
	const struct kma_kept *kept = kma_kept(t);

	lockdep_assert_held(&kma_lock);
	kma_kept_free_one(&kept->name[id]);
	if (kept->stack)
		kma_kept_free_one(&kept->stack[id]);
}

static void kma_kept_free_all(const char **text, u32 rows)
{
	u32 id;

	for (id = 0; text && id < rows; id++) {
		kma_kept_free_one(&text[id]);
		cond_resched();
	}
	kma_env_free(text);
}

static void kma_kept_free(struct kma_kept *kept)
{
	kma_kept_free_all(kept->name, kept->sites->sites_max);
	kma_kept_free_all(kept->stack, kept->sites->sites_max);
	kept->name = NULL;
	kept->stack = NULL;
}

static int kma_kept_make(struct kma_kept *kept)
{
	const u32 rows = kept->sites->sites_max;

	kept->name = kma_env_zalloc(rows * sizeof(kept->name[0]));
	if (!kept->sites->pages)
		kept->stack = kma_env_zalloc(rows * sizeof(kept->stack[0]));
	if (kept->name && (kept->stack || kept->sites->pages))
		return 0;
	kma_kept_free(kept);
	return -ENOMEM;
}

u64 kma_symbol_forecast(void)
{
	return 2ULL * kma_config.sites_max * sizeof(char *);
}

u64 kma_symbol_pages_forecast(void)
{
	return (u64)kma_config.sites_max * sizeof(char *);
}

int kma_symbol_start(void)
{
	int ret = kma_kept_make(&kma_kept_objects);

	if (ret)
		pr_err("not enough memory\n");
	return ret;
}

void kma_symbol_stop(void)
{
	kma_namecache_stop();
	kma_kept_free(&kma_kept_objects);
}

int kma_symbol_pages_start(void)
{
	lockdep_assert_held(&kma_lock);
	return kma_kept_make(&kma_kept_pages);
}

void kma_symbol_pages_stop(void)
{
	lockdep_assert_held(&kma_lock);
	kma_kept_free(&kma_kept_pages);
}
