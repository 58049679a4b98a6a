# SPDX-License-Identifier: GPL-2.0
"""Compare tables with the truth, column by column."""
import functools
import os
import re
from collections import Counter
from pathlib import Path

from harness import Failed, check, check_equal, check_row
from table import Table, growth, pairs_of
from truth import COUNTS, rows_by_function

# Rows of `stats`: whether the module follows the bulk functions, which have no tracepoints
BULK_FOLLOWED = ("free_bulk_followed", "alloc_bulk_followed")


def frag_pct(row):
    alloc, req = row["bytes_alloc"], row["bytes_req"]
    milli = (100000 * (alloc - req) + alloc // 2) // alloc if alloc else 0
    return f"{milli // 1000}.{milli % 1000:03}"


def follows_bulk():
    """Tell whether the module follows bulk frees: then, as far as it knows, it sees all frees."""
    return pairs_of("stats")["free_bulk_followed"]


def known_counts(row):
    """Return the columns of a row of the truth for which only one value is right."""
    columns = {key: row[key] for key in COUNTS}
    if row["handed"]:
        # RCU freed some of the objects, on any CPU.
        del columns["pingpong"]
    columns["confirmed_bytes"] = row["live_bytes"] if follows_bulk() else 0
    return columns


def compare_callers(truth, when):
    expected = truth.sites()
    actual = rows_by_function(truth)
    check_equal(f"{when}: functions in callers", sorted(expected), sorted(actual))
    for name, row in expected.items():
        columns = known_counts(row) | {"no_entry": 0, "frag_pct": frag_pct(row)}
        check_row(f"{when}: callers, {name}", columns, actual[name])


@functools.cache
def time_unit(hz):
    """Return the jiffies in a unit of the live table's clock (module/core/env.h)."""
    return next(1 << i for i in range(8) if (1 << i) * 1000 >= 10 * hz)


def compare_alloc(when, row, known, opened, hz):
    """Compare a row of allocs with the truth's record of the object."""
    unit = time_unit(hz)
    then = known["before"] // unit, known["after"] // unit
    now = opened[0] // unit, opened[1] // unit
    ages = [age * unit * 1000 // hz for age in range(now[0] - then[1], now[1] - then[0] + 1)]
    # age_ms alone has more than one right value: the truth knows the jiffies just before
    # and just after both the allocation and the opening of the table.
    columns = {key: known[key] for key in ("ptr", "bytes_req", "bytes_alloc", "cpu", "node")}
    columns["pid"] = known["pid"] or "-"
    actual = {key: row[key] for key in columns}
    # Messages are formatted only on failure: that takes longer than the comparison.
    if row["age_ms"] not in ages:
        raise Failed(f"{when}: allocs, age_ms of {known}\n  expected one of {ages}\n"
                     f"  actual {row}")
    if actual != columns:
        check_equal(f"{when}: allocs, {known}", columns, actual)


def label_fits(truth, label, known):
    return truth.is_mine(label) and truth.function(label) == known["site"]


def read_allocs(truth):
    """Return the table, and the jiffies just before and just after it was opened."""
    before = truth.jiffies()
    table = Table("allocs", truth.jiffies)
    check("cut" not in table.head, f"allocs is incomplete: {table.head}")
    ages = [row["age_ms"] for row in table.rows]
    check(ages == sorted(ages, reverse=True), "allocs is not sorted oldest first")
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
    check(not extra, f"{when}: {len(extra)} objects in allocs are not live: {extra[:1]}")
    for ptr, known in expected.items():
        if ptr not in rows:
            raise Failed(f"{when}: allocs lacks {known}")
        compare_alloc(when, rows[ptr], known, opened, hz)
        if not label_fits(truth, rows[ptr]["site"], known):
            raise Failed(f"{when}: {known} has the call site {rows[ptr]['site']!r}")


def slab_attribute(cache, name):
    # Some attributes add a value for each NUMA node.
    return int(Path("/sys/kernel/slab", cache, name).read_text().split()[0])


@functools.cache
def slab_aliases(cache):
    """Return all names of a cache.  A merged cache has several."""
    slab = "/sys/kernel/slab"
    if not os.path.islink(f"{slab}/{cache}"):
        return frozenset([cache])
    target = os.readlink(f"{slab}/{cache}")
    return frozenset(name for name in os.listdir(slab)
                     if os.path.islink(f"{slab}/{name}") and
                     os.readlink(f"{slab}/{name}") == target)


def compare_caches(truth, when):
    """Compare the rows of caches that only the truth uses."""
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
        check(len(found) == 1, f"{when}: {len(found)} rows are named one of {sorted(names)}")
        check_row(f"{when}: caches, {found[0]['cache']}", known_counts(total), found[0])


def compare(truth, when):
    compare_callers(truth, when)
    compare_allocs(truth, when)
    compare_caches(truth, when)


def compare_after(truth, *scenarios):
    for scenario in scenarios:
        truth.run(scenario)
        compare(truth, f"after {scenario}")


def exact_change(scenario, expected, known):
    """Check how a scenario changes counters of `stats`.

    The rest of the machine may add to these counters, too.  That is rare, so one exact
    change in ten tries is enough.  A miscount would show in every try.
    """
    for _ in range(10):
        change = growth(lambda: known.run(scenario))
        if expected.items() <= change.items():
            return
    check_row(f"change by {scenario}", expected, change)


def check_all_freed(known):
    """Check that all objects of the truth were freed, and that each free was seen."""
    check_equal("live objects of the truth", {}, known.live())
    for name, row in rows_by_function(known).items():
        check_equal(f"live objects of {name}", 0, row["live_objs"])
        check_equal(f"{name}: hits + bulk_objs = frees + no_entry",
                    row["hits"] + row["bulk_objs"], row["frees"] + row["no_entry"])
