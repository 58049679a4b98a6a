# SPDX-License-Identifier: GPL-2.0
"""Test that a slow leak is the first row by growth, beside caches that grow faster."""
import contextlib
import json
import os
import subprocess
import time
from pathlib import Path

from harness import check, check_between, check_equal, part, progress
from kernel import loaded
from parts.reader import READER
from parts.shrinkers import mounted
from processes import child

LEAKY = Path("/sys/kernel/debug/kmemacct_leaky")
SITE = "leaky_parse_header"
# Of 256 requests, each 16th leaks an object of 512 bytes.
REQUESTS, BAD, BYTES = 256, 16, 512
RATE = 8 * REQUESTS // BAD * BYTES


def leak():
    """Leak 64 KiB in a second."""
    for i in range(8):
        LEAKY.write_text(str(REQUESTS))
        time.sleep(max(0, leak.begin + (leak.times + 1) / 8 - time.monotonic()))
        leak.times += 1


# Names a second, of 192 bytes or more each: three times what leaks
NAMES = 1024


def fill(folder):
    """Make the kernel remember NAMES names of files that do not exist in a second."""
    while fill.nr < (time.monotonic() - leak.begin) * NAMES:
        with contextlib.suppress(FileNotFoundError):
            os.stat(folder / f"missing{fill.nr}")
        fill.nr += 1
    time.sleep(0.09)


def first_rows(window):
    """Return the head, and the rows that grow most: without reclaimable caches, and of all."""
    rows = [json.loads(subprocess.run([READER, "-j", "-s", f"change_{window}", *more], check=True,
                                      capture_output=True, text=True).stdout)
            for more in (["--unreclaimable"], [])]
    return rows[0]["head"], rows[0]["rows"][0], rows[1]["rows"][0]


def watch(seconds, sampled):
    window = "10m" if seconds >= 450 else "1m"
    leak.begin, leak.times, fill.nr = time.monotonic(), 0, 0
    with mounted(0, 10) as _, child(lambda: fill(Path("/tmp/kma_mount0"))):
        while time.monotonic() < leak.begin + seconds:
            leak()
            progress(f"{time.monotonic() - leak.begin:.0f} of {seconds} s")
        head, row, most = first_rows(window)
    check_equal("the call site that grows most", SITE, row["site"].partition("+")[0])
    check(most["site"] != row["site"], "caches do not grow faster")
    # The window may begin before the leak.
    true = min(RATE * head[f"change_{window}_s"], RATE * leak.times // 8)
    change = row[f"change_{window}"]
    if sampled:
        low, high = row[f"change_{window}_low"], row[f"change_{window}_high"]
        check_between("the leak", low - 2 * RATE, true, high + 2 * RATE)
    else:
        # The window has whole seconds.
        check_between("the leak", true - 2 * RATE, change, true + 2 * RATE)
    return (f"{change >> 10} of {true >> 10} KiB in {head[f'change_{window}_s']} s, "
            f"{most['site']} {most[f'change_{window}'] >> 10} KiB")


@part
def growth(seconds=600):
    """Test that a leak of 64 KiB/s grows most of all memory that is not reclaimable."""
    found = []
    for setting in "sample_bytes=0", "sample_bytes=16K budget_pct=0":
        with loaded("kmemacct", f"live_max=1000000 {setting}"), loaded("kmemacct_leaky"):
            found.append(watch(seconds, setting != "sample_bytes=0"))
    return "; ".join(found)


PARTS = (growth,)
