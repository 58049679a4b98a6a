// SPDX-License-Identifier: GPL-2.0
/* The views of kmemacct top: which table each shows, and by which columns. */
#include <string.h>

#include "top.h"

/* ---- columns -------------------------------------------------------------- */

/* top_rows_update() adds which call sites and caches the kernel can shrink. */
static const struct top_spec object_specs[] = {
	{ "live_bytes", "live", TOP_VALUE, { "live_bytes" }, .total = true },
	{ "reclaimable", "", TOP_VALUE, { "reclaimable" }, .rank = 0 },
	{ "share", "share", TOP_SHARE, { "live_bytes" }, .rank = 4 },
	{ "live_objs", "objects", TOP_VALUE, { "live_objs" }, .rank = 3, .total = true },
	{ "growth", "growth/s", TOP_GROWTH, { "live_bytes" }, .rank = 0, .total = true },
	{ "allocs_per_s", "allocs/s", TOP_RATE, { "objs_alloc" }, .rank = 2, .total = true },
	{ "frees_per_s", "frees/s", TOP_RATE, { "frees" }, .rank = 5 },
	{ "bytes_per_s", "bytes/s", TOP_RATE, { "bytes_alloc" }, .rank = 6 },
	{}
};

static const struct top_spec stack_specs[] = {
	{ "live_bytes", "live", TOP_VALUE, { "live_bytes" }, .total = true },
	{ "share", "share", TOP_SHARE, { "live_bytes" }, .rank = 4 },
	{ "live_objs", "objects", TOP_VALUE, { "live_objs" }, .rank = 3, .total = true },
	{ "growth", "growth/s", TOP_GROWTH, { "live_bytes" }, .rank = 0, .total = true },
	{ "allocs_per_s", "allocs/s", TOP_RATE, { "objs_alloc" }, .rank = 2, .total = true },
	{ "frees_per_s", "frees/s", TOP_RATE, { "frees" }, .rank = 5 },
	{ "bytes_per_s", "bytes/s", TOP_RATE, { "bytes_alloc" }, .rank = 6 },
	{}
};

static const struct top_spec page_specs[] = {
	{ "live_kb", "live", TOP_VALUE, { "live_kb" }, .total = true },
	{ "share", "share", TOP_SHARE, { "live_kb" }, .rank = 4 },
	{ "live_allocs", "blocks", TOP_VALUE, { "live_allocs" }, .rank = 3, .total = true },
	{ "growth", "growth/s", TOP_GROWTH, { "live_kb" }, .rank = 0, .total = true },
	{ "allocs_per_s", "allocs/s", TOP_RATE, { "hits", "bulk_allocs" },
	  .rank = 2, .total = true },
	{ "frees_per_s", "frees/s", TOP_RATE, { "frees" }, .rank = 8 },
	{ "order", "order", TOP_VALUE, { "order" }, .rank = 5 },
	{ "migratetype", "migratetype", TOP_VALUE, { "migratetype" }, .rank = 6 },
	{ "gfp", "gfp", TOP_VALUE, { "gfp" }, .rank = 7 },
	{}
};

static const struct top_spec task_specs[] = {
	{ "net_pages", "net", TOP_VALUE, { "net_pages" }, .total = true },
	{ "growth", "growth/s", TOP_GROWTH, { "net_pages" }, .rank = 0, .total = true },
	{ "alloc_pages_per_s", "alloc/s", TOP_RATE, { "alloc_pages" }, .rank = 1, .total = true },
	{ "free_pages_per_s", "free/s", TOP_RATE, { "free_pages" }, .rank = 3, .total = true },
	{ "slab_bytes_per_s", "slab/s", TOP_RATE, { "slab_bytes" }, .rank = 4, .total = true },
	{ "stall_per_s", "stall/s", TOP_RATE, { "stall_us" }, .rank = 5, .total = true },
	{ "tgid", "tgid", TOP_VALUE, { "tgid" }, .rank = 2 },
	{}
};

static const struct top_spec cgroup_specs[] = {
	{ "net_pages", "net", TOP_VALUE, { "net_pages" }, .total = true },
	{ "growth", "growth/s", TOP_GROWTH, { "net_pages" }, .rank = 0, .total = true },
	{ "alloc_pages_per_s", "alloc/s", TOP_RATE, { "alloc_pages" }, .rank = 1, .total = true },
	{ "free_pages_per_s", "free/s", TOP_RATE, { "free_pages" }, .rank = 3, .total = true },
	{ "slab_bytes_per_s", "slab/s", TOP_RATE, { "slab_bytes" }, .rank = 4, .total = true },
	{ "stall_per_s", "stall/s", TOP_RATE, { "stall_us" }, .rank = 5, .total = true },
	{}
};

static const struct top_spec latency_specs[] = {
	{ "total_us", "total", TOP_VALUE, { "total_us" }, .rank = 0 },
	{ "time_per_s", "time/s", TOP_RATE, { "total_us" }, .rank = 0 },
	{ "count", "count", TOP_VALUE, { "count" }, .rank = 4 },
	{ "count_per_s", "count/s", TOP_RATE, { "count" }, .rank = 1 },
	{ "mean_us", "mean", TOP_VALUE, { "mean_us" }, .rank = 3 },
	{ "max_us", "max", TOP_VALUE, { "max_us" }, .rank = 2 },
	{}
};

static const struct top_spec shrinker_specs[] = {
	{ "total_us", "total", TOP_VALUE, { "total_us" }, .total = true },
	{ "share", "share", TOP_SHARE, { "total_us" }, .rank = 4 },
	{ "time_per_s", "time/s", TOP_RATE, { "total_us" }, .rank = 0, .total = true },
	{ "calls", "calls", TOP_VALUE, { "calls" }, .rank = 6 },
	{ "calls_per_s", "calls/s", TOP_RATE, { "calls" }, .rank = 1, .total = true },
	{ "mean_us", "mean", TOP_VALUE, { "mean_us" }, .rank = 5 },
	{ "max_us", "max", TOP_VALUE, { "max_us" }, .rank = 2 },
	{ "freed_per_s", "freed/s", TOP_RATE, { "freed" }, .rank = 3, .total = true },
	{}
};

static const struct top_spec stall_specs[] = {
	{ "total_us", "total", TOP_VALUE, { "total_us" }, .total = true },
	{ "share", "share", TOP_SHARE, { "total_us" }, .rank = 3 },
	{ "time_per_s", "time/s", TOP_RATE, { "total_us" }, .rank = 0, .total = true },
	{ "count", "count", TOP_VALUE, { "count" }, .rank = 5 },
	{ "count_per_s", "count/s", TOP_RATE, { "count" }, .rank = 1, .total = true },
	{ "mean_us", "mean", TOP_VALUE, { "mean_us" }, .rank = 4 },
	{ "max_us", "max", TOP_VALUE, { "max_us" }, .rank = 2 },
	{ "order", "order", TOP_VALUE, { "order" }, .rank = 6 },
	{ "gfp", "gfp", TOP_VALUE, { "gfp" }, .rank = 7 },
	{}
};

/* ---- views ---------------------------------------------------------------- */

/* A view of latency switches it on with the least cost; `functions` stays if it is set. */
#define NEED_LATENCY { \
	.name = "latency", .value = "on", .off = "Latency is not recorded.", \
}

const struct top_view top_views[TOP_NR_VIEWS] = {
	{
		.name = "callers", .row = "call sites",
		.specs = object_specs, .rate = "allocs_per_s",
	}, {
		.name = "caches", .row = "caches",
		.specs = object_specs, .rate = "allocs_per_s",
	}, {
		.name = "stacks", .row = "stacks",
		.specs = stack_specs, .rate = "allocs_per_s", .stacks = true,
		.need = {
			.name = "sample_bytes", .value = "512K",
			.off = "Stacks are recorded only while objects are sampled.",
			.effect =
				"From then on, all tables of objects show estimates, also after sampling has ended. For exact numbers, unload the module and load it again.",
		},
	}, {
		.name = "page_callers", .brief = "pages", .row = "rows",
		.specs = page_specs, .rate = "allocs_per_s",
		.need = {
			.name = "pages", .value = "sites",
			.off = "Call sites of pages are not tracked.",
			.effect = "Tracking takes 16 bytes for each page of RAM.",
		},
	}, {
		.name = "tasks", .row = "processes",
		.specs = task_specs, .rate = "alloc_pages_per_s",
		.need = {
			.name = "account", .value = "tasks", .list = true,
			.off = "Events are not counted by process.",
		},
	}, {
		.name = "cgroups", .row = "cgroups",
		.specs = cgroup_specs, .rate = "alloc_pages_per_s",
		.need = {
			.name = "account", .value = "cgroups", .list = true,
			.off = "Events are not counted by cgroup.",
		},
	}, {
		.name = "latency", .row = "phases",
		.specs = latency_specs, .rate = "time_per_s",
		.need = NEED_LATENCY,
		.note = "phases contain each other: do not add them up",
	}, {
		.name = "shrinkers", .row = "shrinkers",
		.specs = shrinker_specs, .rate = "time_per_s",
		.need = NEED_LATENCY,
	}, {
		.name = "stalls", .row = "rows",
		.specs = stall_specs, .rate = "time_per_s",
		.need = NEED_LATENCY,
	},
};

static int fail_view(const char *name)
{
	char names[256] = "use ";
	struct suggestion s;
	int i;

	suggest_begin(&s, name, strlen(name));
	for (i = 0; i < TOP_NR_VIEWS; i++) {
		strcat(names, i ? ", " : "");
		strcat(names, top_views[i].name);
		suggest_try(&s, top_views[i].name);
	}
	return suggest_fail(&s, names, "top has no view '%.64s'", name);
}

const char *top_view_name(int nr)
{
	return nr < TOP_NR_VIEWS ? top_views[nr].name : NULL;
}

int top_view_find(const char *name)
{
	int i;

	for (i = 0; i < TOP_NR_VIEWS; i++)
		if (suggest_is(top_views[i].name, name))
			return i;
	return fail_view(name);
}
