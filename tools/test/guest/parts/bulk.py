# SPDX-License-Identifier: GPL-2.0
"""Tests of functions that have no tracepoint: bulk functions, and frees by RCU."""
from compare import BULK_FOLLOWED, compare, slab_attribute
from harness import (
    check, check_equal, check_row, check_zero, each_kernel, part, several, single, wait_for)
from kernel import CPUS, loaded, vmalloc_bytes
from processes import children, user_load
from sums import check_dropped, check_sums
from table import Table, check_stats, control, growth, pairs_of, read_all, settings
from truth import (
    STORM_HITS, both, handed_back, rows_by_function, since_reset, storm, storm_until,
    until_settled)


def check_followed():
    """Check that the bulk functions are followed, and that no call was missed since load."""
    check_stats(free_bulk_followed=1, alloc_bulk_followed=1, alloc_bulk_missed=0)


def check_bulk(known, when):
    check_followed()
    until_settled(known, lambda: handed_back(known))
    compare(known, when)
    rows = rows_by_function(known)
    for name, row in known.sites().items():
        if row["handed"]:
            check_row(f"{when}: {name}", {"frees": row["hits"], "live_objs": 0}, rows[name])
    check_followed()


def summary_of(since):
    """Describe what the bulk functions did since the stats `since`."""
    now = pairs_of("stats")
    return ", ".join(f"{now[key] - since[key]} {key}"
                     for key in ("bulk_allocs", "bulk_frees")) + ", 0 missed"


@each_kernel
@part
def bulk():
    """Test that all columns are exact for bulk functions and frees by RCU."""
    with both() as known:
        since = pairs_of("stats")
        check_equal("setting", "auto", settings()["bulk"])
        for scenario in ("bulk_alloc", "bulk_free"):
            known.run(scenario)
            check_followed()
            compare(known, f"after {scenario}")
        if CPUS > 1:
            pingpong = known.sites()["truth_mixed_kmalloc"]["pingpong"]
            check(pingpong > 0, "no bulk free counted as a ping-pong")
        objects = [row for row in known.sites().values() if row["bulk_objs"]]
        check_equal("hits of bulk sites", [0, 0], [row["hits"] for row in objects])
        check(all(row["live_objs"] > 1000 for row in objects), f"too few live objects: {objects}")
        for scenario in ("kfree_rcu", "kvfree_rcu"):
            known.run(scenario)
            check_bulk(known, f"after {scenario}")
        note = summary_of(since)
        check_dropped(known)
        # After a reset, counters start at 0, and live objects stay.
        known.run("bulk_alloc")
        base = known.sites()
        control("reset")
        known.run("bulk_alloc")
        rows = rows_by_function(known)
        for name in ("truth_bulk_odd", "truth_bulk_ctor"):
            check_row(f"{name} since reset", since_reset(known.sites()[name], base[name]),
                      rows[name])
        known.run("drop")
        check_sums()
    return note


def handed_not_followed(known):
    """Give objects to RCU while its frees are not followed.

    Return the number of ghosts, that is, freed objects that are still live in the tables;
    of repaired objects; of objects that SLUB has in use; and `stats`.
    """
    known.run("kfree_rcu")
    # SLUB's own count, which includes the free objects on slabs of CPUs
    cache = known.sites()["truth_rcu_cache"]
    until_settled(known, lambda: slab_attribute(cache["cache"], "objects") < cache["hits"] // 4)
    in_use = slab_attribute(cache["cache"], "objects")
    check(in_use < cache["hits"] // 4, f"{in_use} objects have not been freed")
    callers = Table("callers")
    # Read after the rows: an object repaired in between only raises these counters.
    stats = pairs_of("stats")
    ghosts, repaired = 0, 0
    for name, row in rows_by_function(known, callers).items():
        if known.sites()[name]["handed"]:
            ghosts += row["live_objs"]
            repaired += row["hits"] - row["frees"] - row["live_objs"]
    check(0 <= repaired <= stats["page_freed"] + stats["replaced"], f"{repaired} repaired, {stats}")
    return ghosts, repaired, in_use, stats


@single
def bulk_off():
    """Test that with bulk=off ghosts count as live, and that no live byte is confirmed."""
    with both("bulk=off") as known:
        check_equal("setting", "off", settings()["bulk"])
        known.run("constant", "caches")
        compare(known, "bulk=off")
        known.run("bulk_alloc")
        live = sum(row["bulk_objs"] - row["frees"]
                   for row in known.sites().values() if row["bulk_objs"])
        rows = rows_by_function(known)
        check(not any("truth_bulk" in name for name in rows),
              f"bulk objects with bulk=off: {sorted(rows)}")
        unmatched = growth(lambda: known.run("drop"))["free_unmatched"]
        check(unmatched >= live, f"only {unmatched} unmatched frees of {live}")

        # RCU frees in bulk only what fits in the pages that it got: 2,550 objects, sometimes none.
        ghosts, repaired, rounds = 0, 0, 0
        while ghosts + repaired < 1000 and rounds < 5:
            ghosts, repaired, in_use, stats = handed_not_followed(known)
            rounds += 1
        check(ghosts + repaired > 1000,
              f"only {ghosts} ghosts and {repaired} repaired objects in {rounds} rounds")
        callers, caches, summary = check_sums()
        for table in (callers, caches):
            check_equal("confirmed_bytes", 0, table.sum("confirmed_bytes"))
        check_equal("confirmed_bytes", 0, summary["confirmed_bytes"])
        check_zero((*BULK_FOLLOWED, "alloc_bulk_missed", "bulk_allocs", "bulk_frees"), stats)
        return f"{ghosts} ghosts, {repaired} repaired, {in_use} objects in use"


@each_kernel
@several
def storming_bulk():
    """Test bulk functions and RCU while all CPUs allocate, also in interrupts."""
    rounds = 0
    with both() as known:
        since = pairs_of("stats")

        def work():
            nonlocal rounds
            known.run("bulk_alloc", "bulk_free", "kfree_rcu", "kvfree_rcu", "drop")
            rounds += 1

        with children(read_all, user_load), storm(known):
            storm_until(known, STORM_HITS // 5, work, 3)
            known.run("bulk_alloc")
        check_bulk(known, "after the storm")
        check_sums()
        note = summary_of(since)
        check_dropped(known)
    return f"{rounds} rounds, {note}"


def ring_bytes():
    """Return the memory of the kernel's rings of kretprobe instances, which are since 6.7."""
    return vmalloc_bytes("objpool_init", "rethook_alloc")


@each_kernel
@several
def kretprobe_memory():
    """Test that memory_bytes has the instances of kretprobes, as the kernel allocated them."""
    before = ring_bytes()
    with loaded("kmemacct", "bulk=off"):
        # The slow path of the page allocator is always followed.
        without, rings = pairs_of("stats")["memory_bytes"], ring_bytes()
    wait_for("the rings of the slow path are free", lambda: ring_bytes() == before)
    # The texts of parameters count in memory_bytes, and this one takes as much as "off".
    with loaded("kmemacct", "bulk=auto"):
        more = pairs_of("stats")["memory_bytes"] - without
        check(more > 64 * CPUS * 64, f"memory_bytes has {more} bytes of kretprobes")
        if rings != before:
            check_equal("rings", ring_bytes() - rings, more)
        memory = pairs_of("stats")["memory_bytes"]
        control("pages classes", "pages off")
        check_stats(memory_bytes=memory)
    return f"{more} bytes; {rings - before} bytes in rings of the slow path"


PARTS = (bulk, bulk_off, storming_bulk, kretprobe_memory)
