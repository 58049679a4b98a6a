# SPDX-License-Identifier: GPL-2.0
"""Estimates and their errors."""
import json
import math

from program.samples import EXACT, interval, sampled_rows, sampled_table, samples_of
from program.tree import (
    ALLOCS, CALLERS, ESTIMATES, callers, check_equal, check_in, lines, sites, table)


def marks_estimates(t):
    t.write("callers", sampled_table("callers", "site", sampled_rows()))
    for width in 80, 100, 120:
        text = t.out("callers", "-b", COLUMNS=str(width))
        check_equal("fits", True, max(map(len, text.splitlines())) <= width)
    check_in("# ~ estimate, low..high its 95 % interval; few: fewer than 30 samples", text)
    check_equal("se", False, "_se" in text)
    head, *found = [line.split(maxsplit=8) for line in lines(text)]
    check_equal("columns", ["live_bytes", "low..high", "live_objs", "hits", "bytes_req",
                            "bytes_alloc", "frees", "few", "site"], head)
    for cells, (site, row) in zip(found, sampled_rows().items(), strict=True):
        mark = "" if site == EXACT else "~"
        low, high = interval(row["live_bytes"], row["live_bytes_se"],
                             row["live_samples"])
        few = site != EXACT and row["live_samples"] < 30
        check_equal(site, [
            f"{mark}{row['live_bytes']}", f"{low}..{high}" if mark else "-",
            *(mark * bool(row[f"{c}_se"]) + str(row[c]) for c in head[2:7]),
            "few" if few else "-", site], cells)


def shows_intervals_of_the_order(t):
    t.write("callers", sampled_table("callers", "site", sampled_rows()))
    for keys, expected in (("hits", ["hits"]), ("hits,live_objs", ["live_objs", "hits"]),
                           ("site", ["live_bytes"]), ("frees_se", ["frees"])):
        head = lines(t.out("callers", "-s", keys))[0].split()
        check_equal(keys, expected, [head[i - 1] for i, word in enumerate(head)
                                     if word == "low..high"])
        check_equal(keys, keys == "frees_se", "frees_se" in head)
    check_in("~0.000", t.out("callers"))


def sorts_by_errors(t):
    rows = sampled_rows()
    t.write("callers", sampled_table("callers", "site", rows))
    for key in "bytes_alloc_se", "live_objs_se", "samples":
        check_equal(key, [at.split("+")[0] for at in
                          sorted(rows, key=lambda at, key=key: -rows[at][key])],
                    sites(t, "callers", "-s", key))
    t.write("callers", callers(CALLERS))
    check_in("no sort key 'hits_se'", t.error("callers", "-s", "hits_se"))


def writes_estimates_as_json(t):
    rows = sampled_rows()
    t.write("callers", sampled_table("callers", "site", rows))
    for keys, column in ([], "live_bytes"), (["-s", "hits"], "hits"):
        found = {row["site"]: row for row in t.rows("callers", *keys)}
        check_equal("sites", set(rows), set(found))
        for site, row in rows.items():
            expected = {**row, "site": site, "frag_pct": 0.0,
                        "few": site != EXACT and samples_of(row, column) < 30}
            for name in ESTIMATES:
                least = 0
                if name in ("live_bytes", "live_objs"):
                    least = row["live_samples"]
                elif name in ("hits", "bytes_req", "bytes_alloc"):
                    least = row["samples"]
                low, high = interval(row[name], row[f"{name}_se"], least)
                expected.update({f"{name}_low": low, f"{name}_high": high})
            check_equal(site, expected, found[site])


def adds_up_errors(t):
    rows = sampled_rows()
    t.write("callers", sampled_table("callers", "site", rows))
    kernel = [row for site, row in rows.items() if "[" not in site]
    found = {row["module"]: row for row in t.rows("--by", "module")}
    for name in ESTIMATES:
        check_equal(name, sum(row[name] for row in kernel), found["[kernel]"][name])
        check_equal(name, round(math.hypot(*(row[f"{name}_se"] for row in kernel))),
                    found["[kernel]"][f"{name}_se"])
    check_equal("samples", sum(row["samples"] for row in kernel),
                found["[kernel]"]["samples"])
    check_equal("few", (False, True), (found["[kernel]"]["few"], found["overlay"]["few"]))
    check_in("~", t.out("--by", "module"))


def shows_an_estimated_summary(t):
    t.write_proc("kmemacct", table("summary", ["name", "value"], [
        ("bytes_allocated", 2**20), ("bytes_allocated_se", 2**17),
        ("bytes_net", 1000), ("bytes_net_se", 1000), ("frag_pct", "1.500"),
        ("live_bytes", 4096), ("live_bytes_se", 0), ("events_kfree", 17)]))
    check_equal("text", [
        "bytes_allocated ~1.00M 773K..1.25M", "bytes_net        ~1000 -960..2.89K",
        "frag_pct        ~1.500", "live_bytes       4.00K", "events_kfree        17",
    ], lines(t.out("summary")))
    check_in("# ~ estimate, and its 95 % interval", t.out("summary"))
    low, high = interval(2**20, 2**17)
    check_equal("json", [
        {"name": "bytes_allocated", "value": 2**20, "low": low, "high": high},
        {"name": "bytes_allocated_se", "value": 2**17},
        {"name": "bytes_net", "value": 1000, "low": -960, "high": 2960},
        {"name": "bytes_net_se", "value": 1000},
        {"name": "frag_pct", "value": 1.5},
        {"name": "live_bytes", "value": 4096, "low": 4096, "high": 4096},
        {"name": "live_bytes_se", "value": 0},
        {"name": "events_kfree", "value": 17}], t.rows("summary"))


WEIGHTS = ["4096.500", "4096.500", "1024.500", "1.000"]


def sampled_allocs():
    columns = "ptr bytes_req bytes_alloc age_ms cpu node pid weight site".split()
    return table("allocs", columns, [(*row[:-1], weight, row[-1])
                                     for row, weight in zip(ALLOCS, WEIGHTS)])


def weighs_leaks(t):
    t.write("allocs", sampled_allocs())
    found = t.rows("leaks", "--older-than", "0s")
    check_equal("sites", ["slow_leak+0x10", "big_leak+0x10 [ext4]",
                          "proc_alloc_inode+0x1d"], [row["site"] for row in found])
    slow, big, exact = found
    variance = 4096.5 * 4095.5
    check_equal("slow", (2 * 4096.5 * 128, 8193, 2, round(128 * math.sqrt(2 * variance)),
                         round(math.sqrt(2 * variance)), True),
                tuple(slow[k] for k in ("live_bytes", "live_objs", "live_samples",
                                        "live_bytes_se", "live_objs_se", "few")))
    check_equal("big", (512 * 1024.5, round(512 * math.sqrt(1024.5 * 1023.5))),
                (big["live_bytes"], big["live_bytes_se"]))
    check_equal("exact", {"live_bytes": 64, "live_bytes_low": 64, "live_bytes_high": 64,
                          "live_samples": 0, "few": False},
                {k: exact[k] for k in ("live_bytes", "live_bytes_low",
                                       "live_bytes_high", "live_samples", "few")})
    check_in("~1.00M", t.out("leaks", "--older-than", "0s"))


def looks_up_weights(t):
    t.write("allocs", sampled_allocs())
    check_equal("weight", 1024.5, t.rows("lookup", "ffff888001000100")[0]["weight"])
    check_in(" 4096.500 slow_leak+0x10", t.out("lookup", "ffff888001000000"))
    check_equal("no few", False, "few" in t.out("allocs"))


def runs_with_estimates(t):
    before = sampled_rows()
    after = {at: dict(row) for at, row in before.items()}
    site = "__d_alloc+0x29"
    after[site].update(hits=before[site]["hits"] + 5000, samples=99, live_samples=46,
                       live_bytes=before[site]["live_bytes"] - 4096,
                       hits_se=before[site]["hits_se"] + 700)
    t.write("callers", sampled_table("callers", "site", before))
    later = t.top / "later"
    later.write_text(sampled_table("callers", "site", after, "100000.000"))
    command = "run", "-j", "--", "cp", later, t.dir / "callers"
    (row,) = json.loads(t.out(*command))["rows"]
    old, new = before[site], after[site]
    check_equal("grows", (5000, round(math.sqrt(new["hits_se"]**2 - old["hits_se"]**2))),
                (row["hits"], row["hits_se"]))
    check_equal("same", (0, 0), (row["frees"], row["frees_se"]))
    se = round(math.hypot(old["live_bytes_se"], new["live_bytes_se"]))
    check_equal("live", (-4096, se), (row["live_bytes"], row["live_bytes_se"]))
    check_equal("interval", (-4096 - -(-196 * se // 100), -4096 + -(-196 * se // 100)),
                (row["live_bytes_low"], row["live_bytes_high"]))
    check_equal("samples", (9, 45 + 46, False),
                (row["samples"], row["live_samples"], row["few"]))


def refuses_half_of_the_columns(t):
    text = sampled_table("callers", "site", sampled_rows())
    for part in "live_samples ", "confirmed_bytes_se ":
        t.write("callers", text.replace(part, "", 1))
        check_equal(part, f"{t.dir}/callers: line 2: column {part}is not where format version 6"
                    " has it", t.error("callers"))
    # Rows have to match the names of the columns
    first = text.index("\n", text.index("\n") + 1) + 1
    t.write("callers", text[:first] + callers(CALLERS).split("\n", 2)[2])
    check_equal("rows", f"{t.dir}/callers: line 3: invalid samples"
                " 'proc_alloc_inode+0x1d'", t.error("callers"))


TESTS = (
    marks_estimates, shows_intervals_of_the_order, sorts_by_errors,
    writes_estimates_as_json, adds_up_errors, shows_an_estimated_summary, weighs_leaks,
    looks_up_weights, runs_with_estimates, refuses_half_of_the_columns)
