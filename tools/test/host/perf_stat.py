# SPDX-License-Identifier: GPL-2.0
"""Read the output of perf kmem stat, and of kmemacct stat, which has the same form.

kmemacct adds remarks, lines that begin with `#`, and stars to titles of numbers that perf
kmem has in another sense.  It has the module's names of migrate types; perf kmem's names of
two of them are exchanged, and what it calls RESERVED is HighAtomic.
"""
import re
from collections import Counter, defaultdict

# perf kmem's names of the migrate types, and their names in kmemacct stat
PERF_TYPES = {"UNMOVABL": "UNMOVABL", "RECLAIM": "MOVABLE", "MOVABLE": "RECLAIM",
              "RESERVED": "HIGHATOM", "CMA/ISLT": "ISOLATE"}
# The titles of perf kmem's orders, and the types that they are the numbers of
PERF_TITLES = {"Unmovable": "Unmovable", "Reclaimable": "Movable", "Movable": "Reclaimable",
               "Reserved": "HighAtomic", "CMA/Isolated": "Isolate"}


def cells(line):
    return [cell.strip() for cell in line.split("|")]


def rows_of(lines, first):
    """The titles and rows of the table whose first title is this one."""
    at = next(i for i, line in enumerate(lines) if line.startswith(f" {first}"))
    end = next(i for i in range(at + 2, len(lines)) if lines[i].startswith("---"))
    return lines[at], lines[at + 2:end]


def frag_text(bytes_req, bytes_alloc):
    return f"{100 - 100 * bytes_req / bytes_alloc if bytes_alloc else 0:.3f}%"


class Slab:
    """The table of objects by call site, and the summary.

    rows has the texts of all columns, summary the texts of the values by title.
    """

    def __init__(self, text):
        lines = text.splitlines()
        titles, rows = rows_of(lines, "Callsite")
        self.titles = [title.removesuffix("*") for title in cells(titles)]
        self.rows = [cells(row) for row in rows]
        self.summary = {}
        for line in lines[lines.index("SUMMARY (SLAB allocator)"):]:
            title, colon, value = line.partition(":")
            if colon and not line.startswith("#"):
                self.summary[title.removesuffix("*")] = value.strip()

    @staticmethod
    def numbers(row):
        """hits, bytes_req and bytes_alloc of a row."""
        return tuple(int(row[i].split("/")[0]) for i in (3, 2, 1))

    def sums(self):
        return tuple(sum(column) for column in zip(*map(self.numbers, self.rows)))

    def totals(self):
        """hits, bytes_req and bytes_alloc in the summary."""
        return tuple(int(self.summary[title].split("/")[-1]) for title in (
            "Cross CPU allocations", "Total bytes requested", "Total bytes allocated"))

    def wrong_rows(self):
        """The rows whose averages or fragmentation do not follow from their sums."""
        for row in self.rows:
            hits, req, alloc = self.numbers(row)
            if row[1:3] + row[5:] != [f"{alloc}/{alloc // hits}", f"{req}/{req // hits}",
                                      frag_text(req, alloc)]:
                yield f"\n{row}"

    def out_of_order(self):
        """The rows that are not sorted by frag,hit,bytes, which is the default."""
        last = None
        for row in self.rows:
            hits, req, alloc = self.numbers(row)
            # As perf kmem computes it, where the last bits differ
            key = 100.0 * req / alloc - 100 if alloc else 0, -hits, -alloc
            if last and key < last:
                yield f"\n{row}"
            last = key


class Page:
    """The table of pages by call site, and the summary.

    rows has (KB, hits, order, type, names of gfp flags, call site), and codes these names by
    the flags' numbers.  summary maps titles to (requests, KB), and orders (order, type) to
    numbers.  bulk_kb is what kmemacct says that it includes of bulk allocations.
    """

    def __init__(self, text, perf):
        self.lines = text.splitlines()
        self.codes = {}
        for line in self.lines:
            found = re.fullmatch(r"# ([0-9a-f]{8}): +(\S+): \S+", line)
            if found:
                self.codes[int(found[1], 16)] = found[2]
        titles, rows = rows_of(self.lines, "Total alloc")
        self.titles = cells(titles)
        self.rows = [self.row(cells(row), perf) for row in rows]
        self.summary = dict(self.totals())
        self.orders = self.matrix(perf)
        bulk = re.search(r"^# \*.* bulk allocations \((\d+) KB\)", text, re.M)
        self.bulk_kb = int(bulk[1]) if bulk else 0

    @staticmethod
    def row(row, perf):
        """A row has bars between its gfp flags as well, but none next to blanks."""
        size, hits, order, kind, *gfp, site = row
        return (int(size), int(hits), int(order), PERF_TYPES[kind] if perf else kind,
                "|".join(gfp), site)

    def totals(self):
        for line in self.lines:
            found = re.fullmatch(r"(Total [\w+-]+ \w+)(\*?) *: +(-?\d+) +\[ +(-?\d+) KB \]", line)
            if found:
                yield found[1], (int(found[3]), int(found[4]))

    def matrix(self, perf):
        at = next(i for i, line in enumerate(self.lines) if line.startswith("Order "))
        titles = self.lines[at].split()[1:]
        if perf:
            titles = [PERF_TITLES[title] for title in titles]
        found = {}
        for line in self.lines[at + 2:]:
            order, *numbers = line.split()
            if not order.isdigit():
                break
            for title, number in zip(titles, numbers, strict=True):
                found[int(order), title] = 0 if number == "." else int(number)
        return found

    def by_class(self, names):
        """KB and hits by order, type and the name of the gfp flags in `names`.

        Several flags may have one name in perf kmem, and one code has one number here.
        """
        flags = {code: number for number, code in self.codes.items()}
        sums = defaultdict(Counter)
        for size, hits, order, kind, gfp, _ in self.rows:
            key = (order, kind, names[flags[gfp]] if names else gfp)
            sums[key].update(hits=hits, kb=size)
        return {key: (count["hits"], count["kb"]) for key, count in sums.items()}
