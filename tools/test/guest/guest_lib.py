# SPDX-License-Identifier: GPL-2.0
"""What the parts of tools/test/guest/run share: modules, tables and the truth.

Everything here runs as root inside a guest of tools/vm/run.
"""
import contextlib
import ctypes
import functools
import itertools
import mmap
import os
import random
import re
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
RELEASE = os.uname().release
# As tools/vm/common.sh calls it
KERNEL = ".".join(RELEASE.split(".")[:2]) + ("-rt" if "-rt-" in RELEASE else "")
BUILD = TOP / "build" / KERNEL
DEBUGFS = Path("/sys/kernel/debug")
TABLES = ("callers", "allocs", "caches", "stacks", "summary", "stats",
          "page_callers", "pages", "orders", "page_summary", "pcpu", "extfrag",
          "tasks", "cgroups", "comm_sites", "comm_syscalls", "skip", "gfp_flags")
CPUS = os.cpu_count()

# Counters that `callers` and the truth both have
COUNTS = ("live_bytes", "live_objs", "hits", "bytes_req", "bytes_alloc",
          "frees", "bytes_freed", "pingpong", "cross_node", "bulk_objs",
          "bulk_bytes")
# Lines of `summary` that are sums over rows, and of what column
SUMS = {"bytes_requested": "bytes_req", "bytes_allocated": "bytes_alloc",
        "bytes_freed": "bytes_freed", "cross_node_allocs": "cross_node",
        "allocs": "hits", "live_bytes": "live_bytes", "live_objs": "live_objs",
        "frees": "frees", "pingpong": "pingpong", "bulk_objs": "bulk_objs",
        "bulk_bytes": "bulk_bytes", "confirmed_bytes": "confirmed_bytes"}
# Functions that are followed for what has no tracepoint
BULK_FOLLOWED = ("free_bulk_followed", "alloc_bulk_followed")


class Failed(Exception):
    """What was expected and what was found."""


def check(condition, why):
    if not condition:
        raise Failed(why)


def check_equal(what, expected, actual):
    if expected != actual:
        raise Failed(f"{what}\n  expected {expected}\n  actual   {actual}")


PROGRESS_S = 20
last_progress = time.monotonic()


def progress(text):
    """A line, where none has been printed for a while."""
    global last_progress
    if time.monotonic() > last_progress + PROGRESS_S:
        last_progress = time.monotonic()
        print(f"... {text}", flush=True)


# ---- modules and the kernel's log ------------------------------------------

LIBC = ctypes.CDLL(None, use_errno=True)
SYS_FINIT_MODULE, SYS_DELETE_MODULE = 313, 176


def syscall(*args):
    if LIBC.syscall(*args) < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def insmod(name, parameters=""):
    with open(BUILD / f"{name}.ko", "rb") as f:
        syscall(SYS_FINIT_MODULE, f.fileno(), parameters.encode(), 0)


def rmmod(name):
    syscall(SYS_DELETE_MODULE, name.encode(), os.O_NONBLOCK)


def is_loaded(name):
    return Path("/sys/module", name, "sections").exists()


@contextlib.contextmanager
def loaded(name, parameters=""):
    insmod(name, parameters)
    try:
        yield
    finally:
        if is_loaded(name):
            rmmod(name)


@contextlib.contextmanager
def kernel_log():
    """A list that gets the lines that the kernel logs meanwhile."""
    lines = []
    fd = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    os.lseek(fd, 0, os.SEEK_END)
    try:
        yield lines
        with contextlib.suppress(BlockingIOError):
            while True:
                record = os.read(fd, 8192).decode()
                lines.append(record.split(";", 1)[1].split("\n")[0])
    finally:
        os.close(fd)


# ---- the module's files ----------------------------------------------------

class Values(dict):
    """What fields say: numbers, where they are some.

    Most have been seen before, and to look them up takes a fraction of the time.
    """
    def __missing__(self, text):
        number = text.removeprefix("-").isdigit()
        self[text] = value = int(text) if number else text
        return value


VALUES = Values()


class Table:
    """A table as it was when it was opened; just after that comes opened()."""

    def __init__(self, name, opened=lambda: None):
        with open(DEBUGFS / "kmemacct" / name) as f:
            self.opened = opened()
            text = f.read()
        head, columns, *lines = text.removesuffix("\n").split("\n")
        prefix = f"# kmemacct {name} 4 "
        check(head.startswith(prefix), f"{name} begins with {head!r}")
        self.head = dict(pair.split("=") for pair in head[len(prefix):].split())
        self.columns = columns.removeprefix("#").split()
        fields = [line.split(None, len(self.columns) - 1) for line in lines]
        short = [row for row in fields if len(row) != len(self.columns)]
        check(not short, f"{name} has lines {short}")
        self.rows = [dict(zip(self.columns, map(VALUES.__getitem__, row)))
                     for row in fields]

    def sum(self, column):
        return sum(row[column] for row in self.rows)


def pairs_of(name):
    return {row["name"]: int(row["value"]) for row in Table(name).rows
            if "." not in str(row["value"])}


def control(command):
    with open(DEBUGFS / "kmemacct/control", "wb", buffering=0) as f:
        f.write(command.encode() if isinstance(command, str) else command)


def settings():
    text = Path(DEBUGFS, "kmemacct/control").read_text()
    return dict(line.split(" ", 1) for line in text.splitlines())


# ---- ftrace ----------------------------------------------------------------

TRACING = Path("/sys/kernel/tracing")
# 5.10 has none.
HAS_HIST = (TRACING / "events/kmem/mm_page_alloc/hist").exists()
# Of each CPU.
TRACE_KB = 16384


def ring_events(folder):
    """Events that a CPU's ring buffer has, and those for which there was no room."""
    stats = dict(line.split(":") for line in (folder / "stats").read_text().splitlines())
    return int(stats["entries"]), sum(int(stats[name]) for name in (
        "overrun", "commit overrun", "dropped events"))


class Tracer:
    """What ftrace has of events of kmem: counts of some of them, and all of others.

    hists are {event: (keys, filter)}, counted by hist triggers, and events are kept in
    a ring buffer.  Both only while it is on.

    A hist trigger can be told to go on or to pause, which takes tens of pages.  Two
    system calls make all of them do so without any: these have triggers of their own.
    """

    switches = {"enable": os.getpgid, "disable": os.getsid}
    pids = itertools.count(1 << 30)     # of no process

    def __init__(self, name, hists=None, events=(), kb=TRACE_KB):
        self.dir = TRACING / "instances" / name
        self.hists = dict(hists or {})
        self.events = events
        self.pid = next(self.pids)
        self.dir.mkdir()
        (self.dir / "tracing_on").write_text("0")
        (self.dir / "buffer_size_kb").write_text(str(kb if events else 4))
        for event in events:
            self.event(event, "enable").write_text("1")
        for event in self.hists:
            self.hist(event, "pause")
            for what, call in self.switches.items():
                self.trigger(f"syscalls/sys_enter_{call.__name__}",
                             f"{what}_hist:kmem:{event} if pid == {self.pid}")

    def event(self, event, file):
        return self.dir / "events/kmem" / event / file

    def trigger(self, event, text):
        # To append: anything else removes what is there.
        with open(self.dir / "events" / event / "trigger", "ab", buffering=0) as f:
            f.write(text.encode())

    def hist(self, event, command):
        keys, condition = self.hists[event]
        self.trigger(f"kmem/{event}", f"hist:keys={keys}:size=4096:{command}{condition}")

    def switch_hists(self, what):
        with contextlib.suppress(ProcessLookupError):
            self.switches[what](self.pid)

    def on(self):
        self.switch_hists("enable")
        if self.events:
            (self.dir / "tracing_on").write_text("1")

    def off(self):
        if self.events:
            (self.dir / "tracing_on").write_text("0")
        self.switch_hists("disable")

    def clear(self):
        for event in self.hists:
            self.hist(event, "clear")
        (self.dir / "trace").write_text("")

    def counts(self, event):
        """Hits by the values of the keys, in their order."""
        text = self.event(event, "hist").read_text()
        check_equal(f"{event}: dropped", ["0"], re.findall(r"Dropped: (\d+)", text))
        return Counter({tuple(int(value) for value in re.findall(r": +(-?\d+)", keys)):
                        int(hits) for keys, hits in
                        re.findall(r"^\{(.*?)\} hitcount: +(\d+)", text, re.M)})

    def kept(self, cpu):
        """(event, fields) of a CPU's events, in their order."""
        folder = self.dir / f"per_cpu/cpu{cpu}"
        check_equal("lost", 0, ring_events(folder)[1])
        for line in (folder / "trace").read_text().splitlines():
            found = re.search(r": (mm_page_\w+): (.*)", line)
            if found and not line.startswith("#"):
                yield found[1], dict(re.findall(r"(\w+)=(\S+)", found[2]))

    def seen(self):
        """How many events were to be kept, with those for which there was no room."""
        return sum(sum(ring_events(path)) for path in self.dir.glob("per_cpu/cpu*"))

    def remove(self):
        self.off()
        self.dir.rmdir()


@contextlib.contextmanager
def tracers(**what):
    """An inner one and an outer one, which is on a little earlier and off a little later."""
    with contextlib.ExitStack() as stack:
        pair = []
        for name in ("kma_inner", "kma_outer"):
            pair.append(Tracer(name, **what))
            stack.callback(pair[-1].remove)
        yield pair


def watched(pair, work):
    """Do some work, between whose bounds kmemacct records."""
    inner, outer = pair
    inner.clear()
    outer.clear()
    outer.on()
    control("enabled 1")
    inner.on()
    work()
    inner.off()
    control("enabled 0")
    outer.off()


# ---- the truth -------------------------------------------------------------

class Truth:
    def __init__(self, module="kmemacct_truth"):
        self.module = module
        self.dir = DEBUGFS / module

    def run(self, *scenarios):
        for scenario in scenarios:
            with open(self.dir / "run", "wb", buffering=0) as f:
                f.write(scenario.encode())

    def lines(self, name):
        columns, *lines = (self.dir / name).read_text().splitlines()
        columns = columns.split()
        return [dict(zip(columns, map(VALUES.__getitem__, line.split())))
                for line in lines]

    def sites(self):
        """By function, those that ever allocated."""
        return {row["site"]: row for row in self.lines("sites")
                if row["hits"] or row["bulk_objs"]}

    def own_sites(self):
        """Those whose function is the call site."""
        sites = self.sites()
        sites.pop("-", None)
        return sites

    def live(self):
        return {row["ptr"]: row for row in self.lines("live")}

    def values(self):
        text = (self.dir / "values").read_text()
        return {name: int(value) for name, value in
                (line.split() for line in text.splitlines())}

    def jiffies(self):
        return self.values()["jiffies"]

    def is_mine(self, label):
        return label.endswith(f" [{self.module}]")

    @staticmethod
    def function(label):
        return label.split("+0x")[0]


@contextlib.contextmanager
def both(parameters=""):
    """kmemacct, and the truth within its sight."""
    with loaded("kmemacct", parameters), loaded("kmemacct_truth"):
        yield Truth()


def rows_by_function(truth, table):
    rows = {}
    for row in table.rows:
        if truth.is_mine(row["site"]):
            name = truth.function(row["site"])
            check(name not in rows, f"two rows for the one call site in {name}")
            check(re.fullmatch(r"\w+\+0x[0-9a-f]+ \[\w+\]", row["site"]),
                  f"a call site is called {row['site']!r}")
            rows[name] = row
    return rows


def frag_pct(row):
    alloc, req = row["bytes_alloc"], row["bytes_req"]
    milli = (100000 * (alloc - req) + alloc // 2) // alloc if alloc else 0
    return f"{milli // 1000}.{milli % 1000:03}"


def follows_bulk():
    """All that is freed is seen, as far as the module can tell."""
    return pairs_of("stats")["free_bulk_followed"]


def known_counts(row):
    """The counters of a row of the truth that have one right value."""
    columns = {key: row[key] for key in COUNTS}
    if row["handed"]:
        # RCU freed some, on whatever CPU.
        del columns["pingpong"]
    columns["confirmed_bytes"] = row["live_bytes"] if follows_bulk() else 0
    return columns


def compare_callers(truth, when):
    expected = truth.own_sites()
    actual = rows_by_function(truth, Table("callers"))
    check_equal(f"{when}: functions in callers", sorted(expected), sorted(actual))
    for name, row in expected.items():
        columns = known_counts(row)
        columns.update(no_entry=0, frag_pct=frag_pct(row))
        check_equal(f"{when}: callers, {name}", columns,
                    {key: actual[name][key] for key in columns})


@functools.cache
def time_unit(hz):
    """Jiffies in a unit of the live table's clock: see module/core/env.h."""
    return next(1 << i for i in range(8) if (1 << i) * 1000 >= 10 * hz)


def compare_alloc(when, row, known, opened, hz):
    """A row of allocs and what is true of the object."""
    unit = time_unit(hz)
    then = known["before"] // unit, known["after"] // unit
    now = opened[0] // unit, opened[1] // unit
    ages = [age * unit * 1000 // hz
            for age in range(now[0] - then[1], now[1] - then[0] + 1)]
    # Only this column has more than one right value: the truth knows the
    # jiffies just before and after the allocation and the opening.
    columns = {key: known[key] for key in
               ("ptr", "bytes_req", "bytes_alloc", "cpu", "node")}
    columns["pid"] = known["pid"] or "-"
    actual = {key: row[key] for key in columns}
    # To say what is wrong takes longer than to see that nothing is.
    if row["age_ms"] not in ages:
        raise Failed(f"{when}: allocs, age_ms of {known}\n  expected one of {ages}\n"
                     f"  actual {row}")
    if actual != columns:
        check_equal(f"{when}: allocs, {known}", columns, actual)


def label_fits(truth, label, known):
    if known["site"] == "-":
        # kvmalloc() of more than a page is the call site itself, and on 5.10
        # what calls kmalloc for others
        return re.match(r"(__kvmalloc_node_noprof|kvmalloc_node(_noprof)?"
                        r"|kmemdup|krealloc)\+0x", label)
    return truth.is_mine(label) and truth.function(label) == known["site"]


def read_allocs(truth):
    """The table, and the jiffies between which it was opened."""
    before = truth.jiffies()
    table = Table("allocs", truth.jiffies)
    check("cut" not in table.head, f"allocs is cut: {table.head}")
    ages = [row["age_ms"] for row in table.rows]
    check(ages == sorted(ages, reverse=True), "allocs is not oldest first")
    twice = [ptr for ptr, n in Counter(r["ptr"] for r in table.rows).items() if n > 1]
    check(not twice, f"allocs has {len(twice)} addresses more than once")
    return table, (before, table.opened)


def compare_allocs(truth, when):
    hz = truth.values()["hz"]
    expected = truth.live()
    table, opened = read_allocs(truth)
    rows = {row["ptr"]: row for row in table.rows}
    mine = {ptr for ptr, row in rows.items() if truth.is_mine(row["site"])}
    extra = [rows[ptr] for ptr in mine - set(expected)]
    check(not extra, f"{when}: {len(extra)} objects are not live, one is {extra[:1]}")
    for ptr, known in expected.items():
        if ptr not in rows:
            raise Failed(f"{when}: allocs lacks {known}")
        compare_alloc(when, rows[ptr], known, opened, hz)
        if not label_fits(truth, rows[ptr]["site"], known):
            raise Failed(f"{when}: {known} is of {rows[ptr]['site']!r}")


def slab_attribute(cache, name):
    # Some tell of each node after that.
    return int(Path("/sys/kernel/slab", cache, name).read_text().split()[0])


@functools.cache
def slab_aliases(cache):
    """All names of a cache, which may have been merged with others."""
    slab = "/sys/kernel/slab"
    if not os.path.islink(f"{slab}/{cache}"):
        return frozenset([cache])
    target = os.readlink(f"{slab}/{cache}")
    return frozenset(name for name in os.listdir(slab)
                     if os.path.islink(f"{slab}/{name}") and
                     os.readlink(f"{slab}/{name}") == target)


def compare_caches(truth, when):
    """Of caches that only the truth uses."""
    expected = {}
    for row in truth.sites().values():
        if row["cache"] == "-":
            continue
        total = expected.setdefault(slab_aliases(row["cache"]), Counter())
        total.update({key: row[key] for key in (*COUNTS, "handed")})
        size = slab_attribute(row["cache"], "slab_size")
        check_equal(f"{when}: slot size of {row['cache']}",
                    [row["hits"] * size, row["bulk_objs"] * size],
                    [row["bytes_alloc"], row["bulk_bytes"]])
    rows = Table("caches").rows
    for names, total in expected.items():
        found = [row for row in rows if row["cache"] in names]
        check(len(found) == 1, f"{when}: {len(found)} caches are called {sorted(names)}")
        columns = known_counts(total)
        check_equal(f"{when}: caches, {found[0]['cache']}", columns,
                    {key: found[0][key] for key in columns})


def compare(truth, when):
    compare_callers(truth, when)
    compare_allocs(truth, when)
    compare_caches(truth, when)


# ---- the machine as a whole ------------------------------------------------

def identities(s):
    """What module/core/stat.h promises of a quiet moment: pairs to be equal."""
    return {
        "allocation events": (
            s["events_kmalloc"] + s["events_kmem_cache_alloc"] +
            s["bulk_allocs"],
            s["allocs"] + s["bulk_objs"] + s["alloc_failed"] +
            s["alloc_zero_size"] + s["alloc_off"] + s["alloc_filtered"] +
            s["alloc_unsampled"] + s["double_fired"] + s["dropped_caches_full"] +
            s["dropped_sites_full"]),
        "free events": (
            s["events_kfree"] + s["events_kmem_cache_free"] + s["bulk_frees"] +
            s["rcu_pending"],
            s["frees"] + s["free_null"] + s["free_zero_size"] +
            s["free_unmatched"]),
    }


TRIES = 200


def check_identities():
    """They hold exactly.

    One snapshot reads counter after counter, and an event in between may be in
    one and not yet in another.  That passes; a miscount is there to stay, in
    every snapshot from then on.  So one exact snapshot is proof enough.
    """
    for _ in range(TRIES):
        pairs = identities(pairs_of("summary"))
        if all(left == right for left, right in pairs.values()):
            return
    raise Failed(f"{TRIES} summaries, and none adds up: {pairs}")


def quiet_tables():
    """callers, caches, allocs and summary of one moment.

    Reading makes events of its own.  With `enabled 0` nothing is added, and
    what remains are frees: two equal summaries before and after the tables
    mean that there were none in between.
    """
    control("enabled 0")
    try:
        for _ in range(TRIES):
            before = pairs_of("summary")
            tables = [Table(name) for name in ("callers", "caches", "allocs")]
            after = pairs_of("summary")
            if all(before[key] == after[key] for key in SUMS):
                return *tables, after
    finally:
        control("enabled 1")
    raise Failed(f"no quiet moment in {TRIES} tries")


def check_sums():
    """All tables tell of the same objects."""
    callers, caches, allocs, summary = quiet_tables()
    for name, column in SUMS.items():
        check_equal(f"sum of {column} over callers", summary[name],
                    callers.sum(column))
        check_equal(f"sum of {column} over caches", summary[name],
                    caches.sum(column))
    check_equal("bytes_net", summary["bytes_net"],
                summary["bytes_allocated"] + summary["bulk_bytes"] -
                summary["bytes_freed"])
    check_equal("sum of no_entry over callers and caches",
                callers.sum("no_entry"), caches.sum("no_entry"))
    check_equal("objects in allocs", summary["live_objs"], len(allocs.rows))
    check_equal("bytes in allocs", summary["live_bytes"], allocs.sum("bytes_alloc"))
    of_site = Counter(row["site"] for row in allocs.rows)
    for row in callers.rows:
        check_equal(f"objects of {row['site']} in allocs", row["live_objs"],
                    of_site[row["site"]])
    check_identities()
    return callers, caches, summary


def check_cache_rows(caches):
    """Slot sizes of all caches of the machine that have not gone."""
    checked = 0
    for row in caches.rows:
        name = row["cache"]
        kmalloc = re.fullmatch(r"kmalloc-(?:large-)?(\d+)(k?)", name)
        if kmalloc:
            size = int(kmalloc[1]) * (1024 if kmalloc[2] else 1)
        elif Path("/sys/kernel/slab", name).exists():
            size = slab_attribute(name, "slab_size")
        else:
            continue
        check_equal(f"bytes_alloc of {name}", row["hits"] * size, row["bytes_alloc"])
        check_equal(f"bulk_bytes of {name}", row["bulk_objs"] * size,
                    row["bulk_bytes"])
        checked += 1
    return checked


# ---- lists of free pages ----------------------------------------------------

# 5.10 has it under the second name
FRACTION = ("percpu_pagelist_high_fraction", "percpu_pagelist_fraction")


@contextlib.contextmanager
def short_lists():
    """Lists of CPUs that soon run full and empty, whatever was done before."""
    path = next(path for path in (Path("/proc/sys/vm", name) for name in FRACTION)
                if path.exists())
    path.write_text("1000")
    try:
        yield
    finally:
        path.write_text("0")


def small_pages(area):
    """Of a mapping; real-time kernels have no others."""
    with contextlib.suppress(OSError):
        area.madvise(mmap.MADV_NOHUGEPAGE)


# ---- children --------------------------------------------------------------

@contextlib.contextmanager
def child(work):
    """A process that does work() again and again; it must be able to."""
    pid = os.fork()
    if not pid:
        try:
            while True:
                work()
                time.sleep(0.01)
        except BaseException as e:  # the parent asks how it ended
            print(f"child: {e!r}", flush=True)
        finally:
            os._exit(1)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
    check(os.WIFSIGNALED(status), "a child gave up")


def in_child(work):
    """What work() returns, True or False, in a process of its own."""
    pid = os.fork()
    if not pid:
        code = 2
        try:
            code = 0 if work() else 1
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    check(code in (0, 1), "a child died")
    return code == 0


def user_load():
    """Allocations and frees of many kinds, for about a hundredth of a second."""
    for pid in [p for p in os.listdir("/proc") if p.isdigit()][:10]:
        with contextlib.suppress(OSError):
            Path("/proc", pid, "status").read_text()
    reader, writer = os.pipe()
    os.write(writer, bytes(4096))
    os.close(reader)
    os.close(writer)
    path = f"/tmp/load-{os.getpid()}"
    Path(path).write_bytes(bytes(20000))
    os.unlink(path)
    in_child(lambda: True)


# ---- the storm --------------------------------------------------------------

def storm_until(known, hits, work=lambda: time.sleep(0.2), times=1):
    """Let the storm make so many hits, and work() be done at least so often."""
    start = sum(row["hits"] for row in known.sites().values())
    while (times > 0 or
           sum(row["hits"] for row in known.sites().values()) < start + hits):
        work()
        times -= 1


@contextlib.contextmanager
def storm(known):
    known.run("storm_start")
    try:
        yield
    finally:
        known.run("storm_stop")


def read_all():
    for name in TABLES:
        Path(DEBUGFS, "kmemacct", name).read_bytes()
    Path("/proc/kmemacct").read_bytes()


def sort_all():
    control(f"sort callers {random.choice(['hits', 'site', 'frees,site'])}")
    control(f"sort caches {random.choice(['hits', 'cache'])}")


def switch_while_possible():
    """The parameter is there before the module starts, and after it has stopped."""
    with contextlib.suppress(OSError):
        Path("/sys/module/kmemacct/parameters/enabled").write_text(random.choice("01"))
    # It changes the kernel's text: not all the time
    time.sleep(0.01)


def insert_and_remove(times):
    """insmod and rmmod under a storm."""
    start = time.monotonic()
    with loaded("kmemacct_truth"):
        known = Truth()
        # What was allocated before is freed after, and must not matter.
        known.run("constant", "caches")
        with child(user_load), storm(known):
            with child(switch_while_possible):
                for i in range(times):
                    progress(f"{i} of {times} cycles")
                    insmod("kmemacct")
                    if i % 10 == 0:
                        read_all()
                    rmmod("kmemacct")
                    check(not Path(DEBUGFS, "kmemacct").exists(), "files are left")
            insmod("kmemacct")
            storm_until(known, 10000)
        # Whatever was recorded from the very start on has been freed now.
        with contextlib.ExitStack() as stack:
            stack.callback(rmmod, "kmemacct")
            check(rows_by_function(known, Table("callers")), "nothing recorded")
            known.run("drop")
            check_all_freed(known)
            check_sums()
    return f"{times} cycles in {time.monotonic() - start:.1f} s"


# ---- what parts share -------------------------------------------------------

PARTS = {}


def part(function):
    """A test, with one CPU and with several; with these alone on kernels of the matrix."""
    function.here = CPUS > 1 or KERNEL in ("6.1", "6.12")
    PARTS[function.__name__] = function
    return function


def single(function):
    """A test for which one CPU is enough."""
    part(function).here = CPUS == 1
    return function


def several(function):
    """A test of what CPUs do to each other, or of more than one would show."""
    part(function).here = CPUS > 1
    return function


def run_part(name):
    start = time.monotonic()
    try:
        note = PARTS[name]()
        failure = None
    except (Failed, OSError, KeyError, ValueError, IndexError, UnicodeError, StopIteration,
            subprocess.SubprocessError) as e:
        note, failure = None, e if isinstance(e, Failed) else repr(e)
    seconds = time.monotonic() - start
    for module in ("kmemacct_truth", "kmemacct_truth2", "kmemacct"):
        if is_loaded(module):
            with contextlib.suppress(OSError):
                rmmod(module)
    if failure:
        print(f"FAIL {name}: {failure}", flush=True)
    else:
        print(f"ok {name} ({seconds:.1f} s)" + (f": {note}" if note else ""),
              flush=True)
    return not failure


def exact_change(scenario, expected, known):
    """How a scenario changes counters of summary.

    The rest of the machine may add to them too, though seldom to these.  It
    does not do so every time; a miscount would be there every time.
    """
    for _ in range(10):
        before = pairs_of("summary")
        known.run(scenario)
        after = pairs_of("summary")
        change = {key: after[key] - before[key] for key in expected}
        if change == expected:
            return
    check_equal(f"change by {scenario}", expected, change)


def check_all_freed(known):
    """All of the truth's objects are gone, and none was lost track of."""
    check_equal("live objects of the truth", {}, known.live())
    for name, row in rows_by_function(known, Table("callers")).items():
        check_equal(f"live objects of {name}", 0, row["live_objs"])
        check_equal(f"{name}: hits + bulk_objs = frees + no_entry",
                    row["hits"] + row["bulk_objs"], row["frees"] + row["no_entry"])


SETTLE_S = 60


def until_settled(known, settled):
    """RCU frees when it likes: wait until it has."""
    known.run("settle")
    deadline = time.monotonic() + SETTLE_S
    while not settled() and time.monotonic() < deadline:
        time.sleep(0.2)


def handed_back(known):
    """All that the truth gave to RCU counts as freed."""
    rows = rows_by_function(known, Table("callers"))
    return all(rows[name]["frees"] == row["frees"]
               for name, row in known.own_sites().items() if row["handed"])
