# SPDX-License-Identifier: GPL-2.0
"""Tests under a storm: all CPUs allocate and free at once."""
import random
import time
from pathlib import Path

from compare import check_all_freed, compare, compare_allocs
from harness import check, check_equal, check_row, several
from processes import child, children, user_load
from sums import check_sums
from table import Table, control, read_all
from truth import STORM_HITS, both, rows_by_function, storm, storm_until


def check_storm_since(known, base):
    """Check hits and frees of the storm since a reset, when sites() was `base`."""
    rows = rows_by_function(known)
    for name, row in known.sites().items():
        if name.startswith("truth_storm"):
            check_row(f"{name} since reset",
                      {key: row[key] - base[name][key] for key in ("hits", "frees")}, rows[name])


def owners_of_storm(known):
    names = {row["owner"]: row["comm"] for row in Table("owners").rows}
    return {names[row["owner"]] for row in known.allocs()
            if known.function(row["site"]).startswith("truth_storm")}


def check_owners(known):
    """Check that the storm's live objects are those of its threads and of interrupts.

    Few are of interrupts, and by chance none of these may be live at the end of a storm.
    """
    both_kinds = {"truth_storm/*", "[interrupt]"}
    found = owners_of_storm(known)
    for _ in range(5):
        if found == both_kinds or not found <= both_kinds:
            break
        with storm(known):
            storm_until(known, STORM_HITS // 20)
        found = owners_of_storm(known)
    check_equal("owners", both_kinds, found)


def change_names():
    """Change the name of this process again and again while it allocates."""
    name = f"name {random.randrange(1 << 20)}"
    Path("/proc/self/comm").write_text(name)
    user_load()
    found = {row["comm"] for row in Table("owners").rows}
    check(name in found, f"no owner {name}")


@several
def storming():
    """Test counts and owners after a storm, during which tables are read and processes renamed."""
    start = time.monotonic()
    with both() as known:
        with children(read_all, change_names), storm(known):
            storm_until(known, STORM_HITS)
        seconds = time.monotonic() - start
        compare(known, "after the storm")
        check_owners(known)
        check(known.values()["storm_irqs"] > 100, "too few interrupts in the storm")
        # The processes have ended, but some of their memory may be freed a little later.
        check_sums()
        sites = known.sites()
        known.run("drop")
        compare(known, "after the storm and drop")
        events = sum(row["hits"] + row["frees"] for row in sites.values())
        pingpong = sum(row["pingpong"] for row in sites.values())
    return f"{events} events in {seconds:.1f} s, {pingpong} ping-pongs"


@several
def storming_resets():
    """Test resets, and switching recording on and off, under a storm."""
    with both() as known:
        with child(read_all), storm(known):
            storm_until(known, STORM_HITS // 5, lambda: control("reset"), 10)
        rows = rows_by_function(known)
        for name, row in known.sites().items():
            if not row["live_objs"]:
                continue
            check_row(f"after resets, {name}",
                      {key: row[key] for key in ("live_bytes", "live_objs")}, rows[name])
        compare_allocs(known, "after resets")
        # Without resets under load, counts are exact again.
        control("reset")
        base = known.sites()
        with storm(known):
            storm_until(known, STORM_HITS // 20)
        check_storm_since(known, base)
        known.run("drop")
    with both() as known:
        switches = 0

        def toggle():
            nonlocal switches
            control(f"enabled {switches % 2}")
            switches += 1

        with storm(known):
            for _ in range(30):
                toggle()
                storm_until(known, STORM_HITS // 100)
        control("enabled 1")
        known.run("drop")
        check_all_freed(known)
        check_sums()
    return f"{switches} switches"


PARTS = (storming, storming_resets)
