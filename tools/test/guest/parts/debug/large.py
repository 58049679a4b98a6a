# SPDX-License-Identifier: GPL-2.0
"""Test of machines with many CPUs, many nodes, or much memory."""
import contextlib
import os
import time
from pathlib import Path

from compare import compare
from harness import check, check_equal, part
from kernel import insmod, rmmod
from memory import meminfo_kb
from nodes import check_near
from page_truth import RUNS, check_rows
from parts.pages import check_pages
from sums import check_dropped, check_sums
from table import TABLES, Table, check_stats, control, pairs_of, settings
from truth import SCENARIOS, truth_loaded

POSSIBLE = Path("/sys/devices/system/cpu/possible")
NODES = Path("/sys/devices/system/node/online")


def number_of(path):
    """Return the number of items in a list such as 0-3,8."""
    spans = [span.split("-") for span in path.read_text().strip().split(",")]
    return sum(int(span[-1]) - int(span[0]) + 1 for span in spans)


def ram_bytes():
    return meminfo_kb("MemTotal") << 10


@contextlib.contextmanager
def timed(figures, name):
    start = time.monotonic()
    yield
    figures.append(f"{name} {time.monotonic() - start:.2f} s")


def read_each():
    """Open and read each table.  Return the one that takes longest, and its seconds."""
    seconds = {}
    for name in TABLES:
        start = time.monotonic()
        Table(name)
        seconds[name] = time.monotonic() - start
    return max(seconds.items(), key=lambda item: item[1])


def check_defaults():
    """Check the sizes of the tables against the machine.  Return them as figures."""
    ram, cpus, now = ram_bytes(), number_of(POSSIBLE), settings()
    rows, live = int(now["sites_max"]), int(now["live_max"])
    check(rows == 512 or (rows + 1024) * 64 * cpus <= ram / 64, f"{rows} rows, {cpus} CPUs")
    # The next larger number would not have fit: there are some 1,100 rows for other call sites.
    check(rows == 8192 or (rows + 512 + 2048) * (64 * cpus + 500) > ram / 64,
          f"just {rows} rows, {cpus} CPUs")
    least = 65536 if 65536 * 74 > 0.9 * ram / 128 else 0
    check(live == least or 0.9 * ram / 128 < live * 74 < 1.1 * ram / 128, f"live_max {live}")
    memory = pairs_of("stats")["memory_bytes"]
    check(memory <= ram / 16, f"memory_bytes {memory}")
    return [f"sites_max {rows}", f"live_max {live}", f"memory_bytes {memory}"]


def check_page_tables(figures):
    """Compare pages with known truth while they are tracked, and read each table."""
    with truth_loaded("kmemacct_pages") as pages:
        pages.run(*RUNS)
        check_rows(pages)
        figures.append(f"{check_pages(pages)} pages")
        near = check_near()
        figures.append(f"{near[0]} generations and {near[1]} records near their pages")
        slowest, seconds = read_each()
        figures.append(f"table {slowest} {seconds:.2f} s")
        figures.append(f"memory_bytes with pages {pairs_of('stats')['memory_bytes']}")
        pages.run("drop")
        check_rows(pages)
    check_sums()
    check_stats(net_page_free=1)


def start_pages(figures):
    """Track pages.  With hundreds of possible CPUs and little RAM, this needs smaller tables."""
    try:
        control("pages sites")
    except OSError:
        check(number_of(POSSIBLE) * (64 << 20) > ram_bytes(), "refused with few CPUs")
        check_equal("last_error", "pages sites: not enough memory", settings()["last_error"])
        rmmod("kmemacct")
        insmod("kmemacct", "latency=off live_max=65536 sites_max=256 pages=sites")
        figures.append("pages only with smaller tables")


@part
def large():
    """Test with the default sizes of tables: objects and pages, each table, and the nodes."""
    figures = [f"{os.cpu_count()} of {number_of(POSSIBLE)} CPUs, {number_of(NODES)} nodes, "
               f"{ram_bytes() >> 20} MiB"]
    with timed(figures, "load"):
        insmod("kmemacct")
    figures += check_defaults()
    with truth_loaded() as known:
        known.run(*SCENARIOS)
        compare(known, "objects")
        check_dropped(known)
    read_each()
    start_pages(figures)
    check_page_tables(figures)
    with timed(figures, "unload"):
        rmmod("kmemacct")
    return ", ".join(figures)


PARTS = (large,)
