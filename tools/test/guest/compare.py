# SPDX-License-Identifier: GPL-2.0
"""Tables against the truth, column by column."""
import functools
import os
import re
from collections import Counter
from pathlib import Path

from harness import Failed, check, check_equal
from table import Table, pairs_of
from truth import COUNTS, rows_by_function

# Functions that are followed for what has no tracepoint
BULK_FOLLOWED = ("free_bulk_followed", "alloc_bulk_followed")


def frag_pct(row):
    alloc, req = row["bytes_alloc"], row["bytes_req"]
    milli = (100000 * (alloc - req) + alloc // 2) // alloc if alloc else 0
    return f"{milli // 1000}.{milli % 1000:03}"


def follows_bulk():
    """All that is freed is seen, as far as the module can tell."""
    return pairs_of("stats")["free_bulk_followed"]


def known_counts(row):
    """The counters of a row of the truth that have one right value."""
    columns = {key: row[key] for key in COUNTS}
    if row["handed"]:
        # RCU freed some, on whatever CPU.
        del columns["pingpong"]
    columns["confirmed_bytes"] = row["live_bytes"] if follows_bulk() else 0
    return columns


def compare_callers(truth, when):
    expected = truth.own_sites()
    actual = rows_by_function(truth, Table("callers"))
    check_equal(f"{when}: functions in callers", sorted(expected), sorted(actual))
    for name, row in expected.items():
        columns = known_counts(row)
        columns.update(no_entry=0, frag_pct=frag_pct(row))
        check_equal(f"{when}: callers, {name}", columns,
                    {key: actual[name][key] for key in columns})


@functools.cache
def time_unit(hz):
    """Jiffies in a unit of the live table's clock: see module/core/env.h."""
    return next(1 << i for i in range(8) if (1 << i) * 1000 >= 10 * hz)


def compare_alloc(when, row, known, opened, hz):
    """A row of allocs and what is true of the object."""
    unit = time_unit(hz)
    then = known["before"] // unit, known["after"] // unit
    now = opened[0] // unit, opened[1] // unit
    ages = [age * unit * 1000 // hz
            for age in range(now[0] - then[1], now[1] - then[0] + 1)]
    # Only this column has more than one right value: the truth knows the
    # jiffies just before and after the allocation and the opening.
    columns = {key: known[key] for key in
               ("ptr", "bytes_req", "bytes_alloc", "cpu", "node")}
    columns["pid"] = known["pid"] or "-"
    actual = {key: row[key] for key in columns}
    # To say what is wrong takes longer than to see that nothing is.
    if row["age_ms"] not in ages:
        raise Failed(f"{when}: allocs, age_ms of {known}\n  expected one of {ages}\n"
                     f"  actual {row}")
    if actual != columns:
        check_equal(f"{when}: allocs, {known}", columns, actual)


def label_fits(truth, label, known):
    if known["site"] == "-":
        # kvmalloc() of more than a page is the call site itself, and on 5.10
        # what calls kmalloc for others
        return re.match(r"(__kvmalloc_node_noprof|kvmalloc_node(_noprof)?"
                        r"|kmemdup|krealloc)\+0x", label)
    return truth.is_mine(label) and truth.function(label) == known["site"]


def read_allocs(truth):
    """The table, and the jiffies between which it was opened."""
    before = truth.jiffies()
    table = Table("allocs", truth.jiffies)
    check("cut" not in table.head, f"allocs is cut: {table.head}")
    ages = [row["age_ms"] for row in table.rows]
    check(ages == sorted(ages, reverse=True), "allocs is not oldest first")
    twice = [ptr for ptr, n in Counter(r["ptr"] for r in table.rows).items() if n > 1]
    check(not twice, f"allocs has {len(twice)} addresses more than once")
    return table, (before, table.opened)


def compare_allocs(truth, when):
    hz = truth.values()["hz"]
    expected = truth.live()
    table, opened = read_allocs(truth)
    rows = {row["ptr"]: row for row in table.rows}
    mine = {ptr for ptr, row in rows.items() if truth.is_mine(row["site"])}
    extra = [rows[ptr] for ptr in mine - set(expected)]
    check(not extra, f"{when}: {len(extra)} objects are not live, one is {extra[:1]}")
    for ptr, known in expected.items():
        if ptr not in rows:
            raise Failed(f"{when}: allocs lacks {known}")
        compare_alloc(when, rows[ptr], known, opened, hz)
        if not label_fits(truth, rows[ptr]["site"], known):
            raise Failed(f"{when}: {known} is of {rows[ptr]['site']!r}")


def slab_attribute(cache, name):
    # Some tell of each node after that.
    return int(Path("/sys/kernel/slab", cache, name).read_text().split()[0])


@functools.cache
def slab_aliases(cache):
    """All names of a cache, which may have been merged with others."""
    slab = "/sys/kernel/slab"
    if not os.path.islink(f"{slab}/{cache}"):
        return frozenset([cache])
    target = os.readlink(f"{slab}/{cache}")
    return frozenset(name for name in os.listdir(slab)
                     if os.path.islink(f"{slab}/{name}") and
                     os.readlink(f"{slab}/{name}") == target)


def compare_caches(truth, when):
    """Of caches that only the truth uses."""
    expected = {}
    for row in truth.sites().values():
        if row["cache"] == "-":
            continue
        total = expected.setdefault(slab_aliases(row["cache"]), Counter())
        total.update({key: row[key] for key in (*COUNTS, "handed")})
        size = slab_attribute(row["cache"], "slab_size")
        check_equal(f"{when}: slot size of {row['cache']}",
                    [row["hits"] * size, row["bulk_objs"] * size],
                    [row["bytes_alloc"], row["bulk_bytes"]])
    rows = Table("caches").rows
    for names, total in expected.items():
        found = [row for row in rows if row["cache"] in names]
        check(len(found) == 1, f"{when}: {len(found)} caches are called {sorted(names)}")
        columns = known_counts(total)
        check_equal(f"{when}: caches, {found[0]['cache']}", columns,
                    {key: found[0][key] for key in columns})


def compare(truth, when):
    compare_callers(truth, when)
    compare_allocs(truth, when)
    compare_caches(truth, when)


def exact_change(scenario, expected, known):
    """How a scenario changes counters of summary.

    The rest of the machine may add to them too, though seldom to these.  It
    does not do so every time; a miscount would be there every time.
    """
    for _ in range(10):
        before = pairs_of("summary")
        known.run(scenario)
        after = pairs_of("summary")
        change = {key: after[key] - before[key] for key in expected}
        if change == expected:
            return
    check_equal(f"change by {scenario}", expected, change)


def check_all_freed(known):
    """All of the truth's objects are gone, and none was lost track of."""
    check_equal("live objects of the truth", {}, known.live())
    for name, row in rows_by_function(known, Table("callers")).items():
        check_equal(f"live objects of {name}", 0, row["live_objs"])
        check_equal(f"{name}: hits + bulk_objs = frees + no_entry",
                    row["hits"] + row["bulk_objs"], row["frees"] + row["no_entry"])
