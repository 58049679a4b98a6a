# SPDX-License-Identifier: GPL-2.0
"""Test of CPU hotplug."""
import random
import time
from pathlib import Path

from compare import check_all_freed, compare
from harness import check_equal, part, progress
from kernel import CPUS, has_checkers
from parts.debug.shared import check_live, now_and_then
from processes import child, user_load
from sums import check_sums
from table import read_all
from truth import both, storm


def cpu_online(cpu, on):
    path = Path(f"/sys/devices/system/cpu/cpu{cpu}/online")
    path.write_text(str(int(on)))
    check_equal(f"cpu{cpu}", str(int(on)), path.read_text().strip())


@part
def cpus_offline(size):
    """Test CPU hotplug under a storm, with one CPU offline while the module is loaded."""
    rng = random.Random(1)
    cpu_online(CPUS - 1, False)
    with both() as known:
        cpu_online(CPUS - 1, True)
        known.run("constant", "cpus")
        with now_and_then(read_all), child(user_load), storm(known):
            for i in range(size):
                cpu = rng.randrange(1, CPUS)
                cpu_online(cpu, False)
                time.sleep(rng.random() / 5)
                cpu_online(cpu, True)
                progress(f"{i} of {size} times")
        known.run("cpus")
        check_live(known, "after the storm")
        if not has_checkers():
            compare(known, "after the storm")
        check_sums()
        for cpu in range(1, CPUS):
            cpu_online(cpu, False)
        known.run("drop")
        check_all_freed(known)
        check_sums()
    for cpu in range(1, CPUS):
        cpu_online(cpu, True)
    return f"{size} times a CPU offline and back"


PARTS = (cpus_offline,)
