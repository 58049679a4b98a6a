# SPDX-License-Identifier: GPL-2.0
"""Functions without a tracepoint: bulk, and RCU."""
from compare import BULK_FOLLOWED, check_all_freed, compare, slab_attribute
from harness import check, check_equal, part, several, single
from kernel import CPUS
from processes import child, user_load
from sums import check_sums
from table import Table, control, pairs_of, read_all, settings
from truth import (
    COUNTS, STORM_HITS, both, handed_back, rows_by_function, storm, storm_until,
    until_settled)


def check_hooks():
    """They are there; what they missed since the module came."""
    stats = pairs_of("stats")
    check_equal("hooks", [1] * len(BULK_FOLLOWED), [stats[key] for key in BULK_FOLLOWED])
    check_equal("alloc_bulk_missed", 0, stats["alloc_bulk_missed"])


def check_bulk(known, when):
    check_hooks()
    until_settled(known, lambda: handed_back(known))
    compare(known, when)
    rows = rows_by_function(known, Table("callers"))
    for name, row in known.own_sites().items():
        if row["handed"]:
            check_equal(f"{when}: frees and live objects of {name}",
                        [row["hits"], 0],
                        [rows[name][key] for key in ("frees", "live_objs")])
    check_hooks()


def summary_of(since):
    """What bulk functions did since then, in words."""
    now = pairs_of("summary")
    return ", ".join(f"{now[key] - since[key]} {key}"
                     for key in ("bulk_allocs", "bulk_frees")) + ", 0 missed"


@part
def bulk():
    """Bulk functions and RCU, to the last digit of every column."""
    with both() as known:
        since = pairs_of("summary")
        check_equal("setting", "auto", settings()["bulk"])
        for scenario in ("bulk_alloc", "bulk_free"):
            known.run(scenario)
            check_hooks()
            compare(known, f"after {scenario}")
        if CPUS > 1:
            pingpong = known.own_sites()["truth_mixed_kmalloc"]["pingpong"]
            check(pingpong > 0, "no ping-pongs of bulk frees")
        objects = [row for row in known.own_sites().values() if row["bulk_objs"]]
        check_equal("hits of bulk sites", [0, 0], [row["hits"] for row in objects])
        check(all(row["live_objs"] > 1000 for row in objects), f"few: {objects}")
        for scenario in ("kfree_rcu", "kvfree_rcu"):
            known.run(scenario)
            check_bulk(known, f"after {scenario}")
        note = summary_of(since)
        known.run("drop")
        compare(known, "after drop")
        check_all_freed(known)
        check_sums()
        # Counters start anew, what is live stays.
        known.run("bulk_alloc")
        base = known.own_sites()
        control("reset")
        known.run("bulk_alloc")
        rows = rows_by_function(known, Table("callers"))
        for name in ("truth_bulk_odd", "truth_bulk_ctor"):
            row = known.own_sites()[name]
            expected = {key: row[key] if key.startswith("live")
                        else row[key] - base[name][key] for key in COUNTS}
            check_equal(f"{name} since reset", expected,
                        {key: rows[name][key] for key in COUNTS})
        known.run("drop")
        check_sums()
    return note


def handed_without_hooks(known):
    """What is still live of all that RCU freed, and what was found to be freed."""
    known.run("kfree_rcu")
    # By the memory itself; what lies ready for each CPU counts as in use.
    cache = known.own_sites()["truth_rcu_cache"]
    until_settled(known, lambda: slab_attribute(cache["cache"], "objects") <
                  cache["hits"] // 4)
    in_use = slab_attribute(cache["cache"], "objects")
    check(in_use < cache["hits"] // 4, f"{in_use} objects are not freed")
    callers = Table("callers")
    # Later than the rows: what is found out meanwhile only adds to these.
    stats = pairs_of("stats")
    ghosts, found_out = 0, 0
    for name, row in rows_by_function(known, callers).items():
        if known.sites()[name]["handed"]:
            ghosts += row["live_objs"]
            found_out += row["hits"] - row["frees"] - row["live_objs"]
    check(0 <= found_out <= stats["page_freed"] + stats["replaced"],
          f"{found_out} found out, {stats}")
    return ghosts, found_out, in_use, stats


@single
def bulk_off():
    """Without hooks it is as it was: ghosts count as live, and say so."""
    with both("bulk=off") as known:
        check_equal("setting", "off", settings()["bulk"])
        known.run("constant", "caches")
        compare(known, "bulk=off")
        unmatched = pairs_of("summary")["free_unmatched"]
        known.run("bulk_alloc")
        live = sum(row["bulk_objs"] - row["frees"]
                   for row in known.own_sites().values() if row["bulk_objs"])
        rows = rows_by_function(known, Table("callers"))
        check(not any("truth_bulk" in name for name in rows),
              f"bulk objects without a hook: {sorted(rows)}")
        known.run("drop")
        now = pairs_of("summary")["free_unmatched"]
        check(now - unmatched >= live, f"{now - unmatched} unmatched frees of {live}")

        # RCU frees as many together as it has pages for: 2,550, and now and then none.
        ghosts, found_out, rounds = 0, 0, 0
        while ghosts + found_out < 1000 and rounds < 5:
            ghosts, found_out, in_use, stats = handed_without_hooks(known)
            rounds += 1
        check(ghosts + found_out > 1000,
              f"only {ghosts} ghosts, {found_out} found out in {rounds} rounds")
        callers, caches, summary = check_sums()
        for table in (callers, caches):
            check_equal("confirmed_bytes", 0, table.sum("confirmed_bytes"))
        check_equal("confirmed_bytes", 0, summary["confirmed_bytes"])
        for key in (*BULK_FOLLOWED, "alloc_bulk_missed", "bulk_allocs",
                    "bulk_frees"):
            check_equal(key, 0, stats[key])
        return f"{ghosts} ghosts, {found_out} found out, {in_use} objects in use"


@several
def storming_bulk():
    """Bulk functions and RCU while all CPUs allocate, in interrupts too."""
    rounds = 0
    with both() as known:
        since = pairs_of("summary")

        def work():
            nonlocal rounds
            known.run("bulk_alloc", "bulk_free", "kfree_rcu", "kvfree_rcu", "drop")
            rounds += 1

        with child(read_all), child(user_load), storm(known):
            storm_until(known, STORM_HITS // 5, work, 3)
            known.run("bulk_alloc")
        check_bulk(known, "after the storm")
        check_sums()
        note = summary_of(since)
        known.run("drop")
        compare(known, "after the storm and drop")
        check_all_freed(known)
    return f"{rounds} rounds, {note}"


PARTS = (bulk, bulk_off, storming_bulk)
