# SPDX-License-Identifier: GPL-2.0
"""What kmemleak has to say."""
import re
import time

from harness import Failed, part, progress
from kernel import DEBUGFS

LEAKS = DEBUGFS / "kmemleak"
LOST_NAME = re.compile(r"kobject_set_name_vargs\+[^\n]*\n[^\n]*\n[^\n]*sysfs_slab_add\+")
LEAK_SCANS = 12


@part
def no_leaks():
    """What kmemleak has to say of all that has been done: nothing.

    It tells of what no address leads to, once it is five seconds old and has not
    changed since the last scan.  An address may just be on its way when it looks, so
    the last word counts: what is leaked is found by every scan.

    Not counted is the name that sysfs_slab_add() loses when it fails, for whomever a
    kmem_cache is made: it does not put the kobject, and whoever asked for the cache
    gets none (6.12, mm/slub.c).
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
