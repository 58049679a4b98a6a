# SPDX-License-Identifier: GPL-2.0
"""Estimates and their errors."""
import json
import math

from program.bounds import interval
from program.samples import (
    EVERY, EXACT, OBJECT_MIN, interval_of, is_rough, sampled_rows, sampled_table)
from program.tree import (
    ALLOCS, CALLERS, ESTIMATES, callers, check_equal, check_in, lines, sites, table)


# What has no sample with a probability of 2.5 %
UNSAMPLED = math.ceil(-math.log(0.025) * EVERY)


def marks_estimates(t):
    t.write("callers", sampled_table("callers", "site", sampled_rows()))
    for width in 80, 100, 120:
        text = t.out("callers", "-b", COLUMNS=str(width))
        check_equal("fits", True, max(map(len, text.splitlines())) <= width)
    check_in("# sampled since load, 10.4s, one object for every 524288 bytes allocated; ",
             text)
    check_in("; ~ estimate, low..high its 95 % interval; a call site without samples has at most"
             f" {UNSAMPLED} bytes live ", text.replace("\n# ", " ").replace("\n", " "))
    check_in("# sampled since load, 10.4s, one object for every 512K allocated; ",
             t.out("callers"))
    check_in("has at most 1.85M live\n", t.out("callers"))
    check_equal("se", False, "_se" in text)
    names = ["live_bytes", "low..high", "live_objs", "objs_alloc", "bytes_alloc", "frees",
             "bytes_freed", "site"]
    text = t.out("callers", "-b", "-o", ",".join(names[:1] + names[2:]))
    head, *found = [line.split(maxsplit=7) for line in lines(text)[:-1]]
    check_equal("columns", ["live_bytes", "low..high", "objects", "allocs", "bytes_alloc",
                            "frees", "bytes_freed", "site"], head)
    head = names
    for cells, (site, row) in zip(found, sampled_rows().items(), strict=True):
        mark = "" if site == EXACT else "~"
        low, high = interval_of(row, "live_bytes", row["live_samples"])
        check_equal(site, [
            f"{mark}{row['live_bytes']}", f"{low}..{high}" if mark else "-",
            *(mark * is_rough(row, c) + str(row[c]) for c in head[2:-1]), site], cells)


def shows_intervals_of_the_order(t):
    t.write("callers", sampled_table("callers", "site", sampled_rows()))
    for keys, expected in (("hits", ["hits"]), ("hits,live_objs", ["objects", "hits"]),
                           ("site", ["live"]), ("frees_se", ["frees"])):
        head = lines(t.out("callers", "-s", keys))[0].split()
        check_equal(keys, expected, [head[i - 1] for i, word in enumerate(head)
                                     if word == "low..high"])
        check_equal(keys, keys == "frees_se", "frees_se" in head)
    check_in("~0.000", t.out("callers", "-o", "+frag"))
    # The growth and the share are estimates if what they are computed from is one.
    found = [line.split() for line in lines(t.out("callers", "-o", "share,growth,site"))[1:-1]]
    check_equal("computed", [[site != EXACT] * 2 for site in sampled_rows()],
                [[row[0][0] == "~", row[1][0] == "~"] for row in found])


def sorts_by_errors(t):
    rows = sampled_rows()
    t.write("callers", sampled_table("callers", "site", rows))
    for key in "bytes_alloc_se", "live_objs_se", "samples":
        check_equal(key, [at.split("+")[0] for at in
                          sorted(rows, key=lambda at, key=key: -rows[at][key])],
                    sites(t, "callers", "-s", key))


def writes_estimates_as_json(t):
    rows = sampled_rows()
    t.write("callers", sampled_table("callers", "site", rows))
    found = json.loads(t.out("callers", "-j"))
    check_equal("unsampled", UNSAMPLED, found["unsampled_bytes_high"])
    found = {row["site"]: row for row in found["rows"]}
    check_equal("sites", set(rows), set(found))
    for site, row in rows.items():
        expected = {**row, "site": site, "frag_pct": 0.0}
        for name in ESTIMATES:
            least = 0
            if name in ("live_bytes", "live_objs"):
                least = row["live_samples"]
            elif name in ("hits", "objs_alloc", "bytes_req", "bytes_alloc"):
                least = row["samples"]
            low, high = interval_of(row, name, least)
            expected.update({f"{name}_low": low, f"{name}_high": high})
        check_equal(site, expected, found[site])
    t.write("callers", callers(CALLERS))
    check_equal("exact", False, "unsampled_bytes_high" in t.out("callers", "-j"))


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
    check_in("~", t.out("--by", "module"))


def shows_an_estimated_summary(t):
    t.write_proc("kmemacct", table("summary", ["name", "value"], [
        ("bytes_allocated", 2**20), ("bytes_allocated_se", 2**17),
        ("bytes_net", 1000), ("bytes_net_se", 1000), ("frag_pct", "1.500"),
        ("live_bytes", 4096), ("live_bytes_se", 0), ("events_kfree", 17)]))
    check_equal("text", [
        "bytes_allocated ~1.00M   788K..1.58M", "bytes_net        ~1000 -3.50K..5.45K",
        "frag_pct        ~1.500", "live_bytes       4.00K", "events_kfree        17",
    ], [line.rstrip() for line in lines(t.out("summary", "-v", COLUMNS="50"))])
    check_equal("raw", "bytes_allocated 1048576", t.out("summary", "-r").split("\n")[0])
    check_in("# ~ estimate, and its 95 % interval", t.out("summary"))
    # Neither the number of samples nor sample_bytes is known
    low, high = interval(2**20, 2**17, 1, 0, part=True)
    change = interval(1000, 1000, 1, 0, change=True)
    check_equal("json", [
        {"name": "bytes_allocated", "value": 2**20, "low": low, "high": high},
        {"name": "bytes_allocated_se", "value": 2**17},
        {"name": "bytes_net", "value": 1000, "low": change[0], "high": change[1]},
        {"name": "bytes_net_se", "value": 1000},
        {"name": "frag_pct", "value": 1.5},
        {"name": "live_bytes", "value": 4096, "low": 4096, "high": 4096},
        {"name": "live_bytes_se", "value": 0},
        {"name": "events_kfree", "value": 17}], t.rows("summary"))


WEIGHTS = ["4096.500", "4096.500", "1024.500", "1.000"]


def sampled_allocs():
    columns = "ptr bytes_req bytes_alloc age_ms cpu node pid weight site".split()
    return table("allocs", columns, [(*row[:-1], weight, row[-1])
                                     for row, weight in zip(ALLOCS, WEIGHTS)]).replace(
        "sample_bytes=0", f"sample_bytes={EVERY}", 1)


def weighs_leaks(t):
    t.write("allocs", sampled_allocs())
    found = t.rows("leaks", "--older-than", "0s")
    check_equal("sites", ["slow_leak+0x10", "big_leak+0x10 [ext4]",
                          "proc_alloc_inode+0x1d"], [row["site"] for row in found])
    slow, big, exact = found
    variance = 4096.5 * 4095.5
    check_equal("slow", (2 * 4096.5 * 128, 8193, 2, round(128 * math.sqrt(2 * variance)),
                         round(math.sqrt(2 * variance))),
                tuple(slow[k] for k in ("live_bytes", "live_objs", "live_samples",
                                        "live_bytes_se", "live_objs_se")))
    check_equal("interval", interval(slow["live_bytes"], slow["live_bytes_se"], 2, EVERY),
                (slow["live_bytes_low"], slow["live_bytes_high"]))
    check_equal("objects", interval(slow["live_objs"], slow["live_objs_se"], 2,
                                    EVERY / OBJECT_MIN, mixed=True),
                (slow["live_objs_low"], slow["live_objs_high"]))
    check_equal("big", (512 * 1024.5, round(512 * math.sqrt(1024.5 * 1023.5))),
                (big["live_bytes"], big["live_bytes_se"]))
    check_equal("exact", {"live_bytes": 64, "live_bytes_low": 64, "live_bytes_high": 64,
                          "live_samples": 0},
                {k: exact[k] for k in ("live_bytes", "live_bytes_low",
                                       "live_bytes_high", "live_samples")})
    check_in("~1.00M", t.out("leaks", "--older-than", "0s"))


def looks_up_weights(t):
    t.write("allocs", sampled_allocs())
    check_equal("weight", 1024.5, t.rows("lookup", "ffff888001000100")[0]["weight"])
    check_in(" 4096.500 ffff888001000000 slow_leak+0x10", t.out("lookup", "ffff888001000000"))
    check_equal("no interval", False, "low..high" in t.out("allocs"))


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
    check_equal("interval", interval(-4096, se, 45 + 46, EVERY, change=True),
                (row["live_bytes_low"], row["live_bytes_high"]))
    check_equal("growth", interval(5000, row["hits_se"], 9, EVERY / OBJECT_MIN, 9, mixed=True),
                (row["hits_low"], row["hits_high"]))
    check_equal("samples", (9, 45 + 46), (row["samples"], row["live_samples"]))
    t.write("callers", sampled_table("callers", "site", before))
    check_in("a call site without samples allocated at most 1.85M\n",
             t.out("run", "--", "cp", later, t.dir / "callers"))


def refuses_missing_columns(t):
    text = sampled_table("callers", "site", sampled_rows())
    for part in "live_samples ", "confirmed_bytes_se ":
        t.write("callers", text.replace(part, "", 1))
        check_equal(part, f"{t.dir}/callers has no column {part.strip()}: use the kmemacct"
                    " that belongs to the module", t.error("callers"))
    # Rows have to match the names of the columns
    lines_of = text.split("\n")
    t.write("callers", "\n".join([*lines_of[:3], "1 2 3 4 5 6 x", ""]))
    check_equal("rows", f"{t.dir}/callers: line 4: invalid frees 'x'", t.error("callers"))


TESTS = (
    marks_estimates, shows_intervals_of_the_order, sorts_by_errors,
    writes_estimates_as_json, adds_up_errors, shows_an_estimated_summary, weighs_leaks,
    looks_up_weights, runs_with_estimates, refuses_missing_columns)
