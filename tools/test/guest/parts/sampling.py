# SPDX-License-Identifier: GPL-2.0
"""Tests of sampled objects, and of estimates against the truth."""
import math
import random
import re
import statistics
from collections import Counter, defaultdict

from harness import check, check_equal, check_refused, check_row, each_kernel, several, single
from kernel import has_checkers, loaded
from processes import children, user_load
from sums import check_identities
from table import PARAMETERS, Table, check_stats, control, quiet, read_all, settings
from truth import (
    TWINS, both, drop_estimated, rows_by_function, storm, storm_until, text_address, truth_loaded)

PARAMETER = PARAMETERS / "sample_bytes"
# Columns that are estimates, and how to get the true value from a row of the truth
QUANTITIES = {
    "live_objs": lambda row: row["live_objs"],
    "live_bytes": lambda row: row["live_bytes"],
    "hits": lambda row: row["hits"],
    "bytes_alloc": lambda row: row["bytes_alloc"],
    "bulk_objs": lambda row: row["bulk_objs"],
    "bulk_bytes": lambda row: row["bulk_bytes"],
}
RUNS = 20


def weight(size, sample_bytes):
    return 1 / -math.expm1(-size / sample_bytes)


# ---- exact checks ----------------------------------------------------------

def check_weights(allocs, sample_bytes):
    """Check that the weight of each object is that of a sample of its size."""
    for row in allocs.rows:
        if row["weight"] == "1.000":
            continue
        expected = weight(row["bytes_alloc"], sample_bytes)
        check(abs(float(row["weight"]) - expected) <= 0.0005 + expected * 2**-31,
              f"the weight is not {expected}: {row}")


def check_objects(known, allocs):
    """Check that sampled objects are live, and that their columns are right."""
    live = known.live()
    for row in known.allocs(allocs):
        check(row["ptr"] in live, f"a sampled object is not live: {row}")
        truth = live[row["ptr"]]
        # With KASAN, each slot has a red zone that the truth does not know of.
        sizes = ["bytes_req"] + ["bytes_alloc"] * (not has_checkers())
        check_equal(f"sampled: {truth}",
                    [*(truth[key] for key in sizes), truth["cpu"], truth["pid"] or "-",
                     truth["site"]],
                    [*(row[key] for key in (*sizes, "cpu", "pid")),
                     known.function(row["site"])])


def check_tables_agree():
    """Check that all tables agree on samples."""
    (callers, caches, stacks, allocs), summary = quiet(
        lambda: [Table(name) for name in ("callers", "caches", "stacks", "allocs")],
        "summary", ("samples", "live_samples", "live_bytes", "frees"))
    for key in ("samples", "live_samples"):
        check_equal(f"{key} of callers and caches", callers.sum(key), caches.sum(key))
        check_equal(f"{key} of callers and stacks", callers.sum(key), stacks.sum(key))
        check_equal(f"{key} of callers and summary", callers.sum(key), summary[key])
    for key in ("live_objs", "live_bytes", "frees"):
        for name, table in (("callers", callers), ("caches", caches)):
            # Each estimate is rounded to the nearest integer, and so is that of summary.
            off, estimates = table.sum(key) - summary[key], sum(
                bool(row["samples"] or row["live_samples"] or row[f"{key}_se"])
                for row in table.rows)
            check(abs(off) <= (estimates + bool(estimates)) / 2,
                  f"{key} of {name} differs from summary by {off}, with {estimates} estimates")
    sampled = Counter(row["site"] for row in allocs.rows if row["weight"] != "1.000")
    weights = defaultdict(float)
    for row in allocs.rows:
        weights[row["site"]] += float(row["weight"])
    of_stack = Counter()
    for row in stacks.rows:
        of_stack[row["stack"].split(";")[-1]] += row["live_samples"]
    for row in callers.rows:
        site, live = row["site"], row["live_samples"]
        # A very large object is always sampled, with weight 1, and is not in `sampled`.
        check(sampled[site] <= live, f"{sampled[site]} samples of {site} in allocs: {row}")
        check_equal(f"samples by stack of {site}", live, of_stack[site])
        # Each weight is rounded to 0.001, and each row of samples to a whole object.
        rounding = (0.5 + 0.0005) * live + 1
        check(abs(weights[site] - row["live_objs"]) <= rounding,
              f"the weights in allocs add up to {weights[site]}: {row}")


def check_stacks(known):
    """Check that stacks end with the call site.  Return the number of those with callers."""
    rows = [row for row in Table("stacks").rows if known.is_mine(row["stack"].split(";")[-1])]
    check(len(rows) > 10, f"only {len(rows)} stacks")
    whole = [row for row in rows if ";" in row["stack"]]
    check(len(whole) > len(rows) // 2, f"only {len(whole)} of {len(rows)} stacks have callers")
    # The truth runs in a write to its file, except for what it does in interrupts.
    written = [row for row in whole if "vfs_write+" in row["stack"]]
    check(len(written) > 10, f"only {len(written)} stacks have a write: {whole[:3]}")
    for row in written:
        frames = [frame.split("+")[0] for frame in row["stack"].split(";")]
        check(frames.index("vfs_write") < len(frames) - 1, f"wrong order of frames: {row['stack']}")
    return len(whole)


# ---- estimates -------------------------------------------------------------

class Scores:
    """The error of each estimate in each run, in standard errors."""

    def __init__(self):
        self.z = defaultdict(list)

    def add(self, known, rows):
        sites = known.sites()
        for name, of in QUANTITIES.items():
            truth = sum(of(row) for row in sites.values())
            estimate = sum(rows[site][name] for site in sites if site in rows)
            variance = sum(rows[site][f"{name}_se"]**2 for site in sites if site in rows)
            if variance:
                self.z[name].append((estimate - truth) / math.sqrt(variance))

    def check(self):
        """Check that the errors have a standard normal distribution.

        In 200,000 simulated runs with the allocations of this test, the mean of the errors
        was off by at most 5.0 / sqrt(n), and the sum of their squares was between 3 and 69.
        """
        for name, z in self.z.items():
            n = len(z)
            check(n == RUNS, f"{name} has an error in {n} runs")
            mean, square = statistics.mean(z), sum(x * x for x in z)
            check(abs(mean) < 5.5 / math.sqrt(n), f"the mean error of {name} is {mean}: {z}")
            check(2.5 < square < 75, f"the standard errors of {name} are wrong: {z}")
        return ", ".join(f"{name} {statistics.mean(z):+.2f}" for name, z in self.z.items())


def sample_once(scores, whole):
    """Let the truth allocate and free, and add the errors of the estimates to scores.

    With whole, check the tables in detail, too, and return the number of stacks.
    """
    stacks = 0
    with truth_loaded() as known:
        known.run("constant", "runtime", "large", "caches", "bulk_alloc", "sampled")
        callers = Table("callers")
        check_equal("head", "4096", callers.head["sample_bytes"])
        scores.add(known, rows_by_function(known, callers))
        if whole:
            allocs = Table("allocs")
            check_weights(allocs, 4096)
            check_objects(known, allocs)
            check_tables_agree()
            stacks = check_stacks(known)
            check_identities("allocation events")
        drop_estimated(known)
    return stacks


@several
def sampling():
    """Test estimates in 20 runs, with one sample for 4 KiB on average."""
    scores, stacks = Scores(), 0
    with loaded("kmemacct", "sample_bytes=4K budget_pct=0"):
        check_equal("setting", "4096", settings()["sample_bytes"])
        check_equal("parameter", "4096", PARAMETER.read_text().strip())
        for run in range(RUNS):
            control("reset")
            stacks = max(stacks, sample_once(scores, run % 10 == 0))
    return f"mean errors in standard errors: {scores.check()}; {stacks} stacks"


WAYS = ("truth_one_way", "truth_other_way")


@each_kernel
@single
def stacks_by_two_ways():
    """Test stacks of one call site that is reached through two functions in turn."""
    found, outer = Counter(), set()
    with both("sample_bytes=4K budget_pct=0") as known:
        known.run("ways")
        for row in Table("stacks").rows:
            names = [frame.split("+")[0] for frame in row["stack"].split(";")]
            if names[-1] != "truth_way":
                continue
            ways = [i for i, name in enumerate(names) if name in WAYS]
            check(len(ways) == 1, f"{len(ways)} of both functions in {row['stack']}")
            found[names[ways[0]], names.count("truth_way_on")] += row["samples"]
            check_equal("caller of both functions", "truth_run_ways", names[ways[0] - 1])
            outer.add(";".join(row["stack"].split(";")[:ways[0] - 1]))
    check_equal("samples by function and depth",
                {(way, depth): 10 for way in WAYS for depth in (1, 2, 3)}, dict(found))
    check_equal("number of different outer stacks", 1, len(outer))
    return f"{sum(found.values())} samples of {len(found)} stacks"


@single
def sampling_settings():
    """Test sample_bytes as command and parameter, and that invalid values change nothing."""
    with both() as known:
        columns = Table("callers").columns
        check_equal("sampled", "0", Table("callers").head["sampled"])
        for text, value in (("512K", 524288), ("4096", 4096), ("64M", 67108864)):
            control(f"sample_bytes {text}")
            check_equal(text, str(value), settings()["sample_bytes"])
            callers = Table("callers")
            check_row(text, {"sample_bytes": str(value), "sampled": "1"}, callers.head)
            check_equal("columns", columns, callers.columns)
        for text in ("2K", "128M", "3000", "x", "-1", "4Kx", ""):
            for write in (lambda: control(f"sample_bytes {text}"),
                          lambda: PARAMETER.write_text(text + "\n")):
                check_refused(f"sample_bytes {text!r}", write)
                check_equal(f"after {text!r}", "67108864", settings()["sample_bytes"])
        check("power of two" in settings()["last_error"], f"last_error: {settings()}")
        PARAMETER.write_text("0")
        check_equal("setting", "0", settings()["sample_bytes"])
        # Counts from now on are exact.
        known.run("constant")
        rows = rows_by_function(known)
        for name, truth in known.sites().items():
            check_row(name, {"live_objs": truth["live_objs"], "hits": truth["hits"],
                             "samples": 0, "live_objs_se": 0, "hits_se": 0}, rows[name])
        known.run("drop")


@several
def sampling_on_and_off():
    """Test switching sampling under load; nothing stays live when all objects are freed."""
    times = 0

    def switch():
        nonlocal times
        control(f"sample_bytes {random.choice(['0', '4K', '64K', '1M'])}")
        times += 1

    with both() as known:
        known.run("constant", "caches")
        with children(read_all, user_load), storm(known):
            storm_until(known, 100000, switch, times=40)
        control("sample_bytes 4K")
        known.run("runtime", "bulk_alloc")
        check_objects(known, Table("allocs"))
        check_tables_agree()
        drop_estimated(known)
        check_equal("objects after drop", [], known.allocs())
        check_stats(dropped_live_full=0)
    return f"{times} switches"


def stacks_by_module():
    """Return samples by stack of each truth module, without stacks of its module exit."""
    by_module = {name: {} for name in TWINS}
    for row in Table("stacks").rows:
        modules = set(re.findall(r"\[(kmemacct_truth2?)\]", row["stack"]))
        check("[unknown]" not in row["stack"] and "[unloaded]" not in row["stack"],
              f"a frame without a name: {row['stack']}")
        check(len(modules) < 2, f"frames of both modules: {row['stack']}")
        for module in modules if "truth_module_exit" not in row["stack"] else ():
            by_module[module][row["stack"]] = row["samples"]
    return by_module


@single
def unloading_stacks():
    """Test that frames of unloaded modules keep their names."""
    addresses, before, stacks = [], None, None
    with loaded("kmemacct", "sample_bytes=4K budget_pct=0"):
        for i in range(6):
            with truth_loaded(TWINS[i % 2]) as known:
                addresses.append(text_address(known.module))
                known.run("large", "drop")
                loaded_now = stacks_by_module()
            stacks = stacks_by_module()
            check_equal(f"stacks of {known.module} after rmmod",
                        loaded_now[known.module], stacks[known.module])
            frames = [stack.split(";") for stack in stacks[known.module]]
            check(sum(len(each) > 4 for each in frames) > 3,
                  f"too few deep stacks: {stacks[known.module]}")
            if before:
                other = next(name for name in stacks if name != known.module)
                check_equal(f"stacks of {other}, unloaded earlier", before[other], stacks[other])
            before = stacks
    reused = sum(a == b for a, b in zip(addresses, addresses[1:]))
    return (f"{sum(len(each) for each in stacks.values())} stacks, {reused} of "
            f"{len(addresses) - 1} loads at the same address as the one before")


PARTS = (sampling, stacks_by_two_ways, sampling_settings, sampling_on_and_off, unloading_stacks)
