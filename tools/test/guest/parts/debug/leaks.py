# SPDX-License-Identifier: GPL-2.0
"""Test that kmemleak finds nothing."""
import re
import time

from harness import Failed, part, progress
from kernel import DEBUGFS

LEAKS = DEBUGFS / "kmemleak"
LOST_NAME = re.compile(r"kobject_set_name_vargs\+[^\n]*\n[^\n]*\n[^\n]*sysfs_slab_add\+")
LEAK_SCANS = 12


@part
def no_leaks():
    """Test that kmemleak finds no leaks after the tests that ran before.

    kmemleak reports memory that no pointer leads to, if it is five seconds old and has
    not changed since the last scan.  A scan may miss a pointer that is being moved, so
    later scans are tried: they all find a real leak.

    One leak of the kernel itself is left out: if sysfs_slab_add() fails for any kmem_cache, it
    loses the name.  It does not put the kobject, and kmem_cache_create() returns no cache
    (6.12, mm/slub.c).
    """
    LEAKS.write_text("scan")
    for scan in range(2, LEAK_SCANS + 1):
        time.sleep(6)
        progress(f"looking for leaks: scan {scan} of at most {LEAK_SCANS}")
        LEAKS.write_text("scan")
        leaks = re.split(r"^(?=unreferenced object)", LEAKS.read_text(), flags=re.M)[1:]
        ours = [leak for leak in leaks if not LOST_NAME.search(leak)]
        if not ours:
            return f"0 in scan {scan}, {len(leaks)} names lost by sysfs_slab_add()"
    raise Failed(f"{len(ours)} leaks:\n{''.join(ours)[:3000]}")


PARTS = (no_leaks,)
