# SPDX-License-Identifier: GPL-2.0
"""Sums over the whole machine that have to agree."""
import re
from collections import Counter
from pathlib import Path

from compare import slab_attribute
from harness import Failed, check_equal
from table import Table, control, pairs_of

# Rows of `summary` that are sums over rows of `callers` and `caches`: name to column
SUMS = {"bytes_requested": "bytes_req", "bytes_allocated": "bytes_alloc",
        "bytes_freed": "bytes_freed", "cross_node_allocs": "cross_node",
        "allocs": "hits", "objs_alloc": "objs_alloc", "live_bytes": "live_bytes", "live_objs": "live_objs",
        "frees": "frees", "pingpong": "pingpong", "bulk_objs": "bulk_objs",
        "bulk_bytes": "bulk_bytes", "confirmed_bytes": "confirmed_bytes"}


def identities(s):
    """Pairs of sums of `stats` that are equal when no event is in flight: module/core/stat.h."""
    return {
        "allocation events": (
            s["events_kmalloc"] + s["events_kmem_cache_alloc"] +
            s["bulk_allocs"] + s["nolock_allocs"],
            s["recorded_allocs"] + s["recorded_bulk"] + s["alloc_failed"] +
            s["alloc_zero_size"] + s["alloc_off"] + s["alloc_filtered"] +
            s["alloc_unsampled"] + s["double_fired"] +
            s["dropped_sites_full"]),
        "free events": (
            s["events_kfree"] + s["events_kmem_cache_free"] + s["bulk_frees"] +
            s["nolock_frees"] +
            s["rcu_pending"],
            s["recorded_frees"] + s["free_null"] + s["free_zero_size"] +
            s["free_unmatched"]),
    }


TRIES = 200


def check_identities(*names):
    """Check that the identities hold exactly: all of them, or those with these names.

    A snapshot reads one counter after another, so an event in between may be in one
    counter and not yet in another.  The next snapshot no longer has this difference, but
    a miscount stays in every later snapshot.  So one exact snapshot is proof enough.
    """
    for _ in range(TRIES):
        pairs = identities(pairs_of("stats"))
        if all(left == right for left, right in
                (pairs[name] for name in names or pairs)):
            return
    raise Failed(f"stats does not add up in any of {TRIES} tries; the last one: {pairs}")


def quiet_tables():
    """Return callers, caches, allocs and summary, all read in the same state.

    Reading a table allocates and frees, too.  With `enabled 0` no object is added, so only
    frees can change the tables.  If the summaries read before and after the tables are
    equal, nothing was freed in between.
    """
    control("enabled 0")
    try:
        for _ in range(TRIES):
            before = pairs_of("summary")
            tables = [Table(name) for name in ("callers", "caches", "allocs")]
            after = pairs_of("summary")
            if all(before[key] == after[key] for key in SUMS):
                return *tables, after
    finally:
        control("enabled 1")
    raise Failed(f"no quiet moment in {TRIES} tries")


def check_sums():
    """Check that all tables agree on the sums and on the live objects of each site."""
    callers, caches, allocs, summary = quiet_tables()
    for name, column in SUMS.items():
        check_equal(f"sum of {column} over callers", summary[name],
                    callers.sum(column))
        check_equal(f"sum of {column} over caches", summary[name],
                    caches.sum(column))
    check_equal("bytes_net", summary["bytes_net"],
                summary["bytes_allocated"] + summary["bulk_bytes"] -
                summary["bytes_freed"])
    check_equal("sum of no_entry over callers and caches",
                callers.sum("no_entry"), caches.sum("no_entry"))
    check_equal("objects in allocs", summary["live_objs"], len(allocs.rows))
    check_equal("bytes in allocs", summary["live_bytes"], allocs.sum("bytes_alloc"))
    of_site = Counter(row["site"] for row in allocs.rows)
    for row in callers.rows:
        check_equal(f"objects of {row['site']} in allocs", row["live_objs"],
                    of_site[row["site"]])
    check_identities()
    return callers, caches, summary


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
        check_equal(f"bulk_bytes of {name}", row["bulk_objs"] * size,
                    row["bulk_bytes"])
        checked += 1
    return checked
