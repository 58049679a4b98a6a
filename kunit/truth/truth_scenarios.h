/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scenarios of kmemacct_truth.  truth_main.c has the table of their names.
 *
 * Context: process, may sleep; truth_lock is held.
 * Return: 0, or an error if the scenario could not be completed.
 */
#ifndef KMA_TRUTH_SCENARIOS_H
#define KMA_TRUTH_SCENARIOS_H

/* truth_plain.c */
int truth_run_constant(void);
int truth_run_runtime(void);
int truth_run_large(void);
int truth_run_nodes(void);
int truth_run_caches(void);
int truth_run_copies(void);
int truth_run_texts(void);
int truth_run_wrapped(void);
int truth_run_kvmalloc(void);
int truth_run_nothing(void);
int truth_run_failed(void);
int truth_run_failed_once(void);
int truth_run_many(void);
int truth_run_sampled(void);
int truth_run_leak(void);
int truth_run_mark(void);

/* truth_krealloc.c */
int truth_run_krealloc(void);
int truth_run_resize(void);

/* truth_ways.c */
int truth_run_ways(void);

/* truth_place.c */
int truth_run_cpus(void);
int truth_run_contexts(void);

/* truth_bulk.c */
int truth_run_bulk_alloc(void);
int truth_run_bulk_free(void);

/* truth_rcu.c */
int truth_run_kfree_rcu(void);
int truth_run_kvfree_rcu(void);
int truth_run_settle(void);

/* truth_cycle.c */
int truth_run_cycle(void);
int truth_run_merge_one(void);
int truth_run_merge_two(void);
int truth_run_unmerge(void);
int truth_run_merge_end(void);
int truth_run_doom(void);

/* truth_partly.c */
int truth_run_crossed(void);
int truth_run_typesafe(void);
int truth_run_kfence(void);

/* truth_charge.c */
int truth_run_charge(void);

/* truth_storm.c */
int truth_run_storm_start(void);
int truth_run_storm_stop(void);
int truth_run_drop(void);

/* ---- results of scenarios: lines of `values` ------------------------------ */

/* Number of calls that `nothing` makes of each kind, and number of calls of `failed`. */
#define TRUTH_NOTHINGS	500

/* Number of caches of `cycle` that had the address of the previous one. */
extern unsigned long truth_cycle_reused;

/* Number of objects of `typesafe` whose page was still a slab page after their free. */
extern unsigned long truth_typesafe_kept;

/* Count the live objects from KFENCE's pool. */
int truth_count_guarded(void);

/**
 * struct truth_charge - counters of `charge`
 * @failed: failed allocations that are not in @failed_large or @failed_bulk
 * @failed_large: failed calls of truth_charged_large()
 * @failed_bulk: objects that failed bulk allocations asked for
 * @made_large: calls of truth_charged_large()
 */
struct truth_charge {
	unsigned long failed;
	unsigned long failed_large;
	unsigned long failed_bulk;
	unsigned long made_large;
};

extern struct truth_charge truth_charge;

#endif /* KMA_TRUTH_SCENARIOS_H */
