# SPDX-License-Identifier: GPL-2.0
"""Sampling, and what estimates say of the truth."""
import contextlib
import math
import random
import re
import statistics
from collections import Counter, defaultdict
from pathlib import Path

from harness import check, check_equal, several, single
from kernel import has_checkers, loaded
from processes import child, user_load
from sums import identities
from table import Table, control, pairs_of, read_all, settings, sort_all
from truth import Truth, both, rows_by_function, storm, storm_until

PARAMETER = Path("/sys/module/kmemacct/parameters/sample_bytes")
# An estimate, and what the truth says it is
QUANTITIES = {
    "live_objs": lambda row: row["live_objs"],
    "live_bytes": lambda row: row["live_bytes"],
    "hits": lambda row: row["hits"],
    "bytes_alloc": lambda row: row["bytes_alloc"],
    "bulk_objs": lambda row: row["bulk_objs"],
    "bulk_bytes": lambda row: row["bulk_bytes"],
}
RUNS = 20


def pairs_with_samples(name):
    """All lines that are whole numbers, which may be negative."""
    return {row["name"]: int(row["value"]) for row in Table(name).rows
            if "." not in str(row["value"])}


def weight(size, sample_bytes):
    return 1 / -math.expm1(-size / sample_bytes)


# ---- what holds exactly ----------------------------------------------------

def check_weights(allocs, sample_bytes):
    """Of each object, what one of its size stands for."""
    for row in allocs.rows:
        if row["weight"] == "1.000":
            continue
        expected = weight(row["bytes_alloc"], sample_bytes)
        check(abs(float(row["weight"]) - expected) <= 0.0005 + expected * 2**-31,
              f"{row} weighs {expected}")


def check_objects(known, allocs):
    """What is sampled is live, and described right."""
    live = known.live()
    for row in allocs.rows:
        if not known.is_mine(row["site"]):
            continue
        check(row["ptr"] in live, f"not live: {row}")
        truth = live[row["ptr"]]
        # With KASAN there is a red zone in each slot, which the truth does not know of.
        sizes = ["bytes_req"] + ["bytes_alloc"] * (not has_checkers())
        check_equal(f"sampled: {truth}",
                    [*(truth[key] for key in sizes), truth["cpu"], truth["pid"] or "-",
                     truth["site"]],
                    [*(row[key] for key in (*sizes, "cpu", "pid")),
                     known.function(row["site"])])


def quiet(names):
    """Tables of one moment: see quiet_tables()."""
    control("enabled 0")
    try:
        for _ in range(200):
            before = pairs_with_samples("summary")
            tables = [Table(name) for name in names]
            after = pairs_with_samples("summary")
            if all(before[key] == after[key] for key in
                   ("samples", "live_samples", "live_bytes", "frees")):
                return *tables, after
    finally:
        control("enabled 1")
    check(False, "no quiet moment")


def check_tables_agree():
    """All tables tell of the same samples."""
    callers, caches, stacks, allocs, summary = quiet(
        ("callers", "caches", "stacks", "allocs"))
    for key in ("samples", "live_samples"):
        check_equal(f"{key} of callers and caches", callers.sum(key), caches.sum(key))
        check_equal(f"{key} of callers and stacks", callers.sum(key), stacks.sum(key))
        check_equal(f"{key} of callers and summary", callers.sum(key), summary[key])
    for key in ("live_objs", "live_bytes", "frees"):
        for name, table in (("callers", callers), ("caches", caches)):
            # Each line is rounded to the nearest integer, and so is the summary's
            off, numbers = table.sum(key) - summary[key], len(table.rows) + 1
            check(abs(off) <= numbers / 2,
                  f"{key} of {name} is {off} off the summary, of {numbers} rounded numbers")
    sampled = Counter(row["site"] for row in allocs.rows if row["weight"] != "1.000")
    weights = defaultdict(float)
    for row in allocs.rows:
        weights[row["site"]] += float(row["weight"])
    of_stack = Counter()
    for row in stacks.rows:
        of_stack[row["stack"].split(";")[-1]] += row["live_samples"]
    for row in callers.rows:
        site, live = row["site"], row["live_samples"]
        # What is as large as that is always sampled, and weighs one.
        check(sampled[site] <= live, f"{sampled[site]} samples of {site} in allocs: {row}")
        check_equal(f"samples by stack of {site}", live, of_stack[site])
        # Each weight is rounded to a thousandth, and each row of samples to an object.
        some = (0.5 + 0.0005) * live + 1
        check(abs(weights[site] - row["live_objs"]) <= some,
              f"weights of {site} are {weights[site]}: {row}")


def check_stacks(known):
    """The call site comes last, and who called it before that."""
    rows = [row for row in Table("stacks").rows
            if known.is_mine(row["stack"].split(";")[-1])]
    check(len(rows) > 10, f"{len(rows)} stacks")
    whole = [row for row in rows if ";" in row["stack"]]
    check(len(whole) > len(rows) // 2, f"only {len(whole)} of {len(rows)} have frames")
    # All of it begins with a write to a file, but for what interrupts do.
    written = [row for row in whole if "vfs_write+" in row["stack"]]
    check(len(written) > 10, f"only {len(written)} by a write: {whole[:3]}")
    for row in written:
        frames = [frame.split("+")[0] for frame in row["stack"].split(";")]
        check(frames.index("vfs_write") < len(frames) - 1, f"the order of {row['stack']}")
    return len(whole)


def check_sampled_identities():
    """As identities(), if all that was recorded since load are samples."""
    for _ in range(200):
        summary = pairs_with_samples("summary")
        summary["allocs"], summary["bulk_objs"] = summary["samples"], 0
        left, right = identities(summary)["allocation events"]
        if left == right:
            break
    check_equal("allocation events", left, right)


# ---- estimates -------------------------------------------------------------

class Scores:
    """How many standard errors each estimate is off, over all runs."""

    def __init__(self):
        self.z = defaultdict(list)

    def add(self, known, rows):
        sites = known.own_sites()
        for name, of in QUANTITIES.items():
            truth = sum(of(row) for row in sites.values())
            estimate = sum(rows[site][name] for site in sites if site in rows)
            variance = sum(rows[site][f"{name}_se"]**2 for site in sites if site in rows)
            if variance:
                self.z[name].append((estimate - truth) / math.sqrt(variance))

    def check(self):
        """Of a standard normal distribution: its mean, and the sum of squares.

        Drawn by a program 200,000 times, what is allocated here was off by at most
        5.0 / sqrt(n) on average, and its squares were between 3 and 69.
        """
        for name, z in self.z.items():
            n = len(z)
            check(n == RUNS, f"{n} runs have {name}")
            mean, square = statistics.mean(z), sum(x * x for x in z)
            check(abs(mean) < 5.5 / math.sqrt(n), f"{name} is off by {mean} of {z}")
            check(2.5 < square < 75, f"{name}: standard errors are wrong: {z}")
        return ", ".join(f"{name} {statistics.mean(z):+.2f}" for name, z in self.z.items())


def sample_once(scores, whole):
    """Let the truth allocate and free. Returns how many stacks there were, if @whole."""
    stacks = 0
    with loaded("kmemacct_truth"):
        known = Truth()
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
            check_sampled_identities()
        known.run("drop")
        rows = rows_by_function(known, Table("callers"))
        check_equal("live after drop", 0, sum(row["live_samples"] + row["live_objs"]
                                              for row in rows.values()))
    return stacks


@several
def sampling():
    """Twenty times: estimates of a known truth, one object for 4 KiB."""
    scores, stacks = Scores(), 0
    with loaded("kmemacct", "sample_bytes=4K budget_pct=0"):
        check_equal("setting", "4096", settings()["sample_bytes"])
        check_equal("parameter", "4096", PARAMETER.read_text().strip())
        for run in range(RUNS):
            control("reset")
            stacks = max(stacks, sample_once(scores, run % 10 == 0))
    return f"{scores.check()} standard errors on average, {stacks} stacks"


WAYS = ("truth_one_way", "truth_other_way")


@single
def stacks_by_two_ways():
    """One call site in one place on the stack, that two functions lead to by turns."""
    found, outer = Counter(), set()
    with both("sample_bytes=4K budget_pct=0") as known:
        known.run("ways")
        for row in Table("stacks").rows:
            names = [frame.split("+")[0] for frame in row["stack"].split(";")]
            if names[-1] != "truth_way":
                continue
            ways = [i for i, name in enumerate(names) if name in WAYS]
            check(len(ways) == 1, f"{len(ways)} ways in {row['stack']}")
            found[names[ways[0]], names.count("truth_way_on")] += row["samples"]
            check_equal("who calls both", "truth_run_ways", names[ways[0] - 1])
            outer.add(";".join(row["stack"].split(";")[:ways[0] - 1]))
    check_equal("samples by way and depth",
                {(way, depth): 10 for way in WAYS for depth in (1, 2, 3)}, dict(found))
    check_equal("what leads to both", 1, len(outer))
    return f"{sum(found.values())} samples of {len(found)} stacks"


@single
def sampling_settings():
    """By control and by the parameter; what is wrong changes nothing."""
    with both() as known:
        check("samples" not in Table("callers").columns, "columns of samples")
        for text, value in (("512K", 524288), ("4096", 4096), ("64M", 67108864)):
            control(f"sample_bytes {text}")
            check_equal(text, str(value), settings()["sample_bytes"])
            check_equal(text, str(value), Table("callers").head["sample_bytes"])
            check("samples" in Table("callers").columns, "no columns of samples")
        for text in ("2K", "128M", "3000", "x", "-1", "4Kx", ""):
            for write in (lambda: control(f"sample_bytes {text}"),
                          lambda: PARAMETER.write_text(text + "\n")):
                try:
                    write()
                    check(False, f"sample_bytes {text!r} was taken")
                except OSError:
                    pass
                check_equal(f"after {text!r}", "67108864", settings()["sample_bytes"])
        check("power of two" in settings()["last_error"], f"last_error: {settings()}")
        PARAMETER.write_text("0")
        check_equal("off", "0", settings()["sample_bytes"])
        # Columns stay, and what is recorded now is exact.
        known.run("constant")
        rows = rows_by_function(known, Table("callers"))
        for name, truth in known.own_sites().items():
            check_equal(name, [truth["live_objs"], truth["hits"], 0, 0, 0],
                        [rows[name][key] for key in ("live_objs", "hits", "samples",
                                                     "live_objs_se", "hits_se")])
        known.run("drop")


@several
def sampling_on_and_off():
    """Under a storm and all readers, and nothing is left when all is freed."""
    times = 0

    def switch():
        nonlocal times
        control(f"sample_bytes {random.choice(['0', '4K', '64K', '1M'])}")
        times += 1

    with both() as known:
        known.run("constant", "caches")
        with contextlib.ExitStack() as stack:
            for work in (read_all, sort_all, user_load):
                stack.enter_context(child(work))
            stack.enter_context(storm(known))
            storm_until(known, 100000, switch, times=40)
        control("sample_bytes 4K")
        known.run("runtime", "bulk_alloc")
        check_objects(known, Table("allocs"))
        check_tables_agree()
        known.run("drop")
        rows = rows_by_function(known, Table("callers"))
        check_equal("live after drop", 0, sum(row["live_samples"] + row["live_objs"]
                                              for row in rows.values()))
        left = [row for row in Table("allocs").rows if known.is_mine(row["site"])]
        check_equal("objects after drop", [], left)
        check_equal("dropped", 0, pairs_of("stats")["dropped_live_full"])
    return f"{times} switches"


def stacks_by_module():
    """Of each module of the truth: its stacks but for its end, and the samples of each."""
    by_module = {"kmemacct_truth": {}, "kmemacct_truth2": {}}
    for row in Table("stacks").rows:
        modules = set(re.findall(r"\[(kmemacct_truth2?)\]", row["stack"]))
        check("[unknown]" not in row["stack"] and "[unloaded]" not in row["stack"],
              f"a stack without names: {row['stack']}")
        check(len(modules) < 2, f"frames of both modules: {row['stack']}")
        for module in modules if "truth_module_exit" not in row["stack"] else ():
            by_module[module][row["stack"]] = row["samples"]
    return by_module


@single
def unloading_stacks():
    """Frames keep the names of those whose code they were in."""
    addresses, before, stacks = [], None, None
    with loaded("kmemacct", "sample_bytes=4K budget_pct=0"):
        for i in range(6):
            known = Truth("kmemacct_truth" if i % 2 == 0 else "kmemacct_truth2")
            with loaded(known.module):
                addresses.append(
                    Path("/sys/module", known.module, "sections/.text").read_text())
                known.run("large", "drop")
                loaded_now = stacks_by_module()
            stacks = stacks_by_module()
            check_equal(f"stacks of {known.module} when it has gone",
                        loaded_now[known.module], stacks[known.module])
            frames = [stack.split(";") for stack in stacks[known.module]]
            check(sum(len(each) > 4 for each in frames) > 3,
                  f"hardly any stacks: {stacks[known.module]}")
            if before:
                other = next(name for name in stacks if name != known.module)
                check_equal(f"stacks of {other}, gone before", before[other],
                            stacks[other])
            before = stacks
    reused = sum(a == b for a, b in zip(addresses, addresses[1:]))
    return (f"{sum(len(each) for each in stacks.values())} stacks, {reused} of "
            f"{len(addresses) - 1} loads at the address of the last")


PARTS = (
    sampling, stacks_by_two_ways, sampling_settings, sampling_on_and_off, unloading_stacks)
