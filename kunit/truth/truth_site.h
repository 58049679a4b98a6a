/* SPDX-License-Identifier: GPL-2.0 */
/* The table of a module's call sites, made from its list TRUTH_SITES(): see truth_sites.h. */
#ifndef KMA_TRUTH_SITE_H
#define KMA_TRUTH_SITE_H

#include <linux/types.h>

#include "truth_caches.h"

enum truth_site_id {
#define X(name, ...) TRUTH_##name,
	TRUTH_SITES(X)
#undef X
	TRUTH_init,
	TRUTH_NR
};

/**
 * struct truth_site - a call site
 * @name: the function that is the call site; NULL if the module does not have it
 * @cache: the cache of its objects
 * @alloc: the function, which returns an object, or NULL
 */
struct truth_site {
	const char *name;
	enum truth_cache_id cache;
	void *(*alloc)(size_t size, int node);
};

extern struct truth_site truth_sites[TRUTH_NR];

#endif /* KMA_TRUTH_SITE_H */
