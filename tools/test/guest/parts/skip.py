# SPDX-License-Identifier: GPL-2.0
"""Tests of the patterns of functions that do not count as call sites."""
import errno
from collections import Counter

from filters import refused
from harness import check, check_equal, check_refused, single
from kernel import loaded
from page_truth import function_of
from table import PARAMETERS, Table, control
from truth import truth_loaded


def skipped():
    return [row["pattern"] for row in Table("skip").rows]


@single
def skip_settings():
    """Test that the list of patterns is shown and limited, and how it is changed."""
    with loaded("kmemacct"):
        parameter = PARAMETERS / "skip"
        built_in = skipped()
        check("alloc_page*" in built_in and "vmalloc*" in built_in, f"{built_in}")
        check_equal("parameter", "\n", parameter.read_text())
        control("skip add one*", "skip del vmalloc*", "skip add a?[bc]")
        without = [name for name in built_in if name != "vmalloc*"]
        check_equal("list", without + ["one*", "a?[bc]"], skipped())
        text = "del vmalloc*;add one*;add a?[bc]\n"
        check_equal("parameter", text, parameter.read_text())
        for command, word in (
                ("skip", "add"), ("skip one", "one"), ("skip add", "add"),
                ("skip del", "del"), ("skip add one*", "already"), ("skip del two", "two"),
                ("skip del vmalloc*", "vmalloc*"), ("skip add x y", "x y"),
                ("skip add x;y", "x;y"), ("skip add " + "x" * 64, "63"),
                (b"skip add \xc3\xa4", "?"), ("skip remove one*", "remove")):
            refused(command, word)
            check_equal(f"list after {command!r}", without + ["one*", "a?[bc]"], skipped())
        control("skip add " + "x" * 63, *(f"skip add many{i}" for i in range(29)))
        refused("skip add more", "delete")
        control("reset")
        check_equal("number of patterns", len(without) + 32, len(skipped()))
        # Built-in patterns do not count for the limit.
        control("skip add vmalloc*")
        long = parameter.read_text()
        parameter.write_text(text)
        check_equal("list", without + ["one*", "a?[bc]"], skipped())
        check_refused("a duplicate pattern", lambda: parameter.write_text("add fine;add fine"),
                      errno.EINVAL)
        check_equal("list", without + ["one*", "a?[bc]"], skipped())
        parameter.write_text(long)
        check_equal("parameter", long, parameter.read_text())
        parameter.write_text("\n")
        check_equal("list", built_in, skipped())
    with loaded("kmemacct", 'skip="add mine*;del alloc_page*"'):
        check_equal("list", [name for name in built_in if name != "alloc_page*"] + ["mine*"],
                    skipped())


def sites_of(known):
    """Return hits by function of the truth's call sites."""
    sites = Counter()
    for row in Table("page_callers").rows:
        if known.is_mine(row["site"]):
            sites[function_of(known, row["site"])] += row["hits"]
    return sites


def vmalloc_sites(known):
    """Let the truth allocate an area.  Return the functions that are call sites of its pages."""
    known.run("vmalloc")
    area = {row["pfn"] for row in known.lines("pages") if row["function"] == "truth_vmalloc"}
    return {known.function(row["site"]) for row in Table("pages").rows
            if area & set(range(row["pfn"], row["pfn"] + row["pages"]))}


@single
def skip_callsites():
    """Test that call sites change with the next allocation when a pattern is added or deleted."""
    with loaded("kmemacct", "pages=sites"), truth_loaded("kmemacct_pages") as known:
        known.run("blocks", "drop")
        first = sites_of(known)
        check(first["truth_alloc_pages"] and first["truth_get_free_pages"], f"{first}")
        control("skip add truth_alloc_pages")
        known.run("blocks", "drop")
        second = sites_of(known)
        second.subtract(first)
        n = first["truth_alloc_pages"]
        check_equal("hits of the skipped function", 0, second["truth_alloc_pages"])
        check_equal("hits of another function", first["truth_get_free_pages"],
                    second["truth_get_free_pages"])
        others = +second - first
        check_equal("hits of its caller", [n], list(others.values()))
        control("skip del truth_alloc_pages")
        known.run("blocks", "drop")
        third = sites_of(known)
        check_equal("hits after skip del", 2 * n, third["truth_alloc_pages"])
        # Built-in patterns can be deleted, too.
        check_equal("call site of vmalloc", {"truth_vmalloc"}, vmalloc_sites(known))
        known.run("drop")
        control(*(f"skip del {pattern}" for pattern in (
            "vmalloc*", "__vmalloc*", "*_noprof", "vzalloc*")))
        inside = vmalloc_sites(known)
        check(inside and all("vmalloc" in site or site.endswith("_noprof")
                             for site in inside) and "truth_vmalloc" not in inside,
              f"{inside}")
        known.run("drop")
    return f"{list(others)[0]}, {sorted(inside)}"


PARTS = (skip_settings, skip_callsites)
