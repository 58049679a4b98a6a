# SPDX-License-Identifier: GPL-2.0
"""Tests of latency, shrinkers, stalls and slow against a shrinker that counts its own calls.

The module kmemacct_shrinker (kunit/truth/) registers the shrinker, and allocates in tasks of a
memory cgroup with little memory.  While they allocate, nothing else reclaims memory there.
"""
import contextlib
import errno
import os
import re
import signal
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

from cgroups import TOP, limited, start_in
from harness import (
    DEADLINE_S, check, check_equal, check_refused, check_row, check_zero, each_kernel, exists_on,
    several, wait_for)
from kernel import CPUS, loaded, rmmod
from memory import drop_caches, read_libraries
from parts.latency import LOST, refuses_rmmod
from parts.reader import READER
from processes import ended, is_running, kill, start
from reclaim_trace import check_latency, check_shrinkers, watched
from table import Table, check_stats, control, only, pairs_of, settings
from truth import Truth, truth_loaded

NAME = "kmemacct_shrinker"
CPU = "waiting for a CPU"
SITE = "truth_alloc_page"
SCAN = f"truth_shrinker_scan [{NAME}]"
TASKS = 2


@contextlib.contextmanager
def joined(known, cgroup, nr=TASKS):
    """Yield the PIDs of tasks of a cgroup that wait in the module for `go`."""
    def work():
        # Page cache that can be reclaimed
        read_libraries(16 << 20)
        known.run("join")

    def have_joined():
        check(all(is_running(pid) for pid in pids), "a task has ended before it joined")
        return known.values()["joined"] == nr

    pids = []
    try:
        for _ in range(nr):
            pids.append(start_in(cgroup, work))
        wait_for("tasks that join", have_joined)
        yield pids
        known.run("leave")
        for pid in pids:
            ended(pid)
        pids = []
    finally:
        for pid in pids:
            kill(pid)


def allocate(known, nr=TASKS):
    """Let the tasks allocate, and count nothing else.  Return what the module has counted."""
    before = known.values()
    control("reset")
    known.run("go")
    wait_for("allocations", lambda: known.values()["done"] == nr)
    control("enabled 0")
    after = known.values()
    grown = {name: value if "max" in name else value - before[name]
             for name, value in after.items()}
    check_zero(("failed", "others"), grown)
    check_zero(LOST, pairs_of("stats"))
    return grown


def check_time(what, inner_ns, us, outer_ns):
    """Check a time, which the table has rounded down to us."""
    check(inner_ns // 1000 <= us <= outer_ns // 1000,
          f"{what}: {us} us, which is not between {inner_ns} and {outer_ns} ns")


def check_shrinker(true):
    """Check the row of the shrinker.  Return it."""
    (row,) = [row for row in Table("shrinkers").rows
              if re.fullmatch(re.escape(SCAN) + r" #\d+", row["shrinker"])]
    check_row("the shrinker", {key: true[key] for key in ("calls", "scanned", "freed")}, row)
    check_time("total_us", true["inner_ns"], row["total_us"], true["outer_ns"])
    check_time("max_us", true["inner_max_ns"], row["max_us"], true["outer_max_ns"])
    check_equal("waited_us", row["total_us"], row["waited_us"])
    return row


def outermost():
    """Return the row of the outermost phase.

    On 5.10, the task is marked as waiting inside of reclaim, and from 6.1 on before it.
    """
    rows = [row for row in Table("latency").rows
            if row["phase"] in ("memcg:memcg_reclaim", "memcg:memstall")]
    return max(rows, key=lambda row: row["total_us"])


def check_phases(true):
    """Check the rows of the phases.  Return that of the outermost one."""
    rows = Table("latency").rows
    # The kernel has other shrinkers, too.
    inner, shrinkers = only(rows, "phase", "memcg:shrinker"), Table("shrinkers")
    check_equal("count of memcg:shrinker", shrinkers.sum("calls"), inner["count"])
    check(0 <= inner["total_us"] - shrinkers.sum("total_us") <= len(shrinkers.rows),
          f"{inner}, but {shrinkers.rows}")
    check_equal("max_us of memcg:shrinker", max(row["max_us"] for row in shrinkers.rows),
                inner["max_us"])
    phases = [only(rows, "phase", f"memcg:{phase}") for phase in ("memcg_reclaim", "memstall")]
    check_equal("counts", phases[0]["count"], phases[1]["count"])
    for row in phases:
        check(row["count"] >= true["waits"], f"{row}, but {true['waits']} allocations waited")
        check_time(row["phase"], true["inner_ns"] + true["count_ns"], row["total_us"],
                   true["wait_ns"])
        check_time(f"max_us of {row['phase']}", true["inner_max_ns"], row["max_us"],
                   true["wait_max_ns"])
    return outermost()


def check_stalls(shrinker, outer):
    """Check what the allocations waited for."""
    cause = f"shrinker: {shrinker['shrinker']}"
    sites, causes = Counter(), {}
    for row in Table("stalls").rows:
        site, _, what = row["site_cause"].partition(";")
        sites[Truth.function(site)] += row["total_us"]
        check(what not in causes, f"two rows for {what}")
        check_equal("order", 0, row["order"])
        causes[what] = row
    check_equal("call sites", [SITE], list(sites))
    check_equal(f"count of {cause}", shrinker["calls"], causes[cause]["count"])
    # A task that has slept in the shrinker may have to wait for a CPU, which is another cause.
    for column in ("total_us", "max_us"):
        waited = causes[CPU][column] + 1 if CPU in causes else 0
        check(0 <= shrinker[column] - causes[cause][column] <= waited,
              f"{column}: {shrinker}, but {causes}")
    check_equal("count of memcg limit", outer["count"], causes["memcg limit"]["count"])
    rest = outer["total_us"] - sites[SITE]
    # Each number is rounded down to us.
    check(0 <= rest <= len(causes), f"{rest} us of {outer['total_us']} us are in no row")
    return causes


def parse_slow(record):
    comm, phase, site, parts, stack = record["slow"].split(";")
    parts = [(what, int(us), int(nr)) for what, us, nr in
             re.findall(r"(?:^|,)([^=]*)=(\d+) x(\d+)", parts)]
    return comm, phase, site, parts, stack


def check_slow(pids, cgroup, shrinker, outer):
    """Check the records, which are those of all phases.  Return their time in us by PID."""
    records = Table("slow").rows
    check(records[0]["nr"] >= len(records) > 0, f"{len(records)} records")
    check_equal("records", outer["count"], len(records))
    check_equal("numbers", list(range(records[0]["nr"], records[0]["nr"] - len(records), -1)),
                [record["nr"] for record in records])
    check_equal("longest", outer["max_us"], max(record["us"] for record in records))
    calls = us = cpu_us = rounded = 0
    times = Counter()
    for record in records:
        comm, phase, site, parts, stack = parse_slow(record)
        check_equal("phase", outer["phase"], phase)
        check_equal("call site", SITE, Truth.function(site))
        check(site in stack, f"{site} is not in {stack}")
        check_equal("task", ("python3", True, record["pid"]),
                    (comm, record["pid"] in pids, record["tgid"]))
        check_equal("cgroup", cgroup.stat().st_ino, record["cgroup_id"])
        rest = record["us"] - sum(part_us for _, part_us, _ in parts)
        check(0 <= rest <= len(parts), f"{rest} us of {record} are in no part")
        for what, part_us, nr in parts:
            if what == f"shrinker: {shrinker['shrinker']}":
                us, calls, rounded = us + part_us, calls + nr, rounded + 1
            elif what == CPU:
                cpu_us, rounded = cpu_us + part_us, rounded + 1
        times[record["pid"]] += record["us"]
    check_equal("calls in records", shrinker["calls"], calls)
    check(0 <= shrinker["total_us"] - us <= cpu_us + rounded,
          f"{us} us of {shrinker} are in records")
    check_equal("tasks", sorted(pids), sorted(times))
    return times, len(records)


def check_accounted(times, nr, cgroup):
    """Check what the tasks and their cgroup are charged with."""
    tasks = {row["tgid"]: row["stall_us"] for row in Table("tasks").rows if row["stall_us"]}
    check_equal("tasks that waited", sorted(times), sorted(tasks))
    for pid, us in times.items():
        check(0 <= tasks[pid] - us <= nr, f"{tasks[pid]} us of {pid}, {us} us in records")
    row = only(Table("cgroups").rows, "cgroup_id", cgroup.stat().st_ino)
    check(0 <= row["stall_us"] - sum(times.values()) <= nr, f"{row}, {times}")


@each_kernel
@several
def latency_truth():
    """Test the tables against a shrinker that counts its calls, and times them and its callers."""
    with loaded("kmemacct", "threshold_us=1 account=tasks,cgroups"), \
            truth_loaded(NAME) as known, limited() as cgroup:
        with joined(known, cgroup) as pids:
            true = allocate(known)
            shrinker = check_shrinker(true)
            outer = check_phases(true)
            causes = check_stalls(shrinker, outer)
            times, nr = check_slow(pids, cgroup, shrinker, outer)
            check_accounted(times, nr, cgroup)
    check(true["calls"] > 20 and true["scans"] > true["calls"], f"{true}")
    return (f"{true['calls']} calls, {true['scans']} scans, {true['waits']} allocations; "
            f"{true['inner_ns'] // 1000} <= {shrinker['total_us']} <= "
            f"{true['outer_ns'] // 1000} us; {nr} records, {len(causes)} causes")


@each_kernel
@several
def latency_truth_functions():
    """Test that all calls that count objects are counted and timed, if functions are followed."""
    with loaded("kmemacct", "latency=functions threshold_us=0"), truth_loaded(NAME) as known, \
            limited() as cgroup:
        check_stats(followed_do_shrink_slab=1)
        with joined(known, cgroup):
            true = allocate(known)
            row = check_shrinker(true)
            check_equal("counts", true["counts"], row["counts"])
            check_time("count_us", true["count_ns"], row["count_us"],
                          true["wait_ns"] - true["inner_ns"])
    check(true["counts"] > true["calls"], f"{true}")
    return (f"{true['counts']} counts; {true['count_ns'] // 1000} <= {row['count_us']} <= "
            f"{(true['wait_ns'] - true['inner_ns']) // 1000} us")


# ---- thresholds of phases ----------------------------------------------------------------------

# The boundary of two buckets of `latency`, so that these count the records
LONG_US = 1024


def check_thresholds():
    """Check which texts are taken, and that others change nothing."""
    taken = f"10000000,shrinker={LONG_US},compaction=0"
    for text, why in (
            ("10000,shrinkers=500", "no phase 'shrinkers': use one of alloc_slow_path "),
            ("10000,shrinker=1,shrinker=2", "shrinker is given twice: use it once"),
            ("10000,shrinker=3600000001", "use shrinker=US, with US from 0 to 3600000000, not "),
            ("shrinker=500", "use US or US,PHASE=US,..., with US from 0 to 3600000000, not ")):
        control(f"threshold_us {taken}")
        check_refused(text, lambda text=text: control(f"threshold_us {text}"), errno.EINVAL)
        found = settings()
        check_equal(f"threshold_us after {text}", taken, found["threshold_us"])
        check(found["last_error"].startswith(f"threshold_us: {why}"), found["last_error"])
    control(f"threshold_us {taken.removesuffix(',compaction=0')}")


def check_long(shrinker):
    """Check the records of shrinkers.  Return the records, and those of other phases."""
    rows = Table("slow").rows
    check(len(rows) < RECORDS, f"{len(rows)} records")
    records = [row for row in rows if parse_slow(row)[1] == "memcg:shrinker"]
    latency = only(Table("latency").rows, "phase", "memcg:shrinker")
    check_equal("records of shrinkers", sum(
        nr for name, nr in latency.items() if re.fullmatch(r"us_\d+", name) and
        int(name.removeprefix("us_")) >= LONG_US), len(records))
    for record in records:
        _, _, site, parts, stack = parse_slow(record)
        check(record["us"] >= LONG_US, f"{record}")
        check_equal("call site", SITE, Truth.function(site))
        check(site in stack, f"{site} is not in {stack}")
        check(parts[0][0].startswith("shrinker: ") and parts[0][2] == 1, f"{parts}")
        check({what for what, _, _ in parts[1:]} <= {CPU, "other"}, f"{parts}")
        rest = record["us"] - sum(us for _, us, _ in parts)
        check(0 <= rest <= len(parts), f"{rest} us of {record} are in no part")
    mine = [record["us"] for record in records
            if parse_slow(record)[3][0][0] == f"shrinker: {shrinker['shrinker']}"]
    check(0 <= shrinker["calls"] - len(mine) <= shrinker["calls"] // 2, f"{shrinker}, {mine}")
    check_equal("the longest", shrinker["max_us"], max(mine))
    return records, [row for row in rows if row not in records]


def slow_shrinkers(threshold, cgroup):
    """Allocate with a threshold.  Return the row of the shrinker, and what check_long() returns."""
    control("enabled 1", f"threshold_us {threshold}")
    with truth_loaded(NAME) as known, joined(known, cgroup):
        allocate(known)
        (shrinker,) = [row for row in Table("shrinkers").rows if row["shrinker"].startswith(SCAN)]
        return (shrinker, *check_long(shrinker))


@several
def latency_thresholds():
    """Test that a phase with a threshold of its own is logged inside other phases, too."""
    with loaded("kmemacct", f"threshold_us=10000000,shrinker={LONG_US}"), limited() as cgroup:
        check_thresholds()
        _, records, others = slow_shrinkers(f"10000000,shrinker={LONG_US}", cgroup)
        check_equal("records of other phases", [], others)
        # An outermost phase that exceeds both thresholds has one record, with all of its parts.
        name = outermost()["phase"].partition(":")[2]
        shrinker, _, others = slow_shrinkers(f"1,{name}=1,shrinker={LONG_US}", cgroup)
        outer = outermost()
        check_equal("records of reclaim", outer["count"], len(others))
        check_equal("their phase", {outer["phase"]},
                    {parse_slow(row)[1] for row in others})
        check_equal("calls in their parts", shrinker["calls"], sum(
            nr for row in others for what, _, nr in parse_slow(row)[3]
            if what == f"shrinker: {shrinker['shrinker']}"))
    return f"{len(records)} records of shrinkers; {len(others)} of reclaim"


# ---- many tasks ------------------------------------------------------------------------------

# More than half of the slots, but not all of them
WAITERS = 1000


@contextlib.contextmanager
def waiting(known, nr=WAITERS, what="stall", column="stalled", total=None):
    """Yield the PID of a process whose `nr` threads all wait, by default in node reclaim.

    Then `total` threads wait, if there are those of other processes, too.
    """
    def work():
        threading.stack_size(1 << 16)
        threads = [threading.Thread(target=known.run, args=[what]) for _ in range(nr)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    pid = start(work)
    try:
        wait_for("tasks that wait", lambda: known.values()[column] == (total or nr))
        yield pid
    except BaseException:
        kill(pid)
        raise


def slots_used():
    return pairs_of("stats")["stall_slots_used"]


def check_reclaimed(lost):
    """Check that all stalls count, and that the ends of `lost` of them were not seen."""
    check_stats(**dict.fromkeys(LOST, 0) | {"stall_ends_lost": lost})
    check_equal("count", WAITERS,
                only(Table("latency").rows, "phase", "direct:node_reclaim")["count"])


@several
def latency_waiters():
    """Test that 1,000 tasks can wait at once, and that their slots are free when all are killed."""
    with loaded("kmemacct", "latency=on threshold_us=0"), truth_loaded(NAME) as known:
        control("reset")
        check(pairs_of("stats")["stall_slots"] > WAITERS, "there are not enough slots")
        with waiting(known) as pid:
            # kswapd and kcompactd may have slots, too.
            used = slots_used()
            check(WAITERS <= used <= WAITERS + 8, f"{used} slots are in use")
            known.run("go")
            ended(pid)
        known.run("leave")
        check_reclaimed(0)
        wait_for("free slots", lambda: not slots_used())
        with waiting(known) as pid:
            killed = time.monotonic()
            kill(pid)
            wait_for("slots of tasks that were killed", lambda: not slots_used())
            took = time.monotonic() - killed
        check_reclaimed(WAITERS)
    return f"{used} slots of {WAITERS} tasks; free {took:.1f} s after they were killed"


# ---- unloading while tasks sleep ---------------------------------------------------------------

# Each time that the module is loaded, so many more tasks begin to sleep.
SLEEPERS = 171
LOADS = 3


@contextlib.contextmanager
def short_of_dma(known):
    """Use up ZONE_DMA, so that only tasks that want its memory reclaim memory directly."""
    known.run("fill")
    try:
        yield
    finally:
        known.run("leave")
        known.run("drain")


def check_lossless(*ignored):
    names = set(LOST) | {"slow_path_missed"}
    check_zero(names - set(ignored), pairs_of("stats"))


def unload_asleep(known, stack, nr):
    """Load the module, let tasks sleep in the slow path, and unload it.

    Then `nr` tasks sleep, together with those of earlier loads.  Return the PID of the process of
    the new ones, which is killed if the stack ends by an error, and the seconds that unloading
    took.
    """
    with loaded("kmemacct", "threshold_us=0"):
        pid = stack.enter_context(waiting(known, SLEEPERS, "sleep", "asleep", nr))
        used = slots_used()
        check(SLEEPERS <= used <= SLEEPERS + 8, f"{used} slots are in use")
        check_lossless()
        start = time.monotonic()
    seconds = time.monotonic() - start
    check_equal("tasks that sleep", nr, known.values()["asleep"])
    return pid, seconds


@each_kernel
@several
def latency_unload():
    """Test that the module can be unloaded while tasks sleep in the slow path, several times.

    Unloading does not wait for these tasks.  The ends of their phases are seen by the module that
    is loaded next, and counted there.
    """
    with truth_loaded(NAME) as known, short_of_dma(known), contextlib.ExitStack() as stack:
        unloads = [unload_asleep(known, stack, SLEEPERS * (i + 1)) for i in range(LOADS)]
        stack.enter_context(loaded("kmemacct", "threshold_us=0"))
        known.run("go")
        for pid, _ in unloads:
            ended(pid)
        wait_for("free slots", lambda: not slots_used())
        check_lossless("stall_begins_lost")
        # The shrinker, direct reclaim, and the kernel's mark around it end in each task.
        lost = pairs_of("stats")["stall_begins_lost"]
        check_equal("ends without a beginning", 3 * LOADS * SLEEPERS, lost)
    return f"unloaded in {max(seconds for _, seconds in unloads):.1f} s; {lost} ends"


# ---- file systems --------------------------------------------------------------------------

# Numbers of files in two file systems
FILES = (100, 250)


@contextlib.contextmanager
def mounted(index, files):
    """Mount an ext4 file system with some files.  Yield the name of its device."""
    subprocess.run(["modprobe", "-a", "ext4", "loop"], check=True)
    image, at = Path(f"/tmp/kma_image{index}"), Path(f"/tmp/kma_mount{index}")
    with open(image, "wb") as f:
        f.truncate(4 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-N", "512", "-O", "^has_journal", image], check=True)
    at.mkdir(exist_ok=True)
    subprocess.run(["mount", "-o", "loop", image, at], check=True)
    try:
        for i in range(files):
            (at / f"file{i}").touch()
        with open("/proc/self/mountinfo") as f:
            (device,) = [Path(line.split()[-2]).name for line in f if f" {at} " in line]
        yield device
    finally:
        subprocess.run(["umount", at], check=True)
        image.unlink()


@each_kernel
@several
def latency_mounts():
    """Test that the shrinkers of file systems of one type are told apart, and all are counted."""
    with watched("threshold_us=0") as watch, contextlib.ExitStack() as stack:
        devices = [stack.enter_context(mounted(*what)) for what in enumerate(FILES)]
        os.sync()
        watch.begin()
        # The kernel ends a round once it frees few objects: 5.10 leaves up to ten.
        for _ in range(3):
            drop_caches("2")
        expected, tables = watch.end("latency", "shrinkers")
        check_latency(expected, tables["latency"])
        check_shrinkers(expected, tables["shrinkers"])
        rows = [row for row in tables["shrinkers"].rows if row["calls"]]
        freed = []
        for device, files in zip(devices, FILES):
            row = only(rows, "shrinker", f"super_cache_scan ext4:{device}")
            # An inode and a dentry for each file
            check_equal(f"freed of {device}", 2 * files, row["freed"])
            freed.append(row["freed"])
    return f"{len(rows)} shrinkers; {devices}: {freed} freed"


# ---- the log ---------------------------------------------------------------------------------

RECORDS = 256


class Follower:
    """A reader that follows the log."""

    def __init__(self):
        self.path = Path("/tmp/kma_slow")
        with open(self.path, "wb") as f:
            self.process = subprocess.Popen([READER, "slow", "-f", "-b"], stdout=f,
                                            stderr=subprocess.STDOUT)
        wait_for("the reader", lambda: self.path.stat().st_size)

    def numbers(self):
        return [int(nr) for nr in re.findall(r", nr (\d+)$", self.path.read_text(), re.M)]

    def caught_up(self):
        """Wait until the newest record is printed."""
        newest = newest_record()
        wait_for(f"record {newest}", lambda: newest in self.numbers())

    def stop(self):
        """Return what was printed."""
        self.process.send_signal(signal.SIGINT)
        check_equal("status of the reader", 0, self.process.wait(DEADLINE_S))
        return self.path.read_text()


@contextlib.contextmanager
def follower():
    reader = Follower()
    try:
        yield reader
    finally:
        reader.process.kill()
        reader.process.wait()


def newest_record():
    rows = Table("slow").rows
    return rows[0]["nr"] if rows else 0


def reclaim(cgroup, times, nr=1):
    """Make records.  If a cgroup has no memory left to reclaim, the kernel tries 17 times."""
    def work():
        for _ in range(times):
            with contextlib.suppress(BlockingIOError), \
                    open(cgroup / "memory.reclaim", "wb", buffering=0) as f:
                f.write(b"1M")

    pids = [start_in(TOP, work) for _ in range(nr)]
    while pids:
        refuses_rmmod()
        pid, status = os.waitpid(pids[-1], os.WNOHANG)
        if pid:
            check_equal("child", 0, os.waitstatus_to_exitcode(status))
            pids.pop()


def check_printed(text, reader):
    """Check which records were printed.  Return how many, and how many were lost."""
    numbers = reader.numbers()
    rows = Table("slow").rows
    lost = sum(int(nr) for nr in re.findall(r"^# (\d+) records are lost", text, re.M))
    check_equal("records printed more than once", [],
                [nr for nr, times in Counter(numbers).items() if times > 1])
    missing = set(range(1, rows[0]["nr"] + 1)) - set(numbers)
    # Records that could not be written are counted as lost after the records around them.
    gaps = rows[0]["nr"] - rows[-1]["nr"] + 1 - len(rows)
    check(gaps <= pairs_of("stats")["slow_lost"], f"{gaps} records are not in the log")
    check_equal("records that are not printed", lost + gaps, len(missing))
    for row in rows:
        comm, phase, *_ = row["slow"].split(";")
        line = f"{phase} {row['us']}us, {comm}[{row['pid']}], nr {row['nr']}\n"
        check(line in text, f"{line!r} is not printed")
    return len(numbers), lost


def check_totals(text):
    """Check the shrinkers that the reader prints at its end."""
    printed = {name: (int(total), int(most)) for name, total, most in re.findall(
        r"^(\S.*): total time = (\d+) us, max latency = (\d+) us",
        text.split("# shrinkers meanwhile:\n")[1], re.M)}
    check_equal("shrinkers", {row["shrinker"]: (row["total_us"], row["max_us"])
                              for row in Table("shrinkers").rows if row["calls"]}, printed)
    check(any(name.startswith(SCAN) for name in printed), f"{printed}")
    return printed


@exists_on(lambda kernel: kernel != "5.10")      # it has no memory.reclaim
@several
def latency_ring():
    """Test that the reader prints each record once, unless it was overwritten, which it says."""
    with loaded("kmemacct", "threshold_us=1"), truth_loaded(NAME) as known, limited() as cgroup:
        with follower() as reader:
            with joined(known, cgroup):
                known.run("go")
                wait_for("allocations", lambda: known.values()["done"] == TASKS)
            reader.caught_up()
            first = newest_record()
            reader.process.send_signal(signal.SIGSTOP)
            while newest_record() < first + RECORDS + 100:
                reclaim(cgroup, 10)
            # All records that the reader has not read yet are overwritten, except for the newest
            # ones
            overrun = newest_record() - first - RECORDS
            reader.process.send_signal(signal.SIGCONT)
            reader.caught_up()
            check(f"\n# {overrun} records are lost" in reader.path.read_text(),
                  f"no message says that {overrun} records are lost")
            for times in (16, 2):
                reader.caught_up()
                reclaim(cgroup, times, CPUS)
            # The reader prints the newest records before it ends.
            control("enabled 0")
            text = reader.stop()
        printed, lost = check_printed(text, reader)
        check(lost >= overrun, f"{lost} records are lost")
        shrinkers = check_totals(text)
        rmmod("kmemacct")
    return f"{printed} records printed, {lost} lost ({overrun}); {len(shrinkers)} shrinkers"


PARTS = (latency_truth, latency_truth_functions, latency_thresholds, latency_waiters,
         latency_unload, latency_mounts, latency_ring)
