# SPDX-License-Identifier: GPL-2.0
"""A process's memory, and the per-CPU lists of free pages that it comes from."""
import contextlib
import mmap
import re
from pathlib import Path

PAGE = 4096

# The sysctl has the second name on 5.10.
FRACTION = ("percpu_pagelist_high_fraction", "percpu_pagelist_fraction")


@contextlib.contextmanager
def short_lists():
    """Make the per-CPU lists short, so that they soon fill and drain after any earlier load."""
    path = next(path for path in (Path("/proc/sys/vm", name) for name in FRACTION)
                if path.exists())
    path.write_text("1000")
    try:
        yield
    finally:
        path.write_text("0")


def small_pages(area):
    """Use no huge pages for a mapping.  On real-time kernels, which have none, this fails."""
    with contextlib.suppress(OSError):
        area.madvise(mmap.MADV_NOHUGEPAGE)


def touch(area):
    for at in range(0, len(area), PAGE):
        area[at] = 1


def available_kb():
    return int(re.search(r"MemAvailable: +(\d+)", Path("/proc/meminfo").read_text())[1])
