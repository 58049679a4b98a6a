// SPDX-License-Identifier: GPL-2.0
/*
 * A second module with the sources of kmemacct_truth.  Tests load it after
 * kmemacct_truth has been unloaded; it may get the same addresses.
 */
#include "truth_main.c"
#include "truth_caches.c"
#include "truth_sites.c"
#include "truth_counts.c"
#include "truth_files.c"
#include "truth_objects.c"
#include "truth_plain.c"
#include "truth_krealloc.c"
#include "truth_ways.c"
#include "truth_place.c"
#include "truth_bulk.c"
#include "truth_rcu.c"
#include "truth_cycle.c"
#include "truth_partly.c"
#include "truth_charge.c"
#include "truth_storm.c"
