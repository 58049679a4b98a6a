# SPDX-License-Identifier: GPL-2.0
"""Tests that a filter records the objects that match, and no others."""
import os
from collections import Counter
from pathlib import Path

from cgroups import TOP, cgroups, run_in
from compare import check_all_freed, exact_change
from filters import called, filtered, refilter, refused
from harness import check, check_equal, check_row, several, single
from kernel import KERNEL, loaded
from sums import check_identities
from table import Table, control, pairs_of, settings
from truth import COUNTS, both, rows_by_function, truth_loaded

# Scenarios after which each site has live objects of each kind that it allocates
WORK = ("constant", "runtime", "large", "nodes", "caches", "copies", "cpus", "contexts",
        "bulk_alloc")


def check_objects(known, matches, alike=True):
    """Check that allocs has exactly the live objects of the truth that match.

    With alike, also check callers: the row of a site whose live objects all match has to
    have all its objects, and a site of which none matches must have no row.

    Return the number of objects that match, and of live objects.
    """
    live = known.live()
    expected = {ptr for ptr, row in live.items() if matches(row)}
    rows = {row["ptr"]: row for row in Table("allocs").rows}
    check_equal("rows of allocs that do not match", [], [
        row for ptr, row in rows.items() if ptr not in expected and ptr in live])
    check_equal("missing in allocs", [], [live[ptr] for ptr in expected - set(rows)])
    callers = rows_by_function(known)
    for name, truth in known.sites().items():
        mine = [row for row in live.values() if row["site"] == name]
        if alike and mine and all(map(matches, mine)):
            check_row(name, {key: truth[key] for key in COUNTS}, callers[name])
        elif alike and mine and not any(map(matches, mine)):
            check(name not in callers, f"callers has a row for {name}")
    check_identities()
    return len(expected), len(live)


def try_objects(what, matches, run=lambda known: known.run(*WORK), least=1):
    """Filter by the truth module and the criteria `what`, and check the objects that match."""
    refilter(f"module kmemacct_truth{what}")
    with truth_loaded() as known:
        before = pairs_of("stats")["alloc_filtered"]
        more = run(known)
        expected, live = check_objects(known, (lambda row: matches(row, more)) if more else matches)
        check(least <= expected < live + (not what), f"{what}: {expected} of {live}")
        check(pairs_of("stats")["alloc_filtered"] - before >= live - expected,
              "alloc_filtered lacks some objects")
        check(all(known.is_mine(row["site"]) for row in Table("callers").rows),
              "callers has call sites outside the truth")
        known.run("drop")
        check_all_freed(known)
        check_identities()
    return f"{expected}/{live}"


@single
def filter_objects():
    """Test the criteria tgid, size, order and comm."""
    me = os.getpid()
    with filtered("module kmemacct_truth"):
        notes = [
            try_objects("", lambda row: True),
            try_objects(f";tgid {me}", lambda row: row["pid"] == me),
            try_objects(";size 64-1K", lambda row: 64 <= row["bytes_alloc"] <= 1024),
            try_objects(";size 96", lambda row: row["bytes_alloc"] == 96),
            try_objects(f";tgid {me};size 0-512",
                        lambda row: row["pid"] == me and row["bytes_alloc"] <= 512),
            # Only page allocations have an order: objects match any.
            try_objects(f";tgid {me};order 3", lambda row: row["pid"] == me),
        ]
        with called("kma sel x"):
            for name in ("kma sel x", "kma*", "[jk]ma ?el x"):
                notes.append(try_objects(f";comm {name}", lambda row: row["pid"] == me))
        notes.append(try_objects(";comm kworker/*", lambda row: row["pid"] not in (0, me)))
    return ", ".join(notes)


@single
def filter_objects_gfp():
    """Test the criterion gfp, also for bulk allocations."""
    zeroed = {"truth_const_kzalloc_100", "truth_kzalloc", "truth_kcalloc", "truth_large_zeroed"}
    with filtered("module kmemacct_truth"):
        notes = [try_objects(";gfp GFP_ATOMIC|__GFP_ZERO",
                             lambda row: row["site"] in zeroed),
                 # All allocations of the truth have these flags, also those in bulk.
                 try_objects(";gfp GFP_ATOMIC|__GFP_NOWARN;size 64-300",
                             lambda row: 64 <= row["bytes_alloc"] <= 300)]
    with filtered("module kmemacct_truth;gfp __GFP_ACCOUNT"), truth_loaded() as known:
        known.run(*WORK)
        check_equal("rows", [], Table("callers").rows)
        check_identities()
        known.run("drop")
    return ", ".join(notes)


@single
def filter_cgroups():
    """Test that the criterion cgroup matches a cgroup and those below it."""
    def run(known):
        pids = [run_in(path, lambda: known.run("constant", "runtime", "caches")) for path in paths]
        known.run("constant", "runtime", "bulk_alloc")
        return {pid for pid, path in zip(pids, paths) if path.is_relative_to(inside)}

    with cgroups("a", "a/b", "a/b/c", "ab", "d") as paths:
        notes = []
        with filtered("module kmemacct_truth"):
            for name in ("a", "a/b", "d"):
                inside = TOP / name
                notes.append(try_objects(f";cgroup /{name}",
                                         lambda row, pids: row["pid"] in pids, run))
            refused("filter cgroup /e", "/e")
            refused("filter cgroup a", "cgroup")
            refused("filter cgroup /a/cgroup.procs", "cgroup.procs")
            # A cgroup may be removed while it is in the filter.
            (TOP / "a/gone").mkdir()
            control("filter cgroup /a/gone")
            (TOP / "a/gone").rmdir()
            control("filter comm nobody")
            check_equal("setting", "/a/gone", settings()["filter_cgroup"])
            control("filter cgroup /a")
    return ", ".join(notes)


@several
def filter_nodes():
    """Test that the criterion node is the node of the memory, not the requested one."""
    nodes = {int(path.name[4:]) for path in Path("/sys/devices/system/node").glob("node[0-9]*")}
    notes = []
    for node in nodes:
        with filtered(f"module kmemacct_truth;node {node}"), truth_loaded() as known:
            known.run(*WORK)
            found, live = check_objects(known, lambda row: row["node"] == node, False)
            check(found, f"no objects on node {node}")
            check((found == live) == (len(nodes) == 1), f"{found} of {live}")
            notes.append(f"{found}/{live}")
            known.run("drop")
            check_all_freed(known)
    with loaded("kmemacct"):
        refused(f"filter node {max(nodes) + 64}", "node")
    return ", ".join(notes)


@single
def filter_nothing_else():
    """Test that a filter does not change alloc_failed, double_fired and alloc_off."""
    twice = KERNEL not in ("5.10", "6.1")
    with both() as known:
        control("filter comm nobody")
        n = known.values()["nothings"]
        exact_change("failed", {"alloc_failed": n, "double_fired": n if twice else 0}, known)
        exact_change("large", {"double_fired": 125 if twice else 0, "recorded_allocs": 0}, known)
        control("reset")
        known.run(*WORK)
        check_equal("objs_alloc", 0, pairs_of("summary")["objs_alloc"])
        check(pairs_of("stats")["alloc_filtered"] > 1000, "too few objects were filtered")
        check_identities()
        control("enabled 0")
        exact_change("constant", {"alloc_filtered": 0}, known)
        known.run("drop")


@single
def filter_sampled():
    """Test sampling with a filter: exactly the events that match take part."""
    with filtered("module kmemacct_truth", "sample_bytes=4096"), truth_loaded() as known:
        known.run("sampled", "drop", "sampled", *WORK)
        truth = Counter()
        for row in known.sites().values():
            truth.update({key: row[key] for key in ("hits", "bulk_objs")})
        stats = check_identities("allocation events")
        summary = pairs_of("summary")
        table = Table("callers")
        check(all(known.is_mine(row["site"]) for row in table.rows),
              "callers has call sites outside the truth")
        # Each allocation that matches counts as a sample or as unsampled.
        check_equal("events that matched", truth["hits"] + truth["bulk_objs"],
                    stats["alloc_unsampled"] + summary["samples"])
        off = abs(summary["allocs"] - truth["hits"]) / summary["allocs_se"]
        check(off < 6, f"{summary['allocs']} instead of {truth['hits']}")
        known.run("drop")
    return f"{summary['samples']} samples, {off:.1f} standard errors"


PARTS = (
    filter_objects, filter_objects_gfp, filter_cgroups, filter_nodes, filter_nothing_else,
    filter_sampled)
