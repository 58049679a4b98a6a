/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scenarios of kmemacct_truth.  truth_main.c has the table of their names.
 *
 * Context: process, may sleep; truth_lock is held.
 * Return: 0, or an error if the truth could not be made.
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
int truth_run_kvmalloc(void);
int truth_run_nothing(void);
int truth_run_failed(void);
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

/* ---- what they found out: the lines of `values` --------------------------- */

/* Calls of each kind that `nothing` and `failed` make. */
#define TRUTH_NOTHINGS	500

/* Caches of `cycle` that had the address of the one before. */
extern unsigned long truth_cycle_reused;

/* Objects of `typesafe` that were on a slab page after they had been freed. */
extern unsigned long truth_typesafe_kept;

/* Live objects from KFENCE's pool. */
int truth_count_guarded(void);

/**
 * struct truth_charge - what `charge` asked for
 * @failed: allocations that failed, but for the next two
 * @failed_large: those of truth_charged_large()
 * @failed_bulk: objects of bulk allocations that failed
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
