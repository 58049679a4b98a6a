// SPDX-License-Identifier: GPL-2.0
/*
 * Old objects, added up by call site, or by the process that allocated them.
 *
 *	allocs --> the group of each object --> sums of its old objects, and of all --> a row
 *
 * The group is in `allocs` itself (call site, module, node, PID), or follows from the PID: the name
 * or the cgroup of the process, see names.h.  A process is looked up once, not once for each
 * object.  Objects of processes that have ended, and of interrupts, have groups of their own.
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
};

const char * const leaks_names[LEAKS_BY_NR + 1] = {
	[LEAKS_BY_SITE] = "site",
	[LEAKS_BY_MODULE] = "module",
	[LEAKS_BY_NODE] = "node",
	[LEAKS_BY_PID] = "pid",
	[LEAKS_BY_COMM] = "comm",
	[LEAKS_BY_CGROUP] = "cgroup",
};

static bool is_by_process(enum leaks_by by)
{
	return by == LEAKS_BY_PID || by == LEAKS_BY_COMM || by == LEAKS_BY_CGROUP;
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

enum kind_of_group {
	OF_KNOWN,
	OF_ENDED,
	OF_INTERRUPT,
	OF_NR
};

/**
 * struct group - objects that have a row together
 * @label: its label
 * @id: its node or PID, if it has one
 * @kind: the kind of its processes
 * @old: its old objects
 * @all: all its objects
 * @oldest_ms: the age of its oldest object, in milliseconds
 * @processes: number of processes that have old objects in it
 */
struct group {
	const char *label;
	u64 id;
	enum kind_of_group kind;
	struct sums old;
	struct sums all;
	u64 oldest_ms;
	u64 processes;
};

/* There is no such group or owner. */
#define NO_INDEX	((size_t)-1)

/**
 * struct owner - the process, or the processes, that had a PID when objects were allocated
 * @process: the process that has it now, or all zeroes
 * @found: there is such a process
 * @group: index of the group of its objects, and of those of an earlier process; or NO_INDEX
 * @counted: for these two: the process counts in its group
 */
struct owner {
	struct process process;
	bool found;
	size_t group[2];
	bool counted[2];
};

/**
 * struct leaks - the groups, while objects are added
 * @by: the key that they are grouped by
 * @older_ms: the age from which an object is old
 * @moment: when the objects were read
 * @groups: the groups
 * @nr: number of @groups
 * @room: number of groups that @groups has memory for
 * @owners: the processes
 * @nr_owners: number of @owners
 * @owners_room: number of processes that @owners has memory for
 * @by_label: index of each group that is found by its label
 * @by_id: index of each group that is found by its node; of each owner by its PID
 * @kept: rows of `tasks` by their PID; without a label if the names for a PID differ
 * @special: index of the group of each kind but OF_KNOWN that is not of a PID; or NO_INDEX
 * @unclear: old objects that an earlier process with the same PID may have allocated
 */
struct leaks {
	enum leaks_by by;
	u64 older_ms;
	const struct moment *moment;
	struct group *groups;
	size_t nr, room;
	struct owner *owners;
	size_t nr_owners, owners_room;
	struct map by_label;
	struct map by_id;
	struct map kept;
	size_t special[OF_NR];
	struct sums unclear;
};

/* Return: an index that was inserted, or NO_INDEX. */
static size_t find_index(const struct map *m, const void *key)
{
	const uintptr_t *index = map_find(m, key);

	return index ? *index : NO_INDEX;
}

static size_t insert_index(struct map *m, const void *key, size_t index)
{
	map_put(m, key, index);
	return index;
}

/* Return: index of a new group. */
static size_t new_group(struct leaks *l, const char *label, u64 id, enum kind_of_group kind)
{
	l->groups = alloc_more(l->groups, l->nr, &l->room, sizeof(*l->groups));
	l->groups[l->nr] = (struct group) { .label = label, .id = id, .kind = kind };
	return l->nr++;
}

static size_t group_of_label(struct leaks *l, const char *label)
{
	size_t i = find_index(&l->by_label, label);

	return i != NO_INDEX ? i : insert_index(&l->by_label, label,
					    new_group(l, label, NO_ID, OF_KNOWN));
}

static size_t group_of_id(struct leaks *l, const u64 *id)
{
	size_t i = find_index(&l->by_id, id);

	return i != NO_INDEX ? i : insert_index(&l->by_id, id, new_group(l, "", *id, OF_KNOWN));
}

/* ---- groups of processes -------------------------------------------------- */

static struct owner *owner_of(struct leaks *l, const u64 *pid)
{
	size_t i = find_index(&l->by_id, pid);
	struct owner *o;

	if (i != NO_INDEX)
		return &l->owners[i];
	l->owners = alloc_more(l->owners, l->nr_owners, &l->owners_room,
			       sizeof(*l->owners));
	o = &l->owners[insert_index(&l->by_id, pid, l->nr_owners++)];
	*o = (struct owner) { .group = { NO_INDEX, NO_INDEX } };
	o->found = process_read(&o->process, *pid, l->by == LEAKS_BY_CGROUP);
	return o;
}

/*
 * Return: the name that the module has kept of a process that has ended, or NULL.  If another one
 * has its PID now, a name that was kept may be the other's.
 */
static const char *kept_name(const struct leaks *l, const struct owner *o, const u64 *pid)
{
	const uintptr_t *name = NULL;

	if (!o->found && l->by != LEAKS_BY_CGROUP)
		name = map_find(&l->kept, pid);
	return name ? (const char *)*name : NULL;
}

/* A process whose name is that of a special group does not belong to this group. */
static size_t special_group(struct leaks *l, const char *label, enum kind_of_group kind)
{
	if (l->special[kind] == NO_INDEX)
		l->special[kind] = new_group(l, label, NO_ID, kind);
	return l->special[kind];
}

/* Return: the group of the process that has the PID now, or of one that had it before. */
static size_t group_of_process(struct leaks *l, const struct owner *o, const u64 *pid, bool earlier)
{
	const char *name = earlier ? kept_name(l, o, pid) : o->process.comm;

	if (l->by == LEAKS_BY_PID)
		return new_group(l, name ? name : "[ended]", *pid,
				 name ? OF_KNOWN : OF_ENDED);
	if (earlier && !name)
		return special_group(l, "[ended tasks]", OF_ENDED);
	if (l->by == LEAKS_BY_CGROUP)
		name = o->process.cgroup ? o->process.cgroup : "[no cgroup2]";
	return group_of_label(l, name);
}

static size_t group_of_pid(struct leaks *l, const struct row *object, bool old)
{
	const u64 *pid = &object->v[ALLOC_pid];
	enum process_match match = PROCESS_YOUNGER;
	struct owner *o;
	bool earlier;

	if (*pid == NO_ID)
		return special_group(l, "[interrupt]", OF_INTERRUPT);
	o = owner_of(l, pid);
	if (o->found)
		match = process_match(&o->process, l->moment, object->v[ALLOC_age_ms]);
	if (match == PROCESS_UNCLEAR && old)
		add_object(&l->unclear, object);
	earlier = match == PROCESS_YOUNGER;
	if (o->group[earlier] == NO_INDEX)
		o->group[earlier] = group_of_process(l, o, pid, earlier);
	l->groups[o->group[earlier]].processes += old && !o->counted[earlier];
	o->counted[earlier] |= old;
	return o->group[earlier];
}

/* ---- objects -------------------------------------------------------------- */

static size_t group_of(struct leaks *l, const struct row *object, bool old)
{
	switch (l->by) {
	case LEAKS_BY_SITE:
		return group_of_label(l, object->label);
	case LEAKS_BY_MODULE:
		return group_of_label(l, group_module_of(object->label));
	case LEAKS_BY_NODE:
		return group_of_id(l, &object->v[ALLOC_node]);
	default:
		return group_of_pid(l, object, old);
	}
}

static void add_to_group(struct leaks *l, const struct row *object)
{
	u64 age = object->v[ALLOC_age_ms];
	bool old = age >= l->older_ms;
	size_t i = group_of(l, object, old);
	struct group *g = &l->groups[i];

	add_object(&g->all, object);
	if (old)
		add_object(&g->old, object);
	if (g->oldest_ms < age)
		g->oldest_ms = age;
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

/* Find the names that the module has kept.  A PID with several names has none. */
static void keep_names(struct leaks *l, struct table *names)
{
	const int pid = table_column(names, "tgid");
	uintptr_t *name;
	size_t i;

	for (i = 0; i < names->nr_rows; i++) {
		name = map_find(&l->kept, &names->rows[i]->v[pid]);
		if (!name)
			map_put(&l->kept, &names->rows[i]->v[pid],
				(uintptr_t)names->rows[i]->label);
		else if (*name && strcmp((const char *)*name, names->rows[i]->label))
			*name = 0;
	}
}

/* Add up the old objects of the groups of a kind. */
static void add_kind(const struct leaks *l, enum kind_of_group kind, struct sums *sum)
{
	size_t i;

	for (i = 0; i < l->nr; i++) {
		if (l->groups[i].kind != kind)
			continue;
		sum->bytes += l->groups[i].old.bytes;
		sum->samples += l->groups[i].old.samples;
	}
}

/* Print bytes as text output does, which marks estimates. */
static void print_bytes(char buf[NUMBER_LEN], const struct sums *sum)
{
	char size[NUMBER_LEN];

	number_print_bytes(size, from_milli(sum->bytes), false);
	snprintf(buf, NUMBER_LEN, "%s%.30s", sum->samples ? "~" : "", size);
}

#define ATTRIBUTED	"by the allocating process, which may not be the holder"

/* Explain the groups of processes, and say how many bytes belong to no process. */
static void make_note(struct view *v, const struct leaks *l)
{
	char all[NUMBER_LEN], interrupt[NUMBER_LEN], ended[NUMBER_LEN], unclear[NUMBER_LEN];
	struct sums sum = {}, part = {};
	size_t len;
	char *note;
	FILE *text = text_open(&note, &len);

	add_kind(l, OF_INTERRUPT, &sum);
	print_bytes(interrupt, &sum);
	add_kind(l, OF_ENDED, &part);
	print_bytes(ended, &part);
	add_kind(l, OF_ENDED, &sum);
	print_bytes(all, &sum);
	print_bytes(unclear, &l->unclear);
	fputs(ATTRIBUTED, text);
	if (sum.bytes)
		fprintf(text, "; %s not attributed: %s from interrupts, %s from ended processes",
			all, interrupt, ended);
	if (l->unclear.bytes)
		fprintf(text, "; %s may be of an earlier process with the same PID", unclear);
	text_close(text);
	v->note = view_own(v, note);
	/* The note is important only if some objects could not be attributed to a process. */
	v->aside = !sum.bytes && !l->unclear.bytes;
}

static void free_leaks(struct leaks *l)
{
	map_clear(&l->by_label);
	map_clear(&l->by_id);
	map_clear(&l->kept);
	free(l->groups);
	free(l->owners);
}

/* Move the names of processes to the table, because labels point to them. */
static void move_names(struct leaks *l, struct table *t)
{
	size_t i;

	for (i = 0; i < l->nr_owners; i++) {
		if (l->owners[i].process.comm)
			table_own(t, l->owners[i].process.comm);
		if (l->owners[i].process.cgroup)
			table_own(t, l->owners[i].process.cgroup);
	}
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

void leaks_make(struct view *v, u64 older_ms, enum leaks_by by, const struct moment *moment,
		struct table *names)
{
	struct leaks l = {
		.by = by, .older_ms = older_ms, .moment = moment,
		.by_label.compare = map_compare_texts,
		.by_id.compare = map_compare_numbers,
		.kept.compare = map_compare_numbers,
		.special = { NO_INDEX, NO_INDEX, NO_INDEX },
	};
	struct table *allocs = v->t, *t;
	size_t i;

	if (names)
		keep_names(&l, names);
	for (i = 0; i < allocs->nr_rows; i++)
		add_to_group(&l, allocs->rows[i]);
	t = make_table(allocs, by, l.nr);
	t->from[0] = allocs;
	t->from[1] = names;
	table_inherit(t, allocs);
	for (i = 0; i < l.nr; i++)
		put_group(t, &l.groups[i], by);
	v->t = t;
	v->nr = t->nr_rows;
	if (is_by_process(by))
		make_note(v, &l);
	move_names(&l, t);
	free_leaks(&l);
	view_sort_by_label(t);
	tell_empty(v, older_ms);
}

/* ---- the files ------------------------------------------------------------ */

static bool has_ended(const struct table *t)
{
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		if (text_begins(t->rows[i]->label, "[ended"))
			return true;
	return false;
}

/* Say how names can be kept. */
static void advise(struct view *v, const char *account)
{
	char *command;

	if (v->advice || !account || !has_ended(v->t))
		return;
	command = control_enable_command(account, "tasks");
	v->advice = view_own(v, alloc_print("to keep names of processes: %s", command));
	free(command);
}

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

static int check_processes(const struct options *o)
{
	static const char no_processes[] =
		"--by %s needs the machine's processes, and a snapshot has none: omit -i";
	static const char in_container[] =
		"--by %s needs the machine's PIDs, and this is a container: run it outside";

	if (source_is_snapshot(o->source))
		return fail(no_processes, o->by);
	return process_is_initial() ? 0 : fail(in_container, o->by);
}

/* Read the objects and, if the module keeps them, the names of processes. */
static int read_by_process(struct view *v, const struct options *o, enum leaks_by by,
			   u64 older_ms)
{
	struct moment moment = {};
	struct table *names = NULL;
	const char *account;
	struct control c;
	int ret;

	if (check_processes(o) || control_read(&c, o->source))
		return -1;
	account = control_value(&c, "account");
	process_clock(&moment);
	ret = read_objects(v, o);
	process_clock(&moment);
	if (!ret && text_lists(account, "tasks")) {
		names = source_table(o->source, "tasks");
		ret = names ? 0 : -1;
		if (ret)
			view_end(v);
	}
	if (!ret) {
		leaks_make(v, older_ms, by, &moment, names);
		if (by != LEAKS_BY_CGROUP && !names)
			advise(v, account);
	}
	control_free(&c);
	return ret;
}

enum leaks_by leaks_by(const struct options *o)
{
	enum leaks_by by = 0;

	while (o->by && strcmp(o->by, leaks_names[by]))
		by++;
	return by;
}

int leaks_run(const struct command *c, const struct options *o)
{
	const u64 older_ms = o->given & OPTION_OLDER ? o->older_ms : OLDER_MS;
	const enum leaks_by by = leaks_by(o);
	struct options rows = *o;
	struct view v;

	if (by != LEAKS_BY_SITE && o->given & OPTION_RAW_IP)
		return fail("--raw-ip needs call sites, and --by %s has none: omit one", o->by);
	if (is_by_process(by)) {
		if (read_by_process(&v, o, by, older_ms))
			return -1;
	} else {
		if (read_objects(&v, o))
			return -1;
		leaks_make(&v, older_ms, by, NULL, NULL);
	}
	v.elsewhere = "pages are not objects: kmemacct pages lists them, the oldest first";
	rows.match.module = NULL;
	rows.match.site = NULL;
	return show(&v, &rows, c->keys);
}
