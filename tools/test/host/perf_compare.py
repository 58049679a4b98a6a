# SPDX-License-Identifier: GPL-2.0
"""Compare kmemacct's counts of allocations by call site with perf's.

usage: perf script -i DIR/perf.data -s tools/test/host/perf_compare.py DIR

DIR is the folder that tools/test/guest/perf has filled; DIR/kmem is the output of perf
kmem.  The marks A, B, C, D are allocations of the truth module.  kmemacct was switched on
between A and B, and off between C and D.  So for each call site, kmemacct's counts have
to be at least perf's between B and C, and at most perf's between A and D.  Where these
two are equal, kmemacct has to have the same.

Symbols come from /proc/kallsyms, as in kmemacct.  It has no symbols of the init code that
a module frees once it is loaded, and the next module may be loaded at the same addresses.
Call sites without a symbol are compared as one sum.  All modules are loaded between B
and C.

The output of kmemacct stat is compared as well: its numbers with perf's in the same way,
its form with the output of perf kmem, and both texts of the truth module's call sites.

Prints a line "ok NAME" or "FAIL NAME: why" for each comparison.
"""
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path("tools/test/host").resolve()))
from perf_lib import Symbols, path_of, report, report_rows, table  # noqa: E402
from perf_stat import Slab  # noqa: E402

SITES_MIN, EVENTS_MIN, TRUTH_SITES_MIN = 400, 500000, 30
COLUMNS = ("hits", "bytes_req", "bytes_alloc")
# Since 6.10, a kmalloc of a size that is not constant and that the page allocator serves
# has two events.  The call site of the first event is inside one of these functions.
INNER = re.compile(r"__kmalloc(_large)?(_node)?(_track_caller)?_noprof\+")
TRUTH = "[kmemacct_truth]"
MARK = "truth_mark+"
NAMELESS = "(functions that modules have dropped)"


class Events:
    """The events that perf recorded, counted by call site."""

    def __init__(self, symbols):
        self.symbols = symbols
        self.found = {}
        self.loaded = set()     # modules whose loading perf has recorded so far
        self.marks = 0
        self.outer = defaultdict(Counter)
        self.inner = defaultdict(Counter)
        self.counts = Counter()
        self.total = 0

    def site(self, address):
        """(call site, whether perf has seen its module being loaded before now)."""
        if address not in self.found:
            self.found[address] = self.symbols.find(address)
        label, module = self.found[address]
        return f"{label} {module}".rstrip(), module in self.loaded

    def allocation(self, fields):
        site, _ = key = self.site(fields["call_site"])
        self.marks += site.startswith(MARK)
        if not 1 <= self.marks <= 3:
            return
        if INNER.match(site):
            self.counts["double-fired"] += 1
        elif not fields["ptr"]:
            self.counts["failed"] += 1
        else:
            event = Counter(hits=1, bytes_req=fields["bytes_req"],
                            bytes_alloc=fields["bytes_alloc"])
            self.outer[key].update(event)
            if self.marks == 2:
                self.inner[key].update(event)

    def by_name(self, counts):
        """Counts by call site; call sites without a symbol become NAMELESS.

        An event at a module's address from before the module was loaded comes from
        another module that had this address then.
        """
        sites = defaultdict(Counter)
        for (site, loaded), count in counts.items():
            module = site.rpartition(" ")[2]
            if not site or not loaded and module in self.loaded:
                site = NAMELESS
            sites[site].update(count)
        return sites


def by_site(symbols, rows):
    """Sums of rows, each a call site and a tuple of COLUMNS, by call site."""
    sites = defaultdict(Counter)
    for site, numbers in rows:
        if site.endswith("]") and not symbols.has(site):
            site = NAMELESS
        sites[site].update(dict(zip(COLUMNS, numbers)))
    return as_tuples(sites)


def perf_kmem(symbols, theirs):
    """The columns that perf kmem prints for the truth module's call sites, by site."""
    sites = {}
    for address, *columns in theirs.rows:
        label, module = symbols.find(int(address, 16))
        if module == TRUTH:
            sites[f"{label} {module}"] = columns
    return sites


def site_of(text):
    """The call site, of which kmemacct stat prints the offset without 0x."""
    return re.sub(r"\+(?=[0-9a-f]+( |$))", "+0x", text)


def compare_perf_kmem(symbols, ours, theirs):
    """Compare the texts of all columns of the truth module's call sites."""
    theirs = perf_kmem(symbols, theirs)
    ours = {site_of(site): columns for site, *columns in ours.rows if site.endswith(TRUTH)}
    # perf and kmemacct record different marks.
    marks = {site for site in {*theirs, *ours} if site.startswith(MARK)}
    return len(theirs), [
        f"{site}\n  perf kmem  {theirs.get(site)}\n  kmemacct   {ours.get(site)}"
        for site in sorted({*theirs, *ours} - marks)
        if theirs.get(site) != ours.get(site)]


def report_stat(symbols, inner, outer):
    """Compare the output of kmemacct stat with perf's events, and its form with perf kmem's."""
    ours, theirs = (Slab(path_of(name).read_text()) for name in ("stat_slab", "kmem"))
    report("stat: titles", ours.titles == theirs.titles, ", ".join(ours.titles))
    report("stat: summary", list(ours.summary) == list(theirs.summary), ", ".join(ours.summary))
    for name, wrong in (("averages", ours.wrong_rows()), ("order", ours.out_of_order())):
        wrong = list(wrong)
        report(f"stat: {name}", not wrong, f"{len(ours.rows)} rows, {len(wrong)} wrong" +
               "".join(wrong))
    stat = by_site(symbols, ((site_of(row[0]), ours.numbers(row)) for row in ours.rows))
    report_rows("stat: call sites", SITES_MIN, COLUMNS, inner, stat, outer)
    report("stat: sums", ours.sums() == ours.totals(), f"{ours.sums()} and {ours.totals()}")
    # The guest has one node
    crossed = [part.summary["Cross CPU allocations"].split("/")[0] for part in (ours, theirs)]
    report("stat: cross", crossed == ["0", "0"], " and ".join(crossed))
    sites, wrong = compare_perf_kmem(symbols, ours, theirs)
    report("perf kmem", sites >= TRUTH_SITES_MIN and not wrong,
           f"{sites} sites, {len(wrong)} wrong" + "".join(f"\n{text}" for text in wrong))


def as_tuples(sites):
    return {site: tuple(counts[key] for key in COLUMNS) for site, counts in sites.items()}


EVENTS = None


# perf script calls these functions: at the beginning, for each event, and at the end.
def trace_begin():
    global EVENTS
    EVENTS = Events(Symbols())


def trace_unhandled(event, context, fields, sample):
    EVENTS.total += 1
    if event in ("kmem__kmalloc", "kmem__kmem_cache_alloc"):
        EVENTS.allocation(fields)
    elif event == "module__module_load":
        EVENTS.loaded.add(f"[{fields['name']}]")


def trace_end():
    inner = as_tuples(EVENTS.by_name(EVENTS.inner))
    outer = as_tuples(EVENTS.by_name(EVENTS.outer))
    ours = by_site(EVENTS.symbols, ((row["site"], [row[key] for key in COLUMNS])
                                    for row in table("callers").rows))
    report("marks", EVENTS.marks == 4, f"{EVENTS.marks} of 4")
    sites = report_rows("call sites", 0, COLUMNS, inner, ours, outer)
    report_stat(EVENTS.symbols, inner, outer)
    report("a wide workload",
           sites >= SITES_MIN and EVENTS.total >= EVENTS_MIN,
           ", ".join([f"{sites} call sites", f"{EVENTS.total} events"] +
                     [f"{n} {name}" for name, n in sorted(EVENTS.counts.items())]))
