# SPDX-License-Identifier: GPL-2.0
"""Tests that a filter records the page allocations that match, and no others."""
import os
from collections import Counter

from cgroups import cgroups, run_in
from filters import called, filtered, refilter
from harness import check, check_equal, check_row, single
from kernel import loaded
from page_truth import RUNS, check_rows, expected_rows, found_rows
from table import Table, control, growth, pairs_of, until_equal
from truth import truth_loaded


def masks():
    return {row["flag"]: int(row["mask"], 16) for row in Table("gfp_flags").rows}


def check_page_sums():
    """Check that each event is in one counter.  Return the number of filtered events."""
    def read():
        orders, v = Table("orders"), pairs_of("page_summary")
        return (v["alloc_requests"] + v["page_bulk"],
                orders.sum("hits") + orders.sum("bulk_allocs") + v["page_failed"] +
                v["page_off"] + v["page_filtered"] + v["page_dropped_sites"], v["page_filtered"])

    control("enabled 0")
    try:
        return until_equal("sums of page_summary and orders", read)[2]
    finally:
        control("enabled 1")


def try_pages(what, matches, run=lambda known: known.run(*RUNS)):
    """Filter by the truth module and the criteria `what`, and check the rows that match."""
    refilter(f"module kmemacct_pages{what}")
    with truth_loaded("kmemacct_pages") as known:
        run(known)
        rows = expected_rows(known)
        expected = {key: row for key, row in rows.items() if matches(*key)}
        table = Table("page_callers")
        found = found_rows(known, table)
        for key in rows.keys() | found.keys():
            check_equal(f"{what} {key}", expected.get(key), found.get(key))
        check_equal("all rows", len(found), len(table.rows))
        check(expected and (not what or len(expected) < len(rows)),
              f"{what}: {len(expected)} of {len(rows)} rows match")
        check(check_page_sums(), "no event was filtered")
        known.run("drop")
        check_equal("live after drop", 0, Table("orders").sum("live_kb"))
    return f"{len(expected)}/{len(rows)}"


@single
def filter_blocks():
    """Test the criteria order, size and gfp, by all rows of the truth."""
    with filtered("module kmemacct_pages", "pages=sites"):
        flag = masks()
        kernel, comp, movable = (flag[name] for name in (
            "GFP_KERNEL", "__GFP_COMP", "__GFP_MOVABLE"))
        return ", ".join([
            try_pages("", lambda *key: True),
            try_pages(";order 3", lambda function, order, *_: order == 3),
            try_pages(";order 2-9", lambda function, order, *_: 2 <= order <= 9),
            try_pages(";size 8K-1M", lambda function, order, *_: 1 <= order <= 8),
            try_pages(";gfp __GFP_COMP", lambda *key: key[3] & comp),
            try_pages(";gfp GFP_KERNEL|__GFP_MOVABLE",
                       lambda *key: key[3] & kernel == kernel and key[3] & movable),
            try_pages(f";gfp {kernel:#x}", lambda *key: key[3] & kernel == kernel),
            try_pages(";order 0;gfp __GFP_RECLAIMABLE",
                       lambda *key: key[1] == 0 and key[2] == "Reclaimable"),
        ])


@single
def filter_blocks_of():
    """Test the criteria for the allocating process: PID, name and cgroup; and its module."""
    me = os.getpid()
    with cgroups("a", "a/b", "c") as paths, called("kma pages"), \
            loaded("kmemacct", "pages=sites"):
        for what, found in ((f"tgid {me}", True), (f"tgid {me + 1}", False),
                            ("comm kma*s", True), ("comm kma", False),
                            ("module kmemacct_pages", True), ("module kernel", False),
                            ("module kmemacct", False), ("node 0", True)):
            refilter(what)
            with truth_loaded("kmemacct_pages") as known:
                known.run(*RUNS)
                if found and what != "node 0":
                    check_rows(known)
                check_equal(what, found, bool(found_rows(known, Table("page_callers"))))
                check(check_page_sums() or found, what)
                known.run("drop")
        for group, found in zip(paths, (True, True, False)):
            refilter("cgroup /a")
            with truth_loaded("kmemacct_pages") as known:
                run_in(group, lambda: known.run(*RUNS))
                if found:
                    check_rows(known)
                check_equal(f"{group}", found, bool(found_rows(known, Table("page_callers"))))
                check_page_sums()
                known.run("drop")


@single
def pages_again():
    """Test that all counts are 0 after tracking is switched off, and on in another mode."""
    with loaded("kmemacct", "pages=sites"), truth_loaded("kmemacct_pages") as known:
        known.run(*RUNS)
        check_page_sums()
        control("pages off")
        before = pairs_of("page_summary")
        check_equal("while off", {name: 0 for name in before}, before)
        control("pages classes")
        for name in ("orders", "page_summary"):
            head = Table(name).head
            check_equal(f"since of {name}", "on", head["since"])
            check(float(head["window_s"]) < float(Table("callers").head["window_s"]),
                  f"window of {name}")
        check_page_sums()
        # The truth frees pages that were allocated before tracking was switched on.
        check(growth(lambda: known.run("drop"), "page_summary")["pages_free_only"],
              "pages_free_only has not grown")
        control("reset")
        check_equal("since", "reset", Table("orders").head["since"])
        check_page_sums()


@single
def filter_blocks_ways():
    """Test that `orders` is exact in all modes, also with sampled call sites."""
    for mode in ("pages=classes", "pages=sites", "pages=sites page_sample_bytes=16384"):
        with filtered("module kmemacct_pages", mode), truth_loaded("kmemacct_pages") as known:
            known.run(*RUNS)
            truth = {}
            for (_, order, kind, _), row in expected_rows(known).items():
                truth.setdefault((order, kind), Counter()).update(row)
            for row in Table("orders").rows:
                key = row["order"], row["migratetype"]
                check_row(f"{mode} {key}", {name: truth.get(key, Counter())[name] for name in (
                    "hits", "kb", "frees", "live_kb", "live_allocs", "bulk_allocs")}, row)
            check_page_sums()
            known.run("drop")


PARTS = (filter_blocks, filter_blocks_of, pages_again, filter_blocks_ways)
