# SPDX-License-Identifier: GPL-2.0
"""What comparisons with perf share: names, tables and verdicts.

The first argument is the folder with what tools/test/guest/perf left.  An address is
called what /proc/kallsyms says, as kmemacct calls it.
"""
import bisect
import sys
from pathlib import Path


def path_of(name):
    """A file that tools/test/guest/perf left."""
    return Path(sys.argv[1], name)


class Symbols:
    """What addresses were called when all was over."""

    def __init__(self):
        self.symbols = {}
        self.areas = []
        seen, last = set(), ""
        with open(path_of("kallsyms")) as f:
            for line in f:
                address, _, name, *module = line.split()
                module = "".join(module)
                if module != last and module in seen:
                    # After all modules: what ftrace recalls of gone functions
                    break
                seen.add(module)
                last = module
                # Of several names of an address the kernel takes the first
                self.symbols.setdefault(int(address, 16), (name, module))
        self.addresses = sorted(self.symbols)
        self.names = set(self.symbols.values())
        self.kernel_end = max(a for a, (_, m) in self.symbols.items() if not m)
        with open(path_of("vmallocinfo")) as f:
            for line in f:
                self.areas.append([int(x, 16) for x in line.split()[0].split("-")])
        self.areas.sort()

    def area(self, address):
        """The start of the area that has this address, if one does."""
        i = bisect.bisect_right(self.areas, [address, 1 << 64]) - 1
        if i >= 0 and address < self.areas[i][1]:
            return self.areas[i][0]
        return None

    def find(self, address):
        """symbol+0xoffset and [module]; ("", "") where nobody is left."""
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


def table(name):
    with open(path_of(name)) as f:
        _, columns, *lines = f.read().splitlines()
    columns = columns.removeprefix("#").split()
    return [dict(zip(columns, line.split(None, len(columns) - 1)))
            for line in lines]


def compare(columns, inner, ours, outer):
    """How many rows are equal, how many in between, and texts about the others.

    Each of the three has tuples by row; two of perf, with what happened while kmemacct
    was certainly on, and with what happened while it may have been.
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


def verdict(name, good, why):
    print(f"ok {name}: {why}" if good else f"FAIL {name}: {why}")
