# SPDX-License-Identifier: GPL-2.0
"""Tests that a filter records the page allocations that match, and no others."""
import os
from collections import Counter

from filters import called, cgroups, filtered, refilter, run_in
from harness import Failed, check, check_equal, single
from kernel import loaded
from page_truth import RUNS, check_rows, expected_rows, found_rows
from sums import TRIES
from table import Table, control, pairs_of
from truth import Truth


def masks():
    return {row["flag"]: int(row["mask"], 16) for row in Table("gfp_flags").rows}


def check_page_sums():
    """Check that each event is in one counter.  Return the number of filtered events."""
    control("enabled 0")
    try:
        for _ in range(TRIES):
            orders, v = Table("orders"), pairs_of("page_summary")
            left = v["alloc_requests"] + v["page_bulk"]
            right = (orders.sum("hits") + orders.sum("bulk_allocs") + v["page_failed"] +
                     v["page_off"] + v["page_filtered"] + v["page_dropped_sites"])
            if left == right:
                return v["page_filtered"]
    finally:
        control("enabled 1")
    raise Failed(f"none of {TRIES} summaries adds up; the last one: {left}, {right}")


def try_pages(what, matches, run=lambda known: known.run(*RUNS)):
    """Filter by the truth module and the criteria `what`, and check the rows that match."""
    refilter(f"module kmemacct_pages{what}")
    with loaded("kmemacct_pages"):
        known = Truth("kmemacct_pages")
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
            with loaded("kmemacct_pages"):
                known = Truth("kmemacct_pages")
                known.run(*RUNS)
                if found and what != "node 0":
                    check_rows(known)
                check_equal(what, found, bool(found_rows(known, Table("page_callers"))))
                check(check_page_sums() or found, what)
                known.run("drop")
        for group, found in zip(paths, (True, True, False)):
            refilter("cgroup /a")
            with loaded("kmemacct_pages"):
                known = Truth("kmemacct_pages")
                run_in(group, known, *RUNS)
                if found:
                    check_rows(known)
                check_equal(f"{group}", found,
                            bool(found_rows(known, Table("page_callers"))))
                check_page_sums()
                known.run("drop")


@single
def pages_again():
    """Test that all counts are 0 after tracking is switched off, and on in another mode."""
    with loaded("kmemacct", "pages=sites"), loaded("kmemacct_pages"):
        known = Truth("kmemacct_pages")
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
        pages = pairs_of("page_summary")["pages_free_only"]
        known.run("drop")
        check(pairs_of("page_summary")["pages_free_only"] > pages, "pages_free_only has not grown")
        control("reset")
        check_equal("since", "reset", Table("orders").head["since"])
        check_page_sums()


@single
def filter_blocks_ways():
    """Test that `orders` is exact in all modes, also with sampled call sites."""
    for mode in ("pages=classes", "pages=sites", "pages=sites page_sample_bytes=16384"):
        with filtered("module kmemacct_pages", mode), loaded("kmemacct_pages"):
            known = Truth("kmemacct_pages")
            known.run(*RUNS)
            truth = {}
            for (_, order, kind, _), row in expected_rows(known).items():
                truth.setdefault((order, kind), Counter()).update(row)
            found = {(row["order"], row["migratetype"]): row
                     for row in Table("orders").rows}
            for key, row in found.items():
                check_equal(f"{mode} {key}", {name: truth.get(key, Counter())[name]
                                              for name in ("hits", "kb", "frees", "live_kb",
                                                           "live_allocs", "bulk_allocs")},
                            {name: row[name] for name in ("hits", "kb", "frees", "live_kb",
                                                          "live_allocs", "bulk_allocs")})
            check_page_sums()
            known.run("drop")


PARTS = (filter_blocks, filter_blocks_of, pages_again, filter_blocks_ways)
