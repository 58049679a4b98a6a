# SPDX-License-Identifier: GPL-2.0
"""Tests of the tables of pages."""
import ctypes
import errno
import mmap
import os
import random
import struct
import time
from collections import Counter
from pathlib import Path

from harness import (
    check, check_equal, check_refused, check_row, each_kernel, part, several, single)
from kernel import KERNEL, loaded
from memory import KPF_SLAB, PAGE, anonymous, page_flags, small_pages, touch, use_files, use_memory
from page_truth import (
    PAGE_KB, RUNS, check_rows, expected_rows, found_rows, function_of, pages_by_pfn, quiet_pages,
    tracked)
from processes import children
from table import FOLDER, Table, check_stats, control, growth, pairs_of, settings
from truth import truth_loaded

PAGE_TABLES = ("page_callers", "pages", "orders", "page_summary")


def is_slab(pfn):
    return page_flags(pfn, 1)[0] >> KPF_SLAB & 1


def check_pages(known):
    """Check that `pages` has all live pages of the truth, and no others at its call sites."""
    pages, mine = pages_by_pfn(Table("pages")), set()
    for truth in known.lines("pages"):
        check(truth["pfn"] in pages, f"pages lacks {truth}")
        row = pages[truth["pfn"]]
        mine.add(truth["pfn"])
        check_equal(f"site of {truth}", truth["function"], function_of(known, row["site"]))
        if truth["order"] != "-":
            check_equal(f"{truth}", [truth["order"], int(truth["gfp"], 16), truth["pid"]],
                        [row["order"], int(row["gfp"], 16), row["pid"]])
    others = [row for pfn, row in pages.items()
              if pfn not in mine and function_of(known, row["site"])
              # vmalloc() also allocates objects to describe the area, perhaps from a new slab.
              and not (function_of(known, row["site"]) == "truth_vmalloc" and is_slab(pfn))]
    check_equal("pages that are not live", [], others)
    return len(mine)


@each_kernel
@part
def pages_truth():
    """Test all orders and types, also split and in bulk, by rows and by single pages."""
    with tracked(["pages sites"]) as known:
        known.run(*RUNS, "vmalloc")
        rows, pages = check_rows(known), check_pages(known)
        if KERNEL != "5.10":
            check(any(row["bulk"] for row in known.lines("sites")), "no bulk allocations")
        check(pages > 4000, f"only {pages} pages")
        known.run("drop")
        check_rows(known)
        check_pages(known)
        check_equal("replaced", "0", Table("pages").head["replaced"])
    return f"{rows} rows, {pages} pages"


FAILED = ("alloc_requests", "alloc_requests_kb", "failures", "failures_kb")


def failures_of(known):
    """Return the truth's requests and their KiB, and those of them that failed."""
    sums = Counter()
    for row in known.lines("sites"):
        kb, events = PAGE_KB << row["order"], row["hits"] + row["failed"]
        sums.update(alloc_requests=events, alloc_requests_kb=events * kb,
                    failures=row["failed"], failures_kb=row["failed"] * kb)
    return sums


@each_kernel
@single
def pages_failed():
    """Test that requests that fail count as failures, and nowhere else."""
    with tracked(["pages sites"]) as known:
        # In rare cases, other requests on the machine fail, too.
        for _ in range(10):
            truth = failures_of(known)
            grown = growth(lambda: known.run("fail"), "page_summary")
            failed = failures_of(known) - truth
            check_rows(known)
            check(failed["failures"] == 9 and failed["failures_kb"] == 3 * 7 * 1024, f"{failed}")
            known.run("drop")
            if all(grown[key] == failed[key] for key in FAILED[2:]):
                break
        check_row("failed", {key: failed[key] for key in FAILED[2:]}, grown)
        for key in FAILED[:2]:
            check(grown[key] >= failed[key], f"{key} of {failed}: {grown[key]}")
        check_equal("head without a pause", None, Table("page_callers").head.get("off"))
        off = pairs_of("page_summary")["page_off"]
        control("enabled 0")
        grown = growth(lambda: known.run("fail", "drop"), "page_summary")
        check_row("while enabled is 0", dict.fromkeys(FAILED[1:], 0), grown)
        check(grown["page_off"] >= 9, "page_off lacks some requests")
        control("enabled 1")
        check_equal("head", str(pairs_of("page_summary")["page_off"] - off),
                    Table("page_callers").head["off"])
    return ", ".join(f"{key} {failed[key]}" for key in FAILED)


def bulk_stale(*commands):
    """Return how many pages the bulk allocator gave out that still had a record."""
    with tracked(commands) as known:
        grown = growth(lambda: known.run(*["stale"] * 10), "page_summary")
        stale = int((known.dir / "stales").read_text())
        check(stale > 100, f"only {stale} pages still had a record, {commands}")
        check_equal(f"replaced, {commands}", stale, grown["pages_replaced"])
        if commands == ("pages sites",):
            key = "truth_alloc_bulk"
            expected, found = ({k: row for k, row in rows.items() if k[0] == key}
                               for rows in (expected_rows(known),
                                            found_rows(known, Table("page_callers"))))
            check_equal("rows", expected, found)
        known.run("drop")
    return stale


@each_kernel
@single
def pages_bulk_stale():
    """Test bulk allocations of pages that still have the record of an earlier owner."""
    if KERNEL in ("5.10", "6.12-rt"):
        return "not possible on this kernel"
    return [bulk_stale(*commands) for commands in (
        ("pages sites",), ("pages classes",), ("pages sites", "page_sample_bytes 16K"))]


@each_kernel
@several
def pages_bulk_list():
    """Test that a bulk allocation to a list is counted as missed."""
    with tracked(["pages classes"]) as known:
        try:
            known.run("list", "list")
        except OSError as e:
            check_equal("error", errno.EOPNOTSUPP, e.errno)
            return "this kernel does not allocate to a list"
        check_stats(page_bulk_missed=2)


@single
def pages_reset():
    """Test that a reset keeps live pages, sets other counts to 0, and removes rows of zeros."""
    with tracked(["pages sites"]) as known:
        known.run("blocks")
        control("reset")
        rows = {key: {**row, "hits": 0, "bulk_allocs": 0, "frees": 0, "kb": 0, "failed": 0}
                for key, row in expected_rows(known).items()}
        live = {key: row for key, row in rows.items() if any(row.values())}
        check(live and len(live) < len(rows), f"{len(live)} rows of {len(rows)}")
        check_equal("after reset", live, found_rows(known, Table("page_callers")))
        known.run("drop")


@single
def pages_recycled():
    """Test that rows of unloaded modules are used again, and inherit neither names nor counts."""
    with loaded("kmemacct", "pages=sites"):
        for _ in range(6):
            control("reset")
            with truth_loaded("kmemacct_pages") as known:
                known.run(*RUNS)
                rows = check_rows(known)
        recycled = growth(lambda: control("reset"))["sites_recycled"]
        check(recycled >= rows, f"{recycled} rows recycled at a reset, {rows} are of the truth")
        left = [row["site"] for row in Table("page_callers").rows
                if "[kmemacct_pages]" in row["site"] and not row["live_kb"]]
        check_equal("rows of the unloaded module", [], left)
        orders, summary = quiet_pages(lambda: Table("orders"))
        check_equal("live_kb of orders", summary["live_kb"], orders.sum("live_kb"))
        return f"{recycled} rows recycled"


@several
def pages_agree():
    """Test that all tables agree, in all three modes."""
    with tracked() as known:
        for mode in ("pages classes", "pages sites", "page_sample_bytes 16K"):
            control(mode)
            known.run("blocks", "split", "exact")
            Path("/usr/lib/os-release").read_bytes()
            (callers, pages, orders), summary = quiet_pages(
                lambda: [Table(name) for name in PAGE_TABLES[:3]])
            check_equal(f"live_kb, {mode}", orders.sum("live_kb"), summary["live_kb"])
            if mode != "page_sample_bytes 16K":
                check_equal(f"pages, {mode}", orders.sum("live_kb"),
                            PAGE_KB * sum(row["pages"] for row in pages.rows))
                for column in ("live_kb", "live_allocs", "hits", "kb", "frees", "bulk_allocs",
                               "failed"):
                    check_equal(f"{column}, {mode}", orders.sum(column), callers.sum(column))
            known.run("drop")


# ---- processes, files, slabs -----------------------------------------------

def my_pages(area):
    """Return the pfns behind a mapping."""
    address = ctypes.addressof(ctypes.c_char.from_buffer(area))
    with open("/proc/self/pagemap", "rb") as f:
        f.seek(address // PAGE * 8)
        words = struct.unpack(f"{len(area) // PAGE}Q", f.read(len(area) // PAGE * 8))
    check(all(word >> 63 for word in words), "some pages of the mapping are not present")
    return [word & ((1 << 55) - 1) for word in words]


def check_mine(mine, pages):
    """Check that these pages are live and of this process.  Count them by call site."""
    for pfn in mine:
        check(pfn in pages, f"pages lacks page {pfn}")
        check_equal(f"{pages[pfn]}", [os.getpid(), "Movable"],
                    [pages[pfn][key] for key in ("pid", "migratetype")])
    return Counter(pages[pfn]["site"] for pfn in mine)


def check_gone(mine, since):
    """Check that pages freed after `since`, a time.monotonic(), are not live."""
    table = Table("pages", time.monotonic)
    pages = pages_by_pfn(table)
    # A page may have been allocated again, but then its age is less than the time since
    # `since`.  A page that wrongly stays live is older: another
    # table was read after it was allocated.
    age_ms = 1000 * (table.opened - since)
    left = [pages[pfn] for pfn in mine if pfn in pages and pages[pfn]["age_ms"] > age_ms]
    check_equal(f"{len(left)} pages not freed", [], left[:4])


def empty_batches():
    """Empty all CPUs' batches of pages on the way to LRU lists.  Compaction does so first."""
    Path("/proc/sys/vm/compact_memory").write_text("1")


@each_kernel
@single
def pages_process():
    """Test the anonymous memory of a process, page by page."""
    with tracked(["pages sites"]):
        with anonymous(8 * 1048576 + 12288) as area:
            touch(area)
            # Otherwise khugepaged, which is another process, may replace the pages.
            small_pages(area)
            mine = my_pages(area)
            sites = check_mine(mine, pages_by_pfn(Table("pages")))
            freed = time.monotonic()
        # Since 7.2, these batches hold on to pages that are unmapped.
        empty_batches()
        check_gone(mine, freed)
    return ", ".join(f"{site} {nr}" for site, nr in sites.most_common(3))


def drop_cache_of(f):
    """Drop a file from the page cache.

    Unlike vm.drop_caches, this also drops pages that are in a CPU's batch.
    """
    os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


@each_kernel
@single
def pages_cache():
    """Test the page cache of a file, page by page, after it was read and when it is dropped."""
    path = next(path for path in ("/usr/bin/perl", "/usr/bin/bash") if os.path.exists(path))
    with tracked(["pages sites"]), open(path, "rb") as f:
        drop_cache_of(f)
        size = len(f.read()) // 4096 * 4096
        with mmap.mmap(f.fileno(), size, access=mmap.ACCESS_COPY) as area:
            seen = sum(area[at] for at in range(0, size, 4096))
            mine = my_pages(area)
        sites = check_mine(mine, pages_by_pfn(Table("pages")))
        check(seen and len(mine) == size // 4096, f"only {len(mine)} pages")
        dropped = time.monotonic()
        drop_cache_of(f)
        check_gone(mine, dropped)
    return f"{len(mine)} pages, " + ", ".join(sites)


SLAB = Path("/sys/kernel/slab")


def slabs_of(cache):
    return int((SLAB / cache / "slabs").read_text().split()[0])


@each_kernel
@single
def pages_slab():
    """Test that page_callers has as many slabs of two caches as SLUB counts."""
    # On 5.10, a stack does not show the caller of a function that has a kretprobe.
    parameters = "bulk=off" if KERNEL == "5.10" else ""
    with tracked(["pages sites"], parameters), truth_loaded() as known:
        known.run("bulk_alloc")
        caches = [path.name for path in SLAB.glob("kmemacct_truth*")
                  if not path.is_symlink() and slabs_of(path.name)]
        check(len(caches) == 2, f"caches with slabs: {caches}")
        slabs = Counter()
        for cache in caches:
            slabs[int((SLAB / cache / "order").read_text())] += slabs_of(cache)
        allocs = Counter()
        for row in Table("page_callers").rows:
            if "truth_bulk_" in row["site"]:
                allocs[row["order"]] += row["live_allocs"]
        check_equal("slabs by order", +slabs, +allocs)
        known.run("drop")
    return f"{sum(slabs.values())} slabs"


# ---- settings --------------------------------------------------------------

def take_pages():
    """Use memory and files, and free them."""
    use_memory(4 << 20)
    use_files()


@several
def pages_on_and_off():
    """Test that settings change under load, and that counts are right afterwards."""
    times = 0
    with tracked() as known, children(take_pages, lambda: [(FOLDER / name).read_bytes()
                                                           for name in PAGE_TABLES]):
        end = time.monotonic() + 5
        while time.monotonic() < end:
            control(random.choice((
                "pages off", "pages classes", "pages sites", "pages sites", "enabled 0",
                "enabled 1", "page_sample_bytes 0", "page_sample_bytes 64K", "reset")))
            known.run("blocks", "larger", "drop")
            times += 1
        control("enabled 1", "pages off")
        check_equal("rows", 0, len(Table("page_callers").rows))
        control("page_sample_bytes 0", "pages sites")
        known.run("exact")
        expected = [row for key, row in expected_rows(known).items()
                    if key[0] == "truth_alloc_pages_exact"]
        found = found_rows(known, Table("page_callers"))
        check_equal("hits and live_kb of alloc_pages_exact()", [1, 12],
                    [row[name] for row in found.values() for name in ("hits", "live_kb")])
        check(expected, "the truth has no row of alloc_pages_exact()")
        known.run("drop")
    return f"{times} commands"


@single
def pages_without_memory():
    """Test that tracking fails without effect if its tables would need too much memory."""
    ram = os.sysconf("SC_PHYS_PAGES") * 4096
    with loaded("kmemacct", "live_max=1"):
        least = pairs_of("stats")["memory_bytes"]
        control("pages classes")
        pages = pairs_of("stats")["memory_bytes"] - least
    # With this live_max, the tables of objects fit, but those of pages do not.
    live_max = (ram // 16 - least - pages // 2) // 74
    with loaded("kmemacct", f"live_max={live_max}"):
        before = pairs_of("stats")["memory_bytes"]
        check_refused("pages classes", lambda: control("pages classes"), errno.ENOMEM)
        check_equal("error", "pages classes: not enough memory", settings()["last_error"])
        check_equal("setting", "off", settings()["pages"])
        check_stats(memory_bytes=before)
        check(growth(lambda: os.stat("/usr/lib/os-release"))["events_kmalloc"],
              "events are no longer counted")


@single
def pages_settings():
    """Test the settings, and that invalid ones change nothing."""
    with loaded("kmemacct"):
        defaults = {"pages": "off", "page_sample_bytes": "0"}
        check_row("default", defaults, settings())
        check_equal("rows with pages off", [0, 0, 0], [len(Table(name).rows) for name in (
            "page_callers", "pages", "orders")])
        for command in ("pages", "pages on", "pages 1", "page_sample_bytes 3",
                        "page_sample_bytes 2K", "page_sample_bytes 128M"):
            check_refused(f"{command!r}", lambda: control(command))
            check_row(f"after {command!r}", defaults, settings())
        memory = pairs_of("stats")["memory_bytes"]
        for mode in ("sites", "classes", "off"):
            control(f"pages {mode}")
            more = pairs_of("stats")["memory_bytes"] - memory
            # 16 bytes for each page, and the rows
            check(more >= os.sysconf("SC_PHYS_PAGES") * 16 if mode != "off" else more == 0,
                  f"{more} bytes with pages {mode}")
            check_equal("setting", mode, settings()["pages"])
            check_equal("head", mode, Table("orders").head["pages"])


PARTS = (
    pages_truth, pages_failed, pages_bulk_stale, pages_bulk_list, pages_reset, pages_recycled,
    pages_agree, pages_process, pages_cache, pages_slab, pages_on_and_off, pages_without_memory,
    pages_settings)
