# SPDX-License-Identifier: GPL-2.0
"""Tests of waits in the slow path of the page allocator, against a caller and a second kretprobe.

The module kmemacct_pages (kunit/truth/) times its allocations, and has the kretprobe.
"""
import contextlib
import itertools
import mmap
import os
import re
import time
from pathlib import Path

from harness import Failed, check, check_equal, check_zero, each_kernel, single
from kernel import loaded, written
from kprobes import timed
from memory import PAGE, anonymous, available_kb, drop_caches, meminfo_kb, punch
from parts.latency_pressure import THP
from parts.stalls import disk
from processes import kill, start
from slow_truth import slow_path_followed
from table import Table, control, pairs_of
from truth import truth_loaded

SITE = "truth_alloc_pages"
LOST = ("stall_no_slot", "stall_too_deep", "stall_begins_lost", "stall_ends_lost",
        "slow_path_missed")
# In percent
TOLERANCE = 5
RUNS = 5
# The least number of slow allocations to compare
LEAST = 10
KB_LEFT = 20 * 1024
MIB = 1 << 20
# More than the guest has memory, which may be too fragmented to be set aside
HOLES = 1024 * MIB
HUGE_PAGES = "/proc/sys/vm/nr_hugepages"
HUGE_KB = 2048
PROACTIVE = "/proc/sys/vm/compaction_proactiveness"
MIN_FREE = "/proc/sys/vm/min_free_kbytes"


def is_near(ours, known):
    """Compare a time with that of another clock."""
    return abs(ours - known) * 100 <= TOLERANCE * known


@contextlib.contextmanager
def less_memory(kb_left):
    """Set memory aside, in huge pages that nothing uses."""
    Path("/proc/sys/vm/compact_memory").write_text("1")
    with written({HUGE_PAGES: str(max(available_kb() - kb_left, 0) // HUGE_KB)}):
        yield


@contextlib.contextmanager
def fragmented():
    """Leave little memory but single pages: use it, and free every other page."""
    with less_memory(100 * 1024), written({MIN_FREE: "2048", f"{THP}/enabled": "never",
                                               PROACTIVE: "0"}):
        # On 5.10, the file system of the guest needs large blocks to read a program again.
        size = (available_kb() - KB_LEFT) * 1024 // PAGE * PAGE
        with anonymous(size, mmap.MAP_POPULATE) as area:
            punch(area)
            yield


@contextlib.contextmanager
def alone():
    """Let no other task of this CPU run instead of this one, as long as it does not sleep."""
    with written({"/proc/sys/kernel/sched_rt_runtime_us": "-1"}):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        try:
            yield
        finally:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def us_of(spans):
    return sum(end - begin for begin, end in spans) // 1000


def of_site(rows, column):
    """Return the time in us of the rows of the call site of the module."""
    return sum(row["total_us"] for row in rows if re.search(rf"(^|;){SITE}\+0x", row[column]))


def of_phase(rows, phase):
    """Return the count and the time in us of a phase, of all tasks."""
    rows = [row for row in rows if row["phase"].endswith(f":{phase}")]
    return sum(row["count"] for row in rows), sum(row["total_us"] for row in rows)


def allocated(known):
    """Let the module allocate.  Return the calls of the slow path by PID, and tables by name."""
    before, _ = known.quietly(lambda: control("reset"))
    with alone():
        known.run("slow")
    after, tables = known.quietly(
        lambda: {name: Table(name).rows for name in ("latency", "waits", "stalls")})
    return known.calls(before, after), tables


def slow_of(known, calls):
    """Return the allocations of the caller that have called the slow path.

    `calls` are all calls of its task.  Each one during the allocations has to be in one of them.
    """
    rows = [(row["begin_ns"], row["end_ns"]) for row in known.lines("calls")]
    slow = [(begin, end) for begin, end in rows
            if any(begin <= call[0] and call[1] <= end for call in calls)]
    check_equal("allocations that called the slow path", len(slow), sum(
        rows[0][0] <= begin and end <= rows[-1][1] for begin, end in calls))
    return slow


def times_of(known):
    """Let the module allocate in fragmented memory.  Return counts, and pairs of times to compare.

    Allocations that have not called the slow path have not waited.  Return None if too few have.
    """
    with fragmented():
        calls, tables = allocated(known)
        known.run("drop")
    mine, every = calls[os.getpid()], [span for spans in calls.values() for span in spans]
    slow = slow_of(known, mine)
    nr, us = of_phase(tables["latency"], "alloc_slow_path")
    check_equal("calls", len(every), nr)
    check_zero(LOST, pairs_of("stats"))
    return len(slow) >= LEAST and us_of(slow) > 20000 and (nr, {
        "slow path": (us, us_of(every)),
        "waits": (of_site(tables["waits"], "origin_site"), us_of(slow)),
        "stalls": (of_site(tables["stalls"], "site_cause"), us_of(slow))})


@each_kernel
@single
def slow_path_traced():
    """Test the number and the time of all calls of the slow path, and the time of a caller.

    The machine of the guest may be busy for a moment while the module records, which is not
    counted.  So one run of several with equal times is proof enough.
    """
    found = []
    with slow_path_followed() as known, loaded("kmemacct"):
        for _ in range(RUNS):
            found.append(times_of(known))
            if found[-1] and all(is_near(*pair) for pair in found[-1][1].values()):
                break
        else:
            raise Failed(f"us of kmemacct, and the true ones: {found}")
    nr, times = found[-1]
    return f"{nr} calls; " + ", ".join(
        f"{what}: {ours} us, {known} us" for what, (ours, known) in times.items())


@each_kernel
@single
def slow_path_probed_later():
    """Test call sites after another tool has put a kretprobe on the slow path.

    The later kretprobe is called first, and replaces the return address.  The unwinder of 5.10 does
    not see through it, so there the module has to know the address from earlier calls.
    """
    waits = 0
    with loaded("kmemacct"):
        with truth_loaded("kmemacct_pages") as known:
            known.run("fragment", "wake", "drop")
        with slow_path_followed() as known:
            for _ in range(RUNS):
                with fragmented():
                    calls, tables = allocated(known)
                    known.run("drop")
                rows = [row for row in tables["waits"] if row["origin_site"].startswith("direct;")]
                check_equal("call sites", [], [row for row in rows if re.search(
                    r"rethook|kretprobe|\[unknown\]", row["origin_site"])])
                waits = of_site(rows, "origin_site")
                if waits:
                    break
    check(waits, f"no wait in {rows}")
    return f"{len(calls[os.getpid()])} calls"


# ---- throttling -----------------------------------------------------------------------------

ROUNDS = 3
# The range of min_free_kbytes, in KiB.  Tasks are throttled while less than half of this is free.
LITTLE, MOST = 2 * 1024, 64 * 1024
# kswapd has to free this much, in KiB, before it wakes the throttled tasks.
THROTTLED_KB = 8 * 1024
# After so many runs of kswapd, memory is short.
KSWAPD_RUNS = 3
# How long to wait for these, in seconds
FILL_S = 10
# In fragmented memory, the kernel keeps more memory free than it is told.
BOOST = "/proc/sys/vm/watermark_boost_factor"
SWITCH = "sched_switch"


def vmstat(name):
    return int(re.search(rf"^{name} (\d+)$", Path("/proc/vmstat").read_text(), re.M)[1])


@contextlib.contextmanager
def holes():
    """Yield a file of holes on a disk, whose page cache is filled and reclaimed without I/O."""
    with disk() as file:
        os.truncate(file, HOLES)
        yield file


def fill_forever(file, first):
    """Fill the page cache, from this piece of the file on."""
    with open(file, "rb") as f:
        for i in itertools.count(first):
            os.posix_fadvise(f.fileno(), i * MIB % HOLES, MIB, os.POSIX_FADV_WILLNEED)


def keep_free(kb):
    Path(MIN_FREE).write_text(str(kb))


def be_short():
    """Wait until other tasks have used up the memory, and then keep more memory free for a moment.

    Memory is short when kswapd has to run.  How much is still free then differs, from 7 to 24 MiB:
    one zone keeps a reserve for others, and up to 1 % of a zone is reserved for atomic allocations
    of several pages.  5.10 keeps this much memory free even while the reserve is in use.
    """
    keep_free(LITTLE)
    runs, end = vmstat("pageoutrun") + KSWAPD_RUNS, time.monotonic() + FILL_S
    while vmstat("pageoutrun") < runs and time.monotonic() < end:
        time.sleep(0.02)
    keep_free(min(2 * (meminfo_kb("MemFree") + THROTTLED_KB), MOST))
    time.sleep(0.1)


def run_short(file):
    """Let tasks fill the page cache, and let memory be short, again and again."""
    half = HOLES // MIB // 2
    pids = [start(lambda first=first: fill_forever(file, first)) for first in (0, half)]
    try:
        for _ in range(ROUNDS):
            be_short()
    finally:
        for pid in pids:
            kill(pid)
        # From here on, no task is throttled, so that all counters are of the same time.
        keep_free(LITTLE)


def times_asleep(probes):
    """Return the time in us of each call in which the task has slept."""
    times = []
    for events in probes.read().values():
        began, slept = None, False
        for match, us in events:
            if match["name"] == "begin":
                began, slept = us, False
            elif match["name"] == SWITCH:
                # The state R is that of a task that was preempted.
                slept |= not re.search(r"prev_state=R", match["text"])
            elif slept:
                times.append(us - began)
    return times


def throttled_once(file, probes):
    """Return how often tasks were throttled, and for how long, in us, also by ftrace.

    Most calls of the function return at once.  The kernel counts those that it throttles.  Of
    these, a task may find that kswapd has just freed enough, and then it does not sleep.  Return
    None if there is too little to compare.
    """
    drop_caches("1")
    control("reset")
    probes.clear()
    throttled = vmstat("pgscan_direct_throttle")
    run_short(file)
    throttled = vmstat("pgscan_direct_throttle") - throttled
    nr, us = of_phase(Table("latency").rows, "throttle_direct_reclaim")
    check_zero(LOST, pairs_of("stats"))
    check(nr <= throttled, f"{nr} times, but {throttled} by the kernel")
    if probes.lost():
        return None
    times = times_asleep(probes)
    check_equal("times", len(times), nr)
    return (nr, us, sum(times)) if nr >= ROUNDS else None


@each_kernel
@single
def throttling_traced():
    """Test the throttling before direct reclaim, which has no event, against kprobe events.

    kswapd may preempt a task after it was throttled, and before it reclaims memory.  So one run of
    several with equal times is proof enough.  The counts have to be right in each.
    """
    found = []
    # Until all memory is back, keep_free() determines how much the kernel keeps free.
    with loaded("kmemacct"), holes() as file, written({MIN_FREE: str(LITTLE), BOOST: "0"}), \
            less_memory(2 * MOST), \
            timed("throttle_direct_reclaim", events=(SWITCH,)) as probes:
        while not (found and found[-1] and is_near(*found[-1][1:])):
            check(len(found) < RUNS, f"times, and us by kmemacct and by ftrace: {found}")
            found.append(throttled_once(file, probes))
    nr, us, true = found[-1]
    return f"{nr} times, {us} us, {true} us by ftrace"


PARTS = (slow_path_traced, slow_path_probed_later, throttling_traced)
