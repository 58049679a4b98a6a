# SPDX-License-Identifier: GPL-2.0
"""Tests of the patterns of functions that do not count as call sites."""
import errno
import fnmatch
from collections import Counter

from filters import refused
from harness import check, check_equal, check_refused, each_kernel, single
from kernel import loaded
from loads import network
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
                (b"skip add \xc3\xa4", "?"), ("skip remove one*", "remove"),
                ("skip none x", "x")):
            refused(command, word)
            check_equal(f"list after {command!r}", without + ["one*", "a?[bc]"], skipped())
        control("skip add " + "x" * 63, *(f"skip add many{i}" for i in range(23)))
        refused("skip add more", "delete")
        control("reset")
        check_equal("number of patterns", len(without) + 26, len(skipped()))
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
        # The longest list of changes fits into the parameter.
        control("skip none", *(f"skip add {i:02}{'x' * 61}" for i in range(26)))
        long = parameter.read_text()
        check_equal("characters that were added", 26 * 63, len(
            "".join(part[4:] for part in long[:-1].split(";") if part.startswith("add "))))
        parameter.write_text("\n")
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


def hits_of(known):
    """Return the hits of the truth's call sites of objects, by function."""
    hits = Counter()
    for row in Table("callers").rows:
        if known.is_mine(row["site"]):
            hits[known.function(row["site"])] += row["hits"]
    return hits


@single
def skip_helpers():
    """Test that objects count at the caller of a helper, built-in or added."""
    with loaded("kmemacct", "account=comm_sites"), truth_loaded() as known:
        known.run("texts", "wrapped")
        check_equal("through kasprintf()", 1000, hits_of(known)["truth_kasprintf"])
        check_equal("through kasprintf(), by command", 1000, sum(
            row["slab_hits"] for row in Table("comm_sites").rows
            if ";truth_kasprintf+" in row["comm_site"]))
        check_equal("a function that is no helper", (1000, 0),
                    (hits_of(known)["truth_wrapper"], hits_of(known)["truth_wrapped"]))
        control("skip add truth_wrap?er")
        known.run("wrapped", "wrapped")
        check_equal("a helper that was added", (1000, 2000),
                    (hits_of(known)["truth_wrapper"], hits_of(known)["truth_wrapped"]))
        control("skip del truth_wrap?er")
        known.run("wrapped")
        check_equal("no longer a helper", (2000, 2000),
                    (hits_of(known)["truth_wrapper"], hits_of(known)["truth_wrapped"]))
        known.run("drop")
        check_equal("live objects", 0, sum(row["live_objs"] for row in Table("callers").rows
                                           if known.is_mine(row["site"])))
        control("filter module kmemacct_truth", "reset")
        known.run("texts")
        check_equal("through kasprintf(), by a filter", 1000, hits_of(known)["truth_kasprintf"])
        control("skip none", "reset")
        known.run("texts")
        check_equal("without patterns, by a filter", 0, hits_of(known)["truth_kasprintf"])
        control("filter off")
        known.run("texts")
        inside = {row["site"].split("+")[0] for row in Table("callers").rows
                  if row["hits"] >= 1000 and "printf" in row["site"]}
        check(inside, f"{inside}")
        check_equal("without patterns", 0, hits_of(known)["truth_kasprintf"])
        known.run("drop")
    return f"{inside}"


@single
def skip_helpers_sampled():
    """Test that samples count at the caller of a helper, where their stacks begin."""
    with loaded("kmemacct", "sample_bytes=4096"), truth_loaded() as known:
        known.run(*["texts"] * 10)
        rows = [row for row in Table("callers").rows
                if known.is_mine(row["site"]) and not row["site"].startswith("truth_init+")]
        check_equal("call sites", {"truth_kasprintf"},
                    {known.function(row["site"]) for row in rows})
        off = abs(sum(row["hits"] for row in rows) - 10000)
        check(off <= 5 * max(row["hits_se"] for row in rows), f"{rows}")
        stacks = [row["stack"] for row in Table("stacks").rows if "truth_kasprintf" in row["stack"]]
        check(stacks and all("printf" not in stack.replace("truth_kasprintf", "")
                             for stack in stacks), f"{stacks}")
        known.run("drop")
    return f"{rows[0]['hits']} of 10000, {sum(row['samples'] for row in rows)} samples"


# Built-in patterns of helpers that sockets, page tables and vmalloc() use
USED = ("sk_prot_alloc*", "*_page_frag_refill*", "__p?d_alloc*", "alloc_vmap_area*",
        "*get_vm_area*", "*_stream_alloc_skb*")


def helpers_seen(changes):
    """Return which of these patterns match a call site after some work, of objects or of pages."""
    with loaded("kmemacct", f'pages=sites skip="{";".join(changes)}"'), loaded("kmemacct_leaky"):
        network()
        functions = {row["site"].split("+")[0] for table in ("callers", "page_callers")
                     for row in Table(table).rows if row["hits"]}
    return {pattern for pattern in USED if fnmatch.filter(functions, pattern)}


@each_kernel
@single
def skip_helpers_of_the_kernel():
    """Test that helpers of sockets, page tables and vmalloc() are not call sites."""
    check_equal("without these patterns", set(USED),
                helpers_seen([f"del {pattern}" for pattern in USED]))
    check_equal("with the built-in list", set(), helpers_seen([]))


PARTS = (skip_settings, skip_callsites, skip_helpers, skip_helpers_sampled,
         skip_helpers_of_the_kernel)
