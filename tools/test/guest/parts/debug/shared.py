# SPDX-License-Identifier: GPL-2.0
"""Functions that the parts of tools/test/guest/debug share."""
import os
import random
import time

from harness import check, check_equal
from processes import child
from table import CONTROL, PARAMETERS, TABLE_FILES, pairs_of

FILES = [*TABLE_FILES, CONTROL]

ENABLED = PARAMETERS / "enabled"

# Commands after which all tables have rows
PAGES_ON = ("pages sites", "account tasks,cgroups,comm_sites,comm_syscalls")


def events():
    """Return the number of events that the module has seen since the last reset."""
    stats = pairs_of("stats")
    return sum(value for name, value in stats.items()
               if name.startswith("events_") or
               name in ("bulk_allocs", "bulk_frees", "nolock_allocs", "nolock_frees"))


def now_and_then(work):
    """Run a process that calls work() for about a tenth of the time, to leave CPU to the storm."""
    def seldom():
        start = time.monotonic()
        work()
        time.sleep(20 * random.random() * (time.monotonic() - start))
    return child(seldom)


def check_live(known, when):
    """Check the truth's objects in allocs.  Return the numbers of live and recorded objects.

    Objects that were allocated while recording was off may be missing.  bytes_alloc is not
    compared: with KASAN, each slot has a red zone that the truth does not know of.
    """
    live = known.live()
    rows = known.allocs()
    ghosts = [row for row in rows if row["ptr"] not in live]
    check(not ghosts, f"{when}: {len(ghosts)} objects in allocs are not live: {ghosts[:1]}")
    for row in rows:
        truth = live[row["ptr"]]
        check_equal(f"{when}: {row}",
                    [truth["bytes_req"], truth["cpu"], truth["node"],
                     truth["pid"] or "-", truth["site"]],
                    [*(row[key] for key in ("bytes_req", "cpu", "node", "pid")),
                     known.function(row["site"])])
    return len(live), len(rows)


def read_whole(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        while os.read(fd, 65536):
            pass
    finally:
        os.close(fd)


def opens(path, flags):
    try:
        os.close(os.open(path, flags))
    except OSError as e:
        return e.errno
    return 0
