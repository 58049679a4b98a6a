# SPDX-License-Identifier: GPL-2.0
"""Tests of reclaim and compaction while memory is short.  They need a guest with 256 MiB."""
import contextlib
import mmap
import os
import subprocess
from pathlib import Path


from delays import delay_accounting, delays_of, probed
from harness import by_name_only, check, check_equal
from memory import available_kb, touch
from reclaim_trace import ROUNDING_US, check_latency, check_shrinkers, watched
from table import Table, control, pairs_of

SWAP = "192M"
THP = Path("/sys/kernel/mm/transparent_hugepage")
HUGE = 2 << 20
SECONDS = 8
KB_LEFT = 40 * 1024
# Two processes that use more memory together than there is, and one that writes files
STRESS = ("--vm", "2", "--vm-bytes", "160M", "--vm-populate", "--vm-method", "write64", "--hdd", "1", "--hdd-bytes", "16M",
          "--temp-path", "/dev/shm", "--timeout", f"{SECONDS}s", "--quiet", "--oomable")
COUNTERS = ("stall_no_slot", "stall_too_deep", "stall_begins_lost", "stall_ends_lost",
            "functions_missed")


@contextlib.contextmanager
def zram_swap():
    """Swap to compressed memory."""
    subprocess.run(["modprobe", "zram"], check=True)
    Path("/sys/block/zram0/disksize").write_text(SWAP)
    subprocess.run(["mkswap", "-q", "/dev/zram0"], check=True)
    subprocess.run(["swapon", "/dev/zram0"], check=True)
    try:
        yield
    finally:
        subprocess.run(["swapoff", "/dev/zram0"], check=True)
        subprocess.run(["rmmod", "zram"], check=True)


@contextlib.contextmanager
def huge_pages():
    """Reclaim and compact memory directly for each huge page."""
    files = THP / "enabled", THP / "defrag"
    before = [file.read_text().split("[")[1].split("]")[0] for file in files]
    try:
        for file in files:
            file.write_text("always")
        yield
    finally:
        for file, value in zip(files, before):
            file.write_text(value)


def psi_us():
    """Return how long tasks have waited for memory, by the kernel's pressure stall information."""
    return int(Path("/proc/pressure/memory").read_text().split("total=")[1].split()[0])


def fragment():
    """Use up the memory, free every other page of some of it, and ask for huge pages."""
    areas = []

    def area(advice):
        areas.append(mmap.mmap(-1, 2 * HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
        areas[-1].madvise(advice)
        touch(areas[-1])

    while available_kb() > KB_LEFT:
        area(mmap.MADV_NOHUGEPAGE)
    for old in areas[::2]:
        for at in range(0, len(old), 2 * mmap.PAGESIZE):
            old.madvise(mmap.MADV_DONTNEED, at, mmap.PAGESIZE)
    for _ in range(20):
        area(mmap.MADV_HUGEPAGE)


@contextlib.contextmanager
def child(work):
    """Run work() in a process.  Yield its PID when it is done, and end the process then."""
    done, end = os.pipe(), os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.close(end[1])
            Path("/proc/self/oom_score_adj").write_text("1000")
            work()
            os.write(done[1], b"x")
            os.read(end[0], 1)
        finally:
            os._exit(0)
    os.close(done[1])
    os.close(end[0])
    try:
        check(os.read(done[0], 1), "the process failed")
        yield pid
    finally:
        os.close(done[0])
        os.close(end[1])
        os.waitpid(pid, 0)


def stress():
    # If memory runs out, the OOM killer takes a process of stress-ng.
    subprocess.run(["stress-ng", *STRESS], check=True)
    with child(fragment):
        pass


def check_counters():
    stats = pairs_of("stats")
    for name in COUNTERS:
        check_equal(name, 0, stats[name])


def check_stalls(rows):
    """Check that the rows of `stalls` add up to the times of the outermost phases."""
    stalls = Table("stalls").rows
    total = sum(rows[phase]["total_us"] for phase in rows if phase in (
        "direct:direct_reclaim", "direct:compaction", "memcg:memcg_reclaim"))
    rest = total - sum(stall["total_us"] for stall in stalls)
    check(-len(rows) <= rest <= len(stalls), f"{rest} us of {total} us are in no row")
    return total


@by_name_only
def latency_pressure():
    """Test that all rows of latency and shrinkers are what ftrace tells, under pressure."""
    with zram_swap(), huge_pages(), watched("threshold_us=1000") as watch:
        watch.begin()
        control("reset")
        check_equal("rows", 0, len(Table("latency").rows))
        psi = psi_us()
        stress()
        psi = psi_us() - psi
        watch.settle()
        expected = watch.expected()
        rows = check_latency(expected)
        check_shrinkers(expected)
        check_counters()
        for phase in ("direct:direct_reclaim", "kswapd:kswapd", "direct:shrinker",
                      "direct:compaction"):
            check(phase in rows, f"no {phase}")
        total = check_stalls(rows)
        check(psi > 0, "PSI does not see any pressure")
    return (f"{expected.nr} events, {len(rows)} phases, {len(expected.shrinkers)} shrinkers; "
            f"{total} us direct, PSI {psi} us")


def check_enclosed(what, inner, outer, most):
    """Check that inner (count, us) is at most outer, and outer at most most.  Return the gaps."""
    slack = 1 + 2 * most[0] * ROUNDING_US
    check(inner[1] <= outer[1] + slack, f"{what}: {inner[1]} us are not within {outer[1]} us")
    gaps = outer[1] - inner[1]
    check(gaps <= most[1] + slack, f"{what}: {gaps:.0f} us more, but the gaps are {most[1]} us")
    return round(gaps)


def check_reclaim(delay, rows, expected, inside):
    """kmemacct's times enclose those of delay accounting, which enclose those of the kprobes."""
    row, by_ftrace = rows["direct:direct_reclaim"], expected.rows["direct:direct_reclaim"]
    check_equal("count of reclaim", delay[0], row["count"])
    check_equal("count of reclaim by kprobes", delay[0], inside[0])
    return check_enclosed("reclaim", delay, (row["count"], row["total_us"]),
                          (row["count"], by_ftrace.most - inside[1]))


def check_compaction(delay, rows, expected, around):
    """The kprobes' times enclose those of delay accounting, which enclose kmemacct's."""
    row, by_ftrace = rows["direct:compaction"], expected.rows["direct:compaction"]
    check_equal("count of compaction by kprobes", delay[0], around[0])
    return check_enclosed("compaction", (row["count"], row["total_us"]), delay,
                          (delay[0], around[1] - by_ftrace.least))


@by_name_only
def latency_delays():
    """Test the times of a process against the kernel's delay accounting."""
    with zram_swap(), huge_pages(), delay_accounting(), \
            watched("threshold_us=1000") as watch, probed() as probes:
        watch.begin()
        control("reset")
        with child(fragment) as pid:
            watch.settle()
            expected = watch.expected()
            reclaim, compact = delays_of(pid)
            rows = check_latency(expected)
            inside = probes.between(pid, "kma_free_start", "kma_free_end")
            around = probes.between(pid, "kma_compact_start", "kma_compact_end")
        check_equal("tasks that have waited", {pid}, expected.waiters)
        check_counters()
        gaps = check_reclaim(reclaim, rows, expected, inside)
        text = f"reclaim: {reclaim[0]} times, {reclaim[1]:.0f} us, {gaps} us in gaps"
        if compact:
            gaps = check_compaction(compact, rows, expected, around)
            text += f"; compaction: {compact[0]} times, {compact[1]:.0f} us, {gaps} us in gaps"
        return text


PARTS = (latency_pressure, latency_delays)
