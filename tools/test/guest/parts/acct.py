# SPDX-License-Identifier: GPL-2.0
"""Tests of the tables by process, cgroup, command and system call."""
import contextlib
import os
import random
import re
import time
from collections import Counter, defaultdict
from pathlib import Path

from cgroups import TOP, cgroups, limited, run_in
from harness import (
    Failed, check, check_equal, check_refused, check_row, each_kernel, several, single)
from kernel import CPUS, KERNEL, LIBC, loaded, written
from memory import short_lists, use_files, use_memory
from processes import children, in_child
from table import FOLDER, Table, control, only, pairs_of, settings
from traced import PR_SET_NAME, Traced, events, expected_task, slab_events, traced
from truth import TWINS, Truth, truth_loaded

ACCT_TABLES = ("tasks", "cgroups", "comm_sites", "comm_syscalls")

DERIVED = ("refills", "drains", "tgid", "parent", "comm", "cgroup", "cgroup_id")


def counters(row):
    return {key: value for key, value in row.items() if key not in DERIVED}


def some_work():
    """Use anonymous memory, directories and files."""
    use_memory(6 << 20)
    for folder in ("/usr/lib", "/usr/share/doc", "/proc/1", "/sys/kernel"):
        with contextlib.suppress(OSError):
            for name in os.listdir(folder)[:200]:
                os.stat(f"{folder}/{name}", follow_symlinks=False)
    use_files()


def account(what, *commands):
    """Switch these tables on, and meanwhile count nothing."""
    control("enabled 0", f"account {what}", *commands, "enabled 1")


def row_of(name, column, value):
    return only(Table(name).rows, column, value)


def rows_of(worker):
    return [row for row in Table("tasks").rows if row["tgid"] == worker.pid]


def task_of(worker):
    return row_of("tasks", "tgid", worker.pid)


def labels_of(table, comm, columns):
    """Return the columns of a command's rows, by call site or system call."""
    last = Table(table).columns[-1]
    return {row[last].split(";", 1)[1]: Counter({key: row[key] for key in columns})
            for row in Table(table).rows if str(row[last]).startswith(f"{comm};")}


SOURCE = ("alloc_pages", "allocs", "slab_hits", "slab_bytes")


def sums_of(table, columns=SOURCE):
    """Return the sums of these columns of a table, or of the table with this name."""
    table = Table(table) if isinstance(table, str) else table
    return {column: table.sum(column) for column in columns}


@each_kernel
@several
def tasks_traced():
    """Test that the counters of a process are those that follow from the trace of its events."""
    # A command name may contain any character.  Tables print some as `?`.
    worker = Traced(some_work, " worker;\n1 ")
    with loaded("kmemacct"):
        control("account tasks")
        with traced(worker.pid):
            worker.run()
        row = task_of(worker)
        expected = expected_task(events(worker.pid))
        check_equal(f"{row}", {key: expected[key] for key in counters(row)}, counters(row))
        check_equal("comm and parent", ["?worker;?1?", os.getpid()], [row["comm"], row["parent"]])
        check(row["allocs"] > 500 and row["slab_hits"] > 500 and row["frees"] > 100,
              f"the process did too little: {row}")
        worker.end()
        after = task_of(worker)
        check(after["frees"] > row["frees"], "the process freed nothing when it ended")
        control("reset")
        check_equal("after reset", [], rows_of(worker))
    return f"{row['allocs']} page allocations, {row['slab_hits']} objects"


@single
def acct_filtered():
    """Test that with a filter, all tables count only events that match."""
    worker, other = Traced(some_work, "chosen"), Traced(some_work, "other")
    with loaded("kmemacct"):
        account(",".join(ACCT_TABLES), "pages classes", f"filter tgid {worker.pid}")
        with traced(worker.pid):
            for process in (worker, other):
                process.run()
        expected = expected_task(events(worker.pid))
        summary = pairs_of("stats")
        check(summary["countmap_filtered"] > expected["allocs"] and summary["countmap_off"],
              f"the events of the other process are not counted as filtered: {summary}")
        for name in ("tasks", "cgroups"):
            table = Table(name)
            check_equal("rows", 1, len(table.rows))
            check_equal("head", "tgid", table.head["filter"])
            row = counters(table.rows[0])
            check_equal(name, {key: expected[key] for key in row}, row)
        for name in ("comm_sites", "comm_syscalls"):
            check_row(name, {key: expected[key] for key in SOURCE}, sums_of(name))
        lists = ("refills", "drains", "batched")
        check_equal("sums of pcpu", sums_of("tasks", lists), sums_of("pcpu", lists))
        control(f"filter tgid {other.pid}", "reset")
        for process in (worker, other):
            process.end()
        check_equal("rows of the worker", [], rows_of(worker))
        check(task_of(other)["frees"], "the other process freed nothing")


def expected_syscalls(found):
    """Return what was allocated, by number of system call; None stands for page faults."""
    rows, current = defaultdict(Counter), None
    slab = {i: fields for i, fields in slab_events(found)}
    for i, (name, fields) in enumerate(found):
        if name.startswith("sys_enter"):
            current = int(re.search(r"NR (\d+)", fields["text"])[1])
        # Work that is deferred to the return from a system call still counts for it.
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


@each_kernel
@single
def comm_syscalls_traced():
    """Test that allocations count for the system call, page fault and call site in the trace."""
    worker = Traced(some_work, "w;\t0rker")
    # In a trace, the call site of an event may be in a helper.
    with loaded("kmemacct", "skip=none"):
        control("account comm_syscalls,comm_sites")
        # NUMA balancing causes page faults to see which CPU uses a page.
        with written({"/proc/sys/kernel/numa_balancing": "0"}), \
                traced(worker.pid, "raw_syscalls/sys_enter", "exceptions/page_fault_user"):
            worker.run()
        found = events(worker.pid)
        rows = labels_of("comm_syscalls", "w??0rker", SOURCE)
        sites = labels_of("comm_sites", "w??0rker", SOURCE)
        # The process was in read() when the trace began, so the trace lacks this sys_enter.
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
        # The trace of 5.10 has addresses instead of symbols.
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


CLONE_NEWNET = 0x40000000


def net_namespaces():
    """Make network namespaces.  When they end, workers of the kernel allocate messages."""
    for _ in range(20):
        check(in_child(lambda: not LIBC.unshare(CLONE_NEWNET)), "no network namespace")


def workers():
    """Return the process IDs of the kernel's workers."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/comm"):
        with contextlib.suppress(OSError):
            if path.read_text().startswith("kworker/"):
                found.add(path.parent.name)
    return found


@several
def acct_kernel_threads():
    """Test that kernel threads whose names differ in numbers share the rows of one name."""
    with loaded("kmemacct"):
        # A new worker has the name of another thread at first.
        for _ in range(10):
            control("enabled 0", "account off", "account tasks,comm_sites,comm_syscalls")
            before = workers()
            control("enabled 1")
            net_namespaces()
            time.sleep(2)
            control("enabled 0")
            # Let probes that have already begun finish
            time.sleep(0.1)
            if workers() == before:
                break
        else:
            raise Failed("workers come and go all the time")
        expected, exact = defaultdict(Counter), set()
        for row in Table("tasks").rows:
            if row["comm"].startswith("kworker/"):
                exact.add(row["comm"])
                name = re.sub(r"[0-9]+", "*", row["comm"])
                expected[name] += Counter({key: row[key] for key in SOURCE})
        expected = {name: counts for name, counts in expected.items() if +counts}
        for table in ("comm_sites", "comm_syscalls"):
            found = defaultdict(Counter)
            for row in Table(table).rows:
                name = row[table[:-1]].split(";")[0]
                if name.startswith("kworker/"):
                    found[name] += Counter({key: row[key] for key in SOURCE})
            check_equal(table, expected, found)
    check(expected["kworker/u*:*"]["slab_hits"] > 20, f"workers did too little: {expected}")
    return f"{len(exact)} workers, {len(expected)} names"


@each_kernel
@single
def cgroups_by_path():
    """Test that a cgroup has the counts of its only process, and keeps its name when removed."""
    # The beginning of a path that is too long is left out, but no character of it is cut.
    long = "ö" * 120
    with cgroups(), loaded("kmemacct"):
        workers = {path: Traced(some_work) for path in ("one", f"one/{long}")}
        for path, worker in workers.items():
            (TOP / path).mkdir()
            (TOP / path / "cgroup.procs").write_text(str(worker.pid))
        control("account cgroups,tasks")
        for worker in workers.values():
            worker.run()
        ids = {path: os.stat(TOP / path).st_ino for path in workers}
        for path, worker in workers.items():
            task = task_of(worker)
            group = row_of("cgroups", "cgroup_id", ids[path])
            check_equal(path, counters(task), counters(group))
            for key in ("allocs", "frees", "slab_hits"):
                check(task[key] > 500, f"{key} of {path}: {task[key]}")
            kept = f"/{path}".encode()[-111:].decode(errors="ignore")
            check_equal(f"path of {path}", kept, group["cgroup"])
        check_equal("name", "/one", row_of("cgroups", "cgroup_id", ids["one"])["cgroup"])
        check("/" in [row["cgroup"] for row in Table("cgroups").rows], "no row for the root")
        for path, worker in reversed(workers.items()):
            worker.end()
            (TOP / path).rmdir()
        check_equal("name", "/one", row_of("cgroups", "cgroup_id", ids["one"])["cgroup"])


def sums_below(worker):
    """Return what the trace says that a process has allocated."""
    expected = expected_task(events(worker.pid))
    return {key: expected[key] for key in SOURCE}


def sums_in(cgroup_id, table):
    """Return the sums of the rows of a cgroup."""
    return {key: sum(row[key] for row in table.rows if row["cgroup_id"] == cgroup_id)
            for key in SOURCE}


@each_kernel
@single
def cgroup_sites_traced():
    """Test that chosen cgroups have the allocations of their processes and of those below them."""
    def work():
        use_memory(1 << 20)
        for name in os.listdir("/usr/lib")[:50]:
            os.stat(f"/usr/lib/{name}", follow_symlinks=False)

    paths = "one", "one/two", "other"
    with cgroups(*paths), loaded("kmemacct"):
        workers = [Traced(work, f"in {path}") for path in paths]
        for path, worker in zip(paths, workers):
            (TOP / path / "cgroup.procs").write_text(str(worker.pid))
        control("account comm_sites", "cgroup_sites add /one", "cgroup_sites add /one/two")
        check_equal("setting", "comm_sites", settings()["account"])
        with traced(" ".join(str(worker.pid) for worker in workers)):
            for worker in workers:
                worker.run()
        one, two, _ = [Counter(sums_below(worker)) for worker in workers]
        table, ids = Table("cgroup_sites"), [os.stat(TOP / path).st_ino for path in paths]
        check_equal("cgroups", set(ids[:2]), {row["cgroup_id"] for row in table.rows})
        check_equal("one", dict(one + two), sums_in(ids[0], table))
        check_equal("two", dict(two), sums_in(ids[1], table))
        check_equal("sites of two", {site: counts for site, counts in
                                     labels_of("comm_sites", "in one/two", SOURCE).items()},
                    {row["site"]: Counter({key: row[key] for key in SOURCE})
                     for row in table.rows if row["cgroup_id"] == ids[1]})
        control("cgroup_sites del /one")
        workers[0].end()
        check_equal("one, deleted", dict(one + two), sums_in(ids[0], Table("cgroup_sites")))
        control("account off")
        check_equal("two, without account", dict(two), sums_in(ids[1], Table("cgroup_sites")))
        control("cgroup_sites none")
        check_equal("rows", [], Table("cgroup_sites").rows)
        for worker in workers[1:]:
            worker.end()
    return f"{len(table.rows)} rows"


@single
def cgroup_sites_commands():
    """Test that a wrong command of cgroup_sites is refused with a message, and changes nothing."""
    names = [f"c{i}" for i in range(9)]

    def refused(command, error):
        before = Table("cgroup_sites").rows, settings(), pairs_of("stats")["cgroups_counted"]
        check_refused(command, lambda: control(command))
        after = Table("cgroup_sites").rows, settings(), pairs_of("stats")["cgroups_counted"]
        check_equal(command, f"cgroup_sites{error}", after[1].pop("last_error"))
        before[1].pop("last_error")
        check_equal(f"after {command}", before[1:], after[1:])

    with cgroups(*names), loaded("kmemacct"):
        for args in "", "add", "add c0", "sub /c0", "none /c0", "del", "/c0":
            refused(f"cgroup_sites {args}", " takes add /PATH, del /PATH or none")
        for what in "add", "del":
            refused(f"cgroup_sites {what} /no/such",
                    ": no cgroup /no/such: see 0:: in /proc/PID/cgroup")
        refused("cgroup_sites del /c0", ": /c0 is not counted")
        control(*[f"cgroup_sites add /{name}" for name in names[:8]])
        refused("cgroup_sites add /c0", ": /c0 is counted already")
        refused("cgroup_sites add /c8",
                ": 8 cgroups are counted: use del /PATH, or none")
        control("cgroup_sites del /c3", "cgroup_sites add /c8")
        check_equal("counted", 8, pairs_of("stats")["cgroups_counted"])
        control("cgroup_sites none", "cgroup_sites none")
        check_equal("counted", 0, pairs_of("stats")["cgroups_counted"])
        control("cgroup_sites add /")


def charged(group):
    """Return the bytes of vmalloc() that are charged to a cgroup; None on 5.10, which hides it."""
    found = re.search(r"^vmalloc (\d+)$", (group / "memory.stat").read_text(), re.M)
    return int(found[1]) if found else None


@single
def reset_is_not_charged():
    """Test that the memory of a reset, which stays, is not charged to the cgroup of the caller.

    The memory of a table that the caller holds open is charged to it.
    """
    with limited("max") as group, loaded("kmemacct", "sites_max=8192"):
        def attempt():
            control("reset")
            after = charged(group)
            with open(FOLDER / "callers", "rb"):
                return after is None or (after == 0 and charged(group) > 8192 * 64)

        run_in(group, attempt)
        hidden = charged(group) is None
    return "memory.stat does not tell" if hidden else ""


def many_names(nr):
    """Allocate under `nr` names: change the command name of this process before each time."""
    for i in range(nr):
        LIBC.prctl(PR_SET_NAME, f"name{i}".encode())
        os.stat("/proc/self")
        os.close(os.open("/usr/lib/os-release", os.O_RDONLY))


@single
def acct_full():
    """Test that when all rows are in use, other events count in [other], and none is lost."""
    worker = Traced(lambda: many_names(4300), "first")
    with loaded("kmemacct"):
        account("tasks,comm_syscalls")
        before = pairs_of("stats")["countmap_other"]
        worker.run()
        control("enabled 0")
        tasks, calls = Table("tasks"), Table("comm_syscalls")
        other = [row for row in calls.rows if row["comm_syscall"] == "[other]"]
        check(other and other[0]["slab_hits"], f"nothing counts in [other]: {other}")
        check_equal("sums", sums_of(tasks), sums_of(calls))
        counted = pairs_of("stats")["countmap_other"] - before
        # On a slow machine, idle rows may have been recycled: then [other] has their counts, too.
        if calls.head["recycled"] == "0":
            check_equal("rows", 4096, len(calls.rows))
            check_equal("countmap_other", counted, other[0]["slab_hits"] + other[0]["allocs"])
        check(0 < counted <= other[0]["slab_hits"] + other[0]["allocs"], f"{counted}: {other}")
        check_equal("last name", "name4299", task_of(worker)["comm"])
        control("reset")
        check_equal("after reset", 0, len(Table("comm_syscalls").rows))
        worker.end()


@several
def acct_agree():
    """Test that the tables of the same events agree on their sums, also on bursts."""
    with loaded("kmemacct"), short_lists(), children(*[some_work] * CPUS):
        control("pages classes")
        account(",".join(ACCT_TABLES), "reset")
        time.sleep(2)
        control("enabled 0")
        # Let probes that have already begun finish
        time.sleep(0.1)
        tables = {name: Table(name) for name in (*ACCT_TABLES, "pcpu", "extfrag")}
        for name, columns in (
                ("cgroups", SOURCE), ("comm_sites", SOURCE), ("comm_syscalls", SOURCE),
                ("pcpu", ("refills", "drains", "batched")),
                ("extfrag", ("fallbacks", "fragmenting", "severe", "moderate", "changed"))):
            check_equal(name, sums_of(tables["tasks"], columns), sums_of(tables[name], columns))
        for key in ("refills", "drains"):
            check(tables["pcpu"].sum(key), f"no {key}")
        for row in tables["pcpu"].rows:
            check_equal(f"imbalance of {row}", row["refill_pages"] - row["drain_pages"],
                        row["imbalance_pages"])
    return (f"{tables['tasks'].sum('allocs')} page allocations, "
            f"{tables['pcpu'].sum('refills')} refills")


def sites_of(known):
    """Return hits and bytes in comm_sites, by function of a truth module."""
    sites = defaultdict(Counter)
    for row in Table("comm_sites").rows:
        if known.is_mine(row["comm_site"]):
            function = known.function(row["comm_site"].split(";", 1)[1])
            sites[function] += Counter({key: row[key] for key in ("slab_hits", "slab_bytes")})
    return sites


@single
def acct_modules():
    """Test that call sites of an unloaded module keep their names, and new ones get theirs."""
    with loaded("kmemacct"):
        control("account comm_sites")
        names = []
        for name in TWINS:
            with truth_loaded(name) as known:
                known.run("constant", "caches")
                names.append(sites_of(known))
                check_equal("hits and bytes", {
                    function: [row["hits"], row["bytes_alloc"]]
                    for function, row in known.sites().items() if row["hits"]},
                    {function: [row["slab_hits"], row["slab_bytes"]]
                     for function, row in names[-1].items()})
            # Each row keeps its name, although both modules had the same addresses
            check_equal("after rmmod", names, [sites_of(Truth(of)) for of in TWINS][:len(names)])
        rows = Counter(row["comm_site"] for row in Table("comm_sites").rows)
        check_equal("names of several rows", [], [name for name, nr in rows.items() if nr > 1])
        check(names[0] == names[1], f"{names} differ")
    return f"{len(names[0])} and {len(names[1])} call sites"


@several
def acct_on_and_off():
    """Test that settings can change under load, and that all memory is freed afterwards."""
    times = 0
    with loaded("kmemacct"):
        # The first table with names, and the first reset, allocate memory that stays.
        Table("callers")
        control("reset")
        memory = pairs_of("stats")["memory_bytes"]
        with children(some_work, lambda: [(FOLDER / name).read_bytes()
                                          for name in (*ACCT_TABLES, "cgroup_sites", "pcpu",
                                                       "extfrag")]):
            end = time.monotonic() + 5
            while time.monotonic() < end:
                some = random.sample(ACCT_TABLES, random.randrange(5))
                counted = pairs_of("stats")["cgroups_counted"]
                control(random.choice((f"account {','.join(some) or 'off'}", "reset", "account off",
                                       f"cgroup_sites {'none' if counted else 'add /'}",
                                       "pages off", "pages sites", "enabled 0",
                                       "enabled 1")))
                times += 1
            control("pages off", "account off", "cgroup_sites none")
        check_equal("memory", memory, pairs_of("stats")["memory_bytes"])
        check_equal("setting", "off", settings()["account"])
        for command in ("account", "account all", "account tasks,", "account tasks cgroups",
                        "account ,tasks"):
            check_refused(f"{command!r}", lambda: control(command))
            check_equal(f"after {command!r}", "off", settings()["account"])
    return f"{times} commands"


PARTS = (
    tasks_traced, acct_filtered, comm_syscalls_traced, acct_kernel_threads, cgroups_by_path,
    cgroup_sites_traced, cgroup_sites_commands, reset_is_not_charged, acct_full, acct_agree,
    acct_modules, acct_on_and_off)
