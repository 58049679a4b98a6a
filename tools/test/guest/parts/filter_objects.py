# SPDX-License-Identifier: GPL-2.0
"""Parts of tools/test/guest/run: filters, patterns of what is skipped, names of gfp flags."""
import contextlib
import errno
import os
import random
import re
import subprocess
import time
from collections import Counter
from pathlib import Path

from guest_lib import (
    COUNTS, DEBUGFS, KERNEL, TRIES, Failed, Table, Truth, both, check, check_all_freed,
    check_equal, check_identities, child, control, exact_change, identities, insmod,
    is_loaded, kernel_log, loaded, pairs_of, read_all, rmmod, rows_by_function, settings,
    several, single, storm, storm_until, user_load)
from parts.pages import RUNS, check_rows, expected_rows, found_rows, function_of

PARAMETERS = Path("/sys/module/kmemacct/parameters")
CRITERIA = ("tgid", "comm", "cgroup", "order", "node", "gfp", "size", "module")
FILTERS = [f"filter_{name}" for name in CRITERIA]


def refused(command, word):
    """It gets EINVAL, says why, and changes nothing."""
    before = settings()
    try:
        control(command)
        check(False, f"{command!r} was taken")
    except OSError as e:
        check_equal(f"error for {command!r}", errno.EINVAL, e.errno)
    after = settings()
    check(word in after.pop("last_error"), f"{command!r}: {settings()['last_error']}")
    before.pop("last_error")
    check_equal(f"settings after {command!r}", before, after)


@contextlib.contextmanager
def filtered(what, parameters=""):
    """kmemacct, which records what matches from the start on."""
    with loaded("kmemacct", f'{parameters} filter="{what}"'):
        one = set(what.split(";"))
        check_equal("parameter", one, set((PARAMETERS / "filter").read_text()[:-1].split(";")))
        check_equal("head", {text.split()[0] for text in one},
                    set(Table("summary").head["filter"].split(",")))
        yield


def refilter(what):
    """From here on kmemacct, which is there, records what matches, and nothing before it."""
    control("enabled 0")
    control("filter off")
    for text in what.split(";"):
        control(f"filter {text}")
    control("reset")
    control("enabled 1")
    check_equal("head", {text.split()[0] for text in what.split(";")},
                set(Table("summary").head["filter"].split(",")))


@contextlib.contextmanager
def called(name):
    """This thread, by another name."""
    comm = Path("/proc/self/comm")
    before = comm.read_text()
    comm.write_text(name)
    try:
        yield
    finally:
        comm.write_text(before)


@contextlib.contextmanager
def cgroups(*names):
    """Folders of the default hierarchy."""
    top = Path("/tmp/cgroup2")
    top.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "cgroup2", "none", top], check=True)
    paths = [top / name for name in names]
    try:
        for path in paths:
            path.mkdir()
        yield paths
    finally:
        for path in reversed(paths):
            path.rmdir()
        subprocess.run(["umount", top], check=True)


def run_in(cgroup, known, *scenarios):
    """Let a child there do it. Returns its number."""
    pid = os.fork()
    if not pid:
        try:
            (cgroup / "cgroup.procs").write_text(str(os.getpid()))
            known.run(*scenarios)
            os._exit(0)
        except OSError as e:
            print(f"child: {e!r}", flush=True)
        finally:
            os._exit(1)
    check_equal("child", 0, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    return pid


# ---- objects -------------------------------------------------------------------

# What a site makes of one kind, it keeps some of.
DEEDS = ("constant", "runtime", "large", "nodes", "caches", "copies", "cpus", "contexts",
         "bulk_alloc")


def check_objects(known, matches, alike=True):
    """What is live and matches is in the tables, and nothing else.

    A site that makes objects which are alike, as far as @matches goes, has all of
    them in its row or none.
    """
    # Not those that others allocated for it, which are in a call site of theirs.
    live = {ptr: row for ptr, row in known.live().items() if row["site"] != "-"}
    expected = {ptr for ptr, row in live.items() if matches(row)}
    rows = {row["ptr"]: row for row in Table("allocs").rows}
    check_equal("others in allocs", [], [row for ptr, row in rows.items()
                                         if ptr not in expected and ptr in live])
    check_equal("not in allocs", [], [live[ptr] for ptr in expected - set(rows)])
    callers = rows_by_function(known, Table("callers"))
    whole = 0
    for name, truth in known.own_sites().items():
        mine = [row for row in live.values() if row["site"] == name]
        if alike and mine and all(map(matches, mine)):
            whole += 1
            check_equal(f"{name}", {key: truth[key] for key in COUNTS},
                        {key: callers[name][key] for key in COUNTS})
        elif alike and mine and not any(map(matches, mine)):
            check(name not in callers, f"{name} was recorded")
    check_identities()
    return len(expected), len(live), whole


def try_objects(what, matches, run=lambda known: known.run(*DEEDS), least=1):
    """With one criterion more than whose objects these are."""
    refilter(f"module kmemacct_truth{what}")
    with loaded("kmemacct_truth"):
        known = Truth()
        before = pairs_of("summary")["alloc_filtered"]
        more = run(known)
        expected, live, _ = check_objects(
            known, (lambda row: matches(row, more)) if more else matches)
        check(least <= expected < live + (not what), f"{what}: {expected} of {live}")
        check(pairs_of("summary")["alloc_filtered"] - before >= live - expected,
              "others do not count as filtered")
        check(all(known.is_mine(row["site"]) for row in Table("callers").rows),
              "call sites of others")
        known.run("drop")
        check_all_freed(known)
        check_identities()
    return f"{expected}/{live}"


@single
def filter_objects():
    """Each criterion: those that match, all of those, and nobody else."""
    me = os.getpid()
    with filtered("module kmemacct_truth"):
        notes = [
            try_objects("", lambda row: True),
            try_objects(f";tgid {me}", lambda row: row["pid"] == me),
            try_objects(";size 64-1K", lambda row: 64 <= row["bytes_alloc"] <= 1024),
            try_objects(";size 96", lambda row: row["bytes_alloc"] == 96),
            try_objects(f";tgid {me};size 0-512",
                        lambda row: row["pid"] == me and row["bytes_alloc"] <= 512),
            # An order is something that only blocks have.
            try_objects(f";tgid {me};order 3", lambda row: row["pid"] == me),
        ]
        with called("kma sel x"):
            for name in ("kma sel x", "kma*", "[jk]ma ?el x"):
                notes.append(try_objects(f";comm {name}", lambda row: row["pid"] == me))
        notes.append(try_objects(";comm kworker/*",
                                 lambda row: row["pid"] not in (0, me)))
    return ", ".join(notes)


@single
def filter_objects_gfp():
    """Those that ask for the flag, in bulk too."""
    zeroed = {"truth_const_kzalloc_100", "truth_kzalloc", "truth_kcalloc",
              "truth_large_zeroed"}
    with filtered("module kmemacct_truth"):
        notes = [try_objects(";gfp GFP_ATOMIC|__GFP_ZERO",
                             lambda row: row["site"] in zeroed),
                 # All of the truth's others; what is bulk as well.
                 try_objects(";gfp GFP_ATOMIC|__GFP_NOWARN;size 64-300",
                             lambda row: 64 <= row["bytes_alloc"] <= 300)]
    with filtered("module kmemacct_truth;gfp __GFP_ACCOUNT"), loaded("kmemacct_truth"):
        known = Truth()
        known.run(*DEEDS)
        check_equal("rows", [], Table("callers").rows)
        check_identities()
        known.run("drop")
    return ", ".join(notes)


@single
def filter_cgroups():
    """A cgroup and those below it."""
    def run(known):
        pids = [run_in(path, known, "constant", "runtime", "caches") for path in paths]
        known.run("constant", "runtime", "bulk_alloc")
        return {pid for pid, path in zip(pids, paths) if path.is_relative_to(inside)}

    with cgroups("a", "a/b", "a/b/c", "ab", "d") as paths:
        notes = []
        with filtered("module kmemacct_truth"):
            for name in ("a", "a/b", "d"):
                inside = paths[0].parent / name
                notes.append(try_objects(f";cgroup /{name}",
                                         lambda row, pids: row["pid"] in pids, run))
            refused("filter cgroup /e", "/e")
            refused("filter cgroup a", "cgroup")
            refused("filter cgroup /a/cgroup.procs", "cgroup.procs")
            # It may go away while it is set.
            extra = paths[0] / "gone"
            extra.mkdir()
            control("filter cgroup /a/gone")
            extra.rmdir()
            control("filter comm nobody")
            check_equal("setting", "/a/gone", settings()["filter_cgroup"])
            control("filter cgroup /a")
    return ", ".join(notes)


@several
def filter_nodes():
    """Where the memory is, not where it was asked for."""
    nodes = {int(path.name[4:]) for path in
             Path("/sys/devices/system/node").glob("node[0-9]*")}
    notes = []
    for node in nodes:
        with filtered(f"module kmemacct_truth;node {node}"), loaded("kmemacct_truth"):
            known = Truth()
            known.run(*DEEDS)
            found, live, _ = check_objects(known, lambda row: row["node"] == node, False)
            check(found, f"nothing on node {node}")
            check((found == live) == (len(nodes) == 1), f"{found} of {live}")
            notes.append(f"{found}/{live}")
            known.run("drop")
            check_all_freed(known)
    with loaded("kmemacct"):
        refused(f"filter node {max(nodes) + 64}", "node")
    return ", ".join(notes)


@single
def filter_nothing_else():
    """Failures and first events of two are what they are, whatever is set."""
    twice = KERNEL not in ("5.10", "6.1")
    with both() as known:
        control("filter comm nobody")
        n = known.values()["nothings"]
        exact_change("failed", {"alloc_failed": n, "double_fired": n if twice else 0},
                     known)
        exact_change("large", {"double_fired": 125 if twice else 0, "allocs": 0}, known)
        control("reset")
        known.run(*DEEDS)
        summary = pairs_of("summary")
        check_equal("allocs", [0, 0], [summary["allocs"], summary["bulk_objs"]])
        check(summary["alloc_filtered"] > 1000, "too few are filtered")
        check_identities()
        control("enabled 0")
        exact_change("constant", {"alloc_filtered": 0}, known)
        known.run("drop")


@single
def filter_sampled():
    """What matches is sampled, and nothing else takes part in it."""
    with filtered("module kmemacct_truth", "sample_bytes=4096"), \
            loaded("kmemacct_truth"):
        known = Truth()
        known.run("sampled", "drop", "sampled", *DEEDS)
        truth = Counter()
        for name, row in known.own_sites().items():
            truth.update({key: row[key] for key in ("hits", "bulk_objs")})
        for _ in range(TRIES):
            summary = pairs_of("summary")
            # In samples, not in what these stand for
            left, right = identities({**summary, "allocs": summary["samples"],
                                      "bulk_objs": 0})["allocation events"]
            if left == right:
                break
        check_equal("allocation events", left, right)
        table = Table("callers")
        check(all(known.is_mine(row["site"]) for row in table.rows), "others")
        # Each of the truth's events is sampled or is not: exactly that many.
        check_equal("events that matched", truth["hits"] + truth["bulk_objs"],
                    summary["alloc_unsampled"] + summary["samples"])
        off = abs(summary["allocs"] - truth["hits"]) / summary["allocs_se"]
        check(off < 6, f"{summary['allocs']} instead of {truth['hits']}")
        known.run("drop")
    return f"{summary['samples']} samples, {off:.1f} standard errors"


# ---- blocks --------------------------------------------------------------------


def masks():
    return {row["flag"]: int(row["mask"], 16) for row in Table("gfp_flags").rows}


def check_page_sums():
    """Events and what became of them: as check_identities()."""
    control("enabled 0")
    try:
        for _ in range(TRIES):
            orders, v = Table("orders"), pairs_of("page_summary")
            left = v["alloc_requests"] + v["page_bulk"]
            right = (orders.sum("hits") + orders.sum("bulk_allocs") + v["page_failed"] +
                     v["page_off"] + v["page_filtered"] + v["page_dropped_classes"] +
                     v["page_dropped_sites"])
            if left == right:
                return v["page_filtered"]
    finally:
        control("enabled 1")
    raise Failed(f"{TRIES} summaries, and none adds up: {left}, {right}")


def try_blocks(what, matches, run=lambda known: known.run(*RUNS)):
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
        check_equal("rows of others", len(found), len(table.rows))
        check(expected and (not what or len(expected) < len(rows)), f"{what}: {len(expected)}")
        check(check_page_sums(), "nothing was filtered")
        known.run("drop")
        check_equal("live", 0, Table("orders").sum("live_kb"))
    return f"{len(expected)}/{len(rows)}"


@single
def filter_blocks():
    """Each criterion, each row of the truth."""
    with filtered("module kmemacct_pages", "pages=sites"):
        flag = masks()
        kernel, comp, movable = (flag[name] for name in (
            "GFP_KERNEL", "__GFP_COMP", "__GFP_MOVABLE"))
        return ", ".join([
            try_blocks("", lambda *key: True),
            try_blocks(";order 3", lambda function, order, *_: order == 3),
            try_blocks(";order 2-9", lambda function, order, *_: 2 <= order <= 9),
            try_blocks(";size 8K-1M", lambda function, order, *_: 1 <= order <= 8),
            try_blocks(";gfp __GFP_COMP", lambda *key: key[3] & comp),
            try_blocks(";gfp GFP_KERNEL|__GFP_MOVABLE",
                       lambda *key: key[3] & kernel == kernel and key[3] & movable),
            try_blocks(f";gfp {kernel:#x}", lambda *key: key[3] & kernel == kernel),
            try_blocks(";order 0;gfp __GFP_RECLAIMABLE",
                       lambda *key: key[1] == 0 and key[2] == "Reclaimable"),
        ])


@single
def filter_blocks_of():
    """Who allocates: the process, its name, its cgroup, its module."""
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
    """Off, and on in another way: what was counted before has gone, from all tables."""
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
        # All that the truth has is freed now, and nobody saw it allocated
        pages = pairs_of("page_summary")["pages_free_only"]
        known.run("drop")
        check(pairs_of("page_summary")["pages_free_only"] > pages, "nothing was freed")
        control("reset")
        check_equal("since", "reset", Table("orders").head["since"])
        check_page_sums()


@single
def filter_blocks_ways():
    """Without call sites and with some: by order and type all of it, exactly."""
    for way in ("pages=classes", "pages=sites", "pages=sites page_sample_bytes=16384"):
        with filtered("module kmemacct_pages", way), loaded("kmemacct_pages"):
            known = Truth("kmemacct_pages")
            known.run(*RUNS)
            truth = {}
            for (_, order, kind, _), row in expected_rows(known).items():
                truth.setdefault((order, kind), Counter()).update(row)
            found = {(row["order"], row["migratetype"]): row
                     for row in Table("orders").rows}
            for key, row in found.items():
                check_equal(f"{way} {key}", {name: truth.get(key, Counter())[name]
                                             for name in ("hits", "kb", "frees", "live_kb",
                                                          "live_allocs", "bulk_allocs")},
                            {name: row[name] for name in ("hits", "kb", "frees", "live_kb",
                                                          "live_allocs", "bulk_allocs")})
            check_page_sums()
            known.run("drop")


# ---- settings ------------------------------------------------------------------

@single
def filter_settings():
    """What is set is shown, in three places; what is wrong changes nothing."""
    with loaded("kmemacct"):
        check_equal("default", ["off"] * 8, [settings()[name] for name in FILTERS])
        parameter = PARAMETERS / "filter"
        check_equal("parameter", "off\n", parameter.read_text())
        check_equal("head", "none", Table("callers").head["filter"])
        values = {"tgid": "1", "comm": "a  b*", "cgroup": "/", "order": "0-10",
                  "node": "0", "gfp": "0xcc0", "size": "1-4M", "module": "kernel"}
        for name, value in values.items():
            control(f"filter  {name}   {value}\n")
            check_equal(f"{name}", value, settings()[f"filter_{name}"])
        text = ";".join(f"{name} {value}" for name, value in values.items())
        check_equal("parameter", text + "\n", parameter.read_text())
        check_equal("head", ",".join(values), Table("orders").head["filter"])
        for command, word in (
                ("filter", "tgid"), ("filter x 1", "x"), ("filter off 1", "off"),
                ("filter tgid", "tgid"), ("filter tgid 0", "0"), ("filter tgid -1", "-1"),
                ("filter tgid 4194305", "4194305"), ("filter tgid 1x", "1x"),
                ("filter comm", "comm"), ("filter comm 1234567890123456", "15"),
                ("filter comm a;b", "a;b"), ("filter comm a\nb", "a?b"),
                (b"filter comm \xff", "?"), ("filter cgroup ", "cgroup"),
                ("filter cgroup /nothing", "/nothing"), ("filter order 99", "99"),
                ("filter order 3-2", "3-2"), ("filter order 1-", "1-"),
                ("filter order 1K", "1K"), ("filter order -1", "-1"),
                ("filter node 4096", "4096"), ("filter node x", "x"),
                ("filter gfp 0x0", "0x0"), ("filter gfp 12", "12"),
                ("filter gfp GFP_", "GFP_"), ("filter gfp GFP_KERNEL|", "gfp_flags"),
                ("filter gfp |GFP_KERNEL", "gfp_flags"), ("filter gfp 0x1ffffffff", "0x1"),
                ("filter size 2-1", "2-1"), ("filter size 1G", "1G"),
                ("filter size 9999999999999", "size"), ("filter size 1 2", "1 2"),
                ("filter module a-b", "a-b"), ("filter module", "module"),
                ("filter module " + "m" * 60, "mm")):
            refused(command, word)
            check_equal(f"parameter after {command!r}", text + "\n",
                        parameter.read_text())
        with kernel_log() as lines:
            try:
                parameter.write_text("tgid 5;order 99")
                check(False, "it was taken")
            except OSError as e:
                check_equal("error", errno.EINVAL, e.errno)
        check(any("kmemacct: filter order" in line for line in lines), f"{lines}")
        check_equal("parameter", text + "\n", parameter.read_text())
        for name in CRITERIA[:-1]:
            control(f"filter {name} off")
            check_equal(name, "off", settings()[f"filter_{name}"])
        check_equal("parameter", "module kernel\n", parameter.read_text())
        # The parameter is all of it.
        parameter.write_text(" comm x y ; tgid 7;\n")
        check_equal("parameter", "tgid 7;comm x y\n", parameter.read_text())
        control("filter off")
        check_equal("parameter", "off\n", parameter.read_text())
        for none in ("tgid 7", "\n", "tgid 7", "off"):
            parameter.write_text(none)
        check_equal("off", ["off"] * 8, [settings()[name] for name in FILTERS])
    with kernel_log() as lines:
        try:
            insmod("kmemacct", 'filter="tgid 0"')
            check(False, "it was loaded")
        except OSError as e:
            check_equal("error of insmod", errno.EINVAL, e.errno)
    check(any("filter tgid takes" in line for line in lines), f"{lines}")
    check(not is_loaded("kmemacct"), "it is there")


@single
def filter_heads():
    """A table says so as long as its numbers are of what matched."""
    def heads():
        return [(Table(name).head["filter"], Table(name).head.get("live_filter"))
                for name in ("callers", "page_callers", "summary", "stats", "gfp_flags")]

    with loaded("kmemacct"):
        check_equal("without", [("none", None)] * 5, heads())
        control("filter tgid 1")
        control("filter order 0")
        control("filter tgid off")
        check_equal("with", [("tgid,order", None)] * 5, heads())
        control("reset")
        check_equal("after reset", [("order", "tgid,order")] * 5, heads())
        control("filter off")
        check_equal("taken away", [("order", "tgid,order")] * 5, heads())
        control("reset")
        check_equal("after reset", [("none", "tgid,order")] * 5, heads())


@several
def filter_on_and_off():
    """All settings change while all CPUs allocate, and nothing is lost or doubled."""
    times = 0
    commands = [f"filter {name}" for name in (
        "off", "off", f"tgid {os.getpid()}", "comm python*", "cgroup /", "order 0-2",
        "node 0", "gfp __GFP_ZERO", "gfp GFP_ATOMIC", "size 0-256", "size 1K-8K",
        "module kernel", "module kmemacct_truth", "comm off", "module off", "size off")]
    commands += ["skip add truth_*", "skip del truth_*", "skip add xyz", "skip del xyz",
                 "enabled 0", "enabled 1", "pages off", "pages classes",
                 "pages sites"]
    with both() as known, loaded("kmemacct_pages"):
        pages = Truth("kmemacct_pages")
        with child(read_all), child(user_load), storm(known):
            end = time.monotonic() + 6
            while time.monotonic() < end:
                for command in random.sample(commands, 3):
                    # Some patterns are there already, or are not.
                    with contextlib.suppress(OSError):
                        control(command)
                known.run("constant", "bulk_alloc", "drop")
                pages.run("blocks", "drop")
                times += 1
            storm_until(known, 10000)
        for command in ("enabled 1", "filter off", "pages off", "pages sites"):
            control(command)
        known.run("drop")
        check_all_freed(known)
        check_identities()
        base = known.own_sites()
        before = rows_by_function(known, Table("callers"))
        known.run("constant", "caches")
        after = rows_by_function(known, Table("callers"))
        for name, row in known.own_sites().items():
            new = row["hits"] - base.get(name, Counter())["hits"]
            if new:
                old = before[name]["hits"] if name in before else 0
                check_equal(f"hits of {name}", new, after[name]["hits"] - old)
        known.run("drop")
    return f"{times} times"


# ---- skip ----------------------------------------------------------------------

def skipped():
    return [row["pattern"] for row in Table("skip").rows]


@single
def skip_settings():
    """The list is shown, bounded, and changed by one or as a whole."""
    with loaded("kmemacct"):
        parameter = PARAMETERS / "skip"
        built_in = skipped()
        check("alloc_page*" in built_in and "vmalloc*" in built_in, f"{built_in}")
        check_equal("parameter", "\n", parameter.read_text())
        control("skip add one*")
        control("skip del vmalloc*")
        control("skip add a?[bc]")
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
        control("skip add " + "x" * 63)
        for i in range(29):
            control(f"skip add many{i}")
        refused("skip add more", "delete")
        control("reset")
        check_equal("how many", len(without) + 32, len(skipped()))
        # One that is built in has its place.
        control("skip add vmalloc*")
        long = parameter.read_text()
        parameter.write_text(text)
        check_equal("list", without + ["one*", "a?[bc]"], skipped())
        try:
            parameter.write_text("add fine;add fine")
            check(False, "it was taken")
        except OSError as e:
            check_equal("error", errno.EINVAL, e.errno)
        check_equal("list", without + ["one*", "a?[bc]"], skipped())
        parameter.write_text(long)
        check_equal("parameter", long, parameter.read_text())
        parameter.write_text("\n")
        check_equal("list", built_in, skipped())
    with loaded("kmemacct", 'skip="add mine*;del alloc_page*"'):
        check_equal("list", [name for name in built_in if name != "alloc_page*"] + ["mine*"],
                    skipped())


def sites_of(known):
    """Hits by call site, in the truth's module."""
    sites = Counter()
    for row in Table("page_callers").rows:
        if known.is_mine(row["site"]):
            sites[function_of(known, row["site"])] += row["hits"]
    return sites


@single
def skip_callsites():
    """Who is skipped is no call site, from the next block on, and back again."""
    with loaded("kmemacct", "pages=sites"), loaded("kmemacct_pages"):
        known = Truth("kmemacct_pages")
        known.run("blocks", "drop")
        first = sites_of(known)
        check(first["truth_alloc_pages"] and first["truth_get_free_pages"], f"{first}")
        control("skip add truth_alloc_pages")
        known.run("blocks", "drop")
        second = sites_of(known)
        second.subtract(first)
        n = first["truth_alloc_pages"]
        check_equal("who is skipped", 0, second["truth_alloc_pages"])
        check_equal("others", first["truth_get_free_pages"], second["truth_get_free_pages"])
        others = +second - first
        check_equal("who called it", [n], list(others.values()))
        control("skip del truth_alloc_pages")
        known.run("blocks", "drop")
        third = sites_of(known)
        check_equal("and back", 2 * n, third["truth_alloc_pages"])
        # What is built in can go as well.
        known.run("vmalloc")
        area = {row["pfn"] for row in known.lines("pages")
                if row["function"] == "truth_vmalloc"}

        def area_sites():
            return {known.function(row["site"]) for row in Table("pages").rows
                    if area & set(range(row["pfn"], row["pfn"] + row["pages"]))}

        check_equal("call site of vmalloc", {"truth_vmalloc"}, area_sites())
        known.run("drop")
        for pattern in ("vmalloc*", "__vmalloc*", "*_noprof", "vzalloc*"):
            control(f"skip del {pattern}")
        known.run("vmalloc")
        area = {row["pfn"] for row in known.lines("pages")
                if row["function"] == "truth_vmalloc"}
        inside = area_sites()
        check(inside and all("vmalloc" in site or site.endswith("_noprof")
                             for site in inside) and "truth_vmalloc" not in inside,
              f"{inside}")
        known.run("drop")
    return f"{list(others)[0]}, {sorted(inside)}"


# ---- gfp_flags -----------------------------------------------------------------

def decode(mask, rows):
    """As the table is meant."""
    names = []
    for row in rows:
        bits = int(row["mask"], 16)
        if mask & bits == bits:
            names.append(row["flag"])
            mask &= ~bits
    check_equal("bits without a name", 0, mask)
    return "|".join(names)


@single
def gfp_flags():
    """The kernel's trace events have the same names in the same order."""
    formats = [Path(top, "events/kmem/mm_page_alloc/format")
               for top in ("/sys/kernel/tracing", DEBUGFS / "tracing")]
    text = next(path for path in formats if path.exists()).read_text()
    text = text[text.index("gfp_flags=%s"):]
    with loaded("kmemacct", "pages=sites"), loaded("kmemacct_pages"):
        rows = Table("gfp_flags").rows
        check_equal("names", re.findall(r'"(\w*GFP\w*)"', text),
                    [row["flag"] for row in rows])
        known = Truth("kmemacct_pages")
        known.run("blocks")
        names = {decode(int(row["gfp"], 16), rows) for row in known.lines("sites")
                 if row["order"] == 1}
        # Since 6.6 GFP_NOWAIT says __GFP_NOWARN, too.
        nowait = "GFP_NOWAIT|" + ("__GFP_NOWARN|" if KERNEL in ("5.10", "6.1") else "")
        check_equal("known ones", {
            "GFP_KERNEL|__GFP_NOWARN", "GFP_KERNEL|__GFP_NOWARN|__GFP_MOVABLE",
            "GFP_KERNEL|__GFP_NOWARN|__GFP_RECLAIMABLE", nowait + "__GFP_COMP"},
            {order_names(name) for name in names})
        known.run("drop")
    with loaded("kmemacct"):
        check_equal("without pages", rows, Table("gfp_flags").rows)
    return f"{len(rows)} names"


def order_names(name):
    """Kernels differ in the order of single flags."""
    first, *rest = name.split("|")
    order = ["__GFP_NOWARN", "__GFP_COMP", "__GFP_MOVABLE", "__GFP_RECLAIMABLE"]
    return "|".join([first, *sorted(rest, key=order.index)])
