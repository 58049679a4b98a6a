// SPDX-License-Identifier: GPL-2.0
/* Incidents.  See incidents.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bits.h>
#include <linux/ctype.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "core/env.h"
#include "core/growth.h"
#include "core/owner.h"
#include "core/stall.h"
#include "error.h"
#include "incidents.h"
#include "report/seqtab.h"
#include "resolve/symbol.h"
#include "state.h"
#include "trace/owner.h"

struct kma_incident kma_incidents[KMA_INCIDENTS];
u64 kma_incidents_lost;
u64 kma_incidents_changes;
DECLARE_WAIT_QUEUE_HEAD(kma_incidents_wait);

static const struct kma_incident_ops *kma_incidents_tables;
static struct kma_arena kma_incidents_arena;

/* The worker must make progress while memory is short.  NULL while it is not prepared. */
static struct workqueue_struct *kma_incidents_queue;
static struct delayed_work kma_incidents_work;

/* ---- accepting causes ------------------------------------------------------ */

static void kma_incidents_changed(void)
{
	lockdep_assert_held(&kma_lock);
	WRITE_ONCE(kma_incidents_changes, kma_incidents_changes + 1);
	wake_up_all(&kma_incidents_wait);
}

/* An incident that is not in use; NULL if none is left for this trigger. */
static struct kma_incident *kma_incident_find_room(enum kma_trigger trigger)
{
	int i, same = 0;

	for (i = 0; i < KMA_INCIDENTS && kma_incidents[i].nr; i++)
		same += kma_incidents[i].cause.trigger == trigger;
	return i < KMA_INCIDENTS && same < KMA_INCIDENTS / 2 ? &kma_incidents[i] : NULL;
}

/* Print the path of a cgroup, without what would end a part of the label. */
static int kma_incident_print_cgroup(u64 id, char *buf, size_t size)
{
	const u32 nr = kma_idtab_find(&kma_cgroups, &id);
	const struct kma_cgroup *cgroup = nr == KMA_ID_NONE ? NULL :
					  kma_idtab_record(&kma_cgroups, nr);
	int len = scnprintf(buf, size, "%s", cgroup ? cgroup->path : "-");

	kma_label_clean(buf);
	strreplace(buf, ';', '?');
	return len;
}

static int kma_incident_print_site(unsigned long site, char *buf, size_t size)
{
	/* Protected by kma_lock. */
	static char name[KMA_SYMBOL_LEN];

	if (!site)
		return scnprintf(buf, size, "-");
	kma_symbol_print(site, name);
	return scnprintf(buf, size, "%s", name);
}

/* Print the name of a task, without what would end a line or a part of the label. */
static int kma_incident_print_comm(const char comm[TASK_COMM_LEN], char *buf, size_t size)
{
	int len = scnprintf(buf, size, "%.*s", TASK_COMM_LEN, comm), i;

	for (i = 0; i < len; i++)
		if (buf[i] == ';' || !isprint(buf[i]))
			buf[i] = '?';
	return len ?: scnprintf(buf, size, "-");
}

/* Print the call site, the cgroup or the victim. */
static int kma_incident_print_what(const struct kma_cause *cause, char *buf, size_t size)
{
	switch (cause->trigger) {
	case KMA_TRIGGER_CGROUP:
		return kma_incident_print_cgroup(cause->cgroup, buf, size);
	case KMA_TRIGGER_OOM:
		return kma_incident_print_comm(cause->victim, buf, size);
	default:
		return kma_incident_print_site(cause->site, buf, size);
	}
}

/* Names are looked up now, because the module at an address may be gone later. */
static void kma_incident_name(struct kma_incident *in)
{
	const struct kma_cause *cause = &in->cause;
	const size_t size = sizeof(in->label);
	int len = scnprintf(in->label, size, "%s;", kma_trigger_text(cause->trigger));
	u32 i;

	len += kma_incident_print_comm(cause->comm, in->label + len, size - len);
	len += scnprintf(in->label + len, size - len, ";");
	len += kma_incident_print_what(cause, in->label + len, size - len);
	for (i = 0; i < cause->nr_frames; i++) {
		len += scnprintf(in->label + len, size - len, "%c", i ? ',' : ';');
		len += kma_incident_print_site(cause->frame[i], in->label + len, size - len);
	}
}

static void kma_incident_begin(const struct kma_cause *cause)
{
	struct kma_incident *in = kma_incident_find_room(cause->trigger);

	if (!in || !in->text) {
		WRITE_ONCE(kma_incidents_lost, kma_incidents_lost + 1);
		return;
	}
	in->nr = in - kma_incidents + 1;
	in->cause = *cause;
	in->bytes = 0;
	in->before = 0;
	in->complete = false;
	kma_incident_name(in);
	kma_incidents_changed();
}

void kma_incidents_accept(void)
{
	struct kma_cause cause;
	int i;

	lockdep_assert_held(&kma_lock);
	for (i = 0; i < KMA_TRIGGER_NR; i++)
		if (kma_trigger_take(i, &cause))
			kma_incident_begin(&cause);
}

/* ---- the worker ------------------------------------------------------------ */

static size_t kma_incident_capture(struct kma_incident *in, enum kma_capture what, size_t from)
{
	const size_t end = KMA_INCIDENT_BYTES - (what == KMA_CAPTURE_NOW ? KMA_INCIDENT_PAST : 0);

	return from + kma_incidents_tables->capture(what, in->text + from, end - from);
}

/*
 * Let readers have the text up to @bytes.  If the incident was forgotten meanwhile, another one may
 * be in its place, whose cause came at another time.
 */
static void kma_incident_publish(struct kma_incident *in, u64 ns, size_t bytes, bool complete)
{
	kma_lock_take(KMA_LOCK_WORKER);
	if (in->nr && in->cause.ns == ns) {
		in->bytes = bytes;
		in->complete = complete;
		kma_incidents_changed();
	}
	kma_lock_release();
}

/* Fill the text of a new incident. */
static void kma_incident_fill(struct kma_incident *in, u64 ns)
{
	in->before = kma_incident_capture(in, KMA_CAPTURE_NOW, 0);
	kma_incident_publish(in, ns, kma_incident_capture(in, KMA_CAPTURE_PAST, in->before), false);
}

/* Replace what an incident has of earlier times, because more time has passed. */
static void kma_incident_complete(struct kma_incident *in, u64 ns)
{
	/* Only the worker changes @before, and each incident that is filled has its own. */
	const size_t before = in->before;

	kma_incident_publish(in, ns, before, false);
	kma_incident_publish(in, ns, kma_incident_capture(in, KMA_CAPTURE_PAST, before), true);
}

/* The time until an incident can be completed, in jiffies. */
static unsigned long kma_incident_wait(u64 ns)
{
	const u64 due = ns + KMA_INCIDENT_AFTER_S * (u64)NSEC_PER_SEC, now = ktime_get_ns();

	return now < due ? nsecs_to_jiffies(due - now) + 1 : 0;
}

/* Do what is due for an incident.  Returns the jiffies until more is due; 0 if nothing will be. */
static unsigned long kma_incident_turn(struct kma_incident *in)
{
	bool used, filled, complete;
	unsigned long wait;
	u64 ns;

	kma_lock_take(KMA_LOCK_WORKER);
	used = in->nr;
	filled = in->bytes;
	complete = in->complete;
	ns = in->cause.ns;
	kma_lock_release();
	if (!used || complete)
		return 0;
	if (!filled)
		kma_incident_fill(in, ns);
	wait = kma_incident_wait(ns);
	if (!wait)
		kma_incident_complete(in, ns);
	return wait;
}

/* ---- growth, cgroups and coverage --------------------------------------------------- */

static void kma_incidents_check_growth(void)
{
	const u64 *value = kma_triggers.value[KMA_TRIGGER_GROWTH];
	unsigned long site = 0;
	const u64 growth = kma_incidents_tables->growth(value[1], &site);

	if (growth >= value[0])
		kma_trigger_fire(KMA_TRIGGER_GROWTH, growth, site, KMA_ORDER_NONE, 0);
}

/* Coverage was low at the last look.  If it stays low, that is one incident. */
static bool kma_incidents_low;

static void kma_incidents_check_coverage(void)
{
	const bool was_low = kma_incidents_low;
	const u64 coverage = kma_incidents_tables->coverage();

	kma_incidents_low = coverage < 1000 * kma_triggers.value[KMA_TRIGGER_COVERAGE][0];
	if (kma_incidents_low && !was_low)
		kma_trigger_fire(KMA_TRIGGER_COVERAGE, coverage, 0, KMA_ORDER_NONE, 0);
}

/* The charges of each cgroup, in KiB, by its number in kma_cgroups. */
static struct kma_growth kma_incidents_cgroups;

/* The cgroup that has grown most, and by how much, in KiB. */
static u64 kma_incidents_cgroup;
static u32 kma_incidents_cgroup_kib;

static void kma_incidents_add_cgroup(u64 cgroup, u64 bytes)
{
	const u32 nr = kma_idtab_find(&kma_cgroups, &cgroup);
	u32 kib;

	if (nr == KMA_ID_NONE)
		return;
	kib = kma_growth_add(&kma_incidents_cgroups, nr, cgroup, min_t(u64, bytes >> 10, U32_MAX));
	if (kib > kma_incidents_cgroup_kib) {
		kma_incidents_cgroup = cgroup;
		kma_incidents_cgroup_kib = kib;
	}
}

static void kma_incidents_begin_cgroups(void)
{
	kma_incidents_cgroup_kib = 0;
	kma_growth_begin(&kma_incidents_cgroups, div_u64(ktime_get_ns(), NSEC_PER_SEC),
			 kma_triggers.value[KMA_TRIGGER_CGROUP][1]);
}

/* When to look at cgroups again: this reads the live table, for at most 1 % of the time. */
static u64 kma_incidents_cgroups_due;

static void kma_incidents_check_cgroups(void)
{
	const u64 begin = ktime_get_ns(), cpu = current->se.sum_exec_runtime;

	/* Without owners, nothing is charged. */
	if (begin < kma_incidents_cgroups_due || !kma_owner_is_on())
		return;
	if (kma_incidents_tables->charges(kma_incidents_begin_cgroups, kma_incidents_add_cgroup))
		return;
	kma_incidents_cgroups_due = begin + 100 * (current->se.sum_exec_runtime - cpu);
	if (kma_incidents_cgroup_kib &&
	    1024ULL * kma_incidents_cgroup_kib >= kma_triggers.value[KMA_TRIGGER_CGROUP][0])
		kma_trigger_fire(KMA_TRIGGER_CGROUP, 1024ULL * kma_incidents_cgroup_kib,
				 kma_incidents_cgroup, KMA_ORDER_NONE, 0);
}

/* Triggers that the worker polls */
static const struct {
	enum kma_trigger trigger;
	void (*check)(void);
} kma_incidents_looks[] = {
	{ KMA_TRIGGER_GROWTH, kma_incidents_check_growth },
	{ KMA_TRIGGER_CGROUP, kma_incidents_check_cgroups },
	{ KMA_TRIGGER_COVERAGE, kma_incidents_check_coverage },
};

/* The time from one look to the next.  The history gets marks at the same interval. */
#define KMA_INCIDENTS_LOOK	(10 * HZ)

/* The time of the last look, in jiffies; 0 if triggers were set since. */
static unsigned long kma_incidents_looked;

/* Poll growth, cgroups and coverage.  Returns the jiffies to the next look; 0 if there is none. */
static unsigned long kma_incidents_check(void)
{
	const unsigned long now = jiffies ?: 1, last = kma_incidents_looked;
	unsigned long next = 0;
	int i;

	lockdep_assert_held(&kma_lock);
	for (i = 0; i < ARRAY_SIZE(kma_incidents_looks); i++) {
		if (!kma_trigger_is_set(kma_incidents_looks[i].trigger))
			continue;
		if (last && time_before(now, last + KMA_INCIDENTS_LOOK))
			return last + KMA_INCIDENTS_LOOK - now;
		/* A check may release kma_lock, and triggers be set meanwhile. */
		kma_incidents_looked = now;
		kma_incidents_looks[i].check();
		next = KMA_INCIDENTS_LOOK;
	}
	return next;
}

/* ---- the work ---------------------------------------------------------------- */

/* The earlier one of two times; 0 is never. */
static unsigned long kma_incidents_earlier(unsigned long a, unsigned long b)
{
	return a && b ? min(a, b) : a ?: b;
}

static void kma_incidents_turn(struct work_struct *work)
{
	unsigned long next = 0;
	int i;

	kma_arena_use(&kma_incidents_arena);
	kma_lock_take(KMA_LOCK_WORKER);
	kma_incidents_accept();
	kma_lock_release();
	for (i = 0; i < KMA_INCIDENTS; i++)
		next = kma_incidents_earlier(next, kma_incident_turn(&kma_incidents[i]));
	kma_arena_empty();
	/* What is found now runs the work once more. */
	kma_lock_take(KMA_LOCK_WORKER);
	next = kma_incidents_earlier(next, kma_incidents_check());
	kma_lock_release();
	kma_arena_use(NULL);
	/* A cause that has come meanwhile has queued the work to run at once. */
	if (next)
		queue_delayed_work(kma_incidents_queue, &kma_incidents_work, next);
}

static void kma_incidents_wake(void)
{
	mod_delayed_work(kma_incidents_queue, &kma_incidents_work, 0);
}

/* ---- settings and commands ------------------------------------------------- */

static size_t kma_incidents_arena_bytes(void)
{
	/* For each row of call sites its address and its name, and the rows of one table. */
	return kma_config.sites_max * 32 + SZ_1M;
}

static u64 kma_incidents_bytes(void)
{
	return KMA_INCIDENTS * KMA_INCIDENT_BYTES + kma_incidents_arena_bytes();
}

static void kma_incidents_free(void)
{
	int i;

	for (i = 0; i < KMA_INCIDENTS; i++) {
		kma_env_free(kma_incidents[i].text);
		kma_incidents[i].text = NULL;
	}
	kma_env_free(kma_incidents_arena.mem);
	kma_incidents_arena.mem = NULL;
	kma_growth_destroy(&kma_incidents_cgroups);
}

static bool kma_incidents_fit(u64 bytes)
{
	return kma_state_bytes() + bytes <= kma_state_bytes_max();
}

static bool kma_incidents_allocate_cgroups(void)
{
	struct kma_growth *g = &kma_incidents_cgroups;

	if (g->slot)
		return true;
	return kma_incidents_fit(kma_cgroups.nr * sizeof(g->slot[0])) &&
	       !kma_growth_init(g, kma_cgroups.nr);
}

static bool kma_incidents_allocate_texts(void)
{
	bool all;
	int i;

	if (kma_incidents_arena.mem)
		return true;
	if (!kma_incidents_fit(kma_incidents_bytes()))
		return false;
	kma_incidents_arena.size = kma_incidents_arena_bytes();
	kma_incidents_arena.mem = kma_env_zalloc(kma_incidents_arena.size);
	all = kma_incidents_arena.mem;
	/* Copies of rows hold addresses of objects. */
	if (all)
		kma_env_no_scan(kma_incidents_arena.mem);
	for (i = 0; all && i < KMA_INCIDENTS; i++) {
		kma_incidents[i].text = kma_env_zalloc(KMA_INCIDENT_BYTES);
		all = kma_incidents[i].text;
	}
	if (!all)
		kma_incidents_free();
	return all;
}

/* Allocate what triggers need, unless that is there already. */
static bool kma_incidents_allocate(const struct kma_triggers *t)
{
	if (!t->set)
		return true;
	return kma_incidents_allocate_texts() &&
	       (!(t->set & BIT(KMA_TRIGGER_CGROUP)) || kma_incidents_allocate_cgroups());
}

/* False until the triggers are set at load: a small machine loads the module without incidents. */
static bool kma_incidents_ready;

/* Whether the trigger of cgroups stays as it is. */
static bool kma_incidents_keeps_cgroups(const struct kma_triggers *t)
{
	return kma_trigger_is_set(KMA_TRIGGER_CGROUP) && t->set & BIT(KMA_TRIGGER_CGROUP) &&
	       !memcmp(t->value[KMA_TRIGGER_CGROUP], kma_triggers.value[KMA_TRIGGER_CGROUP],
		       sizeof(t->value[0]));
}

int kma_incidents_set(char *text)
{
	char why[KMA_TRIGGER_WHY];
	struct kma_triggers t;

	lockdep_assert_held(&kma_lock);
	if (kma_triggers_parse(&t, text, why))
		return kma_refuse("trigger: %s", why);
	/* Without the worker, as in unit tests of the settings, nothing is set off. */
	if (!kma_incidents_queue)
		return 0;
	if (!kma_incidents_allocate(&t)) {
		if (kma_incidents_ready) {
			kma_refuse("trigger: not enough memory, or more than 1/16 of the RAM");
			return -ENOMEM;
		}
		pr_warn("not enough memory for incidents: trigger is off\n");
		t.set = 0;
	}
	kma_incidents_ready = true;
	kma_incidents_low = false;
	if (!kma_incidents_keeps_cgroups(&t))
		kma_growth_forget(&kma_incidents_cgroups);
	kma_incidents_looked = 0;
	kma_incidents_cgroups_due = 0;
	kma_triggers_set(&t);
	/* The worker polls some of them. */
	if (t.set)
		kma_incidents_wake();
	return 0;
}

int kma_incidents_print(char *page)
{
	int len = kma_triggers_print(&kma_triggers, page, KMA_TRIGGER_TEXT);

	return len + scnprintf(page + len, PAGE_SIZE - len, "\n");
}

int kma_incidents_run(char *args)
{
	lockdep_assert_held(&kma_lock);
	if (*args)
		return kma_refuse("incident takes no arguments: omit '%.24s'", args);
	if (!kma_incidents_arena.mem)
		return kma_refuse("incident: no trigger is set: set one first, as trigger oom");
	kma_trigger_fire(KMA_TRIGGER_COMMAND, 0, 0, KMA_ORDER_NONE, 0);
	return 0;
}

void kma_incidents_forget(void)
{
	int i;

	lockdep_assert_held(&kma_lock);
	kma_triggers_forget();
	kma_incidents_low = false;
	for (i = 0; i < KMA_INCIDENTS; i++) {
		kma_incidents[i].nr = 0;
		kma_incidents[i].bytes = 0;
	}
	kma_incidents_changed();
}

/* ---- start and stop -------------------------------------------------------- */

int kma_incidents_start(const struct kma_incident_ops *ops)
{
	kma_incidents_tables = ops;
	kma_incidents_ready = false;
	INIT_DELAYED_WORK(&kma_incidents_work, kma_incidents_turn);
	kma_incidents_queue = alloc_workqueue(KBUILD_MODNAME, WQ_MEM_RECLAIM | WQ_UNBOUND, 1);
	if (!kma_incidents_queue) {
		pr_err("not enough memory for a workqueue\n");
		return -ENOMEM;
	}
	kma_triggers_start(kma_incidents_wake);
	return 0;
}

void kma_incidents_stop(void)
{
	const struct kma_triggers off = {};

	kma_lock_take(KMA_LOCK_START);
	kma_triggers_set(&off);
	/* This makes the worker stop adding up charges. */
	kma_state_changed();
	kma_lock_release();
	/* A probe that has seen a trigger may still queue the worker. */
	kma_env_wait_for_probes();
	kma_triggers_stop();
	cancel_delayed_work_sync(&kma_incidents_work);
	destroy_workqueue(kma_incidents_queue);
	kma_incidents_queue = NULL;
	kma_incidents_free();
}
