# SPDX-License-Identifier: GPL-2.0
"""Tests of tables that are too small, and of invalid parameters."""
from collections import Counter

from compare import (
    check_all_freed, compare, compare_alloc, compare_caches, label_fits, read_allocs)
from harness import check, check_equal, check_refused, check_row, single
from kernel import insmod, is_loaded, kernel_log, loaded, vmalloc_bytes
from sums import check_sums
from table import FOLDER, PARAMETERS, PROC, Table, check_stats, control, only, pairs_of, settings
from truth import COUNTS, SCENARIOS, both, rows_by_function


@single
def live_max_too_small():
    """Test that objects that find no room in the live table count, and that this is shown."""
    with both("live_max=64") as known:
        known.run("many", "many", "constant", "runtime", "caches", "copies")
        expected = known.sites()
        callers = Table("callers")
        rows = rows_by_function(known, callers)
        check(int(callers.head["dropped"]) > 5000, f"dropped: {callers.head}")
        check_equal("functions", sorted(expected), sorted(rows))
        for name, row in expected.items():
            check_row(name, {key: row[key] for key in (
                "hits", "bytes_req", "bytes_alloc", "cross_node")}, rows[name])
            check_equal(f"{name}: hits = frees + no_entry + live", row["hits"],
                        sum(rows[name][key] for key in ("frees", "no_entry", "live_objs")))
        many = rows["truth_many"]
        check(many["no_entry"] > 0 and many["live_objs"] > 0, f"no loss: {many}")
        check_partial_allocs(known, many)
        known.run("drop")
        check_all_freed(known)
        callers, _, _ = check_sums()
        check_stats(dropped_live_full=callers.sum("no_entry"))


def check_partial_allocs(known, many):
    """Check the objects that are recorded."""
    hz = known.values()["hz"]
    live = known.live()
    table, opened = read_allocs(known)
    mine = known.allocs(table)
    for row in mine:
        check(row["ptr"] in live, f"an object is not live: {row}")
        compare_alloc("too small", row, live[row["ptr"]], opened, hz)
        check(label_fits(known, row["site"], live[row["ptr"]]), f"wrong call site: {row}")
    # No object of truth_many has been freed, so all that count as live are in allocs.
    check_equal("recorded objects of truth_many", many["live_objs"],
                sum(known.function(row["site"]) == "truth_many" for row in mine))


@single
def sites_max_too_small():
    """Test that call sites without a row of their own count in [other]."""
    with both("sites_max=64") as known:
        known.run(*(name for name in SCENARIOS if name != "many"))
        callers, *_ = check_sums()
        other = only(callers.rows, "site", "[other]")
        check(pairs_of("stats")["other_sites"] > 0, "other_sites is 0")
        compare_caches(known, "sites_max=64")
        expected = known.sites()
        rows = rows_by_function(known, callers)
        missing = Counter()
        for name, row in expected.items():
            missing.update({key: row[key] - (rows[name][key] if name in rows else 0)
                            for key in COUNTS})
        check(missing["hits"] > 0, "no hits are missing in the rows of the sites")
        for key in COUNTS:
            check(0 <= missing[key] <= other[key],
                  f"{key}: {missing[key]} are missing, [other] has {other[key]}")
        # The records of live objects do not depend on rows.
        live = known.live()
        table, opened = read_allocs(known)
        at = {row["ptr"]: row for row in table.rows}
        hz = known.values()["hz"]
        for ptr, row in live.items():
            check(ptr in at, f"allocs lacks {row}")
            compare_alloc("sites_max=64", at[ptr], row, opened, hz)
            check(at[ptr]["site"] == "[other]" or
                  label_fits(known, at[ptr]["site"], row), f"wrong call site: {at[ptr]}")
        known.run("drop")
        compare_caches(known, "after drop")
        check_sums()


@single
def memory():
    """Test that all memory of the module is counted as in /proc/vmallocinfo, and is freed again."""
    on_and_off = {"pages sites": "pages off", "account tasks,comm_sites": "account off",
                  "cgroup_sites add /": "cgroup_sites none",
                  "latency functions": "latency off", "filter module kernel": "filter off"}
    seen = []
    with loaded("kmemacct"):
        def check_memory(after):
            stats = pairs_of("stats")
            check_equal(f"after {after}", vmalloc_bytes("[kmemacct]"),
                        stats["memory_vmalloc_bytes"])
            seen.append(stats["memory_bytes"])

        check_memory("insmod")
        control("latency off")
        del seen[:]
        check_memory("latency off")
        Table("callers")
        check_memory("opening a table with names")
        control("reset")
        check_memory("a reset")
        least = seen[-1]
        for command in ("skip add x*", *on_and_off):
            control(command)
            check_memory(command)
        # The baseline of the rows of pages is freed by `pages off`.
        control("reset")
        check_memory("another reset")
        check(sorted(set(seen)) == seen, f"memory_bytes did not grow each time: {seen}")
        for command in on_and_off.values():
            control(command)
            check_memory(command)
        # Only writing the parameter, not the command, returns to the built-in list.
        (PARAMETERS / "skip").write_text("\n")
        check_stats(memory_bytes=least)
    return f"{seen[0]} to {max(seen)} bytes"


@single
def parameters():
    """Test that insmod rejects invalid parameters with a reason, and leaves nothing behind."""
    bad = {
        "live_max=nonsense": "live_max", "live_max=0xzz": "live_max",
        "live_max=-1": "live_max", "live_max=1073741825": "live_max",
        "live_max=18446744073709551616": "live_max",
        "sites_max=1": "sites_max", "sites_max=63": "sites_max",
        "sites_max=64001": "sites_max", "sites_max=many": "sites_max",
        "enabled=maybe": "enabled", "bulk=maybe": "bulk", "bulk=": "bulk",
        "live_max=1073741824": "RAM",
        "sample_bytes=3000": "sample_bytes", "sample_bytes=2K": "sample_bytes",
        "sample_bytes=128M": "sample_bytes", "sample_bytes=-1": "sample_bytes",
        "sample_bytes=": "sample_bytes", "sample_bytes=512Kx": "sample_bytes",
        "budget_pct=101": "budget_pct", "budget_pct=-1": "budget_pct",
        "budget_pct=x": "budget_pct",
    }
    for text, word in bad.items():
        with kernel_log() as log:
            check_refused(text, lambda: insmod("kmemacct", text))
        # For some invalid values, the kernel logs a line of its own, which has no reason.
        reasons = [line for line in log if line.startswith("kmemacct:") and
                   " invalid for parameter " not in line]
        check(len(reasons) == 1 and word in reasons[0], f"{text}: the log has {log}")
        check(not is_loaded("kmemacct") and not PROC.exists() and not FOLDER.exists(),
              f"{text} leaves something behind")
    with both("live_max=1000 sites_max=1000 enabled=Y bulk=off") as known:
        known.run("constant")
        compare(known, "valid parameters")
        check_row("settings", {"live_max": "1000", "sites_max": "1000", "bulk": "off"}, settings())


PARTS = (live_max_too_small, sites_max_too_small, memory, parameters)
