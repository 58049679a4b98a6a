# SPDX-License-Identifier: GPL-2.0
"""Compare kmemacct's counts of page allocations with perf's.

usage: perf script -i DIR/perf.data -s tools/test/host/perf_pages.py DIR

DIR is the folder that `tools/test/guest/perf pages` has filled.  The marks A, B, C, D, E
are page allocations of the truth module.  kmemacct was switched on between A and B, and
off between C and D, and its tables were read between D and E.  So kmemacct has to have
the page allocations between B and C, may have others between A and D, and must not have
any before A or after D.  It has to have their frees before D, and may have those before E.

perf records the arguments and the stack of each event.  The call site is found in the
stack as the module finds it: it is the first frame that matches none of the module's
patterns.

Prints a line "ok NAME" or "FAIL NAME: why" for each comparison.
"""
import fnmatch
import functools
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path("tools/test/host").resolve()))
import perf_lib  # noqa: E402
from perf_lib import PAGE_KB, Symbols, path_of, report, table  # noqa: E402
from memory import migratetypes  # noqa: E402, from tools/test/guest

report_rows = functools.partial(perf_lib.report_rows, between_counts=False)
ROWS_MIN, EVENTS_MIN, FREES_MIN = 150, 40000, 10000
MARK = "truth_alloc_pages_exact+"
MARKS = 5
NO_PFN = -1 & (1 << 64) - 1
COLUMNS = ("hits", "kb")
# The call site is searched for in at most this many frames of the stack.
FRAMES_MAX = 24


class Callsites:
    """Finds the call site of a page allocation in its stack."""

    def __init__(self, symbols):
        self.symbols = symbols
        self.skipped = re.compile("|".join(
            f"(?:{fnmatch.translate(row['pattern'])})" for row in table("skip").rows if row["pages"]))
        self.found = {}

    def classify(self, address):
        """The label of a call site, or None if the module's patterns skip the function."""
        # A call that never returns may be the last instruction of its function.
        name = self.symbols.find(address - 1)[0].split("+0x")[0]
        if self.skipped.match(name):
            return None
        return " ".join(self.symbols.find(address)).rstrip()

    def of(self, stack):
        """The label of the call site in a stack, or None."""
        for frame in stack[:FRAMES_MAX]:
            address = frame["ip"]
            if address not in self.found:
                self.found[address] = self.classify(address)
            if self.found[address] is not None:
                return self.found[address]
        return None


class PageAllocs:
    """The page allocations and frees that perf recorded.

    A row is (call site, order, migrate type, gfp flags).  hits counts page allocations by
    the number of marks seen before, and by row.  frees counts frees by (marks before
    the allocation, marks before the free), and by row.  live maps each allocated pfn to
    (row, marks before the allocation, whether it is the first page of its allocation).
    """

    def __init__(self):
        self.sites = Callsites(Symbols())
        self.types = migratetypes(path_of("pagetypeinfo").read_text())
        self.marks = 0
        self.hits = defaultdict(Counter)
        self.frees = defaultdict(Counter)
        self.failed = Counter()
        self.live = {}
        self.total = 0

    def allocation(self, fields):
        site = self.sites.of(fields["common_callchain"])
        self.marks += site is not None and site.startswith(MARK)
        if fields["pfn"] & NO_PFN == NO_PFN:
            self.failed[self.marks] += 1
            return
        row = (site, fields["order"], self.types[fields["migratetype"]], fields["gfp_flags"])
        self.hits[self.marks][row] += 1
        for i in range(1 << fields["order"]):
            self.live[fields["pfn"] + i] = (row, self.marks, not i)

    def free(self, fields):
        for pfn in range(fields["pfn"], fields["pfn"] + (1 << fields["order"])):
            row, allocated, first = self.live.pop(pfn, (None, 0, False))
            if first:
                self.frees[allocated, self.marks][row] += 1


def rows_of(counts, key):
    """perf's hits and kb, summed over all rows with the same key(row)."""
    rows = defaultdict(Counter)
    for row, hits in counts.items():
        rows[key(row)].update(hits=hits, kb=hits * PAGE_KB << row[1])
    return {row: tuple(sums[name] for name in COLUMNS) for row, sums in rows.items()}


def place_of(row):
    return row.get("site"), row["order"], row["migratetype"], int(row.get("gfp", "0"), 16)


def ours_of(name, key):
    """kmemacct's hits and kb, summed over all rows of a table with the same key(row)."""
    rows = defaultdict(Counter)
    for row in table(name).rows:
        rows[key(place_of(row))].update({name: row[name] for name in COLUMNS})
    return {row: tuple(sums[name] for name in COLUMNS) for row, sums in rows.items()
            if any(sums.values())}


def sum_of(counters):
    total = Counter()
    for counter in counters:
        total.update(counter)
    return total


def report_frees():
    """Compare frees, except in rows with bulk allocations, which perf does not see."""
    bulk, ours = set(), Counter()
    for row in table("page_callers").rows:
        ours[place_of(row)] += row["frees"]
        if row["bulk_allocs"]:
            bulk.add(place_of(row))
    inner = sum_of(counts for (allocated, freed), counts in ALLOCS.frees.items()
                   if allocated == 2 and freed <= 3)
    outer = sum_of(counts for (allocated, freed), counts in ALLOCS.frees.items()
                   if 1 <= allocated <= 3 and freed <= 4)
    report_rows("frees", ROWS_MIN, ("frees",), *(
        {row: (frees,) for row, frees in counts.items() if row not in bulk}
        for counts in (inner, ours, outer)))
    report("many frees", sum(inner.values()) >= FREES_MIN, f"{sum(inner.values())}")


ALLOCS = None


# perf script calls these functions: at the beginning, for each event, and at the end.
def trace_begin():
    global ALLOCS
    ALLOCS = PageAllocs()


def trace_unhandled(event, context, fields, sample):
    ALLOCS.total += 1
    if event == "kmem__mm_page_alloc":
        ALLOCS.allocation(fields)
    elif event == "kmem__mm_page_free":
        ALLOCS.free(fields)


def trace_end():
    report("marks", ALLOCS.marks == MARKS, f"{ALLOCS.marks} of {MARKS}")
    inner = ALLOCS.hits[2]
    outer = sum_of(ALLOCS.hits[i] for i in (1, 2, 3))
    for name, at_least, what, key in (
            ("orders", 15, "orders", lambda row: row[1:3]),
            ("classes", 30, "page_callers", lambda row: row[1:]),
            ("call sites of pages", ROWS_MIN, "page_callers", lambda row: row)):
        report_rows(name, at_least, COLUMNS, rows_of(inner, key), ours_of(what, key),
                    rows_of(outer, key))
    report_frees()
    failed = [ALLOCS.failed[2], table("page_summary").pairs()["failures"],
              sum(ALLOCS.failed[i] for i in (1, 2, 3))]
    report("failures", failed[0] >= 9 and failed == sorted(failed),
           "at least by perf, by kmemacct, at most by perf: {} {} {}".format(*failed))
    report("a wide workload with pages", ALLOCS.total >= EVENTS_MIN,
           f"{ALLOCS.total} events, {sum(inner.values())} page allocations of "
           f"{len({row[0] for row in inner})} call sites")
