# SPDX-License-Identifier: GPL-2.0
"""Memory of a process, and the lists of free pages that it comes from."""
import contextlib
import mmap
import re
from pathlib import Path

PAGE = 4096

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


def touch(area):
    for at in range(0, len(area), PAGE):
        area[at] = 1


def available_kb():
    return int(re.search(r"MemAvailable: +(\d+)", Path("/proc/meminfo").read_text())[1])
