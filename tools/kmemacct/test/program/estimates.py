# SPDX-License-Identifier: GPL-2.0
"""Estimates and their errors."""
import json
import math

from program.bounds import interval
from program.samples import (
    EVERY, EXACT, OBJECT_MIN, interval_of, is_rough, sampled_rows, sampled_table, write_samples)
from program.tree import (
    ALLOCS, CALLERS, ESTIMATES, UNKNOWN_CHANGES, allocs, callers, check, check_in, check_not_in,
    check_width, lines, sites, table)


# The bytes that have no sample with a probability of 2.5 %
UNSAMPLED = math.ceil(-math.log(0.025) * EVERY)


def marks_estimates(t):
    write_samples(t)
    for width in 80, 100, 120:
        text = t.out("callers -b", COLUMNS=str(width))
        check_width(width, text)
    check_in("# sampled since load, 10.4s; ", text)
    check_in("; ~ estimate, low..high its 95 % interval; a call site without samples has at most"
             f" {UNSAMPLED} bytes live ", t.out("callers -b -v").replace("\n# ", " ").replace(
                 "\n", " "))
    check_not_in("every", text)
    check_not_in("~ estimate", text)
    check_in("# sampled since load, 10.4s, one object for every 512K allocated; ",
             t.out("callers -v"))
    check_in("has at most 1.85M live\n", t.out("callers -v"))
    check_not_in("_se", text)
    names = ["live_bytes", "low..high", "live_objs", "objs_alloc", "bytes_alloc", "frees",
             "bytes_freed", "site"]
    text = t.out("callers -b -o", ",".join(names[:1] + names[2:]))
    head, *found = [line.split(maxsplit=7) for line in lines(text)[:-1]]
    check(["live_bytes", "low..high", "objects", "allocs", "bytes_alloc",
           "frees", "bytes_freed", "site"], head)
    head = names
    for cells, (site, row) in zip(found, sampled_rows().items(), strict=True):
        mark = "" if site == EXACT else "~"
        low, high = interval_of(row, "live_bytes", row["live_samples"])
        check([f"{mark}{row['live_bytes']}", f"{low}..{high}" if mark else "-",
               *(mark * is_rough(row, c) + str(row[c]) for c in head[2:-1]), site], cells)


def shows_intervals_of_the_order(t):
    write_samples(t)
    for keys, expected in (("hits", ["hits"]), ("hits,live_objs", ["objects", "hits"]),
                           ("site", ["live"]), ("frees_se", ["frees"])):
        head = t.lines("callers -s", keys)[0].split()
        check(expected, [head[i - 1] for i, word in enumerate(head) if word == "low..high"], keys)
        check(keys == "frees_se", "frees_se" in head)
    check_in("~0.000", t.out("callers -o +frag"))
    # The growth and the share are estimates if they are computed from an estimate.
    found = [line.split() for line in t.lines("callers -o share,growth,site")[1:-1]]
    check([[site != EXACT] * 2 for site in sampled_rows()],
          [[row[0][0] == "~", row[1][0] == "~"] for row in found])


def sorts_by_errors(t):
    rows = write_samples(t)
    for key in "bytes_alloc_se", "live_objs_se", "samples":
        check([at.split("+")[0] for at in sorted(rows, key=lambda at, key=key: -rows[at][key])],
              sites(t, "callers -s", key))


def writes_estimates_as_json(t):
    rows = write_samples(t)
    found = t.json("callers")
    check(UNSAMPLED, found["unsampled_bytes_high"])
    found = {row["site"]: row for row in found["rows"]}
    check(set(rows), set(found))
    for site, row in rows.items():
        expected = {**row, **UNKNOWN_CHANGES, "site": site, "frag_pct": 0.0, "reclaimable": None,
                    "module": "overlay" if "overlay" in site else "kernel"}
        for name in ESTIMATES:
            least = 0
            if name in ("live_bytes", "live_objs"):
                least = row["live_samples"]
            elif name in ("hits", "objs_alloc", "bytes_req", "bytes_alloc"):
                least = row["samples"]
            low, high = interval_of(row, name, least)
            expected.update({f"{name}_low": low, f"{name}_high": high})
        check(expected, found[site])
    t.write("callers", callers(CALLERS))
    check_not_in("unsampled_bytes_high", t.out("callers -j"))
    check_not_in("~ estimate", t.out("callers"))


def adds_up_errors(t):
    rows = write_samples(t)
    kernel = [row for site, row in rows.items() if "[" not in site]
    found = {row["module"]: row for row in t.rows("--by module")}
    for name in ESTIMATES:
        check(sum(row[name] for row in kernel), found["[kernel]"][name])
        check(round(math.hypot(*(row[f"{name}_se"] for row in kernel))),
              found["[kernel]"][f"{name}_se"])
    check(sum(row["samples"] for row in kernel), found["[kernel]"]["samples"])
    check_in("; a module without samples has at most 1.85M live\n", t.out("--by module -v"))
    check_in("~", t.out("--by module -v"))


def shows_an_estimated_summary(t):
    t.write_proc("kmemacct", table("summary", {
        "bytes_allocated": 2**20, "bytes_allocated_se": 2**17, "bytes_net": 1000,
        "bytes_net_se": 1000, "frag_pct": "1.500", "live_bytes": 4096, "live_bytes_se": 0,
        "events_kfree": 17}))
    check(["bytes_allocated ~1.00M   788K..1.58M", "bytes_net        ~1000 -3.50K..5.45K",
           "frag_pct        ~1.500", "live_bytes       4.00K", "events_kfree        17",],
          [line.rstrip() for line in t.lines("summary -v", COLUMNS="50")])
    check("bytes_allocated 1048576", t.out("summary -r").split("\n")[0])
    check_in("# ~ estimate, and its 95 % interval", t.out("summary"))
    # Neither the number of samples nor sample_bytes is known
    low, high = interval(2**20, 2**17, 1, 0, part=True)
    change = interval(1000, 1000, 1, 0, change=True)
    check([
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
    rows = [(*row[:-1], weight, row[-1]) for row, weight in zip(ALLOCS, WEIGHTS)]
    return allocs(rows).replace("sample_bytes=0", f"sample_bytes={EVERY}", 1)


def weighs_leaks(t):
    t.write("allocs", sampled_allocs())
    found = t.rows("leaks --older-than 0s")
    check(["slow_leak+0x10", "big_leak+0x10 [ext4]",
           "proc_alloc_inode+0x1d"], [row["site"] for row in found])
    slow, big, exact = found
    variance = 4096.5 * 4095.5
    check((2 * 4096.5 * 128, 8193, 2, round(128 * math.sqrt(2 * variance)),
           round(math.sqrt(2 * variance))),
          tuple(slow[k] for k in ("live_bytes", "live_objs", "live_samples",
                                  "live_bytes_se", "live_objs_se")))
    check(interval(slow["live_bytes"], slow["live_bytes_se"], 2, EVERY),
          (slow["live_bytes_low"], slow["live_bytes_high"]))
    check(interval(slow["live_objs"], slow["live_objs_se"], 2, EVERY / OBJECT_MIN, mixed=True),
          (slow["live_objs_low"], slow["live_objs_high"]))
    check((512 * 1024.5, round(512 * math.sqrt(1024.5 * 1023.5))),
          (big["live_bytes"], big["live_bytes_se"]))
    check({"live_bytes": 64, "live_bytes_low": 64, "live_bytes_high": 64, "live_samples": 0},
          {k: exact[k] for k in ("live_bytes", "live_bytes_low",
                                 "live_bytes_high", "live_samples")})
    check_in("~1.00M", t.out("leaks --older-than 0s"))


def looks_up_weights(t):
    t.write("allocs", sampled_allocs())
    check(1024.5, t.rows("lookup ffff888001000100")[0]["weight"])
    check_in(" 4096.500 ffff888001000000 slow_leak+0x10", t.out("lookup ffff888001000000"))
    check_not_in("low..high", t.out("allocs"))


def runs_with_estimates(t):
    before = sampled_rows()
    after = {at: dict(row) for at, row in before.items()}
    site = "__d_alloc+0x29"
    after[site].update(hits=before[site]["hits"] + 5000, samples=99, live_samples=46,
                       live_bytes=before[site]["live_bytes"] - 4096,
                       hits_se=before[site]["hits_se"] + 700)
    write_samples(t, before)
    later = t.top / "later"
    later.write_text(sampled_table(after, "100000.000"))
    command = "run", "-j", "--", "cp", later, t.dir / "callers"
    (row,) = json.loads(t.out(*command))["rows"]
    old, new = before[site], after[site]
    check((5000, round(math.sqrt(new["hits_se"]**2 - old["hits_se"]**2))),
          (row["hits"], row["hits_se"]))
    check((0, 0), (row["frees"], row["frees_se"]))
    se = round(math.hypot(old["live_bytes_se"], new["live_bytes_se"]))
    check((-4096, se), (row["live_bytes"], row["live_bytes_se"]))
    check(interval(-4096, se, 45 + 46, EVERY, change=True),
          (row["live_bytes_low"], row["live_bytes_high"]))
    check(interval(5000, row["hits_se"], 9, EVERY / OBJECT_MIN, 9, mixed=True),
          (row["hits_low"], row["hits_high"]))
    check((9, 45 + 46), (row["samples"], row["live_samples"]))
    write_samples(t, before)
    check_in("a call site without samples allocated at most 1.85M\n",
             t.out("run -v -- cp", later, t.dir / "callers"))


def refuses_missing_columns(t):
    text = sampled_table(sampled_rows())
    for part in "live_samples ", "confirmed_bytes_se ":
        t.write("callers", text.replace(part, "", 1))
        check(f"{t.dir}/callers has no column {part.strip()}: use the kmemacct"
              " that belongs to the module", t.error("callers"))
    # Rows have to match the names of the columns
    lines_of = text.split("\n")
    t.write("callers", "\n".join([*lines_of[:3], "1 2 3 4 5 6 x", ""]))
    check(f"{t.dir}/callers: line 4: invalid frees 'x'", t.error("callers"))
