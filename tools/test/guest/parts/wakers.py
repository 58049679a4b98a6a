# SPDX-License-Identifier: GPL-2.0
"""Test the table wakers: wake-ups of kswapd and kcompactd by call site, and their runs.

The module kmemacct_pages (kunit/truth/) asks for large blocks of memory that is fragmented.
"""
import re
from collections import defaultdict
from pathlib import Path

from harness import check, check_between, check_equal, each_kernel, part
from kernel import loaded
from reclaim_trace import BEGINS, ENDS, ROUNDING_US, WAKEUPS, WAKING, Row, around
from table import Table, control, growth
from truth import Truth, truth_loaded

MODULE = "kmemacct_pages"
SITES = {"truth_alloc_pages", "truth_get_free_pages"}
PROACTIVE = Path("/proc/sys/vm/compaction_proactiveness")
TRIES = 16


class Waking(Row):
    """The expected values of rows of `wakers`: of a daemon, an order and a node."""

    def __init__(self):
        super().__init__()
        self.wakeups = self.longest = 0

    def ran(self, begin, end):
        self.took(end.first - begin.last, end.last - begin.first)
        self.longest = max(self.longest, end.last - begin.first)


def replay(by_pid):
    """Return the expected rows.  The first wake-up since a daemon began is that of its next run."""
    rows, woken, runs = defaultdict(Waking), {}, {}
    for event in sorted((event for events in by_pid.values() for event in events),
                        key=lambda event: event.first):
        node, order = event.fields["nid"], event.fields.get("order")
        if event.name in WAKEUPS:
            daemon = WAKEUPS[event.name]
            rows[daemon, order, node].wakeups += 1
            if order >= 0:
                woken.setdefault((daemon, node), order)
        elif event.name in ENDS:
            daemon = ENDS[event.name]
            begin, order = runs.pop((daemon, node), (None, None))
            if begin:
                rows[daemon, order, node].ran(begin, event)
        else:
            daemon = BEGINS[event.name]
            order = woken.pop((daemon, node), order)
            runs.setdefault((daemon, node), (event, order))
    check_equal("runs that have not ended", {}, runs)
    return rows


def parse(row):
    """Return the daemon, the zone and the call site of a row."""
    daemon, zone, site = row["daemon_zone_site"].split(";")
    return daemon, zone, site


def order_of(row):
    return -1 if row["order"] == "-" else row["order"]


def check_wakers(expected, table):
    found = defaultdict(list)
    for row in table.rows:
        found[parse(row)[0], order_of(row), row["node"]].append(row)
    check_equal("rows", sorted(expected), sorted(found))
    for key, row in expected.items():
        rows = found[key]
        for name, value in ("wakeups", row.wakeups), ("runs", row.count):
            check_equal(f"{name} of {key}", value, sum(r[name] for r in rows))
        # Each time is rounded, and each row of the table is rounded down.
        slack = row.count * ROUNDING_US + len(rows)
        check_between(f"ran_us of {key}", row.least - slack, sum(r["ran_us"] for r in rows),
                      row.most + slack)
        check(max(r["max_us"] for r in rows) <= row.longest + ROUNDING_US, f"max_us of {key}")


def rows_of_module(table):
    return [row for row in table.rows if f"[{MODULE}]" in row["daemon_zone_site"]]


def have_all_woken():
    """Tell whether both call sites of the module have woken, and both daemons were woken."""
    parsed = [parse(row) for row in rows_of_module(Table("wakers"))]
    return SITES == {Truth.function(site) for _, _, site in parsed} and \
        set(WAKEUPS.values()) == {daemon for daemon, _, _ in parsed}


def wake(known):
    """Wake the daemons.  The kernel does not wake a kswapd that has failed to free memory."""
    for _ in range(TRIES):
        known.run("wake")
        if have_all_woken():
            return
    check(False, f"not all have woken: {rows_of_module(Table('wakers'))}")


def check_sites(table, by_pid):
    """Check that wake-ups for the memory of the module are in one zone.  Return their rows."""
    mine = rows_of_module(table)
    check_equal("zones", {"DMA"}, {parse(row)[1] for row in mine})
    check(sum(row["runs"] for row in mine), "no run has a waker of the module")
    zones = {(order_of(row), parse(row)[1]) for row in table.rows
             if parse(row)[0] == "kcompactd" and row["wakeups"]}
    check_equal("zones of kcompactd", {
        (event.fields["order"], re.search(r"classzone_idx=(\w+)", event.text)[1])
        for events in by_pid.values() for event in events
        if WAKEUPS.get(event.name) == "kcompactd"}, zones)
    return mine


def proactively():
    """Wake kcompactd for no order.  This is not possible on 5.10."""
    PROACTIVE.write_text(PROACTIVE.read_text())


def check_off(known):
    """Check that nothing is counted while `enabled` is 0."""
    before = Table("wakers").sum("wakeups")
    control("enabled 0")
    grown = growth(lambda: known.run("wake"))
    check(grown["countmap_off"] > 0, "no wake-up while enabled is 0")
    check_equal("wake-ups while enabled is 0", before, Table("wakers").sum("wakeups"))
    control("enabled 1")


@each_kernel
@part
def wakers_traced():
    """Test wake-ups and runs of kswapd and kcompactd against ftrace, and their call sites."""
    with around(loaded("kmemacct"), events=WAKING, functions=()) as watch:
        with truth_loaded(MODULE) as known:
            known.run("fragment")
            watch.begin()
            wake(known)
            proactively()
            by_pid, tables = watch.events("wakers")
            expected = replay(by_pid)
            check_wakers(expected, tables["wakers"])
            mine = check_sites(tables["wakers"], by_pid)
            check_off(known)
        # The names of call sites stay when their module goes.
        left = [row["daemon_zone_site"] for row in Table("wakers").rows]
        check(all(row["daemon_zone_site"] in left for row in mine), f"{mine}, but {left}")
    return ", ".join(f"{daemon} {order}: {row.wakeups} wake-ups, {row.count} runs, {row.most} us"
                     for (daemon, order, _), row in sorted(expected.items()))


PARTS = (wakers_traced,)
