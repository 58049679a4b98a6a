# SPDX-License-Identifier: GPL-2.0
"""Test under load with readers, resets and switches at the same time."""
import contextlib
import random
import re
import time
from pathlib import Path

from cgroups import limited, run_in
from harness import check, check_equal, check_zero, part, progress, wait_for
from kernel import DEBUGFS
from parts.debug.shared import ENABLED, check_live, now_and_then, read_whole
from parts.slow_path import LOST, MIB
from parts.stalls import exceed
from parts.storms import check_storm_since
from processes import user_load
from sums import check_sums
from table import FOLDER, Table, check_stats, control, pairs_of, read_all, settings
from truth import both, drop_estimated, storm, truth_loaded


def toggle():
    """Switch recording off and on, by the parameter or by a command."""
    for value in "01":
        if random.random() < 0.5:
            ENABLED.write_text(value)
        else:
            control(f"enabled {value}")
        time.sleep(random.random() / 20)


def change_owners():
    """Allocate as several owners, and switch the recording of owners and of cgroups."""
    comm = Path("/proc/self/comm")
    own = comm.read_text()
    for value in 0, 1:
        control(f"owners {value}", "cgroup_sites none" if value else "cgroup_sites add /")
        for _ in range(5):
            comm.write_text(f"name {random.randrange(1 << 20)}")
            user_load()
    comm.write_text(own)


# Triggers that waits and the storm set off
TRIGGERS = "failure,stall=1ms,growth=1K/10s,coverage=100"


def incidents():
    """Set off an incident, switch the triggers, and read what is kept."""
    control("trigger off", f"trigger {TRIGGERS}", "incident")
    for file in FOLDER.glob("incident?"):
        read_whole(file)


@contextlib.contextmanager
def waiting():
    """Yield a function that waits for memory, compacts it, and lets allocations fail."""
    with truth_loaded("kmemacct_pages") as pages, limited("max") as cgroup:
        (cgroup / "memory.high").write_text(str(8 * MIB))

        def wait():
            run_in(cgroup, lambda: exceed(9 * MIB))
            # The lowest 16 MiB are fragmented and used up, by call sites that do not wait.
            pages.run("fragment", "wake", "fail", "drop")
            Path("/proc/sys/vm/compact_memory").write_text("1")
            Path("/proc/sys/vm/drop_caches").write_text("2")

        try:
            yield wait
        finally:
            # The process that waits outlives the one that has started it.
            (cgroup / "cgroup.kill").write_text("1")
            wait_for("an empty cgroup",
                     lambda: "populated 0" in (cgroup / "cgroup.events").read_text())


def check_waits():
    """Check that waits, wake-ups and failures were counted since the last reset, and none lost.

    Return their numbers as text.
    """
    check_zero(LOST, pairs_of("stats"))
    numbers = {name: Table(name).sum(column) for name, column in
               (("waits", "count"), ("wakers", "wakeups"), ("failures", "failed"))}
    check(all(numbers.values()), f"{numbers}")
    return ", ".join(f"{nr} {name}" for name, nr in numbers.items())


def read_settings():
    settings()
    check(ENABLED.read_text() in ("0\n", "1\n"), "the parameter is neither 0 nor 1")


def own_events(known):
    """Return the number of events of the truth's objects, which a reset does not change."""
    return sum(row["hits"] + row["bulk_objs"] + row["frees"] for row in known.sites().values())


def storm_for(known, size, work=lambda: time.sleep(5)):
    """Run a storm until it has caused `size` events.  Return their number."""
    start = own_events(known)
    with storm(known):
        while (seen := own_events(known) - start) < size:
            progress(f"{seen} of {size} events")
            work()
    return seen


def check_exact_since_reset(known, size, beside):
    """Check that hits and frees of a storm are exact while other processes work."""
    control("reset")
    base = known.sites()
    with contextlib.ExitStack() as stack:
        for work in beside:
            stack.enter_context(now_and_then(work))
        seen = storm_for(known, size)
    check_storm_since(known, base)
    return seen


def watchpoints():
    """Check that KCSAN is on, if the kernel has it.  Return its counts as text."""
    path = DEBUGFS / "kcsan"
    if not path.exists():
        return ""
    text = path.read_text()
    check("enabled: 1" in text, f"KCSAN is off: {text}")
    counts = dict(re.findall(r"^(\w+): *(\d+)$", text, re.M))
    return ", " + ", ".join(f"{counts[key]} {key}" for key in ("setup_watchpoints", "data_races"))


@part
def everything(size):
    """Test readers, resets, switches and waits while all CPUs allocate and free."""
    start = time.monotonic()
    # With this limit, reading is quick, and there is still room for all live objects.
    with both(f"live_max=30000 trigger={TRIGGERS}") as known, waiting() as wait:
        with contextlib.ExitStack() as stack:
            for work in (read_all, read_all, read_settings, toggle, change_owners, wait,
                         incidents, lambda: control("reset")):
                stack.enter_context(now_and_then(work))
            seen = storm_for(known, size - size // 10)
        control("enabled 1")
        check_live(known, "after resets and toggles")
        # The sums may differ after a reset under load, which takes one counter after another.
        control("reset")
        check_sums()
        drop_estimated(known)
        check_sums()
        seen += check_exact_since_reset(known, size // 10, (read_all, user_load, wait))
        # In a short run, no wait may have come to its end.
        wait()
        waited = check_waits()
        check_stats(dropped_live_full=0)
        live, recorded = check_live(known, "after the storm")
        check_equal("objects in allocs", live, recorded)
        check_sums()
        known.run("drop")
        check_equal("live objects after drop", (0, 0), check_live(known, "after drop"))
        irqs = known.values()["storm_irqs"]
        check(irqs > size // 10000, f"only {irqs} hard interrupts")
        sums = pairs_of("stats")
    watched = watchpoints()
    seconds = time.monotonic() - start
    return (f"{seen} events in {seconds:.0f} s ({seen / seconds:.0f}/s), of them "
            f"{irqs} hard interrupts, {sums['bulk_frees']} freed in bulk, {waited}{watched}")


PARTS = (everything,)
