# SPDX-License-Identifier: GPL-2.0
"""The truth: modules of kunit/truth, which count what they allocate and free."""
import contextlib
import re
import time
from pathlib import Path

from harness import check, check_equal
from kernel import CPUS, DEBUGFS, loaded
from table import VALUES, Table, control

# Columns that `callers` and the truth have in common
COUNTS = ("live_bytes", "live_objs", "hits", "bytes_req", "bytes_alloc",
          "frees", "bytes_freed", "pingpong", "cross_node", "bulk_objs",
          "bulk_bytes")

SCENARIOS = ("constant", "runtime", "large", "nodes", "caches", "copies",
             "krealloc", "nothing", "failed", "cpus", "contexts", "kvmalloc",
             "cycle", "many")

# Modules of which only one is loaded at a time, most often at the address of the other
TWINS = ("kmemacct_truth", "kmemacct_truth2")

STORM_HITS = 500000 if CPUS > 1 else 100000


class Truth:
    def __init__(self, module="kmemacct_truth"):
        self.module = module
        self.dir = DEBUGFS / module

    def run(self, *scenarios):
        for scenario in scenarios:
            with open(self.dir / "run", "wb", buffering=0) as f:
                f.write(scenario.encode())

    def lines(self, name):
        columns, *lines = (self.dir / name).read_text().splitlines()
        columns = columns.split()
        return [dict(zip(columns, map(VALUES.__getitem__, line.split()))) for line in lines]

    def sites(self):
        """Return the rows of call sites that have allocated, by function."""
        return {row["site"]: row for row in self.lines("sites") if row["hits"] or row["bulk_objs"]}

    def live(self):
        return {row["ptr"]: row for row in self.lines("live")}

    def values(self):
        lines = (self.dir / "values").read_text().splitlines()
        return {name: int(value) for name, value in map(str.split, lines)}

    def jiffies(self):
        return self.values()["jiffies"]

    def is_mine(self, label):
        return label.endswith(f" [{self.module}]")

    def allocs(self, table=None):
        """Return the rows of `allocs` that are the truth's."""
        return [row for row in (table or Table("allocs")).rows if self.is_mine(row["site"])]

    @staticmethod
    def function(label):
        return label.split("+0x")[0]


def text_address(module):
    return Path("/sys/module", module, "sections/.text").read_text()


@contextlib.contextmanager
def truth_loaded(module="kmemacct_truth"):
    with loaded(module):
        yield Truth(module)


@contextlib.contextmanager
def both(parameters="", module="kmemacct_truth", commands=()):
    """Load kmemacct, run commands, and load the truth, all whose events kmemacct then sees."""
    with loaded("kmemacct", parameters):
        control(*commands)
        with truth_loaded(module) as known:
            yield known


def rows_by_function(truth, table=None):
    """Return the rows of the truth's call sites in `callers`, by function."""
    rows = {}
    for row in (table or Table("callers")).rows:
        if truth.is_mine(row["site"]):
            name = truth.function(row["site"])
            check(name not in rows, f"two rows for the only call site in {name}")
            check(re.fullmatch(r"\w+\+0x[0-9a-f]+ \[\w+\]", row["site"]),
                  f"malformed name of a call site: {row['site']!r}")
            rows[name] = row
    return rows


def since_reset(row, base):
    """Return what `callers` has of a row of the truth, which was `base` at the last reset."""
    return {key: row[key] if key.startswith("live") else row[key] - base[key] for key in COUNTS}


def drop_estimated(known):
    """Free all objects of the truth, and check that none counts as live, sampled or not."""
    known.run("drop")
    rows = rows_by_function(known)
    check_equal("live after drop", 0,
                sum(row["live_samples"] + row["live_objs"] for row in rows.values()))


SETTLE_S = 60


def until_settled(known, settled):
    """Wait until RCU has freed what it was given, that is, until settled(), or for SETTLE_S."""
    known.run("settle")
    deadline = time.monotonic() + SETTLE_S
    while not settled() and time.monotonic() < deadline:
        time.sleep(0.2)


def handed_back(known):
    """Tell whether all objects that the truth gave to RCU count as freed."""
    rows = rows_by_function(known)
    return all(rows[name]["frees"] == row["frees"]
               for name, row in known.sites().items() if row["handed"])


def storm_until(known, hits, work=lambda: time.sleep(0.2), times=1):
    """Call work() at least `times` times, until the storm has made `hits` more hits."""
    start = sum(row["hits"] for row in known.sites().values())
    while (times > 0 or sum(row["hits"] for row in known.sites().values()) < start + hits):
        work()
        times -= 1


@contextlib.contextmanager
def storm(known):
    known.run("storm_start")
    try:
        yield
    finally:
        known.run("storm_stop")
