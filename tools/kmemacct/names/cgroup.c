// SPDX-License-Identifier: GPL-2.0
/* Paths of cgroups by their ID.  See names.h. */
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "names.h"

struct cgroups {
	struct map by_id;
	struct cgroup_path {
		u64 id;
		char *path;
	} *paths;
	size_t nr;
	size_t room;
};

/* The ID of a cgroup is the inode number of its directory. */
static void read_tree(struct cgroups *c, char *mount)
{
	FTS *tree = fts_open((char * const []) { mount, NULL }, FTS_PHYSICAL | FTS_XDEV, NULL);
	const size_t len = strlen(mount);
	FTSENT *entry;

	while (tree && (entry = fts_read(tree))) {
		if (entry->fts_info != FTS_D)
			continue;
		c->paths = alloc_more(c->paths, c->nr, &c->room, sizeof(*c->paths));
		c->paths[c->nr++] = (struct cgroup_path) {
			entry->fts_statp->st_ino,
			text_clean(alloc_copy(entry->fts_path[len] ? entry->fts_path + len : "/")),
		};
	}
	if (tree)
		fts_close(tree);
}

struct cgroups *cgroups_read(const struct source *s)
{
	char mount[FILE_PATH];
	struct cgroups *c;
	size_t i;

	if (source_is_snapshot(s) || !source_mount("cgroup2", mount))
		return NULL;
	c = alloc(1, sizeof(*c));
	c->by_id.compare = map_compare_numbers;
	read_tree(c, mount);
	for (i = 0; i < c->nr; i++)
		if (!map_find(&c->by_id, &c->paths[i].id))
			map_put(&c->by_id, &c->paths[i].id, (uintptr_t)c->paths[i].path);
	return c;
}

void cgroups_free(struct cgroups *c)
{
	size_t i;

	if (!c)
		return;
	map_clear(&c->by_id);
	for (i = 0; i < c->nr; i++)
		free(c->paths[i].path);
	free(c->paths);
	free(c);
}

const char *cgroups_path(const struct cgroups *c, u64 id)
{
	const uintptr_t *path = c ? map_find(&c->by_id, &id) : NULL;

	return path ? (const char *)*path : NULL;
}
