// SPDX-License-Identifier: GPL-2.0
/* The filter: testing, parsing, setting and printing its criteria.  See filter.h. */
#include <linux/cgroup.h>
#include <linux/ctype.h>
#include <linux/glob.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/nodemask.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/tracepoint.h>

#include "../../include/kmemacct_settings.h"
#include "../compat.h"
#include "../core/env.h"
#include "../core/pagealloc.h"
#include "../error.h"
#include "../resolve/cacheinfo.h"
#include "../state.h"
#include "addrcache.h"
#include "filter.h"
#include "gfp.h"
#include "skip.h"

enum kma_criterion {
#define X(name, range, help) KMA_FILTER_##name,
	KMA_CRITERIA(X)
#undef X
	KMA_FILTER_NR
};

#define KMA_FILTER_TASK (BIT(KMA_FILTER_tgid) | BIT(KMA_FILTER_comm) | BIT(KMA_FILTER_cgroup))

/* Size of the buffer for the text of a value, NUL included. */
#define KMA_FILTER_LEN	256

struct kma_range {
	u64 min;
	u64 max;
};

/**
 * struct kma_filter - a filter
 * @set: bit mask of the criteria that are set; the other members are valid for these only
 * @tgid: the process
 * @cgroup: processes of this cgroup and of all cgroups below it pass; a reference is held
 * @order: range of the order of page allocations
 * @node: the node of the memory
 * @gfp: gfp flags, all of which must be set
 * @size: range of the size, in bytes
 * @module: caches whether a call site is in the module
 * @text: each value as the user wrote it; the criteria comm and module are tested against it
 */
struct kma_filter {
	u32 set;
	pid_t tgid;
	struct cgroup *cgroup;
	struct kma_range order;
	int node;
	u32 gfp;
	struct kma_range size;
	struct kma_addrcache module;
	char text[KMA_FILTER_NR][KMA_FILTER_LEN];
};

/* Writers hold kma_lock. */
struct kma_filter __rcu *kma_filter;

/* Switches the mode of the probes.  Not NULL once a filter can be set. */
static void (*kma_filter_changed)(void);

/* Criteria set at any time since the last reset, and since load.  Protected by kma_lock. */
static u32 kma_filter_reset_set;
static u32 kma_filter_load_set;

/* ---- the tests ---------------------------------------------------------------------- */

static bool kma_filter_has(const struct kma_filter *s, enum kma_criterion c)
{
	return s->set & BIT(c);
}

static bool kma_range_has(const struct kma_range *range, u64 value)
{
	return value >= range->min && value <= range->max;
}

/* Whether the current context passes the filter.  Called under rcu_read_lock(). */
static bool kma_filter_current(const struct kma_filter *s)
{
	if (!(s->set & KMA_FILTER_TASK))
		return true;
	if (!in_task())
		return false;
	if (kma_filter_has(s, KMA_FILTER_tgid) && current->tgid != s->tgid)
		return false;
	if (kma_filter_has(s, KMA_FILTER_comm) &&
	    !glob_match(s->text[KMA_FILTER_comm], current->comm))
		return false;
	return !kma_filter_has(s, KMA_FILTER_cgroup) ||
	       cgroup_is_descendant(task_dfl_cgroup(current), s->cgroup);
}

static bool kma_filter_node(const struct kma_filter *s, const struct page *page)
{
	return !kma_filter_has(s, KMA_FILTER_node) || page_to_nid(page) == s->node;
}

static bool kma_filter_flags(const struct kma_filter *s, u32 gfp)
{
	return !kma_filter_has(s, KMA_FILTER_gfp) || (gfp & s->gfp) == s->gfp;
}

static bool kma_filter_memory(const struct kma_filter *s, const struct page *page, u32 gfp)
{
	return kma_filter_node(s, page) && kma_filter_flags(s, gfp);
}

static bool kma_filter_orders(const struct kma_filter *s, unsigned int order)
{
	if (kma_filter_has(s, KMA_FILTER_order) && !kma_range_has(&s->order, order))
		return false;
	return !kma_filter_has(s, KMA_FILTER_size) ||
	       kma_range_has(&s->size, PAGE_SIZE << order);
}

/* KMA_SITE_UNKNOWN is not a kernel address, so it does not match any module. */
static bool kma_filter_site(const struct kma_filter *s, unsigned long site)
{
	return !kma_filter_has(s, KMA_FILTER_module) ||
	       ((long)site < 0 && kma_addrcache_get(&s->module, site));
}

static bool kma_filter_object_is(const struct kma_filter *s, const struct kma_event *ev)
{
	if (kma_filter_has(s, KMA_FILTER_size) &&
	    !kma_range_has(&s->size, kma_event_bytes(ev)))
		return false;
	return kma_filter_current(s) &&
	       kma_filter_memory(s, virt_to_page((void *)ev->ptr), ev->gfp) &&
	       (!kma_filter_has(s, KMA_FILTER_module) ||
		kma_filter_site(s, kma_env_object_site(ev->site) ?: ev->site));
}

bool kma_filter_object(const struct kma_event *ev)
{
	const struct kma_filter *s;
	bool ret;

	rcu_read_lock();
	s = rcu_dereference(kma_filter);
	ret = !s || kma_filter_object_is(s, ev);
	rcu_read_unlock();
	return ret;
}

static bool kma_filter_pagealloc_is(const struct kma_filter *s, const struct page *page,
				    unsigned int order, u32 gfp, unsigned long site)
{
	if (!kma_filter_orders(s, order) || !kma_filter_current(s) ||
	    !kma_filter_memory(s, page, gfp))
		return false;
	if (!site && kma_filter_has(s, KMA_FILTER_module))
		site = kma_env_page_site();
	return kma_filter_site(s, site);
}

bool kma_filter_pagealloc(const struct page *page, unsigned int order, gfp_t gfp,
			  unsigned long site)
{
	const struct kma_filter *s;
	bool ret;

	rcu_read_lock();
	s = rcu_dereference(kma_filter);
	ret = !s || kma_filter_pagealloc_is(s, page, order, (__force u32)gfp, site);
	rcu_read_unlock();
	return ret;
}

static bool kma_filter_failed_is(const struct kma_filter *s, const struct kma_filter_failure *f)
{
	if (f->order >= 0 && kma_filter_has(s, KMA_FILTER_order) &&
	    !kma_range_has(&s->order, f->order))
		return false;
	if (kma_filter_has(s, KMA_FILTER_size) && !kma_range_has(&s->size, f->bytes))
		return false;
	return kma_filter_current(s) && kma_filter_flags(s, f->gfp) && kma_filter_site(s, f->site);
}

bool kma_filter_failed(const struct kma_filter_failure *f)
{
	const struct kma_filter *s;
	bool ret;

	rcu_read_lock();
	s = rcu_dereference(kma_filter);
	ret = !s || kma_filter_failed_is(s, f);
	rcu_read_unlock();
	return ret;
}

static bool kma_filter_classify(const struct kma_addrcache *c, char *name)
{
	const struct kma_filter *s = container_of(c, struct kma_filter, module);
	char *module = strstr(name, " [");

	if (!module)
		/* An address without a symbol (0x...) is not known to be in the kernel. */
		return strncmp(name, "0x", 2) && !strcmp(s->text[KMA_FILTER_module], "kernel");
	module += 2;
	module[strcspn(module, "]")] = '\0';
	return !strcmp(s->text[KMA_FILTER_module], module);
}

bool kma_filter_pages(const struct page *page, int order)
{
	const struct kma_filter *s;
	bool ret = true;

	rcu_read_lock();
	s = rcu_dereference(kma_filter);
	if (s && order >= 0)
		ret = kma_filter_orders(s, order);
	if (s && ret)
		ret = kma_filter_current(s) && kma_filter_node(s, page);
	rcu_read_unlock();
	return ret;
}

void kma_filter_forget(void)
{
	const struct kma_filter *s =
		rcu_dereference_protected(kma_filter, lockdep_is_held(&kma_lock));

	if (s)
		kma_addrcache_clear(&s->module);
}

/* ---- parsing -------------------------------------------------------------------------- */

static int kma_parse_tgid(struct kma_filter *s, const char *text)
{
	return kstrtoint(text, 10, &s->tgid) || s->tgid < 1 || s->tgid > PID_MAX_LIMIT;
}

/* Refuse a text that is longer than any name, because it cannot match.  Patterns may be longer. */
static int kma_parse_comm(struct kma_filter *s, const char *text)
{
	return !kma_pattern_ends(text) ||
	       (strlen(text) >= TASK_COMM_LEN && !strpbrk(text, "*?[\\"));
}

static void kma_filter_put_cgroup(struct kma_filter *s)
{
	if (s->cgroup)
		cgroup_put(s->cgroup);
	s->cgroup = NULL;
}

static int kma_parse_cgroup(struct kma_filter *s, const char *text)
{
	struct cgroup *cgroup = *text == '/' ? cgroup_get_from_path(text) : ERR_PTR(-EINVAL);

	if (IS_ERR(cgroup))
		return -EINVAL;
	kma_filter_put_cgroup(s);
	s->cgroup = cgroup;
	return 0;
}

/* A number with this many digits fits into 64 bits, even with a unit. */
#define KMA_FILTER_DIGITS	12

static const char *kma_parse_number(const char *text, const char *units, u64 *value)
{
	const char *end = text;

	for (*value = 0; isdigit(*end); end++)
		*value = *value * 10 + (*end - '0');
	if (end == text || end - text > KMA_FILTER_DIGITS)
		return NULL;
	if (*end && strchr(units, *end))
		*value <<= toupper(*end++) == 'K' ? 10 : 20;
	return end;
}

static int kma_parse_range(const char *text, const char *units, u64 most,
			   struct kma_range *range)
{
	text = kma_parse_number(text, units, &range->min);
	range->max = range->min;
	if (text && *text == '-')
		text = kma_parse_number(text + 1, units, &range->max);
	return !text || *text || range->min > range->max || range->max > most;
}

static int kma_parse_order(struct kma_filter *s, const char *text)
{
	return kma_parse_range(text, "", KMA_ORDER_MAX, &s->order);
}

static int kma_parse_node(struct kma_filter *s, const char *text)
{
	return kstrtoint(text, 10, &s->node) || s->node < 0 || s->node >= MAX_NUMNODES ||
	       !node_possible(s->node);
}

static int kma_parse_gfp(struct kma_filter *s, const char *text)
{
	return kma_gfp_parse(text, &s->gfp);
}

static int kma_parse_size(struct kma_filter *s, const char *text)
{
	return kma_parse_range(text, "KkMm", 1ULL << 40, &s->size);
}

/* Dashes stand for underscores: see kma_filter_value(). */
static int kma_parse_module(struct kma_filter *s, const char *text)
{
	const char *c;

	for (c = text; *c; c++)
		if (!isascii(*c) || (!isalnum(*c) && *c != '_' && *c != '-'))
			return -EINVAL;
	return c - text >= MODULE_NAME_LEN;
}

static const struct {
	const char *name;
	const char *takes;
	int (*parse)(struct kma_filter *s, const char *text);
} kma_criteria[] = {
#define X(name, range, help) { #name, range, kma_parse_##name },
	KMA_CRITERIA(X)
#undef X
};

/* ---- changes ---------------------------------------------------------------------------- */

static struct kma_filter *kma_filter_now(void)
{
	return rcu_dereference_protected(kma_filter, lockdep_is_held(&kma_lock));
}

static void kma_filter_free(struct kma_filter *s)
{
	if (!s)
		return;
	kma_filter_put_cgroup(s);
	kma_addrcache_destroy(&s->module);
	kma_small_free(s);
}

/* Copy a filter, in order to modify the copy.  If @from is NULL, make an empty filter. */
static struct kma_filter *kma_filter_copy(const struct kma_filter *from)
{
	struct kma_filter *s = kma_small_alloc(sizeof(*s));

	if (!s) {
		kma_refuse("filter: not enough memory");
		return NULL;
	}
	if (from)
		*s = *from;
	if (s->cgroup)
		css_get(&s->cgroup->self);
	s->module = (struct kma_addrcache) { .classify = kma_filter_classify };
	return s;
}

/* Replace the filter; @s may be NULL.  On return, no probe still uses the old filter. */
static void kma_filter_publish(struct kma_filter *s)
{
	struct kma_filter *before = kma_filter_now();

	if (!s && !before)
		return;
	rcu_assign_pointer(kma_filter, s);
	kma_filter_changed();
	tracepoint_synchronize_unregister();
	synchronize_rcu();
	kma_filter_free(before);
	kma_filter_reset_set |= s ? s->set : 0;
	kma_filter_load_set |= kma_filter_reset_set;
}

/* Publish a modified copy if modifying it was successful (@ret is 0); otherwise free it. */
static int kma_filter_finish(struct kma_filter *s, int ret)
{
	if (!ret && kma_filter_has(s, KMA_FILTER_module))
		ret = kma_addrcache_init(&s->module);
	if (ret == -ENOMEM)
		kma_refuse("filter: not enough memory");
	if (ret || !s->set) {
		kma_filter_free(s);
		s = NULL;
	}
	if (!ret)
		kma_filter_publish(s);
	return ret;
}

static int kma_filter_find(const char *name)
{
	int c;

	for (c = 0; c < KMA_FILTER_NR; c++)
		if (!strcmp(kma_criteria[c].name, name))
			return c;
	return -ENOENT;
}

static int kma_filter_value(struct kma_filter *s, enum kma_criterion c, const char *text)
{
	if (!strcmp(text, "off")) {
		if (c == KMA_FILTER_cgroup)
			kma_filter_put_cgroup(s);
		s->set &= ~BIT(c);
		return 0;
	}
	if (c == KMA_FILTER_size && !kma_cacheinfo_has_bytes())
		return kma_refuse("filter size: struct kmem_cache is not known: use order");
	if (!kma_printable(text, KMA_FILTER_LEN, true) || kma_criteria[c].parse(s, text))
		return kma_refuse("filter %s takes %s, or off, not '%s'",
				  kma_criteria[c].name, kma_criteria[c].takes, text);
	strscpy(s->text[c], text, KMA_FILTER_LEN);
	/* As modprobe does: a module `a-b` has the name a_b. */
	if (c == KMA_FILTER_module)
		strreplace(s->text[c], '-', '_');
	s->set |= BIT(c);
	return 0;
}

static int kma_filter_change(struct kma_filter *s, char *args)
{
	const char *name = strsep(&args, " ");
	const char *text = args ? skip_spaces(args) : "";
	int c = kma_filter_find(name);

	if (!strcmp(name, "off") && !*text) {
		s->set = 0;
		return 0;
	}
	if (c < 0)
		return kma_refuse("filter takes %s and a value, or off, not '%s'",
				  "tgid, comm, cgroup, order, node, gfp, size or module",
				  name);
	return kma_filter_value(s, c, text);
}

int kma_filter_run(char *args)
{
	struct kma_filter *s = kma_filter_copy(kma_filter_now());

	if (!s)
		return -ENOMEM;
	return kma_filter_finish(s, kma_filter_change(s, args));
}

int kma_filter_set(char *text)
{
	struct kma_filter *s = kma_filter_copy(NULL);
	char *change;
	int ret = 0;

	if (!s)
		return -ENOMEM;
	while (!ret && (change = strsep(&text, ";"))) {
		change = kma_strim(change);
		if (*change)
			ret = kma_filter_change(s, change);
	}
	return kma_filter_finish(s, ret);
}

void kma_filter_start(void (*changed)(void))
{
	kma_filter_changed = changed;
}

void kma_filter_stop(void)
{
	kma_filter_publish(NULL);
	kma_filter_reset_set = 0;
	kma_filter_load_set = 0;
}

/* ---- printing ----------------------------------------------------------------------------- */

void kma_filter_show(struct seq_file *seq)
{
	const struct kma_filter *s = kma_filter_now();
	int c;

	for (c = 0; c < KMA_FILTER_NR; c++)
		seq_printf(seq, "filter_%s %s\n", kma_criteria[c].name,
			   s && kma_filter_has(s, c) ? s->text[c] : "off");
}

int kma_filter_text(char *page)
{
	const struct kma_filter *s = kma_filter_now();
	int c, len = 0;

	for (c = 0; s && c < KMA_FILTER_NR; c++)
		if (kma_filter_has(s, c))
			len += sysfs_emit_at(page, len, "%s%s %s", len ? ";" : "",
					     kma_criteria[c].name, s->text[c]);
	if (!len)
		len = sysfs_emit(page, "off");
	return len + sysfs_emit_at(page, len, "\n");
}

u32 kma_filter_criteria(void)
{
	const struct kma_filter *s = kma_filter_now();

	return s ? s->set : 0;
}

void kma_filter_reset(void)
{
	kma_filter_reset_set = kma_filter_criteria();
}

u32 kma_filter_since(bool ever)
{
	lockdep_assert_held(&kma_lock);
	return ever ? kma_filter_load_set : kma_filter_reset_set;
}

void kma_filter_show_names(struct seq_file *seq, u32 set)
{
	const char *comma = "";
	int c;

	for (c = 0; c < KMA_FILTER_NR; c++) {
		if (!(set & BIT(c)))
			continue;
		seq_printf(seq, "%s%s", comma, kma_criteria[c].name);
		comma = ",";
	}
	if (!set)
		seq_puts(seq, "none");
}
