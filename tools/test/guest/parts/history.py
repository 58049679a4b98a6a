# SPDX-License-Identifier: GPL-2.0
"""Tests of what was live at earlier times, against known objects, other tables and /proc."""
import time
from pathlib import Path

from harness import check, check_between, check_equal, each_kernel, progress, single, wait_for
from kernel import loaded
from memory import meminfo_kb
from page_truth import tracked
from parts.failures import fail
from table import Table

LEAKY = Path("/sys/kernel/debug/kmemacct_leaky")
# Each sixteenth request leaks an object of 512 bytes.
LABEL, REQUESTS, KB = "kmalloc-512;leaky_parse_header+0x", 16 * 256, 128
SLABS = {"free_kb": "MemFree", "slab_reclaimable_kb": "SReclaimable",
         "slab_unreclaimable_kb": "SUnreclaim"}
TYPES = {"unmovable_kb": "Unmovable", "movable_kb": "Movable", "reclaimable_kb": "Reclaimable"}


def numbers(text):
    return [] if text == "-" else list(map(int, str(text).split(",")))


def last_mark(rows):
    """Return the newest mark, which has ended."""
    return next(row for row in rows if row["series_s"] == 10)


class Next:
    """Waits for the next mark, and keeps what the machine has had meanwhile."""

    def __init__(self):
        self.age = last_mark(Table("marks").rows)["age_ms"]
        self.seen = {name: [] for name in SLABS}
        self.mark = None

    def come(self):
        for name, field in SLABS.items():
            self.seen[name].append(meminfo_kb(field))
        self.mark = last_mark(Table("marks").rows)
        is_new, self.age = self.mark["age_ms"] < self.age, self.mark["age_ms"]
        return is_new


def next_mark():
    mark = Next()
    wait_for("a mark", mark.come)
    return mark


def leaked():
    """Return the row of the leak."""
    table = Table("history")
    rows = [row for row in table.rows if row["cache_site"].startswith(LABEL)]
    check(len(rows) <= 1, f"{len(rows)} rows")
    return table.head, rows[0] if rows else None


def is_near(what, mark):
    """A number of /proc/meminfo was that of the mark at some time while it was watched."""
    for name, seen in mark.seen.items():
        # The kernel counts on each CPU, and adds up once in a while.
        check_between(f"{name} of {what}", min(seen) - 1024, mark.mark[name], max(seen) + 1024)


@each_kernel
@single
def history_of_leaks():
    """Test the lists of a call site whose objects are known, and that lists have all marks."""
    with loaded("kmemacct"), loaded("kmemacct_leaky"):
        next_mark()
        for step in range(3):
            LEAKY.write_text(str(REQUESTS))
            is_near(f"mark {step}", next_mark())
            progress(f"{step + 1} of 3 marks")
        head, row = leaked()
    ten = numbers(row["kb_10s"])
    check_equal("live", [0, KB, 2 * KB, 3 * KB], ten[-4:])
    check_equal("live_kb", 3 * KB, row["live_kb"])
    check_equal("errors", [0] * len(ten), numbers(row["kb_10s_se"]))
    check_equal("marks", len(numbers(head["ages_10s_s"])), len(ten))
    ages = numbers(head["ages_10s_s"])
    check(all(9 <= old - new <= 12 for old, new in zip(ages[1:], ages[2:])), f"ages {ages}")
    return f"{ten} KiB {ages} s ago"


@each_kernel
@single
def marks_agree_with_tables():
    """Test what a mark has of pages, stalls and failures, against the tables at rest."""
    with tracked() as known:
        fail(known, b"one")
        failed = sum(row["failed"] for row in known.lines("sites"))
        check(failed, "nothing has failed")
        next_mark()
        time.sleep(0.2)
        mark = next_mark().mark
        stalled = sum(row["total_us"] for row in Table("latency").rows
                      if row["phase"].endswith(":memstall"))
        orders, failures = Table("orders").rows, Table("failures").sum("failed")
    check_equal("failed", failures, mark["failed"])
    check(failures >= failed, f"{failures} of {failed} failures")
    check_between("stalled", stalled - 1, mark["stalled_us"], stalled)
    for column, name in TYPES.items():
        kb = sum(row["live_kb"] for row in orders if row["migratetype"] == name)
        check_between(column, kb - 1024, mark[column], kb + 1024)
    return f"{mark}"


PARTS = (history_of_leaks, marks_agree_with_tables)
