# SPDX-License-Identifier: GPL-2.0
"""Tests of kmalloc_nolock() and its frees, on kernels that have them."""
import functools
import math

import truth
from compare import check_all_freed, compare, exact_change
from harness import check, check_equal, check_row, each_kernel, exists_on, part, several, single
from kernel import CPUS
from parts.cases import FTRACE, FTRACE_STOPS, KPROBES, switched_off
from parts.sampling import check_objects
from processes import children, user_load
from sums import check_cache_rows, check_dropped, check_identities, check_sums
from table import Table, check_stats, control, growth, pairs_of, read_all
from truth import drop_estimated, rows_by_function

def if_available(function):
    """A test on each kernel that has kmalloc_nolock()."""
    return exists_on(lambda kernel: int(kernel.split(".")[0]) >= 7)(each_kernel(function))


both = functools.partial(truth.both, module="kmemacct_nolock")


def check_followed():
    check_stats(free_bulk_followed=1, alloc_nolock_followed=1, alloc_nolock_missed=0)


@if_available
@part
def nolock():
    """Test all columns of all call sites and objects, for all contexts and kinds of free."""
    with both() as known:
        for scenario in ("sizes", "contexts", "frees", "crossed", "each_cpu"):
            known.run(scenario)
            check_followed()
            compare(known, f"after {scenario}")
        rows = known.sites()
        if CPUS > 1:
            # compare() has checked the number, which depends on where the task runs.
            check(rows["truth_to_other_cpu"]["pingpong"] > 0, f"no ping-pongs: {rows}")
        objects = sum(row["bulk_objs"] for row in rows.values())
        _, caches, summary = check_sums()
        check_cache_rows(caches)
        check_equal("confirmed_bytes", summary["live_bytes"], summary["confirmed_bytes"])
        check_dropped(known)
    return f"{len(rows)} call sites, {objects} objects"


@if_available
@single
def nolock_nothing():
    """Test calls that return no memory, and frees without an object."""
    with both() as known:
        n = known.values()["nothings"]
        exact_change("nothing", {
            "nolock_allocs": 2 * n, "alloc_zero_size": n, "alloc_failed": n,
            "nolock_frees": 2 * n, "free_zero_size": n}, known)
        check_sums()


@if_available
@several
def nolock_storm():
    """Test all CPUs at once, while other processes allocate and read tables."""
    rounds = 20
    with both() as known:
        with children(read_all, user_load, user_load):
            for _ in range(rounds):
                known.run("each_cpu", "contexts", "frees", "drop")
            known.run("each_cpu", "contexts", "frees")
        check_followed()
        compare(known, "after the storm")
        objects = sum(row["bulk_objs"] for row in known.sites().values())
        check_dropped(known)
    return f"{objects} objects in {rounds} rounds"


@if_available
@single
def nolock_larger():
    """Test that an object counts with its true size if it was given the next larger one."""
    with both() as known:
        known.run("fallen")
        fallen = known.values()["fallen"]
        check(fallen > 0, "no object was given a larger size")
        compare(known, "without memory")
        sizes = [row["bytes_alloc"] for row in known.allocs()]
        check_equal("objects of 8 KiB", fallen, sizes.count(8192))
        check_dropped(known)
    return f"{fallen} of {len(sizes)} objects were larger"


def check_unknown(known, frees):
    """Check that objects whose allocation was not seen are in no table when freed.

    frees: whether calls of the free functions are seen.
    """
    known.run("sizes", "contexts")
    live = sum(row["live_objs"] for row in known.sites().values())
    check_equal("rows", {}, rows_by_function(known))
    grown = growth(lambda: known.run("drop"))
    check(grown["free_unmatched"] >= live // 2, f"{live} objects were live: {grown}")
    after = pairs_of("stats")
    check_equal("nolock_allocs", 0, after["nolock_allocs"])
    check_equal("nolock_frees", frees, after["nolock_frees"] > 0)
    check_equal("live after drop", 0, sum(row["live_objs"] for row in known.sites().values()))
    check_sums()


@if_available
@single
def nolock_off():
    """Test that with bulk=off, kmalloc_nolock() and its frees are not followed."""
    with both("bulk=off") as known:
        check_stats(free_bulk_followed=0, alloc_nolock_followed=0)
        check_unknown(known, False)
        # Frees by kfree_nolock() are not seen, so no live byte is confirmed.
        known.run("crossed")
        check_row("truth_kmalloc", {"hits": 400, "frees": 0, "confirmed_bytes": 0},
                  rows_by_function(known)["truth_kmalloc"])


@if_available
@single
def nolock_without_kprobes():
    """Test that without kprobes, frees are seen and allocations are not."""
    with switched_off(KPROBES), both() as known:
        check_stats(free_bulk_followed=1, alloc_nolock_followed=0)
        check_unknown(known, True)
        known.run("crossed")
        check_row("truth_kmalloc", {"hits": 400, "frees": 300, "live_objs": 100},
                  rows_by_function(known)["truth_kmalloc"])


@if_available
@single
def nolock_without_ftrace():
    """Test that without ftrace nothing is seen, and no live byte is confirmed."""
    if not FTRACE_STOPS:
        return "this kernel does not switch ftrace off"
    with switched_off(FTRACE), both() as known:
        check_stats(free_bulk_followed=0, alloc_nolock_followed=0)
        check_unknown(known, False)
        check_equal("confirmed_bytes", 0, Table("callers").sum("confirmed_bytes"))
    return None


@if_available
@single
def nolock_settings():
    """Test that `enabled` and the filter apply to these objects, too."""
    with both() as known:
        control("enabled 0")
        grown = growth(lambda: known.run("sizes"))
        objects = sum(row["bulk_objs"] for row in known.sites().values())
        check_equal("calls", objects, grown["nolock_allocs"])
        check(grown["alloc_off"] >= objects, f"{grown}")
        check_equal("rows", {}, rows_by_function(known))
        known.run("drop")

        control("filter size 8192", "enabled 1")
        sites = {row["site"]: row for row in known.lines("sites")}
        grown = growth(lambda: known.run("sizes"))
        check(grown["alloc_filtered"] >= objects * 8 // 9, f"{grown}")
        # Each site allocated 5 objects of this size, and 2 of them are live.
        expected = {name: [5, 3, 2, 0] for name in sites if name in (
            "truth_plain", "truth_zeroed", "truth_charged", "truth_on_node")}
        rows = rows_by_function(known)
        check_equal("rows", expected, {
            name: [row[key] for key in ("bulk_objs", "frees", "live_objs", "bytes_req")]
            for name, row in rows.items()})
        control("filter off")
        known.run("drop")
        check_all_freed(known)
        check_sums()


@if_available
@single
def nolock_sampled():
    """Test that samples are of live objects, and count as bulk objects."""
    with both("sample_bytes=4096 budget_pct=0") as known:
        known.run("sizes", "contexts", "frees", "each_cpu")
        allocs = Table("allocs")
        check_objects(known, allocs)
        mine = known.allocs(allocs)
        check(len(mine) > 50, f"only {len(mine)} samples")
        rows = rows_by_function(known)
        check_equal("hits and bytes_req", (0, 0), (
            sum(row["hits"] for row in rows.values()),
            sum(row["bytes_req"] for row in rows.values())))
        objects = sum(row["bulk_bytes"] for row in known.sites().values())
        estimate = sum(row["bulk_bytes"] for row in rows.values())
        error = math.sqrt(sum(row["bulk_bytes_se"]**2 for row in rows.values()))
        check(abs(estimate - objects) < 6 * error, f"{estimate} +- {error} bytes, not {objects}")
        check_identities("allocation events")
        drop_estimated(known)
    return f"{len(mine)} samples; {estimate} +- {error:.0f} bytes for {objects}"


PARTS = (
    nolock, nolock_nothing, nolock_storm, nolock_larger, nolock_off,
    nolock_without_kprobes, nolock_without_ftrace, nolock_settings, nolock_sampled)
