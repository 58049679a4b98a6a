# SPDX-License-Identifier: GPL-2.0
"""Read the module's tables, and read and write its `control` file."""
import re
import time
from pathlib import Path

from harness import Failed, check, check_row
from kernel import DEBUGFS, TOP

ABI = (TOP / "include/kmemacct_abi.h").read_text()
TABLES = tuple(re.findall(r"\tX\((\w+), KMA_\w+\)", ABI))
SETTINGS = re.findall(r"\tX\((\w+), 0\d+,", (TOP / "include/kmemacct_settings.h").read_text())
VERSION = re.search(r"KMA_FORMAT_VERSION\s+(\d+)", ABI)[1]

FOLDER = DEBUGFS / "kmemacct"
CONTROL, PROC = FOLDER / "control", Path("/proc/kmemacct")
TABLE_FILES = [*(FOLDER / name for name in TABLES), PROC]
PARAMETERS = Path("/sys/module/kmemacct/parameters")


class Values(dict):
    """Maps the text of a field to its value: an integer if it is one, else the text.

    Most texts occur again and again, and a lookup takes a fraction of a conversion's time.
    """
    def __missing__(self, text):
        number = text.removeprefix("-").isdigit()
        self[text] = value = int(text) if number else text
        return value


VALUES = Values()


class Table:
    """A table as it was when its file was opened.  opened() is called just after that."""

    def __init__(self, name, opened=lambda: None, folder=FOLDER):
        with open(folder / name) as f:
            self.opened = opened()
            text = f.read()
        head, identity, columns, *lines = text.removesuffix("\n").split("\n")
        prefix = f"# kmemacct {name} {VERSION} "
        check(head.startswith(prefix), f"{name} begins with {head!r}")
        self.head = dict(pair.split("=") for pair in
                         head[len(prefix):].split() + identity[2:].split())
        self.columns = columns.removeprefix("#").split()
        fields = [line.split(None, len(self.columns) - 1) for line in lines]
        short = [row for row in fields if len(row) != len(self.columns)]
        check(not short, f"{name} has lines {short}")
        self.rows = [dict(zip(self.columns, map(VALUES.__getitem__, row))) for row in fields]

    def sum(self, column):
        return sum(row[column] for row in self.rows)

    def pairs(self):
        """Return the values of a table of names and values, each an int or a float."""
        return {row["name"]: row["value"] if isinstance(row["value"], int) else
                float(row["value"]) for row in self.rows}


def only(rows, column, value):
    """Return the only row with this value."""
    found = [row for row in rows if row[column] == value]
    check(len(found) == 1, f"{len(found)} rows have the {column} {value}")
    return found[0]


def pairs_of(name):
    return Table(name).pairs()


def check_stats(**expected):
    check_row("stats", expected, pairs_of("stats"))


def growth(work, name="stats"):
    """Return by how much work() raises the values of a table of names and values."""
    before = pairs_of(name)
    work()
    return {key: value - before[key] for key, value in pairs_of(name).items()}


def control(*commands):
    for command in commands:
        with open(CONTROL, "wb", buffering=0) as f:
            f.write(command.encode() if isinstance(command, str) else command)


def settings():
    return dict(line.split(" ", 1) for line in CONTROL.read_text().splitlines())


def read_all():
    for path in TABLE_FILES:
        path.read_bytes()


TRIES = 500


def quiet(read, name, columns):
    """Return what read() returns, and pairs_of(name), of a moment when nothing happens.

    Reading allocates and frees, too, but nothing is added with `enabled 0`.  Only frees can change
    what is recorded: if these columns are equal before and after read(), there were none.
    """
    control("enabled 0")
    try:
        for _ in range(TRIES):
            before = pairs_of(name)
            found = read()
            after = pairs_of(name)
            if all(before[key] == after[key] for key in columns):
                return found, after
            time.sleep(0.01)
    finally:
        control("enabled 1")
    raise Failed(f"{name} has changed during each of {TRIES} tries")


def until_equal(what, read):
    """Return the first result of read() that begins with two equal sums.

    A snapshot reads one counter after another, so an event in between may be in one
    counter and not yet in another.  The next snapshot no longer has this difference, but
    a miscount stays in every later snapshot.  So one exact snapshot is proof enough.
    """
    for _ in range(TRIES):
        left, right, *_ = result = read()
        if left == right:
            return result
    raise Failed(f"{what} differ in each of {TRIES} tries; in the last one, they are {result}")
