# SPDX-License-Identifier: GPL-2.0
"""A soak: everything that the module keeps state of comes and goes, as in months of uptime."""
import itertools
from collections import Counter
from pathlib import Path

from cgroups import cgroups
from harness import check, check_equal, check_zero, only_in, progress, wait_for
from kernel import loaded
from parts.acct import account
from parts.countmaps import check_agree, mounts, new_cgroups, short_process, wait_for_rows
from parts.history import KB, LEAKY, REQUESTS, leaked, next_mark, numbers
from parts.lifetime import CHURN, CHURN_NAME, check_churned, churn, churn_values
from parts.owners import NONE as NOT_CHARGED
from parts.owners import OBJECTS, ask, found
from parts.shrinkers import NAME as SHRINKER
from parts.shrinkers import slots_used, waiting
from processes import kill
from sums import check_sums
from table import Table, control, pairs_of
from truth import TWINS, Truth, rows_by_function, truth_loaded

# Numbers for one round.  50 rounds have 20,000 caches, 5,000 cgroups, 200,000 processes, 3,000
# super blocks, and 5,000 tasks that are killed while they wait for memory.
CACHES, CGROUPS, PROCESSES, MOUNTS, WAITERS = 400, 100, 4000, 60, 100
# After each ROUNDS rounds, and after the last one, modules are loaded ten times for each of these
# rounds: in 50 rounds, 500 times.  Then there is a reset.
ROUNDS, MODULES = 10, 10
ROUNDS_THAT_FILL = 5
# Counters in `stats` of what was lost: all have to be 0
LOST = ("other_caches", "dropped_live_full", "dropped_sites_full", "other_sites", "stacks_full",
        "stall_no_slot", "owner_other", "owner_no_path")


def reload_modules(nr):
    """Load and unload two modules in turn, at the same addresses, and compare their counts."""
    for i in range(nr):
        control("reset")
        with truth_loaded(TWINS[i % 2]) as known:
            known.run("constant", "runtime", "drop")
            rows = rows_by_function(known)
            check_equal("hits", {name: row["hits"] for name, row in known.sites().items()},
                        {name: row["hits"] for name, row in rows.items() if row["hits"]})


def kill_waiting(known, nr):
    """Kill tasks while they wait for memory, and wait until their slots are free."""
    with waiting(known, nr) as pid:
        kill(pid)
    wait_for("slots of tasks that were killed", lambda: not slots_used())


def short_processes(names):
    """Run processes, each with a name of its own, and some in each of many cgroups.

    Each pair of a name and a cgroup is an owner.  One process leaves objects: return its name.
    """
    comm = Path("/proc/self/comm")
    own, kept = comm.read_text(), f"soak{next(names)}"
    for i in new_cgroups(CGROUPS):
        if not i:
            comm.write_text(kept)
            ask("kmalloc")
        for _ in range(PROCESSES // CGROUPS):
            comm.write_text(f"soak{next(names)}")
            short_process()
    comm.write_text(own)
    return kept


def check_owners(kept):
    """Check that the objects of these processes, whose cgroups are removed, have their owners."""
    check_equal("owners", Counter({("kmalloc", name, "/kma0 (removed)", NOT_CHARGED): OBJECTS
                                   for name in kept}), found())


def check_history(rounds):
    """Check the history of a call site that leaks KB in each round, and frees nothing."""
    next_mark()
    _, row = leaked()
    lists = {name: numbers(row[name]) for name in row if name.startswith("kb_")}
    for name, kb in lists.items():
        check_equal(name, sorted(kb), kb)
    check_equal("live", [rounds * KB] * 2, [lists["kb_10s"][-1], row["live_kb"]])


def one_round(shrinker, before, names, kept):
    """Let caches, cgroups, processes, mounts and waiting tasks come and go.  Check the tables.

    `before` is what churn_values() returned at the last reset.  `kept` gets the name of a process
    that leaves objects.
    """
    LEAKY.write_text(str(REQUESTS))
    churn(CACHES)
    check_churned("caches", before)
    kept.append(short_processes(names))
    with mounts(MOUNTS) as devices:
        wait_for_rows(devices)
    kill_waiting(shrinker, WAITERS)
    check_agree()
    check_owners(kept)


def check_unused(numbers):
    """Check that nothing was lost or used up.  `numbers` is what `stats` had at the beginning."""
    (CHURN / "drop").write_text("1")
    control("reset")
    stats = pairs_of("stats")
    check_zero(LOST, stats)
    for name in ("caches_used", "sites_used", "sites_retired"):
        check(stats[name] <= numbers[name] + 300, f"{name} {stats[name]}, before {numbers[name]}")
    left = [row["cache"] for row in Table("caches").rows if row["cache"].startswith(CHURN_NAME)]
    check_equal("churned caches", [], left)
    left = [row["site"] for row in Table("callers").rows if "[kmemacct_truth" in row["site"]]
    check_equal("call sites of unloaded modules", [], left)
    return stats


@only_in("4")
def soak(rounds=1):
    """Test that nothing is used up, each row keeps its name, and every sum is exact."""
    names, kept = itertools.count(), []
    with cgroups(), loaded(SHRINKER), loaded("kmemacct_churn"), \
            loaded("kmemacct", "latency=on threshold_us=0 pages=sites"), loaded("kmemacct_owner"), \
            loaded("kmemacct_leaky"):
        account("tasks,cgroups,comm_syscalls")
        shrinker = Truth(SHRINKER)
        control("reset")
        numbers, before = pairs_of("stats"), churn_values()
        for number in range(1, rounds + 1):
            one_round(shrinker, before, names, kept)
            if number % ROUNDS == 0 or number == rounds:
                reload_modules(MODULES * ((number - 1) % ROUNDS + 1))
                control("reset")
                before = churn_values()
            progress(f"{number} of {rounds} rounds")
        # A mark takes 10 s, which make check does not wait for.
        if rounds > 1:
            check_history(rounds)
        stats = check_unused(numbers)
        check(stats["countmap_recycled"], "no rows of countmaps were recycled")
        # Fewer rounds do not use half of the owners; make check-debug runs more.
        for what in "owners_recycled", "owner_cgroups_recycled":
            check(stats[what] or rounds < ROUNDS_THAT_FILL, f"{what} is 0")
        ask("free")
        check_sums()
    return (f"{stats['caches_recycled']} numbers of caches, {stats['sites_recycled']} rows, "
            f"{stats['countmap_recycled']} rows of countmaps, {stats['owners_recycled']} owners "
            f"and {stats['owner_cgroups_recycled']} paths of cgroups recycled")


PARTS = (soak,)
