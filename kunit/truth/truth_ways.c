// SPDX-License-Identifier: GPL-2.0
/* Scenario: two functions call the same call site, at the same depth of the stack. */
#include <linux/compiler.h>

#include "truth_objects.h"
#include "truth_scenarios.h"

/* So large that each object is a sample if one byte in 4 KiB is sampled. */
#define TRUTH_WAY_BYTES	300000
/* Number of calls for each depth; half of them are by either function. */
#define TRUTH_WAYS	20
#define TRUTH_DEPTHS	3

static noinline __noclone int truth_way_on(int depth)
{
	int ret = depth ? truth_way_on(depth - 1) :
			  truth_make(TRUTH_way, TRUTH_WAY_BYTES, NUMA_NO_NODE, 1);

	/* Without this barrier, the call would be a tail call, which leaves no frame. */
	OPTIMIZER_HIDE_VAR(ret);
	return ret;
}

static noinline __noclone int truth_one_way(int depth)
{
	int ret = truth_way_on(depth);

	asm volatile("# one" : "+r" (ret));
	return ret;
}

static noinline __noclone int truth_other_way(int depth)
{
	int ret = truth_way_on(depth);

	asm volatile("# other" : "+r" (ret));
	return ret;
}

/*
 * The functions take turns, two rounds each.  Their frames are at the same place on the
 * stack, and all other frames are the same: only their return addresses differ.
 */
int truth_run_ways(void)
{
	int i, depth, ret = 0;

	for (i = 0; !ret && i < TRUTH_WAYS * TRUTH_DEPTHS; i++) {
		depth = i % TRUTH_DEPTHS;
		ret = i / TRUTH_DEPTHS % 4 < 2 ? truth_one_way(depth) :
						 truth_other_way(depth);
		truth_drop(1);
	}
	return ret;
}
