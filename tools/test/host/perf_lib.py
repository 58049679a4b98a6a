# SPDX-License-Identifier: GPL-2.0
"""Shared by the comparisons with perf: symbols, tables and results.

The first argument is the folder that tools/test/guest/perf has filled.  Symbols come from
/proc/kallsyms, because kmemacct uses the same names.
"""
import bisect
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "guest"))
# pylint: disable=wrong-import-position
from table import Table

PAGE_KB = 4


def path_of(name):
    """The path of a file that tools/test/guest/perf has written."""
    return Path(sys.argv[1], name)


def table(name):
    """A table that tools/test/guest/perf has copied."""
    return Table(name, folder=path_of("."))


class Symbols:
    """The symbols of the kernel and its modules at the end of the recording."""

    def __init__(self):
        self.symbols = {}
        self.areas = []
        seen, last = set(), ""
        with open(path_of("kallsyms")) as f:
            for line in f:
                address, _, name, *module = line.split()
                module = "".join(module)
                if module != last and module in seen:
                    # After the modules, kallsyms lists functions that were freed after
                    # module init and that ftrace remembers.
                    break
                seen.add(module)
                last = module
                # If an address has several names, the kernel uses the first.
                self.symbols.setdefault(int(address, 16), (name, module))
        self.addresses = sorted(self.symbols)
        self.names = set(self.symbols.values())
        self.kernel_end = max(a for a, (_, m) in self.symbols.items() if not m)
        with open(path_of("vmallocinfo")) as f:
            for line in f:
                self.areas.append([int(x, 16) for x in line.split()[0].split("-")])
        self.areas.sort()

    def area(self, address):
        """The start of the vmalloc area that contains this address, or None."""
        i = bisect.bisect_right(self.areas, [address, 1 << 64]) - 1
        if i >= 0 and address < self.areas[i][1]:
            return self.areas[i][0]
        return None

    def find(self, address):
        """("symbol+0xoffset", "[module]"), or ("", "") if no module has this address."""
        at = self.addresses[bisect.bisect_right(self.addresses, address) - 1]
        name, module = self.symbols[at]
        if address > self.kernel_end:
            start = self.area(address)
            if start is None or at < start:
                return "", ""
        return f"{name}+{address - at:#x}", module

    def has(self, label):
        symbol, _, module = label.partition(" ")
        return (symbol.split("+0x")[0], module) in self.names


def compare(columns, inner, ours, outer):
    """Compare rows of kmemacct (ours) with the lower and upper bounds that perf gives.

    Each argument maps rows to tuples.  inner has perf's events while kmemacct was
    certainly on, outer those while it may have been on.  Return the number of rows whose
    bounds are equal to kmemacct's values, the number of other rows within their bounds,
    and a text about each row that is out of bounds.
    """
    equal = between = 0
    wrong = []
    none = (0,) * len(columns)
    for row in sorted({*outer, *ours}):
        triple = [counts.get(row, none) for counts in (inner, ours, outer)]
        if not all(a <= b <= c for a, b, c in zip(*triple)):
            wrong.append(f"\n{row}: {', '.join(columns)}"
                         f"\n  perf, certainly  {triple[0]}"
                         f"\n  kmemacct         {triple[1]}"
                         f"\n  perf, at most    {triple[2]}")
        elif triple[0] == triple[2]:
            equal += 1
        else:
            between += 1
    return equal, between, wrong


def report(name, good, why):
    """Print the result of a comparison."""
    print(f"ok {name}: {why}" if good else f"FAIL {name}: {why}")


def report_rows(name, at_least, columns, inner, ours, outer, between_counts=True):
    """Compare rows as compare() does, and print the result.  Return the number of right rows.

    At least this many have to be right; `between_counts` tells if those are that lie in between.
    """
    equal, between, wrong = compare(columns, inner, ours, outer)
    right = equal + between * between_counts
    report(name, not wrong and right >= at_least,
           f"{equal} equal, {between} between, {len(wrong)} wrong" + "".join(wrong))
    return right
