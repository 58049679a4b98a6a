# SPDX-License-Identifier: GPL-2.0
"""Parts of tools/test/guest: blocks of pages."""
import contextlib
import ctypes
import errno
import math
import mmap
import os
import random
import struct
import time
from collections import Counter, defaultdict
from pathlib import Path

from guest_lib import (
    DEBUGFS, KERNEL, Table, Truth, check, check_equal, child, control, loaded, pairs_of,
    part, settings)

PAGE_KB = 4
GFP_MOVABLE, GFP_RECLAIMABLE = 0x08, 0x10
PAGE_TABLES = ("page_callers", "pages", "orders", "page_summary")


@contextlib.contextmanager
def tracked(commands=(), parameters=""):
    """kmemacct with pages, and blocks that are known within its sight."""
    with loaded("kmemacct", parameters):
        for command in commands:
            control(command)
        with loaded("kmemacct_pages"):
            yield Truth("kmemacct_pages")


def function_of(known, site):
    """Of a call site of the truth, or None."""
    return site.split("+")[0] if known.is_mine(site) else None


def migratetype(gfp):
    if gfp & GFP_MOVABLE:
        return "Movable"
    return "Reclaimable" if gfp & GFP_RECLAIMABLE else "Unmovable"


def expected_rows(known):
    rows = {}
    for row in known.lines("sites"):
        blocks = row["hits"] + row["bulk"]
        gfp = int(row["gfp"], 16)
        rows[row["function"], row["order"], migratetype(gfp), gfp] = {
            "hits": row["hits"], "bulk_blocks": row["bulk"], "frees": row["frees"],
            "kb": row["hits"] * PAGE_KB << row["order"],
            "live_blocks": blocks - row["frees"],
            "live_kb": row["live_pages"] * PAGE_KB}
    return rows


def found_rows(known, table):
    rows = {}
    for row in table.rows:
        function = function_of(known, row["site"])
        if function and function != "truth_vmalloc":
            key = function, row["order"], row["migratetype"], int(row["gfp"], 16)
            check(key not in rows, f"two rows for {key}")
            rows[key] = {name: row[name] for name in (
                "hits", "bulk_blocks", "frees", "kb", "live_blocks", "live_kb")}
    return rows


def check_rows(known):
    expected, found = expected_rows(known), found_rows(known, Table("page_callers"))
    for key in expected.keys() | found.keys():
        check_equal(f"{key}", expected.get(key), found.get(key))
    return len(expected)


def pages_by_pfn(table):
    """Each page that a line is about."""
    pages = {}
    for row in table.rows:
        for pfn in range(row["pfn"], row["pfn"] + row["pages"]):
            check(pfn not in pages, f"page {pfn} is in two lines")
            pages[pfn] = row
    return pages


def check_pages(known):
    """Every page of the truth is there, described right, and no other one is its."""
    pages, mine = pages_by_pfn(Table("pages")), set()
    for truth in known.lines("pages"):
        check(truth["pfn"] in pages, f"not there: {truth}")
        row = pages[truth["pfn"]]
        mine.add(truth["pfn"])
        check_equal(f"site of {truth}", truth["function"], function_of(known, row["site"]))
        if truth["order"] != "-":
            check_equal(f"{truth}", [truth["order"], int(truth["gfp"], 16), truth["pid"]],
                        [row["order"], int(row["gfp"], 16), row["pid"]])
    others = [row for pfn, row in pages.items()
              if pfn not in mine and function_of(known, row["site"])]
    check_equal("pages that are not live", [], others)
    return len(mine)


# 5.10 has no bulk page allocator.
RUNS = ("blocks", "split", "exact", "larger") + (("bulk",) if KERNEL != "5.10" else ())


@part
def pages_truth():
    """Blocks of all orders and types, in pieces and in bulk, page by page."""
    with tracked(["pages sites"]) as known:
        known.run(*RUNS, "vmalloc")
        rows, pages = check_rows(known), check_pages(known)
        if KERNEL != "5.10":
            check(any(row["bulk"] for row in known.lines("sites")), "nothing in bulk")
        check(pages > 4000, f"{pages} pages")
        known.run("drop")
        check_rows(known)
        check_pages(known)
        check_equal("replaced", "0", Table("pages").head["replaced"])
    return f"{rows} rows, {pages} pages"


@part
def pages_reset():
    """What is live stays, all else counts from there."""
    with tracked(["pages sites"]) as known:
        known.run("blocks")
        control("reset")
        found = found_rows(known, Table("page_callers"))
        for key, row in expected_rows(known).items():
            check_equal(f"{key} after reset",
                        {**row, "hits": 0, "bulk_blocks": 0, "frees": 0, "kb": 0},
                        found[key])
        known.run("drop")


def quiet_pages(names):
    """Tables between which no page was allocated or freed."""
    control("enabled 0")
    try:
        for _ in range(500):
            before = pairs_of("page_summary")
            tables = [Table(name) for name in names]
            after = pairs_of("page_summary")
            # Opening and reading them takes pages that nobody records, and frees those.
            if before["alloc_freed_kb"] == after["alloc_freed_kb"]:
                return *tables, after
            time.sleep(0.01)
    finally:
        control("enabled 1")
    check(False, "no quiet moment")


@part
def pages_agree():
    """All tables tell of the same pages, in all three ways."""
    with tracked() as known:
        for way in ("pages classes", "pages sites", "page_sample_bytes 16K"):
            control(way)
            known.run("blocks", "split", "exact")
            Path("/usr/lib/os-release").read_bytes()
            callers, pages, orders, summary = quiet_pages(PAGE_TABLES[:3])
            check_equal(f"live_kb, {way}", orders.sum("live_kb"), summary["live_kb"])
            if way != "page_sample_bytes 16K":
                check_equal(f"pages, {way}", orders.sum("live_kb"),
                            PAGE_KB * sum(row["pages"] for row in pages.rows))
                for column in ("live_kb", "live_blocks", "hits", "kb", "frees",
                               "bulk_blocks"):
                    check_equal(f"{column}, {way}", orders.sum(column),
                                callers.sum(column))
            known.run("drop")


SAMPLED = ("hits", "kb", "live_kb", "live_blocks")
SAMPLE_KB = 64


def sampled_with(order):
    """The probability that a block is sampled."""
    return 1 - math.exp(-(PAGE_KB << order) / SAMPLE_KB)


def expected_samples(known):
    """Of each function."""
    samples = defaultdict(Counter)
    for (function, order, *_), row in expected_rows(known).items():
        for name in SAMPLED:
            blocks = row["live_blocks" if name.startswith("live") else "hits"]
            samples[function][name] += blocks * sampled_with(order)
    return samples


def known_variance(known, function):
    """Of the sum of 1/p for each sampled block, from how many blocks there were."""
    variance = Counter()
    for (name, order, *_), row in expected_rows(known).items():
        if name == function:
            p, size = sampled_with(order), PAGE_KB << order
            variance["hits"] += row["hits"] * (1 - p) / p
            variance["kb"] += row["hits"] * (1 - p) / p * size**2
            variance["live_blocks"] += row["live_blocks"] * (1 - p) / p
            variance["live_kb"] += row["live_blocks"] * (1 - p) / p * size**2
    return variance


def check_errors(known, variance):
    """Standard errors are estimates, too: of a sum of (1-p)/p^2 for each sampled block."""
    expected, spread = Counter(), Counter()
    for (_, order, *_), row in expected_rows(known).items():
        p, size = sampled_with(order), PAGE_KB << order
        for name, unit in (("hits", 1), ("kb", size)):
            expected[name] += row["hits"] * (1 - p) / p * unit**2
            spread[name] += row["hits"] * p * (1 - p) * ((1 - p) / p**2 * unit**2)**2
    for name, truth in expected.items():
        found = sum(counts[name] for counts in variance.values())
        check(abs(found - truth) < 6 * spread[name]**0.5,
              f"variance of {name}: {found}, not {truth}")


@part
def pages_sampled():
    """Of some blocks the call site is known, of all the order and the type."""
    with tracked(["pages sites", f"page_sample_bytes {SAMPLE_KB}K"]) as known:
        for _ in range(20):
            known.run("blocks", "exact", "drop")
        known.run(*["blocks"] * 4)
        truth = defaultdict(Counter)
        for key, row in expected_rows(known).items():
            truth[key[0]].update(row)
        found, variance, rows = defaultdict(Counter), defaultdict(Counter), Counter()
        for row in Table("page_callers").rows:
            function = function_of(known, row["site"])
            rows[function] += 1
            for name in SAMPLED if function else ():
                found[function][name] += row[name]
                variance[function][name] += row[f"{name}_se"]**2
        worst, judged = 0, 0
        for function, samples in expected_samples(known).items():
            for name in SAMPLED:
                # Of fewer the distribution is not a bell.
                if samples[name] < 30:
                    continue
                error = known_variance(known, function)[name]**0.5
                off = abs(found[function][name] - truth[function][name])
                off = max(0, off - rows[function] / 2)
                check(off < 6 * error, f"{name} of {function} is off by {off}")
                worst, judged = max(worst, off / error), judged + 1
        check_errors(known, variance)
        check(judged >= 10, f"{judged} numbers judged")
        orders = {(row["order"], row["migratetype"]): row for row in Table("orders").rows}
        classes = defaultdict(Counter)
        for (_, order, kind, _), row in expected_rows(known).items():
            classes[order, kind].update(row)
        for key, counts in classes.items():
            check(orders[key]["hits"] >= counts["hits"], f"{key}: {orders[key]}")
            # Nobody else has blocks as large as these.
            if key[0] == 10 and key[1] == "Reclaimable":
                check_equal(f"{key}", dict(counts), {name: orders[key][name]
                                                     for name in counts})
        known.run("drop")
        live = [row for row in Table("pages").rows if function_of(known, row["site"])]
        check_equal("live after drop", [], live)
    return f"{judged} numbers, {worst:.1f} standard errors at most"


def my_pages(area):
    """Numbers of the page frames behind a mapping."""
    address = ctypes.addressof(ctypes.c_char.from_buffer(area))
    with open("/proc/self/pagemap", "rb") as f:
        f.seek(address // 4096 * 8)
        words = struct.unpack(f"{len(area) // 4096}Q", f.read(len(area) // 512))
    check(all(word >> 63 for word in words), "not all of it is there")
    return [word & ((1 << 55) - 1) for word in words]


@part
def pages_process():
    """The anonymous memory of a process, and the page cache of a file that it reads."""
    with tracked(["pages sites"]):
        size = 8 * 1048576 + 12288
        area = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        for at in range(0, size, 4096):
            area[at] = 1
        pages = pages_by_pfn(Table("pages"))
        for pfn in my_pages(area):
            check(pfn in pages, f"page {pfn} is not there")
            check_equal(f"{pages[pfn]}", [os.getpid(), "Movable"],
                        [pages[pfn][key] for key in ("pid", "migratetype")])
        sites = Counter(pages[pfn]["site"] for pfn in my_pages(area))
        area.close()
        gone = pages_by_pfn(Table("pages"))
        left = sum(gone.get(pfn) is row for pfn, row in pages.items())
        check_equal("of these", 0, left)
    return ", ".join(f"{site} {nr}" for site, nr in sites.most_common(3))


def take_pages():
    """A process that has much and gives it back."""
    with mmap.mmap(-1, 4 << 20) as area:
        for at in range(0, len(area), 4096):
            area[at] = 1
    for path in ("/usr/bin/perl", "/usr/lib/os-release"):
        with contextlib.suppress(OSError):
            Path(path).read_bytes()


@part
def pages_on_and_off():
    """All settings change while pages come and go, and all tables are read."""
    times = 0
    with tracked() as known, contextlib.ExitStack() as stack:
        for work in (take_pages, lambda: [Path(DEBUGFS, "kmemacct", name).read_bytes()
                                          for name in PAGE_TABLES]):
            stack.enter_context(child(work))
        end = time.monotonic() + 5
        while time.monotonic() < end:
            control(random.choice((
                "pages off", "pages classes", "pages sites", "pages sites", "enabled 0",
                "enabled 1", "page_sample_bytes 0", "page_sample_bytes 64K", "reset")))
            known.run("blocks", "larger", "drop")
            times += 1
        control("enabled 1")
        control("pages off")
        check_equal("rows", 0, len(Table("page_callers").rows))
        control("page_sample_bytes 0")
        control("pages sites")
        known.run("exact")
        expected = [row for key, row in expected_rows(known).items()
                    if key[0] == "truth_alloc_pages_exact"]
        found = found_rows(known, Table("page_callers"))
        check_equal("one exact block", [1, 12],
                    [row[name] for row in found.values() for name in ("hits", "live_kb")])
        check(expected, "no truth")
        known.run("drop")
    return f"{times} times"


@part
def pages_without_memory():
    """What would take too much is refused, and everything goes on as it was."""
    ram = os.sysconf("SC_PHYS_PAGES") * 4096
    with loaded("kmemacct", "live_max=1"):
        least = pairs_of("stats")["memory_bytes"]
        control("pages classes")
        pages = pairs_of("stats")["memory_bytes"] - least
    # So many objects that the tables fit without those of pages.
    live_max = (ram // 16 - least - pages // 2) // 74
    with loaded("kmemacct", f"live_max={live_max}"):
        before = pairs_of("stats")["memory_bytes"]
        try:
            control("pages classes")
            check(False, "it was taken")
        except OSError as e:
            check_equal("error", errno.ENOMEM, e.errno)
        check_equal("error", "pages classes: not enough memory", settings()["last_error"])
        check_equal("setting", "off", settings()["pages"])
        check_equal("memory", before, pairs_of("stats")["memory_bytes"])
        events = pairs_of("summary")["events_kmalloc"]
        os.stat("/usr/lib/os-release")
        check(pairs_of("summary")["events_kmalloc"] > events, "events do not go on")


@part
def pages_settings():
    """What is wrong changes nothing."""
    with loaded("kmemacct"):
        check_equal("default", ["off", "0"], [settings()[name] for name in (
            "pages", "page_sample_bytes")])
        check_equal("nothing without", [0, 0, 0], [len(Table(name).rows) for name in (
            "page_callers", "pages", "orders")])
        for command in ("pages", "pages on", "pages 1", "page_sample_bytes 3",
                        "page_sample_bytes 2K", "page_sample_bytes 128M"):
            try:
                control(command)
                check(False, f"{command!r} was taken")
            except OSError:
                pass
            check_equal(f"after {command!r}", ["off", "0"], [settings()[name] for name in (
                "pages", "page_sample_bytes")])
        memory = pairs_of("stats")["memory_bytes"]
        for way in ("sites", "classes", "off"):
            control(f"pages {way}")
            more = pairs_of("stats")["memory_bytes"] - memory
            # 16 bytes for each page, and rows.
            check(more >= os.sysconf("SC_PHYS_PAGES") * 16 if way != "off" else more == 0,
                  f"{more} bytes with pages {way}")
            check_equal("setting", way, settings()["pages"])
            check_equal("head", way, Table("orders").head["pages"])
