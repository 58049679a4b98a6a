# SPDX-License-Identifier: GPL-2.0
"""A process's memory, its pages, and the per-CPU lists of free pages that they come from."""
import contextlib
import mmap
import os
import re
from pathlib import Path

from kernel import written

PAGE = 4096

# Bits of /proc/kpageflags
KPF_SLAB, KPF_BUDDY = 7, 10


def short_lists():
    """Make the per-CPU lists short, so that they soon fill and drain after any earlier load."""
    # The sysctl has the second name on 5.10.
    return written({"/proc/sys/vm/percpu_pagelist_high_fraction": "1000",
                    "/proc/sys/vm/percpu_pagelist_fraction": "1000"})


def anonymous(size, flags=0):
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | flags)


def small_pages(area):
    """Use no huge pages for a mapping.  On real-time kernels, which have none, this fails."""
    with contextlib.suppress(OSError):
        area.madvise(mmap.MADV_NOHUGEPAGE)


def touch(area):
    for at in range(0, len(area), PAGE):
        area[at] = 1


def punch(area):
    """Free every other page of a mapping."""
    for at in range(0, len(area), 2 * PAGE):
        area.madvise(mmap.MADV_DONTNEED, at, PAGE)


def use_memory(size):
    """Use this much anonymous memory, in small pages, and free it."""
    with anonymous(size) as area:
        small_pages(area)
        touch(area)


def use_files():
    """Read some files, and so use their page cache."""
    for path in ("/usr/bin/perl", "/usr/lib/os-release", "/usr/bin/bash"):
        with contextlib.suppress(OSError):
            Path(path).read_bytes()


def read_libraries(size):
    """Read this many bytes of libraries, and so use page cache.

    Page cache belongs to the cgroup that has first read it, so drop the cache of others.
    """
    for path in sorted(Path("/usr/lib/x86_64-linux-gnu").glob("*.so*")):
        if size <= 0:
            return
        with contextlib.suppress(OSError), open(path, "rb", buffering=0) as f:
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            while size > 0 and (data := f.read(1 << 17)):
                size -= len(data)


def drop_caches(what):
    """Free page cache (1), objects of shrinkers (2), or both (3)."""
    Path("/proc/sys/vm/drop_caches").write_text(what)


def meminfo_kb(name):
    return int(re.search(rf"^{name}: *(\d+) kB", Path("/proc/meminfo").read_text(), re.M)[1])


def available_kb():
    return meminfo_kb("MemAvailable")


def page_flags(pfn=0, nr=-1):
    """Return the words of /proc/kpageflags of `nr` pages, by default all, from this one on."""
    # The file has to be read in multiples of 8 bytes.
    with open("/proc/kpageflags", "rb", buffering=0) as f:
        f.seek(8 * pfn)
        data = f.read(8 * nr) if nr > 0 else b"".join(iter(lambda: f.read(1 << 16), b""))
    return memoryview(data).cast("Q")


def migratetypes(text):
    """Return the names of the migrate types, by number, of the text of /proc/pagetypeinfo."""
    return list(dict.fromkeys(re.findall(r", type +(\w+) ", text)))
