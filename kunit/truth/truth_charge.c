// SPDX-License-Identifier: GPL-2.0
/* Scenario: allocations that fail because their cgroup has reached its limit. */
#include "truth_objects.h"
#include "truth_scenarios.h"

#define TRUTH_CHARGE_FAILURES	100

struct truth_charge truth_charge;

/* Return: 0 also if there was no memory, which is counted in @failed. */
static int truth_charge_one(enum truth_site_id id, size_t size,
			    unsigned long *failed)
{
	int ret = truth_make(id, size, NUMA_NO_NODE, 1);

	*failed += ret == -ENOMEM;
	return ret == -ENOMEM ? 0 : ret;
}

/* Allocate until this task's cgroup is at its limit; end after 100 rounds of failures. */
int truth_run_charge(void)
{
	static const int bulk = 16;
	int i, left = TRUTH_CHARGE_FAILURES, ret = 0, had = truth_nr_live;
	unsigned long failed;

	for (i = 0; !ret && left > 0; i++) {
		failed = truth_charge.failed;
		truth_charge.made_large++;
		ret = truth_charge_one(TRUTH_charged_large, 8193 + i % 8000,
				       &truth_charge.failed_large) ?:
		      truth_charge_one(TRUTH_charged_const, 20000,
				       &truth_charge.failed) ?:
		      truth_charge_one(TRUTH_charged_kmalloc, 1 + i % 8192,
				       &truth_charge.failed) ?:
		      truth_charge_one(TRUTH_charged_cache, 75,
				       &truth_charge.failed);
		if (!ret && truth_make_bulk(TRUTH_charged_bulk, bulk))
			truth_charge.failed_bulk += bulk;
		/* At the limit, all three allocations that count in `failed` fail. */
		left -= truth_charge.failed - failed == 3;
	}
	/* Make room for the tasks in the cgroup; some objects stay. */
	while (truth_nr_live > had + 2 * bulk)
		truth_drop(1);
	return ret;
}
