# SPDX-License-Identifier: GPL-2.0
"""Tests of reclaim and compaction while memory is short.  They need a guest with 256 MiB."""
import contextlib
import mmap
import subprocess
from pathlib import Path

from delays import PROBES, delay_accounting, delays_of
from harness import check, check_equal, check_zero, each_kernel, only_in
from kernel import written
from kprobes import probed
from memory import anonymous, available_kb, punch, touch
from processes import kept
from reclaim_trace import (
    ROUNDING_US, check_latency, check_shrinkers, check_waits, complete, watched)
from slow_truth import slow_path_followed
from table import pairs_of

SWAP = "192M"
THP = "/sys/kernel/mm/transparent_hugepage"
HUGE = 2 << 20
SECONDS = 5
KB_LEFT = 40 * 1024
# Two processes that use more memory together than there is, and one that writes files
STRESS = ("--vm", "2", "--vm-bytes", "160M", "--vm-populate", "--vm-method", "write64",
          "--hdd", "1", "--hdd-bytes", "16M", "--temp-path", "/dev/shm",
          "--timeout", f"{SECONDS}s", "--quiet", "--oomable")
# Without these phases, memory was not short.
NEEDED = {"direct:direct_reclaim", "direct:compaction"}
COUNTERS = ("stall_no_slot", "stall_too_deep", "stall_begins_lost", "stall_ends_lost",
            "functions_missed", "slow_path_missed")


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


def huge_pages():
    """Reclaim and compact memory directly for each huge page, and not in the background."""
    return written({f"{THP}/enabled": "always", f"{THP}/defrag": "always",
                    "/proc/sys/vm/compaction_proactiveness": "0"})


def psi_us():
    """Return how long tasks have waited for memory, by the kernel's pressure stall information."""
    return int(Path("/proc/pressure/memory").read_text().split("total=")[1].split()[0])


def fragment():
    """Use up the memory, free every other page of some of it, and ask for huge pages."""
    areas = []

    def area(advice):
        areas.append(anonymous(2 * HUGE))
        areas[-1].madvise(advice)
        touch(areas[-1])

    while available_kb() > KB_LEFT:
        area(mmap.MADV_NOHUGEPAGE)
    for old in areas[::2]:
        punch(old)
    for _ in range(20):
        area(mmap.MADV_HUGEPAGE)


def stress():
    # If memory runs out, the OOM killer takes a process of stress-ng.
    subprocess.run(["stress-ng", *STRESS], check=True)
    with kept(fragment):
        pass


def pressed(watch, known):
    """Return what there is to compare, or None if there is nothing."""
    psi, slow = psi_us(), known.total_us()
    stress()
    psi = psi_us() - psi
    watch.settle()
    if watch.lost():
        return None
    expected, tables = watch.end("latency", "shrinkers", "stalls", "waits")
    expected.slow_path_us = known.total_us() - slow
    return (expected, tables, psi) if NEEDED <= set(expected.rows) else None


@each_kernel
@only_in("pressure")
def latency_pressure():
    """Test that all rows of latency and shrinkers are what ftrace tells, under pressure."""
    with zram_swap(), huge_pages(), slow_path_followed() as known, \
            watched("threshold_us=1000") as watch:
        expected, tables, psi = complete(watch, lambda: pressed(watch, known))
        rows = check_latency(expected, tables["latency"])
        check_shrinkers(expected, tables["shrinkers"])
        check_zero(COUNTERS, pairs_of("stats"))
        total = sum(row["total_us"] for row in tables["waits"].rows)
        waits = check_waits(expected, tables["waits"].rows, tables["stalls"].rows)
        check(psi > 0, "PSI does not see any pressure")
    return (f"{expected.nr} events, {len(rows)} phases, {len(expected.shrinkers)} shrinkers; "
            f"{waits} waits, {total} us, slow path {expected.slow_path_us} us, PSI {psi} us")


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
    # The kernel does not count a delay of 0 ns.
    check(delay[0] <= around[0], f"{delay[0]} delays, but {around[0]} by kprobes")
    return check_enclosed("compaction", (row["count"], row["total_us"]), delay,
                          (around[0], around[1] - by_ftrace.least))


def delayed(watch, probes):
    """Return what there is to compare, or None if there is nothing."""
    with kept(fragment) as pid:
        delays = delays_of(pid)
    watch.settle()
    if watch.lost():
        return None
    expected, tables = watch.end("latency")
    if not NEEDED <= set(expected.rows) or expected.waiters != {pid}:
        return None
    return (delays, expected, tables["latency"],
            probes.between(pid, "kma_free_start", "kma_free_end"),
            probes.between(pid, "kma_compact_start", "kma_compact_end"))


@each_kernel
@only_in("pressure")
def latency_delays():
    """Test the times of a process against the kernel's delay accounting."""
    with zram_swap(), huge_pages(), delay_accounting(), \
            watched("threshold_us=1000") as watch, probed(*PROBES) as probes:
        (reclaim, compact), expected, table, inside, around = complete(
            watch, lambda: delayed(watch, probes))
        rows = check_latency(expected, table)
        check_zero(COUNTERS, pairs_of("stats"))
        gaps = check_reclaim(reclaim, rows, expected, inside)
        text = f"reclaim: {reclaim[0]} times, {reclaim[1]:.0f} us, {gaps} us in gaps"
        if compact:
            gaps = check_compaction(compact, rows, expected, around)
            text += f"; compaction: {compact[0]} times, {compact[1]:.0f} us, {gaps} us in gaps"
        return text


PARTS = (latency_pressure, latency_delays)
