# SPDX-License-Identifier: GPL-2.0
"""Tests of stalls that no tracepoint times, against the kernel's pressure stall information.

A task is alone in its cgroup, and there is one CPU.  So the time that PSI counts for the cgroup is
what the module has to count for the task.  PSI is read only before the task begins and after it
has ended.
"""
import contextlib
import mmap
import os
import re
import subprocess
from collections import Counter
from pathlib import Path

from cgroups import limited, run_in
from harness import Failed, check, check_zero, each_kernel, single
from kernel import loaded, written
from kprobes import probed
from memory import anonymous, drop_caches, small_pages, touch
from parts.latency_pressure import THP, zram_swap
from table import Table, control, pairs_of
from truth import truth_loaded

MIB = 1 << 20
# In percent; PSI drops what is shorter than a tick.
TOLERANCE = 5
RUNS = 3
LOST = ("stall_no_slot", "stall_too_deep", "stall_begins_lost", "stall_ends_lost",
        "slow_path_missed")
LRU_GEN = "/sys/kernel/mm/lru_gen/enabled"
# A file that is larger than the limit of the cgroup, on a disk
FILE_MIB = 14


def psi_us(cgroup):
    text = (cgroup / "memory.pressure").read_text()
    return int(re.search(r"^some .*total=(\d+)", text, re.M)[1])


def marked_us():
    """Return the time of the kernel's marks, by origin, but for kswapd and kcompactd."""
    return {row["phase"].partition(":")[0]: row["total_us"] for row in Table("latency").rows
            if re.fullmatch("(direct|memcg|refault|memstall):memstall", row["phase"])}


def causes_of_stalls():
    causes = Counter()
    for row in Table("stalls").rows:
        site, _, cause = row["site_cause"].partition(";")
        check(not site.startswith("["), f"no call site: {row}")
        causes[cause.partition(":")[0]] += row["total_us"]
    return causes


def stalled(cgroup, work):
    """Call work() in the cgroup.  Return how long it stalled, by PSI and by the module, in us."""
    control("reset")
    before = psi_us(cgroup)
    run_in(cgroup, work)
    return psi_us(cgroup) - before, sum(marked_us().values())


def compared(what, cgroup, work, *needed):
    """Compare the marks with PSI.  Return a text.

    PSI drops short times, more of them while the machine of the guest is busy with other work.  So
    one run of several with equal times is proof enough.
    """
    for _ in range(RUNS):
        psi, ours = stalled(cgroup, work)
        if psi > 20000 and abs(ours - psi) * 100 <= TOLERANCE * psi:
            break
    else:
        raise Failed(f"{what}: {ours} us, but PSI {psi} us")
    causes, waits = causes_of_stalls(), Table("waits").sum("total_us")
    rows = len(Table("stalls").rows)
    # All that is marked is in `stalls`, with its cause.
    check(sum(causes.values()) + rows >= ours, f"{what}: {causes}, but {ours} us")
    check(waits + rows >= ours, f"{what}: {waits} us, but {ours} us")
    for cause in needed:
        check(causes[cause] > 0, f"{what}: no {cause} in {causes}")
    check_zero(LOST, pairs_of("stats"))
    return f"{what} {ours} us, PSI {psi} us"


@contextlib.contextmanager
def disk():
    """Mount a file system on a loop device, so that reads take time.  Yield a file in it."""
    subprocess.run(["modprobe", "-a", "ext4", "loop"], check=True)
    image, folder = Path("/tmp/kma_image"), Path("/tmp/kma_disk")
    with open(image, "wb") as f:
        f.truncate((FILE_MIB + 16) * MIB)
    folder.mkdir(exist_ok=True)
    subprocess.run(["mkfs.ext4", "-q", "-O", "^has_journal", image], check=True)
    subprocess.run(["mount", "-o", "loop", image, folder], check=True)
    try:
        file = folder / "file"
        file.write_bytes(os.urandom(MIB) * FILE_MIB)
        os.sync()
        drop_caches("1")
        yield file
    finally:
        subprocess.run(["umount", folder], check=True)
        image.unlink()


def read_again(file):
    """Read a file that does not fit into the cgroup, several times, page by page."""
    with open(file, "rb") as f, mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ) as area:
        area.madvise(mmap.MADV_RANDOM)
        for _ in range(4):
            for at in range(0, len(area), 4096):
                area[at]


def read_more(file):
    """Read a little more of a file each time, and each page twice.

    A page that was used twice, and is read again soon after it was evicted, is a refault.  So most
    of them occur once the part of the file is a little too large for the cgroup.
    """
    with open(file, "rb", buffering=0) as f:
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
        for size in range(FILE_MIB - 4, FILE_MIB + 1):
            for at in (*range(0, size * MIB, 4096), *range(0, size * MIB, 4096)):
                os.pread(f.fileno(), 1, at)


def slow_shrinker(cgroup, file):
    """Read evicted pages again while a shrinker is slow, which reclaim calls for each of them."""
    # With generations of pages, it is hard to tell which pages are refaults.
    with truth_loaded("kmemacct_shrinker") as known, written({LRU_GEN: "0"}):
        def work():
            drop_caches("1")
            known.run("slow")
            read_more(file)

        try:
            return compared("slow shrinker", cgroup, work, "shrinker", "refault")
        finally:
            known.run("fast")


def exceed(size):
    with anonymous(size) as area:
        small_pages(area)
        touch(area)


def swap(size):
    with anonymous(size) as area:
        small_pages(area)
        for _ in range(2):
            touch(area)


@each_kernel
@single
def stalls_agree_with_psi():
    """Test memory.high, the limit of a cgroup, refaults beside a slow shrinker, and swap."""
    texts = []
    # khugepaged reclaims memory for the cgroups of others, but is not in them.
    with loaded("kmemacct"), limited("max") as cgroup, written({f"{THP}/enabled": "never"}):
        (cgroup / "memory.high").write_text(str(16 * MIB))
        texts.append(compared("memory.high", cgroup, lambda: exceed(17 * MIB), "memory.high"))
        (cgroup / "memory.high").write_text("max")
        (cgroup / "memory.max").write_text(str(12 * MIB))
        with disk() as file:
            texts.append(compared("limit", cgroup, lambda: read_again(file), "memcg limit"))
            texts.append(slow_shrinker(cgroup, file))
        with zram_swap():
            texts.append(compared("swap", cgroup, lambda: swap(17 * MIB), "memcg limit"))
    return "; ".join(texts)


@each_kernel
@single
def stalls_probed_later():
    """Test the causes of stalls after another tool has put kretprobes on the kernel's marks.

    A kretprobe replaces the return address, which names the cause.
    """
    kretprobes = [(name, f"psi_memstall_{name}", True) for name in ("enter", "leave")]
    with loaded("kmemacct"), limited("max") as cgroup, probed(*kretprobes) as probes:
        (cgroup / "memory.high").write_text(str(16 * MIB))
        pid = run_in(cgroup, lambda: exceed(17 * MIB))
        causes = causes_of_stalls()
        check(str(pid) in probes.read(), "the kretprobes were not called")
    check(causes["memory.high"] > 0 and "other" not in causes, f"{causes}")
    return f"{dict(causes)} us"


PARTS = (stalls_agree_with_psi, stalls_probed_later)
