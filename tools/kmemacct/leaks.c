// SPDX-License-Identifier: GPL-2.0
/* Old objects, added up.  See the overview in leaks.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "derive.h"
#include "error.h"
#include "estimate.h"
#include "files.h"
#include "leaks.h"
#include "map.h"
#include "sort.h"

/* ---- columns -------------------------------------------------------------- */

/*
 * The first ones are about old objects.  all_bytes and samples are about all live objects of the
 * group, and old_pct is the part of all_bytes that is old.
 */
#define LEAKS_COLUMNS(X)			\
	X(live_bytes, U64, GAUGE, BYTES)	\
	X(live_objs, U64, GAUGE, OBJS)		\
	X(oldest_ms, U64, MAX, MS)		\
	X(old_pct, MILLI, RATIO, PCT)		\
	X(live_samples, U64, GAUGE, SAMPLES)	\
	X(live_bytes_se, U64, ERROR, BYTES)	\
	X(live_objs_se, U64, ERROR, OBJS)	\
	X(all_bytes, U64, GAUGE, BYTES)		\
	X(samples, U64, GAUGE, SAMPLES)		\
	X(all_bytes_se, U64, ERROR, BYTES)

static const struct column common_columns[] = { LEAKS_COLUMNS(COLUMN) };

enum {
#define X(name, ...) LEAK_##name,
	LEAKS_COLUMNS(X)
#undef X
	LEAK_NR
};

/* What each way to group needs: a column before the label, and the label. */
static const struct {
	struct column extra;
	const char *label;
} ways[LEAKS_BY_NR] = {
	[LEAKS_BY_SITE] = { {}, "site" },
	[LEAKS_BY_MODULE] = { {}, "module" },
	[LEAKS_BY_NODE] = { { "node", COLUMN_ID, KIND_KEY }, NULL },
	[LEAKS_BY_PID] = { { "pid", COLUMN_ID, KIND_KEY }, "comm" },
	[LEAKS_BY_COMM] = { { "processes", COLUMN_U64, KIND_GAUGE }, "comm" },
	[LEAKS_BY_CGROUP] = { { "processes", COLUMN_U64, KIND_GAUGE }, "cgroup" },
};

const char * const leaks_names[LEAKS_BY_NR + 1] = {
	[LEAKS_BY_SITE] = "site",
	[LEAKS_BY_MODULE] = "module",
	[LEAKS_BY_NODE] = "node",
	[LEAKS_BY_PID] = "pid",
	[LEAKS_BY_COMM] = "comm",
	[LEAKS_BY_CGROUP] = "cgroup",
};

enum leaks_by leaks_find(const char *name)
{
	enum leaks_by by = 0;

	while (strcmp(name, leaks_names[by]))
		by++;
	return by;
}

static bool is_by_process(enum leaks_by by)
{
	return by == LEAKS_BY_PID || by == LEAKS_BY_COMM || by == LEAKS_BY_CGROUP;
}

static void make_columns(struct column columns[LEAK_NR + 2], enum leaks_by by)
{
	int nr = LEAK_NR;

	memcpy(columns, common_columns, sizeof(common_columns));
	columns[LEAK_old_pct].title = "old";
	columns[LEAK_all_bytes].hidden = true;
	columns[LEAK_samples].hidden = true;
	if (ways[by].extra.name)
		columns[nr++] = ways[by].extra;
	columns[nr] = (struct column) { ways[by].label, COLUMN_LABEL };
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
	GROUP_KNOWN,
	GROUP_ENDED,
	GROUP_INTERRUPT,
	GROUP_NR
};

/**
 * struct group - objects that have a row together
 * @label: its label
 * @id: its node or PID, if it has one
 * @kind: what is known of its processes
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

/* In place of the index of a group or of an owner. */
#define NONE		((size_t)-1)

/**
 * struct owner - the process, or the processes, that had a PID when objects were allocated
 * @process: the process that has it now, or all zeroes
 * @found: there is such a process
 * @group: index of the group of its objects, and of those of an earlier process; or NONE
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
 * @by: what they are grouped by
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
 * @special: index of the group of each kind but GROUP_KNOWN that is not of a PID; or NONE
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
	size_t special[GROUP_NR];
	struct sums unclear;
};

/* Return: an index that was inserted, or NONE. */
static size_t find_index(const struct map *m, const void *key)
{
	const uintptr_t *index = map_find(m, key);

	return index ? *index : NONE;
}

static size_t insert_index(struct map *m, const void *key, size_t index)
{
	map_put(m, key, index);
	return index;
}

/* Make room for one more in an array.  Return: the array, which may have been moved. */
static void *grow(void *array, size_t nr, size_t *room, size_t size)
{
	void *more;

	if (nr < *room)
		return array;
	more = alloc(2 * *room + 64, size);
	if (nr)
		memcpy(more, array, nr * size);
	free(array);
	*room = 2 * *room + 64;
	return more;
}

/* Return: index of a new group. */
static size_t new_group(struct leaks *l, const char *label, u64 id, enum kind_of_group kind)
{
	l->groups = grow(l->groups, l->nr, &l->room, sizeof(*l->groups));
	l->groups[l->nr] = (struct group) { .label = label, .id = id, .kind = kind };
	return l->nr++;
}

static size_t group_of_label(struct leaks *l, const char *label)
{
	size_t i = find_index(&l->by_label, label);

	return i != NONE ? i : insert_index(&l->by_label, label,
					    new_group(l, label, NO_ID, GROUP_KNOWN));
}

static size_t group_of_id(struct leaks *l, const u64 *id)
{
	size_t i = find_index(&l->by_id, id);

	return i != NONE ? i : insert_index(&l->by_id, id, new_group(l, "", *id, GROUP_KNOWN));
}

/* ---- groups of processes -------------------------------------------------- */

static struct owner *owner_of(struct leaks *l, const u64 *pid)
{
	size_t i = find_index(&l->by_id, pid);
	struct owner *o;

	if (i != NONE)
		return &l->owners[i];
	l->owners = grow(l->owners, l->nr_owners, &l->owners_room, sizeof(*l->owners));
	o = &l->owners[insert_index(&l->by_id, pid, l->nr_owners++)];
	*o = (struct owner) { .group = { NONE, NONE } };
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

/* A process may have the name of such a group, but is not in it. */
static size_t special_group(struct leaks *l, const char *label, enum kind_of_group kind)
{
	if (l->special[kind] == NONE)
		l->special[kind] = new_group(l, label, NO_ID, kind);
	return l->special[kind];
}

/* Return: the group of the process that has the PID now, or of one that had it before. */
static size_t group_of_process(struct leaks *l, const struct owner *o, const u64 *pid, bool earlier)
{
	const char *name = earlier ? kept_name(l, o, pid) : o->process.comm;

	if (l->by == LEAKS_BY_PID)
		return new_group(l, name ? name : "[ended]", *pid,
				 name ? GROUP_KNOWN : GROUP_ENDED);
	if (earlier && !name)
		return special_group(l, "[ended tasks]", GROUP_ENDED);
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
		return special_group(l, "[interrupt]", GROUP_INTERRUPT);
	o = owner_of(l, pid);
	if (o->found)
		match = process_match(&o->process, l->moment, object->v[ALLOC_age_ms]);
	if (match == PROCESS_UNCLEAR && old)
		add_object(&l->unclear, object);
	earlier = match == PROCESS_YOUNGER;
	if (o->group[earlier] == NONE)
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
		return group_of_label(l, derive_module_of(object->label));
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

/* Say what a group of processes means, and how many bytes have none. */
static char *make_note(const struct leaks *l)
{
	char all[NUMBER_LEN], interrupt[NUMBER_LEN], ended[NUMBER_LEN], unclear[NUMBER_LEN];
	struct sums sum = {}, part = {};
	char *note = NULL;
	FILE *text;
	size_t len;

	add_kind(l, GROUP_INTERRUPT, &sum);
	print_bytes(interrupt, &sum);
	add_kind(l, GROUP_ENDED, &part);
	print_bytes(ended, &part);
	add_kind(l, GROUP_ENDED, &sum);
	print_bytes(all, &sum);
	print_bytes(unclear, &l->unclear);
	text = open_memstream(&note, &len);
	alloc_check(text);
	fputs(ATTRIBUTED, text);
	if (sum.bytes)
		fprintf(text, "; %s not attributed: %s from interrupts, %s from ended processes",
			all, interrupt, ended);
	if (l->unclear.bytes)
		fprintf(text, "; %s may be of an earlier process with the same PID", unclear);
	alloc_check(!fclose(text));
	return note;
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
	const struct owner *o;
	size_t i, nr = 0;

	t->strings = alloc(2 * l->nr_owners + 1, sizeof(*t->strings));
	for (i = 0; i < l->nr_owners; i++) {
		o = &l->owners[i];
		if (o->process.comm)
			t->strings[nr++] = o->process.comm;
		if (o->process.cgroup)
			t->strings[nr++] = o->process.cgroup;
	}
}

/* An empty table is good news, and should say so. */
static void tell_empty(struct table *t, u64 older_ms)
{
	char age[NUMBER_LEN];

	if (t->nr_rows || !older_ms)
		return;
	number_print_age(age, older_ms);
	alloc_check(asprintf(&t->advice, "no %s is %s old: --older-than takes less",
			     t->filtered ? "object that matches" : "live object", age) >= 0);
}

struct table *leaks_table(struct table *allocs, u64 older_ms, enum leaks_by by,
			  const struct moment *moment, struct table *names)
{
	struct leaks l = {
		.by = by, .older_ms = older_ms, .moment = moment,
		.by_label.compare = map_compare_texts,
		.by_id.compare = map_compare_numbers,
		.kept.compare = map_compare_numbers,
		.special = { NONE, NONE, NONE },
	};
	struct column columns[LEAK_NR + 2];
	struct table *t;
	size_t i;

	make_columns(columns, by);
	if (names)
		keep_names(&l, names);
	for (i = 0; i < allocs->nr_rows; i++)
		add_to_group(&l, allocs->rows[i]);
	t = table_new("leaks", columns, allocs->sampled, l.nr);
	t->from[0] = allocs;
	t->from[1] = names;
	table_inherit(t, allocs);
	t->filtered = allocs->filtered;
	for (i = 0; i < l.nr; i++)
		put_group(t, &l.groups[i], by);
	if (is_by_process(by))
		t->text = make_note(&l);
	t->note = t->text;
	move_names(&l, t);
	free_leaks(&l);
	sort_by_label(t);
	tell_empty(t, older_ms);
	return t;
}

/* ---- the files ------------------------------------------------------------ */

/*
 * Read the table of names, if the module keeps them.
 * Return: 0, or -1 after calling fail().
 */
static int read_names(const struct control *c, struct table **names)
{
	*names = NULL;
	if (!control_lists(c, "account", "tasks"))
		return 0;
	*names = files_table("tasks");
	return *names ? 0 : -1;
}

static bool has_ended(const struct table *t)
{
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		if (!strncmp(t->rows[i]->label, "[ended", 6))
			return true;
	return false;
}

/* Say how names can be kept. */
static void advise(struct table *t, const struct control *c)
{
	const char *account = control_value(c, "account");
	char *command;

	if (t->advice || t->from[1] || !account || !has_ended(t))
		return;
	command = control_enable_command(account, "tasks");
	alloc_check(asprintf(&t->advice, "to keep names of processes: %s", command) >= 0);
	free(command);
}

static struct table *read_objects(const struct rows_match *objects)
{
	struct table *t = files_table("allocs");

	if (t && rows_select(t, objects)) {
		table_free(t);
		return NULL;
	}
	return t;
}

static struct table *read_by_process(u64 older_ms, enum leaks_by by,
				     const struct rows_match *objects)
{
	struct table *allocs = NULL, *names = NULL, *t;
	struct moment moment = {};
	struct control c;

	if (files_is_snapshot()) {
		fail("--by %s needs the machine's processes, and a snapshot has none: omit -i",
		     leaks_names[by]);
		return NULL;
	}
	if (!process_is_initial()) {
		fail("--by %s needs the machine's PIDs, and this is a container: run it outside",
		     leaks_names[by]);
		return NULL;
	}
	if (control_read(&c))
		return NULL;
	process_clock(&moment);
	allocs = read_objects(objects);
	process_clock(&moment);
	if (!allocs || read_names(&c, &names)) {
		table_free(allocs);
		control_free(&c);
		return NULL;
	}
	t = leaks_table(allocs, older_ms, by, &moment, names);
	if (by != LEAKS_BY_CGROUP)
		advise(t, &c);
	control_free(&c);
	return t;
}

struct table *leaks_read(u64 older_ms, enum leaks_by by, const struct rows_match *objects)
{
	struct table *allocs;

	if (is_by_process(by))
		return read_by_process(older_ms, by, objects);
	allocs = read_objects(objects);
	return allocs ? leaks_table(allocs, older_ms, by, NULL, NULL) : NULL;
}
