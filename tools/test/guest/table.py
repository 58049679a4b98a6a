# SPDX-License-Identifier: GPL-2.0
"""Read the module's tables, and read and write its `control` file."""
import re
from pathlib import Path

from harness import check
from kernel import DEBUGFS, TOP

ABI = (TOP / "include/kmemacct_abi.h").read_text()
TABLES = tuple(re.findall(r"\tX\((\w+), KMA_\w+\)", ABI))
SETTINGS = re.findall(r"\tX\((\w+), 0\d+,",
                      (TOP / "include/kmemacct_settings.h").read_text())
VERSION = re.search(r"KMA_FORMAT_VERSION\s+(\d+)", ABI)[1]


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

    def __init__(self, name, opened=lambda: None):
        with open(DEBUGFS / "kmemacct" / name) as f:
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
        self.rows = [dict(zip(self.columns, map(VALUES.__getitem__, row)))
                     for row in fields]

    def sum(self, column):
        return sum(row[column] for row in self.rows)


def pairs_of(name):
    return {row["name"]: int(row["value"]) for row in Table(name).rows
            if "." not in str(row["value"])}


def control(command):
    with open(DEBUGFS / "kmemacct/control", "wb", buffering=0) as f:
        f.write(command.encode() if isinstance(command, str) else command)


def settings():
    text = Path(DEBUGFS, "kmemacct/control").read_text()
    return dict(line.split(" ", 1) for line in text.splitlines())


def read_all():
    for name in TABLES:
        Path(DEBUGFS, "kmemacct", name).read_bytes()
    Path("/proc/kmemacct").read_bytes()
