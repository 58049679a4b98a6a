# SPDX-License-Identifier: GPL-2.0
"""Blocks of pages in a window, as perf has them and as kmemacct counted them.

usage: perf script -i DIR/perf.data -s tools/test/host/perf_pages.py DIR

DIR is what `tools/test/guest/perf pages` left.  The marks A, B, C, D, E are blocks of
the truth module; kmemacct was switched on between A and B, and off between C and D,
and its tables were read between D and E.  So of blocks that were allocated between B
and C it has to know, and of those that were allocated before A or after D it must not;
it has to know of frees before D, and may know of those before E.

Of each event perf has the arguments and the stack.  The call site is looked for in that
as the module says that it does it, with its own patterns: the first frame that none of
them matches.

Prints a line "ok NAME" or "FAIL NAME: why" for each comparison.
"""
import fnmatch
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path("tools/test/host").resolve()))
from perf_lib import Symbols, compare, path_of, table, verdict  # noqa: E402

PAGE_KB = 4
ROWS_MIN, EVENTS_MIN, FREES_MIN = 150, 40000, 10000
MARK = "truth_alloc_pages_exact+"
MARKS = 5
NO_PFN = -1 & (1 << 64) - 1
COLUMNS = ("hits", "kb")
# Functions between the page allocator and the call site that are looked at, at most
FRAMES_MAX = 24


def skip_patterns():
    """As the module has them."""
    return [row["pattern"] for row in table("skip")]


def migratetypes():
    """By number, as they are called."""
    text = path_of("pagetypeinfo").read_text()
    names = []
    for name in re.findall(r", type +(\w+) ", text):
        if name in names:
            break
        names.append(name)
    return names


class Callsites:
    """Of stacks."""

    def __init__(self, symbols):
        self.symbols = symbols
        self.skipped = re.compile("|".join(
            f"(?:{fnmatch.translate(pattern)})" for pattern in skip_patterns()))
        self.found = {}

    def judge(self, address):
        """The label of a call site, or None for what only hands pages on."""
        # A call that never returns may be the last of its function.
        name = self.symbols.find(address - 1)[0].split("+0x")[0]
        if self.skipped.match(name):
            return None
        return " ".join(self.symbols.find(address)).rstrip()

    def of(self, stack):
        for frame in stack[:FRAMES_MAX]:
            address = frame["ip"]
            if address not in self.found:
                self.found[address] = self.classify(address)
            if self.found[address] is not None:
                return self.found[address]
        return None


class Blocks:
    """What perf recorded.

    Rows by how far the marks had come when the block was allocated, and each page that
    is live: whose row it is in, and whether it is the first one of its block.
    """

    def __init__(self):
        self.sites = Callsites(Symbols())
        self.types = migratetypes()
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
        row = (site, fields["order"], self.types[fields["migratetype"]],
               fields["gfp_flags"])
        self.hits[self.marks][row] += 1
        for i in range(1 << fields["order"]):
            self.live[fields["pfn"] + i] = (row, self.marks, not i)

    def free(self, fields):
        for pfn in range(fields["pfn"], fields["pfn"] + (1 << fields["order"])):
            row, allocated, first = self.live.pop(pfn, (None, 0, False))
            if first:
                self.frees[allocated, self.marks][row] += 1


def rows_of(counts, key):
    """hits and kb, summed by what key() makes of a row."""
    rows = defaultdict(Counter)
    for row, hits in counts.items():
        rows[key(row)].update(hits=hits, kb=hits * PAGE_KB << row[1])
    return {row: tuple(sums[name] for name in COLUMNS) for row, sums in rows.items()}


def ours_of(name, key):
    rows = defaultdict(Counter)
    for row in table(name):
        place = (row.get("site"), int(row["order"]), row["migratetype"],
                 int(row.get("gfp", "0"), 16))
        rows[key(place)].update({name: int(row[name]) for name in COLUMNS})
    return {row: tuple(sums[name] for name in COLUMNS) for row, sums in rows.items()
            if any(sums.values())}


def judge(name, at_least, columns, inner, ours, outer):
    equal, between, wrong = compare(columns, inner, ours, outer)
    verdict(name, not wrong and equal >= at_least,
            f"{equal} equal, {between} between, {len(wrong)} wrong" + "".join(wrong))
    return equal


def sum_of(counters):
    total = Counter()
    for counter in counters:
        total.update(counter)
    return total


def judge_frees():
    """Not of rows with blocks that were allocated in bulk, of which perf knows nothing."""
    rows = [(row["site"], int(row["order"]), row["migratetype"], int(row["gfp"], 16))
            for row in table("page_callers")]
    bulk = {key for key, row in zip(rows, table("page_callers"))
            if int(row["bulk_allocs"])}
    ours = Counter()
    for key, row in zip(rows, table("page_callers")):
        ours[key] += int(row["frees"])
    inner = sum_of(counts for (allocated, freed), counts in BLOCKS.frees.items()
                   if allocated == 2 and freed <= 3)
    outer = sum_of(counts for (allocated, freed), counts in BLOCKS.frees.items()
                   if 1 <= allocated <= 3 and freed <= 4)
    judge("frees", ROWS_MIN, ("frees",), *(
        {row: (frees,) for row, frees in counts.items() if row not in bulk}
        for counts in (inner, ours, outer)))
    verdict("many frees", sum(inner.values()) >= FREES_MIN, f"{sum(inner.values())}")


BLOCKS = None


# perf script calls these: at the beginning, for each event, and at the end
def trace_begin():
    global BLOCKS
    BLOCKS = Blocks()


def trace_unhandled(event, context, fields, sample):
    BLOCKS.total += 1
    if event == "kmem__mm_page_alloc":
        BLOCKS.allocation(fields)
    elif event == "kmem__mm_page_free":
        BLOCKS.free(fields)


def trace_end():
    verdict("marks", BLOCKS.marks == MARKS, f"{BLOCKS.marks} of {MARKS}")
    inner = BLOCKS.hits[2]
    outer = sum_of(BLOCKS.hits[i] for i in (1, 2, 3))
    for name, at_least, what, key in (
            ("orders", 15, "orders", lambda row: row[1:3]),
            ("classes", 30, "page_callers", lambda row: row[1:]),
            ("call sites of pages", ROWS_MIN, "page_callers", lambda row: row)):
        judge(name, at_least, COLUMNS, rows_of(inner, key), ours_of(what, key),
              rows_of(outer, key))
    judge_frees()
    summary = {row["name"]: row["value"] for row in table("page_summary")}
    failed = [BLOCKS.failed[2], int(summary["failures"]),
              sum(BLOCKS.failed[i] for i in (1, 2, 3))]
    verdict("failures", failed[0] >= 9 and failed == sorted(failed),
            "perf, kmemacct, perf at most: {} {} {}".format(*failed))
    verdict("a wide workload with pages", BLOCKS.total >= EVENTS_MIN,
            f"{BLOCKS.total} events, {sum(inner.values())} blocks of "
            f"{len({row[0] for row in inner})} call sites")
