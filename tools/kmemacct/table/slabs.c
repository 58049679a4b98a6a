// SPDX-License-Identifier: GPL-2.0
/*
 * Slab caches whose objects the kernel can free when memory is short, such as dentries and inodes.
 *
 * Their creators set SLAB_RECLAIM_ACCOUNT, which sysfs shows, and /proc/meminfo counts them in
 * SReclaimable.  A snapshot has a list of their names.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot.h"

/* List the name of a cache if it is reclaimable.  Return: false if sysfs does not say. */
static bool add_cache(FILE *list, char *name)
{
	char *file = alloc_print("kernel/slab/%s/reclaim_account", name), *text, *c;
	size_t len;
	bool known;

	text = source_sys(&module_source, file, &len);
	/* In sysfs, names have `!` in place of slashes. */
	for (c = name; (c = strchr(c, '!'));)
		*c = '/';
	if (text && *text == '1')
		fprintf(list, "%s\n", name);
	known = text;
	free(file);
	free(text);
	return known;
}

/* Read sysfs, where a cache that was merged into another one has a link to that. */
static char *read_caches(size_t *len)
{
	char path[FILE_PATH], *names;
	struct dirent *entry;
	size_t known = 0;
	FILE *list;
	DIR *dir;

	source_sys_path(path, "kernel/slab");
	dir = opendir(path);
	if (!dir)
		return NULL;
	list = text_open(&names, len);
	while ((entry = readdir(dir)))
		known += add_cache(list, entry->d_name);
	text_close(list);
	closedir(dir);
	if (known)
		return names;
	free(names);
	return NULL;
}

char *slabs_reclaimable(const struct source *s, size_t *len)
{
	const struct member *m;

	if (!source_is_snapshot(s))
		return read_caches(len);
	m = archive_find(&s->files, SNAPSHOT_RECLAIMABLE);
	*len = m ? m->len : 0;
	return m ? alloc_copy(m->text) : NULL;
}
