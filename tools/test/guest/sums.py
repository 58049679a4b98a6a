# SPDX-License-Identifier: GPL-2.0
"""Sums over the whole machine that have to agree."""
import re
from collections import Counter
from pathlib import Path

from compare import check_all_freed, compare, compare_after, slab_attribute
from harness import check_equal
from table import Table, pairs_of, quiet, until_equal
from truth import SCENARIOS

# Rows of `summary` that are sums over rows of `callers` and `caches`: name to column
SUMS = {"bytes_requested": "bytes_req", "bytes_allocated": "bytes_alloc",
        "bytes_freed": "bytes_freed", "cross_node_allocs": "cross_node",
        "allocs": "hits", "objs_alloc": "objs_alloc", "live_bytes": "live_bytes",
        "live_objs": "live_objs", "frees": "frees", "pingpong": "pingpong",
        "bulk_objs": "bulk_objs", "bulk_bytes": "bulk_bytes", "confirmed_bytes": "confirmed_bytes"}

# Pairs of sums of `stats` that are equal when no event is in flight: module/core/stat.h
IDENTITIES = {
    "allocation events": (
        ("events_kmalloc", "events_kmem_cache_alloc", "bulk_allocs", "nolock_allocs"),
        ("recorded_allocs", "recorded_bulk", "alloc_failed", "alloc_zero_size", "alloc_off",
         "alloc_filtered", "alloc_unsampled", "double_fired", "dropped_sites_full")),
    "free events": (
        ("events_kfree", "events_kmem_cache_free", "bulk_frees", "nolock_frees", "rcu_pending"),
        ("recorded_frees", "free_null", "free_zero_size", "free_unmatched")),
}


def check_identities(*names):
    """Check that the identities hold exactly: all of them, or those with these names.

    Return the `stats` for which they do.
    """
    def read():
        stats = pairs_of("stats")
        return *([sum(map(stats.__getitem__, IDENTITIES[name][side]))
                  for name in names or IDENTITIES] for side in (0, 1)), stats
    return until_equal("sums of stats", read)[2]


def check_pairs(column, key, table, pairs):
    """Check that the rows of `cache_sites` add up to those by cache, or by call site."""
    sums = Counter()
    for row in pairs.rows:
        cache, _, site = row["cache_site"].rpartition(";")
        sums[cache if key == "cache" else site] += row[column]
    check_equal(f"{column} of cache_sites, by {key}", {row[key]: row[column] for row in table.rows},
                dict(sums))


def check_sums():
    """Check that all tables agree on the sums and on the live objects of each site."""
    (callers, caches, pairs, allocs), summary = quiet(
        lambda: [Table(name) for name in ("callers", "caches", "cache_sites", "allocs")],
        "summary", SUMS)
    for name, column in SUMS.items():
        check_equal(f"sum of {column} over callers", summary[name], callers.sum(column))
        check_equal(f"sum of {column} over caches", summary[name], caches.sum(column))
        for key, table in (("cache", caches), ("site", callers)):
            check_pairs(column, key, table, pairs)
    check_equal("bytes_net", summary["bytes_net"],
                summary["bytes_allocated"] + summary["bulk_bytes"] - summary["bytes_freed"])
    check_equal("sum of no_entry over callers and caches",
                callers.sum("no_entry"), caches.sum("no_entry"))
    check_equal("objects in allocs", summary["live_objs"], len(allocs.rows))
    check_equal("bytes in allocs", summary["live_bytes"], allocs.sum("bytes_alloc"))
    of_site = Counter(row["site"] for row in allocs.rows)
    for row in callers.rows:
        check_equal(f"objects of {row['site']} in allocs", row["live_objs"], of_site[row["site"]])
    check_identities()
    return callers, caches, summary


def check_dropped(known):
    """Free all objects of the truth, and check that each free was seen and all sums agree."""
    compare_after(known, "drop")
    check_all_freed(known)
    return check_sums()


def check_scenarios(known):
    """Let the truth do all that it can, and compare all columns after each step."""
    compare(known, "after insmod")
    compare_after(known, *SCENARIOS)
    check_dropped(known)


def check_cache_rows(caches):
    """Check the slot sizes of all rows whose cache still exists.  Return their number."""
    checked = 0
    for row in caches.rows:
        name = row["cache"]
        kmalloc = re.fullmatch(r"kmalloc-(?:large-)?(\d+)(k?)", name)
        if kmalloc:
            size = int(kmalloc[1]) * (1024 if kmalloc[2] else 1)
        elif Path("/sys/kernel/slab", name).exists():
            size = slab_attribute(name, "slab_size")
        else:
            continue
        check_equal(f"bytes_alloc of {name}", row["hits"] * size, row["bytes_alloc"])
        check_equal(f"bulk_bytes of {name}", row["bulk_objs"] * size, row["bulk_bytes"])
        checked += 1
    return checked
