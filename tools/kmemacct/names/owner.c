// SPDX-License-Identifier: GPL-2.0
/* Owners of objects by their number.  See names.h. */
#include <stdlib.h>
#include <string.h>

#include "names.h"

/* Values of the column charged_id, and numbers of owners, that do not stand for a cgroup. */
#define CHARGED_NONE		0
#define NUMBER_OTHER		1
#define NUMBER_INTERRUPT	2
/* Numbers have 16 bits. */
#define NUMBERS			65536
/* Follows the path of a cgroup that was removed. */
#define REMOVED			" (removed)"

/**
 * struct owners - the owners
 * @table: the table owners, whose labels are the names
 * @cgroups: the table owner_cgroups
 * @by_id: the text of each cgroup by its ID
 * @paths: texts that are not in a table
 * @nr_paths: number of @paths
 * @room: number of texts that @paths has memory for
 * @owner: the owners by their number; without a name if there is none
 */
struct owners {
	struct table *table;
	struct table *cgroups;
	struct map by_id;
	char **paths;
	size_t nr_paths, room;
	struct owner owner[NUMBERS];
};

static const struct owner not_recorded = {
	OWNER_NOT_RECORDED, "[not recorded]", "[not recorded]", "[not recorded]",
};

static const char *keep_path(struct owners *o, char *path)
{
	o->paths = alloc_more(o->paths, o->nr_paths, &o->room, sizeof(*o->paths));
	return o->paths[o->nr_paths++] = path;
}

static void add_cgroup(struct owners *o, const struct row *row)
{
	const char *path = row->label;

	if (row->v[OWNER_CGROUP_removed])
		path = keep_path(o, alloc_print("%s" REMOVED, path));
	map_put(&o->by_id, &row->v[OWNER_CGROUP_cgroup_id], (uintptr_t)path);
}

static const char *path_of(struct owners *o, const u64 *id)
{
	const uintptr_t *path = map_find(&o->by_id, id);

	if (!path) {
		map_put(&o->by_id, id, (uintptr_t)keep_path(o, alloc_print("#%llu", *id)));
		path = map_find(&o->by_id, id);
	}
	return (const char *)*path;
}

const char *owners_charged(struct owners *o, const u64 *id)
{
	if (*id == NO_ID)
		return "[not known]";
	return *id == CHARGED_NONE ? "[not charged]" : path_of(o, id);
}

static void add_owner(struct owners *o, const struct row *row)
{
	const u64 number = row->v[OWNER_owner], *cgroup = &row->v[OWNER_cgroup_id];
	struct owner *owner;

	if (number >= NUMBERS)
		return;
	owner = &o->owner[number];
	owner->kind = number == NUMBER_OTHER ? OWNER_NOT_RECORDED :
		      *cgroup == NO_ID ? OWNER_INTERRUPT : OWNER_PROCESS;
	owner->comm = row->label;
	owner->cgroup = *cgroup == NO_ID ? row->label : path_of(o, cgroup);
	owner->charged = number == NUMBER_OTHER ? row->label :
			 owners_charged(o, &row->v[OWNER_charged_id]);
}

struct owners *owners_read(const struct source *s)
{
	struct owners *o = alloc(1, sizeof(*o));
	size_t i;

	o->by_id.compare = map_compare_numbers;
	o->table = source_table(s, "owners");
	/* This comes after the owners, so that it has the cgroups of all of them. */
	o->cgroups = o->table ? source_table(s, "owner_cgroups") : NULL;
	if (!o->cgroups) {
		owners_free(o);
		return NULL;
	}
	for (i = 0; i < o->cgroups->nr_rows; i++)
		add_cgroup(o, o->cgroups->rows[i]);
	for (i = 0; i < o->table->nr_rows; i++)
		add_owner(o, o->table->rows[i]);
	return o;
}

void owners_free(struct owners *o)
{
	size_t i;

	if (!o)
		return;
	map_clear(&o->by_id);
	for (i = 0; i < o->nr_paths; i++)
		free(o->paths[i]);
	free(o->paths);
	table_free(o->table);
	table_free(o->cgroups);
	free(o);
}

const struct owner *owners_find(const struct owners *o, u64 number)
{
	return number < NUMBERS && o->owner[number].comm ? &o->owner[number] : &not_recorded;
}

static bool is_below(const char *path, const char *cgroup)
{
	size_t len = strlen(cgroup);

	/* The root, or a path that a shell has completed. */
	while (len && cgroup[len - 1] == '/')
		len--;
	return !strncmp(path, cgroup, len) &&
	       (!path[len] || path[len] == '/' || !strcmp(path + len, REMOVED));
}

bool owner_is_in(const struct owner *owner, const char *cgroup)
{
	return owner->kind == OWNER_PROCESS && is_below(owner->cgroup, cgroup);
}

int owners_check_cgroup(const struct owners *o, const char *cgroup)
{
	const struct table *t = o->cgroups;
	size_t i;

	for (i = 0; i < t->nr_rows; i++)
		if (is_below(t->rows[i]->label, cgroup))
			return 0;
	if (source_is_snapshot(t->source))
		return fail("%s: the snapshot has no cgroup '%.256s'", source_path(t->source),
			    cgroup);
	return exist_cgroup(cgroup);
}

bool owners_are_same(const struct owners *before, const struct owners *after)
{
	return table_number(before->table, "recycled") == table_number(after->table, "recycled");
}
