// SPDX-License-Identifier: GPL-2.0
/*
 * Slab caches whose objects the kernel can free when memory is short, such as dentries and inodes.
 *
 * Their creators set SLAB_RECLAIM_ACCOUNT, and /proc/meminfo counts them in SReclaimable.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "names.h"

bool reclaim_is_possible(const struct source *s, const char *cache)
{
	char *path = alloc_print("kernel/slab/%s/reclaim_account", cache), *slash, *text;
	bool possible;
	size_t len;

	/* In sysfs, names have `!` in place of slashes. */
	for (slash = path + strlen("kernel/slab/"); (slash = strchr(slash, '/')) &&
	     strcmp(slash, "/reclaim_account");)
		*slash = '!';
	text = source_sys(s, path, &len);
	possible = text && *text == '1';
	free(text);
	free(path);
	return possible;
}

#define OMIT	"omit --unreclaimable"

int reclaim_check(const struct source *s)
{
	char path[FILE_PATH];

	if (source_is_snapshot(s))
		return fail("a snapshot does not tell which caches are reclaimable: %s", OMIT);
	source_sys_path(path, "kernel/slab");
	return !access(path, F_OK) ? 0 :
	       fail("%s does not exist, so it is not known which caches are reclaimable: %s",
		    path, OMIT);
}
