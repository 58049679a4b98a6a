# SPDX-License-Identifier: GPL-2.0
"""The truth about page allocations (kunit/truth/pages_*.c), and the tables of pages."""
from harness import check, check_equal
from kernel import KERNEL
from table import Table, quiet
from truth import both

PAGE_KB = 4
GFP_MOVABLE, GFP_RECLAIMABLE = 0x08, 0x10


def tracked(commands=(), parameters=""):
    """Load kmemacct and run commands, then load the truth, so that all its pages are seen."""
    return both(parameters, "kmemacct_pages", commands)


def function_of(known, site):
    """Return the function of a call site, or None if the site is not in the truth."""
    return site.split("+")[0] if known.is_mine(site) else None


def migratetype(gfp):
    if gfp & GFP_MOVABLE:
        return "Movable"
    return "Reclaimable" if gfp & GFP_RECLAIMABLE else "Unmovable"


def expected_rows(known):
    rows = {}
    for row in known.lines("sites"):
        allocs = row["hits"] + row["bulk"]
        if not allocs and not row["failed"]:
            continue
        gfp = int(row["gfp"], 16)
        rows[row["function"], row["order"], migratetype(gfp), gfp] = {
            "hits": row["hits"], "bulk_allocs": row["bulk"], "frees": row["frees"],
            "kb": row["hits"] * PAGE_KB << row["order"],
            "live_allocs": allocs - row["frees"],
            "live_kb": row["live_pages"] * PAGE_KB, "failed": row["failed"]}
    return rows


def found_rows(known, table):
    rows = {}
    for row in table.rows:
        function = function_of(known, row["site"])
        if function and function != "truth_vmalloc":
            key = function, row["order"], row["migratetype"], int(row["gfp"], 16)
            check(key not in rows, f"two rows for {key}")
            rows[key] = {name: row[name] for name in (
                "hits", "bulk_allocs", "frees", "kb", "live_allocs", "live_kb", "failed")}
    return rows


def check_rows(known):
    expected, found = expected_rows(known), found_rows(known, Table("page_callers"))
    for key in expected.keys() | found.keys():
        check_equal(f"{key}", expected.get(key), found.get(key))
    return len(expected)


def pages_by_pfn(table):
    """Map the number of each page in a table of pages to its row."""
    pages = {}
    for row in table.rows:
        for pfn in range(row["pfn"], row["pfn"] + row["pages"]):
            check(pfn not in pages, f"page {pfn} is in two rows")
            pages[pfn] = row
    return pages


# 5.10 has no bulk page allocator.
RUNS = ("blocks", "split", "exact", "larger", "frames") + (("bulk",) if KERNEL != "5.10" else ())


def quiet_pages(read):
    """Return what read() returns, and page_summary, of a moment when no recorded page was freed."""
    return quiet(read, "page_summary", ["alloc_freed_kb"])
