# SPDX-License-Identifier: GPL-2.0
"""Tests of the reader, tools/kmemacct, on the tables of the module."""
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

from cgroups import TOP as CGROUPS
from cgroups import cgroups
from harness import check, check_equal, single, three_kernels, wait_for
from kernel import DEBUGFS, TOP, loaded
from page_truth import tracked
from processes import child
from table import Table, control, pairs_of, settings
from truth import both

READER = TOP / "build/kmemacct"


def reader(*args, status=0, error=""):
    done = subprocess.run([READER, *args], capture_output=True, text=True, check=False)
    check_equal(f"{args}: status", (status, error), (done.returncode, done.stderr))
    return done.stdout


# Columns that change even if nothing else does
CHANGING = ("age_ms",)


def plain(rows):
    return [{key: value for key, value in row.items() if key not in CHANGING} for row in rows]


def number(value):
    if not isinstance(value, str):
        return value
    if re.fullmatch(r"[0-9]+[.][0-9]{3}", value):
        return float(value)
    return int(value, 0) if value.startswith("0x") else value


@single
def reader_pages():
    """Test that JSON has all rows and values of the tables of pages."""
    with tracked(["pages sites"]) as known:
        known.run("blocks", "split", "exact")
        control("enabled 0")
        for name in "page_callers", "pages", "orders":
            command = [name, "-j"]
            if name != "orders":
                command.append("--raw-gfp")
            for _ in range(100):
                before = plain(Table(name).rows)
                found = json.loads(reader(*command))
                if before == plain(Table(name).rows):
                    break
            check(len(before) > 10, f"{name} has {len(before)} rows")
            before = [{key: None if value == "-" and key != "site" else number(value)
                       for key, value in row.items()} for row in before]
            for row in before:
                if "site" in row:
                    row["module"] = row["site"].partition(" [")[2][:-1] or "kernel"
            check_equal(name, before, plain(found["rows"]))
        text = reader("orders")
        check("# allocations:" in text and "# live allocations:" in text, text)
        check("allocated and freed" in reader("page_summary"), "page_summary is incomplete")
        known.run("drop")
        control("enabled 1", "pages off")
        reader("pages", status=1,
               error="kmemacct: pages are not tracked: kmemacct set pages sites\n")


@single
def reader_flags():
    """Test that the names of gfp flags in JSON stand for the right bits, and are complete."""
    with tracked(["pages sites"]) as known:
        known.run("blocks")
        flags = json.loads(reader("gfp_flags", "-j"))["rows"]
        masks = {row["flag"]: row["mask"] for row in flags}
        codes = [row["code"] for row in flags]
        check_equal("number of different codes", len(codes), len(set(codes)))
        rows = json.loads(reader("page_callers", "-j"))["rows"]
        for row in rows:
            check_equal(f"{row}", row["gfp"], sum(masks[name] for name in row["gfp_flags"]))
        text = reader("page_callers")
        check("# gfp: " in text and "=GFP_KERNEL" in text, f"no legend in {text[:500]}")
        known.run("drop")
    return f"{len(rows)} rows, {len(masks)} names"


def left_behind():
    return [str(path) for path in CGROUPS.glob("**/kmemacct-*")]


def nr_counted():
    return pairs_of("stats")["cgroups_counted"]


def hits(known):
    return {name: row["hits"] for name, row in known.sites().items()}


@single
def reader_cgroup():
    """Test that `run --cgroup` counts its command and the children of that, and nothing else.

    Another `run --cgroup` begins and ends meanwhile, and the tables of others miss nothing.
    """
    script = (f"{READER} run --cgroup -- true >/dev/null; "
              f"sh -c 'printf constant >{DEBUGFS}/kmemacct_truth/run'; exit 7")
    with both("sample_bytes=0") as known, cgroups():
        known.run("runtime")
        others = hits(known)
        with child(lambda: known.run("runtime", "drop")):
            before = hits(known)
            found = json.loads(reader("run", "--cgroup", "-j", "--", "sh", "-c", script, status=7))
            after = hits(known)
        expected = {name: nr - before.get(name, 0) for name, nr in after.items()
                    if nr != before.get(name, 0) and name not in others}
        check(len(expected) > 5, f"only {len(expected)} sites are used by the command alone")
        check(any(after[name] > before[name] for name in others), "no other process allocated")
        counted = {known.function(row["site"]): row["slab_hits"] for row in found["rows"]
                   if known.is_mine(row["site"]) and row["slab_hits"]}
        check_equal("hits", expected, counted)
        check_equal("note", "what the command and its children allocated", found["note"])
        check_equal("filter", "off", settings()["filter_cgroup"])
        check_equal("filtered", 0, pairs_of("stats")["alloc_filtered"])
        check_equal("cgroups", [], left_behind())
        check_equal("counted cgroups", 0, nr_counted())
    return f"{len(expected)} call sites, {sum(expected.values())} hits"


@single
def reader_cgroup_back():
    """Test that `run --cgroup` stops counting its cgroup, however the command ends."""
    with loaded("kmemacct"), cgroups("kma_before"):
        control("cgroup_sites add /kma_before")
        reader("run", "--cgroup", "--", "true")
        reader("run", "--cgroup", "--", "sh", "-c", "kill -9 $$", status=128 + 9)
        for name in "TERM", "HUP", "INT":
            run = subprocess.Popen(
                ["env", f"--default-signal={name}", READER, "run", "--cgroup", "--", "sleep",
                 "60"], stdout=subprocess.PIPE, start_new_session=True)
            while not any(Path(path, "cgroup.procs").read_text() for path in left_behind()):
                check(run.poll() is None, "the reader ended early")
                time.sleep(0.01)
            check_equal("counted cgroups", 2, nr_counted())
            os.killpg(run.pid, signal.Signals[f"SIG{name}"])
            run.communicate()
            check_equal(f"status after {name}", 128 + signal.Signals[f"SIG{name}"], run.returncode)
            check_equal(f"counted after {name}", 1, nr_counted())
            check_equal(f"cgroups after {name}", [], left_behind())
        reader("run", "--cgroup", "--", "/no/such", status=127,
               error="kmemacct: cannot run /no/such: No such file or directory\n")
        check_equal("cgroups", [], left_behind())
        text = reader("run", "--cgroup", "--", "sh", "-c", "sleep 600 >&- 2>&- & exit 0")
        (left,) = left_behind()
        check(f"# rmdir {left}\n" in text, text)
        check_equal("counted cgroups", 1, nr_counted())
        for pid in Path(left, "cgroup.procs").read_text().split():
            os.kill(int(pid), signal.SIGKILL)
        wait_for("an empty cgroup", lambda: not Path(left, "cgroup.procs").read_text())
        os.rmdir(left)
        control("cgroup_sites none")


def is_reclaimable(cache):
    """Whether sysfs says that the kernel can shrink a cache, in whose name `!` stands for a slash."""
    path = Path("/sys/kernel/slab", cache.replace("/", "!"), "reclaim_account")
    return path.exists() and path.read_text() == "1\n"


def reclaimable_sites():
    """The call sites of all caches, and whether all of their caches can be shrunk."""
    sites = {}
    for row in Table("cache_sites").rows:
        cache, _, site = row["cache_site"].rpartition(";")
        sites[site] = sites.get(site, True) and is_reclaimable(cache)
    return {**sites, **({"[other]": None} if "[other]" in sites else {})}


def nr_marks(marks):
    return list(marks.values()).count(True)


@three_kernels
@single
def reader_reclaimable():
    """Test that the caches are marked that the kernel can shrink, and their call sites."""
    with loaded("kmemacct"):
        subprocess.run(["ls", "-R", "/proc/self", "/sys/module"], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        control("enabled 0")
        caches = {row["cache"]: is_reclaimable(row["cache"]) for row in Table("caches").rows}
        check({True, False} <= set(caches.values()), f"caches: {caches}")
        sites = reclaimable_sites()
        reader("snapshot", "/tmp/marks")
        for source in [], ["-i", "/tmp/marks"]:
            for name, label, marks in ("callers", "site", sites), ("caches", "cache", caches):
                rows = json.loads(reader(name, "-j", *source))["rows"]
                check_equal(f"{name} {source}", marks,
                            {row[label]: row["reclaimable"] for row in rows})
                lines = reader(name, *source).splitlines()
                check_equal(f"{name} {source}: r", nr_marks(marks),
                            len([line for line in lines if line.split()[1:2] == ["r"]]))
    return f"{nr_marks(caches)} of {len(caches)} caches, {nr_marks(sites)} of {len(sites)} call sites"


PARTS = (reader_pages, reader_flags, reader_cgroup, reader_cgroup_back, reader_reclaimable)
