// SPDX-License-Identifier: GPL-2.0
/*
 * Old objects, added up by call site, or by their owner.
 *
 *	allocs --> the group of each object --> sums of its old objects, and of all --> a row
 *
 * The group is in `allocs` itself (call site, module, node), or follows from the number of the
 * owner, see names.h.
 *
 * An object that is sampled with probability p has the weight w = 1 / p.  Its part of the variance
 * of the number of objects is estimated by (1 - p) / p^2 = w * (w - 1).  Each object is sampled
 * independently of all others, so variances add up in each group.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* The age from which an object is old, if the user gives none. */
#define OLDER_MS	60000

/* ---- columns -------------------------------------------------------------- */

/*
 * The first ones are about old objects.  all_bytes and samples are about all live objects of the
 * group, and old_pct is the part of all_bytes that is old.
 */
#define LEAKS_COLUMNS(X)						\
	X(live_bytes, U64, GAUGE, BYTES)				\
	X(live_objs, U64, GAUGE, OBJS)					\
	X(oldest_ms, U64, MAX, MS)					\
	X(old_pct, MILLI, RATIO, SHARE, .title = "old")			\
	X(live_samples, U64, GAUGE, SAMPLES)				\
	X(live_bytes_se, U64, ERROR, BYTES)				\
	X(live_objs_se, U64, ERROR, OBJS)				\
	X(all_bytes, U64, GAUGE, BYTES, .hidden = true)			\
	X(samples, U64, GAUGE, SAMPLES, .hidden = true)			\
	X(all_bytes_se, U64, ERROR, BYTES)

#define X(name, ...) LEAK_##name,
enum { LEAKS_COLUMNS(X) LEAK_NR };
#undef X

/* Each way to group: its name, a column before the label, and the label. */
static const struct {
	struct column extra;
	const char *label;
} ways[LEAKS_BY_NR] = {
	[LEAKS_BY_SITE] = { {}, "site" },
	[LEAKS_BY_MODULE] = { {}, "module" },
	[LEAKS_BY_NODE] = { { .name = "node", .format = FORMAT_ID }, NULL },
	[LEAKS_BY_PID] = { { .name = "pid", .format = FORMAT_ID }, "comm" },
	[LEAKS_BY_COMM] = { { .name = "processes", .kind = KIND_GAUGE }, "comm" },
	[LEAKS_BY_CGROUP] = { { .name = "processes", .kind = KIND_GAUGE }, "cgroup" },
	[LEAKS_BY_CHARGED] = { { .name = "processes", .kind = KIND_GAUGE }, "charged" },
};

const char * const leaks_names[LEAKS_BY_NR + 1] = {
	[LEAKS_BY_SITE] = "site",
	[LEAKS_BY_MODULE] = "module",
	[LEAKS_BY_NODE] = "node",
	[LEAKS_BY_PID] = "pid",
	[LEAKS_BY_COMM] = "comm",
	[LEAKS_BY_CGROUP] = "cgroup",
	[LEAKS_BY_CHARGED] = "charged",
};

static bool is_by_owner(enum leaks_by by)
{
	return by >= LEAKS_BY_PID;
}

static struct table *make_table(const struct table *allocs, enum leaks_by by, size_t max_rows)
{
	struct column columns[LEAK_NR + 2] = { LEAKS_COLUMNS(COLUMN) };
	int nr = LEAK_NR;

	if (ways[by].extra.name)
		columns[nr++] = ways[by].extra;
	columns[nr] = (struct column) { .name = ways[by].label, .format = FORMAT_LABEL };
	return table_new("leaks", columns, allocs->sampled, max_rows);
}

/* ---- sums ----------------------------------------------------------------- */

/* Weight of an object that was recorded exactly, in thousandths. */
#define WEIGHT_ONE	1000

/**
 * struct sums - sums over objects
 * @objs: sum of weights, in thousandths
 * @bytes: sum of weights times bytes, in thousandths
 * @samples: number of objects that were sampled, which have a weight above 1
 * @objs_variance: variance of @objs, in objects squared
 * @bytes_variance: variance of @bytes, in bytes squared
 */
struct sums {
	unsigned __int128 objs;
	unsigned __int128 bytes;
	u64 samples;
	double objs_variance;
	double bytes_variance;
};

static void add_object(struct sums *s, const struct row *object)
{
	u64 bytes = object->v[ALLOC_bytes_alloc], weight = object->v[ALLOC_weight];
	double w = (double)weight / WEIGHT_ONE;
	double variance = weight > WEIGHT_ONE ? w * (w - 1) : 0;

	s->objs += weight;
	s->bytes += (unsigned __int128)weight * bytes;
	s->samples += weight > WEIGHT_ONE;
	s->objs_variance += variance;
	s->bytes_variance += variance * bytes * bytes;
}

static u64 from_milli(unsigned __int128 milli)
{
	return (milli + WEIGHT_ONE / 2) / WEIGHT_ONE;
}

/* Return: @part of @all in thousandths of a percent. */
static u64 share_of(unsigned __int128 part, unsigned __int128 all)
{
	return all ? (u64)((double)part / all * 100000 + 0.5) : 0;
}

/* ---- groups --------------------------------------------------------------- */

/**
 * struct group - objects that have a row together
 * @label: its label
 * @id: its node or PID, if it has one
 * @old: its old objects
 * @all: all its objects
 * @oldest_ms: the age of its oldest object, in milliseconds
 * @processes: number of processes that have old objects in it
 */
struct group {
	const char *label;
	u64 id;
	struct sums old;
	struct sums all;
	u64 oldest_ms;
	u64 processes;
};

/* A process with old objects in a group. */
struct group_process {
	size_t group;
	u64 pid;
};

/**
 * struct leaks - the groups, while objects are added
 * @by: the key that they are grouped by
 * @older_ms: the age from which an object is old
 * @owners: the owners, or NULL
 * @groups: the groups
 * @nr: number of @groups
 * @room: number of groups that @groups has memory for
 * @by_key: index of each group by the text of its key
 * @keys: these texts
 * @nr_keys: number of @keys
 * @keys_room: number of texts that @keys has memory for
 * @processes: the processes of all groups, some more than once
 * @nr_processes: number of @processes
 * @processes_room: number of processes that @processes has memory for
 * @interrupt: old objects that were allocated in interrupts
 * @not_recorded: old objects whose owner was not recorded
 */
struct leaks {
	enum leaks_by by;
	u64 older_ms;
	const struct owners *owners;
	struct group *groups;
	size_t nr, room;
	struct map by_key;
	char **keys;
	size_t nr_keys, keys_room;
	struct group_process *processes;
	size_t nr_processes, processes_room;
	struct sums interrupt;
	struct sums not_recorded;
};

/* Return: index of the group of a key, which is made if there is none. */
static size_t group_of_key(struct leaks *l, const char *key, const char *label, u64 id)
{
	const uintptr_t *index = map_find(&l->by_key, key);

	if (index)
		return *index;
	l->keys = alloc_more(l->keys, l->nr_keys, &l->keys_room, sizeof(*l->keys));
	l->keys[l->nr_keys] = alloc_copy(key);
	map_put(&l->by_key, l->keys[l->nr_keys++], l->nr);
	l->groups = alloc_more(l->groups, l->nr, &l->room, sizeof(*l->groups));
	l->groups[l->nr] = (struct group) { .label = label, .id = id };
	return l->nr++;
}

static size_t group_of_label(struct leaks *l, const char *label)
{
	return group_of_key(l, label, label, NO_ID);
}

/* The group of a number, and of a label if several groups may have the number. */
static size_t group_of_id(struct leaks *l, u64 id, const char *label)
{
	char key[256];

	snprintf(key, sizeof(key), "%llu %s", id, label);
	return group_of_key(l, key, label, id);
}

static size_t group_of_owner(struct leaks *l, const struct row *object, const struct owner *owner)
{
	switch (l->by) {
	case LEAKS_BY_PID:
		return group_of_id(l, object->v[ALLOC_pid], owner->comm);
	case LEAKS_BY_COMM:
		return group_of_label(l, owner->comm);
	case LEAKS_BY_CGROUP:
		return group_of_label(l, owner->cgroup);
	default:
		return group_of_label(l, owner->charged);
	}
}

/* ---- processes ------------------------------------------------------------ */

static void add_process(struct leaks *l, size_t group, u64 pid)
{
	const struct group_process m = { group, pid };

	if (pid == NO_ID ||
	    (l->nr_processes && !memcmp(&l->processes[l->nr_processes - 1], &m, sizeof(m))))
		return;
	l->processes = alloc_more(l->processes, l->nr_processes, &l->processes_room, sizeof(m));
	l->processes[l->nr_processes++] = m;
}

static int compare_group_processes(const void *a, const void *b)
{
	const struct group_process *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Count each process once in each group. */
static void count_processes(struct leaks *l)
{
	const struct group_process *m = l->processes;
	size_t i;

	if (l->nr_processes)
		qsort(l->processes, l->nr_processes, sizeof(*m), compare_group_processes);
	for (i = 0; i < l->nr_processes; i++)
		l->groups[m[i].group].processes += !i || compare_group_processes(&m[i - 1], &m[i]);
}

/* ---- objects -------------------------------------------------------------- */

static size_t group_of(struct leaks *l, const struct row *object, const struct owner *owner)
{
	switch (l->by) {
	case LEAKS_BY_SITE:
		return group_of_label(l, object->label);
	case LEAKS_BY_MODULE:
		return group_of_label(l, group_module_of(object->label));
	case LEAKS_BY_NODE:
		return group_of_id(l, object->v[ALLOC_node], "");
	default:
		return group_of_owner(l, object, owner);
	}
}

static void add_old(struct leaks *l, size_t i, const struct row *object, const struct owner *owner)
{
	add_object(&l->groups[i].old, object);
	if (!owner)
		return;
	add_process(l, i, object->v[ALLOC_pid]);
	if (owner->kind == OWNER_INTERRUPT)
		add_object(&l->interrupt, object);
	else if (owner->kind == OWNER_NOT_RECORDED)
		add_object(&l->not_recorded, object);
}

static void add_to_group(struct leaks *l, const struct row *object)
{
	const struct owner *owner = l->owners ?
		owners_find(l->owners, object->v[ALLOC_owner]) : NULL;
	const u64 age = object->v[ALLOC_age_ms];
	const size_t i = group_of(l, object, owner);
	struct group *g = &l->groups[i];

	add_object(&g->all, object);
	if (g->oldest_ms < age)
		g->oldest_ms = age;
	if (age >= l->older_ms)
		add_old(l, i, object, owner);
}

static void put_group(struct table *t, const struct group *g, enum leaks_by by)
{
	struct row *row;

	if (!g->old.objs)
		return;
	row = table_add(t);
	row->label = g->label;
	row->v[LEAK_live_bytes] = from_milli(g->old.bytes);
	row->v[LEAK_live_objs] = from_milli(g->old.objs);
	row->v[LEAK_oldest_ms] = g->oldest_ms;
	row->v[LEAK_old_pct] = share_of(g->old.bytes, g->all.bytes);
	row->v[LEAK_live_samples] = g->old.samples;
	row->v[LEAK_live_bytes_se] = estimate_root(g->old.bytes_variance);
	row->v[LEAK_live_objs_se] = estimate_root(g->old.objs_variance);
	row->v[LEAK_all_bytes] = from_milli(g->all.bytes);
	row->v[LEAK_samples] = g->all.samples;
	row->v[LEAK_all_bytes_se] = estimate_root(g->all.bytes_variance);
	if (by == LEAKS_BY_NODE || by == LEAKS_BY_PID)
		row->v[LEAK_NR] = g->id;
	else if (ways[by].extra.name)
		row->v[LEAK_NR] = g->processes;
}

/* ---- the table ------------------------------------------------------------ */

/* Print bytes as text output does, with a tilde before an estimate. */
static void print_bytes(char buf[NUMBER_LEN], const struct sums *sum)
{
	char size[NUMBER_LEN];

	number_print_bytes(size, from_milli(sum->bytes), false);
	snprintf(buf, NUMBER_LEN, "%s%.30s", sum->samples ? "~" : "", size);
}

/* Say what groups of owners mean, and how many bytes belong to no owner. */
static void make_note(struct view *v, const struct leaks *l)
{
	char interrupt[NUMBER_LEN], missing[NUMBER_LEN];
	size_t len;
	char *note;
	FILE *text = text_open(&note, &len);

	print_bytes(interrupt, &l->interrupt);
	print_bytes(missing, &l->not_recorded);
	fputs(l->by == LEAKS_BY_CHARGED ?
	      "by the cgroup that was charged when the object was allocated" :
	      "by the allocating process, which may not be the holder", text);
	if (l->interrupt.bytes && l->by != LEAKS_BY_CHARGED)
		fprintf(text, "; %s from interrupts", interrupt);
	if (l->not_recorded.bytes)
		fprintf(text, "; the owners of %s were not recorded", missing);
	text_close(text);
	v->note = view_own(v, note);
	/* The note is important only if some objects belong to no process. */
	v->aside = !l->interrupt.bytes && !l->not_recorded.bytes;
}

/* Say how many bytes --cgroup leaves out because the owners were not recorded. */
static void note_missing(struct view *v, const struct sums *missing)
{
	char bytes[NUMBER_LEN];

	print_bytes(bytes, missing);
	v->note = view_own(v, alloc_print("%s%sobjects of %s without a recorded owner are left out",
					  v->note ?: "", v->note ? "; " : "", bytes));
	v->aside = false;
}

static void free_leaks(struct leaks *l)
{
	size_t i;

	map_clear(&l->by_key);
	for (i = 0; i < l->nr_keys; i++)
		free(l->keys[i]);
	free(l->keys);
	free(l->groups);
	free(l->processes);
}

/*
 * Test whether the module was loaded too late for an object of this age.  Both times are whole
 * seconds, so the module may be almost a second older than @ms, which is set to its age.
 */
static bool is_too_new(const struct table *t, u64 older_ms, u64 *ms)
{
	const u64 loaded = table_number(t, "loaded_s");
	const u64 now = t->source ? source_time_s(t->source) : 0;

	*ms = loaded && now > loaded ? (now - loaded) * 1000 : 0;
	return loaded && now >= loaded && *ms + 1000 <= older_ms;
}

/* Say why a table is empty: it may be good news, or the module was loaded too late to know. */
static void tell_empty(struct view *v, u64 older_ms)
{
	char age[NUMBER_LEN], loaded[NUMBER_LEN];
	u64 ms;

	if (v->nr || !older_ms)
		return;
	number_print_age(age, older_ms);
	if (is_too_new(v->t, older_ms, &ms)) {
		number_print_age(loaded, ms);
		v->advice = view_own(v, alloc_print("loaded %s ago: no object can be %s old",
						    loaded, age));
		return;
	}
	v->advice = view_own(v, alloc_print("no %s is %s old: --older-than takes less",
					    v->filtered ? "object that matches" : "live object",
					    age));
}

void leaks_make(struct view *v, u64 older_ms, enum leaks_by by, const struct owners *owners)
{
	struct leaks l = {
		.by = by, .older_ms = older_ms, .owners = owners,
		.by_key.compare = map_compare_texts,
	};
	struct table *allocs = v->t, *t;
	size_t i;

	for (i = 0; i < allocs->nr_rows; i++)
		add_to_group(&l, allocs->rows[i]);
	count_processes(&l);
	t = make_table(allocs, by, l.nr);
	t->from[0] = allocs;
	table_inherit(t, allocs);
	for (i = 0; i < l.nr; i++)
		put_group(t, &l.groups[i], by);
	v->t = t;
	v->nr = t->nr_rows;
	if (is_by_owner(by))
		make_note(v, &l);
	free_leaks(&l);
	view_sort_by_label(t);
	tell_empty(v, older_ms);
}

/* ---- the files ------------------------------------------------------------ */

/*
 * Apply --module and --site to objects, not to groups: then they also work for groups without call
 * sites.
 */
static int read_objects(struct view *v, const struct options *o)
{
	const struct match objects = { .module = o->match.module, .site = o->match.site };

	if (show_read(v, o, "allocs"))
		return -1;
	if (!show_check_names(v->t, &objects) && !view_select(v, &objects))
		return 0;
	view_end(v);
	return -1;
}

enum leaks_by leaks_by(const struct options *o)
{
	enum leaks_by by = 0;

	while (o->by && strcmp(o->by, leaks_names[by]))
		by++;
	return by;
}

/*
 * Keep the objects of a cgroup.  Add up in @missing the old objects without a recorded owner, any
 * of which may belong to it.  Return: 0, or -1 after calling fail().
 */
static int select_owners(struct view *v, const struct owners *owners, const char *cgroup,
			 u64 older_ms, struct sums *missing)
{
	const struct owner *owner;
	struct table *t = v->t;
	struct row *row;
	size_t i, nr = 0;

	for (i = 0; i < t->nr_rows; i++) {
		row = t->rows[i];
		owner = owners_find(owners, row->v[ALLOC_owner]);
		if (owner_is_in(owner, cgroup))
			t->rows[nr++] = row;
		else if (owner->kind == OWNER_NOT_RECORDED && row->v[ALLOC_age_ms] >= older_ms)
			add_object(missing, row);
	}
	v->filtered += t->nr_rows - nr;
	t->nr_rows = nr;
	v->nr = nr;
	return nr ? 0 : owners_check_cgroup(owners, cgroup);
}

/*
 * Read the objects, and then their owners.  Both are read again if numbers of owners were recycled
 * meanwhile, which happens at most every few seconds.  Return: the owners, or NULL after fail().
 */
static struct owners *read_owned(struct view *v, const struct options *o)
{
	struct owners *owners = owners_read(o->source), *before = NULL;
	int ret;

	while (owners && (!before || !owners_are_same(before, owners))) {
		if (before)
			view_end(v);
		owners_free(before);
		before = owners;
		ret = read_objects(v, o);
		owners = ret ? NULL : owners_read(o->source);
		if (!ret && !owners)
			view_end(v);
	}
	owners_free(before);
	return owners;
}

static int show_leaks(const struct options *o, enum leaks_by by, u64 older_ms, const char *keys)
{
	const bool owned = is_by_owner(by) || o->cgroup;
	struct owners *owners = NULL;
	struct options rows = *o;
	struct sums missing = {};
	struct view v;
	int ret;

	if (owned)
		owners = read_owned(&v, o);
	if (owned ? !owners : read_objects(&v, o))
		return -1;
	if (o->cgroup && select_owners(&v, owners, o->cgroup, older_ms, &missing)) {
		view_end(&v);
		owners_free(owners);
		return -1;
	}
	leaks_make(&v, older_ms, by, is_by_owner(by) ? owners : NULL);
	if (missing.objs)
		note_missing(&v, &missing);
	v.elsewhere = "pages are not objects: kmemacct pages lists them, the oldest first";
	rows.match.module = NULL;
	rows.match.site = NULL;
	ret = show(&v, &rows, keys);
	owners_free(owners);
	return ret;
}

int leaks_run(const struct command *c, const struct options *o)
{
	const enum leaks_by by = leaks_by(o);

	if (by != LEAKS_BY_SITE && o->given & OPTION_RAW_IP)
		return fail("--raw-ip needs call sites, and --by %s has none: omit one", o->by);
	return show_leaks(o, by, o->given & OPTION_OLDER ? o->older_ms : OLDER_MS, c->keys);
}

int leaks_callers(const struct command *c, const struct options *o)
{
	struct options shown = *o;

	/* All objects are listed, so ages tell nothing. */
	shown.output = o->output ?: "live_bytes,share_pct,live_objs,site";
	return show_leaks(&shown, LEAKS_BY_SITE, 0, "live_bytes");
}
