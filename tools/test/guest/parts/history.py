# SPDX-License-Identifier: GPL-2.0
"""Tests of what was live at earlier times, against known objects, other tables and /proc."""
from pathlib import Path

from cgroups import limited, run_in
from harness import check, check_between, check_equal, each_kernel, progress, single, wait_for
from kernel import loaded
from memory import meminfo_kb
from page_truth import tracked
from parts.failures import fail
from parts.stalls import MIB, exceed
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


def slabs():
    return {name: meminfo_kb(field) for name, field in SLABS.items()}


def types():
    """Return the KiB of live pages by migrate type."""
    rows = Table("orders").rows
    return {column: sum(row["live_kb"] for row in rows if row["migratetype"] == name)
            for column, name in TYPES.items()}


class Next:
    """Waits for the next mark, and keeps what read() returns meanwhile."""

    def __init__(self, read):
        self.age = last_mark(Table("marks").rows)["age_ms"]
        self.read, self.seen, self.mark = read, [], None

    def come(self):
        self.seen.append(self.read())
        self.mark = last_mark(Table("marks").rows)
        is_new, self.age = self.mark["age_ms"] < self.age, self.mark["age_ms"]
        return is_new


def next_mark(read=dict):
    mark = Next(read)
    wait_for("a mark", mark.come)
    return mark


def leaked():
    """Return the row of the leak."""
    table = Table("history")
    rows = [row for row in table.rows if row["cache_site"].startswith(LABEL)]
    check(len(rows) <= 1, f"{len(rows)} rows")
    return table.head, rows[0] if rows else None


def check_near(what, mark, kb):
    """Check that the numbers of a mark were those that were read, or up to `kb` beside these."""
    for name in mark.seen[0]:
        seen = [row[name] for row in mark.seen]
        check_between(f"{name} of {what}", min(seen) - kb, mark.mark[name], max(seen) + kb)


@each_kernel
@single
def history_of_leaks():
    """Test the lists of a call site whose objects are known, and that lists have all marks."""
    with loaded("kmemacct"), loaded("kmemacct_leaky"):
        next_mark()
        for step in range(3):
            LEAKY.write_text(str(REQUESTS))
            # The kernel counts on each CPU, and adds up once in a while.
            check_near(f"mark {step}", next_mark(slabs), 512)
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
    with tracked(parameters="pages=sites") as known:
        fail(known, b"one")
        failed = sum(row["failed"] for row in known.lines("sites"))
        check(failed, "nothing has failed")
        with limited("max") as cgroup:
            (cgroup / "memory.high").write_text(str(16 * MIB))
            run_in(cgroup, lambda: exceed(17 * MIB))
        near = next_mark(types)
        mark = near.mark
        stalls = [row["total_us"] for row in Table("latency").rows
                  if row["phase"].endswith(":memstall")]
        failures = Table("failures").sum("failed")
    check_near("pages", near, 128)
    check_equal("failed", failures, mark["failed"])
    check(failures >= failed, f"{failures} of {failed} failures")
    check(sum(stalls), "no task has waited")
    # Each row is rounded down.
    check_between("stalled", sum(stalls), mark["stalled_us"], sum(stalls) + len(stalls))
    return f"{mark}"


PARTS = (history_of_leaks, marks_agree_with_tables)
