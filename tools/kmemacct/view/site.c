// SPDX-License-Identifier: GPL-2.0
/* Names of call sites, `symbol+0xoff [module]`. */
#include <string.h>

#include "view.h"

const char *site_of_cache(const char *label, const char *cache)
{
	const char *end = strrchr(label, ';');

	if (!end || (cache && ((size_t)(end - label) != strlen(cache) ||
			       strncmp(label, cache, end - label))))
		return NULL;
	return end + 1;
}

const char *site_module(const char *site, size_t *len)
{
	const char *open = strstr(site, " [");

	*len = open ? strcspn(open + 2, "]") : strlen("kernel");
	return open ? open + 2 : *site == '[' ? NULL : "kernel";
}
