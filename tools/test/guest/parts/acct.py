# SPDX-License-Identifier: GPL-2.0
"""What processes, cgroups and commands do."""
import contextlib
import mmap
import os
import random
import re
import time
from collections import Counter, defaultdict
from pathlib import Path

from harness import check, check_equal, several, single
from kernel import CPUS, DEBUGFS, KERNEL, LIBC, loaded
from memory import short_lists, small_pages
from processes import child
from table import Table, control, pairs_of, settings
from traced import (
    PR_SET_NAME, Traced, events, expected_task, slab_events, traced, wait_until_it_sleeps)
from truth import Truth

ACCT_TABLES = ("tasks", "cgroups", "comm_sites", "comm_syscalls")

DERIVED = ("refills", "drains", "tgid", "parent", "comm", "cgroup", "cgroup_id")


def counters(row):
    return {key: value for key, value in row.items() if key not in DERIVED}


def some_work():
    """Memory, files, directories."""
    with mmap.mmap(-1, 6 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as area:
        small_pages(area)
        for at in range(0, len(area), 4096):
            area[at] = 1
    for folder in ("/usr/lib", "/usr/share/doc", "/proc/1", "/sys/kernel"):
        with contextlib.suppress(OSError):
            for name in os.listdir(folder)[:200]:
                os.stat(f"{folder}/{name}", follow_symlinks=False)
    for path in ("/usr/bin/perl", "/usr/lib/os-release", "/usr/bin/bash"):
        with contextlib.suppress(OSError):
            Path(path).read_bytes()


def row_of(name, column, value):
    rows = [row for row in Table(name).rows if row[column] == value]
    check_equal(f"rows of {name} for {value}", 1, len(rows))
    return rows[0]


def labels_of(table, comm, columns):
    """What a command has, by the other half of the label."""
    last = Table(table).columns[-1]
    return {row[last].split(";", 1)[1]: Counter({key: row[key] for key in columns})
            for row in Table(table).rows if str(row[last]).startswith(f"{comm};")}


SOURCE = ("alloc_pages", "allocs", "slab_hits", "slab_bytes")


@several
def tasks_traced():
    """What a process did is what its trace tells, event by event."""
    # A name may be anything but a line
    worker = Traced(some_work, " worker;\n1 ")
    wait_until_it_sleeps(worker.pid)
    with loaded("kmemacct"):
        control("account tasks")
        with traced(worker.pid):
            worker.run()
            wait_until_it_sleeps(worker.pid)
        row = row_of("tasks", "tgid", worker.pid)
        expected = expected_task(events(worker.pid))
        for key, value in counters(row).items():
            check_equal(f"{key} of {row}", expected[key], value)
        check_equal("who", ["?worker;?1?", os.getpid()], [row["comm"], row["parent"]])
        check(row["allocs"] > 500 and row["slab_hits"] > 500 and row["frees"] > 100,
              f"it did little: {row}")
        worker.end()
        after = row_of("tasks", "tgid", worker.pid)
        check(after["frees"] > row["frees"], "it ended without freeing anything")
        control("reset")
        check_equal("after reset", [], [row for row in Table("tasks").rows
                                        if row["tgid"] == worker.pid])
    return f"{row['allocs']} blocks, {row['slab_hits']} objects"


@single
def doings_filtered():
    """With a filter only what matches counts, in all tables."""
    worker, other = Traced(some_work, "chosen"), Traced(some_work, "other")
    for process in (worker, other):
        wait_until_it_sleeps(process.pid)
    with loaded("kmemacct"):
        for command in ("enabled 0", "account " + ",".join(ACCT_TABLES), "pages classes",
                        f"filter tgid {worker.pid}", "enabled 1"):
            control(command)
        with traced(worker.pid):
            for process in (worker, other):
                process.run()
                wait_until_it_sleeps(process.pid)
        expected = expected_task(events(worker.pid))
        summary = pairs_of("summary")
        check(summary["countmap_filtered"] > expected["allocs"] and summary["countmap_off"],
              f"the other one is not counted: {summary}")
        for name in ("tasks", "cgroups"):
            table = Table(name)
            check_equal("rows", 1, len(table.rows))
            check_equal("head", "tgid", table.head["filter"])
            for key, value in counters(table.rows[0]).items():
                check_equal(f"{key} of {name}", expected[key], value)
        for name in ("comm_sites", "comm_syscalls"):
            for key in SOURCE:
                check_equal(f"{key} of {name}", expected[key], Table(name).sum(key))
        tasks, lists = Table("tasks"), Table("pcpu")
        check_equal("lists", [tasks.sum(key) for key in ("refills", "drains", "batched")],
                    [lists.sum(key) for key in ("refills", "drains", "batched")])
        control(f"filter tgid {other.pid}")
        control("reset")
        for process in (worker, other):
            process.end()
        check_equal("of the worker", [], [row for row in Table("tasks").rows
                                          if row["tgid"] == worker.pid])
        check(row_of("tasks", "tgid", other.pid)["frees"], "the other one freed nothing")


def expected_syscalls(found):
    """By system call, what was allocated in it, and what outside of any."""
    rows, current = defaultdict(Counter), None
    slab = {i: fields for i, fields in slab_events(found)}
    for i, (name, fields) in enumerate(found):
        if name.startswith("sys_enter"):
            current = int(re.search(r"NR (\d+)", fields["text"])[1])
        # What is put off until it returns is still of the system call.
        elif name == "page_fault_user":
            current = None
        elif name == "mm_page_alloc":
            rows[current]["allocs"] += 1
            rows[current]["alloc_pages"] += 1 << int(fields["order"])
        elif i in slab:
            rows[current]["slab_hits"] += 1
            rows[current]["slab_bytes"] += int(fields["bytes_alloc"])
    return rows


SYSCALLS = {None: "[fault]", 0: "read", 1: "write", 3: "close", 4: "stat", 5: "fstat",
            6: "lstat", 8: "lseek", 9: "mmap", 11: "munmap", 12: "brk", 16: "ioctl",
            28: "madvise", 78: "getdents", 217: "getdents64", 257: "openat",
            262: "newfstatat", 332: "statx"}


@contextlib.contextmanager
def no_numa_faults():
    """The kernel takes no pages away to see who comes back for them."""
    switch = Path("/proc/sys/kernel/numa_balancing")
    before = switch.exists() and switch.read_text()
    if before:
        switch.write_text("0")
    try:
        yield
    finally:
        if before:
            switch.write_text(before)


@single
def comm_syscalls_traced():
    """System calls by name, as the trace tells them; and what is a page fault."""
    worker = Traced(some_work, "w;\t0rker")
    wait_until_it_sleeps(worker.pid)
    with loaded("kmemacct"):
        control("account comm_syscalls,comm_sites")
        with no_numa_faults(), \
                traced(worker.pid, "raw_syscalls/sys_enter", "exceptions/page_fault_user"):
            worker.run()
            wait_until_it_sleeps(worker.pid)
        found = events(worker.pid)
        rows = labels_of("comm_syscalls", "w??0rker", SOURCE)
        sites = labels_of("comm_sites", "w??0rker", SOURCE)
        # It was in `read` when it began: there is no sys_enter for that.
        expected = expected_syscalls([("sys_enter", {"text": "NR 0"})] + found)
        expected = {SYSCALLS.get(nr, nr): counts for nr, counts in expected.items()}
        check_equal("system calls", {key: dict(value) for key, value in expected.items()},
                    {key: {k: n for k, n in value.items() if n}
                     for key, value in rows.items()})
        check({"[fault]", "openat", "read"} <= rows.keys(), f"only {rows.keys()}")
        objects = defaultdict(Counter)
        for _, fields in slab_events(found):
            site = fields["call_site"].split("/")[0]
            objects[site]["slab_hits"] += 1
            objects[site]["slab_bytes"] += int(fields["bytes_alloc"])
        # There they are addresses.
        if KERNEL != "5.10":
            check_equal("call sites of objects",
                        {site: dict(counts) for site, counts in objects.items()},
                        {site.split(" ")[0]: {"slab_hits": row["slab_hits"],
                                              "slab_bytes": row["slab_bytes"]}
                         for site, row in sites.items() if row["slab_hits"]})
        for key in SOURCE:
            check_equal(f"{key} by call site", sum(row[key] for row in rows.values()),
                        sum(row[key] for row in sites.values()))
        worker.end()
    return f"{len(rows)} system calls, {len(sites)} call sites"


CGROUPS = Path("/tmp/cgroup2")


@contextlib.contextmanager
def cgroups():
    """The default hierarchy, mounted."""
    CGROUPS.mkdir(exist_ok=True)
    check(not LIBC.mount(b"none", str(CGROUPS).encode(), b"cgroup2", 0, None),
          "cgroup2 cannot be mounted")
    try:
        yield CGROUPS
    finally:
        LIBC.umount(str(CGROUPS).encode())


@single
def cgroups_by_path():
    """A cgroup has what its only process did, also when both are gone."""
    long = "long" * 50
    with cgroups() as top, loaded("kmemacct"):
        workers = {path: Traced(some_work) for path in ("one", f"one/{long}")}
        for path, worker in workers.items():
            (top / path).mkdir()
            wait_until_it_sleeps(worker.pid)
            (top / path / "cgroup.procs").write_text(str(worker.pid))
        control("account cgroups,tasks")
        for worker in workers.values():
            worker.run()
            wait_until_it_sleeps(worker.pid)
        ids = {path: os.stat(top / path).st_ino for path in workers}
        for path, worker in workers.items():
            task = row_of("tasks", "tgid", worker.pid)
            group = row_of("cgroups", "cgroup_id", ids[path])
            check_equal(path, counters(task), counters(group))
            for key in ("allocs", "frees", "slab_hits"):
                check(task[key] > 500, f"{key} of {path}: {task[key]}")
            check(f"/{path}".endswith(group["cgroup"][-100:]), f"{path} is {group}")
            check(path == long or len(group["cgroup"]) <= 112, f"{group}")
        check_equal("name", "/one", row_of("cgroups", "cgroup_id", ids["one"])["cgroup"])
        check("/" in [row["cgroup"] for row in Table("cgroups").rows], "no root")
        for path, worker in reversed(workers.items()):
            worker.end()
            (top / path).rmdir()
        check_equal("name", "/one", row_of("cgroups", "cgroup_id", ids["one"])["cgroup"])


def many_names(nr):
    """A process that calls itself something else each time it takes memory."""
    for i in range(nr):
        LIBC.prctl(PR_SET_NAME, f"name{i}".encode())
        os.stat("/proc/self")
        os.close(os.open("/usr/lib/os-release", os.O_RDONLY))


@single
def doings_full():
    """When there are no rows any more, the rest counts in [other], and nothing is lost."""
    worker = Traced(lambda: many_names(4300), "first")
    wait_until_it_sleeps(worker.pid)
    with loaded("kmemacct"):
        control("enabled 0")
        control("account tasks,comm_syscalls")
        control("enabled 1")
        before = pairs_of("stats")["countmap_other"]
        worker.run()
        wait_until_it_sleeps(worker.pid)
        control("enabled 0")
        tasks, calls = Table("tasks"), Table("comm_syscalls")
        check_equal("rows", 4096, len([row for row in calls.rows
                                       if row["comm_syscall"] != "[other]"]) + 1)
        other = [row for row in calls.rows if row["comm_syscall"] == "[other]"]
        check(other and other[0]["slab_hits"], f"in [other] is {other}")
        for key in SOURCE:
            check_equal(key, tasks.sum(key), calls.sum(key))
        counted = pairs_of("stats")["countmap_other"] - before
        check_equal("countmap_other", counted, other[0]["slab_hits"] + other[0]["allocs"])
        check_equal("last name", "name4299", row_of("tasks", "tgid", worker.pid)["comm"])
        control("reset")
        check_equal("after reset", 0, len(Table("comm_syscalls").rows))
        worker.end()


@several
def doings_agree():
    """Tables of the same events have the same sums; bursts too."""
    with loaded("kmemacct"), short_lists(), contextlib.ExitStack() as stack:
        for _ in range(CPUS):
            stack.enter_context(child(some_work))
        control("pages classes")
        control("enabled 0")
        control("account " + ",".join(ACCT_TABLES))
        control("reset")
        control("enabled 1")
        time.sleep(2)
        control("enabled 0")
        # What was under way is done
        time.sleep(0.1)
        tables = {name: Table(name) for name in (*ACCT_TABLES, "pcpu", "extfrag")}
        for name in ("cgroups", "comm_sites", "comm_syscalls"):
            for key in SOURCE:
                check_equal(f"{key} of {name}", tables["tasks"].sum(key),
                            tables[name].sum(key))
        for key, others in (("refills", "refills"), ("drains", "drains"),
                            ("batched", "batched")):
            check_equal(key, tables["tasks"].sum(key), tables["pcpu"].sum(others))
        for key in ("fallbacks", "fragmenting", "severe", "moderate", "changed"):
            check_equal(key, tables["tasks"].sum(key), tables["extfrag"].sum(key))
        for key in ("refills", "drains"):
            check(tables["pcpu"].sum(key), f"no {key}")
        for row in tables["pcpu"].rows:
            check_equal(f"imbalance of {row}", row["refill_pages"] - row["drain_pages"],
                        row["imbalance_pages"])
    return f"{tables['tasks'].sum('allocs')} blocks, {tables['pcpu'].sum('refills')} refills"


def sites_of(known):
    """Hits and bytes by function of a module that is known, as of comm_sites."""
    sites = defaultdict(Counter)
    for row in Table("comm_sites").rows:
        if known.is_mine(row["comm_site"]):
            function = known.function(row["comm_site"].split(";", 1)[1])
            sites[function] += Counter({key: row[key] for key in ("slab_hits", "slab_bytes")})
    return sites


@single
def doings_modules():
    """Call sites of a module that goes keep their names, and another one gets its own."""
    with loaded("kmemacct"):
        control("account comm_sites")
        names = []
        for name in ("kmemacct_truth", "kmemacct_truth2"):
            with loaded(name):
                known = Truth(name)
                known.run("constant", "caches")
                names.append(sites_of(known))
                check_equal("known hits", {
                    function: [row["hits"], row["bytes_alloc"]]
                    for function, row in known.own_sites().items() if row["hits"]},
                    {function: [row["slab_hits"], row["slab_bytes"]]
                     for function, row in names[-1].items()})
            # By name, although they are at the same addresses now
            check_equal("without the module", names, [
                sites_of(Truth(of)) for of in ("kmemacct_truth", "kmemacct_truth2")
            ][:len(names)])
        lines = Counter(row["comm_site"] for row in Table("comm_sites").rows)
        check_equal("lines of one name", [], [line for line, nr in lines.items() if nr > 1])
        check(names[0] == names[1], f"{names} differ")
    return f"{len(names[0])} and {len(names[1])} call sites"


@several
def doings_on_and_off():
    """All settings change under load, and all memory comes back."""
    times = 0
    with loaded("kmemacct"):
        memory = pairs_of("stats")["memory_bytes"]
        with contextlib.ExitStack() as stack:
            for work in (some_work, lambda: [Path(DEBUGFS, "kmemacct", name).read_bytes()
                                             for name in (*ACCT_TABLES, "pcpu", "extfrag")]):
                stack.enter_context(child(work))
            end = time.monotonic() + 5
            while time.monotonic() < end:
                some = random.sample(ACCT_TABLES, random.randrange(5))
                control(random.choice((f"account {','.join(some) or 'off'}", "reset", "account off",
                                       "pages off", "pages sites", "enabled 0",
                                       "enabled 1")))
                times += 1
            control("pages off")
            control("account off")
        check_equal("memory", memory, pairs_of("stats")["memory_bytes"])
        check_equal("setting", "off", settings()["account"])
        for command in ("account", "account all", "account tasks,", "account tasks cgroups", "account ,tasks"):
            with contextlib.suppress(OSError):
                control(command)
                check(False, f"{command!r} was taken")
            check_equal(f"after {command!r}", "off", settings()["account"])
    return f"{times} times"


PARTS = (
    tasks_traced, doings_filtered, comm_syscalls_traced, cgroups_by_path, doings_full,
    doings_agree, doings_modules, doings_on_and_off)
