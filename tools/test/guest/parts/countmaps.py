# SPDX-License-Identifier: GPL-2.0
"""Tests of tables by process, cgroup and shrinker, whose rows are recycled as these come and go."""
import contextlib
import ctypes
import os
import re
import signal
import time
from pathlib import Path

from cgroups import TOP, cgroups, enter
from harness import check, check_equal, several, wait_for
from kernel import LIBC, loaded
from memory import drop_caches
from parts.acct import SOURCE, account, counters, rows_of, some_work, sums_of, task_of
from table import Table, control, only, pairs_of
from traced import Traced

CLONE_VM, CLONE_VFORK = 0x100, 0x4000
STACK = ctypes.create_string_buffer(1 << 16)
STACK_END = ctypes.c_void_p((ctypes.addressof(STACK) + len(STACK)) & ~15)


def short_process():
    """Run a process that allocates an epoll file, and ends.  Python does not run in it."""
    pid = LIBC.clone(LIBC.epoll_create, STACK_END, CLONE_VM | CLONE_VFORK | signal.SIGCHLD,
                     ctypes.c_void_p(1))
    check(pid > 0, "no process")
    os.waitpid(pid, 0)


def new_cgroups(nr):
    """Yield numbers.  For each, this process is in a new cgroup, which is removed afterwards."""
    for i in range(nr):
        cgroup = TOP / f"kma{i}"
        cgroup.mkdir()
        enter(cgroup)
        yield i
        enter(TOP)
        cgroup.rmdir()


def many_processes(nr):
    """Run processes, three fifths of them each in a cgroup of its own."""
    for _ in new_cgroups(nr * 3 // 5):
        short_process()
    for _ in range(nr - nr * 3 // 5):
        short_process()


DEVICE = re.compile(r"super_cache_scan tmpfs:(\d+:\d+)")


@contextlib.contextmanager
def mounts(nr):
    """Mount file systems.  Yield the numbers of their devices."""
    mounted, devices = [], set()
    try:
        for i in range(nr):
            path = Path(f"/tmp/kma_mount{i}")
            path.mkdir(exist_ok=True)
            check(not LIBC.mount(b"none", str(path).encode(), b"tmpfs", 0, None), "no tmpfs")
            mounted.append(path)
            device = os.stat(path).st_dev
            devices.add(f"{os.major(device)}:{os.minor(device)}")
        yield devices
    finally:
        for path in mounted:
            LIBC.umount(str(path).encode())
            path.rmdir()


def call_shrinkers():
    """Let the kernel call all shrinkers to count their objects, and the module count the calls."""
    control("latency functions")
    drop_caches("2")
    control("latency on")


def check_mounts(devices):
    """Check that row names differ.  Return them, and those of `devices` that have a row."""
    rows = [row["shrinker"] for row in Table("shrinkers").rows if row["counts"]]
    check_equal("rows of equal name", len(rows), len(set(rows)))
    found = {match[1] for row in rows if (match := DEVICE.fullmatch(row))}
    return rows, found & devices


def check_counts():
    """Check that no call of a shrinker is lost, and none of its time."""
    row = only(Table("latency").rows, "phase", "other:do_shrink_slab")
    check_equal("calls", row["count"], Table("shrinkers").sum("counts"))


def wait_for_rows(devices):
    """Call shrinkers until each mounted file system has a row, as idle rows are recycled."""
    def have_rows():
        time.sleep(1)
        call_shrinkers()
        check_counts()
        return check_mounts(devices)[1] == devices

    wait_for("a row for each file system", have_rows)


def check_agree():
    """Check that tables of the same events have the same sums."""
    control("enabled 0")
    # Wait for probes that have already begun.
    time.sleep(0.1)
    tables = {name: Table(name) for name in ("tasks", "cgroups", "comm_syscalls")}
    for name, more in (("comm_syscalls", ()), ("cgroups", (
            "free_pages", "frees", "batched", "zone_locked", "drained", "fallbacks"))):
        columns = SOURCE + more
        check_equal(name, sums_of(tables["tasks"], columns), sums_of(tables[name], columns))
    control("enabled 1")
    return tables


def recycled(name):
    return int(Table(name).head["recycled"])


@several
def countmaps_recycled(nr=3000):
    """Test that processes, cgroups and file systems come and go, and rows do not run out."""
    with cgroups(), loaded("kmemacct", "latency=on threshold_us=0"), \
            contextlib.ExitStack() as stack:
        account("tasks,cgroups,comm_syscalls")
        with mounts(300) as devices:
            call_shrinkers()
            check_counts()
            rows, found = check_mounts(devices)
            check("super_cache_scan [other]" in rows, f"{len(rows)} rows, and no [other]")
            check(100 < len(found) < 300, f"{len(found)} file systems have a row")
        many_processes(nr)
        # The fewer CPUs there are, the more rows fit into the memory for them.
        while len(Table("tasks").rows) >= nr:
            many_processes(nr)
        for name in ("tasks", "cgroups", "shrinkers"):
            # Opening a table takes the lock, for which the worker that recycles does not wait.
            wait_for(f"recycled rows of {name}",
                     lambda name=name: time.sleep(0.5) or recycled(name))
        tables = check_agree()
        for name, column, past in (("tasks", "comm", "[ended tasks]"),
                                   ("cgroups", "cgroup", "[removed]")):
            row = only(tables[name].rows, column, past)
            check(row["slab_hits"] > nr // 4, f"{row}")
        # New processes and cgroups get rows of their own.
        for number in range(3):
            cgroup = TOP / f"kma_late{number}"
            cgroup.mkdir()
            stack.callback(cgroup.rmdir)
            worker = Traced(some_work)
            stack.callback(worker.end)
            (cgroup / "cgroup.procs").write_text(str(worker.pid))
            before = rows_of(worker)
            worker.run()
            task = task_of(worker)
            group = only(Table("cgroups").rows, "cgroup_id", cgroup.stat().st_ino)
            check_equal("name", f"/{cgroup.name}", group["cgroup"])
            earlier = counters(before[0]) if before else {}
            check_equal("counts", {key: value - earlier.get(key, 0)
                                   for key, value in counters(task).items()}, counters(group))
        with mounts(20) as devices:
            wait_for_rows(devices)
        numbers = pairs_of("stats")
        check_equal("recycled", numbers["countmap_recycled"], sum(
            recycled(name) for name in ("tasks", "cgroups", "comm_syscalls", "shrinkers",
                                        "stalls", "latency")))
    return (f"{numbers['countmap_recycled']} rows recycled, "
            f"{numbers['countmap_other']} events in [other]")


PARTS = (countmaps_recycled,)
